// SPDX-License-Identifier: BSD-2-Clause
/*
 * The peer of stress: segments in any order make the stream, its records are decrypted and compared, and every kind of
 * damage is noticed. Records are made here with EVP's encryption.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "tools/stress/frame.h"
#include "tools/stress/random.h"
#include "tools/stress/receiver.h"

enum { TOTAL = 40000, RECORD = 5000, PAYLOAD = 8192, SEQ = (int)0xffffff00 };

static uint8_t payload_bytes[PAYLOAD + 16384], key[28], stream[TOTAL + 1000];
static const struct stress_payload payload = {payload_bytes, PAYLOAD};
static size_t stream_len;
static EVP_CIPHER_CTX *evp;

static void seal(uint64_t number, const uint8_t *plain, size_t len, uint8_t type)
{
	uint8_t *record = stream + stream_len, nonce[12];
	size_t body = len + 1 + 16;
	int n;

	record[0] = 23;
	record[1] = record[2] = 3;
	record[3] = (uint8_t)(body >> 8);
	record[4] = (uint8_t)body;
	memcpy(nonce, key + 16, 12);
	for (int i = 0; i < 8; i++)
		nonce[11 - i] ^= (uint8_t)(number >> (8 * i));
	EVP_EncryptInit_ex(evp, EVP_aes_128_gcm(), NULL, key, nonce);
	EVP_EncryptUpdate(evp, NULL, &n, record, 5);
	EVP_EncryptUpdate(evp, record + 5, &n, plain, (int)len);
	EVP_EncryptUpdate(evp, record + 5 + len, &n, &type, 1);
	EVP_EncryptFinal_ex(evp, record + 5 + len + 1, &n);
	EVP_CIPHER_CTX_ctrl(evp, EVP_CTRL_GCM_GET_TAG, 16, record + 5 + len + 1);
	stream_len += 5 + body;
}

static int make_stream(void **state)
{
	struct stress_random r;

	if (!evp) /* a test makes the stream again */
		evp = EVP_CIPHER_CTX_new();
	stress_random_init(&r, 1, 1);
	stress_random_bytes(&r, payload_bytes, PAYLOAD);
	memcpy(payload_bytes + PAYLOAD, payload_bytes, PAYLOAD);
	memcpy(payload_bytes + 2 * PAYLOAD, payload_bytes, PAYLOAD);
	stress_random_bytes(&r, key, sizeof(key));
	stream_len = 0;
	for (uint64_t i = 0; i < TOTAL / RECORD; i++)
		seal(i, payload_bytes + (7 + i * RECORD) % PAYLOAD, RECORD, 23);
	return 0;
}

static int free_stream(void **state)
{
	EVP_CIPHER_CTX_free(evp);
	return 0;
}

static void begin(struct stress_receiver *r)
{
	stress_receiver_init(r, (uint32_t)SEQ);
	r->evp = evp;
	r->key = key;
	r->payload = &payload;
	r->offset = 7;
	r->total = TOTAL;
}

static void put(struct stress_receiver *r, size_t at, size_t len, bool lost)
{
	assert_true(
		stress_receiver_segment(r, (uint32_t)SEQ + (uint32_t)at, stream + at, len, lost));
}

static void a_stream_in_order_is_verified(void **state)
{
	struct stress_receiver r;

	begin(&r);
	for (size_t at = 0; at < stream_len; at += 1448)
		put(&r, at, stream_len - at < 1448 ? stream_len - at : 1448, false);
	assert_true(stress_receiver_whole(&r));
	assert_int_equal(r.records, TOTAL / RECORD);
	assert_int_equal(r.bytes, TOTAL);
	assert_int_equal(r.nxt, (uint32_t)SEQ + (uint32_t)stream_len);
	assert_int_equal(stress_receiver_hole(&r), r.nxt);
	stress_receiver_fini(&r);
}

/* Losses, overlaps, duplicates, any order: as long as the sender fills the hole it is told of, the stream gets whole. */
static void holes_are_told_and_filled(void **state)
{
	struct stress_random random;

	stress_random_init(&random, 2, 2);
	for (int round = 0; round < 200; round++) {
		struct stress_receiver r;
		uint32_t end = (uint32_t)SEQ + (uint32_t)stream_len;
		int turns = 0;

		begin(&r);
		for (int i = 0; i < 300; i++) {
			size_t at = stress_random_below(&random, stream_len);
			size_t len = 1 + stress_random_below(&random, 3000);

			put(&r, at, at + len > stream_len ? stream_len - at : len,
			    stress_random_hit(&random, 0.5));
		}
		put(&r, stream_len - 1, 1, true);
		assert_int_equal(r.high, end);
		while (r.nxt != end && turns++ < 1000) {
			uint32_t hole = stress_receiver_hole(&r);

			assert_true((int32_t)(hole - r.nxt) > 0);
			put(&r, r.nxt - (uint32_t)SEQ, hole - r.nxt,
			    stress_random_hit(&random, 0.3));
		}
		assert_true(stress_receiver_whole(&r));
		stress_receiver_fini(&r);
	}
}

static void no_room_for_another_range_is_a_loss(void **state)
{
	struct stress_receiver r;

	begin(&r);
	for (size_t i = 0; i < 3 * STRESS_RECEIVER_RANGES; i++)
		put(&r, 10 + 20 * i, 10, false);
	assert_int_equal(r.nranges, STRESS_RECEIVER_RANGES);
	put(&r, 0, stream_len, false);
	assert_true(stress_receiver_whole(&r));
	stress_receiver_fini(&r);
}

/* One byte of each part of a record: header, length, ciphertext, tag. */
static void damage_is_noticed(void **state)
{
	static const size_t places[] = {0, 2, 3, 4, 5, 3000, RECORD + 5, RECORD + 6, RECORD + 21};
	const size_t second = RECORD + 22;

	for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++) {
		struct stress_receiver r;

		begin(&r);
		stream[second + places[i]] ^= 0x10;
		put(&r, 0, stream_len, false);
		stream[second + places[i]] ^= 0x10;
		assert_non_null(r.failure);
		assert_int_equal(r.records, 1);
		assert_false(stress_receiver_whole(&r));
		stress_receiver_fini(&r);
	}
}

static void other_payload_keys_and_order_are_noticed(void **state)
{
	struct stress_receiver r;

	begin(&r);
	r.offset = 8;
	put(&r, 0, stream_len, false);
	assert_string_equal(r.failure, "its payload is not what was written");
	stress_receiver_fini(&r);

	begin(&r);
	key[0] ^= 1;
	put(&r, 0, stream_len, false);
	key[0] ^= 1;
	assert_string_equal(r.failure, "it does not decrypt with its key");
	stress_receiver_fini(&r);

	begin(&r);
	r.total = TOTAL - 1;
	put(&r, 0, stream_len, false);
	assert_string_equal(r.failure, "it holds more than was written");
	assert_int_equal(r.records, TOTAL / RECORD - 1);
	stress_receiver_fini(&r);

	begin(&r);
	put(&r, 0, RECORD + 22, false);
	assert_null(r.failure);
	assert_false(stress_receiver_whole(&r)); /* the rest never came */
	stress_receiver_fini(&r);
}

static void another_content_type_is_noticed(void **state)
{
	struct stress_receiver r;
	size_t len = stream_len;

	stream_len = 0;
	seal(0, payload_bytes + 7, RECORD, 22);
	begin(&r);
	put(&r, 0, stream_len, false);
	assert_string_equal(r.failure, "its content type is wrong");
	stress_receiver_fini(&r);
	make_stream(state);
	assert_int_equal(stream_len, len);
}

static void without_a_key_only_bytes_are_counted(void **state)
{
	struct stress_receiver r;

	stress_receiver_init(&r, (uint32_t)SEQ);
	put(&r, 100, 100, false);
	assert_int_equal(stress_receiver_hole(&r), (uint32_t)SEQ + 100);
	put(&r, 0, 100, false);
	assert_int_equal(r.nxt, (uint32_t)SEQ + 200);
	assert_null(r.stream);
	stress_receiver_fini(&r);
}

/* -- frames -- */

static uint16_t ones_sum(const uint8_t *p, size_t len, uint32_t s)
{
	for (size_t i = 0; i < len; i++)
		s += i % 2 ? p[i] : (uint32_t)p[i] << 8;
	while (s >> 16)
		s = (s & 0xffff) + (s >> 16);
	return (uint16_t)~s;
}

static void a_frame_says_whose_it_is(void **state)
{
	uint8_t frame[STRESS_HEADER_BYTES + 101] = {0};
	struct stress_frame f;
	uint16_t sum;

	stress_frame_header(frame, 63, 1234567, 0xfedcba98);
	memset(frame + STRESS_HEADER_BYTES, 0x5a, 101);
	frame[17] = 52 + 101;
	memcpy(frame + 38, "\1\2\3\4", 4);
	sum = ones_sum(frame + 14, 20, 0);
	frame[24] = (uint8_t)(sum >> 8);
	frame[25] = (uint8_t)sum;
	sum = (uint16_t)~ones_sum(frame + 26, 8, 6 + 32 + 101);
	sum = ones_sum(frame + 34, 32 + 101, sum);
	frame[50] = (uint8_t)(sum >> 8);
	frame[51] = (uint8_t)sum;
	assert_true(stress_frame_parse(frame, sizeof(frame), true, &f));
	assert_int_equal(f.thread, 63);
	assert_int_equal(f.slot, 1234567);
	assert_int_equal(f.id, 0xfedcba98);
	assert_int_equal(f.seq, 0x01020304);
	assert_int_equal(f.len, 101);
	assert_ptr_equal(f.payload, frame + STRESS_HEADER_BYTES);
	assert_true(f.checksums_good);
	for (size_t i = 14; i < sizeof(frame); i++) {
		frame[i] ^= 1;
		if (stress_frame_parse(frame, sizeof(frame), true, &f) && i != 17)
			assert_false(f.checksums_good);
		frame[i] ^= 1;
	}
	for (size_t len = 0; len < sizeof(frame); len++)
		assert_false(stress_frame_parse(frame, len, true, &f));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_stream_in_order_is_verified),
		cmocka_unit_test(holes_are_told_and_filled),
		cmocka_unit_test(no_room_for_another_range_is_a_loss),
		cmocka_unit_test(damage_is_noticed),
		cmocka_unit_test(other_payload_keys_and_order_are_noticed),
		cmocka_unit_test(another_content_type_is_noticed),
		cmocka_unit_test(without_a_key_only_bytes_are_counted),
		cmocka_unit_test(a_frame_says_whose_it_is),
	};

	return cmocka_run_group_tests(tests, make_stream, free_stream);
}
