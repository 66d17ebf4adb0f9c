/* SPDX-License-Identifier: BSD-2-Clause */
/* Modify header context: values that a rule writes into header fields and metadata registers. */
#ifndef OBJECTS_MODIFY_HEADER_H
#define OBJECTS_MODIFY_HEADER_H

#include "objects/object.h"

#define OBJ_MODHDR_MAX 16 /* actions in one context */

struct obj_modhdr {
	struct obj obj;
};

/* SET: write `length` bits (1..32) of data at bit `offset` of the field, counted from its least significant bit. */
struct obj_modhdr_set {
	uint16_t field; /* PRM_ACTION_IN_FIELD_* */
	uint8_t offset, length;
	uint32_t data;
};

/* table_type: PRM_FLOW_TABLE_TYPE_NIC_RX or _TX. n 1..OBJ_MODHDR_MAX. */
int obj_modhdr_create(struct mlxo_device *dev, uint8_t table_type,
		      const struct obj_modhdr_set *sets, size_t n, struct obj_modhdr *modhdr);
int obj_modhdr_destroy(struct mlxo_device *dev, struct obj_modhdr *modhdr);
/* Field id of metadata register reg_c_<n>, n 0..7. */
uint16_t obj_modhdr_reg_c(unsigned int n);

#endif
