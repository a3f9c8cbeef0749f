/* SPDX-License-Identifier: MIT */
/* bpftrace programs beside the recording (--bt). */
#include "collector/session.h"
#include "common/log.h"

int td_session_bt_start(struct td_session *s, struct td_err *err)
{
	const struct td_record_args *a = s->args;
	int r = 0;

	s->bt = calloc(a->bt.n + 1, sizeof(struct td_bt *));
	if (!s->bt)
		return -ENOMEM;
	for (size_t i = 0; r == 0 && i < a->bt.n; i++) {
		_cleanup_free_ char *out = td_record_bt_output(a, i);
		struct td_bt_options options = {
			.script = a->bt.items[i],
			.out_path = out,
			.uid = s->invoker.uid,
			.gid = s->invoker.gid,
		};

		if (!out)
			return -ENOMEM;
		if (a->force)
			(void)unlink(out);
		r = td_bt_start(&options, &s->bt[i], err);
	}
	return r;
}

int td_session_bt_wait(struct td_session *s, struct td_err *err)
{
	int r = 0;

	for (size_t i = 0; r == 0 && i < s->args->bt.n; i++)
		r = td_bt_wait_attached(s->bt[i], err);
	return r;
}

/* What it said, to the user and into the recording. */
static int note(struct td_session *s, const struct td_err *err)
{
	td_log_warning("%s", err->msg);
	return td_emit_note(&s->emit, "bpftrace-failed", "%s", err->msg);
}

int td_session_bt_poll(struct td_session *s)
{
	int r = 0;

	for (size_t i = 0; r == 0 && i < s->args->bt.n; i++) {
		struct td_err err = { "" };

		if (!s->bt[i] || td_bt_poll(s->bt[i], &err) == 0)
			continue;
		r = err.msg[0] ? note(s, &err)
			       : td_emit_note(&s->emit, "bpftrace-ended",
					      "'%s' ended before the recording did",
					      s->args->bt.items[i]);
		(void)td_bt_finish(s->bt[i], &err);
		td_bt_free(TAKE_PTR(s->bt[i]));
	}
	return r;
}

int td_session_bt_finish(struct td_session *s)
{
	int r = 0;

	for (size_t i = 0; i < s->args->bt.n; i++) {
		struct td_err err = { "" };

		if (s->bt[i] && td_bt_finish(s->bt[i], &err) < 0 && r == 0)
			r = note(s, &err);
		td_bt_free(TAKE_PTR(s->bt[i]));
	}
	return r;
}

void td_session_bt_done(struct td_session *s)
{
	for (size_t i = 0; s->bt && i < s->args->bt.n; i++)
		td_bt_free(s->bt[i]);
	free(s->bt);
}

void td_session_bt_discard(struct td_session *s)
{
	for (size_t i = 0; s->bt && i < s->args->bt.n; i++) {
		_cleanup_free_ char *out = td_record_bt_output(s->args, i);

		if (s->bt[i] && out)
			(void)unlink(out);
		td_bt_free(TAKE_PTR(s->bt[i]));
	}
}
