/* SPDX-License-Identifier: BSD-2-Clause */
/* Rules under the NIC's root, of mlx5dv_create_flow (flow.c) and of ibv_create_flow (rule.c). */
#ifndef FACES_UVERBS_FLOW_H
#define FACES_UVERBS_FLOW_H

#include "uverbs.h"

/* MLX5_IB_FLOW_LAST_PRIO + 1 of Linux hw/mlx5/mlx5_ib.h; a flow tag has 24 bits. */
enum { UV_PRIORITIES = 16, UV_MAX_TAG = 1 << 24 };
enum { UV_FLOW_ACTIONS = 2, UV_FLOW_USES = 3 + UV_FLOW_ACTIONS };

struct uv_flow {
	struct uv_obj o;
	struct uv_obj *uses[UV_FLOW_USES]; /* matcher, destination, counter, actions */
	unsigned int nuses;
	struct prov_attachment *at;
};

/* What mlx5dv_create_flow_action_modify_header() or _packet_reformat() made. */
struct uv_flow_action {
	struct uv_obj o;
	uint8_t table_type; /* PRM_FLOW_TABLE_TYPE_* */
	uint32_t modify_header,
		reformat; /* 0: not this; neither: decapsulation, of which firmware has no object */
};

extern const struct uv_class uv_flow_class;

/* 0 or -errno, then nothing was done. */
int uv_flow_attach(struct uv_ctx *ctx, struct uv_flow *f, const struct model_root_rule *r);
/* The flow needs it. NULL is allowed. */
void uv_flow_use(struct uv_ctx *ctx, struct uv_flow *f, struct uv_obj *o);

#endif
