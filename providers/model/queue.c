// SPDX-License-Identifier: BSD-2-Clause
/*
 * Receive queues: packets are scattered into receive WQEs and completed. Send queues: sq.c, completions: cq.c.
 *
 *   frame -> RX steering -> TIR -> [rss.c] -> RQ ring -> scatter -> CQE
 *
 * Rings and data are the host's memory and may change at any time: a WQE is copied once, then checked, then executed.
 *
 * Barriers. The host writes WQEs, then the doorbell record: the record is read with acquire, the WQEs after it. A
 * received packet's bytes are written before its CQE.
 *
 * VLAN. A queue without vsd takes the outer 802.1Q tag out of the frame and shows it in the CQE. Everything else in the
 * CQE is of the frame as it came.
 *
 * Errors. The failing WQE gets an error CQE, the queue goes to ERR, and later WQEs are flushed (syndrome 5) when the
 * queue was created with flush_in_error_en. Reset and ready again by MODIFY. A CQ that is overrun stops the queue, too.
 *
 * Locks: dev->objs for reading, then the queue's, then the CQ's, then the port's. Events are raised with no queue or
 * CQ lock held. Sources: mlx5dv.h and Linux mlx5/qp.h, mlx5/device.h for the formats.
 */
#include "queue.h"

#include <string.h>

enum { DS = PRM_WQE_DS, ETH_HLEN = 14, LKEY_END = 0x100, TAG = 4, TAG_AT = 12 };

void model_events_raise(struct model_dev *dev, const struct model_events *ev)
{
	for (unsigned int i = 0; i < ev->n && dev->host.event; i++)
		dev->host.event(dev->host.ctx, ev->e[i].type, ev->e[i].of, ev->e[i].number);
}

/* -- RQ ------------------------------------------------------------------------------------------------- */

/* What the host gets of a packet: two pieces, because a VLAN tag may be cut out. */
struct arrival {
	const struct model_pkt *p;
	struct model_hash hash;
	size_t head, tail_at, len; /* bytes before the cut, offset behind it, bytes without it */
	uint16_t tci;		   /* of the tag that was cut */
	bool stripped;
};

static struct arrival arrive(const struct model_rq *rq, const struct model_pkt *p,
			     struct model_hash hash)
{
	struct arrival a = {.p = p, .hash = hash, .head = p->len, .tail_at = p->len, .len = p->len};

	if (rq->strip && p->len >= TAG_AT + TAG + 2 && prm_get(p->data, TAG_AT * 8, 16) == 0x8100) {
		a.stripped = true;
		a.head = TAG_AT;
		a.tail_at = TAG_AT + TAG;
		a.len -= TAG;
		a.tci = (uint16_t)prm_get(p->data, TAG_AT * 8 + 16, 16);
	}
	return a;
}

/* n bytes from `from` on, the cut skipped. */
static void copy_out(const struct arrival *a, size_t from, uint8_t *to, size_t n)
{
	if (from < a->head) {
		size_t m = a->head - from < n ? a->head - from : n;

		memcpy(to, a->p->data + from, m);
		from += m;
		to += m;
		n -= m;
	}
	if (n)
		memcpy(to, a->p->data + a->tail_at + (from - a->head), n);
}

/* Spread the packet over the receive WQE's segments. */
static struct model_failure scatter(struct model_dev *dev, const struct model_rq *rq,
				    const struct arrival *a)
{
	uint32_t stride = UINT32_C(1) << rq->log_stride;
	const uint8_t *ring =
		rq->ring + (size_t)(rq->ci & ((UINT32_C(1) << rq->log_size) - 1)) * stride;
	size_t done = 0;

	for (uint32_t at = 0; at + DS <= stride && done < a->len; at += DS) {
		uint8_t seg[DS], *to;
		uint32_t n, lkey;

		memcpy(seg, ring + at, DS);
		n = (uint32_t)PRM_GET(wqe_data_seg, seg, byte_count) & 0x7fffffff;
		lkey = (uint32_t)PRM_GET(wqe_data_seg, seg, lkey);
		if (lkey == LKEY_END)
			break;
		if (n > a->len - done)
			n = (uint32_t)(a->len - done);
		if (n == 0)
			continue;
		to = model_mem(dev, rq->pd, lkey, PRM_GET(wqe_data_seg, seg, addr), n, true);
		if (!to)
			return FAIL(LOCAL_PROT, V_LKEY);
		copy_out(a, done, to, n);
		done += n;
	}
	return done == a->len ? OK : FAIL(LOCAL_LENGTH, V_SCATTER);
}

static void rq_done(const struct model_dev *dev, struct model_rq *rq, const struct arrival *a,
		    struct model_events *ev)
{
	uint8_t cqe[MODEL_CQE_BYTES] = {0};
	const struct model_pkt *p = a->p;
	struct model_pkt_sum sum;

	model_pkt_verify(p, &sum);
	PRM_SET(cqe64, cqe, wqe_id, rq->ci);
	PRM_SET(cqe64, cqe, rss_hash_result, a->hash.value);
	PRM_SET(cqe64, cqe, rss_hash_type, a->hash.type);
	PRM_SET(cqe64, cqe, check_sum, sum.check_sum);
	PRM_SET(cqe64, cqe, flags_rqpn, rq->o.id);
	PRM_SET(cqe64, cqe, hds_ip_ext, sum.hds_ip_ext);
	PRM_SET(cqe64, cqe, l4_l3_hdr_type, sum.l4_l3_hdr_type | a->stripped);
	PRM_SET(cqe64, cqe, vlan_info, a->tci);
	PRM_SET(cqe64, cqe, srqn_uidx, rq->user_index);
	PRM_SET(cqe64, cqe, ft_metadata, p->reg_b);
	PRM_SET(cqe64, cqe, byte_cnt, a->len);
	PRM_SET(cqe64, cqe, timestamp, model_now(dev));
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
			MODEL_EVENT_RQ, rq->o.id);
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

static void rq_take(struct model_dev *dev, struct model_rq *rq, const struct arrival *a,
		    struct model_events *ev)
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
		if (rq->counter)
			atomic_fetch_add_explicit(&rq->counter->out_of_buffer, 1,
						  memory_order_relaxed);
		model_count_drop(dev, MODEL_DROP_RX_NO_BUFFER);
		return;
	}
	f = posted > UINT32_C(1) << rq->log_size ? FAIL(LOCAL_QP_OP, V_DOORBELL)
						 : scatter(dev, rq, a);
	if (f.syndrome) {
		rq_fail(rq, f, ev);
		model_count_drop(dev, MODEL_DROP_RX_QUEUE_STATE);
	} else {
		rq_done(dev, rq, a, ev);
	}
	rq->ci++;
	if (f.syndrome)
		rq_flush(rq, ev);
	else if (atomic_load(&rq->cq->overrun) &&
		 atomic_exchange(&rq->state, MODEL_Q_ERR) == MODEL_Q_RDY)
		model_event_add(ev, PRM_EVENT_TYPE_CODING_LOCAL_WQ_CATASTROPHIC_ERROR,
				MODEL_EVENT_RQ, rq->o.id);
}

void model_rx_deliver(struct model_dev *dev, const struct model_pkt *p, struct model_tir *tir)
{
	struct model_events ev = {.n = 0};
	struct model_hash hash = {0, 0};
	struct model_rq *rq = tir->rq;
	struct arrival a;

	if (!rq) {
		hash = model_rss_hash(&tir->rss, p);
		rq = tir->rqt->rq[model_rss_index(&tir->rss, hash.value, tir->rqt->n)];
	}
	a = arrive(rq, p, hash);
	pthread_mutex_lock(&rq->lock);
	rq_take(dev, rq, &a, &ev);
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
	model_count_frame(dev, false, frame, len);
	model_pkt_init(&p, false);
	memcpy(p.data, frame, len);
	p.len = len;
	model_pkt_parse(&p);
	pthread_rwlock_rdlock(&dev->objs);
	if (model_steer(dev, &p, &tir) == MODEL_TO_TIR)
		model_rx_deliver(dev, &p, tir);
	pthread_rwlock_unlock(&dev->objs);
}
