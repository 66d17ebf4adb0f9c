// SPDX-License-Identifier: BSD-2-Clause
/*
 * Options of the model's device name that describe time: time=, speed=, host=. What they do is in test_model_vtime.c.
 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include <mlx5_offload/device.h>
#include <mlx5_offload/model.h>

#include "providers/provider.h"

static void wrong_spellings_are_refused(void **state)
{
	static const char *const bad[] = {
		"time=virtuel",
		"time=",
		"speed=0",
		"speed=fast",
		"speed=100g",
		"speed=100000T",
		"speed=-1G",
		"speed=nan",
		"speed=1000",
		"host=open:xx",
		"host=",
		"host=open:2us;byte",
		"host=byte:2s",
		"host=threads:0",
		"host=threads:1x",
		"host=close:2us",
		"host=open:-1us",
		"open:2us",
		"mtu=1500,open:2us",
		"host=open:1us,byte:fast",
		"host=open:1us,1",
		"speed=",
	};

	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		char name[128] = "model:", why[256] = "";
		struct prov_device *dev;

		strcat(name, bad[i]);
		assert_int_equal(prov_open(name, &dev, why, sizeof(why)), -EINVAL);
		assert_null(dev);
		assert_non_null(strstr(why, "allowed "));
		assert_null(strchr(why, '\n'));
	}
}

static void host_costs(void **state)
{
	static const struct {
		const char *name;
		struct mlxo_model_host host;
	} t[] = {
		{"model", {2000000, 400, 4}},
		{"model:host=open:3us;byte:0.25ns;threads:16", {3000000, 250, 16}},
		{"model:host=open:3us,byte:0.25ns,threads:16,mtu=1500", {3000000, 250, 16}},
		{"model:host=byte:7ps,time=virtual", {2000000, 7, 4}},
		{"model:mtu=1500,host=threads:1,open:0ns", {0, 400, 1}},
	};

	for (size_t i = 0; i < sizeof(t) / sizeof(t[0]); i++) {
		struct mlxo_model_host host;
		struct mlxo_device *dev;

		assert_int_equal(mlxo_device_open(t[i].name, &dev), 0);
		assert_int_equal(mlxo_model_host(dev, &host), 0);
		assert_int_equal(host.open_ps, t[i].host.open_ps);
		assert_int_equal(host.byte_ps, t[i].host.byte_ps);
		assert_int_equal(host.threads, t[i].host.threads);
		mlxo_device_close(dev);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(wrong_spellings_are_refused),
		cmocka_unit_test(host_costs),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
