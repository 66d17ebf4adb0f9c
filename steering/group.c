// SPDX-License-Identifier: BSD-2-Clause
/*
 * CREATE_FLOW_GROUP and DESTROY_FLOW_GROUP, and the map of a group's indexes.
 *
 * The map has one bit per index from `start` on; taken and lost look the same in it, because both are not to be given
 * out. The range of a lost group goes to its table's list, so that no other group can be put there; its place in that
 * list is allocated with the group, so that losing it cannot fail.
 */
#include "steering/group.h"
#include "objects/alloc.h"
#include "objects/error.h"

#include <errno.h>
#include <string.h>

enum { WORD = 64 };

struct steer_range {
	uint32_t start, end;
	struct steer_range *next;
};

static uint32_t size_of(const struct steer_group *g)
{
	return g->end - g->start + 1;
}

static bool is_used(const struct steer_group *g, uint32_t bit)
{
	return g->used[bit / WORD] >> bit % WORD & 1;
}

static void mark(struct steer_group *g, uint32_t bit, bool used)
{
	uint64_t m = UINT64_C(1) << bit % WORD;

	if (used)
		g->used[bit / WORD] |= m;
	else
		g->used[bit / WORD] &= ~m;
}

/* -- the table's list, by start index ---------------------------------------------------------------------- */

static struct steer_group **place(struct steer_table *table, uint32_t start)
{
	struct steer_group **at = &table->groups;

	while (*at && (*at)->start < start)
		at = &(*at)->next;
	return at;
}

static int overlap(struct steer_table *t, uint32_t start, uint32_t end, uint32_t a, uint32_t b)
{
	return obj_error(-EINVAL, "flow group %u..%u of flow table %u overlaps %u..%u", start, end,
			 t->obj.id, a, b);
}

static int check(struct steer_table *table, uint32_t start, uint32_t end)
{
	if (start > end || end >= steer_table_size(table))
		return obj_error(
			-EINVAL,
			"flow group %u..%u does not fit flow table %u, which has indexes 0..%u",
			start, end, table->obj.id, steer_table_size(table) - 1);
	for (const struct steer_group *g = table->groups; g; g = g->next)
		if (start <= g->end && g->start <= end)
			return overlap(table, start, end, g->start, g->end);
	for (const struct steer_range *r = table->lost; r; r = r->next)
		if (start <= r->end && r->start <= end)
			return overlap(table, start, end, r->start, r->end);
	return 0;
}

static void link_group(struct steer_group *g)
{
	struct steer_group **at = place(g->table, g->start);

	g->next = *at;
	*at = g;
}

static void unlink_group(struct steer_group *g)
{
	struct steer_group **at = &g->table->groups;

	while (*at && *at != g)
		at = &(*at)->next;
	if (*at)
		*at = g->next;
}

/* -- create, destroy --------------------------------------------------------------------------------------- */

static int send_create(struct steer_group *g)
{
	struct steer_table *t = g->table;
	uint8_t in[PRM_BYTES(create_flow_group_in)] = {0};
	uint8_t out[PRM_BYTES(create_flow_group_out)];

	PRM_SET(create_flow_group_in, in, opcode, PRM_CMD_OP_CREATE_FLOW_GROUP);
	PRM_SET(create_flow_group_in, in, table_type, steer_table_type(t));
	PRM_SET(create_flow_group_in, in, group_type,
		PRM_CREATE_FLOW_GROUP_IN_GROUP_TYPE_TCAM_SUBTABLE);
	PRM_SET(create_flow_group_in, in, table_id, t->obj.id);
	PRM_SET(create_flow_group_in, in, start_flow_index, g->start);
	PRM_SET(create_flow_group_in, in, end_flow_index, g->end);
	PRM_SET(create_flow_group_in, in, match_criteria_enable, g->enable);
	memcpy(PRM_AT(create_flow_group_in, in, match_criteria), g->mask, sizeof(g->mask));
	return obj_create(t->dev, OBJ_CREATE(OBJ_GROUP, in, out, create_flow_group_out, group_id),
			  &g->obj);
}

/* The group's memory, when it is not in use any more. A lost one leaves its range with the table. */
static void release(struct steer_group *g)
{
	if (g->obj.state == OBJ_LOST) {
		g->range->next = g->table->lost;
		g->table->lost = g->range;
	} else {
		mlxo_free(g->range);
	}
	mlxo_free(g->used);
	g->range = NULL;
	g->used = NULL;
}

void steer_group_forget_lost(struct steer_table *table)
{
	struct steer_range *r;

	while ((r = table->lost)) {
		table->lost = r->next;
		mlxo_free(r);
	}
}

void steer_group_forget_all(struct steer_table *table)
{
	while (table->groups) {
		struct steer_group *g = table->groups;

		table->groups = g->next;
		release(g);
	}
	steer_group_forget_lost(table);
}

static int allocate(struct steer_group *g)
{
	g->used = mlxo_calloc(size_of(g) / WORD + 1, sizeof(*g->used));
	g->range = mlxo_calloc(1, sizeof(*g->range));
	if (!g->used || !g->range) {
		mlxo_free(g->used);
		mlxo_free(g->range);
		g->used = NULL;
		g->range = NULL;
		return obj_error_nomem("a flow group");
	}
	g->range->start = g->start;
	g->range->end = g->end;
	return 0;
}

int steer_group_create(struct steer_table *table, uint32_t start, uint32_t end,
		       const struct steer_match *criteria, struct steer_group *group)
{
	int err;

	*group = (struct steer_group){
		.table = table, .start = start, .end = end, .enable = criteria->enable};
	memcpy(group->mask, criteria->mask, sizeof(group->mask));
	err = check(table, start, end);
	if (err)
		return err;
	err = allocate(group);
	if (err)
		return err;
	err = send_create(group);
	if (err)
		release(group);
	else
		link_group(group);
	return err;
}

int steer_group_destroy(struct steer_group *group)
{
	int err;

	if (!obj_is_live(&group->obj))
		return 0;
	if (group->ntaken)
		return obj_error(-EBUSY, "flow group %u of flow table %u still has %u rules",
				 group->obj.id, group->table->obj.id, group->ntaken);
	err = obj_destroy(group->table->dev, &group->obj);
	if (obj_is_live(&group->obj))
		return err;
	unlink_group(group);
	release(group);
	return err;
}

/* -- indexes ------------------------------------------------------------------------------------------------ */

/* Highest free bit below `limit`; UINT32_MAX when there is none. A word at a time. */
static uint32_t highest_free(const struct steer_group *g, uint32_t limit)
{
	while (limit) {
		uint32_t w = (limit - 1) / WORD, n = limit - w * WORD;
		uint64_t unused = ~g->used[w] & (UINT64_MAX >> (WORD - n));

		if (unused)
			return w * WORD + WORD - 1 - (uint32_t)__builtin_clzll(unused);
		limit = w * WORD;
	}
	return UINT32_MAX;
}

int steer_group_take_below(struct steer_group *group, uint32_t limit, uint32_t *index)
{
	uint32_t n = 0, bit;

	if (obj_is_live(&group->obj) && limit > group->start)
		n = limit > group->end ? size_of(group) : limit - group->start;
	bit = highest_free(group, n);
	if (bit == UINT32_MAX)
		return obj_error(-ENOSPC,
				 "flow group %u of flow table %u has no free index below %u",
				 group->obj.id, group->table->obj.id, limit);
	mark(group, bit, true);
	group->ntaken++;
	*index = group->start + bit;
	return 0;
}

int steer_group_take(struct steer_group *group, uint32_t *index)
{
	return steer_group_take_below(group, UINT32_MAX, index);
}

int steer_group_take_at(struct steer_group *group, uint32_t index)
{
	if (!obj_is_live(&group->obj) || index < group->start || index > group->end)
		return obj_error(-EINVAL, "index %u is outside of flow group %u..%u", index,
				 group->start, group->end);
	if (is_used(group, index - group->start))
		return obj_error(-EBUSY, "index %u of flow table %u is taken", index,
				 group->table->obj.id);
	mark(group, index - group->start, true);
	group->ntaken++;
	return 0;
}

void steer_group_put(struct steer_group *group, uint32_t index)
{
	mark(group, index - group->start, false);
	group->ntaken--;
}

void steer_group_lose(struct steer_group *group, uint32_t index)
{
	(void)index; /* its bit stays set */
	group->ntaken--;
	group->nlost++;
}

uint32_t steer_group_free(const struct steer_group *group)
{
	return obj_is_live(&group->obj) ? size_of(group) - group->ntaken - group->nlost : 0;
}
