// SPDX-License-Identifier: BSD-2-Clause
/* stress tls: everything that can be wrong with the words or the files is said before the first connection. */
#include <errno.h>
#include <stdlib.h>

#include "tools/stress/files.h"
#include "tools/stress/report.h"
#include "tools/verbs.h"

static int check_device(struct session *s, const struct stress_options *o)
{
	if (!o->wire && stress_clock_of(s) == STRESS_NIC)
		return problem_errno(&s->problem, ENOTSUP,
				     "stress tls: the device %s needs --wire DEVICE, a second port "
				     "at the other end of its cable: nobody else answers",
				     mlxo_device_name(s->dev));
	if (o->wire && stress_clock_of(s) == STRESS_VIRTUAL)
		return problem_usage(&s->problem, "--wire: refused in virtual time, whose wire is "
						  "the model's own");
	if (s->forward)
		return problem_errno(
			&s->problem, EBUSY,
			"stress tls: refused while the device forwards, allowed before");
	if (o->threads > 1 && stress_clock_of(s) == STRESS_VIRTUAL)
		return problem_usage(
			&s->problem,
			"--threads: %u is refused in virtual time, allowed is 1 (threads "
			"of the simulated host: -d model:host=threads:N)",
			o->threads);
	return 0;
}

/* Of the modes that ran before. */
static uint64_t none_rate(const struct stress_result *all)
{
	return all[STRESS_NONE].rec.all.closed ? stress_report_rate(&all[STRESS_NONE]) : 0;
}

/* The result is shown as far as it got, also when the run failed. */
static int run_mode(struct session *s, const struct stress_options *o, enum stress_mode mode,
		    struct stress_files *files, struct stress_result *all)
{
	struct stress_result *r = &all[mode];
	int rc = stress_run(s, o, mode, r);

	r->none_rate = none_rate(all);
	if (r->rec.all.closed || r->interrupted)
		stress_report_row(s->out, o, r);
	fflush(stdout);
	stress_files_add(files, r);
	return rc;
}

static int run_modes(struct session *s, const struct stress_options *o, struct stress_files *files)
{
	struct stress_result *r = calloc(STRESS_NMODES, sizeof(*r));
	bool head = true, stopped = false;
	int rc = 0;

	if (!r)
		return problem_errno(&s->problem, ENOMEM, "stress tls: no memory");
	stress_report_head(s->out, o, stress_clock_of(s));
	for (int m = 0; m < STRESS_NMODES && !rc && !stopped; m++)
		if (o->modes & 1u << m) {
			rc = run_mode(s, o, (enum stress_mode)m, files, r);
			stopped = r[m].interrupted;
		}
	for (int m = 0; m < STRESS_NMODES; m++)
		if (r[m].rec.all.closed) {
			stress_report_phases(s->out, &r[m], head);
			head = false;
		}
	free(r);
	return rc;
}

int verb_stress(struct session *s, struct words *w)
{
	struct stress_options o;
	struct stress_files files;
	struct problem unsaid; /* of the files, when the run has failed already */
	int rc = 0, drawn;

	if (!words_take(w, "tls"))
		return problem_usage(&s->problem, "stress: %s is refused, allowed is tls",
				     words_peek(w) ? words_show(words_peek(w)) : "nothing");
	rc = stress_options_parse(w, &o);
	if (!rc)
		rc = session_device(s);
	if (!rc)
		rc = check_device(s, &o);
	if (!rc)
		rc = stress_files_open(&files, &o, &s->problem);
	if (rc)
		return rc;
	/* of verbs before: its pools are still being filled, and would be counted */
	mlxo_tls_engine_close(s->tls);
	s->tls = NULL;
	out_begin(s->out);
	rc = run_modes(s, &o, &files);
	drawn = stress_files_close(&files, rc ? &unsaid : &s->problem);
	if (rc || drawn)
		return rc ? rc : drawn;
	out_end(s->out);
	return 0;
}
