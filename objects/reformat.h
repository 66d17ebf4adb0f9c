/* SPDX-License-Identifier: BSD-2-Clause */
/* Packet reformat context: header to add or remove when a rule names it. */
#ifndef OBJECTS_REFORMAT_H
#define OBJECTS_REFORMAT_H

#include "objects/object.h"

struct obj_reformat {
	struct obj obj;
};

struct obj_reformat_attr {
	uint8_t type;	 /* PRM_REFORMAT_TYPE_* */
	uint8_t param_0; /* 0..15 */
	const uint8_t *data;
	size_t len; /* bytes, 0..max_encap_header_size */
};

int obj_reformat_create(struct mlxo_device *dev, const struct obj_reformat_attr *attr,
			struct obj_reformat *reformat);
/* Transport mode: insert an ESP header with this SPI (host byte order) and ICV of 16 bytes behind an IPv4 or IPv6 header. */
int obj_reformat_create_add_esp(struct mlxo_device *dev, bool ipv6, uint32_t spi,
				struct obj_reformat *reformat);
/* Transport mode: remove the ESP header, padding, trailer and ICV. */
int obj_reformat_create_del_esp(struct mlxo_device *dev, struct obj_reformat *reformat);
int obj_reformat_destroy(struct mlxo_device *dev, struct obj_reformat *reformat);

#endif
