/* SPDX-License-Identifier: BSD-2-Clause */
/* What a run leaves in files: a line per interval (--csv) and a picture of them (--plot). */
#ifndef TOOLS_STRESS_FILES_H
#define TOOLS_STRESS_FILES_H

#include "tools/stress/run.h"

struct stress_files {
	FILE *csv, *plot;  /* NULL: not asked for */
	FILE *script;	   /* what gnuplot will read */
	FILE *picture;	   /* what it draws */
	bool nic;	   /* what it is a picture of */
	char gnuplot[512]; /* the program */
	unsigned int nruns;
	enum stress_mode run[STRESS_NMODES];
};

/* Before the run: open what will be written, look for gnuplot. 0 or an exit status with *p. */
int stress_files_open(struct stress_files *f, const struct stress_options *o, struct problem *p);
/* The intervals of one run. */
void stress_files_add(struct stress_files *f, const struct stress_result *r);
/* Draw and close. 0 or an exit status with *p. */
int stress_files_close(struct stress_files *f, struct problem *p);

/* One interval as a line of the CSV file, with its newline. */
void stress_csv_line(FILE *to, const char *mode, const struct stress_interval *i);
/* Where the program is among the folders of `path` (as in PATH); false: nowhere, or too long. */
bool stress_find_program(const char *path, const char *name, char *found, size_t size);

#endif
