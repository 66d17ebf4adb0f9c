// SPDX-License-Identifier: BSD-2-Clause
/*
 * The lists of layouts_*.h, opcodes.h and constants.h as data, and look-ups in them.
 *
 *	layouts[] --fields--> fields_sqc[] --sub--> layouts[]
 *	opcodes[] --in, out-> layouts[]
 *
 * Everything is constant and static: no locks, no ownership.
 */
#include "prm/prm.h"

#include <stdio.h>
#include <string.h>

/* Position of each layout in layouts[]. */
#define LAYOUT_INDEX(l) L_##l,
enum { PRM_LAYOUTS(LAYOUT_INDEX) NLAYOUTS };

static const struct prm_layout layouts[NLAYOUTS];

#define FIELD_S(l, bits)
#define FIELD_F(l, f, o, w) {#f, o, w, PRM_KIND_NUMBER, NULL},
#define FIELD_W(l, f, o, w) {#f, o, w, PRM_KIND_BYTES, NULL},
#define FIELD_K(l, f, o, w) {#f, o, w, PRM_KIND_SECRET, NULL},
#define FIELD_N(l, f, o, w, sub) {#f, o, w, PRM_KIND_NESTED, &layouts[L_##sub]},
#define FIELD_A(l, f, o, sub) {#f, o, 0, PRM_KIND_LIST, &layouts[L_##sub]},
#define FIELDS(l) PRM_LAYOUT_##l(FIELD_S, FIELD_F, FIELD_W, FIELD_K, FIELD_N, FIELD_A)
#define FIELD_TABLE(l) static const struct prm_field fields_##l[] = {FIELDS(l)};
PRM_LAYOUTS(FIELD_TABLE)

#define LAYOUT_ROW(l) {#l, PRM_##l##_bits, fields_##l, sizeof(fields_##l) / sizeof(fields_##l[0])},
static const struct prm_layout layouts[NLAYOUTS] = {PRM_LAYOUTS(LAYOUT_ROW)};

#define OPCODE_ROW(name, op, in, out, object) \
	{#name, op, &layouts[L_##in], &layouts[L_##out], object},
static const struct prm_opcode_info opcodes[] = {PRM_OPCODES(OPCODE_ROW)};

#define CONSTANT_ROW(name, value) {#name, value},
static const struct prm_named constants[] = {PRM_CONSTANTS(CONSTANT_ROW)};

const struct prm_layout *prm_layouts(size_t *n)
{
	*n = NLAYOUTS;
	return layouts;
}

const struct prm_opcode_info *prm_opcodes(size_t *n)
{
	*n = sizeof(opcodes) / sizeof(opcodes[0]);
	return opcodes;
}

const struct prm_named *prm_constants(size_t *n)
{
	*n = sizeof(constants) / sizeof(constants[0]);
	return constants;
}

const struct prm_layout *prm_layout_find(const char *name)
{
	for (size_t i = 0; i < NLAYOUTS; i++)
		if (!strcmp(layouts[i].name, name))
			return &layouts[i];
	return NULL;
}

const struct prm_opcode_info *prm_opcode_find(uint16_t opcode)
{
	for (size_t i = 0; i < sizeof(opcodes) / sizeof(opcodes[0]); i++)
		if (opcodes[i].opcode == opcode)
			return &opcodes[i];
	return NULL;
}

const char *prm_opcode_name(uint16_t opcode)
{
	static _Thread_local char unknown[8];
	const struct prm_opcode_info *info = prm_opcode_find(opcode);

	if (info)
		return info->name;
	snprintf(unknown, sizeof(unknown), "0x%04x", opcode);
	return unknown;
}

const char *prm_constant_name(const char *prefix, uint64_t value)
{
	size_t n = strlen(prefix);

	for (size_t i = 0; i < sizeof(constants) / sizeof(constants[0]); i++)
		if (constants[i].value == value && !strncmp(constants[i].name, prefix, n))
			return constants[i].name + n;
	return NULL;
}

const char *prm_obj_type_name(uint16_t obj_type)
{
	return prm_constant_name("GENERAL_OBJECT_TYPES_", obj_type);
}

const struct prm_layout *prm_general_object(uint16_t obj_type)
{
	switch (obj_type) {
	case PRM_GENERAL_OBJECT_TYPES_ENCRYPTION_KEY: return &layouts[L_encryption_key_obj];
	case PRM_GENERAL_OBJECT_TYPES_IPSEC: return &layouts[L_ipsec_obj];
	default: return NULL;
	}
}

const struct prm_layout *prm_general_param(uint16_t opcode)
{
	switch (opcode) {
	case PRM_CMD_OP_CREATE_GENERAL_OBJECT: return &layouts[L_general_obj_create_param];
	case PRM_CMD_OP_MODIFY_GENERAL_OBJECT:
	case PRM_CMD_OP_QUERY_GENERAL_OBJECT:
	case PRM_CMD_OP_DESTROY_GENERAL_OBJECT: return &layouts[L_general_obj_query_param];
	default: return NULL;
	}
}

const struct prm_layout *prm_general_body(const void *in, size_t len)
{
	uint16_t opcode;

	if (len < PRM_BYTES(general_obj_in_cmd_hdr))
		return NULL;
	opcode = prm_in_opcode(in);
	if (opcode != PRM_CMD_OP_CREATE_GENERAL_OBJECT &&
	    opcode != PRM_CMD_OP_MODIFY_GENERAL_OBJECT)
		return NULL;
	return prm_general_object(prm_in_op_mod(in));
}

const struct prm_layout *prm_cap_group(uint16_t group)
{
	switch (group) {
	case PRM_CAP_GROUP_GENERAL: return &layouts[L_cmd_hca_cap];
	case PRM_CAP_GROUP_ETHERNET: return &layouts[L_per_protocol_networking_offload_caps];
	case PRM_CAP_GROUP_FLOW_TABLE: return &layouts[L_flow_table_nic_cap];
	case PRM_CAP_GROUP_TLS: return &layouts[L_tls_cap];
	case PRM_CAP_GROUP_IPSEC: return &layouts[L_ipsec_cap];
	case PRM_CAP_GROUP_CRYPTO: return &layouts[L_crypto_cap];
	case PRM_CAP_GROUP_GENERAL_2: return &layouts[L_cmd_hca_cap_2];
	default: return NULL;
	}
}
