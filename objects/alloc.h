/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * All memory of the library comes from here, so that a test can let the n-th allocation fail and count what is live.
 *
 * The hook costs one relaxed load per allocation; nothing is recorded unless a test armed it. Thread-safe.
 */
#ifndef OBJECTS_ALLOC_H
#define OBJECTS_ALLOC_H

#include <stddef.h>
#include <stdint.h>

/* Zeroed memory; NULL with errno ENOMEM. A product that overflows is refused the same way. */
void *mlxo_calloc(size_t n, size_t size);
/* Resize an array; what is new is not cleared. NULL with errno ENOMEM: the old array is still there. */
void *mlxo_reallocarray(void *p, size_t n, size_t size);
/* Zeroed, aligned to `align` (a power of two), size rounded up to it. Freed by mlxo_free(). */
void *mlxo_alloc_pages(size_t align, size_t size);
char *mlxo_strdup(const char *s);
/* NULL is allowed. */
void mlxo_free(void *p);

/* For tests: let the n-th allocation from now fail (1 = the next one), once. 0: none. */
void mlxo_alloc_fail_at(uint64_t n);
/* For tests: allocations since the last mlxo_alloc_fail_at(). */
uint64_t mlxo_alloc_count(void);

#endif
