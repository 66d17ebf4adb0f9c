// SPDX-License-Identifier: BSD-2-Clause
/* Names of protocols, modes and directions, as iproute2 spells them. */
#include "tools/xfrm.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <stdio.h>
#include <string.h>

struct name {
	const char *name;
	int value;
};

/* What transforms packets. */
static const struct name transforms[] = {
	{"esp", IPPROTO_ESP},	     {"ah", IPPROTO_AH},       {"comp", IPPROTO_COMP},
	{"route2", IPPROTO_ROUTING}, {"hao", IPPROTO_DSTOPTS}, {NULL, 0},
};

/* What selectors can name. */
static const struct name uppers[] = {
	{"tcp", IPPROTO_TCP},	      {"udp", IPPROTO_UDP},
	{"sctp", IPPROTO_SCTP},	      {"dccp", IPPROTO_DCCP},
	{"icmp", IPPROTO_ICMP},	      {"ipv6-icmp", IPPROTO_ICMPV6},
	{"icmpv6", IPPROTO_ICMPV6},   {"mobility-header", IPPROTO_MH},
	{"gre", IPPROTO_GRE},	      {"esp", IPPROTO_ESP},
	{"ah", IPPROTO_AH},	      {"comp", IPPROTO_COMP},
	{"udplite", IPPROTO_UDPLITE}, {"ipip", IPPROTO_IPIP},
	{"ipv6", IPPROTO_IPV6},	      {NULL, 0},
};

static const struct name modes[] = {
	{"transport", MLXO_IPSEC_TRANSPORT},
	{"tunnel", MLXO_IPSEC_TUNNEL},
	{"beet", MLXO_IPSEC_BEET},
	{"ro", 0},
	{"in_trigger", 0},
	{NULL, 0},
};

static const struct name dirs[] = {
	{"in", MLXO_IPSEC_IN}, {"out", MLXO_IPSEC_OUT}, {"fwd", MLXO_IPSEC_FWD}, {NULL, 0}};

static const char *name_of(const struct name *table, int value)
{
	for (; table->name; table++)
		if (table->value == value)
			return table->name;
	return NULL;
}

static const char *name_or_number(const struct name *table, uint8_t value, char buf[8])
{
	const char *name = name_of(table, value);

	if (name)
		return name;
	snprintf(buf, 8, "%u", value);
	return buf;
}

const char *xfrm_proto_name(uint8_t proto, char buf[8])
{
	return name_or_number(transforms, proto ? proto : IPPROTO_ESP, buf);
}

const char *xfrm_upper_name(uint8_t proto, char buf[8])
{
	return proto ? name_or_number(uppers, proto, buf) : "any";
}

const char *xfrm_mode_name(enum mlxo_ipsec_mode mode)
{
	return name_of(modes, mode ? (int)mode : MLXO_IPSEC_TRANSPORT);
}

const char *xfrm_dir_name(enum mlxo_ipsec_dir dir)
{
	const char *name = name_of(dirs, (int)dir);

	return name ? name : "any";
}

/* A name of the table, or a number of 8 bits. */
static int take_proto(struct words *w, const struct name *table, const char *allowed,
		      uint8_t *proto)
{
	uint64_t number;
	char *text;
	int i, rc = words_value(w, "proto", &text);

	if (rc)
		return rc;
	i = words_lookup(text, table, sizeof(*table), /* exact */ true);
	if (i < 0 && (!number_parse(text, &number) || number > UINT8_MAX))
		return problem_usage(w->problem,
				     "proto: %s is unknown, allowed are %s and 0 to 255",
				     words_show(text), allowed);
	*proto = i < 0 ? (uint8_t)number : (uint8_t)table[i].value;
	return 0;
}

int xfrm_take_proto(struct words *w, uint8_t *proto)
{
	return take_proto(w, transforms, "esp, ah, comp, route2, hao", proto);
}

static int take_upper(struct words *w, uint8_t *proto)
{
	if (words_take(w, "any")) {
		*proto = 0;
		return 0;
	}
	return take_proto(w, uppers,
			  "tcp, udp, sctp, dccp, icmp, ipv6-icmp, mobility-header, gre, esp, any",
			  proto);
}

int xfrm_take_mode(struct words *w, enum mlxo_ipsec_mode *mode)
{
	char *text;
	int i, rc = words_value(w, "mode", &text);

	if (rc)
		return rc;
	i = words_lookup(text, modes, sizeof(*modes), /* exact */ true);
	if (i < 0)
		return problem_usage(w->problem,
				     "mode: %s is unknown, allowed are transport, tunnel, beet",
				     words_show(text));
	if (!modes[i].value)
		return problem_usage(
			w->problem,
			"mode: %s is for Mobile IPv6 and cannot be offloaded, allowed is transport",
			text);
	*mode = (enum mlxo_ipsec_mode)modes[i].value;
	return 0;
}

int xfrm_take_dir(struct words *w, bool fwd, enum mlxo_ipsec_dir *dir)
{
	char *text;
	int i, rc = words_value(w, "dir", &text);

	if (rc)
		return rc;
	i = words_lookup(text, dirs, sizeof(*dirs), /* exact */ true);
	if (i < 0 || (dirs[i].value == MLXO_IPSEC_FWD && !fwd))
		return problem_usage(w->problem, "dir: %s is unknown, allowed are in, out%s",
				     words_show(text), fwd ? ", fwd" : "");
	*dir = (enum mlxo_ipsec_dir)dirs[i].value;
	return 0;
}

/* -- selectors -- */

static bool has_ports(uint8_t proto)
{
	return proto == IPPROTO_TCP || proto == IPPROTO_UDP || proto == IPPROTO_SCTP ||
	       proto == IPPROTO_DCCP || proto == IPPROTO_UDPLITE;
}

static int take_port(struct words *w, const char *of, const struct mlxo_selector *sel,
		     uint16_t *port)
{
	uint64_t number;
	int rc = words_number(w, of, 1, UINT16_MAX, &number);

	if (rc)
		return rc;
	if (!has_ports(sel->proto))
		return problem_usage(w->problem,
				     "%s: needs proto tcp, udp, sctp or dccp in front of it", of);
	*port = (uint16_t)number;
	return 0;
}

static int refuse_selector(struct words *w, const char *word)
{
	return problem_usage(
		w->problem,
		"%s: a device rule cannot select by it, allowed are src, dst, proto, sport, dport",
		word);
}

int xfrm_take_selector_word(struct words *w, struct mlxo_selector *sel, uint32_t *seen, bool *took)
{
	static const struct name words[] = {{"src", 0},	  {"dst", 1}, {"proto", 2}, {"sport", 3},
					    {"dport", 4}, {"dev", 5}, {"type", 6},  {"code", 7},
					    {"key", 8},	  {NULL, 0}};
	const char *word = words_peek(w);
	int i = word ? words_lookup(word, words, sizeof(*words), /* exact */ true) : -1;

	*took = i >= 0;
	if (i < 0)
		return 0;
	if (*seen & 1u << i)
		return xfrm_duplicate(w, word);
	*seen |= 1u << i;
	w->at++;
	switch (i) {
	case 0: return xfrm_take_prefix(w, "src", &sel->src, &sel->src_prefixlen);
	case 1: return xfrm_take_prefix(w, "dst", &sel->dst, &sel->dst_prefixlen);
	case 2: return take_upper(w, &sel->proto);
	case 3: return take_port(w, "sport", sel, &sel->sport);
	case 4: return take_port(w, "dport", sel, &sel->dport);
	default: return refuse_selector(w, word);
	}
}

int xfrm_take_selector(struct words *w, struct mlxo_selector *sel)
{
	uint32_t seen = 0;
	bool took = true;
	int rc = 0;

	while (!rc && took)
		rc = xfrm_take_selector_word(w, sel, &seen, &took);
	if (rc)
		return rc;
	if (!seen)
		return problem_usage(w->problem, "sel: nothing follows that selects, allowed are "
						 "src, dst, proto, sport, dport");
	if (sel->src.family && sel->dst.family && sel->src.family != sel->dst.family)
		return problem_usage(w->problem,
				     "sel: src and dst must both be IPv4 or both be IPv6");
	return 0;
}
