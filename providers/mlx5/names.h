/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The names of a NIC function: verbs ("mlx5_0"), PCI ("0000:65:00.0", or "65:00.0" in domain 0; an auxiliary device such
 * as "mlx5_core.sf.2" for a subfunction) and netdev ("eth4"), read from sysfs, where libibverbs says.
 */
#ifndef PROVIDERS_MLX5_NAMES_H
#define PROVIDERS_MLX5_NAMES_H

#include <stdbool.h>
#include <stddef.h>

#include <infiniband/verbs.h>

/* Empty when it has none. */
void mlx5_name_pci(const struct ibv_device *ib, char *name, size_t size);
/* The port's own netdev, not that of a representor. */
void mlx5_name_netdev(const struct ibv_device *ib, char *name, size_t size);
bool mlx5_name_is(const struct ibv_device *ib, const char *name);

/* "mlx5_0 (0000:65:00.0, eth4), mlx5_1 (...)", by name, as many as fit. Sorts the list, whose order is that of a directory. */
void mlx5_name_list(struct ibv_device **list, char *text, size_t size);

/* MTU of its netdev, 0: unknown. */
unsigned int mlx5_name_mtu(const struct ibv_device *ib);

#endif
