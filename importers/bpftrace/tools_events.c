/* SPDX-License-Identifier: MIT */
/*
 * Rows of the tools that have no table of their own in the database. What they become is said in
 * bpftrace/tools_columns.c:
 *
 *   CALL    setuids, shmsnoop   a system call with its arguments as printed
 *   WAIT    runqslower          a slice: the thread was runnable for LAT before TIME
 *   MARK    tcpconnect, ...     a mark named like the tool
 *   SPAN    tcplife, ...        a span of kind 'tool', named like the tool, that ended at TIME
 *   VALUES  filetop, ...        per number of the row a sample on the track 'filetop.reads', of the row's process
 *                               and disk, with its texts in brackets; without a time a summary
 *
 * Marks and spans have all columns in args, as JSON. And sentences: oomkill's become marks, loads's
 * and pidpersec's samples.
 */
#include <ctype.h>
#include <math.h>

#include "common/cleanup.h"
#include "importers/bpftrace/bpftrace_tools.h"
#include "common/json/text.h"
#include "common/json/write.h"

static const struct td_str no_text = { NULL, 0 };

/* --- columns --- */

/* "SADDR:SPORT", "TX_KB", "STATE (FLAGS)": small letters, and single '_' for what is neither letter nor digit */
static void add_name(struct td_strbuf *b, const char *heading)
{
	size_t from = b->len;

	for (const char *p = heading; *p; p++) {
		if (isalnum((unsigned char)*p))
			td_strbuf_addc(b, (char)tolower((unsigned char)*p));
		else if (b->len > from && b->p[b->len - 1] != '_' && p[1] && p[1] != ')')
			td_strbuf_addc(b, '_');
	}
}

static bool is_who_or_when(enum td_tool_field f)
{
	static const uint64_t fields = TD_TOOL_BIT(TD_TOOL_TOD) | TD_TOOL_BIT(TD_TOOL_SINCE) |
				       TD_TOOL_BIT(TD_TOOL_BOOT) | TD_TOOL_BIT(TD_TOOL_PID) |
				       TD_TOOL_BIT(TD_TOOL_TID) | TD_TOOL_BIT(TD_TOOL_COMM) |
				       TD_TOOL_BIT(TD_TOOL_NOTHING);

	return fields & TD_TOOL_BIT(f);
}

/* {"saddr":"10.0.0.1","dport":443}; 0: there is nothing to say. */
static uint32_t args_of(struct td_import *imp, const struct td_tools *t,
			const struct td_tool_row *row)
{
	_cleanup_(td_strbuf_done) struct td_strbuf b = TD_STRBUF_INIT;
	double number;

	for (unsigned i = 0; i < t->table.ncolumns; i++) {
		const struct td_tool_column *c = &t->table.columns[i];
		struct td_str cell = row->cells[i];

		if (is_who_or_when(c->field) ||
		    (t->table.tool == TD_TOOL_SPAN && c->field == TD_TOOL_LAT))
			continue;
		td_strbuf_adds(&b, b.len ? ",\"" : "{\"");
		add_name(&b, strcmp(c->heading->text, "-") == 0 ? "text" : c->heading->text);
		td_strbuf_adds(&b, "\":");
		if (td_json_number(cell, &number))
			td_strbuf_add(&b, cell.p, cell.len);
		else
			td_json_add_string(&b, cell);
	}
	if (b.len)
		td_strbuf_addc(&b, '}');
	/* a text that does not fit is left out: the store remembers that memory ran out */
	return b.len && td_strbuf_error(&b) == 0 ? td_store_string(imp->store, b.p, b.len) : 0;
}

static uint32_t thread_of(struct td_import *imp, const struct td_tools *t,
			  const struct td_tool_row *row, uint32_t process_id)
{
	if (!td_tool_has(&t->table, TD_TOOL_TID))
		return 0;
	return td_store_thread(imp->store, row->num[TD_TOOL_TID], process_id);
}

/* --- events --- */

static int put_call(struct td_import *imp, const struct td_tools *t, const struct td_tool_row *row,
		    int64_t ts_ns)
{
	struct td_str name = row->text[TD_TOOL_FUNC], args = no_text;
	struct td_call c = TD_CALL_INIT;
	struct td_scan ret;
	char lower[32];
	size_t n = TD_MIN(name.len, sizeof(lower));

	for (size_t i = 0; i < n; i++)
		lower[i] = (char)tolower((unsigned char)name.p[i]);
	for (unsigned i = 0; i < t->table.ncolumns; i++) {
		if (t->table.columns[i].heading->kind == TD_TOOL_REST)
			args = row->cells[i];
		if (t->table.columns[i].field != TD_TOOL_RET)
			continue;
		ret = td_scan_of(row->cells[i].p, row->cells[i].len);
		(void)td_scan_hex(&ret, (uint64_t *)&c.ret); /* shmsnoop prints %lx */
	}
	c.start_ns = ts_ns;
	c.op_id = td_store_op(imp->store, lower, n, TD_LAYER_SYSCALL);
	c.process_id = td_tools_process_of(imp, t, row);
	if (args.len)
		c.args_id = td_store_string(imp->store, args.p, args.len);
	return td_put_call(imp, &c);
}

static int put_wait(struct td_import *imp, const struct td_tools *t, const struct td_tool_row *row,
		    int64_t ts_ns)
{
	struct td_sched s = TD_SCHED_INIT;
	struct td_str comm = row->text[TD_TOOL_COMM];
	struct td_thread *thread;

	s.dur_ns = row->num[TD_TOOL_LAT];
	s.start_ns = ts_ns - s.dur_ns;
	s.thread_id = thread_of(imp, t, row, 0);
	s.state_id = td_store_cstr(imp->store, "runnable");
	thread = td_store_thread_at(imp->store, s.thread_id);
	if (thread)
		thread->name_id = td_store_string(imp->store, comm.p, comm.len);
	return td_put_sched(imp, &s);
}

static int put_span(struct td_import *imp, const struct td_tools *t, const struct td_tool_row *row,
		    int64_t ts_ns)
{
	struct td_span s = TD_SPAN_INIT;

	s.dur_ns = row->num[TD_TOOL_LAT];
	/* where there is no time, the row's number stands for it */
	s.start_ns = row->times ? ts_ns - s.dur_ns : ts_ns;
	s.kind_id = td_store_cstr(imp->store, "tool");
	s.name_id = td_store_cstr(imp->store, t->table.name);
	s.state_id = td_store_cstr(imp->store, "complete");
	s.process_id = td_tools_process_of(imp, t, row);
	s.thread_id = thread_of(imp, t, row, s.process_id);
	s.args_id = args_of(imp, t, row);
	return td_put_span(imp, &s);
}

static int put_mark(struct td_import *imp, const struct td_tools *t, const struct td_tool_row *row,
		    int64_t ts_ns)
{
	struct td_mark m = TD_MARK_INIT;

	m.ts_ns = ts_ns;
	m.name_id = td_store_cstr(imp->store, t->table.name);
	m.process_id = td_tools_process_of(imp, t, row);
	m.thread_id = thread_of(imp, t, row, m.process_id);
	m.args_id = args_of(imp, t, row);
	return td_put_mark(imp, &m);
}

int td_tools_put_event(struct td_import *imp, struct td_tools *t, const struct td_tool_row *row,
		       int64_t ts_ns)
{
	switch (t->table.tool) {
	case TD_TOOL_CALL:
		return put_call(imp, t, row, ts_ns);
	case TD_TOOL_WAIT:
		return put_wait(imp, t, row, ts_ns);
	case TD_TOOL_SPAN:
		return put_span(imp, t, row, ts_ns);
	default:
		return put_mark(imp, t, row, ts_ns);
	}
}

/* --- values --- */

static bool is_value(enum td_tool_field f)
{
	return f == TD_TOOL_SAMPLE || f == TD_TOOL_NUMBER || f == TD_TOOL_COUNT ||
	       f == TD_TOOL_BYTES || f == TD_TOOL_TOTAL;
}

/* What tells the row from others of the table, ", " between texts. all: also what samples have in columns. */
static void add_key(struct td_strbuf *b, const struct td_tools *t, const struct td_tool_row *row,
		    bool all)
{
	static const uint64_t times = TD_TOOL_BIT(TD_TOOL_TOD) | TD_TOOL_BIT(TD_TOOL_SINCE) |
				      TD_TOOL_BIT(TD_TOOL_NOTHING);

	if (t->title[0] && strcmp(t->table.name, "argdist") == 0)
		td_strbuf_adds(b, t->title);
	for (unsigned i = 0; i < t->table.ncolumns; i++) {
		enum td_tool_field f = t->table.columns[i].field;
		bool is_dimension = f == TD_TOOL_PID || f == TD_TOOL_COMM || f == TD_TOOL_DISK;

		if (is_value(f) || times & TD_TOOL_BIT(f) || (is_dimension && !all))
			continue;
		td_strbuf_adds(b, b->len ? ", " : "");
		td_strbuf_add(b, row->cells[i].p, row->cells[i].len);
	}
}

/* Unit and track of the column; the track's text is in b then. */
static const char *name_value(struct td_strbuf *b, const struct td_tools *t,
			      const struct td_tool_heading *h)
{
	td_strbuf_reset(b);
	if (h->field != TD_TOOL_SAMPLE)
		td_strbuf_addf(b, "%s.", t->table.name);
	if (h->track)
		td_strbuf_adds(b, h->track);
	else
		add_name(b, h->text);
	return h->field == TD_TOOL_BYTES ? "bytes" : h->unit ? h->unit : "";
}

static double value_of(const struct td_tools *t, const struct td_tool_row *row, unsigned column)
{
	enum td_tool_field f = t->table.columns[column].field;

	return f == TD_TOOL_SAMPLE || f == TD_TOOL_NUMBER || f == TD_TOOL_TOTAL
		       ? row->values[column]
		       : (double)row->num[f];
}

static int put_value_summaries(struct td_import *imp, const struct td_tools *t,
			       const struct td_tool_row *row)
{
	_cleanup_(td_strbuf_done) struct td_strbuf key = TD_STRBUF_INIT, name = TD_STRBUF_INIT;

	add_key(&key, t, row, true);
	for (unsigned i = 0; i < t->table.ncolumns; i++) {
		const struct td_tool_heading *h = t->table.columns[i].heading;
		const char *unit;

		if (!is_value(t->table.columns[i].field))
			continue;
		unit = name_value(&name, t, h);
		if (td_strbuf_error(&key) < 0 || td_strbuf_error(&name) < 0)
			return -ENOMEM;
		td_maps_summary(imp, (struct td_str){ name.p, name.len },
				(struct td_str){ key.p, key.len }, unit[0] ? unit : NULL, NAN, NAN,
				value_of(t, row, i));
	}
	return 0;
}

static int put_value_samples(struct td_import *imp, struct td_tools *t,
			     const struct td_tool_row *row, int64_t ts_ns)
{
	_cleanup_(td_strbuf_done) struct td_strbuf key = TD_STRBUF_INIT, name = TD_STRBUF_INIT;
	uint32_t process_id = td_tools_process_of(imp, t, row), device_id = 0;
	struct td_str disk = row->text[TD_TOOL_DISK];
	struct td_sample s = TD_SAMPLE_INIT;
	int r = 0;

	if (td_tool_has(&t->table, TD_TOOL_DISK))
		device_id = td_store_device(imp->store, TD_DEVICE_DISK, disk.p, disk.len, TD_NULL);
	add_key(&key, t, row, false);
	s.ts_ns = ts_ns;
	if (t->prev_table_ns != TD_NULL && t->prev_table_ns < ts_ns)
		s.dur_ns = ts_ns - t->prev_table_ns;
	for (unsigned i = 0; i < t->table.ncolumns && r >= 0; i++) {
		const char *unit;

		if (!is_value(t->table.columns[i].field))
			continue;
		unit = name_value(&name, t, t->table.columns[i].heading);
		if (key.len)
			td_strbuf_addf(&name, "[%s]", td_strbuf_str(&key));
		if (td_strbuf_error(&key) < 0 || td_strbuf_error(&name) < 0)
			return -ENOMEM;
		s.track_id = td_store_track(imp->store, imp->source_id, td_strbuf_str(&name), unit,
					    device_id, process_id);
		s.value = value_of(t, row, i);
		r = td_put_sample(imp, &s);
	}
	return r;
}

int td_tools_put_values(struct td_import *imp, struct td_tools *t, const struct td_tool_row *row)
{
	int64_t ts_ns = t->table_tod_ns;

	if (row->times) {
		if (!td_tools_time_of(imp, t, row, &ts_ns))
			return 1;
		if (t->table_tod_ns != ts_ns)
			t->prev_table_ns = t->table_tod_ns;
		t->table_tod_ns = ts_ns;
	} else if (ts_ns == TD_NULL) {
		return put_value_summaries(imp, t, row);
	} else if (!td_tools_clock(imp, t, TD_TOOLS_TIME_TOD)) {
		return 1;
	}
	return put_value_samples(imp, t, row, ts_ns);
}

/* --- sentences --- */

static int put_sample(struct td_import *imp, int64_t ts_ns, const char *track, double value)
{
	struct td_sample s = TD_SAMPLE_INIT;

	s.ts_ns = ts_ns;
	s.value = value;
	s.track_id = td_store_track(imp->store, imp->source_id, track, "", 0, 0);
	return td_put_sample(imp, &s);
}

/* " load averages: 2.091 2.048 1.947" */
static bool scan_loads(struct td_scan s, double ret[3])
{
	td_scan_blanks(&s);
	return td_scan_literal(&s, "load averages: ") && td_scan_double(&s, &ret[0]) &&
	       td_scan_blanks(&s) && td_scan_double(&s, &ret[1]) && td_scan_blanks(&s) &&
	       td_scan_double(&s, &ret[2]) && td_scan_done(&s);
}

/* ": PIDs/sec: 4" */
static bool scan_pids(struct td_scan s, double *ret)
{
	return td_scan_literal(&s, ": PIDs/sec: ") && td_scan_double(&s, ret) && td_scan_done(&s);
}

/* 'PID 3297 ("ntpd")' */
static bool scan_who(struct td_scan *s, uint64_t *ret_pid, struct td_str *ret_comm)
{
	const char *close;

	if (!td_scan_literal(s, "PID ") || !td_scan_u64(s, ret_pid) || *ret_pid > INT32_MAX ||
	    !td_scan_literal(s, " (\""))
		return false;
	close = td_find(s->p, (size_t)(s->end - s->p), "\")", 2);
	if (!close)
		return false;
	*ret_comm = (struct td_str){ s->p, (size_t)(close - s->p) };
	s->p = close + 2;
	return true;
}

struct oom {
	uint64_t by_pid, pid, pages;
	struct td_str by, comm;
};

/* ' Triggered by PID 3297 ("ntpd"), OOM kill of PID 22516 ("perl"), 3850642 pages, loadavg: ...' */
static bool scan_oom(struct td_scan s, struct oom *ret)
{
	const char *at;

	td_scan_blanks(&s);
	if (!td_scan_literal(&s, "Triggered by ") || !scan_who(&s, &ret->by_pid, &ret->by))
		return false;
	at = td_str_find(td_scan_rest(&s), "OOM kill of ");
	if (!at)
		return false;
	s.p = at + strlen("OOM kill of ");
	return scan_who(&s, &ret->pid, &ret->comm) && td_scan_literal(&s, ", ") &&
	       td_scan_u64(&s, &ret->pages) && td_scan_literal(&s, " pages");
}

static int put_oom(struct td_import *imp, int64_t ts_ns, const struct oom *oom)
{
	struct td_mark m = TD_MARK_INIT;
	char args[128];
	int n = snprintf(args, sizeof(args), "{\"pages\":%llu,\"triggered_by\":%llu}",
			 (unsigned long long)oom->pages, (unsigned long long)oom->by_pid);

	(void)td_store_process(imp->store, (int64_t)oom->by_pid, oom->by.p, oom->by.len);
	m.ts_ns = ts_ns;
	m.name_id = td_store_cstr(imp->store, "oomkill");
	m.process_id = td_store_process(imp->store, (int64_t)oom->pid, oom->comm.p, oom->comm.len);
	m.args_id = td_store_string(imp->store, args, (size_t)n);
	return td_put_mark(imp, &m);
}

bool td_tools_is_sentence(struct td_str rest)
{
	struct td_scan s = td_scan_of(rest.p, rest.len);
	struct oom oom;
	double values[3];

	return scan_loads(s, values) || scan_pids(s, values) || scan_oom(s, &oom);
}

int td_tools_sentence(struct td_import *imp, struct td_tools *t, struct td_str rest, int64_t tod_ns)
{
	static const char *const tracks[] = { "load.1min", "load.5min", "load.15min" };
	struct td_scan s = td_scan_of(rest.p, rest.len);
	struct oom oom;
	double values[3];
	int r = 0;

	if (!td_tools_is_sentence(rest))
		return TD_LINE_ISSUE + 1;
	if (!td_tools_clock(imp, t, TD_TOOLS_TIME_TOD))
		return td_reject(imp, "other-clock");
	tod_ns = td_tools_tod(imp, t, tod_ns);
	if (scan_oom(s, &oom))
		r = put_oom(imp, tod_ns, &oom);
	else if (scan_pids(s, values))
		r = put_sample(imp, tod_ns, "pids_per_second", values[0]);
	else if (scan_loads(s, values))
		for (size_t i = 0; i < 3 && r >= 0; i++)
			r = put_sample(imp, tod_ns, tracks[i], values[i]);
	return r < 0 ? r : TD_LINE_ROW;
}
