// SPDX-License-Identifier: BSD-2-Clause
/*
 * Policies as users hold them: add, find, walk in order of precedence, query, delete, flush.
 *
 * A policy is known by direction and selector, as in the kernel: the same pair again is refused. Its index is chosen as
 * the kernel does: counting up in steps of 8, the direction in the low bits.
 */
#include "params.h"
#include "service.h"

#include "objects/alloc.h"
#include "objects/error.h"

#include <string.h>

static const enum mlxo_ipsec_dir order[] = {MLXO_IPSEC_OUT, MLXO_IPSEC_IN};

static struct mlxo_ipsec_policy **list_of(struct mlxo_ipsec *svc, enum mlxo_ipsec_dir dir)
{
	return &svc->policies[dir - 1];
}

/* The length of an address that is not given says nothing. */
static bool same_selector(const struct mlxo_selector *a, const struct mlxo_selector *b)
{
	return ipsec_same_addr(&a->src, &b->src) && ipsec_same_addr(&a->dst, &b->dst) &&
	       (!a->src.family || a->src_prefixlen == b->src_prefixlen) &&
	       (!a->dst.family || a->dst_prefixlen == b->dst_prefixlen) && a->proto == b->proto &&
	       a->sport == b->sport && a->dport == b->dport;
}

static struct mlxo_ipsec_policy *find(struct mlxo_ipsec *svc, enum mlxo_ipsec_dir dir,
				      const struct mlxo_selector *sel, uint32_t index)
{
	struct mlxo_ipsec_policy *p = *list_of(svc, dir);

	while (p && !(index ? p->params.index == index : same_selector(&p->params.sel, sel)))
		p = p->next;
	return p;
}

static void link_policy(struct mlxo_ipsec_policy *p)
{
	struct mlxo_ipsec_policy **at = list_of(p->svc, p->params.dir);

	while (*at && (*at)->params.priority <= p->params.priority)
		at = &(*at)->next;
	p->next = *at;
	*at = p;
	p->svc->npolicy[p->params.dir - 1]++;
}

static void unlink_policy(struct mlxo_ipsec_policy *p)
{
	struct mlxo_ipsec_policy **at = list_of(p->svc, p->params.dir);

	while (*at != p)
		at = &(*at)->next;
	*at = p->next;
	p->svc->npolicy[p->params.dir - 1]--;
}

/* A lost rule of the policy may still write the slot's number: then the slot stays as long as the service. */
static bool may_write(const struct mlxo_ipsec_policy *p)
{
	for (const struct ipsec_place *l = p->svc->lost_places; l; l = l->next)
		for (unsigned int i = 0; i < p->nrules; i++)
			if (l->group.enable == p->rule[i].match.enable &&
			    memcmp(l->group.mask, p->rule[i].match.mask, sizeof(l->group.mask)) ==
				    0)
				return true;
	return false;
}

/* Nothing of it is live any more; or keep it aside. */
static void free_policy(struct mlxo_ipsec_policy *p)
{
	struct mlxo_ipsec *svc = p->svc;

	if (policy_is_live(p)) {
		p->next = svc->stuck_policies;
		svc->stuck_policies = p;
		return;
	}
	if (!may_write(p))
		slot_put(svc, p->slot);
	mlxo_free(p->dev_label);
	mlxo_free(p);
}

static int check_room(struct mlxo_ipsec *svc, const struct mlxo_ipsec_policy_params *p)
{
	if (find(svc, p->dir, &p->sel, 0))
		return obj_error(-EEXIST, "a policy dir %s with this selector exists",
				 p->dir == MLXO_IPSEC_OUT ? "out" : "in");
	if (p->index && find(svc, p->dir, &p->sel, p->index))
		return obj_error(-EEXIST, "a policy with index %u exists", p->index);
	if (svc->npolicy[p->dir - 1] >= svc->max_policy)
		return obj_error(-ENOSPC,
				 "no room for another policy: the limit is %u per direction",
				 svc->max_policy);
	return 0;
}

static uint32_t next_index(struct mlxo_ipsec *svc, enum mlxo_ipsec_dir dir)
{
	uint32_t index;

	do {
		svc->last_index += 8;
		index = svc->last_index | (uint32_t)(dir - 1);
	} while (find(svc, dir, NULL, index));
	return index;
}

static struct mlxo_ipsec_policy *new_policy(struct mlxo_ipsec *svc,
					    const struct mlxo_ipsec_policy_params *params)
{
	struct mlxo_ipsec_policy *p = mlxo_calloc(1, sizeof(*p));

	if (!p)
		return obj_error_null(-ENOMEM, "out of memory for a policy");
	p->svc = svc;
	p->params = *params;
	if (params->dev) {
		p->dev_label = mlxo_strdup(params->dev);
		if (!p->dev_label) {
			obj_error_nomem("a policy");
			goto free_policy;
		}
	}
	p->params.dev = p->dev_label;
	if (params->ntmpl && params->action == MLXO_IPSEC_ALLOW) {
		p->slot = slot_get(svc, params->tmpl.reqid, params->tmpl.mode, params->tmpl.proto);
		if (!p->slot)
			goto free_label;
	}
	if (!p->params.index)
		p->params.index = next_index(svc, params->dir);
	return p;

free_label:
	mlxo_free(p->dev_label);
free_policy:
	mlxo_free(p);
	return NULL;
}

static int add(struct mlxo_ipsec *svc, const struct mlxo_ipsec_policy_params *params,
	       struct mlxo_ipsec_policy **out)
{
	struct mlxo_ipsec_policy *p;
	int err = check_room(svc, params);

	if (err)
		return err;
	p = new_policy(svc, params);
	if (!p)
		return -ENOMEM;
	err = policy_install(p);
	if (err) {
		obj_undo_begin();
		free_policy(p);
		obj_undo_end();
		return err;
	}
	link_policy(p);
	*out = p;
	return 0;
}

int mlxo_ipsec_policy_add(struct mlxo_ipsec *svc, const struct mlxo_ipsec_policy_params *params,
			  struct mlxo_ipsec_policy **policy)
{
	struct mlxo_ipsec_policy_params p;
	struct mlxo_ipsec_policy *made = NULL;
	int err = ipsec_policy_params_check(params, &p);

	if (!err) {
		pthread_mutex_lock(&svc->lock);
		err = add(svc, &p, &made);
		pthread_mutex_unlock(&svc->lock);
	}
	if (policy)
		*policy = made;
	return err;
}

static int del(struct mlxo_ipsec_policy *p)
{
	int err = policy_uninstall(p);

	if (policy_is_live(p))
		return err; /* refused twice: it stays listed, and can be deleted again */
	unlink_policy(p);
	obj_undo_begin();
	free_policy(p);
	obj_undo_end();
	return err;
}

int mlxo_ipsec_policy_del(struct mlxo_ipsec_policy *policy)
{
	struct mlxo_ipsec *svc = policy->svc;
	int err;

	pthread_mutex_lock(&svc->lock);
	err = del(policy);
	pthread_mutex_unlock(&svc->lock);
	return err;
}

int mlxo_ipsec_policy_flush(struct mlxo_ipsec *svc, size_t *n)
{
	struct mlxo_ipsec_policy *p, *next;
	int first = 0;
	size_t before, left;

	pthread_mutex_lock(&svc->lock);
	before = svc->npolicy[0] + svc->npolicy[1];
	for (size_t i = 0; i < 2; i++)
		for (p = *list_of(svc, order[i]); p; p = next) {
			int err;

			next = p->next;
			err = del(p);
			if (err && !first) {
				first = err;
				obj_undo_begin();
			}
		}
	if (first)
		obj_undo_end();
	left = svc->npolicy[0] + svc->npolicy[1];
	pthread_mutex_unlock(&svc->lock);
	if (n)
		*n = before - left;
	return first;
}

struct mlxo_ipsec_policy *mlxo_ipsec_policy_find(struct mlxo_ipsec *svc, enum mlxo_ipsec_dir dir,
						 const struct mlxo_selector *sel, uint32_t index)
{
	struct mlxo_ipsec_policy *p = NULL;

	if (dir == MLXO_IPSEC_IN || dir == MLXO_IPSEC_OUT) {
		pthread_mutex_lock(&svc->lock);
		p = find(svc, dir, sel, index);
		pthread_mutex_unlock(&svc->lock);
	}
	return p ? p : obj_error_null(-ENOENT, "no policy with this direction and selector");
}

static struct mlxo_ipsec_policy *next_of(struct mlxo_ipsec *svc, struct mlxo_ipsec_policy *prev)
{
	if (prev && prev->next)
		return prev->next;
	if (prev)
		return prev->params.dir == order[0] ? *list_of(svc, order[1]) : NULL;
	return *list_of(svc, order[0]) ? *list_of(svc, order[0]) : *list_of(svc, order[1]);
}

struct mlxo_ipsec_policy *mlxo_ipsec_policy_next(struct mlxo_ipsec *svc,
						 struct mlxo_ipsec_policy *prev)
{
	struct mlxo_ipsec_policy *p;

	pthread_mutex_lock(&svc->lock);
	p = next_of(svc, prev);
	pthread_mutex_unlock(&svc->lock);
	return p;
}

int mlxo_ipsec_policy_query(struct mlxo_ipsec_policy *p, struct mlxo_ipsec_policy_info *info)
{
	struct mlxo_ipsec *svc = p->svc;
	bool out = p->params.dir == MLXO_IPSEC_OUT;
	int err;

	memset(info, 0, sizeof(*info));
	pthread_mutex_lock(&svc->lock);
	info->params = p->params;
	err = obj_counter_query(svc->dev, &p->taken, &info->packets, &info->bytes);
	if (!err)
		err = obj_counter_query(svc->dev, &p->dropped,
					out ? &info->drop_fragment : &info->drop_unprotected, NULL);
	pthread_mutex_unlock(&svc->lock);
	return err;
}
