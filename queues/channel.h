/* SPDX-License-Identifier: BSD-2-Clause */
/* What services need of a channel besides channel.h of the public headers. */
#ifndef QUEUES_CHANNEL_H
#define QUEUES_CHANNEL_H

#include <mlx5_offload/channel.h>

#include "objects/tir.h"

/* Rules send frames of this channel here. Lives as long as the channel. */
const struct obj_tir *queue_channel_tir(const struct mlxo_channel *channel);
struct mlxo_device *queue_channel_device(const struct mlxo_channel *channel);

#endif
