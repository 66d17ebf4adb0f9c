// SPDX-License-Identifier: BSD-2-Clause
/*
 * Threads on one engine that has a thread of its own for commands: each with a queue, opens, writes, sends, acknowledges, changes
 * keys, moves and closes connections with every admission, while one more reads statistics and registers memory. Pools are small, so that
 * they are empty often, wait for each other and clean all the time. Each peer reads what was written. Meant to be run under TSan.
 *
 * MLXO_CHURN_SECONDS: how long (2).
 */
#include "tests/lib/tls_crowd.h"
#include "tests/lib/test_device.h"

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { THREADS = 8, EACH = 6, ROOM = 1 << 17, MOST = 40000, LEAST_LIVES = 20 };

static struct {
	struct mlxo_device *dev;
	struct mlxo_tls_engine *engine;
	struct crowd crowd;
	struct timespec end;
	_Atomic unsigned int running;
	_Atomic int failed; /* line of the first call that did not do what it should */
	_Atomic uint64_t lives, hardware, waited;
} t;

struct worker {
	pthread_t thread;
	struct mlxo_tls_queue *queue;
	uint32_t first; /* its members */
	uint32_t seed;
	struct mlxo_tls *told; /* whose event came last */
};

static int fail_at(int line)
{
	int none = 0;

	atomic_compare_exchange_strong(&t.failed, &none, line);
	return -1;
}

#define NEED(x) \
	do { \
		if (!(x)) \
			return fail_at(__LINE__); \
	} while (0)

static uint32_t dice(struct worker *w, uint32_t sides)
{
	w->seed = w->seed * 1664525u + 1013904223u;
	return (w->seed >> 8) % sides;
}

static bool over(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec > t.end.tv_sec ||
	       (now.tv_sec == t.end.tv_sec && now.tv_nsec >= t.end.tv_nsec);
}

static void event(void *ctx, struct mlxo_tls *tls, enum mlxo_tls_event e)
{
	struct worker *w = ctx;

	(void)e;
	w->told = tls;
}

/* -- what a thread does ------------------------------------------------------------------------------------------- */

static int deliver(struct member *m)
{
	for (int i = 0; i < 10000 && tls_peer_next(&m->peer) != member_info(m).nxt; i++) {
		int err = i ? member_send_again(m) : member_send(m);

		NEED(err == 0 || err == -EAGAIN);
	}
	NEED(member_intact(m));
	return 0;
}

static int open_one(struct worker *w, uint32_t i)
{
	static const enum mlxo_tls_admission admission[] = {
		MLXO_TLS_ADMIT_ADAPTIVE, MLXO_TLS_ADMIT_ALWAYS, MLXO_TLS_ADMIT_BYTES,
		MLXO_TLS_ADMIT_NEVER,	 MLXO_TLS_ADMIT_ALWAYS,
	};
	uint32_t kind = dice(w, 5);
	struct member *m = crowd_member(&t.crowd, i, w->queue, dice(w, 3) ? 13 : 12,
					dice(w, 2) ? 256 : 128, ROOM);
	int err;

	m->params.admission = admission[kind];
	m->params.admit_bytes = 2000;
	m->params.expected_bytes = dice(w, 100000);
	m->params.flags = kind == 4 ? MLXO_TLS_NOWAIT : 0;
	err = member_open(m);
	if (err) { /* all are in use */
		NEED(err == -EAGAIN && !m->tls);
		atomic_fetch_add(&t.waited, 1);
		m->params.admission = MLXO_TLS_ADMIT_ADAPTIVE;
		NEED(member_open(m) == 0);
	}
	return 0;
}

static int close_one(struct worker *w, struct member *m)
{
	struct mlxo_tls_info info = member_info(m);

	if (info.state != MLXO_TLS_PENDING && dice(w, 4))
		NEED(deliver(m) == 0);
	atomic_fetch_add(&t.hardware, info.hw_records);
	atomic_fetch_add(&t.lives, 1);
	member_close(m);
	return 0;
}

static int write_some(struct worker *w, struct member *m)
{
	int err = member_write(m, dice(w, 4) ? dice(w, 1500) : dice(w, 16384));

	NEED(err == 0 || err == -EAGAIN);
	return 0;
}

static int rekey(struct member *m)
{
	if (!m->peer.v13 || member_info(m).state == MLXO_TLS_PENDING)
		return 0;
	NEED(deliver(m) == 0);
	NEED(member_rekey(m) == 0);
	return 0;
}

static int do_something(struct worker *w, struct member *m)
{
	int err;

	switch (dice(w, 10)) {
	case 0: return rekey(m);
	case 1:
		err = mlxo_tls_move(m->tls, true);
		NEED(err == 0 || err == -EAGAIN);
		return 0;
	case 2: NEED(mlxo_tls_move(m->tls, false) == 0); return 0;
	case 3: return close_one(w, m);
	case 4:
		err = member_send_again(m);
		NEED(err == 0 || err == -EAGAIN);
		return 0;
	case 5: NEED(member_ack(m) == 0); return 0;
	case 6: return deliver(m);
	default: return write_some(w, m);
	}
}

static int work(struct worker *w)
{
	uint32_t i = w->first + dice(w, EACH);
	struct member *m = &t.crowd.member[i];

	NEED(mlxo_tls_queue_poll(w->queue) == 0);
	if (!m->tls)
		return open_one(w, i);
	if (m->wrote > MOST)
		return close_one(w, m);
	return do_something(w, m);
}

static void *run(void *arg)
{
	struct mlxo_tls_queue_opts o = {.size = sizeof(o),
					.sq_blocks = 512,
					.buffer_bytes = 1 << 20,
					.event = event,
					.ctx = arg};
	struct worker *w = arg;

	if (mlxo_tls_queue_create(t.engine, &o, &w->queue))
		fail_at(__LINE__);
	while (!atomic_load(&t.failed) && (!over() || atomic_load(&t.lives) < LEAST_LIVES))
		work(w);
	for (uint32_t i = 0; i < EACH && !atomic_load(&t.failed); i++)
		if (i % 2 && t.crowd.member[w->first + i].tls)
			close_one(w, &t.crowd.member[w->first + i]);
	mlxo_tls_queue_destroy(w->queue); /* the others in whatever state they are */
	for (uint32_t i = 0; i < EACH; i++)
		if (t.crowd.member[w->first + i].tls) {
			t.crowd.member[w->first + i].tls = NULL;
			member_close(&t.crowd.member[w->first + i]);
		}
	atomic_fetch_sub(&t.running, 1);
	return NULL;
}

/* Meanwhile: statistics, and memory that comes and goes. */
static void *look(void *arg)
{
	static uint8_t memory[4][4096];
	struct mlxo_stat *s;
	size_t n;

	(void)arg;
	for (unsigned int i = 0; atomic_load(&t.running); i++) {
		if (mlxo_tls_stats(t.engine, &s, &n))
			fail_at(__LINE__);
		free(s);
		if (i % 16 < 4 ? mlxo_tls_memory_register(t.engine, memory[i % 4], 4096)
			       : i % 16 < 8 && mlxo_tls_memory_unregister(t.engine, memory[i % 4]))
			fail_at(__LINE__);
		sched_yield();
	}
	return NULL;
}

/* -- the test -------------------------------------------------------------------------------------------------------- */

static uint64_t census(void)
{
	struct mlxo_stat *s;
	uint64_t sum = 0;
	size_t n;

	assert_int_equal(mlxo_model_census(t.dev, &s, &n), 0);
	for (size_t i = 0; i < n; i++)
		sum += s[i].value;
	free(s);
	return sum;
}

static void set_end(void)
{
	const char *seconds = getenv("MLXO_CHURN_SECONDS");

	clock_gettime(CLOCK_MONOTONIC, &t.end);
	t.end.tv_sec += seconds ? atoi(seconds) : 2;
}

static void churn(enum mlxo_tls_recycle recycle)
{
	struct mlxo_tls_engine_opts o = {.size = sizeof(o),
					 .recycle = recycle,
					 .tis_low = 4,
					 .tis_high = 12,
					 .tis_max = 24,
					 .tis_batch = 4,
					 .key_low = 4,
					 .key_max = 40,
					 .key_log_bulk = 3,
					 .idle_ms = 3};
	struct worker w[THREADS] = {0};
	pthread_t looker;
	uint64_t before;

	memset(&t, 0, sizeof(t));
	assert_int_equal(test_device_open("model", &t.dev), 0);
	before = census();
	assert_int_equal(mlxo_tls_engine_open(t.dev, &o, &t.engine), 0);
	crowd_init(&t.crowd, t.dev, THREADS * EACH);
	assert_int_equal(mlxo_tls_memory_register(t.engine, t.crowd.payload, CROWD_PAYLOAD), 0);
	set_end();
	t.running = THREADS;
	for (uint32_t i = 0; i < THREADS; i++) {
		w[i].first = i * EACH;
		w[i].seed = i + 1;
		assert_int_equal(pthread_create(&w[i].thread, NULL, run, &w[i]), 0);
	}
	assert_int_equal(pthread_create(&looker, NULL, look, NULL), 0);
	for (int i = 0; i < THREADS; i++)
		pthread_join(w[i].thread, NULL);
	pthread_join(looker, NULL);
	mlxo_tls_engine_close(t.engine);
	if (t.failed)
		fail_msg("line %d: %s", t.failed, "see above");
	assert_int_equal(census(), before);
	print_message(
		"[   INFO   ] %lu connections, %lu hardware records, %lu found nothing left\n",
		(unsigned long)t.lives, (unsigned long)t.hardware, (unsigned long)t.waited);
	assert_true(t.hardware > 0);
	crowd_fini(&t.crowd);
	mlxo_device_close(t.dev);
}

static void threads_share_an_engine(void **state)
{
	(void)state;
	churn(MLXO_TLS_RECYCLE_ALL);
}

static void threads_without_recycling(void **state)
{
	(void)state;
	churn(MLXO_TLS_RECYCLE_NONE);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(threads_share_an_engine),
		cmocka_unit_test(threads_without_recycling),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
