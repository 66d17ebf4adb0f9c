/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Many connections of one device, each with a peer of its own on the wire, told apart by the TCP port in the frame.
 *
 * The plaintext of member i at byte n is (i + n) % 251, from shared memory that may be registered. Functions that return an int
 * return what the library said. A member is used by one thread, as the ring that its frames leave by.
 */
#ifndef TESTS_LIB_TLS_CROWD_H
#define TESTS_LIB_TLS_CROWD_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <mlx5_offload/mlx5_offload.h>

#include "tests/lib/tls_peer.h"

enum { CROWD_HDR = 54, CROWD_MSS = 1400, CROWD_PERIOD = 251, CROWD_PAYLOAD = 16384 + CROWD_PERIOD };

struct crowd;

struct member {
	struct crowd *crowd;
	uint32_t index;
	struct mlxo_tls_queue *queue;
	struct mlxo_tls *tls; /* NULL: closed */
	struct tls_peer peer;
	uint8_t hdr[CROWD_HDR];
	uint8_t seed;
	struct mlxo_secret *key;
	struct mlxo_tls_params params;
	uint32_t next; /* TCP sequence number to be sent next */
	size_t wrote;  /* plaintext bytes */
};

struct crowd {
	struct mlxo_device *dev;
	uint8_t *payload; /* CROWD_PAYLOAD bytes */
	struct member *member;
	uint32_t n;
};

/* Watches the wire of dev from now on; n <= 60000. */
void crowd_init(struct crowd *c, struct mlxo_device *dev, uint32_t n);
/* All members are closed. */
void crowd_fini(struct crowd *c);
/* A member that is not open: its peer takes up to `room` bytes. Then change params and open. version: 12 or 13. */
struct member *crowd_member(struct crowd *c, uint32_t i, struct mlxo_tls_queue *q, int version,
			    int bits, size_t room);
int member_open(struct member *m);
/* Closed at both ends. */
void member_close(struct member *m);
int member_write(struct member *m, uint32_t n);
/* Send what was not sent, ring, poll. Again: all that is not acknowledged. */
int member_send(struct member *m);
int member_send_again(struct member *m);
int member_ack(struct member *m);
/* The peer has everything that was written, so that the next record can have another key. */
int member_rekey(struct member *m);
/* Has the peer read exactly what was written? */
bool member_intact(struct member *m);
struct mlxo_tls_info member_info(const struct member *m);

#endif
