// SPDX-License-Identifier: BSD-2-Clause
/*
 * Send queues: WQEs are fetched from their ring, executed in order, completed.
 *
 *   doorbell -> ring -> SEND: inline header + segments -> checksums -> TX steering -> port
 *                  `-> CQE                                                 `-> TIR of RX rules
 *
 * Rings and data are the host's memory and may change at any time: a WQE is copied once, then checked, then executed.
 *
 * Barriers. The host writes WQEs, then the doorbell record, then rings: the record is read with acquire, the WQEs
 * after it.
 *
 * Errors. The failing WQE gets an error CQE whether it asked for one or not, the queue goes to ERR, and later WQEs
 * are flushed (syndrome 5) when the queue was created with flush_in_error_en. Reset and ready again by MODIFY.
 *
 * Locks: dev->objs for reading, then the queue's, then the CQ's, then the port's. Events are raised with no queue or
 * CQ lock held. Sources: mlx5dv.h and Linux mlx5/qp.h, mlx5/device.h for the formats.
 */
#include "queue.h"

#include <string.h>

enum { BB = PRM_WQE_BB, DS = PRM_WQE_DS, MAX_DS = 63, CTRL_DS = 1, ETH_INLINE_START = 14 };

struct model_wqe {
	uint8_t b[(MAX_DS + 1) * DS]; /* copy, unwrapped; whole basic blocks */
	unsigned int ds;
	unsigned int nbb;
	uint8_t opcode;
	bool signal;
};

/* Copy n basic blocks from the ring, wrapping at its end. */
static void ring_copy(const struct model_sq *sq, uint16_t index, uint8_t *to, unsigned int nbb)
{
	uint32_t mask = (UINT32_C(1) << sq->log_size) - 1;

	for (unsigned int i = 0; i < nbb; i++)
		memcpy(to + (size_t)i * BB, sq->ring + (size_t)((index + i) & mask) * BB, BB);
}

/* Fetch and check what every WQE has. `posted`: basic blocks up to the doorbell. nbb is set in any case. */
static struct model_failure fetch(const struct model_dev *dev, const struct model_sq *sq,
				  uint16_t index, uint16_t posted, struct model_wqe *w)
{
	ring_copy(sq, index, w->b, 1);
	w->opcode = (uint8_t)PRM_GET(wqe_ctrl_seg, w->b, opcode);
	w->ds = (unsigned int)PRM_GET(wqe_ctrl_seg, w->b, ds);
	w->signal = PRM_GET(wqe_ctrl_seg, w->b, fm_ce_se) & PRM_WQE_CE_CQ_UPDATE;
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

static struct model_failure append(struct model_pkt *p, const uint8_t *bytes, size_t n)
{
	if (n > MODEL_MAX_FRAME - p->len)
		return FAIL(LOCAL_LENGTH, V_LONG);
	memcpy(p->data + p->len, bytes, n);
	p->len += n;
	return OK;
}

/* Data segments from byte `at` of the WQE: pointers, or inline bytes padded to 16. */
static struct model_failure gather(struct model_dev *dev, const struct model_sq *sq,
				   const struct model_wqe *w, size_t at, struct model_pkt *p)
{
	size_t end = (size_t)w->ds * DS;

	while (at < end) {
		const uint8_t *seg = w->b + at, *bytes = seg + 4;
		uint32_t n = (uint32_t)PRM_GET(wqe_inline_seg, seg, byte_count);
		struct model_failure f;

		if (n == 0)
			return FAIL(LOCAL_LENGTH, V_SEGMENT);
		if (PRM_GET(wqe_inline_seg, seg, inline_flag)) {
			if (n > end - at - 4)
				return FAIL(LOCAL_QP_OP, V_SEGMENT);
			at += (4 + (size_t)n + DS - 1) / DS * DS;
		} else {
			if (n > MODEL_MAX_FRAME)
				return FAIL(LOCAL_LENGTH, V_LONG);
			bytes = model_mem(dev, sq->pd, (uint32_t)PRM_GET(wqe_data_seg, seg, lkey),
					  PRM_GET(wqe_data_seg, seg, addr), n, false);
			if (!bytes)
				return FAIL(LOCAL_PROT, V_LKEY);
			at += DS;
		}
		f = append(p, bytes, n);
		if (f.syndrome)
			return f;
	}
	return OK;
}

/* Build the frame of a SEND. */
static struct model_failure build(struct model_dev *dev, const struct model_sq *sq,
				  const struct model_wqe *w, struct model_pkt *p)
{
	const uint8_t *eth = w->b + CTRL_DS * DS;
	size_t end = (size_t)w->ds * DS, hdr, at;
	struct model_failure f;

	if (w->ds < CTRL_DS + 1)
		return FAIL(LOCAL_QP_OP, V_DS);
	hdr = PRM_GET(wqe_eth_seg, eth, inline_hdr_sz);
	if (hdr < sq->min_inline)
		return FAIL(LOCAL_QP_OP, V_INLINE_MIN);
	/* two inline bytes lie in the segment itself, the others follow it, padded to 16 */
	at = DS + (ETH_INLINE_START + (hdr > 2 ? hdr : 2) + DS - 1) / DS * DS;
	if (at > end)
		return FAIL(LOCAL_QP_OP, V_INLINE_LEN);
	model_pkt_init(p, true);
	p->sqn = sq->o.id;
	p->reg_a = (uint32_t)PRM_GET(wqe_eth_seg, eth, flow_table_metadata);
	f = append(p, eth + ETH_INLINE_START, hdr);
	if (!f.syndrome)
		f = gather(dev, sq, w, at, p);
	if (!f.syndrome && p->len < ETH_INLINE_START)
		f = FAIL(LOCAL_LENGTH, V_SHORT);
	return f;
}

static bool good_tis(const struct model_sq *sq, const struct model_tis *tis)
{
	return tis && tis->o.uid == sq->o.uid && tis->td == sq->td && !tis->tls_en;
}

static struct model_failure send(struct model_dev *dev, const struct model_sq *sq,
				 const struct model_wqe *w, struct model_pkt *p)
{
	uint32_t tisn = (uint32_t)PRM_GET(wqe_ctrl_seg, w->b, tis_tir_num);
	struct model_tir *tir;
	struct model_failure f;

	/* a TIS of TLS has no context here: what it is to encrypt must not leave in clear */
	if (tisn && !good_tis(sq, (struct model_tis *)model_obj_find(dev, MODEL_TIS, tisn)))
		return FAIL(LOCAL_QP_OP, V_TIS);
	f = build(dev, sq, w, p);
	if (f.syndrome)
		return f;
	model_pkt_parse(p);
	model_pkt_csum(p, (uint8_t)PRM_GET(wqe_eth_seg, w->b + DS, cs_flags));
	if (model_steer(dev, p, &tir) == MODEL_TO_WIRE)
		model_port_send(dev->port, p->data, p->len);
	return OK;
}

static struct model_failure execute(struct model_dev *dev, struct model_sq *sq,
				    const struct model_wqe *w, struct model_pkt *p)
{
	switch (w->opcode) {
	case PRM_WQE_OP_NOP: return OK;
	case PRM_WQE_OP_SEND: return send(dev, sq, w, p);
	default: return FAIL(LOCAL_QP_OP, V_OPCODE);
	}
}

static void sq_done(struct model_sq *sq, const struct model_wqe *w, struct model_events *ev)
{
	uint8_t cqe[MODEL_CQE_BYTES] = {0};

	PRM_SET(cqe64, cqe, srqn_uidx, sq->user_index);
	PRM_SET(cqe64, cqe, sop_drop_qpn, (uint32_t)w->opcode << 24 | sq->o.id);
	PRM_SET(cqe64, cqe, wqe_counter, sq->ci);
	model_cq_write(sq->cq, cqe, PRM_CQE_OP_REQ, ev);
}

static void sq_fail(struct model_sq *sq, const struct model_wqe *w, struct model_failure f,
		    struct model_events *ev)
{
	model_cq_error(sq->cq, PRM_CQE_OP_REQ_ERR, w->opcode, sq->o.id, sq->user_index, sq->ci, f,
		       ev);
	if (atomic_exchange(&sq->state, MODEL_Q_ERR) == MODEL_Q_RDY)
		model_event_add(ev,
				f.syndrome == PRM_CQE_SYND_LOCAL_PROT
					? PRM_EVENT_TYPE_CODING_LOCAL_ACCESS_VIOLATION_WQ_ERROR
					: PRM_EVENT_TYPE_CODING_INVALID_REQUEST_LOCAL_WQ_ERROR,
				sq->o.id);
}

/* One WQE at sq->ci, or what is left of one. */
static void sq_step(struct model_dev *dev, struct model_sq *sq, uint16_t posted,
		    struct model_pkt *p, struct model_events *ev)
{
	struct model_wqe w;
	struct model_failure f = fetch(dev, sq, sq->ci, posted, &w);

	if (atomic_load(&sq->state) == MODEL_Q_ERR)
		f = FAIL(WR_FLUSH, V_FLUSH);
	else if (!f.syndrome)
		f = execute(dev, sq, &w, p);
	if (f.syndrome)
		sq_fail(sq, &w, f, ev);
	else if (w.signal)
		sq_done(sq, &w, ev);
	sq->ci = (uint16_t)(sq->ci + w.nbb);
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

	if ((uint16_t)(pi - sq->ci) > UINT32_C(1) << sq->log_size) {
		struct model_wqe none = {.opcode = PRM_WQE_OP_NOP};

		sq_fail(sq, &none, FAIL(LOCAL_QP_OP, V_DOORBELL), ev);
		sq->ci = pi;
	}
	while (sq->ci != pi && sq_runs(sq))
		sq_step(dev, sq, (uint16_t)(pi - sq->ci), &p, ev);
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
