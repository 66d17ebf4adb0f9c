// SPDX-License-Identifier: BSD-2-Clause
/*
 * The lists of the kernel's DevX layer.
 *
 * Source: Linux drivers/infiniband/hw/mlx5/devx.c.
 */
#include "rules.h"

#include <stddef.h>

#include "providers/model/devx.h"

enum { GENERAL_FIRST = 0xb00, GENERAL_LAST = 0xcff };

/* opcodes of <linux/mlx5/mlx5_ifc.h> that the model does not have */
enum {
	QUERY_ADAPTER = 0x101,
	QUERY_ISSI = 0x10a,
	CREATE_QP = 0x500,
	CREATE_PSV = 0x600,
	CREATE_SRQ = 0x700,
	CREATE_XRC_SRQ = 0x705,
	CREATE_DCT = 0x710,
	CREATE_XRQ = 0x717,
	QUERY_ESW_FUNCTIONS = 0x740,
	QUERY_VPORT_STATE = 0x750,
	QUERY_ESW_VPORT_CONTEXT = 0x752,
	QUERY_NIC_VPORT_CONTEXT = 0x754,
	QUERY_ROCE_ADDRESS = 0x760,
	QUERY_HCA_VPORT_CONTEXT = 0x762,
	QUERY_VNIC_ENV = 0x76f,
	QUERY_VPORT_COUNTER = 0x770,
	ALLOC_Q_COUNTER = 0x771,
	CREATE_SCHEDULING_ELEMENT = 0x782,
	ATTACH_TO_MCG = 0x806,
	GET_DROPPED_PACKET_LOG = 0x80a,
	ALLOC_XRCD = 0x80e,
	QUERY_CONG_STATUS = 0x822,
	QUERY_CONG_PARAMS = 0x824,
	QUERY_CONG_STATISTICS = 0x826,
	ADD_VXLAN_UDP_DPORT = 0x827,
	SET_L2_TABLE_ENTRY = 0x829,
	QUERY_LAG = 0x842,
	CREATE_RMP = 0x90c,
	CREATE_RQT = 0x916,
};

static bool listed(const uint16_t *list, size_t n, uint16_t opcode)
{
	for (size_t i = 0; i < n; i++)
		if (list[i] == opcode)
			return true;
	return false;
}

#define LISTED(list, opcode) listed(list, sizeof(list) / sizeof((list)[0]), opcode)

bool uv_rule_without_uid(uint16_t opcode)
{
	return opcode == PRM_CMD_OP_QUERY_HCA_CAP || opcode == QUERY_HCA_VPORT_CONTEXT ||
	       opcode == QUERY_ESW_VPORT_CONTEXT || opcode == QUERY_ESW_FUNCTIONS;
}

bool uv_rule_general(uint16_t opcode)
{
	static const uint16_t list[] = {PRM_CMD_OP_QUERY_HCA_CAP,
					QUERY_HCA_VPORT_CONTEXT,
					QUERY_ESW_VPORT_CONTEXT,
					QUERY_ESW_FUNCTIONS,
					QUERY_VPORT_STATE,
					QUERY_ADAPTER,
					QUERY_ISSI,
					QUERY_NIC_VPORT_CONTEXT,
					QUERY_ROCE_ADDRESS,
					QUERY_VNIC_ENV,
					QUERY_VPORT_COUNTER,
					GET_DROPPED_PACKET_LOG,
					PRM_CMD_OP_NOP,
					QUERY_CONG_STATUS,
					QUERY_CONG_PARAMS,
					QUERY_CONG_STATISTICS,
					QUERY_LAG};

	return LISTED(list, opcode) || (opcode >= GENERAL_FIRST && opcode <= GENERAL_LAST);
}

bool uv_rule_create(uint16_t opcode, const void *in)
{
	static const uint16_t others[] = {
		CREATE_QP,     CREATE_PSV, CREATE_SRQ,		CREATE_XRC_SRQ,
		CREATE_DCT,    CREATE_XRQ, ALLOC_Q_COUNTER,	CREATE_SCHEDULING_ELEMENT,
		ATTACH_TO_MCG, ALLOC_XRCD, ADD_VXLAN_UDP_DPORT, SET_L2_TABLE_ENTRY,
		CREATE_RMP,    CREATE_RQT};

	if (opcode == PRM_CMD_OP_SET_FLOW_TABLE_ENTRY)
		return prm_in_op_mod(in) == 0;
	return devx_makes(opcode) || LISTED(others, opcode);
}
