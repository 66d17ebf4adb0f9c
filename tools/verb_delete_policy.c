// SPDX-License-Identifier: BSD-2-Clause
/* delete-policy: by selector and direction, or by index. Prints it with its last counters. */
#include <errno.h>

#include "tools/show.h"
#include "tools/verbs.h"
#include "tools/xfrm.h"

int verb_delete_policy(struct session *s, struct words *w)
{
	struct mlxo_ipsec_policy_info info;
	struct mlxo_ipsec_policy *policy;
	struct xfrm_policy words;
	int rc = xfrm_policy_parse(w, &words, /* find */ true);

	if (!rc)
		rc = session_ipsec(s);
	if (rc)
		return rc;
	policy = mlxo_ipsec_policy_find(s->ipsec, words.params.dir, &words.params.sel,
					words.params.index);
	if (!policy)
		return problem_errno(&s->problem, ENOENT, "delete-policy: there is no such policy");
	rc = mlxo_ipsec_policy_query(policy, &info);
	if (rc)
		return session_failed(s, rc);
	out_begin(s->out);
	show_policy(s, &info);
	rc = mlxo_ipsec_policy_del(policy);
	if (rc)
		return session_failed(s, rc);
	out_end(s->out);
	return 0;
}
