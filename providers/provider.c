// SPDX-License-Identifier: BSD-2-Clause
/* Choosing a provider by device name. */
#include "provider.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

int prov_open(const char *spec, struct prov_device **dev, char *why, size_t whylen)
{
	*dev = NULL;
	if (strcmp(spec, "model") == 0 || strncmp(spec, "model:", 6) == 0)
		return model_prov_ops.open(spec, dev, why, whylen);
	snprintf(why, whylen,
		 "device '%s' is not known: this build drives 'model' and 'model:OPTIONS' only",
		 spec);
	return -ENODEV;
}
