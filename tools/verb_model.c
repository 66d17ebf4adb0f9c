// SPDX-License-Identifier: BSD-2-Clause
/*
 * model run: an unmodified program of libibverbs, with the software ConnectX as its NIC.
 *
 *   tool ── directory ── program (LD_PRELOAD libmlx5-model-uverbs.so, MLXO_MODEL, MLXO_MODEL_DIR)
 *     ├── waits, removes the directory whatever became of the program, ends as it did
 *     └── guard: does it when the tool was killed
 *
 * The program is the tool's child, in its process group: a Ctrl-C of the terminal reaches it by itself; what is sent to the
 * tool alone is passed on. When the tool is killed, the program is.
 */
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tools/log.h"
#include "tools/verbs.h"

enum { SIGNALED = 128, NOT_FOUND = 127, NOT_RUN = 126 };

struct launch {
	char library[PATH_MAX], dir[PATH_MAX], model[4096];
	const char *netdev, *trace, *show;
	char **program;
	pid_t guard;
	int guard_end; /* of its pipe; -1: there is no guard */
};

static volatile sig_atomic_t child;

static void pass_on(int sig, siginfo_t *info, void *context)
{
	bool typed = info->si_code ==
		     SI_KERNEL; /* Ctrl-C: the terminal sends it to the program, too */

	(void)context;
	if (child && !(typed && (sig == SIGINT || sig == SIGQUIT)))
		kill((pid_t)child, sig);
}

/* -- what to run ---------------------------------------------------------------------------------------------- */

/* One device: the word, "model:" before it if need be, and the netdev it answers to. */
static int add_device(struct launch *l, const char *word, struct problem *p)
{
	size_t at = strlen(l->model), room = sizeof(l->model) - at;
	bool whole = !strcmp(word, "model") || !strncmp(word, "model:", strlen("model:"));
	int n = snprintf(l->model + at, room, "%s%s%s", at ? " " : "", whole ? "" : "model:", word);

	if (n >= 0 && (size_t)n < room && l->netdev && !at) {
		at += (size_t)n;
		room -= (size_t)n;
		n = snprintf(l->model + at, room, "%snetdev=%s", strchr(l->model, ':') ? "," : ":",
			     l->netdev);
	}
	if (n < 0 || (size_t)n >= room)
		return problem_usage(p, "model run: the devices' options are too long");
	return 0;
}

/*
 * The model itself says what is wrong with its options, before the program is started. A command that fails here was
 * asked to fail: that is meant for the program.
 */
static int check_device(struct session *s, const char *spec)
{
	struct mlxo_device *dev;
	int rc;

	log_pause(true);
	rc = mlxo_device_open(spec, &dev);
	log_pause(false);
	if (!rc)
		mlxo_device_close(dev);
	return rc && !mlxo_error_last()->firmware ? session_failed(s, rc) : 0;
}

static int check_devices(struct session *s, const char *model)
{
	char *copy = strdup(model), *save = NULL;
	int rc = copy ? 0 : problem_errno(&s->problem, ENOMEM, "model run: out of memory");

	for (char *w = copy ? strtok_r(copy, " ", &save) : NULL; w && !rc;
	     w = strtok_r(NULL, " ", &save))
		rc = check_device(s, w);
	free(copy);
	return rc;
}

/* One of these words, ended by NULL. names: for the sentence. */
static int take_word(struct session *s, struct words *w, const char *option,
		     const char *const *allowed, const char *names, const char **to)
{
	char *word;
	int rc = words_value(w, option, &word);

	if (rc)
		return rc;
	for (; *allowed; allowed++)
		if (strcmp(word, *allowed) == 0) {
			*to = *allowed;
			return 0;
		}
	return problem_usage(&s->problem, "model run: %s %s: allowed are %s", option, word, names);
}

static int take_netdev(struct session *s, struct words *w, struct launch *l)
{
	char *word;
	int rc = words_value(w, "--netdev", &word);

	if (rc)
		return rc;
	l->netdev = word;
	return l->model[0]
		       ? problem_usage(&s->problem, "model run: --netdev comes before the devices")
		       : 0;
}

static int take_option(struct session *s, struct words *w, struct launch *l)
{
	static const char *const trace[] = {"refused", "calls", "mailboxes", NULL};
	static const char *const show[] = {"only", "both", NULL};
	char *word;
	int rc;

	if (words_take(w, "--netdev"))
		return take_netdev(s, w, l);
	if (words_take(w, "--trace"))
		return take_word(s, w, "--trace", trace, "refused, calls, mailboxes", &l->trace);
	if (words_take(w, "--show"))
		return take_word(s, w, "--show", show, "only, both", &l->show);
	rc = words_value(w, "device", &word);
	return rc ? rc : add_device(l, word, &s->problem);
}

static int parse(struct session *s, struct words *w, struct launch *l)
{
	int rc = 0;

	while (words_peek(w) && !words_take(w, "--") && !rc)
		rc = take_option(s, w, l);
	if (rc)
		return rc;
	if (w->at == 0 || strcmp(w->word[w->at - 1], "--") != 0 || !words_peek(w))
		return problem_usage(&s->problem,
				     "model run: a program is missing: model run -- PROGRAM");
	l->program = &w->word[w->at];
	w->at = w->n;
	return l->model[0] ? 0 : add_device(l, s->spec ? s->spec : "model", &s->problem);
}

/* Beside the tool in a build, in the library folder where it is installed. */
static int find_library(struct launch *l, struct problem *p)
{
	static const char *const places[] = {"", MLXO_LIBDIR "/"};
	char exe[PATH_MAX];
	ssize_t n = readlink("/proc/self/exe", exe, sizeof(exe) - 1);
	char *slash;

	if (n < 0)
		return problem_errno(p, errno, "model run: where the tool is cannot be told");
	exe[n] = '\0';
	slash = strrchr(exe, '/');
	slash[1] = '\0';
	for (size_t i = 0; i < sizeof(places) / sizeof(*places); i++)
		if (snprintf(l->library, sizeof(l->library), "%s%slibmlx5-model-uverbs.so", exe,
			     places[i]) < (int)sizeof(l->library) &&
		    access(l->library, R_OK) == 0)
			return 0;
	return problem_errno(p, ENOENT,
			     "model run: libmlx5-model-uverbs.so is not installed beside the tool");
}

/* -- running it --------------------------------------------------------------------------------------------------- */

/* By a name that has neither. 0 or -1 with errno. */
static int link_library(struct launch *l)
{
	char name[PATH_MAX];

	if (snprintf(name, sizeof(name), "%s/libmlx5-model-uverbs.so", l->dir) >=
	    (int)sizeof(name)) {
		errno = ENAMETOOLONG;
		return -1;
	}
	if (symlink(l->library, name))
		return -1;
	memcpy(l->library, name, sizeof(l->library));
	return 0;
}

/* Of children, too, that change their folder or their user. LD_PRELOAD is cut at blanks and colons. */
static int make_directory(struct launch *l, struct problem *p)
{
	const char *tmp = getenv("TMPDIR");
	char folder[PATH_MAX];

	if (!tmp || !*tmp)
		tmp = "/tmp";
	if (!realpath(tmp, folder))
		return problem_errno(p, errno, "model run: TMPDIR %s: %s", tmp, strerror(errno));
	if (strpbrk(folder, " :\t\n"))
		return problem_errno(p, EINVAL,
				     "model run: TMPDIR %s: a blank or a colon in it would cut "
				     "LD_PRELOAD in two",
				     folder);
	if (snprintf(l->dir, sizeof(l->dir), "%s/mlx5-model.XXXXXX", folder) >=
	    (int)sizeof(l->dir) - 32)
		return problem_errno(p, ENAMETOOLONG, "model run: TMPDIR %s is too long", folder);
	if (!mkdtemp(l->dir))
		return problem_errno(p, errno, "model run: %s cannot be made: %s", l->dir,
				     strerror(errno));
	if (chmod(l->dir, 0755) || link_library(l)) {
		int err = errno;

		rmdir(l->dir);
		return problem_errno(p, err, "model run: %s cannot be filled: %s", l->dir,
				     strerror(err));
	}
	return 0;
}

static int remove_one(const char *path, const struct stat *st, int flag, struct FTW *ftw)
{
	return remove(path);
}

static int remove_directory(const char *dir)
{
	return nftw(dir, remove_one, 2, FTW_DEPTH | FTW_PHYS);
}

/*
 * A process that has nothing but the end of a pipe whose other end is the tool's: when that is closed, the tool is gone.
 * Returns the tool's end, which the program does not inherit; -1: there is no guard, and a killed tool leaves its directory.
 */
static int start_guard(struct launch *l)
{
	int ends[2];
	char byte;

	if (pipe2(ends, O_CLOEXEC))
		return -1;
	l->guard = fork();
	if (l->guard == 0) {
		setsid(); /* no Ctrl-C */
		dup2(ends[0], STDIN_FILENO);
		close_range(STDIN_FILENO + 1, UINT_MAX, 0);
		while (read(STDIN_FILENO, &byte, 1) < 0 && errno == EINTR)
			;
		remove_directory(l->dir);
		_exit(0);
	}
	close(ends[0]);
	if (l->guard < 0) {
		close(ends[1]);
		return -1;
	}
	return ends[1];
}

static void run_program(const struct launch *l)
{
	const char *before = getenv("LD_PRELOAD");
	char preload[2 * PATH_MAX];
	int err;

	snprintf(preload, sizeof(preload), "%s%s%s", l->library, before && *before ? ":" : "",
		 before ? before : "");
	setenv("LD_PRELOAD", preload, 1);
	setenv("MLXO_MODEL", l->model, 1);
	setenv("MLXO_MODEL_DIR", l->dir, 1);
	if (l->show)
		setenv("MLXO_MODEL_SHOW", l->show, 1);
	if (l->trace)
		setenv("MLXO_MODEL_TRACE", l->trace, 1);
	execvp(l->program[0], l->program);
	err = errno;
	fprintf(stderr, "mlx5-offload-tool: model run: %s: %s\n", l->program[0], strerror(err));
	_exit(err == ENOENT ? NOT_FOUND : NOT_RUN);
}

/* SIGCHLD: the program's end is waited for, whatever the tool was started with. */
static const int passed_on[] = {SIGTERM, SIGHUP, SIGINT, SIGQUIT, SIGUSR1, SIGUSR2};
enum { NSIGNALS = sizeof(passed_on) / sizeof(passed_on[0]) };
static struct sigaction before[NSIGNALS], before_child;

static void take_signals(void)
{
	struct sigaction pass = {.sa_sigaction = pass_on, .sa_flags = SA_RESTART | SA_SIGINFO};
	struct sigaction plain = {.sa_handler = SIG_DFL};

	for (int i = 0; i < NSIGNALS; i++)
		sigaction(passed_on[i], &pass, &before[i]);
	sigaction(SIGCHLD, &plain, &before_child);
}

/* As they were: nohup's, for instance. */
static void give_signals_back(void)
{
	for (int i = 0; i < NSIGNALS; i++)
		sigaction(passed_on[i], &before[i], NULL);
	sigaction(SIGCHLD, &before_child, NULL);
}

/* A signal that comes before the child's number is known waits for it, or it would be passed on to nobody. */
static pid_t start_program(struct launch *l)
{
	sigset_t passed, mask;
	pid_t pid, self = getpid();

	sigemptyset(&passed);
	for (int i = 0; i < NSIGNALS; i++)
		sigaddset(&passed, passed_on[i]);
	sigprocmask(SIG_BLOCK, &passed, &mask);
	take_signals();
	l->guard_end = start_guard(l);
	pid = fork();
	if (pid == 0) {
		give_signals_back();
		sigprocmask(SIG_SETMASK, &mask, NULL);
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		if (getppid() != self) /* it was killed already */
			_exit(NOT_RUN);
		run_program(l);
	}
	if (pid > 0)
		child = pid;
	else
		give_signals_back();
	sigprocmask(SIG_SETMASK, &mask, NULL);
	return pid;
}

static int run_and_wait(struct session *s, struct launch *l)
{
	int status = 0;
	pid_t pid;

	fflush(NULL);
	pid = start_program(l);
	if (pid < 0)
		return problem_errno(&s->problem, errno, "model run: no process can be started");
	while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	child = 0;
	give_signals_back();
	s->status = WIFSIGNALED(status) ? SIGNALED + WTERMSIG(status) : WEXITSTATUS(status);
	return 0;
}

int verb_model(struct session *s, struct words *w)
{
	struct launch l = {.guard_end = -1};
	int rc = 0;

	if (!words_take(w, "run"))
		return problem_usage(&s->problem, "model: allowed is run");
	rc = parse(s, w, &l);
	if (!rc)
		rc = find_library(&l, &s->problem);
	if (!rc)
		rc = check_devices(s, l.model);
	if (!rc)
		rc = make_directory(&l, &s->problem);
	if (rc)
		return rc;
	rc = run_and_wait(s, &l);
	if (remove_directory(l.dir))
		fprintf(stderr, "mlx5-offload-tool: warning: model run: %s stays: %s\n", l.dir,
			strerror(errno));
	if (l.guard_end >= 0) {
		close(l.guard_end);
		waitpid(l.guard, NULL, 0);
	}
	return rc;
}
