/* SPDX-License-Identifier: MIT */
/* iostat's text and JSON. The recordings in tests/data/iostat* were made with sysstat 12.6.1 by the options
 * in their names. */
#include "importers/core/importers.h"
#include "tests/unit/samplers.h"

static void import_data(struct td_imported *in, const char *path, const char *importer)
{
	TD_CASE(path);
	TD_CHECK(td_import_path(in, path, NULL));
	TD_CHECK_STR(in->source->importer ? in->source->importer : "", importer);
	TD_CHECK_INT(in->source->issues, 0);
}

static int64_t at(int year, int month, int day, int hour, int minute, int second)
{
	return td_days_from_date(year, month, day) * TD_DAY_NS +
	       (hour * INT64_C(3600) + minute * 60 + second) * TD_SEC_NS;
}

/* The value of the only sample of the track at that time, NaN if there is none. */
static double value_of(const struct td_imported *in, const char *track, int64_t ts_ns)
{
	double found = NAN;

	for (size_t i = 0; i < in->nsamples; i++) {
		const struct td_sample *s = &in->samples[i];

		if (s->ts_ns != ts_ns || strcmp(td_track_of(in, s->track_id)->name, track) != 0)
			continue;
		TD_CHECK(isnan(found));
		found = s->value;
	}
	return found;
}

static double summary_of(const struct td_imported *in, const char *name, const char *key)
{
	for (size_t i = 0; i < in->has->nsummaries; i++)
		if (strcmp(in->has->summaries[i].name, name) == 0 &&
		    strcmp(in->has->summaries[i].key, key) == 0)
			return in->has->summaries[i].value;
	return NAN;
}

#define NEAR(got, want) TD_CHECK(fabs((got) - (want)) < 0.005)

/* iostat -t -k 1 2: the first report is of the time since boot. */
static void test_dated(void)
{
	_cleanup_(td_imported_done) struct td_imported in = { 0 };
	int64_t t = at(2026, 11, 20, 11, 26, 36);

	import_data(&in, TD_TEST_DATA "/iostat/tk.txt", "iostat");
	TD_CHECK_INT(in.source->clock, TD_CLOCK_LOCAL);
	TD_CHECK_STR(in.source->host, "box");
	/* 6 of avg-cpu; tps and three rates: what was transferred in all is left out */
	TD_CHECK_INT(in.nsamples, 10);
	TD_CHECK_INT(in.has->nsummaries, 10);
	NEAR(value_of(&in, "cpu.usr", t), 88.5);
	NEAR(value_of(&in, "cpu.idle", t), 0);
	NEAR(value_of(&in, "disk.tps", t), 46);
	NEAR(value_of(&in, "disk.r_bytes_s", t), 56 * 1024);
	NEAR(value_of(&in, "disk.w_bytes_s", t), 464 * 1024);
	NEAR(summary_of(&in, "disk.tps", "vda"), 111.24);
	NEAR(summary_of(&in, "cpu.iowait", "all"), 0.1);
	for (size_t i = 0; i < in.nsamples; i++)
		TD_CHECK_INT(in.samples[i].dur_ns, TD_SEC_NS);
	TD_CHECK_INT(in.source->rows, 4);
}

/* S_TIME_FORMAT=ISO iostat -xty 1 2: UTC, and no report since boot. */
static void test_iso(void)
{
	_cleanup_(td_imported_done) struct td_imported in = { 0 };
	int64_t t = at(2026, 11, 20, 11, 26, 37);

	import_data(&in, TD_TEST_DATA "/iostat/iso.txt", "iostat");
	TD_CHECK_INT(in.source->clock, TD_CLOCK_UTC);
	TD_CHECK_INT(in.has->nsummaries, 0);
	TD_CHECK_INT(in.nsamples, 2 * (6 + 22));
	NEAR(value_of(&in, "disk.w_bytes_s", t), 376 * 1024);
	NEAR(value_of(&in, "disk.w_size", t), 75.2 * 1024);
	NEAR(value_of(&in, "disk.d_size", t + TD_SEC_NS), 162.4 * 1024);
	NEAR(value_of(&in, "disk.util", t + TD_SEC_NS), 0.4);
}

/* iostat -x 1 3 */
static void test_no_time(void)
{
	_cleanup_(td_imported_done) struct td_imported in = { 0 };

	import_data(&in, TD_TEST_DATA "/iostat/x-no-time.txt", "iostat");
	TD_CHECK_INT(in.source->clock, TD_CLOCK_RELATIVE);
	TD_CHECK_INT(td_issues_of(&in, "no-time-stamps"), 1);
	TD_CHECK_INT(in.has->nsummaries, 28);
	TD_CHECK_INT(in.nsamples, 2 * 28);
	NEAR(value_of(&in, "disk.w_bytes_s", 2), 1568 * 1024); /* of the second report */
	NEAR(value_of(&in, "cpu.usr", 3), 96.52);
}

/* iostat -h -x 1 1: three tables per report, the name of the device last, 933.2k, 3.0M, 10.4% */
static void test_human(void)
{
	_cleanup_(td_imported_done) struct td_imported in = { 0 };

	import_data(&in, TD_TEST_DATA "/iostat/h.txt", "iostat");
	TD_CHECK_INT(in.nsamples, 0);
	NEAR(summary_of(&in, "disk.r_bytes_s", "vda"), 933.2 * 1024);
	NEAR(summary_of(&in, "disk.w_bytes_s", "vda"), 3.0 * 1024 * 1024);
	NEAR(summary_of(&in, "disk.rrqm", "vda"), 10.4);
	NEAR(summary_of(&in, "disk.util", "vda"), 0.8);
	NEAR(summary_of(&in, "cpu.usr", "all"), 54.5);
}

/* S_COLORS=always iostat -xt 1 2: the second report has 6 columns of avg-cpu and 22 of one disk. */
static void test_colours(void)
{
	_cleanup_(td_imported_done) struct td_imported in = { 0 };

	import_data(&in, TD_TEST_DATA "/iostat/colours.txt", "iostat");
	TD_CHECK_INT(in.source->issues, 0);
	TD_CHECK_INT(in.source->rows, 4);
	TD_CHECK_INT(in.has->nsummaries, 28);
	TD_CHECK_INT(in.nsamples, 28);
	TD_CHECK_INT(in.source->clock, TD_CLOCK_LOCAL);
}

/* The time of a report in locales whose date or time has blanks in it; 10:00:01 on 20 November 2026 */
static void test_times(void)
{
	static const char *const times[] = {
		"11/20/2026 10:00:01 AM",
		"Friday, 20 November, 2026 10:00:01 AM UTC",
		"20 \xd9\x86\xd9\x88\xd9\x81, 2026 +03 10:00:01 \xd8\xb5", /* Arabic */
		("2026\xeb\x85\x84 11\xec\x9b\x94 20\xec\x9d\xbc 10\xec\x8b\x9c 00\xeb\xb6\x84 01"
		 "\xec\xb4\x88"), /* Korean */
		"20. 11. 2026 10:00:01",
		"20-11-26 \xe0\xb0\x89.10.00.01 IST", /* Telugu */
	};

	for (size_t i = 0; i < TD_ARRAY_SIZE(times); i++) {
		_cleanup_(td_imported_done) struct td_imported in = { 0 };
		char text[512];

		(void)snprintf(
			text, sizeof(text),
			"Linux 6.1.0 (box) \t11/20/26 \t_x86_64_\t(2 CPU)\n\n\n%s\n"
			"Device             tps    kB_read/s\nvda               1.00   2.00\n",
			times[i]);
		TD_CASE(times[i]);
		td_import_text(&in, &td_importer_iostat, text, NULL);
		TD_CHECK_INT(in.source->issues, 0);
		TD_CHECK_INT(in.source->clock, TD_CLOCK_LOCAL);
		TD_CHECK_INT(in.nsamples, 2); /* -y: two blank lines above it */
		if (in.nsamples)
			TD_CHECK_INT(in.samples[0].ts_ns, at(2026, 11, 20, 10, 0, 1));
	}
}

/* Decimal commas, sectors, one blank line between reports, midnight. */
static void test_old(void)
{
	_cleanup_(td_imported_done) struct td_imported in = { 0 };
	int64_t t = at(2015, 11, 21, 0, 0, 8);

	import_data(&in, TD_TEST_DATA "/iostat/old-german.txt", "iostat");
	TD_CHECK_INT(in.nsamples, 17);
	TD_CHECK_INT(in.has->nsummaries, 17);
	NEAR(value_of(&in, "disk.r_bytes_s", t), 800 * 512);
	NEAR(value_of(&in, "disk.size", t), 80 * 512);
	NEAR(value_of(&in, "cpu.usr", t), 50.25);
	TD_CHECK_INT(in.samples[0].dur_ns, 10 * TD_SEC_NS);
}

static void test_json(void)
{
	_cleanup_(td_imported_done) struct td_imported y = { 0 }, first = { 0 }, killed = { 0 };
	_cleanup_(td_imported_done) struct td_imported sorted = { 0 }, one_line = { 0 };
	int64_t t = at(2026, 11, 20, 11, 26, 34);

	/* iostat -dxmty -o JSON 1 2 */
	import_data(&y, TD_TEST_DATA "/iostat_json/dx.json", "iostat-json");
	TD_CHECK_INT(y.source->clock, TD_CLOCK_LOCAL);
	TD_CHECK_STR(y.source->host, "box");
	TD_CHECK_INT(y.has->nsummaries, 0);
	TD_CHECK_INT(y.nsamples, 2 * 22);
	NEAR(value_of(&y, "disk.w_bytes_s", t), 0.2 * 1024 * 1024);
	NEAR(value_of(&y, "disk.r_s", t - TD_SEC_NS), 3);
	/* iostat -xt 1 2 -o JSON */
	import_data(&first, TD_TEST_DATA "/iostat_json/xt.json", "iostat-json");
	TD_CHECK_INT(first.has->nsummaries, 28);
	TD_CHECK_INT(first.nsamples, 28);
	NEAR(value_of(&first, "disk.w_bytes_s", t + TD_SEC_NS), 24332.0 * 1024);
	NEAR(value_of(&first, "cpu.usr", t + TD_SEC_NS), 88.56);
	/* the same with members sorted, one per line, and all of it on one line */
	import_data(&sorted, TD_TEST_DATA "/iostat_json/xt-sorted.json", "iostat-json");
	TD_CHECK_INT(sorted.has->nsummaries, 28);
	td_check_same_samples(&sorted, &first);
	import_data(&one_line, TD_TEST_DATA "/iostat_json/xt-one-line.json", "iostat-json");
	TD_CHECK_INT(one_line.has->nsummaries, 28);
	td_check_same_samples(&one_line, &first);
	TD_CASE("killed");
	TD_CHECK(td_import_path(&killed, TD_TEST_DATA "/iostat_json/killed.json", NULL));
	TD_CHECK_INT(killed.source->state, TD_STATE_CUT);
	TD_CHECK_INT(killed.nsamples, 22);
}

/* Reports without a time (no -t), where nothing but the brackets tells them apart: the first is of the time
 * since boot. Cut in the third. */
static void test_json_no_time(void)
{
	static const char text[] =
		"{\"sysstat\":{\"hosts\":[{\"statistics\":[\n"
		"{\"avg-cpu\":{\"user\":1.0},\"disk\":[{\"tps\":2.0,\"disk_device\":\"vda\"}]},\n"
		"{\"avg-cpu\":\n{\n\"user\":\n3.0\n},\"disk\":[\n{\"tps\":4.0,\n"
		"\"disk_device\":\"vda\"}]},\n"
		"{\"avg-cpu\":{\"user\":5.0},\n\"disk\":[{\"tps\":6.0,\"disk_dev";
	_cleanup_(td_imported_done) struct td_imported in = { 0 };

	TD_CASE("JSON without times");
	td_import_text(&in, NULL, text, NULL);
	TD_CHECK_INT(in.source->clock, TD_CLOCK_RELATIVE);
	TD_CHECK_INT(in.source->state, TD_STATE_CUT);
	TD_CHECK_INT(td_issues_of(&in, "no-time-stamps"), 1);
	TD_CHECK_INT(td_issues_of(&in, "since-boot"), 1);
	TD_CHECK_INT(in.has->nsummaries, 2);
	td_check_samples(&in, 0,
			 "cpu.usr - @0.000000002+- = 3 %\ndisk.tps vda @0.000000002+- = 4 1/s\n"
			 "cpu.usr - @0.000000003+- = 5 %\n");
}

static const struct {
	const char *text, *kind;
	uint64_t rows, issues;
} damaged[] = {
	{ "Linux 6.1.0 (box) \t11/20/26 \t_x86_64_\t(2 CPU)\n\n"
	  "Device             tps    kB_read/s    kB_wrtn/s\nvda   1.00  2.00  3.00\nvda   1.00  "
	  "2.",
	  "cut-line", 1, 1 },
	{ "Linux 6.1.0 (box) \t11/20/26 \t_x86_64_\t(2 CPU)\n\n"
	  "Device             tps    kB_read/s    kB_wrtn/s\nvda   1.00  2.00  3.00\nvda   1.00  "
	  "2.00  30",
	  "cut-line", 1, 1 },
	{ "Linux 6.1.0 (box) \t11/20/26 \t_x86_64_\t(2 CPU)\n\n"
	  "Device             tps    kB_read/s    kB_wrtn/s\nvda   1.00  x  3.00\n",
	  "not-a-row", 0, 1 },
	{ "Linux 6.1.0 (box) \t11/20/26 \t_x86_64_\t(2 CPU)\n\nterminated by signal\n",
	  "unknown-line", 0, 1 },
	/* the sum over a group */
	{ "Linux 6.1.0 (box) \t11/20/26 \t_x86_64_\t(2 CPU)\n\n"
	  "Device             tps    kB_read/s    kB_wrtn/s\n ALL  1.00  2.00  3.00\n",
	  "group", 0, 0 },
};

static void test_damaged(void)
{
	for (size_t i = 0; i < TD_ARRAY_SIZE(damaged); i++) {
		_cleanup_(td_imported_done) struct td_imported in = { 0 };

		TD_CASE(damaged[i].text);
		td_import_text(&in, &td_importer_iostat, damaged[i].text, NULL);
		TD_CHECK_INT(in.source->rows, damaged[i].rows);
		TD_CHECK_INT(in.source->issues, damaged[i].issues);
		TD_CHECK_INT(td_issues_of(&in, damaged[i].kind), 1);
	}
}

static const struct {
	const char *text;
	bool text_form, json_form;
} heads[] = {
	{ "Device             tps    kB_read/s    kB_wrtn/s    kB_read    kB_wrtn\n", true, false },
	{ "Device: rrqm/s  wrqm/s    r/s    w/s  rkB/s  wkB/s  await  svctm  %util\n", true,
	  false },
	{ "{\"sysstat\": {\"hosts\": [{\"statistics\": [{\"disk\": [{\"disk_device\": "
	  "\"a\"}]}]}]}}",
	  false, true },
	{ "10:00:00 AM  CPU    %usr   %nice    %sys %iowait    %irq   %soft  %steal  %idle\n",
	  false, false },
	{ "{\"sysstat\": {\"hosts\": [{\"statistics\": [{\"cpu-load\": []}]}]}}", false, false },
	{ " * {\"sysstat\": {\"hosts\": [{\"statistics\": [{\"disk\": [{\"disk_device\": "
	  "\"a\"}]}]}]}}",
	  false, false },
	{ "Device Boot Start End Sectors Size Id Type\n", false, false },
	{ "", false, false },
};

static void test_sniff(void)
{
	for (size_t i = 0; i < TD_ARRAY_SIZE(heads); i++) {
		size_t len = strlen(heads[i].text);

		TD_CASE(heads[i].text);
		TD_CHECK_INT(td_importer_iostat.sniff(heads[i].text, len) > 0, heads[i].text_form);
		TD_CHECK_INT(td_importer_iostat_json.sniff(heads[i].text, len) > 0,
			     heads[i].json_form);
	}
}

int main(void)
{
	test_dated();
	test_iso();
	test_no_time();
	test_human();
	test_times();
	test_colours();
	test_old();
	test_json();
	test_json_no_time();
	test_damaged();
	test_sniff();
	return td_check_result();
}
