/* SPDX-License-Identifier: MIT */
/*
 * The bpftrace files of whole runs, against what the runs' oracle.json says is in them: rows, bytes and
 * latencies of what survived, losses, interleaved lines, repairs. Needs TRACEDB_CORPUS.
 */
#include <cjson/cJSON.h>

#include "importers/core/importers.h"
#include "tests/unit/import.h"

TD_DEFINE_CLEANUP(cJSON *, cJSON_Delete)

static const cJSON *member(const cJSON *o, const char *name)
{
	return cJSON_GetObjectItemCaseSensitive(o, name);
}

/* -1 if it is not there. All numbers in it are below 2^53. */
static int64_t number(const cJSON *o, const char *name)
{
	const cJSON *n = member(o, name);

	return cJSON_IsNumber(n) ? (int64_t)n->valuedouble : -1;
}

static int64_t element(const cJSON *array, int i)
{
	return (int64_t)cJSON_GetArrayItem(array, i)->valuedouble;
}

/* Calls or requests added up. */
struct sums {
	int64_t n, failed, bytes, lat;
};

static struct sums sum_calls(const struct td_imported *in, const char *verb, int64_t pid,
			     const char *file)
{
	struct sums s = { 0 };

	for (size_t i = 0; i < in->ncalls; i++) {
		const struct td_call *c = &in->calls[i];

		if (verb && !td_str_ends((struct td_str){ td_op_name_of(in, c),
							  strlen(td_op_name_of(in, c)) },
					 verb))
			continue;
		if (pid && td_process_of(in, c->process_id)->pid != pid)
			continue;
		if (file && !td_str_eq(td_file_of(in, c->file_id)->name, file))
			continue;
		s.n++;
		s.failed += c->ret != TD_NULL && c->ret < 0;
		s.bytes += c->done_bytes == TD_NULL ? 0 : c->done_bytes;
		s.lat += c->dur_ns == TD_NULL ? 0 : c->dur_ns;
	}
	return s;
}

static struct sums sum_blocks(const struct td_imported *in, int op)
{
	struct sums s = { 0 };

	for (size_t i = 0; i < in->nblocks; i++) {
		if (in->blocks[i].op != op)
			continue;
		s.n++;
		s.bytes += in->blocks[i].bytes;
		s.lat += in->blocks[i].dur_ns;
	}
	return s;
}

static void check_source(const struct td_imported *in, const cJSON *f)
{
	int64_t spoilt = TD_MAX(number(f, "spoilt_lines"), 0);
	int64_t wrapped = number(f, "lat_over_2_31");

	TD_CHECK_STR(in->source->importer, "bpftrace");
	TD_CHECK_INT(in->source->lines, number(f, "lines"));
	TD_CHECK_INT(in->source->lost_events, TD_MAX(number(f, "lost_events"), 0));
	TD_CHECK_INT(td_issues_of(in, "spoilt-line"), spoilt);
	TD_CHECK_INT(in->source->issues, spoilt);
	/* of two events in two spoilt lines none is used */
	TD_CHECK_INT(in->source->rows, number(f, "events") - spoilt);
	/* what was printed in 64 bits did not wrap; 'over_2_31' stops at 2^32 */
	if (wrapped >= 0 && strcmp(in->source->layout, "split/read") != 0)
		TD_CHECK_INT(td_issues_of(in, "wrapped-latency"), wrapped);
	else
		TD_CHECK_INT(td_issues_of(in, "wrapped-latency"), 0);
	TD_CHECK_INT(in->source->repaired, td_issues_of(in, "wrapped-latency"));
}

/* What survived is what was printed where nothing was spoilt. */
static int64_t surviving(const cJSON *f, const char *name)
{
	const cJSON *s = member(f, "surviving");

	return number(s ? s : f, name);
}

static void check_bio(const struct td_imported *in, const cJSON *f)
{
	struct sums r = sum_blocks(in, TD_BLOCK_READ), w = sum_blocks(in, TD_BLOCK_WRITE);

	TD_CHECK_INT(r.n + w.n, surviving(f, "events"));
	TD_CHECK_INT(in->nblocks, r.n + w.n);
	TD_CHECK_INT(r.bytes, surviving(f, "read_bytes"));
	TD_CHECK_INT(w.bytes, surviving(f, "write_bytes"));
	/* the sum is given for what was printed only */
	TD_CHECK(r.lat + w.lat < number(f, "lat_ns_true_sum"));
	TD_CHECK(r.lat + w.lat > number(f, "lat_ns_true_sum") / 1000 * 999);
}

static void check_rw(const struct td_imported *in, const cJSON *f)
{
	struct sums r = sum_calls(in, "read", 0, NULL), w = sum_calls(in, "write", 0, NULL);
	const cJSON *s = member(f, "surviving");

	TD_CHECK_INT(r.n, TD_MAX(surviving(f, "reads"), 0));
	TD_CHECK_INT(w.n, TD_MAX(surviving(f, "writes"), 0));
	TD_CHECK_INT(r.failed, TD_MAX(number(f, "failed_reads"), 0));
	TD_CHECK_INT(w.failed, 0);
	TD_CHECK_INT(r.bytes, TD_MAX(surviving(f, "read_bytes"), 0));
	TD_CHECK_INT(w.bytes, TD_MAX(surviving(f, "write_bytes"), 0));
	TD_CHECK_INT(r.lat + w.lat,
		     s ? number(s, "lat_ns_after_repair") : number(f, "lat_ns_true_sum"));
}

static void check_open(const struct td_imported *in, const cJSON *f)
{
	int64_t spoilt = TD_MAX(number(f, "spoilt_lines"), 0), cut = 0;
	struct sums o = sum_calls(in, "openat", 0, NULL), v = sum_calls(in, "vfs_open", 0, NULL);

	for (size_t i = 0; i < in->ncalls; i++)
		cut += td_file_of(in, in->calls[i].file_id)->truncated;
	TD_CHECK_INT(o.n + v.n + spoilt, number(f, "openat") + TD_MAX(number(f, "vfs_open"), 0));
	TD_CHECK(o.n <= number(f, "openat") && o.n >= number(f, "openat") - spoilt);
	if (member(f, "truncated_63")) /* printed; a spoilt line can hold one */
		TD_CHECK(cut <= number(f, "truncated_63") &&
			 cut >= number(f, "truncated_63") - spoilt);
	if (!spoilt)
		TD_CHECK_INT(o.lat + v.lat, number(f, "lat_ns_true_sum"));
}

/* Reads by process, as printed; the files that were read most; what has no name. */
static void check_reads(const struct td_imported *in, const cJSON *oracle, const cJSON *f)
{
	int64_t missing = 0, missing_bytes = 0, over = 0;
	const cJSON *e, *none = member(oracle, "anonymous_reads");
	struct sums s = sum_calls(in, "read", 0, "");

	cJSON_ArrayForEach(e, member(oracle, "reads_by_pid"))
	{
		struct td_scan pid = td_scan_of(e->string, strlen(e->string));
		int64_t id;

		TD_CHECK(td_scan_i64(&pid, &id));
		struct sums p = sum_calls(in, "read", id, NULL);
		TD_CHECK(p.n <= element(e, 0) && p.bytes <= element(e, 1));
		missing += element(e, 0) - p.n;
		missing_bytes += element(e, 1) - p.bytes;
	}
	TD_CHECK_INT(missing, number(f, "reads") - surviving(f, "reads"));
	TD_CHECK_INT(missing_bytes, number(f, "read_bytes") - surviving(f, "read_bytes"));
	TD_CHECK_INT(s.n, element(none, 0));
	TD_CHECK_INT(s.bytes, element(none, 1));
	TD_CHECK_INT(s.lat, element(none, 2));
	cJSON_ArrayForEach(e, member(oracle, "top_read_files"))
	{
		s = sum_calls(in, "read", 0, cJSON_GetArrayItem(e, 0)->valuestring);
		TD_CHECK_INT(s.n, element(e, 1));
		TD_CHECK_INT(s.bytes, element(e, 2));
		/* the true sum: a latency over 2^32 ns that was printed in 32 bits cannot be known */
		TD_CHECK_INT((element(e, 3) - s.lat) % (INT64_C(1) << 32), 0);
		over += (element(e, 3) - s.lat) >> 32;
	}
	TD_CHECK(over >= 0 && over <= number(f, "lat_over_2_32"));
}

static void check_file(const char *folder, const char *name, const cJSON *oracle, const cJSON *f)
{
	_cleanup_(td_imported_done) struct td_imported in = { 0 };
	char path[4096];

	TD_CASE(name);
	(void)snprintf(path, sizeof(path), "%s/%s", folder, name);
	td_make_store(&in);
	TD_CHECK_INT(td_import_file(in.st, path, name, &td_no_options, NULL, &in.err), 0);
	in.source = td_store_source_at(in.st, 1);
	td_collect_rows(&in);
	check_source(&in, f);
	if (strstr(name, "bio"))
		check_bio(&in, f);
	else if (strstr(name, "open"))
		check_open(&in, f);
	else if (!strstr(name, "time_align"))
		check_rw(&in, f);
	if (member(f, "reads"))
		check_reads(&in, oracle, f);
}

static void check_run(const char *corpus, const char *run)
{
	_cleanup_(cJSON_Deletep) cJSON *oracle = NULL;
	_cleanup_free_ char *text = NULL;
	char folder[2048], path[4096];
	const cJSON *f;
	size_t len;

	(void)snprintf(folder, sizeof(folder), "%s/runs/%s", corpus, run);
	(void)snprintf(path, sizeof(path), "%s/oracle.json", folder);
	text = td_read_whole(path, &len);
	TD_CASE(run);
	TD_CHECK(text);
	oracle = text ? cJSON_Parse(text) : NULL;
	TD_CHECK(oracle);
	cJSON_ArrayForEach(f, member(oracle, "files"))
	{
		if (strncmp(f->string, "trace_", 6) == 0 || strcmp(f->string, "bio.out") == 0 ||
		    strcmp(f->string, "open.out") == 0 || strcmp(f->string, "vfs_rw.out") == 0)
			check_file(folder, f->string, oracle, f);
	}
}

int main(void)
{
	const char *corpus = getenv("TRACEDB_CORPUS");

	if (!corpus) {
		puts("TRACEDB_CORPUS is not set");
		return TD_TEST_SKIP;
	}
	check_run(corpus, "unet3d_8gpu_dgx1v2");
	check_run(corpus, "unet3d_4gpu_split");
	return td_check_result();
}
