/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What happened in one run, seen from the connections: three phases, latencies, and a line per interval.
 *
 *	start ── fill ──▶ connection --warmup begins ── window ──▶ the last one begins ── drain ──▶ end
 *
 * Figures are those of the window. Intervals go over the whole run: after every 100th part of the connections one line.
 *
 * Threads: any; one lock around everything.
 */
#ifndef TOOLS_STRESS_RECORDER_H
#define TOOLS_STRESS_RECORDER_H

#include <pthread.h>

#include "tools/stress/counters.h"
#include "tools/stress/histogram.h"

enum { STRESS_INTERVALS = 100 };

/* Sums over connections. */
struct stress_sums {
	uint64_t opened, closed;
	uint64_t waited;   /* could not write at once: their key was not there */
	uint64_t fallback; /* got none and went on in software */
	uint64_t bytes, hw_bytes, long_bytes, long_hw_bytes; /* payload */
	uint64_t hw_wire; /* hw_bytes with headers and tags of the records */
	uint64_t resent;  /* bytes of TCP payload */
	uint64_t open_cpu_ns, close_cpu_ns;
	uint64_t checked, records, checked_bytes,
		bad; /* verified connections, what was in them, bad ones */
};

/* One connection that is over. */
struct stress_closed {
	uint64_t bytes, hw_bytes, hw_wire, resent, close_cpu_ns;
	bool is_long;
	bool checked;
	uint64_t records, checked_bytes;
};

struct stress_interval {
	uint64_t end_ns; /* since the start */
	uint64_t closed, rate, p99_ns;
	uint64_t commands, bytes, hw_bytes; /* in the interval */
};

struct stress_recorder {
	pthread_mutex_t lock;
	/* Reads counters with time and busy_ps. Called with the lock held. */
	void (*read)(void *ctx, struct stress_counters *c);
	void *ctx;
	uint64_t connections, warmup;
	struct stress_counters start, from, to, end; /* of the run and of the window */
	bool window, draining;
	struct stress_sums all, in; /* of the run, of the window */
	struct stress_histogram latency, latency_now;
	char failure[160]; /* the first bad connection; "" none */

	struct stress_interval interval[STRESS_INTERVALS];
	unsigned int nintervals;
	uint64_t every; /* connections per interval */
	struct {
		uint64_t at, closed, commands, bytes, hw_bytes;
	} last; /* sums at the end of the interval before */
};

void stress_recorder_init(struct stress_recorder *r, uint64_t connections, uint64_t warmup,
			  void (*read)(void *ctx, struct stress_counters *c), void *ctx);
void stress_recorder_fini(struct stress_recorder *r);
/* A connection begins (before anything is done for it). */
void stress_recorder_begun(struct stress_recorder *r);
/* It may write, so long after it began. */
void stress_recorder_ready(struct stress_recorder *r, uint64_t ns, bool waited, uint64_t cpu_ns);
void stress_recorder_fallback(struct stress_recorder *r);
void stress_recorder_closed(struct stress_recorder *r, const struct stress_closed *c);
/* A connection's records were not what was written. */
void stress_recorder_bad(struct stress_recorder *r, uint64_t id, uint64_t record, const char *why);
/* The last connection is closed, or the run was stopped. */
void stress_recorder_end(struct stress_recorder *r);

#endif
