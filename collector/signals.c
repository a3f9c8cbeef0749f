/* SPDX-License-Identifier: MIT */
#include "collector/signals.h"
#include "common/cleanup.h"

static const int ends[] = { SIGINT, SIGTERM, SIGHUP, SIGQUIT };

/* What this program gets for its own doing, or by which shells stop it and let it go on. */
static const int own[] = { SIGKILL, SIGSTOP, SIGCHLD, SIGCONT, SIGTSTP, SIGTTIN, SIGTTOU, SIGPIPE,
			   SIGXFSZ, SIGSEGV, SIGBUS,  SIGFPE,  SIGILL,  SIGTRAP, SIGSYS };

static bool is_in(const int *signals, size_t n, int sig)
{
	for (size_t i = 0; i < n; i++)
		if (signals[i] == sig)
			return true;
	return false;
}

static bool is_ignored(int sig)
{
	struct sigaction now;

	return sigaction(sig, NULL, &now) == 0 && now.sa_handler == SIG_IGN;
}

bool td_signal_ends(int sig)
{
	return is_in(ends, TD_ARRAY_SIZE(ends), sig);
}

void td_signals_to_watch(bool has_command, sigset_t *ret)
{
	(void)sigemptyset(ret);
	for (int sig = 1; sig <= SIGRTMAX; sig++) {
		bool always = !has_command && (sig == SIGINT || sig == SIGTERM);

		/* the C library keeps two for itself, and takes neither into a set */
		if (!is_in(own, TD_ARRAY_SIZE(own), sig) && (always || !is_ignored(sig)))
			(void)sigaddset(ret, sig);
	}
}
