// SPDX-License-Identifier: BSD-2-Clause
/* Frames of the wire, counted by direction and kind of destination. Without a lock: the counters are atomics. */
#include "model.h"

#include <string.h>

void model_count_frame(struct model_dev *dev, bool tx, const uint8_t *frame, size_t len)
{
	static const uint8_t all[6] = {0xff, 0xff, 0xff, 0xff, 0xff, 0xff};
	enum model_cast cast = !(frame[0] & 1)		    ? MODEL_UNICAST
			       : memcmp(frame, all, 6) == 0 ? MODEL_BROADCAST
							    : MODEL_MULTICAST;
	struct model_traffic *t = &dev->traffic[tx][cast];

	atomic_fetch_add_explicit(tx ? &dev->tx_packets : &dev->rx_packets, 1,
				  memory_order_relaxed);
	atomic_fetch_add_explicit(tx ? &dev->tx_bytes : &dev->rx_bytes, len, memory_order_relaxed);
	atomic_fetch_add_explicit(&t->packets, 1, memory_order_relaxed);
	atomic_fetch_add_explicit(&t->bytes, len, memory_order_relaxed);
}
