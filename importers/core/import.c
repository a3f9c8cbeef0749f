/* SPDX-License-Identifier: MIT */
#include <assert.h>

#include "common/cleanup.h"
#include "common/tmpfile.h"
#include "common/unfinished.h"
#include "common/utf8.h"
#include "importers/core/import_core.h"

#define NO_IMPORTER "no importer recognises it"

static void core_done(struct td_import_core *c)
{
	td_ticks_done(&c->ticks);
}

static int all_lines(struct td_import *imp, struct td_err *err)
{
	struct td_import_core *c = imp->core;
	int64_t begin = (int64_t)td_import_part_bytes(imp->options);
	struct td_line line;
	bool speculates;
	int r;

	if (c->importer->begin) {
		r = c->importer->begin(imp, err);
		if (r < 0)
			return r;
	}
	if (c->importer->preparse)
		return td_preparse_lines(imp, err);
	speculates = c->importer->speculation && td_import_threads(imp->options) > 1;
	while ((r = td_stream_line(c->in, &line, err)) > 0) {
		r = td_import_line(imp, &line);
		if (r >= 0 && speculates && td_stream_text_bytes(c->in) >= begin)
			r = td_speculate_lines(imp, &speculates, err);
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
	td_unfinished_remove(c->copy_path);
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
	td_unfinished_add(path);
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

	return r < 0 ? r : td_stream_read_rest(c->in, err);
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
	c->line_refused = false;
	c->ending = true;
	if (c->importer->end) {
		int e = c->importer->end(imp);

		if (e < 0 && r >= 0)
			r = e;
	}
	if (r >= 0 && c->error)
		r = c->error;
	return r ? r : td_store_error(imp->store);
}

static int64_t disk_size(const struct td_stream *in)
{
	return td_stream_disk_size(in) >= 0 ? td_stream_disk_size(in) : td_stream_disk_bytes(in);
}

/* What is known at the end goes to the source, also when its reading failed: its rows are there. */
static int finish_source(struct td_import *imp)
{
	struct td_import_core *c = imp->core;
	struct td_stream *in = c->in;
	struct td_source *s = td_store_source_at(imp->store, imp->source_id);
	const char *hash = td_stream_hash(in), *truncated = td_stream_truncated(in);
	const struct td_beginnings *text = td_stream_beginnings(in);
	int r = 0;

	s->lines = c->lines + c->dropped;
	s->rows = c->rows;
	s->skipped = c->skipped;
	s->issues = c->issues + c->dropped;
	s->repaired = c->repaired;
	s->lost_events += c->lost;
	s->first_native_ns = c->first_ns;
	s->last_native_ns = c->last_ns;
	s->has_fractions = c->has_fractions;
	s->size_bytes = disk_size(in);
	if (hash)
		(void)snprintf(s->hash, sizeof(s->hash), "%s", hash);
	if (text && td_beginnings_text(text))
		td_store_set_source_text(imp->store, imp->source_id, td_beginnings_bytes(text),
					 td_beginnings_text(text));
	if (truncated) {
		s->state = TD_STATE_CUT;
		r = td_utf8_set(&s->detail, truncated);
	} else if (s->state == TD_STATE_CUT) {
		r = s->detail ? 0 : td_utf8_set(&s->detail, "the last line is cut");
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
	struct td_source *s = td_store_source_at(imp->store, imp->source_id);

	s->importer = NULL;
	s->clock = TD_CLOCK_NONE;
	s->state = TD_STATE_UNRECOGNISED;
	return td_utf8_set(&s->detail, NO_IMPORTER);
}

static int read_source(struct td_store *st, uint16_t source_id, const struct td_origin *from,
		       const struct td_importer *importer, struct td_err *err)
{
	_cleanup_(core_done) struct td_import_core core = {
		.importer = importer,
		.in = from->in,
		.progress = from->progress,
		.tick_wall_ns = TD_NULL,
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

/* --- the whole --- */

bool td_import_claims(struct td_stream *in, const struct td_import_options *options)
{
	const struct td_importer *importer = NULL;
	struct td_err why;

	return td_import_choose(in, options, &importer, &why) == 0 && importer;
}

/* Goes to the end of what nobody reads where that is near, or where a pipe's writer wants it taken. */
static int pass_over(struct td_stream *in, size_t seen, struct td_err *err)
{
	if (td_stream_disk_size(in) < 0)
		return td_stream_skip_rest(in, err);
	return seen < TD_PEEK_MAX ? td_stream_read_rest(in, err) : 0;
}

/* A file that nobody reads is kept as a source, so that the database says what it left out. Large data beside the logs
 * is not read for it. */
static int unrecognised(struct td_source *s, struct td_stream *in, const char *why,
			struct td_err *err)
{
	const char *head, *hash, *cut;
	size_t len;
	int r;

	r = td_stream_peek(in, &head, &len);
	if (r < 0)
		return r;
	if (strcmp(why, NO_IMPORTER) == 0 && td_import_stranger(head, len, s->path))
		why = td_import_stranger(head, len, s->path);
	cut = td_stream_truncated(in);
	s->state = len ? TD_STATE_UNRECOGNISED : cut ? TD_STATE_CUT : TD_STATE_EMPTY;
	r = pass_over(in, len, err);
	if (r < 0)
		return r;
	hash = td_stream_hash(in);
	if (hash)
		(void)snprintf(s->hash, sizeof(s->hash), "%s", hash);
	s->size_bytes = disk_size(in);
	return td_utf8_set(&s->detail, len ? why : cut);
}

static int read_stream(struct td_store *st, uint16_t source_id, const struct td_origin *from,
		       const struct td_importer *importer, struct td_err *err)
{
	struct td_err why = { NO_IMPORTER };
	int r = 0;

	if (!importer)
		r = td_import_choose(from->in, from->options, &importer, &why);
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
	(void)td_utf8_set(&s->detail, err->msg);
	return r;
}

static int read_opened(struct td_store *st, uint16_t source_id, const struct td_origin *opened,
		       struct td_err *err)
{
	struct td_origin from = *opened;

	td_stream_limit(from.in, &from.others);
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
		struct td_origin from = {
			.in = in, .path = path, .options = options, .progress = progress
		};

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
		struct td_origin from = { .in = in, .options = options };

		r = read_stream(st, source_id, &from, importer, err);
	}
	return r < 0 ? failed(st, source_id, r, name, err) : 0;
}
