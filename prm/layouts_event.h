/* SPDX-License-Identifier: BSD-2-Clause */
/* clang-format off */
/*
 * Event queue entries and the data of asynchronous events.
 *
 * One list per layout; offsets are absolute bit numbers from the first bit of the structure (bit 0 is the
 * most significant bit of byte 0). See prm.h for what is made of the lists. Source: the public interface
 * header of Linux 7.3 (mlx5_ifc.h) unless a line says otherwise.
 */
#ifndef PRM_LAYOUTS_EVENT_H
#define PRM_LAYOUTS_EVENT_H

#define PRM_LAYOUT_eqe(S, F, W, K, N, A) \
	S(eqe, 0x200) \
	F(eqe, event_type, 0x008, 8) \
	F(eqe, event_sub_type, 0x018, 8) \
	W(eqe, event_data, 0x100, 224) \
	F(eqe, signature, 0x1f0, 8) \
	F(eqe, owner, 0x1ff, 1)

#define PRM_LAYOUT_comp_event(S, F, W, K, N, A) \
	S(comp_event, 0x0e0) \
	F(comp_event, cq_number, 0x0c8, 24)

#define PRM_LAYOUT_cq_error(S, F, W, K, N, A) \
	S(cq_error, 0x0e0) \
	F(cq_error, cqn, 0x008, 24) \
	F(cq_error, syndrome, 0x058, 8)

#define PRM_LAYOUT_qp_events(S, F, W, K, N, A) \
	S(qp_events, 0x0e0) \
	F(qp_events, type, 0x0a0, 8) \
	F(qp_events, qpn_rqn_sqn, 0x0c8, 24)

#define PRM_LAYOUT_affiliated_event_header(S, F, W, K, N, A) \
	S(affiliated_event_header, 0x040) \
	F(affiliated_event_header, obj_type, 0x010, 16) \
	F(affiliated_event_header, obj_id, 0x020, 32)

#endif
