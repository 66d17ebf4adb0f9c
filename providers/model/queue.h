/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What the queues share: why a WQE fails, completions, events, doorbell records.
 *
 *   sq.c     send WQEs: fetch, execute, complete ──┐
 *   queue.c  receive WQEs: scatter, complete     ──┴── CQEs: queue.c
 *
 * Locks: as in model.h; the CQ's is taken inside.
 */
#ifndef PROVIDERS_MODEL_QUEUE_H
#define PROVIDERS_MODEL_QUEUE_H

#include "model.h"

enum { MODEL_CQE_BYTES = 64 };

/* Vendor error syndromes of the model, so that equal CQE syndromes can be told apart. Shown by `help errors`. */
enum model_vendor_synd {
	V_NONE,
	V_OPCODE = 0x01,     /* the model does not execute this opcode */
	V_DS = 0x02,	     /* ds count 0, above the limit, or more than was posted */
	V_INDEX = 0x03,	     /* wqe_index is not the position in the queue */
	V_QPN = 0x04,	     /* qpn is not this queue */
	V_TIS = 0x05,	     /* no such TIS of this user and transport domain, or one of TLS */
	V_INLINE_MIN = 0x06, /* fewer inline header bytes than the queue requires */
	V_INLINE_LEN = 0x07, /* inline bytes run out of the WQE, or flags in inline_hdr_sz */
	V_SEGMENT = 0x08,    /* a segment is empty or runs out of the WQE */
	V_LKEY = 0x09,	     /* no such key, other PD, outside of its region, or no permission */
	V_SHORT = 0x0a,	     /* frame shorter than an Ethernet header */
	V_LONG = 0x0b,	     /* frame longer than any frame may be */
	V_DOORBELL = 0x0c,   /* doorbell record runs more than a ring ahead */
	V_SCATTER = 0x0d,    /* receive WQE has too little room */
	V_FLUSH = 0x0e,
};

struct model_failure {
	uint8_t syndrome, vendor; /* PRM_CQE_SYND_*, enum model_vendor_synd */
};

#define OK ((struct model_failure){0, V_NONE})
#define FAIL(synd, v) ((struct model_failure){PRM_CQE_SYND_##synd, (v)})

/* What to tell the host once all locks of rank 3 and above are free. */
struct model_events {
	struct {
		uint8_t type;
		uint32_t number;
	} e[4];
	unsigned int n;
};

static inline void model_event_add(struct model_events *ev, uint8_t type, uint32_t number)
{
	if (ev->n < sizeof(ev->e) / sizeof(ev->e[0])) {
		ev->e[ev->n].type = type;
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
void model_cq_error(struct model_cq *cq, uint8_t cqe_op, uint8_t wqe_op, uint32_t qn,
		    uint32_t user_index, uint16_t index, struct model_failure f,
		    struct model_events *ev);

#endif
