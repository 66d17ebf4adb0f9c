// SPDX-License-Identifier: BSD-2-Clause
/*
 * A channel that owns its port, with a thread that sleeps until something arrives. What the port or the ring had no room for
 * is lost, as on any wire: it is sent again.
 */
#include "tools/stress/wire.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include <mlx5_offload/mlx5_offload.h>

enum { BURST = 256, FRAMES = 16384, FRAME_MAX = 2048, NAP_MS = 10 };

struct stress_wire {
	struct mlxo_device *dev;
	struct mlxo_channel *channel;
	struct mlxo_ipsec *ipsec; /* no SA: its tables lead what arrives to the channel */
	stress_wire_fn fn;
	void *ctx;
	pthread_t thread;
	bool running;
	atomic_bool stop;
};

static void give(void *ctx, const struct mlxo_rx_frame *frame)
{
	struct stress_wire *w = ctx;

	w->fn(w->ctx, frame->data, frame->len);
}

static void nap(struct stress_wire *w)
{
	struct pollfd p = {.fd = mlxo_device_fd(w->dev), .events = POLLIN};
	int armed = mlxo_channel_arm(w->channel);

	if (armed == 0)
		poll(&p, 1, NAP_MS);
	else if (armed < 0)
		poll(NULL, 0, NAP_MS);
}

static void *receive(void *arg)
{
	struct stress_wire *w = arg;

	while (!atomic_load(&w->stop)) {
		int did = mlxo_device_progress(w->dev);
		int n = mlxo_channel_poll(w->channel, BURST, give, w);

		if (n < 0)
			mlxo_channel_recover(w->channel);
		if (n <= 0 && did <= 0)
			nap(w);
	}
	return NULL;
}

static int start(struct stress_wire *w, const char *device)
{
	struct mlxo_channel_opts copts = {
		.size = sizeof(copts), .rq_entries = FRAMES, .max_frame = FRAME_MAX};
	struct mlxo_ipsec_opts opts = {.size = sizeof(opts), .rx_all = true};
	int rc = mlxo_device_open(device, &w->dev);

	if (!rc)
		rc = mlxo_channel_create(w->dev, &copts, &w->channel);
	opts.channel = w->channel;
	if (!rc)
		rc = mlxo_ipsec_open(w->dev, &opts, &w->ipsec);
	return rc;
}

int stress_wire_open(const char *device, stress_wire_fn fn, void *ctx, struct problem *p,
		     struct stress_wire **wire)
{
	struct stress_wire *w = calloc(1, sizeof(*w));
	int rc = 0, err;

	*wire = NULL;
	if (!w)
		return problem_errno(p, ENOMEM, "stress tls: no memory");
	w->fn = fn;
	w->ctx = ctx;
	err = start(w, device);
	if (err)
		rc = problem_library(p, err);
	if (!rc) {
		err = pthread_create(&w->thread, NULL, receive, w);
		w->running = !err;
		if (err)
			rc = problem_errno(p, err, "stress tls: no thread: %s", strerror(err));
	}
	if (rc)
		stress_wire_close(w);
	else
		*wire = w;
	return rc;
}

void stress_wire_close(struct stress_wire *w)
{
	if (!w)
		return;
	atomic_store(&w->stop, true);
	if (w->running)
		pthread_join(w->thread, NULL);
	mlxo_ipsec_close(w->ipsec);
	mlxo_channel_destroy(w->channel);
	mlxo_device_close(w->dev);
	free(w);
}
