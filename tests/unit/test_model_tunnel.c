// SPDX-License-Identifier: BSD-2-Clause
/*
 * Tunnels of the model against headers that scapy made (its lengths and checksums, blanked where the device fills them in):
 * around a packet and off again, and what is no tunnel of that kind, cut at every length and damaged.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "providers/model/model.h"

enum { ETH = 14, MOST = 256, ROUNDS = 20000 };
enum { L2 = PRM_REFORMAT_TYPE_L2_TO_L2_TUNNEL, L3 = PRM_REFORMAT_TYPE_L2_TO_L3_TUNNEL };

/* Ethernet / IP / UDP 1000 -> 2000 / "inside a tunnel" */
#define INNER4 \
	"02000000000202000000000108004500002b000100004011f6bdc0000201c000020203e807d000179e1d" \
	"696e7369646520612074756e6e656c"
#define INNER6 \
	"02000000000202000000000186dd600000000017114020010db800000000000000000000000120010db8" \
	"00000000000000000000000203e807d00017c6ac696e7369646520612074756e6e656c"

static const struct {
	const char *name, *header, *inner;
	int type;
} tunnels[] = {
	{"VXLAN over IPv4",
	 "02000000000402000000000308004500005d12340000401113f2c6336401c6336402c00012b50049000008000"
	 "000"
	 "00004d00",
	 INNER4, L2},
	{"VXLAN over IPv6",
	 "02000000000402000000000386dd60000000005d114020010db800010000000000000000000120010db800010"
	 "000"
	 "0000000000000002c00012b5005d00000800000000004d00",
	 INNER6, L2},
	{"GENEVE",
	 "02000000000402000000000308004500005d12340000401113f2c6336401c6336402c00017c10049000000006"
	 "558"
	 "00004d00",
	 INNER4, L2},
	{"NVGRE",
	 "02000000000402000000000308004500005512340000402f13dcc6336401c63364022000655800004d00",
	 INNER4, L2},
	{"GRE over IPv4",
	 "02000000000402000000000308004500004312340000402f13eec6336401c633640200000800", INNER4,
	 L3},
	{"GRE over IPv6",
	 "02000000000402000000000386dd6000000000432f4020010db800010000000000000000000120010db800010"
	 "000"
	 "0000000000000002000086dd",
	 INNER6, L3},
	{"IPv4 in IPv4", "02000000000402000000000308004500003f123400004004141dc6336401c6336402",
	 INNER4, L3},
	{"IPv6 in IPv6",
	 "02000000000402000000000386dd60000000003f294020010db800010000000000000000000120010db800010"
	 "000"
	 "0000000000000002",
	 INNER6, L3},
};
enum { TUNNELS = sizeof(tunnels) / sizeof(tunnels[0]) };

static struct model_pkt p;

static size_t bytes(const char *hex, uint8_t *to)
{
	size_t n = strlen(hex) / 2;

	for (size_t i = 0; i < n; i++) {
		char two[3] = {hex[2 * i], hex[2 * i + 1], 0};

		to[i] = (uint8_t)strtoul(two, NULL, 16);
	}
	return n;
}

static void load(const uint8_t *frame, size_t n)
{
	model_pkt_init(&p, false);
	memcpy(p.data, frame, n);
	p.len = n;
	model_pkt_parse(&p);
}

/* The context as a driver makes it: without lengths and checksum. */
static struct model_reformat context(int type, const char *header)
{
	struct model_reformat r = {.type = (uint8_t)type};
	size_t l4;

	r.len = (uint32_t)bytes(header, r.data);
	if (r.data[12] == 8) {
		memset(r.data + ETH + 2, 0, 2);
		memset(r.data + ETH + 10, 0, 2);
		l4 = r.data[ETH + 9] == 17 ? ETH + 20 : 0;
	} else {
		memset(r.data + ETH + 4, 0, 2);
		l4 = r.data[ETH + 6] == 17 ? ETH + 40 : 0;
	}
	if (l4)
		memset(r.data + l4 + 4, 0, 2);
	assert_true(model_tunnel_data_ok(r.type, r.data, r.len));
	return r;
}

/* What scapy would have sent. */
static size_t whole(int i, uint8_t *to)
{
	uint8_t inner[MOST];
	size_t n = bytes(tunnels[i].header, to), skip = tunnels[i].type == L3 ? ETH : 0;
	size_t len = bytes(tunnels[i].inner, inner) - skip;

	memcpy(to + n, inner + skip, len);
	return n + len;
}

static int take_off(int i, const struct model_reformat *ether)
{
	return tunnels[i].type == L2 ? model_tunnel_decap(&p) : model_tunnel_del(&p, ether);
}

static struct model_reformat new_ethernet(int i)
{
	struct model_reformat r = {.type = PRM_REFORMAT_TYPE_L3_TUNNEL_TO_L2, .len = ETH};

	bytes(tunnels[i].inner, p.buf);
	memcpy(r.data, p.buf, ETH);
	return r;
}

static void on_and_off(void **state)
{
	for (int i = 0; i < TUNNELS; i++) {
		struct model_reformat r = context(tunnels[i].type, tunnels[i].header);
		struct model_reformat ether = new_ethernet(i);
		uint8_t inner[MOST], want[MOST];
		size_t n = bytes(tunnels[i].inner, inner), total = whole(i, want);

		print_message("%s\n", tunnels[i].name);
		load(inner, n);
		assert_int_equal(model_tunnel_add(&p, &r), 0);
		assert_int_equal(p.len, total);
		assert_memory_equal(p.data, want, total);
		memset(p.data + p.len, 0xee, 6); /* padding of a short frame */
		p.len += 6;
		model_pkt_parse(&p);
		assert_int_equal(take_off(i, &ether), 0);
		assert_int_equal(p.len, n);
		assert_memory_equal(p.data, inner, n);
		assert_int_equal(p.l4_proto, 17); /* parsed anew */
		assert_int_equal(p.payload ? p.data[p.payload] : 0, 'i');
	}
}

static void not_of_that_kind(void **state)
{
	struct model_reformat ether = new_ethernet(0),
			      esp = {.type = PRM_REFORMAT_TYPE_DEL_ESP_TRANSPORT};
	uint8_t b[MOST];
	size_t n;

	for (int i = 0; i < TUNNELS; i++) {
		n = whole(i, b);
		load(b, n);
		assert_int_equal(tunnels[i].type == L2 ? model_tunnel_del(&p, &ether)
						       : model_tunnel_decap(&p),
				 -EPROTO);
		assert_memory_equal(p.data, b, n); /* as it was */
		assert_int_equal(model_tunnel_add(&p, &esp), -EPROTO);
		assert_int_equal(model_tunnel_del(&p, &esp), -EPROTO);
	}
	n = bytes(INNER4, b);
	load(b, n);
	assert_int_equal(model_tunnel_decap(&p), -EPROTO);
	assert_int_equal(model_tunnel_del(&p, &ether), -EPROTO);
	n = whole(0, b);
	b[ETH + 6] = 0x20; /* a fragment */
	load(b, n);
	assert_int_equal(model_tunnel_decap(&p), -EPROTO);
	n = whole(0, b);
	b[ETH + 28] = 0; /* VXLAN without a VNI */
	load(b, n);
	assert_int_equal(model_tunnel_decap(&p), -EPROTO);
	memset(b, 0, sizeof(b)); /* not IP: nothing to put inside of IP */
	load(b, 60);
	ether = context(L3, tunnels[6].header);
	assert_int_equal(model_tunnel_add(&p, &ether), -EPROTO);
}

static void too_long(void **state)
{
	struct model_reformat r = context(L2, tunnels[0].header);
	uint8_t b[MOST] = {0};
	int err = 0, times = 0;

	load(b, sizeof(b));
	while (!err) {
		err = model_tunnel_add(&p, &r);
		times++;
	}
	assert_int_equal(err, -EMSGSIZE);
	assert_int_equal(times, MODEL_HEADROOM / 50 + 1);
}

/* What a frame may hold is up to whoever sends it: nothing outside of it is read. ASan looks. */
static void cut_and_damaged(void **state)
{
	unsigned int seed = 1;

	for (int i = 0; i < TUNNELS; i++) {
		struct model_reformat ether = new_ethernet(i);
		uint8_t b[MOST];
		size_t n = whole(i, b);

		for (size_t cut = 0; cut < n; cut++) {
			load(b, cut);
			take_off(
				i,
				&ether); /* IPv6 says what is there, so that some of it is a packet */
			if (b[12] == 8)
				assert_memory_equal(p.data, b, cut);
		}
		for (int round = 0; round < ROUNDS; round++) {
			uint8_t bad[MOST];

			memcpy(bad, b, n);
			for (int k = 0; k < 3; k++)
				bad[(size_t)rand_r(&seed) % n] = (uint8_t)rand_r(&seed);
			load(bad, (size_t)rand_r(&seed) % (n + 1));
			if (take_off(i, &ether) == 0)
				assert_in_range(p.len, ETH, n);
		}
	}
}

static void data(void **state)
{
	uint8_t b[MOST];
	size_t n = bytes(tunnels[0].header, b);

	for (size_t cut = 0; cut < 42; cut++) /* its UDP header ends there */
		assert_false(model_tunnel_data_ok(L2, b, cut));
	assert_true(model_tunnel_data_ok(L2, b, n));
	b[ETH] = 0x44; /* an IPv4 header of 16 bytes */
	assert_false(model_tunnel_data_ok(L2, b, n));
	b[ETH] = 0x65;
	assert_false(model_tunnel_data_ok(L2, b, n));
	for (size_t len = 0; len < 32; len++)
		assert_int_equal(model_tunnel_data_ok(PRM_REFORMAT_TYPE_L3_TUNNEL_TO_L2, b, len),
				 len == 14 || len == 18);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(on_and_off), cmocka_unit_test(not_of_that_kind),
		cmocka_unit_test(too_long),   cmocka_unit_test(cut_and_damaged),
		cmocka_unit_test(data),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
