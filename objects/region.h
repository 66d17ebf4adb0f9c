/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Memory that the device may touch: for rings (umem) or for packets (memory region with a key).
 *
 * While an object that may still use it exists, or may exist, the memory must not be freed: a region whose
 * registration cannot be ended is kept by the device until the device is closed.
 */
#ifndef OBJECTS_REGION_H
#define OBJECTS_REGION_H

#include "objects/device.h"

struct obj_region {
	uint8_t *addr; /* page aligned, zeroed */
	size_t len;
	bool is_mr;
	bool foreign;		 /* the memory is the user's */
	bool gone;		 /* not registered at the moment */
	bool doubt;		 /* the device may still use it under an older registration */
	struct prov_umem umem;	 /* !is_mr: umem.id */
	struct prov_mr mr;	 /* is_mr: mr.lkey */
	struct obj_region *next; /* the device's list of kept ones */
};

int obj_region_create_umem(struct mlxo_device *dev, size_t len, struct obj_region **region);
int obj_region_create_mr(struct mlxo_device *dev, size_t len, struct obj_region **region);
/* Over memory of the user's, which stays. */
int obj_region_adopt_mr(struct mlxo_device *dev, void *addr, size_t len,
			struct obj_region **region);
/*
 * Around a reset of the device, which takes registrations away: end it, whether it is still there or not; register again.
 * The keys change. Both may be called again after a failure.
 */
int obj_region_drop(struct mlxo_device *dev, struct obj_region *region);
int obj_region_renew(struct mlxo_device *dev, struct obj_region *region);
/* NULL is allowed. */
void obj_region_destroy(struct mlxo_device *dev, struct obj_region *region);
/* When nothing on the device lives any more. */
void obj_region_free_kept(struct mlxo_device *dev);

#endif
