/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The software ConnectX behind the uverbs character device, for unmodified libibverbs and libmlx5.
 *
 *   program ─ libibverbs ─ libmlx5            LD_PRELOAD: this library
 *                │  open ioctl mmap close stat socket
 *             libc.c ─ descriptors ─ context.c ─ handles, close
 *                │                       │
 *             ioctl.c ─ attributes ─ query.c devx.c memory.c events.c flow.c verbs.c qp.c wq.c rule.c …
 *                                        │
 *             device.c ─ one model per card, one thread per card: doorbells, frames, events
 *                                        │
 *                             providers/model (firmware, queues, steering)
 *
 * A context is one open descriptor: a uid of the model's firmware. What the kernel checks is checked here (handles,
 * attributes, which command may go which way); what the card checks is the model's.
 *
 * Locks, outermost first: control.c's, card->lock (contexts, start and stop), ctx->lock (handles), card->turn (doorbells, frames),
 * card->work (what the thread watches), the model's, card->events (channels). The descriptor table has its own, a leaf.
 */
#ifndef FACES_UVERBS_H
#define FACES_UVERBS_H

#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <rdma/ib_user_ioctl_cmds.h>
#include <rdma/ib_user_ioctl_verbs.h>
#include <rdma/ib_user_verbs.h>
#include <rdma/mlx5-abi.h>
#include <rdma/mlx5_user_ioctl_cmds.h>
#include <rdma/mlx5_user_ioctl_verbs.h>
#include <rdma/rdma_user_ioctl_cmds.h>

#include "providers/model/device.h"

enum {
	UV_MAX_CARDS = 16,
	UV_MAX_ATTRS = 24,
	UV_MAX_PARTS = 4,
	UV_ANY_OBJECT = 0xffff,	  /* a spec's */
	UV_COMMANDS_AT_ONCE = 16, /* the kernel's limit for programs */
	UV_PAGE = 4096,
	UV_FIRST_BUS = 0x80, /* PCI bus of the first card */
};

/* -- cards (device.c) ---------------------------------------------------------------------------------- */

struct uv_ctx;
struct uv_channel;

/*
 * What the thread of a card looks at: doorbell records of SQs, arm words of CQs that somebody listens to, the CQ doorbell
 * of a page, and frames while there is an RQ.
 */
enum uv_watched { UV_WATCH_SQ, UV_WATCH_RQ, UV_WATCH_CQ, UV_WATCH_UAR };
struct uv_watch {
	struct uv_watch *next;
	enum uv_watched what;
	uint32_t number, uar; /* uar: page of an SQ or CQ */
	uint64_t last;	      /* CQ: arm word; UAR: doorbell; as it was when looked at last */
	bool rung;	      /* CQ: at least once */
	const uint8_t *page;  /* UAR: our view of it */
};

struct uv_card {
	unsigned int index, number; /* number: of its names, index + uv_first */
	char name[16];		    /* mlx5_0 */
	char netdev[16];	    /* "" or the netdev that resolves to it */
	uint64_t guid;
	sem_t slots;

	pthread_mutex_t lock;	  /* spec to pages */
	char *spec;		  /* "model:..." */
	struct prov_device *prov; /* NULL until somebody opens it; stays while a context is open */
	struct uv_ctx *ctxs;
	bool reserved, running; /* for who opens it next (control.c); there is a thread */
	int pages;		/* memory of doorbell pages, page n at n * UV_PAGE; -1: none yet */

	pthread_mutex_t turn; /* one at a time does what hardware does */

	pthread_mutex_t work; /* watches, fatal */
	pthread_cond_t more;
	struct uv_watch *watches;
	bool fatal; /* it died, and the programs were told */

	pthread_mutex_t events; /* channels and what is in them; inside the model's locks */
	struct uv_channel *channels;
	pthread_t thread;
	_Atomic bool stop;
};

extern struct uv_card uv_cards[UV_MAX_CARDS];
extern unsigned int uv_ncards;

/* The model of a card that is open. */
static inline struct model_dev *uv_model(struct uv_card *card)
{
	return &card->prov->m;
}

/* host.c: number of the first card, behind the host's own when these are shown, else 0. */
extern unsigned int uv_first;
/* From MLXO_MODEL_SHOW: 0, or -EINVAL with a sentence in why. */
int uv_host_init(char *why, size_t whylen);
/* What of the host's /sys the program is to see besides; nothing when only the model is shown. */
void uv_host_list(void (*found)(void *ctx, const char *path), void *ctx);

/* From MLXO_MODEL: 0 or -errno with a sentence in why. */
int uv_cards_init(char *why, size_t whylen);
/* Cards that somebody still uses stay. */
void uv_cards_fini(void);
void uv_cards_forked(void); /* in a child: as after init, what was open is forgotten */
/* Start the model; 0 or -errno, with a sentence in why or on stderr. With card->lock. */
int uv_card_open(struct uv_card *card, char *why, size_t whylen);
int uv_card_start(struct uv_card *card);
/* End the model and its thread; nobody uses the card. With card->lock. */
void uv_card_stop(struct uv_card *card);
/* The card is reset: whoever has it open is told, and is left with a context that is gone. 0 or -errno. */
int uv_card_reset(struct uv_card *card);
/* Do now what the card's thread would do a moment later. How much. */
int uv_settle(struct uv_card *card);
/* The thread looks at one more, one less. -ENOMEM. */
int uv_watch_add(struct uv_card *card, const struct uv_watch *what);
/* Nothing for a stale context: since the reset the number may be another object's. */
void uv_watch_remove(struct uv_ctx *ctx, enum uv_watched what, uint32_t number);
/*
 * A command of a context: waits for its place and its service time. 0, -EREMOTEIO: refused; else no answer. For a stale
 * context nothing is sent: -EIO, or 0 when it is closing, so that what it has here goes.
 */
int uv_exec(struct uv_ctx *ctx, const void *in, size_t inlen, void *out, size_t outlen);
/* What the kernel makes of a refusal where it has no mailbox to show. */
int uv_status_errno(const void *out);

/* -- contexts and handles (context.c) -------------------------------------------------------------------- */

struct uv_obj;

struct uv_class {
	uint16_t object;
	size_t size;
	/* 0 or -errno: then it lives on. Not with ctx->lock. */
	int (*destroy)(struct uv_ctx *ctx, struct uv_obj *o);
	/* Which firmware objects it is made of, for DevX commands on its handle. NULL: none. How many. */
	unsigned int (*parts)(const struct uv_obj *o, struct prov_obj parts[UV_MAX_PARTS]);
};

struct uv_obj {
	const struct uv_class *cls;
	uint32_t handle;
	int active;		     /* calls that use it; -1: one that destroys it */
	unsigned int users;	     /* objects of this layer that use it */
	struct uv_obj *next, **prev; /* newest first */
};

struct uv_ctx {
	_Atomic int refs; /* descriptor, calls in progress */
	struct uv_card *card;
	struct uv_ctx *next; /* card's */
	bool devx;
	_Atomic bool open; /* GET_CONTEXT was done */
	uint16_t uid;
	uint32_t generation; /* the model's when it was opened */
	bool closing;	     /* nobody but its clean-up uses it */
	pthread_mutex_t lock;
	struct uv_obj **handle;
	uint32_t nhandles, nfree, *free_handle;
	struct uv_obj *objs;
};

struct uv_ctx *uv_ctx_new(struct uv_card *card);
void uv_ctx_get(struct uv_ctx *ctx);
/* The card was reset since it was opened: what it made is no more, and numbers may be other objects' now. */
bool uv_ctx_is_stale(const struct uv_ctx *ctx);
/* That, or the card is dead: every call says EIO. */
bool uv_ctx_is_gone(const struct uv_ctx *ctx);
/* The last one cleans up: every object goes, newest first. */
void uv_ctx_put(struct uv_ctx *ctx);

/* Allocated, not found by anybody until published. NULL: no memory. */
struct uv_obj *uv_obj_new(const struct uv_class *cls);
int uv_obj_publish(struct uv_ctx *ctx, struct uv_obj *o);
void uv_obj_discard(struct uv_obj *o); /* one that was not published */
enum uv_access { UV_READ, UV_WRITE };
/* -ENOENT, -EINVAL (another class), -EBUSY. put ends what get began. */
int uv_obj_get(struct uv_ctx *ctx, uint16_t object, uint64_t handle, enum uv_access access,
	       struct uv_obj **o);
void uv_obj_put(struct uv_ctx *ctx, struct uv_obj *o, enum uv_access access);
/* The program cannot be told of what was just published: destroy it, unless somebody guessed its handle. */
void uv_obj_retract(struct uv_ctx *ctx, struct uv_obj *o);
/* After get for writing: destroy it. 0: it is gone. */
int uv_obj_destroy(struct uv_ctx *ctx, struct uv_obj *o);
/* Something needs it, or does not any more: counted; a used one is not destroyed. */
void uv_obj_use(struct uv_ctx *ctx, struct uv_obj *used);
void uv_obj_unuse(struct uv_ctx *ctx, struct uv_obj *used);

/* -- calls (ioctl.c) --------------------------------------------------------------------------------------- */

enum uv_kind {
	UV_ATTR_IN,  /* bytes, inline up to 8 */
	UV_ATTR_OUT, /* bytes, by address */
	UV_ATTR_OBJ_READ,
	UV_ATTR_OBJ_WRITE,
	UV_ATTR_OBJ_NEW,
	UV_ATTR_OBJ_DESTROY,
	UV_ATTR_OBJS, /* array of handles, read */
	UV_ATTR_FD,   /* one of our channels */
	UV_ATTR_FD_NEW,
};

struct uv_spec {
	uint16_t id;
	uint8_t kind; /* enum uv_kind */
	bool mandatory;
	uint16_t object;   /* UV_ATTR_OBJ_*, FD */
	uint16_t min, max; /* bytes; max 0: any */
};

struct uv_call;

struct uv_method {
	uint16_t object, id;
	const struct uv_class *cls;    /* of UV_ATTR_OBJ_NEW */
	int (*run)(struct uv_call *c); /* 0 or -errno */
	uint8_t nspecs;
	const struct uv_spec *specs;
};

struct uv_arg {
	bool present;
	struct ib_uverbs_attr a;
	uint64_t user; /* address of the attribute in the program */
	struct uv_obj *obj;
	struct uv_obj **objs; /* UV_ATTR_OBJS */
	unsigned int nobjs;
	struct uv_channel *channel;
};

struct uv_call {
	struct uv_ctx *ctx;
	const struct uv_method *m;
	struct uv_arg arg[UV_MAX_ATTRS]; /* as m->specs */
	struct uv_obj *made;		 /* the NEW object; published when run() returned 0 */
};

/* Each by attribute id. */
bool uv_has(struct uv_call *c, uint16_t id);
size_t uv_len(struct uv_call *c, uint16_t id);
/* Exactly n bytes: what is missing is 0. -EFAULT. An absent attribute reads as 0. */
int uv_in(struct uv_call *c, uint16_t id, void *to, size_t n);
/* All of it, malloc. NULL with *err. */
void *uv_in_dup(struct uv_call *c, uint16_t id, size_t *len, int *err);
/* As much as there is room for. -ENOENT when it is absent. */
int uv_out(struct uv_call *c, uint16_t id, const void *from, size_t n);
struct uv_obj *uv_object(struct uv_call *c, uint16_t id);
struct uv_arg *uv_arg(struct uv_call *c, uint16_t id);

/* The whole ioctl: 0 or -errno. */
int uv_ioctl(struct uv_ctx *ctx, unsigned long request, uint64_t arg);
int uv_destroyed(struct uv_call *c); /* run() of a method that only destroys */

/* user.c: memory of the program, which may not be there. 0 or -EFAULT. */
int uv_copy_in(void *to, uint64_t from, size_t n);
int uv_copy_out(uint64_t to, const void *from, size_t n);
/* Is all of it mapped? -EINVAL: it is nothing, or wraps; -EFAULT. */
int uv_mapped(uint64_t addr, uint64_t len);

/* -- channels (channel.c) -------------------------------------------------------------------------------------- */

/* A descriptor that the program reads: our end is the other one of a socket pair. */
enum uv_channel_kind {
	UV_CHANNEL_ASYNC,
	UV_CHANNEL_COMP,
	UV_CHANNEL_DEVX_CMD,
	UV_CHANNEL_DEVX_EVENT
};
struct uv_channel {
	struct uv_channel *next; /* card's */
	struct uv_ctx *ctx;
	struct uv_card *card;
	int refs; /* with card->events */
	enum uv_channel_kind kind;
	int fd, peer; /* the program's, ours */
	bool omit_data;
	/* with card->events */
	struct uv_subscription *subs;
	uint64_t last_id;
	bool overflow; /* an event was lost, and the program was not told yet */
	size_t unread; /* bytes of answers of asynchronous queries */
	struct uv_record *waiting, **waiting_tail; /* behind what the socket holds, in order */
};

/* What to tell a channel. */
struct uv_subscription {
	struct uv_subscription *next;
	const struct uv_obj *obj; /* NULL: of the device */
	uint16_t create;	  /* opcode that made it, 0: of the device */
	uint32_t number;	  /* of the firmware object */
	uint16_t type;
	uint64_t cookie; /* ASYNC: what the program calls the object */
	uint64_t id;	 /* in the channel */
	bool told;	 /* OMIT_DATA: it is in the line already */
	int eventfd;	 /* -1: a record in the channel */
	_Atomic uint32_t *sent;
};

/* A record of a channel without data; the program gets the cookie. */
struct uv_omitted {
	uint64_t cookie, subscription;
};

int uv_channel_new(struct uv_ctx *ctx, enum uv_channel_kind kind, struct uv_channel **out);
/* Of verbs, whose events are never lost: as uv_channel_send(), however many are unread. With card->events. -ENOMEM. */
int uv_channel_queue(struct uv_channel *ch, const void *record, size_t n);
/* By the program's descriptor: a reference, or NULL when there is none of this kind. */
struct uv_channel *uv_channel_find(struct uv_ctx *ctx, int fd, enum uv_channel_kind kind);
void uv_channel_hold(struct uv_channel *ch);
void uv_channel_put(struct uv_channel *ch);
/* One record to the program. -ENOSPC: it does not read. */
int uv_channel_send(struct uv_channel *ch, const void *record, size_t n);
/* The same for DEVX_CMD, within the kernel's limit: -EAGAIN. */
int uv_channel_answer(struct uv_channel *ch, const void *record, size_t n);
/* read() of this descriptor: *n bytes or -errno. false: no channel. */
bool uv_channel_read(int fd, void *buf, size_t room, ssize_t *n);
/*
 * Take out the events that begin with this word, a CQ's, and that the program has not read: of the channel, or (ctx) of the
 * context's channels of asynchronous events. How many.
 */
uint32_t uv_channel_purge(struct uv_channel *ch, uint64_t element);
uint32_t uv_channels_purge_async(struct uv_ctx *ctx, uint64_t element);
/* The program closes this descriptor; true: it was a channel. */
bool uv_channel_closed(int fd);
/* The program cannot be told of its new descriptor. */
void uv_channel_retract(int fd);
void uv_channels_free(struct uv_ctx *ctx);
/* The contexts of the card are gone: who waits for an event wakes, and reads what is left, then EIO. */
void uv_channels_end(struct uv_card *card);
void uv_subscription_free(struct uv_subscription *s);

/* -- events (events.c) ---------------------------------------------------------------------------------------- */

/*
 * Tell the channel of events of a firmware object (create: the opcode that made it) or, 0, of the device. sent: counts
 * them; NULL: nobody does.
 */
int uv_subscribe(struct uv_channel *ch, const struct uv_obj *obj, uint16_t create, uint32_t number,
		 uint16_t type, uint64_t cookie, _Atomic uint32_t *sent);
/* The thread looks for armings of this CQ from now on. */
int uv_listen_cq(struct uv_ctx *ctx, uint32_t cqn);
/* struct model_host: something happened to a queue. */
void uv_events_raise(void *card, uint8_t type, enum model_event_of of, uint32_t number);
/* All contexts are told: the device died; the port went up or down. */
void uv_events_fatal(struct uv_card *card);
void uv_events_port(struct uv_card *card, bool up);
/* The thread: was the CQ armed, the page's CQ doorbell rung? With card->work. How much was done. */
int uv_watch_cq(struct uv_card *card, struct uv_watch *w);
int uv_watch_uar(struct uv_card *card, struct uv_watch *w);
/* An object goes: nobody is told of it any more. */
void uv_events_forget(struct uv_ctx *ctx, const struct uv_obj *o);

#define UV_METHOD(object, id, cls, run, specs) \
	{ \
		object, id, cls, run, sizeof(specs) / sizeof((specs)[0]), specs \
	}

/* -- features: tables ended by a row without run ------------------------------------------------------------ */

extern const struct uv_method uv_query_methods[], uv_write_methods[], uv_devx_methods[],
	uv_memory_methods[], uv_channel_methods[], uv_event_methods[], uv_flow_methods[],
	uv_verbs_methods[], uv_qp_methods[], uv_wq_methods[], uv_counters_methods[],
	uv_flow_action_methods[];

/* trace.c. init: -EINVAL with a sentence in why. Then: say what was asked and what came of it, as far as MLXO_MODEL_TRACE wants it. err: 0 or -errno. */
int uv_trace_init(char *why, size_t whylen);
void uv_trace_call(const struct ib_uverbs_ioctl_hdr *hdr, int err);
void uv_trace_command(const void *in, size_t inlen, const void *out, size_t outlen, int err);

/* inject.c: MLXO_MODEL_FAIL. init: -EINVAL with a sentence in why. injected: counts a call; 0, or the -errno it is to fail with. */
int uv_inject_init(char *why, size_t whylen);
int uv_injected(void);

/* memory.c: has this offset a doorbell page? page of a UAR handle */
bool uv_page_is_mappable(struct uv_ctx *ctx, uint64_t offset);
/* An umem of the context's uid; 0 or -errno. delete: -EBUSY while something uses it. */
int uv_umem_new(struct uv_ctx *ctx, uint64_t addr, uint64_t len, uint32_t *id);
int uv_umem_delete(struct uv_ctx *ctx, uint32_t id);

/* devx.c: a firmware object with its handle. */
extern const struct uv_class uv_devx_class;
struct uv_devx {
	struct uv_obj o;
	struct prov_obj devx;
	bool listening; /* a CQ: the thread looks at its arming */
};

/* sysfs.c: make the tree below `root`. 0 or -errno. */
int uv_sysfs_make(const char *root);
int uv_sysfs_remove(const char *root);

/* libc.c: the C library's own, and an end to what follows. */
int uv_real_close(int fd);
/* The program's close() and dup2() do not reach it any more; it may have got another number. Closed by uv_real_close(). */
int uv_hide(int fd);
/* The same for one that keeps its number. */
void uv_hide_here(int fd, bool hide);

#endif
