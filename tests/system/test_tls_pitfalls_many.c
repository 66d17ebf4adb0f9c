// SPDX-License-Identifier: BSD-2-Clause
/* Known pitfalls of TLS transmit offload, 4: very many connections. What firmware does for them, and when. */
#include "tests/lib/tls_rig.h"
#include "offload/tls/engine.h"

#include <errno.h>
#include <openssl/evp.h>
#include <stdlib.h>
#include <string.h>

enum { APP = 23, SPACE = 1000, PLAIN = 40, RECORD = PLAIN + 29, ETH = 14 };

static struct tls_rig rig;

/* -- A22: opened and closed for ever ------------------------------------------------------------------------------- */

enum { OPENED = 100000, ALIVE = 1000, WARM = 5000, KEY = 28 };

struct wire {
	EVP_CIPHER_CTX *cipher;
	uint8_t hdr[RIG_HDR], plain[PLAIN];
	unsigned int good, bad;
};

/* Key, salt and iv of connection i. */
static void key_of(uint32_t i, uint8_t key[KEY])
{
	for (uint32_t n = 0; n < KEY; n++)
		key[n] = (uint8_t)(n * 19 + (i >> (n % 4 * 8)) + i);
}

/* Every packet is a record, number 0, of the connection that its sequence number says. */
static void open_packet(void *ctx, uint64_t when, const uint8_t *frame, size_t len)
{
	struct wire *w = ctx;
	const uint8_t *tcp = frame + ETH + 20, *rec = tcp + 20;
	uint32_t i =
		((uint32_t)tcp[4] << 24 | (uint32_t)tcp[5] << 16 | (uint32_t)tcp[6] << 8 | tcp[7]) /
		SPACE;
	uint8_t key[KEY], nonce[12], plain[PLAIN], aad[13] = {0};
	int n, fin;

	(void)when;
	key_of(i, key);
	memcpy(nonce, key + 16, 4);
	memcpy(nonce + 4, rec + 5, 8);
	memcpy(aad + 8, rec, 3);
	aad[12] = PLAIN;
	if (len == RIG_HDR + RECORD && EVP_DecryptInit_ex(w->cipher, NULL, NULL, key, nonce) == 1 &&
	    EVP_DecryptUpdate(w->cipher, NULL, &n, aad, 13) == 1 &&
	    EVP_DecryptUpdate(w->cipher, plain, &n, rec + 13, PLAIN) == 1 &&
	    EVP_CIPHER_CTX_ctrl(w->cipher, EVP_CTRL_AEAD_SET_TAG, 16,
				(void *)(uintptr_t)(rec + 13 + PLAIN)) == 1 &&
	    EVP_DecryptFinal_ex(w->cipher, plain, &fin) == 1 && !memcmp(plain, w->plain, PLAIN))
		w->good++;
	else
		w->bad++;
}

static struct mlxo_tls *open_nth(uint32_t i, bool wait)
{
	struct mlxo_tls_params p = {.size = sizeof(p),
				    .version = MLXO_TLS_1_2,
				    .cipher = MLXO_TLS_AES_GCM_128,
				    .tcp_seq = i * SPACE,
				    .admission = MLXO_TLS_ADMIT_ALWAYS,
				    .flags = wait ? 0 : MLXO_TLS_NOWAIT};
	struct mlxo_tls *tls = NULL;
	uint8_t key[KEY];

	key_of(i, key);
	p.key = mlxo_secret_new(key, KEY);
	assert_non_null(p.key);
	assert_int_equal(mlxo_tls_open(rig.queue, &p, &tls), 0);
	mlxo_secret_destroy(p.key);
	return tls;
}

static void one_record(struct wire *w, struct mlxo_tls *tls, uint32_t i)
{
	struct iovec iov = {w->plain, PLAIN};
	struct mlxo_tls_segment seg = {
		.hdr = w->hdr, .hdr_len = RIG_HDR, .seq = i * SPACE, .len = RECORD};

	assert_int_equal(mlxo_tls_write(tls, APP, &iov, 1, NULL, NULL), 0);
	assert_int_equal(mlxo_tls_send(tls, &seg), 0);
	mlxo_tls_queue_flush(rig.queue);
	assert_int_equal(mlxo_tls_queue_poll(rig.queue), 0);
	assert_int_equal(mlxo_tls_ack(tls, i * SPACE + RECORD), 0);
}

static void open_rig(const char *options, const struct mlxo_tls_engine_opts *o, struct wire *w)
{
	struct tls_conn c;

	tls_rig_open(&rig, options, o, NULL);
	memset(w, 0, sizeof(*w));
	tls_conn_init(&c, &rig, 12, 128, 0); /* for its headers */
	memcpy(w->hdr, c.hdr, RIG_HDR);
	tls_peer_fini(&c.peer);
	free(c.expect);
	mlxo_secret_destroy(c.params.key);
	memset(w->plain, 'x', PLAIN);
	w->cipher = EVP_CIPHER_CTX_new();
	assert_int_equal(EVP_DecryptInit_ex(w->cipher, EVP_aes_128_gcm(), NULL, NULL, NULL), 1);
	assert_int_equal(mlxo_model_wire_watch(rig.dev, open_packet, w), 0);
}

static void close_rig(struct wire *w)
{
	assert_int_equal(mlxo_model_wire_watch(rig.dev, NULL, NULL), 0);
	EVP_CIPHER_CTX_free(w->cipher);
	tls_rig_close(&rig);
}

/*
 * A22: after the warm-up a connection costs its MODIFY and a share of a SYNC_CRYPTO, nothing else. Every record is read with its own
 * connection's key: the model's key cache would go on with the old key of a slot that was used again without SYNC_CRYPTO.
 */
static void test_A22_open_and_close(void **state)
{
	struct mlxo_tls_engine_opts o = {.tis_low = 64, .tis_high = 1024};
	static struct mlxo_tls *tls[ALIVE];
	uint64_t commands = 0, modifies = 0, syncs;
	struct wire w;

	(void)state;
	open_rig("", &o, &w);
	for (uint32_t i = 0; i < OPENED; i++) {
		if (i == WARM) {
			commands = tls_rig_model(&rig, "commands");
			modifies = tls_rig_model(&rig, "MODIFY_GENERAL_OBJECT");
		}
		mlxo_tls_close(tls[i % ALIVE]);
		tls[i % ALIVE] = open_nth(i, true);
		one_record(&w, tls[i % ALIVE], i);
	}
	assert_int_equal(w.bad, 0);
	assert_int_equal(w.good, OPENED);
	commands = tls_rig_model(&rig, "commands") - commands;
	modifies = tls_rig_model(&rig, "MODIFY_GENERAL_OBJECT") - modifies;
	syncs = tls_rig_model(&rig, "SYNC_CRYPTO");
	print_message("%llu commands for %d connections, %llu SYNC_CRYPTO in all\n",
		      (unsigned long long)commands, OPENED - WARM, (unsigned long long)syncs);
	assert_int_equal(modifies, OPENED - WARM);
	assert_in_range(commands, OPENED - WARM, (OPENED - WARM) / 1000 * 1005);
	/* each slot was used once between two of them */
	assert_true((syncs + 1) * tls_rig_stat(&rig, "slots") >= OPENED);
	for (int i = 0; i < ALIVE; i++)
		mlxo_tls_close(tls[i]);
	tls_rig_settle(&rig);
	assert_in_range(tls_rig_stat(&rig, "free"), 0, 1024);
	assert_in_range(tls_rig_stat(&rig, "most_exist"), ALIVE, ALIVE + 1024 + 128);
	assert_int_equal(atomic_load(&rig.engine->hardware), 0);
	close_rig(&w);
}

/* -- A23: a burst from idle ------------------------------------------------------------------------------------------ */

enum { BURST = 5000, TIS_NS = 12600, BULK_NS = 30000, LOAD_NS = 9900, IN_FLIGHT = 16 };

static uint64_t step(uint64_t until)
{
	uint64_t now = 0;

	assert_int_equal(mlxo_model_advance(rig.dev, until, &now), 0);
	mlxo_tls_queue_poll(rig.queue);
	return now;
}

static void pass(uint64_t ns)
{
	uint64_t until = mlxo_device_now(rig.dev) + ns;

	while (step(until) < until)
		;
}

/*
 * A23: 5,000 at once, and next to nothing there. Time is virtual, so these are numbers of commands. The first connection has what it
 * needs after single commands (those in flight before it included), and each next one as soon as its own two are done.
 */
static void burst(const char *options, uint64_t load_ns)
{
	struct mlxo_tls_engine_opts o = {
		.tis_low = 1, .tis_high = 256, .key_low = 1, .idle_ms = 1000};
	struct mlxo_tls_queue_opts q = {.sq_blocks = 4096};
	static struct mlxo_tls *tls[BURST];
	uint64_t from, now, first = 0, ready = 0, late = 0, each = TIS_NS + load_ns;

	tls_rig_open(&rig, options, &o, &q);
	from = mlxo_device_now(rig.dev);
	assert_in_range(tls_rig_stat(&rig, "exist"), 0, 1 + IN_FLIGHT);
	for (uint32_t i = 0; i < BURST; i++)
		tls[i] = open_nth(i, false);
	assert_int_equal(mlxo_device_now(rig.dev), from);
	while (ready < BURST) {
		now = step(UINT64_MAX) - from;
		ready = rig.events[MLXO_TLS_EVENT_READY];
		if (!first && ready)
			first = now;
		if (now > (ready + 1) * each && now - (ready + 1) * each > late)
			late = now - (ready + 1) * each;
	}
	print_message("first after %llu ns, none later than its share by more than %llu ns\n",
		      (unsigned long long)first, (unsigned long long)late);
	assert_in_range(first, load_ns, IN_FLIGHT * each + BULK_NS);
	assert_in_range(late, 0, 2 * IN_FLIGHT * each + 2 * BULK_NS);
	assert_int_equal(tls_rig_stat(&rig, "most_in_flight"), IN_FLIGHT);
	assert_int_equal(tls_rig_stat(&rig, "exist"), BURST + tls_rig_stat(&rig, "free"));
	for (int i = 0; i < BURST; i++)
		mlxo_tls_close(tls[i]);
}

/* T37: the burst does not stand behind closes; contexts come so many at a time, keys in bulks; both go again when they are not needed. */
static void test_A23_burst(void **state)
{
	uint64_t slots;

	(void)state;
	burst("time=virtual", LOAD_NS);
	assert_in_range(tls_rig_stat(&rig, "bulks_created"), 2, 3);
	pass(200000000);
	assert_in_range(tls_rig_stat(&rig, "free"), 1, 256);
	slots = tls_rig_stat(&rig, "slots");
	assert_true(slots >= BURST);
	for (int i = 0; i < 6; i++)
		pass(UINT64_C(1000000000));
	assert_in_range(tls_rig_stat(&rig, "free"), 0, 1 + IN_FLIGHT);
	assert_true(tls_rig_stat(&rig, "slots") < slots);
	tls_rig_close(&rig);
}

/* The same where every key is an object of its own. */
static void test_A23_burst_without_bulks(void **state)
{
	(void)state;
	burst("profile=no-bulk,time=virtual", BULK_NS);
	pass(UINT64_C(7000000000));
	assert_in_range(tls_rig_stat(&rig, "free"), 0, 1 + IN_FLIGHT);
	tls_rig_close(&rig);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_A22_open_and_close),
		cmocka_unit_test(test_A23_burst),
		cmocka_unit_test(test_A23_burst_without_bulks),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
