// SPDX-License-Identifier: BSD-2-Clause
/* Paths of sysfs that lead into our tree: none yet, libibverbs follows SYSFS_PATH. */
#include "libc.h"

const char *uv_redirect(const char *path, char to[PATH_MAX])
{
	return path;
}
