// SPDX-License-Identifier: BSD-2-Clause
/*
 * A card is reset, or dies, under programs of the real libibverbs and libmlx5: what they are told, what each call says from
 * then on, and that a context from before does nothing to the one that comes after.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <infiniband/mlx5dv.h>
#include <poll.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <rdma/ib_user_verbs.h>

#include "prm/prm.h"
#include "providers/model/faces/uverbs/control.h"
#include "tests/lib/face.h"

enum { PATIENCE_MS = 60000, PAGE = 4096 };

/* A program's context with something of every kind. */
struct user {
	struct ibv_context *ctx;
	struct ibv_pd *pd;
	struct ibv_comp_channel *channel;
	struct ibv_cq *cq;
	struct ibv_mr *mr;
	struct mlx5dv_devx_obj *td;
	struct mlx5dv_devx_umem *umem;
	struct mlx5dv_devx_uar *uar;
	struct mlx5dv_devx_cmd_comp *cmd_channel;
	struct mlx5dv_devx_event_channel *event_channel;
	void *memory;
};

static const struct model_controls *controls;
static struct prov_device *card;

static struct ibv_context *open_context(void)
{
	struct mlx5dv_context_attr attr = {.flags = MLX5DV_CONTEXT_FLAGS_DEVX};
	struct ibv_device **list = ibv_get_device_list(NULL);
	struct ibv_context *ctx;

	errno = 0;
	ctx = mlx5dv_open_device(list[0], &attr);
	ibv_free_device_list(list);
	return ctx;
}

static void find_controls(void)
{
	mlxo_face_controls_fn fn;

	*(void **)&fn = dlsym(RTLD_DEFAULT, "mlxo_face_controls");
	assert_non_null(fn);
	controls = fn("mlx5_0", &card);
	assert_non_null(controls);
}

static struct mlx5dv_devx_obj *make_td(struct ibv_context *ctx)
{
	uint8_t in[PRM_BYTES(alloc_transport_domain_in)] = {0};
	uint8_t out[PRM_BYTES(alloc_transport_domain_out)] = {0};

	PRM_SET(alloc_transport_domain_in, in, opcode, PRM_CMD_OP_ALLOC_TRANSPORT_DOMAIN);
	return mlx5dv_devx_obj_create(ctx, in, sizeof(in), out, sizeof(out));
}

static void begin(struct user *u)
{
	u->ctx = open_context();
	assert_non_null(u->ctx);
	find_controls();
	u->memory = aligned_alloc(PAGE, PAGE);
	u->pd = ibv_alloc_pd(u->ctx);
	u->channel = ibv_create_comp_channel(u->ctx);
	u->cq = ibv_create_cq(u->ctx, 16, NULL, u->channel, 0);
	u->mr = ibv_reg_mr(u->pd, u->memory, PAGE, IBV_ACCESS_LOCAL_WRITE);
	u->td = make_td(u->ctx);
	u->umem = mlx5dv_devx_umem_reg(u->ctx, u->memory, PAGE, IBV_ACCESS_LOCAL_WRITE);
	u->uar = mlx5dv_devx_alloc_uar(u->ctx, MLX5DV_UAR_ALLOC_TYPE_NC);
	u->cmd_channel = mlx5dv_devx_create_cmd_comp(u->ctx);
	u->event_channel = mlx5dv_devx_create_event_channel(u->ctx, 0);
	assert_true(u->pd && u->channel && u->cq && u->mr && u->td && u->umem && u->uar &&
		    u->cmd_channel && u->event_channel);
}

/* Only what libibverbs lets go of without the kernel; the rest went with the reset. */
static void end(struct user *u)
{
	mlx5dv_devx_destroy_event_channel(u->event_channel);
	mlx5dv_devx_destroy_cmd_comp(u->cmd_channel);
	assert_int_equal(ibv_close_device(u->ctx), 0);
	free(u->memory);
}

static uint64_t objects(void)
{
	struct model_census c;
	uint64_t sum = 0;

	assert_int_equal(controls->census(card, &c), 0);
	for (int t = 0; t < MODEL_NTYPES; t++)
		sum += c.count[t];
	return sum;
}

static bool readable(int fd, int ms)
{
	struct pollfd p = {.fd = fd, .events = POLLIN};

	return poll(&p, 1, ms) == 1;
}

static void expect_fatal(struct ibv_context *ctx)
{
	struct ibv_async_event e;

	assert_true(readable(ctx->async_fd, PATIENCE_MS));
	assert_int_equal(ibv_get_async_event(ctx, &e), 0);
	assert_int_equal(e.event_type, IBV_EVENT_DEVICE_FATAL);
	ibv_ack_async_event(&e);
}

/* Every call says EIO. */
static void expect_gone(struct user *u)
{
	uint8_t nop[PRM_BYTES(nop_in)] = {0}, out[PRM_BYTES(nop_out)] = {0};
	struct mlx5dv_flow_match_parameters *mask = calloc(1, sizeof(*mask) + 512);
	struct mlx5dv_flow_matcher_attr matcher = {.type = IBV_FLOW_ATTR_NORMAL,
						   .match_mask = mask};
	struct ibv_port_attr port;
	uint32_t n;

	mask->match_sz = 512;
	PRM_SET(nop_in, nop, opcode, PRM_CMD_OP_NOP);
	assert_int_equal(mlx5dv_devx_general_cmd(u->ctx, nop, sizeof(nop), out, sizeof(out)), EIO);
	assert_int_equal(mlx5dv_devx_query_eqn(u->ctx, 0, &n), EIO);
	assert_null(make_td(u->ctx));
	assert_int_equal(errno, EIO);
	assert_int_equal(mlx5dv_devx_obj_destroy(u->td), EIO);
	assert_int_equal(mlx5dv_devx_umem_dereg(u->umem), EIO);
	assert_null(mlx5dv_devx_umem_reg(u->ctx, u->memory, PAGE, IBV_ACCESS_LOCAL_WRITE));
	assert_int_equal(errno, EIO);
	assert_null(mlx5dv_create_flow_matcher(u->ctx, &matcher));
	assert_int_equal(errno, EIO);
	assert_int_equal(ibv_query_port(u->ctx, 1, &port), EIO);
	assert_null(ibv_alloc_pd(u->ctx));
	assert_int_equal(errno, EIO);
	assert_int_equal(ibv_dealloc_pd(u->pd), EIO);
	assert_ptr_equal(mmap(NULL, PAGE, PROT_WRITE, MAP_SHARED, u->ctx->cmd_fd,
			      (off_t)u->uar->page_id * PAGE),
			 MAP_FAILED);
	assert_int_equal(errno, EIO);
	*(volatile uint64_t *)u->uar->reg_addr = 0; /* a doorbell is in vain, and no fault */
	free(mask);
}

/* -- tests ------------------------------------------------------------------------------------------------------- */

static void a_reset(void **state)
{
	struct user u;

	(void)state;
	begin(&u);
	assert_int_not_equal(objects(), 0);
	assert_int_equal(controls->reset(card), 0);
	assert_int_equal(objects(), 0);
	expect_fatal(u.ctx);
	expect_gone(&u);
	end(&u);
}

/* The card is dead: told once. Nobody can open it until it is reset. */
static void a_death(void **state)
{
	struct model_fault fault = {.kind = MODEL_FAULT_FATAL, .nth = 1};
	struct ib_uverbs_async_event_desc again;
	struct user u;

	(void)state;
	begin(&u);
	assert_int_equal(controls->fault_set(card, &fault), 0);
	assert_null(make_td(u.ctx));
	assert_int_equal(errno, EIO);
	expect_gone(&u);
	assert_null(open_context());
	assert_int_equal(errno, EAGAIN);
	expect_fatal(u.ctx);
	assert_int_equal(controls->reset(card), 0);
	expect_gone(&u);
	assert_int_equal(read(u.ctx->async_fd, &again, sizeof(again)), -1); /* told once */
	assert_int_equal(errno, EIO);
	end(&u);
}

static void *wait_for_event(void *fd)
{
	uint8_t record[128];
	ssize_t n = read(*(int *)fd, record, sizeof(record));

	return (void *)(intptr_t)(n < 0 ? -errno : n);
}

/* Who waits is woken, who polls sees it; what is left to read comes first. */
static void readers_wake(void **state)
{
	struct user u;
	int fds[3];
	pthread_t thread[3];
	uint8_t record[128];

	(void)state;
	begin(&u);
	fds[0] = u.channel->fd;
	fds[1] = u.cmd_channel->fd;
	fds[2] = u.event_channel->fd;
	for (int i = 0; i < 3; i++)
		assert_int_equal(pthread_create(&thread[i], NULL, wait_for_event, &fds[i]), 0);
	assert_false(readable(fds[0], 50)); /* time to block in read() */
	assert_int_equal(controls->reset(card), 0);
	for (int i = 0; i < 3; i++) {
		void *result;

		assert_int_equal(pthread_join(thread[i], &result), 0);
		assert_int_equal((intptr_t)result, -EIO);
		assert_true(readable(fds[i], 0));
		assert_int_equal(read(fds[i], record, sizeof(record)), -1);
		assert_int_equal(errno, EIO);
		fcntl(fds[i], F_SETFL, O_NONBLOCK);
		assert_int_equal(read(fds[i], record, sizeof(record)), -1);
		assert_int_equal(errno, EAGAIN);
	}
	expect_fatal(u.ctx);
	assert_int_equal(read(u.ctx->async_fd, record, sizeof(record)), -1);
	assert_int_equal(errno, EIO);
	end(&u);
}

/* The old context, used and closed, leaves alone what was made after the reset. */
static void before_and_after(void **state)
{
	struct user old, young;
	uint64_t n;

	(void)state;
	begin(&old);
	assert_int_equal(controls->reset(card), 0);
	begin(&young);
	n = objects();
	expect_gone(&old);
	assert_false(readable(young.ctx->async_fd, 0)); /* it happened before */
	end(&old);
	assert_int_equal(objects(), n);
	assert_int_equal(mlx5dv_devx_obj_destroy(young.td), 0);
	assert_int_equal(mlx5dv_devx_umem_dereg(young.umem), 0);
	mlx5dv_devx_free_uar(young.uar);
	assert_int_equal(ibv_dereg_mr(young.mr), 0);
	assert_int_equal(ibv_destroy_cq(young.cq), 0);
	assert_int_equal(ibv_destroy_comp_channel(young.channel), 0);
	assert_int_equal(ibv_dealloc_pd(young.pd), 0);
	end(&young);
	assert_int_equal(objects(), 0);
}

/* Nonsense is refused, and the card stays what it was. */
static void bad_options(void **state)
{
	mlxo_face_card_open_fn fn;
	char name[MLXO_FACE_NAME], why[256] = "";
	struct ibv_context *ctx;

	(void)state;
	*(void **)&fn = dlsym(RTLD_DEFAULT, "mlxo_face_card_open");
	assert_non_null(fn);
	assert_int_equal(fn("port=nowhere", name, why, sizeof(why)), -EINVAL);
	assert_true(strlen(why) > 10);
	ctx = open_context();
	assert_non_null(ctx);
	assert_int_equal(ibv_close_device(ctx), 0);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_reset),	cmocka_unit_test(a_death),
		cmocka_unit_test(readers_wake), cmocka_unit_test(before_and_after),
		cmocka_unit_test(bad_options),
	};

	(void)argc;
	if (!face_preload(argv, "model"))
		return 0;
	return cmocka_run_group_tests(tests, NULL, NULL);
}
