/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A provider for tests of background commands: TLS contexts, keys, SYNC_CRYPTO; time is the test's; commands can be held,
 * fail, or be answered inside of submit(). It knows which key slots may not be written yet. Thread-safe.
 */
#ifndef TESTS_LIB_FAKE_NIC_H
#define TESTS_LIB_FAKE_NIC_H

#include <stdbool.h>
#include <stdint.h>

#include "objects/device.h"

enum fake_fault {
	FAKE_REFUSE,  /* with `status` */
	FAKE_TIMEOUT, /* not done, no answer */
	FAKE_LOST,    /* done, no answer */
	FAKE_UNSENT,  /* submit() fails: no memory */
	FAKE_DEAD,    /* the device dies */
};

enum { FAKE_ROUNDS = 64 };

struct fake_nic {
	/* set by the test at any time */
	bool inline_done;	   /* answer in submit() */
	unsigned int per_progress; /* commands that a progress() answers; 0: all */
	bool hold;		   /* progress() answers none */
	uint64_t now;
	uint32_t next_tis, next_dek; /* the next numbers */
	uint32_t tis_room, dek_room; /* more than these: LIM_ERR */
	bool no_sync_type;	     /* SYNC of one type: BAD_PARAM */
	bool busy;		     /* destroys are refused: BAD_RES_STATE */

	/* for the test to read */
	unsigned int tis, deks, slots; /* live */
	unsigned int in_flight, most_in_flight;
	unsigned int commands, creates, modifies, syncs, destroys;
	unsigned int early;   /* slots written that were not synced since they were used */
	uint16_t order[4096]; /* opcodes, as they came; destroys: 0 */
	uint64_t last_sync_type;
	uint8_t last_key[2 * 64]; /* start of the body's key field of the last MODIFY */
	unsigned int last_key_size;
};

struct fake_nic *fake_nic_open(struct mlxo_device **dev);
/* Closes the device; nothing may be in flight. */
void fake_nic_close(struct fake_nic *nic, struct mlxo_device *dev);

/* From now on the nth (1 = next) of an opcode (0: any, destroys too) fails; once, or always from then on. */
void fake_nic_fail(struct fake_nic *nic, enum fake_fault kind, unsigned int nth, uint16_t opcode,
		   uint8_t status, bool always);
void fake_nic_heal(struct fake_nic *nic);
/* The owner of a key stopped to use it, now. */
void fake_nic_ended(struct fake_nic *nic, uint32_t dek);
/* Later, and run what is due. */
void fake_nic_pass(struct fake_nic *nic, struct mlxo_device *dev, uint64_t ns);
/* Until nothing happens any more. */
void fake_nic_run(struct mlxo_device *dev);
/* Earliest timer from now, UINT64_MAX: none. */
uint64_t fake_nic_next_timer(struct fake_nic *nic);

#endif
