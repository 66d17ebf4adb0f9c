/* SPDX-License-Identifier: BSD-2-Clause */
/* Send queue of Ethernet frames. */
#ifndef OBJECTS_SQ_H
#define OBJECTS_SQ_H

#include "objects/cq.h"
#include "objects/tis.h"

struct obj_sq {
	struct obj obj;
};

struct obj_sq_attr {
	unsigned int log_size; /* in basic blocks of 64 bytes */
	const struct obj_cq *cq;
	const struct obj_tis *tis;
	uint32_t umem_id;
	uint64_t ring_offset, dbr_offset;
	uint32_t uar_page;
	uint8_t min_inline_mode; /* 0 none, 1 L2, 2 IP, 3 TCP/UDP */
};

/* Created in RST. */
int obj_sq_create(struct mlxo_device *dev, const struct obj_sq_attr *attr, struct obj_sq *sq);
/* MODIFY_SQ from one PRM_SQC_STATE_* to the next. */
int obj_sq_move(struct mlxo_device *dev, struct obj_sq *sq, uint8_t from, uint8_t to);
int obj_sq_query_state(struct mlxo_device *dev, const struct obj_sq *sq, uint8_t *state);
int obj_sq_destroy(struct mlxo_device *dev, struct obj_sq *sq);

#endif
