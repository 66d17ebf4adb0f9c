// SPDX-License-Identifier: BSD-2-Clause
/*
 * Firmware: what rules use - flow counters, packet reformat contexts, modify header contexts.
 *
 * Counters come alone or in bulks of 128 << k; a query of many starts at a multiple of 4. Reformat and modify header
 * contexts hold one SA's header, or a tunnel's, and register values. Source: PRM, alloc_flow_counter_in, packet_reformat_context_in,
 * set_action_in; Linux en_accel/ipsec_fs.c for the ESP header's form.
 */
#include "fw.h"

#include <stdlib.h>
#include <string.h>

/* -- counters --------------------------------------------------------------------------------------------- */

enum { BULK_UNIT = 128, QUERY_ALIGN = 4 };

enum model_synd model_do_ALLOC_FLOW_COUNTER(struct model_cmd *c)
{
	uint32_t bulk = (uint32_t)PRM_GET(alloc_flow_counter_in, c->in, flow_counter_bulk);
	uint32_t n = bulk ? BULK_UNIT * bulk : 1;
	struct model_counter *counter;
	void *array;

	if ((bulk & (bulk - 1)) ||
	    PRM_GET(alloc_flow_counter_in, c->in, flow_counter_bulk_log_size))
		return MODEL_S_COUNTER_BULK;
	array = calloc(n, sizeof(counter->c[0]));
	if (!array)
		return MODEL_S_NO_MEMORY;
	counter = model_cmd_new(c, MODEL_COUNTER, sizeof(*counter), n);
	if (!counter) {
		free(array);
		return c->why;
	}
	counter->c = array;
	PRM_SET(alloc_flow_counter_out, c->out, flow_counter_id, counter->o.id);
	return MODEL_S_OK;
}

enum model_synd model_do_DEALLOC_FLOW_COUNTER(struct model_cmd *c)
{
	return model_cmd_destroy(
		c, MODEL_COUNTER,
		(uint32_t)PRM_GET(dealloc_flow_counter_in, c->in, flow_counter_id));
}

enum model_synd model_do_QUERY_FLOW_COUNTER(struct model_cmd *c)
{
	uint32_t id = (uint32_t)PRM_GET(query_flow_counter_in, c->in, flow_counter_id);
	uint32_t many = (uint32_t)PRM_GET(query_flow_counter_in, c->in, num_of_counters);
	bool clear = PRM_GET(query_flow_counter_in, c->in, clear);
	struct model_counter *counter = model_cmd_find(c, MODEL_COUNTER, id);
	uint32_t n = many ? many : 1;
	uint8_t *out = PRM_AT(query_flow_counter_out, c->out, flow_statistics);

	if (!counter)
		return c->why;
	if (many && id % QUERY_ALIGN)
		return MODEL_S_COUNTER_BASE;
	id -= counter->o.id;
	if (n > counter->o.count - id)
		return MODEL_S_COUNTER_RANGE;
	if (c->outlen < PRM_BYTES(query_flow_counter_out) + (size_t)n * PRM_BYTES(traffic_counter))
		return MODEL_S_OUT_LENGTH;
	for (uint32_t i = 0; i < n; i++, out += PRM_BYTES(traffic_counter)) {
		PRM_SET(traffic_counter, out, packets, atomic_load(&counter->c[id + i].packets));
		PRM_SET(traffic_counter, out, octets, atomic_load(&counter->c[id + i].octets));
		if (clear) { /* the data path is locked out: nothing is lost in between */
			atomic_store(&counter->c[id + i].packets, 0);
			atomic_store(&counter->c[id + i].octets, 0);
		}
	}
	return MODEL_S_OK;
}

/* -- packet reformat -------------------------------------------------------------------------------------- */

enum { ESP_DATA = 16, SPI_BYTES = 4, ICV_WORDS = 4 };

static bool is_tunnel(uint64_t type)
{
	return type == PRM_REFORMAT_TYPE_L2_TO_L2_TUNNEL ||
	       type == PRM_REFORMAT_TYPE_L3_TUNNEL_TO_L2 ||
	       type == PRM_REFORMAT_TYPE_L2_TO_L3_TUNNEL;
}

/* Types that are offered, with the size of their data (of n bytes, for those that have no own) and parameter 0. */
static bool reformat_form(const struct model_dev *dev, uint64_t type, uint32_t n, uint32_t *size,
			  uint32_t *param)
{
	if (is_tunnel(type)) {
		*size = n;
		*param = 0;
		return true;
	}
	switch (type) {
	case PRM_REFORMAT_TYPE_ADD_ESP_TRANSPORT_OVER_IPV4:
	case PRM_REFORMAT_TYPE_ADD_ESP_TRANSPORT_OVER_IPV6:
		*size = ESP_DATA;
		*param = ICV_WORDS;
		return dev->profile.ipsec_full;
	case PRM_REFORMAT_TYPE_DEL_ESP_TRANSPORT:
		*size = 0;
		*param = 0;
		return dev->profile.ipsec_full;
	default: return false;
	}
}

enum model_synd model_do_ALLOC_PACKET_REFORMAT_CONTEXT(struct model_cmd *c)
{
	const uint8_t *ctx =
		PRM_AT(alloc_packet_reformat_context_in, c->in, packet_reformat_context);
	const uint8_t *data = PRM_AT(packet_reformat_context_in, ctx, reformat_data);
	uint32_t n = (uint32_t)PRM_GET(packet_reformat_context_in, ctx, reformat_data_size);
	uint64_t type = PRM_GET(packet_reformat_context_in, ctx, reformat_type);
	size_t need = ((size_t)(data - c->in) + n + 3) & ~(size_t)3,
	       min = PRM_BYTES(alloc_packet_reformat_context_in);
	uint32_t size, param;
	struct model_reformat *r;

	if (!reformat_form(c->dev, type, n, &size, &param))
		return MODEL_S_REFORMAT_TYPE;
	if (n != size || n > c->dev->profile.max_encap_bytes)
		return MODEL_S_REFORMAT_SIZE;
	if (c->inlen != (need > min ? need : min))
		return MODEL_S_LIST_LENGTH;
	if (PRM_GET(packet_reformat_context_in, ctx, reformat_param_0) != param ||
	    PRM_GET(packet_reformat_context_in, ctx, reformat_param_1) ||
	    (n && !is_tunnel(type) && !model_is_zero(data + SPI_BYTES, n - SPI_BYTES)) ||
	    (is_tunnel(type) && !model_tunnel_data_ok((uint8_t)type, data, n)) ||
	    !model_is_zero(data + n, c->inlen - (size_t)(data - c->in) - n))
		return MODEL_S_REFORMAT_PARAM;
	r = model_cmd_new(c, MODEL_REFORMAT, sizeof(*r), 1);
	if (!r)
		return c->why;
	r->type = (uint8_t)type;
	r->param_0 = (uint8_t)param;
	r->len = n;
	memcpy(r->data, data, n);
	PRM_SET(alloc_packet_reformat_context_out, c->out, packet_reformat_id, r->o.id);
	return MODEL_S_OK;
}

enum model_synd model_do_DEALLOC_PACKET_REFORMAT_CONTEXT(struct model_cmd *c)
{
	return model_cmd_destroy(
		c, MODEL_REFORMAT,
		(uint32_t)PRM_GET(dealloc_packet_reformat_context_in, c->in, packet_reformat_id));
}

/* -- modify header ---------------------------------------------------------------------------------------- */

enum { ACTION_BYTES = PRM_set_action_in_bits / 8 };

/* 5-bit lengths: 0 means 32. */
static uint8_t length_of(uint64_t v)
{
	return v ? (uint8_t)v : 32;
}

static enum model_synd check_part(uint16_t field, unsigned int offset, unsigned int length)
{
	unsigned int width;

	if (!model_modify_knows(field, &width))
		return MODEL_S_MODHDR_FIELD;
	return offset + length > width ? MODEL_S_MODHDR_RANGE : MODEL_S_OK;
}

static bool only_fields(const struct prm_layout *layout, const uint8_t *raw)
{
	uint8_t mask[ACTION_BYTES] = {0};

	prm_field_mask(layout, mask, sizeof(mask));
	for (size_t i = 0; i < sizeof(mask); i++)
		if (raw[i] & ~mask[i])
			return false;
	return true;
}

static enum model_synd decode_set(const uint8_t *raw, struct model_modhdr_action *a)
{
	a->offset = (uint8_t)PRM_GET(set_action_in, raw, offset);
	a->length = length_of(PRM_GET(set_action_in, raw, length));
	a->data = (uint32_t)PRM_GET(set_action_in, raw, data);
	if (a->length < 32 && a->data >> a->length)
		return MODEL_S_MODHDR_RANGE;
	return check_part(a->field, a->offset, a->length);
}

static enum model_synd decode_add(const uint8_t *raw, struct model_modhdr_action *a)
{
	unsigned int width;

	if (!model_modify_knows(a->field, &width))
		return MODEL_S_MODHDR_FIELD;
	a->length = (uint8_t)width;
	a->data = (uint32_t)PRM_GET(add_action_in, raw, data);
	return MODEL_S_OK;
}

static enum model_synd decode_copy(const uint8_t *raw, struct model_modhdr_action *a)
{
	enum model_synd s;

	a->offset = (uint8_t)PRM_GET(copy_action_in, raw, src_offset);
	a->length = length_of(PRM_GET(copy_action_in, raw, length));
	a->dst_field = (uint16_t)PRM_GET(copy_action_in, raw, dst_field);
	a->dst_offset = (uint8_t)PRM_GET(copy_action_in, raw, dst_offset);
	s = check_part(a->field, a->offset, a->length);
	return s == MODEL_S_OK ? check_part(a->dst_field, a->dst_offset, a->length) : s;
}

static enum model_synd decode_action(const uint8_t *raw, struct model_modhdr_action *a)
{
	static const char *const layouts[] = {[PRM_ACTION_TYPE_SET] = "set_action_in",
					      [PRM_ACTION_TYPE_ADD] = "add_action_in",
					      [PRM_ACTION_TYPE_COPY] = "copy_action_in"};

	a->type = (uint8_t)PRM_GET(set_action_in, raw, action_type);
	a->field = (uint16_t)PRM_GET(set_action_in, raw, field);
	if (a->type < PRM_ACTION_TYPE_SET || a->type > PRM_ACTION_TYPE_COPY ||
	    !only_fields(prm_layout_find(layouts[a->type]), raw))
		return MODEL_S_MODHDR_ACTION;
	if (a->type == PRM_ACTION_TYPE_SET)
		return decode_set(raw, a);
	return a->type == PRM_ACTION_TYPE_ADD ? decode_add(raw, a) : decode_copy(raw, a);
}

enum model_synd model_do_ALLOC_MODIFY_HEADER_CONTEXT(struct model_cmd *c)
{
	const uint8_t *raw = PRM_AT(alloc_modify_header_context_in, c->in, actions);
	uint32_t n = (uint32_t)PRM_GET(alloc_modify_header_context_in, c->in, num_of_actions);
	uint64_t type = PRM_GET(alloc_modify_header_context_in, c->in, table_type);
	struct model_modhdr_action *actions;
	struct model_modhdr *mh = NULL;
	enum model_synd s = MODEL_S_OK;

	if (type > PRM_FLOW_TABLE_TYPE_NIC_TX)
		return MODEL_S_FT_TYPE;
	if (n == 0 || n > c->dev->profile.max_modify_header_actions)
		return MODEL_S_MODHDR_COUNT;
	if (c->inlen != PRM_BYTES(alloc_modify_header_context_in) + (size_t)n * ACTION_BYTES)
		return MODEL_S_LIST_LENGTH;
	actions = calloc(n, sizeof(*actions));
	if (!actions)
		return MODEL_S_NO_MEMORY;
	for (uint32_t i = 0; i < n && s == MODEL_S_OK; i++)
		s = decode_action(raw + (size_t)i * ACTION_BYTES, &actions[i]);
	if (s == MODEL_S_OK) {
		mh = model_cmd_new(c, MODEL_MODHDR, sizeof(*mh), 1);
		s = mh ? MODEL_S_OK : c->why;
	}
	if (!mh) {
		free(actions);
		return s;
	}
	mh->table_type = (uint8_t)type;
	mh->n = n;
	mh->actions = actions;
	PRM_SET(alloc_modify_header_context_out, c->out, modify_header_id, mh->o.id);
	return MODEL_S_OK;
}

enum model_synd model_do_DEALLOC_MODIFY_HEADER_CONTEXT(struct model_cmd *c)
{
	return model_cmd_destroy(
		c, MODEL_MODHDR,
		(uint32_t)PRM_GET(dealloc_modify_header_context_in, c->in, modify_header_id));
}
