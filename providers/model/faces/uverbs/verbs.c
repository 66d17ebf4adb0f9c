// SPDX-License-Identifier: BSD-2-Clause
/* Objects of verbs (PD, MR, CQ, QP): none yet. */
#include "write.h"

const struct uv_method uv_verbs_methods[] = {{0}};
const struct uv_write_cmd uv_verbs_commands[] = {{0}};
const size_t uv_verbs_ncommands = 0;
