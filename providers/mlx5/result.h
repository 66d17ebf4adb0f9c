/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What an errno of libmlx5 means at the seam.
 *
 *   EREMOTEIO			-EREMOTEIO	the firmware refused; status and syndrome are in the answer
 *   any, status in the answer	-EREMOTEIO	the same, from a kernel that translates the status
 *   EIO, ENODEV, ENXIO		-EIO		the device is dead, gone, or was reset below us
 *   ETIMEDOUT			-ETIMEDOUT	the firmware did not answer in time
 *   EINTR			-ETIMEDOUT	a signal came, before or after: whether it was done is unknown
 *   any other			-errno		not sent: no memory (ENOMEM), refused by the kernel (EINVAL, EPERM), the rdma
 *						cgroup's limit (EAGAIN), busy with another command (EBUSY)
 */
#ifndef PROVIDERS_MLX5_RESULT_H
#define PROVIDERS_MLX5_RESULT_H

/* err: 0 or errno as libmlx5 returns or leaves it; a failure that leaves errno 0 told nothing, -ETIMEDOUT. */
int mlx5_result(int err);
/* The same with the answer, which was zeroed before the command was sent. */
int mlx5_result_of(int err, const void *out);

/* errno of a call that failed. */
int mlx5_failed(void);

#endif
