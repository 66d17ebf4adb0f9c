// SPDX-License-Identifier: BSD-2-Clause
/*
 * Completion events, for threads that sleep.
 *
 *	cq_arm() ─▶ record, doorbell ─▶ device ─▶ EQ ─▶ kernel ─▶ event channel ─▶ epoll: fd() is readable
 *	progress() ─▶ read: which CQ; it is not armed any more
 *
 * One channel for all CQs, without data: an event is the cookie that came with the subscription. A subscription ends with
 * the kernel's object. progress() makes no system call while no event is to come, but for every 64th time: after a reset the
 * channel is readable for good, and has to be taken out of epoll.
 *
 * Locks: events.lock, also around calls of libmlx5, of which none blocks; inside of no other, outside of none.
 */
#include "device.h"
#include "result.h"
#include "prm/prm.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/epoll.h>

enum { LOOK_EVERY = 64 };

struct mlx5_listener {
	struct mlx5_listener *next, **prev;
	uint64_t cookie;
	bool armed;
};

/* -- listening ----------------------------------------------------------------------------------------------- */

static int open_channel(struct prov_device *dev, struct ibv_context *ctx)
{
	struct epoll_event e = {.events = EPOLLIN};
	struct mlx5dv_devx_event_channel *ch;
	int err;

	errno = 0;
	ch = mlx5dv_devx_create_event_channel(ctx,
					      MLX5DV_DEVX_CREATE_EVENT_CHANNEL_FLAGS_OMIT_EV_DATA);
	if (!ch)
		return mlx5_result(mlx5_failed());
	if (fcntl(ch->fd, F_SETFL, fcntl(ch->fd, F_GETFL) | O_NONBLOCK) ||
	    epoll_ctl(dev->epoll, EPOLL_CTL_ADD, ch->fd, &e)) {
		err = -errno;
		mlx5dv_devx_destroy_event_channel(ch);
		return err;
	}
	dev->events.channel = ch;
	atomic_store(&dev->events.listening, true);
	return 0;
}

static void add_listener(struct mlx5_events *ev, struct mlx5_listener *l)
{
	l->next = ev->listeners;
	l->prev = &ev->listeners;
	if (l->next)
		l->next->prev = &l->next;
	ev->listeners = l;
}

/* Once per CQ. With the lock. */
static int listen_to(struct prov_device *dev, struct prov_obj *cq)
{
	uint16_t type = PRM_EVENT_TYPE_CODING_COMPLETION_EVENTS;
	struct mlx5_events *ev = &dev->events;
	struct mlx5_listener *l;
	int err = 0;

	if (cq->left.ctx != mlx5_ctx(dev))
		return -EIO;
	if (cq->listener)
		return 0;
	if (!ev->channel)
		err = open_channel(dev, cq->left.ctx);
	if (err)
		return err;
	l = calloc(1, sizeof(*l));
	if (!l)
		return -ENOMEM;
	l->cookie = ++ev->last_cookie;
	err = mlx5dv_devx_subscribe_devx_event(ev->channel, cq->devx, sizeof(type), &type,
					       l->cookie);
	if (err) {
		free(l);
		return mlx5_result(err);
	}
	add_listener(ev, l);
	cq->listener = l;
	return 0;
}

/* With the lock. */
static void set_armed(struct mlx5_events *ev, struct mlx5_listener *l, bool armed)
{
	if (l->armed == armed)
		return;
	l->armed = armed;
	if (armed)
		atomic_fetch_add(&ev->armed, 1);
	else
		atomic_fetch_sub(&ev->armed, 1);
}

int mlx5_cq_arm(struct prov_device *dev, struct prov_uar *uar, struct prov_obj *cq,
		uint64_t doorbell)
{
	int err;

	pthread_mutex_lock(&dev->events.lock);
	err = listen_to(dev, cq);
	if (!err)
		set_armed(&dev->events, cq->listener, true);
	pthread_mutex_unlock(&dev->events.lock);
	if (!err)
		mlx5_ring_cq(uar, doorbell);
	return err;
}

/* With the lock. */
static void remove_listener(struct mlx5_events *ev, struct mlx5_listener *l)
{
	set_armed(ev, l, false);
	*l->prev = l->next;
	if (l->next)
		l->next->prev = l->prev;
	free(l);
}

void mlx5_events_forget(struct prov_device *dev, struct prov_obj *obj)
{
	if (!obj->listener)
		return;
	pthread_mutex_lock(&dev->events.lock);
	remove_listener(&dev->events, obj->listener);
	obj->listener = NULL;
	pthread_mutex_unlock(&dev->events.lock);
}

/* -- events -------------------------------------------------------------------------------------------------- */

static struct mlx5_listener *find(const struct mlx5_events *ev, uint64_t cookie)
{
	struct mlx5_listener *l = ev->listeners;

	while (l && l->cookie != cookie)
		l = l->next;
	return l;
}

/* With the lock. */
static void close_channel(struct prov_device *dev)
{
	struct mlx5_events *ev = &dev->events;

	if (!ev->channel)
		return;
	epoll_ctl(dev->epoll, EPOLL_CTL_DEL, ev->channel->fd, NULL);
	mlx5dv_devx_destroy_event_channel(ev->channel);
	ev->channel = NULL;
	atomic_store(&ev->listening, false);
	for (struct mlx5_listener *l = ev->listeners; l; l = l->next)
		set_armed(ev, l, false);
}

static int take(struct prov_device *dev)
{
	struct mlx5_events *ev = &dev->events;
	struct mlx5dv_devx_async_event_hdr event;
	struct mlx5_listener *l;
	int n = 0;

	if (!ev->channel)
		return 0;
	errno = 0;
	for (; mlx5dv_devx_get_event(ev->channel, &event, sizeof(event)) == sizeof(event); n++) {
		l = find(ev, event.cookie);
		if (l)
			set_armed(ev, l, false);
		errno = 0;
	}
	if (errno != EAGAIN && errno != EINTR)
		close_channel(
			dev); /* the device is gone: whoever uses it learns it from his queue */
	return n;
}

int mlx5_events_take(struct prov_device *dev)
{
	struct mlx5_events *ev = &dev->events;
	int n;

	if (!atomic_load(&ev->listening) || (!atomic_load(&ev->armed) && ++ev->passed % LOOK_EVERY))
		return 0;
	pthread_mutex_lock(&ev->lock);
	n = take(dev);
	pthread_mutex_unlock(&ev->lock);
	return n;
}

void mlx5_events_end(struct prov_device *dev)
{
	pthread_mutex_lock(&dev->events.lock);
	close_channel(dev);
	pthread_mutex_unlock(&dev->events.lock);
}

void mlx5_events_free(struct prov_device *dev)
{
	for (struct mlx5_listener *l = dev->events.listeners, *next; l; l = next) {
		next = l->next;
		free(l);
	}
}
