/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Inside of the pool of key slots: dek.c keeps bulks and their states, dek_lease.c loads keys into slots.
 */
#ifndef POOL_DEK_POOL_H
#define POOL_DEK_POOL_H

#include "pool/bulk.h"
#include "pool/dek.h"
#include "pool/timer.h"

/* A key that is an object of its own. */
struct pool_dek_single {
	struct obj_dek dek;
	struct pool_dek_pool *pool;
	struct pool_dek_lease *lease; /* until it is loaded */
	struct pool_work work;
	struct pool_dek_single *next; /* of the stuck ones */
	uint32_t generation;
};

struct pool_dek_pool {
	struct pool base; /* its lock is for all below */
	struct pool_dek_opts opts;
	struct pool_bulk *bulks, *clean, **clean_tail; /* all; those with clean slots */
	struct pool_bulk *stuck;		       /* not destroyed when told to */
	struct pool_dek_single *stuck_singles;
	struct pool_dek_stats s;
	uint32_t generation;
	bool closing;

	/* bulks, and single keys */
	bool making, paused;
	unsigned int log; /* of the next bulk: smaller after a refusal */
	uint64_t pause_ns;
	int why;
	struct pool_timer retry;

	/* SYNC_CRYPTO */
	struct pool_work sync;
	bool cleaning, sync_paused, sync_all, sync_now;
	uint64_t sync_pause_ns;
	struct pool_timer resync;

	struct pool_timer idle, unstick;
};

/* dek.c. With the lock: a lent slot comes back. */
void pool_dek_put(struct pool_dek_pool *p, struct pool_dek_slot *slot, enum pool_bulk_state state);
/* With the lock: the device has no room, or does not answer. */
void pool_dek_pause(struct pool_dek_pool *p, int err);

/* dek_lease.c */
void pool_dek_single_destroy(struct pool_dek_single *single, enum pool_class class);

#endif
