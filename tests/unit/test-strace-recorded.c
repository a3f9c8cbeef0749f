/* SPDX-License-Identifier: MIT */
/* The recordings in tests/data/strace, whose truth is in prog.c and in strace's own counts; the corpus. */
#include <errno.h>

#include "importers/core/importers.h"
#include "tests/unit/samplers.h"

#define DATA TD_TEST_DATA "/strace/"

/* What the recordings of the whole program have in common; the truth is in prog.c. */
static const struct {
	const char *file;
	enum td_clock clock;
	bool durations;
} recordings[] = {
	{ "f.txt", TD_CLOCK_RELATIVE, false },      { "f_t.txt", TD_CLOCK_LOCAL_TOD, false },
	{ "f_tt_T.txt", TD_CLOCK_LOCAL_TOD, true }, { "f_C.txt", TD_CLOCK_UTC, true },
	{ "f_y.txt", TD_CLOCK_UTC, true },          { "f_yy.txt", TD_CLOCK_UTC, true },
	{ "f_r_T.txt", TD_CLOCK_RELATIVE, true },   { "f_n_i.txt", TD_CLOCK_LOCAL_TOD, false },
	{ "f_comm.txt", TD_CLOCK_UTC, false },      { "f_plus.txt", TD_CLOCK_UTC, false },
	{ "stderr.txt", TD_CLOCK_LOCAL_TOD, true }, { "ff_merged.txt", TD_CLOCK_UTC, true },
};

struct totals {
	unsigned calls;
	int64_t asked, done;
};

/* All calls of that name, or those on the file. */
static struct totals totals_of(const struct td_imported *in, const char *op, const char *file)
{
	struct totals t = { 0 };

	for (size_t i = 0; i < in->ncalls; i++) {
		const struct td_call *c = &in->calls[i];

		if (strcmp(td_op_name_of(in, c), op) != 0 ||
		    (file && strcmp(td_file_text(in, c->file_id), file) != 0))
			continue;
		t.calls++;
		t.asked += c->asked_bytes == TD_NULL ? 0 : c->asked_bytes;
		t.done += c->done_bytes == TD_NULL ? 0 : c->done_bytes;
	}
	return t;
}

#define CHECK_TOTALS(op, file, want_calls, want_asked, want_done)                                  \
	do {                                                                                       \
		struct totals _t = totals_of(&in, op, file);                                       \
		TD_CHECK_INT(_t.calls, want_calls);                                                \
		TD_CHECK_INT(_t.asked, want_asked);                                                \
		TD_CHECK_INT(_t.done, want_done);                                                  \
	} while (0)

static const struct td_process *process_of_exit(const struct td_imported *in, int64_t status)
{
	for (size_t i = 0; i < in->has->nprocesses; i++)
		if (in->has->processes[i].exit_status == status)
			return &in->has->processes[i];
	return NULL;
}

static void check_processes(const struct td_imported *in)
{
	const struct td_process *first = process_of_exit(in, 0), *child = process_of_exit(in, 3),
				*killed = process_of_exit(in, -9);
	unsigned threads = 0;

	TD_CHECK_INT(in->has->nprocesses, 3);
	TD_CHECK(first && child && killed);
	if (!first || !child || !killed)
		return;
	TD_CHECK_STR(td_text_of(in, first->command_line_id), "./prog");
	TD_CHECK_STR(td_text_of(in, child->command_line_id), "prog a \"child\"");
	TD_CHECK_STR(td_text_of(in, killed->command_line_id), "./prog");
	TD_CHECK_STR(td_text_of(in, child->name_id), "prog");
	TD_CHECK_INT(child->parent_pid, first->pid);
	TD_CHECK_INT(killed->parent_pid, first->pid);
	for (size_t i = 0; i < in->has->nthreads; i++)
		threads += in->has->threads[i].process_id == 1;
	TD_CHECK_INT(threads, 2);
}

/* -y prints absolute paths (and pipe:[N] and so on), and where relative ones begin; otherwise the file is named as the
 * program did. */
static void check_files(const struct td_imported *all, bool absolute)
{
	const struct td_imported in = *all;
	const char *data = absolute ? "/tmp/td-strace/in.dat" : "in.dat";
	const char *nasty = absolute ? "/tmp/td-strace/na me (1), = 2" : "na me (1), = 2";

	/* six reads by the first process, one of 100 bytes by the child */
	CHECK_TOTALS("read", data, 7, 6 * 4096 + 100, 16484 + 100);
	CHECK_TOTALS("pread64", data, 3, 3 * 4096, 3 * 4096);
	CHECK_TOTALS("openat", absolute ? "/tmp/td-strace/missing" : "missing", 1, 0, 0);
	CHECK_TOTALS("write", nasty, 2, 44, 44);
	CHECK_TOTALS("pwrite64", nasty, 1, 10, 10);
	CHECK_TOTALS("writev", nasty, 1, 12, 12);
	CHECK_TOTALS("write", "[eventfd]", 1, 8, 8);
	CHECK_TOTALS("write", "memfd:td-mem", 1, 5, 5);
	CHECK_TOTALS("write", "/dev/shm/td-shm", 2, 12, 12);
	if (!absolute)
		CHECK_TOTALS("write", "pipe", 1, 1, 1);
	if (!absolute)
		CHECK_TOTALS("read", "pipe", 1, 1, 1);
}

static void check_call(const struct td_imported *in, const struct td_call *c, bool durations)
{
	const char *op = td_op_name_of(in, c);

	TD_CHECK(c->process_id && c->thread_id);
	if (!durations)
		TD_CHECK(c->dur_ns == TD_NULL);
	else
		TD_CHECK(c->dur_ns != TD_NULL || c->ret == TD_NULL);
	if (strcmp(op, "pread64") == 0)
		TD_CHECK(c->offset_bytes == 0 || c->offset_bytes == 4096 ||
			 c->offset_bytes == 8192);
	if (strcmp(op, "lseek") == 0)
		TD_CHECK_INT(c->offset_bytes, 8202);
	if (strcmp(op, "openat") == 0 && strcmp(td_file_text(in, c->file_id), "missing") == 0)
		TD_CHECK_INT(c->ret, -ENOENT);
}

static void test_recordings(void)
{
	for (size_t i = 0; i < TD_ARRAY_SIZE(recordings); i++) {
		const char *file = recordings[i].file;
		_cleanup_(td_imported_done) struct td_imported in = { 0 };
		char path[4096];

		TD_CASE(file);
		(void)snprintf(path, sizeof(path), DATA "%s", file);
		TD_CHECK(td_import_path(&in, path, NULL));
		TD_CHECK_STR(in.source->importer, "strace");
		TD_CHECK_INT(in.source->clock, recordings[i].clock);
		TD_CHECK_INT(in.source->issues, 0);
		TD_CHECK_INT(in.source->repaired, 0);
		check_processes(&in);
		check_files(&in, strncmp(file, "f_y", 3) == 0);
		for (size_t k = 0; k < in.ncalls; k++)
			check_call(&in, &in.calls[k], recordings[i].durations);
	}
}

/* The calls and errors that strace counted in the same run (-C), name by name. */
static void check_own_counts(const struct td_imported *in)
{
	unsigned names = 0;

	for (size_t i = 0; i < in->has->nsummaries; i++) {
		const struct td_summary *s = &in->has->summaries[i];
		bool errors = strcmp(s->name, "strace.errors") == 0;
		unsigned n = 0;

		if (!errors && strcmp(s->name, "strace.calls") != 0)
			continue;
		for (size_t k = 0; k < in->ncalls; k++)
			n += strcmp(td_op_name_of(in, &in->calls[k]), s->key) == 0 &&
			     !in->calls[k].unfinished && (!errors || in->calls[k].ret < 0);
		if (n != s->value)
			fprintf(stderr, "%s of %s:\n", s->name, s->key);
		TD_CHECK_INT(n, (int64_t)s->value);
		names++;
	}
	TD_CHECK(names > 30);
}

static void test_own_counts(void)
{
	_cleanup_(td_imported_done) struct td_imported in = { 0 };

	TD_CASE("f_C.txt against its own table");
	TD_CHECK(td_import_path(&in, DATA "f_C.txt", NULL));
	check_own_counts(&in);
}

/* Without -y the descriptors are followed; the result must be what -y prints. "</path>" is taken out of the
 * recording, both are imported, and the rows compared. */
static void test_following(void)
{
	_cleanup_(td_imported_done) struct td_imported with = { 0 }, without = { 0 };
	size_t len, to = 0, depth = 0, compared = 0;
	_cleanup_free_ char *text = td_read_whole(DATA "f_y.txt", &len);
	_cleanup_free_ char *bare = malloc(len + 1);

	TD_CASE("following descriptors equals -y");
	TD_CHECK(text && bare);
	if (!text || !bare)
		return;
	td_import_bytes(&with, NULL, text, len, NULL);
	for (size_t i = 0; i < len; i++) {
		bool note = text[i] == '<' && i > 0 && text[i - 1] != ' ' && text[i - 1] != '"' &&
			    text[i + 1] != '0' && text[i + 1] != '.';

		depth += note;
		if (!depth)
			bare[to++] = text[i];
		if (depth && text[i] == '>')
			depth--;
		if (text[i] == '>' && strncmp(&text[i + 1], "(deleted)", 9) == 0)
			i += 9;
	}
	td_import_bytes(&without, NULL, bare, to, NULL);
	TD_CHECK_INT(with.ncalls, without.ncalls);
	for (size_t i = 0; i < with.ncalls && i < without.ncalls; i++) {
		const char *a = td_file_text(&with, with.calls[i].file_id);
		const char *b = td_file_text(&without, without.calls[i].file_id);
		const char *slash = strrchr(a, '/');

		TD_CHECK_INT(with.calls[i].fd, without.calls[i].fd);
		if (with.calls[i].fd == INT32_MIN)
			continue;
		/* the program opened relative paths */
		TD_CHECK_STR(slash && *b != '/'            ? slash + 1
			     : strncmp(a, "pipe:", 5) == 0 ? "pipe"
							   : a,
			     b);
		compared++;
	}
	TD_CHECK(compared > 30);
}

/* Everything that strace prints about a call may be cut off or be garbage: nothing may crash, and no whole
 * line may be lost. */
static void test_cuts(void)
{
	size_t len, whole = 0;
	_cleanup_free_ char *text = td_read_whole(DATA "f_yy.txt", &len);

	TD_CASE("cut anywhere");
	TD_CHECK(text);
	for (size_t cut = 0; text && cut < len; cut += 7) {
		_cleanup_(td_imported_done) struct td_imported in = { 0 };

		whole = 0;
		for (size_t i = 0; i < cut; i++)
			whole += text[i] == '\n';
		td_import_bytes(&in, &td_importer_strace, text, cut, NULL);
		TD_CHECK(in.source->rows + in.source->skipped >= whole);
	}
}

/* --- the corpus --- */

static void corpus_file(const char *path, const char *name)
{
	_cleanup_(td_imported_done) struct td_imported in = { 0 };
	bool local = strstr(path, "strace_local") != NULL;
	double rows, lines;

	if (strcmp(name, "ff") == 0)
		return;
	TD_CHECK(td_import_path(&in, path, NULL));
	TD_CHECK_STR(in.source->importer ? in.source->importer : "", "strace");
	lines = (double)(in.source->rows + in.source->issues);
	rows = (double)in.source->rows;
	printf("%6.2f %% issues, %zu calls: ", lines ? 100 * (lines - rows) / lines : 0, in.ncalls);
	td_print_source(&in, path);
	if (strcmp(name, "f_C.txt") == 0)
		check_own_counts(&in);
	/* 5 lines are too few for a share: one of them is cut off by the quotation */
	if (local && in.source->lines > 20)
		TD_CHECK(rows >= 0.95 * lines);
	else
		TD_CHECK(rows >= 0.5 * lines);
}

int main(int argc, char **argv)
{
	static const char *const folders[] = { "strace", "strace_local", "strace_local/ff" };

	if (argc > 1)
		return td_run_corpus(folders, TD_ARRAY_SIZE(folders), corpus_file);
	test_recordings();
	test_own_counts();
	test_following();
	test_cuts();
	return td_check_result();
}
