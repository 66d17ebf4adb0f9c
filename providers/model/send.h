/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What SEND (send.c) and TSO (lso.c) share: the data of a WQE as a list of pieces of host memory, and the way of a
 * frame from its bytes to the port.
 */
#ifndef PROVIDERS_MODEL_SEND_H
#define PROVIDERS_MODEL_SEND_H

#include "queue.h"

/* Header, flags and data of one WQE. The pieces point into host memory and into the copied WQE. */
struct model_data {
	const uint8_t *header;
	size_t header_len;
	uint8_t cs_flags;
	bool has_tag; /* a VLAN tag to put in */
	uint16_t tci, tpid;
	uint16_t mss;
	uint32_t metadata;
	size_t room;  /* bytes of data that there may be */
	size_t bytes; /* not copied yet */
	unsigned int n, next;
	struct {
		const uint8_t *at;
		size_t left;
	} piece[MODEL_MAX_DS];
};

/* The next n of d->bytes. */
void model_data_copy(struct model_data *d, uint8_t *to, size_t n);

/* An empty packet of the queue with the inline header in it. */
void model_frame_begin(const struct model_sq *sq, const struct model_data *d, struct model_pkt *p);
/* Of a parsed TCP packet: is there payload? */
bool model_has_payload(const struct model_pkt *p);
/* A parsed packet through the context, its checksums, the rules, to the port. tis may be NULL. */
void model_frame_out(struct model_dev *dev, struct model_tis *tis, const struct model_data *d,
		     struct model_pkt *p);

/* lso.c: cut d into frames of mss bytes and send them. */
struct model_failure model_lso(struct model_dev *dev, struct model_sq *sq,
			       const struct model_wqe *w, uint16_t posted, struct model_tis *tis,
			       struct model_data *d, struct model_pkt *p);

#endif
