// SPDX-License-Identifier: BSD-2-Clause
/*
 * The registry: every object by type and number, who owns it, who uses it, and the census.
 *
 * A hash with chains that grows with what is in it. Flow entries are not in the hash: their number is a flow index,
 * which means something in their table only. Bulks (keys, counters) are found by any number of their range: ranges
 * are powers of two and aligned to their size.
 *
 * An object that was destroyed while something uses it (possible only in a build without the reference check) leaves
 * the registry at once; its memory goes with its last user.
 *
 * Locks: dev->objs for writing, for look-ups reading.
 */
#include "fw.h"

#include <openssl/crypto.h>
#include <stdlib.h>
#include <string.h>

enum { FIRST_BUCKETS = 256, MAX_LOG_RANGE = 14, ID_BITS = 24, SHORT_ID_BITS = 8 };

#define WORD(t, word) word,
static const char *const names[] = {MODEL_TYPES(WORD)};

const char *model_type_name(enum model_type type)
{
	return names[type];
}

static uint32_t bucket_of(const struct model_dev *dev, enum model_type type, uint32_t id)
{
	uint32_t h = (id * 32 + type) * UINT32_C(0x9e3779b1);

	return (h ^ h >> 15) & (dev->nhash - 1);
}

static struct model_obj *lookup(struct model_dev *dev, enum model_type type, uint32_t id)
{
	if (!dev->nhash)
		return NULL;
	for (struct model_obj *o = dev->hash[bucket_of(dev, type, id)]; o; o = o->next)
		if (o->type == type && o->id == id)
			return o;
	return NULL;
}

struct model_obj *model_obj_find(struct model_dev *dev, enum model_type type, uint32_t id)
{
	unsigned int logs = type == MODEL_DEK || type == MODEL_COUNTER ? MAX_LOG_RANGE : 0;

	for (unsigned int n = 0; n <= logs; n++) {
		struct model_obj *o = lookup(dev, type, id >> n << n);

		if (o && id - o->id < o->count)
			return o;
	}
	return NULL;
}

static int grow(struct model_dev *dev)
{
	uint32_t n = dev->nhash ? dev->nhash * 2 : FIRST_BUCKETS, old = dev->nhash;
	struct model_obj **hash = calloc(n, sizeof(*hash)), **from = dev->hash;

	if (!hash)
		return -1;
	dev->hash = hash;
	dev->nhash = n;
	for (uint32_t b = 0; b < old; b++)
		while (from[b]) {
			struct model_obj *o = from[b], **to;

			from[b] = o->next;
			to = &hash[bucket_of(dev, o->type, o->id)];
			o->next = *to;
			*to = o;
		}
	free(from);
	return 0;
}

/* Are all numbers of the range free? Ranges are aligned, so the bases below and the members tell it. */
static bool range_free(struct model_dev *dev, enum model_type type, uint32_t id, uint32_t count)
{
	if (model_obj_find(dev, type, id))
		return false;
	for (uint32_t i = 1; i < count; i++)
		if (lookup(dev, type, id + i))
			return false;
	return true;
}

/*
 * Numbers go up and come back only after 2^24, so that a stale one is noticed. Types start at different numbers.
 * 0: no aligned range of that size is free, however few numbers are taken.
 */
static uint32_t take_id(struct model_dev *dev, enum model_type type, uint32_t count)
{
	unsigned int bits = type == MODEL_QCOUNTER ? SHORT_ID_BITS : ID_BITS;
	uint32_t mask = (UINT32_C(1) << bits) - 1, id = dev->next_id[type];
	uint32_t tries = (UINT32_C(1) << bits) / count;

	if (!id)
		id = bits == ID_BITS ? ((uint32_t)type + 1) << 8 | 1 : 1;
	for (; tries; tries--, id += count) {
		id = (id + count - 1) & ~(count - 1) & mask;
		if (id == 0)
			id = count;
		if (range_free(dev, type, id, count)) {
			dev->next_id[type] = id + count;
			return id;
		}
	}
	return 0;
}

static bool at_limit(const struct model_dev *dev, enum model_type type, uint32_t count)
{
	uint32_t max = dev->profile.max[type];

	return max && (dev->live[type] > max || count > max - dev->live[type]);
}

static void account(struct model_dev *dev, const struct model_obj *o, bool add)
{
	uint32_t n = add ? o->count : -o->count;

	dev->live[o->type] += n;
	if (o->uid == 0)
		dev->live_kernel[o->type] += n;
}

void *model_obj_new(struct model_dev *dev, enum model_type type, uint16_t uid, size_t size,
		    uint32_t count, bool *limit)
{
	struct model_obj *o;

	*limit = at_limit(dev, type, count);
	if (*limit)
		return NULL;
	if (dev->nobjs >= dev->nhash && grow(dev))
		return NULL;
	o = calloc(1, size);
	if (!o)
		return NULL;
	o->type = type;
	o->uid = uid;
	o->count = count;
	if (type != MODEL_FTE) {
		struct model_obj **b;

		o->id = take_id(dev, type, count);
		if (!o->id) {
			free(o);
			*limit = true;
			return NULL;
		}
		b = &dev->hash[bucket_of(dev, type, o->id)];
		o->next = *b;
		*b = o;
		dev->nobjs++;
	}
	account(dev, o, true);
	return o;
}

void model_obj_use(struct model_obj *user, struct model_obj *used)
{
	user->uses[user->nuses++] = used;
	used->users++;
}

/* What the type holds besides the struct. */
static void dispose_contents(struct model_obj *o)
{
	switch (o->type) {
	case MODEL_CQ:
		pthread_mutex_destroy(&((struct model_cq *)o)->lock);
		free(((struct model_cq *)o)->cqc);
		break;
	case MODEL_TIS: model_tls_free(((struct model_tis *)o)->tls); break;
	case MODEL_SQ:
		pthread_mutex_destroy(&((struct model_sq *)o)->lock);
		free(((struct model_sq *)o)->pending);
		free(((struct model_sq *)o)->sqc);
		break;
	case MODEL_RQ:
		pthread_mutex_destroy(&((struct model_rq *)o)->lock);
		free(((struct model_rq *)o)->rqc);
		break;
	case MODEL_DEK: {
		struct model_dek *dek = (struct model_dek *)o;

		if (dek->keys)
			OPENSSL_cleanse(dek->keys, o->count * sizeof(*dek->keys));
		free(dek->keys);
		pthread_mutex_destroy(&dek->lock);
		break;
	}
	case MODEL_IPSEC:
		model_ipsec_crypto_free((struct model_ipsec *)o);
		OPENSSL_cleanse(o, sizeof(struct model_ipsec));
		break;
	case MODEL_COUNTER: free(((struct model_counter *)o)->c); break;
	case MODEL_MODHDR: free(((struct model_modhdr *)o)->actions); break;
	case MODEL_FT:
		free(((struct model_ft *)o)->fgs);
		free(((struct model_ft *)o)->ftes);
		break;
	case MODEL_FG: free(((struct model_fg *)o)->bucket); break;
	case MODEL_FTE:
		free(((struct model_fte *)o)->dest);
		free(((struct model_fte *)o)->counter);
		free(((struct model_fte *)o)->value);
		free(((struct model_fte *)o)->context);
		break;
	default: break;
	}
}

void model_obj_unuse(struct model_obj *used)
{
	if (--used->users || !used->gone)
		return;
	for (unsigned int i = 0; i < used->nuses; i++)
		model_obj_unuse(used->uses[i]);
	dispose_contents(used);
	free(used);
}

static void unhash(struct model_dev *dev, struct model_obj *o)
{
	struct model_obj **at = &dev->hash[bucket_of(dev, o->type, o->id)];

	while (*at != o)
		at = &(*at)->next;
	*at = o->next;
	dev->nobjs--;
}

void model_obj_free(struct model_dev *dev, struct model_obj *o)
{
	account(dev, o, false);
	if (o->type == MODEL_FTE)
		model_fte_unlink((struct model_fte *)o);
	else
		unhash(dev, o);
	if (o->type == MODEL_RQT)
		model_rqt_unlink((struct model_rqt *)o);
	if (o->type == MODEL_FG)
		model_fg_unlink((struct model_fg *)o);
	if (o->type == MODEL_SQ)
		model_late_forget(dev, (struct model_sq *)o);
	o->gone = true;
	o->users++; /* and down again: the last step is one place */
	model_obj_unuse(o);
}
