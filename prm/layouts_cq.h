/* SPDX-License-Identifier: BSD-2-Clause */
/* clang-format off */
/*
 * How CQs are changed and read back, and the counters of queues.
 *
 * One list per layout; offsets are absolute bit numbers from the first bit of the structure (bit 0 is the
 * most significant bit of byte 0). See prm.h for what is made of the lists. Source: the public interface
 * header of Linux 7.3 (mlx5_ifc.h) unless a line says otherwise.
 */
#ifndef PRM_LAYOUTS_CQ_H
#define PRM_LAYOUTS_CQ_H

#define PRM_LAYOUT_query_cq_in(S, F, W, K, N, A) \
	S(query_cq_in, 0x080) \
	F(query_cq_in, opcode, 0x000, 16) \
	F(query_cq_in, op_mod, 0x030, 16) \
	F(query_cq_in, cqn, 0x048, 24)

#define PRM_LAYOUT_query_cq_out(S, F, W, K, N, A) \
	S(query_cq_out, 0x880) \
	F(query_cq_out, status, 0x000, 8) \
	F(query_cq_out, syndrome, 0x020, 32) \
	N(query_cq_out, cq_context, 0x080, 512, cqc)

#define PRM_LAYOUT_modify_cq_in(S, F, W, K, N, A) \
	S(modify_cq_in, 0x880) \
	F(modify_cq_in, opcode, 0x000, 16) \
	F(modify_cq_in, uid, 0x010, 16) \
	F(modify_cq_in, op_mod, 0x030, 16) \
	F(modify_cq_in, cqn, 0x048, 24) \
	F(modify_cq_in, modify_field_select, 0x060, 32) \
	N(modify_cq_in, cq_context, 0x080, 512, cqc) \
	F(modify_cq_in, cq_umem_valid, 0x2e0, 1)

#define PRM_LAYOUT_modify_cq_out(S, F, W, K, N, A) \
	S(modify_cq_out, 0x080) \
	F(modify_cq_out, status, 0x000, 8) \
	F(modify_cq_out, syndrome, 0x020, 32)

#define PRM_LAYOUT_alloc_q_counter_in(S, F, W, K, N, A) \
	S(alloc_q_counter_in, 0x080) \
	F(alloc_q_counter_in, opcode, 0x000, 16) \
	F(alloc_q_counter_in, uid, 0x010, 16) \
	F(alloc_q_counter_in, op_mod, 0x030, 16)

#define PRM_LAYOUT_alloc_q_counter_out(S, F, W, K, N, A) \
	S(alloc_q_counter_out, 0x080) \
	F(alloc_q_counter_out, status, 0x000, 8) \
	F(alloc_q_counter_out, syndrome, 0x020, 32) \
	F(alloc_q_counter_out, counter_set_id, 0x058, 8)

#define PRM_LAYOUT_query_q_counter_in(S, F, W, K, N, A) \
	S(query_q_counter_in, 0x100) \
	F(query_q_counter_in, opcode, 0x000, 16) \
	F(query_q_counter_in, op_mod, 0x030, 16) \
	F(query_q_counter_in, other_vport, 0x040, 1) \
	F(query_q_counter_in, vport_number, 0x050, 16) \
	F(query_q_counter_in, clear, 0x0c0, 1) \
	F(query_q_counter_in, aggregate, 0x0c1, 1) \
	F(query_q_counter_in, counter_set_id, 0x0f8, 8)

#define PRM_LAYOUT_query_q_counter_out(S, F, W, K, N, A) \
	S(query_q_counter_out, 0x800) \
	F(query_q_counter_out, status, 0x000, 8) \
	F(query_q_counter_out, syndrome, 0x020, 32) \
	F(query_q_counter_out, rx_write_requests, 0x080, 32) \
	F(query_q_counter_out, rx_read_requests, 0x0c0, 32) \
	F(query_q_counter_out, rx_atomic_requests, 0x100, 32) \
	F(query_q_counter_out, rx_dct_connect, 0x140, 32) \
	F(query_q_counter_out, out_of_buffer, 0x180, 32) \
	F(query_q_counter_out, out_of_sequence, 0x1c0, 32) \
	F(query_q_counter_out, duplicate_request, 0x200, 32) \
	F(query_q_counter_out, rnr_nak_retry_err, 0x240, 32) \
	F(query_q_counter_out, packet_seq_err, 0x280, 32) \
	F(query_q_counter_out, implied_nak_seq_err, 0x2c0, 32) \
	F(query_q_counter_out, local_ack_timeout_err, 0x300, 32) \
	F(query_q_counter_out, req_rnr_retries_exceeded, 0x380, 32) \
	F(query_q_counter_out, resp_local_length_error, 0x3c0, 32) \
	F(query_q_counter_out, req_local_length_error, 0x3e0, 32) \
	F(query_q_counter_out, resp_local_qp_error, 0x400, 32) \
	F(query_q_counter_out, local_operation_error, 0x420, 32) \
	F(query_q_counter_out, resp_local_protection, 0x440, 32) \
	F(query_q_counter_out, req_local_protection, 0x460, 32) \
	F(query_q_counter_out, resp_cqe_error, 0x480, 32) \
	F(query_q_counter_out, req_cqe_error, 0x4a0, 32) \
	F(query_q_counter_out, req_mw_binding, 0x4c0, 32) \
	F(query_q_counter_out, req_bad_response, 0x4e0, 32) \
	F(query_q_counter_out, req_remote_invalid_request, 0x500, 32) \
	F(query_q_counter_out, resp_remote_invalid_request, 0x520, 32) \
	F(query_q_counter_out, req_remote_access_errors, 0x540, 32) \
	F(query_q_counter_out, resp_remote_access_errors, 0x560, 32) \
	F(query_q_counter_out, req_remote_operation_errors, 0x580, 32) \
	F(query_q_counter_out, req_transport_retries_exceeded, 0x5a0, 32) \
	F(query_q_counter_out, cq_overflow, 0x5c0, 32) \
	F(query_q_counter_out, resp_cqe_flush_error, 0x5e0, 32) \
	F(query_q_counter_out, req_cqe_flush_error, 0x600, 32) \
	F(query_q_counter_out, roce_adp_retrans, 0x640, 32) \
	F(query_q_counter_out, roce_adp_retrans_to, 0x660, 32) \
	F(query_q_counter_out, roce_slow_restart, 0x680, 32) \
	F(query_q_counter_out, roce_slow_restart_cnps, 0x6a0, 32) \
	F(query_q_counter_out, roce_slow_restart_trans, 0x6c0, 32)

#define PRM_LAYOUT_dealloc_q_counter_in(S, F, W, K, N, A) \
	S(dealloc_q_counter_in, 0x080) \
	F(dealloc_q_counter_in, opcode, 0x000, 16) \
	F(dealloc_q_counter_in, op_mod, 0x030, 16) \
	F(dealloc_q_counter_in, counter_set_id, 0x058, 8)

#define PRM_LAYOUT_dealloc_q_counter_out(S, F, W, K, N, A) \
	S(dealloc_q_counter_out, 0x080) \
	F(dealloc_q_counter_out, status, 0x000, 8) \
	F(dealloc_q_counter_out, syndrome, 0x020, 32)

#endif
