/* SPDX-License-Identifier: MIT */
/* Signals to the recorder, and what becomes of its command. */
#include <poll.h>
#include <sys/signalfd.h>

#include "collector/session.h"
#include "collector/signals.h"
#include "collector/spool/clocks.h"
#include "collector/trigger.h"
#include "common/caldate.h"
#include "common/log.h"

/* 'timeout' and the like send a signal to a process and to its group: these are one. */
#define SAME_SIGNAL_NS ((uint64_t)TD_SEC_NS)
#define PASS_AFTER_NS UINT64_C(100000000)
#define SOON_MS 10 /* while a signal waits to be passed on */

/* What the terminal sends it sends to the command, too. Others wait a moment: who sends one to all
 * processes of a group or of a job step has sent it to the command by then. */
static void pass_on(struct td_session *s, const struct signalfd_siginfo *info)
{
	int sig = (int)info->ssi_signo;

	if (info->ssi_code == SI_KERNEL || sig >= TD_NSIGNALS)
		return;
	if (!s->passing[sig].n)
		s->passing[sig].since_ns = td_boot_ns();
	if (!s->passing[sig].n ||
	    sig >= SIGRTMIN) /* the others are one as long as they are pending */
		s->passing[sig].n++;
}

static void pass_on_now(struct td_session *s, int sig)
{
	uint64_t since_ns = s->passing[sig].since_ns;
	unsigned n = s->passing[sig].n;
	int r = 0;

	s->passing[sig].n = 0;
	if (td_probes_signalled_ns(s->probes, sig) + PASS_AFTER_NS >= since_ns)
		return;
	for (unsigned i = 0; i < n && r == 0; i++)
		r = td_child_signal(&s->child, sig);
	if (r < 0)
		td_log_warning("the signal could not be passed on: %s", strerror(-r));
}

/* What has waited long enough. Is there more? */
static bool pass_on_due(struct td_session *s)
{
	uint64_t now_ns = td_boot_ns();
	bool more = false;

	for (int sig = 1; sig < TD_NSIGNALS; sig++) {
		if (s->passing[sig].n && now_ns - s->passing[sig].since_ns >= PASS_AFTER_NS)
			pass_on_now(s, sig);
		more |= s->passing[sig].n != 0;
	}
	return more;
}

static void on_signal(struct td_session *s, const struct signalfd_siginfo *info)
{
	uint64_t now_ns = td_boot_ns();

	if (td_trigger_is(info, s->args->trigger.signal)) {
		s->triggered = s->args->flight_ns != 0;
		return;
	}
	if (!td_signal_ends((int)info->ssi_signo)) {
		pass_on(s, info);
		return;
	}
	if (s->signals && now_ns - s->signal_ns < SAME_SIGNAL_NS)
		return;
	s->signals++;
	s->signal_ns = now_ns;
	s->last_signal = (int)info->ssi_signo;
	if (!s->child.pid)
		return;
	pass_on(s, info);
	if (s->signals == 1 && !s->args->quiet)
		td_log_info("waiting for the command to end; the same once more leaves it alone");
}

void td_session_signals(struct td_session *s)
{
	struct signalfd_siginfo info;

	while (read(s->signal_fd, &info, sizeof(info)) == sizeof(info))
		on_signal(s, &info);
}

void td_session_poll(struct td_session *s, int timeout_ms)
{
	struct pollfd fds[] = {
		{ .fd = s->signal_fd, .events = POLLIN },
		{ .fd = s->child.pid ? s->child.pidfd : -1, .events = POLLIN },
		{ .fd = s->recording ? td_probes_wake_fd(s->probes) : -1, .events = POLLIN },
	};

	if (pass_on_due(s) && (timeout_ms < 0 || timeout_ms > SOON_MS))
		timeout_ms = SOON_MS;
	if (poll(fds, TD_ARRAY_SIZE(fds), timeout_ms) <= 0)
		return;
	if (fds[0].revents)
		td_session_signals(s);
	if (fds[1].revents && s->child.pid)
		s->child_ended = td_child_ended(&s->child, false, &s->child_status);
	if (fds[2].revents)
		td_probes_woken(s->probes);
}
