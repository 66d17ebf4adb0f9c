/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The bench a question is asked on: a device, commands whose refusal is an answer and not an error, and a pile of what was
 * made, so that nothing is left when the question is over.
 *
 *	command -> struct reply: accepted, refused by the firmware, not even sent by the kernel, not answered
 *	create  -> onto the pile	lab_clear(): off the pile, the newest first
 *
 * One thread.
 */
#ifndef MEASURE_LAB_H
#define MEASURE_LAB_H

#include "answer.h"
#include "objects/device.h"
#include "prm/prm.h"

struct lab {
	struct mlxo_device *dev;
	bool is_model;
	bool may_send; /* frames may leave through the port */
	struct prov_obj **pile;
	size_t n, room;
	unsigned int left; /* what the device did not give back, or may still have */
};

struct reply {
	int result; /* as struct prov_cmd has it */
	uint8_t status;
	uint32_t syndrome;
};

/* 0 or -errno with mlxo_error_last(). */
int lab_open(struct lab *lab, const char *device);
void lab_close(struct lab *lab);
/* Destroy what is on the pile. */
void lab_clear(struct lab *lab);

static inline bool lab_accepted(struct reply r)
{
	return r.result == 0;
}
/* "accepted", "refused (BAD_PARAM_ERR)", "refused by the kernel (EINVAL)", ... */
const char *lab_words(struct reply r, char text[64]);
/* Say "what: words", and the syndrome of a refusal as a number. */
void lab_say(struct answer *a, struct reply r, const char *what);
/* What has to work: false, and the question has failed, when it did not. */
bool lab_must(struct answer *a, struct reply r, const char *what);
/* For what the library makes: err as it returned it. */
bool lab_made(struct answer *a, int err, const char *what);

struct reply lab_command(struct lab *lab, enum prov_cmd_kind kind, struct prov_obj *obj, void *in,
			 size_t inlen, void *out, size_t outlen);
/* Onto the pile; *obj receives the handle, NULL when there is none. */
struct reply lab_create(struct lab *lab, void *in, size_t inlen, void *out, size_t outlen,
			struct prov_obj **obj);
/* An object that the library made goes onto the pile; o is as if it were destroyed. Returns its handle. */
struct prov_obj *lab_adopt(struct lab *lab, struct obj *o);
/* The newest of the pile. */
struct reply lab_destroy_newest(struct lab *lab);

/* Does the device have it? If not, the question is skipped. */
bool lab_has(struct lab *lab, struct answer *a, enum obj_cap cap);
uint64_t lab_now(struct lab *lab);

/*
 * n commands, `width` of them in flight. fill() writes the i-th one: everything but done, ctx and the mailboxes' memory,
 * which has room for a key. Returns how many were accepted; *last is the reply of one that was not.
 */
enum { LAB_WIDTH = 16, LAB_MAILBOX = PRM_BYTES(create_encryption_key_in) };
typedef void (*lab_fill_fn)(void *ctx, unsigned int i, struct prov_cmd *cmd);
unsigned int lab_burst(struct lab *lab, unsigned int n, unsigned int width, lab_fill_fn fill,
		       void *ctx, struct reply *last);

/* Sorts. Numbers NAME_median and NAME_p99, in us. */
void lab_spread(struct answer *a, const char *name, uint64_t *ns, size_t n);

#endif
