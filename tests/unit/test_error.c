// SPDX-License-Identifier: BSD-2-Clause
/* Last error and log: what is kept, what is told to whom, per thread; and the allocation hook. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include <mlx5_offload/error.h>

#include "objects/alloc.h"
#include "objects/error.h"

static struct {
	int n;
	enum mlxo_log_level level;
	char line[4096];
} got;

static void take(void *ctx, enum mlxo_log_level level, const char *line)
{
	assert_ptr_equal(ctx, &got);
	got.n++;
	got.level = level;
	snprintf(got.line, sizeof(got.line), "%s", line);
}

static int setup(void **state)
{
	(void)state;
	memset(&got, 0, sizeof(got));
	mlxo_log_set(take, &got, MLXO_LOG_TRACE);
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	mlxo_log_set(NULL, NULL, MLXO_LOG_TRACE);
	return 0;
}

static void levels(void **state)
{
	(void)state;
	for (int max = MLXO_LOG_ERROR; max <= MLXO_LOG_TRACE; max++) {
		mlxo_log_set(take, &got, (enum mlxo_log_level)max);
		for (int level = MLXO_LOG_ERROR; level <= MLXO_LOG_TRACE; level++) {
			got.n = 0;
			errno = E2BIG;
			obj_log((enum mlxo_log_level)level, "number %d", level);
			assert_int_equal(errno, E2BIG);
			assert_int_equal(got.n, level <= max);
			assert_int_equal(obj_log_on((enum mlxo_log_level)level), level <= max);
			if (got.n) {
				assert_int_equal(got.level, level);
				assert_int_equal(got.line[7], '0' + level);
			}
		}
	}
	mlxo_log_set(NULL, NULL, MLXO_LOG_TRACE);
	assert_false(obj_log_on(MLXO_LOG_ERROR));
	obj_log(MLXO_LOG_ERROR, "to nobody");
}

static void trace_lines_have_a_prefix(void **state)
{
	(void)state;
	obj_log_trace_line("> ", "ALLOC_PD");
	assert_string_equal(got.line, "> ALLOC_PD");
	obj_log_trace_line(NULL, "ALLOC_PD");
	assert_string_equal(got.line, "ALLOC_PD");
	assert_int_equal(got.level, MLXO_LOG_TRACE);
}

static void the_cause_is_kept(void **state)
{
	const struct obj_error_fw fw = {"ALLOC_PD", 9, "BAD_RES_STATE_ERR", 0xef0c8a};
	const struct mlxo_error *e = mlxo_error_last();

	(void)state;
	assert_int_equal(obj_error_firmware(-EBUSY, &fw, "first"), -EBUSY);
	assert_int_equal(got.n, 1); /* the command's line, at DEBUG */
	assert_int_equal(got.level, MLXO_LOG_DEBUG);
	obj_undo_begin();
	assert_int_equal(obj_error(-EINVAL, "second"), -EINVAL);
	obj_undo_begin();
	assert_null(obj_error_null(-EINVAL, "third"));
	obj_undo_end();
	assert_int_equal(obj_error_nomem("a fourth"), -ENOMEM);
	obj_undo_end();
	assert_int_equal(got.n, 4);
	assert_int_equal(got.level, MLXO_LOG_ERROR);
	assert_string_equal(got.line, "while cleaning up: out of memory for a fourth");
	assert_int_equal(errno, EBUSY);
	assert_int_equal(e->err, EBUSY);
	assert_string_equal(e->text, "first");
	assert_true(e->firmware);
	assert_string_equal(e->op, "ALLOC_PD");
	assert_int_equal(e->syndrome, 0xef0c8a);
	/* an error without a command has none of it */
	obj_error(-ENOENT, "fifth");
	assert_int_equal(got.n, 4); /* told to the caller, not to the log */
	assert_false(e->firmware);
	assert_null(e->op);
}

static void what_is_too_long_says_so(void **state)
{
	char big[5000];
	const char *text = mlxo_error_last()->text;

	(void)state;
	memset(big, 'x', sizeof(big));
	big[sizeof(big) - 1] = 0;
	obj_error(-EINVAL, "%s", big);
	assert_int_equal(strlen(text), sizeof(mlxo_error_last()->text) - 1);
	assert_string_equal(text + strlen(text) - 4, "x...");
	obj_log(MLXO_LOG_INFO, "%s", big);
	assert_string_equal(got.line + strlen(got.line) - 4, "x...");
}

static void *other_thread(void *arg)
{
	(void)arg;
	return mlxo_error_last()->err == 0 && obj_error(-EPERM, "of another thread") ? NULL : &got;
}

static void threads_have_their_own(void **state)
{
	pthread_t th;
	void *bad;

	(void)state;
	obj_error(-EDOM, "of this thread");
	assert_int_equal(pthread_create(&th, NULL, other_thread, NULL), 0);
	pthread_join(th, &bad);
	assert_null(bad);
	assert_string_equal(mlxo_error_last()->text, "of this thread");
}

static void allocations(void **state)
{
	char *s;
	uint8_t *p;

	(void)state;
	mlxo_alloc_fail_at(2);
	s = mlxo_strdup("text");
	assert_string_equal(s, "text");
	mlxo_free(s);
	errno = 0;
	assert_null(mlxo_strdup("text"));
	assert_int_equal(errno, ENOMEM);
	p = mlxo_alloc_pages(4096, 5000);
	assert_int_equal((uintptr_t)p % 4096, 0);
	assert_int_equal(p[8191], 0);
	mlxo_free(p);
	p = mlxo_calloc(1, 1);
	p = mlxo_reallocarray(p, 100, 10);
	assert_non_null(p);
	mlxo_free(p);
	assert_int_equal(mlxo_alloc_count(), 5);
	mlxo_alloc_fail_at(1);
	assert_null(mlxo_alloc_pages(4096, 1));
	mlxo_alloc_fail_at(0);
	assert_null(mlxo_alloc_pages(4096, SIZE_MAX - 10));
	mlxo_free(NULL);
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(levels),
		TEST(trace_lines_have_a_prefix),
		TEST(the_cause_is_kept),
		TEST(what_is_too_long_says_so),
		TEST(threads_have_their_own),
		TEST(allocations),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
