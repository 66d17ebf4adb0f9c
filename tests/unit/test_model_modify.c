// SPDX-License-Identifier: BSD-2-Clause
/* Modify header: every field lands where it belongs, and checksums that were right stay right. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include <string.h>

#include "lib/frames.h"
#include "providers/model/model.h"

static struct model_pkt pkt;
static struct frame f;

static void load(void)
{
	model_pkt_init(&pkt, false);
	memcpy(pkt.data, f.b, f.n);
	pkt.len = f.n;
	model_pkt_parse(&pkt);
}

static void build(bool v6, uint8_t proto)
{
	frame_eth(&f, v6 ? 0x86dd : 0x0800);
	if (v6)
		frame_ipv6(&f, proto);
	else
		frame_ipv4(&f, proto, 8);
	if (proto == 6)
		frame_tcp(&f, 5000, 5001);
	else if (proto == 17)
		frame_udp(&f, 5000, 5001);
	else
		frame_put32(&f, 0x80000000);
	frame_pattern(&f, 13);
	frame_end(&f);
	load();
}

static void run(struct model_modhdr_action a)
{
	struct model_modhdr mh = {.n = 1, .actions = &a};

	model_modify(&pkt, &mh);
}

static void set(uint16_t field, uint8_t offset, uint8_t length, uint32_t data)
{
	run((struct model_modhdr_action){.type = PRM_ACTION_TYPE_SET,
					 .field = field,
					 .offset = offset,
					 .length = length,
					 .data = data});
}

static uint32_t byte_at(size_t at, unsigned int bytes)
{
	return (uint32_t)prm_get(pkt.data + at, 0, bytes * 8);
}

static void sums_ok(uint8_t proto)
{
	const uint8_t *ip = pkt.data + f.l3;

	if (ip[0] >> 4 == 4)
		assert_true(frame_ip_ok(ip));
	assert_true(frame_l4_ok(ip, f.n - f.l3, f.l4 - f.l3, proto));
}

struct row {
	uint16_t field;
	int version; /* 0: Ethernet */
	uint8_t proto;
	int at; /* offset in its header */
	uint8_t width;
};

static const struct row rows[] = {
	{PRM_ACTION_IN_FIELD_OUT_DMAC_47_16, 0, 6, 0, 32},
	{PRM_ACTION_IN_FIELD_OUT_DMAC_15_0, 0, 6, 4, 16},
	{PRM_ACTION_IN_FIELD_OUT_SMAC_47_16, 0, 6, 6, 32},
	{PRM_ACTION_IN_FIELD_OUT_SMAC_15_0, 0, 6, 10, 16},
	{PRM_ACTION_IN_FIELD_OUT_IP_TTL, 4, 6, 8, 8},
	{PRM_ACTION_IN_FIELD_OUT_SIPV4, 4, 6, 12, 32},
	{PRM_ACTION_IN_FIELD_OUT_DIPV4, 4, 17, 16, 32},
	{PRM_ACTION_IN_FIELD_OUT_IPV6_HOPLIMIT, 6, 6, 7, 8},
	{PRM_ACTION_IN_FIELD_OUT_SIPV6_127_96, 6, 6, 8, 32},
	{PRM_ACTION_IN_FIELD_OUT_SIPV6_95_64, 6, 17, 12, 32},
	{PRM_ACTION_IN_FIELD_OUT_SIPV6_63_32, 6, 58, 16, 32},
	{PRM_ACTION_IN_FIELD_OUT_SIPV6_31_0, 6, 6, 20, 32},
	{PRM_ACTION_IN_FIELD_OUT_DIPV6_127_96, 6, 58, 24, 32},
	{PRM_ACTION_IN_FIELD_OUT_DIPV6_95_64, 6, 6, 28, 32},
	{PRM_ACTION_IN_FIELD_OUT_DIPV6_63_32, 6, 6, 32, 32},
	{PRM_ACTION_IN_FIELD_OUT_DIPV6_31_0, 6, 6, 36, 32},
	{PRM_ACTION_IN_FIELD_OUT_TCP_SPORT, 4, 6, 28, 16},
	{PRM_ACTION_IN_FIELD_OUT_TCP_DPORT, 6, 6, 42, 16},
	{PRM_ACTION_IN_FIELD_OUT_TCP_SEQ_NUM, 4, 6, 32, 32},
	{PRM_ACTION_IN_FIELD_OUT_TCP_ACK_NUM, 4, 6, 36, 32},
	{PRM_ACTION_IN_FIELD_OUT_UDP_SPORT, 4, 17, 28, 16},
	{PRM_ACTION_IN_FIELD_OUT_UDP_DPORT, 6, 17, 42, 16},
};

static void set_each_field(void **state)
{
	static const uint32_t values[] = {0, 1, 0x12345678, 0xffffffff};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		for (size_t v = 0; v < 4; v++) {
			const struct row *r = &rows[i];
			size_t at = (r->version ? 14u : 0u) + (size_t)r->at;
			unsigned int width = 0;

			assert_true(model_modify_knows(r->field, &width));
			assert_int_equal(width, r->width);
			build(r->version == 6, r->proto);
			set(r->field, 0, r->width, values[v]);
			assert_int_equal(byte_at(at, r->width / 8),
					 values[v] & (0xffffffff >> (32 - r->width)));
			sums_ok(r->proto);
			/* nothing else moved: put the old bytes and sums back and compare */
			memcpy(pkt.data + at, f.b + at, r->width / 8);
			memcpy(pkt.data + 24, f.b + 24, r->version == 4 ? 2 : 0);
			memcpy(pkt.data + f.l4 + 16, f.b + f.l4 + 16, r->proto == 6 ? 2 : 0);
			memcpy(pkt.data + f.l4 + 6, f.b + f.l4 + 6, r->proto == 17 ? 2 : 0);
			memcpy(pkt.data + f.l4 + 2, f.b + f.l4 + 2, r->proto == 58 ? 2 : 0);
			assert_memory_equal(pkt.data, f.b, f.n);
		}
}

static void dscp_keeps_its_neighbours(void **state)
{
	build(false, 6);
	set(PRM_ACTION_IN_FIELD_OUT_IP_DSCP, 0, 6, 46);
	assert_int_equal(byte_at(15, 1), 46 << 2 | 1);
	sums_ok(6);
	build(true, 6);
	set(PRM_ACTION_IN_FIELD_OUT_IP_DSCP, 0, 6, 46);
	assert_int_equal(byte_at(14, 4), UINT32_C(6) << 28 | (46 << 2 | 1) << 20 | 0x54321);
	sums_ok(6);
}

static void part_of_a_field(void **state)
{
	build(false, 6);
	pkt.reg_c[3] = 0x11111111;
	set(PRM_ACTION_IN_FIELD_METADATA_REG_C_3, 8, 8, 0xabcd);
	assert_int_equal(pkt.reg_c[3], 0x1111cd11);
	set(PRM_ACTION_IN_FIELD_OUT_DIPV4, 24, 8, 10);
	assert_int_equal(byte_at(30, 4), 0x0a000202);
	sums_ok(6);
}

static void add_wraps_in_its_field(void **state)
{
	build(false, 6);
	run((struct model_modhdr_action){.type = PRM_ACTION_TYPE_ADD,
					 .field = PRM_ACTION_IN_FIELD_OUT_IP_TTL,
					 .data = 0xffffffff});
	assert_int_equal(byte_at(22, 1), 63);
	sums_ok(6);
	run((struct model_modhdr_action){.type = PRM_ACTION_TYPE_ADD,
					 .field = PRM_ACTION_IN_FIELD_OUT_TCP_SEQ_NUM,
					 .data = 0xfffffffe});
	assert_int_equal(byte_at(f.l4 + 4, 4), 0x01020302);
	sums_ok(6);
}

static void copy_between_registers_and_header(void **state)
{
	build(false, 17);
	pkt.reg_c[1] = 0x00beef00;
	run((struct model_modhdr_action){.type = PRM_ACTION_TYPE_COPY,
					 .field = PRM_ACTION_IN_FIELD_METADATA_REG_C_1,
					 .offset = 8,
					 .dst_field = PRM_ACTION_IN_FIELD_OUT_UDP_DPORT,
					 .length = 16});
	assert_int_equal(byte_at(f.l4 + 2, 2), 0xbeef);
	sums_ok(17);
	run((struct model_modhdr_action){.type = PRM_ACTION_TYPE_COPY,
					 .field = PRM_ACTION_IN_FIELD_OUT_SIPV4,
					 .dst_field = PRM_ACTION_IN_FIELD_METADATA_REG_B,
					 .dst_offset = 0,
					 .length = 32});
	assert_int_equal(pkt.reg_b, 0xc0000201);
}

static void registers_show_in_the_image(void **state)
{
	unsigned int bit = PRM_OFFSET(fte_match_param, misc_parameters_2) +
			   PRM_OFFSET(fte_match_set_misc2, metadata_reg_c_4);

	build(false, 6);
	set(PRM_ACTION_IN_FIELD_METADATA_REG_C_4, 0, 32, 0xaa);
	assert_int_equal(pkt.image[bit / 32], 0xaa);
	set(PRM_ACTION_IN_FIELD_IPSEC_SYNDROME, 0, 8, 2);
	assert_int_equal(pkt.ipsec_syndrome, 2);
	set(PRM_ACTION_IN_FIELD_OUT_DIPV4, 0, 32, 0x01020304);
	bit = PRM_OFFSET(fte_match_set_lyr_2_4, dst_ipv4_dst_ipv6) + 96;
	assert_int_equal(pkt.image[bit / 32], 0x01020304);
}

/* A field that the packet does not have: nothing happens. */
static void absent_fields(void **state)
{
	static const uint16_t ids[] = {
		PRM_ACTION_IN_FIELD_OUT_UDP_DPORT, PRM_ACTION_IN_FIELD_OUT_SIPV6_31_0,
		PRM_ACTION_IN_FIELD_OUT_IPV6_HOPLIMIT, PRM_ACTION_IN_FIELD_OUT_FIRST_VID, 0xfff};

	build(false, 6);
	for (size_t i = 0; i < 5; i++) {
		set(ids[i], 0, 8, 0x55);
		run((struct model_modhdr_action){.type = PRM_ACTION_TYPE_COPY,
						 .field = ids[i],
						 .dst_field = PRM_ACTION_IN_FIELD_METADATA_REG_B,
						 .length = 8});
	}
	assert_memory_equal(pkt.data, f.b, f.n);
	assert_int_equal(pkt.reg_b, 0);
}

static void no_udp_checksum_stays_none(void **state)
{
	build(false, 17);
	prm_put(pkt.data + f.l4, 48, 16, 0);
	set(PRM_ACTION_IN_FIELD_OUT_UDP_SPORT, 0, 16, 9);
	assert_int_equal(byte_at(f.l4 + 6, 2), 0);
}

static void ethertype_and_vid_behind_tags(void **state)
{
	frame_eth(&f, 0x8100);
	frame_vlan(&f, 0xe005, 0x88b5);
	frame_pattern(&f, 50);
	load();
	set(PRM_ACTION_IN_FIELD_OUT_ETHERTYPE, 0, 16, 0x88b6);
	set(PRM_ACTION_IN_FIELD_OUT_FIRST_VID, 0, 12, 0xabc);
	assert_int_equal(byte_at(12, 2), 0x8100);
	assert_int_equal(byte_at(14, 2), 0xeabc);
	assert_int_equal(byte_at(16, 2), 0x88b6);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(set_each_field),
		cmocka_unit_test(dscp_keeps_its_neighbours),
		cmocka_unit_test(part_of_a_field),
		cmocka_unit_test(add_wraps_in_its_field),
		cmocka_unit_test(copy_between_registers_and_header),
		cmocka_unit_test(registers_show_in_the_image),
		cmocka_unit_test(absent_fields),
		cmocka_unit_test(no_udp_checksum_stays_none),
		cmocka_unit_test(ethertype_and_vid_behind_tags),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
