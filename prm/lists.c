// SPDX-License-Identifier: BSD-2-Clause
/*
 * Print what follows a structure in open length: destinations and counters of a rule, queues of an RQT, actions of a
 * modify header context, counter values, reformat data. The structure declares how much; the buffer says how much is there.
 *
 *	SET_FLOW_TABLE_ENTRY, byte 832:  destination ... destination | counter ... counter
 *	                                 8 bytes each, or 16 each with extended_destination
 */
#include "prm/print.h"

#include <string.h>

struct entries {
	const char *name;
	const struct prm_layout *sub;
	size_t first;  /* byte in the structure */
	size_t stride; /* bytes */
	size_t count;  /* declared */
};

static void print_entry(const struct prm_printer *p, const char *name, size_t index,
			const struct prm_layout *sub, const uint8_t *buf, size_t len, int indent)
{
	prm_line(p, indent, "%s[%zu]:", name, index);
	prm_print_fields(p, sub, buf, len, indent + 1, NULL);
}

/* How many of the declared entries lie inside len bytes; says so when some do not. */
static size_t present(const struct prm_printer *p, const struct entries *e, size_t len, int indent)
{
	size_t room = e->first < len ? (len - e->first) / e->stride : 0;

	if (e->count <= room)
		return e->count;
	prm_line(p, indent, "%s: %zu declared, %zu there", e->name, e->count, room);
	return room;
}

static void print_entries(const struct prm_printer *p, const struct entries *e, const uint8_t *buf,
			  size_t len, int indent)
{
	size_t n = present(p, e, len, indent);

	for (size_t i = 0; i < n; i++)
		print_entry(p, e->name, i, e->sub, buf + e->first + i * e->stride, e->stride,
			    indent);
}

static void print_rule_lists(const struct prm_printer *p, const uint8_t *buf, size_t len,
			     int indent)
{
	bool extended = PRM_GET(flow_context, buf, extended_destination);
	const char *format = extended ? "extended_dest_format" : "dest_format_struct";
	struct entries e = {
		.name = "destination",
		.sub = prm_layout_find(format),
		.first = PRM_OFFSET(flow_context, destination) / 8,
		.stride = extended ? PRM_BYTES(extended_dest_format)
				   : PRM_BYTES(dest_format_struct),
		.count = PRM_GET(flow_context, buf, destination_list_size),
	};

	print_entries(p, &e, buf, len, indent);
	e.first += e.count * e.stride;
	e.name = "flow_counter";
	e.sub = prm_layout_find("flow_counter_list");
	e.count = PRM_GET(flow_context, buf, flow_counter_list_size);
	print_entries(p, &e, buf, len, indent);
}

static const struct prm_layout *action_layout(const uint8_t *action)
{
	switch (PRM_GET(set_action_in, action, action_type)) {
	case PRM_ACTION_TYPE_ADD: return prm_layout_find("add_action_in");
	case PRM_ACTION_TYPE_COPY: return prm_layout_find("copy_action_in");
	default: return prm_layout_find("set_action_in");
	}
}

static void print_actions(const struct prm_printer *p, const uint8_t *buf, size_t len, int indent)
{
	struct entries e = {
		.name = "action",
		.first = PRM_OFFSET(alloc_modify_header_context_in, actions) / 8,
		.stride = PRM_BYTES(set_action_in),
		.count = PRM_GET(alloc_modify_header_context_in, buf, num_of_actions),
	};
	size_t n = present(p, &e, len, indent);

	for (size_t i = 0; i < n; i++) {
		const uint8_t *action = buf + e.first + i * e.stride;

		print_entry(p, e.name, i, action_layout(action), action, e.stride, indent);
	}
}

static void print_rqs(const struct prm_printer *p, const uint8_t *buf, size_t len, int indent)
{
	struct entries e = {
		.name = "rq_num",
		.sub = prm_layout_find("rq_num"),
		.first = PRM_OFFSET(rqtc, rq_num) / 8,
		.stride = PRM_BYTES(rq_num),
		.count = PRM_GET(rqtc, buf, rqt_actual_size),
	};

	print_entries(p, &e, buf, len, indent);
}

/* The answer does not say how many: as many as were asked for, else as many as there is room for. */
static void print_counters(const struct prm_printer *p, const uint8_t *buf, size_t len, int indent)
{
	struct entries e = {
		.name = "flow_statistics",
		.sub = prm_layout_find("traffic_counter"),
		.first = PRM_OFFSET(query_flow_counter_out, flow_statistics) / 8,
		.stride = PRM_BYTES(traffic_counter),
	};

	e.count = p->counters != UINT32_MAX ? p->counters : (len - e.first) / e.stride;
	print_entries(p, &e, buf, len, indent);
}

void prm_print_list(const struct prm_printer *p, const struct prm_layout *owner,
		    const struct prm_field *field, const uint8_t *buf, size_t len, int indent)
{
	size_t first = field->offset / 8;

	if (!strcmp(owner->name, "flow_context"))
		print_rule_lists(p, buf, len, indent);
	else if (!strcmp(owner->name, "alloc_modify_header_context_in"))
		print_actions(p, buf, len, indent);
	else if (!strcmp(owner->name, "rqtc"))
		print_rqs(p, buf, len, indent);
	else if (!strcmp(owner->name, "query_flow_counter_out"))
		print_counters(p, buf, len, indent);
	else
		prm_print_nested(p, field->name, field->sub, buf + first, len - first, indent);
}

void prm_print_reformat_data(const struct prm_printer *p, const uint8_t *buf, size_t len,
			     int indent)
{
	size_t first = PRM_OFFSET(packet_reformat_context_in, reformat_data) / 8;
	size_t n, room;

	if (len <= first)
		return;
	n = PRM_GET(packet_reformat_context_in, buf, reformat_data_size);
	room = len - first;
	if (n > room) {
		prm_line(p, indent, "reformat_data: %zu bytes declared, %zu there", n, room);
		n = room;
	}
	if (n)
		prm_line_bytes(p, indent, "reformat_data", buf + first, n);
}
