/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A bulk: 2^log key slots made by one command, and in which state each of them is.
 *
 *	a bit in CLEAN, DIRTY, SYNCING or LOST	in the depot
 *	in none					lent: in a cache, being loaded, in use
 *
 * 8 bytes and 4 bits per slot. Everything here is done with the pool's lock held.
 */
#ifndef POOL_BULK_H
#define POOL_BULK_H

#include "objects/dek.h"
#include "pool/exec.h"

enum pool_bulk_state {
	POOL_BULK_CLEAN,
	POOL_BULK_DIRTY,
	POOL_BULK_SYNCING,
	POOL_BULK_LOST,
	POOL_BULK_NSTATES
};

struct pool_dek_pool;

struct pool_dek_slot {
	struct pool_bulk *bulk;
};

struct pool_bulk {
	struct obj_dek dek;
	struct pool_dek_pool *pool;
	struct pool_work work;		/* create, destroy */
	struct pool_bulk *next, **prev; /* of all, or of those to destroy */
	struct pool_bulk *next_clean,
		**prev_clean; /* of those with clean slots; prev_clean NULL: in no list */
	unsigned int log;
	uint32_t size;
	uint32_t count[POOL_BULK_NSTATES];
	uint32_t generation; /* of the pool */
	bool untouched;	     /* all clean since the pool looked last */
	uint64_t *bits[POOL_BULK_NSTATES];
	struct pool_dek_slot slot[];
};

/* All slots lent. NULL: no memory. */
struct pool_bulk *pool_bulk_new(unsigned int log);
void pool_bulk_free(struct pool_bulk *b);

static inline uint32_t pool_bulk_offset(const struct pool_dek_slot *slot)
{
	return (uint32_t)(slot - slot->bulk->slot);
}

/* A lent slot comes back as `state`. false: it was not lent; nothing changed. */
bool pool_bulk_put(struct pool_dek_slot *slot, enum pool_bulk_state state);
/* Lend a clean one; there is one. */
struct pool_dek_slot *pool_bulk_take(struct pool_bulk *b);
/* Lent ones all come back as clean. */
void pool_bulk_fill(struct pool_bulk *b);
/* All of one state to another. Returns how many. */
uint32_t pool_bulk_move(struct pool_bulk *b, enum pool_bulk_state from, enum pool_bulk_state to);
uint32_t pool_bulk_lent(const struct pool_bulk *b);

#endif
