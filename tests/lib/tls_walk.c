// SPDX-License-Identifier: BSD-2-Clause
/* Reading a ring. Shares layouts with the code under test, but not what it believes to have written. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <string.h>

#include "tests/lib/tls_walk.h"
#include "prm/prm.h"

enum { BB = 64, DS = 16, PARAMS_AT = 128, ETH_AT = 16, SEG_AT = 16, L3_TYPE_AT = 12 };

static void see_tisn(struct tls_walk *w, uint32_t tisn)
{
	if (w->tisn && tisn != w->tisn)
		w->one_tisn = false;
	w->tisn = tisn;
}

static char see_static(struct tls_walk *w, const uint8_t *wqe)
{
	const uint8_t *params = wqe + PARAMS_AT;

	w->rec_no = PRM_GET(tls_static_params, params, initial_record_number);
	w->dek = (uint32_t)PRM_GET(tls_static_params, params, dek_index);
	memcpy(w->iv, PRM_AT(tls_static_params, params, gcm_iv), sizeof(w->iv));
	return 'S';
}

static char see_dump(struct tls_walk *w, const uint8_t *wqe)
{
	uint32_t n = (uint32_t)PRM_GET(wqe_data_seg, wqe + SEG_AT, byte_count);

	w->dump_bytes += n;
	if (n > w->longest_dump)
		w->longest_dump = n;
	return 'D';
}

static char see_send(struct tls_walk *w, const uint8_t *wqe, uint32_t tisn, bool tso)
{
	const uint8_t *eth = wqe + ETH_AT, *hdr = PRM_AT(wqe_eth_seg, eth, inline_hdr_start);
	uint8_t want = hdr[L3_TYPE_AT] == 0x86 ? PRM_WQE_ETH_CSUM_L4
					       : PRM_WQE_ETH_CSUM_L4 | PRM_WQE_ETH_CSUM_L3;

	w->csum &= (uint8_t)PRM_GET(wqe_eth_seg, eth, cs_flags) == want;
	return tisn ? (tso ? 'L' : 'T') : (tso ? 'K' : 'C');
}

static char see(struct tls_walk *w, const uint8_t *wqe)
{
	uint32_t tisn = (uint32_t)PRM_GET(wqe_ctrl_seg, wqe, tis_tir_num);
	uint8_t opcode = (uint8_t)PRM_GET(wqe_ctrl_seg, wqe, opcode);

	if (opcode == PRM_WQE_OP_SET_PSV)
		tisn = (uint32_t)PRM_GET(wqe_set_psv_seg, wqe + SEG_AT, tis_tir_num);
	if (tisn)
		see_tisn(w, tisn);
	switch (opcode) {
	case PRM_WQE_OP_UMR: return see_static(w, wqe);
	case PRM_WQE_OP_SET_PSV: return 'P';
	case PRM_WQE_OP_NOP: return 'N';
	case PRM_WQE_OP_DUMP: return see_dump(w, wqe);
	case PRM_WQE_OP_SEND: return see_send(w, wqe, tisn, false);
	case PRM_WQE_OP_TSO: return see_send(w, wqe, tisn, true);
	default: fail_msg("opcode 0x%x in the ring", opcode); return '?';
	}
}

void tls_walk(const struct mlxo_tls_queue *q, uint64_t from, struct tls_walk *w)
{
	const struct queue_sq *sq = &q->sq;

	memset(w, 0, sizeof(*w));
	w->one_tisn = w->csum = true;
	while (from < sq->posted) {
		const uint8_t *wqe = queue_ring_entry(&sq->ring, (uint32_t)from);
		uint32_t ds = (uint32_t)PRM_GET(wqe_ctrl_seg, wqe, ds),
			 blocks = (ds * DS + BB - 1) / BB;
		uint8_t flags = (uint8_t)PRM_GET(wqe_ctrl_seg, wqe, fm_ce_se);
		char c = see(w, wqe);

		assert_int_equal(PRM_GET(wqe_ctrl_seg, wqe, wqe_index), from & 0xffff);
		assert_int_equal(PRM_GET(wqe_ctrl_seg, wqe, qpn), sq->obj.obj.id);
		assert_true(blocks && (from & sq->ring.mask) + blocks <= sq->ring.mask + 1);
		if (flags & PRM_WQE_FENCE_INITIATOR_SMALL)
			c = (char)(c | 0x20);
		if (flags & PRM_WQE_CE_CQ_UPDATE && !w->signalled++)
			w->first_signal = w->n;
		if (w->n < sizeof(w->text) - 1)
			w->text[w->n] = c;
		w->n++;
		w->blocks += blocks;
		from += blocks;
	}
	assert_int_equal(from, sq->posted);
	if (!w->signalled)
		w->first_signal = w->n;
}
