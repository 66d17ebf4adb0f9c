// SPDX-License-Identifier: BSD-2-Clause
/*
 * Bitmaps of a bulk. Words of 64 slots; a bulk of fewer has one word.
 *
 * Ownership: one block of memory holds the slots and the bits behind them. Locks: the pool's, by the caller.
 */
#include "objects/alloc.h"
#include "pool/bulk.h"

static size_t words(const struct pool_bulk *b)
{
	return (b->size + 63) / 64;
}

struct pool_bulk *pool_bulk_new(unsigned int log)
{
	uint32_t size = UINT32_C(1) << log;
	size_t bits = (size + 63) / 64;
	struct pool_bulk *b = mlxo_calloc(1, sizeof(*b) + size * sizeof(b->slot[0]) +
						     POOL_BULK_NSTATES * bits * sizeof(uint64_t));

	if (!b)
		return NULL;
	b->log = log;
	b->size = size;
	for (int s = 0; s < POOL_BULK_NSTATES; s++)
		b->bits[s] = (uint64_t *)&b->slot[size] + (size_t)s * bits;
	for (uint32_t i = 0; i < size; i++)
		b->slot[i].bulk = b;
	return b;
}

void pool_bulk_free(struct pool_bulk *b)
{
	mlxo_free(b);
}

bool pool_bulk_put(struct pool_dek_slot *slot, enum pool_bulk_state state)
{
	struct pool_bulk *b = slot->bulk;
	uint32_t i = pool_bulk_offset(slot);
	uint64_t bit = UINT64_C(1) << i % 64;

	for (int s = 0; s < POOL_BULK_NSTATES; s++)
		if (b->bits[s][i / 64] & bit)
			return false;
	b->bits[state][i / 64] |= bit;
	b->count[state]++;
	return true;
}

struct pool_dek_slot *pool_bulk_take(struct pool_bulk *b)
{
	uint64_t *clean = b->bits[POOL_BULK_CLEAN];
	size_t w = 0;
	unsigned int bit;

	while (!clean[w])
		w++;
	bit = (unsigned int)__builtin_ctzll(clean[w]);
	clean[w] &= clean[w] - 1;
	b->count[POOL_BULK_CLEAN]--;
	b->untouched = false;
	return &b->slot[w * 64 + bit];
}

void pool_bulk_fill(struct pool_bulk *b)
{
	for (uint32_t i = 0; i < b->size; i++)
		pool_bulk_put(&b->slot[i], POOL_BULK_CLEAN);
}

uint32_t pool_bulk_move(struct pool_bulk *b, enum pool_bulk_state from, enum pool_bulk_state to)
{
	uint32_t n = b->count[from];

	if (!n)
		return 0;
	for (size_t w = 0; w < words(b); w++) {
		b->bits[to][w] |= b->bits[from][w];
		b->bits[from][w] = 0;
	}
	b->count[to] += n;
	b->count[from] = 0;
	return n;
}

uint32_t pool_bulk_lent(const struct pool_bulk *b)
{
	return b->size - b->count[POOL_BULK_CLEAN] - b->count[POOL_BULK_DIRTY] -
	       b->count[POOL_BULK_SYNCING] - b->count[POOL_BULK_LOST];
}
