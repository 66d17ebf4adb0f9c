// SPDX-License-Identifier: BSD-2-Clause
/* A provider with an expected-command list. One thread. */
#include "mock_provider.h"

#include <setjmp.h>
#include <stdarg.h>
#include <cmocka.h>

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "objects/device.h"

enum { MAX = 4096, HANDLE_BASE = 0x1000, CAP_BYTES = 4096 };

struct expected {
	enum prov_cmd_kind kind;
	uint8_t *in;
	size_t inlen;
	int handle; /* create: given out; else: named */
	struct mock_answer answer;
};

struct mock {
	struct prov_base base;
	struct expected list[MAX];
	int nlist, next;
	int handles;
	int umems, live_umems, mrs, live_mrs, uars;
	int attachments, anchors, fail;
	struct prov_attach attach;
	uint8_t mask[512], value[512];
	int rings;
	uint64_t arming; /* the last doorbell of a CQ */
	int armings, arm_err;
	uint64_t ctrl;
	FILE *transcript;
	int refuse_in; /* transcript: commands until one is refused; 0: none */
};

static struct mock *of(struct prov_device *dev)
{
	return (struct mock *)dev;
}

static struct prov_obj *handle(int n)
{
	return (struct prov_obj *)(uintptr_t)(HANDLE_BASE + n);
}

void mock_bytes(uint8_t *buf, size_t len, const char *text)
{
	char *end;

	while (text && *text) {
		size_t at = strtoul(text, &end, 16);
		uint32_t word;

		assert_int_equal(*end, ':');
		word = (uint32_t)strtoul(end + 1, &end, 16);
		assert_true(at + 4 <= len);
		prm_put(buf, (unsigned int)at * 8, 32, word);
		while (*end == ' ')
			end++;
		text = end;
	}
}

static void print_line(void *ctx, const char *line)
{
	print_error("%s %s\n", (const char *)ctx, line);
}

static void mismatch(const struct expected *e, const struct prov_cmd *cmd)
{
	if (e->in)
		prm_print_in(e->in, e->inlen, print_line, "expected:");
	if (cmd->in)
		prm_print_in(cmd->in, cmd->inlen, print_line, "came:    ");
	for (size_t i = 0; e->in && cmd->in && i < e->inlen && i < cmd->inlen; i++)
		if (e->in[i] != ((uint8_t *)cmd->in)[i])
			print_error("byte 0x%03zx: expected %02x, came %02x\n", i, e->in[i],
				    ((uint8_t *)cmd->in)[i]);
	fail_msg("command is not the expected one (kind %d, %zu bytes; came kind %d, %zu bytes)",
		 e->kind, e->inlen, cmd->kind, cmd->inlen);
}

static bool same(const struct expected *e, const struct prov_cmd *cmd)
{
	if (e->kind != cmd->kind)
		return false;
	if (e->kind == PROV_CMD_MODIFY || e->kind == PROV_CMD_QUERY || e->kind == PROV_CMD_DESTROY)
		if (cmd->obj != handle(e->handle))
			return false;
	if (e->kind == PROV_CMD_DESTROY)
		return true;
	return e->inlen == cmd->inlen && memcmp(e->in, cmd->in, e->inlen) == 0;
}

/* Everything is there: every bit set but for sizes that would not fit. */
static void answer_caps(const struct prov_cmd *cmd)
{
	memset(cmd->out, 0, cmd->outlen);
	memset((uint8_t *)cmd->out + 16, 0xff, cmd->outlen - 16);
}

/* -- transcripts ------------------------------------------------------------------------------------------------ */

static void write_line(void *ctx, const char *line)
{
	fprintf(ctx, "%s\n", line);
}

/* Number of the object that handle n stands for: at bit 0x40 or 0x48 of every answer it is the same word. */
static uint32_t transcript_id(int n)
{
	return 0x100 + (uint32_t)n;
}

static void transcribe(struct mock *m, struct prov_cmd *cmd)
{
	bool refuse = m->refuse_in && --m->refuse_in == 0;

	if (cmd->kind == PROV_CMD_DESTROY)
		fprintf(m->transcript, "destroy of 0x%x",
			transcript_id((int)((uintptr_t)cmd->obj - HANDLE_BASE)));
	else
		prm_print_in(cmd->in, cmd->inlen, write_line, m->transcript);
	if (cmd->kind == PROV_CMD_DESTROY || refuse)
		fputs(refuse ? " refused\n" : "\n", m->transcript);
	memset(cmd->out, 0, cmd->outlen);
	if (refuse) {
		prm_put(cmd->out, 0, 8, PRM_CMD_STAT_BAD_PARAM_ERR);
		cmd->result = -EREMOTEIO;
	} else if (cmd->kind == PROV_CMD_CREATE) {
		prm_put(cmd->out, 0x40, 32, transcript_id(m->handles));
		cmd->obj = handle(m->handles++);
	}
	cmd->done(cmd);
}

void mock_transcript(struct mock *m, FILE *to, int refuse_in)
{
	m->transcript = to;
	m->refuse_in = refuse_in;
}

static int mock_submit(struct prov_device *dev, struct prov_cmd *cmd)
{
	struct mock *m = of(dev);
	struct expected *e;

	cmd->result = 0;
	if (cmd->kind == PROV_CMD_GENERAL && prm_in_opcode(cmd->in) == PRM_CMD_OP_QUERY_HCA_CAP) {
		answer_caps(cmd);
		cmd->done(cmd);
		return 0;
	}
	if (m->transcript) {
		transcribe(m, cmd);
		return 0;
	}
	if (m->next == m->nlist) {
		if (cmd->in)
			prm_print_in(cmd->in, cmd->inlen, print_line, "came:");
		fail_msg("a command that nobody expected (kind %d)", cmd->kind);
	}
	e = &m->list[m->next++];
	if (!same(e, cmd))
		mismatch(e, cmd);
	cmd->result = e->answer.result;
	if (cmd->result == 0 || cmd->result == -EREMOTEIO) {
		mock_bytes(cmd->out, cmd->outlen, e->answer.out);
		prm_put(cmd->out, 0, 8, e->answer.status);
		prm_put(cmd->out, 0x20, 32, e->answer.syndrome);
	}
	if (cmd->result == 0 && cmd->kind == PROV_CMD_CREATE)
		cmd->obj = handle(e->handle);
	cmd->done(cmd);
	return 0;
}

int mock_expect(struct mock *m, enum prov_cmd_kind kind, size_t inlen, const char *in,
		struct mock_answer answer)
{
	struct expected *e = &m->list[m->nlist++];

	assert_true(m->nlist <= MAX);
	*e = (struct expected){.kind = kind, .inlen = inlen, .answer = answer};
	e->in = calloc(1, inlen);
	assert_non_null(e->in);
	mock_bytes(e->in, inlen, in);
	if (kind == PROV_CMD_CREATE)
		e->handle = m->handles++;
	return e->handle;
}

void mock_expect_on(struct mock *m, enum prov_cmd_kind kind, int h, size_t inlen, const char *in,
		    struct mock_answer answer)
{
	mock_expect(m, kind, inlen, in, answer);
	m->list[m->nlist - 1].handle = h;
}

void mock_expect_destroy(struct mock *m, int h, struct mock_answer answer)
{
	assert_true(m->nlist < MAX);
	m->list[m->nlist++] =
		(struct expected){.kind = PROV_CMD_DESTROY, .handle = h, .answer = answer};
}

/* -- the other operations ------------------------------------------------------------------------------------ */

static int take_fail(struct mock *m)
{
	int err = m->fail;

	m->fail = 0;
	return err;
}

void mock_fail_next(struct mock *m, int err)
{
	m->fail = err;
}

static int mock_progress(struct prov_device *dev)
{
	(void)dev;
	return 0;
}

static int mock_wait(struct prov_device *dev, int timeout_ms)
{
	(void)dev;
	(void)timeout_ms;
	return 0;
}

static int mock_fd(struct prov_device *dev)
{
	(void)dev;
	return -ENOTSUP;
}

static int mock_umem_reg(struct prov_device *dev, void *addr, size_t len, struct prov_umem *umem)
{
	struct mock *m = of(dev);
	int err = take_fail(m);

	if (err)
		return err;
	*umem = (struct prov_umem){addr, len, MOCK_UMEM + (uint32_t)m->umems++, NULL};
	m->live_umems++;
	return 0;
}

static int mock_umem_dereg(struct prov_device *dev, struct prov_umem *umem)
{
	int err = take_fail(of(dev));

	(void)umem;
	of(dev)->live_umems -= !err;
	return err;
}

static int mock_uar_alloc(struct prov_device *dev, struct prov_uar *uar)
{
	of(dev)->uars++;
	*uar = (struct prov_uar){.page_id = MOCK_UAR};
	return 0;
}

static int mock_uar_free(struct prov_device *dev, struct prov_uar *uar)
{
	(void)uar;
	of(dev)->uars--;
	return 0;
}

static int mock_mr_reg(struct prov_device *dev, uint32_t pd, void *addr, size_t len,
		       struct prov_mr *mr)
{
	struct mock *m = of(dev);
	int err = take_fail(m);

	assert_int_equal(pd, MOCK_PD);
	if (err)
		return err;
	*mr = (struct prov_mr){addr, len, MOCK_LKEY + (uint32_t)m->mrs++, NULL};
	m->live_mrs++;
	return 0;
}

static int mock_mr_dereg(struct prov_device *dev, struct prov_mr *mr)
{
	int err = take_fail(of(dev));

	(void)mr;
	of(dev)->live_mrs -= !err;
	return err;
}

static int mock_eqn(struct prov_device *dev, uint32_t *eqn)
{
	(void)dev;
	*eqn = MOCK_EQN;
	return 0;
}

static int mock_do_attach(struct prov_device *dev, const struct prov_attach *a,
			  struct prov_attachment **out)
{
	struct mock *m = of(dev);
	int err = take_fail(m);

	if (err)
		return err;
	m->attach = *a;
	if (a->mask) {
		memcpy(m->mask, a->mask, sizeof(m->mask));
		memcpy(m->value, a->value, sizeof(m->value));
		m->attach.mask = m->mask;
		m->attach.value = m->value;
	}
	m->attachments++;
	*out = (struct prov_attachment *)m;
	return 0;
}

static int mock_do_detach(struct prov_device *dev, struct prov_attachment *a)
{
	int err = take_fail(of(dev));

	(void)a;
	of(dev)->attachments -= !err;
	return err;
}

static int mock_anchor(struct prov_device *dev, unsigned int priority, struct prov_anchor **out,
		       uint32_t *table_id)
{
	int err = take_fail(of(dev));

	if (err)
		return err;
	of(dev)->anchors++;
	*table_id = MOCK_ANCHOR + priority;
	*out = (struct prov_anchor *)of(dev);
	return 0;
}

static int mock_anchor_free(struct prov_device *dev, struct prov_anchor *a)
{
	int err = take_fail(of(dev));

	(void)a;
	of(dev)->anchors -= !err;
	return err;
}

static int mock_cq_arm(struct prov_device *dev, struct prov_uar *uar, struct prov_obj *cq,
		       uint64_t doorbell)
{
	(void)uar;
	(void)cq;
	of(dev)->arming = doorbell;
	of(dev)->armings++;
	return of(dev)->arm_err;
}

static void mock_ring(struct prov_device *dev, struct prov_uar *uar, uint64_t ctrl)
{
	(void)uar;
	of(dev)->rings++;
	of(dev)->ctrl = ctrl;
}

static uint64_t mock_now(struct prov_device *dev)
{
	(void)dev;
	return 0;
}

static void mock_timer(struct prov_device *dev, struct prov_timer *t)
{
	(void)dev;
	(void)t;
}

static bool mock_cancel(struct prov_device *dev, struct prov_timer *t)
{
	(void)dev;
	(void)t;
	return true; /* none ever fires */
}

static unsigned int mock_mtu(struct prov_device *dev)
{
	(void)dev;
	return 1500;
}

static bool mock_is_named(struct prov_device *dev, const char *name)
{
	(void)dev;
	return strcmp(name, "mock0") == 0;
}

static void mock_close(struct prov_device *dev)
{
	(void)dev; /* mock_done() still looks at it */
}

static const struct prov_ops ops = {
	.name = "mock",
	.close = mock_close,
	.submit = mock_submit,
	.progress = mock_progress,
	.wait = mock_wait,
	.fd = mock_fd,
	.umem_reg = mock_umem_reg,
	.umem_dereg = mock_umem_dereg,
	.uar_alloc = mock_uar_alloc,
	.uar_free = mock_uar_free,
	.mr_reg = mock_mr_reg,
	.mr_dereg = mock_mr_dereg,
	.eqn = mock_eqn,
	.attach = mock_do_attach,
	.detach = mock_do_detach,
	.anchor = mock_anchor,
	.anchor_free = mock_anchor_free,
	.cq_arm = mock_cq_arm,
	.ring = mock_ring,
	.now = mock_now,
	.timer_arm = mock_timer,
	.timer_cancel = mock_cancel,
	.mtu = mock_mtu,
	.is_named = mock_is_named,
};

const struct prov_attach *mock_attach(struct mock *m)
{
	return &m->attach;
}

int mock_attachments(struct mock *m)
{
	return m->attachments;
}

void mock_forget_attachment(struct mock *m)
{
	m->attachments--;
}

void mock_forget_anchor(struct mock *m)
{
	m->anchors--;
}

void mock_forget_umem(struct mock *m)
{
	m->live_umems--;
}

int mock_armings(struct mock *m, uint64_t *doorbell)
{
	*doorbell = m->arming;
	return m->armings;
}

void mock_arm_fails(struct mock *m, int err)
{
	m->arm_err = err;
}

int mock_rings(struct mock *m, uint64_t *ctrl)
{
	if (ctrl)
		*ctrl = m->ctrl;
	return m->rings;
}

void mock_cap(struct mlxo_device *dev, const char *name, uint64_t value)
{
	for (size_t i = 0; i < OBJ_NCAPS; i++)
		if (strcmp(dev->caps[i].name, name) == 0) {
			dev->caps[i].value = value;
			return;
		}
	fail_msg("no capability %s", name);
}

/* -- life ---------------------------------------------------------------------------------------------------- */

static int pd_handle, td_handle;

struct mock *mock_open(struct mlxo_device **dev)
{
	struct mock *m = calloc(1, sizeof(*m));

	assert_non_null(m);
	m->base.ops = &ops;
	snprintf(m->base.name, sizeof(m->base.name), "mock");
	pd_handle = mock_expect(m, PROV_CMD_CREATE, 16, "000:08000000", MOCK_OK("008:0000001a"));
	td_handle = mock_expect(m, PROV_CMD_CREATE, 16, "000:08160000", MOCK_OK("008:00000033"));
	assert_int_equal(obj_device_open_on((struct prov_device *)m, dev), 0);
	return m;
}

void mock_drained(struct mock *m)
{
	if (m->next != m->nlist && m->list[m->next].in)
		prm_print_in(m->list[m->next].in, m->list[m->next].inlen, print_line, "missing:");
	assert_int_equal(m->next, m->nlist);
}

void mock_done(struct mock *m, struct mlxo_device *dev)
{
	mock_drained(m);
	mock_expect_destroy(m, td_handle, MOCK_OK(NULL));
	mock_expect_destroy(m, pd_handle, MOCK_OK(NULL));
	mlxo_device_close(dev);
	mock_drained(m);
	assert_int_equal(m->uars, 0);
	assert_int_equal(m->live_umems, 0);
	assert_int_equal(m->live_mrs, 0);
	assert_int_equal(m->attachments, 0);
	assert_int_equal(m->anchors, 0);
	for (int i = 0; i < m->nlist; i++)
		free(m->list[i].in);
	free(m);
}
