// SPDX-License-Identifier: BSD-2-Clause
/*
 * Firmware: flow tables, groups, roots, and the contexts that rules use: counters, packet reformat, modify header.
 *
 * A table costs memory by what is in it, not by its size. Its groups are sorted by start index, which is the order in
 * which steering asks them. Entries are in fw_fte.c.
 *
 * Source: PRM, flow table commands. Which refusals firmware is known to make, with their syndromes, from public
 * reports: see syndromes.h.
 */
#include "fw.h"

#include <stdlib.h>
#include <string.h>

enum { SECTION_BYTES = 64, SECTIONS = 8, SELECT_MISS = 1, FIRST_FGS = 8 };

/* -- which fields can be matched -------------------------------------------------------------------------- */

/* clang-format off */
/* What packet.c puts into the match image: M(section, layout, field). */
#define MATCHED(M) \
	M(outer_headers, fte_match_set_lyr_2_4, smac_47_16) M(outer_headers, fte_match_set_lyr_2_4, smac_15_0) \
	M(outer_headers, fte_match_set_lyr_2_4, ethertype) M(outer_headers, fte_match_set_lyr_2_4, dmac_47_16) \
	M(outer_headers, fte_match_set_lyr_2_4, dmac_15_0) M(outer_headers, fte_match_set_lyr_2_4, first_prio) \
	M(outer_headers, fte_match_set_lyr_2_4, first_cfi) M(outer_headers, fte_match_set_lyr_2_4, first_vid) \
	M(outer_headers, fte_match_set_lyr_2_4, ip_protocol) M(outer_headers, fte_match_set_lyr_2_4, ip_dscp) \
	M(outer_headers, fte_match_set_lyr_2_4, ip_ecn) M(outer_headers, fte_match_set_lyr_2_4, cvlan_tag) \
	M(outer_headers, fte_match_set_lyr_2_4, svlan_tag) M(outer_headers, fte_match_set_lyr_2_4, frag) \
	M(outer_headers, fte_match_set_lyr_2_4, ip_version) M(outer_headers, fte_match_set_lyr_2_4, tcp_flags) \
	M(outer_headers, fte_match_set_lyr_2_4, tcp_sport) M(outer_headers, fte_match_set_lyr_2_4, tcp_dport) \
	M(outer_headers, fte_match_set_lyr_2_4, l4_type) M(outer_headers, fte_match_set_lyr_2_4, l4_type_ext) \
	M(outer_headers, fte_match_set_lyr_2_4, ipv4_ihl) M(outer_headers, fte_match_set_lyr_2_4, ttl_hoplimit) \
	M(outer_headers, fte_match_set_lyr_2_4, udp_sport) M(outer_headers, fte_match_set_lyr_2_4, udp_dport) \
	M(outer_headers, fte_match_set_lyr_2_4, src_ipv4_src_ipv6) M(outer_headers, fte_match_set_lyr_2_4, dst_ipv4_dst_ipv6) \
	M(misc_parameters, fte_match_set_misc, source_sqn) M(misc_parameters, fte_match_set_misc, outer_second_prio) \
	M(misc_parameters, fte_match_set_misc, outer_second_cfi) M(misc_parameters, fte_match_set_misc, outer_second_vid) \
	M(misc_parameters, fte_match_set_misc, outer_second_cvlan_tag) M(misc_parameters, fte_match_set_misc, outer_second_svlan_tag) \
	M(misc_parameters, fte_match_set_misc, outer_ipv6_flow_label) M(misc_parameters, fte_match_set_misc, inner_esp_spi) \
	M(misc_parameters, fte_match_set_misc, outer_esp_spi) \
	M(misc_parameters_2, fte_match_set_misc2, metadata_reg_c_7) M(misc_parameters_2, fte_match_set_misc2, metadata_reg_c_6) \
	M(misc_parameters_2, fte_match_set_misc2, metadata_reg_c_5) M(misc_parameters_2, fte_match_set_misc2, metadata_reg_c_4) \
	M(misc_parameters_2, fte_match_set_misc2, metadata_reg_c_3) M(misc_parameters_2, fte_match_set_misc2, metadata_reg_c_2) \
	M(misc_parameters_2, fte_match_set_misc2, metadata_reg_c_1) M(misc_parameters_2, fte_match_set_misc2, metadata_reg_c_0) \
	M(misc_parameters_2, fte_match_set_misc2, metadata_reg_a) M(misc_parameters_2, fte_match_set_misc2, ipsec_syndrome) \
	M(misc_parameters_2, fte_match_set_misc2, ipsec_next_header) \
	M(misc_parameters_3, fte_match_set_misc3, outer_tcp_seq_num) M(misc_parameters_3, fte_match_set_misc3, outer_tcp_ack_num) \
	M(misc_parameters_3, fte_match_set_misc3, icmp_header_data) M(misc_parameters_3, fte_match_set_misc3, icmpv6_header_data) \
	M(misc_parameters_3, fte_match_set_misc3, icmp_type) M(misc_parameters_3, fte_match_set_misc3, icmp_code) \
	M(misc_parameters_3, fte_match_set_misc3, icmpv6_type) M(misc_parameters_3, fte_match_set_misc3, icmpv6_code)

/* Capability bits of the same, as far as the capability layout names them. */
#define SUPPORTED(F) \
	F(outer_dmac) F(outer_smac) F(outer_ether_type) F(outer_ip_version) F(outer_first_prio) F(outer_first_cfi) \
	F(outer_first_vid) F(outer_ipv4_ttl) F(outer_second_prio) F(outer_second_cfi) F(outer_second_vid) F(outer_sip) \
	F(outer_dip) F(outer_frag) F(outer_ip_protocol) F(outer_ip_ecn) F(outer_ip_dscp) F(outer_udp_sport) \
	F(outer_udp_dport) F(outer_tcp_sport) F(outer_tcp_dport) F(outer_tcp_flags) F(outer_esp_spi) F(metadata_reg_c_7) \
	F(metadata_reg_c_6) F(metadata_reg_c_5) F(metadata_reg_c_4) F(metadata_reg_c_3) F(metadata_reg_c_2) \
	F(metadata_reg_c_1) F(metadata_reg_c_0)
/* clang-format on */

void model_field_support(uint8_t *fields)
{
#define SUPPORT(f) PRM_SET(flow_table_fields_supported, fields, f, 1);
	SUPPORTED(SUPPORT)
}

static void mark(uint8_t *mask, unsigned int off, unsigned int width)
{
	for (; width; width--, off++)
		mask[off / 8] |= (uint8_t)(0x80 >> off % 8);
}

static bool fields_known(const uint8_t *criteria)
{
	uint8_t known[PRM_BYTES(fte_match_param)] = {0};

#define MARK(section, layout, field) \
	mark(known, PRM_OFFSET(fte_match_param, section) + PRM_OFFSET(layout, field), \
	     PRM_WIDTH(layout, field));
	MATCHED(MARK)
	for (size_t i = 0; i < sizeof(known); i++)
		if (criteria[i] & ~known[i])
			return false;
	return true;
}

/* -- tables ----------------------------------------------------------------------------------------------- */

/* The parts of a flow command that name a vport: the function's own, or nothing. One place for all commands. */
static bool own_vport(const uint8_t *in)
{
	return !PRM_GET(create_flow_table_in, in, other_vport) &&
	       !PRM_GET(create_flow_table_in, in, other_eswitch) &&
	       !PRM_GET(create_flow_table_in, in, vport_number) &&
	       !PRM_GET(create_flow_table_in, in, eswitch_owner_vhca_id);
}

struct model_ft *model_cmd_ft(struct model_cmd *c, uint8_t type, uint32_t id)
{
	struct model_ft *ft;

	c->why = MODEL_S_FT_TYPE;
	if (type > PRM_FLOW_TABLE_TYPE_NIC_TX)
		return NULL;
	ft = model_cmd_find(c, MODEL_FT, id);
	if (ft && ft->type != type) {
		c->why = MODEL_S_NO_FT;
		return NULL;
	}
	return ft;
}

/* Table of a command whose vport, table_type and table_id are at the usual places. */
struct model_ft *model_cmd_named_ft(struct model_cmd *c)
{
	if (!own_vport(c->in)) {
		c->why = MODEL_S_FT_VPORT;
		return NULL;
	}
	return model_cmd_ft(c, (uint8_t)PRM_GET(destroy_flow_table_in, c->in, table_type),
			    (uint32_t)PRM_GET(destroy_flow_table_in, c->in, table_id));
}

/* Miss action and table of a context for a table of that type and level. */
static enum model_synd check_miss(struct model_cmd *c, const uint8_t *ctx, uint8_t type,
				  uint8_t level, struct model_ft **miss)
{
	uint64_t action = PRM_GET(flow_table_context, ctx, table_miss_action);
	uint32_t id = (uint32_t)PRM_GET(flow_table_context, ctx, table_miss_id);

	*miss = NULL;
	if (action > PRM_FLOW_TABLE_MISS_ACTION_FWD ||
	    (action == PRM_FLOW_TABLE_MISS_ACTION_DEF && id))
		return MODEL_S_FT_MISS;
	if (action == PRM_FLOW_TABLE_MISS_ACTION_DEF)
		return MODEL_S_OK;
	*miss = model_cmd_find(c, MODEL_FT, id);
	if (!*miss)
		return c->why;
	return (*miss)->type != type || (*miss)->level <= level ? MODEL_S_FT_MISS_LEVEL
								: MODEL_S_OK;
}

static bool ft_plain(const uint8_t *ctx)
{
	return !PRM_GET(flow_table_context, ctx, sw_owner) &&
	       !PRM_GET(flow_table_context, ctx, rtc_valid) &&
	       !PRM_GET(flow_table_context, ctx, termination_table) &&
	       !PRM_GET(flow_table_context, ctx, lag_master_next_table_id) &&
	       model_is_zero(PRM_AT(flow_table_context, ctx, sws),
			     PRM_BYTES(sw_owner_icm_root_params));
}

enum model_synd model_do_CREATE_FLOW_TABLE(struct model_cmd *c)
{
	const uint8_t *ctx = PRM_AT(create_flow_table_in, c->in, flow_table_context);
	uint64_t type = PRM_GET(create_flow_table_in, c->in, table_type);
	uint64_t level = PRM_GET(flow_table_context, ctx, level);
	uint64_t log_size = PRM_GET(flow_table_context, ctx, log_size);
	struct model_ft *ft, *miss;
	enum model_synd s;

	if (!own_vport(c->in))
		return MODEL_S_FT_VPORT;
	if (type > PRM_FLOW_TABLE_TYPE_NIC_TX)
		return MODEL_S_FT_TYPE;
	if (!ft_plain(ctx))
		return MODEL_S_FT_FEATURE;
	if (level > c->dev->profile.max_ft_level)
		return MODEL_S_FT_LEVEL;
	if (log_size > c->dev->profile.log_max_ft_size)
		return MODEL_S_FT_SIZE;
	s = check_miss(c, ctx, (uint8_t)type, (uint8_t)level, &miss);
	if (s != MODEL_S_OK)
		return s;
	ft = model_cmd_new(c, MODEL_FT, sizeof(*ft), 1);
	if (!ft)
		return c->why;
	ft->type = (uint8_t)type;
	ft->level = (uint8_t)level;
	ft->log_size = (uint8_t)log_size;
	ft->reformat_en = PRM_GET(flow_table_context, ctx, reformat_en);
	ft->decap_en = PRM_GET(flow_table_context, ctx, decap_en);
	ft->miss_action = (uint8_t)PRM_GET(flow_table_context, ctx, table_miss_action);
	ft->miss_ft = miss;
	if (miss)
		model_obj_use(&ft->o, &miss->o);
	PRM_SET(create_flow_table_out, c->out, table_id, ft->o.id);
	return MODEL_S_OK;
}

enum model_synd model_do_MODIFY_FLOW_TABLE(struct model_cmd *c)
{
	const uint8_t *ctx = PRM_AT(modify_flow_table_in, c->in, flow_table_context);
	struct model_ft *ft = model_cmd_named_ft(c), *miss;
	enum model_synd s;

	if (!ft)
		return c->why;
	if (PRM_GET(modify_flow_table_in, c->in, modify_field_select) != SELECT_MISS)
		return MODEL_S_FT_SELECT;
	s = check_miss(c, ctx, ft->type, ft->level, &miss);
	if (s != MODEL_S_OK)
		return s;
	if (miss)
		model_obj_use(&ft->o, &miss->o); /* the miss table is the only one a table uses */
	if (ft->miss_ft) {
		model_obj_unuse(ft->o.uses[0]);
		ft->o.uses[0] = ft->o.uses[--ft->o.nuses];
	}
	ft->miss_ft = miss;
	ft->miss_action = (uint8_t)PRM_GET(flow_table_context, ctx, table_miss_action);
	return MODEL_S_OK;
}

enum model_synd model_do_QUERY_FLOW_TABLE(struct model_cmd *c)
{
	uint8_t *ctx = PRM_AT(query_flow_table_out, c->out, flow_table_context);
	struct model_ft *ft = model_cmd_named_ft(c);

	if (!ft)
		return c->why;
	PRM_SET(flow_table_context, ctx, reformat_en, ft->reformat_en);
	PRM_SET(flow_table_context, ctx, decap_en, ft->decap_en);
	PRM_SET(flow_table_context, ctx, table_miss_action, ft->miss_action);
	PRM_SET(flow_table_context, ctx, level, ft->level);
	PRM_SET(flow_table_context, ctx, log_size, ft->log_size);
	PRM_SET(flow_table_context, ctx, table_miss_id, ft->miss_ft ? ft->miss_ft->o.id : 0);
	return MODEL_S_OK;
}

enum model_synd model_do_DESTROY_FLOW_TABLE(struct model_cmd *c)
{
	struct model_ft *ft = model_cmd_named_ft(c);

	return ft ? model_cmd_destroy(c, MODEL_FT, ft->o.id) : c->why;
}

enum model_synd model_do_SET_FLOW_TABLE_ROOT(struct model_cmd *c)
{
	uint8_t type = (uint8_t)PRM_GET(set_flow_table_root_in, c->in, table_type);
	struct model_ft *ft = NULL;

	if (!own_vport(c->in) || PRM_GET(set_flow_table_root_in, c->in, table_of_other_vport) ||
	    PRM_GET(set_flow_table_root_in, c->in, table_eswitch_owner_vhca_id_valid) ||
	    PRM_GET(set_flow_table_root_in, c->in, table_eswitch_owner_vhca_id) ||
	    PRM_GET(set_flow_table_root_in, c->in, table_vport_number) ||
	    PRM_GET(set_flow_table_root_in, c->in, eswitch_owner_vhca_id))
		return MODEL_S_FT_VPORT;
	if (type > PRM_FLOW_TABLE_TYPE_NIC_TX)
		return MODEL_S_FT_TYPE;
	if (PRM_GET(set_flow_table_root_in, c->in, underlay_qpn))
		return MODEL_S_FT_ROOT;
	if (prm_in_op_mod(c->in) == 0) {
		ft = model_cmd_ft(c, type,
				  (uint32_t)PRM_GET(set_flow_table_root_in, c->in, table_id));
		if (!ft)
			return c->why;
		if (ft->level)
			return MODEL_S_FT_ROOT;
		ft->o.users++;
	}
	if (c->dev->root[type])
		model_obj_unuse(&c->dev->root[type]->o);
	c->dev->root[type] = ft;
	return MODEL_S_OK;
}

/* -- groups ----------------------------------------------------------------------------------------------- */

/* Sections and enable bits must tell the same. */
static enum model_synd check_criteria(uint8_t enable, const uint8_t *criteria)
{
	for (unsigned int i = 0; i < SECTIONS; i++) {
		bool zero = model_is_zero(criteria + (size_t)i * SECTION_BYTES, SECTION_BYTES);
		bool on = enable >> i & 1;

		if (on && zero)
			return MODEL_S_FG_MASK_EMPTY;
		if (!on && !zero)
			return MODEL_S_FG_MASK_DISABLED;
	}
	return fields_known(criteria) ? MODEL_S_OK : MODEL_S_FG_FIELD;
}

/* Where the group goes in the table's sorted list; the range must be free. */
static enum model_synd find_place(const struct model_ft *ft, uint32_t start, uint32_t end,
				  uint32_t *at)
{
	uint32_t lo = 0, hi = ft->nfgs;

	if (start > end || end >> ft->log_size)
		return MODEL_S_FG_RANGE;
	while (lo < hi) {
		uint32_t mid = lo + (hi - lo) / 2;

		if (ft->fgs[mid]->start < start)
			lo = mid + 1;
		else
			hi = mid;
	}
	if ((lo < ft->nfgs && ft->fgs[lo]->start <= end) || (lo && ft->fgs[lo - 1]->end >= start))
		return MODEL_S_FG_OVERLAP;
	*at = lo;
	return MODEL_S_OK;
}

/* Room for one more: the list has 8, 16, 32 … places. */
static bool fgs_grow(struct model_ft *ft)
{
	uint32_t n = ft->nfgs;
	struct model_fg **fgs;

	if (n && (n < FIRST_FGS || (n & (n - 1))))
		return true;
	fgs = realloc(ft->fgs, (n ? n * 2 : FIRST_FGS) * sizeof(*fgs));
	if (fgs)
		ft->fgs = fgs;
	return fgs;
}

enum model_synd model_do_CREATE_FLOW_GROUP(struct model_cmd *c)
{
	const uint8_t *criteria = PRM_AT(create_flow_group_in, c->in, match_criteria);
	uint8_t enable = (uint8_t)PRM_GET(create_flow_group_in, c->in, match_criteria_enable);
	uint32_t start = (uint32_t)PRM_GET(create_flow_group_in, c->in, start_flow_index);
	uint32_t end = (uint32_t)PRM_GET(create_flow_group_in, c->in, end_flow_index), at = 0;
	struct model_ft *ft = model_cmd_named_ft(c);
	struct model_fg *fg;
	enum model_synd s;

	if (!ft)
		return c->why;
	if (PRM_GET(create_flow_group_in, c->in, group_type) !=
		    PRM_CREATE_FLOW_GROUP_IN_GROUP_TYPE_TCAM_SUBTABLE ||
	    PRM_GET(create_flow_group_in, c->in, match_definer_id) ||
	    PRM_GET(create_flow_group_in, c->in, source_eswitch_owner_vhca_id_valid))
		return MODEL_S_FG_TYPE;
	s = check_criteria(enable, criteria);
	if (s == MODEL_S_OK)
		s = find_place(ft, start, end, &at);
	if (s != MODEL_S_OK)
		return s;
	if (!fgs_grow(ft))
		return MODEL_S_NO_MEMORY;
	fg = model_cmd_new(c, MODEL_FG, sizeof(*fg), 1);
	if (!fg)
		return c->why;
	fg->ft = ft;
	fg->start = start;
	fg->end = end;
	memcpy(fg->match_criteria, criteria, sizeof(fg->match_criteria));
	model_mask_compile(&fg->mask, enable, criteria);
	memmove(&ft->fgs[at + 1], &ft->fgs[at], (ft->nfgs - at) * sizeof(ft->fgs[0]));
	ft->fgs[at] = fg;
	ft->nfgs++;
	model_obj_use(&fg->o, &ft->o);
	PRM_SET(create_flow_group_out, c->out, group_id, fg->o.id);
	return MODEL_S_OK;
}

void model_fg_unlink(struct model_fg *fg)
{
	struct model_ft *ft = fg->ft;

	for (uint32_t i = 0; i < ft->nfgs; i++)
		if (ft->fgs[i] == fg) {
			memmove(&ft->fgs[i], &ft->fgs[i + 1],
				(ft->nfgs - i - 1) * sizeof(ft->fgs[0]));
			ft->nfgs--;
			return;
		}
}

static struct model_fg *named_fg(struct model_cmd *c)
{
	struct model_ft *ft = model_cmd_named_ft(c);
	struct model_fg *fg;

	if (!ft)
		return NULL;
	fg = model_cmd_find(c, MODEL_FG, (uint32_t)PRM_GET(destroy_flow_group_in, c->in, group_id));
	if (fg && fg->ft != ft) {
		c->why = MODEL_S_NO_FG;
		return NULL;
	}
	return fg;
}

enum model_synd model_do_QUERY_FLOW_GROUP(struct model_cmd *c)
{
	struct model_fg *fg = named_fg(c);

	if (!fg)
		return c->why;
	PRM_SET(query_flow_group_out, c->out, start_flow_index, fg->start);
	PRM_SET(query_flow_group_out, c->out, end_flow_index, fg->end);
	PRM_SET(query_flow_group_out, c->out, match_criteria_enable, fg->mask.enable);
	memcpy(PRM_AT(query_flow_group_out, c->out, match_criteria), fg->match_criteria,
	       sizeof(fg->match_criteria));
	return MODEL_S_OK;
}

enum model_synd model_do_DESTROY_FLOW_GROUP(struct model_cmd *c)
{
	struct model_fg *fg = named_fg(c);

	return fg ? model_cmd_destroy(c, MODEL_FG, fg->o.id) : c->why;
}
