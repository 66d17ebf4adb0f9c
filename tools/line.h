/* SPDX-License-Identifier: BSD-2-Clause */
/* Lines of a batch, split into words as a shell does. */
#ifndef TOOLS_LINE_H
#define TOOLS_LINE_H

#include <stdbool.h>

#include "tools/problem.h"

struct line_reader;

enum {
	LINE_MAX_BYTES = 16384, /* of words */
	LINE_MAX_WORDS = 512,
	LINE_MAX_INPUT =
		65536, /* with comments, blanks and joined lines: beyond it the input is no batch */
};

struct line {
	char **word; /* valid until the next call; wipe what must not stay */
	int n;
	unsigned int number; /* of the first of its lines in the file, from 1 */
};

/* fd stays the caller's. NULL: no memory. wait, may be NULL: called before each read; false ends the input. */
struct line_reader *line_reader_create(int fd, bool (*wait)(void *ctx, int fd), void *ctx);
/* Wipes everything that was read. NULL is allowed. */
void line_reader_destroy(struct line_reader *r);
/*
 * The next line that has words. 1: there is one; 0: end of input; -1: it cannot be read, *p and line->number say why
 * (the next call goes on behind it, except after a read error and a line of more than LINE_MAX_INPUT bytes: end of input).
 */
int line_reader_next(struct line_reader *r, struct line *line, struct problem *p);

#endif
