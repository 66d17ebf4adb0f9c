// SPDX-License-Identifier: BSD-2-Clause
/* Send WQEs, byte by byte. */
#include "queues/send.h"
#include "prm/prm.h"

#include <string.h>

enum { DS = PRM_WQE_DS, BB = PRM_WQE_BB, HDR_IN_SEG = 2, CTRL_DS = 1, ETH_DS = 1 };

/* DS of the inline bytes behind the Ethernet segment, which has the first two itself. */
static unsigned int inline_ds(unsigned int len)
{
	return len > HDR_IN_SEG ? (len - HDR_IN_SEG + DS - 1) / DS : 0;
}

static unsigned int blocks(unsigned int ds)
{
	return (ds * DS + BB - 1) / BB;
}

unsigned int queue_send_ds(unsigned int inline_len, unsigned int nsegs)
{
	return CTRL_DS + ETH_DS + inline_ds(inline_len) + nsegs;
}

unsigned int queue_send_blocks(unsigned int inline_len, unsigned int nsegs)
{
	return blocks(queue_send_ds(inline_len, nsegs));
}

void queue_wqe_ctrl(uint8_t *ctrl, const struct queue_wqe *w, uint8_t opcode, unsigned int ds)
{
	PRM_SET(wqe_ctrl_seg, ctrl, wqe_index, w->index);
	PRM_SET(wqe_ctrl_seg, ctrl, opcode, opcode);
	PRM_SET(wqe_ctrl_seg, ctrl, qpn, w->sqn);
	PRM_SET(wqe_ctrl_seg, ctrl, ds, ds);
	PRM_SET(wqe_ctrl_seg, ctrl, fm_ce_se,
		(w->signal ? PRM_WQE_CE_CQ_UPDATE : 0) |
			(w->fence ? PRM_WQE_FENCE_INITIATOR_SMALL : 0));
	PRM_SET(wqe_ctrl_seg, ctrl, tis_tir_num, w->tisn);
}

unsigned int queue_wqe_send(uint8_t *to, const struct queue_send *send)
{
	unsigned int hdr_ds = inline_ds(send->inline_len);
	unsigned int ds = queue_send_ds(send->inline_len, send->nsegs);
	uint8_t *eth = to + CTRL_DS * DS, *seg = eth + (size_t)(ETH_DS + hdr_ds) * DS;

	memset(to, 0, (size_t)blocks(ds) * BB);
	queue_wqe_ctrl(to, &send->wqe, send->mss ? PRM_WQE_OP_TSO : PRM_WQE_OP_SEND, ds);
	PRM_SET(wqe_eth_seg, eth, cs_flags, send->cs_flags);
	PRM_SET(wqe_eth_seg, eth, mss, send->mss);
	PRM_SET(wqe_eth_seg, eth, inline_hdr_sz, send->inline_len);
	if (send->inline_len)
		memcpy(PRM_AT(wqe_eth_seg, eth, inline_hdr_start), send->inline_hdr,
		       send->inline_len);
	for (unsigned int i = 0; i < send->nsegs; i++, seg += DS) {
		PRM_SET(wqe_data_seg, seg, byte_count, send->seg[i].len);
		PRM_SET(wqe_data_seg, seg, lkey, send->seg[i].lkey);
		PRM_SET(wqe_data_seg, seg, addr, send->seg[i].addr);
	}
	return blocks(ds);
}

unsigned int queue_wqe_nop(uint8_t *to, const struct queue_wqe *nop)
{
	memset(to, 0, BB);
	queue_wqe_ctrl(to, nop, PRM_WQE_OP_NOP, CTRL_DS);
	return 1;
}
