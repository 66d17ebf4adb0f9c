/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Host threads of a simulation: work waits in line for a free thread and then takes one for as long as it costs.
 *
 *	put ─▶ line ─▶ take (a thread is free) ─▶ the work is done, its cost is known ─▶ busy until the end ─▶ release
 *
 * What follows after the work is the simulator's event. Threads are counted, not told apart.
 */
#ifndef TOOLS_STRESS_HOST_H
#define TOOLS_STRESS_HOST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct stress_work {
	uint64_t id; /* of the connection, which may be gone when its turn comes */
	uint32_t slot, kind;
};

struct stress_host {
	unsigned int threads, busy;
	uint64_t busy_ps;	  /* sum over all threads */
	struct stress_work *line; /* a ring */
	size_t head, n, room;
};

void stress_host_init(struct stress_host *h, unsigned int threads);
void stress_host_fini(struct stress_host *h);
/* false: no memory */
bool stress_host_put(struct stress_host *h, const struct stress_work *w);
/* The next work in line when a thread is free. */
bool stress_host_take(struct stress_host *h, struct stress_work *w);
/* The work that was taken costs that much; a thread is busy until release(). */
void stress_host_occupy(struct stress_host *h, uint64_t cost_ps);
void stress_host_release(struct stress_host *h);

#endif
