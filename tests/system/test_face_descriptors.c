// SPDX-License-Identifier: BSD-2-Clause
/*
 * Programs that close what they did not open, in all the ways there are: the NIC and their own files stay what they were. And
 * a program that ends while others of its threads are in a call.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <fcntl.h>
#include <infiniband/mlx5dv.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <rdma/rdma_user_ioctl_cmds.h>

#include "tests/lib/face.h"

enum { PAGE = 4096, FILES = 16, FILE_BYTES = 2 << 20, ENDS = 20, THREADS = 4, MANY = 1024 };

static struct ibv_context *open_context(void)
{
	struct mlx5dv_context_attr attr = {.flags = MLX5DV_CONTEXT_FLAGS_DEVX};
	struct ibv_device **list = ibv_get_device_list(NULL);
	struct ibv_context *ctx = mlx5dv_open_device(list[0], &attr);

	ibv_free_device_list(list);
	return ctx;
}

static bool works(struct ibv_context *ctx)
{
	struct ibv_pd *pd = ibv_alloc_pd(ctx);

	return pd && ibv_dealloc_pd(pd) == 0;
}

/* Run in a process of its own; 0: it was right. */
static int apart(int (*fn)(void))
{
	pid_t pid = fork();
	int status;

	if (pid == 0)
		exit(fn());
	assert_int_equal(waitpid(pid, &status, 0), pid);
	return status;
}

/* Between vfork() and exec a child shares the parent's memory, not its descriptors. */
static void a_child_of_vfork(void **state)
{
	struct ibv_context *ctx = open_context();
	int status;
	pid_t pid;

	(void)state;
	assert_true(works(ctx));
	pid = vfork();
	if (pid == 0) {
		for (int fd = 3; fd < MANY; fd++)
			close(fd);
		_exit(0);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(works(ctx));
	assert_int_equal(ibv_close_device(ctx), 0);
}

/* The number is another file's then. */
static void a_range(void **state)
{
	struct ibv_context *ctx = open_context();
	char name[] = "/tmp/mlx5-face-file.XXXXXX";
	int fd = ctx->cmd_fd, file;
	void *map;

	(void)state;
	assert_int_equal(close_range((unsigned int)fd, (unsigned int)fd, 0), 0);
	file = mkstemp(name);
	assert_int_equal(file, fd);
	assert_int_equal(ftruncate(file, PAGE), 0);
	map = mmap(NULL, PAGE, PROT_READ, MAP_SHARED, file, 0);
	assert_ptr_not_equal(map, MAP_FAILED);
	munmap(map, PAGE);
	assert_int_equal(ioctl(file, RDMA_VERBS_IOCTL, name), -1);
	assert_int_equal(errno, ENOTTY);
	close(file);
	unlink(name);
	ibv_close_device(ctx);
}

/* Everything is closed, the numbers are files of the program: nothing of ours writes to them. */
static int all_closed(void)
{
	static char bytes[FILE_BYTES], back[FILE_BYTES];
	struct ibv_context *ctx = open_context(), *again;
	struct mlx5dv_devx_uar *uar;
	int file[FILES];

	if (!ctx || !mlx5dv_devx_alloc_uar(ctx, MLX5DV_UAR_ALLOC_TYPE_NC))
		return 1;
	for (int fd = 3; fd < MANY; fd++)
		close(fd);
	memset(bytes, 'A', sizeof(bytes));
	for (int i = 0; i < FILES; i++) {
		file[i] = memfd_create("precious", 0);
		if (file[i] < 0 || write(file[i], bytes, sizeof(bytes)) != sizeof(bytes))
			return 2;
	}
	again = open_context();
	uar = again ? mlx5dv_devx_alloc_uar(again, MLX5DV_UAR_ALLOC_TYPE_NC) : NULL;
	if (!uar || !works(again))
		return 3;
	*(volatile uint64_t *)uar->reg_addr = UINT64_MAX;
	for (int i = 0; i < FILES; i++)
		if (lseek(file[i], 0, SEEK_END) != FILE_BYTES ||
		    pread(file[i], back, sizeof(back), 0) != sizeof(back) ||
		    memcmp(back, bytes, sizeof(back)) != 0)
			return 4;
	return 0;
}

static int closed_from(void)
{
	struct ibv_context *ctx = open_context();

	closefrom(3);
	ctx = open_context();
	return ctx && works(ctx) ? 0 : 1;
}

static void everything(void **state)
{
	(void)state;
	assert_int_equal(apart(all_closed), 0);
	assert_int_equal(apart(closed_from), 0);
}

static void *open_and_close(void *arg)
{
	(void)arg;
	while (true) {
		struct ibv_context *ctx = open_context();

		if (!ctx)
			break;
		works(ctx);
		ibv_close_device(ctx);
	}
	return NULL;
}

static int end_in_the_middle(void)
{
	pthread_t thread;

	for (int i = 0; i < THREADS; i++)
		if (pthread_create(&thread, NULL, open_and_close, NULL))
			return 1;
	usleep(20000); /* any time will do */
	return 0;
}

static void the_end(void **state)
{
	(void)state;
	for (int i = 0; i < ENDS; i++)
		assert_int_equal(apart(end_in_the_middle), 0);
}

/* The cards of a child are its own: two of them are a pair again. */
static int both_ends(void)
{
	struct ibv_device **list = ibv_get_device_list(NULL);
	struct ibv_context *a = ibv_open_device(list[0]), *b = ibv_open_device(list[1]);

	return a && b ? 0 : 1;
}

static void a_pair_after_fork(void **state)
{
	struct ibv_device **list = ibv_get_device_list(NULL);
	struct ibv_context *a = ibv_open_device(list[0]), *b = ibv_open_device(list[1]);

	(void)state;
	assert_true(a && b);
	assert_int_equal(apart(both_ends), 0);
	assert_int_equal(ibv_close_device(a) | ibv_close_device(b), 0);
	ibv_free_device_list(list);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_child_of_vfork),  cmocka_unit_test(a_range),
		cmocka_unit_test(everything),	     cmocka_unit_test(the_end),
		cmocka_unit_test(a_pair_after_fork),
	};

	(void)argc;
	if (!face_preload(argv, "port=pair:a port=pair:a"))
		return 0;
	return cmocka_run_group_tests(tests, NULL, NULL);
}
