// SPDX-License-Identifier: BSD-2-Clause
/* Known pitfalls of TLS transmit offload, 2: the protocol and the life of a connection. */
#include "tests/lib/frames.h"
#include "tests/lib/mock_provider.h"
#include "tests/lib/tls_rig.h"
#include "tests/lib/tls_walk.h"
#include "tests/lib/test_device.h"

#include <errno.h>
#include <mlx5_offload/error.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ALERT = 21, APP = 23, TAG = 16 };

static struct tls_rig rig;

static const struct {
	int version, bits;
} kinds[] = {{12, 128}, {12, 256}, {13, 128}, {13, 256}};

static void open_with(const char *options, struct mlxo_tls_engine_opts o)
{
	struct mlxo_tls_queue_opts q = {.sq_blocks = 1024};

	o.tis_low = 2;
	o.tis_high = 16;
	o.key_log_bulk = 5;
	tls_rig_open(&rig, options, &o, &q);
}

static int setup(void **state)
{
	(void)state;
	open_with("", (struct mlxo_tls_engine_opts){.retransmit_percent = 100});
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	assert_int_equal(tls_rig_model(&rig, "unarmed"), 0);
	assert_int_equal(tls_rig_model(&rig, "lost"), 0);
	assert_int_equal(tls_rig_model(&rig, "overtaken"), 0);
	tls_rig_close(&rig);
	return 0;
}

static void open_any(struct tls_conn *c, int version, int bits, uint8_t seed)
{
	tls_conn_init(c, &rig, version, bits, seed);
	assert_int_equal(tls_conn_open(c), 0);
}

static void open_hw(struct tls_conn *c, int version, int bits)
{
	open_any(c, version, bits, (uint8_t)(version * 3 + bits));
	tls_conn_hardware(c);
}

static void finish(struct tls_conn *c)
{
	tls_conn_check(c);
	tls_conn_ack(c);
	tls_conn_close(c);
}

static int post(struct tls_conn *c, uint32_t seq, uint32_t len)
{
	struct mlxo_tls_segment seg = {
		.hdr = c->hdr, .hdr_len = RIG_HDR, .mss = (uint16_t)c->mss, .seq = seq, .len = len};

	return mlxo_tls_send(c->tls, &seg);
}

static struct mlxo_tls_info info_of(const struct tls_conn *c)
{
	struct mlxo_tls_info info;

	mlxo_tls_info(c->tls, &info);
	return info;
}

static enum mlxo_tls_reason reason_of(const struct tls_conn *c)
{
	return info_of(c).reason;
}

/* -- to software and back ---------------------------------------------------------------------------------------- */

/* T23: too much is sent again: software. Hardware is possible again, before and after everything is acknowledged. */
static void test_T23_losses(void **state)
{
	struct tls_conn c;

	(void)state;
	open_with("", (struct mlxo_tls_engine_opts){.retransmit_percent = 10});
	open_hw(&c, 12, 128);
	for (int i = 0; i < 6; i++)
		tls_conn_write(&c, 16384);
	tls_conn_flush(&c);
	assert_int_equal(tls_conn_state(&c), MLXO_TLS_HARDWARE);
	assert_int_equal(tls_conn_send(&c, 1000 + 16000, 14000), 0);
	assert_int_equal(tls_conn_state(&c), MLXO_TLS_SOFTWARE);
	assert_int_equal(reason_of(&c), MLXO_TLS_REASON_RETRANSMITS);
	assert_int_equal(rig.events[MLXO_TLS_EVENT_SOFTWARE], 1);
	tls_conn_write(&c, 3000);
	tls_conn_flush(&c);
	/* hardware records are there still, and so are its key and its context */
	tls_conn_hardware(&c);
	tls_conn_write(&c, 3000);
	tls_conn_flush(&c);
	assert_int_equal(tls_conn_send(&c, 1000, 50000), 0);
	assert_int_equal(tls_conn_send(&c, 1000 + 90000, 14000), 0);
	tls_conn_check(&c);
	tls_conn_ack(&c);
	assert_int_equal(mlxo_tls_move(c.tls, false), 0);
	tls_rig_settle(&rig);
	tls_conn_write(&c, 3000);
	tls_conn_hardware(&c);
	tls_conn_write(&c, 3000);
	tls_conn_flush(&c);
	finish(&c);
	teardown(NULL);
}

/* T62: a new key; whatever was written under the old ones can be sent again, by its own key, as long as it may be. */
static void test_T62_rekey(void **state)
{
	(void)state;
	for (int bits = 128; bits <= 256; bits += 128) {
		struct tls_conn c;
		uint64_t in_use = tls_rig_stat(&rig, "in_use");

		open_hw(&c, 13, bits);
		for (uint8_t key = 1; key < 5; key++) {
			for (int i = 0; i < 3; i++)
				tls_conn_write(&c, 1000);
			tls_conn_flush(&c);
			assert_true(tls_peer_open(&c.peer, UINT64_MAX));
			tls_conn_rekey(&c, key);
			tls_conn_write(&c, 700); /* software */
			tls_conn_flush(&c);
			assert_int_equal(mlxo_tls_wait(c.tls, 10000), 0);
			assert_int_equal(tls_conn_state(&c), MLXO_TLS_HARDWARE);
		}
		/* all of them are needed */
		assert_int_equal(tls_rig_stat(&rig, "in_use") - in_use, 5);
		for (uint32_t at = 0; at < 13000; at += 977)
			assert_int_equal(tls_conn_send(&c, 1000 + at, 1500), 0);
		assert_int_equal(tls_conn_send(&c, 1000, 14500), 0);
		tls_conn_check(&c);
		tls_conn_ack(&c);
		mlxo_tls_queue_poll(rig.queue);
		assert_int_equal(info_of(&c).rec_seq, 1);
		finish(&c);
	}
}

/* T62: old keys go when their last record is acknowledged and no work request uses them. */
static void test_T62_old_key_ends(void **state)
{
	struct tls_conn c;
	uint32_t len = 1000 + 22;

	(void)state;
	open_hw(&c, 13, 128);
	tls_conn_write(&c, 1000);
	tls_conn_flush(&c);
	assert_true(tls_peer_open(&c.peer, UINT64_MAX));
	tls_conn_rekey(&c, 1);
	assert_int_equal(mlxo_tls_wait(c.tls, 10000), 0);
	tls_conn_write(&c, 1000);
	tls_conn_flush(&c);
	assert_int_equal(post(&c, 1000 + 100, 200), 0); /* not rung */
	assert_int_equal(mlxo_tls_ack(c.tls, 1000 + len), 0);
	mlxo_tls_queue_poll(rig.queue);
	assert_int_equal(tls_rig_stat(&rig, "key_loads"), 2);
	assert_non_null(rig.queue->keys); /* T29: waits for the queue */
	mlxo_tls_queue_flush(rig.queue);
	mlxo_tls_queue_poll(rig.queue);
	assert_null(rig.queue->keys);
	finish(&c);
}

/* T62: TLS 1.2 has none; a wrong length changes nothing. */
static void test_T62_refused(void **state)
{
	struct mlxo_secret *bad = mlxo_secret_new("0123456789", 10);
	struct tls_conn c;

	(void)state;
	open_hw(&c, 12, 128);
	assert_int_equal(mlxo_tls_rekey(c.tls, c.params.key), -EOPNOTSUPP);
	tls_conn_write(&c, 100);
	tls_conn_flush(&c);
	finish(&c);
	open_hw(&c, 13, 128);
	assert_int_equal(mlxo_tls_rekey(c.tls, bad), -EINVAL);
	assert_int_equal(tls_conn_state(&c), MLXO_TLS_HARDWARE);
	tls_conn_write(&c, 100);
	tls_conn_flush(&c);
	finish(&c);
	mlxo_secret_destroy(bad);
}

/* T69: the device is reset: all connections go on in software, what was not acknowledged is sent again, and hardware is possible again. */
static void test_T69_reset(void **state)
{
	struct tls_conn c, other;

	(void)state;
	test_device_needs_model("a context of libmlx5 does not outlive a reset of its NIC");
	open_any(&other, 12, 128, 50);
	open_hw(&c, 13, 256);
	for (int i = 0; i < 5; i++)
		tls_conn_write(&c, 2000);
	tls_conn_flush(&c);
	assert_int_equal(mlxo_tls_ack(c.tls, 1000 + 3000), 0);
	tls_conn_write(&c, 2000);
	assert_int_equal(mlxo_model_reset(rig.dev), 0);
	assert_int_equal(mlxo_tls_move(other.tls, true), 0); /* a command: the reset is noticed */
	tls_rig_settle(&rig);
	assert_int_equal(mlxo_tls_queue_poll(rig.queue), -EIO);
	assert_int_equal(post(&c, c.next, 100), -EIO);
	assert_int_equal(mlxo_tls_engine_recover(rig.engine), 0);
	assert_int_equal(tls_conn_state(&c), MLXO_TLS_SOFTWARE);
	assert_int_equal(reason_of(&c), MLXO_TLS_REASON_RESET);
	tls_conn_listen(&c);
	c.next = 1000 + 3000;
	tls_conn_flush(&c);
	tls_conn_check(&c);
	tls_rig_settle(&rig); /* pools */
	tls_conn_hardware(&c);
	tls_conn_write(&c, 2000);
	tls_conn_flush(&c);
	finish(&c);
	tls_conn_close(&other);
}

/* -- contexts: limits, giving back ------------------------------------------------------------------------------- */

/* T36: a limit of connections in hardware. */
static void test_T36_max_hardware(void **state)
{
	struct tls_conn c[3];

	(void)state;
	open_with("", (struct mlxo_tls_engine_opts){.max_hardware = 2});
	open_hw(&c[0], 12, 128);
	open_hw(&c[1], 12, 128);
	open_any(&c[2], 12, 128, 9);
	assert_int_equal(mlxo_tls_move(c[2].tls, true), -EAGAIN);
	assert_int_equal(tls_conn_state(&c[2]), MLXO_TLS_SOFTWARE);
	assert_int_equal(reason_of(&c[2]), MLXO_TLS_REASON_LIMIT);
	tls_conn_write(&c[2], 1000);
	tls_conn_flush(&c[2]);
	tls_conn_close(&c[0]);
	tls_conn_listen(&c[2]);
	tls_conn_hardware(&c[2]);
	tls_conn_write(&c[2], 1000);
	tls_conn_flush(&c[2]);
	finish(&c[2]);
	tls_conn_close(&c[1]);
	teardown(NULL);
}

/* T38: the context is given back when it is not needed, not when the peer has closed. */
static void test_T38_early_release(void **state)
{
	struct tls_conn c;

	(void)state;
	open_hw(&c, 12, 128);
	tls_conn_write(&c, 1000);
	tls_conn_flush(&c);
	assert_int_equal(atomic_load(&rig.engine->hardware), 1);
	/* all data is sent, FIN follows: no more records, so software will do */
	assert_int_equal(mlxo_tls_move(c.tls, false), 0);
	assert_int_equal(atomic_load(&rig.engine->hardware), 1); /* may be sent again */
	tls_conn_ack(&c);
	tls_rig_settle(&rig);
	assert_int_equal(atomic_load(&rig.engine->hardware), 0);
	tls_conn_check(&c);
	tls_conn_close(&c);
	/* close with data that nobody acknowledged */
	open_hw(&c, 12, 128);
	tls_conn_write(&c, 1000);
	tls_conn_flush(&c);
	mlxo_tls_close(c.tls);
	c.tls = NULL;
	assert_int_equal(mlxo_tls_queue_poll(rig.queue), 0);
	assert_int_equal(atomic_load(&rig.engine->hardware), 0);
	assert_int_equal(rig.released, 2);
	tls_conn_close(&c);
}

/* T65, A35: opening it again is refused, and the first one is what it was. */
static void test_T65_A35_second_enable(void **state)
{
	struct tls_conn c;
	struct mlxo_tls_info before, after;

	(void)state;
	open_hw(&c, 13, 128);
	tls_conn_write(&c, 1000);
	assert_int_equal(post(&c, 1000, 500), 0);
	mlxo_tls_info(c.tls, &before);
	assert_int_equal(mlxo_tls_open(rig.queue, &c.params, &c.tls), -EEXIST);
	assert_non_null(strstr(mlxo_error_last()->text, "already"));
	mlxo_tls_info(c.tls, &after);
	assert_memory_equal(&before, &after, sizeof(before));
	c.next = 1500;
	tls_conn_flush(&c);
	finish(&c);
}

/* -- records ------------------------------------------------------------------------------------------------------- */

/* T66: records without plaintext, set back to at each of their bytes. */
static void test_T66_empty_records(void **state)
{
	(void)state;
	for (size_t k = 0; k < 4; k++) {
		struct tls_conn c;
		uint32_t len = kinds[k].version == 13 ? 22 : 29;

		open_hw(&c, kinds[k].version, kinds[k].bits);
		tls_conn_write(&c, 0);
		tls_conn_write(&c, 100);
		tls_conn_write(&c, 0);
		assert_int_equal(info_of(&c).nxt - 1000, 3 * len + 100);
		tls_conn_flush(&c);
		for (uint32_t off = 0; off < len; off++) {
			assert_int_equal(tls_conn_send(&c, 1000 + off, len - off), 0);
			assert_int_equal(tls_conn_send(&c, 1000 + off, 3 * len + 100 - off), 0);
			assert_int_equal(tls_conn_send(&c, c.next - len + off, 1), 0);
		}
		assert_int_equal(mlxo_tls_move(c.tls, false), 0);
		tls_conn_write(&c, 0);
		tls_conn_flush(&c);
		finish(&c);
	}
}

/* T67: a record's length is known before its first byte goes: none is ever open, none is too long. */
static void test_T67_too_long(void **state)
{
	struct tls_conn c;

	(void)state;
	open_hw(&c, 13, 128);
	assert_int_equal(tls_conn_try_write(&c, APP, rig.payload, 16385), -EMSGSIZE);
	assert_int_equal(info_of(&c).nxt, 1000);
	assert_int_equal(tls_conn_try_write(&c, APP, rig.payload, 16384), 0);
	assert_int_equal(info_of(&c).nxt - 1000, 16384 + 22);
	tls_conn_flush(&c);
	finish(&c);
}

/* T68: told before the key has protected all that it may, refused then; a new key starts anew. */
static void test_T68_record_limit(void **state)
{
	struct tls_conn c;

	(void)state;
	open_with("", (struct mlxo_tls_engine_opts){.record_limit = 20});
	open_hw(&c, 13, 128);
	for (int lap = 1; lap <= 3; lap++) {
		for (int i = 1; i <= 20; i++) {
			tls_conn_write(&c, 100);
			assert_int_equal(rig.events[MLXO_TLS_EVENT_REKEY_SOON],
					 i < 18 ? lap - 1 : lap);
		}
		assert_int_equal(tls_conn_try_write(&c, APP, "x", 1), -EKEYEXPIRED);
		tls_conn_flush(&c);
		assert_true(tls_peer_open(&c.peer, UINT64_MAX));
		tls_conn_rekey(&c, (uint8_t)lap);
	}
	finish(&c);
	teardown(NULL);
}

/* T61: TLS 1.3 carries the type inside, TLS 1.2 in the header; hardware and software alike, sent again too. */
static void test_T61_types(void **state)
{
	(void)state;
	for (size_t k = 0; k < 4; k++)
		for (int hw = 0; hw < 2; hw++) {
			struct tls_conn c;

			open_any(&c, kinds[k].version, kinds[k].bits, 3);
			if (hw)
				tls_conn_hardware(&c);
			assert_int_equal(tls_conn_try_write(&c, ALERT, "\1", 2), 0);
			tls_conn_flush(&c);
			assert_int_equal(tls_conn_send(&c, c.next - 18, 18), 0);
			tls_conn_check(&c);
			assert_int_equal(c.peer.last_type, ALERT);
			assert_int_equal(c.peer.stream[0], kinds[k].version == 13 ? APP : ALERT);
			finish(&c);
		}
}

/* T63: records that went before the hand-over count: the number is the TLS library's. */
static void test_T63_hand_over(void **state)
{
	uint8_t info[40] = {4, 3, 51, 0};
	struct mlxo_tls_params p = {.size = sizeof(p)};
	struct tls_conn c;

	(void)state;
	open_any(&c, 13, 128, 1);
	memcpy(info + 4, c.peer.iv + 4, 8);
	memcpy(info + 12, c.peer.key, 16);
	memcpy(info + 28, c.peer.iv, 4);
	info[39] = 2; /* two NewSessionTicket */
	mlxo_tls_close(c.tls);
	c.tls = NULL;
	assert_int_equal(mlxo_tls_params_from_ktls(&p, info, sizeof(info)), 0);
	assert_int_equal(p.rec_seq, 2);
	mlxo_secret_destroy(c.params.key);
	p.tcp_seq = c.params.tcp_seq;
	c.params = p;
	assert_int_equal(tls_conn_open(&c), 0);
	tls_conn_hardware(&c);
	tls_conn_write(&c, 500);
	tls_conn_flush(&c);
	assert_int_equal(c.peer.rec_no, 2);
	tls_conn_check(&c);
	assert_int_equal(c.peer.rec_no, 3);
	finish(&c);
}

/* -- packets --------------------------------------------------------------------------------------------------------- */

/* T74: packets without payload name no context and change nothing about it; behind a FIN they go on. */
static void test_T74_no_payload(void **state)
{
	struct mlxo_tls_info info;
	struct tls_conn c;
	struct tls_walk w;
	uint64_t from;

	(void)state;
	open_hw(&c, 12, 128);
	tls_conn_write(&c, 3000);
	info = info_of(&c);
	assert_int_equal(post(&c, 1000, 1000), 0);
	from = rig.queue->sq.posted;
	assert_int_equal(post(&c, 2000, 0), 0);
	assert_int_equal(mlxo_tls_ack(c.tls, 1500), 0);
	assert_int_equal(post(&c, 1499, 0), 0); /* keep-alive */
	assert_int_equal(post(&c, info.nxt, 0), 0);
	tls_walk(rig.queue, from, &w);
	assert_string_equal(w.text, "CCC");
	from = rig.queue->sq.posted;
	assert_int_equal(post(&c, 2000, info.nxt - 2000), 0);
	tls_walk(rig.queue, from, &w);
	assert_string_equal(w.text, "L"); /* the very next byte: no update */
	c.next = info.nxt;
	mlxo_tls_queue_flush(rig.queue);
	/* the FIN has the number nxt */
	c.hdr[47] |= 1;
	assert_int_equal(post(&c, info.nxt, 0), 0);
	c.hdr[47] &= (uint8_t)~1;
	assert_int_equal(post(&c, info.nxt + 1, 0), 0);
	assert_int_equal(post(&c, info.nxt + 2, 0), -ERANGE);
	mlxo_tls_queue_flush(rig.queue);
	tls_conn_check(&c);
	assert_int_equal(mlxo_tls_ack(c.tls, info.nxt + 1), 0);
	assert_int_equal(info_of(&c).una, info.nxt);
	assert_int_equal(mlxo_tls_ack(c.tls, info.nxt + 2), -ERANGE);
	tls_conn_close(&c);
}

/* T73: the device fills in checksums, IPv6 too. */
static void test_T73_checksums(void **state)
{
	struct tls_conn c;
	struct tls_walk w;
	struct frame f;
	uint64_t from;

	(void)state;
	open_hw(&c, 13, 128);
	frame_eth(&f, 0x86dd);
	frame_ipv6(&f, 6);
	frame_tcp(&f, 443, 50000);
	frame_end(&f);
	tls_conn_write(&c, 9000);
	from = rig.queue->sq.posted;
	for (uint32_t at = 0; at < 9022; at += 3000) {
		struct mlxo_tls_segment seg = {.hdr = f.b,
					       .hdr_len = (uint16_t)f.n,
					       .mss = 1200,
					       .seq = 1000 + at,
					       .len = at < 9000 ? 3000 : 22};

		assert_int_equal(mlxo_tls_send(c.tls, &seg), 0);
	}
	tls_walk(rig.queue, from, &w);
	assert_true(w.csum);
	assert_non_null(strchr(w.text, 'T'));
	mlxo_tls_queue_flush(rig.queue);
	finish(&c);
}

/* -- what can be offloaded --------------------------------------------------------------------------------------------- */

static void expect_refused(uint16_t version, uint16_t cipher, const char *why)
{
	struct mlxo_tls_params p = {.size = sizeof(p), .version = version, .cipher = cipher};
	struct mlxo_tls *tls = NULL;

	p.key = mlxo_secret_new("0123456789abcdef0123456789abcdef0123456789ab",
				cipher == MLXO_TLS_AES_GCM_256 ? 44 : 28);
	assert_int_equal(mlxo_device_check_tls(rig.dev, version, cipher), -EOPNOTSUPP);
	assert_non_null(strstr(mlxo_error_last()->text, why));
	p.admission = MLXO_TLS_ADMIT_ALWAYS;
	assert_int_equal(mlxo_tls_open(rig.queue, &p, &tls), -EOPNOTSUPP);
	assert_null(tls);
	mlxo_secret_destroy(p.key);
}

/* The capability is missing: software, with the reason; asking for hardware says why not. */
static void expect_software(int version, int bits, const char *why)
{
	struct tls_conn c;

	open_any(&c, version, bits, 1);
	assert_int_equal(reason_of(&c), MLXO_TLS_REASON_UNSUPPORTED);
	assert_non_null(strstr(info_of(&c).text, "not offloadable"));
	for (int i = 0; i < 20; i++)
		tls_conn_write(&c, 16000);
	tls_conn_flush(&c);
	assert_int_equal(info_of(&c).hw_records, 0);
	assert_int_equal(mlxo_tls_move(c.tls, true), -EOPNOTSUPP);
	assert_non_null(strstr(mlxo_error_last()->text, why));
	finish(&c);
}

/* A26, T60: only AES-GCM of the versions and key sizes that the device says; each refusal names what is missing. */
static void test_A26_T60_what_is_offloaded(void **state)
{
	struct tls_conn c;

	(void)state;
	expect_refused(0x0302, MLXO_TLS_AES_GCM_128, "0x0302");
	expect_refused(MLXO_TLS_1_2, 53, "cipher 53"); /* CCM */
	expect_refused(MLXO_TLS_1_3, 54, "cipher 54"); /* CHACHA20-POLY1305 */
	for (size_t k = 0; k < 4; k++) {
		open_hw(&c, kinds[k].version, kinds[k].bits);
		tls_conn_write(&c, 100);
		tls_conn_flush(&c);
		finish(&c);
	}
}

static void test_A26_T60_tls12_only(void **state)
{
	struct tls_conn c;

	(void)state;
	open_with("profile=tls12-only", (struct mlxo_tls_engine_opts){0});
	expect_refused(MLXO_TLS_1_3, MLXO_TLS_AES_GCM_128, "tls_1_3_aes_gcm_128");
	expect_software(13, 128, "tls_1_3_aes_gcm_128");
	expect_software(13, 256, "tls_1_3_aes_gcm_256");
	open_hw(&c, 12, 256);
	tls_conn_write(&c, 100);
	tls_conn_flush(&c);
	finish(&c);
	teardown(NULL);
}

static void test_A26_from_ktls(void **state)
{
	static const struct {
		uint16_t version, cipher;
		const char *says;
	} bad[] = {{0x0302, 51, "TLS 1.1"}, {0x0303, 53, "CCM"}, {0x0304, 54, "CHACHA20"}};
	struct mlxo_tls_params p = {.size = sizeof(p)};
	uint8_t info[64] = {0};

	(void)state;
	for (int i = 0; i < 3; i++) {
		memcpy(info, &bad[i].version, 2);
		memcpy(info + 2, &bad[i].cipher, 2);
		assert_int_equal(mlxo_tls_params_from_ktls(&p, info, sizeof(info)), -EOPNOTSUPP);
		assert_non_null(strstr(mlxo_error_last()->text, bad[i].says));
	}
}

/* T72: a function without the capability: everything works, in software. */
static void test_T72_no_tls(void **state)
{
	struct mlxo_tls_engine_opts o = {.size = sizeof(o), .admission = MLXO_TLS_ADMIT_ALWAYS};
	struct mlxo_tls_engine *e;

	(void)state;
	open_with("profile=no-tls", (struct mlxo_tls_engine_opts){0});
	expect_refused(MLXO_TLS_1_2, MLXO_TLS_AES_GCM_128, "tls_tx");
	for (size_t k = 0; k < 4; k++)
		expect_software(kinds[k].version, kinds[k].bits, "tls_tx");
	assert_int_equal(mlxo_tls_engine_open(rig.dev, &o, &e), -EOPNOTSUPP);
	teardown(NULL);
}

/* T76: static parameters are 192 bytes long; T72: each capability that is needed is looked at. */
static void test_T76_T72_capabilities(void **state)
{
	static const struct {
		const char *cap;
		uint64_t value;
	} needed[] = {{"max_wqe_sz_sq", 128}, {"tls_tx", 0},   {"log_max_dek", 0},
		      {"log_max_tis", 0},     {"csum_cap", 0}, {"tls_1_2_aes_gcm_128", 0}};

	(void)state;
	for (size_t i = 0; i < sizeof(needed) / sizeof(needed[0]); i++) {
		struct mlxo_device *dev;

		assert_int_equal(test_device_open("model", &dev), 0);
		assert_int_equal(mlxo_device_check_tls(dev, MLXO_TLS_1_2, MLXO_TLS_AES_GCM_128), 0);
		mock_cap(dev, needed[i].cap, needed[i].value);
		assert_int_equal(mlxo_device_check_tls(dev, MLXO_TLS_1_2, MLXO_TLS_AES_GCM_128),
				 -EOPNOTSUPP);
		assert_non_null(strstr(mlxo_error_last()->text, needed[i].cap));
		mlxo_device_close(dev);
	}
}

/* -- secrets ------------------------------------------------------------------------------------------------------------- */

/* The memory of a sanitizer is terabytes, and freed memory stays as it is for a while. */
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define SANITIZED 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer) || \
	__has_feature(memory_sanitizer)
#define SANITIZED 1
#endif
#endif

/* Times that the key (stored with every bit turned) lies in writable memory of this process. */
static unsigned int copies(const uint8_t turned[16])
{
	FILE *maps = fopen("/proc/self/maps", "r"), *mem = fopen("/proc/self/mem", "rb");
	static uint8_t buf[65536 + 16];
	unsigned long from, to;
	char line[512], perms[5];
	unsigned int found = 0;

	assert_true(maps && mem);
	setbuf(mem, NULL);
	while (fgets(line, sizeof(line), maps)) {
		if (sscanf(line, "%lx-%lx %4s", &from, &to, perms) != 3 || perms[1] != 'w')
			continue;
		for (unsigned long at = from; at < to; at += 65536) {
			size_t n = to - at < sizeof(buf) ? to - at : sizeof(buf);

			if ((at <= (uintptr_t)buf + sizeof(buf) && at + n >= (uintptr_t)buf) ||
			    fseek(mem, (long)at, SEEK_SET) || fread(buf, 1, n, mem) != n)
				continue;
			for (size_t i = 0; i + 16 <= n && i < 65536; i++) {
				int same = 0;

				while (same < 16 && (buf[i + same] ^ turned[same]) == 0xff)
					same++;
				found += same == 16;
			}
		}
	}
	fclose(maps);
	fclose(mem);
	memset(buf, 0, sizeof(buf));
	return found;
}

/* T77: of a key that was loaded, used in hardware and software and given back, nothing is left. */
static void test_T77_key_is_wiped(void **state)
{
	struct mlxo_tls_params p = {
		.size = sizeof(p), .version = MLXO_TLS_1_3, .cipher = MLXO_TLS_AES_GCM_128};
	struct iovec iov = {(void *)"text", 4};
	struct mlxo_tls *tls = NULL;
	uint8_t turned[16], bytes[28];

	(void)state;
#ifdef SANITIZED
	skip();
#endif
	open_with("", (struct mlxo_tls_engine_opts){0});
	for (int i = 0; i < 16; i++) {
		turned[i] = (uint8_t)(i * 73 + 41);
		bytes[i] = (uint8_t)~turned[i];
	}
	memset(bytes + 16, 7, 12);
	p.key = mlxo_secret_new(bytes, sizeof(bytes));
	explicit_bzero(bytes, sizeof(bytes));
	assert_true(copies(turned) > 0); /* the search finds what is there */
	assert_int_equal(mlxo_tls_open(rig.queue, &p, &tls), 0);
	mlxo_secret_destroy(p.key);
	assert_int_equal(mlxo_tls_write(tls, APP, &iov, 1, NULL, NULL), 0);
	assert_int_equal(mlxo_tls_move(tls, true), 0);
	assert_int_equal(mlxo_tls_wait(tls, 1000), 0);
	assert_int_equal(mlxo_tls_write(tls, APP, &iov, 1, NULL, NULL), 0);
	mlxo_tls_close(tls);
	teardown(NULL);
	assert_int_equal(copies(turned), 0);
}

#define T(test) cmocka_unit_test_setup_teardown(test, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_T23_losses),
		T(test_T62_rekey),
		T(test_T62_old_key_ends),
		T(test_T62_refused),
		T(test_T69_reset),
		cmocka_unit_test(test_T36_max_hardware),
		T(test_T38_early_release),
		T(test_T65_A35_second_enable),
		T(test_T66_empty_records),
		T(test_T67_too_long),
		cmocka_unit_test(test_T68_record_limit),
		T(test_T61_types),
		T(test_T63_hand_over),
		T(test_T74_no_payload),
		T(test_T73_checksums),
		T(test_A26_T60_what_is_offloaded),
		cmocka_unit_test(test_A26_T60_tls12_only),
		cmocka_unit_test(test_A26_from_ktls),
		cmocka_unit_test(test_T72_no_tls),
		cmocka_unit_test(test_T76_T72_capabilities),
		cmocka_unit_test(test_T77_key_is_wiped),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
