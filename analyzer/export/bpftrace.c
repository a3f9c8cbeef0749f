/* SPDX-License-Identifier: MIT */
/*
 * The database's rows as lines of text (analyzer/export/layouts.c says which). What the layouts have no place for is
 * left out and counted; what they have a place for comes back when the files are imported, but for
 *
 *     times      are of one clock: UTC less a boot time, which is that of the database where it has one. The
 *                column TIME is local time by the database's own zone. trace_time_align.out has two lines per second.
 *     latencies  that are not known are nsecs, as in the scripts, which subtract 0 then
 *     losses     of the tracers that the rows are from: "Lost N events" at the end, as bpftrace writes it
 *     newlines   in a name are '?'
 */
#include "analyzer/export/files.h"
#include "analyzer/export/text.h"
#include "common/caldate.h"
#include "common/cleanup.h"
#include "common/scan.h"
#include "common/units.h"
#include "schema/db.h"
#include "schema/table.h"

#include <fcntl.h>
#include <limits.h>
#include <sys/stat.h>

#define TIME_MAX INT64_C(4000000000000000000) /* ns, as of imports */
#define ZONE_MAX_S (15 * 3600)
#define LOST_MAX (INT64_C(1) << 40) /* of a source: of 65535 they can be added */
#define MAX_ROWS TD_ARRAY_SIZE(((struct td_export_file *)NULL)->rows)
#define MAX_SOURCES 65536
#define ALIGN_NAME "trace_time_align.out"
#define ALIGN_HEAD "Attaching 1 probe...\nTIMESTAMP       TIME    \n"
#define ALIGN_MAX_S 120 /* as long as the script was let run */
/* A machine that has been up for eleven days, where the database does not say. */
#define UPTIME_NS INT64_C(1000000000000000)

/* Both statements: when it ended, source, operation, then the fields in their order. A flush has no sector, which
 * the scripts print as the largest one; of what has no name the layouts have '-', but no place for 'no process'. */
/* clang-format off */
static const char calls_sql[] =
	"SELECT c.start_ns + coalesce(c.dur_ns, 0) AS end_ns, c.source_id, o.name, coalesce(p.pid, 0), "
	"coalesce(p.name, '-'), c.dur_ns, c.ret, c.fd, coalesce(c.asked_bytes, "
	"CASE WHEN o.verb IN ('read', 'write') THEN max(c.ret, 0) END), c.offset_bytes, "
	"coalesce(f.path, f.name, ''), coalesce(f.name, ''), "
	"CASE WHEN c.ret < 0 THEN '' ELSE coalesce(f.name, '') END, NULL, NULL, NULL, "
	"CASE o.verb WHEN 'read' THEN 'R' ELSE 'W' END, NULL, NULL "
	"FROM call AS c JOIN op AS o ON o.id = c.op_id "
	"LEFT JOIN process AS p ON p.id = c.process_id LEFT JOIN file AS f ON f.id = c.file_id "
	"WHERE c.op_id IN (SELECT id FROM op WHERE instr(:verbs, ' ' || verb || ' ') "
	"AND (layer = :layer OR name = :also)) ORDER BY end_ns, c.id";
static const char blocks_sql[] =
	"SELECT b.start_ns + coalesce(b.dur_ns, 0) AS end_ns, b.source_id, '', coalesce(p.pid, 0), "
	"coalesce(p.name, '-'), b.dur_ns, NULL, NULL, NULL, NULL, NULL, NULL, NULL, "
	"coalesce(q.pid, 0), coalesce(q.name, '-'), coalesce(d.name, '-'), "
	"CASE b.op WHEN 0 THEN 'R' WHEN 1 THEN 'W' ELSE 'N' END, coalesce(b.sector, -1), b.bytes "
	"FROM block_request AS b LEFT JOIN process AS p ON p.id = b.process_id "
	"LEFT JOIN process AS q ON q.id = b.done_process_id "
	"LEFT JOIN device AS d ON d.id = b.device_id ORDER BY end_ns, b.id";
/* clang-format on */

struct writer {
	struct td_export *job;
	struct td_err *err;
	struct td_export_clock clock;
	int64_t first_ns, last_ns; /* UTC of what was written; TD_NULL: nothing */
	int64_t nrows; /* in all files */
	uint8_t lost[MAX_SOURCES / 8]; /* sources whose loss has been said */
	struct td_export_files files;
};

/* --- what is written --- */

/* One number, or fallback if it is NULL or there is no row. */
static int64_t number(sqlite3 *db, const char *sql, int64_t fallback)
{
	_cleanup_(sqlite3_finalizep) sqlite3_stmt *s = NULL;

	if (sqlite3_prepare_v2(db, sql, -1, &s, NULL) != SQLITE_OK ||
	    sqlite3_step(s) != SQLITE_ROW || sqlite3_column_type(s, 0) == SQLITE_NULL)
		return fallback;
	return sqlite3_column_int64(s, 0);
}

/* The database may be damaged: nothing that is made of these numbers may overflow. */
static int64_t within(int64_t n, int64_t min, int64_t max)
{
	return n < min ? min : TD_MIN(n, max);
}

static void set_clock(struct writer *w)
{
	int64_t start_ns = number(w->job->db, "SELECT start_ns FROM run", UPTIME_NS);
	int64_t zone_s = number(w->job->db, "SELECT utc_offset_s FROM run", 0);

	start_ns = within(start_ns, 0, TIME_MAX);
	w->clock.zone_ns = within(zone_s, -ZONE_MAX_S, ZONE_MAX_S) * TD_SEC_NS;
	w->clock.boot_ns = number(w->job->db,
				  "SELECT clock_offset_ns FROM source WHERE clock = 'boot' AND "
				  "clock_offset_ns IS NOT NULL ORDER BY id LIMIT 1",
				  start_ns - UPTIME_NS);
	w->clock.boot_ns = within(w->clock.boot_ns, -TIME_MAX, TIME_MAX);
	if (w->clock.boot_ns > start_ns - TD_SEC_NS) /* of another machine, or another time */
		w->clock.boot_ns = start_ns - UPTIME_NS;
	w->first_ns = w->last_ns = TD_NULL;
}

/* The first of the file's layers that has calls with its verbs; "" if none has. */
static int choose_layer(struct writer *w, const struct td_export_file *file, const char **ret)
{
	static const char sql[] = "SELECT count(*) FROM op AS o WHERE o.layer = ? AND "
				  "instr(?, ' ' || o.verb || ' ') AND "
				  "EXISTS (SELECT 1 FROM op_stat AS s WHERE s.op_id = o.id)";
	_cleanup_(sqlite3_finalizep) sqlite3_stmt *s = NULL;
	int rc = sqlite3_prepare_v2(w->job->db, sql, -1, &s, NULL);

	*ret = "";
	for (size_t i = 0; rc == SQLITE_OK && i < TD_ARRAY_SIZE(file->layers) && file->layers[i];
	     i++) {
		(void)sqlite3_bind_text(s, 1, file->layers[i], -1, SQLITE_STATIC);
		(void)sqlite3_bind_text(s, 2, file->verbs, -1, SQLITE_STATIC);
		rc = sqlite3_step(s);
		if (rc != SQLITE_ROW)
			break;
		if (sqlite3_column_int64(s, 0)) {
			*ret = file->layers[i];
			return 0;
		}
		rc = sqlite3_reset(s);
	}
	return rc == SQLITE_OK ? 0 : td_db_error(w->job->db, rc, w->err, "cannot read operations");
}

static int prepare(struct writer *w, const struct td_export_file *file, sqlite3_stmt **ret)
{
	const char *sql = file->verbs ? calls_sql : blocks_sql, *layer = "";
	int rc, r = file->verbs ? choose_layer(w, file, &layer) : 0;

	if (r < 0)
		return r;
	rc = sqlite3_prepare_v2(w->job->db, sql, -1, ret, NULL);
	if (rc != SQLITE_OK)
		return td_db_error(w->job->db, rc, w->err, "cannot read the rows");
	if (!file->verbs)
		return 0;
	(void)sqlite3_bind_text(*ret, 1, file->verbs, -1, SQLITE_STATIC);
	(void)sqlite3_bind_text(*ret, 2, layer, -1, SQLITE_STATIC);
	(void)sqlite3_bind_text(*ret, 3, file->also ? file->also : "", -1, SQLITE_STATIC);
	return 0;
}

/* What the tracer of a source lost is said in the first file that has rows of it. */
static int64_t take_loss(struct writer *w, int64_t source_id)
{
	uint64_t id = (uint64_t)source_id;
	uint8_t *byte = &w->lost[id % MAX_SOURCES / 8], bit = (uint8_t)(1 << id % 8);
	char sql[96];

	if (*byte & bit)
		return 0;
	*byte |= bit;
	(void)snprintf(sql, sizeof(sql), "SELECT lost_events FROM source WHERE id = %lld",
		       (long long)source_id);
	return within(number(w->job->db, sql, 0), 0, LOST_MAX);
}

static bool is_time(int64_t ns)
{
	return ns >= -TIME_MAX && ns <= TIME_MAX;
}

static int write_rows(struct writer *w, const struct td_export_file *file, FILE *out,
		      int64_t *ret_written, int64_t *ret_unfit)
{
	_cleanup_(sqlite3_finalizep) sqlite3_stmt *s = NULL;
	struct td_export_line rows[MAX_ROWS];
	int64_t lost = 0, source_id = -1;
	size_t nrows = 0;
	int rc, r = prepare(w, file, &s);

	if (r < 0)
		return r;
	for (; nrows < MAX_ROWS && file->rows[nrows].format; nrows++)
		td_export_compile(&file->rows[nrows], &rows[nrows]);
	while ((rc = sqlite3_step(s)) == SQLITE_ROW) {
		size_t i = 0;

		while (i < nrows && !td_export_fits(&rows[i], s))
			i++;
		if (i == nrows || !is_time(sqlite3_column_int64(s, 0))) {
			++*ret_unfit;
			continue;
		}
		td_export_put(&w->clock, out, &rows[i], s);
		if (ferror_unlocked(out)) /* errno is that of the write now, and not for long */
			return td_err_errno(w->err, errno ? -errno : -EIO, "cannot write '%s'",
					    w->files.outputs[w->files.n - 1].path);
		++*ret_written;
		w->last_ns = sqlite3_column_int64(s, 0);
		w->first_ns = w->first_ns == TD_NULL ? w->last_ns : TD_MIN(w->first_ns, w->last_ns);
		if (source_id != sqlite3_column_int64(s, 1)) {
			source_id = sqlite3_column_int64(s, 1);
			lost += take_loss(w, source_id);
		}
	}
	if (rc != SQLITE_DONE)
		return td_db_error(w->job->db, rc, w->err, "cannot read the rows");
	if (lost)
		fprintf(out, "Lost %lld events\n", (long long)lost);
	return 0;
}

/* --- files --- */

static int open_output(struct writer *w, const char *name, FILE **ret)
{
	char path[PATH_MAX];

	(void)snprintf(path, sizeof(path), "%s/%s", w->job->target, name);
	return td_export_open(&w->files, path, ret, w->err);
}

static int write_file(struct writer *w, const struct td_export_file *file)
{
	_cleanup_fclose_ FILE *f = NULL;
	int64_t written = 0, unfit = 0;
	char n[TD_UNITS_BUF];
	int r = open_output(w, file->name, &f);

	if (r < 0)
		return r;
	(void)fputs(file->head, f);
	r = write_rows(w, file, f, &written, &unfit);
	if (r < 0)
		return r;
	w->nrows += written;
	td_strbuf_addf(&w->job->notes, "%s/%s, %s: %s\n", w->job->target, file->name, file->unit,
		       td_format_count(n, sizeof(n), written));
	if (unfit)
		td_strbuf_addf(
			&w->job->notes,
			"%s/%s, left out because the layout needs what is not known of them: %s\n",
			w->job->target, file->name, td_format_count(n, sizeof(n), unfit));
	return td_export_close(&w->files, TAKE_PTR(f), w->err);
}

/* At each full second of local time: the last microsecond before it, and itself. */
static int write_align(struct writer *w)
{
	_cleanup_fclose_ FILE *f = NULL;
	int64_t from_ns = (w->first_ns / TD_SEC_NS + 1) * TD_SEC_NS;
	int r = open_output(w, ALIGN_NAME, &f);

	if (r < 0)
		return r;
	(void)fputs(ALIGN_HEAD, f);
	for (int64_t s = 0; s < ALIGN_MAX_S && from_ns + s * TD_SEC_NS <= w->last_ns; s++) {
		for (int64_t before_ns = 1000; before_ns >= 0; before_ns -= 1000) {
			int64_t utc_ns = from_ns + s * TD_SEC_NS - before_ns;
			char text[16];

			(void)td_export_time_of_day(&w->clock, utc_ns, text, sizeof(text));
			fprintf(f, "%-17lld %s\n", (long long)(utc_ns - w->clock.boot_ns), text);
		}
	}
	return td_export_close(&w->files, TAKE_PTR(f), w->err);
}

static void note_rest(struct writer *w)
{
	int64_t calls = number(w->job->db, "SELECT count(*) FROM call", 0) +
			number(w->job->db, "SELECT count(*) FROM block_request", 0);
	char n[TD_UNITS_BUF];

	if (calls > w->nrows)
		td_strbuf_addf(&w->job->notes,
			       "in the database, but not in these files, calls and requests: %s\n",
			       td_format_count(n, sizeof(n), calls - w->nrows));
	td_strbuf_addf(&w->job->notes,
		       "times count from boot: 'tracedb import --clock boot=%lld %s' brings back "
		       "the very same\n",
		       (long long)w->clock.boot_ns, w->job->target);
}

static int write_all(struct writer *w, const struct td_export_file *files, bool align)
{
	int r = 0;

	for (size_t i = 0; r == 0 && files[i].name; i++)
		r = write_file(w, &files[i]);
	if (r == 0 && !w->nrows)
		return td_err_set(w->err, -ENODATA,
				  "there are no calls and no requests to disks in the database");
	if (r == 0 && align)
		r = write_align(w);
	return r == 0 ? td_export_name(&w->files, w->err) : r;
}

static int export_bpftrace(const struct td_exporter *self, struct td_export *job,
			   struct td_err *err)
{
	const struct td_export_file *files = self->how;
	bool align = files == td_export_split;
	_cleanup_free_ struct writer *w = calloc(1, sizeof(*w));
	int r;

	if (!w)
		return -ENOMEM;
	w->job = job;
	w->err = err;
	set_clock(w);
	w->files.force = job->force;
	if (mkdir(job->target, 0777) < 0 && errno != EEXIST)
		return td_err_errno(err, -errno, "cannot make the folder '%s'", job->target);
	r = write_all(w, files, align);
	td_export_files_done(&w->files);
	if (r == 0)
		note_rest(w);
	return r < 0 ? r : td_strbuf_error(&job->notes);
}

const struct td_exporter td_exporter_bpftrace = {
	.name = "bpftrace",
	.target = "FOLDER",
	.desc = "bio.out, open.out and vfs_rw.out, as the scripts of mlperf-traces print them",
	.run = export_bpftrace,
	.how = td_export_dgx1,
};

const struct td_exporter td_exporter_bpftrace_split = {
	.name = "bpftrace-split",
	.target = "FOLDER",
	.desc = "trace_read.out, trace_write.out, ...: one file per system call, as later scripts "
		"do",
	.run = export_bpftrace,
	.how = td_export_split,
};
