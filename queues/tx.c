// SPDX-License-Identifier: BSD-2-Clause
/*
 * Sending: post, doorbell, completions, recovery. The picture is in tx.h. One thread at a time.
 *
 * Tried and dropped: data segments on the caller's memory. It saves the copy, but then memory must be registered by
 * the caller and outlive the completion, which nobody who forwards frames can promise.
 */
#include "queues/tx.h"
#include "objects/alloc.h"
#include "objects/error.h"
#include "queues/send.h"

#include <errno.h>
#include <string.h>

enum { ETH_HEADER = 14, VLAN_HEADER = 4, CACHE_LINE = 64, LOG_BB = 6, SIGNAL_MAX = 64 };
enum { MAX_BLOCKS_LOG = 15, DBREC_SEND = 1 };
/* Values of the capability wqe_inline_mode, and of sqc.min_wqe_inline_mode. */
enum { CAP_INLINE_L2 = 0, CAP_INLINE_VPORT = 1 };
enum { INLINE_NONE = 0, INLINE_L2 = 1, INLINE_TCP_UDP = 3 };

static uint32_t blocks_of(const struct queue_tx *tx)
{
	return tx->ring.mask + 1;
}

static uint16_t blocks_free(const struct queue_tx *tx)
{
	return (uint16_t)(blocks_of(tx) - (uint16_t)(tx->pi - tx->ci));
}

/* -- making one ---------------------------------------------------------------------------------------------- */

/*
 * Header bytes that must lie in the WQE. "As the vport says" can mean anything up to the end of a TCP header, so that
 * much is given.
 */
static uint8_t choose_inline(struct queue_tx *tx)
{
	switch (obj_cap(tx->dev, OBJ_CAP_wqe_inline_mode)) {
	case CAP_INLINE_L2: tx->inline_len = ETH_HEADER + VLAN_HEADER; return INLINE_L2;
	case CAP_INLINE_VPORT: tx->inline_len = QUEUE_SEND_INLINE; return INLINE_TCP_UDP;
	default: tx->inline_len = 0; return INLINE_NONE;
	}
}

static unsigned int log2_of(uint32_t n)
{
	unsigned int log = 0;

	while (UINT32_C(1) << log < n)
		log++;
	return log;
}

static int make_memory(struct queue_tx *tx, uint32_t entries)
{
	unsigned int log = log2_of(entries);
	int err;

	while (UINT32_C(1) << log < entries * tx->max_blocks)
		log++;
	if (log > MAX_BLOCKS_LOG)
		log = MAX_BLOCKS_LOG;
	err = queue_ring_init(&tx->ring, tx->dev, log, LOG_BB);
	if (err)
		return err;
	tx->marks = mlxo_calloc(blocks_of(tx), sizeof(*tx->marks));
	if (!tx->marks)
		return obj_error_nomem("a send queue");
	return obj_region_create_mr(tx->dev, (size_t)tx->nframes * tx->slot, &tx->buffers);
}

static int make_queue(struct queue_tx *tx, uint8_t inline_mode)
{
	struct obj_sq_attr attr = {.log_size = tx->ring.log_size,
				   .cq = &tx->cq.obj,
				   .tis = &tx->tis,
				   .umem_id = tx->ring.mem->umem.id,
				   .dbr_offset = queue_ring_dbr_offset(&tx->ring),
				   .uar_page = tx->dev->uar.page_id,
				   .min_inline_mode = inline_mode};
	int err = obj_tis_create(tx->dev, &tx->tis);

	if (!err)
		err = queue_cq_init(&tx->cq, tx->dev, tx->ring.log_size);
	if (!err)
		err = obj_sq_create(tx->dev, &attr, &tx->sq);
	if (!err)
		err = obj_sq_move(tx->dev, &tx->sq, PRM_SQC_STATE_RST, PRM_SQC_STATE_RDY);
	return err;
}

int queue_tx_init(struct queue_tx *tx, struct mlxo_device *dev, uint32_t entries,
		  uint32_t max_frame)
{
	uint8_t mode;
	int err;

	memset(tx, 0, sizeof(*tx));
	tx->dev = dev;
	tx->nframes = entries;
	tx->max_frame = max_frame;
	tx->slot = (max_frame + CACHE_LINE - 1) & ~(uint32_t)(CACHE_LINE - 1);
	tx->signal_every = entries / 4 < SIGNAL_MAX ? entries / 4 : SIGNAL_MAX;
	mode = choose_inline(tx);
	tx->max_blocks = queue_send_blocks(tx->inline_len, 1);
	err = make_memory(tx, entries);
	return err ? err : make_queue(tx, mode);
}

/* The first failure counts, the rest is destroyed all the same. */
static int first(int err, int next)
{
	return err ? err : next;
}

int queue_tx_fini(struct queue_tx *tx)
{
	int err = obj_sq_destroy(tx->dev, &tx->sq);

	err = first(err, queue_cq_fini(&tx->cq, tx->dev));
	err = first(err, obj_tis_destroy(tx->dev, &tx->tis));
	obj_region_destroy(tx->dev, tx->buffers);
	queue_ring_fini(&tx->ring, tx->dev);
	mlxo_free(tx->marks);
	return err;
}

/* -- posting ------------------------------------------------------------------------------------------------- */

static size_t total_len(const struct iovec *iov, int iovcnt)
{
	size_t len = 0;

	for (int i = 0; i < iovcnt; i++)
		len = iov[i].iov_len > SIZE_MAX - len ? SIZE_MAX : len + iov[i].iov_len;
	return len;
}

static uint8_t *buffer_of(const struct queue_tx *tx, uint32_t frame)
{
	return tx->buffers->addr + (size_t)(frame & (tx->nframes - 1)) * tx->slot;
}

static void copy_in(uint8_t *to, const struct iovec *iov, int iovcnt)
{
	for (int i = 0; i < iovcnt; i++) {
		if (iov[i].iov_len)
			memcpy(to, iov[i].iov_base, iov[i].iov_len);
		to += iov[i].iov_len;
	}
}

/* Blocks from pi to the ring's end when a WQE of n does not fit before it, else 0. */
static unsigned int padding(const struct queue_tx *tx, unsigned int n)
{
	uint32_t to_end = blocks_of(tx) - (tx->pi & tx->ring.mask);

	return n > to_end ? to_end : 0;
}

/* A WQE of n blocks was written at pi. */
static void posted(struct queue_tx *tx, unsigned int n)
{
	struct queue_tx_mark *mark = &tx->marks[tx->pi & tx->ring.mask];

	memcpy(&tx->last_ctrl, queue_ring_entry(&tx->ring, tx->pi), sizeof(tx->last_ctrl));
	tx->pi = (uint16_t)(tx->pi + n);
	mark->next = tx->pi;
	mark->frames = tx->frame_pi;
}

static void post_nops(struct queue_tx *tx, unsigned int n)
{
	while (n--) {
		struct queue_wqe nop = {tx->sq.obj.id, tx->pi, false};

		posted(tx, queue_wqe_nop(queue_ring_entry(&tx->ring, tx->pi), &nop));
	}
}

/* Is there room for one more frame of the biggest kind after this one? If not, this one asks for a CQE. */
static bool must_signal(const struct queue_tx *tx, unsigned int blocks)
{
	uint32_t left = blocks_free(tx) - blocks;

	return (tx->frame_pi + 1) % tx->signal_every == 0 ||
	       tx->frame_pi + 1 - tx->frame_ci == tx->nframes || left < 2 * tx->max_blocks;
}

static void post_send(struct queue_tx *tx, const uint8_t *frame, uint32_t len, uint8_t cs_flags)
{
	unsigned int hdr = len < tx->inline_len ? len : tx->inline_len;
	struct queue_send send = {
		.wqe = {.sqn = tx->sq.obj.id, .index = tx->pi},
		.cs_flags = cs_flags,
		.inline_hdr = frame,
		.inline_len = hdr,
		.nsegs = len > hdr,
		.seg[0] = {(uint64_t)(uintptr_t)(frame + hdr), tx->buffers->mr.lkey, len - hdr},
	};

	send.wqe.signal = must_signal(tx, queue_send_blocks(hdr, send.nsegs));
	tx->frame_pi++;
	posted(tx, queue_wqe_send(queue_ring_entry(&tx->ring, tx->pi), &send));
}

int queue_tx_post(struct queue_tx *tx, const struct iovec *iov, int iovcnt, uint8_t cs_flags)
{
	size_t len = total_len(iov, iovcnt);
	unsigned int pad = padding(tx, tx->max_blocks);
	uint8_t *frame;

	if (tx->failed)
		return obj_error(-EIO, "send queue %u is in the error state: recover it",
				 tx->sq.obj.id);
	if (len < ETH_HEADER || len > tx->max_frame)
		return obj_error(-EMSGSIZE, "frame of %zu bytes: %d..%u are possible", len,
				 ETH_HEADER, tx->max_frame);
	if (tx->frame_pi - tx->frame_ci == tx->nframes || blocks_free(tx) < pad + tx->max_blocks)
		return obj_error(-EAGAIN, "send queue %u is full: flush and poll", tx->sq.obj.id);
	post_nops(tx, pad);
	frame = buffer_of(tx, tx->frame_pi);
	copy_in(frame, iov, iovcnt);
	post_send(tx, frame, (uint32_t)len, cs_flags);
	tx->stats.packets++;
	tx->stats.bytes += len;
	return 0;
}

void queue_tx_flush(struct queue_tx *tx)
{
	if (tx->failed || tx->rung == tx->pi)
		return;
	queue_ring_publish(&tx->ring, DBREC_SEND, tx->pi);
	tx->dev->ops->ring(tx->dev->prov, &tx->dev->uar, tx->last_ctrl);
	tx->rung = tx->pi;
	tx->stats.doorbells++;
}

/* -- completions --------------------------------------------------------------------------------------------- */

/* Everything up to the WQE at block `index` is done. */
static void complete(struct queue_tx *tx, uint16_t index)
{
	const struct queue_tx_mark *mark = &tx->marks[index & tx->ring.mask];

	tx->ci = mark->next;
	tx->frame_ci = mark->frames;
}

/*
 * The first error CQE names the cause; the ones behind it say "flushed", one for each WQE. Frames before the failing one
 * that had asked for no CQE were sent.
 */
static void fail(struct queue_tx *tx, const uint8_t *cqe)
{
	uint8_t syndrome = (uint8_t)PRM_GET(err_cqe, cqe, syndrome);
	uint16_t index = (uint16_t)PRM_GET(err_cqe, cqe, wqe_counter);
	uint32_t sent = tx->marks[index & tx->ring.mask].frames - 1 - tx->frame_ci;
	const char *name = prm_constant_name("CQE_SYND_", syndrome);

	tx->failed = true;
	if (syndrome == PRM_CQE_SYND_WR_FLUSH)
		return;
	tx->stats.errors++;
	if (sent < tx->frame_pi - tx->frame_ci)
		tx->frame_ci += sent;
	obj_log(MLXO_LOG_WARN, "send queue %u failed at block %u: %s (syndrome 0x%x, vendor 0x%x)",
		tx->sq.obj.id, index, name ? name : "unknown syndrome", syndrome,
		(unsigned int)PRM_GET(err_cqe, cqe, vendor_err_synd));
}

void queue_tx_poll(struct queue_tx *tx)
{
	const uint8_t *cqe;
	uint8_t opcode;
	bool any = false;

	while ((cqe = queue_cq_next(&tx->cq, &opcode))) {
		if (opcode == PRM_CQE_OP_REQ)
			complete(tx, (uint16_t)PRM_GET(cqe64, cqe, wqe_counter));
		else
			fail(tx, cqe);
		any = true;
	}
	if (any)
		queue_cq_update(&tx->cq);
}

/* -- recovery ------------------------------------------------------------------------------------------------ */

/* From whatever state the queue is in (an earlier attempt may have lost an answer) to RDY, through RST. */
static int restart(struct queue_tx *tx)
{
	uint8_t state;
	int err = obj_sq_query_state(tx->dev, &tx->sq, &state);

	if (!err && state != PRM_SQC_STATE_RST)
		err = obj_sq_move(tx->dev, &tx->sq, state, PRM_SQC_STATE_RST);
	/* in RST the device counts from 0; the record must say so before it looks at it again */
	if (!err) {
		queue_ring_publish(&tx->ring, DBREC_SEND, 0);
		err = obj_sq_move(tx->dev, &tx->sq, PRM_SQC_STATE_RST, PRM_SQC_STATE_RDY);
	}
	return err;
}

int queue_tx_recover(struct queue_tx *tx)
{
	uint32_t lost;
	int err;

	queue_tx_poll(tx);
	if (!tx->failed)
		return 0;
	err = restart(tx);
	if (err)
		return err;
	queue_tx_poll(tx); /* CQEs of flushed WQEs that came meanwhile */
	lost = tx->frame_pi - tx->frame_ci;
	if (lost)
		tx->stats.flushed += lost - 1; /* the one that failed was counted as an error */
	tx->pi = tx->ci = tx->rung = 0;
	tx->frame_ci = tx->frame_pi;
	tx->failed = false;
	return 0;
}
