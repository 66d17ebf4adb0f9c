/* SPDX-License-Identifier: BSD-2-Clause */
/* Waiting: for input or for the signal that ends the process in order. Main thread only. */
#ifndef TOOLS_WAIT_H
#define TOOLS_WAIT_H

#include <stdbool.h>

#include "tools/session.h"

/* From here on SIGINT and SIGTERM are kept until one of the functions below sees them. Again: nothing happens. */
void wait_init(void);
/* Until fd can be read (true) or a signal came (false). Meanwhile the device is kept going. session: struct session. */
bool wait_readable(void *session, int fd);
/* Has a signal come? Does not wait. */
bool wait_came(void);
/* For so long (true) or until a signal comes (false). Meanwhile the device is kept going. */
bool wait_ms(struct session *s, int ms);
/* Until a signal comes; at once when one came before. */
void wait_signal(struct session *s);

#endif
