/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A command that nobody waits for: what background work is made of.
 *
 *	obj_create_start(job, ...)  ─▶ submit()		returns at once
 *	progress() of any thread    ─▶ done(job)	job->err: 0 or -errno; the object has its new state
 *
 * The job, its mailboxes and the object belong to the command until done() was called; done() may free or reuse them and may
 * start another job, it must not wait. A failure is logged once (command.c) and is nobody's mlxo_error_last().
 * obj_*_start() returns 0 or -errno: then the command was not sent, done() is not called, and the failure is the thread's
 * last error as that of any call. Outcomes and object states are those of object.h.
 */
#ifndef OBJECTS_JOB_H
#define OBJECTS_JOB_H

#include "objects/object.h"

struct obj_job {
	void (*done)(struct obj_job *job); /* the caller's, set before start */
	void *ctx;			   /* the caller's */
	int err;			   /* result, for done() */

	/* command.c */
	struct mlxo_device *dev;
	struct obj *o;
	struct prov_cmd cmd;
	char object[48]; /* for people: "TIS 5" */
	uint8_t answer[16];
	unsigned int id_off, id_width;
	uint16_t opcode;
	uint8_t status;
	uint8_t outcome;
};

int obj_create_start(struct obj_job *job, struct mlxo_device *dev, const struct obj_create *c,
		     struct obj *o);
/* Several modifies of one object may be in flight at a time (keys of a bulk). */
int obj_modify_start(struct obj_job *job, struct mlxo_device *dev, struct obj *o, void *in,
		     size_t inlen, void *out, size_t outlen);
int obj_general_start(struct obj_job *job, struct mlxo_device *dev, void *in, size_t inlen,
		      void *out, size_t outlen);
/* o is LIVE. */
int obj_destroy_start(struct obj_job *job, struct mlxo_device *dev, struct obj *o);

/*
 * A job with room for its mailboxes: enough for a key, a TIS, a SYNC (tis.h, dek.h). One command at a time.
 */
struct obj_task {
	struct obj_job job;
	uint8_t in[PRM_BYTES(create_encryption_key_in)];
	uint8_t out[PRM_BYTES(general_obj_out_cmd_hdr)];
};

#endif
