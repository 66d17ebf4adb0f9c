/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Flow group: an index range of a table whose rules share one mask; and who owns which index.
 *
 * Index allocation: the HIGHEST free index first. A rule that must win over an older one with the same match gets one
 * below it (steer_group_take_below). An index whose rule is lost is never given out again.
 */
#ifndef STEERING_GROUP_H
#define STEERING_GROUP_H

#include "steering/table.h"

struct steer_group {
	struct obj obj; /* id: group_id */
	struct steer_table *table;
	uint32_t start, end; /* first and last flow index */
	uint8_t enable;
	uint8_t mask[STEER_MATCH_BYTES];
	struct steer_group *next;  /* table's list, by start */
	uint64_t *used;		   /* one bit per index: taken or lost */
	struct steer_range *range; /* goes to the table's list when the group is lost */
	uint32_t ntaken, nlost;
};

/*
 * start..end inclusive; must lie in the table and overlap no other group (-EINVAL). Only the mask of `criteria` counts.
 * When create or destroy gets no answer, the range is lost: the table remembers it as occupied, the struct is free.
 */
int steer_group_create(struct steer_table *table, uint32_t start, uint32_t end,
		       const struct steer_match *criteria, struct steer_group *group);
/* Rules must be gone (-EBUSY); lost ones count as gone. */
int steer_group_destroy(struct steer_group *group);

/* Highest free index; below `limit` (index < limit) with take_below. -ENOSPC. */
int steer_group_take(struct steer_group *group, uint32_t *index);
int steer_group_take_below(struct steer_group *group, uint32_t limit, uint32_t *index);
/* This one: -EBUSY when taken or lost, -EINVAL outside the range. */
int steer_group_take_at(struct steer_group *group, uint32_t index);
void steer_group_put(struct steer_group *group, uint32_t index);
/* Taken, but never to be used again. */
void steer_group_lose(struct steer_group *group, uint32_t index);
uint32_t steer_group_free(const struct steer_group *group);

/* For table.c: the ranges are of no more interest. */
void steer_group_forget_lost(struct steer_table *table);
/* For table.c: nor are the groups that the device would not let go. Their structs are the owner's to free. */
void steer_group_forget_all(struct steer_table *table);

#endif
