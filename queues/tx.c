// SPDX-License-Identifier: BSD-2-Clause
/*
 * Sending frames from buffers. The picture is in tx.h. One thread at a time.
 *
 * Tried and dropped: data segments on the caller's memory. It saves the copy, but then memory must be registered by
 * the caller and outlive the completion, which nobody who forwards frames can promise.
 */
#include "queues/tx.h"
#include "objects/alloc.h"
#include "objects/error.h"

#include <errno.h>
#include <string.h>

enum { ETH_HEADER = 14, CACHE_LINE = 64, SIGNAL_MAX = 64, MAX_BLOCKS_LOG = 15 };

/* -- making one ---------------------------------------------------------------------------------------------- */

static unsigned int log2_up(uint32_t n)
{
	unsigned int log = 0;

	while (UINT32_C(1) << log < n)
		log++;
	return log;
}

int queue_tx_init(struct queue_tx *tx, struct mlxo_device *dev, uint32_t entries,
		  uint32_t max_frame)
{
	unsigned int log;
	int err;

	memset(tx, 0, sizeof(*tx));
	tx->dev = dev;
	tx->nframes = entries;
	tx->max_frame = max_frame;
	tx->slot = (max_frame + CACHE_LINE - 1) & ~(uint32_t)(CACHE_LINE - 1);
	tx->signal_every = entries / 4 < SIGNAL_MAX ? entries / 4 : SIGNAL_MAX;
	tx->max_blocks = queue_send_blocks(queue_sq_inline(dev), 1);
	log = log2_up(entries * tx->max_blocks);
	err = queue_sq_init(&tx->sq, dev, log < MAX_BLOCKS_LOG ? log : MAX_BLOCKS_LOG);
	if (err)
		return err;
	tx->stamps = mlxo_calloc(entries, sizeof(*tx->stamps));
	if (!tx->stamps)
		return obj_error_nomem("a send queue");
	return obj_region_create_mr(dev, (size_t)entries * tx->slot, &tx->buffers);
}

int queue_tx_fini(struct queue_tx *tx)
{
	int err = queue_sq_fini(&tx->sq);

	obj_region_destroy(tx->dev, tx->buffers);
	mlxo_free(tx->stamps);
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

/* Is there room for one more frame of the biggest kind after this one? If not, this one asks for a CQE. */
static bool must_signal(const struct queue_tx *tx, unsigned int blocks)
{
	uint32_t left = queue_sq_room(&tx->sq) - blocks;

	return (tx->frame_pi + 1) % tx->signal_every == 0 ||
	       tx->frame_pi + 1 - tx->frame_ci == tx->nframes || left < 2 * tx->max_blocks;
}

static void post_send(struct queue_tx *tx, const uint8_t *frame, uint32_t len, uint8_t cs_flags)
{
	unsigned int hdr = len < tx->sq.hdr_len ? len : tx->sq.hdr_len;
	struct queue_seg seg = {(uint64_t)(uintptr_t)(frame + hdr), tx->buffers->mr.lkey,
				len - hdr};
	struct queue_send send = {
		.cs_flags = cs_flags,
		.inline_hdr = frame,
		.inline_len = hdr,
		.seg = &seg,
		.nsegs = len > hdr,
	};
	unsigned int blocks = queue_send_blocks(hdr, send.nsegs);
	uint8_t *to = queue_sq_begin(&tx->sq, tx->max_blocks, &send.wqe);

	send.wqe.signal = must_signal(tx, blocks);
	queue_wqe_send(to, &send);
	queue_sq_end(&tx->sq, blocks);
	tx->stamps[tx->frame_pi & (tx->nframes - 1)] = tx->sq.posted;
	tx->frame_pi++;
}

int queue_tx_post(struct queue_tx *tx, const struct iovec *iov, int iovcnt, uint8_t cs_flags)
{
	size_t len = total_len(iov, iovcnt);
	uint8_t *frame;

	if (tx->sq.failed)
		return obj_error(-EIO, "send queue %u is in the error state: recover it",
				 tx->sq.obj.obj.id);
	if (len < ETH_HEADER || len > tx->max_frame)
		return obj_error(-EMSGSIZE, "frame of %zu bytes: %d..%u are possible", len,
				 ETH_HEADER, tx->max_frame);
	if (tx->frame_pi - tx->frame_ci == tx->nframes ||
	    !queue_sq_has_room(&tx->sq, tx->max_blocks, tx->max_blocks))
		return obj_error(-EAGAIN, "send queue %u is full: flush and poll",
				 tx->sq.obj.obj.id);
	frame = buffer_of(tx, tx->frame_pi);
	copy_in(frame, iov, iovcnt);
	post_send(tx, frame, (uint32_t)len, cs_flags);
	tx->stats.packets++;
	tx->stats.bytes += len;
	return 0;
}

void queue_tx_flush(struct queue_tx *tx)
{
	queue_sq_flush(&tx->sq);
}

/* -- completions, recovery ----------------------------------------------------------------------------------- */

void queue_tx_poll(struct queue_tx *tx)
{
	if (!queue_sq_poll(&tx->sq))
		return;
	while (tx->frame_ci != tx->frame_pi &&
	       queue_sq_is_done(&tx->sq, tx->stamps[tx->frame_ci & (tx->nframes - 1)]))
		tx->frame_ci++;
}

int queue_tx_recover(struct queue_tx *tx)
{
	uint32_t lost;
	int err;

	queue_tx_poll(tx);
	if (!tx->sq.failed)
		return 0;
	lost = tx->frame_pi - tx->frame_ci;
	err = queue_sq_recover(&tx->sq);
	if (err)
		return err;
	if (lost)
		tx->stats.flushed += lost - 1; /* the one that failed was counted as an error */
	tx->frame_ci = tx->frame_pi;
	return 0;
}
