/* SPDX-License-Identifier: BSD-2-Clause */
/* The header template of a send: what of it changes from packet to packet. */
#ifndef OFFLOAD_TLS_PACKET_H
#define OFFLOAD_TLS_PACKET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "queues/send.h"

struct tls_packet {
	const uint8_t *hdr;
	unsigned int len; /* up to the end of the TCP header */
	unsigned int l3, l4;
	bool ipv6;
};

/* Find the headers. 0 or -EINVAL with a sentence. */
int tls_packet_parse(struct tls_packet *p, const void *hdr, size_t len);
/*
 * The headers of one packet (or of the first of a TSO) with n bytes of payload from seq on: to[] gets p->len bytes. index:
 * packets of this template before it. last: PSH and FIN stay.
 */
void tls_packet_fill(const struct tls_packet *p, uint8_t *to, uint32_t seq, uint32_t n,
		     uint32_t index, bool last);

#endif
