// SPDX-License-Identifier: BSD-2-Clause
/* The one helper that waits for a command. */
#include "provider.h"

static void wait_done(struct prov_cmd *cmd)
{
	__atomic_store_n((int *)cmd->ctx, 1, __ATOMIC_RELEASE);
}

int prov_cmd_wait(struct prov_device *dev, struct prov_cmd *cmd)
{
	const struct prov_ops *ops = prov_ops(dev);
	int done = 0, err;

	cmd->done = wait_done;
	cmd->ctx = &done;
	err = ops->submit(dev, cmd);
	if (err)
		return cmd->result = err;
	while (!__atomic_load_n(&done, __ATOMIC_ACQUIRE))
		if (ops->progress(dev) == 0 && !__atomic_load_n(&done, __ATOMIC_ACQUIRE))
			ops->wait(dev,
				  10); /* asked again: another thread may have done it meanwhile */
	return cmd->result;
}
