// SPDX-License-Identifier: BSD-2-Clause
/*
 * Doorbell pages (UARs) and the store that rings.
 *
 * Writer: the thread that posts; reader: the device.
 *   1. the doorbell record, in memory, was stored with release by the caller (queues/ring.h). The device may read it as
 *	soon as the register tells it to, so it must be seen before the register: a barrier between normal and device
 *	memory, which a release store alone is not.
 *   2. the register: 8 bytes in one store, so that threads that ring for different queues need no lock.
 *   3. a register of the kind BF is write-combining memory: the store may stay in the processor until something pushes it
 *	out, and the next one to the same address could replace it there. So it is pushed out at once.
 *
 * The two halves of a BF register, which libmlx5 takes in turns, are for whole WQEs that are written into it. A doorbell
 * of 8 bytes always goes to the first one, as in the kernel's driver.
 */
#include "device.h"
#include "result.h"

#include <endian.h>
#include <errno.h>
#include <stdlib.h>

/* Everything stored so far is seen before the register. A plain device register needs no instruction for it on x86. */
static inline void before_register(bool bf)
{
#if defined(__x86_64__)
	if (bf)
		__asm__ volatile("sfence" ::: "memory");
	else
		__asm__ volatile("" ::: "memory");
#elif defined(__aarch64__)
	__asm__ volatile("dmb oshst" ::: "memory");
#else
#error "which barrier orders stores to memory before stores to a device on this processor?"
#endif
}

/* What was stored to write-combining memory leaves the processor. */
static inline void flush_register(void)
{
#if defined(__x86_64__)
	__asm__ volatile("sfence" ::: "memory");
#else
	__asm__ volatile("dsb st" ::: "memory");
#endif
}

struct mlx5_uar {
	struct mlx5_left left;
	struct mlx5dv_devx_uar *devx;
	bool bf; /* write-combining */
};

static int destroy_uar(struct mlx5_left *left)
{
	mlx5dv_devx_free_uar(((struct mlx5_uar *)left)->devx);
	return 0;
}

int mlx5_uar_alloc(struct prov_device *dev, struct prov_uar *uar)
{
	struct ibv_context *ctx = mlx5_ctx(dev);
	struct mlx5_uar *u = calloc(1, sizeof(*u));
	int err;

	if (!u)
		return -ENOMEM;
	u->bf = true;
	u->devx = mlx5dv_devx_alloc_uar(ctx, MLX5DV_UAR_ALLOC_TYPE_BF);
	if (!u->devx) { /* virtual machines often have no write-combining memory */
		u->bf = false;
		errno = 0;
		u->devx = mlx5dv_devx_alloc_uar(ctx, MLX5DV_UAR_ALLOC_TYPE_NC);
	}
	if (!u->devx) {
		err = mlx5_result(mlx5_failed());
		free(u);
		return err;
	}
	u->left.destroy = destroy_uar;
	mlx5_left_add(dev, ctx, &u->left);
	*uar = (struct prov_uar){.page_id = u->devx->page_id, .reg = u->devx->reg_addr, .priv = u};
	return 0;
}

/* A page from before a reset stays until close: a queue that was not told yet may still ring it, which is in vain. */
int mlx5_uar_free(struct prov_device *dev, struct prov_uar *uar)
{
	struct mlx5_uar *u = uar->priv;

	if (mlx5_is_lost(u->left.ctx))
		return 0;
	destroy_uar(&u->left);
	mlx5_left_remove(dev, &u->left);
	free(u);
	return 0;
}

void mlx5_ring(struct prov_device *dev, struct prov_uar *uar, uint64_t ctrl)
{
	const struct mlx5_uar *u = uar->priv;

	before_register(u->bf);
	*(volatile uint64_t *)uar->reg = ctrl;
	if (u->bf)
		flush_register();
}

/* PRM, UAR page layout; MLX5_CQ_DOORBELL of libmlx5. */
void mlx5_ring_cq(struct prov_uar *uar, uint64_t doorbell)
{
	enum { CQ_DOORBELL = 0x20 };
	const struct mlx5_uar *u = uar->priv;

	before_register(u->bf);
	*(volatile uint64_t *)(void *)((char *)u->devx->base_addr + CQ_DOORBELL) =
		htobe64(doorbell);
	if (u->bf)
		flush_register();
}
