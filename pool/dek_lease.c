// SPDX-License-Identifier: BSD-2-Clause
/*
 * Leases: a clean slot and the MODIFY that writes a key into it, or a key object of its own.
 *
 *	start ─▶ slot (cache, depot, or wait in line) ─▶ MODIFY ─▶ done(0) ─▶ end: dirty
 *						 │ refused: dirty, as it may be half written (T28)
 *						 └ unanswered: quarantined, it may still be written later (T39)
 *
 * Several MODIFY of one bulk may be under way. A lease is through with the pool when done() is called, so its owner may
 * free it there.
 *
 * Ownership: the lease's memory is its owner's, single keys are the pool's. Locks: the pool's, not during done().
 */
#include "objects/alloc.h"
#include "objects/error.h"
#include "pool/dek_pool.h"

enum { KEY128 = 16, KEY256 = 32 };

static struct pool_dek_lease *lease_of(struct pool_work *w)
{
	return (struct pool_dek_lease *)((char *)w - offsetof(struct pool_dek_lease, work));
}

static struct obj_dek_attr attr_of(const struct pool_dek_lease *l)
{
	return (struct obj_dek_attr){
		.purpose = l->pool->opts.purpose, .key = l->key, .len = l->len};
}

static void finish(struct pool_dek_lease *l, int err)
{
	l->key = NULL;
	if (err) {
		l->pool = NULL;
		l->slot = NULL;
	}
	l->done(l, err); /* may free l */
}

/* With the lock. */
static void count_load(struct pool_dek_pool *p, int err)
{
	if (err) {
		p->s.load_failed++;
		return;
	}
	p->s.loads++;
	if (++p->s.in_use > p->s.most_in_use)
		p->s.most_in_use = p->s.in_use;
}

/* -- slots ------------------------------------------------------------------------------------------------- */

static int load_start(struct pool_work *w, struct obj_task *task)
{
	struct pool_dek_lease *l = lease_of(w);
	struct obj_dek_attr attr = attr_of(l);

	return obj_dek_load_start(task, pool_exec_device(l->pool->base.exec), &attr,
				  &l->slot->bulk->dek, pool_bulk_offset(l->slot));
}

/* What becomes of a slot whose load failed. */
static enum pool_bulk_state after_failure(int err)
{
#ifdef MLXO_BITE_SKIP_SLOT_QUARANTINE
	return obj_is_unknown(err) ? POOL_BULK_CLEAN : POOL_BULK_DIRTY;
#else
	return obj_is_unknown(err) ? POOL_BULK_LOST : POOL_BULK_DIRTY;
#endif
}

static void load_done(struct pool_work *w, int err)
{
	struct pool_dek_lease *l = lease_of(w);
	struct pool_dek_pool *p = l->pool;

	l->id = l->slot->bulk->dek.obj.id + pool_bulk_offset(l->slot);
	pthread_mutex_lock(&p->base.lock);
	if (!err && l->slot->bulk->generation != p->generation)
		err = -EIO; /* loaded before the reset */
	count_load(p, err);
	if (err)
		pool_dek_put(p, l->slot, after_failure(err));
	pthread_mutex_unlock(&p->base.lock);
	if (err)
		pool_balance(&p->base);
	pool_end(&p->base);
	finish(l, err);
}

/* The lease has its slot. */
static void load(struct pool_dek_lease *l)
{
	struct pool_dek_pool *p = l->pool;

	l->work.start = load_start;
	l->work.done = load_done;
	pthread_mutex_lock(&p->base.lock);
	pool_begin(&p->base, 1);
	pthread_mutex_unlock(&p->base.lock);
	pool_exec_submit(p->base.exec, &l->work, POOL_URGENT);
}

static void slot_ready(struct pool_waiter *w, void *item, int err)
{
	struct pool_dek_lease *l =
		(struct pool_dek_lease *)((char *)w - offsetof(struct pool_dek_lease, waiter));

	l->slot = item;
	if (err)
		finish(l, err);
	else
		load(l);
}

/* -- single keys ------------------------------------------------------------------------------------------- */

static struct pool_dek_single *single_of(struct pool_work *w)
{
	return (struct pool_dek_single *)((char *)w - offsetof(struct pool_dek_single, work));
}

static int destroy_start(struct pool_work *w, struct obj_task *task)
{
	struct pool_dek_single *s = single_of(w);

	return obj_destroy_start(&task->job, pool_exec_device(s->pool->base.exec), &s->dek.obj);
}

static void destroy_done(struct pool_work *w, int err)
{
	struct pool_dek_single *s = single_of(w);
	struct pool_dek_pool *p = s->pool;

	pthread_mutex_lock(&p->base.lock);
	if (obj_is_live(&s->dek.obj) && s->generation == p->generation) {
		s->next = p->stuck_singles;
		p->stuck_singles = s;
		if (!p->closing)
			pool_timer_arm(&p->unstick, POOL_STUCK_NS);
	} else {
		p->s.quarantined += s->dek.obj.state == OBJ_LOST;
		mlxo_free(s);
	}
	pthread_mutex_unlock(&p->base.lock);
	pool_end(&p->base);
}

void pool_dek_single_destroy(struct pool_dek_single *s, enum pool_class class)
{
	struct pool_dek_pool *p = s->pool;

	s->work.start = destroy_start;
	s->work.done = destroy_done;
	pthread_mutex_lock(&p->base.lock);
	pool_begin(&p->base, 1);
	pthread_mutex_unlock(&p->base.lock);
	pool_exec_submit(p->base.exec, &s->work, class);
}

static int single_start(struct pool_work *w, struct obj_task *task)
{
	struct pool_dek_single *s = single_of(w);
	struct obj_dek_attr attr = attr_of(s->lease);

	return obj_dek_create_start(task, pool_exec_device(s->pool->base.exec), &attr, &s->dek);
}

static void single_failed(struct pool_dek_pool *p, struct pool_dek_single *s, int err)
{
	p->s.quarantined += s->dek.obj.state == OBJ_LOST;
	if (err == -ENOMEM || err == -EAGAIN)
		pool_dek_pause(p, err);
	mlxo_free(s);
}

static void single_done(struct pool_work *w, int err)
{
	struct pool_dek_single *s = single_of(w);
	struct pool_dek_lease *l = s->lease;
	struct pool_dek_pool *p = s->pool;
	bool unfit;

	pthread_mutex_lock(&p->base.lock);
	unfit = !err && (s->dek.obj.id >> 24 || s->generation != p->generation);
	if (unfit) {
		s->generation = p->generation;
		pool_dek_pause(p, -EAGAIN);
	}
	count_load(p, err ? err : unfit ? -EAGAIN : 0);
	if (err)
		single_failed(p, s, err);
	else if (!unfit)
		p->pause_ns = 0;
	pthread_mutex_unlock(&p->base.lock);
	if (unfit)
		pool_dek_single_destroy(s, POOL_LAZY);
	if (!err && !unfit)
		l->id = s->dek.obj.id;
	pool_end(&p->base);
	finish(l, unfit || err == -ENOMEM ? -EAGAIN : err);
}

static int start_single(struct pool_dek_lease *l)
{
	struct pool_dek_pool *p = l->pool;
	struct pool_dek_single *s;
	bool paused, suspended;

	pthread_mutex_lock(&p->base.lock);
	paused = p->paused;
	suspended = p->base.suspended;
	pthread_mutex_unlock(&p->base.lock);
	if (paused || suspended)
		return suspended ? -EIO : -EAGAIN;
	s = mlxo_calloc(1, sizeof(*s));
	if (!s)
		return obj_error_nomem("a key");
	s->pool = p;
	s->lease = l;
	s->work.start = single_start;
	s->work.done = single_done;
	l->single = s;
	pthread_mutex_lock(&p->base.lock);
	s->generation = p->generation;
	pool_begin(&p->base, 1);
	pthread_mutex_unlock(&p->base.lock);
	pool_exec_submit(p->base.exec, &s->work, POOL_URGENT);
	return 0;
}

static void end_single(struct pool_dek_lease *l)
{
	struct pool_dek_single *s = l->single;
	struct pool_dek_pool *p = l->pool;
	bool gone;

	pthread_mutex_lock(&p->base.lock);
	gone = s->generation != p->generation;
	p->s.in_use -= !gone;
	pthread_mutex_unlock(&p->base.lock);
	if (gone)
		mlxo_free(s);
	else
		pool_dek_single_destroy(s, POOL_LAZY);
}

/* -- start and end ----------------------------------------------------------------------------------------- */

static int start(struct pool_dek_lease *l, struct pool_cache *cache, bool wait)
{
	struct pool_dek_slot *slot;

	if (l->pool->opts.single)
		return start_single(l);
	l->waiter.ready = slot_ready;
	slot = wait ? pool_get_or_wait(cache, &l->waiter) : pool_get(cache);
	if (!slot)
		return wait ? 0 : -EAGAIN; /* 0: l is the waiter's, or gone already */
	l->slot = slot;
	load(l);
	return 0;
}

int pool_dek_lease_start(struct pool_dek_lease *l, struct pool_dek_pool *p,
			 struct pool_cache *cache, const uint8_t *key, size_t len, bool wait)
{
	int err;

	if (len != KEY128 && len != KEY256)
		return obj_error(-EINVAL, "key of %zu bits: the device takes 128 or 256", len * 8);
	l->pool = p;
	l->key = key;
	l->len = (uint8_t)len;
	l->slot = NULL;
	err = start(l, cache, wait);
	if (err)
		l->pool = NULL; /* nothing was started */
	return err;
}

bool pool_dek_lease_cancel(struct pool_dek_lease *l, struct pool_dek_pool *p)
{
	if (!pool_cancel(&p->base, &l->waiter))
		return false;
	l->pool = NULL;
	return true;
}

bool pool_dek_lease_is_stuck(struct pool_dek_lease *l, struct pool_dek_pool *p)
{
	bool stuck;

	pthread_mutex_lock(&p->base.lock);
	stuck = l->waiter.prev && !p->making && !p->s.clean && !p->s.dirty && !p->s.syncing &&
		p->s.slots >= p->opts.max;
	pthread_mutex_unlock(&p->base.lock);
	return stuck;
}

void pool_dek_lease_end(struct pool_dek_lease *l, struct pool_cache *cache)
{
	if (!l->pool || !l->slot) {
		obj_log(MLXO_LOG_ERROR, "the lease of key %u was ended twice: ignored", l->id);
		return;
	}
	if (l->pool->opts.single)
		end_single(l);
	else
		pool_put(cache, l->slot);
	l->pool = NULL;
	l->slot = NULL;
}
