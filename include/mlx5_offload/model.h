/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Controls of the software ConnectX: faults, reset, census, its own counters. All return -ENOTSUP on a real NIC.
 * What the model counts is what the device did, not what the library believes.
 */
#ifndef MLX5_OFFLOAD_MODEL_H
#define MLX5_OFFLOAD_MODEL_H

#include <mlx5_offload/device.h>

MLXO_BEGIN_DECLS

enum mlxo_fault {
	MLXO_FAULT_STATUS = 1, /* refused with status and syndrome, nothing done */
	MLXO_FAULT_TIMEOUT,    /* not done, no answer */
	MLXO_FAULT_LOST,       /* done, but the answer is lost */
	MLXO_FAULT_CORRUPT,    /* done, answer with an unknown status */
	MLXO_FAULT_FATAL,      /* the device dies with this command */
};

/* Let the nth (1 = next) command, or the nth of one opcode (0 = any), fail. */
MLXO_API int mlxo_model_fault_set(struct mlxo_device *dev, enum mlxo_fault kind, uint64_t nth,
				  uint16_t opcode, uint8_t status, uint32_t syndrome);
MLXO_API int mlxo_model_fault_clear(struct mlxo_device *dev);
/* Back to power-on: every object is gone; handles that are left fail with -EIO and can be destroyed. */
MLXO_API int mlxo_model_reset(struct mlxo_device *dev);
/* Objects by type, those of programs only (not the model's own root tables). free() the array. */
MLXO_API int mlxo_model_census(struct mlxo_device *dev, struct mlxo_stat **stats, size_t *n);
/* Commands by opcode, firmware time, drops by reason, wire and key-cache counters. free() the array. */
MLXO_API int mlxo_model_stats(struct mlxo_device *dev, struct mlxo_stat **stats, size_t *n);
/* Two models of this process answer each other's frames: progress() of each must be called. */

MLXO_END_DECLS

#endif
