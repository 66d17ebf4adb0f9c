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

/*
 * The same with a fault in what only an add does that finds no room: its first DELETE and its second SET. Whatever the
 * service makes of it, an SA that was added wins, and one that was not leaves nothing.
 */
static void rekey_with_fault(enum mlxo_fault kind, uint16_t op)
{
	static struct two_nics t;
	struct mlxo_ipsec_policy_params pol;
	struct mlxo_ipsec_sa_params p;
	struct mlxo_ipsec_sa *old = NULL, *sa;
	unsigned int failed = 0;
	uint64_t census;

	two_nics_open(&t, "", "");
	shrink(&t, LEFT);
	pol = two_nics_policy(&t, LEFT, MLXO_IPSEC_OUT);
	p = two_nics_sa(&t, LEFT, MLXO_IPSEC_OUT, 20);
	assert_int_equal(mlxo_ipsec_policy_add(t.side[LEFT].ipsec, &pol, NULL), 0);
	census = two_nics_census(t.side[LEFT].dev);
	for (p.spi = 0x1000; p.spi < 0x1000 + REKEYS / 4; p.spi++) {
		unsigned int nth = op == PRM_CMD_OP_DELETE_FLOW_TABLE_ENTRY ? 1 : 2;
		int err;

		mlxo_model_fault_set(t.side[LEFT].dev, kind, nth, op, PRM_CMD_STAT_BAD_PARAM_ERR,
				     1);
		err = mlxo_ipsec_sa_add(t.side[LEFT].ipsec, &p, &sa);
		mlxo_model_fault_clear(t.side[LEFT].dev);
		/* its rule may be there when the answer was lost, and then it wins, as it would have */
		if (err && old && !(kind == MLXO_FAULT_LOST && nth == 2))
			expect_packet_of(&t, old);
		if (err) {
			failed++;
			err = mlxo_ipsec_sa_add(t.side[LEFT].ipsec, &p, &sa);
		}
		if (err) { /* a rule of unknown fate stands at the lowest index */
			assert_int_equal(kind == MLXO_FAULT_STATUS, 0);
			assert_int_equal(err, -ENOSPC);
			assert_non_null(strstr(mlxo_error_last()->text, "no room"));
			break;
		}
		expect_packet_of(&t, sa);
		if (old)
			assert_int_equal(mlxo_ipsec_sa_del(old), 0);
		expect_packet_of(&t, sa);
		old = sa;
	}
	assert_in_range(failed, 1, 4);
	mlxo_ipsec_sa_flush(t.side[LEFT].ipsec, NULL);
	if (kind == MLXO_FAULT_STATUS)
		assert_int_equal(two_nics_census(t.side[LEFT].dev), census);
	mlxo_secret_destroy(p.key);
	two_nics_close(&t);
}

static void rekeys_with_faults(void **state)
{
	static const enum mlxo_fault kind[] = {MLXO_FAULT_STATUS, MLXO_FAULT_TIMEOUT,
					       MLXO_FAULT_LOST};

	(void)state;
	for (size_t i = 0; i < 3; i++) {
		rekey_with_fault(kind[i], PRM_CMD_OP_DELETE_FLOW_TABLE_ENTRY);
		rekey_with_fault(kind[i], PRM_CMD_OP_SET_FLOW_TABLE_ENTRY);
	}
}

/* A policy rule whose answer was lost still stands. The next policy of that selector must win, whatever it does. */
static void a_policy_wins_over_a_lost_one(void **state)
{
	struct two_nics *t = *state;

	for (int del = 0; del < 2; del++)
		for (uint32_t n = 1; n <= 2; n++)
			for (int way = 0; way < 2; way++) {
				struct mlxo_ipsec *ipsec = t->side[LEFT].ipsec;
				struct mlxo_ipsec_policy_params pol =
					two_nics_policy(t, LEFT, MLXO_IPSEC_OUT);
				struct mlxo_ipsec_policy *policy = NULL;
				struct mlxo_ipsec_policy_info info;

				pol.sel.dport = (uint16_t)(1000 + del * 100 + n * 10 + way);
				pol.sel.proto = IPPROTO_UDP;
				pol.priority = 5;
				pol.ntmpl = 0;
				pol.action = way ? MLXO_IPSEC_ALLOW : MLXO_IPSEC_BLOCK;
				if (del)
					assert_int_equal(
						mlxo_ipsec_policy_add(ipsec, &pol, &policy), 0);
				mlxo_model_fault_set(t->side[LEFT].dev, MLXO_FAULT_LOST, n,
						     del ? PRM_CMD_OP_DELETE_FLOW_TABLE_ENTRY
							 : PRM_CMD_OP_SET_FLOW_TABLE_ENTRY,
						     0, 0);
				if (del)
					mlxo_ipsec_policy_del(policy);
				else if (mlxo_ipsec_policy_add(ipsec, &pol, &policy) == 0)
					mlxo_ipsec_policy_del(policy);
				mlxo_model_fault_clear(t->side[LEFT].dev);
				pol.action = way ? MLXO_IPSEC_BLOCK : MLXO_IPSEC_ALLOW;
				assert_int_equal(mlxo_ipsec_policy_add(ipsec, &pol, &policy), 0);
				two_nics_send(t, LEFT, IPPROTO_UDP, 1, pol.sel.dport, 10);
				assert_int_equal(two_nics_receive(t, RIGHT), !way);
				assert_int_equal(mlxo_ipsec_policy_query(policy, &info), 0);
				assert_int_equal(info.packets, 1);
			}
}

/* The rule of a protecting policy that was lost: other criteria than those of the policy that comes later, same packets. */
static void later_policies_win_even_when_they_move(void **state)
{
	struct two_nics *t = *state;
	struct mlxo_ipsec *ipsec = t->side[LEFT].ipsec;
	struct mlxo_ipsec_policy_params pol = two_nics_policy(t, LEFT, MLXO_IPSEC_OUT), other;
	struct mlxo_ipsec_policy_info info;
	struct mlxo_ipsec_policy *policy;

	pol.priority = 5;
	mlxo_model_fault_set(t->side[LEFT].dev, MLXO_FAULT_LOST, 2, PRM_CMD_OP_SET_FLOW_TABLE_ENTRY,
			     0, 0);
	assert_int_equal(mlxo_ipsec_policy_add(ipsec, &pol, NULL), -ETIMEDOUT);
	two_nics_send(t, LEFT, IPPROTO_UDP, 1, 2, 10);
	assert_int_equal(two_nics_receive(t, RIGHT), 0); /* it is there */
	pol.ntmpl = 0;
	assert_int_equal(mlxo_ipsec_policy_add(ipsec, &pol, &policy), 0);
	/* room in front of it is used up, again and again */
	other = pol;
	other.priority = 4;
	other.action = MLXO_IPSEC_BLOCK;
	other.sel.proto = IPPROTO_TCP;
	for (uint16_t i = 1; i <= 200; i++) {
		other.sel.dport = i;
		assert_int_equal(mlxo_ipsec_policy_add(ipsec, &other, NULL), 0);
		two_nics_send(t, LEFT, IPPROTO_UDP, 1, 2, 10);
		assert_int_equal(two_nics_receive(t, RIGHT), 1);
		two_nics_send(t, LEFT, IPPROTO_TCP, 1, i, 10);
		assert_int_equal(two_nics_receive(t, RIGHT), 0);
	}
	assert_int_equal(mlxo_ipsec_policy_query(policy, &info), 0);
	assert_int_equal(info.packets, 200);
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

#define T(test) cmocka_unit_test_setup_teardown(test, two_nics_setup, two_nics_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		T(rekeys_never_end),
		cmocka_unit_test(rekeys_with_faults),
		T(a_policy_wins_over_a_lost_one),
		T(later_policies_win_even_when_they_move),
		T(a_refused_slot_writer_is_no_leak),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
