/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Controls of the software ConnectX: faults, reset, census, statistics. What the public <mlx5_offload/model.h> wraps;
 * a test that has a struct model_dev without a provider around it uses the _dev_ forms. Thread-safe.
 */
#ifndef PROVIDERS_MODEL_CONTROL_H
#define PROVIDERS_MODEL_CONTROL_H

#include "model.h"
#include "providers/provider.h"

/* -- parsing (fault.c) ---------------------------------------------------------------------------------- */

/* "10ns", "9.9us", "1ms", "2s": 0 or -EINVAL. */
int model_time_parse(const char *text, uint64_t *ns);
/* Opcode by its PRM name of len characters: 0 or -EINVAL. */
int model_opcode_parse(const char *name, size_t len, uint16_t *opcode);
/* The text form of a fault (fault.c): 0, -EINVAL or -ENOMEM. */
int model_fault_parse(const char *text, struct model_fault *f);

/* -- on a device without a provider ---------------------------------------------------------------------- */

/* 0, or -ENOSPC when MODEL_MAX_FAULTS are waiting. f->seen is not read. */
int model_dev_fault_set(struct model_dev *dev, const struct model_fault *f);
void model_dev_fault_clear(struct model_dev *dev);
/* firmware.c, with the firmware's lock: is this command to fail? Counts it for every fault that is set. */
bool model_fault_match(struct model_dev *dev, uint16_t opcode, struct model_fault *hit);

/* Objects of programs (uid not 0) by type; of the function's owner (root tables, attachments) in kernel[]. NULL: not wanted. */
struct model_census {
	uint32_t count[MODEL_NTYPES];
	uint32_t kernel[MODEL_NTYPES];
};
void model_dev_census(struct model_dev *dev, struct model_census *census);

/* One number of the model's own: group ("commands", "firmware", "drops", "wire", "crypto", "tls"), name, value, meaning or NULL. */
struct model_stat {
	const char *group, *name;
	uint64_t value;
	const char *about;
};
/* Only opcodes and reasons that are not 0. free() the array. -ENOMEM. */
int model_dev_stats(struct model_dev *dev, struct model_stat **stats, size_t *n);

/* -- on the provider's device (control.c) ------------------------------------------------------------------ */

/* The model inside; NULL when the device is of another provider. */
struct model_dev *model_of(struct prov_device *dev);

int model_fault_set(struct prov_device *dev, const struct model_fault *f);
int model_fault_clear(struct prov_device *dev);
/* Power-on state: objects of all users gone, device alive, faults cleared; older handles can only be destroyed. */
int model_reset(struct prov_device *dev);
int model_census(struct prov_device *dev, struct model_census *census);
int model_stats(struct prov_device *dev, struct model_stat **stats, size_t *n);
/*
 * time=virtual only: do what is due at the present time; if there was nothing, move the clock to the next event or to
 * `until`, whichever is earlier, and do what is due then. *now receives the clock. -ENOTSUP in another time mode.
 */
int model_advance(struct prov_device *dev, uint64_t until, uint64_t *now);
/* What fn sees: every frame that leaves, in every time mode. NULL: nobody. Not while a queue is in use. */
int model_wire_watch(struct prov_device *dev, model_wire_fn fn, void *ctx);
/* What work of the host costs, as the device name says: for simulators, the model does not use it. */
struct model_cost {
	uint64_t open_ps, byte_ps; /* per connection, per byte */
	unsigned int threads;
};
int model_cost(struct prov_device *dev, struct model_cost *cost);
/* Each returns -ENOTSUP on another provider's device. */

/* All of them, for who reaches a model of another copy of this code (faces/uverbs/control.h). */
struct model_controls {
	int (*fault_set)(struct prov_device *dev, const struct model_fault *f);
	int (*fault_clear)(struct prov_device *dev);
	int (*reset)(struct prov_device *dev);
	int (*census)(struct prov_device *dev, struct model_census *census);
	int (*stats)(struct prov_device *dev, struct model_stat **stats, size_t *n);
	int (*advance)(struct prov_device *dev, uint64_t until, uint64_t *now);
	int (*wire_watch)(struct prov_device *dev, model_wire_fn fn, void *ctx);
	int (*cost)(struct prov_device *dev, struct model_cost *cost);
};
extern const struct model_controls model_controls;

#endif
