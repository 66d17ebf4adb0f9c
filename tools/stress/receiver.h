/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The peer of one connection: what of the stream has arrived, and for verified connections the records of it.
 *
 *	segments ─▶ ranges ─▶ nxt: all before it is there	    (every connection)
 *		 └▶ stream ─▶ records ─▶ EVP decrypts ─▶ payload is compared   (verified ones)
 *
 * The library has no part in the check: records are decrypted with OpenSSL's EVP, and what should be in them is known.
 * TLS 1.3, AES-128-GCM. One thread.
 */
#ifndef TOOLS_STRESS_RECEIVER_H
#define TOOLS_STRESS_RECEIVER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <openssl/evp.h>

enum { STRESS_RECEIVER_RANGES = 64 };

/* What the sender wrote: `size` bytes again and again from `offset`, any 16384 in one piece. */
struct stress_payload {
	const uint8_t *bytes;
	size_t size;
};

struct stress_range {
	uint32_t start, end;
};

struct stress_receiver {
	uint32_t nxt;  /* the next byte that is missing */
	uint32_t high; /* end of the last byte that was ever sent, lost ones included */
	unsigned int nranges;
	struct stress_range range[STRESS_RECEIVER_RANGES]; /* behind nxt, sorted, apart */

	/* verified connections: */
	EVP_CIPHER_CTX *evp; /* the thread's; NULL: not verified */
	const uint8_t *key;  /* 16 bytes and the write IV of 12; the connection's */
	const struct stress_payload *payload;
	uint64_t offset, total; /* first byte of it in the payload; bytes that will come */
	uint8_t *stream;	/* bytes from `base`, which lies at `head` */
	size_t head, room;
	uint32_t base;
	uint64_t records, bytes; /* verified */
	const char *failure;	 /* of record number `records`; NULL: none */
};

void stress_receiver_init(struct stress_receiver *r, uint32_t seq);
void stress_receiver_fini(struct stress_receiver *r);
/* A segment was sent; lost: it did not arrive. Overlaps are fine. false: no memory. */
bool stress_receiver_segment(struct stress_receiver *r, uint32_t seq, const uint8_t *data,
			     size_t len, bool lost);
/* The end of the first hole that begins at nxt; nxt when nothing is missing. */
uint32_t stress_receiver_hole(const struct stress_receiver *r);
/* All `total` bytes have come and were good; else failure is set. */
bool stress_receiver_whole(struct stress_receiver *r);

#endif
