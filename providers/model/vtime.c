// SPDX-License-Identifier: BSD-2-Clause
/*
 * The device's clock, and the time that frames take on the wire.
 *
 *   time=zero, real   CLOCK_MONOTONIC; a frame takes no time
 *   time=virtual      a number that starts at 0 and moves by model_now_set() only: model.c sets it to the next event
 *                     when there is nothing to do at the present time, so the same calls give the same times
 *
 *   wire   ──┤ frame ├──┤ frame ├────────┤ frame ├──   departure = max(now, free) + (len + 24) * 8 / speed
 *
 * 24 bytes: preamble and start delimiter (8), FCS (4), gap (12); the model's frames carry none of them. The wire keeps
 * parts of a ns, so that millions of frames take neither more nor less than they should; a departure is rounded up.
 *
 * Locks: dev->wire, a leaf. The clock is an atomic. Source of the 24 bytes: IEEE 802.3, 3.1.1 and 4.4.2.
 */
#include "model.h"

#include <errno.h>
#include <time.h>

enum { WIRE_OVERHEAD = 24, NS_PER_S = 1000000000 };

static uint64_t monotonic(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * NS_PER_S + (uint64_t)t.tv_nsec;
}

uint64_t model_now(const struct model_dev *dev)
{
	return dev->time == MODEL_TIME_VIRTUAL ? atomic_load(&dev->now) : monotonic();
}

void model_now_set(struct model_dev *dev, uint64_t at)
{
	uint64_t now = atomic_load(&dev->now);

	while (now < at && !atomic_compare_exchange_weak(&dev->now, &now, at))
		;
}

void model_now_wait(struct model_dev *dev, uint64_t at)
{
	struct timespec until = {.tv_sec = (time_t)(at / NS_PER_S),
				 .tv_nsec = (long)(at % NS_PER_S)};

	if (dev->time == MODEL_TIME_VIRTUAL) {
		model_now_set(dev, at);
		return;
	}
	while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, NULL) == EINTR)
		;
}

/* Of the thread: whatever a WQE makes leave, by whatever way, passes through model_wire_depart() in its thread. */
static _Thread_local uint64_t departed;

void model_wire_begin(void)
{
	departed = 0;
}

uint64_t model_wire_end(void)
{
	return departed;
}

uint64_t model_wire_depart(struct model_dev *dev, size_t len)
{
	uint64_t now = model_now(dev), when, parts;

	if (dev->time != MODEL_TIME_VIRTUAL)
		return now;
	pthread_mutex_lock(&dev->wire);
	if (dev->wire_free_ns < now) {
		dev->wire_free_ns = now;
		dev->wire_free_part = 0;
	}
	/* in parts of 1/speed ns: no frame and no speed that are allowed overflow 64 bits */
	parts = dev->wire_free_part + (len + WIRE_OVERHEAD) * 8 * NS_PER_S;
	dev->wire_free_ns += parts / dev->speed;
	atomic_fetch_add_explicit(&dev->wire_busy_ns, parts / dev->speed, memory_order_relaxed);
	dev->wire_free_part = parts % dev->speed;
	when = dev->wire_free_ns + (dev->wire_free_part != 0);
	pthread_mutex_unlock(&dev->wire);
	departed = when;
	return when;
}

void model_wire_clear(struct model_dev *dev)
{
	pthread_mutex_lock(&dev->wire);
	dev->wire_free_ns = dev->wire_free_part = 0;
	pthread_mutex_unlock(&dev->wire);
}
