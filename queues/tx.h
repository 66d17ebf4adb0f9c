/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The sending half of a channel.
 *
 *	frames	 buffer slot = frame number mod size; copied in, freed when a CQE says so
 *	blocks	 SQ ring; a WQE never crosses its end: the rest is filled with NOPs
 *	marks	 per block: which frame count is reached when the WQE that starts there is done
 *
 *	done ──────── in flight ──────── posted
 *	ci               rung              pi		blocks, 16 bits free running
 *
 * A CQE is asked for by every signal_every-th frame and by the last one that fits, so that a full ring always gets
 * one. One CQE completes everything before it.
 */
#ifndef QUEUES_TX_H
#define QUEUES_TX_H

#include <sys/uio.h>

#include "objects/sq.h"
#include "queues/cqe.h"

struct queue_tx_mark {
	uint16_t next; /* block behind the WQE */
	uint32_t frames;
};

struct queue_tx_stats {
	uint64_t packets, bytes, errors, flushed, doorbells;
};

struct queue_tx {
	struct mlxo_device *dev;
	struct obj_tis tis;
	struct queue_cq cq;
	struct queue_ring ring;
	struct obj_sq sq;
	struct obj_region *buffers;
	struct queue_tx_mark *marks; /* one per block */
	uint32_t nframes;	     /* buffers, power of two */
	uint32_t slot;		     /* bytes of a buffer */
	uint32_t max_frame;
	unsigned int inline_len; /* header bytes that go into the WQE */
	unsigned int max_blocks; /* of one WQE */
	uint32_t signal_every;	 /* frames */
	uint16_t pi, ci, rung;	 /* blocks */
	uint32_t frame_pi, frame_ci;
	uint64_t last_ctrl; /* first 8 bytes of the last WQE, as they lie in the ring */
	bool failed;	    /* the queue is in the error state */
	struct queue_tx_stats stats;
};

int queue_tx_init(struct queue_tx *tx, struct mlxo_device *dev, uint32_t entries,
		  uint32_t max_frame);
int queue_tx_fini(struct queue_tx *tx);
/* See mlxo_channel_send(). */
int queue_tx_post(struct queue_tx *tx, const struct iovec *iov, int iovcnt, uint8_t cs_flags);
void queue_tx_flush(struct queue_tx *tx);
/* Handle completions. */
void queue_tx_poll(struct queue_tx *tx);
int queue_tx_recover(struct queue_tx *tx);

#endif
