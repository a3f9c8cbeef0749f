/* SPDX-License-Identifier: MIT */
/*
 * nvidia-smi --query-gpu=... and --query-compute-apps=... --format=csv[,nounits], any columns:
 *
 *     timestamp, index, utilization.gpu [%], memory.used [MiB], power.draw [W], pstate
 *     2024/05/01 10:00:01.250, 0, 93 %, 1200 MiB, 241.30 W, P0
 *     2024/05/01 10:00:01.252, 1, [N/A], 0 MiB, [Not Supported], P8
 *
 *     timestamp, gpu_bus_id, pid, process_name, used_gpu_memory [MiB]
 *     2024/05/01 10:00:01.250, 00000000:3B:00.0, 4711, /usr/bin/python3, 1180 MiB
 *
 *     timestamp       end of the period, clock LOCAL; without it RELATIVE, 1 s per sample (assumed-period). Where it
 *                     goes back, but for what comes below another header, the clock was set: clock-step
 *     index           device 'GPU 0'. Without it a GPU is known by pci.bus_id, uuid or serial, or by the order
 *                     of the rows within 50 ms: they are numbered as they come (gpu-by-order), as nvidia-smi
 *                     prints them in the order of their index. Of processes only the GPUs in use are printed,
 *                     which tells no index: the device is 'GPU <id>' then. Where there is neither a time nor
 *                     any of these, none (gpu-unknown)
 *     pid, process_name   process
 *     utilization.gpu, memory.used, ...   the tracks that dmon's columns have: gpu.sm, gpu.fb
 *     others          numbers on the track 'gpu.<column>' with the header's unit, or that of the cells; MiB
 *                     become bytes. P8 is 8, Active is 1, 0x... is read. Texts are not kept
 *
 * [N/A], [Not Supported], [Unknown Error] and the like: not stored, of utilization.gpu as NULL. Rows without a
 * header (noheader) are read if the user gave the command line (nvidia/header.c); else they are issues, as their
 * columns have no names.
 */
#include <math.h>

#include "common/array.h"
#include "common/caldate.h"
#include "common/cleanup.h"
#include "importers/core/importers.h"
#include "importers/nvidia/command.h"
#include "importers/nvidia/nvidia_query.h"

#define MAX_GPUS 1024
#define SAME_SAMPLE_NS (TD_SEC_NS / 20)

enum role { COL_VALUE, COL_TIME, COL_INDEX, COL_BUS, COL_UUID, COL_SERIAL, COL_PID, COL_PROCESS };

struct column {
	enum role role;
	const char *track, *unit; /* in the store; unit NULL: not known yet */
	double scale;
	bool keep_missing;
};

struct gpu {
	uint32_t id; /* string: of the columns that name it; 0: by order or index */
	int64_t number; /* TD_NULL: not known */
	bool is_unknown; /* any of them, for all that is printed */
	uint32_t device_id;
	int64_t ts_ns, prev_ns; /* of the latest sample and of the one before; TD_NULL: none */
};

struct query {
	struct column columns[TD_QUERY_COLUMNS_MAX];
	unsigned ncolumns; /* 0: no header yet */
	bool has_time, has_pid;
	enum role identity; /* the best column that names the GPU; COL_VALUE: none */
	enum td_clock clock; /* of the rows so far */
	struct gpu *gpus;
	size_t ngpus, gpus_cap;
	int64_t row_ns; /* of the row before; TD_NULL: there is none below the header */
	int64_t step_ns; /* by how much the clock was set back */
	int64_t nth; /* GPU of the row before, counted within the sample; -1: none */
	int64_t ts_ns, prev_ns; /* of the sample being read and the one before, without times */
	uint64_t first_key; /* of its first row */
	bool noted_order, noted_unknown, noted_header, noted_layouts;
};

struct row {
	int64_t ts_ns, index, pid; /* TD_NULL: not there */
	struct td_str id, process;
	double values[TD_QUERY_COLUMNS_MAX];
};

static const struct {
	const char *name;
	enum role role;
} roles[] = {
	{ "timestamp", COL_TIME },       { "index", COL_INDEX },       { "pci.bus_id", COL_BUS },
	{ "gpu_bus_id", COL_BUS },       { "uuid", COL_UUID },         { "gpu_uuid", COL_UUID },
	{ "serial", COL_SERIAL },        { "gpu_serial", COL_SERIAL }, { "pid", COL_PID },
	{ "process_name", COL_PROCESS }, { "name", COL_PROCESS },
};

/* What dmon and pmon print, too. */
static const struct {
	const char *name, *track;
} shared[] = {
	{ "utilization.gpu", "gpu.sm" },
	{ "utilization.memory", "gpu.mem" },
	{ "utilization.encoder", "gpu.enc" },
	{ "utilization.decoder", "gpu.dec" },
	{ "utilization.jpeg", "gpu.jpg" },
	{ "utilization.ofa", "gpu.ofa" },
	{ "memory.used", "gpu.fb" },
	{ "used_gpu_memory", "gpu.fb" },
	{ "used_memory", "gpu.fb" },
	{ "power.draw", "gpu.pwr" },
	{ "temperature.gpu", "gpu.gtemp" },
	{ "temperature.memory", "gpu.mtemp" },
	{ "clocks.current.sm", "gpu.pclk" },
	{ "clocks.sm", "gpu.pclk" },
	{ "clocks.current.memory", "gpu.mclk" },
	{ "clocks.mem", "gpu.mclk" },
};

static const struct {
	const char *printed, *unit;
	double scale;
} units[] = {
	{ "KiB", "bytes", 1024 },
	{ "MiB", "bytes", 1024 * 1024 },
	{ "GiB", "bytes", 1024.0 * 1024 * 1024 },
	{ "", "", 1 },
};

/* --- header --- */

static void set_unit(struct td_import *imp, struct column *c, struct td_str printed)
{
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

static void set_column(struct td_import *imp, struct column *c, struct td_str name,
		       struct td_str unit, bool is_apps)
{
	char track[64];

	(void)snprintf(track, sizeof(track), "gpu.%.*s", (int)TD_MIN(name.len, (size_t)58), name.p);
	*c = (struct column){ .role = COL_VALUE, .scale = 1 };
	for (size_t i = 0; i < TD_ARRAY_SIZE(roles); i++)
		if (td_str_eq(name, roles[i].name))
			c->role = roles[i].role;
	if (c->role == COL_PROCESS && !is_apps)
		c->role = COL_VALUE; /* the name of the GPU */
	c->track = td_import_keep_cstr(imp, track);
	for (size_t i = 0; i < TD_ARRAY_SIZE(shared); i++)
		if (td_str_eq(name, shared[i].name))
			c->track = shared[i].track;
	c->keep_missing = strcmp(c->track, "gpu.sm") == 0;
	if (unit.p)
		set_unit(imp, c, unit);
	else if (td_str_starts(name, "temperature."))
		c->unit = "C";
}

static bool has_heading(const char *line, size_t len, const char *heading)
{
	struct td_scan s = { line, line + len };
	struct td_str cell;

	while (td_query_next_cell(&s, &cell))
		if (td_str_eq(cell, heading))
			return true;
	return false;
}

static int header_line(struct td_import *imp, const char *line, size_t len)
{
	static const enum role best[] = { COL_INDEX, COL_BUS, COL_UUID, COL_SERIAL };
	struct query *q = imp->state;
	struct td_scan s = { line, line + len };
	struct td_str cell, name, unit;

	/* of another nvidia-smi: its rows can be earlier */
	q->row_ns = TD_NULL;
	q->nth = -1;
	q->step_ns = 0;
	q->ncolumns = 0;
	q->has_pid = has_heading(line, len, "pid");
	q->has_time = false;
	q->identity = COL_VALUE;
	while (td_query_next_cell(&s, &cell) && td_query_split_heading(cell, &name, &unit)) {
		struct column *c = &q->columns[q->ncolumns++];

		set_column(imp, c, name, unit, q->has_pid);
		q->has_time |= c->role == COL_TIME;
	}
	for (size_t i = 0; i < TD_ARRAY_SIZE(best) && q->identity == COL_VALUE; i++)
		for (unsigned k = 0; k < q->ncolumns; k++)
			if (q->columns[k].role == best[i])
				q->identity = best[i];
	td_import_set_layout(imp, q->has_pid ? "query-compute-apps" : "query-gpu");
	return TD_LINE_SKIPPED;
}

/* --- rows --- */

static bool scan_value(struct td_import *imp, struct column *c, struct td_str cell, double *ret)
{
	struct td_str unit;
	double value;

	*ret = NAN;
	if (td_query_is_missing(cell))
		return true;
	if (!td_query_scan_number(cell, &value, &unit))
		return !c->unit; /* a text, in a column that never had a unit */
	if (!c->unit)
		set_unit(imp, c, unit.p ? unit : (struct td_str){ "", 0 });
	*ret = value * c->scale;
	return true;
}

static bool scan_cell(struct td_import *imp, const struct query *q, struct column *c,
		      struct td_str cell, struct row *row, double *value)
{
	if (c->role == q->identity && c->role != COL_VALUE && !td_query_is_missing(cell))
		row->id = cell;
	switch (c->role) {
	case COL_TIME:
		return td_query_scan_time(cell, &row->ts_ns);
	case COL_INDEX:
		return td_query_scan_integer(cell, &row->index);
	case COL_PID:
		return td_query_is_missing(cell) || td_query_scan_integer(cell, &row->pid);
	case COL_PROCESS:
		row->process = td_query_is_missing(cell) ? row->process : cell;
		return true;
	case COL_VALUE:
		return scan_value(imp, c, cell, value);
	default:
		return true;
	}
}

static bool scan_row(struct td_import *imp, const char *line, size_t len, struct row *row)
{
	struct query *q = imp->state;
	struct td_scan s = { line, line + len };
	struct td_str cell;

	for (unsigned i = 0; i < q->ncolumns; i++) {
		row->values[i] = NAN;
		if (!td_query_next_cell(&s, &cell) ||
		    !scan_cell(imp, q, &q->columns[i], cell, row, &row->values[i]))
			return false;
	}
	return !s.p;
}

/* Which of the rows of one sample it is, where nothing but their order tells. */
static int64_t number_by_order(struct query *q, const struct row *row)
{
	bool same = row->ts_ns != TD_NULL && q->nth >= 0 && row->ts_ns >= q->row_ns &&
		    row->ts_ns - q->row_ns <= SAME_SAMPLE_NS;

	return same ? q->nth + 1 : 0;
}

static int add_gpu(struct td_import *imp, struct query *q, const struct gpu *like, struct td_str id,
		   struct gpu **ret)
{
	struct gpu *g;
	char name[96];
	int n;

	if (q->ngpus >= MAX_GPUS)
		return -ERANGE;
	if (td_grow(&q->gpus, &q->gpus_cap, q->ngpus) < 0)
		return -ENOMEM;
	g = *ret = &q->gpus[q->ngpus++];
	*g = *like;
	if (like->is_unknown)
		return 0;
	n = g->number != TD_NULL ? snprintf(name, sizeof(name), "GPU %lld", (long long)g->number)
				 : snprintf(name, sizeof(name), "GPU %.*s",
					    (int)TD_MIN(id.len, (size_t)80), id.p);
	g->device_id = td_store_device(imp->store, TD_DEVICE_GPU, name, (size_t)n, g->number);
	return 0;
}

static void note_once(struct td_import *imp, bool *noted, const char *kind, const char *text)
{
	if (!*noted)
		td_note(imp, kind, text);
	*noted = true;
}

/* What is known of the row's GPU. */
static struct gpu identify(struct td_import *imp, struct query *q, const struct row *row)
{
	struct gpu like = { .number = row->index, .ts_ns = TD_NULL, .prev_ns = TD_NULL };

	if (row->index != TD_NULL)
		return like;
	if (row->id.len) {
		like.id = td_store_string(imp->store, row->id.p, row->id.len);
	} else if (q->has_time && !q->has_pid) {
		like.number = q->nth = number_by_order(q, row);
	} else {
		like.is_unknown = true;
		note_once(imp, &q->noted_unknown, "gpu-unknown",
			  "no column tells which GPU a row is of");
	}
	return like;
}

/* The GPU of the row; -ERANGE: there are too many. */
static int gpu_of(struct td_import *imp, struct query *q, const struct row *row, struct gpu **ret)
{
	struct gpu like = identify(imp, q, row);

	for (size_t i = 0; i < q->ngpus; i++) {
		struct gpu *g = &q->gpus[i];

		if (g->id != like.id || g->is_unknown != like.is_unknown ||
		    (!like.id && g->number != like.number))
			continue;
		*ret = g;
		return 0;
	}
	if (like.id && !q->has_pid)
		like.number = (int64_t)q->ngpus;
	if (row->index == TD_NULL && like.number != TD_NULL)
		note_once(imp, &q->noted_order, "gpu-by-order",
			  "no column has the index of the GPUs: they are numbered in the order of "
			  "their rows");
	return add_gpu(imp, q, &like, row->id, ret);
}

/* Rows without a time: a sample begins where its first row comes again. */
static int64_t time_by_order(struct query *q, const struct gpu *g, const struct row *row)
{
	uint64_t key = (uint64_t)(g - q->gpus) << 32 | (uint32_t)row->pid;

	if (q->prev_ns == TD_NULL) {
		q->prev_ns = 0;
		q->first_key = key;
	} else if (key == q->first_key) {
		q->ts_ns += TD_SEC_NS;
	}
	return q->ts_ns;
}

/* false: the rows before had times and this one has none, or the other way round. */
static bool settle_clock(struct td_import *imp, struct query *q)
{
	enum td_clock clock = q->has_time ? TD_CLOCK_LOCAL : TD_CLOCK_RELATIVE;

	if (q->clock == TD_CLOCK_NONE) {
		td_import_set_clock(imp, clock);
		if (clock == TD_CLOCK_RELATIVE)
			td_note(imp, "assumed-period", "no times printed: 1 s per sample assumed");
		q->clock = clock;
	}
	return q->clock == clock;
}

static uint32_t process_of(struct td_import *imp, const struct row *row)
{
	struct td_str comm = row->process;
	const char *slash = td_str_rchr(comm, '/');

	if (row->pid == TD_NULL)
		return 0;
	if (slash)
		comm = (struct td_str){ slash + 1, (size_t)(comm.p + comm.len - slash - 1) };
	comm.len = TD_MIN(comm.len, (size_t)15); /* as the kernel cuts it, and pmon prints it */
	return td_store_process(imp->store, row->pid, comm.p ? comm.p : "", comm.len);
}

/* Two processes of one GPU are of one sample, if printed at about the same time. */
static void begin_sample(struct td_import *imp, const struct query *q, struct gpu *g, int64_t ts_ns)
{
	bool same = q->has_pid && g->ts_ns != TD_NULL && ts_ns >= g->ts_ns &&
		    ts_ns - g->ts_ns <= SAME_SAMPLE_NS;

	if (g == q->gpus && g->prev_ns != TD_NULL &&
	    td_nvidia_is_leap(g->ts_ns - g->prev_ns, ts_ns - g->ts_ns))
		td_note(imp, "clock-leap", NULL);
	if (!same)
		g->prev_ns = g->ts_ns;
	g->ts_ns = ts_ns;
}

static int put_values(struct td_import *imp, const struct query *q, const struct row *row,
		      const struct gpu *g)
{
	uint32_t process_id = process_of(imp, row);
	struct td_sample sample = TD_SAMPLE_INIT;
	int verdict = TD_LINE_SKIPPED;

	sample.ts_ns = g->ts_ns;
	if (g->prev_ns != TD_NULL && g->ts_ns > g->prev_ns &&
	    g->ts_ns - g->prev_ns <= TD_NVIDIA_DELAY_MAX_NS)
		sample.dur_ns = g->ts_ns - g->prev_ns;
	for (unsigned i = 0; i < q->ncolumns; i++) {
		const struct column *c = &q->columns[i];
		int r;

		if (c->role != COL_VALUE || (isnan(row->values[i]) && !c->keep_missing))
			continue;
		sample.value = row->values[i];
		sample.track_id = td_store_track(imp->store, imp->source_id, c->track,
						 c->unit ? c->unit : "", g->device_id, process_id);
		r = td_put_sample(imp, &sample);
		if (r < 0)
			return r;
		verdict = TD_LINE_ROW;
	}
	return verdict;
}

/* Puts the row's time right. A sample that comes after a step is taken to be as long as those before. */
static void follow_clock(struct td_import *imp, struct query *q, struct row *row)
{
	const struct gpu *g = q->gpus;
	int64_t by_ns;

	if (row->ts_ns == TD_NULL || !td_import_add_steps(imp, q->step_ns, &row->ts_ns) ||
	    q->row_ns == TD_NULL || row->ts_ns >= q->row_ns - TD_CLOCK_STEP_MIN_NS)
		return;
	by_ns = td_import_clock_step(imp, row->ts_ns, q->row_ns);
	if (by_ns && q->ngpus && g->prev_ns != TD_NULL && g->ts_ns > g->prev_ns &&
	    g->ts_ns - g->prev_ns <= TD_NVIDIA_DELAY_MAX_NS)
		by_ns += g->ts_ns - g->prev_ns;
	q->step_ns += by_ns;
	row->ts_ns += by_ns;
}

static int put_row(struct td_import *imp, struct query *q, const struct row *row)
{
	struct gpu *g = NULL;
	int r = gpu_of(imp, q, row, &g);

	if (r == -ERANGE)
		return td_reject(imp, "too-many-gpus");
	if (r < 0)
		return r;
	begin_sample(imp, q, g, q->has_time ? row->ts_ns : time_by_order(q, g, row));
	q->row_ns = row->ts_ns;
	return put_values(imp, q, row, g);
}

/* By the user's command line. 0, also if there is none for the row; -ENOMEM. */
static int name_columns(struct td_import *imp, const char *line, size_t len)
{
	_cleanup_(td_strbuf_done) struct td_strbuf header = TD_STRBUF_INIT;
	struct query *q = imp->state;
	int r = td_nvidia_layout_header(imp->options->layouts, true, line, len, &header);

	if (r == -EEXIST)
		note_once(imp, &q->noted_layouts, "ambiguous-layout", TD_NVIDIA_AMBIGUOUS);
	if (r == 1)
		(void)header_line(imp, header.p, header.len);
	return r == -ENOMEM ? r : 0;
}

static int query_line(struct td_import *imp, char *line, size_t len)
{
	struct query *q = imp->state;
	struct row row = { .ts_ns = TD_NULL, .index = TD_NULL, .pid = TD_NULL };

	if (strspn(line, " \t\r") >= len)
		return TD_LINE_SKIPPED;
	if (td_query_is_header(line, len))
		return header_line(imp, line, len);
	if (!q->ncolumns && name_columns(imp, line, len) < 0)
		return -ENOMEM;
	if (!memchr(line, ',', len) && (!q->ncolumns || q->ncolumns > 1))
		return td_reject(imp, imp->line_unterminated ? "cut-line" : "unknown-line");
	if (!q->ncolumns) {
		note_once(imp, &q->noted_header, "unnamed-columns",
			  "the columns have no names: --layout 'nvidia-smi --query-gpu=...' gives "
			  "them");
		return td_reject(imp, "no-header");
	}
	/* of a number at the end, digits or the unit may be missing */
	if (!scan_row(imp, line, len, &row) || imp->line_unterminated)
		return td_reject(imp, imp->line_unterminated ? "cut-line" : "spoilt-line");
	if (!settle_clock(imp, q))
		return td_reject(imp, "clock-changed");
	follow_clock(imp, q, &row);
	return put_row(imp, q, &row);
}

static int query_begin(struct td_import *imp, struct td_err *err)
{
	struct query *q = imp->state;

	(void)err;
	q->nth = -1;
	q->prev_ns = q->row_ns = TD_NULL;
	return 0;
}

static int query_end(struct td_import *imp)
{
	struct query *q = imp->state;

	free(q->gpus);
	return 0;
}

/* Any text may stand in some columns of queries, not in those of dmon and pmon: these come first. */
static int query_sniff_with(const char *head, size_t len, const struct td_import_layouts *layouts)
{
	return td_nvidia_are_rows_of(layouts, true, head, len) ? 97 : 0;
}

const struct td_importer td_importer_nvidia_query = {
	.name = "nvidia-query",
	.desc = "nvidia-smi --query-gpu and --query-compute-apps, csv: any columns per GPU and "
		"process",
	.clock = TD_CLOCK_LOCAL,
	.state_size = sizeof(struct query),
	.sniff = td_query_sniff,
	.surest = 89,
	.layout = &td_nvidia_layout,
	.sniff_with = query_sniff_with,
	.begin = query_begin,
	.line = query_line,
	.end = query_end,
};
