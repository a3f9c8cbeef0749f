/* SPDX-License-Identifier: MIT */
#include <limits.h>

#include "analyzer/needs.h"
#include "analyzer/report_file.h"
#include "common/printable.h"
#include "common/units.h"
#include "schema/series.h"

/* In how a need is met, what stands for the database. */
#define DB "{db}"
#define ADD_LOG                                                                                    \
	"'tracedb import -o " DB " --append LOG' adds those of a log (MLPerf's, or any by "        \
	"--phase-pattern)"

/* Whether a table has rows of these kinds. Where there is no such word, none of its rows is
 * looked at; "+": no index of all rows is to be made. */
#define OF_KIND(table, words)                                                                      \
	"SELECT EXISTS (SELECT 1 FROM (SELECT id FROM string WHERE text IN (" words ")) AS k"      \
	" CROSS JOIN " table " AS t ON +t.kind_id = k.id)"

#define NAMES_SHOWN 3 /* sources named in a note; the others are counted */

/* Sorted by name. Checks look at no more than a row, or at a small table. */
#define HAS_CALLS                                                                                  \
	"'tracedb record' has them, as do strace -f -ttt -T and bpftrace scripts for vfs or "      \
	"system calls"
#define HAS_GPU "'tracedb record --cuda' has them, as do nsys exports and Kineto traces"

static const struct td_need table[] = {
	{ "annotation", OF_KIND("span", "'annotation', 'cpu-op'"), "annotations of a profiler",
	  "import a trace of PyTorch's profiler", TD_EVENTS_OTHER, TD_CLOCKS_EVENTS },
	{ "bin_stat", "SELECT EXISTS (SELECT 1 FROM bin_stat)", "calls", HAS_CALLS, TD_EVENTS_CALLS,
	  TD_CLOCKS_EVENTS },
	{ "block_request", "SELECT EXISTS (SELECT 1 FROM block_request)", "block I/O requests",
	  "'tracedb record' has them, as do bpftrace's biosnoop.bt and scripts like it",
	  TD_EVENTS_BLOCKS, TD_CLOCKS_EVENTS },
	{ "call", "SELECT EXISTS (SELECT 1 FROM op WHERE layer <> 'cuda')", "calls", HAS_CALLS,
	  TD_EVENTS_CALLS, TD_CLOCKS_EVENTS },
	{ "cost",
	  "SELECT EXISTS (SELECT 1 FROM summary WHERE name IN ('bpf.run_time', 'collector.cpu'))",
	  "figures of what recording cost", "only 'tracedb record' writes them", 0, 0 },
	{ "cpu_util", "SELECT EXISTS (SELECT 1 FROM track WHERE name LIKE 'cpu.%')", "CPU samples",
	  "'tracedb record --cpu' takes them, as does 'mpstat -P ALL 1' beside the program", 0,
	  TD_CLOCKS_SAMPLES },
	{ "cuda_call", "SELECT EXISTS (SELECT 1 FROM op WHERE layer = 'cuda')",
	  "calls of the CUDA APIs", HAS_GPU, TD_EVENTS_OTHER, TD_CLOCKS_EVENTS },
	{ "cuda_launches", "SELECT EXISTS (SELECT 1 FROM summary WHERE name = 'cuda.launches')",
	  "counts of launches", "'tracedb record -e cuda' counts them", TD_EVENTS_OTHER, 0 },
	{ "cuda_memory",
	  "SELECT EXISTS (SELECT 1 FROM track WHERE name IN"
	  " ('cuda.allocated', 'cuda.managed', 'cuda.pinned'))",
	  "allocations of GPU memory", "'tracedb record --cuda' adds them up", TD_EVENTS_OTHER,
	  TD_CLOCKS_SAMPLES },
	{ "disk_util", "SELECT EXISTS (SELECT 1 FROM track WHERE name LIKE 'disk.%')",
	  "disk samples", "run 'iostat -xt 1' beside the program", 0, TD_CLOCKS_SAMPLES },
	{ "faults", "SELECT EXISTS (SELECT 1 FROM track WHERE name LIKE 'faults.%')", "page faults",
	  "'tracedb record -e faults' counts them", TD_EVENTS_OTHER, TD_CLOCKS_SAMPLES },
	{ "file_stat", "SELECT EXISTS (SELECT 1 FROM file_stat)", "calls on files",
	  "'tracedb record' has them, as do strace -f -ttt -T -y and bpftrace scripts for vfs "
	  "calls",
	  TD_EVENTS_CALLS, TD_CLOCKS_EVENTS },
	{ "gpu_copy", OF_KIND("gpu_op", "'copy', 'set'"), "copies of GPU memory", HAS_GPU,
	  TD_EVENTS_OTHER, TD_CLOCKS_EVENTS },
	{ "gpu_kernel", OF_KIND("gpu_op", "'kernel'"), "GPU kernels", HAS_GPU, TD_EVENTS_OTHER,
	  TD_CLOCKS_EVENTS },
	{ "gpu_op", "SELECT EXISTS (SELECT 1 FROM gpu_op)", "GPU kernels or copies", HAS_GPU,
	  TD_EVENTS_OTHER, TD_CLOCKS_EVENTS },
	{ "gpu_phase", "SELECT EXISTS (SELECT 1 FROM gpu_phase)", "GPU activity",
	  "'tracedb record --gpu' samples it, as does 'nvidia-smi pmon -o DT' beside the program",
	  0, TD_CLOCKS_EVENTS | TD_CLOCKS_SAMPLES },
	{ "gpu_util",
	  "SELECT EXISTS (SELECT 1 FROM track AS t JOIN device AS d ON d.id = t.device_id"
	  " WHERE d.kind = 'gpu')",
	  "GPU samples",
	  "'tracedb record --gpu' takes them, as does 'nvidia-smi pmon -o DT' beside the program",
	  0, TD_CLOCKS_SAMPLES },
	{ "issue_count", "SELECT EXISTS (SELECT 1 FROM issue_count)", "issues",
	  "every line could be used", 0, 0 },
	{ "log_run", "SELECT count(*) > 1 FROM training_runs", "several runs of a training program",
	  "import their logs", 0, TD_CLOCKS_SPANS },
	{ "loss", "SELECT EXISTS (SELECT 1 FROM loss)", "figures of events made and lost",
	  "only 'tracedb record' writes them", 0, 0 },
	{ "malloc", "SELECT EXISTS (SELECT 1 FROM summary WHERE name = 'malloc.calls')",
	  "counts of allocations", "'tracedb record -e malloc' counts them", TD_EVENTS_OTHER, 0 },
	{ "mark", "SELECT EXISTS (SELECT 1 FROM mark)", "marks", "import an MLPerf log", 0,
	  TD_CLOCKS_SPANS },
	{ "nccl_call",
	  "SELECT EXISTS (SELECT 1 FROM op WHERE layer = 'cuda' AND name LIKE 'nccl%')",
	  "calls of NCCL", "'tracedb record -e cuda' has them", TD_EVENTS_OTHER, TD_CLOCKS_EVENTS },
	{ "nested_stat", "SELECT EXISTS (SELECT 1 FROM nested_stat)", "calls inside other calls",
	  "trace both system calls and the vfs calls that they make", TD_EVENTS_CALLS,
	  TD_CLOCKS_EVENTS },
	{ "nvtx", OF_KIND("span", "'nvtx'"), "NVTX ranges",
	  "'tracedb record --cuda' has them, as do nsys exports, of a program that marks them",
	  TD_EVENTS_OTHER, TD_CLOCKS_EVENTS },
	{ "op_stat", "SELECT EXISTS (SELECT 1 FROM op WHERE layer <> 'cuda')", "calls", HAS_CALLS,
	  TD_EVENTS_CALLS, TD_CLOCKS_EVENTS },
	{ "phase_interval", "SELECT EXISTS (SELECT 1 FROM phase_interval)",
	  "finished training phases", ADD_LOG, 0, TD_CLOCKS_SPANS },
	{ "phases", OF_KIND("span", "'phase'"), "training phases", ADD_LOG, 0, TD_CLOCKS_SPANS },
	{ "process", "SELECT EXISTS (SELECT 1 FROM process)", "processes",
	  "import a trace that names them, or the output of ps", 0, 0 },
	{ "sample", "SELECT EXISTS (SELECT 1 FROM sample)", "samples",
	  "'tracedb record --cpu --gpu' takes them, as do nvidia-smi pmon and mpstat", 0,
	  TD_CLOCKS_SAMPLES },
	{ "sched_slice", "SELECT EXISTS (SELECT 1 FROM sched_slice)", "scheduling data",
	  "'tracedb record -e sched' records it, as do perf record -e sched:sched_switch and nsys",
	  TD_EVENTS_OTHER, TD_CLOCKS_EVENTS },
	{ "segment", "SELECT EXISTS (SELECT 1 FROM segment)", "events with a time",
	  "import a trace of calls, GPU samples or an MLPerf log", TD_EVENTS_ALL, TD_CLOCKS_ALL },
	{ "source", "SELECT EXISTS (SELECT 1 FROM source)", "sources", "import some logs", 0, 0 },
	{ "span", "SELECT EXISTS (SELECT 1 FROM span)", "training phases", ADD_LOG, 0,
	  TD_CLOCKS_SPANS },
	{ "summary", "SELECT EXISTS (SELECT 1 FROM summary)", "summaries",
	  "import a log with histograms or count tables", TD_EVENTS_OTHER, 0 },
};

const struct td_need *td_need_find(const char *name)
{
	for (size_t i = 0; i < TD_ARRAY_SIZE(table); i++)
		if (strcmp(table[i].name, name) == 0)
			return &table[i];
	return NULL;
}

/* 0 it is not there, 1 it is, or -errno. */
static int has(sqlite3 *db, const struct td_need *need, struct td_err *err)
{
	_cleanup_(td_db_put_backp) sqlite3_stmt *stmt = NULL;
	int rc = td_db_prepare(db, need->check, &stmt);

	if (rc == SQLITE_OK)
		rc = sqlite3_step(stmt);
	if (rc != SQLITE_ROW)
		return td_db_error(db, rc, err, "cannot see whether there are %s", need->what);
	return sqlite3_column_int(stmt, 0) != 0;
}

static int known(const struct td_report *rep, const char **list, struct td_err *err)
{
	for (; list && *list; list++)
		if (!td_need_find(*list))
			return td_err_set(err, -EINVAL, "report '%s': unknown need '%s'", rep->name,
					  *list);
	return 0;
}

int td_needs_known(const struct td_report *rep, struct td_err *err)
{
	int r = known(rep, rep->needs, err);

	if (r == 0)
		r = known(rep, rep->needs_any, err);
	return r < 0 ? r : known(rep, rep->uses, err);
}

/* The name of the database as a command takes it here. */
static void add_db_name(struct td_strbuf *b, sqlite3 *db)
{
	const char *path = td_db_path(db);
	char here[PATH_MAX];
	size_t len;

	if (!path || !*path)
		path = "DB"; /* it has none */
	len = getcwd(here, sizeof(here)) ? strlen(here) : 0;
	if (len && strncmp(path, here, len) == 0 && path[len] == '/')
		path += len + 1;
	td_printable(b, path, strlen(path));
}

void td_need_add_how(struct td_strbuf *b, sqlite3 *db, const struct td_need *need)
{
	const char *at = strstr(need->how, DB);

	if (!at) {
		td_strbuf_adds(b, need->how);
		return;
	}
	td_strbuf_add(b, need->how, (size_t)(at - need->how));
	add_db_name(b, db);
	td_strbuf_adds(b, at + strlen(DB));
}

static void add_missing(struct td_strbuf *b, sqlite3 *db, const struct td_need *need)
{
	td_strbuf_addf(b, "no %s: ", need->what);
	td_need_add_how(b, db, need);
}

int td_needs_check(sqlite3 *db, const struct td_report *rep, struct td_strbuf *missing,
		   struct td_err *err)
{
	int r;

	for (const char **n = rep->needs; n && *n; n++) {
		const struct td_need *need = td_need_find(*n);

		r = has(db, need, err);
		if (r < 0)
			return r;
		if (r == 0) {
			add_missing(missing, db, need);
			return td_strbuf_error(missing) < 0 ? -ENOMEM : 1;
		}
	}
	for (const char **n = rep->needs_any; n && *n; n++) {
		const struct td_need *need = td_need_find(*n);

		r = has(db, need, err);
		if (r < 0)
			return r;
		if (r > 0) {
			td_strbuf_reset(missing);
			return 0;
		}
		td_strbuf_adds(missing, n == rep->needs_any ? "" : "; or ");
		add_missing(missing, db, need);
	}
	return td_strbuf_error(missing) < 0 ? -ENOMEM : rep->needs_any != NULL;
}

static void add_path(struct td_strbuf *b, sqlite3_stmt *row)
{
	const char *path = (const char *)sqlite3_column_text(row, 0);

	if (path) /* none: out of memory, which the next step tells */
		td_printable(b, path, strlen(path));
}

static void add_number(struct td_strbuf *b, sqlite3_stmt *row)
{
	char n[TD_UNITS_BUF];

	td_strbuf_addf(b, "%s in ", td_format_count(n, sizeof(n), sqlite3_column_int64(row, 1)));
	add_path(b, row);
}

static void add_uncertain(struct td_strbuf *b, sqlite3_stmt *row)
{
	char n[TD_UNITS_BUF];

	add_path(b, row);
	td_strbuf_addf(b, " to +-%s", td_format_dur(n, sizeof(n), sqlite3_column_int64(row, 1)));
}

/* By how much the clock of a machine is ahead. */
static void add_ahead(struct td_strbuf *b, sqlite3_stmt *row)
{
	add_path(b, row);
	if (sqlite3_column_type(row, 1) == SQLITE_NULL ||
	    sqlite3_column_int64(row, 1) > sqlite3_column_int64(row, 2))
		td_strbuf_adds(b, " by an unknown time");
	else
		td_strbuf_addf(b, " by %+.3f to %+.3f s",
			       (double)sqlite3_column_int64(row, 1) / 1e9,
			       (double)sqlite3_column_int64(row, 2) / 1e9);
}

#define MISSING ">= at least, <= at most, ~ either way: "

/* A note is one line: intro, then a piece per source. */
struct note {
	const char *sql; /* path and a number of each source that it is about */
	const char *intro;
	void (*add)(struct td_strbuf *b, sqlite3_stmt *row);
};

/* Sources that can hold events of which the report is made, ?1, enum td_events. */
#define EVENTS_WITH                                                                                \
	"WITH used AS MATERIALIZED (SELECT * FROM source_loss"                                     \
	" WHERE ?1 & (has_calls + 2 * has_blocks + 4 * has_other)) "

/* Each is a note. */
static const struct damage {
	enum td_damage damage;
	const char *intro;
	void (*add)(struct td_strbuf *b, sqlite3_stmt *row);
} damages[] = {
	{ TD_DAMAGE_EVENTS, MISSING "events lost: ", add_number },
	{ TD_DAMAGE_EVENTS, MISSING "lines that could not be used: ", add_number },
	{ TD_DAMAGE_EVENTS, MISSING "the end is missing of ", add_path },
	{ TD_DAMAGE_TWICE, MISSING "calls count twice that another source has, too: in ",
	  add_path },
	{ TD_DAMAGE_WRAPS,
	  ">= durations: multiples of 4.29 s are missing where 32 bits wrapped: ", add_number },
	{ 0,
	  "times: only the order of calls is known, as no line says when (strace: -t or -r), in ",
	  add_path },
	{ 0,
	  "missing: reads and writes by io_uring and io_submit, of which only the calls that ask "
	  "for them are seen: ",
	  add_number },
};

/* Path, number and which of the damages, note by note: one statement, as preparing one takes longer than all else, and each
 * name of a view is another copy of it that is prepared. */
static const char damaged[] = EVENTS_WITH
	"SELECT u.path, CASE d.column1 WHEN 0 THEN u.lost_events WHEN 1 THEN u.unusable_lines"
	" WHEN 4 THEN u.wrapped WHEN 6 THEN i.count ELSE 0 END AS n, d.column1 AS damage"
	" FROM used AS u CROSS JOIN (VALUES (0), (1), (2), (3), (4), (5), (6)) AS d"
	" LEFT JOIN issue_count AS i ON ?1 & u.has_calls AND i.source_id = u.source_id"
	" AND i.kind = CASE d.column1 WHEN 3 THEN 'duplicate-calls' WHEN 5 THEN 'no-time-stamps'"
	" WHEN 6 THEN 'requests-unseen' END"
	" WHERE CASE d.column1 WHEN 0 THEN u.lost_events > 0 WHEN 1 THEN u.unusable_lines > 0"
	" WHEN 2 THEN u.is_cut WHEN 4 THEN u.wrapped > 0 ELSE i.source_id IS NOT NULL END"
	" ORDER BY damage, n DESC, path";
enum { DAMAGE = 2 }; /* its column */

/* Of the sources whose clocks a report depends on; ?1, ?2, ?3: whether those with events, samples and
 * spans are among them. A source that has neither tracks, nor training phases, nor marks has events:
 * there are too many of these to look, and of the spans of a profile, too. One source alone has nothing
 * that it could be off from. */
#define CLOCKS_WITH                                                                                \
	"WITH sampled AS (SELECT source_id AS id FROM track),"                                     \
	" marked AS (SELECT source_id AS id FROM log_run UNION SELECT source_id FROM mark),"       \
	" used AS MATERIALIZED (SELECT path, clock_error_ns FROM source"                           \
	" WHERE first_ns IS NOT NULL AND CASE WHEN id IN sampled THEN ?2"                          \
	" WHEN id IN marked THEN ?3 ELSE ?1 END) "

static const struct note clock_notes[] = {
	{ CLOCKS_WITH "SELECT path, 0 FROM used WHERE clock_error_ns IS NULL"
		      " AND (SELECT count(*) FROM used) > 1 ORDER BY path",
	  "clocks: times cannot be compared with other sources' in ", add_path },
	{ CLOCKS_WITH "SELECT path, clock_error_ns FROM used WHERE clock_error_ns > 100000000"
		      " AND (SELECT count(*) FROM used) > 1 ORDER BY clock_error_ns DESC, path",
	  "clocks: times are known only in ", add_uncertain },
};

/* Machines of which there are sources, but for the first one, which has the least rank. No rank
 * ends a run before the last one has begun it: that bounds how far its clock is ahead. */
static const struct note machines_note = {
	"WITH machine AS (SELECT host, min(coalesce(rank, 1 << 31)) AS rank, min(id) AS id FROM "
	"source"
	" WHERE first_ns IS NOT NULL AND host IS NOT NULL GROUP BY host),"
	" first AS (SELECT host FROM machine ORDER BY rank, id LIMIT 1),"
	" went AS (SELECT o.host, l.run_number, max(l.start_ns) AS begin_ns, min(l.end_ns) AS "
	"end_ns"
	" FROM log_run AS l JOIN source AS o ON o.id = l.source_id GROUP BY 1, 2) "
	"SELECT m.host, max(b.begin_ns - a.end_ns), min(b.end_ns - a.begin_ns)"
	" FROM first AS f CROSS JOIN machine AS m LEFT JOIN went AS a ON a.host = f.host"
	" LEFT JOIN went AS b ON b.host = m.host AND b.run_number = a.run_number"
	" WHERE m.host <> f.host GROUP BY m.host ORDER BY m.rank, m.id",
	"clocks: each machine's times are by its own clock; ahead of the first one's: ", add_ahead
};

/* Binds the bits of what to the parameters if there are several, else all of it to the one. */
static int prepare(sqlite3 *db, const char *sql, unsigned what, sqlite3_stmt **ret,
		   struct td_err *err)
{
	int rc = sqlite3_prepare_v2(db, sql, -1, ret, NULL), n;

	n = rc == SQLITE_OK ? sqlite3_bind_parameter_count(*ret) : 0;
	for (int i = 1; rc == SQLITE_OK && i <= n; i++)
		rc = sqlite3_bind_int(*ret, i, n == 1 ? (int)what : (what & 1U << (i - 1)) != 0);
	return rc == SQLITE_OK ? 0 : td_db_error(db, rc, err, "cannot read the sources");
}

/* A piece of a note that has n before it. */
static void add_piece(struct td_strbuf *notes, sqlite3_stmt *row, size_t n, const char *intro,
		      void (*add)(struct td_strbuf *b, sqlite3_stmt *row))
{
	if (n >= NAMES_SHOWN)
		return;
	td_strbuf_adds(notes, n == 0 ? intro : ", ");
	add(notes, row);
}

/* Of n pieces, if there are any. */
static void end_note(struct td_strbuf *notes, size_t n)
{
	if (n > NAMES_SHOWN)
		td_strbuf_addf(notes, " and %zu more", n - NAMES_SHOWN);
	if (n)
		td_strbuf_addc(notes, '\n');
}

static int add_note(sqlite3 *db, const struct note *note, unsigned what, struct td_strbuf *notes,
		    struct td_err *err)
{
	_cleanup_(sqlite3_finalizep) sqlite3_stmt *stmt = NULL;
	int r = prepare(db, note->sql, what, &stmt, err), rc;
	size_t n = 0;

	if (r < 0)
		return r;
	while ((rc = sqlite3_step(stmt)) == SQLITE_ROW)
		add_piece(notes, stmt, n++, note->intro, note->add);
	if (rc != SQLITE_DONE)
		return td_db_error(db, rc, err, "cannot read the sources");
	end_note(notes, n);
	return td_strbuf_error(notes);
}

static int add_damages(sqlite3 *db, unsigned events, struct td_strbuf *notes, unsigned *damage,
		       struct td_err *err)
{
	_cleanup_(sqlite3_finalizep) sqlite3_stmt *stmt = NULL;
	const struct damage *before = NULL;
	int r = prepare(db, damaged, events, &stmt, err), rc;
	size_t n = 0;

	if (r < 0)
		return r;
	while ((rc = sqlite3_step(stmt)) == SQLITE_ROW) {
		const struct damage *is = &damages[sqlite3_column_int(stmt, DAMAGE)];

		if (is != before)
			end_note(notes, n);
		n = is == before ? n : 0;
		add_piece(notes, stmt, n++, is->intro, is->add);
		*damage |= is->damage;
		before = is;
	}
	if (rc != SQLITE_DONE)
		return td_db_error(db, rc, err, "cannot read the sources");
	end_note(notes, n);
	return td_strbuf_error(notes);
}

/* What needs and uses of a report say together. */
struct survey {
	size_t timed; /* how many of them have times */
	unsigned events, clocks;
};

static void survey_list(struct survey *s, const char **list)
{
	for (; list && *list; list++) {
		const struct td_need *need = td_need_find(*list);

		s->timed += need->clocks != 0;
		s->clocks |= need->clocks;
		s->events |= need->events;
	}
}

static struct survey survey(const struct td_report *rep)
{
	struct survey s = { 0 };

	survey_list(&s, rep->needs);
	survey_list(&s, rep->needs_any);
	survey_list(&s, rep->uses);
	return s;
}

unsigned td_needs_clocks(const struct td_report *rep)
{
	return survey(rep).clocks;
}

/* What has but one kind of times compares nothing. */
static bool compares_times(const struct survey *s)
{
	return s->timed > 1 || (s->clocks & (s->clocks - 1));
}

static int add_notes(sqlite3 *db, const struct survey *s, struct td_strbuf *notes, unsigned *damage,
		     struct td_err *err)
{
	int r;

	*damage = 0;
	r = s->events ? add_damages(db, s->events, notes, damage, err) : 0;
	for (size_t i = 0; i < TD_ARRAY_SIZE(clock_notes) && r == 0; i++) {
		size_t before = notes->len;

		if (compares_times(s))
			r = add_note(db, &clock_notes[i], s->clocks, notes, err);
		*damage |= notes->len > before ? TD_DAMAGE_CLOCKS : 0;
	}
	return r;
}

/* Does it put machines on one clock itself, and say how well? */
static bool tells_clocks(const struct td_report *rep)
{
	for (size_t i = 0; i < rep->ncolumns; i++)
		if (strcmp(rep->columns[i].name, "clock_error_ns") == 0)
			return true;
	return false;
}

int td_needs_notes(sqlite3 *db, const struct td_report *rep, bool by_phase, struct td_strbuf *notes,
		   unsigned *damage, struct td_err *err)
{
	struct survey s = survey(rep);
	int r;

	s.clocks |= by_phase ? TD_CLOCKS_SPANS : 0;
	s.timed += by_phase;
	r = add_notes(db, &s, notes, damage, err);
	return r < 0 || !compares_times(&s) || tells_clocks(rep)
		       ? r
		       : add_note(db, &machines_note, 0, notes, err);
}

int td_needs_notes_of(sqlite3 *db, unsigned events, unsigned clocks, struct td_strbuf *notes,
		      unsigned *damage, struct td_err *err)
{
	struct survey s = { .events = events, .clocks = clocks };

	return add_notes(db, &s, notes, damage, err);
}

int td_needs_lost(sqlite3 *db, const struct td_report *rep, double *ret, struct td_err *err)
{
	static const char sql[] =
		EVENTS_WITH "SELECT max(1.0 * (u.lost_events + u.unusable_lines)"
			    " / (s.rows + u.lost_events + u.unusable_lines))"
			    " FROM used AS u JOIN source AS s ON s.id = u.source_id"
			    " WHERE u.lost_events + u.unusable_lines > 0";
	_cleanup_(sqlite3_finalizep) sqlite3_stmt *stmt = NULL;
	int r = prepare(db, sql, survey(rep).events, &stmt, err), rc;

	if (r < 0)
		return r;
	rc = sqlite3_step(stmt);
	if (rc != SQLITE_ROW)
		return td_db_error(db, rc, err, "cannot read the sources");
	*ret = sqlite3_column_double(stmt, 0);
	return 0;
}
