// SPDX-License-Identifier: BSD-2-Clause
/*
 * Channels: descriptors that a program polls and reads. Each is a pair of sockets, of which the program has one end; a
 * record is one event.
 *
 *   events.c ─ send ─▶ [ours] ═ socket pair ═ [the program's] ─▶ poll(), epoll: the kernel's own
 *                                                            └─▶ read(): uv_channel_read()
 *
 * What read() says is the driver's, not the socket's:
 *
 *   room too small	EINVAL, ENOSPC for answers of asynchronous queries; the record stays
 *   events were lost	EOVERFLOW, once, before what is left: of DevX, with data. A socket holds some hundred, the kernel
 *			what memory it has. Events of verbs wait behind it in a list.
 *   without data	8 bytes per event; a subscription stands in the line once, until it is read
 *   the card is gone	EIO when all is read, or EAGAIN for those that do not want to wait
 *
 * Source: Linux drivers/infiniband/hw/mlx5/devx.c, core/uverbs_main.c.
 *
 * Locks: card->events. Nothing blocks with it.
 */
#include "uverbs.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum { MAX_FDS = 1 << 16, MAX_QUERY_BYTES = 1 << 20 };

static _Atomic bool is_channel[MAX_FDS]; /* what is read and closed is mostly something else */

int uv_channel_new(struct uv_ctx *ctx, enum uv_channel_kind kind, struct uv_channel **out)
{
	struct uv_channel *ch = calloc(1, sizeof(*ch));
	int pair[2];

	if (!ch)
		return -ENOMEM;
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair)) {
		free(ch);
		return -EMFILE;
	}
	if (pair[0] >= MAX_FDS) {
		uv_real_close(pair[0]);
		uv_real_close(pair[1]);
		free(ch);
		return -EMFILE;
	}
	ch->ctx = ctx;
	ch->card = ctx->card;
	ch->kind = kind;
	ch->fd = pair[0];
	ch->peer = uv_hide(pair[1]);
	ch->refs = 1;
	ch->waiting_tail = &ch->waiting;
	pthread_mutex_lock(&ctx->card->events);
	ch->next = ctx->card->channels;
	ctx->card->channels = ch;
	pthread_mutex_unlock(&ctx->card->events);
	atomic_store(&is_channel[ch->fd], true);
	*out = ch;
	return 0;
}

int uv_channel_send(struct uv_channel *ch, const void *record, size_t n)
{
	return send(ch->peer, record, n, MSG_DONTWAIT | MSG_NOSIGNAL) < 0 ? -ENOSPC : 0;
}

/* -- what the socket has no room for ------------------------------------------------------------------------- */

struct uv_record {
	struct uv_record *next;
	uint32_t n;
	uint64_t data[2]; /* the longest of verbs: struct ib_uverbs_async_event_desc */
};
_Static_assert(sizeof(struct ib_uverbs_async_event_desc) <= sizeof(uint64_t[2]), "a record");

static struct uv_record *record_new(const void *data, size_t n)
{
	struct uv_record *r = calloc(1, sizeof(*r));

	if (r) {
		r->n = (uint32_t)n;
		memcpy(r->data, data, n);
	}
	return r;
}

static void append(struct uv_channel *ch, struct uv_record *r)
{
	r->next = NULL;
	*ch->waiting_tail = r;
	ch->waiting_tail = &r->next;
}

static struct uv_record *take_first(struct uv_channel *ch)
{
	struct uv_record *r = ch->waiting;

	ch->waiting = r->next;
	if (!ch->waiting)
		ch->waiting_tail = &ch->waiting;
	return r;
}

/* As many as there is room for. With card->events. */
static void refill(struct uv_channel *ch)
{
	while (ch->waiting && !uv_channel_send(ch, ch->waiting->data, ch->waiting->n))
		free(take_first(ch));
}

int uv_channel_queue(struct uv_channel *ch, const void *record, size_t n)
{
	struct uv_record *r;

	if (!ch->waiting && !uv_channel_send(ch, record, n))
		return 0;
	r = record_new(record, n);
	if (!r)
		return -ENOMEM;
	append(ch, r);
	return 0;
}

int uv_channel_answer(struct uv_channel *ch, const void *record, size_t n)
{
	int err = -EAGAIN;

	pthread_mutex_lock(&ch->card->events);
	if (ch->unread + n <= MAX_QUERY_BYTES && !uv_channel_send(ch, record, n)) {
		ch->unread += n;
		err = 0;
	}
	pthread_mutex_unlock(&ch->card->events);
	return err;
}

void uv_subscription_free(struct uv_subscription *s)
{
	if (s->eventfd >= 0)
		uv_real_close(s->eventfd);
	free(s);
}

/* With card->events. */
static void channel_put(struct uv_channel *ch)
{
	if (--ch->refs)
		return;
	while (ch->subs) {
		struct uv_subscription *s = ch->subs;

		ch->subs = s->next;
		uv_subscription_free(s);
	}
	while (ch->waiting)
		free(take_first(ch));
	uv_real_close(ch->peer);
	free(ch);
}

void uv_channel_hold(struct uv_channel *ch)
{
	pthread_mutex_lock(&ch->card->events);
	ch->refs++;
	pthread_mutex_unlock(&ch->card->events);
}

void uv_channel_put(struct uv_channel *ch)
{
	struct uv_card *card = ch->card;

	pthread_mutex_lock(&card->events);
	channel_put(ch);
	pthread_mutex_unlock(&card->events);
}

struct uv_channel *uv_channel_find(struct uv_ctx *ctx, int fd, enum uv_channel_kind kind)
{
	struct uv_channel *ch;

	pthread_mutex_lock(&ctx->card->events);
	for (ch = ctx->card->channels; ch; ch = ch->next)
		if (ch->ctx == ctx && ch->fd == fd && ch->kind == kind)
			break;
	if (ch)
		ch->refs++;
	pthread_mutex_unlock(&ctx->card->events);
	return ch;
}

/* Take out the channels of a context, or the one of a descriptor. How many. */
static int unlink_channels(struct uv_card *card, const struct uv_ctx *ctx, int fd)
{
	int n = 0;

	pthread_mutex_lock(&card->events);
	for (struct uv_channel **p = &card->channels; *p;) {
		struct uv_channel *ch = *p;

		if (ctx ? ch->ctx != ctx : ch->fd != fd) {
			p = &ch->next;
			continue;
		}
		*p = ch->next;
		atomic_store(&is_channel[ch->fd], false);
		channel_put(ch);
		n++;
	}
	pthread_mutex_unlock(&card->events);
	return n;
}

void uv_channels_free(struct uv_ctx *ctx)
{
	unlink_channels(ctx->card, ctx, -1);
}

void uv_channels_end(struct uv_card *card)
{
	pthread_mutex_lock(&card->events);
	for (struct uv_channel *ch = card->channels; ch; ch = ch->next)
		shutdown(ch->peer, SHUT_WR);
	pthread_mutex_unlock(&card->events);
}

bool uv_channel_closed(int fd)
{
	int n = 0;

	if (fd < 0 || fd >= MAX_FDS || !atomic_load(&is_channel[fd]))
		return false;
	for (unsigned int i = 0; i < uv_ncards; i++)
		n += unlink_channels(&uv_cards[i], NULL, fd);
	return n;
}

void uv_channel_retract(int fd)
{
	uv_channel_closed(fd);
	uv_real_close(fd);
}

/* -- reading ------------------------------------------------------------------------------------------------- */

/* A reference, or NULL. */
static struct uv_channel *channel_of(int fd)
{
	struct uv_channel *ch = NULL;

	if (fd < 0 || fd >= MAX_FDS || !atomic_load(&is_channel[fd]))
		return NULL;
	for (unsigned int i = 0; i < uv_ncards && !ch; i++) {
		pthread_mutex_lock(&uv_cards[i].events);
		for (ch = uv_cards[i].channels; ch && ch->fd != fd; ch = ch->next)
			;
		if (ch)
			ch->refs++;
		pthread_mutex_unlock(&uv_cards[i].events);
	}
	return ch;
}

static bool overflown(struct uv_channel *ch)
{
	bool is;

	pthread_mutex_lock(&ch->card->events);
	is = ch->overflow;
	ch->overflow = false;
	pthread_mutex_unlock(&ch->card->events);
	return is;
}

/* The record was read: what follows of it. */
static void was_read(struct uv_channel *ch, const struct uv_omitted *o, size_t n)
{
	pthread_mutex_lock(&ch->card->events);
	refill(ch);
	if (ch->kind == UV_CHANNEL_DEVX_CMD)
		ch->unread -= n;
	for (struct uv_subscription *s = ch->omit_data ? ch->subs : NULL; s; s = s->next)
		if (s->id == o->subscription)
			s->told = false;
	pthread_mutex_unlock(&ch->card->events);
}

/* Nothing more will come. */
static int ended(const struct uv_channel *ch)
{
	return fcntl(ch->fd, F_GETFL) & O_NONBLOCK ? -EAGAIN : -EIO;
}

static ssize_t read_record(struct uv_channel *ch, void *buf, size_t room)
{
	struct uv_omitted o = {0};
	ssize_t n;

	if (overflown(ch))
		return -EOVERFLOW;
	n = recv(ch->fd, &o, 1,
		 MSG_PEEK | MSG_TRUNC); /* waits, or does not, as the program set it */
	if (n <= 0)
		return n ? -errno : ended(ch);
	if ((ch->omit_data ? sizeof(o.cookie) : (size_t)n) > room)
		return ch->kind == UV_CHANNEL_DEVX_CMD ? -ENOSPC : -EINVAL;
	n = ch->omit_data ? recv(ch->fd, &o, sizeof(o), 0) : recv(ch->fd, buf, room, 0);
	if (n <= 0)
		return n ? -errno : ended(ch);
	was_read(ch, &o, (size_t)n);
	if (!ch->omit_data)
		return n;
	memcpy(buf, &o.cookie, sizeof(o.cookie));
	return sizeof(o.cookie);
}

bool uv_channel_read(int fd, void *buf, size_t room, ssize_t *n)
{
	struct uv_channel *ch = channel_of(fd);

	if (!ch)
		return false;
	*n = read_record(ch, buf, room);
	uv_channel_put(ch);
	return true;
}

/* What the program has not read lies in its end of the pair, and behind it: all of it, in order, in the list. */
static void take_back(struct uv_channel *ch)
{
	struct uv_record *behind = ch->waiting, *r;
	uint64_t data[2];
	ssize_t n;

	ch->waiting = NULL;
	ch->waiting_tail = &ch->waiting;
	while ((n = recv(ch->fd, data, sizeof(data), MSG_DONTWAIT)) > 0) {
		r = record_new(data, (size_t)n);
		if (r)
			append(ch, r);
	}
	while ((r = behind)) {
		behind = r->next;
		append(ch, r);
	}
}

/* With card->events. */
static uint32_t purge(struct uv_channel *ch, uint64_t element)
{
	struct uv_record *list, *r;
	uint32_t purged = 0;

	take_back(ch);
	list = ch->waiting;
	ch->waiting = NULL;
	ch->waiting_tail = &ch->waiting;
	while ((r = list)) {
		list = r->next;
		if (r->data[0] != element) {
			append(ch, r);
			continue;
		}
		free(r);
		purged++;
	}
	refill(ch);
	return purged;
}

uint32_t uv_channel_purge(struct uv_channel *ch, uint64_t element)
{
	struct uv_channel *linked;
	uint32_t n = 0;

	pthread_mutex_lock(&ch->card->events);
	for (linked = ch->card->channels; linked && linked != ch; linked = linked->next)
		;
	if (linked) /* else the program closed it */
		n = purge(ch, element);
	pthread_mutex_unlock(&ch->card->events);
	return n;
}

uint32_t uv_channels_purge_async(struct uv_ctx *ctx, uint64_t element)
{
	uint32_t n = 0;

	pthread_mutex_lock(&ctx->card->events);
	for (struct uv_channel *ch = ctx->card->channels; ch; ch = ch->next)
		if (ch->ctx == ctx && ch->kind == UV_CHANNEL_ASYNC)
			n += purge(ch, element);
	pthread_mutex_unlock(&ctx->card->events);
	return n;
}

/* -- making them ------------------------------------------------------------------------------------------------ */

static int channel_alloc(struct uv_call *c, uint16_t id, enum uv_channel_kind kind, bool omit)
{
	struct uv_channel *ch;
	int err = uv_channel_new(c->ctx, kind, &ch);

	if (err)
		return err;
	ch->omit_data = omit;
	uv_arg(c, id)->a.data_s64 = ch->fd;
	return 0;
}

static int async_alloc(struct uv_call *c)
{
	return channel_alloc(c, UVERBS_ATTR_ASYNC_EVENT_ALLOC_FD_HANDLE, UV_CHANNEL_ASYNC, false);
}

static int devx_cmd_alloc(struct uv_call *c)
{
	return channel_alloc(c, MLX5_IB_ATTR_DEVX_ASYNC_CMD_FD_ALLOC_HANDLE, UV_CHANNEL_DEVX_CMD,
			     false);
}

static int devx_event_alloc(struct uv_call *c)
{
	uint64_t flags;
	int err = uv_in(c, MLX5_IB_ATTR_DEVX_ASYNC_EVENT_FD_ALLOC_FLAGS, &flags, sizeof(flags));

	if (err)
		return err;
	if (flags & ~(uint64_t)MLX5_IB_UAPI_DEVX_CR_EV_CH_FLAGS_OMIT_DATA)
		return -EINVAL;
	return channel_alloc(c, MLX5_IB_ATTR_DEVX_ASYNC_EVENT_FD_ALLOC_HANDLE,
			     UV_CHANNEL_DEVX_EVENT, flags != 0);
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

const struct uv_method uv_channel_methods[] = {
	UV_METHOD(UVERBS_OBJECT_ASYNC_EVENT, UVERBS_METHOD_ASYNC_EVENT_ALLOC, NULL, async_alloc, async_specs),
	UV_METHOD(MLX5_IB_OBJECT_DEVX_ASYNC_CMD_FD, MLX5_IB_METHOD_DEVX_ASYNC_CMD_FD_ALLOC, NULL, devx_cmd_alloc, devx_cmd_specs),
	UV_METHOD(MLX5_IB_OBJECT_DEVX_ASYNC_EVENT_FD, MLX5_IB_METHOD_DEVX_ASYNC_EVENT_FD_ALLOC, NULL, devx_event_alloc, devx_event_specs),
	{0},
};
/* clang-format on */
