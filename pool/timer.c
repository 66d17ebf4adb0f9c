// SPDX-License-Identifier: BSD-2-Clause
/*
 * Arming a provider's timer from any thread, and stopping it for good.
 *
 * The provider takes a timer off its list and then calls fire(): in between a cancel finds nothing, and fire() is still
 * to come. `pending` says so: it is set by arm, and cleared by fire or by the cancel that found it. `running` goes up
 * before `pending` goes down, so that stop() sees one of them until fire() is through. An arm that was under way when
 * stop() came is found by the next cancel.
 */
#include "pool/timer.h"

#include <sched.h>

static void fired(struct prov_timer *p)
{
	struct pool_timer *t = p->ctx;

	atomic_fetch_add(&t->running, 1);
	atomic_store(&t->pending, false);
	if (!atomic_load(&t->stopped))
		t->fire(t);
	atomic_fetch_sub(&t->running, 1); /* the last touch */
}

void pool_timer_init(struct pool_timer *t, struct mlxo_device *dev,
		     void (*fire)(struct pool_timer *t))
{
	t->fire = fire;
	t->dev = dev;
	t->prov.fire = fired;
	t->prov.ctx = t;
}

void pool_timer_arm(struct pool_timer *t, uint64_t ns)
{
	uint64_t now = t->dev->ops->now(t->dev->prov);

	if (atomic_load(&t->stopped) || atomic_exchange(&t->pending, true))
		return;
	t->prov.when = ns > UINT64_MAX - now ? UINT64_MAX : now + ns;
	t->dev->ops->timer_arm(t->dev->prov, &t->prov);
}

void pool_timer_stop(struct pool_timer *t)
{
	atomic_store(&t->stopped, true);
	while (atomic_load(&t->pending) || atomic_load(&t->running)) {
		if (t->dev->ops->timer_cancel(t->dev->prov, &t->prov))
			atomic_store(&t->pending, false);
		else
			sched_yield(); /* fire() is in another thread */
	}
}

uint64_t pool_pause(uint64_t ns)
{
	static const uint64_t first = 10000000, most = 1000000000;

	if (!ns)
		return first;
	return ns < most / 2 ? ns * 2 : most;
}
