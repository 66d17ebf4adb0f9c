// SPDX-License-Identifier: BSD-2-Clause
/* CREATE_RQ and its states. vsd: VLAN tags stay in the frame. */
#include "objects/rq.h"
#include "objects/wq.h"

int obj_rq_create(struct mlxo_device *dev, const struct obj_rq_attr *attr, struct obj_rq *rq)
{
	uint8_t in[PRM_BYTES(create_rq_in)] = {0}, out[PRM_BYTES(create_rq_out)];
	uint8_t *rqc = PRM_AT(create_rq_in, in, ctx);
	struct obj_wq_attr wq = {attr->log_size,    attr->log_stride, attr->umem_id,
				 attr->ring_offset, attr->dbr_offset, 0};

	PRM_SET(create_rq_in, in, opcode, PRM_CMD_OP_CREATE_RQ);
	PRM_SET(rqc, rqc, vsd, 1);
	PRM_SET(rqc, rqc, mem_rq_type, PRM_RQC_MEM_RQ_TYPE_MEMORY_RQ_INLINE);
	PRM_SET(rqc, rqc, state, PRM_RQC_STATE_RST);
	PRM_SET(rqc, rqc, cqn, attr->cq->obj.id);
	obj_wq_put(dev, &wq, PRM_AT(rqc, rqc, wq));
	return obj_create(dev, OBJ_CREATE(OBJ_RQ, in, out, create_rq_out, rqn), &rq->obj);
}

int obj_rq_move(struct mlxo_device *dev, struct obj_rq *rq, uint8_t from, uint8_t to)
{
	uint8_t in[PRM_BYTES(modify_rq_in)] = {0}, out[PRM_BYTES(modify_rq_out)];
	uint8_t *rqc = PRM_AT(modify_rq_in, in, ctx);

	PRM_SET(modify_rq_in, in, opcode, PRM_CMD_OP_MODIFY_RQ);
	PRM_SET(modify_rq_in, in, rq_state, from);
	PRM_SET(modify_rq_in, in, rqn, rq->obj.id);
	PRM_SET(rqc, rqc, state, to);
	return obj_modify(dev, &rq->obj, in, sizeof(in), out, sizeof(out));
}

int obj_rq_query_state(struct mlxo_device *dev, const struct obj_rq *rq, uint8_t *state)
{
	uint8_t in[PRM_BYTES(query_rq_in)] = {0}, out[PRM_BYTES(query_rq_out)];
	const uint8_t *rqc = PRM_AT(query_rq_out, out, rq_context);
	int err;

	PRM_SET(query_rq_in, in, opcode, PRM_CMD_OP_QUERY_RQ);
	PRM_SET(query_rq_in, in, rqn, rq->obj.id);
	err = obj_query(dev, &rq->obj, in, sizeof(in), out, sizeof(out));
	if (!err)
		*state = (uint8_t)PRM_GET(rqc, rqc, state);
	return err;
}

int obj_rq_destroy(struct mlxo_device *dev, struct obj_rq *rq)
{
	return obj_destroy(dev, &rq->obj);
}
