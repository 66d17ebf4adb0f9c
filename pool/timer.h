/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A timer that can be stopped while other threads run the device: stop() returns when fire() neither runs nor will.
 *
 * Thread-safe but for stop(), which is called once, not from fire().
 */
#ifndef POOL_TIMER_H
#define POOL_TIMER_H

#include <stdatomic.h>

#include "objects/device.h"

struct pool_timer {
	void (*fire)(struct pool_timer *t);
	struct mlxo_device *dev;
	struct prov_timer prov;
	_Atomic bool pending, stopped;
	_Atomic unsigned int running;
};

void pool_timer_init(struct pool_timer *t, struct mlxo_device *dev,
		     void (*fire)(struct pool_timer *t));
/* fire() is called once, ns from now; when it is armed already, at the time set then. Never after stop(). */
void pool_timer_arm(struct pool_timer *t, uint64_t ns);
void pool_timer_stop(struct pool_timer *t);

/* The pause after one of `ns` (0: none): 10 ms, doubling to 1 s. */
uint64_t pool_pause(uint64_t ns);

#define POOL_STUCK_NS UINT64_C(1000000000) /* refused destroys are tried again after this */

#endif
