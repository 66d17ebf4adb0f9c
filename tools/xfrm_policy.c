// SPDX-License-Identifier: BSD-2-Clause
/*
 * `ip xfrm policy add` and `delete`.
 *
 *   SELECTOR dir DIR [index I] [action allow|block] [priority P] [offload packet dev D] [tmpl ID mode M reqid R] …
 *
 * A template takes the words that follow it up to the first one that is none of its own, as in iproute2; a selector
 * therefore stands in front of it.
 */
#include "tools/xfrm.h"

#include <string.h>

struct policy_word {
	const char *word;
	bool again, find; /* may be given more than once; may be given to find a policy */
	int (*take)(struct words *w, struct xfrm_policy *p, const char *word);
};

static int take_u32(struct words *w, const char *word, uint32_t *value)
{
	uint64_t number;
	int rc = words_number(w, word, 0, UINT32_MAX, &number);

	if (!rc)
		*value = (uint32_t)number;
	return rc;
}

static int take_dir(struct words *w, struct xfrm_policy *p, const char *word)
{
	return xfrm_take_dir(w, /* fwd */ true, &p->params.dir);
}

static int take_index(struct words *w, struct xfrm_policy *p, const char *word)
{
	return take_u32(w, word, &p->params.index);
}

static int take_priority(struct words *w, struct xfrm_policy *p, const char *word)
{
	return take_u32(w, word, &p->params.priority);
}

static int take_action(struct words *w, struct xfrm_policy *p, const char *word)
{
	if (words_take(w, "allow"))
		p->params.action = MLXO_IPSEC_ALLOW;
	else if (words_take(w, "block"))
		p->params.action = MLXO_IPSEC_BLOCK;
	else
		return problem_usage(w->problem, "action: allowed are allow and block");
	return 0;
}

static int take_ptype(struct words *w, struct xfrm_policy *p, const char *word)
{
	if (words_take(w, "main"))
		return 0;
	return problem_usage(w->problem,
			     "ptype: a device has one list of policies, allowed is main");
}

static int take_offload(struct words *w, struct xfrm_policy *p, const char *word)
{
	int rc = xfrm_take_offload(w, &p->params.offload, &p->params.dev, /* dir */ NULL);

	if (!rc && p->params.offload != MLXO_IPSEC_PACKET)
		return problem_usage(w->problem,
				     "offload: a policy can only be offloaded with packet, "
				     "write offload packet dev NAME");
	return rc;
}

static int take_once(struct words *w, struct xfrm_policy *p, const char *word)
{
	p->once = true;
	return 0;
}

static int refuse(struct words *w, struct xfrm_policy *p, const char *word)
{
	return problem_usage(w->problem,
			     "%s cannot be offloaded: the device has no place for it, leave it out",
			     word);
}

/* -- templates -- */

static int take_level(struct words *w, struct mlxo_ipsec_tmpl *t)
{
	t->level_use = words_take(w, "use");
	if (!t->level_use && !words_take(w, "required"))
		return problem_usage(w->problem, "level: allowed are required and use");
	return 0;
}

static int take_tmpl_word(struct words *w, struct mlxo_ipsec_tmpl *t, int word)
{
	switch (word) {
	case 0: return xfrm_take_addr(w, "src", &t->src);
	case 1: return xfrm_take_addr(w, "dst", &t->dst);
	case 2: return xfrm_take_proto(w, &t->proto);
	case 3: return take_u32(w, "spi", &t->spi);
	case 4: return xfrm_take_mode(w, &t->mode);
	case 5: return take_u32(w, "reqid", &t->reqid);
	default: return take_level(w, t);
	}
}

/* Templates behind the first are only counted: the library says what it thinks of them. */
static int take_tmpl(struct words *w, struct xfrm_policy *p, const char *word)
{
	static const char *const words[] = {"src",  "dst",   "proto", "spi",
					    "mode", "reqid", "level", NULL};
	struct mlxo_ipsec_tmpl tmpl = {0};
	unsigned int given = 0;
	int i, rc = 0;

	for (const char *next = words_peek(w); next && !rc; next = words_peek(w)) {
		i = words_lookup(next, words, sizeof(*words), /* exact */ true);
		if (i < 0)
			break;
		if (given & 1u << i)
			return xfrm_duplicate(w, next);
		given |= 1u << i;
		w->at++;
		rc = take_tmpl_word(w, &tmpl, i);
	}
	if (rc)
		return rc;
	if (!given)
		return problem_usage(w->problem, "tmpl: nothing follows, it takes src, dst, proto, "
						 "spi, mode, reqid, level");
	if (p->params.ntmpl++ == 0)
		p->params.tmpl = tmpl;
	return 0;
}

static const struct policy_word policy_words[] = {
	{"dir", false, true, take_dir},
	{"index", false, true, take_index},
	{"priority", false, false, take_priority},
	{"action", false, false, take_action},
	{"offload", false, false, take_offload},
	{"tmpl", true, false, take_tmpl},
	{"ptype", false, true, take_ptype},
	{"mark", false, true, refuse},
	{"if_id", false, true, refuse},
	{"ctx", false, true, refuse},
	{"flag", false, false, refuse},
	{"limit", false, false, refuse},
	{"--once", true, false, take_once},
	{NULL, false, false, NULL},
};

static int take_word(struct words *w, struct xfrm_policy *p, bool find)
{
	const char *word = words_peek(w);
	int i = words_lookup(word, policy_words, sizeof(*policy_words), /* exact */ false);

	if (i == -2)
		return problem_usage(w->problem, "%s is short for more than one word", word);
	if (i < 0 || (find && !policy_words[i].find))
		return problem_usage(w->problem, "unknown word %s", words_show(word));
	if (p->given & 1ull << i && !policy_words[i].again)
		return xfrm_duplicate(w, policy_words[i].word);
	p->given |= 1ull << i;
	w->at++;
	return policy_words[i].take(w, p, policy_words[i].word);
}

static int policy_check(struct words *w, const struct xfrm_policy *p, uint32_t seen, bool find)
{
	const struct mlxo_selector *sel = &p->params.sel;

	if (!p->params.dir)
		return problem_usage(w->problem, "dir in or dir out is missing");
	if (sel->src.family && sel->dst.family && sel->src.family != sel->dst.family)
		return problem_usage(w->problem, "src and dst must both be IPv4 or both be IPv6");
	if (find && !seen && !p->params.index)
		return problem_usage(w->problem,
				     "which policy? give its src, dst, proto … or its index");
	return 0;
}

int xfrm_policy_parse(struct words *w, struct xfrm_policy *p, bool find)
{
	uint32_t seen = 0;
	bool took;
	int rc;

	memset(p, 0, sizeof(*p));
	p->params.size = sizeof(p->params);
	p->params.offload = MLXO_IPSEC_PACKET;
	xfrm_skip_command(w, "policy", find ? "delete" : "add");
	while (words_peek(w)) {
		rc = xfrm_take_selector_word(w, &p->params.sel, &seen, &took);
		if (!rc && !took)
			rc = take_word(w, p, find);
		if (rc)
			return rc;
	}
	return policy_check(w, p, seen, find);
}
