// SPDX-License-Identifier: BSD-2-Clause
/*
 * The store of key material.
 *
 *	struct mlxo_secret (heap) ──▶ slot of 64 bytes in a page ┐  mlock, MADV_DONTDUMP, MADV_WIPEONFORK
 *	struct mlxo_secret (heap) ──▶ slot of 64 bytes           ┘  64 slots share a page
 *
 * Only bytes of keys are in the pages: in a forked child they read as zero while all that describes them still holds.
 * A page goes when its last slot is free. Text on its way into a slot lives in buffers that are wiped on every exit.
 *
 * A page with a free slot is in a list, a full one in none: making and destroying do not depend on how many there are.
 *
 * Locks: `store.lock` guards that list and the slot maps. Reference counts are atomics.
 */
#include <mlx5_offload/secret.h>

#include "objects/alloc.h"
#include "objects/error.h"

#include <errno.h>
#include <fcntl.h>
#include <openssl/crypto.h>
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

enum { PAGE = 4096, SLOT = MLXO_SECRET_MAX, SLOTS = PAGE / SLOT, TEXT_MAX = 256 };

struct page {
	struct page *next, **prev; /* of those with room; prev NULL: full, in no list */
	uint8_t *bytes;		   /* PAGE bytes, mapped */
	uint64_t used;		   /* one bit per slot */
};

struct mlxo_secret {
	struct page *page;
	_Atomic unsigned int refs;
	uint8_t slot, len;
};

static struct {
	pthread_mutex_t lock;
	struct page *room; /* pages with free slots */
	bool warned;	   /* RLIMIT_MEMLOCK, once per process */
} store = {.lock = PTHREAD_MUTEX_INITIALIZER};

static uint8_t *bytes_of(const struct mlxo_secret *s)
{
	return s->page->bytes + (size_t)s->slot * SLOT;
}

/* Under store.lock. */
static void list(struct page *p)
{
	p->next = store.room;
	p->prev = &store.room;
	if (p->next)
		p->next->prev = &p->next;
	store.room = p;
}

/* Under store.lock. */
static void unlist(struct page *p)
{
	*p->prev = p->next;
	if (p->next)
		p->next->prev = p->prev;
	p->prev = NULL;
}

/* Under store.lock. */
static struct page *page_new(void)
{
	struct page *p = mlxo_calloc(1, sizeof(*p));

	if (!p)
		return NULL;
	p->bytes = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (p->bytes == MAP_FAILED) {
		mlxo_free(p);
		return NULL;
	}
	madvise(p->bytes, PAGE, MADV_DONTDUMP);
	madvise(p->bytes, PAGE, MADV_WIPEONFORK);
	if (mlock(p->bytes, PAGE) && !store.warned) {
		store.warned = true;
		obj_log(MLXO_LOG_WARN, "keys may be swapped out: the limit of locked memory "
				       "(RLIMIT_MEMLOCK) is too small");
	}
	list(p);
	return p;
}

/* Under store.lock. */
static void page_free(struct page *p)
{
	unlist(p);
	munmap(p->bytes, PAGE);
	mlxo_free(p);
}

static struct mlxo_secret *secret_alloc(size_t len)
{
	struct mlxo_secret *s = mlxo_calloc(1, sizeof(*s));

	_Static_assert(SLOTS == 64, "the slot map has 64 bits");
	if (!s)
		return obj_error_null(-ENOMEM, "out of memory for a key");
	pthread_mutex_lock(&store.lock);
	s->page = store.room ? store.room : page_new();
	if (s->page) {
		s->slot = (uint8_t)__builtin_ctzll(~s->page->used);
		s->page->used |= UINT64_C(1) << s->slot;
		if (s->page->used == UINT64_MAX)
			unlist(s->page);
	}
	pthread_mutex_unlock(&store.lock);
	if (!s->page) {
		mlxo_free(s);
		return obj_error_null(-ENOMEM, "out of memory for a key");
	}
	s->len = (uint8_t)len;
	s->refs = 1;
	return s;
}

struct mlxo_secret *mlxo_secret_new(const void *bytes, size_t len)
{
	struct mlxo_secret *s;

	if (len < 1 || len > MLXO_SECRET_MAX)
		return obj_error_null(-EINVAL, "key of %zu bytes: 1..%d are possible", len,
				      MLXO_SECRET_MAX);
	s = secret_alloc(len);
	if (s)
		memcpy(bytes_of(s), bytes, len);
	return s;
}

struct mlxo_secret *mlxo_secret_ref(struct mlxo_secret *s)
{
	atomic_fetch_add_explicit(&s->refs, 1, memory_order_relaxed);
	return s;
}

void mlxo_secret_destroy(struct mlxo_secret *s)
{
	/* acq_rel: the last owner sees what the others did before it wipes */
	if (!s || atomic_fetch_sub_explicit(&s->refs, 1, memory_order_acq_rel) != 1)
		return;
	OPENSSL_cleanse(bytes_of(s), SLOT);
	pthread_mutex_lock(&store.lock);
	if (s->page->used == UINT64_MAX)
		list(s->page);
	s->page->used &= ~(UINT64_C(1) << s->slot);
	if (!s->page->used)
		page_free(s->page);
	pthread_mutex_unlock(&store.lock);
	mlxo_free(s);
}

size_t mlxo_secret_len(const struct mlxo_secret *s)
{
	return s->len;
}

const uint8_t *mlxo_secret_bytes(const struct mlxo_secret *s)
{
	return bytes_of(s);
}

/* -- hex text --------------------------------------------------------------------------------------------- */

/* All ones when lo <= c <= hi, else 0; no branch. */
static unsigned int in_range(unsigned int c, unsigned int lo, unsigned int hi)
{
	return 0u - (((lo - 1 - c) & (c - hi - 1)) >> 31);
}

/* Value of a hex digit without branch or table; *bad collects ones when it is none. */
static unsigned int digit(unsigned char c, unsigned int *bad)
{
	unsigned int low = c | 0x20u;
	unsigned int num = in_range(c, '0', '9'), alpha = in_range(low, 'a', 'f');

	*bad |= ~(num | alpha);
	return (num & (c - '0')) | (alpha & (low - 'a' + 10));
}

static bool is_space(char c)
{
	return c == ' ' || c == '\t' || c == '\r';
}

/* Cut white space, one final newline and 0x. */
static const char *trim(const char *text, size_t *len)
{
	size_t n = *len;

	if (n && text[n - 1] == '\n')
		n--;
	while (n && is_space(text[n - 1]))
		n--;
	while (n && is_space(*text)) {
		text++;
		n--;
	}
	if (n >= 2 && text[0] == '0' && (text[1] == 'x' || text[1] == 'X')) {
		text += 2;
		n -= 2;
	}
	*len = n;
	return text;
}

struct mlxo_secret *mlxo_secret_from_hex(const char *text, size_t len)
{
	struct mlxo_secret *s;
	unsigned int bad = 0;
	uint8_t *to;

	text = trim(text, &len);
	if (len == 0)
		return obj_error_null(-EINVAL, "key text is empty: hexadecimal digits are needed");
	if (len % 2)
		return obj_error_null(-EINVAL, "key text of %zu digits: their number must be even",
				      len);
	if (len / 2 > MLXO_SECRET_MAX)
		return obj_error_null(-EINVAL, "key text of %zu digits: at most %d are possible",
				      len, 2 * MLXO_SECRET_MAX);
	s = secret_alloc(len / 2);
	if (!s)
		return NULL;
	to = bytes_of(s);
	for (size_t i = 0; i < len / 2; i++) {
		unsigned int high = digit((unsigned char)text[2 * i], &bad);

		to[i] = (uint8_t)(high << 4 | digit((unsigned char)text[2 * i + 1], &bad));
	}
	if (bad) {
		mlxo_secret_destroy(s);
		return obj_error_null(
			-EINVAL, "key text is not hexadecimal: only 0-9, a-f and A-F are possible");
	}
	return s;
}

/* -- files ------------------------------------------------------------------------------------------------ */

/* Read to the end; at most size bytes. Returns how many, or -errno with -EMSGSIZE when there are more. */
static ssize_t read_all(int fd, char *buf, size_t size)
{
	size_t n = 0;

	while (n <= size) {
		char extra;
		ssize_t got = n < size ? read(fd, buf + n, size - n) : read(fd, &extra, 1);

		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			return -errno;
		if (got == 0)
			return (ssize_t)n;
		n += (size_t)got;
	}
	return -EMSGSIZE;
}

struct mlxo_secret *mlxo_secret_from_fd(int fd)
{
	struct mlxo_secret *s;
	char text[TEXT_MAX];
	ssize_t n = read_all(fd, text, sizeof(text));

	if (n == -EMSGSIZE)
		s = obj_error_null(-EINVAL, "key text is longer than %d characters", TEXT_MAX);
	else if (n < 0)
		s = obj_error_null((int)n, "key cannot be read from descriptor %d: %s", fd,
				   strerror((int)-n));
	else
		s = mlxo_secret_from_hex(text, (size_t)n);
	OPENSSL_cleanse(text, sizeof(text));
	return s;
}

/* NULL, or the sentence why the file is no place for a key. */
static const char *refusal(const struct stat *st)
{
	if (!S_ISREG(st->st_mode))
		return "it is not a regular file";
	if (st->st_mode & 07777 & ~(mode_t)(S_IRUSR | S_IWUSR))
		return "its mode must be 0600 or narrower, so that only its owner can read it";
	if (st->st_uid != geteuid() && st->st_uid != 0)
		return "it belongs to another user";
	return NULL;
}

struct mlxo_secret *mlxo_secret_from_file(const char *path)
{
	/* O_NONBLOCK: a FIFO must be refused, not waited for */
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
	struct mlxo_secret *s = NULL;
	const char *why;
	struct stat st;

	if (fd < 0)
		return obj_error_null(-errno, "key file %s cannot be opened: %s", path,
				      strerror(errno));
	if (fstat(fd, &st)) {
		obj_error(-errno, "key file %s cannot be examined: %s", path, strerror(errno));
	} else {
		why = refusal(&st);
		s = why ? obj_error_null(-EACCES, "key file %s is refused: %s", path, why)
			: mlxo_secret_from_fd(fd);
	}
	close(fd);
	return s;
}
