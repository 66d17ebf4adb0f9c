/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Frames of the simulated connections: Ethernet, IPv4, TCP with time stamps. A connection's place in the simulator is in
 * its addresses, so that a frame finds its connection without a table:
 *
 *	source	     10.THREAD.SLOT.SLOT : SLOT	      (16 + 15 bits of slot)
 *	destination  172.16.ID.ID : ID		      (low 32 bits of the connection's number)
 */
#ifndef TOOLS_STRESS_FRAME_H
#define TOOLS_STRESS_FRAME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { STRESS_HEADER_BYTES = 66 };

struct stress_frame {
	uint32_t thread, slot, id;
	uint32_t seq;
	const uint8_t *payload;
	size_t len;
	bool checksums_good;
};

/* The template of a connection's packets, STRESS_HEADER_BYTES of it. slot < 2^31. */
void stress_frame_header(uint8_t *hdr, uint32_t thread, uint32_t slot, uint32_t id);
/* false: not such a frame. check: look at the checksums too (else checksums_good is true). */
bool stress_frame_parse(const uint8_t *frame, size_t len, bool check, struct stress_frame *f);

#endif
