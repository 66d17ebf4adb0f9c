/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What is common to the kinds of ports, seen from inside port*.c only.
 *
 *   model_port_send -> MTU -> drop, corrupt, duplicate, reorder -> port_emit: tap, counters -> kind->send
 *   model_port_poll -> kind->poll -> port_received: tap -> MTU -> model_rx_frame
 *
 * Locks: port->lock (rank 7) for the fault generator, the frame held back and pcap files. poller: one thread polls a
 * port at a time; only ever tried, never waited for, and outside of all ranks.
 */
#ifndef PROVIDERS_MODEL_PORT_H
#define PROVIDERS_MODEL_PORT_H

#include "model.h"

struct port_pcap; /* port_pcap.c: a pcap file being written */

struct port_kind {
	const char *name; /* the word before the colon */
	bool takes_arg;
	bool takes_in; /* ";in=FILE" */
	/* 0 or -errno with one sentence in why. in: value of ";in=", or NULL. */
	int (*open)(struct model_port *port, const char *arg, const char *in, char *why,
		    size_t whylen);
	void (*close)(struct model_port *port);
	void (*send)(struct model_port *port, const uint8_t *frame, size_t len);
	int (*poll)(struct model_port *port, int max);
};

enum port_fault { PORT_DROP, PORT_DUP, PORT_REORDER, PORT_CORRUPT, PORT_NFAULTS };

struct model_port {
	struct model_dev *dev;
	const struct port_kind *kind;
	char name[96];
	int fd;	    /* see model_port_fd() */
	void *priv; /* the kind's */
	pthread_mutex_t lock, poller;
	struct port_pcap *tap;
	double fault[PORT_NFAULTS]; /* probability of each */
	bool faulty;		    /* one of them is not 0 */
	uint64_t random;	    /* state of the generator */
	uint8_t *held;		    /* frame that waits for the next one to overtake it */
	size_t held_len;
};

extern const struct port_kind port_pair, port_loop, port_pcap_kind, port_packet, port_tap,
	port_null;

/* A frame came in; called by the kinds' poll without a lock. */
void port_received(struct model_port *port, const uint8_t *frame, size_t len);
void port_count_drop(struct model_port *port, enum model_drop why);

/* Nanosecond pcap of Ethernet frames. create: NULL with one sentence in why. write is for one thread at a time. */
struct port_pcap *port_pcap_create(const char *path, char *why, size_t whylen);
void port_pcap_write(struct port_pcap *w, const uint8_t *frame, size_t len);
void port_pcap_destroy(struct port_pcap *w); /* NULL is allowed */

#endif
