/* SPDX-License-Identifier: MIT */
#include <signal.h>
#include <sys/signalfd.h>
#include <time.h>

#include "cli/cli.h"
#include "cli/record_output.h"
#include "collector/signals.h"
#include "common/caldate.h"

#define COLLECT_MS 2000 /* of what nobody takes, the import does not wait for */
#define RESIZE_AGAIN_NS INT64_C(200000000)

void td_record_output_done(struct td_record_output *o)
{
	td_tee_done(&o->tee);
	free(o->path);
}

int td_record_output_start(struct td_record_output *o, const struct td_record_args *args,
			   const struct td_import_layouts *layouts, struct td_err *err)
{
	size_t n = args->phase_patterns.n, at = 0;
	_cleanup_free_ const regex_t **items = calloc(n + 1, sizeof(const regex_t *));
	const struct td_tee_patterns patterns = { items, n };
	_cleanup_(td_user_done) struct td_user user = { 0 };
	struct td_err warning;
	int r;

	if (!args->phases_from_output)
		return 0;
	if (!items || asprintf(&o->path, "%s.output", args->output) < 0) {
		o->path = NULL;
		return -ENOMEM;
	}
	for (size_t i = 0; i < n; i++)
		items[i] = td_import_phase_pattern_next(layouts, &at);
	r = td_user_invoking(&user, err);
	if (r == 0)
		r = td_tee_start(&o->tee, o->path, &patterns, &user, &warning, err);
	if (r == 0 && warning.msg[0])
		td_log_warning("%s", warning.msg);
	return r;
}

static void say_broken(bool is_broken)
{
	if (is_broken)
		td_log_warning("the command's output could not be written: some of it is lost");
}

bool td_record_output_collect(struct td_record_output *o, const struct td_record_args *args)
{
	bool is_broken = false;

	if (!o->path)
		return false;
	td_tee_ask_to_drain(&o->tee);
	(void)td_tee_wait_drained(&o->tee, COLLECT_MS, -1, &is_broken);
	td_tee_stop_lines(&o->tee);
	say_broken(is_broken);
	if (td_tee_has_lines(&o->tee))
		return true;
	td_log_warning("no phases in the output of the command: it printed no line of MLPerf's%s",
		       args->phase_patterns.n ? ", and none that --phase-pattern finds"
					      : "; --phase-pattern says which others begin one");
	return false;
}

void td_record_output_remove(const struct td_record_output *o)
{
	if (o->tee.lines_fd >= 0 && unlink(o->path) < 0)
		td_log_warning("cannot remove '%s': %s", o->path, strerror(errno));
}

void td_record_output_drain(struct td_record_output *o, int signal_fd)
{
	struct signalfd_siginfo info;
	bool is_broken = false, ends = false;

	td_tee_ask_to_drain(&o->tee);
	while (!ends && !td_tee_wait_drained(&o->tee, -1, signal_fd, &is_broken))
		while (read(signal_fd, &info, sizeof(info)) == sizeof(info))
			ends |= td_signal_ends((int)info.ssi_signo);
	say_broken(is_broken);
}

/* --- the size of its terminal --- */

static int64_t boot_ns(void)
{
	struct timespec now;

	(void)clock_gettime(CLOCK_BOOTTIME, &now);
	return now.tv_sec * TD_SEC_NS + now.tv_nsec;
}

/* The kernel tells the command at the same moment as us, so it may have looked before the size was
 * passed on: it is told again, so much later that the recorder does not take it for the same
 * signal. */
void td_record_output_resize(struct td_record_output *o, bool by_kernel)
{
	if (td_tee_resize(&o->tee) && by_kernel)
		o->resized_ns = boot_ns() + RESIZE_AGAIN_NS;
}

int td_record_output_wait_ms(struct td_record_output *o, pid_t pid)
{
	int64_t left_ns = o->resized_ns - boot_ns();

	if (o->resized_ns && left_ns <= 0) {
		o->resized_ns = 0;
		if (pid)
			(void)kill(pid, SIGWINCH);
	}
	return o->resized_ns ? (int)(left_ns / 1000000) + 1 : -1;
}
