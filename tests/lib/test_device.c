// SPDX-License-Identifier: BSD-2-Clause
#include "tests/lib/test_device.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool test_device_is_mlx5(void)
{
	const char *device = getenv("MLXO_TEST_DEVICE");

	return device && strcmp(device, "mlx5") == 0;
}

void test_device_needs_model(const char *why)
{
	if (!test_device_is_mlx5())
		return;
	print_message("left out through libmlx5: %s\n", why);
	skip();
}

/* Once per program, and the name of the first device, so that a log says what it is the log of. */
static void say(const struct mlxo_device *dev)
{
	static atomic_flag said = ATOMIC_FLAG_INIT;

	if (!atomic_flag_test_and_set(&said))
		print_message("on device %s%s\n", mlxo_device_name(dev),
			      test_device_is_mlx5() ? " through libmlx5" : "");
}

#ifdef MLXO_MLX5

#include <dlfcn.h>
#include <errno.h>

#include "objects/device.h"
#include "objects/error.h"
#include "objects/model_control.h"
#include "providers/mlx5/device.h"
#include "providers/model/faces/uverbs/control.h"

enum { PATIENCE_MS = 2000 };

/* What the preloaded library offers. */
static struct {
	mlxo_face_card_open_fn card_open;
	mlxo_face_controls_fn controls;
	mlxo_face_settle_fn settle;
} face;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static struct prov_ops ops;

static const char *name_of(struct prov_device *prov)
{
	return ((struct prov_base *)prov)->name;
}

static void ring(struct prov_device *prov, struct prov_uar *uar, uint64_t ctrl)
{
	mlx5_prov_ops.ring(prov, uar, ctrl);
	face.settle(name_of(prov));
}

static bool under_way(struct prov_device *prov)
{
	bool some;

	pthread_mutex_lock(&prov->lock);
	some = prov->queued || prov->done || prov->running > prov->idle;
	pthread_mutex_unlock(&prov->lock);
	return some;
}

static int progress(struct prov_device *prov)
{
	int n = mlx5_prov_ops.progress(prov);

	n += face.settle(name_of(prov));
	for (int ms = 0; !n && ms < PATIENCE_MS && under_way(prov); ms++) {
		mlx5_prov_ops.wait(prov, 1);
		n = mlx5_prov_ops.progress(prov);
	}
	return n;
}

static const struct model_controls *find(struct prov_device *prov, struct prov_device **model)
{
	return face.controls(name_of(prov), model);
}

static void begin(void)
{
	*(void **)&face.card_open = dlsym(RTLD_DEFAULT, "mlxo_face_card_open");
	*(void **)&face.controls = dlsym(RTLD_DEFAULT, "mlxo_face_controls");
	*(void **)&face.settle = dlsym(RTLD_DEFAULT, "mlxo_face_settle");
	ops = mlx5_prov_ops;
	ops.ring = ring;
	ops.progress = progress;
	obj_model_find = find;
}

static int open_card(const char *model, struct mlxo_device **dev)
{
	char name[MLXO_FACE_NAME], why[256] = "";
	const char *options = strchr(model, ':');
	int err;

	*dev = NULL;
	if (strstr(model, "time=virtual"))
		test_device_needs_model("the clock of a NIC cannot be moved");
	pthread_once(&once, begin);
	if (!face.card_open || !face.controls || !face.settle) {
		fprintf(stderr, "MLXO_TEST_DEVICE=mlx5 needs libmlx5-model-uverbs.so in "
				"LD_PRELOAD\n");
		exit(1);
	}
	err = face.card_open(options ? options + 1 : "", name, why, sizeof(why));
	if (err)
		return obj_error(err, "%s", why);
	err = mlxo_device_open(name, dev);
	if (err)
		return err;
	((struct prov_base *)(*dev)->prov)->ops = &ops;
	(*dev)->ops = &ops;
	return 0;
}

#else

static int open_card(const char *model, struct mlxo_device **dev)
{
	fprintf(stderr, "MLXO_TEST_DEVICE=mlx5 needs a build with libmlx5\n");
	exit(1);
}

#endif

int test_device_open(const char *model, struct mlxo_device **dev)
{
	int err = test_device_is_mlx5() ? open_card(model, dev) : mlxo_device_open(model, dev);

	if (!err)
		say(*dev);
	return err;
}
