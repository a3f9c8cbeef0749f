/* SPDX-License-Identifier: MIT */
/*
 * mpstat's text, of any age and in any language:
 *
 *     Linux 5.15.0 (box)      05/01/2024      _x86_64_        (8 CPU)
 *
 *     10:00:00 AM  CPU    %usr   %nice    %sys %iowait    %irq   %soft  %steal  %guest  %gnice   %idle
 *     10:00:01 AM  all    6.34    0.00    2.05    0.51    0.00    0.34    0.00    0.00    0.00   90.76
 *     10:00:01 AM    0    4.00    0.00    1.00    0.00    0.00    0.00    0.00    0.00    0.00   95.00
 *     Average:     all    6.34    0.00    2.05    0.51    0.00    0.34    0.00    0.00    0.00   90.76
 *
 *     time      end of the period, which began at the time of the rows before or, for the first ones,
 *               at the header's time. LOCAL with the banner's date, LOCAL_TOD without; -U: UTC
 *     CPU       device 'CPU 0'; none for all
 *     NODE      the same columns per NUMA node (-N): device 'NODE 0', tracks 'node.usr' and so on
 *     CORE ...  where the CPU sits (-T): summaries cpu.core, cpu.socket, cpu.node
 *     %usr ...  track 'cpu.usr' and so on in %; %user and %system are the old names of usr and sys
 *     intr/s    track 'cpu.intr' in 1/s
 *     24/s ...  tracks 'irq.24', 'irq.NMI' (-I CPU), 'softirq.NET_RX' (-I SCPU) and so on in 1/s
 *
 * Rows are read from the right, since the time in front is of one to four words. Averages are not read.
 * Rows that bear their header's time and have neither rows nor averages after them are of the time since
 * boot: summaries. OSWatcher's lines ("zzz ***Tue Apr 23 06:13:44 EDT 2013") give the date, too.
 */
#include "common/array.h"
#include "common/cleanup.h"
#include "importers/core/importers.h"
#include "importers/sysstat/mpstat_tables.h"
#include "importers/sysstat/machine.h"

#include <math.h>

struct row {
	struct td_str before;
	int64_t number;
	int64_t topology[TD_MPSTAT_TOPOLOGY_MAX]; /* TD_NULL: blank */
	bool has_comma, is_cut;
	bool has_decimals; /* in the last value */
};

/* A value of the first rows, which may be of the time since boot. */
struct held {
	struct td_sample sample;
	enum td_mpstat_of of;
	int64_t number;
	const char *track, *unit;
};

struct text {
	struct td_mpstat m;
	struct td_mpstat_table *tables; /* owned */
	struct td_mpstat_table *table; /* of the rows that come; NULL: no header yet */
	bool after_header; /* the line before was a header */
	bool has_banner;
	int64_t header_ns; /* of the first header after a banner; TD_NULL: not seen */
	int64_t last_number; /* of the row before; for wrapped values */
	struct held *held; /* the first rows, if of the header's time */
	size_t nheld, held_cap;
};

/* What every mpstat since 2011 prints; for a text that lost its header. */
static const char usual_columns[] = "%usr %nice %sys %iowait %irq %soft %steal %guest %gnice %idle";
static const struct td_mpstat_header usual_header = {
	.of = TD_MPSTAT_OF_CPU,
	.head = { usual_columns, sizeof(usual_columns) - 1 },
};

/* --- one line --- */

/* Takes the last word off s. */
static bool last_token(struct td_str *s, struct td_str *ret)
{
	size_t end = s->len, from;

	while (end && (s->p[end - 1] == ' ' || s->p[end - 1] == '\t'))
		end--;
	for (from = end; from && s->p[from - 1] != ' ' && s->p[from - 1] != '\t'; from--)
		;
	*ret = (struct td_str){ s->p + from, end - from };
	s->len = from;
	return from < end;
}

static size_t decimals(struct td_str s)
{
	for (size_t i = s.len; i-- > 0;)
		if (s.p[i] == '.' || s.p[i] == ',')
			return s.len - i;
	return 0;
}

/* The last n values of the text, which is shortened by them. */
static bool scan_values(struct td_str *s, size_t n, double *values, struct row *ret)
{
	struct td_str token;
	size_t last_decimals = 0;

	for (size_t i = n; i-- > 0;) {
		struct td_scan t;

		if (!last_token(s, &token))
			return false;
		t = td_scan_of(token.p, token.len);
		if (!td_scan_double(&t, &values[i]) || !td_scan_done(&t))
			return false;
		ret->has_comma |= memchr(token.p, ',', token.len) != NULL;
		if (i == n - 1) {
			last_decimals = decimals(token);
			ret->has_decimals = last_decimals > 0;
		} else if (last_decimals < decimals(token))
			ret->is_cut = true;
	}
	return true;
}

/* A row's values are in t->values then. */
static bool scan_row(struct td_str s, struct td_mpstat_table *t, struct row *ret)
{
	struct td_str token;

	*ret = (struct row){ .topology = { TD_NULL, TD_NULL, TD_NULL } };
	if (!scan_values(&s, t->ncolumns - t->nwrapped, t->values, ret) || !last_token(&s, &token))
		return false;
	/* the row of all CPUs leaves the cells of the topology blank */
	for (unsigned i = t->ntopology; i > 0 && !td_str_eq(token, "all"); i--) {
		struct td_scan cell = td_scan_of(token.p, token.len);

		(void)td_scan_i64(&cell, &ret->topology[i - 1]);
		if (!last_token(&s, &token))
			return false;
	}
	ret->before = s;
	return td_mpstat_scan_number(token, &ret->number);
}

/* "Average:  all", "Moyenne :    0": a word with a colon where the time should be. */
static bool is_average(const char *line, size_t len)
{
	static const char wide_colon[] = "：";
	struct td_scan s;
	struct td_str token;
	size_t n = strcspn(line, "0123456789:\xef");
	int64_t number;

	if (n < len && line[n] == ':')
		n++;
	else if (len - n >= 3 && memcmp(line + n, wide_colon, 3) == 0)
		n += 3;
	else
		return false;
	s = td_scan_of(line + n, len - n);
	return td_scan_blanks(&s) && td_scan_token(&s, &token) &&
	       td_mpstat_scan_number(token, &number);
}

/* --- rows since boot --- */

/* They are samples after all. */
static int flush_samples(struct td_import *imp, struct text *t)
{
	t->header_ns = TD_NULL;
	for (size_t i = 0; i < t->nheld; i++) {
		int r = td_put_sample(imp, &t->held[i].sample);

		if (r < 0)
			return r;
	}
	t->nheld = 0;
	return 0;
}

/* Nothing came after the rows that bear their header's time. */
static void flush_since_boot(struct td_import *imp, struct text *t)
{
	if (t->nheld)
		td_note(imp, "since-boot",
			"averages since boot: kept as a summary, not as samples");
	for (size_t i = 0; i < t->nheld; i++) {
		const struct held *h = &t->held[i];
		struct td_summary s = TD_SUMMARY_INIT(imp->source_id);

		s.name = h->track;
		s.key = td_mpstat_key(imp, h->of, h->number);
		s.unit = h->unit[0] == '%' ? "% since boot" : "1/s since boot";
		s.value = h->sample.value;
		td_store_summary(imp->store, &s);
	}
	t->nheld = 0;
}

static bool is_first_held(const struct text *t, int64_t number, const char *track)
{
	return t->nheld && t->held[0].of == t->table->of && t->held[0].number == number &&
	       t->held[0].track == track;
}

static int put(struct td_import *imp, struct text *t, int64_t number, size_t column,
	       uint32_t track_id)
{
	const struct td_mpstat_cells *c = &t->table->columns[column];
	struct td_sample sample = td_mpstat_sample(&t->m, track_id, t->table->values[column]);
	int r;

	if (is_first_held(t, number, c->track)) {
		r = flush_samples(imp, t); /* there are no seconds to tell the groups apart */
		if (r < 0)
			return r;
	}
	if (t->m.group_ns != t->header_ns)
		return td_put_sample(imp, &sample);
	r = td_grow(&t->held, &t->held_cap, t->nheld);
	if (r < 0)
		return r;
	t->held[t->nheld++] = (struct held){ sample, t->table->of, number, c->track, c->unit };
	return 0;
}

/* --- what the lines are --- */

/* "Linux <release> (<host>) \t<date> \t_<machine>_\t(<n> CPU)"; old ones end after the date. */
static int banner_line(struct td_import *imp, const char *line, size_t len)
{
	struct text *t = imp->state;
	struct td_scan s = td_scan_of(line, len);
	struct td_str token, date;
	const char *end;
	char host[256] = "";

	flush_since_boot(imp, t);
	(void)td_scan_literal(&s, "Linux ");
	(void)td_scan_token(&s, &token);
	td_scan_blanks(&s);
	end = td_scan_done(&s) ? NULL : memchr(s.p, ')', (size_t)(s.end - s.p));
	if (end && *s.p == '(') {
		(void)snprintf(host, sizeof(host), "%.*s", (int)TD_MIN(end - s.p - 1, 255),
			       s.p + 1);
		s.p = end + 1;
	}
	date = td_scan_rest(&s);
	for (size_t i = 1; i < date.len; i++)
		if (date.p[i] == '_' && (date.p[i - 1] == ' ' || date.p[i - 1] == '\t'))
			date.len = i;
	t->header_ns = TD_NULL;
	t->table = NULL;
	t->has_banner = true;
	td_mpstat_banner(imp, &t->m, date);
	td_import_set_tool(imp, "mpstat", NULL, host[0] ? host : NULL);
	return TD_LINE_SKIPPED;
}

/* "zzz ***Tue Apr 23 06:13:44 EDT 2013": OSWatcher prints it above each run of mpstat. */
static int separator_line(struct td_import *imp, struct text *t, struct td_str line)
{
	int64_t days;

	if (!td_mpstat_scan_zzz(line, &days))
		return TD_LINE_SKIPPED;
	t->m.hint_days = days;
	if (!t->has_banner) {
		flush_since_boot(imp, t);
		t->header_ns = TD_NULL;
		td_mpstat_begin_part(&t->m, days);
	}
	return TD_LINE_SKIPPED;
}

/* Only a mpstat that was given an interval prints averages. */
static int average_line(struct td_import *imp, struct text *t)
{
	int r = flush_samples(imp, t);

	return r < 0 ? r : TD_LINE_SKIPPED;
}

static int header_line(struct td_import *imp, const struct td_mpstat_header *h)
{
	struct text *t = imp->state;
	struct td_mpstat_time time;

	if (!td_mpstat_scan_time(h->before, &time))
		return average_line(imp, t);
	if (t->m.prev_ns == TD_NULL && t->m.group_ns == TD_NULL)
		t->m.prev_ns = t->header_ns = td_mpstat_unwrap(imp, &t->m, &time);
	t->table = td_mpstat_table_of(imp, &t->tables, h);
	t->after_header = true;
	return t->table ? TD_LINE_SKIPPED : -ENOMEM;
}

/* Values of columns from..to of the table. */
static int put_values(struct td_import *imp, struct text *t, const struct row *row, size_t from,
		      size_t to)
{
	bool is_new;
	const uint32_t *ids = td_mpstat_table_row(imp, t->table, row->number, &is_new);
	int r = ids ? 0 : -ENOMEM;

	for (unsigned i = 0; r >= 0 && is_new && i < t->table->ntopology; i++)
		if (row->topology[i] != TD_NULL)
			td_mpstat_topology(imp, row->number, t->table->topology[i],
					   row->topology[i]);
	for (size_t i = from; r >= 0 && i < to; i++)
		r = put(imp, t, row->number, i, ids[i]);
	return r < 0 ? r : TD_LINE_ROW;
}

static int put_row(struct td_import *imp, struct text *t, const struct row *row)
{
	struct td_mpstat_time time;
	int64_t ns;

	if (!td_mpstat_scan_time(row->before, &time))
		return td_reject(imp, "spoilt-line");
	ns = td_mpstat_unwrap(imp, &t->m, &time);
	t->m.has_comma |= row->has_comma;
	if (!td_mpstat_begin_row(imp, &t->m, ns, &time))
		return td_reject(imp, "clock-changed");
	if (t->nheld && ns != t->header_ns) {
		int r = flush_samples(imp, t);

		if (r < 0)
			return r;
	}
	t->last_number = row->number;
	return put_values(imp, t, row, 0, t->table->ncolumns - t->table->nwrapped);
}

/* The values that did not fit into the line before: nothing but them stands here. */
static bool scan_wrapped(struct td_str s, struct td_mpstat_table *t, struct row *ret)
{
	size_t blanks = strspn(s.p, " \t");

	*ret = (struct row){ .topology = { TD_NULL, TD_NULL, TD_NULL } };
	return t->nwrapped &&
	       scan_values(&s, t->nwrapped, t->values + t->ncolumns - t->nwrapped, ret) &&
	       blanks >= s.len;
}

static int row_line(struct td_import *imp, struct text *t, struct td_str line)
{
	bool assumed = !t->table;
	struct row row;

	if (assumed)
		t->table = td_mpstat_table_of(imp, &t->tables, &usual_header);
	if (!t->table)
		return -ENOMEM;
	if (scan_row(line, t->table, &row)) {
		bool is_cut = row.is_cut || (imp->line_unterminated && !row.has_decimals);
		int r = is_cut ? td_reject(imp, imp->line_unterminated ? "cut-line" : "spoilt-line")
			       : put_row(imp, t, &row);

		if (assumed && r == TD_LINE_ROW)
			td_repair(imp, "assumed-columns");
		t->table = assumed ? NULL : t->table;
		return r;
	}
	if (t->m.group_ns != TD_NULL && scan_wrapped(line, t->table, &row)) {
		row.number = t->last_number;
		return put_values(imp, t, &row, t->table->ncolumns - t->table->nwrapped,
				  t->table->ncolumns);
	}
	t->table = assumed ? NULL : t->table;
	if (imp->line_unterminated)
		return td_reject(imp, "cut-line");
	if (!td_mpstat_scan_time(line, &(struct td_mpstat_time){ 0 }))
		return td_reject(imp, "unknown-line");
	return td_reject(imp, assumed ? "no-header" : "spoilt-line");
}

static int mpstat_line(struct td_import *imp, char *line, size_t len)
{
	struct text *t = imp->state;
	bool after_header = t->after_header;
	struct td_mpstat_header h;

	if (memchr(line, '\033', len))
		len = td_mpstat_strip_colours(line, len);
	while (len >= 2 && line[0] == '^' && line[1] == 'C') { /* the terminal's echo */
		line += 2;
		len -= 2;
	}
	t->after_header = false;
	if (strspn(line, " \t") >= len)
		return TD_LINE_SKIPPED;
	if (td_str_starts((struct td_str){ line, len }, "zzz ***"))
		return separator_line(imp, t, (struct td_str){ line, len });
	if (td_str_starts((struct td_str){ line, len }, "Linux "))
		return banner_line(imp, line, len);
	if (td_mpstat_scan_header(line, len, &h))
		return header_line(imp, &h);
	if (is_average(line, len))
		return average_line(imp, t);
	if (after_header && td_mpstat_continue_header(imp, t->table, line, len))
		return TD_LINE_SKIPPED;
	return row_line(imp, t, (struct td_str){ line, len });
}

static int mpstat_begin(struct td_import *imp, struct td_err *err)
{
	struct text *t = imp->state;

	(void)err;
	td_mpstat_init(&t->m);
	t->header_ns = TD_NULL;
	return 0;
}

static int mpstat_end(struct td_import *imp)
{
	struct text *t = imp->state;

	flush_since_boot(imp, t);
	free(t->held);
	td_mpstat_tables_free(t->tables);
	return 0;
}

/* In a comment or a string of a program, in a table of a document. */
static bool is_quoted(const char *p, const char *end)
{
	struct td_scan s = { p, end };

	(void)td_scan_blanks(&s);
	return memchr(p, '"', (size_t)(end - p)) ||
	       (s.p < end && memchr("'`*#/|", *s.p, strlen("'`*#/|")));
}

static int mpstat_sniff(const char *head, size_t len)
{
	const char *end = head + len, *newline;

	/* a word of every header: most texts have neither, and need no look at their lines */
	if (!td_find(head, len, "CPU ", 4) && !td_find(head, len, "NODE ", 5))
		return 0;
	for (const char *p = head; p < end; p = newline + 1) {
		struct td_mpstat_header h;

		newline = memchr(p, '\n', (size_t)(end - p));
		if (!newline)
			break; /* cut, what there is of it may be sar's header */
		if (!is_quoted(p, newline) && td_mpstat_scan_header(p, (size_t)(newline - p), &h) &&
		    td_mpstat_is_own_header(&h))
			return 90;
	}
	return 0;
}

const struct td_importer td_importer_mpstat = {
	.name = "mpstat",
	.desc = "mpstat: utilisation and interrupts per CPU and NUMA node, any language and age",
	.clock = TD_CLOCK_LOCAL,
	.state_size = sizeof(struct text),
	.sniff = mpstat_sniff,
	.surest = 90,
	.host = td_sysstat_text_host,
	.host_marks = td_sysstat_text_host_marks,
	.begin = mpstat_begin,
	.line = mpstat_line,
	.takes_tail = td_mpstat_is_number_end,
	.end = mpstat_end,
};
