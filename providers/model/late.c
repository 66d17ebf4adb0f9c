// SPDX-License-Identifier: BSD-2-Clause
/*
 * Completions of send queues whose time has not come (time=virtual).
 *
 *   sq.c: WQE executed ──> model_sq_cqe ──> now, or ──> list by time ──> model_late_deliver, when the clock is there
 *
 * A WQE is executed when its doorbell rings, but its CQE comes when the last frame of its queue up to it has left the
 * wire, errors and WQEs that send nothing included, so that the CQEs of a queue keep their order. Those of one CQ come
 * in the order of their times.
 *
 * The list is sorted by walking back from its end: departures only grow, so that a CQE hardly ever passes another one.
 * Without memory for one, all come at once rather than out of order.
 *
 * Ownership: the device's list; a reset, or the queue's reset or destruction, drops what is left. A dead device
 * completes nothing. Locks: dev->late_lock (rank 5), taken under a send queue's lock, before a CQ's.
 */
#include "queue.h"

#include <stdlib.h>
#include <string.h>

struct model_late {
	struct model_late *next, *prev;
	uint64_t when;
	struct model_sq *sq;
	uint8_t opcode;
	uint8_t cqe[MODEL_CQE_BYTES];
};

/* -- the list; late_lock is held -------------------------------------------------------------------------- */

static void insert(struct model_dev *dev, struct model_late *l)
{
	struct model_late *after = dev->late_last;

	while (after && after->when > l->when)
		after = after->prev;
	l->prev = after;
	l->next = after ? after->next : dev->late;
	*(l->prev ? &l->prev->next : &dev->late) = l;
	*(l->next ? &l->next->prev : &dev->late_last) = l;
	atomic_store(&dev->late_at, dev->late->when);
}

static void drop(struct model_dev *dev, struct model_late *l)
{
	*(l->prev ? &l->prev->next : &dev->late) = l->next;
	*(l->next ? &l->next->prev : &dev->late_last) = l->prev;
	atomic_store(&dev->late_at, dev->late ? dev->late->when : 0);
	l->next = dev->late_spare;
	dev->late_spare = l;
}

static struct model_late *take_spare(struct model_dev *dev)
{
	struct model_late *l = dev->late_spare;

	if (!l)
		return malloc(sizeof(*l));
	dev->late_spare = l->next;
	return l;
}

static int deliver(struct model_dev *dev, uint64_t now, struct model_events *ev)
{
	struct model_late *l;
	int n = 0;

	for (; (l = dev->late) && l->when <= now; n++) {
		if (!atomic_load(&dev->dead))
			model_cq_write(l->sq->cq, l->cqe, l->opcode, ev);
		drop(dev, l);
	}
	return n;
}

void model_sq_cqe(struct model_dev *dev, struct model_sq *sq, uint8_t cqe[MODEL_CQE_BYTES],
		  uint8_t opcode, struct model_events *ev)
{
	uint64_t now;
	struct model_late *l = NULL;

	if (dev->time != MODEL_TIME_VIRTUAL) {
		model_cq_write(sq->cq, cqe, opcode, ev);
		return;
	}
	pthread_mutex_lock(&dev->late_lock);
	now = model_now(dev);
	deliver(dev, now, ev);
	if (sq->departs > now) {
		l = take_spare(dev);
		if (!l)
			deliver(dev, UINT64_MAX, ev);
	}
	if (l) {
		l->when = sq->departs;
		l->sq = sq;
		l->opcode = opcode;
		memcpy(l->cqe, cqe, sizeof(l->cqe));
		insert(dev, l);
	} else {
		model_cq_write(sq->cq, cqe, opcode, ev);
	}
	pthread_mutex_unlock(&dev->late_lock);
}

int model_late_deliver(struct model_dev *dev)
{
	struct model_events ev = {.n = 0};
	uint64_t now = model_now(dev), at = atomic_load(&dev->late_at);
	int n;

	if (!at || at > now)
		return 0;
	pthread_rwlock_rdlock(&dev->objs);
	pthread_mutex_lock(&dev->late_lock);
	n = deliver(dev, now, &ev);
	pthread_mutex_unlock(&dev->late_lock);
	pthread_rwlock_unlock(&dev->objs);
	model_events_raise(dev, &ev);
	return n;
}

void model_late_forget(struct model_dev *dev, const struct model_sq *sq)
{
	if (!atomic_load(&dev->late_at))
		return;
	pthread_mutex_lock(&dev->late_lock);
	for (struct model_late *l = dev->late, *next; l; l = next) {
		next = l->next;
		if (l->sq == sq)
			drop(dev, l);
	}
	pthread_mutex_unlock(&dev->late_lock);
}

void model_late_free(struct model_dev *dev)
{
	while (dev->late_spare) {
		struct model_late *l = dev->late_spare;

		dev->late_spare = l->next;
		free(l);
	}
}
