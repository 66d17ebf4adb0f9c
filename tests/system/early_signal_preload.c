// SPDX-License-Identifier: BSD-2-Clause
/*
 * Preloaded into a program: whoever forks gets SIGTERM before fork() returns to it, the earliest moment at which a signal
 * can come for the new process.
 */
#include <dlfcn.h>
#include <signal.h>
#include <stddef.h>
#include <unistd.h>

__attribute__((visibility("default"))) pid_t fork(void)
{
	pid_t (*real)(void) = NULL;
	pid_t pid;

	*(void **)&real = dlsym(RTLD_NEXT, "fork");
	pid = real();
	if (pid > 0)
		raise(SIGTERM);
	return pid;
}
