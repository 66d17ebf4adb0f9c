// SPDX-License-Identifier: BSD-2-Clause
/*
 * The TLS engine on hand-made objects: known records, records made by OpenSSL in one go against the engine's walk in
 * pieces, resync at every byte, everything that makes it lose the stream, the key cache.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "lib/tls_records.h"
#include "providers/model/model.h"

enum { DEKN = 0x1000, SLOTS = 4, PD = 7, UID = 2, ARENA = 1 << 16 };

static struct model_dev dev;
static struct model_tis tis;
static struct model_dek dek;
static struct model_key slots[SLOTS];
static uint8_t card_key[32]; /* what the key cache has */
static uint32_t card_gen;
static uint8_t stream[ARENA], want[ARENA], got[ARENA];

/* -- in place of firmware -------------------------------------------------------------------------------- */

struct model_obj *model_obj_find(struct model_dev *d, enum model_type type, uint32_t id)
{
	return type == MODEL_DEK && id >= DEKN && id < DEKN + SLOTS ? &dek.o : NULL;
}

int model_key_get(struct model_dev *d, struct model_dek *k, uint32_t n, uint8_t key[32],
		  uint8_t *len, uint32_t *gen)
{
	memcpy(key, card_key, 32);
	*len = slots[n].len;
	*gen = card_gen;
	slots[n].cache_gen = card_gen;
	slots[n].cached = true;
	return 0;
}

static int setup(void **state)
{
	memset(&dev, 0, sizeof(dev));
	memset(&tis, 0, sizeof(tis));
	memset(&dek, 0, sizeof(dek));
	memset(slots, 0, sizeof(slots));
	dek.o.id = DEKN;
	dek.o.count = SLOTS;
	dek.o.uid = tis.o.uid = UID;
	dek.pd = tis.pd = PD;
	dek.purpose = PRM_GENERAL_OBJECT_TYPE_ENCRYPTION_KEY_PURPOSE_TLS;
	dek.birth = 1;
	dek.keys = slots;
	slots[0].len = 16;
	card_gen = 1;
	for (unsigned int i = 0; i < 32; i++)
		card_key[i] = (uint8_t)i;
	tis.tls_en = true;
	tis.tls = model_tls_new();
	return tis.tls ? 0 : -1;
}

static int teardown(void **state)
{
	model_tls_free(tis.tls);
	return 0;
}

static uint64_t stat(enum model_tls_stat what)
{
	return atomic_load(&dev.tls[what]);
}

/* -- records ---------------------------------------------------------------------------------------------- */

static struct tls_keys keys = {
	.iv = {0xa0, 0xa1, 0xa2, 0xa3, 0xa4, 0xa5, 0xa6, 0xa7, 0xa8, 0xa9, 0xaa, 0xab}};

static void arm(bool v13, uint64_t record)
{
	struct model_tls_params p = {.v13 = v13, .record = record, .dekn = DEKN};

	memcpy(p.iv, keys.iv, v13 ? 12 : 4);
	model_tls_set(tis.tls, &p);
	model_tls_arm(tis.tls);
}

static void fill(uint8_t *b, size_t n)
{
	for (size_t i = 0; i < n; i++)
		b[i] = (uint8_t)(i * 7 + 3);
}

/* Records first..first + count - 1 with data of the given lengths into stream and want. Returns the bytes. */
static size_t make_stream(bool v13, uint64_t first, const size_t *lengths, size_t count)
{
	static uint8_t data[ARENA];
	size_t at = 0;

	keys.v13 = v13;
	keys.len = slots[0].len;
	memcpy(keys.key, card_key, 32);
	fill(data, sizeof(data));
	for (size_t i = 0; i < count; i++) {
		size_t n = tls_write(&keys, stream + at, 0x5000 + first + i, data, lengths[i]);

		memcpy(want + at, stream + at, n);
		tls_seal(&keys, want + at, first + i);
		at += n;
	}
	return at;
}

static void hex(uint8_t *to, const char *text)
{
	for (; *text; text += 2) {
		char pair[3] = {text[0], text[1], 0};

		*to++ = (uint8_t)strtoul(pair, NULL, 16);
	}
}

/* -- known records ---------------------------------------------------------------------------------------- */

static void known(bool v13, uint64_t number, const char *text, const char *wire)
{
	uint8_t right[64];
	size_t n;

	keys.v13 = v13;
	n = tls_write(&keys, got, number, text, strlen(text));
	hex(right, wire);
	assert_int_equal(n, strlen(wire) / 2);
	model_tls_run(&dev, &tis, got, n);
	assert_memory_equal(got, right, n);
}

static void known_1_2(void **state)
{
	arm(false, 0);
	known(false, 0, "Hello world",
	      "17030300230000000000000000c238a2f128af430021aa4ec14abed603be7a4c5d2cef0ddf8730ad");
	known(false, 1, "", "17030300180000000000000001d79670dd3af26918a0b50e44b238d58e");
	known(false, 2, "Hello world",
	      "17030300230000000000000002e9430a11de66dca87fccdf50f60c3b944351cbb1497c9b50b645d4");
	assert_int_equal(stat(MODEL_TLS_N_RECORDS), 3);
	assert_int_equal(stat(MODEL_TLS_N_LOST), 0);
}

static void known_1_3(void **state)
{
	arm(true, 0);
	known(true, 0, "Hello world",
	      "170303001ce2e354d711a94465f814d1179f79325215fb7a23efde3f5d3c6b1dc1");
	known(true, 1, "",
	      "1703030011"
	      "2838db292c5ab891189d5abdc81a752330");
}

/* -- the walk --------------------------------------------------------------------------------------------- */

static void walk_in_steps(bool v13, uint64_t first, size_t n, size_t step, size_t lead)
{
	memcpy(got, stream, n);
	arm(v13, first);
	for (size_t at = 0, m = lead ? lead : step; at < n; at += m, m = step) {
		if (m > n - at)
			m = n - at;
		model_tls_run(&dev, &tis, got + at, m);
	}
	assert_memory_equal(got, want, n);
	assert_int_equal(tis.tls->state, MODEL_TLS_ARMED);
}

/* Two and three small records, cut at every place, and into pieces of every length. */
static void every_split(void **state)
{
	static const size_t lengths[] = {11, 0, 40};

	for (int v13 = 0; v13 < 2; v13++) {
		size_t n = make_stream(v13, 41, lengths, 3);

		for (size_t cut = 1; cut < n; cut++)
			walk_in_steps(v13, 41, n, n, cut);
		for (size_t step = 1; step <= n; step++)
			walk_in_steps(v13, 41, n, step, 0);
	}
}

static void big_records_and_keys(void **state)
{
	static const size_t lengths[] = {16384, 1, 16384, 0, 5000};

	for (int bits = 128; bits <= 256; bits += 128)
		for (int v13 = 0; v13 < 2; v13++) {
			size_t n;

			slots[0].len = (uint8_t)(bits / 8);
			slots[0].cached = false;
			card_gen++;
			n = make_stream(v13, UINT64_C(0xfffffffffffffff0), lengths, 5);
			walk_in_steps(v13, UINT64_C(0xfffffffffffffff0), n, 1460, 0);
			walk_in_steps(v13, UINT64_C(0xfffffffffffffff0), n, n, 77);
		}
	assert_int_equal(stat(MODEL_TLS_N_LOST), 0);
}

/* Armed at record k, the bytes before the cut moved through unseen: what follows is right, inside the tag too. */
static void resync_at_every_byte(void **state)
{
	static const size_t lengths[] = {30, 100, 60};

	for (int v13 = 0; v13 < 2; v13++) {
		size_t n = make_stream(v13, 7, lengths, 3), start = v13 ? 30 + 22 : 30 + 29,
		       end = start + 100 + (v13 ? 22 : 29);

		for (size_t cut = start; cut <= end; cut++) {
			arm(v13, cut == end ? 9 : 8);
			memcpy(got, stream, n);
			if (cut < end)
				model_tls_run(&dev, &tis, got + start, cut - start);
			model_tls_run(&dev, &tis, got + cut, n - cut);
			assert_memory_equal(got + cut, want + cut, n - cut);
		}
	}
}

/* -- losing the stream ------------------------------------------------------------------------------------- */

static void expect_noise(size_t from, size_t n)
{
	for (size_t i = from; i < n; i++)
		if (got[i] == stream[i])
			fail_msg("byte %zu left in clear", i);
}

static void bad_headers(void **state)
{
	static const struct {
		bool v13;
		size_t at;
		uint8_t value;
		size_t lost_at;
	} t[] = {
		{false, 0, 19, 0}, {false, 0, 25, 0}, {true, 0, 22, 0},	   {true, 0, 0x16, 0},
		{false, 1, 2, 1},  {true, 2, 4, 2},   {false, 3, 0x42, 3}, {true, 3, 0x41, 4},
		{false, 4, 23, 4}, {true, 4, 16, 4},
	};
	static const size_t lengths[] = {10};

	for (size_t i = 0; i < sizeof(t) / sizeof(t[0]); i++) {
		size_t n = make_stream(t[i].v13, 0, lengths, 1);

		for (size_t step = 1; step <= n; step += n - 1) {
			stream[t[i].at] = t[i].value;
			memcpy(got, stream, n);
			arm(t[i].v13, 0);
			for (size_t at = 0; at < n; at += step)
				model_tls_run(&dev, &tis, got + at, step);
			expect_noise(t[i].lost_at, n);
			assert_int_equal(tis.tls->state, MODEL_TLS_LOST);
		}
	}
	assert_int_equal(stat(MODEL_TLS_N_LOST), 2 * sizeof(t) / sizeof(t[0]));
	arm(false, 0); /* armed again, all is well */
	walk_in_steps(false, 0, make_stream(false, 0, lengths, 1), 100, 0);
}

/* The longest there may be passes, a byte more does not. */
static void longest_record(void **state)
{
	static const size_t most12[] = {16384 + 256 - 24}, most13[] = {16384 + 256 - 17},
			    more12[] = {16384 + 256 - 23}, more13[] = {16384 + 256 - 16};

	walk_in_steps(false, 0, make_stream(false, 0, most12, 1), 9000, 0);
	walk_in_steps(true, 0, make_stream(true, 0, most13, 1), 9000, 0);
	for (int v13 = 0; v13 < 2; v13++) {
		size_t n = make_stream(v13, 0, v13 ? more13 : more12, 1);

		memcpy(got, stream, n);
		arm(v13, 0);
		model_tls_run(&dev, &tis, got, n);
		expect_noise(4, n);
	}
}

/* A hole in the body: what follows is never in clear, and no record after it is right. */
static void hole(void **state)
{
	static const size_t lengths[] = {100, 100, 100};
	size_t n = make_stream(false, 0, lengths, 3), rec = n / 3;

	memcpy(got, stream, n);
	arm(false, 0);
	model_tls_run(&dev, &tis, got, 50);
	model_tls_run(&dev, &tis, got + 80, n - 80);
	assert_memory_not_equal(got + rec - 16, want + rec - 16, 16);
	assert_memory_not_equal(got + 2 * rec - 16, want + 2 * rec - 16, 16);
	assert_memory_not_equal(got + n - 16, want + n - 16, 16);
	assert_int_equal(stat(MODEL_TLS_N_LOST), 1);
}

static void not_armed(void **state)
{
	static const size_t lengths[] = {500};
	struct model_tls_params p = {.dekn = DEKN};
	size_t n = make_stream(false, 0, lengths, 1);

	memcpy(got, stream, n);
	model_tls_arm(tis.tls); /* without static parameters: nothing */
	model_tls_run(&dev, &tis, got, n);
	expect_noise(0, n);
	memcpy(got, stream, n);
	model_tls_set(tis.tls, &p); /* without progress */
	model_tls_run(&dev, &tis, got, n);
	expect_noise(0, n);
	assert_int_equal(stat(MODEL_TLS_N_UNARMED), 2);
	arm(false, 0);
	model_tls_set(tis.tls, &p); /* and a change of static parameters ends it */
	memcpy(got, stream, n);
	model_tls_run(&dev, &tis, got, n);
	expect_noise(0, n);
}

/* -- keys -------------------------------------------------------------------------------------------------- */

static bool right(void)
{
	static const size_t lengths[] = {64};
	size_t n = make_stream(true, 3, lengths, 1);

	memcpy(got, stream, n);
	arm(true, 3);
	model_tls_run(&dev, &tis, got, n);
	return memcmp(got, want, n) == 0;
}

/* The context takes the key again when the cache was refilled, or another DEK has its number, not before. */
static void key_cache(void **state)
{
	assert_true(right());
	card_key[0] ^= 1;
	assert_false(right()); /* the card did not look: no sync */
	slots[0].cached = false;
	card_gen++;
	assert_true(right());
	card_key[1] ^= 1;
	assert_false(right());
	dek.birth++;
	assert_true(right());
}

static void expect_lost(void)
{
	static const size_t lengths[] = {64};
	size_t n = make_stream(false, 3, lengths, 1);

	memcpy(got, stream, n);
	arm(false, 3);
	model_tls_run(&dev, &tis, got, n);
	expect_noise(13, n);
}

static void unusable_keys(void **state)
{
	dek.o.uid++;
	expect_lost();
	dek.o.uid--;
	dek.pd++;
	expect_lost();
	dek.pd--;
	dek.purpose = PRM_GENERAL_OBJECT_TYPE_ENCRYPTION_KEY_PURPOSE_IPSEC;
	expect_lost();
	dek.purpose = PRM_GENERAL_OBJECT_TYPE_ENCRYPTION_KEY_PURPOSE_TLS;
	slots[0].len = 0;
	expect_lost();
	slots[0].len = 16;
	assert_true(right());
}

int main(void)
{
#define T(f) cmocka_unit_test_setup_teardown(f, setup, teardown)
	const struct CMUnitTest tests[] = {
		T(known_1_2),
		T(known_1_3),
		T(every_split),
		T(big_records_and_keys),
		T(resync_at_every_byte),
		T(bad_headers),
		T(longest_record),
		T(hole),
		T(not_armed),
		T(key_cache),
		T(unusable_keys),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
