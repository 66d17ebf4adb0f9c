// SPDX-License-Identifier: BSD-2-Clause
/* Sending through TLS contexts by hand: see rig.h. */
#include "rig.h"

#include <mlx5_offload/model.h>
#include <mlx5_offload/tls.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "objects/region.h"

enum { IP_AT = 14, IP_LEN_AT = 16, TCP_SEQ_AT = 38, IP_TCP = 40, SPINS = 100000, NAPS = 2000 };
enum { OWN_AT = 63, BODY = PRM_BYTES(create_encryption_key_in) - 16 };

/* Source and destination, lengths and sequence number come later. Checksums are the device's. */
static const uint8_t headers[RIG_HEADERS] = {
	0x02, 0x00, 0x5e, 0x00, 0x02, 0x02, 0x02, 0x00, 0x5e, 0x00, 0x02, 0x01,
	0x08, 0x00,								/* Ethernet */
	0x45, 0x00, 0x00, 0x00, 0x00, 0x01, 0x40, 0x00, 0x01, 0x06, 0x00, 0x00, /* IPv4 */
	192,  0,    2,	  1,	192,  0,    2,	  2,				/* addresses */
	0x01, 0xbb, 0xc3, 0x50, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x01, /* TCP */
	0x50, 0x10, 0x20, 0x00, 0x00, 0x00, 0x00, 0x00};

/* -- making one ------------------------------------------------------------------------------------------------ */

static void write_stream(struct rig *rig)
{
	uint8_t data[RIG_DATA], *mem = rig->mem->addr;

	for (size_t i = 0; i < sizeof(data); i++)
		data[i] = (uint8_t)(i * 11 + (i >> 8) * 5 + 1);
	rig->keys.len = KEY_BYTES;
	memcpy(rig->keys.key, measure_key, KEY_BYTES);
	memcpy(rig->keys.iv, "salt", 4);
	rig->record = tls_write(&rig->keys, mem + RIG_RECORD_AT, 1, data, sizeof(data));
}

/* In the thread that rings. */
static void watch(void *ctx, uint64_t when, const uint8_t *frame, size_t len)
{
	struct rig *rig = ctx;
	uint32_t at = (uint32_t)prm_get(frame, TCP_SEQ_AT * 8, 32);

	if (len < RIG_HEADERS || at + (len - RIG_HEADERS) > rig->record)
		return;
	memcpy(rig->wire + at, frame + RIG_HEADERS, len - RIG_HEADERS);
	rig->wired += len - RIG_HEADERS;
}

static bool make(struct rig *rig, struct answer *a, unsigned int log_blocks)
{
	struct mlxo_device *dev = rig->lab->dev;

	if (!lab_made(a, queue_sq_init(&rig->sq, dev, log_blocks), "a send queue") ||
	    !lab_made(a, obj_region_create_mr(dev, RIG_MEMORY, &rig->mem), "memory") ||
	    !lab_must(a,
		      keys_single(rig->lab, PRM_GENERAL_OBJECT_TYPE_ENCRYPTION_KEY_PURPOSE_TLS,
				  BODY, &rig->key),
		      "a key"))
		return false;
	write_stream(rig);
	rig->wire = calloc(1, rig->record);
	if (!rig->wire)
		answer_fail(a, "no memory");
	return rig->wire;
}

bool rig_open(struct rig *rig, struct lab *lab, struct answer *a, unsigned int log_blocks)
{
	memset(rig, 0, sizeof(*rig));
	rig->lab = lab;
	if (mlxo_device_check_tls(lab->dev, MLXO_TLS_1_2, MLXO_TLS_AES_GCM_128)) {
		answer_skip(a, "%s", mlxo_error_last()->text);
		return false;
	}
	if (!make(rig, a, log_blocks)) {
		rig_close(rig, a);
		return false;
	}
	if (lab->is_model)
		mlxo_model_wire_watch(lab->dev, watch, rig);
	return true;
}

/* The queue goes before the contexts and the key, which are on the lab's pile. */
void rig_close(struct rig *rig, struct answer *a)
{
	if (rig->lab->is_model)
		mlxo_model_wire_watch(rig->lab->dev, NULL, NULL);
	lab_made(a, queue_sq_fini(&rig->sq), "the end of a send queue");
	obj_region_destroy(rig->lab->dev, rig->mem);
	free(rig->wire);
}

uint32_t rig_context(struct rig *rig, struct answer *a)
{
	struct mlxo_device *dev = rig->lab->dev;
	uint8_t in[PRM_BYTES(create_tis_in)] = {0}, out[PRM_BYTES(create_tis_out)];
	uint8_t *tisc = PRM_AT(create_tis_in, in, ctx);

	PRM_SET(create_tis_in, in, opcode, PRM_CMD_OP_CREATE_TIS);
	PRM_SET(tisc, tisc, tls_en, 1);
	PRM_SET(tisc, tisc, transport_domain, dev->td.id);
	PRM_SET(tisc, tisc, pd, dev->pd.id);
	if (!lab_must(a, lab_create(rig->lab, in, sizeof(in), out, sizeof(out), NULL),
		      "a TLS context"))
		return 0;
	if (!PRM_GET(create_tis_out, out, tisn))
		answer_fail(a, "the TLS context has number 0, which means none in a WQE");
	return (uint32_t)PRM_GET(create_tis_out, out, tisn);
}

/* -- posting ---------------------------------------------------------------------------------------------------- */

void rig_static(struct rig *rig, uint32_t tisn, bool fence)
{
	struct queue_tls_static s = {.wqe = {.fence = fence, .tisn = tisn},
				     .version = PRM_TLS_VERSION_1_2,
				     .iv = rig->keys.iv,
				     .dek = rig->key.id};
	uint8_t *to = queue_sq_begin(&rig->sq, QUEUE_TLS_STATIC_BLOCKS, &s.wqe);

	queue_sq_end(&rig->sq, queue_wqe_tls_static(to, &s));
}

void rig_progress(struct rig *rig, uint32_t tisn, bool fence)
{
	struct queue_wqe w = {.fence = fence, .tisn = tisn};
	uint8_t *to = queue_sq_begin(&rig->sq, QUEUE_TLS_PROGRESS_BLOCKS, &w);

	queue_sq_end(&rig->sq, queue_wqe_tls_progress(to, &w));
}

void rig_arm(struct rig *rig, uint32_t tisn)
{
	rig_static(rig, tisn, false);
	rig_progress(rig, tisn, true);
	queue_sq_nop(&rig->sq, true);
}

void rig_dump(struct rig *rig, uint32_t tisn, uint32_t bytes, bool fence, uint32_t lkey)
{
	struct queue_wqe w = {.fence = fence, .tisn = tisn};
	struct queue_seg seg = {.addr = (uintptr_t)rig->mem->addr + RIG_RECORD_AT,
				.lkey = lkey ? lkey : rig->mem->mr.lkey,
				.len = bytes};
	uint8_t *to = queue_sq_begin(&rig->sq, QUEUE_TLS_DUMP_BLOCKS, &w);

	queue_sq_end(&rig->sq, queue_wqe_tls_dump(to, &w, &seg));
}

/* Headers of different frames must not share memory while the device may read them. */
static void send_one(struct rig *rig, struct queue_wqe w, bool in_wqe, uint32_t at, uint32_t n)
{
	uint8_t *hdr = rig->mem->addr + RIG_RECORD_AT + (rig->record + 63) / 64 * 64 +
		       (size_t)at / 1024 * 64;
	struct queue_seg seg[2] = {
		{(uintptr_t)hdr, rig->mem->mr.lkey, RIG_HEADERS},
		{(uintptr_t)rig->mem->addr + RIG_RECORD_AT + at, rig->mem->mr.lkey, n}};
	struct queue_send send = {.wqe = w,
				  .cs_flags = PRM_WQE_ETH_CSUM_L3 | PRM_WQE_ETH_CSUM_L4,
				  .inline_hdr = hdr,
				  .inline_len = in_wqe ? RIG_HEADERS : 0,
				  .seg = in_wqe ? seg + 1 : seg,
				  .nsegs = in_wqe ? 1 : 2};
	unsigned int blocks = queue_send_blocks(send.inline_len, send.nsegs);
	uint8_t *to = queue_sq_begin(&rig->sq, blocks, &send.wqe);

	memcpy(hdr, headers, RIG_HEADERS);
	prm_put(hdr, IP_LEN_AT * 8, 16, IP_TCP + n);
	prm_put(hdr, TCP_SEQ_AT * 8, 32, at);
	queue_sq_end(&rig->sq, queue_wqe_send(to, &send));
}

void rig_send(struct rig *rig, uint32_t tisn, bool in_wqe, bool fence)
{
	struct queue_wqe w = {.fence = fence, .tisn = tisn};
	uint32_t most = 1400;

	rig->wired = 0;
	for (uint32_t at = 0; at < rig->record; at += most, w.fence = false)
		send_one(rig, w, in_wqe, at,
			 rig->record - at < most ? (uint32_t)rig->record - at : most);
}

/* -- completions ------------------------------------------------------------------------------------------------ */

/* Look at the next completion before the queue takes it. */
static void note_error(struct rig *rig)
{
	const struct queue_cq *cq = &rig->sq.cq;
	const uint8_t *cqe = queue_ring_entry(&cq->ring, cq->ci);
	uint8_t own = __atomic_load_n(cqe + OWN_AT, __ATOMIC_ACQUIRE);

	if (rig->syndrome || (own & 1) != (cq->ci >> cq->ring.log_size & 1) ||
	    own >> 4 != PRM_CQE_OP_REQ_ERR)
		return;
	rig->syndrome = (uint8_t)PRM_GET(err_cqe, cqe, syndrome);
	rig->vendor = (uint8_t)PRM_GET(err_cqe, cqe, vendor_err_synd);
}

static bool is_over(struct rig *rig)
{
	rig->lab->dev->ops->progress(rig->lab->dev->prov);
	note_error(rig);
	queue_sq_poll(&rig->sq);
	return rig->sq.failed || queue_sq_is_done(&rig->sq, rig->sq.posted);
}

enum rig_end rig_finish(struct rig *rig)
{
	bool over = false;

	rig->syndrome = rig->vendor = 0;
	queue_sq_signal(&rig->sq);
	queue_sq_flush(&rig->sq);
	for (int i = 0; i < SPINS + NAPS && !(over = is_over(rig)); i++)
		if (i >= SPINS)
			rig->lab->dev->ops->wait(rig->lab->dev->prov, 1);
	return rig->sq.failed ? RIG_ERROR : over ? RIG_DONE : RIG_SILENCE;
}

void rig_say(struct rig *rig, struct answer *a, const char *what, enum rig_end end, bool sent)
{
	const char *name = prm_constant_name("CQE_SYND_", rig->syndrome);

	if (end == RIG_ERROR) {
		answer_say(a, "%s: error completion (%s)", what, name ? name : "unknown syndrome");
		answer_number(a, rig->syndrome, "syndrome", "%s", what);
		answer_number(a, rig->vendor, "syndrome", "vendor, %s", what);
	} else if (end == RIG_SILENCE) {
		answer_say(a, "%s: no completion", what);
	} else if (!sent || !rig->lab->is_model) {
		answer_say(a, "%s: completion", what);
	} else {
		bool right = rig->wired == rig->record &&
			     tls_check(&rig->keys, 0, rig->wire, rig->mem->addr + RIG_RECORD_AT,
				       rig->record) == 1;

		answer_say(a, "%s: completion, ciphertext %s", what, right ? "right" : "wrong");
	}
}

bool rig_recover(struct rig *rig, struct answer *a)
{
	rig->sq.failed = true; /* after silence, too */
	return lab_made(a, queue_sq_recover(&rig->sq), "the queue after an error");
}
