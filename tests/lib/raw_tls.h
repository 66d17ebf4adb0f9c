/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * TLS connections on a device driven by raw WQEs: two models joined by a wire, any number of TCP streams from one to
 * the other. Each stream lies in the sender's memory as a host writes it; what arrives is put where its sequence
 * number says. Nothing is fenced unless asked for, nothing is sent before tls_run().
 */
#ifndef TESTS_LIB_RAW_TLS_H
#define TESTS_LIB_RAW_TLS_H

#include "raw.h"
#include "tls_records.h"

enum { TLS_CONNS = 40, TLS_STREAM = 24 * 1024, TLS_HEADERS = 54 };

struct tls_conn {
	unsigned int id;
	uint32_t tisn, dekn;
	struct prov_obj *tis, *dek;
	struct tls_keys k;
	uint64_t first;	     /* number of the record at byte 0 */
	uint8_t *host;	     /* the stream as written, in registered memory */
	size_t n;	     /* bytes of it */
	unsigned int count;  /* records */
	uint8_t *wire;	     /* what arrived; TLS_STREAM bytes */
	unsigned int frames; /* arrived, with payload or not */
};

struct tls_wire {
	struct raw a, b; /* a sends */
	struct raw_sq sq;
	struct raw_rq rq;
	struct tls_conn c[TLS_CONNS];
	uint8_t *wire;
	unsigned int bad_sums; /* frames whose checksums are wrong */
	uint8_t last[2048];    /* the last frame, cut */
};

/* profile options of the sender, e.g. "profile=no-bulk,mtu=1500", or "". log_sq: blocks of the send queue. */
void tls_open(struct tls_wire *w, const char *options, uint32_t log_sq);
void tls_close(struct tls_wire *w);
/* TIS, key (its bytes follow from id), IV. */
struct tls_conn *tls_conn(struct tls_wire *w, unsigned int id, bool v13, uint8_t key_len);
/* Records first, first + 1 ... with data of the given lengths. */
void tls_stream(struct tls_conn *c, uint64_t first, const size_t *lengths, unsigned int count);

void tls_static(struct tls_wire *w, const struct tls_conn *c, uint64_t record, bool fence);
void tls_progress(struct tls_wire *w, const struct tls_conn *c, bool fence);
void tls_nop(struct tls_wire *w, bool fence);
void tls_dump(struct tls_wire *w, const struct tls_conn *c, size_t at, size_t n, bool fence);
/* A packet with n bytes of the stream from `at`, headers inline. */
void tls_send(struct tls_wire *w, const struct tls_conn *c, size_t at, size_t n, bool fence);
/* The same as TSO with mss. */
void tls_tso(struct tls_wire *w, const struct tls_conn *c, size_t at, size_t n, uint16_t mss);
/* Everything from `at` in packets of n bytes, unfenced; runs when the queue or the receiver is half full. */
void tls_send_all(struct tls_wire *w, const struct tls_conn *c, size_t at, size_t n);
/* Doorbell; then everything that arrives. False when there was an error completion; its vendor syndrome in *vendor. */
bool tls_run(struct tls_wire *w, unsigned int *vendor);
/* Did all of the stream arrive and decrypt? And is none of it there in clear? */
bool tls_right(const struct tls_conn *c);
bool tls_no_clear(const struct tls_conn *c);
/* A number of the sender's model. */
uint64_t tls_stat(struct tls_wire *w, const char *name);

#endif
