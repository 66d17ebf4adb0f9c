// SPDX-License-Identifier: BSD-2-Clause
/*
 * The root of the NIC, which belongs to the function's owner (uid 0): one table per direction at level 0, and a rule
 * in it for every attachment, each in a group of its own. Flow index = priority * MODEL_ROOT_PLACES + place, so that a lower
 * priority number is asked first. What no rule takes: RX dropped (there is no kernel to take it), TX to the wire.
 * A steering anchor is a table that leads back into the root, to the rules of its priority and later ones.
 *
 * Locks: the device's for places and list, never with firmware in hand.
 */
#include "device.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { PRIORITIES = 16, PLACES = MODEL_ROOT_PLACES, WORD = 64, LIST_ENTRY = 8 };

struct prov_attachment {
	struct prov_attachment *next;
	uint32_t generation;
	uint8_t dir;
	uint32_t index, group;
	bool in_doubt; /* the rule's delete was sent, and its answer told nothing */
};

/* Execute as the owner. 0, -EREMOTEIO, -EPROTO, -ETIMEDOUT, -EIO. */
static int run(struct prov_device *dev, void *in, size_t inlen, uint8_t out[16])
{
	int err = model_fw_exec(&dev->m, 0, in, inlen, out, 16);

	return err ? err : model_answer(out);
}

static int root_create(struct prov_device *dev, uint8_t type)
{
	uint8_t in[PRM_BYTES(create_flow_table_in)] = {0}, out[16];
	uint8_t *ctx = PRM_AT(create_flow_table_in, in, flow_table_context);
	uint8_t set[PRM_BYTES(set_flow_table_root_in)] = {0};
	int err;

	PRM_SET(create_flow_table_in, in, opcode, PRM_CMD_OP_CREATE_FLOW_TABLE);
	PRM_SET(create_flow_table_in, in, table_type, type);
	PRM_SET(flow_table_context, ctx, log_size, MODEL_ROOT_LOG_SIZE);
	PRM_SET(flow_table_context, ctx, reformat_en, type == PRM_FLOW_TABLE_TYPE_NIC_TX);
	PRM_SET(flow_table_context, ctx, decap_en, type == PRM_FLOW_TABLE_TYPE_NIC_RX);
	err = run(dev, in, sizeof(in), out);
	if (err)
		return err;
	dev->root_id[type] = (uint32_t)PRM_GET(create_flow_table_out, out, table_id);
	PRM_SET(set_flow_table_root_in, set, opcode, PRM_CMD_OP_SET_FLOW_TABLE_ROOT);
	PRM_SET(set_flow_table_root_in, set, table_type, type);
	PRM_SET(set_flow_table_root_in, set, table_id, dev->root_id[type]);
	return run(dev, set, sizeof(set), out);
}

int model_roots_create(struct prov_device *dev)
{
	int err = root_create(dev, PRM_FLOW_TABLE_TYPE_NIC_RX);

	memset(dev->root_used, 0, sizeof(dev->root_used));
	return err ? err : root_create(dev, PRM_FLOW_TABLE_TYPE_NIC_TX);
}

static int create_group(struct prov_device *dev, const struct prov_attach *a,
			struct prov_attachment *at)
{
	uint8_t in[PRM_BYTES(create_flow_group_in)] = {0}, out[16];
	int err;

	PRM_SET(create_flow_group_in, in, opcode, PRM_CMD_OP_CREATE_FLOW_GROUP);
	PRM_SET(create_flow_group_in, in, table_type, at->dir);
	PRM_SET(create_flow_group_in, in, table_id, dev->root_id[at->dir]);
	PRM_SET(create_flow_group_in, in, start_flow_index, at->index);
	PRM_SET(create_flow_group_in, in, end_flow_index, at->index);
	PRM_SET(create_flow_group_in, in, match_criteria_enable, a->criteria_enable);
	if (a->mask)
		memcpy(PRM_AT(create_flow_group_in, in, match_criteria), a->mask,
		       PRM_BYTES(fte_match_param));
	err = run(dev, in, sizeof(in), out);
	at->group = (uint32_t)PRM_GET(create_flow_group_out, out, group_id);
	return err;
}

static unsigned int action_bits(const struct model_root_rule *r)
{
	unsigned int bits = r->drop    ? PRM_FLOW_CONTEXT_ACTION_DROP
			    : r->allow ? PRM_FLOW_CONTEXT_ACTION_ALLOW
				       : 0;

	if (r->match.table_id || r->tirn)
		bits |= PRM_FLOW_CONTEXT_ACTION_FWD_DEST;
	if (r->counted)
		bits |= PRM_FLOW_CONTEXT_ACTION_COUNT;
	if (r->modify_header)
		bits |= PRM_FLOW_CONTEXT_ACTION_MOD_HDR;
	if (r->reformat)
		bits |= PRM_FLOW_CONTEXT_ACTION_PACKET_REFORMAT;
	if (r->decap)
		bits |= PRM_FLOW_CONTEXT_ACTION_DECAP;
	return bits;
}

/* Destination and counter behind the context. Returns the bytes. */
static size_t put_list(uint8_t *ctx, const struct model_root_rule *r)
{
	uint8_t *at = PRM_AT(flow_context, ctx, destination);
	size_t n = 0;

	if (r->match.table_id || r->tirn) {
		PRM_SET(dest_format_struct, at, destination_type,
			r->tirn ? PRM_IFC_FLOW_DESTINATION_TYPE_TIR
				: PRM_IFC_FLOW_DESTINATION_TYPE_FLOW_TABLE);
		PRM_SET(dest_format_struct, at, destination_id,
			r->tirn ? r->tirn : r->match.table_id);
		PRM_SET(flow_context, ctx, destination_list_size, 1);
		n += LIST_ENTRY;
	}
	if (r->counted) {
		PRM_SET(flow_counter_list, at + n, flow_counter_id, r->counter);
		PRM_SET(flow_context, ctx, flow_counter_list_size, 1);
		n += LIST_ENTRY;
	}
	return n;
}

static int create_rule(struct prov_device *dev, const struct model_root_rule *r,
		       const struct prov_attachment *at)
{
	uint8_t in[PRM_BYTES(set_fte_in) + 2 * LIST_ENTRY] = {0}, out[16];
	uint8_t *ctx = PRM_AT(set_fte_in, in, flow_context);
	size_t list = put_list(ctx, r);

	PRM_SET(set_fte_in, in, opcode, PRM_CMD_OP_SET_FLOW_TABLE_ENTRY);
	PRM_SET(set_fte_in, in, table_type, at->dir);
	PRM_SET(set_fte_in, in, table_id, dev->root_id[at->dir]);
	PRM_SET(set_fte_in, in, flow_index, at->index);
	PRM_SET(flow_context, ctx, group_id, at->group);
	PRM_SET(flow_context, ctx, action, action_bits(r));
	PRM_SET(flow_context, ctx, flow_tag, r->tag);
	PRM_SET(flow_context, ctx, modify_header_id, r->modify_header);
	PRM_SET(flow_context, ctx, packet_reformat_id, r->reformat);
	if (r->match.value)
		memcpy(PRM_AT(flow_context, ctx, match_value), r->match.value,
		       PRM_BYTES(fte_match_param));
	return run(dev, in, PRM_BYTES(set_fte_in) + list, out);
}

static int delete_rule(struct prov_device *dev, const struct prov_attachment *at)
{
	uint8_t in[PRM_BYTES(delete_fte_in)] = {0}, out[16];

	PRM_SET(delete_fte_in, in, opcode, PRM_CMD_OP_DELETE_FLOW_TABLE_ENTRY);
	PRM_SET(delete_fte_in, in, table_type, at->dir);
	PRM_SET(delete_fte_in, in, table_id, dev->root_id[at->dir]);
	PRM_SET(delete_fte_in, in, flow_index, at->index);
	return run(dev, in, sizeof(in), out);
}

static int destroy_group(struct prov_device *dev, const struct prov_attachment *at)
{
	uint8_t in[PRM_BYTES(destroy_flow_group_in)] = {0}, out[16];

	PRM_SET(destroy_flow_group_in, in, opcode, PRM_CMD_OP_DESTROY_FLOW_GROUP);
	PRM_SET(destroy_flow_group_in, in, table_type, at->dir);
	PRM_SET(destroy_flow_group_in, in, table_id, dev->root_id[at->dir]);
	PRM_SET(destroy_flow_group_in, in, group_id, at->group);
	return run(dev, in, sizeof(in), out);
}

static int take_place(struct prov_device *dev, unsigned int dir, unsigned int priority)
{
	uint64_t *used = dev->root_used[dir][priority];
	int place = -1;

	pthread_mutex_lock(&dev->lock);
	for (int i = 0; i < PLACES && place < 0; i++)
		if (!(used[i / WORD] >> i % WORD & 1))
			place = i;
	if (place >= 0)
		used[place / WORD] |= UINT64_C(1) << place % WORD;
	pthread_mutex_unlock(&dev->lock);
	return place;
}

static void free_place(struct prov_device *dev, const struct prov_attachment *at)
{
	uint32_t place = at->index % PLACES;

	pthread_mutex_lock(&dev->lock);
	dev->root_used[at->dir][at->index / PLACES][place / WORD] &= ~(UINT64_C(1) << place % WORD);
	pthread_mutex_unlock(&dev->lock);
}

/* Is the rule gone? A second try after a lost answer finds no rule to delete: the first one was done. */
static int remove_rule(struct prov_device *dev, struct prov_attachment *at)
{
	int err = delete_rule(dev, at);

	if (err == -EREMOTEIO && at->in_doubt)
		err = 0;
	at->in_doubt |= err == -ETIMEDOUT || err == -EPROTO;
	return err;
}

static int attach_at(struct prov_device *dev, const struct model_root_rule *r,
		     struct prov_attachment *at)
{
	int err = create_group(dev, &r->match, at);

	if (err) {
		if (err == -EREMOTEIO) /* else the place may be taken */
			free_place(dev, at);
		return err;
	}
	err = create_rule(dev, r, at);
	if (err == -EREMOTEIO && destroy_group(dev, at) == 0)
		free_place(dev, at);
	return err;
}

int model_root_add(struct prov_device *dev, const struct model_root_rule *r,
		   struct prov_attachment **out)
{
	const struct prov_attach *a = &r->match;
	struct prov_attachment *at;
	int place, err;

	if (a->priority >= PRIORITIES)
		return -EINVAL;
	at = calloc(1, sizeof(*at));
	if (!at)
		return -ENOMEM;
	at->dir = a->dir == PROV_TX ? PRM_FLOW_TABLE_TYPE_NIC_TX : PRM_FLOW_TABLE_TYPE_NIC_RX;
	at->generation = atomic_load(&dev->m.generation);
	place = take_place(dev, at->dir, a->priority);
	if (place < 0) {
		free(at);
		return -ENOSPC;
	}
	at->index = a->priority * PLACES + (uint32_t)place;
	err = attach_at(dev, r, at);
	if (err) {
		free(at);
		return err;
	}
	pthread_mutex_lock(&dev->lock);
	at->next = dev->attachments;
	dev->attachments = at;
	pthread_mutex_unlock(&dev->lock);
	*out = at;
	return 0;
}

int model_attach(struct prov_device *dev, const struct prov_attach *a, struct prov_attachment **out)
{
	struct model_root_rule r = {.match = *a};

	return model_root_add(dev, &r, out);
}

int model_detach(struct prov_device *dev, struct prov_attachment *at)
{
	int err = 0;

	if (at->generation == atomic_load(&dev->m.generation)) {
		err = remove_rule(dev, at);
		if (err)
			return err;
		if (destroy_group(dev, at) == 0)
			free_place(dev, at);
	}
	pthread_mutex_lock(&dev->lock);
	for (struct prov_attachment **p = &dev->attachments; *p; p = &(*p)->next)
		if (*p == at) {
			*p = at->next;
			break;
		}
	pthread_mutex_unlock(&dev->lock);
	free(at);
	return 0;
}

/* -- anchors ----------------------------------------------------------------------------------------------------- */

struct prov_anchor {
	uint32_t generation, table;
};

static void mark_anchor(struct model_dev *dev, uint32_t table, uint32_t from)
{
	struct model_ft *ft;

	pthread_rwlock_wrlock(&dev->objs);
	ft = (struct model_ft *)model_obj_find(dev, MODEL_FT, table);
	if (ft) {
		ft->anchor = true;
		ft->anchor_from = from;
	}
	pthread_rwlock_unlock(&dev->objs);
}

/* Like the kernel's: of level 1, and everybody's to lead to. */
int model_anchor_create(struct prov_device *dev, uint8_t type, unsigned int priority,
			uint32_t *table, uint8_t out[16])
{
	uint8_t in[PRM_BYTES(create_flow_table_in)] = {0};
	uint8_t *ctx = PRM_AT(create_flow_table_in, in, flow_table_context);
	int err;

	if (priority >= PRIORITIES)
		return -EINVAL;
	PRM_SET(create_flow_table_in, in, opcode, PRM_CMD_OP_CREATE_FLOW_TABLE);
	PRM_SET(create_flow_table_in, in, uid, PRM_SHARED_RESOURCE_UID);
	PRM_SET(create_flow_table_in, in, table_type, type);
	PRM_SET(flow_table_context, ctx, level, 1);
	PRM_SET(flow_table_context, ctx, log_size, 1);
	err = run(dev, in, sizeof(in), out);
	if (err)
		return err;
	*table = (uint32_t)PRM_GET(create_flow_table_out, out, table_id);
	mark_anchor(&dev->m, *table, priority * PLACES);
	return 0;
}

int model_anchor_destroy(struct prov_device *dev, uint8_t type, uint32_t table, uint8_t out[16])
{
	uint8_t in[PRM_BYTES(destroy_flow_table_in)] = {0};

	PRM_SET(destroy_flow_table_in, in, opcode, PRM_CMD_OP_DESTROY_FLOW_TABLE);
	PRM_SET(destroy_flow_table_in, in, table_type, type);
	PRM_SET(destroy_flow_table_in, in, table_id, table);
	return run(dev, in, sizeof(in), out);
}

int model_anchor(struct prov_device *dev, unsigned int priority, struct prov_anchor **anchor,
		 uint32_t *table_id)
{
	struct prov_anchor *a = calloc(1, sizeof(*a));
	uint8_t out[16];
	int err;

	if (!a)
		return -ENOMEM;
	a->generation = atomic_load(&dev->m.generation);
	err = model_anchor_create(dev, PRM_FLOW_TABLE_TYPE_NIC_RX, priority, &a->table, out);
	if (err) {
		free(a);
		return err;
	}
	*table_id = a->table;
	*anchor = a;
	return 0;
}

int model_anchor_free(struct prov_device *dev, struct prov_anchor *a)
{
	uint8_t out[16];
	int err = 0;

	if (a->generation == atomic_load(&dev->m.generation))
		err = model_anchor_destroy(dev, PRM_FLOW_TABLE_TYPE_NIC_RX, a->table, out);
	if (!err)
		free(a);
	return err;
}

void model_attachments_free(struct prov_device *dev)
{
	while (dev->attachments) {
		struct prov_attachment *at = dev->attachments;

		dev->attachments = at->next;
		free(at);
	}
}
