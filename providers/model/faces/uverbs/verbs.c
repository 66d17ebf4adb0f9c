// SPDX-License-Identifier: BSD-2-Clause
/*
 * Objects of verbs: PD, MR, CQ and completion channels, made of the firmware's objects as the kernel's driver makes
 * them. Rings and doorbell records are the program's memory, told by address in the driver's part of the command.
 *
 * Source: Linux drivers/infiniband/core/uverbs_cmd.c, hw/mlx5/main.c, mr.c, cq.c.
 */
#include "verbs.h"

#include <assert.h>
#include <errno.h>
#include <string.h>

#include "write.h"

enum { CQE_BYTES = 64, DBREC_BYTES = 8, MAX_LOG_CQ = 22 };

/* where commands and answers have the number of an object, bits */
#define NUMBER_AT 0x48
#define NUMBER_BITS 24

/* -- commands ------------------------------------------------------------------------------------------------- */

int uv_command(struct uv_ctx *ctx, void *in, size_t inlen, void *out, size_t outlen)
{
	int err;

	prm_put(in, 0x10, 16, ctx->uid);
	err = uv_exec(ctx, in, inlen, out, outlen);
	return err == -EREMOTEIO ? uv_status_errno(out) : err;
}

int uv_command_on(struct uv_ctx *ctx, uint16_t opcode, uint32_t number)
{
	uint8_t in[16] = {0}, out[16] = {0};

	prm_put(in, 0, 16, opcode);
	prm_put(in, NUMBER_AT, NUMBER_BITS, number);
	return uv_command(ctx, in, sizeof(in), out, sizeof(out));
}

int uv_command_new(struct uv_ctx *ctx, void *in, size_t inlen, uint32_t *number)
{
	uint8_t out[16] = {0};
	int err = uv_command(ctx, in, inlen, out, sizeof(out));

	*number = (uint32_t)prm_get(out, NUMBER_AT, NUMBER_BITS);
	return err;
}

static_assert(PRM_OFFSET(alloc_pd_out, pd) == NUMBER_AT &&
		      PRM_OFFSET(dealloc_pd_in, pd) == NUMBER_AT,
	      "");
static_assert(PRM_OFFSET(create_mkey_out, mkey_index) == NUMBER_AT &&
		      PRM_OFFSET(destroy_mkey_in, mkey_index) == NUMBER_AT,
	      "");
static_assert(PRM_OFFSET(create_cq_out, cqn) == NUMBER_AT &&
		      PRM_OFFSET(destroy_cq_in, cqn) == NUMBER_AT,
	      "");

/* -- PD ------------------------------------------------------------------------------------------------------------ */

static int pd_destroy(struct uv_ctx *ctx, struct uv_obj *o)
{
	return uv_command_on(ctx, PRM_CMD_OP_DEALLOC_PD, ((struct uv_pd *)o)->pdn);
}

const struct uv_class uv_pd_class = {UVERBS_OBJECT_PD, sizeof(struct uv_pd), pd_destroy, NULL};

static int alloc_pd(struct uv_write *w)
{
	uint8_t in[PRM_BYTES(alloc_pd_in)] = {0};
	struct uv_pd *pd = (struct uv_pd *)uv_obj_new(&uv_pd_class);
	struct mlx5_ib_alloc_pd_resp uhw;
	struct ib_uverbs_alloc_pd_resp r;
	int err;

	if (!pd)
		return -ENOMEM;
	PRM_SET(alloc_pd_in, in, opcode, PRM_CMD_OP_ALLOC_PD);
	err = uv_command_new(w->c->ctx, in, sizeof(in), &pd->pdn);
	if (err) {
		uv_obj_discard(&pd->o);
		return err;
	}
	uhw.pdn = pd->pdn;
	err = uv_out(w->c, UVERBS_ATTR_UHW_OUT, &uhw, sizeof(uhw));
	return uv_write_publish(w, &pd->o, err == -ENOENT ? 0 : err, &r, sizeof(r), &r.pd_handle);
}

static int query_pd(struct uv_call *c)
{
	struct uv_pd *pd = (struct uv_pd *)uv_object(c, MLX5_IB_ATTR_QUERY_PD_HANDLE);

	return uv_out(c, MLX5_IB_ATTR_QUERY_PD_RESP_PDN, &pd->pdn, sizeof(pd->pdn));
}

/* -- MR ------------------------------------------------------------------------------------------------------------ */

struct uv_mr {
	struct uv_obj o;
	struct uv_pd *pd;
	uint32_t mkey, umem;
	uint64_t start, len;
};

static int mr_destroy(struct uv_ctx *ctx, struct uv_obj *o)
{
	struct uv_mr *mr = (struct uv_mr *)o;
	int err = uv_command_on(ctx, PRM_CMD_OP_DESTROY_MKEY, mr->mkey);

	if (err)
		return err;
	uv_umem_delete(ctx, mr->umem);
	uv_obj_unuse(ctx, &mr->pd->o);
	return 0;
}

static const struct uv_class mr_class = {UVERBS_OBJECT_MR, sizeof(struct uv_mr), mr_destroy, NULL};

/* Mapped memory that the kernel would pin. Access bits are checked as there. */
static int check_mr(const struct ib_uverbs_reg_mr *cmd)
{
	uint32_t access = cmd->access_flags & ~(uint32_t)IB_UVERBS_ACCESS_OPTIONAL_RANGE;
	uint32_t known = IB_UVERBS_ACCESS_LOCAL_WRITE | IB_UVERBS_ACCESS_REMOTE_WRITE |
			 IB_UVERBS_ACCESS_REMOTE_READ | IB_UVERBS_ACCESS_ZERO_BASED;

	if ((cmd->start & (UV_PAGE - 1)) != (cmd->hca_va & (UV_PAGE - 1)) &&
	    !(access & IB_UVERBS_ACCESS_ZERO_BASED))
		return -EINVAL;
	if ((access & IB_UVERBS_ACCESS_REMOTE_WRITE) && !(access & IB_UVERBS_ACCESS_LOCAL_WRITE))
		return -EINVAL;
	return access & ~known ? -EOPNOTSUPP : 0;
}

static int make_key(struct uv_ctx *ctx, struct uv_mr *mr, uint32_t access)
{
	uint8_t in[PRM_BYTES(create_mkey_in)] = {0};
	uint8_t *mkc = PRM_AT(create_mkey_in, in, memory_key_mkey_entry);

	PRM_SET(create_mkey_in, in, opcode, PRM_CMD_OP_CREATE_MKEY);
	PRM_SET(create_mkey_in, in, mkey_umem_valid, 1);
	PRM_SET(create_mkey_in, in, mkey_umem_id, mr->umem);
	PRM_SET(mkc, mkc, access_mode_1_0, PRM_MKC_ACCESS_MODE_MTT);
	PRM_SET(mkc, mkc, lr, 1);
	PRM_SET(mkc, mkc, lw, access & IB_UVERBS_ACCESS_LOCAL_WRITE ? 1 : 0);
	PRM_SET(mkc, mkc, qpn, 0xffffff);
	PRM_SET(mkc, mkc, pd, mr->pd->pdn);
	PRM_SET(mkc, mkc, start_addr, mr->start);
	PRM_SET(mkc, mkc, len, mr->len);
	return uv_command_new(ctx, in, sizeof(in), &mr->mkey);
}

/* With the PD taken. */
static int reg_in_pd(struct uv_write *w, struct uv_pd *pd, const struct ib_uverbs_reg_mr *cmd)
{
	struct uv_ctx *ctx = w->c->ctx;
	struct uv_mr *mr = (struct uv_mr *)uv_obj_new(&mr_class);
	struct ib_uverbs_reg_mr_resp r;
	int err;

	if (!mr)
		return -ENOMEM;
	mr->pd = pd;
	mr->start = cmd->hca_va;
	mr->len = cmd->length;
	err = uv_umem_new(ctx, cmd->start, cmd->length, &mr->umem);
	if (!err) {
		err = make_key(ctx, mr, cmd->access_flags);
		if (err)
			uv_umem_delete(ctx, mr->umem);
	}
	if (err) {
		uv_obj_discard(&mr->o);
		return err;
	}
	uv_obj_use(ctx, &pd->o);
	r.lkey = r.rkey = mr->mkey << 8;
	return uv_write_publish(w, &mr->o, 0, &r, sizeof(r), &r.mr_handle);
}

static int reg_mr(struct uv_write *w)
{
	const struct ib_uverbs_reg_mr *cmd = (const void *)w->in;
	struct uv_obj *pd;
	int err = check_mr(cmd);

	if (!err)
		err = uv_obj_get(w->c->ctx, UVERBS_OBJECT_PD, cmd->pd_handle, UV_READ, &pd);
	if (err)
		return err == -ENOENT ? -EINVAL : err;
	err = reg_in_pd(w, (struct uv_pd *)pd, cmd);
	uv_obj_put(w->c->ctx, pd, UV_READ);
	return err;
}

static int query_mr(struct uv_call *c)
{
	struct uv_mr *mr = (struct uv_mr *)uv_object(c, UVERBS_ATTR_QUERY_MR_HANDLE);
	uint32_t key = mr->mkey << 8;
	int err = uv_out(c, UVERBS_ATTR_QUERY_MR_RESP_LKEY, &key, sizeof(key));

	if (!err)
		err = uv_out(c, UVERBS_ATTR_QUERY_MR_RESP_RKEY, &key, sizeof(key));
	if (!err)
		err = uv_out(c, UVERBS_ATTR_QUERY_MR_RESP_LENGTH, &mr->len, sizeof(mr->len));
	if (!err)
		err = uv_out(c, UVERBS_ATTR_QUERY_MR_RESP_IOVA, &mr->start, sizeof(mr->start));
	return err == -ENOENT ? 0 : err;
}

/* -- CQ ------------------------------------------------------------------------------------------------------------ */

static _Thread_local uint32_t reported, async_reported; /* by cq_destroy() to who called it */

static int cq_destroy(struct uv_ctx *ctx, struct uv_obj *o)
{
	struct uv_cq *cq = (struct uv_cq *)o;
	int err = uv_command_on(ctx, PRM_CMD_OP_DESTROY_CQ, cq->cqn);

	if (err)
		return err;
	uv_watch_remove(ctx, UV_WATCH_CQ, cq->cqn);
	uv_events_forget(ctx, o);
	uv_umem_delete(ctx, cq->ring);
	uv_umem_delete(ctx, cq->dbrec);
	async_reported = atomic_load(&cq->async_sent) - uv_channels_purge_async(ctx, cq->element);
	reported = 0;
	if (cq->channel) {
		reported = atomic_load(&cq->sent) - uv_channel_purge(cq->channel, cq->element);
		uv_channel_put(cq->channel);
	}
	return 0;
}

static unsigned int cq_parts(const struct uv_obj *o, struct prov_obj parts[UV_MAX_PARTS])
{
	parts[0].create = PRM_CMD_OP_CREATE_CQ;
	parts[0].id = ((const struct uv_cq *)o)->cqn;
	return 1;
}

const struct uv_class uv_cq_class = {UVERBS_OBJECT_CQ, sizeof(struct uv_cq), cq_destroy, cq_parts};

static int make_cq(struct uv_ctx *ctx, struct uv_cq *cq, const struct mlx5_ib_create_cq *d,
		   unsigned int log)
{
	uint8_t in[PRM_BYTES(create_cq_in)] = {0};
	uint8_t *cqc = PRM_AT(create_cq_in, in, cq_context);
	uint32_t eqn;
	int err = uv_umem_new(ctx, d->buf_addr, (uint64_t)CQE_BYTES << log, &cq->ring);

	if (err)
		return err;
	err = uv_umem_new(ctx, d->db_addr, DBREC_BYTES, &cq->dbrec);
	if (!err) {
		prov_ops(ctx->card->prov)->eqn(ctx->card->prov, &eqn);
		PRM_SET(create_cq_in, in, opcode, PRM_CMD_OP_CREATE_CQ);
		PRM_SET(create_cq_in, in, cq_umem_valid, 1);
		PRM_SET(create_cq_in, in, cq_umem_id, cq->ring);
		PRM_SET(cqc, cqc, dbr_umem_valid, 1);
		PRM_SET(cqc, cqc, dbr_umem_id, cq->dbrec);
		PRM_SET(cqc, cqc, log_cq_size, log);
		PRM_SET(cqc, cqc, uar_page, d->uar_page_index);
		PRM_SET(cqc, cqc, c_eqn_or_apu_element, eqn);
		err = uv_command_new(ctx, in, sizeof(in), &cq->cqn);
	}
	if (err) {
		uv_umem_delete(ctx, cq->dbrec);
		uv_umem_delete(ctx, cq->ring);
	}
	return err;
}

static int check_cq(const struct mlx5_ib_create_cq *d, uint32_t cqe, uint32_t vector)
{
	if (!cqe || cqe >= 1u << MAX_LOG_CQ || vector)
		return -EINVAL;
	if (d->flags & ~MLX5_IB_CREATE_CQ_FLAGS_UAR_PAGE_INDEX || d->reserved0 || d->reserved1)
		return -EINVAL;
	if (!(d->flags & MLX5_IB_CREATE_CQ_FLAGS_UAR_PAGE_INDEX))
		return -EINVAL;
	return d->cqe_size != CQE_BYTES || d->cqe_comp_en ? -EOPNOTSUPP : 0;
}

/* Whom to tell: the completion channel, and the context's channel for an overrun. */
static int connect_cq(struct uv_call *c, struct uv_cq *cq)
{
	struct uv_arg *channel = uv_arg(c, UVERBS_ATTR_CREATE_CQ_COMP_CHANNEL);
	struct uv_arg *async = uv_arg(c, UVERBS_ATTR_CREATE_CQ_EVENT_FD);
	int err = 0;

	if (channel->present) {
		cq->channel = channel->channel;
		uv_channel_hold(cq->channel);
		err = uv_subscribe(cq->channel, &cq->o, PRM_CMD_OP_CREATE_CQ, cq->cqn,
				   PRM_EVENT_TYPE_CODING_COMPLETION_EVENTS, cq->element, &cq->sent);
		if (!err)
			err = uv_listen_cq(c->ctx, cq->cqn);
	}
	if (!err && async->present)
		err = uv_subscribe(async->channel, &cq->o, PRM_CMD_OP_CREATE_CQ, cq->cqn,
				   PRM_EVENT_TYPE_CODING_CQ_ERROR, cq->element, &cq->async_sent);
	return err;
}

static int create_cq(struct uv_call *c)
{
	struct uv_cq *cq = (struct uv_cq *)c->made;
	struct mlx5_ib_create_cq_resp resp = {.cqn = 0};
	struct mlx5_ib_create_cq d;
	uint32_t cqe = 0, vector = 0;
	unsigned int log = 0;
	int err = uv_in(c, UVERBS_ATTR_UHW_IN, &d, sizeof(d));

	if (!err)
		err = uv_in(c, UVERBS_ATTR_CREATE_CQ_CQE, &cqe, sizeof(cqe));
	if (!err)
		err = uv_in(c, UVERBS_ATTR_CREATE_CQ_COMP_VECTOR, &vector, sizeof(vector));
	if (!err)
		err = uv_in(c, UVERBS_ATTR_CREATE_CQ_USER_HANDLE, &cq->element,
			    sizeof(cq->element));
	if (!err)
		err = check_cq(&d, cqe, vector);
	if (err)
		return err;
	while ((UINT32_C(1) << log) < cqe + 1)
		log++;
	err = make_cq(c->ctx, cq, &d, log);
	if (err)
		return err;
	cqe = (UINT32_C(1) << log) - 1;
	resp.cqn = cq->cqn;
	err = connect_cq(c, cq);
	if (!err)
		err = uv_out(c, UVERBS_ATTR_CREATE_CQ_RESP_CQE, &cqe, sizeof(cqe));
	if (!err)
		err = uv_out(c, UVERBS_ATTR_UHW_OUT, &resp, sizeof(resp));
	if (err)
		cq_destroy(c->ctx, &cq->o);
	return err;
}

/* The program waits until it has acknowledged as many events as it was given. */
static int destroy_cq(struct uv_call *c)
{
	struct ib_uverbs_destroy_cq_resp r = {0};
	int err = uv_destroyed(c);

	r.comp_events_reported = reported;
	r.async_events_reported = async_reported;
	return err ? err : uv_out(c, UVERBS_ATTR_DESTROY_CQ_RESP, &r, sizeof(r));
}

static int create_comp_channel(struct uv_write *w)
{
	struct ib_uverbs_create_comp_channel_resp r;
	struct uv_channel *ch;
	int err = uv_channel_new(w->c->ctx, UV_CHANNEL_COMP, &ch);

	if (err)
		return err;
	r.fd = (uint32_t)ch->fd;
	err = uv_out(w->c, UVERBS_ATTR_CORE_OUT, &r, sizeof(r));
	if (err)
		uv_channel_retract((int)r.fd);
	return err;
}

/* clang-format off */
#define DESTROY(attr, object) {{attr, UV_ATTR_OBJ_DESTROY, true, object, 0, 0}}
static const struct uv_spec pd_destroy_specs[] = DESTROY(UVERBS_ATTR_DESTROY_PD_HANDLE, UVERBS_OBJECT_PD);
static const struct uv_spec mr_destroy_specs[] = DESTROY(UVERBS_ATTR_DESTROY_MR_HANDLE, UVERBS_OBJECT_MR);
static const struct uv_spec pd_query_specs[] = {
	{MLX5_IB_ATTR_QUERY_PD_HANDLE, UV_ATTR_OBJ_READ, true, UVERBS_OBJECT_PD, 0, 0},
	{MLX5_IB_ATTR_QUERY_PD_RESP_PDN, UV_ATTR_OUT, true, 0, 4, 0},
};
static const struct uv_spec mr_query_specs[] = {
	{UVERBS_ATTR_QUERY_MR_HANDLE, UV_ATTR_OBJ_READ, true, UVERBS_OBJECT_MR, 0, 0},
	{UVERBS_ATTR_QUERY_MR_RESP_LKEY, UV_ATTR_OUT, true, 0, 4, 0},
	{UVERBS_ATTR_QUERY_MR_RESP_RKEY, UV_ATTR_OUT, true, 0, 4, 0},
	{UVERBS_ATTR_QUERY_MR_RESP_LENGTH, UV_ATTR_OUT, true, 0, 8, 0},
	{UVERBS_ATTR_QUERY_MR_RESP_IOVA, UV_ATTR_OUT, false, 0, 8, 0},
};
static const struct uv_spec cq_create_specs[] = {
	{UVERBS_ATTR_CREATE_CQ_HANDLE, UV_ATTR_OBJ_NEW, true, 0, 0, 0},
	{UVERBS_ATTR_CREATE_CQ_CQE, UV_ATTR_IN, true, 0, 4, 8},
	{UVERBS_ATTR_CREATE_CQ_USER_HANDLE, UV_ATTR_IN, true, 0, 8, 8},
	{UVERBS_ATTR_CREATE_CQ_COMP_CHANNEL, UV_ATTR_FD, false, UV_CHANNEL_COMP, 0, 0},
	{UVERBS_ATTR_CREATE_CQ_COMP_VECTOR, UV_ATTR_IN, true, 0, 4, 8},
	{UVERBS_ATTR_CREATE_CQ_FLAGS, UV_ATTR_IN, false, 0, 4, 8},
	{UVERBS_ATTR_CREATE_CQ_RESP_CQE, UV_ATTR_OUT, true, 0, 4, 0},
	{UVERBS_ATTR_CREATE_CQ_EVENT_FD, UV_ATTR_FD, false, UV_CHANNEL_ASYNC, 0, 0},
	{UVERBS_ATTR_UHW_IN, UV_ATTR_IN, true, 0, 24, 0},
	{UVERBS_ATTR_UHW_OUT, UV_ATTR_OUT, true, 0, 4, 0},
};
static const struct uv_spec cq_destroy_specs[] = {
	{UVERBS_ATTR_DESTROY_CQ_HANDLE, UV_ATTR_OBJ_DESTROY, true, UVERBS_OBJECT_CQ, 0, 0},
	{UVERBS_ATTR_DESTROY_CQ_RESP, UV_ATTR_OUT, true, 0, 8, 0},
};

const struct uv_method uv_verbs_methods[] = {
	UV_METHOD(UVERBS_OBJECT_PD, UVERBS_METHOD_PD_DESTROY, NULL, uv_destroyed, pd_destroy_specs),
	UV_METHOD(UVERBS_OBJECT_PD, MLX5_IB_METHOD_PD_QUERY, NULL, query_pd, pd_query_specs),
	UV_METHOD(UVERBS_OBJECT_MR, UVERBS_METHOD_MR_DESTROY, NULL, uv_destroyed, mr_destroy_specs),
	UV_METHOD(UVERBS_OBJECT_MR, UVERBS_METHOD_QUERY_MR, NULL, query_mr, mr_query_specs),
	UV_METHOD(UVERBS_OBJECT_CQ, UVERBS_METHOD_CQ_CREATE, &uv_cq_class, create_cq, cq_create_specs),
	UV_METHOD(UVERBS_OBJECT_CQ, UVERBS_METHOD_CQ_DESTROY, NULL, destroy_cq, cq_destroy_specs),
	{0},
};

const struct uv_write_cmd uv_verbs_commands[] = {
	{IB_USER_VERBS_CMD_ALLOC_PD, alloc_pd, sizeof(struct ib_uverbs_alloc_pd), sizeof(struct ib_uverbs_alloc_pd_resp)},
	{IB_USER_VERBS_CMD_REG_MR, reg_mr, sizeof(struct ib_uverbs_reg_mr), sizeof(struct ib_uverbs_reg_mr_resp)},
	{IB_USER_VERBS_CMD_CREATE_COMP_CHANNEL, create_comp_channel, sizeof(struct ib_uverbs_create_comp_channel), sizeof(struct ib_uverbs_create_comp_channel_resp)},
};
/* clang-format on */
const size_t uv_verbs_ncommands = sizeof(uv_verbs_commands) / sizeof(uv_verbs_commands[0]);
