// SPDX-License-Identifier: BSD-2-Clause
/* Headers by hand: RFC 791, RFC 9293, time stamps of RFC 7323. */
#include "tools/stress/frame.h"

#include <string.h>

enum { IP = 14, TCP = 34, PROTO_TCP = 6, ACK_PSH = 0x18 };

static void put16(uint8_t *p, uint32_t v)
{
	p[0] = (uint8_t)(v >> 8);
	p[1] = (uint8_t)v;
}

static uint32_t get16(const uint8_t *p)
{
	return (uint32_t)p[0] << 8 | p[1];
}

static uint32_t get32(const uint8_t *p)
{
	return get16(p) << 16 | get16(p + 2);
}

void stress_frame_header(uint8_t *hdr, uint32_t thread, uint32_t slot, uint32_t id)
{
	static const uint8_t base[STRESS_HEADER_BYTES] = {
		0x02,	   0,	       0,	  0,	    0,	  2, 0x02, 0,
		0,	   0,	       0,	  1,	    0x08, 0, /* Ethernet */
		0x45,	   0,	       0,	  0,	    0,	  0, 0x40, 0,
		64,	   PROTO_TCP, /* IPv4, do not fragment */
		[26] = 10, [30] = 172, [31] = 16, [42] = 0, 0,	  0, 1,	   [46] = 8 << 4,
		ACK_PSH,   0xff,       0xff,	  [54] = 1, 1,	  8, 10,   0,
		0,	   0,	       1,	  0,	    0,	  0, 1, /* time stamps */
	};

	memcpy(hdr, base, sizeof(base));
	hdr[IP + 13] = (uint8_t)thread;
	put16(hdr + IP + 14, slot >> 15);
	put16(hdr + IP + 18, id >> 16);
	put16(hdr + TCP, 0x8000 | (slot & 0x7fff));
	put16(hdr + TCP + 2, id);
}

static uint32_t sum(const uint8_t *p, size_t len, uint32_t s)
{
	for (; len > 1; p += 2, len -= 2)
		s += get16(p);
	return len ? s + ((uint32_t)*p << 8) : s;
}

static bool is_whole(uint32_t s)
{
	while (s >> 16)
		s = (s & 0xffff) + (s >> 16);
	return s == 0xffff;
}

static bool checksums(const uint8_t *ip, const uint8_t *tcp, size_t tcp_len)
{
	return is_whole(sum(ip, 20, 0)) &&
	       is_whole(sum(tcp, tcp_len, sum(ip + 12, 8, PROTO_TCP + (uint32_t)tcp_len)));
}

bool stress_frame_parse(const uint8_t *frame, size_t len, bool check, struct stress_frame *f)
{
	const uint8_t *ip = frame + IP, *tcp = frame + TCP;
	size_t total, head;

	if (len < STRESS_HEADER_BYTES || get16(frame + 12) != 0x0800 || ip[0] != 0x45 ||
	    ip[9] != PROTO_TCP || ip[12] != 10 || ip[16] != 172 || ip[17] != 16)
		return false;
	total = get16(ip + 2);
	head = 20 + 4 * (size_t)(tcp[12] >> 4);
	if (total > len - IP || head > total || head < 40)
		return false;
	f->thread = ip[13];
	f->slot = get16(ip + 14) << 15 | (get16(tcp) & 0x7fff);
	f->id = get16(ip + 18) << 16 | get16(tcp + 2);
	f->seq = get32(tcp + 4);
	f->payload = ip + head;
	f->len = total - head;
	f->checksums_good = !check || checksums(ip, tcp, total - 20);
	return true;
}
