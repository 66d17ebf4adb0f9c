/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What the firmware's handlers share: the command in hand, look-up with owner check, creation with limit check.
 *
 * A handler is called with length, reserved bits and operation modifier already checked and dev->objs held for
 * writing. It checks everything first, then changes the device: a refusal leaves no trace. It returns the row of
 * syndromes.h that says why, or MODEL_S_OK.
 */
#ifndef PROVIDERS_MODEL_FW_H
#define PROVIDERS_MODEL_FW_H

#include <assert.h>

#include "model.h"
#include "syndromes.h"

enum {
	MODEL_EQN = 3, /* the one completion EQ there is */
	MODEL_LOG_MAX_RQT = 10,
	MODEL_LOG_FTE_DESTS = 4, /* destinations of one entry */
	MODEL_LOG_FTE_COUNTERS = 2,
};

struct model_cmd {
	struct model_dev *dev;
	uint16_t uid; /* whose command; 0: the function's owner, who may name every object */
	const uint8_t *in;
	size_t inlen;
	uint8_t *out; /* zeroed; at least the answer's fixed part */
	size_t outlen;
	uint64_t started;    /* ns: when the firmware began with it */
	enum model_synd why; /* set by the helpers below when they return NULL */
};

#define MODEL_DECLARE(name, value, in, out, object) \
	enum model_synd model_do_##name(struct model_cmd *c);
PRM_OPCODES(MODEL_DECLARE)

/* The object of that number, checked for its owner. NULL: why is set. */
void *model_cmd_find(struct model_cmd *c, enum model_type type, uint32_t id);
/* A new object of the command's uid. NULL: why is set. */
void *model_cmd_new(struct model_cmd *c, enum model_type type, size_t size, uint32_t count);
/* Destroy the object whose (base) number is id. */
enum model_synd model_cmd_destroy(struct model_cmd *c, enum model_type type, uint32_t id);
/* MODEL_S_OK or USED_: may this object go now? */
enum model_synd model_cmd_unused(const struct model_obj *o);

enum { MODEL_RING_ALIGN = 64, MODEL_DBR_BYTES = 8 };
/* fw_cq.c: host address of `bytes` at a umem's offset. NULL: why is set, to `bad` if it does not fit. */
uint8_t *model_cmd_umem(struct model_cmd *c, bool valid, uint32_t id, uint64_t offset,
			uint64_t bytes, unsigned int align, enum model_synd bad,
			struct model_umem **umem);

/* fw_flow.c: table by type and number; the table of a command whose vport, type and number are at the usual places. */
struct model_ft *model_cmd_ft(struct model_cmd *c, uint8_t type, uint32_t id);
struct model_ft *model_cmd_named_ft(struct model_cmd *c);

/* fw_flow.c, fw_fte.c, for object.c: take it out of its table; the entry also lets go what it uses. */
void model_fg_unlink(struct model_fg *fg);
void model_fte_unlink(struct model_fte *fte);

/* fw_tir.c, for object.c: let go the queues of a table. */
void model_rqt_unlink(struct model_rqt *rqt);

/* fw_flow.c: set the bits of struct flow_table_fields_supported for what can be matched. */
void model_field_support(uint8_t *fields);

/* Status, syndrome and meaning of a refusal. */
struct model_refusal model_refusal(enum model_synd s);

static inline bool model_is_zero(const uint8_t *b, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (b[i])
			return false;
	return true;
}

/* NO_, USED_ and LIMIT_ rows follow the order of MODEL_TYPES. */
#define MODEL_ORDER(t, word) \
	static_assert(MODEL_S_NO_##t - MODEL_S_NO_UAR == MODEL_##t, "order of NO_ rows"); \
	static_assert(MODEL_S_USED_##t - MODEL_S_USED_UAR == MODEL_##t, "order of USED_ rows"); \
	static_assert(MODEL_S_LIMIT_##t - MODEL_S_LIMIT_UAR == MODEL_##t, "order of LIMIT_ rows");
MODEL_TYPES(MODEL_ORDER)

#endif
