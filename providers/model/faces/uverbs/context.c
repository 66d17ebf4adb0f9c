// SPDX-License-Identifier: BSD-2-Clause
/*
 * Contexts and their handles.
 *
 * A handle is a number of its context. Who reads an object may share it, who writes or destroys it has it alone; else
 * EBUSY, at once, as in the kernel. A context goes with the last of its descriptor and the calls in progress: objects
 * are destroyed newest first, round after round while some go (an older one may use a newer one), then the firmware
 * destroys what is left of the uid.
 *
 * MLXO_MODEL_CENSUS=FILE receives a line of JSON for each context that goes: what the program left, by type, and what
 * is left on the card afterwards, which must be nothing.
 */
#include "uverbs.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct uv_ctx *uv_ctx_new(struct uv_card *card)
{
	struct uv_ctx *ctx = calloc(1, sizeof(*ctx));

	if (!ctx)
		return NULL;
	atomic_init(&ctx->refs, 1);
	ctx->card = card;
	pthread_mutex_init(&ctx->lock, NULL);
	pthread_mutex_lock(&card->lock);
	ctx->next = card->ctxs;
	card->ctxs = ctx;
	pthread_mutex_unlock(&card->lock);
	return ctx;
}

void uv_ctx_get(struct uv_ctx *ctx)
{
	atomic_fetch_add(&ctx->refs, 1);
}

bool uv_ctx_is_stale(const struct uv_ctx *ctx)
{
	return ctx->generation != atomic_load(&uv_model(ctx->card)->generation);
}

bool uv_ctx_is_gone(const struct uv_ctx *ctx)
{
	return atomic_load(&ctx->open) &&
	       (uv_ctx_is_stale(ctx) || atomic_load(&uv_model(ctx->card)->dead));
}

/* -- census ------------------------------------------------------------------------------------------------- */

/* Objects of a uid, by type. */
static void count(struct model_dev *m, uint16_t uid, uint32_t n[MODEL_NTYPES])
{
	memset(n, 0, MODEL_NTYPES * sizeof(*n));
	pthread_rwlock_rdlock(&m->objs);
	for (uint32_t b = 0; b < m->nhash; b++)
		for (struct model_obj *o = m->hash[b]; o; o = o->next) {
			if (o->uid != uid)
				continue;
			n[o->type] += o->count;
			if (o->type == MODEL_FT)
				n[MODEL_FTE] += ((struct model_ft *)o)->nftes;
		}
	pthread_rwlock_unlock(&m->objs);
}

static size_t put_counts(char *to, size_t room, const uint32_t n[MODEL_NTYPES])
{
	size_t at = 0;

	for (int t = 0; t < MODEL_NTYPES; t++)
		if (n[t] && at < room)
			at += (size_t)snprintf(to + at, room - at, "%s\"%s\": %u", at ? ", " : "",
					       model_type_name((enum model_type)t), n[t]);
	return at;
}

static void write_census(struct uv_ctx *ctx, const uint32_t left[MODEL_NTYPES])
{
	const char *path = getenv("MLXO_MODEL_CENSUS");
	char was[1024] = "", now[1024] = "", line[2304];
	uint32_t after[MODEL_NTYPES];
	int fd, n;

	if (!path)
		return;
	count(uv_model(ctx->card), ctx->uid, after);
	put_counts(was, sizeof(was), left);
	put_counts(now, sizeof(now), after);
	n = snprintf(line, sizeof(line), "{\"device\": \"%s\", \"left\": {%s}, \"live\": {%s}}\n",
		     ctx->card->name, was, now);
	fd = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
	if (fd < 0)
		return;
	(void)!write(fd, line, (size_t)n);
	close(fd);
}

/* -- the end ------------------------------------------------------------------------------------------------ */

static void forget(struct uv_ctx *ctx, struct uv_obj *o)
{
	*o->prev = o->next;
	if (o->next)
		o->next->prev = o->prev;
	ctx->handle[o->handle] = NULL;
	ctx->free_handle[ctx->nfree++] = o->handle;
	free(o);
}

/* One round. How many went. */
static int destroy_round(struct uv_ctx *ctx)
{
	struct uv_obj *next;
	int gone = 0;

	for (struct uv_obj *o = ctx->objs; o; o = next) {
		next = o->next;
		if (o->users || o->cls->destroy(ctx, o))
			continue;
		forget(ctx, o);
		gone++;
	}
	return gone;
}

static void unlink_ctx(struct uv_ctx *ctx)
{
	struct uv_card *card = ctx->card;

	pthread_mutex_lock(&card->lock);
	for (struct uv_ctx **p = &card->ctxs; *p; p = &(*p)->next)
		if (*p == ctx) {
			*p = ctx->next;
			break;
		}
	pthread_mutex_unlock(&card->lock);
}

static void clean_up(struct uv_ctx *ctx)
{
	uint32_t left[MODEL_NTYPES];

	ctx->closing = true;
	count(uv_model(ctx->card), ctx->uid, left);
	while (ctx->objs && destroy_round(ctx))
		;
	for (struct uv_obj *o = ctx->objs, *next; o; o = next) {
		next = o->next;
		forget(ctx, o); /* the device is dead: its objects go with the uid */
	}
	model_fw_close_uid(uv_model(ctx->card), ctx->uid);
	write_census(ctx, left);
}

void uv_ctx_put(struct uv_ctx *ctx)
{
	if (atomic_fetch_sub(&ctx->refs, 1) != 1)
		return;
	if (atomic_load(&ctx->open))
		clean_up(ctx);
	uv_channels_free(ctx);
	unlink_ctx(ctx);
	pthread_mutex_destroy(&ctx->lock);
	free(ctx->handle);
	free(ctx->free_handle);
	free(ctx);
}

/* -- handles ------------------------------------------------------------------------------------------------- */

struct uv_obj *uv_obj_new(const struct uv_class *cls)
{
	struct uv_obj *o = calloc(1, cls->size);

	if (o)
		o->cls = cls;
	return o;
}

/* Room for more handles. Handle 0 is not used: it is what programs have that were given none. */
static int grow(struct uv_ctx *ctx)
{
	uint32_t n = ctx->nhandles ? ctx->nhandles * 2 : 64;
	struct uv_obj **handle = realloc(ctx->handle, n * sizeof(struct uv_obj *));
	uint32_t *spare;

	if (!handle)
		return -ENOMEM;
	ctx->handle = handle;
	spare = realloc(ctx->free_handle, n * sizeof(*spare));
	if (!spare)
		return -ENOMEM;
	ctx->free_handle = spare;
	for (uint32_t i = n; i-- > ctx->nhandles;) {
		handle[i] = NULL;
		if (i)
			spare[ctx->nfree++] = i;
	}
	ctx->nhandles = n;
	return 0;
}

void uv_obj_discard(struct uv_obj *o)
{
	free(o);
}

int uv_obj_publish(struct uv_ctx *ctx, struct uv_obj *o)
{
	int err = 0;

	pthread_mutex_lock(&ctx->lock);
	if (!ctx->nfree)
		err = grow(ctx);
	if (!err) {
		o->handle = ctx->free_handle[--ctx->nfree];
		ctx->handle[o->handle] = o;
		o->next = ctx->objs;
		o->prev = &ctx->objs;
		if (ctx->objs)
			ctx->objs->prev = &o->next;
		ctx->objs = o;
	}
	pthread_mutex_unlock(&ctx->lock);
	return err;
}

int uv_obj_get(struct uv_ctx *ctx, uint16_t object, uint64_t handle, enum uv_access access,
	       struct uv_obj **out)
{
	struct uv_obj *o;
	int err = 0;

	pthread_mutex_lock(&ctx->lock);
	o = handle < ctx->nhandles ? ctx->handle[handle] : NULL;
	if (!o)
		err = -ENOENT;
	else if (o->cls->object != object && object != UV_ANY_OBJECT)
		err = -EINVAL;
	else if (o->active < 0 || (access == UV_WRITE && o->active))
		err = -EBUSY;
	else
		o->active = access == UV_WRITE ? -1 : o->active + 1;
	pthread_mutex_unlock(&ctx->lock);
	*out = err ? NULL : o;
	return err;
}

void uv_obj_put(struct uv_ctx *ctx, struct uv_obj *o, enum uv_access access)
{
	pthread_mutex_lock(&ctx->lock);
	o->active = access == UV_WRITE ? 0 : o->active - 1;
	pthread_mutex_unlock(&ctx->lock);
}

int uv_obj_destroy(struct uv_ctx *ctx, struct uv_obj *o)
{
	unsigned int users;
	int err;

	pthread_mutex_lock(&ctx->lock);
	users = o->users;
	pthread_mutex_unlock(&ctx->lock);
	if (users)
		return -EBUSY;
	err = o->cls->destroy(ctx, o);
	if (err)
		return err;
	pthread_mutex_lock(&ctx->lock);
	forget(ctx, o);
	pthread_mutex_unlock(&ctx->lock);
	return 0;
}

void uv_obj_retract(struct uv_ctx *ctx, struct uv_obj *o)
{
	if (uv_obj_get(ctx, o->cls->object, o->handle, UV_WRITE, &o) == 0 && uv_obj_destroy(ctx, o))
		uv_obj_put(ctx, o, UV_WRITE);
}

void uv_obj_use(struct uv_ctx *ctx, struct uv_obj *used)
{
	pthread_mutex_lock(&ctx->lock);
	used->users++;
	pthread_mutex_unlock(&ctx->lock);
}

void uv_obj_unuse(struct uv_ctx *ctx, struct uv_obj *used)
{
	pthread_mutex_lock(&ctx->lock);
	used->users--;
	pthread_mutex_unlock(&ctx->lock);
}
