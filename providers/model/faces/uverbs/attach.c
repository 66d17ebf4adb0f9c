// SPDX-License-Identifier: BSD-2-Clause
/*
 * The part that all flows share: a rule in the root of the model, and for a TIR the table between them.
 *
 *   root ─ rule (the flow's match) ─▶ table ─ group of all ─ rule ─▶ TIR
 */
#include "flow.h"

#include <errno.h>
#include <string.h>

#include "verbs.h"

static int make_table(struct uv_ctx *ctx, struct uv_tir_table *t)
{
	uint8_t in[PRM_BYTES(create_flow_table_in)] = {0},
		out[PRM_BYTES(create_flow_table_out)] = {0};
	int err;

	PRM_SET(create_flow_table_in, in, opcode, PRM_CMD_OP_CREATE_FLOW_TABLE);
	PRM_SET(create_flow_table_in, in, table_type, PRM_FLOW_TABLE_TYPE_NIC_RX);
	PRM_SET(flow_table_context, PRM_AT(create_flow_table_in, in, flow_table_context), level, 1);
	err = uv_command(ctx, in, sizeof(in), out, sizeof(out));
	t->table = (uint32_t)PRM_GET(create_flow_table_out, out, table_id);
	return err;
}

static int make_group(struct uv_ctx *ctx, struct uv_tir_table *t)
{
	uint8_t in[PRM_BYTES(create_flow_group_in)] = {0},
		out[PRM_BYTES(create_flow_group_out)] = {0};
	int err;

	PRM_SET(create_flow_group_in, in, opcode, PRM_CMD_OP_CREATE_FLOW_GROUP);
	PRM_SET(create_flow_group_in, in, table_type, PRM_FLOW_TABLE_TYPE_NIC_RX);
	PRM_SET(create_flow_group_in, in, table_id, t->table);
	err = uv_command(ctx, in, sizeof(in), out, sizeof(out));
	t->group = (uint32_t)PRM_GET(create_flow_group_out, out, group_id);
	return err;
}

static int make_rule(struct uv_ctx *ctx, struct uv_tir_table *t, uint32_t tirn, uint32_t tag)
{
	uint8_t in[PRM_BYTES(set_fte_in) + PRM_BYTES(dest_format_struct)] = {0};
	uint8_t *fc = PRM_AT(set_fte_in, in, flow_context), out[PRM_BYTES(set_fte_out)] = {0};
	uint8_t *dest = PRM_AT(flow_context, fc, destination);
	int err;

	PRM_SET(set_fte_in, in, opcode, PRM_CMD_OP_SET_FLOW_TABLE_ENTRY);
	PRM_SET(set_fte_in, in, table_type, PRM_FLOW_TABLE_TYPE_NIC_RX);
	PRM_SET(set_fte_in, in, table_id, t->table);
	PRM_SET(flow_context, fc, group_id, t->group);
	PRM_SET(flow_context, fc, flow_tag, tag);
	PRM_SET(flow_context, fc, action, PRM_FLOW_CONTEXT_ACTION_FWD_DEST);
	PRM_SET(flow_context, fc, destination_list_size, 1);
	PRM_SET(dest_format_struct, dest, destination_type, PRM_IFC_FLOW_DESTINATION_TYPE_TIR);
	PRM_SET(dest_format_struct, dest, destination_id, tirn);
	err = uv_command(ctx, in, sizeof(in), out, sizeof(out));
	t->rule = !err;
	return err;
}

/* opcode: of the destroy; the table's number is at the same place in all three. */
static int destroy_part(struct uv_ctx *ctx, uint16_t opcode, const struct uv_tir_table *t)
{
	uint8_t in[PRM_BYTES(delete_fte_in)] = {0}, out[16] = {0};
	size_t len = opcode == PRM_CMD_OP_DESTROY_FLOW_TABLE   ? PRM_BYTES(destroy_flow_table_in)
		     : opcode == PRM_CMD_OP_DESTROY_FLOW_GROUP ? PRM_BYTES(destroy_flow_group_in)
							       : PRM_BYTES(delete_fte_in);

	PRM_SET(destroy_flow_group_in, in, opcode, opcode);
	PRM_SET(destroy_flow_group_in, in, table_type, PRM_FLOW_TABLE_TYPE_NIC_RX);
	PRM_SET(destroy_flow_group_in, in, table_id, t->table);
	if (opcode == PRM_CMD_OP_DESTROY_FLOW_GROUP)
		PRM_SET(destroy_flow_group_in, in, group_id, t->group);
	return uv_command(ctx, in, len, out, sizeof(out));
}

static int tir_table_destroy(struct uv_ctx *ctx, struct uv_tir_table *t)
{
	int err = t->rule ? destroy_part(ctx, PRM_CMD_OP_DELETE_FLOW_TABLE_ENTRY, t) : 0;

	if (err)
		return err;
	t->rule = false;
	err = t->group ? destroy_part(ctx, PRM_CMD_OP_DESTROY_FLOW_GROUP, t) : 0;
	if (err)
		return err;
	t->group = 0;
	err = t->table ? destroy_part(ctx, PRM_CMD_OP_DESTROY_FLOW_TABLE, t) : 0;
	if (!err)
		t->table = 0;
	return err;
}

static int tir_table_create(struct uv_ctx *ctx, struct uv_tir_table *t, uint32_t tirn, uint32_t tag)
{
	int err = make_table(ctx, t);

	if (!err)
		err = make_group(ctx, t);
	if (!err)
		err = make_rule(ctx, t, tirn, tag);
	if (err)
		tir_table_destroy(ctx, t);
	return err;
}

int uv_flow_attach(struct uv_ctx *ctx, struct uv_flow *f, struct prov_attach *a, uint32_t tirn,
		   uint32_t tag)
{
	int err = 0;

	if (!a->table_id) {
		err = tir_table_create(ctx, &f->tir, tirn, tag);
		if (err)
			return err;
		a->table_id = f->tir.table;
	}
	err = model_attach(ctx->card->prov, a, &f->at);
	if (err)
		tir_table_destroy(ctx, &f->tir);
	return err == -EREMOTEIO ? -EINVAL : err;
}

static int flow_destroy(struct uv_ctx *ctx, struct uv_obj *o)
{
	struct uv_flow *f = (struct uv_flow *)o;
	int err = f->at ? model_detach(ctx->card->prov, f->at) : 0;

	if (err)
		return err == -EREMOTEIO ? -EINVAL : err;
	f->at = NULL;
	err = tir_table_destroy(ctx, &f->tir);
	if (err)
		return err;
	if (f->matcher)
		uv_obj_unuse(ctx, f->matcher);
	if (f->dest)
		uv_obj_unuse(ctx, f->dest);
	f->matcher = f->dest = NULL;
	return 0;
}

const struct uv_class uv_flow_class = {UVERBS_OBJECT_FLOW, sizeof(struct uv_flow), flow_destroy};
