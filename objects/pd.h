/* SPDX-License-Identifier: BSD-2-Clause */
/* Protection domain and transport domain. A device has one of each (device.h); nobody else needs more. */
#ifndef OBJECTS_PD_H
#define OBJECTS_PD_H

#include "objects/object.h"

/* ALLOC_PD / DEALLOC_PD. id: pd, 24 bits. */
int obj_pd_create(struct mlxo_device *dev, struct obj *pd);
/* ALLOC_TRANSPORT_DOMAIN / DEALLOC_TRANSPORT_DOMAIN. id: 24 bits. */
int obj_td_create(struct mlxo_device *dev, struct obj *td);

#endif
