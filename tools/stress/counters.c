// SPDX-License-Identifier: BSD-2-Clause
/* Names of mlxo_model_stats() and mlxo_tls_stats() become fields. */
#include "tools/stress/counters.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static bool is(const struct mlxo_stat *s, const char *group, const char *name)
{
	return !strcmp(s->group, group) && !strcmp(s->name, name);
}

static void take_model(struct stress_counters *c, const struct mlxo_stat *s)
{
	if (is(s, "firmware", "commands"))
		c->commands = s->value;
	else if (is(s, "firmware", "busy_ns"))
		c->firmware_ns = s->value;
	else if (is(s, "wire", "busy_ns"))
		c->wire_ns = s->value;
	else if (is(s, "crypto", "syncs"))
		c->syncs = s->value;
	else if (is(s, "crypto", "encrypted_bytes"))
		c->encrypted = s->value;
	else if (!strcmp(s->group, "commands") && c->nops < STRESS_OPCODES) {
		c->op[c->nops].name = s->name;
		c->op[c->nops++].n = s->value;
	}
}

/* What the library sent, of a device that does not tell. */
static void take_library(struct stress_counters *c, const struct mlxo_stat *s)
{
	if (strcmp(s->group, "commands") != 0)
		return;
	if (!strcmp(s->name, "total"))
		c->commands = s->value;
	else if (c->nops < STRESS_OPCODES && s->name[0] >= 'A' && s->name[0] <= 'Z') {
		c->op[c->nops].name = s->name;
		c->op[c->nops++].n = s->value;
	}
	if (!strcmp(s->name, "SYNC_CRYPTO"))
		c->syncs = s->value;
}

/* Both pools together. */
static void take_pools(struct stress_counters *c, const struct mlxo_stat *s)
{
	if (strcmp(s->group, "context pool") != 0 && strcmp(s->group, "key pool") != 0)
		return;
	if (!strcmp(s->name, "gets"))
		c->gets += s->value;
	else if (!strcmp(s->name, "empty"))
		c->empty += s->value;
}

int stress_counters_read(struct mlxo_device *dev, struct mlxo_tls_engine *engine,
			 struct stress_counters *c)
{
	struct mlxo_stat *s;
	size_t n;
	int rc = mlxo_model_stats(dev, &s, &n);
	bool nic = rc == -ENOTSUP;

	if (nic)
		rc = mlxo_device_stats(dev, &s, &n);
	if (rc)
		return rc;
	memset(c, 0, sizeof(*c));
	for (size_t i = 0; i < n; i++)
		(nic ? take_library : take_model)(c, &s[i]);
	free(s);
	if (!engine)
		return 0;
	rc = mlxo_tls_stats(engine, &s, &n);
	if (rc)
		return rc;
	for (size_t i = 0; i < n; i++)
		take_pools(c, &s[i]);
	free(s);
	return 0;
}

uint64_t stress_counters_op(const struct stress_counters *from, const struct stress_counters *to,
			    unsigned int i)
{
	for (unsigned int k = 0; k < from->nops; k++)
		if (!strcmp(from->op[k].name, to->op[i].name))
			return to->op[i].n - from->op[k].n;
	return to->op[i].n;
}
