// SPDX-License-Identifier: BSD-2-Clause
/*
 * Receive side scaling: the hash of a packet, and the queue that it chooses.
 *
 *   selected fields, in this order:  src IP | dst IP | src port | dst port | SPI  --> hash --> entry of the RQT
 *
 * Toeplitz: bit i of the input, counted from its first, adds (xor) the 32 bits of the key from bit i on. With
 * rx_hash_symmetric source and destination are sorted before, so that both directions of a flow meet.
 * Inverted XOR8: xor of all bytes, bits reversed; the table is chosen by its upper bits, so that a driver has to
 * reverse the index, as Linux does.
 *
 * A packet that is not of the selected l3_prot_type has no addresses to hash, one that is not of the selected
 * l4_prot_type (fragments, too) no ports: the hash is of what is left, and 0 of nothing. Which of these the card does
 * is not public; the rules of a driver send such packets to another TIR.
 *
 * Pure functions: no locks. Sources: PRM tirc; Linux en.h (CQE_RSS_HTYPE_*) for the type in the CQE and rqt.c for the
 * reversed index; DPDK rte_flow.h (SYMMETRIC_TOEPLITZ_SORT) for the sorting; Microsoft, "Verifying the RSS Hash
 * Calculation", for test vectors.
 */
#include "model.h"

#include <string.h>

enum { PROTO_TCP = 6, PROTO_UDP = 17, PROTO_ESP = 50, MAX_INPUT = 16 + 16 + 2 + 2 + 4 };
enum {
	TYPE_IPV4 = 1 << 2,
	TYPE_IPV6 = 2 << 2,
	TYPE_TCP = 1 << 6,
	TYPE_UDP = 2 << 6,
	TYPE_SPI = 3 << 6
};

struct input {
	uint8_t b[MAX_INPUT];
	size_t n;
	uint8_t type;
};

static void put(struct input *in, const uint8_t *bytes, size_t n)
{
	memcpy(in->b + in->n, bytes, n);
	in->n += n;
}

/* Source and destination of n bytes each, as far as they are selected. */
static void put_pair(struct input *in, const struct model_rss *rss, const uint8_t *src,
		     const uint8_t *dst, size_t n, uint32_t src_bit, uint32_t dst_bit)
{
	bool both = (rss->fields & src_bit) && (rss->fields & dst_bit);

	if (rss->symmetric && both && memcmp(src, dst, n) > 0) {
		const uint8_t *swap = src;

		src = dst;
		dst = swap;
	}
	if (rss->fields & src_bit)
		put(in, src, n);
	if (rss->fields & dst_bit)
		put(in, dst, n);
}

static void put_l3(struct input *in, const struct model_rss *rss, const struct model_pkt *p)
{
	bool v6 = rss->l3 == PRM_RX_HASH_L3_IPV6;
	const uint8_t *h = p->data + p->l3;

	if (!(rss->fields & (PRM_RX_HASH_FIELD_SRC_IP | PRM_RX_HASH_FIELD_DST_IP)) ||
	    p->ip_version != (v6 ? 6 : 4))
		return;
	if (v6)
		put_pair(in, rss, h + 8, h + 24, 16, PRM_RX_HASH_FIELD_SRC_IP,
			 PRM_RX_HASH_FIELD_DST_IP);
	else
		put_pair(in, rss, h + 12, h + 16, 4, PRM_RX_HASH_FIELD_SRC_IP,
			 PRM_RX_HASH_FIELD_DST_IP);
	in->type |= v6 ? TYPE_IPV6 : TYPE_IPV4;
}

static void put_l4(struct input *in, const struct model_rss *rss, const struct model_pkt *p)
{
	bool udp = rss->l4 == PRM_RX_HASH_L4_UDP;
	const uint8_t *h = p->data + p->l4;

	if (!p->l4)
		return;
	if ((rss->fields & (PRM_RX_HASH_FIELD_L4_SPORT | PRM_RX_HASH_FIELD_L4_DPORT)) &&
	    p->l4_proto == (udp ? PROTO_UDP : PROTO_TCP)) {
		put_pair(in, rss, h, h + 2, 2, PRM_RX_HASH_FIELD_L4_SPORT,
			 PRM_RX_HASH_FIELD_L4_DPORT);
		in->type |= udp ? TYPE_UDP : TYPE_TCP;
	}
	if ((rss->fields & PRM_RX_HASH_FIELD_IPSEC_SPI) && p->l4_proto == PROTO_ESP) {
		put(in, h, 4);
		in->type |= TYPE_SPI;
	}
}

static uint32_t toeplitz(const uint8_t key[40], const uint8_t *b, size_t n)
{
	uint32_t window = (uint32_t)prm_get(key, 0, 32), hash = 0;

	for (size_t i = 0; i < n * 8; i++) {
		size_t next = i + 32;

		if (b[i / 8] & 0x80 >> i % 8)
			hash ^= window;
		window <<= 1;
		if (next < 40 * 8)
			window |= key[next / 8] >> (7 - next % 8) & 1u;
	}
	return hash;
}

static uint32_t inverted_xor8(const uint8_t *b, size_t n)
{
	uint8_t x = 0, r = 0;

	for (size_t i = 0; i < n; i++)
		x ^= b[i];
	for (int i = 0; i < 8; i++)
		r = (uint8_t)(r << 1 | (x >> i & 1));
	return r;
}

struct model_hash model_rss_hash(const struct model_rss *rss, const struct model_pkt *p)
{
	struct input in = {.n = 0};
	struct model_hash hash = {0, 0};

	put_l3(&in, rss, p);
	put_l4(&in, rss, p);
	if (in.n)
		hash.value = rss->fn == PRM_RX_HASH_FN_TOEPLITZ ? toeplitz(rss->key, in.b, in.n)
								: inverted_xor8(in.b, in.n);
	hash.type = in.type;
	return hash;
}

uint32_t model_rss_index(const struct model_rss *rss, uint32_t hash, uint32_t n)
{
	if (rss->fn == PRM_RX_HASH_FN_INVERTED_XOR8 && n < 256)
		return hash * n / 256; /* n is a power of 2: its upper bits */
	return hash & (n - 1);
}
