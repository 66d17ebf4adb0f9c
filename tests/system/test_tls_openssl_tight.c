// SPDX-License-Identifier: BSD-2-Clause
/*
 * Little room and much trouble: a ring of 256 blocks, buffers of a few records, one packet in five lost, something sent again
 * after every other record, segments of all sizes, moves all the time. OpenSSL reads.
 */
#include "tests/lib/tls_pair.h"
#include "tests/lib/test_device.h"

#include <errno.h>

enum { TYPE_DATA = 23, BYTES = 3000000 };

static struct tls_rig rig;

static int setup(void **state)
{
	struct mlxo_tls_engine_opts o = {.retransmit_percent = 100};
	struct mlxo_tls_queue_opts q = {.sq_blocks = 256, .buffer_bytes = 512 << 10};

	(void)state;
	tls_rig_open(&rig, "", &o, &q);
	tls_pair_payload(&rig);
	return 0;
}

/* Defaults: too many retransmissions lead to software, and back later. */
static int setup_defaults(void **state)
{
	(void)state;
	tls_rig_open(&rig, "", NULL, NULL);
	tls_pair_payload(&rig);
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	tls_rig_close(&rig);
	return 0;
}

static void open_pair(struct tls_pair *p, int kind, bool client_sends)
{
	tls_pair_init(p, &rig, &tls_kinds[kind], client_sends);
	p->bio.params.tcp_seq = 0xffff0000u + (uint32_t)kind * 777;
	p->bio.seed = (uint32_t)kind * 2 + client_sends + 99;
	tls_pair_handshake(p);
	assert_non_null(p->bio.tls);
}

/* The key may be on its way back from the device: another time, then. */
static void move(struct tls_bio *b, bool hardware)
{
	int err = mlxo_tls_move(b->tls, hardware);

	if (err != -EAGAIN)
		assert_int_equal(err, 0);
	tls_rig_settle(&rig);
}

/* A packet of them has more pieces than a work request takes. */
static void write_tiny(struct tls_pair *p)
{
	uint32_t first = tls_bio_info(&p->bio).nxt;

	for (int i = 0; i < 80; i++)
		tls_pair_write(p, 1 + (uint32_t)i % 3, true);
	tls_bio_again(&p->bio, first, tls_bio_info(&p->bio).nxt - first);
}

static void test_little_room(void **state)
{
	static const uint16_t mss[] = {100, 536, 1400, 1446, 1399, 333, 1000, 1};

	(void)state;
	for (int i = 0; i < 2 * TLS_KINDS; i++) {
		struct tls_pair p;

		open_pair(&p, i / 2, i % 2);
		p.bio.window = 1000000; /* the buffers are less */
		p.bio.ring_every = 20;
		p.bio.again_every = 2;
		p.bio.stall_every = 3;
		p.bio.wire.drop_every = 5;
		while (p.wrote < BYTES) {
			uint32_t r = tls_bio_random(&p.bio), len = 1 + r % 16384;

			p.bio.mss = mss[r / 16384 % 8];
			if (p.bio.mss == 1)
				p.bio.mss = (uint16_t)(20 + len % 80);
			if (r >> 28 == 0)
				move(&p.bio, false);
			else if (r >> 28 < 4)
				move(&p.bio, true);
			if ((r >> 24) % 16 == 7)
				write_tiny(&p);
			tls_pair_write(&p, len, r >> 17 & 1);
			tls_pair_read(&p);
		}
		tls_pair_check(&p);
		assert_true(tls_bio_info(&p.bio).hw_records && tls_bio_info(&p.bio).sw_records);
		tls_pair_close(&p);
	}
	assert_true(tls_rig_stat(&rig, "linearized_packets") && tls_rig_stat(&rig, "ring_full") &&
		    tls_rig_stat(&rig, "buffers_full"));
	print_message("%llu packets copied together, %llu times no room in the ring, %llu times no "
		      "buffer\n",
		      (unsigned long long)tls_rig_stat(&rig, "linearized_packets"),
		      (unsigned long long)tls_rig_stat(&rig, "ring_full"),
		      (unsigned long long)tls_rig_stat(&rig, "buffers_full"));
}

/* Every byte of a record is a packet of its own, then every pair of its places is where a retransmission begins and ends. */
static void test_every_byte(void **state)
{
	(void)state;
	for (int i = 0; i < TLS_KINDS; i++) {
		struct tls_pair p;
		uint32_t first, n;

		open_pair(&p, i, false);
		move(&p.bio, true);
		tls_pair_write(&p, 10, true);
		first = tls_bio_info(&p.bio).nxt;
		p.bio.mss = 1;
		tls_pair_write(&p, 20, true);
		assert_int_equal(tls_bio_record(&p.bio, TYPE_DATA, p.copy, 0), 0);
		tls_pair_write(&p, 5, false);
		n = tls_bio_info(&p.bio).nxt - first;
		p.bio.mss = RIG_MSS;
		for (uint32_t a = 0; a < n; a++)
			for (uint32_t b = a + 1; b <= n; b++)
				tls_bio_again(&p.bio, first + a, b - a);
		assert_true(tls_bio_info(&p.bio).resyncs >= n * (n - 1) / 2);
		tls_pair_check(&p);
		tls_pair_close(&p);
	}
}

/* Write records of up to len bytes until the queue's buffers are used up; nothing arrives. */
static void fill(struct tls_pair *p, uint32_t len, bool registered)
{
	const uint8_t *from = registered ? rig.payload : p->copy;
	struct mlxo_tls_written w;
	int err;

	p->bio.wire.drop_every = 1;
	do {
		uint32_t at = (uint32_t)(p->wrote % RIG_PAYLOAD);
		struct iovec iov = {(void *)(uintptr_t)(from + at),
				    len < RIG_PAYLOAD - at ? len : RIG_PAYLOAD - at};

		err = mlxo_tls_write(p->bio.tls, TYPE_DATA, &iov, 1, NULL, &w);
		if (err)
			break;
		p->wrote += iov.iov_len;
		tls_bio_again(&p->bio, w.seq, w.len);
	} while (!err);
	assert_int_equal(err, -EAGAIN);
	p->bio.wire.drop_every = 0;
}

static void reset(void)
{
	assert_int_equal(mlxo_model_reset(rig.dev), 0);
	assert_int_equal(mlxo_tls_engine_recover(rig.engine), 0);
}

/*
 * The device is reset while all buffers are in use: what was the device's to encrypt is encrypted here, and there must be
 * room for it, because nothing is given back before something arrives.
 */
static void test_reset_when_full(void **state)
{
	static const struct {
		uint32_t len;
		bool registered;
	} cases[] = {{100, true}, {400, true}, {16384, false}, {5000, false}};

	(void)state;
	test_device_needs_model("a context of libmlx5 does not outlive a reset of its NIC");
	for (int i = 0; i < 2 * TLS_KINDS; i++) {
		struct tls_pair p;
		uint64_t sealed = tls_rig_stat(&rig, "records_sealed_late");

		open_pair(&p, i / 2, i % 2);
		p.bio.mss = 300;
		move(&p.bio, true);
		fill(&p, cases[i % 4].len, cases[i % 4].registered);
		reset();
		for (int k = 0; k < 20; k++)
			tls_bio_again(&p.bio, tls_peer_next(&p.bio.wire), 700);
		reset(); /* with some that are encrypted and did not arrive */
		tls_pair_check(&p);
		assert_true(tls_rig_stat(&rig, "records_sealed_late") > sealed);
		move(&p.bio, true);
		tls_pair_write(&p, 50000, true);
		assert_int_equal(tls_bio_info(&p.bio).state, MLXO_TLS_HARDWARE);
		tls_pair_check(&p);
		tls_pair_close(&p);
	}
}

/* As it comes: adaptive admission, and software while too much is lost. */
static void test_defaults(void **state)
{
	(void)state;
	for (int i = 0; i < TLS_KINDS; i++) {
		struct tls_pair p;

		open_pair(&p, i, false);
		for (int k = 0; k < 300; k++) {
			p.bio.wire.drop_every = k / 100 == 1 ? 5 : 0;
			tls_pair_write(&p, 16384, k % 2);
			tls_rig_settle(&rig);
			tls_pair_read(&p);
			if (k == 99)
				assert_int_equal(tls_bio_info(&p.bio).state, MLXO_TLS_HARDWARE);
		}
		tls_pair_check(&p);
		tls_pair_close(&p);
	}
	assert_true(tls_rig_stat(&rig, "moved_to_software") >= TLS_KINDS);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_little_room, setup, teardown),
		cmocka_unit_test_setup_teardown(test_every_byte, setup, teardown),
		cmocka_unit_test_setup_teardown(test_reset_when_full, setup, teardown),
		cmocka_unit_test_setup_teardown(test_defaults, setup_defaults, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
