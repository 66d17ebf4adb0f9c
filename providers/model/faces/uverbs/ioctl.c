// SPDX-License-Identifier: BSD-2-Clause
/*
 * RDMA_VERBS_IOCTL: header, attributes, objects, then the method.
 *
 *   header ─ method known? ─ attributes by id ─ objects taken ─ run ─ objects given back ─ new handle written back
 *
 * As in the kernel: an input of up to 8 bytes lies in the attribute itself, a handle does too; what a call made is told
 * by writing the attribute back. An attribute that a method does not know is passed over unless it is mandatory. Each
 * method has a row: which attributes, how long, what they name.
 *
 * Source: Linux drivers/infiniband/core/uverbs_ioctl.c for the order of checks and their errors.
 */
#include "uverbs.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>

enum { MAX_DUP = 1 << 16 };

static const struct uv_method *const tables[] = {
	uv_query_methods,   uv_write_methods, uv_devx_methods,	   uv_memory_methods,
	uv_channel_methods, uv_event_methods, uv_flow_methods,	   uv_verbs_methods,
	uv_qp_methods,	    uv_wq_methods,    uv_counters_methods, uv_flow_action_methods};

static const struct uv_method *find_method(uint16_t object, uint16_t id)
{
	for (size_t t = 0; t < sizeof(tables) / sizeof(tables[0]); t++)
		for (const struct uv_method *m = tables[t]; m->run; m++)
			if (m->object == object && m->id == id)
				return m;
	return NULL;
}

/* -- what methods ask ------------------------------------------------------------------------------------------ */

struct uv_arg *uv_arg(struct uv_call *c, uint16_t id)
{
	for (unsigned int i = 0; i < c->m->nspecs; i++)
		if (c->m->specs[i].id == id)
			return &c->arg[i];
	return NULL;
}

bool uv_has(struct uv_call *c, uint16_t id)
{
	const struct uv_arg *a = uv_arg(c, id);

	return a && a->present;
}

size_t uv_len(struct uv_call *c, uint16_t id)
{
	return uv_has(c, id) ? uv_arg(c, id)->a.len : 0;
}

static int copy_attr(const struct uv_arg *a, void *to, size_t n)
{
	if (a->a.len <= sizeof(a->a.data)) {
		memcpy(to, &a->a.data, n);
		return 0;
	}
	return uv_copy_in(to, a->a.data, n);
}

int uv_in(struct uv_call *c, uint16_t id, void *to, size_t n)
{
	size_t have = uv_len(c, id);

	memset(to, 0, n);
	return have ? copy_attr(uv_arg(c, id), to, have < n ? have : n) : 0;
}

void *uv_in_dup(struct uv_call *c, uint16_t id, size_t *len, int *err)
{
	void *copy;

	*len = uv_len(c, id);
	*err = -ENOMEM;
	copy = calloc(1, *len ? *len : 1);
	if (!copy)
		return NULL;
	*err = *len ? copy_attr(uv_arg(c, id), copy, *len) : 0;
	if (*err) {
		free(copy);
		return NULL;
	}
	return copy;
}

static int write_back(struct uv_arg *a)
{
	return uv_copy_out(a->user, &a->a, sizeof(a->a));
}

int uv_out(struct uv_call *c, uint16_t id, const void *from, size_t n)
{
	struct uv_arg *a = uv_arg(c, id);
	int err;

	if (!a || !a->present)
		return -ENOENT;
	err = uv_copy_out(a->a.data, from, n < a->a.len ? n : a->a.len);
	if (err)
		return err;
	a->a.flags |= UVERBS_ATTR_F_VALID_OUTPUT;
	return write_back(a);
}

struct uv_obj *uv_object(struct uv_call *c, uint16_t id)
{
	return uv_has(c, id) ? uv_arg(c, id)->obj : NULL;
}

/* -- attributes -------------------------------------------------------------------------------------------------- */

static int take_bytes(const struct uv_spec *s, struct uv_arg *a)
{
	if (a->a.len < s->min)
		return -EINVAL;
	if (s->kind == UV_ATTR_IN && s->max && a->a.len > s->max)
		return -EOPNOTSUPP;
	if (s->kind == UV_ATTR_OUT && a->a.len && !a->a.data)
		return -EFAULT;
	return 0;
}

static int take_object(struct uv_call *c, const struct uv_spec *s, struct uv_arg *a)
{
	if (a->a.len)
		return -EINVAL;
	if (s->kind == UV_ATTR_OBJ_NEW || s->kind == UV_ATTR_FD_NEW)
		return 0;
	if (s->kind == UV_ATTR_FD) {
		a->channel = uv_channel_find(c->ctx, (int)a->a.data_s64,
					     (enum uv_channel_kind)s->object);
		return a->channel ? 0 : -EBADF;
	}
	return uv_obj_get(c->ctx, s->object, a->a.data,
			  s->kind == UV_ATTR_OBJ_READ ? UV_READ : UV_WRITE, &a->obj);
}

static int take_objects(struct uv_call *c, const struct uv_spec *s, struct uv_arg *a)
{
	unsigned int n = a->a.len / sizeof(uint32_t);
	uint32_t handle[64];
	int err;

	if (a->a.len % sizeof(uint32_t) || n > 64 || a->a.len < s->min)
		return -EINVAL;
	err = copy_attr(a, handle, a->a.len);
	if (err)
		return err;
	a->objs = calloc(n ? n : 1, sizeof(struct uv_obj *));
	if (!a->objs)
		return -ENOMEM;
	for (; a->nobjs < n && !err; a->nobjs += !err)
		err = uv_obj_get(c->ctx, s->object, handle[a->nobjs], UV_READ, &a->objs[a->nobjs]);
	return err;
}

static int take(struct uv_call *c, unsigned int i)
{
	const struct uv_spec *s = &c->m->specs[i];
	struct uv_arg *a = &c->arg[i];

	switch (s->kind) {
	case UV_ATTR_IN:
	case UV_ATTR_OUT: return take_bytes(s, a);
	case UV_ATTR_OBJS: return take_objects(c, s, a);
	default: return take_object(c, s, a);
	}
}

static void give_back(struct uv_call *c)
{
	for (unsigned int i = 0; i < c->m->nspecs; i++) {
		struct uv_arg *a = &c->arg[i];

		if (a->obj)
			uv_obj_put(c->ctx, a->obj,
				   c->m->specs[i].kind == UV_ATTR_OBJ_READ ? UV_READ : UV_WRITE);
		for (unsigned int k = 0; k < a->nobjs; k++)
			uv_obj_put(c->ctx, a->objs[k], UV_READ);
		free(a->objs);
		if (a->channel)
			uv_channel_put(a->channel);
	}
}

/* Sort one attribute to where its method expects it. */
static int sort(struct uv_call *c, const struct ib_uverbs_attr *attr, uint64_t user)
{
	if (attr->flags & ~(UVERBS_ATTR_F_MANDATORY | UVERBS_ATTR_F_VALID_OUTPUT))
		return -EINVAL;
	for (unsigned int i = 0; i < c->m->nspecs; i++) {
		struct uv_arg *a = &c->arg[i];

		if (c->m->specs[i].id != attr->attr_id)
			continue;
		if (a->present)
			return -EINVAL;
		a->present = true;
		a->a = *attr;
		a->user = user;
		return 0;
	}
	return attr->flags & UVERBS_ATTR_F_MANDATORY ? -EPROTONOSUPPORT : 0;
}

static int read_attrs(struct uv_call *c, uint64_t at, unsigned int n)
{
	struct ib_uverbs_attr attr;

	for (unsigned int i = 0; i < n; i++, at += sizeof(attr)) {
		int err = uv_copy_in(&attr, at, sizeof(attr));

		if (!err)
			err = sort(c, &attr, at);
		if (err)
			return err;
	}
	for (unsigned int i = 0; i < c->m->nspecs; i++)
		if (c->m->specs[i].mandatory && !c->arg[i].present)
			return -EINVAL;
	return 0;
}

/* -- run ----------------------------------------------------------------------------------------------------------- */

static int make(struct uv_call *c)
{
	if (!c->m->cls)
		return 0;
	c->made = uv_obj_new(c->m->cls);
	return c->made ? 0 : -ENOMEM;
}

/* What the call made gets its handle, and the program is told. */
static int publish(struct uv_call *c)
{
	int err = uv_obj_publish(c->ctx, c->made);

	if (err) {
		c->made->cls->destroy(c->ctx, c->made);
		free(c->made);
		return err;
	}
	for (unsigned int i = 0; i < c->m->nspecs; i++)
		if (c->m->specs[i].kind == UV_ATTR_OBJ_NEW && c->arg[i].present) {
			c->arg[i].a.data = c->made->handle;
			err = write_back(&c->arg[i]);
		}
	if (err)
		uv_obj_retract(c->ctx, c->made);
	return err;
}

static int finish(struct uv_call *c, int err)
{
	for (unsigned int i = 0; i < c->m->nspecs && !err; i++)
		if (c->m->specs[i].kind == UV_ATTR_FD_NEW && c->arg[i].present) {
			err = write_back(&c->arg[i]);
			if (err)
				uv_channel_retract((int)c->arg[i].a.data_s64);
		}
	if (c->made && !err)
		return publish(c);
	free(c->made);
	return err;
}

int uv_destroyed(struct uv_call *c)
{
	for (unsigned int i = 0; i < c->m->nspecs; i++)
		if (c->m->specs[i].kind == UV_ATTR_OBJ_DESTROY) {
			struct uv_obj *o = c->arg[i].obj;
			int err = uv_obj_destroy(c->ctx, o);

			if (!err)
				c->arg[i].obj = NULL;
			return err;
		}
	return -EINVAL;
}

static int dispatch(struct uv_ctx *ctx, const struct ib_uverbs_ioctl_hdr *hdr, uint64_t attrs)
{
	struct uv_call c = {.ctx = ctx, .m = find_method(hdr->object_id, hdr->method_id)};
	bool opens;
	int err;

	if (!c.m)
		return -EPROTONOSUPPORT;
	if (uv_ctx_is_gone(ctx)) /* as in ib_uverbs_run_method() of Linux */
		return -EIO;
	opens = hdr->object_id == UVERBS_OBJECT_DEVICE &&
		(hdr->method_id == UVERBS_METHOD_GET_CONTEXT ||
		 hdr->method_id == UVERBS_METHOD_INVOKE_WRITE); /* looks itself */
	err = read_attrs(&c, attrs, hdr->num_attrs);
	if (!err && !opens && !atomic_load(&ctx->open))
		err = -EINVAL;
	for (unsigned int i = 0; i < c.m->nspecs && !err; i++)
		if (c.arg[i].present)
			err = take(&c, i);
	if (!err)
		err = make(&c);
	if (!err)
		err = finish(&c, c.m->run(&c));
	give_back(&c);
	return err;
}

int uv_ioctl(struct uv_ctx *ctx, unsigned long request, uint64_t arg)
{
	struct ib_uverbs_ioctl_hdr hdr;
	int err;

	if (request != RDMA_VERBS_IOCTL)
		return -ENOTTY;
	err = uv_copy_in(&hdr, arg, sizeof(hdr));
	if (err)
		return err;
	if (hdr.length > UV_PAGE ||
	    hdr.length != sizeof(hdr) + hdr.num_attrs * sizeof(struct ib_uverbs_attr))
		return -EINVAL;
	if (hdr.reserved1 || hdr.reserved2)
		return -EPROTONOSUPPORT;
	if (hdr.driver_id != RDMA_DRIVER_MLX5)
		return -EINVAL;
	err = uv_injected();
	if (!err)
		err = dispatch(ctx, &hdr, arg + sizeof(hdr));
	uv_trace_call(&hdr, err);
	return err;
}
