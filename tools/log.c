// SPDX-License-Identifier: BSD-2-Clause
/*
 * The library tells of each object that cannot be removed. On a dead device that is every object, and all for one
 * reason: they are counted, and one line tells of them with the first. With -v all are shown.
 *
 *   ERROR, WARN ──┬─ follows from the death of the device ──▶ count ──▶ one line at the end
 *                 └─ else ──▶ output
 *   below ──▶ standard error, as -v asks
 *
 * Any thread may log: the counts are atomic, the output has a lock.
 */
#include "tools/log.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

#include <mlx5_offload/error.h>

static struct {
	struct out *out;
	bool all; /* nothing is held back */
	enum mlxo_log_level level;
	atomic_uint errors;    /* each a failure while cleaning up */
	atomic_uint held_back; /* of these and what follows: for the line at the end */
	char first[512];       /* written by whose line it is, read when all is closed */
} logged;

/* EIO of a command is a dead device; what then cannot be removed or given back follows from it. */
static bool follows(enum mlxo_log_level level, const char *line)
{
	if (level == MLXO_LOG_ERROR)
		return strstr(line, strerror(EIO));
	return atomic_load(&logged.held_back) && strstr(line, " bytes of memory stay with device ");
}

static void hold_back(const char *line)
{
	if (atomic_fetch_add(&logged.held_back, 1) == 0)
		snprintf(logged.first, sizeof(logged.first), "%s", line);
}

static void put(void *ctx, enum mlxo_log_level level, const char *line)
{
	const char *name = level == MLXO_LOG_TRACE   ? "trace"
			   : level == MLXO_LOG_DEBUG ? "debug"
						     : "info";

	if (level == MLXO_LOG_ERROR)
		atomic_fetch_add(&logged.errors, 1);
	if (level > MLXO_LOG_WARN)
		fprintf(stderr, "mlx5-offload-tool: %s: %s\n", name, line);
	else if (!logged.all && follows(level, line))
		hold_back(line);
	else
		out_warn(logged.out, line);
}

void log_start(struct out *out, int verbose)
{
	static const enum mlxo_log_level levels[] = {MLXO_LOG_WARN, MLXO_LOG_DEBUG, MLXO_LOG_TRACE};

	logged.out = out;
	logged.all = verbose > 0;
	logged.level = levels[verbose < 2 ? verbose : 2];
	log_pause(false);
}

void log_pause(bool pause)
{
	mlxo_log_set(pause ? NULL : put, NULL, logged.level);
}

unsigned int log_end(void)
{
	unsigned int n = atomic_load(&logged.held_back);
	char line[640];

	mlxo_log_set(NULL, NULL, MLXO_LOG_ERROR);
	if (n > 1) {
		snprintf(line, sizeof(line),
			 "%u objects could not be removed from a dead device (-v shows each), the "
			 "first %s",
			 n, logged.first);
		out_warn(logged.out, line);
	} else if (n) {
		out_warn(logged.out, logged.first);
	}
	return atomic_load(&logged.errors);
}
