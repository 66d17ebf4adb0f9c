// SPDX-License-Identifier: BSD-2-Clause
/* First come, first served. */
#include "tools/stress/host.h"

#include <stdlib.h>

void stress_host_init(struct stress_host *h, unsigned int threads)
{
	*h = (struct stress_host){.threads = threads};
}

void stress_host_fini(struct stress_host *h)
{
	free(h->line);
	h->line = NULL;
}

static bool grow(struct stress_host *h)
{
	size_t room = h->room ? 2 * h->room : 64;
	struct stress_work *line = malloc(room * sizeof(*line));

	if (!line)
		return false;
	for (size_t i = 0; i < h->n; i++)
		line[i] = h->line[(h->head + i) % h->room];
	free(h->line);
	h->line = line;
	h->head = 0;
	h->room = room;
	return true;
}

bool stress_host_put(struct stress_host *h, const struct stress_work *w)
{
	if (h->n == h->room && !grow(h))
		return false;
	h->line[(h->head + h->n++) % h->room] = *w;
	return true;
}

bool stress_host_take(struct stress_host *h, struct stress_work *w)
{
	if (!h->n || h->busy == h->threads)
		return false;
	*w = h->line[h->head];
	h->head = (h->head + 1) % h->room;
	h->n--;
	return true;
}

void stress_host_occupy(struct stress_host *h, uint64_t cost_ps)
{
	h->busy++;
	h->busy_ps += cost_ps;
}

void stress_host_release(struct stress_host *h)
{
	h->busy--;
}
