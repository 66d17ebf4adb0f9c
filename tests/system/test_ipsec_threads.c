// SPDX-License-Identifier: BSD-2-Clause
/*
 * The IPsec service from several threads: two add, query and delete SAs and policies of their own while the main thread
 * sends and receives protected frames. Meant to be run under TSan, too.
 */
#include "tests/lib/two_nics.h"

#include <netinet/in.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

enum { CHURNERS = 2, ROUNDS = 150 };

struct churner {
	struct two_nics *t;
	struct mlxo_secret *key;
	uint8_t number;
	int failed; /* line of the first call that did not do what it should */
};

static atomic_int running;

static struct mlxo_ipsec_policy_params own_policy(const struct churner *c)
{
	struct mlxo_ipsec_policy_params p = two_nics_policy(c->t, LEFT, MLXO_IPSEC_OUT);

	p.sel.dst.bytes[0] = (uint8_t)(10 + c->number); /* nobody's traffic */
	p.priority = c->number;
	p.tmpl.reqid = 100u + c->number;
	return p;
}

static int round_of(struct churner *c, uint32_t i)
{
	struct mlxo_ipsec *ipsec = c->t->side[LEFT].ipsec;
	struct mlxo_ipsec_sa_params p =
		two_nics_sa_with_key(c->t, LEFT, i % 2 ? MLXO_IPSEC_OUT : MLXO_IPSEC_IN, c->key);
	struct mlxo_ipsec_policy_params pol = own_policy(c);
	struct mlxo_ipsec_sa_info info;
	struct mlxo_ipsec_policy *policy;
	struct mlxo_ipsec_sa *sa;
	struct mlxo_stat *stats;
	size_t n;

	p.dst.bytes[0] = (uint8_t)(10 + c->number);
	p.spi = 0x10000u * (c->number + 1u) + i;
	p.reqid = 100u + c->number;
	if (mlxo_ipsec_sa_add(ipsec, &p, &sa) || mlxo_ipsec_policy_add(ipsec, &pol, &policy))
		return __LINE__;
	if (mlxo_ipsec_sa_find(ipsec, &p.dst, p.spi, 0) != sa || mlxo_ipsec_sa_query(sa, &info) ||
	    info.packets != 0)
		return __LINE__;
	if (mlxo_ipsec_stats(ipsec, &stats, &n))
		return __LINE__;
	free(stats);
	if (mlxo_ipsec_policy_del(policy) || mlxo_ipsec_sa_del(sa))
		return __LINE__;
	return 0;
}

static void *churn(void *arg)
{
	struct churner *c = arg;

	for (uint32_t i = 0; i < ROUNDS && !c->failed; i++)
		c->failed = round_of(c, i);
	running--;
	return NULL;
}

/*
 * Another thread that waits for a command runs progress() of the device, too: it may hold the frame at the moment. It does
 * arrive.
 */
static void expect_one(struct two_nics *t, int side)
{
	int got = 0;

	for (int i = 0; i < 100000 && got == 0; i++) {
		got = two_nics_receive(t, side);
		sched_yield();
	}
	assert_int_equal(got, 1);
	assert_memory_equal(t->last.data, t->sent.b, t->sent.n);
}

static void traffic_flows_while_others_come_and_go(void **state)
{
	static struct two_nics t;
	struct churner c[CHURNERS];
	pthread_t thread[CHURNERS];
	unsigned int frames = 0;
	uint64_t census;

	(void)state;
	two_nics_open(&t, "", "");
	two_nics_protect(&t, 0);
	census = two_nics_census(t.side[LEFT].dev);
	running = CHURNERS;
	for (uint8_t i = 0; i < CHURNERS; i++) {
		c[i] = (struct churner){.t = &t, .number = i};
		c[i].key = two_nics_sa(&t, LEFT, MLXO_IPSEC_OUT, 20).key;
		assert_int_equal(pthread_create(&thread[i], NULL, churn, &c[i]), 0);
	}
	do {
		two_nics_send(&t, LEFT, IPPROTO_UDP, 1, 2, 100);
		expect_one(&t, RIGHT);
		two_nics_send(&t, RIGHT, IPPROTO_UDP, 1, 2, 100);
		expect_one(&t, LEFT);
		frames += 2;
	} while (running > 0 || frames < 100);
	for (int i = 0; i < CHURNERS; i++) {
		pthread_join(thread[i], NULL);
		assert_int_equal(c[i].failed, 0);
		mlxo_secret_destroy(c[i].key);
	}
	assert_int_equal(two_nics_census(t.side[LEFT].dev), census);
	print_message("[   INFO   ] %u frames meanwhile\n", frames);
	two_nics_close(&t);
}

/* Takes the outbound SA away and brings it back, again and again. */
static void *toggle(void *arg)
{
	struct churner *c = arg;
	struct nic_side *left = &c->t->side[LEFT];
	struct mlxo_ipsec_sa_params p = two_nics_sa_with_key(c->t, LEFT, MLXO_IPSEC_OUT, c->key);

	for (int i = 0; i < ROUNDS && !c->failed; i++)
		if (mlxo_ipsec_sa_del(left->out) || mlxo_ipsec_sa_add(left->ipsec, &p, &left->out))
			c->failed = __LINE__;
	running--;
	return NULL;
}

/* Each frame arrives protected or is counted as one without a state; none arrives in clear. */
static void nothing_leaves_in_clear_while_its_sa_comes_and_goes(void **state)
{
	static struct two_nics t;
	struct churner c = {.t = &t};
	struct mlxo_ipsec_policy_info info;
	uint64_t sent = 0, received = 0;
	pthread_t thread;

	(void)state;
	two_nics_open(&t, "", "");
	two_nics_protect(&t, 0);
	c.key = two_nics_sa(&t, LEFT, MLXO_IPSEC_OUT, 20).key;
	running = 1;
	assert_int_equal(pthread_create(&thread, NULL, toggle, &c), 0);
	do {
		two_nics_send(&t, LEFT, IPPROTO_UDP, 1, 2, 100);
		sent++;
		received += (uint64_t)two_nics_receive(&t, RIGHT);
	} while (sent < 1000 || (running > 0 && sent < 20000));
	pthread_join(thread, NULL);
	received += (uint64_t)two_nics_receive(&t, RIGHT);
	assert_int_equal(c.failed, 0);
	mlxo_secret_destroy(c.key);
	assert_int_equal(mlxo_ipsec_policy_query(t.side[RIGHT].policy_in, &info), 0);
	assert_int_equal(info.drop_unprotected, 0);
	assert_int_equal(received, info.packets);
	assert_int_equal(sent, received + two_nics_ipsec_stat(&t, LEFT, "tx_drop_no_state"));
	print_message("[   INFO   ] %lu frames, %lu protected\n", (unsigned long)sent,
		      (unsigned long)received);
	two_nics_close(&t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(traffic_flows_while_others_come_and_go),
		cmocka_unit_test(nothing_leaves_in_clear_while_its_sa_comes_and_goes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
