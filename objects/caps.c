// SPDX-License-Identifier: BSD-2-Clause
/*
 * Capabilities: QUERY_HCA_CAP of the groups that matter, read once at open into one table.
 *
 * A group is asked for only when the general group says that it is there; the values of an absent one are 0. What
 * packet offload needs follows the Linux driver's own decision (en_accel/ipsec_offload.c, mlx5_ipsec_device_caps).
 */
#include "objects/alloc.h"
#include "objects/device.h"
#include "objects/error.h"

#include <mlx5_offload/tls.h>

#include <errno.h>
#include <string.h>

/* Order of the queries: GENERAL first. */
enum group { GENERAL, ETHERNET, FLOW, CRYPTO, IPSEC, TLS, NGROUPS };

static const struct {
	uint16_t number;
	enum obj_cap gate; /* asked for when this is not 0; of GENERAL: always */
} groups[NGROUPS] = {
	[GENERAL] = {PRM_CAP_GROUP_GENERAL, OBJ_NCAPS},
	[ETHERNET] = {PRM_CAP_GROUP_ETHERNET, OBJ_CAP_eth_net_offloads},
	[FLOW] = {PRM_CAP_GROUP_FLOW_TABLE, OBJ_CAP_nic_flow_table},
	[CRYPTO] = {PRM_CAP_GROUP_CRYPTO, OBJ_CAP_crypto},
	[IPSEC] = {PRM_CAP_GROUP_IPSEC, OBJ_CAP_ipsec_offload},
	[TLS] = {PRM_CAP_GROUP_TLS, OBJ_CAP_tls_tx},
};

enum { YES = 1, NUMBER = 2, NEEDED = 4 };

/* Where a capability is: group, bit offset in it, width. */
#define AT_GENERAL(f) GENERAL, PRM_OFFSET(cmd_hca_cap, f), PRM_WIDTH(cmd_hca_cap, f)
#define AT_OBJ_TYPE(t) \
	GENERAL, PRM_OFFSET(cmd_hca_cap, general_obj_types) + 63 - PRM_GENERAL_OBJECT_TYPES_##t, 1
#define AT_ETH(f) \
	ETHERNET, PRM_OFFSET(per_protocol_networking_offload_caps, f), \
		PRM_WIDTH(per_protocol_networking_offload_caps, f)
#define AT_CRYPTO(f) CRYPTO, PRM_OFFSET(crypto_cap, f), PRM_WIDTH(crypto_cap, f)
#define AT_IPSEC(f) IPSEC, PRM_OFFSET(ipsec_cap, f), PRM_WIDTH(ipsec_cap, f)
#define AT_TLS(f) TLS, PRM_OFFSET(tls_cap, f), PRM_WIDTH(tls_cap, f)
#define AT_FLOW(f) FLOW, PRM_OFFSET(flow_table_nic_cap, f), PRM_WIDTH(flow_table_nic_cap, f)
#define AT_PROP(dir, f) \
	FLOW, \
		PRM_OFFSET(flow_table_nic_cap, flow_table_properties_nic_##dir) + \
			PRM_OFFSET(flow_table_prop_layout, f), \
		PRM_WIDTH(flow_table_prop_layout, f)

static const struct row {
	const char *name;
	enum group group;
	unsigned int offset, width;
	unsigned int flags;
	const char *about;
} rows[OBJ_NCAPS] = {
#define ROW(cap, name, at, flags, about) [OBJ_CAP_##cap] = {name, at, flags, about}
	/* clang-format off */
	ROW(log_max_pd, "log_max_pd", AT_GENERAL(log_max_pd), NUMBER, "protection domains, log2"),
	ROW(log_max_transport_domain, "log_max_transport_domain", AT_GENERAL(log_max_transport_domain), NUMBER, "transport domains, log2"),
	ROW(log_max_cq, "log_max_cq", AT_GENERAL(log_max_cq), NUMBER | NEEDED, "completion queues, log2"),
	ROW(log_max_cq_sz, "log_max_cq_sz", AT_GENERAL(log_max_cq_sz), NUMBER, "entries of a completion queue, log2"),
	ROW(log_max_sq, "log_max_sq", AT_GENERAL(log_max_sq), NUMBER | NEEDED, "send queues, log2"),
	ROW(log_max_rq, "log_max_rq", AT_GENERAL(log_max_rq), NUMBER | NEEDED, "receive queues, log2"),
	ROW(log_max_tis, "log_max_tis", AT_GENERAL(log_max_tis), NUMBER | NEEDED, "TIS, log2"),
	ROW(log_max_tir, "log_max_tir", AT_GENERAL(log_max_tir), NUMBER | NEEDED, "TIR, log2"),
	ROW(max_wqe_sz_sq, "max_wqe_sz_sq", AT_GENERAL(max_wqe_sz_sq), NUMBER, "bytes of a send WQE"),
	ROW(eth_net_offloads, "eth_net_offloads", AT_GENERAL(eth_net_offloads), YES, "Ethernet offload capabilities are there"),
	ROW(nic_flow_table, "nic_flow_table", AT_GENERAL(nic_flow_table), YES | NEEDED, "flow tables"),
	ROW(crypto, "crypto", AT_GENERAL(crypto), YES, "crypto capabilities are there"),
	ROW(log_max_dek, "log_max_dek", AT_GENERAL(log_max_dek), NUMBER | NEEDED, "encryption keys, log2"),
	ROW(encryption_key_object, "general_obj_types.encryption_key", AT_OBJ_TYPE(ENCRYPTION_KEY), YES, "encryption key objects"),
	ROW(ipsec_offload, "ipsec_offload", AT_GENERAL(ipsec_offload), YES | NEEDED, "IPsec capabilities are there"),
	ROW(ipsec_object, "general_obj_types.ipsec", AT_OBJ_TYPE(IPSEC), YES | NEEDED, "IPsec objects"),
	ROW(wqe_inline_mode, "wqe_inline_mode", AT_ETH(wqe_inline_mode), NUMBER, "headers that a send WQE must carry inline: 0 L2, 1 as the vport says, 2 none"),
	ROW(csum_cap, "csum_cap", AT_ETH(csum_cap), YES, "checksum offload"),
	ROW(max_lso_cap, "max_lso_cap", AT_ETH(max_lso_cap), NUMBER, "bytes of a TSO, log2"),
	ROW(tls_tx, "tls_tx", AT_GENERAL(tls_tx), YES, "TLS transmit offload"),
	ROW(tls_1_2_aes_gcm_128, "tls_1_2_aes_gcm_128", AT_TLS(tls_1_2_aes_gcm_128), YES, "TLS 1.2 with AES-GCM-128"),
	ROW(tls_1_2_aes_gcm_256, "tls_1_2_aes_gcm_256", AT_TLS(tls_1_2_aes_gcm_256), YES, "TLS 1.2 with AES-GCM-256"),
	ROW(tls_1_3_aes_gcm_128, "tls_1_3_aes_gcm_128", AT_TLS(tls_1_3_aes_gcm_128), YES, "TLS 1.3 with AES-GCM-128"),
	ROW(tls_1_3_aes_gcm_256, "tls_1_3_aes_gcm_256", AT_TLS(tls_1_3_aes_gcm_256), YES, "TLS 1.3 with AES-GCM-256"),
	ROW(synchronize_dek, "synchronize_dek", AT_CRYPTO(synchronize_dek), YES, "SYNC_CRYPTO"),
	ROW(log_dek_max_alloc, "log_dek_max_alloc", AT_CRYPTO(log_dek_max_alloc), NUMBER, "keys made by one command, log2"),
	ROW(log_max_num_deks, "log_max_num_deks", AT_CRYPTO(log_max_num_deks), NUMBER, "keys of all kinds, log2"),
	ROW(ipsec_full_offload, "ipsec_full_offload", AT_IPSEC(ipsec_full_offload), YES | NEEDED, "packet offload"),
	ROW(ipsec_esn, "ipsec_esn", AT_IPSEC(ipsec_esn), YES, "extended sequence numbers"),
	ROW(gcm128_encrypt, "ipsec_crypto_esp_aes_gcm_128_encrypt", AT_IPSEC(ipsec_crypto_esp_aes_gcm_128_encrypt), YES | NEEDED, "AES-GCM-128 out"),
	ROW(gcm128_decrypt, "ipsec_crypto_esp_aes_gcm_128_decrypt", AT_IPSEC(ipsec_crypto_esp_aes_gcm_128_decrypt), YES | NEEDED, "AES-GCM-128 in"),
	ROW(gcm256_encrypt, "ipsec_crypto_esp_aes_gcm_256_encrypt", AT_IPSEC(ipsec_crypto_esp_aes_gcm_256_encrypt), YES, "AES-GCM-256 out"),
	ROW(gcm256_decrypt, "ipsec_crypto_esp_aes_gcm_256_decrypt", AT_IPSEC(ipsec_crypto_esp_aes_gcm_256_decrypt), YES, "AES-GCM-256 in"),
	ROW(log_max_ipsec_offload, "log_max_ipsec_offload", AT_IPSEC(log_max_ipsec_offload), NUMBER, "IPsec objects, log2"),
	ROW(max_encap_header_size, "max_encap_header_size", AT_FLOW(max_encap_header_size), NUMBER, "bytes of a header to add"),
	ROW(log_max_packet_reformat_context, "log_max_packet_reformat_context", AT_FLOW(log_max_packet_reformat_context), NUMBER, "headers to add or remove, log2"),
	ROW(rx_ft_support, "nic_receive.ft_support", AT_PROP(receive, ft_support), YES | NEEDED, "RX flow tables"),
	ROW(rx_flow_counter, "nic_receive.flow_counter", AT_PROP(receive, flow_counter), YES, "RX counters"),
	ROW(rx_flow_modify_en, "nic_receive.flow_modify_en", AT_PROP(receive, flow_modify_en), YES, "RX rules can be changed in place"),
	ROW(rx_ignore_flow_level, "nic_receive.ignore_flow_level", AT_PROP(receive, ignore_flow_level), YES, "RX rules can lead back to the kernel's tables"),
	ROW(rx_ipsec_decrypt, "nic_receive.ipsec_decrypt", AT_PROP(receive, ipsec_decrypt), YES | NEEDED, "RX rules decrypt"),
	ROW(rx_del_esp_transport, "nic_receive.reformat_del_esp_trasport", AT_PROP(receive, reformat_del_esp_trasport), YES | NEEDED, "RX rules remove ESP headers"),
	ROW(rx_decap, "nic_receive.decap", AT_PROP(receive, decap), YES | NEEDED, "RX rules remove headers"),
	ROW(rx_log_max_ft_size, "nic_receive.log_max_ft_size", AT_PROP(receive, log_max_ft_size), NUMBER, "rules of an RX table, log2"),
	ROW(rx_max_ft_level, "nic_receive.max_ft_level", AT_PROP(receive, max_ft_level), NUMBER, "RX tables one behind another"),
	ROW(rx_max_modify_header_actions, "nic_receive.max_modify_header_actions", AT_PROP(receive, max_modify_header_actions), NUMBER, "header rewrites of an RX rule"),
	ROW(tx_ft_support, "nic_transmit.ft_support", AT_PROP(transmit, ft_support), YES | NEEDED, "TX flow tables"),
	ROW(tx_flow_counter, "nic_transmit.flow_counter", AT_PROP(transmit, flow_counter), YES, "TX counters"),
	ROW(tx_flow_modify_en, "nic_transmit.flow_modify_en", AT_PROP(transmit, flow_modify_en), YES, "TX rules can be changed in place"),
	ROW(tx_ipsec_encrypt, "nic_transmit.ipsec_encrypt", AT_PROP(transmit, ipsec_encrypt), YES | NEEDED, "TX rules encrypt"),
	ROW(tx_add_esp_transport, "nic_transmit.reformat_add_esp_trasport", AT_PROP(transmit, reformat_add_esp_trasport), YES | NEEDED, "TX rules add ESP headers"),
	ROW(tx_log_max_ft_size, "nic_transmit.log_max_ft_size", AT_PROP(transmit, log_max_ft_size), NUMBER, "rules of a TX table, log2"),
	ROW(tx_max_ft_level, "nic_transmit.max_ft_level", AT_PROP(transmit, max_ft_level), NUMBER, "TX tables one behind another"),
	ROW(tx_max_modify_header_actions, "nic_transmit.max_modify_header_actions", AT_PROP(transmit, max_modify_header_actions), NUMBER, "header rewrites of a TX rule"),
	/* clang-format on */
};

static int query(struct mlxo_device *dev, enum group g, uint8_t *out, size_t outlen)
{
	uint8_t in[PRM_BYTES(query_hca_cap_in)] = {0};

	PRM_SET(query_hca_cap_in, in, opcode, PRM_CMD_OP_QUERY_HCA_CAP);
	PRM_SET(query_hca_cap_in, in, op_mod, groups[g].number << 1 | PRM_CAP_MODE_CURRENT);
	return obj_general(dev, in, sizeof(in), out, outlen);
}

static void fill(struct mlxo_device *dev, enum group g, const uint8_t *out)
{
	const uint8_t *cap = PRM_AT(query_hca_cap_out, out, capability);

	for (size_t i = 0; i < OBJ_NCAPS; i++)
		if (rows[i].group == g)
			dev->caps[i].value = prm_get(cap, rows[i].offset, rows[i].width);
}

int obj_caps_read(struct mlxo_device *dev)
{
	size_t outlen = PRM_BYTES(query_hca_cap_out);
	uint8_t *out = mlxo_calloc(1, outlen);
	int err = 0;

	if (!out)
		return obj_error_nomem("the device's capabilities");
	for (size_t i = 0; i < OBJ_NCAPS; i++)
		dev->caps[i] = (struct mlxo_cap){
			.name = rows[i].name,
			.flag = rows[i].flags & YES,
			.needed = rows[i].flags & NEEDED,
			.about = rows[i].about,
		};
	for (int g = GENERAL; g < NGROUPS && !err; g++) {
		if (g != GENERAL && !obj_cap(dev, groups[g].gate))
			continue;
		err = query(dev, (enum group)g, out, outlen);
		if (!err)
			fill(dev, (enum group)g, out);
	}
	mlxo_free(out);
	return err;
}

const struct mlxo_cap *mlxo_device_caps(const struct mlxo_device *dev, size_t *n)
{
	*n = OBJ_NCAPS;
	return dev->caps;
}

/* Append ", name" as far as it fits. */
static void append(char *list, size_t size, const char *name)
{
	size_t n = strlen(list);

	if (n + strlen(name) + 3 > size)
		return;
	if (n) {
		memcpy(list + n, ", ", 2);
		n += 2;
	}
	memcpy(list + n, name, strlen(name) + 1);
}

int mlxo_device_check_ipsec_packet(struct mlxo_device *dev, bool gcm256)
{
	char missing[400] = "";

	for (size_t i = 0; i < OBJ_NCAPS; i++) {
		bool needed = dev->caps[i].needed || (gcm256 && (i == OBJ_CAP_gcm256_encrypt ||
								 i == OBJ_CAP_gcm256_decrypt));

		if (needed && !dev->caps[i].value)
			append(missing, sizeof(missing), dev->caps[i].name);
	}
	if (!*missing)
		return 0;
	return obj_error(-EOPNOTSUPP, "device %s cannot do IPsec packet offload, it lacks: %s",
			 mlxo_device_name(dev), missing);
}

/* WQEs that set a context are 192 bytes long. */
enum { TLS_STATIC_BYTES = 192 };

int mlxo_device_check_tls(struct mlxo_device *dev, uint16_t version, uint16_t cipher)
{
	bool v3 = version == MLXO_TLS_1_3, k256 = cipher == MLXO_TLS_AES_GCM_256;
	enum obj_cap kind = v3 ? (k256 ? OBJ_CAP_tls_1_3_aes_gcm_256 : OBJ_CAP_tls_1_3_aes_gcm_128)
			       : (k256 ? OBJ_CAP_tls_1_2_aes_gcm_256 : OBJ_CAP_tls_1_2_aes_gcm_128);
	const enum obj_cap needed[] = {
		OBJ_CAP_tls_tx,	     OBJ_CAP_log_max_dek, OBJ_CAP_encryption_key_object,
		OBJ_CAP_log_max_tis, OBJ_CAP_csum_cap,	  kind};
	char missing[400] = "";

	if ((version != MLXO_TLS_1_2 && !v3) || (cipher != MLXO_TLS_AES_GCM_128 && !k256))
		return obj_error(-EOPNOTSUPP,
				 "TLS version 0x%04x with cipher %u: only AES-GCM with 128 or 256 "
				 "bits of TLS "
				 "1.2 and 1.3 can be offloaded",
				 version, cipher);
	for (size_t i = 0; i < sizeof(needed) / sizeof(needed[0]); i++)
		if (!obj_cap(dev, needed[i]))
			append(missing, sizeof(missing), dev->caps[needed[i]].name);
	if (obj_cap(dev, OBJ_CAP_max_wqe_sz_sq) < TLS_STATIC_BYTES)
		append(missing, sizeof(missing), "max_wqe_sz_sq of 192");
	if (!*missing)
		return 0;
	return obj_error(-EOPNOTSUPP,
			 "device %s cannot offload TLS %s with AES-GCM-%d, it lacks: %s",
			 mlxo_device_name(dev), v3 ? "1.3" : "1.2", k256 ? 256 : 128, missing);
}
