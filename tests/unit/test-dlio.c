/* SPDX-License-Identifier: MIT */
/* The log of the DLIO benchmark. */
#include "importers/importers.h"
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
		"phase block 1 @0.000500000+64 complete {\"steps\":42}\n"
		"annotation batch_load 1 @0.600000000+0.500000000 complete {\"samples\":4} rank 0\n"
		"annotation batch_process 1 @1.350000000+1.250000000 complete {\"samples\":4} rank "
		"1\n"
		"phase eval @65+2 complete {\"steps\":5}\n"
		"phase checkpoint 1 @68+3.500000000 complete \n"
		"phase checkpoint 7 @72+- no-start \n"
		"phase epoch 2 @74+- unfinished {\"steps\":42}\n");
	TD_CHECK_INT(in.nmarks, 2);
	TD_CHECK_STR(td_text_of(&in, in.marks[0].name_id), "accelerator_utilization");
	TD_CHECK(in.marks[0].value == 97.125);
	TD_CHECK(in.marks[1].value == 11.5);
	TD_CHECK_INT(in.source->rows, 14);
	TD_CHECK_INT(in.source->issues, 0);
	TD_CHECK_INT(td_issues_of(&in, "assumed-utc"), 1);
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
	test_damaged();
	test_sniff();
	return td_check_result();
}
