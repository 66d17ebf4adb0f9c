// SPDX-License-Identifier: BSD-2-Clause
/*
 * The hash of receive side scaling: the published vectors of "Verifying the RSS Hash Calculation" (Microsoft, IPv4
 * and IPv6, with and without ports), what symmetry and the selectors do, and inverted XOR8.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <arpa/inet.h>
#include <cmocka.h>
#include <string.h>

#include "lib/frames.h"
#include "providers/model/model.h"

static const uint8_t key[40] = {0x6d, 0x5a, 0x56, 0xda, 0x25, 0x5b, 0x0e, 0xc2, 0x41, 0x67,
				0x25, 0x3d, 0x43, 0xa3, 0x8f, 0xb0, 0xd0, 0xca, 0x2b, 0xcb,
				0xae, 0x7b, 0x30, 0xb4, 0x77, 0xcb, 0x2d, 0xa3, 0x80, 0x30,
				0xf2, 0x0c, 0x6a, 0x42, 0xb7, 0x3b, 0xbe, 0xac, 0x01, 0xfa};

enum {
	IPS = PRM_RX_HASH_FIELD_SRC_IP | PRM_RX_HASH_FIELD_DST_IP,
	PORTS = PRM_RX_HASH_FIELD_L4_SPORT | PRM_RX_HASH_FIELD_L4_DPORT,
};

static const struct vector {
	const char *src, *dst;
	uint16_t sport, dport;
	uint32_t ip, tcp;
} vectors[] = {
	{"66.9.149.187", "161.142.100.80", 2794, 1766, 0x323e8fc2, 0x51ccc178},
	{"199.92.111.2", "65.69.140.83", 14230, 4739, 0xd718262a, 0xc626b0ea},
	{"24.19.198.95", "12.22.207.184", 12898, 38024, 0xd2d0a5de, 0x5c2b394a},
	{"38.27.205.30", "209.142.163.6", 48228, 2217, 0x82989176, 0xafc7327f},
	{"153.39.163.191", "202.188.127.2", 44251, 1303, 0x5d1809c5, 0x10e828a2},
	{"3ffe:2501:200:1fff::7", "3ffe:2501:200:3::1", 2794, 1766, 0x2cc18cd5, 0x40207d3d},
	{"3ffe:501:8::260:97ff:fe40:efab", "ff02::1", 14230, 4739, 0x0f0c461c, 0xdde51bbf},
	{"3ffe:1900:4545:3:200:f8ff:fe21:67cf", "fe80::200:f8ff:fe21:67cf", 44251, 38024,
	 0x4b61e985, 0x02d1feef},
};

static struct model_pkt pkt;

/* A TCP packet, UDP with `udp`; back: source and destination exchanged. */
static void packet(const struct vector *v, bool udp, bool back)
{
	bool v6 = strchr(v->src, ':');
	int family = v6 ? AF_INET6 : AF_INET;
	size_t n = v6 ? 16 : 4, at = 14 + (v6 ? 8 : 12);
	struct frame f;

	frame_eth(&f, v6 ? 0x86dd : 0x0800);
	if (v6)
		frame_ipv6(&f, udp ? 17 : 6);
	else
		frame_ipv4(&f, udp ? 17 : 6, 0);
	if (udp)
		frame_udp(&f, back ? v->dport : v->sport, back ? v->sport : v->dport);
	else
		frame_tcp(&f, back ? v->dport : v->sport, back ? v->sport : v->dport);
	frame_pattern(&f, 100);
	frame_end(&f);
	assert_int_equal(inet_pton(family, back ? v->dst : v->src, f.b + at), 1);
	assert_int_equal(inet_pton(family, back ? v->src : v->dst, f.b + at + n), 1);
	model_pkt_init(&pkt, false);
	memcpy(pkt.data, f.b, f.n);
	pkt.len = f.n;
	model_pkt_parse(&pkt);
}

static struct model_rss rss(const struct vector *v, uint32_t fields)
{
	struct model_rss r = {.fn = PRM_RX_HASH_FN_TOEPLITZ, .fields = fields};

	r.l3 = strchr(v->src, ':') ? PRM_RX_HASH_L3_IPV6 : PRM_RX_HASH_L3_IPV4;
	memcpy(r.key, key, sizeof(key));
	return r;
}

#define FOR_VECTORS(v) \
	for (const struct vector *v = vectors; v < vectors + sizeof(vectors) / sizeof(*v); v++)

static void published_vectors(void **state)
{
	FOR_VECTORS(v)
	{
		struct model_rss ip = rss(v, IPS), tcp = rss(v, IPS | PORTS);

		packet(v, false, false);
		assert_int_equal(model_rss_hash(&ip, &pkt).value, v->ip);
		assert_int_equal(model_rss_hash(&tcp, &pkt).value, v->tcp);
		packet(v, true, false); /* ports are ports */
		tcp.l4 = PRM_RX_HASH_L4_UDP;
		assert_int_equal(model_rss_hash(&tcp, &pkt).value, v->tcp);
	}
}

static void types(void **state)
{
	const struct vector *v4 = &vectors[0], *v6 = &vectors[5];
	struct model_rss r = rss(v4, IPS | PORTS);

	packet(v4, false, false);
	assert_int_equal(model_rss_hash(&r, &pkt).type, 0x44); /* IPv4, TCP */
	packet(v4, true, false); /* UDP where TCP is selected: addresses only */
	assert_int_equal(model_rss_hash(&r, &pkt).type, 0x04);
	assert_int_equal(model_rss_hash(&r, &pkt).value, v4->ip);
	packet(v6, true, false); /* neither */
	assert_int_equal(model_rss_hash(&r, &pkt).type, 0);
	assert_int_equal(model_rss_hash(&r, &pkt).value, 0);
	r = rss(v6, IPS | PORTS);
	r.l4 = PRM_RX_HASH_L4_UDP;
	assert_int_equal(model_rss_hash(&r, &pkt).type, 0x88); /* IPv6, UDP */
	r.fields = 0;
	assert_int_equal(model_rss_hash(&r, &pkt).value, 0);
}

static void both_ways(void **state)
{
	FOR_VECTORS(v)
	{
		struct model_rss r = rss(v, IPS | PORTS);
		uint32_t there;

		packet(v, false, false);
		there = model_rss_hash(&r, &pkt).value;
		packet(v, false, true);
		assert_int_not_equal(model_rss_hash(&r, &pkt).value, there);
		r.symmetric = true;
		there = model_rss_hash(&r, &pkt).value;
		packet(v, false, false);
		assert_int_equal(model_rss_hash(&r, &pkt).value, there);
	}
}

static void esp_by_spi(void **state)
{
	struct model_rss r = rss(&vectors[0], PRM_RX_HASH_FIELD_IPSEC_SPI);
	struct frame f;

	memset(r.key, 0, sizeof(r.key));
	r.key[3] = 1; /* bit 31: the last bit of the hash for the first bit of the SPI, and so on */
	frame_eth(&f, 0x0800);
	frame_ipv4(&f, 50, 0);
	frame_put32(&f, 0x80000001);
	frame_put32(&f, 1);
	frame_pattern(&f, 32);
	frame_end(&f);
	model_pkt_init(&pkt, false);
	memcpy(pkt.data, f.b, f.n);
	pkt.len = f.n;
	model_pkt_parse(&pkt);
	assert_int_equal(model_rss_hash(&r, &pkt).value, 0x80000001);
	assert_int_equal(model_rss_hash(&r, &pkt).type, 0xc0);
}

static void xor8(void **state)
{
	struct model_rss r = rss(&vectors[0], IPS);

	r.fn = PRM_RX_HASH_FN_INVERTED_XOR8;
	packet(&(struct vector){"1.2.4.8", "16.0.0.0", 1, 2, 0, 0}, false, false);
	assert_int_equal(model_rss_hash(&r, &pkt).value, 0xf8); /* 0x1f from behind */
	assert_int_equal(model_rss_index(&r, 0xf8, 1), 0);
	assert_int_equal(model_rss_index(&r, 0xf8, 2), 1);
	assert_int_equal(model_rss_index(&r, 0xf8, 16), 0xf);
	assert_int_equal(model_rss_index(&r, 0xf8, 256), 0xf8);
	r.fn = PRM_RX_HASH_FN_TOEPLITZ;
	assert_int_equal(model_rss_index(&r, 0x51ccc178, 128), 0x78);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(published_vectors),
		cmocka_unit_test(types),
		cmocka_unit_test(both_ways),
		cmocka_unit_test(esp_by_spi),
		cmocka_unit_test(xor8),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
