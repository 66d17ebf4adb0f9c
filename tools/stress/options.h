/* SPDX-License-Identifier: BSD-2-Clause */
/* What the words behind `stress tls` ask for. */
#ifndef TOOLS_STRESS_OPTIONS_H
#define TOOLS_STRESS_OPTIONS_H

#include "tools/stress/sizes.h"
#include "tools/words.h"

/* In the order in which `all` runs them. */
enum stress_mode {
	STRESS_NONE,
	STRESS_TIS,
	STRESS_TIS_DEK,
	STRESS_ADAPTIVE,
	STRESS_NEVER,
	STRESS_NMODES,
};

extern const char *const stress_mode_names[STRESS_NMODES + 1]; /* ended by NULL */

/* Time of the device, which its name says and not an option. */
enum stress_clock { STRESS_ZERO, STRESS_REAL, STRESS_VIRTUAL, STRESS_NIC };
extern const char *const stress_clock_names[];

struct stress_options {
	unsigned int modes; /* bit per mode */
	uint64_t connections, warmup;
	uint64_t alive; /* closed loop; 0 with rate */
	uint64_t rate;	/* open loop: arrivals per second; 0: closed loop */
	unsigned int threads;
	struct stress_sizes sizes;
	const char *bytes; /* sizes as given */
	uint64_t pace;	   /* bits per second of one connection */
	double loss;
	const char *loss_text;
	uint64_t seed;
	bool verify;
	const char *csv, *plot; /* files; NULL: none */
	const char *wire;	/* device at the other end of a cable; NULL: none */
};

/* 0 or an exit status with w->problem set. Takes all words. Texts point into them. */
int stress_options_parse(struct words *w, struct stress_options *o);

#endif
