// SPDX-License-Identifier: BSD-2-Clause
/*
 * pair and loop: frames in rings of memory.
 *
 *   port a --push--> ring[1] --pop--> port b        a pair has two rings, a loop one
 *   port a <--pop--- ring[0] <--push-- port b
 *
 * Two devices of one process that open the same NAME are joined; a third one is refused. While the other end is not
 * open, frames are lost and counted as port_down; when it closes, what waits for it is lost. A ring has an eventfd that
 * is readable exactly while frames wait.
 *
 * Ownership: the pair belongs to both ports and goes with the last one. Locks: pairs_lock for the list of names (open
 * and close only, outermost), ring->lock (rank 7), one at a time.
 */
#include "port.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

enum { RING_FRAMES = 4096, SLOT_MIN = 2048 };

struct slot { /* keeps its memory for the next frame */
	uint8_t *bytes;
	size_t len, room;
};

struct ring {
	pthread_mutex_t lock;
	int fd;		 /* eventfd */
	_Atomic bool up; /* the receiving end is open */
	bool signalled;	 /* fd is readable; true whenever a frame waits */
	uint32_t head, tail;
	struct slot slot[RING_FRAMES];
	struct slot spare; /* the poller's: changes places with the slot it takes out */
};

static struct ring *ring_create(void)
{
	struct ring *r = calloc(1, sizeof(*r));

	if (!r)
		return NULL;
	r->fd = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
	if (r->fd < 0) {
		free(r);
		return NULL;
	}
	pthread_mutex_init(&r->lock, NULL);
	return r;
}

static void ring_destroy(struct ring *r)
{
	if (!r)
		return;
	for (uint32_t i = 0; i < RING_FRAMES; i++)
		free(r->slot[i].bytes);
	free(r->spare.bytes);
	close(r->fd);
	pthread_mutex_destroy(&r->lock);
	free(r);
}

static bool slot_fits(struct slot *s, size_t len)
{
	size_t room = len > SLOT_MIN ? len : SLOT_MIN;
	uint8_t *bytes;

	if (len <= s->room)
		return true;
	bytes = realloc(s->bytes, room);
	if (!bytes)
		return false;
	s->bytes = bytes;
	s->room = room;
	return true;
}

/* With the lock held. The counter is 0 or 1, so that one read clears it. */
static void ring_signal(struct ring *r, bool on)
{
	uint64_t v = 1;
	ssize_t n;

	if (r->signalled == on)
		return;
	n = on ? write(r->fd, &v, sizeof(v)) : read(r->fd, &v, sizeof(v));
	if (n == sizeof(v))
		r->signalled = on;
}

static bool ring_push(struct ring *r, const uint8_t *frame, size_t len)
{
	struct slot *s;
	bool ok;

	pthread_mutex_lock(&r->lock);
	s = &r->slot[r->tail % RING_FRAMES];
	ok = r->tail - r->head < RING_FRAMES && slot_fits(s, len);
	if (ok) {
		memcpy(s->bytes, frame, len);
		s->len = len;
		r->tail++;
		ring_signal(r, true);
	}
	pthread_mutex_unlock(&r->lock);
	return ok;
}

/* Take the oldest frame into r->spare. */
static bool ring_pop(struct ring *r)
{
	bool any;

	pthread_mutex_lock(&r->lock);
	any = r->tail != r->head;
	if (any) {
		struct slot *s = &r->slot[r->head++ % RING_FRAMES], taken = *s;

		*s = r->spare;
		r->spare = taken;
	}
	if (r->tail == r->head)
		ring_signal(r, false);
	pthread_mutex_unlock(&r->lock);
	return any;
}

static int ring_poll(struct model_port *port, struct ring *r, int max)
{
	int n = 0;

	while (n < max && ring_pop(r)) {
		port_received(port, r->spare.bytes, r->spare.len);
		n++;
	}
	return n;
}

/* The receiving end closes: what waits is lost. */
static void ring_down(struct ring *r)
{
	atomic_store(&r->up, false);
	pthread_mutex_lock(&r->lock);
	r->head = r->tail;
	ring_signal(r, false);
	pthread_mutex_unlock(&r->lock);
}

static void ring_send(struct model_port *port, struct ring *r, const uint8_t *frame, size_t len)
{
	if (!atomic_load(&r->up))
		port_count_drop(port, MODEL_DROP_PORT_DOWN);
	else if (!ring_push(r, frame, len))
		port_count_drop(port, MODEL_DROP_PORT_FULL);
}

/* -- pair ------------------------------------------------------------------------------------------------ */

struct pair {
	char name[64];
	struct ring *ring[2]; /* ring[i] is taken out by end i */
	bool open[2];	      /* under pairs_lock */
	struct pair *next;
};

struct end { /* of one port */
	struct pair *pair;
	int side;
};

static pthread_mutex_t pairs_lock = PTHREAD_MUTEX_INITIALIZER;
static struct pair *pairs;

static void pair_destroy(struct pair *p)
{
	ring_destroy(p->ring[0]);
	ring_destroy(p->ring[1]);
	free(p);
}

/* The pair of that name, made when it does not exist. With pairs_lock held. */
static struct pair *pair_get(const char *name)
{
	struct pair *p;

	for (p = pairs; p; p = p->next)
		if (strcmp(p->name, name) == 0)
			return p;
	p = calloc(1, sizeof(*p));
	if (!p)
		return NULL;
	snprintf(p->name, sizeof(p->name), "%s", name);
	p->ring[0] = ring_create();
	p->ring[1] = ring_create();
	if (!p->ring[0] || !p->ring[1]) {
		pair_destroy(p);
		return NULL;
	}
	p->next = pairs;
	pairs = p;
	return p;
}

void model_ports_forked(void)
{
	pthread_mutex_init(&pairs_lock, NULL);
	pairs = NULL;
}

/* Take a free side of the pair. With pairs_lock held. */
static int pair_join(struct end *e, const char *name, char *why, size_t whylen)
{
	e->pair = pair_get(name);
	if (!e->pair) {
		snprintf(why, whylen, "port pair:%s: out of memory or file descriptors", name);
		return -ENOMEM;
	}
	e->side = e->pair->open[0];
	if (e->pair->open[e->side]) {
		snprintf(why, whylen, "port pair:%s: two devices are joined by it already", name);
		return -EBUSY;
	}
	e->pair->open[e->side] = true;
	atomic_store(&e->pair->ring[e->side]->up, true);
	return 0;
}

static int pair_open(struct model_port *port, const char *name, const char *in, char *why,
		     size_t whylen)
{
	struct end *e;
	int err;

	if (strlen(name) >= sizeof(e->pair->name)) {
		snprintf(why, whylen, "port pair:%s: a name has at most %zu characters", name,
			 sizeof(e->pair->name) - 1);
		return -EINVAL;
	}
	e = calloc(1, sizeof(*e));
	if (!e) {
		snprintf(why, whylen, "port pair:%s: out of memory", name);
		return -ENOMEM;
	}
	pthread_mutex_lock(&pairs_lock);
	err = pair_join(e, name, why, whylen);
	pthread_mutex_unlock(&pairs_lock);
	if (err) {
		free(e);
		return err;
	}
	port->priv = e;
	port->fd = e->pair->ring[e->side]->fd;
	return 0;
}

static void pair_close(struct model_port *port)
{
	struct end *e = port->priv;
	struct pair *p = e->pair;

	pthread_mutex_lock(&pairs_lock);
	ring_down(p->ring[e->side]);
	p->open[e->side] = false;
	if (!p->open[0] && !p->open[1]) {
		struct pair **at = &pairs;

		while (*at != p)
			at = &(*at)->next;
		*at = p->next;
		pair_destroy(p);
	}
	pthread_mutex_unlock(&pairs_lock);
	free(e);
}

static void pair_send(struct model_port *port, const uint8_t *frame, size_t len)
{
	const struct end *e = port->priv;

	ring_send(port, e->pair->ring[!e->side], frame, len);
}

static int pair_poll(struct model_port *port, int max)
{
	const struct end *e = port->priv;

	return ring_poll(port, e->pair->ring[e->side], max);
}

const struct port_kind port_pair = {
	.name = "pair",
	.takes_arg = true,
	.open = pair_open,
	.close = pair_close,
	.send = pair_send,
	.poll = pair_poll,
};

/* -- loop ------------------------------------------------------------------------------------------------ */

static int loop_open(struct model_port *port, const char *arg, const char *in, char *why,
		     size_t whylen)
{
	struct ring *r = ring_create();

	if (!r) {
		snprintf(why, whylen, "port loop: out of memory or file descriptors");
		return -ENOMEM;
	}
	atomic_store(&r->up, true);
	port->priv = r;
	port->fd = r->fd;
	return 0;
}

static void loop_close(struct model_port *port)
{
	ring_destroy(port->priv);
}

static void loop_send(struct model_port *port, const uint8_t *frame, size_t len)
{
	ring_send(port, port->priv, frame, len);
}

static int loop_poll(struct model_port *port, int max)
{
	return ring_poll(port, port->priv, max);
}

const struct port_kind port_loop = {
	.name = "loop",
	.open = loop_open,
	.close = loop_close,
	.send = loop_send,
	.poll = loop_poll,
};
