/* SPDX-License-Identifier: BSD-2-Clause */
/* Tests that reach a model through another provider say where it is, so that <mlx5_offload/model.h> works on it. */
#ifndef OBJECTS_MODEL_CONTROL_H
#define OBJECTS_MODEL_CONTROL_H

#include "providers/model/control.h"

/*
 * Asked for a device whose provider is not the model: its controls, to be called with *model, or NULL when it is none.
 * Set before the first device is opened. NULL, as it is: a NIC is a NIC.
 */
typedef const struct model_controls *(*obj_model_find_fn)(struct prov_device *dev,
							  struct prov_device **model);
extern obj_model_find_fn obj_model_find;

#endif
