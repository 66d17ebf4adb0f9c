// SPDX-License-Identifier: BSD-2-Clause
/*
 * A capture is read twice at least: once to check it, then to be used. It may be larger than memory, so that nothing
 * of it is kept but the descriptor, which stays with the file when its name goes.
 *
 *   fd ── dup, from the beginning ──▶ FILE ──▶ pcap_t      a new one each time around
 */
#include "tools/capture.h"

#include <errno.h>
#include <fcntl.h>
#include <pcap/pcap.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tools/words.h"

/* Of the session's channel, which is made with default options. */
enum { FRAME_MIN = 14, FRAME_MAX = 9216 };

struct capture {
	char *path;
	int fd;
	pcap_t *pcap; /* NULL: to be opened */
	uint64_t frames, at;
};

static const char *name(const struct capture *c)
{
	return words_show(c->path);
}

static int begin(struct capture *c, struct problem *p)
{
	char why[PCAP_ERRBUF_SIZE] = "";
	FILE *f = NULL;
	int fd;

	if (c->pcap)
		pcap_close(c->pcap); /* and its FILE */
	c->pcap = NULL;
	c->at = 0;
	fd = fcntl(c->fd, F_DUPFD_CLOEXEC, 0);
	if (fd >= 0 && lseek(fd, 0, SEEK_SET) == 0)
		f = fdopen(fd, "r");
	if (!f) {
		problem_errno(p, errno, "%s cannot be read: %s", name(c), strerror(errno));
		if (fd >= 0)
			close(fd);
		return p->exit;
	}
	c->pcap = pcap_fopen_offline(f, why);
	if (c->pcap)
		return 0;
	fclose(f);
	return problem_errno(p, EINVAL, "%s is no capture that libpcap can read: %s", name(c), why);
}

/* 0 with *h NULL: the end. */
static int read_one(struct capture *c, struct pcap_pkthdr **h, const uint8_t **frame,
		    struct problem *p)
{
	int got = pcap_next_ex(c->pcap, h, frame);

	if (got == PCAP_ERROR_BREAK)
		*h = NULL;
	if (got == 1 || got == PCAP_ERROR_BREAK)
		return 0;
	return problem_errno(p, EINVAL, "%s is damaged behind frame %llu: %s", name(c),
			     (unsigned long long)c->at, pcap_geterr(c->pcap));
}

static int check_frame(const struct capture *c, const struct pcap_pkthdr *h, struct problem *p)
{
	unsigned long long number = c->at + 1;

	if (h->caplen < h->len)
		return problem_errno(p, EINVAL,
				     "%s: frame %llu is cut, %u of its %u bytes were captured",
				     name(c), number, h->caplen, h->len);
	if (h->len < FRAME_MIN || h->len > FRAME_MAX)
		return problem_errno(p, EMSGSIZE,
				     "%s: frame %llu has %u bytes, the channel takes %d to %d",
				     name(c), number, h->len, FRAME_MIN, FRAME_MAX);
	return 0;
}

static int check(struct capture *c, struct problem *p)
{
	struct pcap_pkthdr *h;
	const uint8_t *frame;
	int rc, type;

	rc = begin(c, p);
	if (rc)
		return rc;
	type = pcap_datalink(c->pcap);
	if (type != DLT_EN10MB) {
		const char *what = pcap_datalink_val_to_name(type);

		return problem_errno(p, EINVAL, "%s holds no Ethernet frames but %s (link type %d)",
				     name(c), what ? what : "others", type);
	}
	for (;; c->at++) {
		rc = read_one(c, &h, &frame, p);
		if (!rc && h)
			rc = check_frame(c, h, p);
		if (rc || !h)
			break;
	}
	c->frames = c->at;
	if (!rc && !c->frames)
		rc = problem_errno(p, EINVAL, "%s holds no frames", name(c));
	return rc ? rc : begin(c, p);
}

static int open_file(struct capture *c, struct problem *p)
{
	struct stat st;

	/* O_NONBLOCK: a FIFO must be refused, not waited for. */
	c->fd = open(c->path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
	if (c->fd < 0 || fstat(c->fd, &st))
		return problem_errno(p, errno, "%s cannot be opened: %s", name(c), strerror(errno));
	if (!S_ISREG(st.st_mode))
		return problem_errno(p, EINVAL, "%s is not a regular file, and it is read twice",
				     name(c));
	return 0;
}

int capture_open(const char *path, struct capture **capture, struct problem *p)
{
	struct capture *c = calloc(1, sizeof(*c));
	int rc;

	if (c)
		c->path = strdup(path);
	if (!c || !c->path) {
		free(c);
		return problem_errno(p, ENOMEM, "no memory for a capture");
	}
	c->fd = -1;
	rc = open_file(c, p);
	if (!rc)
		rc = check(c, p);
	if (rc)
		capture_close(c);
	else
		*capture = c;
	return rc;
}

void capture_close(struct capture *c)
{
	if (!c)
		return;
	if (c->pcap)
		pcap_close(c->pcap);
	if (c->fd >= 0)
		close(c->fd);
	free(c->path);
	free(c);
}

uint64_t capture_frames(const struct capture *c)
{
	return c->frames;
}

int capture_next(struct capture *c, const uint8_t **frame, size_t *len, struct problem *p)
{
	struct pcap_pkthdr *h;
	int rc = c->at == c->frames ? begin(c, p) : 0;

	if (!rc)
		rc = read_one(c, &h, frame, p);
	if (!rc && !h)
		return problem_errno(p, EINVAL, "%s became shorter while it was sent", name(c));
	if (!rc)
		rc = check_frame(c, h, p);
	if (rc)
		return rc;
	*len = h->len;
	c->at++;
	return 0;
}
