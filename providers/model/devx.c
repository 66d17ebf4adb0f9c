// SPDX-License-Identifier: BSD-2-Clause
/*
 * The rules of the kernel's DevX layer: a command travels as general, create, modify or query; modify and query must
 * name the handle's own object; destroy opcodes are for the layer alone, which makes the destroy mailbox when the
 * object is created. A flow entry is named by its flow index only, as in the kernel: table ids are not compared.
 *
 * Source: Linux drivers/infiniband/hw/mlx5/devx.c.
 */
#include "devx.h"

#include <errno.h>
#include <string.h>

/* A command that makes objects: where the answer has the number, and how the destroy command names it. */
struct maker {
	uint16_t create;
	unsigned int out_off, out_width;
	uint16_t destroy;
	unsigned int in_off, in_width; /* in the destroy mailbox */
	size_t destroy_len;
	bool flow; /* table type (and for groups and entries the table) go along */
};

/* clang-format off */
#define MAKER(op, out, field, dop, din, dfield, flow) \
	{PRM_CMD_OP_##op, PRM_OFFSET(out, field), PRM_WIDTH(out, field), PRM_CMD_OP_##dop, PRM_OFFSET(din, dfield), \
	 PRM_WIDTH(din, dfield), PRM_BYTES(din), flow}

static const struct maker makers[] = {
	MAKER(ALLOC_PD, alloc_pd_out, pd, DEALLOC_PD, dealloc_pd_in, pd, false),
	MAKER(ALLOC_TRANSPORT_DOMAIN, alloc_transport_domain_out, transport_domain, DEALLOC_TRANSPORT_DOMAIN, dealloc_transport_domain_in, transport_domain, false),
	MAKER(CREATE_MKEY, create_mkey_out, mkey_index, DESTROY_MKEY, destroy_mkey_in, mkey_index, false),
	MAKER(CREATE_CQ, create_cq_out, cqn, DESTROY_CQ, destroy_cq_in, cqn, false),
	MAKER(CREATE_SQ, create_sq_out, sqn, DESTROY_SQ, destroy_sq_in, sqn, false),
	MAKER(CREATE_RQ, create_rq_out, rqn, DESTROY_RQ, destroy_rq_in, rqn, false),
	MAKER(CREATE_TIS, create_tis_out, tisn, DESTROY_TIS, destroy_tis_in, tisn, false),
	MAKER(CREATE_TIR, create_tir_out, tirn, DESTROY_TIR, destroy_tir_in, tirn, false),
	MAKER(CREATE_RQT, create_rqt_out, rqtn, DESTROY_RQT, destroy_rqt_in, rqtn, false),
	MAKER(ALLOC_Q_COUNTER, alloc_q_counter_out, counter_set_id, DEALLOC_Q_COUNTER, dealloc_q_counter_in, counter_set_id, false),
	MAKER(CREATE_FLOW_TABLE, create_flow_table_out, table_id, DESTROY_FLOW_TABLE, destroy_flow_table_in, table_id, true),
	MAKER(CREATE_FLOW_GROUP, create_flow_group_out, group_id, DESTROY_FLOW_GROUP, destroy_flow_group_in, group_id, true),
	/* the answer has no number: the index is in the command */
	MAKER(SET_FLOW_TABLE_ENTRY, set_fte_in, flow_index, DELETE_FLOW_TABLE_ENTRY, delete_fte_in, flow_index, true),
	MAKER(ALLOC_FLOW_COUNTER, alloc_flow_counter_out, flow_counter_id, DEALLOC_FLOW_COUNTER, dealloc_flow_counter_in, flow_counter_id, false),
	MAKER(ALLOC_PACKET_REFORMAT_CONTEXT, alloc_packet_reformat_context_out, packet_reformat_id, DEALLOC_PACKET_REFORMAT_CONTEXT, dealloc_packet_reformat_context_in, packet_reformat_id, false),
	MAKER(ALLOC_MODIFY_HEADER_CONTEXT, alloc_modify_header_context_out, modify_header_id, DEALLOC_MODIFY_HEADER_CONTEXT, dealloc_modify_header_context_in, modify_header_id, false),
	MAKER(CREATE_GENERAL_OBJECT, general_obj_out_cmd_hdr, obj_id, DESTROY_GENERAL_OBJECT, general_obj_in_cmd_hdr, obj_id, false),
};

/* Commands on a handle: which maker's objects, and where they name them. */
#define USER(op, kind, maker, in, field) \
	{PRM_CMD_OP_##op, kind, PRM_CMD_OP_##maker, PRM_OFFSET(in, field), PRM_WIDTH(in, field)}

static const struct {
	uint16_t opcode;
	enum prov_cmd_kind kind;
	uint16_t maker;
	unsigned int off, width;
} users[] = {
	USER(MODIFY_SQ, PROV_CMD_MODIFY, CREATE_SQ, modify_sq_in, sqn),
	USER(MODIFY_RQ, PROV_CMD_MODIFY, CREATE_RQ, modify_rq_in, rqn),
	USER(MODIFY_TIS, PROV_CMD_MODIFY, CREATE_TIS, modify_tis_in, tisn),
	USER(MODIFY_TIR, PROV_CMD_MODIFY, CREATE_TIR, modify_tir_in, tirn),
	USER(MODIFY_RQT, PROV_CMD_MODIFY, CREATE_RQT, modify_rqt_in, rqtn),
	USER(MODIFY_CQ, PROV_CMD_MODIFY, CREATE_CQ, modify_cq_in, cqn),
	USER(MODIFY_FLOW_TABLE, PROV_CMD_MODIFY, CREATE_FLOW_TABLE, modify_flow_table_in, table_id),
	USER(SET_FLOW_TABLE_ENTRY, PROV_CMD_MODIFY, SET_FLOW_TABLE_ENTRY, set_fte_in, flow_index),
	USER(MODIFY_GENERAL_OBJECT, PROV_CMD_MODIFY, CREATE_GENERAL_OBJECT, general_obj_in_cmd_hdr, obj_id),
	USER(QUERY_SQ, PROV_CMD_QUERY, CREATE_SQ, query_sq_in, sqn),
	USER(QUERY_RQ, PROV_CMD_QUERY, CREATE_RQ, query_rq_in, rqn),
	USER(QUERY_TIS, PROV_CMD_QUERY, CREATE_TIS, query_tis_in, tisn),
	USER(QUERY_TIR, PROV_CMD_QUERY, CREATE_TIR, query_tir_in, tirn),
	USER(QUERY_RQT, PROV_CMD_QUERY, CREATE_RQT, query_rqt_in, rqtn),
	USER(QUERY_CQ, PROV_CMD_QUERY, CREATE_CQ, query_cq_in, cqn),
	USER(QUERY_Q_COUNTER, PROV_CMD_QUERY, ALLOC_Q_COUNTER, query_q_counter_in, counter_set_id),
	USER(QUERY_FLOW_TABLE, PROV_CMD_QUERY, CREATE_FLOW_TABLE, query_flow_table_in, table_id),
	USER(QUERY_FLOW_GROUP, PROV_CMD_QUERY, CREATE_FLOW_GROUP, query_flow_group_in, group_id),
	USER(QUERY_FLOW_TABLE_ENTRY, PROV_CMD_QUERY, SET_FLOW_TABLE_ENTRY, query_fte_in, flow_index),
	USER(QUERY_FLOW_COUNTER, PROV_CMD_QUERY, ALLOC_FLOW_COUNTER, query_flow_counter_in, flow_counter_id),
	USER(QUERY_GENERAL_OBJECT, PROV_CMD_QUERY, CREATE_GENERAL_OBJECT, general_obj_in_cmd_hdr, obj_id),
};
/* clang-format on */

static const struct maker *find_maker(uint16_t opcode)
{
	for (size_t i = 0; i < sizeof(makers) / sizeof(makers[0]); i++)
		if (makers[i].create == opcode)
			return &makers[i];
	return NULL;
}

bool devx_makes(uint16_t opcode)
{
	return find_maker(opcode) != NULL;
}

static int check_general(uint16_t opcode)
{
	switch (opcode) {
	case PRM_CMD_OP_QUERY_HCA_CAP:
	case PRM_CMD_OP_QUERY_VPORT_STATE:
	case PRM_CMD_OP_QUERY_NIC_VPORT_CONTEXT:
	case PRM_CMD_OP_QUERY_VPORT_COUNTER:
	case PRM_CMD_OP_QUERY_ADAPTER:
	case PRM_CMD_OP_QUERY_ISSI:
	case PRM_CMD_OP_SYNC_CRYPTO:
	case PRM_CMD_OP_NOP: return 0;
	default: return -EINVAL;
	}
}

static int check_create(const struct prov_cmd *cmd, uint16_t opcode)
{
	const struct maker *m = find_maker(opcode);

	if (!m)
		return -EINVAL;
	if (opcode == PRM_CMD_OP_SET_FLOW_TABLE_ENTRY)
		return prm_in_op_mod(cmd->in) == 0 && cmd->inlen >= PRM_BYTES(set_fte_in) ? 0
											  : -EINVAL;
	if (opcode == PRM_CMD_OP_CREATE_GENERAL_OBJECT &&
	    PRM_GET(general_obj_in_cmd_hdr, cmd->in, vhca_tunnel_id))
		return -EINVAL;
	if (m->flow && cmd->inlen < PRM_BYTES(destroy_flow_group_in))
		return -EINVAL;
	return 0;
}

static int check_user(const struct prov_cmd *cmd, uint16_t opcode)
{
	const struct prov_obj *obj = cmd->obj;

	for (size_t i = 0; i < sizeof(users) / sizeof(users[0]); i++) {
		uint32_t id;

		if (users[i].opcode != opcode || users[i].kind != cmd->kind)
			continue;
		if (users[i].maker != obj->create || cmd->inlen * 8 < users[i].off + users[i].width)
			return -EINVAL;
		if (opcode == PRM_CMD_OP_SET_FLOW_TABLE_ENTRY && prm_in_op_mod(cmd->in) != 1)
			return -EINVAL;
		if (obj->obj_type &&
		    PRM_GET(general_obj_in_cmd_hdr, cmd->in, obj_type) != obj->obj_type)
			return -EINVAL;
		id = (uint32_t)prm_get(cmd->in, users[i].off, users[i].width);
		return id - obj->id < obj->count ? 0 : -EINVAL;
	}
	return -EINVAL;
}

int devx_check(const struct prov_cmd *cmd)
{
	uint16_t opcode;

	if (cmd->kind == PROV_CMD_DESTROY)
		return cmd->obj ? 0 : -EINVAL;
	if (!cmd->in || !cmd->out || cmd->inlen < PRM_BYTES(nop_in) ||
	    cmd->outlen < PRM_BYTES(nop_out))
		return -EINVAL;
	opcode = prm_in_opcode(cmd->in);
	if (cmd->kind == PROV_CMD_GENERAL)
		return check_general(opcode);
	if (cmd->kind == PROV_CMD_CREATE)
		return check_create(cmd, opcode);
	return cmd->obj ? check_user(cmd, opcode) : -EINVAL;
}

static uint32_t counters_made(const void *in)
{
	uint32_t bulk = (uint32_t)PRM_GET(alloc_flow_counter_in, in, flow_counter_bulk);

	return bulk ? 128 * bulk : 1;
}

void devx_handle_init(struct prov_obj *obj, const void *in, const void *out)
{
	const struct maker *m = find_maker(prm_in_opcode(in));
	const void *from = m->create == PRM_CMD_OP_SET_FLOW_TABLE_ENTRY ? in : out;

	obj->create = m->create;
	obj->count = m->create == PRM_CMD_OP_ALLOC_FLOW_COUNTER ? counters_made(in) : 1;
	obj->id = (uint32_t)prm_get(from, m->out_off, m->out_width);
	obj->inlen = m->destroy_len;
	PRM_SET(cmd_in, obj->in, opcode, m->destroy);
	if (m->create == PRM_CMD_OP_CREATE_GENERAL_OBJECT) {
		obj->obj_type = (uint16_t)PRM_GET(general_obj_in_cmd_hdr, in, obj_type);
		PRM_SET(general_obj_in_cmd_hdr, obj->in, obj_type, obj->obj_type);
	}
	if (m->flow)
		PRM_SET(destroy_flow_table_in, obj->in, table_type,
			PRM_GET(create_flow_table_in, in, table_type));
	if (m->flow && m->create != PRM_CMD_OP_CREATE_FLOW_TABLE)
		PRM_SET(destroy_flow_group_in, obj->in, table_id,
			PRM_GET(create_flow_group_in, in, table_id));
	prm_put(obj->in, m->in_off, m->in_width, obj->id);
}
