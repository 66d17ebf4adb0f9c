// SPDX-License-Identifier: BSD-2-Clause
/*
 * pcap: frames that go out are written to a file, frames of another file come in. Also the tap of every port.
 *
 *   pcap:OUT;in=IN     each poll hands up the next frames of IN until its end
 *
 * Files are Ethernet with nanosecond time stamps of the wall clock. Locks: port->lock around every write.
 */
#include "port.h"

#include <errno.h>
#include <pcap/pcap.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { SNAPLEN = 65535 };

struct port_pcap {
	pcap_t *pcap;
	pcap_dumper_t *dumper;
};

struct port_pcap *port_pcap_create(const char *path, char *why, size_t whylen)
{
	struct port_pcap *w = calloc(1, sizeof(*w));

	if (w)
		w->pcap = pcap_open_dead_with_tstamp_precision(DLT_EN10MB, SNAPLEN,
							       PCAP_TSTAMP_PRECISION_NANO);
	if (!w || !w->pcap) {
		snprintf(why, whylen, "pcap file '%s': out of memory", path);
		free(w);
		return NULL;
	}
	w->dumper = pcap_dump_open(w->pcap, path);
	if (!w->dumper) {
		snprintf(why, whylen, "pcap file cannot be written: %s", pcap_geterr(w->pcap));
		pcap_close(w->pcap);
		free(w);
		return NULL;
	}
	return w;
}

void port_pcap_write(struct port_pcap *w, const uint8_t *frame, size_t len)
{
	struct pcap_pkthdr h = {.caplen = (bpf_u_int32)len, .len = (bpf_u_int32)len};
	struct timespec now;

	clock_gettime(CLOCK_REALTIME, &now);
	h.ts.tv_sec = now.tv_sec;
	h.ts.tv_usec = now.tv_nsec; /* nanoseconds in a file of that precision */
	pcap_dump((u_char *)w->dumper, &h, frame);
}

void port_pcap_destroy(struct port_pcap *w)
{
	if (!w)
		return;
	pcap_dump_close(w->dumper);
	pcap_close(w->pcap);
	free(w);
}

struct files {
	struct port_pcap *out;
	pcap_t *in; /* NULL: none, or at its end */
};

static int files_open(struct files *f, const char *path, const char *in, char *why, size_t whylen)
{
	char text[PCAP_ERRBUF_SIZE];

	if (in) {
		f->in = pcap_open_offline(in, text);
		if (!f->in || pcap_datalink(f->in) != DLT_EN10MB) {
			snprintf(why, whylen, "port pcap: '%s' cannot be read: %s", in,
				 f->in ? "it is not a capture of Ethernet" : text);
			return -EINVAL;
		}
	}
	f->out = port_pcap_create(path, why, whylen);
	return f->out ? 0 : -EIO;
}

static void files_close(struct files *f)
{
	if (f->in)
		pcap_close(f->in);
	port_pcap_destroy(f->out);
	free(f);
}

static int pcap_port_open(struct model_port *port, const char *arg, const char *in, char *why,
			  size_t whylen)
{
	struct files *f = calloc(1, sizeof(*f));
	int err;

	if (!f) {
		snprintf(why, whylen, "port pcap:%s: out of memory", arg);
		return -ENOMEM;
	}
	err = files_open(f, arg, in, why, whylen);
	if (err) {
		files_close(f);
		return err;
	}
	port->priv = f;
	return 0;
}

static void pcap_port_close(struct model_port *port)
{
	files_close(port->priv);
}

static void pcap_port_send(struct model_port *port, const uint8_t *frame, size_t len)
{
	struct files *f = port->priv;

	pthread_mutex_lock(&port->lock);
	port_pcap_write(f->out, frame, len);
	pthread_mutex_unlock(&port->lock);
}

static int pcap_port_poll(struct model_port *port, int max)
{
	struct files *f = port->priv;
	struct pcap_pkthdr *h;
	const u_char *bytes;
	int n = 0;

	while (f->in && n < max) {
		if (pcap_next_ex(f->in, &h, &bytes) != 1) {
			pcap_close(f->in);
			f->in = NULL;
			break;
		}
		port_received(port, bytes, h->caplen);
		n++;
	}
	return n;
}

const struct port_kind port_pcap_kind = {
	.name = "pcap",
	.takes_arg = true,
	.takes_in = true,
	.open = pcap_port_open,
	.close = pcap_port_close,
	.send = pcap_port_send,
	.poll = pcap_port_poll,
};
