// SPDX-License-Identifier: BSD-2-Clause
/* create-sa: the words of `ip xfrm state add`. Prints the SA as show-sa does. */
#include "tools/once.h"
#include "tools/show.h"
#include "tools/verbs.h"
#include "tools/xfrm.h"

static int create(struct session *s, const struct xfrm_state *state, struct mlxo_ipsec_sa **sa)
{
	struct mlxo_ipsec_sa_info info;
	int rc = mlxo_ipsec_sa_add(s->ipsec, &state->params, sa);

	if (rc)
		return session_failed(s, rc);
	rc = mlxo_ipsec_sa_query(*sa, &info);
	if (rc) {
		session_failed(s, rc);
		mlxo_ipsec_sa_del(*sa);
		return s->problem.exit;
	}
	show_sa(s, &info);
	return 0;
}

static int create_once(struct session *s, const struct xfrm_state *state)
{
	struct mlxo_ipsec_sa *sa;
	struct once once;
	int rc = once_begin(s, &once);

	if (!rc)
		rc = create(s, state, &sa);
	if (!rc) {
		rc = mlxo_ipsec_sa_del(sa);
		rc = rc ? session_failed(s, rc) : once_end(s, &once);
	}
	once_fini(&once);
	return rc;
}

int verb_create_sa(struct session *s, struct words *w)
{
	struct mlxo_ipsec_sa *sa;
	struct xfrm_state state;
	int rc = xfrm_state_parse(w, &state);

	if (!rc)
		rc = session_ipsec_on(s, state.params.dev);
	if (!rc) {
		out_begin(s->out);
		rc = state.once ? create_once(s, &state) : create(s, &state, &sa);
	}
	xfrm_state_fini(&state);
	if (rc)
		return rc;
	s->hold |= !state.once;
	out_end(s->out);
	return 0;
}
