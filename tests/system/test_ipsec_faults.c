// SPDX-License-Identifier: BSD-2-Clause
/*
 * Faults, enumerated: the whole life of an SA pair with policies on one NIC, with the n-th command refused, unanswered
 * or done without an answer, and with the n-th allocation failed, for every n until nothing is hit any more.
 *
 * After each failure: nothing is half installed, the cause is one line, the next attempt works, packets flow both ways,
 * and in the end the census is as before, but for what is listed as quarantined.
 */
#include "tests/lib/two_nics.h"

#include <errno.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <string.h>

#include "objects/alloc.h"
#include "tests/lib/test_device.h"

struct scenario {
	struct two_nics t;
	uint64_t census;       /* of LEFT before the scenario */
	unsigned int failures; /* steps that failed */
	bool unknown;	       /* answers are missing: quarantine is allowed */
	bool memory;	       /* allocations fail, not commands */
};

static size_t quarantined(struct scenario *s)
{
	struct mlxo_quarantined *list;
	size_t n;

	assert_int_equal(mlxo_device_quarantined(s->t.side[LEFT].dev, &list, &n), 0);
	free(list);
	return n;
}

/* What is there must be what there was, or be listed. */
static void expect_census(struct scenario *s, uint64_t before)
{
	uint64_t now = two_nics_census(s->t.side[LEFT].dev);

	if (s->unknown && quarantined(s))
		assert_in_range(now, before, before + quarantined(s) + 1);
	else
		assert_int_equal(now, before);
}

static void expect_one_line(struct scenario *s, int err)
{
	const struct mlxo_error *e = mlxo_error_last();

	assert_int_equal(e->err, -err);
	assert_true(strlen(e->text) > 20);
	assert_null(strchr(e->text, '\n'));
	if (s->memory) {
		assert_int_equal(err, -ENOMEM);
		assert_non_null(strstr(e->text, "memory"));
		return;
	}
	assert_true(e->firmware);
	assert_non_null(strstr(e->text, e->op));
	if (!s->unknown && test_device_is_mlx5() && strstr(e->text, "BAD_RES_STATE_ERR"))
		return; /* of a destroy, the kernel tells that it was refused, no more */
	if (!s->unknown) {
		assert_non_null(strstr(e->text, "BAD_PARAM_ERR"));
		assert_non_null(strstr(e->text, "0x65c1fb"));
	}
}

/* -- steps --------------------------------------------------------------------------------------------------- */

typedef int (*step_fn)(struct two_nics *t);

/* The key is the test's own; its memory is not to fail. */
static struct mlxo_ipsec_sa_params sa_params(struct two_nics *t, int from, enum mlxo_ipsec_dir dir)
{
	static struct mlxo_secret *key;
	struct mlxo_ipsec_sa_params p;

	if (!key) {
		p = two_nics_sa(t, from, dir, 20);
		key = p.key;
	}
	p = two_nics_sa_with_key(t, from, dir, key);
	return p;
}

static int add_sa(struct two_nics *t, int from, enum mlxo_ipsec_dir dir, struct mlxo_ipsec_sa **sa)
{
	struct mlxo_ipsec_sa_params p = sa_params(t, from, dir);

	return mlxo_ipsec_sa_add(t->side[LEFT].ipsec, &p, sa);
}

static int add_out(struct two_nics *t)
{
	return add_sa(t, LEFT, MLXO_IPSEC_OUT, &t->side[LEFT].out);
}

static int add_in(struct two_nics *t)
{
	return add_sa(t, RIGHT, MLXO_IPSEC_IN, &t->side[LEFT].in);
}

static int policy_out(struct two_nics *t)
{
	struct mlxo_ipsec_policy_params p = two_nics_policy(t, LEFT, MLXO_IPSEC_OUT);

	return mlxo_ipsec_policy_add(t->side[LEFT].ipsec, &p, &t->side[LEFT].policy_out);
}

static int policy_in(struct two_nics *t)
{
	struct mlxo_ipsec_policy_params p = two_nics_policy(t, RIGHT, MLXO_IPSEC_IN);

	return mlxo_ipsec_policy_add(t->side[LEFT].ipsec, &p, &t->side[LEFT].policy_in);
}

static int del_policy_in(struct two_nics *t)
{
	return mlxo_ipsec_policy_del(t->side[LEFT].policy_in);
}

static int del_policy_out(struct two_nics *t)
{
	return mlxo_ipsec_policy_del(t->side[LEFT].policy_out);
}

static int del_in(struct two_nics *t)
{
	return mlxo_ipsec_sa_del(t->side[LEFT].in);
}

static int del_out(struct two_nics *t)
{
	return mlxo_ipsec_sa_del(t->side[LEFT].out);
}

/* A step that creates; after a failure nothing is left and it works when it is tried again. */
static void create(struct scenario *s, step_fn step)
{
	uint64_t before = two_nics_census(s->t.side[LEFT].dev);
	int err = step(&s->t);

	if (!err)
		return;
	s->failures++;
	expect_one_line(s, err);
	expect_census(s, before);
	assert_int_equal(step(&s->t), 0);
}

/*
 * A step that deletes. Refused: all of it is still there, and the next attempt works. No answer: it is gone but for what
 * is quarantined.
 */
static void destroy(struct scenario *s, step_fn step)
{
	int err = step(&s->t);

	if (!err)
		return;
	s->failures++;
	expect_one_line(s, err);
	if (err != -ETIMEDOUT && err != -EPROTO)
		assert_int_equal(step(&s->t), 0);
}

static void expect_traffic(struct two_nics *t)
{
	two_nics_send(t, LEFT, IPPROTO_UDP, 1, 2, 100);
	assert_int_equal(two_nics_receive(t, RIGHT), 1);
	assert_memory_equal(t->last.data, t->sent.b, t->sent.n);
	two_nics_send(t, RIGHT, IPPROTO_UDP, 1, 2, 100);
	assert_int_equal(two_nics_receive(t, LEFT), 1);
	assert_memory_equal(t->last.data, t->sent.b, t->sent.n);
}

static void run(struct scenario *s)
{
	struct two_nics *t = &s->t;

	create(s, add_out);
	create(s, add_in);
	create(s, policy_out);
	create(s, policy_in);
	expect_traffic(t);
	destroy(s, del_policy_in);
	destroy(s, del_policy_out);
	destroy(s, del_in);
	destroy(s, del_out);
	expect_census(s, s->census);
	/* and once more from the start */
	assert_int_equal(add_out(t) | add_in(t) | policy_out(t) | policy_in(t), 0);
	expect_traffic(t);
	assert_int_equal(del_policy_in(t) | del_policy_out(t) | del_in(t) | del_out(t), 0);
	expect_census(s, s->census);
}

/* RIGHT is protected and stays so; LEFT has nothing, and its key cache was synchronised before. */
static void begin(struct scenario *s)
{
	struct two_nics *t = &s->t;

	memset(s, 0, sizeof(*s));
	two_nics_open(t, "", "");
	two_nics_protect(t, 0);
	assert_int_equal(del_policy_in(t) | del_policy_out(t) | del_in(t) | del_out(t), 0);
	s->census = two_nics_census(t->side[LEFT].dev);
}

static void enumerate_commands(enum mlxo_fault kind, bool unknown)
{
	static struct scenario s;
	unsigned int n = 0, hits = 0;

	do {
		n++;
		begin(&s);
		s.unknown = unknown;
		assert_int_equal(mlxo_model_fault_set(s.t.side[LEFT].dev, kind, n, 0,
						      PRM_CMD_STAT_BAD_PARAM_ERR, 0x65c1fb),
				 0);
		run(&s);
		hits += s.failures;
		/* At most the one object and what it uses: a rule names five. */
		assert_in_range(quarantined(&s), 0, unknown ? 8 : 0);
		two_nics_close(&s.t);
	} while (n < 60 || s.failures); /* one life is about 50 commands */
	assert_in_range(
		hits, 30,
		400); /* a refused destroy that the second try overcomes is no failed step */
	print_message("[   INFO   ] fault kind %d: %u runs, %u failed steps\n", kind, n, hits);
}

static void every_command_refused(void **state)
{
	(void)state;
	enumerate_commands(MLXO_FAULT_STATUS, false);
}

static void every_command_unanswered(void **state)
{
	(void)state;
	enumerate_commands(MLXO_FAULT_TIMEOUT, true);
}

static void every_answer_lost(void **state)
{
	(void)state;
	enumerate_commands(MLXO_FAULT_LOST, true);
}

static void every_answer_corrupt(void **state)
{
	(void)state;
	test_device_needs_model("the kernel does not tell an answer to a destroy that it does not "
				"know from a refusal");
	enumerate_commands(MLXO_FAULT_CORRUPT, true);
}

static void every_allocation_failed(void **state)
{
	static struct scenario s;
	unsigned int n = 0;

	(void)state;
	do {
		n++;
		begin(&s);
		s.memory = true;
		mlxo_alloc_fail_at(n);
		run(&s);
		mlxo_alloc_fail_at(0);
		two_nics_close(&s.t);
	} while (n < 10 || s.failures);
	print_message("[   INFO   ] %u allocations failed one by one\n", n - 1);
	assert_in_range(n, 10, 1000);
}

/* Opening the service: tables, groups, fixed rules, attachments. Refused: nothing is left. Then it opens. */
static void open_refused(bool rx_all)
{
	struct mlxo_ipsec_opts opts = {.size = sizeof(opts), .rx_all = rx_all};
	struct mlxo_channel_opts rings = {
		.size = sizeof(rings), .sq_entries = 64, .rq_entries = 64};
	unsigned int n = 0, failed;

	do {
		struct mlxo_device *dev;
		struct mlxo_ipsec *ipsec;
		uint64_t census;
		int err;

		n++;
		failed = 0;
		assert_int_equal(test_device_open("model", &dev), 0);
		assert_int_equal(mlxo_channel_create(dev, &rings, &opts.channel), 0);
		census = two_nics_census(dev);
		mlxo_model_fault_set(dev, MLXO_FAULT_STATUS, n, 0, PRM_CMD_STAT_BAD_PARAM_ERR,
				     0x65c1fb);
		err = mlxo_ipsec_open(dev, &opts, &ipsec);
		if (err) {
			failed = 1;
			assert_null(ipsec);
			assert_non_null(mlxo_error_last()->text);
			assert_int_equal(two_nics_census(dev), census);
			assert_int_equal(mlxo_ipsec_open(dev, &opts, &ipsec), 0);
		}
		mlxo_model_fault_clear(dev);
		mlxo_ipsec_close(ipsec);
		assert_int_equal(two_nics_census(dev), census);
		mlxo_channel_destroy(opts.channel);
		mlxo_device_close(dev);
	} while (failed);
	print_message("[   INFO   ] %u commands of open refused one by one\n", n - 1);
	assert_in_range(n, 30, 200);
}

static void every_command_of_open_refused(void **state)
{
	(void)state;
	open_refused(true);
	open_refused(false); /* with a steering anchor */
}

/*
 * Closing, with the n-th command refused: tried again, nothing is left, and nobody but the log is told. With every
 * deletion of one kind refused as often as the service tries: what is left goes with the device, memory does not leak
 * (run under ASan, valgrind).
 */
static void close_protected(uint64_t nth, unsigned int times, uint16_t opcode, uint64_t *left)
{
	struct two_nics t;
	uint64_t before;

	two_nics_open(&t, "", "");
	mlxo_ipsec_close(t.side[LEFT].ipsec);
	before = two_nics_census(t.side[LEFT].dev);
	assert_int_equal(
		mlxo_ipsec_open(t.side[LEFT].dev,
				&(struct mlxo_ipsec_opts){.size = sizeof(struct mlxo_ipsec_opts),
							  .channel = t.side[LEFT].channel,
							  .rx_all = true},
				&t.side[LEFT].ipsec),
		0);
	two_nics_protect(&t, 0);
	assert_null(mlxo_ipsec_sa_find(t.side[LEFT].ipsec, &(struct mlxo_addr){0}, 1, 0));
	for (unsigned int i = 0; i < times; i++)
		assert_int_equal(mlxo_model_fault_set(t.side[LEFT].dev, MLXO_FAULT_STATUS, nth + i,
						      opcode, PRM_CMD_STAT_BAD_PARAM_ERR, 0x65c1fb),
				 0);
	mlxo_ipsec_close(t.side[LEFT].ipsec);
	assert_int_equal(mlxo_error_last()->err, ENOENT); /* as before: close() tells nobody */
	t.side[LEFT].ipsec = NULL;
	mlxo_model_fault_clear(t.side[LEFT].dev);
	*left = two_nics_census(t.side[LEFT].dev) - before;
	two_nics_close(&t);
}

static void every_command_of_close_refused(void **state)
{
	uint64_t left;

	(void)state;
	for (unsigned int n = 1; n < 130; n++) {
		close_protected(n, 1, 0, &left);
		assert_int_equal(left, 0);
	}
}

static void closing_what_is_refused_again_and_again(void **state)
{
	static const uint16_t kinds[] = {
		PRM_CMD_OP_DELETE_FLOW_TABLE_ENTRY,
		PRM_CMD_OP_DESTROY_FLOW_GROUP,
		PRM_CMD_OP_DESTROY_FLOW_TABLE,
		PRM_CMD_OP_DEALLOC_FLOW_COUNTER,
		PRM_CMD_OP_DESTROY_GENERAL_OBJECT,
		PRM_CMD_OP_DEALLOC_MODIFY_HEADER_CONTEXT,
		PRM_CMD_OP_DEALLOC_PACKET_REFORMAT_CONTEXT,
	};
	uint64_t left;

	(void)state;
	for (size_t k = 0; k < sizeof(kinds) / sizeof(kinds[0]); k++)
		for (unsigned int n = 1; n < 40; n += 3) {
			close_protected(n, 16, kinds[k], &left);
			assert_in_range(left, 0, 120);
		}
}

/* The answer to a blocking policy's rule is lost: what is asked for next goes in front of the rule that may be there. */
static void a_lost_rule_does_not_win_over_a_new_policy(void **state)
{
	struct two_nics t;
	struct mlxo_ipsec_policy_params p;

	(void)state;
	two_nics_open(&t, "", "");
	p = two_nics_policy(&t, LEFT, MLXO_IPSEC_OUT);
	p.ntmpl = 0;
	p.action = MLXO_IPSEC_BLOCK;
	mlxo_model_fault_set(t.side[LEFT].dev, MLXO_FAULT_LOST, 1, PRM_CMD_OP_SET_FLOW_TABLE_ENTRY,
			     0, 0);
	assert_int_equal(mlxo_ipsec_policy_add(t.side[LEFT].ipsec, &p, NULL), -ETIMEDOUT);
	two_nics_send(&t, LEFT, IPPROTO_UDP, 1, 2, 100);
	assert_int_equal(two_nics_receive(&t, RIGHT), 0); /* it is there */
	p.action = MLXO_IPSEC_ALLOW;
	assert_int_equal(mlxo_ipsec_policy_add(t.side[LEFT].ipsec, &p, NULL), 0);
	two_nics_send(&t, LEFT, IPPROTO_UDP, 1, 2, 100);
	assert_int_equal(two_nics_receive(&t, RIGHT), 1);
	two_nics_close(&t);
}

/* Refused by its parameters alone: what the caller held before is not taken for an SA. */
static void a_refused_add_gives_nothing(void **state)
{
	struct two_nics t;
	struct mlxo_ipsec_sa *sa = (void *)&t;
	struct mlxo_ipsec_policy *policy = (void *)&t;
	struct mlxo_ipsec_sa_params s = {.size = sizeof(s)};
	struct mlxo_ipsec_policy_params p = {.size = sizeof(p)};

	(void)state;
	two_nics_open(&t, "", "");
	assert_int_equal(mlxo_ipsec_sa_add(t.side[LEFT].ipsec, &s, &sa), -EINVAL);
	assert_null(sa);
	assert_int_equal(mlxo_ipsec_policy_add(t.side[LEFT].ipsec, &p, &policy), -EINVAL);
	assert_null(policy);
	two_nics_close(&t);
}

/* -- A20, A21, A32 --------------------------------------------------------------------------------------------- */

/* A20: the limit is met, says so, leaks nothing, and one deleted lets the next in. */
static void a_limit_is_no_leak(void **state)
{
	static const char *const profile[] = {",profile=sa33", ",profile=sa1024"};
	static const unsigned int limit[] = {33, 1024};

	(void)state;
	for (int k = 0; k < 2; k++) {
		struct two_nics t;
		struct mlxo_ipsec_sa_params p;
		struct mlxo_ipsec_sa *sa = NULL, *last;
		uint64_t census;
		unsigned int n = 0;

		two_nics_open(&t, profile[k], "");
		p = two_nics_sa(&t, LEFT, MLXO_IPSEC_OUT, 20);
		do {
			last = sa;
			census = two_nics_census(t.side[LEFT].dev);
			p.spi++;
		} while (mlxo_ipsec_sa_add(t.side[LEFT].ipsec, &p, &sa) == 0 && ++n < 5000);
		assert_int_equal(n, limit[k]);
		assert_true(mlxo_error_last()->status == PRM_CMD_STAT_LIM_ERR ||
			    mlxo_error_last()->status == PRM_CMD_STAT_NO_RES_ERR);
		assert_int_equal(two_nics_census(t.side[LEFT].dev), census);
		assert_int_equal(mlxo_ipsec_sa_del(last), 0);
		assert_int_equal(mlxo_ipsec_sa_add(t.side[LEFT].ipsec, &p, &sa), 0);
		mlxo_secret_destroy(p.key);
		two_nics_close(&t);
	}
}

static uint64_t commands(struct mlxo_device *dev)
{
	struct mlxo_stat *s;
	uint64_t sum = 0;
	size_t n;

	assert_int_equal(mlxo_model_stats(dev, &s, &n), 0);
	for (size_t i = 0; i < n; i++)
		if (strcmp(s[i].group, "commands") == 0)
			sum += s[i].value;
	free(s);
	return sum;
}

/* A21: commands for n SAs added and flushed. */
static uint64_t add_and_flush(uint32_t n)
{
	struct mlxo_ipsec_opts opts = {.size = sizeof(opts), .max_sa = 16384};
	struct two_nics t = {.family = AF_INET};
	struct mlxo_ipsec_sa_params p;
	struct mlxo_ipsec *ipsec;
	struct mlxo_device *dev;
	uint64_t open, census, first, used;
	size_t flushed;

	assert_int_equal(test_device_open("model", &dev), 0);
	open = two_nics_census(dev);
	assert_int_equal(mlxo_ipsec_open(dev, &opts, &ipsec), 0);
	census = two_nics_census(dev);
	first = commands(dev);
	for (uint32_t i = 0; i < n; i++) {
		p = two_nics_sa(&t, i % 2 ? LEFT : RIGHT, i % 2 ? MLXO_IPSEC_OUT : MLXO_IPSEC_IN,
				20);
		p.spi = 0x10000 + i;
		p.reqid = 1 + i % 100;
		p.dst.bytes[2] = (uint8_t)(i >> 8);
		p.dst.bytes[3] = (uint8_t)i;
		assert_int_equal(mlxo_ipsec_sa_add(ipsec, &p, NULL), 0);
		mlxo_secret_destroy(p.key);
	}
	assert_int_equal(mlxo_ipsec_sa_flush(ipsec, &flushed), 0);
	assert_int_equal(flushed, n);
	assert_int_equal(two_nics_census(dev), census);
	used = commands(dev) - first;
	mlxo_ipsec_close(ipsec);
	assert_in_range(two_nics_census(dev), 0,
			open); /* PD, transport domain, UAR of the device */
	mlxo_device_close(dev);
	return used;
}

static void ten_thousand_sas_and_a_flush_are_linear(void **state)
{
	uint64_t small = add_and_flush(1000), large = add_and_flush(10000);

	(void)state;
	print_message("[   INFO   ] commands: %lu for 1000 SAs, %lu for 10000\n",
		      (unsigned long)small, (unsigned long)large);
	assert_in_range(large, small * 9, small * 11);
}

/* A32: replies as reported from the field: opcode name, status name and syndrome in one line. */
static void field_replies_are_told(void **state)
{
	struct two_nics t;

	(void)state;
	two_nics_open(&t, "", "");
	mlxo_model_fault_set(t.side[LEFT].dev, MLXO_FAULT_STATUS, 1,
			     PRM_CMD_OP_SET_FLOW_TABLE_ENTRY, 0x3, 0x65c1fb);
	assert_int_equal(add_out(&t), -EINVAL);
	assert_non_null(strstr(mlxo_error_last()->text, "SET_FLOW_TABLE_ENTRY"));
	assert_non_null(strstr(mlxo_error_last()->text, "BAD_PARAM"));
	assert_non_null(strstr(mlxo_error_last()->text, "0x65c1fb"));
	mlxo_model_fault_set(t.side[LEFT].dev, MLXO_FAULT_STATUS, 1,
			     PRM_CMD_OP_CREATE_GENERAL_OBJECT, 0x8, 0x19c6d6);
	assert_int_equal(add_out(&t), -ENOMEM);
	assert_non_null(strstr(mlxo_error_last()->text, "CREATE_GENERAL_OBJECT"));
	assert_non_null(strstr(mlxo_error_last()->text, "LIM_ERR"));
	assert_non_null(strstr(mlxo_error_last()->text, "0x19c6d6"));
	two_nics_close(&t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_command_refused),
		cmocka_unit_test(every_command_unanswered),
		cmocka_unit_test(every_answer_lost),
		cmocka_unit_test(every_answer_corrupt),
		cmocka_unit_test(every_allocation_failed),
		cmocka_unit_test(every_command_of_open_refused),
		cmocka_unit_test(every_command_of_close_refused),
		cmocka_unit_test(closing_what_is_refused_again_and_again),
		cmocka_unit_test(a_lost_rule_does_not_win_over_a_new_policy),
		cmocka_unit_test(a_refused_add_gives_nothing),
		cmocka_unit_test(a_limit_is_no_leak),
		cmocka_unit_test(ten_thousand_sas_and_a_flush_are_linear),
		cmocka_unit_test(field_replies_are_told),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
