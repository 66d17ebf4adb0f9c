/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Building send WQEs. A WQE is a control segment and others, in units of 16 bytes (DS), padded to basic blocks of 64 (BB).
 *
 *	NOP	| ctrl |
 *	SEND	| ctrl | eth: flags, first 2 inline bytes | other inline bytes, padded | data | data | ...
 *
 * Layouts: mlx5dv.h (mlx5_wqe_ctrl_seg, mlx5_wqe_eth_seg, mlx5_wqe_data_seg).
 */
#ifndef QUEUES_SEND_H
#define QUEUES_SEND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define QUEUE_SEND_SEGS 4     /* data segments at most */
#define QUEUE_SEND_INLINE 128 /* inline header bytes at most */

struct queue_wqe {
	uint32_t sqn;	/* 24 bits */
	uint16_t index; /* of its first basic block, free running */
	bool signal;	/* ask for a CQE */
};

struct queue_send {
	struct queue_wqe wqe;
	uint8_t cs_flags; /* PRM_WQE_ETH_CSUM_* */
	const uint8_t *inline_hdr;
	unsigned int inline_len; /* 0..QUEUE_SEND_INLINE */
	struct {
		uint64_t addr;
		uint32_t lkey, len;
	} seg[QUEUE_SEND_SEGS];
	unsigned int nsegs;
};

/* Basic blocks of a SEND. */
unsigned int queue_send_blocks(unsigned int inline_len, unsigned int nsegs);
/* Write at `to`, which has room for all blocks in a row. Return the number of blocks. */
unsigned int queue_wqe_send(uint8_t *to, const struct queue_send *send);
unsigned int queue_wqe_nop(uint8_t *to, const struct queue_wqe *nop);

#endif
