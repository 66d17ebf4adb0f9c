/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A send queue: ring, completion queue, position counters. What is posted is built by send.h and tls.h.
 *
 *	done ──────── in flight ──────── posted
 *	ci               rung              pi		blocks of 64 bytes; 64-bit counters and their low 16 bits
 *
 * A WQE never crosses the ring's end: the rest is filled with NOPs. One completion completes everything before it. Whoever
 * needs to know when the device is done with something keeps `posted` as it was behind its last WQE (a stamp) and compares:
 * queue_sq_is_done(). So nothing has to be called back, and nothing is walked.
 *
 * A sequence that must not be torn asks for all its room first: queue_sq_has_room(). One thread at a time.
 */
#ifndef QUEUES_SQ_H
#define QUEUES_SQ_H

#include <stdatomic.h>

#include "objects/sq.h"
#include "queues/cqe.h"
#include "queues/send.h"

struct queue_sq {
	struct mlxo_device *dev;
	struct obj_tis tis; /* the queue's own, without TLS */
	struct queue_cq cq;
	struct queue_ring ring;
	struct obj_sq obj;
	uint16_t *next; /* per block: the block behind the WQE that starts there */
	uint64_t posted, done, rung;
	uint16_t last;	      /* block of the last WQE */
	unsigned int epoch;   /* counts recoveries: contexts armed in an older one are unknown */
	unsigned int hdr_len; /* header bytes that must lie in a WQE */
	bool failed;	      /* the queue is in the error state */
	_Atomic uint64_t errors, doorbells; /* written by the queue's thread, read by all */
};

/* Zeroed memory is a queue that queue_sq_fini() takes. */
int queue_sq_init(struct queue_sq *sq, struct mlxo_device *dev, unsigned int log_blocks);
int queue_sq_fini(struct queue_sq *sq);
/* Header bytes that must lie in every WQE of that device: 0..QUEUE_SEND_INLINE. */
unsigned int queue_sq_inline(const struct mlxo_device *dev);

static inline uint32_t queue_sq_room(const struct queue_sq *sq)
{
	return sq->ring.mask + 1 - (uint32_t)(sq->posted - sq->done);
}

/* Is there room for WQEs of `blocks` in all, none longer than `longest`, wherever the ring ends between them? */
static inline bool queue_sq_has_room(const struct queue_sq *sq, uint32_t blocks,
				     unsigned int longest)
{
	return queue_sq_room(sq) >= blocks + longest - 1;
}

static inline bool queue_sq_is_done(const struct queue_sq *sq, uint64_t stamp)
{
	return sq->done >= stamp;
}

/* Where a WQE of that many blocks goes, behind NOPs where needed; w gets number and index. There is room. */
uint8_t *queue_sq_begin(struct queue_sq *sq, unsigned int blocks, struct queue_wqe *w);
/* It was written. */
void queue_sq_end(struct queue_sq *sq, unsigned int blocks);
void queue_sq_nop(struct queue_sq *sq, bool fence);
/* Ask for a CQE of the last WQE, if it is not rung yet. */
void queue_sq_signal(struct queue_sq *sq);
/* Ring the doorbell for what was posted since the last one. */
void queue_sq_flush(struct queue_sq *sq);

/*
 * Handle completions. Returns how many. After an error `failed` is set, and `done` stands before the WQE that failed: what
 * came before it was done, even if it had asked for no CQE.
 */
unsigned int queue_sq_poll(struct queue_sq *sq);
/* ERR ─▶ RST ─▶ RDY. On success everything counts as done; lost WQEs are the caller's business. 0 when nothing was wrong. */
int queue_sq_recover(struct queue_sq *sq);

#endif
