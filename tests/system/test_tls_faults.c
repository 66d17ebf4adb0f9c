// SPDX-License-Identifier: BSD-2-Clause
/*
 * Faults, enumerated: the whole life of an engine with connections of all kinds, with the n-th command refused, unanswered, done
 * without an answer or answered with nonsense, and with the n-th allocation failed, for every n until nothing is hit any more.
 *
 * What failed works when it is tried again; all that was sent is read by its peer; and in the end the census is as before, but
 * for what is listed as quarantined. Time is virtual, so pauses pass at once.
 */
#include "tests/lib/tls_crowd.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "objects/alloc.h"
#include "prm/prm.h"
#include "tests/lib/test_device.h"

enum { MEMBERS = 16, ROOM = 1 << 17, LOG_BULK = 2, TRIES = 40, RECORD = 3000, CHURN = 12 };

struct life {
	struct mlxo_device *dev;
	struct mlxo_tls_engine *engine;
	struct mlxo_tls_queue *queue;
	struct crowd crowd;
	unsigned int failures; /* calls that failed */
	unsigned int events[8];
};

static struct life l;

/* Everything that happens in the next ms. */
static void pass(unsigned int ms)
{
	uint64_t now = mlxo_device_now(l.dev), until = now + ms * UINT64_C(1000000);

	do
		assert_int_equal(mlxo_model_advance(l.dev, until, &now), 0);
	while (now < until);
}

/* Until it works; what it did before it failed is undone by itself. */
#define AGAIN(call) \
	do { \
		int err_ = -1; \
		for (int try_ = 0; err_ && try_ < TRIES; try_++) { \
			err_ = (call); \
			if (err_) { \
				l.failures++; \
				assert_true(strlen(mlxo_error_last()->text) > 10); \
				pass(500); \
				if (l.queue && mlxo_tls_queue_poll(l.queue) == -EIO) \
					mlxo_tls_queue_recover(l.queue); \
			} \
		} \
		if (err_) \
			fail_msg("%s: %d, %s", #call, err_, mlxo_error_last()->text); \
	} while (0)

static void event(void *ctx, struct mlxo_tls *tls, enum mlxo_tls_event e)
{
	(void)ctx;
	(void)tls;
	l.events[e]++;
}

/* -- a life ------------------------------------------------------------------------------------------------------ */

static int open_engine(enum mlxo_tls_recycle recycle)
{
	struct mlxo_tls_engine_opts o = {.size = sizeof(o),
					 .caller_runs = true,
					 .recycle = recycle,
					 .tis_low = 1,
					 .tis_high = 3,
					 .tis_max = 8,
					 .tis_batch = 2,
					 .key_low = 1,
					 .key_max = 12,
					 .key_log_bulk = LOG_BULK,
					 .retransmit_percent = 100,
					 .idle_ms = 5};

	return mlxo_tls_engine_open(l.dev, &o, &l.engine);
}

static int open_queue(void)
{
	struct mlxo_tls_queue_opts o = {
		.size = sizeof(o), .sq_blocks = 512, .buffer_bytes = 1 << 19, .event = event};

	return mlxo_tls_queue_create(l.engine, &o, &l.queue);
}

static struct member *member(uint32_t i, enum mlxo_tls_admission admission, unsigned int flags)
{
	struct member *m =
		crowd_member(&l.crowd, i, l.queue, i % 3 ? 13 : 12, i % 2 ? 256 : 128, ROOM);

	m->params.admission = admission;
	m->params.flags = flags;
	AGAIN(member_open(m));
	return m;
}

/* The peer has all of it. */
static void deliver(struct member *m)
{
	for (int i = 0; i < TRIES && tls_peer_next(&m->peer) != member_info(m).nxt; i++) {
		AGAIN(i ? member_send_again(m) : member_send(m));
		pass(1);
	}
	assert_true(member_intact(m));
}

static void write_some(struct member *m)
{
	for (uint32_t i = 0; i < 3; i++)
		AGAIN(member_write(m, RECORD + i * 7));
}

/* To hardware, if it can be had. */
static void to_hardware(struct member *m)
{
	for (int i = 0; i < TRIES && member_info(m).state != MLXO_TLS_HARDWARE; i++) {
		AGAIN(mlxo_tls_move(m->tls, true));
		AGAIN(mlxo_tls_wait(m->tls, 1000));
		pass(i ? 100 : 0);
	}
	assert_int_equal(member_info(m).state, MLXO_TLS_HARDWARE);
}

static void talk(struct member *m)
{
	write_some(m);
	deliver(m);
	AGAIN(member_send_again(m));
	assert_true(member_intact(m));
	AGAIN(member_ack(m));
}

/* Software, hardware, another key, software. */
static void move_about(struct member *m)
{
	talk(m);
	to_hardware(m);
	talk(m);
	if (m->peer.v13) {
		deliver(m);
		AGAIN(member_rekey(m));
		talk(m);
	}
	to_hardware(m);
	write_some(m);
	AGAIN(mlxo_tls_move(m->tls, false));
	talk(m);
	assert_true(member_intact(m));
}

/* Keys are used up, so that they are cleaned; contexts go round. */
static void churn(void)
{
	for (int i = 0; i < CHURN; i++) {
		struct member *m = member(MEMBERS - 1, MLXO_TLS_ADMIT_ALWAYS, 0);

		if (i % 4 == 0)
			talk(m);
		member_close(m);
		pass(0);
		mlxo_tls_queue_poll(l.queue);
	}
}

static void live(enum mlxo_tls_recycle recycle)
{
	struct member *m[5];

	AGAIN(open_engine(recycle));
	AGAIN(open_queue());
	AGAIN(mlxo_tls_memory_register(l.engine, l.crowd.payload, CROWD_PAYLOAD));
	for (uint32_t i = 0; i < 3; i++)
		m[i] = member(i, MLXO_TLS_ADMIT_ADAPTIVE, 0);
	m[3] = member(3, MLXO_TLS_ADMIT_ALWAYS, 0);
	m[4] = member(4, MLXO_TLS_ADMIT_ALWAYS, MLXO_TLS_NOWAIT);
	for (uint32_t i = 0; i < 5; i++)
		move_about(m[i]);
	churn();
	for (uint32_t i = 0; i < 3; i++) {
		to_hardware(m[i]);
		write_some(m[i]);
		member_send(m[i]);
		member_close(m[i]); /* with data in flight */
	}
	for (int i = 0; i < 6; i++)
		pass(5); /* idle: it shrinks */
	AGAIN(mlxo_tls_memory_unregister(l.engine, l.crowd.payload));
	talk(m[4]);			 /* copied */
	mlxo_tls_queue_destroy(l.queue); /* closes what is left */
	l.queue = NULL;
	m[3]->tls = m[4]->tls = NULL;
	member_close(m[3]);
	member_close(m[4]);
	mlxo_tls_engine_close(l.engine);
}

/* -- around it ------------------------------------------------------------------------------------------------------ */

static uint64_t number(const char *group, const char *name)
{
	struct mlxo_stat *s;
	uint64_t sum = 0;
	size_t n;

	assert_int_equal(strcmp(group, "census") ? mlxo_model_stats(l.dev, &s, &n)
						 : mlxo_model_census(l.dev, &s, &n),
			 0);
	for (size_t i = 0; i < n; i++)
		if (!name || strcmp(s[i].name, name) == 0)
			sum += s[i].value;
	free(s);
	return sum;
}

static size_t quarantined(void)
{
	struct mlxo_quarantined *list;
	size_t n;

	assert_int_equal(mlxo_device_quarantined(l.dev, &list, &n), 0);
	free(list);
	return n;
}

static void begin(void)
{
	memset(&l, 0, sizeof(l));
	assert_int_equal(test_device_open("model:time=virtual", &l.dev), 0);
	crowd_init(&l.crowd, l.dev, MEMBERS);
}

static void end(uint64_t census, bool unknown)
{
	size_t lost = quarantined();

	assert_in_range(lost, 0, unknown ? 6 : 0);
	assert_in_range(number("census", NULL), census,
			census + (lost << LOG_BULK)); /* slots count */
	crowd_fini(&l.crowd);
	mlxo_device_close(l.dev);
}

static void every_command(enum mlxo_fault kind, enum mlxo_tls_recycle recycle)
{
	unsigned int n = 0, failures = 0;
	bool hit;

	do {
		uint64_t census, first;

		n++;
		begin();
		census = number("census", NULL);
		first = number("commands", "commands");
		assert_int_equal(mlxo_model_fault_set(l.dev, kind, n, 0, 0x8, 0x1234), 0);
		live(recycle);
		hit = number("commands", "commands") - first >= n;
		if (!hit && recycle == MLXO_TLS_RECYCLE_ALL) { /* it is all in there */
			assert_in_range(number("commands", "SYNC_CRYPTO"), 3, 100);
			assert_in_range(number("commands", "DESTROY_TIS"), 4, 100);
			assert_in_range(number("commands", "CREATE_TIS"), 6, 100);
		}
		failures += l.failures;
		end(census, kind != MLXO_FAULT_STATUS && hit);
	} while (hit);
	print_message("[   INFO   ] fault kind %d, recycle %d: %u runs, %u calls failed\n", kind,
		      recycle, n, failures);
	assert_in_range(n, 60, 1000);
}

static void every_command_refused(void **state)
{
	(void)state;
	for (int r = MLXO_TLS_RECYCLE_ALL; r <= MLXO_TLS_RECYCLE_NONE; r++)
		every_command(MLXO_FAULT_STATUS, r);
}

static void every_command_unanswered(void **state)
{
	(void)state;
	every_command(MLXO_FAULT_TIMEOUT, MLXO_TLS_RECYCLE_ALL);
	every_command(MLXO_FAULT_TIMEOUT, MLXO_TLS_RECYCLE_NONE);
}

static void every_answer_lost(void **state)
{
	(void)state;
	every_command(MLXO_FAULT_LOST, MLXO_TLS_RECYCLE_ALL);
	every_command(MLXO_FAULT_LOST, MLXO_TLS_RECYCLE_NONE);
}

static void every_answer_corrupt(void **state)
{
	(void)state;
	every_command(MLXO_FAULT_CORRUPT, MLXO_TLS_RECYCLE_ALL);
	every_command(MLXO_FAULT_CORRUPT, MLXO_TLS_RECYCLE_TIS);
}

static void every_allocation(enum mlxo_tls_recycle recycle)
{
	unsigned int n = 0, failures = 0;
	bool hit;

	do {
		uint64_t census;

		n++;
		begin();
		census = number("census", NULL);
		mlxo_alloc_fail_at(n);
		live(recycle);
		hit = mlxo_alloc_count() >= n;
		mlxo_alloc_fail_at(0);
		failures += l.failures;
		end(census, false);
	} while (hit);
	print_message("[   INFO   ] allocations, recycle %d: %u runs, %u calls failed\n", recycle,
		      n, failures);
	assert_in_range(n, 60, 5000);
}

static void every_allocation_failed(void **state)
{
	(void)state;
	every_allocation(MLXO_TLS_RECYCLE_ALL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_command_refused),
		cmocka_unit_test(every_command_unanswered),
		cmocka_unit_test(every_answer_lost),
		cmocka_unit_test(every_answer_corrupt),
		cmocka_unit_test(every_allocation_failed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
