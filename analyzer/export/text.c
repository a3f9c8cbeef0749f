/* SPDX-License-Identifier: MIT */
/* Rows of bpftrace text: from a format string and words to columns, and from the statement's row to a line. */
#include "analyzer/export/text.h"
#include "common/caldate.h"
#include "common/cleanup.h"

#define COMM_MAX 15

static const char *const words[TD_EXPORT_NFIELDS] = {
	[TD_EXPORT_PID] = "pid",         [TD_EXPORT_COMM] = "comm",
	[TD_EXPORT_LAT] = "lat",         [TD_EXPORT_RET] = "ret",
	[TD_EXPORT_FD] = "fd",           [TD_EXPORT_ASKED] = "asked",
	[TD_EXPORT_OFFSET] = "offset",   [TD_EXPORT_PATH] = "path",
	[TD_EXPORT_NAME] = "name",       [TD_EXPORT_FOUND] = "found",
	[TD_EXPORT_DONEPID] = "donepid", [TD_EXPORT_DONECOMM] = "donecomm",
	[TD_EXPORT_DISK] = "disk",       [TD_EXPORT_RW] = "rw",
	[TD_EXPORT_SECTOR] = "sector",   [TD_EXPORT_BYTES] = "bytes",
};

/* "pid", "lat?", "'text'", "0" */
static void set_argument(struct td_export_column *c, struct td_str word)
{
	c->field = -1;
	c->text = word;
	if (word.p[0] == '\'') {
		c->text = (struct td_str){ word.p + 1, word.len - 2 };
		return;
	}
	c->optional = word.p[word.len - 1] == '?';
	word.len -= c->optional;
	for (int i = 0; i < TD_EXPORT_NFIELDS; i++)
		if (td_str_eq(word, words[i]))
			c->field = i;
}

/* The conversion at s, of which the '%' is taken. */
static void scan_conversion(struct td_scan *s, struct td_export_column *c)
{
	uint64_t width = 0;

	if (td_scan_literal(s, "H:%M:%S")) {
		c->type = 'T';
		return;
	}
	(void)td_scan_char(s, '-');
	(void)td_scan_u64(s, &width);
	c->width = (size_t)width;
	while (*s->p == 'l' || *s->p == 'h')
		s->p++;
	c->type = *s->p++;
}

void td_export_compile(const struct td_export_row *in, struct td_export_line *ret)
{
	struct td_scan s = td_scan_of(in->format, strlen(in->format));
	struct td_scan args = td_scan_of(in->args, strlen(in->args));
	const char *from = s.p;
	struct td_str word;

	*ret = (struct td_export_line){ .ops = in->ops };
	for (; s.p < s.end; s.p++) {
		struct td_export_column *c = &ret->columns[ret->ncolumns];

		if (*s.p != '%')
			continue;
		c->before = (struct td_str){ from, (size_t)(s.p++ - from) };
		scan_conversion(&s, c);
		if (ret->ncolumns++ == 0)
			c->type = 't';
		else if (c->type != 'T' && td_scan_token(&args, &word))
			set_argument(c, word);
		td_scan_blanks(&args);
		from = s.p--;
	}
	ret->after = (struct td_str){ from, (size_t)(s.end - from) };
}

/* Is the row one of this operation, and does the database know what it prints? The latency may be missing. */
bool td_export_fits(const struct td_export_line *row, sqlite3_stmt *s)
{
	const char *op = (const char *)sqlite3_column_text(s, 2);
	char blanks[128];

	(void)snprintf(blanks, sizeof(blanks), " %s ", op ? op : "");
	if (row->ops && !strstr(row->ops, blanks))
		return false;
	for (size_t i = 0; i < row->ncolumns; i++) {
		const struct td_export_column *c = &row->columns[i];

		if (c->type != 't' && c->type != 'T' && c->field >= 0 && !c->optional &&
		    c->field != TD_EXPORT_LAT &&
		    sqlite3_column_type(s, TD_EXPORT_FIRST_FIELD + c->field) == SQLITE_NULL)
			return false;
	}
	return true;
}

static void put_text(FILE *out, const char *p, size_t len, size_t width)
{
	for (size_t i = 0; i < len; i++)
		(void)putc_unlocked(p[i] == '\n' || p[i] == '\r' ? '?' : p[i], out);
	for (; len < width; len++)
		(void)putc_unlocked(' ', out);
}

size_t td_export_time_of_day(const struct td_export_clock *clock, int64_t utc_ns, char *buf,
			     size_t size)
{
	int64_t s = (utc_ns + clock->zone_ns) % TD_DAY_NS / TD_SEC_NS;

	return (size_t)snprintf(buf, size, "%02d:%02d:%02d", (int)(s / 3600), (int)(s / 60 % 60),
				(int)(s % 60));
}

/* What the kernel would make of a process's name, which some tools print as a path. */
static struct td_str comm_of(struct td_str name)
{
	const char *slash = td_str_rchr(name, '/');

	if (td_str_starts(name, "/") && slash + 1 < name.p + name.len) { /* not kworker/u8:0 */
		name.len -= (size_t)(slash + 1 - name.p);
		name.p = slash + 1;
	}
	name.len = TD_MIN(name.len, (size_t)COMM_MAX);
	return name;
}

static void put_column(const struct td_export_clock *clock, FILE *out,
		       const struct td_export_column *c, sqlite3_stmt *s)
{
	int64_t end_ns = sqlite3_column_int64(s, 0), v;
	int at = TD_EXPORT_FIRST_FIELD + c->field;
	bool unknown = c->field < 0 || sqlite3_column_type(s, at) == SQLITE_NULL;
	char buf[32];
	size_t n;

	if (c->type == 'T') {
		n = td_export_time_of_day(clock, end_ns, buf, sizeof(buf));
		put_text(out, buf, n, 0);
		return;
	}
	if (c->type != 't' && c->field < 0) {
		put_text(out, c->text.p, c->text.len, c->width);
		return;
	}
	if (c->type == 's') {
		struct td_str text = { (const char *)sqlite3_column_text(s, at),
				       (size_t)sqlite3_column_bytes(s, at) };

		if (c->field == TD_EXPORT_COMM || c->field == TD_EXPORT_DONECOMM)
			text = comm_of(text);
		put_text(out, text.p, text.len, c->width);
		return;
	}
	v = c->type == 't' || (unknown && c->field == TD_EXPORT_LAT) ? end_ns - clock->boot_ns
	    : unknown                                                ? 0
								     : sqlite3_column_int64(s, at);
	if (c->type == 'd')
		n = (size_t)snprintf(buf, sizeof(buf), "%lld", (long long)v);
	else if (c->type == 'x')
		n = (size_t)snprintf(buf, sizeof(buf), "%llx", (unsigned long long)v);
	else
		n = (size_t)snprintf(buf, sizeof(buf), "%llu", (unsigned long long)v);
	put_text(out, buf, n, c->width);
}

void td_export_put(const struct td_export_clock *clock, FILE *out, const struct td_export_line *row,
		   sqlite3_stmt *s)
{
	for (size_t i = 0; i < row->ncolumns; i++) {
		put_text(out, row->columns[i].before.p, row->columns[i].before.len, 0);
		put_column(clock, out, &row->columns[i], s);
	}
	(void)fwrite(row->after.p, 1, row->after.len, out);
}
