// SPDX-License-Identifier: BSD-2-Clause
/*
 * The pool of TLS contexts: what the depot holds, when it grows, when it shrinks.
 *
 *	create ─▶ made ─▶ free ──take──▶ owner ──give──▶ free ─▶ destroy ─▶ gone
 *	  │		   └─ number 0 ───────────────────────────▶│  │ refused
 *	  └ failed: pause, 10 ms doubling to 1 s		   └──┴▶ stuck, tried again each second
 *
 * One command makes one context, so a burst on an empty pool is served as fast as the device makes them, the first waiter
 * by the first that is ready. Growing goes on until low + batch, so that it does not start for every single get.
 * While a create fails there is one try per pause; waiters are told the error as soon as no create is under way.
 *
 * Shrinking looks at the least that was free since the last look: so many were not needed.
 *
 * Ownership: an item is the pool's from create to destroy, lent in between. Locks: the pool's; commands without it.
 * Source: the sizes are those of Linux en_accel/ktls_tx.c; it tests for equality with a mark and so can miss one, and
 * hands out number 0 of a create that failed.
 */
#include "objects/alloc.h"
#include "objects/error.h"
#include "pool/tis.h"
#include "pool/timer.h"

enum { LOW = 1024, HIGH = 4096, BATCH = 16 };

static const uint64_t idle_default_ns = 60000000000u;

struct pool_tis_pool {
	struct pool base; /* its lock is for all below */
	struct pool_tis_opts opts;
	struct pool_tis *free, *stuck;
	struct pool_tis *over; /* no_recycling: came back, to be destroyed */
	uint32_t least_free;   /* since the last look */
	struct pool_tis_stats s;
	uint32_t generation;
	bool filling, paused, closing;
	uint64_t pause_ns; /* 0: the last create worked */
	int why;	   /* it did not */
	struct pool_timer idle, retry, unstick;
};

static struct pool_tis_pool *of(struct pool *p)
{
	return (struct pool_tis_pool *)p;
}

/* -- the depot, with the lock ------------------------------------------------------------------------------ */

static void push(struct pool_tis **list, struct pool_tis *t)
{
	t->next = *list;
	*list = t;
}

static struct pool_tis *pop(struct pool_tis **list)
{
	struct pool_tis *t = *list;

	*list = t->next;
	return t;
}

static struct pool_tis *pop_free(struct pool_tis_pool *p)
{
	p->s.free--;
	if (p->s.free < p->least_free)
		p->least_free = p->s.free;
	return pop(&p->free);
}

static unsigned int take(struct pool *base, void **items, unsigned int n)
{
	struct pool_tis_pool *p = of(base);
	unsigned int i;

	for (i = 0; i < n && p->free; i++)
		items[i] = pop_free(p);
	return i;
}

static void give(struct pool *base, void **items, unsigned int n, bool used)
{
	struct pool_tis_pool *p = of(base);

	for (unsigned int i = 0; i < n; i++) {
		struct pool_tis *t = items[i];

		if (t->generation != p->generation) { /* gone with the reset */
			mlxo_free(t);
			continue;
		}
		if (p->opts.no_recycling && !p->closing) { /* not even to one who waits */
			push(&p->over, t);
			continue;
		}
		push(&p->free, t);
		p->s.free++;
	}
}

/* -- destroying -------------------------------------------------------------------------------------------- */

static struct pool_tis *item_of(struct pool_work *w)
{
	return (struct pool_tis *)((char *)w - offsetof(struct pool_tis, work));
}

static int destroy_start(struct pool_work *w, struct obj_task *task)
{
	struct pool_tis *t = item_of(w);

	return obj_destroy_start(&task->job, pool_exec_device(t->pool->base.exec), &t->tis.obj);
}

static void destroy_done(struct pool_work *w, int err)
{
	struct pool_tis *t = item_of(w);
	struct pool_tis_pool *p = t->pool;
	bool same, stuck = false;

	pthread_mutex_lock(&p->base.lock);
	same = t->generation == p->generation;
	if (obj_is_live(&t->tis.obj) && same) { /* refused, or not sent */
		stuck = true;
		push(&p->stuck, t);
	} else {
		p->s.exist -= same;
		if (t->tis.obj.state == OBJ_LOST)
			p->s.lost++;
		else
			p->s.destroyed++;
		mlxo_free(t);
	}
	if (stuck && !p->closing)
		pool_timer_arm(&p->unstick, POOL_STUCK_NS);
	pthread_mutex_unlock(&p->base.lock);
	pool_balance(&p->base);
	pool_end(&p->base);
}

/* A list of n. */
static void destroy_all(struct pool_tis_pool *p, struct pool_tis *list, enum pool_class class)
{
	while (list) {
		struct pool_tis *t = pop(&list);

		t->work.start = destroy_start;
		t->work.done = destroy_done;
		pthread_mutex_lock(&p->base.lock);
		pool_begin(&p->base, 1);
		pthread_mutex_unlock(&p->base.lock);
		pool_exec_submit(p->base.exec, &t->work, class);
	}
}

/* -- creating ---------------------------------------------------------------------------------------------- */

static int create_start(struct pool_work *w, struct obj_task *task)
{
	struct pool_tis *t = item_of(w);

	return obj_tis_create_tls_start(task, pool_exec_device(t->pool->base.exec), &t->tis);
}

/* With the lock. */
static void pause_creates(struct pool_tis_pool *p, int err)
{
	p->why = err;
	p->s.failed++;
	if (p->paused) /* of the same burst */
		return;
	p->paused = true;
	p->pause_ns = pool_pause(p->pause_ns);
	if (!p->closing)
		pool_timer_arm(&p->retry, p->pause_ns);
}

/* A new one. With the lock. */
static void enter(struct pool_tis_pool *p, struct pool_tis *t)
{
	p->s.created++;
	if (++p->s.exist > p->s.most_exist)
		p->s.most_exist = p->s.exist;
	push(&p->free, t);
	p->s.free++;
	p->pause_ns = 0;
}

static void create_done(struct pool_work *w, int err)
{
	struct pool_tis *t = item_of(w), *unfit = NULL;
	struct pool_tis_pool *p = t->pool;

	pthread_mutex_lock(&p->base.lock);
	p->s.making--;
	if (err) {
		p->s.lost += t->tis.obj.state == OBJ_LOST;
		pause_creates(p, err);
		mlxo_free(t);
	} else if (!t->tis.obj.id || t->generation != p->generation) {
		if (!t->tis.obj.id) {
			obj_log(MLXO_LOG_ERROR, "the device gave TIS number 0, which means \"no "
						"TLS\" in a work request: it is not used");
			pause_creates(p, -EPROTO);
		}
		p->s.created++;
		p->s.exist++;
		t->generation = p->generation;
		t->next = NULL;
		unfit = t;
	} else {
		enter(p, t);
	}
	pthread_mutex_unlock(&p->base.lock);
	destroy_all(p, unfit, POOL_LAZY);
	pool_balance(&p->base);
	pool_end(&p->base);
}

static void create(struct pool_tis_pool *p, enum pool_class class)
{
	struct pool_tis *t = mlxo_calloc(1, sizeof(*t));

	pthread_mutex_lock(&p->base.lock);
	if (!t) {
		p->s.making--;
		pause_creates(p, -ENOMEM);
		pthread_mutex_unlock(&p->base.lock);
		return;
	}
	t->pool = p;
	t->generation = p->generation;
	pool_begin(&p->base, 1);
	pthread_mutex_unlock(&p->base.lock);
	t->work.start = create_start;
	t->work.done = create_done;
	pool_exec_submit(p->base.exec, &t->work, class);
}

/* -- levels ------------------------------------------------------------------------------------------------ */

static bool at_rest(const struct pool_tis_pool *p)
{
	return p->paused || p->closing || p->base.suspended;
}

/* How many creates to start. With the lock. */
static uint32_t missing(struct pool_tis_pool *p)
{
	uint32_t top = p->opts.low + p->opts.batch, want = pool_waiting(&p->base),
		 flight = p->pause_ns ? 1 : p->opts.batch, have = p->s.free + p->s.making,
		 room = p->opts.max - (p->s.exist < p->opts.max ? p->s.exist : p->opts.max);

	if (at_rest(p))
		return 0;
	if (top > p->opts.high)
		top = p->opts.high;
	if (p->s.free < p->opts.low)
		p->filling = true;
	else if (p->s.free >= top)
		p->filling = false;
	if (p->filling && !p->opts.no_recycling)
		want += top;
	want = want > have ? want - have : 0;
	if (want + p->s.making > flight)
		want = flight > p->s.making ? flight - p->s.making : 0;
	room = room > p->s.making ? room - p->s.making : 0;
	return want < room ? want : room;
}

/* n of the free ones, as a list. With the lock. */
static struct pool_tis *cut(struct pool_tis_pool *p, uint32_t n)
{
	struct pool_tis *list = NULL;

	while (n--)
		push(&list, pop_free(p));
	return list;
}

static struct pool_tis *surplus(struct pool_tis_pool *p)
{
	struct pool_tis *over = p->over;

	p->over = NULL;
	if (p->opts.no_recycling)
		return over;
	return !p->closing && !p->base.suspended && p->s.free > p->opts.high
		       ? cut(p, p->s.free - p->opts.high)
		       : NULL;
}

static void balance(struct pool *base)
{
	struct pool_tis_pool *p = of(base);
	struct pool_tis *dead;
	enum pool_class class;
	uint32_t n;
	int err = 0;

	pool_serve(base);
	pthread_mutex_lock(&base->lock);
	n = missing(p);
	p->s.making += n;
	class = pool_waiting(base) ? POOL_URGENT : POOL_NORMAL;
	dead = surplus(p);
	pthread_mutex_unlock(&base->lock);
	while (n--)
		create(p, class);
	destroy_all(p, dead, POOL_LAZY);
	pthread_mutex_lock(&base->lock);
	if (base->suspended)
		err = -EIO;
	else if (p->paused && !p->s.making && !p->free)
		err = p->why;
	pthread_mutex_unlock(&base->lock);
	if (err)
		pool_fail_waiters(base, err);
}

/* -- timers ------------------------------------------------------------------------------------------------ */

static void look(struct pool_timer *timer)
{
	struct pool_tis_pool *p =
		(struct pool_tis_pool *)((char *)timer - offsetof(struct pool_tis_pool, idle));
	struct pool_tis *dead = NULL;
	uint32_t n;

	pthread_mutex_lock(&p->base.lock);
	if (!p->closing && !p->base.suspended) {
		n = p->s.free > p->opts.low ? p->s.free - p->opts.low : 0;
		dead = cut(p, n < p->least_free ? n : p->least_free);
		p->least_free = p->s.free;
	}
	if (!p->closing)
		pool_timer_arm(&p->idle, p->opts.idle_ns);
	pthread_mutex_unlock(&p->base.lock);
	destroy_all(p, dead, POOL_LAZY);
}

static void pause_over(struct pool_timer *timer)
{
	struct pool_tis_pool *p =
		(struct pool_tis_pool *)((char *)timer - offsetof(struct pool_tis_pool, retry));

	pthread_mutex_lock(&p->base.lock);
	p->paused = false;
	pthread_mutex_unlock(&p->base.lock);
	pool_balance(&p->base);
}

static void try_stuck(struct pool_timer *timer)
{
	struct pool_tis_pool *p =
		(struct pool_tis_pool *)((char *)timer - offsetof(struct pool_tis_pool, unstick));
	struct pool_tis *list = NULL;

	pthread_mutex_lock(&p->base.lock);
	if (!p->closing) {
		list = p->stuck;
		p->stuck = NULL;
	}
	pthread_mutex_unlock(&p->base.lock);
	destroy_all(p, list, POOL_LAZY);
}

/* -- life -------------------------------------------------------------------------------------------------- */

static const struct pool_ops ops = {.take = take, .give = give, .balance = balance};

static uint32_t least(uint32_t a, uint32_t b)
{
	return a < b ? a : b;
}

static int settle_opts(struct pool_tis_opts *o, struct mlxo_device *dev)
{
	uint64_t log = obj_cap(dev, OBJ_CAP_log_max_tis);
	uint32_t room = log < 32 ? UINT32_C(1) << log : UINT32_MAX;

	if (o->batch > POOL_EXEC_MAX)
		return obj_error(-EINVAL, "batch %u: allowed is 1..%d, 0 for %d", o->batch,
				 POOL_EXEC_MAX, BATCH);
	if (o->low && o->high && o->low > o->high)
		return obj_error(-EINVAL, "low %u: allowed is at most high, %u", o->low, o->high);
	o->max = o->max ? least(o->max, room) : room;
	o->batch = o->batch ? o->batch : BATCH;
	o->high = least(o->high ? o->high : o->low > HIGH ? o->low + BATCH : HIGH, o->max);
	o->low = least(o->low ? o->low : LOW, o->high);
	o->idle_ns = o->idle_ns ? o->idle_ns : idle_default_ns;
	return 0;
}

int pool_tis_create(struct pool_exec *exec, const struct pool_tis_opts *opts,
		    struct pool_tis_pool **pool)
{
	struct mlxo_device *dev = pool_exec_device(exec);
	struct pool_tis_opts o = *opts;
	struct pool_tis_pool *p;
	int err = settle_opts(&o, dev);

	*pool = NULL;
	if (err)
		return err;
	p = mlxo_calloc(1, sizeof(*p));
	if (!p)
		return obj_error_nomem("the pool of TLS contexts");
	p->opts = o;
	pool_init(&p->base, &ops, exec);
	p->base.uncached = o.no_recycling;
	pool_timer_init(&p->idle, dev, look);
	pool_timer_init(&p->retry, dev, pause_over);
	pool_timer_init(&p->unstick, dev, try_stuck);
	if (o.idle_ns != UINT64_MAX)
		pool_timer_arm(&p->idle, o.idle_ns);
	pool_balance(&p->base);
	*pool = p;
	return 0;
}

/* The device does not let go of some: they stay until it is closed. */
static void leave(struct pool_tis_pool *p)
{
	while (p->stuck) {
		struct pool_tis *t = pop(&p->stuck);

		obj_log(MLXO_LOG_ERROR, "TIS %u stays on the device until that is closed",
			t->tis.obj.id);
		mlxo_free(t);
	}
}

void pool_tis_destroy(struct pool_tis_pool *p)
{
	if (!p)
		return;
	pthread_mutex_lock(&p->base.lock);
	p->closing = true;
	pthread_mutex_unlock(&p->base.lock);
	pool_timer_stop(&p->idle);
	pool_timer_stop(&p->retry);
	pool_timer_stop(&p->unstick);
	pool_wait(&p->base);
	for (int i = 0; i < 2; i++) { /* what is refused may work when the others are gone */
		struct pool_tis *list;

		pthread_mutex_lock(&p->base.lock);
		list = i ? p->stuck : cut(p, p->s.free);
		if (i)
			p->stuck = NULL;
		pthread_mutex_unlock(&p->base.lock);
		destroy_all(p, list, POOL_NORMAL);
		pool_wait(&p->base);
	}
	leave(p);
	pool_fini(&p->base);
	mlxo_free(p);
}

struct pool *pool_tis_base(struct pool_tis_pool *p)
{
	return &p->base;
}

/* All that is at home, as a list. With the lock. */
static struct pool_tis *at_home(struct pool_tis_pool *p)
{
	struct pool_tis *list = NULL;

	p->s.exist = 0;
	while (p->free || p->stuck) {
		struct pool_tis *t = pop(p->free ? &p->free : &p->stuck);

		t->generation = p->generation;
		push(&list, t);
		p->s.exist++;
	}
	p->s.free = 0;
	p->least_free = 0;
	return list;
}

void pool_tis_void(struct pool_tis_pool *p)
{
	struct pool_tis *list;

	pthread_mutex_lock(&p->base.lock);
	pool_empty_caches(&p->base);
	p->generation++;
	list = at_home(p);
	p->paused = false; /* what failed, failed on the device that was */
	p->pause_ns = 0;
	pthread_mutex_unlock(&p->base.lock);
	destroy_all(p, list, POOL_NORMAL);
	pool_balance(&p->base);
}

bool pool_tis_is_stuck(struct pool_tis_pool *p, const struct pool_waiter *w)
{
	bool stuck;

	pthread_mutex_lock(&p->base.lock);
	stuck = w->prev && !p->s.free && !p->s.making && p->s.exist >= p->opts.max;
	pthread_mutex_unlock(&p->base.lock);
	return stuck;
}

void pool_tis_stats(struct pool_tis_pool *p, struct pool_tis_stats *stats)
{
	pthread_mutex_lock(&p->base.lock);
	*stats = p->s;
	pthread_mutex_unlock(&p->base.lock);
	stats->low = p->opts.low;
	stats->high = p->opts.high;
	stats->max = p->opts.max;
	pool_counts(&p->base, &stats->counts);
}
