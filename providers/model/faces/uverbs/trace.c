// SPDX-License-Identifier: BSD-2-Clause
/*
 * MLXO_MODEL_TRACE: what a program asked of kernel and firmware, on its standard error.
 *
 *	refused    a line for each firmware command that was refused, with the reason, and each call that failed
 *	calls	   a line for each call and each firmware command
 *	mailboxes  and the commands' fields, keys hidden
 *
 * A call that failed because firmware refused (EREMOTEIO) is the firmware's line. What libibverbs asks only to find out
 * whether it exists is no failure: "refused" leaves it out.
 */
#include "uverbs.h"

#include <errno.h>
#include <rdma/ib_user_ioctl_cmds.h>
#include <rdma/mlx5_user_ioctl_cmds.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "prm/prm.h"

enum level { NOTHING, REFUSED, CALLS, MAILBOXES };

static enum level level;

int uv_trace_init(char *why, size_t whylen)
{
	static const char *const words[] = {"", "refused", "calls", "mailboxes"};
	const char *word = getenv("MLXO_MODEL_TRACE");

	for (level = NOTHING; word && level <= MAILBOXES; level++)
		if (strcmp(word, words[level]) == 0)
			return 0;
	level = NOTHING;
	if (!word)
		return 0;
	snprintf(why, whylen, "MLXO_MODEL_TRACE=%s: allowed are refused, calls and mailboxes",
		 word);
	return -EINVAL;
}

/* -- calls --------------------------------------------------------------------------------------------------------- */

#define VERBS(name) \
	{ \
		UVERBS_OBJECT_##name, #name \
	}
#define MLX5(name) \
	{ \
		MLX5_IB_OBJECT_##name, #name \
	}

static const char *object_name(uint16_t id)
{
	static const struct {
		uint16_t id;
		const char *name;
	} names[] = {
		VERBS(DEVICE),
		VERBS(PD),
		VERBS(COMP_CHANNEL),
		VERBS(CQ),
		VERBS(QP),
		VERBS(SRQ),
		VERBS(AH),
		VERBS(MR),
		VERBS(MW),
		VERBS(FLOW),
		VERBS(XRCD),
		VERBS(RWQ_IND_TBL),
		VERBS(WQ),
		VERBS(FLOW_ACTION),
		VERBS(DM),
		VERBS(COUNTERS),
		VERBS(ASYNC_EVENT),
		MLX5(DEVX),
		MLX5(DEVX_OBJ),
		MLX5(DEVX_UMEM),
		MLX5(FLOW_MATCHER),
		MLX5(DEVX_ASYNC_CMD_FD),
		MLX5(DEVX_ASYNC_EVENT_FD),
		MLX5(VAR),
		MLX5(PP),
		MLX5(UAR),
		MLX5(STEERING_ANCHOR),
	};

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (names[i].id == id)
			return names[i].name;
	return "unknown object";
}

/* libibverbs looks whether there are methods, and whether a command of the older interface can be given as one. */
static bool only_asked(const struct ib_uverbs_ioctl_hdr *hdr, int err)
{
	return err == -EPROTONOSUPPORT ||
	       (err == -ENOSPC && hdr->object_id == UVERBS_OBJECT_DEVICE &&
		hdr->method_id == UVERBS_METHOD_INVOKE_WRITE);
}

void uv_trace_call(const struct ib_uverbs_ioctl_hdr *hdr, int err)
{
	if (level == NOTHING ||
	    (level == REFUSED && (!err || err == -EREMOTEIO || only_asked(hdr, err))))
		return;
	fprintf(stderr, "uverbs: %s, method 0x%x, %u attributes: %s\n", object_name(hdr->object_id),
		hdr->method_id, hdr->num_attrs, err ? strerror(-err) : "ok");
}

/* -- commands ------------------------------------------------------------------------------------------------------ */

static void put_line(void *prefix, const char *line)
{
	fprintf(stderr, "%s  %s\n", (const char *)prefix, line);
}

static void say_refused(const char *opcode, const void *out)
{
	uint8_t status = prm_out_status(out);
	uint32_t syndrome = (uint32_t)PRM_GET(cmd_out, out, syndrome);
	const char *why = model_refusal_why(status, syndrome);

	fprintf(stderr, "firmware: %s: %s (0x%x), syndrome 0x%08x: %s\n", opcode,
		prm_status_name(status), status, syndrome, why ? why : prm_status_meaning(status));
}

void uv_trace_command(const void *in, size_t inlen, const void *out, size_t outlen, int err)
{
	const char *opcode;

	if (level == NOTHING || inlen < 4)
		return;
	opcode = prm_opcode_name(prm_in_opcode(in));
	if (level == MAILBOXES)
		prm_print_in(in, inlen, put_line, "firmware <");
	if (err == -EREMOTEIO && outlen >= 8)
		say_refused(opcode, out);
	else if (err)
		fprintf(stderr, "firmware: %s: no answer: %s\n", opcode, strerror(-err));
	else if (level >= CALLS)
		fprintf(stderr, "firmware: %s: ok\n", opcode);
	if (level == MAILBOXES && !err)
		prm_print_out(in, inlen, out, outlen, put_line, "firmware >");
}
