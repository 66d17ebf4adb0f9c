// SPDX-License-Identifier: BSD-2-Clause
/*
 * Devices and single objects on the model: opening with every command and every allocation failing, what capabilities say
 * of each profile, faults of create and destroy with the census as judge, death and reset, the controls' own refusals.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <cmocka.h>

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <mlx5_offload/device.h>
#include <mlx5_offload/error.h>
#include <mlx5_offload/model.h>
#include <mlx5_offload/version.h>

#include "objects/alloc.h"
#include "objects/counter.h"
#include "objects/error.h"
#include "objects/ipsec.h"
#include "steering/rule.h"
#include "tests/lib/test_device.h"

static uint64_t census(struct mlxo_device *dev, const char *type)
{
	struct mlxo_stat *s;
	uint64_t sum = 0;
	size_t n;

	assert_int_equal(mlxo_model_census(dev, &s, &n), 0);
	for (size_t i = 0; i < n; i++)
		if (!type || strcmp(s[i].name, type) == 0)
			sum += s[i].value;
	free(s);
	return sum;
}

static size_t quarantined(struct mlxo_device *dev)
{
	struct mlxo_quarantined *list;
	size_t n;

	assert_int_equal(mlxo_device_quarantined(dev, &list, &n), 0);
	free(list);
	return n;
}

static struct mlxo_device *open_device(const char *name)
{
	struct mlxo_device *dev;

	assert_int_equal(test_device_open(name, &dev), 0);
	return dev;
}

/* -- opening ------------------------------------------------------------------------------------------------- */

static void names(void **state)
{
	static const char *const bad[] = {"",
					  "modell",
					  "mlx5_0",
					  "model:",
					  "model:what=1",
					  "model:profile=none",
					  "model:port=nowhere"};
	struct mlxo_device *dev;

	(void)state;
	test_device_needs_model("names of NICs are tested in system/mlx5_face");
	dev = open_device("model:profile=connectx-7");
	assert_string_equal(mlxo_device_name(dev), "model");
	assert_true(mlxo_device_is_named(dev, "eth4"));
	mlxo_device_close(dev);
	mlxo_device_close(NULL);
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		int err = test_device_open(bad[i], &dev);

		if (err == 0) { /* "model:" without options may be allowed */
			mlxo_device_close(dev);
			assert_string_equal(bad[i], "model:");
			continue;
		}
		assert_null(dev);
		assert_int_equal(errno, -err);
		assert_true(strlen(mlxo_error_last()->text) > 10);
	}
}

static void every_command_of_open_may_fail(void **state)
{
	static const char *const kinds[] = {"status=0x8", "timeout", "lost", "corrupt", "fatal"};
	/* libmlx5 has some of its own, and goes on without their answers; and a page that cannot be write-combining */
	const unsigned int others = test_device_is_mlx5() ? 8 : 0;

	(void)state;
	for (size_t k = 0; k < 5; k++) {
		unsigned int worked = 0;

		for (unsigned int n = 1;; n++) {
			struct mlxo_device *dev;
			char name[80];
			int err;

			snprintf(name, sizeof(name), "model:fault=%u:%s", n, kinds[k]);
			err = test_device_open(name, &dev);
			if (!err) {
				mlxo_device_close(dev);
				if (worked++ < others)
					continue;
				assert_true(n - worked >= 7);
				break;
			}
			assert_null(dev);
			assert_true(mlxo_error_last()->err == -err);
		}
	}
}

static void every_allocation_of_open_may_fail(void **state)
{
	struct mlxo_device *dev;

	(void)state;
	for (uint64_t n = 1;; n++) {
		int err;

		mlxo_alloc_fail_at(n);
		err = test_device_open("model", &dev);
		mlxo_alloc_fail_at(0);
		if (!err)
			break;
		assert_int_equal(err, -ENOMEM);
		assert_null(dev);
	}
	mlxo_device_close(dev);
}

static void profiles(void **state)
{
	struct mlxo_device *dev;

	(void)state;
	dev = open_device("model");
	assert_int_equal(mlxo_device_check_ipsec_packet(dev, true), 0);
	mlxo_device_close(dev);
	dev = open_device("model:profile=connectx-7");
	assert_int_equal(mlxo_device_check_ipsec_packet(dev, true), 0);
	mlxo_device_close(dev);
	dev = open_device("model:profile=no-crypto");
	assert_int_equal(mlxo_device_check_ipsec_packet(dev, false), -EOPNOTSUPP);
	assert_non_null(strstr(mlxo_error_last()->text, "ipsec_full_offload"));
	mlxo_device_close(dev);
	dev = open_device("model:profile=crypto-only");
	assert_int_equal(mlxo_device_check_ipsec_packet(dev, false), -EOPNOTSUPP);
	mlxo_device_close(dev);
}

/* -- one failing close --------------------------------------------------------------------------------------- */

static char logged[2048];
static int lines;

static void listen(void *ctx, enum mlxo_log_level level, const char *line)
{
	(void)ctx;
	(void)level;
	lines++;
	snprintf(logged, sizeof(logged), "%s", line);
}

static void a_refused_dealloc_at_close_is_one_line(void **state)
{
	struct mlxo_device *dev = open_device("model");

	(void)state;
	assert_int_equal(
		mlxo_model_fault_set(dev, MLXO_FAULT_STATUS, 1, PRM_CMD_OP_DEALLOC_PD, 9, 0xef0c8a),
		0);
	lines = 0;
	mlxo_log_set(listen, NULL, MLXO_LOG_ERROR);
	mlxo_device_close(dev);
	mlxo_log_set(NULL, NULL, MLXO_LOG_ERROR);
	assert_int_equal(lines, 1);
	assert_non_null(strstr(logged, "DEALLOC_PD"));
	assert_non_null(strstr(logged, "BAD_RES_STATE_ERR"));
	if (!test_device_is_mlx5()) /* the kernel tells no syndrome of a destroy */
		assert_non_null(strstr(logged, "0xef0c8a"));
}

/* -- objects: a key, what uses it, a rule that uses that ------------------------------------------------------- */

struct chain {
	struct mlxo_device *dev;
	struct obj_dek dek;
	struct obj_ipsec ipsec;
	struct obj_counter counter;
	struct steer_table last, table;
	struct steer_group group;
	struct steer_rule rule;
};

static int make(struct chain *c)
{
	static const uint8_t key[36] = "0123456789abcdef0123456789abcdefSALT";
	struct obj_dek_attr dek = {.purpose = PRM_GENERAL_OBJECT_TYPE_ENCRYPTION_KEY_PURPOSE_IPSEC,
				   .key = key,
				   .len = 32};
	struct obj_ipsec_attr ipsec = {.dir = OBJ_IPSEC_RX, .dek = &c->dek, .salt = key + 32};
	struct steer_table_attr last = {.dir = PROV_RX, .level = 2};
	struct steer_table_attr table = {
		.dir = PROV_RX, .level = 1, .log_size = 2, .miss = &c->last};
	struct steer_actions act = {.table = &c->last,
				    .counter = &c->counter,
				    .crypto = STEER_DECRYPT,
				    .ipsec = &c->ipsec};
	struct steer_match m;
	int err;

	steer_match_init(&m);
	steer_match_ip_proto(&m, 50);
	steer_match_esp_spi(&m, 0x100);
	err = obj_dek_create(c->dev, &dek, &c->dek);
	if (!err)
		err = obj_ipsec_create(c->dev, &ipsec, &c->ipsec);
	if (!err)
		err = obj_counter_create(c->dev, &c->counter);
	if (!err)
		err = steer_table_create(c->dev, &last, &c->last);
	if (!err)
		err = steer_table_create(c->dev, &table, &c->table);
	if (!err)
		err = steer_group_create(&c->table, 0, 3, &m, &c->group);
	if (!err)
		err = steer_rule_add(&c->group, STEER_INDEX_ANY, &m, &act, &c->rule);
	return err;
}

static int first(int err, int next)
{
	return err ? err : next;
}

static int unmake(struct chain *c)
{
	int err = steer_rule_del(&c->rule);

	err = first(err, steer_group_destroy(&c->group));
	err = first(err, steer_table_destroy(&c->table));
	err = first(err, steer_table_destroy(&c->last));
	err = first(err, obj_counter_destroy(c->dev, &c->counter));
	err = first(err, obj_ipsec_destroy(c->dev, &c->ipsec));
	return first(err, obj_dek_destroy(c->dev, &c->dek));
}

/* Fail the n-th command of make() and unmake(); returns how many there are. */
static uint64_t fail_each(enum mlxo_fault kind)
{
	for (uint64_t n = 1;; n++) {
		struct chain c = {.dev = open_device("model")};
		uint64_t before = census(c.dev, NULL);
		int err, err2;

		assert_int_equal(mlxo_model_fault_set(c.dev, kind, n, 0, 8, 0x19c6d6), 0);
		err = make(&c);
		obj_undo_begin();
		err2 = unmake(&c);
		obj_undo_end();
		assert_int_equal(mlxo_model_fault_clear(c.dev), 0);
		if (kind == MLXO_FAULT_STATUS) {
			/* a refused destroy leaves the object: go over it again */
			assert_int_equal(unmake(&c), 0);
			assert_int_equal(census(c.dev, NULL), before);
			assert_int_equal(quarantined(c.dev), 0);
		} else {
			assert_true(quarantined(c.dev) <= 7);
			assert_true((err || err2) == (quarantined(c.dev) > 0) || n == 1);
			assert_true(census(c.dev, NULL) - before <= quarantined(c.dev));
		}
		if (err)
			assert_int_equal(mlxo_error_last()->err, -err);
		mlxo_device_close(c.dev);
		if (!err && !err2)
			return n - 1;
	}
}

static void every_command_may_fail(void **state)
{
	(void)state;
	assert_int_equal(fail_each(MLXO_FAULT_STATUS), 15);
	assert_int_equal(fail_each(MLXO_FAULT_TIMEOUT), 15);
	assert_int_equal(fail_each(MLXO_FAULT_LOST), 15);
	if (!test_device_is_mlx5()) /* of a destroy, the kernel does not tell it from a refusal */
		assert_int_equal(fail_each(MLXO_FAULT_CORRUPT), 15);
}

static void death_and_reset(void **state)
{
	struct chain c = {.dev = open_device("model")};

	(void)state;
	assert_int_equal(make(&c), 0);
	assert_int_equal(mlxo_model_fault_set(c.dev, MLXO_FAULT_FATAL, 1, 0, 0, 0), 0);
	assert_int_equal(obj_counter_query(c.dev, &c.counter, NULL, NULL), -EIO);
	assert_int_equal(obj_counter_query(c.dev, &c.counter, NULL, NULL), -EIO);
	assert_int_equal(unmake(&c), -EIO);
	assert_int_equal(quarantined(c.dev), 0);
	mlxo_device_close(c.dev);
	memset(&c, 0, sizeof(c));
	c.dev = open_device("model");
	assert_int_equal(make(&c), 0);
	assert_int_equal(mlxo_model_reset(c.dev), 0);
	assert_int_equal(census(c.dev, NULL), 0);
	/* stale handles can be destroyed; a context of libmlx5 knows only that the device is gone */
	assert_int_equal(unmake(&c), test_device_is_mlx5() ? -EIO : 0);
	mlxo_device_close(c.dev);
	memset(&c, 0, sizeof(c));
	c.dev = open_device("model");
	assert_int_equal(make(&c), 0);
	assert_int_equal(mlxo_model_reset(c.dev), 0);
	assert_int_equal(obj_device_restart(c.dev), 0);
	assert_int_equal(unmake(&c), 0);
	assert_int_equal(make(&c), 0);
	assert_int_equal(unmake(&c), 0);
	mlxo_device_close(c.dev);
}

/* -- numbers and controls ------------------------------------------------------------------------------------ */

static uint64_t number(struct mlxo_stat *s, size_t n, const char *group, const char *name)
{
	for (size_t i = 0; i < n; i++)
		if (strcmp(s[i].group, group) == 0 && strcmp(s[i].name, name) == 0)
			return s[i].value;
	return UINT64_MAX;
}

/* Opcodes that libmlx5 sends on its own, too. */
static bool is_libmlx5s(const char *opcode)
{
	return strcmp(opcode, "QUERY_HCA_CAP") == 0 || strcmp(opcode, "ALLOC_UAR") == 0;
}

/* The library counts what it sent; the model counts what it got. */
static void both_count_the_same(void **state)
{
	struct chain c = {.dev = open_device("model")};
	struct mlxo_stat *lib, *model;
	size_t nlib, nmodel;

	(void)state;
	assert_int_equal(make(&c), 0);
	assert_int_equal(unmake(&c), 0);
	assert_int_equal(mlxo_device_stats(c.dev, &lib, &nlib), 0);
	assert_int_equal(mlxo_model_stats(c.dev, &model, &nmodel), 0);
	for (size_t i = 0; i < nlib; i++) {
		uint64_t got;

		if (strcmp(lib[i].group, "commands") != 0)
			continue;
		got = number(model, nmodel, "commands", lib[i].name);
		/* tables of the root are the model's own commands */
		if (got != UINT64_MAX && !strstr(lib[i].name, "FLOW_TABLE") &&
		    strcmp(lib[i].name, "total") != 0 &&
		    !(test_device_is_mlx5() && is_libmlx5s(lib[i].name)))
			assert_int_equal(got, lib[i].value);
	}
	assert_int_equal(number(lib, nlib, "commands", "CREATE_GENERAL_OBJECT"), 2);
	assert_int_equal(number(lib, nlib, "commands", "SYNC_CRYPTO"), 1);
	assert_int_equal(number(lib, nlib, "commands", "refused"), 0);
	assert_int_equal(number(lib, nlib, "quarantined", "total"), 0);
	free(lib);
	free(model);
	mlxo_device_close(c.dev);
}

static void controls_refuse(void **state)
{
	struct mlxo_device *dev = open_device("model");
	int err = 0;

	(void)state;
	assert_int_equal(mlxo_model_fault_set(dev, 0, 1, 0, 0, 0), -EINVAL);
	assert_int_equal(mlxo_model_fault_set(dev, 6, 1, 0, 0, 0), -EINVAL);
	assert_int_equal(mlxo_model_fault_set(dev, MLXO_FAULT_TIMEOUT, 0, 0, 0, 0), -EINVAL);
	assert_int_equal(mlxo_model_fault_set(dev, MLXO_FAULT_STATUS, 1, 0, 0, 0), -EINVAL);
	for (int i = 0; i < 100 && !err; i++)
		err = mlxo_model_fault_set(dev, MLXO_FAULT_TIMEOUT, 1000, 0, 0, 0);
	assert_int_equal(err, -ENOSPC);
	assert_int_equal(mlxo_model_fault_clear(dev), 0);
	mlxo_device_close(dev);
}

static void lists_without_memory(void **state)
{
	struct mlxo_device *dev = open_device("model");
	struct mlxo_stat *s;
	struct mlxo_quarantined *q;
	size_t count;

	(void)state;
	mlxo_alloc_fail_at(1);
	assert_int_equal(mlxo_model_census(dev, &s, &count), -ENOMEM);
	mlxo_alloc_fail_at(1);
	assert_int_equal(mlxo_model_stats(dev, &s, &count), -ENOMEM);
	mlxo_alloc_fail_at(1);
	assert_int_equal(mlxo_device_stats(dev, &s, &count), -ENOMEM);
	mlxo_alloc_fail_at(1);
	assert_int_equal(mlxo_device_quarantined(dev, &q, &count), -ENOMEM);
	mlxo_alloc_fail_at(0);
	mlxo_device_close(dev);
}

static void versions(void **state)
{
	(void)state;
	assert_string_equal(mlxo_version(), MLXO_VERSION);
	assert_non_null(strstr(mlxo_crypto_version(), "OpenSSL"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(names),
		cmocka_unit_test(every_command_of_open_may_fail),
		cmocka_unit_test(every_allocation_of_open_may_fail),
		cmocka_unit_test(profiles),
		cmocka_unit_test(a_refused_dealloc_at_close_is_one_line),
		cmocka_unit_test(every_command_may_fail),
		cmocka_unit_test(death_and_reset),
		cmocka_unit_test(both_count_the_same),
		cmocka_unit_test(controls_refuse),
		cmocka_unit_test(lists_without_memory),
		cmocka_unit_test(versions),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
