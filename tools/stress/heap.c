// SPDX-License-Identifier: BSD-2-Clause
/* A binary heap in an array. */
#include "tools/stress/heap.h"

#include <stdlib.h>

void stress_heap_fini(struct stress_heap *h)
{
	free(h->event);
	*h = (struct stress_heap){0};
}

static bool before(const struct stress_event *a, const struct stress_event *b)
{
	return a->time != b->time ? a->time < b->time : a->order < b->order;
}

bool stress_heap_put(struct stress_heap *h, const struct stress_event *e)
{
	struct stress_event new = *e;
	size_t i = h->n, up;

	if (h->n == h->room) {
		size_t room = h->room ? 2 * h->room : 1024;
		struct stress_event *event = realloc(h->event, room * sizeof(*event));

		if (!event)
			return false;
		h->event = event;
		h->room = room;
	}
	new.order = h->order++;
	for (h->n++; i > 0; i = up) {
		up = (i - 1) / 2;
		if (!before(&new, &h->event[up]))
			break;
		h->event[i] = h->event[up];
	}
	h->event[i] = new;
	return true;
}

uint64_t stress_heap_time(const struct stress_heap *h)
{
	return h->n ? h->event[0].time : UINT64_MAX;
}

struct stress_event stress_heap_take(struct stress_heap *h)
{
	struct stress_event first = h->event[0], last = h->event[--h->n];
	size_t i = 0, down;

	for (; (down = 2 * i + 1) < h->n; i = down) {
		if (down + 1 < h->n && before(&h->event[down + 1], &h->event[down]))
			down++;
		if (!before(&h->event[down], &last))
			break;
		h->event[i] = h->event[down];
	}
	h->event[i] = last;
	return first;
}
