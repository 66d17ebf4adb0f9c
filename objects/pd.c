// SPDX-License-Identifier: BSD-2-Clause
/* ALLOC_PD and ALLOC_TRANSPORT_DOMAIN: no parameters, a number of 24 bits comes back. */
#include "objects/pd.h"

int obj_pd_create(struct mlxo_device *dev, struct obj *pd)
{
	uint8_t in[PRM_BYTES(alloc_pd_in)] = {0}, out[PRM_BYTES(alloc_pd_out)];

	PRM_SET(alloc_pd_in, in, opcode, PRM_CMD_OP_ALLOC_PD);
	return obj_create(dev, OBJ_CREATE(OBJ_PD, in, out, alloc_pd_out, pd), pd);
}

int obj_td_create(struct mlxo_device *dev, struct obj *td)
{
	uint8_t in[PRM_BYTES(alloc_transport_domain_in)] = {0};
	uint8_t out[PRM_BYTES(alloc_transport_domain_out)];

	PRM_SET(alloc_transport_domain_in, in, opcode, PRM_CMD_OP_ALLOC_TRANSPORT_DOMAIN);
	return obj_create(
		dev, OBJ_CREATE(OBJ_TD, in, out, alloc_transport_domain_out, transport_domain), td);
}
