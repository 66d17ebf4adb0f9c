/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Places for an ordered list of rules: entry k stands at a lower index than entry k + 1, with gaps so that one can be put
 * between two others mostly without moving any.
 *
 *	index	0 .. 7 .. 15 .. 23 .. 31
 *	              A         B          insert between A and B: 19, nothing moves
 *	           A B x                   no gap: plan says which of the neighbours move where, and in which order
 *
 * The plan keeps the order true after EVERY single move, and every target is free at its turn: add the rule at the new
 * index, delete it at the old one, commit, next (make before break). A plan may be stopped after any move.
 * Pure bookkeeping, no device. Not locked.
 */
#ifndef STEERING_ORDER_H
#define STEERING_ORDER_H

#include <stddef.h>
#include <stdint.h>

struct steer_order_entry {
	uint32_t index; /* where it stands */
	uint32_t below; /* the caller's: it must always stand below this index; 0: anywhere */
	void *owner;	/* the caller's */
};

struct steer_order {
	uint32_t first, last;		    /* index range, inclusive */
	struct steer_order_entry **entries; /* in order */
	size_t n, room;
	uint32_t *lost; /* indexes never to be used again, ascending */
	size_t nlost, lost_room;
};

struct steer_order_move {
	struct steer_order_entry *entry;
	uint32_t to;
};

struct steer_order_plan {
	uint32_t index;			/* for the new entry, once the moves are done */
	struct steer_order_move *moves; /* in this order; steer_order_plan_free() */
	size_t nmoves;
};

void steer_order_init(struct steer_order *order, uint32_t first, uint32_t last);
void steer_order_fini(struct steer_order *order);

/*
 * Plan to put one in front of entry number `pos` (pos == n: at the end). -ENOSPC: no index is left; -ENOMEM. Changes
 * nothing that can be seen; reserves memory, so that what follows cannot fail.
 */
int steer_order_plan(struct steer_order *order, size_t pos, struct steer_order_plan *plan);
/*
 * The same, but at an index below `below` (0: anywhere): for a rule that must win over one that was lost there. Those in
 * front of it are moved down, too, if need be. Set the entry's `below` to the same, so that it holds for later plans.
 */
int steer_order_plan_below(struct steer_order *order, size_t pos, uint32_t below,
			   struct steer_order_plan *plan);
void steer_order_plan_free(struct steer_order_plan *plan);

/* The rule of entry now stands at `to`. */
void steer_order_moved(struct steer_order *order, struct steer_order_entry *entry, uint32_t to);
/* The new entry stands at plan->index, in front of number pos. Cannot fail after a plan. */
void steer_order_insert(struct steer_order *order, size_t pos, struct steer_order_entry *entry,
			uint32_t index);
void steer_order_remove(struct steer_order *order, struct steer_order_entry *entry);
/* Number of an entry in the order. */
size_t steer_order_pos(const struct steer_order *order, const struct steer_order_entry *entry);
/* Never give this index out again. -ENOMEM is possible only when more are lost than entries were planned. */
int steer_order_lose(struct steer_order *order, uint32_t index);

#endif
