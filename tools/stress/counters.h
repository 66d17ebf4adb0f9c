/* SPDX-License-Identifier: BSD-2-Clause */
/* What the device and the library have counted up to now; two of them are a window. */
#ifndef TOOLS_STRESS_COUNTERS_H
#define TOOLS_STRESS_COUNTERS_H

#include <mlx5_offload/mlx5_offload.h>

enum { STRESS_OPCODES = 48 };

struct stress_counters {
	uint64_t now; /* ns of the device */
	uint64_t
		commands; /* that reached the device: the model's own count; of a NIC, those sent */
	uint64_t firmware_ns; /* their service time */
	uint64_t wire_ns;     /* time=virtual: of the frames sent */
	uint64_t syncs;	      /* SYNC_CRYPTO */
	uint64_t
		encrypted; /* bytes of records that the device encrypted, those sent again included */
	uint64_t gets, empty; /* of the pools' caches: taken, and found empty */
	uint64_t busy_ps;     /* of host threads: simulated, or CPU time of the process */
	unsigned int nops;
	struct {
		const char *name; /* static */
		uint64_t n;
	} op[STRESS_OPCODES];
};

/* 0 or -errno. engine may be NULL. now and busy_ps are the caller's. */
int stress_counters_read(struct mlxo_device *dev, struct mlxo_tls_engine *engine,
			 struct stress_counters *c);
/* How often the opcode came between two readings; i: of `to`. */
uint64_t stress_counters_op(const struct stress_counters *from, const struct stress_counters *to,
			    unsigned int i);

#endif
