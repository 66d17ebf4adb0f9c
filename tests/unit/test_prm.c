// SPDX-License-Identifier: BSD-2-Clause
/*
 * Bit access and the layout lists.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "prm/prm.h"

static void test_get_set(void **state)
{
	uint8_t in[PRM_BYTES(create_sq_in)] = {0};

	PRM_SET(create_sq_in, in, opcode, PRM_CMD_OP_CREATE_SQ);
	PRM_SET(sqc, PRM_AT(create_sq_in, in, ctx), cqn, 0x123456);
	assert_int_equal(in[0], 0x09);
	assert_int_equal(in[1], 0x04);
	assert_memory_equal(in + 0x28, "\x00\x12\x34\x56", 4);
	assert_int_equal(PRM_GET(create_sq_in, in, opcode), 0x904);
	assert_int_equal(PRM_GET(sqc, PRM_AT(create_sq_in, in, ctx), cqn), 0x123456);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_get_set),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
