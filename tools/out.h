/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Output: each value is printed by one call that knows both forms.
 *
 *	out_num(o, "reqid", " reqid ", 7)      text: " reqid 7"     JSON: "reqid": 7
 *
 * A key names the value in JSON (NULL: an element of an array, or text only where out_text says so); the lead stands
 * before it in text (NULL: JSON only). JSON is collected and written by out_end(); text is written at once.
 */
#ifndef TOOLS_OUT_H
#define TOOLS_OUT_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "tools/problem.h"

struct out;

enum out_form { OUT_TEXT, OUT_JSON, OUT_PRETTY };

/* NULL: no memory. */
struct out *out_create(enum out_form form, FILE *to);
void out_destroy(struct out *o);
bool out_is_json(const struct out *o);

/* The output of one command: an array. end writes it and a newline; drop forgets it, cancel keeps nothing. */
void out_begin(struct out *o);
void out_end(struct out *o);
void out_drop(struct out *o);

/*
 * The output of a batch: one array, an element per line with what the line printed. Between line_begin and line_end
 * values go to that line's output; out_begin and out_end do nothing then.
 */
void out_batch_begin(struct out *o);
void out_line_begin(struct out *o, unsigned int number, char *const *word, int n);
void out_line_end(struct out *o, const struct problem *problem);
void out_batch_end(struct out *o);

/* Outside of a batch: the one object that a failed command prints in JSON; "mlx5-offload-tool: …" on stderr in text. */
void out_problem(struct out *o, const struct problem *problem);

void out_object(struct out *o, const char *key);
void out_array(struct out *o, const char *key);
void out_close(struct out *o);

void out_str(struct out *o, const char *key, const char *lead, const char *value);
void out_num(struct out *o, const char *key, const char *lead, uint64_t value);
/* A number with so many decimals (at most 9): 1234 and 2 are 12.34. */
void out_decimal(struct out *o, const char *key, const char *lead, uint64_t value,
		 unsigned int decimals);
void out_hex(struct out *o, const char *key, const char *lead, unsigned int digits, uint64_t value);
/* Text: lead and yes or no. */
void out_bool(struct out *o, const char *key, const char *lead, bool value);
/* Text only. */
void out_text(struct out *o, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* What the library warned of since the last time; text has shown it on stderr already. */
void out_warn(struct out *o, const char *line);
void out_warnings(struct out *o);

#endif
