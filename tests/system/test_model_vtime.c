// SPDX-License-Identifier: BSD-2-Clause
/*
 * time=virtual: a clock that stands still until it is moved, commands and timers on it, the wire's time, completions
 * when frames have left, the key cache, faults. Every number here is exact: nothing depends on the machine.
 */
#include <errno.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <mlx5_offload/device.h>
#include <mlx5_offload/error.h>
#include <mlx5_offload/model.h>

#include "providers/model/control.h"
#include "tests/lib/frames.h"
#include "tests/lib/raw.h"

#define FAR (UINT64_C(1) << 60)
#define VIRTUAL "model:time=virtual"

static struct raw raw;

static uint64_t now(void)
{
	return raw.ops->now(raw.dev);
}

static uint64_t advance(uint64_t until)
{
	uint64_t at;

	assert_int_equal(model_advance(raw.dev, until, &at), 0);
	assert_int_equal(at, now());
	return at;
}

/* Run until the clock shows `until`, and what is due then. */
static void advance_to(uint64_t until)
{
	while (advance(until) < until)
		;
	advance(until);
}

/* A command that nobody waits for. */
struct job {
	struct prov_cmd cmd;
	uint8_t in[512], out[64];
	uint64_t done_at; /* 0: not yet */
};

static void job_done(struct prov_cmd *cmd)
{
	struct job *j = cmd->ctx;

	j->done_at = now();
}

static uint8_t *job_init(struct job *j, uint16_t opcode, size_t inlen)
{
	memset(j, 0, sizeof(*j));
	j->cmd = (struct prov_cmd){.kind = PROV_CMD_GENERAL,
				   .in = j->in,
				   .inlen = inlen,
				   .out = j->out,
				   .outlen = 16,
				   .done = job_done,
				   .ctx = j};
	PRM_SET(nop_in, j->in, opcode, opcode);
	return j->in;
}

static void job_start(struct job *j)
{
	assert_int_equal(raw.ops->submit(raw.dev, &j->cmd), 0);
}

/* -- clock, commands, timers ------------------------------------------------------------------------------- */

static void the_clock_stands_still(void **state)
{
	char why[256];
	uint64_t at = 0;

	assert_int_equal(prov_open(VIRTUAL, &raw.dev, why, sizeof(why)), 0);
	raw.ops = prov_ops(raw.dev);
	assert_int_equal(now(), 0);
	raw.ops->progress(raw.dev);
	raw.ops->wait(raw.dev, 1000); /* no event: nowhere to go */
	raw.ops->wait(raw.dev, -1);
	assert_int_equal(now(), 0);
	assert_int_equal(raw.ops->fd(raw.dev), -ENOTSUP);
	assert_int_equal(advance(12345), 12345);
	assert_int_equal(advance(12345), 12345);
	assert_int_equal(advance(5), 12345); /* not back */
	raw.ops->close(raw.dev);

	raw_open(&raw, "model:time=real");
	assert_int_equal(model_advance(raw.dev, 1, &at), -ENOTSUP);
	raw_close(&raw);
}

static void commands_queue(void **state)
{
	struct job a, b;
	uint64_t t0;

	raw_open(&raw, VIRTUAL ",nop=9.9us");
	t0 = now();
	job_init(&a, PRM_CMD_OP_NOP, 16);
	job_init(&b, PRM_CMD_OP_NOP, 16);
	job_start(&a);
	job_start(&b);
	raw.ops->progress(raw.dev);
	assert_int_equal(a.done_at, 0);
	assert_int_equal(now(), t0);
	assert_int_equal(advance(t0 + 9899), t0 + 9899); /* stops where it was told to */
	assert_int_equal(a.done_at, 0);
	assert_int_equal(advance(FAR), t0 + 9900);
	assert_int_equal(a.done_at, t0 + 9900);
	assert_int_equal(b.done_at, 0);
	assert_int_equal(advance(FAR), t0 + 19800);
	assert_int_equal(b.done_at, t0 + 19800);
	assert_int_equal(advance(t0 + 50000), t0 + 50000);
	/* an idle processor begins at once */
	job_init(&a, PRM_CMD_OP_NOP, 16);
	job_start(&a);
	advance(FAR);
	assert_int_equal(a.done_at, t0 + 59900);
	raw_close(&raw);
}

/* A call that waits goes from event to event, however far away they are. */
static void waiting_jumps(void **state)
{
	struct job a;
	struct prov_cmd *cmd = &a.cmd;
	uint64_t t0;

	raw_open(&raw, VIRTUAL ",nop=3600s");
	t0 = now();
	assert_true(t0 > 0); /* opening took commands */
	job_init(&a, PRM_CMD_OP_NOP, 16);
	assert_int_equal(prov_cmd_wait(raw.dev, cmd), 0);
	assert_int_equal(now(), t0 + 3600000000000u);
	job_init(&a, PRM_CMD_OP_NOP, 16);
	job_start(&a);
	raw.ops->wait(raw.dev, 0); /* as far as the caller would have waited */
	assert_int_equal(now(), t0 + 3600000000000u);
	raw.ops->wait(raw.dev, 10);
	assert_int_equal(now(), t0 + 3600010000000u);
	raw.ops->wait(raw.dev, -1);
	assert_int_equal(now(), t0 + 7200000000000u);
	assert_int_equal(a.done_at, 0); /* waiting does not do it */
	assert_int_equal(raw.ops->progress(raw.dev), 1);
	assert_int_equal(a.done_at, now());
	raw_close(&raw);
}

enum { THREADS = 4, ROUNDS = 500 };

static void *many_commands(void *arg)
{
	uintptr_t failed = 0;

	for (int i = 0; i < ROUNDS; i++) {
		struct job a;

		job_init(&a, PRM_CMD_OP_NOP, 16);
		failed |= prov_cmd_wait(raw.dev, &a.cmd) != 0;
	}
	return (void *)failed;
}

/* Whoever moves the clock, the processor is never idle and no time is taken twice. */
static void threads_share_the_clock(void **state)
{
	pthread_t t[THREADS];
	uint64_t t0;

	raw_open(&raw, VIRTUAL);
	t0 = now();
	for (int i = 0; i < THREADS; i++)
		assert_int_equal(pthread_create(&t[i], NULL, many_commands, NULL), 0);
	for (int i = 0; i < THREADS; i++) {
		void *failed;

		pthread_join(t[i], &failed);
		assert_null(failed);
	}
	assert_int_equal(now(), t0 + THREADS * ROUNDS * 10000);
	raw_close(&raw);
}

enum { TIMERS = 2000 };

static struct prov_timer timer[TIMERS];
static int fired[TIMERS], nfired;

static void fire(struct prov_timer *t)
{
	assert_false(t->armed);
	assert_int_equal(now(), t->when);
	fired[nfired++] = (int)(t - timer);
}

/* By deadline, equal ones in the order in which they were armed, cancelled ones not at all. */
static void timers_come_in_order(void **state)
{
	uint32_t seed = 1;
	bool gone[TIMERS] = {false};
	int expected = 0;
	uint64_t t0;

	raw_open(&raw, VIRTUAL);
	t0 = now();
	nfired = 0;
	for (int i = 0; i < TIMERS; i++) {
		seed = seed * 1664525 + 1013904223;
		timer[i] = (struct prov_timer){.when = t0 + (seed >> 16) % 500, .fire = fire};
		raw.ops->timer_arm(raw.dev, &timer[i]);
		raw.ops->timer_arm(raw.dev, &timer[i]); /* again: nothing */
		if (i % 3 == 2) {
			int victim = (int)((seed >> 8) % (uint32_t)i);

			raw.ops->timer_cancel(raw.dev, &timer[victim]);
			raw.ops->timer_cancel(raw.dev, &timer[victim]);
			assert_false(timer[victim].armed);
			gone[victim] = true;
		}
	}
	for (int i = 0; i < TIMERS; i++)
		expected += !gone[i];
	while (nfired < expected && advance(FAR) < FAR)
		;
	assert_int_equal(nfired, expected);
	for (int i = 0; i < nfired; i++) {
		assert_false(gone[fired[i]]);
		if (i && timer[fired[i]].when == timer[fired[i - 1]].when)
			assert_true(fired[i - 1] < fired[i]);
		else if (i)
			assert_true(timer[fired[i - 1]].when < timer[fired[i]].when);
	}
	raw_close(&raw);
}

/* -- key cache --------------------------------------------------------------------------------------------- */

static void write_key(struct prov_obj *obj, struct job *j, uint32_t id, uint8_t byte)
{
	uint8_t *o;

	job_init(j, PRM_CMD_OP_MODIFY_GENERAL_OBJECT, PRM_BYTES(create_encryption_key_in));
	o = PRM_AT(create_encryption_key_in, j->in, encryption_key_object);
	PRM_SET(general_obj_in_cmd_hdr, j->in, obj_type, PRM_GENERAL_OBJECT_TYPES_ENCRYPTION_KEY);
	PRM_SET(general_obj_in_cmd_hdr, j->in, obj_id, id);
	PRM_SET(encryption_key_obj, o, modify_field_select, 1);
	PRM_SET(encryption_key_obj, o, key_purpose,
		PRM_GENERAL_OBJECT_TYPE_ENCRYPTION_KEY_PURPOSE_IPSEC);
	PRM_SET(encryption_key_obj, o, pd, raw.pd);
	memset(PRM_AT(encryption_key_obj, o, key) + 16, byte, 16);
	j->cmd.kind = PROV_CMD_MODIFY;
	j->cmd.obj = obj;
	job_start(j);
}

static uint8_t key_in_use(uint32_t id)
{
	struct model_dev *m = model_of(raw.dev);
	struct model_dek *dek = (struct model_dek *)model_obj_find(m, MODEL_DEK, id);
	uint8_t key[32], len;
	uint32_t gen;

	assert_int_equal(model_key_get(m, dek, 0, key, &len, &gen), 0);
	return key[0];
}

/* SYNC_CRYPTO drops what was cached when it began, by the virtual clock. */
static void a_sync_reaches_back_to_its_start(void **state)
{
	static const uint8_t old[16] = {1};
	struct prov_obj *obj[2];
	struct job sync, change[2];
	uint64_t t0;
	uint32_t id[2];

	raw_open(&raw, VIRTUAL);
	for (int i = 0; i < 2; i++)
		id[i] = raw_dek(&raw, old, 16, &obj[i]);
	assert_int_equal(key_in_use(id[0]), 1);
	for (int i = 0; i < 2; i++)
		write_key(obj[i], &change[i], id[i], 2);
	PRM_SET(sync_crypto_in, job_init(&sync, PRM_CMD_OP_SYNC_CRYPTO, 32), crypto_type, 1);
	job_start(&sync);
	t0 = now();
	advance_to(t0 + 2 * 9900 + 1); /* written, and the sync has begun */
	assert_int_equal(change[1].done_at, t0 + 2 * 9900);
	assert_int_equal(key_in_use(id[0]), 1); /* not yet dropped */
	assert_int_equal(key_in_use(id[1]), 2); /* cached while the sync runs */
	write_key(obj[1], &change[1], id[1], 3);
	advance_to(t0 + 2 * 9900 + 100000);
	assert_int_equal(sync.done_at, t0 + 2 * 9900 + 100000);
	assert_int_equal(key_in_use(id[0]), 2);
	advance_to(t0 + 3 * 9900 + 100000);
	assert_int_equal(change[1].done_at, now());
	assert_int_equal(change[1].cmd.result, 0);
	assert_int_equal(key_in_use(id[1]),
			 2); /* cached after the sync's start: the next one drops it */
	raw_close(&raw);
}

/* -- faults ------------------------------------------------------------------------------------------------ */

static void faults_take_their_time(void **state)
{
	static const struct {
		const char *text;
		int result;
		uint64_t ns;
	} t[] = {
		{"1:status=0x3:syndrome=0x65c1fb", -EREMOTEIO, 10000},
		{"1:timeout", -ETIMEDOUT, 10000},
		{"1:lost", -ETIMEDOUT, 10000},
		{"1:corrupt", -EREMOTEIO, 10000},
		{"1:delay=5ms", 0, 5010000},
		{"1:fatal", -EIO, 10000},
	};

	for (size_t i = 0; i < sizeof(t) / sizeof(t[0]); i++) {
		struct model_fault f;
		struct job a, b;
		uint64_t t0;

		raw_open(&raw, VIRTUAL);
		assert_int_equal(model_fault_parse(t[i].text, &f), 0);
		assert_int_equal(model_fault_set(raw.dev, &f), 0);
		t0 = now();
		job_init(&a, PRM_CMD_OP_NOP, 16);
		job_init(&b, PRM_CMD_OP_NOP, 16);
		job_start(&a);
		job_start(&b);
		advance_to(t0 + t[i].ns + 10000);
		assert_int_equal(a.done_at, t0 + t[i].ns);
		assert_int_equal(a.cmd.result, t[i].result);
		assert_int_equal(b.done_at, t0 + t[i].ns + 10000); /* behind it */
		assert_int_equal(b.cmd.result, t[i].result == -EIO ? -EIO : 0);
		/* a reset neither moves the clock back nor leaves the processor busy */
		assert_int_equal(model_reset(raw.dev), 0);
		assert_true(now() >= t0 + t[i].ns + 10000);
		t0 = now();
		job_init(&a, PRM_CMD_OP_NOP, 16);
		job_start(&a);
		advance(FAR);
		assert_int_equal(a.done_at, t0 + 10000);
		assert_int_equal(a.cmd.result, 0);
		raw_close(&raw);
	}
}

/* -- the wire ---------------------------------------------------------------------------------------------- */

enum { MAX_SEEN = 64 };

static struct {
	uint64_t when;
	size_t len;
	uint8_t byte; /* the 15th */
} seen[MAX_SEEN];
static unsigned int nseen;

static void see(void *ctx, uint64_t when, const uint8_t *frame, size_t len)
{
	assert_ptr_equal(ctx, &nseen);
	assert_true(nseen < MAX_SEEN);
	seen[nseen].when = when;
	seen[nseen].len = len;
	seen[nseen++].byte = frame[14];
}

static void watch(void)
{
	nseen = 0;
	assert_int_equal(model_wire_watch(raw.dev, see, &nseen), 0);
}

static void frames_take_the_wire_one_by_one(void **state)
{
	static const struct {
		const char *spec;
		uint64_t ps; /* per byte */
	} t[] = {{VIRTUAL, 80}, {VIRTUAL ",speed=25G", 320}, {VIRTUAL ",speed=1M", 8000000}};

	for (size_t i = 0; i < sizeof(t) / sizeof(t[0]); i++) {
		struct raw_sq sq;
		uint64_t ps = 0, t0;

		raw_open(&raw, t[i].spec);
		raw_sq(&raw, &sq, 6, 6);
		watch();
		t0 = now();
		for (uint8_t n = 0; n < 20; n++) {
			size_t len = 60 + 37u * n;

			raw.data[14] = n;
			raw_send(&raw, &sq, 0, (uint32_t)len, 0);
			ps += (len + 24) * t[i].ps;
			assert_int_equal(nseen, n + 1);
			assert_int_equal(seen[n].when, t0 + (ps + 999) / 1000);
			assert_int_equal(seen[n].len, len);
			assert_int_equal(seen[n].byte, n);
		}
		assert_int_equal(now(), t0); /* sending moves no clock */
		/* a wire that has been idle takes the next frame at once */
		advance_to(seen[19].when + 5000);
		t0 = now();
		raw_send(&raw, &sq, 0, 126, 0);
		assert_int_equal(seen[20].when, t0 + (150 * t[i].ps + 999) / 1000);
		assert_int_equal(model_wire_watch(raw.dev, NULL, NULL), 0);
		raw_send(&raw, &sq, 0, 126, 0);
		assert_int_equal(nseen, 21);
		raw_close(&raw);
	}
}

static void the_watcher_sees_frames_in_every_time_mode(void **state)
{
	static const char *const spec[] = {"model", "model:speed=1M", "model:time=real,speed=1M",
					   VIRTUAL ",speed=1M"};

	for (size_t i = 0; i < sizeof(spec) / sizeof(spec[0]); i++) {
		struct raw_sq sq;
		uint64_t before;

		raw_open(&raw, spec[i]);
		raw_sq(&raw, &sq, 6, 6);
		watch();
		before = now();
		raw_send(&raw, &sq, 0, 101, 0);
		raw_send(&raw, &sq, 0, 101, 0);
		assert_int_equal(nseen, 2);
		if (i == 3)
			assert_int_equal(seen[1].when, before + 2000000);
		else
			assert_true(seen[1].when >= before && seen[1].when <= now());
		raw_close(&raw);
	}
}

/* Faults of the port are the wire's: a lost frame takes its time and is not seen, a doubled one is seen twice. */
static void lost_frames_take_their_time(void **state)
{
	struct raw_sq sq;
	uint64_t t0;

	raw_open(&raw, VIRTUAL ",port=null;drop=1");
	raw_sq(&raw, &sq, 6, 6);
	watch();
	raw_send(&raw, &sq, 0, 101, 0);
	assert_int_equal(nseen, 0);
	raw_close(&raw);

	raw_open(&raw, VIRTUAL ",port=null;dup=1");
	raw_sq(&raw, &sq, 6, 6);
	watch();
	t0 = now();
	raw_send(&raw, &sq, 0, 101, 0);
	raw_send(&raw, &sq, 0, 101, 0);
	assert_int_equal(nseen, 4);
	assert_int_equal(seen[1].when, t0 + 10);
	assert_int_equal(seen[3].when, t0 + 20);
	raw_close(&raw);
}

/* A frame that has come in is due now: the clock waits for it. */
static void received_frames_are_taken_first(void **state)
{
	struct model_dev *m;
	struct raw_sq sq;
	struct job a;
	uint64_t t0;

	raw_open(&raw, VIRTUAL ",port=loop");
	m = model_of(raw.dev);
	raw_sq(&raw, &sq, 6, 6);
	job_init(&a, PRM_CMD_OP_NOP, 16);
	job_start(&a);
	t0 = now();
	raw_send(&raw, &sq, 0, 101, 0);
	raw.ops->wait(raw.dev, -1);
	assert_int_equal(now(), t0);
	assert_int_equal(advance(FAR), t0);
	assert_int_equal(atomic_load(&m->rx_packets), 1);
	advance_to(t0 + 10000);
	assert_int_equal(a.done_at, t0 + 10000);
	raw_close(&raw);
}

/* -- completions ------------------------------------------------------------------------------------------- */

static void nop(struct raw_sq *sq)
{
	uint8_t wqe[64] = {0};

	PRM_SET(wqe_ctrl_seg, wqe, opcode, PRM_WQE_OP_NOP);
	PRM_SET(wqe_ctrl_seg, wqe, ds, 1);
	PRM_SET(wqe_ctrl_seg, wqe, fm_ce_se, PRM_WQE_CE_CQ_UPDATE);
	raw_post(sq, wqe);
	raw_ring(&raw, sq);
}

/* An opcode that nobody executes. */
static void nonsense(struct raw_sq *sq)
{
	uint8_t wqe[64] = {0};

	PRM_SET(wqe_ctrl_seg, wqe, opcode, 0x3f);
	PRM_SET(wqe_ctrl_seg, wqe, ds, 1);
	raw_post(sq, wqe);
	raw_ring(&raw, sq);
}

/* The next CQE is there and of that WQE. */
static void completed(struct raw_sq *sq, uint8_t cqe_op, uint16_t index)
{
	const uint8_t *cqe = raw_poll(&sq->cq);

	assert_non_null(cqe);
	assert_int_equal(cqe[63] >> 4, cqe_op);
	assert_int_equal(PRM_GET(cqe64, cqe, wqe_counter), index);
}

static void nothing_completed(struct raw_sq *sq)
{
	assert_null(raw_poll(&sq->cq));
}

/* A CQE comes when the frames before it have left: at both speeds exactly then. */
static void completions_come_when_frames_have_left(void **state)
{
	static const struct {
		const char *spec;
		uint64_t ns; /* of a frame of 101 bytes */
	} t[] = {{VIRTUAL, 10}, {VIRTUAL ",speed=25G", 40}};

	for (size_t i = 0; i < sizeof(t) / sizeof(t[0]); i++) {
		struct raw_sq sq, other;
		uint64_t t0, ns = t[i].ns;

		raw_open(&raw, t[i].spec);
		raw_sq(&raw, &sq, 6, 6);
		raw_sq(&raw, &other, 6, 6);
		t0 = now();
		nop(&sq); /* nothing before it: at once */
		completed(&sq, PRM_CQE_OP_REQ, 0);
		raw_send(&raw, &sq, 0, 101, 0);
		nop(&sq);
		raw_send(&raw, &other, 0, 101, 0);
		raw_send(&raw, &sq, 0, 101, 0);
		nop(&other);
		raw.ops->progress(raw.dev);
		nothing_completed(&sq);
		assert_int_equal(advance(t0 + ns - 1), t0 + ns - 1);
		nothing_completed(&sq);
		assert_int_equal(advance(FAR), t0 + ns);
		completed(&sq, PRM_CQE_OP_REQ, 1);
		completed(&sq, PRM_CQE_OP_REQ, 2);
		nothing_completed(&sq);
		nothing_completed(&other);
		assert_int_equal(advance(FAR), t0 + 2 * ns);
		completed(&other, PRM_CQE_OP_REQ, 0);
		completed(&other, PRM_CQE_OP_REQ, 1);
		nothing_completed(&sq);
		raw.ops->wait(raw.dev, -1);
		assert_int_equal(now(), t0 + 3 * ns);
		nothing_completed(&sq);
		assert_int_equal(raw.ops->progress(raw.dev), 1);
		completed(&sq, PRM_CQE_OP_REQ, 3);
		nop(&sq); /* all have left: at once again */
		completed(&sq, PRM_CQE_OP_REQ, 4);
		raw_close(&raw);
	}
}

/* A WQE of several frames completes with its last one. */
static void a_cut_send_completes_with_its_last_frame(void **state)
{
	enum { HEADERS = 54, PAYLOAD = 3000, MSS = 1000, DS_UNITS = 7, DATA_AT = 96 };
	uint64_t t0, gone = (3 * (HEADERS + MSS + 24) * 80 + 999) / 1000; /* ns */
	uint8_t wqe[128] = {0};
	struct raw_sq sq;
	struct frame f;

	raw_open(&raw, VIRTUAL);
	raw_sq(&raw, &sq, 6, 6);
	watch();
	t0 = now();
	frame_eth(&f, 0x0800);
	frame_ipv4(&f, 6, 0);
	frame_tcp(&f, 1, 2);
	frame_pattern(&f, PAYLOAD);
	frame_end(&f);
	memcpy(raw.data, f.b + HEADERS, PAYLOAD);
	PRM_SET(wqe_ctrl_seg, wqe, opcode, PRM_WQE_OP_TSO);
	PRM_SET(wqe_ctrl_seg, wqe, ds, DS_UNITS);
	PRM_SET(wqe_ctrl_seg, wqe, fm_ce_se, PRM_WQE_CE_CQ_UPDATE);
	PRM_SET(wqe_eth_seg, wqe + 16, mss, MSS);
	PRM_SET(wqe_eth_seg, wqe + 16, inline_hdr_sz, HEADERS);
	memcpy(wqe + 16 + 14, f.b, HEADERS);
	PRM_SET(wqe_data_seg, wqe + DATA_AT, byte_count, PAYLOAD);
	PRM_SET(wqe_data_seg, wqe + DATA_AT, lkey, raw.mr.lkey);
	PRM_SET(wqe_data_seg, wqe + DATA_AT, addr, (uint64_t)(uintptr_t)raw.data);
	raw_post(&sq, wqe);
	raw_ring(&raw, &sq);
	assert_int_equal(nseen, 3);
	assert_int_equal(seen[2].when, t0 + gone);
	advance_to(t0 + gone - 1);
	nothing_completed(&sq);
	advance_to(t0 + gone);
	completed(&sq, PRM_CQE_OP_REQ, 0);
	raw_close(&raw);
}

/* What is due comes before what is written at once, also when nobody has called since. */
static void overdue_completions_keep_their_place(void **state)
{
	struct prov_uar uar;
	struct raw_sq sq;

	raw_open(&raw, VIRTUAL);
	raw_sq(&raw, &sq, 6, 6);
	raw_send(&raw, &sq, 0, 101, 0);
	/* a call that moves the clock and handles nothing */
	assert_int_equal(raw.ops->uar_alloc(raw.dev, &uar), 0);
	nothing_completed(&sq);
	nop(&sq);
	completed(&sq, PRM_CQE_OP_REQ, 0);
	completed(&sq, PRM_CQE_OP_REQ, 1);
	raw_close(&raw);
}

/* Errors wait behind good ones; the queue stops at once. */
static void errors_come_last(void **state)
{
	struct raw_sq sq;
	uint64_t t0;

	raw_open(&raw, VIRTUAL);
	raw_sq(&raw, &sq, 6, 6);
	watch();
	t0 = now();
	raw_send(&raw, &sq, 0, 101, 0);
	nonsense(&sq);
	raw_send(&raw, &sq, 0, 101, 0);
	assert_int_equal(nseen, 1);
	nothing_completed(&sq);
	advance_to(t0 + 9);
	nothing_completed(&sq);
	advance_to(t0 + 10);
	completed(&sq, PRM_CQE_OP_REQ, 0);
	completed(&sq, PRM_CQE_OP_REQ_ERR, 1);
	raw_close(&raw);
}

/* What a queue, or the device, had to complete before its reset does not come after it. */
static void resets_drop_completions(void **state)
{
	struct raw_sq sq, other;

	raw_open(&raw, VIRTUAL ",speed=1M");
	raw_sq(&raw, &sq, 6, 6);
	raw_sq(&raw, &other, 6, 6);
	raw_send(&raw, &sq, 0, 101, 0);
	raw_send(&raw, &other, 0, 101, 0);
	raw_sq_state(&raw, &sq, PRM_SQC_STATE_RDY, PRM_SQC_STATE_RST);
	raw_sq_state(&raw, &sq, PRM_SQC_STATE_RST, PRM_SQC_STATE_RDY);
	sq.pi = 0;
	nop(&sq); /* its frames are forgotten as well */
	completed(&sq, PRM_CQE_OP_REQ, 0);
	advance_to(now() + 10000000);
	nothing_completed(&sq);
	completed(&other, PRM_CQE_OP_REQ, 0);

	raw_send(&raw, &sq, 0, 101, 0);
	raw_send(&raw, &other, 0, 101, 0);
	raw_do(&raw, PROV_CMD_DESTROY, sq.obj, NULL, 0, (uint8_t[16]){0}, 16);
	advance_to(now() + 10000000);
	nothing_completed(&sq);
	completed(&other, PRM_CQE_OP_REQ, 1);

	raw_send(&raw, &other, 0, 101, 0);
	assert_int_equal(model_reset(raw.dev), 0);
	assert_int_equal(model_wire_depart(model_of(raw.dev), 101), now() + 1000000); /* idle */
	advance_to(now() + 10000000);
	nothing_completed(&other);
	raw_close(&raw);

	/* a device that has died completes nothing; one that closes forgets what is left */
	raw_open(&raw, VIRTUAL ",speed=1M,fault=SYNC_CRYPTO:fatal");
	raw_sq(&raw, &sq, 6, 6);
	raw_send(&raw, &sq, 0, 101, 0);
	{
		struct job sync;

		job_init(&sync, PRM_CMD_OP_SYNC_CRYPTO, 32);
		assert_int_equal(prov_cmd_wait(raw.dev, &sync.cmd), -EIO);
	}
	advance_to(now() + 10000000);
	nothing_completed(&sq);
	raw_close(&raw);

	raw_open(&raw, VIRTUAL ",speed=1M");
	raw_sq(&raw, &sq, 6, 6);
	raw_send(&raw, &sq, 0, 101, 0);
	raw_close(&raw);
}

static void completions_are_at_once_in_other_modes(void **state)
{
	static const char *const spec[] = {"model:speed=1M", "model:time=real,speed=1M"};

	for (size_t i = 0; i < sizeof(spec) / sizeof(spec[0]); i++) {
		struct raw_sq sq;

		raw_open(&raw, spec[i]);
		raw_sq(&raw, &sq, 6, 6);
		raw_send(&raw, &sq, 0, 101, 0);
		completed(&sq, PRM_CQE_OP_REQ, 0);
		raw_close(&raw);
	}
}

/* -- the same again ---------------------------------------------------------------------------------------- */

enum { LOG = 4096 };

struct history {
	uint64_t entry[LOG];
	unsigned int n;
};

static struct history *history;

static void record(uint64_t what)
{
	assert_true(history->n + 2 <= LOG);
	history->entry[history->n++] = now();
	history->entry[history->n++] = what;
}

static void record_frame(void *ctx, uint64_t when, const uint8_t *frame, size_t len)
{
	record(when);
	record(len << 8 | frame[20]);
}

static void record_job(struct prov_cmd *cmd)
{
	record((uint64_t)cmd->result);
}

static void record_timer(struct prov_timer *t)
{
	record(t->order);
}

static void run_schedule(struct history *h)
{
	struct prov_timer timers[40];
	struct job jobs[40];
	struct raw_sq sq;
	struct model_stat *s;
	const uint8_t *cqe;
	size_t n;

	raw_open(&raw, VIRTUAL
		 ",port=null;drop=0.2;dup=0.2;corrupt=0.3;seed=7,speed=10M,fault=30:delay=1ms");
	raw_sq(&raw, &sq, 6, 6);
	history = h;
	assert_int_equal(model_wire_watch(raw.dev, record_frame, NULL), 0);
	for (unsigned int i = 0; i < 40; i++) {
		timers[i] =
			(struct prov_timer){.when = now() + i * 7919 % 40000, .fire = record_timer};
		raw.ops->timer_arm(raw.dev, &timers[i]);
		job_init(&jobs[i], PRM_CMD_OP_NOP, 16);
		jobs[i].cmd.done = record_job;
		job_start(&jobs[i]);
		raw_send(&raw, &sq, 0, 60 + i, 0);
		while ((cqe = raw_poll(&sq.cq)))
			record(PRM_GET(cqe64, cqe, wqe_counter));
		advance(now() + 3000);
	}
	advance_to(now() + 5000000);
	assert_int_equal(model_stats(raw.dev, &s, &n), 0);
	for (size_t i = 0; i < n; i++)
		record(s[i].value);
	free(s);
	raw_close(&raw);
}

static void the_same_calls_give_the_same_numbers(void **state)
{
	static struct history first, second;

	run_schedule(&first);
	run_schedule(&second);
	assert_true(first.n > 2 * 120);
	assert_int_equal(first.n, second.n);
	assert_memory_equal(&first, &second, sizeof(first));
}

/* -- the public functions ---------------------------------------------------------------------------------- */

static void public_functions(void **state)
{
	struct mlxo_device *dev;
	uint64_t at, t0;

	assert_int_equal(mlxo_device_open(VIRTUAL, &dev), 0);
	t0 = mlxo_device_now(dev);
	assert_int_equal(mlxo_model_advance(dev, t0 + 77, &at), 0);
	assert_int_equal(at, t0 + 77);
	assert_int_equal(mlxo_device_now(dev), at);
	assert_int_equal(mlxo_device_wait(dev, 1000), 0);
	assert_int_equal(mlxo_device_now(dev), at);
	assert_int_equal(mlxo_model_wire_watch(dev, see, &nseen), 0);
	assert_int_equal(mlxo_model_wire_watch(dev, NULL, NULL), 0);
	mlxo_device_close(dev);

	assert_int_equal(mlxo_device_open("model", &dev), 0);
	assert_true(mlxo_device_now(dev) > 0);
	assert_int_equal(mlxo_model_advance(dev, FAR, &at), -ENOTSUP);
	assert_non_null(strstr(mlxo_error_last()->text, "time=virtual"));
	mlxo_device_close(dev);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_clock_stands_still),
		cmocka_unit_test(commands_queue),
		cmocka_unit_test(waiting_jumps),
		cmocka_unit_test(threads_share_the_clock),
		cmocka_unit_test(timers_come_in_order),
		cmocka_unit_test(a_sync_reaches_back_to_its_start),
		cmocka_unit_test(faults_take_their_time),
		cmocka_unit_test(frames_take_the_wire_one_by_one),
		cmocka_unit_test(the_watcher_sees_frames_in_every_time_mode),
		cmocka_unit_test(lost_frames_take_their_time),
		cmocka_unit_test(received_frames_are_taken_first),
		cmocka_unit_test(completions_come_when_frames_have_left),
		cmocka_unit_test(a_cut_send_completes_with_its_last_frame),
		cmocka_unit_test(overdue_completions_keep_their_place),
		cmocka_unit_test(errors_come_last),
		cmocka_unit_test(resets_drop_completions),
		cmocka_unit_test(completions_are_at_once_in_other_modes),
		cmocka_unit_test(the_same_calls_give_the_same_numbers),
		cmocka_unit_test(public_functions),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
