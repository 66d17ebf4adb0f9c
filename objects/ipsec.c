// SPDX-License-Identifier: BSD-2-Clause
/*
 * CREATE_GENERAL_OBJECT of an IPsec object for packet offload. What is written where, by direction, is what the Linux
 * driver writes (en_accel/ipsec_offload.c) without ESN, limits and replay window.
 */
#include "objects/ipsec.h"
#include "objects/device.h"

#include <string.h>

enum { SALT_BYTES = 4, IV_BYTES = 8, FIRST_SN = 1 };

static void put_aso(uint8_t *ipsec, const struct obj_ipsec_attr *attr)
{
	uint8_t *aso = PRM_AT(ipsec_obj, ipsec, ipsec_aso);

	PRM_SET(ipsec_aso, aso, valid, 1);
	if (attr->dir != OBJ_IPSEC_TX)
		return;
	PRM_SET(ipsec_aso, aso, mode, PRM_IPSEC_ASO_INC_SN);
	PRM_SET(ipsec_aso, aso, mode_parameter, attr->first_sn ? attr->first_sn : FIRST_SN);
}

int obj_ipsec_create(struct mlxo_device *dev, const struct obj_ipsec_attr *attr,
		     struct obj_ipsec *ipsec)
{
	uint8_t in[PRM_BYTES(create_ipsec_obj_in)] = {0};
	uint8_t out[PRM_BYTES(general_obj_out_cmd_hdr)];
	uint8_t *body = PRM_AT(create_ipsec_obj_in, in, ipsec_object);

	PRM_SET(general_obj_in_cmd_hdr, in, opcode, PRM_CMD_OP_CREATE_GENERAL_OBJECT);
	PRM_SET(general_obj_in_cmd_hdr, in, obj_type, PRM_GENERAL_OBJECT_TYPES_IPSEC);
	PRM_SET(ipsec_obj, body, full_offload, 1);
	PRM_SET(ipsec_obj, body, icv_length, PRM_IPSEC_OBJECT_ICV_LEN_16B);
	PRM_SET(ipsec_obj, body, aso_return_reg, PRM_IPSEC_ASO_REG_C_4_5);
	PRM_SET(ipsec_obj, body, dekn, attr->dek->obj.id);
	memcpy(PRM_AT(ipsec_obj, body, salt), attr->salt, SALT_BYTES);
	if (attr->implicit_iv)
		memcpy(PRM_AT(ipsec_obj, body, implicit_iv), attr->implicit_iv, IV_BYTES);
	PRM_SET(ipsec_obj, body, ipsec_aso_access_pd, dev->pd.id);
	put_aso(body, attr);
	return obj_create(dev, OBJ_CREATE(OBJ_IPSEC, in, out, general_obj_out_cmd_hdr, obj_id),
			  &ipsec->obj);
}

int obj_ipsec_destroy(struct mlxo_device *dev, struct obj_ipsec *ipsec)
{
	return obj_destroy(dev, &ipsec->obj);
}
