// SPDX-License-Identifier: BSD-2-Clause
/*
 * The one place that executes commands: counts, traces, reports a failure once, wipes keys, keeps object states.
 *
 *	obj_create() ─┐
 *	obj_modify() ─┼─▶ prepare ─▶ prov_cmd_wait() ─▶ settle: outcome ─▶ state, quarantine, sentence
 *	obj_destroy()─┘
 *	obj_*_start() ──▶ prepare ─▶ submit() ········▶ settle ─▶ job->done()
 *
 * The errno of a refusal is the one that the Linux driver gives for its status (prm_status_errno).
 */
#include "objects/device.h"
#include "objects/error.h"
#include "objects/job.h"

#include <errno.h>
#include <openssl/crypto.h>
#include <stdio.h>
#include <string.h>

enum outcome {
	DONE,
	REFUSED, /* status in the answer, nothing happened */
	UNKNOWN, /* no answer, or none that can be understood */
	DEAD,	 /* the device died, and everything on it */
	UNSENT,
};

/* DevX destroys by handle; the names are for people and counters. */
static const uint16_t destroy_opcode[OBJ_NKINDS] = {
	[OBJ_PD] = PRM_CMD_OP_DEALLOC_PD,
	[OBJ_TD] = PRM_CMD_OP_DEALLOC_TRANSPORT_DOMAIN,
	[OBJ_CQ] = PRM_CMD_OP_DESTROY_CQ,
	[OBJ_SQ] = PRM_CMD_OP_DESTROY_SQ,
	[OBJ_RQ] = PRM_CMD_OP_DESTROY_RQ,
	[OBJ_TIS] = PRM_CMD_OP_DESTROY_TIS,
	[OBJ_TIR] = PRM_CMD_OP_DESTROY_TIR,
	[OBJ_DEK] = PRM_CMD_OP_DESTROY_GENERAL_OBJECT,
	[OBJ_IPSEC] = PRM_CMD_OP_DESTROY_GENERAL_OBJECT,
	[OBJ_COUNTER] = PRM_CMD_OP_DEALLOC_FLOW_COUNTER,
	[OBJ_REFORMAT] = PRM_CMD_OP_DEALLOC_PACKET_REFORMAT_CONTEXT,
	[OBJ_MODHDR] = PRM_CMD_OP_DEALLOC_MODIFY_HEADER_CONTEXT,
	[OBJ_TABLE] = PRM_CMD_OP_DESTROY_FLOW_TABLE,
	[OBJ_GROUP] = PRM_CMD_OP_DESTROY_FLOW_GROUP,
	[OBJ_RULE] = PRM_CMD_OP_DELETE_FLOW_TABLE_ENTRY,
};

/* Static name: the quarantine list keeps it. */
static const char *op_name(uint16_t opcode)
{
	const struct prm_opcode_info *info = prm_opcode_find(opcode);

	return info ? info->name : "unknown command";
}

static struct obj_counts *counts_of(struct mlxo_device *dev, uint16_t opcode)
{
	const struct prm_opcode_info *info = prm_opcode_find(opcode);
	size_t n;

	return info ? &dev->counts[info - prm_opcodes(&n)] : NULL;
}

static void count(const struct obj_job *r)
{
	struct obj_counts *c = counts_of(r->dev, r->opcode);

	if (!c || r->outcome == UNSENT)
		return;
	atomic_fetch_add_explicit(&c->sent, 1, memory_order_relaxed);
	if (r->outcome == REFUSED)
		atomic_fetch_add_explicit(&c->refused, 1, memory_order_relaxed);
	else if (r->outcome != DONE)
		atomic_fetch_add_explicit(&c->unanswered, 1, memory_order_relaxed);
}

static void trace_in(const struct obj_job *r)
{
	if (!obj_log_on(MLXO_LOG_TRACE))
		return;
	if (r->cmd.in)
		prm_print_in(r->cmd.in, r->cmd.inlen, obj_log_trace_line, "> ");
	else
		obj_log(MLXO_LOG_TRACE, "> %s: %s", op_name(r->opcode), r->object);
}

static void trace_out(const struct obj_job *r)
{
	if (!obj_log_on(MLXO_LOG_TRACE))
		return;
	if (r->outcome != DONE && r->outcome != REFUSED)
		obj_log(MLXO_LOG_TRACE, "< no answer");
	else if (r->cmd.in)
		prm_print_out(r->cmd.in, r->cmd.inlen, r->cmd.out, r->cmd.outlen,
			      obj_log_trace_line, "< ");
	else
		obj_log(MLXO_LOG_TRACE, "< %s", prm_status_name(prm_out_status(r->cmd.out)));
}

static bool status_known(uint8_t status)
{
	return strcmp(prm_status_name(status), "unknown status") != 0;
}

/* What does the provider's result mean? */
static void judge(struct obj_job *r)
{
	switch (r->cmd.result) {
	case 0:
		r->outcome = DONE;
		r->err = 0;
		return;
	case -EREMOTEIO:
		r->status = prm_out_status(r->cmd.out);
		r->outcome = r->status && status_known(r->status) ? REFUSED : UNKNOWN;
		r->err = r->outcome == REFUSED ? prm_status_errno(r->status) : -EPROTO;
		return;
	case -ETIMEDOUT: r->outcome = UNKNOWN; break;
	case -EIO: r->outcome = DEAD; break;
	default: r->outcome = UNSENT; break;
	}
	r->err = r->cmd.result;
}

/* One sentence with opcode, object, errno, status, syndrome and meaning. */
static void report(const struct obj_job *r)
{
	struct obj_error_fw fw = {.op = op_name(r->opcode), .status = r->status};
	const char *what = strerrordesc_np(-r->err), *code = strerrorname_np(-r->err);

	if (r->cmd.result == -EREMOTEIO) {
		fw.status_name = prm_status_name(r->status);
		fw.syndrome = prm_out_syndrome(r->cmd.out);
		obj_error_firmware(
			r->err, &fw, "%s of %s failed: %s (%s), %s%s (0x%x), syndrome 0x%06x: %s",
			fw.op, r->object, code, what, status_known(r->status) ? "status " : "",
			fw.status_name, r->status, fw.syndrome,
			r->outcome == REFUSED ? prm_status_meaning(r->status)
					      : "the answer cannot be understood, so whether it "
						"was done is unknown");
		return;
	}
	fw.status_name = "no answer";
	obj_error_firmware(
		r->err, &fw, "%s of %s failed: %s (%s): %s", fw.op, r->object, code, what,
		r->outcome == UNKNOWN ? "no answer came, so whether it was done is unknown"
		: r->outcome == DEAD  ? "the device is dead and has to be reset"
				      : "the command was not sent");
}

/* Keys and salts are in the bodies of general objects, nowhere else. */
static void wipe(const struct obj_job *r)
{
	if (r->cmd.in && (r->opcode == PRM_CMD_OP_CREATE_GENERAL_OBJECT ||
			  r->opcode == PRM_CMD_OP_MODIFY_GENERAL_OBJECT))
		OPENSSL_cleanse(r->cmd.in, r->cmd.inlen);
}

static void begin(struct obj_job *r)
{
	trace_in(r);
	memset(r->cmd.out, 0, r->cmd.outlen);
}

/* The answer is there. */
static void judge_and_tell(struct obj_job *r)
{
	judge(r);
	count(r);
	trace_out(r);
	if (r->err)
		report(r);
	else
		obj_log(MLXO_LOG_DEBUG, "%s of %s: done", op_name(r->opcode), r->object);
	wipe(r);
}

static void describe(struct obj_job *r, const struct obj *o)
{
	snprintf(r->object, sizeof(r->object), "%s %u", obj_kind_name(o->kind), o->id);
}

/* List o, out of its reservation, unless a modify did already. */
static void lose(struct mlxo_device *dev, struct obj *o, const char *op)
{
	if (!o->doubt)
		obj_quarantine_add(dev, o->kind, o->id, op);
	*o = (struct obj){.kind = o->kind, .id = o->id, .state = OBJ_LOST};
}

/* o is gone for good. */
static void forget(struct mlxo_device *dev, struct obj *o)
{
	if (o->doubt)
		obj_quarantine_remove(dev, o->doubt);
	obj_quarantine_release(dev);
	*o = (struct obj){.kind = o->kind};
}

/* Refused because something on the device uses it. */
static bool is_used(const struct obj_job *r)
{
	return r->outcome == REFUSED &&
	       (r->status == PRM_CMD_STAT_BAD_RES_STATE_ERR || r->status == PRM_CMD_STAT_RES_BUSY);
}

static void settle_create(struct obj_job *r)
{
	struct obj *o = r->o;

	if (r->outcome == DONE) {
		o->state = OBJ_LIVE;
		o->prov = r->cmd.obj;
		if (r->id_width)
			o->id = (uint32_t)prm_get(r->cmd.out, r->id_off, r->id_width);
	} else if (r->outcome == UNKNOWN) {
		lose(r->dev, o, op_name(r->opcode));
	} else {
		forget(r->dev, o);
	}
}

/* Several modifies of one object (keys of a bulk) may end at one time. */
static void settle_modify(struct obj_job *r)
{
	if (r->outcome != UNKNOWN)
		return;
	pthread_mutex_lock(&r->dev->doubt_lock);
	if (!r->o->doubt)
		r->o->doubt = obj_quarantine_add(r->dev, r->o->kind, r->o->id, op_name(r->opcode));
	pthread_mutex_unlock(&r->dev->doubt_lock);
}

static void settle_destroy(struct obj_job *r)
{
	if (r->outcome == DONE || r->outcome == DEAD)
		forget(r->dev, r->o);
	else if (r->outcome == UNKNOWN || (is_used(r) && !obj_quarantine_empty(r->dev)))
		lose(r->dev, r->o, op_name(r->opcode));
}

static void settle(struct obj_job *r)
{
	judge_and_tell(r);
	switch (r->cmd.kind) {
	case PROV_CMD_CREATE: settle_create(r); break;
	case PROV_CMD_MODIFY: settle_modify(r); break;
	case PROV_CMD_DESTROY: settle_destroy(r); break;
	default: break;
	}
}

/* -- preparing ----------------------------------------------------------------------------------------------- */

static void job_init(struct obj_job *r, struct mlxo_device *dev, enum prov_cmd_kind kind,
		     uint16_t opcode, struct obj *o)
{
	r->dev = dev;
	r->cmd = (struct prov_cmd){.kind = kind, .obj = o ? o->prov : NULL};
	r->opcode = opcode;
	r->o = o;
	r->id_width = 0;
	r->status = 0;
}

static void job_buffers(struct obj_job *r, void *in, size_t inlen, void *out, size_t outlen)
{
	r->cmd.in = in;
	r->cmd.inlen = inlen;
	r->cmd.out = out;
	r->cmd.outlen = outlen;
}

static int prepare_create(struct obj_job *r, struct mlxo_device *dev, const struct obj_create *c,
			  struct obj *o)
{
	int err;

	*o = (struct obj){.kind = c->kind};
	job_init(r, dev, PROV_CMD_CREATE, prm_in_opcode(c->in), o);
	job_buffers(r, c->in, c->inlen, c->out, c->outlen);
	r->id_off = c->id_off;
	r->id_width = c->id_width;
	if (c->id_width)
		snprintf(r->object, sizeof(r->object), "a new %s", obj_kind_name(c->kind));
	else
		snprintf(r->object, sizeof(r->object), "%s %u", obj_kind_name(c->kind), c->id);
	err = obj_quarantine_reserve(dev);
	if (err)
		wipe(r);
	else if (!c->id_width)
		o->id = c->id;
	return err;
}

static void prepare_modify(struct obj_job *r, struct mlxo_device *dev, struct obj *o, void *in,
			   size_t inlen, void *out, size_t outlen)
{
	job_init(r, dev, PROV_CMD_MODIFY, prm_in_opcode(in), o);
	job_buffers(r, in, inlen, out, outlen);
	describe(r, o);
}

static void prepare_general(struct obj_job *r, struct mlxo_device *dev, void *in, size_t inlen,
			    void *out, size_t outlen)
{
	const struct prm_opcode_info *info = prm_opcode_find(prm_in_opcode(in));

	job_init(r, dev, PROV_CMD_GENERAL, prm_in_opcode(in), NULL);
	job_buffers(r, in, inlen, out, outlen);
	snprintf(r->object, sizeof(r->object), "%s", info ? info->object : "device");
}

static void prepare_destroy(struct obj_job *r, struct mlxo_device *dev, struct obj *o)
{
	job_init(r, dev, PROV_CMD_DESTROY, destroy_opcode[o->kind], o);
	job_buffers(r, NULL, 0, r->answer, sizeof(r->answer));
	describe(r, o);
}

/* -- waiting for it ------------------------------------------------------------------------------------------ */

static int run(struct obj_job *r)
{
	begin(r);
	prov_cmd_wait(r->dev->prov, &r->cmd);
	settle(r);
	return r->err;
}

int obj_create(struct mlxo_device *dev, const struct obj_create *c, struct obj *o)
{
	struct obj_job r;
	int err = prepare_create(&r, dev, c, o);

	return err ? err : run(&r);
}

int obj_modify(struct mlxo_device *dev, struct obj *o, void *in, size_t inlen, void *out,
	       size_t outlen)
{
	struct obj_job r;

	prepare_modify(&r, dev, o, in, inlen, out, outlen);
	return run(&r);
}

int obj_query(struct mlxo_device *dev, const struct obj *o, void *in, size_t inlen, void *out,
	      size_t outlen)
{
	struct obj_job r;

	job_init(&r, dev, PROV_CMD_QUERY, prm_in_opcode(in), NULL);
	job_buffers(&r, in, inlen, out, outlen);
	r.cmd.obj = o->prov;
	describe(&r, o);
	return run(&r);
}

int obj_general(struct mlxo_device *dev, void *in, size_t inlen, void *out, size_t outlen)
{
	struct obj_job r;

	prepare_general(&r, dev, in, inlen, out, outlen);
	return run(&r);
}

int obj_destroy(struct mlxo_device *dev, struct obj *o)
{
	struct obj_job r;

	if (!obj_is_live(o))
		return 0;
	prepare_destroy(&r, dev, o);
	return run(&r);
}

int obj_destroy_twice(struct mlxo_device *dev, struct obj *o)
{
	int err = obj_destroy(dev, o);

	return err && obj_is_live(o) ? obj_destroy(dev, o) : err;
}

/* -- not waiting for it -------------------------------------------------------------------------------------- */

/* Nobody called, so nobody can be told but the log. */
static void answered(struct prov_cmd *cmd)
{
	struct obj_job *r = cmd->ctx;

	obj_undo_begin();
	settle(r);
	obj_undo_end();
	r->done(r);
}

static int start(struct obj_job *r)
{
	int err;

	begin(r);
	r->cmd.done = answered;
	r->cmd.ctx = r;
	err = r->dev->ops->submit(r->dev->prov, &r->cmd);
	if (err) {
		r->cmd.result = err;
		settle(r);
	}
	return err ? r->err : 0;
}

int obj_create_start(struct obj_job *job, struct mlxo_device *dev, const struct obj_create *c,
		     struct obj *o)
{
	int err = prepare_create(job, dev, c, o);

	return err ? err : start(job);
}

int obj_modify_start(struct obj_job *job, struct mlxo_device *dev, struct obj *o, void *in,
		     size_t inlen, void *out, size_t outlen)
{
	prepare_modify(job, dev, o, in, inlen, out, outlen);
	return start(job);
}

int obj_general_start(struct obj_job *job, struct mlxo_device *dev, void *in, size_t inlen,
		      void *out, size_t outlen)
{
	prepare_general(job, dev, in, inlen, out, outlen);
	return start(job);
}

int obj_destroy_start(struct obj_job *job, struct mlxo_device *dev, struct obj *o)
{
	prepare_destroy(job, dev, o);
	return start(job);
}
