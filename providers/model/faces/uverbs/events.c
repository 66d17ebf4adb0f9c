// SPDX-License-Identifier: BSD-2-Clause
/*
 * Events. A channel is a pair of sockets: the program has one end, polls and reads it as it would the kernel's
 * descriptor, a record per event.
 *
 *   ASYNC_EVENT       events of the context: device fatal, errors of verbs objects
 *   COMP_CHANNEL      completions of verbs CQs
 *   DEVX_ASYNC_CMD    answers of asynchronous queries
 *   DEVX_ASYNC_EVENT  what was subscribed: events of firmware objects, as records or as counts in the program's eventfd
 *
 * Completions. A program arms a CQ by word 1 of its doorbell record and the doorbell at 0x20 of a page. The card's thread
 * looks at both: the record alone does not show the first arming, whose word is 0 as the record was before; the page
 * alone shows only the last CQ that was rung. What is found is given to the model, which raises the event.
 *
 * A channel that the program does not read loses events, as the kernel's lists have an end, too.
 *
 * Locks: card->events, inside everything of the model: events are raised with dev->objs held.
 */
#include "uverbs.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "providers/model/queue.h"

enum {
	MAX_TYPES = 16, /* of one subscription, the kernel's limit */
	EQE_BYTES = 64,
	CQ_INDEX_MASK = 0xffffff,
	IB_EVENT_CQ_ERR = 0,
	IB_EVENT_DEVICE_FATAL = 8,
};

struct uv_subscription {
	struct uv_subscription *next;
	const struct uv_obj *obj; /* NULL: of the device */
	uint16_t create;	  /* opcode that made it, 0: of the device */
	uint32_t number;	  /* of the firmware object */
	uint16_t type;
	uint64_t cookie; /* ASYNC: what the program calls the object */
	int eventfd;	 /* -1: a record in the channel */
	_Atomic uint32_t *sent;
};

static _Atomic int nchannels; /* closing a descriptor is cheap while there is none */

/* -- channels ------------------------------------------------------------------------------------------------- */

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
	ch->ctx = ctx;
	ch->card = ctx->card;
	ch->kind = kind;
	ch->fd = pair[0];
	ch->peer = pair[1];
	ch->refs = 1;
	pthread_mutex_lock(&ctx->card->events);
	ch->next = ctx->card->channels;
	ctx->card->channels = ch;
	pthread_mutex_unlock(&ctx->card->events);
	atomic_fetch_add(&nchannels, 1);
	*out = ch;
	return 0;
}

int uv_channel_send(struct uv_channel *ch, const void *record, size_t n)
{
	return send(ch->peer, record, n, MSG_DONTWAIT | MSG_NOSIGNAL) < 0 ? -ENOSPC : 0;
}

static void subscription_free(struct uv_subscription *s)
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
		subscription_free(s);
	}
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
		channel_put(ch);
		n++;
	}
	pthread_mutex_unlock(&card->events);
	atomic_fetch_sub(&nchannels, n);
	return n;
}

void uv_channels_free(struct uv_ctx *ctx)
{
	unlink_channels(ctx->card, ctx, -1);
}

bool uv_channel_closed(int fd)
{
	int n = 0;

	for (unsigned int i = 0; i < uv_ncards && atomic_load(&nchannels); i++)
		n += unlink_channels(&uv_cards[i], NULL, fd);
	return n;
}

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

/*
 * What the program has not read lies in its end of the pair. All of it is taken out there and what is not of the CQ
 * is sent again, in order.
 */
uint32_t uv_channel_purge(struct uv_channel *ch, uint64_t element)
{
	enum { MAX = 256 };
	struct ib_uverbs_comp_event_desc d[MAX];
	uint32_t n = 0, purged = 0;
	struct uv_channel *linked;

	pthread_mutex_lock(&ch->card->events);
	for (linked = ch->card->channels; linked && linked != ch; linked = linked->next)
		;
	while (linked && n < MAX && recv(ch->fd, &d[n], sizeof(d[n]), MSG_DONTWAIT) == sizeof(d[n]))
		n++;
	for (uint32_t i = 0; i < n; i++)
		if (d[i].cq_handle == element)
			purged++;
		else
			uv_channel_send(ch, &d[i], sizeof(d[i]));
	pthread_mutex_unlock(&ch->card->events);
	return purged;
}

/* -- what happened ----------------------------------------------------------------------------------------------- */

/* An event queue entry as the card writes it. queue: 0 QP, 1 RQ, 2 SQ. */
static void fill_eqe(uint8_t eqe[EQE_BYTES], uint16_t type, uint16_t create, uint32_t number)
{
	bool cq_error = type == PRM_EVENT_TYPE_CODING_CQ_ERROR;

	memset(eqe, 0, EQE_BYTES);
	prm_put(eqe, 0x8, 8, type);
	prm_put(eqe, cq_error ? 0x100 : 0x1c0, 32, number);
	if (create == PRM_CMD_OP_CREATE_RQ || create == PRM_CMD_OP_CREATE_SQ)
		prm_put(eqe, 0x1a0, 8, create == PRM_CMD_OP_CREATE_RQ ? 1 : 2);
}

static void tell_devx(struct uv_channel *ch, const struct uv_subscription *s)
{
	uint8_t record[sizeof(uint64_t) + EQE_BYTES]; /* struct mlx5_ib_uapi_devx_async_event_hdr */
	uint64_t one = 1;

	if (s->eventfd >= 0) {
		(void)!write(s->eventfd, &one, sizeof(one));
		return;
	}
	memcpy(record, &s->cookie, sizeof(s->cookie));
	fill_eqe(record + sizeof(s->cookie), s->type, s->create, s->number);
	uv_channel_send(ch, record, ch->omit_data ? sizeof(s->cookie) : sizeof(record));
}

static void tell_async(struct uv_channel *ch, const struct uv_subscription *s)
{
	struct ib_uverbs_async_event_desc d = {.element = s->cookie, .event_type = IB_EVENT_CQ_ERR};

	uv_channel_send(ch, &d, sizeof(d));
}

static void tell_comp(struct uv_channel *ch, const struct uv_subscription *s)
{
	struct ib_uverbs_comp_event_desc d = {.cq_handle = s->cookie};

	if (!uv_channel_send(ch, &d, sizeof(d)))
		atomic_fetch_add(s->sent, 1);
}

static bool concerns(const struct uv_subscription *s, uint16_t create, uint8_t type,
		     uint32_t number)
{
	return s->type == type && s->number == number && (!create || s->create == create);
}

/* create: of the object, 0: not known. */
static void tell(struct uv_card *card, uint16_t create, uint8_t type, uint32_t number)
{
	pthread_mutex_lock(&card->events);
	for (struct uv_channel *ch = card->channels; ch; ch = ch->next)
		for (struct uv_subscription *s = ch->subs; s; s = s->next) {
			if (!concerns(s, create, type, number))
				continue;
			if (ch->kind == UV_CHANNEL_ASYNC)
				tell_async(ch, s);
			else if (ch->kind == UV_CHANNEL_COMP)
				tell_comp(ch, s);
			else
				tell_devx(ch, s);
		}
	pthread_mutex_unlock(&card->events);
}

void uv_events_raise(void *card, uint8_t type, uint32_t number)
{
	uint16_t create = 0; /* an access violation may be of an SQ or an RQ */

	switch (type) {
	case PRM_EVENT_TYPE_CODING_COMPLETION_EVENTS:
	case PRM_EVENT_TYPE_CODING_CQ_ERROR: create = PRM_CMD_OP_CREATE_CQ; break;
	case PRM_EVENT_TYPE_CODING_LOCAL_WQ_CATASTROPHIC_ERROR:
		create = PRM_CMD_OP_CREATE_RQ;
		break;
	case PRM_EVENT_TYPE_CODING_INVALID_REQUEST_LOCAL_WQ_ERROR:
		create = PRM_CMD_OP_CREATE_SQ;
		break;
	default: break;
	}
	tell(card, create, type, number);
}

void uv_events_fatal(struct uv_card *card)
{
	struct ib_uverbs_async_event_desc d = {.element = 1, .event_type = IB_EVENT_DEVICE_FATAL};

	pthread_mutex_lock(&card->events);
	for (struct uv_channel *ch = card->channels; ch; ch = ch->next)
		if (ch->kind == UV_CHANNEL_ASYNC)
			uv_channel_send(ch, &d, sizeof(d));
	pthread_mutex_unlock(&card->events);
	tell(card, 0, PRM_EVENT_TYPE_CODING_INTERNAL_ERROR, 0);
}

/* -- completions --------------------------------------------------------------------------------------------------- */

/* Arm word and page of a CQ. false: it is gone. */
static bool cq_state(struct model_dev *m, uint32_t cqn, uint32_t *word, uint32_t *uar)
{
	struct model_cq *cq;

	pthread_rwlock_rdlock(&m->objs);
	cq = (struct model_cq *)model_obj_find(m, MODEL_CQ, cqn);
	if (cq) {
		*word = model_dbrec(cq->dbrec, 1);
		*uar = cq->uar_page;
	}
	pthread_rwlock_unlock(&m->objs);
	return cq != NULL;
}

/* One doorbell per arming, whether the record or the page showed it first. How much was done. */
static int ring(struct uv_card *card, struct uv_watch *cq, uint32_t uar, uint32_t word)
{
	if (cq->rung && cq->last == word)
		return 0;
	cq->rung = true;
	cq->last = word;
	model_cq_ring(uv_model(card), uar, cq->number, word);
	return 1;
}

int uv_watch_cq(struct uv_card *card, struct uv_watch *w)
{
	uint32_t word, uar;

	if (!cq_state(uv_model(card), w->number, &word, &uar) || word == w->last)
		return 0;
	return ring(card, w, uar, word);
}

int uv_watch_uar(struct uv_card *card, struct uv_watch *w)
{
	enum { CQ_DOORBELL = 0x20 };
	uint64_t bell = __builtin_bswap64(__atomic_load_n(
		(const uint64_t *)(const void *)(w->page + CQ_DOORBELL), __ATOMIC_ACQUIRE));

	if (bell == w->last)
		return 0;
	w->last = bell;
	for (struct uv_watch *cq = card->watches; cq; cq = cq->next)
		if (cq->what == UV_WATCH_CQ && cq->number == (bell & CQ_INDEX_MASK))
			return ring(card, cq, w->number, (uint32_t)(bell >> 32));
	return 1;
}

int uv_listen_cq(struct uv_ctx *ctx, uint32_t cqn)
{
	struct uv_watch w = {.what = UV_WATCH_CQ, .number = cqn};
	uint32_t word = 0;

	cq_state(uv_model(ctx->card), cqn, &word, &w.uar);
	w.last = word;
	return uv_watch_add(ctx->card, &w);
}

/* -- subscriptions ---------------------------------------------------------------------------------------------------- */

static bool may_have(uint16_t create, uint16_t type)
{
	switch (create) {
	case 0:
		return type == PRM_EVENT_TYPE_CODING_INTERNAL_ERROR ||
		       type == PRM_EVENT_TYPE_CODING_PORT_STATE_CHANGE;
	case PRM_CMD_OP_CREATE_CQ:
		return type == PRM_EVENT_TYPE_CODING_COMPLETION_EVENTS ||
		       type == PRM_EVENT_TYPE_CODING_CQ_ERROR;
	case PRM_CMD_OP_CREATE_SQ:
	case PRM_CMD_OP_CREATE_RQ:
		return type == PRM_EVENT_TYPE_CODING_LOCAL_WQ_CATASTROPHIC_ERROR ||
		       type == PRM_EVENT_TYPE_CODING_INVALID_REQUEST_LOCAL_WQ_ERROR ||
		       type == PRM_EVENT_TYPE_CODING_LOCAL_ACCESS_VIOLATION_WQ_ERROR;
	default: return false;
	}
}

int uv_subscribe(struct uv_channel *ch, const struct uv_obj *obj, uint16_t create, uint32_t number,
		 uint16_t type, uint64_t cookie, int eventfd, _Atomic uint32_t *sent)
{
	struct uv_subscription *s = calloc(1, sizeof(*s));

	if (!s)
		return -ENOMEM;
	*s = (struct uv_subscription){.obj = obj,
				      .create = create,
				      .number = number,
				      .type = type,
				      .cookie = cookie,
				      .sent = sent,
				      .eventfd = eventfd < 0 ? -1 : dup(eventfd)};
	if (eventfd >= 0 && s->eventfd < 0) {
		free(s);
		return -EBADF;
	}
	pthread_mutex_lock(&ch->card->events);
	s->next = ch->subs;
	ch->subs = s;
	pthread_mutex_unlock(&ch->card->events);
	return 0;
}

void uv_events_forget(struct uv_ctx *ctx, const struct uv_obj *o)
{
	pthread_mutex_lock(&ctx->card->events);
	for (struct uv_channel *ch = ctx->card->channels; ch; ch = ch->next)
		for (struct uv_subscription **p = &ch->subs; *p;) {
			struct uv_subscription *s = *p;

			if (s->obj != o) {
				p = &s->next;
				continue;
			}
			*p = s->next;
			subscription_free(s);
		}
	pthread_mutex_unlock(&ctx->card->events);
}

static int check_types(const uint16_t *types, size_t n, uint16_t create)
{
	if (!n || n > MAX_TYPES)
		return -EINVAL;
	for (size_t i = 0; i < n; i++)
		if (!may_have(create, types[i]))
			return -EINVAL;
	return 0;
}

static int subscribe_all(struct uv_call *c, const uint16_t *types, size_t n, uint64_t cookie,
			 int fd)
{
	struct uv_channel *ch = uv_arg(c, MLX5_IB_ATTR_DEVX_SUBSCRIBE_EVENT_FD_HANDLE)->channel;
	struct uv_devx *o =
		(struct uv_devx *)uv_object(c, MLX5_IB_ATTR_DEVX_SUBSCRIBE_EVENT_OBJ_HANDLE);
	uint16_t create = o ? o->devx.create : 0;
	uint32_t number = o ? o->devx.id : 0;
	int err = check_types(types, n, create);

	for (size_t i = 0; i < n && !err; i++) {
		err = uv_subscribe(ch, o ? &o->o : NULL, create, number, types[i], cookie, fd,
				   NULL);
		if (!err && create == PRM_CMD_OP_CREATE_CQ &&
		    types[i] == PRM_EVENT_TYPE_CODING_COMPLETION_EVENTS && !o->listening) {
			err = uv_listen_cq(c->ctx, number);
			o->listening = !err;
		}
	}
	return err;
}

static int subscribe(struct uv_call *c)
{
	const uint16_t list = MLX5_IB_ATTR_DEVX_SUBSCRIBE_EVENT_TYPE_NUM_LIST;
	uint16_t types[MAX_TYPES];
	uint64_t cookie;
	int32_t fd;
	int err;

	if (!c->ctx->devx || uv_len(c, list) > sizeof(types) || uv_len(c, list) % sizeof(types[0]))
		return -EINVAL;
	err = uv_in(c, list, types, sizeof(types));
	if (!err)
		err = uv_in(c, MLX5_IB_ATTR_DEVX_SUBSCRIBE_EVENT_COOKIE, &cookie, sizeof(cookie));
	if (!err)
		err = uv_in(c, MLX5_IB_ATTR_DEVX_SUBSCRIBE_EVENT_FD_NUM, &fd, sizeof(fd));
	if (err)
		return err;
	if (!uv_has(c, MLX5_IB_ATTR_DEVX_SUBSCRIBE_EVENT_FD_NUM))
		fd = -1;
	else if (fd < 0)
		return -EBADF;
	return subscribe_all(c, types, uv_len(c, list) / sizeof(types[0]), cookie, fd);
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
static const struct uv_spec subscribe_specs[] = {
	{MLX5_IB_ATTR_DEVX_SUBSCRIBE_EVENT_FD_HANDLE, UV_ATTR_FD, true, UV_CHANNEL_DEVX_EVENT, 0, 0},
	{MLX5_IB_ATTR_DEVX_SUBSCRIBE_EVENT_OBJ_HANDLE, UV_ATTR_OBJ_READ, false, MLX5_IB_OBJECT_DEVX_OBJ, 0, 0},
	{MLX5_IB_ATTR_DEVX_SUBSCRIBE_EVENT_TYPE_NUM_LIST, UV_ATTR_IN, true, 0, 2, 0},
	{MLX5_IB_ATTR_DEVX_SUBSCRIBE_EVENT_COOKIE, UV_ATTR_IN, false, 0, 8, 8},
	{MLX5_IB_ATTR_DEVX_SUBSCRIBE_EVENT_FD_NUM, UV_ATTR_IN, false, 0, 4, 8},
};

const struct uv_method uv_event_methods[] = {
	UV_METHOD(UVERBS_OBJECT_ASYNC_EVENT, UVERBS_METHOD_ASYNC_EVENT_ALLOC, NULL, async_alloc, async_specs),
	UV_METHOD(MLX5_IB_OBJECT_DEVX_ASYNC_CMD_FD, MLX5_IB_METHOD_DEVX_ASYNC_CMD_FD_ALLOC, NULL, devx_cmd_alloc, devx_cmd_specs),
	UV_METHOD(MLX5_IB_OBJECT_DEVX_ASYNC_EVENT_FD, MLX5_IB_METHOD_DEVX_ASYNC_EVENT_FD_ALLOC, NULL, devx_event_alloc, devx_event_specs),
	UV_METHOD(MLX5_IB_OBJECT_DEVX, MLX5_IB_METHOD_DEVX_SUBSCRIBE_EVENT, NULL, subscribe, subscribe_specs),
	{0},
};
/* clang-format on */
