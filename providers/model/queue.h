/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What the queues share: why a WQE fails, completions, events, doorbell records.
 *
 *   sq.c     send WQEs: fetch, execute, complete ──┐        send.c, lso.c   what SEND and TSO do
 *   queue.c  receive WQEs: scatter, complete     ──┴── CQEs: cq.c           tls_wqe.c   what UMR, PSV and DUMP do
 *
 * Locks: as in model.h; the CQ's is taken inside.
 */
#ifndef PROVIDERS_MODEL_QUEUE_H
#define PROVIDERS_MODEL_QUEUE_H

#include "model.h"
#include "syndromes.h"

enum { MODEL_CQE_BYTES = 64 };

#define MODEL_VENDOR_ENUM(name, number, meaning) V_##name = (number),
enum model_vendor_synd { V_NONE, MODEL_VENDOR_SYNDROMES(MODEL_VENDOR_ENUM) };

struct model_failure {
	uint8_t syndrome, vendor; /* PRM_CQE_SYND_*, enum model_vendor_synd */
};

#define OK ((struct model_failure){0, V_NONE})
#define FAIL(synd, v) ((struct model_failure){PRM_CQE_SYND_##synd, (v)})

/* A send WQE: copied, unwrapped, its control segment decoded. */
enum { MODEL_MAX_DS = 63, MODEL_ETH_HLEN = 14, MODEL_WQE_FENCE_MASK = 0xe0 };
struct model_wqe {
	uint8_t b[(MODEL_MAX_DS + 1) * PRM_WQE_DS];
	unsigned int ds;
	unsigned int nbb; /* basic blocks */
	uint16_t index;	  /* of its first basic block, free running */
	uint8_t opcode, opmod;
	uint32_t tisn;
	bool signal;
	bool fenced; /* waits for everything before it, context updates included */
};

/* What to tell the host once all locks of rank 3 and above are free. */
struct model_events {
	struct {
		uint8_t type;
		enum model_event_of of;
		uint32_t number;
	} e[32];
	unsigned int n;
};

static inline void model_event_add(struct model_events *ev, uint8_t type, enum model_event_of of,
				   uint32_t number)
{
	for (unsigned int i = 0; i < ev->n; i++)
		if (ev->e[i].type == type && ev->e[i].of == of && ev->e[i].number == number)
			return;
	if (ev->n < sizeof(ev->e) / sizeof(ev->e[0])) {
		ev->e[ev->n].type = type;
		ev->e[ev->n].of = of;
		ev->e[ev->n++].number = number;
	}
}

static inline void model_count_drop(struct model_dev *dev, enum model_drop why)
{
	atomic_fetch_add_explicit(&dev->drop[why], 1, memory_order_relaxed);
}

/* Counter of a doorbell record; acquire: what it announces is read after it. */
static inline uint32_t model_dbrec(const uint8_t *dbrec, int index)
{
	uint32_t be = __atomic_load_n((const uint32_t *)(const void *)(dbrec + 4 * index),
				      __ATOMIC_ACQUIRE);

	return __builtin_bswap32(be);
}

/* Tell the host. No lock of rank 3 or above is held. */
void model_events_raise(struct model_dev *dev, const struct model_events *ev);

/* Write one CQE. A full CQ is overrun: it takes no CQE any more and the host is told. */
void model_cq_write(struct model_cq *cq, uint8_t cqe[MODEL_CQE_BYTES], uint8_t opcode,
		    struct model_events *ev);
/*
 * late.c: the CQE of a send queue: in virtual time not before the queue's frames have left. The queue's lock and
 * dev->objs are held.
 */
void model_sq_cqe(struct model_dev *dev, struct model_sq *sq, uint8_t cqe[MODEL_CQE_BYTES],
		  uint8_t opcode, struct model_events *ev);
/* The body of an error CQE, zeroed before. */
void model_err_cqe(uint8_t cqe[MODEL_CQE_BYTES], uint8_t wqe_op, uint32_t qn, uint32_t user_index,
		   uint16_t index, struct model_failure f);
void model_cq_error(struct model_cq *cq, uint8_t cqe_op, uint8_t wqe_op, uint32_t qn,
		    uint32_t user_index, uint16_t index, struct model_failure f,
		    struct model_events *ev);

/*
 * sq.c: copy and check what every WQE has. `posted`: basic blocks from index up to the doorbell. nbb is set in any case.
 * The TIS that the WQE names, if the queue may use it, else NULL.
 */
struct model_failure model_sq_fetch(const struct model_dev *dev, const struct model_sq *sq,
				    uint16_t index, uint16_t posted, struct model_wqe *w);
struct model_tis *model_sq_tis(struct model_dev *dev, const struct model_sq *sq, uint32_t tisn);

/*
 * send.c: SEND and TSO. Frames go through `tis` if it is one of TLS. `posted` as above, for what may overtake.
 */
struct model_failure model_sq_send(struct model_dev *dev, struct model_sq *sq,
				   const struct model_wqe *w, uint16_t posted, struct model_pkt *p);

/*
 * tls_wqe.c: the TLS WQEs, and when what they change takes effect.
 */
struct model_failure model_tls_static(struct model_dev *dev, struct model_sq *sq,
				      const struct model_wqe *w);
struct model_failure model_tls_progress(struct model_dev *dev, struct model_sq *sq,
					const struct model_wqe *w);
struct model_failure model_tls_get(struct model_dev *dev, struct model_sq *sq,
				   const struct model_wqe *w);
struct model_failure model_tls_dump(struct model_dev *dev, struct model_sq *sq,
				    const struct model_wqe *w, uint16_t posted,
				    struct model_pkt *p);
/* A fence: all updates that this queue was given take effect. */
void model_tls_land(struct model_dev *dev, struct model_sq *sq);

/*
 * Data of WQE w for the context of `tis`: before lets updates overtake it, through takes the bytes through the context
 * in place (true: it is armed), after lets updates take effect that the data has overtaken.
 */
void model_tls_before(struct model_dev *dev, struct model_sq *sq, struct model_tis *tis,
		      const struct model_wqe *w, uint16_t posted);
bool model_tls_through(struct model_dev *dev, const struct model_tis *tis, uint8_t *bytes,
		       size_t n);
void model_tls_after(struct model_sq *sq, struct model_tis *tis);

#endif
