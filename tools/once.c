// SPDX-License-Identifier: BSD-2-Clause
/*
 * What --once tests, and no more: every firmware command of create was accepted, the device answers the query of the
 * object's counters, every command of delete was accepted, and on the model the census of objects afterwards is what
 * it was before. No packet is sent.
 */
#include "tools/once.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

int once_begin(struct session *s, struct once *once)
{
	int rc = session_ipsec(s);

	once->before = NULL;
	once->n = 0;
	if (rc)
		return rc;
	rc = mlxo_model_census(s->dev, &once->before, &once->n);
	return rc && rc != -ENOTSUP ? session_failed(s, rc) : 0;
}

static int compare(struct session *s, const struct once *once, const struct mlxo_stat *after,
		   size_t n)
{
	for (size_t i = 0; i < once->n && i < n; i++)
		if (once->before[i].value != after[i].value)
			return problem_errno(&s->problem, EBUSY,
					     "self-test: %s: %llu objects before, %llu after",
					     after[i].name,
					     (unsigned long long)once->before[i].value,
					     (unsigned long long)after[i].value);
	if (once->n != n)
		return problem_errno(&s->problem, EBUSY,
				     "self-test: the census has other types than before");
	return 0;
}

int once_end(struct session *s, struct once *once)
{
	struct mlxo_stat *after = NULL;
	size_t n = 0;
	int rc = 0;

	if (once->before) {
		rc = mlxo_model_census(s->dev, &after, &n);
		rc = rc ? session_failed(s, rc) : compare(s, once, after, n);
		free(after);
	}
	if (rc)
		return rc;
	out_object(s->out, NULL);
	out_str(s->out, "self_test", "self-test ", "passed");
	out_array(s->out, "tested");
	out_str(s->out, NULL, ": ", "created");
	out_str(s->out, NULL, ", ", "queried");
	out_str(s->out, NULL, ", ", "removed");
	if (once->before)
		out_str(s->out, NULL, ", ", "census as before");
	out_close(s->out);
	out_text(s->out, "\n");
	out_close(s->out);
	return 0;
}

void once_fini(struct once *once)
{
	free(once->before);
	once->before = NULL;
}
