// SPDX-License-Identifier: BSD-2-Clause
/*
 * SEND and TSO: from a WQE to frames.
 *
 *   | ctrl | eth: flags, mss, inline header ... | data segments |      SEND: one frame, header and data
 *   instead of an inline header the segment may have a VLAN tag, which goes behind the addresses (SEND only)
 *   inline header + data -> [TLS context] -> checksums -> TX steering -> port       TSO: lso.c, one per mss bytes
 *
 * Locks: the queue's, dev->objs for reading. Sources: mlx5dv.h, Linux mlx5/qp.h, en_tx.c.
 */
#include "send.h"

#include <string.h>

enum { DS = PRM_WQE_DS, CTRL_DS = 1, PROTO_TCP = 6, MIN_FRAME = 60 };

/* One data segment at byte `at`: a pointer, or inline bytes padded to 16. Moves `at` behind it. */
static struct model_failure take_segment(struct model_dev *dev, const struct model_sq *sq,
					 const struct model_wqe *w, size_t *at,
					 struct model_data *d)
{
	const uint8_t *seg = w->b + *at, *bytes = seg + 4;
	uint32_t n = (uint32_t)PRM_GET(wqe_inline_seg, seg, byte_count);

	if (n == 0)
		return FAIL(LOCAL_LENGTH, V_SEGMENT);
	if (PRM_GET(wqe_inline_seg, seg, inline_flag)) {
		if (n > (size_t)w->ds * DS - *at - 4)
			return FAIL(LOCAL_QP_OP, V_SEGMENT);
		*at += (4 + (size_t)n + DS - 1) / DS * DS;
	} else {
		if (n > d->room)
			return FAIL(LOCAL_LENGTH, V_LONG);
		bytes = model_mem(dev, sq->pd, (uint32_t)PRM_GET(wqe_data_seg, seg, lkey),
				  PRM_GET(wqe_data_seg, seg, addr), n, false);
		if (!bytes)
			return FAIL(LOCAL_PROT, V_LKEY);
		*at += DS;
	}
	if (n > d->room - d->bytes)
		return FAIL(LOCAL_LENGTH, V_LONG);
	d->piece[d->n].at = bytes;
	d->piece[d->n++].left = n;
	d->bytes += n;
	return OK;
}

enum { INSERT_VLAN = 0x8000, INSERT_SVLAN = 0x0001, TAG = 4, TAG_AT = 12 };

/* The word that is either the size of an inline header or a tag to insert. False: neither. */
static bool read_insert(const uint8_t *eth, struct model_data *d)
{
	d->header_len = PRM_GET(wqe_eth_seg, eth, inline_hdr_sz);
	d->has_tag = d->header_len & INSERT_VLAN;
	if (!d->has_tag)
		return true;
	d->tpid = d->header_len & INSERT_SVLAN ? 0x88a8 : 0x8100;
	d->tci = (uint16_t)PRM_GET(wqe_eth_seg, eth, inline_hdr_start);
	if (d->header_len & ~(size_t)(INSERT_VLAN | INSERT_SVLAN))
		return false;
	d->header_len = 0;
	return true;
}

/* Inline header and data segments. */
static struct model_failure read_wqe(struct model_dev *dev, const struct model_sq *sq,
				     const struct model_wqe *w, struct model_data *d)
{
	const uint8_t *eth = w->b + CTRL_DS * DS;
	size_t end = (size_t)w->ds * DS, at;
	struct model_failure f = OK;

	if (w->ds < CTRL_DS + 1)
		return FAIL(LOCAL_QP_OP, V_DS);
	d->header = eth + MODEL_ETH_HLEN;
	if (!read_insert(eth, d))
		return FAIL(LOCAL_QP_OP, V_INLINE_LEN);
	d->cs_flags = (uint8_t)PRM_GET(wqe_eth_seg, eth, cs_flags);
	d->metadata = (uint32_t)PRM_GET(wqe_eth_seg, eth, flow_table_metadata);
	d->mss = (uint16_t)PRM_GET(wqe_eth_seg, eth, mss);
	d->n = d->next = 0;
	d->bytes = 0;
	if (d->header_len < sq->min_inline)
		return FAIL(LOCAL_QP_OP, V_INLINE_MIN);
	/* two inline bytes lie in the segment itself, the others follow it, padded to 16 */
	at = DS + (MODEL_ETH_HLEN + (d->header_len > 2 ? d->header_len : 2) + DS - 1) / DS * DS;
	if (at > end)
		return FAIL(LOCAL_QP_OP, V_INLINE_LEN);
	while (at < end && !f.syndrome)
		f = take_segment(dev, sq, w, &at, d);
	return f;
}

void model_data_copy(struct model_data *d, uint8_t *to, size_t n)
{
	d->bytes -= n;
	while (n && d->next < d->n) {
		size_t m = d->piece[d->next].left < n ? d->piece[d->next].left : n;

		memcpy(to, d->piece[d->next].at, m);
		d->piece[d->next].at += m;
		d->piece[d->next].left -= m;
		if (!d->piece[d->next].left)
			d->next++;
		to += m;
		n -= m;
	}
}

bool model_has_payload(const struct model_pkt *p)
{
	return p->payload < p->l3_end;
}

void model_frame_out(struct model_dev *dev, struct model_tis *tis, const struct model_data *d,
		     struct model_pkt *p)
{
	struct model_tir *tir;

	if (tis && tis->tls && model_has_payload(p)) {
		size_t n = (size_t)(p->l3_end - p->payload);

		if (model_tls_through(dev, tis, p->data + p->payload, n)) {
			model_tls_count(dev, MODEL_TLS_N_PACKETS, 1);
			model_tls_count(dev, MODEL_TLS_N_BYTES, n);
			atomic_fetch_add_explicit(&dev->encrypted_bytes, n, memory_order_relaxed);
		}
	}
	model_pkt_csum(p, d->cs_flags);
	if (model_steer(dev, p, &tir) == MODEL_TO_WIRE)
		model_port_send(dev->port, p->data, p->len);
}

void model_frame_begin(const struct model_sq *sq, const struct model_data *d, struct model_pkt *p)
{
	model_pkt_init(p, true);
	p->sqn = sq->o.id;
	p->reg_a = d->metadata;
	memcpy(p->data, d->header, d->header_len);
	p->len = d->header_len;
}

/* TCP, and nothing behind the IP packet that would leave in clear, except padding of the shortest frame. */
static bool takes_tls(const struct model_pkt *p)
{
	return p->l4_proto == PROTO_TCP && p->l4 && (p->l3_end == p->len || p->len <= MIN_FRAME);
}

static void put_tag(const struct model_data *d, struct model_pkt *p)
{
	memmove(p->data + TAG_AT + TAG, p->data + TAG_AT, p->len - TAG_AT);
	prm_put(p->data, TAG_AT * 8, 16, d->tpid);
	prm_put(p->data, TAG_AT * 8 + 16, 16, d->tci);
	p->len += TAG;
}

static struct model_failure send_one(struct model_dev *dev, struct model_sq *sq,
				     const struct model_wqe *w, uint16_t posted,
				     struct model_tis *tis, struct model_data *d,
				     struct model_pkt *p)
{
	bool tls = tis && tis->tls;

	if (d->header_len + d->bytes < MODEL_ETH_HLEN)
		return FAIL(LOCAL_LENGTH, V_SHORT);
	model_frame_begin(sq, d, p);
	p->len += d->bytes;
	model_data_copy(d, p->data + d->header_len, d->bytes);
	if (d->has_tag)
		put_tag(d, p);
	model_pkt_parse(p);
	if (tls && !takes_tls(p))
		return FAIL(LOCAL_QP_OP, V_TLS_PACKET);
	tls = tls && model_has_payload(p);
	if (tls)
		model_tls_before(dev, sq, tis, w, posted);
	model_frame_out(dev, tis, d, p);
	if (tls)
		model_tls_after(sq, tis);
	return OK;
}

struct model_failure model_sq_send(struct model_dev *dev, struct model_sq *sq,
				   const struct model_wqe *w, uint16_t posted, struct model_pkt *p)
{
	bool tso = w->opcode == PRM_WQE_OP_TSO;
	struct model_tis *tis = NULL;
	struct model_failure f;
	struct model_data d;

	if (w->tisn) {
		tis = model_sq_tis(dev, sq, w->tisn);
		if (!tis)
			return FAIL(LOCAL_QP_OP, V_TIS);
	}
	d.room = tso ? (size_t)1 << MODEL_LOG_MAX_LSO : MODEL_MAX_FRAME;
	f = read_wqe(dev, sq, w, &d);
	if (f.syndrome)
		return f;
	if (d.header_len > MODEL_MAX_FRAME ||
	    (!tso && d.bytes > MODEL_MAX_FRAME - d.header_len - (d.has_tag ? TAG : 0)))
		return FAIL(LOCAL_LENGTH, V_LONG);
	return tso ? model_lso(dev, sq, w, posted, tis, &d, p)
		   : send_one(dev, sq, w, posted, tis, &d, p);
}
