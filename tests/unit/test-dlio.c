/* SPDX-License-Identifier: MIT */
/* The log of the DLIO benchmark. */
#include "importers/core/importers.h"
#include "tests/unit/samplers.h"

/* "kind name number @start+dur state {args} rank", times since 21:27:13 */
static void add_span(struct td_strbuf *b, const struct td_imported *in, const struct td_span *s)
{
	int64_t origin = td_days_from_date(2023, 6, 27) * TD_DAY_NS +
			 (21 * INT64_C(3600) + 27 * 60 + 13) * TD_SEC_NS;

	td_strbuf_addf(b, "%s %s ", td_text_of(in, s->kind_id), td_text_of(in, s->name_id));
	if (s->number != TD_NULL)
		td_strbuf_addf(b, "%lld ", (long long)s->number);
	td_strbuf_adds(b, "@");
	td_add_ns(b, s->start_ns - origin);
	td_strbuf_adds(b, "+");
	td_add_ns(b, s->dur_ns);
	td_strbuf_addf(b, " %s %s", td_text_of(in, s->state_id), td_text_of(in, s->args_id));
	if (s->rank != INT32_MIN)
		td_strbuf_addf(b, " rank %d", s->rank);
	td_strbuf_adds(b, "\n");
}

static void test_log(void)
{
	_cleanup_(td_imported_done) struct td_imported in = { 0 };
	_cleanup_(td_strbuf_done) struct td_strbuf got = TD_STRBUF_INIT;

	TD_CASE("dlio.log");
	TD_CHECK(td_import_path(&in, TD_TEST_DATA "/dlio/dlio.log", NULL));
	TD_CHECK_STR(in.source->importer, "dlio");
	TD_CHECK_INT(in.source->clock, TD_CLOCK_UTC);
	for (size_t i = 0; i < in.nspans; i++)
		add_span(&got, &in, &in.spans[i]);
	/* 14.1 - 0.5 = 13.6 and 15.6 - 1.25 = 14.35 are the begins of the batches */
	TD_CHECK_STR(
		td_strbuf_str(&got),
		"phase epoch 1 @0+73 complete {\"steps\":42}\n"
		"phase block 1 @0.000500000+64 complete {\"part\":1,\"steps\":42}\n"
		"annotation batch_load 1 @0.600000000+0.500000000 complete {\"samples\":4} rank 0\n"
		"annotation batch_process 1 @1.350000000+1.250000000 complete {\"samples\":4} rank "
		"1\n"
		"phase eval 1 @65+2 complete {\"steps\":5}\n"
		"phase checkpoint 1 @68+3.500000000 complete {\"part\":1}\n"
		"phase checkpoint 1 @72+- no-start {\"part\":7}\n"
		"phase epoch 2 @74+- unfinished {\"steps\":42}\n");
	TD_CHECK_INT(in.nmarks, 2);
	TD_CHECK_STR(td_text_of(&in, in.marks[0].name_id), "accelerator_utilization");
	TD_CHECK(in.marks[0].value == 97.125);
	TD_CHECK(in.marks[1].value == 11.5);
	TD_CHECK_INT(in.source->rows, 15);
	TD_CHECK_INT(in.has->nsummaries, 2);
	TD_CHECK_STR(in.has->summaries[0].name, "Training Accelerator Utilization [AU] (%)");
	TD_CHECK_STR(in.has->summaries[0].key, "mean");
	TD_CHECK(in.has->summaries[0].value == 97.125);
	TD_CHECK(in.has->summaries[1].value == 0.5);
	TD_CHECK_INT(in.source->issues, 0);
	TD_CHECK_INT(td_issues_of(&in, "assumed-utc"), 1);
}

static void check_spans(const struct td_imported *in, const char *want)
{
	_cleanup_(td_strbuf_done) struct td_strbuf got = TD_STRBUF_INIT;

	for (size_t i = 0; i < in->nspans; i++)
		add_span(&got, in, &in->spans[i]);
	TD_CHECK_STR(td_strbuf_str(&got), want);
}

static void check_summaries(const struct td_imported *in, const char *want)
{
	_cleanup_(td_strbuf_done) struct td_strbuf got = TD_STRBUF_INIT;

	for (size_t i = 0; i < in->has->nsummaries; i++) {
		const struct td_summary *s = &in->has->summaries[i];

		td_strbuf_addf(&got, "%s[%s] = %g %s\n", s->name, s->key ? s->key : "", s->value,
			       s->unit ? s->unit : "");
	}
	TD_CHECK_STR(td_strbuf_str(&got), want);
}

/* The same run as the log. */
static void test_json(void)
{
	_cleanup_(td_imported_done) struct td_imported epochs = { 0 }, output = { 0 };
	_cleanup_(td_imported_done) struct td_imported summary = { 0 };

	TD_CASE("per_epoch_stats.json");
	TD_CHECK(td_import_path(&epochs, TD_TEST_DATA "/dlio_json/0_per_epoch_stats.json", NULL));
	TD_CHECK_STR(epochs.source->importer, "dlio-json");
	check_spans(&epochs, "phase epoch 1 @0+73 complete \n"
			     "phase block 1 @0.000500000+64 complete {\"part\":1}\n"
			     "phase eval 1 @65+2 complete \n"
			     "phase checkpoint 1 @68+3.500000000 complete {\"part\":1}\n"
			     "phase epoch 2 @74+- unfinished \n");
	TD_CHECK_INT(epochs.source->issues, 0);
	TD_CHECK_INT(td_issues_of(&epochs, "assumed-utc"), 1);
	TD_CASE("output.json");
	TD_CHECK(td_import_path(&output, TD_TEST_DATA "/dlio_json/3_output.json", NULL));
	TD_CHECK_STR(output.source->importer, "dlio-json");
	/* 2.5 + 0.25, 3.5 + 1.25 */
	check_summaries(&output, "dlio.host_memory_GB[] = 503.5 \n"
				 "dlio.load.steps[epoch 1, block1] = 2 count\n"
				 "dlio.load.total[epoch 1, block1] = 2.75 s\n"
				 "dlio.load.max[epoch 1, block1] = 2.5 s\n"
				 "dlio.load.steps[epoch 1, eval] = 1 count\n"
				 "dlio.load.total[epoch 1, eval] = 0.5 s\n"
				 "dlio.load.max[epoch 1, eval] = 0.5 s\n"
				 "dlio.proc.steps[epoch 1, block1] = 2 count\n"
				 "dlio.proc.total[epoch 1, block1] = 4.75 s\n"
				 "dlio.proc.max[epoch 1, block1] = 3.5 s\n"
				 "dlio.throughput[epoch 1, block1] = 11.5 \n"
				 "dlio.au[epoch 1, block1] = 97.125 \n");
	TD_CASE("summary.json");
	TD_CHECK(td_import_path(&summary, TD_TEST_DATA "/dlio_json/summary.json", NULL));
	TD_CHECK_STR(summary.source->importer, "dlio-json");
	check_spans(&summary, "phase run @0+167 complete \n");
	check_summaries(&summary, "dlio.num_accelerators[] = 2 \n"
				  "dlio.train_au_percentage[epoch 1] = 97.125 \n"
				  "dlio.train_au_percentage[epoch 2] = 98.5 \n"
				  "dlio.train_au_mean_percentage[] = 97.8125 \n"
				  "dlio.epochs[] = 2 \n");
}

/* One line, the file's name says the rank; cut in the second epoch. */
static void test_json_cut(void)
{
	static const char text[] =
		"{\"1\":{\"start\":\"2023-06-27T21:27:13.000000\",\"block1\":{\"start\":"
		"\"2023-06-27T21:27:14.000000\",\"end\":\"2023-06-27T21:27:15.000000\"},"
		"\"end\":\"2023-06-27T21:27:16.000000\"},\n\"2\":{\"start\":"
		"\"2023-06-27T21:27:17.000000\",\n\"block1\":{\"sta";
	_cleanup_(td_imported_done) struct td_imported in = { 0 };

	TD_CASE("cut JSON");
	td_make_store(&in);
	TD_CHECK_INT(td_import_mem(in.st, text, strlen(text), "out/5_per_epoch_stats.json", NULL,
				   &td_no_options, &in.err),
		     0);
	in.source = td_store_source_at(in.st, 1);
	td_collect_rows(&in);
	TD_CHECK_INT(in.source->state, TD_STATE_CUT);
	TD_CHECK_INT(td_issues_of(&in, "cut-line"), 1);
	check_spans(&in, "phase epoch 1 @0+3 complete  rank 5\n"
			 "phase block 1 @1+1 complete {\"part\":1} rank 5\n"
			 "phase epoch 2 @4+- unfinished  rank 5\n");
}

/* As Python's json.dump() writes it: without a newline at the end. */
static void test_json_whole(void)
{
	static const char text[] =
		"{\n    \"1\": {\n        \"start\": \"2023-06-27T21:27:13.000000\",\n"
		"        \"block1\": {\n            \"start\": \"2023-06-27T21:27:14.000000\"\n"
		"        },\n        \"end\": \"2023-06-27T21:27:16.000000\"\n    }\n}";
	_cleanup_(td_imported_done) struct td_imported in = { 0 };

	TD_CASE("JSON without a newline at its end");
	td_import_text(&in, NULL, text, NULL);
	TD_CHECK_STR(in.source->importer, "dlio-json");
	TD_CHECK_INT(in.source->state, TD_STATE_COMPLETE);
	TD_CHECK_INT(in.source->issues, 0);
}

/* Of each an epoch of block1, which is closed or opened by the line that is left out, and eval, and another epoch. The
 * second is read whichever of the two brackets was lost. */
#define AT(s) "\"2023-06-27T21:27:" #s ".000000\""
#define EPOCH_1 "\"1\": {\n\"start\": " AT(13) ",\n"
#define BLOCK_1 "\"start\": " AT(14) ",\n\"end\": " AT(15) "\n"
#define REST_1                                                                                     \
	"\"eval\": {\n\"start\": " AT(16) ",\n\"end\": " AT(17) "\n},\n\"end\": " AT(18) "\n},\n"
#define EPOCH_2 "\"2\": {\n\"start\": " AT(19) ",\n\"end\": " AT(20) "\n}\n}\n"

static void test_json_brackets(void)
{
	_cleanup_(td_imported_done) struct td_imported open = { 0 }, close = { 0 };

	/* what is below the eval that seems to be in the block, and an end that the block has already */
	TD_CASE("a closing bracket is lost");
	td_import_text(&close, &td_importer_dlio_json,
		       "{\n" EPOCH_1 "\"block1\": {\n" BLOCK_1 REST_1 EPOCH_2, NULL);
	check_spans(&close, "phase epoch 1 @0+- unfinished \n"
			    "phase block 1 @1+1 complete {\"part\":1}\n"
			    "phase epoch 2 @6+1 complete \n");
	TD_CHECK_INT(td_issues_of(&close, "spoilt-line"), 3);
	TD_CHECK_INT(td_issues_of(&close, "lost-bracket"), 1);
	TD_CHECK_INT(close.source->state, TD_STATE_COMPLETE);

	/* the start of the block, as the epoch has one already; the end of the block is taken for that of the epoch, so
	 * that the eval is in none, and the end of the epoch is one without a start */
	TD_CASE("an opening bracket is lost");
	td_import_text(&open, &td_importer_dlio_json, "{\n" EPOCH_1 BLOCK_1 "},\n" REST_1 EPOCH_2,
		       NULL);
	check_spans(&open, "phase epoch 1 @0+2 complete \nphase epoch 2 @6+1 complete \n");
	TD_CHECK_INT(td_issues_of(&open, "spoilt-line"), 4);
	TD_CHECK_INT(td_issues_of(&open, "lost-bracket"), 1);
}

/* A list of steps that is not where lists are is no row. */
static void test_json_deep_list(void)
{
	_cleanup_(td_imported_done) struct td_imported in = { 0 };

	TD_CASE("a bracket is lost before a list");
	td_import_text(&in, &td_importer_dlio_json,
		       "{\n\"1\": {\n\"load\": {\n\"block1\": [\n1.5\n],\n\"eval\": [\n0.5\n]\n,\n"
		       "\"proc\": {\n\"block1\": [\n2.5\n]\n}\n}\n}\n",
		       NULL);
	check_summaries(&in, "dlio.load.steps[epoch 1, block1] = 1 count\n"
			     "dlio.load.total[epoch 1, block1] = 1.5 s\n"
			     "dlio.load.max[epoch 1, block1] = 1.5 s\n"
			     "dlio.load.steps[epoch 1, eval] = 1 count\n"
			     "dlio.load.total[epoch 1, eval] = 0.5 s\n"
			     "dlio.load.max[epoch 1, eval] = 0.5 s\n");
	TD_CHECK_INT(td_issues_of(&in, "spoilt-line"), 1); /* 2.5 */
}

/* numpy's mean of nothing is NaN: what comes behind it keeps its place, and a sum with it in is not known. */
static void test_json_nan(void)
{
	static const char summary[] =
		"{\"num_accelerators\": 2, \"metric\": {\"au\": [1.5, NaN, 3.5], "
		"\"mean\": NaN}}\n";
	static const char output[] =
		"{\"1\": {\"load\": {\"block1\": [0.5, NaN, 0.25], \"block2\": "
		"[1.5]}, \"proc\": {}}}\n";
	_cleanup_(td_imported_done) struct td_imported in = { 0 }, steps = { 0 };

	TD_CASE("NaN among JSON");
	td_import_text(&in, &td_importer_dlio_json, summary, NULL);
	check_summaries(&in, "dlio.num_accelerators[] = 2 \ndlio.au[epoch 1] = 1.5 \n"
			     "dlio.au[epoch 3] = 3.5 \n");
	td_import_text(&steps, &td_importer_dlio_json, output, NULL);
	check_summaries(&steps, "dlio.load.steps[epoch 1, block1] = 3 count\n"
				"dlio.load.steps[epoch 1, block2] = 1 count\n"
				"dlio.load.total[epoch 1, block2] = 1.5 s\n"
				"dlio.load.max[epoch 1, block2] = 1.5 s\n");
}

/* A killed log, and one that starts the same phase over and over. */
static void test_damaged(void)
{
	_cleanup_(td_imported_done) struct td_imported cut = { 0 }, many = { 0 }, far = { 0 };
	_cleanup_(td_strbuf_done) struct td_strbuf text = TD_STRBUF_INIT;

	TD_CASE("cut");
	td_import_text(&cut, &td_importer_dlio,
		       "[INFO] 2023-06-27T21:27:14.100000 Rank 0 step 1: loaded 4 samples in 0.5",
		       NULL);
	TD_CHECK_INT(cut.nspans, 0);
	TD_CHECK_INT(td_issues_of(&cut, "cut-line"), 1);
	TD_CASE("many open");
	for (int i = 0; i < 200; i++)
		td_strbuf_addf(&text, "2023-06-27T21:27:13.000000 Starting block %d\n", i / 2);
	td_import_text(&many, &td_importer_dlio, td_strbuf_str(&text), NULL);
	TD_CHECK_INT(many.nspans, 200);
	TD_CHECK_INT(many.source->rows, 200);
	TD_CASE("a phase that began before there were computers");
	td_import_text(&far, &td_importer_dlio,
		       "1817-06-27T21:27:13.000000 Starting block 1\n"
		       "2023-06-27T21:27:13.000000 Ending block 1\n",
		       NULL);
	TD_CHECK_INT(far.source->skipped, 1);
	TD_CHECK_INT(far.nspans, 1);
	TD_CHECK_INT(far.spans[0].dur_ns, TD_NULL);
}

static const struct {
	const char *text;
	bool claimed;
} heads[] = {
	{ "[INFO] 2023-06-27T21:27:12.956820 Running DLIO with 2 process(es)\n", true },
	{ "2022-11-09T17:49:50.271593 Starting epoch 1: 42 steps expected\n", true },
	{ "[INFO] 2023-06-27T21:27:12.956820 Starting server\n", false },
	{ "[INFO] 2023-06-27T21:27:12.956820 Starting evaluation of it all\n", false },
	{ "Starting epoch 1\n", false },
	{ "", false },
};

static void test_json_sniff(void)
{
	static const char *const others[] = {
		"{\"1\": {\"start\": 5}}",
		"{\"block1\": 1}",
		"[{\"1\": {\"eval\": 2, \"start\": 3}}]",
		"{\"metric\": 5}",
		"",
	};

	for (size_t i = 0; i < TD_ARRAY_SIZE(others); i++) {
		TD_CASE(others[i]);
		TD_CHECK_INT(td_importer_dlio_json.sniff(others[i], strlen(others[i])), 0);
	}
}

static void test_sniff(void)
{
	for (size_t i = 0; i < TD_ARRAY_SIZE(heads); i++) {
		TD_CASE(heads[i].text);
		TD_CHECK_INT(td_importer_dlio.sniff(heads[i].text, strlen(heads[i].text)) > 0,
			     heads[i].claimed);
	}
}

int main(void)
{
	test_log();
	test_json();
	test_json_cut();
	test_json_nan();
	test_json_whole();
	test_json_brackets();
	test_json_deep_list();
	test_json_sniff();
	test_damaged();
	test_sniff();
	return td_check_result();
}
