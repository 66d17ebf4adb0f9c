// SPDX-License-Identifier: BSD-2-Clause
/*
 * Firmware objects at the seam: every mailbox byte for byte, and what becomes of refusals, lost answers and answers
 * that cannot be understood.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <mlx5_offload/error.h>

#include "lib/mock_provider.h"
#include "objects/alloc.h"
#include "objects/counter.h"
#include "objects/device.h"
#include "objects/error.h"
#include "objects/ipsec.h"
#include "objects/modify_header.h"
#include "objects/reformat.h"
#include "objects/region.h"
#include "objects/sq.h"
#include "objects/tir.h"

#define CREATE PROV_CMD_CREATE
#define MODIFY PROV_CMD_MODIFY
#define QUERY PROV_CMD_QUERY
#define OK MOCK_OK

static const uint8_t key[32] = {0x01, 0x02, 0x03, 0x04, 0x05, 0x06, 0x07, 0x08, 0x09, 0x0a, 0x0b,
				0x0c, 0x0d, 0x0e, 0x0f, 0x10, 0x11, 0x12, 0x13, 0x14, 0x15, 0x16,
				0x17, 0x18, 0x19, 0x1a, 0x1b, 0x1c, 0x1d, 0x1e, 0x1f, 0x20};
#define KEY128 "060:01020304 064:05060708 068:090a0b0c 06c:0d0e0f10"
#define KEY256 \
	"050:01020304 054:05060708 058:090a0b0c 05c:0d0e0f10 " \
	"060:11121314 064:15161718 068:191a1b1c 06c:1d1e1f20"
#define DEK128 "000:0a000000 004:0000000c 018:00000002 01c:0000001a " KEY128
#define DEK256 "000:0a000000 004:0000000c 018:00000102 01c:0000001a " KEY256
#define SYNC_ALL "000:0b120000 00c:00000001"

static struct {
	struct mock *m;
	struct mlxo_device *dev;
} t;

static int setup(void **state)
{
	(void)state;
	t.m = mock_open(&t.dev);
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	mlxo_log_set(NULL, NULL, MLXO_LOG_ERROR);
	mock_done(t.m, t.dev);
	return 0;
}

static size_t quarantined(void)
{
	struct mlxo_quarantined *list;
	size_t n;

	assert_int_equal(mlxo_device_quarantined(t.dev, &list, &n), 0);
	free(list);
	return n;
}

static void expect_listed(const char *kind, uint32_t id, const char *op)
{
	struct mlxo_quarantined *list;
	bool found = false;
	size_t n;

	assert_int_equal(mlxo_device_quarantined(t.dev, &list, &n), 0);
	for (size_t i = 0; i < n; i++)
		found |= strcmp(list[i].kind, kind) == 0 && list[i].id == id &&
			 strcmp(list[i].op, op) == 0;
	free(list);
	assert_true(found);
}

static uint64_t stat_of(const char *group, const char *name)
{
	struct mlxo_stat *list;
	uint64_t value = 0;
	size_t n;

	assert_int_equal(mlxo_device_stats(t.dev, &list, &n), 0);
	for (size_t i = 0; i < n; i++)
		if (strcmp(list[i].group, group) == 0 && strcmp(list[i].name, name) == 0)
			value = list[i].value;
	free(list);
	return value;
}

/* -- mailboxes ----------------------------------------------------------------------------------------------- */

static struct obj_dek_attr dek_attr(size_t len)
{
	return (struct obj_dek_attr){
		.purpose = PRM_GENERAL_OBJECT_TYPE_ENCRYPTION_KEY_PURPOSE_IPSEC,
		.key = key,
		.len = len,
	};
}

static void test_dek(void **state)
{
	struct obj_dek_attr a128 = dek_attr(16), a256 = dek_attr(32), bad = dek_attr(24);
	struct obj_dek one, two;
	int h1, h2;

	(void)state;
	mock_expect(t.m, PROV_CMD_GENERAL, 32, SYNC_ALL, OK(NULL));
	h1 = mock_expect(t.m, CREATE, 528, DEK128, OK("008:00001001"));
	assert_int_equal(obj_dek_create(t.dev, &a128, &one), 0);
	assert_int_equal(one.obj.id, 0x1001);
	h2 = mock_expect(t.m, CREATE, 528, DEK256, OK("008:00001002")); /* no second SYNC */
	assert_int_equal(obj_dek_create(t.dev, &a256, &two), 0);
	mock_expect_destroy(t.m, h2, OK(NULL));
	mock_expect_destroy(t.m, h1, OK(NULL));
	assert_int_equal(obj_dek_destroy(t.dev, &two), 0);
	assert_int_equal(obj_dek_destroy(t.dev, &one), 0);
	assert_int_equal(obj_dek_destroy(t.dev, &one), 0); /* no command */
	assert_int_equal(obj_dek_create(t.dev, &bad, &one), -EINVAL);
	assert_string_equal(mlxo_error_last()->text,
			    "key of 192 bits: the device takes 128 or 256");
}

static void test_sync_is_repeated_until_it_worked(void **state)
{
	struct obj_dek_attr a = dek_attr(16);
	struct obj_dek dek;
	int h;

	(void)state;
	mock_expect(t.m, PROV_CMD_GENERAL, 32, SYNC_ALL, MOCK_REFUSE(1, 0x123));
	assert_int_equal(obj_dek_create(t.dev, &a, &dek), -EIO);
	assert_int_equal(dek.obj.state, OBJ_NONE);
	mock_expect(t.m, PROV_CMD_GENERAL, 32, SYNC_ALL, OK(NULL));
	h = mock_expect(t.m, CREATE, 528, DEK128, OK("008:00000001"));
	assert_int_equal(obj_dek_create(t.dev, &a, &dek), 0);
	mock_expect_destroy(t.m, h, OK(NULL));
	assert_int_equal(obj_dek_destroy(t.dev, &dek), 0);
}

static void test_ipsec(void **state)
{
	static const uint8_t salt[4] = {0xa0, 0xa1, 0xa2, 0xa3};
	static const uint8_t iv[8] = {1, 2, 3, 4, 5, 6, 7, 8};
	struct obj_dek dek = {.obj = {.id = 0xabcdef, .state = OBJ_LIVE}};
	struct obj_ipsec_attr tx = {.dir = OBJ_IPSEC_TX, .dek = &dek, .salt = salt};
	struct obj_ipsec_attr rx = {
		.dir = OBJ_IPSEC_RX, .dek = &dek, .salt = salt, .implicit_iv = iv};
	struct obj_ipsec a, b;
	int ha, hb;

	(void)state;
	/* full_offload, aso_return_reg 2, dekn, salt, PD; ASO valid, INC_SN from 1 */
	ha = mock_expect(t.m, CREATE, 144,
			 "000:0a000000 004:00000013 018:80020000 020:00abcdef 024:a0a1a2a3 "
			 "030:0000001a 050:a0000000 06c:00000001",
			 OK("008:00000007"));
	hb = mock_expect(t.m, CREATE, 144,
			 "000:0a000000 004:00000013 018:80020000 020:00abcdef 024:a0a1a2a3 "
			 "028:01020304 02c:05060708 030:0000001a 050:80000000",
			 OK("008:00000008"));
	assert_int_equal(obj_ipsec_create(t.dev, &tx, &a), 0);
	assert_int_equal(obj_ipsec_create(t.dev, &rx, &b), 0);
	assert_int_equal(a.obj.id, 7);
	mock_expect_destroy(t.m, hb, OK(NULL));
	mock_expect_destroy(t.m, ha, OK(NULL));
	assert_int_equal(obj_ipsec_destroy(t.dev, &b), 0);
	assert_int_equal(obj_ipsec_destroy(t.dev, &a), 0);
	tx.first_sn = 0xfffffff0;
	ha = mock_expect(t.m, CREATE, 144,
			 "000:0a000000 004:00000013 018:80020000 020:00abcdef 024:a0a1a2a3 "
			 "030:0000001a 050:a0000000 06c:fffffff0",
			 OK("008:00000009"));
	assert_int_equal(obj_ipsec_create(t.dev, &tx, &a), 0);
	mock_expect_destroy(t.m, ha, OK(NULL));
	assert_int_equal(obj_ipsec_destroy(t.dev, &a), 0);
}

static void test_counter(void **state)
{
	struct obj_counter c = {0};
	uint64_t packets = 1, bytes = 1;
	int h;

	(void)state;
	assert_int_equal(obj_counter_query(t.dev, &c, &packets, &bytes),
			 0); /* not live: no command */
	assert_int_equal(packets, 0);
	h = mock_expect(t.m, CREATE, 16, "000:09390000", OK("008:01020304"));
	assert_int_equal(obj_counter_create(t.dev, &c), 0);
	mock_expect_on(t.m, QUERY, h, 32, "000:093b0000 01c:01020304",
		       OK("010:00000001 014:00000002 018:00000003 01c:00000004"));
	assert_int_equal(obj_counter_query(t.dev, &c, &packets, &bytes), 0);
	assert_true(packets == UINT64_C(0x100000002) && bytes == UINT64_C(0x300000004));
	mock_expect_destroy(t.m, h, OK(NULL));
	assert_int_equal(obj_counter_destroy(t.dev, &c), 0);
}

static void test_reformat(void **state)
{
	struct obj_reformat r;
	struct obj_reformat_attr big = {.type = PRM_REFORMAT_TYPE_L2_TO_L3_ESP_TUNNEL, .len = 65};
	int h;

	(void)state;
	/* type 5, ICV 4 words, 16 bytes of data from byte 34 on: the SPI first */
	h = mock_expect(t.m, CREATE, 52, "000:093d0000 01c:05040010 020:00001234 024:56780000",
			OK("008:00000021"));
	assert_int_equal(obj_reformat_create_add_esp(t.dev, false, 0x12345678, &r), 0);
	assert_int_equal(r.obj.id, 0x21);
	mock_expect_destroy(t.m, h, OK(NULL));
	assert_int_equal(obj_reformat_destroy(t.dev, &r), 0);
	h = mock_expect(t.m, CREATE, 52, "000:093d0000 01c:0b040010 024:01000000",
			OK("008:00000022"));
	assert_int_equal(obj_reformat_create_add_esp(t.dev, true, 0x100, &r), 0);
	mock_expect_destroy(t.m, h, OK(NULL));
	assert_int_equal(obj_reformat_destroy(t.dev, &r), 0);
	h = mock_expect(t.m, CREATE, 36, "000:093d0000 01c:08000000", OK("008:00000023"));
	assert_int_equal(obj_reformat_create_del_esp(t.dev, &r), 0);
	mock_expect_destroy(t.m, h, OK(NULL));
	assert_int_equal(obj_reformat_destroy(t.dev, &r), 0);
	mock_cap(t.dev, "max_encap_header_size", 64);
	assert_int_equal(obj_reformat_create(t.dev, &big, &r), -EINVAL);
}

static void test_modify_header(void **state)
{
	struct obj_modhdr_set sets[] = {{obj_modhdr_reg_c(2), 0, 32, 0xdeadbeef},
					{PRM_ACTION_IN_FIELD_METADATA_REG_B, 4, 12, 0x123}};
	struct obj_modhdr m;
	int h;

	(void)state;
	h = mock_expect(
		t.m, CREATE, 32,
		"000:09400000 00c:01000002 010:10530000 014:deadbeef 018:1050040c 01c:00000123",
		OK("008:00000031"));
	assert_int_equal(obj_modhdr_create(t.dev, PRM_FLOW_TABLE_TYPE_NIC_TX, sets, 2, &m), 0);
	mock_expect_destroy(t.m, h, OK(NULL));
	assert_int_equal(obj_modhdr_destroy(t.dev, &m), 0);
	assert_int_equal(obj_modhdr_create(t.dev, 0, sets, 0, &m), -EINVAL);
	mock_cap(t.dev, "nic_receive.max_modify_header_actions", 1);
	assert_int_equal(obj_modhdr_create(t.dev, 0, sets, 2, &m), -EINVAL);
}

static void test_queues(void **state)
{
	struct obj_cq_attr cqa = {.log_size = 10,
				  .umem_id = 0x88,
				  .ring_offset = 0x1000,
				  .dbr_offset = 0x40,
				  .uar_page = 0x77,
				  .eqn = 5};
	struct obj_cq cq;
	struct obj_tis tis;
	struct obj_sq_attr sqa = {.log_size = 10,
				  .cq = &cq,
				  .tis = &tis,
				  .umem_id = 0x88,
				  .dbr_offset = 0x40,
				  .uar_page = 0x77};
	struct obj_sq sq;
	struct obj_rq_attr rqa = {
		.log_size = 9, .log_stride = 4, .cq = &cq, .umem_id = 0x89, .dbr_offset = 0x2000};
	struct obj_rq rq;
	struct obj_tir tir;
	int hc, hi, hs, hr, ht;
	uint8_t st;

	(void)state;
	hc = mock_expect(t.m, CREATE, 272,
			 "000:04000000 010:02000000 014:00000088 01c:0a000077 024:00000005 "
			 "04c:00000040 054:00001000 058:00000088 05c:80000000",
			 OK("008:00000055"));
	assert_int_equal(obj_cq_create(t.dev, &cqa, &cq), 0);
	hi = mock_expect(t.m, CREATE, 192, "000:09120000 044:00000033", OK("008:00000066"));
	assert_int_equal(obj_tis_create(t.dev, &tis), 0);
	hs = mock_expect(t.m, CREATE, 272,
			 "000:09040000 020:10000000 028:00000055 040:00010000 04c:00000066 "
			 "050:10000000 058:0000001a 05c:00000077 064:00000040 070:0006000a "
			 "074:c0000000 078:00000088 07c:00000088",
			 OK("008:00000044"));
	assert_int_equal(obj_sq_create(t.dev, &sqa, &sq), 0);
	mock_expect_on(t.m, MODIFY, hs, 272, "000:09050000 008:00000044 020:00100000", OK(NULL));
	assert_int_equal(obj_sq_move(t.dev, &sq, 0, 1), 0);
	mock_expect_on(t.m, MODIFY, hs, 272, "000:09050000 008:30000044", OK(NULL));
	assert_int_equal(obj_sq_move(t.dev, &sq, 3, 0), 0);
	mock_expect_on(t.m, QUERY, hs, 16, "000:09070000 008:00000044", OK("020:00300000"));
	assert_int_equal(obj_sq_query_state(t.dev, &sq, &st), 0);
	assert_int_equal(st, PRM_SQC_STATE_ERR);
	hr = mock_expect(t.m, CREATE, 272,
			 "000:09080000 020:10000000 028:00000055 050:10000000 058:0000001a "
			 "064:00002000 070:00040009 074:c0000000 078:00000089 07c:00000089",
			 OK("008:00000045"));
	assert_int_equal(obj_rq_create(t.dev, &rqa, &rq), 0);
	mock_expect_on(t.m, MODIFY, hr, 272, "000:09090000 008:00000045 020:00100000", OK(NULL));
	assert_int_equal(obj_rq_move(t.dev, &rq, 0, 1), 0);
	mock_expect_on(t.m, QUERY, hr, 16, "000:090b0000 008:00000045", OK("020:00100000"));
	assert_int_equal(obj_rq_query_state(t.dev, &rq, &st), 0);
	assert_int_equal(st, PRM_RQC_STATE_RDY);
	ht = mock_expect(t.m, CREATE, 272, "000:09000000 03c:00000045 044:03000033",
			 OK("008:00000046"));
	assert_int_equal(obj_tir_create(t.dev, &rq, &tir), 0);
	mock_expect_destroy(t.m, ht, OK(NULL));
	mock_expect_destroy(t.m, hr, OK(NULL));
	mock_expect_destroy(t.m, hs, OK(NULL));
	mock_expect_destroy(t.m, hi, OK(NULL));
	mock_expect_destroy(t.m, hc, OK(NULL));
	assert_int_equal(obj_tir_destroy(t.dev, &tir), 0);
	assert_int_equal(obj_rq_destroy(t.dev, &rq), 0);
	assert_int_equal(obj_sq_destroy(t.dev, &sq), 0);
	assert_int_equal(obj_tis_destroy(t.dev, &tis), 0);
	assert_int_equal(obj_cq_destroy(t.dev, &cq), 0);
}

/* -- failures ------------------------------------------------------------------------------------------------ */

static struct {
	int lines, errors, trace;
	char last[2048];
	char all[65536];
} seen;

static void collect(void *ctx, enum mlxo_log_level level, const char *line)
{
	(void)ctx;
	if (level == MLXO_LOG_TRACE)
		seen.trace++;
	else
		seen.lines++;
	seen.errors += level == MLXO_LOG_ERROR;
	snprintf(seen.last, sizeof(seen.last), "%s", line);
	strncat(seen.all, line, sizeof(seen.all) - strlen(seen.all) - 1);
}

static void listen(enum mlxo_log_level max)
{
	memset(&seen, 0, sizeof(seen));
	mlxo_log_set(collect, NULL, max);
}

static void test_refusal_is_reported_once(void **state)
{
	const struct mlxo_error *e;
	struct obj_counter c;

	(void)state;
	listen(MLXO_LOG_DEBUG);
	mock_expect(t.m, CREATE, 16, "000:09390000", MOCK_REFUSE(8, 0x19c6d6));
	assert_int_equal(obj_counter_create(t.dev, &c), -ENOMEM);
	assert_int_equal(errno, ENOMEM);
	assert_int_equal(c.obj.state, OBJ_NONE);
	e = mlxo_error_last();
	assert_int_equal(e->err, ENOMEM);
	assert_true(e->firmware);
	assert_string_equal(e->op, "ALLOC_FLOW_COUNTER");
	assert_int_equal(e->status, 8);
	assert_string_equal(e->status_name, "LIM_ERR");
	assert_int_equal(e->syndrome, 0x19c6d6);
	assert_string_equal(
		e->text,
		"ALLOC_FLOW_COUNTER of a new flow counter failed: ENOMEM (Cannot allocate "
		"memory), status LIM_ERR (0x8), syndrome 0x19c6d6: the limit of objects of "
		"this kind is reached: free some or do without");
	assert_int_equal(seen.lines, 1);
	assert_string_equal(seen.last, e->text);
	assert_int_equal(quarantined(), 0);
	assert_int_equal(stat_of("commands", "refused"), 1);
}

static void test_undoing_keeps_the_cause(void **state)
{
	struct obj_counter c;
	int h;

	(void)state;
	listen(MLXO_LOG_ERROR);
	h = mock_expect(t.m, CREATE, 16, "000:09390000", OK("008:00000005"));
	assert_int_equal(obj_counter_create(t.dev, &c), 0);
	obj_error(-EEXIST, "the cause");
	mock_expect_destroy(t.m, h, MOCK_REFUSE(9, 0xef0c8a));
	obj_undo_begin();
	assert_int_equal(obj_counter_destroy(t.dev, &c), -EINVAL);
	obj_undo_end();
	assert_string_equal(mlxo_error_last()->text, "the cause");
	assert_int_equal(errno, EEXIST);
	assert_int_equal(seen.errors, 1);
	assert_non_null(strstr(seen.last, "BAD_RES_STATE_ERR"));
	assert_true(obj_is_live(&c.obj)); /* refused, nothing in quarantine: try again */
	mock_expect_destroy(t.m, h, OK(NULL));
	assert_int_equal(obj_counter_destroy(t.dev, &c), 0);
}

/* No answer, or one that cannot be understood, at create. */
static void lost_create(struct mock_answer answer, int err)
{
	struct obj_counter c;

	mock_expect(t.m, CREATE, 16, "000:09390000", answer);
	assert_int_equal(obj_counter_create(t.dev, &c), err);
	assert_true(obj_is_unknown(err));
	assert_int_equal(c.obj.state, OBJ_LOST);
	expect_listed("flow counter", 0, "ALLOC_FLOW_COUNTER");
	assert_int_equal(obj_counter_destroy(t.dev, &c), 0); /* no command */
}

static void test_lost_creates_are_listed(void **state)
{
	(void)state;
	lost_create(MOCK_TIMEOUT, -ETIMEDOUT);
	lost_create(MOCK_REFUSE(0xee, 0), -EPROTO);
	lost_create(MOCK_REFUSE(0, 0), -EPROTO);
	assert_int_equal(quarantined(), 3);
	assert_int_equal(stat_of("quarantined", "flow counter"), 3);
	assert_int_equal(stat_of("commands", "unanswered"), 3);
}

static void test_lost_destroy_and_its_parent(void **state)
{
	struct obj_counter child, parent, other;
	int hc, hp, ho;

	(void)state;
	hp = mock_expect(t.m, CREATE, 16, "000:09390000", OK("008:00000001"));
	hc = mock_expect(t.m, CREATE, 16, "000:09390000", OK("008:00000002"));
	ho = mock_expect(t.m, CREATE, 16, "000:09390000", OK("008:00000003"));
	assert_int_equal(obj_counter_create(t.dev, &parent), 0);
	assert_int_equal(obj_counter_create(t.dev, &child), 0);
	assert_int_equal(obj_counter_create(t.dev, &other), 0);
	/* refused while nothing is in quarantine: somebody's mistake, the object stays */
	mock_expect_destroy(t.m, hp, MOCK_REFUSE(9, 1));
	assert_int_equal(obj_counter_destroy(t.dev, &parent), -EINVAL);
	assert_true(obj_is_live(&parent.obj));
	mock_expect_destroy(t.m, hc, MOCK_TIMEOUT);
	assert_int_equal(obj_counter_destroy(t.dev, &child), -ETIMEDOUT);
	expect_listed("flow counter", 2, "DEALLOC_FLOW_COUNTER");
	/* now the child may still use it */
	mock_expect_destroy(t.m, hp, MOCK_REFUSE(9, 1));
	assert_int_equal(obj_counter_destroy(t.dev, &parent), -EINVAL);
	assert_int_equal(parent.obj.state, OBJ_LOST);
	expect_listed("flow counter", 1, "DEALLOC_FLOW_COUNTER");
	/* another reason: not a parent */
	mock_expect_destroy(t.m, ho, MOCK_REFUSE(4, 1));
	assert_int_equal(obj_counter_destroy(t.dev, &other), -EIO);
	assert_true(obj_is_live(&other.obj));
	mock_expect_destroy(t.m, ho, OK(NULL));
	assert_int_equal(obj_counter_destroy(t.dev, &other), 0);
	assert_int_equal(quarantined(), 2);
}

static void test_lost_modify_ends_with_the_object(void **state)
{
	struct obj_cq cq = {.obj = {.id = 0x55}};
	struct obj_tis tis = {.obj = {.id = 0x66}};
	struct obj_sq_attr a = {.log_size = 4, .cq = &cq, .tis = &tis, .umem_id = 0x88};
	struct obj_sq sq;
	int h;

	(void)state;
	h = mock_expect(t.m, CREATE, 272,
			"000:09040000 020:10000000 028:00000055 040:00010000 04c:00000066 "
			"050:10000000 058:0000001a 070:00060004 074:c0000000 078:00000088 "
			"07c:00000088",
			OK("008:00000044"));
	assert_int_equal(obj_sq_create(t.dev, &a, &sq), 0);
	for (int i = 0; i < 2; i++) {
		mock_expect_on(t.m, MODIFY, h, 272, "000:09050000 008:00000044 020:00100000",
			       MOCK_TIMEOUT);
		assert_int_equal(obj_sq_move(t.dev, &sq, 0, 1), -ETIMEDOUT);
	}
	assert_true(obj_is_live(&sq.obj));
	assert_int_equal(quarantined(), 1);
	expect_listed("SQ", 0x44, "MODIFY_SQ");
	mock_expect_destroy(t.m, h, OK(NULL));
	assert_int_equal(obj_sq_destroy(t.dev, &sq), 0);
	assert_int_equal(quarantined(), 0);
}

static void test_dead_device(void **state)
{
	struct mock_answer dead = {.result = -EIO};
	struct obj_counter c;
	int h;

	(void)state;
	h = mock_expect(t.m, CREATE, 16, "000:09390000", OK("008:00000001"));
	assert_int_equal(obj_counter_create(t.dev, &c), 0);
	mock_expect_destroy(t.m, h, dead);
	assert_int_equal(obj_counter_destroy(t.dev, &c), -EIO);
	assert_int_equal(c.obj.state, OBJ_NONE);
	mock_expect(t.m, CREATE, 16, "000:09390000", dead);
	assert_int_equal(obj_counter_create(t.dev, &c), -EIO);
	assert_non_null(strstr(mlxo_error_last()->text, "the device is dead"));
	assert_int_equal(quarantined(), 0);
}

/* -- keys ---------------------------------------------------------------------------------------------------- */

static void wiped_after(struct mock_answer answer, bool alloc_fails)
{
	uint8_t in[528] = {0}, out[16], zero[528] = {0};
	struct obj o;

	mock_bytes(in, sizeof(in), DEK256);
	if (alloc_fails)
		mlxo_alloc_fail_at(1);
	else
		mock_expect(t.m, CREATE, 528, DEK256, answer);
	obj_create(t.dev, OBJ_CREATE(OBJ_DEK, in, out, general_obj_out_cmd_hdr, obj_id), &o);
	mlxo_alloc_fail_at(0);
	assert_memory_equal(in, zero, sizeof(in));
	if (obj_is_live(&o)) {
		mock_expect_destroy(t.m, (int)((uintptr_t)o.prov - 0x1000), OK(NULL));
		assert_int_equal(obj_destroy(t.dev, &o), 0);
	}
}

static void test_key_buffers_are_wiped(void **state)
{
	struct mock_answer dead = {.result = -EIO};

	(void)state;
	wiped_after(OK("008:00000001"), false);
	wiped_after(MOCK_REFUSE(3, 0x1), false);
	wiped_after(MOCK_REFUSE(0xee, 0x1), false);
	wiped_after(MOCK_TIMEOUT, false);
	wiped_after(dead, false);
	/* make the list of quarantine grow: an allocation before the command */
	while (t.dev->room > t.dev->nquarantine + t.dev->reserved)
		assert_int_equal(obj_quarantine_reserve(t.dev), 0);
	wiped_after(OK(NULL), true);
}

static void test_trace_masks_keys(void **state)
{
	struct obj_dek_attr a = dek_attr(32);
	struct obj_dek dek;
	int h;

	(void)state;
	listen(MLXO_LOG_TRACE);
	mock_expect(t.m, PROV_CMD_GENERAL, 32, SYNC_ALL, OK(NULL));
	h = mock_expect(t.m, CREATE, 528, DEK256, OK("008:00000001"));
	assert_int_equal(obj_dek_create(t.dev, &a, &dek), 0);
	assert_true(seen.trace > 4);
	assert_non_null(strstr(seen.all, "hidden"));
	assert_null(strstr(seen.all, "05060708"));
	assert_null(strstr(seen.all, "05 06 07 08"));
	mock_expect_destroy(t.m, h, OK(NULL));
	assert_int_equal(obj_dek_destroy(t.dev, &dek), 0);
}

/* -- memory, capabilities ------------------------------------------------------------------------------------- */

static void test_regions(void **state)
{
	struct obj_region *r;

	(void)state;
	assert_int_equal(obj_region_create_umem(t.dev, 100, &r), 0);
	assert_int_equal(r->len, 4096);
	assert_int_equal((uintptr_t)r->addr % 4096, 0);
	obj_region_destroy(t.dev, r);
	mock_fail_next(t.m, -ENOMEM);
	assert_int_equal(obj_region_create_mr(t.dev, 100, &r), -ENOMEM);
	assert_null(r);
	for (uint64_t n = 1; n <= 2; n++) {
		mlxo_alloc_fail_at(n);
		assert_int_equal(obj_region_create_mr(t.dev, 100, &r), -ENOMEM);
		mlxo_alloc_fail_at(0);
	}
	obj_region_destroy(t.dev, NULL);
	assert_null(t.dev->kept);
	assert_int_equal(quarantined(), 0);
}

/* The device may still use the memory: it must not be freed, and goes with the device. */
static void test_regions_are_kept_while_in_use(void **state)
{
	struct obj_region *r, *second;

	(void)state;
	assert_int_equal(obj_region_create_umem(t.dev, 100, &r), 0);
	mock_fail_next(t.m, -EBUSY);
	obj_region_destroy(t.dev, r);
	mock_forget_umem(t.m);
	assert_ptr_equal(t.dev->kept, r);
	assert_int_equal(quarantined(), 0); /* somebody's mistake, nothing is unknown */
	mock_fail_next(t.m, -ETIMEDOUT);
	assert_int_equal(obj_region_create_mr(t.dev, 100, &second), -ETIMEDOUT);
	assert_null(second);
	expect_listed("memory key", 0, "CREATE_MKEY");
	assert_ptr_equal(t.dev->kept->next, r);
	assert_int_equal(obj_region_create_umem(t.dev, 100, &r), 0);
	mock_fail_next(t.m, -EBUSY);
	obj_region_destroy(t.dev, r);
	mock_forget_umem(t.m);
	expect_listed("umem", r->umem.id, "DESTROY_UMEM");
}

static void test_capabilities(void **state)
{
	size_t n;
	const struct mlxo_cap *caps = mlxo_device_caps(t.dev, &n);

	(void)state;
	assert_int_equal(n, OBJ_NCAPS);
	for (size_t i = 0; i < n; i++) {
		assert_non_null(caps[i].name);
		assert_non_null(caps[i].about);
		assert_true(caps[i].value > 0);
		assert_true(!caps[i].flag || caps[i].value == 1);
	}
	assert_int_equal(mlxo_device_check_ipsec_packet(t.dev, true), 0);
	mock_cap(t.dev, "ipsec_crypto_esp_aes_gcm_256_decrypt", 0);
	assert_int_equal(mlxo_device_check_ipsec_packet(t.dev, false), 0);
	assert_int_equal(mlxo_device_check_ipsec_packet(t.dev, true), -EOPNOTSUPP);
	mock_cap(t.dev, "log_max_dek", 0);
	assert_int_equal(mlxo_device_check_ipsec_packet(t.dev, true), -EOPNOTSUPP);
	assert_string_equal(mlxo_error_last()->text,
			    "device mock cannot do IPsec packet offload, it lacks: log_max_dek, "
			    "ipsec_crypto_esp_aes_gcm_256_decrypt");
}

static void test_device_edges(void **state)
{
	(void)state;
	assert_string_equal(mlxo_device_name(t.dev), "mock");
	assert_true(mlxo_device_is_named(t.dev, "mock0"));
	assert_false(mlxo_device_is_named(t.dev, "eth0"));
	assert_int_equal(mlxo_device_fd(t.dev), -ENOTSUP);
	assert_int_equal(errno, ENOTSUP);
	assert_int_equal(mlxo_device_progress(t.dev), 0);
	assert_int_equal(mlxo_device_wait(t.dev, 0), 0);
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_dek),
		TEST(test_sync_is_repeated_until_it_worked),
		TEST(test_ipsec),
		TEST(test_counter),
		TEST(test_reformat),
		TEST(test_modify_header),
		TEST(test_queues),
		TEST(test_refusal_is_reported_once),
		TEST(test_undoing_keeps_the_cause),
		TEST(test_lost_creates_are_listed),
		TEST(test_lost_destroy_and_its_parent),
		TEST(test_lost_modify_ends_with_the_object),
		TEST(test_dead_device),
		TEST(test_key_buffers_are_wiped),
		TEST(test_trace_masks_keys),
		TEST(test_regions),
		TEST(test_regions_are_kept_while_in_use),
		TEST(test_capabilities),
		TEST(test_device_edges),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
