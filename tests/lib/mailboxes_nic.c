// SPDX-License-Identifier: BSD-2-Clause
/* Valid mailboxes of what a NIC has besides queues and rules: CQ states, queue counters, the function itself. */
#include "mailboxes_build.h"

void build_QUERY_CQ(struct world *w, struct mailbox *m)
{
	BEGIN(QUERY_CQ, query_cq);
	SET(query_cq_in, cqn, w->cq);
}

void build_MODIFY_CQ(struct world *w, struct mailbox *m)
{
	uint8_t *cqc = PRM_AT(modify_cq_in, m->in, cq_context);

	BEGIN(MODIFY_CQ, modify_cq);
	SET(modify_cq_in, cqn, w->cq);
	SET(modify_cq_in, modify_field_select, PRM_CQ_MODIFY_PERIOD | PRM_CQ_MODIFY_COUNT);
	PRM_SET(cqc, cqc, cq_period, 16);
	PRM_SET(cqc, cqc, cq_max_count, 64);
}

void build_ALLOC_Q_COUNTER(struct world *w, struct mailbox *m)
{
	BEGIN(ALLOC_Q_COUNTER, alloc_q_counter);
}

void build_DEALLOC_Q_COUNTER(struct world *w, struct mailbox *m)
{
	uint32_t id;

	build_ALLOC_Q_COUNTER(w, m);
	id = MADE(alloc_q_counter_out, counter_set_id);
	BEGIN(DEALLOC_Q_COUNTER, dealloc_q_counter);
	SET(dealloc_q_counter_in, counter_set_id, id);
}

void build_QUERY_Q_COUNTER(struct world *w, struct mailbox *m)
{
	BEGIN(QUERY_Q_COUNTER, query_q_counter);
	SET(query_q_counter_in, counter_set_id, w->qcounter);
}

/* -- the function: whatever it is asked, the answer needs no object ---------------------------------------- */

void build_QUERY_VPORT_STATE(struct world *w, struct mailbox *m)
{
	BEGIN(QUERY_VPORT_STATE, query_vport_state);
}

void build_QUERY_NIC_VPORT_CONTEXT(struct world *w, struct mailbox *m)
{
	BEGIN(QUERY_NIC_VPORT_CONTEXT, query_nic_vport_context);
}

void build_QUERY_VPORT_COUNTER(struct world *w, struct mailbox *m)
{
	BEGIN(QUERY_VPORT_COUNTER, query_vport_counter);
	SET(query_vport_counter_in, port_num, 1);
}

void build_ACCESS_REG(struct world *w, struct mailbox *m)
{
	BEGIN(ACCESS_REG, access_register);
	m->uid = 0;
	m->inlen += PRM_BYTES(paos_reg);
	m->outlen += PRM_BYTES(paos_reg);
	SET(access_register_in, op_mod, PRM_REG_READ);
	SET(access_register_in, register_id, PRM_REG_PAOS);
	PRM_SET(paos_reg, m->in + PRM_BYTES(access_register_in), local_port, 1);
}

void build_QUERY_SPECIAL_CONTEXTS(struct world *w, struct mailbox *m)
{
	BEGIN(QUERY_SPECIAL_CONTEXTS, query_special_contexts);
	m->uid = 0;
}

void build_QUERY_ISSI(struct world *w, struct mailbox *m)
{
	BEGIN(QUERY_ISSI, query_issi);
}

void build_SET_ISSI(struct world *w, struct mailbox *m)
{
	BEGIN(SET_ISSI, set_issi);
	m->uid = 0;
	SET(set_issi_in, current_issi, 1);
}

void build_QUERY_ADAPTER(struct world *w, struct mailbox *m)
{
	BEGIN(QUERY_ADAPTER, query_adapter);
}

void build_QUERY_PAGES(struct world *w, struct mailbox *m)
{
	BEGIN(QUERY_PAGES, query_pages);
	m->uid = 0;
	SET(query_pages_in, op_mod, 1);
}

void build_MANAGE_PAGES(struct world *w, struct mailbox *m)
{
	BEGIN(MANAGE_PAGES, manage_pages);
	m->uid = 0;
	m->inlen += PRM_BYTES(page_address);
	SET(manage_pages_in, op_mod, 1);
	SET(manage_pages_in, input_num_entries, 1);
}
