// SPDX-License-Identifier: BSD-2-Clause
/*
 * Memory of the program, by addresses it gave: an address that is not mapped is EFAULT, as in the kernel, and not a
 * fault of the program. The kernel is asked to copy within this process.
 */
#include "uverbs.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/uio.h>
#include <unistd.h>

typedef ssize_t (*copy_fn)(pid_t pid, const struct iovec *local, unsigned long nlocal,
			   const struct iovec *remote, unsigned long nremote, unsigned long flags);

/* -1: the kernel does not let us (seccomp): trust the address. */
static int copy(copy_fn fn, void *ours, uint64_t theirs, size_t n)
{
	size_t done = 0;

	while (done < n) {
		struct iovec local = {(char *)ours + done, n - done};
		struct iovec remote = {(void *)(uintptr_t)(theirs + done), n - done};
		ssize_t got = fn(getpid(), &local, 1, &remote, 1, 0);

		if (got <= 0)
			return got < 0 && (errno == EPERM || errno == ENOSYS) ? -1 : -EFAULT;
		done += (size_t)got;
	}
	return 0;
}

int uv_copy_in(void *to, uint64_t from, size_t n)
{
	int saved = errno, err = n ? copy(process_vm_readv, to, from, n) : 0;

	errno = saved;
	if (err == -1) {
		memcpy(to, (const void *)(uintptr_t)from, n);
		err = 0;
	}
	return err;
}

int uv_copy_out(uint64_t to, const void *from, size_t n)
{
	int saved = errno, err = n ? copy(process_vm_writev, (void *)(uintptr_t)from, to, n) : 0;

	errno = saved;
	if (err == -1) {
		memcpy((void *)(uintptr_t)to, from, n);
		err = 0;
	}
	return err;
}

int uv_mapped(uint64_t addr, uint64_t len)
{
	uint64_t start = addr & ~(uint64_t)(UV_PAGE - 1);
	int saved = errno, err;

	if (!len || addr + len < addr)
		return -EINVAL;
	err = msync((void *)(uintptr_t)start, addr + len - start, MS_ASYNC) ? -EFAULT : 0;
	errno = saved;
	return err;
}
