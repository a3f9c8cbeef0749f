/* SPDX-License-Identifier: MIT */
#include <ctype.h>
#include <inttypes.h>
#include <math.h>

#include "common/caldate.h"
#include "common/cleanup.h"
#include "common/printable.h"
#include "common/units.h"
#include "analyzer/format/cell.h"

/* Length of the name without the unit at its end; all of it if it is nothing but the unit. */
static size_t bare_length(const struct td_report_column *column)
{
	static const struct {
		enum td_unit unit;
		const char *suffix;
	} suffixes[] = {
		{ TD_UNIT_BYTES, "_bytes" },     { TD_UNIT_DUR_NS, "_ns" },
		{ TD_UNIT_TS_NS, "_ns" },        { TD_UNIT_UTC_NS, "_ns" },
		{ TD_UNIT_RATIO, "_ratio" },     { TD_UNIT_PERCENT, "_pct" },
		{ TD_UNIT_PERCENT, "_percent" }, { TD_UNIT_BYTES_PER_S, "_bytes_per_s" },
	};
	struct td_str name = { column->name, strlen(column->name) };

	for (size_t i = 0; i < TD_ARRAY_SIZE(suffixes); i++)
		if (suffixes[i].unit == column->unit && td_str_ends(name, suffixes[i].suffix))
			return name.len - strlen(suffixes[i].suffix);
	return name.len;
}

/* Would another column have the same heading? */
static bool ambiguous(const struct td_table_head *head, size_t column)
{
	const char *name = head->columns[column].name;
	size_t len = bare_length(&head->columns[column]);

	for (size_t i = 0; i < head->ncolumns; i++)
		if (i != column && bare_length(&head->columns[i]) == len &&
		    strncmp(head->columns[i].name, name, len) == 0)
			return true;
	return false;
}

static void add_word(struct td_strbuf *b, const char *p, size_t len, bool first)
{
	static const struct {
		const char *word, *heading;
	} spellings[] = {
		{ "c", "C" },     { "cpu", "CPU" }, { "cuda", "CUDA" }, { "dur", "Duration" },
		{ "cv", "CV" },   { "fd", "FD" },   { "gpu", "GPU" },   { "gpus", "GPUs" },
		{ "id", "ID" },   { "io", "I/O" },  { "jpeg", "JPEG" }, { "mhz", "MHz" },
		{ "pci", "PCI" }, { "pid", "PID" }, { "rss", "RSS" },   { "sm", "SM" },
		{ "tid", "TID" }, { "vfs", "VFS" }, { "w", "W" },       { "stddev", "Std dev" },
	};
	struct td_str word = { p, len };

	if (!first)
		td_strbuf_addc(b, ' ');
	for (size_t i = 0; i < TD_ARRAY_SIZE(spellings); i++)
		if (td_str_eq(word, spellings[i].word)) {
			td_strbuf_adds(b, spellings[i].heading);
			return;
		}
	if (len > 0)
		td_strbuf_addc(b, (char)(first ? toupper((unsigned char)*p) : *p));
	if (len > 1)
		td_printable(b, p + 1, len - 1);
}

void td_cell_heading(struct td_strbuf *b, const struct td_table_head *head, size_t column,
		     enum td_timeunit timeunit)
{
	static const char *const unit_words[TD_NUNITS] = {
		[TD_UNIT_BYTES] = " bytes",      [TD_UNIT_DUR_NS] = " time",
		[TD_UNIT_TS_NS] = " at",         [TD_UNIT_UTC_NS] = " at",
		[TD_UNIT_RATIO] = " ratio",      [TD_UNIT_PERCENT] = " share",
		[TD_UNIT_BYTES_PER_S] = " rate",
	};
	const struct td_report_column *c = &head->columns[column];
	size_t len = bare_length(c);
	const char *p = c->name, *end = p + len;

	if (p[strspn(p, "abcdefghijklmnopqrstuvwxyz0123456789_")]) { /* a query's expression */
		td_printable(b, p, strlen(p));
		return;
	}
	for (bool first = true; p <= end; first = false) {
		const char *next = memchr(p, '_', (size_t)(end - p));

		next = next ? next : end;
		add_word(b, p, (size_t)(next - p), first);
		p = next + 1;
	}
	if (len < strlen(c->name) && ambiguous(head, column))
		td_strbuf_adds(b, unit_words[c->unit]);
	if (c->unit == TD_UNIT_DUR_NS && timeunit != TD_TIMEUNIT_AUTO)
		td_strbuf_addf(b, " (%s)", td_timeunit_names[timeunit]);
}

/* v with thousands separators and the given number of decimals. */
static void add_grouped(struct td_strbuf *b, double v, int decimals)
{
	char digits[64], whole[TD_UNITS_BUF];
	char *point;

	(void)snprintf(digits, sizeof(digits), "%.*f", decimals, fabs(v));
	point = strchr(digits, '.');
	if (v < 0)
		td_strbuf_addc(b, '-');
	/* beyond 2^63 nobody reads the digits anyway */
	if (fabs(v) < 9e18)
		td_strbuf_adds(b, td_format_count(whole, sizeof(whole), strtoll(digits, NULL, 10)));
	else
		td_strbuf_addf(b, "%.3g", fabs(v));
	if (point && fabs(v) < 9e18)
		td_strbuf_adds(b, point);
}

/* About three digits that count, without exponent where that is short. */
static void add_real(struct td_strbuf *b, double v)
{
	double size = fabs(v);

	if (size == 0)
		td_strbuf_adds(b, "0");
	else if (size >= 0.001 && size < 1e15)
		add_grouped(b, v, size >= 100 ? 1 : size >= 1 ? 2 : 3);
	else
		td_strbuf_addf(b, "%.3g", v);
}

static void add_dur(struct td_strbuf *b, double d, int64_t i, enum td_timeunit timeunit)
{
	static const struct {
		double ns;
		int decimals;
	} units[TD_NTIMEUNITS] = {
		[TD_TIMEUNIT_NS] = { 1, 0 },
		[TD_TIMEUNIT_US] = { 1e3, 3 },
		[TD_TIMEUNIT_MS] = { 1e6, 3 },
		[TD_TIMEUNIT_S] = { 1e9, 3 },
	};
	char buf[TD_UNITS_BUF];

	if (timeunit == TD_TIMEUNIT_AUTO)
		td_strbuf_adds(b, td_format_dur(buf, sizeof(buf), i));
	else
		add_grouped(b, d / units[timeunit].ns, units[timeunit].decimals);
}

/* A time without a date keeps its milliseconds, so that two of a day can be told apart. */
static void add_undated(struct td_strbuf *b, int64_t ns)
{
	uint64_t ms = (ns < 0 ? 0 - (uint64_t)ns : (uint64_t)ns) / 1000000;

	td_strbuf_addf(b, "%s%" PRIu64 ":%02u:%02u.%03u", ns < 0 ? "-" : "", ms / 3600000,
		       (unsigned)(ms / 60000 % 60), (unsigned)(ms / 1000 % 60),
		       (unsigned)(ms % 1000));
}

static void add_ts(struct td_strbuf *b, int64_t ns)
{
	char buf[TD_UNITS_BUF];

	if (ns < TD_EARLIEST_NS)
		add_undated(b, ns);
	else
		td_strbuf_adds(b, td_format_utc(buf, sizeof(buf), ns, 3));
}

static void add_percent(struct td_strbuf *b, double v)
{
	if (v > 0 && v < 0.05)
		td_strbuf_adds(b, "<0.1%");
	else
		td_strbuf_addf(b, "%.1f%%", v);
}

static void add_number(struct td_strbuf *b, const struct td_cell *value, enum td_unit unit,
		       enum td_timeunit timeunit)
{
	bool is_int = value->type == TD_VALUE_INT;
	double d = is_int ? (double)value->i : value->d;
	int64_t i = is_int ? value->i : fabs(value->d) < 9e18 ? llround(value->d) : INT64_MAX;
	char buf[TD_UNITS_BUF];

	switch (unit) {
	case TD_UNIT_DUR_NS:
		add_dur(b, d, i, timeunit);
		break;
	case TD_UNIT_TS_NS:
	case TD_UNIT_UTC_NS:
		add_ts(b, i);
		break;
	case TD_UNIT_BYTES:
		td_strbuf_adds(b, td_format_bytes(buf, sizeof(buf), i));
		break;
	case TD_UNIT_BYTES_PER_S:
		td_strbuf_addf(b, "%s/s", td_format_bytes(buf, sizeof(buf), i));
		break;
	case TD_UNIT_PERCENT:
		add_percent(b, d);
		break;
	case TD_UNIT_RATIO:
		td_strbuf_addf(b, "%.3f", d);
		break;
	case TD_UNIT_COUNT:
		if (is_int)
			td_strbuf_adds(b, td_format_count(buf, sizeof(buf), i));
		else
			add_real(b, d);
		break;
	default:
		if (is_int)
			td_strbuf_addf(b, "%" PRId64, i);
		else
			add_real(b, d);
	}
}

void td_cell_value(struct td_strbuf *b, const struct td_cell *value, enum td_unit unit,
		   enum td_timeunit timeunit)
{
	if (value->type == TD_VALUE_NULL)
		td_strbuf_addc(b, '-');
	else if (value->type == TD_VALUE_TEXT)
		td_printable(b, value->text.p, value->text.len);
	else
		add_number(b, value, unit, timeunit);
}

bool td_cell_is_apart(const struct td_table_head *head, int64_t ts_ns)
{
	return head->from_begin && ts_ns < TD_EARLIEST_NS && head->begin_ns >= TD_EARLIEST_NS;
}

void td_cell_of(struct td_strbuf *b, const struct td_table_head *head, size_t column,
		const struct td_cell *value, enum td_timeunit timeunit)
{
	const struct td_report_column *c = &head->columns[column];

	char buf[TD_UNITS_BUF];
	int64_t from_begin;

	if (value->type != TD_VALUE_NULL)
		td_strbuf_adds(b, td_bound_mark(c->loss, c->unit, head->damage));
	if (c->unit == TD_UNIT_TS_NS && value->type == TD_VALUE_INT && head->from_begin &&
	    !td_cell_is_apart(head, value->i) &&
	    !__builtin_sub_overflow(value->i, head->begin_ns, &from_begin))
		td_strbuf_adds(b, td_format_offset(buf, sizeof(buf), from_begin));
	else
		td_cell_value(b, value, c->unit, timeunit);
}
