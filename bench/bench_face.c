// SPDX-License-Identifier: BSD-2-Clause
/*
 * What the way through libmlx5 costs: the same job on the model itself, and on the model behind providers/mlx5, libibverbs,
 * libmlx5 and the preloaded libmlx5-model-uverbs.so.
 *
 *   commands	ALLOC_PD and DEALLOC_PD of the library, one at a time
 *   packets	1420 bytes through a channel, 64 to a doorbell, until the last completion is there
 *
 * Each job is a process of its own, in turns; each number is the best of ROUNDS. Only ratios mean something: both numbers
 * are of a software device.
 *
 *	bench_face [libmlx5-model-uverbs.so]		bench_face DEVICE job	(one job: its two rates)
 */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <mlx5_offload/mlx5_offload.h>

#include "objects/device.h"
#include "objects/pd.h"

enum { ROUNDS = 5, BURST = 64, FRAME = 1420, PAIRS = 100, BURSTS = 100 };
static const uint64_t job_ns = 300 * 1000 * 1000;

static void die(const char *what)
{
	fprintf(stderr, "bench_face: %s: %s\n", what, mlxo_error_last()->text);
	exit(1);
}

/* -- the job -------------------------------------------------------------------------------------------------- */

static uint64_t now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static uint64_t some_commands(struct mlxo_device *dev)
{
	struct obj pd;

	for (int i = 0; i < PAIRS; i++)
		if (obj_pd_create(dev, &pd) || obj_destroy(dev, &pd))
			die("PD");
	return 2 * PAIRS;
}

static struct mlxo_channel *channel;

/* A full ring is waited for; so is its last packet. */
static uint64_t some_packets(struct mlxo_device *dev)
{
	static uint8_t frame[FRAME] = {2, 0, 0, 0, 0, 1, 2, 0, 0, 0, 0, 2, 0x88, 0xb5};
	struct iovec iov = {.iov_base = frame, .iov_len = sizeof(frame)};

	(void)dev;
	for (int i = 0; i < BURSTS; i++) {
		for (int k = 0; k < BURST; k++)
			while (mlxo_channel_send(channel, &iov, 1, 0))
				if (errno != EAGAIN ||
				    mlxo_channel_poll(channel, BURST, NULL, NULL) < 0)
					die("send");
		mlxo_channel_flush(channel);
	}
	return BURSTS * BURST;
}

static double per_second(struct mlxo_device *dev, uint64_t (*some)(struct mlxo_device *dev))
{
	uint64_t n = 0, from, t;

	some(dev);
	from = now();
	do {
		n += some(dev);
		t = now();
	} while (t - from < job_ns);
	return (double)n * 1e9 / (double)(t - from);
}

static int job(const char *name)
{
	struct mlxo_device *dev;
	double commands;

	if (mlxo_device_open(name, &dev) || mlxo_channel_create(dev, NULL, &channel))
		die(name);
	commands = per_second(dev, some_commands);
	printf("%.0f %.0f\n", commands, per_second(dev, some_packets));
	mlxo_channel_destroy(channel);
	mlxo_device_close(dev);
	return 0;
}

/* -- both ways ------------------------------------------------------------------------------------------------ */

static void run(const char *device, const char *library, double best[2])
{
	char self[PATH_MAX] = "", command[3 * PATH_MAX];
	double rate[2];
	FILE *child;

	if (readlink("/proc/self/exe", self, sizeof(self) - 1) < 0)
		exit(1);
	snprintf(command, sizeof(command), "%s%s%s '%s' %s job", library ? "LD_PRELOAD='" : "",
		 library ? library : "", library ? "' MLXO_MODEL=model" : "", self, device);
	child = popen(command, "r");
	if (!child || fscanf(child, "%lf %lf", &rate[0], &rate[1]) != 2) {
		fprintf(stderr, "bench_face: no result of: %s\n", command);
		exit(1);
	}
	pclose(child);
	for (int i = 0; i < 2; i++)
		best[i] = rate[i] > best[i] ? rate[i] : best[i];
}

int main(int argc, char **argv)
{
	static const char *const what[] = {"commands", "packets"};
	double model[2] = {0}, mlx5[2] = {0};
	char library[PATH_MAX] = "";

	if (argc == 3)
		return job(argv[1]);
	if (!realpath(argc == 2 ? argv[1] : "libmlx5-model-uverbs.so", library)) {
		fprintf(stderr, "usage: bench_face libmlx5-model-uverbs.so\n");
		return 2;
	}
	for (int i = 0; i < ROUNDS; i++) {
		run("model", NULL, model);
		run("mlx5_0", library, mlx5);
	}
	printf("per second       model   through libmlx5   ratio\n");
	for (int i = 0; i < 2; i++)
		printf("%-10s %11.0f %17.0f %7.2f\n", what[i], model[i], mlx5[i],
		       mlx5[i] / model[i]);
	return 0;
}
