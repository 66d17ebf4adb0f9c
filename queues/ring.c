// SPDX-License-Identifier: BSD-2-Clause
/* Memory of a ring. The host is little-endian, as the byte swap of the doorbell record says. */
#include "queues/ring.h"

#include <string.h>

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "doorbell records are swapped");

enum { DBREC_BYTES = 64 }; /* a cache line of its own */

int queue_ring_init(struct queue_ring *ring, struct mlxo_device *dev, unsigned int log_size,
		    unsigned int log_stride)
{
	size_t bytes = (size_t)1 << (log_size + log_stride);
	int err;

	memset(ring, 0, sizeof(*ring));
	bytes = (bytes + DBREC_BYTES - 1) & ~(size_t)(DBREC_BYTES - 1);
	err = obj_region_create_umem(dev, bytes + DBREC_BYTES, &ring->mem);
	if (err)
		return err;
	ring->entries = ring->mem->addr;
	ring->dbrec = (uint32_t *)(void *)(ring->mem->addr + bytes);
	ring->log_size = log_size;
	ring->log_stride = log_stride;
	ring->mask = (UINT32_C(1) << log_size) - 1;
	return 0;
}

void queue_ring_fini(struct queue_ring *ring, struct mlxo_device *dev)
{
	obj_region_destroy(dev, ring->mem);
	memset(ring, 0, sizeof(*ring));
}

uint64_t queue_ring_dbr_offset(const struct queue_ring *ring)
{
	return (uint64_t)((uint8_t *)ring->dbrec - ring->mem->addr);
}
