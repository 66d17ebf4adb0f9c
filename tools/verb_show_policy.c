// SPDX-License-Identifier: BSD-2-Clause
/* show-policy: in order of precedence, out first. */
#include "tools/show.h"
#include "tools/verbs.h"

int verb_show_policy(struct session *s, struct words *w)
{
	struct mlxo_ipsec_policy *policy = NULL;
	int rc = words_end(w);

	if (!rc)
		rc = session_ipsec(s);
	if (rc)
		return rc;
	out_begin(s->out);
	while ((policy = mlxo_ipsec_policy_next(s->ipsec, policy))) {
		struct mlxo_ipsec_policy_info info;

		rc = mlxo_ipsec_policy_query(policy, &info);
		if (rc)
			return session_failed(s, rc);
		show_policy(s, &info);
	}
	out_end(s->out);
	return 0;
}
