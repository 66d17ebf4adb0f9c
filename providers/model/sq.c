// SPDX-License-Identifier: BSD-2-Clause
/*
 * Send queues: WQEs are fetched from their ring, executed in order, completed.
 *
 *   doorbell -> ring -> SEND, TSO: send.c -> TX steering -> port
 *                  |    UMR, SET_PSV, GET_PSV, DUMP: tls_wqe.c
 *                  `-> CQE
 *
 * Rings and data are the host's memory and may change at any time: a WQE is copied once, then checked, then executed.
 *
 * Barriers. The host writes WQEs, then the doorbell record, then rings: the record is read with acquire, the WQEs
 * after it.
 *
 * WQEs are executed one by one, so a fence has nothing to wait for but updates of TLS contexts: tls_wqe.c.
 *
 * Errors. The failing WQE gets an error CQE whether it asked for one or not, the queue goes to ERR, and later WQEs
 * are flushed (syndrome 5) when the queue was created with flush_in_error_en. Reset and ready again by MODIFY. A CQ
 * that is overrun stops the queue, too, found when the queue has run.
 *
 * Locks: dev->objs for reading, then the queue's, then the CQ's, then the port's. Events are raised with no queue or
 * CQ lock held. Sources: mlx5dv.h and Linux mlx5/qp.h, mlx5/device.h for the formats.
 */
#include "queue.h"

#include <string.h>

enum { BB = PRM_WQE_BB, DS = PRM_WQE_DS };

/* Copy n basic blocks from the ring, wrapping at its end. */
static void ring_copy(const struct model_sq *sq, uint16_t index, uint8_t *to, unsigned int nbb)
{
	uint32_t mask = (UINT32_C(1) << sq->log_size) - 1;

	for (unsigned int i = 0; i < nbb; i++)
		memcpy(to + (size_t)i * BB, sq->ring + (size_t)((index + i) & mask) * BB, BB);
}

struct model_failure model_sq_fetch(const struct model_dev *dev, const struct model_sq *sq,
				    uint16_t index, uint16_t posted, struct model_wqe *w)
{
	uint8_t fm_ce_se;

	ring_copy(sq, index, w->b, 1);
	w->opcode = (uint8_t)PRM_GET(wqe_ctrl_seg, w->b, opcode);
	w->ds = (unsigned int)PRM_GET(wqe_ctrl_seg, w->b, ds);
	w->opmod = (uint8_t)PRM_GET(wqe_ctrl_seg, w->b, opmod);
	w->tisn = (uint32_t)PRM_GET(wqe_ctrl_seg, w->b, tis_tir_num);
	w->index = index;
	fm_ce_se = (uint8_t)PRM_GET(wqe_ctrl_seg, w->b, fm_ce_se);
	w->signal = fm_ce_se & PRM_WQE_CE_CQ_UPDATE;
	w->fenced = (fm_ce_se & MODEL_WQE_FENCE_MASK) == PRM_WQE_FENCE_INITIATOR_SMALL;
	w->nbb = (w->ds * DS + BB - 1) / BB;
	if (w->ds == 0 || w->ds * DS > dev->profile.max_wqe_sz_sq || w->nbb > posted) {
		w->nbb = 1;
		return FAIL(LOCAL_QP_OP, V_DS);
	}
	if (w->nbb > 1)
		ring_copy(sq, (uint16_t)(index + 1), w->b + BB, w->nbb - 1);
	if (PRM_GET(wqe_ctrl_seg, w->b, wqe_index) != index)
		return FAIL(LOCAL_QP_OP, V_INDEX);
	if (PRM_GET(wqe_ctrl_seg, w->b, qpn) != sq->o.id)
		return FAIL(LOCAL_QP_OP, V_QPN);
	return OK;
}

struct model_tis *model_sq_tis(struct model_dev *dev, const struct model_sq *sq, uint32_t tisn)
{
	struct model_tis *tis = (struct model_tis *)model_obj_find(dev, MODEL_TIS, tisn);

	return tis && tis->o.uid == sq->o.uid && tis->td == sq->td ? tis : NULL;
}

static struct model_failure execute(struct model_dev *dev, struct model_sq *sq,
				    const struct model_wqe *w, uint16_t posted, struct model_pkt *p)
{
	if (w->fenced)
		model_tls_land(dev, sq);
	switch (w->opcode) {
	case PRM_WQE_OP_NOP: return OK;
	case PRM_WQE_OP_SEND:
	case PRM_WQE_OP_TSO: return model_sq_send(dev, sq, w, posted, p);
	case PRM_WQE_OP_UMR: return model_tls_static(dev, sq, w);
	case PRM_WQE_OP_SET_PSV: return model_tls_progress(dev, sq, w);
	case PRM_WQE_OP_GET_PSV: return model_tls_get(dev, sq, w);
	case PRM_WQE_OP_DUMP: return model_tls_dump(dev, sq, w, posted, p);
	default: return FAIL(LOCAL_QP_OP, V_OPCODE);
	}
}

static void sq_done(struct model_dev *dev, struct model_sq *sq, const struct model_wqe *w,
		    struct model_events *ev)
{
	uint8_t cqe[MODEL_CQE_BYTES] = {0};
	uint64_t now = model_now(dev);

	PRM_SET(cqe64, cqe, srqn_uidx, sq->user_index);
	PRM_SET(cqe64, cqe, sop_drop_qpn, (uint32_t)w->opcode << 24 | sq->o.id);
	PRM_SET(cqe64, cqe, timestamp, now > sq->departs ? now : sq->departs);
	PRM_SET(cqe64, cqe, wqe_counter, sq->ci);
	model_sq_cqe(dev, sq, cqe, PRM_CQE_OP_REQ, ev);
}

static void sq_fail(struct model_dev *dev, struct model_sq *sq, const struct model_wqe *w,
		    struct model_failure f, struct model_events *ev)
{
	uint8_t cqe[MODEL_CQE_BYTES] = {0};

	model_err_cqe(cqe, w->opcode, sq->o.id, sq->user_index, sq->ci, f);
	model_sq_cqe(dev, sq, cqe, PRM_CQE_OP_REQ_ERR, ev);
	model_tls_forget(dev, sq);
	if (atomic_exchange(&sq->state, MODEL_Q_ERR) == MODEL_Q_RDY)
		model_event_add(ev,
				f.syndrome == PRM_CQE_SYND_LOCAL_PROT
					? PRM_EVENT_TYPE_CODING_LOCAL_ACCESS_VIOLATION_WQ_ERROR
					: PRM_EVENT_TYPE_CODING_INVALID_REQUEST_LOCAL_WQ_ERROR,
				MODEL_EVENT_SQ, sq->o.id);
}

/* One WQE at sq->ci, or what is left of one. */
static void sq_step(struct model_dev *dev, struct model_sq *sq, uint16_t posted,
		    struct model_pkt *p, struct model_events *ev)
{
	struct model_wqe w;
	struct model_failure f = model_sq_fetch(dev, sq, sq->ci, posted, &w);

	model_wire_begin();
	if (atomic_load(&sq->state) == MODEL_Q_ERR)
		f = FAIL(WR_FLUSH, V_FLUSH);
	else if (!f.syndrome)
		f = execute(dev, sq, &w, posted, p);
	if (model_wire_end() > sq->departs)
		sq->departs = model_wire_end();
	if (f.syndrome)
		sq_fail(dev, sq, &w, f, ev);
	else if (w.signal)
		sq_done(dev, sq, &w, ev);
	sq->ci = (uint16_t)(sq->ci + w.nbb);
}

/* Nobody can be told any more. */
static void sq_overrun(struct model_dev *dev, struct model_sq *sq, struct model_events *ev)
{
	if (atomic_exchange(&sq->state, MODEL_Q_ERR) != MODEL_Q_RDY)
		return;
	model_tls_forget(dev, sq);
	model_event_add(ev, PRM_EVENT_TYPE_CODING_LOCAL_WQ_CATASTROPHIC_ERROR, MODEL_EVENT_SQ,
			sq->o.id);
}

static bool sq_runs(struct model_sq *sq)
{
	int state = atomic_load(&sq->state);

	return state == MODEL_Q_RDY || (state == MODEL_Q_ERR && sq->flush_in_error);
}

static void sq_run(struct model_dev *dev, struct model_sq *sq, struct model_events *ev)
{
	uint16_t pi = (uint16_t)model_dbrec(sq->dbrec, 1);
	struct model_pkt p; /* not zeroed on purpose: 10 KB per doorbell */

	sq->ahead.valid = false;
	if ((uint16_t)(pi - sq->ci) > UINT32_C(1) << sq->log_size) {
		struct model_wqe none = {.opcode = PRM_WQE_OP_NOP};

		sq_fail(dev, sq, &none, FAIL(LOCAL_QP_OP, V_DOORBELL), ev);
		sq->ci = pi;
	}
	while (sq->ci != pi && sq_runs(sq) && !atomic_load(&sq->cq->overrun))
		sq_step(dev, sq, (uint16_t)(pi - sq->ci), &p, ev);
	if (atomic_load(&sq->cq->overrun))
		sq_overrun(dev, sq, ev);
}

void model_sq_flush(struct model_dev *dev, struct model_sq *sq)
{
	struct model_events ev = {.n = 0};

	pthread_mutex_lock(&sq->lock);
	if (sq_runs(sq))
		sq_run(dev, sq, &ev);
	pthread_mutex_unlock(&sq->lock);
	model_events_raise(dev, &ev);
}

void model_sq_ring(struct model_dev *dev, uint32_t uar_page, uint32_t sqn)
{
	struct model_events ev = {.n = 0};
	struct model_sq *sq;

	pthread_rwlock_rdlock(&dev->objs);
	sq = (struct model_sq *)model_obj_find(dev, MODEL_SQ, sqn);
	if (sq && sq->uar_page == uar_page) {
		pthread_mutex_lock(&sq->lock);
		if (sq_runs(sq))
			sq_run(dev, sq, &ev);
		pthread_mutex_unlock(&sq->lock);
	}
	pthread_rwlock_unlock(&dev->objs);
	model_events_raise(dev, &ev);
}
