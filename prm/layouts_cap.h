/* SPDX-License-Identifier: BSD-2-Clause */
/* clang-format off */
/*
 * Capability groups returned by QUERY_HCA_CAP.
 *
 * One list per layout; offsets are absolute bit numbers from the first bit of the structure (bit 0 is the
 * most significant bit of byte 0). See prm.h for what is made of the lists. Source: the public interface
 * header of Linux 7.3 (mlx5_ifc.h) unless a line says otherwise.
 */
#ifndef PRM_LAYOUTS_CAP_H
#define PRM_LAYOUTS_CAP_H

#define PRM_LAYOUT_cmd_hca_cap(S, F, W, K, N, A) \
	S(cmd_hca_cap, 0x800) \
	F(cmd_hca_cap, hca_cap_2, 0x020, 1) \
	F(cmd_hca_cap, vhca_id, 0x030, 16) \
	F(cmd_hca_cap, log_max_srq_sz, 0x080, 8) \
	F(cmd_hca_cap, log_max_qp_sz, 0x088, 8) \
	F(cmd_hca_cap, event_cap, 0x090, 1) \
	F(cmd_hca_cap, log_max_qp, 0x09b, 5) \
	F(cmd_hca_cap, max_sgl_for_optimized_performance, 0x0c0, 8) \
	F(cmd_hca_cap, log_max_cq_sz, 0x0c8, 8) \
	F(cmd_hca_cap, log_max_cq, 0x0db, 5) \
	F(cmd_hca_cap, log_max_eq_sz, 0x0e0, 8) \
	F(cmd_hca_cap, relaxed_ordering_write, 0x0e8, 1) \
	F(cmd_hca_cap, log_max_mkey, 0x0ea, 6) \
	F(cmd_hca_cap, log_max_eq, 0x0fc, 4) \
	F(cmd_hca_cap, max_indirection, 0x100, 8) \
	F(cmd_hca_cap, log_max_ra_req_dc, 0x12a, 6) \
	F(cmd_hca_cap, end_pad, 0x160, 1) \
	F(cmd_hca_cap, start_pad, 0x163, 1) \
	F(cmd_hca_cap, cache_line_128byte, 0x164, 1) \
	F(cmd_hca_cap, gid_table_size, 0x170, 16) \
	F(cmd_hca_cap, vport_counters, 0x181, 1) \
	F(cmd_hca_cap, modify_rq_counter_set_id, 0x184, 1) \
	F(cmd_hca_cap, max_qp_cnt, 0x186, 10) \
	F(cmd_hca_cap, pkey_table_size, 0x190, 16) \
	F(cmd_hca_cap, vport_group_manager, 0x1a0, 1) \
	F(cmd_hca_cap, vhca_group_manager, 0x1a1, 1) \
	F(cmd_hca_cap, eth_virt, 0x1a3, 1) \
	F(cmd_hca_cap, nic_flow_table, 0x1a6, 1) \
	F(cmd_hca_cap, eswitch_manager, 0x1a7, 1) \
	F(cmd_hca_cap, port_type, 0x1b6, 2) \
	F(cmd_hca_cap, num_ports, 0x1b8, 8) \
	F(cmd_hca_cap, max_tc, 0x1cc, 4) \
	F(cmd_hca_cap, general_notification_event, 0x1d2, 1) \
	F(cmd_hca_cap, stat_rate_support, 0x1e0, 16) \
	F(cmd_hca_cap, cqe_version, 0x1fc, 4) \
	F(cmd_hca_cap, umr_fence, 0x20a, 2) \
	F(cmd_hca_cap, cmdif_checksum, 0x210, 2) \
	F(cmd_hca_cap, sho, 0x217, 1) \
	F(cmd_hca_cap, qos, 0x21b, 1) \
	F(cmd_hca_cap, eth_net_offloads, 0x21c, 1) \
	F(cmd_hca_cap, cq_oi, 0x220, 1) \
	F(cmd_hca_cap, cq_resize, 0x221, 1) \
	F(cmd_hca_cap, cq_moderation, 0x222, 1) \
	F(cmd_hca_cap, cq_period_mode_modify, 0x223, 1) \
	F(cmd_hca_cap, imaicl, 0x231, 1) \
	F(cmd_hca_cap, uar_4k, 0x240, 1) \
	F(cmd_hca_cap, uar_sz, 0x24a, 6) \
	F(cmd_hca_cap, umem_uid_0, 0x252, 1) \
	F(cmd_hca_cap, bf, 0x260, 1) \
	F(cmd_hca_cap, log_bf_reg_size, 0x26b, 5) \
	F(cmd_hca_cap, lag_tx_port_affinity, 0x278, 1) \
	F(cmd_hca_cap, num_lag_ports, 0x27c, 4) \
	F(cmd_hca_cap, max_wqe_sz_sq, 0x290, 16) \
	F(cmd_hca_cap, max_wqe_sz_rq, 0x2b0, 16) \
	F(cmd_hca_cap, max_flow_counter_31_16, 0x2c0, 16) \
	F(cmd_hca_cap, max_wqe_sz_sq_dc, 0x2d0, 16) \
	F(cmd_hca_cap, flow_counter_bulk_alloc, 0x310, 8) \
	F(cmd_hca_cap, log_max_mcg, 0x318, 8) \
	F(cmd_hca_cap, log_max_transport_domain, 0x323, 5) \
	F(cmd_hca_cap, relaxed_ordering_read, 0x32a, 1) \
	F(cmd_hca_cap, log_max_pd, 0x32b, 5) \
	F(cmd_hca_cap, log_max_flow_counter_bulk, 0x348, 8) \
	F(cmd_hca_cap, max_flow_counter_15_0, 0x350, 16) \
	F(cmd_hca_cap, log_max_rq, 0x363, 5) \
	F(cmd_hca_cap, log_max_sq, 0x36b, 5) \
	F(cmd_hca_cap, log_max_tir, 0x373, 5) \
	F(cmd_hca_cap, log_max_tis, 0x37b, 5) \
	F(cmd_hca_cap, basic_cyclic_rcv_wqe, 0x380, 1) \
	F(cmd_hca_cap, log_max_rmp, 0x383, 5) \
	F(cmd_hca_cap, log_max_rqt, 0x38b, 5) \
	F(cmd_hca_cap, log_max_rqt_size, 0x393, 5) \
	F(cmd_hca_cap, log_max_tis_per_sq, 0x39b, 5) \
	F(cmd_hca_cap, log_max_stride_sz_rq, 0x3a3, 5) \
	F(cmd_hca_cap, log_min_stride_sz_rq, 0x3ab, 5) \
	F(cmd_hca_cap, log_max_stride_sz_sq, 0x3b3, 5) \
	F(cmd_hca_cap, log_min_stride_sz_sq, 0x3bb, 5) \
	F(cmd_hca_cap, log_max_wq_sz, 0x3db, 5) \
	F(cmd_hca_cap, log_max_vlan_list, 0x3eb, 5) \
	F(cmd_hca_cap, log_max_current_mc_list, 0x3f3, 5) \
	F(cmd_hca_cap, log_max_current_uc_list, 0x3fb, 5) \
	F(cmd_hca_cap, general_obj_types, 0x400, 64) \
	F(cmd_hca_cap, log_max_uctx, 0x463, 5) \
	F(cmd_hca_cap, crypto, 0x469, 1) \
	F(cmd_hca_cap, ipsec_offload, 0x46a, 1) \
	F(cmd_hca_cap, log_max_umem, 0x46b, 5) \
	F(cmd_hca_cap, tls_tx, 0x481, 1) \
	F(cmd_hca_cap, tls_rx, 0x482, 1) \
	F(cmd_hca_cap, log_max_l2_table, 0x483, 5) \
	F(cmd_hca_cap, log_uar_page_sz, 0x490, 16) \
	F(cmd_hca_cap, device_frequency_mhz, 0x4c0, 32) \
	F(cmd_hca_cap, device_frequency_khz, 0x4e0, 32) \
	F(cmd_hca_cap, num_of_uars_per_page, 0x520, 32) \
	F(cmd_hca_cap, log_max_dek, 0x5b3, 5) \
	F(cmd_hca_cap, cqe_compression, 0x5bf, 1) \
	F(cmd_hca_cap, uctx_cap, 0x6a0, 32)

#define PRM_LAYOUT_cmd_hca_cap_2(S, F, W, K, N, A) \
	S(cmd_hca_cap_2, 0x800) \
	F(cmd_hca_cap_2, migratable, 0x080, 1) \
	F(cmd_hca_cap_2, max_reformat_insert_size, 0x0a0, 8) \
	F(cmd_hca_cap_2, max_reformat_insert_offset, 0x0a8, 8) \
	F(cmd_hca_cap_2, max_reformat_remove_size, 0x0b0, 8) \
	F(cmd_hca_cap_2, max_reformat_remove_offset, 0x0b8, 8) \
	F(cmd_hca_cap_2, cross_vhca_object_to_object_supported, 0x0e0, 32) \
	F(cmd_hca_cap_2, format_select_dw_8_6_ext, 0x1aa, 1) \
	F(cmd_hca_cap_2, sw_vhca_id_valid, 0x221, 1) \
	F(cmd_hca_cap_2, sw_vhca_id, 0x222, 14)

#define PRM_LAYOUT_per_protocol_networking_offload_caps(S, F, W, K, N, A) \
	S(per_protocol_networking_offload_caps, 0x800) \
	F(per_protocol_networking_offload_caps, csum_cap, 0x000, 1) \
	F(per_protocol_networking_offload_caps, vlan_cap, 0x001, 1) \
	F(per_protocol_networking_offload_caps, lro_cap, 0x002, 1) \
	F(per_protocol_networking_offload_caps, lro_psh_flag, 0x003, 1) \
	F(per_protocol_networking_offload_caps, lro_time_stamp, 0x004, 1) \
	F(per_protocol_networking_offload_caps, wqe_vlan_insert, 0x007, 1) \
	F(per_protocol_networking_offload_caps, self_lb_en_modifiable, 0x008, 1) \
	F(per_protocol_networking_offload_caps, max_lso_cap, 0x00b, 5) \
	F(per_protocol_networking_offload_caps, multi_pkt_send_wqe, 0x010, 2) \
	F(per_protocol_networking_offload_caps, wqe_inline_mode, 0x012, 2) \
	F(per_protocol_networking_offload_caps, rss_ind_tbl_cap, 0x014, 4) \
	F(per_protocol_networking_offload_caps, reg_umr_sq, 0x018, 1) \
	F(per_protocol_networking_offload_caps, scatter_fcs, 0x019, 1) \
	F(per_protocol_networking_offload_caps, enhanced_multi_pkt_send_wqe, 0x01a, 1) \
	F(per_protocol_networking_offload_caps, tunnel_lso_const_out_ip_id, 0x01b, 1) \
	F(per_protocol_networking_offload_caps, tunnel_lro_gre, 0x01c, 1) \
	F(per_protocol_networking_offload_caps, tunnel_lro_vxlan, 0x01d, 1) \
	F(per_protocol_networking_offload_caps, tunnel_stateless_gre, 0x01e, 1) \
	F(per_protocol_networking_offload_caps, tunnel_stateless_vxlan, 0x01f, 1) \
	F(per_protocol_networking_offload_caps, swp, 0x020, 1) \
	F(per_protocol_networking_offload_caps, swp_csum, 0x021, 1) \
	F(per_protocol_networking_offload_caps, swp_lso, 0x022, 1) \
	F(per_protocol_networking_offload_caps, cqe_checksum_full, 0x023, 1) \
	F(per_protocol_networking_offload_caps, tunnel_stateless_geneve_tx, 0x024, 1) \
	F(per_protocol_networking_offload_caps, tunnel_stateless_mpls_over_udp, 0x025, 1) \
	F(per_protocol_networking_offload_caps, tunnel_stateless_mpls_over_gre, 0x026, 1) \
	F(per_protocol_networking_offload_caps, tunnel_stateless_vxlan_gpe, 0x027, 1) \
	F(per_protocol_networking_offload_caps, tunnel_stateless_ipv4_over_vxlan, 0x028, 1) \
	F(per_protocol_networking_offload_caps, tunnel_stateless_ip_over_ip, 0x029, 1) \
	F(per_protocol_networking_offload_caps, insert_trailer, 0x02a, 1) \
	F(per_protocol_networking_offload_caps, tunnel_stateless_ip_over_ip_rx, 0x02c, 1) \
	F(per_protocol_networking_offload_caps, tunnel_stateless_ip_over_ip_tx, 0x02d, 1) \
	F(per_protocol_networking_offload_caps, max_vxlan_udp_ports, 0x030, 8) \
	F(per_protocol_networking_offload_caps, swp_csum_l4_partial, 0x038, 1) \
	F(per_protocol_networking_offload_caps, max_geneve_opt_len, 0x03e, 1) \
	F(per_protocol_networking_offload_caps, tunnel_stateless_geneve_rx, 0x03f, 1) \
	F(per_protocol_networking_offload_caps, lro_min_mss_size, 0x050, 16) \
	W(per_protocol_networking_offload_caps, lro_timer_supported_periods, 0x180, 128)

#define PRM_LAYOUT_flow_table_nic_cap(S, F, W, K, N, A) \
	S(flow_table_nic_cap, 0x8000) \
	F(flow_table_nic_cap, nic_rx_multi_path_tirs, 0x000, 1) \
	F(flow_table_nic_cap, nic_rx_multi_path_tirs_fts, 0x001, 1) \
	F(flow_table_nic_cap, allow_sniffer_and_nic_rx_shared_tir, 0x002, 1) \
	F(flow_table_nic_cap, sw_owner_reformat_supported, 0x007, 1) \
	F(flow_table_nic_cap, encap_general_header, 0x020, 1) \
	F(flow_table_nic_cap, log_max_packet_reformat_context, 0x02b, 5) \
	F(flow_table_nic_cap, max_encap_header_size, 0x036, 10) \
	N(flow_table_nic_cap, flow_table_properties_nic_receive, 0x200, 512, flow_table_prop_layout) \
	N(flow_table_nic_cap, flow_table_properties_nic_receive_rdma, 0x400, 512, flow_table_prop_layout) \
	N(flow_table_nic_cap, flow_table_properties_nic_receive_sniffer, 0x600, 512, flow_table_prop_layout) \
	N(flow_table_nic_cap, flow_table_properties_nic_transmit, 0x800, 512, flow_table_prop_layout) \
	N(flow_table_nic_cap, flow_table_properties_nic_transmit_rdma, 0xa00, 512, flow_table_prop_layout) \
	N(flow_table_nic_cap, flow_table_properties_nic_transmit_sniffer, 0xc00, 512, flow_table_prop_layout) \
	N(flow_table_nic_cap, ft_field_support_2_nic_receive, 0x1400, 128, flow_table_fields_supported_2) \
	N(flow_table_nic_cap, ft_field_support_2_nic_receive_rdma, 0x1500, 128, flow_table_fields_supported_2) \
	N(flow_table_nic_cap, ft_field_support_2_nic_transmit_rdma, 0x1800, 128, flow_table_fields_supported_2) \
	F(flow_table_nic_cap, sw_steering_nic_rx_action_drop_icm_address, 0x2000, 64) \
	F(flow_table_nic_cap, sw_steering_nic_tx_action_drop_icm_address, 0x2040, 64) \
	F(flow_table_nic_cap, sw_steering_nic_tx_action_allow_icm_address, 0x2080, 64)

#define PRM_LAYOUT_flow_table_prop_layout(S, F, W, K, N, A) \
	S(flow_table_prop_layout, 0x200) \
	F(flow_table_prop_layout, ft_support, 0x000, 1) \
	F(flow_table_prop_layout, flow_counter, 0x002, 1) \
	F(flow_table_prop_layout, flow_modify_en, 0x003, 1) \
	F(flow_table_prop_layout, modify_root, 0x004, 1) \
	F(flow_table_prop_layout, identified_miss_table_mode, 0x005, 1) \
	F(flow_table_prop_layout, flow_table_modify, 0x006, 1) \
	F(flow_table_prop_layout, reformat, 0x007, 1) \
	F(flow_table_prop_layout, decap, 0x008, 1) \
	F(flow_table_prop_layout, reset_root_to_default, 0x009, 1) \
	F(flow_table_prop_layout, pop_vlan, 0x00a, 1) \
	F(flow_table_prop_layout, push_vlan, 0x00b, 1) \
	F(flow_table_prop_layout, pop_vlan_2, 0x00d, 1) \
	F(flow_table_prop_layout, push_vlan_2, 0x00e, 1) \
	F(flow_table_prop_layout, reformat_and_vlan_action, 0x00f, 1) \
	F(flow_table_prop_layout, sw_owner, 0x011, 1) \
	F(flow_table_prop_layout, reformat_l3_tunnel_to_l2, 0x012, 1) \
	F(flow_table_prop_layout, reformat_l2_to_l3_tunnel, 0x013, 1) \
	F(flow_table_prop_layout, reformat_and_modify_action, 0x014, 1) \
	F(flow_table_prop_layout, ignore_flow_level, 0x015, 1) \
	F(flow_table_prop_layout, table_miss_action_domain, 0x017, 1) \
	F(flow_table_prop_layout, termination_table, 0x018, 1) \
	F(flow_table_prop_layout, reformat_and_fwd_to_table, 0x019, 1) \
	F(flow_table_prop_layout, forward_vhca_rx, 0x01a, 1) \
	F(flow_table_prop_layout, ipsec_encrypt, 0x01c, 1) \
	F(flow_table_prop_layout, ipsec_decrypt, 0x01d, 1) \
	F(flow_table_prop_layout, sw_owner_v2, 0x01e, 1) \
	F(flow_table_prop_layout, termination_table_raw_traffic, 0x020, 1) \
	F(flow_table_prop_layout, log_max_ft_size, 0x022, 6) \
	F(flow_table_prop_layout, log_max_modify_header_context, 0x028, 8) \
	F(flow_table_prop_layout, max_modify_header_actions, 0x030, 8) \
	F(flow_table_prop_layout, max_ft_level, 0x038, 8) \
	F(flow_table_prop_layout, reformat_add_esp_trasport, 0x040, 1) \
	F(flow_table_prop_layout, reformat_l2_to_l3_esp_tunnel, 0x041, 1) \
	F(flow_table_prop_layout, reformat_add_esp_transport_over_udp, 0x042, 1) \
	F(flow_table_prop_layout, reformat_del_esp_trasport, 0x043, 1) \
	F(flow_table_prop_layout, reformat_l3_esp_tunnel_to_l2, 0x044, 1) \
	F(flow_table_prop_layout, reformat_del_esp_transport_over_udp, 0x045, 1) \
	F(flow_table_prop_layout, execute_aso, 0x046, 1) \
	F(flow_table_prop_layout, reformat_l2_to_l3_psp_tunnel, 0x060, 1) \
	F(flow_table_prop_layout, reformat_l3_psp_tunnel_to_l2, 0x061, 1) \
	F(flow_table_prop_layout, reformat_insert, 0x062, 1) \
	F(flow_table_prop_layout, reformat_remove, 0x063, 1) \
	F(flow_table_prop_layout, macsec_encrypt, 0x064, 1) \
	F(flow_table_prop_layout, macsec_decrypt, 0x065, 1) \
	F(flow_table_prop_layout, psp_encrypt, 0x066, 1) \
	F(flow_table_prop_layout, psp_decrypt, 0x067, 1) \
	F(flow_table_prop_layout, reformat_add_macsec, 0x068, 1) \
	F(flow_table_prop_layout, reformat_remove_macsec, 0x069, 1) \
	F(flow_table_prop_layout, reparse, 0x06a, 1) \
	F(flow_table_prop_layout, cross_vhca_object, 0x06c, 1) \
	F(flow_table_prop_layout, reformat_l2_to_l3_audp_tunnel, 0x06d, 1) \
	F(flow_table_prop_layout, reformat_l3_audp_tunnel_to_l2, 0x06e, 1) \
	F(flow_table_prop_layout, ignore_flow_level_rtc_valid, 0x06f, 1) \
	F(flow_table_prop_layout, reformat_del_psp_transport, 0x077, 1) \
	F(flow_table_prop_layout, log_max_ft_num, 0x078, 8) \
	F(flow_table_prop_layout, log_max_flow_counter, 0x090, 8) \
	F(flow_table_prop_layout, log_max_destination, 0x098, 8) \
	F(flow_table_prop_layout, log_max_flow, 0x0b8, 8) \
	N(flow_table_prop_layout, ft_field_support, 0x100, 128, flow_table_fields_supported) \
	N(flow_table_prop_layout, ft_field_bitmask_support, 0x180, 128, flow_table_fields_supported)

#define PRM_LAYOUT_flow_table_fields_supported(S, F, W, K, N, A) \
	S(flow_table_fields_supported, 0x080) \
	F(flow_table_fields_supported, outer_dmac, 0x000, 1) \
	F(flow_table_fields_supported, outer_smac, 0x001, 1) \
	F(flow_table_fields_supported, outer_ether_type, 0x002, 1) \
	F(flow_table_fields_supported, outer_ip_version, 0x003, 1) \
	F(flow_table_fields_supported, outer_first_prio, 0x004, 1) \
	F(flow_table_fields_supported, outer_first_cfi, 0x005, 1) \
	F(flow_table_fields_supported, outer_first_vid, 0x006, 1) \
	F(flow_table_fields_supported, outer_ipv4_ttl, 0x007, 1) \
	F(flow_table_fields_supported, outer_second_prio, 0x008, 1) \
	F(flow_table_fields_supported, outer_second_cfi, 0x009, 1) \
	F(flow_table_fields_supported, outer_second_vid, 0x00a, 1) \
	F(flow_table_fields_supported, outer_sip, 0x00c, 1) \
	F(flow_table_fields_supported, outer_dip, 0x00d, 1) \
	F(flow_table_fields_supported, outer_frag, 0x00e, 1) \
	F(flow_table_fields_supported, outer_ip_protocol, 0x00f, 1) \
	F(flow_table_fields_supported, outer_ip_ecn, 0x010, 1) \
	F(flow_table_fields_supported, outer_ip_dscp, 0x011, 1) \
	F(flow_table_fields_supported, outer_udp_sport, 0x012, 1) \
	F(flow_table_fields_supported, outer_udp_dport, 0x013, 1) \
	F(flow_table_fields_supported, outer_tcp_sport, 0x014, 1) \
	F(flow_table_fields_supported, outer_tcp_dport, 0x015, 1) \
	F(flow_table_fields_supported, outer_tcp_flags, 0x016, 1) \
	F(flow_table_fields_supported, outer_gre_protocol, 0x017, 1) \
	F(flow_table_fields_supported, outer_gre_key, 0x018, 1) \
	F(flow_table_fields_supported, outer_vxlan_vni, 0x019, 1) \
	F(flow_table_fields_supported, outer_geneve_vni, 0x01a, 1) \
	F(flow_table_fields_supported, outer_geneve_oam, 0x01b, 1) \
	F(flow_table_fields_supported, outer_geneve_protocol_type, 0x01c, 1) \
	F(flow_table_fields_supported, outer_geneve_opt_len, 0x01d, 1) \
	F(flow_table_fields_supported, source_vhca_port, 0x01e, 1) \
	F(flow_table_fields_supported, source_eswitch_port, 0x01f, 1) \
	F(flow_table_fields_supported, inner_dmac, 0x020, 1) \
	F(flow_table_fields_supported, inner_smac, 0x021, 1) \
	F(flow_table_fields_supported, inner_ether_type, 0x022, 1) \
	F(flow_table_fields_supported, inner_ip_version, 0x023, 1) \
	F(flow_table_fields_supported, inner_first_prio, 0x024, 1) \
	F(flow_table_fields_supported, inner_first_cfi, 0x025, 1) \
	F(flow_table_fields_supported, inner_first_vid, 0x026, 1) \
	F(flow_table_fields_supported, inner_second_prio, 0x028, 1) \
	F(flow_table_fields_supported, inner_second_cfi, 0x029, 1) \
	F(flow_table_fields_supported, inner_second_vid, 0x02a, 1) \
	F(flow_table_fields_supported, inner_sip, 0x02c, 1) \
	F(flow_table_fields_supported, inner_dip, 0x02d, 1) \
	F(flow_table_fields_supported, inner_frag, 0x02e, 1) \
	F(flow_table_fields_supported, inner_ip_protocol, 0x02f, 1) \
	F(flow_table_fields_supported, inner_ip_ecn, 0x030, 1) \
	F(flow_table_fields_supported, inner_ip_dscp, 0x031, 1) \
	F(flow_table_fields_supported, inner_udp_sport, 0x032, 1) \
	F(flow_table_fields_supported, inner_udp_dport, 0x033, 1) \
	F(flow_table_fields_supported, inner_tcp_sport, 0x034, 1) \
	F(flow_table_fields_supported, inner_tcp_dport, 0x035, 1) \
	F(flow_table_fields_supported, inner_tcp_flags, 0x036, 1) \
	F(flow_table_fields_supported, geneve_tlv_option_0_data, 0x040, 1) \
	F(flow_table_fields_supported, geneve_tlv_option_0_exist, 0x041, 1) \
	F(flow_table_fields_supported, outer_first_mpls_over_udp, 0x045, 4) \
	F(flow_table_fields_supported, outer_first_mpls_over_gre, 0x049, 4) \
	F(flow_table_fields_supported, inner_first_mpls, 0x04d, 4) \
	F(flow_table_fields_supported, outer_first_mpls, 0x051, 4) \
	F(flow_table_fields_supported, outer_esp_spi, 0x057, 1) \
	F(flow_table_fields_supported, bth_dst_qp, 0x05a, 1) \
	F(flow_table_fields_supported, metadata_reg_c_7, 0x078, 1) \
	F(flow_table_fields_supported, metadata_reg_c_6, 0x079, 1) \
	F(flow_table_fields_supported, metadata_reg_c_5, 0x07a, 1) \
	F(flow_table_fields_supported, metadata_reg_c_4, 0x07b, 1) \
	F(flow_table_fields_supported, metadata_reg_c_3, 0x07c, 1) \
	F(flow_table_fields_supported, metadata_reg_c_2, 0x07d, 1) \
	F(flow_table_fields_supported, metadata_reg_c_1, 0x07e, 1) \
	F(flow_table_fields_supported, metadata_reg_c_0, 0x07f, 1)

#define PRM_LAYOUT_flow_table_fields_supported_2(S, F, W, K, N, A) \
	S(flow_table_fields_supported_2, 0x080) \
	F(flow_table_fields_supported_2, inner_l4_type_ext, 0x000, 1) \
	F(flow_table_fields_supported_2, outer_l4_type_ext, 0x001, 1) \
	F(flow_table_fields_supported_2, inner_l4_type, 0x002, 1) \
	F(flow_table_fields_supported_2, outer_l4_type, 0x003, 1) \
	F(flow_table_fields_supported_2, bth_opcode, 0x00e, 1) \
	F(flow_table_fields_supported_2, tunnel_header_0_1, 0x010, 1) \
	F(flow_table_fields_supported_2, ipsec_next_header, 0x02f, 1)

#define PRM_LAYOUT_tls_cap(S, F, W, K, N, A) \
	S(tls_cap, 0x800) \
	F(tls_cap, tls_1_2_aes_gcm_128, 0x000, 1) \
	F(tls_cap, tls_1_3_aes_gcm_128, 0x001, 1) \
	F(tls_cap, tls_1_2_aes_gcm_256, 0x002, 1) \
	F(tls_cap, tls_1_3_aes_gcm_256, 0x003, 1)

#define PRM_LAYOUT_crypto_cap(S, F, W, K, N, A) \
	S(crypto_cap, 0x800) \
	F(crypto_cap, synchronize_dek, 0x003, 1) \
	F(crypto_cap, int_kek_manual, 0x004, 1) \
	F(crypto_cap, int_kek_auto, 0x005, 1) \
	F(crypto_cap, log_dek_max_alloc, 0x023, 5) \
	F(crypto_cap, log_max_num_deks, 0x02b, 5) \
	F(crypto_cap, log_dek_granularity, 0x063, 5) \
	F(crypto_cap, log_max_num_int_kek, 0x06b, 5) \
	F(crypto_cap, sw_wrapped_dek, 0x070, 16)

#define PRM_LAYOUT_ipsec_cap(S, F, W, K, N, A) \
	S(ipsec_cap, 0x800) \
	F(ipsec_cap, ipsec_full_offload, 0x000, 1) \
	F(ipsec_cap, ipsec_crypto_offload, 0x001, 1) \
	F(ipsec_cap, ipsec_esn, 0x002, 1) \
	F(ipsec_cap, ipsec_crypto_esp_aes_gcm_256_encrypt, 0x003, 1) \
	F(ipsec_cap, ipsec_crypto_esp_aes_gcm_128_encrypt, 0x004, 1) \
	F(ipsec_cap, ipsec_crypto_esp_aes_gcm_256_decrypt, 0x005, 1) \
	F(ipsec_cap, ipsec_crypto_esp_aes_gcm_128_decrypt, 0x006, 1) \
	F(ipsec_cap, log_max_ipsec_offload, 0x00b, 5) \
	F(ipsec_cap, min_log_ipsec_full_replay_window, 0x020, 8) \
	F(ipsec_cap, max_log_ipsec_full_replay_window, 0x028, 8)

#endif
