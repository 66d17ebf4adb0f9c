// SPDX-License-Identifier: BSD-2-Clause
/*
 * Moves between software and hardware before every record of a connection, and before every pair of records, with OpenSSL as
 * reader: the stream is intact, also where it is sent again across a border.
 */
#include "tests/lib/tls_pair.h"

#include <errno.h>

enum { RECORDS = 24, TYPE_DATA = 23 };

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

/* Before record `to_hw` to hardware, before record `to_sw` back (RECORDS: not at all). */
struct moves {
	int to_hw, to_sw;
	uint32_t border[RECORDS + 1]; /* TCP sequence numbers of the records */
};

static void move(struct tls_bio *b, bool hardware)
{
	assert_int_equal(mlxo_tls_move(b->tls, hardware), 0);
	assert_int_equal(mlxo_tls_wait(b->tls, 10000), 0);
	assert_int_equal(tls_bio_info(b).state, hardware ? MLXO_TLS_HARDWARE : MLXO_TLS_SOFTWARE);
}

static void write_records(struct tls_pair *p, struct moves *m)
{
	static const uint32_t lens[] = {1, 16384, 100, 0, 4000, 1399, 17, 9000};

	for (int i = 0; i < RECORDS; i++) {
		uint32_t len = lens[i % 8] + (i % 8 == 3 ? 0 : (uint32_t)i / 8);

		if (len > 16384)
			len = 16384;
		if (i == m->to_hw)
			move(&p->bio, true);
		if (i == m->to_sw)
			move(&p->bio, false);
		m->border[i] = tls_bio_info(&p->bio).nxt;
		if (len)
			tls_pair_write(p, len, i % 3);
		else
			assert_int_equal(tls_bio_record(&p->bio, TYPE_DATA, p->copy, 0), 0);
	}
	m->border[RECORDS] = tls_bio_info(&p->bio).nxt;
}

/* From anywhere in the record before the border to anywhere in the one behind it. */
static void cross(struct tls_pair *p, const struct moves *m, int i)
{
	uint32_t before, behind;

	if (i == 0 || i >= RECORDS)
		return;
	before = 1 + tls_bio_random(&p->bio) % (m->border[i] - m->border[i - 1]);
	behind = 1 + tls_bio_random(&p->bio) % (m->border[i + 1] - m->border[i]);
	tls_bio_again(&p->bio, m->border[i] - before, before + behind);
}

static void check_counts(const struct tls_pair *p, const struct moves *m, uint64_t before)
{
	struct mlxo_tls_info info = tls_bio_info(&p->bio);
	int last = m->to_sw < RECORDS ? m->to_sw : RECORDS;

	assert_int_equal(info.hw_records, m->to_hw < RECORDS ? last - m->to_hw : 0);
	assert_int_equal(info.hw_records + info.sw_records, before + RECORDS);
}

static void run(const struct tls_kind *kind, struct moves *m)
{
	struct tls_pair p;
	uint64_t before;

	tls_pair_init(&p, &rig, kind, false);
	p.bio.params.tcp_seq = 0xffffff00u - (uint32_t)m->to_hw * 1000;
	p.bio.params.admission = MLXO_TLS_ADMIT_NEVER;
	p.bio.seed = (uint32_t)(m->to_hw * 100 + m->to_sw + 1);
	tls_pair_handshake(&p);
	assert_non_null(p.bio.tls);
	before = tls_bio_info(&p.bio).sw_records;
	write_records(&p, m);
	cross(&p, m, m->to_hw);
	cross(&p, m, m->to_sw);
	tls_bio_again(&p.bio, m->border[0], m->border[RECORDS] - m->border[0]);
	check_counts(&p, m, before);
	tls_pair_check(&p);
	tls_pair_close(&p);
}

static void enumerate(const struct tls_kind *kind)
{
	struct moves m;

	for (m.to_hw = 0; m.to_hw <= RECORDS; m.to_hw++)
		for (m.to_sw = m.to_hw + 1; m.to_sw <= RECORDS || m.to_sw == m.to_hw + 1; m.to_sw++)
			run(kind, &m);
}

static void test_tls12(void **state)
{
	(void)state;
	enumerate(&tls_kinds[0]);
	enumerate(&tls_kinds[1]);
}

static void test_tls13(void **state)
{
	(void)state;
	enumerate(&tls_kinds[2]);
	enumerate(&tls_kinds[3]);
}

/* The key is on the device still, because a record under it is not acknowledged: there is nothing to wait for. */
static void test_back_before_acknowledged(void **state)
{
	struct tls_pair p;

	(void)state;
	tls_pair_init(&p, &rig, &tls_kinds[3], false);
	p.bio.params.admission = MLXO_TLS_ADMIT_ALWAYS;
	tls_pair_handshake(&p);
	for (int i = 0; i < 10; i++) {
		tls_pair_write(&p, 5000, true);
		assert_int_equal(mlxo_tls_move(p.bio.tls, false), 0);
		if (i % 2)
			tls_pair_write(&p, 5000, true);
		assert_int_equal(mlxo_tls_move(p.bio.tls, true), 0);
		assert_int_equal(tls_bio_info(&p.bio).state, MLXO_TLS_HARDWARE);
	}
	tls_pair_check(&p);
	tls_pair_close(&p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_back_before_acknowledged, setup, teardown),
		cmocka_unit_test_setup_teardown(test_tls12, setup, teardown),
		cmocka_unit_test_setup_teardown(test_tls13, setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
