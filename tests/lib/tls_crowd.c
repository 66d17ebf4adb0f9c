// SPDX-License-Identifier: BSD-2-Clause
#include "tests/lib/tls_crowd.h"
#include "tests/lib/frames.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { TYPE_DATA = 23, FIRST_PORT = 1024, PORT_AT = 14 + 20 + 2, FIRST_SEQ = 1000, PIECE = 40000 };

static void frame(void *ctx, uint64_t when, const uint8_t *f, size_t len)
{
	struct crowd *c = ctx;
	uint32_t i = ((uint32_t)f[PORT_AT] << 8 | f[PORT_AT + 1]) - FIRST_PORT;

	if (i < c->n && c->member[i].peer.stream)
		tls_peer_frame(&c->member[i].peer, when, f, len);
}

void crowd_init(struct crowd *c, struct mlxo_device *dev, uint32_t n)
{
	memset(c, 0, sizeof(*c));
	c->dev = dev;
	c->n = n;
	c->member = calloc(n, sizeof(*c->member));
	c->payload = malloc(CROWD_PAYLOAD);
	assert_true(c->member && c->payload);
	for (uint32_t i = 0; i < CROWD_PAYLOAD; i++)
		c->payload[i] = (uint8_t)(i % CROWD_PERIOD);
	assert_int_equal(mlxo_model_wire_watch(dev, frame, c), 0);
}

void crowd_fini(struct crowd *c)
{
	mlxo_model_wire_watch(c->dev, NULL, NULL);
	free(c->member);
	free(c->payload);
	memset(c, 0, sizeof(*c));
}

/* -- one ------------------------------------------------------------------------------------------------------ */

static struct mlxo_secret *make_key(const struct member *m, size_t len, uint8_t *key, uint8_t *iv)
{
	uint8_t all[44];

	for (size_t i = 0; i < len + 12; i++)
		all[i] = (uint8_t)(m->index * 7 + (m->index >> 8) + m->seed * 31 + i);
	memcpy(key, all, len);
	memcpy(iv, all + len, 12);
	return mlxo_secret_new(all, len + 12);
}

static void make_header(struct member *m)
{
	struct frame f;

	frame_eth(&f, 0x0800);
	frame_ipv4(&f, 6, 0);
	frame_tcp(&f, 443, (uint16_t)(FIRST_PORT + m->index));
	frame_end(&f);
	memcpy(m->hdr, f.b, CROWD_HDR);
}

struct member *crowd_member(struct crowd *c, uint32_t i, struct mlxo_tls_queue *q, int version,
			    int bits, size_t room)
{
	struct member *m = &c->member[i];
	size_t len = bits / 8u;
	uint8_t key[32], iv[12], seed = (uint8_t)(m->seed + 1);

	memset(m, 0, sizeof(*m));
	m->crowd = c;
	m->index = i;
	m->queue = q;
	m->seed = seed;
	for (int k = 0; k < 2 && !m->key; k++) /* an allocation may be meant to fail */
		m->key = make_key(m, len, key, iv);
	m->params = (struct mlxo_tls_params){.size = sizeof(m->params),
					     .version = version == 13 ? MLXO_TLS_1_3 : MLXO_TLS_1_2,
					     .cipher = bits == 256 ? MLXO_TLS_AES_GCM_256
								   : MLXO_TLS_AES_GCM_128,
					     .key = m->key,
					     .tcp_seq = FIRST_SEQ,
					     .user = m};
	m->next = FIRST_SEQ;
	make_header(m);
	tls_peer_init(&m->peer, version == 13, key, len, iv, 0, FIRST_SEQ, room);
	return m;
}

int member_open(struct member *m)
{
	return mlxo_tls_open(m->queue, &m->params, &m->tls);
}

void member_close(struct member *m)
{
	mlxo_tls_close(m->tls);
	mlxo_secret_destroy(m->key);
	tls_peer_fini(&m->peer);
	m->tls = NULL;
	m->key = NULL;
}

struct mlxo_tls_info member_info(const struct member *m)
{
	struct mlxo_tls_info info;

	mlxo_tls_info(m->tls, &info);
	return info;
}

int member_write(struct member *m, uint32_t n)
{
	struct iovec iov = {m->crowd->payload + (m->index + m->wrote) % CROWD_PERIOD, n};
	int err = mlxo_tls_write(m->tls, TYPE_DATA, &iov, 1, NULL, NULL);

	if (!err)
		m->wrote += n;
	return err;
}

static int send_from(struct member *m, uint32_t seq)
{
	uint32_t nxt = member_info(m).nxt;
	int err = 0;

	while (!err && seq != nxt) {
		uint32_t n = nxt - seq < PIECE ? nxt - seq : PIECE;
		struct mlxo_tls_segment s = {.hdr = m->hdr,
					     .hdr_len = CROWD_HDR,
					     .mss = CROWD_MSS,
					     .seq = seq,
					     .len = n};

		err = mlxo_tls_send(m->tls, &s);
		mlxo_tls_queue_flush(m->queue);
		if (err)
			break;
		err = mlxo_tls_queue_poll(m->queue);
		seq += n;
		if (seq - m->next < UINT32_C(1) << 31)
			m->next = seq;
	}
	return err;
}

int member_send(struct member *m)
{
	return send_from(m, m->next);
}

int member_send_again(struct member *m)
{
	return send_from(m, member_info(m).una);
}

int member_ack(struct member *m)
{
	return mlxo_tls_ack(m->tls, tls_peer_next(&m->peer));
}

int member_rekey(struct member *m)
{
	uint8_t key[32], iv[12];
	struct mlxo_secret *s;
	int err;

	if (!tls_peer_open(&m->peer, UINT64_MAX))
		return -EBADMSG;
	m->seed++;
	s = make_key(m, m->peer.key_len, key, iv);
	err = s ? mlxo_tls_rekey(m->tls, s) : -ENOMEM;
	mlxo_secret_destroy(s);
	if (!err)
		tls_peer_rekey(&m->peer, key, iv);
	return err;
}

bool member_intact(struct member *m)
{
	struct tls_peer *p = &m->peer;

	if (!tls_peer_open(p, UINT64_MAX) || p->bad_headers || p->bad_records || p->differing ||
	    p->nplain != m->wrote)
		return false;
	for (size_t i = 0; i < p->nplain; i++)
		if (p->plain[i] != (m->index + i) % CROWD_PERIOD)
			return false;
	return true;
}
