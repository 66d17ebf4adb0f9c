// SPDX-License-Identifier: BSD-2-Clause
/*
 * Header templates: RFC 791, 8200, 9293.
 *
 *	| Ethernet 14 | VLAN 4 | IPv4 20..60 or IPv6 40 | TCP 20..60 |		at most 128 bytes, nothing behind it
 *
 * Checksums are the device's: it fills them in whatever stands there.
 */
#include "offload/tls/packet.h"
#include "objects/error.h"

#include <errno.h>
#include <string.h>

enum { ETH = 14, VLAN = 4, IPV6 = 40, TCP = 20, PROTO_TCP = 6 };
enum { TYPE_IPV4 = 0x0800, TYPE_IPV6 = 0x86dd, TYPE_VLAN = 0x8100 };
enum { IP4_LEN = 2, IP4_ID = 4, IP4_FRAG = 6, IP4_PROTO = 9, IP6_LEN = 4, IP6_NEXT = 6 };
enum { TCP_SEQ = 4, TCP_OFF = 12, TCP_FLAGS = 13, FIN = 0x01, PSH = 0x08 };

static unsigned int get16(const uint8_t *b)
{
	return (unsigned int)b[0] << 8 | b[1];
}

static void put16(uint8_t *b, uint32_t v)
{
	b[0] = (uint8_t)(v >> 8);
	b[1] = (uint8_t)v;
}

static int bad(const char *what)
{
	return obj_error(-EINVAL, "packet headers: %s", what);
}

static int parse_ip(struct tls_packet *p, unsigned int type)
{
	const uint8_t *ip = p->hdr + p->l3;
	unsigned int ihl;

	p->ipv6 = type == TYPE_IPV6;
	if (p->ipv6) {
		if (p->l3 + IPV6 + TCP > p->len || ip[0] >> 4 != 6)
			return bad("no IPv6 header behind the Ethernet header");
		if (ip[IP6_NEXT] != PROTO_TCP)
			return bad("TCP must follow the IPv6 header, without extension headers");
		p->l4 = p->l3 + IPV6;
		return 0;
	}
	ihl = (ip[0] & 15u) * 4;
	if (type != TYPE_IPV4 || p->l3 + 20 > p->len || ip[0] >> 4 != 4 || ihl < 20 ||
	    p->l3 + ihl + TCP > p->len)
		return bad("neither IPv4 nor IPv6 behind the Ethernet header");
	if (ip[IP4_PROTO] != PROTO_TCP || (get16(ip + IP4_FRAG) & 0x3fff))
		return bad("the IPv4 packet is not TCP, or a fragment");
	p->l4 = p->l3 + ihl;
	return 0;
}

int tls_packet_parse(struct tls_packet *p, const void *hdr, size_t len)
{
	unsigned int type;
	int err;

	memset(p, 0, sizeof(*p));
	if (!hdr || len < ETH + 20 + TCP || len > QUEUE_SEND_INLINE)
		return obj_error(-EINVAL, "packet headers of %zu bytes: %d..%d are possible", len,
				 ETH + 20 + TCP, QUEUE_SEND_INLINE);
	p->hdr = hdr;
	p->len = (unsigned int)len;
	p->l3 = ETH;
	type = get16(p->hdr + ETH - 2);
	if (type == TYPE_VLAN) {
		p->l3 += VLAN;
		type = get16(p->hdr + p->l3 - 2);
	}
	err = parse_ip(p, type);
	if (err)
		return err;
	if (p->l4 + (p->hdr[p->l4 + TCP_OFF] >> 4) * 4u != p->len)
		return bad("they must end with the TCP header and its options");
	return 0;
}

void tls_packet_fill(const struct tls_packet *p, uint8_t *to, uint32_t seq, uint32_t n,
		     uint32_t index, bool last)
{
	uint8_t *ip = to + p->l3, *tcp = to + p->l4;
	uint32_t total = p->len - p->l3 + n;

	memcpy(to, p->hdr, p->len);
	/* the length of a TSO is the device's business: it may be longer than the field */
	if (p->ipv6) {
		put16(ip + IP6_LEN, total - IPV6 <= 0xffff ? total - IPV6 : 0);
	} else {
		put16(ip + IP4_LEN, total <= 0xffff ? total : 0);
		put16(ip + IP4_ID, get16(ip + IP4_ID) + index);
	}
	put16(tcp + TCP_SEQ, seq >> 16);
	put16(tcp + TCP_SEQ + 2, seq);
	if (!last)
		tcp[TCP_FLAGS] &= (uint8_t) ~(FIN | PSH);
}
