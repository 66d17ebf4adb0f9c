/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The far end of a cable: a second port that takes every frame which left the first one.
 *
 *	queue ─▶ port ═══ cable ═══ port of the wire ─▶ channel ─▶ thread ─▶ fn
 */
#ifndef TOOLS_STRESS_WIRE_H
#define TOOLS_STRESS_WIRE_H

#include <stddef.h>
#include <stdint.h>

#include "tools/problem.h"

struct stress_wire;

/* In the wire's own thread; `frame` is valid until it returns. */
typedef void (*stress_wire_fn)(void *ctx, const uint8_t *frame, size_t len);

/* Open the device and take frames from now on. 0 or an exit status with p set. */
int stress_wire_open(const char *device, stress_wire_fn fn, void *ctx, struct problem *p,
		     struct stress_wire **wire);
/* fn is not called any more. NULL is allowed. */
void stress_wire_close(struct stress_wire *wire);

#endif
