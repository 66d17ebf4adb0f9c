// SPDX-License-Identifier: BSD-2-Clause
/*
 * CREATE_GENERAL_OBJECT of an encryption key, with its key in the command.
 *
 * The key field has 8 places of 128 bits: a 256-bit key fills the first two, a 128-bit key the second alone (Linux
 * mlx5/core/lib/crypto.c). The command buffer is wiped by obj_create() on every way out.
 */
#include "objects/dek.h"
#include "objects/device.h"
#include "objects/error.h"

#include <errno.h>
#include <string.h>

enum { KEY128 = 16, KEY256 = 32, SYNC_ALL = 1 };

int obj_keys_sync_once(struct mlxo_device *dev)
{
	uint8_t in[PRM_BYTES(sync_crypto_in)] = {0}, out[PRM_BYTES(sync_crypto_out)];
	int err = 0;

	if (!obj_cap(dev, OBJ_CAP_synchronize_dek) && !obj_cap(dev, OBJ_CAP_log_dek_max_alloc))
		return 0;
	PRM_SET(sync_crypto_in, in, opcode, PRM_CMD_OP_SYNC_CRYPTO);
	PRM_SET(sync_crypto_in, in, crypto_type, SYNC_ALL);
	pthread_mutex_lock(&dev->keys_lock);
	if (!dev->keys_synced) {
		err = obj_general(dev, in, sizeof(in), out, sizeof(out));
		dev->keys_synced = !err;
	}
	pthread_mutex_unlock(&dev->keys_lock);
	return err;
}

int obj_dek_create(struct mlxo_device *dev, const struct obj_dek_attr *attr, struct obj_dek *dek)
{
	uint8_t in[PRM_BYTES(create_encryption_key_in)] = {0};
	uint8_t out[PRM_BYTES(general_obj_out_cmd_hdr)];
	uint8_t *key = PRM_AT(create_encryption_key_in, in, encryption_key_object), *place;
	int err;

	memset(dek, 0, sizeof(*dek));
	if (attr->len != KEY128 && attr->len != KEY256)
		return obj_error(-EINVAL, "key of %zu bits: the device takes 128 or 256",
				 attr->len * 8);
	err = obj_keys_sync_once(dev);
	if (err)
		return err;
	PRM_SET(general_obj_in_cmd_hdr, in, opcode, PRM_CMD_OP_CREATE_GENERAL_OBJECT);
	PRM_SET(general_obj_in_cmd_hdr, in, obj_type, PRM_GENERAL_OBJECT_TYPES_ENCRYPTION_KEY);
	PRM_SET(encryption_key_obj, key, key_size,
		attr->len == KEY256 ? PRM_GENERAL_OBJECT_TYPE_ENCRYPTION_KEY_KEY_SIZE_256
				    : PRM_GENERAL_OBJECT_TYPE_ENCRYPTION_KEY_KEY_SIZE_128);
	PRM_SET(encryption_key_obj, key, key_purpose, attr->purpose);
	PRM_SET(encryption_key_obj, key, pd, dev->pd.id);
	place = PRM_AT(encryption_key_obj, key, key);
	memcpy(attr->len == KEY256 ? place : place + KEY128, attr->key, attr->len);
	return obj_create(dev, OBJ_CREATE(OBJ_DEK, in, out, general_obj_out_cmd_hdr, obj_id),
			  &dek->obj);
}

int obj_dek_destroy(struct mlxo_device *dev, struct obj_dek *dek)
{
	return obj_destroy(dev, &dek->obj);
}
