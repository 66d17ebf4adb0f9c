/* SPDX-License-Identifier: BSD-2-Clause */
/* Which opcode may go which way through DevX in a kernel. */
#ifndef FACES_UVERBS_RULES_H
#define FACES_UVERBS_RULES_H

#include <stdbool.h>
#include <stdint.h>

bool uv_rule_without_uid(uint16_t opcode); /* on a context that was opened without DevX */
bool uv_rule_general(uint16_t opcode);
bool uv_rule_create(uint16_t opcode, const void *in);

#endif
