/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A channel: one send queue and one receive queue with their completion queues, and the memory behind them.
 *
 *    send()  ──copy──▶ TX buffer ring ──WQE──▶ SQ ──▶ NIC TX tables ──▶ wire
 *    poll()  ◀──view── RX buffer ring ◀─WQE─── RQ ◀── NIC RX tables ◀── wire
 *
 * One thread at a time per channel. Frames are whole Ethernet frames without FCS.
 */
#ifndef MLX5_OFFLOAD_CHANNEL_H
#define MLX5_OFFLOAD_CHANNEL_H

#include <stddef.h>
#include <stdint.h>
#include <sys/uio.h>

#include <mlx5_offload/device.h>

MLXO_BEGIN_DECLS

struct mlxo_channel;

struct mlxo_channel_opts {
	size_t size;	     /* sizeof(struct mlxo_channel_opts) */
	uint32_t sq_entries; /* frames in flight, power of two, 16..32768; 0 = 1024 */
	uint32_t rq_entries; /* receive buffers, power of two, 16..32768; 0 = 1024 */
	uint32_t max_frame;  /* bytes, 256..10240; 0 = 9216 */
};

enum {
	MLXO_SEND_CSUM_L3 = 1 << 0, /* fill the IPv4 header checksum */
	MLXO_SEND_CSUM_L4 = 1 << 1, /* fill the TCP/UDP checksum */
};

struct mlxo_rx_frame {
	const uint8_t *data; /* valid until the callback returns */
	size_t len;
	uint32_t flow_tag;    /* 24 bits, set by rules */
	uint32_t ft_metadata; /* reg_b at the end of the tables */
	bool l3_ok, l4_ok;    /* the device checked the checksums and found them good */
};

/* opts may be NULL. The channel sends and receives nothing until rules lead to it (mlxo_ipsec_open). */
MLXO_API int mlxo_channel_create(struct mlxo_device *dev, const struct mlxo_channel_opts *opts,
				 struct mlxo_channel **channel);
MLXO_API void mlxo_channel_destroy(struct mlxo_channel *channel);

/*
 * Post one frame; the bytes are copied. 0; -EAGAIN: ring full, nothing posted, poll first; -EMSGSIZE: longer than
 * max_frame or shorter than an Ethernet header; -EIO: the queue is in error (recover).
 */
MLXO_API int mlxo_channel_send(struct mlxo_channel *channel, const struct iovec *iov, int iovcnt,
			       unsigned int flags);
/* Ring the doorbell for what was posted since the last one. send() alone never rings. */
MLXO_API void mlxo_channel_flush(struct mlxo_channel *channel);

/* Handle completions: free sent buffers, hand up to `max` received frames to fn. Returns frames handed, or -EIO. */
typedef void (*mlxo_rx_fn)(void *ctx, const struct mlxo_rx_frame *frame);
MLXO_API int mlxo_channel_poll(struct mlxo_channel *channel, int max, mlxo_rx_fn fn, void *ctx);

/*
 * Before sleeping on mlxo_device_fd(): arm the completion queues, so that the descriptor becomes readable with the next frame
 * or completion. 0: sleep; 1: something is there already, poll; -EIO: the device is dead, or another -errno. After waking:
 * mlxo_device_progress(), poll until it returns 0, and arm again. A thread that never sleeps does not need it.
 */
MLXO_API int mlxo_channel_arm(struct mlxo_channel *channel);

/*
 * Take the queues out of the error state (ERR → RST → RDY) when poll() or send() said -EIO; frames in flight are lost and
 * counted. 0 also when nothing was wrong. May be called again after a failure.
 */
MLXO_API int mlxo_channel_recover(struct mlxo_channel *channel);

struct mlxo_channel_stats {
	uint64_t tx_packets, tx_bytes; /* posted */
	uint64_t tx_errors;	       /* of these: failed, each stopped the queue */
	uint64_t tx_flushed;	       /* of these: lost because one before them failed */
	uint64_t tx_doorbells;
	uint64_t rx_packets, rx_bytes, rx_errors;
};
MLXO_API void mlxo_channel_stats(const struct mlxo_channel *channel,
				 struct mlxo_channel_stats *stats);
/* Number of the send queue (24 bits), as rules match it. */
MLXO_API uint32_t mlxo_channel_sqn(const struct mlxo_channel *channel);

MLXO_END_DECLS

#endif
