// SPDX-License-Identifier: BSD-2-Clause
/* help [VERB]: the table of verbs, for people and as JSON. */
#include <string.h>

#include "tools/verbs.h"

static void show_parts(struct out *o, const struct verb *v)
{
	for (const struct verb_part *p = verb_parts; p->name; p++)
		if (strstr(v->words, p->name))
			out_text(o, "  %s: %s\n", p->name, p->means);
}

static void show(struct out *o, const struct verb *v)
{
	out_object(o, NULL);
	out_str(o, "verb", "  ", v->name);
	out_str(o, "words", *v->words ? " " : "", v->words);
	out_str(o, "about", "\n        ", v->about);
	out_text(o, "\n");
	out_close(o);
}

const char verb_usage[] =
	"usage: mlx5-offload-tool [-d DEVICE] [-o] [-j] [-p] [-v] [-f] VERB [WORDS]\n"
	"       mlx5-offload-tool [OPTIONS] -b FILE|-\n"
	"\n"
	"  -d, --device DEVICE  model (default), or model:OPTION=VALUE,…\n"
	"  -o, --own-port       a NIC's port for this process alone: all frames, not ESP only\n"
	"  -b, --batch FILE     one command a line; - is standard input\n"
	"  -f, --force          batch: go on after a line that fails\n"
	"  -j, --json           JSON; -p, --pretty: indented\n"
	"  -v, --verbose        firmware commands, twice: decoded; on standard error\n"
	"  -V, --version        -h, --help\n"
	"\n";

int verb_help(struct session *s, struct words *w)
{
	const char *name = words_peek(w);
	const struct verb *one = NULL;
	int rc = 0;

	if (name) {
		w->at++;
		rc = verb_find(name, /* exact */ false, &one, &s->problem);
	}
	if (!rc)
		rc = words_end(w);
	if (rc)
		return rc;
	out_begin(s->out);
	if (!one)
		out_text(s->out, "%s", verb_usage);
	for (const struct verb *v = one ? one : verbs; v->name; v++) {
		show(s->out, v);
		if (one)
			break;
	}
	if (one)
		show_parts(s->out, one);
	else
		out_text(s->out,
			 "\nhelp VERB explains its words, man 8 mlx5-offload-tool the rest.\n");
	out_end(s->out);
	return 0;
}
