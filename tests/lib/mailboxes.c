// SPDX-License-Identifier: BSD-2-Clause
/* Valid mailboxes of every command, and a model with one object of every kind to send them to. */
#include "mailboxes_build.h"

#include <stdlib.h>
#include <string.h>

enum {
	MEM = 1 << 16,
	RING = 0,
	DBR = 0x8000,
	EQN = 3,
	TABLE_LOG_SIZE = 6,
	GROUP_END = 7,
	LEVEL = 10,
};

void mailbox_begin(struct mailbox *m, uint16_t opcode, size_t inlen, size_t outlen)
{
	memset(m, 0, sizeof(*m));
	m->inlen = inlen;
	m->outlen = outlen;
	m->uid = WORLD_UID;
	PRM_SET(nop_in, m->in, opcode, opcode);
}

uint32_t mailbox_made(struct world *w, const struct mailbox *m, unsigned int off,
		      unsigned int width)
{
	uint8_t out[MAILBOX_MAX_OUT];

	return mailbox_exec(w, m, out) ? 0 : (uint32_t)prm_get(out, off, width);
}

/* -- commands ---------------------------------------------------------------------------------------------- */

void build_QUERY_HCA_CAP(struct world *w, struct mailbox *m)
{
	BEGIN(QUERY_HCA_CAP, query_hca_cap);
	SET(query_hca_cap_in, op_mod, PRM_CAP_GROUP_FLOW_TABLE << 1 | PRM_CAP_MODE_CURRENT);
}

void build_NOP(struct world *w, struct mailbox *m)
{
	BEGIN(NOP, nop);
}

void build_ALLOC_PD(struct world *w, struct mailbox *m)
{
	BEGIN(ALLOC_PD, alloc_pd);
}

void build_DEALLOC_PD(struct world *w, struct mailbox *m)
{
	uint32_t id;

	build_ALLOC_PD(w, m);
	id = MADE(alloc_pd_out, pd);
	BEGIN(DEALLOC_PD, dealloc_pd);
	SET(dealloc_pd_in, pd, id);
}

void build_ALLOC_UAR(struct world *w, struct mailbox *m)
{
	BEGIN(ALLOC_UAR, alloc_uar);
}

void build_DEALLOC_UAR(struct world *w, struct mailbox *m)
{
	uint32_t id;

	build_ALLOC_UAR(w, m);
	id = MADE(alloc_uar_out, uar);
	BEGIN(DEALLOC_UAR, dealloc_uar);
	SET(dealloc_uar_in, uar, id);
}

void build_ALLOC_TRANSPORT_DOMAIN(struct world *w, struct mailbox *m)
{
	BEGIN(ALLOC_TRANSPORT_DOMAIN, alloc_transport_domain);
}

void build_DEALLOC_TRANSPORT_DOMAIN(struct world *w, struct mailbox *m)
{
	uint32_t id;

	build_ALLOC_TRANSPORT_DOMAIN(w, m);
	id = MADE(alloc_transport_domain_out, transport_domain);
	BEGIN(DEALLOC_TRANSPORT_DOMAIN, dealloc_transport_domain);
	SET(dealloc_transport_domain_in, transport_domain, id);
}

void build_CREATE_MKEY(struct world *w, struct mailbox *m)
{
	uint8_t *mkc = PRM_AT(create_mkey_in, m->in, memory_key_mkey_entry);

	BEGIN(CREATE_MKEY, create_mkey);
	SET(create_mkey_in, mkey_umem_valid, 1);
	SET(create_mkey_in, mkey_umem_id, w->umem);
	PRM_SET(mkc, mkc, access_mode_1_0, PRM_MKC_ACCESS_MODE_MTT);
	PRM_SET(mkc, mkc, lr, 1);
	PRM_SET(mkc, mkc, lw, 1);
	PRM_SET(mkc, mkc, qpn, 0xffffff);
	PRM_SET(mkc, mkc, pd, w->pd);
	PRM_SET(mkc, mkc, start_addr, (uintptr_t)w->mem);
	PRM_SET(mkc, mkc, len, MEM);
}

void build_DESTROY_MKEY(struct world *w, struct mailbox *m)
{
	uint32_t id;

	build_CREATE_MKEY(w, m);
	id = MADE(create_mkey_out, mkey_index);
	BEGIN(DESTROY_MKEY, destroy_mkey);
	SET(destroy_mkey_in, mkey_index, id);
}

void build_CREATE_CQ(struct world *w, struct mailbox *m)
{
	uint8_t *cqc = PRM_AT(create_cq_in, m->in, cq_context);

	BEGIN(CREATE_CQ, create_cq);
	SET(create_cq_in, cq_umem_valid, 1);
	SET(create_cq_in, cq_umem_id, w->umem);
	SET(create_cq_in, cq_umem_offset, RING);
	PRM_SET(cqc, cqc, dbr_umem_valid, 1);
	PRM_SET(cqc, cqc, dbr_umem_id, w->umem);
	PRM_SET(cqc, cqc, dbr_addr, DBR);
	PRM_SET(cqc, cqc, log_cq_size, 4);
	PRM_SET(cqc, cqc, uar_page, w->uar);
	PRM_SET(cqc, cqc, c_eqn_or_apu_element, EQN);
}

void build_DESTROY_CQ(struct world *w, struct mailbox *m)
{
	uint32_t id;

	build_CREATE_CQ(w, m);
	id = MADE(create_cq_out, cqn);
	BEGIN(DESTROY_CQ, destroy_cq);
	SET(destroy_cq_in, cqn, id);
}

static void fill_wq(const struct world *w, uint8_t *wq, unsigned int log_stride)
{
	PRM_SET(wq, wq, wq_type, PRM_WQ_TYPE_CYCLIC);
	PRM_SET(wq, wq, pd, w->pd);
	PRM_SET(wq, wq, uar_page, w->uar);
	PRM_SET(wq, wq, log_wq_stride, log_stride);
	PRM_SET(wq, wq, log_wq_sz, 4);
	PRM_SET(wq, wq, dbr_umem_valid, 1);
	PRM_SET(wq, wq, wq_umem_valid, 1);
	PRM_SET(wq, wq, dbr_umem_id, w->umem);
	PRM_SET(wq, wq, wq_umem_id, w->umem);
	PRM_SET(wq, wq, dbr_addr, DBR);
	PRM_SET(wq, wq, wq_umem_offset, RING);
}

void build_CREATE_SQ(struct world *w, struct mailbox *m)
{
	uint8_t *sqc = PRM_AT(create_sq_in, m->in, ctx);

	BEGIN(CREATE_SQ, create_sq);
	PRM_SET(sqc, sqc, cqn, w->cq);
	PRM_SET(sqc, sqc, tis_lst_sz, 1);
	PRM_SET(sqc, sqc, tis_num_0, w->tis);
	fill_wq(w, PRM_AT(sqc, sqc, wq), 6);
}

static uint32_t make_sq(struct world *w, struct mailbox *m)
{
	build_CREATE_SQ(w, m);
	return MADE(create_sq_out, sqn);
}

void build_MODIFY_SQ(struct world *w, struct mailbox *m)
{
	uint32_t id = make_sq(w, m);

	BEGIN(MODIFY_SQ, modify_sq);
	SET(modify_sq_in, sqn, id);
	SET(modify_sq_in, sq_state, PRM_SQC_STATE_RST);
	PRM_SET(sqc, PRM_AT(modify_sq_in, m->in, ctx), state, PRM_SQC_STATE_RDY);
}

void build_QUERY_SQ(struct world *w, struct mailbox *m)
{
	BEGIN(QUERY_SQ, query_sq);
	SET(query_sq_in, sqn, w->sq);
}

void build_DESTROY_SQ(struct world *w, struct mailbox *m)
{
	uint32_t id = make_sq(w, m);

	BEGIN(DESTROY_SQ, destroy_sq);
	SET(destroy_sq_in, sqn, id);
}

void build_CREATE_RQ(struct world *w, struct mailbox *m)
{
	uint8_t *rqc = PRM_AT(create_rq_in, m->in, ctx);

	BEGIN(CREATE_RQ, create_rq);
	PRM_SET(rqc, rqc, vsd, 1);
	PRM_SET(rqc, rqc, cqn, w->cq);
	fill_wq(w, PRM_AT(rqc, rqc, wq), 4);
}

static uint32_t make_rq(struct world *w, struct mailbox *m)
{
	build_CREATE_RQ(w, m);
	return MADE(create_rq_out, rqn);
}

void build_MODIFY_RQ(struct world *w, struct mailbox *m)
{
	uint32_t id = make_rq(w, m);

	BEGIN(MODIFY_RQ, modify_rq);
	SET(modify_rq_in, rqn, id);
	SET(modify_rq_in, rq_state, PRM_RQC_STATE_RST);
	PRM_SET(rqc, PRM_AT(modify_rq_in, m->in, ctx), state, PRM_RQC_STATE_RDY);
}

void build_QUERY_RQ(struct world *w, struct mailbox *m)
{
	BEGIN(QUERY_RQ, query_rq);
	SET(query_rq_in, rqn, w->rq);
}

void build_DESTROY_RQ(struct world *w, struct mailbox *m)
{
	uint32_t id = make_rq(w, m);

	BEGIN(DESTROY_RQ, destroy_rq);
	SET(destroy_rq_in, rqn, id);
}

void build_CREATE_TIS(struct world *w, struct mailbox *m)
{
	uint8_t *tisc = PRM_AT(create_tis_in, m->in, ctx);

	BEGIN(CREATE_TIS, create_tis);
	PRM_SET(tisc, tisc, transport_domain, w->td);
	PRM_SET(tisc, tisc, pd, w->pd);
}

void build_DESTROY_TIS(struct world *w, struct mailbox *m)
{
	uint32_t id;

	build_CREATE_TIS(w, m);
	id = MADE(create_tis_out, tisn);
	BEGIN(DESTROY_TIS, destroy_tis);
	SET(destroy_tis_in, tisn, id);
}

void build_CREATE_TIR(struct world *w, struct mailbox *m)
{
	uint8_t *tirc = PRM_AT(create_tir_in, m->in, ctx);

	BEGIN(CREATE_TIR, create_tir);
	PRM_SET(tirc, tirc, transport_domain, w->td);
	PRM_SET(tirc, tirc, inline_rqn, w->rq);
}

void build_DESTROY_TIR(struct world *w, struct mailbox *m)
{
	uint32_t id;

	build_CREATE_TIR(w, m);
	id = MADE(create_tir_out, tirn);
	BEGIN(DESTROY_TIR, destroy_tir);
	SET(destroy_tir_in, tirn, id);
}

void build_QUERY_TIS(struct world *w, struct mailbox *m)
{
	BEGIN(QUERY_TIS, query_tis);
	SET(query_tis_in, tisn, w->tis);
}

void build_MODIFY_TIS(struct world *w, struct mailbox *m)
{
	BEGIN(MODIFY_TIS, modify_tis);
	SET(modify_tis_in, tisn, w->tis);
	SET(modify_tis_in, bitmask, PRM_MODIFY_TIS_PRIO);
	PRM_SET(tisc, PRM_AT(modify_tis_in, m->in, ctx), prio, 2);
}

/* Two entries of the world's queue. */
static void fill_rqt(const struct world *w, struct mailbox *m, uint8_t *rqtc)
{
	m->inlen += 2 * PRM_BYTES(rq_num);
	PRM_SET(rqtc, rqtc, rqt_max_size, 4);
	PRM_SET(rqtc, rqtc, rqt_actual_size, 2);
	for (int i = 0; i < 2; i++)
		PRM_SET(rq_num, PRM_AT(rqtc, rqtc, rq_num) + i * PRM_BYTES(rq_num), rq_num, w->rq);
}

void build_CREATE_RQT(struct world *w, struct mailbox *m)
{
	BEGIN(CREATE_RQT, create_rqt);
	fill_rqt(w, m, PRM_AT(create_rqt_in, m->in, rqt_context));
}

void build_MODIFY_RQT(struct world *w, struct mailbox *m)
{
	BEGIN(MODIFY_RQT, modify_rqt);
	SET(modify_rqt_in, rqtn, w->rqt);
	SET(modify_rqt_in, bitmask, PRM_MODIFY_RQT_RQN_LIST);
	fill_rqt(w, m, PRM_AT(modify_rqt_in, m->in, ctx));
}

void build_QUERY_RQT(struct world *w, struct mailbox *m)
{
	BEGIN(QUERY_RQT, query_rqt);
	m->outlen += 2 * PRM_BYTES(rq_num);
	SET(query_rqt_in, rqtn, w->rqt);
}

void build_DESTROY_RQT(struct world *w, struct mailbox *m)
{
	uint32_t id;

	build_CREATE_RQT(w, m);
	id = MADE(create_rqt_out, rqtn);
	BEGIN(DESTROY_RQT, destroy_rqt);
	SET(destroy_rqt_in, rqtn, id);
}

static void fill_hash(uint8_t *tirc)
{
	uint8_t *sel = PRM_AT(tirc, tirc, rx_hash_field_selector_outer);

	PRM_SET(tirc, tirc, rx_hash_fn, PRM_RX_HASH_FN_TOEPLITZ);
	memset(PRM_AT(tirc, tirc, rx_hash_toeplitz_key), 0x6d, 40);
	PRM_SET(rx_hash_field_select, sel, selected_fields,
		PRM_RX_HASH_FIELD_SRC_IP | PRM_RX_HASH_FIELD_DST_IP);
}

void mailbox_build_indirect_tir(struct world *w, struct mailbox *m)
{
	uint8_t *tirc = PRM_AT(create_tir_in, m->in, ctx);

	BEGIN(CREATE_TIR, create_tir);
	PRM_SET(tirc, tirc, transport_domain, w->td);
	PRM_SET(tirc, tirc, disp_type, PRM_TIRC_DISP_TYPE_INDIRECT);
	PRM_SET(tirc, tirc, indirect_table, w->rqt);
	fill_hash(tirc);
}

void build_MODIFY_TIR(struct world *w, struct mailbox *m)
{
	uint8_t *tirc = PRM_AT(modify_tir_in, m->in, ctx);

	BEGIN(MODIFY_TIR, modify_tir);
	SET(modify_tir_in, tirn, w->tir_rss);
	SET(modify_tir_in, bitmask,
	    PRM_MODIFY_TIR_INDIRECT_TABLE | PRM_MODIFY_TIR_HASH | PRM_MODIFY_TIR_SELF_LB_EN);
	PRM_SET(tirc, tirc, indirect_table, w->rqt);
	fill_hash(tirc);
}

void build_QUERY_TIR(struct world *w, struct mailbox *m)
{
	BEGIN(QUERY_TIR, query_tir);
	SET(query_tir_in, tirn, w->tir_rss);
}

/* -- flow tables ------------------------------------------------------------------------------------------- */

static void table(struct mailbox *m, unsigned int type, unsigned int level)
{
	uint8_t *ctx = PRM_AT(create_flow_table_in, m->in, flow_table_context);

	BEGIN(CREATE_FLOW_TABLE, create_flow_table);
	SET(create_flow_table_in, table_type, type);
	PRM_SET(flow_table_context, ctx, level, level);
	PRM_SET(flow_table_context, ctx, log_size, TABLE_LOG_SIZE);
}

static uint32_t make_table(struct world *w, struct mailbox *m, unsigned int type,
			   unsigned int level)
{
	table(m, type, level);
	if (level == 0)
		m->uid = 0;
	return MADE(create_flow_table_out, table_id);
}

void build_CREATE_FLOW_TABLE(struct world *w, struct mailbox *m)
{
	uint8_t *ctx = PRM_AT(create_flow_table_in, m->in, flow_table_context);

	table(m, PRM_FLOW_TABLE_TYPE_NIC_RX, LEVEL);
	PRM_SET(flow_table_context, ctx, table_miss_action, PRM_FLOW_TABLE_MISS_ACTION_FWD);
	PRM_SET(flow_table_context, ctx, table_miss_id, w->rx2);
}

void build_DESTROY_FLOW_TABLE(struct world *w, struct mailbox *m)
{
	uint32_t id = make_table(w, m, PRM_FLOW_TABLE_TYPE_NIC_RX, LEVEL);

	BEGIN(DESTROY_FLOW_TABLE, destroy_flow_table);
	SET(destroy_flow_table_in, table_id, id);
}

void build_QUERY_FLOW_TABLE(struct world *w, struct mailbox *m)
{
	BEGIN(QUERY_FLOW_TABLE, query_flow_table);
	SET(query_flow_table_in, table_id, w->rx);
}

void build_MODIFY_FLOW_TABLE(struct world *w, struct mailbox *m)
{
	uint8_t *ctx = PRM_AT(modify_flow_table_in, m->in, flow_table_context);

	BEGIN(MODIFY_FLOW_TABLE, modify_flow_table);
	SET(modify_flow_table_in, table_id, w->rx);
	SET(modify_flow_table_in, modify_field_select, 1);
	PRM_SET(flow_table_context, ctx, table_miss_action, PRM_FLOW_TABLE_MISS_ACTION_FWD);
	PRM_SET(flow_table_context, ctx, table_miss_id, w->rx2);
}

void build_SET_FLOW_TABLE_ROOT(struct world *w, struct mailbox *m)
{
	BEGIN(SET_FLOW_TABLE_ROOT, set_flow_table_root);
	m->uid = 0;
	SET(set_flow_table_root_in, table_id, w->root);
}

static void group(struct world *w, struct mailbox *m, uint32_t table_id, unsigned int type)
{
	uint8_t *match = PRM_AT(create_flow_group_in, m->in, match_criteria);
	uint8_t *outer = PRM_AT(fte_match_param, match, outer_headers);
	uint8_t *misc = PRM_AT(fte_match_param, match, misc_parameters);

	BEGIN(CREATE_FLOW_GROUP, create_flow_group);
	SET(create_flow_group_in, table_type, type);
	SET(create_flow_group_in, table_id, table_id);
	SET(create_flow_group_in, start_flow_index, 0);
	SET(create_flow_group_in, end_flow_index, GROUP_END);
	SET(create_flow_group_in, match_criteria_enable, 3);
	PRM_SET(fte_match_set_lyr_2_4, outer, ip_protocol, 0xff);
	PRM_SET(fte_match_set_misc, misc, outer_esp_spi, 0xffffffff);
}

/* A group of a table of its own. */
void build_CREATE_FLOW_GROUP(struct world *w, struct mailbox *m)
{
	group(w, m, make_table(w, m, PRM_FLOW_TABLE_TYPE_NIC_RX, LEVEL),
	      PRM_FLOW_TABLE_TYPE_NIC_RX);
}

void build_DESTROY_FLOW_GROUP(struct world *w, struct mailbox *m)
{
	uint32_t table_id, id;

	build_CREATE_FLOW_GROUP(w, m);
	table_id = (uint32_t)PRM_GET(create_flow_group_in, m->in, table_id);
	id = MADE(create_flow_group_out, group_id);
	BEGIN(DESTROY_FLOW_GROUP, destroy_flow_group);
	SET(destroy_flow_group_in, table_id, table_id);
	SET(destroy_flow_group_in, group_id, id);
}

void build_QUERY_FLOW_GROUP(struct world *w, struct mailbox *m)
{
	BEGIN(QUERY_FLOW_GROUP, query_flow_group);
	SET(query_flow_group_in, table_id, w->rx);
	SET(query_flow_group_in, group_id, w->group);
}

/* An entry of an SA's rule: decrypt, remove ESP, mark, count, on to rx2. */
static void entry(struct world *w, struct mailbox *m, uint32_t index)
{
	uint8_t *ctx = PRM_AT(set_fte_in, m->in, flow_context);
	uint8_t *value = PRM_AT(flow_context, ctx, match_value);
	uint8_t *list = PRM_AT(flow_context, ctx, destination);

	BEGIN(SET_FLOW_TABLE_ENTRY, set_fte);
	m->inlen += 2 * PRM_BYTES(dest_format_struct);
	SET(set_fte_in, table_id, w->rx);
	SET(set_fte_in, flow_index, index);
	PRM_SET(flow_context, ctx, group_id, w->group);
	PRM_SET(flow_context, ctx, flow_tag, 0x123);
	PRM_SET(flow_context, ctx, action,
		PRM_FLOW_CONTEXT_ACTION_CRYPTO_DECRYPT | PRM_FLOW_CONTEXT_ACTION_PACKET_REFORMAT |
			PRM_FLOW_CONTEXT_ACTION_MOD_HDR | PRM_FLOW_CONTEXT_ACTION_COUNT |
			PRM_FLOW_CONTEXT_ACTION_FWD_DEST);
	PRM_SET(flow_context, ctx, destination_list_size, 1);
	PRM_SET(flow_context, ctx, flow_counter_list_size, 1);
	PRM_SET(flow_context, ctx, packet_reformat_id, w->del);
	PRM_SET(flow_context, ctx, modify_header_id, w->modhdr);
	PRM_SET(flow_context, ctx, encrypt_decrypt_obj_id, w->sa_rx);
	PRM_SET(fte_match_set_lyr_2_4, PRM_AT(fte_match_param, value, outer_headers), ip_protocol,
		50);
	PRM_SET(fte_match_set_misc, PRM_AT(fte_match_param, value, misc_parameters), outer_esp_spi,
		0x1000 + index);
	PRM_SET(dest_format_struct, list, destination_type,
		PRM_IFC_FLOW_DESTINATION_TYPE_FLOW_TABLE);
	PRM_SET(dest_format_struct, list, destination_id, w->rx2);
	PRM_SET(flow_counter_list, list + PRM_BYTES(dest_format_struct), flow_counter_id,
		w->counter);
}

/* The first index of the group that is free. */
static uint32_t free_index(struct world *w)
{
	struct model_ft *ft = (struct model_ft *)model_obj_find(&w->dev, MODEL_FT, w->rx);
	uint32_t i = 0;

	while (ft && i <= GROUP_END && i < ft->nftes_cap && ft->ftes[i])
		i++;
	return i;
}

void build_SET_FLOW_TABLE_ENTRY(struct world *w, struct mailbox *m)
{
	entry(w, m, free_index(w));
}

static void delete_entry(struct world *w, struct mailbox *m, uint32_t index)
{
	BEGIN(DELETE_FLOW_TABLE_ENTRY, delete_fte);
	SET(delete_fte_in, table_id, w->rx);
	SET(delete_fte_in, flow_index, index);
}

/* There is always one entry for those who need one: the last index of the group. */
static void need_entry(struct world *w, struct mailbox *m)
{
	entry(w, m, GROUP_END);
	mailbox_exec(w, m, NULL);
}

void build_QUERY_FLOW_TABLE_ENTRY(struct world *w, struct mailbox *m)
{
	need_entry(w, m);
	BEGIN(QUERY_FLOW_TABLE_ENTRY, query_fte);
	m->outlen += 2 * PRM_BYTES(dest_format_struct);
	SET(query_fte_in, table_id, w->rx);
	SET(query_fte_in, flow_index, GROUP_END);
}

void build_DELETE_FLOW_TABLE_ENTRY(struct world *w, struct mailbox *m)
{
	need_entry(w, m);
	delete_entry(w, m, GROUP_END);
}

void build_ALLOC_FLOW_COUNTER(struct world *w, struct mailbox *m)
{
	BEGIN(ALLOC_FLOW_COUNTER, alloc_flow_counter);
	SET(alloc_flow_counter_in, flow_counter_bulk, 1);
}

void build_DEALLOC_FLOW_COUNTER(struct world *w, struct mailbox *m)
{
	uint32_t id;

	build_ALLOC_FLOW_COUNTER(w, m);
	id = MADE(alloc_flow_counter_out, flow_counter_id);
	BEGIN(DEALLOC_FLOW_COUNTER, dealloc_flow_counter);
	SET(dealloc_flow_counter_in, flow_counter_id, id);
}

void build_QUERY_FLOW_COUNTER(struct world *w, struct mailbox *m)
{
	BEGIN(QUERY_FLOW_COUNTER, query_flow_counter);
	m->outlen += 4 * PRM_BYTES(traffic_counter);
	SET(query_flow_counter_in, num_of_counters, 4);
	SET(query_flow_counter_in, flow_counter_id, w->counter);
}

static void reformat(struct mailbox *m, unsigned int type, unsigned int size)
{
	uint8_t *ctx = PRM_AT(alloc_packet_reformat_context_in, m->in, packet_reformat_context);

	BEGIN(ALLOC_PACKET_REFORMAT_CONTEXT, alloc_packet_reformat_context);
	if (size)
		m->inlen += 16; /* 34 bytes + data, up to 4 */
	PRM_SET(packet_reformat_context_in, ctx, reformat_type, type);
	PRM_SET(packet_reformat_context_in, ctx, reformat_param_0, size ? 4 : 0);
	PRM_SET(packet_reformat_context_in, ctx, reformat_data_size, size);
	if (size)
		PRM_SET(packet_reformat_context_in, ctx, reformat_data, 0x1234);
}

void build_ALLOC_PACKET_REFORMAT_CONTEXT(struct world *w, struct mailbox *m)
{
	reformat(m, PRM_REFORMAT_TYPE_ADD_ESP_TRANSPORT_OVER_IPV4, 16);
}

void build_DEALLOC_PACKET_REFORMAT_CONTEXT(struct world *w, struct mailbox *m)
{
	uint32_t id;

	build_ALLOC_PACKET_REFORMAT_CONTEXT(w, m);
	id = MADE(alloc_packet_reformat_context_out, packet_reformat_id);
	BEGIN(DEALLOC_PACKET_REFORMAT_CONTEXT, dealloc_packet_reformat_context);
	SET(dealloc_packet_reformat_context_in, packet_reformat_id, id);
}

void build_ALLOC_MODIFY_HEADER_CONTEXT(struct world *w, struct mailbox *m)
{
	uint8_t *a = PRM_AT(alloc_modify_header_context_in, m->in, actions);

	BEGIN(ALLOC_MODIFY_HEADER_CONTEXT, alloc_modify_header_context);
	m->inlen += 3 * PRM_BYTES(set_action_in);
	SET(alloc_modify_header_context_in, num_of_actions, 3);
	PRM_SET(set_action_in, a, action_type, PRM_ACTION_TYPE_SET);
	PRM_SET(set_action_in, a, field, PRM_ACTION_IN_FIELD_METADATA_REG_B);
	PRM_SET(set_action_in, a, data, 0x80000001);
	a += PRM_BYTES(set_action_in);
	PRM_SET(copy_action_in, a, action_type, PRM_ACTION_TYPE_COPY);
	PRM_SET(copy_action_in, a, src_field, PRM_ACTION_IN_FIELD_METADATA_REG_B);
	PRM_SET(copy_action_in, a, length, 16);
	PRM_SET(copy_action_in, a, dst_field, PRM_ACTION_IN_FIELD_METADATA_REG_C_2);
	a += PRM_BYTES(set_action_in);
	PRM_SET(add_action_in, a, action_type, PRM_ACTION_TYPE_ADD);
	PRM_SET(add_action_in, a, field, PRM_ACTION_IN_FIELD_OUT_IP_TTL);
	PRM_SET(add_action_in, a, data, 0xffffffff);
}

void build_DEALLOC_MODIFY_HEADER_CONTEXT(struct world *w, struct mailbox *m)
{
	uint32_t id;

	build_ALLOC_MODIFY_HEADER_CONTEXT(w, m);
	id = MADE(alloc_modify_header_context_out, modify_header_id);
	BEGIN(DEALLOC_MODIFY_HEADER_CONTEXT, dealloc_modify_header_context);
	SET(dealloc_modify_header_context_in, modify_header_id, id);
}

/* -- general objects --------------------------------------------------------------------------------------- */

static void general(struct mailbox *m, uint16_t opcode, uint16_t type, uint32_t id, size_t body)
{
	mailbox_begin(m, opcode, PRM_BYTES(general_obj_in_cmd_hdr) + body,
		      PRM_BYTES(general_obj_out_cmd_hdr));
	SET(general_obj_in_cmd_hdr, obj_type, type);
	SET(general_obj_in_cmd_hdr, obj_id, id);
}

static uint8_t *key_body(struct world *w, struct mailbox *m)
{
	uint8_t *obj = PRM_AT(create_encryption_key_in, m->in, encryption_key_object);

	PRM_SET(encryption_key_obj, obj, key_purpose,
		PRM_GENERAL_OBJECT_TYPE_ENCRYPTION_KEY_PURPOSE_IPSEC);
	PRM_SET(encryption_key_obj, obj, pd, w->pd);
	return obj;
}

static void key_bytes(uint8_t *obj, uint8_t first)
{
	for (uint8_t i = 0; i < 16; i++)
		PRM_AT(encryption_key_obj, obj, key)[16 + i] = (uint8_t)(first + i);
}

void build_CREATE_GENERAL_OBJECT(struct world *w, struct mailbox *m)
{
	general(m, PRM_CMD_OP_CREATE_GENERAL_OBJECT, PRM_GENERAL_OBJECT_TYPES_ENCRYPTION_KEY, 0,
		PRM_BYTES(encryption_key_obj));
	key_bytes(key_body(w, m), 1);
}

void build_MODIFY_GENERAL_OBJECT(struct world *w, struct mailbox *m)
{
	uint8_t *obj;

	general(m, PRM_CMD_OP_MODIFY_GENERAL_OBJECT, PRM_GENERAL_OBJECT_TYPES_ENCRYPTION_KEY,
		w->bulk, PRM_BYTES(encryption_key_obj));
	obj = key_body(w, m);
	key_bytes(obj, 0x40);
	PRM_SET(encryption_key_obj, obj, modify_field_select, 1);
	PRM_SET(general_obj_query_param, PRM_AT(general_obj_in_cmd_hdr, m->in, op_param),
		obj_offset, 3);
}

void build_QUERY_GENERAL_OBJECT(struct world *w, struct mailbox *m)
{
	general(m, PRM_CMD_OP_QUERY_GENERAL_OBJECT, PRM_GENERAL_OBJECT_TYPES_ENCRYPTION_KEY, w->dek,
		0);
	m->outlen += PRM_BYTES(encryption_key_obj);
}

void build_DESTROY_GENERAL_OBJECT(struct world *w, struct mailbox *m)
{
	uint32_t id;

	build_CREATE_GENERAL_OBJECT(w, m);
	id = MADE(general_obj_out_cmd_hdr, obj_id);
	general(m, PRM_CMD_OP_DESTROY_GENERAL_OBJECT, PRM_GENERAL_OBJECT_TYPES_ENCRYPTION_KEY, id,
		0);
}

static void ipsec(struct world *w, struct mailbox *m, unsigned int mode, bool esn)
{
	uint8_t *obj = PRM_AT(create_ipsec_obj_in, m->in, ipsec_object);
	uint8_t *aso = PRM_AT(ipsec_obj, obj, ipsec_aso);

	general(m, PRM_CMD_OP_CREATE_GENERAL_OBJECT, PRM_GENERAL_OBJECT_TYPES_IPSEC, 0,
		PRM_BYTES(ipsec_obj));
	PRM_SET(ipsec_obj, obj, full_offload, 1);
	PRM_SET(ipsec_obj, obj, esn_en, esn);
	PRM_SET(ipsec_obj, obj, aso_return_reg, PRM_IPSEC_ASO_REG_C_4_5);
	PRM_SET(ipsec_obj, obj, dekn, w->dek);
	PRM_SET(ipsec_obj, obj, salt, 0x0a0b0c0d);
	PRM_SET(ipsec_obj, obj, implicit_iv, 0x1112131415161718);
	PRM_SET(ipsec_obj, obj, ipsec_aso_access_pd, w->pd);
	PRM_SET(ipsec_aso, aso, valid, 1);
	PRM_SET(ipsec_aso, aso, mode, mode);
	PRM_SET(ipsec_aso, aso, mode_parameter, mode == PRM_IPSEC_ASO_INC_SN);
}

void mailbox_build_ipsec(struct world *w, uint16_t opcode, struct mailbox *m)
{
	uint8_t *obj = PRM_AT(modify_ipsec_obj_in, m->in, ipsec_object);
	uint32_t id;

	ipsec(w, m, PRM_IPSEC_ASO_INC_SN, true);
	if (opcode == PRM_CMD_OP_CREATE_GENERAL_OBJECT)
		return;
	id = MADE(general_obj_out_cmd_hdr, obj_id);
	general(m, opcode, PRM_GENERAL_OBJECT_TYPES_IPSEC, id,
		opcode == PRM_CMD_OP_MODIFY_GENERAL_OBJECT ? PRM_BYTES(ipsec_obj) : 0);
	if (opcode == PRM_CMD_OP_QUERY_GENERAL_OBJECT)
		m->outlen += PRM_BYTES(ipsec_obj);
	if (opcode != PRM_CMD_OP_MODIFY_GENERAL_OBJECT)
		return;
	PRM_SET(ipsec_obj, obj, modify_field_select,
		PRM_MODIFY_IPSEC_BITMASK_ESN_MSB | PRM_MODIFY_IPSEC_BITMASK_ESN_OVERLAP);
	PRM_SET(ipsec_obj, obj, esn_msb, 7);
	PRM_SET(ipsec_obj, obj, esn_overlap, 1);
}

void build_SYNC_CRYPTO(struct world *w, struct mailbox *m)
{
	BEGIN(SYNC_CRYPTO, sync_crypto);
	SET(sync_crypto_in, crypto_type, 1 << PRM_GENERAL_OBJECT_TYPE_ENCRYPTION_KEY_PURPOSE_IPSEC);
}

/* -- the world --------------------------------------------------------------------------------------------- */

int mailbox_exec(struct world *w, const struct mailbox *m, uint8_t *out)
{
	uint8_t own[MAILBOX_MAX_OUT];
	int err;

	out = out ? out : own;
	err = model_fw_exec(&w->dev, m->uid, m->in, m->inlen, out, m->outlen);
	return err ? err : prm_out_status(out);
}

void mailbox_build(struct world *w, uint16_t opcode, struct mailbox *m)
{
#define BUILD(name, value, in, out, object) \
	case value: build_##name(w, m); return;
	switch (opcode) {
		PRM_OPCODES(BUILD)
	default: mailbox_begin(m, opcode, PRM_BYTES(nop_in), PRM_BYTES(nop_out));
	}
}

static int queues_init(struct world *w, struct mailbox *m)
{
#define NEED(id) \
	if (!(id)) \
	return __LINE__
	build_ALLOC_UAR(w, m);
	NEED(w->uar = MADE(alloc_uar_out, uar));
	build_ALLOC_PD(w, m);
	NEED(w->pd = MADE(alloc_pd_out, pd));
	build_ALLOC_TRANSPORT_DOMAIN(w, m);
	NEED(w->td = MADE(alloc_transport_domain_out, transport_domain));
	build_CREATE_MKEY(w, m);
	NEED(w->mkey = MADE(create_mkey_out, mkey_index));
	build_CREATE_CQ(w, m);
	NEED(w->cq = MADE(create_cq_out, cqn));
	build_CREATE_TIS(w, m);
	NEED(w->tis = MADE(create_tis_out, tisn));
	NEED(w->sq = make_sq(w, m));
	build_ALLOC_Q_COUNTER(w, m);
	NEED(w->qcounter = MADE(alloc_q_counter_out, counter_set_id));
	NEED(w->rq = make_rq(w, m));
	build_CREATE_TIR(w, m);
	NEED(w->tir = MADE(create_tir_out, tirn));
	build_CREATE_RQT(w, m);
	NEED(w->rqt = MADE(create_rqt_out, rqtn));
	mailbox_build_indirect_tir(w, m);
	NEED(w->tir_rss = MADE(create_tir_out, tirn));
	return 0;
}

static int crypto_init(struct world *w, struct mailbox *m)
{
	build_CREATE_GENERAL_OBJECT(w, m);
	NEED(w->dek = MADE(general_obj_out_cmd_hdr, obj_id));
	general(m, PRM_CMD_OP_CREATE_GENERAL_OBJECT, PRM_GENERAL_OBJECT_TYPES_ENCRYPTION_KEY, 0,
		PRM_BYTES(encryption_key_obj));
	key_body(w, m);
	PRM_SET(general_obj_create_param, PRM_AT(general_obj_in_cmd_hdr, m->in, op_param),
		log_obj_range, 3);
	NEED(w->bulk = MADE(general_obj_out_cmd_hdr, obj_id));
	ipsec(w, m, PRM_IPSEC_ASO_MODE, false);
	NEED(w->sa_rx = MADE(general_obj_out_cmd_hdr, obj_id));
	ipsec(w, m, PRM_IPSEC_ASO_INC_SN, true);
	NEED(w->sa_tx = MADE(general_obj_out_cmd_hdr, obj_id));
	reformat(m, PRM_REFORMAT_TYPE_ADD_ESP_TRANSPORT_OVER_IPV4, 16);
	NEED(w->add = MADE(alloc_packet_reformat_context_out, packet_reformat_id));
	reformat(m, PRM_REFORMAT_TYPE_DEL_ESP_TRANSPORT, 0);
	NEED(w->del = MADE(alloc_packet_reformat_context_out, packet_reformat_id));
	return 0;
}

static int flow_init(struct world *w, struct mailbox *m)
{
	build_ALLOC_FLOW_COUNTER(w, m);
	NEED(w->counter = MADE(alloc_flow_counter_out, flow_counter_id));
	build_ALLOC_MODIFY_HEADER_CONTEXT(w, m);
	NEED(w->modhdr = MADE(alloc_modify_header_context_out, modify_header_id));
	NEED(w->root = make_table(w, m, PRM_FLOW_TABLE_TYPE_NIC_RX, 0));
	NEED(w->rx = make_table(w, m, PRM_FLOW_TABLE_TYPE_NIC_RX, LEVEL));
	NEED(w->rx2 = make_table(w, m, PRM_FLOW_TABLE_TYPE_NIC_RX, LEVEL + 1));
	NEED(w->tx = make_table(w, m, PRM_FLOW_TABLE_TYPE_NIC_TX, LEVEL));
	NEED(w->tx2 = make_table(w, m, PRM_FLOW_TABLE_TYPE_NIC_TX, LEVEL + 1));
	group(w, m, w->rx, PRM_FLOW_TABLE_TYPE_NIC_RX);
	NEED(w->group = MADE(create_flow_group_out, group_id));
	group(w, m, w->tx, PRM_FLOW_TABLE_TYPE_NIC_TX);
	NEED(w->group_tx = MADE(create_flow_group_out, group_id));
	return 0;
}

static int umem_init(struct world *w)
{
	struct model_umem *umem;
	bool limit;

	w->mem = aligned_alloc(64, MEM);
	if (!w->mem)
		return __LINE__;
	memset(w->mem, 0, MEM);
	pthread_rwlock_wrlock(&w->dev.objs);
	umem = model_obj_new(&w->dev, MODEL_UMEM, WORLD_UID, sizeof(*umem), 1, &limit);
	if (umem) {
		umem->addr = w->mem;
		umem->len = MEM;
		w->umem = umem->o.id;
	}
	pthread_rwlock_unlock(&w->dev.objs);
	return umem ? 0 : __LINE__;
}

int world_init(struct world *w, const struct model_profile *profile)
{
	struct mailbox m;
	int line;

	memset(w, 0, sizeof(*w));
	if (model_dev_init(&w->dev, profile))
		return __LINE__;
	line = umem_init(w);
	if (!line)
		line = queues_init(w, &m);
	if (!line && profile->ipsec_full)
		line = crypto_init(w, &m);
	return line ? line : flow_init(w, &m);
}

void world_fini(struct world *w)
{
	model_dev_fini(&w->dev);
	free(w->mem);
}
