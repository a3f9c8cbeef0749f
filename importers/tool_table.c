/* SPDX-License-Identifier: MIT */
#include "common/cleanup.h"
#include "importers/tool_table.h"

#define COMM_MAX 16 /* TASK_COMM_LEN */

enum kind { INT, NS, TOD, WORD, COMM, TWO_INTS, REST, VALUE };

/* What the tools call their columns. scale: of NS the thousands in a second that the unit is, of INT and
 * VALUE a factor. */
static const struct td_tool_heading {
	const char *text;
	enum td_tool_field field;
	enum kind kind;
	int64_t scale;
	const char *track, *unit;
} headings[] = {
	{ "TIME", TD_TOOL_TOD, TOD, 1, NULL, NULL },
	{ "TIME(s)", TD_TOOL_SINCE, NS, 1, NULL, NULL },
	{ "TIME(ms)", TD_TOOL_SINCE, NS, 1000, NULL, NULL },
	{ "TIME(us)", TD_TOOL_SINCE, NS, 1000000, NULL, NULL },
	{ "ENDTIME_us", TD_TOOL_BOOT, NS, 1000000, NULL, NULL },
	{ "PID", TD_TOOL_PID, INT, 1, NULL, NULL },
	{ "TID", TD_TOOL_TID, INT, 1, NULL, NULL },
	{ "PPID", TD_TOOL_PPID, INT, 1, NULL, NULL },
	{ "UID", TD_TOOL_UID, INT, 1, NULL, NULL },
	{ "COMM", TD_TOOL_COMM, COMM, 1, NULL, NULL },
	{ "PCOMM", TD_TOOL_COMM, COMM, 1, NULL, NULL },
	{ "TASK", TD_TOOL_COMM, COMM, 1, NULL, NULL },
	{ "FD", TD_TOOL_FD, INT, 1, NULL, NULL },
	{ "ERR", TD_TOOL_ERR, INT, 1, NULL, NULL },
	{ "RET", TD_TOOL_RET, INT, 1, NULL, NULL },
	{ "RESULT", TD_TOOL_RET, INT, 1, NULL, NULL },
	{ "PATH", TD_TOOL_PATH, REST, 1, NULL, NULL },
	{ "FILENAME", TD_TOOL_PATH, REST, 1, NULL, NULL },
	{ "FILE", TD_TOOL_PATH, REST, 1, NULL, NULL },
	{ "FLAGS", TD_TOOL_FLAGS, WORD, 1, NULL, NULL },
	{ "MODE", TD_TOOL_MODE, WORD, 1, NULL, NULL },
	{ "SYSCALL", TD_TOOL_FUNC, WORD, 1, NULL, NULL },
	{ "FUNC", TD_TOOL_FUNC, WORD, 1, NULL, NULL },
	{ "ADDR", TD_TOOL_ADDR, WORD, 1, NULL, NULL },
	{ "DISK", TD_TOOL_DISK, WORD, 1, NULL, NULL },
	{ "DISK ID", TD_TOOL_DEVNO, TWO_INTS, 1, NULL, NULL },
	{ "T", TD_TOOL_OP, WORD, 1, NULL, NULL },
	{ "D", TD_TOOL_OP, WORD, 1, NULL, NULL },
	{ "TYPE", TD_TOOL_OP, WORD, 1, NULL, NULL },
	{ "SECTOR", TD_TOOL_SECTOR, INT, 1, NULL, NULL },
	{ "BYTES", TD_TOOL_BYTES, INT, 1, NULL, NULL },
	{ "P", TD_TOOL_PATTERN, WORD, 1, NULL, NULL },
	{ "QUE(ms)", TD_TOOL_QUEUE, NS, 1000, NULL, NULL },
	{ "LAT(ms)", TD_TOOL_LAT, NS, 1000, NULL, NULL },
	{ "LAT(us)", TD_TOOL_LAT, NS, 1000000, NULL, NULL },
	{ "LATENCY_us", TD_TOOL_LAT, NS, 1000000, NULL, NULL },
	{ "OFF_KB", TD_TOOL_OFFSET, INT, 1024, NULL, NULL },
	{ "OFFSET_b", TD_TOOL_OFFSET, INT, 1, NULL, NULL },
	{ "ARGS", TD_TOOL_ARGS, REST, 1, NULL, NULL },
	{ "EVENT", TD_TOOL_EVENT, WORD, 1, NULL, NULL },
	{ "CALL", TD_TOOL_EVENT, WORD, 1, NULL, NULL },
	{ "SIG", TD_TOOL_SIG, INT, 1, NULL, NULL },
	{ "TPID", TD_TOOL_TPID, INT, 1, NULL, NULL },
	{ "COUNT", TD_TOOL_COUNT, INT, 1, NULL, NULL },
	{ "TIME (us)", TD_TOOL_TOTAL, VALUE, 1, NULL, NULL },
	{ "TIME (ms)", TD_TOOL_TOTAL, VALUE, 1000, NULL, NULL },
	{ "HITS", TD_TOOL_SAMPLE, VALUE, 1, "page_cache.hits", "" },
	{ "MISSES", TD_TOOL_SAMPLE, VALUE, 1, "page_cache.misses", "" },
	{ "DIRTIES", TD_TOOL_SAMPLE, VALUE, 1, "page_cache.dirties", "" },
	{ "TOTAL", TD_TOOL_SAMPLE, VALUE, 1, "page_cache.total", "" },
	{ "HITRATIO", TD_TOOL_SAMPLE, VALUE, 1, "page_cache.hit_ratio", "%" },
	{ "READ_HIT%", TD_TOOL_SAMPLE, VALUE, 1, "page_cache.read_hit_ratio", "%" },
	{ "WRITE_HIT%", TD_TOOL_SAMPLE, VALUE, 1, "page_cache.write_hit_ratio", "%" },
	{ "BUFFERS_MB", TD_TOOL_SAMPLE, VALUE, 1 << 20, "page_cache.buffers", "bytes" },
	{ "CACHED_MB", TD_TOOL_SAMPLE, VALUE, 1 << 20, "page_cache.cached", "bytes" },
	{ "READ/s", TD_TOOL_SAMPLE, VALUE, 1, "vfs.read", "1/s" },
	{ "WRITE/s", TD_TOOL_SAMPLE, VALUE, 1, "vfs.write", "1/s" },
	{ "FSYNC/s", TD_TOOL_SAMPLE, VALUE, 1, "vfs.fsync", "1/s" },
	{ "OPEN/s", TD_TOOL_SAMPLE, VALUE, 1, "vfs.open", "1/s" },
	{ "CREATE/s", TD_TOOL_SAMPLE, VALUE, 1, "vfs.create", "1/s" },
	{ "UNLINK/s", TD_TOOL_SAMPLE, VALUE, 1, "vfs.unlink", "1/s" },
	{ "MKDIR/s", TD_TOOL_SAMPLE, VALUE, 1, "vfs.mkdir", "1/s" },
	{ "RMDIR/s", TD_TOOL_SAMPLE, VALUE, 1, "vfs.rmdir", "1/s" },
};

#define BIT(f) (UINT32_C(1) << (f))

/* The first whose fields are all there. */
static const struct {
	enum td_tool tool;
	uint32_t fields;
} tools[] = {
	{ TD_TOOL_SLOWER, BIT(TD_TOOL_OP) | BIT(TD_TOOL_BYTES) | BIT(TD_TOOL_LAT) |
				  BIT(TD_TOOL_PATH) | BIT(TD_TOOL_COMM) },
	{ TD_TOOL_BIOSNOOP,
	  BIT(TD_TOOL_SINCE) | BIT(TD_TOOL_DISK) | BIT(TD_TOOL_PID) | BIT(TD_TOOL_LAT) },
	{ TD_TOOL_BIOSNOOP,
	  BIT(TD_TOOL_SINCE) | BIT(TD_TOOL_DEVNO) | BIT(TD_TOOL_PID) | BIT(TD_TOOL_LAT) },
	{ TD_TOOL_BIOSNOOP,
	  BIT(TD_TOOL_SINCE) | BIT(TD_TOOL_COMM) | BIT(TD_TOOL_PID) | BIT(TD_TOOL_LAT) },
	{ TD_TOOL_KILLSNOOP,
	  BIT(TD_TOOL_PID) | BIT(TD_TOOL_SIG) | BIT(TD_TOOL_TPID) | BIT(TD_TOOL_RET) },
	{ TD_TOOL_SYNCSNOOP, BIT(TD_TOOL_TOD) | BIT(TD_TOOL_PID) | BIT(TD_TOOL_EVENT) },
	{ TD_TOOL_SYNCSNOOP, BIT(TD_TOOL_SINCE) | BIT(TD_TOOL_EVENT) },
	{ TD_TOOL_EXECSNOOP, BIT(TD_TOOL_PID) | BIT(TD_TOOL_ARGS) },
	{ TD_TOOL_OPENSNOOP,
	  BIT(TD_TOOL_PID) | BIT(TD_TOOL_FD) | BIT(TD_TOOL_ERR) | BIT(TD_TOOL_PATH) },
	{ TD_TOOL_STATSNOOP, BIT(TD_TOOL_PID) | BIT(TD_TOOL_ERR) | BIT(TD_TOOL_PATH) },
	{ TD_TOOL_COUNTS, BIT(TD_TOOL_FUNC) | BIT(TD_TOOL_COUNT) },
	{ TD_TOOL_COUNTS, BIT(TD_TOOL_PID) | BIT(TD_TOOL_COMM) | BIT(TD_TOOL_COUNT) },
	{ TD_TOOL_SAMPLES, BIT(TD_TOOL_SAMPLE) },
};

/* --- header --- */

static bool is_blank(char c)
{
	return c == ' ' || c == '\t';
}

/* The longest heading that stands here as whole words. */
static const struct td_tool_heading *heading_at(struct td_scan *s, char separator)
{
	const struct td_tool_heading *best = NULL;
	size_t left = (size_t)(s->end - s->p), best_len = 0;

	for (size_t i = 0; i < TD_ARRAY_SIZE(headings); i++) {
		size_t n = strlen(headings[i].text);

		if (n <= best_len || n > left || memcmp(s->p, headings[i].text, n) != 0 ||
		    (n < left && s->p[n] != separator && !is_blank(s->p[n])))
			continue;
		best = &headings[i];
		best_len = n;
	}
	s->p += best_len;
	return best;
}

static enum td_tool tool_of(uint32_t fields)
{
	for (size_t i = 0; i < TD_ARRAY_SIZE(tools); i++)
		if ((fields & tools[i].fields) == tools[i].fields)
			return tools[i].tool;
	return TD_TOOL_NONE;
}

bool td_tool_header(struct td_str line, struct td_tool_table *ret)
{
	struct td_scan s = td_scan_of(line.p, line.len);

	*ret = (struct td_tool_table){ .is_csv = td_str_starts(line, "ENDTIME_us,") };
	for (td_scan_blanks(&s); !td_scan_done(&s); td_scan_blanks(&s)) {
		size_t at = (size_t)(s.p - line.p);
		const struct td_tool_heading *h = heading_at(&s, ret->is_csv ? ',' : ' ');

		if (!h || ret->ncolumns == TD_TOOL_COLUMNS_MAX ||
		    (h->field != TD_TOOL_SAMPLE && td_tool_has(ret, h->field)))
			return false;
		ret->columns[ret->ncolumns++] = (struct td_tool_column){
			h->field, h, h->track, h->unit, at,
		};
		ret->fields |= BIT(h->field);
		if (ret->is_csv)
			(void)td_scan_char(&s, ',');
	}
	ret->tool = ret->ncolumns > 1 ? tool_of(ret->fields) : TD_TOOL_NONE;
	return ret->tool != TD_TOOL_NONE;
}

/* --- rows --- */

/* The number, and nothing behind it but the end of its cell. */
static bool cell_done(const struct td_scan *s)
{
	return td_scan_done(s) || is_blank(*s->p);
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
		for (; t.p < t.end && (unsigned char)(*t.p - '0') <= 9; t.p++) {
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

static bool scan_cell(const struct td_tool_column *c, unsigned column, struct td_scan *s,
		      struct td_tool_row *ret)
{
	const struct td_tool_heading *h = c->heading;
	int64_t *num = &ret->num[c->field];

	switch (h->kind) {
	case INT:
		return td_scan_i64(s, num) && !__builtin_mul_overflow(*num, h->scale, num) &&
		       cell_done(s);
	case NS:
		return scan_ns(s, h->scale, num) && cell_done(s);
	case TOD:
		if (!td_scan_tod(s, num))
			return false;
		(void)td_scan_char(s, ':'); /* vfsstat */
		return cell_done(s);
	case VALUE:
		return scan_value(s, h->scale, &ret->samples[column]) && cell_done(s);
	case TWO_INTS:
		return scan_two_ints(s, &ret->text[c->field]) && cell_done(s);
	case WORD:
		return scan_word(s, &ret->text[c->field]);
	case COMM:
	case REST:
		ret->text[c->field] = td_scan_rest(s);
		s->p = s->end;
		return true;
	}
	return false;
}

static bool scan_cells(const struct td_tool_table *t, unsigned column, struct td_scan s,
		       bool aligned, struct td_tool_row *ret);

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

		if (from + n < s.end && !is_blank(from[n]))
			continue;
		td_scan_blanks(&next);
		for (end = next.p; end < s.end && !is_blank(*end); end++)
			;
		if ((aligned && (size_t)(end - from) <= width) ||
		    !scan_cells(t, column + 1, next, aligned, ret))
			continue;
		ret->text[TD_TOOL_COMM] = (struct td_str){ from, n };
		while (is_blank(from[ret->text[TD_TOOL_COMM].len - 1]))
			ret->text[TD_TOOL_COMM].len--;
		return true;
	}
	return false;
}

static bool scan_cells(const struct td_tool_table *t, unsigned column, struct td_scan s,
		       bool aligned, struct td_tool_row *ret)
{
	for (; column < t->ncolumns; column++) {
		const struct td_tool_column *c = &t->columns[column];

		td_scan_blanks(&s);
		if (c->field == TD_TOOL_COMM)
			return !td_scan_done(&s) && scan_comm(t, column, s, aligned, ret);
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

bool td_tool_row(const struct td_tool_table *t, struct td_str line, struct td_tool_row *ret)
{
	struct td_scan s = td_scan_of(line.p, line.len);

	if (t->is_csv)
		return scan_csv(t, s, ret);
	return scan_cells(t, 0, s, true, ret) ||
	       (td_tool_has(t, TD_TOOL_COMM) && scan_cells(t, 0, s, false, ret));
}
