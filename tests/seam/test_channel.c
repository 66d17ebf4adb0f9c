// SPDX-License-Identifier: BSD-2-Clause
/*
 * A channel on the mock provider: this test plays the device. It reads WQEs and doorbell records out of the rings and
 * writes CQEs into them, so that laps, full rings, errors and recovery are made step by step.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include <mlx5_offload/error.h>

#include "lib/mock_provider.h"
#include "objects/alloc.h"
#include "queues/rx.h"
#include "queues/tx.h"

#define CREATE PROV_CMD_CREATE
#define OK MOCK_OK
enum { Q = 272, ENTRIES = 16, SQN = 0x44, RQN = 0x45, FRAME = 300, SLOT = 320 };

static struct {
	struct mock *m;
	struct mlxo_device *dev;
	struct queue_tx tx;
	struct queue_rx rx;
	int h_tis, h_cq, h_sq, h_rq, h_tir;
	uint32_t device_cq; /* CQEs written */
	uint16_t device_sq; /* blocks executed */
} t;

static uint32_t dbrec(const struct queue_ring *ring, int which)
{
	return __builtin_bswap32(ring->dbrec[which]);
}

static int setup(void **state)
{
	(void)state;
	memset(&t, 0, sizeof(t));
	t.m = mock_open(&t.dev);
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	mock_done(t.m, t.dev);
	return 0;
}

/* -- sending ------------------------------------------------------------------------------------------------- */

static void expect_sq_move(const char *from_sqn, const char *state)
{
	char in[80];

	snprintf(in, sizeof(in), "000:09050000 008:%s 020:%s", from_sqn, state);
	mock_expect_on(t.m, PROV_CMD_MODIFY, t.h_sq, Q, in, OK(NULL));
}

/* inline_mode: what the device asks for; mode: as the SQ is told; log: blocks. */
static void open_tx(uint64_t cap, const char *sqc, unsigned int log)
{
	char cq[200], sq[260];
	unsigned int ring = 1u << (log + 6);

	mock_cap(t.dev, "wqe_inline_mode", cap);
	t.h_tis = mock_expect(t.m, CREATE, 192, "000:09120000 044:00000033", OK("008:00000066"));
	snprintf(cq, sizeof(cq),
		 "000:04000000 010:02000000 014:00000089 01c:%02x000077 024:00000005 04c:%08x "
		 "058:00000089 05c:80000000",
		 log, ring);
	t.h_cq = mock_expect(t.m, CREATE, Q, cq, OK("008:00000055"));
	snprintf(sq, sizeof(sq),
		 "000:09040000 020:%s 028:00000055 040:00010000 04c:00000066 050:10000000 "
		 "058:0000001a 05c:00000077 064:%08x 070:0006%04x 074:c0000000 078:00000088 "
		 "07c:00000088",
		 sqc, ring, log);
	t.h_sq = mock_expect(t.m, CREATE, Q, sq, OK("008:00000044"));
	expect_sq_move("00000044", "00100000");
	assert_int_equal(queue_tx_init(&t.tx, t.dev, ENTRIES, FRAME), 0);
	mock_drained(t.m);
}

static void close_tx(void)
{
	mock_expect_destroy(t.m, t.h_sq, OK(NULL));
	mock_expect_destroy(t.m, t.h_cq, OK(NULL));
	mock_expect_destroy(t.m, t.h_tis, OK(NULL));
	assert_int_equal(queue_tx_fini(&t.tx), 0);
}

static int post(size_t len, uint8_t fill)
{
	uint8_t frame[FRAME + 1];
	struct iovec iov[2] = {{frame, len / 2}, {frame + len / 2, len - len / 2}};

	memset(frame, fill, sizeof(frame));
	return queue_tx_post(&t.tx, iov, 2, 0);
}

static void write_cqe(struct queue_cq *cq, uint8_t opcode, uint16_t counter, uint8_t syndrome,
		      uint32_t len)
{
	uint8_t *cqe = queue_ring_entry(&cq->ring, t.device_cq);

	memset(cqe, 0, 63);
	PRM_SET(cqe64, cqe, wqe_counter, counter);
	PRM_SET(cqe64, cqe, sop_drop_qpn, 0x77abcdef);
	if (syndrome)
		PRM_SET(err_cqe, cqe, syndrome, syndrome);
	else
		PRM_SET(cqe64, cqe, byte_cnt, len);
	PRM_SET(cqe64, cqe, hds_ip_ext, PRM_CQE_L3_OK);
	PRM_SET(cqe64, cqe, ft_metadata, 0x80000005);
	cqe[63] = (uint8_t)(opcode << 4 | (t.device_cq >> cq->ring.log_size & 1));
	t.device_cq++;
}

/* Execute everything up to the doorbell record like a device; returns frames seen. fail_at: block, or -1. */
static int execute(int fail_at)
{
	uint16_t end = (uint16_t)dbrec(&t.tx.sq.ring, 1);
	int frames = 0;

	while (t.device_sq != end) {
		const uint8_t *w = queue_ring_entry(&t.tx.sq.ring, t.device_sq);
		unsigned int ds = (unsigned int)PRM_GET(wqe_ctrl_seg, w, ds);
		bool bad = fail_at >= 0 && t.device_sq >= (uint16_t)fail_at;

		assert_int_equal(PRM_GET(wqe_ctrl_seg, w, wqe_index), t.device_sq);
		assert_int_equal(PRM_GET(wqe_ctrl_seg, w, qpn), SQN);
		/* never over the end of the ring */
		assert_true((t.device_sq & t.tx.sq.ring.mask) * 64 + ds * 16 <=
			    (t.tx.sq.ring.mask + 1) * 64);
		frames += PRM_GET(wqe_ctrl_seg, w, opcode) == PRM_WQE_OP_SEND;
		if (bad)
			write_cqe(&t.tx.sq.cq, PRM_CQE_OP_REQ_ERR, t.device_sq,
				  t.device_sq == (uint16_t)fail_at ? PRM_CQE_SYND_LOCAL_PROT
								   : PRM_CQE_SYND_WR_FLUSH,
				  0);
		else if (PRM_GET(wqe_ctrl_seg, w, fm_ce_se))
			write_cqe(&t.tx.sq.cq, PRM_CQE_OP_REQ, t.device_sq, 0, 0);
		t.device_sq = (uint16_t)(t.device_sq + (ds + 3) / 4);
	}
	return frames;
}

static void test_nothing_is_rung_before_flush(void **state)
{
	uint64_t ctrl;

	(void)state;
	open_tx(0, "11000000", 4);
	queue_tx_flush(&t.tx); /* nothing posted */
	assert_int_equal(post(60, 1), 0);
	assert_int_equal(mock_rings(t.m, NULL), 0);
	assert_int_equal(dbrec(&t.tx.sq.ring, 1), 0);
	assert_int_equal(post(60, 2), 0);
	queue_tx_flush(&t.tx);
	queue_tx_flush(&t.tx);
	assert_int_equal(mock_rings(t.m, &ctrl), 1);
	assert_int_equal(dbrec(&t.tx.sq.ring, 1), 2);
	assert_memory_equal(&ctrl, queue_ring_entry(&t.tx.sq.ring, 1), 8);
	assert_int_equal(t.tx.sq.doorbells, 1);
	assert_int_equal(execute(-1), 2);
	close_tx();
}

/* The record and the doorbell say the same: number of the arming, any completion, what was polled last. */
static void expect_arming(int nth, unsigned int sn, uint32_t ci)
{
	uint64_t doorbell;
	uint32_t word = sn << 28 | ci;

	assert_int_equal(mock_armings(t.m, &doorbell), nth);
	assert_int_equal(dbrec(&t.tx.sq.cq.ring, 1), word);
	assert_int_equal(doorbell, (uint64_t)word << 32 | t.tx.sq.cq.obj.obj.id);
}

static void test_arming(void **state)
{
	struct queue_cq *cq;

	(void)state;
	open_tx(0, "11000000", 4);
	cq = &t.tx.sq.cq;
	assert_int_equal(queue_cq_arm(cq, t.dev), 0);
	expect_arming(1, 0, 0);
	assert_int_equal(queue_cq_arm(cq, t.dev), 0); /* it is */
	expect_arming(1, 0, 0);
	for (int round = 0; round < 10; round++) {
		write_cqe(cq, PRM_CQE_OP_REQ, 0, 0, 0);
		assert_int_equal(queue_cq_arm(cq, t.dev), 1);
		expect_arming(round + 1, round & 3, (uint32_t)round);
		queue_sq_poll(&t.tx.sq);
		assert_int_equal(queue_cq_arm(cq, t.dev), 0);
		expect_arming(round + 2, (round + 1) & 3, (uint32_t)round + 1);
	}
	cq->ci = 0x2000003; /* the device sees 24 bits */
	queue_ring_entry(&cq->ring, cq->ci)[63] = 0xf1;
	assert_int_equal(queue_cq_arm(cq, t.dev), 0);
	expect_arming(12, 3, 3);
	cq->ci++;
	queue_ring_entry(&cq->ring, cq->ci)[63] = 0xf1;
	mock_arm_fails(t.m, -EIO);
	assert_int_equal(queue_cq_arm(cq, t.dev), -EIO);
	assert_non_null(strstr(mlxo_error_last()->text, "cannot tell of completions"));
	mock_arm_fails(t.m, 0);
	assert_int_equal(queue_cq_arm(cq, t.dev), 0); /* a failed one does not count */
	expect_arming(14, 0, 4);
	close_tx();
}

static void test_lengths(void **state)
{
	const uint8_t *w;

	(void)state;
	open_tx(0, "11000000", 4);
	assert_int_equal(post(13, 1), -EMSGSIZE);
	assert_int_equal(post(FRAME + 1, 1), -EMSGSIZE);
	assert_string_equal(mlxo_error_last()->text, "frame of 301 bytes: 14..300 are possible");
	assert_int_equal(post(14, 3), 0); /* all of it inline */
	w = queue_ring_entry(&t.tx.sq.ring, 0);
	assert_int_equal(PRM_GET(wqe_ctrl_seg, w, ds), 3);
	assert_int_equal(PRM_GET(wqe_eth_seg, w + 16, inline_hdr_sz), 14);
	assert_int_equal(post(FRAME, 4), 0);
	w = queue_ring_entry(&t.tx.sq.ring, 1);
	assert_int_equal(PRM_GET(wqe_ctrl_seg, w, ds), 4);
	assert_int_equal(PRM_GET(wqe_data_seg, w + 48, byte_count), FRAME - 18);
	assert_int_equal(PRM_GET(wqe_data_seg, w + 48, lkey), MOCK_LKEY);
	assert_int_equal(PRM_GET(wqe_data_seg, w + 48, addr),
			 (uintptr_t)t.tx.buffers->addr + SLOT + 18);
	for (int i = 0; i < FRAME; i++)
		assert_int_equal(t.tx.buffers->addr[SLOT + i], 4);
	close_tx();
}

/* Fill the ring, find it full, complete, again: more than one turn of the 16-bit counter. */
static void test_laps(void **state)
{
	uint64_t posted = 0, seen = 0;

	(void)state;
	open_tx(2, "10000000", 4);
	assert_int_equal(t.tx.sq.hdr_len, 0);
	while (posted < 70000) {
		int n = 0;

		while (post(60 + posted % 200, (uint8_t)posted) == 0) {
			posted++;
			n++;
		}
		assert_int_equal(errno, EAGAIN);
		assert_int_equal(n,
				 ENTRIES); /* the last one asked for a CQE, so all are free again */
		queue_tx_flush(&t.tx);
		seen += (uint64_t)execute(-1);
		queue_tx_poll(&t.tx);
		assert_int_equal(dbrec(&t.tx.sq.cq.ring, 0), t.device_cq & 0xffffff);
	}
	assert_int_equal(seen, posted);
	assert_int_equal(t.tx.stats.packets, posted);
	close_tx();
}

/* 128 bytes inline make WQEs of three blocks, which do not divide the ring: NOPs at its end. */
static void test_long_wqes_do_not_wrap(void **state)
{
	uint64_t posted = 0, seen = 0;

	(void)state;
	open_tx(1, "13000000", 6);
	assert_int_equal(t.tx.max_blocks, 3);
	for (int lap = 0; lap < 3000; lap++) {
		size_t len = 14 + (size_t)(lap * 7) % 280;
		int burst = 1 + lap % 9;

		for (int i = 0; i < burst; i++) {
			int err = post(len, (uint8_t)lap);

			posted += !err;
			assert_true(err == 0 || err == -EAGAIN);
		}
		queue_tx_flush(&t.tx);
		seen += (uint64_t)execute(-1);
		queue_tx_poll(&t.tx);
	}
	assert_int_equal(seen, posted);
	assert_true(posted > 10000);
	close_tx();
}

static void expect_recovery(void)
{
	mock_expect_on(t.m, PROV_CMD_QUERY, t.h_sq, 16, "000:09070000 008:00000044",
		       OK("020:00300000"));
	expect_sq_move("30000044", "00000000");
	expect_sq_move("00000044", "00100000");
}

static void test_error_and_recovery(void **state)
{
	(void)state;
	open_tx(0, "11000000", 4);
	assert_int_equal(queue_tx_recover(&t.tx), 0); /* nothing wrong: no command */
	for (int i = 0; i < 10; i++)
		assert_int_equal(post(60, 1), 0);
	queue_tx_flush(&t.tx);
	execute(6);
	queue_tx_poll(&t.tx);
	assert_true(t.tx.sq.failed);
	assert_int_equal(post(60, 1), -EIO);
	queue_tx_flush(&t.tx);
	assert_int_equal(mock_rings(t.m, NULL), 1);
	expect_recovery();
	assert_int_equal(queue_tx_recover(&t.tx), 0);
	assert_int_equal(t.tx.stats.packets, 10);
	assert_int_equal(t.tx.sq.errors, 1);
	assert_int_equal(t.tx.stats.flushed, 3);
	assert_int_equal(dbrec(&t.tx.sq.ring, 1), 0);
	t.device_sq = 0;
	for (int i = 0; i < ENTRIES; i++)
		assert_int_equal(post(60, 2), 0);
	queue_tx_flush(&t.tx);
	assert_int_equal(execute(-1), ENTRIES);
	queue_tx_poll(&t.tx);
	assert_int_equal(t.tx.frame_ci, t.tx.frame_pi);
	close_tx();
}

/* The answer to one of the moves is lost; the next attempt looks where the queue is and goes on. */
static void test_recovery_can_be_repeated(void **state)
{
	(void)state;
	open_tx(0, "11000000", 4);
	assert_int_equal(post(60, 1), 0);
	queue_tx_flush(&t.tx);
	execute(0);
	mock_expect_on(t.m, PROV_CMD_QUERY, t.h_sq, 16, "000:09070000 008:00000044",
		       OK("020:00300000"));
	mock_expect_on(t.m, PROV_CMD_MODIFY, t.h_sq, Q, "000:09050000 008:30000044", MOCK_TIMEOUT);
	assert_int_equal(queue_tx_recover(&t.tx), -ETIMEDOUT);
	assert_int_equal(post(60, 1), -EIO);
	mock_expect_on(t.m, PROV_CMD_QUERY, t.h_sq, 16, "000:09070000 008:00000044", OK(NULL));
	expect_sq_move("00000044", "00100000");
	assert_int_equal(queue_tx_recover(&t.tx), 0);
	assert_int_equal(t.tx.sq.errors, 1);
	assert_int_equal(t.tx.stats.flushed, 0);
	assert_int_equal(post(60, 1), 0);
	close_tx();
}

/* -- receiving ----------------------------------------------------------------------------------------------- */

static void open_rx(void)
{
	t.h_cq = mock_expect(t.m, CREATE, Q,
			     "000:04000000 010:02000000 014:00000089 01c:04000077 024:00000005 "
			     "04c:00000400 058:00000089 05c:80000000",
			     OK("008:00000055"));
	t.h_rq = mock_expect(t.m, CREATE, Q,
			     "000:09080000 020:10000000 028:00000055 050:10000000 058:0000001a "
			     "064:00000100 070:00040004 074:c0000000 078:00000088 07c:00000088",
			     OK("008:00000045"));
	mock_expect_on(t.m, PROV_CMD_MODIFY, t.h_rq, Q, "000:09090000 008:00000045 020:00100000",
		       OK(NULL));
	t.h_tir = mock_expect(t.m, CREATE, Q, "000:09000000 03c:00000045 044:03000033",
			      OK("008:00000046"));
	assert_int_equal(queue_rx_init(&t.rx, t.dev, 4, FRAME), 0);
	mock_drained(t.m);
}

static void close_rx(void)
{
	mock_expect_destroy(t.m, t.h_tir, OK(NULL));
	mock_expect_destroy(t.m, t.h_rq, OK(NULL));
	mock_expect_destroy(t.m, t.h_cq, OK(NULL));
	assert_int_equal(queue_rx_fini(&t.rx), 0);
}

static struct mlxo_rx_frame got;
static uint8_t first_byte;
static int ngot;

static void take(void *ctx, const struct mlxo_rx_frame *frame)
{
	assert_ptr_equal(ctx, &t);
	got = *frame;
	first_byte = frame->data[0];
	ngot++;
}

/* The device puts a frame into receive WQE `index`. */
static void receive(uint16_t index, uint8_t fill, uint32_t len)
{
	const uint8_t *seg = queue_ring_entry(&t.rx.ring, index);
	uint8_t *to = (uint8_t *)(uintptr_t)PRM_GET(wqe_data_seg, seg, addr);

	assert_int_equal(PRM_GET(wqe_data_seg, seg, lkey), MOCK_LKEY);
	assert_int_equal(PRM_GET(wqe_data_seg, seg, byte_count), SLOT);
	memset(to, fill, len);
	write_cqe(&t.rx.cq, PRM_CQE_OP_RESP_SEND, index, 0, len);
}

static void test_receive(void **state)
{
	uint16_t index = 0;

	(void)state;
	open_rx();
	assert_int_equal(dbrec(&t.rx.ring, 0), ENTRIES);
	assert_int_equal(queue_rx_poll(&t.rx, 100, take, &t), 0);
	for (uint32_t lap = 0; lap < 70000 / 7; lap++) {
		for (int i = 0; i < 7; i++, index++)
			receive(index, (uint8_t)index, 60 + lap % 200);
		ngot = 0;
		assert_int_equal(queue_rx_poll(&t.rx, 3, take, &t), 3);
		assert_int_equal(queue_rx_poll(&t.rx, 100, take, &t), 4);
		assert_int_equal(ngot, 7);
		assert_int_equal(got.len, 60 + lap % 200);
		assert_int_equal(first_byte, (uint8_t)(index - 1));
		assert_int_equal(dbrec(&t.rx.ring, 0), (uint16_t)(index + ENTRIES));
		assert_int_equal(dbrec(&t.rx.cq.ring, 0), t.device_cq & 0xffffff);
	}
	assert_int_equal(got.flow_tag, 0xabcdef);
	assert_int_equal(got.ft_metadata, 0x80000005);
	assert_true(got.l3_ok);
	assert_false(got.l4_ok);
	close_rx();
}

static void test_receive_error(void **state)
{
	(void)state;
	open_rx();
	receive(0, 1, 60);
	write_cqe(&t.rx.cq, PRM_CQE_OP_RESP_ERR, 1, PRM_CQE_SYND_LOCAL_LENGTH, 0);
	assert_int_equal(queue_rx_poll(&t.rx, 100, take, &t), 1);
	assert_true(t.rx.failed);
	assert_int_equal(t.rx.stats.errors, 1);
	mock_expect_on(t.m, PROV_CMD_QUERY, t.h_rq, 16, "000:090b0000 008:00000045",
		       OK("020:00300000"));
	mock_expect_on(t.m, PROV_CMD_MODIFY, t.h_rq, Q, "000:09090000 008:30000045", OK(NULL));
	mock_expect_on(t.m, PROV_CMD_MODIFY, t.h_rq, Q, "000:09090000 008:00000045 020:00100000",
		       OK(NULL));
	assert_int_equal(queue_rx_recover(&t.rx), 0);
	assert_int_equal(dbrec(&t.rx.ring, 0), ENTRIES);
	receive(0, 9, 60);
	assert_int_equal(queue_rx_poll(&t.rx, 100, take, &t), 1);
	assert_int_equal(first_byte, 9);
	assert_int_equal(queue_rx_recover(&t.rx), 0);
	close_rx();
}

/* -- options ------------------------------------------------------------------------------------------------- */

static void refused(struct mlxo_channel_opts opts, int err)
{
	struct mlxo_channel *ch = (struct mlxo_channel *)1;

	opts.size = sizeof(opts);
	assert_int_equal(mlxo_channel_create(t.dev, &opts, &ch), err);
	assert_null(ch);
}

static void test_options(void **state)
{
	struct {
		struct mlxo_channel_opts known;
		uint64_t later;
	} newer = {.known.size = sizeof(newer), .later = 1};
	struct mlxo_channel *ch;

	(void)state;
	refused((struct mlxo_channel_opts){.sq_entries = 8}, -EINVAL);
	refused((struct mlxo_channel_opts){.sq_entries = 65536}, -EINVAL);
	refused((struct mlxo_channel_opts){.sq_entries = 17}, -EINVAL);
	refused((struct mlxo_channel_opts){.rq_entries = 1023}, -EINVAL);
	refused((struct mlxo_channel_opts){.max_frame = 255}, -EINVAL);
	refused((struct mlxo_channel_opts){.max_frame = 10241}, -EINVAL);
	assert_int_equal(mlxo_channel_create(t.dev, &newer.known, &ch), -EINVAL);
	newer.known.size = 0;
	assert_int_equal(mlxo_channel_create(t.dev, &newer.known, &ch), -EINVAL);
	mlxo_channel_destroy(NULL);
}

/* Memory runs out, or a command is refused, at the first step: nothing is left. */
static void test_failed_create_leaves_nothing(void **state)
{
	struct mlxo_channel *ch;

	(void)state;
	for (uint64_t n = 1; n <= 5; n++) {
		mlxo_alloc_fail_at(n);
		assert_int_equal(mlxo_channel_create(t.dev, NULL, &ch), -ENOMEM);
		mlxo_alloc_fail_at(0);
	}
	mock_expect(t.m, CREATE, Q,
		    "000:04000000 010:02000000 014:0000008b 01c:0a000077 024:00000005 04c:00010000 "
		    "058:0000008b 05c:80000000",
		    MOCK_REFUSE(8, 1));
	assert_int_equal(mlxo_channel_create(t.dev, NULL, &ch), -ENOMEM);
	assert_string_equal(mlxo_error_last()->op, "CREATE_CQ");
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_nothing_is_rung_before_flush),
		TEST(test_arming),
		TEST(test_lengths),
		TEST(test_laps),
		TEST(test_long_wqes_do_not_wrap),
		TEST(test_error_and_recovery),
		TEST(test_recovery_can_be_repeated),
		TEST(test_receive),
		TEST(test_receive_error),
		TEST(test_options),
		TEST(test_failed_create_leaves_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
