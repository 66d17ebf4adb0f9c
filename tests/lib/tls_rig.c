// SPDX-License-Identifier: BSD-2-Clause
#include "tests/lib/tls_rig.h"
#include "tests/lib/frames.h"
#include "tests/lib/test_device.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { STREAM = 8 << 20, TYPE_DATA = 23 };

/* -- the rig --------------------------------------------------------------------------------------------------- */

static void released(void *ctx, void *cookie)
{
	struct tls_rig *r = ctx;

	(void)cookie;
	r->released++;
}

static void event(void *ctx, struct mlxo_tls *tls, enum mlxo_tls_event e)
{
	struct tls_rig *r = ctx;

	(void)tls;
	r->events[e]++;
	r->last_event = e;
}

static uint64_t sum(struct mlxo_stat *s, size_t n)
{
	uint64_t total = 0;

	for (size_t i = 0; i < n; i++)
		total += s[i].value;
	free(s);
	return total;
}

uint64_t tls_rig_census(struct tls_rig *r)
{
	struct mlxo_stat *s;
	size_t n;

	assert_int_equal(mlxo_model_census(r->dev, &s, &n), 0);
	return sum(s, n);
}

static uint64_t find(struct mlxo_stat *s, size_t n, const char *name, bool needed)
{
	uint64_t value = 0;
	bool found = false;

	for (size_t i = 0; i < n && !found; i++)
		if (strcmp(s[i].name, name) == 0) {
			value = s[i].value;
			found = true;
		}
	free(s);
	if (needed && !found)
		fail_msg("no statistic is called %s", name);
	return value;
}

uint64_t tls_rig_stat(struct tls_rig *r, const char *name)
{
	struct mlxo_stat *s;
	size_t n;

	assert_int_equal(mlxo_tls_stats(r->engine, &s, &n), 0);
	return find(s, n, name, true);
}

uint64_t tls_rig_model(struct tls_rig *r, const char *name)
{
	struct mlxo_stat *s;
	size_t n;

	assert_int_equal(mlxo_model_stats(r->dev, &s, &n), 0);
	return find(s, n, name, false);
}

void tls_rig_open(struct tls_rig *r, const char *options, const struct mlxo_tls_engine_opts *opts,
		  const struct mlxo_tls_queue_opts *qopts)
{
	struct mlxo_tls_engine_opts o = {.size = sizeof(o)};
	struct mlxo_tls_queue_opts q = {.size = sizeof(q)};
	char name[128];

	memset(r, 0, sizeof(*r));
	if (opts)
		o = *opts;
	if (qopts)
		q = *qopts;
	o.size = sizeof(o);
	o.caller_runs = true;
	q.size = sizeof(q);
	q.released = released;
	q.event = event;
	q.ctx = r;
	snprintf(name, sizeof(name), "model%s%s", *options ? ":" : "", options);
	assert_int_equal(test_device_open(name, &r->dev), 0);
	r->census = tls_rig_census(r);
	assert_int_equal(mlxo_tls_engine_open(r->dev, &o, &r->engine), 0);
	assert_int_equal(mlxo_tls_queue_create(r->engine, &q, &r->queue), 0);
	r->payload = malloc(RIG_PAYLOAD);
	assert_non_null(r->payload);
	for (uint32_t i = 0; i < RIG_PAYLOAD; i++)
		r->payload[i] = (uint8_t)(i * 7 + i / 251 + 3);
	assert_int_equal(mlxo_tls_memory_register(r->engine, r->payload, RIG_PAYLOAD), 0);
	tls_rig_settle(r);
}

void tls_rig_close(struct tls_rig *r)
{
	struct mlxo_quarantined *list;
	size_t n;

	mlxo_tls_queue_destroy(r->queue);
	mlxo_tls_engine_close(r->engine);
	assert_int_equal(tls_rig_census(r), r->census);
	assert_int_equal(mlxo_device_quarantined(r->dev, &list, &n), 0);
	free(list);
	assert_int_equal(n, 0);
	mlxo_device_close(r->dev);
	free(r->payload);
	memset(r, 0, sizeof(*r));
}

void tls_rig_settle(struct tls_rig *r)
{
	for (int quiet = 0; quiet < 3; quiet++) {
		if (mlxo_device_progress(r->dev) > 0)
			quiet = 0;
		mlxo_tls_queue_poll(r->queue);
	}
}

/* -- a connection ------------------------------------------------------------------------------------------------- */

static void count_up(uint8_t *to, size_t n, uint8_t from)
{
	for (size_t i = 0; i < n; i++)
		to[i] = (uint8_t)(from + i);
}

static struct mlxo_secret *secret(size_t key_len, uint8_t seed, uint8_t *key, uint8_t *iv)
{
	uint8_t all[44];

	count_up(key, key_len, seed);
	count_up(iv, 12, (uint8_t)(seed + 0xa0));
	memcpy(all, key, key_len);
	memcpy(all + key_len, iv, 12);
	return mlxo_secret_new(all, key_len + 12);
}

/* A template in which everything that is to be filled in is wrong. */
static void make_header(uint8_t *to)
{
	struct frame f;

	frame_eth(&f, 0x0800);
	frame_ipv4(&f, 6, 0);
	frame_tcp(&f, 443, 50000);
	frame_end(&f);
	assert_int_equal(f.n, RIG_HDR);
	memcpy(to, f.b, RIG_HDR);
	to[16] = to[17] = 0xee; /* length */
	to[24] = to[25] = 0xee; /* IPv4 checksum */
}

void tls_conn_init(struct tls_conn *c, struct tls_rig *r, int version, int bits, uint8_t seed)
{
	uint8_t key[32], iv[12];

	memset(c, 0, sizeof(*c));
	c->rig = r;
	c->mss = RIG_MSS;
	c->params = (struct mlxo_tls_params){.size = sizeof(c->params),
					     .version = version == 13 ? MLXO_TLS_1_3 : MLXO_TLS_1_2,
					     .cipher = bits == 256 ? MLXO_TLS_AES_GCM_256
								   : MLXO_TLS_AES_GCM_128,
					     .key = secret(bits / 8u, seed, key, iv),
					     .tcp_seq = 1000,
					     .user = c};
	assert_non_null(c->params.key);
	make_header(c->hdr);
	tls_peer_init(&c->peer, version == 13, key, bits / 8u, iv, 0, 0, STREAM);
	c->expect = malloc(STREAM);
	assert_non_null(c->expect);
}

void tls_conn_listen(struct tls_conn *c)
{
	assert_int_equal(mlxo_model_wire_watch(c->rig->dev, tls_peer_frame, &c->peer), 0);
}

int tls_conn_open(struct tls_conn *c)
{
	c->peer.rec_no = c->params.rec_seq;
	c->peer.first = c->next = c->params.tcp_seq;
	tls_conn_listen(c);
	return mlxo_tls_open(c->rig->queue, &c->params, &c->tls);
}

void tls_conn_close(struct tls_conn *c)
{
	mlxo_tls_close(c->tls);
	mlxo_secret_destroy(c->params.key);
	tls_rig_settle(c->rig);
	mlxo_model_wire_watch(c->rig->dev, NULL, NULL);
	tls_peer_fini(&c->peer);
	free(c->expect);
	memset(c, 0, sizeof(*c));
}

int tls_conn_try_write(struct tls_conn *c, uint8_t type, const void *data, uint32_t n)
{
	struct iovec iov = {(void *)(uintptr_t)data, n};
	int err = mlxo_tls_write(c->tls, type, &iov, 1, c, NULL);

	if (!err) {
		memcpy(c->expect + c->wrote, data, n);
		c->wrote += n;
	}
	return err;
}

void tls_conn_write(struct tls_conn *c, uint32_t n)
{
	if (c->payload_at + n > RIG_PAYLOAD)
		c->payload_at = 0;
	assert_int_equal(tls_conn_try_write(c, TYPE_DATA, c->rig->payload + c->payload_at, n), 0);
	c->payload_at += n;
}

int tls_conn_send(struct tls_conn *c, uint32_t seq, uint32_t len)
{
	struct mlxo_tls_segment seg = {
		.hdr = c->hdr, .hdr_len = RIG_HDR, .mss = (uint16_t)c->mss, .seq = seq, .len = len};
	int err = mlxo_tls_send(c->tls, &seg);

	mlxo_tls_queue_flush(c->rig->queue);
	return err;
}

void tls_conn_flush(struct tls_conn *c)
{
	struct mlxo_tls_info info;

	mlxo_tls_info(c->tls, &info);
	while (c->next != info.nxt) {
		uint32_t n = info.nxt - c->next < 60000 ? info.nxt - c->next : 60000;

		assert_int_equal(tls_conn_send(c, c->next, n), 0);
		assert_int_equal(mlxo_tls_queue_poll(c->rig->queue), 0);
		c->next += n;
	}
}

void tls_conn_hardware(struct tls_conn *c)
{
	assert_int_equal(mlxo_tls_move(c->tls, true), 0);
	assert_int_equal(mlxo_tls_wait(c->tls, 10000), 0);
	assert_int_equal(tls_conn_state(c), MLXO_TLS_HARDWARE);
}

void tls_conn_ack(struct tls_conn *c)
{
	assert_int_equal(mlxo_tls_ack(c->tls, tls_peer_next(&c->peer)), 0);
}

void tls_conn_check(struct tls_conn *c)
{
	assert_true(tls_peer_open(&c->peer, UINT64_MAX));
	assert_int_equal(c->peer.bad_headers, 0);
	assert_int_equal(c->peer.bad_records, 0);
	assert_int_equal(c->peer.differing, 0);
	assert_int_equal(c->peer.nplain, c->wrote);
	assert_memory_equal(c->peer.plain, c->expect, c->wrote);
}

enum mlxo_tls_state tls_conn_state(const struct tls_conn *c)
{
	struct mlxo_tls_info info;

	mlxo_tls_info(c->tls, &info);
	return info.state;
}

void tls_conn_rekey(struct tls_conn *c, uint8_t seed)
{
	uint8_t key[32], iv[12];
	struct mlxo_secret *s = secret(c->peer.key_len, seed, key, iv);

	assert_non_null(s);
	assert_int_equal(mlxo_tls_rekey(c->tls, s), 0);
	mlxo_secret_destroy(s);
	tls_peer_rekey(&c->peer, key, iv);
}
