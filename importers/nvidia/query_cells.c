/* SPDX-License-Identifier: MIT */
#include "common/caldate.h"
#include "common/cleanup.h"
#include "importers/nvidia/nvidia_query.h"

/* Columns that only nvidia-smi has, by their begins. */
static const char *const own[] = {
	"utilization.", "memory.used",   "memory.free",    "memory.total",    "temperature.",
	"power.",       "clocks.",       "clocks_",        "pcie.",           "pci.",
	"fan.speed",    "ecc.",          "pstate",         "used_gpu_memory", "gpu_bus_id",
	"gpu_uuid",     "encoder.stats", "enforced.power",
};

static struct td_str trim(struct td_str s)
{
	while (s.len && (*s.p == ' ' || *s.p == '\t')) {
		s.p++;
		s.len--;
	}
	while (s.len && (s.p[s.len - 1] == ' ' || s.p[s.len - 1] == '\t' || s.p[s.len - 1] == '\r'))
		s.len--;
	return s;
}

bool td_query_next_cell(struct td_scan *s, struct td_str *ret)
{
	const char *comma;

	if (!s->p)
		return false;
	comma = td_scan_done(s) ? NULL : memchr(s->p, ',', (size_t)(s->end - s->p));
	*ret = trim((struct td_str){ s->p, (size_t)((comma ? comma : s->end) - s->p) });
	s->p = comma ? comma + 1 : NULL;
	return true;
}

bool td_query_split_heading(struct td_str cell, struct td_str *ret_name, struct td_str *ret_unit)
{
	const char *open = td_str_find(cell, " ["), *end = cell.p + cell.len;

	*ret_name = open ? (struct td_str){ cell.p, (size_t)(open - cell.p) } : cell;
	*ret_unit = (struct td_str){ NULL, 0 };
	if (open && end[-1] == ']')
		*ret_unit = (struct td_str){ open + 2, (size_t)(end - open) - 3 };
	else if (open)
		return false;
	for (size_t i = 0; i < ret_name->len; i++) {
		char c = ret_name->p[i];

		if ((c < 'a' || c > 'z') && (c < '0' || c > '9') && c != '.' && c != '_' &&
		    (c < 'A' || c > 'Z')) /* encoder.stats.sessionCount */
			return false;
	}
	return ret_name->len > 0 && ret_name->p[0] >= 'a' && ret_name->p[0] <= 'z';
}

static bool is_own(struct td_str name)
{
	for (size_t i = 0; i < TD_ARRAY_SIZE(own); i++)
		if (td_str_starts(name, own[i]))
			return true;
	return false;
}

bool td_query_is_header(const char *line, size_t len)
{
	struct td_scan s = { line, line + len };
	struct td_str cell, name, unit;
	bool is_spaced = td_find(line, len, ", ", 2), has_unit = false, found = false;
	unsigned n = 0;

	while (td_query_next_cell(&s, &cell)) {
		if (!td_query_split_heading(cell, &name, &unit) || ++n > TD_QUERY_COLUMNS_MAX)
			return false;
		found |= is_own(name);
		has_unit |= unit.p != NULL;
	}
	return found && (is_spaced || has_unit);
}

bool td_query_is_missing(struct td_str s)
{
	return s.len == 0 || s.p[0] == '[' || td_str_eq(s, "N/A") || td_str_eq(s, "ERR!") ||
	       td_str_eq(s, "-") || td_str_eq(s, "Not Supported");
}

bool td_query_scan_time(struct td_str s, int64_t *ret_ns)
{
	char iso[] = "YYYY-MM-DD";
	struct td_scan day = { iso, iso + 10 },
		       t = { s.p + TD_MIN(s.len, (size_t)11), s.p + s.len };
	uint64_t year, month, date;
	int64_t tod_ns;

	if (s.len < 19 || s.p[10] != ' ')
		return false;
	memcpy(iso, s.p, 10);
	if (!td_scan_u64(&day, &year) || day.p != iso + 4 || !strchr("/-", *day.p++) ||
	    !td_scan_u64(&day, &month) || day.p != iso + 7 || !strchr("/-", *day.p++) ||
	    !td_scan_u64(&day, &date) || !td_scan_done(&day) ||
	    !td_date_valid((int)year, (int)month, (int)date) || !td_scan_tod(&t, &tod_ns) ||
	    !td_scan_done(&t))
		return false;
	*ret_ns = td_days_from_date((int)year, (int)month, (int)date) * TD_DAY_NS + tod_ns;
	return true;
}

bool td_query_scan_integer(struct td_str s, int64_t *ret)
{
	struct td_scan t = td_scan_of(s.p, s.len);
	uint64_t v;

	if (!td_scan_u64(&t, &v) || !td_scan_done(&t) || v > INT32_MAX)
		return false;
	*ret = (int64_t)v;
	return true;
}

bool td_query_scan_number(struct td_str s, double *ret, struct td_str *ret_unit)
{
	static const struct {
		const char *word;
		double value;
	} words[] = { { "Active", 1 }, { "Not Active", 0 }, { "Enabled", 1 }, { "Disabled", 0 } };
	struct td_scan t = td_scan_of(s.p, s.len);
	uint64_t n;

	*ret_unit = (struct td_str){ NULL, 0 };
	for (size_t i = 0; i < TD_ARRAY_SIZE(words); i++) {
		*ret = words[i].value;
		if (td_str_eq(s, words[i].word))
			return true;
	}
	if ((td_str_starts(s, "0x") && td_scan_hex(&t, &n)) ||
	    (td_scan_char(&t, 'P') && td_scan_u64(&t, &n))) {
		*ret = (double)n;
		return td_scan_done(&t);
	}
	t = td_scan_of(s.p, s.len);
	if (!td_scan_double(&t, ret))
		return false;
	if (td_scan_done(&t))
		return true;
	return td_scan_blanks(&t) && td_scan_token(&t, ret_unit) && td_scan_done(&t);
}

/* --- what it looks like --- */

#define SNIFF_HEADER 89

/* Lines of the head by what they look like. */
struct sniffed {
	unsigned ncells; /* of the latest header; 0: none yet */
	size_t rows, others;
};

static unsigned count_cells(const char *line, size_t len)
{
	struct td_scan s = { line, line + len };
	struct td_str cell;
	unsigned n = 0;

	while (td_query_next_cell(&s, &cell))
		n++;
	return n;
}

/* Of a table with one column. */
static bool is_cell(const char *line, size_t len)
{
	struct td_str cell = trim((struct td_str){ line, len }), unit;
	double value;

	return cell.len && (td_query_is_missing(cell) || td_query_scan_number(cell, &value, &unit));
}

static void sniff_line(struct sniffed *f, const char *line, size_t len)
{
	if (td_query_is_header(line, len))
		f->ncells = count_cells(line, len);
	else if (f->ncells && count_cells(line, len) == f->ncells &&
		 (f->ncells > 1 || is_cell(line, len)))
		f->rows++;
	else if (len)
		f->others++;
}

int td_query_sniff(const char *head, size_t len)
{
	const char *end = head + len, *newline;
	struct sniffed f = { .ncells = 0 };

	for (const char *p = head; p < end; p = newline + 1) {
		newline = memchr(p, '\n', (size_t)(end - p));
		if (!newline)
			newline = end;
		sniff_line(&f, p, (size_t)(newline - p));
	}
	return f.ncells && f.rows * 2 >= f.others ? SNIFF_HEADER : 0;
}
