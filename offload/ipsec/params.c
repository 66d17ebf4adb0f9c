// SPDX-License-Identifier: BSD-2-Clause
/* Defaults of parameters. */
#include "params.h"

int ipsec_sa_params_check(struct mlxo_device *dev, const struct mlxo_ipsec_sa_params *in,
			  struct mlxo_ipsec_sa_params *out)
{
	(void)dev;
	*out = *in;
	if (!out->proto)
		out->proto = 50;
	if (!out->mode)
		out->mode = MLXO_IPSEC_TRANSPORT;
	return 0;
}

int ipsec_policy_params_check(const struct mlxo_ipsec_policy_params *in,
			      struct mlxo_ipsec_policy_params *out)
{
	*out = *in;
	if (!out->tmpl.proto)
		out->tmpl.proto = 50;
	if (!out->tmpl.mode)
		out->tmpl.mode = MLXO_IPSEC_TRANSPORT;
	return 0;
}

unsigned int ipsec_overhead(int family)
{
	(void)family;
	return 37;
}

unsigned int ipsec_usable_mtu(unsigned int wire_mtu, int family)
{
	unsigned int head = family == 10 ? 40 : 20;

	return head + ((wire_mtu - head - 32) & ~3u) - 2;
}
