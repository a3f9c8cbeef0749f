/* SPDX-License-Identifier: MIT */
/*
 * What 'nsys stats' prints, as its outputs show it. A table in columns is
 *
 *      ** CUDA API Summary (cuda_api_sum):
 *
 *      Time (%)  Total Time (ns)  Num Calls    Avg (ns)     ...           Name
 *      --------  ---------------  ---------  ------------   ...  ---------------------
 *          97.3   25,610,616,016          1  25,610,616,016.0 ...  cudaDeviceSynchronize
 *
 * with an empty line before it. Headings are centred, numbers stand right, text left and filled up with
 * blanks. The first 100 rows decide how wide a column is, up to 100 characters; what is longer ends in an
 * ellipsis. In csv the numbers have no thousands separators.
 */
#include "common/array.h"
#include "common/cleanup.h"
#include "common/strbuf.h"
#include "analyzer/format/compat_nsys.h"
#include "schema/db.h"

#define ROWS_MEASURED 100
#define WIDTH_MAX 100
#define COLUMNS_MAX 12

enum shape {
	SHAPE_TEXT,
	SHAPE_INTEGER,
	SHAPE_REAL, /* one decimal */
	SHAPE_MB, /* bytes as 10^6, three decimals */
};

struct column {
	const char *name; /* of the report's column */
	const char *heading;
	enum shape shape;
};

struct nsys_report {
	const char *name, *old_name;
	const char *title, *old_title;
	const char *no_data;
	struct column columns[COLUMNS_MAX]; /* the rest is empty */
};

#define TIMES(count, count_heading)                                                                \
	{ "time_pct", "Time (%)", SHAPE_REAL }, { "total_ns", "Total Time (ns)", SHAPE_INTEGER },  \
		{ count, count_heading, SHAPE_INTEGER }, { "avg_ns", "Avg (ns)", SHAPE_REAL },     \
		{ "med_ns", "Med (ns)", SHAPE_REAL }, { "min_ns", "Min (ns)", SHAPE_INTEGER },     \
		{ "max_ns", "Max (ns)", SHAPE_INTEGER },                                           \
	{                                                                                          \
		"stddev_ns", "StdDev (ns)", SHAPE_REAL                                             \
	}

static const struct nsys_report reports[] = {
	{ "cuda_api_sum",
	  "cudaapisum",
	  "CUDA API Summary",
	  "CUDA API Statistics",
	  "CUDA trace data",
	  { TIMES("calls", "Num Calls"), { "name", "Name", SHAPE_TEXT } } },
	{ "cuda_gpu_kern_sum",
	  "gpukernsum",
	  "CUDA GPU Kernel Summary",
	  "CUDA Kernel Statistics",
	  "CUDA kernel data",
	  { TIMES("instances", "Instances"), { "name", "Name", SHAPE_TEXT } } },
	{ "cuda_gpu_mem_size_sum",
	  "gpumemsizesum",
	  "CUDA GPU MemOps Summary (by Size)",
	  "CUDA Memory Operation Statistics (by size)",
	  "GPU memory data",
	  { { "total_bytes", "Total (MB)", SHAPE_MB },
	    { "count", "Count", SHAPE_INTEGER },
	    { "avg_bytes", "Avg (MB)", SHAPE_MB },
	    { "med_bytes", "Med (MB)", SHAPE_MB },
	    { "min_bytes", "Min (MB)", SHAPE_MB },
	    { "max_bytes", "Max (MB)", SHAPE_MB },
	    { "stddev_bytes", "StdDev (MB)", SHAPE_MB },
	    { "operation", "Operation", SHAPE_TEXT } } },
	{ "cuda_gpu_mem_time_sum",
	  "gpumemtimesum",
	  "CUDA GPU MemOps Summary (by Time)",
	  "CUDA Memory Operation Statistics (by time)",
	  "GPU memory data",
	  { TIMES("count", "Count"), { "operation", "Operation", SHAPE_TEXT } } },
	{ "nvtx_sum",
	  "nvtxsum",
	  "NVTX Range Summary",
	  "NVTX Range Statistics",
	  "NV Tools Extension (NVTX) data",
	  { TIMES("instances", "Instances"),
	    { "style", "Style", SHAPE_TEXT },
	    { "range", "Range", SHAPE_TEXT } } },
	{ "osrt_sum",
	  "osrtsum",
	  "OS Runtime Summary",
	  "Operating System Runtime API Statistics",
	  "OS Runtime trace data",
	  { TIMES("calls", "Num Calls"), { "name", "Name", SHAPE_TEXT } } },
};

struct state {
	const struct nsys_report *report; /* of the open table */
	size_t ncolumns;
	size_t from[COLUMNS_MAX]; /* column of the report that each one shows */
	bool old; /* titles of before 2023 */
	bool measured; /* the widths are known, the heading is written */
	size_t width[COLUMNS_MAX];
	char **cells; /* of the rows until then; owned, as are they */
	size_t ncells, cap;
};

static const struct nsys_report *find(const char *name)
{
	for (size_t i = 0; i < TD_ARRAY_SIZE(reports); i++)
		if (strcmp(reports[i].name, name) == 0)
			return &reports[i];
	return NULL;
}

bool td_compat_nsys_has(const char *report)
{
	return find(report) != NULL;
}

const char *td_compat_nsys_report(const char *name)
{
	for (size_t i = 0; i < TD_ARRAY_SIZE(reports); i++)
		if (strcmp(reports[i].old_name, name) == 0)
			return reports[i].name;
	return name;
}

int td_compat_nsys_db(struct td_writer *w, sqlite3 *db, struct td_err *err)
{
	_cleanup_(sqlite3_finalizep) sqlite3_stmt *s = NULL;
	struct state *state = w->state;
	int rc = sqlite3_prepare_v2(db,
				    "SELECT CAST(tool_version AS INTEGER) < 2023 FROM source"
				    " WHERE importer = 'nsys' AND tool_version IS NOT NULL"
				    " ORDER BY id LIMIT 1",
				    -1, &s, NULL);

	if (rc == SQLITE_OK)
		rc = sqlite3_step(s);
	if (rc != SQLITE_ROW && rc != SQLITE_DONE)
		return td_db_error(db, rc, err, "cannot read table 'source'");
	state->old = rc == SQLITE_ROW && sqlite3_column_int(s, 0);
	return 0;
}

/* --- cells --- */

/* "-1234567.8" as "-1,234,567.8". */
static void add_grouped(struct td_strbuf *b, const char *digits)
{
	size_t whole = strspn(digits, "-0123456789"), sign = digits[0] == '-';

	for (size_t i = 0; i < whole; i++) {
		if (i > sign && (whole - i) % 3 == 0)
			td_strbuf_addc(b, ',');
		td_strbuf_addc(b, digits[i]);
	}
	td_strbuf_adds(b, digits + whole);
}

static void add_number(struct td_strbuf *b, const struct td_cell *v, enum shape shape, bool grouped)
{
	double d = v->type == TD_VALUE_INT ? (double)v->i : v->d;
	char text[64];

	if (shape == SHAPE_INTEGER && v->type == TD_VALUE_INT)
		(void)snprintf(text, sizeof(text), "%lld", (long long)v->i);
	else if (shape == SHAPE_MB)
		(void)snprintf(text, sizeof(text), "%.3f", d / 1e6);
	else
		(void)snprintf(text, sizeof(text), "%.*f", shape == SHAPE_INTEGER ? 0 : 1, d);
	if (grouped)
		add_grouped(b, text);
	else
		td_strbuf_adds(b, text);
}

static void add_cell(struct td_strbuf *b, const struct td_cell *v, enum shape shape, bool grouped)
{
	if (v->type == TD_VALUE_TEXT)
		td_strbuf_add(b, v->text.p, v->text.len);
	else if (v->type != TD_VALUE_NULL)
		add_number(b, v, shape, grouped);
}

/* nsys counts characters, whatever their width on a terminal. */
static size_t characters(const char *text)
{
	size_t n = 0;

	for (; *text; text++)
		n += ((unsigned char)*text & 0xc0) != 0x80;
	return n;
}

/* The end of the first n characters. */
static size_t bytes_of(const char *text, size_t n)
{
	size_t i = 0;

	for (; text[i]; i++)
		if (((unsigned char)text[i] & 0xc0) != 0x80 && n-- == 0)
			break;
	return i;
}

static void put_blanks(FILE *out, size_t n)
{
	fprintf(out, "%*s", (int)n, "");
}

/* A cell of a table in columns, with what stands before it. */
static void put_cell(struct td_writer *w, size_t column, const char *text)
{
	struct state *s = w->state;
	size_t n = characters(text), width = s->width[column];

	put_blanks(w->out, column ? 2 : 1);
	if (n > width) {
		fprintf(w->out, "%.*s…", (int)bytes_of(text, width - 1), text);
	} else if (s->report->columns[column].shape == SHAPE_TEXT) {
		fputs(text, w->out);
		put_blanks(w->out, width - n);
	} else {
		put_blanks(w->out, width - n);
		fputs(text, w->out);
	}
	if (column + 1 == s->ncolumns)
		(void)putc('\n', w->out);
}

/* --- the heading --- */

static void put_headings(struct td_writer *w)
{
	struct state *s = w->state;

	for (size_t c = 0; c < s->ncolumns; c++) {
		const char *heading = s->report->columns[c].heading;
		size_t blanks = s->width[c] - strlen(heading);

		put_blanks(w->out, (c ? 2 : 1) + blanks / 2);
		fputs(heading, w->out);
		put_blanks(w->out, blanks - blanks / 2);
	}
	(void)putc('\n', w->out);
	for (size_t c = 0; c < s->ncolumns; c++) {
		put_blanks(w->out, c ? 2 : 1);
		for (size_t i = 0; i < s->width[c]; i++)
			(void)putc('-', w->out);
	}
	(void)putc('\n', w->out);
}

/* The widths are known now: writes what was kept back. */
static void put_measured(struct td_writer *w)
{
	struct state *s = w->state;

	put_headings(w);
	for (size_t i = 0; i < s->ncells; i++) {
		put_cell(w, i % s->ncolumns, s->cells[i]);
		free(s->cells[i]);
	}
	s->ncells = 0;
	s->measured = true;
}

/* The columns of the report that the table shows; -EINVAL if the report is not what nsys prints. */
static int find_columns(struct td_writer *w)
{
	struct state *s = w->state;

	s->report = w->head->name ? find(w->head->name) : NULL;
	if (!s->report)
		return -EINVAL;
	for (s->ncolumns = 0; s->report->columns[s->ncolumns].name; s->ncolumns++) {
		size_t i = 0;

		while (i < w->head->ncolumns &&
		       strcmp(w->head->columns[i].name, s->report->columns[s->ncolumns].name) != 0)
			i++;
		if (i == w->head->ncolumns)
			return -EINVAL;
		s->from[s->ncolumns] = i;
	}
	return 0;
}

static bool put_missing(struct td_writer *w)
{
	const struct state *s = w->state;

	if (!w->head->missing)
		return false;
	fprintf(w->out, "SKIPPED: %s does not contain %s.\n", w->db ? w->db : "database",
		s->report->no_data);
	return true;
}

/* --- in columns --- */

static int column_table(struct td_writer *w)
{
	struct state *s = w->state;
	int r = find_columns(w);

	if (r < 0)
		return r;
	if (put_missing(w))
		return 0;
	if (s->old)
		fprintf(w->out, "\n%s:\n\n", s->report->old_title);
	else
		fprintf(w->out, "\n ** %s (%s):\n\n", s->report->title, s->report->name);
	s->measured = false;
	for (size_t c = 0; c < s->ncolumns; c++)
		s->width[c] = strlen(s->report->columns[c].heading);
	return 0;
}

static int keep_cell(struct state *s, size_t column, const char *text)
{
	/* NOLINTNEXTLINE(bugprone-sizeof-expression): the array is of pointers */
	if (td_grow(&s->cells, &s->cap, s->ncells) < 0)
		return -ENOMEM;
	s->cells[s->ncells] = strdup(text);
	if (!s->cells[s->ncells])
		return -ENOMEM;
	s->ncells++;
	s->width[column] = TD_MIN(TD_MAX(s->width[column], characters(text)), (size_t)WIDTH_MAX);
	return 0;
}

static int column_row(struct td_writer *w, const struct td_cell *values)
{
	struct state *s = w->state;

	if (!s->measured && w->nrows == ROWS_MEASURED)
		put_measured(w);
	for (size_t c = 0; c < s->ncolumns; c++) {
		_cleanup_(td_strbuf_done) struct td_strbuf cell = TD_STRBUF_INIT;
		int r;

		add_cell(&cell, &values[s->from[c]], s->report->columns[c].shape, true);
		r = td_strbuf_error(&cell);
		if (r < 0)
			return r;
		if (s->measured)
			put_cell(w, c, td_strbuf_str(&cell));
		else
			r = keep_cell(s, c, td_strbuf_str(&cell));
		if (r < 0)
			return r;
	}
	return 0;
}

static int column_table_end(struct td_writer *w)
{
	struct state *s = w->state;

	if (!s->measured && !w->head->missing)
		put_measured(w);
	return 0;
}

static void column_done(struct td_writer *w)
{
	struct state *s = w->state;

	for (size_t i = 0; i < s->ncells; i++)
		free(s->cells[i]);
	free(s->cells);
}

/* --- csv --- */

static void put_csv(FILE *out, const char *text)
{
	bool quote = strpbrk(text, ",\"\r\n") != NULL;

	if (quote)
		(void)putc('"', out);
	for (; *text; text++) {
		if (*text == '"')
			(void)putc('"', out);
		(void)putc(*text, out);
	}
	if (quote)
		(void)putc('"', out);
}

static int csv_table(struct td_writer *w)
{
	struct state *s = w->state;
	int r = find_columns(w);

	if (r < 0)
		return r;
	if (w->all_tables)
		(void)putc('\n', w->out);
	if (put_missing(w))
		return 0;
	for (size_t c = 0; c < s->ncolumns; c++)
		fprintf(w->out, "%s%s", c ? "," : "", s->report->columns[c].heading);
	(void)putc('\n', w->out);
	return 0;
}

static int csv_row(struct td_writer *w, const struct td_cell *values)
{
	struct state *s = w->state;

	for (size_t c = 0; c < s->ncolumns; c++) {
		_cleanup_(td_strbuf_done) struct td_strbuf cell = TD_STRBUF_INIT;

		add_cell(&cell, &values[s->from[c]], s->report->columns[c].shape, false);
		if (td_strbuf_error(&cell) < 0)
			return -ENOMEM;
		if (c)
			(void)putc(',', w->out);
		put_csv(w->out, td_strbuf_str(&cell));
	}
	(void)putc('\n', w->out);
	return 0;
}

const struct td_format td_format_nsys_column = {
	.name = "nsys-column",
	.desc = "as nsys stats -f column",
	.state_size = sizeof(struct state),
	.table = column_table,
	.row = column_row,
	.table_end = column_table_end,
	.done = column_done,
};

const struct td_format td_format_nsys_csv = {
	.name = "nsys-csv",
	.desc = "as nsys stats -f csv",
	.state_size = sizeof(struct state),
	.table = csv_table,
	.row = csv_row,
};
