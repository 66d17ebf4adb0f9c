// SPDX-License-Identifier: BSD-2-Clause
/*
 * Who owns what: the run owns the engine, the payload (registered with the engine) and a simulation per thread, each of
 * which owns a queue. The wire's watcher is set before the first queue and removed after the last.
 *
 * The first simulation runs in the caller's thread, which also looks for signals and shows progress.
 */
#include "tools/stress/run.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "tools/stress/sim.h"
#include "tools/stress/wire.h"
#include "tools/wait.h"

enum { PAYLOAD_BYTES = 1 << 20, PROGRESS_NS = 100000000 };
enum { FILL_STEPS = 20000, FILL_MS = 1 };

struct run {
	struct session *s;
	const struct stress_options *opt;
	struct stress_result *result;
	struct mlxo_tls_engine *engine;
	uint8_t *bytes;
	struct stress_payload payload;
	struct stress_sim *sim;
	struct stress_wire *wire; /* NULL: the model's own is watched */
	pthread_t *thread;
	unsigned int nsims, nthreads; /* begun */
	atomic_bool stop;
	bool terminal;
	uint64_t shown; /* when progress was shown last, ns of the machine */
};

static uint64_t clock_ns(clockid_t id)
{
	struct timespec t;

	clock_gettime(id, &t);
	return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

enum stress_clock stress_clock_of(const struct session *s)
{
	struct mlxo_stat *stats;
	size_t n;

	if (session_is_virtual(s))
		return STRESS_VIRTUAL;
	if (mlxo_model_stats(s->dev, &stats, &n))
		return STRESS_NIC;
	free(stats);
	return s->spec && strstr(s->spec, "time=real") ? STRESS_REAL : STRESS_ZERO;
}

/* -- counters and progress -- */

static uint64_t rss_bytes(void)
{
	unsigned long long size, resident = 0;
	FILE *f = fopen("/proc/self/statm", "re");

	if (!f)
		return 0;
	if (fscanf(f, "%llu %llu", &size, &resident) != 2)
		resident = 0;
	fclose(f);
	return resident * (uint64_t)sysconf(_SC_PAGESIZE);
}

/* For the recorder. Only the first thread's simulation exists in virtual time. */
static void read_counters(void *ctx, struct stress_counters *c)
{
	struct run *run = ctx;
	int rc = stress_counters_read(run->s->dev, run->engine, c);

	if (rc)
		memset(c, 0, sizeof(*c));
	c->now = mlxo_device_now(run->s->dev);
	c->busy_ps = run->result->clock == STRESS_VIRTUAL
			     ? run->sim[0].host.busy_ps
			     : 1000 * clock_ns(CLOCK_PROCESS_CPUTIME_ID);
	if (run->result->rec.draining && !run->result->rss)
		run->result->rss = rss_bytes();
}

static void tick(void *ctx)
{
	struct run *run = ctx;
	uint64_t now;

	if (wait_came()) {
		run->result->interrupted = true;
		atomic_store(&run->stop, true);
	}
	now = run->terminal ? clock_ns(CLOCK_MONOTONIC) : 0;
	if (now < run->shown + PROGRESS_NS)
		return;
	run->shown = now;
	fprintf(stderr, "\r%s: %llu of %llu connections\033[K",
		stress_mode_names[run->result->mode],
		(unsigned long long)run->sim[0].over * run->nsims,
		(unsigned long long)run->opt->connections);
}

static void end_progress(struct run *run)
{
	if (run->terminal)
		fputs("\r\033[K", stderr);
}

/* -- setting up -- */

static void watch_wire(void *ctx, uint64_t when, const uint8_t *frame, size_t len)
{
	struct run *run = ctx;
	struct stress_frame f;

	if (stress_frame_parse(frame, len, /* check */ false, &f) && f.thread < run->nsims)
		stress_peer_frame(&run->sim[f.thread], when, &f, frame, len);
}

/* In the thread of a second port. */
static void take_from_wire(void *ctx, const uint8_t *frame, size_t len)
{
	struct run *run = ctx;
	struct stress_frame f;

	if (stress_frame_parse(frame, len, /* check */ false, &f) && f.thread < run->opt->threads)
		stress_peer_send(&run->sim[f.thread], mlxo_device_now(run->s->dev), frame, len);
}

static int open_engine(struct run *run)
{
	static const struct {
		enum mlxo_tls_recycle recycle;
		enum mlxo_tls_admission admission;
	} modes[STRESS_NMODES] = {
		[STRESS_NONE] = {MLXO_TLS_RECYCLE_NONE, MLXO_TLS_ADMIT_ALWAYS},
		[STRESS_TIS] = {MLXO_TLS_RECYCLE_TIS, MLXO_TLS_ADMIT_ALWAYS},
		[STRESS_TIS_DEK] = {MLXO_TLS_RECYCLE_ALL, MLXO_TLS_ADMIT_ALWAYS},
		[STRESS_ADAPTIVE] = {MLXO_TLS_RECYCLE_ALL, MLXO_TLS_ADMIT_ADAPTIVE},
		[STRESS_NEVER] = {MLXO_TLS_RECYCLE_ALL, MLXO_TLS_ADMIT_NEVER},
	};
	struct mlxo_tls_engine_opts opts = {
		.size = sizeof(opts),
		.recycle = modes[run->result->mode].recycle,
		.admission = modes[run->result->mode].admission,
		.caller_runs = run->result->clock == STRESS_VIRTUAL,
	};
	int rc = mlxo_tls_engine_open(run->s->dev, &opts, &run->engine);

	return rc ? session_failed(run->s, rc) : 0;
}

/* Any 16384 bytes in one piece: the beginning stands once more behind the end. */
static int make_payload(struct run *run)
{
	struct stress_random r;
	size_t len = PAYLOAD_BYTES + MLXO_TLS_RECORD_MAX;
	int rc;

	run->bytes = aligned_alloc(4096, len);
	if (!run->bytes)
		return problem_errno(&run->s->problem, ENOMEM, "stress tls: no memory");
	stress_random_init(&r, run->opt->seed, /* use: threads have the lower ones */ 1000);
	stress_random_bytes(&r, run->bytes, PAYLOAD_BYTES);
	memcpy(run->bytes + PAYLOAD_BYTES, run->bytes, MLXO_TLS_RECORD_MAX);
	run->payload = (struct stress_payload){run->bytes, PAYLOAD_BYTES};
	rc = mlxo_tls_memory_register(run->engine, run->bytes, len);
	if (rc) {
		free(run->bytes);
		run->bytes = NULL;
	}
	return rc ? session_failed(run->s, rc) : 0;
}

/* This thread's share of n. */
static uint64_t share(uint64_t n, unsigned int threads, unsigned int i)
{
	return n / threads + (i < n % threads);
}

static int make_sim(struct run *run, unsigned int i)
{
	const struct stress_options *o = run->opt;
	struct stress_sim *sim = &run->sim[i];
	int rc = 0;

	sim->opt = o;
	sim->dev = run->s->dev;
	sim->engine = run->engine;
	sim->recorder = &run->result->rec;
	sim->payload = &run->payload;
	sim->stop = &run->stop;
	sim->is_virtual = run->result->clock == STRESS_VIRTUAL;
	sim->thread = i;
	sim->connections = share(o->connections, o->threads, i);
	sim->alive = share(o->alive, o->threads, i);
	if (i == 0) {
		sim->tick = tick;
		sim->tick_ctx = run;
	}
	if (sim->is_virtual)
		rc = mlxo_model_host(sim->dev, &sim->cost);
	run->result->host_threads = sim->is_virtual ? sim->cost.threads : o->threads;
	run->result->open_ns = sim->cost.open_ps / 2000;
	run->result->close_ns = sim->cost.open_ps / 2000;
	if (rc)
		return session_failed(run->s, rc);
	rc = stress_sim_init(sim);
	run->nsims++;
	if (rc)
		run->s->problem = sim->problem;
	return rc;
}

/* Commands of the pools that are queued or under way. */
static uint64_t background(struct run *run)
{
	static const char *const names[] = {"in_flight", "urgent", "normal", "lazy"};
	struct mlxo_stat *stats;
	uint64_t sum = 0;
	size_t n;

	if (mlxo_tls_stats(run->engine, &stats, &n))
		return 0;
	for (size_t i = 0; i < n; i++)
		for (size_t k = 0; k < 4; k++)
			if (!strcmp(stats[i].group, "background") &&
			    !strcmp(stats[i].name, names[k]))
				sum += stats[i].value;
	free(stats);
	return sum;
}

/* Connections come to an engine that has been there for a while: its pools are full. Part of the fill. */
static void fill_pools(struct run *run)
{
	for (int i = 0; i < FILL_STEPS && background(run) > 0 && !wait_came(); i++)
		if (!mlxo_device_progress(run->s->dev))
			mlxo_device_wait(run->s->dev, FILL_MS);
}

static int set_up(struct run *run)
{
	int rc = open_engine(run);

	if (!rc)
		fill_pools(run);
	if (!rc)
		rc = make_payload(run);
	if (rc)
		return rc;
	if (run->opt->wire)
		rc = stress_wire_open(run->opt->wire, take_from_wire, run, &run->s->problem,
				      &run->wire);
	else if (mlxo_model_wire_watch(run->s->dev, watch_wire, run))
		rc = session_failed(run->s, -ENOTSUP);
	for (unsigned int i = 0; i < run->opt->threads && !rc; i++)
		rc = make_sim(run, i);
	return rc;
}

static void tear_down(struct run *run)
{
	stress_wire_close(run->wire);
	for (unsigned int i = 0; i < run->nsims; i++)
		stress_sim_fini(&run->sim[i]);
	if (!run->wire)
		mlxo_model_wire_watch(run->s->dev, NULL, NULL);
	if (run->bytes)
		mlxo_tls_memory_unregister(run->engine, run->bytes);
	mlxo_tls_engine_close(run->engine);
	run->engine = NULL;
	free(run->bytes);
}

/* -- running -- */

static void *run_sim(void *ctx)
{
	struct stress_sim *sim = ctx;

	stress_sim_run(sim);
	if (sim->broken)
		atomic_store(sim->stop, true);
	return NULL;
}

static int run_all(struct run *run)
{
	int rc = 0;

	for (unsigned int i = 1; i < run->nsims && !rc; i++) {
		rc = pthread_create(&run->thread[i], NULL, run_sim, &run->sim[i]);
		run->nthreads += !rc;
	}
	if (rc) {
		atomic_store(&run->stop, true);
		problem_errno(&run->s->problem, rc, "stress tls: no thread: %s", strerror(rc));
	} else {
		run_sim(&run->sim[0]);
	}
	for (unsigned int i = 1; i <= run->nthreads; i++)
		pthread_join(run->thread[i], NULL);
	for (unsigned int i = 0; i < run->nsims && !rc; i++)
		if (run->sim[i].broken) {
			run->s->problem = run->sim[i].problem;
			rc = run->s->problem.exit;
		}
	return rc ? (int)run->s->problem.exit : 0;
}

/* -- what is left on the device -- */

static int compare(struct run *run, const struct mlxo_stat *before, size_t n)
{
	struct mlxo_stat *after;
	size_t m;
	int rc = before ? mlxo_model_census(run->s->dev, &after, &m) : 0;

	if (!before)
		return 0; /* a NIC does not tell */
	if (rc)
		return session_failed(run->s, rc);
	for (size_t i = 0; i < n && i < m && !rc; i++)
		if (before[i].value != after[i].value)
			rc = problem_errno(
				&run->s->problem, EBUSY,
				"stress tls, mode %s: %s: %llu objects before, %llu after",
				stress_mode_names[run->result->mode], after[i].name,
				(unsigned long long)before[i].value,
				(unsigned long long)after[i].value);
	free(after);
	return rc;
}

static int check_records(struct run *run)
{
	const struct stress_recorder *r = &run->result->rec;

	if (!r->failure[0])
		return 0;
	return problem_errno(&run->s->problem, EBADMSG,
			     "stress tls, mode %s: %s (%llu connections of %llu verified are bad)",
			     stress_mode_names[run->result->mode], r->failure,
			     (unsigned long long)r->all.bad, (unsigned long long)r->all.checked);
}

static int measure(struct run *run)
{
	struct stress_counters last;
	int rc;

	/* Before the engine is opened: what it makes in advance is part of the fill. */
	stress_recorder_init(&run->result->rec, run->opt->connections, run->opt->warmup,
			     read_counters, run);
	rc = set_up(run);
	if (!rc)
		rc = run_all(run);
	end_progress(run);
	stress_recorder_end(&run->result->rec);
	tear_down(run);
	if (!stress_counters_read(run->s->dev, NULL, &last))
		run->result->teardown = last.commands - run->result->rec.end.commands;
	return rc ? rc : check_records(run);
}

int stress_run(struct session *s, const struct stress_options *o, enum stress_mode mode,
	       struct stress_result *result)
{
	struct run run = {.s = s, .opt = o, .result = result};
	struct mlxo_stat *before = NULL;
	size_t n = 0;
	int rc = 0;

	memset(result, 0, sizeof(*result));
	result->mode = mode;
	result->clock = stress_clock_of(s);
	if (result->clock != STRESS_NIC)
		rc = mlxo_model_census(s->dev, &before, &n);
	if (rc)
		return session_failed(s, rc);
	run.terminal = isatty(STDERR_FILENO);
	run.sim = calloc(o->threads, sizeof(*run.sim));
	run.thread = calloc(o->threads, sizeof(*run.thread));
	if (!run.sim || !run.thread) {
		rc = problem_errno(&s->problem, ENOMEM, "stress tls: no memory");
	} else {
		rc = measure(&run);
		rc = rc ? rc : compare(&run, before, n);
	}
	free(before);
	free(run.sim);
	free(run.thread);
	return rc;
}
