// SPDX-License-Identifier: BSD-2-Clause
/*
 * libFuzzer target: the model's firmware. Not bytes at random but commands: the input is a program of steps, each of
 * which takes the valid mailbox of one opcode (tests/lib/mailboxes.c), changes some fields of it, and sends it. What
 * may go wrong: memory (ASan), arithmetic (UBSan), a leak when everything is closed, and an object that comes or goes
 * with a command that was refused.
 *
 *   step: opcode index, flags, number of changes (0..7), then the changes
 *   change: kind, place, value: 0 a bit, 1 a byte, 2 a number of an object, 3 a length, 4 a 32-bit word
 *
 * flags: bit 0 the IPsec form of a general object, bit 1 another user, bit 2 sent twice, bit 3 close the user after it
 */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "lib/mailboxes.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { MAX_STEPS = 64, OTHER_UID = 2 };

struct input {
	const uint8_t *at, *end;
};

static uint32_t take(struct input *in, unsigned int bytes)
{
	uint32_t v = 0;

	while (bytes--)
		v = v << 8 | (in->at < in->end ? *in->at++ : 0);
	return v;
}

/* A number that means something: of an object of the world, or next to one. */
static uint32_t known_number(const struct world *w, uint32_t n)
{
	const uint32_t ids[] = {w->umem,  w->uar,      w->pd,	 w->td,	     w->mkey,
				w->cq,	  w->tis,      w->sq,	 w->rq,	     w->tir,
				w->dek,	  w->bulk,     w->rx,	 w->rx2,     w->tx,
				w->tx2,	  w->add,      w->del,	 w->root,    0,
				0xffffff, w->sa_rx,    w->sa_tx, w->counter, w->modhdr,
				w->group, w->group_tx, w->rqt,	 w->tir_rss, w->qcounter};

	return ids[n % (sizeof(ids) / sizeof(ids[0]))] + (n >> 8 & 1);
}

static void change(struct input *in, const struct world *w, struct mailbox *m)
{
	uint32_t kind = take(in, 1), place = take(in, 2), value;

	switch (kind % 5) {
	case 0:
		place %= MAILBOX_MAX_IN * 8;
		m->in[place / 8] ^= (uint8_t)(0x80 >> place % 8);
		break;
	case 1: m->in[place % MAILBOX_MAX_IN] = (uint8_t)take(in, 1); break;
	case 2:
		value = known_number(w, take(in, 2));
		prm_put(m->in, place % (MAILBOX_MAX_IN * 8 - 32) / 8 * 8, place & 1 ? 32 : 24,
			value);
		break;
	case 3:
		if (place & 1)
			m->inlen = take(in, 2) % (MAILBOX_MAX_IN + 1);
		else
			m->outlen = take(in, 2) % (MAILBOX_MAX_OUT + 1);
		break;
	default:
		value = take(in, 4);
		prm_put(m->in, place % (MAILBOX_MAX_IN - 4) * 8, 32, value);
		break;
	}
}

/* Exactly as long as they say: a read or write behind them is seen. */
static void send(struct world *w, const struct mailbox *m)
{
	struct model_census before, after;
	uint8_t *in = malloc(m->inlen ? m->inlen : 1), *out = malloc(m->outlen ? m->outlen : 1);

	if (in && out) {
		memcpy(in, m->in, m->inlen);
		model_dev_census(&w->dev, &before);
		model_fw_exec(&w->dev, m->uid, in, m->inlen, out, m->outlen);
		model_dev_census(&w->dev, &after);
		if (m->outlen >= 8 && prm_out_status(out) &&
		    memcmp(&before, &after, sizeof(before)) != 0)
			abort();
	}
	free(out);
	free(in);
}

static void step(struct input *in, struct world *w)
{
	size_t nops;
	const struct prm_opcode_info *ops = prm_opcodes(&nops);
	uint16_t opcode = ops[take(in, 1) % nops].opcode;
	uint32_t flags = take(in, 1), changes = take(in, 1) % 8;
	struct mailbox m;

	if ((flags & 1) && opcode >= PRM_CMD_OP_CREATE_GENERAL_OBJECT &&
	    opcode <= PRM_CMD_OP_DESTROY_GENERAL_OBJECT)
		mailbox_build_ipsec(w, opcode, &m);
	else
		mailbox_build(w, opcode, &m);
	if (flags & 2)
		m.uid = OTHER_UID;
	while (changes--)
		change(in, w, &m);
	send(w, &m);
	if (flags & 4)
		send(w, &m);
	if (flags & 8)
		model_fw_close_uid(&w->dev, m.uid);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct input in = {data, data + size};
	const struct model_profile *profiles;
	struct world w;
	size_t n;

	profiles = model_profiles(&n);
	if (world_init(&w, &profiles[take(&in, 1) % n]) == 0)
		for (int i = 0; i < MAX_STEPS && in.at < in.end; i++)
			step(&in, &w);
	world_fini(&w);
	return 0;
}
