/* SPDX-License-Identifier: BSD-2-Clause */
/* Events of a simulation in the order of time; those of one time in the order in which they were put. One thread. */
#ifndef TOOLS_STRESS_HEAP_H
#define TOOLS_STRESS_HEAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct stress_event {
	uint64_t time;	/* ns */
	uint64_t order; /* the heap's */
	uint64_t id;	/* the rest is the simulator's: which connection (it may be gone) */
	uint32_t kind, slot, a, b, c;
};

/* {0} is an empty heap. */
struct stress_heap {
	struct stress_event *event;
	size_t n, room;
	uint64_t order;
};

void stress_heap_fini(struct stress_heap *h);
/* false: no memory */
bool stress_heap_put(struct stress_heap *h, const struct stress_event *e);
/* Time of the first event; UINT64_MAX: none. */
uint64_t stress_heap_time(const struct stress_heap *h);
/* Take the first event; there is one. */
struct stress_event stress_heap_take(struct stress_heap *h);

#endif
