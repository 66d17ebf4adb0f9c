// SPDX-License-Identifier: BSD-2-Clause
/*
 * What cannot be handed over: OpenSSL is told no and goes on in software, the sentence says why. What the device cannot do: the
 * library goes on in software. A second hand-over of one connection.
 */
#include "tests/lib/tls_pair.h"

#include <errno.h>
#include <string.h>

enum { SOME = 300000, PIECE = 20000 };

static struct tls_rig rig;

static int setup(void **state)
{
	(void)state;
	tls_rig_open(&rig, "", NULL, NULL);
	tls_pair_payload(&rig);
	return 0;
}

static int setup_tls12_only(void **state)
{
	(void)state;
	tls_rig_open(&rig, "profile=tls12-only", NULL, NULL);
	tls_pair_payload(&rig);
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	tls_rig_close(&rig);
	return 0;
}

static void talk(struct tls_pair *p)
{
	for (uint32_t n = 0; n < SOME; n += PIECE) {
		tls_pair_write(p, PIECE, n % 3);
		tls_pair_read(p);
	}
	tls_pair_check(p);
}

static void refused(const struct tls_kind *kind, bool client_sends, const char *name)
{
	uint64_t opened = tls_rig_stat(&rig, "TlsTxSw");
	struct tls_pair p;

	tls_pair_init(&p, &rig, kind, client_sends);
	tls_pair_handshake(&p);
	/* OpenSSL offers what the headers that it was built with know; it does not what is not TLS 1.2 or 1.3 */
	if (p.bio.asked) {
		assert_int_equal(p.bio.err, -EOPNOTSUPP);
		assert_non_null(strstr(p.bio.why, name));
		assert_non_null(strstr(p.bio.why, "AES-GCM"));
	}
	print_message("%s: asked %u times; %s\n", kind->name, p.bio.asked, p.bio.why);
	assert_null(p.bio.tls);
	talk(&p);
	assert_int_equal(p.bio.wire.packets, 0);
	assert_int_equal(tls_rig_stat(&rig, "TlsTxSw"), opened);
	tls_pair_close(&p);
}

static void test_not_gcm(void **state)
{
	static const struct tls_kind kinds[] = {
		{"TLS 1.3 ChaCha20", TLS1_3_VERSION, "TLS_CHACHA20_POLY1305_SHA256"},
		{"TLS 1.2 ChaCha20", TLS1_2_VERSION, "ECDHE-ECDSA-CHACHA20-POLY1305"},
		{"TLS 1.3 AES-128-CCM", TLS1_3_VERSION, "TLS_AES_128_CCM_SHA256"},
		{"TLS 1.2 AES-128-CCM", TLS1_2_VERSION, "ECDHE-ECDSA-AES128-CCM"},
	};

	(void)state;
	for (int i = 0; i < 8; i++)
		refused(&kinds[i / 2], i % 2, i < 4 ? "CHACHA20-POLY1305" : "AES-128-CCM");
}

static void test_old_version(void **state)
{
	static const struct tls_kind kind = {"TLS 1.1", TLS1_1_VERSION,
					     "ECDHE-ECDSA-AES128-SHA:@SECLEVEL=0"};

	(void)state;
	refused(&kind, false, "TLS 1.1");
	refused(&kind, true, "TLS 1.1");
}

/* The same from bytes, whatever this OpenSSL offers. */
static void refuse_info(uint16_t version, uint16_t cipher, const char *version_name,
			const char *name)
{
	struct mlxo_tls_params p = {.size = sizeof(p)};
	uint8_t info[56] = {0};

	memcpy(info, &version, 2);
	memcpy(info + 2, &cipher, 2);
	assert_int_equal(mlxo_tls_params_from_ktls(&p, info, sizeof(info)), -EOPNOTSUPP);
	assert_null(p.key);
	assert_non_null(strstr(mlxo_error_last()->text, version_name));
	assert_non_null(strstr(mlxo_error_last()->text, name));
}

static void test_info(void **state)
{
	(void)state;
	refuse_info(0x0303, 53, "TLS 1.2", "AES-128-CCM");
	refuse_info(0x0304, 53, "TLS 1.3", "AES-128-CCM");
	refuse_info(0x0303, 54, "TLS 1.2", "CHACHA20-POLY1305");
	refuse_info(0x0304, 54, "TLS 1.3", "CHACHA20-POLY1305");
	refuse_info(0x0302, 51, "TLS 1.1", "AES-128-GCM");
	refuse_info(0x0301, 52, "TLS 1.0", "AES-256-GCM");
	refuse_info(0x0305, 51, "unknown version", "AES-128-GCM");
	refuse_info(0x0303, 99, "TLS 1.2", "unknown cipher");
}

/* The device does TLS 1.2 only: 1.3 opens, stays in software, works. What it can do it does. */
static void test_device_cannot(void **state)
{
	(void)state;
	for (int i = 0; i < TLS_KINDS; i++) {
		struct tls_pair p;
		bool can = tls_kinds[i].version == TLS1_2_VERSION;
		struct mlxo_tls_info info;

		tls_pair_init(&p, &rig, &tls_kinds[i], false);
		tls_pair_handshake(&p);
		assert_non_null(p.bio.tls);
		if (!can)
			assert_int_equal(mlxo_tls_move(p.bio.tls, true), -EOPNOTSUPP);
		talk(&p);
		tls_rig_settle(&rig);
		talk(&p);
		info = tls_bio_info(&p.bio);
		assert_int_equal(info.state, can ? MLXO_TLS_HARDWARE : MLXO_TLS_SOFTWARE);
		if (!can) {
			assert_int_equal(info.reason, MLXO_TLS_REASON_UNSUPPORTED);
			assert_string_equal(info.text, "software: not offloadable");
			assert_int_equal(info.hw_records, 0);
		}
		tls_pair_close(&p);
	}
}

/* Admission always: the hand-over is refused, so OpenSSL does it. */
static void test_device_cannot_always(void **state)
{
	struct tls_pair p;

	(void)state;
	tls_pair_init(&p, &rig, &tls_kinds[3], false);
	p.bio.params.admission = MLXO_TLS_ADMIT_ALWAYS;
	tls_pair_handshake(&p);
	assert_int_equal(p.bio.asked, 1);
	assert_int_equal(p.bio.err, -EOPNOTSUPP);
	assert_true(p.bio.why[0] != 0);
	assert_null(p.bio.tls);
	talk(&p);
	tls_pair_close(&p);
}

/* Asked again on one connection: no, and the first is as it was. */
static void test_twice(void **state)
{
	(void)state;
	for (int i = 0; i < 2 * TLS_KINDS; i++) {
		bool v13 = tls_kinds[i / 2].version == TLS1_3_VERSION;
		uint8_t info[56] = {0};
		uint16_t version = v13 ? 0x0304 : 0x0303, cipher = i / 2 % 2 ? 52 : 51;
		struct mlxo_tls_info before, after;
		struct mlxo_tls *first;
		struct tls_pair p;

		memcpy(info, &version, 2);
		memcpy(info + 2, &cipher, 2);
		tls_pair_init(&p, &rig, &tls_kinds[i / 2], false);
		p.bio.params.admission = i % 2 ? MLXO_TLS_ADMIT_ALWAYS : MLXO_TLS_ADMIT_NEVER;
		tls_pair_handshake(&p);
		talk(&p);
		first = p.bio.tls;
		before = tls_bio_info(&p.bio);
		assert_int_equal(BIO_ctrl(p.bio.bio, TLS_BIO_SET_KTLS, 2, info), 0);
		assert_int_equal(p.bio.err, -EEXIST);
		assert_non_null(strstr(p.bio.why, "already"));
		assert_ptr_equal(p.bio.tls, first);
		after = tls_bio_info(&p.bio);
		assert_memory_equal(&before, &after, sizeof(before));
		assert_int_equal(after.state, i % 2 ? MLXO_TLS_HARDWARE : MLXO_TLS_SOFTWARE);
		talk(&p);
		tls_pair_close(&p);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_not_gcm, setup, teardown),
		cmocka_unit_test_setup_teardown(test_old_version, setup, teardown),
		cmocka_unit_test_setup_teardown(test_info, setup, teardown),
		cmocka_unit_test_setup_teardown(test_device_cannot, setup_tls12_only, teardown),
		cmocka_unit_test_setup_teardown(test_device_cannot_always, setup_tls12_only,
						teardown),
		cmocka_unit_test_setup_teardown(test_twice, setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
