/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Key material. All secrets of the process live in one store of shared pages that are locked, left out of core
 * dumps and wiped in a forked child (not a page per key). When RLIMIT_MEMLOCK is too small there is one warning and
 * the pages are undumpable all the same. A secret is wiped when it is destroyed. Thread-safe.
 */
#ifndef MLX5_OFFLOAD_SECRET_H
#define MLX5_OFFLOAD_SECRET_H

#include <stddef.h>
#include <stdint.h>

#include <mlx5_offload/export.h>

MLXO_BEGIN_DECLS

struct mlxo_secret;

#define MLXO_SECRET_MAX 64 /* bytes */

/* Copy of 1..MLXO_SECRET_MAX bytes. The caller wipes its own copy. NULL: EINVAL, ENOMEM. */
MLXO_API struct mlxo_secret *mlxo_secret_new(const void *bytes, size_t len);
/*
 * From hex text: an optional 0x, an even number of digits, surrounding white space and one final newline allowed.
 * Time does not depend on the digits. NULL: EINVAL with a sentence that never shows the text.
 */
MLXO_API struct mlxo_secret *mlxo_secret_from_hex(const char *text, size_t len);
/*
 * From a file that holds such a line; refused (EACCES) when group or others may read or write it, or when it is no
 * regular file. From a descriptor: read to its end; left open.
 */
MLXO_API struct mlxo_secret *mlxo_secret_from_file(const char *path);
MLXO_API struct mlxo_secret *mlxo_secret_from_fd(int fd);
/* One more owner. */
MLXO_API struct mlxo_secret *mlxo_secret_ref(struct mlxo_secret *s);
/* Wipes and frees with the last owner. NULL is allowed. */
MLXO_API void mlxo_secret_destroy(struct mlxo_secret *s);
MLXO_API size_t mlxo_secret_len(const struct mlxo_secret *s);
/* The bytes, valid while the secret lives. For writing into a command or an explicit export, nothing else. */
MLXO_API const uint8_t *mlxo_secret_bytes(const struct mlxo_secret *s);

MLXO_END_DECLS

#endif
