// SPDX-License-Identifier: BSD-2-Clause
/*
 * Two model NICs back to back: a UDP datagram in clear goes into the left one, ESP crosses the wire, the right one
 * hands it up in clear again. ipsec_pair.pcap shows the wire.
 *
 *	cc ipsec_pair.c $(pkg-config --cflags --libs mlx5-offload) && ./a.out
 */
#include <mlx5_offload/mlx5_offload.h>

#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

struct nic {
	struct mlxo_device *dev;
	struct mlxo_channel *channel;
	struct mlxo_ipsec *ipsec;
	struct mlxo_ipsec_sa *sa;
};

static void check(int err, const char *what)
{
	if (!err)
		return;
	fprintf(stderr, "%s: %s\n", what, mlxo_error_last()->text);
	exit(1);
}

static void nic_open(struct nic *nic, const char *name)
{
	struct mlxo_ipsec_opts opts = {.size = sizeof(opts), .rx_all = true};

	check(mlxo_device_open(name, &nic->dev), name);
	check(mlxo_channel_create(nic->dev, NULL, &nic->channel), "channel");
	opts.channel = nic->channel;
	check(mlxo_ipsec_open(nic->dev, &opts, &nic->ipsec), "IPsec");
}

/* One SA and one policy from 192.0.2.1 to 192.0.2.2: out on the left, in on the right. */
static void nic_protect(struct nic *nic, enum mlxo_ipsec_dir dir, struct mlxo_secret *key)
{
	struct mlxo_addr left = {.family = AF_INET, .bytes = {192, 0, 2, 1}};
	struct mlxo_addr right = {.family = AF_INET, .bytes = {192, 0, 2, 2}};
	struct mlxo_ipsec_sa_params sa = {
		.size = sizeof(sa),
		.src = left,
		.dst = right,
		.spi = 0x1000,
		.reqid = 1,
		.dir = dir,
		.offload = MLXO_IPSEC_PACKET,
		.aead = "rfc4106(gcm(aes))",
		.key = key,
		.icv_bits = 128,
	};
	struct mlxo_ipsec_policy_params policy = {
		.size = sizeof(policy),
		.dir = dir,
		.sel = {.src = left, .dst = right, .src_prefixlen = 32, .dst_prefixlen = 32},
		.ntmpl = 1,
		.tmpl = {.src = left, .dst = right, .reqid = 1},
		.offload = MLXO_IPSEC_PACKET,
	};
	struct mlxo_ipsec_policy *p;

	check(mlxo_ipsec_sa_add(nic->ipsec, &sa, &nic->sa), "SA");
	check(mlxo_ipsec_policy_add(nic->ipsec, &policy, &p), "policy");
}

static void received(void *ctx, const struct mlxo_rx_frame *frame)
{
	*(int *)ctx += frame->len >= 47 && !memcmp(frame->data + 42, "hello", 5);
}

/* Ethernet, IPv4 (checksum by the NIC), UDP 5000 > 5001 without checksum, "hello". */
static const uint8_t datagram[] = "\x02\0\0\0\0\x02\x02\0\0\0\0\x01\x08\0"
				  "\x45\0\0\x21\0\0\x40\0\x40\x11\0\0\xc0\0\x02\x01\xc0\0\x02\x02"
				  "\x13\x88\x13\x89\0\x0d\0\0hello";

int main(void)
{
	/* A sample: real keys come from a key exchange, one per direction. */
	struct mlxo_secret *key =
		mlxo_secret_from_hex("000102030405060708090a0b0c0d0e0f10111213", 40);
	struct iovec iov = {(void *)datagram, sizeof(datagram) - 1};
	struct mlxo_ipsec_sa_info info;
	struct nic left, right;
	int got = 0;

	nic_open(&left, "model:port=pair:wire;capture=ipsec_pair.pcap");
	nic_open(&right, "model:port=pair:wire");
	nic_protect(&left, MLXO_IPSEC_OUT, key);
	nic_protect(&right, MLXO_IPSEC_IN, key);
	mlxo_secret_destroy(key);

	check(mlxo_channel_send(left.channel, &iov, 1, MLXO_SEND_CSUM_L3), "send");
	mlxo_channel_flush(left.channel);
	mlxo_device_progress(right.dev);
	if (mlxo_channel_poll(right.channel, 16, received, &got) < 0 || got != 1)
		return fprintf(stderr, "the datagram did not arrive\n"), 1;
	check(mlxo_ipsec_sa_query(right.sa, &info), "query");
	printf("1 datagram sent in clear, %llu decrypted by the right NIC; the wire is in "
	       "ipsec_pair.pcap\n",
	       (unsigned long long)info.packets);

	for (struct nic *nic = &left; nic; nic = nic == &left ? &right : NULL) {
		mlxo_ipsec_close(nic->ipsec);
		mlxo_channel_destroy(nic->channel);
		mlxo_device_close(nic->dev);
	}
	return info.packets == 1 ? 0 : 1;
}
