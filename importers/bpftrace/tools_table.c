/* SPDX-License-Identifier: MIT */
#include "common/cleanup.h"
#include "importers/bpftrace/tools_table.h"

#define COMM_MAX 64 /* workers of the kernel have longer names than TASK_COMM_LEN in /proc */

/* --- header --- */

static bool has_heading(const struct td_tool_table *t, const char *text)
{
	for (unsigned i = 0; i < t->ncolumns; i++)
		if (strcmp(t->columns[i].heading->text, text) == 0)
			return true;
	return false;
}

/* Can a table have several columns of it? */
static bool may_repeat(enum td_tool_field f)
{
	return f >= TD_TOOL_SAMPLE;
}

/* The parent's name is that of the process only where there is no other. */
static void settle_names(struct td_tool_table *t)
{
	bool both = has_heading(t, "COMM") && has_heading(t, "PCOMM");

	for (unsigned i = 0; both && i < t->ncolumns; i++)
		if (strcmp(t->columns[i].heading->text, "PCOMM") == 0)
			t->columns[i].field = TD_TOOL_WORDS;
}

static void swap_columns(struct td_tool_table *t, unsigned a, unsigned b)
{
	struct td_tool_column old = t->columns[a];

	/* what the cells are, not where they stand */
	t->columns[a].field = t->columns[b].field;
	t->columns[a].heading = t->columns[b].heading;
	t->columns[b].field = old.field;
	t->columns[b].heading = old.heading;
}

static bool is_named(const struct td_tool_table *t, const char *name)
{
	return t->tool != TD_TOOL_NONE && t->name && strcmp(t->name, name) == 0;
}

/* The column is to be read as one with that heading. */
static void read_as(struct td_tool_table *t, unsigned column, const char *heading)
{
	struct td_scan s = td_scan_of(heading, strlen(heading));
	const struct td_tool_heading *h = td_tool_heading_at(&s, ' ');

	if (!h)
		return;
	t->columns[column].heading = h;
	t->columns[column].field = h->field;
	t->fields |= TD_TOOL_BIT(h->field);
}

/* uflow prints seconds under TIME(us); TIME of ugc is how long it took. */
static void mend_language_tools(struct td_tool_table *t)
{
	for (unsigned i = 0; i < t->ncolumns; i++) {
		const char *text = t->columns[i].heading->text;

		if (is_named(t, "uflow") && strcmp(text, "TIME(us)") == 0)
			read_as(t, i, "TIME(s)");
		else if (is_named(t, "ugc") && strcmp(text, "TIME (us)") == 0)
			read_as(t, i, "LAT(us)");
		else if (is_named(t, "ugc") && strcmp(text, "TIME (ms)") == 0)
			read_as(t, i, "LAT(ms)");
	}
}

/* What the headings alone do not say. */
static void mend_header(struct td_tool_table *t)
{
	/* naptime.bt prints "PCOMM PPID COMM PID" over rows of PPID, PCOMM, PID, COMM in some versions */
	if (is_named(t, "naptime") && strcmp(t->columns[1].heading->text, "PCOMM") == 0) {
		swap_columns(t, 1, 2);
		swap_columns(t, 3, 4);
	}
	mend_language_tools(t);
	/* ps -o time,pid,command stands to the right */
	if (is_named(t, "bashreadline") && t->columns[0].at != 0)
		t->tool = TD_TOOL_NONE;
	/* argdist's is indented */
	if (is_named(t, "argdist") && t->columns[0].at == 0)
		t->tool = TD_TOOL_NONE;
}

/* With commas between the headings, and nothing else. */
static bool is_csv(struct td_str line)
{
	return line.len && memchr(line.p, ',', line.len) && !memchr(line.p, ' ', line.len);
}

bool td_tool_header(struct td_str line, struct td_tool_table *ret)
{
	struct td_scan s = td_scan_of(line.p, line.len);
	unsigned ncomm = 0;

	td_scan_blanks(&s);
	if (td_scan_done(&s) || !td_tool_heading_begins(*s.p))
		return false;
	*ret = (struct td_tool_table){ .is_csv = is_csv(line) };
	for (; !td_scan_done(&s); td_scan_blanks(&s)) {
		size_t at = (size_t)(s.p - line.p);
		const struct td_tool_heading *h = td_tool_heading_at(&s, ret->is_csv ? ',' : ' ');

		if (!h || ret->ncolumns == TD_TOOL_COLUMNS_MAX)
			return false;
		ncomm += h->field == TD_TOOL_COMM;
		if (td_tool_has(ret, h->field) && !may_repeat(h->field) &&
		    (h->field != TD_TOOL_COMM || ncomm > 2))
			return false;
		ret->columns[ret->ncolumns++] = (struct td_tool_column){ h->field, h, at };
		ret->fields |= TD_TOOL_BIT(h->field);
		if (ret->is_csv)
			(void)td_scan_char(&s, ',');
	}
	settle_names(ret);
	td_tool_identify(ret);
	mend_header(ret);
	return ret->tool != TD_TOOL_NONE;
}

/* --- rows --- */

/* The number, and nothing behind it but the end of its cell. */
static bool cell_done(const struct td_scan *s)
{
	return td_scan_done(s) || td_is_blank(*s->p);
}

/* A number of seconds, or of thousandths or millionths of one. */
static bool scan_ns(struct td_scan *s, int64_t scale, int64_t *ret)
{
	struct td_scan t = *s;
	int64_t unit = 1000000000 / scale, fraction = 0;
	uint64_t whole;

	if (!td_scan_u64(&t, &whole) || __builtin_mul_overflow(whole, unit, ret))
		return false;
	if (td_scan_char(&t, '.'))
		for (; t.p < t.end && td_is_digit(*t.p); t.p++) {
			unit /= 10;
			fraction += unit * (*t.p - '0');
		}
	*s = t;
	return !__builtin_add_overflow(*ret, fraction, ret);
}

static bool scan_value(struct td_scan *s, int64_t scale, double *ret)
{
	if (!td_scan_double(s, ret))
		return false;
	*ret *= (double)scale;
	(void)td_scan_char(s, '%');
	return true;
}

static bool scan_two_ints(struct td_scan *s, struct td_str *ret)
{
	const char *from = s->p;
	uint64_t n;

	if (!td_scan_u64(s, &n) || td_scan_blanks(s) == 0 || !td_scan_u64(s, &n))
		return false;
	*ret = (struct td_str){ from, (size_t)(s->p - from) };
	return true;
}

/* "read", "[unknown: 321]" */
static bool scan_word(struct td_scan *s, struct td_str *ret)
{
	const char *from = s->p, *close;

	close = td_scan_done(s) || *s->p != '[' ? NULL : memchr(from, ']', (size_t)(s->end - from));
	if (!close)
		return td_scan_token(s, ret);
	s->p = close + 1;
	*ret = (struct td_str){ from, (size_t)(s->p - from) };
	return cell_done(s);
}

/* "SYN_SENT (SYN|ACK)" */
static bool scan_flagged(struct td_scan *s, struct td_str *ret)
{
	const char *from = s->p, *close;
	struct td_scan t;
	struct td_str word;

	if (!td_scan_token(s, &word))
		return false;
	t = *s;
	if (td_scan_blanks(&t) == 1 && td_scan_char(&t, '(')) {
		close = memchr(t.p, ')', (size_t)(t.end - t.p));
		if (close)
			s->p = close + 1;
	}
	*ret = (struct td_str){ from, (size_t)(s->p - from) };
	return cell_done(s);
}

static bool scan_int(struct td_scan *s, const struct td_tool_heading *h, int64_t *ret)
{
	struct td_scan t = *s;
	uint64_t address;

	if (td_scan_i64(s, ret) && cell_done(s))
		return !__builtin_mul_overflow(*ret, h->scale, ret);
	*s = t;
	if (h->field != TD_TOOL_RET || !td_scan_hex(s, &address) || !cell_done(s))
		return false;
	*ret = (int64_t)address; /* that shmat() returned */
	return true;
}

/* TIME is 10:42:35, or 0.123456 s in funcslower, or milliseconds in dcsnoop.bt; TIME(s) seconds, but 10:42:35
 * in libbpf-tools. */
static bool scan_time(struct td_scan *s, const struct td_tool_heading *h, struct td_tool_row *ret)
{
	struct td_scan number = *s;
	uint64_t whole;
	bool is_decimal = td_scan_u64(&number, &whole) && td_scan_char(&number, '.');
	int64_t scale = h->kind == TD_TOOL_CLOCK && !is_decimal ? 1000 : h->scale;

	(void)td_scan_literal(s, "b'"); /* rdmaucma on Python 3 */
	if (td_scan_tod(s, &ret->num[TD_TOOL_TOD])) {
		ret->times |= TD_TOOL_BIT(TD_TOOL_TOD);
		(void)td_scan_char(s, ':'); /* vfsstat */
		(void)td_scan_char(s, '\'');
		return true;
	}
	ret->times |= TD_TOOL_BIT(TD_TOOL_SINCE);
	return scan_ns(s, scale, &ret->num[TD_TOOL_SINCE]);
}

static bool scan_rest(struct td_scan *s, struct td_str *ret)
{
	*ret = td_scan_rest(s);
	s->p = s->end;
	return true;
}

static bool scan_by_kind(const struct td_tool_column *c, unsigned column, struct td_scan *s,
			 struct td_tool_row *ret)
{
	const struct td_tool_heading *h = c->heading;
	int64_t *num = &ret->num[c->field];

	if (c->field == TD_TOOL_TOD || c->field == TD_TOOL_SINCE)
		return scan_time(s, h, ret) && cell_done(s);
	switch (h->kind) {
	case TD_TOOL_INT:
		return scan_int(s, h, num);
	case TD_TOOL_NS:
		ret->times |= c->field == TD_TOOL_BOOT ? TD_TOOL_BIT(TD_TOOL_BOOT) : 0;
		return scan_ns(s, h->scale, num) && cell_done(s);
	case TD_TOOL_VALUE:
		return scan_value(s, h->scale, &ret->values[column]) && cell_done(s);
	case TD_TOOL_TWO_INTS:
		return scan_two_ints(s, &ret->text[c->field]) && cell_done(s);
	case TD_TOOL_FLAGGED:
		return scan_flagged(s, &ret->text[c->field]);
	case TD_TOOL_ARROW_WORD:
	case TD_TOOL_WORD:
		return scan_word(s, &ret->text[c->field]);
	case TD_TOOL_CLOCK:
	case TD_TOOL_NAME:
	case TD_TOOL_REST:
		return scan_rest(s, &ret->text[c->field]);
	}
	return false;
}

static bool scan_cell(const struct td_tool_column *c, unsigned column, struct td_scan *s,
		      struct td_tool_row *ret)
{
	const char *from = s->p;
	bool ok = scan_by_kind(c, column, s, ret);

	ret->cells[column] = (struct td_str){ from, (size_t)(s->p - from) };
	return ok;
}

static bool scan_cells(const struct td_tool_table *t, unsigned column, struct td_scan s,
		       bool aligned, struct td_tool_row *ret);

/* "b'yes'", as Python 3 prints what is no text to it */
static struct td_str without_quotes(struct td_str s)
{
	if (!td_str_starts(s, "b'") || s.len < 3 || s.p[s.len - 1] != '\'')
		return s;
	return (struct td_str){ s.p + 2, s.len - 3 };
}

/* A name may have blanks in it: it ends where the columns behind it can be read. In text whose columns
 * stand below their headings ("aligned"), the next one cannot end before its heading begins. */
static bool scan_comm(const struct td_tool_table *t, unsigned column, struct td_scan s,
		      bool aligned, struct td_tool_row *ret)
{
	const char *from = s.p;
	size_t width =
		column + 1 < t->ncolumns ? t->columns[column + 1].at - t->columns[column].at : 0;

	for (size_t n = 1; n <= COMM_MAX && from + n <= s.end; n++) {
		struct td_scan next = { from + n, s.end };
		const char *end;

		if (from + n < s.end && !td_is_blank(from[n]))
			continue;
		td_scan_blanks(&next);
		for (end = next.p; end < s.end && !td_is_blank(*end); end++)
			;
		if ((aligned && (size_t)(end - from) <= width) ||
		    !scan_cells(t, column + 1, next, aligned, ret))
			continue;
		while (td_is_blank(from[n - 1]))
			n--;
		ret->cells[column] = (struct td_str){ from, n };
		ret->text[t->columns[column].field] = without_quotes(ret->cells[column]);
		return true;
	}
	return false;
}

/* The last column of an event that is told as it is may have blanks in it: the name of a C++ function. */
static bool is_last_text(const struct td_tool_table *t, unsigned column)
{
	return column + 1 == t->ncolumns && t->tool >= TD_TOOL_CALL &&
	       t->columns[column].heading->kind == TD_TOOL_WORD;
}

static bool scan_last(const struct td_tool_table *t, unsigned column, struct td_scan s,
		      struct td_tool_row *ret)
{
	struct td_str rest = td_scan_rest(&s);

	while (rest.len && td_is_blank(rest.p[rest.len - 1]))
		rest.len--;
	ret->cells[column] = ret->text[t->columns[column].field] = rest;
	return true;
}

/* sofdsnoop knows no name on the receiving side. */
static bool may_be_empty(const struct td_tool_column *c)
{
	return strcmp(c->heading->text, "NAME") == 0;
}

static bool scan_cells(const struct td_tool_table *t, unsigned column, struct td_scan s,
		       bool aligned, struct td_tool_row *ret)
{
	for (; column < t->ncolumns; column++) {
		const struct td_tool_column *c = &t->columns[column];

		td_scan_blanks(&s);
		if (td_scan_literal(&s, "<-> ") || /* tcpretrans -c, between the addresses */
		    (c->heading->kind == TD_TOOL_ARROW_WORD && td_scan_literal(&s, "-> ")))
			td_scan_blanks(&s);
		if (td_scan_done(&s) && column + 1 == t->ncolumns && may_be_empty(c)) {
			ret->cells[column] = ret->text[c->field] = td_scan_rest(&s);
			return true;
		}
		if (c->heading->kind == TD_TOOL_NAME)
			return !td_scan_done(&s) && scan_comm(t, column, s, aligned, ret);
		if (is_last_text(t, column))
			return !td_scan_done(&s) && scan_last(t, column, s, ret);
		if (!scan_cell(c, column, &s, ret))
			return false;
	}
	td_scan_blanks(&s);
	return td_scan_done(&s);
}

static bool scan_csv(const struct td_tool_table *t, struct td_scan s, struct td_tool_row *ret)
{
	for (unsigned i = 0; i < t->ncolumns; i++) {
		const char *comma =
			td_scan_done(&s) ? NULL : memchr(s.p, ',', (size_t)(s.end - s.p));
		struct td_scan cell = { s.p, s.end };

		if (i + 1 < t->ncolumns) {
			if (!comma)
				return false;
			cell.end = comma;
			s.p = comma + 1;
		}
		if (!scan_cell(&t->columns[i], i, &cell, ret) || !td_scan_done(&cell))
			return false;
	}
	return true;
}

/* "        3          fd = 1, len = 16" */
static bool is_count_of_value(struct td_str line)
{
	return line.len && td_is_blank(line.p[0]) && td_str_find(line, " = ");
}

bool td_tool_row(const struct td_tool_table *t, struct td_str line, struct td_tool_row *ret)
{
	struct td_scan s = td_scan_of(line.p, line.len);

	ret->times = 0;
	if (t->is_csv)
		return scan_csv(t, s, ret);
	if (is_named(t, "argdist") &&
	    !is_count_of_value(line)) /* below come tables of another shape */
		return false;
	return scan_cells(t, 0, s, true, ret) || scan_cells(t, 0, s, false, ret);
}
