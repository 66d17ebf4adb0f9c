// SPDX-License-Identifier: BSD-2-Clause
/*
 * Match builder: golden bytes of single helpers (offsets by hand from the public interface), prefixes of every length
 * against a bit-by-bit oracle, and the rule that no value bit is outside its mask and no enabled section is empty.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <string.h>
#include <sys/socket.h>

#include "steering/match.h"

enum { OUTER = 0, MISC = 64, MISC2 = 192, MISC3 = 256 }; /* byte offsets of sections */

static struct steer_match m;

/* mask and value are `n` bytes at `at`, everything else is 0. */
static void expect(uint8_t enable, size_t at, const void *mask, const void *value, size_t n)
{
	uint8_t want_mask[512] = {0}, want_value[512] = {0};

	memcpy(want_mask + at, mask, n);
	memcpy(want_value + at, value, n);
	assert_int_equal(m.enable, enable);
	assert_memory_equal(m.mask, want_mask, 512);
	assert_memory_equal(m.value, want_value, 512);
	steer_match_init(&m);
}

static void single_fields(void **state)
{
	(void)state;
	steer_match_init(&m);
	expect(0, 0, "", "", 0);
	steer_match_ethertype(&m, 0x88e5);
	expect(1, OUTER + 6, "\xff\xff", "\x88\xe5", 2);
	steer_match_ip_version(&m, 4);
	expect(1, OUTER + 18, "\x1e", "\x08", 1);
	steer_match_ip_version(&m, 6);
	expect(1, OUTER + 18, "\x1e", "\x0c", 1);
	steer_match_frag(&m, true);
	expect(1, OUTER + 18, "\x20", "\x20", 1);
	steer_match_frag(&m, false);
	expect(1, OUTER + 18, "\x20", "\x00", 1);
	steer_match_ip_proto(&m, 50);
	expect(1, OUTER + 16, "\xff", "\x32", 1);
	steer_match_esp_spi(&m, 0x12345678);
	expect(2, MISC + 48, "\xff\xff\xff\xff", "\x12\x34\x56\x78", 4);
	steer_match_source_sqn(&m, 0xabcdef);
	expect(2, MISC + 1, "\xff\xff\xff", "\xab\xcd\xef", 3);
	steer_match_ipsec_syndrome(&m, 2);
	expect(8, MISC2 + 54, "\xff", "\x02", 1);
}

static void registers_descend(void **state)
{
	(void)state;
	steer_match_init(&m);
	for (unsigned int n = 0; n < 8; n++) {
		steer_match_reg_c(&m, n, 0x89abcdef, 0xffff0000);
		expect(8, MISC2 + 44 - 4 * n, "\xff\xff\x00\x00", "\x89\xab\x00\x00", 4);
	}
}

static void ports(void **state)
{
	(void)state;
	steer_match_init(&m);
	steer_match_ports(&m, 6, 0x1234, 0);
	expect(1, OUTER + 16, "\xff\0\0\0\xff\xff\0\0", "\x06\0\0\0\x12\x34\0\0", 8);
	steer_match_ports(&m, 6, 0, 80);
	expect(1, OUTER + 16, "\xff\0\0\0\0\0\xff\xff", "\x06\0\0\0\0\0\0\x50", 8);
	steer_match_ports(&m, 17, 0x1234, 0x5678);
	expect(1, OUTER + 16, "\xff\0\0\0\0\0\0\0\0\0\0\0\xff\xff\xff\xff",
	       "\x11\0\0\0\0\0\0\0\0\0\0\0\x12\x34\x56\x78", 16);
	steer_match_ports(&m, 17, 0, 0);
	expect(1, OUTER + 16, "\xff", "\x11", 1);
}

static void icmpv6(void **state)
{
	(void)state;
	steer_match_init(&m);
	steer_match_icmpv6_type(&m, 135);
	assert_int_equal(m.enable, 1 | 0x10);
	assert_int_equal(m.value[OUTER + 16], 58);
	assert_int_equal(m.mask[OUTER + 16], 0xff);
	assert_int_equal(m.mask[MISC3 + 34], 0xff);
	assert_int_equal(m.value[MISC3 + 34], 135);
}

static bool bit(const uint8_t *b, unsigned int n)
{
	return b[n / 8] >> (7 - n % 8) & 1;
}

static void prefix(bool src, int family, unsigned int len)
{
	static const uint8_t addr[16] = {0xff, 0xa5, 0x5a, 0xff, 0x80, 0x01, 0xff, 0xee,
					 0xdd, 0xcc, 0xbb, 0xaa, 0x99, 0x88, 0x77, 0xff};
	unsigned int bits = family == AF_INET ? 32 : 128, at = (src ? 32 : 48) * 8 + 128 - bits;

	steer_match_init(&m);
	(src ? steer_match_src : steer_match_dst)(&m, family, addr, len);
	if (len > bits)
		len = bits;
	assert_int_equal(m.enable, len ? 1 : 0);
	for (unsigned int i = 0; i < 4096; i++) {
		bool in = i >= at && i < at + len;

		assert_int_equal(bit(m.mask, i), in);
		assert_int_equal(bit(m.value, i), in && bit(addr, i - at));
	}
}

static void prefixes_of_every_length(void **state)
{
	(void)state;
	for (unsigned int len = 0; len <= 140; len++) {
		prefix(true, AF_INET, len);
		prefix(false, AF_INET, len);
		prefix(true, AF_INET6, len);
		prefix(false, AF_INET6, len);
	}
}

/* 0.0.0.0/1: the address is zero under its mask, but the first bit is matched. */
static void half_of_the_world_is_not_any(void **state)
{
	static const uint8_t zero[4];

	(void)state;
	steer_match_init(&m);
	steer_match_dst(&m, AF_INET, zero, 1);
	assert_int_equal(m.enable, 1);
	assert_int_equal(m.mask[60], 0x80);
	assert_int_equal(m.value[60], 0);
}

static void called_again_overwrites(void **state)
{
	static const uint8_t a[4] = {255, 255, 255, 255}, b[4] = {10, 0, 0, 0};
	struct steer_match n;

	(void)state;
	steer_match_init(&m);
	steer_match_init(&n);
	steer_match_src(&m, AF_INET, a, 32);
	steer_match_src(&m, AF_INET, b, 8);
	steer_match_src(&n, AF_INET, b, 8);
	assert_memory_equal(&m, &n, sizeof(m));
}

static void source_sqn_is_seen(void **state)
{
	(void)state;
	steer_match_init(&m);
	assert_false(steer_match_has_source_sqn(&m));
	steer_match_esp_spi(&m, 1);
	assert_false(steer_match_has_source_sqn(&m));
	steer_match_source_sqn(&m, 0);
	assert_true(steer_match_has_source_sqn(&m));
}

/* Two matches overlap unless some bit that both look at differs. */
static void overlap_is_no_contradiction(void **state)
{
	const uint8_t ten[] = {10, 0, 0, 0}, ten_one[] = {10, 1, 2, 3}, eleven[] = {11, 0, 0, 0};
	struct steer_match all, wide, narrow, other, tcp, udp;

	(void)state;
	steer_match_init(&all);
	steer_match_init(&wide);
	steer_match_src(&wide, AF_INET, ten, 8);
	steer_match_init(&narrow);
	steer_match_src(&narrow, AF_INET, ten_one, 32);
	steer_match_init(&other);
	steer_match_src(&other, AF_INET, eleven, 8);
	steer_match_init(&tcp);
	steer_match_ports(&tcp, 6, 0, 80);
	steer_match_init(&udp);
	steer_match_ports(&udp, 17, 0, 80);
	assert_true(steer_match_overlaps(&all, &udp));
	assert_true(steer_match_overlaps(&wide, &wide));
	assert_true(steer_match_overlaps(&wide, &narrow));
	assert_true(steer_match_overlaps(&narrow, &tcp));
	assert_false(steer_match_overlaps(&narrow, &other));
	assert_false(steer_match_overlaps(&tcp, &udp));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(single_fields),
		cmocka_unit_test(registers_descend),
		cmocka_unit_test(ports),
		cmocka_unit_test(icmpv6),
		cmocka_unit_test(prefixes_of_every_length),
		cmocka_unit_test(half_of_the_world_is_not_any),
		cmocka_unit_test(called_again_overwrites),
		cmocka_unit_test(source_sqn_is_seen),
		cmocka_unit_test(overlap_is_no_contradiction),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
