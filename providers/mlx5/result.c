// SPDX-License-Identifier: BSD-2-Clause
/* Errnos of libmlx5. Sources: Linux drivers/infiniband/hw/mlx5/devx.c, mlx5/core/cmd.c; rdma-core mlx5/verbs.c. */
#include "result.h"
#include "prm/prm.h"

#include <errno.h>

int mlx5_result(int err)
{
	switch (err) {
	case ENODEV:
	case ENXIO:
	case EIO: return -EIO;
	case EINTR:
	case ETIMEDOUT: return -ETIMEDOUT;
	default: return -err;
	}
}

int mlx5_result_of(int err, const void *out)
{
	return err && prm_out_status(out) ? -EREMOTEIO : mlx5_result(err);
}

int mlx5_failed(void)
{
	return errno ? errno : ETIMEDOUT;
}
