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
 *     %usr ...  track 'cpu.usr' and so on in %; %user and %system are the old names of usr and sys
 *     intr/s    track 'cpu.intr' in 1/s
 *
 * Rows are read from the right, since the time in front is of one to four words. Not read: averages,
 * the tables per NUMA node (-N) and per interrupt (-I), which are noted. Rows that bear their header's
 * time and have neither rows nor averages after them are of the time since boot: summaries.
 */
#include "common/array.h"
#include "common/cleanup.h"
#include "importers/importers.h"
#include "importers/mpstat.h"

#include <math.h>

#define MAX_COLUMNS 16

enum table { TABLE_NONE, TABLE_CPU, TABLE_OTHER };

struct header {
	struct td_str before; /* the time or label */
	enum table table;
	bool is_node;
	int columns[MAX_COLUMNS]; /* enum td_mpstat_column */
	unsigned ncolumns;
	unsigned ntopology; /* -T: columns CORE, SOCK, NODE in front */
};

struct row {
	struct td_str before;
	int64_t cpu;
	double values[MAX_COLUMNS];
	bool has_comma, is_cut;
};

struct held {
	struct td_sample sample;
	int64_t cpu;
	int column;
};

struct text {
	struct td_mpstat m;
	struct header header;
	unsigned nwrapped; /* of the last columns: on a line of their own, in mailed text */
	bool after_header; /* the line before was a header */
	int64_t header_ns; /* of the first header after a banner; TD_NULL: not seen */
	int64_t last_cpu; /* of the row before; for wrapped values */
	struct held *held; /* the first rows, if of the header's time */
	size_t nheld, held_cap;
	bool noted_node, noted_interrupts;
};

/* What every mpstat since 2011 prints; for a text that lost its header. */
static const struct header usual_header = {
	.table = TABLE_CPU,
	.columns = { TD_MPSTAT_USR, TD_MPSTAT_NICE, TD_MPSTAT_SYS, TD_MPSTAT_IOWAIT, TD_MPSTAT_IRQ,
		     TD_MPSTAT_SOFT, TD_MPSTAT_STEAL, TD_MPSTAT_GUEST, TD_MPSTAT_GNICE,
		     TD_MPSTAT_IDLE },
	.ncolumns = 10,
};

/* --- one line --- */

static bool is_topology(struct td_str s)
{
	return td_str_eq(s, "CORE") || td_str_eq(s, "SOCK") || td_str_eq(s, "NODE");
}

static bool scan_columns(struct td_scan *s, struct header *h)
{
	struct td_str token;

	h->table = TABLE_CPU;
	for (td_scan_blanks(s); td_scan_token(s, &token); td_scan_blanks(s)) {
		int column = td_mpstat_column(token);

		if (token.p[0] != '%' && !td_str_ends(token, "/s")) {
			if (!is_topology(token) || h->ncolumns)
				return false;
			h->ntopology++;
			continue;
		}
		if (column < 0 || h->ncolumns == MAX_COLUMNS) {
			h->table = TABLE_OTHER;
			continue;
		}
		h->columns[h->ncolumns++] = column;
	}
	return h->ncolumns > 0 || h->table == TABLE_OTHER;
}

/* "<time> CPU [CORE SOCK NODE] %usr ..." or with NODE in place of CPU. */
static bool scan_header(const char *line, size_t len, struct header *ret)
{
	struct td_scan s = td_scan_of(line, len);
	struct td_str token;

	if (!memmem(line, len, "CPU ", 4) && !memmem(line, len, "NODE ", 5))
		return false;
	*ret = (struct header){ .table = TABLE_NONE };
	for (td_scan_blanks(&s); td_scan_token(&s, &token); td_scan_blanks(&s)) {
		ret->is_node = td_str_eq(token, "NODE");
		if (!ret->is_node && !td_str_eq(token, "CPU"))
			continue;
		ret->before = (struct td_str){ line, (size_t)(token.p - line) };
		if (!scan_columns(&s, ret))
			return false;
		if (ret->is_node)
			ret->table = TABLE_OTHER;
		return true;
	}
	return false;
}

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
static bool scan_values(struct td_str *s, unsigned n, struct row *ret)
{
	struct td_str token;
	size_t last_decimals = 0;

	for (unsigned i = n; i-- > 0;) {
		struct td_scan t;

		if (!last_token(s, &token))
			return false;
		t = td_scan_of(token.p, token.len);
		if (!td_scan_double(&t, &ret->values[i]) || !td_scan_done(&t))
			return false;
		ret->has_comma |= memchr(token.p, ',', token.len) != NULL;
		if (i == n - 1)
			last_decimals = decimals(token);
		else if (last_decimals < decimals(token))
			ret->is_cut = true;
	}
	return true;
}

static bool scan_row(struct td_str s, const struct header *h, unsigned nvalues, struct row *ret)
{
	struct td_str token;

	ret->has_comma = ret->is_cut = false;
	if (!scan_values(&s, nvalues, ret) || !last_token(&s, &token))
		return false;
	/* the row of all CPUs leaves the cells of the topology blank */
	for (unsigned i = 0; i < h->ntopology && !td_str_eq(token, "all"); i++)
		if (!last_token(&s, &token))
			return false;
	ret->before = s;
	return td_mpstat_scan_cpu(token, &ret->cpu);
}

/* "Average:  all", "Moyenne :    0": a word with a colon where the time should be. */
static bool is_average(const char *line, size_t len)
{
	static const char wide_colon[] = "：";
	struct td_scan s;
	struct td_str token;
	size_t n = strcspn(line, "0123456789:\xef");
	int64_t cpu;

	if (n < len && line[n] == ':')
		n++;
	else if (len - n >= 3 && memcmp(line + n, wide_colon, 3) == 0)
		n += 3;
	else
		return false;
	s = td_scan_of(line + n, len - n);
	return td_scan_blanks(&s) && td_scan_token(&s, &token) && td_mpstat_scan_cpu(token, &cpu);
}

/* Takes out ESC [ ... letter (S_COLORS=always); the new length. */
static size_t strip_colours(char *line, size_t len)
{
	size_t to = 0;

	for (size_t i = 0; i < len;) {
		if (line[i] == '\033' && i + 1 < len && line[i + 1] == '[') {
			for (i += 2; i < len && (line[i] < '@' || line[i] > '~'); i++)
				;
			i++;
		} else {
			line[to++] = line[i++];
		}
	}
	line[to] = '\0';
	return to;
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

static const char *keep_text(struct td_import *imp, const char *text)
{
	uint32_t id = td_store_cstr(imp->store, text);

	return id ? td_store_text(imp->store, id).p : "";
}

/* Nothing came after the rows that bear their header's time. */
static void flush_since_boot(struct td_import *imp, struct text *t)
{
	if (t->nheld)
		td_note(imp, "since-boot",
			"averages since boot: kept as a summary, not as samples");
	for (size_t i = 0; i < t->nheld; i++) {
		const struct held *h = &t->held[i];
		struct td_summary s = { .source_id = imp->source_id, .low = NAN, .high = NAN };
		char key[64] = "all";

		if (h->cpu != TD_MPSTAT_ALL)
			(void)snprintf(key, sizeof(key), "CPU %lld", (long long)h->cpu);
		s.name = td_mpstat_names[h->column];
		s.key = keep_text(imp, key);
		s.unit = h->column == TD_MPSTAT_INTR ? "1/s since boot" : "% since boot";
		s.value = h->sample.value;
		td_store_summary(imp->store, &s);
	}
	t->nheld = 0;
}

static int put(struct td_import *imp, struct text *t, int64_t cpu, int column, double value)
{
	struct td_sample sample;
	int r;

	r = td_mpstat_sample(imp, &t->m, cpu, (enum td_mpstat_column)column, value, &sample);
	if (r < 0)
		return r;
	if (t->nheld && t->held[0].cpu == cpu && t->held[0].column == column) {
		r = flush_samples(imp, t); /* there are no seconds to tell the groups apart */
		if (r < 0)
			return r;
	}
	if (t->m.group_ns != t->header_ns)
		return td_put_sample(imp, &sample);
	r = td_grow(&t->held, &t->held_cap, t->nheld);
	if (r < 0)
		return r;
	t->held[t->nheld++] = (struct held){ sample, cpu, column };
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
	t->header.table = TABLE_NONE;
	td_mpstat_banner(imp, &t->m, date);
	td_import_set_tool(imp, "mpstat", NULL, host[0] ? host : NULL);
	return TD_LINE_SKIPPED;
}

static void note_other_table(struct td_import *imp, struct text *t, const struct header *h)
{
	bool *noted = h->is_node ? &t->noted_node : &t->noted_interrupts;

	if (!*noted && h->is_node)
		td_note(imp, "node-table", "the table per NUMA node is not read");
	else if (!*noted)
		td_note(imp, "interrupt-table", "the table per interrupt is not read");
	*noted = true;
}

/* Only a mpstat that was given an interval prints averages. */
static int average_line(struct td_import *imp, struct text *t)
{
	int r = flush_samples(imp, t);

	return r < 0 ? r : TD_LINE_SKIPPED;
}

static int header_line(struct td_import *imp, const struct header *h)
{
	struct text *t = imp->state;
	struct td_mpstat_time time;

	if (!td_mpstat_scan_time(h->before, &time))
		return average_line(imp, t);
	if (t->m.prev_ns == TD_NULL && t->m.group_ns == TD_NULL)
		t->m.prev_ns = t->header_ns = td_mpstat_unwrap(imp, &t->m, &time);
	t->header = *h;
	t->nwrapped = 0;
	t->after_header = true;
	if (h->table == TABLE_OTHER)
		note_other_table(imp, t, h);
	return TD_LINE_SKIPPED;
}

/* The rest of a header that a mail program wrapped. */
static bool continue_header(struct text *t, const char *line, size_t len)
{
	struct td_scan s = td_scan_of(line, len);
	struct header more = { .table = TABLE_NONE };

	if (!scan_columns(&s, &more) || more.table != TABLE_CPU || more.ntopology ||
	    t->header.ncolumns + more.ncolumns > MAX_COLUMNS)
		return false;
	for (unsigned i = 0; i < more.ncolumns; i++)
		t->header.columns[t->header.ncolumns++] = more.columns[i];
	t->nwrapped = more.ncolumns;
	return true;
}

static int put_values(struct td_import *imp, int64_t cpu, const int *columns, const double *values,
		      unsigned n)
{
	for (unsigned i = 0; i < n; i++) {
		int r = put(imp, imp->state, cpu, columns[i], values[i]);

		if (r < 0)
			return r;
	}
	return TD_LINE_ROW;
}

static int put_row(struct td_import *imp, const struct header *h, const struct row *row,
		   unsigned nvalues)
{
	struct text *t = imp->state;
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
	t->last_cpu = row->cpu;
	return put_values(imp, row->cpu, h->columns, row->values, nvalues);
}

static int row_line(struct td_import *imp, const char *line, size_t len)
{
	struct text *t = imp->state;
	const struct header *h = t->header.table == TABLE_NONE ? &usual_header : &t->header;
	unsigned nvalues = h->ncolumns - t->nwrapped;
	struct td_str s = { line, len };
	struct row row;

	if (h->table == TABLE_OTHER)
		return TD_LINE_SKIPPED;
	if (scan_row(s, h, nvalues, &row)) {
		if (row.is_cut)
			return td_reject(imp, imp->line_unterminated ? "cut-line" : "spoilt-line");
		if (h == &usual_header)
			td_repair(imp, "assumed-columns");
		return put_row(imp, h, &row, nvalues);
	}
	if (t->nwrapped && t->m.group_ns != TD_NULL && scan_values(&s, t->nwrapped, &row) &&
	    strspn(line, " \t") >= s.len)
		return put_values(imp, t->last_cpu, h->columns + nvalues, row.values, t->nwrapped);
	if (imp->line_unterminated)
		return td_reject(imp, "cut-line");
	if (!td_mpstat_scan_time((struct td_str){ line, len }, &(struct td_mpstat_time){ 0 }))
		return td_reject(imp, "unknown-line");
	return td_reject(imp, h == &usual_header ? "no-header" : "spoilt-line");
}

static int mpstat_line(struct td_import *imp, char *line, size_t len)
{
	struct text *t = imp->state;
	bool after_header = t->after_header;
	struct header h;

	if (memchr(line, '\033', len))
		len = strip_colours(line, len);
	while (len >= 2 && line[0] == '^' && line[1] == 'C') { /* the terminal's echo */
		line += 2;
		len -= 2;
	}
	t->after_header = false;
	if (strspn(line, " \t") >= len || td_str_starts((struct td_str){ line, len }, "zzz ***"))
		return TD_LINE_SKIPPED; /* OSWatcher's separator */
	if (td_str_starts((struct td_str){ line, len }, "Linux "))
		return banner_line(imp, line, len);
	if (scan_header(line, len, &h))
		return header_line(imp, &h);
	if (is_average(line, len))
		return average_line(imp, t);
	if (after_header && continue_header(t, line, len))
		return TD_LINE_SKIPPED;
	return row_line(imp, line, len);
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
	td_mpstat_done(&t->m);
	return 0;
}

/* sar -u has the same columns in another order: there %steal follows %iowait. */
static bool is_mpstat_header(const struct header *h)
{
	struct td_mpstat_time time;

	for (unsigned i = 0; i + 1 < h->ncolumns; i++)
		if (h->columns[i] == TD_MPSTAT_IOWAIT && h->columns[i + 1] == TD_MPSTAT_STEAL)
			return false;
	return h->ncolumns > 0 && (!h->before.len || td_mpstat_scan_time(h->before, &time) ||
				   h->columns[0] == TD_MPSTAT_USR);
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

	for (const char *p = head; p < end; p = newline + 1) {
		struct header h;

		newline = memchr(p, '\n', (size_t)(end - p));
		if (!newline)
			newline = end;
		if (!is_quoted(p, newline) && scan_header(p, (size_t)(newline - p), &h) &&
		    is_mpstat_header(&h))
			return 90;
	}
	return 0;
}

const struct td_importer td_importer_mpstat = {
	.name = "mpstat",
	.desc = "mpstat: utilisation per CPU, any language and age",
	.clock = TD_CLOCK_LOCAL,
	.state_size = sizeof(struct text),
	.sniff = mpstat_sniff,
	.begin = mpstat_begin,
	.line = mpstat_line,
	.end = mpstat_end,
};
