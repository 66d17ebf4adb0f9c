// SPDX-License-Identifier: BSD-2-Clause
/*
 * `ip xfrm state add` and the filters of `list` and `delete`.
 *
 *   ID [ALGO …] [mode M] [reqid R] [replay-window N] [flag F …] [sel SELECTOR] [limit L] … offload … dev D dir DIR
 *
 * One table, a function per word. Words may be abbreviated as long as they stay unique.
 */
#include "tools/xfrm.h"

#include <linux/udp.h>
#include <string.h>
#include <sys/socket.h>

#include "tools/key.h"

/* AGAIN: may be given more than once. WHOLE: never abbreviated, a key follows (words_is_key). */
enum { AGAIN = 1 << 0, WHOLE = 1 << 1 };

struct state_word {
	const char *word;
	unsigned int how;
	int (*take)(struct words *w, struct xfrm_state *s, const char *word);
};

static int take_u32(struct words *w, const char *word, uint32_t *value)
{
	uint64_t number;
	int rc = words_number(w, word, 0, UINT32_MAX, &number);

	if (!rc)
		*value = (uint32_t)number;
	return rc;
}

static int take_src(struct words *w, struct xfrm_state *s, const char *word)
{
	return xfrm_take_addr(w, word, &s->params.src);
}

static int take_dst(struct words *w, struct xfrm_state *s, const char *word)
{
	return xfrm_take_addr(w, word, &s->params.dst);
}

static int take_proto(struct words *w, struct xfrm_state *s, const char *word)
{
	return xfrm_take_proto(w, &s->params.proto);
}

static int take_spi(struct words *w, struct xfrm_state *s, const char *word)
{
	return take_u32(w, word, &s->params.spi);
}

static int take_mode(struct words *w, struct xfrm_state *s, const char *word)
{
	return xfrm_take_mode(w, &s->params.mode);
}

static int take_reqid(struct words *w, struct xfrm_state *s, const char *word)
{
	return take_u32(w, word, &s->params.reqid);
}

static int take_window(struct words *w, struct xfrm_state *s, const char *word)
{
	return take_u32(w, word, &s->params.replay_window);
}

static int take_replay_seq(struct words *w, struct xfrm_state *s, const char *word)
{
	return take_u32(w, word, &s->params.seq);
}

static int take_replay_oseq(struct words *w, struct xfrm_state *s, const char *word)
{
	return take_u32(w, word, &s->params.oseq);
}

static int take_replay_seq_hi(struct words *w, struct xfrm_state *s, const char *word)
{
	return take_u32(w, word, &s->params.seq_hi);
}

static int take_replay_oseq_hi(struct words *w, struct xfrm_state *s, const char *word)
{
	return take_u32(w, word, &s->params.oseq_hi);
}

static int take_tfcpad(struct words *w, struct xfrm_state *s, const char *word)
{
	return take_u32(w, word, &s->params.tfcpad);
}

static int take_sel(struct words *w, struct xfrm_state *s, const char *word)
{
	return xfrm_take_selector(w, &s->params.sel);
}

static int take_offload(struct words *w, struct xfrm_state *s, const char *word)
{
	return xfrm_take_offload(w, &s->params.offload, &s->params.dev, &s->params.dir);
}

static int take_once(struct words *w, struct xfrm_state *s, const char *word)
{
	s->once = true;
	return 0;
}

/* -- algorithms -- */

static int take_aead(struct words *w, struct xfrm_state *s, const char *word)
{
	uint64_t icv;
	char *name;
	int rc = words_value(w, word, &name);

	if (!rc && words_show(name) != name)
		return problem_usage(w->problem,
				     "aead: its name, such as 'rfc4106(gcm(aes))', is missing");
	if (!rc)
		rc = key_take(w, word, &s->params.key);
	if (!rc)
		rc = words_number(w, "aead: ICV length in bits", 0, UINT16_MAX, &icv);
	if (rc)
		return rc;
	s->params.aead = name;
	s->params.icv_bits = (unsigned int)icv;
	return 0;
}

/* enc and auth: the library refuses them; their keys are not even read. */
static int take_algorithm(struct words *w, const char *word, bool *given)
{
	char *name;
	int rc = words_value(w, word, &name);

	*given = true;
	return rc ? rc : key_take(w, word, /* key */ NULL);
}

static int take_enc(struct words *w, struct xfrm_state *s, const char *word)
{
	return take_algorithm(w, word, &s->params.has_enc);
}

static int take_auth(struct words *w, struct xfrm_state *s, const char *word)
{
	return take_algorithm(w, word, &s->params.has_auth);
}

static int take_auth_trunc(struct words *w, struct xfrm_state *s, const char *word)
{
	uint32_t bits;
	int rc = take_algorithm(w, word, &s->params.has_auth);

	return rc ? rc : take_u32(w, "auth-trunc: length in bits", &bits);
}

static int take_comp(struct words *w, struct xfrm_state *s, const char *word)
{
	char *name;

	s->params.has_comp = true;
	return words_value(w, word, &name);
}

/* -- lists -- */

struct flag {
	const char *name;
	bool refused;
};

static int take_flag(struct words *w, struct xfrm_state *s, const char *word)
{
	/* af-unspec: the selector's family is free; in transport mode it can only be the SA's. */
	static const struct flag flags[] = {
		{"esn", false},	      {"af-unspec", false}, {"noecn", true},
		{"decap-dscp", true}, {"nopmtudisc", true}, {"wildrecv", true},
		{"icmp", true},	      {"align4", true},	    {NULL, false},
	};
	int taken = 0;

	for (const char *name = words_peek(w); name; name = words_peek(w), taken++) {
		int i = words_lookup(name, flags, sizeof(*flags), /* exact */ true);

		if (i < 0)
			break;
		if (flags[i].refused)
			return problem_usage(
				w->problem,
				"flag %s cannot be offloaded, allowed are esn and af-unspec", name);
		s->params.esn |= i == 0;
		w->at++;
	}
	return taken ? 0 : problem_usage(w->problem, "flag: allowed are esn and af-unspec");
}

static int take_limit(struct words *w, struct xfrm_state *s, const char *word)
{
	struct limit {
		const char *name;
		uint64_t *to;
	} limits[] = {
		{"packet-soft", &s->params.soft_packets},
		{"packet-hard", &s->params.hard_packets},
		{"byte-soft", &s->params.soft_bytes},
		{"byte-hard", &s->params.hard_bytes},
		{"time-soft", NULL},
		{"time-hard", NULL},
		{"time-use-soft", NULL},
		{"time-use-hard", NULL},
		{NULL, NULL},
	};
	char *name;
	int i, rc = words_value(w, word, &name);

	if (rc)
		return rc;
	i = words_lookup(name, limits, sizeof(*limits), /* exact */ true);
	if (i < 0)
		return problem_usage(w->problem,
				     "limit: %s is unknown, allowed are packet-soft, packet-hard, "
				     "byte-soft, byte-hard",
				     words_show(name));
	if (!limits[i].to)
		return problem_usage(w->problem,
				     "limit %s: a device keeps no time, allowed are packet-soft, "
				     "packet-hard, byte-soft, byte-hard",
				     name);
	return words_number(w, name, 0, UINT64_MAX, limits[i].to);
}

struct encap {
	const char *name;
	uint16_t type;
};

static int take_encap(struct words *w, struct xfrm_state *s, const char *word)
{
	static const struct encap types[] = {{"espinudp", UDP_ENCAP_ESPINUDP},
					     {"espinudp-nonike", UDP_ENCAP_ESPINUDP_NON_IKE},
					     {"espintcp", 7 /* TCP_ENCAP_ESPINTCP */},
					     {NULL, 0}};
	struct mlxo_addr original; /* the kernel does not use it either */
	uint64_t sport, dport;
	char *name;
	int i, rc = words_value(w, word, &name);

	if (rc)
		return rc;
	i = words_lookup(name, types, sizeof(*types), /* exact */ true);
	if (i < 0)
		return problem_usage(
			w->problem,
			"encap: %s is unknown, known are espinudp, espinudp-nonike, espintcp",
			words_show(name));
	rc = words_number(w, "encap: source port", 0, UINT16_MAX, &sport);
	if (!rc)
		rc = words_number(w, "encap: destination port", 0, UINT16_MAX, &dport);
	if (!rc)
		rc = xfrm_take_addr(w, "encap: original address", &original);
	if (rc)
		return rc;
	s->params.encap_type = types[i].type;
	s->params.encap_sport = (uint16_t)sport;
	s->params.encap_dport = (uint16_t)dport;
	return 0;
}

/* -- words without a meaning for a device -- */

static int take_seq(struct words *w, struct xfrm_state *s, const char *word)
{
	uint32_t number; /* names a request of a key manager, which is not asked here */

	return take_u32(w, word, &number);
}

static int refuse(struct words *w, struct xfrm_state *s, const char *word)
{
	return problem_usage(w->problem,
			     "%s cannot be offloaded: the device has no place for it, leave it out",
			     word);
}

static const struct state_word state_words[] = {
	{"src", 0, take_src},
	{"dst", 0, take_dst},
	{"proto", 0, take_proto},
	{"spi", 0, take_spi},
	{"mode", 0, take_mode},
	{"reqid", 0, take_reqid},
	{"replay-window", 0, take_window},
	{"aead", WHOLE, take_aead},
	{"enc", WHOLE, take_enc},
	{"auth", WHOLE, take_auth},
	{"auth-trunc", WHOLE, take_auth_trunc},
	{"comp", 0, take_comp},
	{"sel", 0, take_sel},
	{"offload", 0, take_offload},
	{"flag", 0, take_flag},
	{"limit", AGAIN, take_limit},
	{"encap", 0, take_encap},
	{"tfcpad", 0, take_tfcpad},
	{"seq", 0, take_seq},
	{"replay-seq", 0, take_replay_seq},
	{"replay-oseq", 0, take_replay_oseq},
	{"replay-seq-hi", 0, take_replay_seq_hi},
	{"replay-oseq-hi", 0, take_replay_oseq_hi},
	{"mark", 0, refuse},
	{"output-mark", 0, refuse},
	{"if_id", 0, refuse},
	{"coa", 0, refuse},
	{"ctx", 0, refuse},
	{"extra-flag", 0, refuse},
	{"--once", AGAIN, take_once},
	{NULL, 0, NULL},
};

static int unknown(struct words *w, const char *word, int found)
{
	if (found == -2)
		return problem_usage(w->problem, "%s is short for more than one word", word);
	return problem_usage(w->problem, "unknown word %s", words_show(word));
}

static int state_check(struct words *w, const struct xfrm_state *s)
{
	const struct mlxo_ipsec_sa_params *p = &s->params;

	if (!p->offload)
		return problem_usage(w->problem,
				     "offload is missing: offload packet dev NAME dir in|out");
	if (p->src.family && p->dst.family && p->src.family != p->dst.family)
		return problem_usage(w->problem, "src and dst must both be IPv4 or both be IPv6");
	return 0;
}

int xfrm_state_parse(struct words *w, struct xfrm_state *s)
{
	memset(s, 0, sizeof(*s));
	s->params.size = sizeof(s->params);
	xfrm_skip_command(w, "state", "add");
	for (const char *word = words_peek(w); word; word = words_peek(w)) {
		int rc, i = words_lookup(word, state_words, sizeof(*state_words),
					 /* exact */ false);

		if (i < 0 || (state_words[i].how & WHOLE && strcmp(word, state_words[i].word) != 0))
			return unknown(w, word, i);
		if (s->given & 1ull << i && !(state_words[i].how & AGAIN))
			return xfrm_duplicate(w, state_words[i].word);
		s->given |= 1ull << i;
		w->at++;
		rc = state_words[i].take(w, s, state_words[i].word);
		if (rc)
			return rc;
	}
	return state_check(w, s);
}

void xfrm_state_fini(struct xfrm_state *s)
{
	mlxo_secret_destroy(s->params.key);
	s->params.key = NULL;
}

/* -- filters -- */

static int filter_take(struct words *w, struct xfrm_filter *f, int word)
{
	switch (word) {
	case 0: return xfrm_take_addr(w, "src", &f->src);
	case 1: return xfrm_take_addr(w, "dst", &f->dst);
	case 2: return xfrm_take_proto(w, &f->proto);
	case 3: return take_u32(w, "spi", &f->spi);
	case 4: return xfrm_take_mode(w, &f->mode);
	case 5: return take_u32(w, "reqid", &f->reqid);
	default: return xfrm_take_dir(w, /* fwd */ false, &f->dir);
	}
}

int xfrm_filter_parse(struct words *w, struct xfrm_filter *f)
{
	static const char *const words[] = {"src",  "dst",   "proto", "spi",
					    "mode", "reqid", "dir",   NULL};
	unsigned int given = 0;
	int i, rc = 0;

	memset(f, 0, sizeof(*f));
	for (const char *word = words_peek(w); word && !rc; word = words_peek(w)) {
		i = words_lookup(word, words, sizeof(*words), /* exact */ false);
		if (i < 0)
			return unknown(w, word, i);
		if (given & 1u << i)
			return xfrm_duplicate(w, words[i]);
		given |= 1u << i;
		w->at++;
		rc = filter_take(w, f, i);
	}
	f->any = given != 0;
	return rc;
}

static bool addr_match(const struct mlxo_addr *want, const struct mlxo_addr *addr)
{
	return !want->family || (want->family == addr->family &&
				 !memcmp(want->bytes, addr->bytes, sizeof(want->bytes)));
}

bool xfrm_filter_match(const struct xfrm_filter *f, const struct mlxo_ipsec_sa_params *sa)
{
	const uint8_t proto = sa->proto ? sa->proto : 50;
	const enum mlxo_ipsec_mode mode = sa->mode ? sa->mode : MLXO_IPSEC_TRANSPORT;

	return addr_match(&f->src, &sa->src) && addr_match(&f->dst, &sa->dst) &&
	       (!f->proto || f->proto == proto) && (!f->spi || f->spi == sa->spi) &&
	       (!f->reqid || f->reqid == sa->reqid) && (!f->mode || f->mode == mode) &&
	       (!f->dir || f->dir == sa->dir);
}
