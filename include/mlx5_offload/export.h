/* SPDX-License-Identifier: BSD-2-Clause */
/* What every public header needs: export mark and C++ guard. */
#ifndef MLX5_OFFLOAD_EXPORT_H
#define MLX5_OFFLOAD_EXPORT_H

#ifdef __cplusplus
#define MLXO_BEGIN_DECLS extern "C" {
#define MLXO_END_DECLS }
#else
#define MLXO_BEGIN_DECLS
#define MLXO_END_DECLS
#endif

#define MLXO_API __attribute__((visibility("default")))

#endif
