/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Inside of the printer, shared by print.c (fields), lists.c (lists of open length), symbols.c (values in words) and
 * decode.c (whole mailboxes). All read a buffer only up to the length they are given.
 */
#ifndef PRM_PRINT_H
#define PRM_PRINT_H

#include "prm/prm.h"

/* Where lines go, and what a list needs to know from outside its structure. */
struct prm_printer {
	prm_put_line put;
	void *ctx;
	uint32_t counters; /* flow counters that were asked for; UINT32_MAX: not known */
};

/* One formatted line, cut at 511 bytes. */
void prm_line(const struct prm_printer *p, int indent, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/* "name: 0a0b..", or several lines "name[0x20]: .." that leave out rows of zeros when longer than 64 bytes. */
void prm_line_bytes(const struct prm_printer *p, int indent, const char *name, const uint8_t *buf,
		    size_t n);

/*
 * The fields of a structure that are not zero, except those whose names stand in skip (ends with NULL; may be NULL).
 * skip is for this structure only, not for nested ones.
 */
void prm_print_fields(const struct prm_printer *p, const struct prm_layout *layout,
		      const uint8_t *buf, size_t len, int indent, const char *const *skip);

/* "name:" and the fields one step deeper; nothing when all are zero. */
void prm_print_nested(const struct prm_printer *p, const char *name,
		      const struct prm_layout *layout, const uint8_t *buf, size_t len, int indent);

/* Entries of the list `field` of `owner`, whose first byte is buf[0]. */
void prm_print_list(const struct prm_printer *p, const struct prm_layout *owner,
		    const struct prm_field *field, const uint8_t *buf, size_t len, int indent);

/* The bytes of a reformat context behind its fields' header, as many as it declares. */
void prm_print_reformat_data(const struct prm_printer *p, const uint8_t *buf, size_t len,
			     int indent);

/* Value of a field in words: "RDY", "FWD_DEST | COUNT"; NULL when it has none. `text` is room for the words. */
const char *prm_symbol(const char *layout, const char *field, uint64_t value, char *text,
		       size_t size);

#endif
