// SPDX-License-Identifier: BSD-2-Clause
/* help [VERB]: the table of verbs, for people and as JSON. */
#include <string.h>

#include "tools/verbs.h"

/* Words of a synopsis that stand for more. */
static const struct {
	const char *name, *means;
} parts[] = {
	{"SELECTOR", "[src ADDR[/LEN]] [dst ADDR[/LEN]] [proto tcp|udp [sport PORT] [dport PORT]]"},
	{"TMPL", "[src ADDR] [dst ADDR] proto esp [mode transport] reqid N [level required]"},
	{"KEY", "file PATH | fd N | stdin; in a batch that only its owner can read also 0xHEX. "
		"The salt is its last 4 bytes"},
	{"FILTER", "[src ADDR] [dst ADDR] [proto esp] [spi N] [mode MODE] [reqid N] [dir in|out]"},
	{"DIST", "bytes of a connection: a number, or a mix by percent such as "
		 "mix:80%4096,20%1048576"},
	{"BITRATE", "bits per second at which one connection sends: 10G, 2.5G, 800M"},
	{"--alive", "so many connections at any time (1000), a new one for each that closes; "
		    "--rate: arrivals per second (Poisson) whatever happens"},
	{"--loss", "part of the packets that the peer ignores, 0 to 0.9; the peer answers 50 us "
		   "after the last packet of a burst"},
};

static void show_parts(struct out *o, const struct verb *v)
{
	for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++)
		if (strstr(v->words, parts[i].name))
			out_text(o, "  %s: %s\n", parts[i].name, parts[i].means);
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

static const char usage[] =
	"usage: mlx5-offload-tool [-d DEVICE] [-j] [-p] [-v] [-f] VERB [WORDS]\n"
	"       mlx5-offload-tool [OPTIONS] -b FILE|-\n"
	"\n"
	"  -d, --device DEVICE  model (default), or model:OPTION=VALUE,…\n"
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
		out_text(s->out, "%s", usage);
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
