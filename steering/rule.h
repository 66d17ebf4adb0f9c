/* SPDX-License-Identifier: BSD-2-Clause */
/* Flow table entry: a match and what happens to the packets that have it. */
#ifndef STEERING_RULE_H
#define STEERING_RULE_H

#include "objects/counter.h"
#include "objects/ipsec.h"
#include "objects/modify_header.h"
#include "objects/reformat.h"
#include "objects/tir.h"
#include "steering/group.h"

enum steer_crypto { STEER_CRYPTO_NONE, STEER_ENCRYPT, STEER_DECRYPT };

/* All objects are the caller's and must outlive the rule. Exactly one of allow, drop, table, anchor, tir. */
struct steer_actions {
	bool allow; /* TX: to the wire */
	bool drop;
	const struct steer_table *table;   /* forward */
	const struct steer_anchor *anchor; /* RX: on to the kernel */
	const struct obj_tir *tir;	   /* RX: to a receive queue */
	const struct obj_counter *counter;
	const struct obj_modhdr *modhdr;
	const struct obj_reformat *reformat;
	enum steer_crypto crypto;
	const struct obj_ipsec *ipsec; /* with crypto */
	bool has_flow_tag;
	uint32_t flow_tag; /* RX, 24 bits, shown in the CQE */
};

struct steer_rule {
	struct obj obj; /* id: flow index */
	struct steer_group *group;
	uint32_t index;
};

#define STEER_INDEX_ANY UINT32_MAX

/*
 * Add at `index` (already free in the group), or at the highest free one with STEER_INDEX_ANY. The match must have the
 * group's mask; a forward must go to a table of the same direction and a higher level: -EINVAL. -ENOSPC: no index free.
 * No answer: the index is lost.
 */
int steer_rule_add(struct steer_group *group, uint32_t index, const struct steer_match *match,
		   const struct steer_actions *actions, struct steer_rule *rule);
/*
 * At the highest free index below `limit`, so that it wins over an older rule there. -ENOSPC. When the answer is missing,
 * rule->index says where the rule may stand.
 */
int steer_rule_add_below(struct steer_group *group, uint32_t limit, const struct steer_match *match,
			 const struct steer_actions *actions, struct steer_rule *rule);
/*
 * Replace the actions of a rule in place (SET_FTE op_mod 1 with the fields that differ selected). match: what it was
 * added with. Needs the flow_modify_en capability: -EOPNOTSUPP. The kernel checks the entry by its index alone, so the
 * table's id is taken from the rule's own group, never from the caller.
 */
int steer_rule_modify(struct steer_rule *rule, const struct steer_match *match,
		      const struct steer_actions *from, const struct steer_actions *to);
/* Deleted: the index is free again. No answer: it is lost. Not live: 0. */
int steer_rule_del(struct steer_rule *rule);

#endif
