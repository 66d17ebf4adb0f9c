// SPDX-License-Identifier: BSD-2-Clause
/* The public controls of the software ConnectX over providers/model/control.h: other words, same things. */
#include <mlx5_offload/model.h>

#include "objects/alloc.h"
#include "objects/device.h"
#include "objects/error.h"
#include "providers/model/control.h"

#include <errno.h>
#include <stdlib.h>

static const enum model_fault_kind kinds[] = {
	[MLXO_FAULT_STATUS] = MODEL_FAULT_STATUS, [MLXO_FAULT_TIMEOUT] = MODEL_FAULT_TIMEOUT,
	[MLXO_FAULT_LOST] = MODEL_FAULT_LOST,	  [MLXO_FAULT_CORRUPT] = MODEL_FAULT_CORRUPT,
	[MLXO_FAULT_FATAL] = MODEL_FAULT_FATAL,
};

/* Put what the model answered in words. */
static int answer(struct mlxo_device *dev, int err)
{
	switch (err) {
	case 0: return 0;
	case -ENOTSUP: return obj_error(err, "device %s is not a model", mlxo_device_name(dev));
	case -ENOSPC:
		return obj_error(err, "%d faults are set already: clear them first",
				 MODEL_MAX_FAULTS);
	case -ENOMEM: return obj_error_nomem("the model's numbers");
	default: return obj_error(err, "the model refused this control");
	}
}

int mlxo_model_fault_set(struct mlxo_device *dev, enum mlxo_fault kind, uint64_t nth,
			 uint16_t opcode, uint8_t status, uint32_t syndrome)
{
	struct model_fault f = {
		.nth = nth, .opcode = opcode, .status = status, .syndrome = syndrome};

	if (kind < MLXO_FAULT_STATUS || kind > MLXO_FAULT_FATAL)
		return obj_error(-EINVAL, "fault kind %d: %d..%d are known", kind,
				 MLXO_FAULT_STATUS, MLXO_FAULT_FATAL);
	if (nth == 0)
		return obj_error(-EINVAL, "fault of command number 0: the next one is number 1");
	if (kind == MLXO_FAULT_STATUS && !prm_status_errno(status))
		return obj_error(-EINVAL, "fault with status 0x%x: an error status is needed",
				 status);
	f.kind = kinds[kind];
	return answer(dev, model_fault_set(dev->prov, &f));
}

int mlxo_model_fault_clear(struct mlxo_device *dev)
{
	return answer(dev, model_fault_clear(dev->prov));
}

int mlxo_model_reset(struct mlxo_device *dev)
{
	return answer(dev, model_reset(dev->prov));
}

int mlxo_model_advance(struct mlxo_device *dev, uint64_t until, uint64_t *now)
{
	int err = model_advance(dev->prov, until, now);

	if (err == -ENOTSUP && model_of(dev->prov))
		return obj_error(err,
				 "the clock of device %s cannot be moved: only one that was "
				 "opened with time=virtual has such a clock",
				 mlxo_device_name(dev));
	return answer(dev, err);
}

int mlxo_model_host(struct mlxo_device *dev, struct mlxo_model_host *host)
{
	struct model_cost cost;
	int err = model_cost(dev->prov, &cost);

	if (!err)
		*host = (struct mlxo_model_host){cost.open_ps, cost.byte_ps, cost.threads};
	return answer(dev, err);
}

int mlxo_model_wire_watch(struct mlxo_device *dev, mlxo_model_wire_fn fn, void *ctx)
{
	return answer(dev, model_wire_watch(dev->prov, fn, ctx));
}

int mlxo_model_census(struct mlxo_device *dev, struct mlxo_stat **stats, size_t *n)
{
	struct model_census census;
	struct mlxo_stat *s;
	int err = model_census(dev->prov, &census);

	*stats = NULL;
	*n = 0;
	if (err)
		return answer(dev, err);
	s = mlxo_calloc(MODEL_NTYPES, sizeof(*s));
	if (!s)
		return answer(dev, -ENOMEM);
	for (int type = 0; type < MODEL_NTYPES; type++)
		s[type] = (struct mlxo_stat){"census", model_type_name((enum model_type)type),
					     census.count[type], NULL};
	*stats = s;
	*n = MODEL_NTYPES;
	return 0;
}

int mlxo_model_stats(struct mlxo_device *dev, struct mlxo_stat **stats, size_t *n)
{
	struct model_stat *from;
	struct mlxo_stat *s;
	size_t count;
	int err = model_stats(dev->prov, &from, &count);

	*stats = NULL;
	*n = 0;
	if (err)
		return answer(dev, err);
	s = mlxo_calloc(count + 1, sizeof(*s));
	for (size_t i = 0; s && i < count; i++)
		s[i] = (struct mlxo_stat){from[i].group, from[i].name, from[i].value,
					  from[i].about};
	free(from);
	if (!s)
		return answer(dev, -ENOMEM);
	*stats = s;
	*n = count;
	return 0;
}
