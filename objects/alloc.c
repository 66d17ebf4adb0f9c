// SPDX-License-Identifier: BSD-2-Clause
/* Memory with a fault hook. Until a test arms it, an allocation costs one relaxed load more than calloc(). */
#include "objects/alloc.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

static _Atomic bool armed; /* a test counts allocations */
static _Atomic uint64_t count, fail_at;

void mlxo_alloc_fail_at(uint64_t n)
{
	atomic_store(&count, 0);
	atomic_store(&fail_at, n);
	atomic_store(&armed, true);
}

uint64_t mlxo_alloc_count(void)
{
	return atomic_load(&count);
}

/* Is this the one that a test wants to fail? */
static bool hit(void)
{
	if (!atomic_load_explicit(&armed, memory_order_relaxed))
		return false;
	if (atomic_fetch_add(&count, 1) + 1 != atomic_load(&fail_at))
		return false;
	errno = ENOMEM;
	return true;
}

void *mlxo_calloc(size_t n, size_t size)
{
	return hit() ? NULL : calloc(n, size);
}

void *mlxo_reallocarray(void *p, size_t n, size_t size)
{
	return hit() ? NULL : reallocarray(p, n, size);
}

void *mlxo_alloc_pages(size_t align, size_t size)
{
	void *p;

	if (hit())
		return NULL;
	if (size > SIZE_MAX - align) {
		errno = ENOMEM;
		return NULL;
	}
	size = (size + align - 1) & ~(align - 1);
	p = aligned_alloc(align, size);
	if (p)
		memset(p, 0, size);
	return p;
}

char *mlxo_strdup(const char *s)
{
	size_t n = strlen(s) + 1;
	char *copy = mlxo_calloc(1, n);

	if (copy)
		memcpy(copy, s, n);
	return copy;
}

void mlxo_free(void *p)
{
	free(p);
}
