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

static enum level read_level(void)
{
	const char *word = getenv("MLXO_MODEL_TRACE");

	if (!word || !*word)
		return NOTHING;
	if (strcmp(word, "refused") == 0)
		return REFUSED;
	return strcmp(word, "mailboxes") == 0 ? MAILBOXES : CALLS;
}

static enum level level(void)
{
	static _Atomic int known = -1;
	int l = known;

	if (l < 0)
		known = l = read_level();
	return (enum level)l;
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

static bool only_asked(int err)
{
	return err == -EOPNOTSUPP || err == -EPROTONOSUPPORT || err == -ENOSPC;
}

void uv_trace_call(const struct ib_uverbs_ioctl_hdr *hdr, int err)
{
	enum level l = level();

	if (l == NOTHING || (l == REFUSED && (!err || err == -EREMOTEIO || only_asked(err))))
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
	enum level l = level();
	const char *opcode;

	if (l == NOTHING || inlen < 4)
		return;
	opcode = prm_opcode_name(prm_in_opcode(in));
	if (l == MAILBOXES)
		prm_print_in(in, inlen, put_line, "firmware <");
	if (err == -EREMOTEIO && outlen >= 8)
		say_refused(opcode, out);
	else if (err)
		fprintf(stderr, "firmware: %s: no answer: %s\n", opcode, strerror(-err));
	else if (l >= CALLS)
		fprintf(stderr, "firmware: %s: ok\n", opcode);
	if (l == MAILBOXES && !err)
		prm_print_out(in, inlen, out, outlen, put_line, "firmware >");
}
