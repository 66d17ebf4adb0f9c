// SPDX-License-Identifier: BSD-2-Clause
/*
 * After a reset. The kernel's driver takes the RDMA device from its users and makes a new one, often of the same name, for
 * sure of the same PCI function:
 *
 *	firmware dies, or an operator resets it ─▶ IBV_EVENT_DEVICE_FATAL ─▶ every call says EIO ─▶ a new device
 *
 * Source: Linux drivers/infiniband/core/uverbs_main.c (ib_uverbs_free_hw_resources), mlx5/core/health.c.
 */
#include "device.h"
#include "names.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

struct mlx5_old {
	struct mlx5_old *next;
	struct ibv_context *ctx;
};

/* The EQ number is the kernel's own knowledge: no command is sent for it. */
bool mlx5_is_lost(struct ibv_context *ctx)
{
	uint32_t eqn;
	int err = mlx5dv_devx_query_eqn(ctx, 0, &eqn);

	return err == EIO || err == ENODEV || err == ENXIO;
}

void mlx5_old_close(struct prov_device *dev)
{
	struct mlx5_old *old;

	while ((old = dev->old)) {
		dev->old = old->next;
		ibv_close_device(old->ctx);
		free(old);
	}
}

static struct ibv_device *find_again(struct ibv_device **list, const struct prov_device *dev)
{
	const char *name = *dev->pci ? dev->pci : dev->base.name;

	for (struct ibv_device **ib = list; *ib; ib++)
		if (mlx5_name_is(*ib, name))
			return *ib;
	return NULL;
}

static int not_back(struct prov_device *dev, char *why, size_t whylen)
{
	snprintf(why, whylen, "device %s has not come back yet: try again later", dev->base.name);
	return -EIO;
}

static int open_again(struct prov_device *dev, struct ibv_context **ctx, char *why, size_t whylen)
{
	struct ibv_device **list = ibv_get_device_list(NULL), *ib;
	int err;

	ib = list ? find_again(list, dev) : NULL;
	if (!ib)
		err = not_back(dev, why, whylen);
	else
		err = mlx5_open_context(ib, ctx, why, whylen);
	if (list)
		ibv_free_device_list(list);
	return err == -ENOENT || err == -ENODEV || err == -ENXIO || err == -EIO
		       ? not_back(dev, why, whylen)
		       : err;
}

int mlx5_restart(struct prov_device *dev, char *why, size_t whylen)
{
	struct mlx5_old *old;
	struct ibv_context *ctx;
	int err;

	if (!mlx5_is_lost(mlx5_ctx(dev)))
		return 0;
	old = malloc(sizeof(*old));
	if (!old) {
		snprintf(why, whylen, "device %s: out of memory", dev->base.name);
		return -ENOMEM;
	}
	err = open_again(dev, &ctx, why, whylen);
	if (err) {
		free(old);
		return err;
	}
	mlx5_events_end(dev);
	old->ctx = mlx5_ctx(dev);
	old->next = dev->old;
	dev->old = old;
	atomic_store(&dev->ctx, ctx);
	return 0;
}
