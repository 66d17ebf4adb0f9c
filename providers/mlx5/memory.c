// SPDX-License-Identifier: BSD-2-Clause
/*
 * Memory that the device reads and writes: umems for rings, keys over umems for what WQEs name.
 *
 * A key is CREATE_MKEY in a PD of ours over a umem of ours: DevX takes no other kind, and a key of ibv_reg_mr() would
 * belong to a PD of the kernel. The umem is whole pages. When the memory does not start at a page, the key starts at the
 * page too: offset 0 of the umem is then where the key starts, whatever page the memory began in.
 *
 * Source: Linux hw/mlx5/devx.c, devx_set_umem_valid(), which sets mkey_umem_valid in every CREATE_MKEY, and devx_umem_cleanup().
 *
 * The kernel pins the pages and counts them against RLIMIT_MEMLOCK (-ENOMEM). It does not know which object uses a umem:
 * the firmware refuses to destroy it, and the kernel makes EINVAL of that, hence -EBUSY here.
 */
#include "device.h"
#include "result.h"
#include "prm/prm.h"

#include <errno.h>
#include <stdlib.h>

enum { LOG_PAGE = 12, PAGE = 1 << LOG_PAGE, ENTRIES_PER_OCTWORD = 2, NO_QPN = 0xffffff };

/* Registered memory, with a key or without. */
struct mlx5_memory {
	struct mlx5_left left;
	struct mlx5dv_devx_obj *key; /* NULL: none, or destroyed already */
	struct mlx5dv_devx_umem *umem;
};

static int destroy_memory(struct mlx5_left *left)
{
	struct mlx5_memory *m = (struct mlx5_memory *)left;
	int err = m->key ? mlx5dv_devx_obj_destroy(m->key) : 0;

	if (err)
		return err;
	m->key = NULL;
	return mlx5dv_devx_umem_dereg(m->umem);
}

/* NULL with *err set. */
static struct mlx5_memory *reg(struct prov_device *dev, void *addr, size_t len, int *err)
{
	struct ibv_context *ctx = mlx5_ctx(dev);
	struct mlx5_memory *m;

	*err = -EINVAL;
	if (!addr || !len)
		return NULL;
	*err = -ENOMEM;
	m = calloc(1, sizeof(*m));
	if (!m)
		return NULL;
	errno = 0;
	m->umem = mlx5dv_devx_umem_reg(ctx, addr, len, IBV_ACCESS_LOCAL_WRITE);
	if (!m->umem) {
		*err = mlx5_result(mlx5_failed());
		free(m);
		return NULL;
	}
	m->left.destroy = destroy_memory;
	mlx5_left_add(dev, ctx, &m->left);
	return m;
}

static int dereg(struct prov_device *dev, struct mlx5_memory *m)
{
	int err = destroy_memory(&m->left);

	if (err)
		return err == EINVAL || err == EREMOTEIO ? -EBUSY
							 : mlx5_left_failed(dev, &m->left, err);
	mlx5_left_remove(dev, &m->left);
	free(m);
	return 0;
}

int mlx5_umem_reg(struct prov_device *dev, void *addr, size_t len, struct prov_umem *umem)
{
	int err;
	struct mlx5_memory *m = reg(dev, addr, len, &err);

	if (!m)
		return err;
	*umem = (struct prov_umem){.addr = addr, .len = len, .id = m->umem->umem_id, .priv = m};
	return 0;
}

int mlx5_umem_dereg(struct prov_device *dev, struct prov_umem *umem)
{
	return dereg(dev, umem->priv);
}

/* pages: of the umem; start and len: of the key. */
static int create_key(uint32_t pd, size_t pages, uint64_t start, uint64_t len,
		      struct mlx5_memory *m, uint32_t *lkey)
{
	uint8_t in[PRM_BYTES(create_mkey_in)] = {0}, out[PRM_BYTES(create_mkey_out)] = {0};
	uint8_t *mkc = PRM_AT(create_mkey_in, in, memory_key_mkey_entry);
	size_t octwords = (pages + ENTRIES_PER_OCTWORD - 1) / ENTRIES_PER_OCTWORD;

	PRM_SET(create_mkey_in, in, opcode, PRM_CMD_OP_CREATE_MKEY);
	PRM_SET(create_mkey_in, in, mkey_umem_valid, 1);
	PRM_SET(create_mkey_in, in, mkey_umem_id, m->umem->umem_id);
	PRM_SET(create_mkey_in, in, translations_octword_actual_size, octwords);
	PRM_SET(mkc, mkc, access_mode_1_0, PRM_MKC_ACCESS_MODE_MTT);
	PRM_SET(mkc, mkc, lr, 1);
	PRM_SET(mkc, mkc, lw, 1);
	PRM_SET(mkc, mkc, qpn, NO_QPN);
	PRM_SET(mkc, mkc, pd, pd);
	PRM_SET(mkc, mkc, start_addr, start);
	PRM_SET(mkc, mkc, len, len);
	PRM_SET(mkc, mkc, translations_octword_size, octwords);
	PRM_SET(mkc, mkc, log_page_size, LOG_PAGE);
	errno = 0;
	m->key = mlx5dv_devx_obj_create(m->left.ctx, in, sizeof(in), out, sizeof(out));
	if (!m->key)
		return mlx5_result_of(mlx5_failed(), out);
	*lkey = (uint32_t)PRM_GET(create_mkey_out, out, mkey_index) << 8;
	return 0;
}

int mlx5_mr_reg(struct prov_device *dev, uint32_t pd, void *addr, size_t len, struct prov_mr *mr)
{
	uintptr_t skip = (uintptr_t)addr % PAGE;
	char *start = (char *)addr - skip;
	size_t pages = (skip + len + PAGE - 1) / PAGE;
	struct mlx5_memory *m;
	uint32_t lkey;
	int err;

	if (!addr || !len || len > SIZE_MAX - 2 * PAGE)
		return -EINVAL;
	m = reg(dev, start, pages * PAGE, &err);
	if (!m)
		return err;
	err = create_key(pd, pages, (uintptr_t)start, skip + len, m, &lkey);
	if (err) {
		if (err != -ETIMEDOUT) /* else the key may exist: the memory stays until close */
			dereg(dev, m);
		return err;
	}
	*mr = (struct prov_mr){.addr = addr, .len = len, .lkey = lkey, .priv = m};
	return 0;
}

int mlx5_mr_dereg(struct prov_device *dev, struct prov_mr *mr)
{
	return dereg(dev, mr->priv);
}
