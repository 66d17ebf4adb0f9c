// SPDX-License-Identifier: BSD-2-Clause
/*
 * The firmware processor: one command at a time, checked like the card does, then handed to its handler.
 *
 *   model_fw_begin   a place in the serial processor: service time, faults
 *   model_fw_run     dead? -> opcode -> in length -> out length -> owner only? -> reserved bits -> op_mod -> handler
 *
 * The table has a row per opcode of prm/opcodes.h: FW_<name> says what the check needs to know, model_do_<name> is
 * the handler. An opcode without either does not build. Which bits are reserved comes from the layout lists.
 *
 * Time: each command has a service time, always counted (fw_busy_ns). With time=zero a command is done at once; with
 * time=real and time=virtual it is done when the processor has done all before it, and its own time has passed by the
 * device's clock (vtime.c). Nobody waits with dev->objs held.
 *
 * Locks: fw, then objs for writing.
 */
#include "control.h"
#include "fw.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* clang-format off */
/* Users: ANY or the function's OWNER. Op_mods that exist (0: the handler looks). List behind the fixed part: unit in bytes, 0 none, BODY: by object type. */
#define BODY 0xff
#define FW_QUERY_HCA_CAP ANY, 0, 0
#define FW_NOP ANY, 1, 0
#define FW_CREATE_MKEY ANY, 1, 0
#define FW_DESTROY_MKEY ANY, 1, 0
#define FW_CREATE_CQ ANY, 1, 0
#define FW_DESTROY_CQ ANY, 1, 0
#define FW_ALLOC_PD ANY, 1, 0
#define FW_DEALLOC_PD ANY, 1, 0
#define FW_ALLOC_UAR ANY, 1, 0
#define FW_DEALLOC_UAR ANY, 1, 0
#define FW_ALLOC_TRANSPORT_DOMAIN ANY, 1, 0
#define FW_DEALLOC_TRANSPORT_DOMAIN ANY, 1, 0
#define FW_CREATE_TIR ANY, 1, 0
#define FW_MODIFY_TIR ANY, 1, 0
#define FW_QUERY_TIR ANY, 1, 0
#define FW_DESTROY_TIR ANY, 1, 0
#define FW_CREATE_SQ ANY, 1, 0
#define FW_MODIFY_SQ ANY, 1, 0
#define FW_DESTROY_SQ ANY, 1, 0
#define FW_QUERY_SQ ANY, 1, 0
#define FW_CREATE_RQ ANY, 1, 0
#define FW_MODIFY_RQ ANY, 1, 0
#define FW_DESTROY_RQ ANY, 1, 0
#define FW_QUERY_RQ ANY, 1, 0
#define FW_CREATE_TIS ANY, 1, 0
#define FW_DESTROY_TIS ANY, 1, 0
#define FW_MODIFY_TIS ANY, 1, 0
#define FW_QUERY_TIS ANY, 1, 0
#define FW_CREATE_RQT ANY, 1, 4
#define FW_MODIFY_RQT ANY, 1, 4
#define FW_DESTROY_RQT ANY, 1, 0
#define FW_QUERY_RQT ANY, 1, 0
#define FW_SET_FLOW_TABLE_ROOT OWNER, 2, 0
#define FW_CREATE_FLOW_TABLE ANY, 1, 0
#define FW_DESTROY_FLOW_TABLE ANY, 1, 0
#define FW_QUERY_FLOW_TABLE ANY, 1, 0
#define FW_MODIFY_FLOW_TABLE ANY, 1, 0
#define FW_CREATE_FLOW_GROUP ANY, 1, 0
#define FW_DESTROY_FLOW_GROUP ANY, 1, 0
#define FW_QUERY_FLOW_GROUP ANY, 1, 0
#define FW_SET_FLOW_TABLE_ENTRY ANY, 2, 8
#define FW_QUERY_FLOW_TABLE_ENTRY ANY, 1, 0
#define FW_DELETE_FLOW_TABLE_ENTRY ANY, 1, 0
#define FW_ALLOC_FLOW_COUNTER ANY, 1, 0
#define FW_DEALLOC_FLOW_COUNTER ANY, 1, 0
#define FW_QUERY_FLOW_COUNTER ANY, 1, 0
#define FW_ALLOC_PACKET_REFORMAT_CONTEXT ANY, 1, 4
#define FW_DEALLOC_PACKET_REFORMAT_CONTEXT ANY, 1, 0
#define FW_ALLOC_MODIFY_HEADER_CONTEXT ANY, 1, 8
#define FW_DEALLOC_MODIFY_HEADER_CONTEXT ANY, 1, 0
#define FW_CREATE_GENERAL_OBJECT ANY, 0, BODY
#define FW_MODIFY_GENERAL_OBJECT ANY, 0, BODY
#define FW_QUERY_GENERAL_OBJECT ANY, 0, 0
#define FW_DESTROY_GENERAL_OBJECT ANY, 0, 0
#define FW_SYNC_CRYPTO ANY, 1, 0
#define FW_QUERY_CQ ANY, 1, 0
#define FW_MODIFY_CQ ANY, 1, 0
#define FW_ALLOC_Q_COUNTER ANY, 1, 0
#define FW_DEALLOC_Q_COUNTER ANY, 1, 0
#define FW_QUERY_Q_COUNTER ANY, 1, 0
#define FW_QUERY_VPORT_STATE ANY, 1, 0
#define FW_QUERY_NIC_VPORT_CONTEXT ANY, 1, 0
#define FW_QUERY_VPORT_COUNTER ANY, 1, 0
#define FW_ACCESS_REG OWNER, 2, 4
#define FW_QUERY_SPECIAL_CONTEXTS OWNER, 1, 0
#define FW_QUERY_ISSI ANY, 1, 0
#define FW_SET_ISSI OWNER, 1, 0
#define FW_QUERY_ADAPTER ANY, 1, 0
#define FW_QUERY_PAGES OWNER, 0, 0
#define FW_MANAGE_PAGES OWNER, 0, 8
/* clang-format on */

enum user { ANY, OWNER };

struct row {
	uint16_t opcode;
	enum model_synd (*handler)(struct model_cmd *c);
	size_t in, out; /* fixed parts, bytes */
	enum user user;
	uint16_t op_mods;
	uint8_t list;
};

#define ROW(name, value, in, out, object) \
	{value, model_do_##name, PRM_BYTES(in), PRM_BYTES(out), FW_##name},
static const struct row rows[] = {PRM_OPCODES(ROW)};

enum { NROWS = sizeof(rows) / sizeof(rows[0]), MAX_FIXED = 1024 };

/* Bits of the fixed part that some field covers, by row; made once. */
static uint8_t masks[NROWS][MAX_FIXED];
static uint8_t row_of[0x1000]; /* by opcode, index + 1 */

/* The same for whole commands with a body: CREATE and MODIFY of each kind of general object. */
enum { NBODIES = 4 };
static struct {
	uint16_t opcode, type;
	uint8_t mask[MAX_FIXED];
} bodies[NBODIES] = {
	{PRM_CMD_OP_CREATE_GENERAL_OBJECT, PRM_GENERAL_OBJECT_TYPES_ENCRYPTION_KEY, {0}},
	{PRM_CMD_OP_MODIFY_GENERAL_OBJECT, PRM_GENERAL_OBJECT_TYPES_ENCRYPTION_KEY, {0}},
	{PRM_CMD_OP_CREATE_GENERAL_OBJECT, PRM_GENERAL_OBJECT_TYPES_IPSEC, {0}},
	{PRM_CMD_OP_MODIFY_GENERAL_OBJECT, PRM_GENERAL_OBJECT_TYPES_IPSEC, {0}},
};
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void make_masks(void)
{
	uint8_t in[MAX_FIXED] = {0};

	for (unsigned int i = 0; i < NROWS; i++) {
		row_of[rows[i].opcode & 0xfff] = (uint8_t)(i + 1);
		prm_put(in, 0, 16, rows[i].opcode);
		prm_in_mask(in, rows[i].in, masks[i]);
	}
	for (unsigned int i = 0; i < NBODIES; i++) {
		PRM_SET(general_obj_in_cmd_hdr, in, opcode, bodies[i].opcode);
		PRM_SET(general_obj_in_cmd_hdr, in, obj_type, bodies[i].type);
		prm_in_mask(in, sizeof(in), bodies[i].mask);
	}
}

/* NULL: a kind that is not offered; its header is checked, its body is not looked at. */
static const uint8_t *body_mask(const uint8_t *in)
{
	for (unsigned int i = 0; i < NBODIES; i++)
		if (bodies[i].opcode == prm_in_opcode(in) &&
		    bodies[i].type == PRM_GET(general_obj_in_cmd_hdr, in, obj_type))
			return bodies[i].mask;
	return NULL;
}

static const struct row *find_row(uint16_t opcode)
{
	unsigned int i = opcode < 0x1000 ? row_of[opcode] : 0;

	return i ? &rows[i - 1] : NULL;
}

static bool in_length_ok(const struct row *r, const void *in, size_t len)
{
	if (len < r->in)
		return false;
	/* a kind that is not offered is refused by the handler, whatever its length */
	if (r->list == BODY) {
		const struct prm_layout *body =
			prm_general_object((uint16_t)PRM_GET(general_obj_in_cmd_hdr, in, obj_type));

		return !body || len == r->in + body->bits / 8;
	}
	return r->list ? (len - r->in) % r->list == 0 : len == r->in;
}

/* Lists are looked at by their handlers: what an entry may hold depends on its type. */
static bool reserved_ok(const struct row *r, const uint8_t *in, size_t len)
{
	const uint8_t *mask = masks[r - rows];
	size_t n = r->in;

	if (r->list == BODY && body_mask(in)) {
		mask = body_mask(in);
		n = len;
	}
	for (size_t i = 0; i < n; i++)
		if (in[i] & ~mask[i])
			return false;
	return true;
}

static enum model_synd check(struct model_cmd *c, const struct row **row)
{
	const struct row *r;

	if (c->inlen < PRM_BYTES(cmd_in))
		return MODEL_S_IN_LENGTH;
	*row = r = find_row(prm_in_opcode(c->in));
	if (!r)
		return MODEL_S_UNKNOWN_OPCODE;
	if (!in_length_ok(r, c->in, c->inlen))
		return MODEL_S_IN_LENGTH;
	if (c->outlen < r->out)
		return MODEL_S_OUT_LENGTH;
	if (r->user == OWNER && c->uid)
		return MODEL_S_KERNEL_ONLY;
	if (!reserved_ok(r, c->in, c->inlen))
		return MODEL_S_RESERVED;
	if (r->op_mods && prm_in_op_mod(c->in) >= r->op_mods)
		return MODEL_S_OP_MOD;
	return MODEL_S_OK;
}

#define REFUSAL(name, syndrome, status, meaning) {PRM_CMD_STAT_##status, syndrome, meaning},
static const struct model_refusal refusals[] = {{0, 0, "done"}, MODEL_SYNDROMES(REFUSAL)};

struct model_refusal model_refusal(enum model_synd s)
{
	return refusals[s];
}

const char *model_refusal_why(uint8_t status, uint32_t syndrome)
{
	for (size_t i = 1; i < sizeof(refusals) / sizeof(*refusals); i++)
		if (refusals[i].status == status && refusals[i].syndrome == syndrome)
			return refusals[i].why;
	return NULL;
}

static void answer(void *out, size_t outlen, uint8_t status, uint32_t syndrome)
{
	uint8_t head[PRM_BYTES(cmd_out)] = {0};

	PRM_SET(cmd_out, head, status, status);
	PRM_SET(cmd_out, head, syndrome, syndrome);
	memcpy(out, head, outlen < 8 ? outlen : 8);
}

static void execute(struct model_cmd *c)
{
	const struct row *row = NULL;
	enum model_synd s;

	memset(c->out, 0, c->outlen);
	s = check(c, &row);
	if (s == MODEL_S_OK) {
		pthread_rwlock_wrlock(&c->dev->objs);
		s = row->handler(c);
		pthread_rwlock_unlock(&c->dev->objs);
	}
	if (s != MODEL_S_OK) {
		memset(c->out, 0, c->outlen);
		c->dev->refused++;
	}
	answer(c->out, c->outlen, refusals[s].status, refusals[s].syndrome);
}

void model_fw_begin(struct model_dev *dev, const void *in, size_t inlen, struct model_ticket *t)
{
	uint16_t opcode = inlen >= 2 ? prm_in_opcode(in) : 0;
	uint64_t ns = dev->service_ns[opcode & 0xfff], now = model_now(dev);
	struct model_fault hit = {.kind = MODEL_FAULT_NONE};

	pthread_mutex_lock(&dev->fw);
	dev->commands++;
	dev->by_opcode[opcode & 0xfff]++;
	dev->fw_busy_ns += ns;
	*t = (struct model_ticket){.start = dev->fw_free_at > now ? dev->fw_free_at : now};
	if (model_fault_match(dev, opcode, &hit) && hit.kind == MODEL_FAULT_DELAY)
		dev->fw_free_at = t->start + hit.ns;
	t->fault = hit.kind;
	t->status = hit.status;
	t->syndrome = hit.syndrome;
	if (dev->time != MODEL_TIME_ZERO) {
		t->start = dev->fw_free_at > now ? dev->fw_free_at : now;
		t->done = dev->fw_free_at = t->start + ns;
	} else if (dev->fw_free_at > now) {
		t->done = dev->fw_free_at;
	}
	pthread_mutex_unlock(&dev->fw);
}

int model_fw_run(struct model_dev *dev, const struct model_ticket *t, uint16_t uid, const void *in,
		 size_t inlen, void *out, size_t outlen)
{
	struct model_cmd c = {.dev = dev, .in = in, .inlen = inlen, .out = out, .outlen = outlen};
	int err = 0;

	pthread_once(&once, make_masks);
	c.uid = uid || inlen < 4 ? uid : prm_in_uid(in);
	c.started = t->start;
	pthread_mutex_lock(&dev->fw);
	if (t->fault == MODEL_FAULT_FATAL)
		atomic_store(&dev->dead, true);
	if (atomic_load(&dev->dead))
		err = -EIO;
	else if (t->fault == MODEL_FAULT_TIMEOUT)
		err = -ETIMEDOUT;
	else if (t->fault == MODEL_FAULT_STATUS) {
		memset(out, 0, outlen);
		answer(out, outlen, t->status, t->syndrome);
		dev->refused++;
	} else {
		execute(&c);
		if (t->fault == MODEL_FAULT_LOST)
			err = -ETIMEDOUT;
		else if (t->fault == MODEL_FAULT_CORRUPT && outlen)
			prm_put(out, PRM_OFFSET(cmd_out, status), 8, 0xee);
	}
	pthread_mutex_unlock(&dev->fw);
	if (err)
		memset(out, 0, outlen);
	return err;
}

int model_fw_exec(struct model_dev *dev, uint16_t uid, const void *in, size_t inlen, void *out,
		  size_t outlen)
{
	struct model_ticket t;

	model_fw_begin(dev, in, inlen, &t);
	if (t.done)
		model_now_wait(dev, t.done);
	return model_fw_run(dev, &t, uid, in, inlen, out, outlen);
}

/* -- what handlers share -------------------------------------------------------------------------------- */

void *model_cmd_find(struct model_cmd *c, enum model_type type, uint32_t id)
{
	struct model_obj *o = model_obj_find(c->dev, type, id);

	c->why = MODEL_S_OK;
	if (!o)
		c->why = MODEL_S_NO_UAR + type;
	else if (c->uid && o->uid != c->uid && o->uid != PRM_SHARED_RESOURCE_UID)
		c->why = MODEL_S_FOREIGN_UID;
	return c->why == MODEL_S_OK ? o : NULL;
}

void *model_cmd_new(struct model_cmd *c, enum model_type type, size_t size, uint32_t count)
{
	bool limit;
	void *o = model_obj_new(c->dev, type, c->uid, size, count, &limit);

	if (!o)
		c->why = limit ? MODEL_S_LIMIT_UAR + type : MODEL_S_NO_MEMORY;
	return o;
}

enum model_synd model_cmd_unused(const struct model_obj *o)
{
#ifndef MLXO_BITE_SKIP_REFCHECK
	if (o->users)
		return MODEL_S_USED_UAR + o->type;
#endif
	return MODEL_S_OK;
}

enum model_synd model_cmd_destroy(struct model_cmd *c, enum model_type type, uint32_t id)
{
	struct model_obj *o = model_cmd_find(c, type, id);
	enum model_synd s;

	if (!o)
		return c->why;
	if (o->id != id)
		return MODEL_S_NO_UAR + type;
	s = model_cmd_unused(o);
	if (s == MODEL_S_OK)
		model_obj_free(c->dev, o);
	return s;
}

/* -- the device ------------------------------------------------------------------------------------------ */

/* Locally administered; no two models of a process have the same. */
static void take_mac(uint8_t mac[6])
{
	static _Atomic uint32_t taken;
	uint32_t n = 1 + atomic_fetch_add(&taken, 1);

	mac[0] = 0x02;
	mac[1] = 0xc5;
	prm_put(mac, 16, 32, n);
}

int model_dev_init(struct model_dev *dev, const struct model_profile *profile)
{
	memset(dev, 0, sizeof(*dev));
	dev->profile = *profile;
	dev->next_uid = 1;
	take_mac(dev->mac);
	dev->speed = MODEL_SPEED;
	for (unsigned int op = 0; op < 0x1000; op++)
		dev->service_ns[op] = model_service_ns((uint16_t)op);
	if (pthread_mutex_init(&dev->fw, NULL))
		return -ENOMEM;
	if (pthread_rwlock_init(&dev->objs, NULL)) {
		pthread_mutex_destroy(&dev->fw);
		return -ENOMEM;
	}
	pthread_mutex_init(&dev->wire, NULL);
	pthread_mutex_init(&dev->late_lock, NULL);
	pthread_once(&once, make_masks);
	return 0;
}

/* Users of a type come before what they use. */
static const enum model_type close_order[] = {
	MODEL_FTE, MODEL_FG,   MODEL_FT,   MODEL_MODHDR, MODEL_REFORMAT, MODEL_COUNTER, MODEL_IPSEC,
	MODEL_DEK, MODEL_TIR,  MODEL_RQT,  MODEL_RQ,	 MODEL_QCOUNTER, MODEL_SQ,	MODEL_TIS,
	MODEL_CQ,  MODEL_MKEY, MODEL_UMEM, MODEL_UAR,	 MODEL_TD,	 MODEL_PD};
static_assert(sizeof(close_order) / sizeof(close_order[0]) == MODEL_NTYPES, "a type is missing");

static void clear_table(struct model_dev *dev, struct model_ft *ft)
{
	for (uint32_t i = 0; i < ft->nftes_cap && ft->nftes; i++)
		if (ft->ftes[i])
			model_obj_free(dev, &ft->ftes[i]->o);
}

/* One pass over the objects of a type. all: of every user, used or not. Returns how many went. */
static uint32_t close_pass(struct model_dev *dev, enum model_type type, uint16_t uid, bool all)
{
	enum model_type in_hash = type == MODEL_FTE ? MODEL_FT : type;
	uint32_t gone = 0;

	for (uint32_t b = 0; b < dev->nhash; b++)
		for (struct model_obj *o = dev->hash[b], *next; o; o = next) {
			next = o->next;
			if (o->type != in_hash || (!all && o->uid != uid))
				continue;
			if (type == MODEL_FTE) {
				clear_table(dev, (struct model_ft *)o);
			} else if (all || o->users == 0) {
				model_obj_free(dev, o);
				gone++;
			}
		}
	return gone;
}

/* Tables may lead to each other by their misses: pass after pass. */
static void close_objects(struct model_dev *dev, uint16_t uid, bool all)
{
	for (unsigned int i = 0; i < MODEL_NTYPES; i++)
		while (dev->live[close_order[i]] && close_pass(dev, close_order[i], uid, all) &&
		       close_order[i] == MODEL_FT)
			;
}

void model_fw_close_uid(struct model_dev *dev, uint16_t uid)
{
	pthread_mutex_lock(&dev->fw);
	pthread_rwlock_wrlock(&dev->objs);
	close_objects(dev, uid, false);
	pthread_rwlock_unlock(&dev->objs);
	pthread_mutex_unlock(&dev->fw);
}

void model_dev_reset(struct model_dev *dev)
{
	pthread_mutex_lock(&dev->fw);
	pthread_rwlock_wrlock(&dev->objs);
	for (int dir = 0; dir < 2; dir++) {
		if (dev->root[dir])
			model_obj_unuse(&dev->root[dir]->o);
		dev->root[dir] = NULL;
	}
	close_objects(dev, 0, true);
	atomic_fetch_add(&dev->generation, 1);
	dev->fw_free_at = 0;
	model_wire_clear(dev);
	atomic_store(&dev->dead, false);
	pthread_rwlock_unlock(&dev->objs);
	pthread_mutex_unlock(&dev->fw);
}

void model_dev_fini(struct model_dev *dev)
{
	model_dev_reset(dev);
	free(dev->hash);
	model_late_free(dev);
	pthread_mutex_destroy(&dev->late_lock);
	pthread_mutex_destroy(&dev->wire);
	pthread_rwlock_destroy(&dev->objs);
	pthread_mutex_destroy(&dev->fw);
}

void model_dev_census(struct model_dev *dev, struct model_census *census)
{
	pthread_rwlock_rdlock(&dev->objs);
	for (unsigned int t = 0; t < MODEL_NTYPES; t++) {
		census->kernel[t] = dev->live_kernel[t];
		census->count[t] = dev->live[t] - dev->live_kernel[t];
	}
	pthread_rwlock_unlock(&dev->objs);
}
