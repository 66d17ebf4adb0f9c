// SPDX-License-Identifier: BSD-2-Clause
/* create-policy: the words of `ip xfrm policy add`. Prints the policy as show-policy does. */
#include "tools/once.h"
#include "tools/show.h"
#include "tools/verbs.h"
#include "tools/xfrm.h"

static int create(struct session *s, const struct xfrm_policy *words,
		  struct mlxo_ipsec_policy **policy)
{
	struct mlxo_ipsec_policy_info info;
	int rc = mlxo_ipsec_policy_add(s->ipsec, &words->params, policy);

	if (rc)
		return session_failed(s, rc);
	rc = mlxo_ipsec_policy_query(*policy, &info);
	if (rc) {
		session_failed(s, rc);
		mlxo_ipsec_policy_del(*policy);
		return s->problem.exit;
	}
	show_policy(s, &info);
	return 0;
}

static int create_once(struct session *s, const struct xfrm_policy *words)
{
	struct mlxo_ipsec_policy *policy;
	struct once once;
	int rc = once_begin(s, &once);

	if (!rc)
		rc = create(s, words, &policy);
	if (!rc) {
		rc = mlxo_ipsec_policy_del(policy);
		rc = rc ? session_failed(s, rc) : once_end(s, &once);
	}
	once_fini(&once);
	return rc;
}

int verb_create_policy(struct session *s, struct words *w)
{
	struct mlxo_ipsec_policy *policy;
	struct xfrm_policy words;
	int rc = xfrm_policy_parse(w, &words, /* find */ false);

	if (!rc)
		rc = session_ipsec_on(s, words.params.dev);
	if (rc)
		return rc;
	out_begin(s->out);
	rc = words.once ? create_once(s, &words) : create(s, &words, &policy);
	if (rc)
		return rc;
	s->hold |= !words.once;
	out_end(s->out);
	return 0;
}
