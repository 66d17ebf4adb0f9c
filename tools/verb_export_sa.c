// SPDX-License-Identifier: BSD-2-Clause
/*
 * export-sa --wireshark FILE [FILTER]: the only place where keys leave the process, into a file that did not exist
 * and that only its owner can read.
 *
 * A line of Wireshark's esp_sa table is eight quoted fields: protocol, source, destination, SPI, cipher, key with its
 * salt, authentication, authentication key. With GCM the authentication is "NULL"; the cipher's name has to say that
 * there is an ICV of 16 octets, else Wireshark takes it for payload.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "tools/show.h"
#include "tools/verbs.h"
#include "tools/xfrm.h"

enum { KEY_HEX = 2 * MLXO_SECRET_MAX + 1 };

static void hex(const struct mlxo_secret *key, char text[KEY_HEX])
{
	static const char digits[] = "0123456789abcdef";
	const uint8_t *bytes = mlxo_secret_bytes(key);
	size_t n = mlxo_secret_len(key);

	for (size_t i = 0; i < n && i < MLXO_SECRET_MAX; i++) {
		*text++ = digits[bytes[i] >> 4];
		*text++ = digits[bytes[i] & 0xf];
	}
	*text = 0;
}

static int write_line(int fd, const struct mlxo_ipsec_sa_params *p, const struct mlxo_secret *key)
{
	char line[512], text[KEY_HEX], src[SHOW_ADDR], dst[SHOW_ADDR];
	ssize_t wrote;
	int len, rc = 0;

	hex(key, text);
	len = snprintf(line, sizeof(line),
		       "\"%s\",\"%s\",\"%s\",\"0x%08x\",\"AES-GCM with 16 octet ICV [RFC4106]\","
		       "\"0x%s\",\"NULL\",\"\"\n",
		       p->src.family == AF_INET6 ? "IPv6" : "IPv4", show_addr(&p->src, src),
		       show_addr(&p->dst, dst), p->spi, text);
	wrote = write(fd, line, (size_t)len);
	if (wrote != len) /* a part: there was room for no more */
		rc = wrote < 0 ? -errno : -ENOSPC;
	explicit_bzero(line, sizeof(line));
	explicit_bzero(text, sizeof(text));
	return rc;
}

static int write_all(struct session *s, int fd, const struct xfrm_filter *filter, uint64_t *n)
{
	struct mlxo_ipsec_sa *sa = NULL;

	while ((sa = mlxo_ipsec_sa_next(s->ipsec, sa))) {
		struct mlxo_ipsec_sa_info info;
		int rc = mlxo_ipsec_sa_query(sa, &info);

		if (rc)
			return session_failed(s, rc);
		if (!xfrm_filter_match(filter, &info.params))
			continue;
		rc = write_line(fd, &info.params, mlxo_ipsec_sa_key(sa));
		if (rc)
			return problem_errno(&s->problem, -rc, "export-sa: cannot write: %s",
					     strerror(-rc));
		++*n;
	}
	return 0;
}

static int export(struct session *s, const char *path, const struct xfrm_filter *filter,
		  uint64_t *n)
{
	int rc, fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);

	if (fd < 0)
		return problem_errno(&s->problem, errno, "export-sa: cannot create %s: %s%s",
				     words_show(path), strerror(errno),
				     errno == EEXIST ? " (keys are never written over a file)"
						     : "");
	rc = write_all(s, fd, filter, n);
	if (close(fd) && !rc)
		rc = problem_errno(&s->problem, errno, "export-sa: cannot write %s: %s",
				   words_show(path), strerror(errno));
	if (rc)
		unlink(path);
	return rc;
}

int verb_export_sa(struct session *s, struct words *w)
{
	struct xfrm_filter filter;
	uint64_t n = 0;
	char *path;
	int rc;

	if (!words_take(w, "--wireshark"))
		return problem_usage(&s->problem, "export-sa: the only form is --wireshark FILE");
	rc = words_value(w, "--wireshark", &path);
	if (!rc)
		rc = xfrm_filter_parse(w, &filter);
	if (!rc)
		rc = session_ipsec(s);
	if (!rc)
		rc = export(s, path, &filter, &n);
	if (rc)
		return rc;
	out_begin(s->out);
	out_object(s->out, NULL);
	out_num(s->out, "exported", "SAs written with their keys: ", n);
	out_str(s->out, "file", ", to ", words_show(path));
	out_text(s->out, "\n");
	out_close(s->out);
	out_end(s->out);
	return 0;
}
