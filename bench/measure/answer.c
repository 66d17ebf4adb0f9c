// SPDX-License-Identifier: BSD-2-Clause
/* Collecting an answer: see answer.h. */
#include "answer.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static void append(struct answer *a, const char *fmt, va_list ap)
{
	size_t have = strlen(a->text);

	vsnprintf(a->text + have, sizeof(a->text) - have, fmt, ap);
}

void answer_say(struct answer *a, const char *fmt, ...)
{
	size_t have = strlen(a->text);
	va_list ap;

	if (a->kind != ANSWERED)
		return;
	if (have)
		snprintf(a->text + have, sizeof(a->text) - have, "; ");
	va_start(ap, fmt);
	append(a, fmt, ap);
	va_end(ap);
}

void answer_skip(struct answer *a, const char *fmt, ...)
{
	va_list ap;

	if (a->kind == ANSWER_FAILED)
		return;
	a->kind = ANSWER_SKIPPED;
	a->text[0] = '\0';
	va_start(ap, fmt);
	append(a, fmt, ap);
	va_end(ap);
}

void answer_fail(struct answer *a, const char *fmt, ...)
{
	va_list ap;

	if (a->kind == ANSWER_FAILED)
		return;
	a->kind = ANSWER_FAILED;
	a->text[0] = '\0';
	va_start(ap, fmt);
	append(a, fmt, ap);
	va_end(ap);
}

void answer_number(struct answer *a, double value, const char *unit, const char *fmt, ...)
{
	va_list ap;

	if (a->n == ANSWER_NUMBERS)
		return;
	va_start(ap, fmt);
	vsnprintf(a->number[a->n].name, sizeof(a->number[a->n].name), fmt, ap);
	va_end(ap);
	a->number[a->n].unit = unit;
	a->number[a->n].value = value;
	a->n++;
}

const char *answer_kind_name(enum answer_kind kind)
{
	static const char *const names[] = {"answered", "skipped", "failed"};

	return names[kind];
}
