// SPDX-License-Identifier: BSD-2-Clause
/* Questions that QUERY_HCA_CAP answers. */
#include "lab.h"

#include <stdio.h>

/*
 * Bits of device_event_cap, capability group DEVICE_EVENT: one per event number, in four words of 64 bits, bit 0 of a word
 * the least significant one.
 */
enum { GROUP_DEVICE_EVENT = 0x14, EVENT_WORD_BITS = 64 };

static unsigned int value(struct lab *lab, enum obj_cap cap)
{
	return (unsigned int)obj_cap(lab->dev, cap);
}

static void say_cap(struct lab *lab, struct answer *a, enum obj_cap cap)
{
	answer_say(a, "%s %u", lab->dev->caps[cap].name, value(lab, cap));
}

static void keys(struct lab *lab, struct answer *a)
{
	unsigned int bulk = value(lab, OBJ_CAP_log_dek_max_alloc);
	bool sync = value(lab, OBJ_CAP_synchronize_dek);

	if (!lab_has(lab, a, OBJ_CAP_encryption_key_object))
		return;
	say_cap(lab, a, OBJ_CAP_synchronize_dek);
	say_cap(lab, a, OBJ_CAP_log_dek_max_alloc);
	say_cap(lab, a, OBJ_CAP_log_max_num_deks);
	say_cap(lab, a, OBJ_CAP_log_max_dek);
	answer_say(a, "%s",
		   bulk && !sync ? "bulks without SYNC_CRYPTO: not expected"
		   : bulk	 ? "bulks that can be used again"
				 : "no bulks");
}

static void tls(struct lab *lab, struct answer *a)
{
	if (!lab_has(lab, a, OBJ_CAP_tls_tx))
		return;
	for (int cap = OBJ_CAP_tls_1_2_aes_gcm_128; cap <= OBJ_CAP_tls_1_3_aes_gcm_256; cap++)
		say_cap(lab, a, (enum obj_cap)cap);
	say_cap(lab, a, OBJ_CAP_log_max_tis);
	say_cap(lab, a, OBJ_CAP_wqe_inline_mode);
}

static void ipsec(struct lab *lab, struct answer *a)
{
	if (!lab_has(lab, a, OBJ_CAP_ipsec_offload))
		return;
	say_cap(lab, a, OBJ_CAP_ipsec_full_offload);
	say_cap(lab, a, OBJ_CAP_log_max_ipsec_offload);
	say_cap(lab, a, OBJ_CAP_rx_ipsec_decrypt);
	say_cap(lab, a, OBJ_CAP_tx_ipsec_encrypt);
	say_cap(lab, a, OBJ_CAP_rx_flow_modify_en);
	say_cap(lab, a, OBJ_CAP_tx_flow_modify_en);
}

static void object_change(struct lab *lab, struct answer *a)
{
	uint8_t in[PRM_BYTES(query_hca_cap_in)] = {0}, out[PRM_BYTES(query_hca_cap_out)] = {0};
	const uint8_t *cap = PRM_AT(query_hca_cap_out, out, capability);
	unsigned int event = PRM_EVENT_TYPE_OBJECT_CHANGE,
		     bit = event / EVENT_WORD_BITS * EVENT_WORD_BITS + EVENT_WORD_BITS - 1 -
			   event % EVENT_WORD_BITS;
	struct reply r;

	PRM_SET(query_hca_cap_in, in, opcode, PRM_CMD_OP_QUERY_HCA_CAP);
	PRM_SET(query_hca_cap_in, in, op_mod, GROUP_DEVICE_EVENT << 1 | PRM_CAP_MODE_CURRENT);
	r = lab_command(lab, PROV_CMD_GENERAL, NULL, in, sizeof(in), out, sizeof(out));
	if (lab_accepted(r))
		answer_say(a, "OBJECT_CHANGE (0x%x) is %s", event,
			   prm_get(cap, bit, 1) ? "among them" : "not among them");
	else
		lab_say(a, r, "the capability group of events (0x14)");
}

const struct question questions_caps[] = {
	{"cap-keys", "What does the device say of keys: bulks, SYNC_CRYPTO, how many?", keys},
	{"cap-tls", "Which versions and key sizes of TLS does the device say it can send?", tls},
	{"cap-ipsec", "What does the device say of IPsec packet offload?", ipsec},
	{"cap-object-change", "Is OBJECT_CHANGE among the events that a program may subscribe to?",
	 object_change},
	{0},
};
