/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * TLS records for tests of TLS on sending: as the host writes them, as they must be on the wire, and whether bytes of
 * the wire decrypt to what was meant. By OpenSSL, one record in one go; shares nothing with the code under test.
 */
#ifndef TESTS_LIB_TLS_RECORDS_H
#define TESTS_LIB_TLS_RECORDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct tls_keys {
	bool v13;
	uint8_t len; /* 16, 32 */
	uint8_t key[32];
	uint8_t iv[12]; /* 1.2: 4 bytes of salt */
};

/* Bytes of a record that are not data: 22 with 1.3 (header, content type, tag), else 29. */
size_t tls_overhead(const struct tls_keys *k);
/* Header, explicit nonce (1.2), n data bytes, content type (1.3), 16 bytes where the tag will be. Returns the bytes. */
size_t tls_write(const struct tls_keys *k, uint8_t *to, uint64_t nonce, const void *data, size_t n);
/* Encrypt the record at rec in place. */
void tls_seal(const struct tls_keys *k, uint8_t *rec, uint64_t number);
/*
 * n bytes of the wire that begin with record `first`, against the bytes that the host wrote. Returns how many records
 * are right, up to the first that is not (which must then not be there in clear: -1 if it is), or to the end.
 */
int tls_check(const struct tls_keys *k, uint64_t first, const uint8_t *wire, const uint8_t *host,
	      size_t n);

#endif
