// SPDX-License-Identifier: BSD-2-Clause
/*
 * libFuzzer target: the uverbs dispatcher of the model's face. The input is a program of ioctls on one context, each
 * with attributes that are right, nearly right or wrong: lengths, flags, handles, addresses that are not mapped. What may
 * go wrong: memory (ASan), a leak, an errno that no kernel has, and objects that are left when the context is closed.
 *
 *   step: method (index in the list below), number of attributes, then the attributes
 *   attribute: id, kind, two bytes: 0 inline number (from 0x8000 on an extended command), 1 a handle, 2 the buffer, 3 not mapped, 4 an inline opcode
 *   the rest of the input lies in the buffer, so that mailboxes and structs come from it
 */
#include <fcntl.h>
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "providers/model/faces/uverbs/uverbs.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Where the buffer lies, so that structs of an input can point into it; free with ASan, too. */
#define PLACE UINT64_C(0x300000000000)
enum { BUFFER = 1 << 16, MAX_STEPS = 48, MAX_ATTRS = 14, HALF = BUFFER / 2 };

static uint8_t *buffer; /* inputs in the first half, outputs and memory to register in the second */

int uv_real_close(int fd)
{
	return close(fd);
}

int uv_hide(int fd)
{
	return fd;
}

void uv_hide_here(int fd, bool hide)
{
}

#define M(object, method) \
	{ \
		object, method \
	}
static const struct {
	uint16_t object, method;
} methods[] = {
	M(UVERBS_OBJECT_DEVICE, UVERBS_METHOD_INVOKE_WRITE),
	M(UVERBS_OBJECT_DEVICE, UVERBS_METHOD_QUERY_PORT),
	M(UVERBS_OBJECT_DEVICE, UVERBS_METHOD_QUERY_CONTEXT),
	M(UVERBS_OBJECT_DEVICE, UVERBS_METHOD_QUERY_GID_TABLE),
	M(UVERBS_OBJECT_DEVICE, UVERBS_METHOD_QUERY_GID_ENTRY),
	M(UVERBS_OBJECT_PD, UVERBS_METHOD_PD_DESTROY),
	M(UVERBS_OBJECT_MR, UVERBS_METHOD_MR_DESTROY),
	M(UVERBS_OBJECT_MR, UVERBS_METHOD_QUERY_MR),
	M(UVERBS_OBJECT_CQ, UVERBS_METHOD_CQ_CREATE),
	M(UVERBS_OBJECT_CQ, UVERBS_METHOD_CQ_DESTROY),
	M(UVERBS_OBJECT_QP, UVERBS_METHOD_QP_CREATE),
	M(UVERBS_OBJECT_QP, UVERBS_METHOD_QP_DESTROY),
	M(UVERBS_OBJECT_FLOW, UVERBS_METHOD_FLOW_DESTROY),
	M(UVERBS_OBJECT_FLOW, MLX5_IB_METHOD_CREATE_FLOW),
	M(UVERBS_OBJECT_ASYNC_EVENT, UVERBS_METHOD_ASYNC_EVENT_ALLOC),
	M(MLX5_IB_OBJECT_DEVX, MLX5_IB_METHOD_DEVX_OTHER),
	M(MLX5_IB_OBJECT_DEVX, MLX5_IB_METHOD_DEVX_QUERY_EQN),
	M(MLX5_IB_OBJECT_DEVX, MLX5_IB_METHOD_DEVX_SUBSCRIBE_EVENT),
	M(MLX5_IB_OBJECT_DEVX_OBJ, MLX5_IB_METHOD_DEVX_OBJ_CREATE),
	M(MLX5_IB_OBJECT_DEVX_OBJ, MLX5_IB_METHOD_DEVX_OBJ_DESTROY),
	M(MLX5_IB_OBJECT_DEVX_OBJ, MLX5_IB_METHOD_DEVX_OBJ_MODIFY),
	M(MLX5_IB_OBJECT_DEVX_OBJ, MLX5_IB_METHOD_DEVX_OBJ_QUERY),
	M(MLX5_IB_OBJECT_DEVX_OBJ, MLX5_IB_METHOD_DEVX_OBJ_ASYNC_QUERY),
	M(MLX5_IB_OBJECT_DEVX_UMEM, MLX5_IB_METHOD_DEVX_UMEM_REG),
	M(MLX5_IB_OBJECT_DEVX_UMEM, MLX5_IB_METHOD_DEVX_UMEM_DEREG),
	M(MLX5_IB_OBJECT_UAR, MLX5_IB_METHOD_UAR_OBJ_ALLOC),
	M(MLX5_IB_OBJECT_UAR, MLX5_IB_METHOD_UAR_OBJ_DESTROY),
	M(MLX5_IB_OBJECT_FLOW_MATCHER, MLX5_IB_METHOD_FLOW_MATCHER_CREATE),
	M(MLX5_IB_OBJECT_FLOW_MATCHER, MLX5_IB_METHOD_FLOW_MATCHER_DESTROY),
	M(MLX5_IB_OBJECT_STEERING_ANCHOR, MLX5_IB_METHOD_STEERING_ANCHOR_CREATE),
	M(MLX5_IB_OBJECT_DEVX_ASYNC_CMD_FD, MLX5_IB_METHOD_DEVX_ASYNC_CMD_FD_ALLOC),
	M(MLX5_IB_OBJECT_DEVX_ASYNC_EVENT_FD, MLX5_IB_METHOD_DEVX_ASYNC_EVENT_FD_ALLOC),
	M(UVERBS_OBJECT_DM, UVERBS_METHOD_DM_ALLOC), /* there is none */
	M(UVERBS_OBJECT_WQ, UVERBS_METHOD_WQ_CREATE),
	M(UVERBS_OBJECT_WQ, UVERBS_METHOD_WQ_DESTROY),
	M(UVERBS_OBJECT_RWQ_IND_TBL, UVERBS_METHOD_RWQ_IND_TBL_DESTROY),
	M(UVERBS_OBJECT_COUNTERS, UVERBS_METHOD_COUNTERS_CREATE),
	M(UVERBS_OBJECT_COUNTERS, UVERBS_METHOD_COUNTERS_DESTROY),
	M(UVERBS_OBJECT_COUNTERS, UVERBS_METHOD_COUNTERS_READ),
	M(UVERBS_OBJECT_FLOW_ACTION, MLX5_IB_METHOD_FLOW_ACTION_CREATE_MODIFY_HEADER),
	M(UVERBS_OBJECT_FLOW_ACTION, MLX5_IB_METHOD_FLOW_ACTION_CREATE_PACKET_REFORMAT),
	M(UVERBS_OBJECT_FLOW_ACTION, UVERBS_METHOD_FLOW_ACTION_DESTROY),
	M(MLX5_IB_OBJECT_STEERING_ANCHOR, MLX5_IB_METHOD_STEERING_ANCHOR_DESTROY),
};

struct input {
	const uint8_t *at, *end;
};

static uint32_t take(struct input *in, unsigned int bytes)
{
	uint32_t v = 0;

	while (bytes--)
		v = v << 8 | (in->at < in->end ? *in->at++ : 0);
	return v;
}

/* struct ib_uverbs_ioctl_hdr without its open end */
struct header {
	uint16_t length, object_id, method_id, num_attrs;
	uint64_t reserved1;
	uint32_t driver_id, reserved2;
};
static_assert(sizeof(struct header) == sizeof(struct ib_uverbs_ioctl_hdr), "the same layout");

struct call {
	struct header hdr;
	struct ib_uverbs_attr attrs[MAX_ATTRS];
};

/* Mailboxes begin with an opcode that exists more often than chance would have it. */
static uint64_t at_buffer(uint32_t v)
{
	size_t n;
	const struct prm_opcode_info *ops = prm_opcodes(&n);
	size_t at = (v & 0x3ff) * 16;

	if (v & 0x8000)
		prm_put(buffer + at, 0, 16, ops[(v >> 10) % n].opcode);
	return (uintptr_t)(v & 0x4000 ? buffer + HALF + (v & 0x7) * UV_PAGE : buffer + at);
}

static void fill(struct input *in, struct ib_uverbs_attr *a)
{
	uint32_t id = take(in, 1), kind = take(in, 1), v = take(in, 2);

	a->attr_id = (uint16_t)((id & 0x80 ? 1u << UVERBS_ID_NS_SHIFT : 0) + (id & 0x1f));
	a->flags = kind & 0x80 ? UVERBS_ATTR_F_MANDATORY : kind & 0x40 ? (uint16_t)v : 0;
	switch (kind % 5) {
	case 0:
		a->len = 1u << (kind >> 3 & 3);
		a->data = v & 0x8000 ? IB_USER_VERBS_CMD_FLAG_EXTENDED | (v & 0x7fff) : v;
		break;
	case 1: a->data = v & 0x1f; break; /* len 0 */
	case 2:
		a->len = (uint16_t)take(in, 2);
		a->len = a->len % (HALF / 2);
		a->data = at_buffer(v);
		break;
	case 3:
		a->len = (uint16_t)v;
		a->data = v & 1 ? 1 : 0;
		break;
	default:
		a->len = 8;
		a->data = at_buffer(v);
		break;
	}
}

static void step(struct input *in, struct uv_ctx *ctx)
{
	struct call c = {.hdr = {.driver_id = RDMA_DRIVER_MLX5}};
	unsigned int m = take(in, 1), n = take(in, 1);
	int err;

	c.hdr.object_id = methods[m % (sizeof(methods) / sizeof(methods[0]))].object;
	c.hdr.method_id = methods[m % (sizeof(methods) / sizeof(methods[0]))].method;
	c.hdr.num_attrs = (uint16_t)(n % MAX_ATTRS);
	c.hdr.length = (uint16_t)(sizeof(c.hdr) + c.hdr.num_attrs * sizeof(c.attrs[0]));
	if (n & 0x80)
		c.hdr.length = (uint16_t)take(in, 2);
	for (unsigned int i = 0; i < c.hdr.num_attrs; i++)
		fill(in, &c.attrs[i]);
	err = uv_ioctl(ctx, RDMA_VERBS_IOCTL, (uintptr_t)&c);
	if (err > 0 || err < -4095)
		abort();
}

static void get_context(struct uv_ctx *ctx)
{
	struct mlx5_ib_alloc_ucontext_req_v2 req = {.flags = MLX5_IB_ALLOC_UCTX_DEVX,
						    .lib_caps = MLX5_LIB_CAP_DYN_UAR};
	struct mlx5_ib_alloc_ucontext_resp resp;
	struct call c = {
		.hdr = {.driver_id = RDMA_DRIVER_MLX5,
			.object_id = UVERBS_OBJECT_DEVICE,
			.method_id = UVERBS_METHOD_GET_CONTEXT,
			.num_attrs = 2,
			.length = sizeof(c.hdr) + 2 * sizeof(c.attrs[0])},
		.attrs = {{.attr_id = UVERBS_ATTR_UHW_IN,
			   .len = sizeof(req),
			   .data = (uintptr_t)&req},
			  {.attr_id = UVERBS_ATTR_UHW_OUT,
			   .len = sizeof(resp),
			   .data = (uintptr_t)&resp}},
	};

	if (uv_ioctl(ctx, RDMA_VERBS_IOCTL, (uintptr_t)&c))
		abort();
}

static void start(void)
{
	char why[256];
	uint8_t *map = mmap((void *)PLACE, BUFFER + UV_PAGE, PROT_READ | PROT_WRITE,
			    MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);

	if (map == MAP_FAILED)
		abort();

	munmap(map + BUFFER, UV_PAGE); /* what is registered ends here */
	buffer = map;
	setenv("MLXO_MODEL", "model:port=loop", 1);
	if (uv_cards_init(why, sizeof(why)))
		abort();
}

/* Channels that the program was given: nobody reads them, but they must not pile up. */
static void close_channels(int first)
{
	for (int fd = first; fd < first + 4 * MAX_STEPS; fd++)
		if (uv_channel_closed(fd))
			close(fd);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct input in = {data, data + size};
	struct model_census census;
	struct uv_ctx *ctx;
	unsigned int steps;
	int first;

	if (!buffer)
		start();
	memset(buffer, 0, BUFFER);
	steps = take(&in, 1) % MAX_STEPS;
	memcpy(buffer, in.at, (size_t)(in.end - in.at) < HALF ? (size_t)(in.end - in.at) : HALF);
	ctx = uv_ctx_new(&uv_cards[0]);
	if (!ctx)
		return 0;
	first = dup(0);
	close(first);
	get_context(ctx);
	for (unsigned int i = 0; i < steps && in.at < in.end; i++)
		step(&in, ctx);
	close_channels(first);
	uv_ctx_put(ctx);
	model_dev_census(uv_model(&uv_cards[0]), &census);
	for (int t = 0; t < MODEL_NTYPES; t++)
		if (census.count[t])
			abort();
	return 0;
}
