// SPDX-License-Identifier: BSD-2-Clause
/* Known pitfalls of TLS transmit offload, 3: contexts, keys and their pools, as connections see them. */
#include "tests/lib/tls_rig.h"
#include "tests/lib/tls_walk.h"
#include "prm/prm.h"
#include "tests/lib/test_device.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { APP = 23 };

static struct tls_rig rig;

static void open_with(const char *options, struct mlxo_tls_engine_opts o)
{
	struct mlxo_tls_queue_opts q = {.sq_blocks = 1024};

	tls_rig_open(&rig, options, &o, &q);
}

static void assert_no_harm(void)
{
	assert_int_equal(tls_rig_model(&rig, "unarmed"), 0);
	assert_int_equal(tls_rig_model(&rig, "lost"), 0);
	assert_int_equal(tls_rig_model(&rig, "overtaken"), 0);
}

static void close_rig(void)
{
	assert_no_harm();
	tls_rig_close(&rig);
}

/* Something was left unanswered on purpose: nothing is said about what stays on the device. */
static void close_doubtful_rig(void)
{
	assert_no_harm();
	mlxo_tls_queue_destroy(rig.queue);
	mlxo_tls_engine_close(rig.engine);
	mlxo_device_close(rig.dev);
	free(rig.payload);
	memset(&rig, 0, sizeof(rig));
}

/* Run everything that is under way, in virtual time too. */
static void run(uint64_t ns)
{
	uint64_t until = mlxo_device_now(rig.dev) + ns, now = 0;

	while (now < until) {
		assert_int_equal(mlxo_model_advance(rig.dev, until, &now), 0);
		mlxo_tls_queue_poll(rig.queue);
	}
}

static void open_any(struct tls_conn *c, int bits, uint8_t seed)
{
	tls_conn_init(c, &rig, 12, bits, seed);
	assert_int_equal(tls_conn_open(c), 0);
}

static enum mlxo_tls_reason reason_of(const struct tls_conn *c)
{
	struct mlxo_tls_info info;

	mlxo_tls_info(c->tls, &info);
	return info.reason;
}

static void talk(struct tls_conn *c)
{
	tls_conn_write(c, 1000);
	tls_conn_flush(c);
}

static void finish(struct tls_conn *c)
{
	tls_conn_check(c);
	tls_conn_ack(c);
	tls_conn_close(c);
}

static int post(struct tls_conn *c, uint32_t seq, uint32_t len)
{
	struct mlxo_tls_segment seg = {
		.hdr = c->hdr, .hdr_len = RIG_HDR, .mss = (uint16_t)c->mss, .seq = seq, .len = len};

	return mlxo_tls_send(c->tls, &seg);
}

/* -- contexts that could not be made ------------------------------------------------------------------------------ */

static const struct {
	enum mlxo_fault kind;
	uint8_t status;
	bool doubtful;
} faults[] = {
	{MLXO_FAULT_STATUS, PRM_CMD_STAT_LIM_ERR, false},
	{MLXO_FAULT_STATUS, PRM_CMD_STAT_NO_RES_ERR, false},
	{MLXO_FAULT_STATUS, PRM_CMD_STAT_BAD_PARAM_ERR, false},
	{MLXO_FAULT_TIMEOUT, 0, true},
	{MLXO_FAULT_LOST, 0, true},
	{MLXO_FAULT_CORRUPT, 0, true},
};

enum { NFAULTS = sizeof(faults) / sizeof(faults[0]) };

static void set_fault(int i, uint16_t opcode)
{
	assert_int_equal(
		mlxo_model_fault_set(rig.dev, faults[i].kind, 1, opcode, faults[i].status, 0), 0);
}

/* T7, T34: a create that fails gives nothing to anybody; the connection goes on in software, and later ones in hardware. */
static void test_T7_T34_no_context(void **state)
{
	(void)state;
	for (int i = 0; i < NFAULTS; i++) {
		struct tls_conn a, b;

		open_with("", (struct mlxo_tls_engine_opts){
				      .tis_low = 1, .tis_high = 1, .tis_batch = 1, .tis_max = 3});
		open_any(&a, 128, 1);
		set_fault(i, PRM_CMD_OP_CREATE_TIS);
		tls_conn_hardware(&a); /* takes the only one: the next is being made */
		talk(&a);
		tls_conn_check(&a);
		open_any(&b, 128, 2);
		assert_int_equal(mlxo_tls_move(b.tls, true), -EAGAIN);
		assert_int_equal(reason_of(&b), MLXO_TLS_REASON_POOL_EMPTY);
		tls_rig_settle(&rig); /* the create may still be under way */
		assert_int_equal(tls_rig_stat(&rig, "failed"), 1);
		talk(&b);
		assert_int_equal(tls_rig_model(&rig, "unarmed"), 0);
		/* one comes back: that one, not the one that was never made */
		tls_conn_close(&a);
		tls_conn_listen(&b);
		tls_conn_hardware(&b);
		assert_int_not_equal(b.tls->tis->tis.obj.id, 0);
		talk(&b);
		finish(&b);
		if (faults[i].doubtful)
			close_doubtful_rig();
		else
			close_rig();
	}
}

/* T7: the last guard. A context of number 0 means "no TLS": such a connection's records are encrypted here. */
static void test_T7_number_0(void **state)
{
	struct tls_conn c;
	struct tls_walk w;
	uint32_t number;
	uint64_t from;

	(void)state;
	open_with("", (struct mlxo_tls_engine_opts){.tis_low = 1});
	open_any(&c, 128, 1);
	tls_conn_hardware(&c);
	tls_conn_write(&c, 1000);
	number = c.tls->tis->tis.obj.id;
	c.tls->tis->tis.obj.id = 0;
	from = rig.queue->sq.posted;
	tls_conn_flush(&c);
	tls_walk(rig.queue, from, &w);
	assert_string_equal(w.text, "C");
	tls_conn_check(&c); /* what went was ciphertext */
	c.tls->tis->tis.obj.id = number;
	assert_int_equal(tls_rig_stat(&rig, "records_sealed_late"), 1);
	finish(&c);
	close_rig();
}

/* T34: limits of contexts and of keys: software, with the reason, and no command for asking again. */
static void test_T34_limits(void **state)
{
	(void)state;
	for (int keys = 0; keys < 2; keys++) {
		struct tls_conn c[6];
		uint64_t commands;

		open_with("", (struct mlxo_tls_engine_opts){.tis_low = 1,
							    .tis_batch = 1,
							    .tis_max = keys ? 16 : 4,
							    .key_max = keys ? 4 : 64,
							    .key_log_bulk = keys ? 2 : 6});
		for (int i = 0; i < 6; i++)
			open_any(&c[i], 128, (uint8_t)i);
		for (int i = 0; i < 4; i++) {
			tls_conn_hardware(&c[i]);
			tls_rig_settle(&rig);
		}
		commands = tls_rig_model(&rig, "commands");
		for (int n = 0; n < 100; n++) {
			assert_int_equal(mlxo_tls_move(c[4 + n % 2].tls, true), -EAGAIN);
			tls_rig_settle(&rig);
		}
		/* keys: contexts are taken and given back, one more is made at most */
		assert_in_range(tls_rig_model(&rig, "commands") - commands, 0, 2);
		assert_int_equal(reason_of(&c[5]),
				 keys ? MLXO_TLS_REASON_NO_KEY : MLXO_TLS_REASON_POOL_EMPTY);
		tls_conn_listen(&c[5]);
		talk(&c[5]);
		tls_conn_check(&c[5]);
		for (int i = 0; i < 6; i++)
			tls_conn_close(&c[i]);
		close_rig();
	}
}

/* T30: whichever command of a set-up is refused, all that was made is destroyed again. */
static void test_T30_failed_setup(void **state)
{
	unsigned int whole = 0;

	(void)state;
	for (unsigned int nth = 1; whole < 3; nth++) {
		struct mlxo_tls_engine_opts o = {
			.size = sizeof(o), .caller_runs = true, .tis_low = 2, .key_log_bulk = 3};
		struct mlxo_tls_queue_opts q = {.size = sizeof(q), .sq_blocks = 256};
		struct mlxo_tls_params p = {.size = sizeof(p),
					    .version = MLXO_TLS_1_2,
					    .cipher = MLXO_TLS_AES_GCM_128,
					    .admission = MLXO_TLS_ADMIT_ALWAYS};
		struct mlxo_tls *tls = NULL;
		uint64_t before, refused;

		memset(&rig, 0, sizeof(rig));
		p.key = mlxo_secret_new("0123456789abcdef0123456789ab", 28);
		assert_int_equal(test_device_open("model", &rig.dev), 0);
		before = tls_rig_census(&rig);
		mlxo_model_fault_set(rig.dev, MLXO_FAULT_STATUS, nth, 0, PRM_CMD_STAT_LIM_ERR, 0);
		if (!mlxo_tls_engine_open(rig.dev, &o, &rig.engine) &&
		    !mlxo_tls_queue_create(rig.engine, &q, &rig.queue))
			mlxo_tls_open(rig.queue, &p, &tls);
		mlxo_tls_close(tls);
		refused = tls_rig_model(&rig, "refused");
		mlxo_model_fault_clear(rig.dev);
		mlxo_tls_queue_destroy(rig.queue);
		mlxo_tls_engine_close(rig.engine);
		assert_int_equal(tls_rig_census(&rig), before);
		mlxo_device_close(rig.dev);
		mlxo_secret_destroy(p.key);
		whole += !refused;
		assert_true(nth < 100);
	}
}

/* T31: closed while the pools are being filled, by a thread of their own. */
static void test_T31_close_while_filling(void **state)
{
	struct mlxo_tls_engine_opts o = {.size = sizeof(o), .tis_low = 200, .tis_high = 400};

	(void)state;
	memset(&rig, 0, sizeof(rig));
	assert_int_equal(test_device_open("model", &rig.dev), 0);
	rig.census = tls_rig_census(&rig);
	for (int i = 0; i < 30; i++) {
		assert_int_equal(mlxo_tls_engine_open(rig.dev, &o, &rig.engine), 0);
		mlxo_tls_engine_close(rig.engine);
		assert_int_equal(tls_rig_census(&rig), rig.census);
	}
	mlxo_device_close(rig.dev);
}

/* -- keys ------------------------------------------------------------------------------------------------------------ */

/* T25, T41: one slot for all of them, keys of both sizes by turns: each has its own, after a SYNC_CRYPTO. */
static void test_T25_T41_one_slot(void **state)
{
	(void)state;
	open_with("", (struct mlxo_tls_engine_opts){
			      .tis_low = 1, .key_max = 1, .key_low = 1, .key_log_bulk = 1});
	for (int i = 0; i < 20; i++) {
		struct tls_conn c;

		open_any(&c, i % 3 ? 128 : 256, (uint8_t)(i * 11));
		if (i) { /* the slot has to be cleaned first */
			assert_int_equal(mlxo_tls_move(c.tls, true), -EAGAIN);
			tls_rig_settle(&rig);
		}
		tls_conn_hardware(&c);
		talk(&c);
		finish(&c);
		tls_rig_settle(&rig);
	}
	assert_int_equal(tls_rig_stat(&rig, "slots"), 1);
	assert_true(tls_rig_model(&rig, "syncs") >= 19);
	close_rig();
}

/* A connection that waits until there is a key. */
static void one_more(uint8_t seed)
{
	struct tls_conn c;

	tls_conn_init(&c, &rig, 12, 128, seed);
	c.params.admission = MLXO_TLS_ADMIT_ALWAYS;
	assert_int_equal(tls_conn_open(&c), 0);
	assert_int_equal(tls_conn_state(&c), MLXO_TLS_HARDWARE);
	talk(&c);
	finish(&c);
}

/* T26: a key that is given back while SYNC_CRYPTO runs was perhaps not covered: it waits for the next one. */
static void test_T26_freed_during_sync(void **state)
{
	struct tls_conn a, b, c;
	uint64_t syncs;

	(void)state;
	open_with(
		"time=virtual",
		(struct mlxo_tls_engine_opts){
			.tis_low = 2, .tis_max = 4, .key_max = 2, .key_low = 1, .key_log_bulk = 1});
	run(1000000);
	open_any(&a, 128, 1);
	tls_conn_hardware(&a);
	open_any(&b, 128, 2);
	tls_conn_hardware(&b);
	run(1000000);
	syncs = tls_rig_model(&rig, "SYNC_CRYPTO");
	tls_conn_close(&a);
	open_any(&c, 128, 3);
	assert_int_equal(mlxo_tls_move(c.tls, true), -EAGAIN); /* SYNC_CRYPTO starts */
	run(20000);
	assert_int_equal(tls_rig_stat(&rig, "syncing"), 1);
	tls_conn_listen(&b);
	tls_conn_write(&b, 500);
	tls_conn_flush(&b); /* its key is read into the device's cache now */
	run(10000);
	tls_conn_check(&b);
	tls_conn_ack(&b);
	tls_conn_close(&b);
	assert_int_equal(mlxo_tls_move(c.tls, true), -EAGAIN);
	assert_int_equal(tls_rig_stat(&rig, "syncing"), 1);
	assert_int_equal(tls_rig_stat(&rig, "dirty"), 1);
	run(1000000);
	assert_int_equal(tls_rig_model(&rig, "SYNC_CRYPTO") - syncs, 2);
	/* both slots in turn */
	tls_conn_listen(&c);
	tls_conn_hardware(&c);
	talk(&c);
	tls_conn_check(&c);
	for (uint8_t i = 0; i < 6; i++) {
		one_more((uint8_t)(100 + i));
		run(1000000); /* sent */
	}
	tls_conn_listen(&c);
	finish(&c);
	close_rig();
}

/* T27: SYNC_CRYPTO fails: no key is used again before one has worked, and none is lost. */
static void test_T27_sync_fails(void **state)
{
	struct tls_conn c;

	(void)state;
	for (int i = 0; i < NFAULTS; i++) {
		open_with("time=virtual",
			  (struct mlxo_tls_engine_opts){
				  .tis_low = 1, .key_max = 1, .key_low = 1, .key_log_bulk = 1});
		run(1000000);
		set_fault(i, PRM_CMD_OP_SYNC_CRYPTO);
		one_more(1);
		run(1000000); /* sent */
		open_any(&c, 128, 2);
		assert_int_equal(mlxo_tls_move(c.tls, true), -EAGAIN); /* SYNC_CRYPTO starts */
		for (int ms = 0; ms < 100000 && !tls_rig_stat(&rig, "sync_failed"); ms++)
			run(1000000);
		assert_int_equal(tls_rig_stat(&rig, "sync_failed"), 1);
		if (faults[i].status !=
		    PRM_CMD_STAT_BAD_PARAM_ERR) { /* else: once more, of all types */
			assert_int_equal(tls_rig_stat(&rig, "dirty"), 1);
			assert_int_equal(mlxo_tls_move(c.tls, true), -EAGAIN);
		}
		talk(&c);
		finish(&c);
		run(UINT64_C(3000000000));
		one_more(3);
		assert_int_equal(tls_rig_stat(&rig, "slots"), 1);
		if (faults[i].doubtful)
			close_doubtful_rig();
		else
			close_rig();
	}
}

/* T28, T39: loading the key fails: software, the context goes back; a slot that may still be written is never used again. */
static void test_T28_T39_load_fails(void **state)
{
	(void)state;
	for (int i = 0; i < NFAULTS; i++) {
		struct tls_conn c;

		open_with("", (struct mlxo_tls_engine_opts){.tis_low = 1, .key_log_bulk = 3});
		open_any(&c, 128, 1);
		set_fault(i, PRM_CMD_OP_MODIFY_GENERAL_OBJECT);
		assert_int_equal(mlxo_tls_move(c.tls, true), 0);
		assert_int_equal(mlxo_tls_wait(c.tls, 1000), 0);
		assert_int_equal(tls_conn_state(&c), MLXO_TLS_SOFTWARE);
		assert_int_equal(reason_of(&c), MLXO_TLS_REASON_REFUSED);
		assert_int_equal(atomic_load(&rig.engine->hardware), 0);
		assert_int_equal(tls_rig_stat(&rig, "quarantined"), faults[i].doubtful);
		talk(&c);
		tls_conn_hardware(&c); /* another slot */
		talk(&c);
		finish(&c);
		for (uint8_t n = 0; n < 20; n++) {
			one_more((uint8_t)(n + 30));
			tls_rig_settle(&rig);
		}
		if (faults[i].doubtful)
			close_doubtful_rig();
		else
			close_rig();
	}
}

/* T34: the same with admission always: open says so, or the event does. */
static void test_T34_admission_always(void **state)
{
	struct tls_conn c;
	uint64_t failed;

	(void)state;
	open_with("", (struct mlxo_tls_engine_opts){.tis_low = 1, .key_log_bulk = 3});
	tls_conn_init(&c, &rig, 12, 128, 1);
	c.params.admission = MLXO_TLS_ADMIT_ALWAYS;
	set_fault(0, PRM_CMD_OP_MODIFY_GENERAL_OBJECT);
	assert_int_equal(tls_conn_open(&c), -EAGAIN);
	assert_null(c.tls);
	failed = rig.events[MLXO_TLS_EVENT_FAILED];
	c.params.flags = MLXO_TLS_NOWAIT;
	set_fault(0, PRM_CMD_OP_MODIFY_GENERAL_OBJECT);
	assert_int_equal(tls_conn_open(&c), 0);
	assert_int_equal(tls_conn_try_write(&c, APP, "x", 1), -EAGAIN);
	tls_rig_settle(&rig);
	assert_true(rig.events[MLXO_TLS_EVENT_FAILED] > failed);
	assert_int_equal(tls_conn_state(&c), MLXO_TLS_SOFTWARE);
	talk(&c);
	finish(&c);
	close_rig();
}

/* -- given back while in use -------------------------------------------------------------------------------------------- */

static void demux(void *ctx, uint64_t when, const uint8_t *frame, size_t len)
{
	struct tls_conn *c = ctx;

	tls_peer_frame(&c[frame[35]].peer, when, frame, len);
}

static void settle_both(struct mlxo_tls_queue *other)
{
	for (int i = 0; i < 3; i++) {
		tls_rig_settle(&rig);
		mlxo_tls_queue_poll(other);
	}
}

/*
 * T29, T9, T24: A is closed with work requests that are posted and not rung. Whatever is scarce, context or key, B on another queue
 * waits for it and gets it when the first queue is done, not before.
 */
static void closed_with_work_posted(uint32_t contexts, uint32_t keys)
{
	struct mlxo_tls_queue_opts q = {.size = sizeof(q), .sq_blocks = 256};
	struct mlxo_tls_queue *other;
	static struct tls_conn c[2];

	open_with("", (struct mlxo_tls_engine_opts){.tis_low = 1,
						    .tis_batch = 1,
						    .tis_max = contexts,
						    .key_max = keys,
						    .key_log_bulk = 1,
						    .key_low = 1});
	assert_int_equal(mlxo_tls_queue_create(rig.engine, &q, &other), 0);
	open_any(&c[0], 128, 1);
	tls_conn_hardware(&c[0]);
	talk(&c[0]);
	assert_int_equal(tls_conn_try_write(&c[0], APP, c[0].expect, 900), 0);
	assert_int_equal(post(&c[0], c[0].next, 929), 0);
	assert_int_equal(post(&c[0], c[0].next - 500, 600), 0);
	mlxo_tls_close(c[0].tls);
	c[0].tls = NULL;

	tls_conn_init(&c[1], &rig, 12, 128, 2);
	c[1].params.admission = MLXO_TLS_ADMIT_ALWAYS;
	c[1].params.flags = MLXO_TLS_NOWAIT;
	c[1].hdr[35] = 1;
	c[0].hdr[35] = 0;
	c[1].peer.first = c[1].next = c[1].params.tcp_seq;
	assert_int_equal(mlxo_tls_open(other, &c[1].params, &c[1].tls), 0);
	settle_both(other);
	assert_int_equal(tls_conn_state(&c[1]), MLXO_TLS_PENDING);
	mlxo_tls_queue_flush(rig.queue);
	settle_both(other);
	assert_int_equal(tls_conn_state(&c[1]), MLXO_TLS_HARDWARE);
	tls_conn_check(&c[0]);
	mlxo_model_wire_watch(rig.dev, demux, c);
	tls_conn_write(&c[1], 1000);
	assert_int_equal(post(&c[1], 1000, 1029), 0);
	mlxo_tls_queue_flush(other);
	settle_both(other);
	tls_conn_check(&c[1]);
	tls_conn_close(&c[1]);
	tls_conn_close(&c[0]);
	mlxo_tls_queue_destroy(other);
	close_rig();
}

static void test_T29_context_in_flight(void **state)
{
	(void)state;
	closed_with_work_posted(1, 4);
}

static void test_T29_key_in_flight(void **state)
{
	(void)state;
	closed_with_work_posted(4, 1);
}

/* T29: the same on one queue, where the next owner's updates would overtake. */
static void test_T29_same_queue(void **state)
{
	static struct tls_conn c[2];

	(void)state;
	open_with("", (struct mlxo_tls_engine_opts){.tis_low = 1, .tis_batch = 1, .tis_max = 1});
	open_any(&c[0], 128, 1);
	tls_conn_hardware(&c[0]);
	c[0].hdr[35] = 0;
	tls_conn_write(&c[0], 1000);
	assert_int_equal(post(&c[0], 1000, 1029), 0);
	assert_int_equal(mlxo_tls_ack(c[0].tls, 2029), 0);
	assert_int_equal(mlxo_tls_move(c[0].tls, false), 0); /* gives it back as soon as it may */
	open_any(&c[1], 128, 2);
	c[1].hdr[35] = 1;
	mlxo_model_wire_watch(rig.dev, demux, c);
	assert_int_equal(mlxo_tls_move(c[1].tls, true), -EAGAIN);
	mlxo_tls_queue_flush(rig.queue);
	tls_rig_settle(&rig);
	tls_conn_hardware(&c[1]);
	tls_conn_write(&c[1], 1000);
	tls_conn_flush(&c[1]);
	tls_conn_check(&c[0]);
	tls_conn_check(&c[1]);
	tls_conn_close(&c[1]);
	tls_conn_close(&c[0]);
	close_rig();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_T7_T34_no_context),
		cmocka_unit_test(test_T7_number_0),
		cmocka_unit_test(test_T34_limits),
		cmocka_unit_test(test_T30_failed_setup),
		cmocka_unit_test(test_T31_close_while_filling),
		cmocka_unit_test(test_T25_T41_one_slot),
		cmocka_unit_test(test_T26_freed_during_sync),
		cmocka_unit_test(test_T27_sync_fails),
		cmocka_unit_test(test_T28_T39_load_fails),
		cmocka_unit_test(test_T34_admission_always),
		cmocka_unit_test(test_T29_context_in_flight),
		cmocka_unit_test(test_T29_key_in_flight),
		cmocka_unit_test(test_T29_same_queue),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
