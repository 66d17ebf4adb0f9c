// SPDX-License-Identifier: BSD-2-Clause
/*
 * TLS streams that leave one model and arrive at another: the ways drivers arm and resynchronise a context give streams
 * that OpenSSL decrypts, and each of them without one of its fences does not. Nothing leaves in clear in any of them.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include <pthread.h>
#include <string.h>

#include "lib/frames.h"
#include "lib/mailboxes.h"
#include "lib/raw_tls.h"
#include "providers/model/queue.h"

enum { LOG_SQ = 8, MSS = 500 };

static struct tls_wire w;

static const size_t lengths[] = {700, 1200, 0, 33, 900, 1, 2500};
enum { RECORDS = sizeof(lengths) / sizeof(lengths[0]) };

static int setup(void **state)
{
	tls_open(&w, "", LOG_SQ);
	return 0;
}

static int teardown(void **state)
{
	tls_close(&w);
	return 0;
}

static void expect_right(const struct tls_conn *c)
{
	assert_true(tls_right(c));
	assert_int_equal(w.bad_sums, 0);
}

static void expect_garbage(const struct tls_conn *c)
{
	assert_false(tls_right(c));
	assert_true(tls_no_clear(c));
	assert_int_equal(w.bad_sums, 0);
}

/* -- arming: a bit per fence -------------------------------------------------------------------------------- */

enum { F_PROGRESS = 1, F_AFTER = 2 };

/* static without fence, progress fenced, NOP fenced, data. */
static void arm_linux(const struct tls_conn *c, unsigned int fences)
{
	tls_static(&w, c, c->first, false);
	tls_progress(&w, c, fences & F_PROGRESS);
	tls_nop(&w, fences & F_AFTER);
}

/* static and progress without, the fence on the first data. */
static void arm_xlio(const struct tls_conn *c, unsigned int fences)
{
	tls_static(&w, c, c->first, false);
	tls_progress(&w, c, false);
	tls_send(&w, c, 0, MSS, fences & F_AFTER);
}

static struct tls_conn *new_conn(unsigned int id, bool v13, uint8_t key_len)
{
	struct tls_conn *c = tls_conn(&w, id, v13, key_len);

	tls_stream(c, UINT64_C(0x100000000) - 3 + id, lengths, RECORDS);
	return c;
}

static void recipes_arm(void **state)
{
	unsigned int id = 0;

	for (int v13 = 0; v13 < 2; v13++)
		for (uint8_t len = 16; len <= 32; len += 16) {
			struct tls_conn *c = new_conn(id++, v13, len);

			arm_linux(c, F_PROGRESS | F_AFTER);
			tls_send_all(&w, c, 0, MSS);
			expect_right(c);
			c = new_conn(id++, v13, len);
			arm_xlio(c, F_AFTER);
			tls_send_all(&w, c, MSS, MSS);
			expect_right(c);
		}
	assert_int_equal(tls_stat(&w, "static_params"), id);
	assert_int_equal(tls_stat(&w, "progress_params"), id);
	assert_int_equal(tls_stat(&w, "records"), id * RECORDS);
	assert_int_equal(tls_stat(&w, "overtaken"), 0);
	assert_int_equal(tls_stat(&w, "unarmed"), 0);
	assert_int_equal(tls_stat(&w, "lost"), 0);
	assert_int_equal(tls_stat(&w, "encrypted_bytes"),
			 (w.c[0].n + w.c[1].n + w.c[4].n + w.c[5].n) * 2);
}

/* The fence in the progress WQE is not needed: the one after it covers both. */
static void one_fence_covers_both(void **state)
{
	struct tls_conn *c = new_conn(0, true, 16);

	arm_linux(c, F_AFTER);
	tls_send_all(&w, c, 0, MSS);
	expect_right(c);
}

static void arming_without_fence(void **state)
{
	unsigned int id = 0;

	for (int v13 = 0; v13 < 2; v13++)
		for (unsigned int fences = 0; fences <= F_PROGRESS; fences++) {
			struct tls_conn *c = new_conn(id++, v13, 16);

			arm_linux(c, fences);
			tls_send_all(&w, c, 0, MSS);
			expect_garbage(c);
			c = new_conn(id++, v13, 16);
			arm_xlio(c, 0);
			tls_send_all(&w, c, MSS, MSS);
			expect_garbage(c);
		}
	assert_int_equal(tls_stat(&w, "overtaken"), id);
	assert_int_equal(tls_stat(&w, "unarmed"), id);
}

/* A fence that came before the update does not help. */
static void fence_too_early(void **state)
{
	struct tls_conn *c = new_conn(0, false, 16);

	tls_static(&w, c, c->first, true);
	tls_progress(&w, c, true);
	tls_send_all(&w, c, 0, MSS);
	expect_garbage(c);
}

/* Many arms, one fenced NOP, then data of all: everything in one doorbell. */
static void batch(void **state)
{
	static const size_t one[] = {300};

	for (unsigned int i = 0; i < TLS_CONNS; i++) {
		struct tls_conn *c = tls_conn(&w, i, i & 1, i & 2 ? 16 : 32);

		tls_stream(c, i, one, 1);
		tls_static(&w, c, i, false);
		tls_progress(&w, c, false);
	}
	tls_nop(&w, true);
	for (unsigned int i = 0; i < 30; i++)
		tls_send(&w, &w.c[i], 0, w.c[i].n, false);
	assert_true(tls_run(&w, NULL));
	for (unsigned int i = 30; i < TLS_CONNS; i++)
		tls_send(&w, &w.c[i], 0, w.c[i].n, false);
	assert_true(tls_run(&w, NULL));
	for (unsigned int i = 0; i < TLS_CONNS; i++)
		expect_right(&w.c[i]);
	assert_int_equal(tls_stat(&w, "overtaken"), 0);
}

/* The fence may be in a WQE of another connection; other connections' data changes nothing. */
static void fence_of_another(void **state)
{
	struct tls_conn *c = new_conn(0, true, 16), *d = new_conn(1, false, 16);

	arm_linux(c, F_AFTER);
	tls_send(&w, c, 0, MSS, false);
	tls_static(&w, d, d->first, false);
	tls_progress(&w, d, false);
	tls_send(&w, c, MSS, MSS, false); /* does not make it take effect */
	tls_send(&w, c, 2 * MSS, MSS, true);
	tls_send(&w, d, 0, MSS, false);
	tls_send_all(&w, c, 3 * MSS, MSS);
	tls_send_all(&w, d, MSS, MSS);
	expect_right(c);
	expect_right(d);
	assert_int_equal(tls_stat(&w, "overtaken"), 0);
}

/* A packet without payload neither waits for the context nor moves it. */
static void bare_acks(void **state)
{
	struct tls_conn *c = new_conn(0, false, 16);

	tls_static(&w, c, c->first, false);
	tls_progress(&w, c, false);
	tls_send(&w, c, 0, 0, false);
	tls_nop(&w, true);
	tls_send(&w, c, 0, MSS, false);
	tls_send(&w, c, MSS, 0, false);
	tls_send_all(&w, c, MSS, MSS);
	expect_right(c);
	assert_int_equal(c->frames, 2 + (c->n + MSS - 1) / MSS);
	assert_int_equal(tls_stat(&w, "overtaken"), 0);
}

/* -- resynchronisation ---------------------------------------------------------------------------------------- */

/* Where record i begins in the stream. */
static size_t start_of(const struct tls_conn *c, unsigned int i)
{
	size_t at = 0;

	for (unsigned int r = 0; r < i; r++)
		at += lengths[r] + tls_overhead(&c->k);
	return at;
}

static unsigned int record_at(const struct tls_conn *c, size_t at)
{
	unsigned int i = 0;

	while (i + 1 < RECORDS && start_of(c, i + 1) <= at)
		i++;
	return i;
}

enum { R_UPDATE = 1, R_AFTER = 2, R_ALL = 3 };
enum how { LINUX, XLIO, SKIP_STATIC };

/* Move the context to byte `at`: update, fence, DUMPs of what is before it in its record. */
static void resync(const struct tls_conn *c, size_t at, enum how how, unsigned int fences)
{
	unsigned int rec = record_at(c, at);
	size_t from = start_of(c, rec);
	bool after = fences & R_AFTER;

	if (how != SKIP_STATIC)
		tls_static(&w, c, c->first + rec, fences & R_UPDATE);
	tls_progress(&w, c, how == SKIP_STATIC && (fences & R_UPDATE));
	if (how != XLIO || from == at) {
		tls_nop(&w, after);
		after = false;
	}
	for (size_t n; from < at; from += n, after = false) {
		n = at - from < 400 ? at - from : 400;
		tls_dump(&w, c, from, n, after);
	}
}

/*
 * In one doorbell: the packet [0, 2 * MSS), then [at, at + MSS) again, then the rest after a resync. The wire shows
 * whether every one of them is what it must be.
 */
static bool retransmission(unsigned int id, bool v13, size_t at, enum how how, unsigned int fences)
{
	struct tls_conn *c = new_conn(id, v13, 16);
	bool good;

	arm_linux(c, F_AFTER);
	tls_send(&w, c, 0, 2 * MSS, false);
	resync(c, at, how, fences);
	tls_send(&w, c, at, MSS, false);
	assert_true(tls_run(&w, NULL));
	resync(c, 2 * MSS, LINUX, R_ALL);
	tls_send_all(&w, c, 2 * MSS, MSS);
	good = tls_right(c);
	assert_true(tls_no_clear(c));
	assert_int_equal(w.bad_sums, 0);
	return good;
}

static void recipes_resync(void **state)
{
	for (int v13 = 0; v13 < 2; v13++)
		for (size_t at = 0; at < 1000; at += 97) {
			assert_true(retransmission(0, v13, at, LINUX, R_ALL));
			assert_true(retransmission(0, v13, at, XLIO, R_ALL));
		}
	/* record 0 is the one that was programmed last */
	assert_true(retransmission(0, false, 200, SKIP_STATIC, R_ALL));
	assert_int_equal(tls_stat(&w, "overtaken"), 0);
	assert_int_equal(tls_stat(&w, "lost"), 0);
}

/* Without the fence in the update it overtakes the packet before; without the one after it data overtakes it. */
static void resync_without_fence(void **state)
{
	for (int v13 = 0; v13 < 2; v13++)
		for (unsigned int fences = 0; fences < R_ALL; fences++) {
			assert_false(retransmission(0, v13, 800, LINUX, fences));
			assert_false(retransmission(0, v13, 800, XLIO, fences));
			assert_false(retransmission(0, v13, 300, LINUX, fences & ~R_AFTER));
		}
	assert_false(retransmission(0, false, 200, SKIP_STATIC, R_UPDATE));
	assert_true(tls_stat(&w, "overtaken") >= 13);
}

/* The update was posted when the data before it was long done: no fence is needed against overtaking. */
static void unfenced_update_in_a_later_doorbell(void **state)
{
	struct tls_conn *c = new_conn(0, true, 16);

	arm_linux(c, F_AFTER);
	tls_send(&w, c, 0, 2 * MSS, false);
	assert_true(tls_run(&w, NULL));
	resync(c, 800, LINUX, R_AFTER);
	tls_send(&w, c, 800, MSS, false);
	tls_send_all(&w, c, 800 + MSS, MSS);
	expect_right(c);
}

/* Every byte of a small record, its tag and both its edges, as Linux does it. */
static void resync_at_every_byte(void **state)
{
	static const size_t small[] = {40, 100, 60};

	for (int v13 = 0; v13 < 2; v13++) {
		struct tls_conn *c = tls_conn(&w, (unsigned int)v13, v13, 16);
		size_t start = 40 + tls_overhead(&c->k), end = start + 100 + tls_overhead(&c->k);

		for (size_t at = start; at <= end; at++) {
			tls_stream(c, 77, small, 3);
			tls_static(&w, c, 77, false);
			tls_progress(&w, c, false);
			tls_nop(&w, true);
			tls_send(&w, c, 0, at, false);
			tls_static(&w, c, at == end ? 79 : 78, true);
			tls_progress(&w, c, false);
			tls_nop(&w, true);
			if (at > start && at < end)
				tls_dump(&w, c, start, at - start, false);
			tls_send(&w, c, at, c->n - at, false);
			assert_true(tls_run(&w, NULL));
			expect_right(c);
		}
	}
}

/* -- keys ------------------------------------------------------------------------------------------------------- */

static void sync_crypto(void)
{
	uint8_t in[PRM_BYTES(sync_crypto_in)] = {0}, out[PRM_BYTES(sync_crypto_out)];

	PRM_SET(sync_crypto_in, in, opcode, PRM_CMD_OP_SYNC_CRYPTO);
	PRM_SET(sync_crypto_in, in, crypto_type,
		1 << PRM_GENERAL_OBJECT_TYPE_ENCRYPTION_KEY_PURPOSE_TLS);
	raw_do(&w.a, PROV_CMD_GENERAL, NULL, in, sizeof(in), out, sizeof(out));
}

/* A second connection on the same TIS and key slot: its key must not be taken before the sync, whatever was written. */
static void key_needs_a_sync(void **state)
{
	struct tls_conn *c = new_conn(0, true, 16);
	struct tls_keys old = c->k;

	arm_linux(c, F_AFTER);
	tls_send_all(&w, c, 0, MSS);
	expect_right(c);
	c->k.len = 32; /* the slot takes keys of both sizes */
	memset(c->k.key, 0x77, 32);
	raw_tls_key(&w.a, c->dek, c->dekn, c->k.key, 32);
	tls_stream(c, 0, lengths, RECORDS);
	arm_linux(c, F_AFTER);
	tls_send_all(&w, c, 0, MSS);
	expect_garbage(c);
	assert_int_equal(tls_check(&old, 0, c->wire, c->host, c->n), RECORDS);
	sync_crypto();
	tls_stream(c, 0, lengths, RECORDS);
	arm_linux(c, F_AFTER);
	tls_send_all(&w, c, 0, MSS);
	expect_right(c);
}

/* -- queue ------------------------------------------------------------------------------------------------------ */

/* A small ring and its index: each WQE at every place, more than 65536 blocks. */
static void wraps(void **state)
{
	static const size_t one[] = {40};
	struct tls_conn *c[2] = {tls_conn(&w, 0, false, 16), tls_conn(&w, 1, true, 32)};
	uint32_t blocks = 0;

	for (unsigned int i = 0; blocks < 70000; i++) {
		struct tls_conn *k = c[i & 1];
		uint16_t before = w.sq.pi;

		tls_stream(k, i, one, 1);
		tls_static(&w, k, i, false);
		tls_progress(&w, k, true);
		tls_nop(&w, true);
		tls_send(&w, k, 0, k->n, false);
		if (i % 5 == 0)
			tls_nop(&w, false);
		blocks += (uint16_t)(w.sq.pi - before);
		assert_true(tls_run(&w, NULL));
		expect_right(k);
	}
	assert_true(blocks > w.sq.pi);
}

static int small_setup(void **state)
{
	tls_open(&w, "", 3);
	return 0;
}

/* Number 0 is no context: the packet goes as it is. */
static void tis_0_is_plain(void **state)
{
	struct tls_conn *c = new_conn(0, false, 16);

	arm_linux(c, F_AFTER);
	c->tisn = 0;
	tls_send(&w, c, 0, MSS, false);
	assert_true(tls_run(&w, NULL));
	assert_memory_equal(c->wire, c->host, MSS);
	assert_int_equal(tls_stat(&w, "encrypted_packets"), 0);
}

static void restart(void)
{
	raw_sq_state(&w.a, &w.sq, PRM_SQC_STATE_ERR, PRM_SQC_STATE_RST);
	raw_sq_state(&w.a, &w.sq, PRM_SQC_STATE_RST, PRM_SQC_STATE_RDY);
}

/* A SEND of the n bytes of f on the TIS of c: the vendor syndrome, 0. */
static unsigned int send_frame(const struct tls_conn *c, const struct frame *f)
{
	unsigned int vendor = 0;
	uint8_t wqe[64] = {0};
	uint8_t *at = w.a.data + RAW_ARENA - sizeof(f->b);

	memcpy(at, f->b, f->n);
	PRM_SET(wqe_ctrl_seg, wqe, opcode, PRM_WQE_OP_SEND);
	PRM_SET(wqe_ctrl_seg, wqe, ds, 3);
	PRM_SET(wqe_ctrl_seg, wqe, tis_tir_num, c->tisn);
	PRM_SET(wqe_data_seg, wqe + 32, byte_count, f->n);
	PRM_SET(wqe_data_seg, wqe + 32, lkey, w.a.mr.lkey);
	PRM_SET(wqe_data_seg, wqe + 32, addr, (uint64_t)(uintptr_t)at);
	raw_post(&w.sq, wqe);
	if (!tls_run(&w, &vendor))
		restart();
	return vendor;
}

static void tcp_frame(struct frame *f, size_t payload)
{
	frame_eth(f, 0x0800);
	frame_ipv4(f, 6, 0);
	frame_tcp(f, 443, 1000);
	frame_pattern(f, payload);
	frame_end(f);
}

/* Only whole TCP packets have a place in the stream; what lies behind the IP packet would leave in clear. */
static void packets_of_no_stream(void **state)
{
	struct tls_conn *c = new_conn(0, false, 16);
	struct frame f;

	arm_linux(c, F_AFTER);
	frame_eth(&f, 0x0800);
	frame_ipv4(&f, 17, 0);
	frame_udp(&f, 443, 1000);
	frame_pattern(&f, 100);
	frame_end(&f);
	assert_int_equal(send_frame(c, &f), V_TLS_PACKET);
	tcp_frame(&f, 100);
	prm_put(f.b + 14, 48, 16, 0x2000); /* the first fragment of some */
	assert_int_equal(send_frame(c, &f), V_TLS_PACKET);
	tcp_frame(&f, 100);
	frame_pattern(&f, 1);
	assert_int_equal(send_frame(c, &f), V_TLS_PACKET);
	assert_int_equal(c->frames, 0);
	tcp_frame(&f, 0);
	frame_pattern(&f, 6); /* padding to the shortest frame */
	assert_int_equal(send_frame(c, &f), 0);
	assert_int_equal(c->frames, 1);
}

/* The port's MTU is the longest DUMP; the queue stops, and what it was about to arm is not armed. */
static void dump_above_the_mtu(void **state)
{
	struct tls_conn *c = new_conn(0, false, 16);
	unsigned int vendor = 0;

	arm_linux(c, F_AFTER);
	tls_dump(&w, c, 0, 1500, false);
	assert_true(tls_run(&w, NULL));
	tls_static(&w, c, c->first, false);
	tls_progress(&w, c, false);
	tls_dump(&w, c, 0, 1501, false);
	tls_send(&w, c, 0, MSS, true);
	assert_false(tls_run(&w, &vendor));
	assert_int_equal(vendor, V_TLS_DUMP);
	assert_int_equal(c->frames, 0);
	restart();
	tls_nop(&w, true);
	tls_send_all(&w, c, 0, MSS);
	expect_garbage(c);
	arm_linux(c, F_AFTER);
	tls_send_all(&w, c, 0, MSS);
	expect_right(c);
}

static int mtu_setup(void **state)
{
	tls_open(&w, "mtu=1500", LOG_SQ);
	return 0;
}

/* No order between queues: what one was given is not seen by the other's data, until the first has a fence. */
static void two_queues(void **state)
{
	struct tls_conn *c = new_conn(0, false, 16);
	struct raw_sq first, second;

	tls_static(&w, c, c->first, false);
	tls_progress(&w, c, false);
	assert_true(tls_run(&w, NULL));
	first = w.sq;
	raw_sq(&w.a, &w.sq, LOG_SQ, 8);
	tls_send(&w, c, 0, MSS, true);
	assert_true(tls_run(&w, NULL));
	assert_true(tls_no_clear(c));
	assert_int_equal(tls_stat(&w, "unarmed"), 1);
	second = w.sq;
	w.sq = first;
	tls_nop(&w, true);
	assert_true(tls_run(&w, NULL));
	w.sq = second;
	tls_send_all(&w, c, 0, MSS);
	expect_right(c);
}

/* A TIS that is gone takes its waiting update with it; so does a queue. */
static void destroyed_while_waiting(void **state)
{
	struct tls_conn *c = new_conn(0, false, 16), *d = new_conn(1, false, 16);
	uint8_t tis_in[PRM_BYTES(destroy_tis_in)] = {0}, tis_out[PRM_BYTES(destroy_tis_out)];
	uint8_t sq_in[PRM_BYTES(destroy_sq_in)] = {0}, sq_out[PRM_BYTES(destroy_sq_out)];

	arm_xlio(c, 0);
	tls_static(&w, c, c->first, false);
	tls_static(&w, d, d->first, false);
	tls_progress(&w, d, false);
	assert_true(tls_run(&w, NULL));
	PRM_SET(destroy_tis_in, tis_in, opcode, PRM_CMD_OP_DESTROY_TIS);
	PRM_SET(destroy_tis_in, tis_in, tisn, c->tisn);
	raw_do(&w.a, PROV_CMD_DESTROY, c->tis, tis_in, sizeof(tis_in), tis_out, sizeof(tis_out));
	tls_nop(&w, false);
	assert_true(tls_run(&w, NULL));
	PRM_SET(destroy_sq_in, sq_in, opcode, PRM_CMD_OP_DESTROY_SQ);
	PRM_SET(destroy_sq_in, sq_in, sqn, w.sq.sqn);
	raw_do(&w.a, PROV_CMD_DESTROY, w.sq.obj, sq_in, sizeof(sq_in), sq_out, sizeof(sq_out));
	raw_sq(&w.a, &w.sq, LOG_SQ, 8);
	tls_nop(&w, true);
	tls_send_all(&w, d, 0, MSS);
	expect_garbage(d);
	arm_linux(d, F_AFTER);
	tls_send_all(&w, d, 0, MSS);
	expect_right(d);
}

/* Two queues, each with a context of its own and one that they share, and a key that changes: for the sanitizers. */
static struct raw_sq queues[2];

static void *busy(void *arg)
{
	static struct tls_wire views[2];
	size_t me = (size_t)(uintptr_t)arg;
	struct tls_wire *v = &views[me];

	*v = w;
	v->sq = queues[me];
	for (unsigned int i = 0; i < 500; i++) {
		const struct tls_conn *c = &w.c[i % 3 ? me : 2];

		tls_static(v, c, 0, i & 1);
		tls_progress(v, c, false);
		tls_nop(v, i & 2);
		tls_dump(v, c, 0, 100, false);
		tls_tso(v, c, 0, c->n, 1448);
		raw_ring(&w.a, &v->sq);
		if (raw_poll(&v->sq.cq))
			return arg ? arg : v;
	}
	return NULL;
}

static void threads(void **state)
{
	pthread_t t[2];
	void *failed;

	for (unsigned int i = 0; i < 3; i++)
		new_conn(i, i & 1, 16);
	for (size_t i = 0; i < 2; i++)
		raw_sq(&w.a, &queues[i], LOG_SQ, 4); /* both before a thread copies w */
	for (size_t i = 0; i < 2; i++)
		assert_int_equal(pthread_create(&t[i], NULL, busy, (void *)(uintptr_t)i), 0);
	for (int i = 0; i < 20; i++)
		raw_tls_key(&w.a, w.c[2].dek, w.c[2].dekn, w.c[2].k.key, 16);
	for (int i = 0; i < 2; i++) {
		pthread_join(t[i], &failed);
		assert_null(failed);
	}
}

static int null_setup(void **state)
{
	tls_open(&w, "port=null", LOG_SQ);
	return 0;
}

/* -- firmware ---------------------------------------------------------------------------------------------------- */

static void without_tls(void **state)
{
	static struct world k;
	static struct mailbox m;
	static uint8_t out[MAILBOX_MAX_OUT];
	uint8_t *obj;

	assert_int_equal(world_init(&k, model_profile_find("no-tls")), 0);
	mailbox_build(&k, PRM_CMD_OP_CREATE_TIS, &m);
	PRM_SET(tisc, PRM_AT(create_tis_in, m.in, ctx), tls_en, 1);
	PRM_SET(tisc, PRM_AT(create_tis_in, m.in, ctx), pd, k.pd);
	assert_true(mailbox_exec(&k, &m, out) > 0);
	mailbox_build(&k, PRM_CMD_OP_CREATE_GENERAL_OBJECT, &m);
	obj = PRM_AT(create_encryption_key_in, m.in, encryption_key_object);
	assert_int_equal(mailbox_exec(&k, &m, out), 0); /* a key for IPsec is fine */
	PRM_SET(encryption_key_obj, obj, key_purpose,
		PRM_GENERAL_OBJECT_TYPE_ENCRYPTION_KEY_PURPOSE_TLS);
	assert_true(mailbox_exec(&k, &m, out) > 0);
	mailbox_build(&k, PRM_CMD_OP_SYNC_CRYPTO, &m);
	PRM_SET(sync_crypto_in, m.in, crypto_type,
		1 << PRM_GENERAL_OBJECT_TYPE_ENCRYPTION_KEY_PURPOSE_TLS);
	assert_true(mailbox_exec(&k, &m, out) > 0);
	world_fini(&k);
}

static void tis_needs_a_pd(void **state)
{
	static struct world k;
	static struct mailbox m;
	static uint8_t out[MAILBOX_MAX_OUT];

	assert_int_equal(world_init(&k, model_profile_find("connectx-6dx")), 0);
	mailbox_build(&k, PRM_CMD_OP_CREATE_TIS, &m);
	PRM_SET(tisc, PRM_AT(create_tis_in, m.in, ctx), tls_en, 1);
	PRM_SET(tisc, PRM_AT(create_tis_in, m.in, ctx), pd, 0);
	assert_true(mailbox_exec(&k, &m, out) > 0);
	PRM_SET(tisc, PRM_AT(create_tis_in, m.in, ctx), pd, k.pd);
	assert_int_equal(mailbox_exec(&k, &m, out), 0);
	world_fini(&k);
}

int main(void)
{
#define T(f) cmocka_unit_test_setup_teardown(f, setup, teardown)
	const struct CMUnitTest tests[] = {
		T(recipes_arm),
		T(one_fence_covers_both),
		T(arming_without_fence),
		T(fence_too_early),
		T(batch),
		T(fence_of_another),
		T(bare_acks),
		T(recipes_resync),
		T(resync_without_fence),
		T(unfenced_update_in_a_later_doorbell),
		T(resync_at_every_byte),
		T(key_needs_a_sync),
		T(tis_0_is_plain),
		T(packets_of_no_stream),
		T(two_queues),
		T(destroyed_while_waiting),
		cmocka_unit_test_setup_teardown(wraps, small_setup, teardown),
		cmocka_unit_test_setup_teardown(dump_above_the_mtu, mtu_setup, teardown),
		cmocka_unit_test_setup_teardown(threads, null_setup, teardown),
		cmocka_unit_test(without_tls),
		cmocka_unit_test(tis_needs_a_pd),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
