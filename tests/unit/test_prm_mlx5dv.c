// SPDX-License-Identifier: BSD-2-Clause
/*
 * Ring entries against the public header of rdma-core: infiniband/mlx5dv.h describes in C structures what
 * prm/layouts_wqe.h describes in bits. Sizes and offsets at compile time, then entries built with PRM_SET and read
 * through the structures.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#if __has_include(<infiniband/mlx5dv.h>)

#include <arpa/inet.h>
#include <endian.h>

#include <infiniband/mlx5dv.h>

#include "prm/prm.h"

#define SIZE(layout, type) _Static_assert(PRM_BYTES(layout) == sizeof(type), "size of " #layout)

/* One number field, one member. */
#define SAME(layout, field, type, member) \
	_Static_assert(PRM_OFFSET(layout, field) == 8 * offsetof(type, member) && \
			       PRM_WIDTH(layout, field) == 8 * sizeof(((type *)0)->member), \
		       #layout "." #field)

/* A field that is part of a member, starting `skip` bits into it. */
#define PART(layout, field, type, member, skip) \
	_Static_assert(PRM_OFFSET(layout, field) == 8 * offsetof(type, member) + (skip) && \
			       PRM_WIDTH(layout, field) + (skip) <= \
				       8 * sizeof(((type *)0)->member), \
		       #layout "." #field)

/* clang-format off */
SIZE(wqe_ctrl_seg, struct mlx5_wqe_ctrl_seg);
PART(wqe_ctrl_seg, opmod, struct mlx5_wqe_ctrl_seg, opmod_idx_opcode, 0);
PART(wqe_ctrl_seg, wqe_index, struct mlx5_wqe_ctrl_seg, opmod_idx_opcode, 8);
PART(wqe_ctrl_seg, opcode, struct mlx5_wqe_ctrl_seg, opmod_idx_opcode, 24);
PART(wqe_ctrl_seg, qpn, struct mlx5_wqe_ctrl_seg, qpn_ds, 0);
PART(wqe_ctrl_seg, ds, struct mlx5_wqe_ctrl_seg, qpn_ds, 26);
SAME(wqe_ctrl_seg, signature, struct mlx5_wqe_ctrl_seg, signature);
SAME(wqe_ctrl_seg, fm_ce_se, struct mlx5_wqe_ctrl_seg, fm_ce_se);
PART(wqe_ctrl_seg, tis_tir_num, struct mlx5_wqe_ctrl_seg, imm, 0);

/* The structure has the 16 bytes of inline header behind the segment as well. */
_Static_assert(PRM_BYTES(wqe_eth_seg) == offsetof(struct mlx5_wqe_eth_seg, inline_hdr), "size of wqe_eth_seg");
SAME(wqe_eth_seg, cs_flags, struct mlx5_wqe_eth_seg, cs_flags);
SAME(wqe_eth_seg, swp_flags, struct mlx5_wqe_eth_seg, rsvd1);
SAME(wqe_eth_seg, mss, struct mlx5_wqe_eth_seg, mss);
SAME(wqe_eth_seg, flow_table_metadata, struct mlx5_wqe_eth_seg, rsvd2);
SAME(wqe_eth_seg, inline_hdr_sz, struct mlx5_wqe_eth_seg, inline_hdr_sz);
SAME(wqe_eth_seg, inline_hdr_start, struct mlx5_wqe_eth_seg, inline_hdr_start);
PART(wqe_eth_seg, swp_outer_l4_offset, struct mlx5_wqe_eth_seg, rsvd0, 0);
PART(wqe_eth_seg, swp_inner_l3_offset, struct mlx5_wqe_eth_seg, rsvd0, 24);

SIZE(wqe_data_seg, struct mlx5_wqe_data_seg);
SAME(wqe_data_seg, byte_count, struct mlx5_wqe_data_seg, byte_count);
SAME(wqe_data_seg, lkey, struct mlx5_wqe_data_seg, lkey);
SAME(wqe_data_seg, addr, struct mlx5_wqe_data_seg, addr);

SIZE(wqe_inline_seg, struct mlx5_wqe_inl_data_seg);
PART(wqe_inline_seg, byte_count, struct mlx5_wqe_inl_data_seg, byte_count, 1);

SIZE(wqe_umr_ctrl_seg, struct mlx5_wqe_umr_ctrl_seg);
SAME(wqe_umr_ctrl_seg, flags, struct mlx5_wqe_umr_ctrl_seg, flags);
SAME(wqe_umr_ctrl_seg, klm_octowords, struct mlx5_wqe_umr_ctrl_seg, klm_octowords);
SAME(wqe_umr_ctrl_seg, bsf_octowords, struct mlx5_wqe_umr_ctrl_seg, bsf_octowords);
SAME(wqe_umr_ctrl_seg, mkey_mask, struct mlx5_wqe_umr_ctrl_seg, mkey_mask);

SIZE(cqe64, struct mlx5_cqe64);
SAME(cqe64, wqe_id, struct mlx5_cqe64, wqe_id);
SAME(cqe64, slid, struct mlx5_cqe64, slid);
SAME(cqe64, flags_rqpn, struct mlx5_cqe64, flags_rqpn);
SAME(cqe64, hds_ip_ext, struct mlx5_cqe64, hds_ip_ext);
SAME(cqe64, l4_l3_hdr_type, struct mlx5_cqe64, l4_hdr_type_etc);
SAME(cqe64, vlan_info, struct mlx5_cqe64, vlan_info);
SAME(cqe64, srqn_uidx, struct mlx5_cqe64, srqn_uidx);
SAME(cqe64, ft_metadata, struct mlx5_cqe64, imm_inval_pkey);
SAME(cqe64, byte_cnt, struct mlx5_cqe64, byte_cnt);
SAME(cqe64, timestamp, struct mlx5_cqe64, timestamp);
SAME(cqe64, sop_drop_qpn, struct mlx5_cqe64, sop_drop_qpn);
SAME(cqe64, wqe_counter, struct mlx5_cqe64, wqe_counter);
SAME(cqe64, signature, struct mlx5_cqe64, signature);
SAME(cqe64, op_own, struct mlx5_cqe64, op_own);

SIZE(err_cqe, struct mlx5_err_cqe);
SAME(err_cqe, srqn, struct mlx5_err_cqe, srqn);
SAME(err_cqe, vendor_err_synd, struct mlx5_err_cqe, vendor_err_synd);
SAME(err_cqe, syndrome, struct mlx5_err_cqe, syndrome);
SAME(err_cqe, s_wqe_opcode_qpn, struct mlx5_err_cqe, s_wqe_opcode_qpn);
SAME(err_cqe, wqe_counter, struct mlx5_err_cqe, wqe_counter);
SAME(err_cqe, signature, struct mlx5_err_cqe, signature);
SAME(err_cqe, op_own, struct mlx5_err_cqe, op_own);

_Static_assert((int)PRM_WQE_OP_NOP == MLX5_OPCODE_NOP, "NOP");
_Static_assert((int)PRM_WQE_OP_SEND == MLX5_OPCODE_SEND, "SEND");
_Static_assert((int)PRM_WQE_OP_TSO == MLX5_OPCODE_TSO, "TSO");
_Static_assert((int)PRM_WQE_OP_UMR == MLX5_OPCODE_UMR, "UMR");
_Static_assert((int)PRM_WQE_OP_SET_PSV == MLX5_OPCODE_SET_PSV, "SET_PSV");
_Static_assert((int)PRM_WQE_CE_CQ_UPDATE == MLX5_WQE_CTRL_CQ_UPDATE, "CQ_UPDATE");
_Static_assert((int)PRM_WQE_SE_SOLICITED == MLX5_WQE_CTRL_SOLICITED, "SOLICITED");
_Static_assert((int)PRM_WQE_FENCE_INITIATOR_SMALL == MLX5_WQE_CTRL_INITIATOR_SMALL_FENCE, "fence");
_Static_assert((int)PRM_WQE_ETH_CSUM_L3 == MLX5_ETH_WQE_L3_CSUM, "L3 checksum");
_Static_assert((int)PRM_WQE_ETH_CSUM_L4 == MLX5_ETH_WQE_L4_CSUM, "L4 checksum");
_Static_assert((int)PRM_WQE_BB == MLX5_SEND_WQE_BB, "WQEBB");
_Static_assert((uint32_t)PRM_WQE_INLINE_SEG == (uint32_t)MLX5_INLINE_SEG, "inline flag");
_Static_assert((int)PRM_CQE_OP_REQ == MLX5_CQE_REQ, "REQ");
_Static_assert((int)PRM_CQE_OP_RESP_SEND == MLX5_CQE_RESP_SEND, "RESP_SEND");
_Static_assert((int)PRM_CQE_OP_REQ_ERR == MLX5_CQE_REQ_ERR, "REQ_ERR");
_Static_assert((int)PRM_CQE_OP_RESP_ERR == MLX5_CQE_RESP_ERR, "RESP_ERR");
_Static_assert((int)PRM_CQE_OP_INVALID == MLX5_CQE_INVALID, "INVALID");
_Static_assert((int)PRM_CQE_SYND_LOCAL_LENGTH == MLX5_CQE_SYNDROME_LOCAL_LENGTH_ERR, "length");
_Static_assert((int)PRM_CQE_SYND_LOCAL_QP_OP == MLX5_CQE_SYNDROME_LOCAL_QP_OP_ERR, "operation");
_Static_assert((int)PRM_CQE_SYND_LOCAL_PROT == MLX5_CQE_SYNDROME_LOCAL_PROT_ERR, "protection");
_Static_assert((int)PRM_CQE_SYND_WR_FLUSH == MLX5_CQE_SYNDROME_WR_FLUSH_ERR, "flush");
_Static_assert((int)PRM_CQE_SYND_LOCAL_ACCESS == MLX5_CQE_SYNDROME_LOCAL_ACCESS_ERR, "access");
_Static_assert((int)PRM_CQE_L2_OK == MLX5_CQE_L2_OK, "L2 ok");
_Static_assert((int)PRM_CQE_L3_OK == MLX5_CQE_L3_OK, "L3 ok");
_Static_assert((int)PRM_CQE_L4_OK == MLX5_CQE_L4_OK, "L4 ok");
/* clang-format on */

static void ctrl(uint8_t *seg, uint8_t opcode, uint16_t index, uint32_t sqn, uint8_t ds,
		 uint8_t flags)
{
	PRM_SET(wqe_ctrl_seg, seg, opcode, opcode);
	PRM_SET(wqe_ctrl_seg, seg, wqe_index, index);
	PRM_SET(wqe_ctrl_seg, seg, qpn, sqn);
	PRM_SET(wqe_ctrl_seg, seg, ds, ds);
	PRM_SET(wqe_ctrl_seg, seg, fm_ce_se, flags);
}

/* Two bytes of header inline with 14 more behind, then one data segment. */
static void test_send(void **state)
{
	static const uint8_t want[64] = {
		0x00, 0x12, 0x34, 0x0a, 0x00, 0xab, 0xcd, 0x04, 0,    0,    0,	  0x08, 0,
		0,    0x66, 0,	  0,	0,    0,    0,	  0xc0, 0,    0,    0,	  0,	0,
		0,    0x07, 0,	  16,	0x02, 0x11, 0x22, 0x33, 0x44, 0x55, 0x02, 0x66, 0x77,
		0x88, 0x99, 0xaa, 0x08, 0x00, 0x45, 0,	  0,	0,    0,    0,	  0x05, 0xdc,
		0,    0,    0x77, 0x01, 0x12, 0x34, 0x56, 0x78, 0x9a, 0xbc, 0xde, 0xf0,
	};
	uint8_t wqe[64] = {0};
	struct mlx5_wqe_ctrl_seg c;
	struct mlx5_wqe_eth_seg e;
	struct mlx5_wqe_data_seg d;

	ctrl(wqe, PRM_WQE_OP_SEND, 0x1234, 0xabcd, 4, PRM_WQE_CE_CQ_UPDATE);
	PRM_SET(wqe_ctrl_seg, wqe, tis_tir_num, 0x66);
	PRM_SET(wqe_eth_seg, wqe + 16, cs_flags, PRM_WQE_ETH_CSUM_L3 | PRM_WQE_ETH_CSUM_L4);
	PRM_SET(wqe_eth_seg, wqe + 16, flow_table_metadata, 7);
	PRM_SET(wqe_eth_seg, wqe + 16, inline_hdr_sz, 16);
	memcpy(PRM_AT(wqe_eth_seg, wqe + 16, inline_hdr_start), want + 30, 18);
	PRM_SET(wqe_data_seg, wqe + 48, byte_count, 1500);
	PRM_SET(wqe_data_seg, wqe + 48, lkey, 0x7701);
	PRM_SET(wqe_data_seg, wqe + 48, addr, 0x123456789abcdef0);
	assert_memory_equal(wqe, want, sizeof(want));

	memcpy(&c, wqe, sizeof(c));
	memcpy(&e, wqe + 16, sizeof(e));
	memcpy(&d, wqe + 48, sizeof(d));
	assert_int_equal(be32toh(c.opmod_idx_opcode), 0x1234 << 8 | MLX5_OPCODE_SEND);
	assert_int_equal(be32toh(c.qpn_ds), 0xabcd << 8 | 4);
	assert_int_equal(c.fm_ce_se, MLX5_WQE_CTRL_CQ_UPDATE);
	assert_int_equal(be32toh(c.imm), 0x66 << 8);
	assert_int_equal(e.cs_flags, MLX5_ETH_WQE_L3_CSUM | MLX5_ETH_WQE_L4_CSUM);
	assert_int_equal(be16toh(e.inline_hdr_sz), 16);
	assert_int_equal(be32toh(d.byte_count), 1500);
	assert_int_equal(be32toh(d.lkey), 0x7701);
	assert_true(be64toh(d.addr) == 0x123456789abcdef0);
}

static void test_nop(void **state)
{
	static const uint8_t want[16] = {0, 0xff, 0xff, 0,    0xff, 0xff, 0xff, 1,
					 0, 0,	  0,	0x20, 0,    0,	  0,	0};
	uint8_t wqe[16] = {0};
	struct mlx5_wqe_ctrl_seg c;

	ctrl(wqe, PRM_WQE_OP_NOP, 0xffff, 0xffffff, 1, PRM_WQE_FENCE_INITIATOR_SMALL);
	assert_memory_equal(wqe, want, sizeof(want));
	memcpy(&c, wqe, sizeof(c));
	assert_int_equal(be32toh(c.opmod_idx_opcode), 0xffff00 | MLX5_OPCODE_NOP);
	assert_int_equal(be32toh(c.qpn_ds), 0xffffff01);
	assert_int_equal(c.fm_ce_se, MLX5_WQE_CTRL_INITIATOR_SMALL_FENCE);
}

static void test_cqe(void **state)
{
	uint8_t cqe[64] = {0}, want[64] = {0};
	struct mlx5_cqe64 c;

	PRM_SET(cqe64, cqe, hds_ip_ext, PRM_CQE_L2_OK | PRM_CQE_L3_OK | PRM_CQE_L4_OK);
	PRM_SET(cqe64, cqe, srqn_uidx, 0x00aabbcc);
	PRM_SET(cqe64, cqe, ft_metadata, 0x01020304);
	PRM_SET(cqe64, cqe, byte_cnt, 1514);
	PRM_SET(cqe64, cqe, sop_drop_qpn, 0x00123456);
	PRM_SET(cqe64, cqe, wqe_counter, 0xfffe);
	PRM_SET(cqe64, cqe, op_own, PRM_CQE_OP_RESP_SEND << 4 | 1);
	want[28] = 7;
	memcpy(want + 32, "\x00\xaa\xbb\xcc\x01\x02\x03\x04", 8);
	memcpy(want + 44, "\x00\x00\x05\xea", 4);
	memcpy(want + 56, "\x00\x12\x34\x56\xff\xfe\x00\x21", 8);
	assert_memory_equal(cqe, want, sizeof(want));

	memcpy(&c, cqe, sizeof(c));
	assert_int_equal(mlx5dv_get_cqe_opcode(&c), MLX5_CQE_RESP_SEND);
	assert_int_equal(mlx5dv_get_cqe_owner(&c), 1);
	assert_int_equal(mlx5dv_get_cqe_format(&c), 0);
	assert_int_equal(c.hds_ip_ext, MLX5_CQE_L2_OK | MLX5_CQE_L3_OK | MLX5_CQE_L4_OK);
	assert_int_equal(be32toh(c.byte_cnt), 1514);
	assert_int_equal(be32toh(c.imm_inval_pkey), 0x01020304);
	assert_int_equal(be32toh(c.srqn_uidx) & 0xffffff, 0xaabbcc);
	assert_int_equal(be32toh(c.sop_drop_qpn) & 0xffffff, 0x123456);
	assert_int_equal(be16toh(c.wqe_counter), 0xfffe);
}

static void test_error_cqe(void **state)
{
	uint8_t cqe[64] = {0}, want[64] = {0};
	struct mlx5_err_cqe c;

	PRM_SET(err_cqe, cqe, srqn, 0x00aabbcc);
	PRM_SET(err_cqe, cqe, vendor_err_synd, 0xf9);
	PRM_SET(err_cqe, cqe, syndrome, PRM_CQE_SYND_WR_FLUSH);
	PRM_SET(err_cqe, cqe, s_wqe_opcode_qpn, 0x0a123456);
	PRM_SET(err_cqe, cqe, wqe_counter, 0x0102);
	PRM_SET(err_cqe, cqe, op_own, PRM_CQE_OP_REQ_ERR << 4);
	memcpy(want + 32, "\x00\xaa\xbb\xcc", 4);
	memcpy(want + 54, "\xf9\x05\x0a\x12\x34\x56\x01\x02\x00\xd0", 10);
	assert_memory_equal(cqe, want, sizeof(want));

	memcpy(&c, cqe, sizeof(c));
	assert_int_equal(c.syndrome, MLX5_CQE_SYNDROME_WR_FLUSH_ERR);
	assert_int_equal(c.vendor_err_synd, 0xf9);
	assert_int_equal(be32toh(c.s_wqe_opcode_qpn), 0x0a123456);
	assert_int_equal(be16toh(c.wqe_counter), 0x0102);
	assert_int_equal(c.op_own >> 4, MLX5_CQE_REQ_ERR);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_send),
		cmocka_unit_test(test_nop),
		cmocka_unit_test(test_cqe),
		cmocka_unit_test(test_error_cqe),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

#else

int main(void)
{
	puts("SKIPPED: infiniband/mlx5dv.h is not installed, ring entries are not compared with "
	     "it");
	return 77;
}

#endif
