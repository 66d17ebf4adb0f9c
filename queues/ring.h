/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A ring that host and device share: entries, and behind them the doorbell record, in one umem.
 *
 *	offset 0                      size << log_stride
 *	| entry 0 | entry 1 | ... |   dbrec[0] | dbrec[1] |
 *
 * dbrec[0]: consumer counter of a CQ, receive counter of an RQ. dbrec[1]: send counter of an SQ, arm word of a CQ. 32 bits
 * big-endian.
 *
 * Barriers, all of them in this file and cqe.h:
 *   queue_ring_publish	writer: this thread; reader: the device. The entries must be seen before the counter that
 *			announces them: the counter is stored with release.
 *   doorbell		the record must be seen before the doorbell register: queue_ring_publish() comes first, and
 *			prov_ops.ring orders the register's store after it (its contract).
 *   CQE		writer: the device; reader: this thread. The owner bit must be seen before the rest of the entry and
 *			before the packet: it is loaded with acquire (cqe.h).
 *   CQ consumer	writer: this thread; reader: the device, which re-uses the entry. Our last load of the entry must be
 *			done before the device sees the counter: release again.
 */
#ifndef QUEUES_RING_H
#define QUEUES_RING_H

#include "objects/region.h"

struct queue_ring {
	struct obj_region *mem;
	uint8_t *entries;
	uint32_t *dbrec; /* [2] */
	unsigned int log_size, log_stride;
	uint32_t mask; /* entries - 1 */
};

/* log_stride: bytes of an entry. */
int queue_ring_init(struct queue_ring *ring, struct mlxo_device *dev, unsigned int log_size,
		    unsigned int log_stride);
/* The queue must be gone, or lost: then the device keeps the memory. Zeroed memory is allowed. */
void queue_ring_fini(struct queue_ring *ring, struct mlxo_device *dev);
/* Offset of the doorbell record in the umem. */
uint64_t queue_ring_dbr_offset(const struct queue_ring *ring);

static inline uint8_t *queue_ring_entry(const struct queue_ring *ring, uint32_t index)
{
	return ring->entries + ((size_t)(index & ring->mask) << ring->log_stride);
}

/* Tell the device the counter; which: 0 or 1. */
static inline void queue_ring_publish(struct queue_ring *ring, int which, uint32_t counter)
{
	__atomic_store_n(&ring->dbrec[which], __builtin_bswap32(counter), __ATOMIC_RELEASE);
}

#endif
