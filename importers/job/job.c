/* SPDX-License-Identifier: MIT */
#include <fcntl.h>
#include <malloc.h>
#include <sys/stat.h>

#include "store/derive/derive.h"
#include "importers/job/job.h"
#include "importers/job/keep.h"
#include "importers/job/output.h"
#include "importers/job/read.h"
#include "importers/job/runs.h"
#include "common/array.h"
#include "common/caldate.h"
#include "common/cleanup.h"
#include "common/lock.h"
#include "common/log.h"
#include "common/units.h"
#include "common/tmpfile.h"
#include "common/unfinished.h"
#include "common/walk.h"
#include "importers/align/align.h"
#include "schema/db.h"
#include "store/derive/duplicate_calls.h"
#include "store/load.h"
#include "store/write/write.h"

struct job {
	struct td_import_job *job;
	struct td_store *st;
	struct td_keep *keep; /* NULL: there is nothing to append to */
	struct td_input *inputs;
	size_t n, cap;
	const char *root; /* folder being walked, NULL for a single file */
	bool root_in_name;
	enum td_row_writer writer;
	char *output; /* where job->output leads */
	char *tmp_path, *lock_path, *spill_path;
	mode_t umask; /* as it was given */
};

static void job_done(struct job *j)
{
	for (size_t i = 0; i < j->n; i++) {
		free(j->inputs[i].path);
		free(j->inputs[i].name);
	}
	free(j->inputs);
	free(j->output);
	free(j->tmp_path);
	free(j->lock_path);
	free(j->spill_path);
	td_keep_end(j->keep);
	td_store_free(j->st);
}

/* --- the files --- */

/* Name of a source: below an only folder the path in it, else with the folder's name in front. */
static const char *source_name(const struct job *j, const char *path)
{
	size_t n = j->root ? strlen(j->root) : 0;
	const char *slash;

	if (!j->root) {
		slash = strrchr(path, '/');
		return slash ? slash + 1 : path;
	}
	while (n > 0 && j->root[n - 1] == '/')
		n--;
	if (!j->root_in_name)
		return path + n + strspn(path + n, "/");
	while (n > 0 && j->root[n - 1] != '/')
		n--;
	return path + n;
}

static int add_input(struct job *j, const char *path, const struct stat *st)
{
	struct td_input in = {
		.path = strdup(path),
		.name = strdup(strcmp(path, "-") == 0 ? "(stdin)" : source_name(j, path)),
		.size_bytes = st && S_ISREG(st->st_mode) ? st->st_size : -1,
		.named = !j->root,
	};

	if (!in.path || !in.name || td_grow(&j->inputs, &j->cap, j->n) < 0) {
		free(in.path);
		free(in.name);
		return -ENOMEM;
	}
	j->inputs[j->n++] = in;
	return 0;
}

/* It need not end, and reading it can do things. */
static bool is_device(const struct stat *st)
{
	return S_ISBLK(st->st_mode) || S_ISCHR(st->st_mode);
}

static int on_file(void *ctx, const char *path, const struct stat *st)
{
	struct job *j = ctx;

	if (is_device(st)) {
		j->job->failed++;
		td_log_warning("'%s' is a device: passed over", path);
		return 0;
	}
	if (j->root && td_db_kind_of(path) == TD_DB_OURS) {
		td_log_info("'%s' is a tracedb database: passed over", path);
		return 0;
	}
	return add_input(j, path, st);
}

static int on_problem(void *ctx, const char *path, int r, const char *msg)
{
	struct job *j = ctx;

	j->job->failed++;
	td_log_warning("%s: passed over", msg);
	return 0;
}

static int find_inputs(struct job *j, struct td_err *err)
{
	static const struct td_walk_fn walk = { .file = on_file, .problem = on_problem };

	for (size_t i = 0; i < j->job->npaths; i++) {
		const char *path = j->job->paths[i];
		struct stat st;
		int r;

		if (strcmp(path, "-") == 0) {
			j->root = NULL;
			r = fstat(STDIN_FILENO, &st) == 0 && is_device(&st) && !isatty(STDIN_FILENO)
				    ? on_file(j, "standard input", &st)
				    : add_input(j, path, NULL);
		} else {
			j->root = stat(path, &st) == 0 && S_ISDIR(st.st_mode) ? path : NULL;
			j->root_in_name = j->job->npaths > 1;
			r = td_walk(path, &walk, j, err);
		}
		if (r < 0)
			return r;
	}
	return j->n ? 0 : td_err_set(err, -ENODATA, "no files in '%s'", j->job->paths[0]);
}

/* --- writing --- */

/* A recording says what somebody did: nobody else reads it, as nobody else can read the spool. */
static bool is_private(const struct job *j)
{
	for (size_t id = 1; id <= td_store_contents(j->st)->nsources; id++) {
		const char *importer = td_store_source_at(j->st, id)->importer;

		if (importer && strcmp(importer, "record") == 0)
			return true;
	}
	return false;
}

/* It was made for its owner alone. One that is appended to keeps its mode, unless what is appended is private. */
static int set_mode(const struct job *j, struct td_err *err)
{
	mode_t mode = j->keep ? td_keep_mode(j->keep) : 0666 & ~j->umask;

	mode &= is_private(j) ? 0700 : 07777;
	return chmod(j->tmp_path, mode) < 0
		       ? td_err_errno(err, -errno, "cannot change the mode of '%s'", j->tmp_path)
		       : 0;
}

/* Gives the database its final name, unless one has appeared there that must not be replaced. */
static int put_in_place(struct job *j, struct td_err *err)
{
	const char *to = j->output;
	unsigned flags = j->job->if_exists == TD_EXISTS_REFUSE ? RENAME_NOREPLACE : 0;
	int r = renameat2(AT_FDCWD, j->tmp_path, AT_FDCWD, to, flags);

	/* not every file system knows the flag */
	if (r < 0 && errno == EINVAL && flags && access(to, F_OK) != 0)
		r = rename(j->tmp_path, to);
	return r < 0 ? td_err_errno(err, -errno, "cannot rename '%s' to '%s'", j->tmp_path, to) : 0;
}

/* The SQLite writer is the oracle of tests: they ask for it by the environment. */
static int find_row_writer(enum td_row_writer *ret, struct td_err *err)
{
	static const char *const names[] = {
		[TD_WRITER_BTREE] = "btree", [TD_WRITER_SQLITE] = "sqlite"
	};
	const char *name = getenv("TRACEDB_WRITER");

	*ret = TD_WRITER_BTREE;
	if (!name || !*name)
		return 0;
	for (size_t i = 0; i < TD_ARRAY_SIZE(names); i++) {
		if (strcmp(name, names[i]) != 0)
			continue;
		*ret = (enum td_row_writer)i;
		return 0;
	}
	return td_err_set(err, -EINVAL, "TRACEDB_WRITER is '%s': it can be 'btree' or 'sqlite'",
			  name);
}

static int write_database(struct job *j, const struct td_alignment *al, struct td_err *err)
{
	_cleanup_(td_derive_freep) struct td_derive *derive = NULL;
	_cleanup_free_ char *name = NULL;
	struct td_write_options options = {
		.utc_offset_s = al->utc_offset_s,
		.utc_offset_basis = al->utc_offset_basis,
		.writer = j->writer,
		.threads = j->job->options.threads,
	};
	struct td_row_watcher watcher;
	const char *base = strrchr(j->job->output, '/');
	int r;

	base = base ? base + 1 : j->job->output;
	name = strndup(
		base,
		strlen(base) -
			(strlen(base) > 3 && strcmp(base + strlen(base) - 3, ".db") == 0 ? 3 : 0));
	if (!name)
		return -ENOMEM;
	options.run_name = name;
	r = td_derive_new(j->spill_path, &derive);
	if (r < 0)
		return r;
	watcher = td_derive_watcher(derive);
	return td_store_write(j->st, j->tmp_path, &options, &watcher, err);
}

/* Is it without a date beside others that have one? */
static bool is_undated(const struct td_store *st, const struct td_source *s)
{
	struct td_shift shift = td_source_shift(s);

	return s->first_native_ns != TD_NULL && s->error_ns == TD_NULL && td_store_has_clock(st) &&
	       td_shift_to_utc(&shift, s->first_native_ns) < TD_EARLIEST_NS;
}

/* Nobody but the user can tell then, so the user is asked: once for files of a set, which are read one after another. */
static void ask_for_clocks(const struct job *j, const struct td_alignment *al)
{
	const char *asked = "";

	for (size_t id = 1; id <= td_store_contents(j->st)->nsources; id++) {
		const struct td_source *s = td_store_source_at(j->st, id);
		bool which_boot =
			al->boots > 1 && s->clock == TD_CLOCK_BOOT && s->error_ns == TD_NULL;

		if (!s->clock_basis)
			continue;
		if (s->date_basis == TD_DATE_OPEN || which_boot) {
			td_log_warning("'%s': %s", s->path, s->clock_basis);
		} else if (is_undated(j->st, s) && strcmp(asked, s->clock_basis) != 0) {
			td_log_warning("'%s' is not on the clock of the others: %s", s->path,
				       s->clock_basis);
			asked = s->clock_basis;
		}
	}
}

/* --- the whole --- */

static int make_paths(struct job *j)
{
	j->tmp_path = td_tmpfile_name(j->output);
	j->lock_path = td_tmpfile_lock_name(j->output);
	if (j->tmp_path && asprintf(&j->spill_path, "%s-spill", j->tmp_path) < 0)
		j->spill_path = NULL;
	return j->tmp_path && j->lock_path && j->spill_path ? 0 : -ENOMEM;
}

/* Reads the database that is appended to. */
static int load(struct job *j, struct td_err *err)
{
	int r = td_keep_begin(j->job->output, &j->keep, err);

	if (r == 0)
		r = td_store_load(j->st, j->job->output, err);
	return r == 0 ? td_keep_lock(j->keep, err) : r;
}

/* What is known only when all rows have been seen, and makes sums wrong. */
static void say_twice(const struct td_store *st)
{
	const struct td_contents *c = td_store_contents(st);

	for (size_t i = 0; i < c->nissues; i++)
		if (strcmp(c->issues[i].kind, TD_ISSUE_DUPLICATE_CALLS) == 0)
			td_log_warning("'%s': %s", c->sources[c->issues[i].source_id - 1].path,
				       c->issues[i].text);
}

static int run(struct job *j, struct td_err *err)
{
	struct td_alignment al = { 0 };
	int r;

	r = td_store_new(j->spill_path, &j->st);
	if (r < 0)
		return r;
	if (j->job->if_exists == TD_EXISTS_APPEND && access(j->job->output, F_OK) == 0) {
		r = load(j, err);
		if (r < 0)
			return r;
	}
	r = td_read_inputs(j->job, j->st, j->inputs, j->n, err);
	if (r < 0)
		return r;
	if (j->job->recognised == 0) {
		if (j->job->duplicates)
			return 0;
		return td_err_set(err, -ENODATA, "nothing in '%s' can be imported",
				  j->job->paths[0]);
	}
	(void)malloc_trim(0); /* what importers took is not what writing takes */
	r = td_align(j->st, &j->job->options.clocks, &al, err);
	if (r < 0)
		return r;
	ask_for_clocks(j, &al);
	r = j->job->quiet ? 0 : td_say_runs(j->st, al.boots);
	if (r < 0)
		return r;
	r = write_database(j, &al, err);
	if (r == 0)
		say_twice(j->st);
	if (r == 0 && j->keep)
		r = td_keep_apply(j->keep, j->tmp_path, err);
	if (r == 0)
		r = set_mode(j, err);
	return r < 0 ? r : put_in_place(j, err);
}

int td_import_run(struct td_import_job *job, struct td_err *err)
{
	_cleanup_(job_done) struct job j = { .job = job };
	_cleanup_(td_lock_releasep) struct td_lock *lock = NULL;
	int r;

	r = find_row_writer(&j.writer, err);
	if (r >= 0)
		r = td_output_find(job, &j.output, err);
	if (r >= 0)
		r = make_paths(&j);
	if (r >= 0)
		r = find_inputs(&j, err);
	if (r >= 0)
		r = td_output_check_inputs(j.output, j.inputs, j.n, err);
	if (r < 0)
		return r;
	r = td_lock_take(j.lock_path, &lock, err);
	if (r == -EBUSY)
		return td_err_set(err, r,
				  "another import is writing '%s': wait for it, or name another "
				  "database with -o",
				  job->output);
	if (r < 0)
		return r;
	td_tmpfile_remove_leftovers(j.output); /* nobody else is at work: we have the lock */
	td_unfinished_add(j.tmp_path);
	j.umask = umask(077);
	r = run(&j, err);
	(void)umask(j.umask);
	if (r < 0)
		(void)unlink(j.tmp_path);
	td_unfinished_remove(j.tmp_path);
	if (r == -E2BIG && !err->msg[0])
		(void)td_err_set(err, r, "more than %d files: import them into several databases",
				 UINT16_MAX);
	if (r < 0 && !err->msg[0])
		td_err_errno(err, r, "cannot write '%s'", job->output);
	return r;
}

void td_import_say(const struct td_import_job *job)
{
	struct stat st;
	char size[32] = "?";

	if (job->quiet)
		return;
	if (job->recognised == 0) {
		td_log_info("%s: nothing new", job->output);
		return;
	}
	if (stat(job->output, &st) == 0)
		td_format_bytes(size, sizeof(size), st.st_size);
	td_log_info("%s: %s, %zu source%s%s", job->output, size, job->recognised,
		    job->recognised == 1 ? "" : "s",
		    job->unrecognised ? ", files left out: 'tracedb info' names them" : "");
}
