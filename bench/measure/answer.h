/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A question to the device, and what it answered: a sentence that is the same whenever the device behaves the same, and
 * numbers, which are not.
 */
#ifndef MEASURE_ANSWER_H
#define MEASURE_ANSWER_H

#include <stdbool.h>
#include <stddef.h>

struct lab;

enum answer_kind {
	ANSWERED,
	ANSWER_SKIPPED, /* the device lacks what the question needs, or it was not allowed */
	ANSWER_FAILED,	/* something that must work did not, so there is no answer */
};

enum { ANSWER_NUMBERS = 32, ANSWER_TEXT = 700 };

struct answer {
	enum answer_kind kind;
	char text[ANSWER_TEXT];
	struct {
		char name[48];
		const char *unit; /* static */
		double value;
	} number[ANSWER_NUMBERS];
	unsigned int n;
};

struct question {
	const char *name, *ask;
	void (*run)(struct lab *lab, struct answer *a);
};

/* What is said more than once is joined by semicolons. */
void answer_say(struct answer *a, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* These replace what was said. A failure is never replaced by a skip. */
void answer_skip(struct answer *a, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void answer_fail(struct answer *a, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* One that does not fit is left out. The name is made of fmt. */
void answer_number(struct answer *a, double value, const char *unit, const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));
const char *answer_kind_name(enum answer_kind kind);

/* The questions of each file, ended by one without a name. */
extern const struct question questions_caps[], questions_keys[], questions_tls[],
	questions_contexts[], questions_flow[];

#endif
