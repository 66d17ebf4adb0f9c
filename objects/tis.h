/* SPDX-License-Identifier: BSD-2-Clause */
/* TIS (transport interface send): where a send queue meets its transport domain. Plain, not for TLS. */
#ifndef OBJECTS_TIS_H
#define OBJECTS_TIS_H

#include "objects/object.h"

struct obj_tis {
	struct obj obj;
};

/* In the device's transport domain. */
int obj_tis_create(struct mlxo_device *dev, struct obj_tis *tis);
int obj_tis_destroy(struct mlxo_device *dev, struct obj_tis *tis);

#endif
