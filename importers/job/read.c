/* SPDX-License-Identifier: MIT */
#include <fcntl.h>
#include <sys/stat.h>

#include "importers/job/read.h"
#include "importers/job/hosts.h"
#include "importers/job/rank.h"
#include "importers/job/repeats.h"
#include "common/archive.h"
#include "common/cleanup.h"
#include "common/lock.h"
#include "common/log.h"
#include "common/progress.h"
#include "common/stream.h"
#include "common/units.h"
#include "common/utf8.h"
#include "schema/db.h"

struct reader {
	struct td_import_job *job;
	struct td_store *st;
	struct td_repeats *repeats;
	struct td_hosts *hosts;
	size_t nloaded; /* sources of the database that is appended to */
	int64_t rows; /* of the members of the archive that is being read */
	struct td_stream_limits unpacked; /* of those that were packed themselves */
	size_t nunread; /* sources of which nothing was read, ... */
	size_t nsaid; /* ... and those of them that are of this import */
	size_t nmore; /* files that did not become sources, as there are so many of these */
	int64_t more_bytes; /* of those */
};

/* What is read: an input, or a member of one. */
struct item {
	const char *path; /* to open, and for messages */
	const char *name; /* for source.path */
	const char *label; /* for the progress line, which has no room for the archive's name */
	int64_t size_bytes; /* -1: not a regular file */
	bool named;
	int fd; /* of a member, unpacked; -1: an input */
	const char *damage; /* of a member: why it is not whole, or NULL */
};

/* --- databases of ours --- */

/* --- the same content twice --- */

static struct td_readable readable(const struct item *it)
{
	return (struct td_readable){ it->path, it->fd };
}

static int open_item(const struct item *it, struct td_stream **ret, struct td_err *err)
{
	struct td_readable from = readable(it);

	return td_readable_open(&from, ret, err);
}

/* The hash of the bytes on disk; false if they cannot be read. */
static bool hash_on_disk(const struct item *it, char *ret, size_t size)
{
	_cleanup_(td_stream_closep) struct td_stream *in = NULL;
	struct td_err err;

	if (open_item(it, &in, &err) < 0 || td_stream_skip_rest(in, &err) < 0)
		return false;
	(void)snprintf(ret, size, "%s", td_stream_disk_hash(in));
	return true;
}

/* The source that an archive of the same bytes is, 0 if there is none: only one with which something was wrong is a
 * source. It is not the same as a file that was left unread because it is not called an archive. */
static uint16_t same_archive(const struct reader *rd, const struct item *it)
{
	const struct td_contents *has = td_store_contents(rd->st);
	char hash[33] = "";

	for (size_t i = 0; i < has->nsources && it->size_bytes > 0; i++) {
		const struct td_source *s = &has->sources[i];

		if (s->size_bytes != it->size_bytes || s->importer ||
		    (s->state != TD_STATE_CUT && s->state != TD_STATE_FAILED))
			continue;
		if (!hash[0] && !hash_on_disk(it, hash, sizeof(hash)))
			return 0;
		if (strcmp(hash, s->hash) == 0)
			return (uint16_t)(i + 1);
	}
	return 0;
}

/* A source of which nothing was read. NULL: the store has an error. */
static struct td_source *add_source(struct reader *rd, const char *name, enum td_state state)
{
	struct td_source *s = td_store_source_at(rd->st, td_store_source(rd->st, name));

	if (s)
		s->state = state;
	return s;
}

/* how: what it is, for "%s '%s'%s", with what has to be said of it. */
static int note_duplicate(struct reader *rd, const struct item *it, const char *how, uint16_t of,
			  const char *but)
{
	const char *path = td_store_source_at(rd->st, of)->path;
	struct td_source *s;

	rd->job->duplicates++;
	if (*but)
		td_log_warning("'%s' is %s source '%s'%s: not imported", it->path, how, path, but);
	else
		td_log_info("'%s' is %s source '%s': not imported again", it->path, how, path);
	if (rd->job->if_exists == TD_EXISTS_APPEND)
		return 0;
	s = add_source(rd, it->name, TD_STATE_DUPLICATE);
	if (!s)
		return td_store_error(rd->st);
	s->size_bytes = it->size_bytes;
	path = td_store_source_at(rd->st, of)->path;
	if (asprintf(&s->detail, "%s '%s'%s", how, path, but) < 0)
		s->detail = NULL;
	return s->detail ? 0 : -ENOMEM;
}

/* What a source went on from cannot always be compared to its last byte. */
static void say_uncompared(const struct td_repeat_of *of, char *ret, size_t size)
{
	ret[0] = '\0';
	if (of->uncompared_bytes)
		(void)snprintf(ret, size, ", as far as can be told without its last %lld byte%s",
			       (long long)of->uncompared_bytes,
			       of->uncompared_bytes == 1 ? "" : "s");
}

static int note_beginning(struct reader *rd, const struct item *it, const struct td_repeat_of *of)
{
	char but[80];

	say_uncompared(of, but, sizeof(but));
	return note_duplicate(rd, it, "the beginning of", of->source_id, but);
}

/* A text that could be read but once turns out to be there already when it has been read: it is forgotten again. */
static int forget_repeat(struct reader *rd, const struct item *it)
{
	uint16_t newest = (uint16_t)td_store_contents(rd->st)->nsources;
	struct td_repeat_of of;
	struct td_err detail;
	char but[80];

	td_repeats_find_newest(rd->repeats, &of);
	if (of.what == TD_REPEAT_NONE)
		return 0;
	say_uncompared(&of, but, sizeof(but));
	(void)td_err_set(&detail, 0, "%s '%s'%s",
			 of.what == TD_REPEAT_SAME ? "the same text as" : "the beginning of",
			 td_store_source_at(rd->st, of.source_id)->path, but);
	td_log_warning("'%s' is %s: not imported again", it->name, detail.msg);
	rd->job->duplicates++;
	rd->job->recognised--;
	return td_store_forget(rd->st, newest, detail.msg);
}

/* The log grew: what was read of it before is forgotten. */
static int note_continued(struct reader *rd, const struct item *it, uint16_t of)
{
	const char *path = td_store_source_at(rd->st, of)->path;
	struct td_err detail;

	td_log_info("'%s' begins with all of source '%s', which is not counted twice", it->path,
		    path);
	if (of > rd->nloaded)
		rd->job->recognised--;
	(void)td_err_set(&detail, 0, "the beginning of '%s'", it->name);
	return td_store_forget(rd->st, of, detail.msg);
}

/* --- one file --- */

/* A file of which so little is understood may be of another version of its tool, or went through something
 * that changed it: the rest is no base for an answer. */
static void count_unused(struct reader *rd, const struct item *it, const struct td_source *s)
{
	char n[TD_UNITS_BUF], of[TD_UNITS_BUF];

	/* of a cut one it is said already that it is not whole */
	if (s->state != TD_STATE_COMPLETE || s->issues * 2 <= s->lines)
		return;
	rd->job->unused++;
	td_log_warning("'%s': %s of its %s lines could not be used ('tracedb info' shows which)",
		       it->path, td_format_count(n, sizeof(n), (int64_t)s->issues),
		       td_format_count(of, sizeof(of), (int64_t)s->lines));
}

static struct td_source *last_source(struct reader *rd)
{
	return td_store_source_at(rd->st, td_store_contents(rd->st)->nsources);
}

/* --- files that are no logs --- */

/* A folder may hold a data set beside the logs. So many of what nobody reads are sources with their names, and so many
 * are named in warnings; the others are counted. */
#define UNREAD_SOURCES_MAX 1000
#define UNREAD_SAID_MAX ((size_t)20)

/* Counts one that is a source now: is it one to warn of? */
static bool count_unread(struct reader *rd, const struct item *it)
{
	rd->nunread++;
	return rd->nsaid++ < UNREAD_SAID_MAX || it->named;
}

/* Is it one more that nobody reads, after so many? in: NULL if it cannot be opened. */
static bool is_one_more(const struct reader *rd, const struct item *it, struct td_stream *in)
{
	return rd->nunread >= UNREAD_SOURCES_MAX && !it->named &&
	       !(in && td_import_claims(in, &rd->job->options));
}

static int count_more(struct reader *rd, const struct item *it)
{
	rd->job->unrecognised++;
	rd->nmore++;
	rd->more_bytes += TD_MAX(it->size_bytes, 0);
	return 0;
}

/* A source for all that were only counted, unless the database that is appended to has them. */
static int add_more(struct reader *rd)
{
	const struct td_contents *has = td_store_contents(rd->st);
	struct td_source *s;
	struct td_err name;

	(void)td_err_set(&name, 0, "(%zu more files)", rd->nmore);
	for (size_t i = 0; i < rd->nloaded; i++)
		if (has->sources[i].size_bytes == rd->more_bytes &&
		    strcmp(has->sources[i].path, name.msg) == 0)
			return 0;
	s = add_source(rd, name.msg, TD_STATE_UNRECOGNISED);
	if (!s)
		return td_store_error(rd->st);
	s->size_bytes = rd->more_bytes;
	return td_utf8_set(&s->detail, "no importer recognises any of them");
}

static int say_unread(struct reader *rd)
{
	size_t n = rd->nmore + TD_MAX(rd->nsaid, UNREAD_SAID_MAX) - UNREAD_SAID_MAX;
	char text[TD_UNITS_BUF];

	if (n)
		td_log_warning("and %s more file%s that no importer recognises",
			       td_format_count(text, sizeof(text), (int64_t)n), n == 1 ? "" : "s");
	return rd->nmore ? add_more(rd) : 0;
}

/* What is wrong with a source is logged once, here; the database keeps it too. */
static void count_source(struct reader *rd, const struct item *it)
{
	const struct td_source *s = last_source(rd);
	struct td_import_job *job = rd->job;

	switch (s->state) {
	case TD_STATE_COMPLETE:
	case TD_STATE_DUPLICATE:
		job->recognised++;
		break;
	case TD_STATE_CUT:
		job->recognised += s->importer != NULL;
		job->cut++;
		td_log_warning("'%s': %s; %s", it->path, s->detail,
			       s->importer ? "everything else is imported"
					   : "no importer recognises what is left");
		break;
	case TD_STATE_EMPTY:
		if (count_unread(rd, it))
			td_log_warning("'%s' is empty", it->path);
		break;
	case TD_STATE_UNRECOGNISED:
		job->unrecognised++;
		job->failed += it->named;
		if (count_unread(rd, it))
			td_log_warning("'%s': %s (%s)", it->path, s->detail,
				       td_db_kind_of(it->path) == TD_DB_OURS
					       ? "it is a database of tracedb, which 'tracedb "
						 "report' shows"
					       : "'tracedb formats' lists the formats, --format "
						 "names one");
		break;
	case TD_STATE_FAILED:
		break;
	}
	count_unused(rd, it, s);
	rd->rows += (int64_t)s->rows;
}

/* What was found in it stays, but it is not all. */
static int mark_damaged(struct reader *rd, const char *damage)
{
	struct td_source *s = last_source(rd);
	struct td_err text;

	if (s->state == TD_STATE_UNRECOGNISED)
		return 0;
	s->state = TD_STATE_CUT;
	(void)td_err_set(&text, 0, "%s, in its archive", damage);
	return td_utf8_set(&s->detail, text.msg);
}

/* The disk, the memory and the command line are not the file's fault. */
static bool ends_import(int r)
{
	return r == -ENOMEM || r == -ENOSPC || r == -EFBIG || r == -EDQUOT || r == -EINVAL;
}

/* in: NULL if it cannot be opened, which the source then says. */
static int read_source(struct reader *rd, const struct item *it, struct td_stream *in,
		       struct td_progress *progress, struct td_err *err)
{
	const struct td_import_options *options = &rd->job->options;
	struct td_origin from = { .in = in,
				  .path = it->fd < 0 ? it->path : NULL,
				  .options = options,
				  .progress = progress,
				  .others = it->fd < 0 ? (struct td_stream_limits){ 0 }
						       : rd->unpacked };
	int r;

	td_hosts_begin(rd->hosts, it->path);
	r = in ? td_import_stream(rd->st, &from, it->name, err)
	       : td_import_file(rd->st, it->path, it->name, options, progress, err);

	if (td_store_error(rd->st) < 0)
		return td_store_error(rd->st);
	if (ends_import(r))
		return r;
	if (r < 0) {
		rd->job->failed++;
		td_log_warning("%s", err->msg);
		return 0;
	}
	r = td_hosts_end(rd->hosts);
	td_rank_of_source(td_store_source_at(rd->st, td_store_contents(rd->st)->nsources), it->path,
			  options);
	if (r == 0 && it->damage)
		r = mark_damaged(rd, it->damage);
	if (r == 0)
		count_source(rd, it);
	return r;
}

/* --- archives --- */

struct unpacking {
	struct reader *rd;
	const struct item *of;
	struct td_archive *a;
	int fd; /* where members go */
	struct td_progress *progress;
};

bool td_is_archive(const char *path, bool named, struct td_stream *in)
{
	const char *head;
	size_t len;

	return (named || td_archive_suffix(path)) && td_stream_peek(in, &head, &len) == 0 &&
	       td_archive_is(head, len);
}

/* A source that says why nothing of it was read. */
static int add_unread(struct reader *rd, const struct item *it, enum td_state state,
		      const char *detail)
{
	struct td_source *s = add_source(rd, it->name, state);

	if (!s)
		return td_store_error(rd->st);
	if (it->size_bytes >= 0)
		s->size_bytes = it->size_bytes;
	return td_utf8_set(&s->detail, detail);
}

/* The limits are for one archive: one that holds archives could go beyond them. */
static int note_nested(struct reader *rd, const struct item *it)
{
	static const char why[] = "an archive in an archive is not opened: unpack it and import it";

	rd->job->unrecognised++;
	td_log_warning("'%s': %s", it->path, why);
	return add_unread(rd, it, TD_STATE_UNRECOGNISED, why);
}

static int note_unread(struct reader *rd, const struct item *it, const char *why)
{
	rd->job->failed++;
	td_log_warning("'%s': %s", it->path, why);
	return add_unread(rd, it, TD_STATE_FAILED, why);
}

static int read_item(struct reader *rd, const struct item *it, struct td_progress *progress,
		     struct td_err *err);

static int read_unpacked(struct unpacking *u, struct item *it, struct td_err *err)
{
	struct td_progress progress;
	struct stat st;
	int r;

	if (fstat(u->fd, &st) < 0)
		return td_err_errno(err, -errno, "cannot read '%s'", it->path);
	if (td_db_kind_of_fd(u->fd) == TD_DB_OURS) {
		td_log_info("'%s' is a tracedb database: passed over", it->path);
		return 0;
	}
	it->size_bytes = st.st_size;
	td_progress_init(&progress, it->label, it->size_bytes, u->rd->job->quiet);
	r = read_item(u->rd, it, &progress, err);
	td_progress_done(&progress);
	return r;
}

static int read_member(struct unpacking *u, const char *name, struct td_err *err)
{
	bool is_stdin = strcmp(u->of->path, "-") == 0;
	_cleanup_free_ char *path = NULL, *source = NULL;
	struct item it = { .label = name, .size_bytes = -1, .fd = u->fd };
	struct td_err why = { "" };
	int r;

	if (asprintf(&path, "%s/%s", is_stdin ? u->of->name : u->of->path, name) < 0)
		path = NULL;
	if (asprintf(&source, "%s/%s", u->of->name, name) < 0)
		source = NULL;
	if (!path || !source)
		return -ENOMEM;
	it.path = path;
	it.name = source;
	if (ftruncate(u->fd, 0) < 0)
		return td_err_errno(err, -errno, "cannot unpack '%s'", path);
	r = td_archive_unpack(u->a, u->fd, u->progress, u->rd->rows, &why);
	if (r == -ENOTSUP)
		return note_unread(u->rd, &it, why.msg);
	if (r < 0) /* of the archive, not of the member: td_archive_next() says it again */
		return 0;
	if (r > 0)
		it.damage = why.msg;
	return read_unpacked(u, &it, err);
}

/* A file without a name, beside the database. */
static int scratch_file(const struct reader *rd, struct td_err *err)
{
	_cleanup_free_ char *path = NULL;
	int fd;

	if (asprintf(&path, "%s-member-XXXXXX", td_store_scratch_path(rd->st)) < 0) {
		path = NULL;
		return -ENOMEM;
	}
	fd = mkostemp(path, O_CLOEXEC);
	if (fd < 0)
		return td_err_errno(err, -errno, "cannot create '%s'", path);
	(void)unlink(path);
	return fd;
}

static void count_archive(struct reader *rd, const struct item *it, enum td_state state,
			  const char *why)
{
	if (state == TD_STATE_CUT) {
		rd->job->cut++;
		td_log_warning("'%s': %s; what could be unpacked is imported, copy or pack it "
			       "again for the rest",
			       it->path, why);
		return;
	}
	rd->job->failed++;
	td_log_warning("'%s': %s", it->path, why);
}

/* An archive becomes a source only if something is wrong with it: that may not go by unseen. */
static int archive_failed(struct reader *rd, const struct item *it, struct td_stream *in, int error,
			  const char *why)
{
	enum td_state state = error == -EBADMSG ? TD_STATE_CUT : TD_STATE_FAILED;
	int r = add_unread(rd, it, state, why);
	struct td_source *s = last_source(rd);
	struct td_err err;

	if (r < 0)
		return r;
	if (td_stream_skip_rest(in, &err) == 0) {
		s->size_bytes = td_stream_disk_bytes(in);
		(void)snprintf(s->hash, sizeof(s->hash), "%s", td_stream_disk_hash(in));
	}
	count_archive(rd, it, state, why);
	return 0;
}

static int archive_done(struct reader *rd, const struct item *it, unsigned members,
			unsigned left_out)
{
	if (left_out)
		td_log_info("'%s': %u member%s left out: hidden files, links, devices", it->path,
			    left_out, left_out == 1 ? "" : "s");
	if (members)
		return 0;
	td_log_warning("'%s' holds no files", it->path);
	return add_unread(rd, it, TD_STATE_EMPTY, "holds no files");
}

static int read_archive(struct reader *rd, const struct item *it, struct td_stream *in,
			struct td_progress *progress, struct td_err *err)
{
	_cleanup_(td_archive_closep) struct td_archive *a = NULL;
	_cleanup_close_ int fd = scratch_file(rd, err);
	struct unpacking u = { .rd = rd, .of = it, .fd = fd, .progress = progress };
	struct td_err why = { "" };
	unsigned members = 0;
	const char *name;
	int r;

	if (fd < 0)
		return fd;
	rd->rows = 0;
	rd->unpacked = (struct td_stream_limits){ 0 };
	r = td_archive_open(in, NULL, &a, &why);
	u.a = a;
	while (r == 0 && (r = td_archive_next(a, &name, &why)) > 0) {
		members++;
		r = read_member(&u, name, err);
		if (r < 0)
			return r;
	}
	if (ends_import(r))
		return td_err_set(err, r, "%s", why.msg);
	return r < 0 ? archive_failed(rd, it, in, r, why.msg)
		     : archive_done(rd, it, members, td_archive_left_out(a));
}

/* --- all --- */

bool td_is_recorded_to(const char *path)
{
	static const char spool[] = ".spool";

	return td_str_ends((struct td_str){ path, strlen(path) }, spool) && td_lock_is_held(path);
}

/* Was it left out of the database already, and is again? */
static bool is_left_out(const struct reader *rd, const struct item *it, struct td_stream *in)
{
	const struct td_contents *has = td_store_contents(rd->st);

	for (size_t i = 0; i < rd->nloaded; i++) {
		const struct td_source *s = &has->sources[i];

		if (s->state == TD_STATE_UNRECOGNISED && s->size_bytes == it->size_bytes &&
		    strcmp(s->path, it->name) == 0)
			return in && !td_import_claims(in, &rd->job->options);
	}
	return false;
}

/* Imports what its source is to know: the begin of the text, which is read by then, and how long it is. */
static int read_new(struct reader *rd, const struct item *it, struct td_stream *in,
		    struct td_progress *progress, struct td_err *err)
{
	char head[TD_REPEATS_HEAD];
	const char *p;
	size_t len = 0;
	int r;

	if (in && td_stream_peek(in, &p, &len) == 0) {
		len = TD_MIN(len, sizeof(head));
		memcpy(head, p, len);
	}
	r = read_source(rd, it, in, progress, err);
	if (r < 0 || !in)
		return r;
	if (it->fd >= 0 && strcmp(td_stream_codec(in), "plain") != 0) {
		rd->unpacked.text_bytes += td_stream_text_bytes(in);
		rd->unpacked.packed_bytes += td_stream_disk_bytes(in);
	}
	r = it->fd < 0 && it->size_bytes < 0 ? forget_repeat(rd, it) : 0;
	if (r < 0)
		return r;
	return td_repeats_add(rd->repeats, head, len, td_stream_length(in),
			      it->fd < 0 && it->size_bytes >= 0 ? it->path : NULL);
}

/* A text that is no archive. */
static int read_text(struct reader *rd, const struct item *it, struct td_stream *in,
		     struct td_progress *progress, struct td_err *err)
{
	struct td_repeat_of of = { .what = TD_REPEAT_NONE };
	struct td_readable from = readable(it);
	const char *head;
	size_t len;
	int r = 0;

	if (is_left_out(rd, it, in))
		return 0;
	if (is_one_more(rd, it, in))
		return count_more(rd, it);
	if (in && it->size_bytes > 0 && td_stream_peek(in, &head, &len) == 0)
		r = td_repeats_possible(rd->repeats, head, len);
	if (r > 0)
		r = td_import_claims(in, &rd->job->options)
			    ? td_repeats_find(rd->repeats, &from, head, len, &of)
			    : 0;
	if (r == 0 && of.what == TD_REPEAT_SAME)
		return note_duplicate(rd, it, "the same text as", of.source_id, "");
	if (r == 0 && of.what == TD_REPEAT_BEGINNING)
		return note_beginning(rd, it, &of);
	if (r == 0 && of.what == TD_REPEAT_CONTINUED)
		r = note_continued(rd, it, of.source_id);
	return r < 0 ? r : read_new(rd, it, in, progress, err);
}

static int read_item(struct reader *rd, const struct item *it, struct td_progress *progress,
		     struct td_err *err)
{
	_cleanup_(td_stream_closep) struct td_stream *in = NULL;
	uint16_t of;

	if (it->fd < 0 && td_is_recorded_to(it->path))
		return note_unread(rd, it, TD_STILL_RECORDING);
	if (open_item(it, &in, err) < 0 || !td_is_archive(it->path, it->named, in))
		return read_text(rd, it, in, progress, err);
	of = same_archive(rd, it);
	if (of)
		return note_duplicate(rd, it, "a copy of", of, "");
	return it->fd < 0 ? read_archive(rd, it, in, progress, err) : note_nested(rd, it);
}

static int read_inputs(struct reader *rd, const struct td_input *inputs, size_t n,
		       struct td_err *err)
{
	int r = 0;

	for (size_t i = 0; i < n && r >= 0; i++) {
		const struct td_input *in = &inputs[i];
		struct item it = { .path = in->path,
				   .name = in->name,
				   .label = in->name,
				   .size_bytes = in->size_bytes,
				   .named = in->named,
				   .fd = -1 };
		struct td_progress progress;

		td_progress_init(&progress, it.label, it.size_bytes, rd->job->quiet);
		r = read_item(rd, &it, &progress, err);
		td_progress_done(&progress);
	}
	return r;
}

int td_read_inputs(struct td_import_job *job, struct td_store *st, const struct td_input *inputs,
		   size_t n, struct td_err *err)
{
	_cleanup_(td_repeats_freep) struct td_repeats *repeats = NULL;
	_cleanup_(td_hosts_freep) struct td_hosts *hosts = NULL;
	struct reader rd = { .job = job, .st = st, .nloaded = td_store_contents(st)->nsources };
	int r = td_repeats_new(st, &repeats);

	rd.repeats = repeats;
	if (r >= 0)
		r = td_hosts_new(st, inputs, n, &job->options, &hosts);
	rd.hosts = hosts;
	for (size_t i = 0; i < rd.nloaded; i++)
		rd.nunread += td_store_contents(st)->sources[i].state == TD_STATE_UNRECOGNISED;
	if (r >= 0)
		r = read_inputs(&rd, inputs, n, err);
	return r < 0 ? r : say_unread(&rd);
}
