// SPDX-License-Identifier: BSD-2-Clause
/*
 * Which constants belong to which field: what turns "state: 0x1" into "state: 0x1 (RDY)".
 *
 * A rule names a field (of one layout, or of any) and the prefix that its constants share, and says how the value is
 * made of them: one of them, a sum of them, or a set of bits whose numbers they are.
 */
#include "prm/print.h"

#include <stdio.h>
#include <string.h>

enum how { ONE, FLAGS, BITS };

static const struct rule {
	const char *layout; /* NULL: any */
	const char *field;
	enum how how;
	const char *prefix;
} rules[] = {
	{NULL, "table_type", ONE, "FLOW_TABLE_TYPE_"},
	{NULL, "match_criteria_enable", BITS, "CREATE_FLOW_GROUP_IN_MATCH_CRITERIA_ENABLE_"},
	{NULL, "obj_type", ONE, "GENERAL_OBJECT_TYPES_"},
	{"add_action_in", "action_type", ONE, "ACTION_TYPE_"},
	{"add_action_in", "field", ONE, "ACTION_IN_FIELD_"},
	{"copy_action_in", "action_type", ONE, "ACTION_TYPE_"},
	{"copy_action_in", "dst_field", ONE, "ACTION_IN_FIELD_"},
	{"copy_action_in", "src_field", ONE, "ACTION_IN_FIELD_"},
	{"cqc", "status", ONE, "CQC_STATUS_"},
	{"create_flow_group_in", "group_type", ONE, "CREATE_FLOW_GROUP_IN_GROUP_TYPE_"},
	{"dest_format_struct", "destination_type", ONE, "IFC_FLOW_DESTINATION_TYPE_"},
	{"encryption_key_obj", "key_purpose", ONE, "GENERAL_OBJECT_TYPE_ENCRYPTION_KEY_PURPOSE_"},
	{"encryption_key_obj", "key_size", ONE, "GENERAL_OBJECT_TYPE_ENCRYPTION_KEY_KEY_SIZE_"},
	{"eqe", "event_type", ONE, "EVENT_TYPE_CODING_"},
	{"err_cqe", "syndrome", ONE, "CQE_SYND_"},
	{"flow_context", "action", FLAGS, "FLOW_CONTEXT_ACTION_"},
	{"flow_context", "encrypt_decrypt_type", ONE, "FLOW_CONTEXT_ENCRYPT_DECRYPT_TYPE_"},
	{"flow_context", "flow_source", ONE, "FLOW_CONTEXT_FLOW_SOURCE_"},
	{"flow_table_context", "table_miss_action", ONE, "FLOW_TABLE_MISS_ACTION_"},
	{"ipsec_aso", "window_sz", ONE, "IPSEC_ASO_REPLAY_WIN_"},
	{"ipsec_obj", "aso_return_reg", ONE, "IPSEC_ASO_REG_"},
	{"ipsec_obj", "modify_field_select", FLAGS, "MODIFY_IPSEC_BITMASK_"},
	{"mkc", "access_mode_1_0", ONE, "MKC_ACCESS_MODE_"},
	{"modify_rq_in", "rq_state", ONE, "RQC_STATE_"},
	{"modify_sq_in", "sq_state", ONE, "SQC_STATE_"},
	{"packet_reformat_context_in", "reformat_type", ONE, "REFORMAT_TYPE_"},
	{"rqc", "state", ONE, "RQC_STATE_"},
	{"set_action_in", "action_type", ONE, "ACTION_TYPE_"},
	{"set_action_in", "field", ONE, "ACTION_IN_FIELD_"},
	{"set_fte_in", "modify_enable_mask", BITS, "SET_FTE_MODIFY_ENABLE_MASK_"},
	{"sqc", "state", ONE, "SQC_STATE_"},
	{"tirc", "disp_type", ONE, "TIRC_DISP_TYPE_"},
	{"tirc", "rx_hash_fn", ONE, "RX_HASH_FN_"},
	{"wq", "wq_type", ONE, "WQ_TYPE_"},
	{"wqe_ctrl_seg", "opcode", ONE, "WQE_OP_"},
};

static const struct rule *find(const char *layout, const char *field)
{
	for (size_t i = 0; i < sizeof(rules) / sizeof(rules[0]); i++)
		if (!strcmp(rules[i].field, field) &&
		    (!rules[i].layout || !strcmp(rules[i].layout, layout)))
			return &rules[i];
	return NULL;
}

/* Names of all set bits; a bit without a name is written as a number. */
static void join(const struct rule *rule, uint64_t value, char *text, size_t size)
{
	size_t used = 0;

	text[0] = '\0';
	for (unsigned int bit = 0; bit < 64 && used < size; bit++) {
		uint64_t mask = UINT64_C(1) << bit;
		const char *name, *sep = used ? " | " : "";

		if (!(value & mask))
			continue;
		name = prm_constant_name(rule->prefix, rule->how == BITS ? bit : mask);
		if (name)
			used += (size_t)snprintf(text + used, size - used, "%s%s", sep, name);
		else
			used += (size_t)snprintf(text + used, size - used, "%s0x%llx", sep,
						 (unsigned long long)mask);
	}
}

const char *prm_symbol(const char *layout, const char *field, uint64_t value, char *text,
		       size_t size)
{
	const struct rule *rule = find(layout, field);

	if (!rule)
		return NULL;
	if (rule->how == ONE)
		return prm_constant_name(rule->prefix, value);
	join(rule, value, text, size);
	return text;
}
