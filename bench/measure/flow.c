// SPDX-License-Identifier: BSD-2-Clause
/*
 * Questions about IPsec objects and the rules that name them. The tables are not attached, so that no packet meets them,
 * except where a frame of our own has to: then for our own send queue only.
 */
#include "keys.h"

#include <mlx5_offload/channel.h>

#include "objects/counter.h"
#include "objects/ipsec.h"
#include "objects/reformat.h"
#include "steering/match.h"

#include <string.h>

enum { RX = PRM_FLOW_TABLE_TYPE_NIC_RX, TX = PRM_FLOW_TABLE_TYPE_NIC_TX };
enum { LOG_TABLE = 4, LAST_INDEX = (1 << LOG_TABLE) - 1, ESP = 50, SPI = 0x1000, DEST_BYTES = 8 };
enum { BODY = PRM_BYTES(create_encryption_key_in) - 16, TRIES = 200, NAP_MS = 5 };

struct table {
	uint8_t type;
	uint32_t id, group;
	struct prov_obj *obj;
	struct steer_match match; /* of its one group, and of its rules */
};

/* What a rule does; 0: not that. */
struct rule {
	uint32_t index, ipsec, reformat, counter, to_table;
	uint16_t action;
	uint8_t op_mod, mask; /* modify_enable_mask */
};

/* -- tables and rules ----------------------------------------------------------------------------------------- */

/* As the library's own: ESP in transport mode needs neither reformat_en nor decap_en, which an e-switch may refuse. */
static struct reply make_table(struct lab *lab, struct table *t, uint8_t level)
{
	uint8_t in[PRM_BYTES(create_flow_table_in)] = {0}, out[PRM_BYTES(create_flow_table_out)];
	uint8_t *ctx = PRM_AT(create_flow_table_in, in, flow_table_context);
	struct reply r;

	PRM_SET(create_flow_table_in, in, opcode, PRM_CMD_OP_CREATE_FLOW_TABLE);
	PRM_SET(create_flow_table_in, in, table_type, t->type);
	PRM_SET(flow_table_context, ctx, level, level);
	PRM_SET(flow_table_context, ctx, log_size, LOG_TABLE);
	r = lab_create(lab, in, sizeof(in), out, sizeof(out), &t->obj);
	t->id = lab_accepted(r) ? (uint32_t)PRM_GET(create_flow_table_out, out, table_id) : 0;
	return r;
}

static struct reply make_group(struct lab *lab, struct table *t)
{
	uint8_t in[PRM_BYTES(create_flow_group_in)] = {0}, out[PRM_BYTES(create_flow_group_out)];
	struct reply r;

	PRM_SET(create_flow_group_in, in, opcode, PRM_CMD_OP_CREATE_FLOW_GROUP);
	PRM_SET(create_flow_group_in, in, table_type, t->type);
	PRM_SET(create_flow_group_in, in, table_id, t->id);
	PRM_SET(create_flow_group_in, in, end_flow_index, LAST_INDEX);
	PRM_SET(create_flow_group_in, in, match_criteria_enable, t->match.enable);
	memcpy(PRM_AT(create_flow_group_in, in, match_criteria), t->match.mask, STEER_MATCH_BYTES);
	r = lab_create(lab, in, sizeof(in), out, sizeof(out), NULL);
	t->group = lab_accepted(r) ? (uint32_t)PRM_GET(create_flow_group_out, out, group_id) : 0;
	return r;
}

/* `below` the last level of the device. */
static bool open_table(struct lab *lab, struct answer *a, struct table *t, uint8_t type,
		       unsigned int below)
{
	uint64_t levels =
		obj_cap(lab->dev, type == TX ? OBJ_CAP_tx_max_ft_level : OBJ_CAP_rx_max_ft_level);

	t->type = type;
	if (levels <= below) {
		answer_skip(a, "the device has %u levels of flow tables", (unsigned int)levels);
		return false;
	}
	return lab_must(a, make_table(lab, t, (uint8_t)(levels - 1 - below)), "a flow table") &&
	       lab_must(a, make_group(lab, t), "a flow group");
}

static size_t put_list(uint8_t *fc, const struct rule *rule)
{
	uint8_t *at = PRM_AT(flow_context, fc, destination);

	if (rule->to_table) {
		PRM_SET(flow_context, fc, destination_list_size, 1);
		PRM_SET(dest_format_struct, at, destination_type,
			PRM_IFC_FLOW_DESTINATION_TYPE_FLOW_TABLE);
		PRM_SET(dest_format_struct, at, destination_id, rule->to_table);
		at += DEST_BYTES;
	}
	if (rule->counter) {
		PRM_SET(flow_context, fc, flow_counter_list_size, 1);
		PRM_SET(flow_counter_list, at, flow_counter_id, rule->counter);
		at += DEST_BYTES;
	}
	return (size_t)(at - PRM_AT(flow_context, fc, destination));
}

/* obj: of the rule to change; NULL: a new one. */
static struct reply set_rule(struct lab *lab, const struct table *t, const struct rule *rule,
			     struct prov_obj **obj)
{
	uint8_t in[PRM_BYTES(set_fte_in) + 2 * DEST_BYTES] = {0}, out[PRM_BYTES(set_fte_out)];
	uint8_t *fc = PRM_AT(set_fte_in, in, flow_context);
	size_t len;

	PRM_SET(set_fte_in, in, opcode, PRM_CMD_OP_SET_FLOW_TABLE_ENTRY);
	PRM_SET(set_fte_in, in, op_mod, rule->op_mod);
	PRM_SET(set_fte_in, in, modify_enable_mask, rule->mask);
	PRM_SET(set_fte_in, in, table_type, t->type);
	PRM_SET(set_fte_in, in, table_id, t->id);
	PRM_SET(set_fte_in, in, flow_index, rule->index);
	PRM_SET(flow_context, fc, group_id, t->group);
	PRM_SET(flow_context, fc, action, rule->action);
	PRM_SET(flow_context, fc, packet_reformat_id, rule->reformat);
	PRM_SET(flow_context, fc, encrypt_decrypt_type,
		PRM_FLOW_CONTEXT_ENCRYPT_DECRYPT_TYPE_IPSEC);
	PRM_SET(flow_context, fc, encrypt_decrypt_obj_id, rule->ipsec);
	memcpy(PRM_AT(flow_context, fc, match_value), t->match.value, STEER_MATCH_BYTES);
	len = PRM_BYTES(set_fte_in) + put_list(fc, rule);
	if (rule->op_mod)
		return lab_command(lab, PROV_CMD_MODIFY, *obj, in, len, out, sizeof(out));
	return lab_create(lab, in, len, out, sizeof(out), obj);
}

/* -- IPsec objects ------------------------------------------------------------------------------------------------ */

static bool can_ipsec(struct lab *lab, struct answer *a)
{
	if (!mlxo_device_check_ipsec_packet(lab->dev, false))
		return true;
	answer_skip(a, "%s", mlxo_error_last()->text);
	return false;
}

/* Number of a new IPsec object with a key of its own; 0 and failed: none. */
static bool make_ipsec(struct lab *lab, struct answer *a, enum obj_ipsec_dir dir, uint32_t *id)
{
	struct obj_dek dek = {0};
	struct bulk key;
	struct obj_ipsec ipsec;
	struct obj_ipsec_attr attr = {.dir = dir, .dek = &dek, .salt = (const uint8_t *)"salt"};

	if (!lab_must(a,
		      keys_single(lab, PRM_GENERAL_OBJECT_TYPE_ENCRYPTION_KEY_PURPOSE_IPSEC, BODY,
				  &key),
		      "a key for IPsec"))
		return false;
	dek.obj.id = key.id;
	if (!lab_made(a, obj_ipsec_create(lab->dev, &attr, &ipsec), "an IPsec object"))
		return false;
	*id = ipsec.obj.id;
	lab_adopt(lab, &ipsec.obj);
	return true;
}

static bool make_reformat(struct lab *lab, struct answer *a, bool add, uint32_t *id)
{
	struct obj_reformat reformat;
	int err = add ? obj_reformat_create_add_esp(lab->dev, false, SPI, &reformat)
		      : obj_reformat_create_del_esp(lab->dev, &reformat);

	if (!lab_made(a, err, "a packet reformat context"))
		return false;
	*id = reformat.obj.id;
	lab_adopt(lab, &reformat.obj);
	return true;
}

static void match_udp(struct table *t)
{
	steer_match_init(&t->match);
	steer_match_ethertype(&t->match, 0x0800);
	steer_match_ports(&t->match, 17, 0, 4242);
}

static void match_esp(struct table *t)
{
	steer_match_init(&t->match);
	steer_match_ip_proto(&t->match, ESP);
	steer_match_esp_spi(&t->match, SPI);
}

/* TX: encrypt and add ESP. What a rule of it needs is in *rule. */
static bool open_encrypt(struct lab *lab, struct answer *a, struct table *t, struct rule *rule)
{
	*rule = (struct rule){.action = PRM_FLOW_CONTEXT_ACTION_ALLOW |
					PRM_FLOW_CONTEXT_ACTION_CRYPTO_ENCRYPT |
					PRM_FLOW_CONTEXT_ACTION_PACKET_REFORMAT};
	match_udp(t);
	return make_ipsec(lab, a, OBJ_IPSEC_TX, &rule->ipsec) &&
	       make_reformat(lab, a, true, &rule->reformat) && open_table(lab, a, t, TX, 0);
}

/* RX: decrypt, remove ESP, go on in another table. */
static bool open_decrypt(struct lab *lab, struct answer *a, struct table *t, struct rule *rule)
{
	struct table next = {0};

	*rule = (struct rule){.action = PRM_FLOW_CONTEXT_ACTION_FWD_DEST |
					PRM_FLOW_CONTEXT_ACTION_CRYPTO_DECRYPT |
					PRM_FLOW_CONTEXT_ACTION_PACKET_REFORMAT};
	match_esp(t);
	match_udp(&next);
	if (!make_ipsec(lab, a, OBJ_IPSEC_RX, &rule->ipsec) ||
	    !make_reformat(lab, a, false, &rule->reformat) || !open_table(lab, a, &next, RX, 0))
		return false;
	rule->to_table = next.id;
	return open_table(lab, a, t, RX, 1);
}

static void crypto_rules(struct lab *lab, struct answer *a)
{
	struct prov_obj *obj;
	struct table t = {0};
	struct rule rule;

	if (!can_ipsec(lab, a))
		return;
	if (open_encrypt(lab, a, &t, &rule))
		lab_say(a, set_rule(lab, &t, &rule, &obj), "encrypt in NIC_TX");
	lab_clear(lab);
	if (open_decrypt(lab, a, &t, &rule))
		lab_say(a, set_rule(lab, &t, &rule, &obj), "decrypt in NIC_RX");
}

/* -- changing the IPsec object of a rule --------------------------------------------------------------------------- */

static void swap(struct lab *lab, struct answer *a)
{
	struct prov_obj *obj;
	struct table t = {0};
	struct rule rule;
	uint32_t other;

	if (!can_ipsec(lab, a) || !lab_has(lab, a, OBJ_CAP_tx_flow_modify_en) ||
	    !open_encrypt(lab, a, &t, &rule) || !make_ipsec(lab, a, OBJ_IPSEC_TX, &other) ||
	    !lab_must(a, set_rule(lab, &t, &rule, &obj), "a rule that encrypts"))
		return;
	rule.op_mod = 1;
	rule.ipsec = other;
	rule.mask = 1u << PRM_SET_FTE_MODIFY_ENABLE_MASK_IPSEC_OBJ_ID;
	lab_say(a, set_rule(lab, &t, &rule, &obj), "mask bit 4");
	rule.mask |= 1u << PRM_SET_FTE_MODIFY_ENABLE_MASK_ACTION;
	lab_say(a, set_rule(lab, &t, &rule, &obj), "bits 4 and 0");
}

/* -- replay protection ------------------------------------------------------------------------------------------------ */

static struct reply make_window(struct lab *lab, uint32_t dekn, bool esn)
{
	uint8_t in[PRM_BYTES(create_ipsec_obj_in)] = {0}, out[PRM_BYTES(general_obj_out_cmd_hdr)];
	uint8_t *o = PRM_AT(create_ipsec_obj_in, in, ipsec_object),
		*aso = PRM_AT(ipsec_obj, o, ipsec_aso);

	PRM_SET(general_obj_in_cmd_hdr, in, opcode, PRM_CMD_OP_CREATE_GENERAL_OBJECT);
	PRM_SET(general_obj_in_cmd_hdr, in, obj_type, PRM_GENERAL_OBJECT_TYPES_IPSEC);
	PRM_SET(ipsec_obj, o, full_offload, 1);
	PRM_SET(ipsec_obj, o, icv_length, PRM_IPSEC_OBJECT_ICV_LEN_16B);
	PRM_SET(ipsec_obj, o, aso_return_reg, PRM_IPSEC_ASO_REG_C_4_5);
	PRM_SET(ipsec_obj, o, esn_en, esn);
	PRM_SET(ipsec_obj, o, dekn, dekn);
	PRM_SET(ipsec_obj, o, salt, 0x73616c74);
	PRM_SET(ipsec_obj, o, ipsec_aso_access_pd, lab->dev->pd.id);
	PRM_SET(ipsec_aso, aso, valid, 1);
	PRM_SET(ipsec_aso, aso, mode, PRM_IPSEC_ASO_REPLAY_PROTECTION);
	PRM_SET(ipsec_aso, aso, window_sz, PRM_IPSEC_ASO_REPLAY_WIN_32BIT);
	return lab_create(lab, in, sizeof(in), out, sizeof(out), NULL);
}

static void replay(struct lab *lab, struct answer *a)
{
	struct bulk key;

	if (!can_ipsec(lab, a) ||
	    !lab_must(a,
		      keys_single(lab, PRM_GENERAL_OBJECT_TYPE_ENCRYPTION_KEY_PURPOSE_IPSEC, BODY,
				  &key),
		      "a key for IPsec"))
		return;
	lab_say(a, make_window(lab, key.id, false), "esn_en 0");
	lab_say(a, make_window(lab, key.id, true), "esn_en 1");
}

/* -- two rules with one match ------------------------------------------------------------------------------------------ */

enum { TWO = 2 };

static bool make_two(struct lab *lab, struct answer *a, struct table *t, struct obj_counter *c,
		     bool *both)
{
	for (uint32_t i = 0; i < TWO; i++) {
		struct rule rule = {.index = i,
				    .action = PRM_FLOW_CONTEXT_ACTION_ALLOW |
					      PRM_FLOW_CONTEXT_ACTION_COUNT,
				    .counter = c[i].obj.id};
		struct prov_obj *obj;
		struct reply r = set_rule(lab, t, &rule, &obj);

		if (i == 0 && !lab_must(a, r, "the first of the two rules"))
			return false;
		if (i == 1)
			lab_say(a, r, "the second");
		*both = lab_accepted(r);
	}
	return true;
}

/* An Ethernet frame with UDP to port 4242, TEST-NET-1. */
static int send_udp(struct lab *lab, struct mlxo_channel *channel)
{
	uint8_t frame[64] = {0x02, 0x00, 0x5e, 0x00, 0x02, 0x02, 0x02, 0x00, 0x5e, 0x00,
			     0x02, 0x01, 0x08, 0x00, 0x45, 0x00, 0x00, 0x32, 0x00, 0x01,
			     0x40, 0x00, 0x01, 0x11, 0x00, 0x00, 192,  0,    2,	   1,
			     192,  0,	 2,    2,    0x10, 0x92, 0x10, 0x92, 0x00, 0x1e};
	struct iovec iov = {.iov_base = frame, .iov_len = sizeof(frame)};
	int err = mlxo_channel_send(channel, &iov, 1, MLXO_SEND_CSUM_L3 | MLXO_SEND_CSUM_L4);

	mlxo_channel_flush(channel);
	mlxo_device_progress(lab->dev);
	mlxo_channel_poll(channel, 1, NULL, NULL);
	return err;
}

static void who_counted(struct lab *lab, struct answer *a, struct mlxo_channel *channel,
			const struct obj_counter *c)
{
	uint64_t n[TWO] = {0};

	if (!lab_made(a, send_udp(lab, channel), "a frame"))
		return;
	for (int i = 0; i < TRIES && !n[0] && !n[1]; i++) {
		mlxo_device_progress(lab->dev);
		for (int k = 0; k < TWO; k++)
			if (!lab_made(a, obj_counter_query(lab->dev, &c[k], &n[k], NULL),
				      "a counter"))
				return;
		if (!n[0] && !n[1])
			mlxo_device_wait(lab->dev, NAP_MS);
	}
	answer_say(a, "of one frame index 0 counted %u and index 1 counted %u", (unsigned int)n[0],
		   (unsigned int)n[1]);
}

static void ask_wire(struct lab *lab, struct answer *a, const struct table *t,
		     struct mlxo_channel *channel, const struct obj_counter *c)
{
	struct prov_attach attach = {.dir = PROV_TX, .table = t->obj, .table_id = t->id};
	struct prov_attachment *attachment;
	struct steer_match ours;
	int err;

	if (!lab->may_send) {
		answer_say(a, "which one counts was not asked without --send");
		return;
	}
	steer_match_init(&ours);
	steer_match_source_sqn(&ours, mlxo_channel_sqn(channel));
	attach.criteria_enable = ours.enable;
	attach.mask = ours.mask;
	attach.value = ours.value;
	err = lab->dev->ops->attach(lab->dev->prov, &attach, &attachment);
	if (err) {
		answer_say(a, "the table cannot be attached (%s)", strerrorname_np(-err));
		return;
	}
	who_counted(lab, a, channel, c);
	if (lab->dev->ops->detach(lab->dev->prov, attachment))
		lab->left++;
}

static void duplicate(struct lab *lab, struct answer *a)
{
	struct obj_counter c[TWO] = {0};
	struct mlxo_channel *channel = NULL;
	struct table t = {0};
	bool both = false;

	if (!lab_has(lab, a, OBJ_CAP_tx_ft_support) || !lab_has(lab, a, OBJ_CAP_tx_flow_counter))
		return;
	match_udp(&t);
	if (lab_made(a, mlxo_channel_create(lab->dev, NULL, &channel), "a channel") &&
	    lab_made(a, obj_counter_create(lab->dev, &c[0]), "a counter") &&
	    lab_made(a, obj_counter_create(lab->dev, &c[1]), "a counter") &&
	    open_table(lab, a, &t, TX, 0) && make_two(lab, a, &t, c, &both) && both)
		ask_wire(lab, a, &t, channel, c);
	lab_clear(lab);
	for (int i = 0; i < TWO; i++)
		lab_made(a, obj_counter_destroy(lab->dev, &c[i]), "the end of a counter");
	mlxo_channel_destroy(channel);
}

const struct question questions_flow[] = {
	{"crypto-rules", "Does a flow table of a program take rules that encrypt and decrypt?",
	 crypto_rules},
	{"swap-ipsec", "Can a rule be given another IPsec object in place?", swap},
	{"replay-no-esn", "Is replay protection accepted without extended sequence numbers?",
	 replay},
	{"duplicate-rules", "Of two rules with the same match, which one counts?", duplicate},
	{0},
};
