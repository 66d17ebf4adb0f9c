// SPDX-License-Identifier: BSD-2-Clause
/*
 * Firmware: QUERY_HCA_CAP and NOP. Capabilities follow from the profile; what the model does not execute is not
 * offered. Current and maximum values are the same. Source: PRM, cmd_hca_cap and the capability groups; Linux
 * en_accel/ipsec_offload.c for what a driver asks of an IPsec device.
 */
#include "fw.h"

#include <string.h>

enum {
	LOG_PAGE = 12,
	INLINE_NOT_REQUIRED = 2,
	LOG_MAX_WQ = 15,
	LOG_MAX_CQ = 22,
	COUNTER_BULKS = 0xff
};

/* Fields of one group in `cap`. */
#define GENERAL(f, v) PRM_SET(cmd_hca_cap, cap, f, v)

static unsigned int log2_floor(uint32_t v)
{
	unsigned int n = 0;

	while (v > 1) {
		v >>= 1;
		n++;
	}
	return n;
}

/* Log of how many objects of a type there may be. */
static unsigned int log_max(const struct model_dev *dev, enum model_type type)
{
	return log2_floor(dev->profile.max[type]);
}

static void general_objects(const struct model_dev *dev, uint8_t *cap)
{
	const struct model_profile *p = &dev->profile;
	uint64_t types = 0;

	if (p->max[MODEL_DEK])
		types |= UINT64_C(1) << PRM_GENERAL_OBJECT_TYPES_ENCRYPTION_KEY;
	if (p->ipsec)
		types |= UINT64_C(1) << PRM_GENERAL_OBJECT_TYPES_IPSEC;
	GENERAL(general_obj_types, types);
	GENERAL(crypto, p->max[MODEL_DEK] != 0);
	GENERAL(ipsec_offload, p->ipsec);
	GENERAL(log_max_dek, log_max(dev, MODEL_DEK));
	GENERAL(tls_tx, p->tls_tx);
}

static void cap_general(const struct model_dev *dev, uint8_t *cap)
{
	general_objects(dev, cap);
	GENERAL(hca_cap_2, 1);
	GENERAL(vhca_id, 1);
	GENERAL(log_max_cq_sz, LOG_MAX_CQ);
	GENERAL(log_max_cq, log_max(dev, MODEL_CQ));
	GENERAL(log_max_mkey, log_max(dev, MODEL_MKEY));
	GENERAL(log_max_eq, 4);
	GENERAL(nic_flow_table, 1);
	GENERAL(port_type, PRM_CAP_PORT_TYPE_ETH);
	GENERAL(num_ports, 1);
	GENERAL(cqe_version, 1);
	GENERAL(cq_moderation, 1);
	GENERAL(cq_period_mode_modify, 1);
	GENERAL(max_qp_cnt, dev->profile.max[MODEL_QCOUNTER]);
	GENERAL(modify_rq_counter_set_id, 1);
	GENERAL(vport_counters, 1);
	GENERAL(eth_virt, 1);
	GENERAL(device_frequency_mhz, 1000); /* CQE timestamps are ns */
	GENERAL(device_frequency_khz, 1000000);
	GENERAL(eth_net_offloads, 1);
	GENERAL(uar_4k, 1);
	GENERAL(umem_uid_0, 1);
	GENERAL(bf, 1);
	GENERAL(log_bf_reg_size, 9);
	GENERAL(max_wqe_sz_sq, dev->profile.max_wqe_sz_sq);
	GENERAL(max_wqe_sz_rq, 512);
	GENERAL(flow_counter_bulk_alloc, COUNTER_BULKS);
	GENERAL(log_max_flow_counter_bulk, 14);
	GENERAL(max_flow_counter_31_16, dev->profile.max[MODEL_COUNTER] >> 16);
	GENERAL(max_flow_counter_15_0, dev->profile.max[MODEL_COUNTER] & 0xffff);
	GENERAL(log_max_transport_domain, log_max(dev, MODEL_TD));
	GENERAL(log_max_pd, log_max(dev, MODEL_PD));
	GENERAL(log_max_rq, log_max(dev, MODEL_RQ));
	GENERAL(log_max_sq, log_max(dev, MODEL_SQ));
	GENERAL(log_max_tir, log_max(dev, MODEL_TIR));
	GENERAL(log_max_tis, log_max(dev, MODEL_TIS));
	GENERAL(basic_cyclic_rcv_wqe, 1);
	GENERAL(log_max_rqt, log_max(dev, MODEL_RQT));
	GENERAL(log_max_rqt_size, MODEL_LOG_MAX_RQT);
	GENERAL(log_max_stride_sz_rq, 9);
	GENERAL(log_min_stride_sz_rq, 4);
	GENERAL(log_max_stride_sz_sq, 6);
	GENERAL(log_min_stride_sz_sq, 6);
	GENERAL(log_max_wq_sz, LOG_MAX_WQ);
	GENERAL(log_max_uctx, 15);
	GENERAL(log_max_umem, log_max(dev, MODEL_UMEM));
	GENERAL(log_uar_page_sz, LOG_PAGE - 12);
	GENERAL(uctx_cap, PRM_UCTX_CAP_RAW_TX);
}

static void cap_ethernet(const struct model_dev *dev, uint8_t *cap)
{
	PRM_SET(per_protocol_networking_offload_caps, cap, csum_cap, 1);
	PRM_SET(per_protocol_networking_offload_caps, cap, vlan_cap, 1);
	PRM_SET(per_protocol_networking_offload_caps, cap, wqe_vlan_insert, 1);
	PRM_SET(per_protocol_networking_offload_caps, cap, max_lso_cap, MODEL_LOG_MAX_LSO);
	PRM_SET(per_protocol_networking_offload_caps, cap, wqe_inline_mode, INLINE_NOT_REQUIRED);
	PRM_SET(per_protocol_networking_offload_caps, cap, rss_ind_tbl_cap, MODEL_LOG_MAX_RQT);
	PRM_SET(per_protocol_networking_offload_caps, cap, self_lb_en_modifiable, 1);
	PRM_SET(per_protocol_networking_offload_caps, cap, cqe_checksum_full, 1);
}

/* What both directions have. */
static void prop_common(const struct model_dev *dev, uint8_t *prop)
{
	uint8_t *fields = PRM_AT(flow_table_prop_layout, prop, ft_field_support);

#define PROP(f, v) PRM_SET(flow_table_prop_layout, prop, f, v)
	PROP(ft_support, 1);
	PROP(flow_counter, 1);
	PROP(flow_modify_en, 1);
	PROP(modify_root, 1);
	PROP(identified_miss_table_mode, 1);
	PROP(flow_table_modify, 1);
	PROP(ignore_flow_level, 1);
	PROP(reformat_and_modify_action, 1);
	PROP(reformat_and_fwd_to_table, 1);
	PROP(log_max_ft_size, dev->profile.log_max_ft_size);
	PROP(log_max_modify_header_context, log_max(dev, MODEL_MODHDR));
	PROP(max_modify_header_actions, dev->profile.max_modify_header_actions);
	PROP(max_ft_level, dev->profile.max_ft_level);
	PROP(log_max_ft_num, log_max(dev, MODEL_FT));
	PROP(log_max_flow_counter, MODEL_LOG_FTE_COUNTERS);
	PROP(log_max_destination, MODEL_LOG_FTE_DESTS);
	PROP(log_max_flow, log_max(dev, MODEL_FTE));
#undef PROP
	model_field_support(fields);
	memcpy(PRM_AT(flow_table_prop_layout, prop, ft_field_bitmask_support), fields,
	       PRM_BYTES(flow_table_fields_supported));
}

static void cap_flow_table(const struct model_dev *dev, uint8_t *cap)
{
	const struct model_profile *p = &dev->profile;
	uint8_t *rx = PRM_AT(flow_table_nic_cap, cap, flow_table_properties_nic_receive);
	uint8_t *tx = PRM_AT(flow_table_nic_cap, cap, flow_table_properties_nic_transmit);

	PRM_SET(flow_table_nic_cap, cap, nic_rx_multi_path_tirs, 1);
	PRM_SET(flow_table_nic_cap, cap, nic_rx_multi_path_tirs_fts, 1);
	PRM_SET(flow_table_nic_cap, cap, log_max_packet_reformat_context,
		log_max(dev, MODEL_REFORMAT));
	PRM_SET(flow_table_nic_cap, cap, max_encap_header_size, p->max_encap_bytes);
	prop_common(dev, rx);
	prop_common(dev, tx);
	PRM_SET(flow_table_prop_layout, rx, ipsec_decrypt, p->ipsec);
	PRM_SET(flow_table_prop_layout, tx, ipsec_encrypt, p->ipsec);
	PRM_SET(flow_table_nic_cap, cap, encap_general_header, 1);
	PRM_SET(flow_table_prop_layout, rx, decap, 1);
	PRM_SET(flow_table_prop_layout, rx, reformat, 1);
	PRM_SET(flow_table_prop_layout, tx, reformat, 1);
	PRM_SET(flow_table_prop_layout, rx, reformat_l3_tunnel_to_l2, 1);
	PRM_SET(flow_table_prop_layout, tx, reformat_l2_to_l3_tunnel, 1);
	PRM_SET(flow_table_prop_layout, tx, reformat_add_esp_trasport, p->ipsec_full);
	PRM_SET(flow_table_prop_layout, rx, reformat_del_esp_trasport, p->ipsec_full);
	PRM_SET(flow_table_fields_supported_2,
		PRM_AT(flow_table_nic_cap, cap, ft_field_support_2_nic_receive), ipsec_next_header,
		p->ipsec);
	PRM_SET(flow_table_fields_supported_2,
		PRM_AT(flow_table_nic_cap, cap, ft_field_support_2_nic_receive), outer_l4_type, 1);
	PRM_SET(flow_table_fields_supported_2,
		PRM_AT(flow_table_nic_cap, cap, ft_field_support_2_nic_receive), outer_l4_type_ext,
		1);
}

static void cap_crypto(const struct model_dev *dev, uint8_t *cap)
{
	PRM_SET(crypto_cap, cap, synchronize_dek, 1);
	PRM_SET(crypto_cap, cap, log_dek_max_alloc,
		dev->profile.crypto_bulk ? dev->profile.log_dek_max_alloc : 0);
	PRM_SET(crypto_cap, cap, log_max_num_deks, log_max(dev, MODEL_DEK));
}

static void cap_tls(const struct model_dev *dev, uint8_t *cap)
{
	const struct model_profile *p = &dev->profile;

	PRM_SET(tls_cap, cap, tls_1_2_aes_gcm_128, 1);
	PRM_SET(tls_cap, cap, tls_1_2_aes_gcm_256, p->gcm256);
	PRM_SET(tls_cap, cap, tls_1_3_aes_gcm_128, p->tls13);
	PRM_SET(tls_cap, cap, tls_1_3_aes_gcm_256, p->tls13 && p->gcm256);
}

static void cap_ipsec(const struct model_dev *dev, uint8_t *cap)
{
	PRM_SET(ipsec_cap, cap, ipsec_full_offload, dev->profile.ipsec_full);
	PRM_SET(ipsec_cap, cap, ipsec_crypto_offload, 1);
	PRM_SET(ipsec_cap, cap, ipsec_esn, 1);
	PRM_SET(ipsec_cap, cap, ipsec_crypto_esp_aes_gcm_256_encrypt, dev->profile.gcm256);
	PRM_SET(ipsec_cap, cap, ipsec_crypto_esp_aes_gcm_128_encrypt, 1);
	PRM_SET(ipsec_cap, cap, ipsec_crypto_esp_aes_gcm_256_decrypt, dev->profile.gcm256);
	PRM_SET(ipsec_cap, cap, ipsec_crypto_esp_aes_gcm_128_decrypt, 1);
	PRM_SET(ipsec_cap, cap, log_max_ipsec_offload, log_max(dev, MODEL_IPSEC));
	PRM_SET(ipsec_cap, cap, min_log_ipsec_full_replay_window, 5);
	PRM_SET(ipsec_cap, cap, max_log_ipsec_full_replay_window, 8);
}

enum model_synd model_do_QUERY_HCA_CAP(struct model_cmd *c)
{
	uint8_t *cap = PRM_AT(query_hca_cap_out, c->out, capability);

	if (PRM_GET(query_hca_cap_in, c->in, other_function) ||
	    PRM_GET(query_hca_cap_in, c->in, ec_vf_function) ||
	    PRM_GET(query_hca_cap_in, c->in, function_id_type) ||
	    PRM_GET(query_hca_cap_in, c->in, function_id))
		return MODEL_S_OTHER_FUNCTION;
	switch (prm_in_op_mod(c->in) >> 1) {
	case PRM_CAP_GROUP_GENERAL: cap_general(c->dev, cap); break;
	case PRM_CAP_GROUP_GENERAL_2: break; /* none of its features */
	case PRM_CAP_GROUP_ETHERNET: cap_ethernet(c->dev, cap); break;
	case PRM_CAP_GROUP_FLOW_TABLE: cap_flow_table(c->dev, cap); break;
	case PRM_CAP_GROUP_CRYPTO:
		if (!c->dev->profile.max[MODEL_DEK])
			return MODEL_S_CAP_GROUP;
		cap_crypto(c->dev, cap);
		break;
	case PRM_CAP_GROUP_IPSEC:
		if (!c->dev->profile.ipsec)
			return MODEL_S_CAP_GROUP;
		cap_ipsec(c->dev, cap);
		break;
	case PRM_CAP_GROUP_TLS:
		if (!c->dev->profile.tls_tx)
			return MODEL_S_CAP_GROUP;
		cap_tls(c->dev, cap);
		break;
	default: return MODEL_S_CAP_GROUP;
	}
	return MODEL_S_OK;
}

enum model_synd model_do_NOP(struct model_cmd *c)
{
	return MODEL_S_OK;
}
