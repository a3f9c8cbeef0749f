/* SPDX-License-Identifier: MIT */
/*
 * What a cut does to a source, at 200 places each:
 *
 *  - every line counts, the cut one too, and is a row, skipped or an issue;
 *  - whatever stands before the cut is read as in the whole text: line by line the same verdict, and as many
 *    rows, processes, files... in the store behind it;
 *  - a cut within a line or a document is said, unless the store holds what it would with the line whole;
 *  - the text is still recognised, unless none of its lines is a row.
 *
 *     cuts SOURCES NSYS-SEEDS     our own samples
 *     cuts corpus IMPORTER...     those below $TRACEDB_CORPUS, of these importers
 *
 * Of a large text of lines a piece of its begin and one of its end are used, of a large document the begin.
 */
#include "common/array.h"
#include "common/cleanup.h"
#include "common/stream.h"
#include "importers/core/importers.h"
#include "store/store.h"
#include "tests/property/dump.h"
#include "tests/property/samples.h"
#include "tests/unit/check.h"

#define NCUTS 200
#define BEGIN_MAX ((size_t)48 * 1024)
#define END_MAX ((size_t)16 * 1024)
#define CLAIM_MAX ((size_t)16 * 1024) /* who has not claimed that much will not claim more */
#define FILE_MAX ((size_t)1024 * 1024) /* databases; a whole one is the smallest thing to be read */

static const struct td_import_options no_options = { .clocks = TD_CLOCK_OPTIONS_NONE };

struct sample {
	const struct td_sample_rule *rule;
	const struct td_importer *importer; /* NULL: none is to take it */
	struct td_strbuf text;
};

/* One import, and what came of each line of it. */
struct run {
	const struct td_importer *importer;
	struct td_store *st;
	const struct td_source *source;
	struct line {
		int verdict;
		uint64_t things; /* in the store after it */
	} * lines;
	size_t nlines, lines_cap;
};

static struct {
	int files;
	uint64_t cuts, bytes, said, whole, unread;
} sum;

static void run_done(struct run *r)
{
	td_store_free(r->st);
	free(r->lines);
}

/* --- imports --- */

static uint64_t things(struct td_store *st)
{
	const struct td_contents *in = td_store_contents(st);
	uint64_t n = in->nsummaries + in->nprocesses + in->nthreads + in->nfiles + in->ntracks +
		     in->nstack_totals;

	for (unsigned k = 0; k < TD_NKINDS; k++)
		n += td_stage_count(td_store_stage(st, k));
	return n;
}

static struct run *spied; /* an importer's functions have no way to reach the test */

static int spy_line(struct td_import *imp, char *line, size_t len)
{
	int verdict = spied->importer->line(imp, line, len);

	/* the core rejects what it does not show to the importer */
	while (spied->nlines + 1 < imp->line_no &&
	       td_grow(&spied->lines, &spied->lines_cap, spied->nlines) == 0)
		spied->lines[spied->nlines++] = (struct line){ TD_LINE_ISSUE, 0 };
	if (td_grow(&spied->lines, &spied->lines_cap, spied->nlines) < 0)
		return -ENOMEM;
	spied->lines[spied->nlines++] = (struct line){ verdict, things(imp->store) };
	return verdict;
}

/* The first len bytes of the text. */
static void import(struct run *r, const struct sample *s, size_t len)
{
	struct td_err err = { "" };
	struct td_importer spy;

	r->importer = s->importer;
	TD_CHECK_INT(td_store_new("/tmp/tracedb-test-cuts", &r->st), 0);
	if (s->importer) {
		spy = *s->importer;
		spy.line = spy.line ? spy_line : NULL;
	}
	spied = r;
	TD_CHECK_INT(td_import_mem(r->st, td_strbuf_str(&s->text), len, "cut",
				   s->importer ? &spy : NULL, &no_options, &err),
		     0);
	r->source = td_store_source_at(r->st, 1);
	TD_CHECK_INT(r->source->lines, r->source->rows + r->source->skipped + r->source->issues);
	sum.bytes += len;
}

/* By the source's state, or by an issue about its last line. */
static bool is_said(const struct run *r)
{
	const struct td_contents *in = td_store_contents(r->st);
	bool said = r->source->state == TD_STATE_CUT && r->source->detail;

	for (size_t i = 0; i < in->nissues; i++)
		said |= in->issues[i].line == r->source->lines;
	return said;
}

/* --- lines --- */

/* Number of newlines in the first len bytes. */
static size_t count_lines(const char *text, size_t len)
{
	size_t n = 0;

	for (const char *p = text; (p = memchr(p, '\n', (size_t)(text + len - p))); p++)
		n++;
	return n;
}

static void check_whole_lines(const struct run *ref, const struct run *r, size_t n)
{
	size_t same = 0;

	while (same < n && same < r->nlines && same < ref->nlines &&
	       r->lines[same].verdict == ref->lines[same].verdict &&
	       r->lines[same].things == ref->lines[same].things)
		same++;
	TD_CHECK_INT(same, n);
	TD_CHECK(n == 0 || things(r->st) >= ref->lines[n - 1].things);
}

/* Nothing is said of the cut: then the rest of the line must not matter. */
static void check_unsaid(const struct sample *s, const struct run *r, size_t at)
{
	_cleanup_(run_done) struct run whole = { 0 };
	_cleanup_(td_strbuf_done) struct td_strbuf got = TD_STRBUF_INIT, want = TD_STRBUF_INIT;
	const char *newline = memchr(s->text.p + at, '\n', s->text.len - at);

	import(&whole, s, newline ? (size_t)(newline + 1 - s->text.p) : s->text.len);
	td_dump_store(r->st, &got);
	td_dump_store(whole.st, &want);
	TD_CHECK_STR(td_strbuf_str(&got), td_strbuf_str(&want));
	sum.whole++;
}

/* A text that is known by its first lines is known by what a cut leaves of it. */
static void check_claim(const struct sample *s, const struct run *ref, size_t at, size_t nlines)
{
	const struct td_importer *claims = NULL;
	struct td_err err = { "" };
	size_t rows = 0;

	if (at > CLAIM_MAX)
		return;
	TD_CHECK_INT(td_sniff(s->text.p, at, &claims, &err), 0);
	for (size_t i = 0; i < nlines && i < ref->nlines; i++)
		rows += ref->lines[i].verdict == TD_LINE_ROW;
	if (claims != s->importer && !s->rule->late)
		TD_CHECK_INT(rows, 0);
}

/* --- documents --- */

static bool is_json(const struct td_importer *importer)
{
	static const char *const names[] = { "dlio-json", "iostat-json", "kineto", "mpstat-json" };
	bool found = false;

	for (size_t i = 0; i < TD_ARRAY_SIZE(names); i++)
		found |= strcmp(importer->name, names[i]) == 0;
	return found;
}

/* Is some brace or bracket open behind the first len bytes? */
static bool is_open(const char *text, size_t len)
{
	bool string = false;
	int depth = 0;

	for (size_t i = 0; i < len; i++) {
		if (string && text[i] == '\\')
			i++;
		else if (text[i] == '"')
			string = !string;
		else if (!string)
			depth += (text[i] == '{' || text[i] == '[') -
				 (text[i] == '}' || text[i] == ']');
	}
	return depth > 0;
}

/* --- one cut --- */

static void check_text(const struct sample *s, const struct run *ref, const struct run *r,
		       size_t at)
{
	const char *text = s->text.p;
	size_t n = count_lines(text, at);
	bool partial = at > 0 && text[at - 1] != '\n';

	TD_CHECK_INT(r->source->lines, n + partial);
	check_whole_lines(ref, r, n);
	check_claim(s, ref, at, n);
	if (partial && !is_said(r) && !is_json(s->importer))
		check_unsaid(s, r, at);
}

/* What nobody reads as a whole may begin like something else, but not so that rows come of it. */
static void check_none(const struct run *r)
{
	TD_CHECK_INT(things(r->st), 0);
	sum.unread++;
}

static void check_cut(const struct sample *s, const struct run *ref, size_t at)
{
	_cleanup_(run_done) struct run r = { 0 };

	import(&r, s, at);
	sum.cuts++;
	sum.said += is_said(&r);
	if (!s->importer) {
		check_none(&r);
		return;
	}
	if (s->importer->line)
		check_text(s, ref, &r, at);
	if (is_json(s->importer) && is_open(s->text.p, at) && r.source->lines)
		TD_CHECK(is_said(&r));
	if (s->importer->file)
		TD_CHECK(at == s->text.len || r.source->state != TD_STATE_COMPLETE);
	TD_CHECK(r.source->rows <= ref->source->rows);
}

static void check_cuts(const struct sample *s)
{
	_cleanup_(run_done) struct run ref = { 0 };
	uint64_t random = 20261120;

	import(&ref, s, s->text.len);
	for (int i = 0; i < NCUTS; i++) {
		random = random * UINT64_C(6364136223846793005) + 1442695040888963407; /* Knuth */
		check_cut(s, &ref, (size_t)(random >> 33) % (s->text.len + 1));
	}
}

/* --- samples --- */

struct wanted {
	char *const *importers; /* NULL: all; "none": those that no importer takes */
	int n;
};

static bool is_wanted(const struct wanted *w, const struct td_sample_rule *rule)
{
	const char *name = rule->importer ? rule->importer : "none";
	bool found = !w->importers;

	for (int i = 0; i < w->n; i++)
		found |= strcmp(w->importers[i], name) == 0;
	return found && !rule->maybe;
}

static const struct td_importer *importer_of(const struct td_sample_rule *rule)
{
	for (size_t i = 0; rule->importer && td_importers[i]; i++)
		if (strcmp(td_importers[i]->name, rule->importer) == 0)
			return td_importers[i];
	return NULL;
}

/* Drops the middle of a text that grew too long, from a line's begin to a line's begin. */
static void drop_middle(struct td_strbuf *text)
{
	size_t from = BEGIN_MAX, to = text->len - END_MAX;

	while (from > 0 && text->p[from - 1] != '\n')
		from--;
	while (to < text->len && text->p[to - 1] != '\n')
		to++;
	memmove(text->p + from, text->p + to, text->len - to);
	text->len -= to - from;
}

/* The text, unpacked: all of it, or of lines begin and end, of anything else the begin. */
static void read_text(const char *path, const struct td_importer *importer, struct td_strbuf *ret)
{
	_cleanup_(td_stream_closep) struct td_stream *in = NULL;
	size_t max = importer && importer->file ? FILE_MAX : BEGIN_MAX + END_MAX, len;
	bool lines = importer && importer->line;
	struct td_err err = { "" };
	const char *p;

	TD_CHECK_INT(td_stream_open(path, &in, &err), 0);
	while (in && (lines || ret->len <= max) && td_stream_bytes(in, &p, &len, &err) > 0) {
		td_strbuf_add(ret, p, len);
		if (lines && ret->len > max)
			drop_middle(ret);
	}
	ret->len = TD_MIN(ret->len, max);
}

static void check_sample(void *ctx, const struct td_sample_file *f)
{
	struct sample s = { .rule = f->rule, .importer = importer_of(f->rule) };

	if (!is_wanted(ctx, f->rule))
		return;
	TD_CASE(f->name);
	read_text(f->path, s.importer, &s.text);
	if (s.text.len)
		check_cuts(&s);
	td_strbuf_done(&s.text);
	sum.files++;
}

int main(int argc, char **argv)
{
	struct wanted wanted = { NULL, 0 };

	if (argc > 1 && strcmp(argv[1], "corpus") == 0) {
		const char *corpus = getenv("TRACEDB_CORPUS");

		if (!corpus) {
			puts("TRACEDB_CORPUS is not set");
			return TD_TEST_SKIP;
		}
		wanted = (struct wanted){ argv + 2, argc - 2 };
		(void)td_samples_corpus(corpus, check_sample, &wanted);
	} else if (argc == 3) {
		(void)td_samples_own(argv[1], check_sample, &wanted);
		(void)td_samples_nsys(argv[2], check_sample, &wanted);
	} else {
		return 2;
	}
	TD_CHECK(sum.files > 0);
	printf("%d files (of long ones %zu KiB of lines, %zu KiB of a database), %" PRIu64
	       " cuts, %" PRIu64 " MB read; said to be cut %" PRIu64
	       ", the line whole as it is %" PRIu64 ", not read %" PRIu64 "\n",
	       sum.files, (BEGIN_MAX + END_MAX) / 1024, FILE_MAX / 1024, sum.cuts,
	       sum.bytes / 1000000, sum.said, sum.whole, sum.unread);
	return td_check_result();
}
