// SPDX-License-Identifier: BSD-2-Clause
/*
 * SET_FLOW_TABLE_ENTRY (add, modify) and DELETE_FLOW_TABLE_ENTRY.
 *
 * The command is the fixed part and, behind it, one destination and one counter at most, 8 bytes each; counters follow
 * destinations. Table, group and index come from the rule's group, never from the caller: the kernel checks a modify
 * by flow index alone, which other tables have too.
 */
#include "steering/rule.h"
#include "objects/error.h"

#include <errno.h>
#include <string.h>

enum { LIST_ENTRY = 8, LIST_MAX = 2, FLOW_TAG_MAX = 0xffffff };

struct set_fte {
	uint8_t in[PRM_BYTES(set_fte_in) + LIST_MAX * LIST_ENTRY];
	size_t len;
};

/* -- what is allowed ---------------------------------------------------------------------------------------- */

static bool same_mask(const struct steer_group *g, const struct steer_match *m)
{
	return g->enable == m->enable && memcmp(g->mask, m->mask, sizeof(g->mask)) == 0;
}

static int check_end(const struct steer_table *t, const struct steer_actions *a)
{
	int ends = a->allow + a->drop + (a->table != NULL) + (a->anchor != NULL) + (a->tir != NULL);

	if (ends != 1)
		return obj_error(-EINVAL,
				 "a rule ends in exactly one of allow, drop, table, anchor and "
				 "receive queue; %d were given",
				 ends);
	if (a->allow && t->dir != PROV_TX)
		return obj_error(-EINVAL, "only TX rules can send to the wire");
	if ((a->tir || a->anchor) && t->dir != PROV_RX)
		return obj_error(-EINVAL,
				 "only RX rules can lead to a receive queue or to the kernel");
	if (a->table && (a->table->dir != t->dir || a->table->level <= t->level))
		return obj_error(
			-EINVAL,
			"a rule of flow table %u (level %u) cannot forward to flow table %u "
			"(level %u): the same direction and a higher level are needed",
			t->obj.id, t->level, a->table->obj.id, a->table->level);
	return 0;
}

static int check_actions(const struct steer_table *t, const struct steer_actions *a)
{
	int err = check_end(t, a);

	if (err)
		return err;
	if ((a->crypto == STEER_ENCRYPT && t->dir != PROV_TX) ||
	    (a->crypto == STEER_DECRYPT && t->dir != PROV_RX))
		return obj_error(-EINVAL, "TX rules encrypt and RX rules decrypt");
	if ((a->crypto != STEER_CRYPTO_NONE) != (a->ipsec != NULL))
		return obj_error(-EINVAL, "a rule that encrypts or decrypts names an IPsec object, "
					  "others do not");
	if (a->drop && a->modhdr)
		return obj_error(-EINVAL, "a rule that drops cannot rewrite headers");
	if (a->has_flow_tag && (t->dir != PROV_RX || a->flow_tag > FLOW_TAG_MAX))
		return obj_error(-EINVAL, "flow tag 0x%x: RX rules have one of 24 bits",
				 a->flow_tag);
	return 0;
}

static int check_match(const struct steer_group *g, const struct steer_match *m)
{
	if (same_mask(g, m))
		return 0;
	return obj_error(-EINVAL,
			 "the match of a rule has other fields than flow group %u of flow "
			 "table %u",
			 g->obj.id, g->table->obj.id);
}

/* -- the command -------------------------------------------------------------------------------------------- */

static unsigned int action_bits(const struct steer_actions *a)
{
	unsigned int bits = 0;

	if (a->allow)
		bits |= PRM_FLOW_CONTEXT_ACTION_ALLOW;
	if (a->drop)
		bits |= PRM_FLOW_CONTEXT_ACTION_DROP;
	if (a->table || a->anchor || a->tir)
		bits |= PRM_FLOW_CONTEXT_ACTION_FWD_DEST;
	if (a->counter)
		bits |= PRM_FLOW_CONTEXT_ACTION_COUNT;
	if (a->reformat)
		bits |= PRM_FLOW_CONTEXT_ACTION_PACKET_REFORMAT;
	if (a->modhdr)
		bits |= PRM_FLOW_CONTEXT_ACTION_MOD_HDR;
	if (a->crypto == STEER_DECRYPT)
		bits |= PRM_FLOW_CONTEXT_ACTION_CRYPTO_DECRYPT;
	if (a->crypto == STEER_ENCRYPT)
		bits |= PRM_FLOW_CONTEXT_ACTION_CRYPTO_ENCRYPT;
	return bits;
}

static uint32_t destination(const struct steer_actions *a)
{
	if (a->anchor)
		return a->anchor->table_id;
	return a->table ? a->table->obj.id : a->tir->obj.id;
}

static void put_list(struct set_fte *cmd, uint8_t *fc, const struct steer_actions *a)
{
	uint8_t *at = PRM_AT(flow_context, fc, destination);

	if (a->table || a->anchor || a->tir) {
		PRM_SET(dest_format_struct, at, destination_type,
			a->tir ? PRM_IFC_FLOW_DESTINATION_TYPE_TIR
			       : PRM_IFC_FLOW_DESTINATION_TYPE_FLOW_TABLE);
		PRM_SET(dest_format_struct, at, destination_id, destination(a));
		PRM_SET(flow_context, fc, destination_list_size, 1);
		at += LIST_ENTRY;
	}
	if (a->counter) {
		PRM_SET(flow_counter_list, at, flow_counter_id, a->counter->obj.id);
		PRM_SET(flow_context, fc, flow_counter_list_size, 1);
		at += LIST_ENTRY;
	}
	cmd->len = (size_t)(at - cmd->in);
}

static void build(struct set_fte *cmd, const struct steer_group *g, uint32_t index,
		  const struct steer_match *match, const struct steer_actions *a)
{
	uint8_t *fc = PRM_AT(set_fte_in, cmd->in, flow_context);

	memset(cmd, 0, sizeof(*cmd));
	PRM_SET(set_fte_in, cmd->in, opcode, PRM_CMD_OP_SET_FLOW_TABLE_ENTRY);
	PRM_SET(set_fte_in, cmd->in, table_type, steer_table_type(g->table));
	PRM_SET(set_fte_in, cmd->in, table_id, g->table->obj.id);
	PRM_SET(set_fte_in, cmd->in, flow_index, index);
	PRM_SET(set_fte_in, cmd->in, ignore_flow_level, a->anchor != NULL);
	PRM_SET(flow_context, fc, group_id, g->obj.id);
	PRM_SET(flow_context, fc, flow_tag, a->has_flow_tag ? a->flow_tag : 0);
	PRM_SET(flow_context, fc, action, action_bits(a));
	if (a->reformat)
		PRM_SET(flow_context, fc, packet_reformat_id, a->reformat->obj.id);
	if (a->modhdr)
		PRM_SET(flow_context, fc, modify_header_id, a->modhdr->obj.id);
	if (a->ipsec) {
		PRM_SET(flow_context, fc, encrypt_decrypt_type,
			PRM_FLOW_CONTEXT_ENCRYPT_DECRYPT_TYPE_IPSEC);
		PRM_SET(flow_context, fc, encrypt_decrypt_obj_id, a->ipsec->obj.id);
	}
	memcpy(PRM_AT(flow_context, fc, match_value), match->value, sizeof(match->value));
	put_list(cmd, fc, a);
}

/* -- add, modify, delete ------------------------------------------------------------------------------------- */

/* The index is taken already. */
static int add_at(struct steer_group *group, uint32_t index, const struct steer_match *match,
		  const struct steer_actions *actions, struct steer_rule *rule)
{
	uint8_t out[PRM_BYTES(set_fte_out)];
	struct set_fte cmd;
	struct obj_create c = {.kind = OBJ_RULE, .in = cmd.in, .out = out, .outlen = sizeof(out)};
	int err;

	build(&cmd, group, index, match, actions);
	c.inlen = cmd.len;
	c.id = index;
	err = obj_create(group->table->dev, &c, &rule->obj);
	rule->index = index;
	if (!err) {
		rule->group = group;
	} else if (obj_is_unknown(err)) {
		steer_group_lose(group, index);
	} else {
		steer_group_put(group, index);
	}
	return err;
}

static int check_add(const struct steer_group *group, const struct steer_match *match,
		     const struct steer_actions *actions)
{
	int err = check_match(group, match);

	return err ? err : check_actions(group->table, actions);
}

int steer_rule_add(struct steer_group *group, uint32_t index, const struct steer_match *match,
		   const struct steer_actions *actions, struct steer_rule *rule)
{
	int err;

	*rule = (struct steer_rule){0};
	err = check_add(group, match, actions);
	if (err)
		return err;
	err = index == STEER_INDEX_ANY ? steer_group_take(group, &index)
				       : steer_group_take_at(group, index);
	return err ? err : add_at(group, index, match, actions, rule);
}

int steer_rule_add_below(struct steer_group *group, uint32_t limit, const struct steer_match *match,
			 const struct steer_actions *actions, struct steer_rule *rule)
{
	uint32_t index;
	int err;

	*rule = (struct steer_rule){0};
	err = check_add(group, match, actions);
	if (!err)
		err = steer_group_take_below(group, limit, &index);
	return err ? err : add_at(group, index, match, actions, rule);
}

/* Which parts differ, as modify_enable_mask. */
static unsigned int changed(const struct steer_actions *from, const struct steer_actions *to)
{
	unsigned int mask = 0;

	if (action_bits(from) != action_bits(to) || from->modhdr != to->modhdr ||
	    from->reformat != to->reformat)
		mask |= 1u << PRM_SET_FTE_MODIFY_ENABLE_MASK_ACTION;
	if (from->has_flow_tag != to->has_flow_tag || from->flow_tag != to->flow_tag)
		mask |= 1u << PRM_SET_FTE_MODIFY_ENABLE_MASK_FLOW_TAG;
	if (from->table != to->table || from->anchor != to->anchor || from->tir != to->tir)
		mask |= 1u << PRM_SET_FTE_MODIFY_ENABLE_MASK_DESTINATION_LIST;
	if (from->counter != to->counter)
		mask |= 1u << PRM_SET_FTE_MODIFY_ENABLE_MASK_FLOW_COUNTERS;
	if (from->ipsec != to->ipsec)
		mask |= 1u << PRM_SET_FTE_MODIFY_ENABLE_MASK_IPSEC_OBJ_ID;
	return mask;
}

int steer_rule_modify(struct steer_rule *rule, const struct steer_match *match,
		      const struct steer_actions *from, const struct steer_actions *to)
{
	uint8_t out[PRM_BYTES(set_fte_out)];
	struct steer_group *group = rule->group;
	struct steer_table *table;
	struct set_fte cmd;
	int err;

	if (!obj_is_live(&rule->obj))
		return obj_error(-ENOENT, "the rule to change is not there");
	table = group->table;
	if (!obj_cap(table->dev,
		     table->dir == PROV_TX ? OBJ_CAP_tx_flow_modify_en : OBJ_CAP_rx_flow_modify_en))
		return obj_error(-EOPNOTSUPP, "device %s cannot change rules in place",
				 mlxo_device_name(table->dev));
	err = check_add(group, match, to);
	if (err || !changed(from, to))
		return err;
	build(&cmd, group, rule->index, match, to);
	PRM_SET(set_fte_in, cmd.in, op_mod, 1);
	PRM_SET(set_fte_in, cmd.in, modify_enable_mask, changed(from, to));
	return obj_modify(table->dev, &rule->obj, cmd.in, cmd.len, out, sizeof(out));
}

int steer_rule_del(struct steer_rule *rule)
{
	struct steer_group *group = rule->group;
	int err;

	if (!obj_is_live(&rule->obj))
		return 0;
	err = obj_destroy(group->table->dev, &rule->obj);
	if (rule->obj.state == OBJ_NONE)
		steer_group_put(group, rule->index);
	else if (rule->obj.state == OBJ_LOST)
		steer_group_lose(group, rule->index);
	return err;
}
