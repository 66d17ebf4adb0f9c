// SPDX-License-Identifier: BSD-2-Clause
/*
 * Last error of a thread, and the log. The rules are in error.h.
 *
 * Locks: `sink` is read-locked while a message is delivered, so that mlxo_log_set() returns only when nobody is in
 * the old function any more (it must not be called from inside one). The level is read without it.
 */
#include "objects/error.h"

#include <errno.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

enum { OFF = -1, LINE = 2048 };

static struct {
	pthread_rwlock_t lock;
	mlxo_log_fn fn;
	void *ctx;
} sink = {.lock = PTHREAD_RWLOCK_INITIALIZER};
static _Atomic int level_max = OFF;

static _Thread_local struct mlxo_error last;
static _Thread_local unsigned int undoing;

void mlxo_log_set(mlxo_log_fn fn, void *ctx, enum mlxo_log_level max)
{
	pthread_rwlock_wrlock(&sink.lock);
	sink.fn = fn;
	sink.ctx = ctx;
	atomic_store(&level_max, fn ? (int)max : OFF);
	pthread_rwlock_unlock(&sink.lock);
}

bool obj_log_on(enum mlxo_log_level level)
{
	return (int)level <= atomic_load_explicit(&level_max, memory_order_relaxed);
}

static void deliver(enum mlxo_log_level level, const char *line)
{
	pthread_rwlock_rdlock(&sink.lock);
	if (sink.fn)
		sink.fn(sink.ctx, level, line);
	pthread_rwlock_unlock(&sink.lock);
}

/* Format into buf; what does not fit is marked by "..." at the end. */
__attribute__((format(printf, 3, 0))) static void format(char *buf, size_t size, const char *fmt,
							 va_list ap)
{
	int n = vsnprintf(buf, size, fmt, ap);

	if (n < 0)
		snprintf(buf, size, "(message could not be formatted)");
	else if ((size_t)n >= size)
		memcpy(buf + size - 4, "...", 4);
}

void obj_log(enum mlxo_log_level level, const char *fmt, ...)
{
	int saved = errno;
	char line[LINE];
	va_list ap;

	if (!obj_log_on(level))
		return;
	va_start(ap, fmt);
	format(line, sizeof(line), fmt, ap);
	va_end(ap);
	deliver(level, line);
	errno = saved;
}

void obj_log_trace_line(void *ctx, const char *line)
{
	const char *prefix = ctx;

	obj_log(MLXO_LOG_TRACE, "%s%s", prefix ? prefix : "", line);
}

void obj_undo_begin(void)
{
	undoing++;
}

void obj_undo_end(void)
{
	undoing--;
}

/* Keep `text` as the cause, or, while undoing, tell the log. Returns err. */
__attribute__((format(printf, 3, 0))) static int report(int err, const struct obj_error_fw *fw,
							const char *fmt, va_list ap)
{
	struct mlxo_error e = {.err = -err};
	int saved = errno;

	format(e.text, sizeof(e.text), fmt, ap);
	if (fw) {
		e.firmware = true;
		e.op = fw->op;
		e.status = fw->status;
		e.status_name = fw->status_name;
		e.syndrome = fw->syndrome;
	}
	if (undoing) {
		obj_log(MLXO_LOG_ERROR, "while cleaning up: %s", e.text);
		errno = saved;
		return err;
	}
	last = e;
	if (fw)
		obj_log(MLXO_LOG_DEBUG, "%s", e.text);
	errno = -err;
	return err;
}

int obj_error(int err, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	report(err, NULL, fmt, ap);
	va_end(ap);
	return err;
}

void *obj_error_null(int err, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	report(err, NULL, fmt, ap);
	va_end(ap);
	return NULL;
}

int obj_error_firmware(int err, const struct obj_error_fw *fw, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	report(err, fw, fmt, ap);
	va_end(ap);
	return err;
}

int obj_error_nomem(const char *what)
{
	return obj_error(-ENOMEM, "out of memory for %s", what);
}

const struct mlxo_error *mlxo_error_last(void)
{
	return &last;
}
