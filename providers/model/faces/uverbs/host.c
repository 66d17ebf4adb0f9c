// SPDX-License-Identifier: BSD-2-Clause
/*
 * The RDMA devices of the host. MLXO_MODEL_SHOW=only (or nothing): the program does not see them. both: they are in its
 * tree, under their own names, and the model's numbers begin behind theirs:
 *
 *	mlx5_0  uverbs0		the host's: links in the tree, opened by the kernel
 *	mlx5_1  uverbs1		the model's first card
 */
#include "uverbs.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define VERBS "/sys/class/infiniband_verbs"
#define DEVICES "/sys/class/infiniband"

unsigned int uv_first;

/* One more than the highest N of the names prefixN there; 0: none. */
static unsigned int behind(const char *dir, const char *prefix)
{
	DIR *d = opendir(dir);
	unsigned int first = 0, number;
	const struct dirent *e;
	char rest;

	while (d && (e = readdir(d)))
		if (strncmp(e->d_name, prefix, strlen(prefix)) == 0 &&
		    sscanf(e->d_name + strlen(prefix), "%u%c", &number, &rest) == 1 &&
		    number >= first)
			first = number + 1;
	if (d)
		closedir(d);
	return first;
}

int uv_host_init(char *why, size_t whylen)
{
	const char *show = getenv("MLXO_MODEL_SHOW");
	unsigned int devices;

	if (!show || !*show || strcmp(show, "only") == 0)
		return 0;
	if (strcmp(show, "both") != 0) {
		snprintf(why, whylen, "MLXO_MODEL_SHOW=%s: allowed are only, both", show);
		return -EINVAL;
	}
	uv_first = behind(VERBS, "uverbs");
	devices = behind(DEVICES, "mlx5_");
	if (devices > uv_first)
		uv_first = devices;
	return 0;
}

/* With a root that is empty still, so that these are the host's own directories. */
void uv_host_list(void (*found)(void *ctx, const char *path), void *ctx)
{
	static const char *const dirs[] = {VERBS, DEVICES, "/sys/bus/pci/devices"};
	const struct dirent *e;
	char path[512];

	for (size_t i = 0; uv_first && i < sizeof(dirs) / sizeof(*dirs); i++) {
		DIR *dir = opendir(dirs[i]);

		while (dir && (e = readdir(dir)))
			if (e->d_name[0] != '.' && strcmp(e->d_name, "abi_version") != 0 &&
			    snprintf(path, sizeof(path), "%s/%s", dirs[i], e->d_name) <
				    (int)sizeof(path))
				found(ctx, path);
		if (dir)
			closedir(dir);
	}
}
