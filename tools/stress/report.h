/* SPDX-License-Identifier: BSD-2-Clause */
/* What a run found, as a row of a table or as an object of JSON. */
#ifndef TOOLS_STRESS_REPORT_H
#define TOOLS_STRESS_REPORT_H

#include "tools/out.h"
#include "tools/stress/run.h"

/* Are these a NIC's rates? Under `model run` a NIC is the model behind another interface. */
bool stress_report_is_nic(enum stress_clock clock);
/* Text only: what was run, and the heads of the columns. */
void stress_report_head(struct out *out, const struct stress_options *o, enum stress_clock clock);
/* One mode: a row; all there is in JSON. */
void stress_report_row(struct out *out, const struct stress_options *o,
		       const struct stress_result *r);
/* Connections per second in the window. */
uint64_t stress_report_rate(const struct stress_result *r);
/* Text only: filling, measuring and draining of one mode; with head: the heads first. */
void stress_report_phases(struct out *out, const struct stress_result *r, bool head);

#endif
