// SPDX-License-Identifier: BSD-2-Clause
/*
 * Text and JSON from the same calls.
 *
 *   command alone    [ {…}, {…} ]                                     or on failure  {"error": …}
 *   batch            [                                                each element written when its line is done,
 *                    {"line": 1, "command": "…", "output": […]}       up to the end of a line of text, so that a
 *                    ,{"line": 2, "command": "…", "error": {…}}       reader can follow
 *                    ]
 *
 * The stack holds the containers that are open; its first is the array of the command. Warnings may come from any
 * thread and have a lock of their own; everything else is the main thread's.
 */
#include "tools/out.h"

#include <inttypes.h>
#include <jansson.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "tools/words.h"

enum { DEPTH = 8 };

struct out {
	enum out_form form;
	FILE *to;
	bool batch, first; /* in a batch; before its first element */
	int depth;
	json_t *stack[DEPTH];
	json_t *line; /* element of the batch */
	pthread_mutex_t lock;
	json_t *warnings; /* guarded by lock */
};

static void warn_text(const char *line)
{
	fprintf(stderr, "mlx5-offload-tool: warning: %s\n", line);
}

struct out *out_create(enum out_form form, FILE *to)
{
	struct out *o = calloc(1, sizeof(*o));

	if (!o)
		return NULL;
	o->form = form;
	o->to = to;
	o->warnings = json_array();
	pthread_mutex_init(&o->lock, NULL);
	return o;
}

void out_destroy(struct out *o)
{
	if (!o)
		return;
	out_drop(o);
	/* What came when all output was written already. */
	for (size_t i = 0; i < json_array_size(o->warnings); i++)
		warn_text(json_string_value(json_array_get(o->warnings, i)));
	json_decref(o->warnings);
	pthread_mutex_destroy(&o->lock);
	free(o);
}

bool out_is_json(const struct out *o)
{
	return o->form != OUT_TEXT;
}

static void write_json(struct out *o, const json_t *value)
{
	json_dumpf(value, o->to,
		   JSON_PRESERVE_ORDER | JSON_REAL_PRECISION(15) |
			   (o->form == OUT_PRETTY ? JSON_INDENT(4) : JSON_COMPACT));
}

/* -- commands and batches -- */

void out_begin(struct out *o)
{
	if (!out_is_json(o) || o->depth > 0)
		return;
	o->stack[0] = json_array();
	o->depth = 1;
}

void out_drop(struct out *o)
{
	if (o->depth > 0)
		json_decref(o->stack[0]);
	o->depth = 0;
}

void out_end(struct out *o)
{
	if (out_is_json(o) && !o->batch && o->depth > 0) {
		write_json(o, o->stack[0]);
		fputc('\n', o->to);
		out_drop(o);
	}
	fflush(o->to);
}

void out_batch_begin(struct out *o)
{
	o->batch = true;
	o->first = true;
	if (out_is_json(o))
		fputs("[\n", o->to);
	fflush(o->to);
}

void out_batch_end(struct out *o)
{
	o->batch = false;
	if (out_is_json(o))
		fputs("]\n", o->to);
	fflush(o->to);
}

/* JSON is UTF-8; the words of a user need not be. */
static json_t *text_json(const char *text)
{
	json_t *value = json_string(text);
	char *copy;

	if (value)
		return value;
	copy = strdup(text);
	for (char *c = copy; c && *c; c++)
		if (*c & 0x80)
			*c = '?';
	value = json_string(copy ? copy : "");
	free(copy);
	return value;
}

/* The command as it was given, words separated by a blank, keys masked. */
static json_t *command_text(char *const *word, int n)
{
	size_t len = 0;
	char *text = NULL;
	json_t *value;
	FILE *f = open_memstream(&text, &len);

	if (!f)
		return NULL;
	for (int i = 0; i < n; i++)
		fprintf(f, "%s%s", i ? " " : "",
			words_is_key(word, i) ? "(hidden)" : words_show(word[i]));
	fclose(f);
	value = text_json(text ? text : "");
	free(text);
	return value;
}

void out_line_begin(struct out *o, unsigned int number, char *const *word, int n)
{
	if (!out_is_json(o))
		return;
	o->line = json_object();
	json_object_set_new(o->line, "line", json_integer(number));
	json_object_set_new(o->line, "command", command_text(word, n));
	out_begin(o);
}

static json_t *problem_json(const struct problem *p)
{
	json_t *e = json_object();

	json_object_set_new(e, "error", text_json(p->text));
	json_object_set_new(e, "errno", json_integer(p->err));
	if (p->firmware) {
		char syndrome[16];

		snprintf(syndrome, sizeof(syndrome), "0x%06x", p->syndrome);
		json_object_set_new(e, "op", json_string(p->op));
		json_object_set_new(e, "status", json_string(p->status));
		json_object_set_new(e, "syndrome", json_string(syndrome));
	}
	return e;
}

/* Takes what was warned of so far; NULL: nothing. */
static json_t *take_warnings(struct out *o)
{
	json_t *taken = NULL;

	pthread_mutex_lock(&o->lock);
	if (json_array_size(o->warnings) > 0) {
		taken = o->warnings;
		o->warnings = json_array();
	}
	pthread_mutex_unlock(&o->lock);
	return taken;
}

void out_line_end(struct out *o, const struct problem *problem)
{
	json_t *warnings;

	if (!out_is_json(o))
		return;
	warnings = take_warnings(o);
	if (warnings)
		json_object_set_new(o->line, "warnings", warnings);
	if (problem) {
		json_object_set_new(o->line, "error", problem_json(problem));
		out_drop(o);
	} else {
		json_object_set_new(o->line, "output", o->stack[0]);
		o->depth = 0;
	}
	if (!o->first)
		fputc(',', o->to);
	o->first = false;
	write_json(o, o->line);
	fputc('\n', o->to);
	fflush(o->to);
	json_decref(o->line);
	o->line = NULL;
}

void out_problem(struct out *o, const struct problem *problem)
{
	json_t *e;

	if (!out_is_json(o)) {
		fflush(o->to);
		fprintf(stderr, "mlx5-offload-tool: %s\n", problem->text);
		return;
	}
	out_drop(o);
	e = problem_json(problem);
	write_json(o, e);
	fputc('\n', o->to);
	fflush(o->to);
	json_decref(e);
}

/* -- values -- */

static void add(struct out *o, const char *key, json_t *value)
{
	json_t *in = o->stack[o->depth - 1];

	if (json_is_array(in))
		json_array_append_new(in, value);
	else
		json_object_set_new(in, key, value);
}

static void push(struct out *o, const char *key, json_t *value)
{
	add(o, key, value);
	if (o->depth < DEPTH)
		o->stack[o->depth++] = value;
}

void out_object(struct out *o, const char *key)
{
	if (out_is_json(o))
		push(o, key, json_object());
}

void out_array(struct out *o, const char *key)
{
	if (out_is_json(o))
		push(o, key, json_array());
}

void out_close(struct out *o)
{
	if (out_is_json(o) && o->depth > 1)
		o->depth--;
}

void out_str(struct out *o, const char *key, const char *lead, const char *value)
{
	if (out_is_json(o))
		add(o, key, text_json(value));
	else if (lead)
		fprintf(o->to, "%s%s", lead, value);
}

void out_num(struct out *o, const char *key, const char *lead, uint64_t value)
{
	if (out_is_json(o))
		add(o, key, json_integer((json_int_t)value));
	else if (lead)
		fprintf(o->to, "%s%" PRIu64, lead, value);
}

void out_decimal(struct out *o, const char *key, const char *lead, uint64_t value,
		 unsigned int decimals)
{
	uint64_t unit = 1;

	for (unsigned int i = 0; i < decimals; i++)
		unit *= 10;
	if (out_is_json(o)) /* 15 digits are printed: the decimals come out as they are */
		add(o, key, json_real((double)value / (double)unit));
	else if (lead)
		fprintf(o->to, "%s%" PRIu64 ".%0*" PRIu64, lead, value / unit, (int)decimals,
			value % unit);
}

void out_hex(struct out *o, const char *key, const char *lead, unsigned int digits, uint64_t value)
{
	char text[32];

	snprintf(text, sizeof(text), "0x%0*" PRIx64, (int)digits, value);
	out_str(o, key, lead, text);
}

void out_bool(struct out *o, const char *key, const char *lead, bool value)
{
	if (out_is_json(o))
		add(o, key, json_boolean(value));
	else if (lead)
		fprintf(o->to, "%s%s", lead, value ? "yes" : "no");
}

void out_text(struct out *o, const char *fmt, ...)
{
	va_list ap;

	if (out_is_json(o))
		return;
	va_start(ap, fmt);
	vfprintf(o->to, fmt, ap);
	va_end(ap);
}

/* -- warnings -- */

void out_warn(struct out *o, const char *line)
{
	if (!out_is_json(o)) {
		warn_text(line);
		return;
	}
	pthread_mutex_lock(&o->lock);
	json_array_append_new(o->warnings, text_json(line));
	pthread_mutex_unlock(&o->lock);
}

void out_warnings(struct out *o)
{
	json_t *warnings = out_is_json(o) ? take_warnings(o) : NULL;

	if (warnings)
		add(o, "warnings", warnings);
}
