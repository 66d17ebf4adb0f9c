/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A model with one object of every kind, and for every command a mailbox that it accepts.
 *
 * The refusal test starts from these and breaks one thing at a time; the firmware fuzzer mutates them.
 */
#ifndef TESTS_LIB_MAILBOXES_H
#define TESTS_LIB_MAILBOXES_H

#include "providers/model/control.h"
#include "providers/model/model.h"

#define MAILBOX_MAX_IN 1024
#define MAILBOX_MAX_OUT 4112

enum { WORLD_UID = 1 };

struct world {
	struct model_dev dev;
	uint8_t *mem; /* what the umem is made of */
	uint32_t umem, uar, pd, td, mkey, cq, tis, sq, rq, tir, rqt, tir_rss, qcounter;
	uint32_t dek, bulk, sa_rx, sa_tx; /* a single key that the SAs use, and a bulk */
	uint32_t counter, add, del, modhdr;
	uint32_t root, rx, rx2, tx, tx2; /* tables: level 0 of the owner; 10, 11; 10, 11 */
	uint32_t group, group_tx;	 /* in rx and tx, index 0..7 */
};

/* What a builder returns: lengths of the mailbox and of the answer. */
struct mailbox {
	uint8_t in[MAILBOX_MAX_IN];
	size_t inlen, outlen;
	uint16_t uid; /* whose command */
};

/* Asserts nothing: returns 0, or the line that failed. */
int world_init(struct world *w, const struct model_profile *profile);
void world_fini(struct world *w);

/* Status of the answer, out may be NULL; or a negative errno of model_fw_exec(). */
int mailbox_exec(struct world *w, const struct mailbox *m, uint8_t *out);

/*
 * Fill m with a command that the device will accept in its present state. Commands that destroy get something made
 * for them; so building may change the world.
 */
void mailbox_build(struct world *w, uint16_t opcode, struct mailbox *m);

/* CREATE_TIR has two forms: this is the one with an RQT. */
void mailbox_build_indirect_tir(struct world *w, struct mailbox *m);

/* General objects have two forms of each command. */
void mailbox_build_ipsec(struct world *w, uint16_t opcode, struct mailbox *m);

#endif
