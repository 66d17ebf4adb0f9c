// SPDX-License-Identifier: BSD-2-Clause
/*
 * Channels on two models with a wire between them: frames of every length, many laps of small rings, checksums,
 * queues in the error state and out of it, faults of every command of create and recover.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <mlx5_offload/channel.h>
#include <mlx5_offload/error.h>
#include <mlx5_offload/model.h>

#include "lib/frames.h"
#include "objects/alloc.h"
#include "queues/channel.h"
#include "queues/tx.h"
#include "steering/rule.h"
#include "tests/lib/test_device.h"

enum { MIN = 14, MAX = 9216 };
#define NAME "model:port=pair:channel,mtu=9202"

/* One end of the wire: a channel that takes every frame of the port. */
struct end {
	struct mlxo_device *dev;
	struct mlxo_channel *ch;
	struct steer_table table;
	struct steer_group group;
	struct steer_rule rule;
	struct steer_attachment at;
};

static struct end a, b;

/* What arrived. */
static uint8_t last[10240];
static size_t last_len;
static struct mlxo_rx_frame last_frame;
static uint64_t arrived;

static void take(void *ctx, const struct mlxo_rx_frame *frame)
{
	(void)ctx;
	last_frame = *frame;
	last_len = frame->len;
	memcpy(last, frame->data, frame->len);
	arrived++;
}

static void lead_to_channel(struct end *e)
{
	struct steer_table_attr attr = {.dir = PROV_RX, .level = 1, .log_size = 0};
	struct steer_actions to_tir = {
		.tir = queue_channel_tir(e->ch), .has_flow_tag = true, .flow_tag = 0x1234};
	struct steer_match any;

	steer_match_init(&any);
	assert_int_equal(steer_table_create(e->dev, &attr, &e->table), 0);
	assert_int_equal(steer_group_create(&e->table, 0, 0, &any, &e->group), 0);
	assert_int_equal(steer_rule_add(&e->group, 0, &any, &to_tir, &e->rule), 0);
	assert_int_equal(steer_table_attach(&e->table, 0, NULL, &e->at), 0);
}

static void end_open(struct end *e, uint32_t entries, uint32_t max_frame)
{
	struct mlxo_channel_opts opts = {.size = sizeof(opts),
					 .sq_entries = entries,
					 .rq_entries = entries,
					 .max_frame = max_frame};

	memset(e, 0, sizeof(*e));
	assert_int_equal(test_device_open(NAME, &e->dev), 0);
	assert_int_equal(mlxo_channel_create(e->dev, &opts, &e->ch), 0);
	lead_to_channel(e);
}

static void end_close(struct end *e)
{
	assert_int_equal(steer_table_detach(&e->at), 0);
	assert_int_equal(steer_rule_del(&e->rule), 0);
	assert_int_equal(steer_group_destroy(&e->group), 0);
	assert_int_equal(steer_table_destroy(&e->table), 0);
	mlxo_channel_destroy(e->ch);
	mlxo_device_close(e->dev);
}

static int open_pair(void **state)
{
	(void)state;
	end_open(&a, 64, MAX);
	end_open(&b, 64, MAX);
	arrived = 0;
	return 0;
}

static int close_pair(void **state)
{
	(void)state;
	end_close(&a);
	end_close(&b);
	return 0;
}

/* Let frames that are on the wire arrive at e. Returns frames, or the first negative. */
static int receive(struct end *e)
{
	int n, sum = 0;

	do {
		mlxo_device_progress(e->dev);
		n = mlxo_channel_poll(e->ch, 1000, take, NULL);
		sum += n > 0 ? n : 0;
	} while (n > 0);
	return n < 0 && sum == 0 ? n : sum;
}

static int send_bytes(struct end *e, const uint8_t *bytes, size_t len, unsigned int flags)
{
	struct iovec iov = {(void *)(uintptr_t)bytes, len};

	return mlxo_channel_send(e->ch, &iov, 1, flags);
}

static void fill(uint8_t *frame, size_t len, uint32_t seed)
{
	for (size_t i = 0; i < len; i++)
		frame[i] = (uint8_t)(seed * 31 + i * 7 + (i >> 8));
	/* no IP: nothing in between looks at it */
	if (len >= 14) {
		frame[12] = 0x88;
		frame[13] = 0xb5;
	}
}

static void every_length(void **state)
{
	static uint8_t frame[MAX + 1];

	(void)state;
	for (uint32_t len = MIN; len <= MAX; len++) {
		struct end *from = len % 2 ? &a : &b, *to = len % 2 ? &b : &a;

		fill(frame, len, len);
		assert_int_equal(send_bytes(from, frame, len, 0), 0);
		mlxo_channel_flush(from->ch);
		assert_int_equal(receive(to), 1);
		assert_int_equal(last_len, len);
		assert_memory_equal(last, frame, len);
		assert_int_equal(last_frame.flow_tag, 0x1234);
		assert_int_equal(mlxo_channel_poll(from->ch, 1, take, NULL), 0);
	}
	assert_int_equal(send_bytes(&a, frame, MAX + 1, 0), -EMSGSIZE);
	assert_int_equal(send_bytes(&a, frame, MIN - 1, 0), -EMSGSIZE);
}

/* Bursts of many sizes, in both directions, over many laps of 64 entries. */
static void laps(void **state)
{
	struct mlxo_channel_stats sa, sb;
	uint8_t frame[200];
	uint64_t sent = 0;

	(void)state;
	for (int round = 0; round < 2000; round++) {
		int burst = 1 + round % 48; /* up to 15 frames wait for the next CQE */

		for (int i = 0; i < burst; i++) {
			fill(frame, sizeof(frame), (uint32_t)sent);
			assert_int_equal(send_bytes(&a, frame, sizeof(frame), 0), 0);
			sent++;
		}
		mlxo_channel_flush(a.ch);
		assert_int_equal(receive(&b), burst);
		assert_memory_equal(last, frame, sizeof(frame));
		assert_int_equal(mlxo_channel_poll(a.ch, 1, take, NULL), 0);
	}
	assert_int_equal(arrived, sent);
	mlxo_channel_stats(a.ch, &sa);
	mlxo_channel_stats(b.ch, &sb);
	assert_int_equal(sa.tx_packets, sent);
	assert_int_equal(sa.tx_bytes, sent * sizeof(frame));
	assert_int_equal(sa.tx_doorbells, 2000);
	assert_int_equal(sb.rx_packets, sent);
	assert_int_equal(sa.tx_errors + sa.tx_flushed + sb.rx_errors, 0);
}

enum { WAKES = 300, PATIENCE_MS = 60000, SHORT_MS = 20 };
static _Atomic int woken;

static bool readable(int ms)
{
	struct pollfd p = {.fd = mlxo_device_fd(b.dev), .events = POLLIN};

	return poll(&p, 1, ms) == 1;
}

/* Until nothing is left to do, then asleep until the device tells. */
static void *sleeper(void *arg)
{
	(void)arg;
	while (woken < WAKES) {
		int did = mlxo_device_progress(b.dev), n = mlxo_channel_poll(b.ch, 8, take, NULL);

		if (n > 0)
			atomic_fetch_add(&woken, n);
		else if (did == 0 && mlxo_channel_arm(b.ch) == 0 && !readable(PATIENCE_MS))
			return "the descriptor did not tell of a frame";
	}
	return NULL;
}

/* One frame after the other, each while the receiver is about to sleep, asleep, or waking up. */
static void a_frame_wakes_a_sleeper(void **state)
{
	uint8_t frame[100];
	pthread_t thread;
	void *failure;

	(void)state;
	fill(frame, sizeof(frame), 1);
	woken = 0;
	assert_int_equal(pthread_create(&thread, NULL, sleeper, NULL), 0);
	for (int i = 0; i < WAKES; i++) {
		assert_int_equal(send_bytes(&a, frame, sizeof(frame), 0), 0);
		mlxo_channel_flush(a.ch);
		for (int us = 0; woken <= i && us < PATIENCE_MS * 1000; us += 50)
			usleep(50);
		usleep((useconds_t)(i * 37 % 400));
		mlxo_channel_poll(a.ch, 1, take, NULL);
	}
	assert_int_equal(pthread_join(thread, &failure), 0);
	assert_null(failure);
}

static void armed_in_vain(void **state)
{
	uint8_t frame[100];

	(void)state;
	fill(frame, sizeof(frame), 1);
	while (mlxo_device_progress(b.dev) > 0)
		;
	for (int i = 0; i < 3; i++) /* twice is once */
		assert_int_equal(mlxo_channel_arm(b.ch), 0);
	assert_false(readable(SHORT_MS));
	assert_int_equal(send_bytes(&a, frame, sizeof(frame), 0), 0);
	mlxo_channel_flush(a.ch);
	assert_true(readable(PATIENCE_MS));
	while (mlxo_device_progress(b.dev) > 0)
		;
	assert_int_equal(mlxo_channel_arm(b.ch), 1); /* poll first */
	assert_int_equal(receive(&b), 1);
	assert_int_equal(mlxo_channel_arm(b.ch), 0);
	assert_false(readable(SHORT_MS));
}

static void a_full_queue_says_so(void **state)
{
	uint8_t frame[100];
	int posted = 0;

	(void)state;
	fill(frame, sizeof(frame), 1);
	while (send_bytes(&a, frame, sizeof(frame), 0) == 0)
		posted++;
	assert_int_equal(errno, EAGAIN);
	assert_int_equal(posted, 64);
	mlxo_channel_flush(a.ch);
	assert_int_equal(receive(&b), 64);
	assert_int_equal(mlxo_channel_poll(a.ch, 1, take, NULL), 0);
	assert_int_equal(send_bytes(&a, frame, sizeof(frame), 4), -EINVAL);
	assert_int_equal(send_bytes(&a, frame, sizeof(frame), 0), 0);
	mlxo_channel_flush(a.ch);
	assert_int_equal(receive(&b), 1);
}

static void gathers_pieces(void **state)
{
	uint8_t frame[60];
	struct iovec iov[4] = {{frame, 3}, {NULL, 0}, {frame + 3, 20}, {frame + 23, 37}};

	(void)state;
	fill(frame, sizeof(frame), 9);
	assert_int_equal(mlxo_channel_send(a.ch, iov, 4, 0), 0);
	mlxo_channel_flush(a.ch);
	assert_int_equal(receive(&b), 1);
	assert_memory_equal(last, frame, sizeof(frame));
}

/* The device fills checksums on request and says on the other side whether they are good. */
static void checksums(void **state)
{
	struct frame f;

	(void)state;
	frame_eth(&f, 0x0800);
	frame_ipv4(&f, 17, 0);
	frame_udp(&f, 5000, 5001);
	frame_pattern(&f, 33);
	frame_end(&f);
	f.b[f.l3 + 10] ^= 0xff; /* IPv4 checksum */
	f.b[f.l4 + 6] ^= 0xff;	/* UDP checksum */
	assert_int_equal(send_bytes(&a, f.b, f.n, 0), 0);
	mlxo_channel_flush(a.ch);
	assert_int_equal(receive(&b), 1);
	assert_false(last_frame.l3_ok);
	assert_memory_equal(last, f.b, f.n);
	assert_int_equal(send_bytes(&a, f.b, f.n, MLXO_SEND_CSUM_L3 | MLXO_SEND_CSUM_L4), 0);
	mlxo_channel_flush(a.ch);
	assert_int_equal(receive(&b), 1);
	assert_true(last_frame.l3_ok && last_frame.l4_ok);
	assert_true(frame_ip_ok(last + f.l3));
	assert_true(frame_l4_ok(last + f.l3, f.n - f.l3, f.l4 - f.l3, 17));
}

/* -- errors --------------------------------------------------------------------------------------------------- */

/* A frame that is longer than the receiver's buffers stops its queue; recover() makes it go again. */
static void too_long_for_the_receiver(void **state)
{
	struct mlxo_channel_stats s;
	uint8_t frame[1000];

	(void)state;
	end_open(&a, 16, MAX);
	end_open(&b, 16, 256);
	for (int round = 1; round <= 20; round++) {
		fill(frame, sizeof(frame), 3);
		assert_int_equal(send_bytes(&a, frame, sizeof(frame), 0), 0);
		mlxo_channel_flush(a.ch);
		assert_int_equal(receive(&b), -EIO);
		assert_int_equal(mlxo_channel_recover(b.ch), 0);
		mlxo_channel_stats(b.ch, &s);
		assert_int_equal(s.rx_errors, round);
		for (int i = 0; i < 20; i++) {
			assert_int_equal(send_bytes(&a, frame, 200, 0), 0);
			mlxo_channel_flush(a.ch);
			assert_int_equal(receive(&b), 1);
			assert_int_equal(mlxo_channel_poll(a.ch, 1, take, NULL), 0);
		}
		assert_memory_equal(last, frame, 200);
	}
	end_close(&a);
	end_close(&b);
}

static int tx_post(struct queue_tx *tx)
{
	uint8_t frame[100];
	struct iovec iov = {frame, sizeof(frame)};

	fill(frame, sizeof(frame), 1);
	return queue_tx_post(tx, &iov, 1, 0);
}

/* Break the n-th of some WQEs in the ring; what was behind it is flushed and counted, what was before it is sent. */
static void broken_wqe(void **state)
{
	struct queue_tx tx;
	struct mlxo_device *dev;

	(void)state;
	end_open(&b, 64, 256);
	assert_int_equal(test_device_open(NAME, &dev), 0);
	assert_int_equal(queue_tx_init(&tx, dev, 16, 256), 0);
	for (unsigned int n = 0; n < 10; n++) {
		uint8_t *wqe;

		for (int i = 0; i < 10; i++)
			assert_int_equal(tx_post(&tx), 0);
		wqe = queue_ring_entry(&tx.sq.ring, (uint16_t)((uint16_t)tx.sq.posted - 10 + n));
		PRM_SET(wqe_ctrl_seg, wqe, opcode, 0x3f);
		queue_tx_flush(&tx);
		queue_tx_poll(&tx);
		assert_true(tx.sq.failed);
		assert_int_equal(receive(&b), n);
		assert_int_equal(tx_post(&tx), -EIO);
		assert_int_equal(queue_tx_recover(&tx), 0);
		assert_int_equal(tx.sq.errors, n + 1);
		assert_int_equal(tx_post(&tx), 0);
		queue_tx_flush(&tx);
		assert_int_equal(receive(&b), 1);
		queue_tx_poll(&tx);
		assert_false(tx.sq.failed);
	}
	assert_int_equal(tx.stats.flushed, 45); /* 9 + 8 + ... + 0 */
	assert_int_equal(queue_tx_fini(&tx), 0);
	mlxo_device_close(dev);
	end_close(&b);
}

/* -- faults --------------------------------------------------------------------------------------------------- */

static uint64_t census(struct mlxo_device *dev)
{
	struct mlxo_stat *s;
	uint64_t sum = 0;
	size_t n;

	assert_int_equal(mlxo_model_census(dev, &s, &n), 0);
	for (size_t i = 0; i < n; i++)
		sum += s[i].value;
	free(s);
	return sum;
}

static size_t in_quarantine(struct mlxo_device *dev)
{
	struct mlxo_quarantined *list;
	size_t n;

	assert_int_equal(mlxo_device_quarantined(dev, &list, &n), 0);
	free(list);
	return n;
}

/* Let the n-th command of create fail, for every n until it works. Returns how many that were. */
static uint64_t fail_commands(enum mlxo_fault kind)
{
	for (uint64_t n = 1;; n++) {
		struct mlxo_device *dev;
		struct mlxo_channel *ch;
		uint64_t before;
		int err;

		assert_int_equal(test_device_open("model", &dev), 0);
		before = census(dev);
		assert_int_equal(mlxo_model_fault_set(dev, kind, n, 0, 8, 0x19c6d6), 0);
		err = mlxo_channel_create(dev, NULL, &ch);
		assert_int_equal(mlxo_model_fault_clear(dev), 0);
		if (!err) {
			mlxo_channel_destroy(ch);
			assert_int_equal(census(dev), before);
			mlxo_device_close(dev);
			return n - 1;
		}
		/* -EREMOTEIO: memory is registered by the provider, which keeps the status to itself */
		assert_true(kind == MLXO_FAULT_STATUS ? err == -ENOMEM || err == -EREMOTEIO
						      : err == -ETIMEDOUT);
		assert_int_equal(mlxo_error_last()->err, -err);
		if (kind == MLXO_FAULT_STATUS) {
			assert_int_equal(census(dev), before);
			assert_int_equal(in_quarantine(dev), 0);
		} else {
			/* at most one object and what it stands on: a TIR, its RQ, CQ and two rings */
			assert_true(in_quarantine(dev) <= 5);
		}
		/* the next attempt works */
		assert_int_equal(mlxo_channel_create(dev, NULL, &ch), 0);
		mlxo_channel_destroy(ch);
		mlxo_device_close(dev);
	}
}

static void every_command_may_fail(void **state)
{
	uint64_t n = fail_commands(MLXO_FAULT_STATUS);

	(void)state;
	assert_true(n >= 8);
	assert_int_equal(fail_commands(MLXO_FAULT_TIMEOUT), n);
	assert_int_equal(fail_commands(MLXO_FAULT_LOST), n);
}

static void every_allocation_may_fail(void **state)
{
	struct mlxo_device *dev;
	struct mlxo_channel *ch;
	uint64_t before;

	(void)state;
	assert_int_equal(test_device_open("model", &dev), 0);
	before = census(dev);
	for (uint64_t n = 1;; n++) {
		int err;

		mlxo_alloc_fail_at(n);
		err = mlxo_channel_create(dev, NULL, &ch);
		mlxo_alloc_fail_at(0);
		if (!err)
			break;
		assert_int_equal(err, -ENOMEM);
		assert_int_equal(census(dev), before);
	}
	mlxo_channel_destroy(ch);
	assert_int_equal(census(dev), before);
	mlxo_device_close(dev);
}

/* A size that was never set must not be followed. */
static void refuses_wild_size(void **state)
{
	struct mlxo_channel_opts opts = {.size = SIZE_MAX};
	struct mlxo_channel *channel;
	struct mlxo_device *dev;

	(void)state;
	assert_int_equal(test_device_open("model", &dev), 0);
	assert_int_equal(mlxo_channel_create(dev, &opts, &channel), -EINVAL);
	assert_null(channel);
	mlxo_device_close(dev);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(refuses_wild_size),
		cmocka_unit_test_setup_teardown(every_length, open_pair, close_pair),
		cmocka_unit_test_setup_teardown(laps, open_pair, close_pair),
		cmocka_unit_test_setup_teardown(a_frame_wakes_a_sleeper, open_pair, close_pair),
		cmocka_unit_test_setup_teardown(armed_in_vain, open_pair, close_pair),
		cmocka_unit_test_setup_teardown(a_full_queue_says_so, open_pair, close_pair),
		cmocka_unit_test_setup_teardown(gathers_pieces, open_pair, close_pair),
		cmocka_unit_test_setup_teardown(checksums, open_pair, close_pair),
		cmocka_unit_test(too_long_for_the_receiver),
		cmocka_unit_test(broken_wqe),
		cmocka_unit_test(every_command_may_fail),
		cmocka_unit_test(every_allocation_may_fail),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
