// SPDX-License-Identifier: BSD-2-Clause
/* Send queues: making one, positions, doorbell, completions, recovery. The picture is in sq.h. */
#include "queues/sq.h"
#include "objects/alloc.h"
#include "objects/error.h"

#include <errno.h>
#include <string.h>

enum { ETH_HEADER = 14, VLAN_HEADER = 4, LOG_BB = 6, DBREC_SEND = 1 };
enum { CTRL_AT_FLAGS = 11 };
/* Values of the capability wqe_inline_mode, and of sqc.min_wqe_inline_mode. */
enum { CAP_INLINE_L2 = 0, CAP_INLINE_VPORT = 1 };
enum { INLINE_NONE = 0, INLINE_L2 = 1, INLINE_TCP_UDP = 3 };

/* -- making one ---------------------------------------------------------------------------------------------- */

/* "As the vport says" can mean anything up to the end of a TCP header, so that much is given. */
unsigned int queue_sq_inline(const struct mlxo_device *dev)
{
	switch (obj_cap(dev, OBJ_CAP_wqe_inline_mode)) {
	case CAP_INLINE_L2: return ETH_HEADER + VLAN_HEADER;
	case CAP_INLINE_VPORT: return QUEUE_SEND_INLINE;
	default: return 0;
	}
}

static uint8_t inline_mode(unsigned int hdr_len)
{
	return hdr_len == 0		      ? INLINE_NONE
	       : hdr_len == QUEUE_SEND_INLINE ? INLINE_TCP_UDP
					      : INLINE_L2;
}

static int make_queue(struct queue_sq *sq)
{
	struct obj_sq_attr attr = {.log_size = sq->ring.log_size,
				   .cq = &sq->cq.obj,
				   .tis = &sq->tis,
				   .umem_id = sq->ring.mem->umem.id,
				   .dbr_offset = queue_ring_dbr_offset(&sq->ring),
				   .uar_page = sq->dev->uar.page_id,
				   .min_inline_mode = inline_mode(sq->hdr_len)};
	int err = obj_tis_create(sq->dev, &sq->tis);

	if (!err)
		err = queue_cq_init(&sq->cq, sq->dev, sq->ring.log_size);
	if (!err)
		err = obj_sq_create(sq->dev, &attr, &sq->obj);
	if (!err)
		err = obj_sq_move(sq->dev, &sq->obj, PRM_SQC_STATE_RST, PRM_SQC_STATE_RDY);
	return err;
}

int queue_sq_init(struct queue_sq *sq, struct mlxo_device *dev, unsigned int log_blocks)
{
	int err;

	memset(sq, 0, sizeof(*sq));
	sq->dev = dev;
	sq->hdr_len = queue_sq_inline(dev);
	err = queue_ring_init(&sq->ring, dev, log_blocks, LOG_BB);
	if (err)
		return err;
	sq->next = mlxo_calloc((size_t)sq->ring.mask + 1, sizeof(*sq->next));
	if (!sq->next)
		return obj_error_nomem("a send queue");
	return make_queue(sq);
}

/* The first failure counts, the rest is destroyed all the same. */
static int first(int err, int next)
{
	return err ? err : next;
}

int queue_sq_fini(struct queue_sq *sq)
{
	int err;

	if (!sq->dev)
		return 0;
	err = obj_destroy_twice(sq->dev, &sq->obj.obj);
	err = first(err, queue_cq_fini(&sq->cq, sq->dev));
	err = first(err, obj_destroy_twice(sq->dev, &sq->tis.obj));
	queue_ring_fini(&sq->ring, sq->dev);
	mlxo_free(sq->next);
	sq->next = NULL;
	return err;
}

/* One writer: a plain increment, seen whole by readers. */
static void count(_Atomic uint64_t *n)
{
	atomic_store_explicit(n, atomic_load_explicit(n, memory_order_relaxed) + 1,
			      memory_order_relaxed);
}

/* -- posting ------------------------------------------------------------------------------------------------- */

void queue_sq_end(struct queue_sq *sq, unsigned int blocks)
{
	sq->last = (uint16_t)sq->posted;
	sq->posted += blocks;
	sq->next[sq->last & sq->ring.mask] = (uint16_t)sq->posted;
}

void queue_sq_nop(struct queue_sq *sq, bool fence)
{
	struct queue_wqe nop = {
		.sqn = sq->obj.obj.id, .index = (uint16_t)sq->posted, .fence = fence};

	queue_sq_end(sq, queue_wqe_nop(queue_ring_entry(&sq->ring, nop.index), &nop));
}

uint8_t *queue_sq_begin(struct queue_sq *sq, unsigned int blocks, struct queue_wqe *w)
{
	uint32_t to_end = sq->ring.mask + 1 - ((uint32_t)sq->posted & sq->ring.mask);

	while (blocks > to_end && to_end--)
		queue_sq_nop(sq, false);
	w->sqn = sq->obj.obj.id;
	w->index = (uint16_t)sq->posted;
	return queue_ring_entry(&sq->ring, w->index);
}

void queue_sq_signal(struct queue_sq *sq)
{
	if (sq->rung != sq->posted)
		queue_ring_entry(&sq->ring, sq->last)[CTRL_AT_FLAGS] |= PRM_WQE_CE_CQ_UPDATE;
}

void queue_sq_flush(struct queue_sq *sq)
{
	uint64_t ctrl;

	if (sq->failed || sq->rung == sq->posted)
		return;
	memcpy(&ctrl, queue_ring_entry(&sq->ring, sq->last), sizeof(ctrl));
	queue_ring_publish(&sq->ring, DBREC_SEND, (uint16_t)sq->posted);
	sq->dev->ops->ring(sq->dev->prov, &sq->dev->uar, ctrl);
	sq->rung = sq->posted;
	count(&sq->doorbells);
}

/* -- completions --------------------------------------------------------------------------------------------- */

/* Everything before block `index` is done. */
static void done_before(struct queue_sq *sq, uint16_t index)
{
	sq->done += (uint16_t)(index - (uint16_t)sq->done);
}

/*
 * The first error CQE names the cause; the ones behind it say "flushed", one for each WQE.
 */
static void fail(struct queue_sq *sq, const uint8_t *cqe)
{
	uint8_t syndrome = (uint8_t)PRM_GET(err_cqe, cqe, syndrome);
	uint16_t index = (uint16_t)PRM_GET(err_cqe, cqe, wqe_counter);
	const char *name = prm_constant_name("CQE_SYND_", syndrome);

	sq->failed = true;
	if (syndrome == PRM_CQE_SYND_WR_FLUSH)
		return;
	count(&sq->errors);
	if ((uint16_t)(index - (uint16_t)sq->done) <= sq->posted - sq->done)
		done_before(sq, index);
	obj_log(MLXO_LOG_WARN, "send queue %u failed at block %u: %s (syndrome 0x%x, vendor 0x%x)",
		sq->obj.obj.id, index, name ? name : "unknown syndrome", syndrome,
		(unsigned int)PRM_GET(err_cqe, cqe, vendor_err_synd));
}

unsigned int queue_sq_poll(struct queue_sq *sq)
{
	const uint8_t *cqe;
	unsigned int n = 0;
	uint8_t opcode;

	for (; (cqe = queue_cq_next(&sq->cq, &opcode)); n++) {
		uint16_t index = (uint16_t)PRM_GET(cqe64, cqe, wqe_counter);

		if (opcode == PRM_CQE_OP_REQ)
			done_before(sq, sq->next[index & sq->ring.mask]);
		else
			fail(sq, cqe);
	}
	if (n)
		queue_cq_update(&sq->cq);
	return n;
}

/* -- recovery ------------------------------------------------------------------------------------------------ */

/* From whatever state the queue is in (an earlier attempt may have lost an answer) to RDY, through RST. */
static int restart(struct queue_sq *sq)
{
	uint8_t state;
	int err = obj_sq_query_state(sq->dev, &sq->obj, &state);

	if (!err && state != PRM_SQC_STATE_RST)
		err = obj_sq_move(sq->dev, &sq->obj, state, PRM_SQC_STATE_RST);
	/* in RST the device counts from 0; the record must say so before it looks at it again */
	if (!err) {
		queue_ring_publish(&sq->ring, DBREC_SEND, 0);
		err = obj_sq_move(sq->dev, &sq->obj, PRM_SQC_STATE_RST, PRM_SQC_STATE_RDY);
	}
	return err;
}

int queue_sq_recover(struct queue_sq *sq)
{
	int err;

	queue_sq_poll(sq);
	if (!sq->failed)
		return 0;
	err = restart(sq);
	if (err)
		return err;
	queue_sq_poll(sq); /* CQEs of flushed WQEs that came meanwhile */
	/* stamps only grow; the next block is 0 again, as the device counts */
	sq->posted = (sq->posted + UINT16_MAX) & ~(uint64_t)UINT16_MAX;
	sq->done = sq->rung = sq->posted;
	sq->failed = false;
	sq->epoch++;
	return 0;
}
