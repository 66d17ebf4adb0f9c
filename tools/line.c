// SPDX-License-Identifier: BSD-2-Clause
/*
 * A batch, one command a line:
 *
 *   # comment                          to the end of the line, where a word could begin
 *   create-sa src 14.0.0.52 \          a backslash joins the next line
 *       aead 'rfc4106(gcm(aes))' …     '…' as it stands; "…" with \" \\ ; \x is x
 *
 * A line may hold a key. Input is therefore read with read(2) into one mapping that is kept out of core dumps, each
 * byte is wiped as soon as it was taken, and each line before the next one is read: stdio would leave copies.
 *
 *   read(2) ─▶ in[] ─ get() ─▶ state machine ─▶ text[] ◀─ word[]
 */
#include "tools/line.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

struct line_reader {
	int fd;
	bool (*wait)(void *ctx, int fd);
	void *ctx;
	unsigned int number; /* lines whose end was seen */
	int ahead;	     /* a byte that was looked at, or NONE */
	int last;	     /* the last byte taken from `in` */
	int error;	     /* of read(2) */
	bool done;
	bool cut;	/* wait said no: what is there of a line is not all of it */
	bool endless;	/* the line had LINE_MAX_INPUT bytes and no end */
	size_t taken;	/* bytes of this line, with those that are joined to it */
	size_t at, end; /* in `in` */
	size_t len;	/* in `text` */
	int n;
	char *word[LINE_MAX_WORDS + 1];
	char in[4096];
	char text[LINE_MAX_BYTES];
};

enum { END = -1, NONE = -2 };

struct line_reader *line_reader_create(int fd, bool (*wait)(void *ctx, int fd), void *ctx)
{
	struct line_reader *r =
		mmap(NULL, sizeof(*r), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (r == MAP_FAILED)
		return NULL;
	/* Both may fail (RLIMIT_MEMLOCK); what is wiped at once needs them less than keys that stay. */
	(void)!madvise(r, sizeof(*r), MADV_DONTDUMP);
	(void)!mlock(r, sizeof(*r));
	r->fd = fd;
	r->wait = wait;
	r->ctx = ctx;
	r->ahead = NONE;
	return r;
}

void line_reader_destroy(struct line_reader *r)
{
	if (!r)
		return;
	explicit_bzero(r, sizeof(*r));
	munmap(r, sizeof(*r));
}

static bool fill(struct line_reader *r)
{
	ssize_t got = -1;

	if (r->done)
		return false;
	do {
		if (r->wait && !r->wait(r->ctx, r->fd)) {
			r->cut = true;
			break;
		}
		got = read(r->fd, r->in, sizeof(r->in));
		if (got < 0 && errno != EINTR)
			r->error = errno;
	} while (got < 0 && !r->error);
	r->at = 0;
	r->end = got > 0 ? (size_t)got : 0;
	r->done = got <= 0;
	return !r->done;
}

/* /dev/zero, say: nothing of it will ever be a line, and looking for the end of it would take for ever. */
static bool give_up(struct line_reader *r)
{
	explicit_bzero(r->in + r->at, r->end - r->at);
	r->at = r->end;
	r->endless = true;
	r->done = true;
	return false;
}

static bool has_next(struct line_reader *r)
{
	if (r->at == r->end && !fill(r))
		return false;
	return r->taken++ < LINE_MAX_INPUT || give_up(r);
}

static int get(struct line_reader *r)
{
	int c = r->ahead;

	r->ahead = NONE;
	if (c == NONE) {
		if (!has_next(r)) {
			r->last = END;
			return END;
		}
		c = (unsigned char)r->in[r->at];
		r->in[r->at++] = 0;
		r->last = c;
	}
	if (c == '\n')
		r->number++;
	return c;
}

static int peek(struct line_reader *r)
{
	if (r->ahead == NONE) {
		int c = get(r);

		if (c == '\n')
			r->number--;
		r->ahead = c;
	}
	return r->ahead;
}

static bool put(struct line_reader *r, int c)
{
	if (r->len >= sizeof(r->text))
		return false;
	r->text[r->len++] = (char)c;
	return true;
}

static void skip_line(struct line_reader *r)
{
	int c;

	do
		c = get(r);
	while (c != '\n' && c != END);
}

/* Behind an opening quote: up to the closing one. */
static const char *take_quoted(struct line_reader *r, int quote)
{
	for (int c = get(r); c != quote; c = get(r)) {
		if (c == END || c == '\n')
			return "a quote is not closed";
		if (quote == '"' && c == '\\' && (peek(r) == '"' || peek(r) == '\\'))
			c = get(r);
		if (!put(r, c))
			return "the line is too long";
	}
	return NULL;
}

static bool ends_word(int c)
{
	return c == ' ' || c == '\t' || c == '\r' || c == '\n' || c == END;
}

/* A byte outside of quotes, or what a backslash makes of the next one. */
static const char *take_byte(struct line_reader *r, int c)
{
	if (c == 0)
		return "the line has a NUL byte in it";
	if (c == '\\') {
		c = get(r);
		if (c == '\n' || c == END) /* the next line is joined */
			return NULL;
	}
	return put(r, c) ? NULL : "the line is too long";
}

/* One word; c is its first byte. */
static const char *take_word(struct line_reader *r, int c)
{
	const char *why = NULL;

	if (r->n == LINE_MAX_WORDS)
		return "the line has too many words";
	r->word[r->n++] = r->text + r->len;
	for (;;) {
		why = c == '\'' || c == '"' ? take_quoted(r, c) : take_byte(r, c);
		if (why)
			return why;
		if (ends_word(peek(r)))
			return put(r, 0) ? NULL : "the line is too long";
		c = get(r);
	}
}

/* Words up to the end of the line. */
static const char *take_line(struct line_reader *r)
{
	for (;;) {
		int c = get(r);

		if (c == ' ' || c == '\t' || c == '\r')
			continue;
		if (c == '\\' && (peek(r) == '\n' || peek(r) == END)) {
			get(r);
			continue;
		}
		if (c == '#')
			skip_line(r);
		if (c == '#' || c == '\n' || c == END)
			return NULL;
		const char *why = take_word(r, c);

		if (why)
			return why;
	}
}

int line_reader_next(struct line_reader *r, struct line *line, struct problem *p)
{
	const char *why;

	do {
		explicit_bzero(r->text, r->len);
		r->len = 0;
		r->n = 0;
		r->taken = r->ahead >= 0;
		line->number = r->number + 1;
		why = take_line(r);
		if (r->cut)
			return 0;
		if (why) {
			if (r->last != '\n' && r->last != END)
				skip_line(r);
		}
		if (r->endless) {
			r->endless = false;
			why = "the line does not end within 65536 bytes: what follows is not read";
			_Static_assert(LINE_MAX_INPUT == 65536, "as the sentence says");
		}
		if (why) {
			problem_usage(p, "%s", why);
			return -1;
		}
		if (r->error) {
			problem_errno(p, r->error, "batch: cannot read on: %s", strerror(r->error));
			r->error = 0;
			return -1;
		}
	} while (r->n == 0 && !(r->done && r->at == r->end));
	r->word[r->n] = NULL;
	line->word = r->word;
	line->n = r->n;
	return r->n > 0;
}
