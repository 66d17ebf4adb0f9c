// SPDX-License-Identifier: BSD-2-Clause
/*
 * Counters of verbs: a flow counter of the firmware, which is there from the first flow that counts with it, and what
 * the program wants to read where:
 *
 *	flow spec "count" ─▶ counters ─▶ flow counter      read: value[index] = packets or bytes, as described
 *
 * Source: Linux drivers/infiniband/hw/mlx5/counters.c.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "verbs.h"

enum { PACKETS, BYTES, KINDS };

static int counters_destroy(struct uv_ctx *ctx, struct uv_obj *o)
{
	struct uv_counters *k = (struct uv_counters *)o;
	uint8_t in[PRM_BYTES(dealloc_flow_counter_in)] = {0}, out[16] = {0};
	int err;

	if (!k->id)
		return 0;
	PRM_SET(dealloc_flow_counter_in, in, opcode, PRM_CMD_OP_DEALLOC_FLOW_COUNTER);
	PRM_SET(dealloc_flow_counter_in, in, flow_counter_id, k->id);
	err = uv_command(ctx, in, sizeof(in), out, sizeof(out));
	if (!err)
		k->id = 0;
	return err;
}

const struct uv_class uv_counters_class = {UVERBS_OBJECT_COUNTERS, sizeof(struct uv_counters),
					   counters_destroy, NULL};

static int create(struct uv_call *c)
{
	return 0;
}

/* What the program wants to read, from behind the create-flow command: an array of {kind, index}. */
static int read_wishes(struct uv_call *c, struct uv_counters *k)
{
	struct { /* struct mlx5_ib_create_flow, with one of its data */
		uint32_t ncounters_data, reserved;
		struct mlx5_ib_flow_counters_data data;
	} in;
	struct mlx5_ib_flow_counters_desc desc[UV_COUNTERS_READ];
	int err = uv_in(c, UVERBS_ATTR_UHW_IN, &in, sizeof(in));

	if (err || !in.ncounters_data)
		return err;
	if (in.ncounters_data > 1 || in.reserved || in.data.reserved ||
	    in.data.ncounters > UV_COUNTERS_READ)
		return -EINVAL;
	err = uv_copy_in(desc, (uint64_t)(uintptr_t)in.data.counters_data,
			 in.data.ncounters * sizeof(desc[0]));
	for (uint32_t i = 0; i < in.data.ncounters && !err; i++) {
		if (desc[i].description >= KINDS || desc[i].index >= UV_COUNTERS_READ)
			return -EINVAL;
		k->kind[desc[i].index] = (uint8_t)(desc[i].description + 1);
		if (k->nread <= desc[i].index)
			k->nread = desc[i].index + 1;
	}
	return err;
}

int uv_counters_bind(struct uv_call *c, struct uv_counters *k)
{
	uint8_t in[PRM_BYTES(alloc_flow_counter_in)] = {0},
		out[PRM_BYTES(alloc_flow_counter_out)] = {0};
	int err = 0;

	if (!k->id)
		err = read_wishes(c, k);
	if (err || k->id)
		return err;
	if (!k->nread)
		return -EINVAL;
	PRM_SET(alloc_flow_counter_in, in, opcode, PRM_CMD_OP_ALLOC_FLOW_COUNTER);
	err = uv_command(c->ctx, in, sizeof(in), out, sizeof(out));
	k->id = (uint32_t)PRM_GET(alloc_flow_counter_out, out, flow_counter_id);
	return err;
}

static int query(struct uv_ctx *ctx, const struct uv_counters *k, uint64_t value[KINDS])
{
	uint8_t in[PRM_BYTES(query_flow_counter_in)] = {0},
		out[PRM_BYTES(query_flow_counter_out) + PRM_BYTES(traffic_counter)] = {0};
	const uint8_t *counted = out + PRM_BYTES(query_flow_counter_out);
	int err;

	PRM_SET(query_flow_counter_in, in, opcode, PRM_CMD_OP_QUERY_FLOW_COUNTER);
	PRM_SET(query_flow_counter_in, in, flow_counter_id, k->id);
	err = uv_command(ctx, in, sizeof(in), out, sizeof(out));
	value[PACKETS] = PRM_GET(traffic_counter, counted, packets);
	value[BYTES] = PRM_GET(traffic_counter, counted, octets);
	return err;
}

static int read_counters(struct uv_call *c)
{
	struct uv_counters *k =
		(struct uv_counters *)uv_object(c, UVERBS_ATTR_READ_COUNTERS_HANDLE);
	size_t n = uv_len(c, UVERBS_ATTR_READ_COUNTERS_BUFF) / sizeof(uint64_t);
	uint64_t value[KINDS], answer[UV_COUNTERS_READ] = {0};
	int err;

	/* only what a flow counts with can be read, and all of it */
	if (!k->id || n < k->nread)
		return -EINVAL;
	err = query(c->ctx, k, value);
	for (uint32_t i = 0; i < k->nread && !err; i++)
		answer[i] = k->kind[i] ? value[k->kind[i] - 1] : 0;
	return err ? err
		   : uv_out(c, UVERBS_ATTR_READ_COUNTERS_BUFF, answer, k->nread * sizeof(uint64_t));
}

/* clang-format off */
static const struct uv_spec create_specs[] = {
	{UVERBS_ATTR_CREATE_COUNTERS_HANDLE, UV_ATTR_OBJ_NEW, true, 0, 0, 0},
};
static const struct uv_spec destroy_specs[] = {
	{UVERBS_ATTR_DESTROY_COUNTERS_HANDLE, UV_ATTR_OBJ_DESTROY, true, UVERBS_OBJECT_COUNTERS, 0, 0},
};
static const struct uv_spec read_specs[] = {
	{UVERBS_ATTR_READ_COUNTERS_HANDLE, UV_ATTR_OBJ_READ, true, UVERBS_OBJECT_COUNTERS, 0, 0},
	{UVERBS_ATTR_READ_COUNTERS_BUFF, UV_ATTR_OUT, true, 0, 8, 0},
	{UVERBS_ATTR_READ_COUNTERS_FLAGS, UV_ATTR_IN, false, 0, 4, 8},
};

const struct uv_method uv_counters_methods[] = {
	UV_METHOD(UVERBS_OBJECT_COUNTERS, UVERBS_METHOD_COUNTERS_CREATE, &uv_counters_class, create, create_specs),
	UV_METHOD(UVERBS_OBJECT_COUNTERS, UVERBS_METHOD_COUNTERS_DESTROY, NULL, uv_destroyed, destroy_specs),
	UV_METHOD(UVERBS_OBJECT_COUNTERS, UVERBS_METHOD_COUNTERS_READ, NULL, read_counters, read_specs),
	{0},
};
/* clang-format on */
