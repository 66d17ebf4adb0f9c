// SPDX-License-Identifier: BSD-2-Clause
/*
 * Words, numbers and abbreviations, as iproute2 reads them; and which of the words may be keys.
 *
 * A key stands two words behind aead, enc, auth or auth-trunc, unless that word says where to read it from. What
 * looks like a key elsewhere (a word was forgotten) is treated as one too: long hexadecimal is nothing else here.
 */
#include "tools/words.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *words_peek(const struct words *w)
{
	return w->at < w->n ? w->word[w->at] : NULL;
}

bool words_take(struct words *w, const char *word)
{
	const char *next = words_peek(w);

	if (!next || strcmp(next, word) != 0)
		return false;
	w->at++;
	return true;
}

int words_value(struct words *w, const char *of, char **value)
{
	if (w->at >= w->n) {
		problem_usage(w->problem, "%s: its value is missing", of);
		return TOOL_USAGE;
	}
	*value = w->word[w->at++];
	return 0;
}

bool number_parse(const char *text, uint64_t *value)
{
	char *end;

	if (!isdigit((unsigned char)text[0]))
		return false;
	errno = 0;
	*value = strtoull(text, &end, 0);
	return errno == 0 && *end == '\0';
}

int words_number(struct words *w, const char *of, uint64_t min, uint64_t max, uint64_t *value)
{
	char *text;
	int rc = words_value(w, of, &text);

	if (rc)
		return rc;
	if (!number_parse(text, value) || *value < min || *value > max)
		return problem_usage(w->problem, "%s: %s is no number from %llu to %llu", of,
				     words_show(text), (unsigned long long)min,
				     (unsigned long long)max);
	return 0;
}

int words_end(struct words *w)
{
	const char *next = words_peek(w);

	if (!next)
		return 0;
	return problem_usage(w->problem, "unknown word %s", words_show(next));
}

int words_lookup(const char *word, const void *table, size_t stride, bool exact)
{
	size_t len = strlen(word);
	int found = -1;

	for (int i = 0;; i++) {
		const char *name = *(const char *const *)((const char *)table + (size_t)i * stride);

		if (!name)
			return found;
		if (!strcmp(name, word))
			return i;
		if (!exact && len && !strncmp(name, word, len))
			found = found == -1 ? i : -2;
	}
}

/* Anywhere in the word, which may be glued to another: no number that is no key has more than 16 digits. */
static bool has_long_number(const char *word)
{
	size_t run = 0;

	for (; *word && run <= 16; word++)
		run = isxdigit((unsigned char)*word) ? run + 1 : 0;
	return run > 16;
}

static bool looks_like_key(const char *word)
{
	size_t len = strlen(word), hex = 0;

	if (has_long_number(word))
		return true;
	for (const char *c = word; *c; c++)
		hex += isxdigit((unsigned char)*c) != 0;
	/* A mistyped digit makes a key no less secret. */
	return (!strncasecmp(word, "0x", 2) && len > 18) || (len >= 32 && hex * 8 >= len * 7);
}

const char *words_show(const char *word)
{
	return looks_like_key(word) ? "(hidden)" : word;
}

static bool one_of(const char *word, const char *const *list)
{
	for (; *list; list++)
		if (!strcmp(word, *list))
			return true;
	return false;
}

bool words_is_key(char *const *word, int i)
{
	static const char *const algorithms[] = {"aead", "enc", "auth", "auth-trunc", NULL};
	static const char *const sources[] = {"file", "fd", "stdin", NULL};
	static const char *const named[] = {"file",  "dev",    "-b",   "--batch", "--wireshark",
					    "--csv", "--plot", "send", "decode",  NULL};

	if (i > 0 && one_of(word[i - 1], named) && strncasecmp(word[i], "0x", 2) != 0)
		return false; /* a file may have such a name; one with 0x is a key in the wrong place */
	if (i > 1 && one_of(word[i - 2], algorithms) && !one_of(word[i], sources))
		return i == 2 ||
		       !one_of(word[i - 3], named); /* not a file or netdev of that name */
	return looks_like_key(word[i]);
}

void words_hide_keys(char **word, int n)
{
	for (int i = 0; i < n; i++)
		if (words_is_key(word, i))
			memset(word[i], '*', strlen(word[i]));
}
