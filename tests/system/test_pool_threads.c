// SPDX-License-Identifier: BSD-2-Clause
/*
 * Many threads, each with caches of its own, over one pool of contexts and one of keys, with the executor's thread: get,
 * lease, end, put, wait. Each item has one owner at a time, everybody gets an answer, nothing is left. For TSan.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>

#include <mlx5_offload/model.h>

#include "lib/two_nics.h"
#include "pool/dek.h"
#include "pool/tis.h"
#include "tests/lib/test_device.h"

enum { THREADS = 8, ROUNDS = 1500, NUMBERS = 1 << 16, CLOSES = 300 };
enum { TLS = PRM_GENERAL_OBJECT_TYPE_ENCRYPTION_KEY_PURPOSE_TLS };

static struct {
	struct mlxo_device *dev;
	struct pool_exec *exec;
	struct pool_tis_pool *tis;
	struct pool_dek_pool *dek;
	_Atomic int owner[2][NUMBERS]; /* of contexts, of keys: how many hold that number */
	_Atomic int failed;
} t;

struct held {
	struct pool_dek_lease l;
	struct pool_waiter w;
	struct pool_tis *tis;
	_Atomic bool loaded, ready;
	int err;
};

static void loaded(struct pool_dek_lease *l, int err)
{
	struct held *h = (struct held *)l;

	h->err = err;
	atomic_store(&h->loaded, true);
}

static void ready(struct pool_waiter *w, void *item, int err)
{
	struct held *h = (struct held *)((char *)w - offsetof(struct held, w));

	h->tis = item;
	atomic_store(&h->ready, true);
}

static void until(_Atomic bool *flag)
{
	while (!atomic_load(flag))
		sched_yield();
}

static void own(int kind, uint32_t number)
{
	if (atomic_fetch_add(&t.owner[kind][number % NUMBERS], 1))
		atomic_fetch_add(&t.failed, 1);
}

static void disown(int kind, uint32_t number)
{
	atomic_fetch_sub(&t.owner[kind][number % NUMBERS], 1);
}

static void round_trip(struct pool_cache *contexts, struct pool_cache *keys, const uint8_t *key)
{
	struct held h;

	memset(&h, 0, sizeof(h));
	h.l.done = loaded;
	h.w.ready = ready;
	if (pool_dek_lease_start(&h.l, t.dek, keys, key, 16, true))
		atomic_fetch_add(&t.failed, 1);
	h.tis = pool_get(contexts);
	if (!h.tis) {
		void *item = pool_get_or_wait(contexts, &h.w);

		if (item)
			ready(&h.w, item, 0);
		until(&h.ready);
	}
	until(&h.loaded);
	if (!h.tis || h.err) {
		atomic_fetch_add(&t.failed, 1);
		return;
	}
	own(0, h.tis->tis.obj.id);
	own(1, h.l.id);
	disown(1, h.l.id);
	pool_dek_lease_end(&h.l, keys);
	disown(0, h.tis->tis.obj.id);
	pool_put(contexts, h.tis);
}

static void *run(void *arg)
{
	uint8_t key[16] = {(uint8_t)(uintptr_t)arg};
	struct pool_cache contexts, keys;

	pool_cache_init(&contexts, pool_tis_base(t.tis), 4);
	pool_cache_init(&keys, pool_dek_base(t.dek), 4);
	for (int i = 0; i < ROUNDS; i++) {
		round_trip(&contexts, &keys, key);
		if (i % 100 == 99) {
			pool_cache_flush(&contexts);
			pool_cache_flush(&keys);
		}
	}
	pool_cache_fini(&contexts);
	pool_cache_fini(&keys);
	return NULL;
}

static void all_run(void)
{
	pthread_t thread[THREADS];

	for (int i = 0; i < THREADS; i++)
		assert_int_equal(pthread_create(&thread[i], NULL, run, (void *)(uintptr_t)i), 0);
	for (int i = 0; i < THREADS; i++)
		pthread_join(thread[i], NULL);
	assert_int_equal(t.failed, 0);
}

static void threads_share_pools(void **state)
{
	struct pool_tis_opts o = {.low = 4, .high = 24, .batch = 4, .idle_ns = 1000000};
	struct pool_dek_opts k = {
		.purpose = TLS, .log_bulk = 4, .max = 256, .low = 8, .idle_ns = 1000000};
	struct pool_tis_stats ts;
	struct pool_dek_stats ks;
	uint64_t census;

	assert_int_equal(test_device_open("model", &t.dev), 0);
	census = two_nics_census(t.dev);
	assert_int_equal(pool_exec_create(t.dev, &(struct pool_exec_opts){.thread = true}, &t.exec),
			 0);
	assert_int_equal(pool_tis_create(t.exec, &o, &t.tis), 0);
	assert_int_equal(pool_dek_create(t.exec, &k, &t.dek), 0);
	all_run();
	pool_tis_stats(t.tis, &ts);
	pool_dek_stats(t.dek, &ks);
	assert_int_equal(ts.counts.gets, THREADS * ROUNDS);
	assert_int_equal(ts.counts.puts, THREADS * ROUNDS);
	assert_int_equal(ks.loads, THREADS * ROUNDS);
	assert_int_equal(ks.in_use, 0);
	assert_true(ks.syncs > 10);
	pool_tis_destroy(t.tis);
	pool_dek_destroy(t.dek);
	pool_exec_drain(t.exec);
	pool_exec_destroy(t.exec);
	assert_int_equal(two_nics_census(t.dev), census);
	mlxo_device_close(t.dev);
}

/* T31: the executor's thread creates, cleans, looks for idle ones and retries while the pools are closed. */
static void closing_races_with_the_thread(void **state)
{
	struct pool_tis_opts o = {.low = 8, .high = 12, .batch = 4, .idle_ns = 50000};
	struct pool_dek_opts k = {
		.purpose = TLS, .log_bulk = 2, .max = 64, .low = 8, .idle_ns = 50000};
	uint64_t census;

	assert_int_equal(test_device_open("model", &t.dev), 0);
	census = two_nics_census(t.dev);
	assert_int_equal(pool_exec_create(t.dev, &(struct pool_exec_opts){.thread = true}, &t.exec),
			 0);
	for (int i = 0; i < CLOSES; i++) {
		if (i % 2) /* so that there are pauses, too */
			mlxo_model_fault_set(t.dev, MLXO_FAULT_STATUS, 3, 0, PRM_CMD_STAT_LIM_ERR,
					     0);
		assert_int_equal(pool_tis_create(t.exec, &o, &t.tis), 0);
		assert_int_equal(pool_dek_create(t.exec, &k, &t.dek), 0);
		for (int j = 0; j < i % 7; j++)
			sched_yield();
		pool_tis_destroy(t.tis);
		pool_dek_destroy(t.dek);
		mlxo_model_fault_clear(t.dev);
		assert_int_equal(two_nics_census(t.dev), census);
	}
	pool_exec_drain(t.exec);
	pool_exec_destroy(t.exec);
	mlxo_device_close(t.dev);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(threads_share_pools),
		cmocka_unit_test(closing_races_with_the_thread),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
