// SPDX-License-Identifier: BSD-2-Clause
/*
 * Bit access against an oracle that moves one bit at a time, and the lists against themselves: every field fits, no
 * two share a bit unless they are a known union, every one can be written without touching its neighbours.
 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <mlx5_offload/prm.h>

#include "prm/prm.h"

static bool bit_at(const uint8_t *buf, size_t off)
{
	return buf[off / 8] >> (7 - off % 8) & 1;
}

static void bit_to(uint8_t *buf, size_t off, bool value)
{
	uint8_t mask = (uint8_t)(1u << (7 - off % 8));

	buf[off / 8] = (uint8_t)(value ? buf[off / 8] | mask : buf[off / 8] & ~mask);
}

static uint64_t get_oracle(const uint8_t *buf, unsigned int off, unsigned int width)
{
	uint64_t v = 0;

	for (unsigned int i = 0; i < width; i++)
		v = v << 1 | bit_at(buf, off + i);
	return v;
}

static void put_oracle(uint8_t *buf, unsigned int off, unsigned int width, uint64_t v)
{
	for (unsigned int i = 0; i < width; i++)
		bit_to(buf, off + i, v >> (width - 1 - i) & 1);
}

/* Small generator: the same bits in every run. */
static uint64_t next(uint64_t *seed)
{
	*seed ^= *seed << 13;
	*seed ^= *seed >> 7;
	*seed ^= *seed << 17;
	return *seed;
}

static void fill(uint8_t *buf, size_t n, uint64_t *seed)
{
	for (size_t i = 0; i < n; i++)
		buf[i] = (uint8_t)(next(seed) >> 24);
}

static void test_access_oracle(void **state)
{
	uint64_t seed = 0x1234567;
	uint8_t got[24], want[24];

	for (unsigned int off = 0; off < 100; off++)
		for (unsigned int width = 1; width <= 64; width++) {
			uint64_t v = next(&seed);

			fill(got, sizeof(got), &seed);
			memcpy(want, got, sizeof(got));
			assert_int_equal(prm_get(got, off, width), get_oracle(got, off, width));
			prm_put(got, off, width, v);
			put_oracle(want, off, width, v);
			assert_memory_equal(got, want, sizeof(got));
			assert_int_equal(prm_get(got, off, width), get_oracle(want, off, width));
		}
}

/* The last byte that access touches is the last byte of the field: copies of the exact size let ASan see more. */
static void test_access_bounds(void **state)
{
	for (unsigned int off = 0; off < 16; off++)
		for (unsigned int width = 1; width <= 64; width++) {
			uint8_t *buf = calloc(1, (off + width + 7) / 8);

			assert_non_null(buf);
			prm_put(buf, off, width, UINT64_MAX);
			assert_int_equal(prm_get(buf, off, width), UINT64_MAX >> (64 - width));
			free(buf);
		}
}

static void check_field(const struct prm_layout *l, const struct prm_field *f, uint8_t background)
{
	uint64_t seed = f->offset * 77u + f->width;
	uint64_t v = next(&seed) >> (64 - f->width);
	size_t bytes = l->bits / 8;
	uint8_t *buf = malloc(bytes), *want = malloc(bytes);

	assert_non_null(buf);
	assert_non_null(want);
	memset(buf, background, bytes);
	memset(want, background, bytes);
	prm_put(buf, f->offset, f->width, v);
	put_oracle(want, f->offset, f->width, v);
	assert_int_equal(prm_get(buf, f->offset, f->width), v);
	assert_memory_equal(buf, want, bytes);
	free(buf);
	free(want);
}

static void test_fields_round_trip(void **state)
{
	const struct prm_layout *layouts;
	size_t n, numbers = 0;

	layouts = prm_layouts(&n);
	for (size_t i = 0; i < n; i++)
		for (uint32_t j = 0; j < layouts[i].nfields; j++) {
			const struct prm_field *f = &layouts[i].fields[j];

			if (f->kind != PRM_KIND_NUMBER)
				continue;
			check_field(&layouts[i], f, 0);
			check_field(&layouts[i], f, 0xff);
			numbers++;
		}
	assert_true(numbers > 1000);
}

/* Two readings of the same bits, on purpose: pairs of one layout. */
static const struct {
	const char *layout, *a, *b;
} unions[] = {
	{"flow_table_context", "sws", "hws"}, /* table looked up by software's ICM root or by RTC */
};

static bool is_union(const char *layout, const char *a, const char *b)
{
	for (size_t i = 0; i < sizeof(unions) / sizeof(unions[0]); i++)
		if (!strcmp(unions[i].layout, layout) && !strcmp(unions[i].a, a) &&
		    !strcmp(unions[i].b, b))
			return true;
	return false;
}

static void check_overlaps(const struct prm_layout *l)
{
	for (uint32_t i = 0; i < l->nfields; i++)
		for (uint32_t j = i + 1; j < l->nfields; j++) {
			const struct prm_field *a = &l->fields[i], *b = &l->fields[j];
			bool apart = a->offset + a->width <= b->offset ||
				     b->offset + b->width <= a->offset;

			if (!apart && !is_union(l->name, a->name, b->name))
				fail_msg("%s: %s and %s share bits", l->name, a->name, b->name);
			assert_string_not_equal(a->name, b->name);
		}
}

static void check_shape(const struct prm_layout *l, const struct prm_field *f)
{
	if (f->kind == PRM_KIND_LIST) {
		assert_int_equal(f->offset, l->bits); /* open end: behind everything else */
		assert_int_equal(f->width, 0);
	} else {
		assert_true(f->width > 0 && f->offset + f->width <= l->bits);
	}
	if (f->kind == PRM_KIND_NUMBER)
		assert_true(f->width <= 64);
	else
		assert_int_equal(f->offset % 8, 0);
	if (f->kind == PRM_KIND_NESTED)
		assert_int_equal(f->width, f->sub->bits);
	if (f->kind == PRM_KIND_BYTES)
		assert_true(f->width > 64 && f->width % 8 == 0);
}

static void test_lists_are_sound(void **state)
{
	const struct prm_layout *layouts;
	size_t n;

	layouts = prm_layouts(&n);
	for (size_t i = 0; i < n; i++) {
		assert_int_equal(layouts[i].bits % 8, 0);
		assert_ptr_equal(prm_layout_find(layouts[i].name), &layouts[i]);
		for (uint32_t j = 0; j < layouts[i].nfields; j++)
			check_shape(&layouts[i], &layouts[i].fields[j]);
		check_overlaps(&layouts[i]);
	}
	assert_null(prm_layout_find("no_such_layout"));
}

static const struct prm_field *field_of(const struct prm_layout *l, const char *name)
{
	for (uint32_t i = 0; i < l->nfields; i++)
		if (!strcmp(l->fields[i].name, name))
			return &l->fields[i];
	return NULL;
}

static void test_opcodes(void **state)
{
	const struct prm_opcode_info *ops;
	size_t n;

	ops = prm_opcodes(&n);
	for (size_t i = 0; i < n; i++) {
		const struct prm_field *opcode = field_of(ops[i].in, "opcode");
		const struct prm_field *status = field_of(ops[i].out, "status");

		assert_ptr_equal(prm_opcode_find(ops[i].opcode), &ops[i]); /* once */
		assert_string_equal(prm_opcode_name(ops[i].opcode), ops[i].name);
		assert_non_null(opcode);
		assert_non_null(status);
		assert_int_equal(opcode->offset, 0);
		assert_int_equal(opcode->width, 16);
		assert_int_equal(status->width, 8);
		assert_true(ops[i].in->bits >= 128 && ops[i].out->bits >= 0x60);
	}
	assert_null(prm_opcode_find(0x999));
	assert_string_equal(prm_opcode_name(0x999), "0x0999");
}

/* Every leaf bit that the mask should have, counted from the lists. */
static void mask_oracle(const struct prm_layout *l, uint8_t *mask, size_t base)
{
	for (uint32_t i = 0; i < l->nfields; i++) {
		const struct prm_field *f = &l->fields[i];

		if (f->kind == PRM_KIND_NESTED)
			mask_oracle(f->sub, mask, base + f->offset);
		else
			for (uint32_t b = 0; b < f->width; b++)
				bit_to(mask, base + f->offset + b, true);
	}
}

static void test_field_mask(void **state)
{
	const struct prm_layout *layouts;
	size_t n;

	layouts = prm_layouts(&n);
	for (size_t i = 0; i < n; i++) {
		size_t bytes = layouts[i].bits / 8;

		for (size_t part = bytes > 40 ? bytes - 40 : 0; part <= bytes; part++) {
			uint8_t *got = calloc(1, part + 1), *want = calloc(1, bytes + 1);

			assert_non_null(got);
			assert_non_null(want);
			prm_field_mask(&layouts[i], got, part);
			mask_oracle(&layouts[i], want, 0);
			assert_memory_equal(got, want, part);
			assert_int_equal(got[part], 0);
			free(got);
			free(want);
		}
	}
}

static void test_field_mask_list(void **state)
{
	uint8_t mask[32] = {0};
	static const uint8_t want[32] = {
		0xff,
		0xff,
		0,
		0,
		0,
		0,
		0xff,
		0xff,
		0,
		0,
		0,
		0,
		0xff,
		0,
		0,
		0xff,
		/* actions */
		0xff,
		0xff,
		0xff,
		0xff,
		0xff,
		0xff,
		0xff,
		0xff,
		0xff,
		0xff,
		0xff,
		0xff,
		0xff,
		0xff,
		0xff,
		0xff,
	};

	prm_field_mask(prm_layout_find("alloc_modify_header_context_in"), mask, sizeof(mask));
	assert_memory_equal(mask, want, sizeof(mask));
}

static void test_in_mask(void **state)
{
	static const uint8_t create_head[16] = {0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff,
						0xff, 0xff, 0xff, 0xff, 0x9f, 0,    0,	  0};
	static const uint8_t modify_head[16] = {0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff,
						0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff};
	uint8_t in[PRM_BYTES(create_ipsec_obj_in)] = {0}, mask[sizeof(in)],
		body[PRM_BYTES(ipsec_obj)] = {0};

	PRM_SET(general_obj_in_cmd_hdr, in, opcode, PRM_CMD_OP_CREATE_GENERAL_OBJECT);
	PRM_SET(general_obj_in_cmd_hdr, in, obj_type, PRM_GENERAL_OBJECT_TYPES_IPSEC);
	prm_field_mask(prm_layout_find("ipsec_obj"), body, sizeof(body));
	assert_int_equal(prm_in_mask(in, sizeof(in), mask), 0);
	assert_memory_equal(mask, create_head, 16);
	assert_memory_equal(mask + 16, body, sizeof(body));

	PRM_SET(general_obj_in_cmd_hdr, in, opcode, PRM_CMD_OP_MODIFY_GENERAL_OBJECT);
	assert_int_equal(prm_in_mask(in, sizeof(in), mask), 0);
	assert_memory_equal(mask, modify_head, 16);
	assert_memory_equal(mask + 16, body, sizeof(body));

	memset(body, 0, sizeof(body));
	PRM_SET(general_obj_in_cmd_hdr, in, obj_type, 0x7777);
	assert_int_equal(prm_in_mask(in, sizeof(in), mask), 0);
	assert_memory_equal(mask + 16, body, sizeof(body));

	assert_int_equal(prm_in_mask(in, 15, mask), -EINVAL);
	PRM_SET(cmd_in, in, opcode, 0x999);
	assert_int_equal(prm_in_mask(in, sizeof(in), mask), -EINVAL);
	assert_int_equal(mask[0], 0);
}

static void test_in_mask_reformat(void **state)
{
	uint8_t in[64] = {0}, mask[64];

	PRM_SET(cmd_in, in, opcode, PRM_CMD_OP_ALLOC_PACKET_REFORMAT_CONTEXT);
	assert_int_equal(prm_in_mask(in, sizeof(in), mask), 0);
	assert_int_equal(mask[3], 0xff); /* uid */
	assert_int_equal(mask[27], 0);
	assert_int_equal(mask[28], 0xff); /* reformat_type */
	for (size_t i = 34; i < sizeof(mask); i++)
		assert_int_equal(mask[i], 0xff); /* data */
}

static void test_status(void **state)
{
	static const struct {
		uint8_t status;
		int err;
	} want[] = {
		{0, 0},	       {1, -EIO},     {2, -EINVAL},  {3, -EINVAL},    {4, -EIO},
		{5, -EINVAL},  {6, -EBUSY},   {7, -EAGAIN},  {8, -ENOMEM},    {9, -EINVAL},
		{10, -EINVAL}, {15, -EAGAIN}, {16, -EINVAL}, {0x30, -EINVAL}, {0x40, -EINVAL},
		{0x50, -EIO},  {0x51, -EIO},
	};
	size_t known = 0, n = sizeof(want) / sizeof(want[0]);

	for (size_t i = 0; i < n; i++)
		assert_int_equal(prm_status_errno(want[i].status), want[i].err);
	for (unsigned int s = 0; s < 256; s++) {
		const char *constant = prm_constant_name("CMD_STAT_", s);

		known += constant != NULL;
		assert_string_equal(prm_status_name((uint8_t)s),
				    constant ? constant : "unknown status");
		if (!constant)
			assert_int_equal(prm_status_errno((uint8_t)s), -EIO);
		assert_true(!constant == !strcmp(prm_status_meaning((uint8_t)s), "unknown status"));
	}
	assert_int_equal(known, n);
}

static void test_general_objects(void **state)
{
	assert_string_equal(prm_obj_type_name(0xc), "ENCRYPTION_KEY");
	assert_string_equal(prm_obj_type_name(0x13), "IPSEC");
	assert_null(prm_obj_type_name(0));
	assert_string_equal(prm_general_object(0xc)->name, "encryption_key_obj");
	assert_string_equal(prm_general_object(0x13)->name, "ipsec_obj");
	assert_null(prm_general_object(0x24));
	assert_string_equal(prm_cap_group(0)->name, "cmd_hca_cap");
	assert_string_equal(prm_cap_group(1)->name, "per_protocol_networking_offload_caps");
	assert_string_equal(prm_cap_group(7)->name, "flow_table_nic_cap");
	assert_string_equal(prm_cap_group(0x11)->name, "tls_cap");
	assert_string_equal(prm_cap_group(0x15)->name, "ipsec_cap");
	assert_string_equal(prm_cap_group(0x1a)->name, "crypto_cap");
	assert_string_equal(prm_cap_group(0x20)->name, "cmd_hca_cap_2");
	assert_null(prm_cap_group(0x3f));
}

struct found {
	const char *line;
	size_t lines, hits;
};

static void look(void *ctx, const char *line)
{
	struct found *f = ctx;

	f->lines++;
	f->hits += !strcmp(line, f->line);
	assert_null(strchr(line, '\n'));
}

static void test_dump(void **state)
{
	static const char *const layouts[] = {
		"ipsec_obj\t(size)\t0x0\t0x400",
		"ipsec_obj\tdekn\t0x88\t0x18",
		"flow_context\tdestination\t0x1800\t0x0",
	};
	static const char *const constants[] = {
		"MLX5_CMD_OP_CREATE_GENERAL_OBJECT\t0xa00",
		"MLX5_GENERAL_OBJECT_TYPES_IPSEC\t0x13",
	};

	for (size_t i = 0; i < 3; i++) {
		struct found f = {.line = layouts[i]};

		assert_int_equal(mlxo_prm_dump(look, &f), 0);
		assert_int_equal(f.hits, 1);
		assert_true(f.lines > 700);
	}
	for (size_t i = 0; i < 2; i++) {
		struct found f = {.line = constants[i]};

		assert_int_equal(mlxo_prm_constants(look, &f), 0);
		assert_int_equal(f.hits, 1);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_access_oracle),	  cmocka_unit_test(test_access_bounds),
		cmocka_unit_test(test_fields_round_trip), cmocka_unit_test(test_lists_are_sound),
		cmocka_unit_test(test_opcodes),		  cmocka_unit_test(test_field_mask),
		cmocka_unit_test(test_field_mask_list),	  cmocka_unit_test(test_in_mask),
		cmocka_unit_test(test_in_mask_reformat),  cmocka_unit_test(test_status),
		cmocka_unit_test(test_general_objects),	  cmocka_unit_test(test_dump),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
