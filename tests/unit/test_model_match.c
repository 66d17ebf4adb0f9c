// SPDX-License-Identifier: BSD-2-Clause
/* Compiled masks and hashed groups against a naive walk over all rules, bit by bit. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "providers/model/model.h"

enum { RULES = 400, ROUNDS = 40, PACKETS = 400 };

static uint64_t seed = 1;
static struct model_pkt pkt;

static uint32_t rnd(uint32_t below)
{
	seed = seed * UINT64_C(6364136223846793005) + 1442695040888963407;
	return (uint32_t)(seed >> 33) % below;
}

struct rule {
	struct model_fte fte;
	uint32_t words[MODEL_MATCH_WORDS];
	uint8_t value[512];
	bool in;
};

static struct rule rules[RULES];

/* Few distinct bytes, so that rules collide and packets hit. */
static void random_param(uint8_t *param, uint32_t kinds)
{
	for (int i = 0; i < 512; i++)
		param[i] = (uint8_t)rnd(kinds);
}

static bool naive_hit(const uint8_t *mask, uint8_t enable, const uint8_t *value,
		      const uint8_t *packet)
{
	for (int i = 0; i < 512; i++)
		if ((enable >> (i / 64) & 1) && ((value[i] ^ packet[i]) & mask[i]))
			return false;
	return true;
}

static void set_packet(const uint8_t *param)
{
	for (int w = 0; w < MODEL_MATCH_WORDS; w++)
		pkt.image[w] = (uint32_t)prm_get(param, (unsigned int)w * 32, 32);
}

static void insert(struct model_fg *fg, uint32_t i)
{
	rules[i].fte.index = i;
	rules[i].fte.value = rules[i].words;
	model_mask_values(&fg->mask, rules[i].value, rules[i].words);
	assert_int_equal(model_fg_insert(fg, &rules[i].fte), 0);
	rules[i].in = true;
}

static void check(struct model_fg *fg, const uint8_t *mask, uint8_t enable)
{
	uint8_t packet[512];
	struct model_fte *want = NULL;

	random_param(packet, 2);
	set_packet(packet);
	for (uint32_t i = 0; i < RULES && !want; i++)
		if (rules[i].in && naive_hit(mask, enable, rules[i].value, packet))
			want = &rules[i].fte;
	assert_ptr_equal(model_fg_lookup(fg, &pkt), want);
}

static void random_rules(void **state)
{
	for (int round = 0; round < ROUNDS; round++) {
		uint8_t mask[512] = {0}, enable = (uint8_t)(1 + rnd(127));
		struct model_fg fg = {.nftes = 0};
		uint32_t bits = 1 + rnd(9);

		for (uint32_t b = 0; b < bits; b++) /* few bits, so that packets hit */
			mask[rnd(512)] |= (uint8_t)(1u << rnd(2));
		model_mask_compile(&fg.mask, enable, mask);
		for (uint32_t i = 0; i < RULES; i++) {
			random_param(rules[i].value, 2);
			rules[i].in = false;
		}
		for (int n = 0; n < RULES / 2; n++) {
			uint32_t i = rnd(RULES);

			if (!rules[i].in)
				insert(&fg, i);
		}
		for (int n = 0; n < PACKETS; n++) {
			uint32_t i = rnd(RULES);

			check(&fg, mask, enable);
			if (rules[i].in) {
				model_fg_remove(&fg, &rules[i].fte);
				rules[i].in = false;
			} else if (rnd(2)) {
				insert(&fg, i);
			}
		}
		for (uint32_t i = 0; i < RULES; i++)
			if (rules[i].in)
				model_fg_remove(&fg, &rules[i].fte);
		assert_int_equal(fg.nftes, 0);
		assert_null(fg.bucket);
		assert_null(model_fg_lookup(&fg, &pkt));
	}
}

/* A section that match_criteria_enable leaves out is not compared, whatever its mask bytes say. */
static void disabled_sections(void **state)
{
	uint8_t mask[512];
	struct model_mask m;

	memset(mask, 0xff, sizeof(mask));
	for (unsigned int section = 0; section < 7; section++) {
		model_mask_compile(&m, (uint8_t)(1u << section), mask);
		assert_int_equal(m.n, 16);
		for (unsigned int i = 0; i < 16; i++)
			assert_int_equal(m.word[i], section * 16 + i);
	}
	model_mask_compile(&m, 0, mask);
	assert_int_equal(m.n, 0);
}

static void lowest_index_of_equal_values(void **state)
{
	static const uint32_t order[] = {7, 3, 9, 1, 5};
	uint8_t mask[512] = {0};
	struct model_fg fg = {.nftes = 0};

	mask[0] = 0xff;
	model_mask_compile(&fg.mask, 1, mask);
	memset(pkt.image, 0, sizeof(pkt.image));
	for (size_t i = 0; i < 5; i++) {
		memset(rules[order[i]].value, 0, 512);
		insert(&fg, order[i]);
	}
	for (uint32_t i = 1; i < 10; i += 2) {
		assert_ptr_equal(model_fg_lookup(&fg, &pkt), &rules[i].fte);
		model_fg_remove(&fg, &rules[i].fte);
	}
	assert_null(model_fg_lookup(&fg, &pkt));
}

static void empty_mask_takes_all(void **state)
{
	uint8_t mask[512] = {0};
	struct model_fg fg = {.nftes = 0};

	model_mask_compile(&fg.mask, 0x7f, mask);
	memset(pkt.image, 0xa5, sizeof(pkt.image));
	insert(&fg, 4);
	assert_ptr_equal(model_fg_lookup(&fg, &pkt), &rules[4].fte);
	model_fg_remove(&fg, &rules[4].fte);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(random_rules),
		cmocka_unit_test(disabled_sections),
		cmocka_unit_test(lowest_index_of_equal_values),
		cmocka_unit_test(empty_mask_takes_all),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
