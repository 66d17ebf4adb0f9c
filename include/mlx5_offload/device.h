/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A device: a NIC function, or the software ConnectX. Everything else is made on one.
 *
 * Names: "model", "model:profile=connectx-7,port=pair:a,time=real,…" (docs/model.md); a NIC by its verbs name "mlx5_0", PCI
 * address "0000:65:00.0" or netdev "eth4", with "mlx5:" before it or not. Thread-safe.
 */
#ifndef MLX5_OFFLOAD_DEVICE_H
#define MLX5_OFFLOAD_DEVICE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <mlx5_offload/error.h>
#include <mlx5_offload/export.h>

MLXO_BEGIN_DECLS

struct mlxo_device;

MLXO_API int mlxo_device_open(const char *name, struct mlxo_device **dev);
/* Closes services and channels first by the caller; objects that were left are destroyed. NULL is allowed. */
MLXO_API void mlxo_device_close(struct mlxo_device *dev);

/* Without options: "model", or the verbs name of a NIC. Owned by the device. */
MLXO_API const char *mlxo_device_name(const struct mlxo_device *dev);
/* Does the device answer to this netdev, verbs or PCI name? The model answers to every netdev name. */
MLXO_API bool mlxo_device_is_named(struct mlxo_device *dev, const char *name);

/*
 * Handle what has arrived: completions, timers, frames of the port. Never blocks. Returns how much was done.
 * wait() sleeps until there may be work or timeout_ms passed; in virtual time it moves the clock as far instead of
 * sleeping, and returns at once when there is no event to go to. fd() polls readable when there may be work; of queues a
 * NIC tells only when they are armed (mlxo_channel_arm(), mlxo_tls_queue_arm()). -ENOTSUP when the device has none, as in
 * virtual time; it stays the device's.
 */
MLXO_API int mlxo_device_progress(struct mlxo_device *dev);
MLXO_API int mlxo_device_wait(struct mlxo_device *dev, int timeout_ms);
MLXO_API int mlxo_device_fd(struct mlxo_device *dev);

/*
 * The device's clock, ns: the machine's monotonic clock, or the clock of a model with time=virtual, which starts at 0
 * and stands still until mlxo_model_advance(), mlxo_device_wait() or a call that waits for a command moves it.
 */
MLXO_API uint64_t mlxo_device_now(struct mlxo_device *dev);

/* Capabilities that decide what can be offloaded, from QUERY_HCA_CAP. */
struct mlxo_cap {
	const char *name; /* PRM name, "ipsec_full_offload", "log_max_dek" */
	uint64_t value;
	bool flag;	   /* a yes/no capability */
	bool needed;	   /* packet offload needs it (flags: 1; numbers: > 0) */
	const char *about; /* what it is for, in words */
};
/* Array owned by the device. */
MLXO_API const struct mlxo_cap *mlxo_device_caps(const struct mlxo_device *dev, size_t *n);
/* 0, or -EOPNOTSUPP with the missing capabilities by name in mlxo_error_last(). */
MLXO_API int mlxo_device_check_ipsec_packet(struct mlxo_device *dev, bool gcm256);

/* One number with a name, for `stats`; arrays come from *_stats() functions and belong to the caller (free()). */
struct mlxo_stat {
	const char *group; /* "commands", "firmware", "quarantined", "drops", "census" … */
	const char *name;
	uint64_t value;
	const char *about; /* may be NULL */
};
/* Library counters: commands by opcode, failed, timed out, quarantined objects by kind. -ENOMEM. */
MLXO_API int mlxo_device_stats(struct mlxo_device *dev, struct mlxo_stat **stats, size_t *n);

/* Objects in quarantine: their create, modify or destroy got no answer, so their state is unknown and they are never reused. */
struct mlxo_quarantined {
	const char *kind; /* "flow table entry" */
	uint32_t id;	  /* 0 when the device never told it */
	const char *op;	  /* command without an answer, or refused because of a parent's child */
};
MLXO_API int mlxo_device_quarantined(struct mlxo_device *dev, struct mlxo_quarantined **list,
				     size_t *n);

MLXO_END_DECLS

#endif
