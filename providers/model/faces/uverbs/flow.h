/* SPDX-License-Identifier: BSD-2-Clause */
/* Rules under the NIC's root, of mlx5dv_create_flow (flow.c) and of ibv_create_flow (rule.c). */
#ifndef FACES_UVERBS_FLOW_H
#define FACES_UVERBS_FLOW_H

#include "uverbs.h"

/* A table of one rule that leads to a TIR: a root rule leads to tables only. 0: nothing was made. */
struct uv_tir_table {
	uint32_t table, group;
	bool rule;
};

struct uv_flow {
	struct uv_obj o;
	struct uv_obj *matcher, *dest; /* NULL: none */
	struct uv_tir_table tir;
	struct prov_attachment *at;
};

extern const struct uv_class uv_flow_class;

/* Attach: a->table_id is the destination, or 0 and the TIR is. 0 or -errno, then nothing was done. */
int uv_flow_attach(struct uv_ctx *ctx, struct uv_flow *f, struct prov_attach *a, uint32_t tirn,
		   uint32_t tag);

#endif
