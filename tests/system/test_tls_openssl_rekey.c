// SPDX-License-Identifier: BSD-2-Clause
/*
 * KeyUpdate of TLS 1.3 in the middle of a stream that OpenSSL reads: in software, in hardware, while a key is being loaded, many
 * in a row, asked for by the peer; records under old keys are sent again after it, by the device with its old key.
 */
#include "tests/lib/tls_pair.h"

#include <errno.h>

enum { TYPE_DATA = 23, PIECE = 10000 };

static struct tls_rig rig;

static int setup(void **state)
{
	struct mlxo_tls_engine_opts o = {.retransmit_percent = 100};

	(void)state;
	tls_rig_open(&rig, "", &o, NULL);
	tls_pair_payload(&rig);
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	tls_rig_close(&rig);
	return 0;
}

static void open_pair(struct tls_pair *p, int kind, bool client_sends,
		      enum mlxo_tls_admission admission)
{
	tls_pair_init(p, &rig, &tls_kinds[kind], client_sends);
	p->bio.params.tcp_seq = 0xffffa000;
	p->bio.params.admission = admission;
	p->bio.seed = (uint32_t)kind * 2 + client_sends + 7;
	tls_pair_handshake(p);
	assert_non_null(p->bio.tls);
}

static enum mlxo_tls_state state_of(const struct tls_pair *p)
{
	return tls_bio_info(&p->bio).state;
}

static void move(struct tls_pair *p, bool hardware)
{
	assert_int_equal(mlxo_tls_move(p->bio.tls, hardware), 0);
	assert_int_equal(mlxo_tls_wait(p->bio.tls, 10000), 0);
	assert_int_equal(state_of(p), hardware ? MLXO_TLS_HARDWARE : MLXO_TLS_SOFTWARE);
}

/* Pieces of the stream between a and b, in any order, many more than once. */
static void shuffle(struct tls_pair *p, uint32_t a, uint32_t b)
{
	for (int i = 0; i < 40; i++) {
		uint32_t at = a + tls_bio_random(&p->bio) % (b - a);

		tls_bio_again(&p->bio, at, 1 + tls_bio_random(&p->bio) % 3000);
	}
}

/* Software before and after: nothing asks for hardware. */
static void test_software(void **state)
{
	(void)state;
	for (int i = 0; i < 4; i++) {
		struct tls_pair p;

		open_pair(&p, 2 + i / 2, i % 2, MLXO_TLS_ADMIT_NEVER);
		tls_pair_write(&p, PIECE, true);
		tls_pair_update(&p, false);
		tls_pair_write(&p, PIECE, true);
		assert_int_equal(state_of(&p), MLXO_TLS_SOFTWARE);
		assert_int_equal(tls_bio_info(&p.bio).hw_records, 0);
		tls_pair_check(&p);
		tls_pair_close(&p);
	}
}

/*
 * Hardware: the first records under the new key are software's, then it is loaded. Nothing was acknowledged, so what is sent
 * again needs the old key on the device.
 */
static void test_hardware(void **state)
{
	(void)state;
	for (int i = 0; i < 4; i++) {
		struct tls_pair p;
		uint32_t first, nxt;
		uint64_t hw, resyncs;

		open_pair(&p, 2 + i / 2, i % 2, MLXO_TLS_ADMIT_ALWAYS);
		first = tls_bio_info(&p.bio).nxt;
		for (int k = 0; k < 5; k++)
			tls_pair_write(&p, PIECE, k % 2);
		tls_pair_update(&p, false);
		assert_int_equal(state_of(&p), MLXO_TLS_LOADING);
		tls_pair_write(&p, PIECE, true);
		hw = tls_bio_info(&p.bio).hw_records;
		assert_int_equal(mlxo_tls_wait(p.bio.tls, 10000), 0);
		assert_int_equal(state_of(&p), MLXO_TLS_HARDWARE);
		for (int k = 0; k < 5; k++)
			tls_pair_write(&p, PIECE, k % 2);
		assert_int_equal(tls_bio_info(&p.bio).hw_records, hw + 5);
		nxt = tls_bio_info(&p.bio).nxt;
		resyncs = tls_bio_info(&p.bio).resyncs;
		shuffle(&p, first, nxt);
		assert_true(tls_bio_info(&p.bio).resyncs > resyncs + 20);
		/* old records by the device, not by libcrypto after all */
		assert_int_equal(tls_rig_stat(&rig, "records_sealed_late"), 0);
		tls_pair_write(&p, PIECE, true);
		tls_pair_check(&p);
		tls_pair_close(&p);
	}
}

/* Again before the key of the last time is loaded; the first key is wanted still. */
static void test_loading(void **state)
{
	(void)state;
	for (int i = 0; i < 2; i++) {
		struct tls_pair p;
		uint32_t first;

		open_pair(&p, 2 + i, false, MLXO_TLS_ADMIT_ALWAYS);
		first = tls_bio_info(&p.bio).nxt;
		tls_pair_write(&p, PIECE, true);
		for (int k = 0; k < 4; k++) {
			tls_pair_update(&p, false);
			assert_int_equal(state_of(&p), MLXO_TLS_LOADING);
			if (k % 2)
				tls_pair_write(&p, PIECE, true);
		}
		shuffle(&p, first, tls_bio_info(&p.bio).nxt);
		assert_int_equal(mlxo_tls_wait(p.bio.tls, 10000), 0);
		assert_int_equal(state_of(&p), MLXO_TLS_HARDWARE);
		tls_pair_write(&p, PIECE, true);
		shuffle(&p, first, tls_bio_info(&p.bio).nxt);
		tls_pair_check(&p);
		tls_pair_close(&p);
	}
}

/* The first move to hardware is under way. */
static void test_first_load(void **state)
{
	struct tls_pair p;

	(void)state;
	open_pair(&p, 2, false, MLXO_TLS_ADMIT_NEVER);
	tls_pair_write(&p, PIECE, true);
	assert_int_equal(mlxo_tls_move(p.bio.tls, true), 0);
	assert_int_equal(state_of(&p), MLXO_TLS_LOADING);
	tls_pair_update(&p, false);
	tls_pair_write(&p, PIECE, true);
	assert_int_equal(mlxo_tls_wait(p.bio.tls, 10000), 0);
	assert_int_equal(state_of(&p), MLXO_TLS_HARDWARE);
	tls_pair_write(&p, PIECE, true);
	assert_int_equal(tls_bio_info(&p.bio).hw_records, 1);
	tls_pair_check(&p);
	tls_pair_close(&p);
}

/* Many generations at once on the device, each with records that may be sent again. */
static void test_many(void **state)
{
	(void)state;
	for (int i = 0; i < 2; i++) {
		struct tls_pair p;
		uint32_t first;

		open_pair(&p, 2 + i, false, MLXO_TLS_ADMIT_ALWAYS);
		first = tls_bio_info(&p.bio).nxt;
		for (int k = 0; k < 20; k++) {
			tls_pair_write(&p, PIECE, k % 2);
			tls_pair_update(&p, false);
			if (k % 3)
				assert_int_equal(mlxo_tls_wait(p.bio.tls, 10000), 0);
			if (k % 5 == 4)
				move(&p, false);
			if (k % 5 == 0)
				move(&p, true);
		}
		shuffle(&p, first, tls_bio_info(&p.bio).nxt);
		tls_bio_again(&p.bio, first, tls_bio_info(&p.bio).nxt - first);
		tls_pair_check(&p);
		assert_int_equal(p.bio.key_updates, 20);
		tls_pair_close(&p);
	}
}

/* Who asks the other for a new key, too. */
static void test_asked(void **state)
{
	(void)state;
	for (int i = 0; i < 4; i++) {
		struct tls_pair p;

		open_pair(&p, 2 + i / 2, i % 2, MLXO_TLS_ADMIT_ALWAYS);
		p.bio.stall_every = 2;
		for (int k = 0; k < 6; k++) {
			tls_pair_write(&p, PIECE, true);
			if (k % 2)
				tls_pair_update(&p, true);
			else
				tls_pair_update_by_peer(&p);
			tls_pair_write(&p, PIECE, false);
		}
		tls_pair_check(&p);
		tls_pair_close(&p);
	}
}

/* With losses, moves and retransmissions all the time. */
static void test_losses(void **state)
{
	(void)state;
	for (int i = 0; i < 2; i++) {
		struct tls_pair p;

		open_pair(&p, 2 + i, false, MLXO_TLS_ADMIT_ALWAYS);
		p.bio.wire.drop_every = 20;
		p.bio.again_every = 5;
		p.bio.stall_every = 7;
		for (int k = 0; k < 300; k++) {
			uint32_t r = tls_bio_random(&p.bio);

			if (r % 16 == 0)
				tls_pair_update(&p, false);
			if (r % 64 == 17)
				assert_int_equal(mlxo_tls_move(p.bio.tls, false), 0);
			if (r % 8 == 2)
				assert_int_equal(mlxo_tls_move(p.bio.tls, true), 0);
			if (r % 5 == 0)
				assert_int_equal(mlxo_tls_wait(p.bio.tls, 10000), 0);
			tls_pair_write(&p, 1 + r / 64 % 20000, r % 2);
			tls_pair_read(&p);
		}
		tls_pair_check(&p);
		assert_true(p.bio.key_updates > 5);
		print_message("%s: %llu bytes, %llu key updates, %llu resyncs\n",
			      tls_kinds[2 + i].name, (unsigned long long)p.got,
			      (unsigned long long)p.bio.key_updates,
			      (unsigned long long)tls_bio_info(&p.bio).resyncs);
		tls_pair_close(&p);
	}
}

/* TLS 1.2 has none; the connection does not notice. */
static void test_tls12(void **state)
{
	uint8_t material[28] = {1};
	struct mlxo_secret *s = mlxo_secret_new(material, sizeof(material));
	struct tls_pair p;

	(void)state;
	assert_non_null(s);
	open_pair(&p, 0, false, MLXO_TLS_ADMIT_ALWAYS);
	tls_pair_write(&p, PIECE, true);
	assert_int_equal(mlxo_tls_rekey(p.bio.tls, s), -EOPNOTSUPP);
	tls_pair_write(&p, PIECE, true);
	assert_int_equal(state_of(&p), MLXO_TLS_HARDWARE);
	tls_pair_check(&p);
	tls_pair_close(&p);
	mlxo_secret_destroy(s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_software, setup, teardown),
		cmocka_unit_test_setup_teardown(test_hardware, setup, teardown),
		cmocka_unit_test_setup_teardown(test_loading, setup, teardown),
		cmocka_unit_test_setup_teardown(test_first_load, setup, teardown),
		cmocka_unit_test_setup_teardown(test_many, setup, teardown),
		cmocka_unit_test_setup_teardown(test_asked, setup, teardown),
		cmocka_unit_test_setup_teardown(test_losses, setup, teardown),
		cmocka_unit_test_setup_teardown(test_tls12, setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
