// SPDX-License-Identifier: BSD-2-Clause
/*
 * Completion and receive queues: packets are scattered into receive WQEs, CQEs are written. Send queues: sq.c.
 *
 *   frame -> RX steering -> TIR -> [rss.c] -> RQ ring -> scatter -> CQE
 *
 * Rings and data are the host's memory and may change at any time: a WQE is copied once, then checked, then executed.
 *
 * Barriers. The host writes WQEs, then the doorbell record: the record is read with acquire, the WQEs after it. A
 * CQE's body and a received packet's bytes are written before op_own, which is stored with release; the host reads
 * op_own with acquire and sees the rest.
 *
 * Errors. The failing WQE gets an error CQE, the queue goes to ERR, and later WQEs are flushed (syndrome 5) when the
 * queue was created with flush_in_error_en. Reset and ready again by MODIFY.
 *
 * Locks: dev->objs for reading, then the queue's, then the CQ's, then the port's. Events are raised with no queue or
 * CQ lock held. Sources: mlx5dv.h and Linux mlx5/qp.h, mlx5/device.h for the formats.
 */
#include "queue.h"

#include <string.h>

enum { DS = PRM_WQE_DS, ETH_HLEN = 14, LKEY_END = 0x100, CQ_INDEX_MASK = 0xffffff };

void model_events_raise(struct model_dev *dev, const struct model_events *ev)
{
	for (unsigned int i = 0; i < ev->n && dev->host.event; i++)
		dev->host.event(dev->host.ctx, ev->e[i].type, ev->e[i].number);
}

/* -- CQ ------------------------------------------------------------------------------------------------- */

void model_cq_write(struct model_cq *cq, uint8_t cqe[MODEL_CQE_BYTES], uint8_t opcode,
		    struct model_events *ev)
{
	uint32_t size = UINT32_C(1) << cq->log_size;
	uint8_t *slot;

	pthread_mutex_lock(&cq->lock);
	if (!cq->overrun && ((cq->pi - model_dbrec(cq->dbrec, 0)) & CQ_INDEX_MASK) >= size) {
		cq->overrun = true;
		model_event_add(ev, PRM_EVENT_TYPE_CODING_CQ_ERROR, cq->o.id);
	}
	if (!cq->overrun) {
		uint8_t owner = (cq->pi >> cq->log_size) & 1;

		slot = cq->ring + (size_t)(cq->pi & (size - 1)) * MODEL_CQE_BYTES;
		memcpy(slot, cqe, MODEL_CQE_BYTES - 1);
		/* release: the host that sees the owner bit sees the CQE and the packet */
		__atomic_store_n(slot + MODEL_CQE_BYTES - 1, (uint8_t)(opcode << 4 | owner),
				 __ATOMIC_RELEASE);
		cq->pi++;
	}
	pthread_mutex_unlock(&cq->lock);
}

void model_err_cqe(uint8_t cqe[MODEL_CQE_BYTES], uint8_t wqe_op, uint32_t qn, uint32_t user_index,
		   uint16_t index, struct model_failure f)
{
	PRM_SET(err_cqe, cqe, srqn, user_index);
	PRM_SET(err_cqe, cqe, vendor_err_synd, f.vendor);
	PRM_SET(err_cqe, cqe, syndrome, f.syndrome);
	PRM_SET(err_cqe, cqe, s_wqe_opcode_qpn, (uint32_t)wqe_op << 24 | qn);
	PRM_SET(err_cqe, cqe, wqe_counter, index);
}

void model_cq_error(struct model_cq *cq, uint8_t cqe_op, uint8_t wqe_op, uint32_t qn,
		    uint32_t user_index, uint16_t index, struct model_failure f,
		    struct model_events *ev)
{
	uint8_t cqe[MODEL_CQE_BYTES] = {0};

	model_err_cqe(cqe, wqe_op, qn, user_index, index, f);
	model_cq_write(cq, cqe, cqe_op, ev);
}

/* -- RQ ------------------------------------------------------------------------------------------------- */

/* Spread the packet over the receive WQE's segments. */
static struct model_failure scatter(struct model_dev *dev, const struct model_rq *rq,
				    const struct model_pkt *p)
{
	uint32_t stride = UINT32_C(1) << rq->log_stride;
	const uint8_t *ring =
		rq->ring + (size_t)(rq->ci & ((UINT32_C(1) << rq->log_size) - 1)) * stride;
	size_t done = 0;

	for (uint32_t at = 0; at + DS <= stride && done < p->len; at += DS) {
		uint8_t seg[DS], *to;
		uint32_t n, lkey;

		memcpy(seg, ring + at, DS);
		n = (uint32_t)PRM_GET(wqe_data_seg, seg, byte_count) & 0x7fffffff;
		lkey = (uint32_t)PRM_GET(wqe_data_seg, seg, lkey);
		if (lkey == LKEY_END)
			break;
		if (n > p->len - done)
			n = (uint32_t)(p->len - done);
		if (n == 0)
			continue;
		to = model_mem(dev, rq->pd, lkey, PRM_GET(wqe_data_seg, seg, addr), n, true);
		if (!to)
			return FAIL(LOCAL_PROT, V_LKEY);
		memcpy(to, p->data + done, n);
		done += n;
	}
	return done == p->len ? OK : FAIL(LOCAL_LENGTH, V_SCATTER);
}

static void rq_done(struct model_rq *rq, const struct model_pkt *p, struct model_hash hash,
		    struct model_events *ev)
{
	uint8_t cqe[MODEL_CQE_BYTES] = {0};
	struct model_pkt_sum sum;

	model_pkt_verify(p, &sum);
	PRM_SET(cqe64, cqe, wqe_id, rq->ci);
	PRM_SET(cqe64, cqe, rss_hash_result, hash.value);
	PRM_SET(cqe64, cqe, rss_hash_type, hash.type);
	PRM_SET(cqe64, cqe, check_sum, sum.check_sum);
	PRM_SET(cqe64, cqe, flags_rqpn, rq->o.id);
	PRM_SET(cqe64, cqe, hds_ip_ext, sum.hds_ip_ext);
	PRM_SET(cqe64, cqe, l4_l3_hdr_type, sum.l4_l3_hdr_type);
	PRM_SET(cqe64, cqe, srqn_uidx, rq->user_index);
	PRM_SET(cqe64, cqe, ft_metadata, p->reg_b);
	PRM_SET(cqe64, cqe, byte_cnt, p->len);
	PRM_SET(cqe64, cqe, sop_drop_qpn, p->flow_tag & 0xffffff);
	PRM_SET(cqe64, cqe, wqe_counter, rq->ci);
	model_cq_write(rq->cq, cqe, PRM_CQE_OP_RESP_SEND, ev);
}

static void rq_fail(struct model_rq *rq, struct model_failure f, struct model_events *ev)
{
	model_cq_error(rq->cq, PRM_CQE_OP_RESP_ERR, 0, rq->o.id, rq->user_index, rq->ci, f, ev);
	atomic_store(&rq->state, MODEL_Q_ERR);
	model_event_add(ev,
			f.syndrome == PRM_CQE_SYND_LOCAL_PROT
				? PRM_EVENT_TYPE_CODING_LOCAL_ACCESS_VIOLATION_WQ_ERROR
				: PRM_EVENT_TYPE_CODING_LOCAL_WQ_CATASTROPHIC_ERROR,
			rq->o.id);
}

/* What is posted to a queue in ERR ends unused. More than a ring of it is not to be believed, and passed over. */
static void rq_flush(struct model_rq *rq, struct model_events *ev)
{
	uint16_t posted = (uint16_t)((uint16_t)model_dbrec(rq->dbrec, 0) - rq->ci);

	if (!rq->flush_in_error || posted > UINT32_C(1) << rq->log_size)
		return;
	for (; posted; posted--, rq->ci++)
		model_cq_error(rq->cq, PRM_CQE_OP_RESP_ERR, 0, rq->o.id, rq->user_index, rq->ci,
			       FAIL(WR_FLUSH, V_FLUSH), ev);
}

void model_rq_flush(struct model_dev *dev, struct model_rq *rq)
{
	struct model_events ev = {.n = 0};

	pthread_mutex_lock(&rq->lock);
	rq_flush(rq, &ev);
	pthread_mutex_unlock(&rq->lock);
	model_events_raise(dev, &ev);
}

static void rq_take(struct model_dev *dev, struct model_rq *rq, const struct model_pkt *p,
		    struct model_hash hash, struct model_events *ev)
{
	uint16_t posted = (uint16_t)((uint16_t)model_dbrec(rq->dbrec, 0) - rq->ci);
	struct model_failure f;

	if (atomic_load(&rq->state) != MODEL_Q_RDY) {
		model_count_drop(dev, MODEL_DROP_RX_QUEUE_STATE);
		if (atomic_load(&rq->state) == MODEL_Q_ERR)
			rq_flush(rq, ev);
		return;
	}
	if (posted == 0) {
		atomic_fetch_add_explicit(&rq->out_of_buffer, 1, memory_order_relaxed);
		model_count_drop(dev, MODEL_DROP_RX_NO_BUFFER);
		return;
	}
	f = posted > UINT32_C(1) << rq->log_size ? FAIL(LOCAL_QP_OP, V_DOORBELL)
						 : scatter(dev, rq, p);
	if (f.syndrome) {
		rq_fail(rq, f, ev);
		model_count_drop(dev, MODEL_DROP_RX_QUEUE_STATE);
	} else {
		rq_done(rq, p, hash, ev);
	}
	rq->ci++;
	if (f.syndrome)
		rq_flush(rq, ev);
}

void model_rx_deliver(struct model_dev *dev, const struct model_pkt *p, struct model_tir *tir)
{
	struct model_events ev = {.n = 0};
	struct model_hash hash = {0, 0};
	struct model_rq *rq = tir->rq;

	if (!rq) {
		hash = model_rss_hash(&tir->rss, p);
		rq = tir->rqt->rq[model_rss_index(&tir->rss, hash.value, tir->rqt->n)];
	}
	pthread_mutex_lock(&rq->lock);
	rq_take(dev, rq, p, hash, &ev);
	pthread_mutex_unlock(&rq->lock);
	model_events_raise(dev, &ev);
}

void model_rx_frame(struct model_dev *dev, const uint8_t *frame, size_t len)
{
	struct model_pkt p; /* not zeroed on purpose */
	struct model_tir *tir;

	if (len < ETH_HLEN || len > MODEL_MAX_FRAME) {
		model_count_drop(dev, MODEL_DROP_RX_LENGTH);
		return;
	}
	if (atomic_load_explicit(&dev->dead, memory_order_relaxed)) {
		model_count_drop(dev, MODEL_DROP_RX_DEAD);
		return;
	}
	atomic_fetch_add_explicit(&dev->rx_packets, 1, memory_order_relaxed);
	atomic_fetch_add_explicit(&dev->rx_bytes, len, memory_order_relaxed);
	model_pkt_init(&p, false);
	memcpy(p.data, frame, len);
	p.len = len;
	model_pkt_parse(&p);
	pthread_rwlock_rdlock(&dev->objs);
	if (model_steer(dev, &p, &tir) == MODEL_TO_TIR)
		model_rx_deliver(dev, &p, tir);
	pthread_rwlock_unlock(&dev->objs);
}
