/* SPDX-License-Identifier: MIT */
#include <assert.h>

#include "common/caldate.h"
#include "common/cleanup.h"
#include "common/progress.h"
#include "common/stream.h"
#include "common/tmpfile.h"
#include "common/utf8.h"
#include "importers/bpftrace.h"
#include "importers/importers.h"
#include "importers/nvidia_command.h"
#include "importers/ticks.h"

#define NO_IMPORTER "no importer recognises it"

/* What the core keeps about the source being read. */
struct td_import_core {
	const struct td_importer *importer;
	struct td_stream *in; /* borrowed */
	struct td_progress *progress; /* borrowed; NULL: none */
	struct td_stage *stages[TD_NKINDS]; /* borrowed from the store */
	struct td_ticks ticks; /* readings of the wall clock */
	const char *copy_path; /* borrowed; the name of an unpacked copy, NULL: none */
	const char *line; /* current one, for issues */
	size_t line_len;
	bool line_repaired;
	bool line_refused; /* a row of it was not stored */
	uint64_t lines, rows, skipped, issues, repaired;
	uint64_t open, open_no; /* lines of which it is not known yet, and the first of them */
	int64_t first_ns, last_ns; /* native */
	int64_t tod_last_ns; /* of td_import_unwrap_tod() */
	int64_t tod_day_ns;
	int error; /* of a function that cannot return one */
};

static void core_done(struct td_import_core *c)
{
	td_ticks_done(&c->ticks);
}

static struct td_source *source_of(struct td_import *imp)
{
	return td_store_source_at(imp->store, imp->source_id);
}

/* --- for importers --- */

int td_reject(struct td_import *imp, const char *kind)
{
	td_store_issue(imp->store, imp->source_id, kind, TD_DROPPED, imp->line_no, imp->core->line,
		       imp->core->line_len);
	return TD_LINE_ISSUE;
}

void td_repair(struct td_import *imp, const char *kind)
{
	td_store_issue(imp->store, imp->source_id, kind, TD_REPAIRED, imp->line_no, imp->core->line,
		       imp->core->line_len);
	imp->core->line_repaired = true;
}

void td_note(struct td_import *imp, const char *kind, const char *text)
{
	if (text)
		td_store_issue(imp->store, imp->source_id, kind, TD_NOTED, imp->line_no, text,
			       strlen(text));
	else
		td_store_issue(imp->store, imp->source_id, kind, TD_NOTED, imp->line_no,
			       imp->core->line, imp->core->line_len);
}

void td_import_close_lines(struct td_import *imp, const char *kind, const char *text, size_t len)
{
	struct td_import_core *c = imp->core;

	for (uint64_t i = 0; kind && i < c->open; i++)
		td_store_issue(imp->store, imp->source_id, kind, TD_DROPPED, c->open_no + i, text,
			       len);
	if (kind)
		c->issues += c->open;
	else
		c->rows += c->open;
	c->open = 0;
}

void td_lost(struct td_import *imp, uint64_t n)
{
	source_of(imp)->lost_events += n;
}

static int set_text(char **p, const char *text)
{
	char *copy = NULL;

	if (text) {
		copy = td_utf8_dup(text, strlen(text));
		if (!copy)
			return -ENOMEM;
	}
	free(*p);
	*p = copy;
	return 0;
}

void td_import_set_clock(struct td_import *imp, enum td_clock clock)
{
	source_of(imp)->clock = clock;
}

void td_import_set_base(struct td_import *imp, int64_t base_ns)
{
	source_of(imp)->offset_ns = base_ns;
}

void td_import_set_day_first(struct td_import *imp, int64_t by_ns, bool settled)
{
	struct td_source *s = source_of(imp);

	s->day_first_ns = by_ns;
	s->date_shift_ns = settled ? by_ns : 0;
	s->date_basis = by_ns == 0 ? TD_DATE_CLEAR : settled ? TD_DATE_BY_FILE : TD_DATE_OPEN;
}

void td_import_set_cut(struct td_import *imp, const char *detail)
{
	source_of(imp)->state = TD_STATE_CUT;
	if (set_text(&source_of(imp)->detail, detail) < 0)
		imp->core->error = -ENOMEM;
}

void td_import_set_layout(struct td_import *imp, const char *layout)
{
	if (set_text(&source_of(imp)->layout, layout) < 0)
		imp->core->error = -ENOMEM;
}

void td_import_set_tool(struct td_import *imp, const char *tool, const char *version,
			const char *host)
{
	struct td_source *s = source_of(imp);

	if ((tool && set_text(&s->tool, tool) < 0) ||
	    (version && set_text(&s->tool_version, version) < 0) ||
	    (host && set_text(&s->host, host) < 0))
		imp->core->error = -ENOMEM;
}

int64_t td_import_unwrap_tod(struct td_import *imp, int64_t tod_ns)
{
	struct td_import_core *c = imp->core;
	int64_t half = TD_DAY_NS / 2, t;

	if (c->tod_last_ns == TD_NULL)
		return c->tod_last_ns = tod_ns;
	t = c->tod_day_ns + tod_ns;
	if (t > c->tod_last_ns + half)
		return t - TD_DAY_NS; /* a straggler from before midnight */
	if (t < c->tod_last_ns - half) {
		c->tod_day_ns += TD_DAY_NS;
		t += TD_DAY_NS;
	}
	return c->tod_last_ns = t;
}

/* --- what cannot be --- */

/* Native times from a year before the zero of their clock (a straggler) to 2096, durations below 36
 * years: then none of the sums and differences of times, durations and offsets that are made later can
 * overflow. */
#define TIME_MIN (-366 * TD_DAY_NS)
#define TIME_MAX INT64_C(4000000000000000000)
#define DURATION_MAX (INT64_C(1) << 60)

static bool is_possible(int64_t ns)
{
	return ns >= TIME_MIN && ns <= TIME_MAX;
}

/* The current line is an issue then, whatever the importer makes of it. */
static void refuse_time(struct td_import *imp)
{
	if (!imp->core->line_refused)
		(void)td_reject(imp, "impossible-time");
	imp->core->line_refused = true;
}

static void check_duration(struct td_import *imp, int64_t *dur_ns)
{
	if (*dur_ns == TD_NULL || (*dur_ns >= 0 && *dur_ns < DURATION_MAX))
		return;
	*dur_ns = TD_NULL;
	td_repair(imp, "impossible-duration");
}

static void check_size(struct td_import *imp, int64_t *bytes)
{
	if (*bytes == TD_NULL || *bytes >= 0)
		return;
	*bytes = TD_NULL;
	td_repair(imp, "impossible-size");
}

/* --- clock readings --- */

/* Keeps the native time range of the source. */
static void extend_range(struct td_import_core *c, int64_t from_ns, int64_t to_ns)
{
	if (c->first_ns == TD_NULL || from_ns < c->first_ns)
		c->first_ns = from_ns;
	if (c->last_ns == TD_NULL || to_ns > c->last_ns)
		c->last_ns = to_ns;
}

void td_import_clock_reading(struct td_import *imp, int64_t native_ns, enum td_clock wall,
			     int64_t wall_ns, int64_t resolution_ns)
{
	struct td_ticks *t = &imp->core->ticks;
	int r;

	if (!is_possible(native_ns) || !is_possible(wall_ns)) {
		refuse_time(imp);
		return;
	}
	if (wall == TD_CLOCK_LOCAL_TOD)
		wall_ns = td_import_unwrap_tod(imp, wall_ns);
	extend_range(imp->core, native_ns, native_ns);
	t->wall = wall;
	t->resolution_ns = resolution_ns;
	r = td_ticks_add(t, native_ns, wall_ns / resolution_ns - (wall_ns % resolution_ns < 0));
	if (r < 0)
		imp->core->error = r;
}

/* --- rows --- */

/* dur_ns: what follows from_ns; TD_NULL or one that check_duration() left. */
static int put(struct td_import *imp, enum td_kind kind, const void *row, int64_t from_ns,
	       int64_t dur_ns)
{
	struct td_import_core *c = imp->core;

	if (!is_possible(from_ns)) {
		refuse_time(imp);
		return 0;
	}
	extend_range(c, from_ns, dur_ns == TD_NULL ? from_ns : from_ns + dur_ns);
	return td_stage_add(c->stages[kind], row);
}

int td_put_call(struct td_import *imp, struct td_call *row)
{
	const struct td_file *f = td_store_file_at(imp->store, row->file_id);

	row->source_id = imp->source_id;
	check_duration(imp, &row->dur_ns);
	check_size(imp, &row->asked_bytes);
	check_size(imp, &row->done_bytes);
	if (f && f->truncated)
		td_note(imp, "cut-path", NULL);
	return put(imp, TD_KIND_CALL, row, row->start_ns, row->dur_ns);
}

int td_put_block(struct td_import *imp, struct td_block *row)
{
	row->source_id = imp->source_id;
	check_duration(imp, &row->dur_ns);
	check_duration(imp, &row->queue_ns);
	check_size(imp, &row->bytes);
	return put(imp, TD_KIND_BLOCK, row, row->start_ns, row->dur_ns);
}

int td_put_gpu_op(struct td_import *imp, struct td_gpu_op *row)
{
	row->source_id = imp->source_id;
	check_duration(imp, &row->dur_ns);
	check_size(imp, &row->bytes);
	return put(imp, TD_KIND_GPU_OP, row, row->start_ns, row->dur_ns);
}

int td_put_sched(struct td_import *imp, struct td_sched *row)
{
	row->source_id = imp->source_id;
	check_duration(imp, &row->dur_ns);
	return put(imp, TD_KIND_SCHED, row, row->start_ns, row->dur_ns);
}

int td_put_sample(struct td_import *imp, struct td_sample *row)
{
	check_duration(imp, &row->dur_ns);
	return put(imp, TD_KIND_SAMPLE, row, row->ts_ns, TD_NULL);
}

int td_put_span(struct td_import *imp, struct td_span *row)
{
	row->source_id = imp->source_id;
	check_duration(imp, &row->dur_ns);
	return put(imp, TD_KIND_SPAN, row, row->start_ns, row->dur_ns);
}

int td_put_mark(struct td_import *imp, struct td_mark *row)
{
	row->source_id = imp->source_id;
	return put(imp, TD_KIND_MARK, row, row->ts_ns, TD_NULL);
}

/* --- lines and rows --- */

void td_import_row(struct td_import *imp)
{
	struct td_import_core *c = imp->core;

	imp->line_no = c->lines + 1;
	c->line = "";
	c->line_len = 0;
	c->line_repaired = c->line_refused = false;
}

void td_import_row_text(struct td_import *imp, const char *text, size_t len)
{
	imp->core->line = text;
	imp->core->line_len = len;
}

int td_import_row_done(struct td_import *imp, int verdict)
{
	struct td_import_core *c = imp->core;

	if (verdict < 0)
		return verdict;
	if (c->line_refused)
		verdict = TD_LINE_ISSUE;
	c->lines++;
	switch ((enum td_verdict)verdict) {
	case TD_LINE_SKIPPED:
		c->skipped++;
		break;
	case TD_LINE_ROW:
		c->rows++;
		c->repaired += c->line_repaired;
		break;
	case TD_LINE_ISSUE:
		c->issues++;
		break;
	case TD_LINE_OPEN:
		if (!c->open++)
			c->open_no = imp->line_no;
		break;
	}
	if (c->progress)
		td_progress_update(c->progress, td_stream_disk_bytes(c->in), (int64_t)c->rows);
	return c->error ? c->error : td_store_error(imp->store);
}

/* Whoever prints lines ends them, so a last line without newline is cut unless it can be seen to be whole. */
static bool is_cut(const struct td_importer *importer, const struct td_line *line)
{
	return line->unterminated &&
	       !(importer->takes_tail && importer->takes_tail(line->p, line->len));
}

static int one_line(struct td_import *imp, const struct td_line *line)
{
	struct td_import_core *c = imp->core;
	int verdict;

	td_import_row(imp);
	imp->line_unterminated = line->unterminated;
	c->line = line->p;
	c->line_len = line->len;
	verdict = line->cut                   ? td_reject(imp, "line-too-long")
		  : is_cut(c->importer, line) ? td_reject(imp, "cut-line")
					      : c->importer->line(imp, line->p, line->len);
	if (line->unterminated && (verdict == TD_LINE_ISSUE || c->line_refused))
		source_of(imp)->state = TD_STATE_CUT;
	return td_import_row_done(imp, verdict);
}

static int all_lines(struct td_import *imp, struct td_err *err)
{
	struct td_import_core *c = imp->core;
	struct td_line line;
	int r;

	if (c->importer->begin) {
		r = c->importer->begin(imp, err);
		if (r < 0)
			return r;
	}
	while ((r = td_stream_line(c->in, &line, err)) > 0) {
		r = one_line(imp, &line);
		if (r < 0)
			break;
	}
	return r;
}

/* --- whole files --- */

/* Writes the rest of the stream to a file of its own. */
static int unpack_to(int fd, struct td_stream *in, struct td_err *err)
{
	const char *p;
	size_t len;
	int r;

	while ((r = td_stream_bytes(in, &p, &len, err)) > 0) {
		while (len) {
			ssize_t n = write(fd, p, len);

			if (n < 0 && errno == EINTR)
				continue;
			if (n < 0)
				return td_err_errno(err, -errno, "cannot unpack it");
			p += n;
			len -= (size_t)n;
		}
	}
	return r;
}

/* Takes the name away that a copy has while it is opened. */
void td_import_opened(struct td_import *imp)
{
	struct td_import_core *c = imp->core;

	if (c->copy_path)
		(void)unlink(c->copy_path);
	c->copy_path = NULL;
}

static int unpacked_file(struct td_import *imp, struct td_err *err)
{
	_cleanup_free_ char *path = NULL;
	_cleanup_close_ int fd = -1;
	int r;

	if (asprintf(&path, "%s-input-%d", td_store_scratch_path(imp->store), (int)getpid()) < 0) {
		path = NULL;
		return -ENOMEM;
	}
	fd = td_tmpfile_open_nameable(path);
	if (fd < 0)
		return td_err_errno(err, fd, "cannot create '%s'", path);
	imp->core->copy_path = path;
	r = unpack_to(fd, imp->core->in, err);
	if (r >= 0) {
		r = td_tmpfile_give_name(fd, path);
		r = r < 0 ? td_err_errno(err, r, "cannot name '%s'", path)
			  : imp->core->importer->file(imp, path, err);
	}
	td_import_opened(imp);
	return r;
}

/* path NULL: it is not on disk as it is. */
static int whole_file(struct td_import *imp, const char *path, struct td_err *err)
{
	struct td_import_core *c = imp->core;
	int r;

	if (!path)
		return unpacked_file(imp, err);
	r = c->importer->file(imp, path, err);
	if (r >= 0) {
		int e = td_stream_skip_rest(c->in, err);

		r = e < 0 ? e : r;
	}
	return r;
}

/* What the importer leaves unread belongs to the hash, too. */
static int whole_text(struct td_import *imp, struct td_err *err)
{
	struct td_import_core *c = imp->core;
	int r = c->importer->data(imp, c->in, err);

	return r < 0 ? r : td_stream_skip_rest(c->in, err);
}

static int read_all(struct td_import *imp, const char *path, struct td_err *err)
{
	struct td_import_core *c = imp->core;
	int r = c->importer->file   ? whole_file(imp, path, err)
		: c->importer->data ? whole_text(imp, err)
				    : all_lines(imp, err);

	imp->line_no = 0;
	c->line = "";
	c->line_len = 0;
	if (c->importer->end) {
		int e = c->importer->end(imp);

		if (e < 0 && r >= 0)
			r = e;
	}
	if (r >= 0 && c->error)
		r = c->error;
	return r ? r : td_store_error(imp->store);
}

/* What is known at the end goes to the source, also when its reading failed: its rows are there. */
static int finish_source(struct td_import *imp)
{
	struct td_import_core *c = imp->core;
	struct td_stream *in = c->in;
	struct td_source *s = source_of(imp);
	const char *hash = td_stream_hash(in), *truncated = td_stream_truncated(in);
	int r = 0;

	s->lines = c->lines;
	s->rows = c->rows;
	s->skipped = c->skipped;
	s->issues = c->issues;
	s->repaired = c->repaired;
	s->first_native_ns = c->first_ns;
	s->last_native_ns = c->last_ns;
	s->size_bytes =
		td_stream_disk_size(in) >= 0 ? td_stream_disk_size(in) : td_stream_disk_bytes(in);
	if (hash)
		(void)snprintf(s->hash, sizeof(s->hash), "%s", hash);
	if (truncated) {
		s->state = TD_STATE_CUT;
		r = set_text(&s->detail, truncated);
	} else if (s->state == TD_STATE_CUT) {
		r = s->detail ? 0 : set_text(&s->detail, "the last line is cut");
	} else if (c->lines == 0) {
		s->state = TD_STATE_EMPTY;
	}
	for (unsigned k = 0; k < TD_NKINDS && r >= 0; k++)
		r = td_stage_cut(c->stages[k]);
	return r < 0 ? r : td_ticks_anchors(&c->ticks, imp->store, imp->source_id);
}

/* The importer found that it is not its format. */
static int disown(struct td_import *imp)
{
	struct td_source *s = source_of(imp);

	s->importer = NULL;
	s->clock = TD_CLOCK_NONE;
	s->state = TD_STATE_UNRECOGNISED;
	return set_text(&s->detail, NO_IMPORTER);
}

static int read_source(struct td_store *st, uint16_t source_id, const struct td_origin *from,
		       const struct td_importer *importer, struct td_err *err)
{
	_cleanup_(core_done) struct td_import_core core = {
		.importer = importer,
		.in = from->in,
		.progress = from->progress,
		.first_ns = TD_NULL,
		.last_ns = TD_NULL,
		.tod_last_ns = TD_NULL,
	};
	_cleanup_free_ void *state = calloc(1, importer->state_size + 1);
	struct td_import imp = {
		.state = state,
		.store = st,
		.source_id = source_id,
		.options = from->options,
		.core = &core,
	};
	int r, f;

	if (!state)
		return -ENOMEM;
	for (unsigned k = 0; k < TD_NKINDS; k++)
		core.stages[k] = td_store_stage(st, k);
	td_store_source_at(st, source_id)->importer = importer->name;
	td_store_source_at(st, source_id)->clock = importer->clock;
	r = read_all(&imp, from->path, err);
	assert(core.lines == core.rows + core.skipped + core.issues);
	f = finish_source(&imp);
	if (r == TD_FILE_FOREIGN)
		return disown(&imp);
	return r < 0 ? r : f;
}

/* --- which importer --- */

static const struct td_importer *importer_named(const char *name)
{
	for (size_t i = 0; td_importers[i]; i++)
		if (strcmp(td_importers[i]->name, name) == 0)
			return td_importers[i];
	return NULL;
}

static int choose(struct td_stream *in, const struct td_import_options *options,
		  const struct td_importer **ret, struct td_err *err)
{
	const char *head;
	size_t len;
	int r;

	if (options->format) {
		*ret = importer_named(options->format);
		return *ret ? 0
			    : td_err_set(err, -EINVAL,
					 "no importer '%s': 'tracedb formats' lists them",
					 options->format);
	}
	r = td_stream_peek(in, &head, &len);
	if (r < 0)
		return r;
	r = td_sniff(head, len, ret, err);
	/* what the user describes with --layout need not look like anything we know */
	if (r == 0 && !*ret && options->layouts && options->layouts[0]) {
		*ret = td_nvidia_sniff_with(head, len, options);
		if (!*ret && td_bpftrace_sniff_with(head, len, options) > 0)
			*ret = &td_importer_bpftrace;
	}
	if (r == 0 && !*ret && td_nvidia_unnamed(head, len))
		(void)td_err_set(err, 0, "%s", td_nvidia_unnamed(head, len));
	return r;
}

/* A file that nobody reads is kept as a source, so that the database says what it left out. */
static int unrecognised(struct td_source *s, struct td_stream *in, const char *why,
			struct td_err *err)
{
	const char *head, *hash, *cut;
	size_t len;
	int r;

	r = td_stream_peek(in, &head, &len);
	if (r < 0)
		return r;
	cut = td_stream_truncated(in);
	s->state = len ? TD_STATE_UNRECOGNISED : cut ? TD_STATE_CUT : TD_STATE_EMPTY;
	r = td_stream_skip_rest(in, err);
	if (r < 0)
		return r;
	hash = td_stream_hash(in);
	if (hash)
		(void)snprintf(s->hash, sizeof(s->hash), "%s", hash);
	s->size_bytes = td_stream_disk_bytes(in);
	return set_text(&s->detail, len ? why : cut);
}

static int read_stream(struct td_store *st, uint16_t source_id, const struct td_origin *from,
		       const struct td_importer *importer, struct td_err *err)
{
	struct td_err why = { NO_IMPORTER };
	int r = 0;

	if (!importer)
		r = choose(from->in, from->options, &importer, &why);
	if (r < 0 && r != -EEXIST)
		return td_err_set(err, r, "%s", why.msg);
	if (!importer)
		return unrecognised(td_store_source_at(st, source_id), from->in, why.msg, err);
	return read_source(st, source_id, from, importer, err);
}

/* The source stays in the store, with what went wrong; the error goes on to the caller. */
static int failed(struct td_store *st, uint16_t source_id, int r, const char *path,
		  struct td_err *err)
{
	struct td_source *s = td_store_source_at(st, source_id);

	if (!err->msg[0])
		td_err_errno(err, r, "cannot read '%s'", path);
	s->state = TD_STATE_FAILED;
	(void)set_text(&s->detail, err->msg);
	return r;
}

static int read_opened(struct td_store *st, uint16_t source_id, const struct td_origin *opened,
		       struct td_err *err)
{
	struct td_origin from = *opened;

	if (from.path && (td_stream_disk_size(from.in) < 0 || strcmp(from.path, "-") == 0 ||
			  strcmp(td_stream_codec(from.in), "plain") != 0))
		from.path = NULL;
	return read_stream(st, source_id, &from, NULL, err);
}

int td_import_file(struct td_store *st, const char *path, const char *name,
		   const struct td_import_options *options, struct td_progress *progress,
		   struct td_err *err)
{
	_cleanup_(td_stream_closep) struct td_stream *in = NULL;
	uint16_t source_id = td_store_source(st, name);
	int r;

	if (!source_id)
		return td_store_error(st);
	err->msg[0] = '\0';
	r = td_stream_open(path, &in, err);
	if (r >= 0) {
		struct td_origin from = { in, path, options, progress };

		r = read_opened(st, source_id, &from, err);
	}
	return r < 0 ? failed(st, source_id, r, path, err) : 0;
}

int td_import_stream(struct td_store *st, const struct td_origin *from, const char *name,
		     struct td_err *err)
{
	uint16_t source_id = td_store_source(st, name);
	int r;

	if (!source_id)
		return td_store_error(st);
	err->msg[0] = '\0';
	r = read_opened(st, source_id, from, err);
	return r < 0 ? failed(st, source_id, r, from->path ? from->path : name, err) : 0;
}

int td_import_mem(struct td_store *st, const char *data, size_t len, const char *name,
		  const struct td_importer *importer, const struct td_import_options *options,
		  struct td_err *err)
{
	_cleanup_(td_stream_closep) struct td_stream *in = NULL;
	uint16_t source_id = td_store_source(st, name);
	int r;

	if (!source_id)
		return td_store_error(st);
	err->msg[0] = '\0';
	r = td_stream_open_mem(data, len, &in);
	if (r >= 0) {
		struct td_origin from = { in, NULL, options, NULL };

		r = read_stream(st, source_id, &from, importer, err);
	}
	return r < 0 ? failed(st, source_id, r, name, err) : 0;
}
