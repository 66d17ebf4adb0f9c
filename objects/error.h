/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Inside of error.h: how the library reports.
 *
 * A failure is told once. Normally that is mlxo_error_last() of the thread (and one line in the log at DEBUG, where
 * every firmware command has a line). While something is being undone or closed the caller has been told the cause already, or cannot
 * be told, so further failures leave mlxo_error_last() and errno alone and go to the log at ERROR:
 *
 *	err = obj_error(-EINVAL, "...");	cause: kept
 *	obj_undo_begin();
 *	obj_dek_destroy(...);			fails too: one line at ERROR
 *	obj_undo_end();
 *	return err;
 */
#ifndef OBJECTS_ERROR_H
#define OBJECTS_ERROR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <mlx5_offload/error.h>

/* Set the thread's last error and errno; err is a negative errno and is returned. One sentence, no newline. */
int obj_error(int err, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* The same for functions that return a pointer: always NULL. */
void *obj_error_null(int err, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* -ENOMEM: "out of memory for <what>". */
int obj_error_nomem(const char *what);

/* Of a command (command.c). op, status_name: static strings. */
struct obj_error_fw {
	const char *op;
	uint8_t status;
	const char *status_name;
	uint32_t syndrome;
};
int obj_error_firmware(int err, const struct obj_error_fw *fw, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/* Between these, failures of this thread are logged and do not replace the cause. They nest. */
void obj_undo_begin(void);
void obj_undo_end(void);

/* Would a message of this level be taken? Ask before expensive formatting. */
bool obj_log_on(enum mlxo_log_level level);
void obj_log(enum mlxo_log_level level, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* A prm_put_line for decoded commands: one line at TRACE; ctx may be a prefix or NULL. */
void obj_log_trace_line(void *ctx, const char *line);

#endif
