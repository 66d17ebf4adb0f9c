// SPDX-License-Identifier: BSD-2-Clause
/*
 * A proxy's sending side on a NIC, the model if none is named: 4 MB of plaintext become a TLS 1.3 stream. It starts in
 * software; while the records go out, the key is loaded in the background, and from then on the NIC encrypts. One segment
 * is sent a second time. tls_sender.pcap shows the wire of the model.
 *
 *	cc tls_sender.c $(pkg-config --cflags --libs mlx5-offload) && ./a.out
 */
#include <mlx5_offload/mlx5_offload.h>

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TOTAL = 4 << 20, RECORD = 16384, MSS = 1448, FIRST_SEQ = 1000 };

/* Ethernet, IPv4, TCP with a timestamp option: lengths, sequence number and checksums are filled in. */
static const uint8_t hdr[] = "\x02\0\0\0\0\x02\x02\0\0\0\0\x01\x08\0"
			     "\x45\0\0\0\0\x01\x40\0\x40\x06\0\0\xc0\0\x02\x01\xc0\0\x02\x02"
			     "\x01\xbb\xc3\x50\0\0\0\0\0\0\0\x01\x80\x18\x20\0\0\0\0\0"
			     "\x01\x01\x08\x0a\0\0\0\x01\0\0\0\x01";

struct seen {
	int freed;
	bool hardware;
};

static void check(int err, const char *what)
{
	if (!err)
		return;
	fprintf(stderr, "%s: %s\n", what, mlxo_error_last()->text);
	exit(1);
}

static void event(void *ctx, struct mlxo_tls *tls, enum mlxo_tls_event event)
{
	struct mlxo_tls_info info;
	struct seen *seen = ctx;

	mlxo_tls_info(tls, &info);
	seen->hardware |= event == MLXO_TLS_EVENT_HARDWARE;
	if (event == MLXO_TLS_EVENT_HARDWARE)
		printf("record %llu on: %s\n", (unsigned long long)info.rec_seq, info.text);
}

/* Payload may be changed again: a real proxy would free it here. */
static void released(void *ctx, void *cookie)
{
	++((struct seen *)ctx)->freed;
}

static void send_range(struct mlxo_tls *tls, struct mlxo_tls_queue *queue, uint32_t seq,
		       uint32_t len)
{
	struct mlxo_tls_segment segment = {
		.hdr = hdr, .hdr_len = sizeof(hdr) - 1, .mss = MSS, .seq = seq, .len = len};
	int err;

	while ((err = mlxo_tls_send(tls, &segment)) == -EAGAIN) {
		mlxo_tls_queue_flush(queue);
		mlxo_tls_queue_poll(queue);
	}
	check(err, "send");
	mlxo_tls_queue_flush(queue);
}

static void open_connection(struct mlxo_tls_queue *queue, struct mlxo_tls **tls)
{
	/* A sample: the real one comes from the handshake, see mlxo_tls_params_from_ktls(). */
	static const char secret[] = "000102030405060708090a0b0c0d0e0fa0a1a2a3a4a5a6a7a8a9aaab";
	struct mlxo_tls_params params = {
		.size = sizeof(params),
		.version = MLXO_TLS_1_3,
		.cipher = MLXO_TLS_AES_GCM_128,
		.key = mlxo_secret_from_hex(secret, sizeof(secret) - 1),
		.tcp_seq = FIRST_SEQ,
	};

	*tls = NULL;
	check(mlxo_tls_open(queue, &params, tls), "connection");
	mlxo_secret_destroy(params.key);
}

int main(int argc, char **argv)
{
	const char *name = argc > 1 ? argv[1] : "model:port=pcap:tls_sender.pcap";
	struct seen seen = {0};
	int err = 0;
	struct mlxo_tls_engine_opts engine_opts = {.size = sizeof(engine_opts),
						   .caller_runs = true};
	struct mlxo_tls_queue_opts queue_opts = {
		.size = sizeof(queue_opts), .released = released, .event = event, .ctx = &seen};
	char *payload = calloc(1, TOTAL);
	struct mlxo_tls_written written;
	struct mlxo_tls_engine *engine;
	struct mlxo_tls_queue *queue;
	struct mlxo_device *dev;
	struct mlxo_tls_info info;
	struct mlxo_tls *tls;

	check(mlxo_device_open(name, &dev), "device");
	check(mlxo_tls_engine_open(dev, &engine_opts, &engine), "engine");
	check(mlxo_tls_queue_create(engine, &queue_opts, &queue), "queue");
	check(mlxo_tls_memory_register(engine, payload, TOTAL), "memory");
	open_connection(queue, &tls);
	for (int at = 0; at < TOTAL; at += RECORD) {
		struct iovec iov = {payload + at, RECORD};

		check(mlxo_tls_write(tls, 23, &iov, 1, payload + at, &written), "record");
		send_range(tls, queue, written.seq, written.len);
		mlxo_device_progress(dev); /* in a proxy: its event loop */
		err |= mlxo_tls_queue_poll(queue);
		while (at == TOTAL / 4 && !seen.hardware && !err) { /* so fast is no firmware */
			mlxo_device_wait(dev, 1);
			mlxo_device_progress(dev);
			err |= mlxo_tls_queue_poll(queue);
		}
		if (at ==
		    TOTAL / 2) /* lost, says the TCP stack: 3 packets from the middle of the record */
			send_range(tls, queue, written.seq + 5000, 3 * MSS);
		if (at % (16 * RECORD) == 0) /* the peer has it, says the TCP stack */
			check(mlxo_tls_ack(tls, written.seq + written.len), "acknowledgment");
	}
	check(mlxo_tls_ack(tls, written.seq + written.len), "acknowledgment");
	mlxo_tls_info(tls, &info);
	while (!err && (uint64_t)seen.freed < info.hw_records) /* a NIC needs a moment */
		err = mlxo_tls_queue_poll(queue);
	printf("%llu bytes by libcrypto, %llu by the NIC, %llu sent again; %d of %llu payloads "
	       "released%s\n",
	       (unsigned long long)info.sw_bytes, (unsigned long long)info.hw_bytes,
	       (unsigned long long)info.retransmitted, seen.freed,
	       (unsigned long long)info.hw_records,
	       argc > 1 ? "" : "; the wire is in tls_sender.pcap");
	mlxo_tls_close(tls);
	mlxo_tls_queue_destroy(queue);
	mlxo_tls_engine_close(engine);
	mlxo_device_close(dev);
	free(payload);
	return err || info.hw_bytes < TOTAL / 2;
}
