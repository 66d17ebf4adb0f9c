/* SPDX-License-Identifier: BSD-2-Clause */
/* A file of commands. */
#ifndef TOOLS_BATCH_H
#define TOOLS_BATCH_H

#include "tools/session.h"

/*
 * Runs the lines of path ("-": standard input) up to the first that fails, or with force all of them. Returns the
 * exit status; problems are printed.
 */
int batch_run(struct session *s, const char *path, bool force);

#endif
