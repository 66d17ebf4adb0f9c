// SPDX-License-Identifier: BSD-2-Clause
/* WQEs of TLS contexts, byte by byte. */
#include "queues/tls.h"
#include "prm/prm.h"

#include <string.h>

enum { DS = PRM_WQE_DS, BB = PRM_WQE_BB };
enum { STATIC_DS = 12, PROGRESS_DS = 2, DUMP_DS = 2 };
enum { UMR_AT = 16, PARAMS_AT = 128, SEG_AT = 16, SALT = 4, IV_REST = 8 };

unsigned int queue_wqe_tls_static(uint8_t *to, const struct queue_tls_static *s)
{
	uint8_t *umr = to + UMR_AT, *params = to + PARAMS_AT;

	memset(to, 0, (size_t)STATIC_DS * DS);
	queue_wqe_ctrl(to, &s->wqe, PRM_WQE_OP_UMR, STATIC_DS);
	PRM_SET(wqe_ctrl_seg, to, opmod, PRM_WQE_OPMOD_TLS_TIS);
	PRM_SET(wqe_umr_ctrl_seg, umr, flags, PRM_WQE_UMR_INLINE);
	PRM_SET(wqe_umr_ctrl_seg, umr, bsf_octowords, PRM_TLS_STATIC_BSF_OCTOWORDS);
	PRM_SET(tls_static_params, params, const_2, PRM_TLS_CONST_2);
	PRM_SET(tls_static_params, params, tls_version, s->version);
	PRM_SET(tls_static_params, params, const_1, PRM_TLS_CONST_1);
	PRM_SET(tls_static_params, params, encryption_standard, PRM_TLS_ENCRYPTION_STANDARD);
	PRM_SET(tls_static_params, params, initial_record_number, s->rec_no);
	memcpy(PRM_AT(tls_static_params, params, gcm_iv), s->iv, SALT);
	if (s->version == PRM_TLS_VERSION_1_3)
		memcpy(PRM_AT(tls_static_params, params, implicit_iv), s->iv + SALT, IV_REST);
	PRM_SET(tls_static_params, params, dek_index, s->dek);
	return QUEUE_TLS_STATIC_BLOCKS;
}

unsigned int queue_wqe_tls_progress(uint8_t *to, const struct queue_wqe *w)
{
	struct queue_wqe ctrl = *w;

	ctrl.tisn = 0;
	memset(to, 0, BB);
	queue_wqe_ctrl(to, &ctrl, PRM_WQE_OP_SET_PSV, PROGRESS_DS);
	PRM_SET(wqe_ctrl_seg, to, opmod, PRM_WQE_OPMOD_TLS_TIS);
	/* the device counts from here; TX has no use for a TCP sequence number */
	PRM_SET(wqe_set_psv_seg, to + SEG_AT, tis_tir_num, w->tisn);
	return QUEUE_TLS_PROGRESS_BLOCKS;
}

unsigned int queue_wqe_tls_dump(uint8_t *to, const struct queue_wqe *w, const struct queue_seg *seg)
{
	uint8_t *data = to + SEG_AT;

	memset(to, 0, BB);
	queue_wqe_ctrl(to, w, PRM_WQE_OP_DUMP, DUMP_DS);
	PRM_SET(wqe_data_seg, data, byte_count, seg->len);
	PRM_SET(wqe_data_seg, data, lkey, seg->lkey);
	PRM_SET(wqe_data_seg, data, addr, seg->addr);
	return QUEUE_TLS_DUMP_BLOCKS;
}
