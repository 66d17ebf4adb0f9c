// SPDX-License-Identifier: BSD-2-Clause
/* The model's parser and checksums against crafted frames, cut at every length, and against damaged ones. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "lib/frames.h"
#include "providers/model/model.h"

static struct model_pkt pkt, other;
static struct frame f;

static void load(struct model_pkt *p, const struct frame *fr)
{
	model_pkt_init(p, false);
	memcpy(p->data, fr->b, fr->n);
	p->len = fr->n;
	model_pkt_parse(p);
}

static uint32_t image(const struct model_pkt *p, unsigned int section, unsigned int off,
		      unsigned int width)
{
	unsigned int bit = section + off;

	return (p->image[bit / 32] >> (32 - bit % 32 - width)) &
	       (width == 32 ? 0xffffffff : (UINT32_C(1) << width) - 1);
}

#define FIELD(section, layout, field) \
	image(&pkt, PRM_OFFSET(fte_match_param, section), PRM_OFFSET(layout, field), \
	      PRM_WIDTH(layout, field))
#define OUTER(field) FIELD(outer_headers, fte_match_set_lyr_2_4, field)
#define MISC(field) FIELD(misc_parameters, fte_match_set_misc, field)
#define MISC2(field) FIELD(misc_parameters_2, fte_match_set_misc2, field)
#define MISC3(field) FIELD(misc_parameters_3, fte_match_set_misc3, field)
#define ADDR(field, word) \
	pkt.image[(PRM_OFFSET(fte_match_param, outer_headers) + \
		   PRM_OFFSET(fte_match_set_lyr_2_4, field)) / \
			  32 + \
		  (word)]

static void tcp_over_ipv4(void **state)
{
	frame_eth(&f, 0x0800);
	frame_ipv4(&f, 6, 0);
	frame_tcp(&f, 5000, 5001);
	frame_pattern(&f, 11);
	frame_end(&f);
	load(&pkt, &f);
	assert_int_equal(OUTER(dmac_47_16), 0x02000000);
	assert_int_equal(OUTER(dmac_15_0), 0x0002);
	assert_int_equal(OUTER(smac_47_16), 0x02000000);
	assert_int_equal(OUTER(smac_15_0), 0x0001);
	assert_int_equal(OUTER(ethertype), 0x0800);
	assert_int_equal(OUTER(ip_version), 4);
	assert_int_equal(OUTER(ipv4_ihl), 5);
	assert_int_equal(OUTER(ip_dscp), 10);
	assert_int_equal(OUTER(ip_ecn), 1);
	assert_int_equal(OUTER(ttl_hoplimit), 64);
	assert_int_equal(OUTER(ip_protocol), 6);
	assert_int_equal(OUTER(frag), 0);
	assert_int_equal(ADDR(src_ipv4_src_ipv6, 3), 0xc0000201);
	assert_int_equal(ADDR(dst_ipv4_dst_ipv6, 3), 0xc0000202);
	assert_int_equal(ADDR(src_ipv4_src_ipv6, 0), 0);
	assert_int_equal(OUTER(tcp_sport), 5000);
	assert_int_equal(OUTER(tcp_dport), 5001);
	assert_int_equal(OUTER(tcp_flags), 0x18);
	assert_int_equal(OUTER(udp_sport), 0);
	assert_int_equal(OUTER(l4_type), 1);
	assert_int_equal(MISC3(outer_tcp_seq_num), 0x01020304);
	assert_int_equal(MISC3(outer_tcp_ack_num), 0x05060708);
	assert_int_equal(pkt.l3, 14);
	assert_int_equal(pkt.l4, 34);
	assert_int_equal(pkt.payload, 54);
	assert_int_equal(pkt.l3_end, f.n);
	assert_int_equal(pkt.esp_at, 34);
	assert_int_equal(pkt.nh_at, 23);
}

static void udp_behind_options_and_tags(void **state)
{
	frame_eth(&f, 0x88a8);
	frame_vlan(&f, 5 << 13 | 1 << 12 | 0x123, 0x8100);
	frame_vlan(&f, 2 << 13 | 0x456, 0x0800);
	frame_ipv4(&f, 17, 40);
	frame_udp(&f, 53, 1024);
	frame_pattern(&f, 3);
	frame_end(&f);
	frame_pattern(&f, 5); /* padding behind the packet */
	load(&pkt, &f);
	assert_int_equal(OUTER(ethertype), 0x0800);
	assert_int_equal(OUTER(svlan_tag), 1);
	assert_int_equal(OUTER(cvlan_tag), 0);
	assert_int_equal(OUTER(first_prio), 5);
	assert_int_equal(OUTER(first_cfi), 1);
	assert_int_equal(OUTER(first_vid), 0x123);
	assert_int_equal(MISC(outer_second_cvlan_tag), 1);
	assert_int_equal(MISC(outer_second_prio), 2);
	assert_int_equal(MISC(outer_second_vid), 0x456);
	assert_int_equal(OUTER(ipv4_ihl), 15);
	assert_int_equal(OUTER(udp_sport), 53);
	assert_int_equal(OUTER(udp_dport), 1024);
	assert_int_equal(OUTER(tcp_sport), 0);
	assert_int_equal(OUTER(l4_type), 2);
	assert_int_equal(pkt.l3_end, f.n - 5);
	assert_int_equal(pkt.l4, 22 + 60);
}

static void ipv6_extension_headers(void **state)
{
	frame_eth(&f, 0x86dd);
	frame_ipv6(&f, 0);
	frame_ext(&f, 43, 16); /* hop-by-hop, then routing */
	frame_ext(&f, 60, 8);
	frame_ext(&f, 6, 24); /* destination options: belong behind an ESP header */
	frame_tcp(&f, 7, 9);
	frame_end(&f);
	load(&pkt, &f);
	assert_int_equal(OUTER(ip_version), 6);
	assert_int_equal(OUTER(ip_dscp), 10);
	assert_int_equal(OUTER(ip_ecn), 1);
	assert_int_equal(OUTER(ttl_hoplimit), 64);
	assert_int_equal(OUTER(ip_protocol), 6);
	assert_int_equal(OUTER(tcp_dport), 9);
	assert_int_equal(MISC(outer_ipv6_flow_label), 0x54321);
	assert_int_equal(ADDR(src_ipv4_src_ipv6, 0), 0x20010db8);
	assert_int_equal(ADDR(src_ipv4_src_ipv6, 3), 1);
	assert_int_equal(ADDR(dst_ipv4_dst_ipv6, 3), 2);
	assert_int_equal(pkt.l4, 14 + 40 + 48);
	assert_int_equal(pkt.esp_at, 14 + 40 + 24);
	assert_int_equal(pkt.nh_at, 14 + 40 + 16);
}

/* Longer by its own word than the frame: ports are matched, and its checksum is not good although it adds up. */
static void ipv6_that_is_cut(void **state)
{
	struct model_pkt_sum sum;

	frame_eth(&f, 0x86dd);
	frame_ipv6(&f, 6);
	frame_tcp(&f, 80, 81);
	frame_pattern(&f, 10);
	frame_end(&f);
	load(&pkt, &f);
	model_pkt_verify(&pkt, &sum);
	assert_true(sum.hds_ip_ext & PRM_CQE_L4_OK);
	f.b[f.l3 + 5]++;
	load(&pkt, &f);
	model_pkt_verify(&pkt, &sum);
	assert_int_equal(OUTER(tcp_sport), 80);
	assert_int_equal(OUTER(ip_protocol), 6);
	assert_int_equal(pkt.l3_end, f.n);
	assert_false(sum.hds_ip_ext & PRM_CQE_L4_OK);
}

static void destination_options_before_routing(void **state)
{
	frame_eth(&f, 0x86dd);
	frame_ipv6(&f, 60);
	frame_ext(&f, 43, 8);
	frame_ext(&f, 17, 8);
	frame_udp(&f, 7, 9);
	frame_end(&f);
	load(&pkt, &f);
	assert_int_equal(pkt.esp_at, 14 + 40 + 16);
	assert_int_equal(pkt.nh_at, 14 + 40 + 8);
	assert_int_equal(pkt.l4, 14 + 40 + 16);
}

static void icmp_types(void **state)
{
	frame_eth(&f, 0x86dd);
	frame_ipv6(&f, 58);
	frame_put32(&f, 0x87050000); /* neighbour solicitation */
	frame_put32(&f, 0xa1b2c3d4);
	frame_end(&f);
	load(&pkt, &f);
	assert_int_equal(MISC3(icmpv6_type), 0x87);
	assert_int_equal(MISC3(icmpv6_code), 5);
	assert_int_equal(MISC3(icmpv6_header_data), 0xa1b2c3d4);
	assert_int_equal(MISC3(icmp_type), 0);
	frame_eth(&f, 0x0800);
	frame_ipv4(&f, 1, 0);
	frame_put32(&f, 0x08010000);
	frame_put32(&f, 0x00010002);
	frame_end(&f);
	load(&pkt, &f);
	assert_int_equal(MISC3(icmp_type), 8);
	assert_int_equal(MISC3(icmp_code), 1);
	assert_int_equal(MISC3(icmp_header_data), 0x00010002);
	assert_int_equal(MISC3(icmpv6_type), 0);
	assert_int_equal(OUTER(l4_type), 0);
	/* ICMPv6 in IPv4 is not ICMPv6 */
	f.b[14 + 9] = 58;
	load(&pkt, &f);
	assert_int_equal(MISC3(icmpv6_type), 0);
	assert_int_equal(pkt.l4, 0);
}

static void esp_spi(void **state)
{
	frame_eth(&f, 0x0800);
	frame_ipv4(&f, 50, 0);
	frame_put32(&f, 0x11223344);
	frame_pattern(&f, 40);
	frame_end(&f);
	load(&pkt, &f);
	assert_int_equal(MISC(outer_esp_spi), 0x11223344);
	assert_int_equal(MISC(inner_esp_spi), 0);
	assert_int_equal(OUTER(ip_protocol), 50);
	frame_eth(&f, 0x86dd);
	frame_ipv6(&f, 60);
	frame_ext(&f, 50, 8);
	frame_put32(&f, 0x11223344);
	frame_pattern(&f, 40);
	frame_end(&f);
	load(&pkt, &f);
	assert_int_equal(MISC(outer_esp_spi), 0x11223344);
	assert_int_equal(pkt.esp_at, pkt.l4); /* what removes the header needs this place */
	assert_int_equal(pkt.nh_at, 14 + 40);
	frame_eth(&f, 0x0800);
	frame_ipv4(&f, 17, 0);
	frame_udp(&f, 4500, 4500);
	frame_put32(&f, 0x55667788);
	frame_pattern(&f, 40);
	frame_end(&f);
	load(&pkt, &f);
	assert_int_equal(MISC(inner_esp_spi), 0x55667788);
	assert_int_equal(MISC(outer_esp_spi), 0);
	memset(f.b + 42, 0, 4); /* IKE on the same port */
	load(&pkt, &f);
	assert_int_equal(MISC(inner_esp_spi), 0);
}

/* A fragment shows neither ports nor SPI, not even the first one. */
static void fragments(void **state)
{
	static const uint16_t v4[] = {0x2000, 0x2001, 0x0001},
			      v6[] = {0x0001, 0x0009, 0x0008, 0x0000};

	for (size_t i = 0; i < 3; i++)
		for (int proto = 6; proto <= 50; proto += 44) {
			frame_eth(&f, 0x0800);
			frame_ipv4(&f, (uint8_t)proto, 0);
			frame_tcp(&f, 5, 6);
			frame_pattern(&f, 24);
			frame_end(&f);
			f.b[20] = (uint8_t)(v4[i] >> 8);
			f.b[21] = (uint8_t)v4[i];
			load(&pkt, &f);
			assert_int_equal(OUTER(frag), 1);
			assert_int_equal(OUTER(ip_protocol), proto);
			assert_int_equal(OUTER(tcp_sport), 0);
			assert_int_equal(MISC(outer_esp_spi), 0);
			assert_int_equal(pkt.l4, 0);
			assert_true(pkt.frag);
		}
	for (size_t i = 0; i < 4; i++) {
		frame_eth(&f, 0x86dd);
		frame_ipv6(&f, 44);
		frame_put16(&f, 6 << 8);
		frame_put16(&f, v6[i]);
		frame_put32(&f, 77);
		frame_tcp(&f, 5, 6);
		f.l4_proto = 44;
		frame_end(&f);
		load(&pkt, &f);
		assert_int_equal(OUTER(frag), 1);
		assert_int_equal(OUTER(ip_protocol), 44);
		assert_int_equal(OUTER(tcp_sport), 0);
		assert_int_equal(pkt.l4, 0);
	}
}

static void registers_and_source(void **state)
{
	frame_eth(&f, 0x88b5);
	frame_pattern(&f, 46);
	model_pkt_init(&pkt, true);
	memcpy(pkt.data, f.b, f.n);
	pkt.len = f.n;
	pkt.sqn = 0x123456;
	pkt.reg_a = 0xaaaaaaaa;
	for (uint32_t i = 0; i < 8; i++)
		pkt.reg_c[i] = 0xc0 + i;
	pkt.ipsec_syndrome = 2;
	pkt.ipsec_next_header = 17;
	model_pkt_parse(&pkt);
	assert_int_equal(MISC(source_sqn), 0x123456);
	assert_int_equal(MISC2(metadata_reg_a), 0xaaaaaaaa);
	assert_int_equal(MISC2(metadata_reg_c_0), 0xc0);
	assert_int_equal(MISC2(metadata_reg_c_4), 0xc4);
	assert_int_equal(MISC2(metadata_reg_c_7), 0xc7);
	assert_int_equal(MISC2(ipsec_syndrome), 2);
	assert_int_equal(MISC2(ipsec_next_header), 17);
	pkt.tx = false;
	model_pkt_parse(&pkt);
	assert_int_equal(MISC(source_sqn), 0);
}

/* Parse the first n bytes with different bytes behind them: what is behind the end must not be seen. */
static void check_bounds(const struct frame *fr, size_t n)
{
	model_pkt_init(&pkt, false);
	model_pkt_init(&other, false);
	memset(pkt.data, 0x00, fr->n + 64);
	memset(other.data, 0xff, fr->n + 64);
	memcpy(pkt.data, fr->b, n);
	memcpy(other.data, fr->b, n);
	pkt.len = other.len = n;
	model_pkt_parse(&pkt);
	model_pkt_parse(&other);
	assert_memory_equal(pkt.image, other.image, sizeof(pkt.image));
	assert_int_equal(pkt.l3, other.l3);
	assert_int_equal(pkt.l4, other.l4);
	assert_int_equal(pkt.payload, other.payload);
	assert_int_equal(pkt.l3_end, other.l3_end);
	assert_int_equal(pkt.esp_at, other.esp_at);
	assert_true(pkt.l3 <= n && pkt.l4 <= n && pkt.payload <= n && pkt.l3_end <= n &&
		    pkt.esp_at <= n);
	assert_true(pkt.l4 == 0 ||
		    (pkt.l3 < pkt.l4 && pkt.l4 < pkt.payload && pkt.payload <= pkt.l3_end));
}

/* One frame of each shape. Returns false behind the last. */
static bool shape(unsigned int i)
{
	static const uint8_t protos[] = {6, 17, 1, 58, 50, 99};
	unsigned int proto = i % 6, l3 = i / 6 % 4, l2 = i / 24;

	if (l2 > 2)
		return false;
	frame_eth(&f, l2 == 0 ? (l3 < 2 ? 0x0800 : 0x86dd) : 0x8100);
	if (l2 == 2)
		frame_vlan(&f, 7, 0x8100);
	if (l2)
		frame_vlan(&f, 8, l3 < 2 ? 0x0800 : 0x86dd);
	switch (l3) {
	case 0: frame_ipv4(&f, protos[proto], 0); break;
	case 1: frame_ipv4(&f, protos[proto], 12); break;
	case 2: frame_ipv6(&f, protos[proto]); break;
	default:
		frame_ipv6(&f, 0);
		frame_ext(&f, 60, 8);
		frame_ext(&f, protos[proto], 16);
		break;
	}
	if (protos[proto] == 6)
		frame_tcp(&f, 1, 2);
	else if (protos[proto] == 17)
		frame_udp(&f, 4500, 4500);
	frame_pattern(&f, 40);
	frame_end(&f);
	return true;
}

static void cut_at_every_length(void **state)
{
	for (unsigned int i = 0; shape(i); i++)
		for (size_t n = 0; n <= f.n; n++)
			check_bounds(&f, n);
}

static void damaged_everywhere(void **state)
{
	static const uint8_t values[] = {0x00, 0x01, 0x7f, 0x80, 0xff};

	for (unsigned int i = 0; shape(i); i++)
		for (size_t at = 12; at < f.n; at++) {
			uint8_t was = f.b[at];

			for (size_t v = 0; v < sizeof(values); v++) {
				f.b[at] = values[v];
				check_bounds(&f, f.n);
			}
			f.b[at] = was;
		}
}

static void checksums_are_filled(void **state)
{
	for (unsigned int i = 0; shape(i); i++) {
		struct frame right = f;

		if (f.l4_proto != 6 && f.l4_proto != 17)
			continue;
		load(&pkt, &f);
		if (pkt.ip_version == 4)
			prm_put(pkt.data + pkt.l3, 80, 16, 0xdead);
		prm_put(pkt.data + pkt.l4, f.l4_proto == 6 ? 128 : 48, 16, 0xbeef);
		model_pkt_csum(&pkt, PRM_WQE_ETH_CSUM_L3 | PRM_WQE_ETH_CSUM_L4);
		assert_memory_equal(pkt.data, right.b, right.n);
	}
}

static void checksums_only_when_asked(void **state)
{
	shape(0);
	load(&pkt, &f);
	prm_put(pkt.data + pkt.l3, 80, 16, 0xdead);
	prm_put(pkt.data + pkt.l4, 128, 16, 0xbeef);
	model_pkt_csum(&pkt, 0);
	assert_int_equal(prm_get(pkt.data + pkt.l3, 80, 16), 0xdead);
	model_pkt_csum(&pkt, PRM_WQE_ETH_CSUM_L3);
	assert_true(frame_ip_ok(pkt.data + pkt.l3));
	assert_int_equal(prm_get(pkt.data + pkt.l4, 128, 16), 0xbeef);
	model_pkt_csum(&pkt, PRM_WQE_ETH_CSUM_L4);
	assert_true(frame_l4_ok(pkt.data + 14, f.n - 14, 20, 6));
}

/* A UDP checksum that comes out as 0 goes out as 0xffff (RFC 768). */
static void udp_zero_sum(void **state)
{
	frame_eth(&f, 0x0800);
	frame_ipv4(&f, 17, 0);
	frame_udp(&f, 1, 2);
	frame_put16(&f, 0);
	frame_end(&f);
	/* make the sum of everything else 0xffff: put the present checksum into the payload, keep the field 0 */
	memcpy(f.b + f.n - 2, f.b + f.l4 + 6, 2);
	load(&pkt, &f);
	model_pkt_csum(&pkt, PRM_WQE_ETH_CSUM_L4);
	assert_int_equal(prm_get(pkt.data + pkt.l4, 48, 16), 0xffff);
}

static void checksums_are_verified(void **state)
{
	struct model_pkt_sum sum;

	for (unsigned int i = 0; shape(i); i++) {
		bool l4 = f.l4_proto == 6 || f.l4_proto == 17;

		for (size_t pad = 0; pad < 3; pad++) {
			struct frame padded = f;

			frame_pattern(&padded, pad);
			load(&pkt, &padded);
			model_pkt_verify(&pkt, &sum);
			assert_int_equal(sum.hds_ip_ext, 1 | 2 | (l4 ? 4 : 0));
			assert_int_equal(sum.check_sum,
					 frame_sum(padded.b + f.l3, padded.n - f.l3, 0));
		}
		f.b[f.n - 1] ^= 1;
		load(&pkt, &f);
		model_pkt_verify(&pkt, &sum);
		assert_int_equal(sum.hds_ip_ext, 1 | 2);
		if (pkt.ip_version == 4) {
			f.b[f.l3 + 8] ^= 1;
			load(&pkt, &f);
			model_pkt_verify(&pkt, &sum);
			assert_int_equal(sum.hds_ip_ext & 2, 0);
		}
	}
}

static uint8_t hdr_type(void)
{
	struct model_pkt_sum sum;

	load(&pkt, &f);
	model_pkt_verify(&pkt, &sum);
	return sum.l4_l3_hdr_type;
}

static void header_types(void **state)
{
	shape(0);
	assert_int_equal(hdr_type(), 4 << 4 | 2 << 2);
	shape(13);
	assert_int_equal(hdr_type(), 2 << 4 | 1 << 2);
	frame_eth(&f, 0x0800);
	frame_ipv4(&f, 6, 0);
	frame_tcp(&f, 1, 2);
	frame_end(&f);
	assert_int_equal(hdr_type(), 3 << 4 | 2 << 2);
	f.b[f.l4 + 13] = 2; /* SYN */
	assert_int_equal(hdr_type(), 1 << 4 | 2 << 2);
	f.b[f.l3 + 6] = 0x20;
	assert_int_equal(hdr_type(), 0x80 | 2 << 2);
	frame_eth(&f, 0x0806);
	frame_pattern(&f, 28);
	assert_int_equal(hdr_type(), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(tcp_over_ipv4),
		cmocka_unit_test(udp_behind_options_and_tags),
		cmocka_unit_test(ipv6_extension_headers),
		cmocka_unit_test(ipv6_that_is_cut),
		cmocka_unit_test(destination_options_before_routing),
		cmocka_unit_test(icmp_types),
		cmocka_unit_test(esp_spi),
		cmocka_unit_test(fragments),
		cmocka_unit_test(registers_and_source),
		cmocka_unit_test(cut_at_every_length),
		cmocka_unit_test(damaged_everywhere),
		cmocka_unit_test(checksums_are_filled),
		cmocka_unit_test(checksums_only_when_asked),
		cmocka_unit_test(udp_zero_sum),
		cmocka_unit_test(checksums_are_verified),
		cmocka_unit_test(header_types),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
