/* SPDX-License-Identifier: BSD-2-Clause */
/* Armed timers by deadline; those of equal deadlines in the order in which they were armed. Locks: the caller's. */
#ifndef PROVIDERS_TIMER_H
#define PROVIDERS_TIMER_H

#include "providers/provider.h"

/* Zeroed memory is an empty one. */
struct prov_timers {
	struct prov_timer *first; /* the next one that is due; NULL: none is armed */
	uint64_t armed;		  /* so far */
};

/* t is not armed. */
void prov_timers_insert(struct prov_timers *heap, struct prov_timer *t);
/* t is armed. */
void prov_timers_remove(struct prov_timers *heap, struct prov_timer *t);

#endif
