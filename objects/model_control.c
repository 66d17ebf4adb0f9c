// SPDX-License-Identifier: BSD-2-Clause
/* The public controls of the software ConnectX over providers/model/control.h: other words, same things. */
#include <mlx5_offload/model.h>

#include "objects/alloc.h"
#include "objects/device.h"
#include "objects/error.h"
#include "objects/model_control.h"

#include <errno.h>
#include <stdlib.h>

static const enum model_fault_kind kinds[] = {
	[MLXO_FAULT_STATUS] = MODEL_FAULT_STATUS, [MLXO_FAULT_TIMEOUT] = MODEL_FAULT_TIMEOUT,
	[MLXO_FAULT_LOST] = MODEL_FAULT_LOST,	  [MLXO_FAULT_CORRUPT] = MODEL_FAULT_CORRUPT,
	[MLXO_FAULT_FATAL] = MODEL_FAULT_FATAL,
};

obj_model_find_fn obj_model_find;

/* The model that the device is, or that somebody knows behind it. */
static const struct model_controls *model(struct mlxo_device *dev, struct prov_device **prov)
{
	const struct model_controls *found = NULL;

	*prov = dev->prov;
	if (obj_model_find && !model_of(dev->prov))
		found = obj_model_find(dev->prov, prov);
	return found ? found : &model_controls;
}

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
	struct prov_device *m;
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
	return answer(dev, model(dev, &m)->fault_set(m, &f));
}

int mlxo_model_fault_clear(struct mlxo_device *dev)
{
	struct prov_device *m;

	return answer(dev, model(dev, &m)->fault_clear(m));
}

int mlxo_model_reset(struct mlxo_device *dev)
{
	struct prov_device *m;

	return answer(dev, model(dev, &m)->reset(m));
}

int mlxo_model_advance(struct mlxo_device *dev, uint64_t until, uint64_t *now)
{
	struct prov_device *m;
	int err = model(dev, &m)->advance(m, until, now);

	if (err == -ENOTSUP && model_of(m))
		return obj_error(err,
				 "the clock of device %s cannot be moved: only one that was "
				 "opened with time=virtual has such a clock",
				 mlxo_device_name(dev));
	return answer(dev, err);
}

int mlxo_model_host(struct mlxo_device *dev, struct mlxo_model_host *host)
{
	struct prov_device *m;
	struct model_cost cost;
	int err = model(dev, &m)->cost(m, &cost);

	if (!err)
		*host = (struct mlxo_model_host){cost.open_ps, cost.byte_ps, cost.threads};
	return answer(dev, err);
}

int mlxo_model_wire_watch(struct mlxo_device *dev, mlxo_model_wire_fn fn, void *ctx)
{
	struct prov_device *m;

	return answer(dev, model(dev, &m)->wire_watch(m, fn, ctx));
}

int mlxo_model_census(struct mlxo_device *dev, struct mlxo_stat **stats, size_t *n)
{
	struct prov_device *m;
	struct model_census census;
	struct mlxo_stat *s;
	int err = model(dev, &m)->census(m, &census);

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
	struct prov_device *m;
	struct model_stat *from;
	struct mlxo_stat *s;
	size_t count;
	int err = model(dev, &m)->stats(m, &from, &count);

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
