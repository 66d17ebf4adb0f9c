/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * TIS (transport interface send): where a send queue meets its transport domain. A plain one is a queue's default; one
 * with tls_en is the handle of a TLS context, whose content WQEs set (queues/tls.h). Source: PRM tisc.
 */
#ifndef OBJECTS_TIS_H
#define OBJECTS_TIS_H

#include "objects/job.h"

struct obj_tis {
	struct obj obj;
};

/* In the device's transport domain. */
int obj_tis_create(struct mlxo_device *dev, struct obj_tis *tis);
/* A TLS context: with the device's PD. In a WQE number 0 means "no TLS": whoever gets that number must not use it. */
int obj_tis_create_tls_start(struct obj_task *task, struct mlxo_device *dev, struct obj_tis *tis);
int obj_tis_destroy(struct mlxo_device *dev, struct obj_tis *tis);

#endif
