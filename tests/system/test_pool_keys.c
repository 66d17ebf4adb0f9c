// SPDX-License-Identifier: BSD-2-Clause
/*
 * Pools on the model. What is encrypted with recycled contexts and key slots decrypts with the right key, hundreds of
 * times; and the whole life of both pools with the n-th command failed leaves nothing behind on the device.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include <mlx5_offload/model.h>

#include "lib/raw_tls.h"
#include "lib/two_nics.h"
#include "pool/dek.h"
#include "pool/tis.h"
#include "tests/lib/test_device.h"

enum {
	CONNECTIONS = 200,
	LOG_SQ = 8,
	MSS = 600,
	TURN_MS = 10,
	LOG_BULK = 2,
	SLOTS = 8,
	WAIT = 6,
	ROUNDS = 3
};
enum { TLS = PRM_GENERAL_OBJECT_TYPE_ENCRYPTION_KEY_PURPOSE_TLS };

struct pools {
	struct mlxo_device *dev;
	struct pool_exec *exec;
	struct pool_tis_pool *tis;
	struct pool_dek_pool *dek;
	struct pool_cache contexts, keys;
};

static void pools_open(struct pools *p)
{
	struct pool_tis_opts t = {.low = 2, .high = 4, .batch = 2};
	struct pool_dek_opts k = {.purpose = TLS, .log_bulk = LOG_BULK, .max = SLOTS, .low = 1};

	assert_int_equal(pool_exec_create(p->dev, &(struct pool_exec_opts){0}, &p->exec), 0);
	assert_int_equal(pool_tis_create(p->exec, &t, &p->tis), 0);
	assert_int_equal(pool_dek_create(p->exec, &k, &p->dek), 0);
	pool_cache_init(&p->contexts, pool_tis_base(p->tis), 1);
	pool_cache_init(&p->keys, pool_dek_base(p->dek), 1);
}

static void pools_close(struct pools *p)
{
	pool_cache_fini(&p->contexts);
	pool_cache_fini(&p->keys);
	pool_tis_destroy(p->tis);
	pool_dek_destroy(p->dek);
	pool_exec_drain(p->exec);
	pool_exec_destroy(p->exec);
}

static uint64_t number(struct mlxo_device *dev, const char *name)
{
	struct mlxo_stat *s;
	uint64_t value = 0;
	size_t n;

	assert_int_equal(mlxo_model_stats(dev, &s, &n), 0);
	for (size_t i = 0; i < n; i++)
		if (strcmp(s[i].name, name) == 0)
			value = s[i].value;
	free(s);
	return value;
}

/* A lease that is waited for. */
struct held {
	struct pool_dek_lease l;
	bool done;
	int err;
};

static void loaded(struct pool_dek_lease *l, int err)
{
	struct held *h = (struct held *)l;

	h->done = true;
	h->err = err;
}

static void start(struct pools *p, struct held *h, const uint8_t *key, size_t len)
{
	memset(h, 0, sizeof(*h));
	h->l.done = loaded;
	assert_int_equal(pool_dek_lease_start(&h->l, p->dek, &p->keys, key, len, true), 0);
}

static int lease(struct pools *p, struct held *h, const uint8_t *key, size_t len)
{
	start(p, h, key, len);
	while (!h->done)
		pool_exec_turn(p->exec, TURN_MS);
	return h->err;
}

struct got {
	struct pool_waiter w;
	struct pool_tis *tis;
	bool ready;
};

static void got_one(struct pool_waiter *w, void *item, int err)
{
	struct got *g = (struct got *)w;

	g->tis = item;
	g->ready = true;
}

static void ask(struct pools *p, struct got *g)
{
	struct pool_tis *tis;

	*g = (struct got){.w.ready = got_one};
	tis = pool_get_or_wait(&p->contexts, &g->w);
	if (tis)
		got_one(&g->w, tis, 0);
}

/* -- ciphertext ---------------------------------------------------------------------------------------------- */

static struct tls_wire w;

static void leave_open(struct prov_device *dev)
{
}

/* The library's device on the sender of `w`, with the protection domain of its queue. */
static struct mlxo_device *share(struct prov_ops *ops, uint32_t own[2])
{
	struct mlxo_device *dev;

	assert_int_equal(obj_device_open_on(w.a.dev, &dev), 0);
	*ops = *dev->ops;
	ops->close = leave_open;
	dev->ops = ops;
	own[0] = dev->pd.id;
	own[1] = dev->td.id;
	dev->pd.id = w.a.pd;
	dev->td.id = w.a.td;
	return dev;
}

static void connection(struct pools *p, struct tls_conn *c, unsigned int n)
{
	static const size_t lengths[] = {700, 1, 1500};
	struct held key;
	struct got g;

	for (unsigned int i = 0; i < c->k.len; i++)
		c->k.key[i] = (uint8_t)(i * 5 + n * 17 + (n >> 4));
	tls_stream(c, n, lengths, 3);
	ask(p, &g);
	while (!g.ready)
		pool_exec_turn(p->exec, TURN_MS);
	assert_int_equal(lease(p, &key, c->k.key, c->k.len), 0);
	c->tisn = g.tis->tis.obj.id;
	c->dekn = key.l.id;
	tls_static(&w, c, c->first, false);
	tls_progress(&w, c, false);
	tls_nop(&w, true);
	tls_send_all(&w, c, 0, MSS);
	assert_true(tls_no_clear(c));
	assert_true(tls_right(c));
	pool_dek_lease_end(&key.l, &p->keys);
	pool_put(&p->contexts, g.tis);
}

/* T25: the model's key cache goes on with the old key of a slot that is written without SYNC_CRYPTO. T41: both sizes. */
static void recycled_slots_encrypt_with_the_new_key(void **state)
{
	struct pools p;
	struct prov_ops ops;
	struct tls_conn *conn[2];
	struct pool_dek_stats s;
	uint32_t own[2];
	uint64_t syncs;

	tls_open(&w, "", LOG_SQ);
	p.dev = share(&ops, own);
	pools_open(&p);
	conn[0] = tls_conn(&w, 0, true, 16);
	conn[1] = tls_conn(&w, 1, false, 32);
	syncs = number(p.dev, "syncs");
	for (unsigned int i = 0; i < CONNECTIONS; i++)
		connection(&p, conn[i / 3 % 2], i);
	pool_dek_stats(p.dek, &s);
	assert_int_equal(s.loads, CONNECTIONS);
	assert_in_range(s.slots, 1, SLOTS);
	assert_int_equal(number(p.dev, "MODIFY_GENERAL_OBJECT"), CONNECTIONS);
	assert_true(number(p.dev, "syncs") - syncs >= CONNECTIONS / SLOTS);
	pools_close(&p);
	p.dev->pd.id = own[0];
	p.dev->td.id = own[1];
	mlxo_device_close(p.dev);
	tls_close(&w);
}

/* -- faults -------------------------------------------------------------------------------------------------- */

static size_t quarantined(struct mlxo_device *dev)
{
	struct mlxo_quarantined *list;
	size_t n;

	assert_int_equal(mlxo_device_quarantined(dev, &list, &n), 0);
	free(list);
	return n;
}

/* T39, T28: a slot whose load got no answer is never loaded again. */
static void an_unanswered_slot_is_not_used_again(void **state)
{
	static const uint8_t key[16] = {7};
	struct pools p;
	struct held h;

	for (enum mlxo_fault kind = MLXO_FAULT_TIMEOUT; kind <= MLXO_FAULT_CORRUPT; kind++) {
		struct pool_dek_stats s;
		uint32_t lost;

		assert_int_equal(test_device_open("model", &p.dev), 0);
		pools_open(&p);
		assert_int_equal(mlxo_model_fault_set(p.dev, kind, 1,
						      PRM_CMD_OP_MODIFY_GENERAL_OBJECT, 0, 0),
				 0);
		assert_true(lease(&p, &h, key, 16) < 0);
		lost = h.l.id;
		assert_int_equal(quarantined(p.dev), 1);
		for (int i = 0; i < 5 * SLOTS; i++) {
			assert_int_equal(lease(&p, &h, key, 16), 0);
			assert_int_not_equal(h.l.id, lost);
			pool_dek_lease_end(&h.l, &p.keys);
		}
		pool_dek_stats(p.dek, &s);
		assert_int_equal(s.quarantined, 1);
		pools_close(&p);
		assert_int_equal(quarantined(p.dev), 0); /* the bulk is gone */
		mlxo_device_close(p.dev);
	}
}

/* Both pools, more leases and contexts at a time than they start with. Time is virtual: pauses pass at once. */
static void life(struct mlxo_device *dev, unsigned int *answered)
{
	static const uint8_t key[32] = {1, 2, 3};
	struct pools p = {.dev = dev};
	struct held h[WAIT];
	struct got g[WAIT];

	pools_open(&p);
	for (int round = 0; round < ROUNDS; round++) {
		for (int i = 0; i < WAIT; i++) {
			start(&p, &h[i], key, i % 2 ? 16 : 32);
			ask(&p, &g[i]);
		}
		for (int i = 0; i < WAIT; i++) {
			while (!h[i].done || !g[i].ready)
				pool_exec_turn(p.exec, 1000);
			*answered += 2;
		}
		for (int i = 0; i < WAIT; i++) {
			if (!h[i].err)
				pool_dek_lease_end(&h[i].l, &p.keys);
			if (g[i].tis)
				pool_put(&p.contexts, g[i].tis);
		}
	}
	pools_close(&p);
}

static void every_command(enum mlxo_fault kind, uint8_t status)
{
	struct mlxo_device *dev;
	uint64_t n, total, census;

	assert_int_equal(test_device_open("model:time=virtual", &dev), 0);
	dev->keys_synced =
		true; /* the SYNC before the first key: a failure of create, see unit/pool_dek */
	census = two_nics_census(dev);
	total = number(dev, "commands");
	life(dev, &(unsigned int){0});
	total = number(dev, "commands") - total;
	assert_true(total > 40);
	for (n = 1; n <= total; n++) {
		unsigned int answered = 0;

		assert_int_equal(mlxo_model_fault_set(dev, kind, n, 0, status, 0x1234), 0);
		life(dev, &answered);
		assert_int_equal(mlxo_model_fault_clear(dev), 0);
		assert_int_equal(answered, 2 * WAIT * ROUNDS);
		assert_in_range(two_nics_census(dev), census,
				census + (quarantined(dev) << LOG_BULK)); /* slots count */
	}
	if (kind == MLXO_FAULT_STATUS)
		assert_int_equal(quarantined(dev), 0);
	else
		assert_in_range(quarantined(dev), 1, total); /* creates and destroys */
	mlxo_device_close(dev);
}

static void every_command_refused(void **state)
{
	every_command(MLXO_FAULT_STATUS, PRM_CMD_STAT_LIM_ERR); /* T34 */
	every_command(MLXO_FAULT_STATUS, PRM_CMD_STAT_NO_RES_ERR);
	every_command(MLXO_FAULT_STATUS, PRM_CMD_STAT_BAD_PARAM_ERR);
}

static void every_command_unanswered(void **state)
{
	every_command(MLXO_FAULT_TIMEOUT, 0);
	every_command(MLXO_FAULT_LOST, 0);
	every_command(MLXO_FAULT_CORRUPT, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(recycled_slots_encrypt_with_the_new_key),
		cmocka_unit_test(an_unanswered_slot_is_not_used_again),
		cmocka_unit_test(every_command_refused),
		cmocka_unit_test(every_command_unanswered),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
