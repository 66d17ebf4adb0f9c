// SPDX-License-Identifier: BSD-2-Clause
/*
 * Steering: a packet's way through the flow tables of its direction.
 *
 *   root table -> group by group (lower flow index first) -> rule -> actions -> next table | TIR | wire | drop
 *        miss: the table's miss table, else RX drop, TX to the wire
 *        steering anchor: back into the root, to rules of the anchor's priority and later ones
 *
 * A rule's actions run in the card's fixed order, whatever the order of their bits:
 *
 *   RX   decrypt, reformat or decap, count, modify header, flow tag, destination
 *   TX   modify header, encrypt + reformat or a tunnel's reformat, count, destination
 *
 * The next table sees the packet as the actions left it, with registers and ipsec_syndrome; a counter counts the bytes
 * (Ethernet header included, no FCS) that leave the rule. A rule that drops counts and runs nothing else. Several
 * destinations each get a copy; hops and copies are bounded per packet.
 *
 * Locks: the caller holds dev->objs for reading. Sources: PRM flow_context; Linux en_accel/ipsec_fs.c for what its
 * rules rely on.
 */
#include "model.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_HOPS = 32, MAX_COPIES = 16 };

struct walk {
	struct model_dev *dev;
	struct model_ft *root;
	unsigned int hops, copies; /* left, for all copies of the packet together */
};

static void count_drop(struct model_dev *dev, enum model_drop why)
{
	atomic_fetch_add_explicit(&dev->drop[why], 1, memory_order_relaxed);
}

static enum model_verdict dropped(struct model_dev *dev, const struct model_pkt *p,
				  enum model_drop rx, enum model_drop tx)
{
	count_drop(dev, p->tx ? tx : rx);
	return MODEL_DROPPED;
}

/* The first rule of the table that matches, of the groups that begin at index `from` or later. */
static struct model_fte *lookup(const struct model_ft *ft, const struct model_pkt *p, uint32_t from)
{
	for (uint32_t i = 0; i < ft->nfgs; i++) {
		struct model_fte *fte = ft->fgs[i]->start < from ? NULL
								 : model_fg_lookup(ft->fgs[i], p);

		if (fte)
			return fte;
	}
	return NULL;
}

static void count(const struct model_fte *fte, const struct model_pkt *p)
{
	for (uint32_t i = 0; i < fte->ncounter; i++) {
		struct model_counter *c = fte->counter[i].counter;
		uint32_t n = fte->counter[i].index;

		atomic_fetch_add_explicit(&c->c[n].packets, 1, memory_order_relaxed);
		atomic_fetch_add_explicit(&c->c[n].octets, p->len, memory_order_relaxed);
	}
}

/* 0 or -1: the packet is gone and counted. */
static int rx_actions(struct model_dev *dev, struct model_pkt *p, const struct model_fte *fte)
{
	int err = 0;

	if (fte->action & PRM_FLOW_CONTEXT_ACTION_CRYPTO_DECRYPT)
		err = model_esp_decrypt(dev, p, fte->ipsec);
	if (!err && (fte->action & PRM_FLOW_CONTEXT_ACTION_PACKET_REFORMAT))
		err = fte->reformat->type == PRM_REFORMAT_TYPE_DEL_ESP_TRANSPORT
			      ? model_esp_del(dev, p)
			      : model_tunnel_del(p, fte->reformat);
	if (!err && (fte->action & PRM_FLOW_CONTEXT_ACTION_DECAP))
		err = model_tunnel_decap(p);
	if (err) {
		count_drop(dev, MODEL_DROP_RX_REFORMAT);
		return -1;
	}
	if (fte->action & PRM_FLOW_CONTEXT_ACTION_COUNT)
		count(fte, p);
	if (fte->action & PRM_FLOW_CONTEXT_ACTION_MOD_HDR)
		model_modify(p, fte->modhdr);
	if (fte->flow_tag)
		p->flow_tag = fte->flow_tag;
	return 0;
}

static int tx_actions(struct model_dev *dev, struct model_pkt *p, const struct model_fte *fte)
{
	bool reformat = fte->action & PRM_FLOW_CONTEXT_ACTION_PACKET_REFORMAT;
	bool encrypt = fte->action & PRM_FLOW_CONTEXT_ACTION_CRYPTO_ENCRYPT;
	int err = 0;

	if (fte->action & PRM_FLOW_CONTEXT_ACTION_MOD_HDR)
		model_modify(p, fte->modhdr);
	if (encrypt)
		err = reformat ? model_esp_add(dev, p, fte->ipsec, fte->reformat) : -EOPNOTSUPP;
	else if (reformat)
		err = model_tunnel_add(p, fte->reformat);
	if (err) {
		count_drop(dev, err == -EPROTO || err == -EMSGSIZE ? MODEL_DROP_TX_REFORMAT
								   : MODEL_DROP_TX_CRYPTO);
		return -1;
	}
	if (fte->action & PRM_FLOW_CONTEXT_ACTION_COUNT)
		count(fte, p);
	return 0;
}

static enum model_verdict walk_from(struct walk *w, struct model_pkt *p, struct model_ft *ft,
				    struct model_tir **tir);

static struct model_pkt *copy_pkt(const struct model_pkt *p)
{
	struct model_pkt *c = malloc(sizeof(*c));

	if (!c)
		return NULL;
	memcpy(c, p, sizeof(*c));
	c->data = c->buf + (p->data - p->buf);
	return c;
}

/* Finish a copy of the packet at destination i: everything but the last one, which the packet itself takes. */
static void to_copy(struct walk *w, const struct model_pkt *p, const struct model_fte *fte,
		    uint32_t i)
{
	enum model_verdict v = MODEL_TO_TIR;
	struct model_tir *tir = NULL;
	struct model_pkt *c;

	if (w->copies == 0 || !(c = copy_pkt(p))) {
		dropped(w->dev, p, MODEL_DROP_RX_HOPS, MODEL_DROP_TX_HOPS);
		return;
	}
	w->copies--;
	if (fte->dest[i].type == PRM_IFC_FLOW_DESTINATION_TYPE_TIR)
		tir = fte->dest[i].tir;
	else
		v = walk_from(w, c, fte->dest[i].ft, &tir);
	if (v == MODEL_TO_TIR)
		model_rx_deliver(w->dev, c, tir);
	else if (v == MODEL_TO_WIRE)
		model_port_send(w->dev->port, c->data, c->len);
	free(c);
}

/* Where the rule sends the packet: a next table in *ft, or a verdict with *ft NULL. */
static enum model_verdict destination(struct walk *w, const struct model_pkt *p,
				      const struct model_fte *fte, struct model_ft **ft,
				      struct model_tir **tir)
{
	uint32_t last = fte->ndest - 1;

	*ft = NULL;
	if (!(fte->action & PRM_FLOW_CONTEXT_ACTION_FWD_DEST) || fte->ndest == 0) {
		if (p->tx)
			return MODEL_TO_WIRE;
		return dropped(w->dev, p, MODEL_DROP_RX_RULE, MODEL_DROP_TX_RULE);
	}
	for (uint32_t i = 0; i < last; i++)
		to_copy(w, p, fte, i);
	if (fte->dest[last].type == PRM_IFC_FLOW_DESTINATION_TYPE_TIR) {
		*tir = fte->dest[last].tir;
		return MODEL_TO_TIR;
	}
	*ft = fte->dest[last].ft;
	return MODEL_DROPPED; /* not used: the walk goes on */
}

static enum model_verdict walk_from(struct walk *w, struct model_pkt *p, struct model_ft *ft,
				    struct model_tir **tir)
{
	while (w->hops) {
		uint32_t from = ft->anchor ? ft->anchor_from : 0;
		const struct model_fte *fte;
		enum model_verdict v;

		w->hops--;
		if (ft->anchor)
			ft = w->root;
		fte = lookup(ft, p, from);
		if (!fte) {
			if (ft->miss_action == PRM_FLOW_TABLE_MISS_ACTION_FWD && ft->miss_ft) {
				ft = ft->miss_ft;
				continue;
			}
			if (p->tx)
				return MODEL_TO_WIRE;
			return dropped(w->dev, p,
				       ft == w->root ? MODEL_DROP_RX_NO_ROOT : MODEL_DROP_RX_MISS,
				       MODEL_DROP_TX_MISS);
		}
		if (fte->action & PRM_FLOW_CONTEXT_ACTION_DROP) {
			if (fte->action & PRM_FLOW_CONTEXT_ACTION_COUNT)
				count(fte, p);
			return dropped(w->dev, p, MODEL_DROP_RX_RULE, MODEL_DROP_TX_RULE);
		}
		if (p->tx ? tx_actions(w->dev, p, fte) : rx_actions(w->dev, p, fte))
			return MODEL_DROPPED;
		v = destination(w, p, fte, &ft, tir);
		if (!ft)
			return v;
	}
	return dropped(w->dev, p, MODEL_DROP_RX_HOPS, MODEL_DROP_TX_HOPS);
}

enum model_verdict model_steer(struct model_dev *dev, struct model_pkt *p, struct model_tir **tir)
{
	struct walk w = {.dev = dev, .hops = MAX_HOPS, .copies = MAX_COPIES};
	struct model_ft *root =
		dev->root[p->tx ? PRM_FLOW_TABLE_TYPE_NIC_TX : PRM_FLOW_TABLE_TYPE_NIC_RX];

	*tir = NULL;
	w.root = root;
	if (root)
		return walk_from(&w, p, root, tir);
	if (p->tx)
		return MODEL_TO_WIRE;
	count_drop(dev, MODEL_DROP_RX_NO_ROOT);
	return MODEL_DROPPED;
}
