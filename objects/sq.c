// SPDX-License-Identifier: BSD-2-Clause
/*
 * CREATE_SQ and its states. flush_in_error_en: after an error the rest of the queue completes with error CQEs, so
 * that nothing that was posted is left without an answer.
 */
#include "objects/sq.h"
#include "objects/wq.h"

enum { LOG_BB = 6 };

int obj_sq_create(struct mlxo_device *dev, const struct obj_sq_attr *attr, struct obj_sq *sq)
{
	uint8_t in[PRM_BYTES(create_sq_in)] = {0}, out[PRM_BYTES(create_sq_out)];
	uint8_t *sqc = PRM_AT(create_sq_in, in, ctx);
	struct obj_wq_attr wq = {attr->log_size,    LOG_BB,	      attr->umem_id,
				 attr->ring_offset, attr->dbr_offset, attr->uar_page};

	PRM_SET(create_sq_in, in, opcode, PRM_CMD_OP_CREATE_SQ);
	PRM_SET(sqc, sqc, flush_in_error_en, 1);
	PRM_SET(sqc, sqc, min_wqe_inline_mode, attr->min_inline_mode);
	PRM_SET(sqc, sqc, state, PRM_SQC_STATE_RST);
	PRM_SET(sqc, sqc, cqn, attr->cq->obj.id);
	PRM_SET(sqc, sqc, tis_lst_sz, 1);
	PRM_SET(sqc, sqc, tis_num_0, attr->tis->obj.id);
	obj_wq_put(dev, &wq, PRM_AT(sqc, sqc, wq));
	return obj_create(dev, OBJ_CREATE(OBJ_SQ, in, out, create_sq_out, sqn), &sq->obj);
}

int obj_sq_move(struct mlxo_device *dev, struct obj_sq *sq, uint8_t from, uint8_t to)
{
	uint8_t in[PRM_BYTES(modify_sq_in)] = {0}, out[PRM_BYTES(modify_sq_out)];
	uint8_t *sqc = PRM_AT(modify_sq_in, in, ctx);

	PRM_SET(modify_sq_in, in, opcode, PRM_CMD_OP_MODIFY_SQ);
	PRM_SET(modify_sq_in, in, sq_state, from);
	PRM_SET(modify_sq_in, in, sqn, sq->obj.id);
	PRM_SET(sqc, sqc, state, to);
	return obj_modify(dev, &sq->obj, in, sizeof(in), out, sizeof(out));
}

int obj_sq_query_state(struct mlxo_device *dev, const struct obj_sq *sq, uint8_t *state)
{
	uint8_t in[PRM_BYTES(query_sq_in)] = {0}, out[PRM_BYTES(query_sq_out)];
	const uint8_t *sqc = PRM_AT(query_sq_out, out, sq_context);
	int err;

	PRM_SET(query_sq_in, in, opcode, PRM_CMD_OP_QUERY_SQ);
	PRM_SET(query_sq_in, in, sqn, sq->obj.id);
	err = obj_query(dev, &sq->obj, in, sizeof(in), out, sizeof(out));
	if (!err)
		*state = (uint8_t)PRM_GET(sqc, sqc, state);
	return err;
}

int obj_sq_destroy(struct mlxo_device *dev, struct obj_sq *sq)
{
	return obj_destroy(dev, &sq->obj);
}
