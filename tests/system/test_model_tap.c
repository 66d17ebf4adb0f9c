// SPDX-License-Identifier: BSD-2-Clause
/* The tap port in a network namespace of its own: both ways, MTU, and who owns the netdev. Skipped without privileges. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include <errno.h>
#include <poll.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lib/frames.h"
#include "providers/model/model.h"

static struct model_dev tap_dev, peer_dev;
static struct model_port *tap, *peer; /* the card's end and, by AF_PACKET, the kernel's */
static char why[256];
static struct frame f;

static struct {
	uint8_t bytes[MODEL_MAX_FRAME + 8];
	size_t len;
	struct model_dev *dev;
} got;

void model_rx_frame(struct model_dev *dev, const uint8_t *frame, size_t len)
{
	assert_true(len <= sizeof(got.bytes));
	memcpy(got.bytes, frame, len);
	got.len = len;
	got.dev = dev;
}

static bool run(const char *command)
{
	return system(command) == 0;
}

static int setup(void **state)
{
	memset(&tap_dev, 0, sizeof(tap_dev));
	memset(&peer_dev, 0, sizeof(peer_dev));
	tap_dev.profile.mtu = 4000;
	peer_dev.profile.mtu = 9000;
	assert_int_equal(model_port_open(&tap_dev, "tap:mlxo-t", &tap, why, sizeof(why)), 0);
	assert_int_equal(model_port_open(&peer_dev, "packet:mlxo-t", &peer, why, sizeof(why)), 0);
	return 0;
}

static int teardown(void **state)
{
	model_port_close(peer);
	model_port_close(tap);
	return 0;
}

/* f leaves `from` and comes out of `to` as it is. */
static void cross(struct model_port *from, struct model_port *to, const struct model_dev *dev)
{
	struct pollfd fd = {.fd = model_port_fd(to), .events = POLLIN};

	memset(&got, 0, sizeof(got));
	model_port_send(from, f.b, f.n);
	assert_int_equal(poll(&fd, 1, 10000), 1);
	assert_int_equal(model_port_poll(to, 10), 1);
	assert_ptr_equal(got.dev, dev);
	assert_int_equal(got.len, f.n);
	assert_memory_equal(got.bytes, f.b, f.n);
}

static void both_ways(void **state)
{
	for (size_t n = 46; n <= 4000; n += 659) {
		frame_eth(&f, 0x88b5);
		frame_pattern(&f, n);
		cross(tap, peer, &peer_dev);
		cross(peer, tap, &tap_dev);
	}
	assert_int_equal(tap_dev.drop[MODEL_DROP_PORT_DOWN], 0);
}

static void the_netdev_has_the_mtu(void **state)
{
	assert_true(run("ip link show mlxo-t | grep -q 'mtu 4000'"));
	assert_int_equal(peer_dev.profile.mtu, 4000);
	assert_true(run("ip link show mlxo-t | grep -q ',UP'"));
}

static void down(void **state)
{
	assert_true(run("ip link set mlxo-t down"));
	frame_eth(&f, 0x88b5);
	frame_pattern(&f, 100);
	model_port_send(tap, f.b, f.n);
	assert_int_equal(tap_dev.drop[MODEL_DROP_PORT_DOWN], 1);
}

/* What the port made goes with it; what was there stays. Two ports cannot have one. */
static void ownership(void **state)
{
	struct model_port *again = NULL;

	assert_int_equal(model_port_open(&peer_dev, "tap:mlxo-t", &again, why, sizeof(why)),
			 -EBUSY);
	assert_non_null(strstr(why, "tap:mlxo-t"));
	teardown(NULL);
	assert_false(run("ip link show mlxo-t 2>/dev/null | grep -q mlxo-t"));
	assert_true(run("ip tuntap add mlxo-t mode tap"));
	setup(NULL);
	teardown(NULL);
	assert_true(run("ip link show mlxo-t | grep -q mlxo-t"));
	assert_true(run("ip link del mlxo-t"));
	setup(NULL);
}

static void bad_names(void **state)
{
	struct model_port *p = NULL;

	assert_int_equal(model_port_open(&peer_dev, "tap:abcdefghijklmnop", &p, why, sizeof(why)),
			 -EINVAL);
	assert_int_equal(model_port_open(&peer_dev, "tap", &p, why, sizeof(why)), -EINVAL);
	assert_non_null(strstr(why, "tap:NETDEV"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(both_ways, setup, teardown),
		cmocka_unit_test_setup_teardown(the_netdev_has_the_mtu, setup, teardown),
		cmocka_unit_test_setup_teardown(down, setup, teardown),
		cmocka_unit_test_setup_teardown(ownership, setup, teardown),
		cmocka_unit_test(bad_names),
	};

	if (unshare(CLONE_NEWNET)) {
		fprintf(stderr, "SKIPPED: no network namespace: %s\n", strerror(errno));
		return 77;
	}
	/* the kernel sends nothing of its own on the netdev */
	if (!run("sysctl -qw net.ipv6.conf.default.disable_ipv6=1 2>/dev/null; "
		 "ip tuntap add mlxo-x mode tap && ip link del mlxo-x")) {
		fprintf(stderr, "SKIPPED: no tap device: ip tuntap failed\n");
		return 77;
	}
	return cmocka_run_group_tests(tests, NULL, NULL);
}
