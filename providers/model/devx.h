/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The DevX layer's rules, as the kernel has them: which command may be sent how, and what a handle remembers.
 */
#ifndef PROVIDERS_MODEL_DEVX_H
#define PROVIDERS_MODEL_DEVX_H

#include "model.h"
#include "providers/provider.h"

#define DEVX_MAX_DESTROY 64

/* A handle: a firmware object that a create made, and the mailbox that destroys it. */
struct prov_obj {
	struct prov_obj *next, **prev; /* the device's list, model.c */
	uint32_t generation;	       /* of the device when it was made */
	uint16_t create;	       /* opcode */
	uint16_t obj_type;	       /* general objects, else 0 */
	uint32_t id, count;	       /* count > 1: a bulk of counters */
	uint8_t in[DEVX_MAX_DESTROY];
	size_t inlen;
};

/* May this command be sent as this kind, on this handle? 0 or -EINVAL. */
int devx_check(const struct prov_cmd *cmd);
/* Has the model objects of this create opcode? */
bool devx_makes(uint16_t opcode);
/* Fill the handle from a create that was answered with OK. */
void devx_handle_init(struct prov_obj *obj, const void *in, const void *out);

#endif
