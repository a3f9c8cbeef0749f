/* SPDX-License-Identifier: MIT */
/* Makes five calls as a 32-bit program does. Exits with 77 where the kernel runs none. */
#include <signal.h>
#include <unistd.h>

#define GETPID                                                                                     \
	20 /* of the 32-bit table; the 64-bit one has a call by that number that is recorded */

static void no_compat(int signal)
{
	(void)signal;
	_exit(77);
}

int main(void)
{
	(void)signal(SIGSEGV, no_compat);
	(void)signal(SIGILL, no_compat);
	for (int i = 0; i < 5; i++) {
		long r = GETPID;

		__asm__ volatile("int $0x80" : "+a"(r) : : "memory", "r8", "r9", "r10", "r11");
		if (r == -38) /* -ENOSYS */
			return 77;
		if (r != getpid())
			return 1;
	}
	return 0;
}
