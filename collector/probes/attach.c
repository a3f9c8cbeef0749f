/* SPDX-License-Identifier: MIT */
/* Loading and attaching the BPF programs of collector/bpf, with what can be had here. */
#include <bpf/bpf.h>
#include <bpf/btf.h>
#include <bpf/libbpf.h>
#include <stdarg.h>
#include <sys/epoll.h>

#include "collector/probes/probes_private.h"
#include "collector/probes/syscalls.h"
#include "collector/bpf/td_bpf.skel.h"

#define RING_BYTES_DEFAULT ((size_t)64 << 20) /* at least; all together */
#define RING_BYTES_OF_CPU ((size_t)16 << 20)
#define RING_BYTES_MIN ((size_t)1 << 20)

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
		const struct td_recorded_call *c = &td_syscalls[i];
		struct td_call_spec spec;
		bool with_file = p->options.sets & 1u << c->file_set;
		bool without = p->options.sets & 1u << c->set;

		if (c->nr >= TD_NSYSCALLS || (!with_file && !without) ||
		    td_recorded_call_spec(c, &spec) < 0)
			continue;
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
		.everyone = w->everyone,
		.any_user = w->any_user,
		.own_only = w->own_only,
		.follow_own = w->follow_own,
		.by_comm = w->comm != NULL,
	};

	if (w->comm)
		(void)snprintf(filter.comm, sizeof(filter.comm), "%s", w->comm);
	memcpy((void *)&p->bpf->rodata->filter, &filter, sizeof(filter));
}

/* One of the programs' constants, by name; all that there are can be set until they are loaded. NULL: there is none. */
static uint8_t *constant(const struct td_probes *p, const char *name)
{
	const struct btf *btf = bpf_object__btf(p->bpf->obj);
	int id = btf__find_by_name_kind(btf, ".rodata", BTF_KIND_DATASEC);
	const struct btf_type *section = btf__type_by_id(btf, (uint32_t)TD_MAX(id, 0));
	const struct btf_var_secinfo *v = btf_var_secinfos(section);

	for (int i = 0; id > 0 && i < btf_vlen(section); i++) {
		const struct btf_type *variable = btf__type_by_id(btf, v[i].type);

		if (strcmp(btf__name_by_offset(btf, variable->name_off), name) == 0)
			return (uint8_t *)p->bpf->rodata + v[i].offset;
	}
	return NULL;
}

static void fill_constants(struct td_probes *p)
{
	for (unsigned set = 0; set < TD_NSETS; set++)
		if (td_sets[set]->constant.name && td_plan_has(&p->plan, set))
			*constant(p, td_sets[set]->constant.name) = td_sets[set]->constant.value;
	p->bpf->rodata->lock_threshold_ns = p->options.lock_threshold_ns;
	p->bpf->rodata->cuda_threshold_ns = p->options.cuda_threshold_ns;
	p->uprobes.times_counted = p->options.cuda_threshold_ns != 0;
	p->bpf->rodata->ring_mask = p->nrings - 1;
	p->bpf->rodata->ring_step = (uint32_t)(p->ring_bytes / TD_RING_STEPS);
}

/* Loads only the programs of the planned ways. */
static void choose_programs(struct td_probes *p)
{
	struct bpf_program *prog;

	bpf_object__for_each_program(prog, p->bpf->obj)
		bpf_program__set_autoload(prog, td_plan_find(&p->plan, bpf_program__name(prog)));
}

/* --- rings --- */

/* Whoever waits for p->wake_fd is woken when the programs ask for it, not whenever a ring holds something: EPOLLET. */
static int watch_ring(struct td_probes *p, const struct td_ring_reader *ring)
{
	struct epoll_event event = { .events = EPOLLIN | EPOLLET };

	return epoll_ctl(p->wake_fd, EPOLL_CTL_ADD, ring->fd, &event) < 0 ? -errno : 0;
}

static int open_rings(struct td_probes *p)
{
	int r;

	p->wake_fd = epoll_create1(EPOLL_CLOEXEC);
	if (p->wake_fd < 0)
		return -errno;
	for (uint32_t i = 0; i < p->nrings; i++) {
		_cleanup_close_ int fd = bpf_map_create(BPF_MAP_TYPE_RINGBUF, "td_calls", 0, 0,
							(uint32_t)p->ring_bytes, NULL);

		if (fd < 0)
			return fd;
		r = td_ring_open(&p->rings[i], fd, p->ring_bytes);
		if (r == 0)
			r = bpf_map_update_elem(bpf_map__fd(p->bpf->maps.rings), &i, &fd, BPF_ANY);
		if (r == 0)
			r = watch_ring(p, &p->rings[i]);
		if (r < 0)
			return r;
	}
	r = td_ring_open(&p->critical, bpf_map__fd(p->bpf->maps.critical),
			 bpf_map__max_entries(p->bpf->maps.critical));
	return r < 0 ? r : watch_ring(p, &p->critical);
}

static void close_rings(struct td_probes *p)
{
	for (unsigned i = 0; i < p->nrings; i++)
		td_ring_close(&p->rings[i]);
	td_ring_close(&p->critical);
	if (p->wake_fd >= 0)
		close(p->wake_fd);
	p->wake_fd = -1;
}

/* What CPUs that make calls as fast as they can need to be left alone for a quarter of a second, if
 * that is not much of the memory. */
static size_t default_bytes(long cpus)
{
	uint64_t memory = (uint64_t)sysconf(_SC_PHYS_PAGES) * (uint64_t)sysconf(_SC_PAGESIZE);

	return TD_MAX(RING_BYTES_DEFAULT, TD_MIN((size_t)cpus * RING_BYTES_OF_CPU, memory / 256));
}

/* One ring per CPU, for some tens of them: one that many share is slow. */
static void size_rings(struct td_probes *p)
{
	long cpus = TD_MAX(sysconf(_SC_NPROCESSORS_CONF), 1);
	size_t all = p->options.ring_bytes ? p->options.ring_bytes : default_bytes(cpus);

	p->nrings = 1;
	while ((long)p->nrings * 2 <= cpus && p->nrings * 2 <= TD_MAX_RINGS / 2)
		p->nrings *= 2;
	p->ring_bytes = RING_BYTES_MIN;
	while (p->ring_bytes * 2 * p->nrings <= all)
		p->ring_bytes *= 2;
}

/* --- load and attach --- */

/* 0, 1: try again with the changed plan, or -errno. */
static int failed(struct td_probes *p, const char *program, int r, struct td_err *err)
{
	struct td_planned_hook *hook = td_plan_find(&p->plan, program);

	if (r == -EPERM && geteuid() != 0)
		return td_err_set(
			err, r,
			"recording needs root, or CAP_BPF and CAP_PERFMON ('tracedb check' "
			"says how)");
	if (!hook)
		return td_err_errno(err, r, "cannot load the BPF programs: %s",
				    complaint.words[0] ? complaint.words : "no reason given");
	td_plan_failed(&p->plan, hook, -r);
	return 1;
}

static int attach_program(struct td_probes *p, struct bpf_program *prog)
{
	struct bpf_link *link = NULL;
	int r = 0;

	if (p->nprograms == TD_ARRAY_SIZE(p->programs))
		return -E2BIG;
	if (td_uprobes_takes(prog))
		r = td_uprobes_add(&p->uprobes, prog,
				   td_plan_find(&p->plan, bpf_program__name(prog))->hook);
	else
		r = (link = bpf_program__attach(prog)) ? 0 : -errno;
	if (r < 0)
		return r;
	p->programs[p->nprograms++] = (struct td_program){ prog, link };
	return 0;
}

static int attach(struct td_probes *p, struct td_err *err)
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
				return failed(p, bpf_program__name(prog), r, err);
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
static int load(struct td_probes *p, struct td_err *err)
{
	int r;

	p->bpf = td_bpf__open();
	if (!p->bpf)
		return td_err_errno(err, -errno, "cannot open the BPF object");
	fill_specs(p);
	fill_filter(p);
	fill_constants(p);
	choose_programs(p);
	complaint.program[0] = complaint.words[0] = 0;
	r = td_bpf__load(p->bpf);
	if (r < 0)
		return failed(p, complaint.program, r, err);
	return attach(p, err);
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
	p->follow = &p->bpf->bss->follow;
	p->signalled_ns = p->bpf->bss->signalled_ns;
	p->counts_fd = bpf_map__fd(p->bpf->maps.counts);
}

int td_probes_load(struct td_probes *p, struct td_err *err)
{
	int r;

	size_rings(p);
	libbpf_set_print(listen_to_libbpf);
	td_plan_make(&p->plan, p->options.sets, p->options.without);
	while ((r = load(p, err)) > 0)
		td_probes_unload(p);
	if (r < 0)
		return r;
	r = open_rings(p);
	if (r < 0)
		return td_err_errno(err, r, "cannot make the rings");
	remember(p);
	p->nstatus = td_plan_status(&p->plan, p->status);
	return anything_left(p, err);
}
