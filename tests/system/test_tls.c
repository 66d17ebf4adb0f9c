// SPDX-License-Identifier: BSD-2-Clause
/* TLS transmit offload on the model: records, moves between software and hardware, retransmissions, keys. */
#include "tests/lib/tls_rig.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static struct tls_rig rig;

static const struct {
	int version, bits;
} kinds[] = {{12, 128}, {12, 256}, {13, 128}, {13, 256}};

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

/* Software, hardware, software again: one stream. */
static void test_there_and_back(void **state)
{
	(void)state;
	for (size_t k = 0; k < 4; k++) {
		struct tls_conn c;
		uint64_t encrypted = tls_rig_model(&rig, "encrypted_bytes");

		tls_conn_init(&c, &rig, kinds[k].version, kinds[k].bits, (uint8_t)(k * 17));
		assert_int_equal(tls_conn_open(&c), 0);
		tls_conn_write(&c, 1000);
		tls_conn_flush(&c);
		assert_int_equal(tls_rig_model(&rig, "encrypted_bytes"), encrypted);
		tls_conn_hardware(&c);
		for (int i = 0; i < 20; i++) {
			tls_conn_write(&c, (uint32_t)(i * 797 % 16385));
			tls_conn_flush(&c);
		}
		assert_true(tls_rig_model(&rig, "encrypted_bytes") > encrypted);
		encrypted = tls_rig_model(&rig, "encrypted_bytes");
		assert_int_equal(mlxo_tls_move(c.tls, false), 0);
		tls_conn_write(&c, 16384);
		tls_conn_flush(&c);
		assert_int_equal(tls_rig_model(&rig, "encrypted_bytes"), encrypted);
		tls_conn_check(&c);
		tls_conn_ack(&c);
		tls_conn_close(&c);
	}
}

/* A record that is refused for want of buffers and tried again does not count as sent. */
static void test_refused_records_do_not_count(void **state)
{
	struct mlxo_tls_engine_opts opts = {.adaptive_bytes = 100000};
	struct mlxo_tls_queue_opts qopts = {.buffer_bytes = 65536};
	struct tls_rig r;
	struct tls_conn c;

	(void)state;
	tls_rig_open(&r, "", &opts, &qopts);
	tls_conn_init(&c, &r, 13, 128, 1);
	assert_int_equal(tls_conn_open(&c), 0);
	while (!tls_conn_try_write(&c, 23, r.payload, 16384))
		;
	assert_int_equal(errno, EAGAIN);
	assert_true(c.wrote < 100000);
	for (int i = 0; i < 100; i++)
		assert_int_equal(tls_conn_try_write(&c, 23, r.payload, 16384), -EAGAIN);
	tls_rig_settle(&r);
	assert_int_equal(tls_conn_state(&c), MLXO_TLS_SOFTWARE);
	assert_int_equal(tls_rig_stat(&r, "key_loads"), 0);
	tls_conn_close(&c);
	tls_rig_close(&r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_there_and_back, setup, teardown),
		cmocka_unit_test(test_refused_records_do_not_count),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
