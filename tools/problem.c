// SPDX-License-Identifier: BSD-2-Clause
/*
 * From a failure to a sentence and an exit status. Words of the command line are usage (2); what the library or the
 * system refuses is failure (1), or "no resources" (4) when trying again later makes sense: the firmware's statuses
 * NO_RES_ERR and LIM_ERR, ENOSPC and ENOMEM.
 */
#include "tools/problem.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <mlx5_offload/error.h>

enum { STATUS_NO_RES = 0x0f, STATUS_LIM = 0x08 };

static void problem_clear(struct problem *p, enum tool_exit status, int err)
{
	memset(p, 0, sizeof(*p));
	p->exit = status;
	p->err = err;
}

/* A word of the user's may hold anything; a message is one line and moves no cursor. */
static void one_line(struct problem *p)
{
	for (char *c = p->text; *c; c++)
		if ((unsigned char)*c < ' ' || *c == 0x7f)
			*c = '?';
}

int problem_usage(struct problem *p, const char *fmt, ...)
{
	va_list ap;

	problem_clear(p, TOOL_USAGE, EINVAL);
	va_start(ap, fmt);
	vsnprintf(p->text, sizeof(p->text), fmt, ap);
	va_end(ap);
	one_line(p);
	return p->exit;
}

static enum tool_exit exit_of(int err)
{
	return err == ENOSPC || err == ENOMEM ? TOOL_NO_RESOURCES : TOOL_FAILED;
}

int problem_errno(struct problem *p, int err, const char *fmt, ...)
{
	va_list ap;

	problem_clear(p, exit_of(err), err);
	va_start(ap, fmt);
	vsnprintf(p->text, sizeof(p->text), fmt, ap);
	va_end(ap);
	one_line(p);
	return p->exit;
}

int problem_library(struct problem *p, int err)
{
	const struct mlxo_error *e = mlxo_error_last();

	problem_clear(p, exit_of(-err), -err);
	snprintf(p->text, sizeof(p->text), "%s", e->text[0] ? e->text : strerror(-err));
	one_line(p);
	if (!e->firmware)
		return p->exit;
	p->firmware = true;
	snprintf(p->op, sizeof(p->op), "%s", e->op ? e->op : "");
	snprintf(p->status, sizeof(p->status), "%s", e->status_name ? e->status_name : "");
	p->syndrome = e->syndrome;
	if (e->status == STATUS_NO_RES || e->status == STATUS_LIM)
		p->exit = TOOL_NO_RESOURCES;
	return p->exit;
}
