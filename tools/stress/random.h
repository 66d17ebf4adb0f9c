/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Seeded numbers (splitmix64, Steele, Lea, Flood 2014): the same seed gives the same numbers on every machine. Each use
 * has a generator of its own, so that more draws of one kind do not shift another. Not for keys that protect anything.
 */
#ifndef TOOLS_STRESS_RANDOM_H
#define TOOLS_STRESS_RANDOM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct stress_random {
	uint64_t state;
};

/* use: what for; two generators of one seed and different uses have nothing in common. */
void stress_random_init(struct stress_random *r, uint64_t seed, uint64_t use);
uint64_t stress_random_next(struct stress_random *r);
/* 0..n-1; n > 0 */
uint64_t stress_random_below(struct stress_random *r, uint64_t n);
/* True with probability p (0..1). */
bool stress_random_hit(struct stress_random *r, double p);
/* Time to the next event of a Poisson process, ns: exponential with that mean. */
uint64_t stress_random_wait(struct stress_random *r, double mean_ns);
void stress_random_bytes(struct stress_random *r, uint8_t *to, size_t len);

#endif
