// SPDX-License-Identifier: BSD-2-Clause
/* Lists of work requests: growing, measuring, writing. */
#include "offload/tls/plan.h"
#include "objects/alloc.h"
#include "objects/error.h"
#include "prm/prm.h"

#include <errno.h>
#include <string.h>

enum { FIRST_OPS = 64, FIRST_SEGS = 256 };

struct tls_plan *tls_plan_create(void)
{
	struct tls_plan *plan = mlxo_calloc(1, sizeof(*plan));

	if (plan) {
		plan->ops = mlxo_calloc(FIRST_OPS, sizeof(*plan->ops));
		plan->segs = mlxo_calloc(FIRST_SEGS, sizeof(*plan->segs));
		plan->ops_room = FIRST_OPS;
		plan->segs_room = FIRST_SEGS;
	}
	if (plan && plan->ops && plan->segs)
		return plan;
	tls_plan_destroy(plan);
	obj_error_nomem("a queue's plan");
	return NULL;
}

void tls_plan_destroy(struct tls_plan *plan)
{
	if (!plan)
		return;
	mlxo_free(plan->ops);
	mlxo_free(plan->segs);
	mlxo_free(plan);
}

void tls_plan_reset(struct tls_plan *plan)
{
	plan->nops = plan->nsegs = 0;
}

static int grow(void **array, uint32_t *room, size_t size)
{
	void *more = mlxo_reallocarray(*array, (size_t)*room * 2, size);

	if (!more)
		return obj_error_nomem("a queue's plan");
	*array = more;
	*room *= 2;
	return 0;
}

struct tls_op *tls_plan_op(struct tls_plan *plan, enum tls_op_kind kind, bool fence, uint32_t tisn)
{
	struct tls_op *op;

	if (plan->nops == plan->ops_room &&
	    grow((void **)&plan->ops, &plan->ops_room, sizeof(*plan->ops)))
		return NULL;
	op = &plan->ops[plan->nops++];
	*op = (struct tls_op){
		.kind = (uint8_t)kind, .fence = fence, .tisn = tisn, .seg = plan->nsegs};
	return op;
}

int tls_plan_seg(struct tls_plan *plan, uint64_t addr, uint32_t lkey, uint32_t len)
{
	if (plan->nsegs == plan->segs_room &&
	    grow((void **)&plan->segs, &plan->segs_room, sizeof(*plan->segs)))
		return -ENOMEM;
	plan->segs[plan->nsegs++] = (struct queue_seg){addr, lkey, len};
	return 0;
}

static unsigned int blocks_of(const struct tls_op *op, unsigned int hdr_len)
{
	switch (op->kind) {
	case TLS_OP_STATIC: return QUEUE_TLS_STATIC_BLOCKS;
	case TLS_OP_PROGRESS: return QUEUE_TLS_PROGRESS_BLOCKS;
	case TLS_OP_DUMP: return QUEUE_TLS_DUMP_BLOCKS;
	case TLS_OP_SEND: return queue_send_blocks(hdr_len, op->nsegs);
	default: return 1;
	}
}

void tls_plan_measure(struct tls_plan *plan, const struct tls_packet *pkt)
{
	plan->blocks = 0;
	plan->longest = 1;
	for (uint32_t i = 0; i < plan->nops; i++) {
		unsigned int n = blocks_of(&plan->ops[i], pkt->len);

		plan->blocks += n;
		if (n > plan->longest)
			plan->longest = n;
	}
}

static void write_static(uint8_t *to, const struct mlxo_tls *tls, const struct tls_op *op,
			 const struct queue_wqe *w)
{
	struct queue_tls_static s = {
		.wqe = *w,
		.version = tls->version ? PRM_TLS_VERSION_1_3 : PRM_TLS_VERSION_1_2,
		.rec_no = op->rec->rec_no,
		.iv = tls_key_iv(op->rec->key),
		.dek = op->rec->key->lease.id,
	};

	queue_wqe_tls_static(to, &s);
}

static void write_send(uint8_t *to, const struct tls_plan *plan, const struct tls_op *op,
		       const struct tls_packet *pkt, const struct queue_wqe *w)
{
	uint8_t hdr[QUEUE_SEND_INLINE];
	struct queue_send send = {
		.wqe = *w,
		.cs_flags = (uint8_t)(PRM_WQE_ETH_CSUM_L4 | (pkt->ipv6 ? 0 : PRM_WQE_ETH_CSUM_L3)),
		.inline_hdr = hdr,
		.inline_len = pkt->len,
		.mss = op->mss,
		.seg = plan->segs + op->seg,
		.nsegs = op->nsegs,
	};

	tls_packet_fill(pkt, hdr, op->seq, op->len, op->index, op->last);
	queue_wqe_send(to, &send);
}

static void post_op(const struct tls_plan *plan, struct mlxo_tls *tls, const struct tls_op *op,
		    const struct tls_packet *pkt)
{
	struct queue_sq *sq = &tls->q->sq;
	unsigned int blocks = blocks_of(op, pkt->len);
	struct queue_wqe w = {.fence = op->fence, .tisn = op->tisn};
	uint8_t *to = queue_sq_begin(sq, blocks, &w);

	switch (op->kind) {
	case TLS_OP_STATIC: write_static(to, tls, op, &w); break;
	case TLS_OP_PROGRESS: queue_wqe_tls_progress(to, &w); break;
	case TLS_OP_DUMP: queue_wqe_tls_dump(to, &w, plan->segs + op->seg); break;
	case TLS_OP_SEND: write_send(to, plan, op, pkt, &w); break;
	default: queue_wqe_nop(to, &w); break;
	}
	queue_sq_end(sq, blocks);
}

void tls_plan_post(struct tls_plan *plan, struct mlxo_tls *tls, const struct tls_packet *pkt)
{
	for (uint32_t i = 0; i < plan->nops; i++)
		post_op(plan, tls, &plan->ops[i], pkt);
}
