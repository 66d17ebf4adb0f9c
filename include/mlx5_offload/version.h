/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MLX5_OFFLOAD_VERSION_H
#define MLX5_OFFLOAD_VERSION_H

#include <mlx5_offload/export.h>

MLXO_BEGIN_DECLS

/* "0.1.0", of the library that runs; and of the libcrypto below it. */
MLXO_API const char *mlxo_version(void);
MLXO_API const char *mlxo_crypto_version(void);

MLXO_END_DECLS

#endif
