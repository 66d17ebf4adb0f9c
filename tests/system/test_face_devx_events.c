// SPDX-License-Identifier: BSD-2-Clause
/*
 * Events of DevX objects through the real libmlx5, and of the device: who is told, what is in the record, what read() says
 * when something is wrong, and what may not be subscribed. Queues are made by our provider on the same context.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <rdma/mlx5_user_ioctl_cmds.h>
#include <rdma/mlx5_user_ioctl_verbs.h>
#include <rdma/rdma_user_ioctl_cmds.h>

#include "providers/mlx5/device.h"
#include "providers/model/faces/uverbs/control.h"
#include "tests/lib/face.h"
#include "tests/lib/raw.h"

enum {
	PATIENCE_MS = 60000,
	COMP = 0x0,
	CQ_ERROR = 0x4,
	WQ_CATAS = 0x5,
	INTERNAL = 0x8,
	PORT = 0x9,
	WQ_INVALID = 0x10,
	WQ_ACCESS = 0x11,
	OF_RQ = 1,
	OF_SQ = 2,
	EQE = 64,
	RECORD = 8 + EQE,
	LOG_CQ = 2,
	MANY = 2000,
};

static struct raw r;
static struct raw_sq sq;
static struct raw_rq rq;
static struct mlx5dv_devx_event_channel *ch;

#define OMIT MLX5DV_DEVX_CREATE_EVENT_CHANNEL_FLAGS_OMIT_EV_DATA

static int begin(void **state)
{
	raw_open(&r, "mlx5_0");
	raw_sq(&r, &sq, 6, LOG_CQ);
	raw_rq(&r, &rq, 4, 4);
	ch = mlx5dv_devx_create_event_channel(r.dev->ctx, 0);
	return ch ? 0 : -1;
}

static int end(void **state)
{
	mlx5dv_devx_destroy_event_channel(ch);
	raw_close(&r);
	return 0;
}

static int subscribe(struct mlx5dv_devx_event_channel *to, struct prov_obj *obj, uint16_t type,
		     uint64_t cookie)
{
	return mlx5dv_devx_subscribe_devx_event(to, obj ? obj->devx : NULL, sizeof(type), &type,
						cookie);
}

static int subscribe_fd(int fd, struct prov_obj *obj, uint16_t type)
{
	return mlx5dv_devx_subscribe_devx_event_fd(ch, fd, obj ? obj->devx : NULL, type);
}

static bool readable(int fd, int ms)
{
	struct pollfd p = {.fd = fd, .events = POLLIN};

	return poll(&p, 1, ms) == 1;
}

/* The face does now what its thread would do a moment later, so that what is not there will not come. */
static void settle(void)
{
	mlxo_face_settle_fn fn;

	*(void **)&fn = dlsym(RTLD_DEFAULT, "mlxo_face_settle");
	assert_non_null(fn);
	fn("mlx5_0");
}

static void port(bool up)
{
	mlxo_face_port_fn fn;

	*(void **)&fn = dlsym(RTLD_DEFAULT, "mlxo_face_port");
	assert_non_null(fn);
	assert_int_equal(fn("mlx5_0", up), 0);
	assert_int_equal(fn("mlx5_9", up), -ENODEV);
}

/* The next record: its cookie; the event queue entry in eqe. */
static uint64_t next(uint8_t eqe[EQE])
{
	_Alignas(8) uint8_t b[RECORD];
	struct mlx5dv_devx_async_event_hdr *hdr = (void *)b;

	assert_true(readable(ch->fd, PATIENCE_MS));
	assert_int_equal(mlx5dv_devx_get_event(ch, hdr, sizeof(b)), RECORD);
	memcpy(eqe, b + 8, EQE);
	return hdr->cookie;
}

static void nops(unsigned int n)
{
	uint8_t wqe[64] = {0};

	for (unsigned int i = 0; i < n; i++) {
		PRM_SET(wqe_ctrl_seg, wqe, opcode, PRM_WQE_OP_NOP);
		PRM_SET(wqe_ctrl_seg, wqe, ds, 1);
		PRM_SET(wqe_ctrl_seg, wqe, fm_ce_se, PRM_WQE_CE_CQ_UPDATE);
		raw_post(&sq, wqe);
	}
	raw_ring(&r, &sq);
	settle();
}

/* -- who is told ------------------------------------------------------------------------------------------------ */

/* A CQ that is overrun stops its SQ: both are named, and the RQ is not, whatever its number. */
static void overrun_names_cq_and_sq(void **state)
{
	uint8_t eqe[EQE];

	assert_int_equal(subscribe(ch, sq.cq.obj, CQ_ERROR, 1), 0);
	assert_int_equal(subscribe(ch, sq.obj, WQ_CATAS, 2), 0);
	assert_int_equal(subscribe(ch, rq.obj, WQ_CATAS, 3), 0);
	nops((1 << LOG_CQ) + 1);
	assert_int_equal(next(eqe), 1);
	assert_int_equal(prm_get(eqe, 0x8, 8), CQ_ERROR);
	assert_int_equal(prm_get(eqe, 0x100, 32), sq.cq.cqn);
	assert_int_equal(prm_get(eqe, 0x158, 8), 1);
	assert_int_equal(next(eqe), 2);
	assert_int_equal(prm_get(eqe, 0x8, 8), WQ_CATAS);
	assert_int_equal(prm_get(eqe, 0x1a0, 8), OF_SQ);
	assert_int_equal(prm_get(eqe, 0x1c0, 32), sq.sqn);
	assert_false(readable(ch->fd, 0));
}

static void a_bad_work_request_names_the_sq(void **state)
{
	uint8_t wqe[64] = {0}, eqe[EQE];

	assert_int_equal(subscribe(ch, sq.obj, WQ_ACCESS, 1), 0);
	assert_int_equal(subscribe(ch, sq.obj, WQ_INVALID, 2), 0);
	PRM_SET(wqe_ctrl_seg, wqe, opcode, 0x3f); /* no such operation */
	PRM_SET(wqe_ctrl_seg, wqe, ds, 1);
	raw_post(&sq, wqe);
	raw_ring(&r, &sq);
	assert_int_equal(next(eqe), 2);
	assert_int_equal(prm_get(eqe, 0x1a0, 8), OF_SQ);
	assert_int_equal(prm_get(eqe, 0x1c0, 32), sq.sqn);
	settle();
	assert_false(readable(ch->fd, 0));
}

/* More buffers announced than the ring has, and a frame that arrives. */
static void a_bad_doorbell_names_the_rq(void **state)
{
	struct raw_table t = raw_table(&r, PRM_FLOW_TABLE_TYPE_NIC_RX, 1);
	struct raw_rule rule = {.action = PRM_FLOW_CONTEXT_ACTION_FWD_DEST, .to_tir = rq.tirn};
	uint8_t eqe[EQE];

	raw_rule(&r, &t, 0, &rule);
	raw_attach(&r, &t, NULL);
	assert_int_equal(subscribe(ch, sq.obj, WQ_CATAS, 1), 0);
	assert_int_equal(subscribe(ch, rq.obj, WQ_CATAS, 2), 0);
	__atomic_store_n(&rq.db[0], __builtin_bswap32(1000), __ATOMIC_RELEASE);
	memset(r.data, 0xff, 64);
	raw_send(&r, &sq, 0, 64, 0);
	assert_int_equal(next(eqe), 2);
	assert_int_equal(prm_get(eqe, 0x8, 8), WQ_CATAS);
	assert_int_equal(prm_get(eqe, 0x1a0, 8), OF_RQ);
	assert_int_equal(prm_get(eqe, 0x1c0, 32), rq.rqn);
}

static void an_eventfd_counts(void **state)
{
	int fd = eventfd(0, EFD_NONBLOCK), epoll = epoll_create1(0);
	struct epoll_event e = {.events = EPOLLIN, .data.u32 = 5};
	uint64_t n = 0;

	assert_int_equal(subscribe_fd(fd, NULL, PORT), 0);
	assert_int_equal(subscribe_fd(fd, sq.cq.obj, CQ_ERROR), 0);
	assert_int_equal(epoll_ctl(epoll, EPOLL_CTL_ADD, fd, &e), 0);
	assert_int_equal(epoll_wait(epoll, &e, 1, 0), 0);
	port(false);
	port(true);
	nops((1 << LOG_CQ) + 1);
	assert_int_equal(epoll_wait(epoll, &e, 1, PATIENCE_MS), 1);
	assert_int_equal(read(fd, &n, sizeof(n)), sizeof(n));
	assert_int_equal(n, 3);
	assert_false(readable(ch->fd, 0)); /* instead of a record */
	close(epoll);
	close(fd);
}

/* Descriptors of this process that are eventfds. */
static int eventfds(void)
{
	char path[64], to[64];
	int n = 0;

	for (int fd = 0; fd < 256; fd++) {
		snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
		memset(to, 0, sizeof(to));
		if (readlink(path, to, sizeof(to) - 1) > 0 &&
		    strcmp(to, "anon_inode:[eventfd]") == 0)
			n++;
	}
	return n;
}

/* An object that goes takes its subscriptions with it, and what they hold. */
static void a_destroyed_object_has_no_subscription(void **state)
{
	struct prov_cmd cmd = {.kind = PROV_CMD_DESTROY, .obj = sq.obj};
	int fd = eventfd(0, EFD_NONBLOCK), before = eventfds();

	assert_int_equal(subscribe_fd(fd, sq.obj, WQ_CATAS), 0);
	assert_int_equal(subscribe_fd(fd, sq.cq.obj, CQ_ERROR), 0);
	assert_int_equal(eventfds(), before + 2);
	assert_int_equal(prov_cmd_wait(r.dev, &cmd), 0);
	assert_int_equal(eventfds(), before + 1);
	cmd.obj = sq.cq.obj;
	assert_int_equal(prov_cmd_wait(r.dev, &cmd), 0);
	assert_int_equal(eventfds(), before);
	close(fd);
}

static void the_port_tells_everybody(void **state)
{
	struct ibv_async_event event;
	uint8_t eqe[EQE];

	assert_int_equal(subscribe(ch, NULL, PORT, 7), 0);
	port(false);
	port(true);
	assert_int_equal(next(eqe), 7);
	assert_int_equal(prm_get(eqe, 0x8, 8), PORT);
	assert_int_equal(prm_get(eqe, 0x18, 8), 1); /* down */
	assert_int_equal(prm_get(eqe, 0x140, 4), 1);
	assert_int_equal(next(eqe), 7);
	assert_int_equal(prm_get(eqe, 0x18, 8), 4); /* active */
	assert_int_equal(ibv_get_async_event(r.dev->ctx, &event), 0);
	assert_int_equal(event.event_type, IBV_EVENT_PORT_ERR);
	assert_int_equal(event.element.port_num, 1);
	assert_int_equal(ibv_get_async_event(r.dev->ctx, &event), 0);
	assert_int_equal(event.event_type, IBV_EVENT_PORT_ACTIVE);
}

/* -- what read() says --------------------------------------------------------------------------------------------- */

/* Without data a subscription stands in the line once, until it is read. */
static void without_data_once_until_read(void **state)
{
	struct mlx5dv_devx_event_channel *o = mlx5dv_devx_create_event_channel(r.dev->ctx, OMIT);
	uint64_t b[9] = {0};

	assert_non_null(o);
	assert_int_equal(subscribe(o, NULL, PORT, 0x1111), 0);
	assert_int_equal(subscribe(o, NULL, PORT, 0x1111), 0); /* one more, with the same name */
	for (int round = 0; round < 2; round++) {
		for (int i = 0; i < 5; i++)
			port(i & 1);
		for (int i = 0; i < 2; i++) {
			assert_int_equal(read(o->fd, b, sizeof(b)), 8);
			assert_int_equal(b[0], 0x1111);
		}
		assert_false(readable(o->fd, 0));
	}
	port(true);
	assert_int_equal(read(o->fd, b, 7), -1);
	assert_int_equal(errno, EINVAL);
	assert_int_equal(read(o->fd, b, 8), 8);
	mlx5dv_devx_destroy_event_channel(o);
}

static void a_record_is_not_cut(void **state)
{
	uint8_t b[RECORD];

	assert_int_equal(subscribe(ch, NULL, PORT, 1), 0);
	port(true);
	assert_int_equal(read(ch->fd, b, RECORD - 1), -1);
	assert_int_equal(errno, EINVAL);
	assert_int_equal(read(ch->fd, b, RECORD), RECORD); /* it stayed */
	assert_int_equal(fcntl(ch->fd, F_SETFL, O_NONBLOCK), 0);
	assert_int_equal(read(ch->fd, b, RECORD), -1);
	assert_int_equal(errno, EAGAIN);
}

static void *pull_the_cable(void *arg)
{
	port(false);
	return NULL;
}

static void read_waits(void **state)
{
	uint8_t b[RECORD];
	pthread_t thread;

	assert_int_equal(subscribe(ch, NULL, PORT, 1), 0);
	assert_int_equal(pthread_create(&thread, NULL, pull_the_cable, NULL), 0);
	assert_int_equal(read(ch->fd, b, RECORD), RECORD);
	pthread_join(thread, NULL);
}

/* Told once, then what there was, then what comes. */
static void an_overflow_is_told_once(void **state)
{
	unsigned int n = 0;
	uint8_t b[RECORD];

	assert_int_equal(subscribe(ch, NULL, PORT, 1), 0);
	for (int i = 0; i < MANY; i++)
		port(i & 1);
	assert_true(readable(ch->fd, 0));
	assert_int_equal(read(ch->fd, b, RECORD), -1);
	assert_int_equal(errno, EOVERFLOW);
	assert_int_equal(fcntl(ch->fd, F_SETFL, O_NONBLOCK), 0);
	while (read(ch->fd, b, RECORD) == RECORD)
		n++;
	assert_int_equal(errno, EAGAIN);
	assert_in_range(n, 100, MANY - 1);
	port(true);
	assert_int_equal(read(ch->fd, b, RECORD), RECORD);
}

/* -- queries by channel --------------------------------------------------------------------------------------------- */

static int query(struct mlx5dv_devx_cmd_comp *comp, size_t outlen, uint64_t wr_id)
{
	uint8_t in[PRM_BYTES(query_sq_in)] = {0};

	PRM_SET(query_sq_in, in, opcode, PRM_CMD_OP_QUERY_SQ);
	PRM_SET(query_sq_in, in, sqn, sq.sqn);
	return mlx5dv_devx_obj_query_async(sq.obj->devx, in, sizeof(in), outlen, wr_id, comp);
}

static void answers_wait_in_line(void **state)
{
	enum { LEN = PRM_BYTES(query_sq_out), ROOM = 8 + LEN, LIMIT = 1 << 20 };
	struct mlx5dv_devx_cmd_comp *comp = mlx5dv_devx_create_cmd_comp(r.dev->ctx);
	_Alignas(8) uint8_t b[ROOM];
	struct mlx5dv_devx_async_cmd_hdr *hdr = (void *)b;
	uint64_t n = 0;
	int err;

	assert_non_null(comp);
	while ((err = query(comp, LEN, n)) == 0)
		assert_true(++n < 1 << 20);
	assert_int_equal(err, EAGAIN);
	assert_true(readable(comp->fd, 0));
	assert_int_equal(read(comp->fd, b, ROOM - 1), -1);
	assert_int_equal(errno, ENOSPC);
	for (uint64_t i = 0; i < n; i++) {
		assert_int_equal(mlx5dv_devx_get_async_cmd_comp(comp, hdr, ROOM), 0);
		assert_int_equal(hdr->wr_id, i);
		assert_int_equal(prm_out_status(hdr->out_data), 0);
		assert_int_equal(PRM_GET(sqc, PRM_AT(query_sq_out, hdr->out_data, sq_context), cqn),
				 sq.cq.cqn);
	}
	for (size_t sum = 0; sum < 2 * LIMIT; sum += LEN) { /* what was read does not count */
		assert_int_equal(query(comp, LEN, sum), 0);
		assert_int_equal(mlx5dv_devx_get_async_cmd_comp(comp, hdr, ROOM), 0);
		assert_int_equal(hdr->wr_id, sum);
	}
	mlx5dv_devx_destroy_cmd_comp(comp);
}

/* -- refusals ---------------------------------------------------------------------------------------------------------- */

static void what_may_not_be_subscribed(void **state)
{
	uint16_t many[17] = {0};
	int pipes[2], fd = eventfd(0, 0);

	assert_int_equal(pipe(pipes), 0);
	assert_int_equal(subscribe(ch, NULL, INTERNAL, 0), EINVAL); /* by ibv_get_async_event() */
	assert_int_equal(subscribe(ch, NULL, CQ_ERROR, 0), EINVAL);
	assert_int_equal(subscribe(ch, sq.obj, PORT, 0), EINVAL);
	assert_int_equal(subscribe(ch, sq.obj, INTERNAL, 0), EINVAL);
	assert_int_equal(subscribe(ch, sq.obj, 0xffff, 0), EINVAL);
	assert_int_equal(
		mlx5dv_devx_subscribe_devx_event(ch, sq.cq.obj->devx, sizeof(many), many, 0),
		EINVAL);
	assert_int_equal(mlx5dv_devx_subscribe_devx_event(ch, sq.cq.obj->devx, 3, many, 0), EINVAL);
	assert_int_equal(subscribe_fd(pipes[1], NULL, PORT), EINVAL);
	close(fd);
	assert_int_equal(subscribe_fd(fd, NULL, PORT), EBADF);
	close(pipes[0]);
	close(pipes[1]);
}

/* All of a list or nothing of it. */
static void half_a_list_is_nothing(void **state)
{
	uint16_t types[2] = {WQ_CATAS, PORT};

	assert_int_equal(
		mlx5dv_devx_subscribe_devx_event(ch, sq.obj->devx, sizeof(types), types, 1),
		EINVAL);
	nops((1 << LOG_CQ) + 1);
	assert_false(readable(ch->fd, 0));
}

/* A cookie is for records, a descriptor instead of them: libmlx5 never sends both. */
static void a_cookie_and_a_descriptor(void **state)
{
	struct {
		struct {
			uint16_t length, object_id, method_id, num_attrs;
			uint64_t reserved1;
			uint32_t driver_id, reserved2;
		} hdr;
		struct ib_uverbs_attr a[4];
	} c = {.hdr = {.length = sizeof(c),
		       .object_id = MLX5_IB_OBJECT_DEVX,
		       .method_id = MLX5_IB_METHOD_DEVX_SUBSCRIBE_EVENT,
		       .num_attrs = 4,
		       .driver_id = RDMA_DRIVER_MLX5}};
	int fd = eventfd(0, 0);

	c.a[0] = (struct ib_uverbs_attr){.attr_id = MLX5_IB_ATTR_DEVX_SUBSCRIBE_EVENT_FD_HANDLE,
					 .data_s64 = ch->fd};
	c.a[1] = (struct ib_uverbs_attr){
		.attr_id = MLX5_IB_ATTR_DEVX_SUBSCRIBE_EVENT_TYPE_NUM_LIST, .len = 2, .data = PORT};
	c.a[2] = (struct ib_uverbs_attr){.attr_id = MLX5_IB_ATTR_DEVX_SUBSCRIBE_EVENT_FD_NUM,
					 .len = 4,
					 .data = (uint32_t)fd};
	c.a[3] = (struct ib_uverbs_attr){
		.attr_id = MLX5_IB_ATTR_DEVX_SUBSCRIBE_EVENT_COOKIE, .len = 8, .data = 1};
	for (int i = 0; i < 4; i++)
		c.a[i].flags = UVERBS_ATTR_F_MANDATORY;
	assert_int_equal(ioctl(r.dev->ctx->cmd_fd, RDMA_VERBS_IOCTL, &c), -1);
	assert_int_equal(errno, EINVAL);
	c.hdr.num_attrs = 3; /* without the cookie */
	c.hdr.length = (uint16_t)(sizeof(c) - sizeof(c.a[3]));
	assert_int_equal(ioctl(r.dev->ctx->cmd_fd, RDMA_VERBS_IOCTL, &c), 0);
	c.a[0].data_s64 = r.dev->ctx->async_fd; /* another kind of channel */
	assert_int_equal(ioctl(r.dev->ctx->cmd_fd, RDMA_VERBS_IOCTL, &c), -1);
	assert_int_equal(errno, EBADF);
	close(fd);
}

static void nothing_is_left(void **state)
{
	assert_int_equal(face_census_live(), 0);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, begin, end)

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		TEST(overrun_names_cq_and_sq),
		TEST(a_bad_work_request_names_the_sq),
		TEST(a_bad_doorbell_names_the_rq),
		TEST(an_eventfd_counts),
		TEST(a_destroyed_object_has_no_subscription),
		TEST(the_port_tells_everybody),
		TEST(without_data_once_until_read),
		TEST(a_record_is_not_cut),
		TEST(read_waits),
		TEST(an_overflow_is_told_once),
		TEST(answers_wait_in_line),
		TEST(what_may_not_be_subscribed),
		TEST(half_a_list_is_nothing),
		TEST(a_cookie_and_a_descriptor),
		cmocka_unit_test(nothing_is_left),
	};

	if (!face_preload(argv, "model:port=loop"))
		return 0;
	return cmocka_run_group_tests(tests, NULL, NULL);
}
