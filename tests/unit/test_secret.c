// SPDX-License-Identifier: BSD-2-Clause
/* Key store: hex text in every spelling, files, the state of its pages, reference counts, threads. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <mlx5_offload/error.h>
#include <mlx5_offload/secret.h>

#include "objects/alloc.h"

static struct mlxo_secret *hex(const char *text)
{
	return mlxo_secret_from_hex(text, strlen(text));
}

static void expect(struct mlxo_secret *s, const void *bytes, size_t len)
{
	assert_non_null(s);
	assert_int_equal(mlxo_secret_len(s), len);
	assert_memory_equal(mlxo_secret_bytes(s), bytes, len);
	mlxo_secret_destroy(s);
}

static void refused(struct mlxo_secret *s, int err)
{
	assert_null(s);
	assert_int_equal(errno, err);
	assert_int_equal(mlxo_error_last()->err, err);
}

static void bytes_are_copied(void **state)
{
	uint8_t b[MLXO_SECRET_MAX + 1];

	(void)state;
	memset(b, 7, sizeof(b));
	for (size_t n = 1; n <= MLXO_SECRET_MAX; n++)
		expect(mlxo_secret_new(b, n), b, n);
	refused(mlxo_secret_new(b, 0), EINVAL);
	refused(mlxo_secret_new(b, MLXO_SECRET_MAX + 1), EINVAL);
}

static void hex_is_read(void **state)
{
	char text[3];

	(void)state;
	expect(hex("00"), "\0", 1);
	expect(hex("0x0123456789abcdefABCDEF"), "\x01\x23\x45\x67\x89\xab\xcd\xef\xab\xcd\xef", 11);
	expect(hex("0Xff"), "\xff", 1);
	expect(hex(" \t0xff \t\n"), "\xff", 1);
	expect(hex("ff\r\n"), "\xff", 1);
	for (unsigned int i = 0; i < 256; i++) {
		uint8_t b = (uint8_t)i;

		snprintf(text, sizeof(text), i % 2 ? "%02x" : "%02X", i);
		expect(hex(text), &b, 1);
	}
}

static void bad_hex_is_refused_without_showing_it(void **state)
{
	static const char *const bad[] = {"",	 "0x",	   " ",	     "0x ",   "1",  "123", "fg",
					  "1 2", "ff\n\n", "0x0xff", "ff ff", "\n", "-1",  "+1"};

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		refused(hex(bad[i]), EINVAL);
	refused(hex("deadbeefcafeZZ"), EINVAL);
	assert_null(strstr(mlxo_error_last()->text, "deadbeef"));
	for (unsigned int c = 1; c < 256; c++) {
		char text[3] = {'a', (char)c, 0};
		struct mlxo_secret *s = hex(text);
		bool digit = (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f') ||
			     (c >= 'A' && c <= 'F');

		assert_int_equal(s != NULL, digit);
		mlxo_secret_destroy(s);
	}
}

static void long_hex(void **state)
{
	char text[2 * MLXO_SECRET_MAX + 3];

	(void)state;
	memset(text, 'a', sizeof(text));
	text[2 * MLXO_SECRET_MAX] = 0;
	mlxo_secret_destroy(hex(text));
	text[2 * MLXO_SECRET_MAX] = 'a';
	text[2 * MLXO_SECRET_MAX + 2] = 0;
	refused(hex(text), EINVAL);
}

/* -- files --------------------------------------------------------------------------------------------------- */

static char path[] = "/tmp/mlxo-secret-XXXXXX";

static int make_file(void **state)
{
	int fd = mkstemp(path);

	(void)state;
	if (fd < 0)
		return -1;
	close(fd);
	return 0;
}

static int drop_file(void **state)
{
	(void)state;
	unlink(path);
	memcpy(path + sizeof(path) - 7, "XXXXXX", 6);
	return 0;
}

static void write_file(const void *text, size_t len, mode_t mode)
{
	int fd = open(path, O_WRONLY | O_TRUNC);

	assert_true(fd >= 0);
	assert_int_equal(write(fd, text, len), len);
	assert_int_equal(fchmod(fd, mode), 0);
	close(fd);
}

static void files(void **state)
{
	char big[300];

	(void)state;
	write_file("0x0102\n", 7, 0600);
	expect(mlxo_secret_from_file(path), "\1\2", 2);
	write_file("0x0102\n", 7, 0400);
	expect(mlxo_secret_from_file(path), "\1\2", 2);
	for (mode_t bit = 1; bit <= 0100; bit <<= 1) {
		write_file("0x0102\n", 7, 0600 | bit);
		refused(mlxo_secret_from_file(path), EACCES);
	}
	memset(big, ' ', sizeof(big));
	write_file(big, 256, 0600);
	refused(mlxo_secret_from_file(path), EINVAL);
	write_file(big, 257, 0600);
	refused(mlxo_secret_from_file(path), EINVAL);
	assert_non_null(strstr(mlxo_error_last()->text, "longer than"));
	write_file("", 0, 0600);
	refused(mlxo_secret_from_file(path), EINVAL);
	refused(mlxo_secret_from_file("/nonexistent/key"), ENOENT);
	refused(mlxo_secret_from_file("/tmp"), EACCES);
	refused(mlxo_secret_from_file("/dev/null"), EACCES);
}

static void fifo_is_refused_and_not_waited_for(void **state)
{
	(void)state;
	unlink(path);
	assert_int_equal(mkfifo(path, 0600), 0);
	refused(mlxo_secret_from_file(path), EACCES);
}

static void descriptors(void **state)
{
	int fds[2];

	(void)state;
	assert_int_equal(pipe(fds), 0);
	assert_int_equal(write(fds[1], "0a", 2), 2);
	assert_int_equal(write(fds[1], "0b\n", 3), 3);
	close(fds[1]);
	expect(mlxo_secret_from_fd(fds[0]), "\x0a\x0b", 2);
	assert_int_equal(close(fds[0]), 0); /* was left open */
	refused(mlxo_secret_from_fd(fds[0]), EBADF);
}

/* -- the store ------------------------------------------------------------------------------------------------ */

static void references(void **state)
{
	struct mlxo_secret *s = hex("0102"), *t;

	(void)state;
	t = mlxo_secret_ref(s);
	assert_ptr_equal(s, t);
	mlxo_secret_destroy(s);
	expect(t, "\1\2", 2);
	mlxo_secret_destroy(NULL);
}

/* Two pages' worth: no two share a slot, and a freed slot is wiped before it is used again. */
static void slots(void **state)
{
	enum { N = 150 };
	struct mlxo_secret *s[N];
	const uint8_t *freed;
	uint8_t zero[64] = {0}, b[64];

	(void)state;
	for (int i = 0; i < N; i++) {
		memset(b, i + 1, sizeof(b));
		s[i] = mlxo_secret_new(b, sizeof(b));
		assert_non_null(s[i]);
	}
	for (int i = 0; i < N; i++) {
		memset(b, i + 1, sizeof(b));
		assert_memory_equal(mlxo_secret_bytes(s[i]), b, sizeof(b));
	}
	freed = mlxo_secret_bytes(s[10]); /* its page stays: the others are in it */
	mlxo_secret_destroy(s[10]);
	assert_memory_equal(freed, zero, 64);
	for (int i = 0; i < N; i++)
		if (i != 10)
			mlxo_secret_destroy(s[i]);
}

/* Is the mapping of addr marked so in /proc/self/smaps? */
static bool has_flag(const void *addr, const char *flag)
{
	FILE *f = fopen("/proc/self/smaps", "r");
	unsigned long lo, hi;
	bool inside = false, found = false;
	char line[512];

	assert_non_null(f);
	while (fgets(line, sizeof(line), f)) {
		if (sscanf(line, "%lx-%lx ", &lo, &hi) == 2)
			inside = (unsigned long)addr >= lo && (unsigned long)addr < hi;
		else if (inside && strncmp(line, "VmFlags:", 8) == 0)
			found = strstr(line, flag) != NULL;
	}
	fclose(f);
	return found;
}

/* The sanitizers replace mlock() by nothing. */
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
enum { MLOCK_WORKS = 0 };
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
enum { MLOCK_WORKS = 0 };
#else
enum { MLOCK_WORKS = 1 };
#endif
#else
enum { MLOCK_WORKS = 1 };
#endif

static void pages_are_locked_and_not_dumped(void **state)
{
	struct mlxo_secret *s = hex("0102");

	(void)state;
	assert_true(has_flag(mlxo_secret_bytes(s), " dd"));
	assert_true(has_flag(mlxo_secret_bytes(s), " lo") || !MLOCK_WORKS);
	assert_true(has_flag(mlxo_secret_bytes(s), " wf"));
	mlxo_secret_destroy(s);
}

static void a_child_reads_zero(void **state)
{
	struct mlxo_secret *s = hex("0102");
	int status;
	pid_t pid = fork();

	(void)state;
	if (pid == 0) {
		const uint8_t *b = mlxo_secret_bytes(s);
		bool wiped = b[0] == 0 && b[1] == 0 && mlxo_secret_len(s) == 2;

		mlxo_secret_destroy(s);
		_exit(wiped ? 0 : 1);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
	expect(s, "\1\2", 2);
}

static int warnings;

static void count(void *ctx, enum mlxo_log_level level, const char *line)
{
	(void)ctx;
	(void)line;
	warnings += level == MLXO_LOG_WARN;
}

/* In a child, because limits and the one warning are the process's. Root may lock whatever the limit is. */
static void a_small_limit_warns_once(void **state)
{
	struct rlimit none = {0, 0};
	int status;
	pid_t pid;

	(void)state;
	pid = fork();
	if (pid == 0) {
		struct mlxo_secret *a, *b;

		mlxo_log_set(count, NULL, MLXO_LOG_WARN);
		if (setrlimit(RLIMIT_MEMLOCK, &none) || (geteuid() == 0 && setuid(65534)))
			_exit(2);
		a = hex("01");
		mlxo_secret_destroy(a);
		b = hex("02");
		mlxo_secret_destroy(b);
		_exit(a && b && warnings == MLOCK_WORKS ? 0 : 1);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

static void out_of_memory(void **state)
{
	(void)state;
	for (uint64_t n = 1;; n++) {
		struct mlxo_secret *s;

		mlxo_alloc_fail_at(n);
		s = hex("0102");
		mlxo_alloc_fail_at(0);
		if (s) {
			expect(s, "\1\2", 2);
			assert_true(n > 2); /* the secret and its page each failed once */
			return;
		}
		assert_int_equal(errno, ENOMEM);
	}
}

static void *churn(void *arg)
{
	uint8_t b[32];

	for (int i = 0; i < 2000; i++) {
		struct mlxo_secret *s, *t;

		memset(b, (int)(intptr_t)arg + i, sizeof(b));
		s = mlxo_secret_new(b, sizeof(b));
		t = mlxo_secret_ref(s);
		mlxo_secret_destroy(s);
		if (memcmp(mlxo_secret_bytes(t), b, sizeof(b)) != 0)
			return arg;
		mlxo_secret_destroy(t);
	}
	return NULL;
}

static void threads(void **state)
{
	pthread_t th[4];
	void *bad;

	(void)state;
	for (intptr_t i = 0; i < 4; i++)
		assert_int_equal(pthread_create(&th[i], NULL, churn, (void *)(i + 1)), 0);
	for (int i = 0; i < 4; i++) {
		pthread_join(th[i], &bad);
		assert_null(bad);
	}
}

/*
 * 100,000 secrets that come and go in any order: each keeps its bytes, and pages with room are filled before there are more.
 */
static void a_hundred_thousand_in_random_order(void **state)
{
	enum { N = 100000, PER_PAGE = 64 };
	struct mlxo_secret **s = calloc(N, sizeof(*s));
	uint32_t seed = 1;

	(void)state;
	assert_non_null(s);
	for (uint32_t turn = 0; turn < 4 * N; turn++) {
		uint32_t i = turn < N ? turn : (seed = seed * 1664525u + 1013904223u) % N;

		if (s[i]) {
			assert_memory_equal(mlxo_secret_bytes(s[i]), &i, sizeof(i));
			mlxo_secret_destroy(s[i]);
			s[i] = NULL;
		} else {
			s[i] = mlxo_secret_new(&i, sizeof(i));
			assert_non_null(s[i]);
		}
	}
	for (uint32_t i = 0; i < N; i++) {
		if (s[i])
			assert_memory_equal(mlxo_secret_bytes(s[i]), &i, sizeof(i));
		mlxo_secret_destroy(s[i]);
		s[i] = NULL;
	}
	/* holes are filled first: 64 fit the page that the first made */
	mlxo_alloc_fail_at(0);
	for (uint32_t i = 0; i < PER_PAGE; i++)
		s[i] = mlxo_secret_new(&i, sizeof(i));
	assert_int_equal(mlxo_alloc_count(), PER_PAGE + 1);
	for (uint32_t i = 0; i < PER_PAGE; i += 2) {
		mlxo_secret_destroy(s[i]);
		s[i] = mlxo_secret_new(&i, sizeof(i));
	}
	assert_int_equal(mlxo_alloc_count(), PER_PAGE + 1 + PER_PAGE / 2);
	for (uint32_t i = 0; i < PER_PAGE; i++)
		mlxo_secret_destroy(s[i]);
	free(s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(bytes_are_copied),
		cmocka_unit_test(hex_is_read),
		cmocka_unit_test(bad_hex_is_refused_without_showing_it),
		cmocka_unit_test(long_hex),
		cmocka_unit_test_setup_teardown(files, make_file, drop_file),
		cmocka_unit_test_setup_teardown(fifo_is_refused_and_not_waited_for, make_file,
						drop_file),
		cmocka_unit_test(descriptors),
		cmocka_unit_test(references),
		cmocka_unit_test(slots),
		cmocka_unit_test(pages_are_locked_and_not_dumped),
		cmocka_unit_test(a_child_reads_zero),
		cmocka_unit_test(a_small_limit_warns_once),
		cmocka_unit_test(out_of_memory),
		cmocka_unit_test(threads),
		cmocka_unit_test(a_hundred_thousand_in_random_order),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
