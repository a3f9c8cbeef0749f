/* SPDX-License-Identifier: MIT */
/*
 *     % time     seconds  usecs/call     calls    errors syscall
 *     ------ ----------- ----------- --------- --------- ----------------
 *      48.68    0.090894        2673        34           clock_nanosleep
 *     ------ ----------- ----------- --------- --------- ----------------
 *     100.00    0.186729          50      3685       441 total
 *
 * -U chooses columns and their order; the name may come first. 'errors' is blank where there are none,
 * old versions leave 'usecs/call' of the total blank. Numbers may have a decimal comma. Stored:
 * summary.name 'strace.calls', 'strace.errors', 'strace.seconds', 'strace.shortest', 'strace.longest'
 * with the system call as key; shares, averages and the total follow from these.
 */
#include "common/cleanup.h"
#include "importers/strace/summary.h"

static const struct {
	const char *header;
	const char *name; /* NULL: not stored */
	const char *unit;
} columns[TD_STRACE_NCOLS] = {
	[TD_STRACE_COL_PERCENT] = { "time", NULL, NULL }, /* "% time"; one log lost the "% " */
	[TD_STRACE_COL_SECONDS] = { "seconds", "strace.seconds", "s" },
	[TD_STRACE_COL_USECS] = { "usecs/call", NULL, NULL },
	[TD_STRACE_COL_CALLS] = { "calls", "strace.calls", NULL },
	[TD_STRACE_COL_ERRORS] = { "errors", "strace.errors", NULL },
	[TD_STRACE_COL_SHORTEST] = { "shortest", "strace.shortest", "s" },
	[TD_STRACE_COL_LONGEST] = { "longest", "strace.longest", "s" },
	[TD_STRACE_COL_NAME] = { "syscall", NULL, NULL },
};

static int column_of(struct td_str header)
{
	for (int i = 0; i < TD_STRACE_NCOLS; i++)
		if (td_str_eq(header, columns[i].header))
			return i;
	return -1;
}

bool td_strace_summary_header(struct td_strace_summary *t, struct td_str line)
{
	struct td_scan s = td_scan_of(line.p, line.len);
	struct td_strace_summary n = { .active = true };
	bool name = false, numbers = false;
	struct td_str token;

	for (;;) {
		int c;

		(void)td_scan_blanks(&s);
		if (!td_scan_token(&s, &token))
			break;
		if (td_str_eq(token, "%"))
			continue;
		c = column_of(token);
		if (c < 0 || n.n == TD_STRACE_NCOLS)
			return false;
		n.columns[n.n++] = (enum td_strace_column)c;
		name |= c == TD_STRACE_COL_NAME;
		numbers |= c == TD_STRACE_COL_CALLS || c == TD_STRACE_COL_SECONDS;
	}
	if (!name || !numbers)
		return false;
	*t = n;
	return true;
}

/* The dashes give the columns their places. */
static void read_dashes(struct td_strace_summary *t, struct td_str line)
{
	unsigned n = 0;

	for (size_t i = 0; i < line.len && n < t->n; i++)
		if (line.p[i] == '-' && (i + 1 == line.len || line.p[i + 1] != '-'))
			t->ends[n++] = i + 1;
}

/* The column that the token ending at 'end' stands in: numbers are flush right, the name is flush
 * left. Without dashes, or where a wide number shifts the rest, the token's count decides. */
static unsigned place_of(const struct td_strace_summary *t, size_t from, size_t end, unsigned next)
{
	for (unsigned c = next; c < t->n; c++) {
		size_t begin = c ? t->ends[c - 1] : 0;

		if (t->columns[c] == TD_STRACE_COL_NAME ? from >= begin && from < t->ends[c]
							: end == t->ends[c])
			return c;
	}
	return next;
}

static void put(struct td_import *imp, enum td_strace_column c, struct td_str key, double value)
{
	struct td_summary s = TD_SUMMARY_INIT(imp->source_id);

	if (!columns[c].name)
		return;
	s.value = value;
	s.name = td_import_keep_cstr(imp, columns[c].name);
	s.key = td_import_keep(imp, key).p;
	s.unit = columns[c].unit ? td_import_keep_cstr(imp, columns[c].unit) : NULL;
	td_store_summary(imp->store, &s);
}

static bool is_name(struct td_str s)
{
	for (size_t i = 0; i < s.len; i++)
		if (!(s.p[i] >= 'a' && s.p[i] <= 'z') && !td_is_digit(s.p[i]) && s.p[i] != '_' &&
		    !(s.p[i] >= 'A' && s.p[i] <= 'Z') && s.p[i] != '?')
			return false;
	return s.len > 0;
}

/* The cells of a row: values[c] is NaN where the column is blank. */
static bool read_row(const struct td_strace_summary *t, struct td_str line, double *values,
		     struct td_str *ret_name)
{
	struct td_scan s = td_scan_of(line.p, line.len);
	struct td_str token;
	unsigned next = 0;

	*ret_name = (struct td_str){ NULL, 0 };
	for (unsigned c = 0; c < TD_STRACE_NCOLS; c++)
		values[c] = NAN;
	for ((void)td_scan_blanks(&s); td_scan_token(&s, &token); (void)td_scan_blanks(&s)) {
		size_t from = (size_t)(token.p - line.p);
		struct td_scan number = td_scan_of(token.p, token.len);
		unsigned c = place_of(t, from, from + token.len, next);

		/* a blank cell before the name */
		while (c < t->n && t->columns[c] != TD_STRACE_COL_NAME &&
		       (token.p[0] < '0' || token.p[0] > '9'))
			c++;
		if (c >= t->n)
			return false;
		next = c + 1;
		if (t->columns[c] == TD_STRACE_COL_NAME)
			*ret_name = token;
		else if (!td_scan_double(&number, &values[t->columns[c]]) || !td_scan_done(&number))
			return false;
	}
	return next > 1 && is_name(*ret_name);
}

static bool is_dashes(struct td_str line)
{
	for (size_t i = 0; i < line.len; i++)
		if (line.p[i] != '-' && line.p[i] != ' ')
			return false;
	return line.len > 0 && line.p[0] == '-';
}

int td_strace_summary_line(struct td_import *imp, struct td_strace_summary *t, struct td_str line)
{
	double values[TD_STRACE_NCOLS];
	struct td_str name;

	if (is_dashes(line)) {
		read_dashes(t, line);
		return TD_LINE_SKIPPED;
	}
	if (!read_row(t, line, values, &name))
		return TD_STRACE_NO_TABLE;
	if (td_str_eq(name, "total")) {
		t->active = false;
		return TD_LINE_SKIPPED;
	}
	for (unsigned c = 0; c < TD_STRACE_NCOLS; c++)
		if (!isnan(values[c]))
			put(imp, (enum td_strace_column)c, name, values[c]);
	return TD_LINE_ROW;
}
