// SPDX-License-Identifier: BSD-2-Clause
/*
 * Ordered places: after every single move of every plan the order must be true and every place used once, whoever
 * inserts where. The plan is checked against a plain array that knows nothing of windows.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <cmocka.h>

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "objects/alloc.h"
#include "steering/order.h"

enum { MAX = 4096 };

struct fixture {
	struct steer_order order;
	struct steer_order_entry entries[MAX];
	size_t made;
	uint64_t moves;
	bool lost[1 << 17];
};

static struct fixture *fix(uint32_t first, uint32_t last)
{
	struct fixture *f = calloc(1, sizeof(*f));

	assert_non_null(f);
	steer_order_init(&f->order, first, last);
	return f;
}

static void done(struct fixture *f)
{
	steer_order_fini(&f->order);
	free(f);
}

/* Strictly ascending, inside the range, none lost, none too high. */
static void check(const struct fixture *f)
{
	const struct steer_order *o = &f->order;

	for (size_t i = 0; i < o->n; i++) {
		assert_in_range(o->entries[i]->index, o->first, o->last);
		assert_false(f->lost[o->entries[i]->index]);
		assert_true(i == 0 || o->entries[i - 1]->index < o->entries[i]->index);
		assert_true(!o->entries[i]->below || o->entries[i]->index < o->entries[i]->below);
		assert_int_equal(steer_order_pos(o, o->entries[i]), i);
	}
}

/* One make-before-break step: while both stand, `to` must be free and between the entry's neighbours. */
static void move(struct fixture *f, const struct steer_order_move *m)
{
	struct steer_order *o = &f->order;
	size_t pos = steer_order_pos(o, m->entry);

	assert_ptr_equal(o->entries[pos], m->entry);
	assert_int_not_equal(m->to, m->entry->index);
	assert_in_range(m->to, o->first, o->last);
	assert_false(f->lost[m->to]);
	if (pos > 0)
		assert_true(o->entries[pos - 1]->index < m->to);
	if (pos + 1 < o->n)
		assert_true(m->to < o->entries[pos + 1]->index);
	assert_true(!m->entry->below || m->to < m->entry->below);
	steer_order_moved(o, m->entry, m->to);
	f->moves++;
}

static int insert_below(struct fixture *f, size_t pos, uint32_t below)
{
	struct steer_order *o = &f->order;
	struct steer_order_entry *e = &f->entries[f->made];
	struct steer_order_plan plan;
	int err = steer_order_plan_below(o, pos, below, &plan);

	if (err)
		return err;
	assert_true(f->made < MAX);
	for (size_t i = 0; i < plan.nmoves; i++)
		move(f, &plan.moves[i]);
	assert_in_range(plan.index, o->first, o->last);
	assert_false(f->lost[plan.index]);
	if (pos > 0)
		assert_true(o->entries[pos - 1]->index < plan.index);
	if (pos < o->n)
		assert_true(plan.index < o->entries[pos]->index);
	assert_true(!below || plan.index < below);
	e->below = below;
	steer_order_insert(o, pos, e, plan.index);
	f->made++;
	steer_order_plan_free(&plan);
	assert_ptr_equal(o->entries[pos], e);
	return 0;
}

static int insert(struct fixture *f, size_t pos)
{
	return insert_below(f, pos, 0);
}

/* Reference: with everyone as low as possible, does everyone stand low enough? */
static bool fits(const struct fixture *f, size_t pos, uint32_t below)
{
	const struct steer_order *o = &f->order;
	uint32_t index = o->first;

	for (size_t i = 0; i <= o->n; i++, index++) {
		uint32_t cap = i == pos ? below : o->entries[i - (i > pos)]->below;

		while (index <= o->last && f->lost[index])
			index++;
		if (index > o->last || (cap && index >= cap))
			return false;
	}
	return true;
}

/* Insert until full with the given habit; every place must be usable. */
static void fill(uint32_t first, uint32_t last, size_t (*where)(const struct steer_order *o),
		 uint64_t max_moves)
{
	struct fixture *f = fix(first, last);
	size_t size = last - first + 1;

	while (insert(f, where(&f->order)) == 0)
		check(f);
	assert_int_equal(f->order.n, size);
	assert_true(f->moves <= max_moves);
	done(f);
}

static size_t at_front(const struct steer_order *o)
{
	(void)o;
	return 0;
}

static size_t at_end(const struct steer_order *o)
{
	return o->n;
}

static size_t in_middle(const struct steer_order *o)
{
	return o->n / 2;
}

static size_t second(const struct steer_order *o)
{
	return o->n > 1;
}

static size_t anywhere(const struct steer_order *o)
{
	return (size_t)rand() % (o->n + 1);
}

static void fills_every_place(void **state)
{
	size_t (*habits[])(const struct steer_order *) = {at_front, at_end, in_middle, second,
							  anywhere};

	(void)state;
	srand(1);
	for (size_t h = 0; h < 5; h++)
		for (uint32_t size = 1; size <= 70; size++) {
			fill(0, size - 1, habits[h], UINT64_MAX);
			fill(1000, 1000 + size - 1, habits[h], UINT64_MAX);
		}
}

/* Half full, moves stay few: the worst habit costs below 40 moves per insertion on average. */
static void moves_stay_few(void **state)
{
	size_t (*habits[])(const struct steer_order *) = {at_front, at_end, in_middle, second,
							  anywhere};

	(void)state;
	srand(2);
	for (size_t h = 0; h < 5; h++) {
		struct fixture *f = fix(0, 4095);

		for (size_t i = 0; i < 2048; i++)
			assert_int_equal(insert(f, habits[h](&f->order)), 0);
		check(f);
		assert_true(f->moves < 2048 * 40);
		done(f);
	}
}

static void appending_moves_nothing_at_first(void **state)
{
	struct fixture *f = fix(0, 4095);

	(void)state;
	for (size_t i = 0; i < 100; i++)
		assert_int_equal(insert(f, f->order.n), 0);
	assert_int_equal(f->moves, 0);
	done(f);
}

static void full_is_refused_and_room_comes_back(void **state)
{
	struct fixture *f = fix(10, 13);

	(void)state;
	for (int i = 0; i < 4; i++)
		assert_int_equal(insert(f, 0), 0);
	assert_int_equal(insert(f, 2), -ENOSPC);
	steer_order_remove(&f->order, f->order.entries[3]);
	assert_int_equal(insert(f, 0), 0);
	check(f);
	assert_int_equal(insert(f, 0), -ENOSPC);
	done(f);
}

static void lost_places_are_never_used(void **state)
{
	struct fixture *f = fix(0, 63);

	(void)state;
	for (uint32_t i = 0; i < 64; i += 3) {
		f->lost[i] = true;
		assert_int_equal(steer_order_lose(&f->order, i), 0);
		assert_int_equal(steer_order_lose(&f->order, i), 0);
	}
	while (insert(f, f->order.n / 3) == 0)
		check(f);
	assert_int_equal(f->order.n, 64 - 22);
	done(f);
}

/* Random inserts, so many of a hundred with a limit, removals and losses against the invariants. */
static void random_life(uint32_t last, unsigned int seed, int capped)
{
	struct fixture *f = fix(0, last);

	srand(seed);
	for (int step = 0; step < 3000 && f->made < MAX - 1; step++) {
		struct steer_order *o = &f->order;
		int dice = rand() % 100;

		if (dice < 60) {
			size_t pos = anywhere(o);
			uint32_t below = rand() % 100 < capped ? 1 + (uint32_t)rand() % (last + 1)
							       : 0;
			bool possible = fits(f, pos, below);

			assert_int_equal(insert_below(f, pos, below), possible ? 0 : -ENOSPC);
		} else if (o->n && dice < 98) {
			steer_order_remove(o, o->entries[(size_t)rand() % o->n]);
		} else if (o->n && o->nlost < last / 4) {
			struct steer_order_entry *e = o->entries[(size_t)rand() % o->n];

			steer_order_remove(o, e);
			f->lost[e->index] = true;
			assert_int_equal(steer_order_lose(o, e->index), 0);
		}
		check(f);
	}
	done(f);
}

static void random_lives(void **state)
{
	(void)state;
	for (unsigned int seed = 1; seed <= 8; seed++) {
		random_life(15, seed, seed % 2 ? 0 : 20);
		random_life(63, seed, seed % 2 ? 0 : 20);
		random_life(500, seed, seed % 2 ? 0 : 20);
	}
}

static void whole_index_space(void **state)
{
	struct fixture *f = calloc(1, sizeof(*f));
	struct steer_order_plan plan;

	(void)state;
	assert_non_null(f);
	steer_order_init(&f->order, 0, UINT32_MAX);
	for (int i = 0; i < 40; i++) {
		assert_int_equal(steer_order_plan(&f->order, 0, &plan), 0);
		steer_order_insert(&f->order, 0, &f->entries[i], plan.index);
		steer_order_plan_free(&plan);
	}
	done(f);
}

static void out_of_memory_changes_nothing(void **state)
{
	struct fixture *f = fix(0, 3);
	struct steer_order_plan plan;

	(void)state;
	assert_int_equal(insert(f, 0), 0);
	assert_int_equal(insert(f, 0), 0);
	for (uint64_t n = 1;; n++) {
		int err;

		mlxo_alloc_fail_at(n);
		err = steer_order_plan(&f->order, 0, &plan);
		mlxo_alloc_fail_at(0);
		check(f);
		if (!err)
			break;
		assert_int_equal(err, -ENOMEM);
		assert_int_equal(plan.nmoves, 0);
	}
	steer_order_plan_free(&plan);
	done(f);
}

/* Inside of the gap nothing moves; in front of it, those before it move down, and stay there in later plans. */
static void below_a_limit(void **state)
{
	struct fixture *f = fix(0, 99);

	(void)state;
	assert_int_equal(insert_below(f, 0, 30), 0);
	assert_int_equal(insert(f, 1), 0);
	check(f);
	assert_int_equal(f->moves, 0);
	assert_int_equal(insert_below(f, 2, 16), 0);
	check(f);
	assert_true(f->moves > 0);
	assert_int_equal(insert_below(f, 3, 3), -ENOSPC);
	while (insert(f, 0) == 0)
		check(f);
	assert_int_equal(f->order.n, 16); /* the last one stands at 15 */
	while (insert(f, f->order.n) == 0)
		check(f);
	assert_int_equal(f->order.n, 100);
	done(f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(fills_every_place),
		cmocka_unit_test(moves_stay_few),
		cmocka_unit_test(appending_moves_nothing_at_first),
		cmocka_unit_test(full_is_refused_and_room_comes_back),
		cmocka_unit_test(lost_places_are_never_used),
		cmocka_unit_test(random_lives),
		cmocka_unit_test(whole_index_space),
		cmocka_unit_test(out_of_memory_changes_nothing),
		cmocka_unit_test(below_a_limit),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
