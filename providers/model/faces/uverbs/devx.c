// SPDX-License-Identifier: BSD-2-Clause
/*
 * DevX: commands of the program, by the kernel's rules.
 *
 * Three sieves: rules.c says which opcode may go which way in a kernel; providers/model/devx.c knows the commands that
 * the model executes and checks that modify and query name their handle's object; the firmware says the rest. What a
 * kernel lets through and the model does not have ends in BAD_OP from the firmware, as on a card without it.
 *
 * A refusal by the firmware is EREMOTEIO with the outbox filled.
 */
#include "uverbs.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "rules.h"

enum { MAX_OUT = 1 << 16, MIN_IN = 16 };

struct command {
	uint8_t *in, *out;
	size_t inlen, outlen;
};

static void command_free(struct command *cmd)
{
	if (cmd->in)
		memset(cmd->in, 0, cmd->inlen); /* there may have been a key in it */
	free(cmd->in);
	free(cmd->out);
}

/* Copies of both mailboxes, uid stamped. The caller frees them in any case. */
static int command_take(struct uv_call *c, uint16_t in_id, uint16_t out_id, struct command *cmd)
{
	int err;

	*cmd = (struct command){.outlen = uv_len(c, out_id)};
	cmd->in = uv_in_dup(c, in_id, &cmd->inlen, &err);
	if (!cmd->in)
		return err;
	cmd->out = calloc(1, cmd->outlen ? cmd->outlen : 1);
	if (!cmd->out)
		return -ENOMEM;
	if (!c->ctx->devx && !uv_rule_without_uid(prm_in_opcode(cmd->in)))
		return -EINVAL;
	prm_put(cmd->in, 0x10, 16, c->ctx->uid);
	return 0;
}

/* Execute, and give the program the answer, good or bad. */
static int command_run(struct uv_call *c, uint16_t out_id, struct command *cmd)
{
	int err = uv_exec(c->ctx, cmd->in, cmd->inlen, cmd->out, cmd->outlen), copy;

	if (err && err != -EREMOTEIO)
		return err;
	copy = uv_out(c, out_id, cmd->out, cmd->outlen);
	return err ? err : copy;
}

/* -- general ------------------------------------------------------------------------------------------------------ */

static int other(struct uv_call *c)
{
	struct command cmd;
	int err = command_take(c, MLX5_IB_ATTR_DEVX_OTHER_CMD_IN, MLX5_IB_ATTR_DEVX_OTHER_CMD_OUT,
			       &cmd);

	if (!err && !uv_rule_general(prm_in_opcode(cmd.in)))
		err = -EINVAL;
	if (!err)
		err = command_run(c, MLX5_IB_ATTR_DEVX_OTHER_CMD_OUT, &cmd);
	command_free(&cmd);
	return err;
}

static int query_eqn(struct uv_call *c)
{
	uint32_t vector, eqn;
	int err = uv_in(c, MLX5_IB_ATTR_DEVX_QUERY_EQN_USER_VEC, &vector, sizeof(vector));

	if (err)
		return err;
	if (vector)
		return -ENOENT;
	prov_ops(c->ctx->card->prov)->eqn(c->ctx->card->prov, &eqn);
	return uv_out(c, MLX5_IB_ATTR_DEVX_QUERY_EQN_DEV_EQN, &eqn, sizeof(eqn));
}

/* For pages that were mapped in a block, of which there are none. */
static int query_uar(struct uv_call *c)
{
	return -EINVAL;
}

/* -- objects ------------------------------------------------------------------------------------------------------- */

static void watch(struct uv_ctx *ctx, const struct prov_obj *d, bool add, const uint8_t *in)
{
	struct uv_watch w = {.number = d->id};

	switch (d->create) {
	case PRM_CMD_OP_CREATE_SQ:
		w.what = UV_WATCH_SQ;
		if (add)
			w.uar = (uint32_t)PRM_GET(
				wq, PRM_AT(sqc, PRM_AT(create_sq_in, in, ctx), wq), uar_page);
		break;
	case PRM_CMD_OP_CREATE_RQ: w.what = UV_WATCH_RQ; break;
	case PRM_CMD_OP_CREATE_CQ: w.what = UV_WATCH_CQ; break; /* added by who listens */
	default: return;
	}
	if (add && w.what != UV_WATCH_CQ)
		uv_watch_add(ctx->card, &w);
	else if (!add)
		uv_watch_remove(ctx, w.what, w.number);
}

static int devx_destroy(struct uv_ctx *ctx, struct uv_obj *o)
{
	struct prov_obj *d = &((struct uv_devx *)o)->devx;
	uint8_t out[PRM_BYTES(nop_out)] = {0};
	int err;

	if (uv_ctx_is_stale(ctx))
		return 0; /* gone with the reset, and what the thread watched */
	prm_put(d->in, 0x10, 16, ctx->uid);
	err = uv_exec(ctx, d->in, d->inlen, out, sizeof(out));
	if (err == -EREMOTEIO)
		err = uv_status_errno(out);
	if (!err) {
		watch(ctx, d, false, NULL);
		uv_events_forget(ctx, o);
	}
	return err;
}

const struct uv_class uv_devx_class = {MLX5_IB_OBJECT_DEVX_OBJ, sizeof(struct uv_devx),
				       devx_destroy, NULL};

/* Rings and records of a program are in umems: the kernel sets the bits that say so. */
static void force_umem(uint8_t *in, size_t inlen)
{
	switch (prm_in_opcode(in)) {
	case PRM_CMD_OP_CREATE_MKEY:
		if (inlen >= PRM_BYTES(create_mkey_in))
			PRM_SET(create_mkey_in, in, mkey_umem_valid, 1);
		break;
	case PRM_CMD_OP_CREATE_CQ:
		if (inlen >= PRM_BYTES(create_cq_in)) {
			PRM_SET(create_cq_in, in, cq_umem_valid, 1);
			PRM_SET(cqc, PRM_AT(create_cq_in, in, cq_context), dbr_umem_valid, 1);
		}
		break;
	case PRM_CMD_OP_CREATE_SQ:
	case PRM_CMD_OP_CREATE_RQ:
		if (inlen >= PRM_BYTES(create_sq_in)) {
			uint8_t *wq = PRM_AT(sqc, PRM_AT(create_sq_in, in, ctx), wq);

			PRM_SET(wq, wq, wq_umem_valid, 1);
			PRM_SET(wq, wq, dbr_umem_valid, 1);
		}
		break;
	default: break;
	}
}

static_assert(PRM_OFFSET(create_sq_in, ctx) == PRM_OFFSET(create_rq_in, ctx) &&
		      PRM_OFFSET(sqc, wq) == PRM_OFFSET(rqc, wq) &&
		      PRM_BYTES(create_sq_in) == PRM_BYTES(create_rq_in),
	      "both work queues have their context at the same place");

static int check(struct uv_call *c, const struct command *cmd, enum prov_cmd_kind kind,
		 struct prov_obj *d)
{
	struct prov_cmd p = {.kind = kind,
			     .in = cmd->in,
			     .inlen = cmd->inlen,
			     .out = cmd->out,
			     .outlen = cmd->outlen,
			     .obj = d};

	return devx_check(&p);
}

static int obj_create(struct uv_call *c)
{
	struct uv_devx *o = (struct uv_devx *)c->made;
	uint16_t opcode;
	struct command cmd;
	int err = command_take(c, MLX5_IB_ATTR_DEVX_OBJ_CREATE_CMD_IN,
			       MLX5_IB_ATTR_DEVX_OBJ_CREATE_CMD_OUT, &cmd);

	opcode = err ? 0 : prm_in_opcode(cmd.in);
	if (!err && !uv_rule_create(opcode, cmd.in))
		err = -EINVAL;
	if (!err && devx_makes(opcode))
		err = check(c, &cmd, PROV_CMD_CREATE, NULL);
	if (!err) {
		force_umem(cmd.in, cmd.inlen);
		err = uv_exec(c->ctx, cmd.in, cmd.inlen, cmd.out, cmd.outlen);
	}
	if (!err) {
		devx_handle_init(&o->devx, cmd.in, cmd.out);
		watch(c->ctx, &o->devx, true, cmd.in);
	}
	if (!err || err == -EREMOTEIO) {
		int copy = uv_out(c, MLX5_IB_ATTR_DEVX_OBJ_CREATE_CMD_OUT, cmd.out, cmd.outlen);

		if (!err && copy)
			devx_destroy(c->ctx, c->made);
		err = err ? err : copy;
	}
	command_free(&cmd);
	return err;
}

/* May the command be sent on this handle? It names the object, or one that a verbs object is made of. */
static int check_on(struct uv_call *c, const struct command *cmd, enum prov_cmd_kind kind,
		    struct uv_obj *o)
{
	struct prov_obj parts[UV_MAX_PARTS] = {{.id = 0}};
	struct prov_obj *devx = &((struct uv_devx *)o)->devx;
	unsigned int n;
	int err = -EINVAL;

	if (o->cls == &uv_devx_class)
		return check(c, cmd, kind, devx);
	n = o->cls->parts ? o->cls->parts(o, parts) : 0;
	for (unsigned int i = 0; i < n && err; i++) {
		parts[i].count = 1;
		err = check(c, cmd, kind, &parts[i]);
	}
	return err;
}

static int on_object(struct uv_call *c, enum prov_cmd_kind kind, uint16_t handle_id, uint16_t in_id,
		     uint16_t out_id)
{
	struct command cmd;
	int err = command_take(c, in_id, out_id, &cmd);

	if (!err)
		err = check_on(c, &cmd, kind, uv_object(c, handle_id));
	if (!err)
		err = command_run(c, out_id, &cmd);
	command_free(&cmd);
	return err;
}

static int obj_modify(struct uv_call *c)
{
	return on_object(c, PROV_CMD_MODIFY, MLX5_IB_ATTR_DEVX_OBJ_MODIFY_HANDLE,
			 MLX5_IB_ATTR_DEVX_OBJ_MODIFY_CMD_IN, MLX5_IB_ATTR_DEVX_OBJ_MODIFY_CMD_OUT);
}

static int obj_query(struct uv_call *c)
{
	return on_object(c, PROV_CMD_QUERY, MLX5_IB_ATTR_DEVX_OBJ_QUERY_HANDLE,
			 MLX5_IB_ATTR_DEVX_OBJ_QUERY_CMD_IN, MLX5_IB_ATTR_DEVX_OBJ_QUERY_CMD_OUT);
}

/* The answer comes by the channel: at once, which a program may not count on. */
static int obj_async_query(struct uv_call *c)
{
	struct uv_obj *o = uv_object(c, MLX5_IB_ATTR_DEVX_OBJ_QUERY_ASYNC_HANDLE);
	struct uv_arg *fd = uv_arg(c, MLX5_IB_ATTR_DEVX_OBJ_QUERY_ASYNC_FD);
	uint16_t outlen;
	uint64_t wr_id;
	struct command cmd;
	int err = command_take(c, MLX5_IB_ATTR_DEVX_OBJ_QUERY_ASYNC_CMD_IN,
			       MLX5_IB_ATTR_DEVX_OBJ_QUERY_ASYNC_HANDLE, &cmd);

	if (!err)
		err = uv_in(c, MLX5_IB_ATTR_DEVX_OBJ_QUERY_ASYNC_OUT_LEN, &outlen, sizeof(outlen));
	if (!err)
		err = uv_in(c, MLX5_IB_ATTR_DEVX_OBJ_QUERY_ASYNC_WR_ID, &wr_id, sizeof(wr_id));
	if (!err) {
		free(cmd.out);
		cmd.outlen = outlen;
		cmd.out = calloc(1, sizeof(wr_id) + outlen);
		err = cmd.out ? check_on(c, &cmd, PROV_CMD_QUERY, o) : -ENOMEM;
	}
	if (!err) {
		uint8_t *answer =
			cmd.out + sizeof(wr_id); /* struct mlx5_ib_uapi_devx_async_cmd_hdr */

		memcpy(cmd.out, &wr_id, sizeof(wr_id));
		err = uv_exec(c->ctx, cmd.in, cmd.inlen, answer, outlen);
		if (!err || err == -EREMOTEIO)
			err = uv_channel_answer(fd->channel, cmd.out, sizeof(wr_id) + outlen);
	}
	command_free(&cmd);
	return err;
}

/* clang-format off */
#define HANDLE(attr, kind) {attr, kind, true, MLX5_IB_OBJECT_DEVX_OBJ, 0, 0}
#define ANY(attr) {attr, UV_ATTR_OBJ_READ, true, UV_ANY_OBJECT, 0, 0}
#define CMD_IN(attr) {attr, UV_ATTR_IN, true, 0, MIN_IN, 0}
#define CMD_OUT(attr) {attr, UV_ATTR_OUT, true, 0, MIN_IN, 0}
static const struct uv_spec other_specs[] = {
	CMD_IN(MLX5_IB_ATTR_DEVX_OTHER_CMD_IN),
	CMD_OUT(MLX5_IB_ATTR_DEVX_OTHER_CMD_OUT),
};
static const struct uv_spec eqn_specs[] = {
	{MLX5_IB_ATTR_DEVX_QUERY_EQN_USER_VEC, UV_ATTR_IN, true, 0, 4, 8},
	{MLX5_IB_ATTR_DEVX_QUERY_EQN_DEV_EQN, UV_ATTR_OUT, true, 0, 4, 0},
};
static const struct uv_spec uar_specs[] = {
	{MLX5_IB_ATTR_DEVX_QUERY_UAR_USER_IDX, UV_ATTR_IN, true, 0, 4, 8},
	{MLX5_IB_ATTR_DEVX_QUERY_UAR_DEV_IDX, UV_ATTR_OUT, true, 0, 4, 0},
};
static const struct uv_spec create_specs[] = {
	HANDLE(MLX5_IB_ATTR_DEVX_OBJ_CREATE_HANDLE, UV_ATTR_OBJ_NEW),
	CMD_IN(MLX5_IB_ATTR_DEVX_OBJ_CREATE_CMD_IN),
	CMD_OUT(MLX5_IB_ATTR_DEVX_OBJ_CREATE_CMD_OUT),
};
static const struct uv_spec destroy_specs[] = {
	HANDLE(MLX5_IB_ATTR_DEVX_OBJ_DESTROY_HANDLE, UV_ATTR_OBJ_DESTROY),
};
/* shared, as in the kernel: slots of a bulk may be written side by side */
static const struct uv_spec modify_specs[] = {
	ANY(MLX5_IB_ATTR_DEVX_OBJ_MODIFY_HANDLE),
	CMD_IN(MLX5_IB_ATTR_DEVX_OBJ_MODIFY_CMD_IN),
	CMD_OUT(MLX5_IB_ATTR_DEVX_OBJ_MODIFY_CMD_OUT),
};
static const struct uv_spec query_specs[] = {
	ANY(MLX5_IB_ATTR_DEVX_OBJ_QUERY_HANDLE),
	CMD_IN(MLX5_IB_ATTR_DEVX_OBJ_QUERY_CMD_IN),
	CMD_OUT(MLX5_IB_ATTR_DEVX_OBJ_QUERY_CMD_OUT),
};
static const struct uv_spec async_query_specs[] = {
	ANY(MLX5_IB_ATTR_DEVX_OBJ_QUERY_ASYNC_HANDLE),
	CMD_IN(MLX5_IB_ATTR_DEVX_OBJ_QUERY_ASYNC_CMD_IN),
	{MLX5_IB_ATTR_DEVX_OBJ_QUERY_ASYNC_OUT_LEN, UV_ATTR_IN, true, 0, 2, 8},
	{MLX5_IB_ATTR_DEVX_OBJ_QUERY_ASYNC_FD, UV_ATTR_FD, true, UV_CHANNEL_DEVX_CMD, 0, 0},
	{MLX5_IB_ATTR_DEVX_OBJ_QUERY_ASYNC_WR_ID, UV_ATTR_IN, true, 0, 8, 8},
};

const struct uv_method uv_devx_methods[] = {
	UV_METHOD(MLX5_IB_OBJECT_DEVX, MLX5_IB_METHOD_DEVX_OTHER, NULL, other, other_specs),
	UV_METHOD(MLX5_IB_OBJECT_DEVX, MLX5_IB_METHOD_DEVX_QUERY_EQN, NULL, query_eqn, eqn_specs),
	UV_METHOD(MLX5_IB_OBJECT_DEVX, MLX5_IB_METHOD_DEVX_QUERY_UAR, NULL, query_uar, uar_specs),
	UV_METHOD(MLX5_IB_OBJECT_DEVX_OBJ, MLX5_IB_METHOD_DEVX_OBJ_CREATE, &uv_devx_class, obj_create, create_specs),
	UV_METHOD(MLX5_IB_OBJECT_DEVX_OBJ, MLX5_IB_METHOD_DEVX_OBJ_DESTROY, NULL, uv_destroyed, destroy_specs),
	UV_METHOD(MLX5_IB_OBJECT_DEVX_OBJ, MLX5_IB_METHOD_DEVX_OBJ_MODIFY, NULL, obj_modify, modify_specs),
	UV_METHOD(MLX5_IB_OBJECT_DEVX_OBJ, MLX5_IB_METHOD_DEVX_OBJ_QUERY, NULL, obj_query, query_specs),
	UV_METHOD(MLX5_IB_OBJECT_DEVX_OBJ, MLX5_IB_METHOD_DEVX_OBJ_ASYNC_QUERY, NULL, obj_async_query, async_query_specs),
	{0},
};
/* clang-format on */
