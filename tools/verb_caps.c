// SPDX-License-Identifier: BSD-2-Clause
/* caps: what the device says of itself, and whether that is enough for packet offload. */
#include "tools/verbs.h"

static void show(struct out *o, const struct mlxo_cap *cap)
{
	out_object(o, NULL);
	out_str(o, "name", "\t", cap->name);
	if (cap->flag)
		out_bool(o, "value", " ", cap->value != 0);
	else
		out_num(o, "value", " ", cap->value);
	out_bool(o, "needed", NULL, cap->needed);
	out_text(o, cap->needed ? " (needed)" : "");
	out_str(o, "about", "  # ", cap->about ? cap->about : "");
	out_text(o, "\n");
	out_close(o);
}

int verb_caps(struct session *s, struct words *w)
{
	const struct mlxo_cap *caps;
	struct out *o = s->out;
	size_t n = 0;
	int rc = words_end(w);

	if (!rc)
		rc = session_device(s);
	if (rc)
		return rc;
	caps = mlxo_device_caps(s->dev, &n);
	out_begin(o);
	out_object(o, NULL);
	out_str(o, "device", "device ", mlxo_device_name(s->dev));
	out_text(o, "\n");
	rc = mlxo_device_check_ipsec_packet(s->dev, /* gcm256 */ false);
	out_bool(o, "ipsec_packet_offload", "ipsec packet offload ", rc == 0);
	if (rc)
		out_str(o, "why_not", ": ", mlxo_error_last()->text);
	out_text(o, "\n");
	out_array(o, "caps");
	for (size_t i = 0; i < n; i++)
		show(o, &caps[i]);
	out_close(o);
	out_close(o);
	out_end(o);
	return 0;
}
