// SPDX-License-Identifier: BSD-2-Clause
/* The packet port on a veth pair inside a network namespace of its own. Skipped where that is not allowed. */
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

static struct model_dev dev_a, dev_b;
static struct model_port *a, *b;
static char why[256];
static struct frame f;

static struct {
	uint8_t bytes[MODEL_MAX_FRAME + 8];
	size_t len;
	int n;
	struct model_dev *dev;
} got;

void model_rx_frame(struct model_dev *dev, const uint8_t *frame, size_t len)
{
	assert_true(len <= sizeof(got.bytes));
	memcpy(got.bytes, frame, len);
	got.len = len;
	got.dev = dev;
	got.n++;
}

static bool run(const char *command)
{
	return system(command) == 0;
}

static int setup(void **state)
{
	memset(&dev_a, 0, sizeof(dev_a));
	memset(&dev_b, 0, sizeof(dev_b));
	memset(&got, 0, sizeof(got));
	dev_a.profile.mtu = dev_b.profile.mtu = 9000;
	assert_int_equal(model_port_open(&dev_a, "packet:mlxo-a", &a, why, sizeof(why)), 0);
	assert_int_equal(model_port_open(&dev_b, "packet:mlxo-b", &b, why, sizeof(why)), 0);
	assert_int_equal(dev_a.profile.mtu, 1500); /* the netdev's, since it is less */
	return 0;
}

static int teardown(void **state)
{
	model_port_close(a);
	model_port_close(b);
	return 0;
}

/* Send f on a; it must come out of b as it is. */
static void cross(void)
{
	struct pollfd fd = {.fd = model_port_fd(b), .events = POLLIN};

	got.n = 0;
	model_port_send(a, f.b, f.n);
	assert_int_equal(poll(&fd, 1, 10000), 1);
	assert_int_equal(model_port_poll(b, 10), 1);
	assert_ptr_equal(got.dev, &dev_b);
	assert_int_equal(got.len, f.n);
	assert_memory_equal(got.bytes, f.b, f.n);
}

static void frames_cross(void **state)
{
	for (size_t n = 46; n <= 1500; n += 97) {
		frame_eth(&f, 0x88b5);
		frame_pattern(&f, n);
		cross();
	}
	assert_int_equal(model_port_poll(a, 10), 0); /* our own are not seen again */
	assert_int_equal(dev_a.drop[MODEL_DROP_MTU], 0);
}

/* To a foreign address, with one tag and two: the kernel takes the first out and the port puts it back. */
static void tags_and_foreign_addresses(void **state)
{
	frame_eth(&f, 0x8100);
	frame_vlan(&f, 3 << 13 | 42, 0x88b5);
	frame_pattern(&f, 100);
	f.b[5] = 0x99;
	cross();
	frame_eth(&f, 0x88a8);
	frame_vlan(&f, 7, 0x8100);
	frame_vlan(&f, 8, 0x88b5);
	frame_pattern(&f, 100);
	cross();
}

static void too_long_for_the_netdev(void **state)
{
	frame_eth(&f, 0x88b5);
	frame_pattern(&f, 1600);
	model_port_send(a, f.b, f.n);
	assert_int_equal(dev_a.drop[MODEL_DROP_MTU], 1);
	/* Less than when it was opened: the kernel refuses the frame. */
	assert_true(run("ip link set mlxo-a mtu 1400"));
	frame_eth(&f, 0x88b5);
	frame_pattern(&f, 1450);
	model_port_send(a, f.b, f.n);
	assert_true(run("ip link set mlxo-a mtu 1500"));
	assert_int_equal(dev_a.drop[MODEL_DROP_MTU], 2);
	assert_int_equal(model_port_poll(b, 10), 0);
}

static void netdev_down(void **state)
{
	frame_eth(&f, 0x88b5);
	frame_pattern(&f, 100);
	assert_true(run("ip link set mlxo-a down"));
	model_port_send(a, f.b, f.n);
	assert_int_equal(dev_a.drop[MODEL_DROP_PORT_DOWN], 1);
	assert_int_equal(model_port_poll(a, 10), 0);
	assert_true(run("ip link set mlxo-a up"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(frames_cross, setup, teardown),
		cmocka_unit_test_setup_teardown(tags_and_foreign_addresses, setup, teardown),
		cmocka_unit_test_setup_teardown(too_long_for_the_netdev, setup, teardown),
		cmocka_unit_test_setup_teardown(netdev_down, setup, teardown),
	};

	if (unshare(CLONE_NEWNET)) {
		fprintf(stderr, "SKIPPED: no network namespace: %s\n", strerror(errno));
		return 77;
	}
	if (!run("sysctl -qw net.ipv6.conf.default.disable_ipv6=1 2>/dev/null; "
		 "ip link add mlxo-a type veth peer name mlxo-b && ip link set mlxo-a up && ip "
		 "link set mlxo-b up")) {
		fprintf(stderr, "SKIPPED: no veth pair: ip link failed\n");
		return 77;
	}
	/* The kernel takes a moment to give a link its queue; what is sent before is lost. */
	if (!run("for i in $(seq 200); do [ $(ip link show up | grep -c 'mlxo-.*state UP') = 2 ] "
		 "&& exit; "
		 "sleep 0.05; done; exit 1")) {
		fprintf(stderr, "the veth pair does not come up\n");
		return 1;
	}
	return cmocka_run_group_tests(tests, NULL, NULL);
}
