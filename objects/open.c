// SPDX-License-Identifier: BSD-2-Clause
/* Opening a device by its name: the only place above the seam that knows which providers there are. */
#include "objects/device.h"
#include "objects/error.h"

#include <string.h>

int mlxo_device_open(const char *name, struct mlxo_device **out)
{
	struct prov_device *prov;
	char why[256] = "";
	int err = prov_open(name, &prov, why, sizeof(why));

	*out = NULL;
	if (err)
		return obj_error(err, "%s", *why ? why : strerror(-err));
	return obj_device_open_on(prov, out);
}
