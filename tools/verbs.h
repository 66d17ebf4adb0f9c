/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The verbs. One row of the table is the whole truth about a verb: help is made from it, the synopsis of the man page
 * is checked against it.
 */
#ifndef TOOLS_VERBS_H
#define TOOLS_VERBS_H

#include "tools/session.h"
#include "tools/words.h"

struct verb {
	const char *name;
	const char *words; /* what may follow, as in a synopsis */
	const char *about; /* one sentence without a full stop */
	/* 0 or an exit status with s->problem set. Takes all words. Output goes between out_begin and out_end. */
	int (*run)(struct session *s, struct words *w);
};

extern const struct verb verbs[]; /* ended by a row without a name */

/* Words of a synopsis that stand for more. */
struct verb_part {
	const char *name, *means;
	bool words; /* means is a synopsis, up to a ';' */
};
extern const struct verb_part verb_parts[]; /* ended by a row without a name */

/* How the tool is called, with its options; several lines. */
extern const char verb_usage[];

/* exact: no abbreviations. 0 or an exit status with *p set. */
int verb_find(const char *name, bool exact, const struct verb **verb, struct problem *p);

int verb_caps(struct session *s, struct words *w);
int verb_completion(struct session *s, struct words *w);
int verb_create_policy(struct session *s, struct words *w);
int verb_create_sa(struct session *s, struct words *w);
int verb_delete_policy(struct session *s, struct words *w);
int verb_delete_sa(struct session *s, struct words *w);
int verb_doctor(struct session *s, struct words *w);
int verb_export_sa(struct session *s, struct words *w);
int verb_flush_policy(struct session *s, struct words *w);
int verb_flush_sa(struct session *s, struct words *w);
int verb_forward(struct session *s, struct words *w);
int verb_help(struct session *s, struct words *w);
int verb_pool(struct session *s, struct words *w);
int verb_model(struct session *s, struct words *w);
int verb_prm(struct session *s, struct words *w);
int verb_send(struct session *s, struct words *w);
int verb_show_policy(struct session *s, struct words *w);
int verb_show_sa(struct session *s, struct words *w);
int verb_stats(struct session *s, struct words *w);
int verb_stress(struct session *s, struct words *w);
int verb_version(struct session *s, struct words *w);

#endif
