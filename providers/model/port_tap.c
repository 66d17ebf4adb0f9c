// SPDX-License-Identifier: BSD-2-Clause
/*
 * tap: a tap device of this network namespace, made when there is none of that name.
 *
 * What the port sends, the kernel receives on the netdev, and the other way round. One that the port makes goes with
 * it; one that was there (ip tuntap add) stays. It is set up and gets the port's MTU, or the port its MTU where that is
 * not allowed. Needs CAP_NET_ADMIN, or a tap device that belongs to this user. Source: Linux networking/tuntap.rst.
 */
#include "port.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/if_tun.h>
#include <net/if.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

static int attach_tap(const char *netdev)
{
	struct ifreq ifr = {0};
	int fd = open("/dev/net/tun", O_RDWR | O_NONBLOCK | O_CLOEXEC);

	if (fd < 0)
		return -errno;
	snprintf(ifr.ifr_name, sizeof(ifr.ifr_name), "%s", netdev);
	ifr.ifr_flags = IFF_TAP | IFF_NO_PI;
	if (ioctl(fd, TUNSETIFF, &ifr)) {
		int err = -errno;

		close(fd);
		return err;
	}
	return fd;
}

/* Up, and both ends of one MTU. */
static int set_up(struct model_port *port, const char *netdev)
{
	struct ifreq ifr = {0};
	int s = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0), err = 0;

	if (s < 0)
		return -errno;
	snprintf(ifr.ifr_name, sizeof(ifr.ifr_name), "%s", netdev);
	ifr.ifr_mtu = port->dev->profile.mtu;
	if (ioctl(s, SIOCSIFMTU, &ifr) && ioctl(s, SIOCGIFMTU, &ifr) == 0 &&
	    ifr.ifr_mtu < port->dev->profile.mtu)
		port->dev->profile.mtu = (uint16_t)ifr.ifr_mtu;
	if (ioctl(s, SIOCGIFFLAGS, &ifr)) {
		err = -errno;
	} else if (!(ifr.ifr_flags & IFF_UP)) {
		ifr.ifr_flags |= IFF_UP;
		err = ioctl(s, SIOCSIFFLAGS, &ifr) ? -errno : 0;
	}
	close(s);
	return err;
}

static int tap_open(struct model_port *port, const char *netdev, const char *in, char *why,
		    size_t whylen)
{
	int fd, err;

	if (strlen(netdev) >= IFNAMSIZ) {
		snprintf(why, whylen, "port tap:%s: a netdev's name has up to %d characters",
			 netdev, IFNAMSIZ - 1);
		return -EINVAL;
	}
	fd = attach_tap(netdev);
	err = fd < 0 ? fd : set_up(port, netdev);
	if (err < 0) {
		snprintf(why, whylen, "port tap:%s: %s%s", netdev, strerror(-err),
			 err == -EPERM || err == -EACCES ? " (it needs CAP_NET_ADMIN)" : "");
		if (fd >= 0)
			close(fd);
		return err;
	}
	port->fd = fd;
	return 0;
}

static void tap_close(struct model_port *port)
{
	close(port->fd);
}

static void tap_send(struct model_port *port, const uint8_t *frame, size_t len)
{
	if (write(port->fd, frame, len) >= 0)
		return;
	port_count_drop(port, errno == EAGAIN || errno == ENOBUFS ? MODEL_DROP_PORT_FULL
								  : MODEL_DROP_PORT_DOWN);
}

static int tap_poll(struct model_port *port, int max)
{
	uint8_t frame[MODEL_MAX_FRAME + 1];
	ssize_t len;
	int n = 0;

	for (; n < max && (len = read(port->fd, frame, sizeof(frame))) > 0; n++)
		port_received(port, frame, (size_t)len); /* too long ones are counted there */
	return n;
}

const struct port_kind port_tap = {
	.name = "tap",
	.takes_arg = true,
	.open = tap_open,
	.close = tap_close,
	.send = tap_send,
	.poll = tap_poll,
};
