/* SPDX-License-Identifier: BSD-2-Clause */
/* What the library logs: warnings go to the output, the rest to whoever asked with -v. */
#ifndef TOOLS_LOG_H
#define TOOLS_LOG_H

#include "tools/out.h"

/* verbose: how often -v was given. out stays the caller's, until log_end(). */
void log_start(struct out *out, int verbose);
/* Between true and false, nothing is said. */
void log_pause(bool pause);
/* Call it when all is closed. Failures while cleaning up, which no function returns: the exit status tells of them. */
unsigned int log_end(void);

#endif
