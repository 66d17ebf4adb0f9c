// SPDX-License-Identifier: BSD-2-Clause
/*
 * Firmware: general objects (encryption keys, IPsec), SYNC_CRYPTO, and the key cache behind them.
 *
 * Keys. A create makes one key, or a bulk of 2^n empty slots that MODIFY fills one by one (id = base, offset = slot).
 * The crypto engine does not read slots but its cache: the first use of a slot copies it there, and only SYNC_CRYPTO
 * drops it, if it was copied before the sync started. A slot written again without a sync encrypts with the old key.
 *
 * IPsec objects hold the SA's constants and an ASO context. INC_SN is executed (esp.c); replay windows, lifetimes and
 * their events are checked and kept, not executed: that needs ACCESS_ASO work requests.
 *
 * Locks: dev->objs for writing in handlers; dek->lock for the caches, which the data path fills. Source: PRM,
 * encryption_key_obj, ipsec_obj, ipsec_aso, sync_crypto_in; Linux lib/crypto.c for the order of use.
 */
#include "fw.h"

#include <errno.h>
#include <openssl/crypto.h>
#include <stdlib.h>
#include <string.h>

#define HDR(field) PRM_GET(general_obj_in_cmd_hdr, c->in, field)
#define BODY_AT(buf) ((uint8_t *)(buf) + PRM_BYTES(general_obj_in_cmd_hdr))

enum {
	SELECT_KEY = 1,
	SELECT_ESN = PRM_MODIFY_IPSEC_BITMASK_ESN_OVERLAP | PRM_MODIFY_IPSEC_BITMASK_ESN_MSB
};
enum { KEY_FIELD_BYTES = 128, KEY_128_AT = 16 };

static uint32_t obj_offset(const struct model_cmd *c)
{
	return (uint32_t)PRM_GET(general_obj_query_param,
				 PRM_AT(general_obj_in_cmd_hdr, c->in, op_param), obj_offset);
}

/* -- encryption keys ------------------------------------------------------------------------------------- */

static bool purpose_offered(const struct model_dev *dev, uint64_t purpose)
{
	return (purpose == PRM_GENERAL_OBJECT_TYPE_ENCRYPTION_KEY_PURPOSE_IPSEC &&
		dev->profile.ipsec) ||
	       (purpose == PRM_GENERAL_OBJECT_TYPE_ENCRYPTION_KEY_PURPOSE_TLS &&
		dev->profile.tls_tx);
}

/* Where the key lies in its field and how long it is. Everything around it is zero. */
static enum model_synd key_bytes(const struct model_cmd *c, const uint8_t *obj, const uint8_t **key,
				 uint8_t *len)
{
	const uint8_t *field = PRM_AT(encryption_key_obj, obj, key);
	uint64_t size = PRM_GET(encryption_key_obj, obj, key_size);
	bool big = size == PRM_GENERAL_OBJECT_TYPE_ENCRYPTION_KEY_KEY_SIZE_256;

	if (size > PRM_GENERAL_OBJECT_TYPE_ENCRYPTION_KEY_KEY_SIZE_256 ||
	    (big && !c->dev->profile.gcm256))
		return MODEL_S_KEY_SIZE;
	if (!model_is_zero(field + 32, KEY_FIELD_BYTES - 32) ||
	    (!big && !model_is_zero(field, KEY_128_AT)))
		return MODEL_S_KEY_BYTES;
	*key = big ? field : field + KEY_128_AT;
	*len = big ? 32 : 16;
	return MODEL_S_OK;
}

static enum model_synd check_key_body(struct model_cmd *c, const uint8_t *obj, struct model_pd **pd)
{
	if (PRM_GET(encryption_key_obj, obj, sw_wrapped) ||
	    PRM_GET(encryption_key_obj, obj, state) ||
	    !model_is_zero(PRM_AT(encryption_key_obj, obj, sw_wrapped_dek), KEY_FIELD_BYTES))
		return MODEL_S_KEY_WRAPPED;
	if (!purpose_offered(c->dev, PRM_GET(encryption_key_obj, obj, key_purpose)))
		return MODEL_S_KEY_PURPOSE;
	*pd = model_cmd_find(c, MODEL_PD, (uint32_t)PRM_GET(encryption_key_obj, obj, pd));
	return *pd ? MODEL_S_OK : c->why;
}

static enum model_synd check_range(const struct model_cmd *c, unsigned int log)
{
	if (log && (!c->dev->profile.crypto_bulk || log > c->dev->profile.log_dek_max_alloc))
		return MODEL_S_OBJ_RANGE;
	return MODEL_S_OK;
}

static enum model_synd create_key(struct model_cmd *c, unsigned int log)
{
	const uint8_t *obj = BODY_AT(c->in), *key = NULL;
	enum model_synd s = check_range(c, log);
	struct model_dek *dek;
	struct model_key *keys;
	struct model_pd *pd;
	uint8_t len = 0;

	if (s == MODEL_S_OK)
		s = check_key_body(c, obj, &pd);
	if (s == MODEL_S_OK && PRM_GET(encryption_key_obj, obj, modify_field_select))
		s = MODEL_S_OBJ_SELECT;
	if (s == MODEL_S_OK)
		s = key_bytes(c, obj, &key, &len);
	if (s == MODEL_S_OK && log && !model_is_zero(key, len))
		s = MODEL_S_KEY_BYTES;
	if (s != MODEL_S_OK)
		return s;
	keys = calloc((size_t)1 << log, sizeof(*keys));
	if (!keys)
		return MODEL_S_NO_MEMORY;
	dek = model_cmd_new(c, MODEL_DEK, sizeof(*dek), UINT32_C(1) << log);
	if (!dek) {
		free(keys);
		return c->why;
	}
	pthread_mutex_init(&dek->lock, NULL);
	dek->keys = keys;
	dek->purpose = (uint8_t)PRM_GET(encryption_key_obj, obj, key_purpose);
	dek->pd = pd->o.id;
	dek->birth = ++c->dev->dek_births;
	if (!log) {
		memcpy(keys[0].bytes, key, len);
		keys[0].len = len;
	}
	model_obj_use(&dek->o, &pd->o);
	PRM_SET(general_obj_out_cmd_hdr, c->out, obj_id, dek->o.id);
	return MODEL_S_OK;
}

/* Bulk by its base, slot by the offset. NULL: c->why. */
static struct model_dek *find_slot(struct model_cmd *c, uint32_t *slot)
{
	uint32_t id = (uint32_t)HDR(obj_id);
	struct model_dek *dek = model_cmd_find(c, MODEL_DEK, id);

	*slot = obj_offset(c);
	if (!dek)
		return NULL;
	if (dek->o.id != id)
		c->why = MODEL_S_NO_DEK;
	else if (*slot >= dek->o.count)
		c->why = MODEL_S_OBJ_OFFSET;
	else
		return dek;
	return NULL;
}

static enum model_synd modify_key(struct model_cmd *c)
{
	const uint8_t *obj = BODY_AT(c->in), *key;
	uint32_t slot;
	struct model_dek *dek = find_slot(c, &slot);
	struct model_pd *pd;
	enum model_synd s;
	uint8_t len;

	if (!dek)
		return c->why;
	if (PRM_GET(encryption_key_obj, obj, modify_field_select) != SELECT_KEY)
		return MODEL_S_OBJ_SELECT;
	s = check_key_body(c, obj, &pd);
	if (s != MODEL_S_OK)
		return s;
	if (PRM_GET(encryption_key_obj, obj, key_purpose) != dek->purpose)
		return MODEL_S_KEY_PURPOSE;
	if (pd->o.id != dek->pd)
		return MODEL_S_KEY_PD;
	s = key_bytes(c, obj, &key, &len);
	if (s != MODEL_S_OK)
		return s;
	memset(dek->keys[slot].bytes, 0, sizeof(dek->keys[slot].bytes));
	memcpy(dek->keys[slot].bytes, key, len);
	dek->keys[slot].len = len;
	return MODEL_S_OK;
}

static enum model_synd query_key(struct model_cmd *c)
{
	uint8_t *obj = BODY_AT(c->out);
	uint32_t slot;
	struct model_dek *dek = find_slot(c, &slot);

	if (!dek)
		return c->why;
	if (c->outlen < PRM_BYTES(general_obj_out_cmd_hdr) + PRM_BYTES(encryption_key_obj))
		return MODEL_S_OUT_LENGTH;
	PRM_SET(general_obj_out_cmd_hdr, c->out, obj_id, dek->o.id);
	PRM_SET(encryption_key_obj, obj, key_size, dek->keys[slot].len == 32);
	PRM_SET(encryption_key_obj, obj, key_purpose, dek->purpose);
	PRM_SET(encryption_key_obj, obj, pd, dek->pd);
	return MODEL_S_OK;
}

int model_key_get(struct model_dev *dev, struct model_dek *dek, uint32_t slot, uint8_t key[32],
		  uint8_t *len, uint32_t *gen)
{
	struct model_key *k = &dek->keys[slot];
	int err = 0;

	pthread_mutex_lock(&dek->lock);
	if (!atomic_load_explicit(&k->cached, memory_order_relaxed)) {
		if (k->len) {
			memcpy(k->cache, k->bytes, sizeof(k->cache));
			k->cache_len = k->len;
			k->cached_at = model_now(dev);
			/* generation first, then cached with release: esp.c reads them the other way round */
			atomic_fetch_add_explicit(&k->cache_gen, 1, memory_order_relaxed);
			atomic_store_explicit(&k->cached, true, memory_order_release);
			atomic_fetch_add_explicit(&dev->key_refills, 1, memory_order_relaxed);
		} else {
			err = -ENOKEY;
		}
	}
	if (!err) {
		memcpy(key, k->cache, sizeof(k->cache));
		*len = k->cache_len;
		*gen = atomic_load_explicit(&k->cache_gen, memory_order_relaxed);
	}
	pthread_mutex_unlock(&dek->lock);
	return err;
}

/* -- SYNC_CRYPTO ------------------------------------------------------------------------------------------ */

static void sync_dek(struct model_dek *dek, uint64_t started)
{
	pthread_mutex_lock(&dek->lock);
	for (uint32_t i = 0; i < dek->o.count; i++) {
		struct model_key *k = &dek->keys[i];

		if (!atomic_load(&k->cached) || k->cached_at > started)
			continue;
#ifndef MLXO_BITE_SKIP_SYNC
		atomic_store_explicit(&k->cached, false, memory_order_release);
		OPENSSL_cleanse(k->cache, sizeof(k->cache));
#endif
	}
	pthread_mutex_unlock(&dek->lock);
}

enum model_synd model_do_SYNC_CRYPTO(struct model_cmd *c)
{
	uint32_t types = (uint32_t)PRM_GET(sync_crypto_in, c->in, crypto_type);
	uint32_t known = 1 | 1u << PRM_GENERAL_OBJECT_TYPE_ENCRYPTION_KEY_PURPOSE_IPSEC;

	if (c->dev->profile.tls_tx)
		known |= 1u << PRM_GENERAL_OBJECT_TYPE_ENCRYPTION_KEY_PURPOSE_TLS;
	if (!types || (types & ~known) || !c->dev->profile.max[MODEL_DEK])
		return MODEL_S_SYNC_TYPE;
	for (uint32_t b = 0; b < c->dev->nhash; b++)
		for (struct model_obj *o = c->dev->hash[b]; o; o = o->next) {
			struct model_dek *dek = (struct model_dek *)o;

			if (o->type == MODEL_DEK && ((types & 1) || types >> dek->purpose & 1))
				sync_dek(dek, c->started);
		}
	atomic_fetch_add(&c->dev->syncs, 1);
	return MODEL_S_OK;
}

/* -- IPsec objects ---------------------------------------------------------------------------------------- */

static enum model_synd check_aso(const uint8_t *obj)
{
	const uint8_t *aso = PRM_AT(ipsec_obj, obj, ipsec_aso);
	uint64_t mode = PRM_GET(ipsec_aso, aso, mode);

	if (!PRM_GET(ipsec_aso, aso, valid))
		return MODEL_S_IPSEC_ASO;
	if (mode > PRM_IPSEC_ASO_INC_SN ||
	    (mode != PRM_IPSEC_ASO_REPLAY_PROTECTION &&
	     (PRM_GET(ipsec_aso, aso, window_sz) ||
	      !model_is_zero(PRM_AT(ipsec_aso, aso, replay_protection_window), 32))) ||
	    (mode == PRM_IPSEC_ASO_INC_SN && !PRM_GET(ipsec_aso, aso, mode_parameter) &&
	     !PRM_GET(ipsec_obj, obj, esn_msb)))
		return MODEL_S_IPSEC_ASO_MODE;
	if ((PRM_GET(ipsec_aso, aso, esn_event_arm) && !PRM_GET(ipsec_obj, obj, esn_en)) ||
	    (PRM_GET(ipsec_aso, aso, hard_lft_arm) &&
	     !PRM_GET(ipsec_aso, aso, remove_flow_pkt_cnt)) ||
	    (PRM_GET(ipsec_aso, aso, remove_flow_enable) && !PRM_GET(ipsec_aso, aso, hard_lft_arm)))
		return MODEL_S_IPSEC_ASO_ARM;
	return MODEL_S_OK;
}

/* Everything that can be judged from the object alone. */
static enum model_synd check_ipsec(const struct model_cmd *c, const uint8_t *obj)
{
	bool full = PRM_GET(ipsec_obj, obj, full_offload);
	uint64_t reg = PRM_GET(ipsec_obj, obj, aso_return_reg);

	if (PRM_GET(ipsec_obj, obj, modify_field_select))
		return MODEL_S_OBJ_SELECT;
	if (PRM_GET(ipsec_obj, obj, icv_length) != PRM_IPSEC_OBJECT_ICV_LEN_16B)
		return MODEL_S_IPSEC_ICV;
	if (!PRM_GET(ipsec_obj, obj, esn_en) &&
	    (PRM_GET(ipsec_obj, obj, esn_msb) || PRM_GET(ipsec_obj, obj, esn_overlap)))
		return MODEL_S_IPSEC_ESN;
	if (reg > PRM_IPSEC_ASO_REG_C_6_7 || (!full && reg))
		return MODEL_S_IPSEC_ASO_REG;
	if (!full)
		return model_is_zero(PRM_AT(ipsec_obj, obj, ipsec_aso), PRM_BYTES(ipsec_aso)) &&
				       !PRM_GET(ipsec_obj, obj, ipsec_aso_access_pd)
			       ? MODEL_S_OK
			       : MODEL_S_IPSEC_ASO;
	if (!c->dev->profile.ipsec_full)
		return MODEL_S_IPSEC_FULL;
	return check_aso(obj);
}

static struct model_dek *ipsec_key(struct model_cmd *c, uint32_t dekn)
{
	struct model_dek *dek = model_cmd_find(c, MODEL_DEK, dekn);

	if (!dek)
		return NULL;
	if (dek->purpose != PRM_GENERAL_OBJECT_TYPE_ENCRYPTION_KEY_PURPOSE_IPSEC)
		c->why = MODEL_S_IPSEC_KEY;
	else if (!dek->keys[dekn - dek->o.id].len)
		c->why = MODEL_S_IPSEC_KEY_EMPTY;
	else
		return dek;
	return NULL;
}

static void ipsec_fill(struct model_ipsec *sa, const uint8_t *obj)
{
	const uint8_t *aso = PRM_AT(ipsec_obj, obj, ipsec_aso);
	uint64_t msb = PRM_GET(ipsec_obj, obj, esn_msb);

	sa->dekn = (uint32_t)PRM_GET(ipsec_obj, obj, dekn);
	sa->full_offload = PRM_GET(ipsec_obj, obj, full_offload);
	sa->esn_en = PRM_GET(ipsec_obj, obj, esn_en);
	sa->esn_overlap = PRM_GET(ipsec_obj, obj, esn_overlap);
	sa->esn_msb = (uint32_t)msb;
	memcpy(sa->salt, PRM_AT(ipsec_obj, obj, salt), sizeof(sa->salt));
	memcpy(sa->implicit_iv, PRM_AT(ipsec_obj, obj, implicit_iv), sizeof(sa->implicit_iv));
	sa->icv_bytes = 16;
	sa->aso_return_reg = (uint8_t)PRM_GET(ipsec_obj, obj, aso_return_reg);
	sa->aso_mode = (uint8_t)PRM_GET(ipsec_aso, aso, mode);
	sa->window_sz = (uint8_t)PRM_GET(ipsec_aso, aso, window_sz);
	atomic_init(&sa->next_sn, msb << 32 | PRM_GET(ipsec_aso, aso, mode_parameter));
	memcpy(sa->body, obj, sizeof(sa->body));
	memset(PRM_AT(ipsec_obj, sa->body, salt), 0, sizeof(sa->salt));
	memset(PRM_AT(ipsec_obj, sa->body, implicit_iv), 0, sizeof(sa->implicit_iv));
}

static enum model_synd create_ipsec(struct model_cmd *c, unsigned int log)
{
	const uint8_t *obj = BODY_AT(c->in);
	enum model_synd s = log ? MODEL_S_OBJ_RANGE : check_ipsec(c, obj);
	struct model_pd *pd = NULL;
	struct model_ipsec *sa;
	struct model_dek *dek;

	if (s != MODEL_S_OK)
		return s;
	dek = ipsec_key(c, (uint32_t)PRM_GET(ipsec_obj, obj, dekn));
	if (!dek)
		return c->why;
	if (PRM_GET(ipsec_obj, obj, full_offload)) {
		pd = model_cmd_find(c, MODEL_PD,
				    (uint32_t)PRM_GET(ipsec_obj, obj, ipsec_aso_access_pd));
		if (!pd)
			return c->why;
	}
	sa = model_cmd_new(c, MODEL_IPSEC, sizeof(*sa), 1);
	if (!sa)
		return c->why;
	sa->dek = dek;
	ipsec_fill(sa, obj);
	model_obj_use(&sa->o, &dek->o);
	if (pd) {
		sa->pd = pd->o.id;
		model_obj_use(&sa->o, &pd->o);
	}
	PRM_SET(general_obj_out_cmd_hdr, c->out, obj_id, sa->o.id);
	return MODEL_S_OK;
}

static struct model_ipsec *find_ipsec(struct model_cmd *c)
{
	struct model_ipsec *sa = model_cmd_find(c, MODEL_IPSEC, (uint32_t)HDR(obj_id));

	if (sa && obj_offset(c)) {
		c->why = MODEL_S_OBJ_OFFSET;
		return NULL;
	}
	return sa;
}

static enum model_synd modify_ipsec(struct model_cmd *c)
{
	const uint8_t *obj = BODY_AT(c->in);
	struct model_ipsec *sa = find_ipsec(c);
	uint64_t select = PRM_GET(ipsec_obj, obj, modify_field_select);

	if (!sa)
		return c->why;
	if (!select || (select & ~(uint64_t)SELECT_ESN))
		return MODEL_S_OBJ_SELECT;
	if (!sa->esn_en)
		return MODEL_S_IPSEC_ESN;
	if (select & PRM_MODIFY_IPSEC_BITMASK_ESN_OVERLAP) {
		sa->esn_overlap = PRM_GET(ipsec_obj, obj, esn_overlap);
		PRM_SET(ipsec_obj, sa->body, esn_overlap, sa->esn_overlap);
	}
	if (select & PRM_MODIFY_IPSEC_BITMASK_ESN_MSB) {
		sa->esn_msb = (uint32_t)PRM_GET(ipsec_obj, obj, esn_msb);
		PRM_SET(ipsec_obj, sa->body, esn_msb, sa->esn_msb);
	}
	return MODEL_S_OK;
}

static enum model_synd query_ipsec(struct model_cmd *c)
{
	uint8_t *obj = BODY_AT(c->out);
	struct model_ipsec *sa = find_ipsec(c);

	if (!sa)
		return c->why;
	if (c->outlen < PRM_BYTES(query_ipsec_obj_out))
		return MODEL_S_OUT_LENGTH;
	memcpy(obj, sa->body, sizeof(sa->body));
	PRM_SET(general_obj_out_cmd_hdr, c->out, obj_id, sa->o.id);
	PRM_SET(ipsec_obj, obj, modify_field_select, sa->esn_en ? SELECT_ESN : 0);
	PRM_SET(ipsec_aso, PRM_AT(ipsec_obj, obj, ipsec_aso), mode_parameter,
		(uint32_t)atomic_load(&sa->next_sn));
	return MODEL_S_OK;
}

/* -- by type ---------------------------------------------------------------------------------------------- */

/* MODEL_NTYPES: not offered. */
static enum model_type obj_kind(struct model_cmd *c)
{
	uint64_t type = HDR(obj_type);

	c->why = MODEL_S_OBJ_TYPE;
	if (type == PRM_GENERAL_OBJECT_TYPES_ENCRYPTION_KEY && c->dev->profile.max[MODEL_DEK])
		c->why = MODEL_S_OK;
	if (type == PRM_GENERAL_OBJECT_TYPES_IPSEC && c->dev->profile.ipsec)
		c->why = MODEL_S_OK;
	if (c->why != MODEL_S_OK)
		return MODEL_NTYPES;
	if (HDR(vhca_tunnel_id) ||
	    PRM_GET(general_obj_query_param, PRM_AT(general_obj_in_cmd_hdr, c->in, op_param),
		    alias_object)) {
		c->why = MODEL_S_OBJ_HEADER;
		return MODEL_NTYPES;
	}
	return type == PRM_GENERAL_OBJECT_TYPES_IPSEC ? MODEL_IPSEC : MODEL_DEK;
}

enum model_synd model_do_CREATE_GENERAL_OBJECT(struct model_cmd *c)
{
	enum model_type kind = obj_kind(c);
	unsigned int log = (unsigned int)PRM_GET(general_obj_create_param,
						 PRM_AT(general_obj_in_cmd_hdr, c->in, op_param),
						 log_obj_range);

	if (kind == MODEL_NTYPES)
		return c->why;
	if (HDR(obj_id))
		return MODEL_S_OBJ_HEADER;
	return kind == MODEL_DEK ? create_key(c, log) : create_ipsec(c, log);
}

enum model_synd model_do_MODIFY_GENERAL_OBJECT(struct model_cmd *c)
{
	enum model_type kind = obj_kind(c);

	if (kind == MODEL_NTYPES)
		return c->why;
	return kind == MODEL_DEK ? modify_key(c) : modify_ipsec(c);
}

enum model_synd model_do_QUERY_GENERAL_OBJECT(struct model_cmd *c)
{
	enum model_type kind = obj_kind(c);

	if (kind == MODEL_NTYPES)
		return c->why;
	return kind == MODEL_DEK ? query_key(c) : query_ipsec(c);
}

enum model_synd model_do_DESTROY_GENERAL_OBJECT(struct model_cmd *c)
{
	enum model_type kind = obj_kind(c);

	if (kind == MODEL_NTYPES)
		return c->why;
	if (obj_offset(c))
		return MODEL_S_OBJ_OFFSET;
	return model_cmd_destroy(c, kind, (uint32_t)HDR(obj_id));
}
