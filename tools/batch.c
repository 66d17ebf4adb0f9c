// SPDX-License-Identifier: BSD-2-Clause
/*
 * Batch: each line is a verb with its words, run in one session, so that a line finds what the lines before it made.
 *
 * A line may hold a key when nobody else can read where it came from: a regular file needs mode 0600 or less, a pipe
 * or a terminal is private. The words are wiped after each line.
 */
#include "tools/batch.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tools/line.h"
#include "tools/verbs.h"
#include "tools/wait.h"

struct batch {
	struct session *s;
	const char *path;
	int fd;
	enum words_keys keys;
};

static int run_line(struct batch *b, const struct line *line)
{
	struct words w = {
		.word = line->word + 1,
		.n = line->n - 1,
		.keys = b->keys,
		.stdin_busy = b->fd == STDIN_FILENO,
		.wait = wait_readable,
		.wait_ctx = b->s,
		.problem = &b->s->problem,
	};
	const struct verb *verb;
	int rc = verb_find(line->word[0], /* exact */ true, &verb, &b->s->problem);

	return rc ? rc : verb->run(b->s, &w);
}

static void report(struct batch *b, unsigned int number)
{
	struct out *o = b->s->out;

	if (out_is_json(o))
		return;
	fflush(stdout);
	fprintf(stderr, "mlx5-offload-tool: %s:%u: %s\n", words_show(b->path), number,
		b->s->problem.text);
}

/* Exit status of the line; *more: there was one. */
static int next(struct batch *b, struct line_reader *r, bool *more)
{
	struct problem *p = &b->s->problem;
	struct line line = {0};
	int got, rc;

	memset(p, 0, sizeof(*p));
	got = line_reader_next(r, &line, p);
	*more = got != 0;
	if (!*more)
		return 0;
	out_line_begin(b->s->out, line.number, line.word, line.n);
	rc = got < 0 ? (int)p->exit : run_line(b, &line);
	if (rc)
		report(b, line.number);
	out_line_end(b->s->out, rc ? p : NULL);
	return rc;
}

static int run_lines(struct batch *b, bool force)
{
	struct line_reader *r = line_reader_create(b->fd, wait_readable, b->s);
	int rc = 0, first = 0;
	bool more = true;

	if (!r) {
		out_problem(b->s->out, (problem_errno(&b->s->problem, ENOMEM, "batch: no memory"),
					&b->s->problem));
		return b->s->problem.exit;
	}
	out_batch_begin(b->s->out);
	while (more && (!rc || force)) {
		rc = next(b, r, &more);
		first = first ? first : rc;
	}
	out_batch_end(b->s->out);
	line_reader_destroy(r);
	return first && force ? TOOL_PARTLY : first;
}

static enum words_keys keys_rule(int fd)
{
	struct stat st;

	if (fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && st.st_mode & (S_IRWXG | S_IRWXO))
		return WORDS_KEYS_OPEN;
	return WORDS_KEYS_OK;
}

int batch_run(struct session *s, const char *path, bool force)
{
	struct batch b = {.s = s, .path = path, .fd = STDIN_FILENO};
	int rc;

	/* Before wait_init(): a FIFO that nobody writes to can be interrupted. */
	if (strcmp(path, "-") != 0)
		b.fd = open(path, O_RDONLY | O_CLOEXEC);
	if (b.fd < 0) {
		rc = problem_errno(&s->problem, errno, "batch: cannot open %s: %s",
				   words_show(path), strerror(errno));
		out_problem(s->out, &s->problem);
		return rc;
	}
	wait_init();
	b.keys = keys_rule(b.fd);
	rc = run_lines(&b, force);
	if (b.fd != STDIN_FILENO)
		close(b.fd);
	return rc;
}
