// SPDX-License-Identifier: BSD-2-Clause
/*
 * Completion queues of a device by raw mailboxes: one event per arming, also for what is already there, timestamps, what QUERY_CQ shows and MODIFY_CQ changes, queues that stop when their CQ is overrun, and send
 * queues that are flushed when they are moved to ERR.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include <string.h>

#include "lib/raw.h"
#include "providers/model/control.h"

enum { LOG_SQ = 6, LOG_CQ = 3, SOLICITED = 1 << 24, SN = 1 << 28 };

static struct raw r;
static struct raw_sq sq;
static struct {
	uint8_t type;
	enum model_event_of of;
	uint32_t number;
} events[16];
static int nevents;

static void on_event(void *ctx, uint8_t type, enum model_event_of of, uint32_t number)
{
	events[nevents].type = type;
	events[nevents].of = of;
	events[nevents++].number = number;
}

static int setup(void **state)
{
	nevents = 0;
	raw_open(&r, "model");
	model_of(r.dev)->host.event = on_event;
	raw_sq(&r, &sq, LOG_SQ, LOG_CQ);
	return 0;
}

static int teardown(void **state)
{
	raw_close(&r);
	return 0;
}

static void post_nop(void)
{
	uint8_t wqe[64] = {0};

	PRM_SET(wqe_ctrl_seg, wqe, opcode, PRM_WQE_OP_NOP);
	PRM_SET(wqe_ctrl_seg, wqe, ds, 1);
	PRM_SET(wqe_ctrl_seg, wqe, fm_ce_se, PRM_WQE_CE_CQ_UPDATE);
	raw_post(&sq, wqe);
}

static void nop(void)
{
	post_nop();
	raw_ring(&r, &sq);
}

static void ring(uint32_t word)
{
	__atomic_store_n(&sq.cq.db[1], __builtin_bswap32(word), __ATOMIC_RELEASE);
	model_cq_ring(model_of(r.dev), r.uar.page_id, sq.cq.cqn, word);
}

static void expect_events(int n)
{
	assert_int_equal(nevents, n);
	for (int i = 0; i < n; i++) {
		assert_int_equal(events[i].type, PRM_EVENT_TYPE_CODING_COMPLETION_EVENTS);
		assert_int_equal(events[i].number, sq.cq.cqn);
	}
}

static void one_event_per_arming(void **state)
{
	nop();
	expect_events(0); /* not armed */
	assert_non_null(raw_poll(&sq.cq));
	ring(SN | 1);
	expect_events(0); /* nothing new */
	nop();
	expect_events(1);
	nop();
	expect_events(1); /* once */
	assert_non_null(raw_poll(&sq.cq));
	assert_non_null(raw_poll(&sq.cq));
	ring(2 * SN | 3);
	nop();
	expect_events(2);
}

/* The very first word is 0. */
static void what_is_there_already(void **state)
{
	ring(0);
	expect_events(0);
	nop();
	expect_events(1);
	nop();
	expect_events(1);
	ring(SN | 1); /* one of two was read: at once */
	expect_events(2);
	nop();
	expect_events(2);
	ring(2 * SN | 3); /* all read */
	expect_events(2);
	nop();
	expect_events(3);
	model_cq_ring(model_of(r.dev), r.uar.page_id + 1, sq.cq.cqn, 3 * SN); /* another's page */
	model_cq_ring(model_of(r.dev), r.uar.page_id, sq.cq.cqn + 77, 3 * SN);
	expect_events(3);
}

static void errors_are_solicited(void **state)
{
	uint8_t wqe[64] = {0};

	ring(SN | SOLICITED);
	nop();
	expect_events(0);
	PRM_SET(wqe_ctrl_seg, wqe, opcode, 0x3f);
	PRM_SET(wqe_ctrl_seg, wqe, ds, 1);
	raw_post(&sq, wqe);
	raw_ring(&r, &sq);
	assert_int_equal(nevents, 2); /* and the queue's own */
	assert_int_equal(events[0].type, PRM_EVENT_TYPE_CODING_COMPLETION_EVENTS);
	assert_int_equal(events[1].type, PRM_EVENT_TYPE_CODING_INVALID_REQUEST_LOCAL_WQ_ERROR);
}

static void timestamps(void **state)
{
	uint64_t before = model_now(model_of(r.dev)), last = before;

	for (int i = 0; i < 5; i++) {
		const uint8_t *c;
		uint64_t at;

		nop();
		c = raw_poll(&sq.cq);
		assert_non_null(c);
		at = PRM_GET(cqe64, c, timestamp);
		assert_true(at >= last && at <= model_now(model_of(r.dev)));
		last = at;
	}
}

static void query(uint8_t *cqc)
{
	uint8_t in[PRM_BYTES(query_cq_in)] = {0}, out[PRM_BYTES(query_cq_out)];

	PRM_SET(query_cq_in, in, opcode, PRM_CMD_OP_QUERY_CQ);
	PRM_SET(query_cq_in, in, cqn, sq.cq.cqn);
	/* as the function's owner: raw.h keeps no handle of a CQ */
	assert_int_equal(model_fw_exec(model_of(r.dev), 0, in, sizeof(in), out, sizeof(out)), 0);
	assert_int_equal(prm_out_status(out), 0);
	memcpy(cqc, PRM_AT(query_cq_out, out, cq_context), PRM_BYTES(cqc));
}

static uint8_t modify(uint32_t select)
{
	uint8_t in[PRM_BYTES(modify_cq_in)] = {0}, out[PRM_BYTES(modify_cq_out)];
	uint8_t *cqc = PRM_AT(modify_cq_in, in, cq_context);

	PRM_SET(modify_cq_in, in, opcode, PRM_CMD_OP_MODIFY_CQ);
	PRM_SET(modify_cq_in, in, cqn, sq.cq.cqn);
	PRM_SET(modify_cq_in, in, modify_field_select, select);
	PRM_SET(cqc, cqc, cq_period, 33);
	PRM_SET(cqc, cqc, cq_max_count, 44);
	assert_int_equal(model_fw_exec(model_of(r.dev), 0, in, sizeof(in), out, sizeof(out)), 0);
	return prm_out_status(out);
}

static void query_and_modify(void **state)
{
	uint8_t cqc[PRM_BYTES(cqc)];

	nop();
	nop();
	nop();
	assert_non_null(raw_poll(&sq.cq));
	query(cqc);
	assert_int_equal(PRM_GET(cqc, cqc, producer_counter), 3);
	assert_int_equal(PRM_GET(cqc, cqc, consumer_counter), 1);
	assert_int_equal(PRM_GET(cqc, cqc, log_cq_size), LOG_CQ);
	assert_int_equal(PRM_GET(cqc, cqc, status), PRM_CQC_STATUS_OK);
	assert_int_equal(PRM_GET(cqc, cqc, cq_period), 0);
	assert_int_equal(modify(0), PRM_CMD_STAT_BAD_PARAM_ERR);
	assert_int_equal(modify(4), PRM_CMD_STAT_BAD_PARAM_ERR); /* ignore overrun */
	assert_int_equal(modify(PRM_CQ_MODIFY_PERIOD), 0);
	query(cqc);
	assert_int_equal(PRM_GET(cqc, cqc, cq_period), 33);
	assert_int_equal(PRM_GET(cqc, cqc, cq_max_count), 0); /* was not selected */
}

static uint64_t sq_state(void)
{
	uint8_t in[PRM_BYTES(query_sq_in)] = {0}, out[PRM_BYTES(query_sq_out)];

	PRM_SET(query_sq_in, in, opcode, PRM_CMD_OP_QUERY_SQ);
	PRM_SET(query_sq_in, in, sqn, sq.sqn);
	raw_do(&r, PROV_CMD_QUERY, sq.obj, in, sizeof(in), out, sizeof(out));
	return PRM_GET(sqc, PRM_AT(query_sq_out, out, sq_context), state);
}

static void overrun_stops_the_queue(void **state)
{
	uint8_t cqc[PRM_BYTES(cqc)];

	for (int i = 0; i < 1 << LOG_CQ; i++)
		nop();
	assert_int_equal(sq_state(), PRM_SQC_STATE_RDY);
	nop();
	assert_int_equal(sq_state(), PRM_SQC_STATE_ERR);
	assert_int_equal(nevents, 2);
	assert_int_equal(events[0].type, PRM_EVENT_TYPE_CODING_CQ_ERROR);
	assert_int_equal(events[1].type, PRM_EVENT_TYPE_CODING_LOCAL_WQ_CATASTROPHIC_ERROR);
	query(cqc);
	assert_int_equal(PRM_GET(cqc, cqc, status), PRM_CQC_STATUS_CQ_OVERFLOW);
}

/* Posted but not rung for: the change of state ends it, not the next doorbell. */
static void error_flushes_at_once(void **state)
{
	post_nop();
	post_nop();
	__atomic_store_n(&sq.db[1], __builtin_bswap32(sq.pi), __ATOMIC_RELEASE);
	assert_null(raw_poll(&sq.cq));
	raw_sq_state(&r, &sq, PRM_SQC_STATE_RDY, PRM_SQC_STATE_ERR);
	for (int i = 0; i < 2; i++) {
		const uint8_t *c = raw_poll(&sq.cq);

		assert_non_null(c);
		assert_int_equal(c[63] >> 4, PRM_CQE_OP_REQ_ERR);
		assert_int_equal(PRM_GET(err_cqe, c, syndrome), PRM_CQE_SYND_WR_FLUSH);
		assert_int_equal(PRM_GET(err_cqe, c, wqe_counter), i);
	}
	assert_null(raw_poll(&sq.cq));
}

int main(void)
{
#define TEST(f) cmocka_unit_test_setup_teardown(f, setup, teardown)
	const struct CMUnitTest tests[] = {
		TEST(one_event_per_arming),  TEST(what_is_there_already),
		TEST(errors_are_solicited),  TEST(timestamps),
		TEST(query_and_modify),	     TEST(overrun_stops_the_queue),
		TEST(error_flushes_at_once),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
