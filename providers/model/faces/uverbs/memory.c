// SPDX-License-Identifier: BSD-2-Clause
/*
 * Memory that the device uses (umem) and doorbell pages (UAR). A page is told by an offset to map; what is mapped is
 * memory shared with the card's thread, and a store into it rings nothing by itself (device.c).
 */
#include "uverbs.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

struct uv_umem {
	struct uv_obj o;
	uint32_t id;
};

struct uv_uar {
	struct uv_obj o;
	uint32_t page;
	void *view; /* ours; NULL: none */
};

int uv_umem_new(struct uv_ctx *ctx, uint64_t addr, uint64_t len, uint32_t *id)
{
	struct model_dev *m = uv_model(ctx->card);
	struct model_umem *umem;
	bool limit;
	int err = uv_mapped(addr, len);

	if (err)
		return err;
	if (atomic_load(&m->dead))
		return -EIO;
	pthread_rwlock_wrlock(&m->objs);
	umem = model_obj_new(m, MODEL_UMEM, ctx->uid, sizeof(*umem), 1, &limit);
	if (umem) {
		umem->addr = (uint8_t *)(uintptr_t)addr;
		umem->len = len;
		*id = umem->o.id;
	}
	pthread_rwlock_unlock(&m->objs);
	return umem ? 0 : -ENOMEM;
}

int uv_umem_delete(struct uv_ctx *ctx, uint32_t id)
{
	struct model_dev *m = uv_model(ctx->card);
	struct model_obj *o;
	int err = 0;

	if (uv_ctx_is_stale(ctx))
		return 0;
	pthread_rwlock_wrlock(&m->objs);
	o = model_obj_find(m, MODEL_UMEM, id);
	if (o && o->users)
		err = -EBUSY;
	else if (o)
		model_obj_free(m, o);
	pthread_rwlock_unlock(&m->objs);
	return err; /* not there: gone with a reset of the device */
}

static int umem_destroy(struct uv_ctx *ctx, struct uv_obj *o)
{
	struct uv_umem *umem = (struct uv_umem *)o;

	return uv_umem_delete(ctx, umem->id);
}

static const struct uv_class umem_class = {MLX5_IB_OBJECT_DEVX_UMEM, sizeof(struct uv_umem),
					   umem_destroy, NULL};

static int umem_reg(struct uv_call *c)
{
	struct uv_umem *umem = (struct uv_umem *)c->made;
	uint64_t addr, len, access, pages;
	int err;

	if (!c->ctx->devx)
		return -EINVAL;
	err = uv_in(c, MLX5_IB_ATTR_DEVX_UMEM_REG_ADDR, &addr, sizeof(addr));
	if (!err)
		err = uv_in(c, MLX5_IB_ATTR_DEVX_UMEM_REG_LEN, &len, sizeof(len));
	if (!err)
		err = uv_in(c, MLX5_IB_ATTR_DEVX_UMEM_REG_ACCESS, &access, sizeof(access));
	if (!err)
		err = uv_in(c, MLX5_IB_ATTR_DEVX_UMEM_REG_PGSZ_BITMAP, &pages, sizeof(pages));
	if (err)
		return err;
	if ((access &
	     ~(uint64_t)(IB_UVERBS_ACCESS_LOCAL_WRITE | IB_UVERBS_ACCESS_REMOTE_WRITE |
			 IB_UVERBS_ACCESS_REMOTE_READ | IB_UVERBS_ACCESS_RELAXED_ORDERING)) ||
	    (uv_has(c, MLX5_IB_ATTR_DEVX_UMEM_REG_PGSZ_BITMAP) &&
	     !(pages & ~(uint64_t)(UV_PAGE - 1))))
		return -EINVAL;
	err = uv_umem_new(c->ctx, addr, len, &umem->id);
	if (err)
		return err;
	err = uv_out(c, MLX5_IB_ATTR_DEVX_UMEM_REG_OUT_ID, &umem->id, sizeof(umem->id));
	if (err)
		uv_umem_delete(c->ctx, umem->id);
	return err;
}

/* -- UAR ------------------------------------------------------------------------------------------------------- */

/* The page in the card's memory, mapped for us. */
static int watch_page(struct uv_card *card, struct uv_uar *uar)
{
	off_t at = (off_t)uar->page * UV_PAGE;
	struct uv_watch w = {.what = UV_WATCH_UAR, .number = uar->page};
	struct stat st;
	int err = 0;

	pthread_mutex_lock(&card->lock);
	if (card->pages < 0) {
		card->pages = memfd_create("mlx5-model-uar", MFD_CLOEXEC);
		if (card->pages >= 0)
			card->pages = uv_hide(card->pages);
	}
	if (card->pages < 0 || fstat(card->pages, &st) ||
	    (st.st_size < at + UV_PAGE && ftruncate(card->pages, at + UV_PAGE)))
		err = -ENOMEM;
	else
		uar->view =
			mmap(NULL, UV_PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, card->pages, at);
	pthread_mutex_unlock(&card->lock);
	if (err || uar->view == MAP_FAILED) {
		uar->view = NULL;
		return -ENOMEM;
	}
	memset(uar->view, 0, UV_PAGE); /* of an older UAR of this number */
	w.page = uar->view;
	return uv_watch_add(card, &w);
}

static void unmap_page(struct uv_uar *uar)
{
	if (uar->view)
		munmap(uar->view, UV_PAGE);
	uar->view = NULL;
}

static void unwatch_page(struct uv_ctx *ctx, struct uv_uar *uar)
{
	uv_watch_remove(ctx, UV_WATCH_UAR, uar->page);
	unmap_page(uar);
}

static int uar_destroy(struct uv_ctx *ctx, struct uv_obj *o)
{
	struct uv_uar *uar = (struct uv_uar *)o;
	uint8_t in[PRM_BYTES(dealloc_uar_in)] = {0}, out[PRM_BYTES(dealloc_uar_out)] = {0};
	int err;

	if (uv_ctx_is_gone(ctx)) {
		unwatch_page(ctx, uar);
		return 0;
	}
	PRM_SET(dealloc_uar_in, in, opcode, PRM_CMD_OP_DEALLOC_UAR);
	PRM_SET(dealloc_uar_in, in, uar, uar->page);
	err = uv_exec(ctx, in, sizeof(in), out, sizeof(out));
	if (err)
		return err == -EREMOTEIO ? uv_status_errno(out) : err;
	unwatch_page(ctx, uar);
	return 0;
}

static const struct uv_class uar_class = {MLX5_IB_OBJECT_UAR, sizeof(struct uv_uar), uar_destroy,
					  NULL};

bool uv_page_is_mappable(struct uv_ctx *ctx, uint64_t offset)
{
	bool found = false;

	pthread_mutex_lock(&ctx->lock);
	for (struct uv_obj *o = ctx->objs; o && !found; o = o->next)
		found = o->cls == &uar_class &&
			offset == (uint64_t)((struct uv_uar *)o)->page * UV_PAGE;
	pthread_mutex_unlock(&ctx->lock);
	return found;
}

static int uar_alloc(struct uv_call *c)
{
	uint8_t in[PRM_BYTES(alloc_uar_in)] = {0}, out[PRM_BYTES(alloc_uar_out)] = {0};
	struct uv_uar *uar = (struct uv_uar *)c->made;
	uint64_t type, offset;
	uint32_t length = UV_PAGE;
	int err = uv_in(c, MLX5_IB_ATTR_UAR_OBJ_ALLOC_TYPE, &type, sizeof(type));

	if (err)
		return err;
	if (type > MLX5_IB_UAPI_UAR_ALLOC_TYPE_NC)
		return -EOPNOTSUPP;
	PRM_SET(alloc_uar_in, in, opcode, PRM_CMD_OP_ALLOC_UAR);
	err = uv_exec(c->ctx, in, sizeof(in), out, sizeof(out));
	if (err)
		return err == -EREMOTEIO ? uv_status_errno(out) : err;
	uar->page = (uint32_t)PRM_GET(alloc_uar_out, out, uar);
	offset = (uint64_t)uar->page * UV_PAGE;
	err = watch_page(c->ctx->card, uar);
	if (!err)
		err = uv_out(c, MLX5_IB_ATTR_UAR_OBJ_ALLOC_MMAP_OFFSET, &offset, sizeof(offset));
	if (!err)
		err = uv_out(c, MLX5_IB_ATTR_UAR_OBJ_ALLOC_MMAP_LENGTH, &length, sizeof(length));
	if (!err)
		err = uv_out(c, MLX5_IB_ATTR_UAR_OBJ_ALLOC_PAGE_ID, &uar->page, sizeof(uar->page));
	if (err)
		uar_destroy(c->ctx, c->made);
	return err;
}

/* clang-format off */
static const struct uv_spec umem_reg_specs[] = {
	{MLX5_IB_ATTR_DEVX_UMEM_REG_HANDLE, UV_ATTR_OBJ_NEW, true, 0, 0, 0},
	{MLX5_IB_ATTR_DEVX_UMEM_REG_ADDR, UV_ATTR_IN, true, 0, 8, 8},
	{MLX5_IB_ATTR_DEVX_UMEM_REG_LEN, UV_ATTR_IN, true, 0, 8, 8},
	{MLX5_IB_ATTR_DEVX_UMEM_REG_ACCESS, UV_ATTR_IN, false, 0, 4, 8},
	{MLX5_IB_ATTR_DEVX_UMEM_REG_PGSZ_BITMAP, UV_ATTR_IN, false, 0, 8, 8},
	{MLX5_IB_ATTR_DEVX_UMEM_REG_OUT_ID, UV_ATTR_OUT, true, 0, 4, 0},
};
static const struct uv_spec umem_dereg_specs[] = {
	{MLX5_IB_ATTR_DEVX_UMEM_DEREG_HANDLE, UV_ATTR_OBJ_DESTROY, true, MLX5_IB_OBJECT_DEVX_UMEM, 0, 0},
};
static const struct uv_spec uar_alloc_specs[] = {
	{MLX5_IB_ATTR_UAR_OBJ_ALLOC_HANDLE, UV_ATTR_OBJ_NEW, true, 0, 0, 0},
	{MLX5_IB_ATTR_UAR_OBJ_ALLOC_TYPE, UV_ATTR_IN, true, 0, 4, 8},
	{MLX5_IB_ATTR_UAR_OBJ_ALLOC_MMAP_OFFSET, UV_ATTR_OUT, true, 0, 8, 0},
	{MLX5_IB_ATTR_UAR_OBJ_ALLOC_MMAP_LENGTH, UV_ATTR_OUT, true, 0, 4, 0},
	{MLX5_IB_ATTR_UAR_OBJ_ALLOC_PAGE_ID, UV_ATTR_OUT, true, 0, 4, 0},
};
static const struct uv_spec uar_destroy_specs[] = {
	{MLX5_IB_ATTR_UAR_OBJ_DESTROY_HANDLE, UV_ATTR_OBJ_DESTROY, true, MLX5_IB_OBJECT_UAR, 0, 0},
};

const struct uv_method uv_memory_methods[] = {
	UV_METHOD(MLX5_IB_OBJECT_DEVX_UMEM, MLX5_IB_METHOD_DEVX_UMEM_REG, &umem_class, umem_reg, umem_reg_specs),
	UV_METHOD(MLX5_IB_OBJECT_DEVX_UMEM, MLX5_IB_METHOD_DEVX_UMEM_DEREG, NULL, uv_destroyed, umem_dereg_specs),
	UV_METHOD(MLX5_IB_OBJECT_UAR, MLX5_IB_METHOD_UAR_OBJ_ALLOC, &uar_class, uar_alloc, uar_alloc_specs),
	UV_METHOD(MLX5_IB_OBJECT_UAR, MLX5_IB_METHOD_UAR_OBJ_DESTROY, NULL, uv_destroyed, uar_destroy_specs),
	{0},
};
/* clang-format on */
