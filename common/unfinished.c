/* SPDX-License-Identifier: MIT */
#include <limits.h>
#include <signal.h>
#include <stdatomic.h>

#include "common/cleanup.h"
#include "common/unfinished.h"

static struct {
	char path[PATH_MAX];
	volatile sig_atomic_t used;
} files[24];

/* Those that end a program unless it wants them; but crashes are left as they are. */
static const int signals[] = {
	SIGHUP,  SIGINT,  SIGQUIT, SIGPIPE, SIGALRM,   SIGTERM, SIGUSR1,   SIGUSR2,
	SIGPOLL, SIGPROF, SIGXCPU, SIGXFSZ, SIGVTALRM, SIGPWR,  SIGSTKFLT,
};

static void on_signal(int sig)
{
	for (size_t i = 0; i < TD_ARRAY_SIZE(files); i++)
		if (files[i].used)
			(void)unlink(files[i].path);
	(void)signal(sig, SIG_DFL);
	(void)raise(sig);
}

static bool any(void)
{
	for (size_t i = 0; i < TD_ARRAY_SIZE(files); i++)
		if (files[i].used)
			return true;
	return false;
}

/* Leaves alone what was ignored or handled before: nohup stays nohup. */
static void replace_handlers(void (*from)(int), void (*to)(int))
{
	for (size_t i = 0; i < TD_ARRAY_SIZE(signals); i++) {
		struct sigaction now;

		if (sigaction(signals[i], NULL, &now) == 0 && now.sa_handler == from)
			(void)signal(signals[i], to);
	}
}

void td_unfinished_add(const char *path)
{
	bool first = !any();

	for (size_t i = 0; i < TD_ARRAY_SIZE(files) && strlen(path) < PATH_MAX; i++) {
		if (files[i].used)
			continue;
		(void)stpcpy(files[i].path, path);
		atomic_signal_fence(memory_order_seq_cst);
		files[i].used = 1;
		break;
	}
	if (first)
		replace_handlers(SIG_DFL, on_signal);
}

void td_unfinished_remove(const char *path)
{
	for (size_t i = 0; i < TD_ARRAY_SIZE(files) && path; i++)
		if (files[i].used && strcmp(files[i].path, path) == 0)
			files[i].used = 0;
	if (!any())
		replace_handlers(on_signal, SIG_DFL);
}
