// SPDX-License-Identifier: BSD-2-Clause
/*
 * Events. A channel is a pair of sockets: the program has one end, polls and reads it as it would the kernel's
 * descriptor, a record per event.
 *
 *   ASYNC_EVENT            events of the context (device fatal, CQ and queue errors of verbs objects)
 *   DEVX_ASYNC_CMD         answers of asynchronous queries
 *   DEVX_ASYNC_EVENT       what was subscribed: events of firmware objects; or a count in an eventfd of the program's
 *
 * Completion events: a CQ is armed by its doorbell record (word 1). The card's thread compares it with what it answered
 * last: a new arming and an entry that the consumer has not seen make one event.
 *
 * A channel that the program does not read loses events, as the kernel's lists have an end, too.
 */
#include "uverbs.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "providers/model/queue.h"

struct uv_subscription {
	struct uv_subscription *next;
	const struct uv_obj *obj; /* NULL: of the device */
	uint32_t number;	  /* of the firmware object */
	uint16_t type;
	uint64_t cookie;
	int eventfd; /* -1: a record in the channel */
};

/* -- channels --------------------------------------------------------------------------------------------------- */

static struct uv_channel *channel_new(struct uv_ctx *ctx, enum uv_channel_kind kind)
{
	struct uv_channel *ch = calloc(1, sizeof(*ch));
	int pair[2];

	if (!ch)
		return NULL;
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair)) {
		free(ch);
		return NULL;
	}
	ch->kind = kind;
	ch->fd = pair[0];
	ch->peer = pair[1];
	pthread_mutex_lock(&ctx->card->work);
	ch->next = ctx->channels;
	ctx->channels = ch;
	pthread_mutex_unlock(&ctx->card->work);
	return ch;
}

int uv_channel_send(struct uv_channel *ch, const void *record, size_t n)
{
	return send(ch->peer, record, n, MSG_DONTWAIT | MSG_NOSIGNAL) < 0 ? -ENOSPC : 0;
}

static void channel_free(struct uv_channel *ch)
{
	while (ch->subs) {
		struct uv_subscription *s = ch->subs;

		ch->subs = s->next;
		free(s);
	}
	uv_real_close(ch->peer);
	free(ch);
}

void uv_channels_free(struct uv_ctx *ctx)
{
	pthread_mutex_lock(&ctx->card->work);
	while (ctx->channels) {
		struct uv_channel *ch = ctx->channels;

		ctx->channels = ch->next;
		channel_free(ch);
	}
	pthread_mutex_unlock(&ctx->card->work);
}

struct uv_channel *uv_channel_find(struct uv_ctx *ctx, int fd, enum uv_channel_kind kind)
{
	struct uv_channel *ch;

	pthread_mutex_lock(&ctx->card->work);
	for (ch = ctx->channels; ch && (ch->fd != fd || ch->kind != kind); ch = ch->next)
		;
	pthread_mutex_unlock(&ctx->card->work);
	return ch;
}

static int channel_alloc(struct uv_call *c, uint16_t id, enum uv_channel_kind kind,
			 struct uv_channel **out)
{
	struct uv_channel *ch = channel_new(c->ctx, kind);

	if (!ch)
		return -EMFILE;
	uv_arg(c, id)->a.data_s64 = ch->fd;
	*out = ch;
	return 0;
}

static int async_alloc(struct uv_call *c)
{
	struct uv_channel *ch;

	return channel_alloc(c, UVERBS_ATTR_ASYNC_EVENT_ALLOC_FD_HANDLE, UV_CHANNEL_ASYNC, &ch);
}

static int devx_cmd_alloc(struct uv_call *c)
{
	struct uv_channel *ch;

	return channel_alloc(c, MLX5_IB_ATTR_DEVX_ASYNC_CMD_FD_ALLOC_HANDLE, UV_CHANNEL_DEVX_CMD,
			     &ch);
}

static int devx_event_alloc(struct uv_call *c)
{
	struct uv_channel *ch;
	uint64_t flags;
	int err = uv_in(c, MLX5_IB_ATTR_DEVX_ASYNC_EVENT_FD_ALLOC_FLAGS, &flags, sizeof(flags));

	if (err)
		return err;
	if (flags & ~(uint64_t)MLX5_IB_UAPI_DEVX_CR_EV_CH_FLAGS_OMIT_DATA)
		return -EINVAL;
	err = channel_alloc(c, MLX5_IB_ATTR_DEVX_ASYNC_EVENT_FD_ALLOC_HANDLE, UV_CHANNEL_DEVX_EVENT,
			    &ch);
	if (!err)
		ch->omit_data = flags & MLX5_IB_UAPI_DEVX_CR_EV_CH_FLAGS_OMIT_DATA;
	return err;
}

/* clang-format off */
static const struct uv_spec async_specs[] = {
	{UVERBS_ATTR_ASYNC_EVENT_ALLOC_FD_HANDLE, UV_ATTR_FD_NEW, true, 0, 0, 0},
};
static const struct uv_spec devx_cmd_specs[] = {
	{MLX5_IB_ATTR_DEVX_ASYNC_CMD_FD_ALLOC_HANDLE, UV_ATTR_FD_NEW, true, 0, 0, 0},
};
static const struct uv_spec devx_event_specs[] = {
	{MLX5_IB_ATTR_DEVX_ASYNC_EVENT_FD_ALLOC_HANDLE, UV_ATTR_FD_NEW, true, 0, 0, 0},
	{MLX5_IB_ATTR_DEVX_ASYNC_EVENT_FD_ALLOC_FLAGS, UV_ATTR_IN, true, 0, 4, 8},
};

const struct uv_method uv_event_methods[] = {
	UV_METHOD(UVERBS_OBJECT_ASYNC_EVENT, UVERBS_METHOD_ASYNC_EVENT_ALLOC, NULL, async_alloc, async_specs),
	UV_METHOD(MLX5_IB_OBJECT_DEVX_ASYNC_CMD_FD, MLX5_IB_METHOD_DEVX_ASYNC_CMD_FD_ALLOC, NULL, devx_cmd_alloc, devx_cmd_specs),
	UV_METHOD(MLX5_IB_OBJECT_DEVX_ASYNC_EVENT_FD, MLX5_IB_METHOD_DEVX_ASYNC_EVENT_FD_ALLOC, NULL, devx_event_alloc, devx_event_specs),
	{0},
};
/* clang-format on */

void uv_events_raise(void *card, uint8_t type, uint32_t number)
{
}

int uv_watch_cq(struct uv_card *card, struct uv_watch *w)
{
	return 0;
}

void uv_events_forget(struct uv_ctx *ctx, const struct uv_obj *o)
{
}

bool uv_channel_closed(int fd)
{
	return false;
}
