/* SPDX-License-Identifier: BSD-2-Clause */
/* One mode from an engine that is opened for it to an empty device: threads, payload, watcher of the wire. */
#ifndef TOOLS_STRESS_RUN_H
#define TOOLS_STRESS_RUN_H

#include "tools/session.h"
#include "tools/stress/options.h"
#include "tools/stress/recorder.h"

struct stress_result {
	enum stress_mode mode;
	enum stress_clock clock;
	unsigned int host_threads;  /* simulated, or of the run */
	uint64_t open_ns, close_ns; /* host time of one, simulated; 0: see the sums */
	uint64_t
		none_rate; /* connections per second of mode none in the same command; 0: it did not run */
	bool interrupted;
	uint64_t rss;	   /* bytes, at the end of the window */
	uint64_t teardown; /* commands after the last connection was closed */
	struct stress_recorder rec;
};

/* Which clock the session's device has; the device is open. */
enum stress_clock stress_clock_of(const struct session *s);
/*
 * 0 or an exit status with s->problem set. When 0, or when result->rec.connections is not 0, there is something to show,
 * and stress_recorder_fini() is the caller's.
 */
int stress_run(struct session *s, const struct stress_options *o, enum stress_mode mode,
	       struct stress_result *result);

#endif
