/* SPDX-License-Identifier: BSD-2-Clause */
/* clang-format off */
/*
 * What the TLS context of a TIS is set with: by WQEs, not by commands.
 *
 *	UMR     | ctrl | umr_ctrl_seg | mkey segment, all zero | tls_static_params |	192 bytes, 3 basic blocks
 *	SET_PSV | ctrl | wqe_set_psv_seg |						32 bytes
 *	GET_PSV | ctrl | wqe_get_psv_seg |						64 bytes
 *	DUMP    | ctrl | wqe_data_seg |							32 bytes
 *
 * Sources: mlx5_ifc.h of Linux 7.3 (tls_static_params, tls_progress_params); Linux en_accel/ktls_utils.h and qp.h for the
 * segments around them.
 */
#ifndef PRM_LAYOUTS_TLS_H
#define PRM_LAYOUTS_TLS_H

#define PRM_LAYOUT_tls_static_params(S, F, W, K, N, A) \
	S(tls_static_params, 0x200) \
	F(tls_static_params, const_2, 0x000, 2) \
	F(tls_static_params, tls_version, 0x002, 4) \
	F(tls_static_params, const_1, 0x006, 2) \
	F(tls_static_params, encryption_standard, 0x01c, 4) \
	F(tls_static_params, initial_record_number, 0x040, 64) \
	F(tls_static_params, resync_tcp_sn, 0x080, 32) \
	K(tls_static_params, gcm_iv, 0x0a0, 32) \
	K(tls_static_params, implicit_iv, 0x0c0, 64) \
	F(tls_static_params, dek_index, 0x108, 24)

#define PRM_LAYOUT_tls_progress_params(S, F, W, K, N, A) \
	S(tls_progress_params, 0x060) \
	F(tls_progress_params, next_record_tcp_sn, 0x000, 32) \
	F(tls_progress_params, hw_resync_tcp_sn, 0x020, 32) \
	F(tls_progress_params, record_tracker_state, 0x040, 2) \
	F(tls_progress_params, auth_state, 0x042, 2) \
	F(tls_progress_params, hw_offset_record_number, 0x048, 24)

/* The number is not shifted here, other than in the control segment. */
#define PRM_LAYOUT_wqe_set_psv_seg(S, F, W, K, N, A) \
	S(wqe_set_psv_seg, 0x080) \
	F(wqe_set_psv_seg, tis_tir_num, 0x000, 32) \
	N(wqe_set_psv_seg, progress, 0x020, 96, tls_progress_params)

#define PRM_LAYOUT_wqe_get_psv_seg(S, F, W, K, N, A) \
	S(wqe_get_psv_seg, 0x180) \
	F(wqe_get_psv_seg, num_psv, 0x098, 8) \
	F(wqe_get_psv_seg, lkey, 0x0a0, 32) \
	F(wqe_get_psv_seg, addr, 0x0c0, 64) \
	F(wqe_get_psv_seg, psv_index_0, 0x100, 32) \
	F(wqe_get_psv_seg, psv_index_1, 0x120, 32) \
	F(wqe_get_psv_seg, psv_index_2, 0x140, 32) \
	F(wqe_get_psv_seg, psv_index_3, 0x160, 32)

#endif
