// SPDX-License-Identifier: BSD-2-Clause
/*
 * Many rules, few masks: groups of a fixed number of indexes, made when a mask needs one.
 *
 *	first ............................................ last
 *	      [ chunk: mask A ] [ chunk: mask B ] [ chunk: mask A ]
 *	       made third        made second       made first
 *
 * One CREATE_FLOW_GROUP per chunk, nothing to search on the device, and room below every rule as long as there is a
 * free chunk below it.
 */
#include "service.h"

#include "objects/alloc.h"
#include "objects/error.h"

#include <string.h>

void ruleset_init(struct ipsec_ruleset *set, struct steer_table *table, uint32_t first,
		  uint32_t last, uint32_t chunk)
{
	*set = (struct ipsec_ruleset){.table = table, .first = first, .last = last, .chunk = chunk};
}

static void free_chunks(struct ipsec_chunk *c)
{
	while (c) {
		struct ipsec_chunk *next = c->next;

		mlxo_free(c);
		c = next;
	}
}

void ruleset_destroy(struct ipsec_ruleset *set)
{
	for (struct ipsec_chunk *c = set->chunks; c; c = c->next)
		steer_group_destroy(&c->group);
}

void ruleset_fini(struct ipsec_ruleset *set)
{
	free_chunks(set->chunks);
	free_chunks(set->lost);
	set->chunks = set->lost = NULL;
}

static bool fits(const struct ipsec_chunk *c, const struct steer_match *m)
{
	return c->group.enable == m->enable &&
	       memcmp(c->group.mask, m->mask, sizeof(c->group.mask)) == 0;
}

static bool is_used(const struct ipsec_ruleset *set, uint32_t start)
{
	for (const struct ipsec_chunk *c = set->chunks; c; c = c->next)
		if (c->group.start == start)
			return true;
	for (const struct ipsec_chunk *c = set->lost; c; c = c->next)
		if (c->group.start == start)
			return true;
	return false;
}

/* Start of the highest free chunk that lies below limit; UINT32_MAX: none. */
static uint32_t free_chunk(const struct ipsec_ruleset *set, uint32_t limit)
{
	uint32_t n = (set->last - set->first + 1) / set->chunk;

	while (n--) {
		uint32_t start = set->first + n * set->chunk;

		if (start + set->chunk <= limit && !is_used(set, start))
			return start;
	}
	return UINT32_MAX;
}

static int new_chunk(struct ipsec_ruleset *set, const struct steer_match *match, uint32_t limit,
		     struct ipsec_chunk **out)
{
	uint32_t start = free_chunk(set, limit);
	struct ipsec_chunk *c, **at = &set->chunks;
	int err;

	if (start == UINT32_MAX)
		return obj_error(-ENOSPC, "flow table %u has no room for another rule",
				 set->table->obj.id);
	c = mlxo_calloc(1, sizeof(*c));
	if (!c)
		return obj_error_nomem("a flow group");
	err = steer_group_create(set->table, start, start + set->chunk - 1, match, &c->group);
	if (err) {
		if (obj_is_unknown(err)) { /* its table's list still points to it */
			c->next = set->lost;
			set->lost = c;
		} else {
			mlxo_free(c);
		}
		return err;
	}
	while (*at && (*at)->group.start > start)
		at = &(*at)->next;
	c->next = *at;
	*at = c;
	*out = c;
	return 0;
}

static void drop_if_empty(struct ipsec_ruleset *set, struct ipsec_chunk *c)
{
	struct ipsec_chunk **at = &set->chunks;

	if (c->group.ntaken)
		return;
	steer_group_destroy(&c->group);
	if (obj_is_live(&c->group.obj) && steer_group_destroy(&c->group) &&
	    obj_is_live(&c->group.obj))
		return; /* refused twice: it stays for the next rule of its mask */
	while (*at != c)
		at = &(*at)->next;
	*at = c->next;
	if (c->group.obj.state == OBJ_LOST) {
		c->next = set->lost;
		set->lost = c;
	} else {
		mlxo_free(c);
	}
}

int ruleset_add(struct ipsec_ruleset *set, const struct steer_match *match,
		const struct steer_actions *actions, uint32_t limit, struct steer_rule *rule)
{
	struct ipsec_chunk *c;
	int err = -ENOSPC;

	*rule = (struct steer_rule){0};
	for (c = set->chunks; c && err == -ENOSPC; c = c->next)
		if (fits(c, match) && c->group.start < limit && steer_group_free(&c->group))
			err = steer_rule_add_below(&c->group, limit, match, actions, rule);
	if (err != -ENOSPC)
		return err;
	err = new_chunk(set, match, limit, &c);
	if (err)
		return err;
	err = steer_rule_add_below(&c->group, limit, match, actions, rule);
	if (err) {
		obj_undo_begin();
		drop_if_empty(set, c);
		obj_undo_end();
	}
	return err;
}

int ruleset_del(struct ipsec_ruleset *set, struct steer_rule *rule)
{
	struct ipsec_chunk *c = (struct ipsec_chunk *)rule->group; /* its first member */
	int err;

	if (!obj_is_live(&rule->obj))
		return 0;
	err = steer_rule_del(rule);
	if (obj_is_live(&rule->obj))
		return err;
	obj_undo_begin(); /* the rule is what was to go; its group is not the caller's business */
	drop_if_empty(set, c);
	obj_undo_end();
	return err;
}
