// SPDX-License-Identifier: BSD-2-Clause
/* A BIO whose records go through the library, and the TCP stream behind it. Sources: ssl/ktls.c of OpenSSL 3.0, RFC 8446 7.2, 7.3. */
#include "tests/lib/tls_bio.h"
#include "tests/lib/frames.h"

#include <errno.h>
#include <openssl/crypto.h>
#include <openssl/hmac.h>
#include <stdlib.h>
#include <string.h>

enum { TYPE_HANDSHAKE = 22, TYPE_DATA = 23, KEY_UPDATE = 24, KEY_UPDATE_LEN = 5 };
enum { HEADER = 5, NONCE = 8 };
enum { ROOM = 4 << 20, WINDOW = 512 << 10, INFO_MAX = 56, IV = 12, BURST = 60000 };

uint32_t tls_bio_random(struct tls_bio *b)
{
	b->seed ^= b->seed << 13;
	b->seed ^= b->seed >> 17;
	b->seed ^= b->seed << 5;
	return b->seed;
}

struct mlxo_tls_info tls_bio_info(const struct tls_bio *b)
{
	struct mlxo_tls_info info;

	mlxo_tls_info(b->tls, &info);
	return info;
}

/* -- the stream ------------------------------------------------------------------------------------------------ */

/* Forget what is acknowledged and was read. */
static void slide(struct tls_bio *b)
{
	struct tls_peer *w = &b->wire;
	size_t n = tls_bio_info(b).una - w->first, rest;

	if (n > w->opened)
		n = w->opened;
	if (n > b->walked)
		n = b->walked;
	if (n < w->room / 2)
		return;
	rest = w->room - n;
	memmove(w->stream, w->stream + n, rest);
	memmove(w->have, w->have + n, rest);
	memset(w->have + rest, 0, n);
	w->first += (uint32_t)n;
	w->contiguous -= n;
	w->opened -= n;
	b->walked -= n;
}

static uint64_t get64(const uint8_t *b)
{
	uint64_t v = 0;

	for (int i = 0; i < 8; i++)
		v = v << 8 | b[i];
	return v;
}

/* Headers of the records that arrived. That a nonce never comes twice OpenSSL would not notice. */
static void walk(struct tls_bio *b)
{
	const struct tls_peer *w = &b->wire;

	while (w->contiguous - b->walked >= HEADER + NONCE) {
		const uint8_t *rec = w->stream + b->walked;
		size_t len = (size_t)rec[3] << 8 | rec[4];

		if (w->contiguous - b->walked < HEADER + len)
			return;
		assert_int_equal(rec[1] << 8 | rec[2], 0x0303);
		if (b->params.version == MLXO_TLS_1_3) {
			assert_int_equal(rec[0], TYPE_DATA);
		} else {
			assert_in_range(rec[0], 20, TYPE_DATA);
			assert_int_equal(get64(rec + HEADER), b->nonce);
			b->nonce++;
		}
		b->seen++;
		b->walked += HEADER + len;
	}
}

void tls_bio_feed(struct tls_bio *b)
{
	struct tls_peer *w = &b->wire;
	size_t n = w->contiguous - w->opened;

	assert_int_equal(w->bad_headers, 0);
	assert_int_equal(w->differing, 0);
	walk(b);
	if (!n)
		return;
	assert_int_equal(BIO_write(b->to_peer, w->stream + w->opened, (int)n), (int)n);
	w->opened += n;
}

static void ring(struct tls_bio *b)
{
	mlxo_tls_queue_flush(b->rig->queue);
	assert_int_equal(mlxo_tls_queue_poll(b->rig->queue), 0);
}

/* Post a range and ring; the ring may have to be emptied first. */
static void send_range(struct tls_bio *b, uint32_t seq, uint32_t len)
{
	struct mlxo_tls_segment seg = {
		.hdr = b->hdr, .hdr_len = RIG_HDR, .mss = b->mss, .seq = seq, .len = len};
	int err = mlxo_tls_send(b->tls, &seg);

	if (err == -EAGAIN) {
		ring(b);
		tls_rig_settle(b->rig);
		err = mlxo_tls_send(b->tls, &seg);
	}
	if (err)
		fail_msg("send %u bytes from %u: %s", len, seq, mlxo_error_last()->text);
	if (!b->ring_every || tls_bio_random(b) % b->ring_every == 0)
		ring(b);
}

void tls_bio_again(struct tls_bio *b, uint32_t seq, uint32_t len)
{
	struct mlxo_tls_info info = tls_bio_info(b);

	if ((int32_t)(seq - info.una) < 0) {
		uint32_t old = info.una - seq;

		if (old >= len)
			return;
		seq += old;
		len -= old;
	}
	if ((int32_t)(seq + len - info.nxt) > 0)
		len = info.nxt - seq;
	if ((int32_t)len <= 0)
		return;
	b->resent += len;
	send_range(b, seq, len);
}

static void acknowledge(struct tls_bio *b)
{
	assert_int_equal(mlxo_tls_ack(b->tls, tls_peer_next(&b->wire)), 0);
	assert_int_equal(mlxo_tls_queue_poll(b->rig->queue), 0);
}

void tls_bio_deliver(struct tls_bio *b)
{
	uint32_t nxt = tls_bio_info(b).nxt;

	ring(b);
	while (tls_peer_next(&b->wire) != nxt) {
		tls_bio_again(b, tls_peer_next(&b->wire), 1 + tls_bio_random(b) % (3u * b->mss));
		ring(b);
		assert_int_equal(b->wire.bad_headers, 0);
		if (tls_bio_random(b) % 2)
			acknowledge(b); /* often in the middle of a record */
	}
	acknowledge(b);
	tls_bio_feed(b);
	slide(b);
}

/* Any piece of what is outstanding. */
static void send_any_again(struct tls_bio *b)
{
	struct mlxo_tls_info info = tls_bio_info(b);
	uint32_t out = info.nxt - info.una, at, len;

	if (!out)
		return;
	at = tls_bio_random(b) % out;
	len = tls_bio_random(b) % 4 ? 1 + tls_bio_random(b) % 2000 : 1 + tls_bio_random(b) % BURST;
	tls_bio_again(b, info.una + at, len);
}

/* -- keys ------------------------------------------------------------------------------------------------------- */

static uint8_t digit(char c)
{
	return (uint8_t)(c <= '9' ? c - '0' : (c | 0x20) - 'a' + 10);
}

void tls_bio_keylog(struct tls_bio *b, bool server, const char *line)
{
	const char *label = server ? "SERVER_TRAFFIC_SECRET_0 " : "CLIENT_TRAFFIC_SECRET_0 ";
	const char *hex;

	if (strncmp(line, label, strlen(label)) != 0)
		return;
	hex = strchr(line + strlen(label), ' ');
	assert_non_null(hex);
	hex++;
	b->secret_len = strlen(hex) / 2;
	assert_true(b->secret_len <= sizeof(b->secret));
	for (size_t i = 0; i < b->secret_len; i++)
		b->secret[i] = (uint8_t)(digit(hex[2 * i]) << 4 | digit(hex[2 * i + 1]));
}

/* HKDF-Expand-Label without context; no more than one block of the hash is needed. */
static void expand(const struct tls_bio *b, const char *label, uint8_t *to, size_t n)
{
	size_t len = strlen(label);
	uint8_t info[64] = {0, (uint8_t)n, (uint8_t)(len + 6), 't', 'l', 's', '1', '3', ' '};
	uint8_t out[EVP_MAX_MD_SIZE];

	memcpy(info + 9, label, len); /* then an empty context: its length */
	info[9 + len + 1] = 1;	      /* number of the block */
	assert_non_null(HMAC(b->secret_len == 48 ? EVP_sha384() : EVP_sha256(), b->secret,
			     (int)b->secret_len, info, 9 + len + 2, out, NULL));
	assert_true(n <= b->secret_len);
	memcpy(to, out, n);
	OPENSSL_cleanse(out, sizeof(out));
}

/* The next application_traffic_secret, key and IV. */
static void next_key(struct tls_bio *b)
{
	size_t key_len = b->params.cipher == MLXO_TLS_AES_GCM_256 ? 32 : 16;
	uint8_t next[64], material[32 + IV];
	struct mlxo_secret *s;

	assert_true(b->secret_len != 0);
	expand(b, "traffic upd", next, b->secret_len);
	memcpy(b->secret, next, b->secret_len);
	expand(b, "key", material, key_len);
	expand(b, "iv", material + key_len, IV);
	s = mlxo_secret_new(material, key_len + IV);
	assert_non_null(s);
	assert_int_equal(mlxo_tls_rekey(b->tls, s), 0);
	mlxo_secret_destroy(s);
	OPENSSL_cleanse(next, sizeof(next));
	OPENSSL_cleanse(material, sizeof(material));
	b->key_updates++;
}

/* -- records ----------------------------------------------------------------------------------------------------- */

int tls_bio_record(struct tls_bio *b, uint8_t type, const void *data, uint32_t n)
{
	struct iovec iov = {(void *)(uintptr_t)data, n};
	struct mlxo_tls_written w;
	int err = mlxo_tls_write(b->tls, type, &iov, 1, b, &w);

	if (err == -EAGAIN && tls_bio_info(b).state != MLXO_TLS_PENDING) {
		tls_bio_deliver(b);
		err = mlxo_tls_write(b->tls, type, &iov, 1, b, &w);
	}
	if (err)
		return err;
	send_range(b, w.seq, w.len);
	if (b->again_every && tls_bio_random(b) % b->again_every == 0)
		send_any_again(b);
	if (w.seq + w.len - tls_bio_info(b).una >= b->window)
		tls_bio_deliver(b);
	return 0;
}

static bool is_key_update(const struct tls_bio *b, uint8_t type, const uint8_t *data, uint32_t n)
{
	return type == TYPE_HANDSHAKE && b->params.version == MLXO_TLS_1_3 && n == KEY_UPDATE_LEN &&
	       data[0] == KEY_UPDATE;
}

static int again_later(BIO *bio)
{
	BIO_set_retry_write(bio);
	return -1;
}

static int bio_write(BIO *bio, const char *data, int len)
{
	struct tls_bio *b = BIO_get_data(bio);
	uint8_t type = b->type ? b->type : TYPE_DATA;
	int done = 0;

	BIO_clear_retry_flags(bio);
	if (!b->tls)
		return BIO_write(b->to_peer, data, len);
	if (b->stall_every && tls_bio_random(b) % b->stall_every == 0) {
		b->stalls++;
		return again_later(bio); /* the type stays for the next time */
	}
	while (done < len) {
		int n = len - done < MLXO_TLS_RECORD_MAX ? len - done : MLXO_TLS_RECORD_MAX;
		int err = tls_bio_record(b, type, data + done, (uint32_t)n);

		if (err == -EAGAIN && !done)
			return again_later(bio);
		if (err)
			return done ? done : -1;
		done += n;
	}
	b->type = 0;
	if (is_key_update(b, type, (const uint8_t *)data, (uint32_t)len))
		next_key(b);
	return done;
}

static int bio_read(BIO *bio, char *to, int len)
{
	struct tls_bio *b = BIO_get_data(bio);
	int n = BIO_read(b->from_peer, to, len);

	BIO_clear_retry_flags(bio);
	if (n <= 0)
		BIO_set_retry_read(bio);
	return n;
}

/* -- hand-over ------------------------------------------------------------------------------------------------------ */

static long set_ktls(struct tls_bio *b, const void *info)
{
	struct mlxo_tls_params p = b->params;

	b->asked++;
	p.size = sizeof(p);
	p.user = b;
	b->err = mlxo_tls_params_from_ktls(&p, info, INFO_MAX);
	if (!b->err) {
		const uint8_t *key = mlxo_secret_bytes(p.key);

		if (!b->tls)
			b->nonce = get64(key + mlxo_secret_len(p.key) - NONCE);
		b->err = mlxo_tls_open(b->rig->queue, &p, &b->tls);
		mlxo_secret_destroy(p.key);
	}
	if (b->err) {
		snprintf(b->why, sizeof(b->why), "%s", mlxo_error_last()->text);
		return 0;
	}
	b->params = p;
	b->params.key = NULL;
	b->wire.first = p.tcp_seq;
	assert_int_equal(mlxo_model_wire_watch(b->rig->dev, tls_peer_frame, &b->wire), 0);
	return 1;
}

static long bio_ctrl(BIO *bio, int cmd, long number, void *pointer)
{
	struct tls_bio *b = BIO_get_data(bio);

	switch (cmd) {
	case TLS_BIO_SET_KTLS: return number ? set_ktls(b, pointer) : 0;
	case TLS_BIO_IS_SENDING: return b->tls != NULL;
	case TLS_BIO_SET_TYPE: b->type = (uint8_t)number; return 0;
	case TLS_BIO_CLEAR_TYPE: b->type = 0; return 0;
	case BIO_CTRL_FLUSH:
	case BIO_CTRL_DUP: return 1;
	default: return 0; /* with TLS_BIO_IS_RECEIVING */
	}
}

static BIO_METHOD *method(void)
{
	static BIO_METHOD *m; /* of the process */

	if (m)
		return m;
	m = BIO_meth_new(BIO_get_new_index() | BIO_TYPE_SOURCE_SINK, "offloaded TLS");
	assert_non_null(m);
	BIO_meth_set_write(m, bio_write);
	BIO_meth_set_read(m, bio_read);
	BIO_meth_set_ctrl(m, bio_ctrl);
	return m;
}

static void make_header(uint8_t *to)
{
	struct frame f;

	frame_eth(&f, 0x0800);
	frame_ipv4(&f, 6, 0);
	frame_tcp(&f, 443, 50000);
	frame_end(&f);
	assert_int_equal(f.n, RIG_HDR);
	memcpy(to, f.b, RIG_HDR);
}

void tls_bio_open(struct tls_bio *b, struct tls_rig *r, BIO *to_peer, BIO *from_peer)
{
	static const uint8_t none[32];

	memset(b, 0, sizeof(*b));
	b->rig = r;
	b->to_peer = to_peer;
	b->from_peer = from_peer;
	b->window = WINDOW;
	b->seed = 1;
	b->mss = RIG_MSS;
	b->params.tcp_seq = 1000;
	make_header(b->hdr);
	tls_peer_init(&b->wire, false, none, 16, none, 0, 0, ROOM);
	b->wire.raw = true;
	b->bio = BIO_new(method());
	assert_non_null(b->bio);
	BIO_set_data(b->bio, b);
	BIO_set_init(b->bio, 1);
}

void tls_bio_close(struct tls_bio *b)
{
	mlxo_tls_close(b->tls);
	tls_rig_settle(b->rig);
	mlxo_model_wire_watch(b->rig->dev, NULL, NULL);
	tls_peer_fini(&b->wire);
	OPENSSL_cleanse(b->secret, sizeof(b->secret));
	memset(b, 0, sizeof(*b));
}
