/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Counts of durations (ns) in buckets that grow with the value: exact below 256, then 128 buckets per power of two, so
 * that a percentile is at most 0.8 % too high. Plain memory: zero it, add to it, merge it.
 */
#ifndef TOOLS_STRESS_HISTOGRAM_H
#define TOOLS_STRESS_HISTOGRAM_H

#include <stdint.h>

enum { STRESS_HISTOGRAM_BUCKETS = 58 * 128 };

struct stress_histogram {
	uint64_t n, max;
	uint64_t count[STRESS_HISTOGRAM_BUCKETS];
};

void stress_histogram_add(struct stress_histogram *h, uint64_t value);
void stress_histogram_merge(struct stress_histogram *to, const struct stress_histogram *from);
/*
 * The value that so many of 100,000 do not exceed (50000: the median), rounded up to the end of its bucket but never
 * above the maximum. 0 when empty.
 */
uint64_t stress_histogram_at(const struct stress_histogram *h, unsigned int part);

#endif
