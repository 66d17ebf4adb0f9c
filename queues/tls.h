/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * WQEs of TLS contexts (TIS).
 *
 *	STATIC	 | ctrl | umr ctrl | mkey, zero | static params |  3 blocks: key, salt, number of the record that comes next
 *	PROGRESS | ctrl | set psv |				   1 block: from the next byte on, a record starts
 *	DUMP	 | ctrl | data |				   1 block: bytes go through the context, not to the wire
 *
 * Order: an update of a context is done beside the queue. What comes after it needs a fence, and an update of a context with
 * data still in the queue needs one itself.
 *
 *	first use	STATIC PROGRESS(fence) NOP(fence) SEND ...
 *	older record	STATIC(fence) PROGRESS DUMP(fence) DUMP ... SEND	(no NOP: the first DUMP has the fence)
 *	same number	PROGRESS(fence) DUMP(fence) ... or NOP(fence), SEND
 *
 * Sources: PRM tls_static_params, tls_progress_params; Linux en_accel/ktls_txrx.c, ktls_tx.c.
 */
#ifndef QUEUES_TLS_H
#define QUEUES_TLS_H

#include "queues/send.h"

enum { QUEUE_TLS_STATIC_BLOCKS = 3, QUEUE_TLS_PROGRESS_BLOCKS = 1, QUEUE_TLS_DUMP_BLOCKS = 1 };

struct queue_tls_static {
	struct queue_wqe wqe; /* tisn: the context */
	uint8_t version;      /* PRM_TLS_VERSION_* */
	uint64_t rec_no;      /* of the record that the next byte starts */
	const uint8_t *iv;    /* 12 bytes: salt and, with TLS 1.3, the rest of the write IV */
	uint32_t dek;	      /* key number, 24 bits */
};

/* Write at `to`, which has room for all blocks in a row. Return the number of blocks. */
unsigned int queue_wqe_tls_static(uint8_t *to, const struct queue_tls_static *s);
/* tisn is not in the control segment here, but behind it. */
unsigned int queue_wqe_tls_progress(uint8_t *to, const struct queue_wqe *w);
/* len: 1..MTU bytes, one piece of memory. */
unsigned int queue_wqe_tls_dump(uint8_t *to, const struct queue_wqe *w,
				const struct queue_seg *seg);

#endif
