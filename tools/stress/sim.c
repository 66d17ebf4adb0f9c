// SPDX-License-Identifier: BSD-2-Clause
/*
 * The loop:
 *
 *	events that are due ─▶ host work ─▶ doorbell, acknowledgments ─▶ poll, keys that came ─┐
 *	  ▲ as long as there is something to do at this time				       │
 *	  └────────────────── the clock: one step of the device, or up to the next event ◀─────┘
 */
#include "tools/stress/sim.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum {
	TICK_TURNS = 64,     /* between two looks at signals */
	IDLE_NS = 100000000, /* a step when there is no event */
	IDLE_STEPS = 600,    /* so many of them without an event: the run stands still */
	SLEEP_NS = 100000,   /* real time: longest sleep, commands of others may be done */
	SPIN_NS = 20000,     /* real time: no sleep for less */
	QUEUE_BLOCKS = 32768,
	BUFFER_LEAST = 16 << 20,
};

#define BUFFER_MOST (1ULL << 30)

/* -- small things for all three files -- */

void stress_sim_put_event(struct stress_sim *sim, const struct stress_event *e)
{
	if (!stress_heap_put(&sim->heap, e))
		stress_sim_break(sim, -ENOMEM);
}

void stress_sim_event(struct stress_sim *sim, uint64_t time, uint32_t kind,
		      const struct stress_conn *c)
{
	struct stress_event e = {.time = time, .kind = kind};

	if (c) {
		e.slot = c->slot;
		e.id = c->id;
	}
	stress_sim_put_event(sim, &e);
}

struct stress_conn *stress_sim_conn(struct stress_sim *sim, uint32_t slot, uint64_t id)
{
	struct stress_conn *c = sim->conn[slot];

	return c->used && c->id == id ? c : NULL;
}

void stress_sim_stall(struct stress_conn *c, unsigned int what)
{
	struct stress_work w = {.id = c->id, .slot = c->slot};
	bool listed = c->stalled != 0;

	c->stalled |= what;
	if (!listed && !stress_host_put(&c->sim->line, &w))
		stress_sim_break(c->sim, -ENOMEM);
}

void stress_sim_break(struct stress_sim *sim, int err)
{
	sim->broken = true;
	if (sim->problem.exit)
		return;
	if (err == -ENOMEM && !mlxo_error_last()->text[0])
		problem_errno(&sim->problem, ENOMEM, "stress tls: no memory");
	else
		problem_library(&sim->problem, err);
}

uint64_t stress_sim_now(const struct stress_sim *sim)
{
	return sim->is_virtual ? sim->now : mlxo_device_now(sim->dev);
}

uint64_t stress_sim_cpu(const struct stress_sim *sim)
{
	struct timespec t;

	if (sim->is_virtual)
		return 0;
	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

/* -- events -- */

static void key_came(void *ctx, struct mlxo_tls *tls, enum mlxo_tls_event event)
{
	struct stress_sim *sim = ctx;
	struct stress_conn *c = mlxo_tls_user(tls);

	if (event == MLXO_TLS_EVENT_FAILED)
		stress_recorder_fallback(sim->recorder);
	else if (event != MLXO_TLS_EVENT_READY)
		return;
	if (c->ready)
		return;
	c->ready = true;
	c->next_ready = sim->ready;
	sim->ready = c;
}

static void arrive(struct stress_sim *sim)
{
	double mean = 1e9 * sim->opt->threads / (double)sim->opt->rate;

	stress_conn_arrive(sim);
	if (sim->begun < sim->connections)
		stress_sim_event(sim, sim->now + stress_random_wait(&sim->arrivals, mean),
				 EVENT_ARRIVE, NULL);
}

static void happen(struct stress_sim *sim, const struct stress_event *e)
{
	struct stress_conn *c;

	if (e->kind == EVENT_ARRIVE) {
		arrive(sim);
		return;
	}
	if (e->kind == EVENT_OPENED || e->kind == EVENT_WRITTEN || e->kind == EVENT_CLOSED)
		stress_host_release(&sim->host);
	c = stress_sim_conn(sim, e->slot, e->id);
	if (!c || (c->done && e->kind != EVENT_CLOSED))
		return;
	switch (e->kind) {
	case EVENT_OPENED: stress_conn_opened(c); break;
	case EVENT_WRITE: stress_conn_put(c, WORK_WRITE); break;
	case EVENT_WRITTEN: stress_conn_written(c); break;
	case EVENT_ACK: stress_conn_acked(c, e); break;
	case EVENT_TIMER: stress_conn_timer(c); break;
	case EVENT_CLOSED: stress_conn_over(c); break;
	}
}

static bool work(struct stress_sim *sim)
{
	struct stress_work w;
	bool any = false;

	while (!sim->broken && stress_host_take(&sim->host, &w)) {
		stress_conn_work(sim, &w);
		any = true;
	}
	return any;
}

static void ring(struct stress_sim *sim)
{
	if (sim->dirty)
		mlxo_tls_queue_flush(sim->queue);
	sim->dirty = false;
}

static bool poll_queue(struct stress_sim *sim)
{
	struct stress_conn *list, *first = NULL;
	int rc = mlxo_tls_queue_poll(sim->queue);

	if (rc)
		stress_sim_break(sim, rc);
	list = sim->ready;
	sim->ready = NULL;
	while (list) { /* turned round: first come, first served */
		struct stress_conn *c = list;

		list = c->next_ready;
		c->next_ready = first;
		first = c;
	}
	for (list = first; list; list = first) {
		first = list->next_ready;
		list->ready = false;
		stress_conn_ready(list);
	}
	return sim->host.n > 0 && sim->host.busy < sim->host.threads;
}

/* Everything that can be done at this time. false: there was nothing. */
static bool turn(struct stress_sim *sim)
{
	bool any = false, again = true;

	while (again && !sim->broken) {
		again = false;
		while (!sim->broken && stress_heap_time(&sim->heap) <= sim->now) {
			struct stress_event e = stress_heap_take(&sim->heap);

			happen(sim, &e);
			again = true;
		}
		again |= work(sim);
		ring(sim);
		again |= poll_queue(sim);
		again |= stress_peer_take(sim);
		stress_peer_answer(sim);
		any |= again;
	}
	return any;
}

/* Queue or buffers may have room again. */
static void retry(struct stress_sim *sim)
{
	struct stress_work w;

	for (size_t n = sim->line.n; n > 0 && stress_host_take(&sim->line, &w); n--) {
		struct stress_conn *c = stress_sim_conn(sim, w.slot, w.id);

		if (!c || c->done || stress_conn_retry(c))
			continue;
		if (!stress_host_put(&sim->line, &w))
			stress_sim_break(sim, -ENOMEM);
		return;
	}
}

/* -- the clock -- */

static void step_virtual(struct stress_sim *sim, unsigned int *idle)
{
	uint64_t until = stress_heap_time(&sim->heap);
	bool none = until == UINT64_MAX;
	int rc;

	if (none)
		until = sim->now + IDLE_NS;
	rc = mlxo_model_advance(sim->dev, until, &sim->now);
	if (rc)
		stress_sim_break(sim, rc);
	if (!none)
		*idle = 0;
	else if (sim->now == until && ++*idle == IDLE_STEPS) {
		sim->broken = true;
		problem_errno(
			&sim->problem, ETIMEDOUT,
			"stress tls: the run stands still: %llu connections wait for the device",
			(unsigned long long)(sim->begun - sim->over));
	}
}

static void step_real(struct stress_sim *sim, bool worked)
{
	uint64_t next = stress_heap_time(&sim->heap);

	if (!mlxo_device_progress(sim->dev) && !worked) {
		uint64_t ns = next > sim->now ? next - sim->now : 0;
		struct timespec t = {.tv_nsec = ns < SLEEP_NS ? (long)ns : SLEEP_NS};

		if (ns > SPIN_NS)
			nanosleep(&t, NULL);
	}
	sim->now = mlxo_device_now(sim->dev);
}

void stress_sim_run(struct stress_sim *sim)
{
	unsigned int idle = 0, turns = 0;
	bool worked;

	sim->now = mlxo_device_now(sim->dev);
	for (uint64_t i = 0; i < sim->alive && i < sim->connections; i++)
		stress_conn_arrive(sim);
	if (!sim->alive)
		stress_sim_event(sim, sim->now, EVENT_ARRIVE, NULL);
	while (!sim->broken && sim->over < sim->connections) {
		if (sim->tick && turns++ % TICK_TURNS == 0)
			sim->tick(sim->tick_ctx);
		if (atomic_load_explicit(sim->stop, memory_order_relaxed))
			return;
		worked = turn(sim);
		retry(sim);
		if (sim->is_virtual)
			step_virtual(sim, &idle);
		else
			step_real(sim, worked);
	}
}

/* -- beginning and end -- */

static size_t buffer_bytes(const struct stress_sim *sim)
{
	uint64_t each = stress_sizes_max(&sim->opt->sizes), all, bytes = BUFFER_LEAST;

	each = each < 4 * MLXO_TLS_RECORD_MAX ? each + 1024 : 4 * MLXO_TLS_RECORD_MAX;
	all = 2 * each * (sim->alive ? sim->alive : 1000);
	while (bytes < all && bytes < BUFFER_MOST)
		bytes *= 2;
	return bytes;
}

int stress_sim_init(struct stress_sim *sim)
{
	struct mlxo_tls_queue_opts opts = {
		.size = sizeof(opts),
		.sq_blocks = QUEUE_BLOCKS,
		.buffer_bytes = buffer_bytes(sim),
		.event = key_came,
		.ctx = sim,
	};
	uint64_t seed = sim->opt->seed;
	int rc;

	stress_random_init(&sim->arrivals, seed, 4 * sim->thread);
	stress_random_init(&sim->sizes, seed, 4 * sim->thread + 1);
	stress_random_init(&sim->keys, seed, 4 * sim->thread + 2);
	stress_random_init(&sim->losses, seed, 4 * sim->thread + 3);
	stress_host_init(&sim->host, sim->is_virtual ? sim->cost.threads : UINT32_MAX);
	stress_host_init(&sim->line, 1);
	sim->evp = EVP_CIPHER_CTX_new();
	rc = sim->evp ? mlxo_tls_queue_create(sim->engine, &opts, &sim->queue) : -ENOMEM;
	if (rc)
		stress_sim_break(sim, rc);
	return sim->problem.exit;
}

void stress_sim_fini(struct stress_sim *sim)
{
	stress_peer_discard(sim);
	for (uint32_t i = 0; i < sim->nslots; i++) {
		if (sim->conn[i]->used)
			stress_conn_free(sim->conn[i]);
		free(sim->conn[i]);
	}
	mlxo_tls_queue_destroy(sim->queue);
	free(sim->conn);
	free(sim->free_slot);
	EVP_CIPHER_CTX_free(sim->evp);
	stress_heap_fini(&sim->heap);
	stress_host_fini(&sim->host);
	stress_host_fini(&sim->line);
}
