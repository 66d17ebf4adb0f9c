// SPDX-License-Identifier: BSD-2-Clause
/*
 * TSO: one header and up to 2^MODEL_LOG_MAX_LSO bytes become TCP segments of mss bytes.
 *
 *   header: Ethernet [VLAN] IPv4|IPv6 TCP, all of it inline      data: mss | mss | ... | rest
 *
 * Each segment gets its own IP length, IPv4 identification (counting up), sequence number and, where the WQE asks,
 * checksums. PSH and FIN belong to the last segment, CWR to the first (RFC 3168 6.1.2). The length fields of the
 * header that was given do not matter.
 */
#include "send.h"

#include <string.h>

enum { IPV6_HLEN = 40, PROTO_TCP = 6, TCP_FLAGS_AT = 13, TCP_SEQ_AT = 4 };
enum { TCP_FIN = 0x01, TCP_PSH = 0x08, TCP_CWR = 0x80 };

static void set_ip_length(struct model_pkt *p)
{
	uint8_t *ip = p->data + p->l3;

	if (p->ip_version == 4)
		prm_put(ip, 16, 16, p->len - p->l3);
	else
		prm_put(ip, 32, 16, p->len - p->l3 - IPV6_HLEN);
}

/* Does the inline header end with TCP's? Where IP begins is known without its length field. */
static bool good_header(struct model_pkt *p)
{
	model_pkt_parse(p);
	if (!p->ip_version)
		return false;
	set_ip_length(p);
	model_pkt_parse(p);
	return p->l4_proto == PROTO_TCP && p->l4 && p->payload == p->len;
}

static void number(struct model_pkt *p, uint32_t segment, uint32_t sent, bool last)
{
	uint8_t *tcp = p->data + p->l4, *flags = tcp + TCP_FLAGS_AT, *ip = p->data + p->l3;

	prm_put(tcp, TCP_SEQ_AT * 8, 32, (uint32_t)prm_get(tcp, TCP_SEQ_AT * 8, 32) + sent);
	if (p->ip_version == 4)
		prm_put(ip, 32, 16, (prm_get(ip, 32, 16) + segment) & 0xffff);
	if (segment)
		*flags &= (uint8_t)~TCP_CWR;
	if (!last)
		*flags &= (uint8_t) ~(TCP_PSH | TCP_FIN);
}

struct model_failure model_lso(struct model_dev *dev, struct model_sq *sq,
			       const struct model_wqe *w, uint16_t posted, struct model_tis *tis,
			       struct model_data *d, struct model_pkt *p)
{
	bool tls = tis && tis->tls;
	uint32_t sent = 0;

	if (d->mss == 0 || d->mss > MODEL_MAX_FRAME - d->header_len)
		return FAIL(LOCAL_LENGTH, V_LSO_MSS);
	if (d->bytes == 0)
		return FAIL(LOCAL_LENGTH, V_SEGMENT);
	model_frame_begin(sq, d, p);
	if (!good_header(p))
		return FAIL(LOCAL_QP_OP, V_LSO_HEADER);
	if (tls)
		model_tls_before(dev, sq, tis, w, posted);
	for (uint32_t segment = 0; d->bytes; segment++) {
		size_t n = d->bytes < d->mss ? d->bytes : d->mss;

		model_frame_begin(sq, d, p);
		model_data_copy(d, p->data + p->len, n);
		p->len += n;
		set_ip_length(p); /* l3, l4 are those of the header */
		number(p, segment, sent, d->bytes == 0);
		model_pkt_parse(p);
		model_frame_out(dev, tis, d, p);
		sent += (uint32_t)n;
	}
	if (tls)
		model_tls_after(sq, tis);
	return OK;
}
