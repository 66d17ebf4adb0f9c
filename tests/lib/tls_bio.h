/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * How a program with a TCP stack of its own takes TLS over from OpenSSL: a BIO under the sending SSL.
 *
 *	before ctrl 72	SSL ─▶ BIO ─────────────────────────────────────────────────▶ memory ─▶ peer's SSL
 *	after		SSL ─▶ BIO ─▶ records ─▶ mlxo_tls_write, _send ─▶ wire, with losses ─▶ stream ─┘
 *	the other way	SSL ◀─ BIO ◀────────────────────────────────────────────────── memory ◀─ peer's SSL
 *
 * OpenSSL asks with controls that it shares with its socket BIO only (crypto/bio/bss_sock.c), so their numbers are here:
 * they are the same from 3.0 on. A refusal is no failure: OpenSSL encrypts itself.
 *
 * KeyUpdate of TLS 1.3: OpenSSL writes the message and changes its own key, but does not say so to the BIO. So the BIO looks at
 * handshake messages and derives the next key from the traffic secret, which a key log callback told it.
 *
 * Helpers assert what they do not return.
 */
#ifndef TESTS_LIB_TLS_BIO_H
#define TESTS_LIB_TLS_BIO_H

#include <openssl/bio.h>

#include "tests/lib/tls_rig.h"

enum tls_bio_ctrl {
	TLS_BIO_SET_KTLS =
		72, /* number: to be sent (not 0) or received; pointer: struct tls12_crypto_info_* */
	TLS_BIO_IS_SENDING = 73,
	TLS_BIO_SET_TYPE = 74, /* content type of the next write */
	TLS_BIO_CLEAR_TYPE = 75,
	TLS_BIO_IS_RECEIVING = 76,
};

struct tls_bio {
	struct tls_rig *rig;
	BIO *bio;		       /* belongs to the sending SSL */
	BIO *to_peer, *from_peer;      /* memory; belong to the peer's SSL */
	struct mlxo_tls_params params; /* tcp_seq, admission: set them before the hand-over */
	struct mlxo_tls *tls;	       /* NULL: not handed over */
	struct tls_peer wire;	       /* raw */
	uint8_t hdr[RIG_HDR];
	uint8_t type;	 /* of the next write; 0: application data */
	uint32_t window; /* bytes that may be on the way */
	uint32_t
		again_every; /* a record in so many is followed by a retransmission of anything; 0: never */
	uint32_t stall_every; /* a write in so many is to be tried again; 0: never */
	uint16_t mss;
	uint32_t ring_every; /* the doorbell is rung with one send in so many; 0: with each */
	uint32_t seed;
	uint8_t secret[64]; /* traffic secret */
	size_t secret_len;
	unsigned int asked; /* times that OpenSSL wanted to hand over sending */
	int err;	    /* of the last hand-over */
	char why[512];	    /* its sentence */
	size_t walked;	    /* bytes of wire.stream whose records were looked at */
	uint64_t nonce,
		seen; /* explicit nonce of the next record that is seen (TLS 1.2), how many were */
	uint64_t key_updates, stalls, resent;
};

/* A BIO for a new sender; to_peer, from_peer: the BIOs of the peer's SSL. */
void tls_bio_open(struct tls_bio *b, struct tls_rig *r, BIO *to_peer, BIO *from_peer);
void tls_bio_close(struct tls_bio *b); /* before the rig; the BIO itself goes with its SSL */
/* From SSL_CTX_set_keylog_callback(): remembers the line that is the sender's. */
void tls_bio_keylog(struct tls_bio *b, bool server, const char *line);
/* A record of any type, as the BIO writes them; 0 or what mlxo_tls_write() said. */
int tls_bio_record(struct tls_bio *b, uint8_t type, const void *data, uint32_t n);
/* Send [seq, seq + len) again, as far as it is outstanding. */
void tls_bio_again(struct tls_bio *b, uint32_t seq, uint32_t len);
/* Give the peer's SSL what has arrived in order. */
void tls_bio_feed(struct tls_bio *b);
/* Send again until everything has arrived; feed, acknowledge. */
void tls_bio_deliver(struct tls_bio *b);
uint32_t tls_bio_random(struct tls_bio *b);
struct mlxo_tls_info tls_bio_info(const struct tls_bio *b);

#endif
