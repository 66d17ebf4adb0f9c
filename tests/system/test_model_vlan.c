// SPDX-License-Identifier: BSD-2-Clause
/*
 * VLAN tags: put in by the Ethernet segment, matched by rules, taken out by a queue without vsd, shown in the CQE; the
 * checksums of tagged frames; and the queue counters that count what found no buffer.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <errno.h>
#include <cmocka.h>
#include <string.h>

#include "lib/frames.h"
#include "lib/raw.h"

enum { RX_AT = RAW_ARENA / 2, BUF = 2048, TCI = 0xa123, INSERT = 0x8000, SVLAN = 1 };
enum { OK_BITS = PRM_CQE_L2_OK | PRM_CQE_L3_OK | PRM_CQE_L4_OK };

static struct raw r;
static struct raw_sq sq;
static struct raw_rq rq;
static struct frame f;

static int setup(void **state)
{
	static uint8_t mask[512], value[512];
	struct raw_table t;
	struct raw_rule tagged = {.action = PRM_FLOW_CONTEXT_ACTION_FWD_DEST,
				  .enable = 1,
				  .mask = mask,
				  .value = value,
				  .flow_tag = 0x55},
			all = {.action = PRM_FLOW_CONTEXT_ACTION_FWD_DEST};
	uint8_t *m = PRM_AT(fte_match_param, mask, outer_headers);
	uint8_t *v = PRM_AT(fte_match_param, value, outer_headers);

	raw_open(&r, "model:port=loop");
	raw_sq(&r, &sq, 6, 6);
	raw_rq(&r, &rq, 4, 5);
	PRM_SET(fte_match_set_lyr_2_4, m, cvlan_tag, 1);
	PRM_SET(fte_match_set_lyr_2_4, m, first_vid, 0xfff);
	PRM_SET(fte_match_set_lyr_2_4, m, first_prio, 7);
	PRM_SET(fte_match_set_lyr_2_4, m, ethertype, 0xffff);
	PRM_SET(fte_match_set_lyr_2_4, v, cvlan_tag, 1);
	PRM_SET(fte_match_set_lyr_2_4, v, first_vid, TCI & 0xfff);
	PRM_SET(fte_match_set_lyr_2_4, v, first_prio, TCI >> 13);
	PRM_SET(fte_match_set_lyr_2_4, v, ethertype, 0x0800);
	t = raw_table(&r, PRM_FLOW_TABLE_TYPE_NIC_RX, 1);
	tagged.to_tir = all.to_tir = rq.tirn;
	raw_rule(&r, &t, 0, &tagged);
	raw_rule(&r, &t, 1, &all);
	raw_attach(&r, &t, NULL);
	frame_eth(&f, 0x0800);
	frame_ipv4(&f, 17, 0);
	frame_udp(&f, 5, 6);
	frame_pattern(&f, 101);
	frame_end(&f);
	memcpy(r.data, f.b, f.n);
	return 0;
}

static int teardown(void **state)
{
	raw_close(&r);
	return 0;
}

static void post(uint16_t insert, uint8_t cs_flags)
{
	uint8_t wqe[64] = {0};

	PRM_SET(wqe_ctrl_seg, wqe, opcode, PRM_WQE_OP_SEND);
	PRM_SET(wqe_ctrl_seg, wqe, ds, 3);
	PRM_SET(wqe_ctrl_seg, wqe, fm_ce_se, PRM_WQE_CE_CQ_UPDATE);
	PRM_SET(wqe_eth_seg, wqe + 16, cs_flags, cs_flags);
	PRM_SET(wqe_eth_seg, wqe + 16, inline_hdr_sz, insert);
	PRM_SET(wqe_eth_seg, wqe + 16, inline_hdr_start, insert ? TCI : 0);
	PRM_SET(wqe_data_seg, wqe + 32, byte_count, f.n);
	PRM_SET(wqe_data_seg, wqe + 32, lkey, r.mr.lkey);
	PRM_SET(wqe_data_seg, wqe + 32, addr, (uint64_t)(uintptr_t)r.data);
	raw_post(&sq, wqe);
	raw_ring(&r, &sq);
	while (r.ops->progress(r.dev))
		;
}

static const uint8_t *sent_and_received(uint16_t insert)
{
	const uint8_t *c;

	memset(r.data + RX_AT, 0, BUF);
	raw_post_rx(&r, &rq, RX_AT, BUF);
	post(insert, 0);
	c = raw_poll(&sq.cq);
	assert_non_null(c);
	assert_int_equal(c[63] >> 4, PRM_CQE_OP_REQ);
	c = raw_poll(&rq.cq);
	assert_non_null(c);
	assert_int_equal(c[63] >> 4, PRM_CQE_OP_RESP_SEND);
	assert_int_equal(PRM_GET(cqe64, c, hds_ip_ext), OK_BITS);
	return c;
}

static void set_vsd(bool vsd)
{
	uint8_t in[PRM_BYTES(modify_rq_in)] = {0}, out[PRM_BYTES(modify_rq_out)];
	uint8_t *rqc = PRM_AT(modify_rq_in, in, ctx);

	PRM_SET(modify_rq_in, in, opcode, PRM_CMD_OP_MODIFY_RQ);
	PRM_SET(modify_rq_in, in, rqn, rq.rqn);
	PRM_SET(modify_rq_in, in, rq_state, PRM_RQC_STATE_RDY);
	PRM_SET(modify_rq_in, in, modify_bitmask, PRM_MODIFY_RQ_VSD);
	PRM_SET(rqc, rqc, state, PRM_RQC_STATE_RDY);
	PRM_SET(rqc, rqc, vsd, vsd);
	raw_do(&r, PROV_CMD_MODIFY, rq.obj, in, sizeof(in), out, sizeof(out));
}

/* What arrives is the frame with the tag in it. */
static void expect_tagged(const uint8_t *c, uint16_t tpid)
{
	const uint8_t *got = r.data + RX_AT;

	assert_int_equal(PRM_GET(cqe64, c, byte_cnt), f.n + 4);
	assert_memory_equal(got, f.b, 12);
	assert_int_equal(prm_get(got, 96, 16), tpid);
	assert_int_equal(prm_get(got, 112, 16), TCI);
	assert_memory_equal(got + 16, f.b + 12, f.n - 12);
	assert_int_equal(PRM_GET(cqe64, c, l4_l3_hdr_type) & 1, 0);
	assert_int_equal(PRM_GET(cqe64, c, vlan_info), 0);
}

static void insert_and_match(void **state)
{
	const uint8_t *c = sent_and_received(INSERT);

	expect_tagged(c, 0x8100);
	assert_int_equal(PRM_GET(cqe64, c, sop_drop_qpn) & 0xffffff, 0x55);
	c = sent_and_received(INSERT | SVLAN);
	expect_tagged(c, 0x88a8);
	assert_int_equal(PRM_GET(cqe64, c, sop_drop_qpn) & 0xffffff, 0);
	c = sent_and_received(0);
	assert_int_equal(PRM_GET(cqe64, c, byte_cnt), f.n);
}

static void strip(void **state)
{
	const uint8_t *c;

	set_vsd(false);
	c = sent_and_received(INSERT);
	assert_int_equal(PRM_GET(cqe64, c, byte_cnt), f.n);
	assert_memory_equal(r.data + RX_AT, f.b, f.n);
	assert_int_equal(PRM_GET(cqe64, c, l4_l3_hdr_type) & 1, 1);
	assert_int_equal(PRM_GET(cqe64, c, vlan_info), TCI);
	assert_int_equal(PRM_GET(cqe64, c, sop_drop_qpn) & 0xffffff, 0x55); /* rules saw it */
	c = sent_and_received(0);
	assert_int_equal(PRM_GET(cqe64, c, l4_l3_hdr_type) & 1, 0);
	assert_int_equal(PRM_GET(cqe64, c, vlan_info), 0);
	set_vsd(true);
	expect_tagged(sent_and_received(INSERT), 0x8100);
}

/* Cut within the second of three segments. */
static void strip_over_segments(void **state)
{
	uint8_t *w = rq.ring;
	static const uint32_t sizes[] = {7, 9, BUF};
	size_t at = 0;

	set_vsd(false);
	raw_post_rx(&r, &rq, RX_AT, 1);
	for (int i = 0; i < 3; i++) {
		PRM_SET(wqe_data_seg, w + 16 * i, byte_count, sizes[i]);
		PRM_SET(wqe_data_seg, w + 16 * i, lkey, r.mr.lkey);
		PRM_SET(wqe_data_seg, w + 16 * i, addr,
			(uint64_t)(uintptr_t)(r.data + RX_AT + i * BUF));
	}
	post(INSERT, 0);
	assert_non_null(raw_poll(&rq.cq));
	for (int i = 0; i < 3; i++) {
		size_t n = i < 2 ? sizes[i] : f.n - at;

		assert_memory_equal(r.data + RX_AT + i * BUF, f.b + at, n);
		at += n;
	}
}

/* Checksums of a tagged frame, made by the card: both fields are wrong in memory. */
static void checksums_behind_a_tag(void **state)
{
	const uint8_t *c;

	memset(r.data + 14 + 10, 0xee, 2);
	memset(r.data + 14 + 20 + 6, 0xee, 2);
	raw_post_rx(&r, &rq, RX_AT, BUF);
	post(INSERT, PRM_WQE_ETH_CSUM_L3 | PRM_WQE_ETH_CSUM_L4);
	c = raw_poll(&rq.cq);
	assert_non_null(c);
	assert_int_equal(PRM_GET(cqe64, c, hds_ip_ext), OK_BITS);
	expect_tagged(c, 0x8100);
}

/* -- queue counters --------------------------------------------------------------------------------------- */

static uint64_t query_counter(struct prov_obj *obj, uint32_t id, bool clear)
{
	uint8_t in[PRM_BYTES(query_q_counter_in)] = {0}, out[PRM_BYTES(query_q_counter_out)];

	PRM_SET(query_q_counter_in, in, opcode, PRM_CMD_OP_QUERY_Q_COUNTER);
	PRM_SET(query_q_counter_in, in, counter_set_id, id);
	PRM_SET(query_q_counter_in, in, clear, clear);
	raw_do(&r, PROV_CMD_QUERY, obj, in, sizeof(in), out, sizeof(out));
	return PRM_GET(query_q_counter_out, out, out_of_buffer);
}

static void set_counter(uint32_t id)
{
	uint8_t in[PRM_BYTES(modify_rq_in)] = {0}, out[PRM_BYTES(modify_rq_out)];
	uint8_t *rqc = PRM_AT(modify_rq_in, in, ctx);

	PRM_SET(modify_rq_in, in, opcode, PRM_CMD_OP_MODIFY_RQ);
	PRM_SET(modify_rq_in, in, rqn, rq.rqn);
	PRM_SET(modify_rq_in, in, rq_state, PRM_RQC_STATE_RDY);
	PRM_SET(modify_rq_in, in, modify_bitmask, PRM_MODIFY_RQ_COUNTER_SET_ID);
	PRM_SET(rqc, rqc, state, PRM_RQC_STATE_RDY);
	PRM_SET(rqc, rqc, counter_set_id, id);
	raw_do(&r, PROV_CMD_MODIFY, rq.obj, in, sizeof(in), out, sizeof(out));
}

static void out_of_buffer(void **state)
{
	uint8_t in[PRM_BYTES(alloc_q_counter_in)] = {0}, out[PRM_BYTES(alloc_q_counter_out)];
	struct prov_obj *obj;
	struct prov_cmd gone = {.kind = PROV_CMD_DESTROY, .out = out, .outlen = sizeof(out)};
	uint32_t id;

	PRM_SET(alloc_q_counter_in, in, opcode, PRM_CMD_OP_ALLOC_Q_COUNTER);
	obj = raw_do(&r, PROV_CMD_CREATE, NULL, in, sizeof(in), out, sizeof(out));
	id = (uint32_t)PRM_GET(alloc_q_counter_out, out, counter_set_id);
	post(0, 0); /* counted by nobody */
	set_counter(id);
	post(0, 0);
	post(0, 0);
	assert_int_equal(query_counter(obj, id, true), 2);
	assert_int_equal(query_counter(obj, id, false), 0);
	gone.obj = obj;
	assert_int_equal(prov_cmd_wait(r.dev, &gone), -EREMOTEIO); /* the queue uses it */
	set_counter(0);
	post(0, 0);
	assert_int_equal(query_counter(obj, id, false), 0);
	assert_int_equal(prov_cmd_wait(r.dev, &gone), 0);
}

int main(void)
{
#define TEST(t) cmocka_unit_test_setup_teardown(t, setup, teardown)
	const struct CMUnitTest tests[] = {
		TEST(insert_and_match),	      TEST(strip),	   TEST(strip_over_segments),
		TEST(checksums_behind_a_tag), TEST(out_of_buffer),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
