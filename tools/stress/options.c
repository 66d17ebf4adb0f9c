// SPDX-License-Identifier: BSD-2-Clause
/* Reading of the options: a table of names and functions; what depends on several of them is settled at the end. */
#include "tools/stress/options.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

const char *const stress_mode_names[STRESS_NMODES + 1] = {
	[STRESS_NONE] = "none",		[STRESS_TIS] = "tis",	  [STRESS_TIS_DEK] = "tis+dek",
	[STRESS_ADAPTIVE] = "adaptive", [STRESS_NEVER] = "never", [STRESS_NMODES] = NULL,
};

const char *const stress_clock_names[] = {"zero", "real", "virtual", "nic"};

enum { WARMUP_LEAST = 4000, ALIVE_DEFAULT = 1000 };

#define CONNECTIONS_MAX 1000000000ULL
#define ALIVE_MAX 1000000ULL
#define RATE_MAX 100000000ULL
#define PACE_MIN 1000000ULL
#define PACE_MAX 10000000000000ULL

/* Options whose default depends on others. */
struct given {
	bool warmup, alive, rate;
};

static int set_mode(struct words *w, struct stress_options *o)
{
	char *text;
	int rc = words_value(w, "--mode", &text);

	if (rc)
		return rc;
	if (!strcmp(text, "all")) {
		o->modes = (1u << STRESS_NMODES) - 1;
		return 0;
	}
	for (int i = 0; i < STRESS_NMODES; i++)
		if (!strcmp(text, stress_mode_names[i])) {
			o->modes = 1u << i;
			return 0;
		}
	return problem_usage(w->problem,
			     "--mode: %s is not known, allowed are none, tis, tis+dek, adaptive, "
			     "never and all",
			     words_show(text));
}

static int set_bytes(struct words *w, struct stress_options *o)
{
	const char *why;
	char *text;
	int rc = words_value(w, "--bytes", &text);

	if (rc)
		return rc;
	if (!stress_sizes_parse(text, &o->sizes, &why))
		return problem_usage(w->problem, "--bytes: %s is refused, allowed is %s",
				     words_show(text), why);
	o->bytes = text;
	return 0;
}

static bool parse_bits(const char *text, uint64_t *bits)
{
	static const char units[] = "KMGT";
	double scale = 1, v;
	const char *unit;
	char *end;

	if (!isdigit((unsigned char)*text) || strspn(text, "0123456789.") > 20)
		return false;
	v = strtod(text, &end);
	unit = *end ? strchr(units, *end) : NULL;
	if ((*end && !unit) || (unit && end[1]))
		return false;
	for (int i = 0; unit && i <= unit - units; i++)
		scale *= 1000;
	if (v * scale < (double)PACE_MIN || v * scale > (double)PACE_MAX)
		return false;
	*bits = (uint64_t)(v * scale + 0.5);
	return true;
}

static int set_pace(struct words *w, struct stress_options *o)
{
	char *text;
	int rc = words_value(w, "--pace", &text);

	if (!rc && !parse_bits(text, &o->pace))
		rc = problem_usage(w->problem,
				   "--pace: %s is refused, allowed are bits per second such as "
				   "10G, from 1M to 10T",
				   words_show(text));
	return rc;
}

static int set_loss(struct words *w, struct stress_options *o)
{
	char *text, *end = NULL;
	int rc = words_value(w, "--loss", &text);

	if (rc)
		return rc;
	o->loss = isdigit((unsigned char)*text) ? strtod(text, &end) : -1;
	if (!end || o->loss < 0 || *end || !(o->loss <= 0.9))
		return problem_usage(w->problem,
				     "--loss: %s is refused, allowed is a part of 1 from 0 to 0.9",
				     words_show(text));
	o->loss_text = text;
	return 0;
}

static int set_threads(struct words *w, struct stress_options *o)
{
	uint64_t v;
	int rc = words_number(w, "--threads", 1, 64, &v);

	if (!rc)
		o->threads = (unsigned int)v;
	return rc;
}

/* Of a file or a device. */
static int set_name(struct words *w, const char *of, const char **name)
{
	char *text;
	int rc = words_value(w, of, &text);

	if (!rc && !*text)
		rc = problem_usage(w->problem, "%s: the name is empty", of);
	if (!rc)
		*name = text;
	return rc;
}

/* Options of connections and load. 0, an exit status, or -1: not one of these. */
static int take_load(struct words *w, struct stress_options *o, struct given *g)
{
	if (words_take(w, "--connections"))
		return words_number(w, "--connections", 1, CONNECTIONS_MAX, &o->connections);
	if (words_take(w, "--warmup")) {
		g->warmup = true;
		return words_number(w, "--warmup", 0, CONNECTIONS_MAX, &o->warmup);
	}
	if (words_take(w, "--alive")) {
		g->alive = true;
		return words_number(w, "--alive", 1, ALIVE_MAX, &o->alive);
	}
	if (words_take(w, "--rate")) {
		g->rate = true;
		return words_number(w, "--rate", 1, RATE_MAX, &o->rate);
	}
	if (words_take(w, "--bytes"))
		return set_bytes(w, o);
	if (words_take(w, "--pace"))
		return set_pace(w, o);
	return words_take(w, "--loss") ? set_loss(w, o) : -1;
}

static int take(struct words *w, struct stress_options *o, struct given *g)
{
	int rc = take_load(w, o, g);

	if (rc >= 0)
		return rc;
	if (words_take(w, "--mode"))
		return set_mode(w, o);
	if (words_take(w, "--threads"))
		return set_threads(w, o);
	if (words_take(w, "--seed"))
		return words_number(w, "--seed", 0, UINT64_MAX, &o->seed);
	if (words_take(w, "--csv"))
		return set_name(w, "--csv", &o->csv);
	if (words_take(w, "--plot"))
		return set_name(w, "--plot", &o->plot);
	if (words_take(w, "--wire"))
		return set_name(w, "--wire", &o->wire);
	if (words_take(w, "--verify")) {
		o->verify = true;
		return 0;
	}
	if (words_take(w, "-j") || words_take(w, "--json"))
		return problem_usage(w->problem, "-j stands before the verb: mlx5-offload-tool -j "
						 "stress tls …");
	return problem_usage(w->problem, "stress tls: unknown word %s, see help stress",
			     words_show(words_peek(w)));
}

static uint64_t default_warmup(uint64_t connections)
{
	uint64_t least = connections / 2 < WARMUP_LEAST ? connections / 2 : WARMUP_LEAST;

	return connections / 10 > least ? connections / 10 : least;
}

/* So that most of them begin when another one is over. */
static uint64_t default_alive(uint64_t connections)
{
	uint64_t alive = (connections + 9) / 10;

	return alive < ALIVE_DEFAULT ? alive : ALIVE_DEFAULT;
}

static int settle(struct words *w, struct stress_options *o, const struct given *g)
{
	if (g->alive && g->rate)
		return problem_usage(w->problem,
				     "--rate: %llu is refused with --alive, allowed is one of them",
				     (unsigned long long)o->rate);
	if (g->alive && o->alive > o->connections)
		return problem_usage(w->problem,
				     "--alive: %llu is more than --connections %llu, allowed are "
				     "so many at most",
				     (unsigned long long)o->alive,
				     (unsigned long long)o->connections);
	if (g->warmup && o->warmup >= o->connections)
		return problem_usage(w->problem,
				     "--warmup: %llu is refused, allowed are less than "
				     "--connections %llu",
				     (unsigned long long)o->warmup,
				     (unsigned long long)o->connections);
	if (o->threads > o->connections || (!g->rate && g->alive && o->threads > o->alive))
		return problem_usage(w->problem,
				     "--threads: %u is refused, allowed are no more than there are "
				     "connections",
				     o->threads);
	if (!g->warmup)
		o->warmup = default_warmup(o->connections);
	if (!g->rate && !g->alive)
		o->alive = default_alive(o->connections);
	return 0;
}

int stress_options_parse(struct words *w, struct stress_options *o)
{
	struct given given = {0};
	int rc = 0;

	*o = (struct stress_options){
		.modes = 1u << STRESS_ADAPTIVE,
		.connections = 100000,
		.threads = 1,
		.sizes = {.n = 1, .part = {{100, 4096}}},
		.bytes = "4096",
		.pace = 10000000000,
		.loss_text = "0",
		.seed = 1,
	};
	while (!rc && words_peek(w))
		rc = take(w, o, &given);
	return rc ? rc : settle(w, o, &given);
}
