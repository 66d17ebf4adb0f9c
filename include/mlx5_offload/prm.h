/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The device interface as this library knows it, for people and for checks: every bit position and named value, and
 * recorded commands in words. No device is needed. All functions are thread-safe and keep nothing.
 */
#ifndef MLX5_OFFLOAD_PRM_H
#define MLX5_OFFLOAD_PRM_H

#include <stddef.h>

#include <mlx5_offload/export.h>

MLXO_BEGIN_DECLS

/* Takes one line, without a newline, valid during the call. */
typedef void (*mlxo_prm_line_fn)(void *ctx, const char *line);

/*
 * Every field of every layout: "struct TAB field TAB offset TAB width", both in bits and hexadecimal. Offset 0 is the
 * most significant bit of byte 0. A row with the field "(size)" has the size of the structure as its width; a list of
 * open length has the width 0. Returns 0.
 */
MLXO_API int mlxo_prm_dump(mlxo_prm_line_fn put, void *ctx);

/* Every named value: "name TAB value", hexadecimal, names as in the public interface header. Returns 0. */
MLXO_API int mlxo_prm_constants(mlxo_prm_line_fn put, void *ctx);

/*
 * Print a command given as text, field by field; keys, salts and initialisation vectors only as "(hidden)".
 *
 * The text may be any of these, separated by white space or commas, '#' starts a comment to the end of the line:
 *
 *	0a00 0000 0000000c 0x00 ...	bytes in order, any even number of digits in a group
 *	000:0a000000 004:0000000c	groups behind "offset:" (hexadecimal) go there; bytes never named are 0
 *	00000000  0a 00 ...  |....|	hexdump -C, with its "*" lines and its last line
 *	len=0x210			length of the command (hexadecimal); default: up to the last byte named
 *
 * At most 16384 bytes. Returns 0; -EINVAL when the text cannot be read, or when the command is unknown or shorter
 * than 16 bytes (what is there is printed all the same); -ENOMEM. On failure `why` (whylen bytes, may be NULL) has
 * one sentence.
 */
MLXO_API int mlxo_prm_decode_hex(const char *text, size_t len, mlxo_prm_line_fn put, void *ctx,
				 char *why, size_t whylen);

MLXO_END_DECLS

#endif
