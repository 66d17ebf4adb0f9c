// SPDX-License-Identifier: BSD-2-Clause
/*
 * The engine: pools and policy of a device.
 *
 *	open	executor ─▶ SYNC_CRYPTO of all keys, once ─▶ pool of keys ─▶ pool of contexts
 *	close	in reverse; pools before the PD, which their objects use
 *
 * A device without TLS gets an engine without pools: everything stays in software, with the reason.
 */
#include "offload/tls/engine.h"
#include "objects/alloc.h"
#include "objects/error.h"

#include <errno.h>
#include <string.h>

enum { ADMIT_BYTES = 65536, ADAPTIVE_BYTES = 8192, RETRANSMIT_PERCENT = 10, IDLE_MS = 60000 };
#define RECORD_LIMIT UINT64_C(23726566) /* 2^24.5, RFC 8446 5.5 */
#define MS UINT64_C(1000000)

/* -- options ---------------------------------------------------------------------------------------------------- */

#define DEFAULT(field, value) \
	do { \
		if (!o->field) \
			o->field = (value); \
	} while (0)

static void fill_defaults(struct mlxo_tls_engine_opts *o)
{
	DEFAULT(admission, MLXO_TLS_ADMIT_ADAPTIVE);
	DEFAULT(admit_bytes, ADMIT_BYTES);
	DEFAULT(adaptive_bytes, ADAPTIVE_BYTES);
	DEFAULT(retransmit_percent, RETRANSMIT_PERCENT);
	DEFAULT(record_limit, RECORD_LIMIT);
	DEFAULT(idle_ms, IDLE_MS);
}

static int check_opts(const struct mlxo_tls_engine_opts *o)
{
	if (o->admission > MLXO_TLS_ADMIT_NEVER)
		return obj_error(-EINVAL, "admission %u: 0..%d are possible", o->admission,
				 MLXO_TLS_ADMIT_NEVER);
	if (o->recycle > MLXO_TLS_RECYCLE_NONE)
		return obj_error(-EINVAL, "recycle %u: 0..%d are possible", o->recycle,
				 MLXO_TLS_RECYCLE_NONE);
	if (o->key_sync_percent > 100 || o->retransmit_percent > 100)
		return obj_error(
			-EINVAL, "%s of %u: 1..100 are possible",
			o->key_sync_percent > 100 ? "key_sync_percent" : "retransmit_percent",
			o->key_sync_percent > 100 ? o->key_sync_percent : o->retransmit_percent);
	if (o->key_log_bulk > 20)
		return obj_error(-EINVAL, "key_log_bulk of %u: 1..20 are possible",
				 o->key_log_bulk);
	if (o->tis_batch > POOL_EXEC_MAX)
		return obj_error(-EINVAL, "tis_batch of %u: 1..%d are possible", o->tis_batch,
				 POOL_EXEC_MAX);
	if (o->tis_low && o->tis_high && o->tis_low > o->tis_high)
		return obj_error(-EINVAL, "tis_low of %u: at most tis_high, which is %u",
				 o->tis_low, o->tis_high);
	return 0;
}

/* -- open --------------------------------------------------------------------------------------------------------- */

static uint64_t idle_ns(const struct mlxo_tls_engine_opts *o)
{
	return o->idle_ms == UINT32_MAX ? UINT64_MAX : o->idle_ms * MS;
}

static int make_pools(struct mlxo_tls_engine *e)
{
	const struct mlxo_tls_engine_opts *o = &e->opts;
	struct pool_tis_opts tis = {
		.low = o->tis_low,
		.high = o->tis_high,
		.max = o->tis_max,
		.batch = o->tis_batch,
		.idle_ns = idle_ns(o),
		.no_recycling = o->recycle == MLXO_TLS_RECYCLE_NONE,
	};
	struct pool_dek_opts dek = {
		.purpose = PRM_GENERAL_OBJECT_TYPE_ENCRYPTION_KEY_PURPOSE_TLS,
		.low = o->key_low,
		.max = o->key_max,
		.log_bulk = o->key_log_bulk,
		.sync_percent = o->key_sync_percent,
		.idle_ns = idle_ns(o),
		.single = o->recycle != MLXO_TLS_RECYCLE_ALL,
	};
	int err = obj_keys_sync_once(e->dev);

	if (!err)
		err = pool_dek_create(e->exec, &dek, &e->dek);
	return err ? err : pool_tis_create(e->exec, &tis, &e->tis);
}

/* What the device can do; with admission always it has to do something. */
static int look_at_device(struct mlxo_tls_engine *e)
{
	bool any = false;

	for (int v = 0; v < 2; v++)
		for (int c = 0; c < TLS_CIPHERS; c++) {
			e->can[v][c] = !mlxo_device_check_tls(
				e->dev, v ? MLXO_TLS_1_3 : MLXO_TLS_1_2,
				c ? MLXO_TLS_AES_GCM_256 : MLXO_TLS_AES_GCM_128);
			any |= e->can[v][c];
		}
	if (any)
		return make_pools(e);
	if (e->opts.admission == MLXO_TLS_ADMIT_ALWAYS)
		return mlxo_device_check_tls(e->dev, MLXO_TLS_1_2, MLXO_TLS_AES_GCM_128);
	return 0;
}

/* A queue must not hoard what a small pool has. */
static unsigned int magazine_of(const struct mlxo_tls_engine *e)
{
	uint32_t few = POOL_MAGAZINE * 8;

	if (e->opts.tis_max && e->opts.tis_max < few)
		few = e->opts.tis_max;
	if (e->opts.key_max && e->opts.key_max < few)
		few = e->opts.key_max;
	return few / 8 ? few / 8 : 1;
}

static int start(struct mlxo_tls_engine *e)
{
	struct pool_exec_opts exec = {.thread = !e->opts.caller_runs};
	int err;

	e->cipher[0] = EVP_CIPHER_fetch(NULL, "AES-128-GCM", NULL);
	e->cipher[1] = EVP_CIPHER_fetch(NULL, "AES-256-GCM", NULL);
	if (!e->cipher[0] || !e->cipher[1])
		return obj_error(-EOPNOTSUPP, "libcrypto offers no AES-GCM");
	e->magazine = magazine_of(e);
	err = pool_exec_create(e->dev, &exec, &e->exec);
	return err ? err : look_at_device(e);
}

int mlxo_tls_engine_open(struct mlxo_device *dev, const struct mlxo_tls_engine_opts *opts,
			 struct mlxo_tls_engine **out)
{
	struct mlxo_tls_engine_opts o;
	struct mlxo_tls_engine *e;
	int err = tls_read_opts("TLS engine options", opts, opts ? opts->size : 0, &o, sizeof(o));

	*out = NULL;
	if (!err)
		err = check_opts(&o);
	if (err)
		return err;
	e = mlxo_calloc(1, sizeof(*e));
	if (!e)
		return obj_error_nomem("a TLS engine");
	e->dev = dev;
	e->opts = o;
	fill_defaults(&e->opts);
	pthread_mutex_init(&e->lock, NULL);
	err = start(e);
	if (err) {
		mlxo_tls_engine_close(e);
		return err;
	}
	*out = e;
	return 0;
}

/* -- close ------------------------------------------------------------------------------------------------------------ */

void mlxo_tls_engine_close(struct mlxo_tls_engine *e)
{
	if (!e)
		return;
	while (e->queues)
		mlxo_tls_queue_destroy(e->queues);
	obj_undo_begin(); /* nobody can be told but the log */
	pool_tis_destroy(e->tis);
	pool_dek_destroy(e->dek);
	tls_memory_fini(e);
	obj_undo_end();
	if (e->exec) /* another thread may be on its way out of the last command */
		pool_exec_drain(e->exec);
	pool_exec_destroy(e->exec);
	EVP_CIPHER_free(e->cipher[0]);
	EVP_CIPHER_free(e->cipher[1]);
	pthread_mutex_destroy(&e->lock);
	mlxo_free(e);
}

/* -- after a reset ------------------------------------------------------------------------------------------------------- */

/*
 * Everything that was made is void, and everybody who holds something is told. Nobody knows what is still on the device (an
 * earlier attempt may have failed in the middle, or nothing was wrong), so all of it is destroyed: where it is gone that costs
 * nothing. In the order of use: queues, contexts and keys, memory; their PD comes last.
 */
static void forget_all(struct mlxo_tls_engine *e)
{
	if (e->tis) {
		pool_suspend(pool_tis_base(e->tis));
		pool_suspend(pool_dek_base(e->dek));
	}
	for (struct mlxo_tls_queue *q = e->queues, *next; q; q = next) {
		next = q->next;
		tls_queue_void(q);
	}
	pool_exec_drain(e->exec);
	if (e->tis) {
		pool_tis_void(e->tis);
		pool_dek_void(e->dek);
		pool_exec_drain(e->exec);
	}
	tls_memory_drop(e);
}

/* They make new things at once, while the rest is made. */
static int resume_pools(struct mlxo_tls_engine *e)
{
	int err = obj_keys_sync_once(e->dev);

	if (err)
		return err;
	pool_resume(pool_tis_base(e->tis));
	pool_resume(pool_dek_base(e->dek));
	return 0;
}

int mlxo_tls_engine_recover(struct mlxo_tls_engine *e)
{
	int err;

	atomic_fetch_add(&e->epoch, 1);
	atomic_store(&e->dead, true);
	obj_undo_begin(); /* that it is gone is no failure */
	forget_all(e);
	obj_undo_end();
	err = obj_device_restart(e->dev);
	if (!err && e->tis)
		err = resume_pools(e);
	if (!err)
		err = tls_memory_renew(e);
	for (struct mlxo_tls_queue *q = e->queues; q && !err; q = q->next)
		err = tls_queue_renew(q);
	if (!err)
		atomic_store(&e->dead, false);
	return err;
}
