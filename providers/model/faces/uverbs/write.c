// SPDX-License-Identifier: BSD-2-Clause
/*
 * INVOKE_WRITE: the older commands, each with a struct in and a struct out of <rdma/ib_user_verbs.h>.
 *
 * What is shorter than its struct is ENOSPC, which libibverbs takes for the sign that commands may come by ioctl.
 */
#include "verbs.h"
#include "write.h"

#include "providers/model/fw.h"

#include <errno.h>
#include <string.h>

/* -- QUERY_DEVICE ---------------------------------------------------------------------------------------------- */

enum {
	VENDOR_MELLANOX = 0x02c9,
	CONNECTX_6DX = 0x101d,
	CAP_RAW_IP_CSUM = 1 << 26,
	CAP_MEM_MGT = 1 << 21,
	RAW_PACKET_BIT = 1 << 8,
	MAX_SGE = 30,
};

static uint32_t limit(const struct model_dev *m, enum model_type type)
{
	return m->profile.max[type];
}

static void fill_device(struct uv_ctx *ctx, struct ib_uverbs_query_device_resp *r)
{
	const struct model_dev *m = uv_model(ctx->card);

	*r = (struct ib_uverbs_query_device_resp){
		.fw_ver = UINT64_C(22) << 32 | 38u << 16 | 1002, /* 22.38.1002 */
		.node_guid = __builtin_bswap64(ctx->card->guid),
		.sys_image_guid = __builtin_bswap64(ctx->card->guid),
		.max_mr_size = UINT64_MAX,
		.page_size_cap = UINT64_C(0xfffffffffffff000),
		.vendor_id = VENDOR_MELLANOX,
		.vendor_part_id = CONNECTX_6DX,
		.max_qp = limit(m, MODEL_SQ),
		.max_qp_wr = 1 << 15,
		.device_cap_flags = CAP_RAW_IP_CSUM,
		.max_sge = MAX_SGE,
		.max_sge_rd = MAX_SGE,
		.max_cq = limit(m, MODEL_CQ),
		.max_cqe = (1 << 22) - 1,
		.max_mr = limit(m, MODEL_MKEY),
		.max_pd = limit(m, MODEL_PD),
		.max_raw_ethy_qp = limit(m, MODEL_SQ),
		.max_pkeys = 1,
		.local_ca_ack_delay = 16,
		.phys_port_cnt = 1,
	};
}

static int query_device(struct uv_write *w)
{
	struct ib_uverbs_query_device_resp r;

	fill_device(w->c->ctx, &r);
	return uv_out(w->c, UVERBS_ATTR_CORE_OUT, &r, sizeof(r));
}

static int ex_query_device(struct uv_write *w)
{
	const struct model_dev *m = uv_model(w->c->ctx->card);
	const struct ib_uverbs_ex_query_device *in = (const void *)w->in;
	struct ib_uverbs_ex_query_device_resp r = {
		.device_cap_flags_ex = CAP_RAW_IP_CSUM,
		.max_wq_type_rq = limit(m, MODEL_RQ),
		.rss_caps =
			{
				.supported_qpts = RAW_PACKET_BIT,
				.max_rwq_indirection_tables = limit(m, MODEL_RQT),
				.max_rwq_indirection_table_size = 1u << MODEL_LOG_MAX_RQT,
			},
	};
	struct mlx5_ib_query_device_resp uhw = {
		.rss_caps = {.rx_hash_fields_mask = UV_RX_HASH_FIELDS,
			     .rx_hash_function = MLX5_RX_HASH_FUNC_TOEPLITZ},
		.tso_caps = {.max_tso = 1u << MODEL_LOG_MAX_LSO, .supported_qpts = RAW_PACKET_BIT},
	};
	int err;

	if (in->comp_mask || in->reserved)
		return -EINVAL;
	fill_device(w->c->ctx, &r.base);
	r.response_length = (uint32_t)(w->outlen < sizeof(r) ? w->outlen : sizeof(r));
	uhw.response_length = (uint32_t)uv_len(w->c, UVERBS_ATTR_UHW_OUT);
	if (uhw.response_length > sizeof(uhw))
		uhw.response_length = sizeof(uhw);
	err = uv_out(w->c, UVERBS_ATTR_CORE_OUT, &r, sizeof(r));
	if (!err)
		err = uv_out(w->c, UVERBS_ATTR_UHW_OUT, &uhw, sizeof(uhw));
	return err == -ENOENT ? 0 : err;
}

int uv_write_publish(struct uv_write *w, struct uv_obj *o, int err, const void *answer, size_t n,
		     uint32_t *handle)
{
	struct uv_ctx *ctx = w->c->ctx;

	if (!err)
		err = uv_obj_publish(ctx, o);
	if (err) {
		o->cls->destroy(ctx, o);
		uv_obj_discard(o);
		return err;
	}
	*handle = o->handle;
	err = uv_out(w->c, UVERBS_ATTR_CORE_OUT, answer, n);
	if (err)
		uv_obj_retract(ctx, o);
	return err;
}

int uv_write_destroy(struct uv_write *w, uint16_t object, uint32_t handle)
{
	struct uv_obj *o;
	int err = uv_obj_get(w->c->ctx, object, handle, UV_WRITE, &o);

	if (err)
		return err == -ENOENT ? -EINVAL : err;
	err = uv_obj_destroy(w->c->ctx, o);
	if (err)
		uv_obj_put(w->c->ctx, o, UV_WRITE);
	return err;
}

/* -- which ------------------------------------------------------------------------------------------------------- */

#define EX IB_USER_VERBS_CMD_FLAG_EXTENDED
static const struct uv_write_cmd commands[] = {
	{IB_USER_VERBS_CMD_QUERY_DEVICE, query_device, sizeof(struct ib_uverbs_query_device),
	 sizeof(struct ib_uverbs_query_device_resp)},
	{EX | IB_USER_VERBS_EX_CMD_QUERY_DEVICE, ex_query_device,
	 sizeof(struct ib_uverbs_ex_query_device),
	 offsetof(struct ib_uverbs_ex_query_device_resp, odp_caps)},
};

static const struct uv_write_cmd *find_in(const struct uv_write_cmd *list, size_t n,
					  uint32_t command)
{
	for (size_t i = 0; i < n; i++)
		if (list[i].command == command)
			return &list[i];
	return NULL;
}

static int invoke(struct uv_call *c)
{
	struct uv_write w = {.c = c, .outlen = uv_len(c, UVERBS_ATTR_CORE_OUT)};
	const struct uv_write_cmd *cmd;
	uint64_t command;
	int err = uv_in(c, UVERBS_ATTR_WRITE_CMD, &command, sizeof(command));

	if (err)
		return err;
	cmd = find_in(commands, sizeof(commands) / sizeof(commands[0]), (uint32_t)command);
	if (!cmd)
		cmd = find_in(uv_verbs_commands, uv_verbs_ncommands, (uint32_t)command);
	if (!cmd)
		cmd = find_in(uv_qp_commands, uv_qp_ncommands, (uint32_t)command);
	if (!cmd)
		cmd = find_in(uv_wq_commands, uv_wq_ncommands, (uint32_t)command);
	if (!cmd)
		cmd = find_in(uv_rule_commands, uv_rule_ncommands, (uint32_t)command);
	if (!cmd)
		return -EOPNOTSUPP;
	if (uv_len(c, UVERBS_ATTR_CORE_IN) < cmd->in || w.outlen < cmd->out)
		return -ENOSPC;
	if (uv_len(c, UVERBS_ATTR_CORE_IN) > sizeof(w.in) || !atomic_load(&c->ctx->open))
		return -EINVAL;
	err = uv_in(c, UVERBS_ATTR_CORE_IN, w.in, sizeof(w.in));
	return err ? err : cmd->run(&w);
}

static const struct uv_spec specs[] = {
	{UVERBS_ATTR_CORE_IN, UV_ATTR_IN, false, 0, 0, 0},
	{UVERBS_ATTR_CORE_OUT, UV_ATTR_OUT, false, 0, 0, 0},
	{UVERBS_ATTR_WRITE_CMD, UV_ATTR_IN, true, 0, 4, 8},
	{UVERBS_ATTR_UHW_IN, UV_ATTR_IN, false, 0, 0, 0},
	{UVERBS_ATTR_UHW_OUT, UV_ATTR_OUT, false, 0, 0, 0},
};

const struct uv_method uv_write_methods[] = {
	UV_METHOD(UVERBS_OBJECT_DEVICE, UVERBS_METHOD_INVOKE_WRITE, NULL, invoke, specs),
	{0},
};
