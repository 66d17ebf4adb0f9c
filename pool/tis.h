/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The pool of TLS contexts (TIS with tls_en). A context costs two commands in its life and is re-mapped to the next connection
 * by work requests, so a recycled one costs none.
 *
 *	free < low	create, up to `batch` at a time, until free >= low + batch (or max exist)
 *	free > high	destroy, lazily
 *	idle		every `idle_ns` destroy what was not needed since the last look, never below low
 *
 * A context enters the pool when its command succeeded and its number is not 0 (0 means "no TLS" in a work request: what is
 * sent with it leaves in clear). One whose create or destroy got no answer is in the device's quarantine and not here.
 */
#ifndef POOL_TIS_H
#define POOL_TIS_H

#include "objects/tis.h"
#include "pool/pool.h"

/* An item. At most 128 bytes with its share of the pool. */
struct pool_tis {
	struct obj_tis tis;
	struct pool_tis *next; /* the pool's, as the rest */
	struct pool_tis_pool *pool;
	struct pool_work work;
	uint32_t generation; /* of the pool, see pool_tis_void() */
};

struct pool_tis_opts {
	uint32_t low, high, max; /* contexts; 0 = 1024, 4096, what the device has */
	uint32_t batch;		 /* creates in flight, 1..16; 0 = 16 */
	uint64_t idle_ns;	 /* 0 = 60 s; UINT64_MAX: never shrinks */
	bool no_recycling;	 /* every put destroys, every get creates: for comparison */
};

struct pool_tis_pool;

int pool_tis_create(struct pool_exec *exec, const struct pool_tis_opts *opts,
		    struct pool_tis_pool **pool);
/* All items are back and all caches gone. Destroys what there is, many at a time; waits for it. NULL is allowed. */
void pool_tis_destroy(struct pool_tis_pool *pool);
struct pool *pool_tis_base(struct pool_tis_pool *pool); /* for caches */

/*
 * The device was reset: everything made so far is void. What is in the pool is destroyed, in the background: that ends at
 * once where it is gone already, and leaves nothing behind where it is not. What comes back later is forgotten. No cache may
 * be in use meanwhile. Also ends the pause after a failure.
 */
void pool_tis_void(struct pool_tis_pool *pool);

/* It stands in line while all contexts are in use, and no more can be made. */
bool pool_tis_is_stuck(struct pool_tis_pool *pool, const struct pool_waiter *w);

struct pool_tis_stats {
	uint64_t created, destroyed, failed, lost; /* lost: in quarantine */
	uint32_t exist, free, making, most_exist;  /* free: in the depot */
	uint32_t low, high, max;
	struct pool_counts counts;
};
void pool_tis_stats(struct pool_tis_pool *pool, struct pool_tis_stats *stats);

#endif
