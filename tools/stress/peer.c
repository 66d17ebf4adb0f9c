// SPDX-License-Identifier: BSD-2-Clause
/*
 * The other end of the wire. Frames of one doorbell come in one go, each with the time at which it is on the wire; so one
 * acknowledgment answers them all, one RTT after the last, as a receiver with GRO does.
 *
 * It tells what was missing when it was sent: [una, hole). A lost last frame is told like any other, since the simulation
 * knows that it was sent; a real sender would learn it by a probe.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "tools/stress/sim.h"

enum { LETTERS = 1 << 16 };

void stress_peer_frame(struct stress_sim *sim, uint64_t when, const struct stress_frame *f,
		       const uint8_t *frame, size_t len)
{
	struct stress_conn *c = f->slot < sim->nslots ? sim->conn[f->slot] : NULL;
	struct stress_frame whole;
	bool lost;

	if (!c || !c->used || c->done || (uint32_t)c->id != f->id || f->len == 0)
		return; /* late: its connection is over */
	lost = stress_random_hit(&sim->losses, sim->opt->loss);
	if (c->peer.evp && !c->peer.failure &&
	    (!stress_frame_parse(frame, len, /* check */ true, &whole) || !whole.checksums_good))
		c->peer.failure = "a packet of it has a wrong checksum";
	if (!stress_receiver_segment(&c->peer, f->seq, f->payload, f->len, lost))
		sim->broken = true;
	c->when = when;
	if (!c->touched) {
		c->touched = true;
		c->next_touched = sim->touched;
		sim->touched = c;
	}
}

/* -- from another thread -- */

void stress_peer_send(struct stress_sim *sim, uint64_t when, const uint8_t *frame, size_t len)
{
	struct stress_letter *l;

	if (atomic_fetch_add(&sim->nletters, 1) >= LETTERS || !(l = malloc(sizeof(*l) + len))) {
		atomic_fetch_sub(&sim->nletters, 1);
		return;
	}
	l->when = when;
	l->len = len;
	memcpy(l->frame, frame, len);
	l->next = atomic_load(&sim->letters);
	while (!atomic_compare_exchange_weak(&sim->letters, &l->next, l))
		;
}

/* As they were sent. */
static struct stress_letter *take_all(struct stress_sim *sim)
{
	struct stress_letter *newest = atomic_exchange(&sim->letters, NULL), *list = NULL;

	while (newest) {
		struct stress_letter *l = newest;

		newest = l->next;
		l->next = list;
		list = l;
	}
	return list;
}

bool stress_peer_take(struct stress_sim *sim)
{
	struct stress_letter *l, *next, *list = take_all(sim);
	struct stress_frame f;

	for (l = list; l; l = next) {
		next = l->next;
		if (stress_frame_parse(l->frame, l->len, /* check */ false, &f))
			stress_peer_frame(sim, l->when, &f, l->frame, l->len);
		atomic_fetch_sub(&sim->nletters, 1);
		free(l);
	}
	return list != NULL;
}

void stress_peer_discard(struct stress_sim *sim)
{
	struct stress_letter *l, *next;

	for (l = take_all(sim); l; l = next) {
		next = l->next;
		free(l);
	}
}

/* -- answers -- */

static void answer(struct stress_sim *sim, struct stress_conn *c)
{
	uint64_t when = c->when > sim->now ? c->when : sim->now;
	struct stress_event e = {
		.time = when + STRESS_RTT_NS,
		.kind = EVENT_ACK,
		.slot = c->slot,
		.id = c->id,
		.a = c->peer.nxt,
		.b = stress_receiver_hole(&c->peer),
		.c = c->epoch,
	};

	c->answers++;
	stress_sim_put_event(sim, &e);
}

void stress_peer_answer(struct stress_sim *sim)
{
	while (sim->touched) {
		struct stress_conn *c = sim->touched;

		sim->touched = c->next_touched;
		c->touched = false;
		answer(sim, c);
	}
	if (sim->broken && !sim->problem.exit)
		stress_sim_break(sim, -ENOMEM);
}
