/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A firmware object, and the one place that executes commands.
 *
 *	NONE ──create ok──▶ LIVE ──destroy ok──▶ NONE
 *	  └─create: no answer─▶ LOST ◀─destroy: no answer, or refused because a lost child may use it─┘
 *
 * What the three outcomes of a command mean:
 *   refused (status in the answer)	nothing happened. Create: NONE. Destroy: still LIVE, try again later.
 *   no answer (-ETIMEDOUT), or an answer whose status is unknown (-EPROTO): it may have happened. Create: LOST and in
 *					the quarantine list (id 0 unless the caller chose the id). Modify: stays LIVE, listed
 *					until it is destroyed. Destroy: LOST and listed with its id.
 *   device dead (-EIO)			everything on it is void. Create: NONE. Destroy: NONE.
 * Destroying NONE or LOST does nothing and returns 0, so that unwinding needs no cases.
 *
 * Every created object reserves its place in the quarantine list, so that listing it later cannot fail.
 * Locks: the list has its own (device.h); one object is used by one thread at a time, or under its service's lock.
 */
#ifndef OBJECTS_OBJECT_H
#define OBJECTS_OBJECT_H

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "prm/prm.h"
#include "providers/provider.h"

struct mlxo_device;

/* O(kind, word for people). The last three are made by the provider, not by commands of ours. */
#define OBJ_KINDS(O) \
	O(PD, "PD") \
	O(TD, "transport domain") \
	O(CQ, "CQ") \
	O(SQ, "SQ") \
	O(RQ, "RQ") \
	O(TIS, "TIS") \
	O(TIR, "TIR") \
	O(DEK, "encryption key") \
	O(IPSEC, "IPsec object") \
	O(COUNTER, "flow counter") \
	O(REFORMAT, "packet reformat context") \
	O(MODHDR, "modify header context") \
	O(TABLE, "flow table") \
	O(GROUP, "flow group") \
	O(RULE, "flow table entry") \
	O(ATTACHMENT, "rule of the root") \
	O(ANCHOR, "steering anchor") \
	O(UMEM, "umem") \
	O(MKEY, "memory key")

#define OBJ_KIND_ENUM(kind, word) OBJ_##kind,
enum obj_kind { OBJ_KINDS(OBJ_KIND_ENUM) OBJ_NKINDS };

enum obj_state {
	OBJ_NONE = 0, /* zeroed memory is a valid object */
	OBJ_LIVE,
	OBJ_LOST, /* in quarantine: may or may not exist, never used again */
};

struct obj {
	struct prov_obj *prov; /* handle while LIVE */
	uint32_t id;	       /* the device's number */
	enum obj_kind kind;
	enum obj_state state;
	uint32_t
		doubt; /* LIVE, but a modify got no answer: number of its quarantine entry; else 0 */
};

static inline bool obj_is_live(const struct obj *o)
{
	return o->state == OBJ_LIVE;
}

/* Was the device's state left unknown by this return value? */
static inline bool obj_is_unknown(int err)
{
	return err == -ETIMEDOUT || err == -EPROTO;
}

const char *obj_kind_name(enum obj_kind kind);

/*
 * Create o (zeroed or NONE) with the command `in`. Takes the id from the answer at bit id_off, id_width bits wide; with
 * id_width 0 the caller chose it: `id`. Buffers that carry keys are wiped. 0 or -errno with the sentence set.
 */
struct obj_create {
	enum obj_kind kind;
	void *in;
	size_t inlen;
	void *out;
	size_t outlen;
	unsigned int id_off, id_width;
	uint32_t id;
};
int obj_create(struct mlxo_device *dev, const struct obj_create *c, struct obj *o);

/* in.opcode decides; o must be LIVE. */
int obj_modify(struct mlxo_device *dev, struct obj *o, void *in, size_t inlen, void *out,
	       size_t outlen);
int obj_query(struct mlxo_device *dev, const struct obj *o, void *in, size_t inlen, void *out,
	      size_t outlen);
int obj_destroy(struct mlxo_device *dev, struct obj *o);
/* For ends that nobody repeats: when it is refused, or could not be sent, it is tried once more. */
int obj_destroy_twice(struct mlxo_device *dev, struct obj *o);
/* A command without an object. */
int obj_general(struct mlxo_device *dev, void *in, size_t inlen, void *out, size_t outlen);

/* obj_create with arrays `in` and `out`, the id in `field` of the answer's layout. */
#define OBJ_CREATE(kind_, in_, out_, layout, field) \
	(&(struct obj_create){.kind = (kind_), \
			      .in = (in_), \
			      .inlen = sizeof(in_), \
			      .out = (out_), \
			      .outlen = sizeof(out_), \
			      .id_off = PRM_OFFSET(layout, field), \
			      .id_width = PRM_WIDTH(layout, field)})

#endif
