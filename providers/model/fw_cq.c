// SPDX-License-Identifier: BSD-2-Clause
/*
 * Firmware: CQ. Made with ring and doorbell record in umems; moderation is remembered and read back but has no effect:
 * an armed CQ raises its event with the next CQE. Source: PRM, cqc; Linux mlx5/cq.h for what MODIFY_CQ selects.
 */
#include "fw.h"

#include <stdlib.h>
#include <string.h>

enum { MAX_LOG_CQ = 22, CQE_BYTES = 64, INDEX_MASK = 0xffffff };

uint8_t *model_cmd_umem(struct model_cmd *c, bool valid, uint32_t id, uint64_t offset,
			uint64_t bytes, unsigned int align, enum model_synd bad,
			struct model_umem **umem)
{
	*umem = NULL;
	c->why = bad;
	if (!valid)
		return NULL;
	*umem = model_cmd_find(c, MODEL_UMEM, id);
	if (!*umem)
		return NULL;
	c->why = bad;
	if (offset % align || offset > (*umem)->len || bytes > (*umem)->len - offset ||
	    (uintptr_t)((*umem)->addr + offset) % align)
		return NULL;
	return (*umem)->addr + offset;
}

static bool cq_plain(const uint8_t *cqc)
{
	return PRM_GET(cqc, cqc, cqe_sz) == PRM_CQC_CQE_SZ_64_BYTES && !PRM_GET(cqc, cqc, cc) &&
	       !PRM_GET(cqc, cqc, oi) && !PRM_GET(cqc, cqc, cqe_comp_en) &&
	       !PRM_GET(cqc, cqc, apu_cq) && !PRM_GET(cqc, cqc, status) &&
	       !PRM_GET(cqc, cqc, mini_cqe_res_format) &&
	       !PRM_GET(cqc, cqc, cqe_compression_layout) && !PRM_GET(cqc, cqc, producer_counter) &&
	       !PRM_GET(cqc, cqc, consumer_counter);
}

enum model_synd model_do_CREATE_CQ(struct model_cmd *c)
{
	const uint8_t *cqc = PRM_AT(create_cq_in, c->in, cq_context);
	uint32_t log = (uint32_t)PRM_GET(cqc, cqc, log_cq_size);
	struct model_umem *ring_umem, *dbr_umem;
	struct model_uar *uar;
	struct model_cq *cq;
	uint8_t *ring, *dbr, *copy;

	if (!cq_plain(cqc))
		return MODEL_S_CQ_CONTEXT;
	if (log > MAX_LOG_CQ)
		return MODEL_S_CQ_SIZE;
	uar = model_cmd_find(c, MODEL_UAR, (uint32_t)PRM_GET(cqc, cqc, uar_page));
	if (!uar)
		return c->why;
	if (PRM_GET(cqc, cqc, c_eqn_or_apu_element) != MODEL_EQN)
		return MODEL_S_CQ_EQN;
	ring = model_cmd_umem(c, PRM_GET(create_cq_in, c->in, cq_umem_valid),
			      (uint32_t)PRM_GET(create_cq_in, c->in, cq_umem_id),
			      PRM_GET(create_cq_in, c->in, cq_umem_offset),
			      (uint64_t)CQE_BYTES << log, MODEL_RING_ALIGN, MODEL_S_RING_UMEM,
			      &ring_umem);
	if (!ring)
		return c->why;
	dbr = model_cmd_umem(c, PRM_GET(cqc, cqc, dbr_umem_valid),
			     (uint32_t)PRM_GET(cqc, cqc, dbr_umem_id), PRM_GET(cqc, cqc, dbr_addr),
			     MODEL_DBR_BYTES, MODEL_DBR_BYTES, MODEL_S_DBR_UMEM, &dbr_umem);
	if (!dbr)
		return c->why;
	copy = malloc(PRM_BYTES(cqc));
	if (!copy)
		return MODEL_S_NO_MEMORY;
	memcpy(copy, cqc, PRM_BYTES(cqc));
	cq = model_cmd_new(c, MODEL_CQ, sizeof(*cq), 1);
	if (!cq) {
		free(copy);
		return c->why;
	}
	pthread_mutex_init(&cq->lock, NULL);
	cq->cqc = copy;
	cq->uar_page = uar->o.id;
	cq->ring = ring;
	cq->dbrec = dbr;
	cq->log_size = log;
	model_obj_use(&cq->o, &uar->o);
	model_obj_use(&cq->o, &ring_umem->o);
	model_obj_use(&cq->o, &dbr_umem->o);
	PRM_SET(create_cq_out, c->out, cqn, cq->o.id);
	return MODEL_S_OK;
}

enum model_synd model_do_DESTROY_CQ(struct model_cmd *c)
{
	return model_cmd_destroy(c, MODEL_CQ, (uint32_t)PRM_GET(destroy_cq_in, c->in, cqn));
}

enum model_synd model_do_MODIFY_CQ(struct model_cmd *c)
{
	struct model_cq *cq =
		model_cmd_find(c, MODEL_CQ, (uint32_t)PRM_GET(modify_cq_in, c->in, cqn));
	const uint8_t *cqc = PRM_AT(modify_cq_in, c->in, cq_context);
	uint64_t select = PRM_GET(modify_cq_in, c->in, modify_field_select);

	if (!cq)
		return c->why;
	if (!select || (select & ~(uint64_t)(PRM_CQ_MODIFY_PERIOD | PRM_CQ_MODIFY_COUNT |
					     PRM_CQ_MODIFY_PERIOD_MODE)))
		return MODEL_S_CQ_SELECT;
	if (select & PRM_CQ_MODIFY_PERIOD)
		PRM_SET(cqc, cq->cqc, cq_period, PRM_GET(cqc, cqc, cq_period));
	if (select & PRM_CQ_MODIFY_COUNT)
		PRM_SET(cqc, cq->cqc, cq_max_count, PRM_GET(cqc, cqc, cq_max_count));
	if (select & PRM_CQ_MODIFY_PERIOD_MODE)
		PRM_SET(cqc, cq->cqc, cq_period_mode, PRM_GET(cqc, cqc, cq_period_mode));
	return MODEL_S_OK;
}

enum model_synd model_do_QUERY_CQ(struct model_cmd *c)
{
	struct model_cq *cq =
		model_cmd_find(c, MODEL_CQ, (uint32_t)PRM_GET(query_cq_in, c->in, cqn));
	uint8_t *cqc = PRM_AT(query_cq_out, c->out, cq_context);
	uint32_t ci;

	if (!cq)
		return c->why;
	ci = __builtin_bswap32(__atomic_load_n((uint32_t *)(void *)cq->dbrec, __ATOMIC_ACQUIRE));
	memcpy(cqc, cq->cqc, PRM_BYTES(cqc));
	PRM_SET(cqc, cqc, status, cq->overrun ? PRM_CQC_STATUS_CQ_OVERFLOW : PRM_CQC_STATUS_OK);
	PRM_SET(cqc, cqc, st, cq->armed ? PRM_CQC_ST_NOTIFICATION_REQUEST_ARMED : PRM_CQC_ST_FIRED);
	PRM_SET(cqc, cqc, last_notified_index, cq->notified & INDEX_MASK);
	PRM_SET(cqc, cqc, consumer_counter, ci & INDEX_MASK);
	PRM_SET(cqc, cqc, producer_counter, cq->pi & INDEX_MASK);
	return MODEL_S_OK;
}
