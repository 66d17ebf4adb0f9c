// SPDX-License-Identifier: BSD-2-Clause
/*
 * libFuzzer target: the mailbox printer and the text reader on arbitrary bytes. What may go wrong is a read outside
 * the input (ASan), arithmetic (UBSan) and time without bound.
 *
 * The first byte picks the door: 0 a command, 1 a command and its answer (second and third byte: where the answer
 * starts), 2 one structure (second byte: which), 3 text. The rest is copied to a buffer of the exact size.
 */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <mlx5_offload/prm.h>

#include "prm/prm.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Reads the line, so that one that does not end is noticed, and keeps the read from being optimised away. */
static void put(void *ctx, const char *line)
{
	size_t *sum = ctx;

	*sum += strlen(line);
}

static uint8_t *copy_of(const uint8_t *data, size_t size)
{
	uint8_t *copy = malloc(size ? size : 1);

	if (copy)
		memcpy(copy, data, size);
	return copy;
}

static void command(const uint8_t *data, size_t size, size_t *sum)
{
	uint8_t *in = copy_of(data, size), *mask = malloc(size ? size : 1);

	if (in && mask) {
		prm_print_in(in, size, put, sum);
		prm_in_mask(in, size, mask);
	}
	free(mask);
	free(in);
}

static void answer(const uint8_t *data, size_t size, size_t *sum)
{
	size_t inlen, outlen;
	uint8_t *in, *out;

	if (size < 2)
		return;
	inlen = (size_t)(data[0] << 8 | data[1]) % (size - 1);
	outlen = size - 2 - inlen;
	in = copy_of(data + 2, inlen);
	out = copy_of(data + 2 + inlen, outlen);
	if (in && out)
		prm_print_out(in, inlen, out, outlen, put, sum);
	free(out);
	free(in);
}

static void structure(const uint8_t *data, size_t size, size_t *sum)
{
	const struct prm_layout *layouts;
	uint8_t *buf;
	size_t n;

	if (!size)
		return;
	layouts = prm_layouts(&n);
	buf = copy_of(data + 1, size - 1);
	if (buf)
		prm_print_struct(&layouts[data[0] % n], buf, size - 1, 1, put, sum);
	free(buf);
}

static void text(const uint8_t *data, size_t size, size_t *sum)
{
	uint8_t *copy = copy_of(data, size);
	char why[64];

	if (copy)
		mlxo_prm_decode_hex((const char *)copy, size, put, sum, why, sizeof(why));
	free(copy);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	size_t sum = 0;

	if (!size)
		return 0;
	switch (data[0] % 4) {
	case 0: command(data + 1, size - 1, &sum); break;
	case 1: answer(data + 1, size - 1, &sum); break;
	case 2: structure(data + 1, size - 1, &sum); break;
	default: text(data + 1, size - 1, &sum); break;
	}
	return 0;
}
