// SPDX-License-Identifier: BSD-2-Clause
/*
 * Which bits of a structure or of a command mean something. The rest is reserved: a driver writes 0 there, and the
 * model refuses a command that does not.
 */
#include "prm/prm.h"

#include <errno.h>
#include <string.h>

/* Set the bits [off, off + width) as far as the mask goes. */
static void set_bits(uint8_t *mask, size_t bytes, size_t off, size_t width)
{
	for (; width && off / 8 < bytes; off++, width--)
		mask[off / 8] |= (uint8_t)(0x80 >> off % 8);
}

static void mask_at(const struct prm_layout *layout, uint8_t *mask, size_t bytes, size_t base)
{
	for (uint32_t i = 0; i < layout->nfields; i++) {
		const struct prm_field *f = &layout->fields[i];

		if (f->kind == PRM_KIND_NESTED)
			mask_at(f->sub, mask, bytes, base + f->offset);
		else if (f->kind == PRM_KIND_LIST)
			set_bits(mask, bytes, base + f->offset, SIZE_MAX);
		else
			set_bits(mask, bytes, base + f->offset, f->width);
	}
}

void prm_field_mask(const struct prm_layout *layout, uint8_t *mask, size_t bytes)
{
	mask_at(layout, mask, bytes, 0);
}

/* Header, parameter by operation, body by type. */
static void general_mask(const struct prm_opcode_info *info, const void *in, uint8_t *mask,
			 size_t len)
{
	const struct prm_layout *body = prm_general_body(in, len);
	size_t param = PRM_OFFSET(general_obj_in_cmd_hdr, op_param);

	mask_at(info->in, mask, param / 8, 0);
	mask_at(prm_general_param(info->opcode), mask, len, param);
	if (body)
		mask_at(body, mask, len, PRM_general_obj_in_cmd_hdr_bits);
}

int prm_in_mask(const void *in, size_t len, uint8_t *mask)
{
	const struct prm_opcode_info *info;

	memset(mask, 0, len);
	if (len < PRM_BYTES(general_obj_in_cmd_hdr))
		return -EINVAL;
	info = prm_opcode_find(prm_in_opcode(in));
	if (!info)
		return -EINVAL;
	set_bits(mask, len, 0x10, 16); /* uid: in every command */
	if (prm_general_param(info->opcode))
		general_mask(info, in, mask, len);
	else
		mask_at(info->in, mask, len, 0);
	if (info->opcode == PRM_CMD_OP_ALLOC_PACKET_REFORMAT_CONTEXT)
		set_bits(mask, len, PRM_alloc_packet_reformat_context_in_bits, SIZE_MAX);
	return 0;
}
