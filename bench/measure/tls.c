// SPDX-License-Identifier: BSD-2-Clause
/* Questions about sending through one TLS context: fences, where headers lie, DUMPs, what an error leaves. */
#include "rig.h"

enum { LOG_BLOCKS = 8, WRONG_LKEY = 0xffffff00 };
/* Values of the capability wqe_inline_mode. */
enum { INLINE_NOT_REQUIRED = 2 };

static bool may_send(struct lab *lab, struct answer *a)
{
	if (!lab->may_send)
		answer_skip(a, "it puts frames on the wire, which only --send allows");
	return lab->may_send;
}

/* -- fences ----------------------------------------------------------------------------------------------------- */

static const struct recipe {
	const char *name;
	bool on_static, on_progress, nop, on_send;
} recipes[] = {
	{"progress and NOP", false, true, true, false},
	{"first packet", false, false, false, true},
	{"static and NOP", true, false, true, false},
	{"none", false, false, false, false},
};

static void fence_one(struct rig *rig, struct answer *a, const struct recipe *r)
{
	uint32_t tisn = rig_context(rig, a);
	enum rig_end end;

	if (!tisn)
		return;
	rig_static(rig, tisn, r->on_static);
	rig_progress(rig, tisn, r->on_progress);
	if (r->nop)
		queue_sq_nop(&rig->sq, true);
	rig_send(rig, tisn, true, r->on_send);
	end = rig_finish(rig);
	rig_say(rig, a, r->name, end, true);
	if (end != RIG_DONE)
		rig_recover(rig, a);
}

static void fences(struct lab *lab, struct answer *a)
{
	struct rig rig;

	if (!may_send(lab, a) || !rig_open(&rig, lab, a, LOG_BLOCKS))
		return;
	for (size_t i = 0; i < sizeof(recipes) / sizeof(*recipes); i++)
		fence_one(&rig, a, &recipes[i]);
	rig_close(&rig, a);
}

/* -- headers in memory -------------------------------------------------------------------------------------------- */

static void no_inline_on(struct rig *rig, struct answer *a)
{
	uint32_t tisn = rig_context(rig, a);

	if (!tisn)
		return;
	rig_arm(rig, tisn);
	rig_send(rig, tisn, false, false);
	rig_say(rig, a, "headers in memory", rig_finish(rig), true);
}

/* The queue is made as if the device had said that it needs no headers: whether it agrees is the question. */
static void no_inline(struct lab *lab, struct answer *a)
{
	uint64_t *mode = &lab->dev->caps[OBJ_CAP_wqe_inline_mode].value, said = *mode;
	struct rig rig;

	if (!may_send(lab, a))
		return;
	*mode = INLINE_NOT_REQUIRED;
	if (rig_open(&rig, lab, a, LOG_BLOCKS)) {
		no_inline_on(&rig, a);
		rig_close(&rig, a);
	}
	*mode = said;
}

/* -- DUMP ----------------------------------------------------------------------------------------------------------- */

static void dump_on(struct rig *rig, struct answer *a, unsigned int mtu)
{
	const char *const what[] = {"MTU", "MTU + 1"};

	for (unsigned int more = 0; more < 2; more++) {
		uint32_t tisn = rig_context(rig, a);
		enum rig_end end;

		if (!tisn)
			return;
		rig_arm(rig, tisn);
		rig_dump(rig, tisn, mtu + more, false, 0);
		end = rig_finish(rig);
		rig_say(rig, a, what[more], end, false);
		if (end != RIG_DONE && !rig_recover(rig, a))
			return;
	}
}

static void dump(struct lab *lab, struct answer *a)
{
	unsigned int mtu = lab->dev->ops->mtu(lab->dev->prov);
	struct rig rig;

	if (mtu >= RIG_DATA) {
		answer_skip(a, "the MTU of %u is longer than one record here", mtu);
		return;
	}
	if (!rig_open(&rig, lab, a, LOG_BLOCKS))
		return;
	answer_number(a, mtu, "bytes", "mtu");
	dump_on(&rig, a, mtu);
	rig_close(&rig, a);
}

/* -- after an error ---------------------------------------------------------------------------------------------------- */

static void rearm_on(struct rig *rig, struct answer *a)
{
	uint32_t tisn = rig_context(rig, a);
	enum rig_end end;

	if (!tisn)
		return;
	rig_arm(rig, tisn);
	rig_dump(rig, tisn, 64, false, WRONG_LKEY);
	end = rig_finish(rig);
	rig_say(rig, a, "a DUMP of foreign memory", end, false);
	if (!rig_recover(rig, a))
		return;
	rig_arm(rig, tisn);
	if (rig->lab->may_send)
		rig_send(rig, tisn, true, false);
	else
		rig_dump(rig, tisn, 64, false, 0);
	end = rig_finish(rig);
	rig_say(rig, a, "the same context set again", end, rig->lab->may_send);
	if (end != RIG_DONE)
		rig_recover(rig, a);
}

static void rearm(struct lab *lab, struct answer *a)
{
	struct rig rig;

	if (!rig_open(&rig, lab, a, LOG_BLOCKS))
		return;
	rearm_on(&rig, a);
	rig_close(&rig, a);
}

const struct question questions_tls[] = {
	{"tls-fences",
	 "Which fences does a first use need: is what is sent then completed, and right?", fences},
	{"tls-no-inline", "May the headers of a packet on a TLS context lie in memory?", no_inline},
	{"tls-dump", "How long may a DUMP be: the MTU, or more?", dump},
	{"tls-rearm",
	 "Can a context be set again after its queue has failed, without making it anew?", rearm},
	{0},
};
