/* SPDX-License-Identifier: BSD-2-Clause */
/* clang-format off */
/*
 * The function: its vport, its registers, its adapter and its pages.
 *
 * One list per layout; offsets are absolute bit numbers from the first bit of the structure (bit 0 is the
 * most significant bit of byte 0). See prm.h for what is made of the lists. Source: the public interface
 * header of Linux 7.3 (mlx5_ifc.h) unless a line says otherwise.
 */
#ifndef PRM_LAYOUTS_VPORT_H
#define PRM_LAYOUTS_VPORT_H

#define PRM_LAYOUT_query_vport_state_in(S, F, W, K, N, A) \
	S(query_vport_state_in, 0x080) \
	F(query_vport_state_in, opcode, 0x000, 16) \
	F(query_vport_state_in, op_mod, 0x030, 16) \
	F(query_vport_state_in, other_vport, 0x040, 1) \
	F(query_vport_state_in, vport_number, 0x050, 16)

#define PRM_LAYOUT_query_vport_state_out(S, F, W, K, N, A) \
	S(query_vport_state_out, 0x080) \
	F(query_vport_state_out, status, 0x000, 8) \
	F(query_vport_state_out, syndrome, 0x020, 32) \
	F(query_vport_state_out, max_tx_speed, 0x060, 16) \
	F(query_vport_state_out, admin_state, 0x078, 4) \
	F(query_vport_state_out, state, 0x07c, 4)

#define PRM_LAYOUT_query_nic_vport_context_in(S, F, W, K, N, A) \
	S(query_nic_vport_context_in, 0x080) \
	F(query_nic_vport_context_in, opcode, 0x000, 16) \
	F(query_nic_vport_context_in, op_mod, 0x030, 16) \
	F(query_nic_vport_context_in, other_vport, 0x040, 1) \
	F(query_nic_vport_context_in, vport_number, 0x050, 16) \
	F(query_nic_vport_context_in, allowed_list_type, 0x065, 3)

#define PRM_LAYOUT_query_nic_vport_context_out(S, F, W, K, N, A) \
	S(query_nic_vport_context_out, 0x880) \
	F(query_nic_vport_context_out, status, 0x000, 8) \
	F(query_nic_vport_context_out, syndrome, 0x020, 32) \
	N(query_nic_vport_context_out, nic_vport_context, 0x080, 2048, nic_vport_context)

#define PRM_LAYOUT_nic_vport_context(S, F, W, K, N, A) \
	S(nic_vport_context, 0x800) \
	F(nic_vport_context, min_wqe_inline_mode, 0x005, 3) \
	F(nic_vport_context, disable_mc_local_lb, 0x01d, 1) \
	F(nic_vport_context, disable_uc_local_lb, 0x01e, 1) \
	F(nic_vport_context, roce_en, 0x01f, 1) \
	F(nic_vport_context, arm_change_event, 0x020, 1) \
	F(nic_vport_context, event_on_mtu, 0x03b, 1) \
	F(nic_vport_context, event_on_promisc_change, 0x03c, 1) \
	F(nic_vport_context, event_on_vlan_change, 0x03d, 1) \
	F(nic_vport_context, event_on_mc_address_change, 0x03e, 1) \
	F(nic_vport_context, event_on_uc_address_change, 0x03f, 1) \
	F(nic_vport_context, vhca_id_type, 0x040, 1) \
	F(nic_vport_context, affiliation_criteria, 0x04c, 4) \
	F(nic_vport_context, affiliated_vhca_id, 0x050, 16) \
	F(nic_vport_context, sd_group, 0x101, 3) \
	F(nic_vport_context, sd_group_size, 0x108, 8) \
	F(nic_vport_context, mtu, 0x130, 16) \
	F(nic_vport_context, system_image_guid, 0x140, 64) \
	F(nic_vport_context, port_guid, 0x180, 64) \
	F(nic_vport_context, node_guid, 0x1c0, 64) \
	F(nic_vport_context, qkey_violation_counter, 0x340, 16) \
	F(nic_vport_context, promisc_uc, 0x780, 1) \
	F(nic_vport_context, promisc_mc, 0x781, 1) \
	F(nic_vport_context, promisc_all, 0x782, 1) \
	F(nic_vport_context, allowed_list_type, 0x785, 3) \
	F(nic_vport_context, allowed_list_size, 0x790, 16) \
	N(nic_vport_context, permanent_address, 0x7a0, 64, mac_address_layout)

#define PRM_LAYOUT_mac_address_layout(S, F, W, K, N, A) \
	S(mac_address_layout, 0x040) \
	F(mac_address_layout, mac_addr_47_32, 0x010, 16) \
	F(mac_address_layout, mac_addr_31_0, 0x020, 32)

#define PRM_LAYOUT_query_vport_counter_in(S, F, W, K, N, A) \
	S(query_vport_counter_in, 0x100) \
	F(query_vport_counter_in, opcode, 0x000, 16) \
	F(query_vport_counter_in, op_mod, 0x030, 16) \
	F(query_vport_counter_in, other_vport, 0x040, 1) \
	F(query_vport_counter_in, port_num, 0x04c, 4) \
	F(query_vport_counter_in, vport_number, 0x050, 16) \
	F(query_vport_counter_in, clear, 0x0c0, 1)

#define PRM_LAYOUT_query_vport_counter_out(S, F, W, K, N, A) \
	S(query_vport_counter_out, 0x1080) \
	F(query_vport_counter_out, status, 0x000, 8) \
	F(query_vport_counter_out, syndrome, 0x020, 32) \
	N(query_vport_counter_out, received_errors, 0x080, 128, traffic_counter) \
	N(query_vport_counter_out, transmit_errors, 0x100, 128, traffic_counter) \
	N(query_vport_counter_out, received_ib_unicast, 0x180, 128, traffic_counter) \
	N(query_vport_counter_out, transmitted_ib_unicast, 0x200, 128, traffic_counter) \
	N(query_vport_counter_out, received_ib_multicast, 0x280, 128, traffic_counter) \
	N(query_vport_counter_out, transmitted_ib_multicast, 0x300, 128, traffic_counter) \
	N(query_vport_counter_out, received_eth_broadcast, 0x380, 128, traffic_counter) \
	N(query_vport_counter_out, transmitted_eth_broadcast, 0x400, 128, traffic_counter) \
	N(query_vport_counter_out, received_eth_unicast, 0x480, 128, traffic_counter) \
	N(query_vport_counter_out, transmitted_eth_unicast, 0x500, 128, traffic_counter) \
	N(query_vport_counter_out, received_eth_multicast, 0x580, 128, traffic_counter) \
	N(query_vport_counter_out, transmitted_eth_multicast, 0x600, 128, traffic_counter) \
	N(query_vport_counter_out, local_loopback, 0x680, 128, traffic_counter)

#define PRM_LAYOUT_access_register_in(S, F, W, K, N, A) \
	S(access_register_in, 0x080) \
	F(access_register_in, opcode, 0x000, 16) \
	F(access_register_in, op_mod, 0x030, 16) \
	F(access_register_in, register_id, 0x050, 16) \
	F(access_register_in, argument, 0x060, 32) \
	A(access_register_in, register_data, 0x080, register_word)

#define PRM_LAYOUT_access_register_out(S, F, W, K, N, A) \
	S(access_register_out, 0x080) \
	F(access_register_out, status, 0x000, 8) \
	F(access_register_out, syndrome, 0x020, 32)

#define PRM_LAYOUT_paos_reg(S, F, W, K, N, A) \
	S(paos_reg, 0x080) \
	F(paos_reg, swid, 0x000, 8) \
	F(paos_reg, local_port, 0x008, 8) \
	F(paos_reg, admin_status, 0x014, 4) \
	F(paos_reg, oper_status, 0x01c, 4) \
	F(paos_reg, ase, 0x020, 1) \
	F(paos_reg, ee, 0x021, 1) \
	F(paos_reg, e, 0x03e, 2)

#define PRM_LAYOUT_pmtu_reg(S, F, W, K, N, A) \
	S(pmtu_reg, 0x080) \
	F(pmtu_reg, local_port, 0x008, 8) \
	F(pmtu_reg, max_mtu, 0x020, 16) \
	F(pmtu_reg, admin_mtu, 0x040, 16) \
	F(pmtu_reg, oper_mtu, 0x060, 16)

#define PRM_LAYOUT_ppcnt_reg(S, F, W, K, N, A) \
	S(ppcnt_reg, 0x800) \
	F(ppcnt_reg, swid, 0x000, 8) \
	F(ppcnt_reg, local_port, 0x008, 8) \
	F(ppcnt_reg, pnat, 0x010, 2) \
	F(ppcnt_reg, grp, 0x01a, 6) \
	F(ppcnt_reg, clr, 0x020, 1) \
	F(ppcnt_reg, plane_ind, 0x034, 4) \
	F(ppcnt_reg, prio_tc, 0x03b, 5) \
	W(ppcnt_reg, counter_set, 0x040, 1984)

#define PRM_LAYOUT_eth_802_3_cntrs_grp_data_layout(S, F, W, K, N, A) \
	S(eth_802_3_cntrs_grp_data_layout, 0x7c0) \
	F(eth_802_3_cntrs_grp_data_layout, a_frames_transmitted_ok_high, 0x000, 32) \
	F(eth_802_3_cntrs_grp_data_layout, a_frames_transmitted_ok_low, 0x020, 32) \
	F(eth_802_3_cntrs_grp_data_layout, a_frames_received_ok_high, 0x040, 32) \
	F(eth_802_3_cntrs_grp_data_layout, a_frames_received_ok_low, 0x060, 32) \
	F(eth_802_3_cntrs_grp_data_layout, a_frame_check_sequence_errors_high, 0x080, 32) \
	F(eth_802_3_cntrs_grp_data_layout, a_frame_check_sequence_errors_low, 0x0a0, 32) \
	F(eth_802_3_cntrs_grp_data_layout, a_alignment_errors_high, 0x0c0, 32) \
	F(eth_802_3_cntrs_grp_data_layout, a_alignment_errors_low, 0x0e0, 32) \
	F(eth_802_3_cntrs_grp_data_layout, a_octets_transmitted_ok_high, 0x100, 32) \
	F(eth_802_3_cntrs_grp_data_layout, a_octets_transmitted_ok_low, 0x120, 32) \
	F(eth_802_3_cntrs_grp_data_layout, a_octets_received_ok_high, 0x140, 32) \
	F(eth_802_3_cntrs_grp_data_layout, a_octets_received_ok_low, 0x160, 32) \
	F(eth_802_3_cntrs_grp_data_layout, a_multicast_frames_xmitted_ok_high, 0x180, 32) \
	F(eth_802_3_cntrs_grp_data_layout, a_multicast_frames_xmitted_ok_low, 0x1a0, 32) \
	F(eth_802_3_cntrs_grp_data_layout, a_broadcast_frames_xmitted_ok_high, 0x1c0, 32) \
	F(eth_802_3_cntrs_grp_data_layout, a_broadcast_frames_xmitted_ok_low, 0x1e0, 32) \
	F(eth_802_3_cntrs_grp_data_layout, a_multicast_frames_received_ok_high, 0x200, 32) \
	F(eth_802_3_cntrs_grp_data_layout, a_multicast_frames_received_ok_low, 0x220, 32) \
	F(eth_802_3_cntrs_grp_data_layout, a_broadcast_frames_received_ok_high, 0x240, 32) \
	F(eth_802_3_cntrs_grp_data_layout, a_broadcast_frames_received_ok_low, 0x260, 32) \
	F(eth_802_3_cntrs_grp_data_layout, a_in_range_length_errors_high, 0x280, 32) \
	F(eth_802_3_cntrs_grp_data_layout, a_in_range_length_errors_low, 0x2a0, 32) \
	F(eth_802_3_cntrs_grp_data_layout, a_out_of_range_length_field_high, 0x2c0, 32) \
	F(eth_802_3_cntrs_grp_data_layout, a_out_of_range_length_field_low, 0x2e0, 32) \
	F(eth_802_3_cntrs_grp_data_layout, a_frame_too_long_errors_high, 0x300, 32) \
	F(eth_802_3_cntrs_grp_data_layout, a_frame_too_long_errors_low, 0x320, 32) \
	F(eth_802_3_cntrs_grp_data_layout, a_symbol_error_during_carrier_high, 0x340, 32) \
	F(eth_802_3_cntrs_grp_data_layout, a_symbol_error_during_carrier_low, 0x360, 32) \
	F(eth_802_3_cntrs_grp_data_layout, a_mac_control_frames_transmitted_high, 0x380, 32) \
	F(eth_802_3_cntrs_grp_data_layout, a_mac_control_frames_transmitted_low, 0x3a0, 32) \
	F(eth_802_3_cntrs_grp_data_layout, a_mac_control_frames_received_high, 0x3c0, 32) \
	F(eth_802_3_cntrs_grp_data_layout, a_mac_control_frames_received_low, 0x3e0, 32) \
	F(eth_802_3_cntrs_grp_data_layout, a_unsupported_opcodes_received_high, 0x400, 32) \
	F(eth_802_3_cntrs_grp_data_layout, a_unsupported_opcodes_received_low, 0x420, 32) \
	F(eth_802_3_cntrs_grp_data_layout, a_pause_mac_ctrl_frames_received_high, 0x440, 32) \
	F(eth_802_3_cntrs_grp_data_layout, a_pause_mac_ctrl_frames_received_low, 0x460, 32) \
	F(eth_802_3_cntrs_grp_data_layout, a_pause_mac_ctrl_frames_transmitted_high, 0x480, 32) \
	F(eth_802_3_cntrs_grp_data_layout, a_pause_mac_ctrl_frames_transmitted_low, 0x4a0, 32)

#define PRM_LAYOUT_eth_2863_cntrs_grp_data_layout(S, F, W, K, N, A) \
	S(eth_2863_cntrs_grp_data_layout, 0x7c0) \
	F(eth_2863_cntrs_grp_data_layout, if_in_octets_high, 0x000, 32) \
	F(eth_2863_cntrs_grp_data_layout, if_in_octets_low, 0x020, 32) \
	F(eth_2863_cntrs_grp_data_layout, if_in_ucast_pkts_high, 0x040, 32) \
	F(eth_2863_cntrs_grp_data_layout, if_in_ucast_pkts_low, 0x060, 32) \
	F(eth_2863_cntrs_grp_data_layout, if_in_discards_high, 0x080, 32) \
	F(eth_2863_cntrs_grp_data_layout, if_in_discards_low, 0x0a0, 32) \
	F(eth_2863_cntrs_grp_data_layout, if_in_errors_high, 0x0c0, 32) \
	F(eth_2863_cntrs_grp_data_layout, if_in_errors_low, 0x0e0, 32) \
	F(eth_2863_cntrs_grp_data_layout, if_in_unknown_protos_high, 0x100, 32) \
	F(eth_2863_cntrs_grp_data_layout, if_in_unknown_protos_low, 0x120, 32) \
	F(eth_2863_cntrs_grp_data_layout, if_out_octets_high, 0x140, 32) \
	F(eth_2863_cntrs_grp_data_layout, if_out_octets_low, 0x160, 32) \
	F(eth_2863_cntrs_grp_data_layout, if_out_ucast_pkts_high, 0x180, 32) \
	F(eth_2863_cntrs_grp_data_layout, if_out_ucast_pkts_low, 0x1a0, 32) \
	F(eth_2863_cntrs_grp_data_layout, if_out_discards_high, 0x1c0, 32) \
	F(eth_2863_cntrs_grp_data_layout, if_out_discards_low, 0x1e0, 32) \
	F(eth_2863_cntrs_grp_data_layout, if_out_errors_high, 0x200, 32) \
	F(eth_2863_cntrs_grp_data_layout, if_out_errors_low, 0x220, 32) \
	F(eth_2863_cntrs_grp_data_layout, if_in_multicast_pkts_high, 0x240, 32) \
	F(eth_2863_cntrs_grp_data_layout, if_in_multicast_pkts_low, 0x260, 32) \
	F(eth_2863_cntrs_grp_data_layout, if_in_broadcast_pkts_high, 0x280, 32) \
	F(eth_2863_cntrs_grp_data_layout, if_in_broadcast_pkts_low, 0x2a0, 32) \
	F(eth_2863_cntrs_grp_data_layout, if_out_multicast_pkts_high, 0x2c0, 32) \
	F(eth_2863_cntrs_grp_data_layout, if_out_multicast_pkts_low, 0x2e0, 32) \
	F(eth_2863_cntrs_grp_data_layout, if_out_broadcast_pkts_high, 0x300, 32) \
	F(eth_2863_cntrs_grp_data_layout, if_out_broadcast_pkts_low, 0x320, 32)

#define PRM_LAYOUT_query_special_contexts_in(S, F, W, K, N, A) \
	S(query_special_contexts_in, 0x080) \
	F(query_special_contexts_in, opcode, 0x000, 16) \
	F(query_special_contexts_in, op_mod, 0x030, 16)

#define PRM_LAYOUT_query_special_contexts_out(S, F, W, K, N, A) \
	S(query_special_contexts_out, 0x100) \
	F(query_special_contexts_out, status, 0x000, 8) \
	F(query_special_contexts_out, syndrome, 0x020, 32) \
	F(query_special_contexts_out, dump_fill_mkey, 0x040, 32) \
	F(query_special_contexts_out, resd_lkey, 0x060, 32) \
	F(query_special_contexts_out, null_mkey, 0x080, 32) \
	F(query_special_contexts_out, terminate_scatter_list_mkey, 0x0a0, 32) \
	F(query_special_contexts_out, repeated_mkey, 0x0c0, 32)

#define PRM_LAYOUT_query_issi_in(S, F, W, K, N, A) \
	S(query_issi_in, 0x080) \
	F(query_issi_in, opcode, 0x000, 16) \
	F(query_issi_in, op_mod, 0x030, 16)

#define PRM_LAYOUT_query_issi_out(S, F, W, K, N, A) \
	S(query_issi_out, 0x380) \
	F(query_issi_out, status, 0x000, 8) \
	F(query_issi_out, syndrome, 0x020, 32) \
	F(query_issi_out, current_issi, 0x050, 16) \
	F(query_issi_out, supported_issi_dw0, 0x360, 32)

#define PRM_LAYOUT_set_issi_in(S, F, W, K, N, A) \
	S(set_issi_in, 0x080) \
	F(set_issi_in, opcode, 0x000, 16) \
	F(set_issi_in, op_mod, 0x030, 16) \
	F(set_issi_in, current_issi, 0x050, 16)

#define PRM_LAYOUT_set_issi_out(S, F, W, K, N, A) \
	S(set_issi_out, 0x080) \
	F(set_issi_out, status, 0x000, 8) \
	F(set_issi_out, syndrome, 0x020, 32)

#define PRM_LAYOUT_query_adapter_in(S, F, W, K, N, A) \
	S(query_adapter_in, 0x080) \
	F(query_adapter_in, opcode, 0x000, 16) \
	F(query_adapter_in, op_mod, 0x030, 16)

#define PRM_LAYOUT_query_adapter_out(S, F, W, K, N, A) \
	S(query_adapter_out, 0x880) \
	F(query_adapter_out, status, 0x000, 8) \
	F(query_adapter_out, syndrome, 0x020, 32) \
	N(query_adapter_out, query_adapter_struct, 0x080, 2048, query_adapter_param_block)

#define PRM_LAYOUT_query_adapter_param_block(S, F, W, K, N, A) \
	S(query_adapter_param_block, 0x800) \
	F(query_adapter_param_block, ieee_vendor_id, 0x0c8, 24) \
	F(query_adapter_param_block, vsd_vendor_id, 0x0f0, 16) \
	W(query_adapter_param_block, vsd, 0x100, 1664) \
	W(query_adapter_param_block, vsd_contd_psid, 0x780, 128)

#define PRM_LAYOUT_query_pages_in(S, F, W, K, N, A) \
	S(query_pages_in, 0x080) \
	F(query_pages_in, opcode, 0x000, 16) \
	F(query_pages_in, op_mod, 0x030, 16) \
	F(query_pages_in, embedded_cpu_function, 0x040, 1) \
	F(query_pages_in, function_id, 0x050, 16)

#define PRM_LAYOUT_query_pages_out(S, F, W, K, N, A) \
	S(query_pages_out, 0x080) \
	F(query_pages_out, status, 0x000, 8) \
	F(query_pages_out, syndrome, 0x020, 32) \
	F(query_pages_out, embedded_cpu_function, 0x040, 1) \
	F(query_pages_out, function_id, 0x050, 16) \
	F(query_pages_out, num_pages, 0x060, 32)

#define PRM_LAYOUT_manage_pages_in(S, F, W, K, N, A) \
	S(manage_pages_in, 0x080) \
	F(manage_pages_in, opcode, 0x000, 16) \
	F(manage_pages_in, op_mod, 0x030, 16) \
	F(manage_pages_in, embedded_cpu_function, 0x040, 1) \
	F(manage_pages_in, function_id, 0x050, 16) \
	F(manage_pages_in, input_num_entries, 0x060, 32) \
	A(manage_pages_in, pas, 0x080, page_address)

#define PRM_LAYOUT_manage_pages_out(S, F, W, K, N, A) \
	S(manage_pages_out, 0x080) \
	F(manage_pages_out, status, 0x000, 8) \
	F(manage_pages_out, syndrome, 0x020, 32) \
	F(manage_pages_out, output_num_entries, 0x040, 32)

/* Elements of lists that have no layout of their own in the header. */
#define PRM_LAYOUT_register_word(S, F, W, K, N, A) \
	S(register_word, 0x020) \
	F(register_word, data, 0x000, 32)

#define PRM_LAYOUT_page_address(S, F, W, K, N, A) \
	S(page_address, 0x040) \
	F(page_address, address, 0x000, 64)

#endif
