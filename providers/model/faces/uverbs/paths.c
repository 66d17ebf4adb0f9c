// SPDX-License-Identifier: BSD-2-Clause
/*
 * Paths of sysfs that programs have built in, led into our tree:
 *
 *   /sys/class/infiniband, /sys/class/infiniband_verbs and what is below
 *   /sys/class/net/IF/device         IF: the netdev of a card
 *   /sys/bus/pci/devices/ADDRESS     ADDRESS: a card's
 *
 * libibverbs itself follows SYSFS_PATH and needs none of this.
 */
#include "uverbs.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "libc.h"

char uv_root[PATH_MAX]; /* "": there is no tree */

/* What follows prefix in path, if that is the whole of it or a '/'; NULL: another path. */
static const char *below(const char *path, const char *prefix)
{
	size_t n = strlen(prefix);

	return strncmp(path, prefix, n) == 0 && (!path[n] || path[n] == '/') ? path + n : NULL;
}

static const char *of_card(const struct uv_card *card, const char *path)
{
	char prefix[96];
	const char *rest = NULL;

	if (card->netdev[0]) {
		snprintf(prefix, sizeof(prefix), "/sys/class/net/%s/device", card->netdev);
		rest = below(path, prefix);
	}
	if (!rest) {
		snprintf(prefix, sizeof(prefix), "/sys/bus/pci/devices/0000:%02x:00.0",
			 UV_FIRST_BUS + card->index);
		rest = below(path, prefix);
	}
	return rest;
}

const char *uv_redirect(const char *path, char to[PATH_MAX])
{
	if (!path || !uv_root[0] || strncmp(path, "/sys/", 5) != 0)
		return path;
	if (below(path, "/sys/class/infiniband") || below(path, "/sys/class/infiniband_verbs")) {
		if (snprintf(to, PATH_MAX, "%s%s", uv_root, path + strlen("/sys")) < PATH_MAX)
			return to;
	}
	for (unsigned int i = 0; i < uv_ncards; i++) {
		const char *rest = of_card(&uv_cards[i], path);

		if (rest && snprintf(to, PATH_MAX, "%s/devices/pci0000:00/0000:%02x:00.0%s",
				     uv_root, UV_FIRST_BUS + i, rest) < PATH_MAX)
			return to;
	}
	return path;
}

PUBLIC FILE *fopen(const char *path, const char *mode)
{
	char to[PATH_MAX];

	return REAL(fopen)(uv_redirect(path, to), mode);
}

PUBLIC FILE *fopen64(const char *path, const char *mode)
{
	char to[PATH_MAX];

	return REAL(fopen64)(uv_redirect(path, to), mode);
}

PUBLIC DIR *opendir(const char *path)
{
	char to[PATH_MAX];

	return REAL(opendir)(uv_redirect(path, to));
}

PUBLIC int scandir(const char *path, struct dirent ***list, int (*want)(const struct dirent *),
		   int (*order)(const struct dirent **, const struct dirent **))
{
	char to[PATH_MAX];

	return REAL(scandir)(uv_redirect(path, to), list, want, order);
}

PUBLIC ssize_t readlink(const char *path, char *buf, size_t n)
{
	char to[PATH_MAX];

	return REAL(readlink)(uv_redirect(path, to), buf, n);
}

PUBLIC char *realpath(const char *path, char *resolved)
{
	char to[PATH_MAX];

	return REAL(realpath)(uv_redirect(path, to), resolved);
}
