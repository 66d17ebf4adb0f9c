// SPDX-License-Identifier: BSD-2-Clause
/*
 * A program that makes thousands of SAs and TLS contexts and does not clean up. test_face_ends.py looks at what is left.
 *
 *	ends_driver DEVICE N exit	exit() in the middle of it
 *	ends_driver DEVICE N close	the descriptor of the device is closed under commands of 4 threads
 *	ends_driver DEVICE N hold	says "ready" and waits to be killed
 */
#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include <mlx5_offload/mlx5_offload.h>

#include "objects/device.h"
#include "objects/pd.h"

enum { THREADS = 4, WARM = 200, FIRST_FD = 3, MAX_FD = 256 };

static struct mlxo_device *dev;
static _Atomic unsigned int done[THREADS];

static void need(int err, const char *what)
{
	if (!err)
		return;
	fprintf(stderr, "ends_driver: %s: %s\n", what, mlxo_error_last()->text);
	exit(1);
}

static struct mlxo_secret *key_of(size_t len)
{
	uint8_t bytes[MLXO_SECRET_MAX];
	struct mlxo_secret *key;

	for (size_t i = 0; i < len; i++)
		bytes[i] = (uint8_t)(i * 5 + 1);
	key = mlxo_secret_new(bytes, len);
	if (!key)
		need(-ENOMEM, "secret");
	return key;
}

/* -- much ----------------------------------------------------------------------------------------------------- */

static void make_sas(uint32_t n)
{
	struct mlxo_ipsec_opts opts = {.size = sizeof(opts), .max_sa = 16384};
	struct mlxo_ipsec_sa_params p = {.size = sizeof(p),
					 .src = {.family = AF_INET, .bytes = {192, 0, 2, 1}},
					 .dst = {.family = AF_INET, .bytes = {192, 0, 2, 2}},
					 .offload = MLXO_IPSEC_PACKET,
					 .aead = "rfc4106(gcm(aes))",
					 .key = key_of(20),
					 .icv_bits = 128};
	struct mlxo_ipsec *ipsec;

	need(mlxo_ipsec_open(dev, &opts, &ipsec), "IPsec");
	for (uint32_t i = 0; i < n; i++) {
		p.spi = 0x10000 + i;
		p.reqid = 1 + i % 100;
		p.dir = i % 2 ? MLXO_IPSEC_OUT : MLXO_IPSEC_IN;
		p.dst.bytes[2] = (uint8_t)(i >> 8);
		p.dst.bytes[3] = (uint8_t)i;
		need(mlxo_ipsec_sa_add(ipsec, &p, NULL), "SA");
	}
}

static void make_connections(uint32_t n)
{
	struct mlxo_tls_engine_opts opts = {.size = sizeof(opts),
					    .admission = MLXO_TLS_ADMIT_ALWAYS};
	struct mlxo_tls_queue_opts qopts = {.size = sizeof(qopts), .sq_blocks = 32768};
	struct mlxo_tls_params p = {.size = sizeof(p),
				    .version = MLXO_TLS_1_3,
				    .cipher = MLXO_TLS_AES_GCM_128,
				    .key = key_of(28)};
	struct mlxo_tls_engine *engine;
	struct mlxo_tls_queue *queue;

	need(mlxo_tls_engine_open(dev, &opts, &engine), "TLS");
	need(mlxo_tls_queue_create(engine, &qopts, &queue), "queue");
	for (uint32_t i = 0; i < n; i++) {
		struct mlxo_tls *tls = NULL;

		need(mlxo_tls_open(queue, &p, &tls), "connection");
	}
}

/* -- the end -------------------------------------------------------------------------------------------------- */

/* Commands until the device is gone. */
static void *command(void *arg)
{
	_Atomic unsigned int *count = arg;
	struct obj pd;

	while (!obj_pd_create(dev, &pd) && !obj_destroy(dev, &pd))
		atomic_fetch_add(count, 1);
	return NULL;
}

/* What uverbs0 was opened as, see faces/uverbs/libc.c. */
static int descriptor(void)
{
	char path[64], to[64];

	for (int fd = FIRST_FD; fd < MAX_FD; fd++) {
		ssize_t n;

		snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
		n = readlink(path, to, sizeof(to) - 1);
		to[n > 0 ? n : 0] = '\0';
		if (strcmp(to, "/dev/null") == 0)
			return fd;
	}
	return -1;
}

static void close_under_commands(void)
{
	pthread_t thread[THREADS];
	int fd = descriptor();

	if (fd < 0) {
		fprintf(stderr, "ends_driver: no descriptor of the device\n");
		exit(1);
	}
	for (int i = 0; i < THREADS; i++)
		need(-pthread_create(&thread[i], NULL, command, &done[i]), "thread");
	for (int i = 0; i < THREADS; i++)
		while (atomic_load(&done[i]) < WARM)
			mlxo_device_wait(dev, 1);
	close(fd);
	for (int i = 0; i < THREADS; i++)
		pthread_join(thread[i], NULL);
}

int main(int argc, char **argv)
{
	uint32_t n;

	if (argc != 4) {
		fprintf(stderr, "usage: ends_driver DEVICE N exit|close|hold\n");
		return 2;
	}
	n = (uint32_t)strtoul(argv[2], NULL, 10);
	need(mlxo_device_open(argv[1], &dev), argv[1]);
	make_sas(n);
	make_connections(n);
	if (strcmp(argv[3], "close") == 0)
		close_under_commands();
	puts("ready");
	fflush(stdout);
	if (strcmp(argv[3], "hold") == 0)
		pause();
	exit(0);
}
