// SPDX-License-Identifier: BSD-2-Clause
/*
 * Queues on hand-made objects: WQE formats, ring wrap, completions, every way a WQE can be wrong, flushing, receive
 * scatter, and completion queues that overflow. What leaves the SQ is caught in place of the port.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "lib/frames.h"
#include "providers/model/model.h"

enum {
	SQN = 0x123,
	RQN = 0x456,
	CQN = 0x77,
	TISN = 0x99,
	TD = 7,
	UAR = 0x31,
	PD = 5,
	LKEY = 0x1100,
	RO_LKEY = 0x1200
};
enum { LOG_SQ = 3, LOG_RQ = 2, LOG_CQ = 4, STRIDE = 64 };

static struct model_dev dev;
static struct model_sq sq;
static struct model_rq rq;
static struct model_cq cq;
static struct model_tis tis;
static struct model_tir tir;
static uint8_t sq_ring[64 << LOG_SQ], rq_ring[STRIDE << LOG_RQ], cq_ring[64 << LOG_CQ];
static uint32_t sq_db[2], rq_db[2], cq_db[2];
static uint8_t memory[16384]; /* the region of both keys, starts at address 0x10000 */
static uint16_t pi;	      /* of the SQ */
static uint32_t ci;	      /* of the CQ */

static struct {
	uint8_t bytes[MODEL_MAX_FRAME];
	size_t len;
	int n;
} wire;
static struct {
	uint8_t type;
	enum model_event_of of;
	uint32_t number;
} events[16];
static int nevents;

/* -- in place of firmware, memory and port --------------------------------------------------------------- */

struct model_obj *model_obj_find(struct model_dev *d, enum model_type type, uint32_t id)
{
	if (type == MODEL_SQ && id == SQN)
		return &sq.o;
	return type == MODEL_TIS && id == TISN ? &tis.o : NULL;
}

uint8_t *model_mem(struct model_dev *d, uint32_t pd, uint32_t lkey, uint64_t addr, size_t len,
		   bool write)
{
	if (pd != PD || (lkey != LKEY && (lkey != RO_LKEY || write)))
		return NULL;
	if (addr < 0x10000 || addr - 0x10000 > sizeof(memory) ||
	    len > sizeof(memory) - (addr - 0x10000))
		return NULL;
	return memory + (addr - 0x10000);
}

int model_key_get(struct model_dev *d, struct model_dek *k, uint32_t n, uint8_t key[32],
		  uint8_t *len, uint32_t *gen)
{
	return -1;
}

void model_port_send(struct model_port *port, const uint8_t *frame, size_t len)
{
	memcpy(wire.bytes, frame, len);
	wire.len = len;
	wire.n++;
}

static void on_event(void *ctx, uint8_t type, enum model_event_of of, uint32_t number)
{
	/* no queue or CQ lock may be held now */
	assert_int_equal(pthread_mutex_trylock(&sq.lock), 0);
	pthread_mutex_unlock(&sq.lock);
	assert_int_equal(pthread_mutex_trylock(&cq.lock), 0);
	pthread_mutex_unlock(&cq.lock);
	events[nevents].type = type;
	events[nevents].of = of;
	events[nevents++].number = number;
}

static int setup(void **state)
{
	static pthread_mutex_t unlocked = PTHREAD_MUTEX_INITIALIZER;

	memset(&dev, 0, sizeof(dev));
	memset(&sq, 0, sizeof(sq));
	memset(&rq, 0, sizeof(rq));
	memset(&cq, 0, sizeof(cq));
	memset(&wire, 0, sizeof(wire));
	memset(sq_db, 0, sizeof(sq_db));
	memset(rq_db, 0, sizeof(rq_db));
	memset(cq_db, 0, sizeof(cq_db));
	memset(sq_ring, 0, sizeof(sq_ring));
	memset(rq_ring, 0, sizeof(rq_ring));
	memset(cq_ring, 0xf1, sizeof(cq_ring)); /* opcode invalid, owner 1 */
	pi = 0;
	ci = 0;
	nevents = 0;
	pthread_rwlock_init(&dev.objs, NULL);
	dev.profile.max_wqe_sz_sq = 512;
	dev.host.event = on_event;
	sq.lock = rq.lock = cq.lock = unlocked;
	sq.o.id = SQN;
	sq.ring = sq_ring;
	sq.log_size = LOG_SQ;
	sq.dbrec = (uint8_t *)sq_db;
	sq.state = MODEL_Q_RDY;
	sq.pd = PD;
	sq.td = tis.td = TD;
	sq.uar_page = UAR;
	sq.o.uid = tis.o.uid = 1;
	sq.user_index = 0xabcdef;
	sq.flush_in_error = true;
	sq.cq = &cq;
	rq.o.id = RQN;
	rq.ring = rq_ring;
	rq.log_size = LOG_RQ;
	rq.log_stride = 6;
	rq.dbrec = (uint8_t *)rq_db;
	rq.state = MODEL_Q_RDY;
	rq.pd = PD;
	rq.user_index = 0x111111;
	rq.cq = &cq;
	cq.o.id = CQN;
	cq.ring = cq_ring;
	cq.log_size = LOG_CQ;
	cq.dbrec = (uint8_t *)cq_db;
	tir.rq = &rq;
	return 0;
}

/* -- the host's side -------------------------------------------------------------------------------------- */

/* WQE under construction, as bytes; put() copies it into the ring, wrapping. */
static uint8_t wqe[1024];

static void wqe_start(uint8_t opcode, unsigned int ds, bool signal)
{
	memset(wqe, 0, sizeof(wqe));
	PRM_SET(wqe_ctrl_seg, wqe, wqe_index, pi);
	PRM_SET(wqe_ctrl_seg, wqe, opcode, opcode);
	PRM_SET(wqe_ctrl_seg, wqe, qpn, SQN);
	PRM_SET(wqe_ctrl_seg, wqe, ds, ds);
	PRM_SET(wqe_ctrl_seg, wqe, fm_ce_se, signal ? PRM_WQE_CE_CQ_UPDATE : 0);
}

static void pointer(unsigned int ds, uint32_t n, uint32_t lkey, uint64_t addr)
{
	PRM_SET(wqe_data_seg, wqe + ds * 16, byte_count, n);
	PRM_SET(wqe_data_seg, wqe + ds * 16, lkey, lkey);
	PRM_SET(wqe_data_seg, wqe + ds * 16, addr, addr);
}

static void inline_data(unsigned int ds, const uint8_t *bytes, uint32_t n)
{
	PRM_SET(wqe_inline_seg, wqe + ds * 16, inline_flag, 1);
	PRM_SET(wqe_inline_seg, wqe + ds * 16, byte_count, n);
	memcpy(wqe + ds * 16 + 4, bytes, n);
}

static void put(void)
{
	unsigned int nbb = ((unsigned int)PRM_GET(wqe_ctrl_seg, wqe, ds) * 16 + 63) / 64;

	for (unsigned int i = 0; i < nbb; i++)
		memcpy(sq_ring + ((pi + i) & 7u) * 64, wqe + i * 64, 64);
	pi = (uint16_t)(pi + nbb);
}

static void ring(void)
{
	sq_db[1] = __builtin_bswap32(pi);
	model_sq_ring(&dev, UAR, SQN);
}

static bool have_cqe(void)
{
	const uint8_t *c = cq_ring + (ci & ((1 << LOG_CQ) - 1)) * 64;

	return (c[63] & 1) == (ci >> LOG_CQ & 1) && c[63] >> 4 != PRM_CQE_OP_INVALID;
}

/* The next completion; it must be there. */
static const uint8_t *cqe(void)
{
	const uint8_t *c = cq_ring + (ci & ((1 << LOG_CQ) - 1)) * 64;

	assert_true(have_cqe());
	ci++;
	cq_db[0] = __builtin_bswap32(ci & 0xffffff);
	return c;
}

static void expect_done(uint16_t index, uint8_t opcode)
{
	const uint8_t *c = cqe();

	assert_int_equal(c[63] >> 4, PRM_CQE_OP_REQ);
	assert_int_equal(PRM_GET(cqe64, c, wqe_counter), index);
	assert_int_equal(PRM_GET(cqe64, c, sop_drop_qpn), (uint32_t)opcode << 24 | SQN);
	assert_int_equal(PRM_GET(cqe64, c, srqn_uidx), 0xabcdef);
}

static void expect_error(uint16_t index, uint8_t opcode, uint8_t syndrome)
{
	const uint8_t *c = cqe();

	assert_int_equal(c[63] >> 4, PRM_CQE_OP_REQ_ERR);
	assert_int_equal(PRM_GET(err_cqe, c, syndrome), syndrome);
	assert_int_not_equal(PRM_GET(err_cqe, c, vendor_err_synd), 0);
	assert_int_equal(PRM_GET(err_cqe, c, wqe_counter), index);
	assert_int_equal(PRM_GET(err_cqe, c, s_wqe_opcode_qpn), (uint32_t)opcode << 24 | SQN);
	assert_int_equal(PRM_GET(err_cqe, c, srqn), 0xabcdef);
}

static void recover(void)
{
	sq.state = MODEL_Q_RDY;
	sq.ci = pi;
}

static struct frame f;

static void udp_frame(size_t payload)
{
	frame_eth(&f, 0x0800);
	frame_ipv4(&f, 17, 0);
	frame_udp(&f, 1000, 2000);
	frame_pattern(&f, payload);
	frame_end(&f);
	memcpy(memory, f.b, f.n);
}

/* A SEND of f.b by one pointer behind `hdr` inline bytes. */
static void send_wqe(uint32_t hdr, bool signal)
{
	unsigned int inl = hdr > 2 ? (hdr - 2 + 15) / 16 : 0;

	wqe_start(PRM_WQE_OP_SEND, 3 + inl, signal);
	PRM_SET(wqe_eth_seg, wqe + 16, inline_hdr_sz, hdr);
	memcpy(wqe + 30, f.b, hdr);
	pointer(2 + inl, (uint32_t)f.n - hdr, LKEY, 0x10000 + hdr);
}

/* -- tests ------------------------------------------------------------------------------------------------ */

static void nop_and_owner_bits(void **state)
{
	for (int lap = 0; lap < 5 << LOG_CQ; lap++) {
		uint16_t at = pi;

		wqe_start(PRM_WQE_OP_NOP, 1, true);
		put();
		assert_false(have_cqe());
		ring();
		expect_done(at, PRM_WQE_OP_NOP);
		assert_false(have_cqe());
	}
}

static void unsignalled_is_silent(void **state)
{
	for (int i = 0; i < 6; i++) {
		wqe_start(PRM_WQE_OP_NOP, 1, i == 5);
		put();
	}
	ring();
	expect_done(5, PRM_WQE_OP_NOP);
	assert_false(have_cqe());
}

/* Every number of inline header bytes, at every place of the ring: each WQE crosses its end some time. */
static void send_with_inline_headers(void **state)
{
	for (uint32_t hdr = 0; hdr <= 60; hdr++)
		for (int place = 0; place < 8; place++) {
			uint16_t at = pi;

			udp_frame(100 + hdr);
			send_wqe(hdr, true);
			put();
			ring();
			expect_done(at, PRM_WQE_OP_SEND);
			assert_int_equal(wire.len, f.n);
			assert_memory_equal(wire.bytes, f.b, f.n);
			wqe_start(PRM_WQE_OP_NOP, 1, false);
			put();
			ring();
		}
	assert_int_equal(wire.n, 61 * 8);
}

static void send_from_many_segments(void **state)
{
	udp_frame(300);
	wqe_start(PRM_WQE_OP_SEND, 9, true);
	pointer(2, 10, LKEY, 0x10000);
	pointer(3, 1, RO_LKEY, 0x1000a);
	inline_data(4, f.b + 11, 29); /* 4 + 29 bytes: three units */
	pointer(7, (uint32_t)f.n - 40 - 7, LKEY, 0x10028);
	inline_data(8, f.b + f.n - 7, 7);
	put();
	ring();
	expect_done(0, PRM_WQE_OP_SEND);
	assert_int_equal(wire.len, f.n);
	assert_memory_equal(wire.bytes, f.b, f.n);
}

static void checksums_on_request(void **state)
{
	udp_frame(33);
	memset(memory + 24, 0, 2);
	memset(memory + 40, 0, 2);
	send_wqe(0, false);
	PRM_SET(wqe_eth_seg, wqe + 16, cs_flags, PRM_WQE_ETH_CSUM_L3 | PRM_WQE_ETH_CSUM_L4);
	put();
	ring();
	assert_memory_equal(wire.bytes, f.b, f.n);
	send_wqe(0, false);
	put();
	ring();
	assert_memory_equal(wire.bytes, memory, f.n);
}

/* What each wrong WQE gets, and that the queue is in error and nothing was sent. */
static void expect_refused(uint8_t opcode, uint8_t syndrome)
{
	uint16_t at = pi;

	put();
	ring();
	expect_error(at, opcode, syndrome);
	assert_false(have_cqe());
	assert_int_equal(sq.state, MODEL_Q_ERR);
	assert_int_equal(wire.n, 0);
	assert_int_equal(nevents, 1);
	assert_int_equal(events[0].number, SQN);
	assert_int_equal(events[0].type,
			 syndrome == PRM_CQE_SYND_LOCAL_PROT
				 ? PRM_EVENT_TYPE_CODING_LOCAL_ACCESS_VIOLATION_WQ_ERROR
				 : PRM_EVENT_TYPE_CODING_INVALID_REQUEST_LOCAL_WQ_ERROR);
	nevents = 0;
	recover();
}

static void refused_with_tis(void)
{
	send_wqe(0, false);
	PRM_SET(wqe_ctrl_seg, wqe, tis_tir_num, TISN);
	expect_refused(PRM_WQE_OP_SEND, PRM_CQE_SYND_LOCAL_QP_OP);
}

/* There is such a TIS, but not for this queue's packets. */
static void wrong_tis(void)
{
	tis.o.uid++;
	refused_with_tis();
	tis.o.uid--;
	tis.td++;
	refused_with_tis();
	tis.td--;
	tis.tls = model_tls_new(); /* TLS, and the packet is UDP */
	refused_with_tis();
	model_tls_free(tis.tls);
	tis.tls = NULL;
}

static void wrong_control_segments(void **state)
{
	udp_frame(10);
	for (int op = 1; op < 256; op++) {
		if (op == PRM_WQE_OP_SEND)
			continue;
		wqe_start((uint8_t)op, 1, false);
		expect_refused((uint8_t)op, PRM_CQE_SYND_LOCAL_QP_OP);
	}
	send_wqe(0, false);
	PRM_SET(wqe_ctrl_seg, wqe, wqe_index, (uint16_t)(pi + 1));
	expect_refused(PRM_WQE_OP_SEND, PRM_CQE_SYND_LOCAL_QP_OP);
	send_wqe(0, false);
	PRM_SET(wqe_ctrl_seg, wqe, qpn, SQN + 1);
	expect_refused(PRM_WQE_OP_SEND, PRM_CQE_SYND_LOCAL_QP_OP);
	send_wqe(0, false);
	PRM_SET(wqe_ctrl_seg, wqe, tis_tir_num, TISN + 1);
	expect_refused(PRM_WQE_OP_SEND, PRM_CQE_SYND_LOCAL_QP_OP);
	wrong_tis();
	wqe_start(PRM_WQE_OP_SEND, 1, false); /* no Ethernet segment */
	expect_refused(PRM_WQE_OP_SEND, PRM_CQE_SYND_LOCAL_QP_OP);
	wqe_start(PRM_WQE_OP_NOP, 33, false); /* more than max_wqe_sz_sq */
	expect_refused(PRM_WQE_OP_NOP, PRM_CQE_SYND_LOCAL_QP_OP);
	send_wqe(0, false);
	PRM_SET(wqe_ctrl_seg, wqe, tis_tir_num, TISN);
	put();
	ring();
	assert_int_equal(wire.n, 1);
}

static void wrong_sizes(void **state)
{
	udp_frame(10);
	sq.min_inline = 18;
	send_wqe(17, false);
	expect_refused(PRM_WQE_OP_SEND, PRM_CQE_SYND_LOCAL_QP_OP);
	sq.min_inline = 0;
	send_wqe(0, false);
	PRM_SET(wqe_eth_seg, wqe + 16, inline_hdr_sz, 19); /* runs out of the WQE */
	expect_refused(PRM_WQE_OP_SEND, PRM_CQE_SYND_LOCAL_QP_OP);
	send_wqe(0, false);
	PRM_SET(wqe_eth_seg, wqe + 16, inline_hdr_sz, 0x8000 | 2); /* a flag the model has not */
	expect_refused(PRM_WQE_OP_SEND, PRM_CQE_SYND_LOCAL_QP_OP);
	send_wqe(0, false);
	pointer(2, 0, LKEY, 0x10000);
	expect_refused(PRM_WQE_OP_SEND, PRM_CQE_SYND_LOCAL_LENGTH);
	send_wqe(0, false);
	pointer(2, 13, LKEY, 0x10000);
	expect_refused(PRM_WQE_OP_SEND, PRM_CQE_SYND_LOCAL_LENGTH);
	send_wqe(0, false);
	pointer(2, MODEL_MAX_FRAME + 1, LKEY, 0x10000);
	expect_refused(PRM_WQE_OP_SEND, PRM_CQE_SYND_LOCAL_LENGTH);
	wqe_start(PRM_WQE_OP_SEND, 4, false);
	pointer(2, MODEL_MAX_FRAME, LKEY, 0x10000);
	pointer(3, 1, LKEY, 0x10000);
	expect_refused(PRM_WQE_OP_SEND, PRM_CQE_SYND_LOCAL_LENGTH);
	wqe_start(PRM_WQE_OP_SEND, 3, false);
	inline_data(2, f.b, 13); /* one byte more than there is room */
	expect_refused(PRM_WQE_OP_SEND, PRM_CQE_SYND_LOCAL_QP_OP);
	wqe_start(PRM_WQE_OP_SEND, 2, false); /* no data at all */
	expect_refused(PRM_WQE_OP_SEND, PRM_CQE_SYND_LOCAL_LENGTH);
}

static void wrong_keys(void **state)
{
	udp_frame(10);
	send_wqe(0, false);
	pointer(2, 20, LKEY + 1, 0x10000);
	expect_refused(PRM_WQE_OP_SEND, PRM_CQE_SYND_LOCAL_PROT);
	send_wqe(0, false);
	pointer(2, 20, LKEY, 0x10000 + sizeof(memory) - 19);
	expect_refused(PRM_WQE_OP_SEND, PRM_CQE_SYND_LOCAL_PROT);
	send_wqe(0, false);
	sq.pd = PD + 1;
	expect_refused(PRM_WQE_OP_SEND, PRM_CQE_SYND_LOCAL_PROT);
}

static void ds_beyond_the_doorbell(void **state)
{
	wqe_start(PRM_WQE_OP_NOP, 5, false);
	put();
	pi--; /* only one of its two blocks was posted */
	ring();
	expect_error(0, PRM_WQE_OP_NOP, PRM_CQE_SYND_LOCAL_QP_OP);
	recover();
	pi = sq.ci;
	wqe_start(PRM_WQE_OP_NOP, 0, false);
	memcpy(sq_ring + (pi & 7u) * 64, wqe, 64);
	pi++;
	ring();
	expect_error((uint16_t)(pi - 1), PRM_WQE_OP_NOP, PRM_CQE_SYND_LOCAL_QP_OP);
}

static void doorbell_too_far(void **state)
{
	pi = 9; /* the ring has 8 */
	ring();
	expect_error(0, PRM_WQE_OP_NOP, PRM_CQE_SYND_LOCAL_QP_OP);
	assert_false(have_cqe());
	assert_int_equal(sq.state, MODEL_Q_ERR);
}

static void error_flushes_the_rest(void **state)
{
	udp_frame(10);
	wqe_start(PRM_WQE_OP_NOP, 1, true);
	put();
	wqe_start(PRM_WQE_OP_TSO, 1, false);
	put();
	send_wqe(0, false);
	put();
	wqe_start(PRM_WQE_OP_NOP, 1, true);
	put();
	ring();
	expect_done(0, PRM_WQE_OP_NOP);
	expect_error(1, PRM_WQE_OP_TSO, PRM_CQE_SYND_LOCAL_QP_OP);
	expect_error(2, PRM_WQE_OP_SEND, PRM_CQE_SYND_WR_FLUSH);
	expect_error(3, PRM_WQE_OP_NOP, PRM_CQE_SYND_WR_FLUSH);
	assert_false(have_cqe());
	assert_int_equal(nevents, 1); /* of the error, not of the flushed ones */
	assert_int_equal(wire.n, 0);
	wqe_start(PRM_WQE_OP_NOP, 1, false); /* posted later, flushed too */
	put();
	ring();
	expect_error(4, PRM_WQE_OP_NOP, PRM_CQE_SYND_WR_FLUSH);
	recover();
	sq.flush_in_error = false;
	wqe_start(PRM_WQE_OP_TSO, 1, false);
	put();
	wqe_start(PRM_WQE_OP_NOP, 1, true);
	put();
	ring();
	expect_error(5, PRM_WQE_OP_TSO, PRM_CQE_SYND_LOCAL_QP_OP);
	assert_false(have_cqe());
}

static void not_ready_is_ignored(void **state)
{
	sq.state = MODEL_Q_RST;
	wqe_start(PRM_WQE_OP_NOP, 1, true);
	put();
	ring();
	assert_false(have_cqe());
	assert_int_equal(sq.ci, 0);
	model_sq_ring(&dev, UAR, SQN + 1); /* no such queue: nothing happens */
	sq.state = MODEL_Q_RDY;
	model_sq_ring(&dev, UAR + 1, SQN); /* another queue's page */
	assert_int_equal(sq.ci, 0);
	model_sq_ring(&dev, UAR, SQN);
	assert_int_equal(sq.ci, 1);
}

static void cq_overrun(void **state)
{
	for (int i = 0; i < 17; i++) {
		wqe_start(PRM_WQE_OP_NOP, 1, true);
		put();
		ring();
	}
	assert_true(cq.overrun);
	assert_int_equal(nevents, 2);
	assert_int_equal(events[0].type, PRM_EVENT_TYPE_CODING_CQ_ERROR);
	assert_int_equal(events[0].number, CQN);
	assert_int_equal(events[1].type, PRM_EVENT_TYPE_CODING_LOCAL_WQ_CATASTROPHIC_ERROR);
	assert_int_equal(events[1].of, MODEL_EVENT_SQ);
	assert_int_equal(events[1].number, SQN);
	assert_int_equal(sq.state, MODEL_Q_ERR);
	for (uint16_t i = 0; i < 16; i++)
		expect_done(i, PRM_WQE_OP_NOP);
	assert_false(have_cqe());
	wqe_start(PRM_WQE_OP_NOP, 1, true); /* room again, but it stays dead */
	put();
	ring();
	assert_false(have_cqe());
	assert_int_equal(nevents, 2);
}

/* The consumer index has 24 bits and wraps. */
static void cq_index_wraps(void **state)
{
	ci = cq.pi = 0xfffff8;
	cq_db[0] = __builtin_bswap32(ci);
	for (int i = 0; i < 16; i++) {
		uint16_t at = pi;

		wqe_start(PRM_WQE_OP_NOP, 1, true);
		put();
		ring();
		expect_done(at, PRM_WQE_OP_NOP);
	}
	assert_false(cq.overrun);
}

/* -- receive ---------------------------------------------------------------------------------------------- */

static uint16_t rq_pi;

static uint8_t *rwqe(void)
{
	uint8_t *w = rq_ring + (rq_pi & 3u) * STRIDE;

	memset(w, 0, STRIDE);
	for (int i = 0; i < 4; i++)
		PRM_SET(wqe_data_seg, w + 16 * i, lkey, 0x100);
	rq_pi++;
	rq_db[0] = __builtin_bswap32(rq_pi);
	return w;
}

static void scatter_to(uint8_t *w, int i, uint32_t n, uint32_t lkey, uint64_t addr)
{
	PRM_SET(wqe_data_seg, w + 16 * i, byte_count, n);
	PRM_SET(wqe_data_seg, w + 16 * i, lkey, lkey);
	PRM_SET(wqe_data_seg, w + 16 * i, addr, addr);
}

static int rx_setup(void **state)
{
	rq_pi = 0;
	return setup(state);
}

static struct model_pkt pkt;

static void deliver(void)
{
	model_pkt_init(&pkt, false);
	memcpy(pkt.data, f.b, f.n);
	pkt.len = f.n;
	pkt.reg_b = 0x80000042;
	pkt.flow_tag = 0x123456;
	model_pkt_parse(&pkt);
	model_rx_deliver(&dev, &pkt, &tir);
}

static void receive(void **state)
{
	uint8_t want[200];
	const uint8_t *c;

	for (uint16_t i = 0; i < 40; i++) {
		uint8_t *w = rwqe();

		udp_frame(100);
		memcpy(want, f.b, f.n);
		memset(memory, 0, sizeof(memory));
		scatter_to(w, 0, 60, LKEY, 0x10000);
		scatter_to(w, 1, 1, LKEY, 0x10400);
		scatter_to(w, 2, 1000, LKEY, 0x10800);
		deliver();
		c = cqe();
		assert_int_equal(c[63] >> 4, PRM_CQE_OP_RESP_SEND);
		assert_int_equal(PRM_GET(cqe64, c, byte_cnt), f.n);
		assert_int_equal(PRM_GET(cqe64, c, wqe_counter), i);
		assert_int_equal(PRM_GET(cqe64, c, flags_rqpn), RQN);
		assert_int_equal(PRM_GET(cqe64, c, srqn_uidx), 0x111111);
		assert_int_equal(PRM_GET(cqe64, c, ft_metadata), 0x80000042);
		assert_int_equal(PRM_GET(cqe64, c, sop_drop_qpn), 0x123456);
		assert_int_equal(PRM_GET(cqe64, c, hds_ip_ext), 7);
		assert_int_equal(PRM_GET(cqe64, c, l4_l3_hdr_type), 2 << 4 | 2 << 2);
		assert_int_equal(PRM_GET(cqe64, c, check_sum), frame_sum(f.b + 14, f.n - 14, 0));
		assert_memory_equal(memory, want, 60);
		assert_memory_equal(memory + 0x400, want + 60, 1);
		assert_memory_equal(memory + 0x800, want + 61, f.n - 61);
		assert_int_equal(memory[0x800 + f.n - 61], 0);
	}
}

static void nothing_posted(void **state)
{
	udp_frame(10);
	deliver();
	deliver();
	assert_int_equal(rq.out_of_buffer, 2);
	assert_int_equal(dev.drop[MODEL_DROP_RX_NO_BUFFER], 2);
	assert_false(have_cqe());
	rq.state = MODEL_Q_RST;
	scatter_to(rwqe(), 0, 1000, LKEY, 0x10000);
	deliver();
	assert_int_equal(dev.drop[MODEL_DROP_RX_QUEUE_STATE], 1);
	assert_false(have_cqe());
}

static void expect_rx_error(uint8_t syndrome)
{
	const uint8_t *c;

	udp_frame(100);
	deliver();
	c = cqe();
	assert_int_equal(c[63] >> 4, PRM_CQE_OP_RESP_ERR);
	assert_int_equal(PRM_GET(err_cqe, c, syndrome), syndrome);
	assert_int_equal(PRM_GET(err_cqe, c, s_wqe_opcode_qpn), RQN);
	assert_int_equal(rq.state, MODEL_Q_ERR);
	assert_int_equal(events[nevents - 1].of, MODEL_EVENT_RQ);
	assert_int_equal(events[nevents - 1].number, RQN);
	rq.state = MODEL_Q_RDY;
}

static void wrong_receive_wqes(void **state)
{
	scatter_to(rwqe(), 0, 100, LKEY, 0x10000); /* too little room */
	expect_rx_error(PRM_CQE_SYND_LOCAL_LENGTH);
	rwqe(); /* no room at all */
	expect_rx_error(PRM_CQE_SYND_LOCAL_LENGTH);
	scatter_to(rwqe(), 0, 1000, RO_LKEY, 0x10000);
	expect_rx_error(PRM_CQE_SYND_LOCAL_PROT);
	scatter_to(rwqe(), 0, 1000, LKEY, 0x10000 + sizeof(memory));
	expect_rx_error(PRM_CQE_SYND_LOCAL_PROT);
	rq_db[0] = __builtin_bswap32(rq_pi + 5u); /* the ring has 4 */
	expect_rx_error(PRM_CQE_SYND_LOCAL_QP_OP);
}

static void expect_rx_cqe(uint16_t index, uint8_t syndrome)
{
	const uint8_t *c = cqe();

	assert_int_equal(c[63] >> 4, PRM_CQE_OP_RESP_ERR);
	assert_int_equal(PRM_GET(err_cqe, c, syndrome), syndrome);
	assert_int_equal(PRM_GET(err_cqe, c, wqe_counter), index);
}

/* After an error what is posted, then or later, comes back unused, when the queue was made so. */
static void receive_error_flushes_the_rest(void **state)
{
	for (int flush = 1; flush >= 0; flush--) {
		uint16_t at = rq.ci;

		rq.flush_in_error = flush;
		rq.state = MODEL_Q_RDY;
		scatter_to(rwqe(), 0, 100, LKEY, 0x10000); /* too little room */
		scatter_to(rwqe(), 0, 1000, LKEY, 0x10000);
		udp_frame(100);
		deliver();
		expect_rx_cqe(at, PRM_CQE_SYND_LOCAL_LENGTH);
		assert_int_equal(nevents, 1);
		if (flush)
			expect_rx_cqe((uint16_t)(at + 1), PRM_CQE_SYND_WR_FLUSH);
		assert_false(have_cqe());
		scatter_to(rwqe(), 0, 1000, LKEY, 0x10000);
		deliver();
		if (flush)
			expect_rx_cqe((uint16_t)(at + 2), PRM_CQE_SYND_WR_FLUSH);
		assert_false(have_cqe());
		assert_int_equal(nevents, 1);
		nevents = 0;
	}
}

static void frames_of_wrong_length(void **state)
{
	static uint8_t bytes[MODEL_MAX_FRAME + 1];

	model_rx_frame(&dev, bytes, 13);
	model_rx_frame(&dev, bytes, sizeof(bytes));
	assert_int_equal(dev.drop[MODEL_DROP_RX_LENGTH], 2);
	assert_int_equal(dev.rx_packets, 0);
	model_rx_frame(&dev, bytes, 14);
	model_rx_frame(&dev, bytes, MODEL_MAX_FRAME);
	assert_int_equal(dev.drop[MODEL_DROP_RX_NO_ROOT], 2);
	assert_int_equal(dev.rx_packets, 2);
	assert_int_equal(dev.rx_bytes, 14 + MODEL_MAX_FRAME);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(nop_and_owner_bits, setup),
		cmocka_unit_test_setup(unsignalled_is_silent, setup),
		cmocka_unit_test_setup(send_with_inline_headers, setup),
		cmocka_unit_test_setup(send_from_many_segments, setup),
		cmocka_unit_test_setup(checksums_on_request, setup),
		cmocka_unit_test_setup(wrong_control_segments, setup),
		cmocka_unit_test_setup(wrong_sizes, setup),
		cmocka_unit_test_setup(wrong_keys, setup),
		cmocka_unit_test_setup(ds_beyond_the_doorbell, setup),
		cmocka_unit_test_setup(doorbell_too_far, setup),
		cmocka_unit_test_setup(error_flushes_the_rest, setup),
		cmocka_unit_test_setup(not_ready_is_ignored, setup),
		cmocka_unit_test_setup(cq_overrun, setup),
		cmocka_unit_test_setup(cq_index_wraps, setup),
		cmocka_unit_test_setup(receive, rx_setup),
		cmocka_unit_test_setup(nothing_posted, rx_setup),
		cmocka_unit_test_setup(wrong_receive_wqes, rx_setup),
		cmocka_unit_test_setup(receive_error_flushes_the_rest, rx_setup),
		cmocka_unit_test_setup(frames_of_wrong_length, rx_setup),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
