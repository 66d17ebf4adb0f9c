// SPDX-License-Identifier: BSD-2-Clause
/*
 * Runs a fuzzer once over each file of its corpus, without libFuzzer: the corpus as a test for every compiler.
 *
 * Usage: replay_NAME FOLDER. A folder without inputs is a failure, or a lost corpus would pass.
 */
#include <dirent.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define INPUT_BYTES (1 << 20) /* longer inputs are cut */

static int replay(const char *folder, const char *name)
{
	static uint8_t buf[INPUT_BYTES];
	char path[4096];
	uint8_t *data;
	size_t len;
	FILE *f;

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	f = fopen(path, "rb");
	if (!f) {
		perror(path);
		return -1;
	}
	len = fread(buf, 1, sizeof(buf), f);
	fclose(f);
	/* A block of exactly this size, so that a sanitizer sees a read past its end. */
	data = malloc(len ? len : 1);
	if (!data)
		return -1;
	memcpy(data, buf, len);
	LLVMFuzzerTestOneInput(data, len);
	free(data);
	return 0;
}

int main(int argc, char **argv)
{
	struct dirent *entry;
	size_t n = 0;
	DIR *dir;

	if (argc != 2) {
		fprintf(stderr, "usage: %s FOLDER\n", argv[0]);
		return 2;
	}
	dir = opendir(argv[1]);
	if (!dir) {
		perror(argv[1]);
		return 1;
	}
	while ((entry = readdir(dir))) {
		if (entry->d_name[0] == '.')
			continue;
		if (replay(argv[1], entry->d_name))
			return 1;
		n++;
	}
	closedir(dir);
	printf("%zu inputs replayed\n", n);
	return n ? 0 : 1;
}
