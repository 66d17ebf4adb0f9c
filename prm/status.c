// SPDX-License-Identifier: BSD-2-Clause
/*
 * Status byte of an answer in words and as errno.
 *
 * Numbers: mlx5/device.h. Which errno stands for which status: the Linux driver's command layer (mlx5/core/cmd.c);
 * callers of DevX get EREMOTEIO from the kernel for all of them and find the status in the answer.
 */
#include "prm/prm.h"

#include <errno.h>

static const struct {
	uint8_t status;
	int err;
	const char *name;
	const char *meaning;
} table[] = {
	{PRM_CMD_STAT_OK, 0, "OK", "the command was executed"},
	{PRM_CMD_STAT_INT_ERR, EIO, "INT_ERR", "the firmware failed inside"},
	{PRM_CMD_STAT_BAD_OP_ERR, EINVAL, "BAD_OP_ERR",
	 "the firmware does not have this command or this operation modifier"},
	{PRM_CMD_STAT_BAD_PARAM_ERR, EINVAL, "BAD_PARAM_ERR",
	 "a field has a value that is not allowed, or a reserved bit is set"},
	{PRM_CMD_STAT_BAD_SYS_STATE_ERR, EIO, "BAD_SYS_STATE_ERR",
	 "the device is not in a state in which this command is allowed"},
	{PRM_CMD_STAT_BAD_RES_ERR, EINVAL, "BAD_RES_ERR",
	 "an object that the command names does not exist or is of another kind or owner"},
	{PRM_CMD_STAT_RES_BUSY, EBUSY, "RES_BUSY", "the object is still used by another object"},
	{PRM_CMD_STAT_NOT_READY, EAGAIN, "NOT_READY", "the device is not ready yet: try again"},
	{PRM_CMD_STAT_LIM_ERR, ENOMEM, "LIM_ERR",
	 "the limit of objects of this kind is reached: free some or do without"},
	{PRM_CMD_STAT_BAD_RES_STATE_ERR, EINVAL, "BAD_RES_STATE_ERR",
	 "the object is not in a state in which this command is allowed"},
	{PRM_CMD_STAT_IX_ERR, EINVAL, "IX_ERR", "an index is outside its range"},
	{PRM_CMD_STAT_NO_RES_ERR, EAGAIN, "NO_RES_ERR",
	 "the device has no room for another object now: free some or do without"},
	{PRM_CMD_STAT_BAD_QP_STATE_ERR, EINVAL, "BAD_QP_STATE_ERR",
	 "the queue pair is not in a state in which this command is allowed"},
	{PRM_CMD_STAT_BAD_PKT_ERR, EINVAL, "BAD_PKT_ERR", "a packet in the command is malformed"},
	{PRM_CMD_STAT_BAD_SIZE_OUTS_CQES_ERR, EINVAL, "BAD_SIZE_OUTS_CQES_ERR",
	 "more completions are outstanding than the new size of the queue holds"},
	{PRM_CMD_STAT_BAD_INP_LEN_ERR, EIO, "BAD_INP_LEN_ERR",
	 "the command is shorter or longer than this firmware expects"},
	{PRM_CMD_STAT_BAD_OUTP_LEN_ERR, EIO, "BAD_OUTP_LEN_ERR",
	 "the room for the answer is too small for this firmware"},
};

#define NSTATUS (sizeof(table) / sizeof(table[0]))

/* Index in the table, NSTATUS when unknown. */
static size_t find(uint8_t status)
{
	size_t i = 0;

	while (i < NSTATUS && table[i].status != status)
		i++;
	return i;
}

const char *prm_status_name(uint8_t status)
{
	size_t i = find(status);

	return i < NSTATUS ? table[i].name : "unknown status";
}

const char *prm_status_meaning(uint8_t status)
{
	size_t i = find(status);

	return i < NSTATUS ? table[i].meaning : "unknown status";
}

int prm_status_errno(uint8_t status)
{
	size_t i = find(status);

	return i < NSTATUS ? -table[i].err : -EIO;
}
