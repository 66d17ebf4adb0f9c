/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The sending half of a channel: frames are copied into buffers and sent from there.
 *
 *	frames	 buffer slot = frame number mod size; freed when the queue is done with its WQE (stamps, see sq.h)
 *
 * A CQE is asked for by every signal_every-th frame and by the last one that fits, so that a full ring always gets
 * one.
 */
#ifndef QUEUES_TX_H
#define QUEUES_TX_H

#include <sys/uio.h>

#include "queues/sq.h"

struct queue_tx_stats {
	uint64_t packets, bytes, flushed;
};

struct queue_tx {
	struct mlxo_device *dev;
	struct queue_sq sq;
	struct obj_region *buffers;
	uint64_t *stamps; /* one per buffer */
	uint32_t nframes; /* buffers, power of two */
	uint32_t slot;	  /* bytes of a buffer */
	uint32_t max_frame;
	unsigned int max_blocks; /* of one WQE */
	uint32_t signal_every;	 /* frames */
	uint32_t frame_pi, frame_ci;
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
