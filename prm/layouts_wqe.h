/* SPDX-License-Identifier: BSD-2-Clause */
/* clang-format off */
/*
 * What lies in the rings: work queue entries, their segments, and completions.
 *
 * The public interface header does not describe these. Sources: infiniband/mlx5dv.h (struct mlx5_wqe_ctrl_seg,
 * mlx5_wqe_eth_seg, mlx5_wqe_data_seg, mlx5_wqe_inl_data_seg, mlx5_wqe_umr_ctrl_seg, mlx5_cqe64, mlx5_err_cqe),
 * Linux mlx5/qp.h and mlx5/device.h. tests/unit/test_prm_mlx5dv.c holds them against mlx5dv.h.
 */
#ifndef PRM_LAYOUTS_WQE_H
#define PRM_LAYOUTS_WQE_H

#define PRM_LAYOUT_wqe_ctrl_seg(S, F, W, K, N, A) \
	S(wqe_ctrl_seg, 0x080) \
	F(wqe_ctrl_seg, opmod, 0x000, 8) \
	F(wqe_ctrl_seg, wqe_index, 0x008, 16) \
	F(wqe_ctrl_seg, opcode, 0x018, 8) \
	F(wqe_ctrl_seg, qpn, 0x020, 24) \
	F(wqe_ctrl_seg, ds, 0x03a, 6) \
	F(wqe_ctrl_seg, signature, 0x040, 8) \
	F(wqe_ctrl_seg, fm_ce_se, 0x058, 8) \
	F(wqe_ctrl_seg, tis_tir_num, 0x060, 24)

/* The 16-byte view of the kernel: two bytes of inline header belong to the segment, the rest follows it. */
#define PRM_LAYOUT_wqe_eth_seg(S, F, W, K, N, A) \
	S(wqe_eth_seg, 0x080) \
	F(wqe_eth_seg, swp_outer_l4_offset, 0x000, 8) \
	F(wqe_eth_seg, swp_outer_l3_offset, 0x008, 8) \
	F(wqe_eth_seg, swp_inner_l4_offset, 0x010, 8) \
	F(wqe_eth_seg, swp_inner_l3_offset, 0x018, 8) \
	F(wqe_eth_seg, cs_flags, 0x020, 8) \
	F(wqe_eth_seg, swp_flags, 0x028, 8) \
	F(wqe_eth_seg, mss, 0x030, 16) \
	F(wqe_eth_seg, flow_table_metadata, 0x040, 32) \
	F(wqe_eth_seg, inline_hdr_sz, 0x060, 16) \
	F(wqe_eth_seg, inline_hdr_start, 0x070, 16)

/* Scatter/gather entry of a SEND and of a receive WQE; lkey 0x100 ends the list of a receive WQE. */
#define PRM_LAYOUT_wqe_data_seg(S, F, W, K, N, A) \
	S(wqe_data_seg, 0x080) \
	F(wqe_data_seg, byte_count, 0x000, 32) \
	F(wqe_data_seg, lkey, 0x020, 32) \
	F(wqe_data_seg, addr, 0x040, 64)

/* Inline data: the flag in the top bit, then the bytes, padded to 16. */
#define PRM_LAYOUT_wqe_inline_seg(S, F, W, K, N, A) \
	S(wqe_inline_seg, 0x020) \
	F(wqe_inline_seg, inline_flag, 0x000, 1) \
	F(wqe_inline_seg, byte_count, 0x001, 31)

#define PRM_LAYOUT_wqe_umr_ctrl_seg(S, F, W, K, N, A) \
	S(wqe_umr_ctrl_seg, 0x180) \
	F(wqe_umr_ctrl_seg, flags, 0x000, 8) \
	F(wqe_umr_ctrl_seg, klm_octowords, 0x020, 16) \
	F(wqe_umr_ctrl_seg, bsf_octowords, 0x030, 16) \
	F(wqe_umr_ctrl_seg, mkey_mask, 0x040, 64)

#define PRM_LAYOUT_cqe64(S, F, W, K, N, A) \
	S(cqe64, 0x200) \
	F(cqe64, tls_outer_l3_tunneled, 0x000, 8) \
	F(cqe64, wqe_id, 0x010, 16) \
	F(cqe64, rss_hash_result, 0x060, 32) \
	F(cqe64, rss_hash_type, 0x080, 8) \
	F(cqe64, check_sum, 0x0a0, 16) \
	F(cqe64, slid, 0x0b0, 16) \
	F(cqe64, flags_rqpn, 0x0c0, 32) \
	F(cqe64, hds_ip_ext, 0x0e0, 8) \
	F(cqe64, l4_l3_hdr_type, 0x0e8, 8) \
	F(cqe64, vlan_info, 0x0f0, 16) \
	F(cqe64, srqn_uidx, 0x100, 32) \
	F(cqe64, ft_metadata, 0x120, 32) \
	F(cqe64, byte_cnt, 0x160, 32) \
	F(cqe64, timestamp, 0x180, 64) \
	F(cqe64, sop_drop_qpn, 0x1c0, 32) \
	F(cqe64, wqe_counter, 0x1e0, 16) \
	F(cqe64, signature, 0x1f0, 8) \
	F(cqe64, op_own, 0x1f8, 8)

#define PRM_LAYOUT_err_cqe(S, F, W, K, N, A) \
	S(err_cqe, 0x200) \
	F(err_cqe, srqn, 0x100, 32) \
	F(err_cqe, vendor_err_synd, 0x1b0, 8) \
	F(err_cqe, syndrome, 0x1b8, 8) \
	F(err_cqe, s_wqe_opcode_qpn, 0x1c0, 32) \
	F(err_cqe, wqe_counter, 0x1e0, 16) \
	F(err_cqe, signature, 0x1f0, 8) \
	F(err_cqe, op_own, 0x1f8, 8)

#endif
