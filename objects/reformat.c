// SPDX-License-Identifier: BSD-2-Clause
/*
 * ALLOC_PACKET_REFORMAT_CONTEXT: the header to add lies in the command, behind the context, from byte 34 on; the
 * command is as long as its data, in whole 32-bit words, and at least its fixed part.
 */
#include "objects/reformat.h"
#include "objects/alloc.h"
#include "objects/device.h"
#include "objects/error.h"

#include <errno.h>
#include <string.h>

#define CONTEXT PRM_OFFSET(alloc_packet_reformat_context_in, packet_reformat_context)
#define DATA_AT ((CONTEXT + PRM_OFFSET(packet_reformat_context_in, reformat_data)) / 8)

/* Bytes 0-3: SPI; the rest is filled in by the device. reformat_param_0: ICV length in units of 4 bytes. */
enum { ESP_DATA = 16, ESP_ICV_WORDS = 4 };

static size_t command_bytes(size_t data)
{
	size_t n = (DATA_AT + data + 3) & ~(size_t)3;

	return n < PRM_BYTES(alloc_packet_reformat_context_in)
		       ? PRM_BYTES(alloc_packet_reformat_context_in)
		       : n;
}

int obj_reformat_create(struct mlxo_device *dev, const struct obj_reformat_attr *attr,
			struct obj_reformat *reformat)
{
	uint8_t out[PRM_BYTES(alloc_packet_reformat_context_out)], *in, *ctx;
	size_t inlen = command_bytes(attr->len);
	struct obj_create *c;
	int err;

	memset(reformat, 0, sizeof(*reformat));
	if (attr->len > obj_cap(dev, OBJ_CAP_max_encap_header_size))
		return obj_error(
			-EINVAL, "header of %zu bytes to add: the device takes at most %llu",
			attr->len, (unsigned long long)obj_cap(dev, OBJ_CAP_max_encap_header_size));
	in = mlxo_calloc(1, inlen);
	if (!in)
		return obj_error_nomem("a packet reformat command");
	PRM_SET(alloc_packet_reformat_context_in, in, opcode,
		PRM_CMD_OP_ALLOC_PACKET_REFORMAT_CONTEXT);
	ctx = PRM_AT(alloc_packet_reformat_context_in, in, packet_reformat_context);
	PRM_SET(packet_reformat_context_in, ctx, reformat_type, attr->type);
	PRM_SET(packet_reformat_context_in, ctx, reformat_param_0, attr->param_0);
	PRM_SET(packet_reformat_context_in, ctx, reformat_data_size, attr->len);
	if (attr->len)
		memcpy(in + DATA_AT, attr->data, attr->len);
	c = OBJ_CREATE(OBJ_REFORMAT, out, out, alloc_packet_reformat_context_out,
		       packet_reformat_id);
	c->in = in;
	c->inlen = inlen;
	err = obj_create(dev, c, &reformat->obj);
	mlxo_free(in);
	return err;
}

int obj_reformat_create_add_esp(struct mlxo_device *dev, bool ipv6, uint32_t spi,
				struct obj_reformat *reformat)
{
	uint8_t data[ESP_DATA] = {(uint8_t)(spi >> 24), (uint8_t)(spi >> 16), (uint8_t)(spi >> 8),
				  (uint8_t)spi};
	struct obj_reformat_attr attr = {
		.type = ipv6 ? PRM_REFORMAT_TYPE_ADD_ESP_TRANSPORT_OVER_IPV6
			     : PRM_REFORMAT_TYPE_ADD_ESP_TRANSPORT_OVER_IPV4,
		.param_0 = ESP_ICV_WORDS,
		.data = data,
		.len = sizeof(data),
	};

	return obj_reformat_create(dev, &attr, reformat);
}

int obj_reformat_create_del_esp(struct mlxo_device *dev, struct obj_reformat *reformat)
{
	struct obj_reformat_attr attr = {.type = PRM_REFORMAT_TYPE_DEL_ESP_TRANSPORT};

	return obj_reformat_create(dev, &attr, reformat);
}

int obj_reformat_destroy(struct mlxo_device *dev, struct obj_reformat *reformat)
{
	return obj_destroy(dev, &reformat->obj);
}
