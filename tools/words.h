/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The words of a command, from argv or from a line of a batch, and a cursor on them.
 *
 * Functions that parse return 0 or an exit status of problem.h with w->problem set.
 */
#ifndef TOOLS_WORDS_H
#define TOOLS_WORDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tools/problem.h"

/* May key bytes stand among the words? */
enum words_keys {
	WORDS_KEYS_ARGV, /* no: every user of the host can read argv */
	WORDS_KEYS_OPEN, /* no: the batch file is readable by others */
	WORDS_KEYS_OK,	 /* the batch came by a private file or a pipe */
};

struct words {
	char **word;
	int n, at;
	enum words_keys keys;
	bool stdin_busy; /* standard input is the batch: no key can come from there */
	/* Called before each read of a key's descriptor; false: a signal came. May be NULL. */
	bool (*wait)(void *ctx, int fd);
	void *wait_ctx;
	struct problem *problem;
};

/* The next word without taking it; NULL at the end. */
const char *words_peek(const struct words *w);
/* Take the next word if it is this one. */
bool words_take(struct words *w, const char *word);
/* Take the value of the word `of`. */
int words_value(struct words *w, const char *of, char **value);
/* Take a number (decimal, 0x hexadecimal, 0 octal) from min to max. */
int words_number(struct words *w, const char *of, uint64_t min, uint64_t max, uint64_t *value);
/* Refuse what is left. */
int words_end(struct words *w);

bool number_parse(const char *text, uint64_t *value);

/*
 * The entry that `word` names: the same, or the only one that begins with it (exact: the same only). -1: none;
 * -2: several. next: how to step through the table, whose entries begin with a `const char *`, ended by NULL.
 */
int words_lookup(const char *word, const void *table, size_t stride, bool exact);

/* Fit for a message: "(hidden)" for what may be a key in the wrong place. */
const char *words_show(const char *word);
/* Positions of keys (after aead, auth, auth-trunc, enc and a name) and what looks like one: overwrite with '*'. */
void words_hide_keys(char **word, int n);
/* Would words_hide_keys() hide word i? */
bool words_is_key(char *const *word, int i);

#endif
