/* SPDX-License-Identifier: BSD-2-Clause */
/* Completion queue. The ring lies in a umem of the caller's (queues/ring.h); CQEs of 64 bytes. */
#ifndef OBJECTS_CQ_H
#define OBJECTS_CQ_H

#include "objects/object.h"

struct obj_cq {
	struct obj obj;
};

struct obj_cq_attr {
	unsigned int log_size; /* entries */
	uint32_t umem_id;      /* holds ring and doorbell record */
	uint64_t ring_offset, dbr_offset;
	uint32_t uar_page, eqn;
};

int obj_cq_create(struct mlxo_device *dev, const struct obj_cq_attr *attr, struct obj_cq *cq);
int obj_cq_destroy(struct mlxo_device *dev, struct obj_cq *cq);

#endif
