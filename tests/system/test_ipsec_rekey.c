// SPDX-License-Identifier: BSD-2-Clause
/*
 * Rules that follow each other: rekeys without end, and rules that are put where one of unknown fate may still stand.
 * The newest must win every time, which its own counter shows.
 */
#include "tests/lib/two_nics.h"

#include <errno.h>
#include <netinet/in.h>
#include <string.h>
#include <sys/socket.h>

enum { REKEYS = 1000 };

/* A service with few places, so that they are used up soon. */
static void shrink(struct two_nics *t, int side)
{
	struct nic_side *s = &t->side[side];
	struct mlxo_ipsec_opts opts = {
		.size = sizeof(opts), .rx_all = true, .channel = s->channel, .max_sa = 2};

	mlxo_ipsec_close(s->ipsec);
	assert_int_equal(mlxo_ipsec_open(s->dev, &opts, &s->ipsec), 0);
}

static void expect_packet_of(struct two_nics *t, struct mlxo_ipsec_sa *sa)
{
	struct mlxo_ipsec_sa_info before, after;

	assert_int_equal(mlxo_ipsec_sa_query(sa, &before), 0);
	two_nics_send(t, LEFT, IPPROTO_UDP, 1, 2, 10);
	two_nics_receive(t, RIGHT);
	assert_int_equal(mlxo_ipsec_sa_query(sa, &after), 0);
	assert_int_equal(after.packets, before.packets + 1);
}

/* Add the next, delete the last, again and again: far more often than there are places. */
static void rekeys_never_end(void **state)
{
	struct two_nics *t = *state;
	struct mlxo_ipsec_sa_params p = two_nics_sa(t, LEFT, MLXO_IPSEC_OUT, 20);
	struct mlxo_ipsec_policy_params pol = two_nics_policy(t, LEFT, MLXO_IPSEC_OUT);
	struct mlxo_ipsec_sa *old = NULL, *sa;

	shrink(t, LEFT);
	assert_int_equal(mlxo_ipsec_policy_add(t->side[LEFT].ipsec, &pol, NULL), 0);
	for (uint32_t i = 0; i < REKEYS; i++) {
		p.spi = 0x1000 + i;
		assert_int_equal(mlxo_ipsec_sa_add(t->side[LEFT].ipsec, &p, &sa), 0);
		expect_packet_of(t, sa);
		if (old)
			assert_int_equal(mlxo_ipsec_sa_del(old), 0);
		expect_packet_of(t, sa);
		old = sa;
	}
	mlxo_secret_destroy(p.key);
}

/* The same, but every 7th command of rules gets no answer. What fails is tried again, once, and then works and wins. */
static void rekeys_with_lost_answers(void **state)
{
	static const enum mlxo_fault kind[] = {MLXO_FAULT_LOST, MLXO_FAULT_TIMEOUT,
					       MLXO_FAULT_STATUS};
	static const uint16_t op[] = {PRM_CMD_OP_SET_FLOW_TABLE_ENTRY,
				      PRM_CMD_OP_DELETE_FLOW_TABLE_ENTRY};
	struct two_nics *t = *state;

	shrink(t, LEFT);
	for (uint32_t round = 0; round < 6; round++) {
		struct mlxo_device *dev = t->side[LEFT].dev;
		struct mlxo_ipsec_sa_params p = two_nics_sa(t, LEFT, MLXO_IPSEC_OUT, 20);
		struct mlxo_ipsec_policy_params pol = two_nics_policy(t, LEFT, MLXO_IPSEC_OUT);
		struct mlxo_ipsec_policy *policy;
		struct mlxo_ipsec_sa *old = NULL, *sa;
		bool rooms = true;

		p.reqid = pol.tmpl.reqid = 100 + round;
		assert_int_equal(mlxo_ipsec_policy_add(t->side[LEFT].ipsec, &pol, &policy), 0);
		for (uint32_t i = 0; i < 300 && rooms; i++) {
			if (i % 60 == 59)
				mlxo_model_fault_set(dev, kind[round % 3], 1 + i / 60 % 4,
						     op[round / 3], PRM_CMD_STAT_BAD_PARAM_ERR, 1);
			p.spi = 0x1000 + 1000 * round + i;
			if (mlxo_ipsec_sa_add(t->side[LEFT].ipsec, &p, &sa))
				rooms = mlxo_ipsec_sa_add(t->side[LEFT].ipsec, &p, &sa) == 0;
			if (!rooms) { /* lost places are not given out again: it must say so */
				assert_non_null(strstr(mlxo_error_last()->text, "room"));
				break;
			}
			expect_packet_of(t, sa);
			if (old && mlxo_ipsec_sa_del(old) && kind[round % 3] == MLXO_FAULT_STATUS)
				assert_int_equal(mlxo_ipsec_sa_del(old), 0);
			expect_packet_of(t, sa);
			old = sa;
		}
		mlxo_model_fault_clear(dev);
		mlxo_ipsec_policy_del(policy);
		mlxo_ipsec_sa_flush(t->side[LEFT].ipsec, NULL);
		mlxo_secret_destroy(p.key);
	}
}

/* A refused command of a delete: the second try of the service overcomes it, and all is gone. */
static void a_refused_slot_writer_is_no_leak(void **state)
{
	struct two_nics *t = *state;
	struct mlxo_ipsec_policy_params pol = two_nics_policy(t, LEFT, MLXO_IPSEC_OUT);
	struct mlxo_ipsec_sa_params p = two_nics_sa(t, LEFT, MLXO_IPSEC_OUT, 20);
	struct mlxo_ipsec_policy *policy;
	uint64_t census;

	assert_int_equal(mlxo_ipsec_sa_add(t->side[LEFT].ipsec, &p, NULL), 0);
	mlxo_secret_destroy(p.key);
	census = two_nics_census(t->side[LEFT].dev);
	assert_int_equal(mlxo_ipsec_policy_add(t->side[LEFT].ipsec, &pol, &policy), 0);
	mlxo_model_fault_set(t->side[LEFT].dev, MLXO_FAULT_STATUS, 1,
			     PRM_CMD_OP_DEALLOC_MODIFY_HEADER_CONTEXT, PRM_CMD_STAT_BAD_PARAM_ERR,
			     1);
	mlxo_ipsec_policy_del(policy);
	assert_int_equal(two_nics_census(t->side[LEFT].dev), census);
}

static int setup(void **state)
{
	static struct two_nics t;

	two_nics_open(&t, "", "");
	*state = &t;
	return 0;
}

static int teardown(void **state)
{
	two_nics_close(*state);
	return 0;
}

#define T(test) cmocka_unit_test_setup_teardown(test, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		T(rekeys_never_end),
		T(rekeys_with_lost_answers),
		T(a_refused_slot_writer_is_no_leak),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
