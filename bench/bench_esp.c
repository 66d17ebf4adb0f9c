// SPDX-License-Identifier: BSD-2-Clause
/*
 * What the model costs, next to what it cannot do without.
 *
 *   libcrypto   AES-GCM of the same bytes and nothing else: key set before, one IV, 8 bytes of header, one ICV a packet
 *   tables      frame parse + policy and SA tables + ESP, as the model does for each packet of a queue
 *   channel     the same from mlxo_channel_send(): copies, WQE, doorbell, completion
 *
 * And firmware commands at time=zero, next to a call through a table that does nothing. All of it in one run, in
 * turns, because only what was measured side by side can be compared; each number is the best of ROUNDS. Rates are
 * rates of the model: they say nothing about a NIC.
 */
#include <arpa/inet.h>
#include <openssl/evp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>

#include <mlx5_offload/mlx5_offload.h>

#include "objects/device.h"
#include "objects/pd.h"
#include "providers/model/control.h"

enum { ROUNDS = 7, ETH = 14, IP = 20, UDP = 8, TRAILER = 2, ICV = 16, AAD = 8, SALT = 4, IV = 8 };
static const uint64_t round_ns = 100 * 1000 * 1000;

struct bench {
	struct mlxo_device *dev;
	struct mlxo_channel *channel;
	struct mlxo_ipsec *ipsec;
	struct model_dev *model;
	uint32_t sqn;
	EVP_CIPHER_CTX *evp;
	uint8_t frame[ETH + IP + 9216];
	size_t len;	  /* of the frame */
	size_t encrypted; /* bytes: UDP header, payload, padding, trailer */
	struct model_pkt pkt;
	uint8_t out[9216 + 256];
	uint64_t counter;
	unsigned int posted;
};

static void die(const char *what)
{
	fprintf(stderr, "bench_esp: %s: %s\n", what, mlxo_error_last()->text);
	exit(1);
}

static uint64_t now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

/* Nanoseconds of one fn(), measured for one round. */
static double round_of(void (*fn)(struct bench *), struct bench *b)
{
	uint64_t start = now_ns(), end, n = 0;

	do {
		for (int i = 0; i < 64; i++)
			fn(b);
		n += 64;
		end = now_ns();
	} while (end - start < round_ns);
	return (double)(end - start) / (double)n;
}

/* In turns, so that a noisy moment hits all of them; best[i] is the fastest round of fn[i]. */
static void measure(void (*const *fn)(struct bench *), double *best, int n, struct bench *b)
{
	for (int r = 0; r < ROUNDS; r++) {
		for (int i = 0; i < n; i++) {
			double ns = round_of(fn[i], b);

			if (r == 0 || ns < best[i])
				best[i] = ns;
		}
	}
}

/* -- a packet ------------------------------------------------------------------------------------------------ */

static void libcrypto_packet(struct bench *b)
{
	uint8_t iv[SALT + IV] = {0}, aad[AAD] = {0};
	int len;

	b->counter++;
	memcpy(iv + SALT, &b->counter, IV);
	EVP_EncryptInit_ex(b->evp, NULL, NULL, NULL, iv);
	EVP_EncryptUpdate(b->evp, NULL, &len, aad, AAD);
	EVP_EncryptUpdate(b->evp, b->out, &len, b->frame + ETH + IP, (int)b->encrypted);
	EVP_EncryptFinal_ex(b->evp, b->out + len, &len);
	EVP_CIPHER_CTX_ctrl(b->evp, EVP_CTRL_AEAD_GET_TAG, ICV, b->out + b->encrypted);
}

static void tables_packet(struct bench *b)
{
	struct model_tir *tir;
	enum model_verdict verdict;

	model_pkt_init(&b->pkt, true);
	memcpy(b->pkt.data, b->frame, b->len);
	b->pkt.len = b->len;
	b->pkt.sqn = b->sqn;
	pthread_rwlock_rdlock(&b->model->objs);
	model_pkt_parse(&b->pkt);
	verdict = model_steer(b->model, &b->pkt, &tir);
	pthread_rwlock_unlock(&b->model->objs);
	if (verdict != MODEL_TO_WIRE || b->pkt.len < b->len + AAD + IV + ICV) {
		fprintf(stderr, "bench_esp: the packet was not encrypted\n");
		exit(1);
	}
}

static void channel_packet(struct bench *b)
{
	struct iovec iov = {.iov_base = b->frame, .iov_len = b->len};

	if (mlxo_channel_send(b->channel, &iov, 1, 0))
		die("send");
	if (++b->posted % 64)
		return;
	mlxo_channel_flush(b->channel);
	if (mlxo_channel_poll(b->channel, 64, NULL, NULL) < 0)
		die("poll");
}

/* IPv4 UDP of `payload` bytes behind the UDP header's 8: together what is encrypted, less padding and trailer. */
static void frame_build(struct bench *b, size_t size)
{
	uint8_t *ip = b->frame + ETH;
	uint16_t total = htons((uint16_t)(IP + size)), udp = htons((uint16_t)size);

	memset(b->frame, 0, sizeof(b->frame));
	b->frame[12] = 0x08;
	ip[0] = 0x45;
	memcpy(ip + 2, &total, 2);
	ip[8] = 64;
	ip[9] = IPPROTO_UDP;
	memcpy(ip + 12, "\xc0\x00\x02\x01\xc0\x00\x02\x02", 8);
	memcpy(ip + IP + 4, &udp, 2);
	b->len = ETH + IP + size;
	b->encrypted = (size + TRAILER + 3) / 4 * 4;
}

/* -- the device ---------------------------------------------------------------------------------------------- */

static struct mlxo_addr v4(uint8_t last)
{
	return (struct mlxo_addr){.family = AF_INET, .bytes = {192, 0, 2, last}};
}

static void protect(struct bench *b, struct mlxo_secret *key)
{
	struct mlxo_ipsec_sa_params sa = {
		.size = sizeof(sa),
		.src = v4(1),
		.dst = v4(2),
		.spi = 0x1000,
		.reqid = 1,
		.dir = MLXO_IPSEC_OUT,
		.offload = MLXO_IPSEC_PACKET,
		.aead = "rfc4106(gcm(aes))",
		.key = key,
		.icv_bits = 128,
	};
	struct mlxo_ipsec_policy_params policy = {
		.size = sizeof(policy),
		.dir = MLXO_IPSEC_OUT,
		.sel = {.src = v4(1), .dst = v4(2), .src_prefixlen = 32, .dst_prefixlen = 32},
		.ntmpl = 1,
		.tmpl = {.src = v4(1), .dst = v4(2), .reqid = 1},
		.offload = MLXO_IPSEC_PACKET,
	};
	struct mlxo_ipsec_policy *p;
	struct mlxo_ipsec_sa *s;

	if (mlxo_ipsec_sa_add(b->ipsec, &sa, &s))
		die("SA");
	if (mlxo_ipsec_policy_add(b->ipsec, &policy, &p))
		die("policy");
}

static void bench_open(struct bench *b)
{
	struct mlxo_ipsec_opts opts = {.size = sizeof(opts)};
	struct mlxo_secret *key;
	uint8_t bytes[20] = {1, 2, 3};

	if (mlxo_device_open("model:port=null,mtu=9216", &b->dev) ||
	    mlxo_channel_create(b->dev, NULL, &b->channel))
		die("device");
	opts.channel = b->channel;
	if (mlxo_ipsec_open(b->dev, &opts, &b->ipsec))
		die("IPsec");
	key = mlxo_secret_new(bytes, sizeof(bytes));
	protect(b, key);
	mlxo_secret_destroy(key);
	b->sqn = mlxo_channel_sqn(b->channel);
	b->model = model_of(b->dev->prov);
	b->evp = EVP_CIPHER_CTX_new();
	if (!b->evp || !EVP_EncryptInit_ex(b->evp, EVP_aes_128_gcm(), NULL, bytes, NULL))
		die("libcrypto");
}

static void bench_close(struct bench *b)
{
	EVP_CIPHER_CTX_free(b->evp);
	mlxo_ipsec_close(b->ipsec);
	mlxo_channel_destroy(b->channel);
	mlxo_device_close(b->dev);
}

/* -- commands -------------------------------------------------------------------------------------------------- */

static int nothing(const void *in, void *out)
{
	memcpy(out, in, 16);
	return 0;
}

static int (*volatile dispatch)(const void *in, void *out) = nothing;

static void empty_command(struct bench *b)
{
	dispatch(b->frame, b->out);
}

static void model_command(struct bench *b)
{
	uint8_t in[PRM_BYTES(alloc_pd_in)] = {0}, out[PRM_BYTES(alloc_pd_out)];

	PRM_SET(alloc_pd_in, in, opcode, 0); /* refused: what every command pays */
	model_fw_exec(b->model, 1, in, sizeof(in), out, sizeof(out));
}

/* ALLOC_PD and DEALLOC_PD through the library: two commands. */
static void pd_commands(struct bench *b)
{
	struct obj pd;

	if (obj_pd_create(b->dev, &pd) || obj_destroy(b->dev, &pd))
		die("PD");
}

static void commands(struct bench *b)
{
	void (*const fn[])(struct bench *) = {empty_command, model_command, pd_commands};
	double ns[3];

	measure(fn, ns, 3, b);
	printf("\nfirmware commands at time=zero   ns each   per second   times an empty call\n");
	printf("%-30s %9.1f %12.0f\n", "empty call through a table", ns[0], 1e9 / ns[0]);
	printf("%-30s %9.1f %12.0f %21.1f\n", "refused by the model", ns[1], 1e9 / ns[1],
	       ns[1] / ns[0]);
	printf("%-30s %9.1f %12.0f %21.1f\n", "ALLOC_PD, DEALLOC_PD (library)", ns[2] / 2,
	       2e9 / ns[2], ns[2] / 2 / ns[0]);
}

int main(void)
{
	static const size_t sizes[] = {64, 1420, 9000};
	void (*const fn[])(struct bench *) = {libcrypto_packet, tables_packet, channel_packet};
	static struct bench b;
	double ns[3];

	bench_open(&b);
	printf("AES-128-GCM, one core; ns a packet and share of libcrypto's rate (1.00 = as "
	       "fast)\n");
	printf(" bytes   libcrypto     GB/s     tables   share    channel   share\n");
	for (size_t i = 0; i < sizeof(sizes) / sizeof(*sizes); i++) {
		frame_build(&b, sizes[i]);
		measure(fn, ns, 3, &b);
		printf("%6zu %11.0f %8.2f %10.0f %7.2f %10.0f %7.2f\n", sizes[i], ns[0],
		       (double)sizes[i] / ns[0], ns[1], ns[0] / ns[1], ns[2], ns[0] / ns[2]);
	}
	commands(&b);
	bench_close(&b);
	return 0;
}
