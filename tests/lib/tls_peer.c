// SPDX-License-Identifier: BSD-2-Clause
/* Reassembly and decryption for tests. Errors are counted, so that it can run in a callback. */
#include "tests/lib/tls_peer.h"
#include "tests/lib/frames.h"

#include <stdlib.h>
#include <string.h>

enum { ETH = 14, HEADER = 5, NONCE = 8, TAG = 16 };

static uint32_t get32(const uint8_t *b)
{
	return (uint32_t)b[0] << 24 | (uint32_t)b[1] << 16 | (uint32_t)b[2] << 8 | b[3];
}

void tls_peer_init(struct tls_peer *p, bool v13, const uint8_t *key, size_t key_len,
		   const uint8_t iv[12], uint64_t rec_no, uint32_t first, size_t room)
{
	memset(p, 0, sizeof(*p));
	p->v13 = v13;
	p->key_len = key_len;
	memcpy(p->key, key, key_len);
	memcpy(p->iv, iv, 12);
	p->rec_no = rec_no;
	p->first = first;
	p->room = room;
	p->stream = calloc(1, room);
	p->have = calloc(1, room);
	p->plain = calloc(1, room);
	p->ctx = EVP_CIPHER_CTX_new();
	p->seed = 1;
}

void tls_peer_fini(struct tls_peer *p)
{
	free(p->stream);
	free(p->have);
	free(p->plain);
	EVP_CIPHER_CTX_free(p->ctx);
	memset(p, 0, sizeof(*p));
}

uint32_t tls_peer_next(const struct tls_peer *p)
{
	return p->first + (uint32_t)p->contiguous;
}

static bool is_lost(struct tls_peer *p)
{
	p->seed = p->seed * 1664525u + 1013904223u;
	if (!p->drop_every || (p->seed >> 8) % p->drop_every)
		return false;
	p->dropped++;
	return true;
}

static void take(struct tls_peer *p, uint32_t seq, const uint8_t *data, size_t len)
{
	size_t at = (uint32_t)(seq - p->first);

	if (at > p->room || len > p->room - at) {
		p->bad_headers++;
		return;
	}
	for (size_t i = 0; i < len; i++) {
		if (p->have[at + i] && p->stream[at + i] != data[i])
			p->differing++;
		p->stream[at + i] = data[i];
		p->have[at + i] = 1;
	}
	while (p->contiguous < p->room && p->have[p->contiguous])
		p->contiguous++;
}

void tls_peer_frame(void *ctx, uint64_t when, const uint8_t *frame, size_t len)
{
	struct tls_peer *p = ctx;
	const uint8_t *ip = frame + ETH;
	bool v6 = frame[12] == 0x86;
	size_t ihl = v6 ? 40 : (size_t)(ip[0] & 15) * 4, total, hdr;

	(void)when;
	p->packets++;
	if (is_lost(p))
		return;
	total = v6 ? 40u + ((size_t)ip[4] << 8 | ip[5]) : ((size_t)ip[2] << 8 | ip[3]);
	hdr = ihl + (size_t)(ip[ihl + 12] >> 4) * 4;
	if (total > len - ETH || hdr > total || (!v6 && !frame_ip_ok(ip)) ||
	    !frame_l4_ok(ip, total, ihl, 6)) {
		p->bad_headers++;
		return;
	}
	take(p, get32(ip + ihl + 4), ip + hdr, total - hdr);
}

void tls_peer_rekey(struct tls_peer *p, const uint8_t *key, const uint8_t iv[12])
{
	memcpy(p->key, key, p->key_len);
	memcpy(p->iv, iv, 12);
	p->rec_no = 0;
}

static void number(uint8_t *to, uint64_t v)
{
	for (int i = 7; i >= 0; i--, v >>= 8)
		to[i] = (uint8_t)v;
}

/* One record of `body` bytes behind its header, at rec. */
static bool open_record(struct tls_peer *p, const uint8_t *rec, size_t body)
{
	size_t before = p->v13 ? 0 : NONCE, n = body - before - TAG;
	uint8_t nonce[12], aad[13], seq[8], *to = p->plain + p->nplain;
	int aadlen = HEADER, out, fin;

	number(seq, p->rec_no);
	memcpy(nonce, p->iv, 12);
	memcpy(aad, rec, HEADER);
	if (p->v13) {
		for (int i = 0; i < 8; i++)
			nonce[4 + i] ^= seq[i];
	} else {
		memcpy(nonce + 4, rec + HEADER, NONCE);
		memcpy(aad, seq, 8);
		memcpy(aad + 8, rec, 3);
		aad[11] = (uint8_t)(n >> 8);
		aad[12] = (uint8_t)n;
		aadlen = 13;
	}
	if (EVP_DecryptInit_ex(p->ctx, p->key_len == 32 ? EVP_aes_256_gcm() : EVP_aes_128_gcm(),
			       NULL, p->key, nonce) != 1 ||
	    EVP_DecryptUpdate(p->ctx, NULL, &out, aad, aadlen) != 1 ||
	    EVP_DecryptUpdate(p->ctx, to, &out, rec + HEADER + before, (int)n) != 1 ||
	    EVP_CIPHER_CTX_ctrl(p->ctx, EVP_CTRL_AEAD_SET_TAG, TAG,
				(void *)(uintptr_t)(rec + HEADER + body - TAG)) != 1 ||
	    EVP_DecryptFinal_ex(p->ctx, to + out, &fin) != 1)
		return false;
	p->last_type = p->v13 ? to[n - 1] : rec[0];
	p->last_len = p->v13 ? n - 1 : n;
	p->nplain += p->last_len;
	p->rec_no++;
	p->records++;
	return true;
}

bool tls_peer_open(struct tls_peer *p, uint64_t max)
{
	while (max-- && p->contiguous - p->opened >= HEADER) {
		const uint8_t *rec = p->stream + p->opened;
		size_t body = (size_t)rec[3] << 8 | rec[4];

		if (rec[0] < 20 || rec[0] > 23 || rec[1] != 3 || rec[2] != 3 ||
		    body < TAG + (p->v13 ? 1u : NONCE)) {
			p->bad_records++;
			return false;
		}
		if (p->contiguous - p->opened < HEADER + body)
			return true;
		if (!open_record(p, rec, body)) {
			p->bad_records++;
			return false;
		}
		p->opened += HEADER + body;
	}
	return true;
}
