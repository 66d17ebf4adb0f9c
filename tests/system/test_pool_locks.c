// SPDX-License-Identifier: BSD-2-Clause
/*
 * The cached path takes no lock and sends no command. This program has the locks of pthreads itself: they count and
 * call the real ones, so that whatever the library takes is seen.
 */
#include <dlfcn.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <mlx5_offload/model.h>

#include "pool/dek.h"
#include "pool/tis.h"
#include "tests/lib/test_device.h"

#ifndef __has_feature
#define __has_feature(x) 0
#endif

static _Thread_local unsigned long calls;

/* A call of the C library that may take a lock or enter the kernel for one. TSan has these itself. */
#if !defined(__SANITIZE_THREAD__) && !__has_feature(thread_sanitizer)
#define COUNTED(name, args, names) \
	int name args \
	{ \
		static int(*real) args; \
\
		if (!real) \
			real = (int(*) args)dlsym(RTLD_NEXT, #name); \
		calls++; \
		return real names; \
	}
COUNTED(pthread_mutex_lock, (pthread_mutex_t * m), (m))
COUNTED(pthread_mutex_trylock, (pthread_mutex_t * m), (m))
COUNTED(pthread_mutex_unlock, (pthread_mutex_t * m), (m))
COUNTED(pthread_rwlock_rdlock, (pthread_rwlock_t * l), (l))
COUNTED(pthread_rwlock_wrlock, (pthread_rwlock_t * l), (l))
COUNTED(pthread_rwlock_unlock, (pthread_rwlock_t * l), (l))
COUNTED(pthread_spin_lock, (pthread_spinlock_t * l), (l))
COUNTED(pthread_cond_signal, (pthread_cond_t * c), (c))
COUNTED(pthread_cond_broadcast, (pthread_cond_t * c), (c))
COUNTED(pthread_cond_wait, (pthread_cond_t * c, pthread_mutex_t *m), (c, m))

long syscall(long number, ...)
{
	calls++; /* futex() has no other name */
	return -1;
}
#else
static void skip_all(void)
{
	exit(77);
}
__attribute__((constructor)) static void start(void)
{
	skip_all();
}
#endif

enum { PAIRS = 10000 };
enum { TLS = PRM_GENERAL_OBJECT_TYPE_ENCRYPTION_KEY_PURPOSE_TLS };

static uint64_t commands(struct mlxo_device *dev)
{
	struct mlxo_stat *s;
	uint64_t value = 0;
	size_t n;

	assert_int_equal(mlxo_model_stats(dev, &s, &n), 0);
	for (size_t i = 0; i < n; i++)
		if (strcmp(s[i].name, "commands") == 0)
			value = s[i].value;
	free(s);
	return value;
}

static void cached_pairs_take_no_lock(void **state)
{
	struct mlxo_device *dev;
	struct pool_exec *exec;
	struct pool_tis_pool *tis;
	struct pool_cache cache;
	void *item[POOL_MAGAZINE / 4];
	unsigned long before;
	uint64_t sent;

	assert_int_equal(test_device_open("model", &dev), 0);
	assert_int_equal(pool_exec_create(dev, &(struct pool_exec_opts){0}, &exec), 0);
	assert_int_equal(pool_tis_create(exec, &(struct pool_tis_opts){.low = 100}, &tis), 0);
	pool_exec_drain(exec);
	pool_cache_init(&cache, pool_tis_base(tis), 0);
	before = calls;
	pool_put(&cache, pool_get(&cache)); /* a refill */
	assert_true(calls > before);	    /* the counting works */
	pool_exec_drain(exec);
	sent = commands(dev);
	before = calls;
	for (int i = 0; i < PAIRS; i++) {
		unsigned int n = 1 + (unsigned int)i % (POOL_MAGAZINE / 4);

		for (unsigned int j = 0; j < n; j++)
			item[j] = pool_get(&cache);
		for (unsigned int j = 0; j < n; j++)
			pool_put(&cache, item[j]);
	}
	assert_int_equal(calls, before);
	assert_int_equal(commands(dev), sent);
	pool_cache_fini(&cache);
	pool_tis_destroy(tis);
	pool_exec_destroy(exec);
	mlxo_device_close(dev);
}

/* Of keys: taking a slot and ending a lease; the load itself is a command. */
static void cached_slots_take_no_lock(void **state)
{
	struct mlxo_device *dev;
	struct pool_exec *exec;
	struct pool_dek_pool *dek;
	struct pool_cache cache;
	void *slot[POOL_MAGAZINE];
	unsigned long before;
	unsigned int n;

	assert_int_equal(test_device_open("model", &dev), 0);
	assert_int_equal(pool_exec_create(dev, &(struct pool_exec_opts){0}, &exec), 0);
	assert_int_equal(pool_dek_create(exec, &(struct pool_dek_opts){.purpose = TLS}, &dek), 0);
	pool_exec_drain(exec);
	pool_cache_init(&cache, pool_dek_base(dek), 0);
	slot[0] = pool_get(&cache);
	assert_non_null(slot[0]);
	before = calls;
	for (n = 1; n < POOL_MAGAZINE / 2; n++)
		slot[n] = pool_get(&cache);
	while (n)
		pool_put(&cache, slot[--n]);
	assert_int_equal(calls, before);
	pool_cache_fini(&cache);
	pool_dek_destroy(dek);
	pool_exec_destroy(exec);
	mlxo_device_close(dev);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(cached_pairs_take_no_lock),
		cmocka_unit_test(cached_slots_take_no_lock),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
