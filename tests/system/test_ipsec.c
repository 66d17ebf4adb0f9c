// SPDX-License-Identifier: BSD-2-Clause
/*
 * The IPsec service on two models, back to back: frames of one channel come out of the other, protected on the wire.
 *
 *	left channel ─▶ policy, SA ─▶ pair ─▶ SA, status, policy ─▶ right channel
 */
#include "tests/lib/two_nics.h"

#include <netinet/in.h>

/* -- frames that must arrive ------------------------------------------------------------------------------- */

static void protected_both_ways(void **state)
{
	struct two_nics *t = *state;
	struct mlxo_ipsec_sa_info out, in;

	two_nics_protect(t, 0);
	for (int i = 0; i < 5; i++) {
		two_nics_send(t, LEFT, IPPROTO_UDP, 5000, 5001, 100);
		assert_int_equal(two_nics_receive(t, RIGHT), 1);
		assert_memory_equal(t->last.data, t->sent.b, t->sent.n);
		two_nics_send(t, RIGHT, IPPROTO_TCP, 80, 1025, 1300);
		assert_int_equal(two_nics_receive(t, LEFT), 1);
		assert_memory_equal(t->last.data, t->sent.b, t->sent.n);
	}
	assert_int_equal(mlxo_ipsec_sa_query(t->side[LEFT].out, &out), 0);
	assert_int_equal(mlxo_ipsec_sa_query(t->side[RIGHT].in, &in), 0);
	assert_int_equal(out.packets, 5);
	assert_int_equal(in.packets, 5);
	assert_null(out.params.key);
	assert_int_equal(two_nics_model_stat(t, LEFT, "encrypted_bytes") > 0, 1);
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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(protected_both_ways, setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
