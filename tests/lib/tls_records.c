// SPDX-License-Identifier: BSD-2-Clause
/* TLS records by OpenSSL: see tls_records.h. */
#include "tls_records.h"

#include <openssl/evp.h>
#include <stdlib.h>
#include <string.h>

enum { TAG = 16 };

static size_t head_of(const struct tls_keys *k)
{
	return k->v13 ? 5 : 13;
}

size_t tls_overhead(const struct tls_keys *k)
{
	return k->v13 ? 22 : 29;
}

size_t tls_write(const struct tls_keys *k, uint8_t *to, uint64_t nonce, const void *data, size_t n)
{
	size_t length = n + tls_overhead(k) - 5, at = 5;

	to[0] = 23;
	to[1] = to[2] = 3;
	to[3] = (uint8_t)(length >> 8);
	to[4] = (uint8_t)length;
	for (int i = 0; !k->v13 && i < 8; i++)
		to[at++] = (uint8_t)(nonce >> (56 - 8 * i));
	memcpy(to + at, data, n);
	at += n;
	if (k->v13)
		to[at++] = 23;
	memset(to + at, 0xee, TAG);
	return at + TAG;
}

/* Nonce and additional data of the record at rec, `body` encrypted bytes. Returns the length of the latter. */
static int prepare(const struct tls_keys *k, const uint8_t *rec, uint64_t number, size_t body,
		   uint8_t nonce[12], uint8_t aad[13])
{
	memcpy(nonce, k->iv, 12);
	if (k->v13) {
		for (int i = 0; i < 8; i++)
			nonce[4 + i] ^= (uint8_t)(number >> (56 - 8 * i));
		memcpy(aad, rec, 5);
		return 5;
	}
	memcpy(nonce + 4, rec + 5, 8);
	for (int i = 0; i < 8; i++)
		aad[i] = (uint8_t)(number >> (56 - 8 * i));
	memcpy(aad + 8, rec, 3);
	aad[11] = (uint8_t)(body >> 8);
	aad[12] = (uint8_t)body;
	return 13;
}

/* One record from `from` to `to` (bodies only). Is the tag right, or made? */
static bool gcm(const struct tls_keys *k, bool encrypt, uint8_t *rec, uint64_t number, uint8_t *to)
{
	EVP_CIPHER_CTX *c = EVP_CIPHER_CTX_new();
	size_t head = head_of(k), body = (size_t)(rec[3] << 8 | rec[4]) + 5 - head - TAG;
	uint8_t nonce[12], aad[13], *tag = rec + head + body, none[16];
	int n, aadlen = prepare(k, rec, number, body, nonce, aad);
	bool good = EVP_CipherInit_ex(c, k->len == 32 ? EVP_aes_256_gcm() : EVP_aes_128_gcm(), NULL,
				      k->key, nonce, encrypt) == 1 &&
		    EVP_CipherUpdate(c, NULL, &n, aad, aadlen) == 1 &&
		    EVP_CipherUpdate(c, to, &n, rec + head, (int)body) == 1;

	if (!encrypt)
		good = good && EVP_CIPHER_CTX_ctrl(c, EVP_CTRL_AEAD_SET_TAG, TAG, tag) == 1;
	good = good && EVP_CipherFinal_ex(c, none, &n) == 1;
	if (encrypt)
		good = good && EVP_CIPHER_CTX_ctrl(c, EVP_CTRL_AEAD_GET_TAG, TAG, tag) == 1;
	EVP_CIPHER_CTX_free(c);
	return good;
}

void tls_seal(const struct tls_keys *k, uint8_t *rec, uint64_t number)
{
	if (!gcm(k, true, rec, number, rec + head_of(k)))
		abort();
}

static bool in_clear(const uint8_t *wire, const uint8_t *host, size_t n)
{
	for (size_t i = 0; i + 8 <= n; i++)
		if (memcmp(wire + i, host + i, 8) == 0)
			return true;
	return false;
}

int tls_check(const struct tls_keys *k, uint64_t first, const uint8_t *wire, const uint8_t *host,
	      size_t n)
{
	size_t head = head_of(k), at = 0;
	static uint8_t rec[5 + 65536], plain[65536];
	int good = 0;

	for (; at + tls_overhead(k) <= n; good++) {
		size_t whole = (size_t)(host[at + 3] << 8 | host[at + 4]) + 5,
		       body = whole - head - TAG;

		if (whole > n - at)
			break;
		memcpy(rec, wire + at, whole);
		if (memcmp(rec, host + at, head) != 0 ||
		    !gcm(k, false, rec, first + (unsigned int)good, plain) ||
		    memcmp(plain, host + at + head, body) != 0)
			return in_clear(wire + at + head, host + at + head, body) ? -1 : good;
		at += whole;
	}
	return good;
}
