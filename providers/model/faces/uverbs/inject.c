// SPDX-License-Identifier: BSD-2-Clause
/*
 * MLXO_MODEL_FAIL=N:ERRNO: the N-th call of the program to the kernel (an ioctl of any context, 1 = the first) fails with
 * this errno and does nothing: 12:ENOMEM, 40:EINTR. So a program is shown what a NIC does once a year.
 */
#include "uverbs.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_ERRNO = 133 };

static unsigned long fail_at; /* 0: no call */
static int fail_with;
static _Atomic unsigned long calls;

static int errno_of(const char *name)
{
	static const struct {
		const char *name;
		int e;
	} other[] = {{"EWOULDBLOCK", EWOULDBLOCK}, {"ENOTSUP", ENOTSUP}, {"EDEADLOCK", EDEADLOCK}};

	for (size_t i = 0; i < sizeof(other) / sizeof(other[0]); i++)
		if (strcmp(other[i].name, name) == 0)
			return other[i].e;
	for (int e = 1; e <= MAX_ERRNO; e++) {
		const char *known = strerrorname_np(e);

		if (known && strcmp(known, name) == 0)
			return e;
	}
	return 0;
}

int uv_inject_init(char *why, size_t whylen)
{
	const char *text = getenv("MLXO_MODEL_FAIL");
	char *end;

	if (!text || !*text)
		return 0;
	end = (char *)(uintptr_t)text;
	fail_at = *text >= '0' && *text <= '9' ? strtoul(text, &end, 10) : 0;
	fail_with = fail_at && *end == ':' ? errno_of(end + 1) : 0;
	if (fail_with)
		return 0;
	snprintf(why, whylen, "MLXO_MODEL_FAIL=%s: allowed is N:ERRNO, as 12:ENOMEM", text);
	return -EINVAL;
}

int uv_injected(void)
{
	return fail_at && atomic_fetch_add(&calls, 1) + 1 == fail_at ? -fail_with : 0;
}
