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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_there_and_back, setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
