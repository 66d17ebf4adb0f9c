// SPDX-License-Identifier: BSD-2-Clause
/* The arithmetic of stress: seeded numbers, sizes, the heap of events, the histogram, host threads. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "tools/stress/heap.h"
#include "tools/stress/histogram.h"
#include "tools/stress/host.h"
#include "tools/stress/sizes.h"

static void a_seed_gives_its_numbers(void **state)
{
	struct stress_random a, b, other, use;
	unsigned int same = 0, low = 0;

	stress_random_init(&a, 7, 1);
	stress_random_init(&b, 7, 1);
	stress_random_init(&other, 8, 1);
	stress_random_init(&use, 7, 2);
	for (int i = 0; i < 1000; i++) {
		uint64_t v = stress_random_next(&a);

		assert_int_equal(v, stress_random_next(&b));
		same += v == stress_random_next(&other) || v == stress_random_next(&use);
		low += v < UINT64_MAX / 2;
	}
	assert_int_equal(same, 0);
	assert_in_range(low, 430, 570);
}

/* So that a change of the generator, which changes every published number, does not pass unseen. */
static void the_generator_is_the_documented_one(void **state)
{
	struct stress_random r = {.state = 0};

	assert_int_equal(stress_random_next(&r), 0xe220a8397b1dcdafULL); /* splitmix64 of 0 */
	assert_int_equal(stress_random_next(&r), 0x6e789e6aa1b965f4ULL);
}

static void draws_have_their_mean(void **state)
{
	struct stress_random r;
	uint64_t sum = 0, wait = 0, hits = 0;

	stress_random_init(&r, 1, 0);
	for (int i = 0; i < 100000; i++) {
		uint64_t v = stress_random_below(&r, 10);

		assert_true(v < 10);
		sum += v;
		wait += stress_random_wait(&r, 1000);
		hits += stress_random_hit(&r, 0.25);
		assert_false(stress_random_hit(&r, 0));
	}
	assert_in_range(sum, 440000, 460000);
	assert_in_range(wait, 98000000, 102000000);
	assert_in_range(hits, 24000, 26000);
}

static void sizes_are_drawn_as_they_are_mixed(void **state)
{
	struct stress_sizes s;
	struct stress_random r;
	const char *why;
	unsigned int longs = 0;

	assert_true(stress_sizes_parse("mix:80%4096,20%1048576", &s, &why));
	assert_int_equal(s.n, 2);
	assert_int_equal(stress_sizes_max(&s), 1048576);
	stress_random_init(&r, 3, 0);
	for (int i = 0; i < 100000; i++) {
		uint64_t v = stress_sizes_draw(&s, &r);

		assert_true(v == 4096 || v == 1048576);
		longs += v == 1048576;
	}
	assert_in_range(longs, 19500, 20500);
	assert_true(stress_sizes_parse("1500", &s, &why));
	assert_int_equal(stress_sizes_draw(&s, &r), 1500);
}

static void bad_sizes_are_refused(void **state)
{
	static const char *const bad[] = {
		"",
		"0",
		"-1",
		"4k",
		"1073741825",
		"mix:",
		"mix:100%",
		"mix:50%10",
		"mix:60%10,60%20",
		"mix:101%10",
		"mix:50%10,50%0",
		"mix:50%10,50%20,",
		"mix:50%10;50%20",
		"mix:0%10,100%20",
		"mix:99999999999999999999%1",
		"mix:5%1,5%1,5%1,5%1,5%1,5%1,5%1,5%1,5%1,5%1,5%1,5%1,5%1,5%1,5%1,5%1,20%1",
	};
	struct stress_sizes s;

	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		const char *why = NULL;

		assert_false(stress_sizes_parse(bad[i], &s, &why));
		assert_non_null(why);
	}
}

static void events_come_in_order(void **state)
{
	struct stress_heap h = {0};
	struct stress_random r;
	uint64_t last = 0, order = 0;

	assert_int_equal(stress_heap_time(&h), UINT64_MAX);
	stress_random_init(&r, 5, 0);
	for (uint32_t i = 0; i < 5000; i++) {
		struct stress_event e = {.time = stress_random_below(&r, 300), .a = i};

		assert_true(stress_heap_put(&h, &e));
	}
	for (int i = 0; i < 5000; i++) {
		struct stress_event e;

		last = stress_heap_time(&h);
		e = stress_heap_take(&h);
		assert_int_equal(e.time, last);
		assert_int_equal(e.order, e.a);
		if (h.n) {
			assert_true(stress_heap_time(&h) >= last);
			assert_true(stress_heap_time(&h) > last || h.event[0].order > e.order);
		}
		order += e.order;
	}
	assert_int_equal(order, 5000 * 4999 / 2);
	assert_int_equal(h.n, 0);
	stress_heap_fini(&h);
}

static int by_value(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return x < y ? -1 : x > y;
}

/* Against the sorted values themselves: never below, at most 1/128 above. */
static void percentiles_are_close(void **state)
{
	enum { N = 20000 };
	static const unsigned int parts[] = {1, 50000, 99000, 99900, 99999, 100000};
	struct stress_histogram *h = calloc(1, sizeof(*h)), *half = calloc(1, sizeof(*half));
	uint64_t *v = malloc(N * sizeof(*v));
	struct stress_random r;

	stress_random_init(&r, 9, 0);
	for (int i = 0; i < N; i++) {
		v[i] = stress_random_next(&r) >> (i % 60);
		stress_histogram_add(i % 2 ? h : half, v[i]);
	}
	stress_histogram_merge(h, half);
	qsort(v, N, sizeof(*v), by_value);
	assert_int_equal(h->n, N);
	assert_int_equal(h->max, v[N - 1]);
	for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++) {
		uint64_t exact = v[((uint64_t)N * parts[i] + 99999) / 100000 - 1];
		uint64_t got = stress_histogram_at(h, parts[i]);

		assert_true(got >= exact);
		assert_true(got - exact <= exact / 128);
	}
	free(v);
	free(half);
	free(h);
}

static void small_histograms_are_exact(void **state)
{
	struct stress_histogram *h = calloc(1, sizeof(*h));

	assert_int_equal(stress_histogram_at(h, 50000), 0);
	for (uint64_t i = 1; i <= 100; i++)
		stress_histogram_add(h, i);
	assert_int_equal(stress_histogram_at(h, 50000), 50);
	assert_int_equal(stress_histogram_at(h, 99000), 99);
	assert_int_equal(stress_histogram_at(h, 99001), 100);
	stress_histogram_add(h, UINT64_MAX);
	stress_histogram_add(h, 0);
	assert_int_equal(stress_histogram_at(h, 100000), UINT64_MAX);
	assert_int_equal(stress_histogram_at(h, 0), 0);
	free(h);
}

static void work_waits_for_a_thread(void **state)
{
	struct stress_host h;
	struct stress_work w;
	uint32_t put = 0, taken = 0;

	stress_host_init(&h, 2);
	assert_false(stress_host_take(&h, &w));
	for (int round = 0; round < 500;
	     round++) { /* three in, two out: the ring wraps and grows */
		for (int i = 0; i < 3; i++)
			assert_true(stress_host_put(&h, &(struct stress_work){.slot = put++}));
		for (int i = 0; i < 2; i++) {
			assert_true(stress_host_take(&h, &w));
			assert_int_equal(w.slot, taken++);
			stress_host_occupy(&h, 10);
		}
		assert_false(stress_host_take(&h, &w));
		stress_host_release(&h);
		stress_host_release(&h);
	}
	assert_int_equal(h.n, put - taken);
	assert_int_equal(h.busy_ps, 10 * (uint64_t)taken);
	stress_host_fini(&h);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_seed_gives_its_numbers),
		cmocka_unit_test(the_generator_is_the_documented_one),
		cmocka_unit_test(draws_have_their_mean),
		cmocka_unit_test(sizes_are_drawn_as_they_are_mixed),
		cmocka_unit_test(bad_sizes_are_refused),
		cmocka_unit_test(events_come_in_order),
		cmocka_unit_test(percentiles_are_close),
		cmocka_unit_test(small_histograms_are_exact),
		cmocka_unit_test(work_waits_for_a_thread),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
