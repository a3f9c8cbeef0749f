/* SPDX-License-Identifier: MIT */
/*
 * The log of the DLIO benchmark (dlio.log, or its standard output), with or without level and place:
 *
 *     [INFO] 2023-06-27T21:27:13.010000 Running DLIO with 8 process(es) [.../main.py:108]
 *     [OUTPUT] 2023-06-27T21:27:13.018022 Starting epoch 1: 42 steps expected
 *     [OUTPUT] 2023-06-27T21:27:13.019000 Starting block 1
 *     [INFO] 2023-06-27T21:27:14.100000 Rank 0 step 1: loaded 4 samples in 0.5000 s
 *     [OUTPUT] 2023-06-27T21:28:17.000000 Ending block 1 - 42 steps completed in 63.98 s
 *     [OUTPUT] 2023-06-27T21:28:17.100000 Epoch 1 - Block 1 [Training] Accelerator Utilization [AU] (%): 97.1
 *     [OUTPUT] 2023-06-27T21:28:20.000000 Starting checkpoint 1 after total step 42 for epoch 1
 *
 * epoch, block, eval, checkpoint (its saving) and checkpoint-load become spans of kind 'phase'. Their number is
 * that of the epoch, as blocks and checkpoints are counted anew in each; their own is in args. A batch that was
 * loaded or processed a span 'batch_load' or 'batch_process' of kind
 * 'annotation' that ends at its line; utilisation and throughput marks; the averages at the end ("[METRIC] ...:
 * 97.1 (0.4)") summaries.
 *
 * Times are read as UTC, which they are in containers; DLIO's function is named utcnow() but takes the
 * local time. assumed-utc is noted. Lines that say nothing of this kind are skipped. Issues: cut-line; clock-step
 * where a rank goes back in time, unless the log of another run begins there.
 */
#include <math.h>

#include "common/caldate.h"
#include "common/cleanup.h"
#include "importers/core/importers.h"

#define MAX_OPEN 64
#define MAX_RANKS 1024 /* whose clocks are followed */

struct phase {
	const char *name; /* static */
	int64_t number; /* of the epoch; TD_NULL: not known */
	int64_t part; /* number of the block or checkpoint in it; TD_NULL: none */
	int64_t start_ns;
	int64_t steps; /* TD_NULL: not said */
};

/* Who writes lines: each rank its batches, the first one the rest. Their clocks need not agree. */
struct writer {
	int64_t last_ns; /* of its line before; TD_NULL: there is none */
	int64_t step_ns; /* by how much its clock was set back */
};

struct dlio {
	struct writer writers[MAX_RANKS];
	struct phase open[MAX_OPEN];
	size_t nopen;
	int64_t epoch; /* that is on, or the last one; 0: not seen */
	bool noted;
};

static const struct {
	const char *text; /* behind "Starting ", "Ending " or "Finished " */
	const char *name;
} phases[] = {
	{ "epoch", "epoch" },
	{ "block", "block" },
	{ "eval", "eval" },
	{ "checkpoint", "checkpoint" },
	{ "saving checkpoint", "checkpoint" },
	{ "loading checkpoint", "checkpoint-load" },
};

enum event { EVENT_NONE, EVENT_START, EVENT_END };

/* --- lines --- */

/* "[INFO] 2023-06-27T21:27:13.018022 " */
static bool scan_stamp(struct td_scan *s, int64_t *ret_ns)
{
	const char *close;

	if (td_scan_char(s, '[')) {
		close = td_scan_done(s) ? NULL : memchr(s->p, ']', (size_t)(s->end - s->p));
		if (!close)
			return false;
		s->p = close + 1;
		td_scan_blanks(s);
	}
	return s->end - s->p > 11 && s->p[10] == 'T' && td_scan_iso(s, ret_ns) &&
	       td_scan_char(s, ' ');
}

/* "Starting epoch 1: 42 steps expected", "Ending eval - 5 steps completed in 2.10 s" */
static enum event scan_phase(struct td_scan *s, struct phase *ret)
{
	static const struct {
		const char *text;
		enum event event;
	} verbs[] = { { "Starting ", EVENT_START },
		      { "Ending ", EVENT_END },
		      { "Finished ", EVENT_END } };
	enum event event = EVENT_NONE;
	const char *name = NULL;
	uint64_t n;

	for (size_t i = 0; i < TD_ARRAY_SIZE(verbs) && !event; i++)
		if (td_scan_literal(s, verbs[i].text))
			event = verbs[i].event;
	for (size_t i = 0; i < TD_ARRAY_SIZE(phases) && event && !name; i++)
		if (td_scan_literal(s, phases[i].text))
			name = phases[i].name;
	if (!name || (!td_scan_done(s) && *s->p != ' '))
		return EVENT_NONE;
	*ret = (struct phase){ .name = name, .number = TD_NULL, .part = TD_NULL, .steps = TD_NULL };
	td_scan_blanks(s);
	if (td_scan_u64(s, &n) && n <= INT64_MAX)
		ret->part = (int64_t)n;
	(void)td_scan_char(s, ':');
	td_scan_blanks(s);
	(void)td_scan_char(s, '-');
	td_scan_blanks(s);
	if (td_scan_u64(s, &n) && td_scan_literal(s, " steps") && n <= INT64_MAX)
		ret->steps = (int64_t)n;
	return event;
}

/* --- rows --- */

static int put_phase(struct td_import *imp, const struct phase *p, const char *state,
		     int64_t dur_ns)
{
	struct td_span span = TD_SPAN_INIT;
	char args[128], part[64] = "", steps[64] = "";
	int n;

	if (p->part != TD_NULL)
		(void)snprintf(part, sizeof(part), "\"part\":%lld", (long long)p->part);
	if (p->steps != TD_NULL)
		(void)snprintf(steps, sizeof(steps), "%s\"steps\":%lld", part[0] ? "," : "",
			       (long long)p->steps);
	n = snprintf(args, sizeof(args), "{%s%s}", part, steps);
	span.start_ns = p->start_ns;
	span.dur_ns = dur_ns;
	span.number = p->number;
	span.run_number = 1;
	span.kind_id = td_store_cstr(imp->store, "phase");
	span.name_id = td_store_cstr(imp->store, p->name);
	span.state_id = td_store_cstr(imp->store, state);
	if (n > 2)
		span.args_id = td_store_string(imp->store, args, (size_t)n);
	return td_put_span(imp, &span);
}

static void drop(struct dlio *d, size_t i)
{
	memmove(&d->open[i], &d->open[i + 1], (--d->nopen - i) * sizeof(d->open[0]));
}

static struct phase *find_open(struct dlio *d, const struct phase *like)
{
	for (size_t i = d->nopen; i-- > 0;)
		if (d->open[i].name == like->name && d->open[i].number == like->number &&
		    d->open[i].part == like->part)
			return &d->open[i];
	return NULL;
}

static int start_phase(struct td_import *imp, struct dlio *d, const struct phase *p)
{
	struct phase *old = find_open(d, p);
	int r = 0;

	if (!old && d->nopen == MAX_OPEN)
		old = &d->open[0];
	if (old) {
		r = put_phase(imp, old, "unfinished", TD_NULL);
		drop(d, (size_t)(old - d->open));
	}
	d->open[d->nopen++] = *p;
	return r < 0 ? r : TD_LINE_ROW;
}

static int end_phase(struct td_import *imp, struct dlio *d, const struct phase *end)
{
	struct phase *p = find_open(d, end);
	int r;

	if (!p) {
		r = put_phase(imp, end, "no-start", TD_NULL);
		return r < 0 ? r : TD_LINE_ROW;
	}
	if (end->steps != TD_NULL)
		p->steps = end->steps;
	r = put_phase(imp, p, "complete", end->start_ns - p->start_ns);
	drop(d, (size_t)(p - d->open));
	return r < 0 ? r : TD_LINE_ROW;
}

/* --- clocks that are set back --- */

static void begin_log(struct dlio *d)
{
	for (size_t i = 0; i < MAX_RANKS; i++)
		d->writers[i] = (struct writer){ .last_ns = TD_NULL };
}

static int close_all(struct td_import *imp, struct dlio *d)
{
	int r = 0;

	for (size_t i = 0; i < d->nopen && r >= 0; i++)
		r = put_phase(imp, &d->open[i], "unfinished", TD_NULL);
	d->nopen = 0;
	return r;
}

/* Puts the time of a line right that becomes a row. How long what is open lasts cannot be said if the clock was set
 * meanwhile. */
static int follow_clock(struct td_import *imp, uint64_t rank, int64_t *ts_ns)
{
	struct dlio *d = imp->state;
	struct writer *w = &d->writers[rank % MAX_RANKS];
	int r = 0;

	if (rank >= MAX_RANKS || !td_import_add_steps(imp, w->step_ns, ts_ns))
		return 0;
	if (w->last_ns != TD_NULL && *ts_ns < w->last_ns - TD_CLOCK_STEP_MIN_NS) {
		int64_t by_ns = td_import_clock_step(imp, *ts_ns, w->last_ns);

		w->step_ns += by_ns;
		*ts_ns += by_ns;
		r = close_all(imp, d);
	}
	w->last_ns = *ts_ns;
	return r;
}

/* --- rows of lines --- */

/* "Rank 0 step 12: loaded 4 samples in 0.0123 s" */
static int batch_line(struct td_import *imp, struct td_scan s, int64_t ts_ns)
{
	struct td_span span = TD_SPAN_INIT;
	uint64_t rank, step, samples;
	const char *name;
	char args[64];
	int r;

	if (!td_scan_literal(&s, "Rank ") || !td_scan_u64(&s, &rank) || rank > INT32_MAX ||
	    !td_scan_literal(&s, " step ") || !td_scan_u64(&s, &step) || step > INT64_MAX)
		return TD_LINE_SKIPPED;
	(void)td_scan_char(&s, ':');
	name = td_scan_literal(&s, " loaded ")      ? "batch_load"
	       : td_scan_literal(&s, " processed ") ? "batch_process"
						    : NULL;
	if (!name || !td_scan_u64(&s, &samples) || !td_scan_literal(&s, " samples in ") ||
	    !td_scan_fixed9(&s, &span.dur_ns))
		return TD_LINE_SKIPPED;
	if (td_scan_done(&s)) /* no unit: more digits may have followed */
		return td_reject(imp, "cut-line");
	r = follow_clock(imp, rank, &ts_ns);
	if (r < 0)
		return r;
	r = snprintf(args, sizeof(args), "{\"samples\":%llu}", (unsigned long long)samples);
	span.start_ns = ts_ns - span.dur_ns;
	span.number = (int64_t)step;
	span.rank = (int32_t)rank;
	span.kind_id = td_store_cstr(imp->store, "annotation");
	span.name_id = td_store_cstr(imp->store, name);
	span.state_id = td_store_cstr(imp->store, "complete");
	span.args_id = td_store_string(imp->store, args, (size_t)r);
	r = td_put_span(imp, &span);
	return r < 0 ? r : TD_LINE_ROW;
}

/* "Epoch 1 - Block 1 [Training] Throughput (samples/second): 11.5" */
static int mark_line(struct td_import *imp, struct td_scan s, int64_t ts_ns)
{
	static const struct {
		const char *text, *name;
	} marks[] = {
		{ "Accelerator Utilization [AU] (%): ", "accelerator_utilization" },
		{ "Throughput (samples/second): ", "throughput" },
	};
	struct td_str text = td_scan_rest(&s);

	for (size_t i = 0; i < TD_ARRAY_SIZE(marks); i++) {
		struct td_mark mark = TD_MARK_INIT;
		const char *at = td_str_find(text, marks[i].text);
		struct td_scan value;
		int r;

		if (!at || !td_str_starts(text, "Epoch "))
			continue;
		value = (struct td_scan){ at + strlen(marks[i].text), s.end };
		if (!td_scan_double(&value, &mark.value))
			return TD_LINE_SKIPPED;
		r = follow_clock(imp, 0, &ts_ns);
		if (r < 0)
			return r;
		mark.ts_ns = ts_ns;
		mark.name_id = td_store_cstr(imp->store, marks[i].name);
		r = td_put_mark(imp, &mark);
		return r < 0 ? r : TD_LINE_ROW;
	}
	return batch_line(imp, s, ts_ns);
}

/* "[METRIC] Training Throughput (samples/second): 11.5000 (0.2500)": mean and deviation of the epochs */
static int metric_line(struct td_import *imp, struct td_str line)
{
	struct td_summary s = TD_SUMMARY_INIT(imp->source_id);
	struct td_scan t = td_scan_of(line.p, line.len);
	const char *colon = td_str_find(line, "): ");
	double deviation;

	if (!td_scan_literal(&t, "[METRIC] ") || !colon || colon < t.p)
		return TD_LINE_SKIPPED;
	s.name = td_import_keep(imp, (struct td_str){ t.p, (size_t)(colon + 1 - t.p) }).p;
	t.p = colon + 3;
	if (!td_scan_double(&t, &s.value) || !td_scan_literal(&t, " (") ||
	    !td_scan_double(&t, &deviation) || !td_scan_char(&t, ')'))
		return imp->line_unterminated ? td_reject(imp, "cut-line") : TD_LINE_SKIPPED;
	s.key = "mean";
	td_store_summary(imp->store, &s);
	s.key = "standard deviation";
	s.value = deviation;
	td_store_summary(imp->store, &s);
	return TD_LINE_ROW;
}

/* Blocks and the like belong to the epoch that is on. */
static void place_phase(struct dlio *d, struct phase *p)
{
	if (strcmp(p->name, "epoch") == 0) {
		p->number = p->part;
		p->part = TD_NULL;
		d->epoch = p->number != TD_NULL ? p->number : 0;
	} else {
		p->number = d->epoch ? d->epoch : p->part;
	}
}

static int dlio_line(struct td_import *imp, char *line, size_t len)
{
	struct dlio *d = imp->state;
	struct td_scan s = td_scan_of(line, len);
	enum event event;
	struct phase p;
	int64_t ts_ns;
	int r;

	if (!scan_stamp(&s, &ts_ns))
		return metric_line(imp, (struct td_str){ line, len });
	/* of another run, whose log can be behind that of a later one */
	if (td_str_starts(td_scan_rest(&s), "Running DLIO"))
		begin_log(d);
	if (!d->noted)
		td_note(imp, "assumed-utc", "the times are read as UTC");
	d->noted = true;
	event = scan_phase(&(struct td_scan){ s.p, s.end }, &p);
	if (event == EVENT_NONE)
		return mark_line(imp, s, ts_ns);
	place_phase(d, &p);
	if (event == EVENT_START && strcmp(p.name, "epoch") == 0 && p.number == 1)
		begin_log(d); /* so begins another run whose first lines are not there */
	r = follow_clock(imp, 0, &ts_ns);
	if (r < 0)
		return r;
	p.start_ns = ts_ns;
	return event == EVENT_START ? start_phase(imp, d, &p) : end_phase(imp, d, &p);
}

static int dlio_begin(struct td_import *imp, struct td_err *err)
{
	begin_log(imp->state);
	return 0;
}

static int dlio_end(struct td_import *imp)
{
	return close_all(imp, imp->state);
}

static int dlio_sniff(const char *head, size_t len)
{
	const char *p = head, *nl;

	for (; (nl = memchr(p, '\n', (size_t)(head + len - p))); p = nl + 1) {
		struct td_scan s = td_scan_of(p, (size_t)(nl - p));
		struct phase phase;
		int64_t ns;

		if (!scan_stamp(&s, &ns))
			continue;
		if (td_str_starts(td_scan_rest(&s), "Running DLIO") ||
		    (scan_phase(&s, &phase) && (phase.part != TD_NULL || phase.steps != TD_NULL)))
			return 82;
	}
	return 0;
}

const struct td_importer td_importer_dlio = {
	.name = "dlio",
	.desc = "log of the DLIO benchmark: phases, batches, throughput",
	.clock = TD_CLOCK_UTC,
	.state_size = sizeof(struct dlio),
	.sniff = dlio_sniff,
	.surest = 82,
	.begin = dlio_begin,
	.line = dlio_line,
	.end = dlio_end,
};
