// SPDX-License-Identifier: BSD-2-Clause
/* TLS transmit offload at its edges: options and sizes that are rarely used and must mean what they say. */
#include "tests/lib/tls_rig.h"

#include <errno.h>

enum { APP = 23, RECORD = 16384, JUMBO = 65535 };

static struct tls_rig rig;

static void open_with(struct mlxo_tls_engine_opts o, struct tls_conn *c)
{
	tls_rig_open(&rig, "", &o, NULL);
	tls_conn_init(c, &rig, 13, 128, 1);
	c->params.size = sizeof(c->params);
	assert_int_equal(mlxo_tls_open(rig.queue, &c->params, &c->tls), 0);
}

static void finish(struct tls_conn *c)
{
	tls_conn_close(c);
	tls_rig_close(&rig);
}

/* Records of which a quarter is sent again and everything acknowledged. Nobody looks at the wire: it is too much to keep. */
static void lossy(struct tls_conn *c, int laps)
{
	for (int i = 0; i < laps; i++) {
		struct iovec iov = {rig.payload, RECORD};
		struct mlxo_tls_segment seg = {.hdr = c->hdr, .hdr_len = RIG_HDR, .mss = RIG_MSS};
		struct mlxo_tls_written w;

		assert_int_equal(mlxo_tls_write(c->tls, APP, &iov, 1, NULL, &w), 0);
		seg.seq = w.seq;
		seg.len = w.len;
		assert_int_equal(mlxo_tls_send(c->tls, &seg), 0);
		seg.seq = w.seq + 5000;
		seg.len = RECORD / 4;
		assert_int_equal(mlxo_tls_send(c->tls, &seg), 0);
		mlxo_tls_queue_flush(rig.queue);
		tls_rig_settle(&rig);
		assert_int_equal(mlxo_tls_ack(c->tls, w.seq + w.len), 0);
	}
}

static void test_losses_do_not_come_back_at_once(void **state)
{
	(void)state;
	for (int admission = MLXO_TLS_ADMIT_ADAPTIVE; admission <= MLXO_TLS_ADMIT_BYTES;
	     admission++) {
		struct mlxo_tls_info info;
		struct tls_conn c;

		open_with((struct mlxo_tls_engine_opts){.admission =
								(enum mlxo_tls_admission)admission},
			  &c);
		lossy(&c, 50);
		mlxo_tls_info(c.tls, &info);
		assert_true(info.hw_records > 0);
		assert_true(info.hw_records < 12);
		assert_int_equal(info.reason, MLXO_TLS_REASON_RETRANSMITS);
		lossy(&c, 16 * 64); /* 16 MB: again after 1, 2, 4 and 8 MB */
		mlxo_tls_info(c.tls, &info);
		assert_in_range(info.hw_records, 12, 50);
		finish(&c);
	}
}

/* retransmit_percent 100: never. */
static void test_losses_that_do_not_matter(void **state)
{
	struct tls_conn c;

	(void)state;
	open_with((struct mlxo_tls_engine_opts){.retransmit_percent = 100}, &c);
	tls_conn_hardware(&c);
	lossy(&c, 50);
	assert_int_equal(tls_conn_state(&c), MLXO_TLS_HARDWARE);
	finish(&c);
}

/* The MSS of a connection does not matter to a packet without payload. */
static void test_bare_packets_have_no_mss(void **state)
{
	struct mlxo_tls_segment seg = {.hdr_len = RIG_HDR, .mss = JUMBO};
	struct tls_conn c;

	(void)state;
	open_with((struct mlxo_tls_engine_opts){0}, &c);
	seg.hdr = c.hdr;
	seg.seq = c.next;
	assert_int_equal(mlxo_tls_send(c.tls, &seg), 0);
	tls_conn_write(&c, RECORD);
	seg.len = 100;
	assert_int_equal(mlxo_tls_send(c.tls, &seg), 0);
	seg.len = RECORD;
	assert_int_equal(mlxo_tls_send(c.tls, &seg), -EMSGSIZE);
	finish(&c);
}

/* Nine tenths of a few are rounded up: it is said before nothing goes any more, not after half. */
static void test_rekey_soon_of_few(void **state)
{
	(void)state;
	for (unsigned int limit = 1; limit <= 20; limit++) {
		unsigned int soon = limit - limit / 10;
		struct tls_conn c;

		open_with((struct mlxo_tls_engine_opts){.record_limit = limit}, &c);
		for (unsigned int i = 1; i <= limit; i++) {
			tls_conn_write(&c, 100);
			assert_int_equal(rig.events[MLXO_TLS_EVENT_REKEY_SOON], i >= soon);
		}
		assert_int_equal(tls_conn_try_write(&c, APP, "x", 1), -EKEYEXPIRED);
		finish(&c);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_losses_do_not_come_back_at_once),
		cmocka_unit_test(test_losses_that_do_not_matter),
		cmocka_unit_test(test_bare_packets_have_no_mss),
		cmocka_unit_test(test_rekey_soon_of_few),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
