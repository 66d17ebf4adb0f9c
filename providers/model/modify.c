// SPDX-License-Identifier: BSD-2-Clause
/*
 * Modify header: set, add and copy on header fields and metadata registers.
 *
 * A field is found in the packet through one table (id, where, bit offset, width). A field that the packet does not
 * have is left alone, as on the card: an action on UDP ports does nothing to a TCP packet. What a change of an address,
 * a port, or a sequence number does to the TCP, UDP or ICMPv6 checksum is applied to it incrementally (RFC 1624), so
 * that a checksum that was wrong stays wrong; the IPv4 header checksum is made anew. A fragment's layer 4 checksum is
 * out of reach, and stays.
 *
 * Source: PRM, set_action_in, add_action_in, copy_action_in and the field ids.
 */
#include "model.h"

#include <string.h>

enum where { IN_L2, IN_TYPE, IN_VLAN, IN_IPV4, IN_IPV6, IN_TCP, IN_UDP, IN_REG };

struct field {
	uint16_t id;
	uint8_t where;
	uint16_t bit; /* from the header's start; IN_REG: offset in struct model_pkt */
	uint8_t width;
	bool l4_sum; /* covered by the layer 4 checksum (with its pseudo header) */
};

#define REG(member) IN_REG, offsetof(struct model_pkt, member)

static const struct field fields[] = {
	{PRM_ACTION_IN_FIELD_METADATA_REG_A, REG(reg_a), 32, false},
	{PRM_ACTION_IN_FIELD_METADATA_REG_B, REG(reg_b), 32, false},
	{PRM_ACTION_IN_FIELD_METADATA_REG_C_0, REG(reg_c[0]), 32, false},
	{PRM_ACTION_IN_FIELD_METADATA_REG_C_1, REG(reg_c[1]), 32, false},
	{PRM_ACTION_IN_FIELD_METADATA_REG_C_2, REG(reg_c[2]), 32, false},
	{PRM_ACTION_IN_FIELD_METADATA_REG_C_3, REG(reg_c[3]), 32, false},
	{PRM_ACTION_IN_FIELD_METADATA_REG_C_4, REG(reg_c[4]), 32, false},
	{PRM_ACTION_IN_FIELD_METADATA_REG_C_5, REG(reg_c[5]), 32, false},
	{PRM_ACTION_IN_FIELD_METADATA_REG_C_6, REG(reg_c[6]), 32, false},
	{PRM_ACTION_IN_FIELD_METADATA_REG_C_7, REG(reg_c[7]), 32, false},
	{PRM_ACTION_IN_FIELD_IPSEC_SYNDROME, REG(ipsec_syndrome), 8, false},
	{PRM_ACTION_IN_FIELD_OUT_DMAC_47_16, IN_L2, 0, 32, false},
	{PRM_ACTION_IN_FIELD_OUT_DMAC_15_0, IN_L2, 32, 16, false},
	{PRM_ACTION_IN_FIELD_OUT_SMAC_47_16, IN_L2, 48, 32, false},
	{PRM_ACTION_IN_FIELD_OUT_SMAC_15_0, IN_L2, 80, 16, false},
	{PRM_ACTION_IN_FIELD_OUT_ETHERTYPE, IN_TYPE, 0, 16, false},
	{PRM_ACTION_IN_FIELD_OUT_FIRST_VID, IN_VLAN, 4, 12, false},
	{PRM_ACTION_IN_FIELD_OUT_IP_DSCP, IN_IPV4, 8, 6, false},
	{PRM_ACTION_IN_FIELD_OUT_IP_DSCP, IN_IPV6, 4, 6, false},
	{PRM_ACTION_IN_FIELD_OUT_IP_TTL, IN_IPV4, 64, 8, false},
	{PRM_ACTION_IN_FIELD_OUT_IPV6_HOPLIMIT, IN_IPV6, 56, 8, false},
	{PRM_ACTION_IN_FIELD_OUT_SIPV4, IN_IPV4, 96, 32, true},
	{PRM_ACTION_IN_FIELD_OUT_DIPV4, IN_IPV4, 128, 32, true},
	{PRM_ACTION_IN_FIELD_OUT_SIPV6_127_96, IN_IPV6, 64, 32, true},
	{PRM_ACTION_IN_FIELD_OUT_SIPV6_95_64, IN_IPV6, 96, 32, true},
	{PRM_ACTION_IN_FIELD_OUT_SIPV6_63_32, IN_IPV6, 128, 32, true},
	{PRM_ACTION_IN_FIELD_OUT_SIPV6_31_0, IN_IPV6, 160, 32, true},
	{PRM_ACTION_IN_FIELD_OUT_DIPV6_127_96, IN_IPV6, 192, 32, true},
	{PRM_ACTION_IN_FIELD_OUT_DIPV6_95_64, IN_IPV6, 224, 32, true},
	{PRM_ACTION_IN_FIELD_OUT_DIPV6_63_32, IN_IPV6, 256, 32, true},
	{PRM_ACTION_IN_FIELD_OUT_DIPV6_31_0, IN_IPV6, 288, 32, true},
	{PRM_ACTION_IN_FIELD_OUT_TCP_SPORT, IN_TCP, 0, 16, true},
	{PRM_ACTION_IN_FIELD_OUT_TCP_DPORT, IN_TCP, 16, 16, true},
	{PRM_ACTION_IN_FIELD_OUT_TCP_SEQ_NUM, IN_TCP, 32, 32, true},
	{PRM_ACTION_IN_FIELD_OUT_TCP_ACK_NUM, IN_TCP, 64, 32, true},
	{PRM_ACTION_IN_FIELD_OUT_TCP_FLAGS, IN_TCP, 103, 9, true},
	{PRM_ACTION_IN_FIELD_OUT_UDP_SPORT, IN_UDP, 0, 16, true},
	{PRM_ACTION_IN_FIELD_OUT_UDP_DPORT, IN_UDP, 16, 16, true},
};

enum { PROTO_TCP = 6, PROTO_UDP = 17, PROTO_ICMPV6 = 58 };

bool model_modify_knows(uint16_t id, unsigned int *width)
{
	for (size_t i = 0; i < sizeof(fields) / sizeof(fields[0]); i++)
		if (fields[i].id == id) {
			*width = fields[i].width;
			return true;
		}
	return false;
}

static bool tagged(const uint8_t *b)
{
	return (b[0] == 0x81 && b[1] == 0x00) || (b[0] == 0x88 && b[1] == 0xa8);
}

/* The EtherType behind the tags. */
static uint8_t *type_at(struct model_pkt *p)
{
	size_t at = 12;

	for (int tag = 0; tag < 2 && tagged(p->data + at) && at + 6 <= p->len; tag++)
		at += 4;
	return p->data + at;
}

/* Header a field lies in; NULL when the packet has none. */
static uint8_t *header(struct model_pkt *p, const struct field *f)
{
	switch (f->where) {
	case IN_REG: return (uint8_t *)p + f->bit;
	case IN_L2: return p->len >= 14 ? p->data : NULL;
	case IN_TYPE: return p->len >= 14 ? type_at(p) : NULL;
	case IN_VLAN: return p->len >= 18 && tagged(p->data + 12) ? p->data + 14 : NULL;
	case IN_IPV4: return p->ip_version == 4 ? p->data + p->l3 : NULL;
	case IN_IPV6: return p->ip_version == 6 ? p->data + p->l3 : NULL;
	case IN_TCP: return p->l4 && p->l4_proto == PROTO_TCP ? p->data + p->l4 : NULL;
	default: return p->l4 && p->l4_proto == PROTO_UDP ? p->data + p->l4 : NULL;
	}
}

/* The field `id` of this packet and its header; NULL when it has none. */
static const struct field *find(struct model_pkt *p, uint16_t id, uint8_t **h)
{
	for (size_t i = 0; i < sizeof(fields) / sizeof(fields[0]); i++) {
		if (fields[i].id != id)
			continue;
		*h = header(p, &fields[i]);
		if (*h)
			return &fields[i];
	}
	return NULL;
}

static uint32_t read_field(const struct field *f, const uint8_t *h)
{
	uint32_t v;

	if (f->where != IN_REG)
		return (uint32_t)prm_get(h, f->bit, f->width);
	if (f->width == 8)
		return *h;
	memcpy(&v, h, sizeof(v));
	return v;
}

static uint8_t *l4_sum_at(struct model_pkt *p)
{
	if (p->l4 == 0)
		return NULL;
	switch (p->l4_proto) {
	case PROTO_TCP: return p->data + p->l4 + 16;
	case PROTO_ICMPV6: return p->ip_version == 6 ? p->data + p->l4 + 2 : NULL;
	case PROTO_UDP: /* 0: none was sent */
		return prm_get(p->data + p->l4, 48, 16) ? p->data + p->l4 + 6 : NULL;
	default: return NULL;
	}
}

/* Sum of the 16-bit words that hold the field. */
static uint32_t words_sum(const struct field *f, const uint8_t *h)
{
	uint32_t sum = 0;

	for (unsigned int bit = f->bit & ~15u; bit < f->bit + f->width; bit += 16)
		sum += (uint32_t)prm_get(h, bit, 16);
	return sum;
}

/* RFC 1624 equation 3: HC' = ~(~HC + ~m + m'). */
static void fix_l4_sum(struct model_pkt *p, uint32_t before, uint32_t after)
{
	uint8_t *at = l4_sum_at(p);
	uint32_t sum;

	if (!at)
		return;
	before = (before & 0xffff) + (before >> 16);
	sum = (~(uint32_t)prm_get(at, 0, 16) & 0xffff) + (~before & 0xffff) + after;
	sum = (sum & 0xffff) + (sum >> 16);
	sum = (sum & 0xffff) + (sum >> 16);
	sum = ~sum & 0xffff;
	if (sum == 0 && p->l4_proto == PROTO_UDP)
		sum = 0xffff;
	prm_put(at, 0, 16, sum);
}

/* Returns whether bytes of the packet changed. */
static bool write_field(struct model_pkt *p, const struct field *f, uint8_t *h, uint32_t v)
{
	uint32_t before;

	if (f->where == IN_REG) {
		if (f->width == 8)
			*h = (uint8_t)v;
		else
			memcpy(h, &v, sizeof(v));
		return false;
	}
	before = words_sum(f, h);
	prm_put(h, f->bit, f->width, v);
	if (f->l4_sum)
		fix_l4_sum(p, before, words_sum(f, h));
	return true;
}

static uint32_t low_bits(unsigned int n)
{
	return n >= 32 ? 0xffffffff : (UINT32_C(1) << n) - 1;
}

static bool run_action(struct model_pkt *p, const struct model_modhdr_action *a)
{
	bool copy = a->type == PRM_ACTION_TYPE_COPY;
	unsigned int shift = copy ? a->dst_offset : a->offset;
	uint32_t mask = low_bits(a->length) << shift, old, v = a->data;
	uint8_t *h, *src_h;
	const struct field *f = find(p, copy ? a->dst_field : a->field, &h), *src;

	if (!f)
		return false;
	old = read_field(f, h);
	if (a->type == PRM_ACTION_TYPE_ADD)
		return write_field(p, f, h, (old + v) & low_bits(f->width));
	if (copy) {
		src = find(p, a->field, &src_h);
		if (!src)
			return false;
		v = read_field(src, src_h) >> a->offset;
	}
	return write_field(p, f, h, ((old & ~mask) | ((v << shift) & mask)) & low_bits(f->width));
}

void model_modify(struct model_pkt *p, const struct model_modhdr *mh)
{
	bool bytes = false;

	for (uint32_t i = 0; i < mh->n; i++)
		bytes |= run_action(p, &mh->actions[i]);
	if (!bytes) {
		model_pkt_parse_meta(p);
		return;
	}
	if (p->ip_version == 4)
		prm_put(p->data + p->l3, 80, 16, model_ipv4_csum(p->data + p->l3));
	model_pkt_parse(p);
}
