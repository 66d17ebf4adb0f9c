// SPDX-License-Identifier: BSD-2-Clause
/*
 * Records: RFC 5246 6.2.3.3 with RFC 5288 (TLS 1.2, AES-GCM), RFC 8446 5.2 (TLS 1.3).
 *
 *	1.2	| 5 header | 8 explicit nonce | plaintext | 16 tag |		AAD: number, type, version, length
 *	1.3	| 5 header |		plaintext, type | 16 tag |		AAD: header
 *
 * In software the whole record lies encrypted in one block. For hardware the block has header and nonce, the plaintext stays
 * where it is if its memory is registered, and type and room for the tag follow from the same block:
 *
 *	block	| header, nonce | ... | type, tag |      seg[]: block, plaintext pieces, block
 *
 * Plaintext that is not registered is copied into the block, between the two.
 */
#include "offload/tls/engine.h"
#include "objects/alloc.h"
#include "objects/error.h"

#include <errno.h>
#include <openssl/crypto.h>
#include <string.h>

enum { TYPE_APPLICATION = 23, VERSION_MAJOR = 3, VERSION_MINOR = 3, TRAILER_AT = 16 };
enum { MAX_SEGS = MLXO_TLS_IOV_MAX + 2 };

static void put64(uint8_t *to, uint64_t v)
{
	for (int i = 7; i >= 0; i--, v >>= 8)
		to[i] = (uint8_t)v;
}

static unsigned int prefix_len(const struct mlxo_tls *tls)
{
	return TLS_HEADER + (tls->version ? 0 : TLS_NONCE);
}

/* Behind the plaintext. */
static unsigned int trailer_len(const struct mlxo_tls *tls)
{
	return TLS_TAG + (tls->version ? 1 : 0);
}

static void put_prefix(const struct mlxo_tls *tls, const struct tls_record *r, uint8_t *to)
{
	uint32_t body = r->len - TLS_HEADER;

	to[0] = tls->version ? TYPE_APPLICATION : r->type;
	to[1] = VERSION_MAJOR;
	to[2] = VERSION_MINOR;
	to[3] = (uint8_t)(body >> 8);
	to[4] = (uint8_t)body;
	if (!tls->version)
		put64(to + TLS_HEADER, tls->nonce);
}

/* -- software ------------------------------------------------------------------------------------------------ */

/* A cipher context of the queue with the key set; keys change from record to record, so the last one is remembered. */
static EVP_CIPHER_CTX *cipher_for(struct mlxo_tls_queue *q, const struct tls_key *k,
				  const uint8_t nonce[TLS_IV])
{
	unsigned int i = k->len == 32;
	EVP_CIPHER_CTX *ctx = q->cipher[i].ctx;
	bool same = q->cipher[i].serial == k->serial;

	q->cipher[i].serial = 0;
	if (EVP_EncryptInit_ex(ctx, same ? NULL : q->engine->cipher[i], NULL,
			       same ? NULL : mlxo_secret_bytes(k->secret), nonce) != 1)
		return NULL;
	q->cipher[i].serial = k->serial;
	return ctx;
}

/* explicit: where the nonce of a TLS 1.2 record stands. */
static void make_nonce(const struct mlxo_tls *tls, const struct tls_record *r,
		       const uint8_t *explicit, uint8_t nonce[TLS_IV])
{
	uint8_t number[8];

	memcpy(nonce, tls_key_iv(r->key), TLS_IV);
	if (!tls->version) {
		memcpy(nonce + 4, explicit, TLS_NONCE);
		return;
	}
	put64(number, r->rec_no);
	for (int i = 0; i < 8; i++)
		nonce[4 + i] ^= number[i];
}

static int make_aad(const struct mlxo_tls *tls, const struct tls_record *r, const uint8_t *header,
		    uint8_t aad[13])
{
	if (tls->version) {
		memcpy(aad, header, TLS_HEADER);
		return TLS_HEADER;
	}
	put64(aad, r->rec_no);
	aad[8] = r->type;
	aad[9] = VERSION_MAJOR;
	aad[10] = VERSION_MINOR;
	aad[11] = (uint8_t)(r->plain >> 8);
	aad[12] = (uint8_t)r->plain;
	return 13;
}

/* Encrypt behind the prefix at `to`, which is there already. 0 or -EIO. */
static int seal(struct mlxo_tls *tls, const struct tls_record *r, const struct iovec *iov,
		int iovcnt, uint8_t *to)
{
	uint8_t nonce[TLS_IV], aad[13], *at = to + prefix_len(tls);
	int aadlen = make_aad(tls, r, to, aad), n = 0, ok;
	EVP_CIPHER_CTX *ctx;

	make_nonce(tls, r, to + TLS_HEADER, nonce);
	ctx = cipher_for(tls->q, r->key, nonce);
	ok = ctx && EVP_EncryptUpdate(ctx, NULL, &n, aad, aadlen) == 1;
	for (int i = 0; ok && i < iovcnt; i++) {
		if (!iov[i].iov_len)
			continue;
		ok = EVP_EncryptUpdate(ctx, at, &n, iov[i].iov_base, (int)iov[i].iov_len) == 1;
		at += iov[i].iov_len;
	}
	if (ok && tls->version)
		ok = EVP_EncryptUpdate(ctx, at++, &n, &r->type, 1) == 1;
	ok = ok && EVP_EncryptFinal_ex(ctx, at, &n) == 1 &&
	     EVP_CIPHER_CTX_ctrl(ctx, EVP_CTRL_AEAD_GET_TAG, TLS_TAG, at) == 1;
	OPENSSL_cleanse(nonce, sizeof(nonce));
	return ok ? 0 : obj_error(-EIO, "libcrypto cannot encrypt a record");
}

/* The whole record is one piece of the block. */
static void one_segment(struct tls_record *r)
{
	r->nsegs = 1;
	r->seg[0] =
		(struct queue_seg){(uint64_t)(uintptr_t)r->block, r->from->mem->mr.lkey, r->len};
}

/* -- making one ---------------------------------------------------------------------------------------------- */

/* Segments of the plaintext where it is; false: some of it is not registered. */
static bool in_place(struct mlxo_tls *tls, const struct tls_write *w, struct queue_seg *seg,
		     unsigned int *n)
{
	*n = 0;
	for (int i = 0; i < w->iovcnt; i++) {
		uint32_t lkey;

		if (!w->iov[i].iov_len)
			continue;
		if (*n == MLXO_TLS_IOV_MAX ||
		    !tls_memory_find(tls->q->engine, w->iov[i].iov_base, w->iov[i].iov_len, &lkey))
			return false;
		seg[(*n)++] = (struct queue_seg){(uint64_t)(uintptr_t)w->iov[i].iov_base, lkey,
						 (uint32_t)w->iov[i].iov_len};
	}
	return true;
}

static struct tls_record *record_new(struct mlxo_tls *tls, const struct tls_write *w,
				     unsigned int nsegs, uint32_t block)
{
	struct tls_record *r = mlxo_calloc(1, sizeof(*r) + nsegs * sizeof(r->seg[0]));

	if (!r) {
		obj_error_nomem("a record");
		return NULL;
	}
	r->block = tls_buffer_get(&tls->q->buffers, block);
	if (!r->block) {
		mlxo_free(r);
		tls_add(tls->q, TLS_N_BUFFERS_FULL, 1);
		return obj_error_null(-EAGAIN,
				      "the queue's %zu bytes of buffers are used up: "
				      "acknowledge what the peer has and poll",
				      tls->q->buffers.mem->len);
	}
	r->from = &tls->q->buffers;
	r->key = tls->key;
	r->rec_no = tls->rec_no;
	r->seq = tls->nxt;
	r->plain = w->plain;
	r->len = prefix_len(tls) + w->plain + trailer_len(tls);
	r->type = w->type;
	put_prefix(tls, r, r->block);
	return r;
}

static struct tls_record *create_sw(struct mlxo_tls *tls, const struct tls_write *w)
{
	uint32_t len = prefix_len(tls) + w->plain + trailer_len(tls);
	struct tls_record *r = record_new(tls, w, 1, len);

	if (!r)
		return NULL;
	if (seal(tls, r, w->iov, w->iovcnt, r->block)) {
		tls_buffer_put(&tls->q->buffers, r->block);
		mlxo_free(r);
		return NULL;
	}
	one_segment(r);
	r->key = NULL; /* not needed again */
	return r;
}

/* Type and room for the tag; what lies there is sent nowhere, the device writes the tag over it. */
static void put_trailer(const struct mlxo_tls *tls, const struct tls_record *r, uint8_t *to)
{
	memset(to, 0, trailer_len(tls));
	if (tls->version)
		*to = r->type;
}

static struct tls_record *create_hw_copied(struct mlxo_tls *tls, const struct tls_write *w)
{
	uint32_t len = prefix_len(tls) + w->plain + trailer_len(tls);
	struct tls_record *r = record_new(tls, w, 1, len);
	uint8_t *to;

	if (!r)
		return NULL;
	to = r->block + prefix_len(tls);
	for (int i = 0; i < w->iovcnt; i++) {
		if (!w->iov[i].iov_len)
			continue;
		memcpy(to, w->iov[i].iov_base, w->iov[i].iov_len);
		to += w->iov[i].iov_len;
	}
	put_trailer(tls, r, to);
	one_segment(r);
	r->hw = true;
	tls_add(tls->q, TLS_N_COPIED_BYTES, w->plain);
	return r;
}

static struct tls_record *create_hw(struct mlxo_tls *tls, const struct tls_write *w)
{
	struct queue_seg seg[MLXO_TLS_IOV_MAX];
	struct tls_record *r;
	unsigned int n;
	uint32_t lkey = tls->q->buffers.mem->mr.lkey;

	if (!in_place(tls, w, seg, &n) || !n)
		return create_hw_copied(tls, w);
	r = record_new(tls, w, n + 2, TRAILER_AT + trailer_len(tls));
	if (!r)
		return NULL;
	put_trailer(tls, r, r->block + TRAILER_AT);
	r->seg[0] = (struct queue_seg){(uint64_t)(uintptr_t)r->block, lkey, prefix_len(tls)};
	memcpy(r->seg + 1, seg, n * sizeof(seg[0]));
	r->seg[n + 1] = (struct queue_seg){(uint64_t)(uintptr_t)(r->block + TRAILER_AT), lkey,
					   trailer_len(tls)};
	r->nsegs = (uint8_t)(n + 2);
	r->hw = r->held = true;
	r->cookie = w->cookie;
	return r;
}

struct tls_record *tls_record_create(struct mlxo_tls *tls, const struct tls_write *w, bool hw)
{
	return hw ? create_hw(tls, w) : create_sw(tls, w);
}

/* -- encrypting it after all ---------------------------------------------------------------------------------- */

static void release_payload(struct mlxo_tls_queue *q, struct tls_record *r)
{
	if (r->held && q->opts.released)
		q->opts.released(q->opts.ctx, r->cookie);
	r->held = false;
}

/* The plaintext of a hardware record as it lies in memory. */
static int plain_iov(const struct mlxo_tls *tls, const struct tls_record *r, struct iovec *iov)
{
	if (r->nsegs == 1) {
		iov[0].iov_base = r->block + prefix_len(tls);
		iov[0].iov_len = r->plain;
		return 1;
	}
	for (int i = 1; i < r->nsegs - 1; i++) {
		iov[i - 1].iov_base = (void *)(uintptr_t)r->seg[i].addr;
		iov[i - 1].iov_len = r->seg[i].len;
	}
	return r->nsegs - 2;
}

int tls_record_seal(struct mlxo_tls *tls, struct tls_record *r)
{
	struct mlxo_tls_queue *q = tls->q;
	struct tls_key *k = r->key;
	struct iovec iov[MAX_SEGS];
	struct tls_buffers *from;
	uint8_t *block;
	int err;

	if (!queue_sq_is_done(&q->sq, r->stamp))
		return obj_error(-EAGAIN, "a record is still being sent: poll");
	block = tls_buffer_get_anyhow(&q->buffers, q->engine->dev, r->len, &from);
	if (!block)
		return -ENOMEM;
	memcpy(block, r->block, prefix_len(tls));
	err = seal(tls, r, iov, plain_iov(tls, r, iov), block);
	if (err) {
		tls_buffer_put(from, block);
		return err;
	}
	tls_buffer_put(r->from, r->block);
	r->block = block;
	r->from = from;
	one_segment(r);
	r->hw = false;
	r->key = NULL;
	release_payload(q, r);
	tls->hw_unacked--;
	k->unacked--;
	tls_add(q, TLS_N_SEALED, 1);
	tls_key_settle(k);
	return 0;
}

/* -- the end ---------------------------------------------------------------------------------------------------- */

void tls_record_free(struct mlxo_tls_queue *q, struct tls_record *r)
{
	release_payload(q, r);
	tls_buffer_put(r->from, r->block);
	mlxo_free(r);
}

void tls_record_release(struct mlxo_tls_queue *q, struct tls_record *r)
{
	if (queue_sq_is_done(&q->sq, r->stamp))
		tls_record_free(q, r);
	else
		tls_pend_record(q, r);
}

void tls_record_renew(struct mlxo_tls_queue *q, struct tls_record *r)
{
	uint32_t own = r->from->mem->mr.lkey;

	for (unsigned int i = 0; i < r->nsegs; i++) {
		const uint8_t *addr = (const uint8_t *)(uintptr_t)r->seg[i].addr;

		if (i == 0 || i == r->nsegs - 1u)
			r->seg[i].lkey = own;
		else
			tls_memory_find(q->engine, addr, r->seg[i].len, &r->seg[i].lkey);
	}
}
