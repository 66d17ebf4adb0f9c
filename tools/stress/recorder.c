// SPDX-License-Identifier: BSD-2-Clause
/* Phases follow from counting connections that begin; intervals from counting those that are over. */
#include "tools/stress/recorder.h"

#include <stdio.h>
#include <string.h>

void stress_recorder_init(struct stress_recorder *r, uint64_t connections, uint64_t warmup,
			  void (*read)(void *ctx, struct stress_counters *c), void *ctx)
{
	memset(r, 0, sizeof(*r));
	pthread_mutex_init(&r->lock, NULL);
	r->read = read;
	r->ctx = ctx;
	r->connections = connections;
	r->warmup = warmup;
	r->every = (connections + STRESS_INTERVALS - 1) / STRESS_INTERVALS;
	read(ctx, &r->start);
	r->last.at = r->start.now;
	r->last.commands = r->start.commands;
	r->from = r->start;
	r->window = warmup == 0;
}

void stress_recorder_fini(struct stress_recorder *r)
{
	pthread_mutex_destroy(&r->lock);
}

static void begin_window(struct stress_recorder *r)
{
	r->window = true;
	r->read(r->ctx, &r->from);
}

static void end_window(struct stress_recorder *r)
{
	r->draining = true;
	r->window = false;
	r->read(r->ctx, &r->to);
}

void stress_recorder_begun(struct stress_recorder *r)
{
	pthread_mutex_lock(&r->lock);
	r->all.opened++;
	if (r->window)
		r->in.opened++;
	if (r->all.opened == r->warmup)
		begin_window(r);
	if (r->all.opened == r->connections)
		end_window(r);
	pthread_mutex_unlock(&r->lock);
}

static void add_ready(struct stress_sums *s, bool waited, uint64_t cpu_ns)
{
	s->waited += waited;
	s->open_cpu_ns += cpu_ns;
}

void stress_recorder_ready(struct stress_recorder *r, uint64_t ns, bool waited, uint64_t cpu_ns)
{
	pthread_mutex_lock(&r->lock);
	add_ready(&r->all, waited, cpu_ns);
	stress_histogram_add(&r->latency_now, ns);
	if (r->window) {
		add_ready(&r->in, waited, cpu_ns);
		stress_histogram_add(&r->latency, ns);
	}
	pthread_mutex_unlock(&r->lock);
}

void stress_recorder_fallback(struct stress_recorder *r)
{
	pthread_mutex_lock(&r->lock);
	r->all.fallback++;
	r->in.fallback += r->window;
	pthread_mutex_unlock(&r->lock);
}

static void add_closed(struct stress_sums *s, const struct stress_closed *c)
{
	s->closed++;
	s->bytes += c->bytes;
	s->hw_bytes += c->hw_bytes;
	s->hw_wire += c->hw_wire;
	s->long_bytes += c->is_long ? c->bytes : 0;
	s->long_hw_bytes += c->is_long ? c->hw_bytes : 0;
	s->resent += c->resent;
	s->close_cpu_ns += c->close_cpu_ns;
	s->checked += c->checked;
	s->records += c->records;
	s->checked_bytes += c->checked_bytes;
}

static void end_interval(struct stress_recorder *r)
{
	struct stress_interval *i = &r->interval[r->nintervals++];
	struct stress_counters c = {0};
	uint64_t ns;

	r->read(r->ctx, &c);
	ns = c.now - r->last.at;
	i->end_ns = c.now - r->start.now;
	i->closed = r->all.closed - r->last.closed;
	i->rate = ns ? (uint64_t)((unsigned __int128)i->closed * 1000000000 / ns) : 0;
	i->p99_ns = stress_histogram_at(&r->latency_now, 99000);
	i->commands = c.commands - r->last.commands;
	i->bytes = r->all.bytes - r->last.bytes;
	i->hw_bytes = r->all.hw_bytes - r->last.hw_bytes;
	r->last.at = c.now;
	r->last.closed = r->all.closed;
	r->last.commands = c.commands;
	r->last.bytes = r->all.bytes;
	r->last.hw_bytes = r->all.hw_bytes;
	memset(&r->latency_now, 0, sizeof(r->latency_now));
}

void stress_recorder_closed(struct stress_recorder *r, const struct stress_closed *c)
{
	pthread_mutex_lock(&r->lock);
	add_closed(&r->all, c);
	if (r->window)
		add_closed(&r->in, c);
	if (r->all.closed - r->last.closed == r->every && r->nintervals < STRESS_INTERVALS)
		end_interval(r);
	pthread_mutex_unlock(&r->lock);
}

void stress_recorder_bad(struct stress_recorder *r, uint64_t id, uint64_t record, const char *why)
{
	pthread_mutex_lock(&r->lock);
	r->all.bad++;
	if (!r->failure[0])
		snprintf(r->failure, sizeof(r->failure), "connection %llu, record %llu: %s",
			 (unsigned long long)id, (unsigned long long)record, why);
	pthread_mutex_unlock(&r->lock);
}

void stress_recorder_end(struct stress_recorder *r)
{
	pthread_mutex_lock(&r->lock);
	if (!r->draining) { /* stopped before: what there is of a window ends here */
		if (!r->window)
			r->read(r->ctx, &r->from);
		end_window(r);
	}
	r->read(r->ctx, &r->end);
	pthread_mutex_unlock(&r->lock);
}
