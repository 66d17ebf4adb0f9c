// SPDX-License-Identifier: BSD-2-Clause
/*
 * Two models of one process, driven by raw mailboxes, joined by a pair: queues over several laps, errors and
 * recovery, receive without buffers, and an SA pair whose packets cross the wire encrypted.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include <string.h>

#include "lib/frames.h"
#include "lib/raw.h"
#include "providers/model/control.h"

enum { TX = PRM_FLOW_TABLE_TYPE_NIC_TX, RX = PRM_FLOW_TABLE_TYPE_NIC_RX };
enum { LOG_SQ = 4, LOG_RQ = 4, LOG_CQ = 5, RX_AT = RAW_ARENA / 2, BUF = 10240 };
enum {
	FWD = PRM_FLOW_CONTEXT_ACTION_FWD_DEST,
	COUNT = PRM_FLOW_CONTEXT_ACTION_COUNT,
	ALLOW = PRM_FLOW_CONTEXT_ACTION_ALLOW,
	DROP = PRM_FLOW_CONTEXT_ACTION_DROP,
	REFORMAT = PRM_FLOW_CONTEXT_ACTION_PACKET_REFORMAT,
	MODHDR = PRM_FLOW_CONTEXT_ACTION_MOD_HDR,
	ENCRYPT = PRM_FLOW_CONTEXT_ACTION_CRYPTO_ENCRYPT,
	DECRYPT = PRM_FLOW_CONTEXT_ACTION_CRYPTO_DECRYPT,
};

static struct raw a, b; /* a sends, b receives */
static struct raw_sq sq;
static struct raw_rq rq;
static struct frame f;

static int setup(void **state)
{
	raw_open(&a, "model:port=pair:queue");
	raw_open(&b, "model:port=pair:queue");
	raw_sq(&a, &sq, LOG_SQ, LOG_CQ);
	raw_rq(&b, &rq, LOG_RQ, LOG_CQ);
	return 0;
}

static int teardown(void **state)
{
	raw_close(&a);
	raw_close(&b);
	return 0;
}

static void run(void)
{
	while (a.ops->progress(a.dev) + b.ops->progress(b.dev))
		;
}

static void udp(uint16_t dport, size_t payload)
{
	frame_eth(&f, 0x0800);
	frame_ipv4(&f, 17, 0);
	frame_udp(&f, 1000, dport);
	frame_pattern(&f, payload);
	frame_end(&f);
	memcpy(a.data, f.b, f.n);
}

/* Post a buffer in slot i, after the ones before it. */
static void post_rx(unsigned int i)
{
	raw_post_rx(&b, &rq, RX_AT + (size_t)(i & 15) * BUF, BUF);
}

static void wqe_start(uint8_t *wqe, uint8_t opcode, unsigned int ds, bool signal)
{
	memset(wqe, 0, 128);
	PRM_SET(wqe_ctrl_seg, wqe, opcode, opcode);
	PRM_SET(wqe_ctrl_seg, wqe, ds, ds);
	PRM_SET(wqe_ctrl_seg, wqe, fm_ce_se, signal ? PRM_WQE_CE_CQ_UPDATE : 0);
}

static void expect_sent(uint16_t index)
{
	const uint8_t *c = raw_poll(&sq.cq);

	assert_non_null(c);
	assert_int_equal(c[63] >> 4, PRM_CQE_OP_REQ);
	assert_int_equal(PRM_GET(cqe64, c, wqe_counter), index);
}

static void expect_error(uint16_t index, uint8_t syndrome)
{
	const uint8_t *c = raw_poll(&sq.cq);

	assert_non_null(c);
	assert_int_equal(c[63] >> 4, PRM_CQE_OP_REQ_ERR);
	assert_int_equal(PRM_GET(err_cqe, c, wqe_counter), index);
	assert_int_equal(PRM_GET(err_cqe, c, syndrome), syndrome);
}

static void all_to_rq(void)
{
	struct raw_table t = raw_table(&b, RX, 1);
	struct raw_rule all = {.action = FWD, .to_tir = rq.tirn, .flow_tag = 0x77};

	raw_rule(&b, &t, 0, &all);
	raw_attach(&b, &t, NULL);
}

/* NOPs and SENDs mixed, more than three laps of every ring. */
static void laps(void **state)
{
	all_to_rq();
	for (unsigned int i = 0; i < 4u << LOG_CQ; i++) {
		uint8_t wqe[128];
		uint16_t at = sq.pi;
		const uint8_t *c;

		wqe_start(wqe, PRM_WQE_OP_NOP, 1 + i % 8, true);
		raw_post(&sq, wqe);
		raw_ring(&a, &sq);
		expect_sent(at);
		post_rx(i);
		udp(2000, 10 + i);
		at = sq.pi;
		raw_send(&a, &sq, 0, (uint32_t)f.n, 0);
		expect_sent(at);
		assert_null(raw_poll(&sq.cq));
		run();
		c = raw_poll(&rq.cq);
		assert_non_null(c);
		assert_int_equal(c[63] >> 4, PRM_CQE_OP_RESP_SEND);
		assert_int_equal(PRM_GET(cqe64, c, wqe_counter), i & 0xffff);
		assert_int_equal(PRM_GET(cqe64, c, byte_cnt), f.n);
		assert_int_equal(PRM_GET(cqe64, c, sop_drop_qpn), 0x77);
		assert_memory_equal(b.data + RX_AT + (size_t)(i & 15) * BUF, f.b, f.n);
		assert_null(raw_poll(&rq.cq));
	}
}

/* An error stops the queue, what follows is flushed, and after ERR -> RST -> RDY it works again. */
static void error_flush_recover(void **state)
{
	uint8_t wqe[128];

	wqe_start(wqe, PRM_WQE_OP_NOP, 1, true);
	raw_post(&sq, wqe);
	wqe_start(wqe, PRM_WQE_OP_ENHANCED_MPSW, 2, false);
	raw_post(&sq, wqe);
	wqe_start(wqe, PRM_WQE_OP_NOP, 1, false);
	raw_post(&sq, wqe);
	raw_ring(&a, &sq);
	expect_sent(0);
	expect_error(1, PRM_CQE_SYND_LOCAL_QP_OP);
	expect_error(2, PRM_CQE_SYND_WR_FLUSH);
	assert_null(raw_poll(&sq.cq));
	raw_sq_state(&a, &sq, PRM_SQC_STATE_ERR, PRM_SQC_STATE_RST);
	raw_sq_state(&a, &sq, PRM_SQC_STATE_RST, PRM_SQC_STATE_RDY);
	udp(2000, 10);
	raw_send(&a, &sq, 0, (uint32_t)f.n, 0);
	expect_sent(0);
	PRM_SET(wqe_data_seg, wqe + 32, byte_count, 100); /* a key that is not there */
	wqe_start(wqe, PRM_WQE_OP_SEND, 3, false);
	PRM_SET(wqe_data_seg, wqe + 32, byte_count, 100);
	PRM_SET(wqe_data_seg, wqe + 32, lkey, a.mr.lkey ^ 0xffff00);
	raw_post(&sq, wqe);
	raw_ring(&a, &sq);
	expect_error(1, PRM_CQE_SYND_LOCAL_PROT);
}

static void no_buffer(void **state)
{
	all_to_rq();
	udp(2000, 10);
	for (int i = 0; i < 3; i++)
		raw_send(&a, &sq, 0, (uint32_t)f.n, 0);
	run();
	assert_null(raw_poll(&rq.cq));
	post_rx(0);
	raw_send(&a, &sq, 0, (uint32_t)f.n, 0);
	run();
	assert_non_null(raw_poll(&rq.cq));
	assert_null(raw_poll(&rq.cq));
}

static void rq_to_error(void)
{
	uint8_t in[PRM_BYTES(modify_rq_in)] = {0}, o[PRM_BYTES(modify_rq_out)];

	PRM_SET(modify_rq_in, in, opcode, PRM_CMD_OP_MODIFY_RQ);
	PRM_SET(modify_rq_in, in, rq_state, PRM_RQC_STATE_RDY);
	PRM_SET(modify_rq_in, in, rqn, rq.rqn);
	PRM_SET(rqc, PRM_AT(modify_rq_in, in, ctx), state, PRM_RQC_STATE_ERR);
	raw_do(&b, PROV_CMD_MODIFY, rq.obj, in, sizeof(in), o, sizeof(o));
}

/* A queue that is put into ERR gives its buffers back. */
static void stopped_queue_returns_buffers(void **state)
{
	post_rx(0);
	post_rx(1);
	rq_to_error();
	for (unsigned int i = 0; i < 2; i++) {
		const uint8_t *c = raw_poll(&rq.cq);

		assert_non_null(c);
		assert_int_equal(c[63] >> 4, PRM_CQE_OP_RESP_ERR);
		assert_int_equal(PRM_GET(err_cqe, c, wqe_counter), i);
		assert_int_equal(PRM_GET(err_cqe, c, syndrome), PRM_CQE_SYND_WR_FLUSH);
	}
	assert_null(raw_poll(&rq.cq));
}

/* -- an SA pair ------------------------------------------------------------------------------------------ */

static uint8_t mask[512], value[512];

#define MATCH(section, layout, field, v) \
	do { \
		PRM_SET(layout, PRM_AT(fte_match_param, mask, section), field, UINT64_MAX); \
		PRM_SET(layout, PRM_AT(fte_match_param, value, section), field, (v)); \
	} while (0)

static void match_reset(void)
{
	memset(mask, 0, sizeof(mask));
	memset(value, 0, sizeof(value));
}

struct sa {
	struct prov_obj *out_obj, *in_obj, *auth_obj, *key_obj;
	uint32_t key;		/* of the TX side */
	uint32_t out, in, auth; /* counters */
};

static void tx_side(struct sa *sa, const uint8_t *key, uint8_t keylen, bool v6)
{
	static const uint8_t esp[16] = {0, 0, 1, 0}; /* SPI 0x100 */
	struct raw_table t = raw_table(&a, TX, 1), after = raw_table(&a, TX, 2);
	struct raw_rule pass = {.action = ALLOW};
	struct raw_rule seal = {
		.action = ENCRYPT | REFORMAT | COUNT | FWD,
		.enable = 1,
		.mask = mask,
		.value = value,
		.to_table = &after,
		.has_counter = true,
	};

	match_reset();
	MATCH(outer_headers, fte_match_set_lyr_2_4, ip_protocol, 17);
	MATCH(outer_headers, fte_match_set_lyr_2_4, frag, 0);
	sa->out = seal.counter = raw_counter(&a, &sa->out_obj);
	sa->key = raw_dek(&a, key, keylen, &sa->key_obj);
	seal.ipsec = raw_ipsec(&a, sa->key, true, 1);
	seal.reformat = raw_reformat(&a,
				     v6 ? PRM_REFORMAT_TYPE_ADD_ESP_TRANSPORT_OVER_IPV6
					: PRM_REFORMAT_TYPE_ADD_ESP_TRANSPORT_OVER_IPV4,
				     esp, sizeof(esp));
	raw_rule(&a, &after, 0, &pass);
	raw_rule(&a, &t, 0, &seal);
	raw_attach(&a, &t, &sq);
}

static void rx_side(struct sa *sa, const uint8_t *key, uint8_t keylen)
{
	struct raw_table t = raw_table(&b, RX, 1), status = raw_table(&b, RX, 2);
	struct raw_rule to_rq = {.action = FWD, .to_tir = rq.tirn};
	struct raw_rule open = {
		.action = DECRYPT | REFORMAT | COUNT | MODHDR | FWD,
		.enable = 3,
		.mask = mask,
		.value = value,
		.to_table = &status,
		.has_counter = true,
	};
	struct raw_rule auth = {.action = DROP | COUNT,
				.enable = 8,
				.mask = mask,
				.value = value,
				.has_counter = true};

	match_reset();
	MATCH(misc_parameters_2, fte_match_set_misc2, ipsec_syndrome, PRM_IPSEC_SYND_AUTH_FAILED);
	sa->auth = auth.counter = raw_counter(&b, &sa->auth_obj);
	raw_rule(&b, &status, 0, &auth);
	raw_rule(&b, &status, 1, &to_rq);
	match_reset();
	MATCH(outer_headers, fte_match_set_lyr_2_4, ip_protocol, 50);
	MATCH(outer_headers, fte_match_set_lyr_2_4, frag, 0);
	MATCH(misc_parameters, fte_match_set_misc, outer_esp_spi, 0x100);
	sa->in = open.counter = raw_counter(&b, &sa->in_obj);
	open.ipsec = raw_ipsec(&b, raw_dek(&b, key, keylen, NULL), false, 0);
	open.reformat = raw_reformat(&b, PRM_REFORMAT_TYPE_DEL_ESP_TRANSPORT, NULL, 0);
	open.modhdr = raw_modhdr(&b, RX, PRM_ACTION_IN_FIELD_METADATA_REG_B, 0x80000005);
	raw_rule(&b, &t, 0, &open);
	raw_rule(&b, &t, 1, &to_rq);
	raw_attach(&b, &t, NULL);
}

static uint64_t packets(struct raw *r, struct prov_obj *obj, uint32_t id)
{
	uint64_t p, o;

	raw_counter_read(r, obj, id, &p, &o);
	return p;
}

static void cross(bool v6, size_t payload, unsigned int i)
{
	const uint8_t *c;

	frame_eth(&f, v6 ? 0x86dd : 0x0800);
	if (v6)
		frame_ipv6(&f, 17);
	else
		frame_ipv4(&f, 17, 8);
	frame_udp(&f, 1000, 2000);
	frame_pattern(&f, payload);
	frame_end(&f);
	memcpy(a.data, f.b, f.n);
	memset(a.data + f.l4 + 6, 0, 2); /* left to the device */
	post_rx(i);
	raw_send(&a, &sq, 0, (uint32_t)f.n, PRM_WQE_ETH_CSUM_L3 | PRM_WQE_ETH_CSUM_L4);
	assert_non_null(raw_poll(&sq.cq));
	run();
	c = raw_poll(&rq.cq);
	assert_non_null(c);
	assert_int_equal(PRM_GET(cqe64, c, byte_cnt), f.n);
	assert_int_equal(PRM_GET(cqe64, c, ft_metadata), 0x80000005);
	assert_int_equal(PRM_GET(cqe64, c, hds_ip_ext), 7);
	assert_memory_equal(b.data + RX_AT + (size_t)(i & 15) * BUF, f.b, f.n);
}

static void sa_pair(bool v6, uint8_t keylen)
{
	uint8_t key[32];
	unsigned int n = 0;
	struct sa sa;

	setup(NULL);
	for (uint8_t i = 0; i < 32; i++)
		key[i] = (uint8_t)(i + 1);
	tx_side(&sa, key, keylen, v6);
	rx_side(&sa, key, keylen);
	for (; n < 65; n++)
		cross(v6, n, n);
	cross(v6, 1400, n++);
	assert_int_equal(packets(&a, sa.out_obj, sa.out), n);
	assert_int_equal(packets(&b, sa.in_obj, sa.in), n);
	assert_int_equal(packets(&b, sa.auth_obj, sa.auth), 0);
	teardown(NULL);
}

static void sa_pairs(void **state)
{
	for (int v6 = 0; v6 < 2; v6++)
		for (uint8_t keylen = 16; keylen <= 32; keylen += 16)
			sa_pair(v6, keylen);
}

/* Different keys at both ends: every packet fails its check, is counted, and none arrives. */
static void wrong_key(void **state)
{
	uint8_t key[16] = {1}, other[16] = {2};
	struct sa sa;

	tx_side(&sa, key, 16, false);
	rx_side(&sa, other, 16);
	udp(2000, 50);
	for (unsigned int i = 0; i < 5; i++) {
		post_rx(i);
		raw_send(&a, &sq, 0, (uint32_t)f.n, 0);
	}
	run();
	assert_null(raw_poll(&rq.cq));
	assert_int_equal(packets(&b, sa.auth_obj, sa.auth), 5);
}

static void sync_keys(struct raw *r)
{
	uint8_t in[PRM_BYTES(sync_crypto_in)] = {0}, o[PRM_BYTES(sync_crypto_out)];

	PRM_SET(sync_crypto_in, in, opcode, PRM_CMD_OP_SYNC_CRYPTO);
	PRM_SET(sync_crypto_in, in, crypto_type,
		1 << PRM_GENERAL_OBJECT_TYPE_ENCRYPTION_KEY_PURPOSE_IPSEC);
	raw_do(r, PROV_CMD_GENERAL, NULL, in, sizeof(in), o, sizeof(o));
}

static void write_key(struct raw *r, const struct sa *sa, const uint8_t key[16])
{
	uint8_t in[PRM_BYTES(create_encryption_key_in)] = {0}, o[16];
	uint8_t *obj = PRM_AT(create_encryption_key_in, in, encryption_key_object);

	PRM_SET(general_obj_in_cmd_hdr, in, opcode, PRM_CMD_OP_MODIFY_GENERAL_OBJECT);
	PRM_SET(general_obj_in_cmd_hdr, in, obj_type, PRM_GENERAL_OBJECT_TYPES_ENCRYPTION_KEY);
	PRM_SET(general_obj_in_cmd_hdr, in, obj_id, sa->key);
	PRM_SET(encryption_key_obj, obj, modify_field_select, 1);
	PRM_SET(encryption_key_obj, obj, key_purpose,
		PRM_GENERAL_OBJECT_TYPE_ENCRYPTION_KEY_PURPOSE_IPSEC);
	PRM_SET(encryption_key_obj, obj, pd, r->pd);
	memcpy(PRM_AT(encryption_key_obj, obj, key) + 16, key, 16);
	raw_do(r, PROV_CMD_MODIFY, sa->key_obj, in, sizeof(in), o, sizeof(o));
}

/* A live SA whose key is written again: the old one goes on until a sync, then only the peer's check can tell. */
static void live_key_changes_with_the_sync(void **state)
{
	uint8_t key[16] = {1}, other[16] = {2};
	struct sa sa;

	tx_side(&sa, key, 16, false);
	rx_side(&sa, key, 16);
	cross(false, 10, 0);
	write_key(&a, &sa, other);
	cross(false, 11, 1); /* the cache has the old key */
	sync_keys(&b);	     /* of another device: nothing changes here */
	cross(false, 12, 2);
	sync_keys(&a);
	udp(2000, 50);
	raw_send(&a, &sq, 0, (uint32_t)f.n, 0);
	run();
	assert_null(raw_poll(&rq.cq));
	assert_int_equal(packets(&b, sa.auth_obj, sa.auth), 1);
	write_key(&a, &sa, key);
	sync_keys(&a);
	assert_non_null(raw_poll(&sq.cq));
	cross(false, 13, 3);
}

/* A device that has had a fatal error neither sends nor receives. */
static void dead_devices_are_silent(void **state)
{
	struct model_fault fatal = {
		.kind = MODEL_FAULT_FATAL, .nth = 1, .opcode = PRM_CMD_OP_SYNC_CRYPTO};
	uint8_t in[PRM_BYTES(sync_crypto_in)] = {0}, o[PRM_BYTES(sync_crypto_out)];
	struct prov_cmd cmd = {.kind = PROV_CMD_GENERAL,
			       .in = in,
			       .inlen = sizeof(in),
			       .out = o,
			       .outlen = sizeof(o)};

	all_to_rq();
	PRM_SET(sync_crypto_in, in, opcode, PRM_CMD_OP_SYNC_CRYPTO);
	assert_int_equal(model_fault_set(b.dev, &fatal), 0);
	assert_int_not_equal(prov_cmd_wait(b.dev, &cmd), 0);
	post_rx(0);
	udp(2000, 10);
	raw_send(&a, &sq, 0, (uint32_t)f.n, 0);
	expect_sent(0);
	run();
	assert_null(raw_poll(&rq.cq));
	assert_int_equal(atomic_load(&model_of(b.dev)->drop[MODEL_DROP_RX_DEAD]), 1);
	assert_int_equal(model_fault_set(a.dev, &fatal), 0);
	assert_int_not_equal(prov_cmd_wait(a.dev, &cmd), 0);
	raw_send(&a, &sq, 0, (uint32_t)f.n, 0);
	assert_null(raw_poll(&sq.cq));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(laps, setup, teardown),
		cmocka_unit_test_setup_teardown(error_flush_recover, setup, teardown),
		cmocka_unit_test_setup_teardown(no_buffer, setup, teardown),
		cmocka_unit_test_setup_teardown(stopped_queue_returns_buffers, setup, teardown),
		cmocka_unit_test(sa_pairs),
		cmocka_unit_test_setup_teardown(wrong_key, setup, teardown),
		cmocka_unit_test_setup_teardown(live_key_changes_with_the_sync, setup, teardown),
		cmocka_unit_test_setup_teardown(dead_devices_are_silent, setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
