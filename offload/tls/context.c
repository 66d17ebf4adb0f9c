// SPDX-License-Identifier: BSD-2-Clause
/*
 * A connection.
 *
 *	SOFTWARE ── admitted ──▶ LOADING ── key and context there ──▶ HARDWARE
 *	    ▲  ▲ admission always: PENDING, nothing can be written ───────┘ │
 *	    │  └──────────── failed, reset ─────────────────────────────────┤
 *	    └──────────── losses, new key, on request ──────────────────────┘
 *
 * The state says who encrypts the next record. Records that were written stay what they are: hardware ones can be sent again
 * as long as they are not acknowledged, so the context goes back to its pool when the last of them is, and the key likewise.
 * A closed connection lives on, without a name, until the queue is done with its last WQE.
 */
#include "offload/tls/engine.h"
#include "objects/alloc.h"
#include "objects/error.h"

#include <errno.h>
#include <string.h>

static struct mlxo_tls *of_node(struct tls_node *n)
{
	return (struct mlxo_tls *)((char *)n - offsetof(struct mlxo_tls, node));
}

/* -- states -------------------------------------------------------------------------------------------------- */

static void count_state(const struct mlxo_tls *tls, unsigned int by)
{
	struct mlxo_tls_queue *q = tls->q;

	atomic_fetch_add_explicit(&q->by_state[tls->state], by, memory_order_relaxed);
	atomic_fetch_add_explicit(&q->by_reason[tls->reason], by, memory_order_relaxed);
}

void tls_set_state(struct mlxo_tls *tls, enum mlxo_tls_state state, enum mlxo_tls_reason reason)
{
	count_state(tls, -1u);
	tls->state = (uint8_t)state;
	tls->reason = (uint8_t)reason;
	count_state(tls, 1);
}

/* Key and context are there? Then it is in hardware. The event may close it. */
static void check_ready(struct mlxo_tls *tls)
{
	bool pending = tls->state == MLXO_TLS_PENDING;

	if (!tls->tis || !tls_key_is_on_device(tls->key) ||
	    (!pending && tls->state != MLXO_TLS_LOADING))
		return;
	tls_set_state(tls, MLXO_TLS_HARDWARE, MLXO_TLS_REASON_ADMITTED);
	tls_add(tls->q, TLS_N_TX_DEVICE, 1);
	tls->window_new = tls->window_again = 0;
	tls_emit(tls, pending ? MLXO_TLS_EVENT_READY : MLXO_TLS_EVENT_HARDWARE);
}

static enum mlxo_tls_reason reason_of(int err, enum mlxo_tls_reason otherwise)
{
	return err == -EIO ? MLXO_TLS_REASON_RESET : otherwise;
}

/* Out of the line for a context, if it stands there. */
static void stop_expecting(struct mlxo_tls *tls)
{
	struct mlxo_tls_queue *q = tls->q;

	if (!tls->expecting || !pool_cancel(pool_tis_base(q->engine->tis), &tls->waiter))
		return; /* it arrives */
	tls->expecting = false;
	atomic_fetch_sub(&q->expected, 1);
}

/* What was asked for is not to be had. As everywhere the event comes last: its receiver may close the connection. */
static void not_admitted(struct mlxo_tls *tls, enum mlxo_tls_reason reason)
{
	bool pending = tls->state == MLXO_TLS_PENDING;

	if (!pending && tls->state != MLXO_TLS_LOADING)
		return;
	tls_set_state(tls, MLXO_TLS_SOFTWARE, reason);
	tls_admission_later(tls);
	stop_expecting(tls);
	tls_key_settle(tls->key); /* it may be there, and the context is not */
	tls_context_settle(tls);
	if (pending)
		tls_emit(tls, MLXO_TLS_EVENT_FAILED);
}

void tls_key_arrived(struct mlxo_tls *tls, struct tls_key *k)
{
	if (k->err) {
		not_admitted(tls, reason_of(k->err, MLXO_TLS_REASON_REFUSED));
	} else {
		tls_key_settle(k); /* it came too late: nobody waits for it any more */
		check_ready(tls);
	}
}

static void put_context(struct mlxo_tls *tls)
{
	pool_put(tls->q->tis, tls->tis);
	tls->tis = NULL;
	tls->programmed_key = 0;
	tls->armed = false;
	atomic_fetch_sub_explicit(&tls->q->engine->hardware, 1, memory_order_relaxed);
}

/* It stood in line for it: now the key. */
static void context_is_there(struct mlxo_tls *tls)
{
	int err = 0;

	tls_context_settle(tls); /* it came too late: nobody wants it any more */
	if (tls->state == MLXO_TLS_PENDING || tls->state == MLXO_TLS_LOADING)
		err = tls_key_load(tls->key, /* wait */ true);
	if (err)
		not_admitted(tls,
			     err == -EAGAIN ? MLXO_TLS_REASON_NO_KEY : MLXO_TLS_REASON_REFUSED);
	else
		check_ready(tls);
}

void tls_context_arrived(struct tls_node *n)
{
	struct mlxo_tls *tls = of_node(n);

	tls->expecting = false;
	tls->tis = tls->arriving;
	if (tls->tis)
		atomic_fetch_add_explicit(&tls->q->engine->hardware, 1, memory_order_relaxed);
	if (tls->closed)
		tls_context_done(tls);
	else if (!tls->tis)
		not_admitted(tls, reason_of(tls->arriving_err, MLXO_TLS_REASON_POOL_EMPTY));
	else
		context_is_there(tls);
}

void tls_to_software(struct mlxo_tls *tls, enum mlxo_tls_reason reason)
{
	bool was = tls->state == MLXO_TLS_HARDWARE;

	tls_set_state(tls, MLXO_TLS_SOFTWARE, reason);
	tls->since = 0;
	if (reason == MLXO_TLS_REASON_RETRANSMITS)
		tls_admission_lossy(tls);
	else if (reason == MLXO_TLS_REASON_RESET)
		tls_admission_later(tls);
	tls_key_settle(tls->key);
	tls_context_settle(tls);
	if (was) {
		tls_add(tls->q, TLS_N_TO_SOFTWARE, 1);
		tls_emit(tls, MLXO_TLS_EVENT_SOFTWARE);
	}
}

/* -- giving back ------------------------------------------------------------------------------------------------ */

void tls_context_settle(struct mlxo_tls *tls)
{
	if (!tls->tis || tls->hw_unacked || tls->state != MLXO_TLS_SOFTWARE)
		return;
#ifndef MLXO_BITE_SKIP_WAIT
	if (!queue_sq_is_done(&tls->q->sq, tls->stamp)) {
		tls_pend_context(tls->q, tls);
		return;
	}
#endif
	put_context(tls);
}

void tls_context_done(struct mlxo_tls *tls)
{
	if (!tls->closed) {
		tls_context_settle(tls);
		return;
	}
	if (tls->expecting)
		return;
	if (tls->tis)
		put_context(tls);
	mlxo_free(tls);
}

/* Take a record off the front. */
static void drop_head(struct mlxo_tls *tls)
{
	struct tls_record *r = tls->head;
	struct tls_key *k = r->key;

	tls->head = r->next;
	if (!tls->head)
		tls->tail = NULL;
	if (tls->hint == r)
		tls->hint = NULL;
	if (r->hw) {
		r->key = NULL;
		k->unacked--;
		tls->hw_unacked--;
		tls_key_settle(k);
	}
	tls_record_release(tls->q, r);
}

void tls_context_void(struct mlxo_tls *tls)
{
	for (struct tls_record *r = tls->head; r; r = r->next)
		if (r->hw)
			tls_key_void(r->key);
	tls_key_void(tls->key);
	if (tls->tis)
		put_context(tls);
	if (tls->state == MLXO_TLS_HARDWARE)
		tls_to_software(tls, MLXO_TLS_REASON_RESET);
}

/* -- open, close -------------------------------------------------------------------------------------------------- */

static uint64_t get64(const uint8_t *b)
{
	uint64_t v = 0;

	for (int i = 0; i < 8; i++)
		v = v << 8 | b[i];
	return v;
}

static void link_in(struct mlxo_tls_queue *q, struct mlxo_tls *tls)
{
	tls->next = q->conns;
	tls->prev = &q->conns;
	if (q->conns)
		q->conns->prev = &tls->next;
	q->conns = tls;
}

static struct mlxo_tls *context_new(struct mlxo_tls_queue *q, const struct mlxo_tls_params *p)
{
	struct mlxo_tls *tls = mlxo_calloc(1, sizeof(*tls));

	if (!tls)
		return obj_error_null(-ENOMEM, "out of memory for a connection");
	tls->key = tls_key_create(q, p->key, p->cipher == MLXO_TLS_AES_GCM_256 ? 32 : 16);
	if (!tls->key) {
		mlxo_free(tls);
		return NULL;
	}
	tls->key->tls = tls;
	tls->q = q;
	tls->user = p->user;
	tls->version = p->version == MLXO_TLS_1_3;
	tls->rec_no = p->rec_seq;
	tls->nonce = get64(tls_key_iv(tls->key) + 4);
	tls->una = tls->nxt = tls->sent = p->tcp_seq;
	tls->state = MLXO_TLS_SOFTWARE;
	tls->reason = MLXO_TLS_REASON_THRESHOLD;
	count_state(tls, 1);
	link_in(q, tls);
	tls_admission_init(tls, p);
	tls_add(q, TLS_N_TX_SW, 1);
	return tls;
}

/* What it waits for comes only when another connection is closed, perhaps by this very thread. */
static bool is_stuck(struct mlxo_tls *tls)
{
	struct mlxo_tls_engine *e = tls->q->engine;

	return (tls->expecting && pool_tis_is_stuck(e->tis, &tls->waiter)) ||
	       (tls->key->state == TLS_KEY_LOADING &&
		pool_dek_lease_is_stuck(&tls->key->lease, e->dek));
}

/* Admission always: now, or the connection is not opened. */
static int open_in_hardware(struct mlxo_tls *tls, bool nowait)
{
	int err = tls_admission_start(tls, /* wait */ true);

	if (err || nowait)
		return err;
	tls->opening = true; /* nobody knows it yet: no events */
	for (mlxo_tls_queue_poll(tls->q); tls->state == MLXO_TLS_PENDING;
	     mlxo_tls_queue_poll(tls->q)) {
		if (is_stuck(tls))
			return obj_error(-EAGAIN, "all TLS contexts or key slots are in use");
		pool_exec_turn(tls->q->engine->exec, 1);
	}
	tls->opening = false;
	if (tls->state != MLXO_TLS_HARDWARE)
		return obj_error(-EAGAIN, "no TLS context or key could be had: %s",
				 mlxo_tls_reason_text((enum mlxo_tls_reason)tls->reason));
	return 0;
}

int mlxo_tls_open(struct mlxo_tls_queue *q, const struct mlxo_tls_params *params,
		  struct mlxo_tls **out)
{
	struct mlxo_tls_params p;
	struct mlxo_tls *tls;
	int err;

	if (*out)
		return obj_error(-EEXIST, "the connection has a TLS context already");
	err = tls_read_opts("TLS parameters", params, params ? params->size : 0, &p, sizeof(p));
	if (!err)
		err = tls_check_params(q->engine, &p);
	if (err)
		return err;
	tls = context_new(q, &p);
	if (!tls)
		return -ENOMEM;
	if (!tls->admit && tls->admission == MLXO_TLS_ADMIT_ALWAYS)
		err = open_in_hardware(tls, p.flags & MLXO_TLS_NOWAIT);
	else if (!tls->admit && tls_admission_start(tls, /* wait */ false))
		tls->admit = 1; /* with the first record, then */
	if (err) {
		mlxo_tls_close(tls);
		return err;
	}
	*out = tls;
	return 0;
}

void mlxo_tls_close(struct mlxo_tls *tls)
{
	if (!tls)
		return;
	count_state(tls, -1u);
	tls->state = MLXO_TLS_SOFTWARE;
	tls->closed = true;
	stop_expecting(tls);
	*tls->prev = tls->next;
	if (tls->next)
		tls->next->prev = tls->prev;
	while (tls->head)
		drop_head(tls);
	tls->key->tls = NULL;
	tls_key_settle(tls->key);
	if (tls->in_pending)
		return;
#ifndef MLXO_BITE_SKIP_WAIT
	if (tls->tis && !queue_sq_is_done(&tls->q->sq, tls->stamp)) {
		tls_pend_context(tls->q, tls);
		return;
	}
#endif
	tls_context_done(tls);
}

void *mlxo_tls_user(const struct mlxo_tls *tls)
{
	return tls->user;
}

/* -- records -------------------------------------------------------------------------------------------------------- */

static int check_write(const struct mlxo_tls *tls, const struct tls_write *w)
{
	if (tls->state == MLXO_TLS_PENDING)
		return obj_error(-EAGAIN, "the connection waits for its key");
	if (w->type < 20 || w->type > 23)
		return obj_error(-EINVAL, "content type %u: 20..23 are possible", w->type);
	if (w->iovcnt < 0 || (w->iovcnt && !w->iov))
		return obj_error(-EINVAL, "%d pieces of plaintext", w->iovcnt);
	if (w->plain > MLXO_TLS_RECORD_MAX)
		return obj_error(-EMSGSIZE, "record of more than %d bytes of plaintext",
				 MLXO_TLS_RECORD_MAX);
	if (tls_seq_diff(tls->nxt, tls->una) > INT32_MAX - 2 * MLXO_TLS_RECORD_MAX)
		return obj_error(-EAGAIN, "2 GB are not acknowledged");
	return 0;
}

/* AES-GCM under one key: RFC 8446 5.5. And a record number must never come again. */
static int check_limit(struct mlxo_tls *tls)
{
	uint64_t limit = tls->q->engine->opts.record_limit;

	if (tls->key->records < limit && tls->rec_no != UINT64_MAX)
		return 0;
	tls_add(tls->q, TLS_N_LIMITED, 1);
	return obj_error(-EKEYEXPIRED, "the key has protected %llu records, as many as it may",
			 (unsigned long long)tls->key->records);
}

static void append(struct mlxo_tls *tls, struct tls_record *r)
{
	if (tls->tail)
		tls->tail->next = r;
	else
		tls->head = r;
	tls->tail = r;
	if (!tls->hint)
		tls->hint = r;
	tls->nxt += r->len;
	tls->rec_no++;
	tls->nonce++;
	tls->key->records++;
	if (tls->state == MLXO_TLS_SOFTWARE && !tls->pinned)
		tls->since += r->plain;
	if (r->hw) {
		tls->hw_unacked++;
		r->key->unacked++;
		tls->hw_records++;
		tls->hw_bytes += r->plain;
	} else {
		tls->sw_records++;
		tls->sw_bytes += r->plain;
	}
	tls_add(tls->q, r->hw ? TLS_N_HW_RECORDS : TLS_N_SW_RECORDS, 1);
	tls_add(tls->q, r->hw ? TLS_N_HW_BYTES : TLS_N_SW_BYTES, r->plain);
}

static uint32_t total(const struct iovec *iov, int n)
{
	size_t len = 0;

	for (int i = 0; i < n && iov; i++)
		if (iov[i].iov_len > MLXO_TLS_RECORD_MAX ||
		    (len += iov[i].iov_len) > MLXO_TLS_RECORD_MAX)
			return MLXO_TLS_RECORD_MAX + 1;
	return (uint32_t)len;
}

int mlxo_tls_write(struct mlxo_tls *tls, uint8_t type, const struct iovec *iov, int iovcnt,
		   void *cookie, struct mlxo_tls_written *written)
{
	struct tls_write w = {type, iov, iovcnt, total(iov, iovcnt), cookie};
	struct tls_record *r;
	uint64_t limit = tls->q->engine->opts.record_limit;
	int err = check_write(tls, &w);
	bool soon;

	if (!err)
		err = check_limit(tls);
	if (err)
		return err;
	tls_admission_look(tls, w.plain);
	r = tls_record_create(tls, &w, tls->state == MLXO_TLS_HARDWARE);
	if (!r)
		return -errno;
	append(tls, r);
	if (written)
		*written = (struct mlxo_tls_written){r->seq, r->len, r->held};
	soon = tls->key->records == limit - limit / 10;
	if (soon)
		tls_emit(tls, MLXO_TLS_EVENT_REKEY_SOON);
	else
		check_ready(tls); /* its key was still on the device */
	return 0;
}

int mlxo_tls_ack(struct mlxo_tls *tls, uint32_t una)
{
	if (una == tls->nxt + 1) /* of the FIN */
		una = tls->nxt;
	if (tls_seq_diff(una, tls->nxt) > 0)
		return obj_error(-ERANGE, "acknowledgment of %u: only up to %u was written", una,
				 tls->nxt);
	if (tls_seq_diff(una, tls->una) <= 0)
		return 0;
	tls->una = una;
	if (tls_seq_diff(una, tls->sent) > 0)
		tls->sent = una;
	while (tls->head && tls_seq_diff(tls->head->seq + tls->head->len, una) <= 0)
		drop_head(tls);
	if (!tls->hint)
		tls->hint = tls->head;
	tls_context_settle(tls);
	return 0;
}

/* -- changes ----------------------------------------------------------------------------------------------------------- */

static int refuse_rekey(struct mlxo_tls *tls, int err)
{
	tls_add(tls->q, TLS_N_REKEY_ERROR, 1);
	return err;
}

int mlxo_tls_rekey(struct mlxo_tls *tls, struct mlxo_secret *secret)
{
	struct tls_key *old = tls->key, *k;
	bool again = tls->state == MLXO_TLS_HARDWARE || tls->state == MLXO_TLS_LOADING;

	if (!tls->version)
		return refuse_rekey(tls, obj_error(-EOPNOTSUPP, "TLS 1.2 has no KeyUpdate"));
	if (tls->state == MLXO_TLS_PENDING)
		return refuse_rekey(tls,
				    obj_error(-EAGAIN, "the connection waits for its first key"));
	if (!secret || mlxo_secret_len(secret) != old->len + (size_t)TLS_IV)
		return refuse_rekey(
			tls, obj_error(-EINVAL, "key, salt and iv of %zu bytes: %u are needed",
				       secret ? mlxo_secret_len(secret) : 0, old->len + TLS_IV));
	k = tls_key_create(tls->q, secret, old->len);
	if (!k)
		return refuse_rekey(tls, -ENOMEM);
	tls->key = k;
	k->tls = tls;
	old->tls = NULL;
	tls->rec_no = 0;
	tls_add(tls->q, TLS_N_REKEY_OK, 1);
	if (again) {
		tls_set_state(tls, MLXO_TLS_SOFTWARE, MLXO_TLS_REASON_REKEY);
		/* before anything is given back: the context stays */
		if (tls_admission_start(tls, /* wait */ false))
			tls->admit = tls->since + 1;
	}
	tls_key_settle(old);
	tls_context_settle(tls);
	return 0;
}

static int ask_for_hardware(struct mlxo_tls *tls)
{
	int err = tls->state == MLXO_TLS_SOFTWARE ? tls_admission_start(tls, /* wait */ false) : 0;

	if (!err)
		check_ready(tls); /* its key was still on the device */
	return err;
}

int mlxo_tls_move(struct mlxo_tls *tls, bool hardware)
{
	tls->pinned = !hardware;
	if (hardware)
		return ask_for_hardware(tls);
	if (tls->state == MLXO_TLS_PENDING)
		not_admitted(tls, MLXO_TLS_REASON_ASKED);
	else if (tls->state != MLXO_TLS_SOFTWARE || tls->reason != MLXO_TLS_REASON_ASKED)
		tls_to_software(tls, MLXO_TLS_REASON_ASKED);
	return 0;
}

int mlxo_tls_wait(struct mlxo_tls *tls, int timeout_ms)
{
	struct mlxo_tls_engine *e = tls->q->engine;
	uint64_t until = e->dev->ops->now(e->dev->prov) + (uint64_t)timeout_ms * 1000000u;

	check_ready(tls);
	mlxo_tls_queue_poll(tls->q);
	while (tls->state == MLXO_TLS_LOADING || tls->state == MLXO_TLS_PENDING) {
		if (timeout_ms >= 0 && e->dev->ops->now(e->dev->prov) >= until)
			return obj_error(-ETIMEDOUT, "the key is not loaded after %d ms",
					 timeout_ms);
		pool_exec_turn(e->exec, 1);
		mlxo_tls_queue_poll(tls->q);
	}
	return 0;
}

/* -- looking ------------------------------------------------------------------------------------------------------------ */

#define REASON_TEXT(name, text) text,
static const char *const reasons[] = {MLXO_TLS_REASONS(REASON_TEXT)};
#define STATE_TEXTS(state) \
	{ \
		MLXO_TLS_REASONS(state) \
	}
#define IN_SOFTWARE(name, text) "software: " text,
#define IN_LOADING(name, text) "software: key is being loaded",
#define IN_PENDING(name, text) "waits for its key",
#define IN_HARDWARE(name, text) "hardware",
static const char *const texts[][MLXO_TLS_NREASONS] = {
	[MLXO_TLS_SOFTWARE] = STATE_TEXTS(IN_SOFTWARE),
	[MLXO_TLS_LOADING] = STATE_TEXTS(IN_LOADING),
	[MLXO_TLS_PENDING] = STATE_TEXTS(IN_PENDING),
	[MLXO_TLS_HARDWARE] = STATE_TEXTS(IN_HARDWARE),
};

const char *mlxo_tls_reason_text(enum mlxo_tls_reason reason)
{
	return (unsigned int)reason < MLXO_TLS_NREASONS ? reasons[reason] : "unknown";
}

void mlxo_tls_info(const struct mlxo_tls *tls, struct mlxo_tls_info *info)
{
	*info = (struct mlxo_tls_info){
		.state = (enum mlxo_tls_state)tls->state,
		.reason = (enum mlxo_tls_reason)tls->reason,
		.text = texts[tls->state][tls->reason],
		.hw_records = tls->hw_records,
		.hw_bytes = tls->hw_bytes,
		.sw_records = tls->sw_records,
		.sw_bytes = tls->sw_bytes,
		.retransmitted = tls->retransmitted,
		.resyncs = tls->resyncs,
		.una = tls->una,
		.nxt = tls->nxt,
		.rec_seq = tls->rec_no,
	};
}
