// SPDX-License-Identifier: BSD-2-Clause
/*
 * What one policy is on the device.
 *
 *	out, template	[fragment of the selector: drop, count] [selector: slot number, to the SA table]
 *	in, template	[selector and the template's slot: deliver]  [fragment: drop, count] [selector: drop, count]
 *	block		[fragment: drop, count] [selector: drop, count]
 *	allow		[selector: pass on], counted
 *
 * Order is precedence: the table hits the lowest index, so every rule stands alone in a group of one index, and the
 * indexes follow the policies (steering/order.c). When a gap is used up, neighbours move: the rule is added at its new
 * place, then deleted at the old one, so that at no time a packet finds no rule.
 *
 * A selector without addresses means both IP versions: one set of rules for each.
 *
 * Fragments show the tables no ports, and those of IPv6 no upper protocol, so a rule that asks for them never sees one.
 * Where that would let a packet around a policy that protects or blocks, all fragments that may be the selector's are
 * dropped: in doubt too many.
 *
 * A rule that was lost may still be there, and must not win over one that came later: the user was told that it failed. So
 * a new rule is put in front of every lost one that catches some of its packets, and stays there when others move.
 */
#include "service.h"

#include "objects/alloc.h"
#include "objects/error.h"

#include <string.h>

static bool is_out(const struct mlxo_ipsec_policy *p)
{
	return p->params.dir == MLXO_IPSEC_OUT;
}

static struct steer_table *table_of(struct mlxo_ipsec_policy *p)
{
	return is_out(p) ? &p->svc->pipe.tx_policy : &p->svc->pipe.rx_policy;
}

static struct steer_order *order_of(struct mlxo_ipsec_policy *p)
{
	return is_out(p) ? &p->svc->pipe.tx_order : &p->svc->pipe.rx_order;
}

/* -- one rule at one index ------------------------------------------------------------------------------------ */

/* The device may still have it: keep the memory, never use the index again. */
static void lose_place(struct mlxo_ipsec_policy *p, struct ipsec_place *place, uint32_t index)
{
	place->next = p->svc->lost_places;
	p->svc->lost_places = place;
	steer_order_lose(order_of(p), index);
}

static bool is_lost(const struct ipsec_place *place)
{
	return place->group.obj.state == OBJ_LOST || place->rule.obj.state == OBJ_LOST;
}

/* 0, or -errno with nothing there but what is lost. */
static int place_add(struct ipsec_policy_rule *r, uint32_t index, struct ipsec_place **out)
{
	struct ipsec_place *place = mlxo_calloc(1, sizeof(*place));
	int err;

	if (!place)
		return obj_error_nomem("a policy rule");
	place->match = r->match;
	err = steer_group_create(table_of(r->policy), index, index, &r->match, &place->group);
	if (!err)
		err = steer_rule_add(&place->group, index, &r->match, &r->actions, &place->rule);
	if (!err) {
		*out = place;
		return 0;
	}
	obj_undo_begin();
	steer_group_destroy(&place->group);
	obj_undo_end();
	if (is_lost(place))
		lose_place(r->policy, place, index);
	else
		mlxo_free(place);
	return err;
}

/* 0 or the first failure; *place is NULL when it is gone or lost, and stays when the device refused. */
static int place_del(struct ipsec_policy_rule *r, struct ipsec_place **place)
{
	struct ipsec_place *old = *place;
	uint32_t index;
	int err, err2;

	if (!old)
		return 0;
	index = old->group.start;
	err = steer_rule_del(&old->rule);
	if (obj_is_live(&old->rule.obj))
		return err;
	if (err)
		obj_undo_begin();
	err2 = steer_group_destroy(&old->group);
	if (err)
		obj_undo_end();
	if (obj_is_live(&old->group.obj))
		return err ? err : err2;
	*place = NULL;
	if (is_lost(old))
		lose_place(r->policy, old, index);
	else
		mlxo_free(old);
	return err ? err : err2;
}

/* -- places in the order ---------------------------------------------------------------------------------------- */

/* Behind every rule of policies that go first: lower priority number, or equal and older. */
static size_t position_of(const struct ipsec_policy_rule *r, const struct steer_order *order)
{
	const struct mlxo_ipsec_policy *p = r->policy;
	size_t pos = 0;

	while (pos < order->n) {
		const struct ipsec_policy_rule *o = order->entries[pos]->owner;

		if (o->policy != p && o->policy->params.priority > p->params.priority)
			break;
		pos++;
	}
	return pos;
}

/* Make before break. When the device will not let the old rule go, all stays as it was. */
static int move(struct steer_order *order, const struct steer_order_move *m)
{
	struct ipsec_policy_rule *r = m->entry->owner;
	struct ipsec_place *copy = NULL, *old = r->place;
	int err = place_add(r, m->to, &copy);

	if (err)
		return err;
	err = place_del(r, &old);
	if (old) {
		obj_undo_begin();
		place_del(r, &copy);
		if (copy)
			lose_place(r->policy, copy, m->to);
		obj_undo_end();
		return err;
	}
	r->place = copy;
	steer_order_moved(order, m->entry, m->to);
	return err;
}

/* The lowest index of a lost rule that catches some of the same packets; 0: none. */
static uint32_t limit_of(const struct ipsec_policy_rule *r)
{
	const struct steer_table *table = table_of(r->policy);
	uint32_t limit = 0;

	for (const struct ipsec_place *l = r->policy->svc->lost_places; l; l = l->next)
		if (l->group.table == table && l->rule.obj.state != OBJ_NONE &&
		    steer_match_overlaps(&l->match, &r->match) &&
		    (!limit || l->group.start < limit))
			limit = l->group.start;
	return limit;
}

static int add_rule(struct ipsec_policy_rule *r)
{
	struct steer_order *order = order_of(r->policy);
	struct steer_order_plan plan;
	size_t pos = position_of(r, order);
	int err;

	r->entry.below = limit_of(r);
	err = steer_order_plan_below(order, pos, r->entry.below, &plan);
	if (err)
		return err;
	for (size_t i = 0; i < plan.nmoves && !err; i++)
		err = move(order, &plan.moves[i]);
	if (!err)
		err = place_add(r, plan.index, &r->place);
	if (!err)
		steer_order_insert(order, pos, &r->entry, plan.index);
	steer_order_plan_free(&plan);
	return err;
}

static int del_rule(struct ipsec_policy_rule *r)
{
	int err;

	if (!r->place)
		return 0;
	err = place_del(r, &r->place);
	if (!r->place)
		steer_order_remove(order_of(r->policy), &r->entry);
	return err;
}

/* -- which rules -------------------------------------------------------------------------------------------------- */

static struct ipsec_policy_rule *new_rule(struct mlxo_ipsec_policy *p, unsigned int version)
{
	struct ipsec_policy_rule *r = &p->rule[p->nrules++];

	r->policy = p;
	r->entry.owner = r;
	steer_match_init(&r->match);
	steer_match_ip_version(&r->match, (uint8_t)version);
	return r;
}

/* Do fragments keep from the tables what the selector asks for? They show no ports, IPv6 ones no upper protocol. */
static bool is_blind(const struct mlxo_selector *sel, unsigned int version)
{
	return sel->sport || sel->dport || (version == 6 && sel->proto);
}

/* What may be a fragment of the selector's packets: as much of it as fragments show. */
static void fragment_rule(struct mlxo_ipsec_policy *p, unsigned int version,
			  struct obj_counter *counter)
{
	struct mlxo_selector shown = p->params.sel;
	struct ipsec_policy_rule *r;

#ifdef MLXO_BITE_SKIP_FRAGRULE
	return;
#endif
	shown.sport = shown.dport = 0;
	if (version == 6)
		shown.proto = 0;
	r = new_rule(p, version);
	steer_match_frag(&r->match, true);
	ipsec_match_selector(&r->match, &shown);
	r->actions = (struct steer_actions){.drop = true, .counter = counter};
}

static void out_rules(struct mlxo_ipsec_policy *p, unsigned int version)
{
	struct ipsec_policy_rule *r;

	fragment_rule(p, version, &p->dropped);
	r = new_rule(p, version);
	steer_match_frag(&r->match, false);
	ipsec_match_selector(&r->match, &p->params.sel);
	r->actions = (struct steer_actions){
		.table = &p->svc->pipe.tx_sa, .counter = &p->taken, .modhdr = &p->slot->write};
}

static void in_rules(struct mlxo_ipsec_policy *p, unsigned int version)
{
	struct ipsec_policy_rule *r = new_rule(p, version);

	steer_match_reg_c(&r->match, IPSEC_REG_SLOT, p->slot->number, UINT32_MAX);
	ipsec_match_selector(&r->match, &p->params.sel);
	r->actions = pipeline_deliver(p->svc);
	if (!r->actions.drop)
		r->actions.counter = &p->taken;
	if (is_blind(&p->params.sel, version))
		fragment_rule(p, version, &p->dropped);
	r = new_rule(p, version);
	ipsec_match_selector(&r->match, &p->params.sel);
	r->actions = (struct steer_actions){.drop = true, .counter = &p->dropped};
}

static void clear_rules(struct mlxo_ipsec_policy *p, unsigned int version)
{
	bool block = p->params.action == MLXO_IPSEC_BLOCK;
	struct ipsec_policy_rule *r;

	if (block && is_blind(&p->params.sel, version))
		fragment_rule(p, version, &p->taken);
	r = new_rule(p, version);
	ipsec_match_selector(&r->match, &p->params.sel);
	if (block)
		r->actions = (struct steer_actions){.drop = true};
	else if (is_out(p))
		r->actions = (struct steer_actions){.allow = true};
	else
		r->actions = pipeline_deliver(p->svc);
	r->actions.counter = &p->taken;
}

static void rules_for(struct mlxo_ipsec_policy *p, unsigned int version)
{
	if (!p->slot)
		clear_rules(p, version);
	else if (is_out(p))
		out_rules(p, version);
	else
		in_rules(p, version);
}

static void make_rules(struct mlxo_ipsec_policy *p)
{
	uint16_t family = p->params.sel.src.family ? p->params.sel.src.family
						   : p->params.sel.dst.family;

	if (family != AF_INET6)
		rules_for(p, 4);
	if (family != AF_INET)
		rules_for(p, 6);
}

/* -- all of it ------------------------------------------------------------------------------------------------- */

static bool has_rules(const struct mlxo_ipsec_policy *p)
{
	for (unsigned int i = 0; i < p->nrules; i++)
		if (p->rule[i].place)
			return true;
	return false;
}

bool policy_is_live(const struct mlxo_ipsec_policy *p)
{
	return has_rules(p) || p->writes || obj_is_live(&p->taken.obj) ||
	       obj_is_live(&p->dropped.obj);
}

void policy_abandon(struct mlxo_ipsec_policy *p)
{
	for (unsigned int i = 0; i < p->nrules; i++) {
		struct ipsec_place *place = p->rule[i].place;

		p->rule[i].place = NULL;
		if (place)
			lose_place(p, place, place->group.start);
	}
}

static int install(struct mlxo_ipsec_policy *p)
{
	struct mlxo_device *dev = p->svc->dev;
	int err = obj_counter_create(dev, &p->taken);

	if (!err && p->slot)
		err = obj_counter_create(dev, &p->dropped);
	if (!err && p->slot && is_out(p)) {
		err = slot_writer_get(p->svc, p->slot);
		p->writes = !err;
	}
	make_rules(p);
	for (unsigned int i = 0; i < p->nrules && !err; i++)
		err = add_rule(&p->rule[i]);
	return err;
}

static void first_error(int *first, int err)
{
	if (!err || *first)
		return;
	*first = err;
	obj_undo_begin();
}

/*
 * Protected traffic must not slip out in clear while a policy goes: out, the fragment rule goes last; in, the dropping
 * rule does.
 */
static void remove_all(struct mlxo_ipsec_policy *p, int *err)
{
	struct mlxo_device *dev = p->svc->dev;

	for (unsigned int i = 0; i < p->nrules; i++) {
		unsigned int n = is_out(p) ? p->nrules - 1 - i : i;

		first_error(err, del_rule(&p->rule[n]));
	}
	if (p->writes && !has_rules(p))
		first_error(err, slot_writer_put(p->svc, p->slot, &p->writes));
	first_error(err, obj_counter_destroy(dev, &p->dropped));
	first_error(err, obj_counter_destroy(dev, &p->taken));
}

int policy_install(struct mlxo_ipsec_policy *p)
{
	int err = 0;

	first_error(&err, install(p));
	if (!err)
		return 0;
	remove_all(p, &err);
	obj_undo_end();
	return err;
}

int policy_uninstall(struct mlxo_ipsec_policy *p)
{
	int err = 0;

	remove_all(p, &err);
	if (policy_is_live(p))
		remove_all(p, &err);
	if (err)
		obj_undo_end();
	return err && !obj_is_unknown(err) && !policy_is_live(p) ? 0 : err;
}
