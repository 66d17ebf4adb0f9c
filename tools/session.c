// SPDX-License-Identifier: BSD-2-Clause
/*
 * Opening lazily, closing in order. The channel is made together with the service and not when `forward` comes, since
 * a service is told its channel when it is opened, and SAs may come first.
 *
 * The model's port belongs to this process alone, so the channel takes every frame. A NIC's port is shared with the
 * kernel, which keeps what is not ESP, unless the user wants all of it (-o).
 */
#include "tools/session.h"

#include <string.h>

#include "tools/forward.h"

void session_init(struct session *s, const char *spec, struct out *out)
{
	memset(s, 0, sizeof(*s));
	s->spec = spec;
	s->out = out;
	pthread_mutex_init(&s->channel_lock, NULL);
}

void session_fini(struct session *s)
{
	forward_stop(s->forward);
	mlxo_tls_engine_close(s->tls);
	mlxo_ipsec_close(s->ipsec);
	mlxo_channel_destroy(s->channel);
	mlxo_device_close(s->dev);
	pthread_mutex_destroy(&s->channel_lock);
	memset(s, 0, sizeof(*s));
}

int session_failed(struct session *s, int err)
{
	return problem_library(&s->problem, err);
}

int session_device(struct session *s)
{
	int rc;

	if (s->dev)
		return 0;
	if (s->opening)
		s->opening();
	rc = mlxo_device_open(s->spec ? s->spec : "model", &s->dev);
	return rc ? session_failed(s, rc) : 0;
}

static bool owns_port(struct session *s)
{
	return s->own_port || !strncmp(mlxo_device_name(s->dev), "model", strlen("model"));
}

int session_ipsec(struct session *s)
{
	struct mlxo_ipsec_opts opts = {.size = sizeof(opts), .max_sa = 16384, .max_policy = 4096};
	int rc = session_device(s);

	if (rc || s->ipsec)
		return rc;
	if (!s->channel)
		rc = mlxo_channel_create(s->dev, NULL, &s->channel);
	if (rc)
		return session_failed(s, rc);
	opts.channel = s->channel;
	opts.rx_all = owns_port(s);
	rc = mlxo_ipsec_open(s->dev, &opts, &s->ipsec);
	return rc ? session_failed(s, rc) : 0;
}

bool session_is_virtual(const struct session *s)
{
	uint64_t now;

	return mlxo_model_advance(s->dev, /* until: what is due, the clock stays */ 0, &now) == 0;
}

int session_tls(struct session *s)
{
	struct mlxo_tls_engine_opts opts = {.size = sizeof(opts)};
	int rc = session_device(s);

	if (rc || s->tls)
		return rc;
	opts.caller_runs = session_is_virtual(s);
	rc = mlxo_tls_engine_open(s->dev, &opts, &s->tls);
	return rc ? session_failed(s, rc) : 0;
}

int session_ipsec_on(struct session *s, const char *dev)
{
	int rc = session_device(s);

	if (rc)
		return rc;
	if (dev && !mlxo_device_is_named(s->dev, dev))
		return problem_usage(&s->problem,
				     "offload dev %s: that is not a name of the device %s%s", dev,
				     mlxo_device_name(s->dev), s->spec ? ", which -d gave" : "");
	return session_ipsec(s);
}
