// SPDX-License-Identifier: BSD-2-Clause
/*
 * Firmware: flow table entries.
 *
 *   SET op_mod 0   context + list -> checked -> decoded entry -> in at its flow index
 *   SET op_mod 1   context as it was, selected parts from the command -> checked as a whole -> swapped in
 *
 * So an entry can never be modified into something that could not have been set. The entry keeps its context and list
 * as bytes for QUERY, decoded for steering, and counts as a user of everything it names.
 *
 * Source: PRM, set_fte_in, flow_context, dest_format_struct; facts about order and refusals: Linux fs_cmd.c, fs_core.c
 * and public reports (syndromes.h).
 */
#include "fw.h"

#include <stdlib.h>
#include <string.h>

enum { LIST_ENTRY = PRM_dest_format_struct_bits / 8, CONTEXT = PRM_flow_context_bits / 8 };
enum { MAX_LIST = (1 << MODEL_LOG_FTE_DESTS) + (1 << MODEL_LOG_FTE_COUNTERS) };

#define CTX(field) PRM_GET(flow_context, ctx, field)
#define ACTION(name) PRM_FLOW_CONTEXT_ACTION_##name
#define MODIFY(name) (1u << PRM_SET_FTE_MODIFY_ENABLE_MASK_##name)

enum {
	TERMINAL = ACTION(ALLOW) | ACTION(DROP) | ACTION(FWD_DEST),
	CRYPTO = ACTION(CRYPTO_DECRYPT) | ACTION(CRYPTO_ENCRYPT),
	OFFERED = TERMINAL | CRYPTO | ACTION(COUNT) | ACTION(PACKET_REFORMAT) | ACTION(DECAP) |
		  ACTION(MOD_HDR),
	MODIFY_ALL = MODIFY(ACTION) | MODIFY(FLOW_TAG) | MODIFY(DESTINATION_LIST) |
		     MODIFY(FLOW_COUNTERS) | MODIFY(IPSEC_OBJ_ID),
};

/* The entry in the making: what a context says, found and checked. */
struct draft {
	struct model_ft *ft;
	struct model_fg *fg;
	bool ignore_level;
	const uint8_t *ctx, *list; /* context; destinations, then counters */
	uint16_t action;
	uint32_t ndest, ncounter;
	struct model_ipsec *ipsec;
	struct model_reformat *reformat;
	struct model_modhdr *modhdr;
};

/* -- checks ----------------------------------------------------------------------------------------------- */

static enum model_synd check_features(const uint8_t *ctx)
{
	if (CTX(extended_destination) || CTX(uplink_hairpin_en) || CTX(flow_source) ||
	    CTX(push_vlan) || CTX(push_vlan_2) ||
	    !model_is_zero(PRM_AT(flow_context, ctx, execute_aso), 32))
		return MODEL_S_FTE_FEATURE;
	return MODEL_S_OK;
}

static enum model_synd check_actions(const struct draft *d)
{
	unsigned int terminal = d->action & TERMINAL;
	bool tx = d->ft->type == PRM_FLOW_TABLE_TYPE_NIC_TX;

	if (d->action & ~OFFERED)
		return MODEL_S_FTE_ACTION;
	if ((d->action & ACTION(DROP)) && (d->action & ACTION(MOD_HDR)))
		return MODEL_S_FTE_DROP_MODHDR;
	if (!terminal || (terminal & (terminal - 1)))
		return MODEL_S_FTE_TERMINAL;
	if ((d->action & ACTION(ALLOW)) && !tx)
		return MODEL_S_FTE_ALLOW_RX;
	if ((d->action & ACTION(DROP)) && (d->action & (ACTION(PACKET_REFORMAT) | ACTION(DECAP))))
		return MODEL_S_FTE_DROP_REFORMAT;
	if (!!(d->action & ACTION(FWD_DEST)) != !!d->ndest || d->ndest > 1u << MODEL_LOG_FTE_DESTS)
		return MODEL_S_FTE_DESTS;
	if (!!(d->action & ACTION(COUNT)) != !!d->ncounter ||
	    d->ncounter > 1u << MODEL_LOG_FTE_COUNTERS)
		return MODEL_S_FTE_COUNTERS;
	return MODEL_S_OK;
}

static enum model_synd check_crypto(struct model_cmd *c, struct draft *d)
{
	const uint8_t *ctx = d->ctx;
	uint32_t id = (uint32_t)CTX(encrypt_decrypt_obj_id);
	unsigned int crypto = d->action & CRYPTO;
	unsigned int want = d->ft->type == PRM_FLOW_TABLE_TYPE_NIC_TX ? ACTION(CRYPTO_ENCRYPT)
								      : ACTION(CRYPTO_DECRYPT);

	if (CTX(encrypt_decrypt_type) != PRM_FLOW_CONTEXT_ENCRYPT_DECRYPT_TYPE_IPSEC)
		return MODEL_S_FTE_CRYPTO_TYPE;
	if (!crypto)
		return id ? MODEL_S_FTE_CRYPTO_OBJ : MODEL_S_OK;
	if (crypto != want)
		return MODEL_S_FTE_CRYPTO_DIR;
	d->ipsec = model_cmd_find(c, MODEL_IPSEC, id);
	return d->ipsec ? MODEL_S_OK : c->why;
}

static enum model_synd check_reformat(struct model_cmd *c, struct draft *d)
{
	const uint8_t *ctx = d->ctx;
	uint32_t id = (uint32_t)CTX(packet_reformat_id);
	bool tx = d->ft->type == PRM_FLOW_TABLE_TYPE_NIC_TX, removes, tunnel;

	if ((d->action & ACTION(DECAP)) &&
	    (tx || !d->ft->decap_en || (d->action & (ACTION(PACKET_REFORMAT) | CRYPTO))))
		return MODEL_S_FTE_DECAP;
	if (!(d->action & ACTION(PACKET_REFORMAT)))
		return id ? MODEL_S_FTE_REFORMAT_ID : MODEL_S_OK;
	d->reformat = model_cmd_find(c, MODEL_REFORMAT, id);
	if (!d->reformat)
		return c->why;
	removes = d->reformat->type == PRM_REFORMAT_TYPE_DEL_ESP_TRANSPORT ||
		  d->reformat->type == PRM_REFORMAT_TYPE_L3_TUNNEL_TO_L2;
	tunnel = d->reformat->type <= PRM_REFORMAT_TYPE_L2_TO_L3_TUNNEL;
	if (removes == tx)
		return MODEL_S_FTE_REFORMAT_DIR;
	if (tunnel && !(tx ? d->ft->reformat_en : d->ft->decap_en))
		return MODEL_S_FTE_REFORMAT_TABLE;
	return !!(d->action & CRYPTO) != tunnel ? MODEL_S_OK : MODEL_S_FTE_REFORMAT_CRYPTO;
}

static enum model_synd check_modhdr(struct model_cmd *c, struct draft *d)
{
	const uint8_t *ctx = d->ctx;
	uint32_t id = (uint32_t)CTX(modify_header_id);

	if (!(d->action & ACTION(MOD_HDR)))
		return id ? MODEL_S_FTE_MODHDR_ID : MODEL_S_OK;
	d->modhdr = model_cmd_find(c, MODEL_MODHDR, id);
	if (!d->modhdr)
		return c->why;
	return d->modhdr->table_type == d->ft->type ? MODEL_S_OK : MODEL_S_FTE_MODHDR_TYPE;
}

static enum model_synd check_dest(struct model_cmd *c, const struct draft *d, const uint8_t *entry)
{
	uint64_t type = PRM_GET(dest_format_struct, entry, destination_type);
	uint32_t id = (uint32_t)PRM_GET(dest_format_struct, entry, destination_id);
	struct model_ft *to;

	if (!model_is_zero(entry + 4, LIST_ENTRY - 4))
		return MODEL_S_FTE_DEST_TYPE;
	if (type == PRM_IFC_FLOW_DESTINATION_TYPE_TIR &&
	    d->ft->type == PRM_FLOW_TABLE_TYPE_NIC_RX) {
		if (model_cmd_find(c, MODEL_TIR, id))
			return MODEL_S_OK;
		return c->why == MODEL_S_NO_TIR ? MODEL_S_FTE_DEST_TIR : c->why;
	}
	if (type != PRM_IFC_FLOW_DESTINATION_TYPE_FLOW_TABLE)
		return MODEL_S_FTE_DEST_TYPE;
	to = model_cmd_find(c, MODEL_FT, id);
	if (!to)
		return c->why;
	if (to->type != d->ft->type)
		return MODEL_S_FTE_DEST_TABLE;
	return to->level > d->ft->level || d->ignore_level ? MODEL_S_OK : MODEL_S_FTE_DEST_LEVEL;
}

static enum model_synd check_list(struct model_cmd *c, const struct draft *d)
{
	enum model_synd s = MODEL_S_OK;

	for (uint32_t i = 0; i < d->ndest && s == MODEL_S_OK; i++)
		s = check_dest(c, d, d->list + (size_t)i * LIST_ENTRY);
	for (uint32_t i = d->ndest; i < d->ndest + d->ncounter && s == MODEL_S_OK; i++) {
		const uint8_t *entry = d->list + (size_t)i * LIST_ENTRY;

		if (!model_is_zero(entry + 4, LIST_ENTRY - 4))
			s = MODEL_S_RESERVED;
		else if (!model_cmd_find(
				 c, MODEL_COUNTER,
				 (uint32_t)PRM_GET(flow_counter_list, entry, flow_counter_id)))
			s = c->why;
	}
	return s;
}

static enum model_synd check_value(const struct draft *d)
{
	const uint8_t *value = PRM_AT(flow_context, d->ctx, match_value);

	for (size_t i = 0; i < sizeof(d->fg->match_criteria); i++)
		if (value[i] & ~d->fg->match_criteria[i])
			return MODEL_S_FTE_VALUE;
	return MODEL_S_OK;
}

/* d->ft, fg, ctx, list, ignore_level are set. */
static enum model_synd check_draft(struct model_cmd *c, struct draft *d)
{
	const uint8_t *ctx = d->ctx;
	enum model_synd s;

	d->action = (uint16_t)CTX(action);
	d->ndest = (uint32_t)CTX(destination_list_size);
	d->ncounter = (uint32_t)CTX(flow_counter_list_size);
	s = check_features(ctx);
	if (s == MODEL_S_OK)
		s = check_actions(d);
	if (s == MODEL_S_OK)
		s = check_crypto(c, d);
	if (s == MODEL_S_OK)
		s = check_reformat(c, d);
	if (s == MODEL_S_OK)
		s = check_modhdr(c, d);
	if (s == MODEL_S_OK && CTX(flow_tag) && d->ft->type != PRM_FLOW_TABLE_TYPE_NIC_RX)
		s = MODEL_S_FTE_TAG;
	if (s == MODEL_S_OK)
		s = check_list(c, d);
	return s == MODEL_S_OK ? check_value(d) : s;
}

/* -- from draft to entry ---------------------------------------------------------------------------------- */

/* What an entry holds in memory of its own. */
struct parts {
	void *dest, *counter;
	uint8_t *context;
};

static void free_parts(struct parts *p)
{
	free(p->dest);
	free(p->counter);
	free(p->context);
}

static bool alloc_parts(const struct draft *d, struct parts *p)
{
	struct model_fte *fte;
	size_t list = (size_t)(d->ndest + d->ncounter) * LIST_ENTRY;

	p->dest = calloc(d->ndest + 1, sizeof(fte->dest[0]));
	p->counter = calloc(d->ncounter + 1, sizeof(fte->counter[0]));
	p->context = malloc(CONTEXT + list);
	if (!p->dest || !p->counter || !p->context) {
		free_parts(p);
		return false;
	}
	memcpy(p->context, d->ctx, CONTEXT);
	memcpy(p->context + CONTEXT, d->list, list);
	return true;
}

static void use_list(struct model_dev *dev, struct model_fte *fte, const uint8_t *list)
{
	for (uint32_t i = 0; i < fte->ndest; i++, list += LIST_ENTRY) {
		uint32_t id = (uint32_t)PRM_GET(dest_format_struct, list, destination_id);
		struct model_obj *o;

		fte->dest[i].type = (uint8_t)PRM_GET(dest_format_struct, list, destination_type);
		if (fte->dest[i].type == PRM_IFC_FLOW_DESTINATION_TYPE_TIR) {
			o = model_obj_find(dev, MODEL_TIR, id);
			fte->dest[i].tir = (struct model_tir *)o;
		} else {
			o = model_obj_find(dev, MODEL_FT, id);
			fte->dest[i].ft = (struct model_ft *)o;
		}
		o->users++;
	}
	for (uint32_t i = 0; i < fte->ncounter; i++, list += LIST_ENTRY) {
		uint32_t id = (uint32_t)PRM_GET(flow_counter_list, list, flow_counter_id);
		struct model_obj *o = model_obj_find(dev, MODEL_COUNTER, id);

		fte->counter[i].counter = (struct model_counter *)o;
		fte->counter[i].index = id - o->id;
		o->users++;
	}
}

/* Take over what was checked; the entry holds nothing yet. */
static void fill(struct model_dev *dev, struct model_fte *fte, const struct draft *d,
		 const struct parts *p)
{
	const uint8_t *ctx = p->context;

	fte->dest = p->dest;
	fte->counter = p->counter;
	fte->context = p->context;
	fte->ndest = d->ndest;
	fte->ncounter = d->ncounter;
	fte->context_len = CONTEXT + (size_t)(d->ndest + d->ncounter) * LIST_ENTRY;
	fte->flow_tag = (uint32_t)CTX(flow_tag);
	fte->action = d->action;
	fte->crypto_type = (uint8_t)CTX(encrypt_decrypt_type);
	fte->ipsec = d->ipsec;
	fte->reformat = d->reformat;
	fte->modhdr = d->modhdr;
	if (fte->ipsec)
		fte->ipsec->o.users++;
	if (fte->reformat)
		fte->reformat->o.users++;
	if (fte->modhdr)
		fte->modhdr->o.users++;
	use_list(dev, fte, p->context + CONTEXT);
}

/* The reverse of fill(). */
static void empty(struct model_fte *fte)
{
	for (uint32_t i = 0; i < fte->ndest; i++)
		model_obj_unuse(fte->dest[i].type == PRM_IFC_FLOW_DESTINATION_TYPE_TIR
					? &fte->dest[i].tir->o
					: &fte->dest[i].ft->o);
	for (uint32_t i = 0; i < fte->ncounter; i++)
		model_obj_unuse(&fte->counter[i].counter->o);
	if (fte->ipsec)
		model_obj_unuse(&fte->ipsec->o);
	if (fte->reformat)
		model_obj_unuse(&fte->reformat->o);
	if (fte->modhdr)
		model_obj_unuse(&fte->modhdr->o);
	fte->ipsec = NULL;
	fte->reformat = NULL;
	fte->modhdr = NULL;
	free(fte->dest);
	free(fte->counter);
	free(fte->context);
	fte->dest = NULL;
	fte->counter = NULL;
	fte->context = NULL;
	fte->ndest = fte->ncounter = 0;
}

void model_fte_unlink(struct model_fte *fte)
{
	if (fte->value) { /* in its table */
		model_fg_remove(fte->fg, fte);
		fte->ft->ftes[fte->index] = NULL;
		fte->ft->nftes--;
	}
	empty(fte);
}

/* -- commands --------------------------------------------------------------------------------------------- */

static bool index_grow(struct model_ft *ft, uint32_t index)
{
	uint32_t cap = ft->nftes_cap ? ft->nftes_cap : 16;
	struct model_fte **ftes;

	if (index < ft->nftes_cap)
		return true;
	while (cap <= index)
		cap *= 2;
	ftes = realloc(ft->ftes, cap * sizeof(*ftes));
	if (!ftes)
		return false;
	memset(ftes + ft->nftes_cap, 0, (cap - ft->nftes_cap) * sizeof(*ftes));
	ft->ftes = ftes;
	ft->nftes_cap = cap;
	return true;
}

static struct model_fte *at_index(const struct model_ft *ft, uint32_t index)
{
	return index < ft->nftes_cap ? ft->ftes[index] : NULL;
}

static struct model_fte *new_fte(struct model_cmd *c, struct draft *d, uint32_t index)
{
	struct model_fte *fte = model_cmd_new(c, MODEL_FTE, sizeof(*fte), 1);

	if (!fte)
		return NULL;
	fte->o.id = fte->index = index;
	fte->ft = d->ft;
	fte->fg = d->fg;
	return fte;
}

/* Put a new entry into group and table. The draft is good. */
static enum model_synd insert(struct model_cmd *c, struct draft *d, uint32_t index)
{
	const struct model_mask *mask = &d->fg->mask;
	struct model_fte *fte;
	struct parts p;
	uint32_t *value;

	if (!index_grow(d->ft, index) || !alloc_parts(d, &p))
		return MODEL_S_NO_MEMORY;
	value = calloc((size_t)mask->n + 1, sizeof(*value));
	fte = value ? new_fte(c, d, index) : NULL;
	if (!fte) {
		free(value);
		free_parts(&p);
		return value ? c->why : MODEL_S_NO_MEMORY;
	}
	model_mask_values(mask, PRM_AT(flow_context, d->ctx, match_value), value);
	fte->value = value;
	if (model_fg_insert(d->fg, fte)) {
		fte->value = NULL; /* not in its table */
		free(value);
		free_parts(&p);
		model_obj_free(c->dev, &fte->o);
		return MODEL_S_NO_MEMORY;
	}
	fill(c->dev, fte, d, &p);
	model_obj_use(&fte->o, &d->fg->o);
	d->ft->ftes[index] = fte;
	d->ft->nftes++;
	return MODEL_S_OK;
}

static enum model_synd set_new(struct model_cmd *c, struct draft *d, uint32_t index)
{
	enum model_synd s;

	if (PRM_GET(set_fte_in, c->in, modify_enable_mask))
		return MODEL_S_FTE_MODIFY_MASK;
	if (at_index(d->ft, index))
		return MODEL_S_FTE_OCCUPIED;
	s = check_draft(c, d);
	return s == MODEL_S_OK ? insert(c, d, index) : s;
}

/* Context and list after the modification, in `ctx` and `list`. */
static void merge(const struct model_fte *fte, const struct draft *d, unsigned int mask,
		  uint8_t *ctx, uint8_t *list)
{
	const uint8_t *old = fte->context + CONTEXT, *src = d->list;
	uint32_t ndest = (uint32_t)PRM_GET(flow_context, d->ctx, destination_list_size);
	uint32_t ncounter = (uint32_t)PRM_GET(flow_context, d->ctx, flow_counter_list_size);
	bool dests = mask & MODIFY(DESTINATION_LIST), counters = mask & MODIFY(FLOW_COUNTERS);
	uint32_t nd = dests ? ndest : fte->ndest, nc = counters ? ncounter : fte->ncounter;

#define TAKE(field) PRM_SET(flow_context, ctx, field, PRM_GET(flow_context, d->ctx, field))
	memcpy(ctx, fte->context, CONTEXT);
	if (mask & MODIFY(ACTION)) {
		TAKE(action);
		TAKE(packet_reformat_id);
		TAKE(modify_header_id);
	}
	if (mask & MODIFY(FLOW_TAG))
		TAKE(flow_tag);
	if (mask & MODIFY(IPSEC_OBJ_ID))
		TAKE(encrypt_decrypt_obj_id);
#undef TAKE
	PRM_SET(flow_context, ctx, destination_list_size, nd);
	PRM_SET(flow_context, ctx, flow_counter_list_size, nc);
	memcpy(list, dests ? src : old, (size_t)nd * LIST_ENTRY);
	src += (size_t)ndest * LIST_ENTRY;
	old += (size_t)fte->ndest * LIST_ENTRY;
	memcpy(list + (size_t)nd * LIST_ENTRY, counters ? src : old, (size_t)nc * LIST_ENTRY);
}

static enum model_synd modify(struct model_cmd *c, const struct draft *asked, uint32_t index)
{
	unsigned int mask = (unsigned int)PRM_GET(set_fte_in, c->in, modify_enable_mask);
	struct model_fte *fte = at_index(asked->ft, index), before;
	struct draft d = *asked;
	uint8_t ctx[CONTEXT], list[2 * MAX_LIST * LIST_ENTRY];
	enum model_synd s;
	struct parts p;

	if (!fte)
		return MODEL_S_NO_FTE;
	if (!mask || (mask & ~(unsigned int)MODIFY_ALL))
		return MODEL_S_FTE_MODIFY_MASK;
	if (fte->fg != d.fg || memcmp(PRM_AT(flow_context, d.ctx, match_value),
				      PRM_AT(flow_context, fte->context, match_value),
				      PRM_BYTES(fte_match_param)) != 0)
		return MODEL_S_FTE_MODIFY_MATCH;
	merge(fte, &d, mask, ctx, list);
	d.ctx = ctx;
	d.list = list;
	s = check_draft(c, &d);
	if (s != MODEL_S_OK)
		return s;
	if (!alloc_parts(&d, &p))
		return MODEL_S_NO_MEMORY;
	before = *fte; /* let the old parts go last: old and new may be the same objects */
	fill(c->dev, fte, &d, &p);
	empty(&before);
	return MODEL_S_OK;
}

enum model_synd model_do_SET_FLOW_TABLE_ENTRY(struct model_cmd *c)
{
	const uint8_t *ctx = PRM_AT(set_fte_in, c->in, flow_context);
	uint32_t index = (uint32_t)PRM_GET(set_fte_in, c->in, flow_index);
	uint64_t ndest = CTX(destination_list_size), ncounter = CTX(flow_counter_list_size);
	struct draft d = {.ctx = ctx,
			  .list = ctx + CONTEXT,
			  .ignore_level = PRM_GET(set_fte_in, c->in, ignore_flow_level)};

	if (c->inlen != PRM_BYTES(set_fte_in) + (ndest + ncounter) * LIST_ENTRY)
		return MODEL_S_LIST_LENGTH;
	if (ndest > 1u << MODEL_LOG_FTE_DESTS)
		return MODEL_S_FTE_DESTS;
	if (ncounter > 1u << MODEL_LOG_FTE_COUNTERS)
		return MODEL_S_FTE_COUNTERS;
	d.ft = model_cmd_named_ft(c);
	if (!d.ft)
		return c->why;
	if (index >> d.ft->log_size)
		return MODEL_S_FTE_INDEX;
	d.fg = model_cmd_find(c, MODEL_FG, (uint32_t)CTX(group_id));
	if (!d.fg)
		return c->why;
	if (d.fg->ft != d.ft)
		return MODEL_S_NO_FG;
	if (index < d.fg->start || index > d.fg->end)
		return MODEL_S_FTE_GROUP;
	return prm_in_op_mod(c->in) ? modify(c, &d, index) : set_new(c, &d, index);
}

/* The entry that a query or delete names. */
static struct model_fte *named_fte(struct model_cmd *c)
{
	struct model_ft *ft = model_cmd_named_ft(c);
	struct model_fte *fte;

	if (!ft)
		return NULL;
	fte = at_index(ft, (uint32_t)PRM_GET(delete_fte_in, c->in, flow_index));
	if (!fte)
		c->why = MODEL_S_NO_FTE;
	return fte;
}

enum model_synd model_do_QUERY_FLOW_TABLE_ENTRY(struct model_cmd *c)
{
	struct model_fte *fte = named_fte(c);

	if (!fte)
		return c->why;
	if (c->outlen < PRM_OFFSET(query_fte_out, flow_context) / 8 + fte->context_len)
		return MODEL_S_OUT_LENGTH;
	memcpy(PRM_AT(query_fte_out, c->out, flow_context), fte->context, fte->context_len);
	return MODEL_S_OK;
}

enum model_synd model_do_DELETE_FLOW_TABLE_ENTRY(struct model_cmd *c)
{
	struct model_fte *fte = named_fte(c);

	if (!fte)
		return c->why;
	model_obj_free(c->dev, &fte->o);
	return MODEL_S_OK;
}
