/* SPDX-License-Identifier: BSD-2-Clause */
/* clang-format off */
/*
 * Every refusal of the model's firmware, one line each: Y(name, syndrome, status, meaning).
 *
 * Syndromes are opaque numbers of the firmware. Where a number of real firmware is known from public reports it is
 * used and marked "real"; all others lie in 0x0d00xxxx, a range that belongs to the model. docs/syndromes.md is made
 * from this list. Test on the status first: a firmware may renumber.
 *
 * NO_, USED_ and LIMIT_ rows are in the order of MODEL_TYPES; fw.h checks it.
 */
#ifndef PROVIDERS_MODEL_SYNDROMES_H
#define PROVIDERS_MODEL_SYNDROMES_H

/* The command itself. */
#define MODEL_SYNDROMES_COMMAND(Y) \
	Y(UNKNOWN_OPCODE, 0x0d000101, BAD_OP_ERR, "the model has no such command") \
	Y(IN_LENGTH, 0x0d000102, BAD_INP_LEN_ERR, "the mailbox is shorter or longer than this command") \
	Y(OUT_LENGTH, 0x0d000103, BAD_OUTP_LEN_ERR, "the room for the answer is too small") \
	Y(KERNEL_ONLY, 0x0d000104, BAD_OP_ERR, "this command is for the function's owner (uid 0) only") \
	Y(RESERVED, 0x0d000105, BAD_PARAM_ERR, "a reserved bit is set") \
	Y(OP_MOD, 0x0d000106, BAD_OP_ERR, "the command does not have this operation modifier") \
	Y(FOREIGN_UID, 0x0d000107, BAD_RES_ERR, "the object belongs to another user of the device") \
	Y(NO_MEMORY, 0x0d000108, INT_ERR, "the host of the model is out of memory") \
	Y(LIST_LENGTH, 0x0d000109, BAD_INP_LEN_ERR, "the list behind the command is not as long as its count says") \
	Y(CAP_GROUP, 0x0d00010a, BAD_PARAM_ERR, "no such capability group") \
	Y(OTHER_FUNCTION, 0x0d00010b, BAD_PARAM_ERR, "the model has one function only") \
	Y(NO_REGISTER, 0x0d00010c, BAD_PARAM_ERR, "no such register, or one that cannot be written") \
	Y(REGISTER_FIELD, 0x0d00010d, BAD_PARAM_ERR, "register: another port, a group of counters that is not offered, or a length that is not the register's") \
	Y(ISSI, 0x0d00010e, BAD_PARAM_ERR, "interface version: the model has version 1 only") \
	Y(INJECTED, 0x0d0001ff, INT_ERR, "a fault that was asked for")

/* A handle in the command names nothing. */
#define MODEL_SYNDROMES_NO(Y) \
	Y(NO_UAR, 0x0d000200, BAD_RES_ERR, "no such UAR") \
	Y(NO_PD, 0x0d000201, BAD_RES_ERR, "no such PD") \
	Y(NO_TD, 0x0d000202, BAD_RES_ERR, "no such transport domain") \
	Y(NO_UMEM, 0x0d000203, BAD_RES_ERR, "no such umem") \
	Y(NO_MKEY, 0x0d000204, BAD_RES_ERR, "no such memory key") \
	Y(NO_CQ, 0x0d000205, BAD_RES_ERR, "no such CQ") \
	Y(NO_TIS, 0x0d000206, BAD_RES_ERR, "no such TIS") \
	Y(NO_SQ, 0x0d000207, BAD_RES_ERR, "no such SQ") \
	Y(NO_RQ, 0x0d000208, BAD_RES_ERR, "no such RQ") \
	Y(NO_TIR, 0x0d000209, BAD_RES_ERR, "no such TIR") \
	Y(NO_DEK, 0x0d00020a, BAD_RES_ERR, "no such encryption key") \
	Y(NO_IPSEC, 0x0d00020b, BAD_RES_ERR, "no such IPsec object") \
	Y(NO_COUNTER, 0x0d00020c, BAD_RES_ERR, "no such flow counter") \
	Y(NO_REFORMAT, 0x0d00020d, BAD_RES_ERR, "no such packet reformat context") \
	Y(NO_MODHDR, 0x0d00020e, BAD_RES_ERR, "no such modify header context") \
	Y(NO_FT, 0x0d00020f, BAD_RES_ERR, "no such flow table of this type") \
	Y(NO_FG, 0x0d000210, BAD_RES_ERR, "no such group in this flow table") \
	Y(NO_FTE, 0x0d000211, BAD_RES_ERR, "no entry at this flow index") \
	Y(NO_RQT, 0x0d000212, BAD_RES_ERR, "no such RQT") \
	Y(NO_QCOUNTER, 0x0d000213, BAD_RES_ERR, "no such set of queue counters")

/* Destroyed while something uses it. */
#define MODEL_SYNDROMES_USED(Y) \
	Y(USED_UAR, 0x0d000300, BAD_RES_STATE_ERR, "the UAR is used by a queue") \
	Y(USED_PD, 0x0d000301, BAD_RES_STATE_ERR, "the PD is used by an object") \
	Y(USED_TD, 0x0d000302, BAD_RES_STATE_ERR, "the transport domain is used by a TIS or TIR") \
	Y(USED_UMEM, 0x0d000303, BAD_RES_STATE_ERR, "the umem is used by a queue or memory key") \
	Y(USED_MKEY, 0x0d000304, BAD_RES_STATE_ERR, "the memory key is used") \
	Y(USED_CQ, 0x0d000305, BAD_RES_STATE_ERR, "the CQ is used by a queue") \
	Y(USED_TIS, 0x0d000306, BAD_RES_STATE_ERR, "the TIS is used by an SQ") \
	Y(USED_SQ, 0x0d000307, BAD_RES_STATE_ERR, "the SQ is used") \
	Y(USED_RQ, 0x0d000308, BAD_RES_STATE_ERR, "the RQ is used by a TIR or an RQT") \
	Y(USED_TIR, 0x0d000309, BAD_RES_STATE_ERR, "the TIR is the destination of a rule") \
	Y(USED_DEK, 0x0d00030a, BAD_RES_STATE_ERR, "the key is used by an IPsec object") \
	Y(USED_IPSEC, 0x0d00030b, BAD_RES_STATE_ERR, "the IPsec object is used by a rule") \
	Y(USED_COUNTER, 0x0d00030c, BAD_RES_STATE_ERR, "the counter is used by a rule") \
	Y(USED_REFORMAT, 0x00179e84, BAD_RES_STATE_ERR, "the packet reformat context is used by a rule (real)") \
	Y(USED_MODHDR, 0x001ab444, BAD_RES_STATE_ERR, "the modify header context is used by a rule (real)") \
	Y(USED_FT, 0x00ef0c8a, BAD_RES_STATE_ERR, "the flow table has groups, or a rule, a miss or the root leads to it (real)") \
	Y(USED_FG, 0x00389e56, BAD_RES_STATE_ERR, "the flow group has entries (real)") \
	Y(USED_FTE, 0x0d000311, BAD_RES_STATE_ERR, "the entry is used") \
	Y(USED_RQT, 0x0d000312, BAD_RES_STATE_ERR, "the RQT is used by a TIR") \
	Y(USED_QCOUNTER, 0x0d000313, BAD_RES_STATE_ERR, "the set of queue counters is used by an RQ")

/* No more of a kind. */
#define MODEL_SYNDROMES_LIMIT(Y) \
	Y(LIMIT_UAR, 0x0d000400, LIM_ERR, "the limit of UARs is reached") \
	Y(LIMIT_PD, 0x0d000401, LIM_ERR, "the limit of PDs is reached") \
	Y(LIMIT_TD, 0x0d000402, LIM_ERR, "the limit of transport domains is reached") \
	Y(LIMIT_UMEM, 0x0d000403, LIM_ERR, "the limit of umems is reached") \
	Y(LIMIT_MKEY, 0x0d000404, LIM_ERR, "the limit of memory keys is reached") \
	Y(LIMIT_CQ, 0x0d000405, LIM_ERR, "the limit of CQs is reached") \
	Y(LIMIT_TIS, 0x0d000406, LIM_ERR, "the limit of TISes is reached") \
	Y(LIMIT_SQ, 0x0d000407, LIM_ERR, "the limit of SQs is reached") \
	Y(LIMIT_RQ, 0x0d000408, LIM_ERR, "the limit of RQs is reached") \
	Y(LIMIT_TIR, 0x0d000409, LIM_ERR, "the limit of TIRs is reached") \
	Y(LIMIT_DEK, 0x0d00040a, LIM_ERR, "the limit of encryption keys is reached") \
	Y(LIMIT_IPSEC, 0x0d00040b, LIM_ERR, "the limit of IPsec objects is reached") \
	Y(LIMIT_COUNTER, 0x0d00040c, LIM_ERR, "the limit of flow counters is reached") \
	Y(LIMIT_REFORMAT, 0x0d00040d, LIM_ERR, "the limit of packet reformat contexts is reached") \
	Y(LIMIT_MODHDR, 0x0d00040e, LIM_ERR, "the limit of modify header contexts is reached") \
	Y(LIMIT_FT, 0x0d00040f, LIM_ERR, "the limit of flow tables is reached") \
	Y(LIMIT_FG, 0x0d000410, LIM_ERR, "the limit of flow groups is reached") \
	Y(LIMIT_FTE, 0x0d000411, LIM_ERR, "the limit of flow entries is reached") \
	Y(LIMIT_RQT, 0x0d000412, LIM_ERR, "the limit of RQTs is reached") \
	Y(LIMIT_QCOUNTER, 0x0d000413, LIM_ERR, "the limit of sets of queue counters is reached")

/* Memory keys and queues. */
#define MODEL_SYNDROMES_QUEUE(Y) \
	Y(MKEY_MODE, 0x0d000501, BAD_PARAM_ERR, "memory key: access mode, free, qpn or a feature that is not offered") \
	Y(MKEY_UMEM, 0x0d000502, BAD_PARAM_ERR, "memory key: a user's key needs a umem that covers its range") \
	Y(MKEY_RANGE, 0x0d000503, BAD_PARAM_ERR, "memory key: empty range, or one that wraps") \
	Y(CQ_CONTEXT, 0x0d000504, BAD_PARAM_ERR, "CQ: a feature that is not offered (CQE size, compression, overrun)") \
	Y(CQ_SIZE, 0x0d000505, BAD_PARAM_ERR, "CQ: size out of range") \
	Y(CQ_EQN, 0x0d000506, BAD_RES_ERR, "CQ: no such EQ") \
	Y(RING_UMEM, 0x0d000507, BAD_PARAM_ERR, "queue: the ring must be in a umem that covers it, 64-byte aligned") \
	Y(DBR_UMEM, 0x0d000508, BAD_PARAM_ERR, "queue: the doorbell record must be in a umem that covers it, 8-byte aligned") \
	Y(WQ_CONTEXT, 0x0d000509, BAD_PARAM_ERR, "queue: work queue type, stride or a feature that is not offered") \
	Y(WQ_SIZE, 0x0d00050a, BAD_PARAM_ERR, "queue: size out of range") \
	Y(SQ_CONTEXT, 0x0d00050b, BAD_PARAM_ERR, "SQ: a feature that is not offered") \
	Y(SQ_TIS, 0x0d00050c, BAD_PARAM_ERR, "SQ: needs exactly one TIS, one without tls_en") \
	Y(SQ_INITIAL, 0x0d00050d, BAD_PARAM_ERR, "SQ: is created in state RST") \
	Y(RQ_CONTEXT, 0x0d00050e, BAD_PARAM_ERR, "RQ: a feature that is not offered") \
	Y(RQ_MODIFY_STATE, 0x0d00051d, BAD_PARAM_ERR, "RQ: fields are modified together with the state that the queue keeps or gets ready in") \
	Y(RQ_INITIAL, 0x0d00050f, BAD_PARAM_ERR, "RQ: is created in state RST") \
	Y(QUEUE_STATE, 0x0d000510, BAD_RES_STATE_ERR, "queue: is not in the state that the command names") \
	Y(QUEUE_STEP, 0x0d000511, BAD_RES_STATE_ERR, "queue: there is no way from this state to that one") \
	Y(QUEUE_BITMASK, 0x0d000512, BAD_PARAM_ERR, "queue: a field is selected that cannot be modified") \
	Y(TIS_TLS, 0x0d000513, BAD_PARAM_ERR, "TIS: tls_en needs the tls_tx capability and a PD") \
	Y(TIS_CONTEXT, 0x0d000514, BAD_PARAM_ERR, "TIS: a feature that is not offered") \
	Y(TIR_CONTEXT, 0x0d000515, BAD_PARAM_ERR, "TIR: LRO, TLS and tunnels are not offered; a direct TIR has no hash and no RQT, an indirect one no RQ") \
	Y(TIR_HASH, 0x0d000516, BAD_PARAM_ERR, "TIR: hash function, or a field to hash that is not offered") \
	Y(TIR_SELECT, 0x0d000517, BAD_PARAM_ERR, "TIR: a field is selected that cannot be modified, or none is") \
	Y(TIS_SELECT, 0x0d000518, BAD_PARAM_ERR, "TIS: a field is selected that cannot be modified, or none is") \
	Y(RQT_CONTEXT, 0x0d000519, BAD_PARAM_ERR, "RQT: a list of anything but RQs of this function is not offered") \
	Y(RQT_SIZE, 0x0d00051a, BAD_PARAM_ERR, "RQT: its size is a power of 2, not above its maximum or log_max_rqt_size") \
	Y(RQT_SELECT, 0x0d00051b, BAD_PARAM_ERR, "RQT: only the list of RQs can be modified") \
	Y(CQ_SELECT, 0x0d00051c, BAD_PARAM_ERR, "CQ: only period, count and period mode can be modified, and one of them must be")

/* Keys, IPsec objects, SYNC_CRYPTO. */
#define MODEL_SYNDROMES_GENERAL(Y) \
	Y(OBJ_TYPE, 0x0d000601, BAD_PARAM_ERR, "general object: this type is not offered") \
	Y(OBJ_HEADER, 0x0d000602, BAD_PARAM_ERR, "general object: alias, tunnel or an id where none belongs") \
	Y(OBJ_RANGE, 0x0d000603, BAD_PARAM_ERR, "general object: range above log_dek_max_alloc, or of a kind without ranges") \
	Y(OBJ_OFFSET, 0x0d000604, IX_ERR, "general object: offset outside of the range") \
	Y(OBJ_SELECT, 0x0d000605, BAD_PARAM_ERR, "general object: a field is selected that cannot be modified, or none is") \
	Y(KEY_SIZE, 0x0d000606, BAD_PARAM_ERR, "key: size is not offered") \
	Y(KEY_PURPOSE, 0x0d000607, BAD_PARAM_ERR, "key: purpose is not offered, or not the one it was created with") \
	Y(KEY_BYTES, 0x0d000608, BAD_PARAM_ERR, "key: bytes outside of the key's place") \
	Y(KEY_WRAPPED, 0x0d000609, BAD_PARAM_ERR, "key: wrapped keys and states are not offered") \
	Y(KEY_PD, 0x0d00060a, BAD_PARAM_ERR, "key: PD is not the one it was created with") \
	Y(IPSEC_KEY, 0x0d00060b, BAD_PARAM_ERR, "IPsec: the key's purpose is not IPSEC") \
	Y(IPSEC_KEY_EMPTY, 0x0d00060c, BAD_RES_STATE_ERR, "IPsec: no key was written to this slot") \
	Y(IPSEC_ICV, 0x0d00060d, BAD_PARAM_ERR, "IPsec: ICV length must be 0 (16 bytes)") \
	Y(IPSEC_FULL, 0x0d00060e, BAD_PARAM_ERR, "IPsec: packet offload is not offered") \
	Y(IPSEC_ASO, 0x0d00060f, BAD_PARAM_ERR, "IPsec: packet offload needs aso.valid, crypto offload no ASO at all") \
	Y(IPSEC_ASO_MODE, 0x0d000610, BAD_PARAM_ERR, "IPsec: ASO mode, window or first sequence number") \
	Y(IPSEC_ASO_ARM, 0x0d000611, BAD_PARAM_ERR, "IPsec: an ASO event is armed without its limit or without ESN") \
	Y(IPSEC_ASO_REG, 0x0d000612, BAD_PARAM_ERR, "IPsec: aso_return_reg must be 0..3, and 0 in crypto offload") \
	Y(IPSEC_ESN, 0x0d000613, BAD_PARAM_ERR, "IPsec: ESN fields without esn_en") \
	Y(SYNC_TYPE, 0x0d000614, BAD_PARAM_ERR, "SYNC_CRYPTO: crypto_type must be 1 (all) or bits of key purposes")

/* Flow tables, groups, contexts. */
#define MODEL_SYNDROMES_FLOW(Y) \
	Y(FT_VPORT, 0x000754a4, BAD_PARAM_ERR, "flow: a vport is named that is not the function's own (real)") \
	Y(FT_TYPE, 0x0d000701, BAD_PARAM_ERR, "flow: table type must be NIC_RX or NIC_TX") \
	Y(FT_LEVEL, 0x0d000702, BAD_PARAM_ERR, "flow table: level above max_ft_level") \
	Y(FT_SIZE, 0x0d000703, BAD_PARAM_ERR, "flow table: log_size above log_max_ft_size") \
	Y(FT_FEATURE, 0x0d000704, BAD_PARAM_ERR, "flow table: software ownership, termination and LAG are not offered") \
	Y(FT_MISS, 0x0d000705, BAD_PARAM_ERR, "flow table: miss action is 0 without or 1 with a miss table") \
	Y(FT_MISS_LEVEL, 0x0d000706, BAD_PARAM_ERR, "flow table: the miss table must be of the same type and a higher level") \
	Y(FT_SELECT, 0x0d000707, BAD_PARAM_ERR, "flow table: only the miss action can be modified") \
	Y(FT_ROOT, 0x0d000708, BAD_PARAM_ERR, "flow table root: level of a root is 0, no vport, no QP") \
	Y(FG_TYPE, 0x0d000709, BAD_PARAM_ERR, "flow group: only group type 0 without a definer is offered") \
	Y(FG_RANGE, 0x0d00070a, IX_ERR, "flow group: start after end, or outside of the table") \
	Y(FG_OVERLAP, 0x0d00070b, BAD_RES_STATE_ERR, "flow group: its range overlaps another group's") \
	Y(FG_MASK_EMPTY, 0x007e1580, BAD_PARAM_ERR, "flow group: a section is enabled but its mask is zero (real)") \
	Y(FG_MASK_DISABLED, 0x0017faa8, BAD_PARAM_ERR, "flow group: a section has a mask but is not enabled (real)") \
	Y(FG_FIELD, 0x0d00070c, BAD_PARAM_ERR, "flow group: the mask has a field that cannot be matched") \
	Y(COUNTER_BULK, 0x0d00070d, BAD_PARAM_ERR, "flow counter: bulk is one bit of flow_counter_bulk_alloc, or 0") \
	Y(COUNTER_BASE, 0x0d00070e, BAD_PARAM_ERR, "flow counter: a query of many starts at a multiple of 4") \
	Y(COUNTER_RANGE, 0x0d00070f, IX_ERR, "flow counter: the query leaves the bulk") \
	Y(REFORMAT_TYPE, 0x0d000710, BAD_PARAM_ERR, "packet reformat: type is not offered") \
	Y(REFORMAT_SIZE, 0x0d000711, BAD_PARAM_ERR, "packet reformat: data size is not the type's, or above max_encap_header_size") \
	Y(REFORMAT_PARAM, 0x0d000712, BAD_PARAM_ERR, "packet reformat: parameter, or data that is no such header") \
	Y(MODHDR_COUNT, 0x0d000713, BAD_PARAM_ERR, "modify header: 0 actions or more than max_modify_header_actions") \
	Y(MODHDR_ACTION, 0x0d000714, BAD_PARAM_ERR, "modify header: unknown action type, or a reserved bit in an action") \
	Y(MODHDR_FIELD, 0x0d000715, BAD_PARAM_ERR, "modify header: unknown field") \
	Y(MODHDR_RANGE, 0x0d000716, BAD_PARAM_ERR, "modify header: offset and length leave the field, or data the length")

/* Flow table entries. */
#define MODEL_SYNDROMES_FTE(Y) \
	Y(FTE_INDEX, 0x0d000801, IX_ERR, "entry: flow index outside of the table") \
	Y(FTE_GROUP, 0x0d000802, BAD_PARAM_ERR, "entry: flow index outside of the named group") \
	Y(FTE_OCCUPIED, 0x0d000803, BAD_RES_STATE_ERR, "entry: the flow index is taken") \
	Y(FTE_VALUE, 0x003ad328, BAD_PARAM_ERR, "entry: the value has bits outside of the group's mask (real)") \
	Y(FTE_ACTION, 0x0d000804, BAD_PARAM_ERR, "entry: an action is not offered") \
	Y(FTE_TERMINAL, 0x0d000805, BAD_PARAM_ERR, "entry: exactly one of ALLOW, DROP and FWD_DEST") \
	Y(FTE_ALLOW_RX, 0x0d000806, BAD_PARAM_ERR, "entry: ALLOW is for NIC_TX only") \
	Y(FTE_DROP_MODHDR, 0x008708c3, BAD_PARAM_ERR, "entry: DROP together with MOD_HDR (real)") \
	Y(FTE_DROP_REFORMAT, 0x0d000807, BAD_PARAM_ERR, "entry: DROP together with a reformat") \
	Y(FTE_DESTS, 0x0d000808, BAD_PARAM_ERR, "entry: destinations without FWD_DEST, none with it, or too many") \
	Y(FTE_COUNTERS, 0x0d000809, BAD_PARAM_ERR, "entry: counters without COUNT, none with it, or too many") \
	Y(FTE_DEST_TYPE, 0x0d00080a, BAD_PARAM_ERR, "entry: destination type or flags are not offered here") \
	Y(FTE_DEST_TIR, 0x00f2ff71, BAD_RES_STATE_ERR, "entry: the destination TIR does not exist (real)") \
	Y(FTE_DEST_TABLE, 0x0d00080b, BAD_PARAM_ERR, "entry: the destination table is of another type") \
	Y(FTE_DEST_LEVEL, 0x0d00080c, BAD_PARAM_ERR, "entry: the destination's level is not above the table's, without ignore_flow_level") \
	Y(FTE_CRYPTO_DIR, 0x0d00080d, BAD_PARAM_ERR, "entry: ENCRYPT is for NIC_TX, DECRYPT for NIC_RX, never both") \
	Y(FTE_CRYPTO_TYPE, 0x0d00080e, BAD_PARAM_ERR, "entry: encrypt_decrypt_type must be IPSEC") \
	Y(FTE_CRYPTO_OBJ, 0x0d00080f, BAD_PARAM_ERR, "entry: a crypto object without a crypto action") \
	Y(FTE_REFORMAT_ID, 0x0d000810, BAD_PARAM_ERR, "entry: a reformat context without PACKET_REFORMAT") \
	Y(FTE_REFORMAT_DIR, 0x0d000811, BAD_PARAM_ERR, "entry: adding headers is for NIC_TX, removing them for NIC_RX") \
	Y(FTE_REFORMAT_CRYPTO, 0x0d000812, BAD_PARAM_ERR, "entry: an ESP reformat needs the crypto action of its direction, a tunnel has none") \
	Y(FTE_MODHDR_ID, 0x0d000813, BAD_PARAM_ERR, "entry: a modify header context without MOD_HDR") \
	Y(FTE_MODHDR_TYPE, 0x0d000814, BAD_PARAM_ERR, "entry: the modify header context is for the other direction") \
	Y(FTE_TAG, 0x0d000815, BAD_PARAM_ERR, "entry: flow_tag is for NIC_RX only") \
	Y(FTE_FEATURE, 0x0d000816, BAD_PARAM_ERR, "entry: VLAN, ASO, flow source, hairpin and extended destinations are not offered") \
	Y(FTE_MODIFY_MASK, 0x0d000817, BAD_PARAM_ERR, "entry: modify_enable_mask must be 0 to set and 1..0x1f to modify") \
	Y(FTE_MODIFY_MATCH, 0x0d000818, BAD_PARAM_ERR, "entry: group and match value cannot be modified") \
	Y(FTE_DECAP, 0x0d000819, BAD_PARAM_ERR, "entry: DECAP is for NIC_RX tables with decap_en, without another reformat or crypto") \
	Y(FTE_REFORMAT_TABLE, 0x0d00081a, BAD_PARAM_ERR, "entry: a tunnel's reformat needs a table with reformat_en (NIC_TX) or decap_en (NIC_RX)")

#define MODEL_SYNDROMES(Y) \
	MODEL_SYNDROMES_COMMAND(Y) \
	MODEL_SYNDROMES_NO(Y) \
	MODEL_SYNDROMES_USED(Y) \
	MODEL_SYNDROMES_LIMIT(Y) \
	MODEL_SYNDROMES_QUEUE(Y) \
	MODEL_SYNDROMES_GENERAL(Y) \
	MODEL_SYNDROMES_FLOW(Y) \
	MODEL_SYNDROMES_FTE(Y)

/* Vendor error syndromes of error CQEs: Y(name, number, meaning). All belong to the model. */
#define MODEL_VENDOR_SYNDROMES(Y) \
	Y(OPCODE, 0x01, "the model does not execute this opcode") \
	Y(DS, 0x02, "ds count 0, above the limit, more than was posted, or not that of this kind of WQE") \
	Y(INDEX, 0x03, "wqe_index is not the position in the queue") \
	Y(QPN, 0x04, "qpn is not this queue") \
	Y(TIS, 0x05, "no such TIS of this user and transport domain") \
	Y(INLINE_MIN, 0x06, "fewer inline header bytes than the queue requires") \
	Y(INLINE_LEN, 0x07, "inline bytes run out of the WQE, or flags in inline_hdr_sz") \
	Y(SEGMENT, 0x08, "a segment is empty or runs out of the WQE") \
	Y(LKEY, 0x09, "no such key, other PD, outside of its region, or no permission") \
	Y(SHORT, 0x0a, "frame shorter than an Ethernet header") \
	Y(LONG, 0x0b, "frame longer than any frame may be, or TSO payload above max_lso_cap") \
	Y(DOORBELL, 0x0c, "doorbell record runs more than a ring ahead") \
	Y(SCATTER, 0x0d, "receive WQE has too little room") \
	Y(FLUSH, 0x0e, "the queue was in error") \
	Y(LSO_MSS, 0x0f, "TSO with mss 0 or one that makes frames longer than any may be") \
	Y(LSO_HEADER, 0x10, "TSO whose inline header does not end with the header of TCP") \
	Y(TLS_TIS, 0x11, "a TLS WQE names a TIS without tls_en, or none") \
	Y(TLS_OPMOD, 0x12, "UMR or PSV whose opmod is not that of a TIS") \
	Y(TLS_UMR, 0x13, "UMR control or memory key segment is not that of TLS parameters") \
	Y(TLS_STATIC, 0x14, "static parameters: a constant, a version that is not offered, or a field that must be 0") \
	Y(TLS_DEK, 0x15, "dek_index names no written TLS key of this user and PD") \
	Y(TLS_PROGRESS, 0x16, "progress parameters of a TIS are not all 0") \
	Y(TLS_ANSWER, 0x17, "GET_PSV: a field that must be 0, or an answer buffer that is not 64-byte aligned") \
	Y(TLS_DUMP, 0x18, "DUMP: not exactly one data segment of 1 byte to the MTU") \
	Y(TLS_PACKET, 0x19, "a packet for a TLS context is not TCP, or longer than its IP packet")

#define MODEL_SYNDROME_ENUM(name, syndrome, status, meaning) MODEL_S_##name,
enum model_synd { MODEL_S_OK, MODEL_SYNDROMES(MODEL_SYNDROME_ENUM) MODEL_NSYNDROMES };

#endif
