/* SPDX-License-Identifier: MIT */
#include <fcntl.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/stat.h>

#include "collector/caller_env.h"
#include "collector/spool/clocks.h"
#include "collector/spool/old.h"
#include "collector/session.h"
#include "collector/signals.h"
#include "collector/trigger.h"
#include "common/caldate.h"
#include "common/job_rank.h"
#include "common/log.h"
#include "common/passfd.h"
#include "common/strbuf.h"

#define RECORDER_NICE (-15)

void td_session_done(struct td_session *s)
{
	td_session_bt_done(s);
	td_live_done(&s->live);
	td_cuda_rings_free(s->cuda);
	td_gpu_sampler_free(s->gpu);
	td_gpu_idle_done(&s->gpu_idle);
	td_cpu_sampler_free(s->cpu);
	td_probes_close(s->probes);
	td_spool_abandon(s->spool);
	td_child_done(&s->child);
	td_users_disks_done(&s->users_disks);
	td_user_done(&s->invoker);
	td_user_done(&s->runner);
	td_closep(&s->signal_fd);
	free(s->path);
}

/* --- the sink --- */

static int look_at(struct td_session *s, const struct td_wire_head *h)
{
	const struct td_wire_loss *l = (const struct td_wire_loss *)h;

	if (h->kind == TD_WIRE_PROCESS)
		return td_users_disks_process(&s->users_disks, &s->emit,
					      (const struct td_wire_process *)h);
	if (h->kind == TD_WIRE_LOSS) {
		s->lost[td_loss_place(l)] += l->lost;
		if (l->ring_size_bytes) /* else they were counted in a ring already */
			s->generated += l->generated;
	}
	return 0;
}

int td_session_sink(void *arg, const void *records, size_t size)
{
	struct td_session *s = arg;
	int put = td_spool_put(s->spool, records, size, NULL), r = 0;

	td_live_look(&s->live, records, size);
	if (put < 0 && !s->spool_error)
		s->spool_error = put;
	for (const char *p = records, *end = p + size; r == 0 && p < end;
	     p += ((const struct td_wire_head *)p)->size)
		r = look_at(s, (const struct td_wire_head *)p);
	return r;
}

int td_session_take(void *arg, char **buffer, size_t size)
{
	struct td_session *s = arg;
	int put;

	td_live_look(&s->live, *buffer, size);
	put = td_spool_take(s->spool, buffer, size, NULL);
	if (put < 0 && !s->spool_error)
		s->spool_error = put;
	return 0;
}

/* --- preparations --- */

static int watch_signals(struct td_session *s, struct td_err *err)
{
	sigset_t set;

	td_signals_to_watch(s->args->command != NULL, &set);
	(void)sigprocmask(SIG_BLOCK, &set, &s->mask);
	s->signal_fd = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
	return s->signal_fd < 0 ? td_err_errno(err, -errno, "cannot watch for signals") : 0;
}

/* What only root may ask for: with the capabilities of the file anybody may execute this. Whose a process is that is to
 * be followed is looked at when that is done. */
static int check_permission(const struct td_session *s, struct td_err *err)
{
	if (getuid() == 0)
		return 0;
	if (s->args->all_users)
		return td_err_set(err, -EPERM, "--all-users is for root");
	if (s->args->user)
		return td_err_set(err, -EPERM, "--user is for root");
	if (s->args->bt.n)
		return td_err_set(err, -EPERM, "--bt is for root, as bpftrace is");
	return 0;
}

static int find_users(struct td_session *s, struct td_err *err)
{
	int r = td_user_invoking(&s->invoker, err);

	if (r < 0 || !s->args->command)
		return r;
	if (s->args->user) {
		r = td_user_named(s->args->user, &s->runner, err);
		s->switch_user = true;
		return r;
	}
	s->runner.uid = s->invoker.uid;
	s->runner.gid = s->invoker.gid;
	s->switch_user = geteuid() == 0 && s->invoker.uid != 0;
	if (geteuid() == 0 && s->invoker.uid == 0)
		td_log_warning("the command runs as root: --user says as whom else");
	return 0;
}

/* Of who called sudo, if the command is theirs. */
static void find_environment(const struct td_session *s, struct td_caller_env *ret)
{
	int r = geteuid() == 0 && !s->args->user ? td_caller_env_read(s->args->done_fd >= 0, ret)
						 : 0;

	if (r < 0)
		td_log_warning("the command has sudo's environment, not that of its caller (%s): "
			       "'sudo -E env PATH=\"$PATH\" tracedb record ...' passes it on",
			       strerror(-r));
}

/* The command has them: whoever waits for their end waits for it alone. */
static void close_streams(const struct td_record_args *a)
{
	if (a->stdout_fd > STDERR_FILENO)
		(void)close(a->stdout_fd);
	if (a->stderr_fd > STDERR_FILENO && a->stderr_fd != a->stdout_fd)
		(void)close(a->stderr_fd);
}

static int start_child(struct td_session *s, struct td_err *err)
{
	const struct td_user *user = s->args->user ? &s->runner : &s->invoker;
	_cleanup_(td_caller_env_done) struct td_caller_env env = { 0 };
	struct td_child_options options = {
		.command = s->args->command,
		.user = s->switch_user ? user : NULL,
		.mask = &s->mask,
		.stdout_fd = s->args->stdout_fd,
		.stderr_fd = s->args->stderr_fd,
	};
	int r = 0;

	if (options.command) {
		find_environment(s, &env);
		options.env = env.vars;
		r = td_session_cuda_start(s, env.vars ? env.vars : environ, &options.more, err);
		if (r == 0)
			r = td_child_fork(&options, &s->child, err);
		close_streams(s->args);
	}
	/* now that the command has inherited what it was */
	(void)signal(SIGPIPE, SIG_IGN); /* nobody need read our messages */
	(void)signal(SIGXFSZ, SIG_IGN); /* a limit of file sizes is an error of write() then */
	(void)signal(SIGCHLD, SIG_DFL); /* or nobody could wait for it */
	return r;
}

static int new_spool(struct td_session *s, struct td_err *err)
{
	const struct td_spool_options options = {
		.max_size_bytes = s->args->flight_ns ? 0 : (uint64_t)s->args->max_size_bytes,
		.keep_ns = (uint64_t)s->args->flight_ns,
		.keep_max_bytes = (uint64_t)s->args->max_size_bytes,
	};
	bool replace = s->args->force || td_spool_old_is_empty(s->path);
	int r = replace ? td_spool_old_remove(s->path, err) : 0;

	return r < 0 ? r : td_spool_create(s->path, &options, &s->spool, err);
}

/* As the user where that is possible, so that it is theirs on a network file system, too; else as root, then handed
 * over. */
static int create_spool(struct td_session *s, struct td_err *err)
{
	int r;

	if (asprintf(&s->path, "%s.spool", s->args->output) < 0) {
		s->path = NULL;
		return -ENOMEM;
	}
	td_user_act_as(&s->invoker);
	r = new_spool(s, err);
	td_user_end_acting();
	if (r != -EACCES || geteuid() != 0)
		return r;
	r = new_spool(s, err);
	if (r < 0 || fchown(td_spool_fd(s->spool), s->invoker.uid, s->invoker.gid) == 0)
		return r;
	r = -errno;
	(void)unlink(s->path);
	return td_err_errno(err, r, "cannot give '%s' to its user", s->path);
}

/* It is tracedb's from now on, too, so that nobody else takes it before it is imported, whatever
 * becomes of this process. */
static int share_spool(const struct td_session *s, struct td_err *err)
{
	int r;

	if (s->args->flight_ns)
		td_trigger_wait_for(td_spool_fd(s->spool));
	if (s->args->done_fd < 0)
		return 0;
	r = td_passfd_send(s->args->done_fd, TD_RECORD_BEGINS, td_spool_fd(s->spool));
	return r < 0 ? td_err_errno(err, r, "nobody waits for the recording") : 0;
}

static int open_probes(struct td_session *s, struct td_err *err)
{
	struct td_probes_options options = {
		.sets = s->args->sets,
		.watch = { .everyone = s->args->all,
			   .uid = s->invoker.uid,
			   .any_user = s->args->all_users,
			   .own_only = s->invoker.uid != 0 && !s->args->all_users,
			   .follow_own = getuid() != 0,
			   .comm = s->args->comm },
		.ring_bytes = (size_t)s->args->buffer_bytes,
		.lock_threshold_ns = (uint64_t)s->args->lock_threshold_ns,
		.cuda_threshold_ns = (uint64_t)s->args->cuda_threshold_ns,
		.count_cost = true,
	};
	int r = s->args->cgroup ? td_cgroup_id(s->args->cgroup, &options.watch.cgroup, err) : 0;

	return r < 0 ? r : td_probes_open(&options, &s->probes, err);
}

/* --- the begin --- */

/* What cannot be had is said now, and is in the recording. */
static int note_sets(struct td_session *s)
{
	const struct td_set_status *status;
	size_t n;
	int r = 0;

	status = td_probes_status(s->probes, &n);
	for (size_t i = 0; i < n && r == 0; i++) {
		const struct td_set_provider *set = td_sets[status[i].set];
		const char *name = set->name;

		if (status[i].state == TD_SET_IMPOSSIBLE) {
			td_log_warning("event set '%s' is not recorded: %s", name, status[i].why);
			r = td_emit_note(&s->emit, "set-not-recorded", "%s: %s", name,
					 status[i].why);
		} else if (status[i].state == TD_SET_FALLBACK) {
			r = td_emit_note(&s->emit, "set-falls-back", "%s: %s", name, status[i].why);
		}
		if (r == 0 && set->caveat && status[i].state != TD_SET_IMPOSSIBLE)
			r = td_emit_note(&s->emit, set->caveat_kind, "%s", set->caveat);
	}
	return r;
}

/* As the environment of who called tells: sudo drops the variables of launchers. */
static int put_rank(struct td_session *s)
{
	_cleanup_(td_caller_env_done) struct td_caller_env env = { 0 };
	int32_t rank;

	if (geteuid() == 0)
		(void)td_caller_env_read(s->args->done_fd >= 0, &env); /* else ours may tell */
	rank = td_rank_of_environment(env.vars ? env.vars : environ);
	return rank < 0 ? 0 : td_recording_rank(&s->emit, (uint32_t)rank);
}

static int first_records(struct td_session *s)
{
	int r = td_recording_header(&s->emit, s->argv);

	if (r == 0)
		r = put_rank(s);
	if (r == 0)
		r = td_recording_anchor(&s->emit);
	if (r == 0)
		r = td_users_disks_disks(&s->emit);
	return r < 0 ? r : note_sets(s);
}

static int follow_all(struct td_session *s, struct td_err *err)
{
	int r = 0;

	for (size_t i = 0; i < s->args->pids.n && r == 0; i++)
		r = td_probes_follow(s->probes, td_record_pid(s->args, i), err);
	if (r == 0 && s->child.pid)
		r = td_probes_follow_command(s->probes, s->child.pid, err);
	return r;
}

static void add_names(struct td_strbuf *b, const struct td_session *s)
{
	const struct td_set_status *status;
	const char *comma = "";
	size_t n;

	status = td_probes_status(s->probes, &n);
	for (size_t i = 0; i < n; i++) {
		if (status[i].state == TD_SET_IMPOSSIBLE)
			continue;
		td_strbuf_addf(b, "%s%s", comma, td_sets[status[i].set]->name);
		comma = ", ";
	}
}

static void say_begin(const struct td_session *s)
{
	_cleanup_(td_strbuf_done) struct td_strbuf b = TD_STRBUF_INIT;

	if (s->args->quiet)
		return;
	td_strbuf_addf(&b, "recording to '%s'", s->path);
	if (s->args->flight_ns)
		td_strbuf_adds(&b, ", kept in memory until the end");
	td_strbuf_adds(&b, ": ");
	add_names(&b, s);
	td_log_info("%s", td_strbuf_str(&b));
	if (!s->args->command && !s->args->duration_ns && !s->args->max_duration_ns)
		td_log_info("Ctrl-C ends it");
}

static int start_samplers(struct td_session *s, struct td_err *err)
{
	uint64_t interval_ns = (uint64_t)(TD_SEC_NS / s->args->rate_hz);
	const struct td_cpu_options cpu = { .interval_ns = interval_ns };
	const struct td_gpu_options gpu = { .interval_ns = interval_ns,
					    .any_user = s->args->all_users,
					    .uid = s->invoker.uid,
					    .idle = &s->gpu_idle };
	int r = 0;

	s->gpu_idle = s->args->trigger.gpu_idle;
	if (s->args->cpu)
		r = td_cpu_sampler_new(&cpu, &s->emit, &s->cpu, err);
	if (r == 0 && s->args->gpu)
		r = td_gpu_sampler_new(&gpu, &s->emit, &s->gpu, err);
	return r;
}

/* Privileges are not needed any more from the moment that the window is open. */
int td_session_begin(struct td_session *s, struct td_err *err)
{
	bool other_user = s->args->user && s->runner.uid != s->invoker.uid;
	int r = td_probes_start(s->probes, td_session_sink, s, err);

	if (r < 0)
		return r;
	/* a job that keeps all CPUs busy does not make the recorder lose what it was asked for; without the right to
	 * that it goes on as everybody else */
	(void)setpriority(PRIO_PROCESS, 0, RECORDER_NICE);
	r = td_privileges_drop(&s->invoker, other_user);
	if (r < 0)
		return td_err_errno(err, r, "cannot give up privileges");
	s->recording = true;
	s->begin_ns = td_boot_ns();
	s->begin_cpu_ns = td_own_cpu_ns();
	return start_samplers(s, err);
}

static int begin(struct td_session *s, struct td_err *err)
{
	int r;

	s->emit = (struct td_emit){ .sink = td_session_sink, .arg = s };
	td_live_init(&s->live, s->args->progress || (!s->args->command && !s->args->quiet));
	r = first_records(s);
	if (r == 0)
		r = follow_all(s, err);
	s->begin_ns = td_boot_ns() + (uint64_t)s->args->delay_ns;
	if (r == 0 && !s->args->delay_ns)
		r = td_session_begin(s, err);
	if (r < 0)
		return r;
	say_begin(s);
	r = s->child.pid ? td_child_go(&s->child, err) : 0;
	if (r == 0)
		return 0;
	(void)td_child_ended(&s->child, true, &s->child_status);
	return -ECHILD;
}

static int check_output(const struct td_session *s, struct td_err *err)
{
	if (s->args->force || s->args->no_import || access(s->args->output, F_OK) != 0)
		return 0;
	return td_err_set(err, -EEXIST, "'%s' exists: --force replaces it, -o names another",
			  s->args->output);
}

static int open_recording(struct td_session *s, struct td_err *err)
{
	int r = share_spool(s, err);

	if (r == 0)
		r = td_session_bt_start(s, err);
	if (r == 0)
		r = open_probes(s, err);
	if (r == 0)
		r = td_session_bt_wait(s, err);
	if (r == 0)
		r = begin(s, err);
	if (r < 0)
		(void)unlink(s->path);
	return r;
}

int td_session_open(struct td_session *s, const struct td_record_args *args, char **argv,
		    struct td_err *err)
{
	int r;

	*s = (struct td_session){
		.args = args, .argv = argv, .signal_fd = -1, .child = TD_CHILD_INIT
	};
	r = check_output(s, err);
	if (r == 0)
		r = check_permission(s, err);
	if (r == 0)
		r = find_users(s, err);
	if (r == 0)
		r = watch_signals(s, err);
	if (r == 0)
		r = start_child(s, err);
	if (r == 0)
		r = create_spool(s, err);
	if (r == 0)
		r = open_recording(s, err);
	if (r < 0)
		td_session_bt_discard(s);
	return r;
}
