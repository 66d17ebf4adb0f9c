/* SPDX-License-Identifier: BSD-2-Clause */
/* How many bytes a connection sends: one size, or a mix of sizes by percent ("mix:80%4096,20%1048576"). */
#ifndef TOOLS_STRESS_SIZES_H
#define TOOLS_STRESS_SIZES_H

#include <stdbool.h>

#include "tools/stress/random.h"

enum { STRESS_SIZES_MAX = 16 };
#define STRESS_BYTES_MAX (1ULL << 30) /* per connection */

struct stress_sizes {
	unsigned int n;
	struct {
		unsigned int percent;
		uint64_t bytes;
	} part[STRESS_SIZES_MAX];
};

/* false: the text is neither; *why is what is allowed (static). */
bool stress_sizes_parse(const char *text, struct stress_sizes *sizes, const char **why);
uint64_t stress_sizes_draw(const struct stress_sizes *sizes, struct stress_random *r);
uint64_t stress_sizes_max(const struct stress_sizes *sizes);

#endif
