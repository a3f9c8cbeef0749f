/* SPDX-License-Identifier: MIT */
/*
 * nvidia-smi pmon (processes per GPU) and nvidia-smi dmon (devices), any driver, any -s and -o:
 *
 *     #Date       Time        gpu        pid  type    sm   mem   enc   dec    fb   command
 *     #YYYYMMDD   HH:MM:SS    Idx          #   C/G     %     %     %     %    MB   name
 *      20240501   10:00:01      0       4711     C    93    40     -     -  1200   python
 *      20240501   10:00:01      1          -     -     -     -     -     -     -   -
 *
 * Which columns there are, and in what order, depends on the driver and on the letters of -s, so only
 * the header says it; it is printed again every so many lines. The second header line has the units.
 *
 *     Date + Time   -o DT: clock LOCAL; -o T: LOCAL_TOD; otherwise the clock is RELATIVE and every
 *                   sample is taken to be 1 s after the one before (noted as "assumed-period")
 *     gpu           device 'GPU 0'
 *     pid, command  process; '-': none
 *     type          not kept (C, G, C+G)
 *     vgpu and other columns of ids   a part of the GPU, a device of its own: 'GPU 0 vgpu 3251634'
 *     the rest      track 'gpu.<column>' with the header's unit; MB are 1024 x 1024 bytes (NVML counts
 *                   bytes and nvidia-smi divides them so) and become bytes
 *
 * The header may be missing (--format csv,noheader): nvidia/header.c puts it together from the line of units, or
 * from the command line that the user gave.
 *
 * '-' in the column sm is stored as NULL: it tells "not sampled" from "no line"; in other columns it
 * is not stored, because most of them are '-' all the time.
 */
#include <math.h>

#include "common/caldate.h"
#include "common/cleanup.h"
#include "importers/core/importers.h"
#include "importers/nvidia/command.h"

#define MAX_COLUMNS 64

enum role { COL_VALUE, COL_DATE, COL_TIME, COL_GPU, COL_PID, COL_TYPE, COL_COMMAND, COL_ID };

struct column {
	enum role role;
	const char *track; /* in the store */
	const char *unit; /* in the store */
	double scale;
	bool keep_missing;
};

struct smi {
	struct column columns[MAX_COLUMNS];
	unsigned ncolumns; /* 0: no header yet */
	bool pmon, csv, has_date, has_time;
	bool has_ofa; /* a driver that tells of this engine, too */
	bool below_names; /* the line before had the names: the next may have the units */
	bool noted_layouts;
	enum td_clock clock; /* of the rows so far; NONE: no row yet */
	int64_t ts_ns, dur_ns; /* of the sample that the last row belongs to */
	int64_t step_ns; /* to add to times, since the clock was set */
	size_t row_len; /* of the row before, as it is printed */
	int64_t first_gpu, first_pid, last_gpu; /* which rows a sample has, to tell samples apart */
	uint32_t first_id; /* string */
};

struct row {
	int64_t date_days, tod_ns, gpu, pid;
	struct td_str command;
	struct td_str id; /* of a part of the GPU: what the first column of ids has */
	const char *id_track;
	uint32_t id_text; /* string; 0: none */
	double values[MAX_COLUMNS]; /* NaN: '-' */
};

static const struct {
	const char *name;
	enum role role;
} roles[] = {
	{ "Date", COL_DATE }, { "Time", COL_TIME }, { "gpu", COL_GPU },
	{ "pid", COL_PID },   { "type", COL_TYPE }, { "command", COL_COMMAND },
};

/* Units of the known columns, for a file without the second header line (--format csv,nounit). */
static const struct {
	const char *column, *unit;
} known[] = {
	{ "sm", "%" },        { "mem", "%" },       { "enc", "%" },       { "dec", "%" },
	{ "jpg", "%" },       { "ofa", "%" },       { "fb", "MB" },       { "bar1", "MB" },
	{ "ccpm", "MB" },     { "pwr", "W" },       { "temp", "C" },      { "gtemp", "C" },
	{ "mtemp", "C" },     { "mclk", "MHz" },    { "pclk", "MHz" },    { "pviol", "%" },
	{ "tviol", "bool" },  { "sbecc", "errs" },  { "dbecc", "errs" },  { "pci", "errs" },
	{ "rxpci", "MB/s" },  { "txpci", "MB/s" }, /* of --gpm-metrics: */
	{ "gract", "%" },     { "smutil", "%" },    { "smocc", "%" },     { "intutil", "%" },
	{ "mmaact", "%" },    { "dfmat", "%" },     { "hmmat", "%" },     { "immat", "%" },
	{ "dram", "%" },      { "fp64", "%" },      { "fp32", "%" },      { "fp16", "%" },
	{ "pcitx", "MiB/s" }, { "pcirx", "MiB/s" }, { "nvlrx", "MiB/s" }, { "nvltx", "MiB/s" },
};

static const struct {
	const char *printed, *unit;
	double scale;
} units[] = {
	{ "MB", "bytes", 1024 * 1024 },
	{ "bool", "", 1 },
	{ "errs", "", 1 },
};

static bool is_printable(struct td_str s)
{
	for (size_t i = 0; i < s.len; i++)
		if (s.p[i] < '!' || s.p[i] > '~')
			return false;
	return s.len > 0;
}

static const char *known_unit(struct td_str column)
{
	for (size_t i = 0; i < TD_ARRAY_SIZE(known); i++)
		if (td_str_eq(column, known[i].column))
			return known[i].unit;
	return NULL;
}

/* The header's text behind '#', or false. */
static bool header_text(const char *line, size_t len, struct td_scan *ret)
{
	*ret = td_scan_of(line, len);
	td_scan_blanks(ret);
	return td_scan_char(ret, '#');
}

/* A header of pmon or dmon: has the column gpu and at least one that we know. */
static bool is_columns_header(struct td_scan s, bool *ret_csv)
{
	struct td_str cell;
	bool gpu = false, one_known = false;

	*ret_csv = memchr(s.p, ',', (size_t)(s.end - s.p)) != NULL;
	while (td_nvidia_next_cell(&s, *ret_csv, &cell)) {
		gpu |= td_str_eq(cell, "gpu");
		one_known |= known_unit(cell) != NULL;
	}
	return gpu && one_known;
}

static void set_unit(struct td_import *imp, struct column *c, struct td_str printed)
{
	static const char gpm[] = "GPM:"; /* of --gpm-metrics: "GPM:%" */

	if (td_str_starts(printed, gpm))
		printed = (struct td_str){ printed.p + strlen(gpm), printed.len - strlen(gpm) };
	c->scale = 1;
	for (size_t i = 0; i < TD_ARRAY_SIZE(units); i++) {
		if (td_str_eq(printed, units[i].printed)) {
			c->unit = units[i].unit;
			c->scale = units[i].scale;
			return;
		}
	}
	c->unit = td_import_keep(imp, printed).p;
}

static void set_column(struct td_import *imp, struct column *c, struct td_str name)
{
	const char *unit = known_unit(name);
	char track[64];

	*c = (struct column){ .role = COL_VALUE, .keep_missing = td_str_eq(name, "sm") };
	for (size_t i = 0; i < TD_ARRAY_SIZE(roles); i++)
		if (td_str_eq(name, roles[i].name))
			c->role = roles[i].role;
	if (td_str_eq(name, "temp")) /* before drivers told memory's temperature apart */
		name = (struct td_str){ "gtemp", 5 };
	(void)snprintf(track, sizeof(track), "gpu.%.*s", (int)TD_MIN(name.len, (size_t)40), name.p);
	c->track = td_import_keep_cstr(imp, track);
	set_unit(imp, c, unit ? (struct td_str){ unit, strlen(unit) } : (struct td_str){ "", 0 });
}

static int columns_header(struct td_import *imp, struct td_scan s, bool csv)
{
	struct smi *smi = imp->state;
	struct td_str cell;

	smi->ncolumns = 0;
	smi->csv = csv;
	smi->pmon = smi->has_date = smi->has_time = smi->has_ofa = false;
	while (td_nvidia_next_cell(&s, csv, &cell)) {
		struct column *c = &smi->columns[smi->ncolumns];

		if (smi->ncolumns == MAX_COLUMNS || !is_printable(cell)) {
			smi->ncolumns = 0;
			return td_reject(imp, "spoilt-header");
		}
		set_column(imp, c, cell);
		smi->pmon |= c->role == COL_PID;
		smi->has_ofa |= td_str_eq(cell, "ofa");
		smi->has_date |= c->role == COL_DATE;
		smi->has_time |= c->role == COL_TIME;
		smi->ncolumns++;
	}
	td_import_set_layout(imp, !smi->pmon ? "dmon" : smi->has_ofa ? "pmon-ofa" : "pmon");
	return TD_LINE_SKIPPED;
}

/* Takes a header that was not printed. */
static int unprinted_header(struct td_import *imp, const struct td_strbuf *header)
{
	struct td_scan s;
	bool csv;

	if (!header_text(header->p, header->len, &s) || !is_columns_header(s, &csv))
		return TD_LINE_ISSUE;
	return columns_header(imp, s, csv);
}

/* The line below it: "# Idx     W     C     %". Without one above, its units tell the columns. */
static int units_header(struct td_import *imp, const char *line, size_t len, struct td_scan s)
{
	_cleanup_(td_strbuf_done) struct td_strbuf header = TD_STRBUF_INIT;
	struct smi *smi = imp->state;
	struct td_scan again;
	struct td_str cell;
	unsigned n = 0;

	if (!smi->below_names && td_nvidia_units_header(line, len, &header))
		(void)unprinted_header(imp, &header);
	again = s;
	while (td_nvidia_next_cell(&again, smi->csv, &cell))
		n++;
	if (!smi->ncolumns || n != smi->ncolumns)
		return td_reject(imp, "spoilt-header");
	for (n = 0; td_nvidia_next_cell(&s, smi->csv, &cell); n++) {
		struct column *c = &smi->columns[n];

		if (c->role == COL_VALUE && (td_str_eq(cell, "Id") || td_str_eq(cell, "Idx")))
			c->role = COL_ID;
		else if (c->role == COL_VALUE && is_printable(cell))
			set_unit(imp, c, cell);
	}
	return TD_LINE_SKIPPED;
}

static bool scan_all_u64(struct td_str s, uint64_t *ret)
{
	struct td_scan t = td_scan_of(s.p, s.len);

	return td_scan_u64(&t, ret) && td_scan_done(&t);
}

static bool scan_number(struct td_str s, int64_t *ret)
{
	uint64_t v;

	if (td_nvidia_is_missing(s)) {
		*ret = -1;
		return true;
	}
	if (!scan_all_u64(s, &v) || v > INT32_MAX)
		return false;
	*ret = (int64_t)v;
	return true;
}

static bool scan_cell(const struct column *c, struct td_str cell, struct row *row, double *value)
{
	struct td_scan s = td_scan_of(cell.p, cell.len);

	switch (c->role) {
	case COL_DATE:
		return td_nvidia_scan_date(cell, &row->date_days);
	case COL_TIME:
		return td_scan_tod(&s, &row->tod_ns) && td_scan_done(&s);
	case COL_GPU:
		return scan_number(cell, &row->gpu) && row->gpu >= 0;
	case COL_PID:
		return scan_number(cell, &row->pid);
	case COL_VALUE:
		if (td_nvidia_is_missing(cell))
			return true;
		return td_scan_double(&s, value) && td_scan_done(&s);
	case COL_ID:
		if (!td_nvidia_is_missing(cell) && !row->id.len) {
			row->id = cell;
			row->id_track = c->track;
		}
		return true;
	default:
		return true;
	}
}

static bool scan_row(const struct smi *smi, struct td_scan s, struct row *row)
{
	struct td_str cell;

	for (unsigned i = 0; i < smi->ncolumns; i++) {
		row->values[i] = NAN;
		if (smi->columns[i].role == COL_COMMAND) { /* has blanks, or is missing */
			td_scan_blanks(&s);
			row->command = td_scan_rest(&s);
			while (row->command.len && row->command.p[row->command.len - 1] == ' ')
				row->command.len--;
			if (td_nvidia_is_missing(row->command))
				row->command.len = 0;
			return true;
		}
		if (!td_nvidia_next_cell(&s, smi->csv, &cell) ||
		    !scan_cell(&smi->columns[i], cell, row, &row->values[i]))
			return false;
	}
	td_scan_blanks(&s);
	return td_scan_done(&s);
}

static enum td_clock clock_of(const struct smi *smi)
{
	if (!smi->has_time)
		return TD_CLOCK_RELATIVE;
	return smi->has_date ? TD_CLOCK_LOCAL : TD_CLOCK_LOCAL_TOD;
}

/* A row without time: is it of the same sample as the row before? Within a sample GPUs ascend, and a
 * GPU comes again only for another process. */
static bool begins_sample(const struct smi *smi, const struct row *row)
{
	return row->gpu < smi->last_gpu ||
	       (row->gpu == smi->last_gpu && row->gpu == smi->first_gpu &&
		row->pid == smi->first_pid && row->id_text == smi->first_id);
}

static int64_t native_time(struct td_import *imp, const struct row *row)
{
	struct smi *smi = imp->state;

	switch (smi->clock) {
	case TD_CLOCK_LOCAL:
		return row->date_days * TD_DAY_NS + row->tod_ns;
	case TD_CLOCK_LOCAL_TOD:
		return td_import_unwrap_tod(imp, row->tod_ns);
	default:
		return begins_sample(smi, row) ? smi->ts_ns + TD_SEC_NS : smi->ts_ns;
	}
}

/* Sets ts_ns and dur_ns of the sample that the row belongs to. false: the clock is not that of the
 * rows before. */
static bool place_row(struct td_import *imp, const struct row *row)
{
	struct smi *smi = imp->state;
	bool first = smi->clock == TD_CLOCK_NONE;
	int64_t ts_ns, gap_ns;

	if (first) {
		smi->clock = clock_of(smi);
		td_import_set_clock(imp, smi->clock);
		smi->last_gpu = INT64_MAX;
		smi->dur_ns = TD_NULL;
		if (smi->clock == TD_CLOCK_RELATIVE)
			td_note(imp, "assumed-period", "no times printed: 1 s per sample assumed");
	} else if (smi->clock != clock_of(smi)) {
		return false;
	}
	ts_ns = native_time(imp, row) + smi->step_ns;
	if (!first && ts_ns <= smi->ts_ns - TD_SEC_NS) {
		int64_t by_ns = td_import_clock_step(imp, ts_ns, smi->ts_ns) +
				(smi->dur_ns == TD_NULL ? 0 : smi->dur_ns);

		smi->step_ns += by_ns;
		ts_ns += by_ns;
	}
	gap_ns = ts_ns - smi->ts_ns;
	if (!first && td_nvidia_is_leap(smi->dur_ns, gap_ns))
		td_note(imp, "clock-leap", NULL);
	if (first || gap_ns) {
		smi->first_gpu = row->gpu;
		smi->first_pid = row->pid;
		smi->first_id = row->id_text;
		smi->dur_ns =
			!first && gap_ns > 0 && gap_ns <= TD_NVIDIA_DELAY_MAX_NS ? gap_ns : TD_NULL;
	}
	smi->last_gpu = row->gpu;
	smi->ts_ns = ts_ns;
	return true;
}

/* "GPU 0", or "GPU 0 vgpu 3251634", which has no index of its own */
static uint32_t device_of(struct td_import *imp, const struct row *row)
{
	const char *column = row->id.len ? row->id_track + strlen("gpu.") : "";
	char name[96];
	int n;

	n = row->id.len ? snprintf(name, sizeof(name), "GPU %lld %.20s %.*s", (long long)row->gpu,
				   column, (int)TD_MIN(row->id.len, (size_t)40), row->id.p)
			: snprintf(name, sizeof(name), "GPU %lld", (long long)row->gpu);
	return td_store_device(imp->store, TD_DEVICE_GPU, name, (size_t)n,
			       row->id.len ? TD_NULL : row->gpu);
}

static int put_row(struct td_import *imp, const struct row *row)
{
	const struct smi *smi = imp->state;
	struct td_store *st = imp->store;
	uint32_t device_id, process_id = 0;
	int verdict = TD_LINE_SKIPPED;

	device_id = device_of(imp, row);
	if (row->pid >= 0)
		process_id = td_store_process(st, row->pid, row->command.p, row->command.len);
	for (unsigned i = 0; i < smi->ncolumns; i++) {
		const struct column *c = &smi->columns[i];
		struct td_sample sample = TD_SAMPLE_INIT;
		int r;

		if (c->role != COL_VALUE || (isnan(row->values[i]) && !c->keep_missing))
			continue;
		sample.ts_ns = smi->ts_ns;
		sample.dur_ns = smi->dur_ns;
		sample.value = row->values[i] * c->scale;
		sample.track_id = td_store_track(st, imp->source_id, c->track, c->unit, device_id,
						 process_id);
		r = td_put_sample(imp, &sample);
		if (r < 0)
			return r;
		verdict = TD_LINE_ROW;
	}
	return verdict;
}

static int header_line(struct td_import *imp, const char *line, size_t len, struct td_scan s)
{
	struct smi *smi = imp->state;
	bool csv, names = is_columns_header(s, &csv);
	int r = names ? columns_header(imp, s, csv) : units_header(imp, line, len, s);

	smi->below_names = names || r == TD_LINE_ISSUE; /* somebody else's names */
	return r;
}

/* By the user's command line. 0, also if there is none for the row; -ENOMEM. */
static int name_columns(struct td_import *imp, const char *line, size_t len)
{
	_cleanup_(td_strbuf_done) struct td_strbuf header = TD_STRBUF_INIT;
	struct smi *smi = imp->state;
	int r = td_nvidia_layout_header(imp->options->layouts, false, line, len, &header);

	if (r == -EEXIST && !smi->noted_layouts) {
		smi->noted_layouts = true;
		td_note(imp, "ambiguous-layout", TD_NVIDIA_AMBIGUOUS);
	}
	if (r == 1)
		(void)unprinted_header(imp, &header);
	return r == -ENOMEM ? r : 0;
}

/* Is the row whole that has no newline? Blanks behind a column end it. Of a number digits may be
 * missing, but columns are aligned to the right. */
static bool is_whole(const struct smi *smi, const char *line, size_t len)
{
	char last = line[len - 1];

	if (last == ' ')
		return true;
	return smi->columns[smi->ncolumns - 1].role == COL_VALUE &&
	       (last == '-' || (!smi->csv && len == smi->row_len));
}

static int nvidia_smi_line(struct td_import *imp, char *line, size_t len)
{
	struct smi *smi = imp->state;
	struct td_scan s;
	struct row row = { .pid = -1 };

	if (header_text(line, len, &s))
		return header_line(imp, line, len, s);
	smi->below_names = false;
	td_scan_blanks(&s);
	if (td_scan_done(&s))
		return TD_LINE_SKIPPED;
	if (*s.p < '0' || *s.p > '9')
		return td_reject(imp, "unknown-line");
	if (!smi->ncolumns && name_columns(imp, line, len) < 0)
		return -ENOMEM;
	if (!smi->ncolumns)
		return td_reject(imp, "no-header");
	if (!scan_row(smi, s, &row) || (imp->line_unterminated && !is_whole(smi, line, len)))
		return td_reject(imp, imp->line_unterminated ? "cut-line" : "spoilt-line");
	if (imp->line_unterminated && row.pid >= 0 && !row.command.len)
		return td_reject(imp, "cut-line");
	smi->row_len = len;
	if (row.id.len)
		row.id_text = td_store_string(imp->store, row.id.p, row.id.len);
	if (!place_row(imp, &row))
		return td_reject(imp, "clock-changed");
	return put_row(imp, &row);
}

/* A row: is_whole() and scan_row() know whether all of it is there. */
static bool nvidia_smi_takes_tail(const char *tail, size_t len)
{
	size_t blanks = strspn(tail, " \t");

	return blanks < len && td_is_digit(tail[blanks]);
}

static int nvidia_smi_sniff(const char *head, size_t len)
{
	_cleanup_(td_strbuf_done) struct td_strbuf header = TD_STRBUF_INIT;
	const char *end = head + len, *newline;
	bool below_header = false, csv;
	struct td_scan s;

	for (const char *p = head; p < end; p = newline + 1) {
		newline = memchr(p, '\n', (size_t)(end - p));
		if (!newline)
			newline = end;
		if (!header_text(p, (size_t)(newline - p), &s)) {
			below_header = false;
			continue;
		}
		/* below somebody else's names units tell nothing */
		if (is_columns_header(s, &csv) ||
		    (!below_header && td_nvidia_units_header(p, (size_t)(newline - p), &header)))
			return 90;
		below_header = true;
	}
	return 0;
}

/* A command line says what every column is, a program's format of rows less: so it is surer than those. */
static int nvidia_smi_sniff_with(const char *head, size_t len,
				 const struct td_import_layouts *layouts)
{
	return td_nvidia_are_rows_of(layouts, false, head, len) ? 98 : 0;
}

const struct td_importer td_importer_nvidia_smi = {
	.name = "nvidia-smi",
	.desc = "nvidia-smi pmon and dmon: utilisation, memory, power per GPU and process",
	.clock = TD_CLOCK_LOCAL,
	.state_size = sizeof(struct smi),
	.sniff = nvidia_smi_sniff,
	.surest = 90,
	.layout = &td_nvidia_layout,
	.sniff_with = nvidia_smi_sniff_with,
	.explain = td_nvidia_explain,
	.line = nvidia_smi_line,
	.takes_tail = nvidia_smi_takes_tail,
};
