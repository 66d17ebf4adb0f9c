// SPDX-License-Identifier: BSD-2-Clause
/*
 * Signals are blocked and read from a signalfd, so that one that comes between two steps is not lost. They stay as
 * they were until the device is opened: a key that is typed on the terminal can be interrupted.
 *
 * While nothing forwards, nobody else calls the device's progress; waiting does it.
 */
#include "tools/wait.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <sys/signalfd.h>

enum { TICK_MS = 100 };

static int signals = -1;
static bool ended;

void wait_init(void)
{
	sigset_t set;

	if (signals >= 0)
		return;
	sigemptyset(&set);
	sigaddset(&set, SIGINT);
	sigaddset(&set, SIGTERM);
	pthread_sigmask(SIG_BLOCK, &set, NULL);
	signals = signalfd(-1, &set, SFD_CLOEXEC);
}

bool wait_readable(void *session, int fd)
{
	struct pollfd fds[3] = {{.fd = signals, .events = POLLIN}, {.fd = fd, .events = POLLIN}};
	const struct session *s = session;

	while (!ended) {
		bool idle = s->dev && !s->forward;

		fds[2] =
			(struct pollfd){.fd = idle ? mlxo_device_fd(s->dev) : -1, .events = POLLIN};
		if (poll(fds, 3, idle ? TICK_MS : -1) < 0 && errno != EINTR)
			return true; /* let read(2) say what is wrong */
		if (fds[0].revents)
			ended = true;
		else if (fds[1].revents)
			return true;
		else if (idle)
			mlxo_device_progress(s->dev);
	}
	return false;
}

bool wait_came(void)
{
	struct pollfd fd = {.fd = signals, .events = POLLIN};

	if (!ended && signals >= 0 && poll(&fd, 1, 0) > 0)
		ended = true;
	return ended;
}

bool wait_ms(struct session *s, int ms)
{
	struct pollfd fds[2] = {{.fd = signals, .events = POLLIN},
				{.fd = s->forward ? -1 : mlxo_device_fd(s->dev), .events = POLLIN}};

	if (!ended && poll(fds, 2, ms) > 0 && fds[0].revents)
		ended = true;
	return !ended;
}

void wait_signal(struct session *s)
{
	wait_readable(s, /* fd */ -1);
}
