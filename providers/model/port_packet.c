// SPDX-License-Identifier: BSD-2-Clause
/*
 * packet: a netdev of this network namespace through AF_PACKET.
 *
 * The netdev is made promiscuous while the port is open; frames that leave it are not seen again. The kernel takes
 * VLAN tags out of received frames and reports them beside: they are put back. Needs CAP_NET_RAW. Source: packet(7).
 */
#include "port.h"

#include <arpa/inet.h>
#include <errno.h>
#include <linux/if_ether.h>
#include <linux/if_packet.h>
#include <net/if.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

enum { TAG = 4, TAG_AT = 12, SOCKET_BUFFER = 8 << 20 /* bytes: a burst of some thousand frames */ };

static int bind_to(int fd, const char *netdev)
{
	unsigned int index = if_nametoindex(netdev);
	struct sockaddr_ll to = {
		.sll_family = AF_PACKET,
		.sll_protocol = htons(ETH_P_ALL),
		.sll_ifindex = (int)index,
	};
	struct packet_mreq promisc = {.mr_ifindex = (int)index, .mr_type = PACKET_MR_PROMISC};
	int on = 1;

	if (index == 0 || setsockopt(fd, SOL_PACKET, PACKET_IGNORE_OUTGOING, &on, sizeof(on)) ||
	    setsockopt(fd, SOL_PACKET, PACKET_AUXDATA, &on, sizeof(on)) ||
	    setsockopt(fd, SOL_PACKET, PACKET_ADD_MEMBERSHIP, &promisc, sizeof(promisc)) ||
	    bind(fd, (struct sockaddr *)&to, sizeof(to)))
		return -errno;
	return 0;
}

/* What the netdev does not take cannot be sent. Set when the port is opened, as the MTU of a NIC's driver is. */
static void limit_mtu(struct model_port *port, int fd, const char *netdev)
{
	struct ifreq ifr = {0};

	snprintf(ifr.ifr_name, sizeof(ifr.ifr_name), "%s", netdev);
	if (ioctl(fd, SIOCGIFMTU, &ifr) == 0 && ifr.ifr_mtu < port->dev->profile.mtu)
		port->dev->profile.mtu = (uint16_t)ifr.ifr_mtu;
}

static int packet_open(struct model_port *port, const char *netdev, const char *in, char *why,
		       size_t whylen)
{
	/* protocol 0: nothing is received before it is bound to the netdev */
	int fd = socket(AF_PACKET, SOCK_RAW | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
	int err = fd < 0 ? -errno : bind_to(fd, netdev);

	if (err) {
		snprintf(why, whylen, "port packet:%s: %s%s", netdev, strerror(-err),
			 err == -EPERM ? " (it needs CAP_NET_RAW)" : "");
		if (fd >= 0)
			close(fd);
		return err;
	}
	/* More than the default where that is allowed; less only means that bursts lose frames, as on any wire. */
	if (setsockopt(fd, SOL_SOCKET, SO_RCVBUFFORCE, &(int){SOCKET_BUFFER}, sizeof(int)))
		(void)setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &(int){SOCKET_BUFFER}, sizeof(int));
	limit_mtu(port, fd, netdev);
	port->fd = fd;
	return 0;
}

static void packet_close(struct model_port *port)
{
	close(port->fd);
}

static void packet_send(struct model_port *port, const uint8_t *frame, size_t len)
{
	if (send(port->fd, frame, len, 0) >= 0)
		return;
	switch (errno) {
	case EMSGSIZE: port_count_drop(port, MODEL_DROP_MTU); break;
	case EAGAIN:
	case ENOBUFS: port_count_drop(port, MODEL_DROP_PORT_FULL); break;
	default: port_count_drop(port, MODEL_DROP_PORT_DOWN); break; /* netdev down or gone */
	}
}

/* The tag that the kernel took out, as it was on the wire. */
static bool taken_tag(struct msghdr *msg, uint8_t tag[TAG])
{
	for (struct cmsghdr *c = CMSG_FIRSTHDR(msg); c; c = CMSG_NXTHDR(msg, c)) {
		struct tpacket_auxdata aux;
		uint16_t tpid, tci;

		if (c->cmsg_level != SOL_PACKET || c->cmsg_type != PACKET_AUXDATA ||
		    c->cmsg_len < CMSG_LEN(sizeof(aux)))
			continue;
		memcpy(&aux, CMSG_DATA(c), sizeof(aux));
		if (!(aux.tp_status & TP_STATUS_VLAN_VALID))
			return false;
		tpid = aux.tp_status & TP_STATUS_VLAN_TPID_VALID ? aux.tp_vlan_tpid : ETH_P_8021Q;
		tpid = htons(tpid);
		tci = htons(aux.tp_vlan_tci);
		memcpy(tag, &tpid, 2);
		memcpy(tag + 2, &tci, 2);
		return true;
	}
	return false;
}

/* Receive one frame. Returns whether one was there. */
static bool receive(struct model_port *port)
{
	uint8_t buf[TAG + MODEL_MAX_FRAME + 1], tag[TAG], *frame = buf + TAG;
	union {
		struct cmsghdr align;
		char bytes[CMSG_SPACE(sizeof(struct tpacket_auxdata))];
	} control;
	struct iovec iov = {.iov_base = frame, .iov_len = MODEL_MAX_FRAME + 1};
	struct msghdr msg = {
		.msg_iov = &iov,
		.msg_iovlen = 1,
		.msg_control = &control,
		.msg_controllen = sizeof(control),
	};
	ssize_t n = recvmsg(port->fd, &msg, 0);

	if (n < 0)
		return false;
	if (n >= TAG_AT && taken_tag(&msg, tag)) {
		frame -= TAG;
		memmove(frame, frame + TAG, TAG_AT);
		memcpy(frame + TAG_AT, tag, TAG);
		n += TAG;
	}
	port_received(port, frame, (size_t)n); /* too long ones are counted there */
	return true;
}

static int packet_poll(struct model_port *port, int max)
{
	int n = 0;

	while (n < max && receive(port))
		n++;
	return n;
}

const struct port_kind port_packet = {
	.name = "packet",
	.takes_arg = true,
	.open = packet_open,
	.close = packet_close,
	.send = packet_send,
	.poll = packet_poll,
};
