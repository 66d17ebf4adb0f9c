/* SPDX-License-Identifier: BSD-2-Clause */
/* Encryption key object (DEK): holds an AES key on the device. Source: PRM encryption_key_obj. */
#ifndef OBJECTS_DEK_H
#define OBJECTS_DEK_H

#include "objects/job.h"

struct obj_dek {
	struct obj obj; /* id: key number, fits the 24 bits of ipsec_obj.dekn */
};

struct obj_dek_attr {
	uint8_t purpose; /* PRM_GENERAL_OBJECT_TYPE_ENCRYPTION_KEY_PURPOSE_* */
	const uint8_t *key;
	size_t len; /* 16 or 32 bytes */
};

/*
 * Load one key. The first key of a device is preceded by SYNC_CRYPTO of all types: the device may still cache keys
 * of a former owner under the same numbers. -EINVAL: key length; else as obj_create().
 */
int obj_dek_create(struct mlxo_device *dev, const struct obj_dek_attr *attr, struct obj_dek *dek);
/* The same without waiting. The bytes of the key are copied into the task and wiped there. */
int obj_dek_create_start(struct obj_task *task, struct mlxo_device *dev,
			 const struct obj_dek_attr *attr, struct obj_dek *dek);
/* 2^log_range empty keys under consecutive numbers from dek->obj.id, one object. attr->key is not read. */
int obj_dek_create_bulk_start(struct obj_task *task, struct mlxo_device *dev,
			      const struct obj_dek_attr *attr, unsigned int log_range,
			      struct obj_dek *dek);
/*
 * Write the key at `offset` of a bulk (0 of a single key). Its number is dek->obj.id + offset. A number that was used
 * before needs a SYNC_CRYPTO between the last use of the old key and this, else the device may go on with the old one.
 */
int obj_dek_load_start(struct obj_task *task, struct mlxo_device *dev,
		       const struct obj_dek_attr *attr, struct obj_dek *dek, uint32_t offset);
/* SYNC_CRYPTO of the keys of one purpose: from then on their numbers may be used for new keys. */
int obj_keys_sync_start(struct obj_task *task, struct mlxo_device *dev, uint8_t purpose);
int obj_dek_destroy(struct mlxo_device *dev, struct obj_dek *dek);

#endif
