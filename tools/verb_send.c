// SPDX-License-Identifier: BSD-2-Clause
/*
 * send FILE: frames of a capture leave through the channel of the session, as if a host had sent them, so that its
 * policies and SAs apply.
 *
 *   FILE ─ capture ─▶ channel send ─▶ device TX tables ─▶ wire
 *                     channel poll ◀─ device RX tables ◀─ wire     counted; with forward running its thread polls
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "tools/capture.h"
#include "tools/verbs.h"
#include "tools/wait.h"

enum { BURST = 64, SETTLE_MS = 20 };

#define SECOND 1000000000ULL
#define INTERVAL_MAX (3600 * SECOND)

struct sending {
	struct session *s;
	struct capture *capture;
	uint64_t count;	   /* frames to send */
	uint64_t interval; /* nanoseconds */
	uint64_t sent, bytes, received;
};

static uint64_t now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (uint64_t)ts.tv_sec * SECOND + (uint64_t)ts.tv_nsec;
}

/* -- words -- */

static bool time_parse(const char *text, uint64_t *ns)
{
	static const struct {
		const char *name;
		uint64_t ns;
	} unit[] = {{"us", 1000}, {"ms", 1000000}, {"s", SECOND}};
	size_t digits = strspn(text, "0123456789");
	uint64_t n;

	if (digits == 0 || digits > 10)
		return false;
	n = strtoull(text, NULL, 10);
	for (size_t i = 0; i < sizeof(unit) / sizeof(*unit); i++)
		if (!strcmp(text + digits, unit[i].name) && n <= INTERVAL_MAX / unit[i].ns) {
			*ns = n * unit[i].ns;
			return true;
		}
	return false;
}

static int take_interval(struct words *w, uint64_t *ns)
{
	char *text;
	int rc = words_value(w, "interval", &text);

	if (!rc && !time_parse(text, ns))
		rc = problem_usage(
			w->problem,
			"interval: %s is no time: allowed are 0us to 3600s, in us, ms or s",
			words_show(text));
	return rc;
}

static int parse(struct words *w, struct sending *t, char **path)
{
	int rc = words_value(w, "send", path);

	while (!rc && words_peek(w)) {
		if (words_take(w, "count"))
			rc = words_number(w, "count", 1, UINT32_MAX, &t->count);
		else if (words_take(w, "interval"))
			rc = take_interval(w, &t->interval);
		else
			rc = words_end(w);
	}
	return rc;
}

/* -- the channel: all with channel_lock held -- */

static void count_frame(void *ctx, const struct mlxo_rx_frame *rx)
{
	struct sending *t = ctx;

	t->received++;
}

/* Room in the ring, and what came in. Was there anything to do? */
static bool work(struct sending *t)
{
	int done, got;

	mlxo_channel_flush(t->s->channel);
	if (t->s->forward)
		return false; /* its thread does it */
	done = mlxo_device_progress(t->s->dev);
	got = mlxo_channel_poll(t->s->channel, BURST, count_frame, t);
	if (got < 0)
		mlxo_channel_recover(t->s->channel);
	return done > 0 || got != 0;
}

/* 0; -EAGAIN: the ring is full; another errno. */
static int post(struct sending *t, const uint8_t *frame, size_t len)
{
	struct iovec iov = {.iov_base = (void *)(uintptr_t)frame, .iov_len = len};
	int rc = mlxo_channel_send(t->s->channel, &iov, 1, 0);

	if (rc == -EIO && !mlxo_channel_recover(t->s->channel))
		rc = mlxo_channel_send(t->s->channel, &iov, 1, 0);
	if (rc)
		return rc;
	t->sent++;
	t->bytes += len;
	if (t->interval || t->sent % BURST == 0)
		work(t);
	return 0;
}

/* -- the frames -- */

/* false: a signal came. */
static bool pause_until(struct sending *t, uint64_t when)
{
	do {
		uint64_t at = now();

		if (!wait_ms(t->s, at < when ? (int)((when - at + 999999) / 1000000) : 0))
			return false;
		pthread_mutex_lock(&t->s->channel_lock);
		work(t);
		pthread_mutex_unlock(&t->s->channel_lock);
	} while (now() < when);
	return true;
}

static int send_one(struct sending *t, bool *ended)
{
	const uint8_t *frame;
	size_t len;
	int rc = capture_next(t->capture, &frame, &len, &t->s->problem);

	if (rc)
		return rc;
	do {
		pthread_mutex_lock(&t->s->channel_lock);
		rc = post(t, frame, len);
		pthread_mutex_unlock(&t->s->channel_lock);
	} while (rc == -EAGAIN && pause_until(t, now() + (t->s->forward ? 1000000 : 0)));
	*ended = rc == -EAGAIN;
	return rc && !*ended ? session_failed(t->s, rc) : 0;
}

/* Until nothing has happened for a moment: what was sent last is still on its way, and so is what it brings back. */
static void settle(struct sending *t)
{
	bool busy = true;

	while (busy) {
		pthread_mutex_lock(&t->s->channel_lock);
		busy = work(t);
		if (!busy && !t->s->forward)
			busy = mlxo_channel_arm(t->s->channel) == 1;
		pthread_mutex_unlock(&t->s->channel_lock);
		if (!busy && !t->s->forward && !session_is_virtual(t->s)) {
			wait_ms(t->s, SETTLE_MS);
			pthread_mutex_lock(&t->s->channel_lock);
			busy = work(t);
			pthread_mutex_unlock(&t->s->channel_lock);
		}
	}
}

static int send_all(struct sending *t)
{
	uint64_t when = now();
	bool ended = false;
	int rc = 0;

	while (!rc && !ended && t->sent < t->count) {
		rc = send_one(t, &ended);
		when += t->interval;
		if (t->sent < t->count && (t->interval || t->sent % BURST == 0))
			ended |= !pause_until(t, when);
	}
	settle(t);
	return rc;
}

static uint64_t failed(struct session *s)
{
	struct mlxo_channel_stats c = {0};

	pthread_mutex_lock(&s->channel_lock);
	mlxo_channel_stats(s->channel, &c);
	pthread_mutex_unlock(&s->channel_lock);
	return c.tx_errors + c.tx_flushed;
}

static void show(const struct sending *t, const char *path)
{
	struct out *o = t->s->out;

	out_begin(o);
	out_object(o, NULL);
	out_num(o, "sent", "sent ", t->sent);
	out_str(o, "file", " frames of ", words_show(path));
	out_num(o, "bytes", ", ", t->bytes);
	out_text(o, " bytes");
	if (!t->s->forward)
		out_num(o, "received", ", received ", t->received);
	out_text(o, "\n");
	out_close(o);
	out_end(o);
}

static int run(struct sending *t, const char *path)
{
	uint64_t before = failed(t->s), lost;
	int rc = send_all(t);

	lost = failed(t->s) - before;
	if (!rc && lost)
		rc = problem_errno(&t->s->problem, EIO,
				   "send: %llu of %llu frames failed, the send queue was in error",
				   (unsigned long long)lost, (unsigned long long)t->sent);
	if (!rc)
		show(t, path);
	return rc;
}

int verb_send(struct session *s, struct words *w)
{
	struct sending t = {.s = s};
	char *path;
	int rc = parse(w, &t, &path);

	if (!rc)
		rc = capture_open(path, &t.capture, &s->problem);
	if (!rc)
		rc = session_ipsec(s);
	if (!rc) {
		t.count = t.count ? t.count : capture_frames(t.capture);
		rc = run(&t, path);
	}
	capture_close(t.capture);
	return rc;
}
