// SPDX-License-Identifier: BSD-2-Clause
/* Printing of SAs and policies, one call per value. */
#include "tools/show.h"

#include <arpa/inet.h>
#include <stdio.h>

#include "tools/xfrm.h"

const char *show_addr(const struct mlxo_addr *addr, char buf[SHOW_ADDR])
{
	if (!addr->family || !inet_ntop(addr->family, addr->bytes, buf, SHOW_ADDR))
		return "any";
	return buf;
}

static void put_prefix(struct out *o, const char *key, const char *lead,
		       const struct mlxo_addr *addr, unsigned int bits)
{
	char host[SHOW_ADDR], text[SHOW_ADDR + 8];

	if (!addr->family) {
		out_str(o, key, lead, "any");
		return;
	}
	snprintf(text, sizeof(text), "%s/%u", show_addr(addr, host), bits);
	out_str(o, key, lead, text);
}

static void put_selector(struct out *o, const struct mlxo_selector *sel, const char *lead)
{
	char buf[8];

	out_text(o, "%s", lead);
	out_object(o, "sel");
	put_prefix(o, "src", "src ", &sel->src, sel->src_prefixlen);
	put_prefix(o, "dst", " dst ", &sel->dst, sel->dst_prefixlen);
	out_str(o, "proto", sel->proto ? " proto " : NULL, xfrm_upper_name(sel->proto, buf));
	if (sel->sport)
		out_num(o, "sport", " sport ", sel->sport);
	if (sel->dport)
		out_num(o, "dport", " dport ", sel->dport);
	out_close(o);
	out_text(o, "\n");
}

static void put_offload(struct session *s, enum mlxo_ipsec_offload type, const char *dev,
			enum mlxo_ipsec_dir dir)
{
	struct out *o = s->out;

	out_object(o, "offload");
	out_str(o, "type", "\toffload ", type == MLXO_IPSEC_CRYPTO ? "crypto" : "packet");
	out_str(o, "dev", " dev ", dev ? dev : mlxo_device_name(s->dev));
	out_str(o, "device", NULL, mlxo_device_name(s->dev));
	out_close(o);
	out_str(o, "dir", dir ? " dir " : NULL, xfrm_dir_name(dir));
	out_text(o, "\n");
}

static void put_sa_counters(struct out *o, const struct mlxo_ipsec_sa_info *info)
{
	out_num(o, "packets", "\tpackets ", info->packets);
	out_num(o, "bytes", " bytes ", info->bytes);
	out_object(o, "drops");
	out_num(o, "auth", " drops: auth ", info->drop_auth);
	out_num(o, "trailer", " trailer ", info->drop_trailer);
	out_num(o, "selector", " selector ", info->drop_selector);
	out_close(o);
	out_num(o, "overhead", "\n\toverhead ", info->overhead);
	out_num(o, "usable_mtu", " usable-mtu ", info->usable_mtu);
	out_text(o, "\n");
}

static void put_limit(struct out *o, const char *key, const char *lead, uint64_t limit)
{
	if (limit && limit != MLXO_IPSEC_UNLIMITED)
		out_num(o, key, lead, limit);
}

void show_sa(struct session *s, const struct mlxo_ipsec_sa_info *info)
{
	const struct mlxo_ipsec_sa_params *p = &info->params;
	struct out *o = s->out;
	char addr[SHOW_ADDR], proto[8];

	out_object(o, NULL);
	out_str(o, "src", "src ", show_addr(&p->src, addr));
	out_str(o, "dst", " dst ", show_addr(&p->dst, addr));
	out_str(o, "proto", "\n\tproto ", xfrm_proto_name(p->proto, proto));
	out_hex(o, "spi", " spi ", 8, p->spi);
	out_num(o, "reqid", " reqid ", p->reqid);
	out_str(o, "mode", " mode ", xfrm_mode_name(p->mode));
	out_num(o, "replay_window", "\n\treplay-window ", p->replay_window);
	out_str(o, "replay", " replay: ", info->replay_on ? "on" : "off");
	out_object(o, "aead");
	out_str(o, "name", "\n\taead ", p->aead ? p->aead : "");
	out_num(o, "icv_bits", " (hidden) ", p->icv_bits);
	out_num(o, "key_bits", " key-bits ", info->key_bits);
	out_close(o);
	out_text(o, "\n");
	put_selector(o, &p->sel, "\tsel ");
	put_limit(o, "soft_packets", "\tlimit packet-soft ", p->soft_packets);
	put_limit(o, "hard_packets", "\tlimit packet-hard ", p->hard_packets);
	put_limit(o, "soft_bytes", "\tlimit byte-soft ", p->soft_bytes);
	put_limit(o, "hard_bytes", "\tlimit byte-hard ", p->hard_bytes);
	put_offload(s, p->offload, p->dev, p->dir);
	put_sa_counters(o, info);
	out_num(o, "dek_id", NULL, info->dek_id);
	out_num(o, "ipsec_id", NULL, info->ipsec_id);
	out_num(o, "slot", NULL, info->slot);
	out_warnings(o);
	out_close(o);
}

static void put_tmpl(struct out *o, const struct mlxo_ipsec_tmpl *t)
{
	char addr[SHOW_ADDR], proto[8];

	out_object(o, NULL);
	out_str(o, "src", "\ttmpl src ", show_addr(&t->src, addr));
	out_str(o, "dst", " dst ", show_addr(&t->dst, addr));
	out_str(o, "proto", "\n\t\tproto ", xfrm_proto_name(t->proto, proto));
	if (t->spi)
		out_hex(o, "spi", " spi ", 8, t->spi);
	out_num(o, "reqid", " reqid ", t->reqid);
	out_str(o, "mode", " mode ", xfrm_mode_name(t->mode));
	out_text(o, "\n");
	out_close(o);
}

void show_policy(struct session *s, const struct mlxo_ipsec_policy_info *info)
{
	const struct mlxo_ipsec_policy_params *p = &info->params;
	struct out *o = s->out;

	out_object(o, NULL);
	put_selector(o, &p->sel, "");
	out_str(o, "dir", "\tdir ", xfrm_dir_name(p->dir));
	out_str(o, "action", " action ", p->action == MLXO_IPSEC_BLOCK ? "block" : "allow");
	out_num(o, "priority", " priority ", p->priority);
	out_num(o, "index", " index ", p->index);
	out_text(o, "\n");
	out_array(o, "tmpl");
	if (p->ntmpl)
		put_tmpl(o, &p->tmpl);
	out_close(o);
	out_object(o, "offload");
	out_str(o, "type", "\toffload ", "packet");
	out_str(o, "dev", " dev ", p->dev ? p->dev : mlxo_device_name(s->dev));
	out_str(o, "device", NULL, mlxo_device_name(s->dev));
	out_close(o);
	out_num(o, "packets", "\n\tpackets ", info->packets);
	out_num(o, "bytes", " bytes ", info->bytes);
	out_object(o, "drops");
	out_num(o, "fragment", " drops: fragment ", info->drop_fragment);
	out_num(o, "unprotected", " unprotected ", info->drop_unprotected);
	out_close(o);
	out_text(o, "\n");
	out_warnings(o);
	out_close(o);
}
