// SPDX-License-Identifier: BSD-2-Clause
/* Events through the real libibverbs and libmlx5: completions and failures, by channel and by eventfd. */
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
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "prm/prm.h"
#include "providers/model/faces/uverbs/control.h"
#include "tests/lib/face.h"

enum { PATIENCE_MS = 60000, SHORT_MS = 20, FRAME = 64 };

/* A raw packet QP of verbs that sends, on a CQ with a channel. */
struct sender {
	struct ibv_context *ctx;
	struct ibv_pd *pd;
	struct ibv_comp_channel *channel;
	struct ibv_cq *cq;
	struct ibv_qp *qp;
	struct ibv_mr *mr;
	uint8_t *frame;
};

static struct ibv_context *open_device(void)
{
	struct mlx5dv_context_attr attr = {.flags = MLX5DV_CONTEXT_FLAGS_DEVX};
	struct ibv_device **list = ibv_get_device_list(NULL);
	struct ibv_context *ctx = mlx5dv_open_device(list[0], &attr);

	ibv_free_device_list(list);
	return ctx;
}

static void move(struct ibv_qp *qp, enum ibv_qp_state state)
{
	struct ibv_qp_attr attr = {.qp_state = state, .port_num = 1};

	assert_int_equal(
		ibv_modify_qp(qp, &attr, IBV_QP_STATE | (state == IBV_QPS_INIT ? IBV_QP_PORT : 0)),
		0);
}

static int setup(void **state)
{
	struct sender *s = calloc(1, sizeof(*s));
	struct ibv_qp_init_attr init = {.qp_type = IBV_QPT_RAW_PACKET,
					.cap = {.max_send_wr = 8, .max_send_sge = 1}};

	*state = s;
	s->ctx = open_device();
	assert_non_null(s->ctx);
	s->pd = ibv_alloc_pd(s->ctx);
	s->channel = ibv_create_comp_channel(s->ctx);
	s->cq = ibv_create_cq(s->ctx, 16, /* context */ s, s->channel, 0);
	assert_non_null(s->cq);
	init.send_cq = init.recv_cq = s->cq;
	s->qp = ibv_create_qp(s->pd, &init);
	assert_non_null(s->qp);
	move(s->qp, IBV_QPS_INIT);
	move(s->qp, IBV_QPS_RTR);
	move(s->qp, IBV_QPS_RTS);
	s->frame = aligned_alloc(4096, 4096);
	memset(s->frame, 0xff, FRAME);
	s->mr = ibv_reg_mr(s->pd, s->frame, 4096, IBV_ACCESS_LOCAL_WRITE);
	assert_non_null(s->mr);
	return 0;
}

static int teardown(void **state)
{
	struct sender *s = *state;
	int bad = ibv_destroy_qp(s->qp) || ibv_destroy_cq(s->cq) ||
		  ibv_destroy_comp_channel(s->channel) || ibv_dereg_mr(s->mr) ||
		  ibv_dealloc_pd(s->pd) || ibv_close_device(s->ctx);

	free(s->frame);
	free(s);
	return bad;
}

static int post(struct sender *s, uint32_t lkey)
{
	struct ibv_sge sge = {.addr = (uintptr_t)s->frame, .length = FRAME, .lkey = lkey};
	struct ibv_send_wr wr = {.sg_list = &sge,
				 .num_sge = 1,
				 .opcode = IBV_WR_SEND,
				 .send_flags = IBV_SEND_SIGNALED},
			   *bad;

	return ibv_post_send(s->qp, &wr, &bad);
}

static bool readable(int fd, int ms)
{
	struct pollfd p = {.fd = fd, .events = POLLIN};

	return poll(&p, 1, ms) == 1;
}

/* The face does now what its thread would do a moment later. */
static void settle(void)
{
	mlxo_face_settle_fn fn;

	*(void **)&fn = dlsym(RTLD_DEFAULT, "mlxo_face_settle");
	assert_non_null(fn);
	fn("mlx5_0");
}

static void take_event(struct sender *s)
{
	struct ibv_cq *cq;
	void *context;

	assert_true(readable(s->channel->fd, PATIENCE_MS));
	assert_int_equal(ibv_get_cq_event(s->channel, &cq, &context), 0);
	assert_ptr_equal(cq, s->cq);
	assert_ptr_equal(context, s);
	ibv_ack_cq_events(cq, 1);
}

static enum ibv_wc_status take_completion(struct sender *s)
{
	struct ibv_wc wc = {0};
	int n = 0;

	for (int ms = 0; n == 0 && ms < PATIENCE_MS; ms++) {
		settle();
		n = ibv_poll_cq(s->cq, 1, &wc);
		if (n == 0)
			usleep(1000);
	}
	assert_int_equal(n, 1);
	return wc.status;
}

/* However many are unread, none is lost, and a CQ goes with those that were not read. */
static void test_many_events(void **state)
{
	enum { MANY = 600 };
	static struct ibv_cq *cq[MANY];
	struct sender *s = *state;
	struct ibv_qp_init_attr init = {.qp_type = IBV_QPT_RAW_PACKET,
					.cap = {.max_send_wr = 1, .max_send_sge = 1}};
	struct ibv_qp *own = s->qp;
	struct ibv_cq *told;
	void *context;

	for (int i = 0; i < MANY; i++) {
		cq[i] = ibv_create_cq(s->ctx, 1, NULL, s->channel, 0);
		assert_non_null(cq[i]);
		assert_int_equal(ibv_req_notify_cq(cq[i], 0), 0);
		init.send_cq = init.recv_cq = cq[i];
		s->qp = ibv_create_qp(s->pd, &init);
		assert_non_null(s->qp);
		move(s->qp, IBV_QPS_INIT);
		move(s->qp, IBV_QPS_RTR);
		move(s->qp, IBV_QPS_RTS);
		assert_int_equal(post(s, s->mr->lkey), 0);
		settle();
		assert_int_equal(ibv_destroy_qp(s->qp), 0);
	}
	s->qp = own;
	for (int i = 0; i < MANY / 2; i++) {
		assert_true(readable(s->channel->fd, PATIENCE_MS));
		assert_int_equal(ibv_get_cq_event(s->channel, &told, &context), 0);
		assert_ptr_equal(told, cq[i]); /* in order */
		ibv_ack_cq_events(told, 1);
	}
	for (int i = MANY - 1; i >= 0; i--)
		assert_int_equal(ibv_destroy_cq(cq[i]), 0); /* waits for none that was not read */
	assert_false(readable(s->channel->fd, 0));
}

/* An overrun that was read is acknowledged, one that was not is taken back. */
static void test_destroy_after_overrun(void **state)
{
	struct sender *s = *state;
	struct ibv_qp_init_attr init = {.qp_type = IBV_QPT_RAW_PACKET,
					.cap = {.max_send_wr = 8, .max_send_sge = 1}};
	struct ibv_qp *own = s->qp;
	struct ibv_async_event e;

	for (int read_it = 0; read_it < 2; read_it++) {
		struct ibv_cq *cq = ibv_create_cq(s->ctx, 1, NULL, NULL, 0);

		assert_non_null(cq);
		init.send_cq = init.recv_cq = cq;
		s->qp = ibv_create_qp(s->pd, &init);
		assert_non_null(s->qp);
		move(s->qp, IBV_QPS_INIT);
		move(s->qp, IBV_QPS_RTR);
		move(s->qp, IBV_QPS_RTS);
		for (int i = 0; i < 4; i++)
			assert_int_equal(post(s, s->mr->lkey), 0);
		settle();
		assert_true(readable(s->ctx->async_fd, PATIENCE_MS));
		if (read_it) {
			assert_int_equal(ibv_get_async_event(s->ctx, &e), 0);
			assert_int_equal(e.event_type, IBV_EVENT_CQ_ERR);
			assert_ptr_equal(e.element.cq, cq);
			ibv_ack_async_event(&e);
		}
		assert_int_equal(ibv_destroy_qp(s->qp), 0);
		assert_int_equal(ibv_destroy_cq(cq), 0);
	}
	assert_false(readable(s->ctx->async_fd, 0));
	s->qp = own;
}

/* What Linux refuses for a raw packet QP. */
static void test_state_masks(void **state)
{
	struct sender *s = *state;
	struct ibv_qp_init_attr init = {.qp_type = IBV_QPT_RAW_PACKET,
					.send_cq = s->cq,
					.recv_cq = s->cq,
					.cap = {.max_send_wr = 1, .max_send_sge = 1}};
	struct ibv_qp *qp = ibv_create_qp(s->pd, &init);
	struct ibv_qp_attr attr = {.qp_state = IBV_QPS_INIT, .port_num = 1};

	assert_non_null(qp);
	assert_int_equal(ibv_modify_qp(qp, &attr, IBV_QP_STATE), EINVAL); /* no port */
	attr.port_num = 7;
	assert_int_equal(ibv_modify_qp(qp, &attr, IBV_QP_STATE | IBV_QP_PORT), EINVAL);
	attr.port_num = 1;
	assert_int_equal(ibv_modify_qp(qp, &attr, IBV_QP_STATE | IBV_QP_PORT | IBV_QP_DEST_QPN),
			 EINVAL);
	move(qp, IBV_QPS_INIT);
	attr.qp_state = IBV_QPS_RTR;
	assert_int_equal(ibv_modify_qp(qp, &attr, IBV_QP_STATE | IBV_QP_PORT), EINVAL);
	move(qp, IBV_QPS_RTR);
	attr.qp_state = attr.cur_qp_state = IBV_QPS_RTS;
	assert_int_equal(ibv_modify_qp(qp, &attr, IBV_QP_STATE | IBV_QP_CUR_STATE), EINVAL);
	move(qp, IBV_QPS_RTS);
	assert_int_equal(ibv_destroy_qp(qp), 0);
}

/* A queue whose destroy was refused goes on. */
static void test_refused_destroy(void **state)
{
	struct model_fault fault = {.kind = MODEL_FAULT_STATUS,
				    .nth = 1,
				    .opcode = PRM_CMD_OP_DESTROY_SQ,
				    .status = PRM_CMD_STAT_RES_BUSY,
				    .syndrome = 0x1234};
	struct sender *s = *state;
	const struct model_controls *controls;
	mlxo_face_controls_fn find;
	struct prov_device *card;

	*(void **)&find = dlsym(RTLD_DEFAULT, "mlxo_face_controls");
	assert_non_null(find);
	controls = find("mlx5_0", &card);
	assert_int_equal(controls->fault_set(card, &fault), 0);
	assert_int_equal(ibv_destroy_qp(s->qp), EBUSY);
	assert_int_equal(post(s, s->mr->lkey), 0);
	assert_int_equal(take_completion(s), IBV_WC_SUCCESS);
}

/* One event per arming, also the first one, whose record is all zero. */
static void test_completion_channel(void **state)
{
	struct sender *s = *state;

	for (int i = 0; i < 20; i++) {
		assert_int_equal(ibv_req_notify_cq(s->cq, 0), 0);
		assert_int_equal(post(s, s->mr->lkey), 0);
		take_event(s);
		assert_int_equal(take_completion(s), IBV_WC_SUCCESS);
		assert_int_equal(post(s, s->mr->lkey), 0); /* not armed: no event */
		assert_int_equal(take_completion(s), IBV_WC_SUCCESS);
	}
	assert_false(readable(s->channel->fd, SHORT_MS));
}

/* What arrived before it was armed counts. Events that nobody reads do not keep the CQ from going. */
static void test_late_arming(void **state)
{
	struct sender *s = *state;

	assert_int_equal(post(s, s->mr->lkey), 0);
	settle();
	assert_int_equal(ibv_req_notify_cq(s->cq, 0), 0);
	assert_true(readable(s->channel->fd, PATIENCE_MS));
}

static void test_failure_moves_the_qp(void **state)
{
	struct sender *s = *state;
	struct ibv_qp_init_attr init;
	struct ibv_qp_attr attr;

	assert_int_equal(post(s, s->mr->lkey + 0x100), 0); /* no such key */
	assert_int_equal(take_completion(s), IBV_WC_LOC_PROT_ERR);
	assert_int_equal(ibv_query_qp(s->qp, &attr, IBV_QP_STATE, &init), 0);
	assert_int_equal(attr.qp_state, IBV_QPS_ERR);
	move(s->qp, IBV_QPS_RESET);
	move(s->qp, IBV_QPS_INIT);
	move(s->qp, IBV_QPS_RTR);
	move(s->qp, IBV_QPS_RTS);
	assert_int_equal(post(s, s->mr->lkey), 0);
	assert_int_equal(take_completion(s), IBV_WC_SUCCESS);
}

/* -- DevX ------------------------------------------------------------------------------------------------------ */

/* A CQ of DevX with nothing on it, so that its arming is ours. */
struct devx_cq {
	struct mlx5dv_devx_uar *uar;
	struct mlx5dv_devx_umem *umem;
	struct mlx5dv_devx_obj *cq;
	uint8_t *memory;
};

static void devx_cq(struct ibv_context *ctx, struct devx_cq *q)
{
	uint8_t in[PRM_BYTES(create_cq_in)] = {0}, out[PRM_BYTES(create_cq_out)] = {0};
	uint8_t *cqc = PRM_AT(create_cq_in, in, cq_context);
	uint32_t eqn;

	q->memory = aligned_alloc(4096, 8192);
	memset(q->memory, 0, 8192);
	q->uar = mlx5dv_devx_alloc_uar(ctx, MLX5DV_UAR_ALLOC_TYPE_NC);
	q->umem = mlx5dv_devx_umem_reg(ctx, q->memory, 8192, IBV_ACCESS_LOCAL_WRITE);
	assert_int_equal(mlx5dv_devx_query_eqn(ctx, 0, &eqn), 0);
	PRM_SET(create_cq_in, in, opcode, PRM_CMD_OP_CREATE_CQ);
	PRM_SET(create_cq_in, in, cq_umem_id, q->umem->umem_id);
	PRM_SET(cqc, cqc, dbr_umem_id, q->umem->umem_id);
	PRM_SET(cqc, cqc, dbr_addr, 4096);
	PRM_SET(cqc, cqc, log_cq_size, 4);
	PRM_SET(cqc, cqc, uar_page, q->uar->page_id);
	PRM_SET(cqc, cqc, c_eqn_or_apu_element, eqn);
	q->cq = mlx5dv_devx_obj_create(ctx, in, sizeof(in), out, sizeof(out));
	assert_non_null(q->cq);
}

static void devx_cq_free(struct devx_cq *q)
{
	assert_int_equal(mlx5dv_devx_obj_destroy(q->cq), 0);
	assert_int_equal(mlx5dv_devx_umem_dereg(q->umem), 0);
	mlx5dv_devx_free_uar(q->uar);
	free(q->memory);
}

static void test_subscriptions(void **state)
{
	struct sender *s = *state;
	struct mlx5dv_devx_event_channel *ch = mlx5dv_devx_create_event_channel(
		s->ctx, MLX5DV_DEVX_CREATE_EVENT_CHANNEL_FLAGS_OMIT_EV_DATA);
	uint16_t comp = 0, cq_error = 4, wq_error = 0x10, port = 9;
	struct devx_cq q;
	int fd = eventfd(0, EFD_NONBLOCK);

	assert_non_null(ch);
	devx_cq(s->ctx, &q);
	assert_int_equal(mlx5dv_devx_subscribe_devx_event(ch, q.cq, sizeof(comp), &comp, 1), 0);
	assert_int_equal(mlx5dv_devx_subscribe_devx_event(ch, q.cq, sizeof(cq_error), &cq_error, 2),
			 0);
	/* the kernel does not ask whether it can happen; a device has port events, and no completions */
	assert_int_equal(mlx5dv_devx_subscribe_devx_event(ch, q.cq, sizeof(wq_error), &wq_error, 3),
			 0);
	assert_int_equal(mlx5dv_devx_subscribe_devx_event(ch, q.cq, sizeof(port), &port, 3),
			 EINVAL);
	assert_int_equal(mlx5dv_devx_subscribe_devx_event(ch, NULL, sizeof(port), &port, 4), 0);
	assert_int_equal(mlx5dv_devx_subscribe_devx_event(ch, NULL, sizeof(comp), &comp, 5),
			 EINVAL);
	assert_int_equal(mlx5dv_devx_subscribe_devx_event_fd(ch, fd, q.cq, comp), 0);
	assert_false(readable(ch->fd, SHORT_MS));
	devx_cq_free(&q);
	mlx5dv_devx_destroy_event_channel(ch);
	close(fd);
}

static void test_async_descriptor(void **state)
{
	struct sender *s = *state;
	int flags = fcntl(s->ctx->async_fd, F_GETFL);

	assert_true(flags >= 0);
	assert_false(readable(s->ctx->async_fd, 0));
}

static void test_nothing_is_left(void **state)
{
	assert_int_equal(face_census_bad(), 0);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_completion_channel, setup, teardown),
		cmocka_unit_test_setup_teardown(test_late_arming, setup, teardown),
		cmocka_unit_test_setup_teardown(test_refused_destroy, setup, teardown),
		cmocka_unit_test_setup_teardown(test_many_events, setup, teardown),
		cmocka_unit_test_setup_teardown(test_destroy_after_overrun, setup, teardown),
		cmocka_unit_test_setup_teardown(test_state_masks, setup, teardown),
		cmocka_unit_test_setup_teardown(test_failure_moves_the_qp, setup, teardown),
		cmocka_unit_test_setup_teardown(test_subscriptions, setup, teardown),
		cmocka_unit_test_setup_teardown(test_async_descriptor, setup, teardown),
		cmocka_unit_test(test_nothing_is_left),
	};

	if (!face_preload(argv, "model:port=loop"))
		return 0;
	return cmocka_run_group_tests(tests, NULL, NULL);
}
