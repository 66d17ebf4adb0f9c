// SPDX-License-Identifier: BSD-2-Clause
/*
 * Print whole mailboxes: a title with the opcode or the status in words, then the fields of the layout that belongs
 * to the opcode. Two commands need a second look: general objects carry a body that their type describes, and the
 * answer to QUERY_HCA_CAP carries the capabilities of the group that the command asked for.
 */
#include "prm/print.h"

#include <errno.h>
#include <stdio.h>

#define HEADER PRM_BYTES(general_obj_in_cmd_hdr) /* shortest mailbox that a device takes */

static const struct prm_opcode_info *info_of(const uint8_t *in, size_t len)
{
	return len >= 2 ? prm_opcode_find(prm_in_opcode(in)) : NULL;
}

/* Type of a general object command; 0: another command, or cut before it. */
static uint16_t obj_type_of(const struct prm_opcode_info *info, const uint8_t *in, size_t len)
{
	return prm_general_param(info->opcode) && len >= 8 ? prm_in_op_mod(in) : 0;
}

static void note_if_short(const struct prm_printer *p, size_t len, size_t whole)
{
	if (len < whole)
		prm_line(p, 1, "(short: %zu of %zu bytes)", len, whole);
}

static void print_title(const struct prm_printer *p, const struct prm_opcode_info *info,
			const uint8_t *in, size_t len)
{
	uint16_t type = obj_type_of(info, in, len);
	const char *name = prm_obj_type_name(type);

	if (name)
		prm_line(p, 0, "%s (0x%x) %s, %zu bytes", info->name, info->opcode, name, len);
	else if (type)
		prm_line(p, 0, "%s (0x%x) object type 0x%x, %zu bytes", info->name, info->opcode,
			 type, len);
	else
		prm_line(p, 0, "%s (0x%x), %zu bytes", info->name, info->opcode, len);
}

/* Parameter and body of a general object command, behind the fields of the header. */
static void print_general(const struct prm_printer *p, const struct prm_opcode_info *info,
			  const uint8_t *in, size_t len)
{
	size_t param = PRM_OFFSET(general_obj_in_cmd_hdr, op_param) / 8;
	const struct prm_layout *body = prm_general_body(in, len);

	if (len >= HEADER)
		prm_print_fields(p, prm_general_param(info->opcode), in + param, HEADER - param, 1,
				 NULL);
	if (body) {
		prm_print_nested(p, body->name, body, in + HEADER, len - HEADER, 1);
		note_if_short(p, len, HEADER + body->bits / 8);
	} else if (len > HEADER && info->opcode <= PRM_CMD_OP_MODIFY_GENERAL_OBJECT) {
		prm_line(p, 1, "(object of unknown type: %zu bytes not shown)", len - HEADER);
	}
}

static int print_unknown(const struct prm_printer *p, const uint8_t *in, size_t len)
{
	static const char *const skip[] = {"opcode", NULL};

	if (len < 2) {
		prm_line(p, 0, "%zu bytes, too short for an opcode", len);
	} else {
		prm_line(p, 0, "unknown opcode 0x%04x, %zu bytes", prm_in_opcode(in), len);
		prm_print_fields(p, prm_layout_find("cmd_in"), in, len, 1, skip);
	}
	return -EINVAL;
}

int prm_print_in(const void *in, size_t len, prm_put_line put, void *ctx)
{
	static const char *const skip[] = {"opcode", "obj_type", "op_param", NULL};
	struct prm_printer p = {put, ctx, UINT32_MAX};
	const struct prm_opcode_info *info = info_of(in, len);

	if (!info)
		return print_unknown(&p, in, len);
	print_title(&p, info, in, len);
	prm_print_fields(&p, info->in, in, len, 1, skip);
	if (prm_general_param(info->opcode))
		print_general(&p, info, in, len);
	else
		note_if_short(&p, len, info->in->bits / 8);
	return len < HEADER ? -EINVAL : 0;
}

static void print_status(const struct prm_printer *p, const char *name, const uint8_t *out,
			 size_t len)
{
	uint8_t status;

	if (len < 8) {
		prm_line(p, 0, "%s: answer of %zu bytes, too short for a status", name, len);
		return;
	}
	status = prm_out_status(out);
	if (!status)
		prm_line(p, 0, "%s: OK, %zu bytes", name, len);
	else
		prm_line(p, 0, "%s: %s (0x%x), syndrome 0x%x: %s", name, prm_status_name(status),
			 status, prm_out_syndrome(out), prm_status_meaning(status));
}

/* What the answer carries behind its header, as far as the command tells. */
static void print_answer(const struct prm_printer *p, const struct prm_opcode_info *info,
			 const uint8_t *in, size_t inlen, const uint8_t *out, size_t outlen)
{
	const struct prm_layout *body = NULL;

	if (inlen < 8 || outlen <= HEADER)
		return;
	if (info->opcode == PRM_CMD_OP_QUERY_GENERAL_OBJECT)
		body = prm_general_object(prm_in_op_mod(in));
	else if (info->opcode == PRM_CMD_OP_QUERY_HCA_CAP)
		body = prm_cap_group(prm_in_op_mod(in) >> 1);
	if (body)
		prm_print_nested(p, body->name, body, out + HEADER, outlen - HEADER, 1);
}

/* Counters that a QUERY_FLOW_COUNTER asks for. */
static uint32_t counters_of(const struct prm_opcode_info *info, const uint8_t *in, size_t len)
{
	uint32_t n;

	if (info->opcode != PRM_CMD_OP_QUERY_FLOW_COUNTER || len < PRM_BYTES(query_flow_counter_in))
		return UINT32_MAX;
	n = (uint32_t)PRM_GET(query_flow_counter_in, in, num_of_counters);
	return n ? n : 1;
}

int prm_print_out(const void *in, size_t inlen, const void *out, size_t outlen, prm_put_line put,
		  void *ctx)
{
	static const char *const skip[] = {"status", "syndrome", "capability", NULL};
	struct prm_printer p = {put, ctx, UINT32_MAX};
	const struct prm_opcode_info *info = info_of(in, inlen);
	char name[64];

	if (!info) {
		print_status(&p, "answer to an unknown command", out, outlen);
		return -EINVAL;
	}
	snprintf(name, sizeof(name), "%s (0x%x)", info->name, info->opcode);
	print_status(&p, name, out, outlen);
	p.counters = counters_of(info, in, inlen);
	prm_print_fields(&p, info->out, out, outlen, 1, skip);
	print_answer(&p, info, in, inlen, out, outlen);
	return outlen < HEADER ? -EINVAL : 0;
}
