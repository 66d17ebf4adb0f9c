// SPDX-License-Identifier: BSD-2-Clause
/*
 * Whole mailboxes, built with PRM_SET and compared byte for byte with images written down by hand from the bit
 * positions of the public interface header: non-zero dwords as "byte offset:big-endian value", or single bytes.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "prm/prm.h"

#define PD 0x1a
#define TD 0x33

/* "000:0a000000 004:0000000c" into len bytes, everything else 0. */
static void image(uint8_t *buf, size_t len, const char *text)
{
	unsigned int off, value;
	int used;

	memset(buf, 0, len);
	while (sscanf(text, " %x:%x%n", &off, &value, &used) == 2) {
		assert_true(off + 4 <= len);
		for (int i = 0; i < 4; i++)
			buf[off + i] = (uint8_t)(value >> (24 - 8 * i));
		text += used;
	}
	assert_int_equal(text[strspn(text, " ")], '\0');
}

#define ASSERT_IMAGE(buf, text) \
	do { \
		uint8_t want_[sizeof(buf)]; \
		image(want_, sizeof(want_), text); \
		assert_memory_equal(buf, want_, sizeof(want_)); \
	} while (0)

static void general_header(uint8_t *in, uint16_t opcode, uint16_t type, uint32_t id)
{
	PRM_SET(general_obj_in_cmd_hdr, in, opcode, opcode);
	PRM_SET(general_obj_in_cmd_hdr, in, obj_type, type);
	PRM_SET(general_obj_in_cmd_hdr, in, obj_id, id);
}

static void test_dek_bulk_create(void **state)
{
	uint8_t in[PRM_BYTES(create_encryption_key_in)] = {0};
	uint8_t *obj = PRM_AT(create_encryption_key_in, in, encryption_key_object);
	uint8_t *param = PRM_AT(general_obj_in_cmd_hdr, in, op_param);

	general_header(in, PRM_CMD_OP_CREATE_GENERAL_OBJECT,
		       PRM_GENERAL_OBJECT_TYPES_ENCRYPTION_KEY, 0);
	PRM_SET(general_obj_create_param, param, log_obj_range, 12);
	PRM_SET(encryption_key_obj, obj, key_size,
		PRM_GENERAL_OBJECT_TYPE_ENCRYPTION_KEY_KEY_SIZE_128);
	PRM_SET(encryption_key_obj, obj, key_purpose,
		PRM_GENERAL_OBJECT_TYPE_ENCRYPTION_KEY_PURPOSE_TLS);
	PRM_SET(encryption_key_obj, obj, pd, PD);
	assert_int_equal(sizeof(in), 0x210);
	ASSERT_IMAGE(in, "000:0a000000 004:0000000c 00c:0c000000 018:00000001 01c:0000001a");
}

/* A key of 16 bytes sits in the second half of the 32 bytes that a key of 32 bytes takes. */
static void dek_modify(uint8_t *in, size_t key_len)
{
	uint8_t *obj = PRM_AT(modify_encryption_key_in, in, encryption_key_object);
	uint8_t *param = PRM_AT(general_obj_in_cmd_hdr, in, op_param);
	uint8_t *key = PRM_AT(encryption_key_obj, obj, key) + 32 - key_len;

	general_header(in, PRM_CMD_OP_MODIFY_GENERAL_OBJECT,
		       PRM_GENERAL_OBJECT_TYPES_ENCRYPTION_KEY, 0x1000);
	PRM_SET(general_obj_query_param, param, obj_offset, 0x2a);
	PRM_SET(encryption_key_obj, obj, modify_field_select, 1);
	PRM_SET(encryption_key_obj, obj, key_size, key_len == 32);
	PRM_SET(encryption_key_obj, obj, key_purpose,
		PRM_GENERAL_OBJECT_TYPE_ENCRYPTION_KEY_PURPOSE_TLS);
	PRM_SET(encryption_key_obj, obj, pd, PD);
	for (size_t i = 0; i < key_len; i++)
		key[i] = (uint8_t)(i + 1);
}

static void test_dek_modify_128(void **state)
{
	uint8_t in[PRM_BYTES(modify_encryption_key_in)] = {0};

	dek_modify(in, 16);
	ASSERT_IMAGE(
		in, "000:0a010000 004:0000000c 008:00001000 00c:0000002a 014:00000001 018:00000001 "
		    "01c:0000001a 060:01020304 064:05060708 068:090a0b0c 06c:0d0e0f10");
}

static void test_dek_modify_256(void **state)
{
	uint8_t in[PRM_BYTES(modify_encryption_key_in)] = {0};

	dek_modify(in, 32);
	ASSERT_IMAGE(
		in, "000:0a010000 004:0000000c 008:00001000 00c:0000002a 014:00000001 018:00000101 "
		    "01c:0000001a 050:01020304 054:05060708 058:090a0b0c 05c:0d0e0f10 060:11121314 "
		    "064:15161718 068:191a1b1c 06c:1d1e1f20");
}

static void test_tis_create(void **state)
{
	uint8_t in[PRM_BYTES(create_tis_in)] = {0};
	uint8_t *ctx = PRM_AT(create_tis_in, in, ctx);

	PRM_SET(create_tis_in, in, opcode, PRM_CMD_OP_CREATE_TIS);
	PRM_SET(tisc, ctx, tls_en, 1);
	PRM_SET(tisc, ctx, transport_domain, TD);
	PRM_SET(tisc, ctx, pd, PD);
	assert_int_equal(sizeof(in), 0xc0);
	ASSERT_IMAGE(in, "000:09120000 020:40000000 044:00000033 04c:0000001a");
}

static void test_tir_create(void **state)
{
	uint8_t in[PRM_BYTES(create_tir_in)] = {0};
	uint8_t *ctx = PRM_AT(create_tir_in, in, ctx);

	PRM_SET(create_tir_in, in, opcode, PRM_CMD_OP_CREATE_TIR);
	PRM_SET(tirc, ctx, disp_type, PRM_TIRC_DISP_TYPE_INDIRECT);
	PRM_SET(tirc, ctx, tls_en, 1);
	PRM_SET(tirc, ctx, indirect_table, 0x44);
	PRM_SET(tirc, ctx, rx_hash_fn, PRM_RX_HASH_FN_INVERTED_XOR8);
	PRM_SET(tirc, ctx, self_lb_block,
		PRM_TIRC_SELF_LB_BLOCK_BLOCK_UNICAST | PRM_TIRC_SELF_LB_BLOCK_BLOCK_MULTICAST);
	PRM_SET(tirc, ctx, transport_domain, TD);
	assert_int_equal(sizeof(in), 0x110);
	ASSERT_IMAGE(in, "000:09000000 024:18000000 040:00000044 044:13000033");
}

static void test_sync_crypto(void **state)
{
	uint8_t in[PRM_BYTES(sync_crypto_in)] = {0};

	PRM_SET(sync_crypto_in, in, opcode, PRM_CMD_OP_SYNC_CRYPTO);
	PRM_SET(sync_crypto_in, in, crypto_type, 2);
	assert_int_equal(sizeof(in), 0x20);
	ASSERT_IMAGE(in, "000:0b120000 00c:00000002");
}

static void test_sq_create(void **state)
{
	uint8_t in[PRM_BYTES(create_sq_in)] = {0};
	uint8_t *ctx = PRM_AT(create_sq_in, in, ctx);
	uint8_t *wq = PRM_AT(sqc, ctx, wq);

	PRM_SET(create_sq_in, in, opcode, PRM_CMD_OP_CREATE_SQ);
	PRM_SET(sqc, ctx, flush_in_error_en, 1);
	PRM_SET(sqc, ctx, cqn, 0x55);
	PRM_SET(sqc, ctx, tis_lst_sz, 1);
	PRM_SET(sqc, ctx, tis_num_0, 0x66);
	PRM_SET(wq, wq, wq_type, PRM_WQ_TYPE_CYCLIC);
	PRM_SET(wq, wq, pd, PD);
	PRM_SET(wq, wq, uar_page, 0x77);
	PRM_SET(wq, wq, dbr_addr, 0x40);
	PRM_SET(wq, wq, log_wq_stride, 6);
	PRM_SET(wq, wq, log_wq_sz, 10);
	PRM_SET(wq, wq, dbr_umem_valid, 1);
	PRM_SET(wq, wq, wq_umem_valid, 1);
	PRM_SET(wq, wq, dbr_umem_id, 0x88);
	PRM_SET(wq, wq, wq_umem_id, 0x89);
	ASSERT_IMAGE(
		in, "000:09040000 020:10000000 028:00000055 040:00010000 04c:00000066 050:10000000 "
		    "058:0000001a 05c:00000077 064:00000040 070:0006000a 074:c0000000 078:00000088 "
		    "07c:00000089");
}

/* Packet offload, ESN, window of 64, verdict in reg_c_4/5. */
static void test_ipsec_create(void **state)
{
	uint8_t in[PRM_BYTES(create_ipsec_obj_in)] = {0};
	uint8_t *obj = PRM_AT(create_ipsec_obj_in, in, ipsec_object);
	uint8_t *aso = PRM_AT(ipsec_obj, obj, ipsec_aso);

	general_header(in, PRM_CMD_OP_CREATE_GENERAL_OBJECT, PRM_GENERAL_OBJECT_TYPES_IPSEC, 0);
	PRM_SET(ipsec_obj, obj, full_offload, 1);
	PRM_SET(ipsec_obj, obj, esn_en, 1);
	PRM_SET(ipsec_obj, obj, esn_overlap, 1);
	PRM_SET(ipsec_obj, obj, aso_return_reg, PRM_IPSEC_ASO_REG_C_4_5);
	PRM_SET(ipsec_obj, obj, esn_msb, 0x01020304);
	PRM_SET(ipsec_obj, obj, dekn, 0x778899);
	memcpy(PRM_AT(ipsec_obj, obj, salt), "\x11\x12\x13\x14", 4);
	memcpy(PRM_AT(ipsec_obj, obj, implicit_iv), "\x21\x22\x23\x24\x25\x26\x27\x28", 8);
	PRM_SET(ipsec_obj, obj, ipsec_aso_access_pd, PD);
	PRM_SET(ipsec_aso, aso, valid, 1);
	PRM_SET(ipsec_aso, aso, mode, PRM_IPSEC_ASO_REPLAY_PROTECTION);
	PRM_SET(ipsec_aso, aso, window_sz, PRM_IPSEC_ASO_REPLAY_WIN_64BIT);
	PRM_SET(ipsec_aso, aso, mode_parameter, 0x31323334);
	assert_int_equal(sizeof(in), 0x90);
	ASSERT_IMAGE(
		in, "000:0a000000 004:00000013 018:b0020000 01c:01020304 020:00778899 024:11121314 "
		    "028:21222324 02c:25262728 030:0000001a 050:94000000 06c:31323334");
}

/* -- a rule "ESP with this SPI to this address: decrypt, count, go to a table" ------------------------ */

static void group_head(uint8_t *in)
{
	PRM_SET(create_flow_group_in, in, opcode, PRM_CMD_OP_CREATE_FLOW_GROUP);
	PRM_SET(create_flow_group_in, in, table_type, PRM_FLOW_TABLE_TYPE_NIC_TX);
	PRM_SET(create_flow_group_in, in, table_id, 0x010203);
	PRM_SET(create_flow_group_in, in, start_flow_index, 0x04050607);
	PRM_SET(create_flow_group_in, in, end_flow_index, 0x08090a0b);
	PRM_SET(create_flow_group_in, in, match_criteria_enable,
		1 << PRM_CREATE_FLOW_GROUP_IN_MATCH_CRITERIA_ENABLE_OUTER_HEADERS |
			1 << PRM_CREATE_FLOW_GROUP_IN_MATCH_CRITERIA_ENABLE_MISC_PARAMETERS);
}

/* family: 4 or 6 */
static void group_mask(uint8_t *in, int family)
{
	uint8_t *match = PRM_AT(create_flow_group_in, in, match_criteria);
	uint8_t *outer = PRM_AT(fte_match_param, match, outer_headers);
	uint8_t *misc = PRM_AT(fte_match_param, match, misc_parameters);
	size_t len = family == 4 ? 4 : 16;

	PRM_SET(fte_match_set_lyr_2_4, outer, ip_protocol, 0xff);
	PRM_SET(fte_match_set_lyr_2_4, outer, frag, 1);
	PRM_SET(fte_match_set_lyr_2_4, outer, ip_version, 0xf);
	memset(PRM_AT(fte_match_set_lyr_2_4, outer, dst_ipv4_dst_ipv6) + 16 - len, 0xff, len);
	PRM_SET(fte_match_set_misc, misc, outer_esp_spi, 0xffffffff);
}

static void group_image(uint8_t *b)
{
	static const uint8_t head[] = {0x09, 0x33};

	memcpy(b, head, 2);
	b[16] = 1;
	memcpy(b + 21, "\x01\x02\x03", 3);
	memcpy(b + 28, "\x04\x05\x06\x07", 4);
	memcpy(b + 36, "\x08\x09\x0a\x0b", 4);
	b[63] = 0x03;
	b[80] = 0xff;
	b[82] = 0x20 | 0x1e;
	memset(b + 176, 0xff, 4); /* outer_esp_spi */
}

static void test_flow_group_ipv4(void **state)
{
	uint8_t in[PRM_BYTES(create_flow_group_in)] = {0}, want[1024] = {0};

	group_head(in);
	group_mask(in, 4);
	group_image(want);
	memset(want + 124, 0xff, 4);
	assert_int_equal(sizeof(in), sizeof(want));
	assert_memory_equal(in, want, sizeof(want));
}

static void test_flow_group_ipv6(void **state)
{
	uint8_t in[PRM_BYTES(create_flow_group_in)] = {0}, want[1024] = {0};

	group_head(in);
	group_mask(in, 6);
	group_image(want);
	memset(want + 112, 0xff, 16);
	assert_memory_equal(in, want, sizeof(want));
}

static void test_flow_group_sources(void **state)
{
	uint8_t in[PRM_BYTES(create_flow_group_in)] = {0}, want[1024] = {0};
	uint8_t *match = PRM_AT(create_flow_group_in, in, match_criteria);
	uint8_t *outer = PRM_AT(fte_match_param, match, outer_headers);
	uint8_t *misc = PRM_AT(fte_match_param, match, misc_parameters);

	memset(PRM_AT(fte_match_set_lyr_2_4, outer, src_ipv4_src_ipv6) + 12, 0xff, 4);
	PRM_SET(fte_match_set_misc, misc, inner_esp_spi, 0xffffffff); /* ESP in UDP */
	memset(want + 108, 0xff, 4);
	memset(want + 172, 0xff, 4);
	assert_memory_equal(in, want, sizeof(want));
}

#define FTE_BYTES (PRM_BYTES(set_fte_in) + 2 * PRM_BYTES(dest_format_struct))

static void fte_head(uint8_t *in)
{
	PRM_SET(set_fte_in, in, opcode, PRM_CMD_OP_SET_FLOW_TABLE_ENTRY);
	PRM_SET(set_fte_in, in, op_mod, 1);
	PRM_SET(set_fte_in, in, table_type, PRM_FLOW_TABLE_TYPE_NIC_RX);
	PRM_SET(set_fte_in, in, table_id, 0x010203);
	PRM_SET(set_fte_in, in, ignore_flow_level, 1);
	PRM_SET(set_fte_in, in, modify_enable_mask,
		1 << PRM_SET_FTE_MODIFY_ENABLE_MASK_IPSEC_OBJ_ID);
	PRM_SET(set_fte_in, in, flow_index, 0x11223344);
}

static void fte_context(uint8_t *in)
{
	uint8_t *ctx = PRM_AT(set_fte_in, in, flow_context);
	uint8_t *list = PRM_AT(flow_context, ctx, destination);

	PRM_SET(flow_context, ctx, group_id, 0x21222324);
	PRM_SET(flow_context, ctx, flow_tag, 0x313233);
	PRM_SET(flow_context, ctx, action,
		PRM_FLOW_CONTEXT_ACTION_CRYPTO_DECRYPT | PRM_FLOW_CONTEXT_ACTION_COUNT |
			PRM_FLOW_CONTEXT_ACTION_FWD_DEST);
	PRM_SET(flow_context, ctx, encrypt_decrypt_type,
		PRM_FLOW_CONTEXT_ENCRYPT_DECRYPT_TYPE_IPSEC);
	PRM_SET(flow_context, ctx, destination_list_size, 1);
	PRM_SET(flow_context, ctx, flow_counter_list_size, 1);
	PRM_SET(flow_context, ctx, packet_reformat_id, 0x41424344);
	PRM_SET(flow_context, ctx, modify_header_id, 0x51525354);
	PRM_SET(flow_context, ctx, encrypt_decrypt_obj_id, 0x61626364);
	PRM_SET(dest_format_struct, list, destination_type,
		PRM_IFC_FLOW_DESTINATION_TYPE_FLOW_TABLE);
	PRM_SET(dest_format_struct, list, destination_id, 0x717273);
	PRM_SET(flow_counter_list, list + 8, flow_counter_id, 0x81828384);
}

/* addr: addr_len bytes, 4 or 16 */
static void fte_match(uint8_t *in, const void *addr, size_t addr_len)
{
	uint8_t *match = PRM_AT(flow_context, PRM_AT(set_fte_in, in, flow_context), match_value);
	uint8_t *outer = PRM_AT(fte_match_param, match, outer_headers);
	uint8_t *misc = PRM_AT(fte_match_param, match, misc_parameters);

	PRM_SET(fte_match_set_lyr_2_4, outer, ip_protocol, 50);
	PRM_SET(fte_match_set_lyr_2_4, outer, ip_version, addr_len == 4 ? 4 : 6);
	memcpy(PRM_AT(fte_match_set_lyr_2_4, outer, dst_ipv4_dst_ipv6) + 16 - addr_len, addr,
	       addr_len);
	PRM_SET(fte_match_set_misc, misc, outer_esp_spi, 0xcafe0001);
}

static void fte_image(uint8_t *b)
{
	memcpy(b, "\x09\x36", 2);
	b[7] = 1; /* op_mod: modify */
	b[16] = 0;
	memcpy(b + 21, "\x01\x02\x03", 3);
	b[24] = 0x80;
	b[27] = 0x10;
	memcpy(b + 32, "\x11\x22\x33\x44", 4);
	memcpy(b + 68, "\x21\x22\x23\x24", 4);
	memcpy(b + 73, "\x31\x32\x33", 3);
	memcpy(b + 78, "\x10\x0c", 2);
	b[80] = 0;
	b[83] = 1;
	b[87] = 1;
	memcpy(b + 88, "\x41\x42\x43\x44", 4);
	memcpy(b + 92, "\x51\x52\x53\x54", 4);
	memcpy(b + 100, "\x61\x62\x63\x64", 4);
	b[144] = 0x32;
	memcpy(b + 240, "\xca\xfe\x00\x01", 4);
	b[832] = 1;
	memcpy(b + 833, "\x71\x72\x73", 3);
	memcpy(b + 840, "\x81\x82\x83\x84", 4);
}

static void test_fte_ipv4(void **state)
{
	uint8_t in[FTE_BYTES] = {0}, want[848] = {0};

	fte_head(in);
	fte_context(in);
	fte_match(in, "\xc0\x00\x02\x01", 4);
	fte_image(want);
	memcpy(want + 146, "\x08\x00", 2);
	memcpy(want + 188, "\xc0\x00\x02\x01", 4);
	assert_int_equal(sizeof(in), sizeof(want));
	assert_memory_equal(in, want, sizeof(want));
}

static void test_fte_ipv6(void **state)
{
	static const uint8_t addr[16] = {0x20, 0x01, 0x0d, 0xb8, 1, 2,	3,  4,
					 5,    6,    7,	   8,	 9, 10, 11, 12};
	uint8_t in[FTE_BYTES] = {0}, want[848] = {0};

	fte_head(in);
	fte_context(in);
	fte_match(in, addr, 16);
	fte_image(want);
	memcpy(want + 146, "\x0c\x00", 2);
	memcpy(want + 176, addr, 16);
	assert_memory_equal(in, want, sizeof(want));
}

/* What the rules behind the decryption look at, and the metadata that picks an SA on transmit. */
static void test_fte_status_table(void **state)
{
	uint8_t in[FTE_BYTES] = {0}, want[848] = {0};
	uint8_t *match = PRM_AT(flow_context, PRM_AT(set_fte_in, in, flow_context), match_value);
	uint8_t *misc2 = PRM_AT(fte_match_param, match, misc_parameters_2);

	PRM_SET(fte_match_set_misc2, misc2, ipsec_syndrome, 2);
	PRM_SET(fte_match_set_misc2, misc2, metadata_reg_c_4, 0x91929394);
	PRM_SET(fte_match_set_misc2, misc2, metadata_reg_a, 0xa1a2a3a4);
	want[374] = 2;
	memcpy(want + 348, "\x91\x92\x93\x94", 4);
	memcpy(want + 368, "\xa1\xa2\xa3\xa4", 4);
	assert_memory_equal(in, want, sizeof(want));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_dek_bulk_create),	   cmocka_unit_test(test_dek_modify_128),
		cmocka_unit_test(test_dek_modify_256),	   cmocka_unit_test(test_tis_create),
		cmocka_unit_test(test_tir_create),	   cmocka_unit_test(test_sync_crypto),
		cmocka_unit_test(test_ipsec_create),	   cmocka_unit_test(test_sq_create),
		cmocka_unit_test(test_flow_group_ipv4),	   cmocka_unit_test(test_flow_group_ipv6),
		cmocka_unit_test(test_flow_group_sources), cmocka_unit_test(test_fte_ipv4),
		cmocka_unit_test(test_fte_ipv6),	   cmocka_unit_test(test_fte_status_table),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
