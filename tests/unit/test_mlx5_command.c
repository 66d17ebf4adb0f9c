// SPDX-License-Identifier: BSD-2-Clause
/* Commands to a NIC: kinds, errors, threads, order, waking, and what is in flight at close. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#if __has_include(<infiniband/mlx5dv.h>) && defined(MLXO_MLX5)

#include <poll.h>

#include "unit/mlx5_fake.h"

enum { THREADS = 16 };

/* A command with its mailboxes. */
struct one {
	struct prov_cmd cmd;
	uint8_t in[32], out[16];
	bool done;
};

static int setup(void **state)
{
	fake_reset();
	*state = fake_open();
	return *state ? 0 : -1;
}

static int teardown(void **state)
{
	fake_hold(false);
	if (*state)
		prov_ops(*state)->close(*state);
	return 0;
}

static struct prov_cmd *fill(struct one *o, enum prov_cmd_kind kind, struct prov_obj *obj)
{
	static const uint16_t opcode[] = {
		[PROV_CMD_GENERAL] = PRM_CMD_OP_NOP,
		[PROV_CMD_CREATE] = PRM_CMD_OP_ALLOC_PD,
		[PROV_CMD_MODIFY] = PRM_CMD_OP_MODIFY_SQ,
		[PROV_CMD_QUERY] = PRM_CMD_OP_QUERY_SQ,
		[PROV_CMD_DESTROY] = 0,
	};

	memset(o, 0, sizeof(*o));
	memset(o->out, 0xee, sizeof(o->out)); /* an old answer must not count */
	PRM_SET(nop_in, o->in, opcode, opcode[kind]);
	o->in[20] = 0x5a;
	o->cmd = (struct prov_cmd){.kind = kind,
				   .obj = obj,
				   .in = o->in,
				   .inlen = sizeof(o->in),
				   .out = o->out,
				   .outlen = sizeof(o->out)};
	return &o->cmd;
}

static int run(struct prov_device *dev, struct one *o, enum prov_cmd_kind kind,
	       struct prov_obj *obj)
{
	return prov_cmd_wait(dev, fill(o, kind, obj));
}

static struct prov_obj *make(struct prov_device *dev)
{
	struct one o;

	assert_int_equal(run(dev, &o, PROV_CMD_CREATE, NULL), 0);
	assert_non_null(o.cmd.obj);
	return o.cmd.obj;
}

static void kinds(void **state)
{
	struct prov_device *dev = *state;
	struct prov_obj *obj = make(dev);
	struct one o;

	assert_int_equal(fake.inlen, 32);
	assert_int_equal(fake.outlen, 16);
	assert_int_equal(fake.in[20], 0x5a);
	assert_int_equal(prm_in_opcode(fake.in), PRM_CMD_OP_ALLOC_PD);
	assert_int_equal(run(dev, &o, PROV_CMD_MODIFY, obj), 0);
	assert_int_equal(prm_in_opcode(fake.in), PRM_CMD_OP_MODIFY_SQ);
	assert_int_equal(run(dev, &o, PROV_CMD_QUERY, obj), 0);
	assert_int_equal(run(dev, &o, PROV_CMD_GENERAL, NULL), 0);
	assert_ptr_equal(o.cmd.obj, NULL);
	assert_int_equal(run(dev, &o, PROV_CMD_DESTROY, obj), 0);
	assert_null(o.cmd.obj);
	assert_int_equal(prm_out_status(o.out), 0);
	assert_string_equal(fake.calls, "cmqgd");
	assert_int_equal(fake.number[1], 1); /* the handle's own object */
	assert_int_equal(fake.number[4], 1);
}

static void refused_before_sending(void **state)
{
	struct prov_device *dev = *state;
	struct one o;

	for (int kind = PROV_CMD_MODIFY; kind <= PROV_CMD_DESTROY; kind++)
		assert_int_equal(run(dev, &o, (enum prov_cmd_kind)kind, NULL), -EINVAL);
	fill(&o, PROV_CMD_GENERAL, NULL)->inlen = 8;
	assert_int_equal(prov_cmd_wait(dev, &o.cmd), -EINVAL);
	fill(&o, PROV_CMD_GENERAL, NULL)->outlen = 8;
	assert_int_equal(prov_cmd_wait(dev, &o.cmd), -EINVAL);
	fill(&o, PROV_CMD_GENERAL, NULL)->out = NULL;
	assert_int_equal(prov_cmd_wait(dev, &o.cmd), -EINVAL);
	fill(&o, PROV_CMD_CREATE, NULL)->in = NULL;
	assert_int_equal(prov_cmd_wait(dev, &o.cmd), -EINVAL);
	assert_string_equal(fake.calls, "");
}

/* -- errors -------------------------------------------------------------------------------------------------- */

static void errors(void **state)
{
	static const struct {
		int err, result;
	} t[] = {{ENOMEM, -ENOMEM},	 {EINVAL, -EINVAL}, {EAGAIN, -EAGAIN},
		 {EBUSY, -EBUSY},	 {EPERM, -EPERM},   {EIO, -EIO},
		 {ENODEV, -EIO},	 {ENXIO, -EIO},	    {ETIMEDOUT, -ETIMEDOUT},
		 {EREMOTEIO, -EREMOTEIO}};
	static const char letter[] = {[PROV_CMD_GENERAL] = 'g',
				      [PROV_CMD_CREATE] = 'c',
				      [PROV_CMD_MODIFY] = 'm',
				      [PROV_CMD_QUERY] = 'q'};
	struct prov_device *dev = *state;
	struct prov_obj *obj = make(dev);
	struct one o;

	for (size_t i = 0; i < sizeof(t) / sizeof(t[0]); i++)
		for (int kind = 0; kind < PROV_CMD_DESTROY; kind++) {
			fake_fail(letter[kind], t[i].err, 1);
			assert_int_equal(run(dev, &o, (enum prov_cmd_kind)kind, obj), t[i].result);
			assert_int_equal(prm_out_status(o.out), 0); /* not the old one */
			if (kind == PROV_CMD_CREATE)
				assert_null(o.cmd.obj);
			/* an answer with a status is an answer, whatever the errno is */
			fake_fail(letter[kind], t[i].err, 1);
			fake.fail.status = PRM_CMD_STAT_BAD_RES_ERR;
			assert_int_equal(run(dev, &o, (enum prov_cmd_kind)kind, obj), -EREMOTEIO);
			assert_int_equal(prm_out_status(o.out), PRM_CMD_STAT_BAD_RES_ERR);
			assert_int_equal(prm_out_syndrome(o.out), 0x42);
		}
	fake_fail('c', -1, 1); /* no handle and no errno */
	assert_int_equal(run(dev, &o, PROV_CMD_CREATE, NULL), -ETIMEDOUT);
}

static void destroy_errors(void **state)
{
	static const struct {
		int err, result;
		uint8_t status;
	} t[] = {{EBUSY, -EREMOTEIO, PRM_CMD_STAT_RES_BUSY},
		 {EINVAL, -EREMOTEIO, PRM_CMD_STAT_BAD_RES_STATE_ERR},
		 {EREMOTEIO, -EREMOTEIO, PRM_CMD_STAT_BAD_RES_STATE_ERR},
		 {EIO, -EREMOTEIO, PRM_CMD_STAT_INT_ERR}, /* the device is there */
		 {ETIMEDOUT, -ETIMEDOUT, 0xee},
		 {EINTR, -ETIMEDOUT, 0xee},
		 {ENOMEM, -ENOMEM, 0xee}};
	struct prov_device *dev = *state;
	struct prov_obj *obj = make(dev);
	struct one o;

	for (size_t i = 0; i < sizeof(t) / sizeof(t[0]); i++) {
		fake_fail('d', t[i].err, 1);
		assert_int_equal(run(dev, &o, PROV_CMD_DESTROY, obj), t[i].result);
		assert_int_equal(o.out[0], t[i].status);
		assert_ptr_equal(o.cmd.obj, obj); /* still there */
	}
	fill(&o, PROV_CMD_DESTROY, obj);
	o.cmd.out = NULL;
	o.cmd.outlen = 0;
	o.cmd.in = NULL;
	fake_fail('d', EINVAL, 1);
	assert_int_equal(prov_cmd_wait(dev, &o.cmd), -EREMOTEIO);
	assert_int_equal(prov_cmd_wait(dev, &o.cmd), 0);
}

/* What is made on a device that is gone goes with it, once. */
static void destroyed_after_death(void **state)
{
	static const int errors[] = {EIO, ENODEV, ENXIO};
	struct prov_device *dev = *state;
	struct one o;

	for (size_t i = 0; i < sizeof(errors) / sizeof(errors[0]); i++) {
		struct prov_obj *obj = make(dev);

		fake.lost = 1;
		fake_fail('d', errors[i], 1);
		assert_int_equal(run(dev, &o, PROV_CMD_DESTROY, obj), -EIO);
		assert_null(o.cmd.obj);
		fake.lost = 0;
	}
	fake_fail('d', 0, 0);
	prov_ops(dev)->close(dev);
	*state = NULL;
	assert_string_equal(fake.calls, "cdEcdEcdEx"); /* and not again at close */
}

static void interrupted(void **state)
{
	struct prov_device *dev = *state;
	struct prov_obj *obj = make(dev);
	struct one o;

	fake_fail('g', EINTR, 3);
	assert_int_equal(run(dev, &o, PROV_CMD_GENERAL, NULL), 0);
	fake_fail('q', EINTR, 3);
	assert_int_equal(run(dev, &o, PROV_CMD_QUERY, obj), 0);
	assert_string_equal(fake.calls, "cggggqqqq");
	/* these may have been done: never twice */
	fake_fail('c', EINTR, 1);
	assert_int_equal(run(dev, &o, PROV_CMD_CREATE, NULL), -ETIMEDOUT);
	assert_null(o.cmd.obj);
	fake_fail('m', EINTR, 1);
	assert_int_equal(run(dev, &o, PROV_CMD_MODIFY, obj), -ETIMEDOUT);
	fake_fail('d', EINTR, 1);
	assert_int_equal(run(dev, &o, PROV_CMD_DESTROY, obj), -ETIMEDOUT);
	assert_string_equal(fake.calls, "cggggqqqqcmd");
	/* a call that is interrupted for ever comes to an end */
	fake_fail('q', EINTR, 1000000);
	assert_int_equal(run(dev, &o, PROV_CMD_QUERY, obj), -ETIMEDOUT);
}

/* -- threads ------------------------------------------------------------------------------------------------- */

static unsigned int ndone;

static void count_done(struct prov_cmd *cmd)
{
	((struct one *)cmd->ctx)->done = true;
	ndone++;
}

static void start(struct prov_device *dev, struct one *o, unsigned int n, struct prov_obj *obj)
{
	for (unsigned int i = 0; i < n; i++) {
		fill(&o[i], PROV_CMD_MODIFY, obj)->done = count_done;
		o[i].cmd.ctx = &o[i];
		o[i].in[24] = (uint8_t)i;
		assert_int_equal(prov_ops(dev)->submit(dev, &o[i].cmd), 0);
	}
}

static void finish(struct prov_device *dev, unsigned int n)
{
	while (ndone < n)
		if (prov_ops(dev)->progress(dev) == 0)
			prov_ops(dev)->wait(dev, -1);
	assert_int_equal(ndone, n);
}

static void sixteen_at_most(void **state)
{
	struct prov_device *dev = *state;
	struct prov_obj *obj = make(dev);
	struct one o[3 * THREADS];

	ndone = 0;
	fake.most_inside = 0;
	fake_hold(true);
	start(dev, o, 3 * THREADS, obj);
	fake_wait_inside(THREADS);
	assert_int_equal(prov_ops(dev)->progress(dev), 0);
	fake_let_go(3 * THREADS);
	finish(dev, 3 * THREADS);
	assert_int_equal(fake.most_inside, THREADS);
	for (int i = 0; i < 3 * THREADS; i++) {
		assert_true(o[i].done);
		assert_int_equal(o[i].cmd.result, 0);
	}
}

static void first_in_first_out(void **state)
{
	struct prov_device *dev = *state;
	struct prov_obj *obj = make(dev);
	struct one o[3 * THREADS];
	size_t before;

	ndone = 0;
	fake_hold(true);
	start(dev, o, 3 * THREADS, obj);
	fake_wait_inside(THREADS);
	/* one ends, one begins: the next of the queue */
	before = fake.ncalls;
	for (unsigned int i = 0; i < 2 * THREADS; i++) {
		fake_let_go(1);
		fake_wait_calls(before + i + 1);
		assert_int_equal(fake.in[24], THREADS + i);
	}
	fake_let_go(THREADS);
	finish(dev, 3 * THREADS);
}

static void *many(void *arg)
{
	struct prov_device *dev = arg;
	struct one o;

	for (int i = 0; i < 200; i++)
		if (run(dev, &o, PROV_CMD_GENERAL, NULL))
			return (void *)1;
	return NULL;
}

static void waiting_threads(void **state)
{
	pthread_t t[4];
	void *failed;

	for (int i = 0; i < 4; i++)
		assert_int_equal(pthread_create(&t[i], NULL, many, *state), 0);
	for (int i = 0; i < 4; i++) {
		pthread_join(t[i], &failed);
		assert_null(failed);
	}
	assert_int_equal(fake.ncalls, 800);
}

/* -- waking, timers ------------------------------------------------------------------------------------------ */

static bool readable(struct prov_device *dev, int timeout_ms)
{
	struct pollfd p = {.fd = prov_ops(dev)->fd(dev), .events = POLLIN};

	return poll(&p, 1, timeout_ms) == 1;
}

static void descriptor(void **state)
{
	struct prov_device *dev = *state;
	struct prov_obj *obj = make(dev);
	struct one o;

	while (prov_ops(dev)->progress(dev))
		;
	assert_false(readable(dev, 0));
	ndone = 0;
	fake_hold(true);
	start(dev, &o, 1, obj);
	fake_wait_inside(1);
	assert_false(readable(dev, 0));
	assert_int_equal(prov_ops(dev)->wait(dev, 0), 0);
	fake_let_go(1);
	assert_true(readable(dev, -1));
	assert_false(o.done); /* done() runs in progress() only */
	assert_int_equal(prov_ops(dev)->progress(dev), 1);
	assert_true(o.done);
	assert_false(readable(dev, 0));
}

static unsigned int fired[8], nfired;

static void note_fired(struct prov_timer *t)
{
	fired[nfired++] = (unsigned int)(uintptr_t)t->ctx;
}

static void timers(void **state)
{
	struct prov_device *dev = *state;
	const struct prov_ops *ops = prov_ops(dev);
	uint64_t now = ops->now(dev);
	struct prov_timer t[4] = {
		{.when = now + 2000000, .fire = note_fired, .ctx = (void *)2},
		{.when = now + 1000000, .fire = note_fired, .ctx = (void *)1},
		{.when = now + UINT64_C(3600000000000), .fire = note_fired, .ctx = (void *)3},
		{.when = 0, .fire = note_fired, .ctx = (void *)4}};

	nfired = 0;
	for (int i = 0; i < 3; i++)
		ops->timer_arm(dev, &t[i]);
	while (nfired < 2) {
		ops->wait(dev, -1);
		ops->progress(dev);
	}
	assert_int_equal(fired[0], 1);
	assert_int_equal(fired[1], 2);
	assert_true(ops->now(dev) >= t[0].when);
	assert_false(readable(dev, 0)); /* the third is an hour away */
	assert_false(ops->timer_cancel(dev, &t[0]));
	assert_true(ops->timer_cancel(dev, &t[2]));
	ops->timer_arm(dev, &t[3]); /* long ago */
	assert_true(readable(dev, -1));
	assert_int_equal(ops->progress(dev), 1);
	assert_int_equal(fired[2], 4);
	assert_int_equal(ops->progress(dev), 0);
}

/* -- close --------------------------------------------------------------------------------------------------- */

static void close_with_leftovers(void **state)
{
	struct prov_device *dev = *state;

	for (int i = 0; i < 4; i++)
		make(dev);
	fake.needs_first[0] = 3; /* 3 leads to 2, which is older: not the order of creation */
	fake.needs_first[1] = 2;
	prov_ops(dev)->close(dev);
	*state = NULL;
	assert_string_equal(fake.calls, "cccc"
					"dddd" /* 4, 3 refused, 2, 1 */
					"d"    /* 3 */
					"x");
	assert_int_equal(fake.number[4], 4);
	assert_int_equal(fake.number[8], 3);
}

/* Against the rules; close() comes back all the same, and what the kernel has ends later. */
static void close_with_commands_in_flight(void **state)
{
	static struct one o[THREADS + 4];
	struct prov_device *dev = *state;
	struct prov_obj *obj = make(dev);

	ndone = 0;
	fake_hold(true);
	start(dev, o, THREADS + 4, obj);
	fake_wait_inside(THREADS);
	prov_ops(dev)->close(dev);
	*state = NULL;
	assert_null(strchr(fake.calls, 'x')); /* a thread is in the device */
	fake_hold(false);
	fake_wait_calls(1 + THREADS + 2); /* the object's end, and the device's */
	assert_int_equal(ndone, 0);
	for (int i = 0; i < THREADS + 4; i++)
		assert_false(o[i].done);
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(kinds),
		TEST(refused_before_sending),
		TEST(errors),
		TEST(destroy_errors),
		TEST(destroyed_after_death),
		TEST(interrupted),
		TEST(sixteen_at_most),
		TEST(first_in_first_out),
		TEST(waiting_threads),
		TEST(descriptor),
		TEST(timers),
		TEST(close_with_leftovers),
		TEST(close_with_commands_in_flight),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

#else

int main(void)
{
	return 77;
}

#endif
