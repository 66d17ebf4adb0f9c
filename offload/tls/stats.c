// SPDX-License-Identifier: BSD-2-Clause
/*
 * What `stats` and `pool` show of TLS: counters of all queues, states of connections with their reasons, pools with their
 * levels and what these mean.
 *
 * Counters of queues are written by their threads alone and read with relaxed loads: each is right, sums may be a moment old.
 */
#include "offload/tls/engine.h"
#include "objects/alloc.h"
#include "objects/error.h"

#include <errno.h>
#include <stdlib.h>

enum { MOST_STATS = 160 };

struct list {
	struct mlxo_stat *s;
	size_t n;
};

static void put(struct list *l, const char *group, const char *name, uint64_t value,
		const char *about)
{
	if (l->n < MOST_STATS)
		l->s[l->n++] = (struct mlxo_stat){group, name, value, about};
}

#define COUNTER_ROW(id, name, about) {name, about},
static const struct {
	const char *name, *about;
} counters[] = {TLS_COUNTERS(COUNTER_ROW)};

static void put_counters(struct list *l, struct mlxo_tls_engine *e)
{
	for (int i = 0; i < TLS_NCOUNTERS; i++) {
		uint64_t n = e->past[i];

		for (struct mlxo_tls_queue *q = e->queues; q; q = q->next)
			n += atomic_load_explicit(&q->n[i], memory_order_relaxed);
		put(l, "tls", counters[i].name, n, counters[i].about);
	}
}

static void put_states(struct list *l, struct mlxo_tls_engine *e)
{
	unsigned int state[4] = {0}, reason[MLXO_TLS_NREASONS] = {0};

	for (struct mlxo_tls_queue *q = e->queues; q; q = q->next) {
		for (int i = 0; i < 4; i++)
			state[i] += atomic_load_explicit(&q->by_state[i], memory_order_relaxed);
		for (int i = 0; i < MLXO_TLS_NREASONS; i++)
			reason[i] += atomic_load_explicit(&q->by_reason[i], memory_order_relaxed);
	}
	put(l, "tls connections", "TlsCurrTxDevice", state[MLXO_TLS_HARDWARE],
	    "the device encrypts their next record");
	put(l, "tls connections", "TlsCurrTxSw", state[MLXO_TLS_SOFTWARE] + state[MLXO_TLS_LOADING],
	    "libcrypto does");
	put(l, "tls connections", "loading", state[MLXO_TLS_LOADING],
	    "of these: their key is on its way to the device");
	put(l, "tls connections", "pending", state[MLXO_TLS_PENDING],
	    "wait for their key before anything can be written");
	for (int i = 0; i < MLXO_TLS_NREASONS; i++)
		if (reason[i])
			put(l, "tls connections", mlxo_tls_reason_text((enum mlxo_tls_reason)i),
			    reason[i], "connections that are where they are for this reason");
}

static void put_queues(struct list *l, struct mlxo_tls_engine *e)
{
	uint64_t queues = 0, doorbells = 0, errors = 0, blocks = 0;

	for (struct mlxo_tls_queue *q = e->queues; q; q = q->next) {
		queues++;
		doorbells += atomic_load_explicit(&q->sq.doorbells, memory_order_relaxed);
		errors += atomic_load_explicit(&q->sq.errors, memory_order_relaxed);
		blocks += atomic_load_explicit(&q->buffers.in_use, memory_order_relaxed);
	}
	put(l, "tls queues", "queues", queues, NULL);
	put(l, "tls queues", "doorbells", doorbells, "of queues that exist");
	put(l, "tls queues", "errors", errors, "work requests that stopped a queue");
	put(l, "tls queues", "blocks_in_use", blocks,
	    "buffers held by records that are not acknowledged");
}

static void put_tis(struct list *l, struct mlxo_tls_engine *e)
{
	struct pool_tis_stats s;

	pool_tis_stats(e->tis, &s);
#define TIS(name, value, about) put(l, "context pool", name, value, about)
	TIS("low", s.low, "with fewer free ones than this, more are created in the background");
	TIS("high", s.high, "with more free ones than this, some are destroyed in the background");
	TIS("max", s.max, "no more than this exist at a time");
	TIS("exist", s.exist, "in use, in caches of queues, or free");
	TIS("free", s.free, "ready for the next connection");
	TIS("making", s.making, "being created");
	TIS("most_exist", s.most_exist, "the most that ever existed");
	TIS("tx_tls_pool_alloc", s.created, "created: one firmware command each");
	TIS("tx_tls_pool_free", s.destroyed, "destroyed: one firmware command each");
	TIS("failed", s.failed, "could not be created");
	TIS("lost", s.lost, "in quarantine: no answer came");
	TIS("gets", s.counts.gets, "taken from a queue's cache: no lock, no command");
	TIS("refills", s.counts.refills, "a queue's cache was filled from the pool");
	TIS("empty", s.counts.empty, "none was at hand");
#undef TIS
}

static void put_dek(struct list *l, struct mlxo_tls_engine *e)
{
	struct pool_dek_stats s;

	pool_dek_stats(e->dek, &s);
#define DEK(name, value, about) put(l, "key pool", name, value, about)
	DEK("single", s.single, "1: no recycling, each key is created and destroyed");
	DEK("low", s.low,
	    "with fewer clean slots than this, used ones are cleaned or more are made");
	DEK("sync_at", s.sync_at,
	    "with so many used slots SYNC_CRYPTO cleans them all: one command that flushes the "
	    "device's key cache");
	DEK("max", s.max, "no more slots than this");
	DEK("slots", s.slots, "all of them");
	DEK("clean", s.clean, "ready for a new key");
	DEK("in_use", s.in_use, "hold a key of a connection, or are in caches of queues");
	DEK("dirty", s.dirty, "used; wait for the next SYNC_CRYPTO");
	DEK("syncing", s.syncing, "the SYNC_CRYPTO that runs cleans these");
	DEK("quarantined", s.quarantined, "no answer came: never used again");
	DEK("most_in_use", s.most_in_use, "the most that were ever in use");
	DEK("bulks", s.bulks, "objects that hold the slots");
	DEK("loads", s.loads, "keys written: the one firmware command of a connection");
	DEK("load_failed", s.load_failed, "keys that could not be written");
	DEK("bulks_created", s.bulks_created, NULL);
	DEK("bulks_destroyed", s.bulks_destroyed, NULL);
	DEK("syncs", s.syncs, "SYNC_CRYPTO commands");
	DEK("sync_failed", s.sync_failed, "of these: failed, tried again later");
	DEK("gets", s.counts.gets, "slots taken from a queue's cache: no lock, no command");
	DEK("empty", s.counts.empty, "no clean slot was at hand");
#undef DEK
}

static void put_exec(struct list *l, struct mlxo_tls_engine *e)
{
	struct pool_exec_stats s;

	pool_exec_stats(e->exec, &s);
	put(l, "background", "started", s.started, "commands");
	put(l, "background", "failed", s.failed, NULL);
	put(l, "background", "in_flight", s.in_flight, "of at most 16");
	put(l, "background", "most_in_flight", s.most_in_flight, NULL);
	put(l, "background", "urgent", s.queued[POOL_URGENT], "queued: connections wait for these");
	put(l, "background", "normal", s.queued[POOL_NORMAL], "queued: refill and SYNC_CRYPTO");
	put(l, "background", "lazy", s.queued[POOL_LAZY], "queued: destroys");
}

int mlxo_tls_stats(struct mlxo_tls_engine *e, struct mlxo_stat **stats, size_t *n)
{
	struct list l = {.s = mlxo_calloc(MOST_STATS, sizeof(*l.s))};

	*stats = NULL;
	*n = 0;
	if (!l.s)
		return obj_error_nomem("statistics");
	pthread_mutex_lock(&e->lock);
	put_counters(&l, e);
	put_states(&l, e);
	put_queues(&l, e);
	pthread_mutex_unlock(&e->lock);
	if (e->tis) {
		put_tis(&l, e);
		put_dek(&l, e);
	}
	put_exec(&l, e);
	*stats = l.s;
	*n = l.n;
	return 0;
}
