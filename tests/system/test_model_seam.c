// SPDX-License-Identifier: BSD-2-Clause
/*
 * The model behind the seam: open and its options, plain objects, DevX rules, faults, reset, timers.
 */
#include "providers/model/control.h"
#include "providers/provider.h"

#include <errno.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

struct fixture {
	struct prov_device *dev;
	uint8_t in[1024], out[4200];
	struct prov_cmd cmd;
};

static struct prov_device *open_spec(const char *spec)
{
	char why[256] = "";
	struct prov_device *dev;

	if (prov_open(spec, &dev, why, sizeof(why)))
		fail_msg("%s: %s", spec, why);
	return dev;
}

static int setup(void **state)
{
	struct fixture *f = calloc(1, sizeof(*f));

	f->dev = open_spec("model");
	*state = f;
	return 0;
}

static int teardown(void **state)
{
	struct fixture *f = *state;

	model_prov_ops.close(f->dev);
	free(f);
	return 0;
}

static uint8_t *begin(struct fixture *f, uint16_t opcode)
{
	memset(f->in, 0, sizeof(f->in));
	memset(f->out, 0, sizeof(f->out));
	PRM_SET(nop_in, f->in, opcode, opcode);
	return f->in;
}

static int run(struct fixture *f, enum prov_cmd_kind kind, size_t inlen, size_t outlen,
	       struct prov_obj *obj)
{
	f->cmd = (struct prov_cmd){.kind = kind,
				   .in = f->in,
				   .inlen = inlen,
				   .out = f->out,
				   .outlen = outlen,
				   .obj = obj};
	return prov_cmd_wait(f->dev, &f->cmd);
}

static struct prov_obj *make_pd(struct fixture *f, uint32_t *pd)
{
	begin(f, PRM_CMD_OP_ALLOC_PD);
	assert_int_equal(run(f, PROV_CMD_CREATE, 16, 16, NULL), 0);
	*pd = (uint32_t)PRM_GET(alloc_pd_out, f->out, pd);
	assert_non_null(f->cmd.obj);
	return f->cmd.obj;
}

static int destroy(struct fixture *f, struct prov_obj *obj)
{
	return run(f, PROV_CMD_DESTROY, 0, 16, obj);
}

static uint32_t total(struct prov_device *dev)
{
	struct model_census c;
	uint32_t n = 0;

	assert_int_equal(model_census(dev, &c), 0);
	for (unsigned int t = 0; t < MODEL_NTYPES; t++)
		n += c.count[t];
	return n;
}

static void plain_objects(void **state)
{
	struct fixture *f = *state;
	uint32_t a, b;
	struct prov_obj *pa = make_pd(f, &a), *pb = make_pd(f, &b);

	assert_int_not_equal(a, b);
	assert_int_equal(total(f->dev), 2);
	assert_int_equal(destroy(f, pa), 0);
	assert_int_equal(destroy(f, pb), 0);
	assert_int_equal(total(f->dev), 0);
}

static void caps_are_those_of_the_profile(void **state)
{
	static const struct {
		const char *spec;
		bool ipsec;
		unsigned int log_sas;
	} t[] = {{"model", true, 20},
		 {"model:profile=no-crypto", false, 0},
		 {"model:profile=sa33", true, 5},
		 {"model:profile=sa1024", true, 10}};

	for (size_t i = 0; i < sizeof(t) / sizeof(t[0]); i++) {
		struct fixture f = {.dev = open_spec(t[i].spec)};
		uint8_t *cap = PRM_AT(query_hca_cap_out, f.out, capability);

		PRM_SET(query_hca_cap_in, begin(&f, PRM_CMD_OP_QUERY_HCA_CAP), op_mod, 1);
		assert_int_equal(run(&f, PROV_CMD_GENERAL, 16, PRM_BYTES(query_hca_cap_out), NULL),
				 0);
		assert_int_equal(PRM_GET(cmd_hca_cap, cap, ipsec_offload), t[i].ipsec);
		PRM_SET(query_hca_cap_in, begin(&f, PRM_CMD_OP_QUERY_HCA_CAP), op_mod,
			PRM_CAP_GROUP_IPSEC << 1 | 1);
		assert_int_equal(run(&f, PROV_CMD_GENERAL, 16, PRM_BYTES(query_hca_cap_out), NULL),
				 t[i].ipsec ? 0 : -EREMOTEIO);
		assert_int_equal(PRM_GET(ipsec_cap, cap, log_max_ipsec_offload), t[i].log_sas);
		model_prov_ops.close(f.dev);
	}
}

/* tls_tx, the group's bits 1.2-128, 1.3-128, 1.2-256, 1.3-256, and log_dek_max_alloc. */
static void tls_caps_are_those_of_the_profile(void **state)
{
	static const struct {
		const char *spec;
		bool tls;
		uint8_t bits, log_bulk;
	} t[] = {{"model", true, 0xf0, 12},
		 {"model:profile=connectx-7", true, 0xf0, 14},
		 {"model:profile=tls12-only", true, 0xa0, 12},
		 {"model:profile=no-bulk", true, 0xf0, 0},
		 {"model:profile=no-tls", false, 0, 12},
		 {"model:profile=no-crypto", false, 0, 0},
		 {"model:profile=crypto-only", false, 0, 0}};

	for (size_t i = 0; i < sizeof(t) / sizeof(t[0]); i++) {
		struct fixture f = {.dev = open_spec(t[i].spec)};
		uint8_t *cap = PRM_AT(query_hca_cap_out, f.out, capability);

		PRM_SET(query_hca_cap_in, begin(&f, PRM_CMD_OP_QUERY_HCA_CAP), op_mod, 1);
		assert_int_equal(run(&f, PROV_CMD_GENERAL, 16, PRM_BYTES(query_hca_cap_out), NULL),
				 0);
		assert_int_equal(PRM_GET(cmd_hca_cap, cap, tls_tx), t[i].tls);
		assert_int_equal(PRM_GET(cmd_hca_cap, cap, tls_rx), 0);
		PRM_SET(query_hca_cap_in, begin(&f, PRM_CMD_OP_QUERY_HCA_CAP), op_mod,
			PRM_CAP_GROUP_TLS << 1 | 1);
		assert_int_equal(run(&f, PROV_CMD_GENERAL, 16, PRM_BYTES(query_hca_cap_out), NULL),
				 t[i].tls ? 0 : -EREMOTEIO);
		if (t[i].tls)
			assert_int_equal(cap[0], t[i].bits);
		PRM_SET(query_hca_cap_in, begin(&f, PRM_CMD_OP_QUERY_HCA_CAP), op_mod,
			PRM_CAP_GROUP_CRYPTO << 1 | 1);
		if (run(&f, PROV_CMD_GENERAL, 16, PRM_BYTES(query_hca_cap_out), NULL) == 0)
			assert_int_equal(PRM_GET(crypto_cap, cap, log_dek_max_alloc),
					 t[i].log_bulk);
		model_prov_ops.close(f.dev);
	}
}

static void bad_options_are_refused(void **state)
{
	static const char *const bad[] = {"model:profile=x",
					  "model:time=slow",
					  "model:port=nowhere",
					  "model:fault=0",
					  "model:fault=3:who",
					  "model:sync=fast",
					  "model:mtu=10",
					  "model:frobnicate=1",
					  "model:profile",
					  "model:fault=FROB",
					  "mlx9_0"};

	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		char why[256] = "";
		struct prov_device *dev;

		assert_int_not_equal(prov_open(bad[i], &dev, why, sizeof(why)), 0);
		assert_null(dev);
		assert_true(strlen(why) > 10);
	}
}

static void devx_rules(void **state)
{
	struct fixture *f = *state;
	uint32_t pd;
	struct prov_obj *obj = make_pd(f, &pd);

	/* destroy opcodes and UARs are not a program's to send */
	PRM_SET(dealloc_pd_in, begin(f, PRM_CMD_OP_DEALLOC_PD), pd, pd);
	for (int kind = PROV_CMD_GENERAL; kind <= PROV_CMD_QUERY; kind++)
		assert_int_equal(run(f, (enum prov_cmd_kind)kind, 16, 16, obj), -EINVAL);
	begin(f, PRM_CMD_OP_ALLOC_UAR);
	assert_int_equal(run(f, PROV_CMD_CREATE, 16, 16, NULL), -EINVAL);
	begin(f, PRM_CMD_OP_SET_FLOW_TABLE_ROOT);
	for (int kind = PROV_CMD_GENERAL; kind <= PROV_CMD_QUERY; kind++)
		assert_int_equal(run(f, (enum prov_cmd_kind)kind, 64, 16, obj), -EINVAL);
	begin(f, PRM_CMD_OP_ALLOC_PD);
	assert_int_equal(run(f, PROV_CMD_GENERAL, 16, 16, NULL), -EINVAL);
	assert_int_equal(run(f, PROV_CMD_CREATE, 8, 16, NULL), -EINVAL);
	assert_int_equal(run(f, PROV_CMD_CREATE, 16, 8, NULL), -EINVAL);
	/* a query on a handle of another kind */
	begin(f, PRM_CMD_OP_QUERY_SQ);
	assert_int_equal(run(f, PROV_CMD_QUERY, 16, 272, obj), -EINVAL);
	assert_int_equal(destroy(f, obj), 0);
}

static void memory_and_doorbells(void **state)
{
	struct fixture *f = *state;
	static uint8_t mem[4096];
	struct prov_umem umem;
	struct prov_uar uar;
	struct prov_mr mr;
	uint32_t pd, eqn;
	struct prov_obj *obj = make_pd(f, &pd);

	assert_int_equal(model_prov_ops.umem_reg(f->dev, mem, sizeof(mem), &umem), 0);
	assert_int_equal(model_prov_ops.uar_alloc(f->dev, &uar), 0);
	assert_int_equal(model_prov_ops.mr_reg(f->dev, pd, mem, sizeof(mem), &mr), 0);
	assert_int_equal(model_prov_ops.eqn(f->dev, &eqn), 0);
	assert_int_equal(destroy(f, obj), -EREMOTEIO); /* the region uses it */
	assert_int_equal(prm_out_status(f->out), PRM_CMD_STAT_BAD_RES_STATE_ERR);
	assert_int_equal(model_prov_ops.mr_reg(f->dev, pd + 77, mem, sizeof(mem), &mr), -EREMOTEIO);
	assert_int_equal(total(f->dev), 5);
	assert_int_equal(model_prov_ops.umem_dereg(f->dev, &umem), 0);
	assert_int_equal(model_prov_ops.uar_free(f->dev, &uar), 0);
	assert_int_equal(total(f->dev), 3);
}

static void fault(struct fixture *f, const char *text)
{
	struct model_fault fault;

	assert_int_equal(model_fault_parse(text, &fault), 0);
	assert_int_equal(model_fault_set(f->dev, &fault), 0);
}

static void faults(void **state)
{
	struct fixture *f = *state;
	uint32_t pd;

	fault(f, "1:status=0x3:syndrome=0x65c1fb");
	begin(f, PRM_CMD_OP_ALLOC_PD);
	assert_int_equal(run(f, PROV_CMD_CREATE, 16, 16, NULL), -EREMOTEIO);
	assert_int_equal(prm_out_status(f->out), 3);
	assert_int_equal(prm_out_syndrome(f->out), 0x65c1fb);
	assert_int_equal(total(f->dev), 0);
	fault(f, "ALLOC_PD:timeout");
	begin(f, PRM_CMD_OP_NOP);
	assert_int_equal(run(f, PROV_CMD_GENERAL, 16, 16, NULL), 0);
	begin(f, PRM_CMD_OP_ALLOC_PD);
	assert_int_equal(run(f, PROV_CMD_CREATE, 16, 16, NULL), -ETIMEDOUT);
	assert_int_equal(total(f->dev), 0);
	fault(f, "ALLOC_PD@2:lost");
	make_pd(f, &pd);
	begin(f, PRM_CMD_OP_ALLOC_PD);
	assert_int_equal(run(f, PROV_CMD_CREATE, 16, 16, NULL), -ETIMEDOUT);
	assert_null(f->cmd.obj);
	assert_int_equal(total(f->dev), 2); /* it did happen */
	fault(f, "1:corrupt");
	begin(f, PRM_CMD_OP_NOP);
	assert_int_equal(run(f, PROV_CMD_GENERAL, 16, 16, NULL), -EREMOTEIO);
	fault(f, "1:delay=2ms");
	begin(f, PRM_CMD_OP_NOP);
	assert_int_equal(run(f, PROV_CMD_GENERAL, 16, 16, NULL), 0);
}

static void fatal_and_reset(void **state)
{
	struct fixture *f = *state;
	uint32_t pd, other;
	struct prov_obj *old = make_pd(f, &pd), *dying = make_pd(f, &pd);
	static uint8_t mem[64];
	struct prov_umem umem;

	assert_int_equal(model_prov_ops.umem_reg(f->dev, mem, sizeof(mem), &umem), 0);
	fault(f, "1:fatal");
	begin(f, PRM_CMD_OP_NOP);
	assert_int_equal(run(f, PROV_CMD_GENERAL, 16, 16, NULL), -EIO);
	assert_int_equal(destroy(f, dying), -EIO); /* gone with it */
	assert_int_equal(model_reset(f->dev), 0);
	assert_int_equal(total(f->dev), 0);
	make_pd(f, &other);
	assert_int_equal(destroy(f, old),
			 0); /* a handle of before: nothing happens to what is there */
	assert_int_equal(model_prov_ops.umem_dereg(f->dev, &umem), 0);
	assert_int_equal(total(f->dev), 1);
}

static void count_fire(struct prov_timer *t)
{
	++*(int *)t->ctx;
}

static void timers(void **state)
{
	struct fixture *f = *state;
	const struct prov_ops *ops = prov_ops(f->dev);
	int n = 0;
	uint64_t now = ops->now(f->dev);
	struct prov_timer late = {.when = now + 3600000000000u, .fire = count_fire, .ctx = &n};
	struct prov_timer soon = {.when = now + 1000000u, .fire = count_fire, .ctx = &n};

	ops->timer_arm(f->dev, &late);
	ops->timer_arm(f->dev, &soon);
	while (n == 0) {
		ops->wait(f->dev, 1000);
		ops->progress(f->dev);
	}
	assert_int_equal(n, 1);
	assert_false(soon.armed);
	ops->timer_cancel(f->dev, &late);
	assert_false(late.armed);
}

static void statistics(void **state)
{
	struct fixture *f = *state;
	struct model_stat *s;
	uint64_t commands = 0, busy = 0, named = 0;
	uint32_t pd;
	size_t n;

	make_pd(f, &pd);
	make_pd(f, &pd);
	assert_int_equal(model_stats(f->dev, &s, &n), 0);
	for (size_t i = 0; i < n; i++) {
		if (strcmp(s[i].name, "commands") == 0)
			commands = s[i].value;
		if (strcmp(s[i].name, "busy_ns") == 0)
			busy = s[i].value;
		if (strcmp(s[i].name, "ALLOC_PD") == 0)
			named = s[i].value;
	}
	free(s);
	assert_int_equal(commands, 2);
	assert_int_equal(named, 2);
	assert_int_equal(busy, 20000);
}

static void real_time_is_taken(void **state)
{
	struct fixture f = {.dev = open_spec("model:time=real,sync=3ms,alloc_pd=1ms")};
	const struct prov_ops *ops = prov_ops(f.dev);
	uint64_t before = ops->now(f.dev);
	uint32_t pd;

	PRM_SET(sync_crypto_in, begin(&f, PRM_CMD_OP_SYNC_CRYPTO), crypto_type, 1);
	assert_int_equal(run(&f, PROV_CMD_GENERAL, 32, 16, NULL), 0);
	make_pd(&f, &pd);
	assert_true(ops->now(f.dev) - before >=
		    4000000); /* no less; more is the machine's business */
	ops->close(f.dev);
}

/* -- threads ------------------------------------------------------------------------------------------------- */

enum { THREADS = 4, ROUNDS = 200 };

static void *worker(void *arg)
{
	struct fixture f = {.dev = arg};
	uintptr_t failed = 0;

	for (int i = 0; i < ROUNDS && !failed; i++) {
		struct prov_obj *obj;

		begin(&f, PRM_CMD_OP_ALLOC_PD);
		failed = run(&f, PROV_CMD_CREATE, 16, 16, NULL) != 0;
		obj = f.cmd.obj;
		begin(&f, PRM_CMD_OP_NOP);
		if (!failed)
			failed = run(&f, PROV_CMD_GENERAL, 16, 16, NULL) != 0;
		if (!failed)
			failed = destroy(&f, obj) != 0;
	}
	return (void *)failed;
}

static void commands_from_several_threads(void **state)
{
	struct fixture *f = *state;
	pthread_t t[THREADS];

	for (int i = 0; i < THREADS; i++)
		assert_int_equal(pthread_create(&t[i], NULL, worker, f->dev), 0);
	for (int i = 0; i < THREADS; i++) {
		void *failed;

		pthread_join(t[i], &failed);
		assert_null(failed);
	}
	assert_int_equal(total(f->dev), 0);
}

/* Let the next command of that opcode be done, and its answer be of no use. */
static void next_fault(struct fixture *f, enum model_fault_kind kind, uint16_t opcode)
{
	struct model_fault bad = {.kind = kind, .nth = 1, .opcode = opcode};

	assert_int_equal(model_fault_set(f->dev, &bad), 0);
}

/* A region whose key was made although the answer said nothing: key and memory stay, nobody says "refused". */
static void region_in_doubt(void **state)
{
	static const struct {
		enum model_fault_kind kind;
		int err;
	} t[] = {{MODEL_FAULT_CORRUPT, -EPROTO}, {MODEL_FAULT_LOST, -ETIMEDOUT}};
	struct fixture *f = *state;
	static uint8_t mem[64];
	struct model_census c;
	struct prov_mr mr;
	uint32_t pd;

	make_pd(f, &pd);
	for (uint32_t i = 0; i < 2; i++) {
		next_fault(f, t[i].kind, PRM_CMD_OP_CREATE_MKEY);
		assert_int_equal(model_prov_ops.mr_reg(f->dev, pd, mem, sizeof(mem), &mr),
				 t[i].err);
		model_census(f->dev, &c);
		assert_int_equal(c.count[MODEL_MKEY], i + 1);
		assert_int_equal(c.count[MODEL_UMEM], i + 1);
	}
	next_fault(f, MODEL_FAULT_CORRUPT, PRM_CMD_OP_ALLOC_UAR);
	assert_int_equal(model_prov_ops.uar_alloc(f->dev, &(struct prov_uar){.reg = NULL}),
			 -EPROTO);
}

static struct prov_obj *make_table(struct fixture *f, uint32_t *id)
{
	begin(f, PRM_CMD_OP_CREATE_FLOW_TABLE);
	PRM_SET(flow_table_context, PRM_AT(create_flow_table_in, f->in, flow_table_context), level,
		8);
	assert_int_equal(run(f, PROV_CMD_CREATE, 64, 16, NULL), 0);
	*id = (uint32_t)PRM_GET(create_flow_table_out, f->out, table_id);
	return f->cmd.obj;
}

/* A place in the root that may be taken is not given out again; a delete that was done is not asked for for ever. */
static void attachments_in_doubt(void **state)
{
	static const enum model_fault_kind kinds[] = {MODEL_FAULT_CORRUPT, MODEL_FAULT_LOST};
	static const int errs[] = {-EPROTO, -ETIMEDOUT};
	struct fixture *f = *state;
	struct prov_attach a = {.dir = PROV_RX, .priority = 3};
	struct prov_attachment *at;

	a.table = make_table(f, &a.table_id);
	for (int i = 0; i < 2; i++) {
		next_fault(f, kinds[i], PRM_CMD_OP_CREATE_FLOW_GROUP);
		assert_int_equal(model_prov_ops.attach(f->dev, &a, &at), errs[i]);
		assert_int_equal(model_prov_ops.attach(f->dev, &a, &at), 0);
		next_fault(f, kinds[i], PRM_CMD_OP_DELETE_FLOW_TABLE_ENTRY);
		assert_int_equal(model_prov_ops.detach(f->dev, at), errs[i]);
		assert_int_equal(model_prov_ops.detach(f->dev, at), 0);
	}
	next_fault(f, MODEL_FAULT_CORRUPT, PRM_CMD_OP_SET_FLOW_TABLE_ENTRY);
	assert_int_equal(model_prov_ops.attach(f->dev, &a, &at), -EPROTO);
	assert_int_equal(model_prov_ops.attach(f->dev, &a, &at), 0);
	assert_int_equal(model_prov_ops.detach(f->dev, at), 0);
	assert_int_equal(destroy(f, a.table), -EREMOTEIO); /* the rule in doubt leads to it */
}

/* A delay adds to what the processor has to do already. */
static void delays_add_up(void **state)
{
	struct fixture *f = *state;
	struct model_dev *m = model_of(f->dev);
	struct model_ticket first, second, third;
	struct model_fault slow = {.kind = MODEL_FAULT_DELAY, .nth = 1, .ns = 5000000};
	uint8_t *in = begin(f, PRM_CMD_OP_NOP);

	assert_int_equal(model_fault_set(f->dev, &slow), 0);
	model_fw_begin(m, in, 16, &first);
	slow.ns = 1000;
	assert_int_equal(model_fault_set(f->dev, &slow), 0);
	model_fw_begin(m, in, 16, &second);
	model_fw_begin(m, in, 16, &third);
	assert_true(first.done >= first.start + 5000000);
	assert_true(second.start >= first.done);
	assert_true(second.done >= first.done + 1000);
	assert_true(third.start >= second.done);
}

static void attachments(void **state)
{
	struct fixture *f = *state;
	struct prov_attach a = {.dir = PROV_RX, .priority = 3};
	struct prov_attachment *at, *more;
	struct model_census before, after;

	a.table = make_table(f, &a.table_id);
	model_census(f->dev, &before);
	assert_int_equal(model_prov_ops.attach(f->dev, &a, &at), 0);
	assert_int_equal(model_prov_ops.attach(f->dev, &a, &more), 0); /* the same again */
	assert_int_equal(destroy(f, a.table), -EREMOTEIO);
	assert_int_equal(model_prov_ops.detach(f->dev, more), 0);
	assert_int_equal(model_prov_ops.detach(f->dev, at), 0);
	/* one command of an attach fails: nothing stays */
	for (int n = 1; n <= 2; n++) {
		struct model_fault bad = {
			.kind = MODEL_FAULT_STATUS, .nth = (uint64_t)n, .status = 1};

		assert_int_equal(model_fault_set(f->dev, &bad), 0);
		assert_int_equal(model_prov_ops.attach(f->dev, &a, &at), -EREMOTEIO);
	}
	a.table_id++;
	assert_int_equal(model_prov_ops.attach(f->dev, &a, &at), -EREMOTEIO);
	a.priority = 16;
	assert_int_equal(model_prov_ops.attach(f->dev, &a, &at), -EINVAL);
	model_census(f->dev, &after);
	assert_memory_equal(&before, &after, sizeof(before));
	assert_int_equal(destroy(f, a.table), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(plain_objects, setup, teardown),
		cmocka_unit_test(caps_are_those_of_the_profile),
		cmocka_unit_test(tls_caps_are_those_of_the_profile),
		cmocka_unit_test(bad_options_are_refused),
		cmocka_unit_test_setup_teardown(devx_rules, setup, teardown),
		cmocka_unit_test_setup_teardown(memory_and_doorbells, setup, teardown),
		cmocka_unit_test_setup_teardown(faults, setup, teardown),
		cmocka_unit_test_setup_teardown(fatal_and_reset, setup, teardown),
		cmocka_unit_test_setup_teardown(timers, setup, teardown),
		cmocka_unit_test_setup_teardown(statistics, setup, teardown),
		cmocka_unit_test(real_time_is_taken),
		cmocka_unit_test_setup_teardown(commands_from_several_threads, setup, teardown),
		cmocka_unit_test_setup_teardown(attachments, setup, teardown),
		cmocka_unit_test_setup_teardown(region_in_doubt, setup, teardown),
		cmocka_unit_test_setup_teardown(attachments_in_doubt, setup, teardown),
		cmocka_unit_test_setup_teardown(delays_add_up, setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
