/* SPDX-License-Identifier: BSD-2-Clause */
/* clang-format off */
/*
 * Command mailboxes that carry no context: capabilities, PD, TD, UAR, uctx, umem, destroy and query headers.
 *
 * One list per layout; offsets are absolute bit numbers from the first bit of the structure (bit 0 is the
 * most significant bit of byte 0). See prm.h for what is made of the lists. Source: the public interface
 * header of Linux 7.3 (mlx5_ifc.h) unless a line says otherwise.
 */
#ifndef PRM_LAYOUTS_CMD_H
#define PRM_LAYOUTS_CMD_H

#define PRM_LAYOUT_cmd_in(S, F, W, K, N, A) \
	S(cmd_in, 0x040) \
	F(cmd_in, opcode, 0x000, 16) \
	F(cmd_in, op_mod, 0x030, 16)

#define PRM_LAYOUT_cmd_out(S, F, W, K, N, A) \
	S(cmd_out, 0x060) \
	F(cmd_out, status, 0x000, 8) \
	F(cmd_out, syndrome, 0x020, 32) \
	F(cmd_out, command_output, 0x040, 32)

#define PRM_LAYOUT_query_hca_cap_in(S, F, W, K, N, A) \
	S(query_hca_cap_in, 0x080) \
	F(query_hca_cap_in, opcode, 0x000, 16) \
	F(query_hca_cap_in, op_mod, 0x030, 16) \
	F(query_hca_cap_in, other_function, 0x040, 1) \
	F(query_hca_cap_in, ec_vf_function, 0x041, 1) \
	F(query_hca_cap_in, function_id_type, 0x043, 1) \
	F(query_hca_cap_in, function_id, 0x050, 16)

#define PRM_LAYOUT_query_hca_cap_out(S, F, W, K, N, A) \
	S(query_hca_cap_out, 0x8080) \
	F(query_hca_cap_out, status, 0x000, 8) \
	F(query_hca_cap_out, syndrome, 0x020, 32) \
	W(query_hca_cap_out, capability, 0x080, 32768)

#define PRM_LAYOUT_alloc_pd_in(S, F, W, K, N, A) \
	S(alloc_pd_in, 0x080) \
	F(alloc_pd_in, opcode, 0x000, 16) \
	F(alloc_pd_in, uid, 0x010, 16) \
	F(alloc_pd_in, op_mod, 0x030, 16)

#define PRM_LAYOUT_alloc_pd_out(S, F, W, K, N, A) \
	S(alloc_pd_out, 0x080) \
	F(alloc_pd_out, status, 0x000, 8) \
	F(alloc_pd_out, syndrome, 0x020, 32) \
	F(alloc_pd_out, pd, 0x048, 24)

#define PRM_LAYOUT_dealloc_pd_in(S, F, W, K, N, A) \
	S(dealloc_pd_in, 0x080) \
	F(dealloc_pd_in, opcode, 0x000, 16) \
	F(dealloc_pd_in, uid, 0x010, 16) \
	F(dealloc_pd_in, op_mod, 0x030, 16) \
	F(dealloc_pd_in, pd, 0x048, 24)

#define PRM_LAYOUT_dealloc_pd_out(S, F, W, K, N, A) \
	S(dealloc_pd_out, 0x080) \
	F(dealloc_pd_out, status, 0x000, 8) \
	F(dealloc_pd_out, syndrome, 0x020, 32)

#define PRM_LAYOUT_alloc_transport_domain_in(S, F, W, K, N, A) \
	S(alloc_transport_domain_in, 0x080) \
	F(alloc_transport_domain_in, opcode, 0x000, 16) \
	F(alloc_transport_domain_in, uid, 0x010, 16) \
	F(alloc_transport_domain_in, op_mod, 0x030, 16)

#define PRM_LAYOUT_alloc_transport_domain_out(S, F, W, K, N, A) \
	S(alloc_transport_domain_out, 0x080) \
	F(alloc_transport_domain_out, status, 0x000, 8) \
	F(alloc_transport_domain_out, syndrome, 0x020, 32) \
	F(alloc_transport_domain_out, transport_domain, 0x048, 24)

#define PRM_LAYOUT_dealloc_transport_domain_in(S, F, W, K, N, A) \
	S(dealloc_transport_domain_in, 0x080) \
	F(dealloc_transport_domain_in, opcode, 0x000, 16) \
	F(dealloc_transport_domain_in, uid, 0x010, 16) \
	F(dealloc_transport_domain_in, op_mod, 0x030, 16) \
	F(dealloc_transport_domain_in, transport_domain, 0x048, 24)

#define PRM_LAYOUT_dealloc_transport_domain_out(S, F, W, K, N, A) \
	S(dealloc_transport_domain_out, 0x080) \
	F(dealloc_transport_domain_out, status, 0x000, 8) \
	F(dealloc_transport_domain_out, syndrome, 0x020, 32)

#define PRM_LAYOUT_alloc_uar_in(S, F, W, K, N, A) \
	S(alloc_uar_in, 0x080) \
	F(alloc_uar_in, opcode, 0x000, 16) \
	F(alloc_uar_in, uid, 0x010, 16) \
	F(alloc_uar_in, op_mod, 0x030, 16)

#define PRM_LAYOUT_alloc_uar_out(S, F, W, K, N, A) \
	S(alloc_uar_out, 0x080) \
	F(alloc_uar_out, status, 0x000, 8) \
	F(alloc_uar_out, syndrome, 0x020, 32) \
	F(alloc_uar_out, uar, 0x048, 24)

#define PRM_LAYOUT_dealloc_uar_in(S, F, W, K, N, A) \
	S(dealloc_uar_in, 0x080) \
	F(dealloc_uar_in, opcode, 0x000, 16) \
	F(dealloc_uar_in, uid, 0x010, 16) \
	F(dealloc_uar_in, op_mod, 0x030, 16) \
	F(dealloc_uar_in, uar, 0x048, 24)

#define PRM_LAYOUT_dealloc_uar_out(S, F, W, K, N, A) \
	S(dealloc_uar_out, 0x080) \
	F(dealloc_uar_out, status, 0x000, 8) \
	F(dealloc_uar_out, syndrome, 0x020, 32)

/*
 * mkey_umem_id and mkey_umem_offset: DPDK mlx5_prm.h (struct mlx5_ifc_create_mkey_in_bits); the Linux header leaves
 * their place reserved, since only a user of DevX gives a key its memory as a umem.
 */
#define PRM_LAYOUT_create_mkey_in(S, F, W, K, N, A) \
	S(create_mkey_in, 0x880) \
	F(create_mkey_in, opcode, 0x000, 16) \
	F(create_mkey_in, uid, 0x010, 16) \
	F(create_mkey_in, op_mod, 0x030, 16) \
	F(create_mkey_in, pg_access, 0x060, 1) \
	F(create_mkey_in, mkey_umem_valid, 0x061, 1) \
	F(create_mkey_in, data_direct, 0x062, 1) \
	N(create_mkey_in, memory_key_mkey_entry, 0x080, 512, mkc) \
	F(create_mkey_in, translations_octword_actual_size, 0x300, 32) \
	F(create_mkey_in, mkey_umem_id, 0x320, 32) \
	F(create_mkey_in, mkey_umem_offset, 0x340, 64)

#define PRM_LAYOUT_create_mkey_out(S, F, W, K, N, A) \
	S(create_mkey_out, 0x080) \
	F(create_mkey_out, status, 0x000, 8) \
	F(create_mkey_out, syndrome, 0x020, 32) \
	F(create_mkey_out, mkey_index, 0x048, 24)

#define PRM_LAYOUT_destroy_mkey_in(S, F, W, K, N, A) \
	S(destroy_mkey_in, 0x080) \
	F(destroy_mkey_in, opcode, 0x000, 16) \
	F(destroy_mkey_in, uid, 0x010, 16) \
	F(destroy_mkey_in, op_mod, 0x030, 16) \
	F(destroy_mkey_in, mkey_index, 0x048, 24)

#define PRM_LAYOUT_destroy_mkey_out(S, F, W, K, N, A) \
	S(destroy_mkey_out, 0x080) \
	F(destroy_mkey_out, status, 0x000, 8) \
	F(destroy_mkey_out, syndrome, 0x020, 32)

/* cq_umem_offset and cq_umem_id: DPDK mlx5_prm.h (struct mlx5_ifc_create_cq_in_bits), reserved in the Linux header. */
#define PRM_LAYOUT_create_cq_in(S, F, W, K, N, A) \
	S(create_cq_in, 0x880) \
	F(create_cq_in, opcode, 0x000, 16) \
	F(create_cq_in, uid, 0x010, 16) \
	F(create_cq_in, op_mod, 0x030, 16) \
	N(create_cq_in, cq_context, 0x080, 512, cqc) \
	F(create_cq_in, cq_umem_offset, 0x280, 64) \
	F(create_cq_in, cq_umem_id, 0x2c0, 32) \
	F(create_cq_in, cq_umem_valid, 0x2e0, 1)

#define PRM_LAYOUT_create_cq_out(S, F, W, K, N, A) \
	S(create_cq_out, 0x080) \
	F(create_cq_out, status, 0x000, 8) \
	F(create_cq_out, syndrome, 0x020, 32) \
	F(create_cq_out, cqn, 0x048, 24)

#define PRM_LAYOUT_destroy_cq_in(S, F, W, K, N, A) \
	S(destroy_cq_in, 0x080) \
	F(destroy_cq_in, opcode, 0x000, 16) \
	F(destroy_cq_in, uid, 0x010, 16) \
	F(destroy_cq_in, op_mod, 0x030, 16) \
	F(destroy_cq_in, cqn, 0x048, 24)

#define PRM_LAYOUT_destroy_cq_out(S, F, W, K, N, A) \
	S(destroy_cq_out, 0x080) \
	F(destroy_cq_out, status, 0x000, 8) \
	F(destroy_cq_out, syndrome, 0x020, 32)

#define PRM_LAYOUT_create_sq_in(S, F, W, K, N, A) \
	S(create_sq_in, 0x880) \
	F(create_sq_in, opcode, 0x000, 16) \
	F(create_sq_in, uid, 0x010, 16) \
	F(create_sq_in, op_mod, 0x030, 16) \
	N(create_sq_in, ctx, 0x100, 1920, sqc)

#define PRM_LAYOUT_create_sq_out(S, F, W, K, N, A) \
	S(create_sq_out, 0x080) \
	F(create_sq_out, status, 0x000, 8) \
	F(create_sq_out, syndrome, 0x020, 32) \
	F(create_sq_out, sqn, 0x048, 24)

#define PRM_LAYOUT_modify_sq_in(S, F, W, K, N, A) \
	S(modify_sq_in, 0x880) \
	F(modify_sq_in, opcode, 0x000, 16) \
	F(modify_sq_in, uid, 0x010, 16) \
	F(modify_sq_in, op_mod, 0x030, 16) \
	F(modify_sq_in, sq_state, 0x040, 4) \
	F(modify_sq_in, sqn, 0x048, 24) \
	F(modify_sq_in, modify_bitmask, 0x080, 64) \
	N(modify_sq_in, ctx, 0x100, 1920, sqc)

#define PRM_LAYOUT_modify_sq_out(S, F, W, K, N, A) \
	S(modify_sq_out, 0x080) \
	F(modify_sq_out, status, 0x000, 8) \
	F(modify_sq_out, syndrome, 0x020, 32)

#define PRM_LAYOUT_query_sq_in(S, F, W, K, N, A) \
	S(query_sq_in, 0x080) \
	F(query_sq_in, opcode, 0x000, 16) \
	F(query_sq_in, op_mod, 0x030, 16) \
	F(query_sq_in, sqn, 0x048, 24)

#define PRM_LAYOUT_query_sq_out(S, F, W, K, N, A) \
	S(query_sq_out, 0x880) \
	F(query_sq_out, status, 0x000, 8) \
	F(query_sq_out, syndrome, 0x020, 32) \
	N(query_sq_out, sq_context, 0x100, 1920, sqc)

#define PRM_LAYOUT_destroy_sq_in(S, F, W, K, N, A) \
	S(destroy_sq_in, 0x080) \
	F(destroy_sq_in, opcode, 0x000, 16) \
	F(destroy_sq_in, uid, 0x010, 16) \
	F(destroy_sq_in, op_mod, 0x030, 16) \
	F(destroy_sq_in, sqn, 0x048, 24)

#define PRM_LAYOUT_destroy_sq_out(S, F, W, K, N, A) \
	S(destroy_sq_out, 0x080) \
	F(destroy_sq_out, status, 0x000, 8) \
	F(destroy_sq_out, syndrome, 0x020, 32)

#define PRM_LAYOUT_create_rq_in(S, F, W, K, N, A) \
	S(create_rq_in, 0x880) \
	F(create_rq_in, opcode, 0x000, 16) \
	F(create_rq_in, uid, 0x010, 16) \
	F(create_rq_in, op_mod, 0x030, 16) \
	N(create_rq_in, ctx, 0x100, 1920, rqc)

#define PRM_LAYOUT_create_rq_out(S, F, W, K, N, A) \
	S(create_rq_out, 0x080) \
	F(create_rq_out, status, 0x000, 8) \
	F(create_rq_out, syndrome, 0x020, 32) \
	F(create_rq_out, rqn, 0x048, 24)

#define PRM_LAYOUT_modify_rq_in(S, F, W, K, N, A) \
	S(modify_rq_in, 0x880) \
	F(modify_rq_in, opcode, 0x000, 16) \
	F(modify_rq_in, uid, 0x010, 16) \
	F(modify_rq_in, op_mod, 0x030, 16) \
	F(modify_rq_in, rq_state, 0x040, 4) \
	F(modify_rq_in, rqn, 0x048, 24) \
	F(modify_rq_in, modify_bitmask, 0x080, 64) \
	N(modify_rq_in, ctx, 0x100, 1920, rqc)

#define PRM_LAYOUT_modify_rq_out(S, F, W, K, N, A) \
	S(modify_rq_out, 0x080) \
	F(modify_rq_out, status, 0x000, 8) \
	F(modify_rq_out, syndrome, 0x020, 32)

#define PRM_LAYOUT_query_rq_in(S, F, W, K, N, A) \
	S(query_rq_in, 0x080) \
	F(query_rq_in, opcode, 0x000, 16) \
	F(query_rq_in, op_mod, 0x030, 16) \
	F(query_rq_in, rqn, 0x048, 24)

#define PRM_LAYOUT_query_rq_out(S, F, W, K, N, A) \
	S(query_rq_out, 0x880) \
	F(query_rq_out, status, 0x000, 8) \
	F(query_rq_out, syndrome, 0x020, 32) \
	N(query_rq_out, rq_context, 0x100, 1920, rqc)

#define PRM_LAYOUT_destroy_rq_in(S, F, W, K, N, A) \
	S(destroy_rq_in, 0x080) \
	F(destroy_rq_in, opcode, 0x000, 16) \
	F(destroy_rq_in, uid, 0x010, 16) \
	F(destroy_rq_in, op_mod, 0x030, 16) \
	F(destroy_rq_in, rqn, 0x048, 24)

#define PRM_LAYOUT_destroy_rq_out(S, F, W, K, N, A) \
	S(destroy_rq_out, 0x080) \
	F(destroy_rq_out, status, 0x000, 8) \
	F(destroy_rq_out, syndrome, 0x020, 32)

#define PRM_LAYOUT_create_tis_in(S, F, W, K, N, A) \
	S(create_tis_in, 0x600) \
	F(create_tis_in, opcode, 0x000, 16) \
	F(create_tis_in, uid, 0x010, 16) \
	F(create_tis_in, op_mod, 0x030, 16) \
	N(create_tis_in, ctx, 0x100, 1280, tisc)

#define PRM_LAYOUT_create_tis_out(S, F, W, K, N, A) \
	S(create_tis_out, 0x080) \
	F(create_tis_out, status, 0x000, 8) \
	F(create_tis_out, syndrome, 0x020, 32) \
	F(create_tis_out, tisn, 0x048, 24)

#define PRM_LAYOUT_destroy_tis_in(S, F, W, K, N, A) \
	S(destroy_tis_in, 0x080) \
	F(destroy_tis_in, opcode, 0x000, 16) \
	F(destroy_tis_in, uid, 0x010, 16) \
	F(destroy_tis_in, op_mod, 0x030, 16) \
	F(destroy_tis_in, tisn, 0x048, 24)

#define PRM_LAYOUT_destroy_tis_out(S, F, W, K, N, A) \
	S(destroy_tis_out, 0x080) \
	F(destroy_tis_out, status, 0x000, 8) \
	F(destroy_tis_out, syndrome, 0x020, 32)

#define PRM_LAYOUT_create_tir_in(S, F, W, K, N, A) \
	S(create_tir_in, 0x880) \
	F(create_tir_in, opcode, 0x000, 16) \
	F(create_tir_in, uid, 0x010, 16) \
	F(create_tir_in, op_mod, 0x030, 16) \
	N(create_tir_in, ctx, 0x100, 1920, tirc)

#define PRM_LAYOUT_create_tir_out(S, F, W, K, N, A) \
	S(create_tir_out, 0x080) \
	F(create_tir_out, status, 0x000, 8) \
	F(create_tir_out, icm_address_63_40, 0x008, 24) \
	F(create_tir_out, syndrome, 0x020, 32) \
	F(create_tir_out, icm_address_39_32, 0x040, 8) \
	F(create_tir_out, tirn, 0x048, 24) \
	F(create_tir_out, icm_address_31_0, 0x060, 32)

#define PRM_LAYOUT_destroy_tir_in(S, F, W, K, N, A) \
	S(destroy_tir_in, 0x080) \
	F(destroy_tir_in, opcode, 0x000, 16) \
	F(destroy_tir_in, uid, 0x010, 16) \
	F(destroy_tir_in, op_mod, 0x030, 16) \
	F(destroy_tir_in, tirn, 0x048, 24)

#define PRM_LAYOUT_destroy_tir_out(S, F, W, K, N, A) \
	S(destroy_tir_out, 0x080) \
	F(destroy_tir_out, status, 0x000, 8) \
	F(destroy_tir_out, syndrome, 0x020, 32)

#define PRM_LAYOUT_sync_crypto_in(S, F, W, K, N, A) \
	S(sync_crypto_in, 0x100) \
	F(sync_crypto_in, opcode, 0x000, 16) \
	F(sync_crypto_in, uid, 0x010, 16) \
	F(sync_crypto_in, op_mod, 0x030, 16) \
	F(sync_crypto_in, crypto_type, 0x070, 16)

#define PRM_LAYOUT_sync_crypto_out(S, F, W, K, N, A) \
	S(sync_crypto_out, 0x080) \
	F(sync_crypto_out, status, 0x000, 8) \
	F(sync_crypto_out, syndrome, 0x020, 32)

#define PRM_LAYOUT_nop_in(S, F, W, K, N, A) \
	S(nop_in, 0x080) \
	F(nop_in, opcode, 0x000, 16) \
	F(nop_in, op_mod, 0x030, 16)

#define PRM_LAYOUT_nop_out(S, F, W, K, N, A) \
	S(nop_out, 0x080) \
	F(nop_out, status, 0x000, 8) \
	F(nop_out, syndrome, 0x020, 32)

#endif
