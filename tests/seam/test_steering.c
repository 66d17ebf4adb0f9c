// SPDX-License-Identifier: BSD-2-Clause
/*
 * Steering at the seam: mailboxes of tables, groups and rules byte for byte (the byte map of an "IPv4 ESP: decrypt,
 * count, go on" rule is written down by hand), who owns which index, and what is refused before it reaches a device.
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
#include <sys/socket.h>

#include <mlx5_offload/error.h>

#include "lib/mock_provider.h"
#include "objects/alloc.h"
#include "steering/rule.h"

enum { FT = 64, FG = 1024, FTE = 832 };
#define CREATE PROV_CMD_CREATE
#define OK MOCK_OK

static struct {
	struct mock *m;
	struct mlxo_device *dev;
	struct steer_table sa, status; /* RX, levels 1 and 2, 64 rules each */
	struct steer_group group;      /* of sa, 8..15 */
	int h_sa, h_status, h_group;
} t;

static const uint8_t peer[4] = {192, 168, 156, 93};

/* The match of an inbound SA. */
static void sa_match(struct steer_match *m, uint32_t spi)
{
	steer_match_init(m);
	steer_match_ip_version(m, 4);
	steer_match_ip_proto(m, 50);
	steer_match_frag(m, false);
	steer_match_dst(m, AF_INET, peer, 32);
	steer_match_esp_spi(m, spi);
}

#define SA_MASK "03c:00000003 050:ff003e00 07c:ffffffff 0b0:ffffffff"
#define SA_VALUE(spi) "090:32000800 0bc:c0a89c5d 0f0:" spi

static int setup(void **state)
{
	struct steer_table_attr status = {.dir = PROV_RX, .level = 2, .log_size = 6};
	struct steer_table_attr sa = {
		.dir = PROV_RX, .level = 1, .log_size = 6, .decap_en = true, .miss = &t.status};
	struct steer_match m;

	(void)state;
	t.m = mock_open(&t.dev);
	t.h_status = mock_expect(t.m, CREATE, FT, "000:09300000 018:00020006", OK("008:00000102"));
	assert_int_equal(steer_table_create(t.dev, &status, &t.status), 0);
	t.h_sa = mock_expect(t.m, CREATE, FT, "000:09300000 018:41010006 01c:00000102",
			     OK("008:00000101"));
	assert_int_equal(steer_table_create(t.dev, &sa, &t.sa), 0);
	sa_match(&m, 0);
	t.h_group = mock_expect(t.m, CREATE, FG,
				"000:09330000 014:00000101 01c:00000008 024:0000000f " SA_MASK,
				OK("008:00000051"));
	assert_int_equal(steer_group_create(&t.sa, 8, 15, &m, &t.group), 0);
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	mock_expect_destroy(t.m, t.h_group, OK(NULL));
	mock_expect_destroy(t.m, t.h_sa, OK(NULL));
	mock_expect_destroy(t.m, t.h_status, OK(NULL));
	assert_int_equal(steer_group_destroy(&t.group), 0);
	assert_int_equal(steer_table_destroy(&t.sa), 0);
	assert_int_equal(steer_table_destroy(&t.status), 0);
	mock_done(t.m, t.dev);
	return 0;
}

/* Add a dropping rule for the SPI at an index; the mailbox is checked. Returns the handle. */
static int add_drop(uint32_t index, const char *at, struct steer_rule *r)
{
	struct steer_actions drop = {.drop = true};
	struct steer_match m;
	char in[256];
	int h;

	sa_match(&m, 0x100);
	snprintf(in, sizeof(in),
		 "000:09360000 014:00000101 020:%s 044:00000051 04c:00000002 " SA_VALUE("00000100"),
		 at);
	h = mock_expect(t.m, CREATE, FTE, in, OK(NULL));
	assert_int_equal(steer_rule_add(&t.group, index, &m, &drop, r), 0);
	return h;
}

static void del(struct steer_rule *r, int h)
{
	mock_expect_destroy(t.m, h, OK(NULL));
	assert_int_equal(steer_rule_del(r), 0);
}

/* -- rules --------------------------------------------------------------------------------------------------- */

/* Every action that an RX rule can have, in one. */
static void test_decrypt_rule(void **state)
{
	struct obj_ipsec ipsec = {.obj = {.id = 0x0badcafe}};
	struct obj_counter counter = {.obj = {.id = 0x11223344}};
	struct obj_modhdr modhdr = {.obj = {.id = 0x55}};
	struct obj_reformat reformat = {.obj = {.id = 0x66}};
	struct steer_actions a = {.table = &t.status,
				  .counter = &counter,
				  .modhdr = &modhdr,
				  .reformat = &reformat,
				  .crypto = STEER_DECRYPT,
				  .ipsec = &ipsec,
				  .has_flow_tag = true,
				  .flow_tag = 0xabcdef};
	struct steer_match m;
	struct steer_rule r;
	int h;

	(void)state;
	sa_match(&m, 0x12345678);
	h = mock_expect(t.m, CREATE, FTE + 16,
			"000:09360000 014:00000101 020:0000000f 044:00000051 048:00abcdef "
			"04c:0000105c 050:00000001 054:00000001 058:00000066 05c:00000055 "
			"064:0badcafe " SA_VALUE("12345678") " 340:01000102 348:11223344",
			OK(NULL));
	assert_int_equal(steer_rule_add(&t.group, STEER_INDEX_ANY, &m, &a, &r), 0);
	assert_int_equal(r.index, 15);
	assert_int_equal(r.obj.id, 15);
	assert_int_equal(steer_group_free(&t.group), 7);
	del(&r, h);
	assert_int_equal(steer_group_free(&t.group), 8);
	assert_int_equal(steer_rule_del(&r), 0); /* no command */
}

static void test_tir_rule(void **state)
{
	struct obj_tir tir = {.obj = {.id = 0x46}};
	struct steer_actions a = {.tir = &tir};
	struct steer_match m;
	struct steer_rule r;
	int h;

	(void)state;
	sa_match(&m, 1);
	h = mock_expect(t.m, CREATE, FTE + 8,
			"000:09360000 014:00000101 020:0000000f 044:00000051 04c:00000004 "
			"050:00000001 " SA_VALUE("00000001") " 340:02000046",
			OK(NULL));
	assert_int_equal(steer_rule_add(&t.group, STEER_INDEX_ANY, &m, &a, &r), 0);
	del(&r, h);
}

/* TX: table of another type, encryption, allow. */
static void test_encrypt_rule(void **state)
{
	struct steer_table_attr attr = {
		.dir = PROV_TX, .level = 0, .log_size = 0, .reformat_en = true};
	struct obj_ipsec ipsec = {.obj = {.id = 7}};
	struct obj_reformat reformat = {.obj = {.id = 0x66}};
	struct steer_actions a = {
		.allow = true, .reformat = &reformat, .crypto = STEER_ENCRYPT, .ipsec = &ipsec};
	struct steer_table table;
	struct steer_group g;
	struct steer_match m;
	struct steer_rule r;
	int ht, hg, hr;

	(void)state;
	steer_match_init(&m);
	steer_match_reg_c(&m, 4, 9, UINT32_MAX);
	ht = mock_expect(t.m, CREATE, FT, "000:09300000 010:01000000 018:80000000",
			 OK("008:00000103"));
	assert_int_equal(steer_table_create(t.dev, &attr, &table), 0);
	hg = mock_expect(t.m, CREATE, FG,
			 "000:09330000 010:01000000 014:00000103 03c:00000008 11c:ffffffff",
			 OK("008:00000052"));
	assert_int_equal(steer_group_create(&table, 0, 0, &m, &g), 0);
	hr = mock_expect(t.m, CREATE, FTE,
			 "000:09360000 010:01000000 014:00000103 044:00000052 04c:00002011 "
			 "058:00000066 064:00000007 15c:00000009",
			 OK(NULL));
	assert_int_equal(steer_rule_add(&g, 0, &m, &a, &r), 0);
	mock_expect_destroy(t.m, hr, OK(NULL));
	mock_expect_destroy(t.m, hg, OK(NULL));
	mock_expect_destroy(t.m, ht, OK(NULL));
	assert_int_equal(steer_rule_del(&r), 0);
	assert_int_equal(steer_group_destroy(&g), 0);
	assert_int_equal(steer_table_destroy(&table), 0);
}

static void test_modify(void **state)
{
	struct obj_ipsec old = {.obj = {.id = 1}}, new = {.obj = {.id = 2}};
	struct obj_counter counter = {.obj = {.id = 3}};
	struct steer_actions from = {.table = &t.status, .crypto = STEER_DECRYPT, .ipsec = &old};
	struct steer_actions rekey = from, drop = {.drop = true, .counter = &counter};
	struct steer_match m;
	struct steer_rule r;
	int h;

	(void)state;
	rekey.ipsec = &new;
	sa_match(&m, 5);
	h = mock_expect(t.m, CREATE, FTE + 8,
			"000:09360000 014:00000101 020:0000000c 044:00000051 04c:00001004 "
			"050:00000001 064:00000001 " SA_VALUE("00000005") " 340:01000102",
			OK(NULL));
	assert_int_equal(steer_rule_add(&t.group, 12, &m, &from, &r), 0);
	assert_int_equal(steer_rule_modify(&r, &m, &from, &from), 0); /* nothing to do */
	/* one bit: IPSEC_OBJ_ID */
	mock_expect_on(t.m, PROV_CMD_MODIFY, h, FTE + 8,
		       "000:09360000 004:00000001 014:00000101 018:00000010 020:0000000c "
		       "044:00000051 04c:00001004 050:00000001 064:00000002 " SA_VALUE(
			       "00000005") " 340:01000102",
		       OK(NULL));
	assert_int_equal(steer_rule_modify(&r, &m, &from, &rekey), 0);
	/* ACTION, DESTINATION_LIST, FLOW_COUNTERS, IPSEC_OBJ_ID */
	mock_expect_on(
		t.m, PROV_CMD_MODIFY, h, FTE + 8,
		"000:09360000 004:00000001 014:00000101 018:0000001d 020:0000000c "
		"044:00000051 04c:0000000a 054:00000001 " SA_VALUE("00000005") " 340:00000003",
		MOCK_TIMEOUT);
	assert_int_equal(steer_rule_modify(&r, &m, &rekey, &drop), -ETIMEDOUT);
	assert_true(obj_is_live(&r.obj));
	mock_cap(t.dev, "nic_receive.flow_modify_en", 0);
	assert_int_equal(steer_rule_modify(&r, &m, &from, &rekey), -EOPNOTSUPP);
	del(&r, h);
	assert_int_equal(steer_rule_modify(&r, &m, &from, &rekey), -ENOENT);
	assert_int_equal(steer_group_free(&t.group), 8);
}

static void test_refused_actions(void **state)
{
	struct steer_table tx = {.dir = PROV_TX, .level = 3, .obj = {.id = 9}};
	struct steer_table low = {.dir = PROV_RX, .level = 1, .obj = {.id = 9}};
	struct obj_ipsec ipsec = {.obj = {.id = 1}};
	struct obj_modhdr modhdr = {.obj = {.id = 1}};
	struct steer_actions bad[] = {
		{0},
		{.drop = true, .allow = true},
		{.drop = true, .table = &t.status},
		{.allow = true}, /* RX */
		{.table = &tx},
		{.table = &low},
		{.table = &t.sa},
		{.drop = true, .crypto = STEER_ENCRYPT, .ipsec = &ipsec},
		{.drop = true, .crypto = STEER_DECRYPT},
		{.drop = true, .ipsec = &ipsec},
		{.drop = true, .modhdr = &modhdr},
		{.drop = true, .has_flow_tag = true, .flow_tag = 0x1000000},
	};
	struct steer_match m, other;
	struct steer_rule r;

	(void)state;
	sa_match(&m, 1);
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		assert_int_equal(steer_rule_add(&t.group, STEER_INDEX_ANY, &m, &bad[i], &r),
				 -EINVAL);
		assert_int_equal(r.obj.state, OBJ_NONE);
	}
	other = m;
	steer_match_ports(&other, 17, 1, 0);
	bad[0].drop = true;
	assert_int_equal(steer_rule_add(&t.group, STEER_INDEX_ANY, &other, &bad[0], &r), -EINVAL);
	assert_int_equal(steer_group_free(&t.group), 8);
}

/* -- indexes ------------------------------------------------------------------------------------------------- */

static void test_highest_index_first(void **state)
{
	static const char *const at[] = {"0000000f", "0000000e", "0000000d"};
	struct steer_rule r[3], before, again;
	struct steer_actions drop = {.drop = true};
	struct steer_match m;
	int h[3], hb, ha;

	(void)state;
	for (int i = 0; i < 3; i++)
		h[i] = add_drop(STEER_INDEX_ANY, at[i], &r[i]);
	/* in front of the one at 14: the highest free below is 12 */
	sa_match(&m, 0x100);
	hb = mock_expect(t.m, CREATE, FTE,
			 "000:09360000 014:00000101 020:0000000c 044:00000051 "
			 "04c:00000002 " SA_VALUE("00000100"),
			 OK(NULL));
	assert_int_equal(steer_rule_add_below(&t.group, r[1].index, &m, &drop, &before), 0);
	assert_int_equal(before.index, 12);
	del(&r[0], h[0]);
	ha = add_drop(STEER_INDEX_ANY, "0000000f", &again);
	del(&again, ha);
	del(&before, hb);
	del(&r[1], h[1]);
	del(&r[2], h[2]);
}

static void test_full_group(void **state)
{
	struct steer_actions drop = {.drop = true};
	struct steer_rule r[8], more;
	struct steer_match m;
	int h[8];

	(void)state;
	for (int i = 0; i < 8; i++) {
		char at[9];

		snprintf(at, sizeof(at), "%08x", 15 - i);
		h[i] = add_drop(STEER_INDEX_ANY, at, &r[i]);
	}
	sa_match(&m, 0x100);
	assert_int_equal(steer_rule_add(&t.group, STEER_INDEX_ANY, &m, &drop, &more), -ENOSPC);
	assert_int_equal(steer_rule_add_below(&t.group, r[7].index, &m, &drop, &more), -ENOSPC);
	assert_int_equal(steer_rule_add(&t.group, 9, &m, &drop, &more), -EBUSY);
	assert_int_equal(steer_rule_add(&t.group, 7, &m, &drop, &more), -EINVAL);
	assert_int_equal(steer_rule_add(&t.group, 16, &m, &drop, &more), -EINVAL);
	assert_int_equal(steer_group_destroy(&t.group), -EBUSY);
	for (int i = 0; i < 8; i++)
		del(&r[i], h[i]);
}

/* Against a plain array, in a group of many words. */
static void test_index_map(void **state)
{
	enum { START = 100, N = 200 };
	struct steer_table table = {.dev = t.dev, .log_size = 10};
	struct steer_match m;
	struct steer_group g;
	bool used[N] = {false};
	uint32_t index;
	int h;

	(void)state;
	steer_match_init(&m);
	h = mock_expect(t.m, CREATE, FG, "000:09330000 01c:00000064 024:0000012b",
			OK("008:00000001"));
	assert_int_equal(steer_group_create(&table, START, START + N - 1, &m, &g), 0);
	srand(3);
	for (int step = 0; step < 20000; step++) {
		uint32_t limit = START - 2 + (uint32_t)rand() % (N + 5);
		int want = -1, err;

		if (rand() % 2 && used[limit % N]) {
			steer_group_put(&g, START + limit % N);
			used[limit % N] = false;
			continue;
		}
		for (int i = 0; i < N && START + (uint32_t)i < limit; i++)
			if (!used[i])
				want = i;
		err = steer_group_take_below(&g, limit, &index);
		assert_int_equal(err, want < 0 ? -ENOSPC : 0);
		if (err)
			continue;
		assert_int_equal(index, START + want);
		used[want] = true;
	}
	for (int i = 0; i < N; i++)
		if (used[i])
			steer_group_put(&g, START + (uint32_t)i);
	assert_int_equal(steer_group_free(&g), N);
	mock_expect_destroy(t.m, h, OK(NULL));
	assert_int_equal(steer_group_destroy(&g), 0);
	assert_null(table.groups);
}

static void test_lost_rules_keep_their_index(void **state)
{
	struct steer_actions drop = {.drop = true};
	struct mlxo_quarantined *list;
	struct steer_rule r, lost;
	struct steer_match m;
	size_t n;
	int h;

	(void)state;
	sa_match(&m, 0x100);
	mock_expect(t.m, CREATE, FTE,
		    "000:09360000 014:00000101 020:0000000f 044:00000051 "
		    "04c:00000002 " SA_VALUE("00000100"),
		    MOCK_TIMEOUT);
	assert_int_equal(steer_rule_add(&t.group, STEER_INDEX_ANY, &m, &drop, &lost), -ETIMEDOUT);
	assert_int_equal(steer_rule_del(&lost), 0); /* no command */
	h = add_drop(STEER_INDEX_ANY, "0000000e", &r);
	mock_expect_destroy(t.m, h, MOCK_TIMEOUT);
	assert_int_equal(steer_rule_del(&r), -ETIMEDOUT);
	assert_int_equal(steer_rule_add(&t.group, 14, &m, &drop, &r), -EBUSY);
	assert_int_equal(steer_group_free(&t.group), 6);
	assert_int_equal(mlxo_device_quarantined(t.dev, &list, &n), 0);
	assert_int_equal(n, 2);
	assert_string_equal(list[0].kind, "flow table entry");
	assert_int_equal(list[0].id, 15);
	assert_string_equal(list[1].op, "DELETE_FLOW_TABLE_ENTRY");
	free(list);
	/* refused: nothing happened, the index is free again; and a refused delete leaves the rule */
	mock_expect(t.m, CREATE, FTE,
		    "000:09360000 014:00000101 020:0000000d 044:00000051 "
		    "04c:00000002 " SA_VALUE("00000100"),
		    MOCK_REFUSE(3, 0x65c1fb));
	assert_int_equal(steer_rule_add(&t.group, STEER_INDEX_ANY, &m, &drop, &r), -EINVAL);
	h = add_drop(STEER_INDEX_ANY, "0000000d", &r);
	mock_expect_destroy(t.m, h, MOCK_REFUSE(4, 1));
	assert_int_equal(steer_rule_del(&r), -EIO);
	assert_int_equal(steer_group_free(&t.group), 5);
	del(&r, h);
}

/* -- tables and groups --------------------------------------------------------------------------------------- */

static void test_refused_tables(void **state)
{
	struct steer_table_attr deep = {.dir = PROV_RX, .level = 4};
	struct steer_table_attr big = {.dir = PROV_TX, .log_size = 7};
	struct steer_table_attr miss = {.dir = PROV_RX, .level = 2, .miss = &t.status};
	struct steer_table_attr cross = {.dir = PROV_TX, .level = 0, .miss = &t.status};
	struct steer_table table;

	(void)state;
	mock_cap(t.dev, "nic_receive.max_ft_level", 4);
	mock_cap(t.dev, "nic_transmit.log_max_ft_size", 6);
	assert_int_equal(steer_table_create(t.dev, &deep, &table), -EINVAL);
	assert_int_equal(steer_table_create(t.dev, &big, &table), -EINVAL);
	assert_int_equal(steer_table_create(t.dev, &miss, &table), -EINVAL);
	assert_int_equal(steer_table_create(t.dev, &cross, &table), -EINVAL);
	assert_int_equal(steer_table_destroy(&t.sa), -EBUSY); /* has a group */
}

static void test_groups_do_not_overlap(void **state)
{
	static const uint32_t bad[][2] = {{8, 15}, {0, 8}, {15, 20}, {10, 11},
					  {0, 63}, {5, 4}, {60, 64}};
	struct steer_group g, first, last;
	struct steer_match m;
	int hf, hl;

	(void)state;
	steer_match_init(&m);
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		assert_int_equal(steer_group_create(&t.sa, bad[i][0], bad[i][1], &m, &g), -EINVAL);
	hl = mock_expect(t.m, CREATE, FG, "000:09330000 014:00000101 01c:00000010 024:0000003f",
			 OK("008:00000053"));
	assert_int_equal(steer_group_create(&t.sa, 16, 63, &m, &last), 0);
	hf = mock_expect(t.m, CREATE, FG, "000:09330000 014:00000101 024:00000007",
			 OK("008:00000052"));
	assert_int_equal(steer_group_create(&t.sa, 0, 7, &m, &first), 0);
	assert_ptr_equal(t.sa.groups, &first);
	assert_ptr_equal(first.next, &t.group);
	assert_ptr_equal(t.group.next, &last);
	mock_expect_destroy(t.m, hl, OK(NULL));
	mock_expect_destroy(t.m, hf, OK(NULL));
	assert_int_equal(steer_group_destroy(&last), 0);
	assert_int_equal(steer_group_destroy(&first), 0);
}

static void test_lost_group_blocks_its_range(void **state)
{
	struct steer_group lost, g;
	struct steer_match m;
	uint32_t index;
	int h;

	(void)state;
	steer_match_init(&m);
	mock_expect(t.m, CREATE, FG, "000:09330000 014:00000101 024:00000003", MOCK_TIMEOUT);
	assert_int_equal(steer_group_create(&t.sa, 0, 3, &m, &lost), -ETIMEDOUT);
	assert_int_equal(steer_group_create(&t.sa, 3, 4, &m, &g), -EINVAL);
	assert_int_equal(steer_group_take(&lost, &index), -ENOSPC);
	assert_int_equal(steer_group_take_at(&lost, 0), -EINVAL);
	assert_int_equal(steer_group_free(&lost), 0);
	assert_int_equal(steer_group_destroy(&lost), 0); /* no command */
	memset(&lost, 0xff, sizeof(lost));		 /* nobody looks at it any more */
	assert_int_equal(steer_group_create(&t.sa, 0, 0, &m, &g), -EINVAL);
	/* lost at destroy: the same */
	h = mock_expect(t.m, CREATE, FG, "000:09330000 014:00000101 01c:00000004 024:00000005",
			OK("008:00000052"));
	assert_int_equal(steer_group_create(&t.sa, 4, 5, &m, &g), 0);
	mock_expect_destroy(t.m, h, MOCK_REFUSE(9, 1)); /* a lost rule may be in it */
	assert_int_equal(steer_group_destroy(&g), -EINVAL);
	assert_int_equal(g.obj.state, OBJ_LOST);
	memset(&g, 0xff, sizeof(g));
	assert_int_equal(steer_group_create(&t.sa, 5, 7, &m, &g), -EINVAL);
	for (uint64_t n = 1; n <= 2; n++) {
		mlxo_alloc_fail_at(n);
		assert_int_equal(steer_group_create(&t.sa, 6, 7, &m, &g), -ENOMEM);
		mlxo_alloc_fail_at(0);
	}
}

static void test_attach(void **state)
{
	struct steer_table tx = {.dev = t.dev, .dir = PROV_TX, .obj = {.id = 0x200}};
	struct steer_attachment a, b;
	struct steer_match m;

	(void)state;
	assert_int_equal(steer_table_attach(&t.sa, 3, NULL, &a), 0);
	assert_int_equal(mock_attach(t.m)->dir, PROV_RX);
	assert_int_equal(mock_attach(t.m)->priority, 3);
	assert_int_equal(mock_attach(t.m)->criteria_enable, 0);
	assert_int_equal(mock_attach(t.m)->table_id, 0x101);
	assert_ptr_equal(mock_attach(t.m)->table, t.sa.obj.prov);
	assert_int_equal(steer_table_destroy(&t.sa), -EBUSY);
	/* TX: only for one queue */
	steer_match_init(&m);
	assert_int_equal(steer_table_attach(&tx, 0, NULL, &b), -EINVAL);
	assert_int_equal(steer_table_attach(&tx, 0, &m, &b), -EINVAL);
	steer_match_source_sqn(&m, 0x44);
	mock_fail_next(t.m, -ENOMEM);
	assert_int_equal(steer_table_attach(&tx, 0, &m, &b), -ENOMEM);
	assert_int_equal(steer_table_detach(&b), 0);
	assert_int_equal(steer_table_attach(&tx, 0, &m, &b), 0);
	assert_memory_equal(mock_attach(t.m)->value, m.value, sizeof(m.value));
	assert_memory_equal(mock_attach(t.m)->mask, m.mask, sizeof(m.mask));
	mock_fail_next(t.m, -EREMOTEIO);
	assert_int_equal(steer_table_detach(&b), -EREMOTEIO);
	assert_int_equal(tx.attachments, 1);
	assert_int_equal(steer_table_detach(&b), 0);
	assert_int_equal(steer_table_detach(&b), 0);
	assert_int_equal(steer_table_detach(&a), 0);
	assert_int_equal(mock_attachments(t.m), 0);
}

static void test_lost_attachments_are_listed(void **state)
{
	struct steer_attachment a;
	struct mlxo_quarantined *list;
	size_t n;

	(void)state;
	mock_fail_next(t.m, -ETIMEDOUT);
	assert_int_equal(steer_table_attach(&t.sa, 0, NULL, &a), -ETIMEDOUT);
	assert_int_equal(steer_table_detach(&a), 0); /* no call */
	assert_int_equal(steer_table_attach(&t.sa, 0, NULL, &a), 0);
	mock_fail_next(t.m, -ETIMEDOUT);
	assert_int_equal(steer_table_detach(&a), -ETIMEDOUT);
	assert_int_equal(t.sa.attachments, 0);
	assert_int_equal(mlxo_device_quarantined(t.dev, &list, &n), 0);
	assert_int_equal(n, 2);
	assert_string_equal(list[1].kind, "rule of the root");
	assert_string_equal(list[1].op, "detach");
	free(list);
	mock_forget_attachment(t.m);
}

/* A rule to the kernel: the anchor's table, whatever its level. */
static void test_anchor(void **state)
{
	struct steer_anchor anchor;
	struct steer_actions a = {.anchor = &anchor};
	struct steer_match m;
	struct steer_rule r;
	int h;

	(void)state;
	assert_int_equal(steer_anchor_create(t.dev, 3, &anchor), 0);
	sa_match(&m, 1);
	h = mock_expect(t.m, CREATE, FTE + 8,
			"000:09360000 014:00000101 018:80000000 020:0000000f 044:00000051 "
			"04c:00000004 050:00000001 " SA_VALUE("00000001") " 340:01000703",
			OK(NULL));
	assert_int_equal(steer_rule_add(&t.group, STEER_INDEX_ANY, &m, &a, &r), 0);
	del(&r, h);
	a.drop = true; /* a rule has one end */
	assert_int_equal(steer_rule_add(&t.group, STEER_INDEX_ANY, &m, &a, &r), -EINVAL);
	mock_fail_next(t.m, -EREMOTEIO);
	assert_int_equal(steer_anchor_destroy(&anchor), -EREMOTEIO);
	assert_int_equal(steer_anchor_destroy(&anchor), 0);
	assert_int_equal(steer_anchor_destroy(&anchor), 0); /* no call */
}

static void test_anchors_that_fail(void **state)
{
	struct mlxo_quarantined *list;
	struct steer_anchor anchor;
	size_t n;

	(void)state;
	mock_fail_next(t.m, -ENOMEM);
	assert_int_equal(steer_anchor_create(t.dev, 1, &anchor), -ENOMEM);
	assert_int_equal(steer_anchor_destroy(&anchor), 0);
	mock_fail_next(t.m, -ETIMEDOUT);
	assert_int_equal(steer_anchor_create(t.dev, 1, &anchor), -ETIMEDOUT);
	assert_int_equal(steer_anchor_destroy(&anchor), 0); /* no call */
	assert_int_equal(steer_anchor_create(t.dev, 1, &anchor), 0);
	mock_fail_next(t.m, -ETIMEDOUT);
	assert_int_equal(steer_anchor_destroy(&anchor), -ETIMEDOUT);
	assert_int_equal(mlxo_device_quarantined(t.dev, &list, &n), 0);
	assert_int_equal(n, 2);
	assert_string_equal(list[1].kind, "steering anchor");
	assert_int_equal(list[1].id, MOCK_ANCHOR + 1);
	free(list);
	mock_forget_anchor(t.m);
	mock_cap(t.dev, "nic_receive.ignore_flow_level", 0);
	assert_int_equal(steer_anchor_create(t.dev, 1, &anchor), -EOPNOTSUPP);
	assert_non_null(strstr(mlxo_error_last()->text, "nic_receive.ignore_flow_level"));
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_decrypt_rule),
		TEST(test_tir_rule),
		TEST(test_encrypt_rule),
		TEST(test_modify),
		TEST(test_refused_actions),
		TEST(test_highest_index_first),
		TEST(test_full_group),
		TEST(test_index_map),
		TEST(test_lost_rules_keep_their_index),
		TEST(test_refused_tables),
		TEST(test_groups_do_not_overlap),
		TEST(test_lost_group_blocks_its_range),
		TEST(test_attach),
		TEST(test_anchor),
		TEST(test_anchors_that_fail),
		TEST(test_lost_attachments_are_listed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
