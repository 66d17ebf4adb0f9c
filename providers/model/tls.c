// SPDX-License-Identifier: BSD-2-Clause
/*
 * The TLS engine: the context of a TIS walks the records of a TCP stream and encrypts them with AES-GCM.
 *
 *   TLS 1.2  | type 03 03 length | explicit nonce | data, encrypted               | tag |      RFC 5288
 *   TLS 1.3  | 17   03 03 length | data and content type byte, encrypted          | tag |      RFC 8446 5.2
 *               5, as it is        8, as it is                                       16, written over
 *
 *   1.2: nonce = salt || explicit nonce of the stream    AAD = record number || type || version || length of the data
 *   1.3: nonce = IV xor record number                    AAD = the header
 *
 * A record may be cut anywhere: the walk stops after any byte and goes on with the next packet or DUMP. Nothing says
 * where in the TCP stream the bytes belong: a hole, a repetition or a wrong first byte is met as a header that is
 * none, or not at all; the receiver's tag check then fails. From a bad header on, and while the context is not armed,
 * bytes become noise that differs from the input in every byte: what was to be encrypted never leaves in clear.
 *
 * The key is taken from the card's key cache when a record's data begins. A context keeps one cipher context, keyed
 * anew only when the slot or its cached key changed.
 *
 * Locks: t->lock, held by the caller of everything here but new and free; inside it dek->lock. Ownership: the TIS's.
 */
#include "model.h"

#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <stdlib.h>
#include <string.h>

enum { HEADER = 5, NONCE_12 = 8, GCM_NONCE = 12, SALT = 4, TAG = 16 };
enum { TYPE_FIRST = 20, TYPE_LAST = 24, TYPE_DATA = 23, VERSION_BYTE = 3 };
enum { MAX_RECORD = (1 << 14) + 256 }; /* what the length field may say */

struct model_tls *model_tls_new(void)
{
	struct model_tls *t = calloc(1, sizeof(*t));

	if (t)
		pthread_mutex_init(&t->lock, NULL);
	return t;
}

void model_tls_free(struct model_tls *t)
{
	if (!t)
		return;
	EVP_CIPHER_CTX_free(t->cipher); /* wipes the key schedule */
	pthread_mutex_destroy(&t->lock);
	OPENSSL_cleanse(t, sizeof(*t));
	free(t);
}

void model_tls_set(struct model_tls *t, const struct model_tls_params *params)
{
	t->params = *params;
	t->has_params = true;
	t->state = MODEL_TLS_UNARMED;
}

void model_tls_arm(struct model_tls *t)
{
	if (!t->has_params)
		return;
	t->state = MODEL_TLS_ARMED;
	t->moved = false;
	t->phase = MODEL_TLS_HEADER;
	t->at = 0;
	t->record = t->params.record;
}

struct model_dek *model_tls_dek(struct model_dev *dev, const struct model_tis *tis, uint32_t dekn)
{
	struct model_dek *dek = (struct model_dek *)model_obj_find(dev, MODEL_DEK, dekn);

	if (!dek || dek->purpose != PRM_GENERAL_OBJECT_TYPE_ENCRYPTION_KEY_PURPOSE_TLS ||
	    dek->o.uid != tis->o.uid || dek->pd != tis->pd || !dek->keys[dekn - dek->o.id].len)
		return NULL;
	return dek;
}

/* Garbage in place: every byte changes, the same history gives the same noise. */
static void scramble(struct model_tls *t, uint8_t *b, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		t->noise = t->noise * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
		b[i] ^= (uint8_t)((t->noise >> 33) | 1);
	}
}

static void lose(struct model_dev *dev, struct model_tls *t)
{
	t->state = MODEL_TLS_LOST;
	model_tls_count(dev, MODEL_TLS_N_LOST, 1);
}

/* -- the cipher ----------------------------------------------------------------------------------------- */

/* Have t->cipher hold the key that the card has in its cache for the context's slot. */
static bool load_key(struct model_dev *dev, const struct model_tis *tis, struct model_tls *t)
{
	uint32_t dekn = t->params.dekn, gen;
	struct model_dek *dek = model_tls_dek(dev, tis, dekn);
	uint8_t key[32], len;
	struct model_key *k;
	bool good;

	if (!dek)
		return false;
	k = &dek->keys[dekn - dek->o.id];
	/* acquire: pairs with the refill, which stores the generation before it says cached */
	if (t->cipher && t->cipher_birth == dek->birth && t->cipher_dekn == dekn &&
	    atomic_load_explicit(&k->cached, memory_order_acquire) &&
	    atomic_load_explicit(&k->cache_gen, memory_order_acquire) == t->cipher_gen)
		return true;
	if (model_key_get(dev, dek, dekn - dek->o.id, key, &len, &gen))
		return false;
	if (!t->cipher)
		t->cipher = EVP_CIPHER_CTX_new();
	good = t->cipher &&
	       EVP_EncryptInit_ex(t->cipher, len == 32 ? EVP_aes_256_gcm() : EVP_aes_128_gcm(),
				  NULL, key, NULL) == 1;
	OPENSSL_cleanse(key, sizeof(key));
	t->cipher_birth = good ? dek->birth : 0;
	t->cipher_dekn = dekn;
	t->cipher_gen = gen;
	return good;
}

static void make_nonce(const struct model_tls *t, uint8_t nonce[GCM_NONCE])
{
	memcpy(nonce, t->params.iv, GCM_NONCE);
	if (!t->params.v13) {
		memcpy(nonce + SALT, t->nonce, NONCE_12);
		return;
	}
	for (int i = 0; i < 8; i++)
		nonce[SALT + i] ^= (uint8_t)(t->record >> (56 - 8 * i));
}

/* Returns the length. */
static int make_aad(const struct model_tls *t, uint8_t aad[13])
{
	if (t->params.v13) {
		memcpy(aad, t->header, HEADER);
		return HEADER;
	}
	for (int i = 0; i < 8; i++)
		aad[i] = (uint8_t)(t->record >> (56 - 8 * i));
	memcpy(aad + 8, t->header, 3);
	aad[11] = (uint8_t)(t->body >> 8);
	aad[12] = (uint8_t)t->body;
	return 13;
}

static void enter(struct model_tls *t, enum model_tls_phase phase)
{
	t->phase = phase;
	t->at = 0;
}

static void end_body(struct model_dev *dev, struct model_tls *t)
{
	uint8_t none[16];
	int n;

	if (EVP_EncryptFinal_ex(t->cipher, none, &n) != 1 ||
	    EVP_CIPHER_CTX_ctrl(t->cipher, EVP_CTRL_AEAD_GET_TAG, TAG, t->tag) != 1)
		lose(dev, t);
	enter(t, MODEL_TLS_TAG);
}

static void begin_body(struct model_dev *dev, const struct model_tis *tis, struct model_tls *t)
{
	uint8_t nonce[GCM_NONCE], aad[13];
	int n, aadlen = make_aad(t, aad);

	make_nonce(t, nonce);
	if (!load_key(dev, tis, t) || EVP_EncryptInit_ex(t->cipher, NULL, NULL, NULL, nonce) != 1 ||
	    EVP_EncryptUpdate(t->cipher, NULL, &n, aad, aadlen) != 1) {
		lose(dev, t);
		return;
	}
	enter(t, MODEL_TLS_BODY);
	if (t->body == 0)
		end_body(dev, t);
}

/* -- the walk: each takes what it can of n bytes, at least one, or loses the stream ----------------------- */

static bool good_header_byte(const struct model_tls *t, uint8_t b)
{
	switch (t->at) {
	case 0: return t->params.v13 ? b == TYPE_DATA : b >= TYPE_FIRST && b <= TYPE_LAST;
	case 1:
	case 2: return b == VERSION_BYTE;
	case 3: return b <= MAX_RECORD >> 8;
	default: {
		uint32_t length = (uint32_t)t->header[3] << 8 | b;

		return length <= MAX_RECORD && length >= (t->params.v13 ? TAG + 1 : NONCE_12 + TAG);
	}
	}
}

static size_t take_header(struct model_dev *dev, const struct model_tis *tis, const uint8_t *b,
			  size_t n)
{
	struct model_tls *t = tis->tls;
	size_t done = 0;

	while (done < n && t->at < HEADER) {
		if (!good_header_byte(t, b[done])) {
			lose(dev, t);
			return done;
		}
		t->header[t->at++] = b[done++];
	}
	if (t->at < HEADER)
		return done;
	t->body = ((uint32_t)t->header[3] << 8 | t->header[4]) - TAG;
	if (t->params.v13) {
		begin_body(dev, tis, t);
	} else {
		t->body -= NONCE_12;
		enter(t, MODEL_TLS_NONCE);
	}
	return done;
}

static size_t take_nonce(struct model_dev *dev, const struct model_tis *tis, const uint8_t *b,
			 size_t n)
{
	struct model_tls *t = tis->tls;
	size_t m = n < NONCE_12 - t->at ? n : NONCE_12 - t->at;

	memcpy(t->nonce + t->at, b, m);
	t->at += (uint32_t)m;
	if (t->at == NONCE_12)
		begin_body(dev, tis, t);
	return m;
}

static size_t take_body(struct model_dev *dev, struct model_tls *t, uint8_t *b, size_t n)
{
	size_t m = n < t->body - t->at ? n : t->body - t->at;
	int out;

	if (EVP_EncryptUpdate(t->cipher, b, &out, b, (int)m) != 1) {
		lose(dev, t);
		return 0;
	}
	t->at += (uint32_t)m;
	if (t->at == t->body)
		end_body(dev, t);
	return m;
}

static size_t take_tag(struct model_dev *dev, struct model_tls *t, uint8_t *b, size_t n)
{
	size_t m = n < TAG - t->at ? n : TAG - t->at;

	memcpy(b, t->tag + t->at, m);
	t->at += (uint32_t)m;
	if (t->at == TAG) {
		t->record++;
		model_tls_count(dev, MODEL_TLS_N_RECORDS, 1);
		enter(t, MODEL_TLS_HEADER);
	}
	return m;
}

void model_tls_run(struct model_dev *dev, const struct model_tis *tis, uint8_t *b, size_t n)
{
	struct model_tls *t = tis->tls;

	if (t->state == MODEL_TLS_UNARMED)
		model_tls_count(dev, MODEL_TLS_N_UNARMED, 1);
	t->moved = true;
	while (n && t->state == MODEL_TLS_ARMED) {
		size_t m = 0;

		switch (t->phase) {
		case MODEL_TLS_HEADER: m = take_header(dev, tis, b, n); break;
		case MODEL_TLS_NONCE: m = take_nonce(dev, tis, b, n); break;
		case MODEL_TLS_BODY: m = take_body(dev, t, b, n); break;
		case MODEL_TLS_TAG: m = take_tag(dev, t, b, n); break;
		}
		b += m;
		n -= m;
	}
	scramble(t, b, n);
}
