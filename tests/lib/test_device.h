/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The device that a test runs on. The source of the tests is the same for both:
 *
 *	model	the software ConnectX itself
 *	mlx5	MLXO_TEST_DEVICE=mlx5: providers/mlx5 ─ libibverbs, libmlx5 ─ preloaded libmlx5-model-uverbs.so ─ the
 *		same software ConnectX, as a card that is opened by name
 *
 * On mlx5 the controls of <mlx5_offload/model.h> reach the card's model, and two operations of the provider wait for what
 * a test counts on: a doorbell has been served when ring() returns, as on the model, and progress() that has nothing to
 * hand out waits for commands that are under way. Both in addition to what they do: the store into the doorbell
 * page and the commands go through libmlx5.
 */
#ifndef TESTS_LIB_TEST_DEVICE_H
#define TESTS_LIB_TEST_DEVICE_H

#include <stdbool.h>

#include <mlx5_offload/mlx5_offload.h>

/* As mlxo_device_open() of "model" or "model:options"; on mlx5, a fresh card with these options. */
int test_device_open(const char *model, struct mlxo_device **dev);
/* Does the test run through libmlx5? */
bool test_device_is_mlx5(void);
/* In a test that only the model itself can run: why, then skipped on mlx5. */
void test_device_needs_model(const char *why);

#endif
