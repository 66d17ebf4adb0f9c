/* SPDX-License-Identifier: BSD-2-Clause */
/* For tests of the uverbs face: programs of libibverbs and libmlx5 that preload the model into themselves. */
#ifndef TESTS_LIB_FACE_H
#define TESTS_LIB_FACE_H

#include <stdbool.h>

/*
 * First in main(). The process starts itself again with the model preloaded and `model` as MLXO_MODEL. Returns true in
 * the process that has it; false: this build cannot (sanitizers want to be loaded first), said why, succeed.
 */
bool face_preload(char **argv, const char *model);
/* Census lines of the contexts closed so far that say that something was left or lives. -1: no line at all. */
int face_census_bad(void);
/* The same, that say that something lives; what a program left and the face cleaned up is allowed. */
int face_census_live(void);

#endif
