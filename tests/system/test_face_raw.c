// SPDX-License-Identifier: BSD-2-Clause
/* The ABI without libibverbs: what is wrong with a call is answered as the kernel answers it, and nothing falls over. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <assert.h>
#include <cmocka.h>

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <rdma/ib_user_ioctl_cmds.h>
#include <rdma/ib_user_ioctl_verbs.h>
#include <rdma/ib_user_verbs.h>
#include <rdma/mlx5-abi.h>
#include <rdma/mlx5_user_ioctl_cmds.h>
#include <rdma/mlx5_user_ioctl_verbs.h>
#include <rdma/rdma_user_ioctl_cmds.h>

#include "prm/prm.h"
#include "tests/lib/face.h"

enum { MAX_ATTRS = 8, THREADS = 6, ROUNDS = 300 };

/* struct ib_uverbs_ioctl_hdr without its open end */
struct header {
	uint16_t length, object_id, method_id, num_attrs;
	uint64_t reserved1;
	uint32_t driver_id, reserved2;
};
static_assert(sizeof(struct header) == sizeof(struct ib_uverbs_ioctl_hdr), "the same layout");

struct call {
	struct header hdr;
	struct ib_uverbs_attr attrs[MAX_ATTRS];
};

static struct call call(uint16_t object, uint16_t method)
{
	return (struct call){
		.hdr = {.object_id = object, .method_id = method, .driver_id = RDMA_DRIVER_MLX5}};
}

static void attr(struct call *c, uint16_t id, uint16_t len, uint64_t data)
{
	c->attrs[c->hdr.num_attrs++] = (struct ib_uverbs_attr){
		.attr_id = id, .len = len, .flags = UVERBS_ATTR_F_MANDATORY, .data = data};
}

/* 0 or the positive errno. */
static int send_call(int fd, struct call *c)
{
	c->hdr.length = (uint16_t)(sizeof(c->hdr) + c->hdr.num_attrs * sizeof(c->attrs[0]));
	return ioctl(fd, RDMA_VERBS_IOCTL, &c->hdr) ? errno : 0;
}

static int open_raw(void)
{
	int fd = open("/dev/infiniband/uverbs0", O_RDWR | O_CLOEXEC);

	assert_true(fd >= 0);
	return fd;
}

static int get_context(int fd, uint32_t flags)
{
	struct mlx5_ib_alloc_ucontext_req_v2 req = {.flags = flags,
						    .lib_caps = MLX5_LIB_CAP_DYN_UAR};
	struct mlx5_ib_alloc_ucontext_resp resp = {.tot_bfregs = 1};
	struct call c = call(UVERBS_OBJECT_DEVICE, UVERBS_METHOD_GET_CONTEXT);
	int err;

	attr(&c, UVERBS_ATTR_UHW_IN, sizeof(req), (uintptr_t)&req);
	attr(&c, UVERBS_ATTR_UHW_OUT, sizeof(resp), (uintptr_t)&resp);
	err = send_call(fd, &c);
	if (!err)
		assert_int_equal(resp.tot_bfregs, 0);
	return err;
}

static int open_context(void)
{
	int fd = open_raw();

	assert_int_equal(get_context(fd, MLX5_IB_ALLOC_UCTX_DEVX), 0);
	return fd;
}

static int general(int fd, const void *in, uint16_t inlen, void *out, uint16_t outlen)
{
	struct call c = call(MLX5_IB_OBJECT_DEVX, MLX5_IB_METHOD_DEVX_OTHER);

	attr(&c, MLX5_IB_ATTR_DEVX_OTHER_CMD_IN, inlen, (uintptr_t)in);
	attr(&c, MLX5_IB_ATTR_DEVX_OTHER_CMD_OUT, outlen, (uintptr_t)out);
	return send_call(fd, &c);
}

/* A PD: its handle, 0 when refused. */
static uint32_t new_pd(int fd)
{
	uint8_t in[PRM_BYTES(alloc_pd_in)] = {0}, out[PRM_BYTES(alloc_pd_out)] = {0};
	struct call c = call(MLX5_IB_OBJECT_DEVX_OBJ, MLX5_IB_METHOD_DEVX_OBJ_CREATE);

	PRM_SET(alloc_pd_in, in, opcode, PRM_CMD_OP_ALLOC_PD);
	attr(&c, MLX5_IB_ATTR_DEVX_OBJ_CREATE_HANDLE, 0, 0);
	attr(&c, MLX5_IB_ATTR_DEVX_OBJ_CREATE_CMD_IN, sizeof(in), (uintptr_t)in);
	attr(&c, MLX5_IB_ATTR_DEVX_OBJ_CREATE_CMD_OUT, sizeof(out), (uintptr_t)out);
	return send_call(fd, &c) ? 0 : (uint32_t)c.attrs[0].data;
}

static int destroy(int fd, uint64_t handle)
{
	struct call c = call(MLX5_IB_OBJECT_DEVX_OBJ, MLX5_IB_METHOD_DEVX_OBJ_DESTROY);

	attr(&c, MLX5_IB_ATTR_DEVX_OBJ_DESTROY_HANDLE, 0, handle);
	return send_call(fd, &c);
}

static void test_device_node(void **state)
{
	struct stat by_name, by_fd;
	int fd = open_raw();

	assert_int_equal(stat("/dev/infiniband/uverbs0", &by_name), 0);
	assert_int_equal(fstat(fd, &by_fd), 0);
	assert_true(S_ISCHR(by_fd.st_mode));
	assert_int_equal(by_name.st_rdev, by_fd.st_rdev);
	assert_int_equal(access("/dev/infiniband/uverbs0", R_OK), 0);
	assert_int_equal(open("/dev/infiniband/uverbs7", O_RDWR), -1);
	close(fd);
}

static void test_order_of_opening(void **state)
{
	struct call c = call(UVERBS_OBJECT_DEVICE, UVERBS_METHOD_QUERY_PORT);
	struct ib_uverbs_query_port_resp_ex r;
	int fd = open_raw();

	attr(&c, UVERBS_ATTR_QUERY_PORT_PORT_NUM, 1, 1);
	attr(&c, UVERBS_ATTR_QUERY_PORT_RESP, sizeof(r), (uintptr_t)&r);
	assert_int_equal(send_call(fd, &c), EINVAL); /* no context yet */
	assert_int_equal(get_context(fd, 0x80), EINVAL);
	assert_int_equal(get_context(fd, MLX5_IB_ALLOC_UCTX_DEVX), 0);
	assert_int_equal(get_context(fd, MLX5_IB_ALLOC_UCTX_DEVX), EINVAL); /* once */
	assert_int_equal(send_call(fd, &c), 0);
	close(fd);
}

static void test_headers(void **state)
{
	struct call c = call(UVERBS_OBJECT_DEVICE, UVERBS_METHOD_QUERY_CONTEXT);
	int fd = open_context();

	assert_int_equal(send_call(fd, &c), 0);
	assert_int_equal(ioctl(fd, RDMA_VERBS_IOCTL, NULL) ? errno : 0, EFAULT);
	assert_int_equal(ioctl(fd, TCGETS, &c) ? errno : 0, ENOTTY);
	c.hdr.length++;
	assert_int_equal(ioctl(fd, RDMA_VERBS_IOCTL, &c) ? errno : 0, EINVAL);
	c.hdr.reserved1 = 1;
	assert_int_equal(send_call(fd, &c), EPROTONOSUPPORT);
	c = call(UVERBS_OBJECT_DEVICE, UVERBS_METHOD_QUERY_CONTEXT);
	c.hdr.driver_id = RDMA_DRIVER_MLX4;
	assert_int_equal(send_call(fd, &c), EINVAL);
	c = call(UVERBS_OBJECT_DEVICE, 0xfff);
	assert_int_equal(send_call(fd, &c), EPROTONOSUPPORT);
	c = call(UVERBS_OBJECT_DM, UVERBS_METHOD_DM_ALLOC);
	assert_int_equal(send_call(fd, &c), EPROTONOSUPPORT);
	close(fd);
}

static void test_attributes(void **state)
{
	struct call c = call(UVERBS_OBJECT_DEVICE, UVERBS_METHOD_QUERY_CONTEXT);
	uint32_t vectors = 0;
	int fd = open_context();

	attr(&c, UVERBS_ATTR_QUERY_CONTEXT_NUM_COMP_VECTORS, sizeof(vectors), (uintptr_t)&vectors);
	assert_int_equal(send_call(fd, &c), 0);
	assert_int_equal(vectors, 1);
	assert_true(c.attrs[0].flags & UVERBS_ATTR_F_VALID_OUTPUT);
	attr(&c, 0x77, 4, 0); /* not known */
	assert_int_equal(send_call(fd, &c), EPROTONOSUPPORT);
	c.attrs[1].flags = 0; /* and not mandatory */
	assert_int_equal(send_call(fd, &c), 0);
	c.attrs[1] = c.attrs[0]; /* twice */
	assert_int_equal(send_call(fd, &c), EINVAL);
	c.hdr.num_attrs = 1;
	c.attrs[0].flags = 0x100;
	assert_int_equal(send_call(fd, &c), EINVAL);
	c.attrs[0].flags = 0;
	c.attrs[0].data = 1; /* no memory there */
	assert_int_equal(send_call(fd, &c), EFAULT);
	c = call(MLX5_IB_OBJECT_DEVX, MLX5_IB_METHOD_DEVX_OTHER);
	assert_int_equal(send_call(fd, &c), EINVAL); /* what must be there is not */
	close(fd);
}

static void test_mailboxes(void **state)
{
	uint8_t in[16] = {0}, out[16] = {0};
	int fd = open_context();

	PRM_SET(cmd_in, in, opcode, PRM_CMD_OP_NOP);
	assert_int_equal(general(fd, in, sizeof(in), out, sizeof(out)), 0);
	assert_int_equal(general(fd, in, 8, out, sizeof(out)), EINVAL);
	assert_int_equal(general(fd, (void *)1, sizeof(in), out, sizeof(out)), EFAULT);
	assert_int_equal(general(fd, in, sizeof(in), (void *)1, sizeof(out)), EFAULT);
	close(fd);
}

static void test_without_devx(void **state)
{
	uint8_t in[PRM_BYTES(query_hca_cap_in)] = {0}, out[PRM_BYTES(query_hca_cap_out)] = {0};
	int fd = open_raw();

	assert_int_equal(get_context(fd, 0), 0);
	PRM_SET(query_hca_cap_in, in, opcode, PRM_CMD_OP_QUERY_HCA_CAP);
	PRM_SET(query_hca_cap_in, in, op_mod, 1);
	assert_int_equal(general(fd, in, sizeof(in), out, sizeof(out)), 0);
	PRM_SET(query_hca_cap_in, in, opcode, PRM_CMD_OP_NOP);
	assert_int_equal(general(fd, in, sizeof(in), out, sizeof(out)), EINVAL);
	assert_int_equal(new_pd(fd), 0);
	close(fd);
}

static void test_handles(void **state)
{
	int fd = open_context(), other = open_context();
	uint32_t pd = new_pd(fd);
	struct call c = call(UVERBS_OBJECT_PD, UVERBS_METHOD_PD_DESTROY);

	assert_int_not_equal(pd, 0);
	assert_int_equal(destroy(other, pd), ENOENT);
	assert_int_equal(destroy(fd, 0xffffffff), ENOENT);
	assert_int_equal(destroy(fd, UINT64_MAX), ENOENT);
	attr(&c, UVERBS_ATTR_DESTROY_PD_HANDLE, 0, pd); /* not one of verbs */
	assert_int_equal(send_call(fd, &c), EINVAL);
	assert_int_equal(destroy(fd, pd), 0);
	assert_int_equal(destroy(fd, pd), ENOENT);
	close(fd);
	close(other);
}

static void test_pages(void **state)
{
	int fd = open_context();

	assert_ptr_equal(mmap(NULL, 4096, PROT_WRITE, MAP_SHARED, fd, 0), MAP_FAILED);
	assert_int_equal(errno, EINVAL);
	close(fd);
	assert_ptr_equal(mmap(NULL, 4096, PROT_WRITE, MAP_SHARED, fd, 0), MAP_FAILED);
	assert_int_equal(errno, EBADF);
	assert_int_equal(ioctl(fd, RDMA_VERBS_IOCTL, NULL) ? errno : 0, EBADF);
}

/* A context lives as long as one number of its descriptor. */
static void test_duplicates(void **state)
{
	int fd = open_context(), one = dup(fd), two = fcntl(fd, F_DUPFD_CLOEXEC, 100);
	int null = open("/dev/null", O_RDWR);
	uint32_t pd = new_pd(fd);

	assert_true(two >= 100);
	close(fd);
	assert_int_equal(destroy(one, pd), 0);
	assert_int_equal(dup2(null, one), one); /* not a context any more */
	assert_int_equal(destroy(one, pd), ENOTTY);
	assert_int_not_equal(new_pd(two), 0);
	close(one);
	close(two);
	close(null);
}

/* A child has a card of its own, also when its parent is using one, and ends like any process. */
static void test_fork(void **state)
{
	int fd = open_context(), status;
	uint32_t pd = new_pd(fd);
	pid_t child = fork();

	if (child == 0) {
		int own = open("/dev/infiniband/uverbs0", O_RDWR);

		if (destroy(fd, pd) != ENOTTY || close(fd) ||
		    get_context(own, MLX5_IB_ALLOC_UCTX_DEVX) || !new_pd(own))
			_exit(1);
		exit(0); /* with all destructors */
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_int_equal(status, 0);
	assert_int_equal(destroy(fd, pd), 0);
	close(fd);
}

/* -- races ------------------------------------------------------------------------------------------------------ */

static _Atomic int shared; /* a descriptor that one thread closes and opens while others use it */
static _Atomic bool over;

static void *use_it(void *arg)
{
	while (!atomic_load(&over)) {
		int fd = atomic_load(&shared);
		uint32_t pd = new_pd(fd);

		if (pd)
			destroy(fd, pd); /* or the close does */
	}
	return NULL;
}

static void test_close_while_in_use(void **state)
{
	pthread_t t[THREADS];

	atomic_store(&shared, open_context());
	for (int i = 0; i < THREADS; i++)
		assert_int_equal(pthread_create(&t[i], NULL, use_it, NULL), 0);
	for (int i = 0; i < ROUNDS; i++) {
		int old = atomic_load(&shared), fd = open_context();

		atomic_store(&shared, fd);
		close(old);
	}
	atomic_store(&over, true);
	for (int i = 0; i < THREADS; i++)
		pthread_join(t[i], NULL);
	close(atomic_load(&shared));
}

static uint32_t target;
static _Atomic int destroyed;

static void *destroy_it(void *arg)
{
	int err = destroy(atomic_load(&shared), target);

	if (!err)
		atomic_fetch_add(&destroyed, 1);
	else if (err != ENOENT && err != EBUSY)
		atomic_fetch_add(&destroyed, 100);
	return NULL;
}

static void test_destroyed_once(void **state)
{
	pthread_t t[THREADS];

	atomic_store(&shared, open_context());
	for (int round = 0; round < 50; round++) {
		target = new_pd(atomic_load(&shared));
		atomic_store(&destroyed, 0);
		for (int i = 0; i < THREADS; i++)
			assert_int_equal(pthread_create(&t[i], NULL, destroy_it, NULL), 0);
		for (int i = 0; i < THREADS; i++)
			pthread_join(t[i], NULL);
		assert_int_equal(atomic_load(&destroyed), 1);
	}
	close(atomic_load(&shared));
}

/* Whatever was open, no context left an object alive. */
static void test_nothing_lives(void **state)
{
	FILE *f = fopen(getenv("MLXO_MODEL_CENSUS"), "r");
	char line[4096];
	int n = 0;

	assert_non_null(f);
	for (; fgets(line, sizeof(line), f); n++)
		assert_non_null(strstr(line, "\"live\": {}"));
	fclose(f);
	assert_true(n > ROUNDS);
	unlink(getenv("MLXO_MODEL_CENSUS"));
}

/* A page of the program that it may only read, with this call in it. */
static int send_read_only(int fd, struct call *c)
{
	struct call *page = mmap(NULL, sizeof(*page), PROT_READ | PROT_WRITE,
				 MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	int err;

	c->hdr.length = (uint16_t)(sizeof(c->hdr) + c->hdr.num_attrs * sizeof(c->attrs[0]));
	*page = *c;
	assert_int_equal(mprotect(page, sizeof(*page), PROT_READ), 0);
	err = ioctl(fd, RDMA_VERBS_IOCTL, &page->hdr) ? errno : 0;
	munmap(page, sizeof(*page));
	return err;
}

/* Close it: lines of the census that say that something was left, more than before. */
static int left_of(int fd)
{
	int before = face_census_bad();

	close(fd);
	return face_census_bad() - (before < 0 ? 0 : before);
}

/* Whatever the program cannot be told of is not there. */
static void test_answer_has_no_place(void **state)
{
	uint32_t pages = 0, length, page;
	uint64_t offset, set = 0;
	int fd = open_context(), before;
	struct call uar = call(MLX5_IB_OBJECT_UAR, MLX5_IB_METHOD_UAR_OBJ_ALLOC);
	struct call events = call(UVERBS_OBJECT_ASYNC_EVENT, UVERBS_METHOD_ASYNC_EVENT_ALLOC);
	struct call header =
		call(UVERBS_OBJECT_FLOW_ACTION, MLX5_IB_METHOD_FLOW_ACTION_CREATE_MODIFY_HEADER);

	(void)state;
	attr(&uar, MLX5_IB_ATTR_UAR_OBJ_ALLOC_HANDLE, 0, 0);
	attr(&uar, MLX5_IB_ATTR_UAR_OBJ_ALLOC_TYPE, 4, pages);
	attr(&uar, MLX5_IB_ATTR_UAR_OBJ_ALLOC_MMAP_OFFSET, 8, (uintptr_t)&offset);
	attr(&uar, MLX5_IB_ATTR_UAR_OBJ_ALLOC_MMAP_LENGTH, 4, (uintptr_t)&length);
	attr(&uar, MLX5_IB_ATTR_UAR_OBJ_ALLOC_PAGE_ID, 4, (uintptr_t)&page);
	assert_int_equal(send_read_only(fd, &uar), EFAULT);
	PRM_SET(set_action_in, &set, action_type, PRM_ACTION_TYPE_SET);
	PRM_SET(set_action_in, &set, field, PRM_ACTION_IN_FIELD_METADATA_REG_C_0);
	attr(&header, MLX5_IB_ATTR_CREATE_MODIFY_HEADER_HANDLE, 0, 0);
	attr(&header, MLX5_IB_ATTR_CREATE_MODIFY_HEADER_ACTIONS_PRM, sizeof(set), set);
	attr(&header, MLX5_IB_ATTR_CREATE_MODIFY_HEADER_FT_TYPE, 1,
	     MLX5_IB_UAPI_FLOW_TABLE_TYPE_NIC_RX);
	assert_int_equal(send_read_only(fd, &header), EFAULT);
	before = dup(fd);
	close(before);
	attr(&events, UVERBS_ATTR_ASYNC_EVENT_ALLOC_FD_HANDLE, 0, 0);
	assert_int_equal(send_read_only(fd, &events), EFAULT);
	assert_int_equal(dup(fd), before); /* no descriptor came before it */
	close(before);
	assert_int_equal(left_of(fd), 0);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_device_node),
		cmocka_unit_test(test_order_of_opening),
		cmocka_unit_test(test_headers),
		cmocka_unit_test(test_attributes),
		cmocka_unit_test(test_mailboxes),
		cmocka_unit_test(test_without_devx),
		cmocka_unit_test(test_handles),
		cmocka_unit_test(test_pages),
		cmocka_unit_test(test_answer_has_no_place),
		cmocka_unit_test(test_duplicates),
		cmocka_unit_test(test_fork),
		cmocka_unit_test(test_close_while_in_use),
		cmocka_unit_test(test_destroyed_once),
		cmocka_unit_test(test_nothing_lives),
	};

	if (!face_preload(argv, "model"))
		return 0;
	return cmocka_run_group_tests(tests, NULL, NULL);
}
