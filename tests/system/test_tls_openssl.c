// SPDX-License-Identifier: BSD-2-Clause
/*
 * TLS transmit offload against OpenSSL: MLXO_TLS_MB megabytes (100; 20 with sanitizers) per version and cipher, in three
 * connections: without losses, with 1 % and with 10 % of the packets lost. Retransmissions begin and end anywhere, the
 * connection moves between software and hardware, TCP sequence numbers wrap, records are of 0 to 16384 bytes. All of this is
 * the same each time; MLXO_TLS_SEED makes it another time.
 */
#include "tests/lib/tls_pair.h"

#include <stdlib.h>
#include <string.h>

#ifdef __has_feature
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define SANITIZED 1
#endif
#endif
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define SANITIZED 1
#endif
#ifdef SANITIZED
enum { MEGABYTES = 20 };
#else
enum { MEGABYTES = 100 };
#endif

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

static uint64_t amount(void)
{
	const char *mb = getenv("MLXO_TLS_MB");

	return (mb ? strtoull(mb, NULL, 10) : MEGABYTES) * 1000000u;
}

static uint32_t seed(void)
{
	const char *given = getenv("MLXO_TLS_SEED");

	return given ? (uint32_t)strtoul(given, NULL, 10) : 0x5eed;
}

/* One of these per kind. */
struct sum {
	uint64_t bytes, packets, lost, resent, resyncs, hw_records, sw_records, stalls;
};

static void add(struct sum *s, const struct tls_pair *p)
{
	struct mlxo_tls_info info = tls_bio_info(&p->bio);

	s->bytes += p->got;
	s->packets += p->bio.wire.packets;
	s->lost += p->bio.wire.dropped;
	s->resent += p->bio.resent;
	s->resyncs += info.resyncs;
	s->hw_records += info.hw_records;
	s->sw_records += info.sw_records;
	s->stalls += p->bio.stalls;
}

/* Mostly full records, some of one byte and of any length, now and then several at once. */
static uint32_t next_len(struct tls_bio *b)
{
	uint32_t r = tls_bio_random(b) % 16;

	if (r < 8)
		return 16384;
	if (r < 9)
		return 1;
	if (r < 11)
		return 65536 + tls_bio_random(b) % 65536;
	return 1 + tls_bio_random(b) % 16384;
}

/* Wherever it is, and with or without waiting for the key. */
static void maybe_move(struct tls_bio *b)
{
	uint32_t r = tls_bio_random(b) % 100;

	if (r < 2) {
		assert_int_equal(mlxo_tls_move(b->tls, false), 0);
	} else if (r < 8) {
		assert_int_equal(mlxo_tls_move(b->tls, true), 0);
		if (r < 6)
			assert_int_equal(mlxo_tls_wait(b->tls, 10000), 0);
	}
	mlxo_device_progress(rig.dev);
}

static void run(struct sum *sum, const struct tls_kind *kind, bool client_sends, uint64_t bytes,
		unsigned int drop_every, uint32_t start)
{
	struct tls_pair p;

	tls_pair_init(&p, &rig, kind, client_sends);
	p.bio.params.tcp_seq = start;
	p.bio.params.admission = MLXO_TLS_ADMIT_ALWAYS;
	p.bio.seed = start ^ seed() ^ drop_every;
	p.bio.again_every = 50;
	p.bio.stall_every = 40;
	tls_pair_handshake(&p);
	assert_non_null(p.bio.tls);
	p.bio.wire.drop_every = drop_every;
	while (p.wrote < bytes) {
		maybe_move(&p.bio);
		if (tls_bio_random(&p.bio) % 32 == 0)
			assert_int_equal(tls_bio_record(&p.bio, 23, p.copy, 0), 0);
		tls_pair_write(&p, next_len(&p.bio), tls_bio_random(&p.bio) % 2);
		tls_pair_read(&p);
	}
	tls_pair_check(&p);
	add(sum, &p);
	tls_pair_close(&p);
}

static void bulk(const struct tls_kind *kind)
{
	uint64_t bytes = amount();
	struct sum s = {0};

	run(&s, kind, false, bytes / 2, 0, 0xfff00000);
	run(&s, kind, false, bytes * 35 / 100, 100, 0xfffffc00);
	run(&s, kind, true, bytes * 15 / 100, 10, 0xfffffffe);
	print_message("%s: %llu bytes read by OpenSSL, %llu packets (%llu lost), %llu bytes sent "
		      "again, %llu resyncs, %llu hardware and %llu software records, %llu writes "
		      "tried again\n",
		      kind->name, (unsigned long long)s.bytes, (unsigned long long)s.packets,
		      (unsigned long long)s.lost, (unsigned long long)s.resent,
		      (unsigned long long)s.resyncs, (unsigned long long)s.hw_records,
		      (unsigned long long)s.sw_records, (unsigned long long)s.stalls);
	assert_true(s.bytes >= bytes);
	assert_true(s.hw_records && s.sw_records && s.lost && s.resyncs && s.stalls);
}

static void test_tls12_128(void **state)
{
	(void)state;
	bulk(&tls_kinds[0]);
}

static void test_tls12_256(void **state)
{
	(void)state;
	bulk(&tls_kinds[1]);
}

static void test_tls13_128(void **state)
{
	(void)state;
	bulk(&tls_kinds[2]);
}

static void test_tls13_256(void **state)
{
	(void)state;
	bulk(&tls_kinds[3]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_tls12_128, setup, teardown),
		cmocka_unit_test_setup_teardown(test_tls12_256, setup, teardown),
		cmocka_unit_test_setup_teardown(test_tls13_128, setup, teardown),
		cmocka_unit_test_setup_teardown(test_tls13_256, setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
