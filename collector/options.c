/* SPDX-License-Identifier: MIT */
#include "collector/options.h"
#include "collector/output_name.h"
#include "collector/sets/provider.h"
#include "collector/sets/syscalls.h"
#include "collector/spool/spool.h"
#include "collector/trigger.h"
#include "common/caldate.h"
#include "common/line_pattern.h"
#include "common/scan.h"
#include "common/units.h"

#define COMM_MAX 15 /* what the kernel keeps of a name */
#define CALLS_WIDTH 100 /* columns of the list of calls */
#define RATE_MAX 100 /* Hz; the kernel counts CPU time in ticks of 10 ms */
#define BUFFER_MIN (INT64_C(1024) * 1024)

/* --- values --- */

static int set_duration(void *target, char *value, struct td_err *err)
{
	if (td_parse_duration(value, TD_SEC_NS, target) < 0 || *(int64_t *)target <= 0)
		return td_err_set(err, -EINVAL,
				  "'%s': expected a time like 30s, 1.5m or 500ms (without a unit: "
				  "seconds)",
				  value);
	return 0;
}

static int set_size(void *target, char *value, struct td_err *err)
{
	if (td_parse_size(value, target) < 0 || *(int64_t *)target <= 0)
		return td_err_set(err, -EINVAL, "'%s': expected a size like 500mb or 2GiB", value);
	return 0;
}

static int set_number(void *target, char *value, struct td_err *err)
{
	struct td_scan s = td_scan_of(value, strlen(value));

	if (!td_scan_i64(&s, target) || !td_scan_done(&s) || *(int64_t *)target <= 0)
		return td_err_set(err, -EINVAL, "'%s': expected a number above 0", value);
	return 0;
}

static int set_sets(void *target, char *value, struct td_err *err)
{
	return td_sets_parse(value, target, err);
}

static int set_pid(void *target, char *value, struct td_err *err)
{
	int64_t pid;

	if (set_number(&pid, value, err) < 0 || pid > INT32_MAX)
		return td_err_set(err, -EINVAL, "'%s': expected a process id", value);
	return td_set_list(target, value, err);
}

static int set_comm(void *target, char *value, struct td_err *err)
{
	if (!*value || strlen(value) > COMM_MAX)
		return td_err_set(err, -EINVAL,
				  "'%s': expected the name of a process, of at most %d bytes: the "
				  "kernel keeps no more ('ps -o comm' shows it)",
				  value, COMM_MAX);
	return td_set_string(target, value, err);
}

static int set_fd(void *target, char *value, struct td_err *err)
{
	int64_t fd;

	if (set_number(&fd, value, err) < 0 || fd > INT32_MAX)
		return td_err_set(err, -EINVAL, "'%s': expected a file descriptor", value);
	*(int *)target = (int)fd;
	return 0;
}

static int set_graphs(void *target, char *value, struct td_err *err)
{
	if (strcmp(value, "graph") != 0 && strcmp(value, "node") != 0)
		return td_err_set(err, -EINVAL, "'%s': expected 'graph' or 'node'", value);
	return td_set_string(target, value, err);
}

static int set_trigger(void *target, char *value, struct td_err *err)
{
	struct td_record_trigger *t = target;

	if (td_gpu_idle_is(value))
		return td_gpu_idle_parse(value, &t->gpu_idle, err);
	return td_trigger_parse(value, &t->signal, err);
}

static int set_pattern(void *target, char *value, struct td_err *err)
{
	regex_t re;
	int r = td_line_pattern_compile(&re, value, err);

	if (r < 0)
		return r;
	regfree(&re);
	return td_set_list(target, value, err);
}

static int set_copy(void *target, char *value, struct td_err *err)
{
	char *copy = strdup(value);

	if (!copy)
		return -ENOMEM;
	free(*(char **)target);
	*(char **)target = copy;
	return 0;
}

/* --- the table --- */

#define OPTIONS 39

static void fill_table(struct td_record_args *a, struct td_option table[OPTIONS])
{
	const struct td_option options[OPTIONS] = {
		{ "output", 'o', "FILE",
		  "the database to make (default: run.db); %h host, %r rank, %p process",
		  td_set_string, &a->output },
		{ "events", 'e', "SETS",
		  "what to record: event sets, separated by commas; no-SET takes one away",
		  set_sets, &a->sets },
		{ "pid", 'p', "PID", "record this process and what it starts; may be given again",
		  set_pid, &a->pids },
		{ "comm", 0, "NAME", "record processes of this name and what they start", set_comm,
		  &a->comm },
		{ "cgroup", 0, "PATH", "record the processes of this control group", td_set_string,
		  &a->cgroup },
		{ "all", 'a', NULL, "record all processes of the user", td_set_flag, &a->all },
		{ "all-users", 0, NULL, "with -a, --comm, --cgroup: processes of other users, too",
		  td_set_flag, &a->all_users },
		{ "duration", 0, "TIME", "end the recording after this time; a command goes on",
		  set_duration, &a->duration_ns },
		{ "delay", 0, "TIME", "begin to record so long after the command's start",
		  set_duration, &a->delay_ns },
		{ "max-size", 0, "SIZE", "end the recording when it has this size on disk",
		  set_size, &a->max_size_bytes },
		{ "max-duration", 0, "TIME", "as --duration; the shorter one counts", set_duration,
		  &a->max_duration_ns },
		{ "flight-recorder", 0, "TIME",
		  "keep only the last part of this length, in memory, until the end or a signal",
		  set_duration, &a->flight_ns },
		{ "trigger", 0, "WHEN",
		  "of --flight-recorder: write a part at this signal, which is not the command's "
		  "then, or when 'gpu idle > TIME'",
		  set_trigger, &a->trigger },
		{ "follow-daemons", 0, NULL,
		  "record what the command has started until that has ended, too", td_set_flag,
		  &a->follow_daemons },
		{ "user", 0, "NAME", "run the command as this user (default: who called sudo)",
		  td_set_string, &a->user },
		{ "cpu", 0, NULL, "sample the utilisation of the CPUs", td_set_flag, &a->cpu },
		{ "gpu", 0, NULL, "sample GPUs and processes on them, through NVML", td_set_flag,
		  &a->gpu },
		{ "cuda", 0, NULL,
		  "record kernels, copies, CUDA calls and NVTX ranges of the command", td_set_flag,
		  &a->cuda },
		{ "cupti", 0, "FILE", "of --cuda: the libcupti.so to use", td_set_string,
		  &a->cupti },
		{ "cuda-graphs", 0, "graph|node",
		  "of --cuda: a launch of a CUDA graph as one piece of work (cheaper), or its "
		  "kernels (default)",
		  set_graphs, &a->cuda_graphs },
		{ "bt", 0, "FILE.bt", "run this bpftrace program beside; may be given again",
		  td_set_list, &a->bt },
		{ "log", 0, "FILE",
		  "a log of the command, imported at the end for its phases; may be given again",
		  td_set_list, &a->logs },
		{ "phases-from-output", 0, NULL,
		  "look at what the command prints for MLPerf's lines and --phase-pattern",
		  td_set_flag, &a->phases_from_output },
		{ "phase-pattern", 0, "REGEX",
		  "lines that begin a phase, like 'Epoch [0-9]+', of the --log, or of what the "
		  "command prints; may be given again",
		  set_pattern, &a->phase_patterns },
		{ "rate", 0, "HZ", "samples a second (default: 10)", set_number, &a->rate_hz },
		{ "lock-threshold", 0, "TIME",
		  "of set pthread: calls that waited for less are only counted", set_duration,
		  &a->lock_threshold_ns },
		{ "cuda-threshold", 0, "TIME",
		  "of set cuda: record launches that took so long, not only count all",
		  set_duration, &a->cuda_threshold_ns },
		{ "buffer", 0, "SIZE",
		  "of the buffers between kernel and recorder, all together (default: 64 MiB, or "
		  "16 MiB a CPU where there is much memory)",
		  set_size, &a->buffer_bytes },
		{ "cost", 0, NULL,
		  "measure the BPF programs all the time, not only in the beginning", td_set_flag,
		  &a->cost },
		{ "no-import", 0, NULL, "leave FILE.spool as it is, for 'tracedb import'",
		  td_set_flag, &a->no_import },
		{ "force", 0, NULL, "replace the database if it exists", td_set_flag, &a->force },
		{ "progress", 0, NULL,
		  "show what is recorded just now on the terminal that the command writes to, too",
		  td_set_flag, &a->progress },
		{ "quiet", 'q', NULL, "say nothing but warnings", td_set_flag, &a->quiet },
		{ "help", 'h', NULL, "print this", td_set_flag, &a->help },
		{ "done-fd", 0, "N", NULL, set_fd, &a->done_fd },
		{ "expanded", 0, "FILE", NULL, set_copy, &a->expanded },
		{ "stdout-fd", 0, "N", NULL, set_fd, &a->stdout_fd },
		{ "stderr-fd", 0, "N", NULL, set_fd, &a->stderr_fd },
		{ 0 },
	};

	memcpy(table, options, sizeof(options));
}

/* --- the whole --- */

static int check(const struct td_record_args *a, struct td_err *err)
{
	bool others = a->pids.n || a->comm || a->cgroup || a->all;

	if (!a->command && !others)
		return td_err_set(err, -EINVAL,
				  "what is to be recorded? Name a command, or say -p PID, --comm, "
				  "--cgroup or -a");
	if (a->user && !a->command)
		return td_err_set(err, -EINVAL, "--user is for a command, and there is none");
	if ((a->trigger.signal || a->trigger.gpu_idle.longer_than_ns) && !a->flight_ns)
		return td_err_set(err, -EINVAL, "--trigger is for --flight-recorder");
	if (a->follow_daemons && !a->command)
		return td_err_set(err, -EINVAL,
				  "--follow-daemons is for a command, and there is none");
	if (a->phases_from_output && !a->command)
		return td_err_set(err, -EINVAL,
				  "--phases-from-output is for a command, and there is none");
	if (a->phase_patterns.n && !a->command && !a->logs.n)
		return td_err_set(err, -EINVAL,
				  "--phase-pattern is for a command or a --log, and there is none");
	if (a->cuda && !a->command)
		return td_err_set(err, -EINVAL, "--cuda is for a command, and there is none");
	if (a->cuda && a->user)
		return td_err_set(err, -EINVAL, "--cuda is not for the command of --user");
	if (a->cupti && !a->cuda)
		return td_err_set(err, -EINVAL, "--cupti is for --cuda");
	if (a->cuda_graphs && !a->cuda)
		return td_err_set(err, -EINVAL, "--cuda-graphs is for --cuda");
	if (a->all_users && !a->all && !a->comm && !a->cgroup)
		return td_err_set(err, -EINVAL,
				  "--all-users is for -a, --comm and --cgroup; -p needs it not");
	if (a->max_size_bytes && a->max_size_bytes < (int64_t)TD_SPOOL_SIZE_MIN)
		return td_err_set(err, -EINVAL, "--max-size: less than 1 MiB holds nothing");
	if (a->buffer_bytes && a->buffer_bytes < BUFFER_MIN)
		return td_err_set(err, -EINVAL, "--buffer: at least 1 MiB is needed");
	if (a->rate_hz > RATE_MAX)
		return td_err_set(err, -EINVAL, "--rate: at most %d samples a second", RATE_MAX);
	return 0;
}

int td_record_args_parse(int argc, char **argv, struct td_record_args *ret, struct td_err *err)
{
	struct td_option table[OPTIONS];
	int first = 0, r;

	*ret = (struct td_record_args){
		.output = "run.db",
		.done_fd = -1,
		.stdout_fd = 1,
		.stderr_fd = 2,
		.sets = td_sets_default(),
		.rate_hz = 10,
	};
	fill_table(ret, table);
	r = td_options_parse_in_front(table, argc, argv, &first, err);
	if (r < 0 || ret->help)
		return r;
	if (first < argc)
		ret->command = argv + first;
	if (ret->trigger.gpu_idle.longer_than_ns)
		ret->gpu = true;
	if (ret->phase_patterns.n && !ret->logs.n && ret->command)
		ret->phases_from_output = true;
	r = check(ret, err);
	if (r == 0 && !ret->expanded)
		r = td_output_name(ret->output, &ret->expanded, err);
	if (r == 0)
		ret->output = ret->expanded;
	return r;
}

void td_record_args_done(struct td_record_args *a)
{
	free(a->pids.items);
	free(a->bt.items);
	free(a->logs.items);
	free(a->phase_patterns.items);
	free(a->expanded);
	td_gpu_idle_done(&a->trigger.gpu_idle);
}

/* "run.db.open.out" for "scripts/open.bt"; programs of one name are told apart by their numbers. */
char *td_record_bt_output(const struct td_record_args *a, size_t i)
{
	const char *path = a->bt.items[i], *slash = strrchr(path, '/');
	const char *name = slash ? slash + 1 : path;
	size_t len = strlen(name), same = 0;
	char number[32] = "", *ret;

	for (size_t k = 0; k < i; k++) {
		const char *other = strrchr(a->bt.items[k], '/');

		same += strcmp(other ? other + 1 : a->bt.items[k], name) == 0;
	}
	if (same)
		(void)snprintf(number, sizeof(number), "-%zu", same + 1);
	if (len > 3 && strcmp(name + len - 3, ".bt") == 0)
		len -= 3;
	return asprintf(&ret, "%s.%.*s%s.out", a->output, (int)len, name, number) < 0 ? NULL : ret;
}

int td_record_pid(const struct td_record_args *a, size_t i)
{
	struct td_scan s = td_scan_of(a->pids.items[i], strlen(a->pids.items[i]));
	int64_t pid = 0;

	(void)td_scan_i64(&s, &pid);
	return (int)pid;
}

/* The names of a set's system calls, from the table of those that are recorded. */
static void print_calls(unsigned set, FILE *out)
{
	int column = 0;

	for (size_t i = 0; i < td_nsyscalls; i++) {
		int len = (int)strlen(td_syscalls[i].name);

		if (td_syscalls[i].set != set && td_syscalls[i].file_set != set)
			continue;
		if (column == 0)
			column = fprintf(out, "  %-12s", td_sets[set]->name);
		else if (column + len > CALLS_WIDTH - 3) /* a comma before it, another one behind */
			column = fprintf(out, ",\n%-14s", "") - 2;
		else
			column += fprintf(out, ", ");
		column += fprintf(out, "%s", td_syscalls[i].name);
	}
	if (column)
		fputc('\n', out);
}

void td_record_args_print(FILE *out)
{
	struct td_record_args a;
	struct td_option table[OPTIONS];

	fill_table(&a, table);
	td_options_print(table, out);
	fprintf(out, "\nEvent sets (* unless -e says otherwise):\n");
	for (size_t i = 0; i < TD_NSETS; i++)
		fprintf(out, "  %c %-10s %s\n", td_sets[i]->on_by_default ? '*' : ' ',
			td_sets[i]->name, td_sets[i]->help);
	fprintf(out, "\nSystem calls that are recorded, by set; no others are:\n");
	for (unsigned i = 0; i < TD_NSETS; i++)
		print_calls(i, out);
}
