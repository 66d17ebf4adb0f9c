/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Connections that open, send, are acknowledged and close, on one send queue of one thread.
 *
 *	 arrive ─▶ open ─▶ (key) ─▶ write ─▶ send ─ ─ wire ─ ─ ▶ peer
 *		    ▲		      ▲ pace			  │ RTT
 *	 line of host threads	      └──────── acknowledgment ◀──┘ ─▶ all is there: close
 *
 * Time is the device's. In virtual time this is a discrete-event simulation: host work (opening, closing, bytes that
 * libcrypto encrypts) takes threads of the model's host, frames take the wire, and the clock moves from event to event,
 * so the same seed gives the same numbers. Otherwise the same events happen by the clock of the machine, and host work
 * takes what it takes.
 *
 * The peer is the simulation's too: it sees every frame that leaves (mlxo_model_wire_watch, or a second port: wire.h), ignores
 * some when asked to (--loss), reassembles, and for verified connections decrypts. Its acknowledgment is there one RTT after the last frame of
 * a burst; it says what is missing, and that is sent again.
 *
 * sim.c: the loop; connection.c: the steps of a connection; peer.c: frames and acknowledgments.
 *
 * Threads: a simulation belongs to one thread; `stop` and the recorder are shared.
 */
#ifndef TOOLS_STRESS_SIM_H
#define TOOLS_STRESS_SIM_H

#include <stdatomic.h>

#include <mlx5_offload/mlx5_offload.h>

#include "tools/stress/frame.h"
#include "tools/stress/heap.h"
#include "tools/stress/host.h"
#include "tools/stress/options.h"
#include "tools/stress/receiver.h"
#include "tools/stress/recorder.h"

enum {
	STRESS_MSS = 1448,
	STRESS_RTT_NS = 50000,	    /* from the last bit of a burst to its acknowledgment */
	STRESS_TIMER_NS = 10000000, /* nothing heard for so long: send again */
	STRESS_LONG_BYTES =
		16384,		 /* a connection with more is long: adaptive_bytes of the engine */
	STRESS_SEND_MAX = 65536, /* bytes of one segment that is sent again */
	STRESS_SAMPLE = 64,	 /* without --verify one connection of so many is verified */
};

/* Kinds of stress_event. */
enum {
	EVENT_ARRIVE,
	EVENT_WRITE,
	EVENT_ACK,
	EVENT_TIMER,
	EVENT_OPENED,
	EVENT_WRITTEN,
	EVENT_CLOSED
};
/* Kinds of stress_work. */
enum { WORK_OPEN, WORK_WRITE, WORK_CLOSE };
/* What a connection could not do since queue or buffers were full. */
enum { STALLED_WRITE = 1, STALLED_SEND = 2, STALLED_RESEND = 4 };

struct stress_sim;

struct stress_conn {
	uint64_t id; /* counted from 0 over all threads */
	uint32_t slot;
	bool used; /* the slot is taken */
	bool done; /* everything is acknowledged; what is still on the way does not matter */
	struct mlxo_tls *tls;
	struct stress_sim *sim;
	struct mlxo_secret *key;	    /* verified ones keep it */
	uint64_t total, written;	    /* payload bytes */
	uint64_t offset;		    /* of the first one in the payload */
	uint32_t una, sent, end;	    /* TCP: acknowledged, sent, written up to here */
	uint64_t began, next_write, heard;  /* ns; heard: last sign of life */
	uint64_t hw_bytes, hw_wire, resent; /* hw_wire: with headers and tags */
	uint64_t cpu_ns;		    /* of open */
	bool waited, opened, timer;
	bool recovering; /* a range was sent again; what is said about bursts before it is old */
	uint32_t epoch, recovery; /* of ranges sent again */
	uint32_t resend_from, resend_to;
	unsigned int answers; /* acknowledgments on their way */
	unsigned int stalled; /* STALLED_*: in the list */
	uint64_t when;	      /* the last frame is on the wire */
	struct stress_conn *next_touched, *next_ready;
	bool touched, ready; /* in these lists */
	uint8_t hdr[STRESS_HEADER_BYTES];
	struct stress_receiver peer;
};

/* Frames of another thread, for this one. */
struct stress_letter {
	struct stress_letter *next;
	uint64_t when;
	size_t len;
	uint8_t frame[];
};

struct stress_sim {
	/* Given. */
	const struct stress_options *opt;
	struct mlxo_device *dev;
	struct mlxo_tls_engine *engine;
	struct stress_recorder *recorder;
	const struct stress_payload *payload;
	atomic_bool *stop;
	/* Called now and then by the first thread: progress, signals. */
	void (*tick)(void *ctx);
	void *tick_ctx;
	bool is_virtual;
	unsigned int thread;
	uint64_t connections, alive; /* of this thread; alive 0: open loop */
	struct mlxo_model_host cost; /* zero unless virtual */

	/* From the wire's thread, newest first. */
	struct stress_letter *_Atomic letters;
	_Atomic uint32_t nletters;

	/* The simulation's. */
	struct mlxo_tls_queue *queue;
	struct stress_heap heap;
	struct stress_host host;
	struct stress_conn **conn; /* by slot */
	uint32_t nslots, room;
	uint32_t *free_slot;
	uint32_t nfree;
	struct stress_conn *touched, *ready;
	struct stress_host line; /* stalled connections, first come first served */
	struct stress_random arrivals, sizes, keys, losses;
	EVP_CIPHER_CTX *evp;
	uint64_t now, begun, over;
	bool dirty; /* something was posted since the last doorbell */
	bool broken;
	struct problem problem; /* when broken */
};

/* Queue and memory. 0 or an exit status with sim->problem. */
int stress_sim_init(struct stress_sim *sim);
/* Until all connections are over, *stop, or a problem. */
void stress_sim_run(struct stress_sim *sim);
/* Closes what is left. */
void stress_sim_fini(struct stress_sim *sim);

/* -- connection.c -- */

/* A connection begins. */
void stress_conn_arrive(struct stress_sim *sim);
/* A thread of the host has taken the work. */
void stress_conn_work(struct stress_sim *sim, const struct stress_work *work);
/* A host thread is done with the work that the event names. */
void stress_conn_opened(struct stress_conn *c);
void stress_conn_written(struct stress_conn *c);
void stress_conn_over(struct stress_conn *c);
/* Its key is there, or will not be. */
void stress_conn_ready(struct stress_conn *c);
void stress_conn_put(struct stress_conn *c, uint32_t work);
void stress_conn_acked(struct stress_conn *c, const struct stress_event *e);
void stress_conn_timer(struct stress_conn *c);
/* Do again what did not work. false: it still does not. */
bool stress_conn_retry(struct stress_conn *c);
/* Free everything of it. */
void stress_conn_free(struct stress_conn *c);

/* -- peer.c -- */

/* A frame of this simulation has left. Called by the device: calls nothing of the library. */
void stress_peer_frame(struct stress_sim *sim, uint64_t when, const struct stress_frame *f,
		       const uint8_t *frame, size_t len);
/* Acknowledgments for what has left since the last time. */
/* The same from any thread: it is handled when the simulation takes it. What there is no memory for is lost. */
void stress_peer_send(struct stress_sim *sim, uint64_t when, const uint8_t *frame, size_t len);
/* Handle what was sent. Was there any? */
bool stress_peer_take(struct stress_sim *sim);
/* Nobody sends any more: throw away what was not taken. */
void stress_peer_discard(struct stress_sim *sim);
void stress_peer_answer(struct stress_sim *sim);

/* -- sim.c -- */

void stress_sim_event(struct stress_sim *sim, uint64_t time, uint32_t kind,
		      const struct stress_conn *c);
void stress_sim_put_event(struct stress_sim *sim, const struct stress_event *e);
/* The connection of that slot, if it is still the one with that number. */
struct stress_conn *stress_sim_conn(struct stress_sim *sim, uint32_t slot, uint64_t id);
void stress_sim_stall(struct stress_conn *c, unsigned int what);
/* The run cannot go on: the library returned err, or there is no memory (err -ENOMEM, no library involved). */
void stress_sim_break(struct stress_sim *sim, int err);
/* In virtual time sim->now; else the clock, which has gone on since the turn began. */
uint64_t stress_sim_now(const struct stress_sim *sim);
/* CPU time of this thread, ns; 0 in virtual time. */
uint64_t stress_sim_cpu(const struct stress_sim *sim);

#endif
