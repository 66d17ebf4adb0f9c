/* SPDX-License-Identifier: BSD-2-Clause */
/* Commands of encryption keys, written field by field so that each can be varied. */
#ifndef MEASURE_KEYS_H
#define MEASURE_KEYS_H

#include "lab.h"

/*
 * The one key that is ever loaded. It protects nothing, and is known so that a test can look for it where it must not
 * be.
 */
enum { KEY_BYTES = 16 };
extern const uint8_t measure_key[2 * KEY_BYTES];

struct bulk {
	struct prov_obj *obj;
	uint32_t id;
	uint8_t purpose, log;
};

/* Empty keys, 2^log of them, one object on the pile. */
struct reply keys_bulk(struct lab *lab, uint8_t purpose, uint8_t log, struct bulk *bulk);
/* One key, created with its bytes. `body`: bytes of the object behind the header. */
struct reply keys_single(struct lab *lab, uint8_t purpose, size_t body, struct bulk *key);
/* Load the key of `bytes` (16, 32) at obj_id, obj_offset. */
struct reply keys_load(struct lab *lab, const struct bulk *bulk, uint32_t id, uint32_t offset,
		       size_t bytes);
struct reply keys_sync(struct lab *lab, uint16_t crypto_type);

#endif
