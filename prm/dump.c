// SPDX-License-Identifier: BSD-2-Clause
/*
 * The tables as text, for checks against other descriptions of the device (public, see mlx5_offload/prm.h).
 */
#include <mlx5_offload/prm.h>

#include <stdio.h>

#include "prm/prm.h"

int mlxo_prm_dump(mlxo_prm_line_fn put, void *ctx)
{
	const struct prm_layout *layouts;
	char line[256];
	size_t n;

	layouts = prm_layouts(&n);
	for (size_t i = 0; i < n; i++) {
		const struct prm_layout *l = &layouts[i];

		snprintf(line, sizeof(line), "%s\t(size)\t0x0\t0x%x", l->name, l->bits);
		put(ctx, line);
		for (uint32_t j = 0; j < l->nfields; j++) {
			snprintf(line, sizeof(line), "%s\t%s\t0x%x\t0x%x", l->name,
				 l->fields[j].name, l->fields[j].offset, l->fields[j].width);
			put(ctx, line);
		}
	}
	return 0;
}

int mlxo_prm_constants(mlxo_prm_line_fn put, void *ctx)
{
	const struct prm_opcode_info *opcodes;
	const struct prm_named *constants;
	char line[256];
	size_t n;

	opcodes = prm_opcodes(&n);
	for (size_t i = 0; i < n; i++) {
		snprintf(line, sizeof(line), "MLX5_CMD_OP_%s\t0x%x", opcodes[i].name,
			 opcodes[i].opcode);
		put(ctx, line);
	}
	constants = prm_constants(&n);
	for (size_t i = 0; i < n; i++) {
		snprintf(line, sizeof(line), "MLX5_%s\t0x%llx", constants[i].name,
			 (unsigned long long)constants[i].value);
		put(ctx, line);
	}
	return 0;
}
