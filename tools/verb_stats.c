// SPDX-License-Identifier: BSD-2-Clause
/*
 * stats: every counter there is, by who counted: the library, the IPsec and TLS services, the model (what the device did), its
 * census of objects, the channel, forwarding; and the objects in quarantine.
 *
 * Only what is open is asked; the device is opened, the service is not.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "tools/forward.h"
#include "tools/verbs.h"

#define CHANNEL_COUNTERS(M) \
	M(tx_packets) \
	M(tx_bytes) \
	M(tx_errors) M(tx_flushed) M(tx_doorbells) M(rx_packets) M(rx_bytes) M(rx_errors)

/* One list as an object of groups; flat: without the groups. Frees it. */
static void put_stats(struct out *o, const char *key, struct mlxo_stat *stats, size_t n, bool flat)
{
	const char *group = NULL;

	out_object(o, key);
	out_text(o, "%s\n", key);
	for (size_t i = 0; i < n; i++) {
		if (!flat && (!group || strcmp(group, stats[i].group) != 0)) {
			if (group)
				out_close(o);
			group = stats[i].group;
			out_object(o, group);
			out_text(o, "    %s\n", group);
		}
		out_text(o, "\t%s", stats[i].name);
		out_num(o, stats[i].name, " ", stats[i].value);
		out_text(o, "\n");
	}
	if (group)
		out_close(o);
	out_close(o);
	free(stats);
}

static int put_quarantined(struct session *s)
{
	struct mlxo_quarantined *list = NULL;
	struct out *o = s->out;
	size_t n = 0;
	int rc = mlxo_device_quarantined(s->dev, &list, &n);

	if (rc)
		return session_failed(s, rc);
	out_array(o, "quarantined");
	out_text(o, n ? "quarantined\n" : "quarantined none\n");
	for (size_t i = 0; i < n; i++) {
		out_object(o, NULL);
		out_str(o, "kind", "\t", list[i].kind);
		out_hex(o, "id", " ", 0, list[i].id);
		out_str(o, "op", " ", list[i].op);
		out_text(o, "\n");
		out_close(o);
	}
	out_close(o);
	free(list);
	return 0;
}

static void put_channel(struct session *s)
{
	struct mlxo_channel_stats c = {0};

	pthread_mutex_lock(&s->channel_lock);
	mlxo_channel_stats(s->channel, &c);
	pthread_mutex_unlock(&s->channel_lock);
	out_object(s->out, "channel");
	out_text(s->out, "channel\n");
#define PUT(name) \
	out_num(s->out, #name, "\t" #name " ", c.name); \
	out_text(s->out, "\n");
	CHANNEL_COUNTERS(PUT)
#undef PUT
	out_close(s->out);
}

static void put_forward(struct session *s)
{
	struct forward_stats f;

	forward_stats(s->forward, &f);
	out_object(s->out, "forward");
	out_str(s->out, "netdev", "forward ", forward_netdev(s->forward));
	out_text(s->out, "\n");
#define PUT(name, about) \
	out_num(s->out, #name, "\t" #name " ", f.name); \
	out_text(s->out, "\n");
	FORWARD_COUNTERS(PUT)
#undef PUT
	out_close(s->out);
}

static int put_model(struct session *s)
{
	struct mlxo_stat *stats;
	size_t n;
	int rc = mlxo_model_stats(s->dev, &stats, &n);

	if (rc == -ENOTSUP)
		return 0;
	if (rc)
		return session_failed(s, rc);
	put_stats(s->out, "model", stats, n, /* flat */ false);
	rc = mlxo_model_census(s->dev, &stats, &n);
	if (rc)
		return session_failed(s, rc);
	put_stats(s->out, "census", stats, n, /* flat */ true);
	return 0;
}

static int put_all(struct session *s)
{
	struct mlxo_stat *stats;
	size_t n;
	int rc = mlxo_device_stats(s->dev, &stats, &n);

	if (rc)
		return session_failed(s, rc);
	put_stats(s->out, "library", stats, n, /* flat */ false);
	if (s->ipsec) {
		rc = mlxo_ipsec_stats(s->ipsec, &stats, &n);
		if (rc)
			return session_failed(s, rc);
		put_stats(s->out, "ipsec", stats, n, /* flat */ true);
	}
	if (s->tls) {
		rc = mlxo_tls_stats(s->tls, &stats, &n);
		if (rc)
			return session_failed(s, rc);
		put_stats(s->out, "tls", stats, n, /* flat */ false);
	}
	rc = put_model(s);
	if (!rc)
		rc = put_quarantined(s);
	if (!rc && s->channel)
		put_channel(s);
	if (!rc && s->forward)
		put_forward(s);
	return rc;
}

int verb_stats(struct session *s, struct words *w)
{
	int rc = words_end(w);

	if (!rc)
		rc = session_device(s);
	if (rc)
		return rc;
	out_begin(s->out);
	out_object(s->out, NULL);
	rc = put_all(s);
	if (rc)
		return rc;
	out_close(s->out);
	out_end(s->out);
	return 0;
}
