/* SPDX-License-Identifier: MIT */
/* What importers call: rows, issues, clock readings, what is known of the source. */
#include "common/caldate.h"
#include "common/cleanup.h"
#include "common/progress.h"
#include "common/utf8.h"
#include "importers/core/import_core.h"
#include "schema/calls.h"
#include "store/store_join.h"

static struct td_source *source_of(struct td_import *imp)
{
	return td_store_source_at(imp->store, imp->source_id);
}

/* What is said of the source as a whole is not for a part to say: it is read again then, in its turn. */
static bool out_of_turn(struct td_import *imp)
{
	if (imp->core->part)
		imp->core->part->alone = false;
	return imp->core->part != NULL;
}

/* --- for importers --- */

bool td_import_is_part(const struct td_import *imp)
{
	return imp->core->part != NULL;
}

/* What a line had left for the end, and is no row after all, makes an issue of that line. */
static void drop_row(struct td_import_core *c)
{
	if (c->rows) {
		c->rows--;
		c->issues++;
	} else {
		c->dropped++;
	}
}

int td_reject(struct td_import *imp, const char *kind)
{
	td_store_issue(imp->store, imp->source_id, kind, TD_DROPPED, imp->line_no, imp->core->line,
		       imp->core->line_len);
	imp->core->line_dropped++;
	if (imp->core->ending)
		drop_row(imp->core);
	return TD_LINE_ISSUE;
}

void td_repair(struct td_import *imp, const char *kind)
{
	td_store_issue(imp->store, imp->source_id, kind, TD_REPAIRED, imp->line_no, imp->core->line,
		       imp->core->line_len);
	imp->core->line_repaired = true;
}

void td_note(struct td_import *imp, const char *kind, const char *text)
{
	if (text)
		td_store_issue(imp->store, imp->source_id, kind, TD_NOTED, imp->line_no, text,
			       strlen(text));
	else
		td_store_issue(imp->store, imp->source_id, kind, TD_NOTED, imp->line_no,
			       imp->core->line, imp->core->line_len);
}

/* --- what cannot be --- */

/* Native times from a year before the zero of their clock (a straggler) to 2096, durations below 36
 * years: then none of the sums and differences of times, durations and offsets that are made later can
 * overflow. */
#define TIME_MIN (-366 * TD_DAY_NS)
#define TIME_MAX INT64_C(4000000000000000000)
#define DURATION_MAX (INT64_C(1) << 60)

/* Larger than any address space that there is. */
#define SIZE_MAX_BYTES (INT64_C(1) << 57)

static bool is_possible(int64_t ns)
{
	return ns >= TIME_MIN && ns <= TIME_MAX;
}

/* The current line is an issue then, whatever the importer makes of it. */
static void refuse_time(struct td_import *imp)
{
	if (!imp->core->line_refused)
		(void)td_reject(imp, "impossible-time");
	imp->core->line_refused = !imp->core->ending;
}

static void check_duration(struct td_import *imp, int64_t *dur_ns)
{
	if (*dur_ns == TD_NULL || (*dur_ns >= 0 && *dur_ns < DURATION_MAX))
		return;
	*dur_ns = TD_NULL;
	td_repair(imp, "impossible-duration");
}

static void check_asked(struct td_import *imp, int64_t *bytes)
{
	if (*bytes == TD_NULL || *bytes >= 0)
		return;
	*bytes = TD_NULL;
	td_repair(imp, "impossible-size");
}

/* What was done is in memory or on a disk; what was asked for can be any number. */
static void check_size(struct td_import *imp, int64_t *bytes)
{
	if (*bytes == TD_NULL || (*bytes >= 0 && *bytes <= SIZE_MAX_BYTES))
		return;
	*bytes = TD_NULL;
	td_repair(imp, "impossible-size");
}

void td_import_close_lines(struct td_import *imp, const char *kind, const char *text, size_t len)
{
	struct td_import_core *c = imp->core;

	for (uint64_t i = 0; kind && i < c->open; i++)
		td_store_issue(imp->store, imp->source_id, kind, TD_DROPPED, c->open_no + i, text,
			       len);
	if (kind)
		c->issues += c->open;
	else
		c->rows += c->open;
	c->open = 0;
}

/* More than a machine can lose in a year: a number below zero, printed as one above. */
#define LOST_MAX (UINT64_C(1) << 56)

void td_lost(struct td_import *imp, uint64_t n)
{
	struct td_import_core *c = imp->core;

	if (n > LOST_MAX)
		td_note(imp, "impossible-count", NULL);
	else
		c->lost = TD_MIN(c->lost + n, LOST_MAX);
}

void td_import_set_clock(struct td_import *imp, enum td_clock clock)
{
	if (out_of_turn(imp))
		return;
	source_of(imp)->clock = clock;
}

void td_import_set_base(struct td_import *imp, int64_t base_ns)
{
	if (out_of_turn(imp))
		return;
	if (is_possible(base_ns))
		source_of(imp)->offset_ns = base_ns;
	else
		refuse_time(imp);
}

void td_import_set_day_first(struct td_import *imp, int64_t by_ns, bool settled)
{
	struct td_source *s;

	if (out_of_turn(imp))
		return;
	s = source_of(imp);
	s->day_first_ns = by_ns;
	s->date_shift_ns = settled ? by_ns : 0;
	s->date_basis = by_ns == 0 ? TD_DATE_CLEAR : settled ? TD_DATE_BY_FILE : TD_DATE_OPEN;
}

void td_import_set_cut(struct td_import *imp, const char *detail)
{
	if (out_of_turn(imp))
		return;
	source_of(imp)->state = TD_STATE_CUT;
	if (td_utf8_set(&source_of(imp)->detail, detail) < 0)
		imp->core->error = -ENOMEM;
}

void td_import_set_layout(struct td_import *imp, const char *layout)
{
	if (out_of_turn(imp))
		return;
	if (td_utf8_set(&source_of(imp)->layout, layout) < 0)
		imp->core->error = -ENOMEM;
}

void td_import_set_tool(struct td_import *imp, const char *tool, const char *version,
			const char *host)
{
	struct td_source *s;

	if (out_of_turn(imp))
		return;
	s = source_of(imp);
	if ((tool && td_utf8_set(&s->tool, tool) < 0) ||
	    (version && td_utf8_set(&s->tool_version, version) < 0) ||
	    (host && td_utf8_set(&s->host, host) < 0))
		imp->core->error = -ENOMEM;
	if (!host || !*host || !s->host)
		return;
	s->host_basis = "printed";
	if (td_store_has_several_hosts(imp->store))
		td_store_on_host(imp->store, td_store_cstr(imp->store, s->host));
}

void td_import_set_rank(struct td_import *imp, int64_t rank, const char *basis)
{
	struct td_source *s;

	if (out_of_turn(imp))
		return;
	s = source_of(imp);
	s->rank = rank;
	s->rank_basis = basis;
}

static int64_t unwrap_tod(struct td_import_core *c, int64_t tod_ns)
{
	int64_t half = TD_DAY_NS / 2, t;

	if (c->tod_last_ns == TD_NULL) {
		if (c->part)
			c->part->tod_first_ns = tod_ns;
		return c->tod_last_ns = tod_ns;
	}
	t = c->tod_day_ns + tod_ns;
	if (t > c->tod_last_ns + half)
		return t - TD_DAY_NS; /* a straggler from before midnight */
	if (t < c->tod_last_ns - half) {
		c->tod_day_ns += TD_DAY_NS;
		t += TD_DAY_NS;
	}
	return c->tod_last_ns = t;
}

int64_t td_import_unwrap_tod(struct td_import *imp, int64_t tod_ns)
{
	(void)out_of_turn(imp); /* which day it is */
	imp->core->tick_wall_ns = TD_NULL; /* that reading may be of another day now */
	return unwrap_tod(imp->core, tod_ns);
}

void td_import_note_seconds(struct td_import *imp)
{
	td_note(imp, TD_ISSUE_SECONDS, "times are whole seconds: each is known to 1 s");
}

void td_import_has_fractions(struct td_import *imp)
{
	imp->core->has_fractions = true;
}

void td_import_seen(struct td_import *imp, int64_t native_ns)
{
	if (is_possible(native_ns))
		td_import_extend(imp->core, native_ns, native_ns);
}

int64_t td_import_latest(const struct td_import *imp)
{
	return imp->core->last_ns;
}

int64_t td_import_clock_step(struct td_import *imp, int64_t native_ns, int64_t last_ns)
{
	int64_t latest_ns = TD_MAX(imp->core->last_ns, last_ns), by_ns; /* TD_NULL is the least */

	if (!is_possible(native_ns) || !is_possible(latest_ns) ||
	    __builtin_sub_overflow(latest_ns, native_ns, &by_ns) || by_ns <= 0)
		return 0;
	td_repair(imp, "clock-step");
	return by_ns;
}

bool td_import_add_steps(struct td_import *imp, int64_t steps_ns, int64_t *native_ns)
{
	int64_t sum_ns;

	if (__builtin_add_overflow(*native_ns, steps_ns, &sum_ns) || !is_possible(sum_ns)) {
		refuse_time(imp);
		return false;
	}
	*native_ns = sum_ns;
	return true;
}

/* --- clock readings --- */

void td_import_clock_reading(struct td_import *imp, int64_t native_ns, enum td_clock wall,
			     int64_t wall_ns, int64_t resolution_ns)
{
	struct td_import_core *c = imp->core;
	struct td_ticks *t = &c->ticks;
	int64_t tick_wall_ns = wall_ns;
	int r;

	if (!is_possible(native_ns) || !is_possible(wall_ns)) {
		refuse_time(imp);
		return;
	}
	td_import_extend(c, native_ns, native_ns);
	/* most events have the reading of the one before */
	if (wall_ns == c->tick_wall_ns && wall == t->wall && resolution_ns == t->resolution_ns) {
		td_ticks_again(t, native_ns);
		return;
	}
	if (wall == TD_CLOCK_LOCAL_TOD)
		wall_ns = unwrap_tod(c, wall_ns);
	t->wall = wall;
	t->resolution_ns = resolution_ns;
	r = td_ticks_add(t, native_ns, wall_ns / resolution_ns - (wall_ns % resolution_ns < 0));
	c->tick_wall_ns = r < 0 ? TD_NULL : tick_wall_ns;
	if (r < 0)
		c->error = r;
}

/* --- texts --- */

static struct td_str text_of(struct td_import *imp, uint32_t id)
{
	return id ? td_store_text(imp->store, id) : (struct td_str){ "", 0 };
}

struct td_str td_import_keep(struct td_import *imp, struct td_str text)
{
	return text_of(imp, td_store_string(imp->store, text.p, text.len));
}

const char *td_import_keep_cstr(struct td_import *imp, const char *text)
{
	return text_of(imp, td_store_cstr(imp->store, text)).p;
}

/* --- rows --- */

/* A part keeps its rows until it is joined. */
static int keep(struct td_import_part *part, enum td_kind kind, const void *row)
{
	if (!td_id_map_knows(kind)) {
		part->alone = false;
		return 0;
	}
	return td_run_writer_add(&part->rows[kind], row);
}

static int put_in_turn(struct td_import_core *c, enum td_kind kind, const void *row)
{
	if (c->deferred && kind == TD_KIND_CALL)
		return td_import_deferred_add(c->deferred, row);
	return td_stage_add(c->stages[kind], row);
}

/* dur_ns: what follows from_ns; TD_NULL or one that check_duration() left. */
static int put(struct td_import *imp, enum td_kind kind, const void *row, int64_t from_ns,
	       int64_t dur_ns)
{
	struct td_import_core *c = imp->core;

	if (!is_possible(from_ns)) {
		refuse_time(imp);
		return 0;
	}
	td_import_extend(c, from_ns, dur_ns == TD_NULL ? from_ns : from_ns + dur_ns);
	c->has_fractions = c->has_fractions || from_ns % TD_SEC_NS;
	return c->part ? keep(c->part, kind, row) : put_in_turn(c, kind, row);
}

bool td_import_takes_call(int64_t start_ns, int64_t dur_ns, int64_t done_bytes)
{
	return is_possible(start_ns) &&
	       (dur_ns == TD_NULL || (dur_ns >= 0 && dur_ns < DURATION_MAX)) &&
	       done_bytes <= SIZE_MAX_BYTES;
}

int td_put_call(struct td_import *imp, struct td_call *row)
{
	const struct td_file *f = td_store_file_at(imp->store, row->file_id);

	row->source_id = imp->source_id;
	check_duration(imp, &row->dur_ns);
	check_asked(imp, &row->asked_bytes);
	check_size(imp, &row->done_bytes);
	if (f && f->truncated)
		td_note(imp, "cut-path", NULL);
	return put(imp, TD_KIND_CALL, row, row->start_ns, row->dur_ns);
}

struct td_call td_call_out(struct td_import *imp, const struct td_call *row, const char *name)
{
	struct td_call out = *row;
	char op[64];
	int n = snprintf(op, sizeof(op), "%s" TD_CALL_OUT, name);

	out.op_id = td_store_op(imp->store, op, (size_t)n, TD_LAYER_SYSCALL);
	out.dur_ns = TD_NULL;
	out.file_id = out.args_id = 0;
	out.fd = out.cold_bytes = out.correlation = INT32_MIN;
	out.offset_bytes = TD_NULL;
	return out;
}

int td_put_block(struct td_import *imp, struct td_block *row)
{
	row->source_id = imp->source_id;
	check_duration(imp, &row->dur_ns);
	check_duration(imp, &row->queue_ns);
	check_size(imp, &row->bytes);
	return put(imp, TD_KIND_BLOCK, row, row->start_ns, row->dur_ns);
}

int td_put_gpu_op(struct td_import *imp, struct td_gpu_op *row)
{
	row->source_id = imp->source_id;
	check_duration(imp, &row->dur_ns);
	check_size(imp, &row->bytes);
	return put(imp, TD_KIND_GPU_OP, row, row->start_ns, row->dur_ns);
}

int td_put_sched(struct td_import *imp, struct td_sched *row)
{
	row->source_id = imp->source_id;
	check_duration(imp, &row->dur_ns);
	return put(imp, TD_KIND_SCHED, row, row->start_ns, row->dur_ns);
}

/* Rounded shares may come to a little more than all. */
#define PERCENT_MAX 101
/* Of time that was measured beside, or of the speed that a fan was told to have. */
#define PERCENT_MAX_LOOSE 200

static bool is_loose(const char *track)
{
	return strncmp(track, "disk.", strlen("disk.")) == 0 || strstr(track, "fan");
}

/* Why a track cannot have that value, NULL if it can. */
static const char *what_is_wrong(const struct td_track *track, double value)
{
	bool is_percent = strcmp(track->unit, "%") == 0;
	int max = is_loose(track->name) ? PERCENT_MAX_LOOSE : PERCENT_MAX;

	if (isnan(value) || strcmp(track->unit, "C") == 0)
		return NULL;
	if (is_percent && (value < 0 || value > max))
		return "impossible-percentage";
	return *track->unit && value < 0 ? "impossible-value" : NULL;
}

int td_put_sample(struct td_import *imp, struct td_sample *row)
{
	const struct td_contents *has = td_store_contents(imp->store);
	const struct td_track *track = row->track_id ? &has->tracks[row->track_id - 1] : NULL;
	const char *wrong = track ? what_is_wrong(track, row->value) : NULL;

	if (wrong) {
		td_repair(imp, wrong);
		return 0;
	}
	check_duration(imp, &row->dur_ns);
	/* it is of the time before it */
	if (row->dur_ns != TD_NULL && is_possible(row->ts_ns) &&
	    is_possible(row->ts_ns - row->dur_ns))
		td_import_extend(imp->core, row->ts_ns - row->dur_ns, row->ts_ns);
	return put(imp, TD_KIND_SAMPLE, row, row->ts_ns, TD_NULL);
}

int td_put_span(struct td_import *imp, struct td_span *row)
{
	row->source_id = imp->source_id;
	check_duration(imp, &row->dur_ns);
	if (is_possible(row->start_ns))
		td_store_log_run(imp->store, row);
	return put(imp, TD_KIND_SPAN, row, row->start_ns, row->dur_ns);
}

int td_put_mark(struct td_import *imp, struct td_mark *row)
{
	row->source_id = imp->source_id;
	return put(imp, TD_KIND_MARK, row, row->ts_ns, TD_NULL);
}

int td_put_stack(struct td_import *imp, struct td_stack_sample *row)
{
	row->source_id = imp->source_id;
	check_duration(imp, &row->dur_ns);
	return put(imp, TD_KIND_STACK, row, row->start_ns, row->dur_ns);
}

/* --- lines and rows --- */

void td_import_row(struct td_import *imp)
{
	struct td_import_core *c = imp->core;

	imp->line_no = c->lines + 1;
	c->line = "";
	c->line_len = 0;
	c->line_repaired = c->line_refused = false;
	c->line_dropped = 0;
	c->impossible_pids = td_store_contents(imp->store)->impossible_pids;
}

void td_import_row_text(struct td_import *imp, const char *text, size_t len)
{
	imp->core->line = text;
	imp->core->line_len = len;
}

int td_import_row_done(struct td_import *imp, int verdict)
{
	struct td_import_core *c = imp->core;

	if (verdict < 0)
		return verdict;
	if (c->line_refused)
		verdict = TD_LINE_ISSUE;
	if (verdict == TD_LINE_ROW &&
	    td_store_contents(imp->store)->impossible_pids != c->impossible_pids)
		td_repair(imp, "impossible-pid");
	c->lines++;
	c->dropped += c->line_dropped - (c->line_dropped && verdict == TD_LINE_ISSUE);
	switch ((enum td_verdict)verdict) {
	case TD_LINE_SKIPPED:
		c->skipped++;
		break;
	case TD_LINE_ROW:
		c->rows++;
		c->repaired += c->line_repaired;
		break;
	case TD_LINE_ISSUE:
		c->issues++;
		break;
	case TD_LINE_OPEN:
		(void)out_of_turn(imp); /* what it is depends on another part */
		if (!c->open++)
			c->open_no = imp->line_no;
		break;
	}
	if (c->progress)
		td_progress_update(c->progress, td_stream_disk_bytes(c->in), (int64_t)c->rows);
	return c->error ? c->error : td_store_error(imp->store);
}

/* Whoever prints lines ends them, so a last line without newline is cut unless it can be seen to be whole. */
static bool is_cut(const struct td_importer *importer, const struct td_line *line)
{
	return line->unterminated &&
	       !(importer->takes_tail && importer->takes_tail(line->p, line->len));
}

int td_import_line(struct td_import *imp, const struct td_line *line)
{
	struct td_import_core *c = imp->core;
	int verdict;

	td_import_row(imp);
	imp->line_unterminated = line->unterminated;
	c->line = line->p;
	c->line_len = line->len;
	verdict = line->cut                   ? td_reject(imp, "line-too-long")
		  : is_cut(c->importer, line) ? td_reject(imp, "cut-line")
					      : c->importer->line(imp, line->p, line->len);
	if (line->unterminated && (verdict == TD_LINE_ISSUE || c->line_refused) &&
	    !out_of_turn(imp))
		source_of(imp)->state = TD_STATE_CUT;
	return td_import_row_done(imp, verdict);
}
