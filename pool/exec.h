/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The executor: background commands of the pools, a bounded number in flight.
 *
 *	URGENT	somebody waits: keys of connections, contexts for opens	  ─┐
 *	NORMAL	refill, SYNC_CRYPTO					  ─┼─▶ at most `max` in flight ─▶ done()
 *	LAZY	destroys: one at a time while others wait		  ─┘
 *
 * A device takes at most 16 of these commands at a time (Linux mlx5/core/cmd.c, throttle), so more would only sleep in the
 * kernel. A lazy command never stands before an urgent one, but a long queue of lazy ones gets every second turn: closes
 * that are put off for ever are a leak. And urgent ones that never end (a burst of opens) let a normal one pass after every
 * sixteenth, or the keys that they will need would not be made.
 *
 * Who runs it: any thread that calls the device's progress(). With `thread` the executor has one of its own that does
 * nothing else; without, the caller's mlxo_device_progress() or a simulator does.
 *
 * Locks: one mutex, never held during start() or done(). Thread-safe.
 */
#ifndef POOL_EXEC_H
#define POOL_EXEC_H

#include <stdbool.h>

#include "objects/job.h"

enum pool_class { POOL_URGENT, POOL_NORMAL, POOL_LAZY, POOL_NCLASSES };

enum { POOL_EXEC_MAX = 16 };

struct pool_exec;

/* One command, before, while and after it is in flight. The owner's memory from submit to done(). */
struct pool_work {
	/* Fill the task's mailboxes and start its command (obj_*_start). Not 0: done() is called with that. */
	int (*start)(struct pool_work *w, struct obj_task *task);
	/* err: of the command. task is only valid here. May submit; must not wait; may free w. */
	void (*done)(struct pool_work *w, int err);
	struct pool_work *next; /* the executor's */
};

struct pool_exec_opts {
	unsigned int max; /* commands in flight, 1..POOL_EXEC_MAX; 0 = POOL_EXEC_MAX */
	bool thread;	  /* a thread of its own calls progress() */
};

int pool_exec_create(struct mlxo_device *dev, const struct pool_exec_opts *opts,
		     struct pool_exec **exec);
/* Nothing may be queued or in flight: drain first. NULL is allowed. */
void pool_exec_destroy(struct pool_exec *exec);

/* Never fails and never blocks: starts it, or queues it. done() may be called before this returns. */
void pool_exec_submit(struct pool_exec *exec, struct pool_work *w, enum pool_class class);
/* Run progress() until nothing is queued or in flight. For closing; not from done(). */
void pool_exec_drain(struct pool_exec *exec);
/* Wait for something to happen, at most timeout_ms (0: only run what is due): progress() or a sleep. */
void pool_exec_turn(struct pool_exec *exec, int timeout_ms);

struct pool_exec_stats {
	uint64_t started, failed;
	unsigned int in_flight, most_in_flight;
	unsigned int queued[POOL_NCLASSES];
};
void pool_exec_stats(struct pool_exec *exec, struct pool_exec_stats *stats);
struct mlxo_device *pool_exec_device(struct pool_exec *exec);

#endif
