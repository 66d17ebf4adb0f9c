/* SPDX-License-Identifier: BSD-2-Clause */
/* Where a key comes from. */
#ifndef TOOLS_KEY_H
#define TOOLS_KEY_H

#include <mlx5_offload/secret.h>

#include "tools/words.h"

/*
 * KEY := file PATH | fd N | stdin | HEX. HEX only where nobody else can read it, and it is wiped from the words at
 * once. of: the word before, for messages. key NULL: take the words, read nothing (an algorithm that is refused).
 */
int key_take(struct words *w, const char *of, struct mlxo_secret **key);

#endif
