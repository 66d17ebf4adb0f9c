/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Errors and log. Functions return 0 or a negative errno and set errno too; functions that return a pointer return
 * NULL and set errno. The last failure of the calling thread is kept in words: one sentence that names what, which
 * value and what is allowed. A failed firmware command also leaves its opcode, status and syndrome.
 */
#ifndef MLX5_OFFLOAD_ERROR_H
#define MLX5_OFFLOAD_ERROR_H

#include <stdbool.h>
#include <stdint.h>

#include <mlx5_offload/export.h>

MLXO_BEGIN_DECLS

struct mlxo_error {
	int err;	/* positive errno */
	char text[512]; /* one sentence, no newline, never key material */
	bool firmware;	/* the device refused or did not answer: the fields below are set */
	const char *op; /* "SET_FLOW_TABLE_ENTRY" */
	uint8_t status; /* firmware status, 0 when there was no answer */
	const char *status_name; /* "BAD_PARAM_ERR" */
	uint32_t syndrome;
};

/* Last failure of this thread; valid until its next call into the library. Never NULL. */
MLXO_API const struct mlxo_error *mlxo_error_last(void);

enum mlxo_log_level {
	MLXO_LOG_ERROR,
	MLXO_LOG_WARN, /* accepted, but you should know: SPI in the reserved range, replay off … */
	MLXO_LOG_INFO,
	MLXO_LOG_DEBUG, /* one line per firmware command */
	MLXO_LOG_TRACE, /* every command and answer decoded, secrets masked */
};

/*
 * Where messages go; default: nowhere. One line, no newline. Process-wide; may be called from any thread and must
 * be thread-safe. Levels above `max` are not even formatted. fn NULL turns the log off.
 */
typedef void (*mlxo_log_fn)(void *ctx, enum mlxo_log_level level, const char *line);
MLXO_API void mlxo_log_set(mlxo_log_fn fn, void *ctx, enum mlxo_log_level max);

MLXO_END_DECLS

#endif
