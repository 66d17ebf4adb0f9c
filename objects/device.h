/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Inside of a device: the provider below, capabilities, the protection and transport domain that everything of this
 * process shares, counters and the quarantine list.
 *
 * Locks: `lock` guards the quarantine list and the reservation count, and is held for no command. `keys_lock` is held
 * for the one SYNC_CRYPTO before the first key, `doubt_lock` while an object is listed as doubtful. Capabilities never change after open. Counters are atomics.
 */
#ifndef OBJECTS_DEVICE_H
#define OBJECTS_DEVICE_H

#include <pthread.h>
#include <stdatomic.h>

#include <mlx5_offload/device.h>

#include "objects/object.h"

/* Capabilities that are looked at, in the order of the table in caps.c. */
enum obj_cap {
	OBJ_CAP_log_max_pd,
	OBJ_CAP_log_max_transport_domain,
	OBJ_CAP_log_max_cq,
	OBJ_CAP_log_max_cq_sz,
	OBJ_CAP_log_max_sq,
	OBJ_CAP_log_max_rq,
	OBJ_CAP_log_max_tis,
	OBJ_CAP_log_max_tir,
	OBJ_CAP_max_wqe_sz_sq,
	OBJ_CAP_eth_net_offloads,
	OBJ_CAP_nic_flow_table,
	OBJ_CAP_crypto,
	OBJ_CAP_log_max_dek,
	OBJ_CAP_encryption_key_object,
	OBJ_CAP_ipsec_offload,
	OBJ_CAP_ipsec_object,
	OBJ_CAP_wqe_inline_mode,
	OBJ_CAP_csum_cap,
	OBJ_CAP_max_lso_cap,
	OBJ_CAP_tls_tx,
	OBJ_CAP_tls_1_2_aes_gcm_128,
	OBJ_CAP_tls_1_2_aes_gcm_256,
	OBJ_CAP_tls_1_3_aes_gcm_128,
	OBJ_CAP_tls_1_3_aes_gcm_256,
	OBJ_CAP_synchronize_dek,
	OBJ_CAP_log_dek_max_alloc,
	OBJ_CAP_log_max_num_deks,
	OBJ_CAP_ipsec_full_offload,
	OBJ_CAP_ipsec_esn,
	OBJ_CAP_gcm128_encrypt,
	OBJ_CAP_gcm128_decrypt,
	OBJ_CAP_gcm256_encrypt,
	OBJ_CAP_gcm256_decrypt,
	OBJ_CAP_log_max_ipsec_offload,
	OBJ_CAP_max_encap_header_size,
	OBJ_CAP_log_max_packet_reformat_context,
	OBJ_CAP_rx_ft_support,
	OBJ_CAP_rx_flow_counter,
	OBJ_CAP_rx_flow_modify_en,
	OBJ_CAP_rx_ignore_flow_level,
	OBJ_CAP_rx_ipsec_decrypt,
	OBJ_CAP_rx_del_esp_transport,
	OBJ_CAP_rx_decap,
	OBJ_CAP_rx_log_max_ft_size,
	OBJ_CAP_rx_max_ft_level,
	OBJ_CAP_rx_max_modify_header_actions,
	OBJ_CAP_tx_ft_support,
	OBJ_CAP_tx_flow_counter,
	OBJ_CAP_tx_flow_modify_en,
	OBJ_CAP_tx_ipsec_encrypt,
	OBJ_CAP_tx_add_esp_transport,
	OBJ_CAP_tx_log_max_ft_size,
	OBJ_CAP_tx_max_ft_level,
	OBJ_CAP_tx_max_modify_header_actions,
	OBJ_NCAPS,
};

struct obj_region;

struct obj_quarantine {
	enum obj_kind kind;
	uint32_t id;	/* 0 when the device never told it */
	const char *op; /* static */
	uint32_t number;
};

/* Of one opcode, in the order of prm_opcodes(). */
struct obj_counts {
	_Atomic uint64_t sent, refused, unanswered;
};

struct mlxo_device {
	struct prov_device *prov; /* starts with struct prov_base; NULL: half-open */
	const struct prov_ops *ops;

	struct mlxo_cap caps[OBJ_NCAPS];
	struct obj pd, td;
	struct prov_uar uar; /* one doorbell page for all queues */
	bool has_uar;

	struct obj_counts *counts;
	size_t ncounts;

	pthread_mutex_t lock;
	struct obj_quarantine *quarantine; /* lock; room for nquarantine + reserved entries */
	size_t nquarantine, room, reserved;
	uint32_t last_number;
	struct obj_region *kept; /* lock; memory that could not be given back (region.h) */

	pthread_mutex_t doubt_lock; /* before `lock` */
	pthread_mutex_t keys_lock;
	bool keys_synced; /* keys_lock */
};

static inline uint64_t obj_cap(const struct mlxo_device *dev, enum obj_cap cap)
{
	return dev->caps[cap].value;
}

/* device.c: a device on a provider's, which is closed on failure. Tests bring a provider of their own. */
int obj_device_open_on(struct prov_device *prov, struct mlxo_device **dev);

/*
 * device.c: after a reset, which took every object away: doorbell page, PD and transport domain anew. Objects that were made
 * before are void; destroying them is allowed and costs nothing. May be called again after a failure.
 */
int obj_device_restart(struct mlxo_device *dev);

/* caps.c: query and fill dev->caps. */
int obj_caps_read(struct mlxo_device *dev);

/* quarantine.c. Reserve: before a create; release: when an object is gone for good. */
int obj_quarantine_reserve(struct mlxo_device *dev);
void obj_quarantine_release(struct mlxo_device *dev);
/* List one, out of its reservation. Returns the number of the entry. */
uint32_t obj_quarantine_add(struct mlxo_device *dev, enum obj_kind kind, uint32_t id,
			    const char *op);
/* The doubt is over: back to a reservation. */
void obj_quarantine_remove(struct mlxo_device *dev, uint32_t number);
bool obj_quarantine_empty(struct mlxo_device *dev);

/* dek.c: SYNC_CRYPTO of all key types once per device, before the first key is loaded. */
int obj_keys_sync_once(struct mlxo_device *dev);

#endif
