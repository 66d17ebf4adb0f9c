/* SPDX-License-Identifier: BSD-2-Clause */
/* Objects of verbs, and the firmware commands behind them. */
#ifndef FACES_UVERBS_VERBS_H
#define FACES_UVERBS_VERBS_H

#include "uverbs.h"

struct uv_pd {
	struct uv_obj o;
	uint32_t pdn;
};

struct uv_cq {
	struct uv_obj o;
	uint32_t cqn, ring, dbrec;	   /* umems */
	uint64_t element;		   /* what the program calls it */
	struct uv_channel *channel;	   /* NULL: none; a reference */
	_Atomic uint32_t sent, async_sent; /* completion events, errors */
};

/* A raw packet QP; 0: it has none. */
struct uv_qp {
	struct uv_obj o;
	uint32_t tdn, tisn, sqn, rqn, tirn;
	uint32_t umem[3];		   /* doorbell record, send ring, receive ring */
	uint8_t state, sq_state, rq_state; /* of verbs; as last moved here */
	struct ib_uverbs_qp_cap cap;
	struct uv_obj *uses[3];
	unsigned int nuses;
};
uint8_t uv_sq_state(struct uv_ctx *ctx, uint32_t sqn, uint8_t last);
uint8_t uv_rq_state(struct uv_ctx *ctx, uint32_t rqn, uint8_t last);

/* What a ring of a QP or WQ is: its umems and logarithms of size and stride. */
struct uv_ring {
	uint32_t pdn, ring, dbrec;
	unsigned int log_size, log_stride;
};
void uv_fill_wq(uint8_t *wq, const struct uv_ring *r);

/* wq.c: the TIR of an RSS QP, over its indirection table. What a failure leaves goes with the QP. */
int uv_rss_create(struct uv_call *c, struct uv_qp *qp);
/* What RSS QPs can hash: enum mlx5_rx_hash_fields. */
#define UV_RX_HASH_FIELDS 0x1ff

/* counters.c */
enum { UV_COUNTERS_READ = 64 };
struct uv_counters {
	struct uv_obj o;
	uint32_t id, nread;		/* id 0: no flow counts with it yet */
	uint8_t kind[UV_COUNTERS_READ]; /* of the n-th number that is read, + 1; 0: none */
};
extern const struct uv_class uv_counters_class;
/* A flow is to count with it: its firmware counter is there. */
int uv_counters_bind(struct uv_call *c, struct uv_counters *k);

extern const struct uv_class uv_pd_class, uv_cq_class;

/* A firmware command of the kernel's own for the context: a refusal becomes what the kernel makes of it. */
int uv_command(struct uv_ctx *ctx, void *in, size_t inlen, void *out, size_t outlen);
/* Commands whose input is an opcode and a number at 0x48 (24 bits), or which answer one there. */
int uv_command_on(struct uv_ctx *ctx, uint16_t opcode, uint32_t number);
int uv_command_new(struct uv_ctx *ctx, void *in, size_t inlen, uint32_t *number);

#endif
