// SPDX-License-Identifier: BSD-2-Clause
/*
 * What a program asks first: GET_CONTEXT and QUERY_CONTEXT, ports and GIDs. A context gets its uid here.
 *
 * tot_bfregs is 0: libmlx5 then allocates doorbell pages one by one (UAR objects) instead of mapping a block of them.
 * Source: <rdma/mlx5-abi.h>, Linux drivers/infiniband/hw/mlx5/main.c for what the kernel answers.
 */
#include "uverbs.h"

#include <errno.h>
#include <string.h>

#define IN(attr, need, lo, hi) \
	{ \
		attr, UV_ATTR_IN, need, 0, lo, hi \
	}
#define OUT(attr, need, lo) \
	{ \
		attr, UV_ATTR_OUT, need, 0, lo, 0 \
	}

enum {
	COMP_VECTORS = 1,
	LOG_MAX_QP = 18,
	MAX_WR = 1 << 15,
	CACHE_LINE = 64,
	PORT_ACTIVE = 4,
	PHYS_LINK_UP = 5,
	MTU_1024 = 3,
	MTU_4096 = 5,
	WIDTH_4X = 2,
	SPEED_EDR = 32,
	LINK_ETHERNET = 2,
	GIDS = 1,
};

/* -- contexts ------------------------------------------------------------------------------------------------- */

static void describe(struct uv_ctx *ctx, struct mlx5_ib_alloc_ucontext_resp *r)
{
	const struct model_profile *p = &uv_model(ctx->card)->profile;

	*r = (struct mlx5_ib_alloc_ucontext_resp){
		.qp_tab_size = 1 << LOG_MAX_QP,
		.bf_reg_size = 512,
		.cache_line_size = CACHE_LINE,
		.max_sq_desc_sz = p->max_wqe_sz_sq,
		.max_rq_desc_sz = 512,
		.max_send_wqebb = MAX_WR,
		.max_recv_wr = MAX_WR,
		.max_srq_recv_wr = MAX_WR,
		.num_ports = 1,
		.cqe_version = 1,
		.cmds_supp_uhw = MLX5_USER_CMDS_SUPP_UHW_QUERY_DEVICE,
		.eth_min_inline = MLX5_USER_INLINE_MODE_NONE,
		.log_uar_size = 12,
		.num_uars_per_page = 1,
	};
}

static int answer_context(struct uv_call *c, uint16_t id)
{
	struct mlx5_ib_alloc_ucontext_resp r;

	describe(c->ctx, &r);
	r.response_length = (uint32_t)(uv_len(c, id) < sizeof(r) ? uv_len(c, id) : sizeof(r));
	return uv_out(c, id, &r, sizeof(r));
}

static int answer_core(struct uv_call *c, uint16_t vectors_id, uint16_t support_id)
{
	uint32_t vectors = COMP_VECTORS;
	uint64_t support = IB_UVERBS_CORE_SUPPORT_OPTIONAL_MR_ACCESS;
	int err = uv_out(c, vectors_id, &vectors, sizeof(vectors));

	if (!err || err == -ENOENT)
		err = uv_out(c, support_id, &support, sizeof(support));
	return err == -ENOENT ? 0 : err;
}

/* A number that no open context has. 0 is the function's owner, the highest one is everybody's. With card->lock. */
static uint16_t free_uid(struct uv_card *card)
{
	uint16_t *next = &card->prov->m.next_uid;
	bool taken = true;

	while (taken) {
		++*next;
		taken = *next == 0 || *next == PRM_SHARED_RESOURCE_UID || *next == card->prov->uid;
		for (struct uv_ctx *ctx = card->ctxs; ctx && !taken; ctx = ctx->next)
			taken = ctx->uid == *next;
	}
	return *next;
}

/* -EAGAIN: it died. */
static int start_card(struct uv_card *card)
{
	int err;

	pthread_mutex_lock(&card->lock);
	err = uv_card_start(card);
	pthread_mutex_unlock(&card->lock);
	return err ? err : atomic_load(&uv_model(card)->dead) ? -EAGAIN : 0;
}

/* The first GET_CONTEXT of a descriptor: uid. */
static int open_context(struct uv_ctx *ctx, bool devx)
{
	int err;

	pthread_mutex_lock(&ctx->card->lock);
	err = atomic_load(&ctx->open) ? -EINVAL : 0;
	if (!err) {
		ctx->generation = atomic_load(&uv_model(ctx->card)->generation);
		ctx->uid = free_uid(ctx->card);
		ctx->devx = devx;
		ctx->card->reserved = false;
		atomic_store(&ctx->open, true);
	}
	pthread_mutex_unlock(&ctx->card->lock);
	return err;
}

static int get_context(struct uv_call *c)
{
	struct mlx5_ib_alloc_ucontext_req_v2 req;
	int err = start_card(c->ctx->card);

	if (!err)
		err = uv_in(c, UVERBS_ATTR_UHW_IN, &req, sizeof(req));
	if (err)
		return err;
	if (uv_len(c, UVERBS_ATTR_UHW_IN) < sizeof(struct mlx5_ib_alloc_ucontext_req) ||
	    (req.flags & ~MLX5_IB_ALLOC_UCTX_DEVX) || req.comp_mask || req.reserved0 ||
	    req.reserved1 || req.reserved2)
		return -EINVAL;
	if (!(req.lib_caps & MLX5_LIB_CAP_DYN_UAR)) /* older than rdma-core 26 */
		return -EOPNOTSUPP;
	err = open_context(c->ctx, req.flags & MLX5_IB_ALLOC_UCTX_DEVX);
	if (!err)
		err = answer_context(c, UVERBS_ATTR_UHW_OUT);
	return err ? err
		   : answer_core(c, UVERBS_ATTR_GET_CONTEXT_NUM_COMP_VECTORS,
				 UVERBS_ATTR_GET_CONTEXT_CORE_SUPPORT);
}

static int query_context(struct uv_call *c)
{
	int err = answer_context(c, MLX5_IB_ATTR_QUERY_CONTEXT_RESP_UCTX);

	return err && err != -ENOENT ? err
				     : answer_core(c, UVERBS_ATTR_QUERY_CONTEXT_NUM_COMP_VECTORS,
						   UVERBS_ATTR_QUERY_CONTEXT_CORE_SUPPORT);
}

/* -- ports ------------------------------------------------------------------------------------------------------- */

static int query_port(struct uv_call *c)
{
	struct ib_uverbs_query_port_resp_ex r = {
		.legacy_resp =
			{
				.port_cap_flags = IB_UVERBS_PCF_CM_SUP |
						  IB_UVERBS_PCF_IP_BASED_GIDS,
				.max_msg_sz = 1 << 30,
				.gid_tbl_len = GIDS,
				.pkey_tbl_len = 1,
				.state = PORT_ACTIVE,
				.max_mtu = MTU_4096,
				.active_mtu = MTU_1024,
				.max_vl_num = 1,
				.active_width = WIDTH_4X,
				.active_speed = SPEED_EDR,
				.phys_state = PHYS_LINK_UP,
				.link_layer = LINK_ETHERNET,
				.flags = IB_UVERBS_QPF_GRH_REQUIRED,
			},
	};
	uint8_t port;
	int err = uv_in(c, UVERBS_ATTR_QUERY_PORT_PORT_NUM, &port, sizeof(port));

	if (err || port != 1)
		return err ? err : -EINVAL;
	if (uv_model(c->ctx->card)->profile.mtu >= 4096)
		r.legacy_resp.active_mtu = MTU_4096;
	return uv_out(c, UVERBS_ATTR_QUERY_PORT_RESP, &r, sizeof(r));
}

static int query_port_mlx5(struct uv_call *c)
{
	struct mlx5_ib_uapi_query_port r = {.flags = 0};
	uint32_t port;
	int err = uv_in(c, MLX5_IB_ATTR_QUERY_PORT_PORT_NUM, &port, sizeof(port));

	if (err || port != 1)
		return err ? err : -EINVAL;
	return uv_out(c, MLX5_IB_ATTR_QUERY_PORT, &r, sizeof(r));
}

/* Index 0, link local, made of the GUID: what a port without an address of its own has. */
static void gid_entry(struct uv_ctx *ctx, struct ib_uverbs_gid_entry *e)
{
	uint64_t prefix = __builtin_bswap64(UINT64_C(0xfe80000000000000));
	uint64_t guid = __builtin_bswap64(ctx->card->guid);

	*e = (struct ib_uverbs_gid_entry){.port_num = 1, .gid_type = IB_UVERBS_GID_TYPE_ROCE_V2};
	memcpy(&e->gid[0], &prefix, sizeof(prefix));
	memcpy(&e->gid[1], &guid, sizeof(guid));
}

static int query_gid_entry(struct uv_call *c)
{
	struct ib_uverbs_gid_entry e;
	uint32_t port, index, flags;
	int err = uv_in(c, UVERBS_ATTR_QUERY_GID_ENTRY_PORT, &port, sizeof(port));

	if (!err)
		err = uv_in(c, UVERBS_ATTR_QUERY_GID_ENTRY_GID_INDEX, &index, sizeof(index));
	if (!err)
		err = uv_in(c, UVERBS_ATTR_QUERY_GID_ENTRY_FLAGS, &flags, sizeof(flags));
	if (err)
		return err;
	if (flags || port != 1)
		return -EINVAL;
	if (index >= GIDS)
		return -ENODATA;
	gid_entry(c->ctx, &e);
	return uv_out(c, UVERBS_ATTR_QUERY_GID_ENTRY_RESP_ENTRY, &e, sizeof(e));
}

static int query_gid_table(struct uv_call *c)
{
	struct ib_uverbs_gid_entry e;
	uint64_t size, n = GIDS;
	uint32_t flags;
	int err = uv_in(c, UVERBS_ATTR_QUERY_GID_TABLE_ENTRY_SIZE, &size, sizeof(size));

	if (!err)
		err = uv_in(c, UVERBS_ATTR_QUERY_GID_TABLE_FLAGS, &flags, sizeof(flags));
	if (err)
		return err;
	if (!size || flags)
		return -EINVAL;
	if (uv_len(c, UVERBS_ATTR_QUERY_GID_TABLE_RESP_ENTRIES) < size)
		return -EINVAL;
	gid_entry(c->ctx, &e);
	err = uv_out(c, UVERBS_ATTR_QUERY_GID_TABLE_RESP_ENTRIES, &e,
		     size < sizeof(e) ? size : sizeof(e));
	return err ? err : uv_out(c, UVERBS_ATTR_QUERY_GID_TABLE_RESP_NUM_ENTRIES, &n, sizeof(n));
}

/* clang-format off */
static const struct uv_spec get_context_specs[] = {
	OUT(UVERBS_ATTR_GET_CONTEXT_NUM_COMP_VECTORS, false, 4),
	OUT(UVERBS_ATTR_GET_CONTEXT_CORE_SUPPORT, false, 8),
	IN(UVERBS_ATTR_UHW_IN, false, 0, 0),
	OUT(UVERBS_ATTR_UHW_OUT, false, 0),
};
static const struct uv_spec query_context_specs[] = {
	OUT(UVERBS_ATTR_QUERY_CONTEXT_NUM_COMP_VECTORS, false, 4),
	OUT(UVERBS_ATTR_QUERY_CONTEXT_CORE_SUPPORT, false, 8),
	OUT(MLX5_IB_ATTR_QUERY_CONTEXT_RESP_UCTX, false, 0),
};
static const struct uv_spec query_port_specs[] = {
	IN(UVERBS_ATTR_QUERY_PORT_PORT_NUM, true, 1, 0),
	OUT(UVERBS_ATTR_QUERY_PORT_RESP, true, 40),
};
static const struct uv_spec query_port_mlx5_specs[] = {
	IN(MLX5_IB_ATTR_QUERY_PORT_PORT_NUM, true, 4, 8),
	OUT(MLX5_IB_ATTR_QUERY_PORT, true, 8),
};
static const struct uv_spec gid_entry_specs[] = {
	IN(UVERBS_ATTR_QUERY_GID_ENTRY_PORT, true, 4, 8),
	IN(UVERBS_ATTR_QUERY_GID_ENTRY_GID_INDEX, true, 4, 8),
	IN(UVERBS_ATTR_QUERY_GID_ENTRY_FLAGS, false, 0, 8),
	OUT(UVERBS_ATTR_QUERY_GID_ENTRY_RESP_ENTRY, true, 24),
};
static const struct uv_spec gid_table_specs[] = {
	IN(UVERBS_ATTR_QUERY_GID_TABLE_ENTRY_SIZE, true, 8, 8),
	IN(UVERBS_ATTR_QUERY_GID_TABLE_FLAGS, false, 0, 8),
	OUT(UVERBS_ATTR_QUERY_GID_TABLE_RESP_ENTRIES, true, 0),
	OUT(UVERBS_ATTR_QUERY_GID_TABLE_RESP_NUM_ENTRIES, true, 8),
};

const struct uv_method uv_query_methods[] = {
	UV_METHOD(UVERBS_OBJECT_DEVICE, UVERBS_METHOD_GET_CONTEXT, NULL, get_context, get_context_specs),
	UV_METHOD(UVERBS_OBJECT_DEVICE, UVERBS_METHOD_QUERY_CONTEXT, NULL, query_context, query_context_specs),
	UV_METHOD(UVERBS_OBJECT_DEVICE, UVERBS_METHOD_QUERY_PORT, NULL, query_port, query_port_specs),
	UV_METHOD(UVERBS_OBJECT_DEVICE, MLX5_IB_METHOD_QUERY_PORT, NULL, query_port_mlx5, query_port_mlx5_specs),
	UV_METHOD(UVERBS_OBJECT_DEVICE, UVERBS_METHOD_QUERY_GID_ENTRY, NULL, query_gid_entry, gid_entry_specs),
	UV_METHOD(UVERBS_OBJECT_DEVICE, UVERBS_METHOD_QUERY_GID_TABLE, NULL, query_gid_table, gid_table_specs),
	{0},
};
/* clang-format on */
