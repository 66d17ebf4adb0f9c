// SPDX-License-Identifier: BSD-2-Clause
/*
 * Building fte_match_param. Every helper goes through put(): set the mask bits, set the value under the mask, raise
 * the section's enable bit. Bits of a field that is not matched stay 0 in both, as the device requires.
 */
#include "steering/match.h"

#include <string.h>
#include <sys/socket.h>

/* Bit in match_criteria_enable and place of a section. */
enum { OUTER = 1 << 0, MISC = 1 << 1, MISC2 = 1 << 3, MISC3 = 1 << 4 };
enum { IPV4_BYTES = 4, IPV6_BYTES = 16, PROTO_TCP = 6, PROTO_UDP = 17, PROTO_ICMPV6 = 58 };

static void put(struct steer_match *m, uint8_t section, unsigned int off, unsigned int width,
		uint64_t value, uint64_t mask)
{
	prm_put(m->mask, off, width, mask);
	prm_put(m->value, off, width, value & mask);
	m->enable |= section;
}

/* Match all bits of a field. */
#define PUT(m, bit, section, layout, field, val) \
	put((m), (bit), PRM_OFFSET(fte_match_param, section) + PRM_OFFSET(layout, field), \
	    PRM_WIDTH(layout, field), (val), UINT64_MAX >> (64 - PRM_WIDTH(layout, field)))
#define PUT_OUTER(m, field, val) PUT(m, OUTER, outer_headers, fte_match_set_lyr_2_4, field, val)
#define PUT_MISC(m, field, val) PUT(m, MISC, misc_parameters, fte_match_set_misc, field, val)
#define PUT_MISC2(m, field, val) PUT(m, MISC2, misc_parameters_2, fte_match_set_misc2, field, val)
#define PUT_MISC3(m, field, val) PUT(m, MISC3, misc_parameters_3, fte_match_set_misc3, field, val)

void steer_match_init(struct steer_match *m)
{
	memset(m, 0, sizeof(*m));
}

void steer_match_ethertype(struct steer_match *m, uint16_t ethertype)
{
	PUT_OUTER(m, ethertype, ethertype);
}

void steer_match_ip_version(struct steer_match *m, uint8_t version)
{
	PUT_OUTER(m, ip_version, version);
}

void steer_match_ip_proto(struct steer_match *m, uint8_t proto)
{
	PUT_OUTER(m, ip_protocol, proto);
}

void steer_match_frag(struct steer_match *m, bool frag)
{
	PUT_OUTER(m, frag, frag);
}

/* field_off: the 128 bits of an address; IPv4 has the last 32 of them. */
static void put_addr(struct steer_match *m, unsigned int field_off, int family, const uint8_t *addr,
		     unsigned int prefixlen)
{
	unsigned int bytes = family == AF_INET ? IPV4_BYTES : IPV6_BYTES;
	unsigned int off = field_off + (IPV6_BYTES - bytes) * 8;

	if (prefixlen > bytes * 8)
		prefixlen = bytes * 8;
	for (unsigned int i = 0; i < bytes; i++) {
		unsigned int left = prefixlen > i * 8 ? prefixlen - i * 8 : 0;
		uint8_t mask = left >= 8 ? 0xff : (uint8_t)(0xff00u >> left);

		prm_put(m->mask, off + i * 8, 8, mask);
		prm_put(m->value, off + i * 8, 8, addr[i] & mask);
	}
	if (prefixlen)
		m->enable |= OUTER;
}

#define ADDR(field) \
	(PRM_OFFSET(fte_match_param, outer_headers) + PRM_OFFSET(fte_match_set_lyr_2_4, field))

void steer_match_src(struct steer_match *m, int family, const uint8_t *addr, unsigned int prefixlen)
{
	put_addr(m, ADDR(src_ipv4_src_ipv6), family, addr, prefixlen);
}

void steer_match_dst(struct steer_match *m, int family, const uint8_t *addr, unsigned int prefixlen)
{
	put_addr(m, ADDR(dst_ipv4_dst_ipv6), family, addr, prefixlen);
}

void steer_match_ports(struct steer_match *m, uint8_t proto, uint16_t sport, uint16_t dport)
{
	steer_match_ip_proto(m, proto);
	if (proto == PROTO_TCP && sport)
		PUT_OUTER(m, tcp_sport, sport);
	if (proto == PROTO_TCP && dport)
		PUT_OUTER(m, tcp_dport, dport);
	if (proto == PROTO_UDP && sport)
		PUT_OUTER(m, udp_sport, sport);
	if (proto == PROTO_UDP && dport)
		PUT_OUTER(m, udp_dport, dport);
}

void steer_match_esp_spi(struct steer_match *m, uint32_t spi)
{
	PUT_MISC(m, outer_esp_spi, spi);
}

void steer_match_source_sqn(struct steer_match *m, uint32_t sqn)
{
	PUT_MISC(m, source_sqn, sqn);
}

#define MISC2_AT(field) \
	(PRM_OFFSET(fte_match_param, misc_parameters_2) + PRM_OFFSET(fte_match_set_misc2, field))

void steer_match_reg_c(struct steer_match *m, unsigned int n, uint32_t value, uint32_t mask)
{
	/* the registers stand in descending order, c_7 first */
	put(m, MISC2, MISC2_AT(metadata_reg_c_0) - n * 32, 32, value, mask);
}

void steer_match_ipsec_syndrome(struct steer_match *m, uint8_t syndrome)
{
	PUT_MISC2(m, ipsec_syndrome, syndrome);
}

void steer_match_icmpv6_type(struct steer_match *m, uint8_t type)
{
	steer_match_ip_proto(m, PROTO_ICMPV6);
	PUT_MISC3(m, icmpv6_type, type);
}

bool steer_match_overlaps(const struct steer_match *a, const struct steer_match *b)
{
	for (size_t i = 0; i < sizeof(a->mask); i++)
		if ((a->value[i] ^ b->value[i]) & a->mask[i] & b->mask[i])
			return false;
	return true;
}

bool steer_match_has_source_sqn(const struct steer_match *m)
{
	unsigned int off = PRM_OFFSET(fte_match_param, misc_parameters) +
			   PRM_OFFSET(fte_match_set_misc, source_sqn);

	return (m->enable & MISC) && prm_get(m->mask, off, 24) == 0xffffff;
}
