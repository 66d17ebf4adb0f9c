// SPDX-License-Identifier: BSD-2-Clause
/*
 * Raw packet QPs: what the kernel's driver makes of them.
 *
 *   QP ─┬─ transport domain ─ TIS ─ SQ      send ring, doorbell record word 1
 *       └─ RQ ─ TIR                         receive ring, word 0; where flows lead
 *
 * An RSS QP is a TIR over an indirection table (wq.c). RESET -> INIT makes the RQ ready, RTR -> RTS the SQ. Other kinds of QP need an RDMA transport, which the model has not.
 *
 * Source: Linux drivers/infiniband/hw/mlx5/qp.c.
 */
#include "verbs.h"

#include <errno.h>
#include <string.h>

#include "write.h"

enum { RESET, INIT, RTR, RTS, ERR = 6, LOG_WQEBB = 6, DBREC_BYTES = 8 };
/* enum ib_qp_attr_mask */
enum { STATE_MASK = 1, PORT_MASK = 1 << 5, RATE_MASK = 1 << 25 };

static int destroy_if(struct uv_ctx *ctx, uint16_t opcode, uint32_t *number)
{
	int err = *number ? uv_command_on(ctx, opcode, *number) : 0;

	if (!err)
		*number = 0;
	return err;
}

/* A queue that stays goes on being looked at. */
static int destroy_queue_if(struct uv_ctx *ctx, uint16_t opcode, enum uv_watched what,
			    uint32_t *number)
{
	uint32_t was = *number;
	int err = destroy_if(ctx, opcode, number);

	if (!err && was)
		uv_watch_remove(ctx, what, was);
	return err;
}

/* Step by step: after a failure the next try goes on where this one ended. */
static int parts_destroy(struct uv_ctx *ctx, struct uv_qp *qp)
{
	int err = destroy_if(ctx, PRM_CMD_OP_DESTROY_TIR, &qp->tirn);

	if (!err)
		err = destroy_queue_if(ctx, PRM_CMD_OP_DESTROY_RQ, UV_WATCH_RQ, &qp->rqn);
	if (!err)
		err = destroy_queue_if(ctx, PRM_CMD_OP_DESTROY_SQ, UV_WATCH_SQ, &qp->sqn);
	if (!err)
		err = destroy_if(ctx, PRM_CMD_OP_DESTROY_TIS, &qp->tisn);
	if (!err)
		err = destroy_if(ctx, PRM_CMD_OP_DEALLOC_TRANSPORT_DOMAIN, &qp->tdn);
	for (int i = 0; i < 3 && !err; i++)
		if (qp->umem[i]) {
			uv_umem_delete(ctx, qp->umem[i]);
			qp->umem[i] = 0;
		}
	return err;
}

static int qp_destroy(struct uv_ctx *ctx, struct uv_obj *o)
{
	struct uv_qp *qp = (struct uv_qp *)o;
	int err = parts_destroy(ctx, qp);

	if (err)
		return err;
	for (unsigned int i = 0; i < qp->nuses; i++)
		uv_obj_unuse(ctx, qp->uses[i]);
	return 0;
}

static unsigned int qp_parts(const struct uv_obj *o, struct prov_obj parts[UV_MAX_PARTS])
{
	const struct uv_qp *qp = (const struct uv_qp *)o;
	const struct {
		uint16_t create;
		uint32_t id;
	} all[UV_MAX_PARTS] = {{PRM_CMD_OP_CREATE_TIS, qp->tisn},
			       {PRM_CMD_OP_CREATE_SQ, qp->sqn},
			       {PRM_CMD_OP_CREATE_TIR, qp->tirn},
			       {PRM_CMD_OP_CREATE_RQ, qp->rqn}};
	unsigned int n = 0;

	for (unsigned int i = 0; i < UV_MAX_PARTS; i++)
		if (all[i].id) {
			parts[n].create = all[i].create;
			parts[n++].id = all[i].id;
		}
	return n;
}

static const struct uv_class qp_class = {UVERBS_OBJECT_QP, sizeof(struct uv_qp), qp_destroy,
					 qp_parts};

/* -- create ----------------------------------------------------------------------------------------------------- */

struct request {
	struct mlx5_ib_create_qp d;
	struct ib_uverbs_qp_cap cap;
	struct uv_pd *pd;
	struct uv_cq *scq, *rcq;
	struct uv_obj *ind; /* of an RSS QP: then there are no queues */
	bool strip;	    /* VLAN tags are taken out of received frames */
};

static int log2_of(uint32_t n)
{
	return n && !(n & (n - 1)) ? __builtin_ctz(n) : -EINVAL;
}

void uv_fill_wq(uint8_t *wq, const struct uv_ring *r)
{
	PRM_SET(wq, wq, wq_type, PRM_WQ_TYPE_CYCLIC);
	PRM_SET(wq, wq, pd, r->pdn);
	PRM_SET(wq, wq, log_wq_stride, r->log_stride);
	PRM_SET(wq, wq, log_wq_sz, r->log_size);
	PRM_SET(wq, wq, wq_umem_valid, 1);
	PRM_SET(wq, wq, wq_umem_id, r->ring);
	PRM_SET(wq, wq, dbr_umem_valid, 1);
	PRM_SET(wq, wq, dbr_umem_id, r->dbrec);
}

static void fill_wq(uint8_t *wq, const struct uv_qp *qp, const struct request *r, uint32_t ring,
		    int log_size, unsigned int log_stride)
{
	uv_fill_wq(wq, &(struct uv_ring){.pdn = r->pd->pdn,
					 .ring = ring,
					 .dbrec = qp->umem[0],
					 .log_size = (unsigned int)log_size,
					 .log_stride = log_stride});
}

static int new_tis(struct uv_ctx *ctx, struct uv_qp *qp)
{
	uint8_t in[PRM_BYTES(create_tis_in)] = {0};

	PRM_SET(create_tis_in, in, opcode, PRM_CMD_OP_CREATE_TIS);
	PRM_SET(tisc, PRM_AT(create_tis_in, in, ctx), transport_domain, qp->tdn);
	return uv_command_new(ctx, in, sizeof(in), &qp->tisn);
}

static int new_sq(struct uv_ctx *ctx, struct uv_qp *qp, const struct request *r)
{
	uint8_t in[PRM_BYTES(create_sq_in)] = {0};
	uint8_t *sqc = PRM_AT(create_sq_in, in, ctx), *wq = PRM_AT(sqc, sqc, wq);
	struct uv_watch w = {.what = UV_WATCH_SQ, .uar = r->d.bfreg_index};
	int log = log2_of(r->d.sq_wqe_count), err;

	if (log < 0 || !(r->d.flags & MLX5_QP_FLAG_UAR_PAGE_INDEX))
		return -EINVAL;
	err = uv_umem_new(ctx, r->d.sq_buf_addr, UINT64_C(1) << (log + LOG_WQEBB), &qp->umem[1]);
	if (!err)
		err = new_tis(ctx, qp);
	if (err)
		return err;
	PRM_SET(create_sq_in, in, opcode, PRM_CMD_OP_CREATE_SQ);
	PRM_SET(sqc, sqc, flush_in_error_en, 1);
	PRM_SET(sqc, sqc, user_index, r->d.uidx);
	PRM_SET(sqc, sqc, cqn, r->scq->cqn);
	PRM_SET(sqc, sqc, tis_lst_sz, 1);
	PRM_SET(sqc, sqc, tis_num_0, qp->tisn);
	fill_wq(wq, qp, r, qp->umem[1], log, LOG_WQEBB);
	PRM_SET(wq, wq, uar_page, r->d.bfreg_index);
	err = uv_command_new(ctx, in, sizeof(in), &qp->sqn);
	w.number = qp->sqn;
	return err ? err : uv_watch_add(ctx->card, &w);
}

static int new_tir(struct uv_ctx *ctx, struct uv_qp *qp)
{
	uint8_t in[PRM_BYTES(create_tir_in)] = {0};
	uint8_t *tirc = PRM_AT(create_tir_in, in, ctx);

	PRM_SET(create_tir_in, in, opcode, PRM_CMD_OP_CREATE_TIR);
	PRM_SET(tirc, tirc, disp_type, PRM_TIRC_DISP_TYPE_DIRECT);
	PRM_SET(tirc, tirc, inline_rqn, qp->rqn);
	PRM_SET(tirc, tirc, transport_domain, qp->tdn);
	return uv_command_new(ctx, in, sizeof(in), &qp->tirn);
}

static int new_rq(struct uv_ctx *ctx, struct uv_qp *qp, const struct request *r)
{
	uint8_t in[PRM_BYTES(create_rq_in)] = {0};
	uint8_t *rqc = PRM_AT(create_rq_in, in, ctx);
	struct uv_watch w = {.what = UV_WATCH_RQ};
	int log = log2_of(r->d.rq_wqe_count), err;

	if (log < 0 || r->d.rq_wqe_shift > 9)
		return -EINVAL;
	err = uv_umem_new(ctx, r->d.buf_addr, UINT64_C(1) << (log + (int)r->d.rq_wqe_shift),
			  &qp->umem[2]);
	if (err)
		return err;
	PRM_SET(create_rq_in, in, opcode, PRM_CMD_OP_CREATE_RQ);
	PRM_SET(rqc, rqc, flush_in_error_en, 1);
	PRM_SET(rqc, rqc, vsd, !r->strip);
	PRM_SET(rqc, rqc, user_index, r->d.uidx);
	PRM_SET(rqc, rqc, cqn, r->rcq->cqn);
	fill_wq(PRM_AT(rqc, rqc, wq), qp, r, qp->umem[2], log, r->d.rq_wqe_shift);
	err = uv_command_new(ctx, in, sizeof(in), &qp->rqn);
	w.number = qp->rqn;
	if (!err)
		err = uv_watch_add(ctx->card, &w);
	return err ? err : new_tir(ctx, qp);
}

static int parts_create(struct uv_ctx *ctx, struct uv_qp *qp, const struct request *r)
{
	uint8_t in[PRM_BYTES(alloc_transport_domain_in)] = {0};
	int err = uv_umem_new(ctx, r->d.db_addr, DBREC_BYTES, &qp->umem[0]);

	PRM_SET(alloc_transport_domain_in, in, opcode, PRM_CMD_OP_ALLOC_TRANSPORT_DOMAIN);
	if (!err)
		err = uv_command_new(ctx, in, sizeof(in), &qp->tdn);
	if (!err && r->d.sq_wqe_count)
		err = new_sq(ctx, qp, r);
	if (!err && r->d.rq_wqe_count)
		err = new_rq(ctx, qp, r);
	return err;
}

/* What a kernel would take and the model cannot. */
static int check_kind(struct uv_call *c, struct request *r)
{
	const uint32_t known = MLX5_QP_FLAG_UAR_PAGE_INDEX | MLX5_QP_FLAG_BFREG_INDEX |
			       MLX5_QP_FLAG_SCATTER_CQE | MLX5_QP_FLAG_ALLOW_SCATTER_CQE;
	uint64_t type, flags;
	int err = uv_in(c, UVERBS_ATTR_CREATE_QP_TYPE, &type, sizeof(type));

	if (!err)
		err = uv_in(c, UVERBS_ATTR_CREATE_QP_FLAGS, &flags, sizeof(flags));
	if (err)
		return err;
	if (type != IB_UVERBS_QPT_RAW_PACKET ||
	    (flags &
	     ~(uint64_t)(IB_UVERBS_QP_CREATE_SQ_SIG_ALL | IB_UVERBS_QP_CREATE_CVLAN_STRIPPING)) ||
	    (!r->ind && (r->d.flags & ~known)) || uv_has(c, UVERBS_ATTR_CREATE_QP_SRQ_HANDLE))
		return -EOPNOTSUPP;
	r->strip = flags & IB_UVERBS_QP_CREATE_CVLAN_STRIPPING;
	return 0;
}

/* An RSS QP has no queue, others one or two, each with a CQ. */
static int check_parts(const struct request *r)
{
	bool sq = r->d.sq_wqe_count, rq = r->d.rq_wqe_count;

	if (r->ind)
		return r->pd && !r->scq && !r->rcq ? 0 : -EINVAL;
	return !r->pd || (sq && !r->scq) || (rq && !r->rcq) || (!sq && !rq) ? -EINVAL : 0;
}

static int read_request(struct uv_call *c, struct request *r)
{
	int err = uv_in(c, UVERBS_ATTR_CREATE_QP_CAP, &r->cap, sizeof(r->cap));

	r->ind = uv_object(c, UVERBS_ATTR_CREATE_QP_IND_TABLE_HANDLE);
	if (!err && !r->ind)
		err = uv_in(c, UVERBS_ATTR_UHW_IN, &r->d, sizeof(r->d));
	if (!err)
		err = check_kind(c, r);
	if (err)
		return err;
	r->pd = (struct uv_pd *)uv_object(c, UVERBS_ATTR_CREATE_QP_PD_HANDLE);
	r->scq = (struct uv_cq *)uv_object(c, UVERBS_ATTR_CREATE_QP_SEND_CQ_HANDLE);
	r->rcq = (struct uv_cq *)uv_object(c, UVERBS_ATTR_CREATE_QP_RECV_CQ_HANDLE);
	return check_parts(r);
}

static uint32_t numbers(const struct uv_qp *qp)
{
	return (qp->tirn ? MLX5_IB_CREATE_QP_RESP_MASK_TIRN : 0) |
	       (qp->tisn ? MLX5_IB_CREATE_QP_RESP_MASK_TISN : 0) |
	       (qp->rqn ? MLX5_IB_CREATE_QP_RESP_MASK_RQN : 0) |
	       (qp->sqn ? MLX5_IB_CREATE_QP_RESP_MASK_SQN : 0);
}

static int answer(struct uv_call *c, const struct uv_qp *qp)
{
	uint32_t number = qp->sqn ? qp->sqn : qp->rqn;
	struct mlx5_ib_create_qp_resp uhw = {
		.comp_mask = numbers(qp),
		.tirn = qp->tirn,
		.tisn = qp->tisn,
		.rqn = qp->rqn,
		.sqn = qp->sqn,
	};
	int err = uv_out(c, UVERBS_ATTR_CREATE_QP_RESP_CAP, &qp->cap, sizeof(qp->cap));

	if (!err)
		err = uv_out(c, UVERBS_ATTR_CREATE_QP_RESP_QP_NUM, &number, sizeof(number));
	if (!err)
		err = uv_out(c, UVERBS_ATTR_UHW_OUT, &uhw, sizeof(uhw));
	return err;
}

static void use(struct uv_ctx *ctx, struct uv_qp *qp, struct uv_obj *o)
{
	if (!o)
		return;
	uv_obj_use(ctx, o);
	qp->uses[qp->nuses++] = o;
}

static int create_qp(struct uv_call *c)
{
	struct uv_qp *qp = (struct uv_qp *)c->made;
	struct request r = {.pd = NULL};
	int err = read_request(c, &r);

	if (!err)
		err = r.ind ? uv_rss_create(c, qp) : parts_create(c->ctx, qp, &r);
	if (err) {
		parts_destroy(c->ctx, qp);
		return err;
	}
	qp->cap = r.cap;
	use(c->ctx, qp, &r.pd->o);
	use(c->ctx, qp, r.scq ? &r.scq->o : NULL);
	use(c->ctx, qp, r.rcq ? &r.rcq->o : NULL);
	use(c->ctx, qp, r.ind);
	err = answer(c, qp);
	if (err)
		qp_destroy(c->ctx, &qp->o);
	return err;
}

static int destroy_qp(struct uv_call *c)
{
	struct ib_uverbs_destroy_qp_resp r = {0};
	int err = uv_destroyed(c);

	return err ? err : uv_out(c, UVERBS_ATTR_DESTROY_QP_RESP, &r, sizeof(r));
}

/* -- modify, query ------------------------------------------------------------------------------------------------ */

static int move_sq(struct uv_ctx *ctx, struct uv_qp *qp, uint8_t to)
{
	uint8_t in[PRM_BYTES(modify_sq_in)] = {0}, out[PRM_BYTES(modify_sq_out)] = {0};
	int err;

	if (!qp->sqn || qp->sq_state == to)
		return 0;
	PRM_SET(modify_sq_in, in, opcode, PRM_CMD_OP_MODIFY_SQ);
	PRM_SET(modify_sq_in, in, sq_state, uv_sq_state(ctx, qp->sqn, qp->sq_state));
	PRM_SET(modify_sq_in, in, sqn, qp->sqn);
	PRM_SET(sqc, PRM_AT(modify_sq_in, in, ctx), state, to);
	err = uv_command(ctx, in, sizeof(in), out, sizeof(out));
	if (!err)
		qp->sq_state = to;
	return err;
}

static int move_rq(struct uv_ctx *ctx, struct uv_qp *qp, uint8_t to)
{
	uint8_t in[PRM_BYTES(modify_rq_in)] = {0}, out[PRM_BYTES(modify_rq_out)] = {0};
	int err;

	if (!qp->rqn || qp->rq_state == to)
		return 0;
	PRM_SET(modify_rq_in, in, opcode, PRM_CMD_OP_MODIFY_RQ);
	PRM_SET(modify_rq_in, in, rq_state, uv_rq_state(ctx, qp->rqn, qp->rq_state));
	PRM_SET(modify_rq_in, in, rqn, qp->rqn);
	PRM_SET(rqc, PRM_AT(modify_rq_in, in, ctx), state, to);
	err = uv_command(ctx, in, sizeof(in), out, sizeof(out));
	if (!err)
		qp->rq_state = to;
	return err;
}

static int move_qp(struct uv_ctx *ctx, struct uv_qp *qp, uint8_t to)
{
	int err;

	if (to == RESET || to == ERR) {
		uint8_t state = to == RESET ? MODEL_Q_RST : MODEL_Q_ERR;

		err = move_rq(ctx, qp, state);
		return err ? err : move_sq(ctx, qp, state);
	}
	if (to == INIT && (qp->state == RESET || qp->state == INIT))
		return move_rq(ctx, qp, MODEL_Q_RDY);
	if (to == RTR && qp->state == INIT)
		return 0;
	if (to == RTS && (qp->state == RTR || qp->state == RTS))
		return move_sq(ctx, qp, MODEL_Q_RDY);
	return -EINVAL;
}

/* What has to be given for a change of state, and what may be. Linux core/verbs.c, qp_state_table, IB_QPT_RAW_PACKET. */
static bool mask_ok(const struct uv_qp *qp, const struct ib_uverbs_modify_qp *in)
{
	uint32_t need = 0, may = STATE_MASK;
	uint8_t from = qp->state, to = in->attr_mask & STATE_MASK ? in->qp_state : from;

	if (from == RESET && to == INIT)
		need = PORT_MASK;
	else if (to == RTS && (from == RTR || from == RTS))
		may |= RATE_MASK;
	may |= need;
	return (in->attr_mask & need) == need && !(in->attr_mask & ~may) &&
	       (!(in->attr_mask & PORT_MASK) || in->port_num == 1);
}

static int on_qp(struct uv_write *w, uint32_t handle,
		 int (*fn)(struct uv_write *w, struct uv_qp *qp), enum uv_access access)
{
	struct uv_obj *o;
	int err = uv_obj_get(w->c->ctx, UVERBS_OBJECT_QP, handle, access, &o);

	if (err)
		return err == -ENOENT ? -EINVAL : err;
	err = fn(w, (struct uv_qp *)o);
	uv_obj_put(w->c->ctx, o, access);
	return err;
}

static int modify(struct uv_write *w, struct uv_qp *qp)
{
	const struct ib_uverbs_modify_qp *in = (const void *)w->in;
	int err;

	if (!mask_ok(qp, in))
		return -EINVAL;
	if (!(in->attr_mask & STATE_MASK))
		return 0;
	err = move_qp(w->c->ctx, qp, in->qp_state);
	if (!err)
		qp->state = in->qp_state;
	return err;
}

static int modify_qp(struct uv_write *w)
{
	return on_qp(w, ((const struct ib_uverbs_modify_qp *)(const void *)w->in)->qp_handle,
		     modify, UV_WRITE);
}

static int ex_modify_qp(struct uv_write *w)
{
	struct ib_uverbs_ex_modify_qp_resp r = {.response_length = sizeof(r)};
	int err = modify_qp(w);

	if (!err)
		err = uv_out(w->c, UVERBS_ATTR_CORE_OUT, &r, sizeof(r));
	return err == -ENOENT ? 0 : err;
}

static int query(struct uv_write *w, struct uv_qp *qp)
{
	struct ib_uverbs_query_qp_resp r = {
		.max_send_wr = qp->cap.max_send_wr,
		.max_recv_wr = qp->cap.max_recv_wr,
		.max_send_sge = qp->cap.max_send_sge,
		.max_recv_sge = qp->cap.max_recv_sge,
		.max_inline_data = qp->cap.max_inline_data,
		.port_num = 1,
		.qp_state = qp->state,
		.cur_qp_state = qp->state,
	};

	if ((qp->sqn && uv_sq_state(w->c->ctx, qp->sqn, qp->sq_state) == MODEL_Q_ERR) ||
	    (qp->rqn && uv_rq_state(w->c->ctx, qp->rqn, qp->rq_state) == MODEL_Q_ERR))
		r.qp_state = r.cur_qp_state = ERR;
	return uv_out(w->c, UVERBS_ATTR_CORE_OUT, &r, sizeof(r));
}

static int query_qp(struct uv_write *w)
{
	return on_qp(w, ((const struct ib_uverbs_query_qp *)(const void *)w->in)->qp_handle, query,
		     UV_READ);
}

/* What the queue's state is: a failure of the data path moves it to ERR. */
uint8_t uv_sq_state(struct uv_ctx *ctx, uint32_t sqn, uint8_t last)
{
	struct model_dev *m = uv_model(ctx->card);
	struct model_sq *sq;

	pthread_rwlock_rdlock(&m->objs);
	sq = (struct model_sq *)model_obj_find(m, MODEL_SQ, sqn);
	if (sq)
		last = (uint8_t)atomic_load(&sq->state);
	pthread_rwlock_unlock(&m->objs);
	return last;
}

uint8_t uv_rq_state(struct uv_ctx *ctx, uint32_t rqn, uint8_t last)
{
	struct model_dev *m = uv_model(ctx->card);
	struct model_rq *rq;

	pthread_rwlock_rdlock(&m->objs);
	rq = (struct model_rq *)model_obj_find(m, MODEL_RQ, rqn);
	if (rq)
		last = (uint8_t)atomic_load(&rq->state);
	pthread_rwlock_unlock(&m->objs);
	return last;
}

/* clang-format off */
static const struct uv_spec create_specs[] = {
	{UVERBS_ATTR_CREATE_QP_HANDLE, UV_ATTR_OBJ_NEW, true, 0, 0, 0},
	{UVERBS_ATTR_CREATE_QP_PD_HANDLE, UV_ATTR_OBJ_READ, false, UVERBS_OBJECT_PD, 0, 0},
	{UVERBS_ATTR_CREATE_QP_SRQ_HANDLE, UV_ATTR_OBJ_READ, false, UVERBS_OBJECT_SRQ, 0, 0},
	{UVERBS_ATTR_CREATE_QP_SEND_CQ_HANDLE, UV_ATTR_OBJ_READ, false, UVERBS_OBJECT_CQ, 0, 0},
	{UVERBS_ATTR_CREATE_QP_RECV_CQ_HANDLE, UV_ATTR_OBJ_READ, false, UVERBS_OBJECT_CQ, 0, 0},
	{UVERBS_ATTR_CREATE_QP_IND_TABLE_HANDLE, UV_ATTR_OBJ_READ, false, UVERBS_OBJECT_RWQ_IND_TBL, 0, 0},
	{UVERBS_ATTR_CREATE_QP_USER_HANDLE, UV_ATTR_IN, false, 0, 8, 8},
	{UVERBS_ATTR_CREATE_QP_CAP, UV_ATTR_IN, true, 0, 20, 0},
	{UVERBS_ATTR_CREATE_QP_TYPE, UV_ATTR_IN, true, 0, 1, 8},
	{UVERBS_ATTR_CREATE_QP_FLAGS, UV_ATTR_IN, false, 0, 4, 8},
	{UVERBS_ATTR_CREATE_QP_SOURCE_QPN, UV_ATTR_IN, false, 0, 4, 8},
	{UVERBS_ATTR_CREATE_QP_EVENT_FD, UV_ATTR_FD, false, UV_CHANNEL_ASYNC, 0, 0},
	{UVERBS_ATTR_CREATE_QP_RESP_CAP, UV_ATTR_OUT, true, 0, 20, 0},
	{UVERBS_ATTR_CREATE_QP_RESP_QP_NUM, UV_ATTR_OUT, true, 0, 4, 0},
	{UVERBS_ATTR_UHW_IN, UV_ATTR_IN, true, 0, 40, 0},
	{UVERBS_ATTR_UHW_OUT, UV_ATTR_OUT, true, 0, 4, 0},
};
static const struct uv_spec destroy_specs[] = {
	{UVERBS_ATTR_DESTROY_QP_HANDLE, UV_ATTR_OBJ_DESTROY, true, UVERBS_OBJECT_QP, 0, 0},
	{UVERBS_ATTR_DESTROY_QP_RESP, UV_ATTR_OUT, true, 0, 4, 0},
};

const struct uv_method uv_qp_methods[] = {
	UV_METHOD(UVERBS_OBJECT_QP, UVERBS_METHOD_QP_CREATE, &qp_class, create_qp, create_specs),
	UV_METHOD(UVERBS_OBJECT_QP, UVERBS_METHOD_QP_DESTROY, NULL, destroy_qp, destroy_specs),
	{0},
};

const struct uv_write_cmd uv_qp_commands[] = {
	{IB_USER_VERBS_CMD_MODIFY_QP, modify_qp, sizeof(struct ib_uverbs_modify_qp), 0},
	{IB_USER_VERBS_CMD_FLAG_EXTENDED | IB_USER_VERBS_EX_CMD_MODIFY_QP, ex_modify_qp, sizeof(struct ib_uverbs_modify_qp), 0},
	{IB_USER_VERBS_CMD_QUERY_QP, query_qp, sizeof(struct ib_uverbs_query_qp), sizeof(struct ib_uverbs_query_qp_resp)},
};
/* clang-format on */
const size_t uv_qp_ncommands = sizeof(uv_qp_commands) / sizeof(uv_qp_commands[0]);
