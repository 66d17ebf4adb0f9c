// SPDX-License-Identifier: BSD-2-Clause
/*
 * What several threads do at once on the data path: seal with one SA while its key is dropped from the cache again
 * and again, and send into a pair from two sides while both sides poll. Mostly for ThreadSanitizer.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "lib/frames.h"
#include "providers/model/model.h"

enum { THREADS = 4, PACKETS = 400, FRAMES = 3000 };

static struct model_dev dev, dev2;
static struct model_key slot = {.len = 16};
static struct model_dek dek = {.keys = &slot, .o = {.count = 1}, .lock = PTHREAD_MUTEX_INITIALIZER};
static struct model_ipsec sa;
static struct model_reformat add4 = {.type = PRM_REFORMAT_TYPE_ADD_ESP_TRANSPORT_OVER_IPV4,
				     .len = 16};

int model_key_get(struct model_dev *d, struct model_dek *k, uint32_t n, uint8_t key[32],
		  uint8_t *len, uint32_t *gen)
{
	pthread_mutex_lock(&k->lock);
	if (!slot.cached) {
		slot.cache_gen++;
		slot.cached = true;
	}
	memset(key, 9, 32);
	*len = 16;
	*gen = slot.cache_gen;
	pthread_mutex_unlock(&k->lock);
	return 0;
}

static _Atomic int received;

void model_rx_frame(struct model_dev *d, const uint8_t *frame, size_t len)
{
	received++;
}

struct sealer {
	pthread_t thread;
	struct model_pkt pkt;
	uint32_t sn[PACKETS];
	int failed;
};

static void make_packet(struct model_pkt *p)
{
	struct frame *f = malloc(sizeof(*f));

	frame_eth(f, 0x0800);
	frame_ipv4(f, 17, 0);
	frame_udp(f, 1, 2);
	frame_pattern(f, 100);
	frame_end(f);
	model_pkt_init(p, true);
	memcpy(p->data, f->b, f->n);
	p->len = f->n;
	model_pkt_parse(p);
	free(f);
}

static void *seal(void *arg)
{
	struct sealer *s = arg;

	for (int i = 0; i < PACKETS; i++) {
		make_packet(&s->pkt);
		if (model_esp_add(&dev, &s->pkt, &sa, &add4))
			s->failed++;
		s->sn[i] = (uint32_t)prm_get(s->pkt.data + s->pkt.l4, 32, 32);
		if (i % 16 == 0) { /* what SYNC_CRYPTO does */
			pthread_mutex_lock(&dek.lock);
			slot.cached = false;
			pthread_mutex_unlock(&dek.lock);
		}
		model_pkt_init(&s->pkt, false);
	}
	return NULL;
}

/* Every sequence number, and with it every IV, is used once. */
static void one_sa_many_threads(void **state)
{
	static struct sealer s[THREADS];
	static bool seen[THREADS * PACKETS + 1];

	sa.dek = &dek;
	sa.full_offload = true;
	sa.aso_mode = PRM_IPSEC_ASO_INC_SN;
	sa.next_sn = 1;
	for (int i = 0; i < THREADS; i++)
		assert_int_equal(pthread_create(&s[i].thread, NULL, seal, &s[i]), 0);
	for (int i = 0; i < THREADS; i++)
		pthread_join(s[i].thread, NULL);
	for (int i = 0; i < THREADS; i++) {
		assert_int_equal(s[i].failed, 0);
		for (int n = 0; n < PACKETS; n++) {
			assert_in_range(s[i].sn[n], 1, THREADS * PACKETS);
			assert_false(seen[s[i].sn[n]]);
			seen[s[i].sn[n]] = true;
		}
	}
	assert_int_equal(sa.next_sn, THREADS * PACKETS + 1);
	model_ipsec_crypto_free(&sa);
}

static _Atomic int sending;

static void *send_frames(void *arg)
{
	uint8_t frame[64] = {0};

	for (int i = 0; i < FRAMES; i++)
		model_port_send(arg, frame, sizeof(frame));
	sending--;
	return NULL;
}

static void *poll_frames(void *arg)
{
	int idle;

	do {
		idle = !sending;
	} while (model_port_poll(arg, 16) || !idle);
	return NULL;
}

static void pair_from_all_sides(void **state)
{
	struct model_port *p[2];
	pthread_t t[8];
	char why[128];

	dev.profile.mtu = dev2.profile.mtu = 1500;
	assert_int_equal(
		model_port_open(&dev, "pair:threads;dup=0.1;reorder=0.1", &p[0], why, sizeof(why)),
		0);
	assert_int_equal(model_port_open(&dev2, "pair:threads", &p[1], why, sizeof(why)), 0);
	sending = 4;
	for (int i = 0; i < 4; i++)
		assert_int_equal(pthread_create(&t[i], NULL, send_frames, p[i % 2]), 0);
	for (int i = 4; i < 8; i++)
		assert_int_equal(pthread_create(&t[i], NULL, poll_frames, p[i % 2]), 0);
	for (int i = 0; i < 8; i++)
		pthread_join(t[i], NULL);
	for (int i = 0; i < 2; i++)
		while (model_port_poll(p[i], 16))
			;
	model_port_close(p[0]); /* lets the frame go that it may hold back */
	while (model_port_poll(p[1], 16))
		;
	assert_int_equal(received + (int)dev.drop[MODEL_DROP_PORT_FULL] +
				 (int)dev2.drop[MODEL_DROP_PORT_FULL],
			 dev.tx_packets + dev2.tx_packets);
	assert_true(dev.tx_packets >= 2 * FRAMES);
	model_port_close(p[1]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(one_sa_many_threads),
		cmocka_unit_test(pair_from_all_sides),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
