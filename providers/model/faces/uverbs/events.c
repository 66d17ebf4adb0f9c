// SPDX-License-Identifier: BSD-2-Clause
/*
 * Events: what happened, and who is told by which channel (channel.c).
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
 * What may be subscribed is what Linux allows on a card without the capability event_cap, which the model is: any of a list
 * for any object, whether it can happen to it or not, and port changes for the device. An event finds its subscription by
 * type, kind of queue and number. A device that dies has no event of this kind; see uv_events_fatal().
 *
 * Locks: card->events, inside everything of the model: events are raised with dev->objs held.
 */
#include "uverbs.h"

#include <errno.h>
#include <poll.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "providers/model/queue.h"

enum {
	MAX_TYPES = 16, /* of one subscription, the kernel's limit */
	EQE_BYTES = 64,
	CQ_INDEX_MASK = 0xffffff,
	CQ_OVERRUN = 1, /* syndrome of a CQ error */
	PORT = 1,
	PORT_DOWN = 1, /* subtypes of port state change */
	PORT_ACTIVE = 4,
	IB_EVENT_CQ_ERR = 0,
	IB_EVENT_DEVICE_FATAL = 8,
	IB_EVENT_PORT_ACTIVE = 9,
	IB_EVENT_PORT_ERR = 10,
};

struct happened {
	uint8_t type, subtype;
	enum model_event_of of;
	uint32_t number; /* of the firmware object */
};

/* -- what happened ----------------------------------------------------------------------------------------------- */

static enum model_event_of kind_of(uint16_t create)
{
	return create == PRM_CMD_OP_CREATE_RQ	? MODEL_EVENT_RQ
	       : create == PRM_CMD_OP_CREATE_SQ ? MODEL_EVENT_SQ
						: MODEL_EVENT_OTHER;
}

/* An event queue entry as the card writes it. */
static void fill_eqe(uint8_t eqe[EQE_BYTES], const struct happened *h)
{
	memset(eqe, 0, EQE_BYTES);
	prm_put(eqe, 0x8, 8, h->type);
	prm_put(eqe, 0x18, 8, h->subtype);
	switch (h->type) {
	case PRM_EVENT_TYPE_CODING_CQ_ERROR:
		prm_put(eqe, 0x100, 32, h->number);
		prm_put(eqe, 0x158, 8, CQ_OVERRUN);
		break;
	case PRM_EVENT_TYPE_CODING_PORT_STATE_CHANGE: prm_put(eqe, 0x140, 4, PORT); break;
	default: prm_put(eqe, 0x1a0, 8, (uint64_t)h->of); prm_put(eqe, 0x1c0, 32, h->number);
	}
}

static void tell_devx(struct uv_channel *ch, struct uv_subscription *s, const struct happened *h)
{
	uint8_t record[sizeof(uint64_t) + EQE_BYTES]; /* struct mlx5_ib_uapi_devx_async_event_hdr */
	struct uv_omitted o = {.cookie = s->cookie, .subscription = s->id};
	uint64_t one = 1;

	if (s->eventfd >= 0) {
		struct pollfd p = {.fd = s->eventfd, .events = POLLOUT};

		if (poll(&p, 1, 0) == 1) /* a full one is readable already */
			(void)!write(s->eventfd, &one, sizeof(one));
	} else if (ch->omit_data) {
		if (!s->told)
			s->told = !uv_channel_send(ch, &o, sizeof(o));
	} else {
		memcpy(record, &s->cookie, sizeof(s->cookie));
		fill_eqe(record + sizeof(s->cookie), h);
		if (uv_channel_send(ch, record, sizeof(record)))
			ch->overflow = true;
	}
}

static bool tell_async(struct uv_channel *ch, uint64_t element, uint32_t type)
{
	struct ib_uverbs_async_event_desc d = {.element = element, .event_type = type};

	return !uv_channel_queue(ch, &d, sizeof(d));
}

static void tell_comp(struct uv_channel *ch, const struct uv_subscription *s)
{
	struct ib_uverbs_comp_event_desc d = {.cq_handle = s->cookie};

	if (!uv_channel_queue(ch, &d, sizeof(d)))
		atomic_fetch_add(s->sent, 1);
}

static bool concerns(const struct uv_subscription *s, const struct happened *h)
{
	return s->type == h->type && s->number == h->number && kind_of(s->create) == h->of &&
	       (h->type != PRM_EVENT_TYPE_CODING_COMPLETION_EVENTS ||
		s->create == PRM_CMD_OP_CREATE_CQ);
}

static void tell(struct uv_card *card, const struct happened *h)
{
	pthread_mutex_lock(&card->events);
	for (struct uv_channel *ch = card->channels; ch; ch = ch->next)
		for (struct uv_subscription *s = ch->subs; s; s = s->next) {
			if (!concerns(s, h))
				continue;
			if (ch->kind == UV_CHANNEL_ASYNC) {
				if (tell_async(ch, s->cookie, IB_EVENT_CQ_ERR) && s->sent)
					atomic_fetch_add(s->sent, 1);
			} else if (ch->kind == UV_CHANNEL_COMP) {
				tell_comp(ch, s);
			} else {
				tell_devx(ch, s, h);
			}
		}
	pthread_mutex_unlock(&card->events);
}

void uv_events_raise(void *card, uint8_t type, enum model_event_of of, uint32_t number)
{
	tell(card, &(struct happened){.type = type, .of = of, .number = number});
}

/* All contexts. With what they called it: port, or device. */
static void tell_contexts(struct uv_card *card, uint32_t type)
{
	pthread_mutex_lock(&card->events);
	for (struct uv_channel *ch = card->channels; ch; ch = ch->next)
		if (ch->kind == UV_CHANNEL_ASYNC)
			tell_async(ch, PORT, type);
	pthread_mutex_unlock(&card->events);
}

void uv_events_port(struct uv_card *card, bool up)
{
	tell(card, &(struct happened){.type = PRM_EVENT_TYPE_CODING_PORT_STATE_CHANGE,
				      .subtype = up ? PORT_ACTIVE : PORT_DOWN});
	tell_contexts(card, up ? IB_EVENT_PORT_ACTIVE : IB_EVENT_PORT_ERR);
}

void uv_events_fatal(struct uv_card *card)
{
	tell_contexts(card, IB_EVENT_DEVICE_FATAL);
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

/* Linux devx.c, is_legacy_obj_event_num(): of any object. Names as in Linux. */
static bool may_have(uint16_t type)
{
	enum {
		PATH_MIG = 0x1,
		COMM_EST = 0x2,
		SQ_DRAINED = 0x3,
		PATH_MIG_FAILED = 0x7,
		SRQ_CATAS_ERROR = 0x12,
		SRQ_LAST_WQE = 0x13,
		SRQ_RQ_LIMIT = 0x14,
		XRQ_ERROR = 0x18,
		DCT_DRAINED = 0x1c,
		DCT_KEY_VIOLATION = 0x1d,
	};

	switch (type) {
	case PRM_EVENT_TYPE_CODING_COMPLETION_EVENTS:
	case PRM_EVENT_TYPE_CODING_CQ_ERROR:
	case PRM_EVENT_TYPE_CODING_LOCAL_WQ_CATASTROPHIC_ERROR:
	case PRM_EVENT_TYPE_CODING_INVALID_REQUEST_LOCAL_WQ_ERROR:
	case PRM_EVENT_TYPE_CODING_LOCAL_ACCESS_VIOLATION_WQ_ERROR:
	case PATH_MIG:
	case COMM_EST:
	case SQ_DRAINED:
	case PATH_MIG_FAILED:
	case SRQ_CATAS_ERROR:
	case SRQ_LAST_WQE:
	case SRQ_RQ_LIMIT:
	case XRQ_ERROR:
	case DCT_DRAINED:
	case DCT_KEY_VIOLATION: return true;
	default: return false;
	}
}

/* A count of our own in the program's eventfd; -EBADF, -EINVAL: it is none. */
static int dup_eventfd(int fd, int *copy)
{
	static const char is[] = "anon_inode:[eventfd]";
	char path[32], to[sizeof(is)] = "";

	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	if (readlink(path, to, sizeof(to)) < 0)
		return -EBADF;
	if (memcmp(to, is, sizeof(is) - 1) != 0)
		return -EINVAL;
	*copy = fcntl(fd, F_DUPFD_CLOEXEC, 0);
	return *copy < 0 ? -EMFILE : 0;
}

/* One that no channel has yet. NULL with *err. */
static struct uv_subscription *subscription_new(const struct uv_subscription *what, int eventfd,
						int *err)
{
	struct uv_subscription *s = calloc(1, sizeof(*s));

	*err = -ENOMEM;
	if (!s)
		return NULL;
	*s = *what;
	s->eventfd = -1;
	*err = eventfd < 0 ? 0 : dup_eventfd(eventfd, &s->eventfd);
	if (!*err)
		return s;
	free(s);
	return NULL;
}

static void link_subscription(struct uv_channel *ch, struct uv_subscription *s)
{
	pthread_mutex_lock(&ch->card->events);
	s->id = ++ch->last_id;
	s->next = ch->subs;
	ch->subs = s;
	pthread_mutex_unlock(&ch->card->events);
}

int uv_subscribe(struct uv_channel *ch, const struct uv_obj *obj, uint16_t create, uint32_t number,
		 uint16_t type, uint64_t cookie, _Atomic uint32_t *sent)
{
	struct uv_subscription what = {.obj = obj,
				       .create = create,
				       .number = number,
				       .type = type,
				       .cookie = cookie,
				       .sent = sent};
	int err;
	struct uv_subscription *s = subscription_new(&what, -1, &err);

	if (s)
		link_subscription(ch, s);
	return err;
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
			uv_subscription_free(s);
		}
	pthread_mutex_unlock(&ctx->card->events);
}

static int check_types(const uint16_t *types, size_t n, const struct uv_devx *o)
{
	for (size_t i = 0; i < n; i++)
		if (o ? !may_have(types[i]) : types[i] != PRM_EVENT_TYPE_CODING_PORT_STATE_CHANGE)
			return -EINVAL;
	return 0;
}

static int listen_if(struct uv_ctx *ctx, struct uv_devx *o, uint16_t type)
{
	int err;

	if (!o || o->listening || o->devx.create != PRM_CMD_OP_CREATE_CQ ||
	    type != PRM_EVENT_TYPE_CODING_COMPLETION_EVENTS)
		return 0;
	err = uv_listen_cq(ctx, o->devx.id);
	o->listening = !err;
	return err;
}

/* All of them or none. */
static int subscribe_all(struct uv_call *c, const uint16_t *types, size_t n, uint64_t cookie,
			 int fd)
{
	struct uv_channel *ch = uv_arg(c, MLX5_IB_ATTR_DEVX_SUBSCRIBE_EVENT_FD_HANDLE)->channel;
	struct uv_devx *o =
		(struct uv_devx *)uv_object(c, MLX5_IB_ATTR_DEVX_SUBSCRIBE_EVENT_OBJ_HANDLE);
	struct uv_subscription *made[MAX_TYPES] = {NULL};
	struct uv_subscription what = {.obj = o ? &o->o : NULL,
				       .create = o ? o->devx.create : 0,
				       .number = o ? o->devx.id : 0,
				       .cookie = cookie};
	int err = check_types(types, n, o);

	for (size_t i = 0; i < n && !err; i++) {
		what.type = types[i];
		made[i] = subscription_new(&what, fd, &err);
		if (!err)
			err = listen_if(c->ctx, o, types[i]);
	}
	for (size_t i = 0; i < n && made[i]; i++)
		if (err)
			uv_subscription_free(made[i]);
		else
			link_subscription(ch, made[i]);
	return err;
}

static int subscribe(struct uv_call *c)
{
	const uint16_t list = MLX5_IB_ATTR_DEVX_SUBSCRIBE_EVENT_TYPE_NUM_LIST;
	bool to_fd = uv_has(c, MLX5_IB_ATTR_DEVX_SUBSCRIBE_EVENT_FD_NUM);
	uint16_t types[MAX_TYPES];
	uint64_t cookie;
	int32_t fd;
	int err;

	if (!c->ctx->devx || uv_len(c, list) > sizeof(types) || uv_len(c, list) % sizeof(types[0]))
		return -EINVAL;
	if (to_fd && uv_has(c, MLX5_IB_ATTR_DEVX_SUBSCRIBE_EVENT_COOKIE))
		return -EINVAL;
	err = uv_in(c, list, types, sizeof(types));
	if (!err)
		err = uv_in(c, MLX5_IB_ATTR_DEVX_SUBSCRIBE_EVENT_COOKIE, &cookie, sizeof(cookie));
	if (!err)
		err = uv_in(c, MLX5_IB_ATTR_DEVX_SUBSCRIBE_EVENT_FD_NUM, &fd, sizeof(fd));
	if (err)
		return err;
	if (to_fd && fd < 0)
		return -EBADF;
	return subscribe_all(c, types, uv_len(c, list) / sizeof(types[0]), cookie, to_fd ? fd : -1);
}

/* clang-format off */
static const struct uv_spec subscribe_specs[] = {
	{MLX5_IB_ATTR_DEVX_SUBSCRIBE_EVENT_FD_HANDLE, UV_ATTR_FD, true, UV_CHANNEL_DEVX_EVENT, 0, 0},
	{MLX5_IB_ATTR_DEVX_SUBSCRIBE_EVENT_OBJ_HANDLE, UV_ATTR_OBJ_READ, false, MLX5_IB_OBJECT_DEVX_OBJ, 0, 0},
	{MLX5_IB_ATTR_DEVX_SUBSCRIBE_EVENT_TYPE_NUM_LIST, UV_ATTR_IN, true, 0, 2, 0},
	{MLX5_IB_ATTR_DEVX_SUBSCRIBE_EVENT_COOKIE, UV_ATTR_IN, false, 0, 8, 8},
	{MLX5_IB_ATTR_DEVX_SUBSCRIBE_EVENT_FD_NUM, UV_ATTR_IN, false, 0, 4, 8},
};

const struct uv_method uv_event_methods[] = {
	UV_METHOD(MLX5_IB_OBJECT_DEVX, MLX5_IB_METHOD_DEVX_SUBSCRIBE_EVENT, NULL, subscribe, subscribe_specs),
	{0},
};
/* clang-format on */
