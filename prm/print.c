// SPDX-License-Identifier: BSD-2-Clause
/*
 * Print structures field by field from their lists.
 *
 * Only fields that lie inside the buffer in full are looked at, so any bytes of any length can be printed. Secrets
 * show that they are there and nothing else.
 */
#include "prm/print.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define ONE_LINE 64 /* longest byte string on one line */
#define ROW 32	    /* bytes per line of a longer one */

void prm_line(const struct prm_printer *p, int indent, const char *fmt, ...)
{
	char line[512];
	int n = snprintf(line, sizeof(line), "%*s", indent * 2, "");
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(line + n, sizeof(line) - (size_t)n, fmt, ap);
	va_end(ap);
	p->put(p->ctx, line);
}

static bool all_zero(const uint8_t *buf, size_t n)
{
	while (n && !*buf) {
		buf++;
		n--;
	}
	return n == 0;
}

/* n <= ONE_LINE */
static void hex(char *text, const uint8_t *buf, size_t n)
{
	for (size_t i = 0; i < n; i++)
		snprintf(text + 2 * i, 3, "%02x", buf[i]);
	text[2 * n] = '\0';
}

void prm_line_bytes(const struct prm_printer *p, int indent, const char *name, const uint8_t *buf,
		    size_t n)
{
	char text[2 * ONE_LINE + 1];

	if (n <= ONE_LINE) {
		hex(text, buf, n);
		prm_line(p, indent, "%s: %s", name, text);
		return;
	}
	for (size_t off = 0; off < n; off += ROW) {
		size_t part = n - off < ROW ? n - off : ROW;

		if (all_zero(buf + off, part))
			continue;
		hex(text, buf + off, part);
		prm_line(p, indent, "%s[0x%zx]: %s", name, off, text);
	}
}

/* The field lies inside len bytes. A nested one counts when its first byte does. */
static bool inside(const struct prm_field *f, size_t len)
{
	size_t last = f->kind == PRM_KIND_NESTED ? f->offset : f->offset + f->width - 1;

	return f->kind != PRM_KIND_LIST && last / 8 < len;
}

static bool any_set(const struct prm_layout *layout, const uint8_t *buf, size_t len);

static bool is_set(const struct prm_field *f, const uint8_t *buf, size_t len)
{
	size_t first = f->offset / 8;

	if (!inside(f, len))
		return false;
	if (f->kind == PRM_KIND_NESTED)
		return any_set(f->sub, buf + first, len - first);
	if (f->width <= 64)
		return prm_get(buf, f->offset, f->width) != 0;
	return !all_zero(buf + first, f->width / 8);
}

/* Lists need no look: their counts are fields. */
static bool any_set(const struct prm_layout *layout, const uint8_t *buf, size_t len)
{
	for (uint32_t i = 0; i < layout->nfields; i++)
		if (is_set(&layout->fields[i], buf, len))
			return true;
	return false;
}

static void print_number(const struct prm_printer *p, const struct prm_layout *layout,
			 const struct prm_field *f, const uint8_t *buf, int indent)
{
	uint64_t value = prm_get(buf, f->offset, f->width);
	char text[320];
	const char *words = prm_symbol(layout->name, f->name, value, text, sizeof(text));

	if (words)
		prm_line(p, indent, "%s: 0x%llx (%s)", f->name, (unsigned long long)value, words);
	else
		prm_line(p, indent, "%s: 0x%llx", f->name, (unsigned long long)value);
}

static bool listed(const char *const *names, const char *name)
{
	for (; names && *names; names++)
		if (!strcmp(*names, name))
			return true;
	return false;
}

static void print_field(const struct prm_printer *p, const struct prm_layout *layout,
			const struct prm_field *f, const uint8_t *buf, size_t len, int indent)
{
	size_t first = f->offset / 8;

	if (f->kind == PRM_KIND_LIST) {
		if (first <= len)
			prm_print_list(p, layout, f, buf, len, indent);
		return;
	}
	if (!is_set(f, buf, len))
		return;
	switch (f->kind) {
	case PRM_KIND_SECRET: prm_line(p, indent, "%s: (hidden)", f->name); break;
	case PRM_KIND_BYTES: prm_line_bytes(p, indent, f->name, buf + first, f->width / 8); break;
	case PRM_KIND_NESTED:
		prm_line(p, indent, "%s:", f->name);
		prm_print_fields(p, f->sub, buf + first, len - first, indent + 1, NULL);
		break;
	default: print_number(p, layout, f, buf, indent); break;
	}
}

void prm_print_fields(const struct prm_printer *p, const struct prm_layout *layout,
		      const uint8_t *buf, size_t len, int indent, const char *const *skip)
{
	static const char *const data_only[] = {"reformat_data", NULL};
	bool reformat = !strcmp(layout->name, "packet_reformat_context_in");

	if (reformat)
		skip = data_only;
	for (uint32_t i = 0; i < layout->nfields; i++)
		if (!listed(skip, layout->fields[i].name))
			print_field(p, layout, &layout->fields[i], buf, len, indent);
	if (reformat)
		prm_print_reformat_data(p, buf, len, indent);
}

void prm_print_nested(const struct prm_printer *p, const char *name,
		      const struct prm_layout *layout, const uint8_t *buf, size_t len, int indent)
{
	if (!any_set(layout, buf, len))
		return;
	prm_line(p, indent, "%s:", name);
	prm_print_fields(p, layout, buf, len, indent + 1, NULL);
}

void prm_print_struct(const struct prm_layout *layout, const void *buf, size_t len, int indent,
		      prm_put_line put, void *ctx)
{
	struct prm_printer p = {put, ctx, UINT32_MAX};

	prm_print_fields(&p, layout, buf, len, indent, NULL);
}
