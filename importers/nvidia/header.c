/* SPDX-License-Identifier: MIT */
/*
 * dmon --format csv,noheader leaves out the names only; the units tell them, as every group of columns (a letter of
 * -s) has units of its own:
 *
 *     #YYYYMMDD, HH:MM:SS, Idx, W, C, C, %, %, %, %, %, %, MHz, MHz
 *     #Date, Time, gpu, pwr, gtemp, mtemp, sm, mem, enc, dec, jpg, ofa, mclk, pclk
 *
 * Without units (csv,noheader,nounit), and of --query-gpu and pmon, only who typed the command knows them.
 */
#include "common/caldate.h"
#include "importers/nvidia/command.h"
#include "importers/nvidia/nvidia_query.h"

#define SNIFF_LINES 400

bool td_nvidia_next_cell(struct td_scan *s, bool csv, struct td_str *ret)
{
	const char *comma;
	size_t len;

	td_scan_blanks(s);
	if (td_scan_done(s))
		return false;
	if (!csv)
		return td_scan_token(s, ret);
	comma = memchr(s->p, ',', (size_t)(s->end - s->p));
	len = (size_t)((comma ? comma : s->end) - s->p);
	*ret = (struct td_str){ s->p, len };
	s->p += len + (comma ? 1 : 0);
	while (ret->len && (ret->p[ret->len - 1] == ' ' || ret->p[ret->len - 1] == '\t'))
		ret->len--;
	return true;
}

bool td_nvidia_is_missing(struct td_str s)
{
	return td_str_eq(s, "-") || td_str_eq(s, "N/A");
}

bool td_nvidia_is_leap(int64_t period_ns, int64_t gap_ns)
{
	return period_ns != TD_NULL && gap_ns > TD_NVIDIA_DELAY_MAX_NS && gap_ns / 10 > period_ns;
}

bool td_nvidia_scan_date(struct td_str s, int64_t *ret_days)
{
	struct td_scan t = td_scan_of(s.p, s.len);
	uint64_t v;
	int year, month, day;

	if (s.len != 8 || !td_scan_u64(&t, &v) || !td_scan_done(&t))
		return false;
	year = (int)(v / 10000);
	month = (int)(v / 100 % 100);
	day = (int)(v % 100);
	if (!td_date_valid(year, month, day))
		return false;
	*ret_days = td_days_from_date(year, month, day);
	return true;
}

/* --- the line of units --- */

/* What runs of equal units stand for. before: the unit that must follow, NULL: any. */
static const struct group {
	const char *unit;
	unsigned n;
	const char *names;
	const char *pmon_names; /* where they differ */
} groups[] = {
	{ "W", 1, "pwr", NULL },
	{ "C", 1, "temp", NULL },
	{ "C", 2, "gtemp mtemp", NULL },
	{ "%", 4, "sm mem enc dec", NULL },
	{ "%", 6, "sm mem enc dec jpg ofa", NULL },
	{ "MHz", 2, "mclk pclk", NULL },
	{ "MB", 1, "fb", NULL },
	{ "MB", 2, "fb bar1", "fb ccpm" },
	{ "MB", 3, "fb bar1 ccpm", NULL },
	{ "errs", 3, "sbecc dbecc pci", NULL },
	{ "MB/s", 2, "rxpci txpci", NULL },
	{ "Idx", 3, "mig_id gi_id ci_id", NULL }, /* of --gpm-options m */
};

struct units {
	struct td_str cells[64];
	unsigned n, gpm;
	bool csv, pmon;
	struct td_strbuf *out;
};

static void add_names(struct units *u, const char *names)
{
	td_strbuf_adds(u->out, u->csv ? ", " : " ");
	for (const char *p = names; *p; p++) {
		if (*p == ' ' && u->csv)
			td_strbuf_addc(u->out, ',');
		td_strbuf_addc(u->out, *p);
	}
}

/* Units from u->cells[at] on that are the same; of those of --gpm-metrics one at a time. */
static unsigned run_length(const struct units *u, unsigned at)
{
	unsigned n = 1;

	while (at + n < u->n && u->cells[at].len == u->cells[at + n].len &&
	       memcmp(u->cells[at].p, u->cells[at + n].p, u->cells[at].len) == 0)
		n++;
	return n;
}

/* The names of n columns with the unit of the one at 'at'. */
static bool add_group(struct units *u, unsigned at, unsigned n)
{
	for (size_t i = 0; i < TD_ARRAY_SIZE(groups); i++) {
		const struct group *g = &groups[i];

		if (g->n != n || !td_str_eq(u->cells[at], g->unit))
			continue;
		add_names(u, u->pmon && g->pmon_names ? g->pmon_names : g->names);
		return true;
	}
	return false;
}

/* Which of them was asked for, the unit does not say: they are numbered. */
static void add_gpm(struct units *u, unsigned n)
{
	char name[32];

	while (n--) {
		(void)snprintf(name, sizeof(name), "gpm-%u", ++u->gpm);
		add_names(u, name);
	}
}

static bool add_columns(struct units *u, unsigned at)
{
	while (at < u->n) {
		unsigned n = run_length(u, at);

		if (td_str_starts(u->cells[at], "GPM:")) {
			add_gpm(u, n);
		} else if (td_str_eq(u->cells[at], "%") && at + n < u->n &&
			   td_str_eq(u->cells[at + n], "bool")) {
			/* the last one is that of -s v */
			if (n > 1 && !add_group(u, at, n - 1))
				return false;
			add_names(u, "pviol tviol");
			n++;
		} else if (!add_group(u, at, n)) {
			return false;
		}
		at += n;
	}
	return true;
}

/* Date, time, index, and what a process has; 0: it is no line of units. */
static unsigned add_begin(struct units *u)
{
	unsigned at = 0;

	td_strbuf_reset(u->out);
	td_strbuf_adds(u->out, "#");
	if (at < u->n && td_str_eq(u->cells[at], "YYYYMMDD") && ++at)
		td_strbuf_adds(u->out, u->csv ? "Date, " : "Date ");
	if (at < u->n && td_str_eq(u->cells[at], "HH:MM:SS") && ++at)
		td_strbuf_adds(u->out, u->csv ? "Time, " : "Time ");
	if (at + 1 >= u->n || !td_str_eq(u->cells[at], "Idx"))
		return 0;
	td_strbuf_adds(u->out, "gpu");
	if (!td_str_eq(u->cells[++at], "#"))
		return at;
	u->pmon = at + 3 < u->n && td_str_eq(u->cells[at + 1], "C/G") &&
		  td_str_eq(u->cells[u->n - 1], "name");
	add_names(u, "pid type");
	u->n--; /* the command, which is added at the end */
	return u->pmon ? at + 2 : 0;
}

bool td_nvidia_units_header(const char *line, size_t len, struct td_strbuf *ret)
{
	struct td_scan s = td_scan_of(line, len);
	struct units u = { .csv = memchr(line, ',', len) != NULL, .out = ret };
	struct td_str cell;
	unsigned at;

	if (len && line[len - 1] == '\r')
		s.end--;
	td_scan_blanks(&s);
	if (!td_scan_char(&s, '#'))
		return false;
	while (td_nvidia_next_cell(&s, u.csv, &cell)) {
		if (u.n == TD_ARRAY_SIZE(u.cells))
			return false;
		u.cells[u.n++] = cell;
	}
	at = add_begin(&u);
	if (!at || !add_columns(&u, at))
		return false;
	if (u.pmon)
		add_names(&u, "command");
	return td_strbuf_error(ret) == 0;
}

/* --- the user's command lines --- */

int td_nvidia_layout_header(const struct td_import_layouts *layouts, bool query, const char *row,
			    size_t len, struct td_strbuf *ret)
{
	_cleanup_(td_strbuf_done) struct td_strbuf header = TD_STRBUF_INIT;
	const struct td_nvidia_command *cmd;
	bool found = false;
	size_t at = 0;

	while ((cmd = td_import_layouts_next(layouts, &td_nvidia_layout, &at))) {
		if ((cmd->tool == TD_NVIDIA_QUERY) != query ||
		    !td_nvidia_command_header(cmd, row, len, &header))
			continue;
		if (found && strcmp(td_strbuf_str(ret), td_strbuf_str(&header)) != 0)
			return -EEXIST;
		td_strbuf_reset(ret);
		td_strbuf_add(ret, header.p, header.len);
		found = true;
	}
	return td_strbuf_error(ret) < 0 ? -ENOMEM : found;
}

bool td_nvidia_are_rows_of(const struct td_import_layouts *layouts, bool query, const char *head,
			   size_t len)
{
	_cleanup_(td_strbuf_done) struct td_strbuf header = TD_STRBUF_INIT;
	size_t rows = 0, others = 0;
	struct td_scan s = td_scan_of(head, len);
	struct td_str line;

	while (rows + others < SNIFF_LINES && td_scan_line(&s, true, &line)) {
		int r = line.len
				? td_nvidia_layout_header(layouts, query, line.p, line.len, &header)
				: 0;

		if (r == 1 || r == -EEXIST)
			rows++;
		else if (line.len)
			others++;
	}
	return rows > others;
}

/* --- without any of that --- */

/* What every row of a file without header has in common. */
struct shape {
	unsigned ncells;
	bool pmon, query; /* looks like a process of pmon; has something that only a query prints */
};

static bool is_type(struct td_str s)
{
	return td_str_eq(s, "C") || td_str_eq(s, "G") || td_str_eq(s, "C+G");
}

/* " 20240501  10:00:01  0  4711  C  93  40  -  -  python" */
static bool shape_of_pmon(const char *p, size_t len, struct shape *ret)
{
	struct td_scan s = td_scan_of(p, len);
	struct td_str cell;
	int64_t n;
	unsigned i;

	*ret = (struct shape){ .pmon = true };
	for (i = 0; i < 5 && td_nvidia_next_cell(&s, false, &cell); i++) {
		struct td_scan t = td_scan_of(cell.p, cell.len);

		if (i >= 2 && is_type(cell))
			break;
		if (!td_query_scan_integer(cell, &n) && !(td_scan_tod(&t, &n) && td_scan_done(&t)))
			return false;
	}
	return i < 5 && i >= 2 && td_nvidia_next_cell(&s, false, &cell) &&
	       (td_nvidia_is_missing(cell) || td_query_scan_integer(cell, &n));
}

static bool shape_of_csv(const char *p, size_t len, struct shape *ret)
{
	struct td_scan s = { p, p + len };
	struct td_str cell, unit;
	double value;
	int64_t n;

	*ret = (struct shape){ 0 };
	while (td_query_next_cell(&s, &cell)) {
		struct td_scan t = td_scan_of(cell.p, cell.len);

		ret->ncells++;
		if (td_query_scan_time(cell, &n) || td_str_starts(cell, "GPU-"))
			ret->query = true;
		else if (td_query_scan_number(cell, &value, &unit))
			ret->query |= unit.p != NULL;
		else if (!td_query_is_missing(cell) && !(td_scan_tod(&t, &n) && td_scan_done(&t)) &&
			 !ret->query)
			return false;
	}
	return ret->ncells > 1 && td_find(p, len, ", ", 2);
}

/* How to name the columns of what may be nvidia-smi's; NULL: it is not. The line that the head cuts is left out unless
 * it is the only one. */
static const char *remedy_of(const char *head, size_t len)
{
	struct shape all = { 0 }, one;
	struct td_scan s = td_scan_of(head, len);
	struct td_str line;
	size_t nlines = 0;

	while (nlines < SNIFF_LINES && td_scan_line(&s, true, &line)) {
		if (td_str_is_blank(line) || (s.p[-1] != '\n' && nlines))
			continue;
		if (!shape_of_csv(line.p, line.len, &one) && !shape_of_pmon(line.p, line.len, &one))
			return NULL;
		if (nlines++ && (one.ncells != all.ncells || one.pmon != all.pmon))
			return NULL;
		one.query |= all.query;
		all = one;
	}
	if (!nlines)
		return NULL;
	return all.pmon ? "its columns have no names; if nvidia-smi printed it, give the command: "
			  "--layout 'nvidia-smi pmon -s um -o DT'"
	       : all.query
		       ? "its columns have no names; if nvidia-smi printed it, give the command: "
			 "--layout 'nvidia-smi --query-gpu=timestamp,index,utilization.gpu "
			 "--format=csv,noheader'"
		       : "its columns have no names; if nvidia-smi printed it, give the command: "
			 "--layout 'nvidia-smi dmon -s puc -o DT --format csv,noheader,nounit'";
}

bool td_nvidia_explain(const char *head, size_t len, const struct td_import_layouts *layouts,
		       struct td_err *why)
{
	const char *remedy = remedy_of(head, len);
	size_t at = 0;
	bool given = td_import_layouts_next(layouts, &td_nvidia_layout, &at);

	if (remedy)
		(void)td_err_set(why, 0, "%s%s", remedy,
				 given ? "; the one given prints other columns" : "");
	return remedy;
}
