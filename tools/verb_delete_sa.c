// SPDX-License-Identifier: BSD-2-Clause
/* delete-sa: the words must name one SA. Prints it with its last counters. */
#include <errno.h>

#include "tools/show.h"
#include "tools/verbs.h"
#include "tools/xfrm.h"

static int find(struct session *s, const struct xfrm_filter *filter, struct mlxo_ipsec_sa **found,
		struct mlxo_ipsec_sa_info *last)
{
	struct mlxo_ipsec_sa *sa = NULL;
	unsigned int n = 0;

	while ((sa = mlxo_ipsec_sa_next(s->ipsec, sa))) {
		struct mlxo_ipsec_sa_info info;
		int rc = mlxo_ipsec_sa_query(sa, &info);

		if (rc)
			return session_failed(s, rc);
		if (!xfrm_filter_match(filter, &info.params))
			continue;
		*found = sa;
		*last = info;
		n++;
	}
	if (n == 0)
		return problem_errno(&s->problem, ENOENT, "delete-sa: there is no such SA");
	if (n > 1)
		return problem_usage(&s->problem,
				     "delete-sa: %u SAs are like that, add src, dst, spi or dir",
				     n);
	return 0;
}

int verb_delete_sa(struct session *s, struct words *w)
{
	struct mlxo_ipsec_sa_info info;
	struct mlxo_ipsec_sa *sa = NULL;
	struct xfrm_filter filter;
	int rc;

	xfrm_skip_command(w, "state", "delete");
	rc = xfrm_filter_parse(w, &filter);
	if (rc)
		return rc;
	if (!filter.dst.family || !filter.spi)
		return problem_usage(&s->problem, "delete-sa: dst ADDR and spi N are needed");
	rc = session_ipsec(s);
	if (!rc)
		rc = find(s, &filter, &sa, &info);
	if (rc)
		return rc;
	out_begin(s->out);
	show_sa(s, &info);
	rc = mlxo_ipsec_sa_del(sa);
	if (rc)
		return session_failed(s, rc);
	out_end(s->out);
	return 0;
}
