// SPDX-License-Identifier: BSD-2-Clause
/* Receiving: buffers, completions, recovery. The picture is in rx.h. One thread at a time. */
#include "queues/rx.h"
#include "objects/error.h"

#include <limits.h>
#include <string.h>

enum { CACHE_LINE = 64, LOG_WQE = 4, DBREC_RECEIVE = 0, FLOW_TAG = 0xffffff };

/* -- making one ---------------------------------------------------------------------------------------------- */

static uint8_t *buffer_of(const struct queue_rx *rx, uint16_t index)
{
	return rx->buffers->addr + (size_t)(index & rx->ring.mask) * rx->slot;
}

/* Each WQE is one data segment and stays as it is for good. */
static void write_wqes(struct queue_rx *rx)
{
	for (uint32_t i = 0; i <= rx->ring.mask; i++) {
		uint8_t *seg = queue_ring_entry(&rx->ring, i);

		PRM_SET(wqe_data_seg, seg, byte_count, rx->slot);
		PRM_SET(wqe_data_seg, seg, lkey, rx->buffers->mr.lkey);
		PRM_SET(wqe_data_seg, seg, addr, (uintptr_t)buffer_of(rx, (uint16_t)i));
	}
}

static void post(struct queue_rx *rx, uint32_t n)
{
	rx->pi = (uint16_t)(rx->pi + n);
	queue_ring_publish(&rx->ring, DBREC_RECEIVE, rx->pi);
}

static int make_queue(struct queue_rx *rx)
{
	struct obj_rq_attr attr = {.log_size = rx->ring.log_size,
				   .log_stride = LOG_WQE,
				   .cq = &rx->cq.obj,
				   .umem_id = rx->ring.mem->umem.id,
				   .dbr_offset = queue_ring_dbr_offset(&rx->ring)};
	int err = queue_cq_init(&rx->cq, rx->dev, rx->ring.log_size);

	if (!err)
		err = obj_rq_create(rx->dev, &attr, &rx->rq);
	if (!err)
		err = obj_rq_move(rx->dev, &rx->rq, PRM_RQC_STATE_RST, PRM_RQC_STATE_RDY);
	if (!err)
		err = obj_tir_create(rx->dev, &rx->rq, &rx->tir);
	return err;
}

int queue_rx_init(struct queue_rx *rx, struct mlxo_device *dev, unsigned int log_entries,
		  uint32_t max_frame)
{
	int err;

	memset(rx, 0, sizeof(*rx));
	rx->dev = dev;
	rx->slot = (max_frame + CACHE_LINE - 1) & ~(uint32_t)(CACHE_LINE - 1);
	err = queue_ring_init(&rx->ring, dev, log_entries, LOG_WQE);
	if (!err)
		err = obj_region_create_mr(dev, (size_t)rx->slot << log_entries, &rx->buffers);
	if (!err) {
		write_wqes(rx);
		err = make_queue(rx);
	}
	if (!err)
		post(rx, rx->ring.mask + 1);
	return err;
}

/* The first failure counts, the rest is destroyed all the same. */
static int first(int err, int next)
{
	return err ? err : next;
}

int queue_rx_fini(struct queue_rx *rx)
{
	int err = obj_tir_destroy(rx->dev, &rx->tir);

	err = first(err, obj_rq_destroy(rx->dev, &rx->rq));
	err = first(err, queue_cq_fini(&rx->cq, rx->dev));
	obj_region_destroy(rx->dev, rx->buffers);
	queue_ring_fini(&rx->ring, rx->dev);
	return err;
}

/* -- completions --------------------------------------------------------------------------------------------- */

static void hand_over(struct queue_rx *rx, const uint8_t *cqe, mlxo_rx_fn fn, void *ctx)
{
	uint8_t ok = (uint8_t)PRM_GET(cqe64, cqe, hds_ip_ext);
	struct mlxo_rx_frame frame = {
		.data = buffer_of(rx, (uint16_t)PRM_GET(cqe64, cqe, wqe_counter)),
		.len = PRM_GET(cqe64, cqe, byte_cnt),
		.flow_tag = PRM_GET(cqe64, cqe, sop_drop_qpn) & FLOW_TAG,
		.ft_metadata = (uint32_t)PRM_GET(cqe64, cqe, ft_metadata),
		.l3_ok = ok & PRM_CQE_L3_OK,
		.l4_ok = ok & PRM_CQE_L4_OK,
	};

	rx->stats.packets++;
	rx->stats.bytes += frame.len;
	fn(ctx, &frame);
}

static void fail(struct queue_rx *rx, const uint8_t *cqe)
{
	uint8_t syndrome = (uint8_t)PRM_GET(err_cqe, cqe, syndrome);
	const char *name = prm_constant_name("CQE_SYND_", syndrome);

	rx->stats.errors++;
	rx->failed = true;
	obj_log(MLXO_LOG_WARN, "receive queue %u failed: %s (syndrome 0x%x, vendor 0x%x)",
		rx->rq.obj.id, name ? name : "unknown syndrome", syndrome,
		(unsigned int)PRM_GET(err_cqe, cqe, vendor_err_synd));
}

int queue_rx_poll(struct queue_rx *rx, int max, mlxo_rx_fn fn, void *ctx)
{
	const uint8_t *cqe;
	uint8_t opcode;
	int frames = 0;
	uint32_t done = 0;

	while (frames < max && (cqe = queue_cq_next(&rx->cq, &opcode))) {
		if (opcode == PRM_CQE_OP_RESP_SEND) {
			hand_over(rx, cqe, fn, ctx);
			frames++;
		} else {
			fail(rx, cqe);
		}
		done++;
	}
	if (done) {
		/* the CQE first: a buffer that is posted again may complete at once and needs room for its own */
		queue_cq_update(&rx->cq);
		post(rx, done);
	}
	return frames;
}

/* -- recovery ------------------------------------------------------------------------------------------------ */

static void ignore(void *ctx, const struct mlxo_rx_frame *frame)
{
	(void)ctx;
	(void)frame;
}

int queue_rx_recover(struct queue_rx *rx)
{
	uint8_t state;
	int err;

	if (!rx->failed)
		return 0;
	err = obj_rq_query_state(rx->dev, &rx->rq, &state);
	if (!err && state != PRM_RQC_STATE_RST)
		err = obj_rq_move(rx->dev, &rx->rq, state, PRM_RQC_STATE_RST);
	if (err)
		return err;
	/* no more CQEs come; those that wait name buffers of the old count */
	queue_rx_poll(rx, INT_MAX, ignore, NULL);
	/* in RST the device counts from 0; the record must say so before it looks at it again */
	rx->pi = 0;
	queue_ring_publish(&rx->ring, DBREC_RECEIVE, 0);
	err = obj_rq_move(rx->dev, &rx->rq, PRM_RQC_STATE_RST, PRM_RQC_STATE_RDY);
	if (err)
		return err;
	post(rx, rx->ring.mask + 1);
	rx->failed = false;
	return 0;
}
