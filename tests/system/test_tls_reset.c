// SPDX-License-Identifier: BSD-2-Clause
/*
 * The device dies or is reset under connections in every state; the engine is recovered, once, twice, with failures in the
 * middle, and when nothing was wrong. Nobody loses a byte: what was not acknowledged is sent again.
 */
#include "tests/lib/test_device.h"
#include "tests/lib/tls_crowd.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "prm/prm.h"

enum {
	MANY = 10000,
	FEW = 32,
	ROOM = 2048,
	QUEUES = 4,
	RECORD = 150,
	STATES = 8,
	TURNS = 400,
	LOG_BULK = 3
};

static struct {
	struct mlxo_device *dev;
	struct mlxo_tls_engine *engine;
	struct mlxo_tls_queue *queue[QUEUES];
	struct crowd crowd;
	uint64_t census;
	bool virtual;
} t;

static uint64_t census(void)
{
	struct mlxo_stat *s;
	uint64_t sum = 0;
	size_t n;

	assert_int_equal(mlxo_model_census(t.dev, &s, &n), 0);
	for (size_t i = 0; i < n; i++)
		sum += s[i].value;
	free(s);
	return sum;
}

static size_t quarantined(void)
{
	struct mlxo_quarantined *list;
	size_t n;

	assert_int_equal(mlxo_device_quarantined(t.dev, &list, &n), 0);
	free(list);
	return n;
}

static uint64_t commands(void)
{
	struct mlxo_stat *s;
	uint64_t value = 0;
	size_t n;

	assert_int_equal(mlxo_model_stats(t.dev, &s, &n), 0);
	for (size_t i = 0; i < n; i++)
		if (strcmp(s[i].name, "commands") == 0)
			value = s[i].value;
	free(s);
	return value;
}

/* Virtual time passes; in real time what is due is done. Polls all queues; the first error. */
static int turn(unsigned int us)
{
	uint64_t now = mlxo_device_now(t.dev), until = now + us * UINT64_C(1000);
	int err = 0;

	while (t.virtual && now < until)
		assert_int_equal(mlxo_model_advance(t.dev, until, &now), 0);
	while (!t.virtual && mlxo_device_progress(t.dev) > 0)
		;
	for (int i = 0; i < QUEUES; i++) {
		int e = mlxo_tls_queue_poll(t.queue[i]);

		err = err ? err : e;
	}
	return err;
}

static void begin(uint32_t n, const char *name)
{
	struct mlxo_tls_engine_opts o = {
		.size = sizeof(o), .caller_runs = true, .retransmit_percent = 100};
	struct mlxo_tls_queue_opts q = {
		.size = sizeof(q), .sq_blocks = 1024, .buffer_bytes = 4 << 20};

	memset(&t, 0, sizeof(t));
	t.virtual = strstr(name, "virtual");
	assert_int_equal(test_device_open(name, &t.dev), 0);
	t.census = census();
	if (n == FEW) {
		o.tis_low = 4;
		o.tis_high = 8;
		o.key_low = 4;
		o.key_log_bulk = LOG_BULK;
		q.buffer_bytes = 1 << 18;
	}
	assert_int_equal(mlxo_tls_engine_open(t.dev, &o, &t.engine), 0);
	for (int i = 0; i < QUEUES; i++)
		assert_int_equal(mlxo_tls_queue_create(t.engine, &q, &t.queue[i]), 0);
	crowd_init(&t.crowd, t.dev, n);
	assert_int_equal(mlxo_tls_memory_register(t.engine, t.crowd.payload, CROWD_PAYLOAD), 0);
}

static void end(bool unknown)
{
	/* libmlx5 goes on without a doorbell page of its own when it is refused one */
	uint64_t least = t.census - (t.census && test_device_is_mlx5());
	size_t lost;

	for (int i = 0; i < QUEUES; i++)
		mlxo_tls_queue_destroy(t.queue[i]);
	mlxo_tls_engine_close(t.engine);
	lost = quarantined();
	assert_in_range(lost, 0, unknown ? 8 : 0);
	assert_in_range(census(), least, t.census + (lost << LOG_BULK) + (unknown ? 2 : 0));
	crowd_fini(&t.crowd);
	mlxo_device_close(t.dev);
}

/* -- states ----------------------------------------------------------------------------------------------------- */

/* What member i is at when the device goes. */
enum { SW_ACKED, SW_SENT, HW_ACKED, HW_SENT, HW_WRITTEN, MOVED_BACK, IS_LOADING, IS_PENDING };

static void say(struct member *m)
{
	assert_int_equal(member_write(m, RECORD + m->index % 7), 0);
}

static void open_all(void)
{
	for (uint32_t i = 0; i < t.crowd.n; i++) {
		struct member *m = crowd_member(&t.crowd, i, t.queue[i / STATES % QUEUES],
						i % 3 ? 13 : 12, i % 2 ? 256 : 128, ROOM);

		if (i % STATES == IS_PENDING)
			continue;
		assert_int_equal(member_open(m), 0);
		say(m);
		assert_int_equal(member_send(m), 0);
		turn(100);
		assert_int_equal(member_ack(m), 0);
	}
}

static bool in_hardware(uint32_t i)
{
	return i % STATES >= HW_ACKED && i % STATES <= MOVED_BACK;
}

/* Those that `which` says; all of them get there. */
static void to_hardware(bool (*which)(uint32_t i))
{
	uint32_t missing = 1;

	for (int turns = 0; missing && turns < TURNS; turns++) {
		missing = 0;
		for (uint32_t i = 0; i < t.crowd.n; i++) {
			struct member *m = &t.crowd.member[i];

			if (!which(i) || member_info(m).state == MLXO_TLS_HARDWARE)
				continue;
			mlxo_tls_move(m->tls, true);
			missing++;
		}
		for (int k = 0; k < 10; k++)
			turn(1000);
		if (missing && !t.virtual)
			usleep(1000); /* what was refused is tried again after a while */
	}
	assert_int_equal(missing, 0);
}

static void set_state(struct member *m)
{
	int state = (int)(m->index % STATES);

	if (state == IS_LOADING) {
		mlxo_tls_move(m->tls, true);
		return;
	}
	if (state == IS_PENDING) {
		m->params.admission = MLXO_TLS_ADMIT_ALWAYS;
		m->params.flags = MLXO_TLS_NOWAIT;
		assert_int_equal(member_open(m), 0);
		return;
	}
	say(m);
	if (state != HW_WRITTEN)
		assert_int_equal(member_send(m), 0);
	turn(100);
	if (state == SW_ACKED || state == HW_ACKED)
		assert_int_equal(member_ack(m), 0);
	if (state == MOVED_BACK) {
		assert_int_equal(mlxo_tls_move(m->tls, false), 0);
		say(m);
	}
}

static void mix(void)
{
	open_all();
	to_hardware(in_hardware);
	for (uint32_t i = 0; i < t.crowd.n; i++)
		if (i % STATES < IS_LOADING)
			set_state(&t.crowd.member[i]);
	for (uint32_t i = 0; i < t.crowd.n; i++)
		if (i % STATES >= IS_LOADING)
			set_state(&t.crowd.member[i]);
	for (uint32_t i = 0; i < t.crowd.n; i++) {
		static const enum mlxo_tls_state is[STATES] = {
			MLXO_TLS_SOFTWARE, MLXO_TLS_SOFTWARE, MLXO_TLS_HARDWARE, MLXO_TLS_HARDWARE,
			MLXO_TLS_HARDWARE, MLXO_TLS_SOFTWARE, MLXO_TLS_LOADING,	 MLXO_TLS_PENDING};
		enum mlxo_tls_state state = member_info(&t.crowd.member[i]).state;

		if (i % STATES < IS_LOADING || t.crowd.n == FEW) /* else no slot is at hand */
			assert_int_equal(state, is[i % STATES]);
	}
}

/* -- afterwards --------------------------------------------------------------------------------------------------- */

static void deliver(struct member *m)
{
	for (int i = 0; i < 20 && tls_peer_next(&m->peer) != member_info(m).nxt; i++) {
		assert_int_equal(member_send_again(m), 0);
		turn(1000);
	}
	assert_true(member_intact(m));
	assert_int_equal(member_ack(m), 0);
}

static bool everybody(uint32_t i)
{
	(void)i;
	return true;
}

/* In software, with all of the stream; then in hardware again. */
static void go_on(void)
{
	for (uint32_t i = 0; i < t.crowd.n; i++) {
		struct member *m = &t.crowd.member[i];

		assert_int_equal(member_info(m).state, MLXO_TLS_SOFTWARE);
		say(m);
		deliver(m);
	}
	to_hardware(everybody);
	for (uint32_t i = 0; i < t.crowd.n; i++) {
		struct member *m = &t.crowd.member[i];
		uint64_t records = member_info(m).hw_records;

		say(m);
		assert_int_equal(member_info(m).hw_records, records + 1);
		deliver(m);
		member_close(m);
	}
}

static void notice(void)
{
	struct member *m = &t.crowd.member[0];
	struct mlxo_tls_segment s = {.hdr = m->hdr, .hdr_len = CROWD_HDR, .seq = m->next};

	mlxo_tls_send(m->tls, &s); /* a silent queue is asked for its state after a while */
	mlxo_tls_queue_flush(m->queue);
	while (turn(20000) != -EIO)
		;
	assert_int_equal(mlxo_tls_send(m->tls, &s), -EIO);
	assert_int_equal(mlxo_tls_move(m->tls, true), -EIO);
}

static void fatal(void)
{
	assert_int_equal(mlxo_model_fault_set(t.dev, MLXO_FAULT_FATAL, 1, 0, 0, 0), 0);
	mlxo_tls_move(t.crowd.member[0].tls, true);
	notice();
	assert_int_equal(mlxo_tls_engine_recover(t.engine), -EIO);
	assert_int_equal(mlxo_tls_queue_recover(t.queue[0]), -EIO);
	assert_int_equal(mlxo_tls_engine_recover(t.engine), -EIO);
	assert_int_equal(mlxo_model_reset(t.dev), 0);
}

static void reset(void)
{
	assert_int_equal(mlxo_model_reset(t.dev), 0);
	notice();
}

static void nothing(void)
{
}

/* -- tests ---------------------------------------------------------------------------------------------------------- */

/* Virtual where there is one. */
static const char *any_time(void)
{
	return test_device_is_mlx5() ? "model" : "model:time=virtual";
}

static void with(uint32_t n, const char *name, void (*accident)(void), int times)
{
	begin(n, name);
	mix();
	accident();
	for (int i = 0; i < times; i++)
		assert_int_equal(mlxo_tls_engine_recover(t.engine), 0);
	go_on();
	end(false);
}

static void ten_thousand_survive_a_dead_device(void **state)
{
	(void)state;
	with(MANY, "model", fatal, 1);
}

static void a_reset_alone(void **state)
{
	(void)state;
	with(FEW, "model", reset, 1);
	with(FEW, any_time(), reset, 1);
	with(FEW, any_time(), fatal, 1);
}

static void recovered_twice(void **state)
{
	(void)state;
	with(FEW, any_time(), reset, 2);
	with(FEW, any_time(), fatal, 3);
}

/* What lives on the device is destroyed and made anew: nothing leaks, nobody notices. */
static void recovered_without_need(void **state)
{
	(void)state;
	with(FEW, any_time(), nothing, 1);
	with(FEW, "model", nothing, 3);
}

/* Closed right after it, recovered or not. */
static void closed_instead(void **state)
{
	static void (*const accident[])(void) = {fatal, reset, nothing};

	(void)state;
	for (size_t i = 0; i < 3; i++)
		for (int recover = 0; recover < 2; recover++) {
			begin(FEW, any_time());
			mix();
			accident[i]();
			if (recover)
				assert_int_equal(mlxo_tls_engine_recover(t.engine), 0);
			for (int q = 0; q < QUEUES; q++) {
				mlxo_tls_queue_destroy(t.queue[q]);
				t.queue[q] = NULL;
			}
			for (uint32_t k = 0; k < t.crowd.n; k++) {
				t.crowd.member[k].tls = NULL;
				member_close(&t.crowd.member[k]);
			}
			mlxo_tls_engine_close(t.engine);
			t.engine = NULL;
			if (i != 2 && !recover)
				t.census = census(); /* the device's own PD went with it, too */
			end(false);
		}
}

/* The n-th command of recover() fails, whatever it is for: again, and it works. */
static void fail_in_the_middle(enum mlxo_fault kind, void (*accident)(void))
{
	unsigned int n = 0, failed = 0;
	bool hit;

	do {
		uint64_t first;
		int err, tries = 0;

		n++;
		begin(FEW, any_time());
		mix();
		accident();
		first = commands();
		assert_int_equal(mlxo_model_fault_set(t.dev, kind, n, 0, 0x8, 0x1234), 0);
		do {
			err = mlxo_tls_engine_recover(t.engine);
			hit = commands() - first >= n;
			if (err) {
				failed++;
				assert_int_equal(turn(0), -EIO);
			}
		} while (err && tries++ < 3);
		assert_int_equal(err, 0);
		mlxo_model_fault_clear(t.dev);
		go_on();
		end(kind != MLXO_FAULT_STATUS);
	} while (hit);
	print_message("[   INFO   ] fault kind %d in recover(): %u runs, %u failed\n", kind, n,
		      failed);
	assert_in_range(failed, 10, 1000);
}

static void every_command_of_recover_refused(void **state)
{
	(void)state;
	fail_in_the_middle(MLXO_FAULT_STATUS, reset);
	fail_in_the_middle(MLXO_FAULT_STATUS, nothing);
}

static void every_command_of_recover_unanswered(void **state)
{
	(void)state;
	fail_in_the_middle(MLXO_FAULT_TIMEOUT, reset);
	fail_in_the_middle(MLXO_FAULT_LOST, reset);
	fail_in_the_middle(MLXO_FAULT_CORRUPT, reset);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_reset_alone),
		cmocka_unit_test(recovered_twice),
		cmocka_unit_test(recovered_without_need),
		cmocka_unit_test(closed_instead),
		cmocka_unit_test(every_command_of_recover_refused),
		cmocka_unit_test(every_command_of_recover_unanswered),
		cmocka_unit_test(ten_thousand_survive_a_dead_device),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
