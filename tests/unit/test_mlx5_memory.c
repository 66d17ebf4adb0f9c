// SPDX-License-Identifier: BSD-2-Clause
/* Memory, doorbells and rules of the root of a NIC: what libmlx5 is asked for, and what a failure leaves behind. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#if __has_include(<infiniband/mlx5dv.h>) && defined(MLXO_MLX5)

#include "unit/mlx5_fake.h"

enum { PAGE = 4096 };

static _Alignas(PAGE) char memory[4 * PAGE];

static int setup(void **state)
{
	fake_reset();
	*state = fake_open();
	return *state ? 0 : -1;
}

static int teardown(void **state)
{
	if (*state)
		prov_ops(*state)->close(*state);
	return 0;
}

/* Close now, to see what close does. */
static void close_now(void **state)
{
	prov_ops(*state)->close(*state);
	*state = NULL;
}

/* -- memory -------------------------------------------------------------------------------------------------- */

static void umems(void **state)
{
	struct prov_device *dev = *state;
	const struct prov_ops *ops = prov_ops(dev);
	struct prov_umem u = {.id = 0};

	assert_int_equal(ops->umem_reg(dev, NULL, PAGE, &u), -EINVAL);
	assert_int_equal(ops->umem_reg(dev, memory, 0, &u), -EINVAL);
	assert_int_equal(ops->umem_reg(dev, memory, 2 * PAGE, &u), 0);
	assert_ptr_equal(fake.umem_addr, memory);
	assert_int_equal(fake.umem_len, 2 * PAGE);
	assert_int_equal(fake.umem_access, IBV_ACCESS_LOCAL_WRITE);
	assert_ptr_equal(u.addr, memory);
	assert_int_equal(u.len, 2 * PAGE);
	assert_int_equal(u.id, 1);
	/* the kernel has no other word for "in use" */
	fake_fail('u', EINVAL, 1);
	assert_int_equal(ops->umem_dereg(dev, &u), -EBUSY);
	fake_fail('u', EIO, 1);
	assert_int_equal(ops->umem_dereg(dev, &u), -EREMOTEIO);
	assert_int_equal(ops->umem_dereg(dev, &u), 0);
	fake_fail('U', ENOMEM, 1);
	assert_int_equal(ops->umem_reg(dev, memory, PAGE, &u), -ENOMEM);
	assert_string_equal(fake.calls, "UuuEuU");
	assert_int_equal(ops->umem_reg(dev, memory, PAGE, &u), 0);
	fake.lost = 1;
	fake_fail('u', ENODEV, 1);
	assert_int_equal(ops->umem_dereg(dev, &u), -EIO); /* gone with the device */
	close_now(state);
	assert_string_equal(fake.calls, "UuuEuUUuEx");
}

static void check_key(const void *start, uint64_t len, uint64_t pages)
{
	const uint8_t *mkc = PRM_AT(create_mkey_in, fake.in, memory_key_mkey_entry);

	assert_int_equal(fake.inlen, PRM_BYTES(create_mkey_in));
	assert_int_equal(prm_in_opcode(fake.in), PRM_CMD_OP_CREATE_MKEY);
	assert_int_equal(PRM_GET(create_mkey_in, fake.in, mkey_umem_valid), 1);
	assert_int_equal(PRM_GET(create_mkey_in, fake.in, mkey_umem_offset), 0);
	assert_int_equal(PRM_GET(create_mkey_in, fake.in, translations_octword_actual_size),
			 (pages + 1) / 2);
	assert_int_equal(PRM_GET(mkc, mkc, translations_octword_size), (pages + 1) / 2);
	assert_int_equal(PRM_GET(mkc, mkc, access_mode_1_0), PRM_MKC_ACCESS_MODE_MTT);
	assert_int_equal(PRM_GET(mkc, mkc, lr) && PRM_GET(mkc, mkc, lw), 1);
	assert_int_equal(PRM_GET(mkc, mkc, rr) || PRM_GET(mkc, mkc, rw), 0);
	assert_int_equal(PRM_GET(mkc, mkc, qpn), 0xffffff);
	assert_int_equal(PRM_GET(mkc, mkc, pd), 0x1a);
	assert_int_equal(PRM_GET(mkc, mkc, log_page_size), 12);
	assert_int_equal(PRM_GET(mkc, mkc, start_addr), (uintptr_t)start);
	assert_int_equal(PRM_GET(mkc, mkc, len), len);
}

static void keys(void **state)
{
	struct prov_device *dev = *state;
	const struct prov_ops *ops = prov_ops(dev);
	struct prov_mr mr;

	assert_int_equal(ops->mr_reg(dev, 0x1a, memory, 0, &mr), -EINVAL);
	assert_int_equal(ops->mr_reg(dev, 0x1a, memory, SIZE_MAX, &mr), -EINVAL);
	assert_int_equal(ops->mr_reg(dev, 0x1a, memory, 3 * PAGE, &mr), 0);
	check_key(memory, 3 * PAGE, 3);
	assert_int_equal(PRM_GET(create_mkey_in, fake.in, mkey_umem_id), 1);
	assert_int_equal(mr.lkey, 2 << 8);
	assert_ptr_equal(mr.addr, memory);
	assert_int_equal(ops->mr_dereg(dev, &mr), 0);
	/* in the middle of a page, over the end of another: whole pages, the key from the first one's start */
	assert_int_equal(ops->mr_reg(dev, 0x1a, memory + PAGE + 100, PAGE, &mr), 0);
	assert_ptr_equal(fake.umem_addr, memory + PAGE);
	assert_int_equal(fake.umem_len, 2 * PAGE);
	check_key(memory + PAGE, PAGE + 100, 2);
	assert_ptr_equal(mr.addr, memory + PAGE + 100);
	assert_int_equal(mr.len, PAGE);
	/* a second try goes on where the first one ended */
	fake_fail('u', EINVAL, 1);
	assert_int_equal(ops->mr_dereg(dev, &mr), -EBUSY);
	assert_int_equal(ops->mr_dereg(dev, &mr), 0);
	assert_string_equal(fake.calls, "UcduUcduu");
	assert_int_equal(ops->mr_reg(dev, 0x1a, memory, PAGE, &mr), 0);
	fake_fail('d', EBUSY, 1);
	assert_int_equal(ops->mr_dereg(dev, &mr), -EBUSY);
	close_now(state);
	assert_string_equal(fake.calls, "UcduUcduuUcddux");
}

static void keys_that_fail(void **state)
{
	struct prov_device *dev = *state;
	const struct prov_ops *ops = prov_ops(dev);
	struct prov_mr mr;

	fake_fail('U', ENOMEM, 1);
	assert_int_equal(ops->mr_reg(dev, 1, memory, PAGE, &mr), -ENOMEM);
	fake_fail('c', EREMOTEIO, 1);
	fake.fail.status = PRM_CMD_STAT_BAD_PARAM_ERR;
	assert_int_equal(ops->mr_reg(dev, 1, memory, PAGE, &mr), -EREMOTEIO);
	assert_string_equal(fake.calls, "UUcu");
	/* the key may be there and use the memory: it stays registered until close */
	fake_fail('c', ETIMEDOUT, 1);
	assert_int_equal(ops->mr_reg(dev, 1, memory, PAGE, &mr), -ETIMEDOUT);
	assert_string_equal(fake.calls, "UUcuUc");
	close_now(state);
	assert_string_equal(fake.calls, "UUcuUcux");
}

/* -- doorbells ----------------------------------------------------------------------------------------------- */

static void doorbells(void **state)
{
	struct prov_device *dev = *state;
	const struct prov_ops *ops = prov_ops(dev);
	struct prov_uar bf, nc;

	assert_int_equal(ops->uar_alloc(dev, &bf), 0);
	assert_int_equal(bf.page_id, 1);
	assert_ptr_equal(bf.reg, &fake.reg[1]);
	fake_fail('B', EOPNOTSUPP, 1);
	assert_int_equal(ops->uar_alloc(dev, &nc), 0);
	assert_string_equal(fake.calls, "BBN");
	ops->ring(dev, &bf, UINT64_C(0x0102030405060708));
	assert_int_equal(fake.reg[1], UINT64_C(0x0102030405060708));
	ops->ring(dev, &nc, 42);
	assert_int_equal(fake.reg[1], 42);
	assert_int_equal(fake.reg[0] | fake.reg[2], 0);
	assert_int_equal(ops->uar_free(dev, &nc), 0);
	fake_fail('N', ENOMEM, 1);
	assert_int_equal(ops->uar_alloc(dev, &nc), 0); /* BF is there again */
	fake.lost = 1;
	assert_int_equal(ops->uar_free(dev, &nc), 0); /* somebody may still ring it */
	close_now(state);
	assert_string_equal(fake.calls, "BBNEbBEbbx");
}

static void eqn(void **state)
{
	uint32_t n = 0;

	assert_int_equal(prov_ops(*state)->eqn(*state, &n), 0);
	assert_int_equal(n, 7);
	fake_fail('E', EINVAL, 1);
	assert_int_equal(prov_ops(*state)->eqn(*state, &n), -EINVAL);
}

/* -- rules of the root --------------------------------------------------------------------------------------- */

static struct prov_obj *make_table(struct prov_device *dev)
{
	static uint8_t in[64], out[16];
	static struct prov_cmd cmd;

	PRM_SET(nop_in, in, opcode, PRM_CMD_OP_CREATE_FLOW_TABLE);
	cmd = (struct prov_cmd){.kind = PROV_CMD_CREATE,
				.in = in,
				.inlen = sizeof(in),
				.out = out,
				.outlen = sizeof(out)};
	assert_int_equal(prov_cmd_wait(dev, &cmd), 0);
	return cmd.obj;
}

static void rules(void **state)
{
	struct prov_device *dev = *state;
	const struct prov_ops *ops = prov_ops(dev);
	uint8_t mask[512], value[512];
	struct prov_attachment *at = NULL, *second = NULL;
	struct prov_attach a = {.dir = PROV_TX,
				.priority = 15,
				.criteria_enable = 2,
				.mask = mask,
				.value = value,
				.table = make_table(dev)};

	memset(mask, 0xff, sizeof(mask));
	memset(value, 0x5a, sizeof(value));
	assert_int_equal(ops->attach(dev, &a, &at), 0);
	assert_int_equal(fake.matcher.type, IBV_FLOW_ATTR_NORMAL);
	assert_int_equal(fake.matcher.flags, 0);
	assert_int_equal(fake.matcher.priority, 15);
	assert_int_equal(fake.matcher.match_criteria_enable, 2);
	assert_int_equal(fake.matcher.comp_mask, MLX5DV_FLOW_MATCHER_MASK_FT_TYPE);
	assert_int_equal(fake.matcher.ft_type, MLX5DV_FLOW_TABLE_TYPE_NIC_TX);
	assert_int_equal(fake.mask_size, 512);
	assert_memory_equal(fake.mask, mask, 512);
	assert_int_equal(fake.value_size, 512);
	assert_memory_equal(fake.value, value, 512);
	assert_int_equal(fake.actions, 1);
	assert_int_equal(fake.action.type, MLX5DV_FLOW_ACTION_DEST_DEVX);
	assert_int_equal(fake.action.obj->number, 1);
	a = (struct prov_attach){.dir = PROV_RX, .table = a.table};
	assert_int_equal(ops->attach(dev, &a, &second), 0); /* every packet */
	assert_int_equal(fake.matcher.ft_type, MLX5DV_FLOW_TABLE_TYPE_NIC_RX);
	assert_int_equal(fake.matcher.priority, 0);
	memset(mask, 0, sizeof(mask));
	assert_memory_equal(fake.mask, mask, 512);
	fake_fail('f', EIO, 1);
	assert_int_equal(ops->detach(dev, at), -EREMOTEIO);
	fake_fail('f', EINVAL, 1);
	assert_int_equal(ops->detach(dev, at), -EREMOTEIO);
	assert_int_equal(ops->detach(dev, at), 0);
	assert_int_equal(ops->attach(dev, &a, &at), 0);
	fake.lost = 1;
	fake_fail('f', EIO, 1);
	assert_int_equal(ops->detach(dev, at), -EIO); /* gone with the device */
	close_now(state); /* the rule before the table that it leads to */
	assert_string_equal(fake.calls, "cMFMFfEffnMFfEfndx");
}

static void anchors(void **state)
{
	static const struct {
		int err, result;
	} refused[] = {{EPERM, -EPERM},
		       {EPROTONOSUPPORT, -EOPNOTSUPP},
		       {ENOSYS, -EOPNOTSUPP},
		       {EOPNOTSUPP, -EOPNOTSUPP},
		       {EIO, -EIO}};
	struct prov_device *dev = *state;
	const struct prov_ops *ops = prov_ops(dev);
	struct prov_anchor *a = NULL, *left = NULL;
	uint32_t table;

	assert_int_equal(ops->anchor(dev, 16, &a, &table), -EINVAL);
	for (unsigned int i = 0; i < sizeof(refused) / sizeof(refused[0]); i++) {
		fake.anchor_err = refused[i].err;
		assert_int_equal(ops->anchor(dev, 1, &a, &table), refused[i].result);
		assert_null(a);
	}
	fake.anchor_err = 0;
	assert_int_equal(ops->anchor(dev, 15, &a, &table), 0);
	assert_int_equal(fake.anchor_priority, 15);
	assert_int_equal(table, 0x900);
	fake.anchor_stays = EBUSY;
	assert_int_equal(ops->anchor_free(dev, a), -EREMOTEIO);
	assert_int_equal(ops->anchor_free(dev, a), 0);
	assert_int_equal(ops->anchor(dev, 1, &left, &table), 0); /* goes at close */
}

static void rules_that_fail(void **state)
{
	struct prov_device *dev = *state;
	const struct prov_ops *ops = prov_ops(dev);
	struct prov_attachment *at = NULL;
	struct prov_attach a = {.dir = PROV_RX, .priority = 16, .table = make_table(dev)};

	assert_int_equal(ops->attach(dev, &a, &at), -EINVAL);
	a.priority = 3;
	fake_fail('M', ENOMEM, 1);
	assert_int_equal(ops->attach(dev, &a, &at), -ENOMEM);
	fake_fail('F', EPERM, 1);
	assert_int_equal(ops->attach(dev, &a, &at), -EPERM);
	assert_null(at);
	assert_string_equal(fake.calls, "cMMFn");
	/* a matcher that stays takes no packets: it goes at close */
	assert_int_equal(ops->attach(dev, &a, &at), 0);
	fake_fail('n', EBUSY, 1);
	assert_int_equal(ops->detach(dev, at), 0);
	close_now(state);
	assert_string_equal(fake.calls, "cMMFnMFfnndx");
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(umems), TEST(keys),  TEST(keys_that_fail), TEST(doorbells),
		TEST(eqn),   TEST(rules), TEST(anchors),	TEST(rules_that_fail),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

#else

int main(void)
{
	return 77;
}

#endif
