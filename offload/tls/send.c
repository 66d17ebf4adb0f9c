// SPDX-License-Identifier: BSD-2-Clause
/*
 * Sending a range of the stream.
 *
 *	range ── what is acknowledged is cut off ──▶ runs ──▶ packets
 *	hardware run: does the context expect its first byte?  yes ─▶ packets
 *		      no ─▶ STATIC (number of the record) PROGRESS, DUMP of what precedes in the record, or a fenced NOP
 *
 * TX hardware knows no TCP sequence numbers: it takes what is posted as the stream. So where it stands is tracked here, and
 * anything that is not the very next byte sets the context back (or forward) to the record that holds it. It does not
 * matter whether a range is new: an old one is a retransmission.
 *
 * Nothing changes before the whole plan has room in the ring. Sources: Linux en_accel/ktls_tx.c for the sequences, RFC 9293
 * for sequence numbers, which are compared by signed difference.
 */
#include "offload/tls/plan.h"
#include "objects/alloc.h"
#include "objects/error.h"

#include <errno.h>
#include <string.h>

enum { TSO_MAX = 65536, DS = 16, WINDOW = 262144, WINDOW_MIN = 65536 };

/* Where the context stands, or will stand behind what is planned. */
struct position {
	bool armed;
	uint32_t seq;
	uint64_t programmed, programmed_key;
};

struct build {
	struct mlxo_tls *tls;
	struct tls_plan *plan;
	const struct tls_packet *pkt;
	struct tls_record *rec; /* holds pos */
	uint32_t pos, end;
	uint32_t mss, tso, mtu;
	uint32_t index; /* packets so far */
	unsigned int max_segs;
	struct position at;
	uint32_t resyncs, sets, dumps, dump_bytes, hw_packets, hw_bytes, linear;
	bool again; /* set back or forward, other than the first time */
};

/* -- finding ------------------------------------------------------------------------------------------------- */

static bool holds(const struct tls_record *r, uint32_t seq)
{
	return tls_seq_diff(seq, r->seq) >= 0 && seq - r->seq < r->len;
}

/* The record that holds seq. The end of a record is the start of the next. */
static struct tls_record *find_record(struct mlxo_tls *tls, uint32_t seq)
{
	struct tls_record *r = tls->hint;

	if (!r || tls_seq_diff(seq, r->seq) < 0)
		r = tls->head;
	while (r && !holds(r, seq))
		r = r->next;
	return r;
}

/* -- packets ------------------------------------------------------------------------------------------------- */

/* Pieces of [pos, pos + want) from b->rec on, at most b->max_segs. *got: bytes they are. */
static int collect(struct build *b, uint32_t want, uint32_t *got)
{
	const struct tls_record *r = b->rec;
	uint32_t skip = b->pos - r->seq;
	unsigned int n = 0;

	for (*got = 0; *got < want; r = r->next) {
		for (unsigned int i = 0; i < r->nsegs && *got < want; i++) {
			uint32_t len = r->seg[i].len;

			if (skip >= len) {
				skip -= len;
				continue;
			}
			if (n++ == b->max_segs)
				return 0;
			len -= skip;
			if (len > want - *got)
				len = want - *got;
			if (tls_plan_seg(b->plan, r->seg[i].addr + skip, r->seg[i].lkey, len))
				return -ENOMEM;
			*got += len;
			skip = 0;
		}
	}
	return 0;
}

/* Take bytes off the end of the pieces from first on. */
static void uncollect(struct tls_plan *plan, uint32_t first, uint32_t drop)
{
	while (drop && plan->nsegs > first) {
		struct queue_seg *s = &plan->segs[plan->nsegs - 1];

		if (s->len > drop) {
			s->len -= drop;
			return;
		}
		drop -= s->len;
		plan->nsegs--;
	}
}

static void copy_range(const struct build *b, uint8_t *to, uint32_t want)
{
	const struct tls_record *r = b->rec;
	uint32_t skip = b->pos - r->seq;

	for (; want; r = r->next)
		for (unsigned int i = 0; i < r->nsegs && want; i++) {
			uint32_t len = r->seg[i].len;

			if (skip >= len) {
				skip -= len;
				continue;
			}
			len = len - skip < want ? len - skip : want;
			memcpy(to, (const uint8_t *)(uintptr_t)(r->seg[i].addr + skip), len);
			to += len;
			want -= len;
			skip = 0;
		}
}

/*
 * One packet of more pieces, from `first` on, than a work request takes: copy `want` bytes of them together. Without a
 * buffer the packet ends where the pieces do: what is sent again must not wait for buffers that only its
 * acknowledgment gives back. *n: bytes of the packet.
 */
static int linearize(struct build *b, uint32_t first, uint32_t want, uint32_t *n)
{
	struct tls_buffers *buffers = &b->tls->q->buffers;
	struct tls_record *r = mlxo_calloc(1, sizeof(*r));

	if (!r)
		return obj_error_nomem("a packet");
	r->block = tls_buffer_get(buffers, want);
	if (!r->block) {
		mlxo_free(r);
		tls_add(b->tls->q, TLS_N_BUFFERS_FULL, 1);
		for (*n = 0; first < b->plan->nsegs; first++)
			*n += b->plan->segs[first].len;
		return 0;
	}
	r->from = buffers;
	r->next = b->plan->copies;
	b->plan->copies = r;
	copy_range(b, r->block, want);
	b->linear++;
	b->plan->nsegs = first;
	*n = want;
	return tls_plan_seg(b->plan, (uint64_t)(uintptr_t)r->block, buffers->mem->mr.lkey, want);
}

/* The next SEND: up to `want` bytes of one run. */
static int plan_packet(struct build *b, uint32_t want, uint32_t tisn)
{
	uint32_t first = b->plan->nsegs, n = want < b->tso ? want : b->tso, got;
	struct tls_op *op = tls_plan_op(b->plan, TLS_OP_SEND, false, tisn);
	int err;

	if (!op)
		return -ENOMEM;
	err = collect(b, n, &got);
	if (err)
		return err;
	if (got < n && got >= b->mss) {
		n = got - got % b->mss;
		uncollect(b->plan, first, got - n);
	} else if (got < n) {
		err = linearize(b, first, n < b->mss ? n : b->mss, &n);
		if (err)
			return err;
	}
	op = &b->plan->ops[b->plan->nops - 1];
	op->nsegs = b->plan->nsegs - first;
	op->seq = b->pos;
	op->len = n;
	op->index = b->index;
	op->mss = n > b->mss ? (uint16_t)b->mss : 0;
	b->index += (n + b->mss - 1) / b->mss;
	b->pos += n;
	op->last = b->pos == b->end;
	while (b->rec && !holds(b->rec, b->pos))
		b->rec = b->rec->next;
	return 0;
}

/* -- setting the context --------------------------------------------------------------------------------------- */

/* Pieces of the record's first `len` bytes, no longer than the MTU each. */
static int plan_dumps(struct build *b, uint32_t len, uint32_t tisn)
{
	const struct tls_record *r = b->rec;
	bool fence = true;

	for (unsigned int i = 0; i < r->nsegs && len; i++)
		for (uint32_t at = 0, n; at < r->seg[i].len && len; at += n, len -= n) {
			struct tls_op *op = tls_plan_op(b->plan, TLS_OP_DUMP, fence, tisn);

			n = r->seg[i].len - at;
			n = n < b->mtu ? n : b->mtu;
			n = n < len ? n : len;
			if (!op || tls_plan_seg(b->plan, r->seg[i].addr + at, r->seg[i].lkey, n))
				return -ENOMEM;
			op->nsegs = 1;
			fence = false;
			b->dumps++;
			b->dump_bytes += n;
		}
	return 0;
}

/* Have the context expect pos. */
static int plan_context(struct build *b)
{
	uint32_t tisn = b->tls->tis->tis.obj.id, before = b->pos - b->rec->seq;
	bool first = !b->at.programmed_key;
	bool set = first || b->at.programmed != b->rec->rec_no ||
		   b->at.programmed_key != b->rec->key->serial;
	struct tls_op *op;

	if (set) {
		/* an update of a context that has data in the queue must not overtake it */
		op = tls_plan_op(b->plan, TLS_OP_STATIC, !first, tisn);
		if (!op)
			return -ENOMEM;
		op->rec = b->rec;
		b->sets++;
	}
	if (!tls_plan_op(b->plan, TLS_OP_PROGRESS, first || !set, tisn))
		return -ENOMEM;
#ifndef MLXO_BITE_SKIP_FENCE
	if (!before && !tls_plan_op(b->plan, TLS_OP_NOP, true, 0))
		return -ENOMEM;
#endif
	b->again |= b->at.armed;
	b->resyncs += !first;
	b->at = (struct position){.armed = true,
				  .seq = b->pos,
				  .programmed = b->rec->rec_no,
				  .programmed_key = b->rec->key->serial};
	return plan_dumps(b, before, tisn);
}

/* -- runs ------------------------------------------------------------------------------------------------------ */

static bool has_context(const struct mlxo_tls *tls, const struct tls_record *r)
{
	return tls->tis && tls->tis->tis.obj.id && tls_key_is_on_device(r->key);
}

static int plan_hardware(struct build *b, uint32_t end)
{
	uint32_t tisn = b->tls->tis->tis.obj.id;
	int err = 0;

	if (!b->at.armed || b->at.seq != b->pos || b->at.programmed_key != b->rec->key->serial)
		err = plan_context(b);
	b->hw_bytes += end - b->pos;
	b->hw_packets += (end - b->pos + b->mss - 1) / b->mss;
	while (!err && b->pos != end)
		err = plan_packet(b, end - b->pos, tisn);
	b->at.seq = end;
	return err;
}

/* Records of one kind and key from pos on; hardware ones whose context is gone are encrypted here first. */
static int plan_run(struct build *b)
{
	const struct tls_record *first = b->rec, *r = first;
	uint32_t end = b->pos;
	int err;

	if (first->hw && !has_context(b->tls, first)) {
		err = tls_record_seal(b->tls, b->rec);
		if (err)
			return err;
	}
	for (; r && tls_seq_diff(b->end, end) > 0; r = r->next) {
		if (r->hw != first->hw || (r->hw && r->key != first->key))
			break;
		end = r->seq + r->len;
	}
	if (tls_seq_diff(end, b->end) > 0)
		end = b->end;
	if (first->hw)
		return plan_hardware(b, end);
	for (err = 0; !err && b->pos != end;)
		err = plan_packet(b, end - b->pos, 0);
	return err;
}

/* -- all of it ------------------------------------------------------------------------------------------------- */

static void drop_copies(struct build *b)
{
	struct tls_record *r;

	while ((r = b->plan->copies)) {
		b->plan->copies = r->next;
		tls_buffer_put(&b->tls->q->buffers, r->block);
		mlxo_free(r);
	}
}

static int reserve(struct build *b)
{
	const struct queue_sq *sq = &b->tls->q->sq;

	tls_plan_measure(b->plan, b->pkt);
	if (b->plan->blocks + b->plan->longest - 1 > sq->ring.mask + 1)
		return obj_error(
			-EMSGSIZE,
			"a range that needs %u blocks of the ring, which has %u: send less "
			"at a time",
			b->plan->blocks, sq->ring.mask + 1);
#ifndef MLXO_BITE_SKIP_RESERVE
	if (!queue_sq_has_room(sq, b->plan->blocks, b->plan->longest)) {
		tls_add(b->tls->q, TLS_N_RING_FULL, 1);
		return obj_error(-EAGAIN, "send queue %u is full: flush and poll", sq->obj.obj.id);
	}
#endif
	return 0;
}

/* Everything that was read is kept until the queue is there. */
static void stamp(struct build *b, struct tls_record *r)
{
	uint64_t behind = b->tls->q->sq.posted;
	struct tls_record *copy;

	for (; r && tls_seq_diff(b->end, r->seq) > 0; r = r->next) {
		r->stamp = behind;
		if (r->hw)
			r->key->stamp = behind;
	}
	while ((copy = b->plan->copies)) {
		b->plan->copies = copy->next;
		copy->stamp = behind;
		tls_pend_record(b->tls->q, copy);
	}
}

static void count(const struct build *b)
{
	struct mlxo_tls_queue *q = b->tls->q;

	if (b->again)
		tls_add(q, TLS_N_OOO, 1);
	tls_add(q, TLS_N_CTX, b->sets);
	tls_add(q, TLS_N_DUMP_PACKETS, b->dumps);
	tls_add(q, TLS_N_DUMP_BYTES, b->dump_bytes);
	tls_add(q, TLS_N_ENC_PACKETS, b->hw_packets);
	tls_add(q, TLS_N_ENC_BYTES, b->hw_bytes);
	tls_add(q, TLS_N_LINEARIZED, b->linear);
}

/* Where it stands now. */
static void commit(struct build *b, bool hardware)
{
	struct mlxo_tls *tls = b->tls;

	if (!hardware)
		return;
	tls->armed = b->at.armed;
	tls->hw_seq = b->at.seq;
	tls->programmed = b->at.programmed;
	tls->programmed_key = b->at.programmed_key;
	tls->hw_epoch = tls->q->sq.epoch;
	tls->stamp = tls->q->sq.posted;
	tls->resyncs += b->resyncs;
}

/* Each retransmission of hardware records makes the device read them again: too many, and software is cheaper. */
static void watch_losses(struct mlxo_tls *tls, uint32_t seq, uint32_t end)
{
	unsigned int limit = tls->q->engine->opts.retransmit_percent;
	uint32_t fresh = tls_seq_diff(end, tls->sent) > 0 ? end - tls->sent : 0;
	uint32_t again;
	bool lossy;

	if (fresh > end - seq)
		fresh = end - seq;
	again = end - seq - fresh;
	if (fresh)
		tls->sent = end;
	tls->retransmitted += again;
	tls->window_new += fresh;
	tls->window_again += again;
	if (again)
		tls_add(tls->q, TLS_N_RETRANSMITTED, again);
	lossy = tls->window_new + tls->window_again >= WINDOW_MIN &&
		(uint64_t)tls->window_again * 100 >
			(uint64_t)limit * (tls->window_new + tls->window_again);
	if (tls->window_new >= WINDOW)
		tls->window_new = tls->window_again = 0;
	if (tls->state == MLXO_TLS_HARDWARE && limit < 100 && lossy)
		tls_to_software(tls, MLXO_TLS_REASON_RETRANSMITS); /* tls may be gone */
}

static int plan_all(struct build *b)
{
	int err = 0;

	while (!err && b->pos != b->end)
		err = plan_run(b);
	return err ? err : reserve(b);
}

static int send_range(struct build *b, uint32_t seq)
{
	struct mlxo_tls *tls = b->tls;
	struct tls_record *first;
	int err;

	b->pos = seq;
	b->rec = first = find_record(tls, seq);
	if (!first)
		return obj_error(-ERANGE, "TCP sequence number %u: nothing was written there", seq);
	if (tls->tis && tls->hw_epoch == tls->q->sq.epoch)
		b->at = (struct position){.armed = tls->armed,
					  .seq = tls->hw_seq,
					  .programmed = tls->programmed,
					  .programmed_key = tls->programmed_key};
	err = plan_all(b);
	if (err) {
		drop_copies(b);
		return err;
	}
	tls_plan_post(b->plan, tls, b->pkt);
	stamp(b, first);
	tls->hint = b->rec ? b->rec : tls->tail;
	commit(b, b->hw_bytes != 0);
	count(b);
	watch_losses(tls, seq, b->end);
	return 0;
}

/* A packet without payload: no context, and the context does not see it. */
static int send_bare(struct build *b, uint32_t seq)
{
	struct tls_op *op = tls_plan_op(b->plan, TLS_OP_SEND, false, 0);
	int err;

	if (!op)
		return -ENOMEM;
	op->seq = seq;
	op->last = true;
	err = reserve(b);
	if (err)
		return err;
	tls_plan_post(b->plan, b->tls, b->pkt);
	tls_add(b->tls->q, TLS_N_SKIP_NO_SYNC, 1);
	return 0;
}

static int check_range(const struct mlxo_tls *tls, const struct mlxo_tls_segment *seg)
{
	/* FIN has a number of its own, and what is sent later stands behind it */
	uint32_t end = seg->len ? tls->nxt : tls->nxt + 1;

	/* what is before una may be there still, or long gone: it is left out; before that is nothing we know */
	if (seg->len > INT32_MAX || tls_seq_diff(seg->seq, end) > 0 ||
	    tls_seq_diff(seg->seq + seg->len, end) > 0)
		return obj_error(-ERANGE, "range of %u bytes from %u: only up to %u was written",
				 seg->len, seg->seq, tls->nxt);
	return 0;
}

/* Sizes of packets: the payload of one, of one work request. */
static int set_sizes(struct build *b, const struct mlxo_tls_segment *seg)
{
	const struct mlxo_device *dev = b->tls->q->engine->dev;
	unsigned int lso = (unsigned int)obj_cap(dev, OBJ_CAP_max_lso_cap);
	uint32_t max_ds = (uint32_t)obj_cap(dev, OBJ_CAP_max_wqe_sz_sq) / DS;
	uint32_t tso = lso && lso < 16 ? UINT32_C(1) << lso : lso ? TSO_MAX : 0;

	b->mtu = dev->ops->mtu(dev->prov);
	b->mss = seg->mss && seg->mss < seg->len ? seg->mss : seg->len;
	if (!b->mss) /* a packet without payload */
		b->mss = 1;
	if (b->pkt->len - b->pkt->l3 + b->mss > b->mtu)
		return obj_error(-EMSGSIZE,
				 "packets of %u bytes of payload behind %u bytes of headers: the "
				 "device's MTU is %u",
				 b->mss, b->pkt->len, b->mtu);
	tso = tso > b->pkt->len ? tso - b->pkt->len : 0;
	b->tso = tso >= b->mss ? tso - tso % b->mss : b->mss;
	max_ds = max_ds < QUEUE_SEND_DS ? max_ds : QUEUE_SEND_DS;
	b->max_segs = max_ds - queue_send_ds(b->pkt->len, 0);
	return 0;
}

int mlxo_tls_send(struct mlxo_tls *tls, const struct mlxo_tls_segment *seg)
{
	struct tls_packet pkt;
	struct build b = {.tls = tls, .plan = tls->q->plan, .pkt = &pkt};
	uint32_t seq = seg->seq;
	int err;

	if (tls->q->sq.failed || tls->q->broken || atomic_load(&tls->q->engine->dead))
		return obj_error(-EIO, "the send queue does not work: recover the %s",
				 tls->q->sq.failed ? "queue" : "engine");
	err = tls_packet_parse(&pkt, seg->hdr, seg->hdr_len);
	if (!err)
		err = check_range(tls, seg);
	if (!err)
		err = set_sizes(&b, seg);
	if (err)
		return err;
	tls_plan_reset(b.plan);
	b.end = seq + seg->len;
	if (!seg->len)
		return send_bare(&b, seq);
	if (tls_seq_diff(b.end, tls->una) <= 0) {
		tls_add(tls->q, TLS_N_DROP_NO_SYNC, 1);
		return 0;
	}
	return send_range(&b, tls_seq_diff(seq, tls->una) < 0 ? tls->una : seq);
}
