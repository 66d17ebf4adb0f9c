// SPDX-License-Identifier: BSD-2-Clause
/*
 * Completion queues: CQEs into the ring, overrun, and one event per arming.
 *
 *   queue ── CQE ──> ring ── armed? ──> COMP event, once          doorbell record: [0] consumer index
 *
 * Arming. The host writes the arm word (sequence number, command, consumer index) to its record and then to the UAR.
 * The doorbell arms: the event comes with the next CQE, or at once when there are CQEs that the host has not seen. A
 * face that does not see stores to the UAR compares records itself and calls model_cq_ring() for it.
 *
 * Barriers. A CQE's body is written before op_own, which is stored with release; the host reads op_own with acquire
 * and sees the rest.
 *
 * Overrun. A full CQ takes no CQE any more; queues that complete into it stop (sq.c, queue.c).
 *
 * Locks: cq->lock, taken inside the queues'. Source: Linux mlx5/cq.h (arm word), libmlx5's mlx5_arm_cq().
 */
#include "queue.h"

#include <string.h>

enum { INDEX_MASK = 0xffffff, ARM_SOLICITED_ONLY = 1 << 24 };

static uint32_t to_read(const struct model_cq *cq, uint32_t ci)
{
	return (cq->pi - ci) & INDEX_MASK;
}

/* cq->lock is held; an error counts as solicited, nothing else does on Ethernet */
static void notify(struct model_cq *cq, bool solicited, struct model_events *ev)
{
	if (!cq->armed || (cq->solicited_only && !solicited))
		return;
	cq->armed = false;
	cq->notified = cq->pi;
	model_event_add(ev, PRM_EVENT_TYPE_CODING_COMPLETION_EVENTS, MODEL_EVENT_OTHER, cq->o.id);
}

void model_cq_write(struct model_cq *cq, uint8_t cqe[MODEL_CQE_BYTES], uint8_t opcode,
		    struct model_events *ev)
{
	uint32_t size = UINT32_C(1) << cq->log_size;
	uint8_t *slot;

	pthread_mutex_lock(&cq->lock);
	if (!cq->overrun && to_read(cq, model_dbrec(cq->dbrec, 0)) >= size) {
		cq->overrun = true;
		model_event_add(ev, PRM_EVENT_TYPE_CODING_CQ_ERROR, MODEL_EVENT_OTHER, cq->o.id);
	}
	if (!cq->overrun) {
		uint8_t owner = (cq->pi >> cq->log_size) & 1;

		slot = cq->ring + (size_t)(cq->pi & (size - 1)) * MODEL_CQE_BYTES;
		memcpy(slot, cqe, MODEL_CQE_BYTES - 1);
		/* release: the host that sees the owner bit sees the CQE and the packet */
		__atomic_store_n(slot + MODEL_CQE_BYTES - 1, (uint8_t)(opcode << 4 | owner),
				 __ATOMIC_RELEASE);
		cq->pi++;
		notify(cq, opcode == PRM_CQE_OP_REQ_ERR || opcode == PRM_CQE_OP_RESP_ERR, ev);
	}
	pthread_mutex_unlock(&cq->lock);
}

void model_cq_ring(struct model_dev *dev, uint32_t uar_page, uint32_t cqn, uint32_t word)
{
	struct model_events ev = {.n = 0};
	struct model_cq *cq;

	pthread_rwlock_rdlock(&dev->objs);
	cq = (struct model_cq *)model_obj_find(dev, MODEL_CQ, cqn);
	if (cq && cq->uar_page == uar_page) {
		pthread_mutex_lock(&cq->lock);
		cq->armed = true;
		cq->solicited_only = word & ARM_SOLICITED_ONLY;
		if (to_read(cq, word & INDEX_MASK) && !cq->overrun)
			notify(cq, false, &ev);
		pthread_mutex_unlock(&cq->lock);
	}
	pthread_rwlock_unlock(&dev->objs);
	model_events_raise(dev, &ev);
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
