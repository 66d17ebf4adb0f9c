// SPDX-License-Identifier: BSD-2-Clause
/*
 * Memory that users registered for payload.
 *
 * Looked up for every piece of every record, changed almost never: readers take the present list by one acquire load and search
 * it; a change makes a new list and publishes it with release. Old lists are kept until the engine is closed, because a
 * reader may still be in one; what readers look at is in the list itself, because regions go when they are unregistered.
 *
 * Lock: engine->lock for changes.
 */
#include "offload/tls/engine.h"
#include "objects/alloc.h"
#include "objects/error.h"

#include <errno.h>
#include <string.h>

struct range {
	const uint8_t *addr;
	size_t len;
	uint32_t lkey;
	struct obj_region *region; /* not for readers */
};

struct tls_ranges {
	struct tls_ranges *older;
	size_t n;
	struct range range[]; /* by address */
};

static struct tls_ranges *now(struct mlxo_tls_engine *e)
{
	return atomic_load_explicit(&e->ranges, memory_order_acquire);
}

/* The last one that begins at or before addr: its index + 1. */
static size_t find(const struct tls_ranges *r, const uint8_t *addr)
{
	size_t lo = 0, hi = r ? r->n : 0;

	while (lo < hi) {
		size_t mid = (lo + hi) / 2;

		if (r->range[mid].addr <= addr)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

bool tls_memory_find(struct mlxo_tls_engine *e, const void *addr, size_t len, uint32_t *lkey)
{
	const struct tls_ranges *r = now(e);
	size_t i = find(r, addr), at;

	if (!i)
		return false;
	at = (size_t)((const uint8_t *)addr - r->range[i - 1].addr);
	if (at > r->range[i - 1].len || len > r->range[i - 1].len - at)
		return false;
	*lkey = r->range[i - 1].lkey;
	return true;
}

/* With the lock held. The list `next` takes the place of the present one. */
static void publish(struct mlxo_tls_engine *e, struct tls_ranges *next)
{
	struct tls_ranges *old = now(e);

	if (old) {
		old->older = e->old_ranges;
		e->old_ranges = old;
	}
	/* release: readers that see the pointer see the list */
	atomic_store_explicit(&e->ranges, next, memory_order_release);
}

static struct tls_ranges *list_new(size_t n)
{
	struct tls_ranges *r = mlxo_calloc(1, sizeof(*r) + n * sizeof(r->range[0]));

	if (!r)
		obj_error_nomem("a list of registered memory");
	else
		r->n = n;
	return r;
}

static int add(struct mlxo_tls_engine *e, uint8_t *addr, size_t len)
{
	const struct tls_ranges *old = now(e);
	size_t n = old ? old->n : 0, at = n ? find(old, addr) : 0;
	struct tls_ranges *next;
	struct obj_region *region;
	int err;

	if ((at && old && addr < old->range[at - 1].addr + old->range[at - 1].len) ||
	    (at < n && old && addr + len > old->range[at].addr))
		return obj_error(-EEXIST,
				 "memory at %p of %zu bytes: part of it is registered already",
				 (void *)addr, len);
	next = list_new(n + 1);
	if (!next)
		return -ENOMEM;
	err = obj_region_adopt_mr(e->dev, addr, len, &region);
	if (err) {
		mlxo_free(next);
		return err;
	}
	next->range[at] = (struct range){addr, len, region->mr.lkey, region};
	if (n) {
		memcpy(next->range, old->range, at * sizeof(old->range[0]));
		memcpy(next->range + at + 1, old->range + at, (n - at) * sizeof(old->range[0]));
	}
	publish(e, next);
	return 0;
}

int mlxo_tls_memory_register(struct mlxo_tls_engine *e, void *addr, size_t len)
{
	int err;

	if (!addr || !len || (uintptr_t)addr + len < (uintptr_t)addr)
		return obj_error(-EINVAL, "memory at %p of %zu bytes cannot be registered", addr,
				 len);
	pthread_mutex_lock(&e->lock);
	err = add(e, addr, len);
	pthread_mutex_unlock(&e->lock);
	return err;
}

/* With the lock. */
static int take_out(struct mlxo_tls_engine *e, const void *addr, struct obj_region **region)
{
	const struct tls_ranges *old = now(e);
	size_t at = find(old, addr);
	struct tls_ranges *next;

	if (!at || old->range[at - 1].addr != addr)
		return obj_error(-ENOENT, "memory at %p is not registered", addr);
	next = list_new(old->n - 1);
	if (!next)
		return -ENOMEM;
	*region = old->range[at - 1].region;
	memcpy(next->range, old->range, (at - 1) * sizeof(old->range[0]));
	memcpy(next->range + at - 1, old->range + at, (old->n - at) * sizeof(old->range[0]));
	publish(e, next);
	return 0;
}

int mlxo_tls_memory_unregister(struct mlxo_tls_engine *e, void *addr)
{
	struct obj_region *region = NULL;
	int err;

	pthread_mutex_lock(&e->lock);
	err = take_out(e, addr, &region);
	pthread_mutex_unlock(&e->lock);
	if (!err)
		obj_region_destroy(e->dev, region);
	return err;
}

void tls_memory_drop(struct mlxo_tls_engine *e)
{
	const struct tls_ranges *r = now(e);

	for (size_t i = 0; r && i < r->n; i++)
		obj_region_drop(e->dev, r->range[i].region);
}

int tls_memory_renew(struct mlxo_tls_engine *e)
{
	struct tls_ranges *r = now(e);
	int err = 0;

	for (size_t i = 0; r && i < r->n && !err; i++) {
		err = obj_region_renew(e->dev, r->range[i].region);
		r->range[i].lkey = r->range[i].region->mr.lkey; /* nobody else is here */
	}
	return err;
}

void tls_memory_fini(struct mlxo_tls_engine *e)
{
	struct tls_ranges *r = now(e);

	for (size_t i = 0; r && i < r->n; i++)
		obj_region_destroy(e->dev, r->range[i].region);
	mlxo_free(r);
	atomic_store(&e->ranges, NULL);
	while ((r = e->old_ranges)) {
		e->old_ranges = r->older;
		mlxo_free(r);
	}
}
