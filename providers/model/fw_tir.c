// SPDX-License-Identifier: BSD-2-Clause
/*
 * Firmware: TIR and RQT, the way of a received packet to its queue.
 *
 *   rule --> TIR --direct--> RQ
 *             `--indirect--> hash (rss.c) --> RQT entry --> RQ
 *
 * A TIR uses its RQ or RQT, an RQT every RQ of its list: none of them can be destroyed before. Changes are made with
 * dev->objs held for writing, so that no packet is on its way meanwhile. Source: PRM, tirc, rqtc, and DPDK's
 * mlx5_prm.h for the bit that selects the indirect table in MODIFY_TIR.
 */
#include "fw.h"

#include <stdlib.h>
#include <string.h>

enum { LIST_Q_TYPE_RQ = 0 };

/* -- RQT ------------------------------------------------------------------------------------------------- */

static uint32_t entry(const uint8_t *rqtc, uint32_t i)
{
	return (uint32_t)PRM_GET(rq_num, PRM_AT(rqtc, rqtc, rq_num) + (size_t)i * PRM_BYTES(rq_num),
				 rq_num);
}

/* The queues of a context's list. NULL: c->why. */
static struct model_rq **find_list(struct model_cmd *c, const uint8_t *rqtc, uint32_t n)
{
	struct model_rq **rq = calloc(n, sizeof(struct model_rq *));

	if (!rq) {
		c->why = MODEL_S_NO_MEMORY;
		return NULL;
	}
	for (uint32_t i = 0; i < n; i++) {
		rq[i] = model_cmd_find(c, MODEL_RQ, entry(rqtc, i));
		if (!rq[i]) {
			free(rq);
			return NULL;
		}
	}
	return rq;
}

/* Kind and size of a list in a mailbox whose fixed part has `fixed` bytes. max: of the table. */
static enum model_synd check_list(const struct model_cmd *c, size_t fixed, const uint8_t *rqtc,
				  uint32_t max)
{
	uint32_t n = (uint32_t)PRM_GET(rqtc, rqtc, rqt_actual_size);

	if (PRM_GET(rqtc, rqtc, list_q_type) != LIST_Q_TYPE_RQ ||
	    PRM_GET(rqtc, rqtc, rq_vhca_id_format))
		return MODEL_S_RQT_CONTEXT;
	if (n == 0 || (n & (n - 1)) || n > max || max > 1u << MODEL_LOG_MAX_RQT)
		return MODEL_S_RQT_SIZE;
	return c->inlen == fixed + (size_t)n * PRM_BYTES(rq_num) ? MODEL_S_OK : MODEL_S_LIST_LENGTH;
}

void model_rqt_unlink(struct model_rqt *rqt)
{
	for (uint32_t i = 0; i < rqt->n; i++)
		model_obj_unuse(&rqt->rq[i]->o);
	free(rqt->rq);
	rqt->rq = NULL;
	rqt->n = 0;
}

static void set_list(struct model_rqt *rqt, struct model_rq **rq, uint32_t n)
{
	rqt->rq = rq;
	rqt->n = n;
	for (uint32_t i = 0; i < n && rq[i]; i++) /* all are there */
		rq[i]->o.users++;
}

enum model_synd model_do_CREATE_RQT(struct model_cmd *c)
{
	const uint8_t *rqtc = PRM_AT(create_rqt_in, c->in, rqt_context);
	uint32_t n = (uint32_t)PRM_GET(rqtc, rqtc, rqt_actual_size);
	uint32_t max = (uint32_t)PRM_GET(rqtc, rqtc, rqt_max_size);
	enum model_synd s = check_list(c, PRM_BYTES(create_rqt_in), rqtc, max);
	struct model_rq **rq;
	struct model_rqt *rqt;

	if (s != MODEL_S_OK)
		return s;
	rq = find_list(c, rqtc, n);
	if (!rq)
		return c->why;
	rqt = model_cmd_new(c, MODEL_RQT, sizeof(*rqt), 1);
	if (!rqt) {
		free(rq);
		return c->why;
	}
	rqt->max = max;
	set_list(rqt, rq, n);
	PRM_SET(create_rqt_out, c->out, rqtn, rqt->o.id);
	return MODEL_S_OK;
}

enum model_synd model_do_MODIFY_RQT(struct model_cmd *c)
{
	struct model_rqt *rqt =
		model_cmd_find(c, MODEL_RQT, (uint32_t)PRM_GET(modify_rqt_in, c->in, rqtn));
	const uint8_t *rqtc = PRM_AT(modify_rqt_in, c->in, ctx);
	struct model_rqt before;
	struct model_rq **rq;
	enum model_synd s;

	if (!rqt)
		return c->why;
	if (PRM_GET(modify_rqt_in, c->in, bitmask) != PRM_MODIFY_RQT_RQN_LIST)
		return MODEL_S_RQT_SELECT;
	s = check_list(c, PRM_BYTES(modify_rqt_in), rqtc, rqt->max);
	if (s != MODEL_S_OK)
		return s;
	rq = find_list(c, rqtc, (uint32_t)PRM_GET(rqtc, rqtc, rqt_actual_size));
	if (!rq)
		return c->why;
	before = *rqt; /* let the old ones go last: they may be the same */
	set_list(rqt, rq, (uint32_t)PRM_GET(rqtc, rqtc, rqt_actual_size));
	model_rqt_unlink(&before);
	return MODEL_S_OK;
}

enum model_synd model_do_QUERY_RQT(struct model_cmd *c)
{
	const struct model_rqt *rqt =
		model_cmd_find(c, MODEL_RQT, (uint32_t)PRM_GET(query_rqt_in, c->in, rqtn));
	uint8_t *rqtc = PRM_AT(query_rqt_out, c->out, rqt_context);

	if (!rqt)
		return c->why;
	if (c->outlen < PRM_BYTES(query_rqt_out) + (size_t)rqt->n * PRM_BYTES(rq_num))
		return MODEL_S_OUT_LENGTH;
	PRM_SET(rqtc, rqtc, rqt_max_size, rqt->max);
	PRM_SET(rqtc, rqtc, rqt_actual_size, rqt->n);
	for (uint32_t i = 0; i < rqt->n; i++)
		PRM_SET(rq_num, PRM_AT(rqtc, rqtc, rq_num) + (size_t)i * PRM_BYTES(rq_num), rq_num,
			rqt->rq[i]->o.id);
	return MODEL_S_OK;
}

enum model_synd model_do_DESTROY_RQT(struct model_cmd *c)
{
	return model_cmd_destroy(c, MODEL_RQT, (uint32_t)PRM_GET(destroy_rqt_in, c->in, rqtn));
}

/* -- TIR ------------------------------------------------------------------------------------------------- */

static bool tir_plain(const uint8_t *tirc)
{
	return !PRM_GET(tirc, tirc, tls_en) && !PRM_GET(tirc, tirc, packet_merge_mask) &&
	       !PRM_GET(tirc, tirc, lro_max_ip_payload_size) &&
	       !PRM_GET(tirc, tirc, lro_timeout_period_usecs) &&
	       !PRM_GET(tirc, tirc, tunneled_offload_en) &&
	       model_is_zero(PRM_AT(tirc, tirc, rx_hash_field_selector_inner),
			     PRM_BYTES(rx_hash_field_select));
}

/* Function and fields of the hash. An indirect TIR needs a function, though it may select nothing. */
static enum model_synd read_hash(const uint8_t *tirc, struct model_rss *rss)
{
	const uint8_t *sel = PRM_AT(tirc, tirc, rx_hash_field_selector_outer);

	rss->fn = (uint8_t)PRM_GET(tirc, tirc, rx_hash_fn);
	rss->symmetric = PRM_GET(tirc, tirc, rx_hash_symmetric);
	rss->l3 = (uint8_t)PRM_GET(rx_hash_field_select, sel, l3_prot_type);
	rss->l4 = (uint8_t)PRM_GET(rx_hash_field_select, sel, l4_prot_type);
	rss->fields = (uint32_t)PRM_GET(rx_hash_field_select, sel, selected_fields);
	memcpy(rss->key, PRM_AT(tirc, tirc, rx_hash_toeplitz_key), sizeof(rss->key));
	if (rss->fn != PRM_RX_HASH_FN_INVERTED_XOR8 && rss->fn != PRM_RX_HASH_FN_TOEPLITZ)
		return MODEL_S_TIR_HASH;
	return rss->fields & ~(uint32_t)(PRM_RX_HASH_FIELD_SRC_IP | PRM_RX_HASH_FIELD_DST_IP |
					 PRM_RX_HASH_FIELD_L4_SPORT | PRM_RX_HASH_FIELD_L4_DPORT |
					 PRM_RX_HASH_FIELD_IPSEC_SPI)
		       ? MODEL_S_TIR_HASH
		       : MODEL_S_OK;
}

static bool has_hash(const uint8_t *tirc)
{
	return PRM_GET(tirc, tirc, rx_hash_fn) != PRM_RX_HASH_FN_NONE ||
	       PRM_GET(tirc, tirc, rx_hash_symmetric) ||
	       !model_is_zero(PRM_AT(tirc, tirc, rx_hash_field_selector_outer),
			      PRM_BYTES(rx_hash_field_select));
}

/* Where the TIR leads, into rq or rqt of *tir. */
static enum model_synd find_destination(struct model_cmd *c, const uint8_t *tirc,
					struct model_tir *tir)
{
	uint32_t rqn = (uint32_t)PRM_GET(tirc, tirc, inline_rqn);
	uint32_t rqtn = (uint32_t)PRM_GET(tirc, tirc, indirect_table);

	switch (PRM_GET(tirc, tirc, disp_type)) {
	case PRM_TIRC_DISP_TYPE_DIRECT:
		if (rqtn || has_hash(tirc))
			return MODEL_S_TIR_CONTEXT;
		tir->rq = model_cmd_find(c, MODEL_RQ, rqn);
		return tir->rq ? MODEL_S_OK : c->why;
	case PRM_TIRC_DISP_TYPE_INDIRECT:
		if (rqn)
			return MODEL_S_TIR_CONTEXT;
		tir->rqt = model_cmd_find(c, MODEL_RQT, rqtn);
		return tir->rqt ? read_hash(tirc, &tir->rss) : c->why;
	default: return MODEL_S_TIR_CONTEXT;
	}
}

enum model_synd model_do_CREATE_TIR(struct model_cmd *c)
{
	const uint8_t *tirc = PRM_AT(create_tir_in, c->in, ctx);
	struct model_tir draft = {.rq = NULL}, *tir;
	uint32_t tdn = (uint32_t)PRM_GET(tirc, tirc, transport_domain);
	struct model_td *td = NULL;
	enum model_synd s;

	if (!tir_plain(tirc))
		return MODEL_S_TIR_CONTEXT;
	if (tdn) { /* 0: the function's own, as DPDK leaves it */
		td = model_cmd_find(c, MODEL_TD, tdn);
		if (!td)
			return c->why;
	}
	s = find_destination(c, tirc, &draft);
	if (s != MODEL_S_OK)
		return s;
	tir = model_cmd_new(c, MODEL_TIR, sizeof(*tir), 1);
	if (!tir)
		return c->why;
	tir->td = tdn;
	tir->rq = draft.rq;
	tir->rqt = draft.rqt;
	tir->rss = draft.rss;
	tir->self_lb_block = (uint8_t)PRM_GET(tirc, tirc, self_lb_block);
	if (td)
		model_obj_use(&tir->o, &td->o);
	model_obj_use(&tir->o, tir->rq ? &tir->rq->o : &tir->rqt->o);
	PRM_SET(create_tir_out, c->out, tirn, tir->o.id);
	return MODEL_S_OK;
}

/* Another table instead of the one that the TIR uses: its second reference. */
static void set_table(struct model_tir *tir, struct model_rqt *rqt)
{
	rqt->o.users++;
	model_obj_unuse(&tir->rqt->o);
	tir->rqt = rqt;
	tir->o.uses[1] = &rqt->o;
}

enum model_synd model_do_MODIFY_TIR(struct model_cmd *c)
{
	const uint8_t *tirc = PRM_AT(modify_tir_in, c->in, ctx);
	struct model_tir *tir =
		model_cmd_find(c, MODEL_TIR, (uint32_t)PRM_GET(modify_tir_in, c->in, tirn));
	uint64_t mask = PRM_GET(modify_tir_in, c->in, bitmask);
	uint64_t rss = PRM_MODIFY_TIR_INDIRECT_TABLE | PRM_MODIFY_TIR_HASH;
	struct model_rqt *rqt = NULL;
	struct model_rss hash;
	enum model_synd s;

	if (!tir)
		return c->why;
	if (!mask || (mask & ~(rss | PRM_MODIFY_TIR_SELF_LB_EN)) || (tir->rq && (mask & rss)))
		return MODEL_S_TIR_SELECT;
	if (!tir_plain(tirc))
		return MODEL_S_TIR_CONTEXT;
	if (mask & PRM_MODIFY_TIR_INDIRECT_TABLE) {
		rqt = model_cmd_find(c, MODEL_RQT, (uint32_t)PRM_GET(tirc, tirc, indirect_table));
		if (!rqt)
			return c->why;
	}
	s = mask & PRM_MODIFY_TIR_HASH ? read_hash(tirc, &hash) : MODEL_S_OK;
	if (s != MODEL_S_OK)
		return s;
	if (rqt)
		set_table(tir, rqt);
	if (mask & PRM_MODIFY_TIR_HASH)
		tir->rss = hash;
	if (mask & PRM_MODIFY_TIR_SELF_LB_EN)
		tir->self_lb_block = (uint8_t)PRM_GET(tirc, tirc, self_lb_block);
	return MODEL_S_OK;
}

static void show_hash(uint8_t *tirc, const struct model_rss *rss)
{
	uint8_t *sel = PRM_AT(tirc, tirc, rx_hash_field_selector_outer);

	PRM_SET(tirc, tirc, rx_hash_fn, rss->fn);
	PRM_SET(tirc, tirc, rx_hash_symmetric, rss->symmetric);
	PRM_SET(rx_hash_field_select, sel, l3_prot_type, rss->l3);
	PRM_SET(rx_hash_field_select, sel, l4_prot_type, rss->l4);
	PRM_SET(rx_hash_field_select, sel, selected_fields, rss->fields);
	memcpy(PRM_AT(tirc, tirc, rx_hash_toeplitz_key), rss->key, sizeof(rss->key));
}

enum model_synd model_do_QUERY_TIR(struct model_cmd *c)
{
	const struct model_tir *tir =
		model_cmd_find(c, MODEL_TIR, (uint32_t)PRM_GET(query_tir_in, c->in, tirn));
	uint8_t *tirc = PRM_AT(query_tir_out, c->out, tir_context);

	if (!tir)
		return c->why;
	PRM_SET(tirc, tirc, transport_domain, tir->td);
	PRM_SET(tirc, tirc, self_lb_block, tir->self_lb_block);
	if (tir->rq) {
		PRM_SET(tirc, tirc, inline_rqn, tir->rq->o.id);
		return MODEL_S_OK;
	}
	PRM_SET(tirc, tirc, disp_type, PRM_TIRC_DISP_TYPE_INDIRECT);
	PRM_SET(tirc, tirc, indirect_table, tir->rqt->o.id);
	show_hash(tirc, &tir->rss);
	return MODEL_S_OK;
}

enum model_synd model_do_DESTROY_TIR(struct model_cmd *c)
{
	return model_cmd_destroy(c, MODEL_TIR, (uint32_t)PRM_GET(destroy_tir_in, c->in, tirn));
}
