// SPDX-License-Identifier: BSD-2-Clause
/*
 * Ranges behind a hole are few: when there is no room for one more, the segment counts as lost, and the sender sends it
 * again like any other.
 *
 * Records (RFC 8446 5.2): 5 bytes of header, which are the additional data; ciphertext of payload and content type; a tag
 * of 16 bytes. The nonce is the write IV with the record's number in its last 8 bytes (5.3).
 */
#include "tools/stress/receiver.h"

#include <stdlib.h>
#include <string.h>

enum {
	HEADER = 5,
	TAG = 16,
	IV = 12,
	KEY = 16,
	APPLICATION_DATA = 23,
	RECORD_MAX = 16384 + 256,
};

void stress_receiver_init(struct stress_receiver *r, uint32_t seq)
{
	memset(r, 0, sizeof(*r));
	r->nxt = r->high = r->base = seq;
}

void stress_receiver_fini(struct stress_receiver *r)
{
	free(r->stream);
	r->stream = NULL;
}

static bool before(uint32_t a, uint32_t b)
{
	return (int32_t)(a - b) < 0;
}

/* -- ranges -- */

static void remove_range(struct stress_receiver *r, unsigned int i)
{
	r->nranges--;
	memmove(&r->range[i], &r->range[i + 1], (r->nranges - i) * sizeof(r->range[0]));
}

/* false: no room for one more. */
static bool add_range(struct stress_receiver *r, uint32_t start, uint32_t end)
{
	unsigned int i = 0;

	while (i < r->nranges && before(r->range[i].end, start))
		i++;
	while (i < r->nranges && !before(end, r->range[i].start)) { /* they touch: one */
		if (before(r->range[i].start, start))
			start = r->range[i].start;
		if (before(end, r->range[i].end))
			end = r->range[i].end;
		remove_range(r, i);
	}
	if (r->nranges == STRESS_RECEIVER_RANGES)
		return false;
	memmove(&r->range[i + 1], &r->range[i], (r->nranges - i) * sizeof(r->range[0]));
	r->range[i] = (struct stress_range){start, end};
	r->nranges++;
	return true;
}

static bool arrive(struct stress_receiver *r, uint32_t seq, uint32_t end)
{
	if (before(r->nxt, seq))
		return add_range(r, seq, end);
	r->nxt = end;
	while (r->nranges && !before(r->nxt, r->range[0].start)) {
		if (before(r->nxt, r->range[0].end))
			r->nxt = r->range[0].end;
		remove_range(r, 0);
	}
	return true;
}

uint32_t stress_receiver_hole(const struct stress_receiver *r)
{
	return r->nranges ? r->range[0].start : r->high;
}

/* -- records -- */

static bool make_room(struct stress_receiver *r, size_t bytes)
{
	uint8_t *stream;
	size_t room = r->room ? r->room : 4096;

	if (r->head + bytes <= r->room)
		return true;
	if (r->head) {
		memmove(r->stream, r->stream + r->head, r->room - r->head);
		r->head = 0;
	}
	while (room < bytes)
		room *= 2;
	if (room == r->room)
		return true;
	stream = realloc(r->stream, room);
	if (!stream)
		return false;
	r->stream = stream;
	r->room = room;
	return true;
}

static bool keep(struct stress_receiver *r, uint32_t seq, const uint8_t *data, size_t len)
{
	size_t at = seq - r->base;

	if (!make_room(r, at + len))
		return false;
	memcpy(r->stream + r->head + at, data, len);
	return true;
}

/* Bytes of the inner plaintext (payload, type, zeros); -1: it does not decrypt. */
static int decrypt(struct stress_receiver *r, const uint8_t *record, size_t body, uint8_t *plain)
{
	uint8_t nonce[IV];
	int n = 0, last = 0;

	memcpy(nonce, r->key + KEY, IV);
	for (int i = 0; i < 8; i++)
		nonce[IV - 1 - i] ^= (uint8_t)(r->records >> (8 * i));
	if (EVP_DecryptInit_ex(r->evp, EVP_aes_128_gcm(), NULL, r->key, nonce) != 1 ||
	    EVP_DecryptUpdate(r->evp, NULL, &n, record, HEADER) != 1 ||
	    EVP_DecryptUpdate(r->evp, plain, &n, record + HEADER, (int)(body - TAG)) != 1 ||
	    EVP_CIPHER_CTX_ctrl(r->evp, EVP_CTRL_GCM_SET_TAG, TAG,
				(uint8_t *)record + HEADER + body - TAG) != 1 ||
	    EVP_DecryptFinal_ex(r->evp, plain + n, &last) != 1)
		return -1;
	return n + last;
}

static const char *check_record(struct stress_receiver *r, const uint8_t *record, size_t body)
{
	uint8_t plain[RECORD_MAX];
	int n;

	if (record[0] != APPLICATION_DATA || record[1] != 3 || record[2] != 3)
		return "its header is not that of a TLS record";
	if (body <= TAG || body > RECORD_MAX)
		return "its length is not that of a TLS record";
	n = decrypt(r, record, body, plain);
	if (n < 0)
		return "it does not decrypt with its key";
	while (n > 0 && !plain[n - 1])
		n--;
	if (n == 0 || plain[--n] != APPLICATION_DATA)
		return "its content type is wrong";
	if (r->bytes + (uint64_t)n > r->total)
		return "it holds more than was written";
	if (memcmp(plain, r->payload->bytes + (r->offset + r->bytes) % r->payload->size,
		   (size_t)n) != 0)
		return "its payload is not what was written";
	r->bytes += (uint64_t)n;
	return NULL;
}

static void check_stream(struct stress_receiver *r)
{
	while (!r->failure && r->nxt - r->base >= HEADER) {
		const uint8_t *record = r->stream + r->head;
		size_t body = (size_t)record[3] << 8 | record[4];

		if (body <= RECORD_MAX && r->nxt - r->base < HEADER + body)
			return;
		r->failure = check_record(r, record, body);
		if (r->failure)
			return;
		r->records++;
		r->base += (uint32_t)(HEADER + body);
		r->head += HEADER + body;
	}
}

bool stress_receiver_segment(struct stress_receiver *r, uint32_t seq, const uint8_t *data,
			     size_t len, bool lost)
{
	uint32_t end = seq + (uint32_t)len;

	if (before(r->high, end))
		r->high = end;
	if (lost || !before(r->nxt, end))
		return true;
	if (before(seq, r->nxt)) {
		data += r->nxt - seq;
		len = end - r->nxt;
		seq = r->nxt;
	}
	if (r->evp && !r->failure && !keep(r, seq, data, len))
		return false;
	if (arrive(r, seq, end) && r->evp)
		check_stream(r);
	return true;
}

bool stress_receiver_whole(struct stress_receiver *r)
{
	if (!r->failure && (r->bytes != r->total || r->base != r->nxt))
		r->failure = "the stream ended before it";
	return !r->failure;
}
