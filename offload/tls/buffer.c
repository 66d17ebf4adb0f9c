// SPDX-License-Identifier: BSD-2-Clause
/*
 * Buffers of a queue: one registered region, cut into slabs; a slab holds blocks of one size.
 *
 *	fresh ──▶ slab of class c, some blocks free ──▶ full
 *	  empty ◀── last block given back ─────┘
 *
 * The biggest block takes a whole software record. Slabs are a multiple of it, so that little is wasted; an empty slab may
 * become one of any class, so that no mix of sizes can starve another for ever. One thread at a time.
 */
#include "offload/tls/engine.h"
#include "objects/alloc.h"
#include "objects/error.h"

#include <string.h>

static const uint16_t sizes[TLS_NCLASSES] = {64, 320, 1344, 4224, TLS_BLOCK_MAX};

enum { SLAB = 4 * TLS_BLOCK_MAX, NONE = 0xffff, MORE = 16 * SLAB };

struct tls_slab {
	struct tls_slab *next, **prev; /* in some[] or empty */
	uint16_t free, used;	       /* first free block; blocks given out */
	uint8_t class;
};

_Static_assert(TLS_BLOCK_MAX % 64 == 0, "blocks are aligned to cache lines");
_Static_assert(MLXO_TLS_RECORD_MAX + TLS_HEADER + TLS_NONCE + 1 + TLS_TAG <= TLS_BLOCK_MAX,
	       "a record fits a block");

int tls_buffers_init(struct tls_buffers *b, struct mlxo_device *dev, size_t bytes)
{
	memset(b, 0, sizeof(*b));
	b->nslabs = (uint32_t)((bytes + SLAB - 1) / SLAB);
	b->slabs = mlxo_calloc(b->nslabs, sizeof(*b->slabs));
	if (!b->slabs)
		return obj_error_nomem("the buffers of a queue");
	return obj_region_create_mr(dev, (size_t)b->nslabs * SLAB, &b->mem);
}

void tls_buffers_fini(struct tls_buffers *b, struct mlxo_device *dev)
{
	if (b->more)
		tls_buffers_fini(b->more, dev);
	mlxo_free(b->more);
	obj_region_destroy(dev, b->mem);
	mlxo_free(b->slabs);
	memset(b, 0, sizeof(*b));
}

static uint8_t *slab_base(const struct tls_buffers *b, const struct tls_slab *s)
{
	return b->mem->addr + (size_t)(s - b->slabs) * SLAB;
}

static void count(struct tls_buffers *b, uint32_t n)
{
	uint32_t now = atomic_load_explicit(&b->in_use, memory_order_relaxed);

	atomic_store_explicit(&b->in_use, now + n, memory_order_relaxed);
}

static void link_in(struct tls_slab **list, struct tls_slab *s)
{
	s->next = *list;
	s->prev = list;
	if (*list)
		(*list)->prev = &s->next;
	*list = s;
}

static void link_out(struct tls_slab *s)
{
	*s->prev = s->next;
	if (s->next)
		s->next->prev = s->prev;
}

/* A free block begins with the number of the next free one. */
static void chain(struct tls_buffers *b, struct tls_slab *s)
{
	uint8_t *base = slab_base(b, s);
	uint16_t n = (uint16_t)(SLAB / sizes[s->class]);

	for (uint16_t i = 0; i < n; i++) {
		uint16_t next = i + 1 < n ? (uint16_t)(i + 1) : NONE;

		memcpy(base + (size_t)i * sizes[s->class], &next, sizeof(next));
	}
	s->free = 0;
	s->used = 0;
}

static struct tls_slab *slab_for(struct tls_buffers *b, unsigned int class)
{
	struct tls_slab *s = b->some[class];

	if (s)
		return s;
	s = b->empty;
	if (s)
		link_out(s);
	else if (b->fresh < b->nslabs)
		s = &b->slabs[b->fresh++];
	else
		return NULL;
	s->class = (uint8_t) class;
	chain(b, s);
	link_in(&b->some[class], s);
	return s;
}

uint8_t *tls_buffer_get(struct tls_buffers *b, uint32_t n)
{
	unsigned int class = 0;
	struct tls_slab *s;
	uint8_t *block;

	while (sizes[class] < n)
		class ++;
	s = slab_for(b, class);
	if (!s)
		return NULL;
	block = slab_base(b, s) + (size_t)s->free * sizes[class];
	memcpy(&s->free, block, sizeof(s->free));
	s->used++;
	if (s->free == NONE)
		link_out(s);
	count(b, 1);
	return block;
}

void tls_buffer_put(struct tls_buffers *b, uint8_t *block)
{
	size_t at = (size_t)(block - b->mem->addr);
	struct tls_slab *s = &b->slabs[at / SLAB];
	uint16_t index = (uint16_t)(at % SLAB / sizes[s->class]);

	if (s->free == NONE)
		link_in(&b->some[s->class], s);
	memcpy(block, &s->free, sizeof(s->free));
	s->free = index;
	count(b, -1u);
	if (--s->used == 0) {
		link_out(s);
		link_in(&b->empty, s);
	}
}

/* -- after a reset ------------------------------------------------------------------------------------------- */

static struct tls_buffers *add_more(struct tls_buffers *b, struct mlxo_device *dev)
{
	struct tls_buffers *more = mlxo_calloc(1, sizeof(*more));

	if (!more) {
		obj_error_nomem("the buffers of a queue");
		return NULL;
	}
	if (tls_buffers_init(more, dev, MORE)) {
		mlxo_free(more->slabs);
		mlxo_free(more);
		return NULL;
	}
	b->more = more;
	return more;
}

uint8_t *tls_buffer_get_anyhow(struct tls_buffers *b, struct mlxo_device *dev, uint32_t n,
			       struct tls_buffers **from)
{
	for (; b; b = b->more ? b->more : add_more(b, dev)) {
		uint8_t *block = tls_buffer_get(b, n);

		*from = b;
		if (block)
			return block;
	}
	return NULL;
}

void tls_buffers_drop(struct tls_buffers *b, struct mlxo_device *dev)
{
	for (; b; b = b->more)
		obj_region_drop(dev, b->mem);
}

int tls_buffers_renew(struct tls_buffers *b, struct mlxo_device *dev)
{
	int err = 0;

	for (; b && !err; b = b->more)
		err = obj_region_renew(dev, b->mem);
	return err;
}
