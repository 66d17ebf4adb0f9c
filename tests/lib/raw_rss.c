// SPDX-License-Identifier: BSD-2-Clause
/* Receive side scaling by raw mailboxes: see raw_rss.h. */
#include "raw_rss.h"

#include <string.h>

static void set_list(uint8_t *rqtc, const struct raw_rq *const *rqs, uint32_t n)
{
	PRM_SET(rqtc, rqtc, rqt_actual_size, n);
	for (uint32_t i = 0; i < n; i++)
		PRM_SET(rq_num, PRM_AT(rqtc, rqtc, rq_num) + (size_t)i * PRM_BYTES(rq_num), rq_num,
			rqs[i]->rqn);
}

struct raw_rqt raw_rqt(struct raw *r, const struct raw_rq *const *rqs, uint32_t n)
{
	uint8_t in[PRM_BYTES(create_rqt_in) + RAW_MAX_RQT * PRM_BYTES(rq_num)] = {0};
	uint8_t out[PRM_BYTES(create_rqt_out)];
	uint8_t *rqtc = PRM_AT(create_rqt_in, in, rqt_context);
	struct raw_rqt t;

	PRM_SET(create_rqt_in, in, opcode, PRM_CMD_OP_CREATE_RQT);
	PRM_SET(rqtc, rqtc, rqt_max_size, RAW_MAX_RQT);
	set_list(rqtc, rqs, n);
	t.obj = raw_do(r, PROV_CMD_CREATE, NULL, in,
		       PRM_BYTES(create_rqt_in) + (size_t)n * PRM_BYTES(rq_num), out, sizeof(out));
	t.rqtn = (uint32_t)PRM_GET(create_rqt_out, out, rqtn);
	return t;
}

void raw_rqt_set(struct raw *r, const struct raw_rqt *t, const struct raw_rq *const *rqs,
		 uint32_t n)
{
	uint8_t in[PRM_BYTES(modify_rqt_in) + RAW_MAX_RQT * PRM_BYTES(rq_num)] = {0};
	uint8_t out[PRM_BYTES(modify_rqt_out)];

	PRM_SET(modify_rqt_in, in, opcode, PRM_CMD_OP_MODIFY_RQT);
	PRM_SET(modify_rqt_in, in, rqtn, t->rqtn);
	PRM_SET(modify_rqt_in, in, bitmask, PRM_MODIFY_RQT_RQN_LIST);
	set_list(PRM_AT(modify_rqt_in, in, ctx), rqs, n);
	raw_do(r, PROV_CMD_MODIFY, t->obj, in,
	       PRM_BYTES(modify_rqt_in) + (size_t)n * PRM_BYTES(rq_num), out, sizeof(out));
}

struct raw_tir raw_rss_tir(struct raw *r, const struct raw_rqt *t, uint8_t fn, uint8_t l3,
			   uint8_t l4, uint32_t fields, const uint8_t *key)
{
	uint8_t in[PRM_BYTES(create_tir_in)] = {0}, out[PRM_BYTES(create_tir_out)];
	uint8_t *tirc = PRM_AT(create_tir_in, in, ctx);
	uint8_t *sel = PRM_AT(tirc, tirc, rx_hash_field_selector_outer);
	struct raw_tir tir;

	PRM_SET(create_tir_in, in, opcode, PRM_CMD_OP_CREATE_TIR);
	PRM_SET(tirc, tirc, disp_type, PRM_TIRC_DISP_TYPE_INDIRECT);
	PRM_SET(tirc, tirc, indirect_table, t->rqtn);
	PRM_SET(tirc, tirc, transport_domain, r->td);
	PRM_SET(tirc, tirc, rx_hash_fn, fn);
	PRM_SET(rx_hash_field_select, sel, l3_prot_type, l3);
	PRM_SET(rx_hash_field_select, sel, l4_prot_type, l4);
	PRM_SET(rx_hash_field_select, sel, selected_fields, fields);
	memcpy(PRM_AT(tirc, tirc, rx_hash_toeplitz_key), key, 40);
	tir.obj = raw_do(r, PROV_CMD_CREATE, NULL, in, sizeof(in), out, sizeof(out));
	tir.tirn = (uint32_t)PRM_GET(create_tir_out, out, tirn);
	return tir;
}
