// SPDX-License-Identifier: BSD-2-Clause
/*
 * Encryption keys: one created with its key in the command, or a bulk of empty ones that MODIFY fills, and SYNC_CRYPTO.
 *
 * The key field has 8 places of 128 bits: a 256-bit key fills the first two, a 128-bit key the second alone (Linux
 * mlx5/core/lib/crypto.c). Command buffers are wiped by command.c on every way out.
 */
#include "objects/dek.h"
#include "objects/device.h"
#include "objects/error.h"

#include <errno.h>
#include <string.h>

enum { KEY128 = 16, KEY256 = 32, SYNC_ALL = 1, SELECT_KEY = 1 };

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

static int check_key(const struct obj_dek_attr *attr)
{
	if (attr->len != KEY128 && attr->len != KEY256)
		return obj_error(-EINVAL, "key of %zu bits: the device takes 128 or 256",
				 attr->len * 8);
	return 0;
}

/* The parts of a command that say what kind of key it is. */
static uint8_t *fill_kind(uint8_t *in, struct mlxo_device *dev, uint16_t opcode, uint8_t purpose)
{
	uint8_t *key = PRM_AT(create_encryption_key_in, in, encryption_key_object);

	memset(in, 0, PRM_BYTES(create_encryption_key_in));
	PRM_SET(general_obj_in_cmd_hdr, in, opcode, opcode);
	PRM_SET(general_obj_in_cmd_hdr, in, obj_type, PRM_GENERAL_OBJECT_TYPES_ENCRYPTION_KEY);
	PRM_SET(encryption_key_obj, key, key_purpose, purpose);
	PRM_SET(encryption_key_obj, key, pd, dev->pd.id);
	return key;
}

static void fill_key(uint8_t *key, const struct obj_dek_attr *attr)
{
	uint8_t *place = PRM_AT(encryption_key_obj, key, key);

	PRM_SET(encryption_key_obj, key, key_size,
		attr->len == KEY256 ? PRM_GENERAL_OBJECT_TYPE_ENCRYPTION_KEY_KEY_SIZE_256
				    : PRM_GENERAL_OBJECT_TYPE_ENCRYPTION_KEY_KEY_SIZE_128);
	memcpy(attr->len == KEY256 ? place : place + KEY128, attr->key, attr->len);
}

int obj_dek_create(struct mlxo_device *dev, const struct obj_dek_attr *attr, struct obj_dek *dek)
{
	uint8_t in[PRM_BYTES(create_encryption_key_in)];
	uint8_t out[PRM_BYTES(general_obj_out_cmd_hdr)];
	int err = check_key(attr);

	memset(dek, 0, sizeof(*dek));
	if (!err)
		err = obj_keys_sync_once(dev);
	if (err)
		return err;
	fill_key(fill_kind(in, dev, PRM_CMD_OP_CREATE_GENERAL_OBJECT, attr->purpose), attr);
	return obj_create(dev, OBJ_CREATE(OBJ_DEK, in, out, general_obj_out_cmd_hdr, obj_id),
			  &dek->obj);
}

static int create_start(struct obj_task *task, struct mlxo_device *dev, struct obj_dek *dek)
{
	return obj_create_start(
		&task->job, dev,
		OBJ_CREATE(OBJ_DEK, task->in, task->out, general_obj_out_cmd_hdr, obj_id),
		&dek->obj);
}

int obj_dek_create_start(struct obj_task *task, struct mlxo_device *dev,
			 const struct obj_dek_attr *attr, struct obj_dek *dek)
{
	int err = check_key(attr);

	if (err)
		return err;
	fill_key(fill_kind(task->in, dev, PRM_CMD_OP_CREATE_GENERAL_OBJECT, attr->purpose), attr);
	return create_start(task, dev, dek);
}

int obj_dek_create_bulk_start(struct obj_task *task, struct mlxo_device *dev,
			      const struct obj_dek_attr *attr, unsigned int log_range,
			      struct obj_dek *dek)
{
	uint8_t *param = PRM_AT(general_obj_in_cmd_hdr, task->in, op_param);

	fill_kind(task->in, dev, PRM_CMD_OP_CREATE_GENERAL_OBJECT, attr->purpose);
	PRM_SET(general_obj_create_param, param, log_obj_range, log_range);
	return create_start(task, dev, dek);
}

int obj_dek_load_start(struct obj_task *task, struct mlxo_device *dev,
		       const struct obj_dek_attr *attr, struct obj_dek *dek, uint32_t offset)
{
	uint8_t *param = PRM_AT(general_obj_in_cmd_hdr, task->in, op_param), *key;
	int err = check_key(attr);

	if (err)
		return err;
	key = fill_kind(task->in, dev, PRM_CMD_OP_MODIFY_GENERAL_OBJECT, attr->purpose);
	PRM_SET(general_obj_in_cmd_hdr, task->in, obj_id, dek->obj.id);
	PRM_SET(general_obj_query_param, param, obj_offset, offset);
	PRM_SET(encryption_key_obj, key, modify_field_select, SELECT_KEY);
	fill_key(key, attr);
	return obj_modify_start(&task->job, dev, &dek->obj, task->in, sizeof(task->in), task->out,
				sizeof(task->out));
}

int obj_keys_sync_start(struct obj_task *task, struct mlxo_device *dev, uint8_t purpose)
{
	size_t inlen = PRM_BYTES(sync_crypto_in);

	memset(task->in, 0, inlen);
	PRM_SET(sync_crypto_in, task->in, opcode, PRM_CMD_OP_SYNC_CRYPTO);
	PRM_SET(sync_crypto_in, task->in, crypto_type, 1u << purpose);
	return obj_general_start(&task->job, dev, task->in, inlen, task->out,
				 PRM_BYTES(sync_crypto_out));
}

int obj_dek_destroy(struct mlxo_device *dev, struct obj_dek *dek)
{
	return obj_destroy(dev, &dek->obj);
}
