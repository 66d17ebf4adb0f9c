// SPDX-License-Identifier: BSD-2-Clause
/*
 * Ordered places with gaps: list labelling.
 *
 * An insertion takes the middle of the gap between its neighbours. When there is none, the smallest window of places
 * around the insertion point is looked for that is empty enough, and its entries are spread evenly. Windows double in
 * size, and the bigger a window, the emptier it must be (from full at the smallest to half full at the largest), so
 * that room made once lasts for many insertions: O(log^2 n) moves per insertion on average, instead of O(n) with
 * "shift everything by one". When no window is empty enough the whole range is used as long as it has one place free.
 * Entries that must stand below some index are pushed down below it, and with them those in front of them.
 *
 * Order of the moves: entries that go up, last one first; then entries that go down, first one first. Each target lies
 * strictly between the current places of its neighbours then, so it is free and the order stays true (see test_order).
 */
#include "steering/order.h"
#include "objects/alloc.h"
#include "objects/error.h"

#include <errno.h>
#include <stdbool.h>
#include <string.h>

/* An entry at the end of the list keeps a distance of at most range / STRIDES to its neighbour. */
enum { STRIDES = 256 };

void steer_order_init(struct steer_order *order, uint32_t first, uint32_t last)
{
	*order = (struct steer_order){.first = first, .last = last};
}

void steer_order_fini(struct steer_order *order)
{
	mlxo_free(order->entries);
	mlxo_free(order->lost);
	*order = (struct steer_order){.first = 1, .last = 0};
}

/* -- places: indexes that are not lost, counted ------------------------------------------------------------ */

/* How many lost indexes are below `index`. */
static size_t lost_below(const struct steer_order *o, uint64_t index)
{
	size_t lo = 0, hi = o->nlost;

	while (lo < hi) {
		size_t mid = (lo + hi) / 2;

		if (o->lost[mid] < index)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

/* Usable places in lo..hi, inclusive. */
static uint64_t places(const struct steer_order *o, uint64_t lo, uint64_t hi)
{
	return lo > hi ? 0 : hi - lo + 1 - (lost_below(o, hi + 1) - lost_below(o, lo));
}

/* The k-th (0 = first) usable place from lo on. */
static uint32_t place_at(const struct steer_order *o, uint64_t lo, uint64_t k)
{
	size_t i = lost_below(o, lo);
	uint64_t index = lo + k;

	for (; i < o->nlost && o->lost[i] <= index; i++)
		index++;
	return (uint32_t)index;
}

/* First entry that stands at `index` or higher. */
static size_t entry_from(const struct steer_order *o, uint64_t index)
{
	size_t lo = 0, hi = o->n;

	while (lo < hi) {
		size_t mid = (lo + hi) / 2;

		if (o->entries[mid]->index < index)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

/* -- planning ----------------------------------------------------------------------------------------------- */

struct window {
	uint64_t lo, hi;   /* indexes */
	size_t first, end; /* entries in it: first..end-1 */
	uint64_t nplaces;
};

/* The window of about 2^log indexes around `at`, cut at the range's ends. */
static struct window window_around(const struct steer_order *o, uint64_t at, unsigned int log)
{
	uint64_t size = UINT64_C(1) << log, lo = at > size / 2 ? at - size / 2 : 0;
	struct window w;

	w.lo = lo < o->first ? o->first : lo;
	w.hi = w.lo + size - 1 > o->last ? o->last : w.lo + size - 1;
	w.first = entry_from(o, w.lo);
	w.end = entry_from(o, w.hi + 1);
	w.nplaces = places(o, w.lo, w.hi);
	return w;
}

static bool holds(const struct window *w, size_t pos)
{
	return w->first <= pos && pos <= w->end;
}

/* Empty enough for one more? The limit falls from 1 (log 0) to 1/2 (the whole range). */
static bool roomy(const struct window *w, unsigned int log, unsigned int max_log)
{
	uint64_t want = w->end - w->first + 1;

	return want <= w->nplaces && want * 2 * max_log <= w->nplaces * (2 * max_log - log);
}

static unsigned int log_of_range(const struct steer_order *o)
{
	uint64_t size = (uint64_t)o->last - o->first + 1;
	unsigned int log = 1;

	while (UINT64_C(1) << log < size)
		log++;
	return log;
}

/* Place of number k of n in the window: the middle of the k-th of n equal parts. */
static uint32_t even_place(const struct steer_order *o, const struct window *w, uint64_t k,
			   uint64_t n)
{
	/* NOLINTNEXTLINE(clang-analyzer-core.DivideZero): n counts at least the new entry */
	return place_at(o, w->lo, (2 * k + 1) * w->nplaces / (2 * n));
}

/* What is to be placed in a window: its entries, and the new one, which has no entry yet, in front of number pos. */
struct guest {
	struct steer_order_entry *entry;
	uint32_t to;
};

/*
 * Places for all guests, spread evenly, as far as each may go up. From the last to the first, each below the next one.
 * False: they do not fit.
 */
static bool seat(const struct steer_order *o, const struct window *w, size_t pos, uint32_t below,
		 struct guest *guests)
{
	size_t n = w->end - w->first + 1;
	uint64_t next = w->hi + 1;

	for (size_t k = n; k-- > 0;) {
		size_t e = w->first + k - (w->first + k > pos);
		struct guest *g = &guests[k];
		uint32_t cap = below;

		g->entry = w->first + k == pos ? NULL : o->entries[e];
		if (g->entry)
			cap = g->entry->below;
		if (cap && cap < next)
			next = cap;
		g->to = even_place(o, w, k, n);
		if (g->to >= next) {
			uint64_t left = next ? places(o, w->lo, next - 1) : 0;

			if (!left)
				return false;
			g->to = place_at(o, w->lo, left - 1);
		}
		next = g->to;
	}
	return true;
}

/* Moves to where the guests are seated: up, last one first; then down, first one first. */
static void plan_moves(const struct guest *guests, size_t n, struct steer_order_plan *plan)
{
	for (size_t k = n; k-- > 0;) {
		const struct guest *g = &guests[k];

		if (!g->entry)
			plan->index = g->to;
		else if (g->to > g->entry->index)
			plan->moves[plan->nmoves++] = (struct steer_order_move){g->entry, g->to};
	}
	for (size_t k = 0; k < n; k++) {
		const struct guest *g = &guests[k];

		if (g->entry && g->to < g->entry->index)
			plan->moves[plan->nmoves++] = (struct steer_order_move){g->entry, g->to};
	}
}

/* -ENOSPC, not reported: the window is too small. */
static int spread(const struct steer_order *o, const struct window *w, size_t pos, uint32_t below,
		  struct steer_order_plan *plan)
{
	size_t n = w->end - w->first + 1;
	struct guest *guests = mlxo_calloc(n, sizeof(*guests));
	int err = 0;

	if (!guests)
		return obj_error_nomem("the order of rules");
	if (!seat(o, w, pos, below, guests))
		err = -ENOSPC;
	if (!err) {
		plan->moves = mlxo_calloc(n, sizeof(*plan->moves));
		if (!plan->moves)
			err = obj_error_nomem("the order of rules");
	}
	if (!err)
		plan_moves(guests, n, plan);
	mlxo_free(guests);
	return err;
}

/* Spread the smallest window that is roomy, else all. -ENOSPC, not reported: no place is left. */
static int spread_smallest(const struct steer_order *o, size_t pos, uint32_t below,
			   struct steer_order_plan *plan)
{
	unsigned int max_log = log_of_range(o);
	uint64_t at = pos < o->n ? o->entries[pos]->index
		      : o->n	 ? o->entries[o->n - 1]->index
				 : o->first;
	struct window w;
	int err = -ENOSPC;

	for (unsigned int log = 1; log < max_log && err == -ENOSPC; log++) {
		w = window_around(o, at, log);
		if (holds(&w, pos) && roomy(&w, log, max_log))
			err = spread(o, &w, pos, below, plan);
	}
	if (err != -ENOSPC)
		return err;
	w = (struct window){.lo = o->first, .hi = o->last, .first = 0, .end = o->n};
	w.nplaces = places(o, w.lo, w.hi);
	return o->n < w.nplaces ? spread(o, &w, pos, below, plan) : -ENOSPC;
}

/* Room for one more entry, and for losing every entry there is: what follows a plan cannot fail. */
static int reserve(struct steer_order *o)
{
	size_t lost = o->nlost + o->n + 2;

	if (o->n + 1 > o->room) {
		size_t want = o->room ? o->room * 2 : 16;
		void *grown = mlxo_reallocarray(o->entries, want, sizeof(*o->entries));

		if (!grown)
			return obj_error_nomem("the order of rules");
		o->entries = grown;
		o->room = want;
	}
	if (lost > o->lost_room) {
		void *grown = mlxo_reallocarray(o->lost, lost * 2, sizeof(*o->lost));

		if (!grown)
			return obj_error_nomem("the order of rules");
		o->lost = grown;
		o->lost_room = lost * 2;
	}
	return 0;
}

/* In the gap lo..hi: the middle; at the ends of the list not farther than a stride, for those who append. */
static uint32_t place_in_gap(const struct steer_order *o, size_t pos, uint64_t lo, uint64_t hi)
{
	uint64_t n = places(o, lo, hi), k = n / 2;
	uint64_t stride = ((uint64_t)o->last - o->first + 1) / STRIDES;

	if (o->n && pos == o->n && k > stride)
		k = stride;
	else if (o->n && pos == 0 && n - 1 - k > stride)
		k = n - 1 - stride;
	return place_at(o, lo, k);
}

int steer_order_plan(struct steer_order *order, size_t pos, struct steer_order_plan *plan)
{
	return steer_order_plan_below(order, pos, 0, plan);
}

int steer_order_plan_below(struct steer_order *order, size_t pos, uint32_t below,
			   struct steer_order_plan *plan)
{
	uint64_t lo = pos ? (uint64_t)order->entries[pos - 1]->index + 1 : order->first;
	uint64_t end = pos < order->n ? (uint64_t)order->entries[pos]->index
				      : (uint64_t)order->last + 1;
	int err;

	*plan = (struct steer_order_plan){0};
	err = reserve(order);
	if (err)
		return err;
	if (below && below < end)
		end = below;
	if (end > lo && places(order, lo, end - 1)) {
		plan->index = place_in_gap(order, pos, lo, end - 1);
		return 0;
	}
	err = order->first <= order->last ? spread_smallest(order, pos, below, plan) : -ENOSPC;
	if (err == -ENOSPC && below)
		return obj_error(-ENOSPC,
				 "no place is left for another rule in front of number %u, where "
				 "one of unknown fate may stand",
				 below);
	if (err == -ENOSPC)
		return obj_error(-ENOSPC, "no place is left for another rule: %zu are there",
				 order->n);
	return err;
}

void steer_order_plan_free(struct steer_order_plan *plan)
{
	mlxo_free(plan->moves);
	*plan = (struct steer_order_plan){0};
}

/* -- changes ------------------------------------------------------------------------------------------------- */

void steer_order_moved(struct steer_order *order, struct steer_order_entry *entry, uint32_t to)
{
	(void)order; /* the order of entries is the same */
	entry->index = to;
}

void steer_order_insert(struct steer_order *order, size_t pos, struct steer_order_entry *entry,
			uint32_t index)
{
	memmove(&order->entries[pos + 1], &order->entries[pos],
		(order->n - pos) * sizeof(*order->entries));
	order->entries[pos] = entry;
	order->n++;
	entry->index = index;
}

size_t steer_order_pos(const struct steer_order *order, const struct steer_order_entry *entry)
{
	return entry_from(order, entry->index);
}

void steer_order_remove(struct steer_order *order, struct steer_order_entry *entry)
{
	size_t pos = steer_order_pos(order, entry);

	order->n--;
	memmove(&order->entries[pos], &order->entries[pos + 1],
		(order->n - pos) * sizeof(*order->entries));
}

int steer_order_lose(struct steer_order *order, uint32_t index)
{
	size_t i = lost_below(order, index);

	if (i < order->nlost && order->lost[i] == index)
		return 0;
	if (order->nlost == order->lost_room) {
		void *grown =
			mlxo_reallocarray(order->lost, order->nlost * 2 + 16, sizeof(*order->lost));

		if (!grown)
			return obj_error_nomem("the order of rules");
		order->lost = grown;
		order->lost_room = order->nlost * 2 + 16;
	}
	memmove(&order->lost[i + 1], &order->lost[i], (order->nlost - i) * sizeof(*order->lost));
	order->lost[i] = index;
	order->nlost++;
	return 0;
}
