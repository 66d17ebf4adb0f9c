// SPDX-License-Identifier: BSD-2-Clause
/*
 * What connections cost in memory: a live one without records, with its keys and secret, at most 512 bytes; an idle context in the
 * pool at most 128. A million connections are half a gigabyte.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <malloc.h>
#include <stdlib.h>
#include <string.h>

#include <mlx5_offload/mlx5_offload.h>

#include "offload/tls/engine.h"
#include "pool/bulk.h"
#include "tests/lib/test_device.h"

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define OTHER_MALLOC true /* with redzones, and without mallinfo */
#else
#define OTHER_MALLOC false
#endif

enum { MANY = 10000, CONNECTION_MAX = 512, ENTRY_MAX = 128 };

_Static_assert(sizeof(struct mlxo_tls) + sizeof(struct tls_key) + MLXO_SECRET_MAX + 32 <=
		       CONNECTION_MAX,
	       "a connection, its key, its secret");
_Static_assert(sizeof(struct pool_tis) + 2 * sizeof(struct obj_quarantine) <= ENTRY_MAX,
	       "a context and its place in the quarantine list, which grows by doubling");
_Static_assert(sizeof(struct pool_dek_slot) <= 8, "a key slot");

static struct mlxo_device *dev;
static struct mlxo_tls_engine *engine;
static struct mlxo_tls_queue *queue;

static int setup(void **state)
{
	struct mlxo_tls_engine_opts o = {.size = sizeof(o), .caller_runs = true};
	struct mlxo_tls_queue_opts q = {.size = sizeof(q)};

	(void)state;
	assert_int_equal(test_device_open("model", &dev), 0);
	assert_int_equal(mlxo_tls_engine_open(dev, &o, &engine), 0);
	assert_int_equal(mlxo_tls_queue_create(engine, &q, &queue), 0);
	while (mlxo_device_progress(dev) > 0)
		;
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	mlxo_tls_queue_destroy(queue);
	mlxo_tls_engine_close(engine);
	mlxo_device_close(dev);
	return 0;
}

static struct mlxo_tls *open_one(uint32_t i)
{
	uint8_t bytes[44] = {(uint8_t)i, (uint8_t)(i >> 8)};
	struct mlxo_tls_params p = {.size = sizeof(p),
				    .version = MLXO_TLS_1_3,
				    .cipher = MLXO_TLS_AES_GCM_256,
				    .key = mlxo_secret_new(bytes, sizeof(bytes))};
	struct mlxo_tls *tls = NULL;

	assert_int_equal(mlxo_tls_open(queue, &p, &tls), 0);
	mlxo_secret_destroy(p.key);
	return tls;
}

static size_t heap(void)
{
	struct mallinfo2 m = mallinfo2();

	return m.uordblks + m.hblkhd;
}

static void a_connection(void **state)
{
	struct mlxo_tls *tls = open_one(0);
	size_t used = malloc_usable_size(tls) + malloc_usable_size(tls->key) +
		      malloc_usable_size(tls->key->secret) + MLXO_SECRET_MAX;

	(void)state;
	print_message("[   INFO   ] connection %zu, key %zu, secret %zu and %d bytes\n",
		      malloc_usable_size(tls), malloc_usable_size(tls->key),
		      malloc_usable_size(tls->key->secret), MLXO_SECRET_MAX);
	if (!OTHER_MALLOC)
		assert_in_range(used, 1, CONNECTION_MAX);
	mlxo_tls_close(tls);
}

/* Nothing else grows with them. The heap's own words are in it, the pages of secrets (64 bytes each) are not. */
static void ten_thousand_connections(void **state)
{
	struct mlxo_tls **tls = calloc(MANY, sizeof(*tls));
	size_t before, used;

	(void)state;
	assert_non_null(tls);
	before = heap();
	for (uint32_t i = 0; i < MANY; i++)
		tls[i] = open_one(i);
	used = (heap() - before) / MANY;
	print_message("[   INFO   ] %zu bytes of heap for each of %d connections\n", used, MANY);
	if (!OTHER_MALLOC)
		assert_in_range(used, 1, CONNECTION_MAX);
	for (uint32_t i = 0; i < MANY; i++)
		mlxo_tls_close(tls[i]);
	if (!OTHER_MALLOC)
		assert_in_range(heap(), 0, before + MANY);
	free(tls);
}

/* Contexts that lie in the pool. */
static void ten_thousand_contexts(void **state)
{
	struct pool_exec *exec;
	struct pool_tis_pool *pool;
	struct pool_tis_opts o = {.low = MANY, .high = MANY};
	struct pool_tis_stats s;
	size_t before = heap(), used;

	(void)state;
	assert_int_equal(pool_exec_create(dev, &(struct pool_exec_opts){0}, &exec), 0);
	assert_int_equal(pool_tis_create(exec, &o, &pool), 0);
	pool_exec_drain(exec);
	pool_tis_stats(pool, &s);
	assert_int_equal(s.free, MANY);
	used = (heap() - before) / MANY; /* the model's objects are in it */
	print_message("[   INFO   ] %zu bytes of heap for each of %d contexts, the model's own "
		      "included\n",
		      used, MANY);
	pool_tis_destroy(pool);
	pool_exec_drain(exec);
	pool_exec_destroy(exec);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_connection),
		cmocka_unit_test(ten_thousand_connections),
		cmocka_unit_test(ten_thousand_contexts),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
