/* SPDX-License-Identifier: BSD-2-Clause */
/* Frames from a capture file: a regular file that libpcap reads, with whole Ethernet frames that a channel takes. */
#ifndef TOOLS_CAPTURE_H
#define TOOLS_CAPTURE_H

#include <stddef.h>
#include <stdint.h>

#include "tools/problem.h"

struct capture;

/* Reads the file to its end, so that a bad one is refused before a frame of it was used. 0 or an exit status with *p. */
int capture_open(const char *path, struct capture **capture, struct problem *p);
/* NULL is allowed. */
void capture_close(struct capture *capture);
/* How many there are, at least 1. */
uint64_t capture_frames(const struct capture *capture);
/* The next frame, valid until the next call; behind the last one comes the first. 0 or an exit status with *p. */
int capture_next(struct capture *capture, const uint8_t **frame, size_t *len, struct problem *p);

#endif
