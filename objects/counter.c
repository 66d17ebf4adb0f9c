// SPDX-License-Identifier: BSD-2-Clause
/* ALLOC, QUERY and DEALLOC_FLOW_COUNTER, one counter each. */
#include "objects/counter.h"

int obj_counter_create(struct mlxo_device *dev, struct obj_counter *counter)
{
	uint8_t in[PRM_BYTES(alloc_flow_counter_in)] = {0};
	uint8_t out[PRM_BYTES(alloc_flow_counter_out)];

	PRM_SET(alloc_flow_counter_in, in, opcode, PRM_CMD_OP_ALLOC_FLOW_COUNTER);
	return obj_create(dev,
			  OBJ_CREATE(OBJ_COUNTER, in, out, alloc_flow_counter_out, flow_counter_id),
			  &counter->obj);
}

int obj_counter_destroy(struct mlxo_device *dev, struct obj_counter *counter)
{
	return obj_destroy(dev, &counter->obj);
}

int obj_counter_query(struct mlxo_device *dev, const struct obj_counter *counter, uint64_t *packets,
		      uint64_t *bytes)
{
	uint8_t in[PRM_BYTES(query_flow_counter_in)] = {0};
	uint8_t out[PRM_BYTES(query_flow_counter_out) + PRM_BYTES(traffic_counter)] = {0};
	const uint8_t *stats = PRM_AT(query_flow_counter_out, out, flow_statistics);
	int err = 0;

	PRM_SET(query_flow_counter_in, in, opcode, PRM_CMD_OP_QUERY_FLOW_COUNTER);
	PRM_SET(query_flow_counter_in, in, flow_counter_id, counter->obj.id);
	if (obj_is_live(&counter->obj))
		err = obj_query(dev, &counter->obj, in, sizeof(in), out, sizeof(out));
	if (packets)
		*packets = err ? 0 : PRM_GET(traffic_counter, stats, packets);
	if (bytes)
		*bytes = err ? 0 : PRM_GET(traffic_counter, stats, octets);
	return err;
}
