// SPDX-License-Identifier: BSD-2-Clause
/*
 * Receive queues of their own, and packets spread over them:
 *
 *   WQ ─ RQ ◀──┐
 *   WQ ─ RQ ◀──┼─ indirection table ─ RQT ◀─ RSS QP ─ TIR (hash of the fields that were asked for)
 *   WQ ─ RQ ◀──┘
 *
 * An RSS QP has no queue: flows lead to its TIR. What a kernel would take and the model cannot (striding RQs, delayed
 * drops, tunnels) is EOPNOTSUPP.
 *
 * Source: Linux drivers/infiniband/hw/mlx5/qp.c and core/uverbs_cmd.c.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "providers/model/fw.h"
#include "verbs.h"
#include "write.h"

enum { RESET, RDY, ERR };		      /* of a WQ */
enum { STATE = 1, CUR_STATE = 2, FLAGS = 4 }; /* mask of a change */
enum { CVLAN_STRIPPING = 1, OTHER_FLAGS = 0xe };
enum { TYPE_RQ, DBREC_BYTES = 8, MAX_LOG_STRIDE = 9, KEY_LEN = 40 };

struct uv_wq {
	struct uv_obj o;
	struct uv_obj *pd, *cq;
	uint32_t rqn, dbrec, ring; /* dbrec, ring: umems */
	uint8_t state;
};

struct uv_ind {
	struct uv_obj o;
	uint32_t rqtn, nqueues;
	struct uv_obj **queues;
};

/* -- work queues --------------------------------------------------------------------------------------------------------- */

static int wq_destroy(struct uv_ctx *ctx, struct uv_obj *o)
{
	struct uv_wq *wq = (struct uv_wq *)o;
	int err = wq->rqn ? uv_command_on(ctx, PRM_CMD_OP_DESTROY_RQ, wq->rqn) : 0;

	if (err)
		return err; /* it goes on being looked at */
	if (wq->rqn)
		uv_watch_remove(ctx, UV_WATCH_RQ, wq->rqn);
	wq->rqn = 0;
	if (wq->ring)
		uv_umem_delete(ctx, wq->ring);
	if (wq->dbrec)
		uv_umem_delete(ctx, wq->dbrec);
	wq->ring = wq->dbrec = 0;
	if (wq->pd) {
		uv_obj_unuse(ctx, wq->pd);
		uv_obj_unuse(ctx, wq->cq);
	}
	wq->pd = wq->cq = NULL;
	return 0;
}

static unsigned int wq_parts(const struct uv_obj *o, struct prov_obj parts[UV_MAX_PARTS])
{
	parts[0].create = PRM_CMD_OP_CREATE_RQ;
	parts[0].id = ((const struct uv_wq *)o)->rqn;
	return 1;
}

static const struct uv_class wq_class = {UVERBS_OBJECT_WQ, sizeof(struct uv_wq), wq_destroy,
					 wq_parts};

/* What both ways to create one give. */
struct wq_request {
	struct mlx5_ib_create_wq d;
	struct uv_obj *pd, *cq;
	uint32_t type, flags;
};

static int check_wq(const struct wq_request *r)
{
	const struct mlx5_ib_create_wq *d = &r->d;

	if (r->type != TYPE_RQ)
		return -EINVAL;
	if (r->flags & ~(uint32_t)CVLAN_STRIPPING || d->comp_mask || d->flags)
		return -EOPNOTSUPP;
	if (!d->rq_wqe_count || (d->rq_wqe_count & (d->rq_wqe_count - 1)) ||
	    d->rq_wqe_shift > MAX_LOG_STRIDE)
		return -EINVAL;
	return 0;
}

static int new_rq(struct uv_ctx *ctx, struct uv_wq *wq, const struct wq_request *r)
{
	uint8_t in[PRM_BYTES(create_rq_in)] = {0};
	uint8_t *rqc = PRM_AT(create_rq_in, in, ctx);
	struct uv_watch w = {.what = UV_WATCH_RQ};
	unsigned int log = (unsigned int)__builtin_ctz(r->d.rq_wqe_count);
	int err = uv_umem_new(ctx, r->d.db_addr, DBREC_BYTES, &wq->dbrec);

	if (!err)
		err = uv_umem_new(ctx, r->d.buf_addr, UINT64_C(1) << (log + r->d.rq_wqe_shift),
				  &wq->ring);
	if (err)
		return err;
	PRM_SET(create_rq_in, in, opcode, PRM_CMD_OP_CREATE_RQ);
	PRM_SET(rqc, rqc, flush_in_error_en, 1);
	PRM_SET(rqc, rqc, vsd, !(r->flags & CVLAN_STRIPPING));
	PRM_SET(rqc, rqc, user_index, r->d.user_index);
	PRM_SET(rqc, rqc, cqn, ((struct uv_cq *)wq->cq)->cqn);
	uv_fill_wq(PRM_AT(rqc, rqc, wq), &(struct uv_ring){.pdn = ((struct uv_pd *)wq->pd)->pdn,
							   .ring = wq->ring,
							   .dbrec = wq->dbrec,
							   .log_size = log,
							   .log_stride = r->d.rq_wqe_shift});
	err = uv_command_new(ctx, in, sizeof(in), &w.number);
	if (err)
		return err;
	wq->rqn = w.number;
	return uv_watch_add(ctx->card, &w);
}

/* What a failure leaves goes with the WQ. */
static int make_wq(struct uv_call *c, struct uv_wq *wq, const struct wq_request *r)
{
	struct mlx5_ib_create_wq_resp uhw = {.response_length = sizeof(uhw)};
	int err = check_wq(r);

	if (err)
		return err;
	wq->pd = r->pd;
	wq->cq = r->cq;
	uv_obj_use(c->ctx, wq->pd);
	uv_obj_use(c->ctx, wq->cq);
	err = new_rq(c->ctx, wq, r);
	if (!err)
		err = uv_out(c, UVERBS_ATTR_UHW_OUT, &uhw, sizeof(uhw));
	return err == -ENOENT ? 0 : err;
}

/* By ioctl: PD and CQ are taken. */
static int create_wq(struct uv_call *c)
{
	struct uv_wq *wq = (struct uv_wq *)c->made;
	struct wq_request r = {.pd = uv_object(c, UVERBS_ATTR_CREATE_WQ_PD_HANDLE),
			       .cq = uv_object(c, UVERBS_ATTR_CREATE_WQ_CQ_HANDLE)};
	uint32_t max_wr, max_sge;
	uint64_t type, flags;
	int err = uv_in(c, UVERBS_ATTR_UHW_IN, &r.d, sizeof(r.d));

	if (!err)
		err = uv_in(c, UVERBS_ATTR_CREATE_WQ_TYPE, &type, sizeof(type));
	if (!err)
		err = uv_in(c, UVERBS_ATTR_CREATE_WQ_FLAGS, &flags, sizeof(flags));
	if (!err)
		err = uv_in(c, UVERBS_ATTR_CREATE_WQ_MAX_WR, &max_wr, sizeof(max_wr));
	if (!err)
		err = uv_in(c, UVERBS_ATTR_CREATE_WQ_MAX_SGE, &max_sge, sizeof(max_sge));
	if (err)
		return err;
	r.type = type > UINT32_MAX ? UINT32_MAX : (uint32_t)type;
	r.flags = flags > UINT32_MAX ? UINT32_MAX : (uint32_t)flags;
	err = make_wq(c, wq, &r);
	if (!err)
		err = uv_out(c, UVERBS_ATTR_CREATE_WQ_RESP_MAX_WR, &max_wr, sizeof(max_wr));
	if (!err)
		err = uv_out(c, UVERBS_ATTR_CREATE_WQ_RESP_MAX_SGE, &max_sge, sizeof(max_sge));
	if (!err)
		err = uv_out(c, UVERBS_ATTR_CREATE_WQ_RESP_WQ_NUM, &wq->rqn, sizeof(wq->rqn));
	if (err)
		wq_destroy(c->ctx, &wq->o);
	return err;
}

static int write_wq(struct uv_write *w, const struct wq_request *r)
{
	const struct ib_uverbs_ex_create_wq *cmd = (const void *)w->in;
	struct uv_wq *wq = (struct uv_wq *)uv_obj_new(&wq_class);
	struct ib_uverbs_ex_create_wq_resp resp = {
		.response_length = sizeof(resp), .max_wr = cmd->max_wr, .max_sge = cmd->max_sge};
	int err;

	if (!wq)
		return -ENOMEM;
	err = make_wq(w->c, wq, r);
	resp.wqn = wq->rqn;
	return uv_write_publish(w, &wq->o, err, &resp, sizeof(resp), &resp.wq_handle);
}

/* By the older command. */
static int ex_create_wq(struct uv_write *w)
{
	const struct ib_uverbs_ex_create_wq *cmd = (const void *)w->in;
	struct wq_request r = {.type = cmd->wq_type, .flags = cmd->create_flags};
	struct uv_ctx *ctx = w->c->ctx;
	int err = uv_in(w->c, UVERBS_ATTR_UHW_IN, &r.d, sizeof(r.d));

	if (err || cmd->comp_mask)
		return err ? err : -EINVAL;
	if (uv_obj_get(ctx, UVERBS_OBJECT_PD, cmd->pd_handle, UV_READ, &r.pd))
		return -EINVAL;
	err = uv_obj_get(ctx, UVERBS_OBJECT_CQ, cmd->cq_handle, UV_READ, &r.cq) ? -EINVAL : 0;
	if (!err) {
		err = write_wq(w, &r);
		uv_obj_put(ctx, r.cq, UV_READ);
	}
	uv_obj_put(ctx, r.pd, UV_READ);
	return err;
}

/* The three states are those of the RQ. */
static int move(struct uv_ctx *ctx, struct uv_wq *wq, uint8_t from, uint8_t to)
{
	static const uint8_t state[] = {
		[RESET] = MODEL_Q_RST, [RDY] = MODEL_Q_RDY, [ERR] = MODEL_Q_ERR};
	uint8_t in[PRM_BYTES(modify_rq_in)] = {0}, out[PRM_BYTES(modify_rq_out)] = {0};
	int err;

	PRM_SET(modify_rq_in, in, opcode, PRM_CMD_OP_MODIFY_RQ);
	PRM_SET(modify_rq_in, in, rq_state, state[from]);
	PRM_SET(modify_rq_in, in, rqn, wq->rqn);
	PRM_SET(rqc, PRM_AT(modify_rq_in, in, ctx), state, state[to]);
	err = uv_command(ctx, in, sizeof(in), out, sizeof(out));
	if (!err)
		wq->state = to;
	return err;
}

static int change(struct uv_write *w, struct uv_wq *wq)
{
	const struct ib_uverbs_ex_modify_wq *cmd = (const void *)w->in;
	uint32_t from = cmd->attr_mask & CUR_STATE ? cmd->curr_wq_state : wq->state;
	uint32_t to = cmd->attr_mask & STATE ? cmd->wq_state : from;

	if (!cmd->attr_mask || cmd->attr_mask & ~(uint32_t)(STATE | CUR_STATE | FLAGS))
		return -EINVAL;
	if (cmd->attr_mask & FLAGS)
		return -EOPNOTSUPP;
	if (from > ERR || to > ERR)
		return -EINVAL;
	return move(w->c->ctx, wq, (uint8_t)from, (uint8_t)to);
}

static int modify_wq(struct uv_write *w)
{
	const struct ib_uverbs_ex_modify_wq *cmd = (const void *)w->in;
	struct mlx5_ib_modify_wq d;
	struct uv_obj *o;
	int err = uv_in(w->c, UVERBS_ATTR_UHW_IN, &d, sizeof(d));

	if (err)
		return err;
	if (d.comp_mask || d.reserved)
		return -EOPNOTSUPP;
	err = uv_obj_get(w->c->ctx, UVERBS_OBJECT_WQ, cmd->wq_handle, UV_WRITE, &o);
	if (err)
		return err == -ENOENT ? -EINVAL : err;
	err = change(w, (struct uv_wq *)o);
	uv_obj_put(w->c->ctx, o, UV_WRITE);
	return err;
}

/* -- indirection tables ------------------------------------------------------------------------------------------ */

static int ind_destroy(struct uv_ctx *ctx, struct uv_obj *o)
{
	struct uv_ind *ind = (struct uv_ind *)o;
	int err = ind->rqtn ? uv_command_on(ctx, PRM_CMD_OP_DESTROY_RQT, ind->rqtn) : 0;

	if (err)
		return err;
	ind->rqtn = 0;
	while (ind->nqueues)
		uv_obj_unuse(ctx, ind->queues[--ind->nqueues]);
	free(ind->queues);
	ind->queues = NULL;
	return 0;
}

static unsigned int ind_parts(const struct uv_obj *o, struct prov_obj parts[UV_MAX_PARTS])
{
	parts[0].create = PRM_CMD_OP_CREATE_RQT;
	parts[0].id = ((const struct uv_ind *)o)->rqtn;
	return 1;
}

static const struct uv_class ind_class = {UVERBS_OBJECT_RWQ_IND_TBL, sizeof(struct uv_ind),
					  ind_destroy, ind_parts};

/* Each of the work queues is counted as used before it is given back. list: of the command, where their RQs go. */
static int take_queues(struct uv_ctx *ctx, struct uv_ind *ind, const uint32_t *handle, uint32_t n,
		       uint8_t *list)
{
	ind->queues = calloc(n, sizeof(struct uv_obj *));
	if (!ind->queues)
		return -ENOMEM;
	while (ind->nqueues < n) {
		struct uv_obj *o;

		if (uv_obj_get(ctx, UVERBS_OBJECT_WQ, handle[ind->nqueues], UV_READ, &o))
			return -EINVAL;
		PRM_SET(rq_num, list + ind->nqueues * PRM_BYTES(rq_num), rq_num,
			((struct uv_wq *)o)->rqn);
		uv_obj_use(ctx, o);
		uv_obj_put(ctx, o, UV_READ);
		ind->queues[ind->nqueues++] = o;
	}
	return 0;
}

static int new_rqt(struct uv_ctx *ctx, struct uv_ind *ind, const uint32_t *handle, uint32_t n)
{
	size_t inlen = PRM_BYTES(create_rqt_in) + n * PRM_BYTES(rq_num);
	uint8_t *in = calloc(1, inlen), *rqtc;
	int err;

	if (!in)
		return -ENOMEM;
	PRM_SET(create_rqt_in, in, opcode, PRM_CMD_OP_CREATE_RQT);
	rqtc = PRM_AT(create_rqt_in, in, rqt_context);
	PRM_SET(rqtc, rqtc, rqt_max_size, n);
	PRM_SET(rqtc, rqtc, rqt_actual_size, n);
	err = take_queues(ctx, ind, handle, n, rqtc + PRM_BYTES(rqtc));
	if (!err)
		err = uv_command_new(ctx, in, inlen, &ind->rqtn);
	free(in);
	return err;
}

static int create_ind(struct uv_write *w)
{
	const struct ib_uverbs_ex_create_rwq_ind_table *cmd = (const void *)w->in;
	struct ib_uverbs_ex_create_rwq_ind_table_resp r = {.response_length = sizeof(r)};
	struct mlx5_ib_create_rwq_ind_tbl_resp uhw = {.response_length = sizeof(uhw)};
	struct uv_ind *ind;
	uint32_t n;
	int err;

	if (cmd->comp_mask || cmd->log_ind_tbl_size > MODEL_LOG_MAX_RQT)
		return -EINVAL;
	n = 1u << cmd->log_ind_tbl_size;
	if (uv_len(w->c, UVERBS_ATTR_CORE_IN) < sizeof(*cmd) + n * sizeof(uint32_t))
		return -ENOSPC;
	ind = (struct uv_ind *)uv_obj_new(&ind_class);
	if (!ind)
		return -ENOMEM;
	err = new_rqt(w->c->ctx, ind, cmd->wq_handles, n);
	r.ind_tbl_num = ind->rqtn;
	if (!err)
		err = uv_out(w->c, UVERBS_ATTR_UHW_OUT, &uhw, sizeof(uhw));
	return uv_write_publish(w, &ind->o, err == -ENOENT ? 0 : err, &r, sizeof(r),
				&r.ind_tbl_handle);
}

/* -- destroying them --------------------------------------------------------------------------------------------- */

static int ex_destroy_wq(struct uv_write *w)
{
	const struct ib_uverbs_ex_destroy_wq *cmd = (const void *)w->in;
	struct ib_uverbs_ex_destroy_wq_resp r = {.response_length = sizeof(r)};
	int err = cmd->comp_mask ? -EOPNOTSUPP
				 : uv_write_destroy(w, UVERBS_OBJECT_WQ, cmd->wq_handle);

	return err ? err : uv_out(w->c, UVERBS_ATTR_CORE_OUT, &r, sizeof(r));
}

static int destroy_ind(struct uv_write *w)
{
	const struct ib_uverbs_ex_destroy_rwq_ind_table *cmd = (const void *)w->in;

	return cmd->comp_mask ? -EOPNOTSUPP
			      : uv_write_destroy(w, UVERBS_OBJECT_RWQ_IND_TBL, cmd->ind_tbl_handle);
}

/* -- RSS QPs ------------------------------------------------------------------------------------------------------- */

enum {
	V4 = MLX5_RX_HASH_SRC_IPV4 | MLX5_RX_HASH_DST_IPV4,
	V6 = MLX5_RX_HASH_SRC_IPV6 | MLX5_RX_HASH_DST_IPV6,
	TCP = MLX5_RX_HASH_SRC_PORT_TCP | MLX5_RX_HASH_DST_PORT_TCP,
	UDP = MLX5_RX_HASH_SRC_PORT_UDP | MLX5_RX_HASH_DST_PORT_UDP,
	SRC_IP = MLX5_RX_HASH_SRC_IPV4 | MLX5_RX_HASH_SRC_IPV6,
	DST_IP = MLX5_RX_HASH_DST_IPV4 | MLX5_RX_HASH_DST_IPV6,
	SPORT = MLX5_RX_HASH_SRC_PORT_TCP | MLX5_RX_HASH_SRC_PORT_UDP,
	DPORT = MLX5_RX_HASH_DST_PORT_TCP | MLX5_RX_HASH_DST_PORT_UDP,
	KNOWN = V4 | V6 | TCP | UDP | MLX5_RX_HASH_IPSEC_SPI,
};

/* Nothing to hash is fine where there is nothing to choose: the QP is then where a rule leads. */
static int check_rss(const struct mlx5_ib_create_qp_rss *d, const struct uv_ind *ind)
{
	uint64_t f = d->rx_hash_fields_mask;
	bool spi = f & MLX5_RX_HASH_IPSEC_SPI;

	if (d->comp_mask || d->flags || f & ~(uint64_t)KNOWN ||
	    d->rx_hash_function != MLX5_RX_HASH_FUNC_TOEPLITZ)
		return -EOPNOTSUPP;
	if (d->rx_key_len != KEY_LEN || (!f && ind->nqueues > 1) || (f & V4 && f & V6) ||
	    !!(f & TCP) + !!(f & UDP) + spi > 1)
		return -EINVAL;
	return 0;
}

static unsigned int selected(uint64_t f)
{
	return (f & SRC_IP ? PRM_RX_HASH_FIELD_SRC_IP : 0) |
	       (f & DST_IP ? PRM_RX_HASH_FIELD_DST_IP : 0) |
	       (f & SPORT ? PRM_RX_HASH_FIELD_L4_SPORT : 0) |
	       (f & DPORT ? PRM_RX_HASH_FIELD_L4_DPORT : 0) |
	       (f & MLX5_RX_HASH_IPSEC_SPI ? PRM_RX_HASH_FIELD_IPSEC_SPI : 0);
}

static int new_tir(struct uv_ctx *ctx, struct uv_qp *qp, const struct uv_ind *ind,
		   const struct mlx5_ib_create_qp_rss *d)
{
	uint8_t in[PRM_BYTES(create_tir_in)] = {0};
	uint8_t *tirc = PRM_AT(create_tir_in, in, ctx);
	uint8_t *fields = PRM_AT(tirc, tirc, rx_hash_field_selector_outer);
	uint64_t f = d->rx_hash_fields_mask;

	PRM_SET(create_tir_in, in, opcode, PRM_CMD_OP_CREATE_TIR);
	PRM_SET(tirc, tirc, disp_type, PRM_TIRC_DISP_TYPE_INDIRECT);
	PRM_SET(tirc, tirc, indirect_table, ind->rqtn);
	PRM_SET(tirc, tirc, transport_domain, qp->tdn);
	PRM_SET(tirc, tirc, rx_hash_fn, PRM_RX_HASH_FN_TOEPLITZ);
	memcpy(PRM_AT(tirc, tirc, rx_hash_toeplitz_key), d->rx_hash_key, KEY_LEN);
	PRM_SET(rx_hash_field_select, fields, l3_prot_type,
		f & V6 ? PRM_RX_HASH_L3_IPV6 : PRM_RX_HASH_L3_IPV4);
	PRM_SET(rx_hash_field_select, fields, l4_prot_type,
		f & UDP ? PRM_RX_HASH_L4_UDP : PRM_RX_HASH_L4_TCP);
	PRM_SET(rx_hash_field_select, fields, selected_fields, selected(f));
	return uv_command_new(ctx, in, sizeof(in), &qp->tirn);
}

int uv_rss_create(struct uv_call *c, struct uv_qp *qp)
{
	struct uv_obj *ind = uv_object(c, UVERBS_ATTR_CREATE_QP_IND_TABLE_HANDLE);
	uint8_t in[PRM_BYTES(alloc_transport_domain_in)] = {0};
	struct mlx5_ib_create_qp_rss d;
	int err = uv_in(c, UVERBS_ATTR_UHW_IN, &d, sizeof(d));

	if (!err)
		err = check_rss(&d, (struct uv_ind *)ind);
	if (err)
		return err;
	PRM_SET(alloc_transport_domain_in, in, opcode, PRM_CMD_OP_ALLOC_TRANSPORT_DOMAIN);
	err = uv_command_new(c->ctx, in, sizeof(in), &qp->tdn);
	return err ? err : new_tir(c->ctx, qp, (struct uv_ind *)ind, &d);
}

static int destroy_wq(struct uv_call *c)
{
	uint32_t events = 0;
	int err = uv_destroyed(c);

	return err ? err : uv_out(c, UVERBS_ATTR_DESTROY_WQ_RESP, &events, sizeof(events));
}

#define EX(name) (IB_USER_VERBS_CMD_FLAG_EXTENDED | IB_USER_VERBS_EX_CMD_##name)
/* clang-format off */
static const struct uv_spec create_specs[] = {
	{UVERBS_ATTR_CREATE_WQ_HANDLE, UV_ATTR_OBJ_NEW, true, 0, 0, 0},
	{UVERBS_ATTR_CREATE_WQ_PD_HANDLE, UV_ATTR_OBJ_READ, true, UVERBS_OBJECT_PD, 0, 0},
	{UVERBS_ATTR_CREATE_WQ_CQ_HANDLE, UV_ATTR_OBJ_READ, true, UVERBS_OBJECT_CQ, 0, 0},
	{UVERBS_ATTR_CREATE_WQ_USER_HANDLE, UV_ATTR_IN, true, 0, 8, 8},
	{UVERBS_ATTR_CREATE_WQ_TYPE, UV_ATTR_IN, true, 0, 1, 8},
	{UVERBS_ATTR_CREATE_WQ_EVENT_FD, UV_ATTR_FD, false, UV_CHANNEL_ASYNC, 0, 0},
	{UVERBS_ATTR_CREATE_WQ_MAX_WR, UV_ATTR_IN, true, 0, 4, 8},
	{UVERBS_ATTR_CREATE_WQ_MAX_SGE, UV_ATTR_IN, true, 0, 4, 8},
	{UVERBS_ATTR_CREATE_WQ_FLAGS, UV_ATTR_IN, true, 0, 4, 8},
	{UVERBS_ATTR_CREATE_WQ_RESP_MAX_WR, UV_ATTR_OUT, true, 0, 4, 0},
	{UVERBS_ATTR_CREATE_WQ_RESP_MAX_SGE, UV_ATTR_OUT, true, 0, 4, 0},
	{UVERBS_ATTR_CREATE_WQ_RESP_WQ_NUM, UV_ATTR_OUT, false, 0, 4, 0},
	{UVERBS_ATTR_UHW_IN, UV_ATTR_IN, true, 0, 24, 0},
	{UVERBS_ATTR_UHW_OUT, UV_ATTR_OUT, false, 0, 4, 0},
};
static const struct uv_spec destroy_specs[] = {
	{UVERBS_ATTR_DESTROY_WQ_HANDLE, UV_ATTR_OBJ_DESTROY, true, UVERBS_OBJECT_WQ, 0, 0},
	{UVERBS_ATTR_DESTROY_WQ_RESP, UV_ATTR_OUT, true, 0, 4, 0},
};
static const struct uv_spec ind_destroy_specs[] = {
	{UVERBS_ATTR_DESTROY_RWQ_IND_TBL_HANDLE, UV_ATTR_OBJ_DESTROY, true, UVERBS_OBJECT_RWQ_IND_TBL, 0, 0},
};

const struct uv_method uv_wq_methods[] = {
	UV_METHOD(UVERBS_OBJECT_WQ, UVERBS_METHOD_WQ_CREATE, &wq_class, create_wq, create_specs),
	UV_METHOD(UVERBS_OBJECT_WQ, UVERBS_METHOD_WQ_DESTROY, NULL, destroy_wq, destroy_specs),
	UV_METHOD(UVERBS_OBJECT_RWQ_IND_TBL, UVERBS_METHOD_RWQ_IND_TBL_DESTROY, NULL, uv_destroyed, ind_destroy_specs),
	{0},
};

const struct uv_write_cmd uv_wq_commands[] = {
	{EX(CREATE_WQ), ex_create_wq, sizeof(struct ib_uverbs_ex_create_wq), sizeof(struct ib_uverbs_ex_create_wq_resp)},
	{EX(MODIFY_WQ), modify_wq, sizeof(struct ib_uverbs_ex_modify_wq), 0},
	{EX(DESTROY_WQ), ex_destroy_wq, sizeof(struct ib_uverbs_ex_destroy_wq), 8},
	{EX(CREATE_RWQ_IND_TBL), create_ind, sizeof(struct ib_uverbs_ex_create_rwq_ind_table), sizeof(struct ib_uverbs_ex_create_rwq_ind_table_resp)},
	{EX(DESTROY_RWQ_IND_TBL), destroy_ind, sizeof(struct ib_uverbs_ex_destroy_rwq_ind_table), 0},
};
/* clang-format on */
const size_t uv_wq_ncommands = sizeof(uv_wq_commands) / sizeof(uv_wq_commands[0]);
