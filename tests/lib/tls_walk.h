/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What a queue's ring holds, read as the device reads it: work request by work request, by the length that each one says.
 *
 *	S static parameters	P progress	N NOP	D DUMP		s p n d: with a fence
 *	T packet of a context	L the same as TSO	C packet without a context	K the same as TSO
 */
#ifndef TESTS_LIB_TLS_WALK_H
#define TESTS_LIB_TLS_WALK_H

#include "offload/tls/engine.h"

struct tls_walk {
	char text[1024];
	unsigned int n;
	unsigned int signalled;	     /* work requests that ask for a CQE */
	unsigned int first_signal;   /* index of the first of them, n: none */
	uint32_t longest_dump;	     /* bytes */
	uint32_t dump_bytes, blocks; /* blocks: of 64 bytes */
	uint64_t rec_no;	     /* of the last static parameters */
	uint32_t dek, tisn;	     /* last ones seen */
	uint8_t iv[4];		     /* salt of the last static parameters */
	bool one_tisn;		     /* all that name a context name the same one */
	bool csum;		     /* all packets have the checksum flags of their IP version */
};

/* Blocks [from, queue->sq.posted). Fails the test when they are not covered exactly, or one crosses the ring's end. */
void tls_walk(const struct mlxo_tls_queue *q, uint64_t from, struct tls_walk *w);

#endif
