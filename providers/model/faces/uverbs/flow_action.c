// SPDX-License-Identifier: BSD-2-Clause
/*
 * What flows do to headers. mlx5dv_create_flow_action_modify_header() makes a modify header context of the firmware,
 * mlx5dv_create_flow_action_packet_reformat() a packet reformat context; flows of the same direction name them. Taking a
 * tunnel's outer Ethernet off needs no context, it is an action of the rule.
 *
 * Source: Linux drivers/infiniband/hw/mlx5/fs.c.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "flow.h"
#include "verbs.h"

enum { ACTION = 8 }; /* bytes */

static int dealloc_modify_header(struct uv_ctx *ctx, uint32_t id)
{
	uint8_t in[PRM_BYTES(dealloc_modify_header_context_in)] = {0}, out[16] = {0};

	PRM_SET(dealloc_modify_header_context_in, in, opcode,
		PRM_CMD_OP_DEALLOC_MODIFY_HEADER_CONTEXT);
	PRM_SET(dealloc_modify_header_context_in, in, modify_header_id, id);
	return uv_command(ctx, in, sizeof(in), out, sizeof(out));
}

static int dealloc_reformat(struct uv_ctx *ctx, uint32_t id)
{
	uint8_t in[PRM_BYTES(dealloc_packet_reformat_context_in)] = {0}, out[16] = {0};

	PRM_SET(dealloc_packet_reformat_context_in, in, opcode,
		PRM_CMD_OP_DEALLOC_PACKET_REFORMAT_CONTEXT);
	PRM_SET(dealloc_packet_reformat_context_in, in, packet_reformat_id, id);
	return uv_command(ctx, in, sizeof(in), out, sizeof(out));
}

static int action_destroy(struct uv_ctx *ctx, struct uv_obj *o)
{
	const struct uv_flow_action *a = (const struct uv_flow_action *)o;

	if (a->modify_header)
		return dealloc_modify_header(ctx, a->modify_header);
	return a->reformat ? dealloc_reformat(ctx, a->reformat) : 0;
}

static const struct uv_class action_class = {UVERBS_OBJECT_FLOW_ACTION,
					     sizeof(struct uv_flow_action), action_destroy, NULL};

/* RX and TX; the kernel has the others for e-switches and RDMA only. */
static int table_type(uint64_t ft, uint8_t *type)
{
	if (ft > MLX5_IB_UAPI_FLOW_TABLE_TYPE_RDMA_TX)
		return -EINVAL;
	if (ft > MLX5_IB_UAPI_FLOW_TABLE_TYPE_NIC_TX)
		return -EOPNOTSUPP;
	*type = ft == MLX5_IB_UAPI_FLOW_TABLE_TYPE_NIC_TX ? PRM_FLOW_TABLE_TYPE_NIC_TX
							  : PRM_FLOW_TABLE_TYPE_NIC_RX;
	return 0;
}

static int alloc_modify_header(struct uv_ctx *ctx, struct uv_flow_action *a, const void *actions,
			       size_t len)
{
	size_t inlen = PRM_BYTES(alloc_modify_header_context_in) + len;
	uint8_t out[PRM_BYTES(alloc_modify_header_context_out)] = {0};
	uint8_t *in = calloc(1, inlen);
	int err;

	if (!in)
		return -ENOMEM;
	PRM_SET(alloc_modify_header_context_in, in, opcode, PRM_CMD_OP_ALLOC_MODIFY_HEADER_CONTEXT);
	PRM_SET(alloc_modify_header_context_in, in, table_type, a->table_type);
	PRM_SET(alloc_modify_header_context_in, in, num_of_actions, len / ACTION);
	memcpy(in + PRM_BYTES(alloc_modify_header_context_in), actions, len);
	err = uv_command(ctx, in, inlen, out, sizeof(out));
	free(in);
	a->modify_header =
		(uint32_t)PRM_GET(alloc_modify_header_context_out, out, modify_header_id);
	return err;
}

static int create_modify_header(struct uv_call *c)
{
	struct uv_flow_action *a = (struct uv_flow_action *)c->made;
	uint64_t ft;
	void *actions;
	size_t len;
	int err = uv_in(c, MLX5_IB_ATTR_CREATE_MODIFY_HEADER_FT_TYPE, &ft, sizeof(ft));

	if (!err)
		err = table_type(ft, &a->table_type);
	if (err)
		return err;
	actions = uv_in_dup(c, MLX5_IB_ATTR_CREATE_MODIFY_HEADER_ACTIONS_PRM, &len, &err);
	if (!actions)
		return err;
	err = len % ACTION ? -EINVAL : alloc_modify_header(c->ctx, a, actions, len);
	free(actions);
	return err;
}

/* Of verbs' types: the firmware's, and for which direction. */
static const struct {
	uint8_t type, table;
} reformats[] = {
	[MLX5_IB_UAPI_FLOW_ACTION_PACKET_REFORMAT_TYPE_L2_TUNNEL_TO_L2] =
		{0, PRM_FLOW_TABLE_TYPE_NIC_RX}, /* DECAP */
	[MLX5_IB_UAPI_FLOW_ACTION_PACKET_REFORMAT_TYPE_L2_TO_L2_TUNNEL] =
		{PRM_REFORMAT_TYPE_L2_TO_L2_TUNNEL, PRM_FLOW_TABLE_TYPE_NIC_TX},
	[MLX5_IB_UAPI_FLOW_ACTION_PACKET_REFORMAT_TYPE_L3_TUNNEL_TO_L2] =
		{PRM_REFORMAT_TYPE_L3_TUNNEL_TO_L2, PRM_FLOW_TABLE_TYPE_NIC_RX},
	[MLX5_IB_UAPI_FLOW_ACTION_PACKET_REFORMAT_TYPE_L2_TO_L3_TUNNEL] =
		{PRM_REFORMAT_TYPE_L2_TO_L3_TUNNEL, PRM_FLOW_TABLE_TYPE_NIC_TX},
};

static int alloc_reformat(struct uv_ctx *ctx, struct uv_flow_action *a, uint8_t type,
			  const void *data, size_t len)
{
	size_t min = PRM_BYTES(alloc_packet_reformat_context_in);
	size_t at = PRM_OFFSET(alloc_packet_reformat_context_in, packet_reformat_context) / 8 +
		    PRM_OFFSET(packet_reformat_context_in, reformat_data) / 8;
	size_t need = (at + len + 3) & ~(size_t)3, inlen = need > min ? need : min;
	uint8_t out[PRM_BYTES(alloc_packet_reformat_context_out)] = {0}, *in, *context;
	int err;

	if (len >= 1 << PRM_WIDTH(packet_reformat_context_in, reformat_data_size))
		return -EINVAL;
	in = calloc(1, inlen);
	if (!in)
		return -ENOMEM;
	context = PRM_AT(alloc_packet_reformat_context_in, in, packet_reformat_context);
	PRM_SET(alloc_packet_reformat_context_in, in, opcode,
		PRM_CMD_OP_ALLOC_PACKET_REFORMAT_CONTEXT);
	PRM_SET(packet_reformat_context_in, context, reformat_type, type);
	PRM_SET(packet_reformat_context_in, context, reformat_data_size, len);
	memcpy(in + at, data, len);
	err = uv_command(ctx, in, inlen, out, sizeof(out));
	free(in);
	a->reformat = (uint32_t)PRM_GET(alloc_packet_reformat_context_out, out, packet_reformat_id);
	return err;
}

static int create_packet_reformat(struct uv_call *c)
{
	struct uv_flow_action *a = (struct uv_flow_action *)c->made;
	uint64_t ft, type;
	void *data;
	size_t len;
	int err = uv_in(c, MLX5_IB_ATTR_CREATE_PACKET_REFORMAT_FT_TYPE, &ft, sizeof(ft));

	if (!err)
		err = uv_in(c, MLX5_IB_ATTR_CREATE_PACKET_REFORMAT_TYPE, &type, sizeof(type));
	if (!err)
		err = table_type(ft, &a->table_type);
	if (err)
		return err;
	if (type >= sizeof(reformats) / sizeof(reformats[0]))
		return -EINVAL;
	if (reformats[type].table != a->table_type)
		return -EOPNOTSUPP;
	if (!reformats[type].type)
		return 0;
	if (!uv_has(c, MLX5_IB_ATTR_CREATE_PACKET_REFORMAT_DATA_BUF))
		return -ENOENT;
	data = uv_in_dup(c, MLX5_IB_ATTR_CREATE_PACKET_REFORMAT_DATA_BUF, &len, &err);
	if (!data)
		return err;
	err = alloc_reformat(c->ctx, a, reformats[type].type, data, len);
	free(data);
	return err;
}

/* clang-format off */
static const struct uv_spec modify_header_specs[] = {
	{MLX5_IB_ATTR_CREATE_MODIFY_HEADER_HANDLE, UV_ATTR_OBJ_NEW, true, 0, 0, 0},
	{MLX5_IB_ATTR_CREATE_MODIFY_HEADER_ACTIONS_PRM, UV_ATTR_IN, true, 0, ACTION, 0},
	{MLX5_IB_ATTR_CREATE_MODIFY_HEADER_FT_TYPE, UV_ATTR_IN, true, 0, 1, 8},
};
static const struct uv_spec packet_reformat_specs[] = {
	{MLX5_IB_ATTR_CREATE_PACKET_REFORMAT_HANDLE, UV_ATTR_OBJ_NEW, true, 0, 0, 0},
	{MLX5_IB_ATTR_CREATE_PACKET_REFORMAT_TYPE, UV_ATTR_IN, true, 0, 1, 8},
	{MLX5_IB_ATTR_CREATE_PACKET_REFORMAT_FT_TYPE, UV_ATTR_IN, true, 0, 1, 8},
	{MLX5_IB_ATTR_CREATE_PACKET_REFORMAT_DATA_BUF, UV_ATTR_IN, false, 0, 1, 0},
};
static const struct uv_spec destroy_specs[] = {
	{UVERBS_ATTR_DESTROY_FLOW_ACTION_HANDLE, UV_ATTR_OBJ_DESTROY, true, UVERBS_OBJECT_FLOW_ACTION, 0, 0},
};

const struct uv_method uv_flow_action_methods[] = {
	UV_METHOD(UVERBS_OBJECT_FLOW_ACTION, MLX5_IB_METHOD_FLOW_ACTION_CREATE_MODIFY_HEADER, &action_class, create_modify_header, modify_header_specs),
	UV_METHOD(UVERBS_OBJECT_FLOW_ACTION, MLX5_IB_METHOD_FLOW_ACTION_CREATE_PACKET_REFORMAT, &action_class, create_packet_reformat, packet_reformat_specs),
	UV_METHOD(UVERBS_OBJECT_FLOW_ACTION, UVERBS_METHOD_FLOW_ACTION_DESTROY, NULL, uv_destroyed, destroy_specs),
	{0},
};
/* clang-format on */
