// SPDX-License-Identifier: BSD-2-Clause
/*
 * Our own provider for NICs, over the real libmlx5, on the model behind the uverbs ABI: doorbells, frames from one device
 * to the other, rules under the root, errors in queues.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <string.h>
#include <time.h>

#include "tests/lib/face.h"
#include "tests/lib/raw.h"

enum { FRAME = 128, PATIENCE_S = 60 };

/* The device has a thread of its own: look until it is there, or fail in a minute. */
static const uint8_t *await(struct raw_cq *cq)
{
	time_t end = time(NULL) + PATIENCE_S;
	const uint8_t *cqe = NULL;

	while (!cqe && time(NULL) < end)
		cqe = raw_poll(cq);
	return cqe;
}

static void fill(uint8_t *frame, uint8_t seed)
{
	memset(frame, 0xff, 6);
	memset(frame + 6, 0x02, 6);
	frame[12] = 0x88;
	frame[13] = 0xb5;
	for (int i = 14; i < FRAME; i++)
		frame[i] = (uint8_t)(i + seed);
}

/* Everything that arrives goes to the RQ. */
static void receive_all(struct raw *r, const struct raw_rq *rq)
{
	struct raw_table t = raw_table(r, PRM_FLOW_TABLE_TYPE_NIC_RX, 64);
	struct raw_rule rule = {.action = PRM_FLOW_CONTEXT_ACTION_FWD_DEST, .to_tir = rq->tirn};

	raw_rule(r, &t, 0, &rule);
	raw_attach(r, &t, NULL);
}

static void test_frames_cross(void **state)
{
	struct raw a, b;
	struct raw_sq sq;
	struct raw_rq rq;

	raw_open(&a, "mlx5_0");
	raw_open(&b, "mlx5_1");
	raw_sq(&a, &sq, 6, 6);
	raw_rq(&b, &rq, 6, 6);
	receive_all(&b, &rq);
	for (uint8_t i = 0; i < 200; i++) {
		const uint8_t *cqe;

		fill(a.data, i);
		memset(b.data, 0, FRAME);
		raw_post_rx(&b, &rq, 0, 2048);
		raw_send(&a, &sq, 0, FRAME, 0);
		cqe = await(&sq.cq);
		assert_non_null(cqe);
		assert_int_equal(PRM_GET(cqe64, cqe, op_own) >> 4, PRM_CQE_OP_REQ);
		cqe = await(&rq.cq);
		assert_non_null(cqe);
		assert_int_equal(PRM_GET(cqe64, cqe, byte_cnt), FRAME);
		assert_memory_equal(a.data, b.data, FRAME);
	}
	raw_close(&a);
	raw_close(&b);
}

static void test_error_cqe(void **state)
{
	struct raw a;
	struct raw_sq sq;
	const uint8_t *cqe;
	uint8_t wqe[64] = {0};

	raw_open(&a, "mlx5_0");
	raw_sq(&a, &sq, 4, 4);
	PRM_SET(wqe_ctrl_seg, wqe, opcode, 0x3f); /* no such operation */
	PRM_SET(wqe_ctrl_seg, wqe, ds, 1);
	raw_post(&sq, wqe);
	raw_ring(&a, &sq);
	cqe = await(&sq.cq);
	assert_non_null(cqe);
	assert_int_equal(PRM_GET(cqe64, cqe, op_own) >> 4, PRM_CQE_OP_REQ_ERR);
	raw_close(&a);
}

static void test_nothing_is_left(void **state)
{
	assert_int_equal(face_census_live(), 0);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_frames_cross),
		cmocka_unit_test(test_error_cqe),
		cmocka_unit_test(test_nothing_is_left),
	};

	if (!face_preload(argv, "model:port=pair:face model:port=pair:face"))
		return 0;
	return cmocka_run_group_tests(tests, NULL, NULL);
}
