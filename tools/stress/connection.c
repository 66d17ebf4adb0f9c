// SPDX-License-Identifier: BSD-2-Clause
/*
 * The steps of a connection. Host work is split: half of the cost of a connection is paid when it opens, half when it
 * closes, and bytes when libcrypto encrypts them; records that the NIC encrypts are sent from the payload as it lies.
 *
 * A write is one record. The next one follows when the pace allows, so a connection in software moves to hardware with
 * the first record after its key is there.
 */
#include <errno.h>
#include <net/ethernet.h>
#include <stdlib.h>
#include <string.h>

#include "tools/stress/sim.h"

enum { KEY_BYTES = 28 };

/* -- beginning -- */

static bool more_slots(struct stress_sim *sim)
{
	uint32_t room = sim->room ? 2 * sim->room : 1024;
	struct stress_conn **conn = realloc(sim->conn, room * sizeof(*conn));
	uint32_t *slots;

	if (!conn)
		return false;
	sim->conn = conn;
	slots = realloc(sim->free_slot, room * sizeof(*slots));
	if (!slots)
		return false;
	sim->free_slot = slots;
	sim->room = room;
	return true;
}

static struct stress_conn *take_slot(struct stress_sim *sim)
{
	struct stress_conn *c;

	if (sim->nfree)
		return sim->conn[sim->free_slot[--sim->nfree]];
	if (sim->nslots == sim->room && !more_slots(sim))
		return NULL;
	c = calloc(1, sizeof(*c));
	if (!c)
		return NULL;
	c->slot = sim->nslots;
	c->sim = sim;
	sim->conn[sim->nslots++] = c;
	return c;
}

/* Frames of it may have left since the last doorbell of the simulation's own. */
static void leave_touched(struct stress_conn *c)
{
	struct stress_conn **at = &c->sim->touched;

	while (*at && *at != c)
		at = &(*at)->next_touched;
	if (*at)
		*at = c->next_touched;
}

void stress_conn_free(struct stress_conn *c)
{
	struct stress_sim *sim = c->sim;
	uint32_t slot = c->slot;

	if (c->touched)
		leave_touched(c);
	mlxo_tls_close(c->tls);
	mlxo_secret_destroy(c->key);
	stress_receiver_fini(&c->peer);
	memset(c, 0, sizeof(*c));
	c->slot = slot;
	c->sim = sim;
	sim->free_slot[sim->nfree++] = slot;
}

void stress_conn_put(struct stress_conn *c, uint32_t work)
{
	struct stress_work w = {.id = c->id, .slot = c->slot, .kind = work};

	if (!stress_host_put(&c->sim->host, &w))
		stress_sim_break(c->sim, -ENOMEM);
}

void stress_conn_arrive(struct stress_sim *sim)
{
	struct stress_conn *c = take_slot(sim);

	if (!c) {
		stress_sim_break(sim, -ENOMEM);
		return;
	}
	c->used = true;
	c->id = sim->begun++ * sim->opt->threads + sim->thread;
	c->began = stress_sim_now(sim);
	c->total = stress_sizes_draw(&sim->opt->sizes, &sim->sizes);
	c->offset = stress_random_below(&sim->sizes, sim->payload->size);
	c->una = c->sent = c->end = (uint32_t)stress_random_next(&sim->keys);
	stress_frame_header(c->hdr, sim->thread, c->slot, (uint32_t)c->id);
	if (sim->opt->wire) /* whatever the address of that port is */
		memset(c->hdr, 0xff, ETH_ALEN);
	stress_receiver_init(&c->peer, c->una);
	stress_recorder_begun(sim->recorder);
	stress_conn_put(c, WORK_OPEN);
}

/* -- opening -- */

static int open_tls(struct stress_conn *c)
{
	struct stress_sim *sim = c->sim;
	struct mlxo_tls_params params = {
		.size = sizeof(params),
		.version = MLXO_TLS_1_3,
		.cipher = MLXO_TLS_AES_GCM_128,
		.tcp_seq = c->una,
		.flags = MLXO_TLS_NOWAIT,
		.user = c,
	};
	uint8_t bytes[KEY_BYTES];
	uint64_t cpu = stress_sim_cpu(sim);
	int rc;

	stress_random_bytes(&sim->keys, bytes, sizeof(bytes));
	c->key = mlxo_secret_new(bytes, sizeof(bytes));
	explicit_bzero(bytes, sizeof(bytes));
	if (!c->key)
		return -ENOMEM;
	params.key = c->key;
	rc = mlxo_tls_open(sim->queue, &params, &c->tls);
	c->cpu_ns = stress_sim_cpu(sim) - cpu;
	return rc;
}

static void verify(struct stress_conn *c)
{
	const struct stress_sim *sim = c->sim;

	if (!sim->opt->verify && c->id % STRESS_SAMPLE) {
		mlxo_secret_destroy(c->key);
		c->key = NULL;
		return;
	}
	c->peer.evp = sim->evp;
	c->peer.key = mlxo_secret_bytes(c->key);
	c->peer.payload = sim->payload;
	c->peer.offset = c->offset;
	c->peer.total = c->total;
}

void stress_conn_opened(struct stress_conn *c)
{
	struct mlxo_tls_info info;
	int rc = open_tls(c);

	if (rc) {
		stress_sim_break(c->sim, rc);
		return;
	}
	verify(c);
	mlxo_tls_info(c->tls, &info);
	c->waited = info.state == MLXO_TLS_PENDING;
	if (!c->waited)
		stress_conn_ready(c);
}

void stress_conn_ready(struct stress_conn *c)
{
	if (c->opened)
		return;
	c->opened = true;
	stress_recorder_ready(c->sim->recorder, stress_sim_now(c->sim) - c->began, c->waited,
			      c->cpu_ns);
	stress_conn_put(c, WORK_WRITE);
}

/* -- sending -- */

static int send_range(struct stress_conn *c, uint32_t from, uint32_t to)
{
	struct mlxo_tls_segment seg = {
		.hdr = c->hdr,
		.hdr_len = sizeof(c->hdr),
		.mss = STRESS_MSS,
		.seq = from,
		.len = to - from,
	};
	int rc = mlxo_tls_send(c->tls, &seg);

	if (!rc) {
		c->sim->dirty = true;
		c->heard = stress_sim_now(c->sim);
		if (!c->timer)
			stress_sim_event(c->sim, c->heard + STRESS_TIMER_NS, EVENT_TIMER, c);
		c->timer = true;
	} else if (rc != -EAGAIN) {
		stress_sim_break(c->sim, rc);
	}
	return rc;
}

static bool send_new(struct stress_conn *c)
{
	if (c->sent == c->end)
		return true;
	if (send_range(c, c->sent, c->end))
		return false;
	c->sent = c->end;
	return true;
}

static bool resend(struct stress_conn *c)
{
	if ((int32_t)(c->una - c->resend_from) > 0)
		c->resend_from = c->una;
	while ((int32_t)(c->resend_to - c->resend_from) > 0) {
		uint32_t len = c->resend_to - c->resend_from;

		len = len < STRESS_SEND_MAX ? len : STRESS_SEND_MAX;
		if (send_range(c, c->resend_from, c->resend_from + len))
			return false;
		c->resend_from += len;
		c->resent += len;
	}
	return true;
}

static void start_resend(struct stress_conn *c, uint32_t from, uint32_t to)
{
	if (c->stalled & STALLED_RESEND)
		return;
	c->resend_from = from;
	c->resend_to = to;
	c->recovering = true;
	c->recovery = ++c->epoch;
	if (!resend(c))
		stress_sim_stall(c, STALLED_RESEND);
}

/* One record. 0, -EAGAIN; *cost: of the host. */
static int write_record(struct stress_conn *c, uint64_t *cost_ps)
{
	struct stress_sim *sim = c->sim;
	uint64_t left = c->total - c->written;
	uint64_t len = left < MLXO_TLS_RECORD_MAX ? left : MLXO_TLS_RECORD_MAX;
	uint64_t at = (c->offset + c->written) % sim->payload->size;
	struct iovec iov = {(uint8_t *)sim->payload->bytes + at, len};
	struct mlxo_tls_written written;
	struct mlxo_tls_info info;
	int rc = mlxo_tls_write(c->tls, 23, &iov, 1, NULL, &written);

	if (rc)
		return rc;
	mlxo_tls_info(c->tls, &info);
	if (info.hw_bytes > c->hw_bytes)
		c->hw_wire += written.len;
	else
		*cost_ps = len * sim->cost.byte_ps;
	c->hw_bytes = info.hw_bytes;
	c->written += len;
	c->end = written.seq + written.len;
	c->next_write = sim->now + len * 8 * 1000000000 / sim->opt->pace;
	return 0;
}

/* Takes the thread for so long; then the event. At once when it costs nothing. */
static void occupy(struct stress_conn *c, uint64_t cost_ps, uint32_t kind)
{
	struct stress_sim *sim = c->sim;

	stress_host_occupy(&sim->host, cost_ps);
	if (cost_ps)
		stress_sim_event(sim, sim->now + cost_ps / 1000, kind, c);
}

void stress_conn_written(struct stress_conn *c)
{
	struct stress_sim *sim = c->sim;

	if (!(c->stalled & STALLED_SEND) && !send_new(c))
		stress_sim_stall(c, STALLED_SEND);
	if (c->written < c->total)
		stress_sim_event(sim, c->next_write > sim->now ? c->next_write : sim->now,
				 EVENT_WRITE, c);
}

static void work_write(struct stress_conn *c)
{
	uint64_t cost = 0;
	int rc = write_record(c, &cost);

	if (rc == -EAGAIN) {
		stress_sim_stall(c, STALLED_WRITE);
	} else if (rc) {
		stress_sim_break(c->sim, rc);
	} else {
		occupy(c, cost, EVENT_WRITTEN);
		if (!cost) {
			stress_host_release(&c->sim->host);
			stress_conn_written(c);
		}
	}
}

bool stress_conn_retry(struct stress_conn *c)
{
	if (c->stalled & STALLED_RESEND && resend(c))
		c->stalled &= ~(unsigned int)STALLED_RESEND;
	if (c->stalled & STALLED_SEND && send_new(c))
		c->stalled &= ~(unsigned int)STALLED_SEND;
	if (c->stalled == STALLED_WRITE) {
		c->stalled = 0;
		stress_conn_put(c, WORK_WRITE);
	}
	return !c->stalled;
}

/* -- acknowledgments -- */

void stress_conn_acked(struct stress_conn *c, const struct stress_event *e)
{
	c->answers--;
	if ((int32_t)(e->a - c->una) > 0) {
		int rc = mlxo_tls_ack(c->tls, e->a);

		if (rc) {
			stress_sim_break(c->sim, rc);
			return;
		}
		c->una = e->a;
		c->heard = c->sim->now;
	}
	if (c->una == c->end && c->written == c->total) {
		stress_conn_put(c, WORK_CLOSE);
		c->done = true;
		return;
	}
	if (c->recovering && (int32_t)(e->c - c->recovery) >= 0)
		c->recovering = false;
	if (!c->recovering && (int32_t)(e->b - c->una) > 0 && (int32_t)(e->b - e->a) > 0)
		start_resend(c, c->una, e->b);
}

/* Lost without a trace: by a fault of the port, say. */
void stress_conn_timer(struct stress_conn *c)
{
	struct stress_sim *sim = c->sim;
	uint32_t missing = c->sent - c->una;

	c->timer = false;
	if (!missing)
		return;
	/* On a slow machine much time can pass before frames leave, or answers are looked at. */
	if (c->answers || sim->dirty)
		c->heard = sim->now;
	if (c->heard + STRESS_TIMER_NS <= sim->now)
		start_resend(c, c->una,
			     c->una + (missing < STRESS_SEND_MAX ? missing : STRESS_SEND_MAX));
	/* a range that found no room stands in line; looking at it more often does not help */
	if (!c->timer)
		stress_sim_event(sim,
				 (c->heard + STRESS_TIMER_NS > sim->now ? c->heard : sim->now) +
					 STRESS_TIMER_NS,
				 EVENT_TIMER, c);
	c->timer = true;
}

/* -- the end -- */

static void check(struct stress_conn *c, struct stress_closed *closed)
{
	closed->checked = c->peer.evp != NULL;
	if (!closed->checked)
		return;
	if (!stress_receiver_whole(&c->peer))
		stress_recorder_bad(c->sim->recorder, c->id, c->peer.records, c->peer.failure);
	closed->records = c->peer.records;
	closed->checked_bytes = c->peer.bytes;
}

void stress_conn_over(struct stress_conn *c)
{
	struct stress_sim *sim = c->sim;
	struct stress_closed closed = {
		.bytes = c->total,
		.hw_bytes = c->hw_bytes,
		.hw_wire = c->hw_wire,
		.resent = c->resent,
		.is_long = c->total > STRESS_LONG_BYTES,
	};
	uint64_t cpu = stress_sim_cpu(sim);

	mlxo_tls_close(c->tls);
	c->tls = NULL;
	closed.close_cpu_ns = stress_sim_cpu(sim) - cpu;
	check(c, &closed);
	stress_recorder_closed(sim->recorder, &closed);
	stress_conn_free(c);
	sim->over++;
	if (sim->alive && sim->begun < sim->connections)
		stress_conn_arrive(sim);
}

void stress_conn_work(struct stress_sim *sim, const struct stress_work *work)
{
	struct stress_conn *c = sim->conn[work->slot];
	uint64_t half = sim->cost.open_ps / 2;

	if (c->id != work->id)
		return;
	if (work->kind == WORK_WRITE) {
		work_write(c);
		return;
	}
	occupy(c, half, work->kind == WORK_OPEN ? EVENT_OPENED : EVENT_CLOSED);
	if (half)
		return;
	stress_host_release(&sim->host);
	if (work->kind == WORK_OPEN)
		stress_conn_opened(c);
	else
		stress_conn_over(c);
}
