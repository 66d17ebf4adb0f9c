/* SPDX-License-Identifier: BSD-2-Clause */
/* The older commands: a row each, in write.c and verbs.c, qp.c, wq.c, rule.c. */
#ifndef FACES_UVERBS_WRITE_H
#define FACES_UVERBS_WRITE_H

#include "uverbs.h"

/* One command: its struct, zero behind what the program gave. */
struct uv_write {
	struct uv_call *c;
	_Alignas(8) uint8_t in[1024];
	size_t outlen;
};

struct uv_write_cmd {
	uint32_t command;
	int (*run)(struct uv_write *w); /* 0 or -errno */
	size_t in, out;			/* bytes at least */
};

/*
 * The end of a command that made an object: it gets its handle, in *handle of the answer, and the answer is given.
 * After an error, of the caller's or here, it is destroyed again.
 */
int uv_write_publish(struct uv_write *w, struct uv_obj *o, int err, const void *answer, size_t n,
		     uint32_t *handle);

/* The end of an object by its handle: 0 or -errno, then it lives on. */
int uv_write_destroy(struct uv_write *w, uint16_t object, uint32_t handle);

extern const struct uv_write_cmd uv_verbs_commands[], uv_qp_commands[], uv_rule_commands[],
	uv_wq_commands[];
extern const size_t uv_verbs_ncommands, uv_qp_ncommands, uv_rule_ncommands, uv_wq_ncommands;

#endif
