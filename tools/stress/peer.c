// SPDX-License-Identifier: BSD-2-Clause
/*
 * The other end of the wire. Frames of one doorbell come in one go, each with the time at which it is on the wire; so one
 * acknowledgment answers them all, one RTT after the last, as a receiver with GRO does.
 *
 * It tells what was missing when it was sent: [una, hole). A lost last frame is told like any other, since the simulation
 * knows that it was sent; a real sender would learn it by a probe.
 */
#include <errno.h>

#include "tools/stress/sim.h"

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
