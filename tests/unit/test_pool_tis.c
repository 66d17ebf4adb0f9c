// SPDX-License-Identifier: BSD-2-Clause
/*
 * The pool of TLS contexts on a scripted device: levels, bursts, shrinking, failures of every command and every
 * allocation, reset, closing while commands are under way.
 */
#include "tests/lib/fake_nic.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "objects/alloc.h"
#include "pool/tis.h"

enum { BURST = 5000, MS = 1000000 };

struct waiter {
	struct pool_waiter w;
	void *item;
	int err, place;
	bool ready;
};

struct fixture {
	struct mlxo_device *dev;
	struct fake_nic *nic;
	struct pool_exec *exec;
	struct pool_tis_pool *pool;
	struct pool_cache cache;
	struct waiter waiter[BURST];
	int nready;
	bool put_at_once;
};

static struct fixture *f;

static int setup(void **state)
{
	f = calloc(1, sizeof(*f));
	f->nic = fake_nic_open(&f->dev);
	assert_int_equal(pool_exec_create(f->dev, &(struct pool_exec_opts){0}, &f->exec), 0);
	return 0;
}

static int teardown(void **state)
{
	pool_exec_destroy(f->exec);
	fake_nic_close(f->nic, f->dev);
	free(f);
	return 0;
}

static void begin(struct pool_tis_opts o)
{
	assert_int_equal(pool_tis_create(f->exec, &o, &f->pool), 0);
	pool_cache_init(&f->cache, pool_tis_base(f->pool), 0);
}

static void end(void)
{
	pool_cache_fini(&f->cache);
	pool_tis_destroy(f->pool);
	pool_exec_drain(f->exec);
}

static struct pool_tis_stats stats(void)
{
	struct pool_tis_stats s;

	pool_tis_stats(f->pool, &s);
	return s;
}

static void ready(struct pool_waiter *w, void *item, int err)
{
	struct waiter *me = (struct waiter *)w;

	assert_false(me->ready);
	assert_true((item != NULL) != (err != 0));
	me->ready = true;
	me->item = item;
	me->err = err;
	me->place = f->nready++;
	if (item && f->put_at_once)
		pool_put(&f->cache, item);
}

static void wait_for(int i)
{
	f->waiter[i].w.ready = ready;
	f->waiter[i].item = pool_get_or_wait(&f->cache, &f->waiter[i].w);
	if (f->waiter[i].item)
		ready(&f->waiter[i].w, f->waiter[i].item, 0);
}

static void put(int i)
{
	if (f->waiter[i].item)
		pool_put(&f->cache, f->waiter[i].item);
}

/* -- levels -------------------------------------------------------------------------------------------------- */

static void fills_to_low_and_a_batch(void **state)
{
	begin((struct pool_tis_opts){.low = 100, .high = 200, .batch = 8});
	assert_int_equal(f->nic->in_flight, 8);
	fake_nic_run(f->dev);
	assert_int_equal(stats().free, 108);
	assert_int_equal(f->nic->most_in_flight, 8);
	assert_int_equal(f->nic->tis, 108);
	/* a get of a few starts nothing */
	void *item = pool_get(&f->cache);

	assert_non_null(item);
	assert_int_equal(f->nic->in_flight, 8); /* 108 - 32 < low */
	fake_nic_run(f->dev);
	assert_int_equal(stats().free, 108);
	pool_put(&f->cache, item);
	end();
	assert_int_equal(f->nic->tis, 0);
}

static void cached_pairs_cost_no_command(void **state)
{
	unsigned int commands;

	begin((struct pool_tis_opts){.low = 64});
	fake_nic_run(f->dev);
	pool_put(&f->cache, pool_get(&f->cache));
	fake_nic_run(f->dev);
	commands = f->nic->commands;
	for (int i = 0; i < 1000; i++)
		pool_put(&f->cache, pool_get(&f->cache));
	assert_int_equal(f->nic->commands, commands);
	assert_int_equal(stats().counts.gets, 1001);
	assert_int_equal(stats().counts.puts, 1001);
	assert_int_equal(stats().counts.refills, 1);
	end();
}

/* A burst on an empty pool: nobody waits for more than his turn, the pool grows with it and shrinks after it. */
static void a_burst_is_served_one_by_one(void **state)
{
	begin((struct pool_tis_opts){.low = 16, .high = 6000, .batch = 16, .idle_ns = 1000 * MS});
	f->nic->hold = true;
	for (int i = 0; i < BURST; i++)
		wait_for(i);
	assert_int_equal(f->nic->in_flight, 16);
	f->nic->hold = false;
	f->nic->per_progress = 1;
	for (int i = 0; i < BURST; i++) {
		f->dev->ops->progress(f->dev->prov);
		assert_int_equal(f->nready, i + 1); /* one command, one context, one waiter */
		assert_int_equal(f->waiter[i].place, i);
	}
	f->nic->per_progress = 0;
	fake_nic_run(f->dev);
	assert_int_equal(stats().exist, BURST + 32);
	assert_int_equal(f->nic->most_in_flight, 16);
	for (int i = 0; i < BURST; i++)
		put(i);
	pool_cache_flush(&f->cache);
	assert_int_equal(stats().free, BURST + 32);
	fake_nic_pass(f->nic, f->dev, 1000 * MS); /* all were needed in this time */
	assert_int_equal(stats().exist, BURST + 32);
	fake_nic_pass(f->nic, f->dev, 1000 * MS);
	assert_int_equal(stats().exist, 16);
	fake_nic_pass(f->nic, f->dev, 1000 * MS);
	assert_int_equal(stats().exist, 16); /* never below low */
	assert_int_equal(stats().most_exist, BURST + 32);
	end();
	assert_int_equal(f->nic->tis, 0);
}

static void above_high_it_shrinks_at_once(void **state)
{
	begin((struct pool_tis_opts){.low = 4, .high = 20, .batch = 4});
	for (int i = 0; i < 100; i++)
		wait_for(i);
	fake_nic_run(f->dev);
	for (int i = 0; i < 100; i++)
		put(i);
	pool_cache_flush(&f->cache);
	assert_int_equal(stats().free, 20);
	fake_nic_run(f->dev);
	assert_int_equal(stats().exist, 20);
	end();
}

/* At max a put serves the waiter, past the cache. */
static void at_max_a_put_serves_the_waiter(void **state)
{
	begin((struct pool_tis_opts){.low = 1, .max = 3});
	for (int i = 0; i < 6; i++)
		wait_for(i);
	fake_nic_run(f->dev);
	assert_int_equal(f->nready, 3);
	assert_int_equal(f->nic->tis, 3);
	for (int i = 0; i < 3; i++) {
		put(i);
		assert_int_equal(f->nready, 4 + i);
		assert_int_equal(f->waiter[3 + i].place, 3 + i);
	}
	for (int i = 3; i < 6; i++)
		put(i);
	end();
}

/* ready() that puts at once must not make the stack grow with the number of waiters. */
static void ready_may_put(void **state)
{
	begin((struct pool_tis_opts){.low = 1, .max = 1});
	f->nic->hold = true;
	f->put_at_once = true;
	for (int i = 0; i < BURST; i++)
		wait_for(i);
	f->nic->hold = false;
	fake_nic_run(f->dev);
	assert_int_equal(f->nready, BURST);
	assert_int_equal(f->nic->creates, 1);
	end();
}

static void without_recycling_each_has_its_own(void **state)
{
	begin((struct pool_tis_opts){.no_recycling = true});
	fake_nic_run(f->dev);
	assert_int_equal(f->nic->creates, 0);
	for (int i = 0; i < 10; i++) {
		assert_null(pool_get(&f->cache));
		wait_for(i);
		fake_nic_run(f->dev);
		put(i);
		fake_nic_run(f->dev);
		assert_int_equal(f->nic->tis, 0);
	}
	assert_int_equal(f->nready, 10);
	assert_int_equal(f->nic->creates, 10);
	assert_int_equal(f->nic->destroys, 10);
	end();
}

/* One that comes back is no one's, however many wait: each of them costs both commands. */
static void without_recycling_waiters_get_new_ones(void **state)
{
	begin((struct pool_tis_opts){.no_recycling = true, .max = 4});
	for (int i = 0; i < 12; i++)
		wait_for(i);
	fake_nic_run(f->dev);
	assert_int_equal(f->nready, 4);
	for (int i = 0; i < 12; i++) {
		put(i);
		fake_nic_run(f->dev);
	}
	assert_int_equal(f->nready, 12);
	assert_int_equal(f->nic->creates, 12);
	assert_int_equal(f->nic->destroys, 12);
	end();
}

static void options_are_checked(void **state)
{
	assert_int_equal(pool_tis_create(f->exec, &(struct pool_tis_opts){.batch = 17}, &f->pool),
			 -EINVAL);
	assert_int_equal(
		pool_tis_create(f->exec, &(struct pool_tis_opts){.low = 9, .high = 8}, &f->pool),
		-EINVAL);
	assert_null(f->pool);
	pool_tis_destroy(NULL);
}

/* -- failures ------------------------------------------------------------------------------------------------ */

/* T34: no retry storm. */
static void a_full_device_is_asked_rarely(void **state)
{
	begin((struct pool_tis_opts){.low = 100});
	fake_nic_run(f->dev);
	f->nic->tis_room = f->nic->tis;
	for (int i = 0; i < 200; i++)
		wait_for(i);
	fake_nic_run(f->dev);
	assert_int_equal(f->nready, 200); /* those for whom there was none: at once */
	for (int i = 0; i < 116; i++)
		assert_non_null(f->waiter[i].item);
	for (int i = 116; i < 200; i++)
		assert_int_equal(f->waiter[i].err, -ENOMEM);
	unsigned int before = f->nic->creates;

	assert_null(pool_get(&f->cache));
	for (int i = 0; i < 10000; i++) /* 10 s in steps of 1 ms */
		fake_nic_pass(f->nic, f->dev, MS);
	assert_in_range(f->nic->creates - before, 10, 20); /* 10 ms … 1 s, then one each second */
	f->nic->tis_room = 1000;
	fake_nic_pass(f->nic, f->dev, 1000 * MS);
	assert_int_equal(stats().free, 116); /* full speed again */
	for (int i = 0; i < 200; i++)
		put(i);
	end();
	assert_int_equal(f->nic->tis, 0);
}

/* T7, T30: number 0 means "no TLS" to the device. */
static void number_0_is_never_handed_out(void **state)
{
	f->nic->next_tis = 0;
	begin((struct pool_tis_opts){.low = 4, .batch = 1});
	for (int i = 0; i < 1000; i++)
		fake_nic_pass(f->nic, f->dev, MS);
	assert_int_equal(stats().failed, 1);
	assert_int_equal(stats().free, 5);
	for (int i = 0; i < 5; i++) {
		struct pool_tis *t = pool_get(&f->cache);

		assert_int_not_equal(t->tis.obj.id, 0);
		f->waiter[i].item = t;
	}
	assert_int_equal(stats().destroyed, 1);
	for (int i = 0; i < 5; i++)
		put(i);
	end();
	assert_int_equal(f->nic->tis, 0);
}

/* T32: a refused destroy is tried again, and again at the end; then the context stays, and is no more touched. */
static void a_refused_destroy_is_tried_again(void **state)
{
	begin((struct pool_tis_opts){.low = 1, .high = 10});
	fake_nic_run(f->dev);
	f->nic->busy = true;
	for (int i = 0; i < 30; i++)
		wait_for(i);
	fake_nic_run(f->dev);
	for (int i = 0; i < 30; i++)
		put(i);
	pool_cache_flush(&f->cache);
	fake_nic_run(f->dev);
	assert_int_equal(stats().destroyed, 0);
	f->nic->busy = false;
	fake_nic_pass(f->nic, f->dev, 1000 * MS);
	assert_int_equal(stats().exist, 10);
	assert_int_equal(f->nic->tis, 10);
	f->nic->busy = true;
	end();
	assert_int_equal(f->nic->tis, 10);
}

static size_t quarantined(void)
{
	struct mlxo_quarantined *list;
	size_t n;

	assert_int_equal(mlxo_device_quarantined(f->dev, &list, &n), 0);
	free(list);
	return n;
}

/* Create, refill, wait, put, shrink, destroy. */
static void life(void)
{
	struct pool_tis_opts o = {.low = 6, .high = 10, .batch = 3, .idle_ns = 100 * MS};
	int i;

	f->nready = 0;
	memset(f->waiter, 0, sizeof(f->waiter));
	if (pool_tis_create(f->exec, &o, &f->pool))
		return;
	pool_cache_init(&f->cache, pool_tis_base(f->pool), 4);
	for (i = 0; i < 20; i++)
		wait_for(i);
	for (int t = 0; t < 50; t++)
		fake_nic_pass(f->nic, f->dev, 10 * MS);
	assert_int_equal(f->nready, 20); /* an item or an error, but an answer */
	for (i = 0; i < 20; i++)
		put(i);
	for (int t = 0; t < 50; t++)
		fake_nic_pass(f->nic, f->dev, 100 * MS);
	assert_int_equal(stats().making, 0);
	assert_true(stats().free >= 6); /* healed */
	if (!stats().lost)
		assert_int_equal(stats().created, stats().destroyed + stats().exist);
	end();
}

static void every_command(enum fake_fault kind, uint8_t status)
{
	unsigned int n, commands = 0;

	for (n = 1; n == 1 || n <= commands; n++) {
		size_t before = quarantined();
		unsigned int tis = f->nic->tis, had = f->nic->commands;

		fake_nic_fail(f->nic, kind, n, 0, status, false);
		life();
		fake_nic_heal(f->nic);
		if (n == 1 || f->nic->commands - had > commands)
			commands = f->nic->commands - had;
		if (kind == FAKE_REFUSE || kind == FAKE_UNSENT) {
			assert_int_equal(quarantined(), before);
			assert_int_equal(f->nic->tis, tis);
		} else {
			/* done or not, it is listed once and never used again */
			assert_in_range(quarantined(), before, before + 1);
			assert_in_range(f->nic->tis, tis, tis + 1);
		}
	}
	assert_true(n > 50);
}

static void every_command_refused(void **state)
{
	every_command(FAKE_REFUSE, PRM_CMD_STAT_LIM_ERR);
	every_command(FAKE_REFUSE, PRM_CMD_STAT_NO_RES_ERR);
}

static void every_command_unsent(void **state)
{
	every_command(FAKE_UNSENT, 0);
}

/* T39: what got no answer is in quarantine, not in the pool. */
static void every_command_unanswered(void **state)
{
	every_command(FAKE_TIMEOUT, 0);
	every_command(FAKE_LOST, 0);
}

static void every_allocation(void **state)
{
	uint64_t n, count;

	for (n = 1;; n++) {
		mlxo_alloc_fail_at(n);
		life();
		count = mlxo_alloc_count();
		mlxo_alloc_fail_at(0);
		assert_int_equal(f->nic->tis, 0);
		assert_int_equal(quarantined(), 0);
		if (n > count)
			break;
	}
	assert_true(n > 20);
}

static void the_device_dies(void **state)
{
	begin((struct pool_tis_opts){.low = 20});
	fake_nic_run(f->dev);
	fake_nic_fail(f->nic, FAKE_DEAD, 1, 0, 0, false);
	for (int i = 0; i < 100; i++)
		wait_for(i);
	fake_nic_run(f->dev);
	assert_int_equal(f->nready, 100);
	assert_int_equal(f->waiter[99].err, -EIO);
	for (int i = 0; i < 100; i++)
		put(i);
	end();
}

/* -- reset and close ----------------------------------------------------------------------------------------- */

static void void_forgets_without_commands(void **state)
{
	void *old;
	unsigned int destroys;

	begin((struct pool_tis_opts){.low = 20, .batch = 4});
	fake_nic_run(f->dev);
	old = pool_get(&f->cache);
	f->nic->hold = true;
	pool_cache_flush(&f->cache);
	for (int i = 0; i < 30; i++)
		wait_for(i);
	assert_int_not_equal(f->nic->in_flight, 0); /* made before, answered after: not used */
	destroys = f->nic->destroys;
	pool_tis_void(f->pool);
	assert_int_equal(stats().exist, 0);
	pool_put(&f->cache, old);
	pool_cache_flush(&f->cache);
	f->nic->hold = false;
	fake_nic_run(f->dev);
	assert_in_range(f->nic->destroys - destroys, 1, 4); /* of those in flight only */
	assert_int_equal(stats().free, 24);
	for (int i = 0; i < 30; i++)
		put(i);
	end();
}

/* T31: closing while creates are under way leaves nothing behind. */
static void close_waits_for_what_is_under_way(void **state)
{
	for (unsigned int n = 0; n < 40; n++) {
		begin((struct pool_tis_opts){.low = 20});
		f->nic->per_progress = 1;
		for (unsigned int i = 0; i < n; i++)
			f->dev->ops->progress(f->dev->prov);
		end();
		assert_int_equal(f->nic->tis, 0);
		assert_int_equal(f->nic->in_flight, 0);
		assert_int_equal(fake_nic_next_timer(f->nic), UINT64_MAX);
	}
}

int main(void)
{
#define TEST(t) cmocka_unit_test_setup_teardown(t, setup, teardown)
	const struct CMUnitTest tests[] = {
		TEST(fills_to_low_and_a_batch),
		TEST(cached_pairs_cost_no_command),
		TEST(a_burst_is_served_one_by_one),
		TEST(above_high_it_shrinks_at_once),
		TEST(at_max_a_put_serves_the_waiter),
		TEST(ready_may_put),
		TEST(without_recycling_each_has_its_own),
		TEST(without_recycling_waiters_get_new_ones),
		TEST(options_are_checked),
		TEST(a_full_device_is_asked_rarely),
		TEST(number_0_is_never_handed_out),
		TEST(a_refused_destroy_is_tried_again),
		TEST(every_command_refused),
		TEST(every_command_unsent),
		TEST(every_command_unanswered),
		TEST(every_allocation),
		TEST(the_device_dies),
		TEST(void_forgets_without_commands),
		TEST(close_waits_for_what_is_under_way),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
