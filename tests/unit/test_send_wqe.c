// SPDX-License-Identifier: BSD-2-Clause
/* Send WQEs against golden bytes, written down by hand from mlx5dv.h's structures. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <string.h>

#include "queues/send.h"

static uint8_t wqe[512];

static void expect(unsigned int blocks, unsigned int got, const void *bytes)
{
	assert_int_equal(got, blocks);
	assert_memory_equal(wqe, bytes, (size_t)blocks * 64);
	for (size_t i = (size_t)blocks * 64; i < sizeof(wqe); i++)
		assert_int_equal(wqe[i], 0xee); /* nothing behind it was touched */
	memset(wqe, 0xee, sizeof(wqe));
}

static int setup(void **state)
{
	(void)state;
	memset(wqe, 0xee, sizeof(wqe));
	return 0;
}

static void test_nop(void **state)
{
	static const uint8_t quiet[64] = {0, 0x12, 0x34, 0x00, 0xab, 0xcd, 0xef, 1};
	static const uint8_t loud[64] = {0, 0xff, 0xff, 0x00, 0, 0, 1, 1, 0, 0, 0, 8};
	struct queue_wqe w = {.sqn = 0xabcdef, .index = 0x1234};

	(void)state;
	expect(1, queue_wqe_nop(wqe, &w), quiet);
	w = (struct queue_wqe){.sqn = 1, .index = 0xffff, .signal = true};
	expect(1, queue_wqe_nop(wqe, &w), loud);
}

/* 18 header bytes inline and one segment: exactly one block. */
static void test_send(void **state)
{
	static const uint8_t want[64] = {0,    0x00, 0x07, 0x0a, 0x00, 0x00, 0x44, 0x04,
					 0,    0,    0,	   0x08, 0,    0,    0,	   0, /* ctrl */
					 0,    0,    0,	   0,	 0xc0, 0,    0,	   0,
					 0,    0,    0,	   0,	 0,    18,   'A',  'B', /* eth */
					 'C',  'D',  'E',  'F',	 'G',  'H',  'I',  'J',
					 'K',  'L',  'M',  'N',	 'O',  'P',  'Q',  'R',
					 0,    0,    5,	   0xdc, 0,    0,    0x44, 0x01,
					 0x11, 0x22, 0x33, 0x44, 0x55, 0x66, 0x77, 0x88};
	struct queue_send s = {.wqe = {.sqn = 0x44, .index = 7, .signal = true},
			       .cs_flags = 0xc0,
			       .inline_hdr = (const uint8_t *)"ABCDEFGHIJKLMNOPQR",
			       .inline_len = 18,
			       .seg = &(struct queue_seg){0x1122334455667788, 0x4401, 1500},
			       .nsegs = 1};

	(void)state;
	assert_int_equal(queue_send_blocks(18, 1), 1);
	expect(1, queue_wqe_send(wqe, &s), want);
}

static void test_send_without_inline(void **state)
{
	static const uint8_t want[64] = {0, 0, 0, 0x0a, 0, 0, 0x44, 3, [32] = 0, 0, 0, 60,
					 0, 0, 1, 0,	0, 0, 0,    0, 0,	 0, 0, 9};
	struct queue_send s = {
		.wqe = {.sqn = 0x44}, .seg = &(struct queue_seg){9, 0x100, 60}, .nsegs = 1};

	(void)state;
	expect(1, queue_wqe_send(wqe, &s), want);
}

/* The whole frame inline, no segment; two bytes fit the Ethernet segment alone. */
static void test_inline_only(void **state)
{
	static const uint8_t want[64] = {0, 0, 0, 0x0a, 0, 0, 1, 2, [29] = 2, 'x', 'y'};
	struct queue_send s = {
		.wqe = {.sqn = 1}, .inline_hdr = (const uint8_t *)"xy", .inline_len = 2};

	(void)state;
	expect(1, queue_wqe_send(wqe, &s), want);
}

static void test_many_segments(void **state)
{
	struct queue_seg segs[4];
	struct queue_send s = {.wqe = {.sqn = 1, .index = 0xfffe}, .seg = segs, .nsegs = 4};
	uint8_t hdr[QUEUE_SEND_INLINE], want[256] = {0, 0xff, 0xfe, 0x0a, 0, 0, 1, 14};

	(void)state;
	memset(hdr, 'h', sizeof(hdr));
	s.inline_hdr = hdr;
	s.inline_len = sizeof(hdr);
	want[29] = QUEUE_SEND_INLINE;
	memset(want + 30, 'h', QUEUE_SEND_INLINE);
	for (unsigned int i = 0; i < 4; i++) {
		uint8_t *seg = want + (size_t)(2 + 8 + i) * 16;

		segs[i].addr = i + 1;
		segs[i].lkey = 0x10 + i;
		segs[i].len = 0x100 * i + 1;
		seg[2] = (uint8_t)i;
		seg[3] = 1;
		seg[7] = (uint8_t)(0x10 + i);
		seg[15] = (uint8_t)(i + 1);
	}
	assert_int_equal(queue_send_blocks(QUEUE_SEND_INLINE, 4), 4);
	expect(4, queue_wqe_send(wqe, &s), want);
}

/* A TSO of a TLS context behind a fence. */
static void test_tso(void **state)
{
	static const uint8_t want[64] = {0, 0, 9,    0x0e, 0x00, 0x12, 0x34, 3,
					 0, 0, 0,    0x28, 0x00, 0xab, 0xcd, 0, /* ctrl */
					 0, 0, 0,    0,	   0xc0, 0,    0x05, 0xa8,
					 0, 0, 0,    0,	   0,	 0,    0,    0, /* eth */
					 0, 0, 0x10, 0,	   0,	 0,    1,    0,
					 0, 0, 0,    0,	   0,	 0,    0,    9};
	struct queue_send s = {
		.wqe = {.sqn = 0x1234, .index = 9, .signal = true, .fence = true, .tisn = 0xabcd},
		.cs_flags = 0xc0,
		.mss = 1448,
		.seg = &(struct queue_seg){9, 0x100, 4096},
		.nsegs = 1};

	(void)state;
	expect(1, queue_wqe_send(wqe, &s), want);
}

static void test_blocks(void **state)
{
	(void)state;
	assert_int_equal(queue_send_blocks(0, 0), 1);
	assert_int_equal(queue_send_blocks(0, 2), 1);
	assert_int_equal(queue_send_blocks(0, 3), 2);
	assert_int_equal(queue_send_blocks(2, 2), 1);
	assert_int_equal(queue_send_blocks(3, 2), 2);
	assert_int_equal(queue_send_blocks(19, 1), 2);
}

#define TEST(f) cmocka_unit_test_setup(f, setup)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_nop),		TEST(test_send),	  TEST(test_send_without_inline),
		TEST(test_inline_only), TEST(test_many_segments), TEST(test_blocks),
		TEST(test_tso),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
