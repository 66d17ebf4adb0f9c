// SPDX-License-Identifier: BSD-2-Clause
/*
 * Opening and closing a device.
 *
 *	open: provider ─▶ capabilities ─▶ doorbell page ─▶ PD ─▶ transport domain
 *
 * close() destroys these in reverse; what callers left behind, and what is in quarantine, goes with the provider.
 */
#include "objects/alloc.h"
#include "objects/device.h"
#include "objects/error.h"
#include "objects/pd.h"
#include "objects/region.h"

#include <errno.h>
#include <string.h>

/* What all queues and objects share. */
static int make_shared(struct mlxo_device *dev)
{
	int err = dev->has_uar ? 0 : dev->ops->uar_alloc(dev->prov, &dev->uar);

	if (err)
		return obj_error(err, "device %s gave no doorbell page: %s", mlxo_device_name(dev),
				 strerror(-err));
	dev->has_uar = true;
	if (!obj_is_live(&dev->pd))
		err = obj_pd_create(dev, &dev->pd);
	if (!err && !obj_is_live(&dev->td))
		err = obj_td_create(dev, &dev->td);
	return err;
}

/* Everything that needs commands. On failure close() undoes what there is. */
static int start(struct mlxo_device *dev)
{
	int err = obj_caps_read(dev);

	return err ? err : make_shared(dev);
}

/* What something else still uses stays. */
static void drop_shared(struct mlxo_device *dev)
{
	int err;

	obj_undo_begin(); /* nobody can be told but the log */
	obj_destroy(dev, &dev->td);
	obj_destroy(dev, &dev->pd);
	obj_undo_end();
	err = dev->has_uar ? dev->ops->uar_free(dev->prov, &dev->uar) : 0;
	dev->has_uar = dev->has_uar && err && err != -EIO && !obj_is_unknown(err);
}

static int restart_provider(struct mlxo_device *dev)
{
	char why[256] = "";
	int err = dev->ops->restart ? dev->ops->restart(dev->prov, why, sizeof(why)) : 0;

	return err ? obj_error(err, "%s", why) : 0;
}

int obj_device_restart(struct mlxo_device *dev)
{
	int err;

	drop_shared(dev);
	err = restart_provider(dev);
	if (err)
		return err;
	pthread_mutex_lock(&dev->keys_lock);
	dev->keys_synced = false;
	pthread_mutex_unlock(&dev->keys_lock);
	return make_shared(dev);
}

static struct mlxo_device *device_new(void)
{
	struct mlxo_device *dev = mlxo_calloc(1, sizeof(*dev));
	size_t n;

	if (!dev)
		return NULL;
	prm_opcodes(&n);
	dev->counts = mlxo_calloc(n, sizeof(*dev->counts));
	if (!dev->counts) {
		mlxo_free(dev);
		return NULL;
	}
	dev->ncounts = n;
	pthread_mutex_init(&dev->lock, NULL);
	pthread_mutex_init(&dev->keys_lock, NULL);
	pthread_mutex_init(&dev->doubt_lock, NULL);
	return dev;
}

static void device_free(struct mlxo_device *dev)
{
	pthread_mutex_destroy(&dev->doubt_lock);
	pthread_mutex_destroy(&dev->keys_lock);
	pthread_mutex_destroy(&dev->lock);
	mlxo_free(dev->quarantine);
	mlxo_free(dev->counts);
	mlxo_free(dev);
}

int obj_device_open_on(struct prov_device *prov, struct mlxo_device **out)
{
	struct mlxo_device *dev = device_new();
	int err;

	*out = NULL;
	if (!dev) {
		prov_ops(prov)->close(prov);
		return obj_error_nomem("a device");
	}
	dev->prov = prov;
	dev->ops = prov_ops(prov);
	err = start(dev);
	if (err) {
		mlxo_device_close(dev);
		return err;
	}
	*out = dev;
	return 0;
}

void mlxo_device_close(struct mlxo_device *dev)
{
	if (!dev)
		return;
	drop_shared(dev);
	dev->ops->close(dev->prov);
	obj_region_free_kept(dev);
	device_free(dev);
}

const char *mlxo_device_name(const struct mlxo_device *dev)
{
	return ((const struct prov_base *)dev->prov)->name;
}

bool mlxo_device_is_named(struct mlxo_device *dev, const char *name)
{
	return dev->ops->is_named(dev->prov, name);
}

int mlxo_device_progress(struct mlxo_device *dev)
{
	int n = dev->ops->progress(dev->prov);

	return n < 0 ? obj_error(n, "device %s: %s", mlxo_device_name(dev), strerror(-n)) : n;
}

int mlxo_device_wait(struct mlxo_device *dev, int timeout_ms)
{
	int err = dev->ops->wait(dev->prov, timeout_ms);

	return err < 0 ? obj_error(err, "device %s: %s", mlxo_device_name(dev), strerror(-err))
		       : err;
}

uint64_t mlxo_device_now(struct mlxo_device *dev)
{
	return dev->ops->now(dev->prov);
}

int mlxo_device_fd(struct mlxo_device *dev)
{
	int fd = dev->ops->fd(dev->prov);

	return fd < 0 ? obj_error(fd, "device %s has no descriptor to poll: call wait()",
				  mlxo_device_name(dev))
		      : fd;
}
