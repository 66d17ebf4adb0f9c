// SPDX-License-Identifier: BSD-2-Clause
/*
 * The words of `ip xfrm`: what the tool makes of lines from how-to's, and what it refuses.
 *
 * The library's key functions are replaced: here it is only asked which of them is called, with what.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include <mlx5_offload/error.h>

#include "tools/xfrm.h"

static char key_from[128];
static struct mlxo_secret *const a_key = (struct mlxo_secret *)key_from;

struct mlxo_secret *mlxo_secret_from_hex(const char *text, size_t len)
{
	snprintf(key_from, sizeof(key_from), "hex %.*s", (int)len, text);
	return a_key;
}

struct mlxo_secret *mlxo_secret_from_file(const char *path)
{
	snprintf(key_from, sizeof(key_from), "file %s", path);
	return a_key;
}

struct mlxo_secret *mlxo_secret_from_fd(int fd)
{
	snprintf(key_from, sizeof(key_from), "fd %d", fd);
	return a_key;
}

void mlxo_secret_destroy(struct mlxo_secret *s)
{
}

const struct mlxo_error *mlxo_error_last(void)
{
	static const struct mlxo_error none;

	return &none;
}

static struct problem problem;
static char text[1024], *word[128];
static struct words words;

static struct words *line(const char *fmt, enum words_keys keys)
{
	words = (struct words){.word = word, .keys = keys, .problem = &problem};
	problem = (struct problem){0};
	key_from[0] = 0;
	snprintf(text, sizeof(text), "%s", fmt);
	for (char *w = strtok(text, " "); w; w = strtok(NULL, " "))
		word[words.n++] = w;
	return &words;
}

static struct xfrm_state state_of(const char *words_of_it)
{
	struct xfrm_state s;

	if (xfrm_state_parse(line(words_of_it, WORDS_KEYS_OK), &s))
		fail_msg("%s: %s", words_of_it, problem.text);
	return s;
}

static void state_refused(const char *words_of_it, const char *why)
{
	struct xfrm_state s;
	int rc = xfrm_state_parse(line(words_of_it, WORDS_KEYS_OK), &s);

	if (!rc || !strstr(problem.text, why))
		fail_msg("%s: %d %s, expected: %s", words_of_it, rc, problem.text, why);
	assert_int_equal(rc, problem.exit);
}

static struct xfrm_policy policy_of(const char *words_of_it)
{
	struct xfrm_policy p;

	if (xfrm_policy_parse(line(words_of_it, WORDS_KEYS_OK), &p, false))
		fail_msg("%s: %s", words_of_it, problem.text);
	return p;
}

static void policy_refused(const char *words_of_it, bool find, const char *why)
{
	struct xfrm_policy p;
	int rc = xfrm_policy_parse(line(words_of_it, WORDS_KEYS_OK), &p, find);

	if (!rc || !strstr(problem.text, why))
		fail_msg("%s: %d %s, expected: %s", words_of_it, rc, problem.text, why);
}

static void assert_addr(const struct mlxo_addr *a, const char *expected)
{
	char buf[64];

	assert_string_equal(inet_ntop(a->family, a->bytes, buf, sizeof(buf)), expected);
}

#define A1_BEGIN \
	"proto esp src 14.0.0.52 dst 14.0.0.70 spi 0x07 mode transport reqid 0x07 replay-window " \
	"32 " \
	"aead rfc4106(gcm(aes)) 0x44434241343332312423222114131211f4f3f2f1 128 " \
	"sel src 14.0.0.52/24 dst 14.0.0.70/24 proto tcp "

static void how_to_line(void **state)
{
	static const char *const prefixes[] = {"", "x s add ", "ip x s a ", "xfrm state add "};

	for (int i = 0; i < 4; i++) {
		char whole[512];
		struct xfrm_state s;

		snprintf(whole, sizeof(whole), "%s%soffload dev eth4 dir out", prefixes[i],
			 A1_BEGIN);
		s = state_of(whole);
		assert_addr(&s.params.src, "14.0.0.52");
		assert_addr(&s.params.dst, "14.0.0.70");
		assert_int_equal(s.params.proto, 50);
		assert_int_equal(s.params.spi, 7);
		assert_int_equal(s.params.reqid, 7);
		assert_int_equal(s.params.mode, MLXO_IPSEC_TRANSPORT);
		assert_int_equal(s.params.replay_window, 32);
		assert_string_equal(s.params.aead, "rfc4106(gcm(aes))");
		assert_int_equal(s.params.icv_bits, 128);
		assert_ptr_equal(s.params.key, a_key);
		assert_string_equal(key_from, "hex 0x44434241343332312423222114131211f4f3f2f1");
		assert_addr(&s.params.sel.src, "14.0.0.52");
		assert_int_equal(s.params.sel.src_prefixlen, 24);
		assert_addr(&s.params.sel.dst, "14.0.0.70");
		assert_int_equal(s.params.sel.dst_prefixlen, 24);
		assert_int_equal(s.params.sel.proto, 6);
		assert_int_equal(s.params.offload, MLXO_IPSEC_CRYPTO);
		assert_int_equal(s.params.dir, MLXO_IPSEC_OUT);
		assert_string_equal(s.params.dev, "eth4");
	}
}

static void offload_spellings(void **state)
{
	static const struct {
		const char *words;
		enum mlxo_ipsec_offload offload;
		enum mlxo_ipsec_dir dir;
	} forms[] = {
		{"offload dev eth0 dir out", MLXO_IPSEC_CRYPTO, MLXO_IPSEC_OUT},
		{"offload crypto dev eth0 dir out", MLXO_IPSEC_CRYPTO, MLXO_IPSEC_OUT},
		{"offload packet dev eth0 dir in", MLXO_IPSEC_PACKET, MLXO_IPSEC_IN},
		{"offload full dev eth0 dir out", MLXO_IPSEC_PACKET, MLXO_IPSEC_OUT},
		{"offload dir in dev eth0 packet", MLXO_IPSEC_PACKET, MLXO_IPSEC_IN},
		{"of packet dev eth0 dir out spi 9", MLXO_IPSEC_PACKET, MLXO_IPSEC_OUT},
	};

	for (size_t i = 0; i < sizeof(forms) / sizeof(*forms); i++) {
		struct xfrm_state s = state_of(forms[i].words);

		assert_int_equal(s.params.offload, forms[i].offload);
		assert_int_equal(s.params.dir, forms[i].dir);
		assert_string_equal(s.params.dev, "eth0");
	}
	state_refused("offload packet dev eth0", "dir in or dir out is missing");
	state_refused("offload packet dir out", "dev NAME is missing");
	state_refused("offload crypto packet dev eth0 dir out", "give one of them");
	state_refused("offload dev eth0 dir fwd", "dir: fwd is unknown");
	state_refused("offload dev eth0 dev eth1 dir in", "dev is given twice");
	state_refused("src 1.2.3.4", "offload is missing");
}

static void every_word_of_a_state(void **state)
{
	struct xfrm_state s = state_of(
		"src 2001:db8::1 dst 2001:db8::2 proto 50 spi 4294967295 mode tunnel reqid 010 seq "
		"3 "
		"replay-seq 1 replay-oseq 2 replay-seq-hi 3 replay-oseq-hi 4 flag esn af-unspec "
		"limit packet-soft 5 limit packet-hard 0x6 limit byte-soft 7 limit byte-hard 8 "
		"encap espinudp 4500 4501 0.0.0.0 tfcpad 9 enc cbc(aes) 0x01 auth-trunc "
		"hmac(sha256) 0x02 96 "
		"comp deflate sel src 2001:db8::/32 dst any proto udp sport 53 dport 0x35 "
		"offload packet dev eth0 dir in --once");
	const struct mlxo_ipsec_sa_params *p = &s.params;

	assert_int_equal(p->src.family, AF_INET6);
	assert_int_equal(p->spi, UINT32_MAX);
	assert_int_equal(p->reqid, 8);
	assert_int_equal(p->mode, MLXO_IPSEC_TUNNEL);
	assert_true(p->seq == 1 && p->oseq == 2 && p->seq_hi == 3 && p->oseq_hi == 4);
	assert_true(p->esn && p->has_enc && p->has_auth && p->has_comp && s.once);
	assert_true(p->soft_packets == 5 && p->hard_packets == 6);
	assert_true(p->soft_bytes == 7 && p->hard_bytes == 8);
	assert_true(p->encap_type == 2 && p->encap_sport == 4500 && p->encap_dport == 4501);
	assert_int_equal(p->tfcpad, 9);
	assert_int_equal(p->sel.src_prefixlen, 32);
	assert_int_equal(p->sel.dst.family, 0);
	assert_true(p->sel.proto == 17 && p->sel.sport == 53 && p->sel.dport == 53);
	assert_null(p->key);
}

static void states_that_are_refused(void **state)
{
	state_refused("src 1.2.3", "src: 1.2.3 is no IPv4 or IPv6 address");
	state_refused("src", "src: its value is missing");
	state_refused("src 1.2.3.4 src 1.2.3.4", "src is given twice");
	state_refused("proto tcp", "proto: tcp is unknown, allowed are esp");
	state_refused("proto 256", "proto: 256 is unknown");
	state_refused("spi 0x100000000", "spi: 0x100000000 is no number from 0 to 4294967295");
	state_refused("mode sideways", "mode: sideways is unknown");
	state_refused("mode ro", "Mobile IPv6");
	state_refused("replay-s 1", "replay-s is short for more than one word");
	state_refused("frobnicate", "unknown word frobnicate");
	state_refused("limit time-soft 3", "a device keeps no time");
	state_refused("limit", "limit: its value is missing");
	state_refused("flag align4", "flag align4 cannot be offloaded");
	state_refused("flag", "flag: allowed are esn");
	state_refused("mark 1", "mark cannot be offloaded");
	state_refused("encap espinhttp 1 2 0.0.0.0", "encap: espinhttp is unknown");
	state_refused("encap espinudp 1 65536 0.0.0.0", "destination port: 65536 is no number");
	state_refused("sel offload dev eth0", "sel: nothing follows");
	state_refused("sel src 1.2.3.4/33", "prefix length of 1.2.3.4 is no number from 0 to 32");
	state_refused("sel src ::1/129", "from 0 to 128");
	state_refused("sel proto tcp sport 0", "sport: 0 is no number from 1");
	state_refused("sel sport 53", "needs proto tcp");
	state_refused("sel proto icmp type 8", "type: a device rule cannot select by it");
	state_refused("sel src 1.2.3.4 dst ::1", "both be IPv4 or both be IPv6");
	state_refused("src 1.2.3.4 dst ::1 offload dev e dir in", "both be IPv4 or both be IPv6");
}

#define SECRET "0x44434241343332312423222114131211f4f3f2f1"

static void keys_on_argv_are_refused_and_wiped(void **state)
{
	static const char *const forms[] = {"aead rfc4106(gcm(aes)) " SECRET " 128",
					    "enc cbc(aes) " SECRET, "auth hmac(sha1) " SECRET};
	struct xfrm_state s;

	for (int i = 0; i < 3; i++) {
		assert_int_equal(xfrm_state_parse(line(forms[i], WORDS_KEYS_ARGV), &s), TOOL_USAGE);
		assert_non_null(strstr(problem.text, "every user of this host can read it"));
		assert_non_null(strstr(problem.text, "file PATH|fd N|stdin"));
		assert_null(strstr(problem.text, "4443"));
		assert_string_equal(key_from, "");
		assert_string_equal(words.word[2], "");
	}
	assert_int_equal(xfrm_state_parse(line(forms[0], WORDS_KEYS_OPEN), &s), TOOL_FAILED);
	assert_int_equal(problem.err, EACCES);
	assert_non_null(strstr(problem.text, "chmod 600"));
	assert_string_equal(words.word[2], "");
}

static void key_sources(void **state)
{
	struct xfrm_state s;

	assert_int_equal(
		xfrm_state_parse(line("aead n file /k 128 of dev e dir in", WORDS_KEYS_ARGV), &s),
		0);
	assert_string_equal(key_from, "file /k");
	assert_int_equal(
		xfrm_state_parse(line("aead n fd 3 128 of dev e dir in", WORDS_KEYS_ARGV), &s), 0);
	assert_string_equal(key_from, "fd 3");
	assert_int_equal(
		xfrm_state_parse(line("aead n stdin 128 of dev e dir in", WORDS_KEYS_ARGV), &s), 0);
	assert_string_equal(key_from, "fd 0");
	line("aead n stdin 128 of dev e dir in", WORDS_KEYS_OK);
	words.stdin_busy = true;
	assert_int_equal(xfrm_state_parse(&words, &s), TOOL_USAGE);
	assert_non_null(strstr(problem.text, "standard input is the batch itself"));
	/* The literal goes to the library as it stands, and is gone from the line. */
	state_of("aead n " SECRET " 128 of dev e dir in");
	assert_string_equal(key_from, "hex " SECRET);
	assert_string_equal(words.word[2], "");
	state_refused("aead " SECRET " 128", "aead: its name");
	state_refused("aea n " SECRET " 128", "unknown word aea");
	state_refused("aead n " SECRET " many", "ICV length in bits: many is no number");
	state_refused("aead n file " SECRET " 128", "aead: file takes a path, and that is a key");
	state_refused("sel src 1.2.3.4/" SECRET,
		      "prefix length of 1.2.3.4 is no number from 0 to 32");
	state_refused(SECRET, "unknown word (hidden)");
	state_refused("spi " SECRET, "spi: (hidden) is no number");
}

static void policies(void **state)
{
	struct xfrm_policy p =
		policy_of("x p add src 14.0.0.52/24 dst 14.0.0.70/24 proto tcp dport 443 dir out "
			  "priority 0x10 index 9 "
			  "action allow offload packet dev eth4 tmpl src 14.0.0.52 dst 14.0.0.70 "
			  "proto esp spi 7 "
			  "reqid 0x07 mode transport level required tmpl proto comp");

	assert_int_equal(p.params.dir, MLXO_IPSEC_OUT);
	assert_addr(&p.params.sel.src, "14.0.0.52");
	assert_int_equal(p.params.sel.dst_prefixlen, 24);
	assert_true(p.params.sel.proto == 6 && p.params.sel.dport == 443);
	assert_true(p.params.priority == 16 && p.params.index == 9);
	assert_int_equal(p.params.offload, MLXO_IPSEC_PACKET);
	assert_string_equal(p.params.dev, "eth4");
	assert_int_equal(p.params.ntmpl, 2);
	assert_addr(&p.params.tmpl.dst, "14.0.0.70");
	assert_true(p.params.tmpl.spi == 7 && p.params.tmpl.reqid == 7 &&
		    p.params.tmpl.proto == 50);
	assert_false(p.params.tmpl.level_use);

	p = policy_of("dir in action block");
	assert_int_equal(p.params.action, MLXO_IPSEC_BLOCK);
	assert_true(p.params.ntmpl == 0 && p.params.offload == MLXO_IPSEC_PACKET);
	p = policy_of("dst ::/0 dir fwd offload packet dev e");
	assert_int_equal(p.params.dir, MLXO_IPSEC_FWD);
	assert_true(p.params.sel.dst.family == AF_INET6 && p.params.sel.dst_prefixlen == 0);
	p = policy_of("dir in tmpl proto esp level use");
	assert_true(p.params.tmpl.level_use);
}

static void policies_that_are_refused(void **state)
{
	policy_refused("src 1.2.3.4", false, "dir in or dir out is missing");
	policy_refused("dir in offload dev e", false, "can only be offloaded with packet");
	policy_refused("dir in offload crypto dev e", false, "can only be offloaded with packet");
	policy_refused("dir in action drop", false, "action: allowed are allow and block");
	policy_refused("dir in ptype sub", false, "ptype:");
	policy_refused("dir in mark 3", false, "mark cannot be offloaded");
	policy_refused("dir in tmpl", false, "tmpl: nothing follows");
	policy_refused("dir in tmpl level hard", false, "level: allowed are");
	policy_refused("dir in tmpl proto esp proto esp", false, "proto is given twice");
	policy_refused("dir in src 1.2.3.4 src 1.2.3.4", false, "src is given twice");
	policy_refused("dir in src 1.2.3.4 dst ::1", false, "both be IPv4 or both be IPv6");
	policy_refused("dir in nonsense", false, "unknown word nonsense");
	policy_refused("dir in", true, "which policy?");
	policy_refused("dir in src any priority 3", true, "unknown word priority");
}

static bool matches(const char *filter_words, const struct mlxo_ipsec_sa_params *sa)
{
	struct xfrm_filter f;

	assert_int_equal(xfrm_filter_parse(line(filter_words, WORDS_KEYS_ARGV), &f), 0);
	assert_int_equal(f.any, filter_words[0] != 0);
	return xfrm_filter_match(&f, sa);
}

static void filters(void **state)
{
	struct xfrm_state s = state_of(A1_BEGIN "offload packet dev eth4 dir out");
	struct xfrm_filter f;

	assert_true(matches("", &s.params));
	assert_true(matches(
		"src 14.0.0.52 dst 14.0.0.70 proto esp spi 7 mode transport reqid 7 dir out",
		&s.params));
	assert_false(matches("src 14.0.0.53", &s.params));
	assert_false(matches("dst ::1", &s.params));
	assert_false(matches("proto ah", &s.params));
	assert_false(matches("spi 8", &s.params));
	assert_false(matches("reqid 8", &s.params));
	assert_false(matches("mode tunnel", &s.params));
	assert_false(matches("dir in", &s.params));
	assert_int_equal(xfrm_filter_parse(line("spi 1 spi 2", WORDS_KEYS_ARGV), &f), TOOL_USAGE);
	assert_int_equal(xfrm_filter_parse(line("offload", WORDS_KEYS_ARGV), &f), TOOL_USAGE);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(how_to_line),
		cmocka_unit_test(offload_spellings),
		cmocka_unit_test(every_word_of_a_state),
		cmocka_unit_test(states_that_are_refused),
		cmocka_unit_test(keys_on_argv_are_refused_and_wiped),
		cmocka_unit_test(key_sources),
		cmocka_unit_test(policies),
		cmocka_unit_test(policies_that_are_refused),
		cmocka_unit_test(filters),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
