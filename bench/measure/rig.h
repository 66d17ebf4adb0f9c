/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A send queue, a key, and a TCP stream of one TLS record that is sent through contexts by hand.
 *
 *	memory	| Ethernet, IPv4, TCP headers | record as the host writes it: header, nonce, data, room for the tag |
 *
 * On the model what leaves is kept, so that it can be said whether it was encrypted right. A NIC shows completions only.
 * Frames go from 192.0.2.1 to 192.0.2.2 (TEST-NET-1, RFC 5737) between two locally administered addresses.
 */
#ifndef MEASURE_RIG_H
#define MEASURE_RIG_H

#include "keys.h"
#include "queues/sq.h"
#include "queues/tls.h"
#include "tests/lib/tls_records.h"

enum { RIG_HEADERS = 54, RIG_RECORD_AT = 64, RIG_DATA = 16000, RIG_MEMORY = 1 << 16 };

struct rig {
	struct lab *lab;
	struct queue_sq sq;
	struct obj_region *mem;
	struct tls_keys keys;
	struct bulk key;
	size_t record; /* bytes */
	uint8_t *wire; /* what left behind the headers: `record` bytes */
	size_t wired;
	/* of the error completion */
	uint8_t syndrome, vendor;
};

/* False: skipped or failed, and there is nothing to close. */
bool rig_open(struct rig *rig, struct lab *lab, struct answer *a, unsigned int log_blocks);
void rig_close(struct rig *rig, struct answer *a);

/* A TLS context on the lab's pile. 0: none, and the question has failed. */
uint32_t rig_context(struct rig *rig, struct answer *a);
void rig_static(struct rig *rig, uint32_t tisn, bool fence);
void rig_progress(struct rig *rig, uint32_t tisn, bool fence);
/* static, progress (fence), NOP (fence): the order of the Linux driver. */
void rig_arm(struct rig *rig, uint32_t tisn);
/* Bytes of the record from its start. lkey 0: the right one. */
void rig_dump(struct rig *rig, uint32_t tisn, uint32_t bytes, bool fence, uint32_t lkey);
/* All of the record from byte `from` on, in frames that the port takes. in_wqe: headers lie in the WQEs. */
void rig_send(struct rig *rig, uint32_t tisn, bool in_wqe, bool fence);

enum rig_end { RIG_DONE, RIG_ERROR, RIG_SILENCE };
/* Ring, and wait for the completion of everything. After an error the queue is to be recovered. */
enum rig_end rig_finish(struct rig *rig);
/* "completion", "error completion (...)", "no completion", and whether the bytes on the wire were right. */
void rig_say(struct rig *rig, struct answer *a, const char *what, enum rig_end end, bool sent);
/* Back to work after an error, or silence. */
bool rig_recover(struct rig *rig, struct answer *a);

#endif
