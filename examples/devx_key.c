// SPDX-License-Identifier: BSD-2-Clause
/*
 * A program that knows nothing of this project: a key in the NIC by DevX, with libibverbs and libmlx5 only. It runs on a
 * NIC, and without a change on the model:
 *
 *	cc devx_key.c -o devx_key -libverbs -lmlx5
 *	mlx5-offload-tool model run -- ./devx_key
 *	mlx5-offload-tool model run --trace mailboxes -- ./devx_key	what was asked, and what firmware said
 */
#include <endian.h>
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <infiniband/mlx5dv.h>
#include <infiniband/verbs.h>

enum { ALLOC_PD = 0x800, CREATE_GENERAL_OBJECT = 0xa00, KEY_OBJECT = 0xc, HEADER = 16, BODY = 512 };

/* Mailboxes are big-endian; a field of up to 32 bits lies within one word. bit: from the mailbox's start. */
static void put(void *mailbox, unsigned int bit, unsigned int width, uint32_t value)
{
	uint32_t word, *at = (uint32_t *)mailbox + bit / 32;

	word = be32toh(*at);
	word |= value << (32 - bit % 32 - width);
	*at = htobe32(word);
}

static uint32_t get(const void *mailbox, unsigned int bit, unsigned int width)
{
	uint32_t word = be32toh(((const uint32_t *)mailbox)[bit / 32]);

	return word >> (32 - bit % 32 - width) & (uint32_t)((UINT64_C(1) << width) - 1);
}

static struct mlx5dv_devx_obj *create(struct ibv_context *ctx, const char *what, void *in,
				      size_t inlen, uint32_t out[4])
{
	struct mlx5dv_devx_obj *obj = mlx5dv_devx_obj_create(ctx, in, inlen, out, 16);

	if (obj)
		printf("%s: created, number 0x%x\n", what, be32toh(out[2]));
	else
		printf("%s: %s, status 0x%x, syndrome 0x%x\n", what, strerror(errno),
		       get(out, 0, 8), be32toh(out[1]));
	return obj;
}

/* key_size: 0 is 128 bits, 1 is 256; purpose: 1 is TLS, 2 is IPsec. */
static struct mlx5dv_devx_obj *create_key(struct ibv_context *ctx, const char *what, uint32_t pd,
					  uint32_t key_size)
{
	uint32_t in[(HEADER + BODY) / 4] = {0}, out[4] = {0};
	uint8_t *body = (uint8_t *)in + HEADER;

	put(in, 0, 16, CREATE_GENERAL_OBJECT);
	put(in, 0x30, 16, KEY_OBJECT);
	put(body, 0x54, 4, key_size);
	put(body, 0x5c, 4, 2);
	put(body, 0x68, 24, pd);
	memset(body + 0x200 / 8 + 16, 0x5a,
	       16); /* of 32 bytes; a short key lies in the second half */
	return create(ctx, what, in, sizeof(in), out);
}

int main(void)
{
	struct mlx5dv_context_attr attr = {.flags = MLX5DV_CONTEXT_FLAGS_DEVX};
	struct ibv_device **list = ibv_get_device_list(NULL);
	struct ibv_context *ctx = list && *list ? mlx5dv_open_device(*list, &attr) : NULL;
	uint32_t in[4] = {0}, out[4] = {0};
	struct mlx5dv_devx_obj *pd, *key = NULL;

	if (!ctx) {
		fprintf(stderr, "no mlx5 device that takes DevX commands\n");
		return 1;
	}
	printf("device %s\n", ibv_get_device_name(ctx->device));
	put(in, 0, 16, ALLOC_PD);
	pd = create(ctx, "PD", in, sizeof(in), out);
	if (pd) {
		key = create_key(ctx, "key of 128 bits", be32toh(out[2]), 0);
		if (create_key(ctx, "key of a size that there is not", be32toh(out[2]), 7))
			return 1;
	}
	if (key)
		mlx5dv_devx_obj_destroy(key);
	if (pd)
		mlx5dv_devx_obj_destroy(pd);
	ibv_close_device(ctx);
	ibv_free_device_list(list);
	return key ? 0 : 1;
}
