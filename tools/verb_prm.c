// SPDX-License-Identifier: BSD-2-Clause
/* prm dump | constants | decode FILE|-: the device interface as the library knows it. No device is opened. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <mlx5_offload/prm.h>

#include "tools/verbs.h"

/* A line "a TAB b TAB c" as an object with these keys; with none as a string. */
struct rows {
	struct out *out;
	const char *keys[4];
};

static void put_row(void *ctx, const char *line)
{
	const struct rows *r = ctx;
	char copy[512], *at = copy;

	snprintf(copy, sizeof(copy), "%s", line);
	out_object(r->out, NULL);
	for (int i = 0; i < 4 && r->keys[i] && at; i++)
		out_str(r->out, r->keys[i], i ? "\t" : "", strsep(&at, "\t"));
	out_text(r->out, "\n");
	out_close(r->out);
}

static void put_line(void *ctx, const char *line)
{
	out_str(ctx, NULL, "", line);
	out_text(ctx, "\n");
}

static int run_dump(struct session *s, struct words *w)
{
	struct rows rows = {s->out, {"struct", "field", "offset", "width"}};
	int rc = words_end(w);

	if (rc)
		return rc;
	out_begin(s->out);
	mlxo_prm_dump(put_row, &rows);
	out_end(s->out);
	return 0;
}

static int run_constants(struct session *s, struct words *w)
{
	struct rows rows = {s->out, {"name", "value"}};
	int rc = words_end(w);

	if (rc)
		return rc;
	out_begin(s->out);
	mlxo_prm_constants(put_row, &rows);
	out_end(s->out);
	return 0;
}

/* A recorded command may hold a key: read(2) into one buffer that is wiped. */
enum { TEXT_MAX = 1 << 20 };

static int read_all(int fd, char *text, size_t *len)
{
	for (*len = 0; *len < TEXT_MAX;) {
		ssize_t got = read(fd, text + *len, TEXT_MAX - *len);

		if (got == 0)
			return 0;
		if (got < 0 && errno != EINTR)
			return -errno;
		if (got > 0)
			*len += (size_t)got;
	}
	return -EFBIG;
}

static int decode(struct session *s, int fd, const char *path)
{
	char *text = malloc(TEXT_MAX), why[256] = "";
	size_t len = 0;
	int rc;

	if (!text)
		return problem_errno(&s->problem, ENOMEM, "prm decode: no memory");
	rc = read_all(fd, text, &len);
	if (rc) {
		problem_errno(&s->problem, -rc, "prm decode: cannot read %s: %s", words_show(path),
			      strerror(-rc));
	} else {
		out_begin(s->out);
		rc = mlxo_prm_decode_hex(text, len, put_line, s->out, why, sizeof(why));
		if (rc)
			problem_errno(&s->problem, -rc, "prm decode: %s: %s", words_show(path),
				      why);
		else
			out_end(s->out);
	}
	explicit_bzero(text, TEXT_MAX);
	free(text);
	return rc ? (int)s->problem.exit : 0;
}

static int run_decode(struct session *s, struct words *w)
{
	char *path;
	int fd, rc = words_value(w, "decode", &path);

	if (!rc)
		rc = words_end(w);
	if (rc)
		return rc;
	if (!strcmp(path, "-")) {
		if (w->stdin_busy)
			return problem_usage(&s->problem,
					     "prm decode: standard input is the batch itself");
		return decode(s, STDIN_FILENO, "standard input");
	}
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return problem_errno(&s->problem, errno, "prm decode: cannot open %s: %s",
				     words_show(path), strerror(errno));
	rc = decode(s, fd, path);
	close(fd);
	return rc;
}

int verb_prm(struct session *s, struct words *w)
{
	if (words_take(w, "dump"))
		return run_dump(s, w);
	if (words_take(w, "constants"))
		return run_constants(s, w);
	if (words_take(w, "decode"))
		return run_decode(s, w);
	return problem_usage(&s->problem, "prm: allowed are dump, constants and decode FILE|-");
}
