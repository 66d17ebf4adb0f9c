// SPDX-License-Identifier: BSD-2-Clause
/*
 * Ends at bad moments: a connection that is closed or gets a new key in its own event, that goes to hardware again while its key
 * is still there, that is closed while it stands in line; pools in which nothing is left.
 */
#include "tests/lib/tls_rig.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "prm/prm.h"

static struct tls_rig rig;

/* A queue of its own with an event function of its own. */
static struct {
	struct mlxo_tls_queue *queue;
	enum mlxo_tls_event on;
	bool close, rekey;
	unsigned int events;
} own;

static struct mlxo_secret *any_key(uint8_t seed)
{
	uint8_t bytes[28];

	memset(bytes, seed, sizeof(bytes));
	return mlxo_secret_new(bytes, sizeof(bytes));
}

static void event(void *ctx, struct mlxo_tls *tls, enum mlxo_tls_event e)
{
	struct mlxo_secret *key;

	(void)ctx;
	if (e != own.on)
		return;
	own.events++;
	if (own.rekey) {
		key = any_key(9);
		assert_int_equal(mlxo_tls_rekey(tls, key), 0);
		mlxo_secret_destroy(key);
	}
	if (own.close)
		mlxo_tls_close(tls);
}

static void own_queue(enum mlxo_tls_event on)
{
	struct mlxo_tls_queue_opts o = {.size = sizeof(o), .buffer_bytes = 65536, .event = event};

	memset(&own, 0, sizeof(own));
	own.on = on;
	assert_int_equal(mlxo_tls_queue_create(rig.engine, &o, &own.queue), 0);
}

static struct mlxo_tls *open_one(enum mlxo_tls_admission admission)
{
	struct mlxo_tls_params p = {.size = sizeof(p),
				    .version = MLXO_TLS_1_3,
				    .cipher = MLXO_TLS_AES_GCM_128,
				    .key = any_key(1),
				    .admission = admission,
				    .flags = MLXO_TLS_NOWAIT};
	struct mlxo_tls *tls = NULL;

	assert_int_equal(mlxo_tls_open(own.queue, &p, &tls), 0);
	mlxo_secret_destroy(p.key);
	return tls;
}

static void turn(void)
{
	for (int i = 0; i < 5; i++) {
		while (mlxo_device_progress(rig.dev) > 0)
			;
		mlxo_tls_queue_poll(own.queue);
	}
}

static void begin(const struct mlxo_tls_engine_opts *opts)
{
	tls_rig_open(&rig, "", opts, NULL);
}

static void end(void)
{
	mlxo_tls_queue_destroy(own.queue);
	memset(&own, 0, sizeof(own));
	tls_rig_close(&rig);
}

/* -- events --------------------------------------------------------------------------------------------------- */

static void ready_and_closed(void **state)
{
	(void)state;
	begin(NULL);
	own_queue(MLXO_TLS_EVENT_READY);
	own.close = true;
	open_one(MLXO_TLS_ADMIT_ALWAYS);
	turn();
	assert_int_equal(own.events, 1);
	end();
}

/* The key fails, or the context: the only free one is taken, and no create succeeds. */
static void failed_and_closed(void **state)
{
	static const uint16_t op[] = {PRM_CMD_OP_MODIFY_GENERAL_OBJECT, PRM_CMD_OP_CREATE_TIS};
	struct mlxo_tls_engine_opts o = {.tis_low = 1, .tis_high = 1, .tis_batch = 1};

	(void)state;
	for (int i = 0; i < 2; i++) {
		begin(&o);
		own_queue(MLXO_TLS_EVENT_FAILED);
		own.close = true;
		for (uint64_t nth = 1; nth <= 8; nth++)
			mlxo_model_fault_set(rig.dev, MLXO_FAULT_STATUS, nth, op[i],
					     PRM_CMD_STAT_BAD_PARAM_ERR, 1);
		if (i == 1)
			assert_int_equal(mlxo_tls_move(open_one(MLXO_TLS_ADMIT_ADAPTIVE), true), 0);
		open_one(MLXO_TLS_ADMIT_ALWAYS);
		turn();
		assert_int_equal(own.events, 1);
		mlxo_model_fault_clear(rig.dev);
		end();
	}
}

static void hardware_and_closed(void **state)
{
	(void)state;
	begin(NULL);
	own_queue(MLXO_TLS_EVENT_HARDWARE);
	own.close = true;
	assert_int_equal(mlxo_tls_move(open_one(MLXO_TLS_ADMIT_ADAPTIVE), true), 0);
	turn();
	assert_int_equal(own.events, 1);
	end();
}

static void software_and_closed(void **state)
{
	struct mlxo_tls *tls;

	(void)state;
	begin(NULL);
	own_queue(MLXO_TLS_EVENT_SOFTWARE);
	own.close = true;
	tls = open_one(MLXO_TLS_ADMIT_ALWAYS);
	turn();
	assert_int_equal(mlxo_tls_move(tls, false), 0);
	assert_int_equal(own.events, 1);
	turn();
	end();
}

static void hardware_and_a_new_key(void **state)
{
	struct mlxo_tls *tls;
	struct mlxo_tls_info info;

	(void)state;
	begin(NULL);
	own_queue(MLXO_TLS_EVENT_READY);
	own.rekey = true;
	tls = open_one(MLXO_TLS_ADMIT_ALWAYS);
	turn();
	assert_int_equal(own.events, 1);
	mlxo_tls_info(tls, &info);
	assert_int_equal(info.state, MLXO_TLS_HARDWARE);
	mlxo_tls_close(tls);
	turn();
	end();
}

/* -- moves ----------------------------------------------------------------------------------------------------- */

/* Hardware records are not acknowledged, so the key is still on the device when it is asked for again. */
static void back_to_hardware_with_the_same_key(void **state)
{
	struct tls_conn c;

	(void)state;
	begin(NULL);
	for (int by_bytes = 0; by_bytes < 2; by_bytes++) {
		tls_conn_init(&c, &rig, 13, 128, 5);
		c.params.admission = MLXO_TLS_ADMIT_BYTES;
		c.params.admit_bytes = 1000;
		assert_int_equal(tls_conn_open(&c), 0);
		tls_conn_hardware(&c);
		tls_conn_write(&c, 500);
		tls_conn_flush(&c);
		assert_int_equal(mlxo_tls_move(c.tls, false), 0);
		tls_conn_write(&c, 500);
		assert_int_equal(mlxo_tls_move(c.tls, true), 0);
		assert_int_equal(mlxo_tls_wait(c.tls, 1000), 0);
		assert_int_equal(tls_conn_state(&c), MLXO_TLS_HARDWARE);
		tls_conn_write(&c, 500);
		tls_conn_flush(&c);
		tls_conn_check(&c);
		tls_conn_ack(&c);
		tls_conn_close(&c);
	}
	end();
}

/* -- in line ----------------------------------------------------------------------------------------------------- */

/* One context, one key, and another queue has them: nobody will ever put. */
static void one_of_each(void)
{
	struct mlxo_tls_engine_opts o = {
		.tis_max = 1, .tis_low = 1, .tis_high = 1, .key_max = 1, .key_low = 1};

	begin(&o);
}

static void closed_in_line(void **state)
{
	struct tls_conn c;

	(void)state;
	one_of_each();
	own_queue(MLXO_TLS_EVENT_READY);
	tls_conn_init(&c, &rig, 13, 128, 5);
	assert_int_equal(tls_conn_open(&c), 0);
	tls_conn_hardware(&c);
	mlxo_tls_close(open_one(MLXO_TLS_ADMIT_ALWAYS));
	open_one(MLXO_TLS_ADMIT_ALWAYS);
	mlxo_tls_queue_destroy(own.queue);
	own.queue = NULL;
	tls_conn_write(&c, 500);
	tls_conn_flush(&c);
	tls_conn_check(&c);
	tls_conn_close(&c);
	end();
}

static void asked_for_in_line_and_left(void **state)
{
	struct mlxo_tls *tls;
	struct tls_conn c;

	(void)state;
	one_of_each();
	own_queue(MLXO_TLS_EVENT_READY);
	tls_conn_init(&c, &rig, 13, 128, 5);
	assert_int_equal(tls_conn_open(&c), 0);
	tls_conn_hardware(&c);
	tls = open_one(MLXO_TLS_ADMIT_ALWAYS);
	assert_int_equal(mlxo_tls_move(tls, false), 0);
	tls_conn_close(&c);
	turn();
	assert_int_equal(own.events, 0);
	mlxo_tls_close(tls);
	turn();
	end();
}

static void waiting_for_what_is_all_in_use(void **state)
{
	struct tls_conn c, d;

	(void)state;
	one_of_each();
	tls_conn_init(&c, &rig, 13, 128, 5);
	c.params.admission = MLXO_TLS_ADMIT_ALWAYS;
	assert_int_equal(tls_conn_open(&c), 0);
	tls_conn_init(&d, &rig, 13, 128, 6);
	d.params.admission = MLXO_TLS_ADMIT_ALWAYS;
	assert_int_equal(tls_conn_open(&d), -EAGAIN);
	assert_non_null(strstr(mlxo_error_last()->text, "in use"));
	assert_int_equal(rig.events[MLXO_TLS_EVENT_FAILED], 0);
	tls_conn_close(&c);
	assert_int_equal(tls_conn_open(&d), 0);
	tls_conn_write(&d, 100);
	tls_conn_flush(&d);
	tls_conn_check(&d);
	tls_conn_close(&d);
	end();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(ready_and_closed),
		cmocka_unit_test(failed_and_closed),
		cmocka_unit_test(hardware_and_closed),
		cmocka_unit_test(software_and_closed),
		cmocka_unit_test(hardware_and_a_new_key),
		cmocka_unit_test(back_to_hardware_with_the_same_key),
		cmocka_unit_test(closed_in_line),
		cmocka_unit_test(asked_for_in_line_and_left),
		cmocka_unit_test(waiting_for_what_is_all_in_use),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
