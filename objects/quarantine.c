// SPDX-License-Identifier: BSD-2-Clause
/*
 * Objects whose state on the device is unknown. They are listed, never reused, and go with the device.
 *
 * Every object that may have to be listed holds a reservation, so that room >= nquarantine + reserved at all times
 * and listing never allocates: a failed allocation must not lose track of a failed command.
 */
#include "objects/alloc.h"
#include "objects/device.h"
#include "objects/error.h"

#include <errno.h>
#include <stdio.h>

static const char *const kind_names[] = {
#define KIND_NAME(kind, word) [OBJ_##kind] = (word),
	OBJ_KINDS(KIND_NAME)};

const char *obj_kind_name(enum obj_kind kind)
{
	return kind_names[kind];
}

int obj_quarantine_reserve(struct mlxo_device *dev)
{
	struct obj_quarantine *grown;
	size_t want;
	int err = 0;

	pthread_mutex_lock(&dev->lock);
	want = dev->nquarantine + dev->reserved + 1;
	if (want > dev->room) {
		want = want < 32 ? 32 : want * 2;
		grown = mlxo_reallocarray(dev->quarantine, want, sizeof(*grown));
		if (grown) {
			dev->quarantine = grown;
			dev->room = want;
		} else {
			err = -ENOMEM;
		}
	}
	if (!err)
		dev->reserved++;
	pthread_mutex_unlock(&dev->lock);
	return err ? obj_error_nomem("the record of a device object") : 0;
}

void obj_quarantine_release(struct mlxo_device *dev)
{
	pthread_mutex_lock(&dev->lock);
	dev->reserved--;
	pthread_mutex_unlock(&dev->lock);
}

uint32_t obj_quarantine_add(struct mlxo_device *dev, enum obj_kind kind, uint32_t id,
			    const char *op)
{
	char digits[16] = "";
	uint32_t number;

	pthread_mutex_lock(&dev->lock);
	number = ++dev->last_number;
	dev->quarantine[dev->nquarantine++] = (struct obj_quarantine){kind, id, op, number};
	dev->reserved--;
	pthread_mutex_unlock(&dev->lock);
	if (id) /* or the device never told it */
		snprintf(digits, sizeof(digits), " %u", id);
	obj_log(MLXO_LOG_WARN, "%s%s is in quarantine: its state after %s is unknown",
		obj_kind_name(kind), digits, op);
	return number;
}

void obj_quarantine_remove(struct mlxo_device *dev, uint32_t number)
{
	pthread_mutex_lock(&dev->lock);
	for (size_t i = 0; i < dev->nquarantine; i++) {
		if (dev->quarantine[i].number != number)
			continue;
		dev->nquarantine--;
		for (; i < dev->nquarantine; i++)
			dev->quarantine[i] = dev->quarantine[i + 1];
		dev->reserved++;
	}
	pthread_mutex_unlock(&dev->lock);
}

bool obj_quarantine_empty(struct mlxo_device *dev)
{
	bool empty;

	pthread_mutex_lock(&dev->lock);
	empty = dev->nquarantine == 0;
	pthread_mutex_unlock(&dev->lock);
	return empty;
}

int mlxo_device_quarantined(struct mlxo_device *dev, struct mlxo_quarantined **list, size_t *n)
{
	struct mlxo_quarantined *copy;

	*list = NULL;
	*n = 0;
	pthread_mutex_lock(&dev->lock);
	copy = mlxo_calloc(dev->nquarantine + 1, sizeof(*copy));
	for (size_t i = 0; copy && i < dev->nquarantine; i++) {
		copy[i].kind = obj_kind_name(dev->quarantine[i].kind);
		copy[i].id = dev->quarantine[i].id;
		copy[i].op = dev->quarantine[i].op;
	}
	*n = copy ? dev->nquarantine : 0;
	pthread_mutex_unlock(&dev->lock);
	if (!copy)
		return obj_error_nomem("the list of quarantined objects");
	*list = copy;
	return 0;
}
