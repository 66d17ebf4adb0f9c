/* SPDX-License-Identifier: BSD-2-Clause */
/* clang-format off */
/*
 * Receive side scaling: tables of receive queues (RQT), and how TIRs and TISes are changed and read back.
 *
 * One list per layout; offsets are absolute bit numbers from the first bit of the structure (bit 0 is the
 * most significant bit of byte 0). See prm.h for what is made of the lists. Source: the public interface
 * header of Linux 7.3 (mlx5_ifc.h) unless a line says otherwise.
 */
#ifndef PRM_LAYOUTS_RSS_H
#define PRM_LAYOUTS_RSS_H

#define PRM_LAYOUT_create_rqt_in(S, F, W, K, N, A) \
	S(create_rqt_in, 0x880) \
	F(create_rqt_in, opcode, 0x000, 16) \
	F(create_rqt_in, uid, 0x010, 16) \
	F(create_rqt_in, op_mod, 0x030, 16) \
	N(create_rqt_in, rqt_context, 0x100, 1920, rqtc)

#define PRM_LAYOUT_create_rqt_out(S, F, W, K, N, A) \
	S(create_rqt_out, 0x080) \
	F(create_rqt_out, status, 0x000, 8) \
	F(create_rqt_out, syndrome, 0x020, 32) \
	F(create_rqt_out, rqtn, 0x048, 24)

#define PRM_LAYOUT_modify_rqt_in(S, F, W, K, N, A) \
	S(modify_rqt_in, 0x880) \
	F(modify_rqt_in, opcode, 0x000, 16) \
	F(modify_rqt_in, uid, 0x010, 16) \
	F(modify_rqt_in, op_mod, 0x030, 16) \
	F(modify_rqt_in, rqtn, 0x048, 24) \
	F(modify_rqt_in, bitmask, 0x080, 64) \
	N(modify_rqt_in, ctx, 0x100, 1920, rqtc)

#define PRM_LAYOUT_modify_rqt_out(S, F, W, K, N, A) \
	S(modify_rqt_out, 0x080) \
	F(modify_rqt_out, status, 0x000, 8) \
	F(modify_rqt_out, syndrome, 0x020, 32)

#define PRM_LAYOUT_query_rqt_in(S, F, W, K, N, A) \
	S(query_rqt_in, 0x080) \
	F(query_rqt_in, opcode, 0x000, 16) \
	F(query_rqt_in, op_mod, 0x030, 16) \
	F(query_rqt_in, rqtn, 0x048, 24)

#define PRM_LAYOUT_query_rqt_out(S, F, W, K, N, A) \
	S(query_rqt_out, 0x880) \
	F(query_rqt_out, status, 0x000, 8) \
	F(query_rqt_out, syndrome, 0x020, 32) \
	N(query_rqt_out, rqt_context, 0x100, 1920, rqtc)

#define PRM_LAYOUT_destroy_rqt_in(S, F, W, K, N, A) \
	S(destroy_rqt_in, 0x080) \
	F(destroy_rqt_in, opcode, 0x000, 16) \
	F(destroy_rqt_in, uid, 0x010, 16) \
	F(destroy_rqt_in, op_mod, 0x030, 16) \
	F(destroy_rqt_in, rqtn, 0x048, 24)

#define PRM_LAYOUT_destroy_rqt_out(S, F, W, K, N, A) \
	S(destroy_rqt_out, 0x080) \
	F(destroy_rqt_out, status, 0x000, 8) \
	F(destroy_rqt_out, syndrome, 0x020, 32)

#define PRM_LAYOUT_rqtc(S, F, W, K, N, A) \
	S(rqtc, 0x780) \
	F(rqtc, list_q_type, 0x0a5, 3) \
	F(rqtc, rqt_max_size, 0x0b0, 16) \
	F(rqtc, rq_vhca_id_format, 0x0c0, 1) \
	F(rqtc, rqt_actual_size, 0x0d0, 16) \
	A(rqtc, rq_num, 0x780, rq_num)

#define PRM_LAYOUT_rq_num(S, F, W, K, N, A) \
	S(rq_num, 0x020) \
	F(rq_num, rq_num, 0x008, 24)

#define PRM_LAYOUT_modify_tir_in(S, F, W, K, N, A) \
	S(modify_tir_in, 0x880) \
	F(modify_tir_in, opcode, 0x000, 16) \
	F(modify_tir_in, uid, 0x010, 16) \
	F(modify_tir_in, op_mod, 0x030, 16) \
	F(modify_tir_in, tirn, 0x048, 24) \
	F(modify_tir_in, bitmask, 0x080, 64) \
	N(modify_tir_in, ctx, 0x100, 1920, tirc)

#define PRM_LAYOUT_modify_tir_out(S, F, W, K, N, A) \
	S(modify_tir_out, 0x080) \
	F(modify_tir_out, status, 0x000, 8) \
	F(modify_tir_out, syndrome, 0x020, 32)

#define PRM_LAYOUT_query_tir_in(S, F, W, K, N, A) \
	S(query_tir_in, 0x080) \
	F(query_tir_in, opcode, 0x000, 16) \
	F(query_tir_in, op_mod, 0x030, 16) \
	F(query_tir_in, tirn, 0x048, 24)

#define PRM_LAYOUT_query_tir_out(S, F, W, K, N, A) \
	S(query_tir_out, 0x880) \
	F(query_tir_out, status, 0x000, 8) \
	F(query_tir_out, syndrome, 0x020, 32) \
	N(query_tir_out, tir_context, 0x100, 1920, tirc)

#define PRM_LAYOUT_modify_tis_in(S, F, W, K, N, A) \
	S(modify_tis_in, 0x600) \
	F(modify_tis_in, opcode, 0x000, 16) \
	F(modify_tis_in, uid, 0x010, 16) \
	F(modify_tis_in, op_mod, 0x030, 16) \
	F(modify_tis_in, tisn, 0x048, 24) \
	F(modify_tis_in, bitmask, 0x080, 64) \
	N(modify_tis_in, ctx, 0x100, 1280, tisc)

#define PRM_LAYOUT_modify_tis_out(S, F, W, K, N, A) \
	S(modify_tis_out, 0x080) \
	F(modify_tis_out, status, 0x000, 8) \
	F(modify_tis_out, syndrome, 0x020, 32)

#define PRM_LAYOUT_query_tis_in(S, F, W, K, N, A) \
	S(query_tis_in, 0x080) \
	F(query_tis_in, opcode, 0x000, 16) \
	F(query_tis_in, op_mod, 0x030, 16) \
	F(query_tis_in, tisn, 0x048, 24)

#define PRM_LAYOUT_query_tis_out(S, F, W, K, N, A) \
	S(query_tis_out, 0x580) \
	F(query_tis_out, status, 0x000, 8) \
	F(query_tis_out, syndrome, 0x020, 32) \
	N(query_tis_out, tis_context, 0x080, 1280, tisc)

#endif
