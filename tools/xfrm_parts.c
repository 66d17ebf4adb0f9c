// SPDX-License-Identifier: BSD-2-Clause
/* Parts of the xfrm grammar that states and policies have in common: addresses, prefixes, offload, pasted commands. */
#include "tools/xfrm.h"

#include <arpa/inet.h>
#include <string.h>
#include <sys/socket.h>

static bool addr_parse(const char *text, struct mlxo_addr *addr)
{
	memset(addr, 0, sizeof(*addr));
	if (!strcmp(text, "any") || !strcmp(text, "all") || !strcmp(text, "default"))
		return true;
	addr->family = strchr(text, ':') ? AF_INET6 : AF_INET;
	return inet_pton(addr->family, text, addr->bytes) == 1;
}

int xfrm_take_addr(struct words *w, const char *of, struct mlxo_addr *addr)
{
	char *text;
	int rc = words_value(w, of, &text);

	if (rc)
		return rc;
	if (!addr_parse(text, addr))
		return problem_usage(w->problem, "%s: %s is no IPv4 or IPv6 address", of,
				     words_show(text));
	return 0;
}

/* ADDR[/BITS]; "any" and "default" leave the family 0. */
int xfrm_take_prefix(struct words *w, const char *of, struct mlxo_addr *addr, uint8_t *len)
{
	char host[64], *text, *slash;
	uint64_t bits, most;
	int rc = words_value(w, of, &text);

	if (rc)
		return rc;
	slash = strchr(text, '/');
	if ((slash ? (size_t)(slash - text) : strlen(text)) >= sizeof(host))
		return problem_usage(w->problem, "%s: %s is no address or prefix", of,
				     words_show(text));
	memset(host, 0, sizeof(host));
	memcpy(host, text, slash ? (size_t)(slash - text) : strlen(text));
	if (!addr_parse(host, addr))
		return problem_usage(w->problem, "%s: %s is no IPv4 or IPv6 address or prefix", of,
				     words_show(text));
	most = addr->family == AF_INET ? 32 : addr->family == AF_INET6 ? 128 : 0;
	bits = most;
	if (slash && (!number_parse(slash + 1, &bits) || bits > most))
		return problem_usage(w->problem,
				     "%s: the prefix length of %s is no number from 0 to %u", of,
				     host, (unsigned int)most);
	*len = (uint8_t)bits;
	return 0;
}

static int take_kind(struct words *w, enum mlxo_ipsec_offload kind,
		     enum mlxo_ipsec_offload *offload)
{
	if (*offload)
		return problem_usage(w->problem,
				     "offload: crypto and packet are two kinds, give one of them");
	*offload = kind;
	w->at++;
	return 0;
}

static int take_dev(struct words *w, const char **dev)
{
	char *text;
	int rc;

	if (*dev)
		return xfrm_duplicate(w, "dev");
	w->at++;
	rc = words_value(w, "dev", &text);
	if (!rc && words_show(text) != text)
		return problem_usage(w->problem, "dev: a name is needed, and that is a key");
	if (!rc)
		*dev = text;
	return rc;
}

/* One word of it, if the next is one. */
static int take_offload_word(struct words *w, enum mlxo_ipsec_offload *offload, const char **dev,
			     enum mlxo_ipsec_dir *dir, bool *took)
{
	const char *word = words_peek(w);

	*took = true;
	if (word && !strcmp(word, "crypto"))
		return take_kind(w, MLXO_IPSEC_CRYPTO, offload);
	if (word && (!strcmp(word, "packet") || !strcmp(word, "full")))
		return take_kind(w, MLXO_IPSEC_PACKET, offload);
	if (word && !strcmp(word, "dev"))
		return take_dev(w, dev);
	if (dir && !*dir && words_take(w, "dir"))
		return xfrm_take_dir(w, /* fwd */ false, dir);
	*took = false;
	return 0;
}

int xfrm_take_offload(struct words *w, enum mlxo_ipsec_offload *offload, const char **dev,
		      enum mlxo_ipsec_dir *dir)
{
	bool took = true;
	int rc = 0;

	*offload = 0;
	while (!rc && took)
		rc = take_offload_word(w, offload, dev, dir, &took);
	if (rc)
		return rc;
	if (!*dev)
		return problem_usage(w->problem,
				     "offload: dev NAME is missing (offload packet dev eth0%s)",
				     dir ? " dir out" : "");
	if (dir && !*dir)
		return problem_usage(w->problem, "offload: dir in or dir out is missing");
	if (!*offload)
		*offload = MLXO_IPSEC_CRYPTO; /* what iproute2 means by `offload dev` */
	return 0;
}

static bool abbreviates(const char *word, const char *whole)
{
	return word && *word && !strncmp(word, whole, strlen(word));
}

void xfrm_skip_command(struct words *w, const char *object, const char *command)
{
	const char *const *word = (const char *const *)(w->word + w->at);
	int left = w->n - w->at, ip = left > 0 && !strcmp(word[0], "ip");

	if (left >= ip + 3 && abbreviates(word[ip], "xfrm") && abbreviates(word[ip + 1], object) &&
	    abbreviates(word[ip + 2], command))
		w->at += ip + 3;
}

int xfrm_duplicate(struct words *w, const char *word)
{
	return problem_usage(w->problem, "%s is given twice", word);
}
