/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Two OpenSSL ends of a connection in one process: one sends through a struct tls_bio, the other is as it comes and reads
 * from memory. What is sent is the rig's payload over and over, so the reader knows every byte.
 *
 * Helpers assert what they do not return.
 */
#ifndef TESTS_LIB_TLS_PAIR_H
#define TESTS_LIB_TLS_PAIR_H

#include <openssl/ssl.h>

#include "tests/lib/tls_bio.h"

struct tls_pair {
	struct tls_bio bio;
	SSL_CTX *ctx[2]; /* of the sender, of the peer */
	SSL *ssl, *peer;
	bool client_sends;
	uint64_t wrote, got; /* plaintext bytes */
	uint8_t *copy;	     /* of the payload, not registered */
	uint8_t *read;
};

/* What two ends agree on. */
struct tls_kind {
	const char *name;
	int version; /* TLS1_2_VERSION ... */
	const char *suite;
};

enum { TLS_KINDS = 4 };
extern const struct tls_kind tls_kinds[TLS_KINDS]; /* TLS 1.2, 1.3 with AES-GCM of 128, 256 bits */

/* Fill the rig's payload with bytes that do not repeat. Before the first pair. */
void tls_pair_payload(struct tls_rig *r);
/* Change p->bio (start, admission, losses) between the two. */
void tls_pair_init(struct tls_pair *p, struct tls_rig *r, const struct tls_kind *kind,
		   bool client_sends);
void tls_pair_handshake(struct tls_pair *p);
void tls_pair_close(struct tls_pair *p);
/* Write n bytes more, from registered memory or not, until OpenSSL has taken them. */
void tls_pair_write(struct tls_pair *p, uint32_t n, bool registered);
/* The peer reads and compares what has arrived. */
void tls_pair_read(struct tls_pair *p);
/* Everything arrives; the peer has read exactly what was written. */
void tls_pair_check(struct tls_pair *p);
/* KeyUpdate by the sender; wanted: the peer is to do the same. */
void tls_pair_update(struct tls_pair *p, bool wanted);
/* The peer asks the sender to change its key. */
void tls_pair_update_by_peer(struct tls_pair *p);

#endif
