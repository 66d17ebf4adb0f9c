/* SPDX-License-Identifier: BSD-2-Clause */
/* Joins a netdev of the host to the device's queues, in a thread of its own. */
#ifndef TOOLS_FORWARD_H
#define TOOLS_FORWARD_H

#include <stdint.h>

#include "tools/session.h"

struct forward;

/* M(name, words) - what it counts, as `stats` shows it. */
#define FORWARD_COUNTERS(M) \
	M(in_packets, "frames from the netdev to the device") \
	M(in_bytes, "their bytes") \
	M(out_packets, "frames from the device to the netdev") \
	M(out_bytes, "their bytes") \
	M(drop_mtu, "frames too long for the device or for the netdev") \
	M(drop_gso, \
	  "segments larger than a frame: switch TSO, GSO and GRO of the netdev's peer off") \
	M(drop_checksum, "checksums of a kind that the device cannot fill in") \
	M(drop_ring_full, "frames that found the send queue full") \
	M(drop_send, "frames that the netdev or the queue refused") \
	M(recovered, "times the send queue was taken out of its error state")

struct forward_stats {
#define FORWARD_FIELD(name, about) uint64_t name;
	FORWARD_COUNTERS(FORWARD_FIELD)
#undef FORWARD_FIELD
};

/* Uses s->channel under s->channel_lock. 0 or an exit status with s->problem set. */
int forward_start(struct session *s, const char *netdev, struct forward **forward);
/* NULL is allowed. */
void forward_stop(struct forward *forward);
/* Its netdev was deleted: it has ended by itself, with a warning. Any thread. */
bool forward_is_gone(const struct forward *forward);
const char *forward_netdev(const struct forward *forward);
void forward_stats(struct forward *forward, struct forward_stats *stats);

#endif
