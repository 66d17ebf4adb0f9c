// SPDX-License-Identifier: BSD-2-Clause
/* Several threads on one device, and a channel per thread over a wire. Meant to be run under TSan, too. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include <mlx5_offload/channel.h>
#include <mlx5_offload/error.h>
#include <mlx5_offload/model.h>

#include "objects/counter.h"
#include "objects/dek.h"
#include "queues/channel.h"
#include "steering/rule.h"
#include "tests/lib/test_device.h"

enum { THREADS = 4, ROUNDS = 200, FRAMES = 3000, FRAME = 300 };

static struct mlxo_device *shared;
static atomic_int lost; /* objects that went to quarantine, as the threads saw it */

/* Each thread's errors are its own; whatever happens to one object, the next works. */
static void *objects(void *arg)
{
	static const uint8_t key[16] = "0123456789abcdef";
	struct obj_dek_attr attr = {.purpose = PRM_GENERAL_OBJECT_TYPE_ENCRYPTION_KEY_PURPOSE_IPSEC,
				    .key = key,
				    .len = sizeof(key)};
	intptr_t me = (intptr_t)arg;

	for (int i = 0; i < ROUNDS; i++) {
		struct obj_counter c;
		struct obj_dek dek;

		if (i % 50 == 10)
			mlxo_model_fault_set(shared, MLXO_FAULT_TIMEOUT, 1, 0, 0, 0);
		attr.len = i % 7 == me ? 15 : 16;
		if (obj_dek_create(shared, &attr, &dek) == -EINVAL &&
		    strcmp(mlxo_error_last()->text,
			   "key of 120 bits: the device takes 128 or 256") != 0)
			return arg;
		obj_counter_create(shared, &c);
		obj_counter_query(shared, &c, NULL, NULL);
		obj_counter_destroy(shared, &c);
		obj_dek_destroy(shared, &dek);
		if (obj_is_live(&c.obj) || obj_is_live(&dek.obj))
			return arg;
		lost += (c.obj.state == OBJ_LOST) + (dek.obj.state == OBJ_LOST);
	}
	return NULL;
}

static void many_threads_on_one_device(void **state)
{
	pthread_t th[THREADS];
	struct mlxo_quarantined *list;
	struct mlxo_stat *stats;
	size_t n;
	void *bad;

	(void)state;
	assert_int_equal(test_device_open("model", &shared), 0);
	for (intptr_t i = 0; i < THREADS; i++)
		assert_int_equal(pthread_create(&th[i], NULL, objects, (void *)(i + 1)), 0);
	for (int i = 0; i < THREADS; i++) {
		pthread_join(th[i], &bad);
		assert_null(bad);
	}
	assert_int_equal(mlxo_device_quarantined(shared, &list, &n), 0);
	assert_int_equal(n, lost);
	free(list);
	assert_int_equal(mlxo_device_stats(shared, &stats, &n), 0);
	free(stats);
	mlxo_device_close(shared);
}

/* -- channels ------------------------------------------------------------------------------------------------- */

struct end {
	struct mlxo_device *dev;
	struct mlxo_channel *ch;
	struct steer_table table;
	struct steer_group group;
	struct steer_rule rule;
	struct steer_attachment at;
	atomic_int got;
	struct end *peer;
	bool bad;
};

static void end_open(struct end *e)
{
	struct mlxo_channel_opts opts = {
		.size = sizeof(opts), .sq_entries = 64, .rq_entries = 256, .max_frame = FRAME};
	struct steer_table_attr attr = {.dir = PROV_RX, .level = 1};
	struct steer_actions act = {0};
	struct steer_match any;

	steer_match_init(&any);
	assert_int_equal(test_device_open("model:port=pair:threads", &e->dev), 0);
	assert_int_equal(mlxo_channel_create(e->dev, &opts, &e->ch), 0);
	act.tir = queue_channel_tir(e->ch);
	assert_int_equal(steer_table_create(e->dev, &attr, &e->table), 0);
	assert_int_equal(steer_group_create(&e->table, 0, 0, &any, &e->group), 0);
	assert_int_equal(steer_rule_add(&e->group, 0, &any, &act, &e->rule), 0);
	assert_int_equal(steer_table_attach(&e->table, 0, NULL, &e->at), 0);
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

static void take(void *ctx, const struct mlxo_rx_frame *frame)
{
	struct end *e = ctx;

	e->bad |= frame->len < 60 || frame->data[20] != frame->data[frame->len - 1];
	atomic_fetch_add(&e->got, 1);
}

/* Send FRAMES, never more than 100 ahead of what the other end has taken, and take as many. */
static void *talk(void *arg)
{
	struct end *e = arg;
	int sent = 0;

	while (sent < FRAMES || atomic_load(&e->got) < FRAMES) {
		uint8_t frame[FRAME];
		struct iovec iov = {frame, 60 + (size_t)sent % (FRAME - 60)};

		memset(frame, sent, sizeof(frame));
		frame[12] = 0x88;
		frame[13] = 0xb5;
		if (sent < FRAMES && sent - atomic_load(&e->peer->got) < 100 &&
		    mlxo_channel_send(e->ch, &iov, 1, 0) == 0)
			sent++;
		if (sent % 8 == 0 || sent == FRAMES || errno == EAGAIN)
			mlxo_channel_flush(e->ch);
		mlxo_device_progress(e->dev);
		if (mlxo_channel_poll(e->ch, 64, take, e) < 0)
			return arg;
	}
	mlxo_channel_flush(e->ch);
	return e->bad ? arg : NULL;
}

static void a_channel_per_thread(void **state)
{
	static struct end a, b;
	pthread_t th;
	void *bad;

	(void)state;
	end_open(&a);
	end_open(&b);
	a.peer = &b;
	b.peer = &a;
	assert_int_equal(pthread_create(&th, NULL, talk, &a), 0);
	assert_null(talk(&b));
	pthread_join(th, &bad);
	assert_null(bad);
	assert_int_equal(a.got, FRAMES);
	assert_int_equal(b.got, FRAMES);
	end_close(&a);
	end_close(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(many_threads_on_one_device),
		cmocka_unit_test(a_channel_per_thread),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
