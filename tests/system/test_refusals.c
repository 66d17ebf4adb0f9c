// SPDX-License-Identifier: BSD-2-Clause
/*
 * What the model refuses, made from the lists of prm/: for every opcode a valid mailbox (tests/lib/mailboxes.c), then
 * one thing broken at a time - length of mailbox and answer, each reserved bit, each handle it names, the user, the
 * references, the limit. After every refusal there are as many objects as before. An opcode without a row in any of
 * the tables below does not build.
 */
#include "lib/mailboxes.h"
#include "providers/model/syndromes.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

enum { NO_SUCH_ID = 0x7ffff1, STRANGER = 2 };

/* clang-format off */
/*
 * Handles that a command names: N(layout, field) in the mailbox itself, X(bit, width) elsewhere. An opcode without
 * handles says NONE.
 */
#define NONE
#define N(l, f) {PRM_OFFSET(l, f), PRM_WIDTH(l, f)},
#define IN(l, sub, l2, f) {PRM_OFFSET(l, sub) + PRM_OFFSET(l2, f), PRM_WIDTH(l2, f)},
#define WQ(l, ctx, c, f) {PRM_OFFSET(l, ctx) + PRM_OFFSET(c, wq) + PRM_OFFSET(wq, f), PRM_WIDTH(wq, f)},
#define LIST(i, l2, f) {PRM_set_fte_in_bits + (i) * PRM_dest_format_struct_bits + PRM_OFFSET(l2, f), PRM_WIDTH(l2, f)},

#define IDS_QUERY_HCA_CAP NONE
#define IDS_NOP NONE
#define IDS_CREATE_MKEY N(create_mkey_in, mkey_umem_id) IN(create_mkey_in, memory_key_mkey_entry, mkc, pd)
#define IDS_DESTROY_MKEY N(destroy_mkey_in, mkey_index)
#define IDS_CREATE_CQ N(create_cq_in, cq_umem_id) IN(create_cq_in, cq_context, cqc, dbr_umem_id) \
	IN(create_cq_in, cq_context, cqc, uar_page) IN(create_cq_in, cq_context, cqc, c_eqn_or_apu_element)
#define IDS_DESTROY_CQ N(destroy_cq_in, cqn)
#define IDS_ALLOC_PD NONE
#define IDS_DEALLOC_PD N(dealloc_pd_in, pd)
#define IDS_ALLOC_UAR NONE
#define IDS_DEALLOC_UAR N(dealloc_uar_in, uar)
#define IDS_ALLOC_TRANSPORT_DOMAIN NONE
#define IDS_DEALLOC_TRANSPORT_DOMAIN N(dealloc_transport_domain_in, transport_domain)
#define IDS_CREATE_TIR IN(create_tir_in, ctx, tirc, transport_domain) IN(create_tir_in, ctx, tirc, inline_rqn)
#define IDS_DESTROY_TIR N(destroy_tir_in, tirn)
#define IDS_MODIFY_TIR N(modify_tir_in, tirn) IN(modify_tir_in, ctx, tirc, indirect_table)
#define IDS_QUERY_TIR N(query_tir_in, tirn)
#define IDS_CREATE_SQ IN(create_sq_in, ctx, sqc, cqn) IN(create_sq_in, ctx, sqc, tis_num_0) \
	WQ(create_sq_in, ctx, sqc, pd) WQ(create_sq_in, ctx, sqc, uar_page) WQ(create_sq_in, ctx, sqc, wq_umem_id) \
	WQ(create_sq_in, ctx, sqc, dbr_umem_id)
#define IDS_MODIFY_SQ N(modify_sq_in, sqn)
#define IDS_DESTROY_SQ N(destroy_sq_in, sqn)
#define IDS_QUERY_SQ N(query_sq_in, sqn)
#define IDS_CREATE_RQ IN(create_rq_in, ctx, rqc, cqn) WQ(create_rq_in, ctx, rqc, pd) \
	WQ(create_rq_in, ctx, rqc, wq_umem_id) WQ(create_rq_in, ctx, rqc, dbr_umem_id) \
	IN(create_rq_in, ctx, rqc, counter_set_id)
#define IDS_MODIFY_RQ N(modify_rq_in, rqn)
#define IDS_DESTROY_RQ N(destroy_rq_in, rqn)
#define IDS_QUERY_RQ N(query_rq_in, rqn)
#define IDS_CREATE_TIS IN(create_tis_in, ctx, tisc, transport_domain) IN(create_tis_in, ctx, tisc, pd)
#define IDS_DESTROY_TIS N(destroy_tis_in, tisn)
#define IDS_MODIFY_TIS N(modify_tis_in, tisn)
#define IDS_QUERY_TIS N(query_tis_in, tisn)
#define RQT_ENTRY(i) {PRM_create_rqt_in_bits + (i) * PRM_rq_num_bits + PRM_OFFSET(rq_num, rq_num), PRM_WIDTH(rq_num, rq_num)},
#define IDS_CREATE_RQT RQT_ENTRY(0) RQT_ENTRY(1)
#define IDS_MODIFY_RQT N(modify_rqt_in, rqtn) RQT_ENTRY(0) RQT_ENTRY(1)
#define IDS_DESTROY_RQT N(destroy_rqt_in, rqtn)
#define IDS_QUERY_RQT N(query_rqt_in, rqtn)
#define IDS_SET_FLOW_TABLE_ROOT N(set_flow_table_root_in, table_id)
#define IDS_CREATE_FLOW_TABLE IN(create_flow_table_in, flow_table_context, flow_table_context, table_miss_id)
#define IDS_DESTROY_FLOW_TABLE N(destroy_flow_table_in, table_id)
#define IDS_QUERY_FLOW_TABLE N(query_flow_table_in, table_id)
#define IDS_MODIFY_FLOW_TABLE N(modify_flow_table_in, table_id) \
	IN(modify_flow_table_in, flow_table_context, flow_table_context, table_miss_id)
#define IDS_CREATE_FLOW_GROUP N(create_flow_group_in, table_id)
#define IDS_DESTROY_FLOW_GROUP N(destroy_flow_group_in, table_id) N(destroy_flow_group_in, group_id)
#define IDS_QUERY_FLOW_GROUP N(query_flow_group_in, table_id) N(query_flow_group_in, group_id)
#define IDS_SET_FLOW_TABLE_ENTRY N(set_fte_in, table_id) N(set_fte_in, flow_index) \
	IN(set_fte_in, flow_context, flow_context, group_id) IN(set_fte_in, flow_context, flow_context, packet_reformat_id) \
	IN(set_fte_in, flow_context, flow_context, modify_header_id) \
	IN(set_fte_in, flow_context, flow_context, encrypt_decrypt_obj_id) \
	LIST(0, dest_format_struct, destination_id) LIST(1, flow_counter_list, flow_counter_id)
#define IDS_QUERY_FLOW_TABLE_ENTRY N(query_fte_in, table_id) N(query_fte_in, flow_index)
#define IDS_DELETE_FLOW_TABLE_ENTRY N(delete_fte_in, table_id) N(delete_fte_in, flow_index)
#define IDS_ALLOC_FLOW_COUNTER NONE
#define IDS_DEALLOC_FLOW_COUNTER N(dealloc_flow_counter_in, flow_counter_id)
#define IDS_QUERY_FLOW_COUNTER N(query_flow_counter_in, flow_counter_id)
#define IDS_ALLOC_PACKET_REFORMAT_CONTEXT NONE
#define IDS_DEALLOC_PACKET_REFORMAT_CONTEXT N(dealloc_packet_reformat_context_in, packet_reformat_id)
#define IDS_ALLOC_MODIFY_HEADER_CONTEXT NONE
#define IDS_DEALLOC_MODIFY_HEADER_CONTEXT N(dealloc_modify_header_context_in, modify_header_id)
#define IDS_CREATE_GENERAL_OBJECT IN(create_encryption_key_in, encryption_key_object, encryption_key_obj, pd)
#define IDS_MODIFY_GENERAL_OBJECT N(general_obj_in_cmd_hdr, obj_id) \
	IN(create_encryption_key_in, encryption_key_object, encryption_key_obj, pd)
#define IDS_QUERY_GENERAL_OBJECT N(general_obj_in_cmd_hdr, obj_id)
#define IDS_DESTROY_GENERAL_OBJECT N(general_obj_in_cmd_hdr, obj_id)
#define IDS_SYNC_CRYPTO NONE
#define IDS_QUERY_CQ N(query_cq_in, cqn)
#define IDS_MODIFY_CQ N(modify_cq_in, cqn)
#define IDS_ALLOC_Q_COUNTER NONE
#define IDS_DEALLOC_Q_COUNTER N(dealloc_q_counter_in, counter_set_id)
#define IDS_QUERY_Q_COUNTER N(query_q_counter_in, counter_set_id)
#define IDS_QUERY_VPORT_STATE NONE
#define IDS_QUERY_NIC_VPORT_CONTEXT NONE
#define IDS_QUERY_VPORT_COUNTER NONE
#define IDS_ACCESS_REG NONE
#define IDS_QUERY_SPECIAL_CONTEXTS NONE
#define IDS_QUERY_ISSI NONE
#define IDS_SET_ISSI NONE
#define IDS_QUERY_ADAPTER NONE
#define IDS_QUERY_PAGES NONE
#define IDS_MANAGE_PAGES NONE

/* Objects that a create makes, for the limit; NTYPES: none. */
#define MAKES_QUERY_HCA_CAP NTYPES
#define MAKES_NOP NTYPES
#define MAKES_CREATE_MKEY MKEY
#define MAKES_DESTROY_MKEY NTYPES
#define MAKES_CREATE_CQ CQ
#define MAKES_DESTROY_CQ NTYPES
#define MAKES_ALLOC_PD PD
#define MAKES_DEALLOC_PD NTYPES
#define MAKES_ALLOC_UAR UAR
#define MAKES_DEALLOC_UAR NTYPES
#define MAKES_ALLOC_TRANSPORT_DOMAIN TD
#define MAKES_DEALLOC_TRANSPORT_DOMAIN NTYPES
#define MAKES_CREATE_TIR TIR
#define MAKES_DESTROY_TIR NTYPES
#define MAKES_MODIFY_TIR NTYPES
#define MAKES_QUERY_TIR NTYPES
#define MAKES_CREATE_SQ SQ
#define MAKES_MODIFY_SQ NTYPES
#define MAKES_DESTROY_SQ NTYPES
#define MAKES_QUERY_SQ NTYPES
#define MAKES_CREATE_RQ RQ
#define MAKES_MODIFY_RQ NTYPES
#define MAKES_DESTROY_RQ NTYPES
#define MAKES_QUERY_RQ NTYPES
#define MAKES_CREATE_TIS TIS
#define MAKES_DESTROY_TIS NTYPES
#define MAKES_MODIFY_TIS NTYPES
#define MAKES_QUERY_TIS NTYPES
#define MAKES_CREATE_RQT RQT
#define MAKES_MODIFY_RQT NTYPES
#define MAKES_DESTROY_RQT NTYPES
#define MAKES_QUERY_RQT NTYPES
#define MAKES_SET_FLOW_TABLE_ROOT NTYPES
#define MAKES_CREATE_FLOW_TABLE FT
#define MAKES_DESTROY_FLOW_TABLE NTYPES
#define MAKES_QUERY_FLOW_TABLE NTYPES
#define MAKES_MODIFY_FLOW_TABLE NTYPES
#define MAKES_CREATE_FLOW_GROUP FG
#define MAKES_DESTROY_FLOW_GROUP NTYPES
#define MAKES_QUERY_FLOW_GROUP NTYPES
#define MAKES_SET_FLOW_TABLE_ENTRY FTE
#define MAKES_QUERY_FLOW_TABLE_ENTRY NTYPES
#define MAKES_DELETE_FLOW_TABLE_ENTRY NTYPES
#define MAKES_ALLOC_FLOW_COUNTER COUNTER
#define MAKES_DEALLOC_FLOW_COUNTER NTYPES
#define MAKES_QUERY_FLOW_COUNTER NTYPES
#define MAKES_ALLOC_PACKET_REFORMAT_CONTEXT REFORMAT
#define MAKES_DEALLOC_PACKET_REFORMAT_CONTEXT NTYPES
#define MAKES_ALLOC_MODIFY_HEADER_CONTEXT MODHDR
#define MAKES_DEALLOC_MODIFY_HEADER_CONTEXT NTYPES
#define MAKES_CREATE_GENERAL_OBJECT DEK
#define MAKES_MODIFY_GENERAL_OBJECT NTYPES
#define MAKES_QUERY_GENERAL_OBJECT NTYPES
#define MAKES_DESTROY_GENERAL_OBJECT NTYPES
#define MAKES_SYNC_CRYPTO NTYPES
#define MAKES_QUERY_CQ NTYPES
#define MAKES_MODIFY_CQ NTYPES
#define MAKES_ALLOC_Q_COUNTER QCOUNTER
#define MAKES_DEALLOC_Q_COUNTER NTYPES
#define MAKES_QUERY_Q_COUNTER NTYPES
#define MAKES_QUERY_VPORT_STATE NTYPES
#define MAKES_QUERY_NIC_VPORT_CONTEXT NTYPES
#define MAKES_QUERY_VPORT_COUNTER NTYPES
#define MAKES_ACCESS_REG NTYPES
#define MAKES_QUERY_SPECIAL_CONTEXTS NTYPES
#define MAKES_QUERY_ISSI NTYPES
#define MAKES_SET_ISSI NTYPES
#define MAKES_QUERY_ADAPTER NTYPES
#define MAKES_QUERY_PAGES NTYPES
#define MAKES_MANAGE_PAGES NTYPES
/* clang-format on */

struct place {
	unsigned int off, width;
};

#define PLACES(name, value, in, out, object) \
	static const struct place ids_##name[] = {IDS_##name{0, 0}};
PRM_OPCODES(PLACES)

#define GLUE(a, b) a##b
#define TYPE(t) GLUE(MODEL_, t)
#define ROW(name, value, in, out, object) {value, #name, ids_##name, TYPE(MAKES_##name), false},

static const struct row {
	uint16_t opcode;
	const char *name;
	const struct place *ids; /* ends with width 0 */
	unsigned int makes;
	bool ipsec; /* general objects: the IPsec form */
} rows[] = {
	PRM_OPCODES(ROW)
#define BODY(field) \
	{ \
		PRM_OFFSET(create_ipsec_obj_in, ipsec_object) + PRM_OFFSET(ipsec_obj, field), \
			PRM_WIDTH(ipsec_obj, field) \
	}
	/* the second kind of general object */
	{PRM_CMD_OP_CREATE_GENERAL_OBJECT, "CREATE IPSEC",
	 (const struct place[]){BODY(dekn), BODY(ipsec_aso_access_pd), {0, 0}}, MODEL_IPSEC, true},
	{PRM_CMD_OP_MODIFY_GENERAL_OBJECT, "MODIFY IPSEC", ids_QUERY_GENERAL_OBJECT, MODEL_NTYPES,
	 true},
	{PRM_CMD_OP_QUERY_GENERAL_OBJECT, "QUERY IPSEC", ids_QUERY_GENERAL_OBJECT, MODEL_NTYPES,
	 true},
	{PRM_CMD_OP_DESTROY_GENERAL_OBJECT, "DESTROY IPSEC", ids_DESTROY_GENERAL_OBJECT,
	 MODEL_NTYPES, true},
};

#define FOR_ROWS(r) for (const struct row *r = rows; r < rows + sizeof(rows) / sizeof(rows[0]); r++)

static struct world w;

static int setup(void **state)
{
	int line = world_init(&w, model_profile_find("connectx-6dx"));

	if (line)
		print_error("the world was not made: mailboxes.c:%d\n", line);
	return line;
}

static int teardown(void **state)
{
	world_fini(&w);
	return 0;
}

static void build(const struct row *r, struct mailbox *m)
{
	if (r->ipsec)
		mailbox_build_ipsec(&w, r->opcode, m);
	else
		mailbox_build(&w, r->opcode, m);
}

/* Status and syndrome of a refusal, and that nothing changed. */
static struct model_refusal refused(const struct row *r, const struct mailbox *m, const char *what,
				    unsigned int where)
{
	struct model_census before, after;
	uint8_t out[MAILBOX_MAX_OUT] = {0};
	int status;

	model_dev_census(&w.dev, &before);
	status = mailbox_exec(&w, m, out);
	model_dev_census(&w.dev, &after);
	if (status <= 0)
		fail_msg("%s: %s %#x: accepted (%d)", r->name, what, where, status);
	if (memcmp(&before, &after, sizeof(before)) != 0)
		fail_msg("%s: %s %#x: refused, but objects came or went", r->name, what, where);
	return (struct model_refusal){(uint8_t)status, prm_out_syndrome(out), what};
}

static void expect(const struct row *r, const struct mailbox *m, const char *what,
		   unsigned int where, uint8_t status)
{
	struct model_refusal got = refused(r, m, what, where);

	if (got.status != status)
		fail_msg("%s: %s %#x: status %#x, not %#x (syndrome %#x)", r->name, what, where,
			 got.status, status, got.syndrome);
}

static void valid_is_accepted(void **state)
{
	struct mailbox m;

	FOR_ROWS(r)
	{
		uint8_t out[MAILBOX_MAX_OUT] = {0};
		int status;

		build(r, &m);
		status = mailbox_exec(&w, &m, out);
		if (status)
			fail_msg("%s: %d, syndrome %#x", r->name, status, prm_out_syndrome(out));
	}
}

static void wrong_lengths(void **state)
{
	struct mailbox m;

	FOR_ROWS(r)
	{
		size_t inlen, outlen;

		build(r, &m);
		inlen = m.inlen;
		outlen = m.outlen;
		m.inlen = inlen - 4;
		expect(r, &m, "short mailbox", (unsigned int)m.inlen, PRM_CMD_STAT_BAD_INP_LEN_ERR);
		m.inlen = 4;
		expect(r, &m, "short mailbox", 4, PRM_CMD_STAT_BAD_INP_LEN_ERR);
		m.inlen = inlen + 4;
		expect(r, &m, "long mailbox", (unsigned int)m.inlen, PRM_CMD_STAT_BAD_INP_LEN_ERR);
		m.inlen = inlen;
		m.outlen = outlen - 4;
		expect(r, &m, "short answer", (unsigned int)m.outlen,
		       PRM_CMD_STAT_BAD_OUTP_LEN_ERR);
	}
}

static void each_reserved_bit(void **state)
{
	struct mailbox m;
	unsigned int n = 0;

	FOR_ROWS(r)
	{
		uint8_t mask[MAILBOX_MAX_IN];

		build(r, &m);
		assert_int_equal(prm_in_mask(m.in, m.inlen, mask), 0);
		for (unsigned int bit = 0; bit < m.inlen * 8; bit++) {
			if (mask[bit / 8] & 0x80 >> bit % 8)
				continue;
			m.in[bit / 8] ^= (uint8_t)(0x80 >> bit % 8);
			expect(r, &m, "reserved bit", bit, PRM_CMD_STAT_BAD_PARAM_ERR);
			m.in[bit / 8] ^= (uint8_t)(0x80 >> bit % 8);
			n++;
		}
	}
	assert_true(n > 10000); /* the masks do not cover everything */
}

static void each_unknown_id(void **state)
{
	struct mailbox m;

	FOR_ROWS(r)
	for (const struct place *p = r->ids; p->width; p++) {
		struct model_refusal got;
		uint64_t was;

		build(r, &m);
		was = prm_get(m.in, p->off, p->width);
		prm_put(m.in, p->off, p->width, NO_SUCH_ID);
		got = refused(r, &m, "unknown id at", p->off);
		if (got.status != PRM_CMD_STAT_BAD_RES_ERR && got.status != PRM_CMD_STAT_IX_ERR)
			fail_msg("%s: unknown id at %#x: status %#x", r->name, p->off, got.status);
		prm_put(m.in, p->off, p->width, was);
		if (mailbox_exec(&w, &m, NULL))
			fail_msg("%s: not accepted any more after id at %#x", r->name, p->off);
	}
}

static void a_stranger(void **state)
{
	struct mailbox m;

	FOR_ROWS(r)
	{
		struct model_refusal got;

		build(r, &m);
		if (!r->ids->width)
			continue;
		m.uid = STRANGER;
		got = refused(r, &m, "foreign uid", STRANGER);
		assert_true(got.status == PRM_CMD_STAT_BAD_RES_ERR ||
			    (r->opcode == PRM_CMD_OP_SET_FLOW_TABLE_ROOT &&
			     got.status == PRM_CMD_STAT_BAD_OP_ERR));
	}
}

static void unknown_opcodes(void **state)
{
	const struct row none = {.name = "unknown opcode"};
	struct mailbox m;
	size_t n;

	prm_opcodes(&n);
	for (unsigned int op = 0; op < 0x10000; op += op < 0x1000 ? 1 : 0x1001) {
		if (prm_opcode_find((uint16_t)op))
			continue;
		mailbox_build(&w, (uint16_t)op, &m);
		expect(&none, &m, "opcode", op, PRM_CMD_STAT_BAD_OP_ERR);
	}
	assert_true(n > 40);
}

static void wrong_op_mods(void **state)
{
	struct mailbox m;

	FOR_ROWS(r)
	{
		build(r, &m);
		PRM_SET(nop_in, m.in, op_mod, 0x7f3); /* also: no such group, no such object type */
		refused(r, &m, "op_mod", 0x7f3);
	}
}

/* -- destroyed while used ------------------------------------------------------------------------------------ */

static void destroy_used(uint16_t opcode, unsigned int off, unsigned int width, uint32_t id,
			 uint32_t table, uint16_t obj_type)
{
	const struct prm_opcode_info *info = prm_opcode_find(opcode);
	const struct row r = {.name = info->name};
	struct mailbox m = {.inlen = info->in->bits / 8, .outlen = 16, .uid = WORLD_UID};

	PRM_SET(nop_in, m.in, opcode, opcode);
	if (obj_type)
		PRM_SET(general_obj_in_cmd_hdr, m.in, obj_type, obj_type);
	prm_put(m.in, off, width, id);
	if (table)
		PRM_SET(destroy_flow_group_in, m.in, table_id, table);
	expect(&r, &m, "destroy while used", id, PRM_CMD_STAT_BAD_RES_STATE_ERR);
}

#define USED(op, layout, field, id) \
	destroy_used(PRM_CMD_OP_##op, PRM_OFFSET(layout, field), PRM_WIDTH(layout, field), id, 0, 0)

static void destroy_while_used(void **state)
{
	struct mailbox m;

	mailbox_build(&w, PRM_CMD_OP_SET_FLOW_TABLE_ENTRY, &m);
	assert_int_equal(mailbox_exec(&w, &m, NULL), 0);
	mailbox_build(&w, PRM_CMD_OP_SET_FLOW_TABLE_ROOT, &m);
	assert_int_equal(mailbox_exec(&w, &m, NULL), 0);
	USED(DEALLOC_UAR, dealloc_uar_in, uar, w.uar);
	USED(DEALLOC_PD, dealloc_pd_in, pd, w.pd);
	USED(DEALLOC_TRANSPORT_DOMAIN, dealloc_transport_domain_in, transport_domain, w.td);
	USED(DESTROY_CQ, destroy_cq_in, cqn, w.cq);
	USED(DESTROY_TIS, destroy_tis_in, tisn, w.tis);
	USED(DESTROY_RQ, destroy_rq_in, rqn, w.rq);
	USED(DESTROY_RQT, destroy_rqt_in, rqtn, w.rqt);
	USED(DEALLOC_FLOW_COUNTER, dealloc_flow_counter_in, flow_counter_id, w.counter);
	USED(DEALLOC_PACKET_REFORMAT_CONTEXT, dealloc_packet_reformat_context_in,
	     packet_reformat_id, w.del);
	USED(DEALLOC_MODIFY_HEADER_CONTEXT, dealloc_modify_header_context_in, modify_header_id,
	     w.modhdr);
	USED(DESTROY_FLOW_TABLE, destroy_flow_table_in, table_id, w.rx);
	USED(DESTROY_FLOW_TABLE, destroy_flow_table_in, table_id, w.rx2);
	destroy_used(PRM_CMD_OP_DESTROY_FLOW_GROUP, PRM_OFFSET(destroy_flow_group_in, group_id), 32,
		     w.group, w.rx, 0);
	destroy_used(PRM_CMD_OP_DESTROY_GENERAL_OBJECT, PRM_OFFSET(general_obj_in_cmd_hdr, obj_id),
		     32, w.dek, 0, PRM_GENERAL_OBJECT_TYPES_ENCRYPTION_KEY);
	destroy_used(PRM_CMD_OP_DESTROY_GENERAL_OBJECT, PRM_OFFSET(general_obj_in_cmd_hdr, obj_id),
		     32, w.sa_rx, 0, PRM_GENERAL_OBJECT_TYPES_IPSEC);
}

static void destroy_used_tir_and_root(void **state)
{
	uint8_t *list;
	struct mailbox m;

	mailbox_build(&w, PRM_CMD_OP_SET_FLOW_TABLE_ENTRY, &m);
	list = PRM_AT(flow_context, PRM_AT(set_fte_in, m.in, flow_context), destination);
	PRM_SET(dest_format_struct, list, destination_type, PRM_IFC_FLOW_DESTINATION_TYPE_TIR);
	PRM_SET(dest_format_struct, list, destination_id, w.tir);
	assert_int_equal(mailbox_exec(&w, &m, NULL), 0);
	USED(DESTROY_TIR, destroy_tir_in, tirn, w.tir);
	mailbox_build(&w, PRM_CMD_OP_SET_FLOW_TABLE_ROOT, &m);
	assert_int_equal(mailbox_exec(&w, &m, NULL), 0);
	mailbox_build(&w, PRM_CMD_OP_DESTROY_FLOW_TABLE, &m);
	m.uid = 0;
	PRM_SET(destroy_flow_table_in, m.in, table_id, w.root);
	assert_int_equal(mailbox_exec(&w, &m, NULL), PRM_CMD_STAT_BAD_RES_STATE_ERR);
}

/* -- limits --------------------------------------------------------------------------------------------------- */

static void limit_plus_one(void **state)
{
	struct mailbox m;

	FOR_ROWS(r)
	{
		uint32_t was;

		if (r->makes == MODEL_NTYPES)
			continue;
		build(r, &m);
		assert_int_equal(mailbox_exec(&w, &m, NULL), 0); /* a limit of 0 would be none */
		build(r, &m);
		was = w.dev.profile.max[r->makes];
		w.dev.profile.max[r->makes] = w.dev.live[r->makes];
		expect(r, &m, "limit + 1", w.dev.live[r->makes], PRM_CMD_STAT_LIM_ERR);
		w.dev.profile.max[r->makes] = was;
		assert_int_equal(mailbox_exec(&w, &m, NULL), 0);
	}
}

static void syndromes_are_distinct(void **state)
{
#define NUMBER(name, syndrome, status, meaning) syndrome,
	static const uint32_t all[] = {MODEL_SYNDROMES(NUMBER)};

	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++)
		for (size_t k = 0; k < i; k++)
			assert_int_not_equal(all[i], all[k]);
}

int main(void)
{
#define TEST(f) cmocka_unit_test_setup_teardown(f, setup, teardown)
	const struct CMUnitTest tests[] = {
		TEST(valid_is_accepted),
		TEST(wrong_lengths),
		TEST(each_reserved_bit),
		TEST(each_unknown_id),
		TEST(a_stranger),
		TEST(unknown_opcodes),
		TEST(wrong_op_mods),
		TEST(destroy_while_used),
		TEST(destroy_used_tir_and_root),
		TEST(limit_plus_one),
		cmocka_unit_test(syndromes_are_distinct),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
