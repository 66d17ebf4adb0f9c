// SPDX-License-Identifier: BSD-2-Clause
/*
 * Which connections are worth a key on the device, and when.
 *
 * A key costs one firmware command (about 10 us on ConnectX-6 Dx, one after another), which is what software needs for 30 to
 * 50 KB. While firmware is idle that command costs nobody anything, so a few KB are enough; the more keys are on their way,
 * the more bytes a connection must have sent: the threshold doubles with every PRESSURE of them. Short connections never
 * cost a command, and the firmware's queue stays short.
 *
 * What failed is tried again after RETRY bytes more, not with the next record. A connection that lost too much is tried again
 * after LOSSES bytes, and after twice as many each time: or it would go back and forth, with most of its records in hardware.
 */
#include "offload/tls/engine.h"
#include "objects/error.h"

#include <errno.h>

enum { PRESSURE = 16, MOST_DOUBLINGS = 8, DECLARED_LONG = 4, DECLARED_SHORT = 2 };
enum { RETRY = 65536, LOSSES = 1 << 20, LOSSES_MOST = 10 };

static bool can(const struct mlxo_tls *tls)
{
	const struct mlxo_tls_engine *e = tls->q->engine;

	return e->tis && e->can[tls->version][tls->key->len == 32];
}

static void set_reason(struct mlxo_tls *tls, enum mlxo_tls_reason reason)
{
	tls_set_state(tls, (enum mlxo_tls_state)tls->state, reason);
}

void tls_admission_init(struct mlxo_tls *tls, const struct mlxo_tls_params *p)
{
	const struct mlxo_tls_engine_opts *o = &tls->q->engine->opts;
	uint64_t expected = p->expected_bytes;

	tls->admission = (uint8_t)(p->admission ? p->admission : o->admission);
	switch (tls->admission) {
	case MLXO_TLS_ADMIT_BYTES:
		tls->admit = p->admit_bytes ? p->admit_bytes : o->admit_bytes;
		break;
	case MLXO_TLS_ADMIT_ADAPTIVE:
		if (expected && expected < (uint64_t)DECLARED_SHORT * o->adaptive_bytes)
			tls->admit = UINT64_MAX;
		else if (expected < (uint64_t)DECLARED_LONG * o->adaptive_bytes)
			tls->admit = o->adaptive_bytes;
		break;
	case MLXO_TLS_ADMIT_NEVER: tls->admit = UINT64_MAX; break;
	default: break;
	}
	if (!can(tls)) {
		tls->admit = UINT64_MAX;
		set_reason(tls, MLXO_TLS_REASON_UNSUPPORTED);
	} else if (tls->admission == MLXO_TLS_ADMIT_NEVER) {
		set_reason(tls, MLXO_TLS_REASON_NEVER);
	}
}

static uint64_t threshold(const struct mlxo_tls *tls)
{
	const struct mlxo_tls_engine *e = tls->q->engine;
	unsigned int busy = atomic_load_explicit(&e->loading, memory_order_relaxed) / PRESSURE;

	if (tls->admission != MLXO_TLS_ADMIT_ADAPTIVE || !tls->admit || tls->admit == UINT64_MAX)
		return tls->admit;
	return tls->admit << (busy < MOST_DOUBLINGS ? busy : MOST_DOUBLINGS);
}

void tls_admission_look(struct mlxo_tls *tls, uint32_t n)
{
	if (tls->state != MLXO_TLS_SOFTWARE || tls->pinned)
		return;
	/* the record itself counts when it is written: it may be refused and tried again */
	if (tls->since + n > threshold(tls) && tls_admission_start(tls, /* wait */ false))
		tls_admission_later(tls);
}

static void not_before(struct mlxo_tls *tls, uint32_t bytes)
{
	if (tls->admit != UINT64_MAX)
		tls->admit = tls->since + bytes;
}

void tls_admission_later(struct mlxo_tls *tls)
{
	not_before(tls, RETRY);
}

void tls_admission_lossy(struct mlxo_tls *tls)
{
	not_before(tls, (uint32_t)LOSSES << tls->losses);
	if (tls->losses < LOSSES_MOST)
		tls->losses++;
}

static void context_ready(struct pool_waiter *w, void *item, int err)
{
	struct mlxo_tls *tls = (struct mlxo_tls *)((char *)w - offsetof(struct mlxo_tls, waiter));

	tls->arriving = item;
	tls->arriving_err = (int16_t)err;
	tls->node.run = tls_context_arrived; /* w is done with */
	tls_arrive(tls->q, &tls->node);
}

/* Have a context, or stand in line for one. Without recycling none is there before somebody stands in line. */
static int take_context(struct mlxo_tls *tls, bool wait)
{
	struct mlxo_tls_queue *q = tls->q;

	wait |= q->engine->opts.recycle == MLXO_TLS_RECYCLE_NONE;
	if (tls->tis || tls->expecting)
		return 0;
	if (wait) {
		tls->waiter.ready = context_ready;
		tls->expecting = true;
		atomic_fetch_add(&q->expected, 1);
		tls->tis = pool_get_or_wait(q->tis, &tls->waiter);
		if (!tls->tis)
			return 0;
		tls->expecting = false;
		atomic_fetch_sub(&q->expected, 1);
	} else {
		tls->tis = pool_get(q->tis);
	}
	if (!tls->tis) {
		tls_add(q, TLS_N_POOL_EMPTY, 1);
		set_reason(tls, MLXO_TLS_REASON_POOL_EMPTY);
		return obj_error(-EAGAIN, "no TLS context is at hand: more are being made");
	}
	tls->programmed_key = 0;
	tls->armed = false;
	atomic_fetch_add_explicit(&q->engine->hardware, 1, memory_order_relaxed);
	return 0;
}

static int check_limits(struct mlxo_tls *tls)
{
	struct mlxo_tls_engine *e = tls->q->engine;

	if (!can(tls)) {
		set_reason(tls, MLXO_TLS_REASON_UNSUPPORTED);
		return mlxo_device_check_tls(e->dev, tls->version ? MLXO_TLS_1_3 : MLXO_TLS_1_2,
					     tls->key->len == 32 ? MLXO_TLS_AES_GCM_256
								 : MLXO_TLS_AES_GCM_128);
	}
	if (atomic_load_explicit(&e->dead, memory_order_relaxed)) {
		set_reason(tls, MLXO_TLS_REASON_RESET);
		return obj_error(-EIO, "device %s was reset or is dead: recover the engine",
				 mlxo_device_name(e->dev));
	}
	if (!tls->tis && e->opts.max_hardware &&
	    atomic_load_explicit(&e->hardware, memory_order_relaxed) >= e->opts.max_hardware) {
		set_reason(tls, MLXO_TLS_REASON_LIMIT);
		return obj_error(-EAGAIN, "%u connections are in hardware: that is the limit",
				 e->opts.max_hardware);
	}
	return 0;
}

int tls_admission_start(struct mlxo_tls *tls, bool wait)
{
	int err = check_limits(tls);

	if (!err)
		err = take_context(tls, wait);
	if (err)
		return err;
	if (!tls->tis) { /* in a burst keys must not stand before the contexts without which they are no good */
		tls_set_state(tls, MLXO_TLS_PENDING, (enum mlxo_tls_reason)tls->reason);
		return 0;
	}
	err = tls_key_load(tls->key, wait);
	if (!err) {
		tls_set_state(tls, wait ? MLXO_TLS_PENDING : MLXO_TLS_LOADING,
			      (enum mlxo_tls_reason)tls->reason);
		return 0;
	}
	if (err == -EAGAIN)
		tls_add(tls->q, TLS_N_NO_SLOT, 1);
	set_reason(tls, err == -EAGAIN ? MLXO_TLS_REASON_NO_KEY : MLXO_TLS_REASON_REFUSED);
	tls_context_settle(tls);
	return err;
}
