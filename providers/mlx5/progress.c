// SPDX-License-Identifier: BSD-2-Clause
/*
 * Waking, timers, and handing out what is done.
 *
 * An epoll descriptor holds an eventfd (a command is done), a timerfd (the next deadline) and the channel of events.c. A call
 * of progress() that finds nothing makes no system call.
 *
 * Who wakes whom: a thread of command.c, after it put a command on the done list; and a thread in progress() that was
 * given a command which another thread submitted: that one may be about to sleep.
 */
#include "device.h"

#include <errno.h>
#include <poll.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

enum { MAX_PER_PROGRESS = 256 };

#define NEVER UINT64_MAX

void mlx5_wake(struct prov_device *dev)
{
	uint64_t one = 1;

	if (atomic_exchange(&dev->signaled, true))
		return;
	while (write(dev->event, &one, sizeof(one)) < 0 && errno == EINTR)
		;
}

static bool drain(struct prov_device *dev)
{
	uint64_t n;

	if (!atomic_load(&dev->signaled) || !atomic_exchange(&dev->signaled, false))
		return false;
	while (read(dev->event, &n, sizeof(n)) < 0 && errno == EINTR)
		;
	return true;
}

uint64_t mlx5_now(struct prov_device *dev)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

/* -- commands ------------------------------------------------------------------------------------------------ */

static struct prov_cmd *take_done(struct prov_device *dev)
{
	struct prov_cmd *cmd;

	pthread_mutex_lock(&dev->lock);
	cmd = dev->done;
	if (cmd) {
		dev->done = cmd->next;
		if (!dev->done)
			dev->done_tail = &dev->done;
	}
	pthread_mutex_unlock(&dev->lock);
	return cmd;
}

static int hand_out(struct prov_device *dev)
{
	uint64_t self = (uint64_t)pthread_self();
	struct prov_cmd *cmd;
	bool foreign = false;
	int n = 0;

	while (n < MAX_PER_PROGRESS && (cmd = take_done(dev))) {
		foreign |= cmd->private_data[0] != self;
		cmd->done(cmd);
		n++;
	}
	if (foreign || n == MAX_PER_PROGRESS)
		mlx5_wake(dev);
	return n;
}

/* -- timers -------------------------------------------------------------------------------------------------- */

/* Set the descriptor to the next deadline. With the lock held. */
static void rearm(struct prov_device *dev)
{
	const struct prov_timer *first = dev->timers.first;
	uint64_t next = !first ? 0 : first->when ? first->when : 1; /* 0 would disarm it */
	struct itimerspec at = {.it_value = {0, 0}};

	atomic_store(&dev->due, first ? first->when : NEVER);
	if (next == dev->armed)
		return;
	at.it_value.tv_sec = (time_t)(next / 1000000000u);
	at.it_value.tv_nsec = (long)(next % 1000000000u);
	timerfd_settime(dev->timer, TFD_TIMER_ABSTIME, &at, NULL);
	dev->armed = next;
}

static struct prov_timer *take_timer(struct prov_device *dev, uint64_t now)
{
	struct prov_timer *t;

	pthread_mutex_lock(&dev->lock);
	t = dev->timers.first;
	if (t && t->when > now)
		t = NULL;
	if (t) {
		prov_timers_remove(&dev->timers, t);
		rearm(dev);
	}
	pthread_mutex_unlock(&dev->lock);
	return t;
}

static int fire(struct prov_device *dev)
{
	uint64_t due = atomic_load(&dev->due), now;
	struct prov_timer *t;
	int n = 0;

	if (due == NEVER)
		return 0;
	now = mlx5_now(dev);
	if (due > now)
		return 0;
	while (n < MAX_PER_PROGRESS && (t = take_timer(dev, now))) {
		t->fire(t);
		n++;
	}
	return n;
}

void mlx5_timer_arm(struct prov_device *dev, struct prov_timer *t)
{
	pthread_mutex_lock(&dev->lock);
	if (!t->armed) {
		prov_timers_insert(&dev->timers, t);
		rearm(dev);
	}
	pthread_mutex_unlock(&dev->lock);
}

bool mlx5_timer_cancel(struct prov_device *dev, struct prov_timer *t)
{
	bool found;

	pthread_mutex_lock(&dev->lock);
	found = t->armed;
	if (found) {
		prov_timers_remove(&dev->timers, t);
		rearm(dev);
	}
	pthread_mutex_unlock(&dev->lock);
	return found;
}

/* -- both ---------------------------------------------------------------------------------------------------- */

int mlx5_progress(struct prov_device *dev)
{
	int n = drain(dev) ? hand_out(dev) : 0;

	return n + fire(dev) + mlx5_events_take(dev);
}

int mlx5_wait(struct prov_device *dev, int timeout_ms)
{
	struct pollfd p = {.fd = dev->epoll, .events = POLLIN};
	int n;

	n = poll(&p, 1, timeout_ms);
	return n < 0 && errno != EINTR ? -errno : 0;
}

static int watch(struct prov_device *dev, int what)
{
	struct epoll_event e = {.events = EPOLLIN};

	return epoll_ctl(dev->epoll, EPOLL_CTL_ADD, what, &e) ? -errno : 0;
}

int mlx5_wake_open(struct prov_device *dev)
{
	int err;

	atomic_store(&dev->due, NEVER);
	dev->epoll = epoll_create1(EPOLL_CLOEXEC);
	dev->event = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	dev->timer = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK);
	if (dev->epoll < 0 || dev->event < 0 || dev->timer < 0)
		return -errno;
	err = watch(dev, dev->event);
	return err ? err : watch(dev, dev->timer);
}

static void close_fd(int fd)
{
	if (fd >= 0)
		close(fd);
}

void mlx5_wake_close(struct prov_device *dev)
{
	close_fd(dev->epoll);
	close_fd(dev->event);
	close_fd(dev->timer);
}
