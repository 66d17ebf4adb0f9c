// SPDX-License-Identifier: BSD-2-Clause
/*
 * ibv_create_flow: a list of headers to match, made into the card's match parameters, leading to a raw packet QP.
 *
 * Ethernet, VLAN, IPv4, IPv6, TCP and UDP of the outer packet, a tag, counters, drop; all-default (whatever nobody else takes) as a rule of the
 * last priority. Source: Linux drivers/infiniband/hw/mlx5/fs.c.
 */
#include "flow.h"

#include <errno.h>
#include <string.h>

#include "verbs.h"
#include "write.h"

enum { NORMAL, ALL_DEFAULT };
enum {
	SPEC_ETH = 0x20,
	SPEC_IPV4 = 0x30,
	SPEC_IPV6 = 0x31,
	SPEC_TCP = 0x40,
	SPEC_UDP = 0x41,
	SPEC_TAG = 0x1000,
	SPEC_DROP = 0x1001,
	SPEC_COUNT = 0x1003
};
enum { OUTER = 1, TCP = 6, UDP = 17 };

struct match {
	uint8_t mask[PRM_BYTES(fte_match_param)], value[PRM_BYTES(fte_match_param)];
	bool any, drop, counted;
	uint32_t tag, counters; /* counters: a handle */
};

/* One field in both; a mask of 0 asks for nothing. */
#define FIELD(m, field, mask_, value_) \
	do { \
		uint64_t fm = (mask_); \
\
		PRM_SET(fte_match_set_lyr_2_4, (m)->mask, field, fm); \
		PRM_SET(fte_match_set_lyr_2_4, (m)->value, field, (value_)&fm); \
		(m)->any |= fm != 0; \
	} while (0)

static uint64_t be(const void *p, size_t n)
{
	const uint8_t *b = p;
	uint64_t v = 0;

	while (n--)
		v = v << 8 | *b++;
	return v;
}

static void bytes(struct match *m, size_t at, const void *mask, const void *value, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		m->mask[at + i] = ((const uint8_t *)mask)[i];
		m->value[at + i] = ((const uint8_t *)value)[i] & m->mask[at + i];
		m->any |= m->mask[at + i] != 0;
	}
}

/* A tag control field: priority, CFI, number. That there is a tag follows. */
static void add_vlan(struct match *m, unsigned int mask, unsigned int value)
{
	FIELD(m, cvlan_tag, 1, 1);
	FIELD(m, first_vid, mask & 0xfff, value & 0xfff);
	FIELD(m, first_cfi, mask >> 12 & 1, value >> 12 & 1);
	FIELD(m, first_prio, mask >> 13, value >> 13);
}

static int add_eth(struct match *m, const struct ib_uverbs_flow_spec_eth *s)
{
	if (s->mask.vlan_tag)
		add_vlan(m, (unsigned int)be(&s->mask.vlan_tag, 2),
			 (unsigned int)be(&s->val.vlan_tag, 2));
	FIELD(m, dmac_47_16, be(s->mask.dst_mac, 4), be(s->val.dst_mac, 4));
	FIELD(m, dmac_15_0, be(s->mask.dst_mac + 4, 2), be(s->val.dst_mac + 4, 2));
	FIELD(m, smac_47_16, be(s->mask.src_mac, 4), be(s->val.src_mac, 4));
	FIELD(m, smac_15_0, be(s->mask.src_mac + 4, 2), be(s->val.src_mac + 4, 2));
	FIELD(m, ethertype, be(&s->mask.ether_type, 2), be(&s->val.ether_type, 2));
	return 0;
}

enum { SRC_IP_AT = 0x20, DST_IP_AT = 0x30, IPV4_AT = 12 }; /* bytes in the outer headers */

static int add_ipv4(struct match *m, const struct ib_uverbs_flow_spec_ipv4 *s)
{
	FIELD(m, ip_version, 0xf, 4);
	bytes(m, SRC_IP_AT + IPV4_AT, &s->mask.src_ip, &s->val.src_ip, 4);
	bytes(m, DST_IP_AT + IPV4_AT, &s->mask.dst_ip, &s->val.dst_ip, 4);
	FIELD(m, ip_protocol, s->mask.proto, s->val.proto);
	FIELD(m, ip_dscp, s->mask.tos >> 2, s->val.tos >> 2);
	FIELD(m, ip_ecn, s->mask.tos & 3, s->val.tos & 3);
	FIELD(m, ttl_hoplimit, s->mask.ttl, s->val.ttl);
	return s->mask.flags ? -EOPNOTSUPP : 0;
}

static int add_ipv6(struct match *m, const struct ib_uverbs_flow_spec_ipv6 *s)
{
	FIELD(m, ip_version, 0xf, 6);
	bytes(m, SRC_IP_AT, s->mask.src_ip, s->val.src_ip, 16);
	bytes(m, DST_IP_AT, s->mask.dst_ip, s->val.dst_ip, 16);
	FIELD(m, ip_protocol, s->mask.next_hdr, s->val.next_hdr);
	FIELD(m, ip_dscp, s->mask.traffic_class >> 2, s->val.traffic_class >> 2);
	FIELD(m, ip_ecn, s->mask.traffic_class & 3, s->val.traffic_class & 3);
	FIELD(m, ttl_hoplimit, s->mask.hop_limit, s->val.hop_limit);
	return s->mask.flow_label ? -EOPNOTSUPP : 0;
}

static int add_ports(struct match *m, const struct ib_uverbs_flow_spec_tcp_udp *s)
{
	bool tcp = s->type == SPEC_TCP;

	FIELD(m, ip_protocol, 0xff, tcp ? TCP : UDP);
	if (tcp) {
		FIELD(m, tcp_sport, be(&s->mask.src_port, 2), be(&s->val.src_port, 2));
		FIELD(m, tcp_dport, be(&s->mask.dst_port, 2), be(&s->val.dst_port, 2));
	} else {
		FIELD(m, udp_sport, be(&s->mask.src_port, 2), be(&s->val.src_port, 2));
		FIELD(m, udp_dport, be(&s->mask.dst_port, 2), be(&s->val.dst_port, 2));
	}
	return 0;
}

static int add_tag(struct match *m, const struct ib_uverbs_flow_spec_action_tag *s)
{
	m->tag = s->tag_id;
	return m->tag < UV_MAX_TAG ? 0 : -EINVAL;
}

/* Counters are named once. */
static int add_count(struct match *m, const struct ib_uverbs_flow_spec_action_count *s)
{
	if (m->counted)
		return -EINVAL;
	m->counted = true;
	m->counters = s->handle;
	return 0;
}

static int add_action(struct match *m, const void *spec, size_t size)
{
	const struct ib_uverbs_flow_spec_hdr *hdr = spec;

	switch (hdr->type) {
	case SPEC_TAG:
		return size < sizeof(struct ib_uverbs_flow_spec_action_tag) ? -EINVAL
									    : add_tag(m, spec);
	case SPEC_DROP: m->drop = true; return 0;
	case SPEC_COUNT:
		return size < sizeof(struct ib_uverbs_flow_spec_action_count) ? -EINVAL
									      : add_count(m, spec);
	default: return -EOPNOTSUPP;
	}
}

static int add(struct match *m, const void *spec, size_t size)
{
	const struct ib_uverbs_flow_spec_hdr *hdr = spec;

	switch (hdr->type) {
	case SPEC_ETH:
		return size < sizeof(struct ib_uverbs_flow_spec_eth) ? -EINVAL : add_eth(m, spec);
	case SPEC_IPV4:
		return size < sizeof(struct ib_uverbs_flow_spec_ipv4) ? -EINVAL : add_ipv4(m, spec);
	case SPEC_IPV6:
		return size < sizeof(struct ib_uverbs_flow_spec_ipv6) ? -EINVAL : add_ipv6(m, spec);
	case SPEC_TCP:
	case SPEC_UDP:
		return size < sizeof(struct ib_uverbs_flow_spec_tcp_udp) ? -EINVAL
									 : add_ports(m, spec);
	default: return add_action(m, spec, size);
	}
}

/* All specs of the command, whose structs must end where it ends. */
static int read_specs(struct uv_write *w, struct match *m)
{
	const struct ib_uverbs_create_flow *cmd = (const void *)w->in;
	const uint8_t *at = (const uint8_t *)(cmd + 1);
	size_t left = uv_len(w->c, UVERBS_ATTR_CORE_IN) - sizeof(*cmd);
	int err = 0;

	for (unsigned int i = 0; i < cmd->flow_attr.num_of_specs && !err; i++) {
		_Alignas(8) uint8_t spec[128] = {0};
		struct ib_uverbs_flow_spec_hdr hdr;

		if (left < sizeof(hdr))
			return -EINVAL;
		memcpy(&hdr, at, sizeof(hdr));
		if (hdr.size < sizeof(hdr) || hdr.size > left || hdr.size > sizeof(spec))
			return -EINVAL;
		memcpy(spec, at, hdr.size);
		err = add(m, spec, hdr.size);
		at += hdr.size;
		left -= hdr.size;
	}
	return err;
}

static int check_attr(const struct ib_uverbs_create_flow *cmd)
{
	const struct ib_uverbs_flow_attr *a = &cmd->flow_attr;

	if (a->priority >= UV_PRIORITIES) /* mlx5_ib_create_flow() */
		return -ENOMEM;
	if (cmd->comp_mask || a->port != 1 || (a->type == ALL_DEFAULT && a->num_of_specs))
		return -EINVAL;
	return a->type > ALL_DEFAULT || a->flags ? -EOPNOTSUPP : 0;
}

/* Counters are taken during the call, and used by the flow after it. */
static int take_counters(struct uv_write *w, const struct match *m, struct model_root_rule *r,
			 struct uv_obj **k)
{
	int err;

	*k = NULL;
	if (!m->counted)
		return 0;
	if (uv_obj_get(w->c->ctx, UVERBS_OBJECT_COUNTERS, m->counters, UV_WRITE, k))
		return -EINVAL;
	err = uv_counters_bind(w->c, (struct uv_counters *)*k);
	r->counted = true;
	r->counter = ((struct uv_counters *)*k)->id;
	return err;
}

static int make_flow(struct uv_write *w, struct uv_qp *qp, const struct match *m, struct uv_flow *f)
{
	const struct ib_uverbs_create_flow *cmd = (const void *)w->in;
	struct model_root_rule r = {.match = {.dir = PROV_RX,
					      .priority = cmd->flow_attr.type == ALL_DEFAULT
								  ? UV_PRIORITIES - 1
								  : cmd->flow_attr.priority,
					      .criteria_enable = m->any ? OUTER : 0,
					      .mask = m->mask,
					      .value = m->value},
				    .tirn = m->drop ? 0 : qp->tirn,
				    .drop = m->drop,
				    .tag = m->tag};
	struct uv_obj *counters;
	int err = take_counters(w, m, &r, &counters);

	if (!err)
		err = uv_flow_attach(w->c->ctx, f, &r);
	if (!err) {
		uv_flow_use(w->c->ctx, f, &qp->o);
		uv_flow_use(w->c->ctx, f, counters);
	}
	if (counters)
		uv_obj_put(w->c->ctx, counters, UV_WRITE);
	return err;
}

static int to_qp(struct uv_write *w, struct uv_qp *qp, const struct match *m)
{
	struct uv_flow *f = (struct uv_flow *)uv_obj_new(&uv_flow_class);
	struct ib_uverbs_create_flow_resp r = {.comp_mask = 0};
	int err;

	if (!f)
		return -ENOMEM;
	err = qp->tirn ? make_flow(w, qp, m, f) : -EINVAL;
	if (err) {
		uv_obj_discard(&f->o);
		return err;
	}
	return uv_write_publish(w, &f->o, 0, &r, sizeof(r), &r.flow_handle);
}

static int create_flow(struct uv_write *w)
{
	const struct ib_uverbs_create_flow *cmd = (const void *)w->in;
	struct match m = {.any = false};
	struct uv_obj *qp;
	int err = check_attr(cmd);

	if (!err)
		err = read_specs(w, &m);
	if (!err)
		err = uv_obj_get(w->c->ctx, UVERBS_OBJECT_QP, cmd->qp_handle, UV_READ, &qp);
	if (err)
		return err == -ENOENT ? -EINVAL : err;
	err = to_qp(w, (struct uv_qp *)qp, &m);
	uv_obj_put(w->c->ctx, qp, UV_READ);
	return err;
}

static int destroy_flow(struct uv_write *w)
{
	const struct ib_uverbs_destroy_flow *cmd = (const void *)w->in;

	return cmd->comp_mask ? -EINVAL : uv_write_destroy(w, UVERBS_OBJECT_FLOW, cmd->flow_handle);
}

const struct uv_write_cmd uv_rule_commands[] = {
	{IB_USER_VERBS_CMD_FLAG_EXTENDED | IB_USER_VERBS_EX_CMD_DESTROY_FLOW, destroy_flow,
	 sizeof(struct ib_uverbs_destroy_flow), 0},
	{IB_USER_VERBS_CMD_FLAG_EXTENDED | IB_USER_VERBS_EX_CMD_CREATE_FLOW, create_flow,
	 sizeof(struct ib_uverbs_create_flow), sizeof(struct ib_uverbs_create_flow_resp)},
};
const size_t uv_rule_ncommands = sizeof(uv_rule_commands) / sizeof(uv_rule_commands[0]);
