/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What may be asked of IPsec packet offload: the rules for the parameters of SAs and policies, and what ESP adds to a
 * packet. Nothing here keeps state or takes a lock.
 *
 * Refusals: -EINVAL breaks a rule of XFRM or of the card, -EOPNOTSUPP is possible on the card but not in this release, or
 * the card lacks the capability. The rule that says most about the mistake is told first. Sources: the kernel's checks for
 * packet offload (mlx5 en_accel/ipsec.c, net/xfrm/xfrm_user.c), RFC 4106, RFC 4303.
 */
#ifndef OFFLOAD_IPSEC_PARAMS_H
#define OFFLOAD_IPSEC_PARAMS_H

#include <mlx5_offload/ipsec.h>

/*
 * Copy a caller's struct, which begins with its size, to ours of `size` bytes. A shorter one (older program) reads as zero;
 * a longer one is accepted when its tail is zero, else -E2BIG. -EINVAL: in_size is not even the size of its first member.
 */
int ipsec_take_struct(const char *name, const void *in, size_t in_size, void *out, size_t size);

/*
 * Check `in` and write it to `out` in the one form that the service works with: proto and mode filled, addresses zero
 * behind their length. Pointers (key, aead, dev) are copied, not owned. dev NULL: do not look at capabilities. What is
 * accepted with a reservation leaves lines at WARN. On failure `out` is unspecified.
 */
int ipsec_sa_params_check(struct mlxo_device *dev, const struct mlxo_ipsec_sa_params *in,
			  struct mlxo_ipsec_sa_params *out);
int ipsec_policy_params_check(const struct mlxo_ipsec_policy_params *in,
			      struct mlxo_ipsec_policy_params *out);

/* Bytes that protection adds at most, transport mode, AES-GCM with 16 bytes of ICV. */
unsigned int ipsec_overhead(int family);
/*
 * The largest IP packet, header included, that fits wire_mtu after protection; 0 when none does. Exact for every header
 * length, because IPv4 options and IPv6 extension headers keep the 4-byte alignment of the payload.
 */
unsigned int ipsec_usable_mtu(unsigned int wire_mtu, int family);

#endif
