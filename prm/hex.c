// SPDX-License-Identifier: BSD-2-Clause
/*
 * A recorded command as text -> bytes -> words (public, see mlx5_offload/prm.h for the text that is accepted).
 *
 * The text may hold key material: the bytes live in one buffer that is wiped before it is freed, and messages name
 * lines and positions, never contents.
 */
#include <mlx5_offload/prm.h>

#include <ctype.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <openssl/crypto.h>

#include "prm/prm.h"

#define MAX_BYTES 16384
#define DUMP_ROW 16 /* bytes per line of hexdump -C */

struct hex {
	uint8_t buf[MAX_BYTES];
	bool seen[MAX_BYTES];
	size_t pos;	 /* where the next byte goes */
	size_t end;	 /* behind the last byte named */
	size_t declared; /* length given; 0: none */
	bool dump;	 /* a line of hexdump -C was met: lines start with an offset */
	bool repeat;	 /* the line was "*" */
	unsigned int line;
	char *why;
	size_t whylen;
};

struct text {
	const char *p;
	size_t n;
};

static int fail(struct hex *h, const char *what)
{
	if (h->why && h->whylen)
		snprintf(h->why, h->whylen, "line %u: %s", h->line, what);
	return -EINVAL;
}

static int digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	if (c >= 'a' && c <= 'f')
		return c - 'a' + 10;
	if (c >= 'A' && c <= 'F')
		return c - 'A' + 10;
	return -1;
}

static bool is_space(char c)
{
	return c == ',' || isspace((unsigned char)c);
}

static struct text without_0x(struct text t)
{
	if (t.n > 2 && t.p[0] == '0' && (t.p[1] == 'x' || t.p[1] == 'X')) {
		t.p += 2;
		t.n -= 2;
	}
	return t;
}

/* Cut the next token off the text; its length is 0 at the end. */
static struct text next_token(struct text *t)
{
	struct text token;

	while (t->n && is_space(*t->p)) {
		t->p++;
		t->n--;
	}
	token.p = t->p;
	token.n = 0;
	while (token.n < t->n && !is_space(token.p[token.n]))
		token.n++;
	t->p += token.n;
	t->n -= token.n;
	return token;
}

/* A position or a length, 0..MAX_BYTES. */
static int parse_number(struct hex *h, struct text t, size_t *value)
{
	size_t v = 0;

	t = without_0x(t);
	if (!t.n)
		return fail(h, "a number is missing, expected hexadecimal digits");
	for (; t.n; t.p++, t.n--) {
		int d = digit(*t.p);

		if (d < 0)
			return fail(h, "an offset or length is not a hexadecimal number");
		v = v * 16 + (size_t)d;
		if (v > MAX_BYTES)
			return fail(h, "an offset or length is above 16384");
	}
	*value = v;
	return 0;
}

static int put_byte(struct hex *h, uint8_t byte)
{
	if (h->pos >= MAX_BYTES)
		return fail(h, "more than 16384 bytes");
	if (h->seen[h->pos])
		return fail(h, "a byte is given twice");
	h->seen[h->pos] = true;
	h->buf[h->pos++] = byte;
	if (h->pos > h->end)
		h->end = h->pos;
	return 0;
}

static int parse_bytes(struct hex *h, struct text t)
{
	t = without_0x(t);
	if (t.n % 2)
		return fail(h, "a group has an odd number of digits, two make a byte");
	for (; t.n; t.p += 2, t.n -= 2) {
		int hi = digit(t.p[0]), lo = digit(t.p[1]), ret;

		if (hi < 0 || lo < 0)
			return fail(h, "a character is not a hexadecimal digit");
		ret = put_byte(h, (uint8_t)(hi << 4 | lo));
		if (ret)
			return ret;
	}
	return 0;
}

/* "len=0x210", "018:", "018:00000001" or bytes. */
static int parse_token(struct hex *h, struct text t)
{
	const char *colon = memchr(t.p, ':', t.n);
	struct text offset;
	int ret;

	if (t.n > 4 && !memcmp(t.p, "len=", 4))
		return parse_number(h, (struct text){t.p + 4, t.n - 4}, &h->declared);
	if (!colon)
		return parse_bytes(h, t);
	offset = (struct text){t.p, (size_t)(colon - t.p)};
	ret = parse_number(h, offset, &h->pos);
	if (ret)
		return ret;
	return parse_bytes(h, (struct text){colon + 1, t.n - offset.n - 1});
}

/* hexdump -C left out lines equal to the one before: write them up to `offset`. */
static int repeat_row(struct hex *h, size_t offset)
{
	int ret = 0;

	h->repeat = false;
	if (h->pos < DUMP_ROW)
		return fail(h, "\"*\" needs a full line of 16 bytes before it");
	while (!ret && h->pos < offset)
		ret = put_byte(h, h->buf[h->pos - DUMP_ROW]);
	return ret;
}

/* "00000010  0a 00 ..  |....|", "*", or the offset behind the last byte. */
static int parse_dump_line(struct hex *h, struct text line)
{
	const char *bar = memchr(line.p, '|', line.n);
	struct text token;
	size_t offset = 0;
	int ret;

	if (bar)
		line.n = (size_t)(bar - line.p);
	token = next_token(&line);
	if (!token.n)
		return 0;
	if (token.n == 1 && *token.p == '*') {
		h->repeat = true;
		return 0;
	}
	ret = parse_number(h, token, &offset);
	if (!ret && h->repeat)
		ret = repeat_row(h, offset);
	if (ret)
		return ret;
	h->pos = offset;
	token = next_token(&line);
	if (!token.n)
		h->declared = offset;
	for (; token.n && !ret; token = next_token(&line))
		ret = parse_bytes(h, token);
	return ret;
}

static int parse_line(struct hex *h, struct text line)
{
	struct text token;
	int ret = 0;

	if (memchr(line.p, '|', line.n))
		h->dump = true;
	if (h->dump)
		return parse_dump_line(h, line);
	for (token = next_token(&line); token.n && !ret; token = next_token(&line))
		ret = parse_token(h, token);
	return ret;
}

static int parse(struct hex *h, struct text t)
{
	int ret = 0;

	while (t.n && !ret) {
		const char *newline = memchr(t.p, '\n', t.n), *comment;
		struct text line = {t.p, newline ? (size_t)(newline - t.p) : t.n};
		size_t used = line.n + (newline ? 1 : 0);

		h->line++;
		/* In a dump '#' may stand between the bars, where everything is a comment anyway. */
		comment = memchr(line.p, '|', line.n) ? NULL : memchr(line.p, '#', line.n);
		if (comment)
			line.n = (size_t)(comment - line.p);
		ret = parse_line(h, line);
		t.p += used;
		t.n -= used;
	}
	if (!ret && h->declared && h->declared < h->end)
		return fail(h, "the given length ends before the last byte");
	if (!ret && !h->end)
		return fail(h, "no bytes in the text");
	return ret;
}

static int print(struct hex *h, mlxo_prm_line_fn put, void *ctx)
{
	size_t len = h->declared ? h->declared : h->end;
	int ret = prm_print_in(h->buf, len, put, ctx);

	if (!ret || !h->why || !h->whylen)
		return ret;
	if (len < PRM_BYTES(general_obj_in_cmd_hdr))
		snprintf(h->why, h->whylen, "the command has %zu bytes, at least 16 are needed",
			 len);
	else
		snprintf(h->why, h->whylen, "opcode 0x%04x is unknown", prm_in_opcode(h->buf));
	return ret;
}

int mlxo_prm_decode_hex(const char *text, size_t len, mlxo_prm_line_fn put, void *ctx, char *why,
			size_t whylen)
{
	struct hex *h = calloc(1, sizeof(*h));
	int ret;

	if (!h) {
		if (why && whylen)
			snprintf(why, whylen, "no memory for the command");
		return -ENOMEM;
	}
	h->why = why;
	h->whylen = whylen;
	ret = parse(h, (struct text){text, len});
	if (!ret)
		ret = print(h, put, ctx);
	OPENSSL_cleanse(h, sizeof(*h));
	free(h);
	return ret;
}
