// SPDX-License-Identifier: BSD-2-Clause
/* The real libibverbs and libmlx5 find the model, open it and ask it for its capabilities. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <infiniband/mlx5dv.h>
#include <string.h>
#include <sys/socket.h>

#include "prm/prm.h"
#include "tests/lib/face.h"

static struct ibv_device **list;
static int n;

static struct ibv_device *named(const char *name)
{
	for (int i = 0; i < n; i++)
		if (strcmp(ibv_get_device_name(list[i]), name) == 0)
			return list[i];
	return NULL;
}

static struct ibv_context *open_devx(const char *name)
{
	struct mlx5dv_context_attr attr = {.flags = MLX5DV_CONTEXT_FLAGS_DEVX};

	assert_non_null(named(name));
	return mlx5dv_open_device(named(name), &attr);
}

static void test_two_devices(void **state)
{
	assert_int_equal(n, 2);
	assert_non_null(named("mlx5_0"));
	assert_non_null(named("mlx5_1"));
	assert_true(mlx5dv_is_supported(named("mlx5_0")));
	assert_int_not_equal(ibv_get_device_guid(named("mlx5_0")),
			     ibv_get_device_guid(named("mlx5_1")));
}

static void test_attributes(void **state)
{
	struct ibv_context *ctx = ibv_open_device(named("mlx5_0"));
	struct ibv_device_attr_ex attr;
	struct ibv_port_attr port;
	union ibv_gid gid;

	assert_non_null(ctx);
	assert_int_equal(ibv_query_device_ex(ctx, NULL, &attr), 0);
	assert_int_equal(attr.orig_attr.vendor_part_id, 0x101d);
	assert_int_equal(attr.orig_attr.phys_port_cnt, 1);
	assert_int_equal(ibv_query_port(ctx, 1, &port), 0);
	assert_int_equal(port.state, IBV_PORT_ACTIVE);
	assert_int_equal(port.link_layer, IBV_LINK_LAYER_ETHERNET);
	assert_int_equal(ibv_query_port(ctx, 2, &port), EINVAL);
	assert_int_equal(ibv_query_gid(ctx, 1, 0, &gid), 0);
	assert_int_equal(gid.raw[0], 0xfe);
	assert_int_equal(ibv_close_device(ctx), 0);
}

static int query_cap(struct ibv_context *ctx, uint16_t group, uint8_t *out, size_t outlen)
{
	uint8_t in[PRM_BYTES(query_hca_cap_in)] = {0};

	PRM_SET(query_hca_cap_in, in, opcode, PRM_CMD_OP_QUERY_HCA_CAP);
	PRM_SET(query_hca_cap_in, in, op_mod, group << 1 | 1);
	return mlx5dv_devx_general_cmd(ctx, in, sizeof(in), out, outlen);
}

static void test_capabilities(void **state)
{
	struct ibv_context *ctx = open_devx("mlx5_0");
	uint8_t out[PRM_BYTES(query_hca_cap_out)];
	const uint8_t *cap = PRM_AT(query_hca_cap_out, out, capability);

	assert_non_null(ctx);
	assert_int_equal(query_cap(ctx, PRM_CAP_GROUP_GENERAL, out, sizeof(out)), 0);
	assert_int_equal(PRM_GET(cmd_hca_cap, cap, tls_tx), 1);
	assert_int_equal(PRM_GET(cmd_hca_cap, cap, ipsec_offload), 1);
	assert_int_equal(query_cap(ctx, PRM_CAP_GROUP_CRYPTO, out, sizeof(out)), 0);
	assert_int_equal(PRM_GET(crypto_cap, cap, log_dek_max_alloc), 12);
	assert_int_equal(ibv_close_device(ctx), 0);
}

/* A group that the card does not have: the ioctl says so, and the outbox why. */
static void test_refusal_shows_its_syndrome(void **state)
{
	struct ibv_context *ctx = open_devx("mlx5_0");
	uint8_t out[PRM_BYTES(query_hca_cap_out)] = {0};

	assert_int_equal(query_cap(ctx, 0x3f, out, sizeof(out)), EREMOTEIO);
	assert_int_not_equal(prm_out_status(out), 0);
	assert_int_not_equal(PRM_GET(cmd_out, out, syndrome), 0);
	assert_int_equal(ibv_close_device(ctx), 0);
}

static void test_second_profile(void **state)
{
	struct ibv_context *ctx = open_devx("mlx5_1");
	uint8_t out[PRM_BYTES(query_hca_cap_out)];

	assert_non_null(ctx);
	assert_int_equal(query_cap(ctx, PRM_CAP_GROUP_GENERAL, out, sizeof(out)), 0);
	assert_int_equal(PRM_GET(cmd_hca_cap, PRM_AT(query_hca_cap_out, out, capability), tls_tx),
			 0);
	assert_int_equal(ibv_close_device(ctx), 0);
}

/* The kernel lets a command without a uid through only to ask for capabilities. */
static void test_general_commands_are_sieved(void **state)
{
	struct ibv_context *ctx = open_devx("mlx5_0");
	uint8_t in[PRM_BYTES(alloc_pd_in)] = {0}, out[PRM_BYTES(alloc_pd_out)] = {0};

	PRM_SET(alloc_pd_in, in, opcode, PRM_CMD_OP_ALLOC_PD);
	assert_int_equal(mlx5dv_devx_general_cmd(ctx, in, sizeof(in), out, sizeof(out)), EINVAL);
	PRM_SET(alloc_pd_in, in, opcode, PRM_CMD_OP_NOP);
	assert_int_equal(mlx5dv_devx_general_cmd(ctx, in, sizeof(in), out, sizeof(out)), 0);
	PRM_SET(alloc_pd_in, in, opcode, 0xb7f); /* passes the kernel, unknown to the card */
	assert_int_equal(mlx5dv_devx_general_cmd(ctx, in, sizeof(in), out, sizeof(out)), EREMOTEIO);
	assert_int_equal(prm_out_status(out), PRM_CMD_STAT_BAD_OP_ERR);
	assert_int_equal(ibv_close_device(ctx), 0);
}

static void test_devices_of_the_host_are_not_asked(void **state)
{
	enum { NETLINK_RDMA = 20 };

	assert_int_equal(socket(AF_NETLINK, SOCK_RAW, NETLINK_RDMA), -1);
	assert_int_equal(errno, EPROTONOSUPPORT);
}

static void test_nothing_is_left(void **state)
{
	assert_int_equal(face_census_bad(), 0);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_two_devices),
		cmocka_unit_test(test_attributes),
		cmocka_unit_test(test_capabilities),
		cmocka_unit_test(test_refusal_shows_its_syndrome),
		cmocka_unit_test(test_second_profile),
		cmocka_unit_test(test_general_commands_are_sieved),
		cmocka_unit_test(test_devices_of_the_host_are_not_asked),
		cmocka_unit_test(test_nothing_is_left),
	};
	int failed;

	if (!face_preload(argv, "model profile=no-tls"))
		return 0;
	list = ibv_get_device_list(&n);
	if (!list)
		return 1;
	failed = cmocka_run_group_tests(tests, NULL, NULL);
	ibv_free_device_list(list);
	return failed;
}
