// SPDX-License-Identifier: BSD-2-Clause
/* ALLOC_MODIFY_HEADER_CONTEXT with SET actions, 8 bytes each, behind the fixed part. */
#include "objects/modify_header.h"
#include "objects/device.h"
#include "objects/error.h"

#include <errno.h>
#include <string.h>

enum { FIXED = PRM_BYTES(alloc_modify_header_context_in), ACTION = PRM_BYTES(set_action_in) };

uint16_t obj_modhdr_reg_c(unsigned int n)
{
	return (uint16_t)(PRM_ACTION_IN_FIELD_METADATA_REG_C_0 + n);
}

static void put_set(uint8_t *action, const struct obj_modhdr_set *s)
{
	PRM_SET(set_action_in, action, action_type, PRM_ACTION_TYPE_SET);
	PRM_SET(set_action_in, action, field, s->field);
	PRM_SET(set_action_in, action, offset, s->offset);
	PRM_SET(set_action_in, action, length, s->length); /* 5 bits: 32 is written as 0 */
	PRM_SET(set_action_in, action, data, s->data);
}

int obj_modhdr_create(struct mlxo_device *dev, uint8_t table_type,
		      const struct obj_modhdr_set *sets, size_t n, struct obj_modhdr *modhdr)
{
	uint8_t in[FIXED + OBJ_MODHDR_MAX * ACTION] = {0};
	uint8_t out[PRM_BYTES(alloc_modify_header_context_out)];
	uint64_t max = obj_cap(dev, table_type == PRM_FLOW_TABLE_TYPE_NIC_TX
					    ? OBJ_CAP_tx_max_modify_header_actions
					    : OBJ_CAP_rx_max_modify_header_actions);
	struct obj_create *c;

	memset(modhdr, 0, sizeof(*modhdr));
	if (n < 1 || n > OBJ_MODHDR_MAX || n > max)
		return obj_error(-EINVAL, "%zu header rewrites in one rule: 1..%llu are possible",
				 n,
				 (unsigned long long)(max < OBJ_MODHDR_MAX ? max : OBJ_MODHDR_MAX));
	PRM_SET(alloc_modify_header_context_in, in, opcode, PRM_CMD_OP_ALLOC_MODIFY_HEADER_CONTEXT);
	PRM_SET(alloc_modify_header_context_in, in, table_type, table_type);
	PRM_SET(alloc_modify_header_context_in, in, num_of_actions, n);
	for (size_t i = 0; i < n; i++)
		put_set(in + FIXED + i * ACTION, &sets[i]);
	c = OBJ_CREATE(OBJ_MODHDR, in, out, alloc_modify_header_context_out, modify_header_id);
	c->inlen = FIXED + n * ACTION;
	return obj_create(dev, c, &modhdr->obj);
}

int obj_modhdr_destroy(struct mlxo_device *dev, struct obj_modhdr *modhdr)
{
	return obj_destroy(dev, &modhdr->obj);
}
