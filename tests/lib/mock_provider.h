/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A provider that expects commands: each command that arrives is compared, byte for byte, with the next one expected and
 * gets the answer that was prepared. A mismatch prints both decoded and fails the test; so does a command that nobody
 * expected, and one that never came (mock_done).
 *
 * Mailboxes are written as text: "offset:word ..." in hexadecimal, offset in bytes, words of 32 bits in the order of
 * their bytes; all else is 0: "000:09120000 044:00000033". Capabilities are answered without being expected.
 */
#ifndef TESTS_LIB_MOCK_PROVIDER_H
#define TESTS_LIB_MOCK_PROVIDER_H

#include <stdio.h>

#include <mlx5_offload/device.h>

#include "prm/prm.h"
#include "providers/provider.h"

enum { MOCK_PD = 0x1a, MOCK_TD = 0x33, MOCK_UAR = 0x77, MOCK_EQN = 0x05 };
enum { MOCK_UMEM = 0x88, MOCK_LKEY = 0x4400 }; /* of the first; the next have one more */
enum { MOCK_ANCHOR = 0x700 };		       /* + priority: table of an anchor */

struct mock;

/* A device opened on a new mock: PD, TD and UAR as above, every capability there. */
struct mock *mock_open(struct mlxo_device **dev);
/* Close the device and check that nothing expected is missing and nothing registered is left. */
void mock_done(struct mock *m, struct mlxo_device *dev);
/* All expected commands came? Fails the test otherwise. */
void mock_drained(struct mock *m);

/* Answers; status 0 is success. `out` text goes behind status and syndrome. */
struct mock_answer {
	int result; /* 0, -EREMOTEIO, -ETIMEDOUT, ... */
	uint8_t status;
	uint32_t syndrome;
	const char *out;
};

/* The next command. Returns the number of the handle that a successful create gives out. */
int mock_expect(struct mock *m, enum prov_cmd_kind kind, size_t inlen, const char *in,
		struct mock_answer answer);
/* Modify or query of the object with that handle. */
void mock_expect_on(struct mock *m, enum prov_cmd_kind kind, int handle, size_t inlen,
		    const char *in, struct mock_answer answer);
/* Destroy of the object with that handle. */
void mock_expect_destroy(struct mock *m, int handle, struct mock_answer answer);

#define MOCK_OK(text) ((struct mock_answer){.out = (text)})
#define MOCK_REFUSE(s, synd) \
	((struct mock_answer){.result = -EREMOTEIO, .status = (s), .syndrome = (synd)})
#define MOCK_TIMEOUT ((struct mock_answer){.result = -ETIMEDOUT})

/* Set a field of a capability group before use; the group's layout and field by offset. */
void mock_cap(struct mlxo_device *dev, const char *name, uint64_t value);

/*
 * From now on every command succeeds and is written to `to` field by field, secrets hidden, zero fields left out: a whole
 * service is easier to check against a transcript than against a list. Objects are numbered 0x100, 0x101, … as they are
 * created. The refuse_in-th command from now on is refused (0: none). NULL: back to the list.
 */
void mock_transcript(struct mock *m, FILE *to, int refuse_in);

/* What attach() was given last, and how many attachments there are. */
const struct prov_attach *mock_attach(struct mock *m);
int mock_attachments(struct mock *m);
/* One that was lost on purpose does not count as left behind. */
void mock_forget_attachment(struct mock *m);
void mock_forget_anchor(struct mock *m);
/* The same for a umem. */
void mock_forget_umem(struct mock *m);
/* Result of the next attach, detach, anchor, anchor_free, umem_dereg or mr_dereg. */
void mock_fail_next(struct mock *m, int err);

/* Doorbells so far and the last one's words. */
int mock_rings(struct mock *m, uint64_t *ctrl);
/* How often CQs were armed; *doorbell: the last. */
int mock_armings(struct mock *m, uint64_t *doorbell);
/* From now on it fails; 0: it does not. */
void mock_arm_fails(struct mock *m, int err);

/* Fill buf from text as above. */
void mock_bytes(uint8_t *buf, size_t len, const char *text);

#endif
