// SPDX-License-Identifier: BSD-2-Clause
/*
 * What one SA is on the device, and in which order it comes and goes.
 *
 *	out	key, IPsec object, ESP header to add, counter, SA rule
 *	in	key, IPsec object, register writer, counters, status rules, SA rule
 *
 * The rule that lets packets in is the last to come and the first to go, so packets never meet half an SA. Removal is
 * one function for undo and for delete: destroying what was never made does nothing.
 */
#include "service.h"

#include "objects/alloc.h"
#include "objects/error.h"

#include <netinet/in.h>
#include <string.h>

enum { SALT_BYTES = 4 };

bool ipsec_same_addr(const struct mlxo_addr *a, const struct mlxo_addr *b)
{
	return a->family == b->family && memcmp(a->bytes, b->bytes, sizeof(a->bytes)) == 0;
}

uint32_t ipsec_peer_hash(const struct mlxo_addr *dst)
{
	uint32_t h = 2166136261u; /* FNV-1a */

	for (size_t i = 0; i < sizeof(dst->bytes); i++)
		h = (h ^ dst->bytes[i]) * 16777619u;
	return h % IPSEC_HASH;
}

static unsigned int addr_bits(const struct mlxo_addr *a)
{
	return a->family == AF_INET6 ? 128 : 32;
}

void ipsec_match_selector(struct steer_match *m, const struct mlxo_selector *sel)
{
	if (sel->src.family)
		steer_match_src(m, sel->src.family, sel->src.bytes, sel->src_prefixlen);
	if (sel->dst.family)
		steer_match_dst(m, sel->dst.family, sel->dst.bytes, sel->dst_prefixlen);
	if (sel->proto == IPPROTO_TCP || sel->proto == IPPROTO_UDP)
		steer_match_ports(m, sel->proto, sel->sport, sel->dport);
	else if (sel->proto)
		steer_match_ip_proto(m, sel->proto);
}

/* -- ghosts ------------------------------------------------------------------------------------------------- */

static bool is_ghost_of(const struct ipsec_ghost *g, const struct mlxo_ipsec_sa *sa)
{
	const struct mlxo_ipsec_sa_params *p = &sa->params;

	if (g->dir != p->dir || !ipsec_same_addr(&g->dst, &p->dst))
		return false;
	if (p->dir == MLXO_IPSEC_IN)
		return g->spi == p->spi;
	return g->slot == sa->slot->number && ipsec_same_addr(&g->src, &p->src);
}

/* The fate of an SA rule is unknown: remember where it may stand. `ghost` was allocated before the command. */
static void remember(struct mlxo_ipsec_sa *sa, uint32_t index, struct ipsec_ghost *ghost)
{
	*ghost = (struct ipsec_ghost){.dir = sa->params.dir,
				      .src = sa->params.src,
				      .dst = sa->params.dst,
				      .spi = sa->params.spi,
				      .slot = sa->slot->number,
				      .index = index,
				      .next = sa->svc->ghosts};
	sa->svc->ghosts = ghost;
}

static struct mlxo_ipsec_sa *peers_of(const struct mlxo_ipsec_sa *sa)
{
	return sa->svc->peers[ipsec_peer_hash(&sa->params.dst)];
}

/* Out: does the other live SA catch the same packets? Then the new one must win. */
static bool same_packets(const struct mlxo_ipsec_sa *a, const struct mlxo_ipsec_sa *b)
{
	return a != b && a->params.dir == MLXO_IPSEC_OUT && b->params.dir == MLXO_IPSEC_OUT &&
	       a->slot == b->slot && ipsec_same_addr(&a->params.src, &b->params.src) &&
	       ipsec_same_addr(&a->params.dst, &b->params.dst);
}

/* The new rule must stand below this index: in front of older SAs and ghosts that match the same packets. */
static uint32_t limit_of(const struct mlxo_ipsec_sa *sa)
{
	uint32_t limit = UINT32_MAX;

	for (const struct ipsec_ghost *g = sa->svc->ghosts; g; g = g->next)
		if (is_ghost_of(g, sa) && g->index < limit)
			limit = g->index;
	for (const struct mlxo_ipsec_sa *o = peers_of(sa); o; o = o->peer_next)
		if (same_packets(sa, o) && obj_is_live(&o->rule.obj) && o->rule.index < limit)
			limit = o->rule.index;
	return limit;
}

/* -- the SA rule --------------------------------------------------------------------------------------------- */

static void match_out(const struct mlxo_ipsec_sa *sa, struct steer_match *m)
{
	const struct mlxo_ipsec_sa_params *p = &sa->params;
	struct mlxo_selector l4 = {
		.proto = p->sel.proto, .sport = p->sel.sport, .dport = p->sel.dport};

	steer_match_init(m);
	steer_match_reg_c(m, IPSEC_REG_SLOT, sa->slot->number, UINT32_MAX);
	steer_match_ip_version(m, (uint8_t)ipsec_version(p->dst.family));
	steer_match_frag(m, false);
	steer_match_src(m, p->src.family, p->src.bytes, addr_bits(&p->src));
	steer_match_dst(m, p->dst.family, p->dst.bytes, addr_bits(&p->dst));
	ipsec_match_selector(m, &l4);
}

static void match_in(const struct mlxo_ipsec_sa *sa, struct steer_match *m)
{
	const struct mlxo_ipsec_sa_params *p = &sa->params;

	steer_match_init(m);
	steer_match_ip_version(m, (uint8_t)ipsec_version(p->dst.family));
	steer_match_ip_proto(m, IPSEC_PROTO_ESP);
	steer_match_frag(m, false);
	steer_match_dst(m, p->dst.family, p->dst.bytes, addr_bits(&p->dst));
#ifndef MLXO_BITE_SKIP_SPI
	steer_match_esp_spi(m, p->spi);
#endif
}

static struct ipsec_ruleset *set_of(struct mlxo_ipsec_sa *sa)
{
	struct ipsec_pipeline *pipe = &sa->svc->pipe;

	return sa->params.dir == MLXO_IPSEC_OUT ? &pipe->tx_sas : &pipe->rx_sas;
}

static struct steer_actions actions_of(const struct mlxo_ipsec_sa *sa)
{
	const struct ipsec_pipeline *pipe = &sa->svc->pipe;

	if (sa->params.dir == MLXO_IPSEC_OUT)
		return (struct steer_actions){.allow = true,
					      .counter = &sa->taken,
					      .reformat = &sa->add_esp,
					      .crypto = STEER_ENCRYPT,
					      .ipsec = &sa->ipsec};
	return (struct steer_actions){.table = &pipe->rx_status,
				      .counter = &sa->taken,
				      .modhdr = &sa->mark,
				      .reformat = &pipe->del_esp,
				      .crypto = STEER_DECRYPT,
				      .ipsec = &sa->ipsec};
}

/* Where its rule stands, a copy of it may still stand, too. */
static void settle(struct mlxo_ipsec_sa *sa, const struct steer_rule *rule,
		   struct ipsec_ghost *ghost)
{
	if (rule->obj.state == OBJ_NONE)
		mlxo_free(ghost);
	else
		remember(sa, rule->index, ghost);
}

/*
 * Add a copy of o's rule at the highest free index below limit, then delete the original, which wins until then. A copy
 * that would not be higher is not kept. 0 or the first failure; o has a rule in any case.
 */
static int raise_one(struct mlxo_ipsec_sa *o, uint32_t limit)
{
	struct ipsec_ruleset *set = set_of(o);
	struct ipsec_ghost *ghost = mlxo_calloc(1, sizeof(*ghost));
	struct steer_actions actions = actions_of(o);
	struct steer_rule copy;
	struct steer_match m;
	int err;

	if (!ghost)
		return obj_error_nomem("a security association");
	match_out(o, &m);
	err = ruleset_add(set, &m, &actions, limit, &copy);
	if (!err && copy.index > o->rule.index) {
		err = ruleset_del(set, &o->rule);
		if (!obj_is_live(&o->rule.obj)) {
			struct steer_rule old = o->rule;

			o->rule = copy;
			settle(o, &old, ghost);
			return err;
		}
	}
	obj_undo_begin();
	ruleset_del(set, &copy);
	obj_undo_end();
	settle(o, &copy, ghost);
	return err == -ENOSPC ? 0 : err;
}

/*
 * Room below the limit is used up only after thousands of rekeys of one SA. Then the older rules are put back to the
 * top, oldest first, so that their order stays as it is.
 */
static int raise_older(struct mlxo_ipsec_sa *sa)
{
	uint32_t limit = UINT32_MAX;
	int err = 0;

	for (struct mlxo_ipsec_sa *o = sa->svc->sas; o && !err; o = o->next) {
		if (!same_packets(sa, o) || !obj_is_live(&o->rule.obj))
			continue;
		err = raise_one(o, limit);
		limit = o->rule.index;
	}
	return err;
}

static int add_rule(struct mlxo_ipsec_sa *sa)
{
	struct steer_actions actions = actions_of(sa);
	struct ipsec_ghost *ghost = mlxo_calloc(1, sizeof(*ghost));
	struct steer_match m;
	int err;

	if (!ghost)
		return obj_error_nomem("a security association");
	if (sa->params.dir == MLXO_IPSEC_OUT)
		match_out(sa, &m);
	else
		match_in(sa, &m);
	err = ruleset_add(set_of(sa), &m, &actions, limit_of(sa), &sa->rule);
	if (err == -ENOSPC && sa->params.dir == MLXO_IPSEC_OUT) {
		err = raise_older(sa);
		if (!err)
			err = ruleset_add(set_of(sa), &m, &actions, limit_of(sa), &sa->rule);
	}
	if (sa->rule.obj.state == OBJ_LOST)
		remember(sa, sa->rule.index, ghost);
	else
		mlxo_free(ghost);
	return err;
}

static int del_rule(struct mlxo_ipsec_sa *sa)
{
	struct ipsec_ghost *ghost;
	int err;

	if (!obj_is_live(&sa->rule.obj))
		return 0;
	ghost = mlxo_calloc(1, sizeof(*ghost));
	if (!ghost)
		return obj_error_nomem("the removal of a security association");
	err = ruleset_del(set_of(sa), &sa->rule);
	if (sa->rule.obj.state == OBJ_LOST)
		remember(sa, sa->rule.index, ghost);
	else
		mlxo_free(ghost);
	return err;
}

/* -- inbound: marks and status rules ------------------------------------------------------------------------- */

static int create_mark(struct mlxo_ipsec_sa *sa)
{
	struct obj_modhdr_set set[] = {
		{.field = obj_modhdr_reg_c(IPSEC_REG_HANDLE), .length = 32, .data = sa->handle},
		{.field = obj_modhdr_reg_c(IPSEC_REG_SLOT), .length = 32, .data = sa->slot->number},
	};

	return obj_modhdr_create(sa->svc->dev, PRM_FLOW_TABLE_TYPE_NIC_RX, set, 2, &sa->mark);
}

static void match_status(const struct mlxo_ipsec_sa *sa, uint8_t syndrome, struct steer_match *m)
{
	steer_match_init(m);
	steer_match_ipsec_syndrome(m, syndrome);
	steer_match_reg_c(m, IPSEC_REG_HANDLE, sa->handle, UINT32_MAX);
}

/*
 * Where its packets may come from: what the selector says, or the SA's own source. It is looked at behind the ICV check,
 * because in transport mode the ICV does not cover the IP header: anyone on the way can rewrite the address (RFC 4301
 * 5.2 step 4). The destination needs no second look, the SA rule matched it.
 */
static struct mlxo_selector inbound_selector(const struct mlxo_ipsec_sa *sa)
{
	static const struct mlxo_addr none;
	const struct mlxo_addr *src = &sa->params.src;
	struct mlxo_selector sel = sa->params.sel;

	if (!sel.src.family && memcmp(src->bytes, none.bytes, sizeof(none.bytes)) != 0) {
		sel.src = *src;
		sel.src_prefixlen = (uint8_t)addr_bits(src);
	}
	return sel;
}

/* Good, and inside the SA's selector: on to the policies. */
static int add_ok(struct mlxo_ipsec_sa *sa)
{
	struct ipsec_pipeline *pipe = &sa->svc->pipe;
	struct steer_actions on = {.table = &pipe->rx_policy};
	struct mlxo_selector sel = inbound_selector(sa);
	struct steer_match m;

	match_status(sa, PRM_IPSEC_SYND_OK, &m);
	steer_match_reg_c(&m, IPSEC_REG_VERDICT, PRM_IPSEC_VERDICT_OK, UINT32_MAX);
	ipsec_match_selector(&m, &sel);
	return ruleset_add(&pipe->rx_ok, &m, &on, UINT32_MAX, &sa->ok);
}

/* What is left of this SA is dropped, counted by reason: good but outside of the selector, or not good. */
static int add_bad(struct mlxo_ipsec_sa *sa)
{
	const struct {
		uint8_t syndrome;
		struct obj_counter *counter;
	} why[] = {{PRM_IPSEC_SYND_AUTH_FAILED, &sa->auth},
		   {PRM_IPSEC_SYND_BAD_TRAILER, &sa->trailer},
		   {PRM_IPSEC_SYND_OK, &sa->selector}};
	int err = 0;

	for (size_t i = 0; i < sizeof(why) / sizeof(why[0]) && !err; i++) {
		struct steer_actions drop = {.drop = true, .counter = why[i].counter};
		struct steer_match m;

		match_status(sa, why[i].syndrome, &m);
		err = ruleset_add(&sa->svc->pipe.rx_bad, &m, &drop, UINT32_MAX, &sa->bad[i]);
	}
	return err;
}

static int install_in(struct mlxo_ipsec_sa *sa)
{
	struct mlxo_device *dev = sa->svc->dev;
	int err = create_mark(sa);

	if (!err)
		err = obj_counter_create(dev, &sa->auth);
	if (!err)
		err = obj_counter_create(dev, &sa->trailer);
	if (!err)
		err = obj_counter_create(dev, &sa->selector);
	if (!err)
		err = add_bad(sa);
	if (!err)
		err = add_ok(sa);
	return err;
}

/* -- all of it ------------------------------------------------------------------------------------------------- */

static int create_crypto(struct mlxo_ipsec_sa *sa)
{
	const uint8_t *key = mlxo_secret_bytes(sa->params.key);
	size_t len = mlxo_secret_len(sa->params.key) - SALT_BYTES;
	struct obj_dek_attr dek = {
		.purpose = PRM_GENERAL_OBJECT_TYPE_ENCRYPTION_KEY_PURPOSE_IPSEC,
		.key = key,
		.len = len,
	};
	struct obj_ipsec_attr ipsec = {
		.dir = sa->params.dir == MLXO_IPSEC_OUT ? OBJ_IPSEC_TX : OBJ_IPSEC_RX,
		.dek = &sa->dek,
		.salt = key + len,
		.first_sn = sa->params.oseq + 1, /* out; below 2^32, see params.c */
	};
	int err = obj_dek_create(sa->svc->dev, &dek, &sa->dek);

	return err ? err : obj_ipsec_create(sa->svc->dev, &ipsec, &sa->ipsec);
}

static int install(struct mlxo_ipsec_sa *sa)
{
	struct mlxo_device *dev = sa->svc->dev;
	int err = create_crypto(sa);

	if (!err)
		err = obj_counter_create(dev, &sa->taken);
	if (!err && sa->params.dir == MLXO_IPSEC_OUT)
		err = obj_reformat_create_add_esp(dev, sa->params.dst.family == AF_INET6,
						  sa->params.spi, &sa->add_esp);
	if (!err && sa->params.dir == MLXO_IPSEC_IN)
		err = install_in(sa);
	return err ? err : add_rule(sa);
}

bool sa_is_live(const struct mlxo_ipsec_sa *sa)
{
	bool live = obj_is_live(&sa->rule.obj) || obj_is_live(&sa->ok.obj);

	for (size_t i = 0; i < sizeof(sa->bad) / sizeof(sa->bad[0]); i++)
		live |= obj_is_live(&sa->bad[i].obj);
	return live || obj_is_live(&sa->mark.obj) || obj_is_live(&sa->add_esp.obj) ||
	       obj_is_live(&sa->taken.obj) || obj_is_live(&sa->auth.obj) ||
	       obj_is_live(&sa->trailer.obj) || obj_is_live(&sa->selector.obj) ||
	       obj_is_live(&sa->ipsec.obj) || obj_is_live(&sa->dek.obj);
}

/* The first failure is the one to tell; later ones go to the log. */
struct removal {
	int err;
};

static void step(struct removal *r, int err)
{
	if (!err || r->err)
		return;
	r->err = err;
	obj_undo_begin();
}

static int finish(const struct removal *r)
{
	if (r->err)
		obj_undo_end();
	return r->err;
}

/* Everything but the SA rule, in reverse order. */
static void remove_rest(struct mlxo_ipsec_sa *sa, struct removal *r, bool undo)
{
	struct ipsec_pipeline *pipe = &sa->svc->pipe;
	struct mlxo_device *dev = sa->svc->dev;

	step(r, ruleset_del(&pipe->rx_ok, &sa->ok));
	for (size_t i = sizeof(sa->bad) / sizeof(sa->bad[0]); i-- > 0;)
		step(r, ruleset_del(&pipe->rx_bad, &sa->bad[i]));
	step(r, obj_counter_destroy(dev, &sa->selector));
	step(r, obj_counter_destroy(dev, &sa->trailer));
	step(r, obj_counter_destroy(dev, &sa->auth));
	step(r, obj_modhdr_destroy(dev, &sa->mark));
#ifdef MLXO_BITE_SKIP_ROLLBACK
	if (!undo)
#endif
		step(r, obj_reformat_destroy(dev, &sa->add_esp));
	step(r, obj_counter_destroy(dev, &sa->taken));
	step(r, obj_ipsec_destroy(dev, &sa->ipsec));
	step(r, obj_dek_destroy(dev, &sa->dek));
	(void)undo;
}

int sa_install(struct mlxo_ipsec_sa *sa)
{
	struct removal undo = {0};

	step(&undo, install(sa));
	if (!undo.err)
		return 0;
	del_rule(sa);
	remove_rest(sa, &undo, true);
	return finish(&undo);
}

int sa_uninstall(struct mlxo_ipsec_sa *sa)
{
	struct removal r = {0};

	step(&r, del_rule(sa));
	if (obj_is_live(&sa->rule.obj))
		return finish(&r); /* refused: the SA is whole and in use */
	remove_rest(sa, &r, false);
	if (sa_is_live(sa)) /* something was refused on the way: once more */
		remove_rest(sa, &r, false);
	finish(&r);
	/* a refusal that the second try overcame is no failure; an answer that never came is */
	return r.err && !obj_is_unknown(r.err) && !sa_is_live(sa) ? 0 : r.err;
}
