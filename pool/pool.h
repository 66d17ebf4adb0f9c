/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A recycling pool: things that cost a firmware command to make, used again and again.
 *
 *	pool_get ◀─ cache (of one queue) ◀── refill ── depot ◀── make ── device
 *	pool_put ─▶ cache		 ── flush ──▶ depot ── unmake ─▶ device
 *			no lock, no command	  one lock	   background (exec.h)
 *
 * A cache belongs to one queue, which one thread uses at a time: so getting and putting need neither lock nor atomic
 * operation, and no thread-local storage that would have to be emptied when a thread ends. (Tried and dropped: magazines in
 * thread-local storage; their destructors race with the pool's close.)
 *
 * A pool of things that are clean when they come back (TIS) uses one stack of the cache for both. Where used ones have to be
 * cleaned first (keys: SYNC_CRYPTO), put goes to a second stack and comes back by the depot.
 *
 * What lies in a cache is seen by its queue alone: who waits does not get it. So while somebody waits, what is put goes to
 * the depot at once, and a queue that goes idle should flush its cache.
 *
 * Levels, not edges: after every refill, flush and completion balance() looks at what there is and starts what is missing,
 * so that no crossing of a watermark can be missed.
 *
 * Locks: `lock` guards the depot, held for no command and no callback. Counters of a cache are written by its thread alone
 * and read by others with relaxed atomics.
 */
#ifndef POOL_POOL_H
#define POOL_POOL_H

#include <pthread.h>
#include <stdatomic.h>

#include "pool/exec.h"

enum { POOL_MAGAZINE = 64 };

struct pool;

/* What kind of pool: tis.c, dek.c. */
struct pool_ops {
	bool cleaning; /* used items have to be cleaned before they are taken again */
	/* With the lock held. take: up to n clean items out of the depot; returns how many. give: n items back into it;
	 * !used: as they were taken. */
	unsigned int (*take)(struct pool *p, void **items, unsigned int n);
	void (*give)(struct pool *p, void **items, unsigned int n, bool used);
	/* Without the lock: start what is due (make, unmake, clean). Never waits. One thread at a time, see pool_balance(). */
	void (*balance)(struct pool *p);
};

struct pool_waiter {
	/* item, or NULL with err: nothing can be made now: do not ask again at once. In whatever thread; must not wait. */
	void (*ready)(struct pool_waiter *w, void *item, int err);
	struct pool_waiter *next, **prev; /* the pool's */
};

/* One thread's part of a pool. */
struct pool_cache {
	struct pool *pool;
	unsigned int size; /* of a stack, 1..POOL_MAGAZINE; 0: of a pool that is not cached */
	bool cleaning;	   /* as the kind's */
	unsigned int nclean, nused;
	unsigned int recall;	 /* the pool's when this one was last emptied for it */
	struct pool_cache *next; /* of all caches; pool->lock */
	_Atomic uint64_t gets, puts, empty, refills, flushes;
	void *clean[POOL_MAGAZINE], *used[POOL_MAGAZINE];
};

struct pool {
	const struct pool_ops *ops;
	struct pool_exec *exec;
	_Atomic bool wanted;	     /* somebody waits: what is put goes to the depot at once */
	_Atomic unsigned int recall; /* counts times when what lies in caches was asked back */
	bool uncached;		     /* set before the first cache: nothing is kept in caches */
	char pad[64];		     /* every put reads `wanted`: not the line of the lock */
	pthread_mutex_t lock;
	struct pool_cache *caches;		     /* lock, as all below */
	struct pool_waiter *waiters, **waiters_tail; /* first come, first served */
	unsigned int nwaiting;
	bool balancing, again; /* see pool_balance() */
	bool suspended;	       /* no command is started, who waits is told -EIO */
	unsigned int busy;     /* works and callbacks under way, see pool_begin() */
	struct pool_counts {
		uint64_t gets, puts, empty, refills, flushes; /* of caches that are gone */
	} past;
};

void pool_init(struct pool *p, const struct pool_ops *ops, struct pool_exec *exec);
/* All caches are gone. */
void pool_fini(struct pool *p);

/* magazine: items a cache may hold, 0 = POOL_MAGAZINE; small pools want small ones. */
void pool_cache_init(struct pool_cache *c, struct pool *p, unsigned int magazine);
/* For whoever has a cache, now and then: give back what others wait for, or what keeps the pool from shrinking. */
void pool_cache_share(struct pool_cache *c);
/* Everything back to the depot. */
void pool_cache_flush(struct pool_cache *c);
void pool_cache_fini(struct pool_cache *c);
/* All of them, while none is in use; with the lock. For the kinds. */
void pool_empty_caches(struct pool *p);

void *pool_get_slow(struct pool_cache *c);
void pool_put_slow(struct pool_cache *c, void *item);

static inline void pool_count(_Atomic uint64_t *n)
{
	/* one writer: a plain increment, seen whole by readers */
	atomic_store_explicit(n, atomic_load_explicit(n, memory_order_relaxed) + 1,
			      memory_order_relaxed);
}

static inline bool pool_wanted(struct pool *p)
{
	return atomic_load_explicit(&p->wanted, memory_order_relaxed);
}

/* A clean item; NULL: none at hand, more are being made. Never a command, never a wait; a lock only when the cache is empty. */
static inline void *pool_get(struct pool_cache *c)
{
	if (__builtin_expect(c->nclean == 0, 0))
		return pool_get_slow(c);
	pool_count(&c->gets);
	return c->clean[--c->nclean];
}

/* Nothing on the device uses the item any more. */
static inline void pool_put(struct pool_cache *c, void *item)
{
	unsigned int *n = c->cleaning ? &c->nused : &c->nclean;

	pool_count(&c->puts);
	if (__builtin_expect(*n == c->size || pool_wanted(c->pool), 0))
		pool_put_slow(c, item);
	else if (c->cleaning)
		c->used[(*n)++] = item;
	else
		c->clean[(*n)++] = item;
}

/* pool_get(), or have w->ready() called later with an item or an error. NULL: ready() was or will be called. */
void *pool_get_or_wait(struct pool_cache *c, struct pool_waiter *w);

/* Out of the line. false: ready() was called, or is about to be. */
bool pool_cancel(struct pool *p, struct pool_waiter *w);

/*
 * ops->balance(), in one thread at a time: when one is at it, it goes round once more. So it neither recurses (its callbacks
 * put and get) nor races with itself.
 */
void pool_balance(struct pool *p);
/* For balance(): the next waiter gets an item of the depot, as long as there are both. Calls ready() without the lock. */
void pool_serve(struct pool *p);
/* All waiters are told err. */
void pool_fail_waiters(struct pool *p, int err);
unsigned int pool_waiting(struct pool *p); /* with the lock */
/* Until pool_resume(): the device is not there. What is under way ends. */
void pool_suspend(struct pool *p);
void pool_resume(struct pool *p);
/* Sums over all caches, those that are gone included. */
void pool_counts(struct pool *p, struct pool_counts *counts);

/* Around everything that a close must wait for: n works submitted (with the lock), one of them through (without). */
void pool_begin(struct pool *p, unsigned int n);
void pool_end(struct pool *p);
/* Until all have ended. Runs the device. */
void pool_wait(struct pool *p);

#endif
