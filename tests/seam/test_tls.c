// SPDX-License-Identifier: BSD-2-Clause
/*
 * TLS transmit offload at the seam: the commands of an engine's and its connections' life, and the work requests in the ring. Each case
 * is compared with its transcript in tests/seam/golden/; with MLXO_GOLDEN=write the files are written anew, to be read before they
 * are kept. Work requests are written as offset:word, what is 0 left out; addresses by what lies there.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "lib/frames.h"
#include "lib/mock_provider.h"
#include "offload/tls/engine.h"

enum { BB = 64, DS = 16, HDR = 54, APP = 23, PLAIN = 3000, SEQ = 0xffffff00u };

static struct {
	struct mock *m;
	struct mlxo_device *dev;
	struct mlxo_tls_engine *engine;
	struct mlxo_tls_queue *queue;
	uint32_t cqes;
	uint8_t payload[PLAIN];
	char *text;
	size_t len;
	FILE *f;
} t;

/* -- transcripts ------------------------------------------------------------------------------------------------- */

static void record(void)
{
	if (t.f)
		fclose(t.f);
	free(t.text);
	t.text = NULL;
	t.f = open_memstream(&t.text, &t.len);
	assert_non_null(t.f);
	mock_transcript(t.m, t.f, 0);
}

static FILE *golden(const char *name, const char *mode)
{
	const char *src = getenv("MLXO_SRC");
	char path[512];
	FILE *f;

	snprintf(path, sizeof(path), "%s/tests/seam/golden/%s.txt", src ? src : ".", name);
	f = fopen(path, mode);
	if (!f)
		fail_msg("%s: %s", path, strerror(errno));
	return f;
}

/* What came since the last one. */
static void expect(const char *name)
{
	const char *how = getenv("MLXO_GOLDEN");
	static char want[1 << 18];
	FILE *f;
	size_t n;

	fflush(t.f);
	if (how && strcmp(how, "write") == 0) {
		f = golden(name, "w");
		assert_int_equal(fwrite(t.text, 1, t.len, f), t.len);
	} else {
		f = golden(name, "r");
		n = fread(want, 1, sizeof(want) - 1, f);
		want[n] = '\0';
		assert_string_equal(t.text, want);
	}
	fclose(f);
	record();
}

/* -- a device that answers ------------------------------------------------------------------------------------------ */

static void open_all(void)
{
	struct mlxo_tls_engine_opts o = {.size = sizeof(o),
					 .caller_runs = true,
					 .tis_low = 2,
					 .tis_high = 4,
					 .tis_batch = 2,
					 .key_log_bulk = 2,
					 .key_low = 1,
					 .key_max = 8};
	struct mlxo_tls_queue_opts q = {
		.size = sizeof(q), .sq_blocks = 256, .buffer_bytes = 1 << 18};

	memset(&t, 0, sizeof(t));
	for (int i = 0; i < PLAIN; i++)
		t.payload[i] = (uint8_t)i;
	t.m = mock_open(&t.dev);
	record();
	assert_int_equal(mlxo_tls_engine_open(t.dev, &o, &t.engine), 0);
	assert_int_equal(mlxo_tls_queue_create(t.engine, &q, &t.queue), 0);
	assert_int_equal(mlxo_tls_memory_register(t.engine, t.payload, PLAIN), 0);
}

static void close_all(void)
{
	mlxo_tls_queue_destroy(t.queue);
	mlxo_tls_engine_close(t.engine);
}

static void end(void)
{
	mock_transcript(t.m, NULL, 0);
	fclose(t.f);
	free(t.text);
	mock_done(t.m, t.dev);
}

/* The device is done with all that was posted. */
static void complete(void)
{
	struct queue_cq *cq = &t.queue->sq.cq;
	uint8_t *cqe = queue_ring_entry(&cq->ring, t.cqes);

	mlxo_tls_queue_flush(t.queue);
	memset(cqe, 0, 63);
	PRM_SET(cqe64, cqe, wqe_counter, t.queue->sq.last);
	cqe[63] = (uint8_t)(PRM_CQE_OP_REQ << 4 | (t.cqes >> cq->ring.log_size & 1));
	t.cqes++;
	assert_int_equal(mlxo_tls_queue_poll(t.queue), 0);
}

/* -- connections ------------------------------------------------------------------------------------------------------- */

static struct mlxo_secret *secret(uint8_t first, size_t len)
{
	uint8_t bytes[44];

	for (size_t i = 0; i < len; i++)
		bytes[i] = (uint8_t)(first + i);
	return mlxo_secret_new(bytes, len);
}

static struct mlxo_tls *open_hw(uint16_t version, uint16_t cipher, uint64_t rec_seq)
{
	struct mlxo_tls_params p = {.size = sizeof(p),
				    .version = version,
				    .cipher = cipher,
				    .rec_seq = rec_seq,
				    .tcp_seq = SEQ};
	struct mlxo_tls *tls = NULL;

	p.key = secret(1, cipher == MLXO_TLS_AES_GCM_256 ? 44 : 28);
	assert_int_equal(mlxo_tls_open(t.queue, &p, &tls), 0);
	mlxo_secret_destroy(p.key);
	assert_int_equal(mlxo_tls_move(tls, true), 0);
	assert_int_equal(mlxo_tls_wait(tls, 1000), 0);
	assert_int_equal(tls->state, MLXO_TLS_HARDWARE);
	return tls;
}

static uint32_t write_record(struct mlxo_tls *tls, uint32_t n)
{
	struct iovec iov = {t.payload, n};
	struct mlxo_tls_written w;

	assert_int_equal(mlxo_tls_write(tls, APP, &iov, 1, NULL, &w), 0);
	return w.len;
}

static void send_range(struct mlxo_tls *tls, uint32_t seq, uint32_t len)
{
	struct frame f;
	struct mlxo_tls_segment seg = {
		.hdr = f.b, .hdr_len = HDR, .mss = 1400, .seq = seq, .len = len};

	frame_eth(&f, 0x0800);
	frame_ipv4(&f, 6, 0);
	frame_tcp(&f, 443, 50000);
	frame_end(&f);
	assert_int_equal(mlxo_tls_send(tls, &seg), 0);
}

/*
 * T33: a key is loaded into the bulk by obj_id of the bulk and obj_offset. T41: a key of 256 bits behind one of 128 in the same pool.
 * T38, T25: closed, contexts are kept and slots are used again after a SYNC_CRYPTO. T30: nothing is left.
 */
static void commands_of_a_life(void **state)
{
	struct mlxo_secret *next = secret(101, 28);
	struct mlxo_tls *a, *b;

	(void)state;
	open_all();
	expect("tls_open");
	a = open_hw(MLXO_TLS_1_3, MLXO_TLS_AES_GCM_128, 0);
	b = open_hw(MLXO_TLS_1_2, MLXO_TLS_AES_GCM_256, 5);
	expect("tls_connections");
	send_range(a, SEQ, write_record(a, 100));
	complete();
	assert_int_equal(mlxo_tls_rekey(a, next), 0);
	assert_int_equal(mlxo_tls_wait(a, 1000), 0);
	assert_int_equal(a->state, MLXO_TLS_HARDWARE);
	expect("tls_rekey");
	mlxo_tls_close(a);
	mlxo_tls_close(b);
	mlxo_tls_queue_poll(t.queue);
	expect("tls_close");
	for (int i = 0; i < 6; i++)
		mlxo_tls_close(open_hw(MLXO_TLS_1_2, MLXO_TLS_AES_GCM_128, 0));
	expect("tls_recycled");
	close_all();
	expect("tls_drain");
	mlxo_secret_destroy(next);
	end();
}

/* -- the ring ------------------------------------------------------------------------------------------------------------ */

static void print_words(const uint8_t *b, unsigned int from, unsigned int to)
{
	for (unsigned int at = from; at < to; at += 4) {
		uint32_t word = (uint32_t)prm_get(b, at * 8, 32);

		if (word)
			fprintf(t.f, " %03x:%08x", at, word);
	}
}

static void print_address(uint64_t addr)
{
	const uint8_t *p = (const uint8_t *)(uintptr_t)addr;

	if (p >= t.payload && p < t.payload + PLAIN)
		fprintf(t.f, " payload+%u\n", (unsigned int)(p - t.payload));
	else
		fprintf(t.f, " block+%u\n", (unsigned int)(p - t.queue->buffers.mem->addr));
}

/* Segments from `at` on. */
static void print_segments(const uint8_t *wqe, unsigned int at, unsigned int to)
{
	for (; at < to; at += DS) {
		fprintf(t.f, "  segment");
		print_words(wqe, at, at + 8);
		print_address(prm_get(wqe, (at + 8) * 8, 64));
	}
}

static unsigned int print_wqe(const uint8_t *wqe)
{
	uint8_t opcode = (uint8_t)PRM_GET(wqe_ctrl_seg, wqe, opcode);
	unsigned int ds = (unsigned int)PRM_GET(wqe_ctrl_seg, wqe, ds), segs = ds * DS;

	if (opcode == PRM_WQE_OP_DUMP)
		segs = DS;
	if (opcode == PRM_WQE_OP_SEND || opcode == PRM_WQE_OP_TSO)
		segs = 2 * DS + (HDR - 2 + DS - 1) / DS * DS;
	fprintf(t.f, "%s\n ",
		opcode == PRM_WQE_OP_UMR       ? "static parameters"
		: opcode == PRM_WQE_OP_SET_PSV ? "progress parameters"
		: opcode == PRM_WQE_OP_DUMP    ? "DUMP"
		: opcode == PRM_WQE_OP_NOP     ? "NOP"
		: opcode == PRM_WQE_OP_TSO     ? "TSO"
					       : "SEND");
	print_words(wqe, 0, segs);
	fputc('\n', t.f);
	print_segments(wqe, segs, ds * DS);
	return (ds * DS + BB - 1) / BB;
}

static void print_ring(const char *what, uint64_t from)
{
	const struct queue_sq *sq = &t.queue->sq;

	fprintf(t.f, "-- %s\n", what);
	while (from < sq->posted)
		from += print_wqe(queue_ring_entry(&sq->ring, (uint32_t)from));
}

static void step(struct mlxo_tls *tls, const char *what, uint32_t seq, uint32_t len)
{
	uint64_t from = t.queue->sq.posted;

	send_range(tls, seq, len);
	print_ring(what, from);
}

/* T9, T13, T14: order, fences and bytes of each way to set a context. */
static void ring_of(uint16_t version, uint16_t cipher, const char *name)
{
	struct mlxo_tls *tls;
	uint32_t first, second;

	open_all();
	tls = open_hw(version, cipher, 0x0102030405060708);
	first = write_record(tls, PLAIN);
	second = write_record(tls, 200);
	record();
	step(tls, "first packets: the context is set", SEQ, 2000);
	step(tls, "the very next bytes", SEQ + 2000, first + second - 2000);
	step(tls, "again from the start of a record", SEQ + first, 50);
	step(tls, "again from inside of a record", SEQ + 1600, 100);
	step(tls, "the same record again", SEQ + 10, 100);
	step(tls, "no payload", SEQ + first + second, 0);
	expect(name);
	complete();
	assert_int_equal(mlxo_tls_ack(tls, SEQ + first + second), 0);
	mlxo_tls_close(tls);
	close_all();
	end();
}

static void ring_1_2(void **state)
{
	(void)state;
	ring_of(MLXO_TLS_1_2, MLXO_TLS_AES_GCM_128, "tls_ring_1_2");
}

static void ring_1_3(void **state)
{
	(void)state;
	ring_of(MLXO_TLS_1_3, MLXO_TLS_AES_GCM_256, "tls_ring_1_3");
}

/* T76: static parameters do not fit: nothing is made. T72: nor without the capability. */
static void refused_without_a_command(void **state)
{
	struct mlxo_tls_engine_opts o = {
		.size = sizeof(o), .caller_runs = true, .admission = MLXO_TLS_ADMIT_ALWAYS};

	(void)state;
	for (int i = 0; i < 2; i++) {
		memset(&t, 0, sizeof(t));
		t.m = mock_open(&t.dev);
		mock_cap(t.dev, i ? "tls_tx" : "max_wqe_sz_sq", i ? 0 : 191);
		assert_int_equal(mlxo_tls_engine_open(t.dev, &o, &t.engine), -EOPNOTSUPP);
		mock_done(t.m, t.dev);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(commands_of_a_life),
		cmocka_unit_test(ring_1_2),
		cmocka_unit_test(ring_1_3),
		cmocka_unit_test(refused_without_a_command),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
