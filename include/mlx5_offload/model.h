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

/*
 * One step of a model that was opened with time=virtual (-ENOTSUP otherwise). Does what is due at the present time:
 * commands, completions of sent frames, timers, frames that came in. If there was nothing, moves the clock to the device's next event
 * or to `until`, whichever is earlier, and does what is due then. At most one step, so that a simulator can put its own
 * events in between; the clock never goes back, an `until` of the past only does what is due.
 * until: ns of mlxo_device_now(); *now receives the clock. To get to a time of its own, a simulator calls it until
 * *now is that time. Not from a callback of the device. From several threads it works, but is not reproducible.
 */
MLXO_API int mlxo_model_advance(struct mlxo_device *dev, uint64_t until, uint64_t *now);

/* What work of the host costs, for simulators: "host=open:2us;byte:0.4ns;threads:4" of the device name (the default). */
struct mlxo_model_host {
	uint64_t open_ps;     /* per connection that is opened, ps */
	uint64_t byte_ps;     /* per byte that the host encrypts or copies, ps */
	unsigned int threads; /* that do such work, 1..1024 */
};
/* The model itself does not use it. */
MLXO_API int mlxo_model_host(struct mlxo_device *dev, struct mlxo_model_host *host);

/*
 * fn is called for every frame that leaves through the port and is not lost on request (port drop=), in every time
 * mode. when: ns of mlxo_device_now() at which the last bit of the frame is on the wire; only in virtual time do frames
 * take time there. The frame is valid during the call. It comes in the thread that rang the doorbell, while locks of
 * the device are held: fn must not call the library. One watcher; NULL removes it. Watchers change only while no queue
 * of the device is in use.
 */
typedef void (*mlxo_model_wire_fn)(void *ctx, uint64_t when, const uint8_t *frame, size_t len);
MLXO_API int mlxo_model_wire_watch(struct mlxo_device *dev, mlxo_model_wire_fn fn, void *ctx);

/* Two models of this process answer each other's frames: progress() of each must be called. */

MLXO_END_DECLS

#endif
