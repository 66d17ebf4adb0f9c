// SPDX-License-Identifier: BSD-2-Clause
/*
 * What the model's objects do when they are used rightly, and the refusals that need more than one wrong bit: states,
 * key cache, bulks, IPsec objects, table levels, groups, entries.
 */
#include "lib/mailboxes.h"
#include "providers/model/syndromes.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

static struct world w;
static struct mailbox m;
static uint8_t out[MAILBOX_MAX_OUT];

static int setup(void **state)
{
	return world_init(&w, model_profile_find("connectx-6dx"));
}

static int teardown(void **state)
{
	world_fini(&w);
	return 0;
}

#define SYNDROME_OF(name, syndrome, status, meaning) syndrome,
static const uint32_t syndromes[] = {0, MODEL_SYNDROMES(SYNDROME_OF)};

static void good(void)
{
	int status = mailbox_exec(&w, &m, out);

	if (status)
		fail_msg("refused: %d, syndrome %#x", status, prm_out_syndrome(out));
}

static void bad(enum model_synd why)
{
	assert_true(mailbox_exec(&w, &m, out) > 0);
	assert_int_equal(prm_out_syndrome(out), syndromes[why]);
}

/* -- queues ------------------------------------------------------------------------------------------------ */

static uint32_t step(uint32_t sqn, unsigned int from, unsigned int to)
{
	mailbox_build(&w, PRM_CMD_OP_MODIFY_SQ, &m);
	if (!sqn)
		sqn = (uint32_t)PRM_GET(modify_sq_in, m.in, sqn);
	PRM_SET(modify_sq_in, m.in, sqn, sqn);
	PRM_SET(modify_sq_in, m.in, sq_state, from);
	PRM_SET(sqc, PRM_AT(modify_sq_in, m.in, ctx), state, to);
	return sqn;
}

static void queue_states(void **state)
{
	uint32_t sqn = step(0, MODEL_Q_RST, MODEL_Q_RDY);

	good();
	step(sqn, MODEL_Q_RST, MODEL_Q_RDY);
	bad(MODEL_S_QUEUE_STATE);
	step(sqn, MODEL_Q_RDY, MODEL_Q_ERR);
	good();
	step(sqn, MODEL_Q_ERR, MODEL_Q_RDY);
	bad(MODEL_S_QUEUE_STEP);
	step(sqn, MODEL_Q_ERR, MODEL_Q_RST);
	good();
	step(sqn, MODEL_Q_RST, MODEL_Q_RDY);
	good();
	step(sqn, MODEL_Q_RDY, 2);
	bad(MODEL_S_QUEUE_STEP);
	mailbox_build(&w, PRM_CMD_OP_QUERY_SQ, &m);
	PRM_SET(query_sq_in, m.in, sqn, sqn);
	good();
	assert_int_equal(PRM_GET(sqc, PRM_AT(query_sq_out, out, sq_context), state), MODEL_Q_RDY);
	assert_int_equal(PRM_GET(sqc, PRM_AT(query_sq_out, out, sq_context), cqn), w.cq);
}

static void rings_lie_in_their_umem(void **state)
{
	uint8_t *cqc;

	mailbox_build(&w, PRM_CMD_OP_CREATE_CQ, &m);
	PRM_SET(create_cq_in, m.in, cq_umem_offset, 0x10000 - 64);
	bad(MODEL_S_RING_UMEM);
	PRM_SET(create_cq_in, m.in, cq_umem_offset, 32);
	bad(MODEL_S_RING_UMEM);
	PRM_SET(create_cq_in, m.in, cq_umem_offset, UINT64_MAX - 63);
	bad(MODEL_S_RING_UMEM);
	mailbox_build(&w, PRM_CMD_OP_CREATE_CQ, &m);
	cqc = PRM_AT(create_cq_in, m.in, cq_context);
	PRM_SET(cqc, cqc, dbr_addr, 0x10000 - 4);
	bad(MODEL_S_DBR_UMEM);
	PRM_SET(cqc, cqc, dbr_addr, 0x10000);
	bad(MODEL_S_DBR_UMEM);
	PRM_SET(cqc, cqc, log_cq_size, 23);
	bad(MODEL_S_CQ_SIZE);
}

static void memory_keys(void **state)
{
	uint8_t *mkc;

	mailbox_build(&w, PRM_CMD_OP_CREATE_MKEY, &m);
	mkc = PRM_AT(create_mkey_in, m.in, memory_key_mkey_entry);
	PRM_SET(mkc, mkc, len, 0x1000);
	PRM_SET(mkc, mkc, lw, 0);
	PRM_SET(mkc, mkc, mkey_7_0, 0x5a);
	good();
	uint32_t lkey = (uint32_t)PRM_GET(create_mkey_out, out, mkey_index) << 8 | 0x5a;
	uintptr_t at = (uintptr_t)w.mem;

	assert_ptr_equal(model_mem(&w.dev, w.pd, lkey, at, 0x1000, false), w.mem);
	assert_ptr_equal(model_mem(&w.dev, w.pd, lkey, at + 0xfff, 1, false), w.mem + 0xfff);
	assert_null(model_mem(&w.dev, w.pd, lkey, at, 0x1001, false));
	assert_null(model_mem(&w.dev, w.pd, lkey, at + 0x1001, 0, false));
	assert_null(model_mem(&w.dev, w.pd, lkey, at - 1, 2, false));
	assert_null(model_mem(&w.dev, w.pd, lkey, at + 8, SIZE_MAX, false));
	assert_null(model_mem(&w.dev, w.pd, lkey, at, 8, true)); /* lw is 0 */
	assert_null(model_mem(&w.dev, w.pd + 1, lkey, at, 8, false));
	assert_null(model_mem(&w.dev, w.pd, lkey ^ 1, at, 8, false));
	PRM_SET(mkc, mkc, len, 0x20000);
	bad(MODEL_S_MKEY_UMEM);
	PRM_SET(mkc, mkc, access_mode_1_0, PRM_MKC_ACCESS_MODE_PA);
	bad(MODEL_S_MKEY_UMEM); /* all memory is not for users */
}

/* -- keys -------------------------------------------------------------------------------------------------- */

static struct model_dek *dek_of(uint32_t id)
{
	return (struct model_dek *)model_obj_find(&w.dev, MODEL_DEK, id);
}

static uint8_t first_key_byte(struct model_dek *dek, uint32_t slot)
{
	uint8_t key[32], len;
	uint32_t gen;

	assert_int_equal(model_key_get(&w.dev, dek, slot, key, &len, &gen), 0);
	return key[0];
}

static void write_slot(uint32_t slot, uint8_t byte)
{
	uint8_t *obj;

	mailbox_build(&w, PRM_CMD_OP_MODIFY_GENERAL_OBJECT, &m);
	obj = PRM_AT(create_encryption_key_in, m.in, encryption_key_object);
	memset(PRM_AT(encryption_key_obj, obj, key) + 16, byte, 16);
	PRM_SET(general_obj_query_param, PRM_AT(general_obj_in_cmd_hdr, m.in, op_param), obj_offset,
		slot);
	good();
}

static void a_written_key_is_used_after_sync_only(void **state)
{
	struct model_dek *dek = dek_of(w.bulk);
	uint8_t key[32], len;
	uint32_t gen;

	assert_int_equal(model_key_get(&w.dev, dek, 5, key, &len, &gen), -ENOKEY);
	write_slot(5, 0xaa);
	assert_int_equal(first_key_byte(dek, 5), 0xaa);
	write_slot(5, 0xbb);
	assert_int_equal(first_key_byte(dek, 5), 0xaa); /* the cache has the old one */
	mailbox_build(&w, PRM_CMD_OP_SYNC_CRYPTO, &m);
	good();
	assert_int_equal(first_key_byte(dek, 5), 0xbb);
	assert_int_equal(atomic_load(&w.dev.key_refills), 2);
}

static void sync_of_another_purpose_drops_nothing(void **state)
{
	struct model_dek *dek = dek_of(w.bulk);

	write_slot(0, 1);
	first_key_byte(dek, 0);
	write_slot(0, 2);
	mailbox_build(&w, PRM_CMD_OP_SYNC_CRYPTO, &m);
	PRM_SET(sync_crypto_in, m.in, crypto_type,
		1 << PRM_GENERAL_OBJECT_TYPE_ENCRYPTION_KEY_PURPOSE_TLS);
	good();
	assert_int_equal(first_key_byte(dek, 0), 1);
	PRM_SET(sync_crypto_in, m.in, crypto_type, 1); /* all */
	good();
	assert_int_equal(first_key_byte(dek, 0), 2);
	PRM_SET(sync_crypto_in, m.in, crypto_type, 0);
	bad(MODEL_S_SYNC_TYPE);
}

/* What was cached after the sync began stays cached. */
static void a_sync_reaches_back_only(void **state)
{
	struct model_dek *dek = dek_of(w.bulk);
	struct model_ticket t;

	write_slot(1, 1);
	mailbox_build(&w, PRM_CMD_OP_SYNC_CRYPTO, &m);
	model_fw_begin(&w.dev, m.in, m.inlen, &t);
	while (model_now(&w.dev) == t.start)
		;
	assert_int_equal(first_key_byte(dek, 1), 1); /* used while the sync runs */
	mailbox_build(&w, PRM_CMD_OP_SYNC_CRYPTO, &m);
	assert_int_equal(model_fw_run(&w.dev, &t, m.uid, m.in, m.inlen, out, m.outlen), 0);
	write_slot(1, 2);
	assert_int_equal(first_key_byte(dek, 1), 1);
}

static void bulks(void **state)
{
	uint8_t *param = PRM_AT(general_obj_in_cmd_hdr, m.in, op_param);

	mailbox_build(&w, PRM_CMD_OP_MODIFY_GENERAL_OBJECT, &m);
	PRM_SET(general_obj_query_param, param, obj_offset, 8);
	bad(MODEL_S_OBJ_OFFSET);
	PRM_SET(general_obj_query_param, param, obj_offset, 0);
	PRM_SET(general_obj_in_cmd_hdr, m.in, obj_id, w.bulk + 1);
	bad(MODEL_S_NO_DEK); /* a bulk is named by its base */
	mailbox_build(&w, PRM_CMD_OP_CREATE_GENERAL_OBJECT, &m);
	PRM_SET(general_obj_create_param, param, log_obj_range, 2);
	bad(MODEL_S_KEY_BYTES); /* a bulk is created empty */
	PRM_SET(general_obj_create_param, param, log_obj_range, 13);
	bad(MODEL_S_OBJ_RANGE);
}

static void keys_read_back_as_zero(void **state)
{
	uint8_t *obj = out + PRM_BYTES(general_obj_out_cmd_hdr);

	mailbox_build(&w, PRM_CMD_OP_QUERY_GENERAL_OBJECT, &m);
	good();
	assert_int_equal(PRM_GET(encryption_key_obj, obj, pd), w.pd);
	for (unsigned int i = 0; i < 128; i++)
		assert_int_equal(PRM_AT(encryption_key_obj, obj, key)[i], 0);
}

/* -- IPsec objects ----------------------------------------------------------------------------------------- */

#define IPSEC_OBJ PRM_AT(create_ipsec_obj_in, m.in, ipsec_object)
#define IPSEC_ASO PRM_AT(ipsec_obj, IPSEC_OBJ, ipsec_aso)

/* A valid create with one field changed. */
#define IPSEC_BAD(layout, at, field, value, why) \
	do { \
		mailbox_build_ipsec(&w, PRM_CMD_OP_CREATE_GENERAL_OBJECT, &m); \
		PRM_SET(layout, at, field, value); \
		bad(why); \
	} while (0)

static void ipsec_refusals(void **state)
{
	IPSEC_BAD(ipsec_obj, IPSEC_OBJ, icv_length, 1, MODEL_S_IPSEC_ICV);
	IPSEC_BAD(ipsec_obj, IPSEC_OBJ, aso_return_reg, 4, MODEL_S_IPSEC_ASO_REG);
	IPSEC_BAD(ipsec_obj, IPSEC_OBJ, modify_field_select, 1, MODEL_S_OBJ_SELECT);
	IPSEC_BAD(ipsec_obj, IPSEC_OBJ, dekn, w.bulk + 2, MODEL_S_IPSEC_KEY_EMPTY);
	mailbox_build_ipsec(&w, PRM_CMD_OP_CREATE_GENERAL_OBJECT, &m);
	PRM_SET(ipsec_obj, IPSEC_OBJ, esn_en, 0);
	PRM_SET(ipsec_obj, IPSEC_OBJ, esn_msb, 1);
	bad(MODEL_S_IPSEC_ESN);
}

static void ipsec_aso_refusals(void **state)
{
	IPSEC_BAD(ipsec_aso, IPSEC_ASO, valid, 0, MODEL_S_IPSEC_ASO);
	IPSEC_BAD(ipsec_aso, IPSEC_ASO, mode, 3, MODEL_S_IPSEC_ASO_MODE);
	IPSEC_BAD(ipsec_aso, IPSEC_ASO, window_sz, 1, MODEL_S_IPSEC_ASO_MODE);
	IPSEC_BAD(ipsec_aso, IPSEC_ASO, mode_parameter, 0, MODEL_S_IPSEC_ASO_MODE);
	IPSEC_BAD(ipsec_aso, IPSEC_ASO, hard_lft_arm, 1, MODEL_S_IPSEC_ASO_ARM);
	IPSEC_BAD(ipsec_aso, IPSEC_ASO, remove_flow_enable, 1, MODEL_S_IPSEC_ASO_ARM);
	IPSEC_BAD(ipsec_obj, IPSEC_OBJ, full_offload, 0, MODEL_S_IPSEC_ASO_REG);
}

static void ipsec_modify_and_query(void **state)
{
	uint8_t *obj = out + PRM_BYTES(general_obj_out_cmd_hdr);
	uint32_t id;

	mailbox_build_ipsec(&w, PRM_CMD_OP_MODIFY_GENERAL_OBJECT, &m);
	good();
	id = (uint32_t)PRM_GET(general_obj_in_cmd_hdr, m.in, obj_id);
	PRM_SET(ipsec_obj, PRM_AT(modify_ipsec_obj_in, m.in, ipsec_object), modify_field_select, 4);
	bad(MODEL_S_OBJ_SELECT);
	PRM_SET(general_obj_in_cmd_hdr, m.in, obj_id, w.sa_rx); /* has no ESN */
	PRM_SET(ipsec_obj, PRM_AT(modify_ipsec_obj_in, m.in, ipsec_object), modify_field_select, 1);
	bad(MODEL_S_IPSEC_ESN);
	mailbox_build_ipsec(&w, PRM_CMD_OP_QUERY_GENERAL_OBJECT, &m);
	PRM_SET(general_obj_in_cmd_hdr, m.in, obj_id, id);
	good();
	assert_int_equal(PRM_GET(ipsec_obj, obj, modify_field_select), 3);
	assert_int_equal(PRM_GET(ipsec_obj, obj, esn_msb), 7);
	assert_int_equal(PRM_GET(ipsec_obj, obj, esn_overlap), 1);
	assert_int_equal(PRM_GET(ipsec_obj, obj, dekn), w.dek);
	assert_int_equal(PRM_GET(ipsec_obj, obj, salt), 0);
	assert_int_equal(PRM_GET(ipsec_obj, obj, implicit_iv), 0);
	assert_int_equal(PRM_GET(ipsec_aso, PRM_AT(ipsec_obj, obj, ipsec_aso), mode_parameter), 1);
}

/* -- tables and groups ------------------------------------------------------------------------------------- */

#define FT_CTX PRM_AT(create_flow_table_in, m.in, flow_table_context)

#define FT_BAD(field, value, why) \
	do { \
		mailbox_build(&w, PRM_CMD_OP_CREATE_FLOW_TABLE, &m); \
		PRM_SET(flow_table_context, FT_CTX, field, value); \
		bad(why); \
	} while (0)

static void table_refusals(void **state)
{
	FT_BAD(level, 65, MODEL_S_FT_LEVEL);
	FT_BAD(log_size, 23, MODEL_S_FT_SIZE);
	FT_BAD(sw_owner, 1, MODEL_S_FT_FEATURE);
	FT_BAD(rtc_valid, 1, MODEL_S_FT_FEATURE);
	FT_BAD(termination_table, 1, MODEL_S_FT_FEATURE);
	FT_BAD(table_miss_action, 2, MODEL_S_FT_MISS);
	FT_BAD(table_miss_action, 0, MODEL_S_FT_MISS); /* but a miss table is named */
	FT_BAD(table_miss_id, w.rx, MODEL_S_FT_MISS_LEVEL);
	FT_BAD(table_miss_id, w.tx2, MODEL_S_FT_MISS_LEVEL);
	mailbox_build(&w, PRM_CMD_OP_CREATE_FLOW_TABLE, &m);
	PRM_SET(create_flow_table_in, m.in, vport_number, 3);
	bad(MODEL_S_FT_VPORT);
	mailbox_build(&w, PRM_CMD_OP_CREATE_FLOW_TABLE, &m);
	PRM_SET(create_flow_table_in, m.in, table_type, 4);
	bad(MODEL_S_FT_TYPE);
}

static void miss_tables_are_used(void **state)
{
	mailbox_build(&w, PRM_CMD_OP_MODIFY_FLOW_TABLE, &m);
	good();
	good(); /* once more the same */
	mailbox_build(&w, PRM_CMD_OP_DESTROY_FLOW_TABLE, &m);
	PRM_SET(destroy_flow_table_in, m.in, table_id, w.rx2);
	bad(MODEL_S_USED_FT);
	mailbox_build(&w, PRM_CMD_OP_MODIFY_FLOW_TABLE, &m);
	PRM_SET(flow_table_context, PRM_AT(modify_flow_table_in, m.in, flow_table_context),
		table_miss_action, 0);
	PRM_SET(flow_table_context, PRM_AT(modify_flow_table_in, m.in, flow_table_context),
		table_miss_id, 0);
	good();
	mailbox_build(&w, PRM_CMD_OP_DESTROY_FLOW_TABLE, &m);
	PRM_SET(destroy_flow_table_in, m.in, table_id, w.rx2);
	good();
}

static void group_range(uint32_t start, uint32_t end)
{
	PRM_SET(create_flow_group_in, m.in, start_flow_index, start);
	PRM_SET(create_flow_group_in, m.in, end_flow_index, end);
}

static void group_refusals(void **state)
{
	uint8_t *match = PRM_AT(create_flow_group_in, m.in, match_criteria);

	mailbox_build(&w, PRM_CMD_OP_CREATE_FLOW_GROUP, &m);
	PRM_SET(create_flow_group_in, m.in, match_criteria_enable, 7);
	bad(MODEL_S_FG_MASK_EMPTY);
	PRM_SET(create_flow_group_in, m.in, match_criteria_enable, 1);
	bad(MODEL_S_FG_MASK_DISABLED);
	PRM_SET(create_flow_group_in, m.in, match_criteria_enable, 3);
	PRM_SET(fte_match_set_misc, PRM_AT(fte_match_param, match, misc_parameters), vxlan_vni, 1);
	bad(MODEL_S_FG_FIELD);
	mailbox_build(&w, PRM_CMD_OP_CREATE_FLOW_GROUP, &m);
	group_range(4, 3);
	bad(MODEL_S_FG_RANGE);
	group_range(0, 64);
	bad(MODEL_S_FG_RANGE);
	group_range(8, 15);
	good();
	group_range(0, 8);
	bad(MODEL_S_FG_OVERLAP);
	group_range(15, 20);
	bad(MODEL_S_FG_OVERLAP);
	group_range(0, 63);
	bad(MODEL_S_FG_OVERLAP);
	group_range(10, 11);
	bad(MODEL_S_FG_OVERLAP);
	group_range(0, 7);
	good();
	group_range(16, 63);
	good();
}

static void an_empty_mask_takes_all(void **state)
{
	mailbox_build(&w, PRM_CMD_OP_CREATE_FLOW_GROUP, &m);
	PRM_SET(create_flow_group_in, m.in, match_criteria_enable, 0);
	memset(PRM_AT(create_flow_group_in, m.in, match_criteria), 0, 512);
	good();
}

/* -- entries ----------------------------------------------------------------------------------------------- */

#define FTE_CTX PRM_AT(set_fte_in, m.in, flow_context)
#define FTE_DEST PRM_AT(flow_context, FTE_CTX, destination)
#define ACTION(name) PRM_FLOW_CONTEXT_ACTION_##name

#define FTE_BAD(field, value, why) \
	do { \
		mailbox_build(&w, PRM_CMD_OP_SET_FLOW_TABLE_ENTRY, &m); \
		PRM_SET(flow_context, FTE_CTX, field, value); \
		bad(why); \
	} while (0)

static void entry_refusals(void **state)
{
	unsigned int all = ACTION(CRYPTO_DECRYPT) | ACTION(PACKET_REFORMAT) | ACTION(MOD_HDR) |
			   ACTION(COUNT) | ACTION(FWD_DEST);

	FTE_BAD(action, all | ACTION(VLAN_POP), MODEL_S_FTE_ACTION);
	FTE_BAD(action, all | ACTION(DECAP), MODEL_S_FTE_DECAP);
	FTE_BAD(action, all & ~ACTION(FWD_DEST), MODEL_S_FTE_TERMINAL);
	FTE_BAD(action, all | ACTION(ALLOW), MODEL_S_FTE_TERMINAL);
	FTE_BAD(action, ACTION(DROP) | ACTION(MOD_HDR), MODEL_S_FTE_DROP_MODHDR);
	FTE_BAD(action, ACTION(ALLOW), MODEL_S_FTE_ALLOW_RX);
	FTE_BAD(action, ACTION(DROP) | ACTION(PACKET_REFORMAT), MODEL_S_FTE_DROP_REFORMAT);
	FTE_BAD(action, ACTION(DROP), MODEL_S_FTE_DESTS);
	FTE_BAD(action, all & ~ACTION(COUNT), MODEL_S_FTE_COUNTERS);
	FTE_BAD(action, all & ~ACTION(CRYPTO_DECRYPT), MODEL_S_FTE_CRYPTO_OBJ);
	FTE_BAD(action, all | ACTION(CRYPTO_ENCRYPT), MODEL_S_FTE_CRYPTO_DIR);
	FTE_BAD(action, all & ~ACTION(PACKET_REFORMAT), MODEL_S_FTE_REFORMAT_ID);
	FTE_BAD(action, all & ~ACTION(MOD_HDR), MODEL_S_FTE_MODHDR_ID);
	FTE_BAD(packet_reformat_id, w.add, MODEL_S_FTE_REFORMAT_DIR);
	FTE_BAD(encrypt_decrypt_type, 1, MODEL_S_FTE_CRYPTO_TYPE);
	FTE_BAD(flow_source, 1, MODEL_S_FTE_FEATURE);
	FTE_BAD(extended_destination, 1, MODEL_S_FTE_FEATURE);
	FTE_BAD(group_id, w.group_tx, MODEL_S_NO_FG);
	FTE_BAD(destination_list_size, 2, MODEL_S_LIST_LENGTH);
}

static void entry_reformat_needs_crypto(void **state)
{
	mailbox_build(&w, PRM_CMD_OP_SET_FLOW_TABLE_ENTRY, &m);
	PRM_SET(flow_context, FTE_CTX, action,
		ACTION(PACKET_REFORMAT) | ACTION(MOD_HDR) | ACTION(COUNT) | ACTION(FWD_DEST));
	PRM_SET(flow_context, FTE_CTX, encrypt_decrypt_obj_id, 0);
	bad(MODEL_S_FTE_REFORMAT_CRYPTO);
}

static uint32_t tunnel(unsigned int type)
{
	uint8_t *ctx = PRM_AT(alloc_packet_reformat_context_in, m.in, packet_reformat_context);
	bool header = type == PRM_REFORMAT_TYPE_L3_TUNNEL_TO_L2;

	mailbox_build(&w, PRM_CMD_OP_ALLOC_PACKET_REFORMAT_CONTEXT, &m);
	memset(ctx, 0, sizeof(m.in) - (size_t)(ctx - m.in));
	PRM_SET(packet_reformat_context_in, ctx, reformat_type, type);
	PRM_SET(packet_reformat_context_in, ctx, reformat_data_size, header ? 14 : 34);
	m.inlen = header ? 48 : 68;
	ctx = PRM_AT(packet_reformat_context_in, ctx, reformat_data);
	ctx[12] = 8; /* Ethernet, IPv4 */
	ctx[14] = header ? 0 : 0x45;
	good();
	return (uint32_t)PRM_GET(alloc_packet_reformat_context_out, out, packet_reformat_id);
}

/* Tables have to be made for it; no crypto besides. */
static void entry_tunnels(void **state)
{
	uint32_t add = tunnel(PRM_REFORMAT_TYPE_L2_TO_L2_TUNNEL);
	uint32_t del = tunnel(PRM_REFORMAT_TYPE_L3_TUNNEL_TO_L2);
	unsigned int plain = ACTION(MOD_HDR) | ACTION(COUNT) | ACTION(FWD_DEST);

	FTE_BAD(packet_reformat_id, add, MODEL_S_FTE_REFORMAT_DIR);
	FTE_BAD(packet_reformat_id, del, MODEL_S_FTE_REFORMAT_TABLE);
	mailbox_build(&w, PRM_CMD_OP_SET_FLOW_TABLE_ENTRY, &m);
	PRM_SET(flow_context, FTE_CTX, action, plain | ACTION(DECAP));
	PRM_SET(flow_context, FTE_CTX, packet_reformat_id, 0);
	PRM_SET(flow_context, FTE_CTX, encrypt_decrypt_obj_id, 0);
	bad(MODEL_S_FTE_DECAP);
}

static void entry_places(void **state)
{
	uint8_t *value;

	mailbox_build(&w, PRM_CMD_OP_SET_FLOW_TABLE_ENTRY, &m);
	PRM_SET(set_fte_in, m.in, flow_index, 8);
	bad(MODEL_S_FTE_GROUP);
	PRM_SET(set_fte_in, m.in, flow_index, 64);
	bad(MODEL_S_FTE_INDEX);
	PRM_SET(set_fte_in, m.in, flow_index, 2);
	good();
	bad(MODEL_S_FTE_OCCUPIED);
	mailbox_build(&w, PRM_CMD_OP_SET_FLOW_TABLE_ENTRY, &m);
	PRM_SET(set_fte_in, m.in, modify_enable_mask, 1);
	bad(MODEL_S_FTE_MODIFY_MASK);
	mailbox_build(&w, PRM_CMD_OP_SET_FLOW_TABLE_ENTRY, &m);
	value = PRM_AT(flow_context, FTE_CTX, match_value);
	PRM_SET(fte_match_set_lyr_2_4, PRM_AT(fte_match_param, value, outer_headers), ip_version,
		4);
	bad(MODEL_S_FTE_VALUE);
}

static void destination(unsigned int type, uint32_t id)
{
	mailbox_build(&w, PRM_CMD_OP_SET_FLOW_TABLE_ENTRY, &m);
	PRM_SET(dest_format_struct, FTE_DEST, destination_type, type);
	PRM_SET(dest_format_struct, FTE_DEST, destination_id, id);
}

static void destinations(void **state)
{
	destination(PRM_IFC_FLOW_DESTINATION_TYPE_FLOW_TABLE, w.rx);
	bad(MODEL_S_FTE_DEST_LEVEL);
	PRM_SET(set_fte_in, m.in, ignore_flow_level, 1);
	good();
	destination(PRM_IFC_FLOW_DESTINATION_TYPE_FLOW_TABLE, w.tx2);
	bad(MODEL_S_FTE_DEST_TABLE);
	destination(PRM_IFC_FLOW_DESTINATION_TYPE_VPORT, 1);
	bad(MODEL_S_FTE_DEST_TYPE);
	destination(PRM_IFC_FLOW_DESTINATION_TYPE_TIR, 0x7ffff1);
	bad(MODEL_S_FTE_DEST_TIR);
	destination(PRM_IFC_FLOW_DESTINATION_TYPE_TIR, w.tir);
	good();
	mailbox_build(&w, PRM_CMD_OP_SET_FLOW_TABLE_ENTRY, &m);
	PRM_SET(dest_format_struct, FTE_DEST, packet_reformat, 1);
	bad(MODEL_S_FTE_DEST_TYPE);
}

/* From the RX rule a TX one: encrypt, add ESP, to the next table. */
static void tx_entry(unsigned int action)
{
	mailbox_build(&w, PRM_CMD_OP_SET_FLOW_TABLE_ENTRY, &m);
	PRM_SET(set_fte_in, m.in, table_type, PRM_FLOW_TABLE_TYPE_NIC_TX);
	PRM_SET(set_fte_in, m.in, table_id, w.tx);
	PRM_SET(flow_context, FTE_CTX, group_id, w.group_tx);
	PRM_SET(flow_context, FTE_CTX, flow_tag, 0);
	PRM_SET(flow_context, FTE_CTX, action, action);
	PRM_SET(flow_context, FTE_CTX, packet_reformat_id, w.add);
	PRM_SET(flow_context, FTE_CTX, modify_header_id, 0);
	PRM_SET(flow_context, FTE_CTX, encrypt_decrypt_obj_id, w.sa_tx);
	PRM_SET(dest_format_struct, FTE_DEST, destination_id, w.tx2);
}

static void tx_entries(void **state)
{
	unsigned int all = ACTION(CRYPTO_ENCRYPT) | ACTION(PACKET_REFORMAT) | ACTION(COUNT) |
			   ACTION(FWD_DEST);

	tx_entry(all ^ ACTION(CRYPTO_ENCRYPT) ^ ACTION(CRYPTO_DECRYPT));
	bad(MODEL_S_FTE_CRYPTO_DIR);
	tx_entry(all | ACTION(MOD_HDR));
	PRM_SET(flow_context, FTE_CTX, modify_header_id, w.modhdr); /* made for RX */
	bad(MODEL_S_FTE_MODHDR_TYPE);
	tx_entry(all);
	PRM_SET(flow_context, FTE_CTX, flow_tag, 1);
	bad(MODEL_S_FTE_TAG);
	tx_entry(all);
	PRM_SET(dest_format_struct, FTE_DEST, destination_type, PRM_IFC_FLOW_DESTINATION_TYPE_TIR);
	PRM_SET(dest_format_struct, FTE_DEST, destination_id, w.tir);
	bad(MODEL_S_FTE_DEST_TYPE);
	tx_entry(all); /* no reformat_en: ESP transport does not need it */
	good();
}

static uint32_t set_one(void)
{
	mailbox_build(&w, PRM_CMD_OP_SET_FLOW_TABLE_ENTRY, &m);
	good();
	return (uint32_t)PRM_GET(set_fte_in, m.in, flow_index);
}

static const struct model_fte *fte_at(uint32_t index)
{
	return ((struct model_ft *)model_obj_find(&w.dev, MODEL_FT, w.rx))->ftes[index];
}

static void modify_takes_what_is_selected(void **state)
{
	uint32_t i = set_one(), other;

	PRM_SET(set_fte_in, m.in, op_mod, 1);
	PRM_SET(set_fte_in, m.in, modify_enable_mask, 0);
	bad(MODEL_S_FTE_MODIFY_MASK);
	PRM_SET(set_fte_in, m.in, modify_enable_mask, 0x20);
	bad(MODEL_S_FTE_MODIFY_MASK);
	PRM_SET(set_fte_in, m.in, modify_enable_mask, 2); /* the tag only */
	PRM_SET(flow_context, FTE_CTX, flow_tag, 0x777);
	PRM_SET(flow_context, FTE_CTX, action, ACTION(DROP));
	PRM_SET(flow_context, FTE_CTX, encrypt_decrypt_obj_id, 0);
	good();
	assert_int_equal(fte_at(i)->flow_tag, 0x777);
	assert_true(fte_at(i)->action & ACTION(FWD_DEST));
	assert_int_equal(fte_at(i)->ipsec->o.id, w.sa_rx);
	/* rekey in place */
	PRM_SET(set_fte_in, m.in, modify_enable_mask, 0x10);
	PRM_SET(flow_context, FTE_CTX, encrypt_decrypt_obj_id, w.sa_tx);
	good();
	assert_int_equal(fte_at(i)->ipsec->o.id, w.sa_tx);
	assert_int_equal(model_obj_find(&w.dev, MODEL_IPSEC, w.sa_rx)->users, 0);
	assert_int_equal(model_obj_find(&w.dev, MODEL_IPSEC, w.sa_tx)->users, 1);
	/* what would make a rule that cannot be set is refused, and nothing changes */
	PRM_SET(set_fte_in, m.in, modify_enable_mask, 1);
	bad(MODEL_S_FTE_DESTS);
	PRM_SET(flow_context, FTE_CTX, group_id, w.group_tx);
	bad(MODEL_S_NO_FG);
	other = set_one();
	assert_int_not_equal(i, other);
	assert_int_equal(model_obj_find(&w.dev, MODEL_MODHDR, w.modhdr)->users, 2);
}

static void modify_lists_and_action(void **state)
{
	uint32_t i = set_one();

	PRM_SET(set_fte_in, m.in, op_mod, 1);
	PRM_SET(set_fte_in, m.in, modify_enable_mask, 0x1d); /* all but the tag */
	m.inlen -= 2 * PRM_BYTES(dest_format_struct);
	PRM_SET(flow_context, FTE_CTX, action, ACTION(DROP));
	PRM_SET(flow_context, FTE_CTX, packet_reformat_id, 0);
	PRM_SET(flow_context, FTE_CTX, modify_header_id, 0);
	PRM_SET(flow_context, FTE_CTX, encrypt_decrypt_obj_id, 0);
	PRM_SET(flow_context, FTE_CTX, destination_list_size, 0);
	PRM_SET(flow_context, FTE_CTX, flow_counter_list_size, 0);
	good();
	assert_int_equal(fte_at(i)->action, ACTION(DROP));
	assert_int_equal(fte_at(i)->ndest + fte_at(i)->ncounter, 0);
	assert_int_equal(model_obj_find(&w.dev, MODEL_COUNTER, w.counter)->users, 0);
	assert_int_equal(model_obj_find(&w.dev, MODEL_FT, w.rx2)->users, 0);
	memset(PRM_AT(flow_context, FTE_CTX, match_value), 0, 512);
	bad(MODEL_S_FTE_MODIFY_MATCH);
}

static void query_gives_back_what_was_set(void **state)
{
	uint8_t ctx[PRM_BYTES(flow_context) + 16];

	mailbox_build(&w, PRM_CMD_OP_SET_FLOW_TABLE_ENTRY, &m);
	PRM_SET(set_fte_in, m.in, flow_index, 7);
	memcpy(ctx, FTE_CTX, sizeof(ctx));
	good();
	mailbox_build(&w, PRM_CMD_OP_QUERY_FLOW_TABLE_ENTRY, &m);
	good();
	assert_memory_equal(PRM_AT(query_fte_out, out, flow_context), ctx, sizeof(ctx));
	m.outlen -= 4;
	assert_int_equal(mailbox_exec(&w, &m, out), PRM_CMD_STAT_BAD_OUTP_LEN_ERR);
}

/* -- contexts ---------------------------------------------------------------------------------------------- */

static void counters(void **state)
{
	struct model_counter *c =
		(struct model_counter *)model_obj_find(&w.dev, MODEL_COUNTER, w.counter);

	assert_int_equal(c->o.count, 128);
	assert_int_equal(w.counter % 128, 0);
	atomic_store(&c->c[5].packets, 9);
	mailbox_build(&w, PRM_CMD_OP_QUERY_FLOW_COUNTER, &m);
	PRM_SET(query_flow_counter_in, m.in, flow_counter_id, w.counter + 4);
	PRM_SET(query_flow_counter_in, m.in, clear, 1);
	good();
	assert_int_equal(PRM_GET(traffic_counter, out + 16 + 16, packets), 9);
	good();
	assert_int_equal(PRM_GET(traffic_counter, out + 16 + 16, packets), 0);
	PRM_SET(query_flow_counter_in, m.in, flow_counter_id, w.counter + 5);
	bad(MODEL_S_COUNTER_BASE);
	PRM_SET(query_flow_counter_in, m.in, num_of_counters, 0);
	good();
	PRM_SET(query_flow_counter_in, m.in, flow_counter_id, w.counter + 124);
	PRM_SET(query_flow_counter_in, m.in, num_of_counters, 5);
	bad(MODEL_S_COUNTER_RANGE);
	mailbox_build(&w, PRM_CMD_OP_ALLOC_FLOW_COUNTER, &m);
	PRM_SET(alloc_flow_counter_in, m.in, flow_counter_bulk, 3);
	bad(MODEL_S_COUNTER_BULK);
	mailbox_build(&w, PRM_CMD_OP_DEALLOC_FLOW_COUNTER, &m);
	PRM_SET(dealloc_flow_counter_in, m.in, flow_counter_id, w.counter + 1);
	bad(MODEL_S_NO_COUNTER); /* a bulk goes by its base */
}

static uint32_t alloc_counters(uint32_t bulk)
{
	mailbox_build(&w, PRM_CMD_OP_ALLOC_FLOW_COUNTER, &m);
	PRM_SET(alloc_flow_counter_in, m.in, flow_counter_bulk, bulk);
	good();
	return (uint32_t)PRM_GET(alloc_flow_counter_out, out, flow_counter_id);
}

static void free_counters(uint32_t id)
{
	uint8_t in[PRM_BYTES(dealloc_flow_counter_in)] = {0},
		o[PRM_BYTES(dealloc_flow_counter_out)];

	PRM_SET(dealloc_flow_counter_in, in, opcode, PRM_CMD_OP_DEALLOC_FLOW_COUNTER);
	PRM_SET(dealloc_flow_counter_in, in, flow_counter_id, id);
	assert_int_equal(model_fw_exec(&w.dev, m.uid, in, sizeof(in), o, sizeof(o)), 0);
	assert_int_equal(prm_out_status(o), 0);
}

/* One counter in every 16,384 numbers leaves no room for a bulk of that many: it is refused, not searched for ever. */
static void scattered_numbers(void **state)
{
	enum { BLOCK = 16384, BLOCKS = 1024 };
	bool taken[BLOCKS] = {true}; /* number 0 is none */
	uint32_t n = 1, id = 0;

	for (int i = 0; i < 4 * BLOCKS && n < BLOCKS; i++) {
		uint32_t half = alloc_counters(0x40);

		id = alloc_counters(0); /* behind it */
		free_counters(half);
		if (taken[id / BLOCK]) {
			free_counters(id);
			continue;
		}
		taken[id / BLOCK] = true;
		n++;
	}
	assert_int_equal(n, BLOCKS);
	mailbox_build(&w, PRM_CMD_OP_ALLOC_FLOW_COUNTER, &m);
	PRM_SET(alloc_flow_counter_in, m.in, flow_counter_bulk, 0x80);
	bad(MODEL_S_LIMIT_COUNTER);
	free_counters(id);
	alloc_counters(0x80); /* now there is one */
}

static void reformats(void **state)
{
	uint8_t *ctx = PRM_AT(alloc_packet_reformat_context_in, m.in, packet_reformat_context);

	mailbox_build(&w, PRM_CMD_OP_ALLOC_PACKET_REFORMAT_CONTEXT, &m);
	PRM_SET(packet_reformat_context_in, ctx, reformat_param_0, 3);
	bad(MODEL_S_REFORMAT_PARAM);
	PRM_SET(packet_reformat_context_in, ctx, reformat_param_0, 4);
	m.in[m.inlen - 3] = 1; /* the header is SPI and zeros */
	bad(MODEL_S_REFORMAT_PARAM);
	m.in[m.inlen - 3] = 0;
	PRM_SET(packet_reformat_context_in, ctx, reformat_data_size, 12);
	bad(MODEL_S_REFORMAT_SIZE);
	PRM_SET(packet_reformat_context_in, ctx, reformat_data_size, 16);
	PRM_SET(packet_reformat_context_in, ctx, reformat_type, PRM_REFORMAT_TYPE_L2_TO_VXLAN);
	bad(MODEL_S_REFORMAT_TYPE);
}

static void modify_headers(void **state)
{
	uint8_t *a = PRM_AT(alloc_modify_header_context_in, m.in, actions);

	mailbox_build(&w, PRM_CMD_OP_ALLOC_MODIFY_HEADER_CONTEXT, &m);
	PRM_SET(set_action_in, a, field, 0xfff);
	bad(MODEL_S_MODHDR_FIELD);
	mailbox_build(&w, PRM_CMD_OP_ALLOC_MODIFY_HEADER_CONTEXT, &m);
	PRM_SET(set_action_in, a, length, 8); /* and data has more bits */
	bad(MODEL_S_MODHDR_RANGE);
	mailbox_build(&w, PRM_CMD_OP_ALLOC_MODIFY_HEADER_CONTEXT, &m);
	PRM_SET(set_action_in, a, offset, 1);
	bad(MODEL_S_MODHDR_RANGE);
	mailbox_build(&w, PRM_CMD_OP_ALLOC_MODIFY_HEADER_CONTEXT, &m);
	PRM_SET(set_action_in, a, action_type, 9);
	bad(MODEL_S_MODHDR_ACTION);
	mailbox_build(&w, PRM_CMD_OP_ALLOC_MODIFY_HEADER_CONTEXT, &m);
	a[2] |= 0x80; /* reserved in a set action */
	bad(MODEL_S_MODHDR_ACTION);
	mailbox_build(&w, PRM_CMD_OP_ALLOC_MODIFY_HEADER_CONTEXT, &m);
	PRM_SET(alloc_modify_header_context_in, m.in, num_of_actions, 2);
	bad(MODEL_S_LIST_LENGTH);
	PRM_SET(alloc_modify_header_context_in, m.in, num_of_actions, 0);
	bad(MODEL_S_MODHDR_COUNT);
}

/* -- owners and ends --------------------------------------------------------------------------------------- */

static void closing_a_user_takes_its_objects_only(void **state)
{
	struct model_census c;

	set_one();
	mailbox_build(&w, PRM_CMD_OP_ALLOC_PD, &m);
	m.uid = 2;
	good();
	mailbox_build(&w, PRM_CMD_OP_MODIFY_FLOW_TABLE, &m); /* a miss between tables */
	good();
	model_fw_close_uid(&w.dev, WORLD_UID);
	model_dev_census(&w.dev, &c);
	for (unsigned int t = 0; t < MODEL_NTYPES; t++) {
		if (c.count[t] != (t == MODEL_PD))
			fail_msg("%u of %s left", c.count[t], model_type_name(t));
		assert_int_equal(c.kernel[t], t == MODEL_FT);
	}
}

static void reset_takes_everything(void **state)
{
	set_one();
	mailbox_build(&w, PRM_CMD_OP_SET_FLOW_TABLE_ROOT, &m);
	good();
	model_dev_reset(&w.dev);
	for (unsigned int t = 0; t < MODEL_NTYPES; t++)
		assert_int_equal(w.dev.live[t], 0);
	assert_null(w.dev.root[PRM_FLOW_TABLE_TYPE_NIC_RX]);
	mailbox_build(&w, PRM_CMD_OP_ALLOC_PD, &m);
	good();
}

static void a_large_table_is_cheap_and_many_rules_are_fast(void **state)
{
	enum { RULES = 20000 };
	uint32_t table, group;

	mailbox_build(&w, PRM_CMD_OP_CREATE_FLOW_TABLE, &m);
	PRM_SET(flow_table_context, FT_CTX, log_size, 22);
	good();
	table = (uint32_t)PRM_GET(create_flow_table_out, out, table_id);
	mailbox_build(&w, PRM_CMD_OP_CREATE_FLOW_GROUP, &m);
	PRM_SET(create_flow_group_in, m.in, table_id, table);
	group_range(0, (1 << 22) - 1);
	good();
	group = (uint32_t)PRM_GET(create_flow_group_out, out, group_id);
	mailbox_build(&w, PRM_CMD_OP_SET_FLOW_TABLE_ENTRY, &m);
	PRM_SET(set_fte_in, m.in, table_id, table);
	PRM_SET(flow_context, FTE_CTX, group_id, group);
	for (uint32_t i = 0; i < RULES; i++) {
		uint8_t *value = PRM_AT(flow_context, FTE_CTX, match_value);

		PRM_SET(set_fte_in, m.in, flow_index, i);
		PRM_SET(fte_match_set_misc, PRM_AT(fte_match_param, value, misc_parameters),
			outer_esp_spi, i);
		good();
	}
	assert_int_equal(w.dev.live[MODEL_FTE], RULES);
}

int main(void)
{
#define TEST(f) cmocka_unit_test_setup_teardown(f, setup, teardown)
	const struct CMUnitTest tests[] = {
		TEST(queue_states),
		TEST(rings_lie_in_their_umem),
		TEST(memory_keys),
		TEST(a_written_key_is_used_after_sync_only),
		TEST(sync_of_another_purpose_drops_nothing),
		TEST(a_sync_reaches_back_only),
		TEST(bulks),
		TEST(keys_read_back_as_zero),
		TEST(ipsec_refusals),
		TEST(ipsec_aso_refusals),
		TEST(ipsec_modify_and_query),
		TEST(table_refusals),
		TEST(miss_tables_are_used),
		TEST(group_refusals),
		TEST(an_empty_mask_takes_all),
		TEST(entry_refusals),
		TEST(entry_reformat_needs_crypto),
		TEST(entry_tunnels),
		TEST(entry_places),
		TEST(destinations),
		TEST(tx_entries),
		TEST(modify_takes_what_is_selected),
		TEST(modify_lists_and_action),
		TEST(query_gives_back_what_was_set),
		TEST(counters),
		TEST(scattered_numbers),
		TEST(reformats),
		TEST(modify_headers),
		TEST(closing_a_user_takes_its_objects_only),
		TEST(reset_takes_everything),
		TEST(a_large_table_is_cheap_and_many_rules_are_fast),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
