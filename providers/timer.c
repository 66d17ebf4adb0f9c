// SPDX-License-Identifier: BSD-2-Clause
/*
 * Timers by deadline, those of equal deadlines in the order in which they were armed: a pairing heap.
 *
 *   root ── child ── next ── next        the least is the root; prev is the parent of a first child, else the
 *             └ child ── next            sibling before it
 *
 * It lives in the timers themselves, because arming cannot fail. Arming takes constant time, taking and cancelling
 * log n on average; a sorted list took n per timer and was quadratic with a timer per connection.
 *
 * Locks: the caller's.
 */
#include "timer.h"

static bool before(const struct prov_timer *a, const struct prov_timer *b)
{
	return a->when != b->when ? a->when < b->when : a->order < b->order;
}

/* One heap of two; a root has neither prev nor next. NULL is an empty heap. */
static struct prov_timer *meld(struct prov_timer *a, struct prov_timer *b)
{
	struct prov_timer *top, *under;

	if (!a || !b)
		return a ? a : b;
	top = before(b, a) ? b : a;
	under = top == a ? b : a;
	under->prev = top;
	under->next = top->child;
	if (top->child)
		top->child->prev = under;
	top->child = under;
	return top;
}

static struct prov_timer *alone(struct prov_timer *t)
{
	if (t)
		t->next = t->prev = NULL;
	return t;
}

/* One heap of a row of siblings: pair by pair, then the pairs from the last to the first. */
static struct prov_timer *meld_row(struct prov_timer *first)
{
	struct prov_timer *pairs = NULL, *root = NULL;

	while (first) {
		struct prov_timer *a = first, *b = a->next;

		first = b ? b->next : NULL;
		a = meld(alone(a), alone(b));
		a->next = pairs;
		pairs = a;
	}
	while (pairs) {
		struct prov_timer *a = pairs;

		pairs = a->next;
		root = meld(root, alone(a));
	}
	return root;
}

void prov_timers_insert(struct prov_timers *heap, struct prov_timer *t)
{
	t->next = t->prev = t->child = NULL;
	t->order = heap->armed++;
	t->armed = true;
	heap->first = meld(heap->first, t);
}

void prov_timers_remove(struct prov_timers *heap, struct prov_timer *t)
{
	struct prov_timer *under = meld_row(t->child);

	t->armed = false;
	if (t == heap->first) {
		heap->first = under;
		return;
	}
	if (t->prev->child == t)
		t->prev->child = t->next;
	else
		t->prev->next = t->next;
	if (t->next)
		t->next->prev = t->prev;
	heap->first = meld(heap->first, under);
}
