/* SPDX-License-Identifier: BSD-2-Clause */
/* clang-format off */
/*
 * Object contexts inside the mailboxes: queues, TIS/TIR, memory keys and general objects.
 *
 * One list per layout; offsets are absolute bit numbers from the first bit of the structure (bit 0 is the
 * most significant bit of byte 0). See prm.h for what is made of the lists. Source: the public interface
 * header of Linux 7.3 (mlx5_ifc.h) unless a line says otherwise.
 */
#ifndef PRM_LAYOUTS_CTX_H
#define PRM_LAYOUTS_CTX_H

#define PRM_LAYOUT_mkc(S, F, W, K, N, A) \
	S(mkc, 0x200) \
	F(mkc, free, 0x001, 1) \
	F(mkc, access_mode_4_2, 0x003, 3) \
	F(mkc, relaxed_ordering_write, 0x00d, 1) \
	F(mkc, small_fence_on_rdma_read_response, 0x00f, 1) \
	F(mkc, umr_en, 0x010, 1) \
	F(mkc, a, 0x011, 1) \
	F(mkc, rw, 0x012, 1) \
	F(mkc, rr, 0x013, 1) \
	F(mkc, lw, 0x014, 1) \
	F(mkc, lr, 0x015, 1) \
	F(mkc, access_mode_1_0, 0x016, 2) \
	F(mkc, ma_translation_mode, 0x01a, 2) \
	F(mkc, qpn, 0x020, 24) \
	F(mkc, mkey_7_0, 0x038, 8) \
	F(mkc, length64, 0x060, 1) \
	F(mkc, bsf_en, 0x061, 1) \
	F(mkc, sync_umr, 0x062, 1) \
	F(mkc, expected_sigerr_count, 0x065, 1) \
	F(mkc, en_rinval, 0x067, 1) \
	F(mkc, pd, 0x068, 24) \
	F(mkc, start_addr, 0x080, 64) \
	F(mkc, len, 0x0c0, 64) \
	F(mkc, bsf_octword_size, 0x100, 32) \
	F(mkc, crossing_target_vhca_id, 0x180, 16) \
	F(mkc, translations_octword_size, 0x1a0, 32) \
	F(mkc, relaxed_ordering_read, 0x1d9, 1) \
	F(mkc, log_page_size, 0x1da, 6) \
	F(mkc, pcie_tph_en, 0x1e5, 1) \
	F(mkc, pcie_tph_ph, 0x1e6, 2) \
	F(mkc, pcie_tph_steering_tag_index, 0x1e8, 8)

/* dbr_umem_id: DPDK mlx5_prm.h (struct mlx5_ifc_cqc_bits), reserved in the Linux header, which has dbr_umem_valid. */
#define PRM_LAYOUT_cqc(S, F, W, K, N, A) \
	S(cqc, 0x200) \
	F(cqc, status, 0x000, 4) \
	F(cqc, dbr_umem_valid, 0x006, 1) \
	F(cqc, apu_cq, 0x007, 1) \
	F(cqc, cqe_sz, 0x008, 3) \
	F(cqc, cc, 0x00b, 1) \
	F(cqc, scqe_break_moderation_en, 0x00d, 1) \
	F(cqc, oi, 0x00e, 1) \
	F(cqc, cq_period_mode, 0x00f, 2) \
	F(cqc, cqe_comp_en, 0x011, 1) \
	F(cqc, mini_cqe_res_format, 0x012, 2) \
	F(cqc, st, 0x014, 4) \
	F(cqc, cqe_compression_layout, 0x01e, 2) \
	F(cqc, dbr_umem_id, 0x020, 32) \
	F(cqc, page_offset, 0x054, 6) \
	F(cqc, log_cq_size, 0x063, 5) \
	F(cqc, uar_page, 0x068, 24) \
	F(cqc, cq_period, 0x084, 12) \
	F(cqc, cq_max_count, 0x090, 16) \
	F(cqc, c_eqn_or_apu_element, 0x0a0, 32) \
	F(cqc, log_page_size, 0x0c3, 5) \
	F(cqc, last_notified_index, 0x108, 24) \
	F(cqc, last_solicit_index, 0x128, 24) \
	F(cqc, consumer_counter, 0x148, 24) \
	F(cqc, producer_counter, 0x168, 24) \
	F(cqc, dbr_addr, 0x1c0, 64)

#define PRM_LAYOUT_wq(S, F, W, K, N, A) \
	S(wq, 0x600) \
	F(wq, wq_type, 0x000, 4) \
	F(wq, wq_signature, 0x004, 1) \
	F(wq, end_padding_mode, 0x005, 2) \
	F(wq, cd_slave, 0x007, 1) \
	F(wq, hds_skip_first_sge, 0x020, 1) \
	F(wq, log2_hds_buf_size, 0x021, 3) \
	F(wq, page_offset, 0x02b, 5) \
	F(wq, lwm, 0x030, 16) \
	F(wq, pd, 0x048, 24) \
	F(wq, uar_page, 0x068, 24) \
	F(wq, dbr_addr, 0x080, 64) \
	F(wq, hw_counter, 0x0c0, 32) \
	F(wq, sw_counter, 0x0e0, 32) \
	F(wq, log_wq_stride, 0x10c, 4) \
	F(wq, log_wq_pg_sz, 0x113, 5) \
	F(wq, log_wq_sz, 0x11b, 5) \
	F(wq, dbr_umem_valid, 0x120, 1) \
	F(wq, wq_umem_valid, 0x121, 1) \
	F(wq, log_hairpin_num_packets, 0x123, 5) \
	F(wq, log_hairpin_data_sz, 0x12b, 5) \
	F(wq, log_wqe_num_of_strides, 0x134, 4) \
	F(wq, two_byte_shift_en, 0x138, 1) \
	F(wq, log_wqe_stride_size, 0x13d, 3) \
	F(wq, dbr_umem_id, 0x140, 32) \
	F(wq, wq_umem_id, 0x160, 32) \
	F(wq, wq_umem_offset, 0x180, 64) \
	F(wq, headers_mkey, 0x1c0, 32) \
	F(wq, shampo_enable, 0x1e0, 1) \
	F(wq, shampo_mode, 0x1e2, 2) \
	F(wq, log_reservation_size, 0x1e5, 3) \
	F(wq, log_max_num_of_packets_per_reservation, 0x1ed, 3) \
	F(wq, log_headers_entry_size, 0x1f6, 2) \
	F(wq, log_headers_buffer_entry_num, 0x1fc, 4)

#define PRM_LAYOUT_sqc(S, F, W, K, N, A) \
	S(sqc, 0x780) \
	F(sqc, rlky, 0x000, 1) \
	F(sqc, cd_master, 0x001, 1) \
	F(sqc, fre, 0x002, 1) \
	F(sqc, flush_in_error_en, 0x003, 1) \
	F(sqc, allow_multi_pkt_send_wqe, 0x004, 1) \
	F(sqc, min_wqe_inline_mode, 0x005, 3) \
	F(sqc, state, 0x008, 4) \
	F(sqc, reg_umr, 0x00c, 1) \
	F(sqc, allow_swp, 0x00d, 1) \
	F(sqc, hairpin, 0x00e, 1) \
	F(sqc, non_wire, 0x00f, 1) \
	F(sqc, ts_format, 0x01a, 2) \
	F(sqc, user_index, 0x028, 24) \
	F(sqc, cqn, 0x048, 24) \
	F(sqc, hairpin_peer_rq, 0x068, 24) \
	F(sqc, hairpin_peer_vhca, 0x090, 16) \
	F(sqc, ts_cqe_to_dest_cqn, 0x0c8, 24) \
	F(sqc, packet_pacing_rate_limit_index, 0x0f0, 16) \
	F(sqc, tis_lst_sz, 0x100, 16) \
	F(sqc, qos_queue_group_id, 0x110, 16) \
	F(sqc, tis_num_0, 0x168, 24) \
	N(sqc, wq, 0x180, 1536, wq)

#define PRM_LAYOUT_rqc(S, F, W, K, N, A) \
	S(rqc, 0x780) \
	F(rqc, rlky, 0x000, 1) \
	F(rqc, delay_drop_en, 0x001, 1) \
	F(rqc, scatter_fcs, 0x002, 1) \
	F(rqc, vsd, 0x003, 1) \
	F(rqc, mem_rq_type, 0x004, 4) \
	F(rqc, state, 0x008, 4) \
	F(rqc, flush_in_error_en, 0x00d, 1) \
	F(rqc, hairpin, 0x00e, 1) \
	F(rqc, ts_format, 0x01a, 2) \
	F(rqc, user_index, 0x028, 24) \
	F(rqc, cqn, 0x048, 24) \
	F(rqc, counter_set_id, 0x060, 8) \
	F(rqc, rmpn, 0x088, 24) \
	F(rqc, hairpin_peer_sq, 0x0a8, 24) \
	F(rqc, hairpin_peer_vhca, 0x0d0, 16) \
	F(rqc, shampo_no_match_alignment_granularity, 0x126, 2) \
	F(rqc, shampo_match_criteria_type, 0x12e, 2) \
	F(rqc, reservation_timeout, 0x130, 16) \
	N(rqc, wq, 0x180, 1536, wq)

#define PRM_LAYOUT_tisc(S, F, W, K, N, A) \
	S(tisc, 0x500) \
	F(tisc, strict_lag_tx_port_affinity, 0x000, 1) \
	F(tisc, tls_en, 0x001, 1) \
	F(tisc, lag_tx_port_affinity, 0x004, 4) \
	F(tisc, prio, 0x00c, 4) \
	F(tisc, transport_domain, 0x128, 24) \
	F(tisc, underlay_qpn, 0x148, 24) \
	F(tisc, pd, 0x168, 24)

#define PRM_LAYOUT_tirc(S, F, W, K, N, A) \
	S(tirc, 0x780) \
	F(tirc, disp_type, 0x020, 4) \
	F(tirc, tls_en, 0x024, 1) \
	F(tirc, lro_timeout_period_usecs, 0x084, 16) \
	F(tirc, packet_merge_mask, 0x094, 4) \
	F(tirc, lro_max_ip_payload_size, 0x098, 8) \
	F(tirc, inline_rqn, 0x0e8, 24) \
	F(tirc, rx_hash_symmetric, 0x100, 1) \
	F(tirc, tunneled_offload_en, 0x102, 1) \
	F(tirc, indirect_table, 0x108, 24) \
	F(tirc, rx_hash_fn, 0x120, 4) \
	F(tirc, self_lb_block, 0x126, 2) \
	F(tirc, transport_domain, 0x128, 24) \
	W(tirc, rx_hash_toeplitz_key, 0x140, 320) \
	N(tirc, rx_hash_field_selector_outer, 0x280, 32, rx_hash_field_select) \
	N(tirc, rx_hash_field_selector_inner, 0x2a0, 32, rx_hash_field_select)

#define PRM_LAYOUT_rx_hash_field_select(S, F, W, K, N, A) \
	S(rx_hash_field_select, 0x020) \
	F(rx_hash_field_select, l3_prot_type, 0x000, 1) \
	F(rx_hash_field_select, l4_prot_type, 0x001, 1) \
	F(rx_hash_field_select, selected_fields, 0x002, 30)

/*
 * op_param is a union without a layout of its own in the Linux header: general_obj_create_param at CREATE,
 * general_obj_query_param (offset in a bulk) at MODIFY, QUERY and DESTROY. The list names the first.
 */
#define PRM_LAYOUT_general_obj_in_cmd_hdr(S, F, W, K, N, A) \
	S(general_obj_in_cmd_hdr, 0x080) \
	F(general_obj_in_cmd_hdr, opcode, 0x000, 16) \
	F(general_obj_in_cmd_hdr, uid, 0x010, 16) \
	F(general_obj_in_cmd_hdr, vhca_tunnel_id, 0x020, 16) \
	F(general_obj_in_cmd_hdr, obj_type, 0x030, 16) \
	F(general_obj_in_cmd_hdr, obj_id, 0x040, 32) \
	N(general_obj_in_cmd_hdr, op_param, 0x060, 32, general_obj_create_param)

#define PRM_LAYOUT_general_obj_out_cmd_hdr(S, F, W, K, N, A) \
	S(general_obj_out_cmd_hdr, 0x080) \
	F(general_obj_out_cmd_hdr, status, 0x000, 8) \
	F(general_obj_out_cmd_hdr, syndrome, 0x020, 32) \
	F(general_obj_out_cmd_hdr, obj_id, 0x040, 32)

#define PRM_LAYOUT_general_obj_create_param(S, F, W, K, N, A) \
	S(general_obj_create_param, 0x020) \
	F(general_obj_create_param, alias_object, 0x000, 1) \
	F(general_obj_create_param, log_obj_range, 0x003, 5)

#define PRM_LAYOUT_general_obj_query_param(S, F, W, K, N, A) \
	S(general_obj_query_param, 0x020) \
	F(general_obj_query_param, alias_object, 0x000, 1) \
	F(general_obj_query_param, obj_offset, 0x001, 31)

#define PRM_LAYOUT_encryption_key_obj(S, F, W, K, N, A) \
	S(encryption_key_obj, 0x1000) \
	F(encryption_key_obj, modify_field_select, 0x000, 64) \
	F(encryption_key_obj, state, 0x040, 8) \
	F(encryption_key_obj, sw_wrapped, 0x048, 1) \
	F(encryption_key_obj, key_size, 0x054, 4) \
	F(encryption_key_obj, key_purpose, 0x05c, 4) \
	F(encryption_key_obj, pd, 0x068, 24) \
	F(encryption_key_obj, opaque, 0x180, 64) \
	K(encryption_key_obj, key, 0x200, 1024) \
	K(encryption_key_obj, sw_wrapped_dek, 0x600, 1024)

#define PRM_LAYOUT_create_encryption_key_in(S, F, W, K, N, A) \
	S(create_encryption_key_in, 0x1080) \
	N(create_encryption_key_in, general_obj_in_cmd_hdr, 0x000, 128, general_obj_in_cmd_hdr) \
	N(create_encryption_key_in, encryption_key_object, 0x080, 4096, encryption_key_obj)

#define PRM_LAYOUT_modify_encryption_key_in(S, F, W, K, N, A) \
	S(modify_encryption_key_in, 0x1080) \
	N(modify_encryption_key_in, general_obj_in_cmd_hdr, 0x000, 128, general_obj_in_cmd_hdr) \
	N(modify_encryption_key_in, encryption_key_object, 0x080, 4096, encryption_key_obj)

#define PRM_LAYOUT_ipsec_obj(S, F, W, K, N, A) \
	S(ipsec_obj, 0x400) \
	F(ipsec_obj, modify_field_select, 0x000, 64) \
	F(ipsec_obj, full_offload, 0x040, 1) \
	F(ipsec_obj, esn_en, 0x042, 1) \
	F(ipsec_obj, esn_overlap, 0x043, 1) \
	F(ipsec_obj, icv_length, 0x046, 2) \
	F(ipsec_obj, aso_return_reg, 0x04c, 4) \
	F(ipsec_obj, esn_msb, 0x060, 32) \
	F(ipsec_obj, dekn, 0x088, 24) \
	K(ipsec_obj, salt, 0x0a0, 32) \
	K(ipsec_obj, implicit_iv, 0x0c0, 64) \
	F(ipsec_obj, ipsec_aso_access_pd, 0x108, 24) \
	N(ipsec_obj, ipsec_aso, 0x200, 512, ipsec_aso)

#define PRM_LAYOUT_ipsec_aso(S, F, W, K, N, A) \
	S(ipsec_aso, 0x200) \
	F(ipsec_aso, valid, 0x000, 1) \
	F(ipsec_aso, mode, 0x002, 2) \
	F(ipsec_aso, window_sz, 0x004, 2) \
	F(ipsec_aso, soft_lft_arm, 0x006, 1) \
	F(ipsec_aso, hard_lft_arm, 0x007, 1) \
	F(ipsec_aso, remove_flow_enable, 0x008, 1) \
	F(ipsec_aso, esn_event_arm, 0x009, 1) \
	F(ipsec_aso, remove_flow_pkt_cnt, 0x020, 32) \
	F(ipsec_aso, remove_flow_soft_lft, 0x040, 32) \
	F(ipsec_aso, mode_parameter, 0x0e0, 32) \
	W(ipsec_aso, replay_protection_window, 0x100, 256)

#define PRM_LAYOUT_create_ipsec_obj_in(S, F, W, K, N, A) \
	S(create_ipsec_obj_in, 0x480) \
	N(create_ipsec_obj_in, general_obj_in_cmd_hdr, 0x000, 128, general_obj_in_cmd_hdr) \
	N(create_ipsec_obj_in, ipsec_object, 0x080, 1024, ipsec_obj)

#define PRM_LAYOUT_modify_ipsec_obj_in(S, F, W, K, N, A) \
	S(modify_ipsec_obj_in, 0x480) \
	N(modify_ipsec_obj_in, general_obj_in_cmd_hdr, 0x000, 128, general_obj_in_cmd_hdr) \
	N(modify_ipsec_obj_in, ipsec_object, 0x080, 1024, ipsec_obj)

#define PRM_LAYOUT_query_ipsec_obj_out(S, F, W, K, N, A) \
	S(query_ipsec_obj_out, 0x480) \
	N(query_ipsec_obj_out, general_obj_out_cmd_hdr, 0x000, 128, general_obj_out_cmd_hdr) \
	N(query_ipsec_obj_out, ipsec_object, 0x080, 1024, ipsec_obj)

#endif
