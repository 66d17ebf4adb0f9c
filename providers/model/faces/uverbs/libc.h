/* SPDX-License-Identifier: BSD-2-Clause */
/* What libc.c and paths.c share: the C library's own functions behind the ones this library exports. */
#ifndef FACES_UVERBS_LIBC_H
#define FACES_UVERBS_LIBC_H

#include <dlfcn.h>
#include <limits.h>

#define PUBLIC __attribute__((visibility("default")))

/* The next definition of `name`, looked up once per place. */
#define REAL(name) \
	({ \
		static void *uv_next; \
		void *uv_fn = __atomic_load_n(&uv_next, __ATOMIC_RELAXED); \
\
		if (!uv_fn) { \
			uv_fn = dlsym(RTLD_NEXT, #name); \
			__atomic_store_n(&uv_next, uv_fn, __ATOMIC_RELAXED); \
		} \
		(__typeof__(&name))uv_fn; \
	})

/* The root of our tree, set at start. */
extern char uv_root[PATH_MAX];
/* A path of sysfs that must lead into our tree: there, in `to`; every other path as it is. */
const char *uv_redirect(const char *path, char to[PATH_MAX]);

#endif
