// SPDX-License-Identifier: BSD-2-Clause
/*
 * Tunnel headers: what packet reformat contexts put before a frame and take from it, and the action DECAP.
 *
 *	L2_TO_L2_TUNNEL	data │ Ethernet IP …		the whole frame goes inside (VXLAN, GENEVE, NVGRE)
 *	L2_TO_L3_TUNNEL	data │ IP …			its Ethernet header goes (IP in IP, GRE)
 *	DECAP		Ethernet IP …			behind the VXLAN, GENEVE or NVGRE header
 *	L3_TUNNEL_TO_L2	data │ IP …			behind the outer IP or GRE header; data is the new Ethernet header
 *
 * The data's IP and UDP lengths and the IPv4 header checksum are the device's to fill in, the rest stays as given. Sources:
 * PRM packet_reformat_context_in; Linux en/tc_tun*.c for what drivers leave to the device; RFC 7348, 8926, 2784, 7637.
 */
#include "model.h"

#include <errno.h>
#include <string.h>

enum { ETH_HLEN = 14, VLAN_HLEN = 4, IPV4_HLEN = 20, IPV6_HLEN = 40, UDP_HLEN = 8, GRE_HLEN = 4 };
enum { ETH_IPV4 = 0x0800, ETH_IPV6 = 0x86dd, ETH_CVLAN = 0x8100, ETH_SVLAN = 0x88a8 };
enum { ETH_BRIDGED = 0x6558 }; /* an Ethernet frame inside GRE or GENEVE */
enum { PROTO_IPV4 = 4, PROTO_UDP = 17, PROTO_IPV6 = 41, PROTO_GRE = 47 };
enum { PORT_VXLAN = 4789, PORT_GENEVE = 6081, VXLAN_HLEN = 8, GENEVE_HLEN = 8 };
enum { VXLAN_HAS_VNI = 0x08, GENEVE_OPTIONS = 0x3f };
enum { GRE_CHECKSUM = 0x80, GRE_KEY = 0x20, GRE_SEQUENCE = 0x10, GRE_VERSION = 0x07 };

static uint16_t get16(const uint8_t *b)
{
	return (uint16_t)(b[0] << 8 | b[1]);
}

static void set16(uint8_t *b, size_t v)
{
	b[0] = (uint8_t)(v >> 8);
	b[1] = (uint8_t)v;
}

/* Headers up to the transport; offsets. */
struct outer {
	size_t l3, l4;
	uint8_t version, proto;
};

/* false: not Ethernet and a whole IP header. IPv6 without extension headers. */
static bool walk(const uint8_t *h, size_t n, struct outer *o)
{
	size_t at = ETH_HLEN;
	uint16_t type;

	if (n < ETH_HLEN)
		return false;
	for (type = get16(h + at - 2); type == ETH_CVLAN || type == ETH_SVLAN;
	     type = get16(h + at - 2)) {
		at += VLAN_HLEN;
		if (n < at)
			return false;
	}
	o->l3 = at;
	o->version = type == ETH_IPV4 ? 4 : type == ETH_IPV6 ? 6 : 0;
	if (o->version == 4 && n >= at + IPV4_HLEN) {
		o->proto = h[at + 9];
		o->l4 = at + (h[at] & 15u) * 4;
	} else if (o->version == 6 && n >= at + IPV6_HLEN) {
		o->proto = h[at + 6];
		o->l4 = at + IPV6_HLEN;
	} else {
		return false;
	}
	return h[at] >> 4 == o->version && o->l4 >= at + IPV4_HLEN && o->l4 <= n;
}

bool model_tunnel_data_ok(uint8_t type, const uint8_t *data, size_t n)
{
	struct outer o;

	if (type == PRM_REFORMAT_TYPE_L3_TUNNEL_TO_L2)
		return n == ETH_HLEN || n == ETH_HLEN + VLAN_HLEN;
	return walk(data, n, &o) && (o.proto != PROTO_UDP || o.l4 + UDP_HLEN <= n);
}

/* -- TX -------------------------------------------------------------------------------------------------- */

static void fill_lengths(struct model_pkt *p)
{
	struct outer o;
	uint8_t *l3;

	if (!walk(p->data, p->len, &o))
		return;
	l3 = p->data + o.l3;
	if (o.version == 4) {
		set16(l3 + 2, p->len - o.l3);
		set16(l3 + 10, model_ipv4_csum(l3));
	} else {
		set16(l3 + 4, p->len - o.l4);
	}
	if (o.proto == PROTO_UDP)
		set16(p->data + o.l4 + 4, p->len - o.l4);
}

int model_tunnel_add(struct model_pkt *p, const struct model_reformat *r)
{
	bool whole = r->type == PRM_REFORMAT_TYPE_L2_TO_L2_TUNNEL;
	size_t strip = whole ? 0 : p->l3;

	if (!whole && (r->type != PRM_REFORMAT_TYPE_L2_TO_L3_TUNNEL || !p->l3))
		return -EPROTO;
	if ((size_t)(p->data - p->buf) + strip < r->len)
		return -EMSGSIZE;
	p->data += strip;
	p->data -= r->len;
	p->len += r->len - strip;
	memcpy(p->data, r->data, r->len);
	fill_lengths(p);
	model_pkt_parse(p);
	return 0;
}

/* -- RX -------------------------------------------------------------------------------------------------- */

/* Length of a GRE header, 0: none that is known. *type: of what is inside. */
static size_t gre_length(const uint8_t *h, size_t n, uint16_t *type)
{
	size_t len = GRE_HLEN;

	if (n < GRE_HLEN || (h[1] & GRE_VERSION))
		return 0;
	*type = get16(h + 2);
	for (uint8_t bit = GRE_CHECKSUM; bit; bit >>= 1)
		if (bit & (GRE_CHECKSUM | GRE_KEY | GRE_SEQUENCE) & h[0])
			len += 4;
	return len <= n ? len : 0;
}

static size_t udp_tunnel_length(const uint8_t *h, size_t n)
{
	const uint8_t *t = h + UDP_HLEN;
	size_t len;

	if (n < UDP_HLEN + VXLAN_HLEN)
		return 0;
	switch (get16(h + 2)) {
	case PORT_VXLAN: return t[0] & VXLAN_HAS_VNI ? UDP_HLEN + VXLAN_HLEN : 0;
	case PORT_GENEVE:
		len = UDP_HLEN + GENEVE_HLEN + 4 * (size_t)(t[0] & GENEVE_OPTIONS);
		return get16(t + 2) == ETH_BRIDGED && len <= n ? len : 0;
	default: return 0;
	}
}

/* Outer headers of a received packet that is whole; n: its bytes from the transport on. */
static bool outer_of(const struct model_pkt *p, struct outer *o, size_t *n)
{
	if (p->frag || !p->l3_end || !walk(p->data, p->l3_end, o))
		return false;
	*n = p->l3_end - o->l4;
	return true;
}

/* The rest becomes the packet; padding behind the outer packet goes. */
static void cut_front(struct model_pkt *p, size_t bytes)
{
	p->data += bytes;
	p->len = p->l3_end - bytes;
}

int model_tunnel_decap(struct model_pkt *p)
{
	struct outer o;
	uint16_t type = 0;
	size_t n, len = 0;

	if (!outer_of(p, &o, &n))
		return -EPROTO;
	if (o.proto == PROTO_UDP)
		len = udp_tunnel_length(p->data + o.l4, n);
	else if (o.proto == PROTO_GRE)
		len = gre_length(p->data + o.l4, n, &type);
	if (!len || (o.proto == PROTO_GRE && type != ETH_BRIDGED) || n < len + ETH_HLEN)
		return -EPROTO;
	cut_front(p, o.l4 + len);
	model_pkt_parse(p);
	return 0;
}

int model_tunnel_del(struct model_pkt *p, const struct model_reformat *r)
{
	struct outer o;
	uint16_t type = 0;
	size_t n, len = 0;

	if (r->type != PRM_REFORMAT_TYPE_L3_TUNNEL_TO_L2 || !outer_of(p, &o, &n))
		return -EPROTO;
	if (o.proto == PROTO_GRE) {
		len = gre_length(p->data + o.l4, n, &type);
		if (!len || (type != ETH_IPV4 && type != ETH_IPV6))
			return -EPROTO;
	} else if (o.proto != PROTO_IPV4 && o.proto != PROTO_IPV6) {
		return -EPROTO;
	}
	if (n - len < IPV4_HLEN)
		return -EPROTO;
	cut_front(p, o.l4 + len);
	p->data -= r->len; /* no longer than what went */
	p->len += r->len;
	memcpy(p->data, r->data, r->len);
	model_pkt_parse(p);
	return 0;
}
