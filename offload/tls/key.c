// SPDX-License-Identifier: BSD-2-Clause
/*
 * One key of a connection, here and on the device.
 *
 *	HOST ── load ──▶ LOADING ── ok ──▶ LOADED ── nobody needs it ──▶ ENDING ── queue is done ──▶ HOST
 *	  ▲                 └─ failed ─┐      └───────── queue is done already ────────────────────────┘
 *	  └────────────────────────────┘
 *
 * Needed on the device: while its connection is in hardware with it, and while a hardware record under it may be sent
 * again. The secret stays for software until the connection has another key and its last record is acknowledged.
 * The end of a load comes from any thread as a node on the queue.
 */
#include "offload/tls/engine.h"
#include "objects/alloc.h"
#include "objects/error.h"

#include <errno.h>

static struct tls_key *of_lease(struct pool_dek_lease *l)
{
	return (struct tls_key *)((char *)l - offsetof(struct tls_key, lease));
}

static struct tls_key *of_node(struct tls_node *n)
{
	return (struct tls_key *)((char *)n - offsetof(struct tls_key, node));
}

static void arrived(struct tls_node *n);

/* Any thread. */
static void load_ended(struct pool_dek_lease *l, int err)
{
	struct tls_key *k = of_lease(l);

	k->err = err;
	k->node.run = arrived;
	tls_arrive(k->q, &k->node);
}

static void arrived(struct tls_node *n)
{
	struct tls_key *k = of_node(n);
	struct mlxo_tls_engine *e = k->q->engine;

	atomic_fetch_sub_explicit(&e->loading, 1, memory_order_relaxed);
	/* loaded before a reset: nothing is there any more */
	if (!k->err && k->epoch != atomic_load(&e->epoch)) {
		pool_dek_lease_end(&k->lease, k->q->dek);
		k->err = -EIO;
	}
	k->state = k->err ? TLS_KEY_HOST : TLS_KEY_LOADED;
	if (k->err == -EIO)
		atomic_store(&e->dead, true);
	if (k->err)
		tls_add(k->q, TLS_N_KEY_FAILED, 1);
	if (k->tls)
		tls_key_arrived(k->tls, k); /* k may be gone */
	else
		tls_key_settle(k);
}

struct tls_key *tls_key_create(struct mlxo_tls_queue *q, struct mlxo_secret *secret, size_t len)
{
	struct tls_key *k = mlxo_calloc(1, sizeof(*k));

	if (!k) {
		obj_error_nomem("a key of a connection");
		return NULL;
	}
	k->q = q;
	k->secret = mlxo_secret_ref(secret);
	k->len = (uint8_t)len;
	k->serial = ++q->last_serial;
	k->lease.done = load_ended;
	return k;
}

const uint8_t *tls_key_iv(const struct tls_key *k)
{
	return mlxo_secret_bytes(k->secret) + k->len;
}

int tls_key_load(struct tls_key *k, bool wait)
{
	struct mlxo_tls_engine *e = k->q->engine;
	int err;

	if (k->state == TLS_KEY_ENDING)
		return obj_error(-EAGAIN, "the connection's key is being given back: poll");
	if (k->state != TLS_KEY_HOST)
		return 0;
	k->state = TLS_KEY_LOADING;
	k->epoch = atomic_load(&e->epoch);
	atomic_fetch_add_explicit(&e->loading, 1, memory_order_relaxed);
	atomic_fetch_add(&k->q->expected, 1);
	err = pool_dek_lease_start(&k->lease, e->dek, k->q->dek, mlxo_secret_bytes(k->secret),
				   k->len, wait);
	if (!err) {
		tls_add(k->q, TLS_N_KEY_LOADS, 1);
		return 0;
	}
	atomic_fetch_sub(&k->q->expected, 1);
	atomic_fetch_sub_explicit(&e->loading, 1, memory_order_relaxed);
	k->state = TLS_KEY_HOST;
	return err == -EAGAIN ? obj_error(err, "no clean key slot is at hand: some are being made")
			      : err;
}

/* Is it to be on the device? */
static bool is_needed(const struct tls_key *k)
{
	return k->unacked || (k->tls && k->tls->state != MLXO_TLS_SOFTWARE);
}

/* Nobody waits for it any more: out of the line for a slot, if it stands there. */
static void cancel(struct tls_key *k)
{
	struct mlxo_tls_engine *e = k->q->engine;

	if (!pool_dek_lease_cancel(&k->lease, e->dek))
		return; /* it arrives */
	atomic_fetch_sub(&k->q->expected, 1);
	atomic_fetch_sub_explicit(&e->loading, 1, memory_order_relaxed);
	k->state = TLS_KEY_HOST;
}

void tls_key_settle(struct tls_key *k)
{
	if (k->state == TLS_KEY_LOADING && !is_needed(k))
		cancel(k);
	if (k->state == TLS_KEY_LOADED && !is_needed(k)) {
		if (!queue_sq_is_done(&k->q->sq, k->stamp)) {
			k->state = TLS_KEY_ENDING;
			tls_pend_key(k->q, k);
			return;
		}
		pool_dek_lease_end(&k->lease, k->q->dek);
		k->state = TLS_KEY_HOST;
	}
	if (k->state == TLS_KEY_HOST && !k->tls && !k->unacked) {
		mlxo_secret_destroy(k->secret);
		mlxo_free(k);
	}
}

void tls_key_void(struct tls_key *k)
{
	if (k->state != TLS_KEY_LOADED && k->state != TLS_KEY_ENDING)
		return;
	pool_dek_lease_end(&k->lease, k->q->dek);
	k->state = TLS_KEY_HOST;
}
