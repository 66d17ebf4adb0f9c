// SPDX-License-Identifier: BSD-2-Clause
/*
 * Rules as generic flow interfaces make them (rte_flow, mlx5dv_create_flow): every field of layers 2 to 4 alone decides
 * whether a packet is marked and counted, and a rule that drops counts, too.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include <string.h>

#include "lib/frames.h"
#include "lib/raw.h"

enum { RX_AT = RAW_ARENA / 2, BUF = 2048, MARK = 0x1234 };

static struct raw r;
static struct raw_sq sq;
static struct raw_rq rq;
static struct frame f;

static int setup(void **state)
{
	raw_open(&r, "model:port=loop");
	raw_sq(&r, &sq, 6, 6);
	raw_rq(&r, &rq, 4, 5);
	return 0;
}

static int teardown(void **state)
{
	raw_close(&r);
	return 0;
}

/* VLAN 3:0:42, IPv4 dscp 10 ecn 1 ttl 64, TCP 1000 -> 2000 ACK|PSH */
static void packet(void)
{
	frame_eth(&f, 0x8100);
	frame_vlan(&f, 3 << 13 | 42, 0x0800);
	frame_ipv4(&f, 6, 0);
	frame_tcp(&f, 1000, 2000);
	frame_pattern(&f, 64);
	frame_end(&f);
	memcpy(r.data, f.b, f.n);
}

/* Send it; the mark it was received with, -1: not received. */
static int64_t cross(void)
{
	const uint8_t *c;

	raw_send(&r, &sq, 0, (uint32_t)f.n, 0);
	assert_non_null(raw_poll(&sq.cq));
	while (r.ops->progress(r.dev))
		;
	c = raw_poll(&rq.cq);
	if (!c)
		return -1;
	raw_post_rx(&r, &rq, RX_AT, BUF);
	return (int64_t)(PRM_GET(cqe64, c, sop_drop_qpn) & 0xffffff);
}

#define FIELD(name, good) \
	{ \
		PRM_OFFSET(fte_match_set_lyr_2_4, name), PRM_WIDTH(fte_match_set_lyr_2_4, name), \
			(good) \
	}
static const struct {
	unsigned int off, width;
	uint64_t good;
} fields[] = {
	FIELD(cvlan_tag, 1),	FIELD(svlan_tag, 0),	FIELD(first_vid, 42),
	FIELD(first_prio, 3),	FIELD(first_cfi, 0),	FIELD(ethertype, 0x0800),
	FIELD(ip_version, 4),	FIELD(ip_protocol, 6),	FIELD(ip_dscp, 10),
	FIELD(ip_ecn, 1),	FIELD(frag, 0),		FIELD(ttl_hoplimit, 64),
	FIELD(tcp_flags, 0x18), FIELD(tcp_sport, 1000), FIELD(tcp_dport, 2000),
	FIELD(ipv4_ihl, 5),	FIELD(l4_type, 1),	FIELD(udp_dport, 0),
};

static void each_field_decides(void **state)
{
	struct raw_table last = raw_table(&r, PRM_FLOW_TABLE_TYPE_NIC_RX, 40), next = last;
	struct raw_rule all = {.action = PRM_FLOW_CONTEXT_ACTION_FWD_DEST, .to_tir = rq.tirn};
	unsigned int n = sizeof(fields) / sizeof(fields[0]);

	/* a chain of tables: each passes the packet on only if its field is right, else it drops */
	raw_post_rx(&r, &rq, RX_AT, BUF);
	all.flow_tag = MARK;
	raw_rule(&r, &last, 0, &all);
	for (unsigned int i = 0; i < n; i++) {
		uint8_t mask[512] = {0}, value[512] = {0};
		struct raw_table t = raw_table(&r, PRM_FLOW_TABLE_TYPE_NIC_RX, (uint8_t)(39 - i));
		struct raw_rule rule = {.action = PRM_FLOW_CONTEXT_ACTION_FWD_DEST,
					.enable = 1,
					.mask = mask,
					.value = value,
					.to_table = &next};

		prm_put(mask, fields[i].off, fields[i].width, UINT64_MAX);
		prm_put(value, fields[i].off, fields[i].width, fields[i].good);
		raw_rule(&r, &t, 0, &rule);
		next = t;
	}
	raw_attach(&r, &next, NULL);
	packet();
	assert_int_equal(cross(), MARK);
}

static void each_field_wrong(void **state)
{
	struct raw_table t = raw_table(&r, PRM_FLOW_TABLE_TYPE_NIC_RX, 1);
	struct raw_rule all = {.action = PRM_FLOW_CONTEXT_ACTION_FWD_DEST, .to_tir = rq.tirn};
	unsigned int n = sizeof(fields) / sizeof(fields[0]);

	raw_post_rx(&r, &rq, RX_AT, BUF);
	for (unsigned int i = 0; i < n; i++) {
		uint8_t mask[512] = {0}, value[512] = {0};
		struct raw_rule wrong = {.action = PRM_FLOW_CONTEXT_ACTION_DROP,
					 .enable = 1,
					 .mask = mask,
					 .value = value};

		prm_put(mask, fields[i].off, fields[i].width, UINT64_MAX);
		prm_put(value, fields[i].off, fields[i].width, fields[i].good ^ 1);
		raw_rule(&r, &t, i, &wrong);
	}
	raw_rule(&r, &t, n, &all);
	raw_attach(&r, &t, NULL);
	packet();
	assert_int_equal(cross(), 0); /* none of them took it */
}

static void drop_counts(void **state)
{
	uint8_t mask[512] = {0}, value[512] = {0};
	struct raw_table t = raw_table(&r, PRM_FLOW_TABLE_TYPE_NIC_RX, 1);
	struct raw_rule drop = {.action = PRM_FLOW_CONTEXT_ACTION_DROP |
					  PRM_FLOW_CONTEXT_ACTION_COUNT,
				.enable = 1,
				.mask = mask,
				.value = value,
				.has_counter = true};
	uint64_t packets, octets;
	struct prov_obj *counter;

	PRM_SET(fte_match_set_lyr_2_4, mask, tcp_dport, 0xffff);
	PRM_SET(fte_match_set_lyr_2_4, value, tcp_dport, 2000);
	drop.counter = raw_counter(&r, &counter);
	raw_rule(&r, &t, 0, &drop);
	raw_attach(&r, &t, NULL);
	packet();
	assert_int_equal(cross(), -1);
	assert_int_equal(cross(), -1);
	raw_counter_read(&r, counter, drop.counter, &packets, &octets);
	assert_int_equal(packets, 2);
	assert_int_equal(octets, 2 * f.n);
}

int main(void)
{
#define TEST(t) cmocka_unit_test_setup_teardown(t, setup, teardown)
	const struct CMUnitTest tests[] = {
		TEST(each_field_decides),
		TEST(each_field_wrong),
		TEST(drop_counts),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
