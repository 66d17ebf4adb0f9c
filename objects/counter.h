/* SPDX-License-Identifier: BSD-2-Clause */
/* Flow counter: packets and bytes (Ethernet frame without FCS) of the rules that name it. */
#ifndef OBJECTS_COUNTER_H
#define OBJECTS_COUNTER_H

#include "objects/object.h"

struct obj_counter {
	struct obj obj;
};

int obj_counter_create(struct mlxo_device *dev, struct obj_counter *counter);
int obj_counter_destroy(struct mlxo_device *dev, struct obj_counter *counter);
/* A counter that is not live reads as 0 and returns 0. packets, bytes may be NULL. */
int obj_counter_query(struct mlxo_device *dev, const struct obj_counter *counter, uint64_t *packets,
		      uint64_t *bytes);

#endif
