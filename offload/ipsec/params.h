/* SPDX-License-Identifier: BSD-2-Clause */
/* Rules that parameters of SAs and policies must keep, before anything touches the device. */
#ifndef OFFLOAD_IPSEC_PARAMS_H
#define OFFLOAD_IPSEC_PARAMS_H

#include <mlx5_offload/ipsec.h>

int ipsec_sa_params_check(struct mlxo_device *dev, const struct mlxo_ipsec_sa_params *in,
			  struct mlxo_ipsec_sa_params *out);
int ipsec_policy_params_check(const struct mlxo_ipsec_policy_params *in,
			      struct mlxo_ipsec_policy_params *out);
/* Most bytes that protection adds to a packet, and the largest packet that still fits the wire. */
unsigned int ipsec_overhead(int family);
unsigned int ipsec_usable_mtu(unsigned int wire_mtu, int family);

#endif
