// SPDX-License-Identifier: BSD-2-Clause
/*
 * TSO on the model: every header field of every segment, IPv4 and IPv6, with and without a TLS context, and what is
 * refused.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include <string.h>

#include "lib/frames.h"
#include "lib/raw_tls.h"
#include "providers/model/queue.h"

enum { LOG_SQ = 6, IPV4 = 0x0800, IPV6 = 0x86dd, FIN = 1, PSH = 8, ACK = 0x10, CWR = 0x80 };

static struct tls_wire w;
static uint8_t wqe[256];
static unsigned int ds;

static int setup(void **state)
{
	tls_open(&w, "", LOG_SQ);
	return 0;
}

static int teardown(void **state)
{
	tls_close(&w);
	return 0;
}

static void header(struct frame *f, uint16_t type, bool vlan)
{
	frame_eth(f, vlan ? 0x8100 : type);
	if (vlan)
		frame_vlan(f, 0x2007, type);
	if (type == IPV4)
		frame_ipv4(f, 6, 8);
	else
		frame_ipv6(f, 6);
	frame_tcp(f, 443, 1000);
	f->b[f->l4 + 13] = FIN | PSH | ACK | CWR;
}

/* A TSO of n bytes at a.data behind the inline header. */
static void tso(const struct frame *f, size_t n, uint16_t mss)
{
	unsigned int inl = (unsigned int)(f->n - 2 + 15) / 16;

	ds = 2 + inl + (n ? 1 : 0);
	memset(wqe, 0, sizeof(wqe));
	PRM_SET(wqe_ctrl_seg, wqe, opcode, PRM_WQE_OP_TSO);
	PRM_SET(wqe_ctrl_seg, wqe, ds, ds);
	PRM_SET(wqe_eth_seg, wqe + 16, cs_flags, PRM_WQE_ETH_CSUM_L3 | PRM_WQE_ETH_CSUM_L4);
	PRM_SET(wqe_eth_seg, wqe + 16, mss, mss);
	PRM_SET(wqe_eth_seg, wqe + 16, inline_hdr_sz, f->n);
	memcpy(wqe + 30, f->b, f->n);
	if (n) {
		uint8_t *seg = wqe + (size_t)(ds - 1) * 16;

		PRM_SET(wqe_data_seg, seg, byte_count, n);
		PRM_SET(wqe_data_seg, seg, lkey, w.a.mr.lkey);
		PRM_SET(wqe_data_seg, seg, addr, (uint64_t)(uintptr_t)w.a.data);
	}
}

static uint8_t got[40][2048];
static size_t lens[40];
static unsigned int segments;

/* Run the WQE and keep what arrives. */
static void collect(void)
{
	const uint8_t *c;

	raw_post(&w.sq, wqe);
	raw_ring(&w.a, &w.sq);
	while (w.a.ops->progress(w.a.dev) + w.b.ops->progress(w.b.dev))
		;
	assert_null(raw_poll(&w.sq.cq));
	for (segments = 0; (c = raw_poll(&w.rq.cq)); segments++) {
		lens[segments] = PRM_GET(cqe64, c, byte_cnt);
		memcpy(got[segments],
		       w.b.data + PRM_GET(cqe64, c, wqe_counter) % 32 * (size_t)10240,
		       lens[segments]);
		raw_post_rx(&w.b, &w.rq, (size_t)(w.rq.pi % 32) * 10240, 10240);
	}
}

static void expect_segment(unsigned int i, const struct frame *f, size_t n, uint16_t mss, bool v4)
{
	const uint8_t *b = got[i];
	size_t part = n - (size_t)i * mss < mss ? n - (size_t)i * mss : mss;
	bool first = i == 0, last = (size_t)(i + 1) * mss >= n;
	uint8_t flags = (uint8_t)(ACK | (first ? CWR : 0) | (last ? FIN | PSH : 0));
	struct frame want = *f;

	assert_int_equal(lens[i], f->n + part);
	prm_put(want.b + f->l4, 32, 32, 0x01020304 + i * mss);
	want.b[f->l4 + 13] = flags;
	prm_put(want.b + f->l4, 128, 16, prm_get(b + f->l4, 128, 16)); /* checksums: below */
	if (v4) {
		prm_put(want.b + f->l3, 16, 16, f->n - f->l3 + part);
		prm_put(want.b + f->l3, 32, 16, 0x1234 + i);
		prm_put(want.b + f->l3, 80, 16, prm_get(b + f->l3, 80, 16));
		assert_true(frame_ip_ok(b + f->l3));
	} else {
		prm_put(want.b + f->l3, 32, 16, f->n - f->l3 - 40 + part);
	}
	assert_memory_equal(b, want.b, f->n);
	assert_memory_equal(b + f->n, w.a.data + (size_t)i * mss, part);
	assert_true(frame_l4_ok(b + f->l3, lens[i] - f->l3, f->l4 - f->l3, 6));
}

static void cut(uint16_t type, bool vlan, size_t n, uint16_t mss)
{
	struct frame f;

	header(&f, type, vlan);
	tso(&f, n, mss);
	collect();
	assert_int_equal(segments, (n + mss - 1) / mss);
	for (unsigned int i = 0; i < segments; i++)
		expect_segment(i, &f, n, mss, type == IPV4);
}

static void segments_are_right(void **state)
{
	static const struct {
		size_t n;
		uint16_t mss;
	} t[] = {{1, 1}, {1, 1460}, {1460, 1460}, {1461, 1460}, {20000, 1448}, {999, 333}, {17, 2}};

	for (size_t i = 0; i < RAW_ARENA; i++)
		w.a.data[i] = (uint8_t)(i * 7 + (i >> 8));
	for (size_t i = 0; i < sizeof(t) / sizeof(t[0]); i++) {
		cut(IPV4, false, t[i].n, t[i].mss);
		cut(IPV4, true, t[i].n, t[i].mss);
		cut(IPV6, false, t[i].n, t[i].mss);
		cut(IPV6, true, t[i].n, t[i].mss);
	}
}

/* Several data segments, pieces that do not end where TCP segments do. */
static void from_many_pieces(void **state)
{
	static const uint32_t pieces[] = {1, 700, 1, 1, 900, 13};
	struct frame f;
	size_t n = 0;

	header(&f, IPV4, false);
	tso(&f, 0, 500);
	for (size_t i = 0; i < sizeof(pieces) / sizeof(pieces[0]); i++, ds++) {
		uint8_t *seg = wqe + (size_t)ds * 16;

		PRM_SET(wqe_data_seg, seg, byte_count, pieces[i]);
		PRM_SET(wqe_data_seg, seg, lkey, w.a.mr.lkey);
		PRM_SET(wqe_data_seg, seg, addr, (uint64_t)(uintptr_t)w.a.data + n);
		n += pieces[i];
	}
	PRM_SET(wqe_ctrl_seg, wqe, ds, ds);
	collect();
	assert_int_equal(segments, (n + 499) / 500);
	for (unsigned int i = 0; i < segments; i++)
		expect_segment(i, &f, n, 500, true);
}

/* -- with TLS --------------------------------------------------------------------------------------------------- */

static void through_a_context(void **state)
{
	static const size_t lengths[] = {100, 5000, 0, 16000, 1, 1200};
	static const uint16_t mss[] = {1448, 536, 1000, 4000};
	unsigned int id = 0;

	for (int v13 = 0; v13 < 2; v13++)
		for (size_t i = 0; i < sizeof(mss) / sizeof(mss[0]); i++) {
			struct tls_conn *c = tls_conn(&w, id++, v13, i & 1 ? 32 : 16);
			size_t half = 11000;

			tls_stream(c, 5, lengths, 6);
			tls_static(&w, c, 5, false);
			tls_progress(&w, c, true);
			tls_nop(&w, true);
			for (size_t at = 0; at < c->n; at += half) {
				tls_tso(&w, c, at, half < c->n - at ? half : c->n - at, mss[i]);
				assert_true(tls_run(&w, NULL));
			}
			assert_true(tls_right(c));
		}
	assert_int_equal(w.bad_sums, 0);
	assert_int_equal(tls_stat(&w, "records"), id * 6);
}

static void through_a_context_by_ipv6(void **state)
{
	static const size_t lengths[] = {3000, 200};
	struct tls_conn *c = tls_conn(&w, 0, true, 16); /* its stream is at a.data */
	struct frame f;
	size_t n = 0;

	tls_stream(c, 9, lengths, 2);
	tls_static(&w, c, 9, false);
	tls_progress(&w, c, false);
	tls_nop(&w, true);
	header(&f, IPV6, true);
	tso(&f, c->n, 777);
	PRM_SET(wqe_ctrl_seg, wqe, tis_tir_num, c->tisn);
	collect();
	for (unsigned int i = 0; i < segments; n += lens[i++] - f.n) {
		memcpy(c->wire + n, got[i] + f.n, lens[i] - f.n);
		assert_true(frame_l4_ok(got[i] + f.l3, lens[i] - f.l3, 40, 6));
	}
	assert_int_equal(n, c->n);
	assert_true(tls_right(c));
}

/* Data of one WQE meets one context: the update takes effect behind all of its segments. */
static void overtakes_as_a_whole(void **state)
{
	static const size_t lengths[] = {1000, 1000, 1000, 1000};
	struct tls_conn *c = tls_conn(&w, 0, true, 16);

	tls_stream(c, 0, lengths, 4);
	tls_static(&w, c, 0, false);
	tls_progress(&w, c, false);
	tls_tso(&w, c, 0, c->n, 1022);
	assert_true(tls_run(&w, NULL));
	assert_true(tls_no_clear(c));
	assert_int_equal(tls_stat(&w, "overtaken"), 1);
	assert_int_equal(tls_stat(&w, "encrypted_packets"), 0);
	assert_int_equal(w.bad_sums, 0);
	tls_tso(&w, c, 0, c->n, 1022);
	assert_true(tls_run(&w, NULL));
	assert_true(tls_right(c));
}

/* -- refusals --------------------------------------------------------------------------------------------------- */

static void refused(unsigned int why)
{
	unsigned int vendor = 0, frames = w.c[0].frames;

	raw_post(&w.sq, wqe);
	assert_false(tls_run(&w, &vendor));
	assert_int_equal(vendor, why);
	assert_int_equal(w.c[0].frames, frames);
	raw_sq_state(&w.a, &w.sq, PRM_SQC_STATE_ERR, PRM_SQC_STATE_RST);
	raw_sq_state(&w.a, &w.sq, PRM_SQC_STATE_RST, PRM_SQC_STATE_RDY);
}

static void wrong_ones(void **state)
{
	struct frame f, udp;

	tls_conn(&w, 0, false, 16);
	header(&f, IPV4, false);
	tso(&f, 100, 0);
	refused(V_LSO_MSS);
	tso(&f, 100, 10240);
	refused(V_LSO_MSS);
	tso(&f, 0, 1000);
	refused(V_SEGMENT);
	tso(&f, (1 << MODEL_LOG_MAX_LSO) + 1, 1000);
	refused(V_LONG);
	tso(&f, 100, 1000);
	PRM_SET(wqe_data_seg, wqe + (size_t)(ds - 1) * 16, lkey, w.a.mr.lkey ^ 0x100);
	refused(V_LKEY);
	tso(&f, 100, 1000); /* a byte of the header too little, and one too much */
	PRM_SET(wqe_eth_seg, wqe + 16, inline_hdr_sz, f.n - 1);
	refused(V_LSO_HEADER);
	tso(&f, 100, 1000);
	PRM_SET(wqe_eth_seg, wqe + 16, inline_hdr_sz, f.n + 1);
	refused(V_LSO_HEADER);
	frame_eth(&udp, IPV4);
	frame_ipv4(&udp, 17, 0);
	frame_udp(&udp, 1, 2);
	tso(&udp, 100, 1000);
	refused(V_LSO_HEADER);
	tso(&f, 100, 1000);
	prm_put(wqe + 30 + 20, 0, 16, 0x2000); /* a fragment */
	refused(V_LSO_HEADER);
	tso(&f, 100, 1000);
	prm_put(wqe + 30 + 12, 0, 16, 0x0806); /* not IP */
	refused(V_LSO_HEADER);
	tso(&f, 100, 1000);
	PRM_SET(wqe_ctrl_seg, wqe, tis_tir_num, w.c[0].tisn + 1);
	refused(V_TIS);
}

int main(void)
{
#define T(f) cmocka_unit_test_setup_teardown(f, setup, teardown)
	const struct CMUnitTest tests[] = {
		T(segments_are_right),	 T(from_many_pieces),	       T(through_a_context),
		T(overtakes_as_a_whole), T(through_a_context_by_ipv6), T(wrong_ones),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
