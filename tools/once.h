/* SPDX-License-Identifier: BSD-2-Clause */
/* The self-test of `--once`: an object is created, asked for, removed, and nothing of it stays. */
#ifndef TOOLS_ONCE_H
#define TOOLS_ONCE_H

#include "tools/session.h"

/* What the model holds; a device without a census has none and the comparison is left out. */
struct once {
	struct mlxo_stat *before;
	size_t n;
};

/* Before the object is created. 0 or an exit status. */
int once_begin(struct session *s, struct once *once);
/* After it was removed: prints what was tested. */
int once_end(struct session *s, struct once *once);
void once_fini(struct once *once);

#endif
