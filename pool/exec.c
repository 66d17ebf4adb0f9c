// SPDX-License-Identifier: BSD-2-Clause
/*
 * The executor: three queues, a few places for commands in flight.
 *
 *	submit() ─▶ queues ─▶ pump: place + work ─▶ start() ········▶ job_done: done(), place back, pump again
 *
 * A place holds the mailboxes, so that a command needs no memory of its own.
 *
 * A device may answer inside of its submit(): then done() runs inside of start(), and what it submits must not recurse.
 * So a thread pumps one executor once at a time: what is submitted meanwhile is queued and its loop takes it.
 *
 * Lazy commands take half of the places at most, so that one that somebody waits for finds a place free. A normal one is
 * started after 16 urgent ones in a row: it may be the one (new keys, cleaning) that ends the waiting.
 *
 * Ownership: works are their owners', places the executor's. Locks: `lock`, never held during start() or done(). Who
 * pumps is counted: the executor is idle only when no thread is inside, so that it may be freed then.
 */
#include "objects/alloc.h"
#include "objects/device.h"
#include "objects/error.h"
#include "pool/exec.h"

#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

enum { MANY_LAZY = 256, URGENT_ROW = 16, TURN_MS = 10, DEAD_MS = 100 };

struct queue {
	struct pool_work *head, **tail;
};

struct place {
	struct obj_task task;
	struct pool_exec *exec;
	struct pool_work *work;
	enum pool_class class;
	struct place *next;
};

struct pool_exec {
	struct mlxo_device *dev;
	pthread_mutex_t lock;
	struct queue queue[POOL_NCLASSES]; /* all from here to stats: lock */
	struct place place[POOL_EXEC_MAX], *free;
	unsigned int max, lazy; /* lazy: of these in flight */
	bool last_lazy;
	unsigned int row;   /* urgent ones started since a normal one waits */
	unsigned int pumps; /* threads in pump() */
	struct pool_exec_stats stats;

	pthread_t thread;
	bool has_thread;
	int event; /* wakes the thread for its end */
	_Atomic bool stop;
};

/* The executor whose pump() runs in this thread. */
static _Thread_local struct pool_exec *pumping;

/* -- queues, all with the lock --------------------------------------------------------------------------------- */

static void enqueue(struct pool_exec *e, struct pool_work *w, enum pool_class class)
{
	w->next = NULL;
	*e->queue[class].tail = w;
	e->queue[class].tail = &w->next;
	e->stats.queued[class]++;
}

static struct pool_work *dequeue(struct pool_exec *e, enum pool_class class)
{
	struct queue *q = &e->queue[class];
	struct pool_work *w = q->head;

	q->head = w->next;
	if (!q->head)
		q->tail = &q->head;
	e->stats.queued[class]--;
	return w;
}

/* Is it a lazy one's turn? */
static bool lazy_turn(const struct pool_exec *e)
{
	const unsigned int *queued = e->stats.queued;

	if (!queued[POOL_LAZY] || (e->max > 1 && e->lazy >= e->max / 2))
		return false;
	if (!queued[POOL_URGENT] && !queued[POOL_NORMAL])
		return true;
	if (e->last_lazy)
		return false;
	return queued[POOL_LAZY] > MANY_LAZY || (!queued[POOL_URGENT] && !e->lazy);
}

/* Is it a normal one's turn? */
static bool normal_turn(const struct pool_exec *e)
{
	return !e->stats.queued[POOL_URGENT] ||
	       (e->stats.queued[POOL_NORMAL] && e->row >= URGENT_ROW);
}

/* The next work, in a place. NULL: nothing to do, or no place. */
static struct place *pick(struct pool_exec *e)
{
	bool lazy = lazy_turn(e);
	enum pool_class class = lazy ? POOL_LAZY : normal_turn(e) ? POOL_NORMAL : POOL_URGENT;
	struct place *p = e->free;

	if (!p || e->stats.in_flight == e->max || !e->stats.queued[class])
		return NULL;
	e->free = p->next;
	p->class = class;
	p->work = dequeue(e, class);
	e->last_lazy = lazy;
	if (!lazy)
		e->row = class == POOL_URGENT && e->stats.queued[POOL_NORMAL] ? e->row + 1 : 0;
	e->lazy += lazy;
	e->stats.started++;
	e->stats.in_flight++;
	if (e->stats.in_flight > e->stats.most_in_flight)
		e->stats.most_in_flight = e->stats.in_flight;
	return p;
}

static void put_back(struct pool_exec *e, struct place *p, int err)
{
	e->stats.failed += err != 0;
	e->stats.in_flight--;
	e->lazy -= p->class == POOL_LAZY;
	p->next = e->free;
	e->free = p;
}

/* -- running ----------------------------------------------------------------------------------------------- */

static void start(struct pool_exec *e, struct place *p)
{
	struct pool_work *w = p->work;
	int err;

	obj_undo_begin(); /* not the failure of whoever happens to run this */
	err = w->start(w, &p->task);
	obj_undo_end();
	if (!err)
		return; /* w may be gone */
	w->done(w, err);
	pthread_mutex_lock(&e->lock);
	put_back(e, p, err);
	pthread_mutex_unlock(&e->lock);
}

/* Start what can be started. Enters with the lock, leaves without: e may be gone then. */
static void pump(struct pool_exec *e)
{
	struct pool_exec *outer = pumping;
	struct place *p;

	if (outer == e) { /* the loop that called us goes on */
		pthread_mutex_unlock(&e->lock);
		return;
	}
	pumping = e;
	e->pumps++;
	while ((p = pick(e))) {
		pthread_mutex_unlock(&e->lock);
		start(e, p);
		pthread_mutex_lock(&e->lock);
	}
	e->pumps--;
	pumping = outer;
	pthread_mutex_unlock(&e->lock);
}

static void job_done(struct obj_job *job)
{
	struct place *p = job->ctx;
	struct pool_exec *e = p->exec;
	int err = job->err;

	p->work->done(p->work, err);
	pthread_mutex_lock(&e->lock);
	put_back(e, p, err);
	pump(e);
}

void pool_exec_submit(struct pool_exec *e, struct pool_work *w, enum pool_class class)
{
	pthread_mutex_lock(&e->lock);
	enqueue(e, w, class);
	pump(e);
}

void pool_exec_turn(struct pool_exec *e, int timeout_ms)
{
	const struct prov_ops *ops = e->dev->ops;

	if (ops->progress(e->dev->prov) == 0 && timeout_ms) {
		ops->wait(e->dev->prov, timeout_ms);
		ops->progress(e->dev->prov);
	}
}

static bool idle(struct pool_exec *e)
{
	bool is;

	pthread_mutex_lock(&e->lock);
	is = !e->stats.in_flight && !e->pumps;
	for (int class = 0; class < POOL_NCLASSES; class ++)
		is = is && !e->stats.queued[class];
	pthread_mutex_unlock(&e->lock);
	return is;
}

void pool_exec_drain(struct pool_exec *e)
{
	while (!idle(e))
		pool_exec_turn(e, TURN_MS);
}

/* -- the thread -------------------------------------------------------------------------------------------- */

/* Until the device has work or the end has come. */
static void sleep_on(struct pool_exec *e, int fd)
{
	struct pollfd p[2] = {{.fd = e->event, .events = POLLIN}, {.fd = fd, .events = POLLIN}};

	if (fd >= 0)
		poll(p, 2, -1);
	else
		e->dev->ops->wait(e->dev->prov, TURN_MS);
}

static void *run_thread(void *arg)
{
	struct pool_exec *e = arg;
	int fd = e->dev->ops->fd(e->dev->prov), n;
	struct pollfd end = {.fd = e->event, .events = POLLIN};

	while (!atomic_load(&e->stop)) {
		n = e->dev->ops->progress(e->dev->prov);
		if (n < 0)
			poll(&end, 1, DEAD_MS);
		else if (n == 0)
			sleep_on(e, fd);
	}
	return NULL;
}

static int start_thread(struct pool_exec *e)
{
	int err;

	e->event = eventfd(0, EFD_CLOEXEC);
	if (e->event < 0)
		return obj_error(-errno, "no descriptor for the thread of the executor: %s",
				 strerror(errno));
	err = pthread_create(&e->thread, NULL, run_thread, e);
	if (err)
		return obj_error(-err, "no thread for the executor: %s", strerror(err));
	e->has_thread = true;
	return 0;
}

static void stop_thread(struct pool_exec *e)
{
	uint64_t one = 1;

	atomic_store(&e->stop, true);
	if (e->has_thread) {
		while (write(e->event, &one, sizeof(one)) < 0 && errno == EINTR)
			;
		pthread_join(e->thread, NULL);
	}
	if (e->event >= 0)
		close(e->event);
}

/* -- life -------------------------------------------------------------------------------------------------- */

int pool_exec_create(struct mlxo_device *dev, const struct pool_exec_opts *opts,
		     struct pool_exec **exec)
{
	struct pool_exec *e;
	int err;

	*exec = NULL;
	if (opts->max > POOL_EXEC_MAX)
		return obj_error(-EINVAL, "%u commands in flight: allowed is 1..%d, 0 for %d",
				 opts->max, POOL_EXEC_MAX, POOL_EXEC_MAX);
	e = mlxo_calloc(1, sizeof(*e));
	if (!e)
		return obj_error_nomem("the executor of background commands");
	e->dev = dev;
	e->max = opts->max ? opts->max : POOL_EXEC_MAX;
	e->event = -1;
	pthread_mutex_init(&e->lock, NULL);
	for (int class = 0; class < POOL_NCLASSES; class ++)
		e->queue[class].tail = &e->queue[class].head;
	for (unsigned int i = 0; i < POOL_EXEC_MAX; i++) {
		struct place *p = &e->place[i];

		p->exec = e;
		p->task.job.done = job_done;
		p->task.job.ctx = p;
		p->next = e->free;
		e->free = p;
	}
	err = opts->thread ? start_thread(e) : 0;
	if (err)
		pool_exec_destroy(e);
	else
		*exec = e;
	return err;
}

void pool_exec_destroy(struct pool_exec *e)
{
	if (!e)
		return;
	stop_thread(e);
	pthread_mutex_destroy(&e->lock);
	mlxo_free(e);
}

void pool_exec_stats(struct pool_exec *e, struct pool_exec_stats *stats)
{
	pthread_mutex_lock(&e->lock);
	*stats = e->stats;
	pthread_mutex_unlock(&e->lock);
}

struct mlxo_device *pool_exec_device(struct pool_exec *e)
{
	return e->dev;
}
