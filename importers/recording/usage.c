/* SPDX-License-Identifier: MIT */
/* What processes and threads used: the sums of their records, as getrusage() would tell them. */
#include "common/array.h"
#include "importers/recording/recording.h"

/* --- sums --- */

static struct td_record_usage *usage_at(struct td_record_usages *u, uint32_t id)
{
	if (id >= u->n) {
		size_t n = TD_MAX(2 * u->n, (size_t)id + 64);
		struct td_record_usage *p = realloc(u->items, n * sizeof(*p));

		if (!p)
			return NULL;
		memset(p + u->n, 0, (n - u->n) * sizeof(*p));
		u->items = p;
		u->n = n;
	}
	return &u->items[id];
}

/* Only damage makes it more than the limit, which is that of times. */
static uint64_t sum_of(uint64_t a, uint64_t b)
{
	return TD_MIN(a + b, TD_RECORD_TIME_MAX);
}

static void add(struct td_record_usage *u, const struct td_wire_usage *w)
{
	u->from_ns = u->to_ns ? TD_MIN(u->from_ns, w->from_ns) : w->from_ns;
	u->to_ns = TD_MAX(u->to_ns, w->to_ns);
	u->runtime_ns = sum_of(u->runtime_ns, w->runtime_ns);
	u->user_ns = sum_of(u->user_ns, w->user_ns);
	u->system_ns = sum_of(u->system_ns, w->system_ns);
	u->voluntary = sum_of(u->voluntary, w->voluntary);
	u->involuntary = sum_of(u->involuntary, w->involuntary);
	u->max_rss_pages = TD_MAX(u->max_rss_pages, w->max_rss_pages);
}

static bool is_possible(const struct td_wire_usage *w)
{
	return w->from_ns <= w->to_ns && w->to_ns <= TD_RECORD_TIME_MAX &&
	       w->runtime_ns <= TD_RECORD_TIME_MAX && w->user_ns <= TD_RECORD_TIME_MAX &&
	       w->system_ns <= TD_RECORD_TIME_MAX;
}

int td_record_usage_row(struct td_import *imp, const struct td_rec *rec)
{
	struct td_record *rd = imp->state;
	struct td_wire_usage w = TD_REC(rec, td_wire_usage);
	struct td_record_usage *of_process, *of_thread;
	uint32_t process_id, thread_id;
	int r;

	if (!is_possible(&w))
		return td_rec_spoilt(imp);
	r = td_record_who(imp, w.pid, w.head.tid, &process_id, &thread_id);
	if (r < 0)
		return r;
	of_process = usage_at(&rd->process_usages, process_id);
	of_thread = usage_at(&rd->thread_usages, thread_id);
	if (!of_process || !of_thread)
		return -ENOMEM;
	add(of_process, &w);
	add(of_thread, &w);
	return TD_LINE_ROW;
}

/* --- the end --- */

/*
 * The time on a CPU is known to the nanosecond, where it was spent only from the ticks that came
 * meanwhile: so the kernel divides it as these were divided (cputime_adjust() in
 * kernel/sched/cputime.c), and takes it for user space's if none came in the kernel, first of all
 * if none came at all.
 */
static int64_t system_part(const struct td_record_usage *u)
{
	if (!u->system_ns)
		return 0;
	return (int64_t)((unsigned __int128)u->runtime_ns * u->system_ns /
			 (u->system_ns + u->user_ns));
}

static int64_t bytes_of(uint64_t pages, uint32_t page_bytes)
{
	return pages && page_bytes && pages <= INT64_MAX / page_bytes
		       ? (int64_t)(pages * page_bytes)
		       : TD_NULL;
}

/* What two recordings tell of the same process may be the same time: the one that saw more of it counts. */
static void settle(struct td_use *use, const struct td_record_usage *u, int64_t max_rss_bytes)
{
	int64_t observed_ns = (int64_t)(u->to_ns - u->from_ns);

	if (!u->to_ns || (use->observed_ns != TD_NULL && use->observed_ns >= observed_ns))
		return;
	*use = (struct td_use){
		.observed_ns = observed_ns,
		.system_ns = system_part(u),
		.voluntary_switches = (int64_t)u->voluntary,
		.involuntary_switches = (int64_t)u->involuntary,
		.max_rss_bytes = max_rss_bytes,
	};
	use->user_ns = (int64_t)u->runtime_ns - use->system_ns;
}

void td_record_settle_usage(struct td_import *imp)
{
	struct td_record *rd = imp->state;

	for (uint32_t id = 1; id < rd->process_usages.n; id++) {
		const struct td_record_usage *u = &rd->process_usages.items[id];

		if (u->to_ns)
			settle(&td_store_process_at(imp->store, id)->use, u,
			       bytes_of(u->max_rss_pages, rd->page_bytes));
	}
	for (uint32_t id = 1; id < rd->thread_usages.n; id++)
		if (rd->thread_usages.items[id].to_ns)
			settle(&td_store_thread_at(imp->store, id)->use,
			       &rd->thread_usages.items[id], TD_NULL);
}
