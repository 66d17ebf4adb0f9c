/* SPDX-License-Identifier: BSD-2-Clause */
/* The work queue context that SQ and RQ have in common: a cyclic ring and a doorbell record in one umem. */
#ifndef OBJECTS_WQ_H
#define OBJECTS_WQ_H

#include "objects/device.h"

struct obj_wq_attr {
	unsigned int log_size, log_stride; /* entries, bytes of one */
	uint32_t umem_id;
	uint64_t ring_offset, dbr_offset;
	uint32_t uar_page; /* SQ; 0 for an RQ */
};

static inline void obj_wq_put(const struct mlxo_device *dev, const struct obj_wq_attr *attr,
			      uint8_t *wq)
{
	PRM_SET(wq, wq, wq_type, PRM_WQ_TYPE_CYCLIC);
	PRM_SET(wq, wq, pd, dev->pd.id);
	PRM_SET(wq, wq, uar_page, attr->uar_page);
	PRM_SET(wq, wq, dbr_addr, attr->dbr_offset);
	PRM_SET(wq, wq, log_wq_stride, attr->log_stride);
	PRM_SET(wq, wq, log_wq_sz, attr->log_size);
	PRM_SET(wq, wq, dbr_umem_valid, 1);
	PRM_SET(wq, wq, wq_umem_valid, 1);
	PRM_SET(wq, wq, dbr_umem_id, attr->umem_id);
	PRM_SET(wq, wq, wq_umem_id, attr->umem_id);
	PRM_SET(wq, wq, wq_umem_offset, attr->ring_offset);
}

#endif
