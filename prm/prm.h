/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The device's words: bit layouts of mailboxes, contexts, WQEs and CQEs.
 *
 * A layout is ONE list of (field, bit offset, width) in layouts_*.h. Bit 0 is the most significant bit of byte 0;
 * every field of more than one byte is big-endian. From the lists come
 *
 *   PRM_GET / PRM_SET / PRM_AT      access, bounds known at compile time        (this file)
 *   prm_layouts, prm_layout_find    the lists as data                           (tables.c)
 *   prm_field_mask, prm_in_mask     which bits mean something; the rest is reserved (mask.c)
 *   prm_print_struct                printing, secrets masked                    (print.c)
 *   `mlx5-offload-tool prm dump`    which outside checks compare with public headers
 *
 * Kinds of list entries:
 *   S(layout, bits)                        size of the whole structure
 *   F(layout, field, offset, width)        number of up to 64 bits
 *   W(layout, field, offset, width)        byte string of more than 64 bits
 *   K(layout, field, offset, width)        secret (number or byte string): never printed
 *   N(layout, field, offset, width, sub)   nested layout
 *   A(layout, field, offset, sub)          list of layouts of open length behind the fixed part
 */
#ifndef PRM_PRM_H
#define PRM_PRM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "constants.h"
#include "layouts.h"
#include "opcodes.h"

/* Each field becomes two enumerators, PRM_<layout>__<field>_o and _w; each layout PRM_<layout>_bits. */
#define PRM_ENUM_S(l, bits) PRM_##l##_bits = (bits),
#define PRM_ENUM_F(l, f, o, w) PRM_##l##__##f##_o = (o), PRM_##l##__##f##_w = (w),
#define PRM_ENUM_N(l, f, o, w, sub) PRM_##l##__##f##_o = (o), PRM_##l##__##f##_w = (w),
#define PRM_ENUM_A(l, f, o, sub) PRM_##l##__##f##_o = (o), PRM_##l##__##f##_w = 0,
#define PRM_ENUM(l) \
	PRM_LAYOUT_##l(PRM_ENUM_S, PRM_ENUM_F, PRM_ENUM_F, PRM_ENUM_F, PRM_ENUM_N, PRM_ENUM_A)
enum { PRM_LAYOUTS(PRM_ENUM) };

/* Size of a layout in bytes; offset and width of a field in bits. */
#define PRM_BYTES(layout) (PRM_##layout##_bits / 8)
#define PRM_OFFSET(layout, field) (PRM_##layout##__##field##_o)
#define PRM_WIDTH(layout, field) (PRM_##layout##__##field##_w)

/* Read `width` (1..64) bits at bit `off`. The buffer must hold byte (off + width - 1) / 8. */
static inline uint64_t prm_get(const void *buf, unsigned int off, unsigned int width)
{
	const uint8_t *p = (const uint8_t *)buf + off / 8;
	unsigned int bit = off % 8, n = (bit + width + 7) / 8;
	uint64_t v = 0;

	/* A 64-bit field that does not start on a byte: none exists, kept for completeness. */
	if (width > 56 && n == 9) {
		v = prm_get(buf, off, 32);
		return v << (width - 32) | prm_get(buf, off + 32, width - 32);
	}
	for (unsigned int i = 0; i < n; i++)
		v = v << 8 | p[i];
	v >>= n * 8 - bit - width;
	return width == 64 ? v : v & ((UINT64_C(1) << width) - 1);
}

/* Write the low `width` (1..64) bits of val at bit `off`; other bits stay. */
static inline void prm_put(void *buf, unsigned int off, unsigned int width, uint64_t val)
{
	uint8_t *p = (uint8_t *)buf + off / 8;
	unsigned int bit = off % 8;

	while (width) {
		unsigned int room = 8 - bit, take = width < room ? width : room;
		unsigned int shift = room - take;
		/* NOLINTNEXTLINE(clang-analyzer-core.*): room is 1..8, which the analyzer does not see */
		uint8_t mask = (uint8_t)(((1u << take) - 1) << shift);

		*p = (uint8_t)((*p & ~mask) | (((val >> (width - take)) << shift) & mask));
		width -= take;
		bit = 0;
		p++;
	}
}

/* Field of `layout` in the buffer that starts at `buf`. */
#define PRM_GET(layout, buf, field) \
	prm_get((buf), PRM_OFFSET(layout, field), PRM_WIDTH(layout, field))
#define PRM_SET(layout, buf, field, val) \
	prm_put((buf), PRM_OFFSET(layout, field), PRM_WIDTH(layout, field), (val))

/* Address of a byte-aligned field: nested layout, byte string or list. Keeps the const of no pointer: cast if needed. */
#define PRM_AT(layout, buf, field) ((uint8_t *)(buf) + PRM_OFFSET(layout, field) / 8)

/* Header fields that every command and every answer has. */
static inline uint16_t prm_in_opcode(const void *in)
{
	return (uint16_t)prm_get(in, 0x00, 16);
}
static inline uint16_t prm_in_uid(const void *in)
{
	return (uint16_t)prm_get(in, 0x10, 16);
}
static inline uint16_t prm_in_op_mod(const void *in)
{
	return (uint16_t)prm_get(in, 0x30, 16);
}
static inline uint8_t prm_out_status(const void *out)
{
	return (uint8_t)prm_get(out, 0x00, 8);
}
static inline uint32_t prm_out_syndrome(const void *out)
{
	return (uint32_t)prm_get(out, 0x20, 32);
}

/* -- tables.c: the same lists as data ---------------------------------------------------------------- */

enum prm_kind { PRM_KIND_NUMBER, PRM_KIND_BYTES, PRM_KIND_SECRET, PRM_KIND_NESTED, PRM_KIND_LIST };

struct prm_layout;

struct prm_field {
	const char *name;
	uint32_t offset; /* bits */
	uint32_t width;	 /* bits, 0 for a list */
	enum prm_kind kind;
	const struct prm_layout *sub; /* NESTED, LIST */
};

struct prm_layout {
	const char *name;
	uint32_t bits;
	const struct prm_field *fields;
	uint32_t nfields;
};

struct prm_named {
	const char *name; /* without prefix: "ALLOC_PD", "SQC_STATE_RDY" */
	uint64_t value;
};

struct prm_opcode_info {
	const char *name;
	uint16_t opcode;
	const struct prm_layout *in, *out; /* general objects: the common header only */
	const char *object;		   /* what it works on, in words */
};

/* All layouts, opcodes and constants; *n receives the count. Static, never NULL. */
const struct prm_layout *prm_layouts(size_t *n);
const struct prm_opcode_info *prm_opcodes(size_t *n);
const struct prm_named *prm_constants(size_t *n);

/* NULL when unknown. */
const struct prm_layout *prm_layout_find(const char *name);
const struct prm_opcode_info *prm_opcode_find(uint16_t opcode);

/* "ALLOC_PD", or "0x0999" in a static thread-local buffer when unknown. */
const char *prm_opcode_name(uint16_t opcode);
/* Name of the first constant that starts with prefix and has the value, without the prefix; NULL when there is none. */
const char *prm_constant_name(const char *prefix, uint64_t value);
/* "ENCRYPTION_KEY", "IPSEC", ...; NULL when unknown. */
const char *prm_obj_type_name(uint16_t obj_type);

/* Object layout of a general object command by obj_type; NULL when unknown. */
const struct prm_layout *prm_general_object(uint16_t obj_type);
/* What the op_param of a general object command means: range at CREATE, offset otherwise; NULL: another command. */
const struct prm_layout *prm_general_param(uint16_t opcode);
/* Layout of the body that a CREATE or MODIFY of a general object carries behind its header; NULL: none or unknown. */
const struct prm_layout *prm_general_body(const void *in, size_t len);
/* Layout of the capabilities in the answer to QUERY_HCA_CAP by group (op_mod >> 1); NULL when unknown. */
const struct prm_layout *prm_cap_group(uint16_t group);

/* -- status.c ------------------------------------------------------------------------------------------ */

/* "BAD_PARAM_ERR" and one sentence of what it means for the caller; "unknown status" otherwise. */
const char *prm_status_name(uint8_t status);
const char *prm_status_meaning(uint8_t status);
/* Negative errno that stands for a firmware status, as the Linux driver maps it; 0 for OK, -EIO when unknown. */
int prm_status_errno(uint8_t status);

/* -- mask.c -------------------------------------------------------------------------------------------- */

/*
 * Set every bit of `mask` (bytes bytes long, cleared by the caller) that belongs to some field of the layout, nested
 * ones included; a list covers everything from its offset on. What stays 0 is reserved.
 */
void prm_field_mask(const struct prm_layout *layout, uint8_t *mask, size_t bytes);

/*
 * The same for a whole command of len bytes: header with uid, body of a general object by its type, list. `mask` has
 * len bytes and is cleared first. Returns 0, or -EINVAL (mask all 0) when the opcode is unknown or len is below 16.
 * The body of a general object of unknown type counts as reserved.
 */
int prm_in_mask(const void *in, size_t len, uint8_t *mask);

/* -- print.c, decode.c --------------------------------------------------------------------------------- */

/* Takes one line, without a newline, valid during the call. */
typedef void (*prm_put_line)(void *ctx, const char *line);

/*
 * Print a structure field by field: only fields that are not zero, in the order of the list, `indent` steps of two
 * spaces in front, nested ones deeper. Values that have a name get it in parentheses; secrets are "(hidden)". Lists
 * (destinations, actions, counters, reformat data) end at len or at the count that the structure declares, whichever
 * is first. Never reads past len; a field that is not there in full is left out.
 */
void prm_print_struct(const struct prm_layout *layout, const void *buf, size_t len, int indent,
		      prm_put_line put, void *ctx);

/*
 * Print a mailbox: opcode (in) or status (out) in words, then its fields. The answer is read with the help of the
 * command. Returns 0, or -EINVAL when the opcode is unknown or the buffer is shorter than 16 bytes (what is there is
 * printed all the same).
 */
int prm_print_in(const void *in, size_t len, prm_put_line put, void *ctx);
int prm_print_out(const void *in, size_t inlen, const void *out, size_t outlen, prm_put_line put,
		  void *ctx);

#endif
