// SPDX-License-Identifier: BSD-2-Clause
/* TLS connections on raw WQEs: see raw_tls.h. */
#include "raw_tls.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "frames.h"
#include "providers/model/control.h"

enum { LOG_RQ = 5, RX_BYTES = 10240, PORT = 1000, SEQ = 0x01020304, INLINE_AT = 30, HOST_AT = 0 };
enum { CSUM = PRM_WQE_ETH_CSUM_L3 | PRM_WQE_ETH_CSUM_L4 };

static void post_rx(struct tls_wire *w)
{
	raw_post_rx(&w->b, &w->rq, (size_t)(w->rq.pi % (1 << LOG_RQ)) * RX_BYTES, RX_BYTES);
}

void tls_open(struct tls_wire *w, const char *options, uint32_t log_sq)
{
	struct raw_rule all = {.action = PRM_FLOW_CONTEXT_ACTION_FWD_DEST};
	struct raw_table t;
	char spec[128];

	memset(w, 0, sizeof(*w));
	snprintf(spec, sizeof(spec), "model:port=pair:tls%s%s", *options ? "," : "", options);
	raw_open(&w->a, spec);
	raw_open(&w->b, "model:port=pair:tls");
	raw_sq(&w->a, &w->sq, log_sq, 10);
	raw_rq(&w->b, &w->rq, LOG_RQ, LOG_RQ + 1);
	all.to_tir = w->rq.tirn;
	t = raw_table(&w->b, PRM_FLOW_TABLE_TYPE_NIC_RX, 1);
	raw_rule(&w->b, &t, 0, &all);
	raw_attach(&w->b, &t, NULL);
	w->wire = calloc(TLS_CONNS, TLS_STREAM);
	for (int i = 0; i < 1 << LOG_RQ; i++)
		post_rx(w);
}

void tls_close(struct tls_wire *w)
{
	raw_close(&w->a);
	raw_close(&w->b);
	free(w->wire);
}

struct tls_conn *tls_conn(struct tls_wire *w, unsigned int id, bool v13, uint8_t key_len)
{
	struct tls_conn *c = &w->c[id];

	memset(c, 0, sizeof(*c));
	c->id = id;
	c->k.v13 = v13;
	c->k.len = key_len;
	for (unsigned int i = 0; i < key_len; i++)
		c->k.key[i] = (uint8_t)(i * 3 + id);
	for (unsigned int i = 0; i < (v13 ? 12 : 4); i++)
		c->k.iv[i] = (uint8_t)(0xa0 + i + id);
	c->tisn = raw_tls_tis(&w->a, &c->tis);
	c->dekn = raw_tls_dek(&w->a, c->k.key, key_len, &c->dek);
	c->host = w->a.data + HOST_AT + (size_t)id * TLS_STREAM;
	c->wire = w->wire + (size_t)id * TLS_STREAM;
	return c;
}

void tls_stream(struct tls_conn *c, uint64_t first, const size_t *lengths, unsigned int count)
{
	static uint8_t data[TLS_STREAM];

	for (size_t i = 0; i < sizeof(data); i++)
		data[i] = (uint8_t)(i * 11 + (i >> 8) * 5 + c->id);
	c->first = first;
	c->count = count;
	c->n = 0;
	for (unsigned int i = 0; i < count; i++) {
		if (c->n + lengths[i] + tls_overhead(&c->k) > TLS_STREAM)
			abort();
		c->n += tls_write(&c->k, c->host + c->n, 0x5000 + first + i, data, lengths[i]);
	}
	memset(c->wire, 0, TLS_STREAM);
}

/* -- WQEs -------------------------------------------------------------------------------------------------- */

static void begin(uint8_t *wqe, uint8_t opcode, unsigned int ds, bool fence)
{
	PRM_SET(wqe_ctrl_seg, wqe, opcode, opcode);
	PRM_SET(wqe_ctrl_seg, wqe, ds, ds);
	PRM_SET(wqe_ctrl_seg, wqe, fm_ce_se, fence ? PRM_WQE_FENCE_INITIATOR_SMALL : 0);
}

void tls_static(struct tls_wire *w, const struct tls_conn *c, uint64_t record, bool fence)
{
	uint8_t wqe[192] = {0}, *s = wqe + 128;

	begin(wqe, PRM_WQE_OP_UMR, 12, fence);
	PRM_SET(wqe_ctrl_seg, wqe, opmod, PRM_WQE_OPMOD_TLS_TIS);
	PRM_SET(wqe_ctrl_seg, wqe, tis_tir_num, c->tisn);
	PRM_SET(wqe_umr_ctrl_seg, wqe + 16, flags, PRM_WQE_UMR_INLINE);
	PRM_SET(wqe_umr_ctrl_seg, wqe + 16, bsf_octowords, PRM_TLS_STATIC_BSF_OCTOWORDS);
	PRM_SET(tls_static_params, s, const_1, PRM_TLS_CONST_1);
	PRM_SET(tls_static_params, s, const_2, PRM_TLS_CONST_2);
	PRM_SET(tls_static_params, s, tls_version,
		c->k.v13 ? PRM_TLS_VERSION_1_3 : PRM_TLS_VERSION_1_2);
	PRM_SET(tls_static_params, s, encryption_standard, PRM_TLS_ENCRYPTION_STANDARD);
	PRM_SET(tls_static_params, s, initial_record_number, record);
	memcpy(PRM_AT(tls_static_params, s, gcm_iv), c->k.iv, 12);
	PRM_SET(tls_static_params, s, dek_index, c->dekn);
	raw_post(&w->sq, wqe);
}

void tls_progress(struct tls_wire *w, const struct tls_conn *c, bool fence)
{
	uint8_t wqe[64] = {0};

	begin(wqe, PRM_WQE_OP_SET_PSV, 2, fence);
	PRM_SET(wqe_ctrl_seg, wqe, opmod, PRM_WQE_OPMOD_TLS_TIS);
	PRM_SET(wqe_set_psv_seg, wqe + 16, tis_tir_num, c->tisn);
	raw_post(&w->sq, wqe);
}

void tls_nop(struct tls_wire *w, bool fence)
{
	uint8_t wqe[64] = {0};

	begin(wqe, PRM_WQE_OP_NOP, 1, fence);
	raw_post(&w->sq, wqe);
}

static void pointer(struct tls_wire *w, uint8_t *seg, const uint8_t *at, size_t n)
{
	PRM_SET(wqe_data_seg, seg, byte_count, n);
	PRM_SET(wqe_data_seg, seg, lkey, w->a.mr.lkey);
	PRM_SET(wqe_data_seg, seg, addr, (uint64_t)(uintptr_t)at);
}

void tls_dump(struct tls_wire *w, const struct tls_conn *c, size_t at, size_t n, bool fence)
{
	uint8_t wqe[64] = {0};

	begin(wqe, PRM_WQE_OP_DUMP, 2, fence);
	PRM_SET(wqe_ctrl_seg, wqe, tis_tir_num, c->tisn);
	pointer(w, wqe + 16, c->host + at, n);
	raw_post(&w->sq, wqe);
}

static void packet(struct tls_wire *w, const struct tls_conn *c, uint8_t opcode, size_t at,
		   size_t n, uint16_t mss, bool fence)
{
	uint8_t wqe[128] = {0};
	struct frame f;

	frame_eth(&f, 0x0800);
	frame_ipv4(&f, 6, 0);
	frame_tcp(&f, 443, (uint16_t)(PORT + c->id));
	frame_end(&f);
	prm_put(f.b, 16 * 8, 16, opcode == PRM_WQE_OP_TSO ? 0 : 40 + n);
	prm_put(f.b, 38 * 8, 32, (uint32_t)(SEQ + at));
	begin(wqe, opcode, n ? 7 : 6, fence);
	PRM_SET(wqe_ctrl_seg, wqe, tis_tir_num, c->tisn);
	PRM_SET(wqe_eth_seg, wqe + 16, cs_flags, CSUM);
	PRM_SET(wqe_eth_seg, wqe + 16, mss, mss);
	PRM_SET(wqe_eth_seg, wqe + 16, inline_hdr_sz, TLS_HEADERS);
	memcpy(wqe + INLINE_AT, f.b, TLS_HEADERS);
	if (n)
		pointer(w, wqe + 96, c->host + at, n);
	raw_post(&w->sq, wqe);
}

void tls_send(struct tls_wire *w, const struct tls_conn *c, size_t at, size_t n, bool fence)
{
	packet(w, c, PRM_WQE_OP_SEND, at, n, 0, fence);
}

void tls_tso(struct tls_wire *w, const struct tls_conn *c, size_t at, size_t n, uint16_t mss)
{
	packet(w, c, PRM_WQE_OP_TSO, at, n, mss, false);
}

void tls_send_all(struct tls_wire *w, const struct tls_conn *c, size_t at, size_t n)
{
	for (unsigned int i = 1; at < c->n; at += n, i++) {
		tls_send(w, c, at, n < c->n - at ? n : c->n - at, false);
		if (i % (1 << (LOG_RQ - 1)) == 0 || i % (1u << (w->sq.log_size - 2)) == 0)
			tls_run(w, NULL);
	}
	tls_run(w, NULL);
}

/* -- the other end ------------------------------------------------------------------------------------------ */

static void arrived(struct tls_wire *w, const uint8_t *f, size_t n)
{
	unsigned int id = (unsigned int)prm_get(f, 36 * 8, 16) - PORT;
	size_t at = (uint32_t)prm_get(f, 38 * 8, 32) - SEQ, len = prm_get(f, 16 * 8, 16);

	memcpy(w->last, f, n < sizeof(w->last) ? n : sizeof(w->last));
	if (!frame_ip_ok(f + 14) || !frame_l4_ok(f + 14, len, 20, 6))
		w->bad_sums++;
	if (id >= TLS_CONNS || at > TLS_STREAM || n - TLS_HEADERS > TLS_STREAM - at)
		return;
	w->c[id].frames++;
	memcpy(w->c[id].wire + at, f + TLS_HEADERS, n - TLS_HEADERS);
}

bool tls_run(struct tls_wire *w, unsigned int *vendor)
{
	bool good = true;
	const uint8_t *c;

	raw_ring(&w->a, &w->sq);
	while (w->a.ops->progress(w->a.dev) + w->b.ops->progress(w->b.dev))
		;
	while ((c = raw_poll(&w->sq.cq)))
		if (c[63] >> 4 == PRM_CQE_OP_REQ_ERR) {
			if (vendor && good)
				*vendor = (unsigned int)PRM_GET(err_cqe, c, vendor_err_synd);
			good = false;
		}
	while ((c = raw_poll(&w->rq.cq))) {
		arrived(w, w->b.data + PRM_GET(cqe64, c, wqe_counter) % (1 << LOG_RQ) * RX_BYTES,
			PRM_GET(cqe64, c, byte_cnt));
		post_rx(w);
	}
	return good;
}

bool tls_right(const struct tls_conn *c)
{
	return tls_check(&c->k, c->first, c->wire, c->host, c->n) == (int)c->count;
}

bool tls_no_clear(const struct tls_conn *c)
{
	size_t head = c->k.v13 ? 5 : 13; /* of the first record; later ones may show theirs */

	for (size_t i = head; i + 16 <= c->n; i++)
		if (memcmp(c->wire + i, c->host + i, 16) == 0)
			return false;
	return true;
}

uint64_t tls_stat(struct tls_wire *w, const char *name)
{
	struct model_stat *s;
	uint64_t value = 0;
	size_t n;

	if (model_stats(w->a.dev, &s, &n))
		abort();
	for (size_t i = 0; i < n; i++)
		if (strcmp(s[i].group, "tls") == 0 && strcmp(s[i].name, name) == 0)
			value = s[i].value;
	free(s);
	return value;
}
