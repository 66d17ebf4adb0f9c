// SPDX-License-Identifier: BSD-2-Clause
/*
 * Bucket i of a value v: v itself below 256; else the 8 highest bits of v give the place in its power of two.
 *
 *   v = 1mmmmmmm xxxxxxxx (shift 8)   ─▶   i = 128 * shift + 1mmmmmmm
 */
#include "tools/stress/histogram.h"

enum { SUB_BITS = 7, SUB = 1 << SUB_BITS };

static unsigned int bucket(uint64_t v)
{
	unsigned int shift;

	if (v < 2 * SUB)
		return (unsigned int)v;
	shift = 63 - (unsigned int)__builtin_clzll(v) - SUB_BITS;
	return SUB * shift + (unsigned int)(v >> shift);
}

/* The largest value of bucket i. */
static uint64_t last_of(unsigned int i)
{
	unsigned int shift = i < 2 * SUB ? 0 : i / SUB - 1;

	return ((uint64_t)(i - SUB * shift) << shift) + ((1ULL << shift) - 1);
}

void stress_histogram_add(struct stress_histogram *h, uint64_t value)
{
	h->count[bucket(value)]++;
	h->n++;
	if (value > h->max)
		h->max = value;
}

void stress_histogram_merge(struct stress_histogram *to, const struct stress_histogram *from)
{
	for (unsigned int i = 0; i < STRESS_HISTOGRAM_BUCKETS; i++)
		to->count[i] += from->count[i];
	to->n += from->n;
	if (from->max > to->max)
		to->max = from->max;
}

uint64_t stress_histogram_at(const struct stress_histogram *h, unsigned int part)
{
	uint64_t want = (uint64_t)(((unsigned __int128)h->n * part + 99999) / 100000), seen = 0;

	for (unsigned int i = 0; i < STRESS_HISTOGRAM_BUCKETS && h->n; i++) {
		seen += h->count[i];
		if (seen >= want && seen > 0)
			return last_of(i) < h->max ? last_of(i) : h->max;
	}
	return h->max;
}
