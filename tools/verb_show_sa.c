// SPDX-License-Identifier: BSD-2-Clause
/* show-sa [FILTER]. */
#include "tools/show.h"
#include "tools/verbs.h"
#include "tools/xfrm.h"

int verb_show_sa(struct session *s, struct words *w)
{
	struct mlxo_ipsec_sa *sa = NULL;
	struct xfrm_filter filter;
	int rc;

	xfrm_skip_command(w, "state", "list");
	rc = xfrm_filter_parse(w, &filter);
	if (!rc)
		rc = session_ipsec(s);
	if (rc)
		return rc;
	out_begin(s->out);
	while ((sa = mlxo_ipsec_sa_next(s->ipsec, sa))) {
		struct mlxo_ipsec_sa_info info;

		rc = mlxo_ipsec_sa_query(sa, &info);
		if (rc)
			return session_failed(s, rc);
		if (xfrm_filter_match(&filter, &info.params))
			show_sa(s, &info);
	}
	out_end(s->out);
	return 0;
}
