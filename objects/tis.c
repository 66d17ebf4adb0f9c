// SPDX-License-Identifier: BSD-2-Clause
/* CREATE_TIS: plain (no TLS, any port, so that only the transport domain is set), or a TLS context. */
#include "objects/tis.h"
#include "objects/device.h"

#include <string.h>

int obj_tis_create(struct mlxo_device *dev, struct obj_tis *tis)
{
	uint8_t in[PRM_BYTES(create_tis_in)] = {0}, out[PRM_BYTES(create_tis_out)];
	uint8_t *tisc = PRM_AT(create_tis_in, in, ctx);

	PRM_SET(create_tis_in, in, opcode, PRM_CMD_OP_CREATE_TIS);
	PRM_SET(tisc, tisc, transport_domain, dev->td.id);
	return obj_create(dev, OBJ_CREATE(OBJ_TIS, in, out, create_tis_out, tisn), &tis->obj);
}

int obj_tis_create_tls_start(struct obj_task *task, struct mlxo_device *dev, struct obj_tis *tis)
{
	uint8_t *tisc = PRM_AT(create_tis_in, task->in, ctx);
	struct obj_create create = {
		.kind = OBJ_TIS,
		.in = task->in,
		.inlen = PRM_BYTES(create_tis_in),
		.out = task->out,
		.outlen = PRM_BYTES(create_tis_out),
		.id_off = PRM_OFFSET(create_tis_out, tisn),
		.id_width = PRM_WIDTH(create_tis_out, tisn),
	};

	memset(task->in, 0, create.inlen);
	PRM_SET(create_tis_in, task->in, opcode, PRM_CMD_OP_CREATE_TIS);
	PRM_SET(tisc, tisc, tls_en, 1);
	PRM_SET(tisc, tisc, transport_domain, dev->td.id);
	PRM_SET(tisc, tisc, pd, dev->pd.id);
	return obj_create_start(&task->job, dev, &create, &tis->obj);
}

int obj_tis_destroy(struct mlxo_device *dev, struct obj_tis *tis)
{
	return obj_destroy(dev, &tis->obj);
}
