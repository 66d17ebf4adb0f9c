// SPDX-License-Identifier: BSD-2-Clause
/*
 * CREATE_CQ with ring and doorbell record in one umem. Not armed and without moderation: the channel polls. The
 * umem fields of the mailbox are those that DevX users fill in (DPDK mlx5_prm.h).
 */
#include "objects/cq.h"

int obj_cq_create(struct mlxo_device *dev, const struct obj_cq_attr *attr, struct obj_cq *cq)
{
	uint8_t in[PRM_BYTES(create_cq_in)] = {0}, out[PRM_BYTES(create_cq_out)];
	uint8_t *cqc = PRM_AT(create_cq_in, in, cq_context);

	PRM_SET(create_cq_in, in, opcode, PRM_CMD_OP_CREATE_CQ);
	PRM_SET(create_cq_in, in, cq_umem_valid, 1);
	PRM_SET(create_cq_in, in, cq_umem_id, attr->umem_id);
	PRM_SET(create_cq_in, in, cq_umem_offset, attr->ring_offset);
	PRM_SET(cqc, cqc, dbr_umem_valid, 1);
	PRM_SET(cqc, cqc, dbr_umem_id, attr->umem_id);
	PRM_SET(cqc, cqc, dbr_addr, attr->dbr_offset);
	PRM_SET(cqc, cqc, cqe_sz, PRM_CQC_CQE_SZ_64_BYTES);
	PRM_SET(cqc, cqc, log_cq_size, attr->log_size);
	PRM_SET(cqc, cqc, uar_page, attr->uar_page);
	PRM_SET(cqc, cqc, c_eqn_or_apu_element, attr->eqn);
	return obj_create(dev, OBJ_CREATE(OBJ_CQ, in, out, create_cq_out, cqn), &cq->obj);
}

int obj_cq_destroy(struct mlxo_device *dev, struct obj_cq *cq)
{
	return obj_destroy(dev, &cq->obj);
}
