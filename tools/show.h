/* SPDX-License-Identifier: BSD-2-Clause */
/* How an SA and a policy look: as `ip xfrm` prints them, or as an object with the same words. Never any key bytes. */
#ifndef TOOLS_SHOW_H
#define TOOLS_SHOW_H

#include "tools/session.h"

void show_sa(struct session *s, const struct mlxo_ipsec_sa_info *info);
void show_policy(struct session *s, const struct mlxo_ipsec_policy_info *info);
/* "14.0.0.52"; "any" when not given. buf: INET6_ADDRSTRLEN + 4 bytes, for a prefix too. */
enum { SHOW_ADDR = 64 };
const char *show_addr(const struct mlxo_addr *addr, char buf[SHOW_ADDR]);

#endif
