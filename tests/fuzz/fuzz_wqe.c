// SPDX-License-Identifier: BSD-2-Clause
/*
 * Arbitrary bytes in the ring of a live SQ, on a model whose rules encrypt, whose port leads back to itself and whose
 * receive side decrypts: whatever lies in the ring, the device answers with CQEs and stays alive.
 *
 * Input: byte 0 how many blocks the doorbell announces (modulo 20; the ring has 16), byte 1 flags, then the blocks.
 * Flags: 1 fill in index and queue number of each block but those inside of a UMR, 2 turn the key 1 in any unit into a pointer to good memory, 4
 * turn TIS number 1 and key index 1 into those of a TLS context. All let mutations reach what lies behind those checks.
 */
#include <string.h>

#include "lib/raw.h"

enum { LOG_SQ = 4, BLOCKS = 1 << LOG_SQ, RX_AT = RAW_ARENA / 2, RX_BYTES = 10240 };

static struct raw r;
static struct raw_sq sq;
static struct raw_rq rq;
static uint32_t tls_tisn, tls_dekn;

static void make_rules(void)
{
	static const uint8_t spi[16] = {0, 0, 1, 0}, key[16] = {1};
	static uint8_t mask[512], value[512];
	struct raw_table tx = raw_table(&r, PRM_FLOW_TABLE_TYPE_NIC_TX, 1);
	struct raw_table out = raw_table(&r, PRM_FLOW_TABLE_TYPE_NIC_TX, 2);
	struct raw_table rx = raw_table(&r, PRM_FLOW_TABLE_TYPE_NIC_RX, 1);
	uint32_t dekn = raw_dek(&r, key, 16, NULL);
	struct raw_rule pass = {.action = PRM_FLOW_CONTEXT_ACTION_ALLOW};
	struct raw_rule seal = {
		.action = PRM_FLOW_CONTEXT_ACTION_FWD_DEST |
			  PRM_FLOW_CONTEXT_ACTION_PACKET_REFORMAT |
			  PRM_FLOW_CONTEXT_ACTION_CRYPTO_ENCRYPT,
		.enable = 1,
		.mask = mask,
		.value = value,
		.to_table = &out,
	};
	struct raw_rule all = {.action = PRM_FLOW_CONTEXT_ACTION_FWD_DEST, .to_tir = rq.tirn};
	uint8_t *m = PRM_AT(fte_match_param, mask, outer_headers),
		*v = PRM_AT(fte_match_param, value, outer_headers);

	PRM_SET(fte_match_set_lyr_2_4, m, ip_version, 15);
	PRM_SET(fte_match_set_lyr_2_4, v, ip_version, 4);
	seal.ipsec = raw_ipsec(&r, dekn, true, 1);
	seal.reformat = raw_reformat(&r, PRM_REFORMAT_TYPE_ADD_ESP_TRANSPORT_OVER_IPV4, spi, 16);
	raw_rule(&r, &out, 0, &pass);
	raw_rule(&r, &tx, 0, &seal);
	PRM_SET(fte_match_set_lyr_2_4, v, ip_version, 6);
	seal.ipsec = raw_ipsec(&r, dekn, true, 1);
	seal.reformat = raw_reformat(&r, PRM_REFORMAT_TYPE_ADD_ESP_TRANSPORT_OVER_IPV6, spi, 16);
	raw_rule(&r, &tx, 1, &seal);
	raw_rule(&r, &rx, 0, &all);
	raw_attach(&r, &tx, &sq);
	raw_attach(&r, &rx, NULL);
}

static void start(void)
{
	raw_open(&r, "model:port=loop");
	raw_sq(&r, &sq, LOG_SQ, 6);
	raw_rq(&r, &rq, 4, 6);
	make_rules();
	tls_tisn = raw_tls_tis(&r, NULL);
	tls_dekn = raw_tls_dek(&r, r.data, 16, NULL);
	for (unsigned int i = 0; i < RX_AT; i++)
		r.data[i] = (uint8_t)(i * 5);
}

/* Wherever such a number may stand in a block; a third block of a UMR has static parameters. */
static void fix_tls(uint8_t *block)
{
	if (PRM_GET(wqe_ctrl_seg, block, tis_tir_num) == 1)
		PRM_SET(wqe_ctrl_seg, block, tis_tir_num, tls_tisn);
	if (PRM_GET(wqe_ctrl_seg, block, opcode) == PRM_WQE_OP_SET_PSV &&
	    PRM_GET(wqe_set_psv_seg, block + 16, tis_tir_num) == 1)
		PRM_SET(wqe_set_psv_seg, block + 16, tis_tir_num, tls_tisn);
	if (PRM_GET(wqe_ctrl_seg, block, opcode) == PRM_WQE_OP_GET_PSV &&
	    PRM_GET(wqe_get_psv_seg, block + 16, psv_index_0) == 1)
		PRM_SET(wqe_get_psv_seg, block + 16, psv_index_0, tls_tisn);
	if (PRM_GET(tls_static_params, block, const_2) == PRM_TLS_CONST_2 &&
	    PRM_GET(tls_static_params, block, dek_index) == 1)
		PRM_SET(tls_static_params, block, dek_index, tls_dekn);
}

static void fix(uint8_t *block, uint16_t index, uint8_t flags)
{
	if (flags & 1) {
		PRM_SET(wqe_ctrl_seg, block, wqe_index, index);
		PRM_SET(wqe_ctrl_seg, block, qpn, sq.sqn);
	}
	if (flags & 4)
		fix_tls(block);
	for (unsigned int at = 0; (flags & 2) && at < 64; at += 16)
		if (PRM_GET(wqe_data_seg, block + at, lkey) == 1) {
			uint64_t addr =
				PRM_GET(wqe_data_seg, block + at, addr) % (RX_AT - RX_BYTES);

			PRM_SET(wqe_data_seg, block + at, lkey, r.mr.lkey);
			PRM_SET(wqe_data_seg, block + at, addr, (uint64_t)(uintptr_t)r.data + addr);
		}
}

static void fill_ring(const uint8_t *data, size_t size)
{
	unsigned int inside = 0; /* blocks of a UMR, its first one included */

	for (unsigned int i = 0; i < BLOCKS; i++) {
		uint8_t *block = sq.ring + (size_t)((sq.pi + i) % BLOCKS) * 64;
		size_t at = 2 + (size_t)i * 64, n = at >= size ? 0 : size - at;

		memset(block, 0, 64);
		memcpy(block, data + at, n > 64 ? 64 : n);
		inside = inside ? inside - 1 : 0;
		fix(block, (uint16_t)(sq.pi + i), inside ? data[1] & ~1 : data[1]);
		if (!inside && (data[1] & 4) &&
		    PRM_GET(wqe_ctrl_seg, block, opcode) == PRM_WQE_OP_UMR)
			inside = 3;
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const uint8_t *c;
	bool failed = false;

	if (!r.dev)
		start();
	if (size < 2)
		return 0;
	fill_ring(data, size);
	if (rq.pi - rq.cq.ci < 8)
		raw_post_rx(&r, &rq, RX_AT + (size_t)(rq.pi % 16) * RX_BYTES, RX_BYTES);
	sq.pi = (uint16_t)(sq.pi + data[0] % 20);
	raw_ring(&r, &sq);
	while (r.ops->progress(r.dev))
		;
	while ((c = raw_poll(&sq.cq)))
		failed |= c[63] >> 4 == PRM_CQE_OP_REQ_ERR;
	while (raw_poll(&rq.cq))
		;
	if (failed) {
		raw_sq_state(&r, &sq, PRM_SQC_STATE_ERR, PRM_SQC_STATE_RST);
		raw_sq_state(&r, &sq, PRM_SQC_STATE_RST, PRM_SQC_STATE_RDY);
	}
	return 0;
}
