// SPDX-License-Identifier: BSD-2-Clause
/* flush-policy: goes on past failures and reports the first. */
#include "tools/verbs.h"

int verb_flush_policy(struct session *s, struct words *w)
{
	size_t n = 0;
	int rc = words_end(w);

	if (!rc)
		rc = session_ipsec(s);
	if (rc)
		return rc;
	rc = mlxo_ipsec_policy_flush(s->ipsec, &n);
	if (rc)
		return session_failed(s, rc);
	out_begin(s->out);
	out_object(s->out, NULL);
	out_num(s->out, "deleted", "policies deleted: ", n);
	out_text(s->out, "\n");
	out_close(s->out);
	out_end(s->out);
	return 0;
}
