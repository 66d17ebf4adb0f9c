// SPDX-License-Identifier: BSD-2-Clause
/* The executor: bound, order of the classes, failures, answers inside of submit(), the thread. */
#include "tests/lib/fake_nic.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <cmocka.h>

#include "objects/tis.h"
#include "pool/exec.h"

enum { WORKS = 600 };

struct work {
	struct pool_work w;
	struct obj_tis tis;
	enum pool_class class;
	int err, place; /* place: in the order of done() */
	bool done;
};

struct fixture {
	struct mlxo_device *dev;
	struct fake_nic *nic;
	struct pool_exec *exec;
	struct work work[WORKS];
	int started, ndone;
	enum pool_class order[WORKS];
	struct work *more; /* submitted in done() */
	int nmore, depth, most_depth;
};

static struct fixture *f;

static int start(struct pool_work *w, struct obj_task *task)
{
	struct work *me = (struct work *)w;

	f->order[f->started++] = me->class;
	return obj_tis_create_tls_start(task, f->dev, &me->tis);
}

static void submit(struct work *w, enum pool_class class);

static void done(struct pool_work *w, int err)
{
	struct work *me = (struct work *)w;

	assert_false(me->done);
	me->done = true;
	me->err = err;
	me->place = f->ndone++;
	if (++f->depth > f->most_depth)
		f->most_depth = f->depth;
	if (f->nmore) {
		f->nmore--;
		submit(f->more++, POOL_NORMAL);
	}
	f->depth--;
}

static void submit(struct work *w, enum pool_class class)
{
	w->w.start = start;
	w->w.done = done;
	w->class = class;
	pool_exec_submit(f->exec, &w->w, class);
}

static int setup(void **state)
{
	f = calloc(1, sizeof(*f));
	f->nic = fake_nic_open(&f->dev);
	return 0;
}

static int teardown(void **state)
{
	pool_exec_destroy(f->exec);
	fake_nic_close(f->nic, f->dev);
	free(f);
	return 0;
}

static void create(unsigned int max)
{
	assert_int_equal(pool_exec_create(f->dev, &(struct pool_exec_opts){.max = max}, &f->exec),
			 0);
}

static struct pool_exec_stats stats(void)
{
	struct pool_exec_stats s;

	pool_exec_stats(f->exec, &s);
	return s;
}

static void no_more_than_max_are_in_flight(void **state)
{
	create(0);
	f->nic->hold = true;
	for (int i = 0; i < 100; i++)
		submit(&f->work[i], POOL_NORMAL);
	assert_int_equal(f->nic->in_flight, 16);
	assert_int_equal(stats().queued[POOL_NORMAL], 84);
	f->nic->hold = false;
	pool_exec_drain(f->exec);
	assert_int_equal(f->nic->most_in_flight, 16);
	assert_int_equal(stats().most_in_flight, 16);
	assert_int_equal(stats().started, 100);
	assert_int_equal(f->ndone, 100);
	assert_int_equal(stats().in_flight, 0);
	assert_int_equal(pool_exec_create(f->dev, &(struct pool_exec_opts){.max = 17},
					  &(struct pool_exec *){0}),
			 -EINVAL);
}

/* T37: an open does not stand behind closes. */
static void urgent_first_lazy_last(void **state)
{
	create(1);
	f->nic->hold = true;
	submit(&f->work[0], POOL_LAZY); /* in flight */
	for (int i = 1; i <= 5; i++)
		submit(&f->work[i], POOL_LAZY);
	for (int i = 6; i <= 8; i++)
		submit(&f->work[i], POOL_NORMAL);
	for (int i = 9; i <= 11; i++)
		submit(&f->work[i], POOL_URGENT);
	f->nic->hold = false;
	pool_exec_drain(f->exec);
	for (int i = 0; i < 12; i++) /* one at a time while others wait, and nobody starves */
		assert_int_equal("LUUULNLNLNLL"[i], "UNL"[f->order[i]]);
}

/* With many places: one lazy one while others wait, half of the places when none do. */
static void lazy_ones_leave_room(void **state)
{
	create(16);
	f->nic->hold = true;
	for (int i = 0; i < 20; i++)
		submit(&f->work[i], POOL_LAZY);
	assert_int_equal(stats().in_flight, 8);
	for (int i = 20; i < 40; i++)
		submit(&f->work[i], POOL_URGENT);
	assert_int_equal(stats().in_flight, 16);
	assert_int_equal(stats().queued[POOL_LAZY], 12);
	f->nic->hold = false;
	pool_exec_drain(f->exec);
	for (int i = 8; i < 28; i++)
		assert_int_equal(f->order[i], POOL_URGENT);
}

static void a_long_queue_of_lazy_ones_gets_every_second_turn(void **state)
{
	create(1);
	f->nic->hold = true;
	submit(&f->work[0], POOL_URGENT);
	for (int i = 1; i <= 300; i++)
		submit(&f->work[i], POOL_LAZY);
	for (int i = 301; i < WORKS; i++)
		submit(&f->work[i], POOL_URGENT);
	f->nic->hold = false;
	pool_exec_drain(f->exec);
	for (int i = 1; i <= 2 * (300 - 256); i++)
		assert_int_equal(f->order[i], i % 2 ? POOL_LAZY : POOL_URGENT);
	assert_int_equal(f->order[2 * (300 - 256) + 1], POOL_URGENT);
	assert_int_equal(f->order[2 * (300 - 256) + 2], POOL_URGENT);
	assert_int_equal(f->ndone, WORKS);
}

static void failures_are_told_once(void **state)
{
	create(4);
	fake_nic_fail(f->nic, FAKE_UNSENT, 1, 0, 0, false);
	submit(&f->work[0], POOL_NORMAL);
	assert_true(f->work[0].done);
	assert_int_equal(f->work[0].err, -ENOMEM);
	fake_nic_fail(f->nic, FAKE_REFUSE, 1, 0, PRM_CMD_STAT_LIM_ERR, false);
	submit(&f->work[1], POOL_NORMAL);
	assert_false(f->work[1].done);
	submit(&f->work[2], POOL_NORMAL);
	pool_exec_drain(f->exec);
	assert_int_equal(f->work[1].err, -ENOMEM);
	assert_int_equal(f->work[2].err, 0);
	assert_int_equal(stats().failed, 2);
	assert_int_equal(stats().in_flight, 0);
}

/* A device that answers inside of submit() does not make the stack grow. */
static void done_may_submit(void **state)
{
	create(2);
	f->nic->inline_done = true;
	f->more = &f->work[1];
	f->nmore = WORKS - 1;
	submit(&f->work[0], POOL_NORMAL);
	assert_int_equal(f->ndone, WORKS);
	assert_int_equal(f->most_depth, 1);
	assert_int_equal(stats().in_flight, 0);
}

static void the_error_of_the_caller_is_kept(void **state)
{
	create(2);
	assert_int_equal(pool_exec_create(f->dev, &(struct pool_exec_opts){.max = 99},
					  &(struct pool_exec *){0}),
			 -EINVAL);
	fake_nic_fail(f->nic, FAKE_UNSENT, 1, 0, 0, false);
	submit(&f->work[0], POOL_URGENT);
	assert_int_equal(mlxo_error_last()->err, EINVAL);
}

/* On a model: it has a descriptor to sleep on. */
static void the_thread_runs_it_and_ends(void **state)
{
	struct mlxo_device *model, *fake = f->dev;

	assert_int_equal(mlxo_device_open("model", &model), 0);
	f->dev = model;
	for (int i = 0; i < 50; i++) { /* starting and joining: mostly at once */
		assert_int_equal(
			pool_exec_create(model, &(struct pool_exec_opts){.thread = true}, &f->exec),
			0);
		pool_exec_destroy(f->exec);
	}
	f->exec = NULL;
	f->dev = fake;
	assert_int_equal(pool_exec_create(fake, &(struct pool_exec_opts){.thread = true}, &f->exec),
			 0);
	mlxo_device_close(model);
}

int main(void)
{
#define TEST(t) cmocka_unit_test_setup_teardown(t, setup, teardown)
	const struct CMUnitTest tests[] = {
		TEST(no_more_than_max_are_in_flight),
		TEST(urgent_first_lazy_last),
		TEST(lazy_ones_leave_room),
		TEST(a_long_queue_of_lazy_ones_gets_every_second_turn),
		TEST(failures_are_told_once),
		TEST(done_may_submit),
		TEST(the_error_of_the_caller_is_kept),
		TEST(the_thread_runs_it_and_ends),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
