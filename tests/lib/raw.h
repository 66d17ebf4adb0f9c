/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A device driven by mailboxes that are built here, field by field: for tests of the model that must not go through
 * the library's own objects. Every command must succeed, else the process aborts with opcode and syndrome, so that
 * the same helpers serve cmocka tests and fuzzers. raw_close() leaves the objects to the provider's close.
 *
 * Rings and doorbell records come from one umem, data from one memory region; both are handed out upwards and never
 * given back.
 */
#ifndef TESTS_LIB_RAW_H
#define TESTS_LIB_RAW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "prm/prm.h"
#include "providers/provider.h"

enum { RAW_ARENA = 1 << 20 };

struct raw {
	struct prov_device *dev;
	const struct prov_ops *ops;
	struct prov_uar uar;
	uint32_t pd, td, tisn;
	uint8_t *rings, *data; /* RAW_ARENA bytes each */
	struct prov_umem umem;
	struct prov_mr mr; /* over data; its addresses are host addresses */
	size_t rings_used;
};

struct raw_cq {
	struct prov_obj *obj;
	uint32_t cqn, log_size, ci;
	uint8_t *ring;
	uint32_t *db;
};

struct raw_sq {
	struct prov_obj *obj;
	uint32_t sqn, log_size;
	uint8_t *ring;
	uint32_t *db;
	uint16_t pi;
	struct raw_cq cq;
};

struct raw_rq {
	struct prov_obj *obj;
	uint32_t rqn, tirn, log_size;
	uint8_t *ring; /* strides of 64 bytes */
	uint32_t *db;
	uint16_t pi;
	struct raw_cq cq;
};

struct raw_table {
	struct prov_obj *obj;
	uint32_t id;
	uint8_t type; /* PRM_FLOW_TABLE_TYPE_* */
};

/* One rule; zero means none. It gets a group of its own at `index`. */
struct raw_rule {
	uint16_t action;
	uint8_t enable;		     /* match_criteria_enable */
	const uint8_t *mask, *value; /* 512 bytes each; NULL: match all */
	const struct raw_table *to_table;
	uint32_t to_tir, counter, ipsec, reformat, modhdr, flow_tag;
	bool has_counter;
	uint32_t copy_to_tir; /* a second destination */
};

void raw_open(struct raw *r, const char *spec);
void raw_close(struct raw *r);

/* Any command. Returns the handle of a create. What is refused here is a failure of the test. */
struct prov_obj *raw_do(struct raw *r, enum prov_cmd_kind kind, struct prov_obj *obj, void *in,
			size_t inlen, void *out, size_t outlen);
/* n zeroed bytes of the umem, 64-byte aligned. */
uint8_t *raw_ring_memory(struct raw *r, size_t n);

void raw_cq(struct raw *r, struct raw_cq *cq, uint32_t log_size);
void raw_sq(struct raw *r, struct raw_sq *sq, uint32_t log_size, uint32_t log_cq); /* ready */
void raw_rq(struct raw *r, struct raw_rq *rq, uint32_t log_size,
	    uint32_t log_cq); /* ready, with a TIR */
void raw_sq_state(struct raw *r, struct raw_sq *sq, int from, int to);

struct raw_table raw_table(struct raw *r, uint8_t type, uint8_t level);
struct prov_obj *raw_rule(struct raw *r, const struct raw_table *t, uint32_t index,
			  const struct raw_rule *rule);
void raw_attach(struct raw *r, const struct raw_table *t,
		const struct raw_sq *only); /* TX: that SQ's packets */
uint32_t raw_counter(struct raw *r, struct prov_obj **obj);
void raw_counter_read(struct raw *r, struct prov_obj *obj, uint32_t id, uint64_t *packets,
		      uint64_t *octets);
uint32_t raw_dek(struct raw *r, const uint8_t *key, uint8_t len, struct prov_obj **obj);
/* For TLS: a TIS, a key of purpose TLS, another key into it. */
uint32_t raw_tls_tis(struct raw *r, struct prov_obj **obj);
uint32_t raw_tls_dek(struct raw *r, const uint8_t *key, uint8_t len, struct prov_obj **obj);
void raw_tls_key(struct raw *r, struct prov_obj *obj, uint32_t dekn, const uint8_t *key,
		 uint8_t len);
uint32_t raw_tis_of_td(struct raw *r, bool tls, uint32_t td);
/* Full offload, salt f4f3f2f1. tx: sequence numbers count up from sn. */
uint32_t raw_ipsec(struct raw *r, uint32_t dekn, bool tx, uint32_t sn);
uint32_t raw_reformat(struct raw *r, uint8_t type, const uint8_t *data, uint32_t len);
uint32_t raw_modhdr(struct raw *r, uint8_t table_type, uint16_t field,
		    uint32_t value); /* one SET of 32 bits */

/* Put a WQE of `ds` units into the ring (wrapping) and ring the doorbell. wqe_index and qpn are filled in. */
void raw_post(struct raw_sq *sq, uint8_t *wqe);
void raw_ring(struct raw *r, struct raw_sq *sq);
/* The next CQE or NULL; counts it as read. */
const uint8_t *raw_poll(struct raw_cq *cq);
/* Post a receive buffer of n bytes at data + offset. */
void raw_post_rx(struct raw *r, struct raw_rq *rq, size_t offset, uint32_t n);
/* A SEND of n bytes at data + offset, with CQE. */
void raw_send(struct raw *r, struct raw_sq *sq, size_t offset, uint32_t n, uint8_t cs_flags);

#endif
