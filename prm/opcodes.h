/* SPDX-License-Identifier: BSD-2-Clause */
/* clang-format off */
/*
 * The commands this project speaks: O(name, opcode, in layout, out layout, object in words). The model must have a
 * row for each (providers/model/firmware.c), the decoder and the refusal tests walk the same table. New ones go to the
 * end: the fuzzers' corpora name them by their place.
 * Source: the public interface header of Linux 7.3 (mlx5_ifc.h).
 */
#ifndef PRM_OPCODES_H
#define PRM_OPCODES_H

#define PRM_OPCODES(O) \
	O(QUERY_HCA_CAP, 0x100, query_hca_cap_in, query_hca_cap_out, "capabilities") \
	O(NOP, 0x80d, nop_in, nop_out, "firmware") \
	O(CREATE_MKEY, 0x200, create_mkey_in, create_mkey_out, "memory key") \
	O(DESTROY_MKEY, 0x202, destroy_mkey_in, destroy_mkey_out, "memory key") \
	O(CREATE_CQ, 0x400, create_cq_in, create_cq_out, "CQ") \
	O(DESTROY_CQ, 0x401, destroy_cq_in, destroy_cq_out, "CQ") \
	O(ALLOC_PD, 0x800, alloc_pd_in, alloc_pd_out, "PD") \
	O(DEALLOC_PD, 0x801, dealloc_pd_in, dealloc_pd_out, "PD") \
	O(ALLOC_UAR, 0x802, alloc_uar_in, alloc_uar_out, "UAR") \
	O(DEALLOC_UAR, 0x803, dealloc_uar_in, dealloc_uar_out, "UAR") \
	O(ALLOC_TRANSPORT_DOMAIN, 0x816, alloc_transport_domain_in, alloc_transport_domain_out, "transport domain") \
	O(DEALLOC_TRANSPORT_DOMAIN, 0x817, dealloc_transport_domain_in, dealloc_transport_domain_out, "transport domain") \
	O(CREATE_TIR, 0x900, create_tir_in, create_tir_out, "TIR") \
	O(DESTROY_TIR, 0x902, destroy_tir_in, destroy_tir_out, "TIR") \
	O(CREATE_SQ, 0x904, create_sq_in, create_sq_out, "SQ") \
	O(MODIFY_SQ, 0x905, modify_sq_in, modify_sq_out, "SQ") \
	O(DESTROY_SQ, 0x906, destroy_sq_in, destroy_sq_out, "SQ") \
	O(QUERY_SQ, 0x907, query_sq_in, query_sq_out, "SQ") \
	O(CREATE_RQ, 0x908, create_rq_in, create_rq_out, "RQ") \
	O(MODIFY_RQ, 0x909, modify_rq_in, modify_rq_out, "RQ") \
	O(DESTROY_RQ, 0x90a, destroy_rq_in, destroy_rq_out, "RQ") \
	O(QUERY_RQ, 0x90b, query_rq_in, query_rq_out, "RQ") \
	O(CREATE_TIS, 0x912, create_tis_in, create_tis_out, "TIS") \
	O(DESTROY_TIS, 0x914, destroy_tis_in, destroy_tis_out, "TIS") \
	O(SET_FLOW_TABLE_ROOT, 0x92f, set_flow_table_root_in, set_flow_table_root_out, "flow table root") \
	O(CREATE_FLOW_TABLE, 0x930, create_flow_table_in, create_flow_table_out, "flow table") \
	O(DESTROY_FLOW_TABLE, 0x931, destroy_flow_table_in, destroy_flow_table_out, "flow table") \
	O(QUERY_FLOW_TABLE, 0x932, query_flow_table_in, query_flow_table_out, "flow table") \
	O(MODIFY_FLOW_TABLE, 0x93c, modify_flow_table_in, modify_flow_table_out, "flow table") \
	O(CREATE_FLOW_GROUP, 0x933, create_flow_group_in, create_flow_group_out, "flow group") \
	O(DESTROY_FLOW_GROUP, 0x934, destroy_flow_group_in, destroy_flow_group_out, "flow group") \
	O(QUERY_FLOW_GROUP, 0x935, query_flow_group_in, query_flow_group_out, "flow group") \
	O(SET_FLOW_TABLE_ENTRY, 0x936, set_fte_in, set_fte_out, "flow table entry") \
	O(QUERY_FLOW_TABLE_ENTRY, 0x937, query_fte_in, query_fte_out, "flow table entry") \
	O(DELETE_FLOW_TABLE_ENTRY, 0x938, delete_fte_in, delete_fte_out, "flow table entry") \
	O(ALLOC_FLOW_COUNTER, 0x939, alloc_flow_counter_in, alloc_flow_counter_out, "flow counter") \
	O(DEALLOC_FLOW_COUNTER, 0x93a, dealloc_flow_counter_in, dealloc_flow_counter_out, "flow counter") \
	O(QUERY_FLOW_COUNTER, 0x93b, query_flow_counter_in, query_flow_counter_out, "flow counter") \
	O(ALLOC_PACKET_REFORMAT_CONTEXT, 0x93d, alloc_packet_reformat_context_in, alloc_packet_reformat_context_out, "packet reformat context") \
	O(DEALLOC_PACKET_REFORMAT_CONTEXT, 0x93e, dealloc_packet_reformat_context_in, dealloc_packet_reformat_context_out, "packet reformat context") \
	O(ALLOC_MODIFY_HEADER_CONTEXT, 0x940, alloc_modify_header_context_in, alloc_modify_header_context_out, "modify header context") \
	O(DEALLOC_MODIFY_HEADER_CONTEXT, 0x941, dealloc_modify_header_context_in, dealloc_modify_header_context_out, "modify header context") \
	O(CREATE_GENERAL_OBJECT, 0xa00, general_obj_in_cmd_hdr, general_obj_out_cmd_hdr, "general object") \
	O(MODIFY_GENERAL_OBJECT, 0xa01, general_obj_in_cmd_hdr, general_obj_out_cmd_hdr, "general object") \
	O(QUERY_GENERAL_OBJECT, 0xa02, general_obj_in_cmd_hdr, general_obj_out_cmd_hdr, "general object") \
	O(DESTROY_GENERAL_OBJECT, 0xa03, general_obj_in_cmd_hdr, general_obj_out_cmd_hdr, "general object") \
	O(SYNC_CRYPTO, 0xb12, sync_crypto_in, sync_crypto_out, "crypto keys") \
	O(MODIFY_TIR, 0x901, modify_tir_in, modify_tir_out, "TIR") \
	O(QUERY_TIR, 0x903, query_tir_in, query_tir_out, "TIR") \
	O(MODIFY_TIS, 0x913, modify_tis_in, modify_tis_out, "TIS") \
	O(QUERY_TIS, 0x915, query_tis_in, query_tis_out, "TIS") \
	O(CREATE_RQT, 0x916, create_rqt_in, create_rqt_out, "RQT") \
	O(MODIFY_RQT, 0x917, modify_rqt_in, modify_rqt_out, "RQT") \
	O(DESTROY_RQT, 0x918, destroy_rqt_in, destroy_rqt_out, "RQT") \
	O(QUERY_RQT, 0x919, query_rqt_in, query_rqt_out, "RQT") \
	O(QUERY_CQ, 0x402, query_cq_in, query_cq_out, "CQ") \
	O(MODIFY_CQ, 0x403, modify_cq_in, modify_cq_out, "CQ") \
	O(ALLOC_Q_COUNTER, 0x771, alloc_q_counter_in, alloc_q_counter_out, "queue counters") \
	O(DEALLOC_Q_COUNTER, 0x772, dealloc_q_counter_in, dealloc_q_counter_out, "queue counters") \
	O(QUERY_Q_COUNTER, 0x773, query_q_counter_in, query_q_counter_out, "queue counters") \
	O(QUERY_VPORT_STATE, 0x750, query_vport_state_in, query_vport_state_out, "vport") \
	O(QUERY_NIC_VPORT_CONTEXT, 0x754, query_nic_vport_context_in, query_nic_vport_context_out, "vport") \
	O(QUERY_VPORT_COUNTER, 0x770, query_vport_counter_in, query_vport_counter_out, "vport") \
	O(ACCESS_REG, 0x805, access_register_in, access_register_out, "register") \
	O(QUERY_SPECIAL_CONTEXTS, 0x203, query_special_contexts_in, query_special_contexts_out, "memory keys") \
	O(QUERY_ISSI, 0x10a, query_issi_in, query_issi_out, "interface version") \
	O(SET_ISSI, 0x10b, set_issi_in, set_issi_out, "interface version") \
	O(QUERY_ADAPTER, 0x101, query_adapter_in, query_adapter_out, "adapter") \
	O(QUERY_PAGES, 0x107, query_pages_in, query_pages_out, "pages") \
	O(MANAGE_PAGES, 0x108, manage_pages_in, manage_pages_out, "pages")

#define PRM_OPCODE_ENUM(name, value, in, out, object) PRM_CMD_OP_##name = value,
enum prm_opcode { PRM_OPCODES(PRM_OPCODE_ENUM) };

#endif
