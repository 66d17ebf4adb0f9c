/* SPDX-License-Identifier: BSD-2-Clause */
/* TIR (transport interface receive): what a rule names to hand packets to a receive queue. Direct, no hashing. */
#ifndef OBJECTS_TIR_H
#define OBJECTS_TIR_H

#include "objects/rq.h"

struct obj_tir {
	struct obj obj;
};

/* In the device's transport domain; frames that this function sends do not come back to it. */
int obj_tir_create(struct mlxo_device *dev, const struct obj_rq *rq, struct obj_tir *tir);
int obj_tir_destroy(struct mlxo_device *dev, struct obj_tir *tir);

#endif
