// SPDX-License-Identifier: BSD-2-Clause
/*
 * The one place that executes commands: counts, traces, reports a failure once, wipes keys, keeps object states.
 *
 *	obj_create() ─┐
 *	obj_modify() ─┼─▶ run() ─▶ prov_cmd_wait() ─▶ outcome ─▶ state, quarantine, sentence
 *	obj_destroy()─┘
 *
 * The errno of a refusal is the one that the Linux driver gives for its status (prm_status_errno).
 */
#include "objects/device.h"
#include "objects/error.h"

#include <errno.h>
#include <openssl/crypto.h>
#include <stdio.h>
#include <string.h>

enum { HEADER_BYTES = 16 };

enum outcome {
	DONE,
	REFUSED, /* status in the answer, nothing happened */
	UNKNOWN, /* no answer, or none that can be understood */
	DEAD,	 /* the device died, and everything on it */
	UNSENT,
};

/* A command and what became of it. */
struct run {
	struct mlxo_device *dev;
	struct prov_cmd cmd;
	uint16_t opcode;
	const char *object; /* "TIS 5", "new TIS" */
	enum outcome outcome;
	uint8_t status;
	int err;
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

static void count(const struct run *r)
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

static void trace_in(const struct run *r)
{
	if (!obj_log_on(MLXO_LOG_TRACE))
		return;
	if (r->cmd.in)
		prm_print_in(r->cmd.in, r->cmd.inlen, obj_log_trace_line, "> ");
	else
		obj_log(MLXO_LOG_TRACE, "> %s: %s", op_name(r->opcode), r->object);
}

static void trace_out(const struct run *r)
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
static void judge(struct run *r)
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
static void report(const struct run *r)
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
static void wipe(const struct run *r)
{
	if (r->cmd.in && (r->opcode == PRM_CMD_OP_CREATE_GENERAL_OBJECT ||
			  r->opcode == PRM_CMD_OP_MODIFY_GENERAL_OBJECT))
		OPENSSL_cleanse(r->cmd.in, r->cmd.inlen);
}

static int run(struct run *r)
{
	trace_in(r);
	memset(r->cmd.out, 0, r->cmd.outlen);
	prov_cmd_wait(r->dev->prov, &r->cmd);
	judge(r);
	count(r);
	trace_out(r);
	if (r->err)
		report(r);
	else
		obj_log(MLXO_LOG_DEBUG, "%s of %s: done", op_name(r->opcode), r->object);
	wipe(r);
	return r->err;
}

static void run_init(struct run *r, struct mlxo_device *dev, enum prov_cmd_kind kind,
		     uint16_t opcode, const char *object)
{
	*r = (struct run){.dev = dev, .opcode = opcode, .object = object, .cmd.kind = kind};
}

static void run_buffers(struct run *r, void *in, size_t inlen, void *out, size_t outlen)
{
	r->cmd.in = in;
	r->cmd.inlen = inlen;
	r->cmd.out = out;
	r->cmd.outlen = outlen;
}

static void describe(char *buf, size_t size, const struct obj *o)
{
	snprintf(buf, size, "%s %u", obj_kind_name(o->kind), o->id);
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

int obj_create(struct mlxo_device *dev, const struct obj_create *c, struct obj *o)
{
	char object[64];
	struct run r;
	int err;

	run_init(&r, dev, PROV_CMD_CREATE, prm_in_opcode(c->in), object);
	run_buffers(&r, c->in, c->inlen, c->out, c->outlen);
	if (c->id_width)
		snprintf(object, sizeof(object), "a new %s", obj_kind_name(c->kind));
	else
		snprintf(object, sizeof(object), "%s %u", obj_kind_name(c->kind), c->id);
	*o = (struct obj){.kind = c->kind};
	err = obj_quarantine_reserve(dev);
	if (err) {
		wipe(&r);
		return err;
	}
	err = run(&r);
	if (!c->id_width)
		o->id = c->id;
	if (r.outcome == DONE) {
		o->state = OBJ_LIVE;
		o->prov = r.cmd.obj;
		if (c->id_width)
			o->id = (uint32_t)prm_get(c->out, c->id_off, c->id_width);
	} else if (r.outcome == UNKNOWN) {
		lose(dev, o, op_name(r.opcode));
	} else {
		forget(dev, o);
	}
	return err;
}

int obj_modify(struct mlxo_device *dev, struct obj *o, void *in, size_t inlen, void *out,
	       size_t outlen)
{
	char object[64];
	struct run r;
	int err;

	describe(object, sizeof(object), o);
	run_init(&r, dev, PROV_CMD_MODIFY, prm_in_opcode(in), object);
	run_buffers(&r, in, inlen, out, outlen);
	r.cmd.obj = o->prov;
	err = run(&r);
	if (r.outcome == UNKNOWN && !o->doubt)
		o->doubt = obj_quarantine_add(dev, o->kind, o->id, op_name(r.opcode));
	return err;
}

int obj_query(struct mlxo_device *dev, const struct obj *o, void *in, size_t inlen, void *out,
	      size_t outlen)
{
	char object[64];
	struct run r;

	describe(object, sizeof(object), o);
	run_init(&r, dev, PROV_CMD_QUERY, prm_in_opcode(in), object);
	run_buffers(&r, in, inlen, out, outlen);
	r.cmd.obj = o->prov;
	return run(&r);
}

int obj_general(struct mlxo_device *dev, void *in, size_t inlen, void *out, size_t outlen)
{
	const struct prm_opcode_info *info = prm_opcode_find(prm_in_opcode(in));
	struct run r;

	run_init(&r, dev, PROV_CMD_GENERAL, prm_in_opcode(in), info ? info->object : "device");
	run_buffers(&r, in, inlen, out, outlen);
	return run(&r);
}

/* Refused because something on the device uses it. */
static bool is_used(const struct run *r)
{
	return r->outcome == REFUSED &&
	       (r->status == PRM_CMD_STAT_BAD_RES_STATE_ERR || r->status == PRM_CMD_STAT_RES_BUSY);
}

int obj_destroy(struct mlxo_device *dev, struct obj *o)
{
	uint8_t out[HEADER_BYTES];
	char object[64];
	struct run r;
	int err;

	if (!obj_is_live(o))
		return 0;
	describe(object, sizeof(object), o);
	run_init(&r, dev, PROV_CMD_DESTROY, destroy_opcode[o->kind], object);
	run_buffers(&r, NULL, 0, out, sizeof(out));
	r.cmd.obj = o->prov;
	err = run(&r);
	if (r.outcome == DONE || r.outcome == DEAD)
		forget(dev, o);
	else if (r.outcome == UNKNOWN || (is_used(&r) && !obj_quarantine_empty(dev)))
		lose(dev, o, op_name(r.opcode));
	return err;
}
