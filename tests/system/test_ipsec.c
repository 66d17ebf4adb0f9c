// SPDX-License-Identifier: BSD-2-Clause
/*
 * The IPsec service on two models, back to back: frames of one channel come out of the other, protected on the wire.
 *
 *	left channel ─▶ policy, SA ─▶ pair ─▶ SA, status, policy ─▶ right channel
 */
#include "tests/lib/two_nics.h"

#include <errno.h>
#include <netinet/in.h>
#include <string.h>
#include <sys/socket.h>

static void expect_sent(struct two_nics *t, int side)
{
	assert_int_equal(two_nics_receive(t, side), 1);
	assert_int_equal(t->last.len, t->sent.n);
	assert_memory_equal(t->last.data, t->sent.b, t->sent.n);
}

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

/* Any frame of the selector, both families, both key sizes, through and through. */
static void families_and_keys(void **state)
{
	static const size_t key_len[] = {20, 36};
	static const int family[] = {AF_INET, AF_INET6};
	struct two_nics *t = *state;

	for (size_t f = 0; f < 2; f++)
		for (size_t k = 0; k < 2; k++) {
			struct mlxo_ipsec_sa_params out, in;
			struct mlxo_ipsec_policy_params pout;
			struct mlxo_ipsec_policy *policy;
			struct mlxo_ipsec_sa *a, *b;
			struct mlxo_ipsec_sa_info info;

			t->family = family[f];
			out = two_nics_sa(t, LEFT, MLXO_IPSEC_OUT, key_len[k]);
			in = two_nics_sa(t, LEFT, MLXO_IPSEC_IN, key_len[k]);
			pout = two_nics_policy(t, LEFT, MLXO_IPSEC_OUT);
			assert_int_equal(mlxo_ipsec_sa_add(t->side[LEFT].ipsec, &out, &a), 0);
			assert_int_equal(mlxo_ipsec_sa_add(t->side[RIGHT].ipsec, &in, &b), 0);
			assert_int_equal(mlxo_ipsec_policy_add(t->side[LEFT].ipsec, &pout, &policy),
					 0);
			for (size_t n = 0; n < 70; n++) {
				two_nics_send(t, LEFT, n % 2 ? IPPROTO_UDP : IPPROTO_TCP, 1, 2, n);
				expect_sent(t, RIGHT);
			}
			assert_int_equal(mlxo_ipsec_sa_query(b, &info), 0);
			assert_int_equal(info.packets, 70);
			assert_int_equal(info.key_bits, key_len[k] == 20 ? 128 : 256);
			assert_int_equal(mlxo_ipsec_policy_del(policy), 0);
			assert_int_equal(mlxo_ipsec_sa_del(a), 0);
			assert_int_equal(mlxo_ipsec_sa_del(b), 0);
			mlxo_secret_destroy(out.key);
			mlxo_secret_destroy(in.key);
		}
}

/* What is neither TCP nor UDP is protected, too, when the selector does not ask for a protocol. */
static void echo_is_protected(void **state)
{
	static const struct {
		int family;
		uint8_t proto, type;
		size_t head;
	} echo[] = {{AF_INET, IPPROTO_ICMP, 8, 34}, {AF_INET6, IPPROTO_ICMPV6, 128, 54}};
	struct two_nics *t = *state;

	for (size_t i = 0; i < 2; i++) {
		struct mlxo_ipsec_sa_info info;
		struct mlxo_ipsec_policy_info taken;

		t->family = echo[i].family;
		two_nics_protect(t, 0);
		for (size_t n = 8; n < 80; n += 7) {
			two_nics_frame(t, LEFT, echo[i].proto, 0, 0, n);
			t->sent.b[echo[i].head] = echo[i].type;
			two_nics_post(t, LEFT, &t->sent);
			expect_sent(t, RIGHT);
		}
		assert_int_equal(mlxo_ipsec_sa_query(t->side[RIGHT].in, &info), 0);
		assert_int_equal(info.packets, 11);
		assert_int_equal(mlxo_ipsec_policy_query(t->side[RIGHT].policy_in, &taken), 0);
		assert_int_equal(taken.packets, 11);
		assert_int_equal(taken.drop_unprotected, 0);
	}
}

/* A service without a channel decrypts and counts all the same, and has nobody to give the packets to. */
static void no_channel_is_a_counted_drop(void **state)
{
	struct two_nics *t = *state;
	struct nic_side *right = &t->side[RIGHT];
	struct mlxo_ipsec_opts opts = {.size = sizeof(opts), .rx_all = true};
	struct mlxo_ipsec_sa_params in = two_nics_sa(t, LEFT, MLXO_IPSEC_IN, 20);
	struct mlxo_ipsec_sa_info info;

	two_nics_protect(t, 0);
	mlxo_ipsec_close(right->ipsec);
	assert_int_equal(mlxo_ipsec_open(right->dev, &opts, &right->ipsec), 0);
	assert_int_equal(mlxo_ipsec_sa_add(right->ipsec, &in, &right->in), 0);
	mlxo_secret_destroy(in.key);
	two_nics_send(t, LEFT, IPPROTO_UDP, 1, 2, 10);
	assert_int_equal(two_nics_receive(t, RIGHT), 0);
	assert_int_equal(mlxo_ipsec_sa_query(right->in, &info), 0);
	assert_int_equal(info.packets, 1);
	assert_int_equal(two_nics_ipsec_stat(t, RIGHT, "rx_drop_no_channel"), 1);
}

/* The largest packet that info.usable_mtu promises fits the wire, one byte more does not. */
static void usable_mtu_is_exact(void **state)
{
	struct two_nics *t = *state;

	for (int v6 = 0; v6 < 2; v6++) {
		struct mlxo_ipsec_sa_info info;
		size_t head;

		t->family = v6 ? AF_INET6 : AF_INET;
		head = (v6 ? 40 : 20) + 8;
		two_nics_protect(t, 0);
		assert_int_equal(mlxo_ipsec_sa_query(t->side[LEFT].out, &info), 0);
		two_nics_send(t, LEFT, IPPROTO_UDP, 1, 2, info.usable_mtu - head);
		expect_sent(t, RIGHT);
		two_nics_send(t, LEFT, IPPROTO_UDP, 1, 2, info.usable_mtu - head + 1);
		assert_int_equal(two_nics_receive(t, RIGHT), 0);
		assert_int_equal(two_nics_model_stat(t, LEFT, "mtu"), v6 + 1);
	}
}

/* A16: a new SA starts with sequence number 1, and the explicit IV is the counter. */
static void first_sequence_number_is_1(void **state)
{
	struct two_nics *t = *state;
	const uint8_t seq[] = {0, 0, 0, 1}, iv[] = {0, 0, 0, 0, 0, 0, 0, 1};
	const uint8_t *esp = t->last.data + 14 + 20;

	two_nics_protect(t, 0);
	two_nics_listen(t, RIGHT);
	two_nics_send(t, LEFT, IPPROTO_UDP, 1, 2, 10);
	assert_int_equal(two_nics_receive(t, RIGHT), 1);
	assert_int_equal(t->last.data[14 + 9], 50);
	assert_memory_equal(esp + 4, seq, 4);
	assert_memory_equal(esp + 8, iv, 8);
}

/* -- frames that must not ----------------------------------------------------------------------------------- */

static void expect_dropped(struct two_nics *t, int side)
{
	assert_int_equal(two_nics_receive(t, side), 0);
}

static void no_state_is_a_drop(void **state)
{
	struct two_nics *t = *state;

	two_nics_protect(t, 0);
	assert_int_equal(mlxo_ipsec_sa_del(t->side[LEFT].out), 0);
	two_nics_send(t, LEFT, IPPROTO_UDP, 1, 2, 10);
	expect_dropped(t, RIGHT);
	assert_int_equal(two_nics_ipsec_stat(t, LEFT, "tx_drop_no_state"), 1);
	assert_int_equal(two_nics_model_stat(t, LEFT, "tx_packets"), 0);
}

static void wrong_spi_is_no_sa(void **state)
{
	struct two_nics *t = *state;
	struct mlxo_ipsec_sa_params p;

	two_nics_protect(t, 0);
	assert_int_equal(mlxo_ipsec_sa_del(t->side[LEFT].out), 0);
	p = two_nics_sa(t, LEFT, MLXO_IPSEC_OUT, 20);
	p.spi = 0x1001;
	assert_int_equal(mlxo_ipsec_sa_add(t->side[LEFT].ipsec, &p, NULL), 0);
	mlxo_secret_destroy(p.key);
	two_nics_send(t, LEFT, IPPROTO_UDP, 1, 2, 10);
	expect_dropped(t, RIGHT);
	assert_int_equal(two_nics_ipsec_stat(t, RIGHT, "rx_drop_no_sa"), 1);
}

static void wrong_key_is_auth(void **state)
{
	struct two_nics *t = *state;
	struct mlxo_ipsec_sa_params p;
	struct mlxo_ipsec_sa_info info;

	two_nics_protect(t, 0);
	assert_int_equal(mlxo_ipsec_sa_del(t->side[LEFT].out), 0);
	p = two_nics_sa(t, LEFT, MLXO_IPSEC_OUT, 36);
	assert_int_equal(mlxo_ipsec_sa_add(t->side[LEFT].ipsec, &p, NULL), 0);
	mlxo_secret_destroy(p.key);
	two_nics_send(t, LEFT, IPPROTO_UDP, 1, 2, 10);
	expect_dropped(t, RIGHT);
	assert_int_equal(mlxo_ipsec_sa_query(t->side[RIGHT].in, &info), 0);
	assert_int_equal(info.drop_auth, 1);
	assert_int_equal(info.drop_trailer + info.drop_selector, 0);
}

static void fragments_are_dropped_never_clear(void **state)
{
	struct two_nics *t = *state;
	struct mlxo_ipsec_policy_info info;
	struct frame f;

	two_nics_protect(t, IPPROTO_UDP);
	two_nics_frame(t, LEFT, IPPROTO_UDP, 1, 2, 64);
	for (int first = 0; first < 2; first++) {
		f = t->sent;
		f.b[14 + 6] = first ? 0x20 : 0x00;
		f.b[14 + 7] = first ? 0x00 : 0x08;
		two_nics_post(t, LEFT, &f);
		expect_dropped(t, RIGHT);
	}
	assert_int_equal(mlxo_ipsec_policy_query(t->side[LEFT].policy_out, &info), 0);
	assert_int_equal(info.drop_fragment, 2);
	assert_int_equal(two_nics_model_stat(t, LEFT, "tx_packets"), 0);
	/* a fragment of another protocol is none of this policy's business */
	two_nics_frame(t, LEFT, IPPROTO_TCP, 1, 2, 64);
	t->sent.b[14 + 6] = 0x20;
	two_nics_post(t, LEFT, &t->sent);
	assert_int_equal(two_nics_receive(t, RIGHT), 1);
}

static void fragments_of_ipv6_are_dropped_never_clear(void **state)
{
	struct two_nics *t = *state;
	struct mlxo_ipsec_policy_info info;

	t->family = AF_INET6;
	two_nics_protect(t, IPPROTO_UDP);
	frame_eth(&t->sent, 0x86dd);
	frame_ipv6(&t->sent, 44);
	frame_ext(&t->sent, IPPROTO_UDP, 8);
	t->sent.b[14 + 40 + 3] = 1; /* more fragments */
	frame_pattern(&t->sent, 64);
	frame_end(&t->sent);
	two_nics_post(t, LEFT, &t->sent);
	expect_dropped(t, RIGHT);
	assert_int_equal(mlxo_ipsec_policy_query(t->side[LEFT].policy_out, &info), 0);
	assert_int_equal(info.drop_fragment, 1);
}

/* What must be protected and arrives in clear, or by an SA that the template does not mean. */
static void clear_packets_of_the_selector_are_dropped(void **state)
{
	struct two_nics *t = *state;
	struct mlxo_ipsec_policy_info info;

	two_nics_protect(t, IPPROTO_UDP);
	assert_int_equal(mlxo_ipsec_policy_del(t->side[LEFT].policy_out), 0);
	two_nics_send(t, LEFT, IPPROTO_UDP, 1, 2, 10);
	expect_dropped(t, RIGHT);
	assert_int_equal(mlxo_ipsec_policy_query(t->side[RIGHT].policy_in, &info), 0);
	assert_int_equal(info.drop_unprotected, 1);
	two_nics_send(t, LEFT, IPPROTO_TCP, 1, 2, 10);
	expect_sent(t, RIGHT);
}

static void sa_selector_is_checked_inbound(void **state)
{
	struct two_nics *t = *state;
	struct mlxo_ipsec_sa_params p;
	struct mlxo_ipsec_sa_info info;
	struct mlxo_ipsec_sa *in;

	two_nics_protect(t, 0);
	assert_int_equal(mlxo_ipsec_sa_del(t->side[RIGHT].in), 0);
	p = two_nics_sa(t, LEFT, MLXO_IPSEC_IN, 20);
	p.sel.proto = IPPROTO_TCP;
	p.sel.dport = 443;
	assert_int_equal(mlxo_ipsec_sa_add(t->side[RIGHT].ipsec, &p, &in), 0);
	mlxo_secret_destroy(p.key);
	two_nics_send(t, LEFT, IPPROTO_TCP, 1, 444, 10);
	expect_dropped(t, RIGHT);
	two_nics_send(t, LEFT, IPPROTO_UDP, 1, 443, 10);
	expect_dropped(t, RIGHT);
	two_nics_send(t, LEFT, IPPROTO_TCP, 1, 443, 10);
	expect_sent(t, RIGHT);
	assert_int_equal(mlxo_ipsec_sa_query(in, &info), 0);
	assert_int_equal(info.drop_selector, 2);
	assert_int_equal(info.packets, 3);
}

/* -- policies ------------------------------------------------------------------------------------------------ */

static struct mlxo_ipsec_policy *add_policy(struct two_nics *t, uint32_t priority, uint8_t proto,
					    enum mlxo_ipsec_action action, unsigned int ntmpl)
{
	struct mlxo_ipsec_policy_params p = two_nics_policy(t, LEFT, MLXO_IPSEC_OUT);
	struct mlxo_ipsec_policy *policy = NULL;

	p.priority = priority;
	p.sel.proto = proto;
	p.action = action;
	p.ntmpl = ntmpl;
	assert_int_equal(mlxo_ipsec_policy_add(t->side[LEFT].ipsec, &p, &policy), 0);
	return policy;
}

static void lower_priority_number_wins(void **state)
{
	struct two_nics *t = *state;
	struct mlxo_ipsec_policy *all, *udp;
	struct mlxo_ipsec_policy_info info;

	all = add_policy(t, 20, 0, MLXO_IPSEC_BLOCK, 0);
	two_nics_send(t, LEFT, IPPROTO_UDP, 1, 2, 10);
	expect_dropped(t, RIGHT);
	udp = add_policy(t, 10, IPPROTO_UDP, MLXO_IPSEC_ALLOW, 0);
	two_nics_send(t, LEFT, IPPROTO_UDP, 1, 2, 10);
	expect_sent(t, RIGHT);
	two_nics_send(t, LEFT, IPPROTO_TCP, 1, 2, 10);
	expect_dropped(t, RIGHT);
	assert_int_equal(mlxo_ipsec_policy_query(all, &info), 0);
	assert_int_equal(info.packets, 2);
	assert_ptr_equal(mlxo_ipsec_policy_next(t->side[LEFT].ipsec, NULL), udp);
	assert_int_equal(mlxo_ipsec_policy_del(udp), 0);
	two_nics_send(t, LEFT, IPPROTO_UDP, 1, 2, 10);
	expect_dropped(t, RIGHT);
}

/* Always in front of the last one: gaps are used up, neighbours move, and precedence stays right all the time. */
static void hundreds_of_priorities_in_falling_order(void **state)
{
	struct two_nics *t = *state;

	for (uint32_t i = 0; i < 300; i++) {
		struct mlxo_ipsec_policy_params p = two_nics_policy(t, LEFT, MLXO_IPSEC_OUT);

		p.priority = 1000 - i;
		p.sel.proto = IPPROTO_UDP;
		p.sel.dport = i % 2 ? 0 : (uint16_t)(i + 1);
		p.sel.sport = i % 2 ? (uint16_t)(i + 1) : 0;
		p.action = i % 2 ? MLXO_IPSEC_ALLOW : MLXO_IPSEC_BLOCK;
		p.ntmpl = 0;
		assert_int_equal(mlxo_ipsec_policy_add(t->side[LEFT].ipsec, &p, NULL), 0);
		if (i < 2 || i % 10)
			continue;
		/* block of dport i+1 is newest, so it goes before the allow of sport i; the older block does not */
		two_nics_send(t, LEFT, IPPROTO_UDP, (uint16_t)i, (uint16_t)(i + 1), 10);
		expect_dropped(t, RIGHT);
		two_nics_send(t, LEFT, IPPROTO_UDP, (uint16_t)i, (uint16_t)(i - 1), 10);
		expect_sent(t, RIGHT);
	}
}

static void arp_and_neighbour_discovery_pass_a_block_all(void **state)
{
	struct two_nics *t = *state;
	struct mlxo_ipsec_policy_params p = {.size = sizeof(p),
					     .dir = MLXO_IPSEC_OUT,
					     .action = MLXO_IPSEC_BLOCK,
					     .offload = MLXO_IPSEC_PACKET};

	assert_int_equal(mlxo_ipsec_policy_add(t->side[LEFT].ipsec, &p, NULL), 0);
	frame_eth(&t->sent, 0x0806);
	frame_pattern(&t->sent, 46);
	frame_end(&t->sent);
	two_nics_post(t, LEFT, &t->sent);
	expect_sent(t, RIGHT);
	for (int type = 132; type <= 138; type++) {
		frame_eth(&t->sent, 0x86dd);
		frame_ipv6(&t->sent, IPPROTO_ICMPV6);
		frame_put8(&t->sent, (uint8_t)type);
		frame_put8(&t->sent, 0);
		frame_put16(&t->sent, 0);
		frame_pattern(&t->sent, 20);
		frame_end(&t->sent);
		two_nics_post(t, LEFT, &t->sent);
		assert_int_equal(two_nics_receive(t, RIGHT), type >= 133 && type <= 137);
	}
	two_nics_send(t, LEFT, IPPROTO_UDP, 1, 2, 10);
	expect_dropped(t, RIGHT);
}

/* Policy first, SA later; and the newest of two SAs for the same packets is used, until it goes. */
static void policy_before_sa_and_newest_sa_wins(void **state)
{
	struct two_nics *t = *state;
	struct mlxo_ipsec_sa_params p = two_nics_sa(t, LEFT, MLXO_IPSEC_OUT, 20);
	struct mlxo_ipsec_sa *sa[40];
	struct mlxo_ipsec_sa_info info;

	add_policy(t, 0, 0, MLXO_IPSEC_ALLOW, 1);
	for (uint32_t i = 0; i < 40; i++) {
		p.spi = 0x2000 + i;
		assert_int_equal(mlxo_ipsec_sa_add(t->side[LEFT].ipsec, &p, &sa[i]), 0);
		two_nics_send(t, LEFT, IPPROTO_UDP, 1, 2, 10);
		two_nics_receive(t, RIGHT);
		assert_int_equal(mlxo_ipsec_sa_query(sa[i], &info), 0);
		assert_int_equal(info.packets, 1);
	}
	assert_int_equal(mlxo_ipsec_sa_del(sa[39]), 0);
	two_nics_send(t, LEFT, IPPROTO_UDP, 1, 2, 10);
	two_nics_receive(t, RIGHT);
	assert_int_equal(mlxo_ipsec_sa_query(sa[38], &info), 0);
	assert_int_equal(info.packets, 2);
	mlxo_secret_destroy(p.key);
}

static uint64_t packets_of(struct mlxo_ipsec_sa *sa)
{
	struct mlxo_ipsec_sa_info info;

	assert_int_equal(mlxo_ipsec_sa_query(sa, &info), 0);
	return info.packets;
}

/*
 * A small table, three live SAs for the same packets, the oldest of which is replaced again and again: room in front is
 * used up, the others move, and the newest is used all the time; when it goes, the second newest.
 */
static void newest_wins_when_older_ones_moved(void **state)
{
	struct two_nics *t = *state;
	struct mlxo_ipsec_opts opts = {
		.size = sizeof(opts), .channel = t->side[LEFT].channel, .max_sa = 5};
	struct mlxo_ipsec_sa_params p = two_nics_sa(t, LEFT, MLXO_IPSEC_OUT, 20);
	struct mlxo_ipsec_sa *sa[3] = {NULL}, *newest;

	mlxo_ipsec_close(t->side[LEFT].ipsec);
	assert_int_equal(mlxo_ipsec_open(t->side[LEFT].dev, &opts, &t->side[LEFT].ipsec), 0);
	add_policy(t, 0, 0, MLXO_IPSEC_ALLOW, 1);
	for (uint32_t i = 0; i < 600; i++) {
		uint64_t before = i > 0 ? packets_of(sa[2]) : 0;

		p.spi = 0x2000 + i;
		assert_int_equal(mlxo_ipsec_sa_add(t->side[LEFT].ipsec, &p, &newest), 0);
		two_nics_send(t, LEFT, IPPROTO_UDP, 1, 2, 10);
		two_nics_receive(t, RIGHT);
		assert_int_equal(packets_of(newest), 1);
		if (sa[0]) {
			assert_int_equal(mlxo_ipsec_sa_del(newest), 0);
			two_nics_send(t, LEFT, IPPROTO_UDP, 1, 2, 10);
			two_nics_receive(t, RIGHT);
			assert_int_equal(packets_of(sa[2]), before + 1);
			assert_int_equal(mlxo_ipsec_sa_add(t->side[LEFT].ipsec, &p, &newest), 0);
			assert_int_equal(mlxo_ipsec_sa_del(sa[0]), 0);
		}
		memmove(sa, sa + 1, 2 * sizeof(sa[0]));
		sa[2] = newest;
	}
	mlxo_secret_destroy(p.key);
}

/* Two peers behind one policy: each packet gets the SA of its own destination, others none. */
static void one_reqid_two_destinations(void **state)
{
	struct two_nics *t = *state;
	struct mlxo_ipsec_sa_params p = two_nics_sa(t, LEFT, MLXO_IPSEC_OUT, 20);
	struct mlxo_ipsec_policy_params pol = two_nics_policy(t, LEFT, MLXO_IPSEC_OUT);
	struct mlxo_ipsec_sa *a, *b;
	struct mlxo_ipsec_sa_info ia, ib;

	pol.sel.dst_prefixlen = 24;
	assert_int_equal(mlxo_ipsec_policy_add(t->side[LEFT].ipsec, &pol, NULL), 0);
	assert_int_equal(mlxo_ipsec_sa_add(t->side[LEFT].ipsec, &p, &a), 0);
	p.dst.bytes[3] = 200;
	assert_int_equal(mlxo_ipsec_sa_add(t->side[LEFT].ipsec, &p, &b), 0);
	mlxo_secret_destroy(p.key);
	two_nics_send(t, LEFT, IPPROTO_UDP, 1, 2, 10);
	two_nics_frame(t, LEFT, IPPROTO_UDP, 1, 2, 10);
	t->sent.b[14 + 16 + 3] = 200;
	two_nics_post(t, LEFT, &t->sent);
	two_nics_post(t, LEFT, &t->sent);
	t->sent.b[14 + 16 + 3] = 201;
	two_nics_post(t, LEFT, &t->sent);
	two_nics_receive(t, RIGHT);
	assert_int_equal(mlxo_ipsec_sa_query(a, &ia), 0);
	assert_int_equal(mlxo_ipsec_sa_query(b, &ib), 0);
	assert_int_equal(ia.packets, 1);
	assert_int_equal(ib.packets, 2);
	assert_int_equal(two_nics_ipsec_stat(t, LEFT, "tx_drop_no_state"), 1);
}

/* -- limits and numbers ------------------------------------------------------------------------------------- */

/* The texts that an SA shows are its own: what the caller gave may be gone. */
static void shown_texts_outlive_the_caller(void **state)
{
	struct two_nics *t = *state;
	struct mlxo_ipsec_sa_params p = two_nics_sa(t, LEFT, MLXO_IPSEC_OUT, 20);
	struct mlxo_ipsec_sa_info info;
	char aead[] = "rfc4106(gcm(aes))", dev[] = "eth4";

	p.aead = aead;
	p.dev = dev;
	assert_int_equal(mlxo_ipsec_sa_add(t->side[LEFT].ipsec, &p, &t->side[LEFT].out), 0);
	mlxo_secret_destroy(p.key);
	memset(aead, 'x', sizeof(aead) - 1);
	memset(dev, 'x', sizeof(dev) - 1);
	assert_int_equal(mlxo_ipsec_sa_query(t->side[LEFT].out, &info), 0);
	assert_string_equal(info.params.aead, "rfc4106(gcm(aes))");
	assert_string_equal(info.params.dev, "eth4");
}

static void exact_repeat_exists_other_destination_does_not(void **state)
{
	struct two_nics *t = *state;
	struct mlxo_ipsec_sa_params p = two_nics_sa(t, LEFT, MLXO_IPSEC_OUT, 20);
	struct mlxo_ipsec_policy_params pol = two_nics_policy(t, LEFT, MLXO_IPSEC_OUT);

	assert_int_equal(mlxo_ipsec_sa_add(t->side[LEFT].ipsec, &p, NULL), 0);
	assert_int_equal(mlxo_ipsec_sa_add(t->side[LEFT].ipsec, &p, NULL), -EEXIST);
	assert_non_null(strstr(mlxo_error_last()->text, "exists"));
	p.dst.bytes[3]++;
	assert_int_equal(mlxo_ipsec_sa_add(t->side[LEFT].ipsec, &p, NULL), 0);
	assert_int_equal(mlxo_ipsec_policy_add(t->side[LEFT].ipsec, &pol, NULL), 0);
	assert_int_equal(mlxo_ipsec_policy_add(t->side[LEFT].ipsec, &pol, NULL), -EEXIST);
	mlxo_secret_destroy(p.key);
}

/* Lengths of addresses that are not given say nothing. */
static void selectors_without_addresses_are_the_same(void **state)
{
	struct two_nics *t = *state;
	struct mlxo_ipsec_policy_params p = {.size = sizeof(p),
					     .dir = MLXO_IPSEC_OUT,
					     .sel = {.src_prefixlen = 7, .dst_prefixlen = 9},
					     .offload = MLXO_IPSEC_PACKET};
	struct mlxo_ipsec_policy *policy;

	assert_int_equal(mlxo_ipsec_policy_add(t->side[LEFT].ipsec, &p, &policy), 0);
	p.sel.src_prefixlen = p.sel.dst_prefixlen = 0;
	assert_int_equal(mlxo_ipsec_policy_add(t->side[LEFT].ipsec, &p, NULL), -EEXIST);
	assert_ptr_equal(mlxo_ipsec_policy_find(t->side[LEFT].ipsec, MLXO_IPSEC_OUT, &p.sel, 0),
			 policy);
}

/* Options of a program built against a later release: what is not set there does not matter. */
static void longer_options_are_taken(void **state)
{
	struct two_nics *t = *state;
	struct {
		struct mlxo_ipsec_opts opts;
		uint64_t later;
	} o = {.opts = {.size = sizeof(o)}};

	mlxo_ipsec_close(t->side[LEFT].ipsec);
	o.later = 1;
	assert_int_equal(mlxo_ipsec_open(t->side[LEFT].dev, &o.opts, &t->side[LEFT].ipsec), -E2BIG);
	o.later = 0;
	assert_int_equal(mlxo_ipsec_open(t->side[LEFT].dev, &o.opts, &t->side[LEFT].ipsec), 0);
}

#define T(test) cmocka_unit_test_setup_teardown(test, two_nics_setup, two_nics_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		T(protected_both_ways),
		T(families_and_keys),
		T(echo_is_protected),
		T(no_channel_is_a_counted_drop),
		T(usable_mtu_is_exact),
		T(first_sequence_number_is_1),
		T(no_state_is_a_drop),
		T(wrong_spi_is_no_sa),
		T(wrong_key_is_auth),
		T(fragments_are_dropped_never_clear),
		T(fragments_of_ipv6_are_dropped_never_clear),
		T(clear_packets_of_the_selector_are_dropped),
		T(sa_selector_is_checked_inbound),
		T(lower_priority_number_wins),
		T(hundreds_of_priorities_in_falling_order),
		T(arp_and_neighbour_discovery_pass_a_block_all),
		T(policy_before_sa_and_newest_sa_wins),
		T(newest_wins_when_older_ones_moved),
		T(one_reqid_two_destinations),
		T(shown_texts_outlive_the_caller),
		T(exact_repeat_exists_other_destination_does_not),
		T(selectors_without_addresses_are_the_same),
		T(longer_options_are_taken),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
