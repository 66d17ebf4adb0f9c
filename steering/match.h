/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A match under construction: fte_match_param twice, as mask and as value, and which sections are in use.
 *
 * The mask of a group and the value of its rules come from the same helpers: build a group's criteria with any
 * values, then every rule of the group with the same calls. A helper never sets a value bit outside its mask.
 * Helpers may be called in any order; one that is called twice overwrites.
 */
#ifndef STEERING_MATCH_H
#define STEERING_MATCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "prm/prm.h"

#define STEER_MATCH_BYTES PRM_BYTES(fte_match_param)

struct steer_match {
	uint8_t enable; /* match_criteria_enable: outer 1, misc 2, misc2 8, misc3 0x10 */
	uint8_t mask[STEER_MATCH_BYTES];
	uint8_t value[STEER_MATCH_BYTES];
};

/* Matches everything. */
void steer_match_init(struct steer_match *m);

void steer_match_ethertype(struct steer_match *m, uint16_t ethertype);
void steer_match_ip_version(struct steer_match *m, uint8_t version); /* 4 or 6 */
void steer_match_ip_proto(struct steer_match *m, uint8_t proto);
/* A fragment, or not one. */
void steer_match_frag(struct steer_match *m, bool frag);
/*
 * The first prefixlen bits of addr (4 or 16 bytes in network order). family AF_INET or AF_INET6; prefixlen 0: no match on
 * the address; longer than the address counts as all of it. Host bits are left out. Does not match the IP version.
 */
void steer_match_src(struct steer_match *m, int family, const uint8_t *addr,
		     unsigned int prefixlen);
void steer_match_dst(struct steer_match *m, int family, const uint8_t *addr,
		     unsigned int prefixlen);
/* proto 6 (TCP) or 17 (UDP), which is matched too; ports in host byte order, 0: any. */
void steer_match_ports(struct steer_match *m, uint8_t proto, uint16_t sport, uint16_t dport);
/* Host byte order. Does not match the IP protocol. */
void steer_match_esp_spi(struct steer_match *m, uint32_t spi);
/* reg_c_<n>, n 0..7: value under mask. */
void steer_match_reg_c(struct steer_match *m, unsigned int n, uint32_t value, uint32_t mask);
/* TX: the send queue, 24 bits. */
void steer_match_source_sqn(struct steer_match *m, uint32_t sqn);
/* RX, behind a decrypting rule: PRM_IPSEC_SYND_*. */
void steer_match_ipsec_syndrome(struct steer_match *m, uint8_t syndrome);
/* Also matches IP protocol 58. */
void steer_match_icmpv6_type(struct steer_match *m, uint8_t type);

/* Is there a packet that both match? */
bool steer_match_overlaps(const struct steer_match *a, const struct steer_match *b);
/* Does m match a send queue by number? */
bool steer_match_has_source_sqn(const struct steer_match *m);

#endif
