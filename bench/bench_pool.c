// SPDX-License-Identifier: BSD-2-Clause
/*
 * What a pooled context or key slot costs the host.
 *
 *   instructions   of a cached get + put, counted by callgrind, with 1 thousand to 1 million contexts in use: the same
 *                  number for all, as nothing on this path grows with the pool
 *   threads        what a second thread brings, next to what it brings to a loop that touches no memory; and what a pair
 *		    costs in CPU time then, which does not ask whether the machine had a second CPU to spare
 *   memory         heap bytes per idle context and per idle key slot, all of the library's bookkeeping included
 *
 * The device here answers every command inside of submit() and keeps nothing, so that only the library is measured.
 * Ratios are of one run, in turns, the best of ROUNDS. Under valgrind the program runs itself: bench_pool --pairs N M.
 */
#include <malloc.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "objects/device.h"
#include "pool/dek.h"
#include "pool/tis.h"

#if __has_include(<valgrind/callgrind.h>)
#include <valgrind/callgrind.h>
#else
#define CALLGRIND_START_INSTRUMENTATION
#define CALLGRIND_STOP_INSTRUMENTATION
#endif

enum { ROUNDS = 5, FEW = 1000, MANY = 101000 };
static const unsigned long pairs_per_round = 20 * 1000 * 1000;

static void die(const char *what)
{
	fprintf(stderr, "bench_pool: %s: %s\n", what, mlxo_error_last()->text);
	exit(1);
}

/* -- a device that does nothing ------------------------------------------------------------------------------ */

static struct prov_base nothing;
static uint32_t last_id;

static int submit(struct prov_device *dev, struct prov_cmd *cmd)
{
	memset(cmd->out, 0, cmd->outlen);
	cmd->result = 0;
	if (cmd->kind == PROV_CMD_CREATE) {
		uint8_t *param = PRM_AT(general_obj_in_cmd_hdr, (uint8_t *)cmd->in, op_param);
		bool key = prm_in_opcode(cmd->in) == PRM_CMD_OP_CREATE_GENERAL_OBJECT;

		/* 32 bits for keys, 24 for the others */
		prm_put(cmd->out, 0x40, 32, last_id + 1);
		last_id += key ? 1u << PRM_GET(general_obj_create_param, param, log_obj_range) : 1;
		last_id &= 0x7fffff;
		cmd->obj = (struct prov_obj *)&nothing;
	} else if (cmd->kind == PROV_CMD_GENERAL &&
		   prm_in_opcode(cmd->in) == PRM_CMD_OP_QUERY_HCA_CAP) {
		memset((uint8_t *)cmd->out + 16, 0xff, cmd->outlen - 16);
	}
	cmd->done(cmd);
	return 0;
}

static int zero(struct prov_device *dev)
{
	return 0;
}

static int wait(struct prov_device *dev, int timeout_ms)
{
	return 0;
}

static int uar(struct prov_device *dev, struct prov_uar *page)
{
	return 0;
}

static uint64_t now(struct prov_device *dev)
{
	return 0;
}

static void arm(struct prov_device *dev, struct prov_timer *t)
{
}

static bool cancel(struct prov_device *dev, struct prov_timer *t)
{
	return true;
}

static void nothing_to_close(struct prov_device *dev)
{
}

static const struct prov_ops ops = {
	.name = "nothing",
	.close = nothing_to_close,
	.submit = submit,
	.progress = zero,
	.wait = wait,
	.uar_alloc = uar,
	.uar_free = uar,
	.now = now,
	.timer_arm = arm,
	.timer_cancel = cancel,
};

struct bench {
	struct mlxo_device *dev;
	struct pool_exec *exec;
	struct pool_tis_pool *tis;
	void **held;
};

static void start(struct bench *b)
{
	nothing.ops = &ops;
	if (obj_device_open_on((struct prov_device *)&nothing, &b->dev) ||
	    pool_exec_create(b->dev, &(struct pool_exec_opts){0}, &b->exec))
		die("a device");
}

static void stop(struct bench *b)
{
	pool_exec_destroy(b->exec);
	mlxo_device_close(b->dev);
}

/* -- instructions -------------------------------------------------------------------------------------------- */

/* n pairs while `live` contexts are in use. Once in each batch the whole magazine goes and comes. */
static void run_pairs(unsigned long n, unsigned long live)
{
	struct pool_tis_opts o = {.low = 128, .idle_ns = UINT64_MAX};
	struct pool_cache c;
	struct bench b;

	start(&b);
	if (pool_tis_create(b.exec, &o, &b.tis))
		die("a pool");
	pool_cache_init(&c, pool_tis_base(b.tis), 0);
	b.held = calloc(live + 1, sizeof(*b.held));
	for (unsigned long i = 0; i <= live; i++)
		if (!(b.held[i] = pool_get(&c)))
			die("a context");
	pool_put(&c, b.held[live]);
	CALLGRIND_START_INSTRUMENTATION;
	for (unsigned long i = 0; i < n; i++)
		pool_put(&c, pool_get(&c));
	CALLGRIND_STOP_INSTRUMENTATION;
	for (unsigned long i = 0; i < live; i++)
		pool_put(&c, b.held[i]);
	pool_cache_fini(&c);
	pool_tis_destroy(b.tis);
	free(b.held);
	stop(&b);
}

/* Instructions of a run of its own; 0: no valgrind. */
static unsigned long long instructions(const char *self, unsigned long n, unsigned long live)
{
	unsigned long long total = 0;
	char line[512];
	FILE *f;

	snprintf(line, sizeof(line),
		 "valgrind --tool=callgrind --callgrind-out-file=/dev/null --instr-atstart=%s "
		 "'%s' --pairs %lu %lu 2>&1",
#if __has_include(<valgrind/callgrind.h>)
		 "no",
#else
		 "yes",
#endif
		 self, n, live);
	f = popen(line, "r");
	while (f && fgets(line, sizeof(line), f)) {
		char *at = strstr(line, "Collected :");

		if (at)
			total = strtoull(at + strlen("Collected :"), NULL, 10);
	}
	if (f)
		pclose(f);
	return total;
}

static void bench_instructions(const char *self)
{
	if (system("valgrind --version >/dev/null 2>&1")) {
		printf("instructions: no valgrind here\n");
		return;
	}
	for (unsigned long live = 1000; live <= 1000000; live *= 10) {
		unsigned long long few = instructions(self, FEW, live),
				   many = instructions(self, MANY, live);

		printf("instructions of a cached get + put, %7lu contexts in use: %.1f\n", live,
		       (double)(many - few) / (MANY - FEW));
		fflush(stdout);
	}
}

/* -- threads ------------------------------------------------------------------------------------------------- */

struct worker {
	struct pool *pool; /* NULL: the empty loop */
	pthread_barrier_t *barrier;
	uint64_t ns, cpu_ns;
};

static uint64_t clock_ns(clockid_t id)
{
	struct timespec t;

	clock_gettime(id, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static void *work(void *arg)
{
	struct worker *w = arg;
	struct pool_cache c;
	uint64_t before, cpu;

	if (w->pool) {
		pool_cache_init(&c, w->pool, 0);
		pool_put(&c, pool_get(&c));
	}
	pthread_barrier_wait(w->barrier);
	before = clock_ns(CLOCK_MONOTONIC);
	cpu = clock_ns(CLOCK_THREAD_CPUTIME_ID);
	if (w->pool)
		for (unsigned long i = 0; i < pairs_per_round; i++)
			pool_put(&c, pool_get(&c));
	else
		for (unsigned long i = 0; i < 4 * pairs_per_round; i++)
			__asm__ volatile("" : : "r"(i));
	w->ns = clock_ns(CLOCK_MONOTONIC) - before;
	w->cpu_ns = clock_ns(CLOCK_THREAD_CPUTIME_ID) - cpu;
	if (w->pool)
		pool_cache_fini(&c);
	return NULL;
}

/* A round of n threads: of the slowest. */
static struct worker round_of(struct pool *pool, unsigned int n)
{
	struct worker w[2];
	pthread_t thread[2];
	pthread_barrier_t barrier;
	struct worker slowest = {0};

	pthread_barrier_init(&barrier, NULL, n);
	for (unsigned int i = 0; i < n; i++) {
		w[i] = (struct worker){.pool = pool, .barrier = &barrier};
		if (pthread_create(&thread[i], NULL, work, &w[i]))
			die("a thread");
	}
	for (unsigned int i = 0; i < n; i++) {
		pthread_join(thread[i], NULL);
		if (w[i].ns > slowest.ns)
			slowest.ns = w[i].ns;
		if (w[i].cpu_ns > slowest.cpu_ns)
			slowest.cpu_ns = w[i].cpu_ns;
	}
	pthread_barrier_destroy(&barrier);
	return slowest;
}

static void keep_best(uint64_t *best, uint64_t ns)
{
	if (!*best || ns < *best)
		*best = ns;
}

/* How many times as much n threads did in the time of one. */
static double gain(const struct worker best[2])
{
	return 2.0 * (double)best[0].ns / (double)best[1].ns;
}

static void bench_threads(void)
{
	struct worker best[2][2] = {0}; /* empty loop and pairs; 1 and 2 threads */
	struct bench b;

	start(&b);
	if (pool_tis_create(b.exec, &(struct pool_tis_opts){.idle_ns = UINT64_MAX}, &b.tis))
		die("a pool");
	for (int r = 0; r < ROUNDS; r++)
		for (unsigned int n = 1; n <= 2; n++)
			for (int pooled = 0; pooled < 2; pooled++) {
				struct worker w = round_of(pooled ? pool_tis_base(b.tis) : NULL, n);

				keep_best(&best[pooled][n - 1].ns, w.ns);
				keep_best(&best[pooled][n - 1].cpu_ns, w.cpu_ns);
			}
	printf("a second thread: pairs %.2f times as many, empty loop %.2f times, ratio %.2f\n",
	       gain(best[1]), gain(best[0]), gain(best[1]) / gain(best[0]));
	printf("CPU time of a pair: %.2f ns, with two threads %.2f times that (empty loop %.2f)\n",
	       (double)best[1][0].cpu_ns / (double)pairs_per_round,
	       (double)best[1][1].cpu_ns / (double)best[1][0].cpu_ns,
	       (double)best[0][1].cpu_ns / (double)best[0][0].cpu_ns);
	pool_tis_destroy(b.tis);
	stop(&b);
}

/* -- memory -------------------------------------------------------------------------------------------------- */

/* Heap and mapped blocks in use. */
static size_t used(void)
{
	struct mallinfo2 m = mallinfo2();

	return m.uordblks + m.hblkhd;
}

static void bench_memory(uint32_t n)
{
	struct pool_tis_opts t = {.low = n, .high = n + 16, .max = n, .idle_ns = UINT64_MAX};
	struct pool_dek_opts k = {.purpose = PRM_GENERAL_OBJECT_TYPE_ENCRYPTION_KEY_PURPOSE_TLS,
				  .low = n,
				  .max = n,
				  .idle_ns = UINT64_MAX};
	struct pool_tis_stats ts;
	struct pool_dek_stats ks;
	struct pool_dek_pool *dek;
	struct bench b;
	size_t before, context, slot;

	start(&b);
	before = used();
	if (pool_tis_create(b.exec, &t, &b.tis))
		die("a pool");
	context = used() - before;
	pool_tis_stats(b.tis, &ts);
	before = used();
	if (pool_dek_create(b.exec, &k, &dek))
		die("a pool");
	slot = used() - before;
	pool_dek_stats(dek, &ks);
	printf("memory of %7u: %.1f bytes per idle context, %.1f per idle key slot\n", n,
	       (double)context / ts.free, (double)slot / ks.clean);
	pool_dek_destroy(dek);
	pool_tis_destroy(b.tis);
	stop(&b);
}

int main(int argc, char **argv)
{
	char self[256];
	ssize_t n;

	if (argc == 4 && strcmp(argv[1], "--pairs") == 0) {
		run_pairs(strtoul(argv[2], NULL, 10), strtoul(argv[3], NULL, 10));
		return 0;
	}
	n = readlink("/proc/self/exe", self, sizeof(self) - 1);
	if (n < 0)
		return 1;
	self[n] = 0;
	for (uint32_t items = 1000; items <= 1000000; items *= 10)
		bench_memory(items);
	bench_threads();
	bench_instructions(self);
	return 0;
}
