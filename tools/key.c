// SPDX-License-Identifier: BSD-2-Clause
/*
 * Keys come by file, descriptor or standard input. A literal on argv is refused: argv is world-readable in /proc,
 * shown by ps and kept in the shell's history. main() has overwritten it before anything else happened.
 *
 *   aead 'rfc4106(gcm(aes))' ( file PATH | fd N | stdin | HEX ) 128
 *
 * In a batch signals are kept for whoever waits, so a descriptor that stays silent is waited for and read here: the
 * library would sleep in read(2) with the signal pending.
 */
#include "tools/key.h"

#include <errno.h>
#include <limits.h>
#include <string.h>
#include <unistd.h>

static int refuse_literal(struct words *w, const char *of)
{
	if (w->keys == WORDS_KEYS_OPEN)
		return problem_errno(
			w->problem, EACCES,
			"%s: the batch file holds a key and others can read it: chmod 600 it "
			"(and replace the key), or write file PATH, fd N or stdin instead",
			of);
	return problem_usage(
		w->problem,
		"%s: a key on the command line is refused, every user of this host can read it "
		"there (ps, /proc/PID/cmdline): replace that key and write "
		"aead 'rfc4106(gcm(aes))' file PATH|fd N|stdin 128",
		of);
}

static int take_literal(struct words *w, const char *of, char *text, struct mlxo_secret **key)
{
	size_t len = strlen(text);
	int rc = 0;

	if (w->keys != WORDS_KEYS_OK && len > 0) {
		explicit_bzero(text, len);
		return refuse_literal(w, of);
	}
	if (strncasecmp(text, "0x", 2) != 0) {
		rc = problem_usage(w->problem,
				   "%s: a key in a line is hexadecimal and starts with 0x (ip xfrm "
				   "would take this one as raw characters)",
				   of);
	} else if (key) {
		*key = mlxo_secret_from_hex(text, len);
		if (!*key)
			rc = problem_library(w->problem, -errno);
	}
	explicit_bzero(text, len);
	return rc;
}

enum { TEXT_MAX = 256 };

/* Bytes up to the end of input, at most TEXT_MAX + 1; a negative errno, -EINTR when a signal came. */
static ssize_t read_waiting(struct words *w, int fd, char *text)
{
	size_t n = 0;

	while (n <= TEXT_MAX) {
		ssize_t got;

		if (!w->wait(w->wait_ctx, fd))
			return -EINTR;
		got = read(fd, text + n, TEXT_MAX + 1 - n);
		if (got == 0)
			break;
		if (got > 0)
			n += (size_t)got;
		else if (errno != EINTR && errno != EAGAIN)
			return -errno;
	}
	return (ssize_t)n;
}

static int take_fd_waiting(struct words *w, const char *of, int fd, struct mlxo_secret **key)
{
	char text[TEXT_MAX + 1];
	ssize_t n = read_waiting(w, fd, text);
	int rc = 0;

	if (n == -EINTR) {
		rc = problem_errno(w->problem, EINTR,
				   "%s: a signal came while the key was read from descriptor %d",
				   of, fd);
	} else if (n < 0) {
		rc = problem_errno(w->problem, (int)-n,
				   "%s: the key cannot be read from descriptor %d: %s", of, fd,
				   strerror((int)-n));
	} else if (n > TEXT_MAX) {
		rc = problem_errno(w->problem, EINVAL,
				   "%s: the key in descriptor %d is longer than %d characters", of,
				   fd, TEXT_MAX);
	} else {
		*key = mlxo_secret_from_hex(text, (size_t)n);
		if (!*key)
			rc = problem_library(w->problem, -errno);
	}
	explicit_bzero(text, sizeof(text));
	return rc;
}

static int take_fd(struct words *w, const char *of, int fd, struct mlxo_secret **key)
{
	if (fd == STDIN_FILENO && w->stdin_busy)
		return problem_usage(
			w->problem,
			"%s: standard input is the batch itself, a key cannot come from there: "
			"write file PATH, fd N or the key in hexadecimal",
			of);
	if (!key)
		return 0;
	if (w->wait)
		return take_fd_waiting(w, of, fd, key);
	*key = mlxo_secret_from_fd(fd);
	return *key ? 0 : problem_library(w->problem, -errno);
}

int key_take(struct words *w, const char *of, struct mlxo_secret **key)
{
	uint64_t fd;
	char *text;
	int rc = words_value(w, of, &text);

	if (rc)
		return rc;
	if (!strcmp(text, "stdin"))
		return take_fd(w, of, STDIN_FILENO, key);
	if (!strcmp(text, "fd")) {
		rc = words_number(w, "fd", 0, INT_MAX, &fd);
		return rc ? rc : take_fd(w, of, (int)fd, key);
	}
	if (strcmp(text, "file") != 0)
		return take_literal(w, of, text, key);
	rc = words_value(w, "file", &text);
	if (!rc && !strncasecmp(text, "0x", 2) && words_show(text) != text)
		return problem_usage(w->problem, "%s: file takes a path, and that is a key", of);
	if (rc || !key)
		return rc;
	*key = mlxo_secret_from_file(text);
	return *key ? 0 : problem_library(w->problem, -errno);
}
