/* SPDX-License-Identifier: BSD-2-Clause */
/* clang-format off */
/*
 * Flow steering: tables, groups, entries, match parameters, counters, reformat and modify-header contexts.
 *
 * One list per layout; offsets are absolute bit numbers from the first bit of the structure (bit 0 is the
 * most significant bit of byte 0). See prm.h for what is made of the lists. Source: the public interface
 * header of Linux 7.3 (mlx5_ifc.h) unless a line says otherwise.
 */
#ifndef PRM_LAYOUTS_FLOW_H
#define PRM_LAYOUTS_FLOW_H

#define PRM_LAYOUT_create_flow_table_in(S, F, W, K, N, A) \
	S(create_flow_table_in, 0x200) \
	F(create_flow_table_in, opcode, 0x000, 16) \
	F(create_flow_table_in, uid, 0x010, 16) \
	F(create_flow_table_in, op_mod, 0x030, 16) \
	F(create_flow_table_in, other_vport, 0x040, 1) \
	F(create_flow_table_in, other_eswitch, 0x041, 1) \
	F(create_flow_table_in, vport_number, 0x050, 16) \
	F(create_flow_table_in, table_type, 0x080, 8) \
	F(create_flow_table_in, eswitch_owner_vhca_id, 0x090, 16) \
	N(create_flow_table_in, flow_table_context, 0x0c0, 320, flow_table_context)

#define PRM_LAYOUT_create_flow_table_out(S, F, W, K, N, A) \
	S(create_flow_table_out, 0x080) \
	F(create_flow_table_out, status, 0x000, 8) \
	F(create_flow_table_out, icm_address_63_40, 0x008, 24) \
	F(create_flow_table_out, syndrome, 0x020, 32) \
	F(create_flow_table_out, icm_address_39_32, 0x040, 8) \
	F(create_flow_table_out, table_id, 0x048, 24) \
	F(create_flow_table_out, icm_address_31_0, 0x060, 32)

#define PRM_LAYOUT_modify_flow_table_in(S, F, W, K, N, A) \
	S(modify_flow_table_in, 0x200) \
	F(modify_flow_table_in, opcode, 0x000, 16) \
	F(modify_flow_table_in, op_mod, 0x030, 16) \
	F(modify_flow_table_in, other_vport, 0x040, 1) \
	F(modify_flow_table_in, other_eswitch, 0x041, 1) \
	F(modify_flow_table_in, vport_number, 0x050, 16) \
	F(modify_flow_table_in, modify_field_select, 0x070, 16) \
	F(modify_flow_table_in, table_type, 0x080, 8) \
	F(modify_flow_table_in, eswitch_owner_vhca_id, 0x090, 16) \
	F(modify_flow_table_in, table_id, 0x0a8, 24) \
	N(modify_flow_table_in, flow_table_context, 0x0c0, 320, flow_table_context)

#define PRM_LAYOUT_modify_flow_table_out(S, F, W, K, N, A) \
	S(modify_flow_table_out, 0x080) \
	F(modify_flow_table_out, status, 0x000, 8) \
	F(modify_flow_table_out, syndrome, 0x020, 32)

#define PRM_LAYOUT_query_flow_table_in(S, F, W, K, N, A) \
	S(query_flow_table_in, 0x200) \
	F(query_flow_table_in, opcode, 0x000, 16) \
	F(query_flow_table_in, op_mod, 0x030, 16) \
	F(query_flow_table_in, table_type, 0x080, 8) \
	F(query_flow_table_in, table_id, 0x0a8, 24)

#define PRM_LAYOUT_query_flow_table_out(S, F, W, K, N, A) \
	S(query_flow_table_out, 0x200) \
	F(query_flow_table_out, status, 0x000, 8) \
	F(query_flow_table_out, syndrome, 0x020, 32) \
	N(query_flow_table_out, flow_table_context, 0x0c0, 320, flow_table_context)

#define PRM_LAYOUT_destroy_flow_table_in(S, F, W, K, N, A) \
	S(destroy_flow_table_in, 0x200) \
	F(destroy_flow_table_in, opcode, 0x000, 16) \
	F(destroy_flow_table_in, op_mod, 0x030, 16) \
	F(destroy_flow_table_in, other_vport, 0x040, 1) \
	F(destroy_flow_table_in, other_eswitch, 0x041, 1) \
	F(destroy_flow_table_in, vport_number, 0x050, 16) \
	F(destroy_flow_table_in, table_type, 0x080, 8) \
	F(destroy_flow_table_in, eswitch_owner_vhca_id, 0x090, 16) \
	F(destroy_flow_table_in, table_id, 0x0a8, 24)

#define PRM_LAYOUT_destroy_flow_table_out(S, F, W, K, N, A) \
	S(destroy_flow_table_out, 0x080) \
	F(destroy_flow_table_out, status, 0x000, 8) \
	F(destroy_flow_table_out, syndrome, 0x020, 32)

#define PRM_LAYOUT_flow_table_context(S, F, W, K, N, A) \
	S(flow_table_context, 0x140) \
	F(flow_table_context, reformat_en, 0x000, 1) \
	F(flow_table_context, decap_en, 0x001, 1) \
	F(flow_table_context, sw_owner, 0x002, 1) \
	F(flow_table_context, termination_table, 0x003, 1) \
	F(flow_table_context, table_miss_action, 0x004, 4) \
	F(flow_table_context, level, 0x008, 8) \
	F(flow_table_context, rtc_valid, 0x010, 1) \
	F(flow_table_context, log_size, 0x018, 8) \
	F(flow_table_context, table_miss_id, 0x028, 24) \
	F(flow_table_context, lag_master_next_table_id, 0x048, 24) \
	N(flow_table_context, sws, 0x0c0, 128, sw_owner_icm_root_params) \
	N(flow_table_context, hws, 0x0c0, 128, rtc_params)

#define PRM_LAYOUT_sw_owner_icm_root_params(S, F, W, K, N, A) \
	S(sw_owner_icm_root_params, 0x080) \
	F(sw_owner_icm_root_params, sw_owner_icm_root_1, 0x000, 64) \
	F(sw_owner_icm_root_params, sw_owner_icm_root_0, 0x040, 64)

#define PRM_LAYOUT_rtc_params(S, F, W, K, N, A) \
	S(rtc_params, 0x080) \
	F(rtc_params, rtc_id_0, 0x000, 32) \
	F(rtc_params, rtc_id_1, 0x020, 32)

#define PRM_LAYOUT_set_flow_table_root_in(S, F, W, K, N, A) \
	S(set_flow_table_root_in, 0x200) \
	F(set_flow_table_root_in, opcode, 0x000, 16) \
	F(set_flow_table_root_in, op_mod, 0x030, 16) \
	F(set_flow_table_root_in, other_vport, 0x040, 1) \
	F(set_flow_table_root_in, other_eswitch, 0x041, 1) \
	F(set_flow_table_root_in, vport_number, 0x050, 16) \
	F(set_flow_table_root_in, eswitch_owner_vhca_id, 0x070, 16) \
	F(set_flow_table_root_in, table_type, 0x080, 8) \
	F(set_flow_table_root_in, table_of_other_vport, 0x08f, 1) \
	F(set_flow_table_root_in, table_vport_number, 0x090, 16) \
	F(set_flow_table_root_in, table_id, 0x0a8, 24) \
	F(set_flow_table_root_in, underlay_qpn, 0x0c8, 24) \
	F(set_flow_table_root_in, table_eswitch_owner_vhca_id_valid, 0x0e0, 1) \
	F(set_flow_table_root_in, table_eswitch_owner_vhca_id, 0x0f0, 16)

#define PRM_LAYOUT_set_flow_table_root_out(S, F, W, K, N, A) \
	S(set_flow_table_root_out, 0x080) \
	F(set_flow_table_root_out, status, 0x000, 8) \
	F(set_flow_table_root_out, syndrome, 0x020, 32)

#define PRM_LAYOUT_create_flow_group_in(S, F, W, K, N, A) \
	S(create_flow_group_in, 0x2000) \
	F(create_flow_group_in, opcode, 0x000, 16) \
	F(create_flow_group_in, op_mod, 0x030, 16) \
	F(create_flow_group_in, other_vport, 0x040, 1) \
	F(create_flow_group_in, other_eswitch, 0x041, 1) \
	F(create_flow_group_in, vport_number, 0x050, 16) \
	F(create_flow_group_in, table_type, 0x080, 8) \
	F(create_flow_group_in, group_type, 0x08c, 4) \
	F(create_flow_group_in, eswitch_owner_vhca_id, 0x090, 16) \
	F(create_flow_group_in, table_id, 0x0a8, 24) \
	F(create_flow_group_in, source_eswitch_owner_vhca_id_valid, 0x0c0, 1) \
	F(create_flow_group_in, start_flow_index, 0x0e0, 32) \
	F(create_flow_group_in, end_flow_index, 0x120, 32) \
	F(create_flow_group_in, match_definer_id, 0x150, 16) \
	F(create_flow_group_in, match_criteria_enable, 0x1f8, 8) \
	N(create_flow_group_in, match_criteria, 0x200, 4096, fte_match_param)

#define PRM_LAYOUT_create_flow_group_out(S, F, W, K, N, A) \
	S(create_flow_group_out, 0x080) \
	F(create_flow_group_out, status, 0x000, 8) \
	F(create_flow_group_out, syndrome, 0x020, 32) \
	F(create_flow_group_out, group_id, 0x048, 24)

#define PRM_LAYOUT_query_flow_group_in(S, F, W, K, N, A) \
	S(query_flow_group_in, 0x200) \
	F(query_flow_group_in, opcode, 0x000, 16) \
	F(query_flow_group_in, op_mod, 0x030, 16) \
	F(query_flow_group_in, table_type, 0x080, 8) \
	F(query_flow_group_in, table_id, 0x0a8, 24) \
	F(query_flow_group_in, group_id, 0x0c0, 32)

#define PRM_LAYOUT_query_flow_group_out(S, F, W, K, N, A) \
	S(query_flow_group_out, 0x2000) \
	F(query_flow_group_out, status, 0x000, 8) \
	F(query_flow_group_out, syndrome, 0x020, 32) \
	F(query_flow_group_out, start_flow_index, 0x0e0, 32) \
	F(query_flow_group_out, end_flow_index, 0x120, 32) \
	F(query_flow_group_out, match_criteria_enable, 0x1f8, 8) \
	N(query_flow_group_out, match_criteria, 0x200, 4096, fte_match_param)

#define PRM_LAYOUT_destroy_flow_group_in(S, F, W, K, N, A) \
	S(destroy_flow_group_in, 0x200) \
	F(destroy_flow_group_in, opcode, 0x000, 16) \
	F(destroy_flow_group_in, op_mod, 0x030, 16) \
	F(destroy_flow_group_in, other_vport, 0x040, 1) \
	F(destroy_flow_group_in, other_eswitch, 0x041, 1) \
	F(destroy_flow_group_in, vport_number, 0x050, 16) \
	F(destroy_flow_group_in, table_type, 0x080, 8) \
	F(destroy_flow_group_in, eswitch_owner_vhca_id, 0x090, 16) \
	F(destroy_flow_group_in, table_id, 0x0a8, 24) \
	F(destroy_flow_group_in, group_id, 0x0c0, 32)

#define PRM_LAYOUT_destroy_flow_group_out(S, F, W, K, N, A) \
	S(destroy_flow_group_out, 0x080) \
	F(destroy_flow_group_out, status, 0x000, 8) \
	F(destroy_flow_group_out, syndrome, 0x020, 32)

#define PRM_LAYOUT_set_fte_in(S, F, W, K, N, A) \
	S(set_fte_in, 0x1a00) \
	F(set_fte_in, opcode, 0x000, 16) \
	F(set_fte_in, op_mod, 0x030, 16) \
	F(set_fte_in, other_vport, 0x040, 1) \
	F(set_fte_in, other_eswitch, 0x041, 1) \
	F(set_fte_in, vport_number, 0x050, 16) \
	F(set_fte_in, table_type, 0x080, 8) \
	F(set_fte_in, eswitch_owner_vhca_id, 0x090, 16) \
	F(set_fte_in, table_id, 0x0a8, 24) \
	F(set_fte_in, ignore_flow_level, 0x0c0, 1) \
	F(set_fte_in, modify_enable_mask, 0x0d8, 8) \
	F(set_fte_in, flow_index, 0x100, 32) \
	N(set_fte_in, flow_context, 0x200, 6144, flow_context)

#define PRM_LAYOUT_set_fte_out(S, F, W, K, N, A) \
	S(set_fte_out, 0x080) \
	F(set_fte_out, status, 0x000, 8) \
	F(set_fte_out, syndrome, 0x020, 32)

#define PRM_LAYOUT_query_fte_in(S, F, W, K, N, A) \
	S(query_fte_in, 0x200) \
	F(query_fte_in, opcode, 0x000, 16) \
	F(query_fte_in, op_mod, 0x030, 16) \
	F(query_fte_in, table_type, 0x080, 8) \
	F(query_fte_in, table_id, 0x0a8, 24) \
	F(query_fte_in, flow_index, 0x100, 32)

#define PRM_LAYOUT_query_fte_out(S, F, W, K, N, A) \
	S(query_fte_out, 0x1a00) \
	F(query_fte_out, status, 0x000, 8) \
	F(query_fte_out, syndrome, 0x020, 32) \
	N(query_fte_out, flow_context, 0x200, 6144, flow_context)

#define PRM_LAYOUT_delete_fte_in(S, F, W, K, N, A) \
	S(delete_fte_in, 0x200) \
	F(delete_fte_in, opcode, 0x000, 16) \
	F(delete_fte_in, op_mod, 0x030, 16) \
	F(delete_fte_in, other_vport, 0x040, 1) \
	F(delete_fte_in, other_eswitch, 0x041, 1) \
	F(delete_fte_in, vport_number, 0x050, 16) \
	F(delete_fte_in, table_type, 0x080, 8) \
	F(delete_fte_in, eswitch_owner_vhca_id, 0x090, 16) \
	F(delete_fte_in, table_id, 0x0a8, 24) \
	F(delete_fte_in, flow_index, 0x100, 32)

#define PRM_LAYOUT_delete_fte_out(S, F, W, K, N, A) \
	S(delete_fte_out, 0x080) \
	F(delete_fte_out, status, 0x000, 8) \
	F(delete_fte_out, syndrome, 0x020, 32)

#define PRM_LAYOUT_flow_context(S, F, W, K, N, A) \
	S(flow_context, 0x1800) \
	N(flow_context, push_vlan, 0x000, 32, vlan) \
	F(flow_context, group_id, 0x020, 32) \
	F(flow_context, flow_tag, 0x048, 24) \
	F(flow_context, action, 0x070, 16) \
	F(flow_context, extended_destination, 0x080, 1) \
	F(flow_context, uplink_hairpin_en, 0x081, 1) \
	F(flow_context, flow_source, 0x082, 2) \
	F(flow_context, encrypt_decrypt_type, 0x084, 4) \
	F(flow_context, destination_list_size, 0x088, 24) \
	F(flow_context, flow_counter_list_size, 0x0a8, 24) \
	F(flow_context, packet_reformat_id, 0x0c0, 32) \
	F(flow_context, modify_header_id, 0x0e0, 32) \
	N(flow_context, push_vlan_2, 0x100, 32, vlan) \
	F(flow_context, encrypt_decrypt_obj_id, 0x120, 32) \
	N(flow_context, match_value, 0x200, 4096, fte_match_param) \
	W(flow_context, execute_aso, 0x1200, 256) \
	A(flow_context, destination, 0x1800, dest_format_struct)

#define PRM_LAYOUT_vlan(S, F, W, K, N, A) \
	S(vlan, 0x020) \
	F(vlan, ethtype, 0x000, 16) \
	F(vlan, prio, 0x010, 3) \
	F(vlan, cfi, 0x013, 1) \
	F(vlan, vid, 0x014, 12)

#define PRM_LAYOUT_dest_format_struct(S, F, W, K, N, A) \
	S(dest_format_struct, 0x040) \
	F(dest_format_struct, destination_type, 0x000, 8) \
	F(dest_format_struct, destination_id, 0x008, 24) \
	F(dest_format_struct, destination_eswitch_owner_vhca_id_valid, 0x020, 1) \
	F(dest_format_struct, packet_reformat, 0x021, 1) \
	F(dest_format_struct, destination_table_type, 0x028, 8) \
	F(dest_format_struct, destination_eswitch_owner_vhca_id, 0x030, 16)

#define PRM_LAYOUT_extended_dest_format(S, F, W, K, N, A) \
	S(extended_dest_format, 0x080) \
	N(extended_dest_format, destination_entry, 0x000, 64, dest_format_struct) \
	F(extended_dest_format, packet_reformat_id, 0x040, 32)

#define PRM_LAYOUT_flow_counter_list(S, F, W, K, N, A) \
	S(flow_counter_list, 0x040) \
	F(flow_counter_list, flow_counter_id, 0x000, 32)

#define PRM_LAYOUT_execute_aso(S, F, W, K, N, A) \
	S(execute_aso, 0x040) \
	F(execute_aso, valid, 0x000, 1) \
	F(execute_aso, aso_object_id, 0x008, 24) \
	F(execute_aso, exe_aso_ctrl, 0x020, 32)

#define PRM_LAYOUT_exe_aso_ctrl_flow_meter(S, F, W, K, N, A) \
	S(exe_aso_ctrl_flow_meter, 0x020) \
	F(exe_aso_ctrl_flow_meter, return_reg_id, 0x000, 4) \
	F(exe_aso_ctrl_flow_meter, aso_type, 0x004, 4) \
	F(exe_aso_ctrl_flow_meter, action, 0x01c, 1) \
	F(exe_aso_ctrl_flow_meter, init_color, 0x01d, 2) \
	F(exe_aso_ctrl_flow_meter, meter_id, 0x01f, 1)

#define PRM_LAYOUT_fte_match_param(S, F, W, K, N, A) \
	S(fte_match_param, 0x1000) \
	N(fte_match_param, outer_headers, 0x000, 512, fte_match_set_lyr_2_4) \
	N(fte_match_param, misc_parameters, 0x200, 512, fte_match_set_misc) \
	N(fte_match_param, inner_headers, 0x400, 512, fte_match_set_lyr_2_4) \
	N(fte_match_param, misc_parameters_2, 0x600, 512, fte_match_set_misc2) \
	N(fte_match_param, misc_parameters_3, 0x800, 512, fte_match_set_misc3) \
	N(fte_match_param, misc_parameters_4, 0xa00, 512, fte_match_set_misc4) \
	N(fte_match_param, misc_parameters_5, 0xc00, 512, fte_match_set_misc5) \
	W(fte_match_param, misc_parameters_6, 0xe00, 512)

#define PRM_LAYOUT_fte_match_set_lyr_2_4(S, F, W, K, N, A) \
	S(fte_match_set_lyr_2_4, 0x200) \
	F(fte_match_set_lyr_2_4, smac_47_16, 0x000, 32) \
	F(fte_match_set_lyr_2_4, smac_15_0, 0x020, 16) \
	F(fte_match_set_lyr_2_4, ethertype, 0x030, 16) \
	F(fte_match_set_lyr_2_4, dmac_47_16, 0x040, 32) \
	F(fte_match_set_lyr_2_4, dmac_15_0, 0x060, 16) \
	F(fte_match_set_lyr_2_4, first_prio, 0x070, 3) \
	F(fte_match_set_lyr_2_4, first_cfi, 0x073, 1) \
	F(fte_match_set_lyr_2_4, first_vid, 0x074, 12) \
	F(fte_match_set_lyr_2_4, ip_protocol, 0x080, 8) \
	F(fte_match_set_lyr_2_4, ip_dscp, 0x088, 6) \
	F(fte_match_set_lyr_2_4, ip_ecn, 0x08e, 2) \
	F(fte_match_set_lyr_2_4, cvlan_tag, 0x090, 1) \
	F(fte_match_set_lyr_2_4, svlan_tag, 0x091, 1) \
	F(fte_match_set_lyr_2_4, frag, 0x092, 1) \
	F(fte_match_set_lyr_2_4, ip_version, 0x093, 4) \
	F(fte_match_set_lyr_2_4, tcp_flags, 0x097, 9) \
	F(fte_match_set_lyr_2_4, tcp_sport, 0x0a0, 16) \
	F(fte_match_set_lyr_2_4, tcp_dport, 0x0b0, 16) \
	F(fte_match_set_lyr_2_4, l4_type, 0x0c0, 2) \
	F(fte_match_set_lyr_2_4, l4_type_ext, 0x0c2, 4) \
	F(fte_match_set_lyr_2_4, ipv4_ihl, 0x0d0, 4) \
	F(fte_match_set_lyr_2_4, ttl_hoplimit, 0x0d8, 8) \
	F(fte_match_set_lyr_2_4, udp_sport, 0x0e0, 16) \
	F(fte_match_set_lyr_2_4, udp_dport, 0x0f0, 16) \
	W(fte_match_set_lyr_2_4, src_ipv4_src_ipv6, 0x100, 128) \
	W(fte_match_set_lyr_2_4, dst_ipv4_dst_ipv6, 0x180, 128)

#define PRM_LAYOUT_fte_match_set_misc(S, F, W, K, N, A) \
	S(fte_match_set_misc, 0x200) \
	F(fte_match_set_misc, gre_c_present, 0x000, 1) \
	F(fte_match_set_misc, gre_k_present, 0x002, 1) \
	F(fte_match_set_misc, gre_s_present, 0x003, 1) \
	F(fte_match_set_misc, source_vhca_port, 0x004, 4) \
	F(fte_match_set_misc, source_sqn, 0x008, 24) \
	F(fte_match_set_misc, source_eswitch_owner_vhca_id, 0x020, 16) \
	F(fte_match_set_misc, source_port, 0x030, 16) \
	F(fte_match_set_misc, outer_second_prio, 0x040, 3) \
	F(fte_match_set_misc, outer_second_cfi, 0x043, 1) \
	F(fte_match_set_misc, outer_second_vid, 0x044, 12) \
	F(fte_match_set_misc, inner_second_prio, 0x050, 3) \
	F(fte_match_set_misc, inner_second_cfi, 0x053, 1) \
	F(fte_match_set_misc, inner_second_vid, 0x054, 12) \
	F(fte_match_set_misc, outer_second_cvlan_tag, 0x060, 1) \
	F(fte_match_set_misc, inner_second_cvlan_tag, 0x061, 1) \
	F(fte_match_set_misc, outer_second_svlan_tag, 0x062, 1) \
	F(fte_match_set_misc, inner_second_svlan_tag, 0x063, 1) \
	F(fte_match_set_misc, gre_protocol, 0x070, 16) \
	F(fte_match_set_misc, gre_key, 0x080, 32) \
	F(fte_match_set_misc, vxlan_vni, 0x0a0, 24) \
	F(fte_match_set_misc, bth_opcode, 0x0b8, 8) \
	F(fte_match_set_misc, geneve_vni, 0x0c0, 24) \
	F(fte_match_set_misc, geneve_tlv_option_0_exist, 0x0de, 1) \
	F(fte_match_set_misc, geneve_oam, 0x0df, 1) \
	F(fte_match_set_misc, outer_ipv6_flow_label, 0x0ec, 20) \
	F(fte_match_set_misc, inner_ipv6_flow_label, 0x10c, 20) \
	F(fte_match_set_misc, geneve_opt_len, 0x12a, 6) \
	F(fte_match_set_misc, geneve_protocol_type, 0x130, 16) \
	F(fte_match_set_misc, bth_dst_qp, 0x148, 24) \
	F(fte_match_set_misc, inner_esp_spi, 0x160, 32) \
	F(fte_match_set_misc, outer_esp_spi, 0x180, 32)

#define PRM_LAYOUT_fte_match_set_misc2(S, F, W, K, N, A) \
	S(fte_match_set_misc2, 0x200) \
	N(fte_match_set_misc2, outer_first_mpls, 0x000, 32, fte_match_mpls) \
	N(fte_match_set_misc2, inner_first_mpls, 0x020, 32, fte_match_mpls) \
	N(fte_match_set_misc2, outer_first_mpls_over_gre, 0x040, 32, fte_match_mpls) \
	N(fte_match_set_misc2, outer_first_mpls_over_udp, 0x060, 32, fte_match_mpls) \
	F(fte_match_set_misc2, metadata_reg_c_7, 0x080, 32) \
	F(fte_match_set_misc2, metadata_reg_c_6, 0x0a0, 32) \
	F(fte_match_set_misc2, metadata_reg_c_5, 0x0c0, 32) \
	F(fte_match_set_misc2, metadata_reg_c_4, 0x0e0, 32) \
	F(fte_match_set_misc2, metadata_reg_c_3, 0x100, 32) \
	F(fte_match_set_misc2, metadata_reg_c_2, 0x120, 32) \
	F(fte_match_set_misc2, metadata_reg_c_1, 0x140, 32) \
	F(fte_match_set_misc2, metadata_reg_c_0, 0x160, 32) \
	F(fte_match_set_misc2, metadata_reg_a, 0x180, 32) \
	F(fte_match_set_misc2, psp_syndrome, 0x1a0, 8) \
	F(fte_match_set_misc2, macsec_syndrome, 0x1a8, 8) \
	F(fte_match_set_misc2, ipsec_syndrome, 0x1b0, 8) \
	F(fte_match_set_misc2, ipsec_next_header, 0x1b8, 8)

#define PRM_LAYOUT_fte_match_set_misc3(S, F, W, K, N, A) \
	S(fte_match_set_misc3, 0x200) \
	F(fte_match_set_misc3, inner_tcp_seq_num, 0x000, 32) \
	F(fte_match_set_misc3, outer_tcp_seq_num, 0x020, 32) \
	F(fte_match_set_misc3, inner_tcp_ack_num, 0x040, 32) \
	F(fte_match_set_misc3, outer_tcp_ack_num, 0x060, 32) \
	F(fte_match_set_misc3, outer_vxlan_gpe_vni, 0x088, 24) \
	F(fte_match_set_misc3, outer_vxlan_gpe_next_protocol, 0x0a0, 8) \
	F(fte_match_set_misc3, outer_vxlan_gpe_flags, 0x0a8, 8) \
	F(fte_match_set_misc3, icmp_header_data, 0x0c0, 32) \
	F(fte_match_set_misc3, icmpv6_header_data, 0x0e0, 32) \
	F(fte_match_set_misc3, icmp_type, 0x100, 8) \
	F(fte_match_set_misc3, icmp_code, 0x108, 8) \
	F(fte_match_set_misc3, icmpv6_type, 0x110, 8) \
	F(fte_match_set_misc3, icmpv6_code, 0x118, 8) \
	F(fte_match_set_misc3, geneve_tlv_option_0_data, 0x120, 32) \
	F(fte_match_set_misc3, gtpu_teid, 0x140, 32) \
	F(fte_match_set_misc3, gtpu_msg_type, 0x160, 8) \
	F(fte_match_set_misc3, gtpu_msg_flags, 0x168, 8) \
	F(fte_match_set_misc3, gtpu_dw_2, 0x180, 32) \
	F(fte_match_set_misc3, gtpu_first_ext_dw_0, 0x1a0, 32) \
	F(fte_match_set_misc3, gtpu_dw_0, 0x1c0, 32)

#define PRM_LAYOUT_fte_match_set_misc4(S, F, W, K, N, A) \
	S(fte_match_set_misc4, 0x200) \
	F(fte_match_set_misc4, prog_sample_field_value_0, 0x000, 32) \
	F(fte_match_set_misc4, prog_sample_field_id_0, 0x020, 32) \
	F(fte_match_set_misc4, prog_sample_field_value_1, 0x040, 32) \
	F(fte_match_set_misc4, prog_sample_field_id_1, 0x060, 32) \
	F(fte_match_set_misc4, prog_sample_field_value_2, 0x080, 32) \
	F(fte_match_set_misc4, prog_sample_field_id_2, 0x0a0, 32) \
	F(fte_match_set_misc4, prog_sample_field_value_3, 0x0c0, 32) \
	F(fte_match_set_misc4, prog_sample_field_id_3, 0x0e0, 32)

#define PRM_LAYOUT_fte_match_set_misc5(S, F, W, K, N, A) \
	S(fte_match_set_misc5, 0x200) \
	F(fte_match_set_misc5, macsec_tag_0, 0x000, 32) \
	F(fte_match_set_misc5, macsec_tag_1, 0x020, 32) \
	F(fte_match_set_misc5, macsec_tag_2, 0x040, 32) \
	F(fte_match_set_misc5, macsec_tag_3, 0x060, 32) \
	F(fte_match_set_misc5, tunnel_header_0, 0x080, 32) \
	F(fte_match_set_misc5, tunnel_header_1, 0x0a0, 32) \
	F(fte_match_set_misc5, tunnel_header_2, 0x0c0, 32) \
	F(fte_match_set_misc5, tunnel_header_3, 0x0e0, 32)

#define PRM_LAYOUT_fte_match_mpls(S, F, W, K, N, A) \
	S(fte_match_mpls, 0x020) \
	F(fte_match_mpls, mpls_label, 0x000, 20) \
	F(fte_match_mpls, mpls_exp, 0x014, 3) \
	F(fte_match_mpls, mpls_s_bos, 0x017, 1) \
	F(fte_match_mpls, mpls_ttl, 0x018, 8)

#define PRM_LAYOUT_alloc_flow_counter_in(S, F, W, K, N, A) \
	S(alloc_flow_counter_in, 0x080) \
	F(alloc_flow_counter_in, opcode, 0x000, 16) \
	F(alloc_flow_counter_in, op_mod, 0x030, 16) \
	F(alloc_flow_counter_in, flow_counter_bulk_log_size, 0x073, 5) \
	F(alloc_flow_counter_in, flow_counter_bulk, 0x078, 8)

#define PRM_LAYOUT_alloc_flow_counter_out(S, F, W, K, N, A) \
	S(alloc_flow_counter_out, 0x080) \
	F(alloc_flow_counter_out, status, 0x000, 8) \
	F(alloc_flow_counter_out, syndrome, 0x020, 32) \
	F(alloc_flow_counter_out, flow_counter_id, 0x040, 32)

#define PRM_LAYOUT_dealloc_flow_counter_in(S, F, W, K, N, A) \
	S(dealloc_flow_counter_in, 0x080) \
	F(dealloc_flow_counter_in, opcode, 0x000, 16) \
	F(dealloc_flow_counter_in, op_mod, 0x030, 16) \
	F(dealloc_flow_counter_in, flow_counter_id, 0x040, 32)

#define PRM_LAYOUT_dealloc_flow_counter_out(S, F, W, K, N, A) \
	S(dealloc_flow_counter_out, 0x080) \
	F(dealloc_flow_counter_out, status, 0x000, 8) \
	F(dealloc_flow_counter_out, syndrome, 0x020, 32)

#define PRM_LAYOUT_query_flow_counter_in(S, F, W, K, N, A) \
	S(query_flow_counter_in, 0x100) \
	F(query_flow_counter_in, opcode, 0x000, 16) \
	F(query_flow_counter_in, op_mod, 0x030, 16) \
	F(query_flow_counter_in, clear, 0x0c0, 1) \
	F(query_flow_counter_in, num_of_counters, 0x0d0, 16) \
	F(query_flow_counter_in, flow_counter_id, 0x0e0, 32)

#define PRM_LAYOUT_query_flow_counter_out(S, F, W, K, N, A) \
	S(query_flow_counter_out, 0x080) \
	F(query_flow_counter_out, status, 0x000, 8) \
	F(query_flow_counter_out, syndrome, 0x020, 32) \
	A(query_flow_counter_out, flow_statistics, 0x080, traffic_counter)

#define PRM_LAYOUT_traffic_counter(S, F, W, K, N, A) \
	S(traffic_counter, 0x080) \
	F(traffic_counter, packets, 0x000, 64) \
	F(traffic_counter, octets, 0x040, 64)

#define PRM_LAYOUT_alloc_packet_reformat_context_in(S, F, W, K, N, A) \
	S(alloc_packet_reformat_context_in, 0x120) \
	F(alloc_packet_reformat_context_in, opcode, 0x000, 16) \
	F(alloc_packet_reformat_context_in, op_mod, 0x030, 16) \
	N(alloc_packet_reformat_context_in, packet_reformat_context, 0x0e0, 64, packet_reformat_context_in)

#define PRM_LAYOUT_alloc_packet_reformat_context_out(S, F, W, K, N, A) \
	S(alloc_packet_reformat_context_out, 0x080) \
	F(alloc_packet_reformat_context_out, status, 0x000, 8) \
	F(alloc_packet_reformat_context_out, syndrome, 0x020, 32) \
	F(alloc_packet_reformat_context_out, packet_reformat_id, 0x040, 32)

#define PRM_LAYOUT_dealloc_packet_reformat_context_in(S, F, W, K, N, A) \
	S(dealloc_packet_reformat_context_in, 0x080) \
	F(dealloc_packet_reformat_context_in, opcode, 0x000, 16) \
	F(dealloc_packet_reformat_context_in, op_mod, 0x030, 16) \
	F(dealloc_packet_reformat_context_in, packet_reformat_id, 0x040, 32)

#define PRM_LAYOUT_dealloc_packet_reformat_context_out(S, F, W, K, N, A) \
	S(dealloc_packet_reformat_context_out, 0x080) \
	F(dealloc_packet_reformat_context_out, status, 0x000, 8) \
	F(dealloc_packet_reformat_context_out, syndrome, 0x020, 32)

#define PRM_LAYOUT_query_packet_reformat_context_in(S, F, W, K, N, A) \
	S(query_packet_reformat_context_in, 0x100) \
	F(query_packet_reformat_context_in, opcode, 0x000, 16) \
	F(query_packet_reformat_context_in, op_mod, 0x030, 16) \
	F(query_packet_reformat_context_in, packet_reformat_id, 0x040, 32)

#define PRM_LAYOUT_query_packet_reformat_context_out(S, F, W, K, N, A) \
	S(query_packet_reformat_context_out, 0x0e0) \
	F(query_packet_reformat_context_out, status, 0x000, 8) \
	F(query_packet_reformat_context_out, syndrome, 0x020, 32) \
	A(query_packet_reformat_context_out, packet_reformat_context, 0x0e0, packet_reformat_context_in)

#define PRM_LAYOUT_packet_reformat_context_in(S, F, W, K, N, A) \
	S(packet_reformat_context_in, 0x040) \
	F(packet_reformat_context_in, reformat_type, 0x000, 8) \
	F(packet_reformat_context_in, reformat_param_0, 0x00c, 4) \
	F(packet_reformat_context_in, reformat_data_size, 0x016, 10) \
	F(packet_reformat_context_in, reformat_param_1, 0x020, 8) \
	F(packet_reformat_context_in, reformat_data, 0x030, 16)

#define PRM_LAYOUT_alloc_modify_header_context_in(S, F, W, K, N, A) \
	S(alloc_modify_header_context_in, 0x080) \
	F(alloc_modify_header_context_in, opcode, 0x000, 16) \
	F(alloc_modify_header_context_in, op_mod, 0x030, 16) \
	F(alloc_modify_header_context_in, table_type, 0x060, 8) \
	F(alloc_modify_header_context_in, num_of_actions, 0x078, 8) \
	A(alloc_modify_header_context_in, actions, 0x080, set_action_in)

#define PRM_LAYOUT_alloc_modify_header_context_out(S, F, W, K, N, A) \
	S(alloc_modify_header_context_out, 0x080) \
	F(alloc_modify_header_context_out, status, 0x000, 8) \
	F(alloc_modify_header_context_out, syndrome, 0x020, 32) \
	F(alloc_modify_header_context_out, modify_header_id, 0x040, 32)

#define PRM_LAYOUT_dealloc_modify_header_context_in(S, F, W, K, N, A) \
	S(dealloc_modify_header_context_in, 0x080) \
	F(dealloc_modify_header_context_in, opcode, 0x000, 16) \
	F(dealloc_modify_header_context_in, op_mod, 0x030, 16) \
	F(dealloc_modify_header_context_in, modify_header_id, 0x040, 32)

#define PRM_LAYOUT_dealloc_modify_header_context_out(S, F, W, K, N, A) \
	S(dealloc_modify_header_context_out, 0x080) \
	F(dealloc_modify_header_context_out, status, 0x000, 8) \
	F(dealloc_modify_header_context_out, syndrome, 0x020, 32)

#define PRM_LAYOUT_set_action_in(S, F, W, K, N, A) \
	S(set_action_in, 0x040) \
	F(set_action_in, action_type, 0x000, 4) \
	F(set_action_in, field, 0x004, 12) \
	F(set_action_in, offset, 0x013, 5) \
	F(set_action_in, length, 0x01b, 5) \
	F(set_action_in, data, 0x020, 32)

#define PRM_LAYOUT_add_action_in(S, F, W, K, N, A) \
	S(add_action_in, 0x040) \
	F(add_action_in, action_type, 0x000, 4) \
	F(add_action_in, field, 0x004, 12) \
	F(add_action_in, data, 0x020, 32)

#define PRM_LAYOUT_copy_action_in(S, F, W, K, N, A) \
	S(copy_action_in, 0x040) \
	F(copy_action_in, action_type, 0x000, 4) \
	F(copy_action_in, src_field, 0x004, 12) \
	F(copy_action_in, src_offset, 0x013, 5) \
	F(copy_action_in, length, 0x01b, 5) \
	F(copy_action_in, dst_field, 0x024, 12) \
	F(copy_action_in, dst_offset, 0x033, 5)

#endif
