// SPDX-License-Identifier: BSD-2-Clause
/* splitmix64 and what is drawn from it. */
#include "tools/stress/random.h"

#include <math.h>
#include <string.h>

static uint64_t mix(uint64_t z)
{
	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
	z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
	return z ^ (z >> 31);
}

void stress_random_init(struct stress_random *r, uint64_t seed, uint64_t use)
{
	r->state = mix(seed + 0x9e3779b97f4a7c15ULL) ^ mix(~use * 0xd1342543de82ef95ULL);
}

uint64_t stress_random_next(struct stress_random *r)
{
	r->state += 0x9e3779b97f4a7c15ULL;
	return mix(r->state);
}

uint64_t stress_random_below(struct stress_random *r, uint64_t n)
{
	/* The high half of a product: the bias is below n / 2^64. */
	return (uint64_t)(((unsigned __int128)stress_random_next(r) * n) >> 64);
}

/* 0 <= x < 1, 53 bits */
static double unit(struct stress_random *r)
{
	return (double)(stress_random_next(r) >> 11) * 0x1p-53;
}

bool stress_random_hit(struct stress_random *r, double p)
{
	return p > 0 && unit(r) < p;
}

uint64_t stress_random_wait(struct stress_random *r, double mean_ns)
{
	return (uint64_t)(-log1p(-unit(r)) * mean_ns + 0.5);
}

void stress_random_bytes(struct stress_random *r, uint8_t *to, size_t len)
{
	while (len > 0) {
		uint64_t v = stress_random_next(r);
		size_t n = len < sizeof(v) ? len : sizeof(v);

		memcpy(to, &v, n);
		to += n;
		len -= n;
	}
}
