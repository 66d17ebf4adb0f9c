// SPDX-License-Identifier: BSD-2-Clause
/*
 * libFuzzer target: a batch of the tool, up to where a device would be asked: lines, quoting, verbs, the grammar of
 * states, policies and filters, and what is shown of a line.
 *
 * Besides memory errors it looks for keys: what stands where a key can stand is never in a message, and is gone from
 * the line when keys are not allowed there. Keys are not read from files here: the library's functions are replaced.
 */
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <mlx5_offload/error.h>

#include "tools/line.h"
#include "tools/xfrm.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

struct mlxo_secret *mlxo_secret_from_hex(const char *text, size_t len)
{
	return strnlen(text, len) == len ? malloc(1) : NULL;
}

struct mlxo_secret *mlxo_secret_from_file(const char *path)
{
	return *path ? malloc(1) : NULL;
}

struct mlxo_secret *mlxo_secret_from_fd(int fd)
{
	return fd >= 0 ? malloc(1) : NULL;
}

void mlxo_secret_destroy(struct mlxo_secret *s)
{
	free(s);
}

const struct mlxo_error *mlxo_error_last(void)
{
	static const struct mlxo_error none;

	return &none;
}

/* The verbs that read grammar, and what they would do with their words. */
static int parse(const char *verb, struct words *w)
{
	static const char *const verbs[] = {"create-sa", "create-policy", "delete-policy",
					    "show-sa", NULL};
	struct xfrm_policy policy;
	struct xfrm_filter filter;
	struct xfrm_state state;
	int rc;

	switch (words_lookup(verb, verbs, sizeof(*verbs), /* exact */ false)) {
	case 0:
		rc = xfrm_state_parse(w, &state);
		xfrm_state_fini(&state);
		return rc;
	case 1: return xfrm_policy_parse(w, &policy, /* find */ false);
	case 2: return xfrm_policy_parse(w, &policy, /* find */ true);
	case 3: return xfrm_filter_parse(w, &filter);
	default: return problem_usage(w->problem, "unknown verb %s", words_show(verb));
	}
}

/* Hexadecimal, and longer than any number that a message shows. */
static void check_message(const struct problem *p, const char *key)
{
	if (strspn(key, "0123456789abcdefABCDEFxX") == strlen(key) && strlen(key) > 18 &&
	    words_show(key) != key && strstr(p->text, key))
		abort();
}

static void run_line(const struct line *line, enum words_keys keys)
{
	static char copy[LINE_MAX_BYTES];
	struct problem p = {0};
	struct words w = {.word = line->word + 1,
			  .n = line->n - 1,
			  .keys = keys,
			  .stdin_busy = true,
			  .problem = &p};
	int key = -1, rc;

	for (int i = 1; i < line->n && key < 0; i++)
		if (words_is_key(line->word, i))
			key = i;
	if (key > 0)
		snprintf(copy, sizeof(copy), "%s", line->word[key]);
	rc = parse(line->word[0], &w);
	if (rc && (rc != (int)p.exit || !p.text[0] || strchr(p.text, '\n')))
		if (!strchr(p.text,
			    '\n')) /* a quoted word may hold one: it is shown as it was given */
			abort();
	if (rc && key > 0)
		check_message(&p, copy);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	int fd = memfd_create("batch", MFD_CLOEXEC);
	struct line_reader *r;
	struct problem p;
	struct line line;
	int got;

	if (fd < 0 || size == 0)
		goto out;
	if (write(fd, data + 1, size - 1) != (ssize_t)size - 1 || lseek(fd, 0, SEEK_SET) != 0)
		goto out;
	r = line_reader_create(fd, NULL, NULL);
	for (size_t n = 0; r && n <= size && (got = line_reader_next(r, &line, &p)) != 0; n++)
		if (got > 0)
			run_line(&line, (enum words_keys)(data[0] % 3));
	line_reader_destroy(r);
out:
	if (fd >= 0)
		close(fd);
	return 0;
}
