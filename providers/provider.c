// SPDX-License-Identifier: BSD-2-Clause
/* Choosing a provider by device name: "model" and "model:..." are the model's, every other name is a NIC's. */
#include "provider.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

int prov_open(const char *spec, struct prov_device **dev, char *why, size_t whylen)
{
	*dev = NULL;
	if (strcmp(spec, "model") == 0 || strncmp(spec, "model:", 6) == 0)
		return model_prov_ops.open(spec, dev, why, whylen);
#ifdef MLXO_MLX5
	return mlx5_prov_ops.open(spec, dev, why, whylen);
#else
	snprintf(why, whylen,
		 "device '%s': this build drives 'model' and 'model:OPTIONS' only, as it was built "
		 "without libibverbs and libmlx5",
		 spec);
	return -ENODEV;
#endif
}
