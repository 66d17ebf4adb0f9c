// SPDX-License-Identifier: BSD-2-Clause
/*
 * The slow half of a pool: refill, flush, waiters.
 *
 *	get, cache empty  ─▶ take half a stack from the depot		─▶ balance
 *	nothing there	  ─▶ give the used ones, so that they are cleaned	─▶ balance
 *	put, cache full	  ─▶ give half a stack to the depot		─▶ balance
 *	recalled	  ─▶ give everything, at the next share		─▶ balance
 *	put, wanted	  ─▶ give everything: somebody waits for it	─▶ balance
 *
 * While somebody waits, the depot is for the waiters: who comes later with an empty cache stands in line behind them.
 *
 * Ownership: items are the kind's (tis.c, dek.c), caches and waiters their owners'. Locks: `lock`; callbacks are called
 * without it.
 */
#include "pool/pool.h"

#include <string.h>

enum { TURN_MS = 10 };

void pool_init(struct pool *p, const struct pool_ops *ops, struct pool_exec *exec)
{
	p->ops = ops;
	p->exec = exec;
	pthread_mutex_init(&p->lock, NULL);
	p->waiters_tail = &p->waiters;
}

void pool_fini(struct pool *p)
{
	pthread_mutex_destroy(&p->lock);
}

void pool_balance(struct pool *p)
{
	pthread_mutex_lock(&p->lock);
	p->again = true;
	if (!p->balancing) {
		p->balancing = true;
		while (p->again) {
			p->again = false;
			pthread_mutex_unlock(&p->lock);
			p->ops->balance(p);
			pthread_mutex_lock(&p->lock);
		}
		p->balancing = false;
	}
	pthread_mutex_unlock(&p->lock);
}

/* -- caches ------------------------------------------------------------------------------------------------ */

void pool_cache_init(struct pool_cache *c, struct pool *p, unsigned int magazine)
{
	memset(c, 0, sizeof(*c));
	c->pool = p;
	c->cleaning = p->ops->cleaning;
	c->size = p->uncached ? 0 : magazine && magazine < POOL_MAGAZINE ? magazine : POOL_MAGAZINE;
	pthread_mutex_lock(&p->lock);
	c->next = p->caches;
	p->caches = c;
	pthread_mutex_unlock(&p->lock);
}

/* The n oldest of a stack to the depot. With the lock. */
static void give(struct pool *p, void **stack, unsigned int *have, unsigned int n, bool used)
{
	if (!n)
		return;
	p->ops->give(p, stack, n, used);
	*have -= n;
	memmove(stack, stack + n, *have * sizeof(*stack));
}

static void empty(struct pool_cache *c)
{
	give(c->pool, c->clean, &c->nclean, c->nclean, false);
	give(c->pool, c->used, &c->nused, c->nused, true);
}

void pool_empty_caches(struct pool *p)
{
	for (struct pool_cache *c = p->caches; c; c = c->next)
		empty(c);
}

void pool_cache_flush(struct pool_cache *c)
{
	struct pool *p = c->pool;

	pthread_mutex_lock(&p->lock);
	empty(c);
	pthread_mutex_unlock(&p->lock);
	pool_balance(p);
}

void pool_cache_share(struct pool_cache *c)
{
	unsigned int recall = atomic_load_explicit(&c->pool->recall, memory_order_relaxed);
	bool asked = recall != c->recall;

	c->recall = recall;
	if ((c->nclean || c->nused) && (asked || pool_wanted(c->pool)))
		pool_cache_flush(c);
}

static void add_counts(struct pool_counts *to, const struct pool_cache *c)
{
	to->gets += atomic_load_explicit(&c->gets, memory_order_relaxed);
	to->puts += atomic_load_explicit(&c->puts, memory_order_relaxed);
	to->empty += atomic_load_explicit(&c->empty, memory_order_relaxed);
	to->refills += atomic_load_explicit(&c->refills, memory_order_relaxed);
	to->flushes += atomic_load_explicit(&c->flushes, memory_order_relaxed);
}

void pool_cache_fini(struct pool_cache *c)
{
	struct pool *p = c->pool;
	struct pool_cache **at;

	pool_cache_flush(c);
	pthread_mutex_lock(&p->lock);
	for (at = &p->caches; *at != c; at = &(*at)->next)
		;
	*at = c->next;
	add_counts(&p->past, c);
	pthread_mutex_unlock(&p->lock);
}

void pool_counts(struct pool *p, struct pool_counts *counts)
{
	pthread_mutex_lock(&p->lock);
	*counts = p->past;
	for (const struct pool_cache *c = p->caches; c; c = c->next)
		add_counts(counts, c);
	pthread_mutex_unlock(&p->lock);
}

static void *refill(struct pool_cache *c)
{
	struct pool *p = c->pool;
	unsigned int n = 0;

	pthread_mutex_lock(&p->lock);
	if (!p->waiters)
		n = p->ops->take(p, c->clean, c->size > 1 ? c->size / 2 : 1);
	if (!n) /* what this cache holds may be all there is */
		give(p, c->used, &c->nused, c->nused, true);
	pthread_mutex_unlock(&p->lock);
	c->nclean = n;
	if (!n) {
		pool_count(&c->empty);
		return NULL;
	}
	pool_count(&c->refills);
	pool_count(&c->gets);
	return c->clean[--c->nclean];
}

void *pool_get_slow(struct pool_cache *c)
{
	void *item = refill(c);

	pool_balance(c->pool);
	return item;
}

void pool_put_slow(struct pool_cache *c, void *item)
{
	struct pool *p = c->pool;
	bool used = c->cleaning;
	void **stack = used ? c->used : c->clean;
	unsigned int *have = used ? &c->nused : &c->nclean;

	pool_count(&c->flushes);
	pthread_mutex_lock(&p->lock);
	if (p->waiters || !c->size) {
		give(p, stack, have, *have, used);
		p->ops->give(p, &item, 1, used);
	} else {
		if (*have == c->size) /* else there is no waiter any more */
			give(p, stack, have, c->size > 1 ? c->size / 2 : 1, used);
		stack[(*have)++] = item;
	}
	pthread_mutex_unlock(&p->lock);
	pool_balance(p);
}

/* -- waiters ----------------------------------------------------------------------------------------------- */

void *pool_get_or_wait(struct pool_cache *c, struct pool_waiter *w)
{
	struct pool *p = c->pool;
	void *item;

	if (c->nclean)
		return pool_get(c);
	item = refill(c);
	if (!item) {
		w->next = NULL;
		pthread_mutex_lock(&p->lock);
		w->prev = p->waiters_tail;
		*p->waiters_tail = w;
		p->waiters_tail = &w->next;
		p->nwaiting++;
		atomic_store_explicit(&p->wanted, true, memory_order_relaxed);
		pthread_mutex_unlock(&p->lock);
	}
	pool_balance(p);
	return item;
}

/* With the lock. */
static void unlink_waiter(struct pool *p, struct pool_waiter *w)
{
	*w->prev = w->next;
	if (w->next)
		w->next->prev = w->prev;
	else
		p->waiters_tail = w->prev;
	w->prev = NULL; /* out of the line */
	p->nwaiting--;
	if (!p->waiters)
		atomic_store_explicit(&p->wanted, false, memory_order_relaxed);
}

/* With the lock. */
static struct pool_waiter *next_waiter(struct pool *p)
{
	struct pool_waiter *w = p->waiters;

	unlink_waiter(p, w);
	return w;
}

bool pool_cancel(struct pool *p, struct pool_waiter *w)
{
	bool waits;

	pthread_mutex_lock(&p->lock);
	waits = w->prev;
	if (waits)
		unlink_waiter(p, w);
	pthread_mutex_unlock(&p->lock);
	return waits;
}

void pool_serve(struct pool *p)
{
	struct pool_waiter *w;
	void *item;

	pthread_mutex_lock(&p->lock);
	while (p->waiters && p->ops->take(p, &item, 1)) {
		w = next_waiter(p);
		p->past.gets++;
		pthread_mutex_unlock(&p->lock);
		w->ready(w, item, 0);
		pthread_mutex_lock(&p->lock);
	}
	pthread_mutex_unlock(&p->lock);
}

void pool_fail_waiters(struct pool *p, int err)
{
	unsigned int n;

	pthread_mutex_lock(&p->lock);
	/* who comes meanwhile is told the next time, who is cancelled never */
	for (n = p->nwaiting; n && p->waiters; n--) {
		struct pool_waiter *w = next_waiter(p);

		pthread_mutex_unlock(&p->lock);
		w->ready(w, NULL, err);
		pthread_mutex_lock(&p->lock);
	}
	pthread_mutex_unlock(&p->lock);
}

unsigned int pool_waiting(struct pool *p)
{
	return p->nwaiting;
}

/* -- while the device is away -------------------------------------------------------------------------------- */

static void suspend(struct pool *p, bool is)
{
	pthread_mutex_lock(&p->lock);
	p->suspended = is;
	pthread_mutex_unlock(&p->lock);
	pool_balance(p);
}

void pool_suspend(struct pool *p)
{
	suspend(p, true);
}

void pool_resume(struct pool *p)
{
	suspend(p, false);
}

/* -- closing ----------------------------------------------------------------------------------------------- */

void pool_begin(struct pool *p, unsigned int n)
{
	p->busy += n;
}

void pool_end(struct pool *p)
{
	pthread_mutex_lock(&p->lock);
	p->busy--;
	pthread_mutex_unlock(&p->lock);
}

static bool busy(struct pool *p)
{
	bool is;

	pthread_mutex_lock(&p->lock);
	is = p->busy;
	pthread_mutex_unlock(&p->lock);
	return is;
}

void pool_wait(struct pool *p)
{
	while (busy(p))
		pool_exec_turn(p->exec, TURN_MS);
}
