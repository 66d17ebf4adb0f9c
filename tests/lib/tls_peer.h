/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The other end of a TLS connection, which shares nothing with the library: takes frames off the wire, checks their headers
 * and checksums, puts the TCP stream together and opens its records with libcrypto.
 *
 *	frames ─▶ stream (any order, with holes, twice) ─▶ records ─▶ plaintext
 *
 * A byte that comes again must be the same byte: retransmissions of a record are its ciphertext, whoever encrypted it.
 */
#ifndef TESTS_LIB_TLS_PEER_H
#define TESTS_LIB_TLS_PEER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <openssl/evp.h>

struct tls_peer {
	bool v13;
	size_t key_len;
	uint8_t key[32], iv[12];
	uint64_t rec_no;
	uint32_t first; /* TCP sequence number of stream[0] */
	uint8_t *stream, *have;
	size_t room, contiguous, opened; /* bytes */
	EVP_CIPHER_CTX *ctx;
	uint64_t packets, records, differing, bad_headers, bad_records, frames_again;
	uint8_t *plain;
	size_t nplain;
	uint8_t last_type;
	size_t last_len;
	uint32_t
		drop_every; /* 0: takes every packet; else a pseudo-random one in so many is lost */
	uint32_t seed;
	uint64_t dropped;
	bool raw; /* records are somebody else's business */
};

void tls_peer_init(struct tls_peer *p, bool v13, const uint8_t *key, size_t key_len,
		   const uint8_t iv[12], uint64_t rec_no, uint32_t first, size_t room);
void tls_peer_fini(struct tls_peer *p);
/* A mlxo_model_wire_fn; ctx is the peer. */
void tls_peer_frame(void *ctx, uint64_t when, const uint8_t *frame, size_t len);
/* Open the records that are complete, at most max; false when one is bad. */
bool tls_peer_open(struct tls_peer *p, uint64_t max);
/* The next record is number 0 under this key. */
void tls_peer_rekey(struct tls_peer *p, const uint8_t *key, const uint8_t iv[12]);
/* TCP sequence number of the first byte that is missing. */
uint32_t tls_peer_next(const struct tls_peer *p);

#endif
