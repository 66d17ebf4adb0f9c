// SPDX-License-Identifier: BSD-2-Clause
/*
 * Address translation: a memory key, an address and a length become a host pointer, or a protection error.
 *
 * Locks: dev->objs for reading. Source: PRM, mkc.
 */
#include "model.h"

uint8_t *model_mem(struct model_dev *dev, uint32_t pd, uint32_t lkey, uint64_t addr, size_t len,
		   bool write)
{
	const struct model_mkey *k =
		(const struct model_mkey *)model_obj_find(dev, MODEL_MKEY, lkey >> 8);

	if (!k || k->lkey != lkey || k->pd != pd || (write && !k->lw))
		return NULL;
	if (k->physical)
		return (uint8_t *)(uintptr_t)addr;
	if (addr < k->start || addr - k->start > k->len || len > k->len - (addr - k->start))
		return NULL;
	return k->addr + (addr - k->start);
}
