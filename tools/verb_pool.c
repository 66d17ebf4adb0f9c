// SPDX-License-Identifier: BSD-2-Clause
/* pool: the groups of mlxo_tls_stats() that are pools, each with a few sentences on what its limits are for. */
#include <stdlib.h>
#include <string.h>

#include "tools/verbs.h"

static const struct {
	const char *group, *key, *text;
} groups[] = {
	{"context pool", "context_pool",
	 "A context (TIS) holds the state of one connection in the device. Creating and destroying "
	 "one\n"
	 "costs a firmware command each, so they are used again: between the watermarks low and "
	 "high\n"
	 "there is no command at all. A higher low takes a larger burst of new connections.\n"},
	{"key pool", "key_pool",
	 "Keys lie in slots (DEK), which are made in bulks by one command; loading a connection's "
	 "key\n"
	 "costs one. The device keeps a copy of a key by its slot's number, so a used slot is "
	 "dirty until\n"
	 "a SYNC_CRYPTO flushes these copies: one command for all dirty slots, in the background, "
	 "started\n"
	 "when sync_at are dirty or fewer than low are clean. While it runs no other command does "
	 "(100 us\n"
	 "on the model unless -d model:sync=TIME), and the device reads the keys in use once more. "
	 "A\n"
	 "smaller sync_at needs fewer slots and costs more of them.\n"},
	{"background", "background",
	 "Commands of both pools. Connections do not wait for these, except with admission "
	 "always.\n"},
};

static void put_group(struct out *o, size_t g, const struct mlxo_stat *stats, size_t n)
{
	out_object(o, groups[g].key);
	out_text(o, "%s%s\n%s", g ? "\n" : "", groups[g].group, groups[g].text);
	for (size_t i = 0; i < n; i++) {
		if (strcmp(stats[i].group, groups[g].group) != 0)
			continue;
		out_text(o, "    %-18s", stats[i].name);
		out_num(o, stats[i].name, "", stats[i].value);
		out_text(o, "%s%s\n", stats[i].about ? "\t" : "",
			 stats[i].about ? stats[i].about : "");
	}
	out_close(o);
}

static bool has_pools(const struct mlxo_stat *stats, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (!strcmp(stats[i].group, groups[0].group))
			return true;
	return false;
}

int verb_pool(struct session *s, struct words *w)
{
	struct mlxo_stat *stats;
	size_t n;
	int rc = words_end(w);

	if (!rc)
		rc = session_tls(s);
	if (rc)
		return rc;
	rc = mlxo_tls_stats(s->tls, &stats, &n);
	if (rc)
		return session_failed(s, rc);
	out_begin(s->out);
	out_object(s->out, NULL);
	out_bool(s->out, "hardware", NULL, has_pools(stats, n));
	if (!has_pools(stats, n))
		out_text(s->out, "The device has no TLS offload: there are no pools, connections "
				 "are encrypted in software.\n");
	for (size_t g = 0; g < sizeof(groups) / sizeof(groups[0]) && has_pools(stats, n); g++)
		put_group(s->out, g, stats, n);
	free(stats);
	out_close(s->out);
	out_end(s->out);
	return 0;
}
