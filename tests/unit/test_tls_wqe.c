// SPDX-License-Identifier: BSD-2-Clause
/*
 * WQEs of TLS contexts against golden words: computed by hand from the layouts (byte offset:word, big-endian, all else 0).
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <string.h>

#include "prm/prm.h"
#include "queues/tls.h"
#include "tests/lib/mock_provider.h"

enum { SQN = 0x1234, TISN = 0xabcd, BLOCK = 64 };

static void expect(const uint8_t *got, unsigned int blocks, unsigned int want_blocks,
		   const char *words)
{
	uint8_t want[3 * BLOCK] = {0};

	assert_int_equal(blocks, want_blocks);
	mock_bytes(want, sizeof(want), words);
	assert_memory_equal(got, want, (size_t)blocks * BLOCK);
}

static void test_static_1_2(void **state)
{
	static const uint8_t iv[12] = {1, 2, 3, 4, 9, 9, 9, 9, 9, 9, 9, 9};
	struct queue_tls_static s = {.wqe = {.sqn = SQN, .index = 0x10, .tisn = TISN},
				     .version = PRM_TLS_VERSION_1_2,
				     .rec_no = 5,
				     .iv = iv,
				     .dek = 0x777};
	uint8_t wqe[3 * BLOCK];

	(void)state;
	memset(wqe, 0xee, sizeof(wqe));
	expect(wqe, queue_wqe_tls_static(wqe, &s), 3,
	       "000:01001025 004:0012340c 00c:00abcd00 010:80000000 014:00000004 080:89000001 "
	       "08c:00000005 094:01020304 0a0:00000777");
}

static void test_static_1_3_fenced(void **state)
{
	static const uint8_t iv[12] = {1, 2, 3, 4, 0x11, 0x12, 0x13, 0x14, 0x15, 0x16, 0x17, 0x18};
	struct queue_tls_static s = {
		.wqe = {.sqn = SQN, .index = 0x10, .tisn = TISN, .fence = true},
		.version = PRM_TLS_VERSION_1_3,
		.rec_no = 0x0102030405060708,
		.iv = iv,
		.dek = 0x777};
	uint8_t wqe[3 * BLOCK];

	(void)state;
	memset(wqe, 0xee, sizeof(wqe));
	expect(wqe, queue_wqe_tls_static(wqe, &s), 3,
	       "000:01001025 004:0012340c 008:00000020 00c:00abcd00 010:80000000 014:00000004 "
	       "080:8d000001 088:01020304 08c:05060708 094:01020304 098:11121314 09c:15161718 "
	       "0a0:00000777");
}

static void test_progress(void **state)
{
	struct queue_wqe w = {.sqn = SQN, .index = 0x13, .tisn = TISN, .fence = true};
	uint8_t wqe[BLOCK];

	(void)state;
	memset(wqe, 0xee, sizeof(wqe));
	expect(wqe, queue_wqe_tls_progress(wqe, &w), 1,
	       "000:01001320 004:00123402 008:00000020 010:0000abcd");
}

static void test_dump(void **state)
{
	struct queue_wqe w = {.sqn = SQN, .index = 0x15, .tisn = TISN, .fence = true};
	struct queue_seg seg = {0x7f0000002000, 0x2020, 1460};
	uint8_t wqe[BLOCK];

	(void)state;
	memset(wqe, 0xee, sizeof(wqe));
	expect(wqe, queue_wqe_tls_dump(wqe, &w, &seg), 1,
	       "000:00001523 004:00123402 008:00000020 00c:00abcd00 010:000005b4 014:00002020 "
	       "018:00007f00 01c:00002000");
}

static void test_nop_fenced(void **state)
{
	struct queue_wqe w = {.sqn = SQN, .index = 0x16, .fence = true};
	uint8_t wqe[BLOCK];

	(void)state;
	memset(wqe, 0xee, sizeof(wqe));
	expect(wqe, queue_wqe_nop(wqe, &w), 1, "000:00001600 004:00123401 008:00000020");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_static_1_2), cmocka_unit_test(test_static_1_3_fenced),
		cmocka_unit_test(test_progress),   cmocka_unit_test(test_dump),
		cmocka_unit_test(test_nop_fenced),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
