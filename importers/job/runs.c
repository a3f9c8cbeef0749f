/* SPDX-License-Identifier: MIT */
#include "common/caldate.h"
#include "common/cleanup.h"
#include "common/log.h"
#include "common/strbuf.h"
#include "importers/job/runs.h"

#define RUNS_SHOWN 8
#define PATHS_SHOWN 8

static struct td_run_times times_of(const struct td_source *s)
{
	struct td_shift shift = td_source_shift(s);

	return (struct td_run_times){ td_shift_to_utc(&shift, s->first_native_ns),
				      td_shift_to_utc(&shift, s->last_native_ns) };
}

/* By source id: which logs tell of the run; number 0: of any. To be freed; NULL: out of memory. */
static bool *find_logs(const struct td_contents *in, int64_t number)
{
	bool *logs = calloc(in->nsources + 1, sizeof(*logs));

	for (size_t i = 0; logs && i < in->nlog_runs; i++)
		if (!number || in->log_runs[i].run_number == number)
			logs[in->log_runs[i].source_id] = true;
	return logs;
}

/* Was something recorded in the time of the run? */
static bool is_in_time(const struct td_store *st, size_t source_id, const struct td_run_times *run)
{
	const struct td_source *s = &td_store_contents(st)->sources[source_id - 1];
	struct td_run_times t;

	if (s->first_native_ns == TD_NULL || !td_store_on_clock(st, (uint16_t)source_id))
		return false;
	t = times_of(s);
	return t.from_ns <= run->to_ns && t.to_ns >= run->from_ns;
}

/* Names the logs that tell of the run, and what is no log and was recorded in its time. */
static int say_run(const struct td_store *st, int64_t number, const struct td_run_times *run,
		   const bool *all_logs)
{
	_cleanup_(td_strbuf_done) struct td_strbuf paths = TD_STRBUF_INIT;
	const struct td_contents *in = td_store_contents(st);
	_cleanup_free_ bool *logs = find_logs(in, number);
	char began[64] = "at an unknown time";
	size_t n = 0;

	for (size_t id = 1; logs && id <= in->nsources; id++) {
		if (!logs[id] && (all_logs[id] || !is_in_time(st, id, run)))
			continue;
		if (n < PATHS_SHOWN)
			td_strbuf_addf(&paths, "%s%s", n ? ", " : "", in->sources[id - 1].path);
		n++;
	}
	if (n > PATHS_SHOWN)
		td_strbuf_addf(&paths, " and %zu more", n - PATHS_SHOWN);
	if (run->from_ns <= run->to_ns)
		(void)td_format_utc(began, sizeof(began), run->from_ns, 3);
	if (!logs || td_strbuf_error(&paths) < 0)
		return -ENOMEM;
	td_log_info("run %lld began %s: %s", (long long)number, began, td_strbuf_str(&paths));
	return 0;
}

/* Are logs of several ranks, or machines, none of which is in one run with another? */
static bool are_apart(const struct td_contents *in)
{
	bool several = false;

	for (size_t i = 0; i < in->nlog_runs; i++)
		for (size_t k = 0; k < i; k++) {
			const struct td_log_run *a = &in->log_runs[i], *b = &in->log_runs[k];
			const struct td_source *x = &in->sources[a->source_id - 1];
			const struct td_source *y = &in->sources[b->source_id - 1];
			bool differ = x->rank != y->rank ||
				      strcmp(x->host ? x->host : "", y->host ? y->host : "") != 0;

			several |= differ;
			if (differ && a->run_number == b->run_number)
				return false;
		}
	return several;
}

int td_say_runs(const struct td_store *st, size_t boots)
{
	_cleanup_free_ bool *logs = find_logs(td_store_contents(st), 0);
	_cleanup_free_ struct td_run_times *runs = NULL;
	size_t n = 0;
	int r = logs ? td_store_run_times(st, &runs, &n) : -ENOMEM;

	if (r >= 0 && boots > 1)
		td_log_info("times since boot are of %zu boots: each is on a clock of its own",
			    boots);
	if (r < 0 || n < 2)
		return r;
	td_log_info("%zu runs of the training program, by its logs:", n);
	for (size_t i = 0; i < n && i < RUNS_SHOWN && r >= 0; i++)
		r = say_run(st, (int64_t)i + 1, &runs[i], logs);
	if (r >= 0 && n > RUNS_SHOWN)
		td_log_info("and %zu more", n - RUNS_SHOWN);
	if (r >= 0 && n <= RUNS_SHOWN && are_apart(td_store_contents(st)))
		td_log_info("if they are ranks of one run, on machines whose clocks are far apart: "
			    "import each "
			    "with --rank N --host NAME");
	return r;
}
