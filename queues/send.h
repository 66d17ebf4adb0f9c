/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Building send WQEs. A WQE is a control segment and others, in units of 16 bytes (DS), padded to basic blocks of 64 (BB).
 *
 *	NOP	| ctrl |
 *	SEND	| ctrl | eth: flags, mss, first 2 inline bytes | other inline bytes, padded | data | data | ...
 *
 * With an mss a SEND becomes a TSO: the device cuts the payload behind the inline headers into packets.
 *
 * Layouts: mlx5dv.h (mlx5_wqe_ctrl_seg, mlx5_wqe_eth_seg, mlx5_wqe_data_seg).
 */
#ifndef QUEUES_SEND_H
#define QUEUES_SEND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define QUEUE_SEND_INLINE 128 /* inline header bytes at most */
#define QUEUE_SEND_DS 63      /* of one WQE: the field has 6 bits */

/* The control segment. */
struct queue_wqe {
	uint32_t sqn;	/* 24 bits */
	uint16_t index; /* of its first basic block, free running */
	bool signal;	/* ask for a CQE */
	bool fence;	/* INITIATOR_SMALL: wait until earlier context updates have landed */
	uint32_t tisn;	/* 24 bits: TLS context; 0: the queue's own TIS, no TLS */
};

struct queue_seg {
	uint64_t addr;
	uint32_t lkey, len;
};

struct queue_send {
	struct queue_wqe wqe;
	uint8_t cs_flags; /* PRM_WQE_ETH_CSUM_* */
	const uint8_t *inline_hdr;
	unsigned int inline_len; /* 0..QUEUE_SEND_INLINE */
	uint16_t mss;		 /* bytes of payload per packet; 0: one packet */
	const struct queue_seg *seg;
	unsigned int nsegs; /* all together at most QUEUE_SEND_DS units */
};

/* Fill in a control segment, zeroed before. */
void queue_wqe_ctrl(uint8_t *ctrl, const struct queue_wqe *w, uint8_t opcode, unsigned int ds);
/* Units of 16 bytes, and basic blocks, of a SEND. */
unsigned int queue_send_ds(unsigned int inline_len, unsigned int nsegs);
unsigned int queue_send_blocks(unsigned int inline_len, unsigned int nsegs);
/* Write at `to`, which has room for all blocks in a row. Return the number of blocks. */
unsigned int queue_wqe_send(uint8_t *to, const struct queue_send *send);
unsigned int queue_wqe_nop(uint8_t *to, const struct queue_wqe *nop);

#endif
