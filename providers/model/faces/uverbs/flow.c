// SPDX-License-Identifier: BSD-2-Clause
/* Flow matchers and rules under the NIC's root: none yet. */
#include "uverbs.h"

const struct uv_method uv_flow_methods[] = {{0}};
