/* SPDX-License-Identifier: MIT */
/* What was made and lost, and what it cost. */
#include <bpf/bpf.h>
#include <bpf/libbpf.h>

#include "common/cleanup.h"
#include "collector/probes/probes_private.h"
#include "collector/bpf/td_bpf.skel.h"
#include "collector/spool/clocks.h"

/* Those of no set. */
static const char *const count_names[TD_NCOUNTS] = {
	[TD_COUNT_PROCESS] = "process",
	[TD_COUNT_FILE] = "file",
};

static void add_counts(struct td_counts *to, const struct td_counts *more)
{
	for (size_t i = 0; i < TD_NCOUNTS; i++) {
		to->generated[i] += more->generated[i];
		to->lost[i] += more->lost[i];
	}
}

/* The counts of all CPUs by the ring that they write to. */
static int read_counts(const struct td_probes *p, struct td_counts *ret)
{
	int cpus = libbpf_num_possible_cpus();
	_cleanup_free_ struct td_counts *of_cpu = NULL;
	uint32_t zero = 0;
	int r;

	if (cpus < 0)
		return cpus;
	of_cpu = calloc((size_t)cpus, sizeof(*of_cpu));
	if (!of_cpu)
		return -ENOMEM;
	r = bpf_map_lookup_elem(p->counts_fd, &zero, of_cpu);
	if (r < 0)
		return r;
	memset(ret, 0, p->nrings * sizeof(*ret));
	for (int i = 0; i < cpus; i++)
		add_counts(&ret[(unsigned)i & (p->nrings - 1)], &of_cpu[i]);
	return 0;
}

struct emit_loss {
	td_sink *sink;
	void *arg;
	struct td_wire_loss loss; /* all but name and counts */
};

static int emit_loss(const struct emit_loss *e, const char *name, uint64_t generated, uint64_t lost)
{
	union {
		struct td_wire_loss loss;
		char bytes[sizeof(struct td_wire_loss) + UINT8_MAX + 8];
	} buf = { .bytes = { 0 } };
	size_t len = strnlen(name, UINT8_MAX);

	if (!generated && !lost)
		return 0;
	buf.loss = e->loss;
	buf.loss.generated = generated;
	buf.loss.lost = lost;
	buf.loss.name_len = (uint8_t)len;
	buf.loss.head = (struct td_wire_head){
		.size = (uint16_t)((sizeof(buf.loss) + len + 7) & ~(size_t)7),
		.kind = TD_WIRE_LOSS,
	};
	memcpy(buf.bytes + offsetof(struct td_wire_loss, name), name, len);
	return e->sink(e->arg, &buf, buf.loss.head.size);
}

/* Sets of calls are lost in a ring of calls; what is of no set, in the last one. */
static int emit_ring(const struct td_probes *p, struct emit_loss *e, unsigned ring,
		     const struct td_counts *now)
{
	const struct td_counts *before = &p->counts[ring];
	int r = 0;

	for (size_t i = 0; r == 0 && i < TD_NSETS; i++)
		r = emit_loss(e, td_sets[i]->name, now->generated[i] - before->generated[i],
			      now->lost[i] - before->lost[i]);
	return r;
}

static int emit_critical(struct td_probes *p, struct emit_loss *e, const struct td_counts *now)
{
	struct td_counts before = { 0 }, after = { 0 };
	int r = 0;

	for (unsigned i = 0; i < p->nrings; i++) {
		add_counts(&before, &p->counts[i]);
		add_counts(&after, &now[i]);
	}
	for (size_t i = TD_NSETS; r == 0 && i < TD_NCOUNTS; i++)
		r = emit_loss(e, count_names[i], after.generated[i] - before.generated[i],
			      after.lost[i] - before.lost[i]);
	return r;
}

int td_probes_loss(struct td_probes *p, td_sink *sink, void *arg, struct td_err *err)
{
	struct td_counts now[TD_MAX_RINGS];
	struct emit_loss e = {
		.sink = sink,
		.arg = arg,
		.loss = { .from_ns = p->counted_ns, .to_ns = td_boot_ns() },
	};
	int r = read_counts(p, now);

	if (r < 0)
		return td_err_errno(err, r, "cannot read what was lost");
	for (unsigned i = 0; r == 0 && i < p->nrings; i++) {
		e.loss.ring = (uint8_t)i;
		e.loss.ring_size_bytes = (uint32_t)p->rings[i].size_bytes;
		e.loss.ring_peak_bytes = (uint32_t)td_ring_take_peak(&p->rings[i]);
		r = emit_ring(p, &e, i, &now[i]);
	}
	e.loss.ring = (uint8_t)p->nrings;
	e.loss.ring_size_bytes = (uint32_t)p->critical.size_bytes;
	e.loss.ring_peak_bytes = (uint32_t)td_ring_take_peak(&p->critical);
	if (r == 0)
		r = emit_critical(p, &e, now);
	memcpy(p->counts, now, p->nrings * sizeof(*now));
	p->counted_ns = e.loss.to_ns;
	return r;
}

void td_probes_stop_cost(struct td_probes *p)
{
	if (p->stats_fd < 0)
		return;
	td_closep(&p->stats_fd);
	p->stats_fd = -1;
	p->stats_to_ns = td_boot_ns();
}

/* measured_ns: how long was looked. */
static int emit_cost(const char *name, const struct bpf_prog_info *info, uint64_t measured_ns,
		     td_sink *sink, void *arg)
{
	union {
		struct td_wire_cost cost;
		char bytes[sizeof(struct td_wire_cost) + UINT8_MAX + 8];
	} buf = { .bytes = { 0 } };
	size_t len = strnlen(name, UINT8_MAX);

	buf.cost = (struct td_wire_cost){
		.head = { .size = (uint16_t)((sizeof(buf.cost) + len + 7) & ~(size_t)7),
			  .kind = TD_WIRE_COST },
		.runs = info->run_cnt,
		.cpu_ns = info->run_time_ns,
		.name_len = (uint32_t)len,
		.measured_ms = (uint32_t)(measured_ns / 1000000),
	};
	memcpy(buf.bytes + offsetof(struct td_wire_cost, name), name, len);
	return sink(arg, &buf, buf.cost.head.size);
}

/* Events that a program was not run for, because it was running already where it was interrupted,
 * or that none knows. */
static int emit_misses(const struct td_probes *p, const char *name, uint64_t misses, td_sink *sink,
		       void *arg)
{
	const struct emit_loss e = {
		.sink = sink,
		.arg = arg,
		.loss = { .from_ns = p->started_ns, .to_ns = td_boot_ns(), .ring = UINT8_MAX },
	};

	return emit_loss(&e, name, misses, misses);
}

static int put_entries(const struct bpf_map *map, const struct td_set_provider *s, td_sink *sink,
		       void *arg)
{
	_cleanup_free_ void *key = malloc(bpf_map__key_size(map)),
			    *value = malloc(bpf_map__value_size(map));
	int fd = bpf_map__fd(map), r = 0;
	const void *before = NULL;

	if (!key || !value)
		return -ENOMEM;
	while (r == 0 && bpf_map_get_next_key(fd, before, key) == 0) {
		before = key;
		if (bpf_map_lookup_elem(fd, key, value) == 0)
			r = s->put_entry(key, value, td_boot_ns(), sink, arg);
	}
	return r;
}

/* What the sets that are on have left in their maps. */
static int put_maps(const struct td_probes *p, td_sink *sink, void *arg, struct td_err *err)
{
	for (size_t i = 0; i < p->nstatus; i++) {
		const struct td_set_provider *s = td_sets[p->status[i].set];
		int r = s->map ? put_entries(bpf_object__find_map_by_name(p->bpf->obj, s->map), s,
					     sink, arg)
			       : 0;

		if (r < 0)
			return td_err_errno(err, r, "cannot read what was counted of set %s",
					    s->name);
	}
	return 0;
}

static int put_costs(const struct td_probes *p, td_sink *sink, void *arg, struct td_err *err)
{
	uint64_t to_ns = p->stats_to_ns ? p->stats_to_ns : td_boot_ns();
	int r;

	for (size_t i = 0; i < p->nprograms; i++) {
		struct bpf_prog_info info = { 0 };
		uint32_t size = sizeof(info);
		const struct bpf_program *prog = p->programs[i].prog;

		r = bpf_obj_get_info_by_fd(bpf_program__fd(prog), &info, &size);
		if (r < 0)
			return td_err_errno(err, r, "cannot read what '%s' cost",
					    bpf_program__name(prog));
		r = emit_misses(p, bpf_program__name(prog), info.recursion_misses, sink, arg);
		if (r == 0 && info.run_cnt)
			r = emit_cost(bpf_program__name(prog), &info, to_ns - p->stats_from_ns,
				      sink, arg);
		if (r < 0)
			return r;
	}
	return 0;
}

uint64_t td_probes_mapped(const struct td_probes *p, uint64_t *ret_bytes)
{
	*ret_bytes = __atomic_load_n(&p->bpf->bss->mapped_bytes, __ATOMIC_RELAXED);
	return __atomic_load_n(&p->bpf->bss->mapped_files, __ATOMIC_RELAXED);
}

int td_probes_totals(struct td_probes *p, td_sink *sink, void *arg, struct td_err *err)
{
	uint64_t compat = __atomic_load_n(&p->bpf->bss->compat_calls, __ATOMIC_RELAXED);
	int r = put_maps(p, sink, arg, err);

	if (r == 0)
		r = emit_misses(p, "32-bit", compat, sink, arg);
	return r < 0 ? r : put_costs(p, sink, arg, err);
}
