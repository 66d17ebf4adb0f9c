// SPDX-License-Identifier: BSD-2-Clause
/*
 * What a driver asks the function itself: vport state, context and counters, registers of the port, interface version,
 * adapter, pages; the same numbers in every place that shows them.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include <string.h>

#include "lib/mailboxes.h"
#include "lib/raw.h"

static struct model_dev dev;
static uint8_t in[512], out[1024];

static int setup(void **state)
{
	memset(in, 0, sizeof(in));
	return model_dev_init(&dev, model_profile_find("connectx-6dx"));
}

static int teardown(void **state)
{
	model_dev_fini(&dev);
	return 0;
}

static uint8_t exec(uint16_t uid, uint16_t opcode, size_t inlen, size_t outlen)
{
	PRM_SET(cmd_in, in, opcode, opcode);
	memset(out, 0xee, sizeof(out));
	assert_int_equal(model_fw_exec(&dev, uid, in, inlen, out, outlen), 0);
	return prm_out_status(out);
}

#define EXEC(uid, op, l) exec(uid, PRM_CMD_OP_##op, PRM_BYTES(l##_in), PRM_BYTES(l##_out))

static void state_and_context(void **state)
{
	uint8_t *ctx = PRM_AT(query_nic_vport_context_out, out, nic_vport_context);
	uint8_t mac[6];
	struct model_dev other;

	assert_int_equal(EXEC(1, QUERY_VPORT_STATE, query_vport_state), 0);
	assert_int_equal(PRM_GET(query_vport_state_out, out, state), PRM_PORT_UP);
	assert_int_equal(PRM_GET(query_vport_state_out, out, max_tx_speed), 1000); /* 100 Gb/s */
	assert_int_equal(EXEC(1, QUERY_NIC_VPORT_CONTEXT, query_nic_vport_context), 0);
	assert_int_equal(PRM_GET(nic_vport_context, ctx, mtu), 9022);
	memcpy(mac, PRM_AT(nic_vport_context, ctx, permanent_address) + 2, 6);
	assert_memory_equal(mac, dev.mac, 6);
	assert_int_equal(mac[0] & 3, 2); /* ours, and of one station */
	assert_int_equal(PRM_GET(nic_vport_context, ctx, node_guid) >> 24 & 0xffff, 0xfffe);
	assert_int_equal(model_dev_init(&other, model_profile_find("connectx-6dx")), 0);
	assert_memory_not_equal(other.mac, dev.mac, 6);
	model_dev_fini(&other);
	PRM_SET(query_vport_state_in, in, vport_number, 1);
	assert_int_equal(EXEC(1, QUERY_VPORT_STATE, query_vport_state), PRM_CMD_STAT_BAD_PARAM_ERR);
}

/* 3 unicast of 100 bytes, 2 multicast of 200, 1 broadcast of 300; received, and twice that sent. */
static void traffic(void)
{
	static const uint8_t first[] = {0x00, 0x01, 0xff};
	uint8_t frame[300];

	for (int kind = 0; kind < 3; kind++) {
		memset(frame, kind == 2 ? 0xff : 0x22, sizeof(frame));
		frame[0] = first[kind];
		for (int i = 0; i < 3 * (3 - kind); i++)
			model_count_frame(&dev, i >= 3 - kind, frame, 100u * (unsigned)(kind + 1));
	}
}

static void counters(void **state)
{
	const uint8_t *at;

	traffic();
	PRM_SET(query_vport_counter_in, in, clear, 1);
	assert_int_equal(EXEC(1, QUERY_VPORT_COUNTER, query_vport_counter), 0);
#define EXPECT(field, n, bytes) \
	at = PRM_AT(query_vport_counter_out, out, field); \
	assert_int_equal(PRM_GET(traffic_counter, at, packets), n); \
	assert_int_equal(PRM_GET(traffic_counter, at, octets), bytes)
	EXPECT(received_eth_unicast, 3, 300);
	EXPECT(received_eth_multicast, 2, 400);
	EXPECT(received_eth_broadcast, 1, 300);
	EXPECT(transmitted_eth_unicast, 6, 600);
	EXPECT(transmitted_eth_multicast, 4, 800);
	EXPECT(transmitted_eth_broadcast, 2, 600);
	EXPECT(received_errors, 0, 0);
	assert_int_equal(EXEC(1, QUERY_VPORT_COUNTER, query_vport_counter), 0);
	EXPECT(received_eth_unicast, 0, 0);
	EXPECT(transmitted_eth_broadcast, 0, 0);
}

/* -- registers -------------------------------------------------------------------------------------------- */

static uint8_t read_reg(uint16_t uid, uint16_t id, size_t n)
{
	PRM_SET(access_register_in, in, op_mod, PRM_REG_READ);
	PRM_SET(access_register_in, in, register_id, id);
	PRM_SET(ppcnt_reg, in + 16, local_port, 1);
	return exec(uid, PRM_CMD_OP_ACCESS_REG, 16 + n, 16 + n);
}

static uint64_t pair(unsigned int bit)
{
	return prm_get(PRM_AT(ppcnt_reg, out + 16, counter_set), bit, 64);
}

static void port_counters(void **state)
{
	enum { N = PRM_ppcnt_reg_bits / 8 };

	traffic();
	PRM_SET(ppcnt_reg, in + 16, grp, PRM_PPCNT_GRP_802_3);
	assert_int_equal(read_reg(0, PRM_REG_PPCNT, N), 0);
	assert_int_equal(pair(0x000), 12);   /* transmitted */
	assert_int_equal(pair(0x040), 6);    /* received */
	assert_int_equal(pair(0x100), 2000); /* octets transmitted */
	assert_int_equal(pair(0x140), 1000);
	assert_int_equal(pair(0x180), 4); /* multicast transmitted */
	assert_int_equal(pair(0x240), 1); /* broadcast received */
	PRM_SET(ppcnt_reg, in + 16, grp, PRM_PPCNT_GRP_RFC_2863);
	assert_int_equal(read_reg(0, PRM_REG_PPCNT, N), 0);
	assert_int_equal(pair(0x000), 1000); /* octets in */
	assert_int_equal(pair(0x040), 3);
	assert_int_equal(pair(0x140), 2000);
	assert_int_equal(pair(0x300), 2); /* broadcast out */
	PRM_SET(ppcnt_reg, in + 16, grp, 0x10);
	assert_int_equal(read_reg(0, PRM_REG_PPCNT, N), PRM_CMD_STAT_BAD_PARAM_ERR);
}

static void other_registers(void **state)
{
	assert_int_equal(read_reg(0, PRM_REG_PAOS, 16), 0);
	assert_int_equal(PRM_GET(paos_reg, out + 16, oper_status), PRM_PORT_UP);
	assert_int_equal(read_reg(0, PRM_REG_PMTU, 16), 0);
	assert_int_equal(PRM_GET(pmtu_reg, out + 16, oper_mtu), 9022);
	assert_int_equal(read_reg(1, PRM_REG_PMTU, 16), PRM_CMD_STAT_BAD_OP_ERR); /* a user */
	assert_int_equal(read_reg(0, PRM_REG_MTPPS, 16), PRM_CMD_STAT_BAD_PARAM_ERR);
	assert_int_equal(read_reg(0, PRM_REG_MTUTC, 16), PRM_CMD_STAT_BAD_PARAM_ERR);
	assert_int_equal(read_reg(0, PRM_REG_PPCNT, 16), PRM_CMD_STAT_BAD_INP_LEN_ERR);
	PRM_SET(access_register_in, in, op_mod, PRM_REG_WRITE);
	assert_int_equal(exec(0, PRM_CMD_OP_ACCESS_REG, 32, 32), PRM_CMD_STAT_BAD_PARAM_ERR);
	PRM_SET(access_register_in, in, register_id, PRM_REG_HOST_ENDIANNESS);
	assert_int_equal(exec(0, PRM_CMD_OP_ACCESS_REG, 32, 32), 0);
	memset(in, 0, sizeof(in));
	PRM_SET(access_register_in, in, op_mod, PRM_REG_READ);
	PRM_SET(access_register_in, in, register_id, PRM_REG_PAOS);
	PRM_SET(paos_reg, in + 16, local_port, 2);
	assert_int_equal(exec(0, PRM_CMD_OP_ACCESS_REG, 32, 32), PRM_CMD_STAT_BAD_PARAM_ERR);
}

static void identity(void **state)
{
	assert_int_equal(EXEC(0, QUERY_ISSI, query_issi), 0);
	assert_int_equal(PRM_GET(query_issi_out, out, supported_issi_dw0), 3);
	PRM_SET(set_issi_in, in, current_issi, 1);
	assert_int_equal(EXEC(0, SET_ISSI, set_issi), 0);
	PRM_SET(set_issi_in, in, current_issi, 2);
	assert_int_equal(EXEC(0, SET_ISSI, set_issi), PRM_CMD_STAT_BAD_PARAM_ERR);
	memset(in, 0, sizeof(in));
	assert_int_equal(EXEC(0, QUERY_ISSI, query_issi), 0);
	assert_int_equal(PRM_GET(query_issi_out, out, current_issi), 1);
	assert_int_equal(EXEC(0, QUERY_ADAPTER, query_adapter), 0);
	assert_string_equal((char *)out + 16 + 0x780 / 8, "MODEL00000");
	assert_int_equal(EXEC(0, QUERY_SPECIAL_CONTEXTS, query_special_contexts), 0);
	assert_int_equal(PRM_GET(query_special_contexts_out, out, terminate_scatter_list_mkey),
			 0x100);
	PRM_SET(query_pages_in, in, op_mod, 2);
	assert_int_equal(EXEC(0, QUERY_PAGES, query_pages), 0);
	assert_int_equal(PRM_GET(query_pages_out, out, num_pages), 0);
	PRM_SET(query_pages_in, in, op_mod, 0);
	assert_int_equal(EXEC(0, QUERY_PAGES, query_pages), PRM_CMD_STAT_BAD_OP_ERR);
}

static void pages(void **state)
{
	PRM_SET(manage_pages_in, in, op_mod, 1);
	PRM_SET(manage_pages_in, in, input_num_entries, 3);
	assert_int_equal(exec(0, PRM_CMD_OP_MANAGE_PAGES, 16 + 24, 16), 0);
	assert_int_equal(exec(0, PRM_CMD_OP_MANAGE_PAGES, 16 + 16, 16),
			 PRM_CMD_STAT_BAD_INP_LEN_ERR);
	PRM_SET(manage_pages_in, in, op_mod, 2);
	assert_int_equal(exec(0, PRM_CMD_OP_MANAGE_PAGES, 16, 16), 0);
	assert_int_equal(PRM_GET(manage_pages_out, out, output_num_entries), 0);
}

int main(void)
{
#define TEST(f) cmocka_unit_test_setup_teardown(f, setup, teardown)
	const struct CMUnitTest tests[] = {
		TEST(state_and_context), TEST(counters), TEST(port_counters),
		TEST(other_registers),	 TEST(identity), TEST(pages),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
