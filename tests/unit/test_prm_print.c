// SPDX-License-Identifier: BSD-2-Clause
/*
 * The printer: text, secrets, lists, input cut anywhere; and recorded commands given as text.
 *
 * Buffers handed to the printer are heap copies of the exact length, so that a sanitizer or valgrind sees one byte
 * too many.
 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <mlx5_offload/prm.h>

#include "prm/prm.h"

static struct {
	char text[65536];
	size_t n;
} out;

static void put(void *ctx, const char *line)
{
	size_t n = strlen(line);

	assert_null(strchr(line, '\n'));
	assert_true(out.n + n + 2 < sizeof(out.text));
	memcpy(out.text + out.n, line, n);
	out.n += n;
	out.text[out.n++] = '\n';
	out.text[out.n] = '\0';
}

static void ignore(void *ctx, const char *line)
{
	(void)strlen(line);
}

static void *copy_of(const void *buf, size_t len)
{
	uint8_t *copy = malloc(len ? len : 1);

	assert_non_null(copy);
	memcpy(copy, buf, len);
	return copy;
}

static int print_in(const void *buf, size_t len)
{
	void *copy = copy_of(buf, len);
	int ret;

	out.n = 0;
	out.text[0] = '\0';
	ret = prm_print_in(copy, len, put, NULL);
	free(copy);
	return ret;
}

static int print_out(const void *in, size_t inlen, const void *buf, size_t len)
{
	void *incopy = copy_of(in, inlen), *copy = copy_of(buf, len);
	int ret;

	out.n = 0;
	out.text[0] = '\0';
	ret = prm_print_out(incopy, inlen, copy, len, put, NULL);
	free(incopy);
	free(copy);
	return ret;
}

static bool has(const char *text)
{
	return strstr(out.text, text) != NULL;
}

static int decode(const char *text, char *why, size_t whylen)
{
	out.n = 0;
	out.text[0] = '\0';
	return mlxo_prm_decode_hex(text, strlen(text), put, NULL, why, whylen);
}

/* -- recorded commands ------------------------------------------------------------------------------ */

#define SECRET 0x5a

static void general(uint8_t *in, uint16_t opcode, uint16_t type)
{
	PRM_SET(general_obj_in_cmd_hdr, in, opcode, opcode);
	PRM_SET(general_obj_in_cmd_hdr, in, obj_type, type);
	PRM_SET(general_obj_in_cmd_hdr, in, obj_id, 0x1000);
}

static size_t make_dek(uint8_t *in, uint16_t opcode)
{
	uint8_t *obj = PRM_AT(modify_encryption_key_in, in, encryption_key_object);

	memset(in, 0, PRM_BYTES(modify_encryption_key_in));
	general(in, opcode, PRM_GENERAL_OBJECT_TYPES_ENCRYPTION_KEY);
	PRM_SET(general_obj_in_cmd_hdr, in, op_param,
		opcode == PRM_CMD_OP_CREATE_GENERAL_OBJECT ? 3 << 24 : 3);
	PRM_SET(encryption_key_obj, obj, modify_field_select, 1);
	PRM_SET(encryption_key_obj, obj, key_purpose,
		PRM_GENERAL_OBJECT_TYPE_ENCRYPTION_KEY_PURPOSE_IPSEC);
	PRM_SET(encryption_key_obj, obj, key_size,
		PRM_GENERAL_OBJECT_TYPE_ENCRYPTION_KEY_KEY_SIZE_256);
	PRM_SET(encryption_key_obj, obj, pd, 0x1a);
	memset(PRM_AT(encryption_key_obj, obj, key), SECRET, 32);
	memset(PRM_AT(encryption_key_obj, obj, sw_wrapped_dek), SECRET, 128);
	return PRM_BYTES(modify_encryption_key_in);
}

static void fill_ipsec(uint8_t *obj)
{
	PRM_SET(ipsec_obj, obj, full_offload, 1);
	PRM_SET(ipsec_obj, obj, aso_return_reg, PRM_IPSEC_ASO_REG_C_4_5);
	PRM_SET(ipsec_obj, obj, dekn, 0x77);
	memset(PRM_AT(ipsec_obj, obj, salt), SECRET, 4);
	memset(PRM_AT(ipsec_obj, obj, implicit_iv), SECRET, 8);
}

static size_t make_ipsec(uint8_t *in, uint16_t opcode)
{
	memset(in, 0, PRM_BYTES(create_ipsec_obj_in));
	general(in, opcode, PRM_GENERAL_OBJECT_TYPES_IPSEC);
	fill_ipsec(PRM_AT(create_ipsec_obj_in, in, ipsec_object));
	return PRM_BYTES(create_ipsec_obj_in);
}

/* Two destinations and one counter, 8 or 16 bytes each. */
static size_t make_rule(uint8_t *in, bool extended)
{
	uint8_t *ctx = PRM_AT(set_fte_in, in, flow_context),
		*list = PRM_AT(flow_context, ctx, destination);
	uint8_t *match = PRM_AT(flow_context, ctx, match_value);
	size_t stride = extended ? 16 : 8;

	memset(in, 0, PRM_BYTES(set_fte_in) + 3 * 16);
	PRM_SET(set_fte_in, in, opcode, PRM_CMD_OP_SET_FLOW_TABLE_ENTRY);
	PRM_SET(set_fte_in, in, table_type, PRM_FLOW_TABLE_TYPE_NIC_TX);
	PRM_SET(set_fte_in, in, table_id, 0x42);
	PRM_SET(set_fte_in, in, modify_enable_mask, 0x90);
	PRM_SET(flow_context, ctx, action, 0x800c | PRM_FLOW_CONTEXT_ACTION_CRYPTO_ENCRYPT);
	PRM_SET(flow_context, ctx, extended_destination, extended);
	PRM_SET(flow_context, ctx, destination_list_size, 2);
	PRM_SET(flow_context, ctx, flow_counter_list_size, 1);
	PRM_SET(fte_match_set_lyr_2_4, PRM_AT(fte_match_param, match, outer_headers), ip_protocol,
		50);
	PRM_AT(fte_match_set_lyr_2_4, PRM_AT(fte_match_param, match, outer_headers),
	       dst_ipv4_dst_ipv6)
	[15] = 9;
	PRM_SET(dest_format_struct, list, destination_type, PRM_IFC_FLOW_DESTINATION_TYPE_TIR);
	PRM_SET(dest_format_struct, list, destination_id, 0x43);
	PRM_SET(dest_format_struct, list + stride, destination_type,
		PRM_IFC_FLOW_DESTINATION_TYPE_FLOW_TABLE);
	PRM_SET(dest_format_struct, list + stride, destination_id, 0x44);
	if (extended)
		PRM_SET(extended_dest_format, list + stride, packet_reformat_id, 0x45);
	PRM_SET(flow_counter_list, list + 2 * stride, flow_counter_id, 0x99);
	return PRM_BYTES(set_fte_in) + 3 * stride;
}

static size_t make_actions(uint8_t *in)
{
	uint8_t *a = PRM_AT(alloc_modify_header_context_in, in, actions);

	memset(in, 0, 40);
	PRM_SET(alloc_modify_header_context_in, in, opcode, PRM_CMD_OP_ALLOC_MODIFY_HEADER_CONTEXT);
	PRM_SET(alloc_modify_header_context_in, in, num_of_actions, 3);
	PRM_SET(set_action_in, a, action_type, PRM_ACTION_TYPE_SET);
	PRM_SET(set_action_in, a, field, PRM_ACTION_IN_FIELD_METADATA_REG_B);
	PRM_SET(set_action_in, a, data, 0xaabb);
	PRM_SET(copy_action_in, a + 8, action_type, PRM_ACTION_TYPE_COPY);
	PRM_SET(copy_action_in, a + 8, src_field, PRM_ACTION_IN_FIELD_IPSEC_SYNDROME);
	PRM_SET(copy_action_in, a + 8, dst_field, PRM_ACTION_IN_FIELD_METADATA_REG_C_1);
	PRM_SET(add_action_in, a + 16, action_type, PRM_ACTION_TYPE_ADD);
	PRM_SET(add_action_in, a + 16, field, PRM_ACTION_IN_FIELD_OUT_IP_TTL);
	PRM_SET(add_action_in, a + 16, data, 0xff);
	return 40;
}

static size_t make_reformat(uint8_t *in)
{
	uint8_t *ctx = PRM_AT(alloc_packet_reformat_context_in, in, packet_reformat_context);

	memset(in, 0, 44);
	PRM_SET(alloc_packet_reformat_context_in, in, opcode,
		PRM_CMD_OP_ALLOC_PACKET_REFORMAT_CONTEXT);
	PRM_SET(packet_reformat_context_in, ctx, reformat_type,
		PRM_REFORMAT_TYPE_ADD_ESP_TRANSPORT_OVER_IPV4);
	PRM_SET(packet_reformat_context_in, ctx, reformat_data_size, 8);
	memcpy(PRM_AT(packet_reformat_context_in, ctx, reformat_data),
	       "\xca\xfe\x00\x01\x00\x00\x00\x07", 8);
	return 44;
}

/* -- tests ----------------------------------------------------------------------------------------------- */

static void test_text_key(void **state)
{
	uint8_t in[PRM_BYTES(modify_encryption_key_in)];
	size_t len = make_dek(in, PRM_CMD_OP_MODIFY_GENERAL_OBJECT);

	assert_int_equal(print_in(in, len), 0);
	assert_string_equal(out.text, "MODIFY_GENERAL_OBJECT (0xa01) ENCRYPTION_KEY, 528 bytes\n"
				      "  obj_id: 0x1000\n"
				      "  obj_offset: 0x3\n"
				      "  encryption_key_obj:\n"
				      "    modify_field_select: 0x1\n"
				      "    key_size: 0x1 (256)\n"
				      "    key_purpose: 0x2 (IPSEC)\n"
				      "    pd: 0x1a\n"
				      "    key: (hidden)\n"
				      "    sw_wrapped_dek: (hidden)\n");
	make_dek(in, PRM_CMD_OP_CREATE_GENERAL_OBJECT);
	assert_int_equal(print_in(in, len), 0);
	assert_true(has("CREATE_GENERAL_OBJECT (0xa00) ENCRYPTION_KEY, 528 bytes\n"));
	assert_true(has("\n  log_obj_range: 0x3\n"));
	assert_int_equal(print_in(in, 272), 0);
	assert_true(has("    key: (hidden)\n"));
	assert_true(has("  (short: 272 of 528 bytes)\n"));
}

static void test_text_rule(void **state)
{
	uint8_t in[1024];
	size_t len = make_rule(in, false);

	assert_int_equal(print_in(in, len), 0);
	assert_string_equal(out.text,
			    "SET_FLOW_TABLE_ENTRY (0x936), 856 bytes\n"
			    "  table_type: 0x1 (NIC_TX)\n"
			    "  table_id: 0x42\n"
			    "  modify_enable_mask: 0x90 (IPSEC_OBJ_ID | 0x80)\n"
			    "  flow_context:\n"
			    "    action: 0xa00c (FWD_DEST | COUNT | CRYPTO_ENCRYPT | 0x8000)\n"
			    "    destination_list_size: 0x2\n"
			    "    flow_counter_list_size: 0x1\n"
			    "    match_value:\n"
			    "      outer_headers:\n"
			    "        ip_protocol: 0x32\n"
			    "        dst_ipv4_dst_ipv6: 00000000000000000000000000000009\n"
			    "    destination[0]:\n"
			    "      destination_type: 0x2 (TIR)\n"
			    "      destination_id: 0x43\n"
			    "    destination[1]:\n"
			    "      destination_type: 0x1 (FLOW_TABLE)\n"
			    "      destination_id: 0x44\n"
			    "    flow_counter[0]:\n"
			    "      flow_counter_id: 0x99\n");
	len = make_rule(in, true);
	assert_int_equal(print_in(in, len), 0);
	assert_true(has("    destination[1]:\n"
			"      destination_entry:\n"
			"        destination_type: 0x1 (FLOW_TABLE)\n"
			"        destination_id: 0x44\n"
			"      packet_reformat_id: 0x45\n"
			"    flow_counter[0]:\n"
			"      flow_counter_id: 0x99\n"));
}

static void test_text_actions(void **state)
{
	uint8_t in[64];
	size_t len = make_actions(in);

	assert_int_equal(print_in(in, len), 0);
	assert_string_equal(out.text, "ALLOC_MODIFY_HEADER_CONTEXT (0x940), 40 bytes\n"
				      "  num_of_actions: 0x3\n"
				      "  action[0]:\n"
				      "    action_type: 0x1 (SET)\n"
				      "    field: 0x50 (METADATA_REG_B)\n"
				      "    data: 0xaabb\n"
				      "  action[1]:\n"
				      "    action_type: 0x3 (COPY)\n"
				      "    src_field: 0x5d (IPSEC_SYNDROME)\n"
				      "    dst_field: 0x52 (METADATA_REG_C_1)\n"
				      "  action[2]:\n"
				      "    action_type: 0x2 (ADD)\n"
				      "    field: 0xa (OUT_IP_TTL)\n"
				      "    data: 0xff\n");
}

static void test_text_reformat(void **state)
{
	uint8_t in[64];
	size_t len = make_reformat(in);

	assert_int_equal(print_in(in, len), 0);
	assert_true(has("reformat_type: 0x5 (ADD_ESP_TRANSPORT_OVER_IPV4)\n"));
	assert_true(has("reformat_data_size: 0x8\n"));
	assert_true(has("reformat_data: cafe000100000007\n"));
	assert_int_equal(print_in(in, 38), 0);
	assert_true(has("reformat_data: 8 bytes declared, 4 there\n"));
	assert_true(has("reformat_data: cafe0001\n"));
}

/* What is declared beyond the end is counted, not read. */
static void test_lists_declare_too_much(void **state)
{
	uint8_t in[1024];
	size_t len = make_rule(in, false);
	uint8_t *ctx = PRM_AT(set_fte_in, in, flow_context);

	PRM_SET(flow_context, ctx, destination_list_size, 0xffffff);
	PRM_SET(flow_context, ctx, flow_counter_list_size, 0xffffff);
	assert_int_equal(print_in(in, len), 0);
	assert_true(has("destination: 16777215 declared, 3 there\n"));
	assert_true(has("flow_counter: 16777215 declared, 0 there\n"));
	assert_true(has("destination[2]:\n"));
	assert_false(has("destination[3]:\n"));

	len = make_rule(in, false);
	assert_int_equal(print_in(in, PRM_BYTES(set_fte_in)), 0);
	assert_true(has("destination: 2 declared, 0 there\n"));

	len = make_actions(in);
	PRM_SET(alloc_modify_header_context_in, in, num_of_actions, 200);
	assert_int_equal(print_in(in, len - 1), 0);
	assert_true(has("action: 200 declared, 2 there\n"));
	assert_false(has("action[2]"));
}

static void test_answers(void **state)
{
	uint8_t in[PRM_BYTES(query_flow_counter_in)] = {0}, ans[16 + 32] = {0};

	PRM_SET(query_flow_counter_in, in, opcode, PRM_CMD_OP_QUERY_FLOW_COUNTER);
	PRM_SET(traffic_counter, ans + 16, packets, 7);
	PRM_SET(traffic_counter, ans + 32, octets, 0x100000000);
	assert_int_equal(print_out(in, sizeof(in), ans, sizeof(ans)), 0);
	assert_string_equal(out.text, "QUERY_FLOW_COUNTER (0x93b): OK, 48 bytes\n"
				      "  flow_statistics[0]:\n"
				      "    packets: 0x7\n");
	PRM_SET(query_flow_counter_in, in, num_of_counters, 3);
	assert_int_equal(print_out(in, sizeof(in), ans, sizeof(ans)), 0);
	assert_true(has("flow_statistics: 3 declared, 2 there\n"));
	assert_true(has("  flow_statistics[1]:\n    octets: 0x100000000\n"));
	assert_int_equal(print_out(in, 16, ans, sizeof(ans)),
			 0); /* not known how many were asked for */
	assert_true(has("flow_statistics[1]"));

	PRM_SET(cmd_out, ans, status, PRM_CMD_STAT_BAD_PARAM_ERR);
	PRM_SET(cmd_out, ans, syndrome, 0xa43321);
	assert_int_equal(print_out(in, sizeof(in), ans, 16), 0);
	assert_true(
		has("QUERY_FLOW_COUNTER (0x93b): BAD_PARAM_ERR (0x3), syndrome 0xa43321: a field"));
	assert_int_equal(print_out(in, sizeof(in), ans, 7), -EINVAL);
	assert_int_equal(print_out(in, 1, ans, 16), -EINVAL);
	assert_true(has("answer to an unknown command: BAD_PARAM_ERR"));
	PRM_SET(cmd_out, ans, status, 0xee);
	assert_int_equal(print_out(in, sizeof(in), ans, 16), 0);
	assert_true(has("unknown status (0xee)"));
}

static void test_caps(void **state)
{
	uint8_t in[16] = {0}, ans[PRM_BYTES(query_hca_cap_out)] = {0};

	PRM_SET(query_hca_cap_in, in, opcode, PRM_CMD_OP_QUERY_HCA_CAP);
	PRM_SET(query_hca_cap_in, in, op_mod, PRM_CAP_GROUP_CRYPTO << 1 | PRM_CAP_MODE_CURRENT);
	PRM_SET(crypto_cap, ans + 16, log_dek_max_alloc, 12);
	assert_int_equal(print_out(in, sizeof(in), ans, sizeof(ans)), 0);
	assert_string_equal(out.text, "QUERY_HCA_CAP (0x100): OK, 4112 bytes\n"
				      "  crypto_cap:\n"
				      "    log_dek_max_alloc: 0xc\n");
	PRM_SET(query_hca_cap_in, in, op_mod, 0x7e);
	assert_int_equal(print_out(in, sizeof(in), ans, sizeof(ans)), 0);
	assert_string_equal(out.text, "QUERY_HCA_CAP (0x100): OK, 4112 bytes\n");
}

/* More than 64 bytes: rows of 32, those of zeros left out. */
static void test_long_bytes(void **state)
{
	uint8_t caps[PRM_BYTES(query_hca_cap_out)] = {0};

	caps[16 + 0x40] = 0xab;
	out.n = 0;
	prm_print_struct(prm_layout_find("query_hca_cap_out"), caps, sizeof(caps), 0, put, NULL);
	assert_string_equal(out.text,
			    "capability[0x40]: "
			    "ab00000000000000000000000000000000000000000000000000000000000000\n");
}

static void test_reformat_answer(void **state)
{
	uint8_t ans[44] = {0};

	PRM_SET(packet_reformat_context_in, ans + 28, reformat_data_size, 2);
	memcpy(ans + 34, "\xbe\xef", 2);
	out.n = 0;
	prm_print_struct(prm_layout_find("query_packet_reformat_context_out"), ans, sizeof(ans), 0,
			 put, NULL);
	assert_string_equal(out.text, "packet_reformat_context:\n"
				      "  reformat_data_size: 0x2\n"
				      "  reformat_data: beef\n");
}

/* Neither as one string of digits nor as a number. */
static void assert_no_secret(void)
{
	assert_false(has("5a5a"));
	assert_true(has("(hidden)"));
}

static void test_secrets_hidden(void **state)
{
	uint8_t in[PRM_BYTES(modify_encryption_key_in)], ans[PRM_BYTES(query_ipsec_obj_out)] = {0};
	static const uint16_t ops[] = {PRM_CMD_OP_CREATE_GENERAL_OBJECT,
				       PRM_CMD_OP_MODIFY_GENERAL_OBJECT};

	for (size_t i = 0; i < 2; i++) {
		print_in(in, make_dek(in, ops[i]));
		assert_no_secret();
		print_in(in, make_ipsec(in, ops[i]));
		assert_no_secret();
		assert_true(has("salt: (hidden)"));
		assert_true(has("implicit_iv: (hidden)"));
	}
	fill_ipsec(PRM_AT(query_ipsec_obj_out, ans, ipsec_object));
	make_ipsec(in, PRM_CMD_OP_QUERY_GENERAL_OBJECT);
	print_out(in, 16, ans, sizeof(ans));
	assert_no_secret();
	assert_true(has("aso_return_reg: 0x2 (C_4_5)\n"));
	out.n = 0;
	prm_print_struct(prm_general_object(PRM_GENERAL_OBJECT_TYPES_IPSEC), ans + 16,
			 sizeof(ans) - 16, 1, put, NULL);
	assert_no_secret();
}

/* A body that the printer cannot read may hold anything: nothing of it is shown. */
static void test_unknown_is_not_shown(void **state)
{
	uint8_t in[PRM_BYTES(modify_encryption_key_in)];
	size_t len = make_dek(in, PRM_CMD_OP_CREATE_GENERAL_OBJECT);

	PRM_SET(general_obj_in_cmd_hdr, in, obj_type, 0x7777);
	assert_int_equal(print_in(in, len), 0);
	assert_true(has("CREATE_GENERAL_OBJECT (0xa00) object type 0x7777, 528 bytes\n"));
	assert_true(has("(object of unknown type: 512 bytes not shown)\n"));
	assert_false(has("5a"));
	PRM_SET(cmd_in, in, opcode, 0x999);
	assert_int_equal(print_in(in, len), -EINVAL);
	assert_string_equal(out.text, "unknown opcode 0x0999, 528 bytes\n  op_mod: 0x7777\n");
	assert_int_equal(print_in(in, 1), -EINVAL);
	assert_string_equal(out.text, "1 bytes, too short for an opcode\n");
	assert_int_equal(print_in(in, 0), -EINVAL);
}

/* Every command cut at every length: -EINVAL below 16 bytes, nothing outside is read. */
static void cut_everywhere(const uint8_t *in, size_t len)
{
	for (size_t n = 0; n <= len; n++) {
		assert_int_equal(print_in(in, n), n < 16 ? -EINVAL : 0);
		assert_true(out.n > 0);
	}
	print_in(in, len);
	assert_false(has("(short:"));
}

static void test_cut_commands(void **state)
{
	uint8_t in[1024];

	cut_everywhere(in, make_rule(in, false));
	cut_everywhere(in, make_rule(in, true));
	cut_everywhere(in, make_dek(in, PRM_CMD_OP_MODIFY_GENERAL_OBJECT));
	cut_everywhere(in, make_ipsec(in, PRM_CMD_OP_CREATE_GENERAL_OBJECT));
	cut_everywhere(in, make_actions(in));
	cut_everywhere(in, make_reformat(in));
}

/* Every opcode over every byte set, at lengths around its layout's end: whatever the fields declare. */
static void test_all_bits_set(void **state)
{
	const struct prm_opcode_info *ops;
	uint8_t *buf;
	size_t n;

	ops = prm_opcodes(&n);
	for (size_t i = 0; i < n; i++) {
		size_t whole = ops[i].in->bits / 8;

		for (size_t len = whole > 20 ? whole - 20 : 0; len < whole + 40; len++) {
			buf = malloc(len ? len : 1);
			assert_non_null(buf);
			memset(buf, 0xff, len);
			if (len >= 2)
				prm_put(buf, 0, 16, ops[i].opcode);
			prm_print_in(buf, len, ignore, NULL);
			prm_print_out(buf, len, buf, len, ignore, NULL);
			free(buf);
		}
	}
}

static void test_struct_indent(void **state)
{
	uint8_t wq[PRM_BYTES(wq)] = {0};

	PRM_SET(wq, wq, wq_type, PRM_WQ_TYPE_CYCLIC);
	out.n = 0;
	prm_print_struct(prm_layout_find("wq"), wq, sizeof(wq), 2, put, NULL);
	assert_string_equal(out.text, "    wq_type: 0x1 (CYCLIC)\n");
	out.n = 0;
	out.text[0] = '\0';
	prm_print_struct(prm_layout_find("wq"), wq, 0, 2, put, NULL);
	assert_string_equal(out.text, "");
}

/* -- commands as text -------------------------------------------------------------------------------- */

static void test_hex_notations(void **state)
{
	static const char *const same[] = {
		"0b120000 00000000 00000000 00000002 00000000 00000000 00000000 00000000",
		"0x0b 0x12,0x00,0x00 0000000000000000000000\t02 len=0x20 0000 # rest is zero",
		"000:0b120000 00c:00000002 len=0x20",
		"# SYNC_CRYPTO\n0x00c: 00 00 00 02\n0: 0B12\nlen=20\n",
		"00000000  0b 12 00 00 00 00 00 00  00 00 00 00 00 00 00 02  |..#.............|\n"
		"00000010  00 00 00 00 00 00 00 00  00 00 00 00 00 00 00 00  |................|\n"
		"00000020\n",
	};

	for (size_t i = 0; i < sizeof(same) / sizeof(same[0]); i++) {
		char why[128] = "";

		if (decode(same[i], why, sizeof(why)))
			fail_msg("notation %zu: %s", i, why);
		assert_string_equal(out.text,
				    "SYNC_CRYPTO (0xb12), 32 bytes\n  crypto_type: 0x2\n");
	}
}

/* A dump leaves out repeated lines; here they are not zero. */
static void test_hex_dump_repeats(void **state)
{
	assert_int_equal(decode("00000000  09 40 00 00 00 00 00 00  00 00 00 00 00 00 00 06  "
				"|.@..............|\n"
				"00000010  10 50 00 00 00 00 00 01  10 50 00 00 00 00 00 01  "
				"|.P.......P......|\n"
				"*\n"
				"\n"
				"00000040\n",
				NULL, 0),
			 0);
	assert_true(has("ALLOC_MODIFY_HEADER_CONTEXT (0x940), 64 bytes\n"));
	assert_true(has("action[5]:\n    action_type: 0x1 (SET)\n    field: 0x50 "
			"(METADATA_REG_B)\n    data: 0x1\n"));
}

static void test_hex_refused(void **state)
{
	static const struct {
		const char *text, *why;
	} bad[] = {
		{"", "no bytes"},
		{"# nothing", "no bytes"},
		{"0b1", "line 1: a group has an odd number"},
		{"\n\n0bxx", "line 3: a character is not a hexadecimal digit"},
		{"0b12 0:00", "given twice"},
		{"zz:00", "not a hexadecimal number"},
		{":00", "a number is missing"},
		{"len=0x5000 00", "above 16384"},
		{"4000:00", "more than 16384"},
		{"ffffffffffffffffffff:00", "above 16384"},
		{"0b120000 00000000 len=4", "ends before the last byte"},
		{"0b120000", "at least 16"},
		{"09990000 000000000000000000000000", "opcode 0x0999 is unknown"},
		{"*\n00000000  0b |.|\n*\n00000040\n", "line 1: "},
		{"00000000  0b |.|\n*\n00000040\n", "needs a full line"},
	};

	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		char why[128] = "";

		assert_int_equal(decode(bad[i].text, why, sizeof(why)), -EINVAL);
		if (!strstr(why, bad[i].why))
			fail_msg("\"%s\": said \"%s\"", bad[i].text, why);
		assert_int_equal(decode(bad[i].text, NULL, 0), -EINVAL);
	}
}

/* The reason never quotes the text, which may hold a key. */
static void test_hex_why_keeps_secrets(void **state)
{
	char why[128];

	assert_int_equal(decode("0a00 5a5a5a5a5a5a5a5a5a5a5g", why, sizeof(why)), -EINVAL);
	assert_null(strstr(why, "5a"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_text_key),
		cmocka_unit_test(test_text_rule),
		cmocka_unit_test(test_text_actions),
		cmocka_unit_test(test_text_reformat),
		cmocka_unit_test(test_lists_declare_too_much),
		cmocka_unit_test(test_answers),
		cmocka_unit_test(test_caps),
		cmocka_unit_test(test_secrets_hidden),
		cmocka_unit_test(test_long_bytes),
		cmocka_unit_test(test_reformat_answer),
		cmocka_unit_test(test_unknown_is_not_shown),
		cmocka_unit_test(test_cut_commands),
		cmocka_unit_test(test_all_bits_set),
		cmocka_unit_test(test_struct_indent),
		cmocka_unit_test(test_hex_notations),
		cmocka_unit_test(test_hex_dump_repeats),
		cmocka_unit_test(test_hex_refused),
		cmocka_unit_test(test_hex_why_keeps_secrets),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
