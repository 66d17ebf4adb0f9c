// SPDX-License-Identifier: BSD-2-Clause
/* The public channel: a sending and a receiving half, and the checks of what users give. */
#include "queues/channel.h"
#include "objects/alloc.h"
#include "objects/error.h"
#include "queues/rx.h"
#include "queues/tx.h"

#include <errno.h>
#include <string.h>

enum { ENTRIES_MIN = 16, ENTRIES_MAX = 32768, ENTRIES_DEFAULT = 1024 };
/* No struct of options is ever longer: a size that was not set is not followed into foreign memory. */
enum { SIZE_SANE = 4096 };
enum { FRAME_MIN = 256, FRAME_MAX = 10240, FRAME_DEFAULT = 9216 };

struct mlxo_channel {
	struct mlxo_device *dev;
	uint32_t max_frame;
	struct queue_tx tx;
	struct queue_rx rx;
};

/* -- options ------------------------------------------------------------------------------------------------- */

static int check_entries(const char *what, uint32_t *n)
{
	if (!*n)
		*n = ENTRIES_DEFAULT;
	if (*n < ENTRIES_MIN || *n > ENTRIES_MAX || (*n & (*n - 1)))
		return obj_error(-EINVAL, "%s of %u: a power of two from %d to %d is needed", what,
				 *n, ENTRIES_MIN, ENTRIES_MAX);
	return 0;
}

/* A newer caller's struct is longer; what this library does not know must be 0. */
static bool tail_is_zero(const void *opts, size_t size, size_t known)
{
	const uint8_t *b = opts;

	for (size_t i = known; i < size; i++)
		if (b[i])
			return false;
	return true;
}

static int read_opts(const struct mlxo_channel_opts *from, struct mlxo_channel_opts *o)
{
	int err;

	memset(o, 0, sizeof(*o));
	if (from) {
		if (from->size < sizeof(from->size) || from->size > SIZE_SANE ||
		    !tail_is_zero(from, from->size, sizeof(*from)))
			return obj_error(-EINVAL,
					 "channel options have a size or a field that this "
					 "library does not know");
		memcpy(o, from, from->size < sizeof(*o) ? from->size : sizeof(*o));
	}
	if (!o->max_frame)
		o->max_frame = FRAME_DEFAULT;
	if (o->max_frame < FRAME_MIN || o->max_frame > FRAME_MAX)
		return obj_error(-EINVAL, "frames of up to %u bytes: %d..%d are possible",
				 o->max_frame, FRAME_MIN, FRAME_MAX);
	err = check_entries("send queue", &o->sq_entries);
	return err ? err : check_entries("receive queue", &o->rq_entries);
}

/* -- life ---------------------------------------------------------------------------------------------------- */

int mlxo_channel_create(struct mlxo_device *dev, const struct mlxo_channel_opts *opts,
			struct mlxo_channel **channel)
{
	struct mlxo_channel *ch;
	struct mlxo_channel_opts o;
	int err = read_opts(opts, &o);

	*channel = NULL;
	if (err)
		return err;
	ch = mlxo_calloc(1, sizeof(*ch));
	if (!ch)
		return obj_error_nomem("a channel");
	ch->dev = ch->tx.dev = ch->rx.dev = dev;
	ch->max_frame = o.max_frame;
	err = queue_rx_init(&ch->rx, dev, (unsigned int)__builtin_ctz(o.rq_entries), o.max_frame);
	if (!err)
		err = queue_tx_init(&ch->tx, dev, o.sq_entries, o.max_frame);
	if (err) {
		mlxo_channel_destroy(ch);
		return err;
	}
	*channel = ch;
	return 0;
}

void mlxo_channel_destroy(struct mlxo_channel *ch)
{
	if (!ch)
		return;
	obj_undo_begin(); /* nobody can be told but the log */
	queue_tx_fini(&ch->tx);
	queue_rx_fini(&ch->rx);
	obj_undo_end();
	mlxo_free(ch);
}

/* -- use ----------------------------------------------------------------------------------------------------- */

int mlxo_channel_send(struct mlxo_channel *ch, const struct iovec *iov, int iovcnt,
		      unsigned int flags)
{
	uint8_t cs = 0;

	if (flags & ~(unsigned int)(MLXO_SEND_CSUM_L3 | MLXO_SEND_CSUM_L4))
		return obj_error(-EINVAL, "send flags 0x%x: only checksum bits are known", flags);
	if (flags & MLXO_SEND_CSUM_L3)
		cs |= PRM_WQE_ETH_CSUM_L3;
	if (flags & MLXO_SEND_CSUM_L4)
		cs |= PRM_WQE_ETH_CSUM_L4;
	return queue_tx_post(&ch->tx, iov, iovcnt, cs);
}

void mlxo_channel_flush(struct mlxo_channel *ch)
{
	queue_tx_flush(&ch->tx);
}

int mlxo_channel_poll(struct mlxo_channel *ch, int max, mlxo_rx_fn fn, void *ctx)
{
	int n;

	queue_tx_poll(&ch->tx);
	n = queue_rx_poll(&ch->rx, max, fn, ctx);
	if (n == 0 && (ch->tx.sq.failed || ch->rx.failed))
		return obj_error(-EIO, "%s queue is in the error state: recover the channel",
				 ch->tx.sq.failed ? "send" : "receive");
	return n;
}

int mlxo_channel_arm(struct mlxo_channel *ch)
{
	bool sending = ch->tx.sq.posted != ch->tx.sq.done;
	int err = queue_cq_arm(&ch->rx.cq, ch->dev);

	return err || !sending ? err : queue_cq_arm(&ch->tx.sq.cq, ch->dev);
}

int mlxo_channel_recover(struct mlxo_channel *ch)
{
	int err = queue_tx_recover(&ch->tx), err_rx = queue_rx_recover(&ch->rx);

	return err ? err : err_rx;
}

void mlxo_channel_stats(const struct mlxo_channel *ch, struct mlxo_channel_stats *stats)
{
	*stats = (struct mlxo_channel_stats){
		.tx_packets = ch->tx.stats.packets,
		.tx_bytes = ch->tx.stats.bytes,
		.tx_errors = ch->tx.sq.errors,
		.tx_flushed = ch->tx.stats.flushed,
		.tx_doorbells = ch->tx.sq.doorbells,
		.rx_packets = ch->rx.stats.packets,
		.rx_bytes = ch->rx.stats.bytes,
		.rx_errors = ch->rx.stats.errors,
	};
}

uint32_t mlxo_channel_sqn(const struct mlxo_channel *ch)
{
	return ch->tx.sq.obj.obj.id;
}

const struct obj_tir *queue_channel_tir(const struct mlxo_channel *ch)
{
	return &ch->rx.tir;
}

struct mlxo_device *queue_channel_device(const struct mlxo_channel *ch)
{
	return ch->dev;
}
