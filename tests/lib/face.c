// SPDX-License-Identifier: BSD-2-Clause
#include "face.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define SANITIZED 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer) || \
	__has_feature(memory_sanitizer)
#define SANITIZED 1
#endif
#endif

bool face_preload(char **argv, const char *model)
{
#ifdef SANITIZED
	printf("sanitizer build: the preloaded model is tested in the plain one\n");
	return false;
#else
	const char *build = getenv("MLXO_BUILD");
	char census[] = "/tmp/mlx5-face-census.XXXXXX";
	char library[4096];

	if (getenv("MLXO_MODEL_CENSUS"))
		return true;
	if (!build) {
		fprintf(stderr, "MLXO_BUILD is not set\n");
		exit(1);
	}
	if (close(mkstemp(census))) {
		perror(census);
		exit(1);
	}
	snprintf(library, sizeof(library), "%s/libmlx5-model-uverbs.so", build);
	setenv("LD_PRELOAD", library, 1);
	setenv("MLXO_MODEL", model, 1);
	setenv("MLXO_MODEL_CENSUS", census, 1);
	execv("/proc/self/exe", argv);
	perror("/proc/self/exe");
	exit(1);
#endif
}

/* Lines of the census that do not have all of these words. -1: there is no line. */
static int lines_without(const char *first, const char *second)
{
	FILE *f = fopen(getenv("MLXO_MODEL_CENSUS"), "r");
	char line[4096];
	int n = 0, bad = 0;

	if (!f)
		return -1;
	while (fgets(line, sizeof(line), f)) {
		n++;
		if (!strstr(line, first) || !strstr(line, second)) {
			fprintf(stderr, "census: %s", line);
			bad++;
		}
	}
	fclose(f);
	return n ? bad : -1;
}

int face_census_bad(void)
{
	return lines_without("\"left\": {}", "\"live\": {}");
}

int face_census_live(void)
{
	return lines_without("\"live\": {}", "\"device\"");
}
