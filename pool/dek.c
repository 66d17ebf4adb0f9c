// SPDX-License-Identifier: BSD-2-Clause
/*
 * Bulks of key slots: making, cleaning and destroying them.
 *
 *	take ◀── clean ◀─ new bulk, or SYNC_CRYPTO answered ─ syncing ◀─ SYNC_CRYPTO sent ─ dirty ◀── give
 *
 * Slots become `syncing` under the lock before SYNC_CRYPTO is sent: what is given later is dirty and waits for the next
 * one (T26). When it fails they become dirty again (T27). One is under way at a time, and one bulk is made at a time: both
 * serve many slots.
 *
 * SYNC_CRYPTO names the keys of one purpose. A device that refuses that is asked to clean all; so do XLIO and DPCP always.
 *
 * A bulk is destroyed when all of its slots were clean and at home between two looks, and another such bulk is left. One
 * with a slot in quarantine is kept: a late answer must not meet another object under its number.
 *
 * Ownership: bulks are the pool's; a slot lives in its bulk. Locks: the pool's; commands without it.
 * Source: Linux mlx5/core/lib/crypto.c for the order of use.
 */
#include "objects/alloc.h"
#include "objects/error.h"
#include "pool/dek_pool.h"

enum { LOG_BULK = 12, LOG_MAX = 24, SYNC_PERCENT = 25, LOW_PART = 4, WORTH_PART = 8, SYNC_ALL = 0 };

static const uint64_t idle_default_ns = 60000000000u, no_number_ns = 60000000000u;

static struct pool_dek_pool *of(struct pool *p)
{
	return (struct pool_dek_pool *)p;
}

static struct mlxo_device *device(struct pool_dek_pool *p)
{
	return pool_exec_device(p->base.exec);
}

/* -- lists, with the lock ---------------------------------------------------------------------------------- */

static void link_bulk(struct pool_bulk **list, struct pool_bulk *b)
{
	b->next = *list;
	b->prev = list;
	if (b->next)
		b->next->prev = &b->next;
	*list = b;
}

static void unlink_bulk(struct pool_bulk *b)
{
	*b->prev = b->next;
	if (b->next)
		b->next->prev = b->prev;
}

/* Bulks that are clean throughout come last, so that they stay so. */
static void list_clean(struct pool_dek_pool *p, struct pool_bulk *b)
{
	bool last = b->count[POOL_BULK_CLEAN] == b->size;

	if (b->prev_clean || !b->count[POOL_BULK_CLEAN])
		return;
	b->prev_clean = last ? p->clean_tail : &p->clean;
	b->next_clean = *b->prev_clean;
	if (b->next_clean)
		b->next_clean->prev_clean = &b->next_clean;
	else
		p->clean_tail = &b->next_clean;
	*b->prev_clean = b;
}

static void unlist_clean(struct pool_dek_pool *p, struct pool_bulk *b)
{
	if (!b->prev_clean)
		return;
	*b->prev_clean = b->next_clean;
	if (b->next_clean)
		b->next_clean->prev_clean = b->prev_clean;
	else
		p->clean_tail = b->prev_clean;
	b->prev_clean = NULL;
}

/* -- the depot, with the lock ------------------------------------------------------------------------------ */

static unsigned int take(struct pool *base, void **items, unsigned int n)
{
	struct pool_dek_pool *p = of(base);
	unsigned int i;

	for (i = 0; i < n && p->clean; i++) {
		struct pool_bulk *b = p->clean;

		items[i] = pool_bulk_take(b);
		p->s.clean--;
		if (!b->count[POOL_BULK_CLEAN])
			unlist_clean(p, b);
	}
	return i;
}

static void count_put(struct pool_dek_pool *p, enum pool_bulk_state state)
{
	p->s.clean += state == POOL_BULK_CLEAN;
	p->s.dirty += state == POOL_BULK_DIRTY;
	p->s.quarantined += state == POOL_BULK_LOST;
}

void pool_dek_put(struct pool_dek_pool *p, struct pool_dek_slot *slot, enum pool_bulk_state state)
{
	struct pool_bulk *b = slot->bulk;

	if (!pool_bulk_put(slot, state)) {
		obj_log(MLXO_LOG_ERROR, "key slot %u came back twice: ignored",
			b->dek.obj.id + pool_bulk_offset(slot));
		return;
	}
	if (b->generation != p->generation) { /* gone with the reset */
		if (!pool_bulk_lent(b))
			pool_bulk_free(b);
		return;
	}
	count_put(p, state);
	list_clean(p, b);
}

static void give(struct pool *base, void **items, unsigned int n, bool used)
{
	struct pool_dek_pool *p = of(base);

	for (unsigned int i = 0; i < n; i++) {
		struct pool_dek_slot *slot = items[i];

		p->s.in_use -= used && slot->bulk->generation == p->generation;
		pool_dek_put(p, slot, used ? POOL_BULK_DIRTY : POOL_BULK_CLEAN);
	}
}

/* -- destroying -------------------------------------------------------------------------------------------- */

static struct pool_bulk *bulk_of(struct pool_work *w)
{
	return (struct pool_bulk *)((char *)w - offsetof(struct pool_bulk, work));
}

static int destroy_start(struct pool_work *w, struct obj_task *task)
{
	struct pool_bulk *b = bulk_of(w);

	return obj_destroy_start(&task->job, device(b->pool), &b->dek.obj);
}

static void destroy_done(struct pool_work *w, int err)
{
	struct pool_bulk *b = bulk_of(w);
	struct pool_dek_pool *p = b->pool;

	pthread_mutex_lock(&p->base.lock);
	if (obj_is_live(&b->dek.obj) && b->generation == p->generation) {
		link_bulk(&p->stuck, b); /* refused (T32), or not sent */
		if (!p->closing)
			pool_timer_arm(&p->unstick, POOL_STUCK_NS);
	} else {
		if (b->dek.obj.state == OBJ_LOST)
			p->s.quarantined += b->size;
		else
			p->s.bulks_destroyed++;
		pool_bulk_free(b);
	}
	pthread_mutex_unlock(&p->base.lock);
	pool_balance(&p->base);
	pool_end(&p->base);
}

/* A list that nobody else sees. */
static void destroy_all(struct pool_dek_pool *p, struct pool_bulk *list, enum pool_class class)
{
	while (list) {
		struct pool_bulk *b = list;

		list = b->next;
		b->work.start = destroy_start;
		b->work.done = destroy_done;
		pthread_mutex_lock(&p->base.lock);
		pool_begin(&p->base, 1);
		pthread_mutex_unlock(&p->base.lock);
		pool_exec_submit(p->base.exec, &b->work, class);
	}
}

/* Out of the pool. With the lock. */
static void retire(struct pool_dek_pool *p, struct pool_bulk *b, struct pool_bulk **list)
{
	p->s.bulks--;
	p->s.slots -= b->size;
	p->s.clean -= b->count[POOL_BULK_CLEAN];
	p->s.dirty -= b->count[POOL_BULK_DIRTY];
	p->s.syncing -= b->count[POOL_BULK_SYNCING];
	unlist_clean(p, b);
	unlink_bulk(b);
	link_bulk(list, b);
}

/* -- making ------------------------------------------------------------------------------------------------ */

void pool_dek_pause(struct pool_dek_pool *p, int err)
{
	p->why = err == -ENOMEM ? -EAGAIN : err;
	if (p->paused)
		return;
	p->paused = true;
	p->pause_ns = pool_pause(p->pause_ns);
	if (!p->closing)
		pool_timer_arm(&p->retry, p->pause_ns);
}

static int create_start(struct pool_work *w, struct obj_task *task)
{
	struct pool_bulk *b = bulk_of(w);
	struct obj_dek_attr attr = {.purpose = b->pool->opts.purpose};

	return obj_dek_create_bulk_start(task, device(b->pool), &attr, b->log, &b->dek);
}

/* With the lock. */
static void enter(struct pool_dek_pool *p, struct pool_bulk *b)
{
	pool_bulk_fill(b);
	link_bulk(&p->bulks, b);
	list_clean(p, b);
	p->s.bulks_created++;
	p->s.bulks++;
	p->s.slots += b->size;
	p->s.clean += b->size;
	p->log = p->opts.log_bulk;
	p->pause_ns = 0;
}

/* No room: half of it at once, then a pause. With the lock. */
static void create_failed(struct pool_dek_pool *p, struct pool_bulk *b, int err)
{
	bool limit = err == -ENOMEM || err == -EAGAIN, first = b->log == p->opts.log_bulk;

	if (limit && b->log)
		p->log = b->log - 1;
	if (!limit || !first || !b->log)
		pool_dek_pause(p, err);
	if (b->dek.obj.state == OBJ_LOST)
		p->s.quarantined += b->size;
	pool_bulk_free(b);
}

static bool numbers_fit(const struct pool_bulk *b)
{
	return b->dek.obj.id < UINT32_C(1) << LOG_MAX &&
	       b->size <= (UINT32_C(1) << LOG_MAX) - b->dek.obj.id;
}

/* With the lock. */
static void refuse_numbers(struct pool_dek_pool *p, struct pool_bulk *b)
{
	obj_log(MLXO_LOG_ERROR,
		"keys %u to %u are not used: their numbers must fit 24 bits, at most %u",
		b->dek.obj.id, b->dek.obj.id + (b->size - 1), (1u << LOG_MAX) - 1);
	p->paused = true;
	p->why = -ENOSPC;
	if (!p->closing)
		pool_timer_arm(&p->retry, no_number_ns);
}

static void create_done(struct pool_work *w, int err)
{
	struct pool_bulk *b = bulk_of(w), *unfit = NULL;
	struct pool_dek_pool *p = b->pool;

	pthread_mutex_lock(&p->base.lock);
	p->making = false;
	if (err) {
		create_failed(p, b, err);
	} else if (!numbers_fit(b) || b->generation != p->generation) {
		if (!numbers_fit(b))
			refuse_numbers(p, b);
		b->generation = p->generation;
		p->s.bulks_created++;
		b->next = NULL;
		unfit = b;
	} else {
		enter(p, b);
	}
	pthread_mutex_unlock(&p->base.lock);
	destroy_all(p, unfit, POOL_LAZY);
	pool_balance(&p->base);
	pool_end(&p->base);
}

static void make_bulk(struct pool_dek_pool *p, unsigned int log, enum pool_class class)
{
	struct pool_bulk *b = pool_bulk_new(log);

	pthread_mutex_lock(&p->base.lock);
	if (!b) {
		p->making = false;
		pool_dek_pause(p, -ENOMEM);
		pthread_mutex_unlock(&p->base.lock);
		return;
	}
	b->pool = p;
	b->generation = p->generation;
	pool_begin(&p->base, 1);
	pthread_mutex_unlock(&p->base.lock);
	b->work.start = create_start;
	b->work.done = create_done;
	pool_exec_submit(p->base.exec, &b->work, class);
}

/* -- cleaning ---------------------------------------------------------------------------------------------- */

static uint32_t move_all(struct pool_dek_pool *p, enum pool_bulk_state from,
			 enum pool_bulk_state to)
{
	uint32_t n = 0;

	for (struct pool_bulk *b = p->bulks; b; b = b->next) {
		n += pool_bulk_move(b, from, to);
		if (to == POOL_BULK_CLEAN)
			list_clean(p, b);
	}
	return n;
}

/* With the lock. */
static void cleaned(struct pool_dek_pool *p)
{
	uint32_t n = move_all(p, POOL_BULK_SYNCING, POOL_BULK_CLEAN);

	p->s.syncs++;
	p->s.syncing -= n;
	p->s.clean += n;
	p->sync_pause_ns = 0;
}

static void not_cleaned(struct pool_dek_pool *p, int err)
{
	uint32_t n = move_all(p, POOL_BULK_SYNCING, POOL_BULK_DIRTY);

	p->s.sync_failed++;
	p->s.syncing -= n;
	p->s.dirty += n;
	if (err == -EINVAL && !p->sync_all) {
		p->sync_all = true; /* at once */
		p->sync_now = true;
		return;
	}
	p->sync_paused = true;
	p->sync_pause_ns = pool_pause(p->sync_pause_ns);
	if (!p->closing)
		pool_timer_arm(&p->resync, p->sync_pause_ns);
}

static struct pool_dek_pool *pool_of_sync(struct pool_work *w)
{
	return (struct pool_dek_pool *)((char *)w - offsetof(struct pool_dek_pool, sync));
}

static int sync_start(struct pool_work *w, struct obj_task *task)
{
	struct pool_dek_pool *p = pool_of_sync(w);

	return obj_keys_sync_start(task, device(p), p->sync_all ? SYNC_ALL : p->opts.purpose);
}

static void sync_done(struct pool_work *w, int err)
{
	struct pool_dek_pool *p = pool_of_sync(w);

	pthread_mutex_lock(&p->base.lock);
	p->cleaning = false;
	if (err)
		not_cleaned(p, err);
	else
		cleaned(p);
	pthread_mutex_unlock(&p->base.lock);
	pool_balance(&p->base);
	pool_end(&p->base);
}

static uint32_t sync_at(const struct pool_dek_pool *p)
{
	uint32_t n = (uint32_t)((uint64_t)p->s.slots * p->opts.sync_percent / 100);

	return n ? n : 1;
}

/* With the lock. */
static bool sync_due(const struct pool_dek_pool *p)
{
	uint32_t worth = p->s.clean ? p->opts.low / WORTH_PART : 0;

	if (!p->s.dirty || p->cleaning || p->sync_paused || p->closing || p->base.suspended)
		return false;
	return p->sync_now || p->s.dirty >= sync_at(p) ||
	       (p->s.clean < p->opts.low && p->s.dirty >= worth);
}

/* With the lock. Is it to be sent? */
static bool begin_sync(struct pool_dek_pool *p)
{
	uint32_t n;

	if (!sync_due(p))
		return false;
	p->sync_now = false;
#ifdef MLXO_BITE_SKIP_POOL_SYNC
	n = move_all(p, POOL_BULK_DIRTY, POOL_BULK_CLEAN);
	p->s.dirty -= n;
	p->s.clean += n;
	return false;
#else
	n = move_all(p, POOL_BULK_DIRTY, POOL_BULK_SYNCING);
	p->s.dirty -= n;
	p->s.syncing += n;
	p->cleaning = true;
	pool_begin(&p->base, 1);
	return true;
#endif
}

/* -- levels ------------------------------------------------------------------------------------------------ */

/* With the lock. Is a bulk to be made, and of what size? */
static bool begin_bulk(struct pool_dek_pool *p, unsigned int *log)
{
	uint32_t room = p->opts.max > p->s.slots ? p->opts.max - p->s.slots : 0;
	uint64_t soon = (uint64_t)p->s.clean + (p->sync_paused ? 0 : p->s.dirty + p->s.syncing);

	if (p->making || p->paused || p->closing || p->base.suspended || p->opts.single || !room)
		return false;
	if (soon >= (uint64_t)p->opts.low + pool_waiting(&p->base))
		return false;
	for (*log = p->log; UINT32_C(1) << *log > room; --*log)
		;
	p->making = true;
	return true;
}

/* Those who wait get nothing for a while. With the lock. 0: they may. */
static int hopeless(const struct pool_dek_pool *p)
{
	if (p->base.suspended)
		return -EIO;
	if (p->s.clean || p->making || p->s.syncing)
		return 0;
	if (p->sync_paused && p->s.dirty)
		return p->paused || p->s.slots >= p->opts.max ? -EAGAIN : 0;
	return p->paused && !p->s.dirty ? p->why : 0;
}

static void balance(struct pool *base)
{
	struct pool_dek_pool *p = of(base);
	enum pool_class class;
	unsigned int log;
	bool sync, make;
	int err;

	pool_serve(base);
	pthread_mutex_lock(&base->lock);
	sync = begin_sync(p);
	make = begin_bulk(p, &log);
	class = pool_waiting(base) ? POOL_URGENT : POOL_NORMAL;
	pthread_mutex_unlock(&base->lock);
	if (sync)
		pool_exec_submit(base->exec, &p->sync, class);
	if (make)
		make_bulk(p, log, class);
	pthread_mutex_lock(&base->lock);
	err = hopeless(p);
	pthread_mutex_unlock(&base->lock);
	if (err)
		pool_fail_waiters(base, err);
}

/* -- timers ------------------------------------------------------------------------------------------------ */

#define OWNER(timer, member) \
	((struct pool_dek_pool *)((char *)(timer)-offsetof(struct pool_dek_pool, member)))

/* Bulks that were not needed since the last look, but for one. With the lock. */
static struct pool_bulk *spare_bulks(struct pool_dek_pool *p)
{
	struct pool_bulk *list = NULL, *b, *next;
	bool kept = false;

	for (b = p->bulks; b; b = next) {
		next = b->next;
		if (b->count[POOL_BULK_CLEAN] != b->size)
			continue;
		if (b->untouched && kept && p->s.clean - b->size >= p->opts.low)
			retire(p, b, &list);
		else
			kept = true;
		b->untouched = true;
	}
	return list;
}

static void look(struct pool_timer *timer)
{
	struct pool_dek_pool *p = OWNER(timer, idle);
	struct pool_bulk *list = NULL;

	pthread_mutex_lock(&p->base.lock);
	if (!p->closing && !p->base.suspended) {
		list = spare_bulks(p);
		p->sync_now |= p->s.dirty && p->s.bulks > 1; /* the next look finds more */
		if (p->s.bulks > 1)			     /* one slot in a cache keeps a bulk */
			atomic_fetch_add_explicit(&p->base.recall, 1, memory_order_relaxed);
	}
	if (!p->closing)
		pool_timer_arm(&p->idle, p->opts.idle_ns);
	pthread_mutex_unlock(&p->base.lock);
	destroy_all(p, list, POOL_LAZY);
	pool_balance(&p->base);
}

static void pause_over(struct pool_timer *timer)
{
	struct pool_dek_pool *p = OWNER(timer, retry);

	pthread_mutex_lock(&p->base.lock);
	p->paused = false;
	pthread_mutex_unlock(&p->base.lock);
	pool_balance(&p->base);
}

static void sync_pause_over(struct pool_timer *timer)
{
	struct pool_dek_pool *p = OWNER(timer, resync);

	pthread_mutex_lock(&p->base.lock);
	p->sync_paused = false;
	pthread_mutex_unlock(&p->base.lock);
	pool_balance(&p->base);
}

static void destroy_stuck(struct pool_dek_pool *p, enum pool_class class)
{
	struct pool_dek_single *single, *next;
	struct pool_bulk *bulks;

	pthread_mutex_lock(&p->base.lock);
	bulks = p->stuck;
	p->stuck = NULL;
	single = p->stuck_singles;
	p->stuck_singles = NULL;
	pthread_mutex_unlock(&p->base.lock);
	destroy_all(p, bulks, class);
	for (; single; single = next) {
		next = single->next;
		pool_dek_single_destroy(single, class);
	}
}

static void try_stuck(struct pool_timer *timer)
{
	destroy_stuck(OWNER(timer, unstick), POOL_LAZY);
}

/* -- life -------------------------------------------------------------------------------------------------- */

static const struct pool_ops ops = {
	.cleaning = true, .take = take, .give = give, .balance = balance};

static uint32_t least(uint32_t a, uint32_t b)
{
	return a < b ? a : b;
}

/* Keys that the device has; a capability of 0 says nothing. */
static uint32_t room_of(struct mlxo_device *dev)
{
	uint64_t keys = obj_cap(dev, OBJ_CAP_log_max_dek),
		 all = obj_cap(dev, OBJ_CAP_log_max_num_deks), log = LOG_MAX;

	if (keys && keys < log)
		log = keys;
	if (all && all < log)
		log = all;
	return UINT32_C(1) << log;
}

static int settle_bulk(struct pool_dek_opts *o, struct mlxo_device *dev)
{
	uint64_t most = obj_cap(dev, OBJ_CAP_log_dek_max_alloc);

	o->single |= !most;
	if (o->single)
		return 0;
	if (o->log_bulk > most)
		return obj_error(-EINVAL, "bulks of 2^%u keys: the device allows at most 2^%u",
				 o->log_bulk, (unsigned int)most);
	if (!o->log_bulk)
		o->log_bulk = (unsigned int)least(LOG_BULK, (uint32_t)most);
	while (UINT32_C(1) << o->log_bulk > o->max)
		o->log_bulk--;
	return 0;
}

static int settle_opts(struct pool_dek_opts *o, struct mlxo_device *dev)
{
	int err;

	if (!o->purpose)
		return obj_error(-EINVAL, "keys without a purpose: the device keeps them apart");
	if (o->sync_percent > 100)
		return obj_error(-EINVAL, "SYNC at %u %% of the slots: allowed is 1..100",
				 o->sync_percent);
	o->max = o->max ? least(o->max, room_of(dev)) : room_of(dev);
	err = settle_bulk(o, dev);
	if (err)
		return err;
	if (!o->low)
		o->low = (UINT32_C(1) << o->log_bulk) / LOW_PART;
	o->low = o->low ? least(o->low, o->max) : 1;
	o->sync_percent = o->sync_percent ? o->sync_percent : SYNC_PERCENT;
	o->idle_ns = o->idle_ns ? o->idle_ns : idle_default_ns;
	return 0;
}

static void init(struct pool_dek_pool *p, struct pool_exec *exec)
{
	struct mlxo_device *dev = pool_exec_device(exec);

	pool_init(&p->base, &ops, exec);
	p->clean_tail = &p->clean;
	p->log = p->opts.log_bulk;
	p->sync.start = sync_start;
	p->sync.done = sync_done;
	pool_timer_init(&p->retry, dev, pause_over);
	pool_timer_init(&p->resync, dev, sync_pause_over);
	pool_timer_init(&p->idle, dev, look);
	pool_timer_init(&p->unstick, dev, try_stuck);
	if (p->opts.idle_ns != UINT64_MAX && !p->opts.single)
		pool_timer_arm(&p->idle, p->opts.idle_ns);
}

int pool_dek_create(struct pool_exec *exec, const struct pool_dek_opts *opts,
		    struct pool_dek_pool **pool)
{
	struct mlxo_device *dev = pool_exec_device(exec);
	struct pool_dek_opts o = *opts;
	struct pool_dek_pool *p;
	int err = settle_opts(&o, dev);

	*pool = NULL;
	if (!err)
		err = obj_keys_sync_once(dev);
	if (err)
		return err;
	p = mlxo_calloc(1, sizeof(*p));
	if (!p)
		return obj_error_nomem("the pool of keys");
	p->opts = o;
	init(p, exec);
	pool_balance(&p->base);
	*pool = p;
	return 0;
}

static struct pool_bulk *retire_all(struct pool_dek_pool *p)
{
	struct pool_bulk *list = NULL;

	pthread_mutex_lock(&p->base.lock);
	while (p->bulks)
		retire(p, p->bulks, &list);
	pthread_mutex_unlock(&p->base.lock);
	return list;
}

/* The device does not let go of some: they stay until it is closed. */
static void leave(struct pool_dek_pool *p)
{
	struct pool_dek_single *single;
	struct pool_bulk *b;

	while ((b = p->stuck)) {
		obj_log(MLXO_LOG_ERROR, "%u keys from %u stay on the device until it is closed",
			b->size, b->dek.obj.id);
		unlink_bulk(b);
		pool_bulk_free(b);
	}
	while ((single = p->stuck_singles)) {
		obj_log(MLXO_LOG_ERROR, "key %u stays on the device until it is closed",
			single->dek.obj.id);
		p->stuck_singles = single->next;
		mlxo_free(single);
	}
}

void pool_dek_destroy(struct pool_dek_pool *p)
{
	if (!p)
		return;
	pthread_mutex_lock(&p->base.lock);
	p->closing = true;
	pthread_mutex_unlock(&p->base.lock);
	pool_timer_stop(&p->retry);
	pool_timer_stop(&p->resync);
	pool_timer_stop(&p->idle);
	pool_timer_stop(&p->unstick);
	pool_wait(&p->base);
	destroy_all(p, retire_all(p), POOL_NORMAL);
	pool_wait(&p->base);
	destroy_stuck(p, POOL_NORMAL); /* what is refused may work when the others are gone */
	pool_wait(&p->base);
	leave(p);
	pool_fini(&p->base);
	mlxo_free(p);
}

struct pool *pool_dek_base(struct pool_dek_pool *p)
{
	return &p->base;
}

/*
 * Those that are at home, as a list. Those with lent slots are freed when the last one comes back. With the lock.
 */
static struct pool_bulk *at_home(struct pool_dek_pool *p)
{
	struct pool_bulk *list = NULL, *b;

	while ((b = p->bulks)) {
		bool home = !pool_bulk_lent(b);

		unlist_clean(p, b);
		unlink_bulk(b);
		if (!home)
			continue;
		b->generation = p->generation;
		link_bulk(&list, b);
	}
	for (b = p->stuck; b; b = b->next)
		b->generation = p->generation;
	for (struct pool_dek_single *s = p->stuck_singles; s; s = s->next)
		s->generation = p->generation;
	return list;
}

void pool_dek_void(struct pool_dek_pool *p)
{
	struct pool_bulk *list;

	pthread_mutex_lock(&p->base.lock);
	pool_empty_caches(&p->base);
	p->generation++;
	list = at_home(p);
	p->s.slots = p->s.clean = p->s.dirty = p->s.syncing = p->s.in_use = p->s.bulks = 0;
	p->paused = p->sync_paused = false;
	p->pause_ns = p->sync_pause_ns = 0;
	p->log = p->opts.log_bulk;
	pthread_mutex_unlock(&p->base.lock);
	destroy_all(p, list, POOL_NORMAL);
	destroy_stuck(p, POOL_NORMAL);
	pool_balance(&p->base);
}

void pool_dek_stats(struct pool_dek_pool *p, struct pool_dek_stats *stats)
{
	pthread_mutex_lock(&p->base.lock);
	*stats = p->s;
	stats->sync_at = sync_at(p);
	pthread_mutex_unlock(&p->base.lock);
	stats->low = p->opts.low;
	stats->max = p->opts.max;
	stats->single = p->opts.single;
	pool_counts(&p->base, &stats->counts);
}
