// SPDX-License-Identifier: BSD-2-Clause
/*
 * Profiles: what a model can do and how much of it, and how long its commands take.
 *
 * Limits follow what such cards report; the small profiles make limits easy to reach in a test. Service times are
 * derived from published connection rates of ConnectX-6 Dx (kTLS pools): upper bounds, not measurements.
 */
#include "model.h"

#include <string.h>

/* clang-format off */
#define COMMON_MAX \
	[MODEL_UAR] = 1 << 12, [MODEL_PD] = 1 << 16, [MODEL_TD] = 1 << 16, [MODEL_UMEM] = 1 << 20, \
	[MODEL_MKEY] = 1 << 20, [MODEL_CQ] = 1 << 16, [MODEL_TIS] = 1 << 20, [MODEL_SQ] = 1 << 16, \
	[MODEL_RQ] = 1 << 16, [MODEL_TIR] = 1 << 16, [MODEL_RQT] = 1 << 16, [MODEL_QCOUNTER] = 255, [MODEL_COUNTER] = 1 << 20, \
	[MODEL_FT] = 1 << 12, [MODEL_FG] = 1 << 16, [MODEL_FTE] = 1 << 22

#define COMMON \
	.log_max_ft_size = 22, .max_ft_level = 64, .max_modify_header_actions = 16, \
	.max_encap_bytes = 128, .max_wqe_sz_sq = 1008, .mtu = 9000

/* 2^log keys, IPsec objects and what SAs need besides */
#define BIG_MAX(log) { \
	COMMON_MAX, [MODEL_DEK] = 1 << (log), [MODEL_IPSEC] = 1 << (log), [MODEL_REFORMAT] = 1 << (log), \
	[MODEL_MODHDR] = 1 << (log)}

/* a profile in which n SAs of one direction fit */
#define SMALL(n, text) { \
	.name = "sa" #n, .about = text, \
	.max = {COMMON_MAX, [MODEL_DEK] = (n), [MODEL_IPSEC] = (n), [MODEL_REFORMAT] = (n) + 8, [MODEL_MODHDR] = (n) + 8}, \
	.ipsec = true, .ipsec_full = true, .gcm256 = true, .crypto_bulk = true, .log_dek_max_alloc = 5, COMMON}
/* clang-format on */

static const struct model_profile profiles[] = {
	{.name = "connectx-6dx",
	 .about = "ConnectX-6 Dx: IPsec packet offload, TLS 1.2 and 1.3, key bulks up to 4096",
	 .max = BIG_MAX(20),
	 .ipsec = true,
	 .ipsec_full = true,
	 .gcm256 = true,
	 .crypto_bulk = true,
	 .tls_tx = true,
	 .tls13 = true,
	 .log_dek_max_alloc = 12,
	 COMMON},
	{.name = "connectx-7",
	 .about = "ConnectX-7: as connectx-6dx with larger limits",
	 .max = BIG_MAX(22),
	 .ipsec = true,
	 .ipsec_full = true,
	 .gcm256 = true,
	 .crypto_bulk = true,
	 .tls_tx = true,
	 .tls13 = true,
	 .log_dek_max_alloc = 14,
	 COMMON},
	{.name = "tls12-only",
	 .about = "as connectx-6dx, but TLS 1.2 only",
	 .max = BIG_MAX(20),
	 .ipsec = true,
	 .ipsec_full = true,
	 .gcm256 = true,
	 .crypto_bulk = true,
	 .tls_tx = true,
	 .log_dek_max_alloc = 12,
	 COMMON},
	{.name = "no-bulk",
	 .about = "as connectx-6dx, but keys are made one by one",
	 .max = BIG_MAX(20),
	 .ipsec = true,
	 .ipsec_full = true,
	 .gcm256 = true,
	 .tls_tx = true,
	 .tls13 = true,
	 COMMON},
	{.name = "no-tls",
	 .about = "as connectx-6dx, but without TLS",
	 .max = BIG_MAX(20),
	 .ipsec = true,
	 .ipsec_full = true,
	 .gcm256 = true,
	 .crypto_bulk = true,
	 .log_dek_max_alloc = 12,
	 COMMON},
	{.name = "no-crypto",
	 .about = "a card without crypto: no keys, no IPsec, no TLS",
	 .max = {COMMON_MAX, [MODEL_REFORMAT] = 1 << 20, [MODEL_MODHDR] = 1 << 20},
	 COMMON},
	{.name = "crypto-only",
	 .about = "IPsec crypto offload without packet offload, AES-128 only, single keys, no TLS",
	 .max = {COMMON_MAX, [MODEL_DEK] = 1 << 16, [MODEL_IPSEC] = 1 << 16,
		 [MODEL_REFORMAT] = 1 << 16, [MODEL_MODHDR] = 1 << 16},
	 .ipsec = true,
	 COMMON},
	SMALL(33, "room for 33 SAs"),
	SMALL(1024, "room for 1,024 SAs"),
};

const struct model_profile *model_profiles(size_t *n)
{
	*n = sizeof(profiles) / sizeof(profiles[0]);
	return profiles;
}

const struct model_profile *model_profile_find(const char *name)
{
	for (size_t i = 0; i < sizeof(profiles) / sizeof(profiles[0]); i++)
		if (strcmp(profiles[i].name, name) == 0)
			return &profiles[i];
	return NULL;
}

uint64_t model_service_ns(uint16_t opcode)
{
	switch (opcode) {
	case PRM_CMD_OP_CREATE_TIS:
	case PRM_CMD_OP_DESTROY_TIS: return 12600;
	case PRM_CMD_OP_CREATE_GENERAL_OBJECT:
	case PRM_CMD_OP_DESTROY_GENERAL_OBJECT: return 30000;
	case PRM_CMD_OP_MODIFY_GENERAL_OBJECT: return 9900;
	case PRM_CMD_OP_SYNC_CRYPTO: return 100000;
	default: return 10000;
	}
}
