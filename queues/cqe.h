/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Polling a completion queue. An entry is ours when its owner bit equals the lap of the consumer index (0, 1, 0, ...) and
 * its opcode is not INVALID; a fresh ring is filled with INVALID, so that lap 0 does not take zeroed memory for a CQE.
 */
#ifndef QUEUES_CQE_H
#define QUEUES_CQE_H

#include "objects/cq.h"
#include "queues/ring.h"

struct queue_cq {
	struct queue_ring ring;
	struct obj_cq obj;
	uint32_t ci;	   /* next entry to look at, free running; the device sees 24 bits */
	uint32_t armed_at; /* ci when it was armed last */
	uint8_t arm_sn;	   /* counts armings; the device sees 2 bits */
	bool armed;	   /* at least once */
};

int queue_cq_init(struct queue_cq *cq, struct mlxo_device *dev, unsigned int log_size);
int queue_cq_fini(struct queue_cq *cq, struct mlxo_device *dev);

/* The next completion or NULL. Valid until queue_cq_update(); *opcode: PRM_CQE_OP_*. */
const uint8_t *queue_cq_next(struct queue_cq *cq, uint8_t *opcode);
/* Give the entries that were taken back to the device. */
void queue_cq_update(struct queue_cq *cq);
/* After update: the next completion makes the device's descriptor readable. 1: there is one already; 0 or -errno. */
int queue_cq_arm(struct queue_cq *cq, struct mlxo_device *dev);

#endif
