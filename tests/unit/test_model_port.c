// SPDX-License-Identifier: BSD-2-Clause
/* Ports: specs, pair and loop, faults by seed, captures, and a netdev where the test may have one. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include <errno.h>
#include <pcap/pcap.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lib/frames.h"
#include "providers/model/model.h"

enum { KEEP = 5000 };

static struct model_dev dev_a, dev_b;
static struct model_port *a, *b;
static char why[256];

/* Frames that came in, in order, as their number; see number(). */
static struct {
	struct model_dev *dev;
	uint32_t number;
	size_t len;
} got[KEEP];
static int ngot, ndamaged;
static struct model_port *inner_poll; /* polled when a frame comes in */

static struct frame f;

/* An Ethernet frame that carries a number and a copy of it. */
static void number(uint32_t n, size_t payload)
{
	frame_eth(&f, 0x88b5);
	frame_put32(&f, n);
	frame_put32(&f, n);
	frame_pattern(&f, payload - 8);
}

void model_rx_frame(struct model_dev *dev, const uint8_t *frame, size_t len)
{
	struct frame want;
	uint32_t n = (uint32_t)prm_get(frame, 14 * 8, 32);

	assert_true(ngot < KEEP);
	want = f;
	number(n, len - 14);
	if (memcmp(frame, f.b, len) != 0)
		ndamaged++;
	f = want;
	got[ngot].dev = dev;
	got[ngot].number = n;
	got[ngot++].len = len;
	if (inner_poll)
		assert_int_equal(model_port_poll(inner_poll, 9), 0);
}

static int setup(void **state)
{
	memset(&dev_a, 0, sizeof(dev_a));
	memset(&dev_b, 0, sizeof(dev_b));
	dev_a.profile.mtu = dev_b.profile.mtu = 1500;
	a = b = NULL;
	ngot = ndamaged = 0;
	return 0;
}

static int teardown(void **state)
{
	model_port_close(a);
	model_port_close(b);
	return 0;
}

static void open_port(struct model_dev *dev, const char *spec, struct model_port **p)
{
	assert_int_equal(model_port_open(dev, spec, p, why, sizeof(why)), 0);
}

static void send_numbers(struct model_port *p, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++) {
		number(i, 50 + i % 100);
		model_port_send(p, f.b, f.n);
	}
}

static bool readable(struct model_port *p)
{
	struct pollfd fd = {.fd = model_port_fd(p), .events = POLLIN};

	return poll(&fd, 1, 0) == 1;
}

/* The receiver's MTU counts, too: of the IP packet, without tags. */
static void too_long_to_receive(void **state)
{
	open_port(&dev_a, "pair:rx-mtu", &a);
	open_port(&dev_b, "pair:rx-mtu", &b);
	dev_b.profile.mtu = 1400;
	number(1, 1400);
	model_port_send(a, f.b, f.n);
	number(2, 1401);
	model_port_send(a, f.b, f.n);
	model_port_poll(b, 9);
	assert_int_equal(ngot, 1);
	assert_int_equal(dev_b.drop[MODEL_DROP_RX_MTU], 1);
	assert_int_equal(dev_a.drop[MODEL_DROP_MTU], 0);
}

static void bad_specs(void **state)
{
	static const char *const bad[] = {"",
					  "pair",
					  "pair:",
					  "loop:x",
					  "wire:a",
					  "null:1",
					  "loop;drop=2",
					  "loop;drop=",
					  "loop;drop=0.1x",
					  "loop;dup=nan",
					  "loop;reorder=-0.1",
					  "loop;seed=-1",
					  "loop;seed=",
					  "loop;seed=99999999999999999999",
					  "loop;in=x",
					  "loop;speed=1",
					  "loop;capture=",
					  "loop;drop",
					  "pcap:",
					  "pcap:/nowhere/x",
					  "pcap:/dev/null;in=/nowhere/x",
					  "packet:",
					  "packet:no-such-dev0",
					  "loop;capture=/nowhere/x"};
	struct model_port *p = NULL;

	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		why[0] = '\0';
		assert_true(model_port_open(&dev_a, bad[i], &p, why, sizeof(why)) < 0);
		assert_true(strlen(why) > 10);
		assert_null(strchr(why, '\n'));
	}
}

static void pair_joins_two(void **state)
{
	struct model_port *c;

	open_port(&dev_a, "pair:one", &a);
	assert_string_equal(model_port_name(a), "pair:one");
	send_numbers(a, 3); /* nobody there yet */
	assert_int_equal(dev_a.drop[MODEL_DROP_PORT_DOWN], 3);
	open_port(&dev_b, "pair:one", &b);
	assert_int_equal(model_port_open(&dev_a, "pair:one", &c, why, sizeof(why)), -EBUSY);
	assert_int_equal(model_port_poll(b, 100), 0);
	assert_false(readable(b));
	send_numbers(a, 10);
	assert_true(readable(b));
	assert_false(readable(a));
	assert_int_equal(model_port_poll(b, 4), 4);
	assert_true(readable(b));
	assert_int_equal(model_port_poll(b, 100), 6);
	assert_false(readable(b));
	for (uint32_t i = 0; i < 10; i++) {
		assert_int_equal(got[i].number, i);
		assert_ptr_equal(got[i].dev, &dev_b);
	}
	assert_int_equal(ndamaged, 0);
	send_numbers(b, 1);
	assert_int_equal(model_port_poll(a, 100), 1);
	assert_ptr_equal(got[10].dev, &dev_a);
	assert_int_equal(dev_a.tx_packets, 13);
}

static void pair_closes_and_comes_back(void **state)
{
	open_port(&dev_a, "pair:two", &a);
	open_port(&dev_b, "pair:two", &b);
	send_numbers(a, 5);
	model_port_close(b);
	b = NULL;
	send_numbers(a, 1);
	assert_int_equal(dev_a.drop[MODEL_DROP_PORT_DOWN], 1);
	open_port(&dev_b, "pair:two", &b);
	assert_int_equal(model_port_poll(b, 100), 0); /* what waited is gone */
	assert_false(readable(b));
	send_numbers(a, 2);
	assert_int_equal(model_port_poll(b, 100), 2);
}

static void full_ring(void **state)
{
	open_port(&dev_a, "pair:three", &a);
	open_port(&dev_b, "pair:three", &b);
	send_numbers(a, 4100);
	assert_int_equal(dev_a.drop[MODEL_DROP_PORT_FULL], 4);
	assert_int_equal(model_port_poll(b, 5000), 4096);
	send_numbers(a, 1);
	assert_int_equal(model_port_poll(b, 5000), 1);
}

static void loop_and_null(void **state)
{
	open_port(&dev_a, "loop", &a);
	open_port(&dev_b, "null", &b);
	send_numbers(a, 2);
	assert_int_equal(model_port_poll(a, 100), 2);
	assert_ptr_equal(got[0].dev, &dev_a);
	send_numbers(b, 2);
	assert_int_equal(model_port_poll(b, 100), 0);
	assert_int_equal(model_port_fd(b), -1);
	assert_int_equal(dev_b.tx_packets, 2);
}

static void mtu_counts_the_ip_packet(void **state)
{
	open_port(&dev_a, "loop", &a);
	number(1, 1500);
	model_port_send(a, f.b, f.n);
	number(2, 1501);
	model_port_send(a, f.b, f.n);
	assert_int_equal(dev_a.drop[MODEL_DROP_MTU], 1);
	frame_eth(&f, 0x88a8); /* tags are not part of it */
	frame_vlan(&f, 1, 0x8100);
	frame_vlan(&f, 1, 0x88b5);
	frame_pattern(&f, 1500);
	model_port_send(a, f.b, f.n);
	frame_pattern(&f, 1);
	model_port_send(a, f.b, f.n);
	assert_int_equal(dev_a.drop[MODEL_DROP_MTU], 2);
	assert_int_equal(model_port_poll(a, 100), 2);
}

static void run_faults(const char *spec, uint32_t n)
{
	setup(NULL);
	open_port(&dev_a, spec, &a);
	send_numbers(a, n);
	while (model_port_poll(a, 100))
		;
}

static void faults(void **state)
{
	int lost, late = 0;

	run_faults("loop;drop=1", 10);
	assert_int_equal(ngot, 0);
	assert_int_equal(dev_a.drop[MODEL_DROP_PORT_LOSS], 10);
	teardown(NULL);
	run_faults("loop;dup=1", 10);
	assert_int_equal(ngot, 20);
	assert_int_equal(got[1].number, 0);
	teardown(NULL);
	run_faults("loop;corrupt=1", 10);
	assert_int_equal(ngot, 10);
	assert_int_equal(ndamaged, 10);
	teardown(NULL);
	run_faults("loop;reorder=1", 10); /* every second one is held back */
	assert_int_equal(ngot, 10);
	assert_int_equal(got[0].number, 1);
	assert_int_equal(got[1].number, 0);
	teardown(NULL);
	run_faults("loop;drop=0.1;reorder=0.1;seed=7", 2000);
	lost = (int)dev_a.drop[MODEL_DROP_PORT_LOSS];
	assert_in_range(lost, 120, 280);
	assert_in_range(ngot, 2000 - lost - 1, 2000 - lost); /* one may be held */
	for (int i = 1; i < ngot; i++)
		late += got[i].number < got[i - 1].number;
	assert_in_range(late, 100, 280);
}

static void same_seed_same_losses(void **state)
{
	static uint32_t first[KEEP];
	int n;

	run_faults("loop;drop=0.2;dup=0.1;reorder=0.1;seed=42", 1000);
	n = ngot;
	for (int i = 0; i < n; i++)
		first[i] = got[i].number;
	teardown(NULL);
	run_faults("loop;drop=0.2;dup=0.1;reorder=0.1;seed=42", 1000);
	assert_int_equal(ngot, n);
	for (int i = 0; i < n; i++)
		assert_int_equal(got[i].number, first[i]);
	teardown(NULL);
	run_faults("loop;drop=0.2;dup=0.1;reorder=0.1;seed=43", 1000);
	n = n < ngot ? n : ngot;
	for (int i = 0; i < n; i++)
		if (got[i].number != first[i])
			return;
	fail_msg("another seed gave the same losses");
}

static int count_frames(const char *path)
{
	char text[PCAP_ERRBUF_SIZE];
	pcap_t *p = pcap_open_offline_with_tstamp_precision(path, PCAP_TSTAMP_PRECISION_NANO, text);
	struct pcap_pkthdr *h;
	const u_char *bytes;
	int n = 0;

	assert_non_null(p);
	assert_int_equal(pcap_datalink(p), DLT_EN10MB);
	while (pcap_next_ex(p, &h, &bytes) == 1) {
		assert_int_equal(h->len, h->caplen);
		assert_int_equal(prm_get(bytes, 12 * 8, 16), 0x88b5);
		n++;
	}
	pcap_close(p);
	return n;
}

static void files(void **state)
{
	char dir[] = "/tmp/mlxo-port-XXXXXX", out[64], in[64], tap[64], spec[256];

	assert_non_null(mkdtemp(dir));
	snprintf(out, sizeof(out), "%s/out", dir);
	snprintf(in, sizeof(in), "%s/in", dir);
	snprintf(tap, sizeof(tap), "%s/tap", dir);
	snprintf(spec, sizeof(spec), "pcap:%s", in);
	open_port(&dev_a, spec, &a);
	send_numbers(a, 7);
	assert_int_equal(model_port_poll(a, 100), 0);
	model_port_close(a);
	assert_int_equal(count_frames(in), 7);
	snprintf(spec, sizeof(spec), "pcap:%s;in=%s;capture=%s", out, in, tap);
	open_port(&dev_a, spec, &a);
	send_numbers(a, 3);
	assert_int_equal(model_port_poll(a, 5), 5);
	assert_int_equal(model_port_poll(a, 5), 2);
	assert_int_equal(model_port_poll(a, 5), 0);
	assert_int_equal(ngot, 7);
	assert_int_equal(ndamaged, 0);
	model_port_close(a);
	a = NULL;
	assert_int_equal(count_frames(out), 3);
	assert_int_equal(count_frames(tap), 10);
	unlink(out);
	unlink(in);
	unlink(tap);
	rmdir(dir);
}

/* A poll from inside a poll (a callback that makes progress) does not take frames out of turn. */
static void poll_is_not_reentered(void **state)
{
	open_port(&dev_a, "loop", &a);
	send_numbers(a, 3);
	assert_int_equal(model_port_poll(a, 0), 0);
	inner_poll = a;
	assert_int_equal(model_port_poll(a, 2), 2);
	inner_poll = NULL;
	assert_int_equal(ngot, 2);
	assert_int_equal(model_port_poll(a, 9), 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(bad_specs, setup, teardown),
		cmocka_unit_test_setup_teardown(pair_joins_two, setup, teardown),
		cmocka_unit_test_setup_teardown(pair_closes_and_comes_back, setup, teardown),
		cmocka_unit_test_setup_teardown(full_ring, setup, teardown),
		cmocka_unit_test_setup_teardown(loop_and_null, setup, teardown),
		cmocka_unit_test_setup_teardown(mtu_counts_the_ip_packet, setup, teardown),
		cmocka_unit_test_setup_teardown(too_long_to_receive, setup, teardown),
		cmocka_unit_test_setup_teardown(faults, setup, teardown),
		cmocka_unit_test_setup_teardown(same_seed_same_losses, setup, teardown),
		cmocka_unit_test_setup_teardown(files, setup, teardown),
		cmocka_unit_test_setup_teardown(poll_is_not_reentered, setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
