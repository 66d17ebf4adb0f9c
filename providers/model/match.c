// SPDX-License-Identifier: BSD-2-Clause
/*
 * Matching: compiled masks and the rules of a group by hash.
 *
 *   group mask --compile--> the few words that are not 0 --> packet's masked words --> hash --> chain of rules
 *
 * All rules of a group share its mask, so the masked words of a packet are the key of a hash look-up. A chain is
 * sorted by flow index: of rules with equal values the lowest index is met first.
 *
 * Locks: the caller holds dev->objs, for writing in insert and remove. A group owns its buckets, not its rules.
 */
#include "model.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { WORDS_PER_SECTION = 16, FIRST_BUCKETS = 8 };

static uint32_t word_at(const uint8_t *param, unsigned int word)
{
	const uint8_t *b = param + 4 * word;

	return (uint32_t)b[0] << 24 | (uint32_t)b[1] << 16 | (uint32_t)b[2] << 8 | b[3];
}

void model_mask_compile(struct model_mask *m, uint8_t enable, const uint8_t criteria[512])
{
	m->enable = enable;
	m->n = 0;
	for (unsigned int w = 0; w < MODEL_MATCH_WORDS; w++) {
		uint32_t mask = word_at(criteria, w);

		/* bit i of match_criteria_enable is section i of fte_match_param */
		if (mask == 0 || !(enable & 1u << w / WORDS_PER_SECTION))
			continue;
		m->word[m->n] = (uint8_t)w;
		m->mask[m->n++] = mask;
	}
}

void model_mask_values(const struct model_mask *m, const uint8_t value[512], uint32_t *words)
{
	for (unsigned int i = 0; i < m->n; i++)
		words[i] = word_at(value, m->word[i]) & m->mask[i];
}

static uint64_t hash_step(uint64_t h, uint32_t word)
{
	h = (h ^ word) * UINT64_C(0x9e3779b97f4a7c15);
	return h ^ h >> 32;
}

static uint32_t hash_words(const uint32_t *words, unsigned int n)
{
	uint64_t h = n;

	for (unsigned int i = 0; i < n; i++)
		h = hash_step(h, words[i]);
	return (uint32_t)h;
}

struct model_fte *model_fg_lookup(const struct model_fg *fg, const struct model_pkt *p)
{
	const struct model_mask *m = &fg->mask;
	uint32_t words[MODEL_MATCH_WORDS];
	uint64_t h = m->n;

	if (fg->nftes == 0)
		return NULL;
	for (unsigned int i = 0; i < m->n; i++) {
		words[i] = p->image[m->word[i]] & m->mask[i];
		h = hash_step(h, words[i]);
	}
	for (struct model_fte *e = fg->bucket[(uint32_t)h & (fg->nbuckets - 1)]; e;
	     e = e->hash_next)
		if (memcmp(e->value, words, m->n * sizeof(words[0])) == 0)
			return e;
	return NULL;
}

/* Put into its chain, behind every rule of a lower index. */
static void chain_insert(struct model_fte **bucket, uint32_t nbuckets, const struct model_mask *m,
			 struct model_fte *fte)
{
	struct model_fte **at = &bucket[hash_words(fte->value, m->n) & (nbuckets - 1)];

	while (*at && (*at)->index < fte->index)
		at = &(*at)->hash_next;
	fte->hash_next = *at;
	*at = fte;
}

static int grow(struct model_fg *fg)
{
	uint32_t n = fg->nbuckets ? fg->nbuckets * 2 : FIRST_BUCKETS;
	struct model_fte **bucket = calloc(n, sizeof(struct model_fte *));

	if (!bucket)
		return -ENOMEM;
	for (uint32_t b = 0; b < fg->nbuckets; b++) {
		struct model_fte *e = fg->bucket[b];

		while (e) {
			struct model_fte *next = e->hash_next;

			chain_insert(bucket, n, &fg->mask, e);
			e = next;
		}
	}
	free(fg->bucket);
	fg->bucket = bucket;
	fg->nbuckets = n;
	return 0;
}

int model_fg_insert(struct model_fg *fg, struct model_fte *fte)
{
	if (fg->nftes >= fg->nbuckets) {
		int err = grow(fg);

		if (err)
			return err;
	}
	chain_insert(fg->bucket, fg->nbuckets, &fg->mask, fte);
	fg->nftes++;
	return 0;
}

void model_fg_remove(struct model_fg *fg, struct model_fte *fte)
{
	struct model_fte **at =
		&fg->bucket[hash_words(fte->value, fg->mask.n) & (fg->nbuckets - 1)];

	while (*at && *at != fte)
		at = &(*at)->hash_next;
	if (!*at)
		return;
	*at = fte->hash_next;
	fg->nftes--;
	if (fg->nftes == 0) {
		free(fg->bucket);
		fg->bucket = NULL;
		fg->nbuckets = 0;
	}
}
