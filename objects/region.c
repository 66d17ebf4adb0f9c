// SPDX-License-Identifier: BSD-2-Clause
/* Registered memory. Locks: dev->lock guards the list of kept regions. */
#include "objects/region.h"
#include "objects/alloc.h"
#include "objects/error.h"

#include <errno.h>
#include <string.h>

enum { PAGE = 4096 };

static void region_free(struct obj_region *r)
{
	if (!r->foreign)
		mlxo_free(r->addr);
	mlxo_free(r);
}

static struct obj_region *region_new(size_t len)
{
	struct obj_region *r = mlxo_calloc(1, sizeof(*r));

	if (!r)
		return NULL;
	r->len = (len + PAGE - 1) & ~(size_t)(PAGE - 1);
	r->addr = mlxo_alloc_pages(PAGE, r->len);
	if (!r->addr) {
		mlxo_free(r);
		return NULL;
	}
	return r;
}

static enum obj_kind kind_of(const struct obj_region *r)
{
	return r->is_mr ? OBJ_MKEY : OBJ_UMEM;
}

static uint32_t id_of(const struct obj_region *r)
{
	return r->is_mr ? r->mr.lkey >> 8 : r->umem.id;
}

static void keep(struct mlxo_device *dev, struct obj_region *r)
{
	pthread_mutex_lock(&dev->lock);
	r->next = dev->kept;
	dev->kept = r;
	pthread_mutex_unlock(&dev->lock);
}

static int reg(struct mlxo_device *dev, struct obj_region *r)
{
	return r->is_mr ? dev->ops->mr_reg(dev->prov, dev->pd.id, r->addr, r->len, &r->mr)
			: dev->ops->umem_reg(dev->prov, r->addr, r->len, &r->umem);
}

static struct obj_region *region_adopt(void *addr, size_t len)
{
	struct obj_region *r = mlxo_calloc(1, sizeof(*r));

	if (r) {
		r->addr = addr;
		r->len = len;
		r->foreign = true;
	}
	return r;
}

/* addr NULL: memory of its own. */
static int create(struct mlxo_device *dev, void *addr, size_t len, bool is_mr,
		  struct obj_region **region)
{
	struct obj_region *r;
	int err = obj_quarantine_reserve(dev);

	*region = NULL;
	if (err)
		return err;
	r = addr ? region_adopt(addr, len) : region_new(len);
	if (!r) {
		obj_quarantine_release(dev);
		return obj_error_nomem("a queue");
	}
	r->is_mr = is_mr;
	err = reg(dev, r);
	if (!err) {
		*region = r;
		return 0;
	}
	if (obj_is_unknown(err)) {
		obj_quarantine_add(dev, kind_of(r), 0, is_mr ? "CREATE_MKEY" : "CREATE_UMEM");
		keep(dev, r);
	} else {
		obj_quarantine_release(dev);
		region_free(r);
	}
	return obj_error(err, "device %s cannot register %zu bytes of memory: %s%s",
			 mlxo_device_name(dev), len, strerror(-err),
			 err == -ENOMEM ? " (a NIC's memory counts as locked: see ulimit -l)" : "");
}

int obj_region_create_umem(struct mlxo_device *dev, size_t len, struct obj_region **region)
{
	return create(dev, NULL, len, false, region);
}

int obj_region_create_mr(struct mlxo_device *dev, size_t len, struct obj_region **region)
{
	return create(dev, NULL, len, true, region);
}

int obj_region_adopt_mr(struct mlxo_device *dev, void *addr, size_t len, struct obj_region **region)
{
	return create(dev, addr, len, true, region);
}

static int dereg(struct mlxo_device *dev, struct obj_region *r)
{
	return r->is_mr ? dev->ops->mr_dereg(dev->prov, &r->mr)
			: dev->ops->umem_dereg(dev->prov, &r->umem);
}

/* A refusal of the firmware is worth a second attempt: nobody makes one later. */
static int dereg_twice(struct mlxo_device *dev, struct obj_region *r)
{
	int err = dereg(dev, r);

	return err == -EREMOTEIO ? dereg(dev, r) : err;
}

/* r goes on: what may be left of an older registration is listed apart. */
static void doubt(struct mlxo_device *dev, struct obj_region *r, uint32_t id, const char *op)
{
	r->doubt = true;
	if (!obj_quarantine_reserve(dev))
		obj_quarantine_add(dev, kind_of(r), id, op);
}

int obj_region_drop(struct mlxo_device *dev, struct obj_region *r)
{
	int err = r->gone ? 0 : dereg_twice(dev, r);

	if (obj_is_unknown(err))
		doubt(dev, r, id_of(r), r->is_mr ? "DESTROY_MKEY" : "DESTROY_UMEM");
	else if (err && err != -EIO)
		return obj_error(err, "device %s does not let go of %zu bytes of memory: %s",
				 mlxo_device_name(dev), r->len, strerror(-err));
	r->gone = true;
	return 0;
}

int obj_region_renew(struct mlxo_device *dev, struct obj_region *r)
{
	int err = obj_region_drop(dev, r);

	if (err)
		return err;
	err = reg(dev, r);
	if (obj_is_unknown(err))
		doubt(dev, r, 0, r->is_mr ? "CREATE_MKEY" : "CREATE_UMEM");
	r->gone = err;
	return err ? obj_error(err, "device %s cannot register %zu bytes of memory again: %s",
			       mlxo_device_name(dev), r->len, strerror(-err))
		   : 0;
}

void obj_region_destroy(struct mlxo_device *dev, struct obj_region *r)
{
	int err;

	if (!r)
		return;
	err = r->gone ? 0 : dereg_twice(dev, r);
	if (!err) {
		obj_quarantine_release(dev);
		if (r->doubt)
			keep(dev, r);
		else
			region_free(r);
		return;
	}
	obj_log(MLXO_LOG_WARN,
		"%zu bytes of memory stay with device %s until it is closed: it may still use them "
		"(%s)",
		r->len, mlxo_device_name(dev), strerror(-err));
	if (obj_is_unknown(err) || (err != -EIO && !obj_quarantine_empty(dev)))
		obj_quarantine_add(dev, kind_of(r), id_of(r),
				   r->is_mr ? "DESTROY_MKEY" : "DESTROY_UMEM");
	else
		obj_quarantine_release(dev);
	keep(dev, r);
}

void obj_region_free_kept(struct mlxo_device *dev)
{
	struct obj_region *r;

	while ((r = dev->kept)) {
		dev->kept = r->next;
		region_free(r);
	}
}
