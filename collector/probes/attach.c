/* SPDX-License-Identifier: MIT */
/* Loading and attaching the BPF programs of collector/bpf, with what can be had here. */
#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <stdarg.h>

#include "collector/probes/probes_private.h"
#include "collector/probes/syscalls.h"
#include "collector/bpf/td_bpf.skel.h"

#define RING_BYTES_DEFAULT ((size_t)64 << 20)
#define RING_BYTES_MIN ((size_t)1 << 20)
#define WAYS_MAX 3
#define PROGRAMS_MAX 8

#define ALL_SETS ((1u << TD_NSETS) - 1)
#define SETS_OF_CALLS                                                                              \
	(1u << TD_SET_FILE_IO | 1u << TD_SET_MEMORY | 1u << TD_SET_THREAD | 1u << TD_SET_SYNC |    \
	 1u << TD_SET_WAIT | 1u << TD_SET_SOCKET_IO | 1u << TD_SET_IO_URING)

/* What is attached together, and how, best first. */
static const struct hook {
	const char *name;
	uint32_t sets; /* needed for these */
	struct {
		enum td_way way;
		const char *programs[PROGRAMS_MAX];
		bool as_good; /* as the first: for another version of the kernel */
	} ways[WAYS_MAX];
} hooks[] = {
	{ "system calls",
	  SETS_OF_CALLS,
	  { { TD_WAY_TP_BTF, { "enter_btf", "exit_btf" } },
	    { TD_WAY_TRACEPOINT, { "enter_tracepoint", "exit_tracepoint" } } } },
	{ "scheduler",
	  1u << TD_SET_SCHED,
	  { { TD_WAY_TP_BTF,
	      { "switch_btf", "waking_btf", "wakeup_btf", "wakeup_new_btf",
		"unfinished_slices" } } } },
	{ "disks",
	  1u << TD_SET_BLOCK,
	  { { TD_WAY_TP_BTF, { "insert_btf", "issue_btf", "complete_btf" } } } },
	{ "file functions",
	  1u << TD_SET_VFS,
	  { { TD_WAY_FENTRY,
	      { "read_fentry", "write_fentry", "open_fentry", "unlink_fentry", "read_fexit",
		"write_fexit", "open_fexit", "unlink_fexit" } },
	    { TD_WAY_KPROBE,
	      { "read_kprobe", "write_kprobe", "open_kprobe", "unlink_kprobe", "read_kretprobe",
		"write_kretprobe", "open_kretprobe", "unlink_kretprobe" } } } },
	{ "io_uring requests",
	  1u << TD_SET_IO_URING,
	  { { TD_WAY_TP_BTF, { "submit_req_btf", "complete_cqe_btf" } },
	    { TD_WAY_TP_BTF, { "submit_req_btf", "complete_res_btf" }, true },
	    { TD_WAY_TP_BTF, { "submit_sqe_btf", "complete_res_btf" }, true } } },
	{ "page cache", 1u << TD_SET_PAGECACHE, { { TD_WAY_TP_BTF, { "cache_btf" } } } },
	/* what all need comes last: how a set is hooked is said of its own */
	{ "processes",
	  ALL_SETS,
	  { { TD_WAY_TP_BTF, { "fork_btf", "exec_btf", "exit_btf_process", "rename_btf" } },
	    { TD_WAY_TRACEPOINT,
	      { "fork_tracepoint", "exec_tracepoint", "exit_tracepoint_process" } } } },
	{ "iterators",
	  ALL_SETS,
	  { { TD_WAY_ITER, { "found_tasks", "found_files", "unfinished_calls" } } } },
	{ "C library: locks",
	  1u << TD_SET_PTHREAD,
	  { { TD_WAY_UPROBE, { "wait_begins", "wait_ends", "unfinished_waits" } } } },
	{ "C library: memory", 1u << TD_SET_MALLOC, { { TD_WAY_UPROBE, { "memory_asked" } } } },
	{ "page faults",
	  1u << TD_SET_FAULTS,
	  { { TD_WAY_TP_BTF, { "fault_btf", "unfinished_faults" } },
	    { TD_WAY_TRACEPOINT, { "fault_tracepoint", "unfinished_faults" } } } },
};
#define NHOOKS TD_ARRAY_SIZE(hooks)

/* What was found out about the hooks in earlier attempts: a program that does not load makes the whole object
 * fail, which is then opened again without it. */
struct plan {
	unsigned way[NHOOKS]; /* index into ways; WAYS_MAX: none is left */
	char why[NHOOKS][120]; /* of the last one that failed; "": none did */
};

/* What libbpf said last, since it says what fails in words only. Loading is not done by several threads. */
static struct {
	char program[64]; /* that could not be loaded */
	char words[120];
} complaint;

static void note_complaint(const char *text)
{
	static const char prog[] = "libbpf: prog '";
	const char *p = text, *end;

	if (strncmp(p, prog, sizeof(prog) - 1) == 0) {
		p += sizeof(prog) - 1;
		end = strchr(p, '\'');
		if (end)
			(void)snprintf(complaint.program, sizeof(complaint.program), "%.*s",
				       (int)(end - p), p);
	}
	end = strchrnul(text, '\n');
	if (!complaint.words[0])
		(void)snprintf(complaint.words, sizeof(complaint.words), "%.*s", (int)(end - text),
			       text);
}

static int listen_to_libbpf(enum libbpf_print_level level, const char *fmt, va_list ap)
	__attribute__((format(printf, 2, 0)));
static int listen_to_libbpf(enum libbpf_print_level level, const char *fmt, va_list ap)
{
	char text[512];
	int n = vsnprintf(text, sizeof(text), fmt, ap);

	if (level == LIBBPF_WARN)
		note_complaint(text);
	return n;
}

/* --- before load --- */

static void fill_specs(struct td_probes *p)
{
	for (size_t i = 0; i < td_nsyscalls; i++) {
		const struct td_syscall *c = &td_syscalls[i];
		struct td_call_spec spec = c->spec;
		bool with_file = p->options.sets & 1u << spec.file_set;
		bool without = p->options.sets & 1u << spec.set;

		if (c->nr >= TD_NSYSCALLS || (!with_file && !without))
			continue;
		spec.op = td_syscall_op(c);
		if (!with_file)
			spec.file_set = TD_SPEC_NO_SET;
		if (!without)
			spec.set = TD_SPEC_NO_SET;
		memcpy((void *)&p->bpf->rodata->specs[c->nr], &spec, sizeof(spec));
	}
}

static void fill_filter(struct td_probes *p)
{
	const struct td_watch *w = &p->options.watch;
	struct td_filter filter = {
		.cgroup = w->cgroup,
		.uid = w->uid,
		.own_tgid = (uint32_t)getpid(),
		.everyone = w->everyone,
		.any_user = w->any_user,
		.own_only = w->own_only,
		.by_comm = w->comm != NULL,
	};

	if (w->comm)
		(void)snprintf(filter.comm, sizeof(filter.comm), "%s", w->comm);
	memcpy((void *)&p->bpf->rodata->filter, &filter, sizeof(filter));
}

static bool wanted(const struct td_probes *p, const struct hook *h)
{
	return p->options.sets & h->sets;
}

static bool is_program(const struct bpf_program *prog, const char *name)
{
	return strcmp(bpf_program__name(prog), name) == 0;
}

/* Calls say whether pages were counted. */
static void fill_call_flags(struct td_probes *p)
{
	struct bpf_program *prog;

	bpf_object__for_each_program(prog, p->bpf->obj)
		if (is_program(prog, "cache_btf") && bpf_program__autoload(prog))
			p->bpf->rodata->call_flags = TD_WIRE_CALL_HAS_COLD;
	p->bpf->rodata->lock_threshold_ns = p->options.lock_threshold_ns;
	p->bpf->rodata->count_libc = p->options.sets & (1u << TD_SET_PTHREAD | 1u << TD_SET_MALLOC);
	p->bpf->rodata->count_faults = p->options.sets & 1u << TD_SET_FAULTS;
}

/* Loads only the programs of the planned ways. */
static void choose_programs(struct td_probes *p, const struct plan *plan)
{
	struct bpf_program *prog;

	bpf_object__for_each_program(prog, p->bpf->obj)
		bpf_program__set_autoload(prog, false);
	for (size_t i = 0; i < NHOOKS; i++) {
		if (!wanted(p, &hooks[i]) || plan->way[i] == WAYS_MAX)
			continue;
		for (unsigned k = 0; k < PROGRAMS_MAX; k++) {
			const char *name = hooks[i].ways[plan->way[i]].programs[k];

			if (name)
				bpf_program__set_autoload(
					bpf_object__find_program_by_name(p->bpf->obj, name), true);
		}
	}
}

/* --- rings --- */

static int open_rings(struct td_probes *p)
{
	int r;

	for (uint32_t i = 0; i < p->nrings; i++) {
		_cleanup_close_ int fd = bpf_map_create(BPF_MAP_TYPE_RINGBUF, "td_calls", 0, 0,
							(uint32_t)p->ring_bytes, NULL);

		if (fd < 0)
			return fd;
		r = td_ring_open(&p->rings[i], fd, p->ring_bytes);
		if (r == 0)
			r = bpf_map_update_elem(bpf_map__fd(p->bpf->maps.rings), &i, &fd, BPF_ANY);
		if (r < 0)
			return r;
	}
	return td_ring_open(&p->critical, bpf_map__fd(p->bpf->maps.critical),
			    bpf_map__max_entries(p->bpf->maps.critical));
}

static void close_rings(struct td_probes *p)
{
	for (unsigned i = 0; i < p->nrings; i++)
		td_ring_close(&p->rings[i]);
	td_ring_close(&p->critical);
}

/* One ring per CPU, for some tens of them: one that many share is slow. */
static void size_rings(struct td_probes *p)
{
	size_t all = p->options.ring_bytes ? p->options.ring_bytes : RING_BYTES_DEFAULT;
	long cpus = sysconf(_SC_NPROCESSORS_CONF);

	p->nrings = 1;
	while ((long)p->nrings * 2 <= cpus && p->nrings * 2 <= TD_MAX_RINGS / 2)
		p->nrings *= 2;
	p->ring_bytes = RING_BYTES_MIN;
	while (p->ring_bytes * 2 * p->nrings <= all)
		p->ring_bytes *= 2;
}

/* --- load and attach --- */

/* The hook that a program belongs to, as planned, or NHOOKS. */
static size_t hook_of(const struct plan *plan, const char *program)
{
	for (size_t i = 0; i < NHOOKS; i++)
		for (unsigned k = 0; k < PROGRAMS_MAX && plan->way[i] < WAYS_MAX; k++)
			if (hooks[i].ways[plan->way[i]].programs[k] &&
			    strcmp(hooks[i].ways[plan->way[i]].programs[k], program) == 0)
				return i;
	return NHOOKS;
}

/* The next way of a hook that may be tried. */
static void next_way(const struct td_probes *p, struct plan *plan, size_t hook)
{
	const struct hook *h = &hooks[hook];

	do
		plan->way[hook]++;
	while (plan->way[hook] < WAYS_MAX && h->ways[plan->way[hook]].programs[0] &&
	       p->options.without & 1u << h->ways[plan->way[hook]].way);
	if (plan->way[hook] < WAYS_MAX && !h->ways[plan->way[hook]].programs[0])
		plan->way[hook] = WAYS_MAX;
}

static void exclude_ways(const struct td_probes *p, struct plan *plan)
{
	for (size_t i = 0; i < NHOOKS; i++)
		if (p->options.without & 1u << hooks[i].ways[0].way) {
			(void)snprintf(plan->why[i], sizeof(plan->why[i]), "%s",
				       "the best way is not to be used");
			next_way(p, plan, i);
		}
}

/* That the way as planned does not go: "fentry: Operation not permitted; kprobe: ...". */
static void add_reason(struct plan *plan, size_t hook, int error)
{
	static const char *const names[TD_NWAYS] = {
		[TD_WAY_TP_BTF] = "typed tracepoint", [TD_WAY_FENTRY] = "fentry",
		[TD_WAY_KPROBE] = "kprobe",           [TD_WAY_TRACEPOINT] = "tracepoint",
		[TD_WAY_UPROBE] = "uprobe",           [TD_WAY_ITER] = "iterator",
	};
	char *why = plan->why[hook];
	size_t len = strlen(why);
	/* what the verifier says about a program is of use to its author only */
	const char *words = error == EINVAL || error == EACCES ? "not accepted by this kernel"
							       : strerror(error);

	(void)snprintf(why + len, sizeof(plan->why[hook]) - len, "%s%s: %s", len ? "; " : "",
		       names[hooks[hook].ways[plan->way[hook]].way], words);
}

/* 0, 1: try again with the changed plan, or -errno. */
static int failed(const struct td_probes *p, struct plan *plan, const char *program, int r,
		  struct td_err *err)
{
	size_t hook = hook_of(plan, program);

	if (r == -EPERM && geteuid() != 0)
		return td_err_set(
			err, r,
			"recording needs root, or CAP_BPF and CAP_PERFMON ('tracedb check' "
			"says how)");
	if (hook == NHOOKS)
		return td_err_errno(err, r, "cannot load the BPF programs: %s",
				    complaint.words[0] ? complaint.words : "no reason given");
	add_reason(plan, hook, -r);
	next_way(p, plan, hook);
	return 1;
}

static int attach_program(struct td_probes *p, struct bpf_program *prog)
{
	struct bpf_link *link = NULL;
	int r = 0;

	if (td_uprobes_takes(prog))
		r = td_uprobes_add(&p->uprobes, prog);
	else
		r = (link = bpf_program__attach(prog)) ? 0 : -errno;
	if (r < 0)
		return r;
	p->programs[p->nprograms++] = (struct td_program){ prog, link };
	return 0;
}

static int attach(struct td_probes *p, struct plan *plan, struct td_err *err)
{
	struct bpf_program *prog;

	/* uprobes last: when another way has to be tried they go again, for which the kernel takes its time */
	for (int uprobes = 0; uprobes < 2; uprobes++) {
		bpf_object__for_each_program(prog, p->bpf->obj) {
			int r;

			if (!bpf_program__autoload(prog) || td_uprobes_takes(prog) != uprobes)
				continue;
			complaint.words[0] = 0;
			r = attach_program(p, prog);
			if (r < 0)
				return failed(p, plan, bpf_program__name(prog), r, err);
		}
	}
	return 0;
}

void td_probes_unload(struct td_probes *p)
{
	while (p->nprograms)
		bpf_link__destroy(p->programs[--p->nprograms].link);
	td_uprobes_done(&p->uprobes);
	close_rings(p);
	td_bpf__destroy(p->bpf);
	p->bpf = NULL;
}

/* One attempt: 0, 1: again with a changed plan, or -errno. */
static int load(struct td_probes *p, struct plan *plan, struct td_err *err)
{
	int r;

	p->bpf = td_bpf__open();
	if (!p->bpf)
		return td_err_errno(err, -errno, "cannot open the BPF object");
	fill_specs(p);
	fill_filter(p);
	p->bpf->rodata->ring_mask = p->nrings - 1;
	choose_programs(p, plan);
	fill_call_flags(p);
	complaint.program[0] = complaint.words[0] = 0;
	r = td_bpf__load(p->bpf);
	if (r < 0)
		return failed(p, plan, complaint.program, r, err);
	return attach(p, plan, err);
}

/* Those that have hooks of their own. */
static uint32_t sets_with_programs(void)
{
	uint32_t sets = 0;

	for (size_t i = 0; i < NHOOKS; i++)
		if (hooks[i].sets != ALL_SETS)
			sets |= hooks[i].sets;
	return sets;
}

/* One hook more that a set needs: the set works as well as the worst of them. */
static void add_to_status(struct td_set_status *s, const struct hook *h, unsigned way,
			  const char *why)
{
	bool best = way == 0 || (way < WAYS_MAX && h->ways[way].as_good);
	enum td_set_state state = best ? TD_SET_WORKS : TD_SET_FALLBACK;

	if (way == WAYS_MAX)
		state = TD_SET_IMPOSSIBLE;
	if (state < s->state)
		return;
	/* among hooks that do equally well the first one is the set's own */
	if (state > s->state || s->state == TD_SET_WORKS)
		(void)snprintf(s->why, sizeof(s->why), "%.20s%s%.119s",
			       state > TD_SET_WORKS ? h->name : "",
			       state > TD_SET_WORKS ? ": " : "", why);
	if (s->state == TD_SET_OFF || state > s->state)
		s->way = h->ways[way == WAYS_MAX ? 0 : way].way;
	s->state = state;
}

static void fill_status(struct td_probes *p, const struct plan *plan)
{
	for (unsigned set = 0; set < TD_NSETS; set++) {
		struct td_set_status *s = &p->status[p->nstatus];

		if (!(p->options.sets & 1u << set))
			continue;
		*s = (struct td_set_status){ .set = set };
		if (!(sets_with_programs() & 1u << set)) {
			s->state = TD_SET_IMPOSSIBLE;
			(void)snprintf(s->why, sizeof(s->why), "there are no programs for it");
		}
		for (size_t i = 0; i < NHOOKS; i++)
			if (hooks[i].sets & 1u << set)
				add_to_status(s, &hooks[i], plan->way[i], plan->why[i]);
		p->nstatus++;
	}
}

static int anything_left(const struct td_probes *p, struct td_err *err)
{
	for (size_t i = 0; i < p->nstatus; i++)
		if (p->status[i].state != TD_SET_IMPOSSIBLE)
			return 0;
	return td_err_set(err, -ENOTSUP, "nothing of what is to be recorded can be had here: %s",
			  p->nstatus ? p->status[0].why : "no event set");
}

/* What the rest of the loader needs of the skeleton. */
static void remember(struct td_probes *p)
{
	p->recording = &p->bpf->bss->recording;
	p->watched_left = &p->bpf->bss->watched_left;
	p->watch_epoch = &p->bpf->data->watch_epoch;
	p->counts_fd = bpf_map__fd(p->bpf->maps.counts);
	p->followed_fd = bpf_map__fd(p->bpf->maps.followed);
	p->faults_fd = bpf_map__fd(p->bpf->maps.faults);
	p->libc_fd = bpf_map__fd(p->bpf->maps.libc_totals);
}

int td_probes_load(struct td_probes *p, struct td_err *err)
{
	struct plan plan = { 0 };
	int r;

	size_rings(p);
	libbpf_set_print(listen_to_libbpf);
	exclude_ways(p, &plan);
	while ((r = load(p, &plan, err)) > 0)
		td_probes_unload(p);
	if (r < 0)
		return r;
	r = open_rings(p);
	if (r < 0)
		return td_err_errno(err, r, "cannot make the rings");
	remember(p);
	fill_status(p, &plan);
	return anything_left(p, err);
}
