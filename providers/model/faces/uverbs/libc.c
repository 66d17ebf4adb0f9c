// SPDX-License-Identifier: BSD-2-Clause
/*
 * The C library's calls that this library answers instead: opening uverbsN, what is done with the descriptor, and
 * the netlink socket by which libibverbs would find the devices of the host.
 *
 *   open("/dev/infiniband/uverbsN")  -> /dev/null, remembered in a table of descriptors
 *   ioctl, mmap on such a one        -> ioctl.c, a page of memory
 *   read of a channel                -> channel.c
 *   close                            -> the context goes, with the last number of the descriptor
 *   socket(AF_NETLINK, ., NETLINK_RDMA) -> EPROTONOSUPPORT: libibverbs then looks at sysfs
 *
 * Everything else goes to the C library. The table is read without a lock where a descriptor is not ours.
 *
 * Start: cards from MLXO_MODEL, the sysfs tree in MLXO_MODEL_DIR (a directory of `model run`, shared with the
 * program's children) or in one of our own. End: contexts go before the models they use. A forked child starts anew.
 */
#include "uverbs.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/netlink.h>
#include <openssl/crypto.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "libc.h"

enum { MAX_FDS = 1 << 16, HIGH_FDS = 512 };

static _Atomic(struct uv_ctx *) files[MAX_FDS];
static pthread_mutex_t files_lock = PTHREAD_MUTEX_INITIALIZER;
static char own_root[PATH_MAX]; /* made by us: "" if it was given */
static pid_t own_pid;

/* -- descriptors ------------------------------------------------------------------------------------------------ */

static pid_t owner; /* the process whose tables these are: not a child of vfork() before its exec */
static _Atomic bool
	hidden[MAX_FDS];   /* this library's own: close() of the program does not reach them */
static _Atomic bool ended; /* main() is over: nothing is opened any more */

static bool is_owner(void)
{
	return getpid() == owner;
}

static bool is_hidden(int fd)
{
	return fd >= 0 && fd < MAX_FDS && atomic_load_explicit(&hidden[fd], memory_order_relaxed);
}

int uv_hide(int fd)
{
	int high = fcntl(fd, F_DUPFD_CLOEXEC, HIGH_FDS);

	if (high >= 0) { /* out of the way of programs that count on small numbers */
		REAL(close)(fd);
		fd = high;
	}
	if (fd >= 0 && fd < MAX_FDS)
		atomic_store(&hidden[fd], true);
	return fd;
}

void uv_hide_here(int fd, bool hide)
{
	if (fd >= 0 && fd < MAX_FDS)
		atomic_store(&hidden[fd], hide);
}

/* A reference, or NULL when it is not ours. */
static struct uv_ctx *file_get(int fd)
{
	struct uv_ctx *ctx;

	if (fd < 0 || fd >= MAX_FDS || !atomic_load(&files[fd]))
		return NULL;
	pthread_mutex_lock(&files_lock);
	ctx = atomic_load(&files[fd]);
	if (ctx)
		uv_ctx_get(ctx);
	pthread_mutex_unlock(&files_lock);
	return ctx;
}

static struct uv_ctx *file_take(int fd)
{
	struct uv_ctx *ctx;

	if (fd < 0 || fd >= MAX_FDS || !atomic_load(&files[fd]))
		return NULL;
	pthread_mutex_lock(&files_lock);
	ctx = atomic_exchange(&files[fd], NULL);
	pthread_mutex_unlock(&files_lock);
	return ctx;
}

static void file_set(int fd, struct uv_ctx *ctx)
{
	struct uv_ctx *old = file_take(fd); /* was closed behind our back */

	if (old)
		uv_ctx_put(old);
	pthread_mutex_lock(&files_lock);
	atomic_store(&files[fd], ctx);
	pthread_mutex_unlock(&files_lock);
}

/* The card of a path; NULL: not ours. */
static struct uv_card *card_of(const char *path)
{
	static const char prefix[] = "/dev/infiniband/uverbs";
	char *end;
	unsigned long n;

	if (!path || strncmp(path, prefix, sizeof(prefix) - 1) != 0)
		return NULL;
	n = strtoul(path + sizeof(prefix) - 1, &end, 10);
	if (end == path + sizeof(prefix) - 1 || *end || n < uv_first || n - uv_first >= uv_ncards)
		return NULL;
	return &uv_cards[n - uv_first];
}

static int open_card(struct uv_card *card, int flags)
{
	struct uv_ctx *ctx;
	int fd;

	if (atomic_load(&ended)) {
		errno = ENODEV;
		return -1;
	}
	ctx = uv_ctx_new(card);
	if (!ctx) {
		errno = ENOMEM;
		return -1;
	}
	fd = REAL(open)("/dev/null", O_RDWR | (flags & O_CLOEXEC));
	if (fd < 0 || fd >= MAX_FDS) {
		int saved = fd < 0 ? errno : EMFILE;

		if (fd >= 0)
			REAL(close)(fd);
		uv_ctx_put(ctx);
		errno = saved;
		return -1;
	}
	file_set(fd, ctx);
	return fd;
}

/* -- open ----------------------------------------------------------------------------------------------------------- */

/* A number that the program got for something else was closed behind our back, if we still know it. */
static int opened(int fd)
{
	struct uv_ctx *stale = fd >= 0 && is_owner() ? file_take(fd) : NULL;

	if (stale)
		uv_ctx_put(stale);
	return fd;
}

static mode_t mode_of(int flags, va_list ap)
{
	return flags & (O_CREAT | __O_TMPFILE) ? va_arg(ap, mode_t) : 0;
}

#define OPEN(name) \
	PUBLIC int name(const char *path, int flags, ...) \
	{ \
		struct uv_card *card = card_of(path); \
		char to[PATH_MAX]; \
		mode_t mode; \
		va_list ap; \
\
		va_start(ap, flags); \
		mode = mode_of(flags, ap); \
		va_end(ap); \
		return card ? open_card(card, flags) \
			    : opened(REAL(name)(uv_redirect(path, to), flags, mode)); \
	}
OPEN(open)
OPEN(open64)

#define OPENAT(name) \
	PUBLIC int name(int dir, const char *path, int flags, ...) \
	{ \
		struct uv_card *card = card_of(path); \
		char to[PATH_MAX]; \
		mode_t mode; \
		va_list ap; \
\
		va_start(ap, flags); \
		mode = mode_of(flags, ap); \
		va_end(ap); \
		return card ? open_card(card, flags) \
			    : opened(REAL(name)(dir, uv_redirect(path, to), flags, mode)); \
	}
OPENAT(openat)
OPENAT(openat64)

/* What open() becomes in programs that are built with _FORTIFY_SOURCE. */
int __open_2(const char *path, int flags);
int __open64_2(const char *path, int flags);
int __openat_2(int dir, const char *path, int flags);
int __openat64_2(int dir, const char *path, int flags);

PUBLIC int __open_2(const char *path, int flags)
{
	return open(path, flags);
}

PUBLIC int __open64_2(const char *path, int flags)
{
	return open64(path, flags);
}

PUBLIC int __openat_2(int dir, const char *path, int flags)
{
	return openat(dir, path, flags);
}

PUBLIC int __openat64_2(int dir, const char *path, int flags)
{
	return openat64(dir, path, flags);
}

/* uverbsN looks like /dev/null to who asks by name, too. */
#define STAT(name, type) \
	PUBLIC int name(const char *path, struct type *st) \
	{ \
		char to[PATH_MAX]; \
\
		return REAL(name)(card_of(path) ? "/dev/null" : uv_redirect(path, to), st); \
	}
STAT(stat, stat)
STAT(stat64, stat64)
STAT(lstat, stat)
STAT(lstat64, stat64)

#define FSTATAT(name, type) \
	PUBLIC int name(int dir, const char *path, struct type *st, int flags) \
	{ \
		char to[PATH_MAX]; \
\
		return REAL(name)(dir, card_of(path) ? "/dev/null" : uv_redirect(path, to), st, \
				  flags); \
	}
FSTATAT(fstatat, stat)
FSTATAT(fstatat64, stat64)

PUBLIC int statx(int dir, const char *path, int flags, unsigned int mask, struct statx *st)
{
	char to[PATH_MAX];

	return REAL(statx)(dir, card_of(path) ? "/dev/null" : uv_redirect(path, to), flags, mask,
			   st);
}

PUBLIC int access(const char *path, int mode)
{
	char to[PATH_MAX];

	return REAL(access)(card_of(path) ? "/dev/null" : uv_redirect(path, to), mode);
}

/* -- what is done with it --------------------------------------------------------------------------------------------- */

PUBLIC int ioctl(int fd, unsigned long request, ...)
{
	struct uv_ctx *ctx = file_get(fd);
	va_list ap;
	void *arg;
	int err;

	va_start(ap, request);
	arg = va_arg(ap, void *);
	va_end(ap);
	if (!ctx)
		return REAL(ioctl)(fd, request, arg);
	err = uv_ioctl(ctx, request, (uintptr_t)arg);
	uv_ctx_put(ctx);
	if (err)
		errno = -err;
	return err ? -1 : 0;
}

/* A doorbell page: memory.c. */
static void *map_page(struct uv_ctx *ctx, size_t len, int prot, int flags, off64_t offset)
{
	bool gone = uv_ctx_is_gone(ctx);
	void *page;

	if (gone || !uv_page_is_mappable(ctx, (uint64_t)offset) || len > UV_PAGE) {
		errno = gone ? EIO : EINVAL;
		return MAP_FAILED;
	}
	pthread_mutex_lock(&ctx->card->lock);
	page = REAL(mmap)(NULL, len, prot, MAP_SHARED, ctx->card->pages, offset);
	pthread_mutex_unlock(&ctx->card->lock);
	return page;
}

#define MMAP(name, off) \
	PUBLIC void *name(void *addr, size_t len, int prot, int flags, int fd, off offset) \
	{ \
		struct uv_ctx *ctx = flags & MAP_ANONYMOUS ? NULL : file_get(fd); \
		void *page; \
\
		if (!ctx) \
			return REAL(name)(addr, len, prot, flags, fd, offset); \
		page = map_page(ctx, len, prot, flags, offset); \
		uv_ctx_put(ctx); \
		return page; \
	}
MMAP(mmap, off_t)
MMAP(mmap64, off64_t)

/* Also what it becomes with _FORTIFY_SOURCE. */
PUBLIC ssize_t read(int fd, void *buf, size_t room)
{
	ssize_t n;

	if (!uv_channel_read(fd, buf, room, &n))
		return REAL(read)(fd, buf, room);
	if (n >= 0)
		return n;
	errno = (int)-n;
	return -1;
}

ssize_t __read_chk(int fd, void *buf, size_t room, size_t size);
PUBLIC ssize_t __read_chk(int fd, void *buf, size_t room, size_t size)
{
	return room > size ? REAL(__read_chk)(fd, buf, room, size) : read(fd, buf, room);
}

/* What it was for us is over. */
static void forget(int fd)
{
	struct uv_ctx *ctx = file_take(fd);

	if (ctx)
		uv_ctx_put(ctx);
	else
		uv_channel_closed(fd);
}

PUBLIC int close(int fd)
{
	struct uv_ctx *ctx;
	int ret;

	if (!is_owner())
		return REAL(close)(fd);
	if (is_hidden(fd)) {
		errno = EBADF;
		return -1;
	}
	ctx = file_take(fd);
	if (ctx) {
		ret = REAL(close)(fd);
		uv_ctx_put(ctx);
		return ret;
	}
	uv_channel_closed(fd);
	return REAL(close)(fd);
}

PUBLIC int close_range(unsigned int first, unsigned int last, int flags)
{
	if (!is_owner() || (flags & CLOSE_RANGE_CLOEXEC) || first > last)
		return REAL(close_range)(first, last, flags);
	for (unsigned int fd = first; fd < MAX_FDS && fd <= last; fd++) {
		if (!is_hidden((int)fd)) {
			forget((int)fd);
			continue;
		}
		if (fd > first && REAL(close_range)(first, fd - 1, flags))
			return -1;
		first = fd + 1;
	}
	return first > last ? 0 : REAL(close_range)(first, last, flags);
}

PUBLIC void closefrom(int first)
{
	close_range(first < 0 ? 0 : (unsigned int)first, UINT_MAX, 0);
}

/* `to` is now another number of what `from` is, and no more what it was. */
static int duplicated(int from, int to)
{
	struct uv_ctx *ctx;

	if (to < 0 || to == from || !is_owner())
		return to;
	forget(to);
	ctx = to < MAX_FDS ? file_get(from) : NULL;
	if (ctx)
		file_set(to, ctx);
	return to;
}

PUBLIC int dup(int fd)
{
	return duplicated(fd, REAL(dup)(fd));
}

static bool keeps(int to)
{
	bool keep = is_hidden(to) && is_owner();

	if (keep)
		errno = EBUSY; /* as while another thread opens it */
	return keep;
}

PUBLIC int dup2(int fd, int to)
{
	if (keeps(to))
		return -1;
	return duplicated(fd, REAL(dup2)(fd, to));
}

PUBLIC int dup3(int fd, int to, int flags)
{
	if (keeps(to))
		return -1;
	return duplicated(fd, REAL(dup3)(fd, to, flags));
}

#define FCNTL(name) \
	PUBLIC int name(int fd, int cmd, ...) \
	{ \
		va_list ap; \
		void *arg; \
		int ret; \
\
		va_start(ap, cmd); \
		arg = va_arg(ap, void *); \
		va_end(ap); \
		ret = REAL(name)(fd, cmd, arg); \
		return cmd == F_DUPFD || cmd == F_DUPFD_CLOEXEC ? duplicated(fd, ret) : ret; \
	}
FCNTL(fcntl)
FCNTL(fcntl64)

int uv_real_close(int fd)
{
	uv_hide_here(fd, false);
	return REAL(close)(fd);
}

PUBLIC int socket(int domain, int type, int protocol)
{
	if (domain == AF_NETLINK && protocol == NETLINK_RDMA) {
		errno = EPROTONOSUPPORT;
		return -1;
	}
	return REAL(socket)(domain, type, protocol);
}

/* -- start and end ------------------------------------------------------------------------------------------------------ */

/* The tree is built aside and moved into place, so that two processes that start at once agree on one. */
static int make_tree(const char *root)
{
	char aside[PATH_MAX];
	int err;

	if (snprintf(aside, sizeof(aside), "%s.%d", root, getpid()) >= PATH_MAX)
		return -ENAMETOOLONG;
	err = uv_sysfs_make(aside);
	if (!err && rename(aside, root))
		err = errno == EEXIST || errno == ENOTEMPTY ? -EEXIST : -errno;
	if (err)
		uv_sysfs_remove(aside);
	return err == -EEXIST ? 0 : err;
}

/* A directory of our own, whose name programs that we start inherit. */
static int make_own_root(char *why, size_t whylen)
{
	const char *tmp = getenv("TMPDIR");
	int err = 0;

	if (!tmp || !*tmp)
		tmp = "/tmp";
	if (snprintf(own_root, sizeof(own_root), "%s/mlx5-model.XXXXXX", tmp) >=
	    (int)sizeof(own_root))
		err = -ENAMETOOLONG;
	else if (!mkdtemp(own_root))
		err = -errno;
	if (err) {
		own_root[0] = '\0';
		snprintf(why, whylen, "no directory below %s: %s", tmp, strerror(-err));
		return err;
	}
	own_pid = getpid();
	setenv("MLXO_MODEL_DIR", own_root, 1);
	return 0;
}

static int start(char *why, size_t whylen)
{
	const char *dir = getenv("MLXO_MODEL_DIR");
	char root[PATH_MAX], devices[PATH_MAX];
	int err = uv_cards_init(why, whylen);

	if (!err && !dir) {
		err = make_own_root(why, whylen);
		dir = own_root;
	}
	if (err)
		return err;
	if (snprintf(root, sizeof(root), "%s/sys", dir) >= (int)sizeof(root))
		err = -ENAMETOOLONG;
	else if (REAL(access)(root, F_OK))
		err = make_tree(root);
	if (err) {
		snprintf(why, whylen, "the tree in MLXO_MODEL_DIR cannot be made: %s",
			 strerror(-err));
		return err;
	}
	memcpy(uv_root, root, sizeof(uv_root));
	setenv("SYSFS_PATH", root, 1);
	if (snprintf(devices, sizeof(devices), "%s/bus/pci/devices", root) < (int)sizeof(devices))
		setenv("SYSFS_PCI_DEVICES", devices, 1);
	return 0;
}

/*
 * A child without exec: the thread of a card is not there and locks are as they were. What was open is not the child's;
 * what it opens is a card of its own. Nothing is freed.
 */
static void in_child(void)
{
	owner = getpid();
	for (int fd = 0; fd < MAX_FDS; fd++)
		if (atomic_load_explicit(&files[fd], memory_order_relaxed))
			atomic_store(&files[fd], NULL);
	pthread_mutex_init(&files_lock, NULL);
	model_ports_forked();
	uv_cards_forked();
}

__attribute__((constructor)) static void begin(void)
{
	char why[512];

	owner = getpid();
	pthread_atfork(NULL, NULL, in_child);

	/* contexts go after main() ended, when libcrypto would have cleaned up */
	OPENSSL_init_crypto(OPENSSL_INIT_NO_ATEXIT, NULL);
	if (start(why, sizeof(why))) { /* never to the host's devices instead */
		fprintf(stderr, "libmlx5-model-uverbs: %s\n", why);
		_exit(1);
	}
}

/* Other threads may still be in a call: the models that they use stay. */
__attribute__((destructor)) static void end(void)
{
	atomic_store(&ended, true);
	for (int fd = 0; fd < MAX_FDS; fd++) {
		struct uv_ctx *ctx = file_take(fd);

		if (ctx)
			uv_ctx_put(ctx);
	}
	uv_cards_fini();
	if (own_root[0] && own_pid == getpid())
		uv_sysfs_remove(own_root);
}
