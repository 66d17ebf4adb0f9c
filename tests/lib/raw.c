// SPDX-License-Identifier: BSD-2-Clause
/* A device by raw mailboxes: see raw.h. */
#include "raw.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void fatal(const char *what, const char *why)
{
	fprintf(stderr, "raw: %s: %s\n", what, why);
	abort();
}

struct prov_obj *raw_do(struct raw *r, enum prov_cmd_kind kind, struct prov_obj *obj, void *in,
			size_t inlen, void *out, size_t outlen)
{
	struct prov_cmd cmd = {
		.kind = kind, .in = in, .inlen = inlen, .out = out, .outlen = outlen, .obj = obj};
	char why[96];

	if (prov_cmd_wait(r->dev, &cmd) == 0)
		return cmd.obj;
	snprintf(why, sizeof(why), "result %d, status %s, syndrome 0x%x", cmd.result,
		 prm_status_name(prm_out_status(out)), prm_out_syndrome(out));
	fatal(prm_opcode_name(prm_in_opcode(in)), why);
	return NULL;
}

#define CREATE(r, in, out) raw_do((r), PROV_CMD_CREATE, NULL, (in), sizeof(in), (out), sizeof(out))

static uint32_t tis(struct raw *r, bool tls, uint32_t td, struct prov_obj **obj)
{
	uint8_t in[PRM_BYTES(create_tis_in)] = {0}, out[PRM_BYTES(create_tis_out)];
	uint8_t *tisc = PRM_AT(create_tis_in, in, ctx);
	struct prov_obj *o;

	PRM_SET(create_tis_in, in, opcode, PRM_CMD_OP_CREATE_TIS);
	PRM_SET(tisc, tisc, transport_domain, td);
	PRM_SET(tisc, tisc, tls_en, tls);
	PRM_SET(tisc, tisc, pd, tls ? r->pd : 0);
	o = CREATE(r, in, out);
	if (obj)
		*obj = o;
	return (uint32_t)PRM_GET(create_tis_out, out, tisn);
}

uint32_t raw_tls_tis(struct raw *r, struct prov_obj **obj)
{
	return tis(r, true, r->td, obj);
}

uint32_t raw_tis_of_td(struct raw *r, bool tls, uint32_t td)
{
	return tis(r, tls, td, NULL);
}

void raw_open(struct raw *r, const char *spec)
{
	uint8_t pd_in[PRM_BYTES(alloc_pd_in)] = {0}, pd_out[PRM_BYTES(alloc_pd_out)];
	uint8_t td_in[PRM_BYTES(alloc_transport_domain_in)] = {0},
		td_out[PRM_BYTES(alloc_transport_domain_out)];
	char why[256] = "";

	memset(r, 0, sizeof(*r));
	if (prov_open(spec, &r->dev, why, sizeof(why)))
		fatal(spec, why);
	r->ops = prov_ops(r->dev);
	r->rings = aligned_alloc(4096, RAW_ARENA);
	r->data = aligned_alloc(4096, RAW_ARENA);
	memset(r->rings, 0, RAW_ARENA);
	memset(r->data, 0, RAW_ARENA);
	PRM_SET(alloc_pd_in, pd_in, opcode, PRM_CMD_OP_ALLOC_PD);
	CREATE(r, pd_in, pd_out);
	r->pd = (uint32_t)PRM_GET(alloc_pd_out, pd_out, pd);
	PRM_SET(alloc_transport_domain_in, td_in, opcode, PRM_CMD_OP_ALLOC_TRANSPORT_DOMAIN);
	CREATE(r, td_in, td_out);
	r->td = (uint32_t)PRM_GET(alloc_transport_domain_out, td_out, transport_domain);
	if (r->ops->uar_alloc(r->dev, &r->uar) ||
	    r->ops->umem_reg(r->dev, r->rings, RAW_ARENA, &r->umem) ||
	    r->ops->mr_reg(r->dev, r->pd, r->data, RAW_ARENA, &r->mr))
		fatal(spec, "no UAR, umem or memory region");
	r->tisn = tis(r, false, r->td, NULL);
}

void raw_close(struct raw *r)
{
	r->ops->close(r->dev);
	free(r->rings);
	free(r->data);
}

uint8_t *raw_ring_memory(struct raw *r, size_t n)
{
	uint8_t *at = r->rings + r->rings_used;

	r->rings_used += (n + 63) / 64 * 64;
	if (r->rings_used > RAW_ARENA)
		fatal("rings", "the umem is used up");
	memset(at, 0, n);
	return at;
}

void raw_cq(struct raw *r, struct raw_cq *cq, uint32_t log_size)
{
	uint8_t in[PRM_BYTES(create_cq_in)] = {0}, out[PRM_BYTES(create_cq_out)];
	uint8_t *cqc = PRM_AT(create_cq_in, in, cq_context);
	uint32_t eqn = 0;

	memset(cq, 0, sizeof(*cq));
	cq->log_size = log_size;
	cq->ring = raw_ring_memory(r, (size_t)64 << log_size);
	cq->db = (uint32_t *)raw_ring_memory(r, 8);
	memset(cq->ring, 0xf1, (size_t)64 << log_size);
	r->ops->eqn(r->dev, &eqn);
	PRM_SET(create_cq_in, in, opcode, PRM_CMD_OP_CREATE_CQ);
	PRM_SET(create_cq_in, in, cq_umem_valid, 1);
	PRM_SET(create_cq_in, in, cq_umem_id, r->umem.id);
	PRM_SET(create_cq_in, in, cq_umem_offset, (uint64_t)(cq->ring - r->rings));
	PRM_SET(cqc, cqc, dbr_umem_valid, 1);
	PRM_SET(cqc, cqc, dbr_umem_id, r->umem.id);
	PRM_SET(cqc, cqc, dbr_addr, (uint64_t)((uint8_t *)cq->db - r->rings));
	PRM_SET(cqc, cqc, log_cq_size, log_size);
	PRM_SET(cqc, cqc, uar_page, r->uar.page_id);
	PRM_SET(cqc, cqc, c_eqn_or_apu_element, eqn);
	cq->obj = CREATE(r, in, out);
	cq->cqn = (uint32_t)PRM_GET(create_cq_out, out, cqn);
}

static void set_wq(struct raw *r, uint8_t *wq, const uint8_t *ring, const uint32_t *db,
		   uint32_t log_size)
{
	PRM_SET(wq, wq, wq_type, PRM_WQ_TYPE_CYCLIC);
	PRM_SET(wq, wq, pd, r->pd);
	PRM_SET(wq, wq, log_wq_stride, 6);
	PRM_SET(wq, wq, log_wq_sz, log_size);
	PRM_SET(wq, wq, wq_umem_valid, 1);
	PRM_SET(wq, wq, wq_umem_id, r->umem.id);
	PRM_SET(wq, wq, wq_umem_offset, (uint64_t)(ring - r->rings));
	PRM_SET(wq, wq, dbr_umem_valid, 1);
	PRM_SET(wq, wq, dbr_umem_id, r->umem.id);
	PRM_SET(wq, wq, dbr_addr, (uint64_t)((const uint8_t *)db - r->rings));
}

void raw_sq_state(struct raw *r, struct raw_sq *sq, int from, int to)
{
	uint8_t in[PRM_BYTES(modify_sq_in)] = {0}, out[PRM_BYTES(modify_sq_out)];

	PRM_SET(modify_sq_in, in, opcode, PRM_CMD_OP_MODIFY_SQ);
	PRM_SET(modify_sq_in, in, sq_state, (uint32_t)from);
	PRM_SET(modify_sq_in, in, sqn, sq->sqn);
	PRM_SET(sqc, PRM_AT(modify_sq_in, in, ctx), state, (uint32_t)to);
	raw_do(r, PROV_CMD_MODIFY, sq->obj, in, sizeof(in), out, sizeof(out));
	if (to == PRM_SQC_STATE_RST) { /* the device counts from 0 again */
		sq->pi = 0;
		sq->db[1] = 0;
	}
}

void raw_sq(struct raw *r, struct raw_sq *sq, uint32_t log_size, uint32_t log_cq)
{
	uint8_t in[PRM_BYTES(create_sq_in)] = {0}, out[PRM_BYTES(create_sq_out)];
	uint8_t *sqc = PRM_AT(create_sq_in, in, ctx), *wq = PRM_AT(sqc, sqc, wq);

	memset(sq, 0, sizeof(*sq));
	raw_cq(r, &sq->cq, log_cq);
	sq->log_size = log_size;
	sq->ring = raw_ring_memory(r, (size_t)64 << log_size);
	sq->db = (uint32_t *)raw_ring_memory(r, 8);
	PRM_SET(create_sq_in, in, opcode, PRM_CMD_OP_CREATE_SQ);
	PRM_SET(sqc, sqc, flush_in_error_en, 1);
	PRM_SET(sqc, sqc, user_index, 0xabcdef);
	PRM_SET(sqc, sqc, cqn, sq->cq.cqn);
	PRM_SET(sqc, sqc, tis_lst_sz, 1);
	PRM_SET(sqc, sqc, tis_num_0, r->tisn);
	set_wq(r, wq, sq->ring, sq->db, log_size);
	PRM_SET(wq, wq, uar_page, r->uar.page_id);
	sq->obj = CREATE(r, in, out);
	sq->sqn = (uint32_t)PRM_GET(create_sq_out, out, sqn);
	raw_sq_state(r, sq, PRM_SQC_STATE_RST, PRM_SQC_STATE_RDY);
}

static void rq_ready(struct raw *r, struct raw_rq *rq)
{
	uint8_t in[PRM_BYTES(modify_rq_in)] = {0}, out[PRM_BYTES(modify_rq_out)];

	PRM_SET(modify_rq_in, in, opcode, PRM_CMD_OP_MODIFY_RQ);
	PRM_SET(modify_rq_in, in, rq_state, PRM_RQC_STATE_RST);
	PRM_SET(modify_rq_in, in, rqn, rq->rqn);
	PRM_SET(rqc, PRM_AT(modify_rq_in, in, ctx), state, PRM_RQC_STATE_RDY);
	raw_do(r, PROV_CMD_MODIFY, rq->obj, in, sizeof(in), out, sizeof(out));
}

static void rq_tir(struct raw *r, struct raw_rq *rq)
{
	uint8_t in[PRM_BYTES(create_tir_in)] = {0}, out[PRM_BYTES(create_tir_out)];
	uint8_t *tirc = PRM_AT(create_tir_in, in, ctx);

	PRM_SET(create_tir_in, in, opcode, PRM_CMD_OP_CREATE_TIR);
	PRM_SET(tirc, tirc, disp_type, PRM_TIRC_DISP_TYPE_DIRECT);
	PRM_SET(tirc, tirc, inline_rqn, rq->rqn);
	PRM_SET(tirc, tirc, transport_domain, r->td);
	CREATE(r, in, out);
	rq->tirn = (uint32_t)PRM_GET(create_tir_out, out, tirn);
}

void raw_rq(struct raw *r, struct raw_rq *rq, uint32_t log_size, uint32_t log_cq)
{
	uint8_t in[PRM_BYTES(create_rq_in)] = {0}, out[PRM_BYTES(create_rq_out)];
	uint8_t *rqc = PRM_AT(create_rq_in, in, ctx);

	memset(rq, 0, sizeof(*rq));
	raw_cq(r, &rq->cq, log_cq);
	rq->log_size = log_size;
	rq->ring = raw_ring_memory(r, (size_t)64 << log_size);
	rq->db = (uint32_t *)raw_ring_memory(r, 8);
	PRM_SET(create_rq_in, in, opcode, PRM_CMD_OP_CREATE_RQ);
	PRM_SET(rqc, rqc, mem_rq_type, PRM_RQC_MEM_RQ_TYPE_MEMORY_RQ_INLINE);
	PRM_SET(rqc, rqc, flush_in_error_en, 1);
	PRM_SET(rqc, rqc, vsd, 1); /* leave VLAN tags where they are */
	PRM_SET(rqc, rqc, user_index, 0x111111);
	PRM_SET(rqc, rqc, cqn, rq->cq.cqn);
	set_wq(r, PRM_AT(rqc, rqc, wq), rq->ring, rq->db, log_size);
	rq->obj = CREATE(r, in, out);
	rq->rqn = (uint32_t)PRM_GET(create_rq_out, out, rqn);
	rq_ready(r, rq);
	rq_tir(r, rq);
}

/* -- steering ------------------------------------------------------------------------------------------- */

struct raw_table raw_table(struct raw *r, uint8_t type, uint8_t level)
{
	uint8_t in[PRM_BYTES(create_flow_table_in)] = {0}, out[PRM_BYTES(create_flow_table_out)];
	uint8_t *ctx = PRM_AT(create_flow_table_in, in, flow_table_context);
	struct raw_table t = {.type = type};

	PRM_SET(create_flow_table_in, in, opcode, PRM_CMD_OP_CREATE_FLOW_TABLE);
	PRM_SET(create_flow_table_in, in, table_type, type);
	PRM_SET(flow_table_context, ctx, level, level);
	PRM_SET(flow_table_context, ctx, log_size, 6);
	PRM_SET(flow_table_context, ctx, reformat_en, type == PRM_FLOW_TABLE_TYPE_NIC_TX);
	PRM_SET(flow_table_context, ctx, decap_en, type == PRM_FLOW_TABLE_TYPE_NIC_RX);
	t.obj = CREATE(r, in, out);
	t.id = (uint32_t)PRM_GET(create_flow_table_out, out, table_id);
	return t;
}

static uint32_t group(struct raw *r, const struct raw_table *t, uint32_t index,
		      const struct raw_rule *rule)
{
	uint8_t in[PRM_BYTES(create_flow_group_in)] = {0}, out[PRM_BYTES(create_flow_group_out)];

	PRM_SET(create_flow_group_in, in, opcode, PRM_CMD_OP_CREATE_FLOW_GROUP);
	PRM_SET(create_flow_group_in, in, table_type, t->type);
	PRM_SET(create_flow_group_in, in, table_id, t->id);
	PRM_SET(create_flow_group_in, in, start_flow_index, index);
	PRM_SET(create_flow_group_in, in, end_flow_index, index);
	if (rule->mask) {
		PRM_SET(create_flow_group_in, in, match_criteria_enable, rule->enable);
		memcpy(PRM_AT(create_flow_group_in, in, match_criteria), rule->mask, 512);
	}
	CREATE(r, in, out);
	return (uint32_t)PRM_GET(create_flow_group_out, out, group_id);
}

static void set_dest(uint8_t *dest, const struct raw_rule *rule)
{
	PRM_SET(dest_format_struct, dest, destination_type,
		rule->to_table ? PRM_IFC_FLOW_DESTINATION_TYPE_FLOW_TABLE
			       : PRM_IFC_FLOW_DESTINATION_TYPE_TIR);
	PRM_SET(dest_format_struct, dest, destination_id,
		rule->to_table ? rule->to_table->id : rule->to_tir);
}

struct prov_obj *raw_rule(struct raw *r, const struct raw_table *t, uint32_t index,
			  const struct raw_rule *rule)
{
	uint8_t in[PRM_BYTES(set_fte_in) + 24] = {0}, out[PRM_BYTES(set_fte_out)];
	uint8_t *ctx = PRM_AT(set_fte_in, in, flow_context),
		*list = PRM_AT(flow_context, ctx, destination);
	bool fwd = rule->action & PRM_FLOW_CONTEXT_ACTION_FWD_DEST;
	uint32_t ndest = fwd ? 1 + !!rule->copy_to_tir : 0;
	size_t inlen =
		PRM_BYTES(set_fte_in) + (ndest + rule->has_counter) * PRM_BYTES(dest_format_struct);

	PRM_SET(set_fte_in, in, opcode, PRM_CMD_OP_SET_FLOW_TABLE_ENTRY);
	PRM_SET(set_fte_in, in, table_type, t->type);
	PRM_SET(set_fte_in, in, table_id, t->id);
	PRM_SET(set_fte_in, in, flow_index, index);
	PRM_SET(flow_context, ctx, group_id, group(r, t, index, rule));
	PRM_SET(flow_context, ctx, flow_tag, rule->flow_tag);
	PRM_SET(flow_context, ctx, action, rule->action);
	PRM_SET(flow_context, ctx, packet_reformat_id, rule->reformat);
	PRM_SET(flow_context, ctx, modify_header_id, rule->modhdr);
	PRM_SET(flow_context, ctx, encrypt_decrypt_obj_id, rule->ipsec);
	if (rule->mask)
		memcpy(PRM_AT(flow_context, ctx, match_value), rule->value, 512);
	PRM_SET(flow_context, ctx, destination_list_size, ndest);
	if (rule->copy_to_tir) {
		set_dest(list, &(struct raw_rule){.to_tir = rule->copy_to_tir});
		list += PRM_BYTES(dest_format_struct);
	}
	if (fwd) {
		set_dest(list, rule);
		list += PRM_BYTES(dest_format_struct);
	}
	if (rule->has_counter) {
		PRM_SET(flow_context, ctx, flow_counter_list_size, 1);
		prm_put(list, 0, 32, rule->counter);
	}
	return raw_do(r, PROV_CMD_CREATE, NULL, in, inlen, out, sizeof(out));
}

void raw_attach(struct raw *r, const struct raw_table *t, const struct raw_sq *only)
{
	uint8_t mask[512] = {0}, value[512] = {0};
	struct prov_attach a = {
		.dir = t->type == PRM_FLOW_TABLE_TYPE_NIC_TX ? PROV_TX : PROV_RX,
		.table = t->obj,
		.table_id = t->id,
		.mask = mask,
		.value = value,
	};
	struct prov_attachment *out;

	if (only) {
		a.criteria_enable =
			1 << PRM_CREATE_FLOW_GROUP_IN_MATCH_CRITERIA_ENABLE_MISC_PARAMETERS;
		PRM_SET(fte_match_set_misc, PRM_AT(fte_match_param, mask, misc_parameters),
			source_sqn, 0xffffff);
		PRM_SET(fte_match_set_misc, PRM_AT(fte_match_param, value, misc_parameters),
			source_sqn, only->sqn);
	}
	if (r->ops->attach(r->dev, &a, &out))
		fatal("attach", "refused");
}

uint32_t raw_counter(struct raw *r, struct prov_obj **obj)
{
	uint8_t in[PRM_BYTES(alloc_flow_counter_in)] = {0}, out[PRM_BYTES(alloc_flow_counter_out)];

	PRM_SET(alloc_flow_counter_in, in, opcode, PRM_CMD_OP_ALLOC_FLOW_COUNTER);
	*obj = CREATE(r, in, out);
	return (uint32_t)PRM_GET(alloc_flow_counter_out, out, flow_counter_id);
}

void raw_counter_read(struct raw *r, struct prov_obj *obj, uint32_t id, uint64_t *packets,
		      uint64_t *octets)
{
	uint8_t in[PRM_BYTES(query_flow_counter_in)] = {0};
	uint8_t out[PRM_BYTES(query_flow_counter_out) + PRM_BYTES(traffic_counter)] = {0};
	const uint8_t *c = PRM_AT(query_flow_counter_out, out, flow_statistics);

	PRM_SET(query_flow_counter_in, in, opcode, PRM_CMD_OP_QUERY_FLOW_COUNTER);
	PRM_SET(query_flow_counter_in, in, flow_counter_id, id);
	raw_do(r, PROV_CMD_QUERY, obj, in, sizeof(in), out, sizeof(out));
	*packets = PRM_GET(traffic_counter, c, packets);
	*octets = PRM_GET(traffic_counter, c, octets);
}

static uint32_t general(struct raw *r, uint16_t type, uint8_t *in, size_t inlen,
			struct prov_obj **obj)
{
	uint8_t out[PRM_BYTES(general_obj_out_cmd_hdr)];
	struct prov_obj *o;

	PRM_SET(general_obj_in_cmd_hdr, in, opcode, PRM_CMD_OP_CREATE_GENERAL_OBJECT);
	PRM_SET(general_obj_in_cmd_hdr, in, obj_type, type);
	o = raw_do(r, PROV_CMD_CREATE, NULL, in, inlen, out, sizeof(out));
	if (obj)
		*obj = o;
	return (uint32_t)PRM_GET(general_obj_out_cmd_hdr, out, obj_id);
}

/* A 128-bit key lies behind 16 bytes of zero. */
static void set_key(struct raw *r, uint8_t *o, uint8_t purpose, const uint8_t *key, uint8_t len)
{
	PRM_SET(encryption_key_obj, o, key_size, len == 32);
	PRM_SET(encryption_key_obj, o, key_purpose, purpose);
	PRM_SET(encryption_key_obj, o, pd, r->pd);
	memcpy(PRM_AT(encryption_key_obj, o, key) + 32 - len, key, len);
}

static uint32_t dek(struct raw *r, uint8_t purpose, const uint8_t *key, uint8_t len,
		    struct prov_obj **obj)
{
	uint8_t in[PRM_BYTES(create_encryption_key_in)] = {0};

	set_key(r, PRM_AT(create_encryption_key_in, in, encryption_key_object), purpose, key, len);
	return general(r, PRM_GENERAL_OBJECT_TYPES_ENCRYPTION_KEY, in, sizeof(in), obj);
}

uint32_t raw_dek(struct raw *r, const uint8_t *key, uint8_t len, struct prov_obj **obj)
{
	return dek(r, PRM_GENERAL_OBJECT_TYPE_ENCRYPTION_KEY_PURPOSE_IPSEC, key, len, obj);
}

uint32_t raw_tls_dek(struct raw *r, const uint8_t *key, uint8_t len, struct prov_obj **obj)
{
	return dek(r, PRM_GENERAL_OBJECT_TYPE_ENCRYPTION_KEY_PURPOSE_TLS, key, len, obj);
}

void raw_tls_key(struct raw *r, struct prov_obj *obj, uint32_t dekn, const uint8_t *key,
		 uint8_t len)
{
	uint8_t in[PRM_BYTES(create_encryption_key_in)] = {0},
		out[PRM_BYTES(general_obj_out_cmd_hdr)];
	uint8_t *o = PRM_AT(create_encryption_key_in, in, encryption_key_object);

	PRM_SET(general_obj_in_cmd_hdr, in, opcode, PRM_CMD_OP_MODIFY_GENERAL_OBJECT);
	PRM_SET(general_obj_in_cmd_hdr, in, obj_type, PRM_GENERAL_OBJECT_TYPES_ENCRYPTION_KEY);
	PRM_SET(general_obj_in_cmd_hdr, in, obj_id, dekn);
	PRM_SET(encryption_key_obj, o, modify_field_select, 1);
	set_key(r, o, PRM_GENERAL_OBJECT_TYPE_ENCRYPTION_KEY_PURPOSE_TLS, key, len);
	raw_do(r, PROV_CMD_MODIFY, obj, in, sizeof(in), out, sizeof(out));
}

uint32_t raw_ipsec(struct raw *r, uint32_t dekn, bool tx, uint32_t sn)
{
	uint8_t in[PRM_BYTES(create_ipsec_obj_in)] = {0};
	uint8_t *o = PRM_AT(create_ipsec_obj_in, in, ipsec_object),
		*aso = PRM_AT(ipsec_obj, o, ipsec_aso);

	PRM_SET(ipsec_obj, o, full_offload, 1);
	PRM_SET(ipsec_obj, o, icv_length, PRM_IPSEC_OBJECT_ICV_LEN_16B);
	PRM_SET(ipsec_obj, o, aso_return_reg, PRM_IPSEC_ASO_REG_C_4_5);
	PRM_SET(ipsec_obj, o, dekn, dekn);
	PRM_SET(ipsec_obj, o, salt, 0xf4f3f2f1);
	PRM_SET(ipsec_obj, o, ipsec_aso_access_pd, r->pd);
	PRM_SET(ipsec_aso, aso, valid, 1);
	PRM_SET(ipsec_aso, aso, mode, tx ? PRM_IPSEC_ASO_INC_SN : PRM_IPSEC_ASO_MODE);
	PRM_SET(ipsec_aso, aso, mode_parameter, sn);
	return general(r, PRM_GENERAL_OBJECT_TYPES_IPSEC, in, sizeof(in), NULL);
}

uint32_t raw_reformat(struct raw *r, uint8_t type, const uint8_t *data, uint32_t len)
{
	uint8_t in[PRM_BYTES(alloc_packet_reformat_context_in) + 256] = {0};
	uint8_t out[PRM_BYTES(alloc_packet_reformat_context_out)];
	uint8_t *ctx = PRM_AT(alloc_packet_reformat_context_in, in, packet_reformat_context);
	size_t inlen = PRM_OFFSET(alloc_packet_reformat_context_in, packet_reformat_context) / 8 +
		       PRM_OFFSET(packet_reformat_context_in, reformat_data) / 8 + len;

	PRM_SET(alloc_packet_reformat_context_in, in, opcode,
		PRM_CMD_OP_ALLOC_PACKET_REFORMAT_CONTEXT);
	PRM_SET(packet_reformat_context_in, ctx, reformat_type, type);
	PRM_SET(packet_reformat_context_in, ctx, reformat_param_0,
		len ? 4 : 0); /* ICV in 4-byte units */
	PRM_SET(packet_reformat_context_in, ctx, reformat_data_size, len);
	if (len)
		memcpy(PRM_AT(packet_reformat_context_in, ctx, reformat_data), data, len);
	inlen = (inlen + 3) & ~(size_t)3;
	if (inlen < PRM_BYTES(alloc_packet_reformat_context_in))
		inlen = PRM_BYTES(alloc_packet_reformat_context_in);
	raw_do(r, PROV_CMD_CREATE, NULL, in, inlen, out, sizeof(out));
	return (uint32_t)PRM_GET(alloc_packet_reformat_context_out, out, packet_reformat_id);
}

uint32_t raw_modhdr(struct raw *r, uint8_t table_type, uint16_t field, uint32_t value)
{
	uint8_t in[PRM_BYTES(alloc_modify_header_context_in) + PRM_BYTES(set_action_in)] = {0};
	uint8_t out[PRM_BYTES(alloc_modify_header_context_out)];
	uint8_t *a = PRM_AT(alloc_modify_header_context_in, in, actions);

	PRM_SET(alloc_modify_header_context_in, in, opcode, PRM_CMD_OP_ALLOC_MODIFY_HEADER_CONTEXT);
	PRM_SET(alloc_modify_header_context_in, in, table_type, table_type);
	PRM_SET(alloc_modify_header_context_in, in, num_of_actions, 1);
	PRM_SET(set_action_in, a, action_type, PRM_ACTION_TYPE_SET);
	PRM_SET(set_action_in, a, field, field);
	PRM_SET(set_action_in, a, data, value); /* length 0 means 32 bits */
	CREATE(r, in, out);
	return (uint32_t)PRM_GET(alloc_modify_header_context_out, out, modify_header_id);
}

/* -- data path ------------------------------------------------------------------------------------------ */

void raw_post(struct raw_sq *sq, uint8_t *wqe)
{
	uint32_t mask = (UINT32_C(1) << sq->log_size) - 1;
	unsigned int nbb = ((unsigned int)PRM_GET(wqe_ctrl_seg, wqe, ds) * 16 + 63) / 64;

	PRM_SET(wqe_ctrl_seg, wqe, wqe_index, sq->pi);
	PRM_SET(wqe_ctrl_seg, wqe, qpn, sq->sqn);
	for (unsigned int i = 0; i < nbb; i++)
		memcpy(sq->ring + ((sq->pi + i) & mask) * (size_t)64, wqe + (size_t)i * 64, 64);
	sq->pi = (uint16_t)(sq->pi + nbb);
}

void raw_ring(struct raw *r, struct raw_sq *sq)
{
	uint8_t ctrl[8] = {0};
	uint64_t word;

	PRM_SET(wqe_ctrl_seg, ctrl, wqe_index, (uint16_t)(sq->pi - 1));
	PRM_SET(wqe_ctrl_seg, ctrl, qpn, sq->sqn);
	memcpy(&word, ctrl, sizeof(word));
	/* release: WQEs before the record, the record before the doorbell */
	__atomic_store_n(&sq->db[1], __builtin_bswap32(sq->pi), __ATOMIC_RELEASE);
	r->ops->ring(r->dev, &r->uar, word);
}

const uint8_t *raw_poll(struct raw_cq *cq)
{
	const uint8_t *c = cq->ring + (cq->ci & ((UINT32_C(1) << cq->log_size) - 1)) * (size_t)64;
	uint8_t op_own = __atomic_load_n(c + 63, __ATOMIC_ACQUIRE);

	if ((op_own & 1) != (cq->ci >> cq->log_size & 1) || op_own >> 4 == PRM_CQE_OP_INVALID)
		return NULL;
	cq->ci++;
	__atomic_store_n(&cq->db[0], __builtin_bswap32(cq->ci & 0xffffff), __ATOMIC_RELEASE);
	return c;
}

void raw_post_rx(struct raw *r, struct raw_rq *rq, size_t offset, uint32_t n)
{
	uint8_t *w = rq->ring + (rq->pi & ((UINT32_C(1) << rq->log_size) - 1)) * (size_t)64;

	memset(w, 0, 64);
	PRM_SET(wqe_data_seg, w, byte_count, n);
	PRM_SET(wqe_data_seg, w, lkey, r->mr.lkey);
	PRM_SET(wqe_data_seg, w, addr, (uint64_t)(uintptr_t)(r->data + offset));
	PRM_SET(wqe_data_seg, w + 16, lkey, 0x100);
	rq->pi++;
	__atomic_store_n(&rq->db[0], __builtin_bswap32(rq->pi), __ATOMIC_RELEASE);
}

void raw_send(struct raw *r, struct raw_sq *sq, size_t offset, uint32_t n, uint8_t cs_flags)
{
	uint8_t wqe[64] = {0};

	PRM_SET(wqe_ctrl_seg, wqe, opcode, PRM_WQE_OP_SEND);
	PRM_SET(wqe_ctrl_seg, wqe, ds, 3);
	PRM_SET(wqe_ctrl_seg, wqe, fm_ce_se, PRM_WQE_CE_CQ_UPDATE);
	PRM_SET(wqe_eth_seg, wqe + 16, cs_flags, cs_flags);
	PRM_SET(wqe_data_seg, wqe + 32, byte_count, n);
	PRM_SET(wqe_data_seg, wqe + 32, lkey, r->mr.lkey);
	PRM_SET(wqe_data_seg, wqe + 32, addr, (uint64_t)(uintptr_t)(r->data + offset));
	raw_post(sq, wqe);
	raw_ring(r, sq);
}
