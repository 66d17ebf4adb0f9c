// SPDX-License-Identifier: BSD-2-Clause
/* CREATE_TIR, direct to one RQ. */
#include "objects/tir.h"
#include "objects/device.h"

int obj_tir_create(struct mlxo_device *dev, const struct obj_rq *rq, struct obj_tir *tir)
{
	uint8_t in[PRM_BYTES(create_tir_in)] = {0}, out[PRM_BYTES(create_tir_out)];
	uint8_t *tirc = PRM_AT(create_tir_in, in, ctx);

	PRM_SET(create_tir_in, in, opcode, PRM_CMD_OP_CREATE_TIR);
	PRM_SET(tirc, tirc, disp_type, PRM_TIRC_DISP_TYPE_DIRECT);
	PRM_SET(tirc, tirc, inline_rqn, rq->obj.id);
	PRM_SET(tirc, tirc, rx_hash_fn, PRM_RX_HASH_FN_NONE);
	PRM_SET(tirc, tirc, self_lb_block,
		PRM_TIRC_SELF_LB_BLOCK_BLOCK_UNICAST | PRM_TIRC_SELF_LB_BLOCK_BLOCK_MULTICAST);
	PRM_SET(tirc, tirc, transport_domain, dev->td.id);
	return obj_create(dev, OBJ_CREATE(OBJ_TIR, in, out, create_tir_out, tirn), &tir->obj);
}

int obj_tir_destroy(struct mlxo_device *dev, struct obj_tir *tir)
{
	return obj_destroy(dev, &tir->obj);
}
