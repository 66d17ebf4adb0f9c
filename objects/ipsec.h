/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * IPsec object, packet ("full") offload without extended sequence numbers: what encrypts or decrypts when a rule
 * names it. Source: PRM ipsec_obj with the embedded ipsec_aso.
 */
#ifndef OBJECTS_IPSEC_H
#define OBJECTS_IPSEC_H

#include "objects/dek.h"

enum obj_ipsec_dir { OBJ_IPSEC_RX, OBJ_IPSEC_TX };

struct obj_ipsec {
	struct obj obj;
};

struct obj_ipsec_attr {
	enum obj_ipsec_dir dir;
	const struct obj_dek *dek;
	const uint8_t *salt; /* 4 bytes, as they follow the key */
	const uint8_t
		*implicit_iv; /* 8 bytes that the device combines with the counter; NULL: zero */
	/* TX: number of the first packet; 0 = 1 (RFC 4303 3.3.3). */
	uint32_t first_sn;
};

/*
 * TX counts sequence numbers (ASO mode INC_SN). RX: no replay protection (mode 0); the verdict of the ASO is written
 * to reg_c_4 all the same (0 good).
 */
int obj_ipsec_create(struct mlxo_device *dev, const struct obj_ipsec_attr *attr,
		     struct obj_ipsec *ipsec);
int obj_ipsec_destroy(struct mlxo_device *dev, struct obj_ipsec *ipsec);

#endif
