// SPDX-License-Identifier: BSD-2-Clause
/*
 * A model NIC between two captures, for test_peers.py; public interface only, but for how the device is opened.
 *
 *	peer_driver tx IN OUT	frames of IN ─▶ channel ─▶ outbound SAs ─▶ OUT is the wire
 *	peer_driver rx IN OUT	frames of IN ─▶ a NIC without policies ─▶ wire ─▶ inbound SAs ─▶ channel ─▶ OUT
 *
 * Standard input has one SA per line, "SRC DST SPI REQID KEY OSEQ"; each gets a policy with its addresses as selector. At the
 * end one line of JSON has the counters. "csum" as a fourth argument lets the device fill checksums on sending.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <pcap/pcap.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <mlx5_offload/mlx5_offload.h>

#include "tests/lib/test_device.h"

enum { MAX_SA = 64, MAX_TURNS = 100000 };

struct nic {
	struct mlxo_device *dev;
	struct mlxo_channel *channel;
	struct mlxo_ipsec *ipsec;
};

static struct {
	enum mlxo_ipsec_dir dir;
	struct nic nic;	  /* has the SAs */
	struct nic peer;  /* rx: puts frames on the wire as they are */
	struct nic *from; /* of these, the one that sends */
	struct mlxo_ipsec_sa *sa[MAX_SA];
	struct mlxo_ipsec_policy *policy[MAX_SA];
	size_t nsa;
	unsigned int send_flags;
	unsigned long sent, received;
	pcap_dumper_t *out; /* rx */
} d;

static void check(int err, const char *what)
{
	if (!err)
		return;
	fprintf(stderr, "%s: %s\n", what, mlxo_error_last()->text);
	exit(1);
}

static void fail(const char *what, const char *why)
{
	fprintf(stderr, "%s: %s\n", what, why);
	exit(1);
}

static struct mlxo_addr addr(const char *text)
{
	struct mlxo_addr a = {.family = strchr(text, ':') ? AF_INET6 : AF_INET};

	if (inet_pton(a.family, text, a.bytes) != 1)
		fail("address", text);
	return a;
}

static void add_sa(const char *src, const char *dst, uint32_t spi, uint32_t reqid, const char *hex,
		   uint32_t oseq)
{
	struct mlxo_secret *key = mlxo_secret_from_hex(hex, strlen(hex));
	struct mlxo_ipsec_sa_params sa = {
		.size = sizeof(sa),
		.src = addr(src),
		.dst = addr(dst),
		.spi = spi,
		.reqid = reqid,
		.dir = d.dir,
		.offload = MLXO_IPSEC_PACKET,
		.aead = "rfc4106(gcm(aes))",
		.key = key,
		.icv_bits = 128,
		.oseq = oseq,
	};
	uint8_t bits = sa.src.family == AF_INET ? 32 : 128;
	struct mlxo_ipsec_policy_params policy = {
		.size = sizeof(policy),
		.dir = d.dir,
		.sel = {.src = sa.src, .dst = sa.dst, .src_prefixlen = bits, .dst_prefixlen = bits},
		.ntmpl = 1,
		.tmpl = {.reqid = reqid},
		.offload = MLXO_IPSEC_PACKET,
	};

	check(key ? 0 : -EINVAL, "key");
	check(mlxo_ipsec_sa_add(d.nic.ipsec, &sa, &d.sa[d.nsa]), "SA");
	check(mlxo_ipsec_policy_add(d.nic.ipsec, &policy, &d.policy[d.nsa]), "policy");
	mlxo_secret_destroy(key);
	d.nsa++;
}

static void read_sas(void)
{
	char line[512], src[64], dst[64], key[129];
	unsigned int spi, reqid, oseq;

	while (fgets(line, sizeof(line), stdin)) {
		if (d.nsa == MAX_SA || sscanf(line, "%63s %63s %x %u %128s %u", src, dst, &spi,
					      &reqid, key, &oseq) != 6)
			fail("standard input", "SRC DST SPI REQID KEY OSEQ is expected");
		add_sa(src, dst, spi, reqid, key, oseq);
	}
}

static void take_frame(void *ctx, const struct mlxo_rx_frame *frame)
{
	struct pcap_pkthdr h = {.caplen = (bpf_u_int32)frame->len, .len = (bpf_u_int32)frame->len};

	(void)ctx;
	if (d.out)
		pcap_dump((u_char *)d.out, &h, frame->data);
	d.received++;
}

/* Handle what there is; 0 when there was nothing. */
static int turn_one(struct nic *nic)
{
	int work, n;

	if (!nic->dev)
		return 0;
	work = mlxo_device_progress(nic->dev);
	n = mlxo_channel_poll(nic->channel, 256, take_frame, NULL);
	check(n < 0 ? n : 0, "poll");
	return work + n;
}

static int turn(void)
{
	return turn_one(&d.peer) + turn_one(&d.nic);
}

static void run_until_quiet(void)
{
	for (int i = 0; turn(); i++)
		if (i == MAX_TURNS)
			fail("device", "never gets quiet");
}

static void send_all(pcap_t *in)
{
	struct pcap_pkthdr *h;
	const u_char *bytes;

	while (pcap_next_ex(in, &h, &bytes) == 1) {
		struct iovec iov = {.iov_base = (void *)bytes, .iov_len = h->caplen};
		int err = mlxo_channel_send(d.from->channel, &iov, 1, d.send_flags);

		for (int i = 0; err == -EAGAIN && i < MAX_TURNS; i++) {
			mlxo_channel_flush(d.from->channel);
			turn();
			err = mlxo_channel_send(d.from->channel, &iov, 1, d.send_flags);
		}
		check(err, "send");
		d.sent++;
	}
	mlxo_channel_flush(d.from->channel);
	run_until_quiet();
}

static void print_sa(struct mlxo_ipsec_sa *sa, struct mlxo_ipsec_policy *policy)
{
	struct mlxo_ipsec_policy_info p;
	struct mlxo_ipsec_sa_info s;

	check(mlxo_ipsec_sa_query(sa, &s), "query of an SA");
	check(mlxo_ipsec_policy_query(policy, &p), "query of a policy");
	printf("\"%x\":{\"packets\":%llu,\"bytes\":%llu,\"auth\":%llu,\"trailer\":%llu,"
	       "\"selector\":%llu,\"fragment\":%llu,\"unprotected\":%llu,\"policy\":%llu,"
	       "\"usable_mtu\":%u},",
	       s.params.spi, (unsigned long long)s.packets, (unsigned long long)s.bytes,
	       (unsigned long long)s.drop_auth, (unsigned long long)s.drop_trailer,
	       (unsigned long long)s.drop_selector, (unsigned long long)p.drop_fragment,
	       (unsigned long long)p.drop_unprotected, (unsigned long long)p.packets, s.usable_mtu);
}

static void print_counters(void)
{
	struct mlxo_stat *stats;
	size_t n;

	check(mlxo_ipsec_stats(d.nic.ipsec, &stats, &n), "counters");
	printf("{\"sent\":%lu,\"received\":%lu,\"sa\":{", d.sent, d.received);
	for (size_t i = 0; i < d.nsa; i++)
		print_sa(d.sa[i], d.policy[i]);
	printf("\"\":null}");
	for (size_t i = 0; i < n; i++)
		printf(",\"%s\":%llu", stats[i].name, (unsigned long long)stats[i].value);
	printf("}\n");
	free(stats);
}

static void nic_open(struct nic *nic, const char *name)
{
	struct mlxo_channel_opts copts = {.size = sizeof(copts), .max_frame = 10240};
	struct mlxo_ipsec_opts opts = {.size = sizeof(opts), .rx_all = true};

	check(test_device_open(name, &nic->dev), name);
	check(mlxo_channel_create(nic->dev, &copts, &nic->channel), "channel");
	opts.channel = nic->channel;
	check(mlxo_ipsec_open(nic->dev, &opts, &nic->ipsec), "IPsec");
}

static void nic_close(struct nic *nic)
{
	mlxo_ipsec_close(nic->ipsec);
	mlxo_channel_destroy(nic->channel);
	mlxo_device_close(nic->dev);
}

/* The path of OUT must have no comma and no semicolon: device names are parsed at these. */
static void open_all(const char *out_path)
{
	char name[1024];

	if (d.dir == MLXO_IPSEC_OUT) {
		snprintf(name, sizeof(name), "model:mtu=9600,port=pcap:%s", out_path);
		nic_open(&d.nic, name);
		d.from = &d.nic;
		return;
	}
	nic_open(&d.nic, "model:mtu=9600,port=pair:wire");
	nic_open(&d.peer, "model:mtu=9600,port=pair:wire");
	d.from = &d.peer;
}

static void run(const char *in_path, const char *out_path)
{
	char why[PCAP_ERRBUF_SIZE];
	pcap_t *in = pcap_open_offline(in_path, why), *kind = pcap_open_dead(DLT_EN10MB, 65535);

	if (!in || !kind)
		fail(in_path, in ? "out of memory" : why);
	if (d.dir == MLXO_IPSEC_IN) {
		d.out = pcap_dump_open(kind, out_path);
		if (!d.out)
			fail(out_path, pcap_geterr(kind));
	}
	send_all(in);
	if (d.out)
		pcap_dump_close(d.out);
	pcap_close(kind);
	pcap_close(in);
}

int main(int argc, char **argv)
{
	if (argc < 4 || argc > 5 || (strcmp(argv[1], "tx") != 0 && strcmp(argv[1], "rx") != 0))
		fail("usage", "peer_driver tx|rx IN OUT [csum]");
	d.dir = strcmp(argv[1], "tx") == 0 ? MLXO_IPSEC_OUT : MLXO_IPSEC_IN;
	if (argc == 5)
		d.send_flags = MLXO_SEND_CSUM_L3 | MLXO_SEND_CSUM_L4;
	open_all(argv[3]);
	read_sas();
	run(argv[2], argv[3]);
	print_counters();
	nic_close(&d.nic);
	nic_close(&d.peer);
	return 0;
}
