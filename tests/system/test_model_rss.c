// SPDX-License-Identifier: BSD-2-Clause
/*
 * Receive side scaling of a device by raw mailboxes: which queue a flow goes to, what the CQE says, how tables and
 * TIRs are changed under traffic and read back, and what is refused.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include <string.h>

#include "lib/frames.h"
#include "lib/raw_rss.h"

enum { QUEUES = 4, LOG_RQ = 7, FLOWS = 64, BUF = 256, FIELDS_IP = 3, FIELDS_ALL = 15 };

static struct raw r;
static struct raw_rq rq[QUEUES];
static const struct raw_rq *list[QUEUES] = {&rq[0], &rq[1], &rq[2], &rq[3]};
static struct raw_rqt table;
static struct raw_tir tir;
static struct raw_sq sq;
static const uint8_t key[40] = {0x6d, 0x5a, 0x56, 0xda, 0x25, 0x5b, 0x0e, 0xc2, 0x41, 0x67,
				0x25, 0x3d, 0x43, 0xa3, 0x8f, 0xb0, 0xd0, 0xca, 0x2b, 0xcb,
				0xae, 0x7b, 0x30, 0xb4, 0x77, 0xcb, 0x2d, 0xa3, 0x80, 0x30,
				0xf2, 0x0c, 0x6a, 0x42, 0xb7, 0x3b, 0xbe, 0xac, 0x01, 0xfa};

static int setup(void **state)
{
	struct raw_table t;
	struct raw_rule all = {.action = PRM_FLOW_CONTEXT_ACTION_FWD_DEST, .flow_tag = 7};

	raw_open(&r, "model:port=loop");
	raw_sq(&r, &sq, 8, 8);
	for (int i = 0; i < QUEUES; i++) {
		raw_rq(&r, &rq[i], LOG_RQ, LOG_RQ);
		for (int k = 0; k < 1 << LOG_RQ; k++)
			raw_post_rx(&r, &rq[i], RAW_ARENA / 2 + (size_t)k * BUF, BUF);
	}
	table = raw_rqt(&r, list, QUEUES);
	tir = raw_rss_tir(&r, &table, PRM_RX_HASH_FN_TOEPLITZ, PRM_RX_HASH_L3_IPV4,
			  PRM_RX_HASH_L4_UDP, FIELDS_ALL, key);
	t = raw_table(&r, PRM_FLOW_TABLE_TYPE_NIC_RX, 1);
	all.to_tir = tir.tirn;
	raw_rule(&r, &t, 0, &all);
	raw_attach(&r, &t, NULL);
	return 0;
}

static int teardown(void **state)
{
	raw_close(&r);
	return 0;
}

static void send_flow(uint16_t sport)
{
	struct frame f;

	frame_eth(&f, 0x0800);
	frame_ipv4(&f, 17, 0);
	frame_udp(&f, sport, 4791);
	frame_pattern(&f, 32);
	frame_end(&f);
	memcpy(r.data, f.b, f.n);
	raw_send(&r, &sq, 0, (uint32_t)f.n, 0);
	assert_non_null(raw_poll(&sq.cq));
	while (r.ops->progress(r.dev))
		;
}

/* The queue that has a packet, and its CQE. Exactly one has. */
static int arrived(const uint8_t **cqe)
{
	int at = -1;

	for (int i = 0; i < QUEUES; i++) {
		const uint8_t *c = raw_poll(&rq[i].cq);

		if (!c)
			continue;
		assert_int_equal(at, -1);
		at = i;
		*cqe = c;
	}
	assert_int_not_equal(at, -1);
	return at;
}

static void spread(int count[QUEUES], bool hashed)
{
	for (uint16_t flow = 0; flow < FLOWS; flow++) {
		const uint8_t *cqe;
		int at, again;

		send_flow((uint16_t)(1000 + flow));
		at = arrived(&cqe);
		count[at]++;
		if (hashed) {
			assert_int_equal(PRM_GET(cqe64, cqe, rss_hash_result) % QUEUES, at);
			assert_int_equal(PRM_GET(cqe64, cqe, rss_hash_type), 0x84);
		}
		assert_int_equal(PRM_GET(cqe64, cqe, flags_rqpn), rq[at].rqn);
		if (flow % 8)
			continue;
		send_flow((uint16_t)(1000 + flow));
		again = arrived(&cqe);
		assert_int_equal(again, at); /* a flow stays */
	}
}

static void flows_spread(void **state)
{
	int count[QUEUES] = {0};

	spread(count, true);
	for (int i = 0; i < QUEUES; i++)
		assert_true(count[i] > FLOWS / QUEUES / 3);
}

static void modify_tir(uint64_t mask, uint32_t rqtn, uint32_t fields)
{
	uint8_t in[PRM_BYTES(modify_tir_in)] = {0}, out[PRM_BYTES(modify_tir_out)];
	uint8_t *tirc = PRM_AT(modify_tir_in, in, ctx);

	PRM_SET(modify_tir_in, in, opcode, PRM_CMD_OP_MODIFY_TIR);
	PRM_SET(modify_tir_in, in, tirn, tir.tirn);
	PRM_SET(modify_tir_in, in, bitmask, mask);
	PRM_SET(tirc, tirc, indirect_table, rqtn);
	PRM_SET(tirc, tirc, self_lb_block, PRM_TIRC_SELF_LB_BLOCK_BLOCK_UNICAST);
	PRM_SET(tirc, tirc, rx_hash_fn, PRM_RX_HASH_FN_TOEPLITZ);
	memcpy(PRM_AT(tirc, tirc, rx_hash_toeplitz_key), key, sizeof(key));
	PRM_SET(rx_hash_field_select, PRM_AT(tirc, tirc, rx_hash_field_selector_outer),
		selected_fields, fields);
	raw_do(&r, PROV_CMD_MODIFY, tir.obj, in, sizeof(in), out, sizeof(out));
}

static void query_tir(uint8_t *tirc)
{
	uint8_t in[PRM_BYTES(query_tir_in)] = {0}, out[PRM_BYTES(query_tir_out)];

	PRM_SET(query_tir_in, in, opcode, PRM_CMD_OP_QUERY_TIR);
	PRM_SET(query_tir_in, in, tirn, tir.tirn);
	raw_do(&r, PROV_CMD_QUERY, tir.obj, in, sizeof(in), out, sizeof(out));
	memcpy(tirc, PRM_AT(query_tir_out, out, tir_context), PRM_BYTES(tirc));
}

static void change_the_table(void **state)
{
	const struct raw_rq *two[] = {&rq[2], &rq[2]};
	int count[QUEUES] = {0};

	raw_rqt_set(&r, &table, two, 2);
	spread(count, false);
	assert_int_equal(count[2], FLOWS);
}

static void change_the_tir(void **state)
{
	const struct raw_rq *one[] = {&rq[3]};
	struct raw_rqt other = raw_rqt(&r, one, 1);
	uint8_t tirc[PRM_BYTES(tirc)];
	int count[QUEUES] = {0};
	struct prov_cmd gone = {.kind = PROV_CMD_DESTROY, .obj = table.obj};

	modify_tir(PRM_MODIFY_TIR_INDIRECT_TABLE, other.rqtn, 0);
	spread(count, false);
	assert_int_equal(count[3], FLOWS);
	query_tir(tirc);
	assert_int_equal(PRM_GET(tirc, tirc, indirect_table), other.rqtn);
	assert_int_equal(PRM_GET(tirc, tirc, self_lb_block), 0); /* was not selected */
	assert_int_equal(PRM_GET(tirc, tirc, disp_type), PRM_TIRC_DISP_TYPE_INDIRECT);
	assert_memory_equal(PRM_AT(tirc, tirc, rx_hash_toeplitz_key), key, sizeof(key));
	/* nobody uses the first one any more */
	gone.in = NULL;
	gone.out = tirc;
	gone.outlen = 16;
	assert_int_equal(prov_cmd_wait(r.dev, &gone), 0);
}

/* Of the addresses alone all these flows are one. */
static void change_the_hash(void **state)
{
	uint8_t tirc[PRM_BYTES(tirc)];
	int count[QUEUES] = {0};

	modify_tir(PRM_MODIFY_TIR_HASH | PRM_MODIFY_TIR_SELF_LB_EN, 0, FIELDS_IP);
	for (uint16_t flow = 0; flow < 8; flow++) {
		const uint8_t *cqe;

		send_flow((uint16_t)(1000 + flow));
		count[arrived(&cqe)]++;
		assert_int_equal(PRM_GET(cqe64, cqe, rss_hash_type), 4);
	}
	assert_int_equal(count[0] * count[0] + count[1] * count[1] + count[2] * count[2] +
				 count[3] * count[3],
			 64);
	query_tir(tirc);
	assert_int_equal(PRM_GET(tirc, tirc, self_lb_block), 1);
	assert_int_equal(PRM_GET(rx_hash_field_select,
				 PRM_AT(tirc, tirc, rx_hash_field_selector_outer), selected_fields),
			 FIELDS_IP);
}

static void query_rqt(void **state)
{
	uint8_t in[PRM_BYTES(query_rqt_in)] = {0};
	uint8_t out[PRM_BYTES(query_rqt_out) + QUEUES * PRM_BYTES(rq_num)];
	uint8_t *rqtc = PRM_AT(query_rqt_out, out, rqt_context);

	PRM_SET(query_rqt_in, in, opcode, PRM_CMD_OP_QUERY_RQT);
	PRM_SET(query_rqt_in, in, rqtn, table.rqtn);
	raw_do(&r, PROV_CMD_QUERY, table.obj, in, sizeof(in), out, sizeof(out));
	assert_int_equal(PRM_GET(rqtc, rqtc, rqt_actual_size), QUEUES);
	assert_int_equal(PRM_GET(rqtc, rqtc, rqt_max_size), RAW_MAX_RQT);
	for (int i = 0; i < QUEUES; i++)
		assert_int_equal(prm_get(PRM_AT(rqtc, rqtc, rq_num) + 4 * i, 8, 24), rq[i].rqn);
}

int main(void)
{
#define TEST(f) cmocka_unit_test_setup_teardown(f, setup, teardown)
	const struct CMUnitTest tests[] = {
		TEST(flows_spread),    TEST(change_the_table), TEST(change_the_tir),
		TEST(change_the_hash), TEST(query_rqt),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
