/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * mlx5-offload: drive the crypto engines of mlx5 NICs from userspace.
 *
 * Glossary (the PRM's words): DEK: data encryption key object. TIS/TIR: transport interface send/receive, where a
 * queue meets a transport domain. SQ/RQ/CQ: send, receive, completion queue. WQE/CQE: their entries. ASO: advanced
 * steering operation, state that packets update. FTE: flow table entry (a rule).
 */
#ifndef MLX5_OFFLOAD_H
#define MLX5_OFFLOAD_H

#include <mlx5_offload/channel.h>
#include <mlx5_offload/device.h>
#include <mlx5_offload/error.h>
#include <mlx5_offload/ipsec.h>
#include <mlx5_offload/model.h>
#include <mlx5_offload/secret.h>
#include <mlx5_offload/tls.h>
#include <mlx5_offload/version.h>

#endif
