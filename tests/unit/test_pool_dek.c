// SPDX-License-Identifier: BSD-2-Clause
/*
 * The pool of key slots on a scripted device, which counts every slot that was written without a SYNC_CRYPTO since its
 * last use: cleaning, growing, shrinking, limits, failures of every command and every allocation, reset.
 */
#include "tests/lib/fake_nic.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "objects/alloc.h"
#include "pool/dek.h"

enum { LEASES = 300, MS = 1000000, TLS = PRM_GENERAL_OBJECT_TYPE_ENCRYPTION_KEY_PURPOSE_TLS };

struct lease {
	struct pool_dek_lease l;
	int err;
	bool started, done;
};

struct fixture {
	struct mlxo_device *dev;
	struct fake_nic *nic;
	struct pool_exec *exec;
	struct pool_dek_pool *pool;
	struct pool_cache cache;
	struct lease lease[LEASES];
	int ndone;
};

static struct fixture *f;
static const uint8_t key[32] = {1,  2,	3,  4,	5,  6,	7,  8,	9,  10, 11, 12, 13, 14, 15, 16,
				17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31, 32};

static int setup(void **state)
{
	f = calloc(1, sizeof(*f));
	f->nic = fake_nic_open(&f->dev);
	assert_int_equal(pool_exec_create(f->dev, &(struct pool_exec_opts){0}, &f->exec), 0);
	return 0;
}

static int teardown(void **state)
{
	assert_int_equal(f->nic->early, 0); /* T25 */
	pool_exec_destroy(f->exec);
	fake_nic_close(f->nic, f->dev);
	free(f);
	return 0;
}

/* Idle for ever, a magazine of 1, unless the test says otherwise. */
static void begin(struct pool_dek_opts o)
{
	o.purpose = o.purpose ? o.purpose : TLS;
	o.idle_ns = o.idle_ns ? o.idle_ns : UINT64_MAX;
	assert_int_equal(pool_dek_create(f->exec, &o, &f->pool), 0);
	pool_cache_init(&f->cache, pool_dek_base(f->pool), 1);
}

static void end(void)
{
	pool_cache_fini(&f->cache);
	pool_dek_destroy(f->pool);
	pool_exec_drain(f->exec);
	assert_int_equal(fake_nic_next_timer(f->nic), UINT64_MAX);
}

static struct pool_dek_stats stats(void)
{
	struct pool_dek_stats s;

	pool_dek_stats(f->pool, &s);
	return s;
}

static void done(struct pool_dek_lease *l, int err)
{
	struct lease *me = (struct lease *)l;

	assert_false(me->done);
	me->done = true;
	me->err = err;
	f->ndone++;
}

static int start_len(int i, bool wait, size_t len)
{
	struct lease *me = &f->lease[i];
	int err;

	memset(me, 0, sizeof(*me));
	me->l.done = done;
	err = pool_dek_lease_start(&me->l, f->pool, &f->cache, key, len, wait);
	me->started = !err;
	return err;
}

static int start(int i, bool wait)
{
	return start_len(i, wait, 16);
}

static bool held(int i)
{
	return f->lease[i].done && !f->lease[i].err;
}

static void finish(int i)
{
	if (!held(i))
		return;
	fake_nic_ended(f->nic, f->lease[i].l.id);
	pool_dek_lease_end(&f->lease[i].l, &f->cache);
	f->lease[i].err = 1;
}

static void run(void)
{
	fake_nic_run(f->dev);
}

/* n connections one after another. */
static void connections(int n)
{
	for (int i = 0; i < n; i++) {
		assert_int_equal(start(0, true), 0);
		run();
		assert_true(held(0));
		finish(0);
		run();
	}
}

/* -- cleaning ------------------------------------------------------------------------------------------------ */

static void one_command_per_connection(void **state)
{
	unsigned int before;

	begin((struct pool_dek_opts){.log_bulk = 6});
	run();
	assert_int_equal(f->nic->slots, 64);
	before = f->nic->commands;
	connections(1000);
	assert_int_equal(f->nic->modifies, 1000);
	assert_int_equal(f->nic->creates, 1);
	assert_int_equal(f->nic->commands - before, 1000 + stats().syncs);
	assert_in_range(stats().syncs, 1000 / 20, 1000 / 15); /* a quarter of 64 at a time */
	assert_int_equal(f->nic->last_sync_type, 1 << TLS);
	assert_int_equal(stats().loads, 1000);
	assert_int_equal(stats().most_in_use, 1 + 1); /* one is in the cache */
	end();
	assert_int_equal(f->nic->deks, 0);
}

/* T26 */
static void freed_during_a_sync_waits_for_the_next(void **state)
{
	begin((struct pool_dek_opts){.log_bulk = 3, .max = 8, .low = 1, .sync_percent = 50});
	run();
	for (int i = 0; i < 8; i++)
		assert_int_equal(start(i, true), 0);
	run();
	f->nic->hold = true;
	for (int i = 0; i < 5; i++)
		finish(i);
	pool_cache_flush(&f->cache); /* the first of them was enough: none is clean */
	assert_int_equal(stats().syncing, 1);
	assert_int_equal(stats().dirty, 4);
	f->nic->hold = false;
	assert_int_equal(f->dev->ops->progress(f->dev->prov), 2); /* and the next one */
	assert_int_equal(f->nic->syncs, 2 + 1);			  /* one before the first key */
	assert_int_equal(stats().clean, 5);
	for (int i = 0; i < 5; i++)
		assert_int_equal(start(i, true), 0);
	run();
	for (int i = 0; i < 8; i++)
		finish(i);
	end();
}

/* T27 */
static void a_failed_sync_leaves_them_dirty(void **state)
{
	unsigned int before;

	begin((struct pool_dek_opts){.log_bulk = 3, .max = 8, .low = 1});
	run();
	for (int i = 0; i < 8; i++)
		assert_int_equal(start(i, true), 0);
	run();
	fake_nic_fail(f->nic, FAKE_TIMEOUT, 1, PRM_CMD_OP_SYNC_CRYPTO, 0, true);
	before = f->nic->commands;
	for (int i = 0; i < 8; i++)
		finish(i);
	for (int i = 0; i < 3000; i++)
		fake_nic_pass(f->nic, f->dev, MS);
	assert_int_equal(stats().dirty + stats().syncing, 7); /* one in the cache */
	assert_int_equal(stats().clean, 0);
	assert_in_range(f->nic->commands - before, 7, 10); /* 10 ms, doubling */
	assert_int_equal(stats().sync_failed, f->nic->commands - before);
	assert_int_equal(start(0, false), -EAGAIN);
	assert_int_equal(start(1, true), 0);
	assert_int_equal(f->lease[1].err, -EAGAIN); /* nothing to wait for */
	fake_nic_heal(f->nic);
	fake_nic_pass(f->nic, f->dev, 1000 * MS);
	assert_int_equal(stats().clean, 8); /* who found nothing gave back the one in the cache */
	connections(20);
	end();
}

static void sync_of_all_when_one_purpose_is_refused(void **state)
{
	begin((struct pool_dek_opts){.log_bulk = 3, .max = 8});
	run();
	f->nic->no_sync_type = true;
	connections(100);
	assert_int_equal(f->nic->last_sync_type, 1);
	assert_int_equal(stats().sync_failed, 1); /* asked once */
	end();
}

/* -- what fails ---------------------------------------------------------------------------------------------- */

/* T28 */
static void a_refused_load_makes_it_dirty(void **state)
{
	begin((struct pool_dek_opts){.log_bulk = 3, .max = 8, .low = 1, .sync_percent = 100});
	run();
	fake_nic_fail(f->nic, FAKE_REFUSE, 1, PRM_CMD_OP_MODIFY_GENERAL_OBJECT,
		      PRM_CMD_STAT_INT_ERR, false);
	assert_int_equal(start(0, true), 0);
	run();
	assert_int_equal(f->lease[0].err, -EIO);
	assert_int_equal(stats().dirty, 1);
	assert_int_equal(stats().load_failed, 1);
	assert_int_equal(stats().quarantined, 0);
	connections(50);
	end();
}

/* T39 */
static void an_unanswered_load_is_quarantined(void **state)
{
	uint32_t lost;

	for (int kind = FAKE_TIMEOUT; kind <= FAKE_LOST; kind++) {
		begin((struct pool_dek_opts){.log_bulk = 2, .max = 4, .low = 1});
		run();
		fake_nic_fail(f->nic, kind, 1, PRM_CMD_OP_MODIFY_GENERAL_OBJECT, 0, false);
		assert_int_equal(start(0, true), 0);
		run();
		assert_int_equal(f->lease[0].err, -ETIMEDOUT);
		assert_int_equal(stats().quarantined, 1);
		lost = f->lease[0].l.id;
		for (int i = 0; i < 40; i++) {
			connections(1);
			assert_int_not_equal(f->lease[0].l.id, lost);
		}
		end();
		assert_int_equal(f->nic->deks, 0);
	}
}

/* T40 */
static void ended_twice_is_ignored(void **state)
{
	struct pool_dek_lease copy;

	begin((struct pool_dek_opts){.log_bulk = 3, .max = 8});
	run();
	assert_int_equal(start(0, true), 0);
	run();
	copy = f->lease[0].l;
	finish(0);
	pool_dek_lease_end(&f->lease[0].l, &f->cache);
	pool_dek_lease_end(&copy, &f->cache); /* and with a copy, which looks right */
	pool_cache_flush(&f->cache);
	run();
	assert_int_equal(stats().dirty + stats().clean + stats().syncing, 8);
	connections(30);
	end();
}

/* T41: where the key lies, and zeros around it. */
static void a_slot_takes_both_key_sizes(void **state)
{
	static const uint8_t zero[128];

	begin((struct pool_dek_opts){.log_bulk = 1, .max = 1, .low = 1});
	run();
	for (int i = 0; i < 4; i++) {
		bool big = i % 2 == 0;

		assert_int_equal(start_len(0, true, big ? 32 : 16), 0);
		run();
		assert_true(held(0));
		assert_int_equal(f->nic->last_key_size, big);
		assert_memory_equal(f->nic->last_key + (big ? 0 : 16), key, big ? 32 : 16);
		assert_memory_equal(f->nic->last_key + 32, zero, 96);
		if (!big)
			assert_memory_equal(f->nic->last_key, zero, 16);
		finish(0);
		pool_cache_flush(&f->cache);
		run();
	}
	assert_int_equal(start_len(0, true, 24), -EINVAL);
	end();
}

/* -- sizes --------------------------------------------------------------------------------------------------- */

static void grows_when_cleaning_is_not_enough(void **state)
{
	begin((struct pool_dek_opts){.log_bulk = 4, .max = 100});
	run();
	assert_int_equal(stats().low, 4);
	for (int i = 0; i < 100; i++)
		assert_int_equal(start(i, true), 0);
	run();
	assert_int_equal(f->ndone, 100);
	assert_int_equal(f->nic->slots, 100); /* 6 of 16 and one of 4 */
	assert_int_equal(start(100, false), -EAGAIN);
	assert_int_equal(start(101, true), 0);
	run();
	assert_false(f->lease[101].done);
	finish(0); /* is cleaned for him who waits, past the cache */
	run();
	assert_true(held(101));
	for (int i = 1; i <= 101; i++)
		finish(i);
	end();
	assert_int_equal(f->nic->deks, 0);
}

static void spare_bulks_are_destroyed(void **state)
{
	begin((struct pool_dek_opts){.log_bulk = 4, .max = 96, .idle_ns = 1000 * MS});
	run();
	for (int i = 0; i < 96; i++)
		assert_int_equal(start(i, true), 0);
	run();
	for (int i = 0; i < 95; i++)
		finish(i);
	pool_cache_flush(&f->cache);
	run();
	assert_int_equal(f->nic->deks, 6);
	for (int i = 0; i < 4; i++)
		fake_nic_pass(f->nic, f->dev, 1000 * MS);
	assert_int_equal(f->nic->deks, 2); /* the one in use, and a spare one */
	assert_int_equal(stats().slots, 32);
	assert_int_equal(stats().bulks_destroyed, 4);
	finish(95);
	connections(100);
	for (int i = 0; i < 4; i++)
		fake_nic_pass(f->nic, f->dev, 1000 * MS);
	pool_cache_flush(&f->cache);
	for (int i = 0; i < 4; i++)
		fake_nic_pass(f->nic, f->dev, 1000 * MS);
	assert_int_equal(f->nic->deks, 1);
	end();
}

/* T32 */
static void a_refused_destroy_is_tried_again(void **state)
{
	begin((struct pool_dek_opts){.log_bulk = 2, .idle_ns = 1000 * MS, .low = 1});
	run();
	for (int i = 0; i < 20; i++)
		assert_int_equal(start(i, true), 0);
	run();
	for (int i = 0; i < 20; i++)
		finish(i);
	pool_cache_flush(&f->cache);
	run();
	f->nic->busy = true;
	for (int i = 0; i < 4; i++)
		fake_nic_pass(f->nic, f->dev, 1000 * MS);
	assert_int_equal(stats().bulks, 1);
	assert_true(f->nic->deks > 1);
	f->nic->busy = false;
	fake_nic_pass(f->nic, f->dev, 1000 * MS);
	assert_int_equal(f->nic->deks, 1);
	end();
}

/* What the device does not let go of stays there, and is no more touched. */
static void what_cannot_be_destroyed_stays(void **state)
{
	for (int single = 0; single < 2; single++) {
		begin((struct pool_dek_opts){.log_bulk = 2, .single = single});
		run();
		connections(3);
		assert_int_equal(start(0, true), 0);
		run();
		f->nic->busy = true;
		finish(0);
		run();
		if (single) { /* a reset takes it: the pool forgets it */
			pool_dek_void(f->pool);
			assert_int_equal(start(0, true), 0);
			run();
			finish(0);
		}
		end();
		assert_int_equal(f->nic->deks, 1 + 2 * single);
		f->nic->busy = false;
	}
}

/* T34: others use the device's keys too. */
static void no_room_on_the_device(void **state)
{
	unsigned int before;

	f->nic->dek_room = 16 + 8;
	begin((struct pool_dek_opts){.log_bulk = 4, .max = 1000, .low = 1});
	run();
	for (int i = 0; i < 40; i++)
		assert_int_equal(start(i, true), 0);
	run();
	assert_int_equal(f->nic->slots, 24); /* half of a bulk fitted */
	for (int i = 0; i < 40; i++) {
		assert_true(f->lease[i].done);
		assert_int_equal(f->lease[i].err, i < 24 ? 0 : -EAGAIN);
	}
	before = f->nic->creates;
	for (int i = 0; i < 5000; i++) {
		assert_int_equal(start(50, false), -EAGAIN);
		fake_nic_pass(f->nic, f->dev, MS);
	}
	assert_in_range(f->nic->creates - before, 4, 14);
	for (int i = 0; i < 24; i++)
		finish(i);
	end();
	assert_int_equal(f->nic->deks, 0);
}

/* T35 */
static void numbers_fit_24_bits(void **state)
{
	f->nic->next_dek = (1 << 24) - 4;
	begin((struct pool_dek_opts){.log_bulk = 3});
	run();
	assert_int_equal(start(0, true), 0);
	assert_int_equal(f->lease[0].err, -ENOSPC);
	for (int i = 0; i < 5000; i++) {
		assert_int_equal(start(1, false), -EAGAIN);
		fake_nic_pass(f->nic, f->dev, MS);
	}
	assert_int_equal(f->nic->creates, 1);
	assert_int_equal(f->nic->deks, 0);
	f->nic->next_dek = (1 << 24) - 8;
	fake_nic_pass(f->nic, f->dev, UINT64_C(60000) * MS);
	assert_int_equal(start(0, true), 0);
	run();
	assert_true(held(0));
	assert_true(f->lease[0].l.id >= (1 << 24) - 8);
	finish(0);
	end();
}

static void options_are_checked(void **state)
{
	struct pool_dek_pool *p;

	f->dev->caps[OBJ_CAP_log_dek_max_alloc].value = 5;
	f->dev->caps[OBJ_CAP_log_max_num_deks].value = 8;
	assert_int_equal(pool_dek_create(f->exec, &(struct pool_dek_opts){0}, &p), -EINVAL);
	assert_int_equal(pool_dek_create(f->exec,
					 &(struct pool_dek_opts){.purpose = TLS, .log_bulk = 6},
					 &p),
			 -EINVAL);
	assert_int_equal(
		pool_dek_create(f->exec,
				&(struct pool_dek_opts){.purpose = TLS, .sync_percent = 101}, &p),
		-EINVAL);
	begin((struct pool_dek_opts){0});
	run();
	assert_int_equal(stats().max, 256);
	assert_int_equal(stats().slots, 32);
	end();
	pool_dek_destroy(NULL);
}

/* -- single keys --------------------------------------------------------------------------------------------- */

static void single_keys(void **state)
{
	f->dev->caps[OBJ_CAP_log_dek_max_alloc].value = 0;
	begin((struct pool_dek_opts){0});
	assert_true(stats().single);
	connections(10);
	assert_int_equal(f->nic->creates, 10);
	assert_int_equal(f->nic->destroys, 10);
	assert_int_equal(f->nic->deks, 0);
	f->nic->dek_room = 0;
	assert_int_equal(start(0, true), 0);
	run();
	assert_int_equal(f->lease[0].err, -EAGAIN);
	assert_int_equal(start(0, true), -EAGAIN); /* not before the pause is over */
	fake_nic_pass(f->nic, f->dev, 20 * MS);
	f->nic->dek_room = 10;
	connections(1);
	f->nic->next_dek = 1 << 24;
	assert_int_equal(start(0, true), 0);
	run();
	assert_int_equal(f->lease[0].err, -EAGAIN);
	assert_int_equal(f->nic->deks, 0);
	f->nic->next_dek = 5;
	fake_nic_pass(f->nic, f->dev, 1000 * MS);
	assert_int_equal(start(0, true), 0);
	run();
	f->nic->busy = true;
	finish(0);
	run();
	assert_int_equal(f->nic->deks, 1);
	f->nic->busy = false;
	fake_nic_pass(f->nic, f->dev, 1000 * MS);
	assert_int_equal(f->nic->deks, 0);
	end();
}

/* -- every failure ------------------------------------------------------------------------------------------- */

static size_t quarantined(void)
{
	struct mlxo_quarantined *list;
	size_t n;

	assert_int_equal(mlxo_device_quarantined(f->dev, &list, &n), 0);
	free(list);
	return n;
}

/* Create, load, end, SYNC, grow, shrink, destroy. Every lease gets its answer, whatever happens. */
static void life(struct pool_dek_opts o)
{
	int n = 0;

	o.purpose = TLS;
	f->ndone = 0;
	memset(f->lease, 0, sizeof(f->lease));
	if (pool_dek_create(f->exec, &o, &f->pool))
		return;
	pool_cache_init(&f->cache, pool_dek_base(f->pool), 2);
	for (int round = 0; round < 3; round++) {
		for (int i = 0; i < 10; i++)
			n += start(i, true) == 0;
		for (int t = 0; t < 30; t++)
			fake_nic_pass(f->nic, f->dev, 50 * MS);
		assert_int_equal(f->ndone, n);
		for (int i = 0; i < 10; i++)
			finish(i);
		fake_nic_pass(f->nic, f->dev, 50 * MS);
	}
	pool_cache_flush(&f->cache);
	for (int t = 0; t < 10; t++)
		fake_nic_pass(f->nic, f->dev, 1000 * MS);
	assert_int_equal(stats().in_use, 0);
	assert_int_equal(stats().syncing, 0);
	if (!o.single)
		assert_true(stats().clean >= 1); /* healed */
	end();
	assert_int_equal(f->nic->early, 0);
}

static const struct pool_dek_opts small = {.log_bulk = 2, .max = 16, .low = 1, .idle_ns = 900 * MS};
static const struct pool_dek_opts singles = {.single = true};

static unsigned int every_command(enum fake_fault kind, uint8_t status, struct pool_dek_opts o)
{
	unsigned int n, commands = f->nic->commands;

	f->dev->keys_synced = false;
	life(o);
	commands = f->nic->commands - commands;
	for (n = 1; n <= commands; n++) {
		size_t before = quarantined();
		unsigned int deks = f->nic->deks, had = f->nic->commands;

		f->dev->keys_synced = false;
		fake_nic_fail(f->nic, kind, n, 0, status, false);
		life(o);
		fake_nic_heal(f->nic);
		if (f->nic->commands - had > commands)
			commands = f->nic->commands - had;
		if (kind == FAKE_REFUSE || kind == FAKE_UNSENT) {
			assert_int_equal(quarantined(), before);
			assert_int_equal(f->nic->deks, deks);
		} else {
			assert_in_range(quarantined(), before, before + 1);
			assert_in_range(f->nic->deks, deks, deks + 1);
		}
	}
	return n;
}

static void every_command_refused(void **state)
{
	static const uint8_t status[] = {PRM_CMD_STAT_LIM_ERR, PRM_CMD_STAT_NO_RES_ERR,
					 PRM_CMD_STAT_BAD_PARAM_ERR, PRM_CMD_STAT_INT_ERR};

	for (unsigned int i = 0; i < sizeof(status); i++) {
		assert_true(every_command(FAKE_REFUSE, status[i], small) > 40);
		assert_true(every_command(FAKE_REFUSE, status[i], singles) > 40);
	}
}

static void every_command_unsent(void **state)
{
	assert_true(every_command(FAKE_UNSENT, 0, small) > 40);
	assert_true(every_command(FAKE_UNSENT, 0, singles) > 40);
}

static void every_command_unanswered(void **state)
{
	for (int kind = FAKE_TIMEOUT; kind <= FAKE_LOST; kind++) {
		assert_true(every_command(kind, 0, small) > 40);
		assert_true(every_command(kind, 0, singles) > 40);
	}
}

static void every_allocation(void **state)
{
	static const struct pool_dek_opts *const kinds[] = {&small, &singles};
	uint64_t n, count;

	for (int k = 0; k < 2; k++)
		for (n = 1, count = 2; n <= count || n < 3; n++) {
			mlxo_alloc_fail_at(n);
			life(*kinds[k]);
			count = mlxo_alloc_count();
			mlxo_alloc_fail_at(0);
			assert_int_equal(f->nic->deks, 0);
			assert_int_equal(quarantined(), 0);
		}
}

static void the_device_dies(void **state)
{
	begin(small);
	run();
	for (int i = 0; i < 4; i++)
		assert_int_equal(start(i, true), 0);
	run();
	fake_nic_fail(f->nic, FAKE_DEAD, 1, 0, 0, false);
	for (int i = 4; i < 40; i++)
		assert_int_equal(start(i, true), 0);
	run();
	for (int i = 4; i < 40; i++)
		assert_true(f->lease[i].done && f->lease[i].err < 0);
	for (int i = 0; i < 4; i++)
		finish(i);
	fake_nic_pass(f->nic, f->dev, 100 * MS);
	end();
}

/* -- reset --------------------------------------------------------------------------------------------------- */

static void void_forgets_without_commands(void **state)
{
	unsigned int destroys;

	begin(small);
	run();
	for (int i = 0; i < 6; i++)
		assert_int_equal(start(i, true), 0);
	run();
	f->nic->hold = true;
	for (int i = 6; i < 8; i++)
		assert_int_equal(start(i, true), 0); /* answered after it */
	destroys = f->nic->destroys;
	pool_dek_void(f->pool);
	assert_int_equal(stats().slots, 0);
	finish(0);
	f->nic->hold = false;
	run();
	assert_int_equal(f->lease[6].err, -EIO);
	assert_in_range(f->nic->destroys, destroys, destroys + 1); /* of the bulk under way */
	for (int i = 0; i < 6; i++)
		finish(i);
	run();
	assert_int_equal(stats().in_use, 0);
	connections(20);
	end();
}

/* T31 */
static void close_waits_for_what_is_under_way(void **state)
{
	for (unsigned int n = 0; n < 20; n++) {
		begin(small);
		f->nic->per_progress = 1;
		for (int i = 0; i < 10; i++)
			assert_int_equal(start(i, true), 0);
		for (unsigned int i = 0; f->ndone < 10 && i < 1000; i++)
			f->dev->ops->progress(f->dev->prov);
		for (int i = 0; i < 10; i++)
			finish(i); /* a SYNC is under way */
		for (unsigned int i = 0; i < n; i++)
			f->dev->ops->progress(f->dev->prov);
		f->ndone = 0;
		end();
		assert_int_equal(f->nic->deks, 0);
		assert_int_equal(f->nic->in_flight, 0);
	}
}

int main(void)
{
#define TEST(t) cmocka_unit_test_setup_teardown(t, setup, teardown)
	const struct CMUnitTest tests[] = {
		TEST(one_command_per_connection),
		TEST(freed_during_a_sync_waits_for_the_next),
		TEST(a_failed_sync_leaves_them_dirty),
		TEST(sync_of_all_when_one_purpose_is_refused),
		TEST(a_refused_load_makes_it_dirty),
		TEST(an_unanswered_load_is_quarantined),
		TEST(ended_twice_is_ignored),
		TEST(a_slot_takes_both_key_sizes),
		TEST(grows_when_cleaning_is_not_enough),
		TEST(spare_bulks_are_destroyed),
		TEST(a_refused_destroy_is_tried_again),
		TEST(what_cannot_be_destroyed_stays),
		TEST(no_room_on_the_device),
		TEST(numbers_fit_24_bits),
		TEST(options_are_checked),
		TEST(single_keys),
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
