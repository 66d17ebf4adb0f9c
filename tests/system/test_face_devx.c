// SPDX-License-Identifier: BSD-2-Clause
/* DevX through the real libmlx5: what the kernel lets through, what it refuses, what is left at close. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <infiniband/mlx5dv.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "prm/prm.h"
#include "tests/lib/face.h"

static struct ibv_context *ctx;

static struct ibv_context *open_device(uint32_t flags)
{
	struct mlx5dv_context_attr attr = {.flags = flags};
	int n;
	struct ibv_device **list = ibv_get_device_list(&n);
	struct ibv_context *c = n ? mlx5dv_open_device(list[0], &attr) : NULL;

	ibv_free_device_list(list);
	return c;
}

static int setup(void **state)
{
	ctx = open_device(MLX5DV_CONTEXT_FLAGS_DEVX);
	return ctx ? 0 : -1;
}

static int teardown(void **state)
{
	return ibv_close_device(ctx);
}

#define CREATE(c, in, out) mlx5dv_devx_obj_create(c, in, sizeof(in), out, sizeof(out))

static struct mlx5dv_devx_obj *new_pd(struct ibv_context *c, uint32_t *pd)
{
	uint8_t in[PRM_BYTES(alloc_pd_in)] = {0}, out[PRM_BYTES(alloc_pd_out)] = {0};
	struct mlx5dv_devx_obj *o;

	PRM_SET(alloc_pd_in, in, opcode, PRM_CMD_OP_ALLOC_PD);
	o = CREATE(c, in, out);
	assert_non_null(o);
	*pd = (uint32_t)PRM_GET(alloc_pd_out, out, pd);
	return o;
}

static struct mlx5dv_devx_obj *new_td(struct ibv_context *c, uint32_t *td)
{
	uint8_t in[PRM_BYTES(alloc_transport_domain_in)] = {0},
		out[PRM_BYTES(alloc_transport_domain_out)] = {0};
	struct mlx5dv_devx_obj *o;

	PRM_SET(alloc_transport_domain_in, in, opcode, PRM_CMD_OP_ALLOC_TRANSPORT_DOMAIN);
	o = CREATE(c, in, out);
	assert_non_null(o);
	*td = (uint32_t)PRM_GET(alloc_transport_domain_out, out, transport_domain);
	return o;
}

static struct mlx5dv_devx_obj *new_tis(struct ibv_context *c, uint32_t td, uint8_t *out)
{
	uint8_t in[PRM_BYTES(create_tis_in)] = {0};

	PRM_SET(create_tis_in, in, opcode, PRM_CMD_OP_CREATE_TIS);
	PRM_SET(tisc, PRM_AT(create_tis_in, in, ctx), transport_domain, td);
	return mlx5dv_devx_obj_create(c, in, sizeof(in), out, PRM_BYTES(create_tis_out));
}

/* A bulk of 2^log keys. */
static struct mlx5dv_devx_obj *new_keys(uint32_t pd, unsigned int log, uint32_t *id)
{
	uint8_t in[PRM_BYTES(general_obj_in_cmd_hdr) + PRM_BYTES(encryption_key_obj)] = {0};
	uint8_t out[PRM_BYTES(general_obj_out_cmd_hdr)] = {0};
	uint8_t *key = in + PRM_BYTES(general_obj_in_cmd_hdr);
	struct mlx5dv_devx_obj *o;

	PRM_SET(general_obj_in_cmd_hdr, in, opcode, PRM_CMD_OP_CREATE_GENERAL_OBJECT);
	PRM_SET(general_obj_in_cmd_hdr, in, obj_type, PRM_GENERAL_OBJECT_TYPES_ENCRYPTION_KEY);
	PRM_SET(general_obj_create_param, PRM_AT(general_obj_in_cmd_hdr, in, op_param),
		log_obj_range, log);
	PRM_SET(encryption_key_obj, key, key_purpose,
		PRM_GENERAL_OBJECT_TYPE_ENCRYPTION_KEY_PURPOSE_TLS);
	PRM_SET(encryption_key_obj, key, pd, pd);
	o = CREATE(ctx, in, out);
	assert_non_null(o);
	*id = (uint32_t)PRM_GET(general_obj_out_cmd_hdr, out, obj_id);
	return o;
}

static int write_key(struct mlx5dv_devx_obj *o, uint32_t id, uint32_t offset, uint32_t pd,
		     uint8_t *out)
{
	uint8_t in[PRM_BYTES(general_obj_in_cmd_hdr) + PRM_BYTES(encryption_key_obj)] = {0};
	uint8_t *key = in + PRM_BYTES(general_obj_in_cmd_hdr);

	PRM_SET(general_obj_in_cmd_hdr, in, opcode, PRM_CMD_OP_MODIFY_GENERAL_OBJECT);
	PRM_SET(general_obj_in_cmd_hdr, in, obj_type, PRM_GENERAL_OBJECT_TYPES_ENCRYPTION_KEY);
	PRM_SET(general_obj_in_cmd_hdr, in, obj_id, id);
	PRM_SET(general_obj_query_param, PRM_AT(general_obj_in_cmd_hdr, in, op_param), obj_offset,
		offset);
	PRM_SET(encryption_key_obj, key, modify_field_select, 1);
	PRM_SET(encryption_key_obj, key, key_purpose,
		PRM_GENERAL_OBJECT_TYPE_ENCRYPTION_KEY_PURPOSE_TLS);
	PRM_SET(encryption_key_obj, key, pd, pd);
	memset(PRM_AT(encryption_key_obj, key, key) + 16, 0x5a, 16);
	return mlx5dv_devx_obj_modify(o, in, sizeof(in), out, PRM_BYTES(general_obj_out_cmd_hdr));
}

static void test_slots_are_named_by_their_offset(void **state)
{
	uint8_t out[PRM_BYTES(general_obj_out_cmd_hdr)] = {0};
	uint32_t pd, id;
	struct mlx5dv_devx_obj *p = new_pd(ctx, &pd), *keys = new_keys(pd, 3, &id);

	assert_int_equal(write_key(keys, id, 7, pd, out), 0);
	/* another number than the handle's is the kernel's affair: the card does not see it */
	memset(out, 0, sizeof(out));
	assert_int_equal(write_key(keys, id + 7, 0, pd, out), EINVAL);
	assert_int_equal(prm_out_status(out), 0);
	/* a slot that is not there is the card's */
	assert_int_equal(write_key(keys, id, 8, pd, out), EREMOTEIO);
	assert_int_not_equal(prm_out_status(out), 0);
	assert_int_equal(mlx5dv_devx_obj_destroy(keys), 0);
	assert_int_equal(mlx5dv_devx_obj_destroy(p), 0);
}

static void test_what_is_used_stays(void **state)
{
	uint8_t out[PRM_BYTES(create_tis_out)] = {0};
	uint32_t td;
	struct mlx5dv_devx_obj *t = new_td(ctx, &td), *tis = new_tis(ctx, td, out);

	assert_non_null(tis);
	assert_int_equal(mlx5dv_devx_obj_destroy(t),
			 EINVAL); /* the kernel's word for BAD_RES_STATE */
	assert_int_equal(mlx5dv_devx_obj_destroy(tis), 0);
	assert_int_equal(mlx5dv_devx_obj_destroy(t), 0);
}

static void test_create_lists(void **state)
{
	uint8_t in[272] = {0}, out[16] = {0};

	PRM_SET(cmd_in, in, opcode, PRM_CMD_OP_DESTROY_TIS);
	errno = 0;
	assert_null(CREATE(ctx, in, out));
	assert_int_equal(errno, EINVAL);
	PRM_SET(cmd_in, in, opcode,
		0x500); /* CREATE_QP: a kernel lets it through, the model has none */
	errno = 0;
	assert_null(CREATE(ctx, in, out));
	assert_int_equal(errno, EREMOTEIO);
	assert_int_equal(prm_out_status(out), PRM_CMD_STAT_BAD_OP_ERR);
}

static void test_refused_create_tells_why(void **state)
{
	uint8_t out[PRM_BYTES(create_tis_out)] = {0};

	errno = 0;
	assert_null(new_tis(ctx, 0x777777, out));
	assert_int_equal(errno, EREMOTEIO);
	assert_int_equal(prm_out_status(out), PRM_CMD_STAT_BAD_RES_ERR);
	assert_int_not_equal(prm_out_syndrome(out), 0);
}

static void test_users_do_not_see_each_other(void **state)
{
	struct ibv_context *other = open_device(MLX5DV_CONTEXT_FLAGS_DEVX);
	uint8_t out[PRM_BYTES(create_tis_out)] = {0};
	uint32_t td;
	struct mlx5dv_devx_obj *t = new_td(ctx, &td);

	assert_non_null(other);
	assert_null(new_tis(other, td, out));
	assert_int_not_equal(prm_out_status(out), 0);
	assert_int_equal(mlx5dv_devx_obj_destroy(t), 0);
	assert_int_equal(ibv_close_device(other), 0);
}

static void test_umem(void **state)
{
	uint8_t *page =
		mmap(NULL, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	struct mlx5dv_devx_umem *umem =
		mlx5dv_devx_umem_reg(ctx, page, 8192, IBV_ACCESS_LOCAL_WRITE);

	assert_non_null(umem);
	assert_int_equal(mlx5dv_devx_umem_dereg(umem), 0);
	munmap(page + 4096, 4096);
	errno = 0;
	assert_null(mlx5dv_devx_umem_reg(ctx, page, 8192, IBV_ACCESS_LOCAL_WRITE));
	assert_int_equal(errno, EFAULT);
	assert_null(mlx5dv_devx_umem_reg(ctx, page, 0, IBV_ACCESS_LOCAL_WRITE));
	munmap(page, 4096);
}

static void test_uar_and_eqn(void **state)
{
	struct mlx5dv_devx_uar *uar = mlx5dv_devx_alloc_uar(ctx, MLX5DV_UAR_ALLOC_TYPE_NC);
	uint32_t eqn = 0;

	assert_non_null(uar);
	assert_non_null(uar->reg_addr);
	*(volatile uint64_t *)uar->reg_addr = 1; /* is there */
	mlx5dv_devx_free_uar(uar);
	assert_int_equal(mlx5dv_devx_query_eqn(ctx, 0, &eqn), 0);
	assert_int_not_equal(eqn, 0);
}

static void test_query_by_channel(void **state)
{
	struct mlx5dv_devx_cmd_comp *comp = mlx5dv_devx_create_cmd_comp(ctx);
	uint8_t in[PRM_BYTES(general_obj_in_cmd_hdr)] = {0};
	enum { LEN = PRM_BYTES(general_obj_out_cmd_hdr) + PRM_BYTES(encryption_key_obj) };
	_Alignas(8) uint8_t answer[sizeof(struct mlx5dv_devx_async_cmd_hdr) + LEN];
	struct mlx5dv_devx_async_cmd_hdr *hdr = (struct mlx5dv_devx_async_cmd_hdr *)answer;
	uint32_t pd, id;
	struct mlx5dv_devx_obj *p = new_pd(ctx, &pd), *keys = new_keys(pd, 0, &id);

	assert_non_null(comp);
	PRM_SET(general_obj_in_cmd_hdr, in, opcode, PRM_CMD_OP_QUERY_GENERAL_OBJECT);
	PRM_SET(general_obj_in_cmd_hdr, in, obj_type, PRM_GENERAL_OBJECT_TYPES_ENCRYPTION_KEY);
	PRM_SET(general_obj_in_cmd_hdr, in, obj_id, id);
	assert_int_equal(mlx5dv_devx_obj_query_async(keys, in, sizeof(in), LEN, 0x1234, comp), 0);
	assert_int_equal(mlx5dv_devx_get_async_cmd_comp(comp, hdr, sizeof(answer)), 0);
	assert_int_equal(hdr->wr_id, 0x1234);
	assert_int_equal(prm_out_status(hdr->out_data), 0);
	assert_int_equal(
		PRM_GET(encryption_key_obj, hdr->out_data + PRM_BYTES(general_obj_out_cmd_hdr), pd),
		pd);
	mlx5dv_devx_destroy_cmd_comp(comp);
	assert_int_equal(mlx5dv_devx_obj_destroy(keys), 0);
	assert_int_equal(mlx5dv_devx_obj_destroy(p), 0);
}

static void *churn(void *arg)
{
	uint8_t out[PRM_BYTES(create_tis_out)];
	uint32_t td = *(uint32_t *)arg;

	for (int i = 0; i < 200; i++) {
		struct mlx5dv_devx_obj *tis = new_tis(ctx, td, out);

		if (!tis || mlx5dv_devx_obj_destroy(tis))
			return arg;
	}
	return NULL;
}

static void test_callers_side_by_side(void **state)
{
	uint32_t td;
	struct mlx5dv_devx_obj *t = new_td(ctx, &td);
	pthread_t thread[20];
	void *bad;

	for (int i = 0; i < 20; i++)
		assert_int_equal(pthread_create(&thread[i], NULL, churn, &td), 0);
	for (int i = 0; i < 20; i++) {
		pthread_join(thread[i], &bad);
		assert_null(bad);
	}
	assert_int_equal(mlx5dv_devx_obj_destroy(t), 0);
}

static void test_close_takes_what_is_left(void **state)
{
	struct ibv_context *c = open_device(MLX5DV_CONTEXT_FLAGS_DEVX);
	uint8_t out[PRM_BYTES(create_tis_out)] = {0};
	char last[4096] = "", line[4096];
	uint32_t pd, td;
	FILE *f;

	assert_non_null(c);
	assert_non_null(new_pd(c, &pd));
	assert_non_null(new_td(c, &td));
	assert_non_null(new_tis(c, td, out));
	assert_int_equal(ibv_close_device(c), 0);
	f = fopen(getenv("MLXO_MODEL_CENSUS"), "r");
	assert_non_null(f);
	while (fgets(line, sizeof(line), f))
		strcpy(last, line);
	fclose(f);
	assert_non_null(strstr(last, "\"tis\": 1"));
	assert_non_null(strstr(last, "\"td\": 1"));
	assert_non_null(strstr(last, "\"live\": {}"));
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_slots_are_named_by_their_offset, setup,
						teardown),
		cmocka_unit_test_setup_teardown(test_what_is_used_stays, setup, teardown),
		cmocka_unit_test_setup_teardown(test_create_lists, setup, teardown),
		cmocka_unit_test_setup_teardown(test_refused_create_tells_why, setup, teardown),
		cmocka_unit_test_setup_teardown(test_users_do_not_see_each_other, setup, teardown),
		cmocka_unit_test_setup_teardown(test_umem, setup, teardown),
		cmocka_unit_test_setup_teardown(test_uar_and_eqn, setup, teardown),
		cmocka_unit_test_setup_teardown(test_query_by_channel, setup, teardown),
		cmocka_unit_test_setup_teardown(test_callers_side_by_side, setup, teardown),
		cmocka_unit_test(test_close_takes_what_is_left),
	};

	if (!face_preload(argv, "model"))
		return 0;
	return cmocka_run_group_tests(tests, NULL, NULL);
}
