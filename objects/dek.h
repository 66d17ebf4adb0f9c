/* SPDX-License-Identifier: BSD-2-Clause */
/* Encryption key object (DEK): holds an AES key on the device. Source: PRM encryption_key_obj. */
#ifndef OBJECTS_DEK_H
#define OBJECTS_DEK_H

#include "objects/object.h"

struct obj_dek {
	struct obj obj; /* id: key number, fits the 24 bits of ipsec_obj.dekn */
};

struct obj_dek_attr {
	uint8_t purpose; /* PRM_GENERAL_OBJECT_TYPE_ENCRYPTION_KEY_PURPOSE_IPSEC */
	const uint8_t *key;
	size_t len; /* 16 or 32 bytes */
};

/*
 * Load one key. The first key of a device is preceded by SYNC_CRYPTO of all types: the device may still cache keys
 * of a former owner under the same numbers. -EINVAL: key length; else as obj_create().
 */
int obj_dek_create(struct mlxo_device *dev, const struct obj_dek_attr *attr, struct obj_dek *dek);
int obj_dek_destroy(struct mlxo_device *dev, struct obj_dek *dek);

#endif
