// SPDX-License-Identifier: BSD-2-Clause
/*
 * Rules under the NIC's root, as mlx5dv_create_flow makes them: a matcher (mask, priority, direction) and a flow (value)
 * that leads to a DevX flow table, a TIR, a QP, the wire or nowhere, and may count, tag, and change headers on the way.
 * The rule goes into the model's root table, which is the function owner's.
 *
 * RX and TX only, one destination. What a kernel would take and this does not is EOPNOTSUPP.
 *
 * Source: Linux drivers/infiniband/hw/mlx5/fs.c.
 */
#include "flow.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "verbs.h"

#define MATCH_BYTES PRM_BYTES(fte_match_param)

struct uv_matcher {
	struct uv_obj o;
	enum prov_dir dir;
	uint8_t criteria;
	uint16_t priority;
	uint8_t mask[MATCH_BYTES];
};

/* -- matchers ---------------------------------------------------------------------------------------------------- */

static int matcher_destroy(struct uv_ctx *ctx, struct uv_obj *o)
{
	return 0; /* flows that use it are counted */
}

static const struct uv_class matcher_class = {MLX5_IB_OBJECT_FLOW_MATCHER,
					      sizeof(struct uv_matcher), matcher_destroy, NULL};

/* Newer clients give the table type, older ones a flag. */
static int direction(struct uv_call *c, enum prov_dir *dir)
{
	enum { EGRESS = 1 << 2 }; /* IB_FLOW_ATTR_FLAGS_EGRESS */
	uint64_t type, flags;
	int err = uv_in(c, MLX5_IB_ATTR_FLOW_MATCHER_FT_TYPE, &type, sizeof(type));

	if (!err)
		err = uv_in(c, MLX5_IB_ATTR_FLOW_MATCHER_FLOW_FLAGS, &flags, sizeof(flags));
	if (err)
		return err;
	if (uv_has(c, MLX5_IB_ATTR_FLOW_MATCHER_FT_TYPE) &&
	    uv_has(c, MLX5_IB_ATTR_FLOW_MATCHER_FLOW_FLAGS))
		return -EINVAL;
	if (flags & ~(uint64_t)EGRESS || type > MLX5_IB_UAPI_FLOW_TABLE_TYPE_RDMA_TX)
		return -EINVAL;
	if (type > MLX5_IB_UAPI_FLOW_TABLE_TYPE_NIC_TX)
		return -EOPNOTSUPP;
	*dir = flags || type == MLX5_IB_UAPI_FLOW_TABLE_TYPE_NIC_TX ? PROV_TX : PROV_RX;
	return 0;
}

static int matcher_create(struct uv_call *c)
{
	struct uv_matcher *m = (struct uv_matcher *)c->made;
	int err = uv_in(c, MLX5_IB_ATTR_FLOW_MATCHER_MATCH_MASK, m->mask, sizeof(m->mask));
	const struct uv_arg *type = uv_arg(c, MLX5_IB_ATTR_FLOW_MATCHER_FLOW_TYPE);

	if (!err)
		err = uv_in(c, MLX5_IB_ATTR_FLOW_MATCHER_MATCH_CRITERIA, &m->criteria,
			    sizeof(m->criteria));
	if (!err)
		err = direction(c, &m->dir);
	if (err)
		return err;
	if (type->a.attr_data.enum_data.elem_id != MLX5_IB_FLOW_TYPE_NORMAL)
		return -EOPNOTSUPP;
	return uv_in(c, MLX5_IB_ATTR_FLOW_MATCHER_FLOW_TYPE, &m->priority, sizeof(m->priority));
}

/* -- flows ------------------------------------------------------------------------------------------------------- */

int uv_flow_attach(struct uv_ctx *ctx, struct uv_flow *f, const struct model_root_rule *r)
{
	int err = model_root_add(ctx->card->prov, r, &f->at);

	return err == -EREMOTEIO ? -EINVAL : err;
}

void uv_flow_use(struct uv_ctx *ctx, struct uv_flow *f, struct uv_obj *o)
{
	if (!o)
		return;
	uv_obj_use(ctx, o);
	f->uses[f->nuses++] = o;
}

static int flow_destroy(struct uv_ctx *ctx, struct uv_obj *o)
{
	struct uv_flow *f = (struct uv_flow *)o;
	int err = f->at ? model_detach(ctx->card->prov, f->at) : 0;

	if (err)
		return err == -EREMOTEIO ? -EINVAL : err;
	f->at = NULL;
	while (f->nuses)
		uv_obj_unuse(ctx, f->uses[--f->nuses]);
	return 0;
}

const struct uv_class uv_flow_class = {UVERBS_OBJECT_FLOW, sizeof(struct uv_flow), flow_destroy,
				       NULL};

static int lead_to_devx(const struct prov_obj *d, struct model_root_rule *r)
{
	if (d->create == PRM_CMD_OP_CREATE_TIR)
		r->tirn = d->id;
	else if (d->create == PRM_CMD_OP_CREATE_FLOW_TABLE)
		r->match.table_id = d->id;
	else
		return -EINVAL;
	return 0;
}

/* A QP without a receive queue leads nowhere. */
static int lead_to_qp(const struct uv_qp *qp, struct model_root_rule *r)
{
	r->tirn = qp->tirn;
	return qp->tirn ? 0 : -EINVAL;
}

/* Where the flow leads: one place. On TX none is the wire. */
static int destination(struct uv_call *c, struct model_root_rule *r)
{
	struct uv_devx *d = (struct uv_devx *)uv_object(c, MLX5_IB_ATTR_CREATE_FLOW_DEST_DEVX);
	struct uv_qp *qp = (struct uv_qp *)uv_object(c, MLX5_IB_ATTR_CREATE_FLOW_DEST_QP);
	bool tx = r->match.dir == PROV_TX;
	int ends = (d != NULL) + (qp != NULL) + r->drop, err = 0;

	if (ends > 1 || (!ends && !tx))
		return -EINVAL;
	r->allow = !ends;
	if (d)
		err = lead_to_devx(&d->devx, r);
	else if (qp)
		err = lead_to_qp(qp, r);
	return !err && r->tirn && tx ? -EINVAL : err;
}

/* One, of a bulk perhaps. */
static int counters(struct uv_call *c, struct model_root_rule *r, struct uv_obj **used)
{
	const struct uv_arg *list = uv_arg(c, MLX5_IB_ATTR_CREATE_FLOW_ARR_COUNTERS_DEVX);
	const struct prov_obj *d;
	uint32_t offset;
	int err;

	if (!list->nobjs)
		return 0;
	err = uv_in(c, MLX5_IB_ATTR_CREATE_FLOW_ARR_COUNTERS_DEVX_OFFSET, &offset, sizeof(offset));
	if (err)
		return err;
	d = &((struct uv_devx *)list->objs[0])->devx;
	if (list->nobjs > 1 || d->create != PRM_CMD_OP_ALLOC_FLOW_COUNTER || offset >= d->count)
		return -EINVAL;
	r->counter = d->id + offset;
	r->counted = true;
	*used = list->objs[0];
	return 0;
}

/* Each kind once, of the table's direction. */
static int action(const struct uv_flow_action *a, struct model_root_rule *r)
{
	uint8_t type = r->match.dir == PROV_TX ? PRM_FLOW_TABLE_TYPE_NIC_TX
					       : PRM_FLOW_TABLE_TYPE_NIC_RX;

	if (a->table_type != type || (a->modify_header && r->modify_header) ||
	    (!a->modify_header && (r->reformat || r->decap)))
		return -EINVAL;
	if (a->modify_header)
		r->modify_header = a->modify_header;
	else if (a->reformat)
		r->reformat = a->reformat;
	else
		r->decap = true;
	return 0;
}

static int actions(const struct uv_arg *list, struct model_root_rule *r)
{
	int err = list->nobjs > UV_FLOW_ACTIONS ? -EINVAL : 0;

	for (unsigned int i = 0; i < list->nobjs && !err; i++)
		err = action((const struct uv_flow_action *)list->objs[i], r);
	return err;
}

static int options(struct uv_call *c, struct model_root_rule *r)
{
	enum { DROP = MLX5_IB_ATTR_CREATE_FLOW_FLAGS_DROP };
	uint64_t flags;
	int err = uv_in(c, MLX5_IB_ATTR_CREATE_FLOW_FLAGS, &flags, sizeof(flags));

	if (!err)
		err = uv_in(c, MLX5_IB_ATTR_CREATE_FLOW_TAG, &r->tag, sizeof(r->tag));
	if (err)
		return err;
	if (r->tag >= UV_MAX_TAG ||
	    flags & ~(uint64_t)(DROP | MLX5_IB_ATTR_CREATE_FLOW_FLAGS_DEFAULT_MISS))
		return -EINVAL;
	r->drop = flags & DROP;
	return flags & MLX5_IB_ATTR_CREATE_FLOW_FLAGS_DEFAULT_MISS ? -EOPNOTSUPP : 0;
}

static int flow_create(struct uv_call *c)
{
	struct uv_flow *f = (struct uv_flow *)c->made;
	struct uv_matcher *m = (struct uv_matcher *)uv_object(c, MLX5_IB_ATTR_CREATE_FLOW_MATCHER);
	uint8_t value[MATCH_BYTES];
	struct model_root_rule r = {.match = {.dir = m->dir,
					      .priority = m->priority,
					      .criteria_enable = m->criteria,
					      .mask = m->mask,
					      .value = value}};
	const struct uv_arg *list = uv_arg(c, MLX5_IB_ATTR_CREATE_FLOW_ARR_FLOW_ACTIONS);
	struct uv_obj *counter = NULL;
	int err = m->priority < UV_PRIORITIES ? options(c, &r)
					      : -ENOMEM; /* mlx5_ib_raw_fs_rule_add() */

	if (!err)
		err = uv_in(c, MLX5_IB_ATTR_CREATE_FLOW_MATCH_VALUE, value, sizeof(value));
	if (!err)
		err = destination(c, &r);
	if (!err)
		err = counters(c, &r, &counter);
	if (!err)
		err = actions(list, &r);
	if (!err)
		err = uv_flow_attach(c->ctx, f, &r);
	if (err)
		return err;
	uv_flow_use(c->ctx, f, &m->o);
	uv_flow_use(c->ctx, f, uv_object(c, MLX5_IB_ATTR_CREATE_FLOW_DEST_DEVX));
	uv_flow_use(c->ctx, f, uv_object(c, MLX5_IB_ATTR_CREATE_FLOW_DEST_QP));
	uv_flow_use(c->ctx, f, counter);
	for (unsigned int i = 0; i < list->nobjs; i++)
		uv_flow_use(c->ctx, f, list->objs[i]);
	return 0;
}

/* -- anchors ----------------------------------------------------------------------------------------------------- */

/*
 * A table of the kernel's by whose number the program's rules lead back: to the root's rules of its priority and later
 * ones, then to the kernel's receive path, which here is nobody (dropped), or to the wire.
 */
struct uv_anchor {
	struct uv_obj o;
	uint8_t type;
	uint32_t table;
};

static int anchor_destroy(struct uv_ctx *ctx, struct uv_obj *o)
{
	struct uv_anchor *a = (struct uv_anchor *)o;
	uint8_t out[16];
	int err;

	if (uv_ctx_is_stale(ctx))
		return 0;
	err = model_anchor_destroy(ctx->card->prov, a->type, a->table, out);

	return err == -EREMOTEIO ? uv_status_errno(out) : err;
}

static const struct uv_class anchor_class = {MLX5_IB_OBJECT_STEERING_ANCHOR,
					     sizeof(struct uv_anchor), anchor_destroy, NULL};

static int anchor_create(struct uv_call *c)
{
	struct uv_anchor *a = (struct uv_anchor *)c->made;
	uint8_t out[16];
	uint64_t type;
	uint16_t priority;
	int err = uv_in(c, MLX5_IB_ATTR_STEERING_ANCHOR_FT_TYPE, &type, sizeof(type));

	if (!err)
		err = uv_in(c, MLX5_IB_ATTR_STEERING_ANCHOR_PRIORITY, &priority, sizeof(priority));
	if (err)
		return err;
	if (type > MLX5_IB_UAPI_FLOW_TABLE_TYPE_NIC_TX)
		return -EINVAL;
	a->type = type == MLX5_IB_UAPI_FLOW_TABLE_TYPE_NIC_TX ? PRM_FLOW_TABLE_TYPE_NIC_TX
							      : PRM_FLOW_TABLE_TYPE_NIC_RX;
	err = model_anchor_create(c->ctx->card->prov, a->type, priority, &a->table, out);
	if (err)
		return err == -EREMOTEIO ? uv_status_errno(out) : err;
	err = uv_out(c, MLX5_IB_ATTR_STEERING_ANCHOR_FT_ID, &a->table, sizeof(a->table));
	if (err)
		anchor_destroy(c->ctx, c->made);
	return err;
}

/* clang-format off */
static const struct uv_spec anchor_create_specs[] = {
	{MLX5_IB_ATTR_STEERING_ANCHOR_CREATE_HANDLE, UV_ATTR_OBJ_NEW, true, 0, 0, 0},
	{MLX5_IB_ATTR_STEERING_ANCHOR_FT_TYPE, UV_ATTR_IN, true, 0, 1, 8},
	{MLX5_IB_ATTR_STEERING_ANCHOR_PRIORITY, UV_ATTR_IN, true, 0, 2, 8},
	{MLX5_IB_ATTR_STEERING_ANCHOR_FT_ID, UV_ATTR_OUT, true, 0, 4, 0},
};
static const struct uv_spec anchor_destroy_specs[] = {
	{MLX5_IB_ATTR_STEERING_ANCHOR_DESTROY_HANDLE, UV_ATTR_OBJ_DESTROY, true, MLX5_IB_OBJECT_STEERING_ANCHOR, 0, 0},
};
static const struct uv_spec matcher_create_specs[] = {
	{MLX5_IB_ATTR_FLOW_MATCHER_CREATE_HANDLE, UV_ATTR_OBJ_NEW, true, 0, 0, 0},
	{MLX5_IB_ATTR_FLOW_MATCHER_MATCH_MASK, UV_ATTR_IN, true, 0, 1, sizeof(struct mlx5_ib_match_params)},
	{MLX5_IB_ATTR_FLOW_MATCHER_FLOW_TYPE, UV_ATTR_IN, true, 0, 0, 8},
	{MLX5_IB_ATTR_FLOW_MATCHER_MATCH_CRITERIA, UV_ATTR_IN, true, 0, 1, 8},
	{MLX5_IB_ATTR_FLOW_MATCHER_FLOW_FLAGS, UV_ATTR_IN, false, 0, 4, 8},
	{MLX5_IB_ATTR_FLOW_MATCHER_FT_TYPE, UV_ATTR_IN, false, 0, 1, 8},
};
static const struct uv_spec matcher_destroy_specs[] = {
	{MLX5_IB_ATTR_FLOW_MATCHER_DESTROY_HANDLE, UV_ATTR_OBJ_DESTROY, true, MLX5_IB_OBJECT_FLOW_MATCHER, 0, 0},
};
static const struct uv_spec flow_create_specs[] = {
	{MLX5_IB_ATTR_CREATE_FLOW_HANDLE, UV_ATTR_OBJ_NEW, true, 0, 0, 0},
	{MLX5_IB_ATTR_CREATE_FLOW_MATCH_VALUE, UV_ATTR_IN, true, 0, 1, sizeof(struct mlx5_ib_match_params)},
	{MLX5_IB_ATTR_CREATE_FLOW_MATCHER, UV_ATTR_OBJ_READ, true, MLX5_IB_OBJECT_FLOW_MATCHER, 0, 0},
	{MLX5_IB_ATTR_CREATE_FLOW_DEST_QP, UV_ATTR_OBJ_READ, false, UVERBS_OBJECT_QP, 0, 0},
	{MLX5_IB_ATTR_CREATE_FLOW_DEST_DEVX, UV_ATTR_OBJ_READ, false, MLX5_IB_OBJECT_DEVX_OBJ, 0, 0},
	{MLX5_IB_ATTR_CREATE_FLOW_ARR_FLOW_ACTIONS, UV_ATTR_OBJS, false, UVERBS_OBJECT_FLOW_ACTION, 0, 0},
	{MLX5_IB_ATTR_CREATE_FLOW_TAG, UV_ATTR_IN, false, 0, 4, 8},
	{MLX5_IB_ATTR_CREATE_FLOW_ARR_COUNTERS_DEVX, UV_ATTR_OBJS, false, MLX5_IB_OBJECT_DEVX_OBJ, 0, 0},
	{MLX5_IB_ATTR_CREATE_FLOW_ARR_COUNTERS_DEVX_OFFSET, UV_ATTR_IN, false, 0, 0, 0},
	{MLX5_IB_ATTR_CREATE_FLOW_FLAGS, UV_ATTR_IN, false, 0, 4, 8},
};
static const struct uv_spec flow_destroy_specs[] = {
	{UVERBS_ATTR_DESTROY_FLOW_HANDLE, UV_ATTR_OBJ_DESTROY, true, UVERBS_OBJECT_FLOW, 0, 0},
};
static const struct uv_spec flow_destroy_mlx5_specs[] = {
	{MLX5_IB_ATTR_DESTROY_FLOW_HANDLE, UV_ATTR_OBJ_DESTROY, true, UVERBS_OBJECT_FLOW, 0, 0},
};

const struct uv_method uv_flow_methods[] = {
	UV_METHOD(MLX5_IB_OBJECT_FLOW_MATCHER, MLX5_IB_METHOD_FLOW_MATCHER_CREATE, &matcher_class, matcher_create, matcher_create_specs),
	UV_METHOD(MLX5_IB_OBJECT_FLOW_MATCHER, MLX5_IB_METHOD_FLOW_MATCHER_DESTROY, NULL, uv_destroyed, matcher_destroy_specs),
	UV_METHOD(UVERBS_OBJECT_FLOW, MLX5_IB_METHOD_CREATE_FLOW, &uv_flow_class, flow_create, flow_create_specs),
	UV_METHOD(UVERBS_OBJECT_FLOW, MLX5_IB_METHOD_DESTROY_FLOW, NULL, uv_destroyed, flow_destroy_mlx5_specs),
	UV_METHOD(UVERBS_OBJECT_FLOW, UVERBS_METHOD_FLOW_DESTROY, NULL, uv_destroyed, flow_destroy_specs),
	UV_METHOD(MLX5_IB_OBJECT_STEERING_ANCHOR, MLX5_IB_METHOD_STEERING_ANCHOR_CREATE, &anchor_class, anchor_create, anchor_create_specs),
	UV_METHOD(MLX5_IB_OBJECT_STEERING_ANCHOR, MLX5_IB_METHOD_STEERING_ANCHOR_DESTROY, NULL, uv_destroyed, anchor_destroy_specs),
	{0},
};
/* clang-format on */
