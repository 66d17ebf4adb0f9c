// SPDX-License-Identifier: BSD-2-Clause
/*
 * TLS WQEs as raw bytes: known ones are understood, and every bit of them that must be 0 or has one right value is
 * refused when it is turned. Names of foreign users, domains and PDs are refused too.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "providers/model/queue.h"

enum { SQN = 0x1234, TISN = 0xabcd, PLAIN = 0xabc0, DEKN = 0x777, DEK_BASE = 0x700, LKEY = 0x2020 };
enum { TD = 7, UAR = 1, PD = 5, UID = 3, LOG_SQ = 6, LOG_CQ = 4, FIRST = 0x10 };
enum { STATIC_BB = 3, STATIC_BYTES = 192, BB = 64 };
static const uint64_t base = UINT64_C(0x7f0000001000);

static struct model_dev dev;
static struct model_sq sq;
static struct model_cq cq;
static struct model_tis tis, plain;
static struct model_dek dek;
static uint8_t sq_ring[64 << LOG_SQ], cq_ring[64 << LOG_CQ];
static uint32_t sq_db[2], cq_db[2];
static uint8_t memory[16384] __attribute__((aligned(64)));
static bool writable;
static uint16_t pi;
static uint32_t ci;
static int sent;

/* -- in place of firmware, memory and port --------------------------------------------------------------- */

struct model_obj *model_obj_find(struct model_dev *d, enum model_type type, uint32_t id)
{
	switch (type) {
	case MODEL_SQ: return id == SQN ? &sq.o : NULL;
	case MODEL_TIS: return id == TISN ? &tis.o : id == PLAIN ? &plain.o : NULL;
	case MODEL_DEK: return id - DEK_BASE < dek.o.count ? &dek.o : NULL;
	default: return NULL;
	}
}

uint8_t *model_mem(struct model_dev *d, uint32_t pd, uint32_t lkey, uint64_t addr, size_t len,
		   bool write)
{
	if (pd != PD || lkey != LKEY || (write && !writable) || addr < base ||
	    addr - base > sizeof(memory) || len > sizeof(memory) - (addr - base))
		return NULL;
	return memory + (addr - base);
}

int model_key_get(struct model_dev *d, struct model_dek *k, uint32_t n, uint8_t key[32],
		  uint8_t *len, uint32_t *gen)
{
	memcpy(key, k->keys[n].bytes, 32);
	*len = k->keys[n].len;
	*gen = 1;
	return 0;
}

void model_port_send(struct model_port *port, const uint8_t *frame, size_t len)
{
	sent++;
}

static int setup(void **state)
{
	static pthread_mutex_t unlocked = PTHREAD_MUTEX_INITIALIZER;

	memset(&dev, 0, sizeof(dev));
	memset(&sq, 0, sizeof(sq));
	memset(&cq, 0, sizeof(cq));
	memset(&tis, 0, sizeof(tis));
	memset(&plain, 0, sizeof(plain));
	memset(&dek, 0, sizeof(dek));
	memset(sq_ring, 0, sizeof(sq_ring));
	memset(cq_ring, 0xf1, sizeof(cq_ring));
	memset(cq_db, 0, sizeof(cq_db));
	ci = 0;
	sent = 0;
	writable = true;
	pthread_rwlock_init(&dev.objs, NULL);
	dev.profile = *model_profile_find("connectx-6dx");
	sq.lock = cq.lock = unlocked;
	sq.o.id = SQN;
	sq.ring = sq_ring;
	sq.log_size = LOG_SQ;
	sq.dbrec = (uint8_t *)sq_db;
	sq.state = MODEL_Q_RDY;
	sq.pd = PD;
	sq.td = tis.td = plain.td = TD;
	sq.uar_page = UAR;
	sq.o.uid = tis.o.uid = plain.o.uid = dek.o.uid = UID;
	sq.cq = &cq;
	sq.ci = pi = FIRST;
	cq.ring = cq_ring;
	cq.log_size = LOG_CQ;
	cq.dbrec = (uint8_t *)cq_db;
	tis.o.id = TISN;
	tis.tls_en = true;
	tis.tls = model_tls_new();
	tis.pd = dek.pd = PD;
	dek.o.id = DEK_BASE;
	dek.o.count = 0x100;
	dek.purpose = PRM_GENERAL_OBJECT_TYPE_ENCRYPTION_KEY_PURPOSE_TLS;
	dek.keys = calloc(dek.o.count, sizeof(*dek.keys));
	dek.keys[DEKN - DEK_BASE].len = 16;
	return tis.tls && dek.keys ? 0 : -1;
}

static int teardown(void **state)
{
	model_tls_free(tis.tls);
	free(sq.pending);
	free(dek.keys);
	return 0;
}

/* -- known WQEs: byte offset and value of the dwords that are not 0 -------------------------------------------- */

struct dword {
	unsigned int at;
	uint32_t value;
};

/* TLS 1.2, record 5, salt 01020304, no fence. */
static const struct dword static_12[] = {{0x00, 0x01001025}, {0x04, 0x0012340c},
					 {0x0c, 0x00abcd00}, {0x10, 0x80000000},
					 {0x14, 0x00000004}, {0x80, 0x89000001},
					 {0x8c, 0x00000005}, {0x94, 0x01020304},
					 {0xa0, 0x00000777}, {0, 0}};
/* TLS 1.3, record 0x0102030405060708, IV 01020304 1112131415161718, fenced. */
static const struct dword static_13[] = {{0x00, 0x01001025}, {0x04, 0x0012340c},
					 {0x08, 0x00000020}, {0x0c, 0x00abcd00},
					 {0x10, 0x80000000}, {0x14, 0x00000004},
					 {0x80, 0x8d000001}, {0x88, 0x01020304},
					 {0x8c, 0x05060708}, {0x94, 0x01020304},
					 {0x98, 0x11121314}, {0x9c, 0x15161718},
					 {0xa0, 0x00000777}, {0, 0}};
static const struct dword progress[] = {
	{0x00, 0x01001320}, {0x04, 0x00123402}, {0x08, 0x00000020}, {0x10, 0x0000abcd}, {0, 0}};
static const struct dword get_psv[] = {{0x00, 0x01001421}, {0x04, 0x00123404}, {0x08, 0x00000008},
				       {0x20, 0x00000010}, {0x24, 0x00002020}, {0x28, 0x00007f00},
				       {0x2c, 0x00001000}, {0x30, 0x0000abcd}, {0, 0}};
static const struct dword dump[] = {{0x00, 0x00001523}, {0x04, 0x00123402}, {0x08, 0x00000020},
				    {0x0c, 0x00abcd00}, {0x10, 0x000005b4}, {0x14, 0x00002020},
				    {0x18, 0x00007f00}, {0x1c, 0x00002000}, {0, 0}};
static const struct dword nop[] = {
	{0x00, 0x00001600}, {0x04, 0x00123401}, {0x08, 0x00000020}, {0, 0}};

static uint8_t wqe[STATIC_BYTES];

static void make(const struct dword *d)
{
	memset(wqe, 0, sizeof(wqe));
	for (; d->value; d++)
		prm_put(wqe, d->at * 8, 32, d->value);
}

/* As it is: its index must be where it goes. */
static void post_raw(void)
{
	unsigned int nbb = ((unsigned int)PRM_GET(wqe_ctrl_seg, wqe, ds) * 16 + BB - 1) / BB;

	for (unsigned int i = 0; i < nbb && i < STATIC_BB; i++)
		memcpy(sq_ring + ((pi + i) & ((1u << LOG_SQ) - 1)) * BB, wqe + (size_t)i * BB, BB);
	pi = (uint16_t)(pi + nbb);
}

static void ring(void)
{
	sq_db[1] = __builtin_bswap32(pi);
	model_sq_ring(&dev, UAR, SQN);
}

/* The next CQE, NULL when there is none. */
static const uint8_t *cqe(void)
{
	const uint8_t *c = cq_ring + (ci & ((1u << LOG_CQ) - 1)) * 64;

	if ((c[63] & 1) != (ci >> LOG_CQ & 1) || c[63] >> 4 == PRM_CQE_OP_INVALID)
		return NULL;
	ci++;
	cq_db[0] = __builtin_bswap32(ci & 0xffffff);
	return c;
}

/* Execute `wqe` with its index corrected. The vendor syndrome it fails with, 0. */
static unsigned int run(void)
{
	unsigned int vendor = 0;
	const uint8_t *c;

	PRM_SET(wqe_ctrl_seg, wqe, wqe_index, pi);
	post_raw();
	ring();
	while ((c = cqe()))
		if (c[63] >> 4 == PRM_CQE_OP_REQ_ERR)
			vendor = (unsigned int)PRM_GET(err_cqe, c, vendor_err_synd);
	assert_int_equal(sq.state == MODEL_Q_ERR, vendor != 0);
	sq.state = MODEL_Q_RDY;
	sq.ci = pi;
	return vendor;
}

static uint64_t stat(enum model_tls_stat what)
{
	return atomic_load(&dev.tls[what]);
}

/* -- tests ------------------------------------------------------------------------------------------------- */

/* One doorbell for all of them, at their own places. */
static void known_sequence(void **state)
{
	static const struct dword *const all[] = {static_12, progress, get_psv, dump, nop};
	const uint8_t *c;
	static const uint8_t salt[12] = {1, 2, 3, 4};

	memset(memory, 0x5a, sizeof(memory));
	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
		make(all[i]);
		post_raw();
	}
	assert_int_equal(pi, 0x17);
	ring();
	c = cqe();
	assert_non_null(c);
	assert_int_equal(PRM_GET(cqe64, c, wqe_counter), 0x14);
	assert_int_equal(PRM_GET(cqe64, c, sop_drop_qpn), (uint32_t)PRM_WQE_OP_GET_PSV << 24 | SQN);
	assert_null(cqe());
	assert_int_equal(sq.state, MODEL_Q_RDY);
	assert_int_equal(stat(MODEL_TLS_N_STATIC), 1);
	assert_int_equal(stat(MODEL_TLS_N_PROGRESS), 1);
	assert_int_equal(stat(MODEL_TLS_N_DUMPS), 1);
	assert_int_equal(stat(MODEL_TLS_N_DUMP_BYTES), 1460);
	assert_false(tis.tls->params.v13);
	assert_int_equal(tis.tls->params.record, 5);
	assert_int_equal(tis.tls->params.dekn, DEKN);
	assert_memory_equal(tis.tls->params.iv, salt, 12);
	assert_int_equal(prm_get(memory, 0, 32), TISN);
	assert_int_equal(tis.tls->state, MODEL_TLS_LOST); /* what was dumped is no record */
	assert_int_equal(memory[0x1000], 0x5a);
	assert_int_equal(sent, 0);
}

static void known_1_3(void **state)
{
	static const uint8_t iv[12] = {1, 2, 3, 4, 0x11, 0x12, 0x13, 0x14, 0x15, 0x16, 0x17, 0x18};

	make(static_13);
	assert_int_equal(run(), 0);
	make(nop);
	assert_int_equal(run(), 0);
	assert_true(tis.tls->params.v13);
	assert_true(tis.tls->params.record == UINT64_C(0x0102030405060708));
	assert_memory_equal(tis.tls->params.iv, iv, 12);
	assert_int_equal(tis.tls->state, MODEL_TLS_UNARMED);
	make(progress);
	assert_int_equal(run(), 0);
	assert_int_equal(tis.tls->state, MODEL_TLS_UNARMED); /* waits for a fence */
	make(nop);
	PRM_SET(wqe_ctrl_seg, wqe, fm_ce_se, 0x80); /* another fence than this */
	assert_int_equal(run(), 0);
	assert_int_equal(tis.tls->state, MODEL_TLS_UNARMED);
	make(nop);
	assert_int_equal(run(), 0);
	assert_int_equal(tis.tls->state, MODEL_TLS_ARMED);
}

/* Turn each bit behind the control segment; free: those that may have any value. */
static void refuses_bits(const struct dword *d, unsigned int bytes, const uint8_t *free)
{
	for (unsigned int bit = 128; bit < bytes * 8; bit++) {
		unsigned int vendor;

		if (free[bit / 8] >> (7 - bit % 8) & 1)
			continue;
		make(d);
		wqe[bit / 8] ^= (uint8_t)(0x80 >> bit % 8);
		vendor = run();
		if (!vendor)
			fail_msg("bit %#x of the WQE is not looked at", bit);
	}
}

static void static_bits(void **state)
{
	uint8_t free[STATIC_BYTES] = {0};

	memset(free + 0x88, 0xff, 8); /* record number */
	memset(free + 0x94, 0xff, 4); /* salt */
	free[0x80] = 0x04;	      /* 1.2 becomes 1.3 and back */
	refuses_bits(static_12, STATIC_BYTES, free);
	memset(free + 0x98, 0xff, 8); /* rest of the IV */
	make(static_13);
	wqe[0x80] ^= 0x04; /* then the rest of the IV must be 0 */
	assert_int_equal(run(), V_TLS_STATIC);
	refuses_bits(static_13, STATIC_BYTES, free);
	dev.profile.tls13 = false;
	make(static_13);
	assert_int_equal(run(), V_TLS_STATIC);
}

static void progress_and_get_bits(void **state)
{
	uint8_t free[STATIC_BYTES] = {0};

	refuses_bits(progress, 32, free);
	memset(free, 0, sizeof(free));
	free[0x2e] = 0x2f; /* of the address: what stays in the region and aligned */
	free[0x2f] = 0xc0;
	refuses_bits(get_psv, BB, free);
}

/* ds, opmod, TIS numbers. */
static void control_segments(void **state)
{
	static const struct {
		const struct dword *d;
		unsigned int ds;
	} t[] = {{static_12, 12}, {progress, 2}, {get_psv, 4}, {dump, 2}};

	for (size_t i = 0; i < sizeof(t) / sizeof(t[0]); i++) {
		for (unsigned int ds = 1; ds <= 12; ds++) {
			make(t[i].d);
			PRM_SET(wqe_ctrl_seg, wqe, ds, ds);
			assert_int_equal(run(), ds == t[i].ds ? 0 : V_DS);
		}
		for (unsigned int opmod = 0; opmod < 256 && t[i].d != dump; opmod++) {
			make(t[i].d);
			PRM_SET(wqe_ctrl_seg, wqe, opmod, opmod);
			assert_int_equal(run(), opmod == 1 ? 0 : V_TLS_OPMOD);
		}
	}
	make(progress);
	PRM_SET(wqe_ctrl_seg, wqe, tis_tir_num, TISN);
	assert_int_equal(run(), V_TLS_PROGRESS);
	make(get_psv);
	PRM_SET(wqe_ctrl_seg, wqe, tis_tir_num, TISN);
	assert_int_equal(run(), V_TLS_ANSWER);
}

/* Each of the WQEs with another TIS number, then all with the TIS of somebody else. */
static void name(const struct dword *d, uint32_t tisn)
{
	make(d);
	if (d == progress)
		PRM_SET(wqe_set_psv_seg, wqe + 16, tis_tir_num, tisn);
	else if (d == get_psv)
		PRM_SET(wqe_get_psv_seg, wqe + 16, psv_index_0, tisn);
	else
		PRM_SET(wqe_ctrl_seg, wqe, tis_tir_num, tisn);
}

static void wrong_tis(void **state)
{
	static const struct dword *const all[] = {static_12, progress, get_psv, dump};

	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
		name(all[i], TISN);
		assert_int_equal(run(), 0);
		name(all[i], 0);
		assert_int_equal(run(), V_TLS_TIS);
		name(all[i], PLAIN);
		assert_int_equal(run(), V_TLS_TIS);
		name(all[i], TISN + 1);
		assert_int_equal(run(), V_TIS);
		tis.o.uid++;
		name(all[i], TISN);
		assert_int_equal(run(), V_TIS);
		tis.o.uid--;
		tis.td++;
		name(all[i], TISN);
		assert_int_equal(run(), V_TIS);
		tis.td--;
	}
	name(progress, 1 << 24 | TISN);
	assert_int_equal(run(), V_TIS);
}

static void expect_static(unsigned int vendor)
{
	make(static_12);
	assert_int_equal(run(), vendor);
}

static void wrong_keys(void **state)
{
	struct model_key *k = &dek.keys[DEKN - DEK_BASE];

	dek.o.uid++;
	expect_static(V_TLS_DEK);
	dek.o.uid--;
	dek.pd++;
	expect_static(V_TLS_DEK);
	dek.pd--;
	dek.purpose = PRM_GENERAL_OBJECT_TYPE_ENCRYPTION_KEY_PURPOSE_IPSEC;
	expect_static(V_TLS_DEK);
	dek.purpose = PRM_GENERAL_OBJECT_TYPE_ENCRYPTION_KEY_PURPOSE_TLS;
	k->len = 0;
	expect_static(V_TLS_DEK);
	k->len = 32;
	expect_static(0);
	make(static_12);
	PRM_SET(tls_static_params, wqe + 128, dek_index, DEK_BASE + dek.o.count);
	assert_int_equal(run(), V_TLS_DEK);
}

static void dump_lengths(void **state)
{
	static const struct {
		uint32_t n;
		unsigned int vendor;
	} t[] = {{0, V_TLS_DUMP},
		 {1, 0},
		 {1500, 0},
		 {1501, V_TLS_DUMP},
		 {0x80000004, V_TLS_DUMP},
		 {UINT32_MAX, V_TLS_DUMP}};

	dev.profile.mtu = 1500;
	for (size_t i = 0; i < sizeof(t) / sizeof(t[0]); i++) {
		make(dump);
		PRM_SET(wqe_data_seg, wqe + 16, byte_count, t[i].n);
		assert_int_equal(run(), t[i].vendor);
	}
	make(dump);
	PRM_SET(wqe_data_seg, wqe + 16, lkey, LKEY + 1);
	assert_int_equal(run(), V_LKEY);
	make(dump);
	PRM_SET(wqe_data_seg, wqe + 16, addr, base + sizeof(memory) - 1459);
	assert_int_equal(run(), V_LKEY);
}

static void answer_buffers(void **state)
{
	for (unsigned int off = 1; off < 64; off++) {
		make(get_psv);
		PRM_SET(wqe_get_psv_seg, wqe + 16, addr, base + off);
		assert_int_equal(run(), V_TLS_ANSWER);
	}
	make(get_psv);
	PRM_SET(wqe_get_psv_seg, wqe + 16, addr, base + sizeof(memory));
	assert_int_equal(run(), V_LKEY);
	writable = false;
	make(get_psv);
	assert_int_equal(run(), V_LKEY);
}

static void dump_part(size_t at, uint32_t n)
{
	make(dump);
	PRM_SET(wqe_data_seg, wqe + 16, byte_count, n);
	PRM_SET(wqe_data_seg, wqe + 16, addr, base + at);
	assert_int_equal(run(), 0);
}

static void expect_answer(unsigned int tracker, unsigned int auth, uint32_t records)
{
	const uint8_t *p = memory + 4;

	memset(memory, 0xff, 128);
	make(get_psv);
	assert_int_equal(run(), 0);
	assert_int_equal(prm_get(memory, 0, 32), TISN);
	assert_int_equal(PRM_GET(tls_progress_params, p, next_record_tcp_sn), 0);
	assert_int_equal(PRM_GET(tls_progress_params, p, hw_resync_tcp_sn), 0);
	assert_int_equal(PRM_GET(tls_progress_params, p, record_tracker_state), tracker);
	assert_int_equal(PRM_GET(tls_progress_params, p, auth_state), auth);
	assert_int_equal(PRM_GET(tls_progress_params, p, hw_offset_record_number), records);
	assert_int_equal(memory[63], 0); /* the unit that a card writes, no more */
	assert_int_equal(memory[64], 0xff);
}

static void answers(void **state)
{
	static const uint8_t header[5] = {23, 3, 3, 0, 24 + 10};

	memset(memory, 0, sizeof(memory));
	for (size_t i = 0; i < 2; i++)
		memcpy(memory + 0x400 + i * 39, header, 5);
	expect_answer(PRM_TLS_TRACKER_START, PRM_TLS_AUTH_NO_OFFLOAD, 0);
	make(static_12);
	assert_int_equal(run(), 0);
	make(progress);
	assert_int_equal(run(), 0);
	make(nop);
	assert_int_equal(run(), 0);
	expect_answer(PRM_TLS_TRACKER_START, PRM_TLS_AUTH_NO_OFFLOAD, 0);
	dump_part(0x400, 20);
	expect_answer(PRM_TLS_TRACKER_TRACKING, PRM_TLS_AUTH_OFFLOAD, 0);
	dump_part(0x400 + 20, 2 * 39 - 20);
	expect_answer(PRM_TLS_TRACKER_TRACKING, PRM_TLS_AUTH_OFFLOAD, 2);
	dump_part(0x800, 1);
	expect_answer(PRM_TLS_TRACKER_SEARCHING, PRM_TLS_AUTH_NO_OFFLOAD, 0);
}

/* What a queue had not finished when it failed is not armed afterwards. */
static void failure_disarms(void **state)
{
	make(static_12);
	assert_int_equal(run(), 0);
	make(progress);
	assert_int_equal(run(), 0);
	make(dump);
	PRM_SET(wqe_data_seg, wqe + 16, byte_count, 0);
	PRM_SET(wqe_ctrl_seg, wqe, fm_ce_se, 0);
	assert_int_equal(run(), V_TLS_DUMP);
	assert_int_equal(tis.tls->state, MODEL_TLS_UNARMED);
	assert_null(tis.tls->pending.owner);
	make(progress); /* the static parameters are there: this is enough */
	assert_int_equal(run(), 0);
	make(nop);
	assert_int_equal(run(), 0);
	assert_int_equal(tis.tls->state, MODEL_TLS_ARMED);
}

int main(void)
{
#define T(f) cmocka_unit_test_setup_teardown(f, setup, teardown)
	const struct CMUnitTest tests[] = {
		T(known_sequence),   T(known_1_3), T(static_bits),     T(progress_and_get_bits),
		T(control_segments), T(wrong_tis), T(wrong_keys),      T(dump_lengths),
		T(answer_buffers),   T(answers),   T(failure_disarms),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
