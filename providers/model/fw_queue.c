// SPDX-License-Identifier: BSD-2-Clause
/*
 * Firmware: SQ, RQ, TIS. CQ: fw_cq.c, TIR: fw_tir.c.
 *
 * States of a send or receive queue, moved by MODIFY, which names the state it leaves:
 *
 *   create -> RST -> RDY -> ERR      any -> RST (counters back to 0)      RST, RDY -> ERR
 *                 RDY -> ERR also by the data path
 *
 * A queue keeps pointers into umems: the umem cannot be deregistered before. Firmware writes queue state with
 * dev->objs held for writing, so no WQE is executed meanwhile. Source: PRM, sqc, rqc, wq, tisc.
 */
#include "fw.h"

#include <stdlib.h>
#include <string.h>

enum {
	MAX_LOG_WQ = 15,
	SQ_LOG_STRIDE = 6,
	MIN_LOG_RQ_STRIDE = 4,
	MAX_LOG_RQ_STRIDE = 9,
	INLINE_L2 = 1,
	L2_BYTES = 14,
};

/* -- work queues ----------------------------------------------------------------------------------------- */

/* What SQ and RQ have in common, found and checked. */
struct parts {
	struct model_cq *cq;
	struct model_pd *pd;
	struct model_umem *ring_umem, *dbr_umem;
	uint8_t *ring, *dbr;
	uint32_t log_size, log_stride;
};

static bool wq_plain(const uint8_t *wq)
{
	return PRM_GET(wq, wq, wq_type) == PRM_WQ_TYPE_CYCLIC && !PRM_GET(wq, wq, wq_signature) &&
	       !PRM_GET(wq, wq, cd_slave) && !PRM_GET(wq, wq, shampo_enable) &&
	       !PRM_GET(wq, wq, two_byte_shift_en) && !PRM_GET(wq, wq, log_hairpin_data_sz) &&
	       !PRM_GET(wq, wq, log_hairpin_num_packets) && !PRM_GET(wq, wq, page_offset) &&
	       !PRM_GET(wq, wq, hds_skip_first_sge) && !PRM_GET(wq, wq, hw_counter) &&
	       !PRM_GET(wq, wq, sw_counter);
}

static enum model_synd wq_parts(struct model_cmd *c, const uint8_t *wq, uint32_t cqn,
				uint32_t min_stride, uint32_t max_stride, struct parts *p)
{
	p->log_size = (uint32_t)PRM_GET(wq, wq, log_wq_sz);
	p->log_stride = (uint32_t)PRM_GET(wq, wq, log_wq_stride);
	if (!wq_plain(wq) || p->log_stride < min_stride || p->log_stride > max_stride)
		return MODEL_S_WQ_CONTEXT;
	if (p->log_size > MAX_LOG_WQ)
		return MODEL_S_WQ_SIZE;
	p->cq = model_cmd_find(c, MODEL_CQ, cqn);
	if (!p->cq)
		return c->why;
	p->pd = model_cmd_find(c, MODEL_PD, (uint32_t)PRM_GET(wq, wq, pd));
	if (!p->pd)
		return c->why;
	p->ring = model_cmd_umem(
		c, PRM_GET(wq, wq, wq_umem_valid), (uint32_t)PRM_GET(wq, wq, wq_umem_id),
		PRM_GET(wq, wq, wq_umem_offset), UINT64_C(1) << (p->log_size + p->log_stride),
		MODEL_RING_ALIGN, MODEL_S_RING_UMEM, &p->ring_umem);
	if (!p->ring)
		return c->why;
	p->dbr = model_cmd_umem(c, PRM_GET(wq, wq, dbr_umem_valid),
				(uint32_t)PRM_GET(wq, wq, dbr_umem_id), PRM_GET(wq, wq, dbr_addr),
				MODEL_DBR_BYTES, MODEL_DBR_BYTES, MODEL_S_DBR_UMEM, &p->dbr_umem);
	return p->dbr ? MODEL_S_OK : c->why;
}

static void use_parts(struct model_obj *o, const struct parts *p)
{
	model_obj_use(o, &p->cq->o);
	model_obj_use(o, &p->pd->o);
	model_obj_use(o, &p->ring_umem->o);
	model_obj_use(o, &p->dbr_umem->o);
}

/* MODIFY: which steps there are. */
static enum model_synd check_step(int state, unsigned int named, unsigned int to, uint64_t bitmask)
{
	if (bitmask)
		return MODEL_S_QUEUE_BITMASK;
	if (named != (unsigned int)state)
		return MODEL_S_QUEUE_STATE;
	if (to == MODEL_Q_RST || (to == MODEL_Q_RDY && state != MODEL_Q_ERR) || to == MODEL_Q_ERR)
		return MODEL_S_OK;
	return MODEL_S_QUEUE_STEP;
}

static uint8_t *keep(const uint8_t *context, size_t n)
{
	uint8_t *copy = malloc(n);

	if (copy)
		memcpy(copy, context, n);
	return copy;
}

/* -- SQ -------------------------------------------------------------------------------------------------- */

static bool sq_plain(const uint8_t *sqc)
{
	return !PRM_GET(sqc, sqc, rlky) && !PRM_GET(sqc, sqc, cd_master) &&
	       !PRM_GET(sqc, sqc, hairpin) && !PRM_GET(sqc, sqc, non_wire) &&
	       !PRM_GET(sqc, sqc, reg_umr) && !PRM_GET(sqc, sqc, allow_multi_pkt_send_wqe) &&
	       !PRM_GET(sqc, sqc, allow_swp) && !PRM_GET(sqc, sqc, hairpin_peer_rq) &&
	       !PRM_GET(sqc, sqc, hairpin_peer_vhca) && !PRM_GET(sqc, sqc, ts_cqe_to_dest_cqn) &&
	       !PRM_GET(sqc, sqc, packet_pacing_rate_limit_index) &&
	       !PRM_GET(sqc, sqc, qos_queue_group_id) &&
	       PRM_GET(sqc, sqc, min_wqe_inline_mode) <= INLINE_L2;
}

static void sq_fill(struct model_sq *sq, const uint8_t *sqc, const struct parts *p,
		    struct model_tis *tis, struct model_uar *uar)
{
	pthread_mutex_init(&sq->lock, NULL);
	sq->ring = p->ring;
	sq->dbrec = p->dbr;
	sq->log_size = p->log_size;
	atomic_init(&sq->state, MODEL_Q_RST);
	sq->cq = p->cq;
	sq->cqn = p->cq->o.id;
	sq->pd = p->pd->o.id;
	sq->tisn = tis->o.id;
	sq->td = tis->td;
	sq->uar_page = uar->o.id;
	sq->user_index = (uint32_t)PRM_GET(sqc, sqc, user_index);
	sq->min_inline = PRM_GET(sqc, sqc, min_wqe_inline_mode) == INLINE_L2 ? L2_BYTES : 0;
	sq->flush_in_error = PRM_GET(sqc, sqc, flush_in_error_en);
	use_parts(&sq->o, p);
	model_obj_use(&sq->o, &tis->o);
	model_obj_use(&sq->o, &uar->o);
}

enum model_synd model_do_CREATE_SQ(struct model_cmd *c)
{
	const uint8_t *sqc = PRM_AT(create_sq_in, c->in, ctx), *wq = PRM_AT(sqc, sqc, wq);
	struct model_tis *tis;
	struct model_uar *uar;
	struct model_sq *sq;
	struct parts p = {0};
	enum model_synd s;
	uint8_t *copy;

	if (!sq_plain(sqc))
		return MODEL_S_SQ_CONTEXT;
	if (PRM_GET(sqc, sqc, state) != PRM_SQC_STATE_RST)
		return MODEL_S_SQ_INITIAL;
	s = wq_parts(c, wq, (uint32_t)PRM_GET(sqc, sqc, cqn), SQ_LOG_STRIDE, SQ_LOG_STRIDE, &p);
	if (s != MODEL_S_OK)
		return s;
	uar = model_cmd_find(c, MODEL_UAR, (uint32_t)PRM_GET(wq, wq, uar_page));
	if (!uar)
		return c->why;
	tis = model_cmd_find(c, MODEL_TIS, (uint32_t)PRM_GET(sqc, sqc, tis_num_0));
	if (!tis)
		return c->why;
	if (PRM_GET(sqc, sqc, tis_lst_sz) != 1 || tis->tls_en)
		return MODEL_S_SQ_TIS;
	copy = keep(sqc, PRM_BYTES(sqc));
	if (!copy)
		return MODEL_S_NO_MEMORY;
	sq = model_cmd_new(c, MODEL_SQ, sizeof(*sq), 1);
	if (!sq) {
		free(copy);
		return c->why;
	}
	sq->sqc = copy;
	sq_fill(sq, sqc, &p, tis, uar);
	PRM_SET(create_sq_out, c->out, sqn, sq->o.id);
	return MODEL_S_OK;
}

enum model_synd model_do_MODIFY_SQ(struct model_cmd *c)
{
	struct model_sq *sq =
		model_cmd_find(c, MODEL_SQ, (uint32_t)PRM_GET(modify_sq_in, c->in, sqn));
	const uint8_t *sqc = PRM_AT(modify_sq_in, c->in, ctx);
	unsigned int to = (unsigned int)PRM_GET(sqc, sqc, state);
	enum model_synd s;

	if (!sq)
		return c->why;
	s = check_step(atomic_load(&sq->state),
		       (unsigned int)PRM_GET(modify_sq_in, c->in, sq_state), to,
		       PRM_GET(modify_sq_in, c->in, modify_bitmask));
	if (s != MODEL_S_OK)
		return s;
	if (to != MODEL_Q_RDY)
		model_tls_forget(c->dev, sq);
	if (to == MODEL_Q_RST) {
		sq->ci = 0;
		sq->departs = 0;
		model_late_forget(c->dev, sq);
	}
	atomic_store(&sq->state, (int)to);
	if (to == MODEL_Q_ERR)
		model_sq_flush(c->dev, sq);
	return MODEL_S_OK;
}

enum model_synd model_do_QUERY_SQ(struct model_cmd *c)
{
	struct model_sq *sq =
		model_cmd_find(c, MODEL_SQ, (uint32_t)PRM_GET(query_sq_in, c->in, sqn));
	uint8_t *sqc = PRM_AT(query_sq_out, c->out, sq_context);

	if (!sq)
		return c->why;
	memcpy(sqc, sq->sqc, PRM_BYTES(sqc));
	PRM_SET(sqc, sqc, state, atomic_load(&sq->state));
	PRM_SET(wq, PRM_AT(sqc, sqc, wq), hw_counter, sq->ci);
	return MODEL_S_OK;
}

enum model_synd model_do_DESTROY_SQ(struct model_cmd *c)
{
	struct model_sq *sq =
		model_cmd_find(c, MODEL_SQ, (uint32_t)PRM_GET(destroy_sq_in, c->in, sqn));

	if (!sq)
		return c->why;
	if (model_cmd_unused(&sq->o) == MODEL_S_OK)
		model_tls_forget(c->dev, sq);
	return model_cmd_destroy(c, MODEL_SQ, sq->o.id);
}

/* -- RQ -------------------------------------------------------------------------------------------------- */

static bool rq_plain(const uint8_t *rqc)
{
	return !PRM_GET(rqc, rqc, rlky) && !PRM_GET(rqc, rqc, delay_drop_en) &&
	       !PRM_GET(rqc, rqc, scatter_fcs) &&
	       PRM_GET(rqc, rqc, mem_rq_type) == PRM_RQC_MEM_RQ_TYPE_MEMORY_RQ_INLINE &&
	       !PRM_GET(rqc, rqc, hairpin) && !PRM_GET(rqc, rqc, rmpn) &&
	       !PRM_GET(rqc, rqc, hairpin_peer_sq) && !PRM_GET(rqc, rqc, hairpin_peer_vhca) &&
	       !PRM_GET(rqc, rqc, reservation_timeout);
}

static void rq_fill(struct model_rq *rq, const uint8_t *rqc, const struct parts *p)
{
	pthread_mutex_init(&rq->lock, NULL);
	rq->ring = p->ring;
	rq->dbrec = p->dbr;
	rq->log_size = p->log_size;
	rq->log_stride = p->log_stride;
	atomic_init(&rq->state, MODEL_Q_RST);
	rq->cq = p->cq;
	rq->cqn = p->cq->o.id;
	rq->pd = p->pd->o.id;
	rq->user_index = (uint32_t)PRM_GET(rqc, rqc, user_index);
	rq->flush_in_error = PRM_GET(rqc, rqc, flush_in_error_en);
	rq->strip = !PRM_GET(rqc, rqc, vsd);
	use_parts(&rq->o, p);
}

/* The set of counters that a context names, if any. */
static enum model_synd find_counter(struct model_cmd *c, const uint8_t *rqc,
				    struct model_qcounter **counter)
{
	uint32_t id = (uint32_t)PRM_GET(rqc, rqc, counter_set_id);

	*counter = id ? model_cmd_find(c, MODEL_QCOUNTER, id) : NULL;
	return id && !*counter ? c->why : MODEL_S_OK;
}

/* The last of the queue's references, if it has one. */
static void set_counter(struct model_rq *rq, struct model_qcounter *counter)
{
	if (rq->counter)
		model_obj_unuse(rq->o.uses[--rq->o.nuses]);
	rq->counter = counter;
	if (counter)
		model_obj_use(&rq->o, &counter->o);
	PRM_SET(rqc, rq->rqc, counter_set_id, counter ? counter->o.id : 0);
}

enum model_synd model_do_CREATE_RQ(struct model_cmd *c)
{
	const uint8_t *rqc = PRM_AT(create_rq_in, c->in, ctx), *wq = PRM_AT(rqc, rqc, wq);
	struct model_qcounter *counter;
	struct model_rq *rq;
	struct parts p = {0};
	enum model_synd s;
	uint8_t *copy;

	if (!rq_plain(rqc))
		return MODEL_S_RQ_CONTEXT;
	if (PRM_GET(rqc, rqc, state) != PRM_RQC_STATE_RST)
		return MODEL_S_RQ_INITIAL;
	s = wq_parts(c, wq, (uint32_t)PRM_GET(rqc, rqc, cqn), MIN_LOG_RQ_STRIDE, MAX_LOG_RQ_STRIDE,
		     &p);
	if (s != MODEL_S_OK)
		return s;
	s = find_counter(c, rqc, &counter);
	if (s != MODEL_S_OK)
		return s;
	copy = keep(rqc, PRM_BYTES(rqc));
	if (!copy)
		return MODEL_S_NO_MEMORY;
	rq = model_cmd_new(c, MODEL_RQ, sizeof(*rq), 1);
	if (!rq) {
		free(copy);
		return c->why;
	}
	rq->rqc = copy;
	rq_fill(rq, rqc, &p);
	set_counter(rq, counter);
	PRM_SET(create_rq_out, c->out, rqn, rq->o.id);
	return MODEL_S_OK;
}

/* Fields that the bitmask selects, checked before anything changes. */
static enum model_synd check_fields(struct model_cmd *c, uint64_t mask, const uint8_t *rqc,
				    struct model_qcounter **counter)
{
	*counter = NULL;
	if (mask & ~(uint64_t)(PRM_MODIFY_RQ_VSD | PRM_MODIFY_RQ_COUNTER_SET_ID))
		return MODEL_S_QUEUE_BITMASK;
	if (mask && PRM_GET(rqc, rqc, state) != MODEL_Q_RDY)
		return MODEL_S_RQ_MODIFY_STATE;
	return mask & PRM_MODIFY_RQ_COUNTER_SET_ID ? find_counter(c, rqc, counter) : MODEL_S_OK;
}

static void set_fields(struct model_rq *rq, uint64_t mask, const uint8_t *rqc,
		       struct model_qcounter *counter)
{
	if (mask & PRM_MODIFY_RQ_COUNTER_SET_ID)
		set_counter(rq, counter);
	if (!(mask & PRM_MODIFY_RQ_VSD))
		return;
	rq->strip = !PRM_GET(rqc, rqc, vsd);
	PRM_SET(rqc, rq->rqc, vsd, !rq->strip);
}

enum model_synd model_do_MODIFY_RQ(struct model_cmd *c)
{
	struct model_rq *rq =
		model_cmd_find(c, MODEL_RQ, (uint32_t)PRM_GET(modify_rq_in, c->in, rqn));
	const uint8_t *rqc = PRM_AT(modify_rq_in, c->in, ctx);
	unsigned int to = (unsigned int)PRM_GET(rqc, rqc, state);
	uint64_t mask = PRM_GET(modify_rq_in, c->in, modify_bitmask);
	struct model_qcounter *counter;
	enum model_synd s;

	if (!rq)
		return c->why;
	s = check_fields(c, mask, rqc, &counter);
	if (s == MODEL_S_OK)
		s = check_step(atomic_load(&rq->state),
			       (unsigned int)PRM_GET(modify_rq_in, c->in, rq_state), to, 0);
	if (s != MODEL_S_OK)
		return s;
	set_fields(rq, mask, rqc, counter);
	if (to == MODEL_Q_RST)
		rq->ci = 0;
	atomic_store(&rq->state, (int)to);
	if (to == MODEL_Q_ERR)
		model_rq_flush(c->dev, rq);
	return MODEL_S_OK;
}

enum model_synd model_do_QUERY_RQ(struct model_cmd *c)
{
	struct model_rq *rq =
		model_cmd_find(c, MODEL_RQ, (uint32_t)PRM_GET(query_rq_in, c->in, rqn));
	uint8_t *rqc = PRM_AT(query_rq_out, c->out, rq_context);

	if (!rq)
		return c->why;
	memcpy(rqc, rq->rqc, PRM_BYTES(rqc));
	PRM_SET(rqc, rqc, state, atomic_load(&rq->state));
	PRM_SET(wq, PRM_AT(rqc, rqc, wq), hw_counter, rq->ci);
	return MODEL_S_OK;
}

enum model_synd model_do_DESTROY_RQ(struct model_cmd *c)
{
	return model_cmd_destroy(c, MODEL_RQ, (uint32_t)PRM_GET(destroy_rq_in, c->in, rqn));
}

/* -- TIS -------------------------------------------------------------------------------------------- */

static bool tis_plain(const uint8_t *tisc)
{
	return !PRM_GET(tisc, tisc, underlay_qpn) && !PRM_GET(tisc, tisc, lag_tx_port_affinity) &&
	       !PRM_GET(tisc, tisc, strict_lag_tx_port_affinity);
}

enum model_synd model_do_CREATE_TIS(struct model_cmd *c)
{
	const uint8_t *tisc = PRM_AT(create_tis_in, c->in, ctx);
	uint32_t pdn = (uint32_t)PRM_GET(tisc, tisc, pd);
	bool tls = PRM_GET(tisc, tisc, tls_en);
	struct model_tls *context = NULL;
	struct model_pd *pd = NULL;
	struct model_td *td;
	struct model_tis *tis;

	if (!tis_plain(tisc))
		return MODEL_S_TIS_CONTEXT;
	if (tls && (!c->dev->profile.tls_tx || !pdn))
		return MODEL_S_TIS_TLS;
	td = model_cmd_find(c, MODEL_TD, (uint32_t)PRM_GET(tisc, tisc, transport_domain));
	if (!td)
		return c->why;
	if (pdn) {
		pd = model_cmd_find(c, MODEL_PD, pdn);
		if (!pd)
			return c->why;
	}
	if (tls) {
		context = model_tls_new();
		if (!context)
			return MODEL_S_NO_MEMORY;
	}
	tis = model_cmd_new(c, MODEL_TIS, sizeof(*tis), 1);
	if (!tis) {
		model_tls_free(context);
		return c->why;
	}
	tis->tls = context;
	tis->td = td->o.id;
	tis->pd = pdn;
	tis->tls_en = tls;
	tis->prio = (uint8_t)PRM_GET(tisc, tisc, prio);
	model_obj_use(&tis->o, &td->o);
	if (pd)
		model_obj_use(&tis->o, &pd->o);
	PRM_SET(create_tis_out, c->out, tisn, tis->o.id);
	return MODEL_S_OK;
}

enum model_synd model_do_DESTROY_TIS(struct model_cmd *c)
{
	return model_cmd_destroy(c, MODEL_TIS, (uint32_t)PRM_GET(destroy_tis_in, c->in, tisn));
}

enum model_synd model_do_MODIFY_TIS(struct model_cmd *c)
{
	struct model_tis *tis =
		model_cmd_find(c, MODEL_TIS, (uint32_t)PRM_GET(modify_tis_in, c->in, tisn));
	const uint8_t *tisc = PRM_AT(modify_tis_in, c->in, ctx);

	if (!tis)
		return c->why;
	if (PRM_GET(modify_tis_in, c->in, bitmask) != PRM_MODIFY_TIS_PRIO)
		return MODEL_S_TIS_SELECT;
	tis->prio = (uint8_t)PRM_GET(tisc, tisc, prio);
	return MODEL_S_OK;
}

enum model_synd model_do_QUERY_TIS(struct model_cmd *c)
{
	const struct model_tis *tis =
		model_cmd_find(c, MODEL_TIS, (uint32_t)PRM_GET(query_tis_in, c->in, tisn));
	uint8_t *tisc = PRM_AT(query_tis_out, c->out, tis_context);

	if (!tis)
		return c->why;
	PRM_SET(tisc, tisc, tls_en, tis->tls_en);
	PRM_SET(tisc, tisc, prio, tis->prio);
	PRM_SET(tisc, tisc, transport_domain, tis->td);
	PRM_SET(tisc, tisc, pd, tis->pd);
	return MODEL_S_OK;
}
