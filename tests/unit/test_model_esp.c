// SPDX-License-Identifier: BSD-2-Clause
/*
 * The ESP engine: a golden packet, every payload length of both IP versions and key sizes against a second
 * implementation, damage at every byte, and the key cache seen from the engine.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include <errno.h>
#include <openssl/evp.h>
#include <string.h>

#include "lib/frames.h"
#include "providers/model/model.h"

static struct model_dev dev;
static struct model_key slots[2];
static struct model_dek dek = {.o = {.id = 0x40, .count = 2}, .keys = slots};
static struct model_ipsec sa, rx_sa;
static struct model_reformat add4 = {.type = PRM_REFORMAT_TYPE_ADD_ESP_TRANSPORT_OVER_IPV4,
				     .len = 16};
static struct model_reformat add6 = {.type = PRM_REFORMAT_TYPE_ADD_ESP_TRANSPORT_OVER_IPV6,
				     .len = 16};
static struct model_pkt pkt;
static struct frame f;
static int key_gets;

/* The sample key and salt of the golden vector, then counting bytes for the 256-bit key. */
static const uint8_t key128[16] = {0x44, 0x43, 0x42, 0x41, 0x34, 0x33, 0x32, 0x31,
				   0x24, 0x23, 0x22, 0x21, 0x14, 0x13, 0x12, 0x11};
static const uint8_t salt[4] = {0xf4, 0xf3, 0xf2, 0xf1};

/* Stands for the card's key cache: refills when told that the slot is not cached. */
int model_key_get(struct model_dev *d, struct model_dek *k, uint32_t slot, uint8_t key[32],
		  uint8_t *len, uint32_t *gen)
{
	struct model_key *s = &k->keys[slot];

	key_gets++;
	if (s->len == 0)
		return -ENOKEY;
	if (!s->cached) {
		memcpy(s->cache, s->bytes, 32);
		s->cache_len = s->len;
		s->cache_gen++;
		s->cached = true;
	}
	memcpy(key, s->cache, 32);
	*len = s->cache_len;
	*gen = s->cache_gen;
	return 0;
}

static void set_key(uint8_t len)
{
	memset(slots, 0, sizeof(slots));
	slots[1].len = len;
	for (int i = 0; i < 32; i++)
		slots[1].bytes[i] = (uint8_t)(0x60 + i);
	if (len == 16)
		memcpy(slots[1].bytes, key128, 16);
}

static void sa_reset(struct model_ipsec *s)
{
	model_ipsec_crypto_free(s);
	memset(s, 0, sizeof(*s));
	s->dek = &dek;
	s->dekn = 0x41;
	s->full_offload = true;
	s->aso_mode = PRM_IPSEC_ASO_INC_SN;
	s->aso_return_reg = PRM_IPSEC_ASO_REG_C_4_5;
	s->next_sn = 1;
	memcpy(s->salt, salt, 4);
}

static void reset(uint8_t keylen)
{
	set_key(keylen);
	sa_reset(&sa);
	sa_reset(&rx_sa);
	memset(add4.data, 0, sizeof(add4.data));
	add4.data[2] = 1; /* SPI 0x100 */
	memcpy(add6.data, add4.data, sizeof(add4.data));
	key_gets = 0;
}

static int setup(void **state)
{
	dev.profile.mtu = 9216;
	reset(16);
	return 0;
}

static int teardown(void **state)
{
	model_ipsec_crypto_free(&sa);
	model_ipsec_crypto_free(&rx_sa);
	return 0;
}

static void load(bool tx)
{
	model_pkt_init(&pkt, tx);
	memcpy(pkt.data, f.b, f.n);
	pkt.len = f.n;
	model_pkt_parse(&pkt);
}

/* Take what is in pkt as a frame from the wire. */
static void to_rx(void)
{
	memcpy(f.b, pkt.data, pkt.len);
	f.n = pkt.len;
	load(false);
}

static void build(bool v6, size_t payload)
{
	frame_eth(&f, v6 ? 0x86dd : 0x0800);
	if (v6)
		frame_ipv6(&f, 17);
	else
		frame_ipv4(&f, 17, 4);
	frame_udp(&f, 5000, 5001);
	frame_pattern(&f, payload);
	frame_end(&f);
	load(true);
}

static void golden_packet(void **state)
{
	static const uint8_t want[] = {0x00, 0x00, 0x01, 0x00, 0x00, 0x00, 0x00, 0x01, 0x00, 0x00,
				       0x00, 0x00, 0x00, 0x00, 0x00, 0x01, 0xfc, 0x39, 0x2a, 0x96,
				       0xad, 0x87, 0xbc, 0x9f, 0xe4, 0xff, 0xe0, 0x47, 0x46, 0x4b,
				       0xa4, 0xba, 0xb4, 0x4e, 0xfa, 0x1b, 0xfb, 0xe6, 0x26, 0xb9,
				       0xa7, 0x9c, 0x6e, 0xfe, 0x4f, 0x62, 0xbd, 0xd7};

	frame_eth(&f, 0x0800);
	frame_ipv4(&f, 17, 0);
	frame_udp(&f, 5000, 5001);
	frame_put(&f, "hello", 5);
	frame_end(&f);
	memset(f.b + f.l4 + 6, 0, 2); /* the vector has no UDP checksum */
	load(true);
	assert_int_equal(model_esp_add(&dev, &pkt, &sa, &add4), 0);
	assert_int_equal(pkt.len, 34 + sizeof(want));
	assert_memory_equal(pkt.data + 34, want, sizeof(want));
	assert_int_equal(pkt.data[23], 50);
	assert_true(frame_ip_ok(pkt.data + 14));
	assert_int_equal(pkt.l4_proto, 50); /* parsed again */
	to_rx();
	assert_int_equal(model_esp_decrypt(&dev, &pkt, &rx_sa), 0);
	assert_int_equal(pkt.ipsec_syndrome, 0);
	assert_int_equal(model_esp_del(&dev, &pkt), 0);
	assert_int_equal(pkt.len, 14 + 20 + 13);
	assert_memory_equal(pkt.data + 42, "hello", 5);
}

/* Open with a context of its own, from the RFC: returns the length of the clear text, or -1. */
static int reference_open(const uint8_t *esp, size_t len, const uint8_t *key, uint8_t keylen,
			  const uint8_t *aad, int aadlen, uint8_t *out)
{
	EVP_CIPHER_CTX *c = EVP_CIPHER_CTX_new();
	uint8_t nonce[12], tag[16];
	int n, m, ok;

	memcpy(nonce, salt, 4);
	memcpy(nonce + 4, esp + 8, 8);
	memcpy(tag, esp + len - 16, 16);
	EVP_DecryptInit_ex(c, keylen == 32 ? EVP_aes_256_gcm() : EVP_aes_128_gcm(), NULL, key,
			   nonce);
	EVP_DecryptUpdate(c, NULL, &m, aad, aadlen);
	EVP_DecryptUpdate(c, out, &n, esp + 16, (int)len - 32);
	EVP_CIPHER_CTX_ctrl(c, EVP_CTRL_AEAD_SET_TAG, 16, tag);
	ok = EVP_DecryptFinal_ex(c, out + n, &m);
	EVP_CIPHER_CTX_free(c);
	return ok == 1 ? n : -1;
}

static void check_sealed(const struct frame *clear, uint32_t sn, uint8_t keylen)
{
	size_t esp_len = pkt.l3_end - pkt.l4, n = clear->n - clear->l4;
	const uint8_t *esp = pkt.data + pkt.l4;
	uint8_t out[10400];
	int len = reference_open(esp, esp_len, slots[1].bytes, keylen, esp, 8, out);

	assert_int_equal(prm_get(esp, 0, 32), 0x100);
	assert_int_equal(prm_get(esp, 32, 32), sn);
	assert_int_equal(prm_get(esp, 64, 64), sn);
	assert_int_equal(len % 4, 0);
	assert_true(len >= (int)n + 2 && len < (int)n + 6);
	assert_memory_equal(out, clear->b + clear->l4, n);
	for (int i = (int)n; i < len - 2; i++)
		assert_int_equal(out[i], i - (int)n + 1);
	assert_int_equal(out[len - 2], len - 2 - (int)n);
	assert_int_equal(out[len - 1], clear->l4_proto);
	/* outer header: as it was, except for length, protocol and checksum */
	assert_memory_equal(pkt.data, clear->b, clear->l3 + 2);
	if (pkt.ip_version == 4)
		assert_true(frame_ip_ok(pkt.data + pkt.l3));
}

static void there_and_back(bool v6, size_t payload, uint8_t keylen, uint32_t sn)
{
	struct frame clear;

	build(v6, payload);
	clear = f;
	frame_pattern(&f, 7); /* Ethernet padding does not belong to the packet */
	load(true);
	assert_int_equal(model_esp_add(&dev, &pkt, &sa, v6 ? &add6 : &add4), 0);
	check_sealed(&clear, sn, keylen);
	to_rx();
	assert_int_equal(model_esp_decrypt(&dev, &pkt, &rx_sa), 0);
	assert_int_equal(pkt.ipsec_syndrome, PRM_IPSEC_SYND_OK);
	assert_int_equal(pkt.ipsec_next_header, 17);
	assert_int_equal(model_esp_del(&dev, &pkt), 0);
	assert_int_equal(pkt.len, clear.n);
	assert_memory_equal(pkt.data, clear.b, clear.n);
	assert_int_equal(pkt.l4_proto, 17);
}

static void every_length(void **state)
{
	static const size_t big[] = {1400, 1472, 8950};

	for (int v6 = 0; v6 < 2; v6++)
		for (uint8_t keylen = 16; keylen <= 32; keylen += 16) {
			uint32_t sn = 1;

			reset(keylen);
			for (size_t n = 0; n <= 64; n++)
				there_and_back(v6, n, keylen, sn++);
			for (size_t i = 0; i < 3; i++)
				there_and_back(v6, big[i], keylen, sn++);
		}
}

static void headers_before_and_behind(void **state)
{
	struct frame clear;

	frame_eth(&f, 0x8100);
	frame_vlan(&f, 9, 0x86dd);
	frame_ipv6(&f, 0);
	frame_ext(&f, 43, 8);
	frame_ext(&f, 60, 16);
	frame_ext(&f, 17, 8);
	frame_udp(&f, 1, 2);
	frame_pattern(&f, 9);
	frame_end(&f);
	clear = f;
	load(true);
	assert_int_equal(model_esp_add(&dev, &pkt, &sa, &add6), 0);
	assert_int_equal(pkt.l4, 18 + 40 + 24); /* behind routing, before destination options */
	assert_int_equal(pkt.data[18 + 40 + 8], 50);
	to_rx();
	assert_int_equal(model_esp_decrypt(&dev, &pkt, &rx_sa), 0);
	assert_int_equal(pkt.ipsec_next_header, 60);
	assert_int_equal(model_esp_del(&dev, &pkt), 0);
	assert_int_equal(pkt.len, clear.n);
	assert_memory_equal(pkt.data, clear.b, clear.n);
}

static void damage_at_every_byte(void **state)
{
	struct frame sealed;
	size_t from;

	build(false, 21);
	assert_int_equal(model_esp_add(&dev, &pkt, &sa, &add4), 0);
	to_rx();
	sealed = f;
	from = pkt.l4;
	for (size_t at = from; at < sealed.n; at++) {
		f = sealed;
		f.b[at] ^= 0x10;
		load(false);
		pkt.reg_c[4] = 0xaa;
		assert_int_equal(model_esp_decrypt(&dev, &pkt, &rx_sa), 0);
		assert_int_equal(pkt.ipsec_syndrome, PRM_IPSEC_SYND_AUTH_FAILED);
		assert_int_equal(model_esp_del(&dev, &pkt), 0);
		assert_int_equal(pkt.len, f.n); /* still ESP, byte for byte */
		assert_memory_equal(pkt.data, f.b, f.n);
	}
	f = sealed; /* and the engine is not confused by what it saw */
	load(false);
	pkt.reg_c[4] = 0xaa;
	assert_int_equal(model_esp_decrypt(&dev, &pkt, &rx_sa), 0);
	assert_int_equal(pkt.ipsec_syndrome, PRM_IPSEC_SYND_OK);
	assert_int_equal(pkt.reg_c[4], PRM_IPSEC_VERDICT_OK);
}

/* A trailer that its sender made wrong: authentic, but not ESP. */
static void bad_trailer(void **state)
{
	uint8_t clear[16] = {0}, nonce[12] = {0xf4, 0xf3, 0xf2, 0xf1}, tag[16];
	static const uint8_t pads[] = {15, 255, 3};
	EVP_CIPHER_CTX *c = EVP_CIPHER_CTX_new();
	int n;

	for (size_t i = 0; i < 3; i++) {
		frame_eth(&f, 0x0800);
		frame_ipv4(&f, 50, 0);
		frame_put32(&f, 0x100);
		frame_put32(&f, 9);
		frame_put32(&f, 0);
		frame_put32(&f, 9);
		memcpy(nonce + 4, f.b + f.n - 8, 8);
		clear[14] = pads[i]; /* the pad bytes are 0 */
		EVP_EncryptInit_ex(c, EVP_aes_128_gcm(), NULL, key128, nonce);
		EVP_EncryptUpdate(c, NULL, &n, f.b + f.l4, 8);
		EVP_EncryptUpdate(c, f.b + f.n, &n, clear, 16);
		EVP_EncryptFinal_ex(c, tag, &n);
		EVP_CIPHER_CTX_ctrl(c, EVP_CTRL_AEAD_GET_TAG, 16, tag);
		f.n += 16;
		frame_put(&f, tag, 16);
		frame_end(&f);
		load(false);
		assert_int_equal(model_esp_decrypt(&dev, &pkt, &rx_sa), 0);
		assert_int_equal(pkt.ipsec_syndrome, PRM_IPSEC_SYND_BAD_TRAILER);
		assert_int_equal(model_esp_del(&dev, &pkt), 0);
		assert_int_equal(pkt.len, f.n);
	}
	EVP_CIPHER_CTX_free(c);
}

static void too_short(void **state)
{
	for (size_t n = 8; n < 36; n++) {
		frame_eth(&f, 0x0800);
		frame_ipv4(&f, 50, 0);
		frame_pattern(&f, n);
		frame_end(&f);
		load(false);
		assert_int_equal(model_esp_decrypt(&dev, &pkt, &rx_sa), 0);
		assert_int_equal(pkt.ipsec_syndrome, PRM_IPSEC_SYND_BAD_TRAILER);
	}
}

static void not_for_the_engine(void **state)
{
	build(false, 8);
	assert_int_equal(model_esp_decrypt(&dev, &pkt, &rx_sa), -EPROTO);
	assert_int_equal(model_esp_del(&dev, &pkt), -EPROTO);
	assert_int_equal(model_esp_add(&dev, &pkt, &sa, &add6), -EPROTO); /* wrong IP version */
	pkt.data[20] = 0x20;						  /* a fragment */
	model_pkt_parse(&pkt);
	assert_int_equal(model_esp_add(&dev, &pkt, &sa, &add4), -EPROTO);
	build(false, 8);
	sa.aso_mode = PRM_IPSEC_ASO_MODE; /* nothing counts sequence numbers */
	assert_int_equal(model_esp_add(&dev, &pkt, &sa, &add4), -EOPNOTSUPP);
	assert_memory_equal(pkt.data, f.b, f.n);
}

static void sequence_numbers_end(void **state)
{
	sa.next_sn = UINT32_MAX;
	build(false, 8);
	assert_int_equal(model_esp_add(&dev, &pkt, &sa, &add4), 0);
	assert_int_equal(prm_get(pkt.data + pkt.l4, 32, 32), UINT32_MAX);
	for (int i = 0; i < 3; i++) {
		build(false, 8);
		assert_int_equal(model_esp_add(&dev, &pkt, &sa, &add4), -EOVERFLOW);
		assert_int_equal(pkt.len, f.n);
		assert_memory_equal(pkt.data, f.b, f.n);
	}
	sa.esn_en = true; /* with extended numbers the next one is 2^32 */
	build(false, 8);
	assert_int_equal(model_esp_add(&dev, &pkt, &sa, &add4), 0);
	assert_int_equal(prm_get(pkt.data + pkt.l4, 32, 32), 0);
	assert_int_equal(prm_get(pkt.data + pkt.l4, 64, 64), UINT64_C(1) << 32);
	rx_sa.esn_en = true;
	rx_sa.esn_msb = 1;
	to_rx();
	assert_int_equal(model_esp_decrypt(&dev, &pkt, &rx_sa), 0);
	assert_int_equal(pkt.ipsec_syndrome, PRM_IPSEC_SYND_OK);
	rx_sa.esn_msb = 0; /* the window's bottom is still in the epoch before */
	rx_sa.esn_overlap = true;
	load(false);
	assert_int_equal(model_esp_decrypt(&dev, &pkt, &rx_sa), 0);
	assert_int_equal(pkt.ipsec_syndrome, PRM_IPSEC_SYND_OK);
	rx_sa.esn_overlap = false;
	load(false);
	assert_int_equal(model_esp_decrypt(&dev, &pkt, &rx_sa), 0);
	assert_int_equal(pkt.ipsec_syndrome, PRM_IPSEC_SYND_AUTH_FAILED);
	sa.next_sn = UINT64_MAX;
	build(false, 8);
	assert_int_equal(model_esp_add(&dev, &pkt, &sa, &add4), -EOVERFLOW);
}

static bool opens_with(const uint8_t *key)
{
	const uint8_t *esp;
	uint8_t out[256];

	build(false, 8);
	assert_int_equal(model_esp_add(&dev, &pkt, &sa, &add4), 0);
	esp = pkt.data + pkt.l4;
	return reference_open(esp, pkt.l3_end - pkt.l4, key, 16, esp, 8, out) >= 0;
}

/* The card works with the key it cached; a new key counts when the cache was dropped. */
static void key_cache(void **state)
{
	uint8_t old[16], new[16] = {1, 2, 3};

	memcpy(old, slots[1].bytes, 16);
	assert_true(opens_with(old));
	assert_true(opens_with(old));
	assert_int_equal(key_gets, 1); /* the second packet did not load it again */
	memcpy(slots[1].bytes, new, 16);
	assert_true(opens_with(old));
	assert_int_equal(key_gets, 1);
	slots[1].cached = false;
	assert_true(opens_with(new));
	assert_int_equal(key_gets, 2);
	/* dropped and filled again by somebody else in between */
	memcpy(slots[1].cache, old, 16);
	slots[1].cache_gen++;
	assert_true(opens_with(old));
}

static void no_key(void **state)
{
	sa.dekn = 0x40;
	rx_sa.dekn = 0x40;
	build(false, 8);
	assert_int_equal(model_esp_add(&dev, &pkt, &sa, &add4), -ENOKEY);
	assert_int_equal(sa.next_sn, 1);
	assert_memory_equal(pkt.data, f.b, f.n);
	sa.dekn = 0x41;
	assert_int_equal(model_esp_add(&dev, &pkt, &sa, &add4), 0);
	to_rx();
	assert_int_equal(model_esp_decrypt(&dev, &pkt, &rx_sa), 0);
	assert_int_equal(pkt.ipsec_syndrome, PRM_IPSEC_SYND_AUTH_FAILED);
	assert_memory_equal(pkt.data, f.b, f.n);
}

/* Nested until there is no room: refused, not written past the buffer. */
static void no_room(void **state)
{
	int n = 0, err;

	build(false, 9000);
	while ((err = model_esp_add(&dev, &pkt, &sa, &add4)) == 0)
		n++;
	assert_int_equal(err, -EMSGSIZE);
	assert_true(n >= 2 && n <= MODEL_HEADROOM / 16);
	build(false, 8);
	pkt.l3_end = 10490; /* as if it filled the buffer */
	assert_int_equal(model_esp_add(&dev, &pkt, &sa, &add4), -EMSGSIZE);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(golden_packet, setup),
		cmocka_unit_test_setup(every_length, setup),
		cmocka_unit_test_setup(headers_before_and_behind, setup),
		cmocka_unit_test_setup(damage_at_every_byte, setup),
		cmocka_unit_test_setup(bad_trailer, setup),
		cmocka_unit_test_setup(too_short, setup),
		cmocka_unit_test_setup(not_for_the_engine, setup),
		cmocka_unit_test_setup(sequence_numbers_end, setup),
		cmocka_unit_test_setup(key_cache, setup),
		cmocka_unit_test_setup(no_key, setup),
		cmocka_unit_test_setup(no_room, setup),
	};

	return cmocka_run_group_tests(tests, NULL, teardown);
}
