// SPDX-License-Identifier: BSD-2-Clause
/* Completion events of the provider for NICs: arming, waking, CQs that go, a device that goes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#if __has_include(<infiniband/mlx5dv.h>) && defined(MLXO_MLX5)

#include <endian.h>
#include <poll.h>

#include "unit/mlx5_fake.h"

#define BELL UINT64_C(0x1000000700000042) /* arming 1 at 7 of CQ 0x42 */
enum { CQ_BELL = 4, LOOKS = 64 };

static struct prov_device *dev;
static const struct prov_ops *ops;
static struct prov_uar uar;

static int setup(void **state)
{
	fake_reset();
	*state = dev = fake_open();
	if (!dev)
		return -1;
	ops = prov_ops(dev);
	return ops->uar_alloc(dev, &uar);
}

static int teardown(void **state)
{
	if (*state)
		ops->close(*state);
	return 0;
}

static int command(enum prov_cmd_kind kind, struct prov_obj **obj)
{
	uint8_t in[16] = {0}, out[16];
	struct prov_cmd cmd = {.kind = kind,
			       .obj = *obj,
			       .in = in,
			       .inlen = sizeof(in),
			       .out = out,
			       .outlen = sizeof(out)};
	int err;

	PRM_SET(nop_in, in, opcode, PRM_CMD_OP_CREATE_CQ);
	err = prov_cmd_wait(dev, &cmd);
	*obj = cmd.obj;
	return err;
}

static struct prov_obj *make_cq(void)
{
	struct prov_obj *cq = NULL;

	assert_int_equal(command(PROV_CMD_CREATE, &cq), 0);
	return cq;
}

static bool readable(void)
{
	struct pollfd p = {.fd = ops->fd(dev), .events = POLLIN};

	return poll(&p, 1, 0) == 1;
}

static size_t times(char call)
{
	size_t n = 0;

	for (size_t i = 0; i < fake.ncalls; i++)
		n += fake.calls[i] == call;
	return n;
}

static void an_event_wakes(void **state)
{
	struct prov_obj *cq = make_cq();

	(void)state;
	while (ops->progress(dev))
		;
	assert_int_equal(times('r'), 0); /* nothing to come: nothing is read */
	assert_int_equal(ops->cq_arm(dev, &uar, cq, BELL), 0);
	assert_int_equal(fake.reg[CQ_BELL], htobe64(BELL));
	assert_int_equal(fake.subscribed, PRM_EVENT_TYPE_CODING_COMPLETION_EVENTS);
	assert_int_equal(fake.reg[1], 0); /* the register of send queues is another one */
	assert_int_equal(ops->progress(dev), 0);
	assert_false(readable());
	fake_event(fake.cookie);
	assert_true(readable());
	assert_int_equal(ops->progress(dev), 1);
	assert_false(readable());
	assert_int_equal(ops->cq_arm(dev, &uar, cq, BELL + 1), 0);
	assert_int_equal(fake.reg[CQ_BELL], htobe64(BELL + 1));
	assert_int_equal(times('C'), 1);
	assert_int_equal(times('S'), 1);
}

/* Two CQs on one channel; one goes while its event waits. */
static void a_cq_goes(void **state)
{
	struct prov_obj *first = make_cq(), *second = make_cq();
	uint64_t cookie;

	(void)state;
	assert_int_equal(ops->cq_arm(dev, &uar, first, BELL), 0);
	cookie = fake.cookie;
	assert_int_equal(ops->cq_arm(dev, &uar, second, BELL), 0);
	assert_int_not_equal(fake.cookie, cookie);
	assert_int_equal(times('C'), 1);
	fake_event(cookie);
	assert_int_equal(command(PROV_CMD_DESTROY, &first), 0);
	while (ops->progress(dev))
		;
	assert_false(readable());
	fake_event(fake.cookie);
	assert_int_equal(ops->progress(dev), 1);
	assert_int_equal(command(PROV_CMD_DESTROY, &second), 0);
	while (ops->progress(dev))
		;
	fake.ncalls = 0;
	for (int i = 0; i < LOOKS - 1; i++)
		ops->progress(dev);
	assert_in_range(times('r'), 0, 1); /* nobody is armed */
}

static void refused(void **state)
{
	static const struct {
		char call;
		int err, result;
	} t[] = {{'C', ENOMEM, -ENOMEM}, {'C', EIO, -EIO}, {'S', EINVAL, -EINVAL}};
	struct prov_obj *cq = make_cq();

	(void)state;
	for (size_t i = 0; i < sizeof(t) / sizeof(t[0]); i++) {
		fake_fail(t[i].call, t[i].err, 1);
		assert_int_equal(ops->cq_arm(dev, &uar, cq, BELL), t[i].result);
		assert_int_equal(fake.reg[CQ_BELL], 0); /* nobody would hear it */
	}
	assert_int_equal(ops->cq_arm(dev, &uar, cq, BELL), 0);
	assert_int_equal(fake.reg[CQ_BELL], htobe64(BELL));
}

/* The kernel ends the channel with the device: readable for good, so it is let go. */
static void the_device_goes(void **state)
{
	struct prov_obj *cq = make_cq(), *young;
	char why[256] = "";

	(void)state;
	assert_int_equal(ops->cq_arm(dev, &uar, cq, BELL), 0);
	fake_event(fake.cookie);
	assert_int_equal(ops->progress(dev), 1);
	shutdown(fake.event_fd, SHUT_WR);
	assert_true(readable());
	for (int i = 0; i < LOOKS; i++)
		ops->progress(dev);
	assert_false(readable());
	fake.lost = 1;
	assert_int_equal(ops->restart(dev, why, sizeof(why)), 0);
	assert_int_equal(ops->cq_arm(dev, &uar, cq, BELL), -EIO);
	young = make_cq();
	assert_int_equal(ops->cq_arm(dev, &uar, young, BELL), 0);
	assert_int_equal(times('C'), 2);
	assert_int_equal(times('k'), 1);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(an_event_wakes),
		TEST(a_cq_goes),
		TEST(refused),
		TEST(the_device_goes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

#else

int main(void)
{
	puts("SKIP: this build has no libmlx5");
	return 77;
}

#endif
