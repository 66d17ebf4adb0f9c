// SPDX-License-Identifier: BSD-2-Clause
/*
 * The parser: from bytes to offsets and to the match image, and the checksums of a packet.
 *
 *   Ethernet [VLAN [VLAN]]  IPv4 [options] | IPv6 [extension headers]  TCP | UDP [ESP] | ICMP | ICMPv6 | ESP
 *
 * The image has the layout of fte_match_param as 32-bit words in host order, so that a rule is a masked compare of
 * words (match.c). A fragment, also the first one, shows no layer 4 fields and no SPI; an IPv6 fragment shows
 * ip_protocol 44. Every length is checked against the frame and against the IP packet's own length before a byte is
 * read: frames come from a wire. An IPv6 packet that says it is longer than the frame ends with the frame, and its
 * checksum is not good: cards match its ports, as rdma-core's flow tests show.
 *
 * Sources: PRM layout fte_match_param; RFC 791, 8200 (and 4.1 for the header order), 4303 3.1.1, 3948.
 */
#include "model.h"

#include <string.h>

enum { ETH_HLEN = 14, VLAN_HLEN = 4, IPV4_HLEN = 20, IPV6_HLEN = 40, TCP_HLEN = 20, UDP_HLEN = 8 };
enum { ETH_IPV4 = 0x0800, ETH_IPV6 = 0x86dd, ETH_CVLAN = 0x8100, ETH_SVLAN = 0x88a8 };
enum {
	PROTO_HOPOPTS = 0,
	PROTO_ICMP = 1,
	PROTO_TCP = 6,
	PROTO_UDP = 17,
	PROTO_ROUTING = 43,
	PROTO_FRAGMENT = 44,
	PROTO_ESP = 50,
	PROTO_ICMPV6 = 58,
	PROTO_DSTOPTS = 60,
};
enum { UDP_PORT_ESP = 4500, MAX_EXT_HEADERS = 16 };
enum { L4_TYPE_TCP = 1, L4_TYPE_UDP = 2, L4_TYPE_EXT_ICMP = 3 };

static uint16_t get16(const uint8_t *b)
{
	return (uint16_t)(b[0] << 8 | b[1]);
}

static uint32_t get32(const uint8_t *b)
{
	return (uint32_t)b[0] << 24 | (uint32_t)b[1] << 16 | (uint32_t)b[2] << 8 | b[3];
}

static void set16(uint8_t *b, uint16_t v)
{
	b[0] = (uint8_t)(v >> 8);
	b[1] = (uint8_t)v;
}

/* OR a field of at most 32 bits that does not cross a word into the image. All arguments but v are constants. */
static inline void image_put(uint32_t *image, unsigned int off, unsigned int width, uint32_t v)
{
	image[off / 32] |= v << (32 - off % 32 - width);
}

#define PUT(p, section, layout, field, v) \
	image_put((p)->image, PRM_OFFSET(fte_match_param, section) + PRM_OFFSET(layout, field), \
		  PRM_WIDTH(layout, field), (v))
#define OUTER(p, field, v) PUT(p, outer_headers, fte_match_set_lyr_2_4, field, v)
#define MISC(p, field, v) PUT(p, misc_parameters, fte_match_set_misc, field, v)
#define MISC3(p, field, v) PUT(p, misc_parameters_3, fte_match_set_misc3, field, v)
#define WORD(section, layout, field) \
	((PRM_OFFSET(fte_match_param, section) + PRM_OFFSET(layout, field)) / 32)
#define META(p, field, v) ((p)->image[WORD(misc_parameters_2, fte_match_set_misc2, field)] = (v))

void model_pkt_init(struct model_pkt *p, bool tx)
{
	p->data = p->buf + MODEL_HEADROOM;
	p->len = 0;
	p->tx = tx;
	p->decrypted = false;
	p->sqn = p->reg_a = p->reg_b = p->flow_tag = 0;
	memset(p->reg_c, 0, sizeof(p->reg_c));
	p->ipsec_syndrome = p->ipsec_next_header = 0;
}

void model_pkt_parse_meta(struct model_pkt *p)
{
	META(p, metadata_reg_c_0, p->reg_c[0]);
	META(p, metadata_reg_c_1, p->reg_c[1]);
	META(p, metadata_reg_c_2, p->reg_c[2]);
	META(p, metadata_reg_c_3, p->reg_c[3]);
	META(p, metadata_reg_c_4, p->reg_c[4]);
	META(p, metadata_reg_c_5, p->reg_c[5]);
	META(p, metadata_reg_c_6, p->reg_c[6]);
	META(p, metadata_reg_c_7, p->reg_c[7]);
	META(p, metadata_reg_a, p->reg_a);
	META(p, ipsec_syndrome, (uint32_t)p->ipsec_syndrome << 8 | p->ipsec_next_header);
}

/* -- layer 4 ------------------------------------------------------------------------------------------- */

static void parse_tcp(struct model_pkt *p, const uint8_t *h, size_t left)
{
	unsigned int hlen;

	if (left < TCP_HLEN)
		return;
	hlen = (h[12] >> 4) * 4u;
	if (hlen < TCP_HLEN || hlen > left)
		return;
	p->l4 = (uint16_t)(h - p->data);
	p->payload = (uint16_t)(p->l4 + hlen);
	OUTER(p, tcp_sport, get16(h));
	OUTER(p, tcp_dport, get16(h + 2));
	OUTER(p, tcp_flags, get16(h + 12) & 0x1ff);
	OUTER(p, l4_type, L4_TYPE_TCP);
	OUTER(p, l4_type_ext, L4_TYPE_TCP);
	MISC3(p, outer_tcp_seq_num, get32(h + 4));
	MISC3(p, outer_tcp_ack_num, get32(h + 8));
}

/* ESP in UDP: a payload on port 4500 whose first word is not 0 (that would be IKE, RFC 3948 2.2) and holds a header. */
static void parse_udp(struct model_pkt *p, const uint8_t *h, size_t left)
{
	unsigned int len;

	if (left < UDP_HLEN)
		return;
	len = get16(h + 4);
	if (len < UDP_HLEN || len > left)
		return;
	p->l4 = (uint16_t)(h - p->data);
	p->payload = (uint16_t)(p->l4 + UDP_HLEN);
	OUTER(p, udp_sport, get16(h));
	OUTER(p, udp_dport, get16(h + 2));
	OUTER(p, l4_type, L4_TYPE_UDP);
	OUTER(p, l4_type_ext, L4_TYPE_UDP);
	if (get16(h + 2) == UDP_PORT_ESP && len >= UDP_HLEN + 8)
		MISC(p, inner_esp_spi, get32(h + UDP_HLEN));
}

static void parse_icmp(struct model_pkt *p, const uint8_t *h, size_t left, bool v6)
{
	if (left < 8)
		return;
	p->l4 = (uint16_t)(h - p->data);
	p->payload = (uint16_t)(p->l4 + 8);
	OUTER(p, l4_type_ext, L4_TYPE_EXT_ICMP);
	if (v6) {
		MISC3(p, icmpv6_type, h[0]);
		MISC3(p, icmpv6_code, h[1]);
		MISC3(p, icmpv6_header_data, get32(h + 4));
	} else {
		MISC3(p, icmp_type, h[0]);
		MISC3(p, icmp_code, h[1]);
		MISC3(p, icmp_header_data, get32(h + 4));
	}
}

static void parse_l4(struct model_pkt *p, unsigned int at)
{
	const uint8_t *h = p->data + at;
	size_t left = p->l3_end - at;

	switch (p->l4_proto) {
	case PROTO_TCP: parse_tcp(p, h, left); break;
	case PROTO_UDP: parse_udp(p, h, left); break;
	case PROTO_ICMP:
		if (p->ip_version == 4)
			parse_icmp(p, h, left, false);
		break;
	case PROTO_ICMPV6:
		if (p->ip_version == 6)
			parse_icmp(p, h, left, true);
		break;
	case PROTO_ESP:
		if (left < 8)
			break;
		p->l4 = (uint16_t)at;
		p->payload = (uint16_t)(at + 8);
		MISC(p, outer_esp_spi, get32(h));
		break;
	default: break;
	}
}

/* -- layer 3 ------------------------------------------------------------------------------------------- */

static void parse_ipv4(struct model_pkt *p, unsigned int at)
{
	const uint8_t *h = p->data + at;
	size_t left = p->len - at;
	unsigned int hlen, total;

	if (left < IPV4_HLEN || h[0] >> 4 != 4)
		return;
	hlen = (h[0] & 15) * 4u;
	if (hlen < IPV4_HLEN || hlen > left)
		return;
	p->l3 = (uint16_t)at;
	p->ip_version = 4;
	p->l4_proto = h[9];
	p->frag = (get16(h + 6) & 0x3fff) != 0; /* more fragments, or an offset */
	OUTER(p, ip_version, 4);
	OUTER(p, ipv4_ihl, h[0] & 15);
	OUTER(p, ip_dscp, h[1] >> 2);
	OUTER(p, ip_ecn, h[1] & 3);
	OUTER(p, frag, p->frag);
	OUTER(p, ttl_hoplimit, h[8]);
	OUTER(p, ip_protocol, h[9]);
	p->image[WORD(outer_headers, fte_match_set_lyr_2_4, src_ipv4_src_ipv6) + 3] = get32(h + 12);
	p->image[WORD(outer_headers, fte_match_set_lyr_2_4, dst_ipv4_dst_ipv6) + 3] = get32(h + 16);
	total = get16(h + 2);
	if (total < hlen || total > left)
		return;
	p->l3_end = (uint16_t)(at + total);
	p->esp_at = (uint16_t)(at + hlen);
	p->nh_at = (uint16_t)(at + 9);
	if (!p->frag)
		parse_l4(p, at + hlen);
}

/*
 * Walk the extension headers from `at`. Returns the offset of what follows them, 0 when they run out of the packet
 * or when a fragment header ends the walk. Destination options go before ESP only when a routing header follows.
 */
static unsigned int parse_ipv6_ext(struct model_pkt *p, unsigned int at)
{
	unsigned int nh_at = p->nh_at;

	for (int i = 0; i < MAX_EXT_HEADERS; i++) {
		const uint8_t *h = p->data + at;
		unsigned int hlen;

		p->l4_proto = p->data[nh_at];
		if (p->l4_proto == PROTO_ESP) { /* also behind destination options */
			p->esp_at = (uint16_t)at;
			p->nh_at = (uint16_t)nh_at;
		}
		if (p->l4_proto != PROTO_HOPOPTS && p->l4_proto != PROTO_ROUTING &&
		    p->l4_proto != PROTO_DSTOPTS && p->l4_proto != PROTO_FRAGMENT)
			return at;
		if (p->l3_end - at < 8u)
			return 0;
		if (p->l4_proto == PROTO_FRAGMENT) {
			p->frag = true;
			return 0;
		}
		hlen = (h[1] + 1u) * 8;
		if (hlen > p->l3_end - at)
			return 0;
		nh_at = at;
		at += hlen;
		if (p->l4_proto != PROTO_DSTOPTS) {
			p->esp_at = (uint16_t)at;
			p->nh_at = (uint16_t)nh_at;
		}
	}
	return 0;
}

static void parse_ipv6(struct model_pkt *p, unsigned int at)
{
	const uint8_t *h = p->data + at;
	size_t left = p->len - at;
	unsigned int total, l4;

	if (left < IPV6_HLEN || h[0] >> 4 != 6)
		return;
	p->l3 = (uint16_t)at;
	p->ip_version = 6;
	OUTER(p, ip_version, 6);
	OUTER(p, ip_dscp, (get16(h) >> 6) & 0x3f);
	OUTER(p, ip_ecn, (h[1] >> 4) & 3);
	OUTER(p, ttl_hoplimit, h[7]);
	MISC(p, outer_ipv6_flow_label, get32(h) & 0xfffff);
	for (int i = 0; i < 4; i++) {
		p->image[WORD(outer_headers, fte_match_set_lyr_2_4, src_ipv4_src_ipv6) + i] =
			get32(h + 8 + 4 * i);
		p->image[WORD(outer_headers, fte_match_set_lyr_2_4, dst_ipv4_dst_ipv6) + i] =
			get32(h + 24 + 4 * i);
	}
	p->l4_proto = h[6];
	total = IPV6_HLEN + get16(h + 4);
	p->l3_end = (uint16_t)(at + (total <= left ? total : left));
	p->esp_at = (uint16_t)(at + IPV6_HLEN);
	p->nh_at = (uint16_t)(at + 6);
	l4 = parse_ipv6_ext(p, at + IPV6_HLEN);
	OUTER(p, frag, p->frag);
	OUTER(p, ip_protocol, p->l4_proto);
	if (l4)
		parse_l4(p, l4);
}

/* -- layer 2 ------------------------------------------------------------------------------------------- */

/* Ethernet header and up to two tags. Returns where the next header is and its type. */
static unsigned int parse_l2(struct model_pkt *p, uint16_t *type)
{
	const uint8_t *h = p->data;
	unsigned int at = ETH_HLEN;

	OUTER(p, dmac_47_16, get32(h));
	OUTER(p, dmac_15_0, get16(h + 4));
	OUTER(p, smac_47_16, get32(h + 6));
	OUTER(p, smac_15_0, get16(h + 10));
	*type = get16(h + 12);
	for (int tag = 0; tag < 2 && (*type == ETH_CVLAN || *type == ETH_SVLAN); tag++) {
		uint16_t tci;

		if (p->len - at < VLAN_HLEN)
			break;
		tci = get16(h + at);
		if (tag == 0) {
			OUTER(p, cvlan_tag, *type == ETH_CVLAN);
			OUTER(p, svlan_tag, *type == ETH_SVLAN);
			OUTER(p, first_prio, tci >> 13);
			OUTER(p, first_cfi, (tci >> 12) & 1u);
			OUTER(p, first_vid, tci & 0xfffu);
		} else {
			MISC(p, outer_second_cvlan_tag, *type == ETH_CVLAN);
			MISC(p, outer_second_svlan_tag, *type == ETH_SVLAN);
			MISC(p, outer_second_prio, tci >> 13);
			MISC(p, outer_second_cfi, (tci >> 12) & 1u);
			MISC(p, outer_second_vid, tci & 0xfffu);
		}
		*type = get16(h + at + 2);
		at += VLAN_HLEN;
	}
	OUTER(p, ethertype, *type);
	return at;
}

void model_pkt_parse(struct model_pkt *p)
{
	unsigned int at;
	uint16_t type;

	memset(p->image, 0, sizeof(p->image));
	p->l3 = p->l4 = p->payload = p->l3_end = p->esp_at = p->nh_at = 0;
	p->ip_version = p->l4_proto = 0;
	p->frag = false;
	if (p->tx)
		MISC(p, source_sqn, p->sqn & 0xffffff);
	model_pkt_parse_meta(p);
	if (p->len < ETH_HLEN)
		return;
	at = parse_l2(p, &type);
	if (type == ETH_IPV4)
		parse_ipv4(p, at);
	else if (type == ETH_IPV6)
		parse_ipv6(p, at);
}

/* -- checksums (RFC 1071) ------------------------------------------------------------------------------ */

/*
 * Sum of big-endian 16-bit words, an odd last byte padded with 0. Adds 32 bits at a time in host order: the sum of
 * swapped words is the swapped sum.
 */
static uint64_t sum_bytes(const uint8_t *b, size_t len)
{
	uint64_t sum = 0, odd = 0;

	for (; len >= 8; b += 8, len -= 8) {
		uint32_t w[2];

		memcpy(w, b, 8);
		sum += (uint64_t)w[0] + w[1];
	}
	memcpy(&odd, b, len);
	return sum + (odd & 0xffffffff) + (odd >> 32);
}

/* Fold a sum of host order words to 16 bits and return it as a number whose big-endian bytes are the sum. */
static uint16_t fold(uint64_t sum)
{
	uint16_t v;
	uint8_t b[2];

	sum = (sum & 0xffffffff) + (sum >> 32);
	sum = (sum & 0xffffffff) + (sum >> 32);
	sum = (sum & 0xffff) + (sum >> 16);
	sum = (sum & 0xffff) + (sum >> 16);
	v = (uint16_t)sum;
	memcpy(b, &v, 2);
	return get16(b);
}

static uint16_t add16(uint16_t a, uint16_t b)
{
	uint32_t s = (uint32_t)a + b;

	return (uint16_t)((s & 0xffff) + (s >> 16));
}

uint16_t model_ipv4_csum(const uint8_t *h)
{
	size_t hlen = (h[0] & 15) * 4u;
	uint16_t sum = fold(sum_bytes(h, hlen));

	return (uint16_t)~add16(sum, (uint16_t)~get16(h + 10));
}

/* Sum of the pseudo header of the layer 4 segment [p->l4, p->l3_end). */
static uint16_t pseudo_sum(const struct model_pkt *p)
{
	const uint8_t *h = p->data + p->l3;
	uint16_t sum;

	if (p->ip_version == 4)
		sum = fold(sum_bytes(h + 12, 8));
	else
		sum = fold(sum_bytes(h + 8, 32));
	sum = add16(sum, (uint16_t)(p->l3_end - p->l4));
	return add16(sum, p->l4_proto);
}

static uint8_t *l4_csum_field(const struct model_pkt *p)
{
	if (p->l4 == 0)
		return NULL;
	if (p->l4_proto == PROTO_TCP)
		return p->data + p->l4 + 16;
	return p->l4_proto == PROTO_UDP ? p->data + p->l4 + 6 : NULL;
}

void model_pkt_csum(struct model_pkt *p, uint8_t cs_flags)
{
	uint8_t *field = l4_csum_field(p);

	if ((cs_flags & PRM_WQE_ETH_CSUM_L3) && p->ip_version == 4)
		set16(p->data + p->l3 + 10, model_ipv4_csum(p->data + p->l3));
	if ((cs_flags & PRM_WQE_ETH_CSUM_L4) && field) {
		uint16_t sum;

		set16(field, 0);
		sum = add16(pseudo_sum(p), fold(sum_bytes(p->data + p->l4, p->l3_end - p->l4)));
		/* 0 would mean "no checksum" for UDP (RFC 768); 0xffff is the same number */
		if (p->l4_proto == PROTO_UDP && sum == 0xffff)
			set16(field, 0xffff);
		else
			set16(field, (uint16_t)~sum);
	}
}

/* l4_l3_hdr_type: bits 3:2 layer 3 (1 IPv6, 2 IPv4), 6:4 layer 4 (1 TCP, 2 UDP, 3 TCP bare ACK, 4 TCP ACK with data),
 * 7 fragment. Source: Linux mlx5/device.h. */
static uint8_t hdr_type(const struct model_pkt *p)
{
	uint8_t l3 = p->ip_version == 6 ? 1 : p->ip_version == 4 ? 2 : 0, l4 = 0;

	if (p->l4 && p->l4_proto == PROTO_UDP)
		l4 = 2;
	else if (p->l4 && p->l4_proto == PROTO_TCP)
		l4 = !(p->data[p->l4 + 13] & 0x10) ? 1 : p->payload == p->l3_end ? 3 : 4;
	return (uint8_t)(p->frag << 7 | l4 << 4 | l3 << 2);
}

/* Is the packet cut off? What does not say so is not: IPv4 has no layer 4 then. */
static bool is_cut(const struct model_pkt *p)
{
	return p->ip_version == 6 &&
	       p->l3 + IPV6_HLEN + (size_t)get16(p->data + p->l3 + 4) > p->len;
}

void model_pkt_verify(const struct model_pkt *p, struct model_pkt_sum *sum)
{
	const uint8_t *field = l4_csum_field(p);
	uint16_t head, tail = 0;
	size_t from = p->l3, to = p->l4 ? p->l4 : p->len;

	sum->hds_ip_ext = PRM_CQE_L2_OK;
	sum->l4_l3_hdr_type = hdr_type(p);
	sum->check_sum = 0;
	if (p->l3 == 0)
		return;
	if (p->ip_version == 6 || model_ipv4_csum(p->data + p->l3) == get16(p->data + p->l3 + 10))
		sum->hds_ip_ext |= PRM_CQE_L3_OK;
	/* one pass over the packet serves both the layer 4 check and check_sum; l4 - l3 is even */
	head = fold(sum_bytes(p->data + from, to - from));
	if (p->l4) {
		tail = fold(sum_bytes(p->data + p->l4, p->l3_end - p->l4));
		if (field && !is_cut(p) && !(p->l4_proto == PROTO_UDP && get16(field) == 0) &&
		    add16(pseudo_sum(p), tail) == 0xffff)
			sum->hds_ip_ext |= PRM_CQE_L4_OK;
		if ((p->l3_end - p->l4) % 2 == 0)
			tail = add16(tail,
				     fold(sum_bytes(p->data + p->l3_end, p->len - p->l3_end)));
		else /* the padding starts in the middle of a word */
			tail = fold(sum_bytes(p->data + p->l4, p->len - p->l4));
	}
	sum->check_sum = add16(head, tail);
}
