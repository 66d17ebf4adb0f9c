// SPDX-License-Identifier: BSD-2-Clause
/*
 * Known pitfalls of TLS transmit offload, 1: TCP positions, setting a context back, the ring.
 *
 * Pitfalls have numbers, which tests carry in their names or comments. Where each one is (ring, life, pools, many:
 * test_tls_pitfalls.c, test_tls_pitfalls_*.c here; pool_*: tests/unit and here; seam: tests/seam/test_tls.c):
 *
 *	T1	position moved without a packet			ring
 *	T2	context set, then a failure			ring, at every room of the ring
 *	T3	TCP numbers wrap				ring, at every byte of a record
 *	T4	the edge between records			ring
 *	T5	sent again from before the start		ring
 *	T6	sent again though acknowledged			ring
 *	T7	clear text by context number 0			pools, unit/pool_tis
 *	T8	wrong record number				ring
 *	T9	parameters skipped that are another's		ring, seam
 *	T10	DUMP longer than the MTU			ring
 *	T11	DUMP's memory given back early			ring
 *	T12	payload that changes				ring
 *	T13	sent again from inside the tag			ring, seam
 *	T14	missing fence					ring, seam
 *	T15	open multi-packet WQE				does not apply: none is ever used
 *	T16	long WQE at the ring's end			ring, at every position
 *	T17	ring without a CQE				ring
 *	T18	CQE inside of a sequence			ring
 *	T19	ring used to the last block			ring
 *	T20	blocks measured and written			ring
 *	T21	ranges across records				ring
 *	T22	success without a WQE				ring
 *	T23	too many retransmissions			life
 *	T24	one connection, two queues			ring, pools
 *	T25	old key in a slot used again			pools, pool_keys, unit/pool_dek
 *	T26	slot back during SYNC_CRYPTO			pools, unit/pool_dek
 *	T27	SYNC_CRYPTO fails				pools, unit/pool_dek
 *	T28	load of a key fails				pools, pool_keys, unit/pool_dek
 *	T29	given back while WQEs use it			pools, life
 *	T30	leak by a failed set-up				pools, unit/pool_tis
 *	T31	closed while filling				pools, unit/pool_dek, unit/pool_tis
 *	T32	destroy of a busy bulk				unit/pool_dek, unit/pool_tis
 *	T33	slot named by obj_id				seam
 *	T34	no more contexts or keys			pools, pool_keys, unit/pool_dek, unit/pool_tis
 *	T35	key number of more than 24 bits			unit/pool_dek
 *	T36	too many contexts				life
 *	T37	opens behind closes				many, unit/pool_exec
 *	T38	context held too long				life, seam
 *	T39	late answer of a command			pools, pool_keys, unit/pool_dek, unit/pool_tis
 *	T40	slot given back twice				unit/pool_dek
 *	T41	128 and 256 bits in one slot			pools, pool_keys, unit/pool_dek, seam
 *	T42-59	receiving					do not apply: nothing is received in hardware
 *	T60	TLS 1.3 silently in software			life
 *	T61	content type and IV of TLS 1.3			life, unit/tls_wqe
 *	T62	new key						life
 *	T63	records before the hand-over			life
 *	T64	partial record at hand-over			does not apply: receiving
 *	T65	enabled twice					life
 *	T66	record without plaintext			life
 *	T67	record too long, or left open			life
 *	T68	record numbers and keys used up			ring, life
 *	T69	device reset					life
 *	T70	half acknowledged				ring
 *	T71	bond of ports					does not apply: a device is one port
 *	T72	function without the capability			life, seam
 *	T73	checksums					ring, life
 *	T74	packets without payload				life
 *	T75	another queue for a connection			ring
 *	T76	WQEs too small					life, seam
 *	T77	key left in memory				life
 *	T78	a day later					does not apply: of receiving, on hardware
 *
 *	A22	100,000 connections on recycled objects		many
 *	A23	burst from idle					many
 *	A26	what can be offloaded				life
 *	A27	across 2^32					ring
 *	A35	enabled twice					life
 */
#include "tests/lib/tls_rig.h"
#include "tests/lib/tls_walk.h"
#include "offload/tls/plan.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { APP = 23, RING = 256, HEAD_1_2 = 13, TAG = 16 };

static struct tls_rig rig;

static const struct {
	int version, bits;
} kinds[] = {{12, 128}, {12, 256}, {13, 128}, {13, 256}};

static void open_rig(const char *options, uint32_t blocks)
{
	struct mlxo_tls_engine_opts o = {
		.tis_low = 4, .tis_high = 64, .key_log_bulk = 6, .retransmit_percent = 100};
	struct mlxo_tls_queue_opts q = {.sq_blocks = blocks};

	tls_rig_open(&rig, options, &o, &q);
}

static int setup(void **state)
{
	(void)state;
	open_rig("", RING);
	return 0;
}

/* What no right driver makes happen. */
static void assert_no_harm(void)
{
	assert_int_equal(tls_rig_model(&rig, "unarmed"), 0);
	assert_int_equal(tls_rig_model(&rig, "lost"), 0);
	assert_int_equal(tls_rig_model(&rig, "overtaken"), 0);
	assert_int_equal(tls_rig_stat(&rig, "errors"), 0);
}

static int teardown(void **state)
{
	(void)state;
	assert_no_harm();
	tls_rig_close(&rig);
	return 0;
}

/* Post and do not ring. */
static int post(struct tls_conn *c, uint32_t seq, uint32_t len)
{
	struct mlxo_tls_segment seg = {
		.hdr = c->hdr, .hdr_len = RIG_HDR, .mss = (uint16_t)c->mss, .seq = seq, .len = len};

	return mlxo_tls_send(c->tls, &seg);
}

static void ring_and_poll(void)
{
	mlxo_tls_queue_flush(rig.queue);
	assert_int_equal(mlxo_tls_queue_poll(rig.queue), 0);
}

static void open_hw(struct tls_conn *c, int version, int bits, uint32_t tcp_seq, uint64_t rec_seq)
{
	tls_conn_init(c, &rig, version, bits, (uint8_t)(version * 3 + bits));
	c->params.tcp_seq = tcp_seq;
	c->params.rec_seq = rec_seq;
	assert_int_equal(tls_conn_open(c), 0);
	tls_conn_hardware(c);
}

static void finish(struct tls_conn *c)
{
	tls_conn_check(c);
	tls_conn_ack(c);
	tls_conn_close(c);
}

static uint32_t record_len(int version, uint32_t plain)
{
	return plain + (version == 13 ? 5 + 1 + TAG : HEAD_1_2 + TAG);
}

static void fill_to(uint32_t room)
{
	uint32_t now = queue_sq_room(&rig.queue->sq);

	assert_in_range(now, 0, RING);
	for (; now > room; now--)
		queue_sq_nop(&rig.queue->sq, false);
}

/* -- the ring is full ------------------------------------------------------------------------------------------ */

/* One of three sends with `room` blocks of the ring free. Refused: nothing was posted, and what comes next is right. */
static bool send_with_room(struct tls_conn *c, int what, uint32_t room)
{
	struct mlxo_tls_info info;
	uint64_t before;
	uint32_t seq, len;
	int err;

	tls_conn_write(c, 2000);
	mlxo_tls_info(c->tls, &info);
	seq = c->next;
	len = info.nxt - c->next;
	if (what == 1) /* from the middle of an older record on */
		seq -= 700;
	if (what == 2) /* nothing new */
		seq -= 900, len = 300;
	ring_and_poll();
	fill_to(room);
	before = rig.queue->sq.posted;
	err = post(c, seq, what == 1 ? len + 700 : len);
	if (err) {
		assert_int_equal(err, -EAGAIN);
		assert_int_equal(rig.queue->sq.posted, before);
	}
	ring_and_poll();
	/* the next packet, as if nothing had been: TCP does not wait for the lost one */
	tls_conn_write(c, 500);
	assert_int_equal(post(c, info.nxt, record_len(c->peer.v13 ? 13 : 12, 500)), 0);
	ring_and_poll();
	assert_int_equal(post(c, seq, info.nxt - seq), 0);
	ring_and_poll();
	mlxo_tls_info(c->tls, &info);
	c->next = info.nxt;
	tls_conn_check(c);
	tls_conn_ack(c);
	return !err;
}

/* T1, T2, T22, T49: with every room that there can be, and every send. Then with records still to come. */
static void test_T1_T2_T22_ring_full(void **state)
{
	(void)state;
	for (size_t k = 0; k < 4; k++)
		for (int what = 0; what < 3; what++) {
			unsigned int went = 0;

			for (uint32_t room = 0; room < 24; room++) {
				struct tls_conn c;

				/* what 0: room for the first arming too */
				open_hw(&c, kinds[k].version, kinds[k].bits, 77, 1);
				if (what) {
					tls_conn_write(&c, 1500);
					tls_conn_flush(&c);
				}
				went += send_with_room(&c, what, room);
				tls_conn_close(&c);
			}
			assert_in_range(went, 1, 23);
		}
}

/* T1, T22: a queue that is in the error state says so; afterwards the next send is right, whatever was lost. */
static void test_T1_T22_queue_in_error(void **state)
{
	struct queue_wqe w = {0};
	struct queue_seg bad = {64, 0xffffff00, 10};
	struct tls_conn c;
	uint64_t before;
	uint8_t *to;

	(void)state;
	open_hw(&c, 12, 128, 5, 0);
	tls_conn_write(&c, 3000);
	tls_conn_flush(&c);
	to = queue_sq_begin(&rig.queue->sq, 1, &w);
	w.tisn = 0;
	queue_wqe_tls_dump(to, &w, &bad); /* no such memory: the queue stops */
	queue_sq_end(&rig.queue->sq, 1);
	tls_conn_write(&c, 400);
	assert_int_equal(post(&c, c.next, record_len(12, 400)), 0); /* will be flushed */
	mlxo_tls_queue_flush(rig.queue);
	assert_int_equal(mlxo_tls_queue_poll(rig.queue), -EIO);
	before = rig.queue->sq.posted;
	assert_int_equal(post(&c, c.next, record_len(12, 400)), -EIO);
	assert_int_equal(rig.queue->sq.posted, before);
	assert_int_equal(mlxo_tls_queue_recover(rig.queue), 0);
	rig.queue->sq.errors = 0; /* it was meant */
	tls_conn_flush(&c);
	finish(&c);
}

/* T17, T18: nothing is ever rung without a CQE at its very end, and none in between: a ring full of updates drains. */
static void test_T17_T18_completions(void **state)
{
	struct tls_conn c;
	struct tls_walk w;
	unsigned int n = 0;

	(void)state;
	open_hw(&c, 13, 128, 9, 0);
	tls_conn_write(&c, 5000);
	tls_conn_flush(&c);
	for (int lap = 0; lap < 5; lap++) {
		uint64_t from = rig.queue->sq.posted;

		for (int i = 0; i < RING && !post(&c, c.next - 3000 + n % 7 * 100, 1); i++)
			n++;
		assert_in_range(queue_sq_room(&rig.queue->sq), 0, 11);
		tls_walk(rig.queue, from, &w);
		assert_int_equal(w.signalled, 0);
		mlxo_tls_queue_flush(rig.queue);
		tls_walk(rig.queue, from, &w);
		assert_int_equal(w.signalled, 1);
		assert_int_equal(w.first_signal, w.n - 1);
		assert_int_equal(mlxo_tls_queue_poll(rig.queue), 0);
		assert_int_equal(queue_sq_room(&rig.queue->sq), RING);
	}
	assert_true(n > 5 * 10);
	finish(&c);
}

/* T19: used to the last block, again and again; what waited for completions is given back, once. */
static void test_T19_last_block(void **state)
{
	struct tls_conn c;
	uint64_t released = rig.released, records = 0;

	(void)state;
	open_hw(&c, 12, 256, 9, 0);
	for (int i = 0; i < 300; i++) {
		struct mlxo_tls_info info;
		uint64_t before;

		tls_conn_write(&c, 100 + (uint32_t)i);
		records++;
		mlxo_tls_info(c.tls, &info);
		before = rig.queue->sq.posted;
		assert_int_equal(post(&c, c.next, info.nxt - c.next), 0);
		assert_true(rig.queue->sq.posted > before);
		fill_to(0);
		assert_int_equal(queue_sq_room(&rig.queue->sq), 0);
		assert_int_equal(post(&c, c.next, 1), -EAGAIN);
		c.next = info.nxt;
		ring_and_poll();
		assert_int_equal(queue_sq_room(&rig.queue->sq), RING);
		tls_conn_ack(&c);
		assert_int_equal(rig.released - released, records);
	}
	assert_int_equal(tls_rig_stat(&rig, "blocks_in_use"), 0);
	finish(&c);
}

/* T16, T20: at every place of the ring. What was measured is what was written, nothing crosses the end. */
static void test_T16_T20_every_position(void **state)
{
	struct tls_conn c;
	struct tls_walk w;

	(void)state;
	open_hw(&c, 12, 128, 9, 0);
	tls_conn_write(&c, 6000);
	tls_conn_flush(&c);
	for (uint32_t at = 0; at < RING; at++) {
		uint64_t from;

		while ((rig.queue->sq.posted & (RING - 1)) != at)
			queue_sq_nop(&rig.queue->sq, false);
		ring_and_poll();
		from = rig.queue->sq.posted;
		c.mss = at % 3 ? RIG_MSS : 500;
		assert_int_equal(post(&c, c.next - 3000 - at, 2500), 0);
		tls_walk(rig.queue, from, &w);
		assert_true(w.n >= 4 && w.one_tisn);
		assert_in_range(w.blocks - rig.queue->plan->blocks, 0,
				rig.queue->plan->longest - 1);
		ring_and_poll();
	}
	finish(&c);
}

/* T16: the same where the block counter of 16 bits goes round. */
static void test_T16_counter_wraps(void **state)
{
	struct tls_conn c;

	(void)state;
	open_hw(&c, 13, 256, 9, 0);
	tls_conn_write(&c, 6000);
	tls_conn_flush(&c);
	for (uint32_t before = 0; before < 16; before++) {
		while ((rig.queue->sq.posted & 0xffff) != 0x10000 - before - 1) {
			if (!queue_sq_room(&rig.queue->sq))
				ring_and_poll();
			queue_sq_nop(&rig.queue->sq, false);
		}
		ring_and_poll();
		assert_int_equal(post(&c, c.next - 4000, 4000), 0);
		ring_and_poll();
	}
	finish(&c);
}

/* -- positions ------------------------------------------------------------------------------------------------- */

/* Send [seq, seq + n) again: the context is set back, exactly the bytes before it in its record are read again. */
static void again(struct tls_conn *c, uint32_t seq, uint32_t n, uint32_t before)
{
	uint64_t dumped = tls_rig_stat(&rig, "tx_tls_dump_bytes"), from = rig.queue->sq.posted;
	struct tls_walk w;

	assert_int_equal(post(c, seq, n), 0);
	assert_int_equal(tls_rig_stat(&rig, "tx_tls_dump_bytes") - dumped, before);
	tls_walk(rig.queue, from, &w);
	assert_int_equal(w.dump_bytes, before);
	assert_true(w.csum); /* T73 */
	if (before)
		assert_non_null(strchr(w.text, 'd')); /* fenced, no NOP */
	else
		assert_non_null(strstr(w.text, strchr(w.text, 'p') ? "pn" : "Pn"));
	assert_null(strpbrk(w.text, "CK"));
	ring_and_poll();
}

/* T3, T4, T8, T13: every byte of a record of 100 bytes that lies across 2^32 - 1, in four lengths. */
static void test_T3_T4_T13_every_offset(void **state)
{
	(void)state;
	for (size_t k = 0; k < 4; k++) {
		struct tls_conn c;
		const uint32_t first = 0xfffffff0;
		uint32_t len = record_len(kinds[k].version, 100);

		open_hw(&c, kinds[k].version, kinds[k].bits, first, 7);
		tls_conn_write(&c, 100);
		tls_conn_write(&c, 300);
		tls_conn_flush(&c);
		for (uint32_t off = 0; off < len; off++) {
			again(&c, first + off, 1, off);
			again(&c, first + off, (len - off + 1) / 2, off);
			again(&c, first + off, len - off, off);
			again(&c, first + off, len - off + 50, off);
		}
		/* T4: the end of a record is the start of the next */
		again(&c, first + len, 1, 0);
		again(&c, first + len, 200, 0);
		finish(&c);
	}
}

/* A27: starts 1,024 bytes below 2^32; nothing is set back but what is sent again. */
static void test_A27_across_2_32(void **state)
{
	(void)state;
	for (size_t k = 0; k < 4; k++) {
		uint64_t set = tls_rig_stat(&rig, "tx_tls_ctx"),
			 back = tls_rig_stat(&rig, "tx_tls_ooo");
		struct tls_conn c;

		open_hw(&c, kinds[k].version, kinds[k].bits, 0xfffffc00, 0);
		for (int i = 0; i < 10; i++) {
			tls_conn_write(&c, 700);
			tls_conn_flush(&c);
			if (i % 3 == 2)
				tls_conn_ack(&c);
		}
		assert_int_equal(tls_rig_stat(&rig, "tx_tls_ctx") - set, 1);
		assert_int_equal(tls_rig_stat(&rig, "tx_tls_ooo") - back, 0);
		finish(&c);
	}
}

/* T5, T6, T7, T70: what the peer has, or was there before: left out, never sent in clear, never a crash. */
static void test_T5_T6_T70_acknowledged(void **state)
{
	struct tls_conn c;
	uint32_t first = 0xfffff000, len = record_len(13, 2000);
	uint64_t packets, drops = tls_rig_stat(&rig, "tx_tls_drop_no_sync_data");

	(void)state;
	open_hw(&c, 13, 128, first, 0);
	for (int i = 0; i < 4; i++)
		tls_conn_write(&c, 2000);
	tls_conn_flush(&c);
	assert_int_equal(mlxo_tls_ack(c.tls, first + len + 100), 0); /* inside the second */
	packets = c.peer.packets;
	assert_int_equal(post(&c, first - 1000, 1000), 0); /* T5: before the start */
	assert_int_equal(post(&c, first - 1000, 1100), 0); /* across it */
	assert_int_equal(post(&c, first, len), 0);	   /* T6: gone */
	assert_int_equal(post(&c, first + len, 100), 0);   /* of a record that is still there */
	assert_int_equal(post(&c, first - 50, 50 + len + 100), 0);
	ring_and_poll();
	assert_int_equal(c.peer.packets, packets);
	assert_int_equal(tls_rig_stat(&rig, "tx_tls_drop_no_sync_data") - drops, 5);
	/* T70: half of it is acknowledged, the rest goes from there on */
	again(&c, first + 20, len + 500, 100);
	again(&c, first + len, 101, 100);
	/* beyond what was written */
	assert_int_equal(post(&c, first + 4 * len - 1, 2), -ERANGE);
	assert_int_equal(post(&c, first + 4 * len + 5, 10), -ERANGE);
	assert_int_equal(post(&c, first + 4 * len + 5, INT32_MAX), -ERANGE);
	assert_int_equal(mlxo_tls_ack(c.tls, first + 4 * len + 2), -ERANGE);
	finish(&c);
}

/* T8: the number of a record that is set back to, wherever counting starts. */
static void test_T8_record_numbers(void **state)
{
	static const uint64_t starts[] = {0, 1, UINT32_MAX, UINT64_MAX - 4};

	(void)state;
	for (size_t k = 0; k < 4; k++)
		for (size_t s = 0; s < 4; s++) {
			struct tls_conn c;
			uint32_t len = record_len(kinds[k].version, 50);

			open_hw(&c, kinds[k].version, kinds[k].bits, 1, starts[s]);
			for (int i = 0; i < 4; i++)
				tls_conn_write(&c, 50);
			tls_conn_flush(&c);
			for (uint32_t i = 4; i-- > 0;) {
				uint64_t from = rig.queue->sq.posted;
				struct tls_walk w;

				assert_int_equal(post(&c, 1 + i * len + 20, 10), 0);
				tls_walk(rig.queue, from, &w);
				assert_true(w.rec_no == starts[s] + i);
				ring_and_poll();
			}
			finish(&c);
		}
}

/* T8, T68: number 2^64 - 2 is the last one. */
static void test_T8_T68_last_number(void **state)
{
	struct tls_conn c;

	(void)state;
	open_hw(&c, 12, 128, 1, UINT64_MAX - 1);
	tls_conn_write(&c, 50);
	tls_conn_flush(&c);
	assert_int_equal(tls_conn_try_write(&c, APP, "x", 1), -EKEYEXPIRED);
	again(&c, 1 + 30, 20, 30);
	finish(&c);
	tls_conn_init(&c, &rig, 12, 128, 3);
	c.params.rec_seq = UINT64_MAX;
	assert_int_equal(tls_conn_open(&c), 0);
	assert_int_equal(tls_conn_try_write(&c, APP, "x", 1), -EKEYEXPIRED);
	tls_conn_close(&c);
}

/* -- static parameters ------------------------------------------------------------------------------------------ */

static unsigned int sets(const struct tls_walk *w)
{
	unsigned int n = 0;

	for (unsigned int i = 0; i < w->n; i++)
		n += (w->text[i] | 0x20) == 's';
	return n;
}

static void back_to(struct tls_conn *c, uint32_t seq, struct tls_walk *w)
{
	uint64_t from = rig.queue->sq.posted;

	assert_int_equal(post(c, seq, 10), 0);
	tls_walk(rig.queue, from, w);
	ring_and_poll();
}

/* T9: the same record twice costs its parameters once; another connection with the same number on the same context has its own. */
static void test_T9_same_number_twice(void **state)
{
	uint32_t len = record_len(12, 100), tisn;
	struct tls_conn a, b;
	struct tls_walk w;

	(void)state;
	open_hw(&a, 12, 128, 1, 0);
	for (int i = 0; i < 6; i++)
		tls_conn_write(&a, 100);
	tls_conn_flush(&a);
	back_to(&a, 1 + 5 * len + 40, &w);
	assert_int_equal(sets(&w), 1);
	assert_true(w.rec_no == 5);
	back_to(&a, 1 + 5 * len + 20, &w);
	assert_int_equal(sets(&w), 0);
	assert_string_equal(w.text, "pdDT");
	back_to(&a, 1 + 5 * len, &w);
	assert_string_equal(w.text, "pnT");
	tisn = w.tisn;
	finish(&a);

	tls_conn_init(&b, &rig, 12, 128, 99);
	b.params.tcp_seq = 1;
	b.params.rec_seq = 5;
	assert_int_equal(tls_conn_open(&b), 0);
	tls_conn_hardware(&b);
	tls_conn_write(&b, 100);
	back_to(&b, 1, &w);
	assert_int_equal(w.tisn, tisn); /* else this proves nothing */
	assert_string_equal(w.text, "SpnT");
	assert_true(w.rec_no == 5);
	tls_conn_flush(&b);
	finish(&b);
}

/* T9: after the queue was reset nothing is known of its contexts. */
static void test_T9_after_recovery(void **state)
{
	struct tls_conn c;
	struct tls_walk w;

	(void)state;
	open_hw(&c, 13, 128, 1, 3);
	tls_conn_write(&c, 200);
	tls_conn_flush(&c);
	rig.queue->sq.failed = true;
	assert_int_equal(mlxo_tls_queue_recover(rig.queue), 0);
	back_to(&c, 1, &w);
	assert_string_equal(w.text, "SpnT");
	finish(&c);
}

/* -- DUMP ------------------------------------------------------------------------------------------------------- */

/* T10: no longer than the MTU, whatever the record is made of. The model refuses longer ones. */
static void dumps_of_mtu(const char *options, uint32_t mtu)
{
	struct tls_conn c;
	struct tls_walk w;

	open_rig(options, 1024);
	open_hw(&c, 12, 128, 1, 0);
	tls_conn_write(&c, 16384);
	tls_conn_flush(&c);
	back_to(&c, 1 + 16384, &w);
	assert_int_equal(w.longest_dump, mtu);
	assert_int_equal(w.dump_bytes, 16384);
	/* copied: one piece of memory */
	assert_int_equal(tls_conn_try_write(&c, APP, c.expect, 16000), 0);
	tls_conn_flush(&c);
	back_to(&c, c.next - 10, &w);
	assert_int_equal(w.longest_dump, mtu);
	finish(&c);
	teardown(NULL);
}

static void test_T10_dump_and_mtu(void **state)
{
	(void)state;
	dumps_of_mtu("mtu=1500", 1500);
	dumps_of_mtu("mtu=9000", 9000);
}

/* T11: acknowledged between the resynchronisation and its completion: the payload is still being read. */
static void test_T11_acknowledged_while_read(void **state)
{
	struct tls_conn c;
	uint8_t *mine = malloc(5000);

	(void)state;
	memset(mine, 0x5a, 5000);
	assert_int_equal(mlxo_tls_memory_register(rig.engine, mine, 5000), 0);
	open_hw(&c, 12, 128, 1, 0);
	assert_int_equal(tls_conn_try_write(&c, APP, mine, 5000), 0);
	tls_conn_flush(&c);
	assert_int_equal(post(&c, 1 + 4000, 900), 0);
	tls_conn_ack(&c);
	assert_int_equal(rig.released, 0);
	assert_int_equal(mlxo_tls_queue_poll(rig.queue), 0);
	assert_int_equal(rig.released, 0);
	mlxo_tls_queue_flush(rig.queue);
	assert_int_equal(rig.released, 0); /* done, but nobody looked */
	assert_int_equal(mlxo_tls_queue_poll(rig.queue), 0);
	assert_int_equal(rig.released, 1);
	finish(&c);
	assert_int_equal(mlxo_tls_memory_unregister(rig.engine, mine), 0);
	free(mine);
}

/* T12: what was copied may change at once; what is held is said to be, and is released once. */
static void test_T12_payload_that_changes(void **state)
{
	uint8_t text[3000];
	struct mlxo_tls_written w;
	struct iovec iov = {text, sizeof(text)};
	struct tls_conn c;

	(void)state;
	memset(text, 'a', sizeof(text));
	open_hw(&c, 13, 128, 1, 0);
	assert_int_equal(mlxo_tls_write(c.tls, APP, &iov, 1, NULL, &w), 0);
	assert_false(w.held);
	memcpy(c.expect, text, sizeof(text));
	c.wrote = sizeof(text);
	memset(text, 'b', sizeof(text));
	tls_conn_flush(&c);
	memset(text, 'c', sizeof(text));
	again(&c, 1 + 2000, 500, 2000);
	iov.iov_base = rig.payload;
	assert_int_equal(mlxo_tls_write(c.tls, APP, &iov, 1, NULL, &w), 0);
	assert_true(w.held);
	memcpy(c.expect + c.wrote, rig.payload, sizeof(text));
	c.wrote += sizeof(text);
	tls_conn_flush(&c);
	assert_int_equal(rig.released, 0);
	finish(&c);
	assert_int_equal(rig.released, 1);
}

/* -- order ------------------------------------------------------------------------------------------------------ */

/* Frames of several connections by the low byte of their source port. */
static void demux(void *ctx, uint64_t when, const uint8_t *frame, size_t len)
{
	struct tls_conn *c = ctx;

	tls_peer_frame(&c[frame[35]].peer, when, frame, len);
}

/* T14: many connections are armed behind one doorbell, each one's first packet behind other ones' updates. */
static void test_T14_arming_many(void **state)
{
	enum { N = 8 };
	static struct tls_conn c[N];

	(void)state;
	for (int round = 0; round < 3; round++) {
		for (int i = 0; i < N; i++) {
			open_hw(&c[i], 12 + i % 2, 128, 1, 0);
			c[i].hdr[35] = (uint8_t)i;
			tls_conn_write(&c[i], 700);
		}
		mlxo_model_wire_watch(rig.dev, demux, c);
		for (int i = 0; i < N; i++)
			assert_int_equal(post(&c[i], 1, 300), 0);
		for (int i = N; i-- > 0;)
			assert_int_equal(post(&c[i], 1 + (uint32_t)i, 50), 0);
		for (int i = 0; i < N; i++)
			tls_conn_flush(&c[i]);
		for (int i = 0; i < N; i++)
			tls_conn_check(&c[i]);
		for (int i = 0; i < N; i++)
			finish(&c[i]);
	}
}

/* T14: each way to set a context has its fence; without them the model lets data overtake. */
static void test_T14_fences(void **state)
{
	struct tls_conn c;
	struct tls_walk w;
	uint32_t len = record_len(13, 400);

	(void)state;
	open_hw(&c, 13, 128, 1, 0);
	for (int i = 0; i < 3; i++)
		tls_conn_write(&c, 400);
	back_to(&c, 1, &w);
	assert_string_equal(w.text, "SpnT");
	tls_conn_flush(&c);
	back_to(&c, 1 + len, &w);
	assert_string_equal(w.text, "sPnT");
	back_to(&c, 1 + 2 * len + 100, &w);
	assert_string_equal(w.text, "sPdDT");
	back_to(&c, 1 + 2 * len + 10, &w);
	assert_string_equal(w.text, "pdDT");
	finish(&c);
}

/* T21: ranges that cross records, and retransmissions merged with new data. */
static void test_T21_ranges(void **state)
{
	(void)state;
	for (size_t k = 0; k < 4; k++) {
		struct tls_conn c;
		struct mlxo_tls_info info;
		uint32_t at;

		open_hw(&c, kinds[k].version, kinds[k].bits, 0xffff0000, 0);
		for (uint32_t i = 0; i < 40; i++) {
			tls_conn_write(&c, i * 37 % 900);
			if (i % 4 == 0)
				tls_conn_flush(&c);
			else if (i % 4 == 3) { /* old and new in one, from anywhere */
				mlxo_tls_info(c.tls, &info);
				at = c.next - 600 - i;
				if (tls_seq_diff(at, info.una) < 0)
					at = info.una;
				assert_int_equal(post(&c, at, info.nxt - at), 0);
				ring_and_poll();
				c.next = info.nxt;
			}
		}
		tls_conn_flush(&c);
		finish(&c);
	}
}

/* T24, T75: all that names a connection's context is on its queue; it moves by close and open, when the old queue is done. */
static void test_T24_T75_one_queue(void **state)
{
	struct mlxo_tls_queue_opts qopts = {.size = sizeof(qopts), .sq_blocks = RING};
	struct mlxo_tls_queue *other;
	struct mlxo_tls_info info;
	struct tls_walk w;
	struct tls_conn c;
	uint64_t from;

	(void)state;
	assert_int_equal(mlxo_tls_queue_create(rig.engine, &qopts, &other), 0);
	from = other->sq.posted;
	open_hw(&c, 12, 128, 1, 0);
	tls_conn_write(&c, 3000);
	tls_conn_flush(&c);
	again(&c, 1 + 1000, 100, 1000);
	assert_int_equal(other->sq.posted, from);
	tls_conn_ack(&c);
	mlxo_tls_info(c.tls, &info);
	mlxo_tls_close(c.tls);
	tls_rig_settle(&rig);
	c.params.tcp_seq = info.nxt;
	c.params.rec_seq = info.rec_seq;
	c.tls = NULL;
	assert_int_equal(mlxo_tls_open(other, &c.params, &c.tls), 0);
	assert_int_equal(mlxo_tls_move(c.tls, true), 0);
	assert_int_equal(mlxo_tls_wait(c.tls, 1000), 0);
	c.rig = &rig;
	tls_conn_write(&c, 100);
	from = other->sq.posted;
	assert_int_equal(post(&c, c.next, record_len(12, 100)), 0);
	tls_walk(other, from, &w);
	assert_string_equal(w.text, "SpnT");
	mlxo_tls_queue_flush(other);
	assert_int_equal(mlxo_tls_queue_poll(other), 0);
	finish(&c);
	mlxo_tls_queue_destroy(other);
}

#define T(test) cmocka_unit_test_setup_teardown(test, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		T(test_T1_T2_T22_ring_full),
		T(test_T1_T22_queue_in_error),
		T(test_T17_T18_completions),
		T(test_T19_last_block),
		T(test_T16_T20_every_position),
		T(test_T16_counter_wraps),
		T(test_T3_T4_T13_every_offset),
		T(test_A27_across_2_32),
		T(test_T5_T6_T70_acknowledged),
		T(test_T8_record_numbers),
		T(test_T8_T68_last_number),
		T(test_T9_same_number_twice),
		T(test_T9_after_recovery),
		cmocka_unit_test(test_T10_dump_and_mtu),
		T(test_T11_acknowledged_while_read),
		T(test_T12_payload_that_changes),
		T(test_T14_arming_many),
		T(test_T14_fences),
		T(test_T21_ranges),
		T(test_T24_T75_one_queue),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
