// SPDX-License-Identifier: BSD-2-Clause
/*
 * mlx5-offload-tool: options, then one verb or a batch of them over one session.
 *
 *   main ─┬─ verb ───────────┐
 *         └─ batch ─ line ─ verb ─ session ─ library (include/mlx5_offload only)
 *                            └─ out: text or JSON
 *
 * Keys: what may be one is overwritten in argv before anything else happens, the process leaves no core file and
 * cannot be traced by its user's other processes.
 */
#include <fcntl.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "tools/batch.h"
#include "tools/log.h"
#include "tools/verbs.h"
#include "tools/wait.h"

struct options {
	const char *device, *batch;
	bool own_port, json, pretty, force, help, version;
	int verbose;
};

static int parse(int argc, char **argv, struct options *opt, struct problem *p)
{
	static const struct option longs[] = {
		{"device", required_argument, NULL, 'd'}, {"own-port", no_argument, NULL, 'o'},
		{"batch", required_argument, NULL, 'b'},  {"json", no_argument, NULL, 'j'},
		{"pretty", no_argument, NULL, 'p'},	  {"force", no_argument, NULL, 'f'},
		{"verbose", no_argument, NULL, 'v'},	  {"help", no_argument, NULL, 'h'},
		{"version", no_argument, NULL, 'V'},	  {NULL, 0, NULL, 0},
	};
	int c, rc = 0;

	opterr = 0;
	/* "+": options end at the verb, whose words are its own. ":": a missing argument is told apart. */
	while ((c = getopt_long(argc, argv, "+:d:ob:jpfvhV", longs, NULL)) != -1) {
		const char *word = argv[optind - 1];

		switch (c) {
		case 'd': opt->device = optarg; break;
		case 'o': opt->own_port = true; break;
		case 'b': opt->batch = optarg; break;
		case 'p': opt->pretty = true; break;
		case 'j': opt->json = true; break;
		case 'f': opt->force = true; break;
		case 'v': opt->verbose++; break;
		case 'h': opt->help = true; break;
		case 'V': opt->version = true; break;
		case ':': rc = problem_usage(p, "option %s: its value is missing", word); break;
		default: rc = problem_usage(p, "unknown option %s, see --help", words_show(word));
		}
	}
	return rc;
}

/* `create-sa help` as with ip(8), and the option where it is often put. */
static bool asks_help(char **word, int n)
{
	return n == 1 &&
	       (!strcmp(word[0], "help") || !strcmp(word[0], "-h") || !strcmp(word[0], "--help"));
}

static int run_verb(struct session *s, char *name, char **word, int n)
{
	struct words w = {.word = word, .n = n, .keys = WORDS_KEYS_ARGV, .problem = &s->problem};
	const struct verb *verb;
	int rc = verb_find(name, /* exact */ false, &verb, &s->problem);

	if (!rc && asks_help(word, n)) {
		w.word = &name;
		rc = verb_help(s, &w);
	} else if (!rc) {
		rc = verb->run(s, &w);
	}
	if (rc)
		out_problem(s->out, &s->problem);
	return rc;
}

/* Objects live as long as this process: stay until a signal, and say so where somebody waits for a prompt. */
static void hold(struct session *s)
{
	if (isatty(STDERR_FILENO))
		fprintf(stderr, "mlx5-offload-tool: in place until Ctrl-C or SIGTERM\n");
	wait_signal(s);
}

static int run(struct session *s, const struct options *opt, char **word, int n)
{
	static char version[] = "version", help[] = "help";
	int rc;

	if (opt->help || opt->version)
		return run_verb(s, opt->help ? help : version, NULL, 0);
	if (opt->batch && n > 0) {
		rc = problem_usage(&s->problem, "%s: with -b the verbs are in the batch", word[0]);
		out_problem(s->out, &s->problem);
		return rc;
	}
	if (!opt->batch && n == 0) {
		rc = problem_usage(&s->problem, "a verb is missing, see help");
		out_problem(s->out, &s->problem);
		return rc;
	}
	if (!opt->batch) {
		rc = run_verb(s, word[0], word + 1, n - 1);
		if (!rc && s->hold)
			hold(s);
		return rc ? rc : s->status;
	}
	rc = batch_run(s, opt->batch, opt->force);
	if ((!rc || rc == TOOL_PARTLY) && s->forward)
		hold(s);
	return rc;
}

/* LeakSanitizer looks at the process by ptrace. */
#if defined(__SANITIZE_ADDRESS__)
#define TRACEABLE 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define TRACEABLE 1
#endif
#endif

/*
 * A standard stream that came closed is opened the wrong way round: using it still fails, but no file that is opened
 * later (a capture, an export, a socket) gets its number and what is printed.
 */
static void reserve_standard_streams(void)
{
	for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
		if (fcntl(fd, F_GETFD) < 0)
			(void)!open("/dev/null", fd == STDIN_FILENO ? O_WRONLY : O_RDONLY);
}

int main(int argc, char **argv)
{
	struct options opt = {0};
	struct problem problem;
	struct session session;
	struct out *out;
	int rc;

	words_hide_keys(argv + 1, argc - 1);
	reserve_standard_streams();
#ifndef TRACEABLE
	prctl(PR_SET_DUMPABLE, 0);
#endif
	rc = parse(argc, argv, &opt, &problem);
	out = out_create(opt.pretty ? OUT_PRETTY : opt.json ? OUT_JSON : OUT_TEXT, stdout);
	if (!out)
		return TOOL_NO_RESOURCES;
	if (rc) {
		out_problem(out, &problem);
	} else {
		log_start(out, opt.verbose);
		session_init(&session, opt.device, out);
		session.own_port = opt.own_port;
		session.opening = wait_init;
		rc = run(&session, &opt, argv + optind, argc - optind);
		session_fini(&session);
		if (log_end() && !rc)
			rc = TOOL_FAILED;
	}
	out_destroy(out);
	if (fflush(stdout) || ferror(stdout)) {
		fprintf(stderr, "mlx5-offload-tool: standard output cannot be written\n");
		rc = rc ? rc : TOOL_FAILED;
	}
	return rc;
}
