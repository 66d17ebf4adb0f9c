/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The receiving half of a channel: a cyclic RQ whose every WQE always names the same buffer, so that re-posting is
 * nothing but counting on.
 *
 *	buffer slot = WQE number mod size;  CQE.wqe_counter says which
 *	posted: `pi` WQEs in all, told to the device once per poll
 */
#ifndef QUEUES_RX_H
#define QUEUES_RX_H

#include <mlx5_offload/channel.h>

#include "objects/tir.h"
#include "queues/cqe.h"

struct queue_rx_stats {
	uint64_t packets, bytes, errors;
};

struct queue_rx {
	struct mlxo_device *dev;
	struct queue_cq cq;
	struct queue_ring ring;
	struct obj_rq rq;
	struct obj_tir tir;
	struct obj_region *buffers;
	uint32_t slot; /* bytes of a buffer */
	uint16_t pi;   /* WQEs posted, free running */
	bool failed;
	struct queue_rx_stats stats;
};

int queue_rx_init(struct queue_rx *rx, struct mlxo_device *dev, unsigned int log_entries,
		  uint32_t max_frame);
int queue_rx_fini(struct queue_rx *rx);
/* Hand up to max frames to fn; returns how many. */
int queue_rx_poll(struct queue_rx *rx, int max, mlxo_rx_fn fn, void *ctx);
int queue_rx_recover(struct queue_rx *rx);

#endif
