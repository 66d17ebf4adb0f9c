// SPDX-License-Identifier: BSD-2-Clause
/*
 * Records whose bytes are known, made by others (RFC 5288, RFC 8446 5.2 with AES-128-GCM, key 00 01 02 ...): the wire has exactly these bytes,
 * whoever encrypts.
 */
#include "tests/lib/tls_rig.h"

#include <stdio.h>
#include <string.h>

enum { FIRST = 0xfffffff0u, TYPE_HANDSHAKE = 22, TYPE_DATA = 23 };

static struct tls_rig rig;

static int setup(void **state)
{
	(void)state;
	tls_rig_open(&rig, "", NULL, NULL);
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	tls_rig_close(&rig);
	return 0;
}

struct vector {
	uint8_t type;
	const char *data;
	uint32_t len;
	const char *wire; /* hex */
};

static const struct vector tls12[] = {
	{TYPE_DATA, "Hello world", 11,
	 "17030300230000000000000000c238a2f128af430021aa4ec14abed603be7a4c5d2cef0ddf8730ad"},
	{TYPE_DATA, "", 0, "17030300180000000000000001d79670dd3af26918a0b50e44b238d58e"},
	{TYPE_DATA, "Hello world", 11,
	 "17030300230000000000000002e9430a11de66dca87fccdf50f60c3b944351cbb1497c9b50b645d4"},
};

static const struct vector tls13[] = {
	{TYPE_DATA, "Hello world", 11,
	 "170303001ce2e354d711a94465f814d1179f79325215fb7a23efde3f5d3c6b1dc1"},
	{TYPE_DATA, "", 0, "17030300112838db292c5ab891189d5abdc81a752330"},
	{TYPE_HANDSHAKE, "\x18\x00\x00\x01\x00", 5,
	 "1703030016fbce5cd28b5fb328129e5ad32545893f2f35afa7e537"},
};

/* Behind the KeyUpdate. */
static const struct vector tls13_next = {TYPE_DATA, "after", 5,
					 "17030300168aff8b9b3b23bf19005a87e5fd77063e12cb93a5c613"};

/* Who makes record i: the device if bit i is set; it reads the plaintext where it is if `registered`, else a copy. */
struct way {
	unsigned int hardware;
	bool registered;
};

static void write_vector(struct tls_conn *c, const struct vector *v, const struct way *way,
			 unsigned int i)
{
	const uint8_t *from = (const uint8_t *)v->data;

	if (way->hardware >> i & 1)
		tls_conn_hardware(c);
	else
		assert_int_equal(mlxo_tls_move(c->tls, false), 0);
	if (way->registered) {
		memcpy(rig.payload + c->payload_at, v->data, v->len);
		from = rig.payload + c->payload_at;
		c->payload_at += v->len;
	}
	assert_int_equal(tls_conn_try_write(c, v->type, from, v->len), 0);
	tls_conn_flush(c);
}

static void expect(const struct tls_conn *c, size_t *at, const struct vector *v)
{
	size_t n = strlen(v->wire) / 2;

	assert_true(c->peer.contiguous - *at >= n);
	for (size_t i = 0; i < n; i++) {
		char digits[3];

		snprintf(digits, sizeof(digits), "%02x", c->peer.stream[*at + i]);
		if (memcmp(digits, v->wire + 2 * i, 2) != 0)
			fail_msg("byte %zu of the record of \"%s\": %s, not %.2s", i, v->data,
				 digits, v->wire + 2 * i);
	}
	*at += n;
}

static void check_sides(const struct tls_conn *c, const struct way *way, unsigned int records)
{
	unsigned int hw = (unsigned int)__builtin_popcount(way->hardware);
	struct mlxo_tls_info info;

	mlxo_tls_info(c->tls, &info);
	assert_int_equal(info.hw_records, hw);
	assert_int_equal(info.sw_records, records - hw);
}

/* Everything once more, one byte at a time: the same bytes. */
static void again(struct tls_conn *c)
{
	for (size_t i = 0; i < c->peer.contiguous; i++)
		assert_int_equal(tls_conn_send(c, FIRST + (uint32_t)i, 1), 0);
	assert_int_equal(c->peer.differing, 0);
	assert_int_equal(c->peer.bad_headers, 0);
}

static void open_conn(struct tls_conn *c)
{
	c->params.tcp_seq = FIRST;
	c->params.admission = MLXO_TLS_ADMIT_NEVER;
	assert_int_equal(tls_conn_open(c), 0);
}

static void run_tls12(const struct way *way)
{
	/* key, salt, explicit nonce of the first record */
	uint8_t material[28] = {0,  1,	2,  3,	4,  5,	6,    7,    8,	  9,
				10, 11, 12, 13, 14, 15, 0xa0, 0xa1, 0xa2, 0xa3};
	struct tls_conn c;
	size_t at = 0;

	tls_conn_init(&c, &rig, 12, 128, 0);
	mlxo_secret_destroy(c.params.key);
	c.params.key = mlxo_secret_new(material, sizeof(material));
	open_conn(&c);
	for (unsigned int i = 0; i < 3; i++)
		write_vector(&c, &tls12[i], way, i);
	for (unsigned int i = 0; i < 3; i++)
		expect(&c, &at, &tls12[i]);
	check_sides(&c, way, 3);
	again(&c);
	tls_conn_check(&c);
	tls_conn_close(&c);
}

static void run_tls13(const struct way *way)
{
	struct tls_conn c;
	size_t at = 0;

	tls_conn_init(&c, &rig, 13, 128, 0);
	open_conn(&c);
	for (unsigned int i = 0; i < 3; i++)
		write_vector(&c, &tls13[i], way, i);
	for (unsigned int i = 0; i < 3; i++)
		expect(&c, &at, &tls13[i]);
	tls_conn_check(&c);
	tls_conn_rekey(&c, 0x10); /* key 10 11 ..., IV b0 b1 ... */
	write_vector(&c, &tls13_next, way, 3);
	expect(&c, &at, &tls13_next);
	check_sides(&c, way, 4);
	again(&c); /* old key, new key */
	tls_conn_check(&c);
	tls_conn_close(&c);
}

static void test_software(void **state)
{
	const struct way way = {0, false};

	(void)state;
	run_tls12(&way);
	run_tls13(&way);
}

static void test_hardware(void **state)
{
	const struct way way = {7, true}, way13 = {15, true};

	(void)state;
	run_tls12(&way);
	run_tls13(&way13);
}

static void test_hardware_copied(void **state)
{
	const struct way way = {7, false}, way13 = {15, false};

	(void)state;
	run_tls12(&way);
	run_tls13(&way13);
}

/* Each record by either, in all combinations. */
static void test_both(void **state)
{
	(void)state;
	for (unsigned int i = 0; i < 16; i++) {
		const struct way way = {i & 7, i & 8}, way13 = {i, i & 1};

		run_tls12(&way);
		run_tls13(&way13);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_software, setup, teardown),
		cmocka_unit_test_setup_teardown(test_hardware, setup, teardown),
		cmocka_unit_test_setup_teardown(test_hardware_copied, setup, teardown),
		cmocka_unit_test_setup_teardown(test_both, setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
