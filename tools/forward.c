// SPDX-License-Identifier: BSD-2-Clause
/*
 * A netdev of the host (one end of a veth, say) as the host side of the device.
 *
 *   peer ── netdev ──▶ AF_PACKET ──▶ channel send ──▶ device TX tables ──▶ wire
 *   peer ◀─ netdev ◀── AF_PACKET ◀── channel poll ◀── device RX tables ◀── wire
 *
 * One thread does both directions: it sleeps in poll(2) on the socket, the device and an eventfd that ends it, and
 * then works in bursts. It holds the session's channel_lock during a burst. Counters are atomics, for `stats`.
 *
 * The socket speaks PACKET_VNET_HDR: a frame whose checksum the host left to the NIC is sent with the device's own
 * checksum bits. Segments larger than a frame (TSO) are dropped and counted, since nothing here cuts them.
 * A frame that is too long for the wire once ESP has been added is the device's to count (`stats`, model drops mtu).
 */
#include "tools/forward.h"

#include <arpa/inet.h>
#include <errno.h>
#include <linux/if_ether.h>
#include <linux/if_packet.h>
#include <linux/virtio_net.h>
#include <net/if.h>
#include <poll.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

#include "tools/words.h"

enum {
	BURST = 64,	   /* frames before the other direction has its turn */
	FRAME_MAX = 65536, /* longer than any frame: what exceeds the channel is counted there */
	SOCKET_BUFFER = 4 << 20,
	CSUM_OFFSET_TCP = 16,
	CSUM_OFFSET_UDP = 6,
	IDLE_MS = 100,
};

struct forward {
	struct session *s;
	char netdev[IF_NAMESIZE];
	int sock, stop;
	unsigned int ifindex;
	atomic_bool gone; /* the netdev was deleted */
	bool deaf;	  /* the device does not tell of what arrives */
	pthread_t thread;
#define FORWARD_ATOMIC(name, about) _Atomic uint64_t name;
	FORWARD_COUNTERS(FORWARD_ATOMIC)
#undef FORWARD_ATOMIC
	uint8_t frame[FRAME_MAX];
};

static void count(_Atomic uint64_t *counter, uint64_t n)
{
	atomic_fetch_add_explicit(counter, n, memory_order_relaxed);
}

/* -- netdev to device -- */

/* Send flags for what the host left to the NIC; -1: not possible, counted. */
static int send_flags(struct forward *f, const struct virtio_net_hdr *hdr)
{
	if (hdr->gso_type != VIRTIO_NET_HDR_GSO_NONE) {
		count(&f->drop_gso, 1);
		return -1;
	}
	if (!(hdr->flags & VIRTIO_NET_HDR_F_NEEDS_CSUM))
		return 0;
	if (hdr->csum_offset == CSUM_OFFSET_TCP || hdr->csum_offset == CSUM_OFFSET_UDP)
		return MLXO_SEND_CSUM_L4;
	count(&f->drop_checksum, 1);
	return -1;
}

static int poll_channel(struct forward *f);

static void send_to_device(struct forward *f, size_t len, unsigned int flags)
{
	struct iovec iov = {.iov_base = f->frame, .iov_len = len};
	int rc = mlxo_channel_send(f->s->channel, &iov, 1, flags);

	if (rc == -EAGAIN) {
		mlxo_channel_flush(f->s->channel);
		poll_channel(f);
		rc = mlxo_channel_send(f->s->channel, &iov, 1, flags);
	}
	if (rc == -EIO && !mlxo_channel_recover(f->s->channel)) {
		count(&f->recovered, 1);
		rc = mlxo_channel_send(f->s->channel, &iov, 1, flags);
	}
	if (!rc) {
		count(&f->in_packets, 1);
		count(&f->in_bytes, len);
		return;
	}
	count(rc == -EMSGSIZE ? &f->drop_mtu
	      : rc == -EAGAIN ? &f->drop_ring_full
			      : &f->drop_send,
	      1);
}

/* Down is no reason to end, it may come up again; deleted is. */
static void check_netdev(struct forward *f)
{
	char name[IF_NAMESIZE];

	if (!if_indextoname(f->ifindex, name))
		f->gone = true;
}

static int take_from_netdev(struct forward *f)
{
	int n = 0;

	for (; n < BURST; n++) {
		struct virtio_net_hdr hdr = {0};
		struct iovec iov[2] = {{.iov_base = &hdr, .iov_len = sizeof(hdr)},
				       {.iov_base = f->frame, .iov_len = sizeof(f->frame)}};
		ssize_t got = readv(f->sock, iov, 2);
		int flags;

		if (got < 0 && errno == ENETDOWN)
			check_netdev(f);
		if (got < (ssize_t)sizeof(hdr))
			break;
		flags = send_flags(f, &hdr);
		if (flags >= 0)
			send_to_device(f, (size_t)got - sizeof(hdr), (unsigned int)flags);
	}
	mlxo_channel_flush(f->s->channel);
	return n;
}

/* -- device to netdev -- */

static void give_to_netdev(void *ctx, const struct mlxo_rx_frame *rx)
{
	struct virtio_net_hdr hdr = {.gso_type = VIRTIO_NET_HDR_GSO_NONE};
	struct iovec iov[2] = {{.iov_base = &hdr, .iov_len = sizeof(hdr)},
			       {.iov_base = (void *)(uintptr_t)rx->data, .iov_len = rx->len}};
	struct forward *f = ctx;

	if (writev(f->sock, iov, 2) >= 0) {
		count(&f->out_packets, 1);
		count(&f->out_bytes, rx->len);
	} else {
		count(errno == EMSGSIZE ? &f->drop_mtu : &f->drop_send, 1);
	}
}

/* Frames handed on; with an error the queue is made usable again. */
static int poll_channel(struct forward *f)
{
	int n = mlxo_channel_poll(f->s->channel, BURST, give_to_netdev, f);

	if (n >= 0)
		return n;
	if (!mlxo_channel_recover(f->s->channel))
		count(&f->recovered, 1);
	return 0;
}

/* -- the thread -- */

static bool burst(struct forward *f)
{
	bool busy;

	pthread_mutex_lock(&f->s->channel_lock);
	busy = take_from_netdev(f) > 0;
	busy |= mlxo_device_progress(f->s->dev) > 0;
	busy |= poll_channel(f) > 0;
	if (!busy) {
		int armed = mlxo_channel_arm(f->s->channel);

		busy = armed > 0;
		f->deaf = armed < 0;
	}
	pthread_mutex_unlock(&f->s->channel_lock);
	return busy;
}

static void *forward_run(void *arg)
{
	struct forward *f = arg;
	int device = mlxo_device_fd(f->s->dev);
	struct pollfd fds[3] = {{.fd = f->stop, .events = POLLIN},
				{.fd = f->sock, .events = POLLIN},
				{.fd = device, .events = POLLIN}};

	while (!(fds[0].revents & POLLIN) && !f->gone) {
		bool busy = burst(f), ask = device < 0 || f->deaf; /* a device that does not tell */

		poll(fds, device >= 0 ? 3 : 2, busy ? 0 : ask ? 1 : IDLE_MS);
	}
	if (f->gone)
		fprintf(stderr,
			"mlx5-offload-tool: warning: forward: netdev %s is gone, nothing is "
			"forwarded any more\n",
			f->netdev);
	return NULL;
}

static int open_netdev(struct forward *f)
{
	struct sockaddr_ll addr = {.sll_family = AF_PACKET, .sll_protocol = htons(ETH_P_ALL)};
	struct packet_mreq all = {.mr_type = PACKET_MR_PROMISC};
	int one = 1, buffer = SOCKET_BUFFER;

	f->ifindex = if_nametoindex(f->netdev);
	addr.sll_ifindex = (int)f->ifindex;
	if (!f->ifindex)
		return problem_errno(&f->s->problem, errno, "forward: there is no netdev %s",
				     f->netdev);
	all.mr_ifindex = addr.sll_ifindex;
	/* Protocol 0 until bound: no frame of another netdev gets in. */
	f->sock = socket(AF_PACKET, SOCK_RAW | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
	if (f->sock < 0)
		return problem_errno(&f->s->problem, errno,
				     "forward: a packet socket on %s needs CAP_NET_RAW: %s",
				     f->netdev, strerror(errno));
	if (setsockopt(f->sock, SOL_PACKET, PACKET_VNET_HDR, &one, sizeof(one)) ||
	    setsockopt(f->sock, SOL_PACKET, PACKET_IGNORE_OUTGOING, &one, sizeof(one)) ||
	    bind(f->sock, (struct sockaddr *)&addr, sizeof(addr)) ||
	    setsockopt(f->sock, SOL_PACKET, PACKET_ADD_MEMBERSHIP, &all, sizeof(all)))
		return problem_errno(&f->s->problem, errno, "forward: cannot take over %s: %s",
				     f->netdev, strerror(errno));
	/* A burst must not be lost; without the right to exceed the limit the default stays. */
	(void)!setsockopt(f->sock, SOL_SOCKET, SO_RCVBUFFORCE, &buffer, sizeof(buffer));
	(void)!setsockopt(f->sock, SOL_SOCKET, SO_SNDBUFFORCE, &buffer, sizeof(buffer));
	return 0;
}

static void forward_free(struct forward *f)
{
	if (f->sock >= 0)
		close(f->sock);
	if (f->stop >= 0)
		close(f->stop);
	free(f);
}

int forward_start(struct session *s, const char *netdev, struct forward **forward)
{
	struct forward *f = calloc(1, sizeof(*f));
	sigset_t all, before;
	int rc;

	if (strlen(netdev) >= sizeof(f->netdev)) {
		free(f);
		return problem_usage(&s->problem,
				     "forward: %s is too long for the name of a netdev",
				     words_show(netdev));
	}
	if (!f)
		return problem_errno(&s->problem, ENOMEM, "forward: no memory");
	f->s = s;
	f->sock = -1;
	f->stop = eventfd(0, EFD_CLOEXEC);
	memcpy(f->netdev, netdev, strlen(netdev) + 1);
	rc = open_netdev(f);
	if (!rc) {
		/* Signals are the main thread's. */
		sigfillset(&all);
		pthread_sigmask(SIG_SETMASK, &all, &before);
		rc = pthread_create(&f->thread, NULL, forward_run, f);
		pthread_sigmask(SIG_SETMASK, &before, NULL);
		if (rc)
			rc = problem_errno(&s->problem, rc, "forward: no thread: %s", strerror(rc));
	}
	if (rc)
		forward_free(f);
	else
		*forward = f;
	return rc;
}

void forward_stop(struct forward *f)
{
	const uint64_t one = 1;

	if (!f)
		return;
	(void)!write(f->stop, &one, sizeof(one));
	pthread_join(f->thread, NULL);
	forward_free(f);
}

bool forward_is_gone(const struct forward *f)
{
	return f->gone;
}

const char *forward_netdev(const struct forward *f)
{
	return f->netdev;
}

void forward_stats(struct forward *f, struct forward_stats *stats)
{
#define FORWARD_READ(name, about) \
	stats->name = atomic_load_explicit(&f->name, memory_order_relaxed);
	FORWARD_COUNTERS(FORWARD_READ)
#undef FORWARD_READ
}
