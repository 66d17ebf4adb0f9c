// SPDX-License-Identifier: BSD-2-Clause
/*
 * What was made on a device and not destroyed yet, the newest first.
 *
 * At close the newest goes first, because it may use older ones. Not always: a rule can be changed to lead to a table
 * that is younger than the rule. So the list is gone through again as long as anything could be destroyed. What the
 * firmware still refuses goes when the descriptor is closed: the kernel does the same, with all of the process's objects.
 */
#include "device.h"
#include "result.h"

#include <errno.h>
#include <stdlib.h>

void mlx5_left_add(struct prov_device *dev, struct ibv_context *ctx, struct mlx5_left *left)
{
	left->ctx = ctx;
	pthread_mutex_lock(&dev->lock);
	left->next = dev->left.next;
	left->prev = &dev->left;
	left->next->prev = left;
	dev->left.next = left;
	pthread_mutex_unlock(&dev->lock);
}

void mlx5_left_remove(struct prov_device *dev, struct mlx5_left *left)
{
	pthread_mutex_lock(&dev->lock);
	left->next->prev = left->prev;
	left->prev->next = left->next;
	pthread_mutex_unlock(&dev->lock);
}

/*
 * EIO is said of a device that is gone, and of one whose firmware refused with an internal error. Of what is gone, libmlx5
 * keeps a few bytes: it frees them only when the kernel agrees.
 */
int mlx5_left_failed(struct prov_device *dev, struct mlx5_left *left, int err)
{
	bool stale = left->ctx != mlx5_ctx(dev);

	if (mlx5_result(err) != -EIO)
		return mlx5_result(err);
	if (!stale && !mlx5_is_lost(left->ctx))
		return -EREMOTEIO;
	mlx5_left_remove(dev, left);
	free(left);
	return stale ? 0 : -EIO;
}

static bool destroy_once(struct prov_device *dev)
{
	bool any = false;

	for (struct mlx5_left *l = dev->left.next, *next; l != &dev->left; l = next) {
		next = l->next;
		if (l->destroy(l) == 0) {
			mlx5_left_remove(dev, l);
			free(l);
			any = true;
		}
	}
	return any;
}

void mlx5_left_destroy(struct prov_device *dev)
{
	while (dev->left.next != &dev->left && destroy_once(dev))
		;
	while (dev->left.next != &dev->left) {
		struct mlx5_left *l = dev->left.next;

		mlx5_left_remove(dev, l);
		free(l);
	}
}
