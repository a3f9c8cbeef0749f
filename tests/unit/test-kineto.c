/* SPDX-License-Identifier: MIT */
#include <time.h>

#include "common/stream.h"
#include "importers/align/align.h"
#include "importers/core/importers.h"
#include "schema/ops.h"
#include "tests/unit/samplers.h"

/* --- rows as text --- */

static void add_ns(struct td_strbuf *b, int64_t ns)
{
	if (ns == TD_NULL)
		td_strbuf_adds(b, "-");
	else
		td_strbuf_addf(b, "%lld", (long long)ns);
}

/* "start+dur pid/tid": ns since the origin; '-' for what is NULL. */
static void add_when_and_who(struct td_strbuf *b, const struct td_imported *in, int64_t start_ns,
			     int64_t dur_ns, uint32_t process_id, uint32_t thread_id)
{
	add_ns(b, start_ns);
	td_strbuf_adds(b, "+");
	add_ns(b, dur_ns);
	td_strbuf_adds(b, " ");
	add_ns(b, process_id ? td_process_of(in, process_id)->pid : TD_NULL);
	td_strbuf_adds(b, "/");
	add_ns(b, thread_id ? td_store_thread_at(in->st, thread_id)->tid : TD_NULL);
}

static void add_gpu_op(struct td_strbuf *b, const struct td_imported *in,
		       const struct td_gpu_op *op, int64_t origin_ns)
{
	td_strbuf_addf(b, "%s '%s' ", td_text_of(in, op->kind_id), td_text_of(in, op->name_id));
	add_when_and_who(b, in, op->start_ns - origin_ns, op->dur_ns, op->process_id, 0);
	td_strbuf_addf(b, " %s stream ", in->has->devices[op->device_id - 1].name);
	add_ns(b, op->stream == INT32_MIN ? TD_NULL : op->stream);
	td_strbuf_adds(b, " bytes ");
	add_ns(b, op->bytes);
	td_strbuf_adds(b, " correlation ");
	add_ns(b, op->correlation);
	td_strbuf_adds(b, "\n");
}

static void add_span(struct td_strbuf *b, const struct td_imported *in, const struct td_span *s,
		     int64_t origin_ns)
{
	td_strbuf_addf(b, "%s '%s' ", td_text_of(in, s->kind_id), td_text_of(in, s->name_id));
	if (s->number != TD_NULL)
		td_strbuf_addf(b, "#%lld ", (long long)s->number);
	add_when_and_who(b, in, s->start_ns - origin_ns, s->dur_ns, s->process_id, s->thread_id);
	td_strbuf_addf(b, " %s", td_text_of(in, s->state_id));
	if (s->rank != INT32_MIN)
		td_strbuf_addf(b, " rank %d", s->rank);
	td_strbuf_addf(b, "%s%s\n", s->args_id ? " " : "", td_text_of(in, s->args_id));
}

static void add_call(struct td_strbuf *b, const struct td_imported *in, const struct td_call *c,
		     int64_t origin_ns)
{
	const struct td_op *op = &in->has->ops[c->op_id - 1];

	td_strbuf_addf(b, "%s %s '%s' ", td_layer_names[op->layer], op->info->verb, op->name);
	add_when_and_who(b, in, c->start_ns - origin_ns, c->dur_ns, c->process_id, c->thread_id);
	if (c->correlation != INT32_MIN)
		td_strbuf_addf(b, " correlation %d", c->correlation);
	td_strbuf_adds(b, "\n");
}

static void add_mark(struct td_strbuf *b, const struct td_imported *in, const struct td_mark *m,
		     int64_t origin_ns)
{
	td_strbuf_addf(b, "mark '%s' ", td_text_of(in, m->name_id));
	add_when_and_who(b, in, m->ts_ns - origin_ns, TD_NULL, m->process_id, m->thread_id);
	if (!isnan(m->value))
		td_strbuf_addf(b, " = %g", m->value);
	td_strbuf_adds(b, "\n");
}

static void check_rows(const struct td_imported *in, int64_t origin_ns, const char *want)
{
	_cleanup_(td_strbuf_done) struct td_strbuf got = TD_STRBUF_INIT;

	for (size_t i = 0; i < in->ngpu_ops; i++)
		add_gpu_op(&got, in, &in->gpu_ops[i], origin_ns);
	for (size_t i = 0; i < in->nspans; i++)
		add_span(&got, in, &in->spans[i], origin_ns);
	for (size_t i = 0; i < in->ncalls; i++)
		add_call(&got, in, &in->calls[i], origin_ns);
	for (size_t i = 0; i < in->nmarks; i++)
		add_mark(&got, in, &in->marks[i], origin_ns);
	for (size_t i = 0; i < in->nsamples; i++)
		td_add_sample(&got, in, &in->samples[i], origin_ns);
	td_check_lines(&got, want);
}

static void check_lines(const struct td_imported *in, uint64_t lines, uint64_t rows,
			uint64_t skipped, uint64_t issues)
{
	TD_CHECK_INT(in->source->lines, lines);
	TD_CHECK_INT(in->source->rows, rows);
	TD_CHECK_INT(in->source->skipped, skipped);
	TD_CHECK_INT(in->source->issues, issues);
}

static const char *thread_name(const struct td_imported *in, int64_t tid)
{
	for (size_t i = 0; i < in->has->nthreads; i++)
		if (in->has->threads[i].tid == tid)
			return td_text_of(in, in->has->threads[i].name_id);
	return NULL;
}

/* --- the generations --- */

static void import_data(struct td_imported *in, const char *name)
{
	char path[4096];

	TD_CASE(name);
	(void)snprintf(path, sizeof(path), "%s/kineto/%s", TD_TEST_DATA, name);
	TD_CHECK(td_import_path(in, path, NULL));
	TD_CHECK_STR(in->source->importer, "kineto");
}

static void test_2021(void)
{
	_cleanup_(td_imported_done) struct td_imported in = { 0 };

	import_data(&in, "2021.json");
	check_lines(&in, 15, 8, 7, 0); /* 2 flows and 5 names are skipped */
	check_rows(
		&in, INT64_C(1620000000000000000),
		"profiler 'PyTorch Profiler (0)' 0+1000000 4711/- complete\n"
		"mark 'Iteration Start: PyTorch Profiler' 0+- 4711/-\n"
		"cpu-op 'aten::zeros' 100000+85000 4711/4711 complete\n"
		"mark '[memory]' 110000+- 4711/4711 = -512\n"
		"cuda copy 'cudaMemcpyAsync' 120000+20000 4711/4712 correlation 311\n"
		"copy 'Memcpy HtoD (Pageable -> Device)' 130000+2000 4711/- GPU 1 stream 7 bytes "
		"640 correlation 311\n"
		"kernel 'void gemm<float, 128>(Params<float>)' 140000+0 4711/- GPU 1 stream 7 "
		"bytes - correlation 312\n"
		"set 'Memset (Device)' 150000+1000 4711/- GPU 1 stream 7 bytes 1024 "
		"correlation 313\n");
	TD_CHECK_INT(in.has->nprocesses, 1);
	TD_CHECK_STR(td_text_of(&in, in.has->processes[0].name_id), "python");
	TD_CHECK_STR(thread_name(&in, 4712), "pt_autograd_0");
	TD_CHECK_STR(in.source->layout, "absolute");
	TD_CHECK_INT(in.source->offset_ns, 0);
	TD_CHECK_INT(in.has->nsummaries, 2);
	TD_CHECK_STR(in.has->summaries[1].key, "GPU 1: Tesla V100-SXM2-16GB");
	TD_CHECK(in.has->summaries[1].value == 16945512448.0);
}

/* What is no operator, but was written as one. */
static void test_2021_annotations(void)
{
	_cleanup_(td_imported_done) struct td_imported in = { 0 };

	import_data(&in, "2021-annotations.json");
	check_rows(&in, INT64_C(1620000000000000000),
		   "annotation 'ProfilerStep' #5 0+900000 4711/4711 complete\n"
		   "annotation 'enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__' "
		   "10000+300000 4711/4711 complete\n"
		   "cpu-op 'aten::stack' 200000+50000 4711/4711 complete\n"
		   "annotation 'Optimizer.step#SGD.step' 500000+200000 4711/4711 complete\n");
}

static void test_no_metadata(void)
{
	_cleanup_(td_imported_done) struct td_imported in = { 0 };

	import_data(&in, "no-metadata.json");
	check_lines(&in, 4, 3, 1, 0);
	check_rows(&in, INT64_C(1661203462000000000),
		   "annotation 'ProfilerStep' #1009 598772000+75473000 700/700 complete rank 3\n"
		   "cuda launch 'cudaLaunchKernel' 600000000+9000 700/-549452224 correlation 8\n"
		   "kernel 'k' 600021000+7000 700/- GPU 3 stream 20 bytes - correlation 8\n");
}

static void test_relative(void)
{
	_cleanup_(td_imported_done) struct td_imported in = { 0 };
	struct td_alignment alignment;

	import_data(&in, "relative.json");
	check_lines(&in, 17, 12, 5, 0); /* a flow and 4 names */
	check_rows(&in, INT64_C(4203669604000000), /* ts 4203669604000 */
		   "cpu-op 'aten::to' 595407+340024 597913/598009 complete\n"
		   "python 'threading.py(1032): _bootstrap' 600000+12500 597913/- complete\n"
		   "cuda launch 'cuLaunchKernel' 601100+750 597913/598009 correlation 8368\n"
		   "kernel 'triton_\xc3\xbc \"x\"' 602001+3136 597913/- GPU 2 stream 0 bytes - "
		   "correlation 8368\n"
		   "sync 'Stream Sync' 606000+1500 597913/- GPU 2 stream - bytes - correlation "
		   "8369\n"
		   "gpu-annotation 'ProfilerStep' #6 602000+5000 597913/- complete "
		   "{\"device\":2,\"stream\":0}\n"
		   "overhead 'Instrumentation' 610000+1000 597913/- complete\n"
		   "mtia_insight 'new' 611000+- 597913/598009 unfinished\n"
		   "mark '[memory]' 612500+- 597913/598009 = 144384\n"
		   "torch.allocated GPU 2 597913 'python3' @0.000612500+- = 9.15052e+07 bytes\n"
		   "torch.reserved GPU 2 597913 'python3' @0.000612500+- = 1.21635e+08 bytes\n"
		   "mark '[memory]' 613000+- 597913/598009 = 64\n"
		   "torch.allocated - 597913 'python3' @0.000613000+- = 64 bytes\n"
		   "GPU 2 Utilization.GPU Utilization - @0.000614000+- = 0.25\n"
		   "mark 'Record Window End' 8780634+- 597913/-\n");
	TD_CHECK_STR(thread_name(&in, 598009), "pt_autograd_0");
	TD_CHECK_STR(in.source->layout, "relative");
	TD_CHECK_INT(td_align(in.st, &td_no_options.clocks, &alignment, &in.err), 0);
	TD_CHECK_INT(in.source->offset_ns, INT64_C(1751410836000000000));
	TD_CHECK_INT(in.source->error_ns, 1);
}

static void test_damaged(void)
{
	_cleanup_(td_imported_done) struct td_imported in = { 0 };

	import_data(&in, "damaged.json");
	check_lines(&in, 12, 4, 0, 8);
	check_rows(&in, INT64_C(1712195495519689000),
		   "cpu-op 'C:\\Users\\me\\x.py' 47+- 5/5 unfinished\n"
		   "kernel 'good 1' 1001+1001 5/- GPU 0 stream 7 bytes - correlation -\n"
		   "cpu-op 'good 2' 3000+- 5/5 unfinished\n"
		   "cpu-op 'good 3' 7000+2 5/5 complete\n");
	TD_CHECK_INT(td_issues_of(&in, "bad-duration"), 2);
	TD_CHECK_INT(td_issues_of(&in, "spoilt-event"), 4);
	TD_CHECK_INT(td_issues_of(&in, "no-time"), 1);
	TD_CHECK_INT(td_issues_of(&in, "no-device"), 1);
	TD_CHECK_INT(td_issues_of(&in, "unknown-phase"), 1);
	TD_CHECK_INT(td_issues_of(&in, "cut-event"), 1);
	TD_CHECK_INT(in.source->state, TD_STATE_CUT);
	TD_CHECK_STR(in.source->detail, "the JSON text is cut");
}

/* --- clocks and forms --- */

#define EVENT(ts) "{\"ph\":\"X\",\"cat\":\"cpu_op\",\"name\":\"a\",\"ts\":" ts ",\"dur\":1}"

static void test_bases(void)
{
	static const struct {
		const char *name, *text;
		enum td_clock clock;
		int64_t start_ns, offset_ns;
		uint64_t rows;
	} cases[] = {
		{ "base first", "{\"baseTimeNanoseconds\":1000,\"traceEvents\":[" EVENT("5") "]}",
		  TD_CLOCK_UTC, 5000, 1000, 1 },
		{ "base last", "{\"traceEvents\":[" EVENT("5") "],\"baseTimeNanoseconds\": 1000 }",
		  TD_CLOCK_UTC, 5000, 1000, 1 },
		{ "no base", "{\"traceEvents\":[" EVENT("5") "]}", TD_CLOCK_RELATIVE, 5000, 0, 1 },
		{ "base is no number",
		  "{\"baseTimeNanoseconds\":\"x\",\"traceEvents\":[" EVENT("5") "]}",
		  TD_CLOCK_RELATIVE, 5000, 0, 1 },
		{ "absolute in spite of a base",
		  "{\"baseTimeNanoseconds\":1000,\"traceEvents\":[" EVENT(
			  "1712195495519689.047") "]}",
		  TD_CLOCK_UTC, INT64_C(1712195495519689047), 0, 1 },
		{ "a time of 0 among absolute ones",
		  "{\"traceEvents\":[" EVENT("1712195495519689") "," EVENT("0") "]}", TD_CLOCK_UTC,
		  INT64_C(1712195495519689000), 0, 1 },
		{ "times beyond reason",
		  "{\"traceEvents\":[" EVENT("1e18") "," EVENT("-5") "," EVENT("5") "," EVENT(
			  "1e15") "]}",
		  TD_CLOCK_RELATIVE, 5000, 0, 1 },
		{ "events twice",
		  "{\"traceEvents\":[" EVENT("5") "],\"x\":{},\"traceEvents\":[" EVENT("6") "]}",
		  TD_CLOCK_RELATIVE, 5000, 0, 2 },
		{ "events that are no array", "{\"traceEvents\":{\"a\":[]}}", TD_CLOCK_UTC, 0, 0,
		  0 },
	};

	for (size_t i = 0; i < TD_ARRAY_SIZE(cases); i++) {
		_cleanup_(td_imported_done) struct td_imported in = { 0 };

		TD_CASE(cases[i].name);
		td_import_text(&in, &td_importer_kineto, cases[i].text, NULL);
		TD_CHECK_INT(in.source->clock, cases[i].clock);
		TD_CHECK_INT(in.source->offset_ns, cases[i].offset_ns);
		TD_CHECK_INT(in.source->rows, cases[i].rows);
		TD_CHECK_INT(in.nspans, cases[i].rows);
		TD_CHECK_INT(in.nspans ? in.spans[0].start_ns : 0, cases[i].start_ns);
		TD_CHECK_INT(td_issues_of(&in, "no-time-base"),
			     cases[i].clock == TD_CLOCK_RELATIVE);
	}
}

static void test_states(void)
{
	static const struct {
		const char *text;
		enum td_state state;
		uint64_t lines, issues;
	} cases[] = {
		{ "", TD_STATE_EMPTY, 0, 0 },
		{ "{\"traceEvents\": []}\n", TD_STATE_EMPTY, 0, 0 },
		{ "{\"traceEvents\": [" EVENT("5") "]} \n", TD_STATE_COMPLETE, 1, 0 },
		/* a second text behind the first, as two ranks make that write to one file */
		{ "{\"traceEvents\": [" EVENT("5") "]} {", TD_STATE_CUT, 2, 1 },
		{ "{\"traceEvents\": [" EVENT("5") "]}\n{\"traceEvents\": [" EVENT("6") "]}",
		  TD_STATE_CUT, 2, 1 },
		{ "{\"traceEvents\": [" EVENT("5") "]", TD_STATE_CUT, 1, 0 },
		{ "{\"traceEvents\": [" EVENT("5") ",", TD_STATE_CUT, 1, 0 },
		{ "{\"traceEvents\": [" EVENT("5") ",{", TD_STATE_CUT, 2, 1 },
		{ "{\"traceEvents\": [" EVENT("5") "], 5", TD_STATE_CUT, 1, 0 },
		{ "[[1, 2]]", TD_STATE_COMPLETE, 1, 1 }, /* only with --format */
	};

	for (size_t i = 0; i < TD_ARRAY_SIZE(cases); i++) {
		_cleanup_(td_imported_done) struct td_imported in = { 0 };

		TD_CASE(cases[i].text);
		td_import_text(&in, &td_importer_kineto, cases[i].text, NULL);
		TD_CHECK_INT(in.source->state, cases[i].state);
		TD_CHECK_INT(in.source->lines, cases[i].lines);
		TD_CHECK_INT(in.source->issues, cases[i].issues);
	}
}

static void test_sniff(void)
{
	static const struct {
		const char *text;
		bool claimed;
	} heads[] = {
		{ "{\"schemaVersion\": 1, \"deviceProperties\": [], \"traceEvents\": []}", true },
		{ "\n {\"schemaVersion\": 1, \"deviceProperties\": [{\"id\": 0, \"na", true },
		{ "{\"traceEvents\": [" EVENT("5") ", {\"ph\"", true },
		{ "{\"traceEvents\": [{\"ph\":\"M\",\"pid\":1}," EVENT("5"), true },
		{ "{\"metadata\": {\"x\": [1]}, \"traceEvents\": [" EVENT("5") "]}", true },
		{ "{\"traceEvents\": [{\"ph\":\"X\",\"cat\":\"kernel\"}], \"distributedInfo\": {}}",
		  true },
		/* other programs' */
		{ "{\"traceEvents\": [{\"ph\":\"X\",\"cat\":\"toplevel\",\"name\":\"cpu_op\"}]}",
		  false },
		{ "{\"displayTimeUnit\": \"ns\", \"traceEvents\": [{\"ph\":\"M\",\"name\":\"x\"}]}",
		  false },
		{ "{\"deviceProperties\": [], \"schemaVersion\": 1}", false },
		{ "{\"deviceProperties\": [], \"traceEvents\": {}}", false },
		{ "{\"rocprofiler-sdk-tool\": [{\"metadata\": {}}]}", false },
		{ "{\"sysstat\": {\"hosts\": [{\"nodename\": \"n\"}]}}", false },
		{ "[[0, 1, 2], [\"traceEvents\"]]", false },
		{ "[" EVENT("5") "]", false },
		{ "{\"a\": \"\\\"traceEvents\\\": [{\\\"cat\\\": \\\"cpu_op\\\"}]\"}", false },
		{ "{", false },
		{ "", false },
	};

	for (size_t i = 0; i < TD_ARRAY_SIZE(heads); i++) {
		TD_CASE(heads[i].text);
		TD_CHECK_INT(td_importer_kineto.sniff(heads[i].text, strlen(heads[i].text)) > 0,
			     heads[i].claimed);
	}
}

/* More pids and kinds than any table of fixed size would hold. */
static void test_many(void)
{
	_cleanup_(td_imported_done) struct td_imported in = { 0 };
	_cleanup_(td_strbuf_done) struct td_strbuf b = TD_STRBUF_INIT;

	TD_CASE("many");
	td_strbuf_adds(&b, "{\"traceEvents\":[");
	for (int i = 1; i <= 20000; i++)
		td_strbuf_addf(&b,
			       "{\"ph\":\"X\",\"cat\":\"c%d\",\"name\":\"n\",\"pid\":%d,\"tid\":%d,"
			       "\"ts\":%d,\"dur\":1},{\"ph\":\"M\",\"name\":\"process_name\","
			       "\"pid\":%d,\"args\":{\"name\":\"p%d\"}},",
			       i, i, i, i, i, i);
	td_strbuf_adds(&b, "]}");
	td_import_text(&in, &td_importer_kineto, td_strbuf_str(&b), NULL);
	TD_CHECK_INT(in.source->lines, 40000);
	TD_CHECK_INT(in.source->rows, 20000);
	TD_CHECK_INT(in.has->nprocesses, 20000);
	TD_CHECK_STR(td_text_of(&in, in.has->processes[19999].name_id), "p20000");
	TD_CHECK_STR(td_text_of(&in, in.spans[19999].kind_id), "c20000");
}

/* --- cut files --- */

/* Where the elements of the array begin and end, character by character. */
struct extent {
	size_t from, to;
};

static size_t find_extents(const char *text, size_t len, struct extent *ret, size_t max)
{
	const char *at = memmem(text, len, "\"traceEvents\"", 13);
	size_t n = 0;
	int depth = 0;
	bool string = false;

	for (size_t i = at ? (size_t)(strchr(at, '[') + 1 - text) : len; i < len; i++) {
		if (string && text[i] == '\\') {
			i++;
		} else if (text[i] == '"') {
			string = !string;
		} else if (!string && (text[i] == '{' || text[i] == '[')) {
			if (depth++ == 0 && n < max)
				ret[n].from = i;
		} else if (!string && (text[i] == '}' || text[i] == ']')) {
			if (depth-- == 0)
				return n;
			if (depth == 0 && n < max)
				ret[n++].to = i + 1;
		}
	}
	return n;
}

/* The first len bytes: everything that is whole is there, the rest is said to be cut. */
static void check_cut(const char *text, size_t len, const struct extent *extents, size_t n,
		      size_t end)
{
	_cleanup_(td_imported_done) struct td_imported in = { 0 };
	uint64_t whole = 0;
	bool partial;

	while (whole < n && extents[whole].to <= len)
		whole++;
	partial = whole < n && extents[whole].from < len;
	td_import_bytes(&in, &td_importer_kineto, text, len, NULL);
	TD_CHECK_INT(in.source->lines, whole + partial);
	TD_CHECK_INT(in.source->issues, partial);
	TD_CHECK_INT(td_issues_of(&in, "cut-event"), partial);
	if (len >= end)
		TD_CHECK_INT(in.source->state, TD_STATE_COMPLETE);
	else if (whole)
		TD_CHECK_INT(in.source->state, TD_STATE_CUT);
}

/* At each offset, or at 200 of them. */
static void check_cuts(const char *text, size_t len, bool each)
{
	static struct extent extents[10000];
	size_t n = find_extents(text, len, extents, TD_ARRAY_SIZE(extents)), end = len;
	uint64_t random = 20231115;

	TD_CHECK(n > 0 && n < TD_ARRAY_SIZE(extents));
	while (end && (unsigned char)text[end - 1] <= ' ')
		end--;
	for (size_t i = 0; i < (each ? len : 200); i++) {
		random = random * UINT64_C(6364136223846793005) + 1442695040888963407; /* Knuth */
		check_cut(text, each ? i : (size_t)(random >> 33) % len, extents, n, end);
	}
}

static void test_cuts(void)
{
	static const char *const names[] = { "2021.json", "no-metadata.json", "relative.json" };

	for (size_t i = 0; i < TD_ARRAY_SIZE(names); i++) {
		char path[4096];
		size_t len;
		_cleanup_free_ char *text = NULL;

		TD_CASE(names[i]);
		(void)snprintf(path, sizeof(path), "%s/kineto/%s", TD_TEST_DATA, names[i]);
		text = td_read_whole(path, &len);
		TD_CHECK(text != NULL);
		if (text)
			check_cuts(text, len, true);
	}
}

/* --- the corpus, against another program's sums --- */

struct total {
	uint64_t n, sum; /* sums modulo 2^64 */
};

static void add_total(struct td_strbuf *b, const char *what, const char *kind, struct total *t)
{
	if (t->n)
		td_strbuf_addf(b, "%s%s%s %" PRIu64 " %" PRIu64 "\n", what, *kind ? " " : "", kind,
			       t->n, t->sum);
	*t = (struct total){ 0 };
}

static void count(struct total *t, int64_t start_ns, int64_t dur_ns, int64_t more)
{
	t->n++;
	t->sum += (uint64_t)start_ns * 3 + (dur_ns == TD_NULL ? 0 : (uint64_t)dur_ns) * 5 +
		  (more == TD_NULL ? 0 : (uint64_t)more) * 7;
}

/* By kind: count, and the sum of 3 * start + 5 * duration + 7 * what the row is about. */
static void add_totals(struct td_strbuf *b, const struct td_imported *in)
{
	static const char *const gpu_kinds[] = { "kernel", "copy", "set", "sync" };
	static const char *const span_kinds[] = { "cpu-op", "annotation", "gpu-annotation",
						  "python", "overhead",   "profiler" };
	struct total t = { 0 };

	for (size_t k = 0; k < TD_ARRAY_SIZE(gpu_kinds); k++) {
		for (size_t i = 0; i < in->ngpu_ops; i++) {
			const struct td_gpu_op *op = &in->gpu_ops[i];

			if (strcmp(td_text_of(in, op->kind_id), gpu_kinds[k]) != 0)
				continue;
			count(&t, op->start_ns, op->dur_ns, op->bytes);
			t.sum += (uint64_t)op->correlation;
			t.sum += (uint64_t)in->has->devices[op->device_id - 1].number * 11;
			t.sum += op->stream == INT32_MIN ? 0 : (uint64_t)op->stream * 13;
		}
		add_total(b, "gpu", gpu_kinds[k], &t);
	}
	for (size_t k = 0; k < TD_ARRAY_SIZE(span_kinds); k++) {
		for (size_t i = 0; i < in->nspans; i++)
			if (strcmp(td_text_of(in, in->spans[i].kind_id), span_kinds[k]) == 0)
				count(&t, in->spans[i].start_ns, in->spans[i].dur_ns,
				      (int64_t)strlen(td_text_of(in, in->spans[i].name_id)));
		add_total(b, "span", span_kinds[k], &t);
	}
	for (size_t i = 0; i < in->ncalls; i++)
		count(&t, in->calls[i].start_ns, in->calls[i].dur_ns,
		      (int64_t)strlen(td_op_name_of(in, &in->calls[i])));
	add_total(b, "call", "", &t);
	for (size_t i = 0; i < in->nmarks; i++)
		count(&t, in->marks[i].ts_ns, TD_NULL,
		      isnan(in->marks[i].value) ? 0 : (int64_t)in->marks[i].value);
	add_total(b, "mark", "", &t);
	td_strbuf_addf(b, "lines %" PRIu64 " skipped %" PRIu64 " base %lld\n", in->source->lines,
		       in->source->skipped, (long long)in->source->offset_ns);
}

/* What kineto-totals.py makes of the file; "" if it does not run. */
static void add_expected(struct td_strbuf *b, const char *path)
{
	char command[8192], line[256];
	FILE *f;

	(void)snprintf(command, sizeof(command), "python3 '%s/../unit/kineto-totals.py' '%s'",
		       TD_TEST_DATA, path);
	f = popen(command, "r");
	while (f && fgets(line, sizeof(line), f))
		td_strbuf_adds(b, line);
	if (f)
		TD_CHECK_INT(pclose(f), 0);
}

static bool is_negative(const char *name)
{
	return strstr(name, "rocprof") || strstr(name, "timeline.raw") || strstr(name, ".tar.gz");
}

static double import_corpus_file(struct td_imported *in, const char *path)
{
	struct timespec from, to;

	td_make_store(in);
	(void)clock_gettime(CLOCK_MONOTONIC, &from);
	TD_CHECK_INT(td_import_file(in->st, path, "test", &td_no_options, NULL, &in->err), 0);
	(void)clock_gettime(CLOCK_MONOTONIC, &to);
	in->source = td_store_source_at(in->st, 1);
	td_collect_rows(in);
	return (double)(to.tv_sec - from.tv_sec) * 1e3 + (double)(to.tv_nsec - from.tv_nsec) / 1e6;
}

static void corpus_file(const char *path, const char *name)
{
	_cleanup_(td_imported_done) struct td_imported in = { 0 };
	_cleanup_(td_strbuf_done) struct td_strbuf got = TD_STRBUF_INIT, want = TD_STRBUF_INIT;
	double ms = import_corpus_file(&in, path);

	printf("%.0f ms, ", ms);
	td_print_source(&in, path);
	if (is_negative(name)) {
		TD_CHECK_INT(in.source->state, TD_STATE_UNRECOGNISED);
		return;
	}
	TD_CHECK_STR(in.source->importer, "kineto");
	TD_CHECK_INT(in.source->state, TD_STATE_COMPLETE);
	TD_CHECK_INT(in.source->issues, 0);
	add_totals(&got, &in);
	add_expected(&want, path);
	TD_CHECK_STR(td_strbuf_str(&got), td_strbuf_str(&want));
}

#define CUT_MAX 500000

/* Unpacked, at 200 offsets: those that are small enough for it. The begins of all are cut by tests/property/cuts.c. */
static void corpus_cuts(const char *path, const char *name)
{
	_cleanup_(td_stream_closep) struct td_stream *in = NULL;
	_cleanup_(td_strbuf_done) struct td_strbuf text = TD_STRBUF_INIT;
	struct td_err err;
	const char *p;
	size_t len;

	if (is_negative(name) || td_stream_open(path, &in, &err) < 0)
		return;
	while (text.len < CUT_MAX && td_stream_bytes(in, &p, &len, &err) > 0)
		td_strbuf_add(&text, p, len);
	if (text.len < CUT_MAX)
		check_cuts(td_strbuf_str(&text), text.len, false);
}

/* What is in braces but no device, and names with escapes. */
static void test_devices(void)
{
	_cleanup_(td_imported_done) struct td_imported in = { 0 };

	TD_CASE("devices");
	td_import_text(&in, &td_importer_kineto,
		       "{\"deviceProperties\": [{\"id\": 3, \"name\": \"X \\\"\\u00e9\\\" {\", "
		       "\"limits\": {\"id\": 9}, \"totalGlobalMem\": 150754820096}, "
		       "{\"id\": 4, \"name\": \"no memory\"}], \"traceEvents\": []}",
		       NULL);
	TD_CHECK_INT(in.has->nsummaries, 1);
	TD_CHECK_STR(in.has->summaries[0].key, "GPU 3: X \"\xc3\xa9\" {");
	TD_CHECK(in.has->summaries[0].value == 150754820096.0);
}

int main(int argc, char **argv)
{
	static const char *const folders[] = { "kineto" };

	if (argc > 1) {
		int r = td_run_corpus(folders, 1, corpus_file);

		return r ? r : td_run_corpus(folders, 1, corpus_cuts);
	}
	test_2021();
	test_2021_annotations();
	test_no_metadata();
	test_relative();
	test_damaged();
	test_bases();
	test_states();
	test_sniff();
	test_many();
	test_cuts();
	test_devices();
	return td_check_result();
}
