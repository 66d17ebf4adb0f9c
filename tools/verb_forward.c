// SPDX-License-Identifier: BSD-2-Clause
/* forward NETDEV: starts and returns; frames flow until the process ends. */
#include <errno.h>

#include "tools/forward.h"
#include "tools/verbs.h"

int verb_forward(struct session *s, struct words *w)
{
	char *netdev;
	int rc = words_value(w, "forward", &netdev);

	if (!rc)
		rc = words_end(w);
	if (!rc && s->forward && forward_is_gone(s->forward)) {
		forward_stop(s->forward);
		s->forward = NULL;
	}
	if (!rc && s->forward)
		rc = problem_errno(&s->problem, EBUSY,
				   "forward: the device is joined to %s already",
				   forward_netdev(s->forward));
	if (!rc)
		rc = session_ipsec(s);
	if (!rc)
		rc = forward_start(s, netdev, &s->forward);
	if (rc)
		return rc;
	s->hold = true;
	out_begin(s->out);
	out_object(s->out, NULL);
	out_str(s->out, "netdev", "forwarding between ", netdev);
	out_str(s->out, "device", " and ", mlxo_device_name(s->dev));
	out_text(s->out, "\n");
	out_close(s->out);
	out_end(s->out);
	return 0;
}
