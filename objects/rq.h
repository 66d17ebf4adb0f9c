/* SPDX-License-Identifier: BSD-2-Clause */
/* Receive queue: a cyclic ring of WQEs, each one data segment. */
#ifndef OBJECTS_RQ_H
#define OBJECTS_RQ_H

#include "objects/cq.h"

struct obj_rq {
	struct obj obj;
};

struct obj_rq_attr {
	unsigned int log_size;	 /* WQEs */
	unsigned int log_stride; /* bytes of a WQE, 4..10 */
	const struct obj_cq *cq;
	uint32_t umem_id;
	uint64_t ring_offset, dbr_offset;
};

/* Created in RST. */
int obj_rq_create(struct mlxo_device *dev, const struct obj_rq_attr *attr, struct obj_rq *rq);
/* MODIFY_RQ from one PRM_RQC_STATE_* to the next. */
int obj_rq_move(struct mlxo_device *dev, struct obj_rq *rq, uint8_t from, uint8_t to);
int obj_rq_query_state(struct mlxo_device *dev, const struct obj_rq *rq, uint8_t *state);
int obj_rq_destroy(struct mlxo_device *dev, struct obj_rq *rq);

#endif
