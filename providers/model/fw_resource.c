// SPDX-License-Identifier: BSD-2-Clause
/*
 * Firmware: PD, transport domain, UAR, memory key.
 *
 * Memory keys are of umem memory (MTT mode) for users, as DevX makes them; the function's owner may have one of all
 * memory (PA mode). Source: PRM, mkc.
 */
#include "fw.h"

enum { MKEY_NO_QPN = 0xffffff };

/* An object that is a number and nothing else. */
static enum model_synd alloc_plain(struct model_cmd *c, enum model_type type, size_t size)
{
	struct model_obj *o = model_cmd_new(c, type, size, 1);

	if (!o)
		return c->why;
	PRM_SET(alloc_pd_out, c->out, pd,
		o->id); /* the number is at the same place in all of them */
	return MODEL_S_OK;
}

static_assert(PRM_OFFSET(alloc_pd_out, pd) == PRM_OFFSET(alloc_uar_out, uar), "");
static_assert(PRM_OFFSET(alloc_pd_out, pd) ==
		      PRM_OFFSET(alloc_transport_domain_out, transport_domain),
	      "");

enum model_synd model_do_ALLOC_PD(struct model_cmd *c)
{
	return alloc_plain(c, MODEL_PD, sizeof(struct model_pd));
}

enum model_synd model_do_ALLOC_UAR(struct model_cmd *c)
{
	return alloc_plain(c, MODEL_UAR, sizeof(struct model_uar));
}

enum model_synd model_do_ALLOC_TRANSPORT_DOMAIN(struct model_cmd *c)
{
	return alloc_plain(c, MODEL_TD, sizeof(struct model_td));
}

enum model_synd model_do_DEALLOC_PD(struct model_cmd *c)
{
	return model_cmd_destroy(c, MODEL_PD, (uint32_t)PRM_GET(dealloc_pd_in, c->in, pd));
}

enum model_synd model_do_DEALLOC_UAR(struct model_cmd *c)
{
	return model_cmd_destroy(c, MODEL_UAR, (uint32_t)PRM_GET(dealloc_uar_in, c->in, uar));
}

enum model_synd model_do_DEALLOC_TRANSPORT_DOMAIN(struct model_cmd *c)
{
	return model_cmd_destroy(
		c, MODEL_TD,
		(uint32_t)PRM_GET(dealloc_transport_domain_in, c->in, transport_domain));
}

/* Features of a key that the model does not have. */
static bool mkey_plain(const uint8_t *mkc)
{
	return !PRM_GET(mkc, mkc, free) && !PRM_GET(mkc, mkc, access_mode_4_2) &&
	       !PRM_GET(mkc, mkc, umr_en) && !PRM_GET(mkc, mkc, bsf_en) &&
	       !PRM_GET(mkc, mkc, sync_umr) && !PRM_GET(mkc, mkc, en_rinval) &&
	       !PRM_GET(mkc, mkc, bsf_octword_size) && !PRM_GET(mkc, mkc, ma_translation_mode) &&
	       !PRM_GET(mkc, mkc, crossing_target_vhca_id) && !PRM_GET(mkc, mkc, pcie_tph_en) &&
	       PRM_GET(mkc, mkc, qpn) == MKEY_NO_QPN;
}

/* Everything about the memory behind the key. */
static enum model_synd mkey_memory(struct model_cmd *c, const uint8_t *mkc, struct model_mkey *k,
				   struct model_umem **umem)
{
	uint64_t offset = PRM_GET(create_mkey_in, c->in, mkey_umem_offset);
	uint64_t mode = PRM_GET(mkc, mkc, access_mode_1_0);

	*umem = NULL;
	k->start = PRM_GET(mkc, mkc, start_addr);
	k->len = PRM_GET(mkc, mkc, len);
	if (mode == PRM_MKC_ACCESS_MODE_PA) {
		k->physical = true;
		return c->uid ? MODEL_S_MKEY_UMEM : MODEL_S_OK;
	}
	if (mode != PRM_MKC_ACCESS_MODE_MTT || PRM_GET(mkc, mkc, length64))
		return MODEL_S_MKEY_MODE;
	if (k->len == 0 || k->start + k->len < k->start)
		return MODEL_S_MKEY_RANGE;
	if (!PRM_GET(create_mkey_in, c->in, mkey_umem_valid))
		return MODEL_S_MKEY_UMEM;
	*umem = model_cmd_find(c, MODEL_UMEM,
			       (uint32_t)PRM_GET(create_mkey_in, c->in, mkey_umem_id));
	if (!*umem)
		return c->why;
	if (offset > (*umem)->len || k->len > (*umem)->len - offset)
		return MODEL_S_MKEY_UMEM;
	k->addr = (*umem)->addr + offset;
	return MODEL_S_OK;
}

enum model_synd model_do_CREATE_MKEY(struct model_cmd *c)
{
	const uint8_t *mkc = PRM_AT(create_mkey_in, c->in, memory_key_mkey_entry);
	struct model_mkey tmp = {.lr = true}, *k;
	struct model_umem *umem;
	struct model_pd *pd;
	enum model_synd s;

	if (!mkey_plain(mkc) || PRM_GET(create_mkey_in, c->in, data_direct))
		return MODEL_S_MKEY_MODE;
	pd = model_cmd_find(c, MODEL_PD, (uint32_t)PRM_GET(mkc, mkc, pd));
	if (!pd)
		return c->why;
	s = mkey_memory(c, mkc, &tmp, &umem);
	if (s != MODEL_S_OK)
		return s;
	k = model_cmd_new(c, MODEL_MKEY, sizeof(*k), 1);
	if (!k)
		return c->why;
	k->lr = true;
	k->lw = PRM_GET(mkc, mkc, lw);
	k->pd = pd->o.id;
	k->lkey = k->o.id << 8 | (uint32_t)PRM_GET(mkc, mkc, mkey_7_0);
	k->start = tmp.start;
	k->len = tmp.len;
	k->addr = tmp.addr;
	k->physical = tmp.physical;
	model_obj_use(&k->o, &pd->o);
	if (umem)
		model_obj_use(&k->o, &umem->o);
	PRM_SET(create_mkey_out, c->out, mkey_index, k->o.id);
	return MODEL_S_OK;
}

enum model_synd model_do_DESTROY_MKEY(struct model_cmd *c)
{
	return model_cmd_destroy(c, MODEL_MKEY,
				 (uint32_t)PRM_GET(destroy_mkey_in, c->in, mkey_index));
}
