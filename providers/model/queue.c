// SPDX-License-Identifier: BSD-2-Clause
/*
 * Queues: send WQEs are executed from their ring, packets are scattered into receive WQEs, CQEs are written.
 *
 *   doorbell -> SQ ring -> SEND: inline header + segments -> checksums -> TX steering -> port
 *                       `-> CQE                                               `-> TIR of RX rules
 *   frame -> RX steering -> TIR -> RQ ring -> scatter -> CQE
 *
 * Rings and data are the host's memory and may change at any time: a WQE is copied once, then checked, then executed.
 *
 * Barriers. The host writes WQEs, then the doorbell record, then rings: the record is read with acquire, the WQEs
 * after it. A CQE's body and a received packet's bytes are written before op_own, which is stored with release; the
 * host reads op_own with acquire and sees the rest.
 *
 * Errors. The failing WQE gets an error CQE whether it asked for one or not, the queue goes to ERR, and later WQEs
 * are flushed (syndrome 5) when the queue was created with flush_in_error_en. Reset and ready again by MODIFY.
 *
 * Locks: dev->objs for reading, then the queue's, then the CQ's, then the port's. Events are raised with no queue or
 * CQ lock held. Sources: mlx5dv.h and Linux mlx5/qp.h, mlx5/device.h for the formats.
 */
#include "model.h"

#include <string.h>

enum { BB = PRM_WQE_BB, DS = PRM_WQE_DS, MAX_DS = 63, CTRL_DS = 1, ETH_INLINE_START = 14 };
enum { LKEY_END = 0x100, CQE_BYTES = 64, CQ_INDEX_MASK = 0xffffff };

/* Vendor error syndromes of the model, so that equal CQE syndromes can be told apart. Shown by `help errors`. */
enum vendor_synd {
	V_NONE,
	V_OPCODE = 0x01,     /* the model does not execute this opcode */
	V_DS = 0x02,	     /* ds count 0, above the limit, or more than was posted */
	V_INDEX = 0x03,	     /* wqe_index is not the position in the queue */
	V_QPN = 0x04,	     /* qpn is not this queue */
	V_TIS = 0x05,	     /* no such TIS of this user and transport domain, or one of TLS */
	V_INLINE_MIN = 0x06, /* fewer inline header bytes than the queue requires */
	V_INLINE_LEN = 0x07, /* inline bytes run out of the WQE, or flags in inline_hdr_sz */
	V_SEGMENT = 0x08,    /* a segment is empty or runs out of the WQE */
	V_LKEY = 0x09,	     /* no such key, other PD, outside of its region, or no permission */
	V_SHORT = 0x0a,	     /* frame shorter than an Ethernet header */
	V_LONG = 0x0b,	     /* frame longer than any frame may be */
	V_DOORBELL = 0x0c,   /* doorbell record runs more than a ring ahead */
	V_SCATTER = 0x0d,    /* receive WQE has too little room */
	V_FLUSH = 0x0e,
};

struct failure {
	uint8_t syndrome, vendor; /* PRM_CQE_SYND_*, enum vendor_synd */
};

#define OK ((struct failure){0, V_NONE})
#define FAIL(synd, v) ((struct failure){PRM_CQE_SYND_##synd, (v)})

/* What to tell the host once all locks of rank 3 and above are free. */
struct events {
	struct {
		uint8_t type;
		uint32_t number;
	} e[4];
	unsigned int n;
};

static void event_add(struct events *ev, uint8_t type, uint32_t number)
{
	if (ev->n < sizeof(ev->e) / sizeof(ev->e[0])) {
		ev->e[ev->n].type = type;
		ev->e[ev->n++].number = number;
	}
}

static void events_raise(struct model_dev *dev, const struct events *ev)
{
	for (unsigned int i = 0; i < ev->n && dev->host.event; i++)
		dev->host.event(dev->host.ctx, ev->e[i].type, ev->e[i].number);
}

static void count_drop(struct model_dev *dev, enum model_drop why)
{
	atomic_fetch_add_explicit(&dev->drop[why], 1, memory_order_relaxed);
}

/* Counter of a doorbell record; acquire: what it announces is read after it. */
static uint32_t read_dbrec(const uint8_t *dbrec, int index)
{
	uint32_t be = __atomic_load_n((const uint32_t *)(const void *)(dbrec + 4 * index),
				      __ATOMIC_ACQUIRE);

	return __builtin_bswap32(be);
}

/* -- CQ ------------------------------------------------------------------------------------------------- */

/* Write one CQE. A full CQ is overrun: it takes no CQE any more and the host is told. */
static void cq_write(struct model_cq *cq, uint8_t cqe[CQE_BYTES], uint8_t opcode, struct events *ev)
{
	uint32_t size = UINT32_C(1) << cq->log_size;
	uint8_t *slot;

	pthread_mutex_lock(&cq->lock);
	if (!cq->overrun && ((cq->pi - read_dbrec(cq->dbrec, 0)) & CQ_INDEX_MASK) >= size) {
		cq->overrun = true;
		event_add(ev, PRM_EVENT_TYPE_CODING_CQ_ERROR, cq->o.id);
	}
	if (!cq->overrun) {
		uint8_t owner = (cq->pi >> cq->log_size) & 1;

		slot = cq->ring + (size_t)(cq->pi & (size - 1)) * CQE_BYTES;
		memcpy(slot, cqe, CQE_BYTES - 1);
		/* release: the host that sees the owner bit sees the CQE and the packet */
		__atomic_store_n(slot + CQE_BYTES - 1, (uint8_t)(opcode << 4 | owner),
				 __ATOMIC_RELEASE);
		cq->pi++;
	}
	pthread_mutex_unlock(&cq->lock);
}

static void cq_error(struct model_cq *cq, uint8_t cqe_op, uint8_t wqe_op, uint32_t qn,
		     uint32_t user_index, uint16_t index, struct failure f, struct events *ev)
{
	uint8_t cqe[CQE_BYTES] = {0};

	PRM_SET(err_cqe, cqe, srqn, user_index);
	PRM_SET(err_cqe, cqe, vendor_err_synd, f.vendor);
	PRM_SET(err_cqe, cqe, syndrome, f.syndrome);
	PRM_SET(err_cqe, cqe, s_wqe_opcode_qpn, (uint32_t)wqe_op << 24 | qn);
	PRM_SET(err_cqe, cqe, wqe_counter, index);
	cq_write(cq, cqe, cqe_op, ev);
}

/* -- SQ ------------------------------------------------------------------------------------------------- */

struct wqe {
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
static struct failure fetch(const struct model_dev *dev, const struct model_sq *sq, uint16_t index,
			    uint16_t posted, struct wqe *w)
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

static struct failure append(struct model_pkt *p, const uint8_t *bytes, size_t n)
{
	if (n > MODEL_MAX_FRAME - p->len)
		return FAIL(LOCAL_LENGTH, V_LONG);
	memcpy(p->data + p->len, bytes, n);
	p->len += n;
	return OK;
}

/* Data segments from byte `at` of the WQE: pointers, or inline bytes padded to 16. */
static struct failure gather(struct model_dev *dev, const struct model_sq *sq, const struct wqe *w,
			     size_t at, struct model_pkt *p)
{
	size_t end = (size_t)w->ds * DS;

	while (at < end) {
		const uint8_t *seg = w->b + at, *bytes = seg + 4;
		uint32_t n = (uint32_t)PRM_GET(wqe_inline_seg, seg, byte_count);
		struct failure f;

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
static struct failure build(struct model_dev *dev, const struct model_sq *sq, const struct wqe *w,
			    struct model_pkt *p)
{
	const uint8_t *eth = w->b + CTRL_DS * DS;
	size_t end = (size_t)w->ds * DS, hdr, at;
	struct failure f;

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

static struct failure send(struct model_dev *dev, const struct model_sq *sq, const struct wqe *w,
			   struct model_pkt *p)
{
	uint32_t tisn = (uint32_t)PRM_GET(wqe_ctrl_seg, w->b, tis_tir_num);
	struct model_tir *tir;
	struct failure f;

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

static struct failure execute(struct model_dev *dev, struct model_sq *sq, const struct wqe *w,
			      struct model_pkt *p)
{
	switch (w->opcode) {
	case PRM_WQE_OP_NOP: return OK;
	case PRM_WQE_OP_SEND: return send(dev, sq, w, p);
	default: return FAIL(LOCAL_QP_OP, V_OPCODE);
	}
}

static void sq_done(struct model_sq *sq, const struct wqe *w, struct events *ev)
{
	uint8_t cqe[CQE_BYTES] = {0};

	PRM_SET(cqe64, cqe, srqn_uidx, sq->user_index);
	PRM_SET(cqe64, cqe, sop_drop_qpn, (uint32_t)w->opcode << 24 | sq->o.id);
	PRM_SET(cqe64, cqe, wqe_counter, sq->ci);
	cq_write(sq->cq, cqe, PRM_CQE_OP_REQ, ev);
}

static void sq_fail(struct model_sq *sq, const struct wqe *w, struct failure f, struct events *ev)
{
	cq_error(sq->cq, PRM_CQE_OP_REQ_ERR, w->opcode, sq->o.id, sq->user_index, sq->ci, f, ev);
	if (atomic_exchange(&sq->state, MODEL_Q_ERR) == MODEL_Q_RDY)
		event_add(ev,
			  f.syndrome == PRM_CQE_SYND_LOCAL_PROT
				  ? PRM_EVENT_TYPE_CODING_LOCAL_ACCESS_VIOLATION_WQ_ERROR
				  : PRM_EVENT_TYPE_CODING_INVALID_REQUEST_LOCAL_WQ_ERROR,
			  sq->o.id);
}

/* One WQE at sq->ci, or what is left of one. */
static void sq_step(struct model_dev *dev, struct model_sq *sq, uint16_t posted,
		    struct model_pkt *p, struct events *ev)
{
	struct wqe w;
	struct failure f = fetch(dev, sq, sq->ci, posted, &w);

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

static void sq_run(struct model_dev *dev, struct model_sq *sq, struct events *ev)
{
	uint16_t pi = (uint16_t)read_dbrec(sq->dbrec, 1);
	struct model_pkt p; /* not zeroed on purpose: 10 KB per doorbell */

	if ((uint16_t)(pi - sq->ci) > UINT32_C(1) << sq->log_size) {
		struct wqe none = {.opcode = PRM_WQE_OP_NOP};

		sq_fail(sq, &none, FAIL(LOCAL_QP_OP, V_DOORBELL), ev);
		sq->ci = pi;
	}
	while (sq->ci != pi && sq_runs(sq))
		sq_step(dev, sq, (uint16_t)(pi - sq->ci), &p, ev);
}

void model_sq_ring(struct model_dev *dev, uint32_t uar_page, uint32_t sqn)
{
	struct events ev = {.n = 0};
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
	events_raise(dev, &ev);
}

/* -- RQ ------------------------------------------------------------------------------------------------- */

/* Spread the packet over the receive WQE's segments. */
static struct failure scatter(struct model_dev *dev, const struct model_rq *rq,
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

static void rq_done(struct model_rq *rq, const struct model_pkt *p, struct events *ev)
{
	uint8_t cqe[CQE_BYTES] = {0};
	struct model_pkt_sum sum;

	model_pkt_verify(p, &sum);
	PRM_SET(cqe64, cqe, wqe_id, rq->ci);
	PRM_SET(cqe64, cqe, check_sum, sum.check_sum);
	PRM_SET(cqe64, cqe, flags_rqpn, rq->o.id);
	PRM_SET(cqe64, cqe, hds_ip_ext, sum.hds_ip_ext);
	PRM_SET(cqe64, cqe, l4_l3_hdr_type, sum.l4_l3_hdr_type);
	PRM_SET(cqe64, cqe, srqn_uidx, rq->user_index);
	PRM_SET(cqe64, cqe, ft_metadata, p->reg_b);
	PRM_SET(cqe64, cqe, byte_cnt, p->len);
	PRM_SET(cqe64, cqe, sop_drop_qpn, p->flow_tag & 0xffffff);
	PRM_SET(cqe64, cqe, wqe_counter, rq->ci);
	cq_write(rq->cq, cqe, PRM_CQE_OP_RESP_SEND, ev);
}

static void rq_fail(struct model_rq *rq, struct failure f, struct events *ev)
{
	cq_error(rq->cq, PRM_CQE_OP_RESP_ERR, 0, rq->o.id, rq->user_index, rq->ci, f, ev);
	atomic_store(&rq->state, MODEL_Q_ERR);
	event_add(ev,
		  f.syndrome == PRM_CQE_SYND_LOCAL_PROT
			  ? PRM_EVENT_TYPE_CODING_LOCAL_ACCESS_VIOLATION_WQ_ERROR
			  : PRM_EVENT_TYPE_CODING_LOCAL_WQ_CATASTROPHIC_ERROR,
		  rq->o.id);
}

/* What is posted to a queue in ERR ends unused. More than a ring of it is not to be believed, and passed over. */
static void rq_flush(struct model_rq *rq, struct events *ev)
{
	uint16_t posted = (uint16_t)((uint16_t)read_dbrec(rq->dbrec, 0) - rq->ci);

	if (!rq->flush_in_error || posted > UINT32_C(1) << rq->log_size)
		return;
	for (; posted; posted--, rq->ci++)
		cq_error(rq->cq, PRM_CQE_OP_RESP_ERR, 0, rq->o.id, rq->user_index, rq->ci,
			 FAIL(WR_FLUSH, V_FLUSH), ev);
}

void model_rq_flush(struct model_dev *dev, struct model_rq *rq)
{
	struct events ev = {.n = 0};

	pthread_mutex_lock(&rq->lock);
	rq_flush(rq, &ev);
	pthread_mutex_unlock(&rq->lock);
	events_raise(dev, &ev);
}

static void rq_take(struct model_dev *dev, struct model_rq *rq, const struct model_pkt *p,
		    struct events *ev)
{
	uint16_t posted = (uint16_t)((uint16_t)read_dbrec(rq->dbrec, 0) - rq->ci);
	struct failure f;

	if (atomic_load(&rq->state) != MODEL_Q_RDY) {
		count_drop(dev, MODEL_DROP_RX_QUEUE_STATE);
		if (atomic_load(&rq->state) == MODEL_Q_ERR)
			rq_flush(rq, ev);
		return;
	}
	if (posted == 0) {
		atomic_fetch_add_explicit(&rq->out_of_buffer, 1, memory_order_relaxed);
		count_drop(dev, MODEL_DROP_RX_NO_BUFFER);
		return;
	}
	f = posted > UINT32_C(1) << rq->log_size ? FAIL(LOCAL_QP_OP, V_DOORBELL)
						 : scatter(dev, rq, p);
	if (f.syndrome) {
		rq_fail(rq, f, ev);
		count_drop(dev, MODEL_DROP_RX_QUEUE_STATE);
	} else {
		rq_done(rq, p, ev);
	}
	rq->ci++;
	if (f.syndrome)
		rq_flush(rq, ev);
}

void model_rx_deliver(struct model_dev *dev, const struct model_pkt *p, struct model_tir *tir)
{
	struct events ev = {.n = 0};

	pthread_mutex_lock(&tir->rq->lock);
	rq_take(dev, tir->rq, p, &ev);
	pthread_mutex_unlock(&tir->rq->lock);
	events_raise(dev, &ev);
}

void model_rx_frame(struct model_dev *dev, const uint8_t *frame, size_t len)
{
	struct model_pkt p; /* not zeroed on purpose */
	struct model_tir *tir;

	if (len < ETH_INLINE_START || len > MODEL_MAX_FRAME) {
		count_drop(dev, MODEL_DROP_RX_LENGTH);
		return;
	}
	if (atomic_load_explicit(&dev->dead, memory_order_relaxed)) {
		count_drop(dev, MODEL_DROP_RX_DEAD);
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
