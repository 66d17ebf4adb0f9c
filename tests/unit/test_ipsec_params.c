// SPDX-License-Identifier: BSD-2-Clause
/*
 * Rules of SA and policy parameters: each refusal by its errno and the key words of its sentence, each reservation by
 * its line in the log, sizes of structs, and the arithmetic of overhead. Numbers A2…A19 are cases of the requirements.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <arpa/inet.h>
#include <errno.h>
#include <linux/udp.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include <mlx5_offload/error.h>

#include "offload/ipsec/params.h"

#define INF MLXO_IPSEC_UNLIMITED

static struct mlxo_secret *keys[MLXO_SECRET_MAX + 1]; /* by length */
static struct mlxo_ipsec_sa_params sa, sa_out;
static struct mlxo_ipsec_policy_params pol, pol_out;
static char warning[512];
static int warnings;

static void take_warning(void *ctx, enum mlxo_log_level level, const char *line)
{
	(void)ctx;
	if (level != MLXO_LOG_WARN)
		return;
	snprintf(warning, sizeof(warning), "%s", line);
	warnings++;
}

static struct mlxo_addr addr(const char *text)
{
	struct mlxo_addr a = {.family = strchr(text, ':') ? AF_INET6 : AF_INET};

	assert_int_equal(inet_pton(a.family, text, a.bytes), 1);
	return a;
}

/* Before each test: an SA and a policy that nobody objects to. */
static int good(void **state)
{
	(void)state;
	sa = (struct mlxo_ipsec_sa_params){
		.size = sizeof(sa),
		.src = addr("192.0.2.1"),
		.dst = addr("192.0.2.2"),
		.spi = 0x1000,
		.reqid = 8,
		.dir = MLXO_IPSEC_OUT,
		.offload = MLXO_IPSEC_PACKET,
		.aead = "rfc4106(gcm(aes))",
		.key = keys[20],
		.icv_bits = 128,
	};
	pol = (struct mlxo_ipsec_policy_params){
		.size = sizeof(pol),
		.dir = MLXO_IPSEC_OUT,
		.sel = {.src = addr("192.0.2.1"),
			.dst = addr("192.0.2.2"),
			.src_prefixlen = 32,
			.dst_prefixlen = 32},
		.ntmpl = 1,
		.tmpl = {.reqid = 8},
		.offload = MLXO_IPSEC_PACKET,
	};
	warnings = 0;
	warning[0] = 0;
	return 0;
}

static void accepted(void)
{
	int err = ipsec_sa_params_check(NULL, &sa, &sa_out);

	if (err)
		print_error("%s\n", mlxo_error_last()->text);
	assert_int_equal(err, 0);
}

static void sentence(int err, const char *words)
{
	const char *text = mlxo_error_last()->text;

	assert_int_equal(mlxo_error_last()->err, err);
	if (!strstr(text, words))
		fail_msg("\"%s\" is not in \"%s\"", words, text);
	assert_null(strchr(text, '\n'));
	assert_null(strstr(text, "4b4b4b")); /* bytes of our keys */
	assert_null(strstr(text, "KKK"));
}

static void refused_as(int err, const char *words)
{
	assert_int_equal(ipsec_sa_params_check(NULL, &sa, &sa_out), -err);
	sentence(err, words);
	assert_int_equal(warnings, 0); /* what is refused needs no warning */
}

static void refused(const char *words)
{
	refused_as(EINVAL, words);
}

static void not_yet(const char *words)
{
	refused_as(EOPNOTSUPP, "not in this release");
	sentence(EOPNOTSUPP, words);
}

static void warned(const char *words)
{
	warnings = 0;
	accepted();
	assert_int_equal(warnings, 1);
	if (!strstr(warning, words))
		fail_msg("\"%s\" is not in \"%s\"", words, warning);
	warnings = 0;
}

static void policy_accepted(void)
{
	int err = ipsec_policy_params_check(&pol, &pol_out);

	if (err)
		print_error("%s\n", mlxo_error_last()->text);
	assert_int_equal(err, 0);
}

static void policy_refused_as(int err, const char *words)
{
	assert_int_equal(ipsec_policy_params_check(&pol, &pol_out), -err);
	sentence(err, words);
}

static void policy_refused(const char *words)
{
	policy_refused_as(EINVAL, words);
}

/* -- form ---------------------------------------------------------------------------------------------------- */

static void defaults_are_filled(void **state)
{
	(void)state;
	sa.sel.proto = 6;
	sa.sel.dport = 443;
	sa.src.bytes[4] = sa.dst.bytes[15] = 9; /* behind the address */
	accepted();
	assert_int_equal(sa_out.proto, 50);
	assert_int_equal(sa_out.mode, MLXO_IPSEC_TRANSPORT);
	assert_int_equal(sa_out.src.bytes[4], 0);
	assert_int_equal(sa_out.dst.bytes[15], 0);
	assert_int_equal(sa_out.sel.src.family, 0); /* kept as given */
	assert_int_equal(sa_out.sel.dport, 443);
	assert_ptr_equal(sa_out.key, keys[20]);
	assert_int_equal(warnings, 0);
	policy_accepted();
	assert_int_equal(pol_out.tmpl.proto, 50);
	assert_int_equal(pol_out.tmpl.mode, MLXO_IPSEC_TRANSPORT);
}

static void sizes_of_structs(void **state)
{
	struct {
		struct mlxo_ipsec_sa_params p;
		uint64_t more;
	} newer;

	(void)state;
	sa.size = 0;
	refused("size 0");
	sa.size = sizeof(size_t) - 1;
	refused("size 7");
	sa.size = offsetof(struct mlxo_ipsec_sa_params, replay_window);
	sa.dir = MLXO_IPSEC_IN;
	sa.replay_window = 32; /* the older struct ends before it: not read */
	accepted();
	assert_int_equal(sa_out.replay_window, 0);
	assert_int_equal(sa_out.size, sizeof(sa));
	assert_int_equal(warnings, 0);

	memset(&newer, 0, sizeof(newer));
	memcpy(&newer.p, &sa, sizeof(sa));
	newer.p.size = sizeof(newer);
	assert_int_equal(ipsec_sa_params_check(NULL, &newer.p, &sa_out), 0);
	newer.more = 1;
	assert_int_equal(ipsec_sa_params_check(NULL, &newer.p, &sa_out), -E2BIG);
	sentence(E2BIG, "does not know");

	pol.size = 3;
	policy_refused("size 3");
	pol.size = offsetof(struct mlxo_ipsec_policy_params, dev);
	policy_accepted();
}

static void addresses(void **state)
{
	(void)state;
	sa.dst.family = 99;
	refused("dst of address family 99");
	sa.dst = (struct mlxo_addr){0};
	refused("dst is missing");
	sa.dst = addr("0.0.0.0");
	refused("dst is missing");
	sa.dst = addr("2001:db8::2");
	refused("src is IPv4 and dst is IPv6");
	good(NULL);
	sa.src = addr("0.0.0.0");
	refused("src is missing");
	sa.src = (struct mlxo_addr){0};
	refused("src is missing");
	sa.dir = MLXO_IPSEC_IN; /* the SA is found by dst and spi */
	accepted();
	sa.src.family = AF_UNIX;
	refused("src of address family 1");
}

static void selectors(void **state)
{
	(void)state;
	sa.sel.src = addr("192.0.2.1");
	sa.sel.src_prefixlen = 33;
	refused("sel src: prefix length 33, 0..32");
	sa.sel.src_prefixlen = 32;
	sa.sel.dst = addr("2001:db8::2");
	sa.sel.dst_prefixlen = 129;
	refused("sel dst: prefix length 129, 0..128");
	sa.sel.dst_prefixlen = 128;
	refused("sel src is IPv4 and sel dst is IPv6");
	sa.sel.dst.family = 7;
	refused("sel dst of address family 7");
	sa.sel.dst.family = 0;
	accepted();
	sa.sel.dport = 443;
	refused("sel dport 443 without proto");
	sa.sel.proto = 6;
	accepted();
	assert_int_equal(warnings, 0);
}

/* Prefixes of every length around the SA's address; one bit changed at the end of the prefix makes it foreign. */
static void selector_should_hold_the_addresses(void **state)
{
	(void)state;
	for (unsigned int len = 0; len <= 32; len++) {
		sa.sel.dst = sa.dst;
		sa.sel.dst_prefixlen = (uint8_t)len;
		accepted();
		assert_int_equal(warnings, 0);
		if (!len)
			continue;
		sa.sel.dst.bytes[(len - 1) / 8] ^= 0x80 >> (len - 1) % 8;
		warned("sel does not hold the SA's own addresses");
	}
	good(NULL);
	sa.sel.src = addr("192.0.3.1");
	sa.sel.src_prefixlen = 24;
	warned("sel does not hold");
}

/* -- the numbered cases ----------------------------------------------------------------------------------------- */

static void a2_only_packet_offload(void **state)
{
	(void)state;
	sa.offload = MLXO_IPSEC_CRYPTO;
	not_yet("use offload packet");
	sa.offload = 0;
	refused("offload 0: packet (2)");
	sa.offload = 3;
	refused("offload 3");
}

static void a3_esn_inbound_windows(void **state)
{
	static const uint32_t bad[] = {0, 1, 31, 33, 100, 255, 257, 4096},
			      ok[] = {32, 64, 128, 256};

	(void)state;
	sa.esn = true;
	sa.dir = MLXO_IPSEC_IN;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		sa.replay_window = bad[i];
		refused("32, 64, 128 and 256");
	}
	for (size_t i = 0; i < sizeof(ok) / sizeof(ok[0]); i++) {
		sa.replay_window = ok[i];
		not_yet("flag esn");
	}
}

static void a4_esn_outbound_ignores_the_window(void **state)
{
	static const uint32_t windows[] = {0, 1, 31, 32, 33, 64, 100, 128, 255, 256, 257, 4096};

	(void)state;
	for (size_t i = 0; i < sizeof(windows) / sizeof(windows[0]); i++) {
		sa.replay_window = windows[i];
		sa.esn = false;
		accepted();
		assert_int_equal(warnings, 0);
		sa.esn = true;
		not_yet("flag esn");
	}
}

static void replay_windows_are_kept_with_a_warning(void **state)
{
	(void)state;
	sa.dir = MLXO_IPSEC_IN;
	accepted();
	assert_int_equal(warnings, 0);
	sa.replay_window = 32;
	warned("replay protection is off in this release");
	assert_int_equal(sa_out.replay_window, 32);
	sa.replay_window = 0;
	sa.seq = 5;
	warned("replay protection is off in this release");
}

static void a5_icv(void **state)
{
	static const unsigned int bad[] = {0, 64, 96, 127, 129, 256};

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		sa.icv_bits = bad[i];
		refused("only 128 are allowed");
	}
}

static void a6_key_lengths(void **state)
{
	(void)state;
	for (size_t len = 1; len <= MLXO_SECRET_MAX; len++) {
		char words[64];

		sa.key = keys[len];
		snprintf(words, sizeof(words), "key of %zu bytes", len);
		if (len == 20 || len == 36)
			accepted();
		else
			refused(words);
	}
	sa.key = keys[28];
	refused("(AES-192): allowed are 20 (AES-128) and 36 (AES-256)");
	sa.key = NULL;
	refused("key is missing");
}

static void a7_only_aes_gcm_and_esp(void **state)
{
	(void)state;
	sa.has_auth = sa.has_enc = true;
	sa.aead = NULL;
	refused("auth: a separate authentication");
	sa.has_auth = false;
	refused("enc: a separate encryption");
	good(NULL);
	sa.has_comp = true;
	refused("comp: compressed");
	good(NULL);
	sa.proto = 51;
	refused("proto 51 (ah): only esp (50)");
	sa.proto = 108;
	refused("proto 108: only esp (50)");
	good(NULL);
	sa.aead = NULL;
	refused("aead is missing");
	sa.aead = "rfc4309(ccm(aes))";
	refused("aead 'rfc4309(ccm(aes))'");
}

static void a8_reqid(void **state)
{
	(void)state;
	sa.reqid = 0;
	refused("without reqid");
	sa.reqid = UINT32_MAX;
	accepted();
}

static void a9_upper_protocols(void **state)
{
	(void)state;
	for (unsigned int proto = 0; proto < 256; proto++) {
		sa.sel.proto = pol.sel.proto = (uint8_t)proto;
		if (proto == 0 || proto == 6 || proto == 17) {
			accepted();
			policy_accepted();
		} else {
			refused("only tcp (6) and udp (17)");
			policy_refused("only tcp (6) and udp (17)");
		}
	}
	sa.sel.proto = 6;
	sa.sel.sport = 443;
	accepted();
	assert_int_equal(sa_out.sel.sport, 443);
	sa.sel = (struct mlxo_selector){.proto = 17, .dport = 4791};
	accepted();
	assert_int_equal(sa_out.sel.dport, 4791);
}

static void a10_udp_encapsulation(void **state)
{
	(void)state;
	sa.encap_type = UDP_ENCAP_ESPINUDP;
	sa.encap_sport = sa.encap_dport = 4500;
	not_yet("encap espinudp");
	sa.mode = MLXO_IPSEC_TUNNEL;
	refused("mode transport only");
	sa.mode = MLXO_IPSEC_TRANSPORT;
	sa.offload = MLXO_IPSEC_CRYPTO;
	refused("offload packet only");
	sa.offload = MLXO_IPSEC_PACKET;
	sa.encap_type = UDP_ENCAP_ESPINUDP_NON_IKE;
	refused("(espinudp-nonike)");
	sa.encap_type = 7;
	refused("encap type 7");
	sa.encap_type = UDP_ENCAP_ESPINUDP;
	sa.encap_sport = 65535;
	sa.encap_dport = 0;
	refused("65535 0: ports 1..65535");
	sa.encap_sport = 0;
	sa.encap_dport = 65535;
	refused("0 65535: ports 1..65535");
}

static void a12_policies(void **state)
{
	(void)state;
	pol.ntmpl = 2;
	policy_refused("2 tmpl in one policy");
	good(NULL);
	pol.dir = MLXO_IPSEC_FWD;
	policy_refused("dir fwd");
	pol.dir = 0;
	policy_refused("dir 0");
	good(NULL);
	pol.tmpl.reqid = 0;
	policy_refused("tmpl without reqid");
	pol.sel = (struct mlxo_selector){0};
	policy_refused("reqid 0 with a selector of everything");
	good(NULL);
	pol.priority = UINT32_MAX;
	policy_refused("priority 4294967295");
	pol.priority--;
	policy_accepted();
	pol.offload = MLXO_IPSEC_CRYPTO;
	policy_refused("offload 1 (crypto) of a policy");
	pol.offload = 0;
	policy_refused("offload 0 of a policy");
}

static void a14_spis(void **state)
{
	(void)state;
	sa.spi = 0;
	refused("spi 0 never appears");
	sa.spi = 1;
	warned("spi 0x1 is in the range 1..255");
	sa.spi = 255;
	warned("spi 0xff is in the range 1..255");
	sa.spi = 256;
	accepted();
	sa.spi = UINT32_MAX;
	accepted();
	assert_int_equal(warnings, 0);
}

static void a15_first_numbers(void **state)
{
	(void)state;
	sa.oseq = UINT32_MAX;
	refused("replay-oseq 0xffffffff: no number follows");
	sa.oseq--;
	accepted();
	assert_int_equal(sa_out.oseq, UINT32_MAX - 1);
	sa.esn = true;
	sa.oseq = sa.oseq_hi = UINT32_MAX;
	refused("replay-oseq and replay-oseq-hi 0xffffffff");
	sa.esn = false;
	sa.oseq = 0;
	sa.oseq_hi = 1;
	refused("replay-oseq-hi 1 without flag esn");
	good(NULL);
	sa.seq = 5;
	refused("replay-seq 5");
	sa.seq = 0;
	sa.seq_hi = 5;
	refused("replay-seq-hi 5");
	good(NULL);
	sa.dir = MLXO_IPSEC_IN;
	sa.oseq = 5;
	refused("replay-oseq 5");
	sa.oseq = 0;
	sa.oseq_hi = 5;
	refused("replay-oseq-hi 5");
	sa.oseq_hi = 0;
	sa.seq_hi = 1;
	refused("replay-seq-hi 1 without flag esn");
	sa.seq_hi = 0;
	sa.seq = UINT32_MAX;
	refused("replay-seq 0xffffffff");
}

static void a17_limits(void **state)
{
	(void)state;
	sa.soft_packets = sa.hard_packets = sa.soft_bytes = sa.hard_bytes = INF;
	accepted();
	for (int bytes = 0; bytes < 2; bytes++) {
		uint64_t *soft = bytes ? &sa.soft_bytes : &sa.soft_packets;
		uint64_t *hard = bytes ? &sa.hard_bytes : &sa.hard_packets;
		const char *name = bytes ? "byte-soft 10" : "packet-soft 10";

		*hard = 100;
		*soft = 90;
		not_yet("limits");
		*soft = 100;
		refused("greater");
		refused(name);
		*soft = 101;
		refused(name);
		*soft = 0;
		not_yet("limits");
		*soft = 90;
		*hard = 0;
		not_yet("limits");
		*hard = INF;
		not_yet("limits");
		*soft = INF;
		*hard = 100;
		not_yet("limits");
		*soft = *hard = 0; /* none given */
		accepted();
	}
}

static void a18_ipv6_and_other_families(void **state)
{
	(void)state;
	sa.src = addr("2001:db8::1");
	sa.dst = addr("2001:db8::2");
	sa.sel = (struct mlxo_selector){.src = addr("2001:db8:1::"),
					.dst = addr("2001:db8:2::"),
					.src_prefixlen = 48,
					.dst_prefixlen = 64};
	warned("sel does not hold");
	sa.sel.src_prefixlen = sa.sel.dst_prefixlen = 32;
	accepted();
	assert_int_equal(warnings, 0);
	sa.sel.src = addr("192.0.2.0");
	sa.sel.dst.family = 0;
	refused("sel is IPv4 and the SA IPv6");
	sa.sel.dst = addr("192.0.2.0");
	sa.sel.src.family = 0;
	refused("sel is IPv4 and the SA IPv6");
	sa.mode = MLXO_IPSEC_TUNNEL;
	not_yet("mode tunnel");
}

static void a19_padding_and_modes(void **state)
{
	(void)state;
	sa.tfcpad = 1280;
	refused("tfcpad 1280");
	sa.tfcpad = 0;
	sa.mode = MLXO_IPSEC_BEET;
	refused("mode beet");
	sa.mode = 5; /* IPTFS of newer kernels */
	refused("mode 5");
}

static void directions(void **state)
{
	(void)state;
	sa.dir = MLXO_IPSEC_FWD;
	refused("dir fwd");
	sa.dir = 0;
	refused("dir 0");
	sa.dir = MLXO_IPSEC_IN;
	accepted();
}

/* -- templates ------------------------------------------------------------------------------------------------------ */

static void templates(void **state)
{
	(void)state;
	pol.tmpl.proto = 51;
	policy_refused("tmpl proto 51");
	good(NULL);
	pol.tmpl.mode = MLXO_IPSEC_BEET;
	policy_refused("tmpl mode 3 (beet)");
	pol.tmpl.mode = MLXO_IPSEC_TUNNEL;
	policy_refused_as(EOPNOTSUPP, "tmpl mode tunnel is not in this release");
	good(NULL);
	pol.tmpl.level_use = true;
	policy_refused("tmpl level use");
	good(NULL);
	pol.tmpl.src = addr("192.0.2.1");
	pol.tmpl.dst = addr("192.0.2.2");
	policy_accepted();
	pol.tmpl.dst = addr("2001:db8::2");
	policy_refused("tmpl dst is IPv6");
	pol.tmpl.dst.family = 9;
	policy_refused("tmpl dst of address family 9");
	pol.tmpl.src.family = 9;
	policy_refused("tmpl src of address family 9");
	good(NULL);
	pol.tmpl.spi = 0x1234;
	policy_refused("tmpl spi 0x1234: SAs are found by reqid, mode and proto");
}

static void policies_without_template(void **state)
{
	(void)state;
	pol.ntmpl = 0;
	pol.tmpl = (struct mlxo_ipsec_tmpl){.proto = 51, .level_use = true}; /* not looked at */
	pol.sel = (struct mlxo_selector){0};
	policy_accepted();
	pol.action = MLXO_IPSEC_BLOCK;
	policy_accepted();
	pol.action = 2;
	policy_refused("action 2");
}

static void policy_selectors(void **state)
{
	(void)state;
	pol.sel.dst = addr("2001:db8::2");
	policy_refused("sel src is IPv4 and sel dst is IPv6");
	good(NULL);
	pol.sel.dst_prefixlen = 33;
	policy_refused("sel dst: prefix length 33");
	good(NULL);
	pol.sel.sport = 1;
	policy_refused("sel sport 1 without proto");
}

/* -- what ESP adds ---------------------------------------------------------------------------------------------- */

/* Length on the wire of an IP packet of `len` bytes, counted by hand: payload, 0..3 of padding, two bytes, to a four. */
static unsigned int protected_len(unsigned int len, unsigned int ip)
{
	unsigned int n = len - ip + 2;

	while (n % 4)
		n++;
	return ip + 8 + 8 + n + 16;
}

static void overhead_is_the_worst_case(void **state)
{
	unsigned int worst = 0;

	(void)state;
	for (unsigned int len = 20; len < 200; len++)
		if (protected_len(len, 20) - len > worst)
			worst = protected_len(len, 20) - len;
	assert_int_equal(ipsec_overhead(AF_INET), worst);
	assert_int_equal(ipsec_overhead(AF_INET6), worst);
}

static void usable_mtu_is_exact(void **state)
{
	(void)state;
	for (unsigned int v6 = 0; v6 < 2; v6++) {
		unsigned int ip = v6 ? 40 : 20;

		for (unsigned int mtu = 0; mtu < 10000; mtu++) {
			unsigned int fits = ipsec_usable_mtu(mtu, v6 ? AF_INET6 : AF_INET);

			if (protected_len(ip, ip) > mtu) {
				assert_int_equal(fits, 0);
				continue;
			}
			assert_true(fits >= ip && protected_len(fits, ip) <= mtu);
			assert_true(protected_len(fits + 1, ip) > mtu);
		}
	}
	assert_int_equal(ipsec_usable_mtu(1500, AF_INET), 1466);
	assert_int_equal(ipsec_usable_mtu(1500, AF_INET6), 1466);
}

static int setup(void **state)
{
	uint8_t bytes[MLXO_SECRET_MAX];

	(void)state;
	memset(bytes, 'K', sizeof(bytes));
	for (size_t i = 1; i <= MLXO_SECRET_MAX; i++) {
		keys[i] = mlxo_secret_new(bytes, i);
		if (!keys[i])
			return -1;
	}
	mlxo_log_set(take_warning, NULL, MLXO_LOG_WARN);
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	mlxo_log_set(NULL, NULL, MLXO_LOG_ERROR);
	for (size_t i = 1; i <= MLXO_SECRET_MAX; i++)
		mlxo_secret_destroy(keys[i]);
	return 0;
}

#define TEST(f) cmocka_unit_test_setup(f, good)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(defaults_are_filled),
		TEST(sizes_of_structs),
		TEST(addresses),
		TEST(selectors),
		TEST(selector_should_hold_the_addresses),
		TEST(a2_only_packet_offload),
		TEST(a3_esn_inbound_windows),
		TEST(a4_esn_outbound_ignores_the_window),
		TEST(replay_windows_are_kept_with_a_warning),
		TEST(a5_icv),
		TEST(a6_key_lengths),
		TEST(a7_only_aes_gcm_and_esp),
		TEST(a8_reqid),
		TEST(a9_upper_protocols),
		TEST(a10_udp_encapsulation),
		TEST(a12_policies),
		TEST(a14_spis),
		TEST(a15_first_numbers),
		TEST(a17_limits),
		TEST(a18_ipv6_and_other_families),
		TEST(a19_padding_and_modes),
		TEST(directions),
		TEST(templates),
		TEST(policies_without_template),
		TEST(policy_selectors),
		TEST(overhead_is_the_worst_case),
		TEST(usable_mtu_is_exact),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
