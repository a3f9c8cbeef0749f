/* SPDX-License-Identifier: MIT */
#include "collector/mapped.h"
#include "collector/spool/clocks.h"
#include "collector/session.h"
#include "collector/trigger.h"
#include "common/caldate.h"
#include "common/log.h"
#include "common/passfd.h"
#include "common/strbuf.h"
#include "common/units.h"

#define DRAIN_NS UINT64_C(10000000)
/* Of a quiet machine: what it has in its rings is lost with the recorder. */
#define PAUSE_NS UINT64_C(250000000)
#define PAUSE_GPU_NS UINT64_C(100000000)
#define QUIET_BYTES 65536 /* of calls at a time */
#define FLUSH_NS UINT64_C(100000000)
#define SECOND_NS ((uint64_t)TD_SEC_NS)
/* How long the programs are measured, which makes a call half as dear again: docs/man/tracedb-record.1 says so. */
#define COST_NS (2 * SECOND_NS)
#define COST_ENOUGH_NS (SECOND_NS / 10)
#define COST_ENOUGH_BYTES (UINT64_C(32) << 20) /* of half a million calls */

/* --- reasons to end --- */

static uint64_t duration_ns(const struct td_session *s)
{
	int64_t a = s->args->duration_ns, b = s->args->max_duration_ns;

	return (uint64_t)(a && b ? TD_MIN(a, b) : a + b);
}

/* Those that were named by pid have all ended, and nobody else is watched. */
static bool is_gone(const struct td_session *s)
{
	const struct td_record_args *a = s->args;

	return s->recording && !a->command && !a->all && !a->comm && !a->cgroup &&
	       !td_probes_any_left(s->probes);
}

/* The command has ended, but not all that it has started. */
static bool daemons_left(const struct td_session *s)
{
	return s->child_ended && s->recording && td_probes_any_left(s->probes);
}

static bool is_over(const struct td_session *s, uint64_t now_ns, enum td_wire_why *ret)
{
	uint64_t duration = duration_ns(s);

	if (s->child_ended && !(s->args->follow_daemons && !s->signals && daemons_left(s)))
		*ret = TD_WIRE_WHY_COMMAND;
	else if (s->signals > (s->child.pid ? 1 : 0))
		*ret = TD_WIRE_WHY_SIGNAL;
	else if (s->spool_error)
		*ret = s->spool_error == -EFBIG ? TD_WIRE_WHY_SIZE : TD_WIRE_WHY_ERROR;
	else if (s->recording && duration && now_ns >= s->begin_ns + duration)
		*ret = TD_WIRE_WHY_DURATION;
	else
		return false;
	return true;
}

/* --- the loop --- */

static int each_second(struct td_session *s, struct td_err *err)
{
	int r = td_recording_anchor(&s->emit);

	if (r == 0)
		r = td_session_cuda_loss(s);
	if (r == 0)
		r = td_probes_usage(s->probes, err);
	if (r == 0)
		r = td_probes_loss(s->probes, td_session_sink, s, err);
	return r;
}

static void flush(struct td_session *s, bool sync)
{
	int r = td_spool_flush(s->spool, sync, NULL);

	if (r < 0 && !s->spool_error)
		s->spool_error = r;
}

/* Once; the recording goes on without. */
static void say_no_gpu(struct td_session *s)
{
	struct td_err why;

	if (s->said_no_gpu || !s->gpu || !td_gpu_sampler_absent(s->gpu, &why))
		return;
	s->said_no_gpu = true;
	td_log_warning("%s%s", why.msg,
		       s->gpu_idle.longer_than_ns ? "; --trigger will not come" : "");
}

/* --- parts of a flight recorder --- */

static int to_strbuf(void *arg, const void *records, size_t size)
{
	td_strbuf_add(arg, records, size);
	return 0;
}

/* What closes a part: the time, and that it is one. */
static int closing_records(const struct td_session *s, struct td_strbuf *b)
{
	struct td_emit emit = { .sink = to_strbuf, .arg = b };
	int r = td_recording_anchor(&emit);

	if (r == 0)
		r = td_recording_cost(&emit, td_own_cpu_ns() - s->begin_cpu_ns);
	if (r == 0)
		r = td_recording_end(&emit, td_spool_records(s->spool), 0, TD_WIRE_WHY_TRIGGER);
	return r < 0 ? r : td_strbuf_error(b);
}

static int write_part(struct td_session *s, const char *path, struct td_err *err)
{
	_cleanup_(td_strbuf_done) struct td_strbuf b = TD_STRBUF_INIT;
	_cleanup_close_ int fd = -1;
	int r = closing_records(s, &b);

	if (r == 0)
		r = td_spool_write_copy(s->spool, path, b.p, b.len, &fd, err);
	if (r == 0 && s->args->done_fd >= 0)
		r = td_passfd_send(s->args->done_fd, TD_RECORD_PART, fd);
	return r;
}

/* A part that cannot be written is no reason to end. */
static void take_part(struct td_session *s)
{
	_cleanup_free_ char *name = td_trigger_part_name(s->args->output), *path = NULL;
	struct td_err err = { "" };
	int r = name && asprintf(&path, "%s.spool", name) >= 0 ? 0 : -ENOMEM;

	s->triggered = false;
	if (r == 0)
		r = write_part(s, path, &err);
	if (r < 0)
		td_log_warning("nothing is written at the trigger: %s",
			       err.msg[0] ? err.msg : strerror(-r));
	else if (!s->args->quiet)
		td_log_info("wrote what is held to '%s'", path);
}

static uint64_t lost_events(const struct td_session *s)
{
	uint64_t n = 0;

	for (size_t i = 0; i < TD_NLOSSES; i++)
		n += s->lost[i];
	return n;
}

static bool is_cost_known(const struct td_session *s, uint64_t now_ns)
{
	uint64_t measured_ns = now_ns - s->begin_ns;

	return measured_ns >= COST_NS ||
	       (measured_ns >= COST_ENOUGH_NS && s->drained_bytes >= COST_ENOUGH_BYTES);
}

static int record(struct td_session *s, uint64_t now_ns, struct td_err *err)
{
	ssize_t n = td_probes_drain(s->probes, td_session_sink, td_session_take, s, err);
	int r = n < 0 ? (int)n : 0;
	bool second = now_ns >= s->second_ns || s->triggered;

	if (r == 0) {
		ssize_t more = td_session_cuda_drain(s);

		r = more < 0 ? (int)more : 0;
		n += TD_MAX(more, (ssize_t)0);
		s->drained_bytes += (uint64_t)n;
	}
	s->quiet = n < QUIET_BYTES;
	s->unsynced |= n > 0;
	if (r == 0 && s->cpu)
		r = td_cpu_sampler_poll(s->cpu, now_ns);
	if (r == 0 && s->gpu)
		r = td_gpu_sampler_poll(s->gpu);
	say_no_gpu(s);
	if (r == 0 && second)
		r = td_session_bt_poll(s);
	if (r == 0 && second)
		r = each_second(s, err);
	if (second)
		s->second_ns = now_ns + SECOND_NS;
	if (r == 0 && second)
		td_live_show(&s->live, s->begin_ns, now_ns, s->generated, lost_events(s));
	if (!s->args->cost && is_cost_known(s, now_ns))
		td_probes_stop_cost(s->probes);
	if (second || (n > 0 && now_ns >= s->flush_ns)) {
		flush(s, second && s->unsynced);
		s->unsynced = s->unsynced && !second;
		s->flush_ns = now_ns + FLUSH_NS;
	}
	if (r == 0 && s->triggered)
		take_part(s);
	/* what it was is in the next part that is written, which is now */
	s->triggered |= td_gpu_idle_take(&s->gpu_idle);
	return r;
}

/* Until the rings are to be looked at again, or a sample is due; until --delay is over, nothing but
 * that is waited for. */
static int wait_ms(const struct td_session *s, uint64_t now_ns)
{
	uint64_t due_ns = s->begin_ns, cpu_due_ns;

	if (s->recording) {
		cpu_due_ns = s->cpu ? td_cpu_sampler_due_ns(s->cpu) : UINT64_MAX;
		due_ns = now_ns + (!s->quiet           ? DRAIN_NS
				   : s->gpu || s->cuda ? PAUSE_GPU_NS
						       : PAUSE_NS);
		due_ns = TD_MIN(due_ns, cpu_due_ns);
	}
	return due_ns > now_ns ? (int)((due_ns - now_ns + 999999) / 1000000) : 0;
}

int td_session_run(struct td_session *s, enum td_wire_why *ret_why, struct td_err *err)
{
	uint64_t now_ns = td_boot_ns();
	int r = 0;

	s->second_ns = now_ns + SECOND_NS;
	s->flush_ns = now_ns + FLUSH_NS;
	*ret_why = TD_WIRE_WHY_ERROR;
	while (r == 0 && !is_over(s, now_ns, ret_why)) {
		if (s->child_ended)
			td_child_reap(&s->child); /* others are waited for */
		td_session_poll(s, wait_ms(s, now_ns));
		now_ns = td_boot_ns();
		if (s->recording)
			r = record(s, now_ns, err);
		else if (!s->child_ended && now_ns >= s->begin_ns)
			r = td_session_begin(s, err);
		if (r == 0 && is_gone(s)) {
			*ret_why = TD_WIRE_WHY_GONE;
			break;
		}
	}
	return r;
}

/* --- the end --- */

/* Everything that happened up to now. */
static int take_rest(struct td_session *s, struct td_err *err)
{
	int r = td_probes_stop(s->probes, err), e = td_session_bt_finish(s);
	ssize_t n = td_probes_drain(s->probes, td_session_sink, td_session_take, s, err);

	if (r == 0 && n < 0)
		r = (int)n;
	r = r < 0 ? r : e;
	n = td_session_cuda_drain(s);
	e = n < 0 ? (int)n : td_session_cuda_loss(s);
	r = r < 0 ? r : e;
	e = td_session_cuda_finish(s);
	r = r < 0 ? r : e;
	e = s->cpu ? td_cpu_sampler_take(s->cpu, td_boot_ns()) : 0;
	r = r < 0 ? r : e;
	e = s->gpu ? td_gpu_sampler_finish(s->gpu) : 0;
	say_no_gpu(s);
	return r < 0 ? r : e;
}

static int note_window(struct td_session *s)
{
	uint64_t kept_ns = td_spool_kept_ns(s->spool);
	char kept[TD_UNITS_BUF];

	if (!s->args->flight_ns || kept_ns >= (uint64_t)s->args->flight_ns)
		return 0;
	td_format_dur(kept, sizeof(kept), (int64_t)kept_ns);
	td_log_warning("only the last %s are kept: --max-size allows no more memory", kept);
	return td_emit_note(&s->emit, "flight-recorder-full",
			    "only the last %s are kept: --max-size allowed no more memory", kept);
}

static int note_mapped(struct td_session *s)
{
	char text[TD_MAPPED_TEXT];

	return *td_mapped_unseen(s->probes, text)
		       ? td_emit_note(&s->emit, "mapped-files-unseen", "%s", text)
		       : 0;
}

/* What closes the recording; the spool keeps room for it. */
static int last_records(struct td_session *s, enum td_wire_why why, struct td_err *err)
{
	uint64_t lost;
	int r = td_recording_anchor(&s->emit);

	if (r == 0)
		r = td_probes_loss(s->probes, td_session_sink, s, err);
	if (r == 0)
		r = td_probes_totals(s->probes, td_session_sink, s, err);
	lost = td_spool_lost(s->spool);
	if (r == 0 && lost)
		r = td_recording_lost(&s->emit, s->begin_ns, td_spool_events(s->spool), lost);
	if (r == 0)
		r = note_window(s);
	if (r == 0)
		r = note_mapped(s);
	if (r == 0)
		r = td_recording_cost(&s->emit, td_own_cpu_ns() - s->begin_cpu_ns);
	return r < 0 ? r
		     : td_recording_end(&s->emit, td_spool_records(s->spool),
					s->child_ended ? s->child_status : 0, why);
}

static void say_why(const struct td_session *s, enum td_wire_why why)
{
	switch (why) {
	case TD_WIRE_WHY_SIZE:
		td_log_warning("the recording ends: '%s' has the size that %s allows", s->path,
			       s->args->max_size_bytes ? "--max-size"
						       : "the limit of file sizes (ulimit -f)");
		break;
	case TD_WIRE_WHY_ERROR:
		if (s->spool_error)
			td_log_warning("the recording ends: cannot write '%s': %s", s->path,
				       strerror(-s->spool_error));
		break;
	case TD_WIRE_WHY_COMMAND:
		if (daemons_left(s) && !s->args->quiet)
			td_log_info("what the command has started goes on, unrecorded: "
				    "--follow-daemons waits for it");
		break;
	case TD_WIRE_WHY_GONE:
		if (!s->args->quiet)
			td_log_info("the processes that were recorded have ended");
		break;
	default:
		break;
	}
}

/* What must be known of what was recorded. */
static void say_caveats(const struct td_session *s)
{
	const struct td_set_status *status;
	char text[TD_MAPPED_TEXT];
	size_t n;

	status = td_probes_status(s->probes, &n);
	for (size_t i = 0; i < n; i++)
		if (td_sets[status[i].set]->caveat && status[i].state != TD_SET_IMPOSSIBLE)
			td_log_info("%s: %s", td_sets[status[i].set]->name,
				    td_sets[status[i].set]->caveat);
	if (*td_mapped_unseen(s->probes, text))
		td_log_info("%s", text);
}

static void say_end(const struct td_session *s, uint64_t size_bytes)
{
	uint64_t dur_ns = s->recording ? td_boot_ns() - s->begin_ns : 0,
		 cpu_ns = td_own_cpu_ns() - s->begin_cpu_ns;
	char events[TD_UNITS_BUF], dur[TD_UNITS_BUF], size[TD_UNITS_BUF], cpu[TD_UNITS_BUF];

	td_format_count(events, sizeof(events), (int64_t)s->generated);
	td_format_dur(dur, sizeof(dur), (int64_t)dur_ns);
	td_format_bytes(size, sizeof(size), (int64_t)size_bytes);
	td_format_dur(cpu, sizeof(cpu), (int64_t)cpu_ns);
	td_loss_say(s->lost, s->generated);
	if (s->args->quiet)
		return;
	td_log_info("recorded %s events in %s%s; %s; the recorder took %s of CPU time", events, dur,
		    lost_events(s) ? "" : ", none lost", size, cpu);
	say_caveats(s);
}

/* Whoever waits for the recording need not wait for the command. */
static void tell_done(const struct td_session *s)
{
	int r;

	if (s->args->done_fd < 0)
		return;
	r = td_passfd_send(s->args->done_fd, TD_RECORD_DONE, -1);
	if (r < 0)
		td_log_warning("nobody waits for the recording: %s", strerror(-r));
	(void)close(s->args->done_fd);
}

int td_session_end(struct td_session *s, enum td_wire_why why, struct td_err *err)
{
	struct td_err ignored = { "" };
	uint64_t size_bytes;
	int r = 0, e;

	td_live_done(&s->live);
	say_why(s, why);
	if (s->recording)
		r = take_rest(s, err);
	td_spool_finish(s->spool);
	e = last_records(s, why, r < 0 ? &ignored : err);
	r = r < 0 ? r : e;
	size_bytes = td_spool_size_bytes(s->spool);
	e = td_spool_close(TAKE_PTR(s->spool), r < 0 ? &ignored : err);
	if (r == 0 && !s->spool_error) /* else it was said */
		r = e;
	say_end(s, size_bytes);
	tell_done(s);
	return r;
}

int td_session_wait(struct td_session *s)
{
	if (s->child.pid && !s->args->quiet)
		td_log_info("the command goes on, unrecorded");
	while (s->child.pid && s->signals < 2)
		td_session_poll(s, -1);
	if (s->child_ended)
		return td_exit_status(s->child_status);
	return s->args->command ? 128 + s->last_signal : 0;
}
