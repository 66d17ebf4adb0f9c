/* SPDX-License-Identifier: BSD-2-Clause */
/* Receive side scaling by raw mailboxes (raw.h): RQTs, and TIRs that hash. */
#ifndef TESTS_LIB_RAW_RSS_H
#define TESTS_LIB_RAW_RSS_H

#include "raw.h"

enum { RAW_MAX_RQT = 64 };

struct raw_rqt {
	struct prov_obj *obj;
	uint32_t rqtn;
};

struct raw_tir {
	struct prov_obj *obj;
	uint32_t tirn;
};

/* A table of the n queues, as large as it can get. */
struct raw_rqt raw_rqt(struct raw *r, const struct raw_rq *const *rqs, uint32_t n);
void raw_rqt_set(struct raw *r, const struct raw_rqt *t, const struct raw_rq *const *rqs,
		 uint32_t n);
/* l3, l4: PRM_RX_HASH_L3_*, _L4_*; key: 40 bytes. */
struct raw_tir raw_rss_tir(struct raw *r, const struct raw_rqt *t, uint8_t fn, uint8_t l3,
			   uint8_t l4, uint32_t fields, const uint8_t *key);

#endif
