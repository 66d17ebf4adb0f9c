// SPDX-License-Identifier: BSD-2-Clause
/*
 * TLS WQEs: UMR and SET_PSV update the context of a TIS, GET_PSV reads it, DUMP moves bytes through it.
 *
 * When an update takes effect. A card updates contexts beside its pipeline, so that only a fence orders data and
 * updates. The model does the worst that is allowed, always:
 *
 *   update, data             the data meets the old context; then the update takes effect
 *   data, update             the update takes effect first, if both were posted when the data is executed
 *   update, fence            a fenced WQE (initiator small) begins when all earlier updates have taken effect
 *   data, fenced update      the update waits for the data
 *   update, update           of one TIS: in order
 *
 * An update waits in the context as `pending` of its queue; what is pending is one set of static parameters and whether
 * progress was set after it, since only the last of several unfenced updates can ever be seen. A queue that fails or
 * is reset takes the contexts that it was updating with it: they are not armed.
 *
 * Locks: the queue's; t->lock inside. Source: Linux en_accel/ktls_txrx.c, ktls_tx.c for the formats and fences.
 */
#include "queue.h"

#include <stdlib.h>
#include <string.h>

enum { DS = PRM_WQE_DS, BB = PRM_WQE_BB, STATIC_DS = 12, SET_DS = 2, GET_DS = 4, DUMP_DS = 2 };
enum { UMR_AT = DS, PARAMS_AT = 128, ANSWER_BYTES = 64 };

/* The TLS TIS of number tisn, if the queue may use it. */
static struct model_tis *tls_tis(struct model_dev *dev, const struct model_sq *sq, uint32_t tisn,
				 struct model_failure *f)
{
	struct model_tis *tis = tisn ? model_sq_tis(dev, sq, tisn) : NULL;

	*f = OK;
	if (tisn && !tis)
		*f = FAIL(LOCAL_QP_OP, V_TIS);
	else if (!tis || !tis->tls)
		*f = FAIL(LOCAL_QP_OP, V_TLS_TIS);
	return f->syndrome ? NULL : tis;
}

static struct model_failure check_ctrl(const struct model_wqe *w, unsigned int ds)
{
	if (w->opmod != PRM_WQE_OPMOD_TLS_TIS)
		return FAIL(LOCAL_QP_OP, V_TLS_OPMOD);
	return w->ds == ds ? OK : FAIL(LOCAL_QP_OP, V_DS);
}

/* -- what the WQEs say ------------------------------------------------------------------------------------ */

static bool good_umr(const uint8_t *umr)
{
	uint8_t want[PARAMS_AT - UMR_AT] = {0}; /* control segment and memory key segment */

	PRM_SET(wqe_umr_ctrl_seg, want, flags, PRM_WQE_UMR_INLINE);
	PRM_SET(wqe_umr_ctrl_seg, want, bsf_octowords, PRM_TLS_STATIC_BSF_OCTOWORDS);
	return memcmp(umr, want, sizeof(want)) == 0;
}

/* Made anew from what is understood, it must be what it was: then everything else is 0. */
static bool good_static(const struct model_dev *dev, const uint8_t *s)
{
	uint8_t want[PRM_BYTES(tls_static_params)] = {0};
	uint64_t version = PRM_GET(tls_static_params, s, tls_version);

	if (version != PRM_TLS_VERSION_1_2 &&
	    (version != PRM_TLS_VERSION_1_3 || !dev->profile.tls13))
		return false;
	PRM_SET(tls_static_params, want, const_1, PRM_TLS_CONST_1);
	PRM_SET(tls_static_params, want, const_2, PRM_TLS_CONST_2);
	PRM_SET(tls_static_params, want, tls_version, version);
	PRM_SET(tls_static_params, want, encryption_standard, PRM_TLS_ENCRYPTION_STANDARD);
	PRM_SET(tls_static_params, want, initial_record_number,
		PRM_GET(tls_static_params, s, initial_record_number));
	PRM_SET(tls_static_params, want, gcm_iv, PRM_GET(tls_static_params, s, gcm_iv));
	if (version == PRM_TLS_VERSION_1_3)
		PRM_SET(tls_static_params, want, implicit_iv,
			PRM_GET(tls_static_params, s, implicit_iv));
	PRM_SET(tls_static_params, want, dek_index, PRM_GET(tls_static_params, s, dek_index));
	return memcmp(s, want, sizeof(want)) == 0;
}

static struct model_failure read_static(struct model_dev *dev, const struct model_sq *sq,
					const struct model_wqe *w, struct model_tis **tis,
					struct model_tls_params *p)
{
	const uint8_t *s = w->b + PARAMS_AT;
	struct model_failure f = check_ctrl(w, STATIC_DS);

	if (f.syndrome)
		return f;
	*tis = tls_tis(dev, sq, w->tisn, &f);
	if (!*tis)
		return f;
	if (!good_umr(w->b + UMR_AT))
		return FAIL(LOCAL_QP_OP, V_TLS_UMR);
	if (!good_static(dev, s))
		return FAIL(LOCAL_QP_OP, V_TLS_STATIC);
	p->v13 = PRM_GET(tls_static_params, s, tls_version) == PRM_TLS_VERSION_1_3;
	p->record = PRM_GET(tls_static_params, s, initial_record_number);
	p->dekn = (uint32_t)PRM_GET(tls_static_params, s, dek_index);
	prm_put(p->iv, 0, 32, PRM_GET(tls_static_params, s, gcm_iv));
	prm_put(p->iv, 32, 64, PRM_GET(tls_static_params, s, implicit_iv));
	return model_tls_dek(dev, *tis, p->dekn) ? OK : FAIL(LOCAL_QP_OP, V_TLS_DEK);
}

static struct model_failure read_progress(struct model_dev *dev, const struct model_sq *sq,
					  const struct model_wqe *w, struct model_tis **tis)
{
	static const uint8_t zero[PRM_BYTES(tls_progress_params)];
	const uint8_t *psv = w->b + DS;
	uint32_t number = (uint32_t)PRM_GET(wqe_set_psv_seg, psv, tis_tir_num);
	struct model_failure f = check_ctrl(w, SET_DS);

	if (f.syndrome)
		return f;
	*tis = tls_tis(dev, sq, number, &f);
	if (!*tis)
		return f;
	if (w->tisn || memcmp(PRM_AT(wqe_set_psv_seg, psv, progress), zero, sizeof(zero)) != 0)
		return FAIL(LOCAL_QP_OP, V_TLS_PROGRESS);
	return OK;
}

/* -- updates ------------------------------------------------------------------------------------------------ */

/* With t->lock. */
static void land(struct model_tls *t)
{
	if (t->pending.has_params)
		model_tls_set(t, &t->pending.params);
	if (t->pending.arm)
		model_tls_arm(t);
	t->pending.owner = NULL;
	t->pending.has_params = t->pending.arm = false;
}

static bool remember(struct model_sq *sq, uint32_t tisn)
{
	if (sq->npending == sq->pending_room) {
		uint32_t room = sq->pending_room ? 2 * sq->pending_room : 16;
		uint32_t *more = realloc(sq->pending, room * sizeof(*more));

		if (!more)
			return false;
		sq->pending = more;
		sq->pending_room = room;
	}
	sq->pending[sq->npending++] = tisn;
	return true;
}

/* An update of `tis` waits from now on; what another queue left waiting takes effect. params NULL: arm. */
static void wait_for_fence(struct model_sq *sq, struct model_tis *tis,
			   const struct model_tls_params *params)
{
	struct model_tls *t = tis->tls;
	bool known;

	pthread_mutex_lock(&t->lock);
	if (t->pending.owner && t->pending.owner != sq)
		land(t);
	known = t->pending.owner == sq;
	t->pending.owner = sq;
	if (params) {
		t->pending.params = *params;
		t->pending.has_params = true;
	}
	t->pending.arm = !params;
	if (!known && !remember(sq, tis->o.id))
		land(t);
	pthread_mutex_unlock(&t->lock);
}

struct model_failure model_tls_static(struct model_dev *dev, struct model_sq *sq,
				      const struct model_wqe *w)
{
	struct model_tls_params p = {0};
	struct model_tis *tis;
	struct model_failure f = read_static(dev, sq, w, &tis, &p);

	if (f.syndrome)
		return f;
	wait_for_fence(sq, tis, &p);
	model_tls_count(dev, MODEL_TLS_N_STATIC, 1);
	return OK;
}

struct model_failure model_tls_progress(struct model_dev *dev, struct model_sq *sq,
					const struct model_wqe *w)
{
	struct model_tis *tis;
	struct model_failure f = read_progress(dev, sq, w, &tis);

	if (f.syndrome)
		return f;
	wait_for_fence(sq, tis, NULL);
	model_tls_count(dev, MODEL_TLS_N_PROGRESS, 1);
	return OK;
}

/* Every TIS of sq->pending, if its update is still that of this queue. */
static void settle(struct model_dev *dev, struct model_sq *sq, bool lost)
{
	for (uint32_t i = 0; i < sq->npending; i++) {
		struct model_tis *tis =
			(struct model_tis *)model_obj_find(dev, MODEL_TIS, sq->pending[i]);
		struct model_tls *t = tis ? tis->tls : NULL;

		if (!t)
			continue;
		pthread_mutex_lock(&t->lock);
		if (t->pending.owner == sq) {
			land(t);
			if (lost)
				t->state = MODEL_TLS_UNARMED;
		}
		pthread_mutex_unlock(&t->lock);
	}
	sq->npending = 0;
}

void model_tls_land(struct model_dev *dev, struct model_sq *sq)
{
	settle(dev, sq, false);
}

void model_tls_forget(struct model_dev *dev, struct model_sq *sq)
{
	settle(dev, sq, true);
}

/* -- what overtakes ----------------------------------------------------------------------------------------- */

/* Where WQE and what it is, from its control segment alone; whether it can be stepped over. */
struct peek {
	unsigned int nbb;
	bool fenced, update;
};

static bool peek(const struct model_sq *sq, uint16_t index, uint16_t posted, struct peek *k)
{
	uint8_t ctrl[DS];

	memcpy(ctrl, sq->ring + (size_t)(index & ((UINT32_C(1) << sq->log_size) - 1)) * BB, DS);
	k->nbb = ((unsigned int)PRM_GET(wqe_ctrl_seg, ctrl, ds) * DS + BB - 1) / BB;
	k->fenced = (PRM_GET(wqe_ctrl_seg, ctrl, fm_ce_se) & MODEL_WQE_FENCE_MASK) ==
		    PRM_WQE_FENCE_INITIATOR_SMALL;
	k->update = PRM_GET(wqe_ctrl_seg, ctrl, opcode) == PRM_WQE_OP_UMR ||
		    PRM_GET(wqe_ctrl_seg, ctrl, opcode) == PRM_WQE_OP_SET_PSV;
	return k->nbb && k->nbb <= posted;
}

/*
 * Look at what is posted behind w up to the next fence, once per WQE and run. Is there an update behind it?
 */
static bool updates_ahead(struct model_sq *sq, const struct model_wqe *w, uint16_t posted)
{
	struct model_ahead *a = &sq->ahead;
	uint16_t pi = (uint16_t)(w->index + posted), d = (uint16_t)(a->end - w->index);
	struct peek k;

	if (!a->valid || d == 0 || d > posted)
		*a = (struct model_ahead){.valid = true, .end = (uint16_t)(w->index + w->nbb)};
	while (!a->closed && a->end != pi) {
		a->closed = !peek(sq, a->end, (uint16_t)(pi - a->end), &k) || k.fenced;
		if (a->closed)
			break;
		if (k.update) {
			a->any = true;
			a->last = a->end;
		}
		a->end = (uint16_t)(a->end + k.nbb);
	}
	d = (uint16_t)(a->last - w->index);
	return a->any && d > 0 && d < posted;
}

/* Did the update at this place take effect? Wrong ones do nothing: they fail when it is their turn. */
static bool early(struct model_dev *dev, struct model_sq *sq, struct model_tis *tis, uint16_t index,
		  uint16_t posted)
{
	struct model_tls_params p = {0};
	struct model_tis *named = NULL;
	struct model_wqe w;
	struct model_failure f = model_sq_fetch(dev, sq, index, posted, &w);
	bool params = w.opcode == PRM_WQE_OP_UMR;

	if (!f.syndrome)
		f = params ? read_static(dev, sq, &w, &named, &p)
			   : read_progress(dev, sq, &w, &named);
	if (f.syndrome || named != tis)
		return false;
	pthread_mutex_lock(&tis->tls->lock);
	if (params)
		model_tls_set(tis->tls, &p);
	else
		model_tls_arm(tis->tls);
	pthread_mutex_unlock(&tis->tls->lock);
	return true;
}

void model_tls_before(struct model_dev *dev, struct model_sq *sq, struct model_tis *tis,
		      const struct model_wqe *w, uint16_t posted)
{
	struct model_tls *t = tis->tls;
	bool waiting, overtaken = false;
	struct peek k;

	pthread_mutex_lock(&t->lock);
	waiting = t->pending.owner == sq;
	pthread_mutex_unlock(&t->lock);
	if (!waiting && updates_ahead(sq, w, posted)) {
		uint16_t end = sq->ahead.end, pi = (uint16_t)(w->index + posted);

		for (uint16_t i = (uint16_t)(w->index + w->nbb); i != end;
		     i = (uint16_t)(i + k.nbb)) {
			/* the ring is the host's: it may have changed since it was looked at */
			if (!peek(sq, i, (uint16_t)(end - i), &k))
				break;
			if (k.update)
				overtaken |= early(dev, sq, tis, i, (uint16_t)(pi - i));
		}
	}
	if (waiting || overtaken)
		model_tls_count(dev, MODEL_TLS_N_OVERTAKEN, 1);
}

void model_tls_after(struct model_sq *sq, struct model_tis *tis)
{
	pthread_mutex_lock(&tis->tls->lock);
	if (tis->tls->pending.owner == sq)
		land(tis->tls);
	pthread_mutex_unlock(&tis->tls->lock);
}

bool model_tls_through(struct model_dev *dev, const struct model_tis *tis, uint8_t *bytes, size_t n)
{
	bool good;

	pthread_mutex_lock(&tis->tls->lock);
	model_tls_run(dev, tis, bytes, n);
	good = tis->tls->state == MODEL_TLS_ARMED;
	pthread_mutex_unlock(&tis->tls->lock);
	return good;
}

/* -- GET_PSV, DUMP ------------------------------------------------------------------------------------------- */

static struct model_failure check_get(const struct model_wqe *w)
{
	const uint8_t *psv = w->b + DS;
	uint8_t want[PRM_BYTES(wqe_get_psv_seg)] = {0};

	PRM_SET(wqe_get_psv_seg, want, num_psv, PRM_TLS_GET_PSV_ONE);
	PRM_SET(wqe_get_psv_seg, want, lkey, PRM_GET(wqe_get_psv_seg, psv, lkey));
	PRM_SET(wqe_get_psv_seg, want, addr, PRM_GET(wqe_get_psv_seg, psv, addr));
	PRM_SET(wqe_get_psv_seg, want, psv_index_0, PRM_GET(wqe_get_psv_seg, psv, psv_index_0));
	if (w->tisn || memcmp(psv, want, sizeof(want)) != 0 ||
	    PRM_GET(wqe_get_psv_seg, psv, addr) % ANSWER_BYTES)
		return FAIL(LOCAL_QP_OP, V_TLS_ANSWER);
	return OK;
}

/* As the tracker of a receiver names it: searching is a context that has lost the stream. */
static void answer(const struct model_tis *tis, uint8_t *out)
{
	const struct model_tls *t = tis->tls;
	uint8_t *p = PRM_AT(wqe_set_psv_seg, out, progress);
	bool on = t->state == MODEL_TLS_ARMED && t->moved;

	memset(out, 0, ANSWER_BYTES);
	PRM_SET(wqe_set_psv_seg, out, tis_tir_num, tis->o.id);
	PRM_SET(tls_progress_params, p, record_tracker_state,
		t->state == MODEL_TLS_LOST ? PRM_TLS_TRACKER_SEARCHING
		: on			   ? PRM_TLS_TRACKER_TRACKING
					   : PRM_TLS_TRACKER_START);
	PRM_SET(tls_progress_params, p, auth_state,
		on ? PRM_TLS_AUTH_OFFLOAD : PRM_TLS_AUTH_NO_OFFLOAD);
	if (on)
		PRM_SET(tls_progress_params, p, hw_offset_record_number,
			(t->record - t->params.record) & 0xffffff);
}

struct model_failure model_tls_get(struct model_dev *dev, struct model_sq *sq,
				   const struct model_wqe *w)
{
	const uint8_t *psv = w->b + DS;
	struct model_failure f = check_ctrl(w, GET_DS);
	struct model_tis *tis;
	uint8_t *to;

	if (!f.syndrome)
		f = check_get(w);
	if (f.syndrome)
		return f;
	tis = tls_tis(dev, sq, (uint32_t)PRM_GET(wqe_get_psv_seg, psv, psv_index_0), &f);
	if (!tis)
		return f;
	to = model_mem(dev, sq->pd, (uint32_t)PRM_GET(wqe_get_psv_seg, psv, lkey),
		       PRM_GET(wqe_get_psv_seg, psv, addr), ANSWER_BYTES, true);
	if (!to)
		return FAIL(LOCAL_PROT, V_LKEY);
	pthread_mutex_lock(&tis->tls->lock);
	answer(tis, to);
	pthread_mutex_unlock(&tis->tls->lock);
	return OK;
}

/* The bytes are worked on in p's buffer: the host's memory stays. */
struct model_failure model_tls_dump(struct model_dev *dev, struct model_sq *sq,
				    const struct model_wqe *w, uint16_t posted, struct model_pkt *p)
{
	const uint8_t *seg = w->b + DS, *from;
	uint32_t n = (uint32_t)PRM_GET(wqe_data_seg, seg, byte_count);
	struct model_failure f;
	struct model_tis *tis;

	if (w->ds != DUMP_DS)
		return FAIL(LOCAL_QP_OP, V_DS);
	tis = tls_tis(dev, sq, w->tisn, &f);
	if (!tis)
		return f;
	if (n == 0 || n > dev->profile.mtu || n > MODEL_MAX_FRAME)
		return FAIL(LOCAL_LENGTH, V_TLS_DUMP);
	from = model_mem(dev, sq->pd, (uint32_t)PRM_GET(wqe_data_seg, seg, lkey),
			 PRM_GET(wqe_data_seg, seg, addr), n, false);
	if (!from)
		return FAIL(LOCAL_PROT, V_LKEY);
	model_tls_before(dev, sq, tis, w, posted);
	memcpy(p->buf, from, n);
	model_tls_through(dev, tis, p->buf, n);
	model_tls_after(sq, tis);
	model_tls_count(dev, MODEL_TLS_N_DUMPS, 1);
	model_tls_count(dev, MODEL_TLS_N_DUMP_BYTES, n);
	return OK;
}
