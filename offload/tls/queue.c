// SPDX-License-Identifier: BSD-2-Clause
/*
 * A queue: what happens in its thread.
 *
 *	poll ──▶ completions ──▶ what waited for its stamp: records, keys, contexts
 *	     └─▶ arrived: keys that were loaded, contexts that were made (from other threads)
 *
 * The last work request of a doorbell asks for a completion, so that everything that is rung completes and none but it
 * costs a CQE. A queue that is silent with work in flight is asked for its state after STUCK: a device that was reset says
 * nothing.
 */
#include "offload/tls/plan.h"
#include "objects/alloc.h"
#include "objects/error.h"

#include <errno.h>
#include <string.h>

enum { BLOCKS_MIN = 256, BLOCKS_MAX = 32768, BLOCKS_DEFAULT = 4096 };
enum { BUFFER_MIN = 65536, BUFFER_DEFAULT = 16 << 20, BUFFER_MAX = 1 << 30 };
enum { STUCK_NS = 100000000, TURN_MS = 10, DRAIN_TURNS = 100 };

/* -- from other threads ---------------------------------------------------------------------------------------- */

void tls_arrive(struct mlxo_tls_queue *q, struct tls_node *n)
{
	n->next = atomic_load_explicit(&q->arrived, memory_order_relaxed);
	/* release: the queue's thread sees what was written before */
	while (!atomic_compare_exchange_weak_explicit(&q->arrived, &n->next, n,
						      memory_order_release, memory_order_relaxed))
		;
}

static void run_arrived(struct mlxo_tls_queue *q)
{
	struct tls_node *n, *first = NULL;

	if (!atomic_load_explicit(&q->arrived, memory_order_relaxed))
		return;
	n = atomic_exchange_explicit(&q->arrived, NULL, memory_order_acquire);
	while (n) { /* oldest first */
		struct tls_node *next = n->next;

		n->next = first;
		first = n;
		n = next;
	}
	while ((n = first)) {
		first = n->next;
		atomic_fetch_sub(&q->expected, 1);
		n->run(n); /* may free it */
	}
}

void tls_emit(struct mlxo_tls *tls, enum mlxo_tls_event event)
{
	if (tls->q->opts.event && !tls->closed && !tls->opening)
		tls->q->opts.event(tls->q->opts.ctx, tls, event);
}

/* -- what waits for its stamp ------------------------------------------------------------------------------------ */

void tls_pend_record(struct mlxo_tls_queue *q, struct tls_record *r)
{
	r->next = NULL;
	*q->records_tail = r;
	q->records_tail = &r->next;
}

void tls_pend_key(struct mlxo_tls_queue *q, struct tls_key *k)
{
	k->pending = NULL;
	*q->keys_tail = k;
	q->keys_tail = &k->pending;
}

void tls_pend_context(struct mlxo_tls_queue *q, struct mlxo_tls *tls)
{
	if (tls->in_pending)
		return;
	tls->in_pending = true;
	tls->pending = NULL;
	*q->closing_tail = tls;
	q->closing_tail = &tls->pending;
}

static void run_records(struct mlxo_tls_queue *q)
{
	struct tls_record *r;

	while ((r = q->records) && queue_sq_is_done(&q->sq, r->stamp)) {
		q->records = r->next;
		if (!q->records)
			q->records_tail = &q->records;
		tls_record_free(q, r);
	}
}

static void run_keys(struct mlxo_tls_queue *q)
{
	struct tls_key *k;

	while ((k = q->keys) && queue_sq_is_done(&q->sq, k->stamp)) {
		q->keys = k->pending;
		if (!q->keys)
			q->keys_tail = &q->keys;
		if (k->state == TLS_KEY_ENDING)
			k->state = TLS_KEY_LOADED;
		tls_key_settle(k);
	}
}

static void run_closing(struct mlxo_tls_queue *q)
{
	struct mlxo_tls *tls;

	while ((tls = q->closing) && queue_sq_is_done(&q->sq, tls->stamp)) {
		q->closing = tls->pending;
		if (!q->closing)
			q->closing_tail = &q->closing;
		tls->in_pending = false;
		tls_context_done(tls);
	}
}

static void run_pending(struct mlxo_tls_queue *q)
{
	run_records(q);
	run_keys(q);
	run_closing(q);
}

/* -- poll, flush ----------------------------------------------------------------------------------------------------- */

static bool in_flight(const struct mlxo_tls_queue *q)
{
	return q->sq.rung > q->sq.done;
}

/* Nothing has completed for long: is the queue still there? */
static void look_if_stuck(struct mlxo_tls_queue *q, bool moved)
{
	const struct mlxo_device *dev = q->engine->dev;
	uint64_t now;
	uint8_t state;
	int err;

	if (!in_flight(q) || q->sq.failed) {
		q->moved_at = 0;
		return;
	}
	now = dev->ops->now(dev->prov);
	if (moved || !q->moved_at) {
		q->moved_at = now;
		return;
	}
	if (now - q->moved_at < STUCK_NS)
		return;
	q->moved_at = now;
	obj_undo_begin(); /* nobody asked */
	err = obj_sq_query_state(q->engine->dev, &q->sq.obj, &state);
	obj_undo_end();
	if (err == -EIO)
		atomic_store(&q->engine->dead, true);
	else if (!err && state == PRM_SQC_STATE_ERR)
		q->sq.failed = true;
}

int mlxo_tls_queue_poll(struct mlxo_tls_queue *q)
{
	bool moved;

	if (q->broken) {
		run_arrived(q);
		return obj_error(-EIO, "the queue was lost with the device: recover the engine");
	}
	moved = queue_sq_poll(&q->sq) != 0;
	look_if_stuck(q, moved);
	run_pending(q);
	run_arrived(q);
	if (q->tis) { /* nobody else can reach into these */
		pool_cache_share(q->tis);
		pool_cache_share(q->dek);
	}
	if (atomic_load_explicit(&q->engine->dead, memory_order_relaxed))
		return obj_error(-EIO, "device %s was reset or is dead: recover the engine",
				 mlxo_device_name(q->engine->dev));
	if (q->sq.failed)
		return obj_error(-EIO, "send queue %u is in the error state: recover it",
				 q->sq.obj.obj.id);
	return 0;
}

void mlxo_tls_queue_flush(struct mlxo_tls_queue *q)
{
	queue_sq_signal(&q->sq);
	queue_sq_flush(&q->sq);
}

int mlxo_tls_queue_arm(struct mlxo_tls_queue *q)
{
	if (q->broken)
		return obj_error(-EIO, "the queue was lost with the device: recover the engine");
	if (atomic_load(&q->arrived))
		return 1;
	return in_flight(q) ? queue_cq_arm(&q->sq.cq, q->engine->dev) : 0;
}

int mlxo_tls_queue_recover(struct mlxo_tls_queue *q)
{
	int err;

	if (q->broken)
		return obj_error(-EIO, "the queue was lost with the device: recover the engine");
	err = queue_sq_recover(&q->sq);
	if (err == -EIO)
		atomic_store(&q->engine->dead, true);
	run_pending(q);
	return err;
}

/* -- making one ---------------------------------------------------------------------------------------------------------- */

static int read_queue_opts(const struct mlxo_tls_queue_opts *from, struct mlxo_tls_queue_opts *o)
{
	int err = tls_read_opts("TLS queue options", from, from ? from->size : 0, o, sizeof(*o));

	if (err)
		return err;
	if (!o->sq_blocks)
		o->sq_blocks = BLOCKS_DEFAULT;
	if (!o->buffer_bytes)
		o->buffer_bytes = BUFFER_DEFAULT;
	if (o->sq_blocks < BLOCKS_MIN || o->sq_blocks > BLOCKS_MAX ||
	    (o->sq_blocks & (o->sq_blocks - 1)))
		return obj_error(-EINVAL,
				 "send queue of %u blocks: a power of two from %d to %d is needed",
				 o->sq_blocks, BLOCKS_MIN, BLOCKS_MAX);
	if (o->buffer_bytes < BUFFER_MIN || o->buffer_bytes > BUFFER_MAX)
		return obj_error(-EINVAL, "buffers of %zu bytes: %d..%d are possible",
				 o->buffer_bytes, BUFFER_MIN, BUFFER_MAX);
	return 0;
}

static struct pool_cache *cache_new(struct pool *p, unsigned int magazine)
{
	struct pool_cache *c = mlxo_calloc(1, sizeof(*c));

	if (c)
		pool_cache_init(c, p, magazine);
	return c;
}

static void cache_free(struct pool_cache *c)
{
	if (c)
		pool_cache_fini(c);
	mlxo_free(c);
}

/* Everything but what needs commands. */
static int make_memory(struct mlxo_tls_queue *q)
{
	struct mlxo_tls_engine *e = q->engine;

	for (int i = 0; i < TLS_CIPHERS; i++) {
		q->cipher[i].ctx = EVP_CIPHER_CTX_new();
		if (!q->cipher[i].ctx)
			return obj_error_nomem("a cipher context");
	}
	if (e->tis) {
		q->tis = cache_new(pool_tis_base(e->tis), e->magazine);
		q->dek = cache_new(pool_dek_base(e->dek), e->magazine);
		if (!q->tis || !q->dek)
			return obj_error_nomem("a queue's part of the pools");
	}
	q->plan = tls_plan_create();
	return q->plan ? 0 : -ENOMEM;
}

static void free_memory(struct mlxo_tls_queue *q)
{
	for (int i = 0; i < TLS_CIPHERS; i++)
		EVP_CIPHER_CTX_free(q->cipher[i].ctx);
	cache_free(q->tis);
	cache_free(q->dek);
	tls_plan_destroy(q->plan);
	mlxo_free(q);
}

static void link_queue(struct mlxo_tls_queue *q)
{
	pthread_mutex_lock(&q->engine->lock);
	q->next = q->engine->queues;
	q->engine->queues = q;
	pthread_mutex_unlock(&q->engine->lock);
}

static void unlink_queue(struct mlxo_tls_queue *q)
{
	struct mlxo_tls_engine *e = q->engine;
	struct mlxo_tls_queue **at;

	pthread_mutex_lock(&e->lock);
	for (at = &e->queues; *at && *at != q; at = &(*at)->next)
		;
	if (*at)
		*at = q->next;
	for (int i = 0; i < TLS_NCOUNTERS; i++)
		e->past[i] += atomic_load_explicit(&q->n[i], memory_order_relaxed);
	pthread_mutex_unlock(&e->lock);
}

int mlxo_tls_queue_create(struct mlxo_tls_engine *e, const struct mlxo_tls_queue_opts *opts,
			  struct mlxo_tls_queue **out)
{
	struct mlxo_tls_queue_opts o;
	struct mlxo_tls_queue *q;
	int err = read_queue_opts(opts, &o);

	*out = NULL;
	if (err)
		return err;
	q = mlxo_calloc(1, sizeof(*q));
	if (!q)
		return obj_error_nomem("a TLS queue");
	q->engine = e;
	q->opts = o;
	q->records_tail = &q->records;
	q->keys_tail = &q->keys;
	q->closing_tail = &q->closing;
	err = make_memory(q);
	if (!err)
		err = tls_buffers_init(&q->buffers, e->dev, o.buffer_bytes);
	if (!err)
		err = queue_sq_init(&q->sq, e->dev, (unsigned int)__builtin_ctz(o.sq_blocks));
	if (err) {
		obj_undo_begin();
		queue_sq_fini(&q->sq);
		tls_buffers_fini(&q->buffers, e->dev);
		obj_undo_end();
		free_memory(q);
		return err;
	}
	link_queue(q);
	*out = q;
	return 0;
}

/* -- the end ----------------------------------------------------------------------------------------------------------------- */

/* Give packets that were rung the chance to be sent. */
static void drain_sq(struct mlxo_tls_queue *q)
{
	for (int i = 0; i < DRAIN_TURNS && in_flight(q) && !q->sq.failed && !q->broken &&
			!atomic_load(&q->engine->dead);
	     i++) {
		queue_sq_poll(&q->sq);
		if (in_flight(q))
			pool_exec_turn(q->engine->exec, TURN_MS);
	}
}

/* The device reads nothing of this queue any more. */
static void all_is_done(struct mlxo_tls_queue *q)
{
	q->sq.done = q->sq.rung = q->sq.posted;
	run_pending(q);
}

static void await_arrivals(struct mlxo_tls_queue *q)
{
	run_arrived(q);
	while (atomic_load(&q->expected)) {
		pool_exec_turn(q->engine->exec, TURN_MS);
		run_arrived(q);
	}
	run_pending(q);
}

void mlxo_tls_queue_destroy(struct mlxo_tls_queue *q)
{
	struct mlxo_device *dev;

	if (!q)
		return;
	dev = q->engine->dev;
	if (!q->broken)
		mlxo_tls_queue_flush(q);
	while (q->conns)
		mlxo_tls_close(q->conns);
	drain_sq(q);
	obj_undo_begin(); /* nobody can be told but the log */
	queue_sq_fini(&q->sq);
	all_is_done(q);
	await_arrivals(q);
	unlink_queue(q); /* stats() of other threads look at nothing that ends below */
	tls_buffers_fini(&q->buffers, dev);
	obj_undo_end();
	free_memory(q);
}

/* -- after a reset ------------------------------------------------------------------------------------------------------------- */

void tls_queue_void(struct mlxo_tls_queue *q)
{
	if (!q->broken) {
		obj_undo_begin();
		queue_sq_fini(&q->sq);
		obj_undo_end();
	}
	q->broken = true;
	all_is_done(q);
	for (struct mlxo_tls *tls = q->conns, *next; tls; tls = next) {
		next = tls->next; /* tls may be gone */
		tls_context_void(tls);
	}
	await_arrivals(q);
	all_is_done(q);
	if (q->tis) {
		pool_cache_flush(q->tis);
		pool_cache_flush(q->dek);
	}
	tls_buffers_drop(&q->buffers, q->engine->dev);
}

int tls_queue_renew(struct mlxo_tls_queue *q)
{
	/* stamps only grow, and the device counts blocks from 0 */
	uint64_t posted = (q->sq.posted + UINT16_MAX) & ~(uint64_t)UINT16_MAX;
	unsigned int epoch = q->sq.epoch + 1;
	struct queue_sq sq;
	int err = tls_buffers_renew(&q->buffers, q->engine->dev);

	if (!err)
		err = queue_sq_init(&sq, q->engine->dev,
				    (unsigned int)__builtin_ctz(q->opts.sq_blocks));
	else
		return err;
	if (err) {
		obj_undo_begin();
		queue_sq_fini(&sq);
		obj_undo_end();
		return err;
	}
	sq.errors = q->sq.errors;
	sq.doorbells = q->sq.doorbells;
	q->sq = sq;
	q->sq.posted = q->sq.done = q->sq.rung = posted;
	q->sq.epoch = epoch;
	for (struct mlxo_tls *tls = q->conns; tls; tls = tls->next)
		for (struct tls_record *r = tls->head; r; r = r->next)
			tls_record_renew(q, r);
	q->broken = false;
	q->moved_at = 0;
	return 0;
}
