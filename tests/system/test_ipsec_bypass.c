// SPDX-License-Identifier: BSD-2-Clause
/*
 * Ways around a policy that must not work: fragments, which show no ports and, with IPv6, no protocol; and a source
 * address rewritten on the wire, which ESP in transport mode does not authenticate.
 */
#include "tests/lib/two_nics.h"

#include <netinet/in.h>
#include <string.h>
#include <sys/socket.h>

enum { ETH = 14, MORE_FRAGMENTS = 0x20, MIDDLE = 8 };

/* A fragment of UDP from LEFT; first: it holds the UDP header. */
static void fragment(struct two_nics *t, bool first)
{
	if (t->family == AF_INET6) {
		frame_eth(&t->sent, 0x86dd);
		frame_ipv6(&t->sent, 44);
		frame_ext(&t->sent, IPPROTO_UDP, 8);
		t->sent.b[ETH + 40 + 3] = first ? 1 : MIDDLE | 1;
		frame_udp(&t->sent, 1, 5001);
		frame_pattern(&t->sent, 64);
		frame_end(&t->sent);
	} else {
		two_nics_frame(t, LEFT, IPPROTO_UDP, 1, 5001, 64);
		t->sent.b[ETH + 6] = MORE_FRAGMENTS;
		t->sent.b[ETH + 7] = first ? 0 : MIDDLE;
	}
}

static int fragment_arrives(struct two_nics *t, bool first)
{
	fragment(t, first);
	two_nics_post(t, LEFT, &t->sent);
	return two_nics_receive(t, RIGHT);
}

static struct mlxo_ipsec_policy *add_policy(struct two_nics *t, int side, enum mlxo_ipsec_dir dir,
					    uint16_t dport, unsigned int ntmpl,
					    enum mlxo_ipsec_action action)
{
	struct mlxo_ipsec_policy_params p = two_nics_policy(t, LEFT, dir);
	struct mlxo_ipsec_policy *policy = NULL;

	p.sel.proto = IPPROTO_UDP;
	p.sel.dport = dport;
	p.ntmpl = ntmpl;
	p.action = action;
	assert_int_equal(mlxo_ipsec_policy_add(t->side[side].ipsec, &p, &policy), 0);
	return policy;
}

static struct mlxo_ipsec_policy_info info_of(struct mlxo_ipsec_policy *policy)
{
	struct mlxo_ipsec_policy_info info;

	assert_int_equal(mlxo_ipsec_policy_query(policy, &info), 0);
	return info;
}

/* Both families, with and without a port, first and later fragments: one policy each, nothing arrives. */
static void no_fragment_arrives(struct two_nics *t, int side, enum mlxo_ipsec_dir dir,
				unsigned int ntmpl, enum mlxo_ipsec_action action)
{
	static const int family[] = {AF_INET, AF_INET6};
	static const uint16_t dport[] = {0, 5001};

	for (size_t i = 0; i < 4; i++) {
		struct mlxo_ipsec_policy *policy;
		struct mlxo_ipsec_policy_info info;

		t->family = family[i / 2];
		assert_int_equal(fragment_arrives(t, true), 1);
		policy = add_policy(t, side, dir, dport[i % 2], ntmpl, action);
		assert_int_equal(fragment_arrives(t, true), 0);
		assert_int_equal(fragment_arrives(t, false), 0);
		info = info_of(policy);
		assert_int_equal(info.packets + info.drop_fragment + info.drop_unprotected, 2);
		/* what the selector does not mean passes */
		two_nics_send(t, LEFT, IPPROTO_TCP, 1, 5001, 10);
		assert_int_equal(two_nics_receive(t, RIGHT), 1);
		assert_int_equal(mlxo_ipsec_policy_del(policy), 0);
	}
}

static void clear_fragments_of_a_protected_selector(void **state)
{
	no_fragment_arrives(*state, RIGHT, MLXO_IPSEC_IN, 1, MLXO_IPSEC_ALLOW);
}

static void outbound_fragments_of_a_protected_selector(void **state)
{
	no_fragment_arrives(*state, LEFT, MLXO_IPSEC_OUT, 1, MLXO_IPSEC_ALLOW);
}

static void fragments_of_a_blocked_selector_inbound(void **state)
{
	no_fragment_arrives(*state, RIGHT, MLXO_IPSEC_IN, 0, MLXO_IPSEC_BLOCK);
}

static void fragments_of_a_blocked_selector_outbound(void **state)
{
	no_fragment_arrives(*state, LEFT, MLXO_IPSEC_OUT, 0, MLXO_IPSEC_BLOCK);
}

/* The SA has no selector, so it is for its own addresses: another source is not its peer. */
static void a_rewritten_source_address(void **state)
{
	static const int family[] = {AF_INET, AF_INET6};
	struct two_nics *t = *state;

	for (size_t i = 0; i < 2; i++) {
		struct mlxo_ipsec_sa_params p;
		struct mlxo_ipsec_sa_info info;
		struct mlxo_ipsec_sa *in;
		size_t last = i ? ETH + 8 + 15 : ETH + 12 + 3, csum = ETH + 11;

		t->family = family[i];
		p = two_nics_sa(t, LEFT, MLXO_IPSEC_IN, 20);
		assert_int_equal(mlxo_ipsec_sa_add(t->side[RIGHT].ipsec, &p, &in), 0);
		p.dir = MLXO_IPSEC_OUT;
		p.src.bytes[i ? 15 : 3] ^= 0x10; /* LEFT sends from there, with the same key */
		assert_int_equal(mlxo_ipsec_sa_add(t->side[LEFT].ipsec, &p, NULL), 0);
		mlxo_secret_destroy(p.key);
		{
			struct mlxo_ipsec_policy_params pol =
				two_nics_policy(t, LEFT, MLXO_IPSEC_OUT);

			pol.sel.src = p.src;
			assert_int_equal(mlxo_ipsec_policy_add(t->side[LEFT].ipsec, &pol, NULL), 0);
		}
		two_nics_frame(t, LEFT, IPPROTO_UDP, 1, 2, 10);
		t->sent.b[last] ^= 0x10;
		if (!i)
			t->sent.b[csum] ^= 0x10;
		two_nics_post(t, LEFT, &t->sent);
		assert_int_equal(two_nics_receive(t, RIGHT), 0);
		assert_int_equal(mlxo_ipsec_sa_query(in, &info), 0);
		assert_int_equal(info.packets, 1);
		assert_int_equal(info.drop_selector, 1);
	}
}

#define T(test) cmocka_unit_test_setup_teardown(test, two_nics_setup, two_nics_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		T(clear_fragments_of_a_protected_selector),
		T(outbound_fragments_of_a_protected_selector),
		T(fragments_of_a_blocked_selector_inbound),
		T(fragments_of_a_blocked_selector_outbound),
		T(a_rewritten_source_address),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
