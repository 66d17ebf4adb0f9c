/* SPDX-License-Identifier: BSD-2-Clause */
/* What went wrong, in one sentence, and the exit status that follows from it. */
#ifndef TOOLS_PROBLEM_H
#define TOOLS_PROBLEM_H

#include <stdbool.h>
#include <stdint.h>

enum tool_exit {
	TOOL_OK,
	TOOL_FAILED,	   /* it was tried and did not work */
	TOOL_USAGE,	   /* the words were wrong, nothing was tried */
	TOOL_PARTLY,	   /* batch with -f: some lines failed */
	TOOL_NO_RESOURCES, /* the device or the host is full: the same line may work later */
};

struct problem {
	enum tool_exit exit; /* TOOL_OK: none */
	int err;	     /* positive errno */
	char text[768];	     /* no newline, no key material */
	bool firmware;	     /* the device said so: op, status, syndrome */
	char op[64], status[64];
	uint32_t syndrome;
};

/* Each sets *p and returns its exit status, so that `return problem_…(…)` ends a function. */
int problem_usage(struct problem *p, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
int problem_errno(struct problem *p, int err, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
/* The library refused: err is what it returned (negative), the words are mlxo_error_last()'s. */
int problem_library(struct problem *p, int err);

#endif
