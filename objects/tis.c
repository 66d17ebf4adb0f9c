// SPDX-License-Identifier: BSD-2-Clause
/* CREATE_TIS, plain: no TLS, any port, so that only the transport domain is set. */
#include "objects/tis.h"
#include "objects/device.h"

int obj_tis_create(struct mlxo_device *dev, struct obj_tis *tis)
{
	uint8_t in[PRM_BYTES(create_tis_in)] = {0}, out[PRM_BYTES(create_tis_out)];
	uint8_t *tisc = PRM_AT(create_tis_in, in, ctx);

	PRM_SET(create_tis_in, in, opcode, PRM_CMD_OP_CREATE_TIS);
	PRM_SET(tisc, tisc, transport_domain, dev->td.id);
	return obj_create(dev, OBJ_CREATE(OBJ_TIS, in, out, create_tis_out, tisn), &tis->obj);
}

int obj_tis_destroy(struct mlxo_device *dev, struct obj_tis *tis)
{
	return obj_destroy(dev, &tis->obj);
}
