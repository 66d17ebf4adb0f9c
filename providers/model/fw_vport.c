// SPDX-License-Identifier: BSD-2-Clause
/*
 * Firmware: the function's one vport (state, context, counters), queue counters, and the registers of its port.
 *
 * All counters start at 0 with the device and are of what was on the wire. Registers can be read, not written, but for
 * HOST_ENDIANNESS, which says what is the case anyway. Source: PRM, nic_vport_context, ppcnt_reg and the counter groups
 * of IEEE 802.3 and RFC 2863; Linux mlx5/vport.c, port.c.
 */
#include "fw.h"

#include <string.h>

enum { LOCAL_PORT = 1, L2_BYTES = 14 + 4 + 4, MBIT = 100 /* of max_tx_speed */ };

/* -- vport ------------------------------------------------------------------------------------------------ */

enum model_synd model_do_QUERY_VPORT_STATE(struct model_cmd *c)
{
	uint64_t speed = c->dev->speed / 1000000 / MBIT;

	if (PRM_GET(query_vport_state_in, c->in, other_vport) ||
	    PRM_GET(query_vport_state_in, c->in, vport_number))
		return MODEL_S_OTHER_FUNCTION;
	PRM_SET(query_vport_state_out, c->out, max_tx_speed, speed > 0xffff ? 0xffff : speed);
	PRM_SET(query_vport_state_out, c->out, admin_state, PRM_PORT_UP);
	PRM_SET(query_vport_state_out, c->out, state, PRM_PORT_UP);
	return MODEL_S_OK;
}

/* EUI-64 of the MAC */
static uint64_t guid(const uint8_t mac[6])
{
	return prm_get(mac, 0, 24) << 40 | UINT64_C(0xfffe) << 24 | prm_get(mac, 24, 24);
}

enum model_synd model_do_QUERY_NIC_VPORT_CONTEXT(struct model_cmd *c)
{
	uint8_t *ctx = PRM_AT(query_nic_vport_context_out, c->out, nic_vport_context);
	const uint8_t *mac = c->dev->mac;

	if (PRM_GET(query_nic_vport_context_in, c->in, other_vport) ||
	    PRM_GET(query_nic_vport_context_in, c->in, vport_number))
		return MODEL_S_OTHER_FUNCTION;
	PRM_SET(nic_vport_context, ctx, mtu, c->dev->profile.mtu + L2_BYTES);
	PRM_SET(nic_vport_context, ctx, system_image_guid, guid(mac));
	PRM_SET(nic_vport_context, ctx, port_guid, guid(mac));
	PRM_SET(nic_vport_context, ctx, node_guid, guid(mac));
	PRM_SET(nic_vport_context, ctx, promisc_all, 1); /* the port filters nothing; rules do */
	PRM_SET(nic_vport_context, ctx, allowed_list_type,
		PRM_GET(query_nic_vport_context_in, c->in, allowed_list_type));
	memcpy(PRM_AT(nic_vport_context, ctx, permanent_address) +
		       PRM_OFFSET(mac_address_layout, mac_addr_47_32) / 8,
	       mac, 6);
	return MODEL_S_OK;
}

static void clear_traffic(struct model_dev *dev)
{
	for (int i = 0; i < 2 * MODEL_NCASTS; i++) {
		struct model_traffic *t = &dev->traffic[i / MODEL_NCASTS][i % MODEL_NCASTS];

		atomic_store(&t->packets, 0);
		atomic_store(&t->bytes, 0);
	}
}

enum model_synd model_do_QUERY_VPORT_COUNTER(struct model_cmd *c)
{
	uint8_t *out = c->out;

	if (PRM_GET(query_vport_counter_in, c->in, other_vport) ||
	    PRM_GET(query_vport_counter_in, c->in, vport_number) ||
	    PRM_GET(query_vport_counter_in, c->in, port_num) > LOCAL_PORT)
		return MODEL_S_OTHER_FUNCTION;
#define SHOW(field, tx, cast) \
	do { \
		struct model_traffic *t = &c->dev->traffic[tx][MODEL_##cast]; \
		uint8_t *at = PRM_AT(query_vport_counter_out, out, field); \
		PRM_SET(traffic_counter, at, packets, atomic_load(&t->packets)); \
		PRM_SET(traffic_counter, at, octets, atomic_load(&t->bytes)); \
	} while (0)
	SHOW(received_eth_unicast, 0, UNICAST);
	SHOW(received_eth_multicast, 0, MULTICAST);
	SHOW(received_eth_broadcast, 0, BROADCAST);
	SHOW(transmitted_eth_unicast, 1, UNICAST);
	SHOW(transmitted_eth_multicast, 1, MULTICAST);
	SHOW(transmitted_eth_broadcast, 1, BROADCAST);
#undef SHOW
	if (PRM_GET(query_vport_counter_in, c->in, clear))
		clear_traffic(c->dev);
	return MODEL_S_OK;
}

/* -- queue counters --------------------------------------------------------------------------------------- */

enum model_synd model_do_ALLOC_Q_COUNTER(struct model_cmd *c)
{
	struct model_qcounter *q = model_cmd_new(c, MODEL_QCOUNTER, sizeof(*q), 1);

	if (!q)
		return c->why;
	PRM_SET(alloc_q_counter_out, c->out, counter_set_id, q->o.id);
	return MODEL_S_OK;
}

enum model_synd model_do_QUERY_Q_COUNTER(struct model_cmd *c)
{
	struct model_qcounter *q = model_cmd_find(
		c, MODEL_QCOUNTER, (uint32_t)PRM_GET(query_q_counter_in, c->in, counter_set_id));

	if (PRM_GET(query_q_counter_in, c->in, other_vport) ||
	    PRM_GET(query_q_counter_in, c->in, vport_number) ||
	    PRM_GET(query_q_counter_in, c->in, aggregate))
		return MODEL_S_OTHER_FUNCTION;
	if (!q)
		return c->why;
	PRM_SET(query_q_counter_out, c->out, out_of_buffer, atomic_load(&q->out_of_buffer));
	if (PRM_GET(query_q_counter_in, c->in, clear))
		atomic_store(&q->out_of_buffer, 0);
	return MODEL_S_OK;
}

enum model_synd model_do_DEALLOC_Q_COUNTER(struct model_cmd *c)
{
	return model_cmd_destroy(c, MODEL_QCOUNTER,
				 (uint32_t)PRM_GET(dealloc_q_counter_in, c->in, counter_set_id));
}

/* -- registers -------------------------------------------------------------------------------------------- */

enum { REG_DATA = PRM_access_register_in_bits / 8 };

static uint64_t sum(const struct model_dev *dev, bool tx)
{
	return tx ? atomic_load(&dev->tx_packets) : atomic_load(&dev->rx_packets);
}

static void set_pair(uint8_t *at, uint64_t v)
{
	prm_put(at, 0, 64, v); /* high, then low */
}

#define PAIR(layout, field, v) set_pair(PRM_AT(layout, set, field##_high), v)
#define CAST(tx, cast) atomic_load(&dev->traffic[tx][MODEL_##cast].packets)

static void group_802_3(struct model_dev *dev, uint8_t *set)
{
#define C802(field, v) PAIR(eth_802_3_cntrs_grp_data_layout, field, v)
	C802(a_frames_transmitted_ok, sum(dev, true));
	C802(a_frames_received_ok, sum(dev, false));
	C802(a_octets_transmitted_ok, atomic_load(&dev->tx_bytes));
	C802(a_octets_received_ok, atomic_load(&dev->rx_bytes));
	C802(a_multicast_frames_xmitted_ok, CAST(1, MULTICAST));
	C802(a_broadcast_frames_xmitted_ok, CAST(1, BROADCAST));
	C802(a_multicast_frames_received_ok, CAST(0, MULTICAST));
	C802(a_broadcast_frames_received_ok, CAST(0, BROADCAST));
	C802(a_frame_too_long_errors, atomic_load(&dev->drop[MODEL_DROP_RX_LENGTH]));
#undef C802
}

static void group_2863(struct model_dev *dev, uint8_t *set)
{
#define C2863(field, v) PAIR(eth_2863_cntrs_grp_data_layout, field, v)
	C2863(if_in_octets, atomic_load(&dev->rx_bytes));
	C2863(if_in_ucast_pkts, CAST(0, UNICAST));
	C2863(if_in_multicast_pkts, CAST(0, MULTICAST));
	C2863(if_in_broadcast_pkts, CAST(0, BROADCAST));
	C2863(if_out_octets, atomic_load(&dev->tx_bytes));
	C2863(if_out_ucast_pkts, CAST(1, UNICAST));
	C2863(if_out_multicast_pkts, CAST(1, MULTICAST));
	C2863(if_out_broadcast_pkts, CAST(1, BROADCAST));
#undef C2863
}

static enum model_synd read_ppcnt(struct model_cmd *c, uint8_t *reg)
{
	uint8_t *set = PRM_AT(ppcnt_reg, reg, counter_set);

	if (PRM_GET(ppcnt_reg, reg, clr) || PRM_GET(ppcnt_reg, reg, prio_tc))
		return MODEL_S_REGISTER_FIELD;
	memset(set, 0, PRM_WIDTH(ppcnt_reg, counter_set) / 8);
	switch (PRM_GET(ppcnt_reg, reg, grp)) {
	case PRM_PPCNT_GRP_802_3: group_802_3(c->dev, set); return MODEL_S_OK;
	case PRM_PPCNT_GRP_RFC_2863: group_2863(c->dev, set); return MODEL_S_OK;
	default: return MODEL_S_REGISTER_FIELD;
	}
}

static enum model_synd read_register(struct model_cmd *c, uint64_t id, uint8_t *reg)
{
	switch (id) {
	case PRM_REG_PAOS:
		PRM_SET(paos_reg, reg, admin_status, PRM_PORT_UP);
		PRM_SET(paos_reg, reg, oper_status, PRM_PORT_UP);
		return MODEL_S_OK;
	case PRM_REG_PMTU:
		PRM_SET(pmtu_reg, reg, max_mtu, c->dev->profile.mtu + L2_BYTES);
		PRM_SET(pmtu_reg, reg, admin_mtu, c->dev->profile.mtu + L2_BYTES);
		PRM_SET(pmtu_reg, reg, oper_mtu, c->dev->profile.mtu + L2_BYTES);
		return MODEL_S_OK;
	default: return read_ppcnt(c, reg);
	}
}

/* Bytes of a port's register that can be read; 0: there is none. */
static size_t register_bytes(uint64_t id)
{
	switch (id) {
	case PRM_REG_PAOS: return PRM_BYTES(paos_reg);
	case PRM_REG_PMTU: return PRM_BYTES(pmtu_reg);
	case PRM_REG_PPCNT: return PRM_BYTES(ppcnt_reg);
	default: return 0;
	}
}

enum model_synd model_do_ACCESS_REG(struct model_cmd *c)
{
	uint64_t id = PRM_GET(access_register_in, c->in, register_id);
	size_t n = register_bytes(id);
	uint8_t *reg = c->out + REG_DATA;

	if (prm_in_op_mod(c->in) == PRM_REG_WRITE)
		return id == PRM_REG_HOST_ENDIANNESS ? MODEL_S_OK : MODEL_S_NO_REGISTER;
	if (!n)
		return MODEL_S_NO_REGISTER;
	if (c->inlen != REG_DATA + n)
		return MODEL_S_LIST_LENGTH;
	if (c->outlen < REG_DATA + n)
		return MODEL_S_OUT_LENGTH;
	memcpy(reg, c->in + REG_DATA, n);
	if (PRM_GET(paos_reg, reg, local_port) != LOCAL_PORT) /* in all of them at the same place */
		return MODEL_S_REGISTER_FIELD;
	return read_register(c, id, reg);
}
