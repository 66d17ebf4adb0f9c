// SPDX-License-Identifier: BSD-2-Clause
/*
 * Ports: opening one by its spec, the faults of the wire, and the tap. The kinds are in port_*.c.
 *
 *   pair:NAME   two devices of one process, joined by name       loop   back to the same device
 *   pcap:FILE   what goes out is written to a file               null   nothing comes, what goes is lost
 *   packet:IF   a netdev, e.g. one end of a veth            tap:IF a netdev that the port makes
 *
 * Faults are drawn from a seeded generator, four numbers per frame whatever happens to it: the same seed and the same
 * frames give the same losses. A reordered frame is held back until the next one has passed; closing the port lets it
 * go. Faults work on what is sent; for both directions give them to both ends. They are the wire's: a lost frame has
 * taken its time on it, a doubled one takes no more, a late one passes with the one that overtook it.
 */
#include "port.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct port_kind *const kinds[] = {&port_pair,   &port_loop, &port_pcap_kind,
						&port_packet, &port_tap,  &port_null};
static const char *const fault_names[PORT_NFAULTS] = {"drop", "dup", "reorder", "corrupt"};

void port_count_drop(struct model_port *port, enum model_drop why)
{
	atomic_fetch_add_explicit(&port->dev->drop[why], 1, memory_order_relaxed);
}

/* Bytes before the IP packet: Ethernet header and up to two tags. */
static size_t l2_len(const uint8_t *frame, size_t len)
{
	size_t at = 12;

	for (int tag = 0; tag < 2 && at + 6 <= len; tag++) {
		if (!(frame[at] == 0x81 && frame[at + 1] == 0x00) &&
		    !(frame[at] == 0x88 && frame[at + 1] == 0xa8))
			break;
		at += 4;
	}
	return at + 2;
}

/* Is there an IP packet in it that is longer than the port takes? */
static bool exceeds_mtu(const struct model_port *port, const uint8_t *frame, size_t len)
{
	return len - l2_len(frame, len) > port->dev->profile.mtu;
}

void port_received(struct model_port *port, const uint8_t *frame, size_t len)
{
	if (port->tap) {
		pthread_mutex_lock(&port->lock);
		port_pcap_write(port->tap, frame, len);
		pthread_mutex_unlock(&port->lock);
	}
	if (len > l2_len(frame, len) && exceeds_mtu(port, frame, len))
		port_count_drop(port, MODEL_DROP_RX_MTU);
	else
		model_rx_frame(port->dev, frame, len);
}

/* when: its last bit is on the wire */
static void port_emit(struct model_port *port, uint64_t when, const uint8_t *frame, size_t len)
{
	model_count_frame(port->dev, true, frame, len);
	if (port->tap) {
		pthread_mutex_lock(&port->lock);
		port_pcap_write(port->tap, frame, len);
		pthread_mutex_unlock(&port->lock);
	}
	if (port->dev->watch)
		port->dev->watch(port->dev->watch_ctx, when, frame, len);
	port->kind->send(port, frame, len);
}

/* -- faults --------------------------------------------------------------------------------------------- */

/* splitmix64 */
static uint64_t draw(uint64_t *state)
{
	uint64_t z = *state += UINT64_C(0x9e3779b97f4a7c15);

	z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
	return z ^ z >> 31;
}

/* Draw what happens to a frame; the fifth number says which bit is flipped. */
static void roll(struct model_port *port, bool hit[PORT_NFAULTS], uint64_t *bit)
{
	for (int i = 0; i < PORT_NFAULTS; i++)
		hit[i] = (double)(draw(&port->random) >> 11) * 0x1p-53 < port->fault[i];
	*bit = draw(&port->random);
}

static void send_faulty(struct model_port *port, uint64_t when, const uint8_t *frame, size_t len)
{
	uint8_t *copy = malloc(len), *late = NULL;
	bool hit[PORT_NFAULTS];
	size_t late_len = 0;
	uint64_t bit;

	if (!copy) {
		port_count_drop(port, MODEL_DROP_PORT_LOSS);
		return;
	}
	memcpy(copy, frame, len);
	pthread_mutex_lock(&port->lock);
	roll(port, hit, &bit);
	if (hit[PORT_CORRUPT])
		copy[bit / 8 % len] ^= (uint8_t)(1u << bit % 8);
	if (hit[PORT_REORDER] && !hit[PORT_DROP] && !port->held) {
		port->held = copy;
		port->held_len = len;
		copy = NULL;
	} else {
		late = port->held;
		late_len = port->held_len;
		port->held = NULL;
	}
	pthread_mutex_unlock(&port->lock);
	if (hit[PORT_DROP])
		port_count_drop(port, MODEL_DROP_PORT_LOSS);
	for (int i = 0; copy && !hit[PORT_DROP] && i < 1 + hit[PORT_DUP]; i++)
		port_emit(port, when, copy, len);
	if (late)
		port_emit(port, when, late, late_len);
	free(copy);
	free(late);
}

void model_port_send(struct model_port *port, const uint8_t *frame, size_t len)
{
	uint64_t when;

	if (exceeds_mtu(port, frame, len)) {
		port_count_drop(port, MODEL_DROP_MTU);
		return;
	}
	when = model_wire_depart(port->dev, len);
	if (port->faulty)
		send_faulty(port, when, frame, len);
	else
		port_emit(port, when, frame, len);
}

int model_port_poll(struct model_port *port, int max)
{
	int n;

	if (pthread_mutex_trylock(&port->poller))
		return 0;
	n = port->kind->poll(port, max);
	pthread_mutex_unlock(&port->poller);
	return n;
}

int model_port_fd(struct model_port *port)
{
	return port->fd;
}

const char *model_port_name(const struct model_port *port)
{
	return port->name;
}

/* -- opening -------------------------------------------------------------------------------------------- */

struct spec {
	char *kind, *arg, *in, *capture;
};

static int set_probability(double *to, const char *name, const char *text, char *why, size_t whylen)
{
	char *end;
	double v = strtod(text, &end);

	if (end == text || *end || !(v >= 0 && v <= 1)) {
		snprintf(why, whylen, "port option %s=%s: the value is a part of 1, from 0 to 1",
			 name, text);
		return -EINVAL;
	}
	*to = v;
	return 0;
}

static int set_seed(uint64_t *to, const char *text, char *why, size_t whylen)
{
	char *end;

	errno = 0;
	*to = strtoull(text, &end, 0);
	if (errno || end == text || *end || *text == '-') {
		snprintf(why, whylen, "port option seed=%s: the value is a number of up to 64 bits",
			 text);
		return -EINVAL;
	}
	return 0;
}

static int set_option(struct model_port *port, struct spec *s, char *option, char *why,
		      size_t whylen)
{
	char *value = strchr(option, '=');

	if (value)
		*value++ = '\0';
	for (int i = 0; value && i < PORT_NFAULTS; i++)
		if (strcmp(option, fault_names[i]) == 0)
			return set_probability(&port->fault[i], option, value, why, whylen);
	if (value && strcmp(option, "seed") == 0)
		return set_seed(&port->random, value, why, whylen);
	if (value && *value && strcmp(option, "capture") == 0) {
		s->capture = value;
		return 0;
	}
	if (value && *value && strcmp(option, "in") == 0 && port->kind->takes_in) {
		s->in = value;
		return 0;
	}
	snprintf(why, whylen,
		 "port option '%s': the options are drop=P, dup=P, reorder=P, corrupt=P, seed=N, "
		 "capture=FILE, "
		 "and in=FILE for pcap",
		 option);
	return -EINVAL;
}

static int find_kind(struct model_port *port, struct spec *s, char *why, size_t whylen)
{
	s->arg = strchr(s->kind, ':');
	if (s->arg)
		*s->arg++ = '\0';
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
		if (strcmp(kinds[i]->name, s->kind) == 0)
			port->kind = kinds[i];
	if (port->kind && port->kind->takes_arg == (s->arg && *s->arg))
		return 0;
	snprintf(why, whylen,
		 "port '%s': the ports are pair:NAME, loop, pcap:FILE, packet:NETDEV, tap:NETDEV "
		 "and "
		 "null",
		 port->name);
	return -EINVAL;
}

/* Parse the spec in `text`, which is cut into pieces. */
static int parse(struct model_port *port, char *text, struct spec *s, char *why, size_t whylen)
{
	char *save, *option;
	int err;

	s->kind = strtok_r(text, ";", &save);
	if (!s->kind)
		s->kind = text;
	snprintf(port->name, sizeof(port->name), "%s", s->kind);
	err = find_kind(port, s, why, whylen);
	while (!err && (option = strtok_r(NULL, ";", &save)))
		err = set_option(port, s, option, why, whylen);
	for (int i = 0; i < PORT_NFAULTS; i++)
		port->faulty |= port->fault[i] > 0;
	return err;
}

static int open_parsed(struct model_port *port, const struct spec *s, char *why, size_t whylen)
{
	int err;

	if (s->capture) {
		port->tap = port_pcap_create(s->capture, why, whylen);
		if (!port->tap)
			return -EIO;
	}
	err = port->kind->open(port, s->arg, s->in, why, whylen);
	if (err)
		port_pcap_destroy(port->tap);
	return err;
}

int model_port_open(struct model_dev *dev, const char *spec, struct model_port **out, char *why,
		    size_t whylen)
{
	struct model_port *port = calloc(1, sizeof(*port));
	char *text = strdup(spec);
	struct spec s = {NULL, NULL, NULL, NULL};
	int err = -ENOMEM;

	if (port && text) {
		port->dev = dev;
		port->fd = -1;
		err = parse(port, text, &s, why, whylen);
		if (!err)
			err = open_parsed(port, &s, why, whylen);
	} else {
		snprintf(why, whylen, "port '%s': out of memory", spec);
	}
	free(text);
	if (err) {
		free(port);
		return err;
	}
	pthread_mutex_init(&port->lock, NULL);
	pthread_mutex_init(&port->poller, NULL);
	*out = port;
	return 0;
}

void model_port_close(struct model_port *port)
{
	if (!port)
		return;
	if (port->held)
		port_emit(port, model_now(port->dev), port->held, port->held_len);
	free(port->held);
	port->kind->close(port);
	port_pcap_destroy(port->tap);
	pthread_mutex_destroy(&port->lock);
	pthread_mutex_destroy(&port->poller);
	free(port);
}

/* -- null ------------------------------------------------------------------------------------------------ */

static int null_open(struct model_port *port, const char *arg, const char *in, char *why,
		     size_t whylen)
{
	return 0;
}

static void null_close(struct model_port *port)
{
}

static void null_send(struct model_port *port, const uint8_t *frame, size_t len)
{
}

static int null_poll(struct model_port *port, int max)
{
	return 0;
}

const struct port_kind port_null = {
	.name = "null",
	.open = null_open,
	.close = null_close,
	.send = null_send,
	.poll = null_poll,
};
