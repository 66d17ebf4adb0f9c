/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A send in the making: the work requests it needs, in order, before the first of them is written.
 *
 *	range ─▶ runs (software, or hardware under one key) ─▶ [set the context] ─▶ packets
 *
 * The plan is complete or there is none: room in the ring is asked for all of it, so that a context is never set without
 * the data that follows. The number of blocks comes from the same function that writes them.
 */
#ifndef OFFLOAD_TLS_PLAN_H
#define OFFLOAD_TLS_PLAN_H

#include "offload/tls/engine.h"
#include "offload/tls/packet.h"
#include "queues/tls.h"

enum tls_op_kind { TLS_OP_STATIC, TLS_OP_PROGRESS, TLS_OP_NOP, TLS_OP_DUMP, TLS_OP_SEND };

struct tls_op {
	uint8_t kind;
	bool fence;
	bool last;		      /* SEND: PSH and FIN stay */
	uint16_t mss;		      /* SEND: 0: one packet */
	uint32_t seq, len, index;     /* SEND */
	uint32_t tisn;		      /* 0: no context */
	uint32_t seg, nsegs;	      /* DUMP, SEND: in plan->segs */
	const struct tls_record *rec; /* STATIC */
};

struct tls_plan {
	struct tls_op *ops;
	struct queue_seg *segs;
	uint32_t nops, nsegs, ops_room, segs_room;
	uint32_t blocks;
	unsigned int longest;
	/* pieces that were copied together: in records of their own, which the queue frees when it is done */
	struct tls_record *copies;
};

struct tls_plan *tls_plan_create(void);
void tls_plan_destroy(struct tls_plan *plan);
void tls_plan_reset(struct tls_plan *plan);
/* NULL: no memory. The op is zeroed. */
struct tls_op *tls_plan_op(struct tls_plan *plan, enum tls_op_kind kind, bool fence, uint32_t tisn);
/* 0 or -ENOMEM. */
int tls_plan_seg(struct tls_plan *plan, uint64_t addr, uint32_t lkey, uint32_t len);
/* Blocks of all ops, and of the longest. */
void tls_plan_measure(struct tls_plan *plan, const struct tls_packet *pkt);
/* Write them all; there is room. */
void tls_plan_post(struct tls_plan *plan, struct mlxo_tls *tls, const struct tls_packet *pkt);

#endif
