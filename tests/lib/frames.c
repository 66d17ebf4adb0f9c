// SPDX-License-Identifier: BSD-2-Clause
/* Frames for tests: see frames.h. */
#include "frames.h"

#include <string.h>

const uint8_t frame_smac[6] = {0x02, 0, 0, 0, 0, 0x01}, frame_dmac[6] = {0x02, 0, 0, 0, 0, 0x02};
const uint8_t frame_src4[4] = {192, 0, 2, 1}, frame_dst4[4] = {192, 0, 2, 2};
const uint8_t frame_src6[16] = {0x20, 0x01, 0x0d, 0xb8, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1};
const uint8_t frame_dst6[16] = {0x20, 0x01, 0x0d, 0xb8, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 2};

void frame_put(struct frame *f, const void *bytes, size_t n)
{
	memcpy(f->b + f->n, bytes, n);
	f->n += n;
}

void frame_put8(struct frame *f, uint8_t v)
{
	f->b[f->n++] = v;
}

void frame_put16(struct frame *f, uint16_t v)
{
	frame_put8(f, (uint8_t)(v >> 8));
	frame_put8(f, (uint8_t)v);
}

void frame_put32(struct frame *f, uint32_t v)
{
	frame_put16(f, (uint16_t)(v >> 16));
	frame_put16(f, (uint16_t)v);
}

void frame_pattern(struct frame *f, size_t n)
{
	for (size_t i = 0; i < n; i++)
		frame_put8(f, (uint8_t)(i * 7 + 3));
}

void frame_eth(struct frame *f, uint16_t type)
{
	memset(f, 0, sizeof(*f));
	frame_put(f, frame_dmac, 6);
	frame_put(f, frame_smac, 6);
	frame_put16(f, type);
}

void frame_vlan(struct frame *f, uint16_t tci, uint16_t next_type)
{
	frame_put16(f, tci);
	frame_put16(f, next_type);
}

void frame_ipv4(struct frame *f, uint8_t proto, size_t option_bytes)
{
	f->l3 = f->n;
	f->l4_proto = proto;
	frame_put8(f, (uint8_t)(0x40 | (5 + option_bytes / 4)));
	frame_put8(f, 10 << 2 | 1);
	frame_put16(f, 0); /* total length */
	frame_put16(f, 0x1234);
	frame_put16(f, 0x4000); /* do not fragment */
	frame_put8(f, 64);
	frame_put8(f, proto);
	frame_put16(f, 0);
	frame_put(f, frame_src4, 4);
	frame_put(f, frame_dst4, 4);
	for (size_t i = 0; i < option_bytes; i++)
		frame_put8(f, 1); /* no operation */
	f->l4 = f->n;
}

void frame_ipv6(struct frame *f, uint8_t next)
{
	f->l3 = f->n;
	f->l4_proto = next;
	frame_put32(f, UINT32_C(6) << 28 | (10 << 2 | 1) << 20 | 0x54321);
	frame_put16(f, 0);
	frame_put8(f, next);
	frame_put8(f, 64);
	frame_put(f, frame_src6, 16);
	frame_put(f, frame_dst6, 16);
	f->l4 = f->n;
}

void frame_ext(struct frame *f, uint8_t next, size_t bytes)
{
	f->l4_proto = next;
	frame_put8(f, next);
	frame_put8(f, (uint8_t)(bytes / 8 - 1));
	frame_put8(f, 1); /* PadN over the rest */
	frame_put8(f, (uint8_t)(bytes - 4));
	for (size_t i = 4; i < bytes; i++)
		frame_put8(f, 0);
	f->l4 = f->n;
}

void frame_tcp(struct frame *f, uint16_t sport, uint16_t dport)
{
	frame_put16(f, sport);
	frame_put16(f, dport);
	frame_put32(f, 0x01020304);
	frame_put32(f, 0x05060708);
	frame_put16(f, 5 << 12 | 0x18);
	frame_put16(f, 1000);
	frame_put32(f, 0);
}

void frame_udp(struct frame *f, uint16_t sport, uint16_t dport)
{
	frame_put16(f, sport);
	frame_put16(f, dport);
	frame_put32(f, 0);
}

uint16_t frame_sum(const uint8_t *b, size_t n, uint32_t start)
{
	uint32_t sum = start;

	for (size_t i = 0; i < n; i++) {
		sum += i % 2 ? b[i] : (uint32_t)b[i] << 8;
		sum = (sum & 0xffff) + (sum >> 16);
	}
	return (uint16_t)((sum & 0xffff) + (sum >> 16));
}

static uint32_t pseudo(const uint8_t *ip, size_t l4_len, uint8_t proto)
{
	uint32_t sum = (uint32_t)l4_len + proto;

	return ip[0] >> 4 == 4 ? frame_sum(ip + 12, 8, sum) : frame_sum(ip + 8, 32, sum);
}

bool frame_ip_ok(const uint8_t *ip)
{
	return frame_sum(ip, (ip[0] & 15) * 4u, 0) == 0xffff;
}

bool frame_l4_ok(const uint8_t *ip, size_t ip_len, size_t l4_off, uint8_t proto)
{
	return frame_sum(ip + l4_off, ip_len - l4_off, pseudo(ip, ip_len - l4_off, proto)) ==
	       0xffff;
}

static void set16(uint8_t *b, size_t v)
{
	b[0] = (uint8_t)(v >> 8);
	b[1] = (uint8_t)v;
}

void frame_end(struct frame *f)
{
	uint8_t *ip = f->b + f->l3, *l4 = f->b + f->l4;
	size_t l4_len = f->n - f->l4;
	int at = f->l4_proto == 6 ? 16 : f->l4_proto == 17 ? 6 : f->l4_proto == 58 ? 2 : -1;

	if (f->l3 == 0)
		return;
	if (ip[0] >> 4 == 4) {
		set16(ip + 2, f->n - f->l3);
		set16(ip + 10, 0);
		set16(ip + 10, (uint16_t)~frame_sum(ip, (ip[0] & 15) * 4u, 0));
	} else {
		set16(ip + 4, f->n - f->l3 - 40);
	}
	if (f->l4_proto == 17)
		set16(l4 + 4, l4_len);
	if (at >= 0 && (size_t)at + 2 <= l4_len) {
		uint16_t sum;

		set16(l4 + at, 0);
		sum = (uint16_t)~frame_sum(l4, l4_len, pseudo(ip, l4_len, f->l4_proto));
		set16(l4 + at, sum == 0 && f->l4_proto == 17 ? 0xffff : sum);
	}
}
