/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A TLS engine with one queue on a model, and a connection whose other end is a struct tls_peer. Helpers assert what they do
 * not return.
 */
#ifndef TESTS_LIB_TLS_RIG_H
#define TESTS_LIB_TLS_RIG_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <mlx5_offload/mlx5_offload.h>

#include "tests/lib/tls_peer.h"

enum { RIG_PAYLOAD = 1 << 20, RIG_HDR = 54, RIG_MSS = 1400 };

struct tls_rig {
	struct mlxo_device *dev;
	struct mlxo_tls_engine *engine;
	struct mlxo_tls_queue *queue;
	uint8_t *payload; /* RIG_PAYLOAD bytes of a pattern, registered */
	uint64_t released, events[8];
	enum mlxo_tls_event last_event;
	uint64_t census;
};

/* A connection as both ends see it. */
struct tls_conn {
	struct tls_rig *rig;
	struct mlxo_tls *tls;
	struct tls_peer peer;
	struct mlxo_tls_params params;
	uint8_t hdr[RIG_HDR];
	uint32_t mss;
	uint32_t next; /* TCP sequence number to be sent next */
	uint32_t payload_at;
	size_t wrote; /* plaintext bytes */
	uint8_t *expect;
};

/* options: of the model ("profile=tls12-only,mtu=1500" or ""). opts, qopts may be NULL: caller_runs is set. */
void tls_rig_open(struct tls_rig *r, const char *options, const struct mlxo_tls_engine_opts *opts,
		  const struct mlxo_tls_queue_opts *qopts);
/* Closes everything and checks that the model has no object left and nothing is in quarantine. */
void tls_rig_close(struct tls_rig *r);
/* Run background work and completions until nothing moves. */
void tls_rig_settle(struct tls_rig *r);
uint64_t tls_rig_stat(struct tls_rig *r, const char *name); /* of mlxo_tls_stats() */
uint64_t tls_rig_model(struct tls_rig *r,
		       const char *name); /* of mlxo_model_stats(), 0 when not listed */
uint64_t tls_rig_census(struct tls_rig *r);

/* Version and cipher by bits: 12 or 13, 128 or 256. salt/iv/keys of counting bytes from `seed`. */
void tls_conn_init(struct tls_conn *c, struct tls_rig *r, int version, int bits, uint8_t seed);
/* The connection, then its peer on the wire. Change c->params before. */
int tls_conn_open(struct tls_conn *c);
void tls_conn_close(struct tls_conn *c);
/* Write a record of n bytes (registered payload), send nothing. */
void tls_conn_write(struct tls_conn *c, uint32_t n);
int tls_conn_try_write(struct tls_conn *c, uint8_t type, const void *data, uint32_t n);
/* Send [seq, seq + len) and ring. */
int tls_conn_send(struct tls_conn *c, uint32_t seq, uint32_t len);
/* Send what was written and not sent. */
void tls_conn_flush(struct tls_conn *c);
/* Ask for hardware and wait. */
void tls_conn_hardware(struct tls_conn *c);
/* The peer acknowledges what it has. */
void tls_conn_ack(struct tls_conn *c);
/* The peer has read exactly what was written. */
void tls_conn_check(struct tls_conn *c);
enum mlxo_tls_state tls_conn_state(const struct tls_conn *c);
void tls_conn_rekey(struct tls_conn *c, uint8_t seed);
/* The rig's only connection talks to this peer from now on. */
void tls_conn_listen(struct tls_conn *c);

#endif
