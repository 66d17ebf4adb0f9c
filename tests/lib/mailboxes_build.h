/* SPDX-License-Identifier: BSD-2-Clause */
/* What the files with mailboxes of commands share: build_<OPCODE> for each; an opcode without one does not build. */
#ifndef TESTS_LIB_MAILBOXES_BUILD_H
#define TESTS_LIB_MAILBOXES_BUILD_H

#include "mailboxes.h"

#define DECLARE(name, value, in, out, object) void build_##name(struct world *w, struct mailbox *m);
PRM_OPCODES(DECLARE)

void mailbox_begin(struct mailbox *m, uint16_t opcode, size_t inlen, size_t outlen);
/* Number of the object that the built create makes; 0 when it was refused. */
uint32_t mailbox_made(struct world *w, const struct mailbox *m, unsigned int off,
		      unsigned int width);

#define BEGIN(op, layout) \
	mailbox_begin(m, PRM_CMD_OP_##op, PRM_BYTES(layout##_in), PRM_BYTES(layout##_out))
#define SET(layout, field, value) PRM_SET(layout, m->in, field, value)
#define MADE(layout, field) mailbox_made(w, m, PRM_OFFSET(layout, field), PRM_WIDTH(layout, field))

#endif
