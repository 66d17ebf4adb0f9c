// SPDX-License-Identifier: BSD-2-Clause
/*
 * The picture is gnuplot's. Its script is written to a file without a name, data included, which then is its standard
 * input; its standard output is another one, which is copied when it is whole, since gnuplot does not say that the disk was
 * full. So neither a shell nor a file name of the user's is in a command.
 */
#include "tools/stress/files.h"
#include "tools/stress/report.h"

#include <errno.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

/* n / of as a decimal number with 3 digits. */
static void put_ratio(FILE *to, uint64_t n, uint64_t of)
{
	uint64_t milli = of ? (uint64_t)(((unsigned __int128)n * 1000 + of / 2) / of) : 0;

	fprintf(to, "%llu.%03llu", (unsigned long long)milli / 1000,
		(unsigned long long)milli % 1000);
}

void stress_csv_line(FILE *to, const char *mode, const struct stress_interval *i)
{
	fprintf(to, "%llu.%09llu,%s,%llu,%llu,", (unsigned long long)(i->end_ns / 1000000000),
		(unsigned long long)(i->end_ns % 1000000000), mode, (unsigned long long)i->rate,
		(unsigned long long)i->p99_ns);
	put_ratio(to, i->commands, i->closed);
	fputc(',', to);
	put_ratio(to, i->hw_bytes, i->bytes);
	fputc('\n', to);
}

bool stress_find_program(const char *path, const char *name, char *found, size_t size)
{
	while (path && *path) {
		size_t len = strcspn(path, ":");
		int n = snprintf(found, size, "%.*s/%s", (int)len, path, name);

		if (len && n > 0 && (size_t)n < size && access(found, X_OK) == 0)
			return true;
		path += len + (path[len] == ':');
	}
	return false;
}

static int open_file(const char *option, const char *name, FILE **file, struct problem *p)
{
	if (!strcmp(name, "-"))
		return problem_usage(p,
				     "%s: - is refused, allowed is the name of a file: standard "
				     "output has the table",
				     option);
	*file = fopen(name, "we");
	if (!*file)
		return problem_errno(p, errno, "%s: %s cannot be written: %s", option, name,
				     strerror(errno));
	return 0;
}

static void begin_script(FILE *f)
{
	fputs("set terminal svg size 960,720 dynamic background rgb 'white' font 'sans,13'\n"
	      "set logscale xy\n"
	      "set grid\n"
	      "set key outside right top\n"
	      "set xlabel 'time, s'\n"
	      "set format y '10^{%L}'\n",
	      f);
}

int stress_files_open(struct stress_files *f, const struct stress_options *o, struct problem *p)
{
	int rc = 0;

	memset(f, 0, sizeof(*f));
	if (o->plot &&
	    !stress_find_program(getenv("PATH"), "gnuplot", f->gnuplot, sizeof(f->gnuplot)))
		return problem_errno(p, ENOENT, "--plot: gnuplot is not installed, it draws %s",
				     o->plot);
	if (o->csv)
		rc = open_file("--csv", o->csv, &f->csv, p);
	if (!rc && o->plot)
		rc = open_file("--plot", o->plot, &f->plot, p);
	if (!rc && o->plot) {
		f->script = tmpfile();
		f->picture = tmpfile();
		if (!f->script || !f->picture)
			rc = problem_errno(p, errno, "--plot: no temporary file: %s",
					   strerror(errno));
		else
			begin_script(f->script);
	}
	if (f->csv)
		fputs("time_s,mode,connections_per_second,open_p99_ns,"
		      "fw_commands_per_connection,hw_byte_share\n",
		      f->csv);
	if (rc)
		stress_files_close(f, NULL);
	return rc;
}

void stress_files_add(struct stress_files *f, const struct stress_result *r)
{
	const char *mode = stress_mode_names[r->mode];

	for (unsigned int i = 0; f->csv && i < r->rec.nintervals; i++)
		stress_csv_line(f->csv, mode, &r->rec.interval[i]);
	if (!f->script || !r->rec.nintervals || f->nruns == STRESS_NMODES)
		return;
	fprintf(f->script, "$run%u << EOD\n", f->nruns);
	for (unsigned int i = 0; i < r->rec.nintervals; i++)
		fprintf(f->script, "%.9f %llu %.3f\n", (double)r->rec.interval[i].end_ns / 1e9,
			(unsigned long long)r->rec.interval[i].rate,
			(double)r->rec.interval[i].p99_ns / 1000);
	fputs("EOD\n", f->script);
	f->run[f->nruns++] = r->mode;
	f->nic = stress_report_is_nic(r->clock);
}

/* Where short connections never reach hardware, these two are the same line. */
static const char *line_of(enum stress_mode mode)
{
	return mode == STRESS_ADAPTIVE ? "lw 5" : mode == STRESS_NEVER ? "lw 2 dt 2" : "lw 2";
}

static void put_plot(struct stress_files *f, const char *title, const char *label, int column)
{
	fprintf(f->script, "set title '%s'\nset ylabel '%s'\nplot ", title, label);
	for (unsigned int i = 0; i < f->nruns; i++)
		fprintf(f->script, "%s$run%u using 1:%d with lines %s title '%s'", i ? ", " : "", i,
			column, line_of(f->run[i]), stress_mode_names[f->run[i]]);
	fputc('\n', f->script);
}

static int spawn(struct stress_files *f)
{
	char *argv[] = {f->gnuplot, NULL};
	posix_spawn_file_actions_t files;
	int rc, status = 0;
	pid_t pid;

	posix_spawn_file_actions_init(&files);
	posix_spawn_file_actions_adddup2(&files, fileno(f->script), STDIN_FILENO);
	posix_spawn_file_actions_adddup2(&files, fileno(f->picture), STDOUT_FILENO);
	rc = posix_spawn(&pid, f->gnuplot, &files, NULL, argv, environ);
	posix_spawn_file_actions_destroy(&files);
	if (rc)
		return rc;
	while (waitpid(pid, &status, 0) < 0)
		if (errno != EINTR)
			return errno;
	return WIFEXITED(status) && WEXITSTATUS(status) == 0 ? 0 : EIO;
}

/* To the user's file, when its end is there. 0 or errno; what the file has no room for is told when it is closed. */
static int copy_picture(struct stress_files *f)
{
	char piece[4096], tail[64] = "";
	size_t n;

	if (fseek(f->picture, -(long)(sizeof(tail) - 1), SEEK_END) ||
	    !fread(tail, 1, sizeof(tail) - 1, f->picture) || !strstr(tail, "</svg>"))
		return ENOSPC;
	rewind(f->picture);
	while ((n = fread(piece, 1, sizeof(piece), f->picture)) > 0)
		fwrite(piece, 1, n, f->plot);
	return ferror(f->picture) ? EIO : 0;
}

static int draw(struct stress_files *f)
{
	int err;

	fputs("set multiplot layout 2,1\n", f->script);
	put_plot(f,
		 f->nic ? "Connections per second"
			: "Connections per second (software model, not a NIC)",
		 "1/s", 2);
	put_plot(f, "Time to open a connection, 99th percentile", "us", 3);
	if (fflush(f->script) || fseek(f->script, 0, SEEK_SET))
		return errno;
	err = spawn(f);
	return err ? err : copy_picture(f);
}

static bool close_file(FILE *file)
{
	bool bad = file && (fflush(file) != 0 || ferror(file));

	if (file && fclose(file))
		bad = true;
	return !bad;
}

int stress_files_close(struct stress_files *f, struct problem *p)
{
	int rc = 0, err = 0;

	if (p && f->plot && f->nruns)
		err = draw(f);
	if (err)
		rc = problem_errno(p, err, "--plot: gnuplot failed: %s", strerror(err));
	if (!close_file(f->csv) && p && !rc)
		rc = problem_errno(p, EIO, "--csv: the file could not be written whole");
	if (!close_file(f->plot) && p && !rc)
		rc = problem_errno(p, EIO, "--plot: the file could not be written whole");
	close_file(f->script);
	close_file(f->picture);
	memset(f, 0, sizeof(*f));
	return rc;
}
