/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Frames for tests, built header by header from the outside in. Lengths are filled in by frame_end(), checksums of the
 * layers too, with a plain reference implementation that shares nothing with the code under test.
 */
#ifndef TESTS_LIB_FRAMES_H
#define TESTS_LIB_FRAMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct frame {
	uint8_t b[10400];
	size_t n;
	size_t l3, l4; /* offsets, 0: none yet */
	uint8_t l4_proto;
};

extern const uint8_t frame_smac[6], frame_dmac[6];
extern const uint8_t frame_src4[4], frame_dst4[4], frame_src6[16], frame_dst6[16];

void frame_put(struct frame *f, const void *bytes, size_t n);
void frame_put8(struct frame *f, uint8_t v);
void frame_put16(struct frame *f, uint16_t v);
void frame_put32(struct frame *f, uint32_t v);
void frame_pattern(struct frame *f,
		   size_t n); /* n payload bytes, every one different from its neighbours */

void frame_eth(struct frame *f, uint16_t type); /* resets f; type also of a first VLAN tag */
void frame_vlan(struct frame *f, uint16_t tci, uint16_t next_type);
void frame_ipv4(struct frame *f, uint8_t proto,
		size_t option_bytes);		/* dscp 10, ecn 1, ttl 64, id 0x1234 */
void frame_ipv6(struct frame *f, uint8_t next); /* dscp 10, ecn 1, hop limit 64, flow 0x54321 */
void frame_ext(struct frame *f, uint8_t next,
	       size_t bytes); /* IPv6 extension header, bytes: multiple of 8 */
void frame_tcp(struct frame *f, uint16_t sport,
	       uint16_t dport); /* seq 0x01020304, ack 0x05060708, ACK|PSH */
void frame_udp(struct frame *f, uint16_t sport, uint16_t dport);
void frame_end(struct frame *f); /* lengths, then checksums of IPv4, TCP, UDP, ICMPv6 */

/* Reference checksum: ones' complement sum of big-endian words, folded, not inverted. */
uint16_t frame_sum(const uint8_t *b, size_t n, uint32_t start);
/* Are IPv4, TCP/UDP/ICMPv6 checksums of these bytes right? Offsets as in struct frame. */
bool frame_ip_ok(const uint8_t *ip);
bool frame_l4_ok(const uint8_t *ip, size_t ip_len, size_t l4_off, uint8_t proto);

#endif
