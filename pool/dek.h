/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The pool of key slots. Keys are made in bulks of 2^n empty slots (one object, one command); a connection's key is written
 * into a slot by one MODIFY. The device keeps keys in a cache by number, so a slot that was used may only be written again
 * after a SYNC_CRYPTO that was started after its last use.
 *
 *	  ┌────────────── SYNC done ◀───────────────┐
 *	clean ── lease ──▶ in use ── end ──▶ dirty ─┴─ SYNC started ─▶ syncing
 *				     └─ load refused: dirty; unanswered: quarantined
 *
 * A slot freed while a SYNC runs stays dirty: it is not known whether that SYNC covers it. A SYNC that fails leaves its slots
 * dirty; the next one is tried later, with a growing pause. Two generations: SYNC is started while clean slots are left
 * (dirty >= sync_percent of all; or clean < low and dirty >= an eighth of low, or any when no slot is clean), so that
 * nobody waits for it. When clean slots run low and cleaning would not bring enough, another bulk is made; when the device
 * has no room for it, one of half the size is tried, then there is a pause.
 *
 * Numbers are 24 bits wide where keys are used (T35): a bulk beyond is destroyed and the next one tried a minute later.
 *
 * Cards without bulks (log_dek_max_alloc 0) and pools with `single`: a lease is a CREATE with the key, its end a DESTROY.
 *
 * A load that got no answer (-ETIMEDOUT, -EPROTO): what the slot holds is unknown and the command may still be done later:
 * the slot is quarantined (counted, never used again).
 */
#ifndef POOL_DEK_H
#define POOL_DEK_H

#include "objects/dek.h"
#include "pool/pool.h"

struct pool_dek_opts {
	uint8_t purpose; /* PRM_GENERAL_OBJECT_TYPE_ENCRYPTION_KEY_PURPOSE_TLS */
	uint32_t
		low; /* clean slots below which the pool acts; 0 = a quarter of a bulk, at least 1 */
	uint32_t max; /* slots; 0 = what the device has (min of log_max_dek, log_max_num_deks) */
	unsigned int
		log_bulk; /* 0 = min(12, the device's log_dek_max_alloc), smaller when max is small */
	unsigned int sync_percent; /* 1..100; 0 = 25 */
	uint64_t idle_ns;	   /* look for bulks to destroy; 0 = 60 s; UINT64_MAX: never */
	bool single;		   /* no bulks, no recycling: for comparison, and as fallback */
};

struct pool_dek_pool;
struct pool_dek_slot; /* an item */

int pool_dek_create(struct pool_exec *exec, const struct pool_dek_opts *opts,
		    struct pool_dek_pool **pool);
/* All leases have ended and all caches are gone. NULL is allowed. */
void pool_dek_destroy(struct pool_dek_pool *pool);
struct pool *pool_dek_base(struct pool_dek_pool *pool); /* for caches */
void pool_dek_void(struct pool_dek_pool *pool);		/* as pool_tis_void() */

/*
 * A connection's key on the device. The owner's memory (zeroed before the first use) from start until done() was called and,
 * when that said 0, until end.
 */
struct pool_dek_lease {
	/*
	 * err 0: the key is loaded under `id`. In whatever thread runs progress(). Else nothing is leased any more;
	 * -EAGAIN: the device has no room or no clean slot. Do not start again at once.
	 */
	void (*done)(struct pool_dek_lease *lease, int err);
	uint32_t id; /* dek_index of the static parameters, 24 bits */
	uint8_t len; /* of the key */

	/* dek.c */
	struct pool_work work;
	struct pool_waiter waiter;
	struct pool_dek_pool *pool;
	union {				    /* by pool->opts.single; NULL: holds nothing */
		struct pool_dek_slot *slot; /* of a bulk */
		struct pool_dek_single *single;
	};
	const uint8_t *key; /* the caller's, until done() */
};

/*
 * Load a key of 16 or 32 bytes. 0: done() will be (or was) called. -EAGAIN: no clean slot at hand and !wait, or the device
 * had no room for a single key a moment ago; nothing happened. -EINVAL: length. -ENOMEM. wait: stand in line for a slot.
 */
int pool_dek_lease_start(struct pool_dek_lease *lease, struct pool_dek_pool *pool,
			 struct pool_cache *cache, const uint8_t *key, size_t len, bool wait);
/* Nobody needs the key that is waited for. true: done() will not be called. false: it was, or it will be. */
bool pool_dek_lease_cancel(struct pool_dek_lease *lease, struct pool_dek_pool *pool);
/* It stands in line while all slots are in use, and no more can be made. */
bool pool_dek_lease_is_stuck(struct pool_dek_lease *lease, struct pool_dek_pool *pool);
/*
 * Nothing on the device uses the key any more. The lease is free at once. Ending a lease that is not held is logged and
 * ignored.
 */
void pool_dek_lease_end(struct pool_dek_lease *lease, struct pool_cache *cache);

struct pool_dek_stats {
	uint64_t loads, load_failed, bulks_created, bulks_destroyed, syncs, sync_failed;
	/* clean, dirty, syncing: in the depot. in_use: loaded and not back in the depot. quarantined: slots */
	uint32_t slots, clean, dirty, syncing, in_use, quarantined, most_in_use, bulks;
	uint32_t low, max, sync_at; /* dirty slots at which SYNC starts */
	bool single;
	struct pool_counts counts;
};
void pool_dek_stats(struct pool_dek_pool *pool, struct pool_dek_stats *stats);

#endif
