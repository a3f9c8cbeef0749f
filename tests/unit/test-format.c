/* SPDX-License-Identifier: MIT */
#include <math.h>

#include "common/cleanup.h"
#include "common/text.h"
#include "analyzer/format/cell.h"
#include "analyzer/format/formats.h"
#include "tests/unit/check.h"

#define INT(v)                                                                                     \
	{                                                                                          \
		.type = TD_VALUE_INT, .i = (v)                                                     \
	}
#define REAL(v)                                                                                    \
	{                                                                                          \
		.type = TD_VALUE_REAL, .d = (v)                                                    \
	}
#define TEXT(v)                                                                                    \
	{                                                                                          \
		.type = TD_VALUE_TEXT, .text = {(v), sizeof(v) - 1 }                               \
	}
#define NONE                                                                                       \
	{                                                                                          \
		.type = TD_VALUE_NULL                                                              \
	}

/* 1661663774 is 2022-08-28 05:16:14 UTC (date -u -d @1661663774). */
static const struct td_report_column columns[] = {
	{ "file", "", TD_UNIT_TEXT },        { "reads", "", TD_UNIT_COUNT },
	{ "done_bytes", "", TD_UNIT_BYTES }, { "total_ns", "", TD_UNIT_DUR_NS },
	{ "start_ns", "", TD_UNIT_TS_NS },   { "share_percent", "", TD_UNIT_PERCENT },
};
#define NCOLUMNS TD_ARRAY_SIZE(columns)

static const struct td_cell rows[][NCOLUMNS] = {
	{ TEXT("/data/a.npy"), INT(1234), INT(1230000000), INT(12300000),
	  INT(INT64_C(1661663774740000000)), REAL(45.678) },
	{ TEXT("a\"b,c\nx|e\t\\"), INT(0), NONE, NONE, NONE, REAL(0.01) },
	{ TEXT("x\xff\0y"), NONE, INT(5), REAL(1500.5), INT(90), INT(100) },
	{ TEXT("\xe6\xbc\xa2\xe5\xad\x97"), INT(-7), INT(0), INT(0), NONE, NONE },
	{ TEXT(""), NONE, NONE, NONE, NONE, NONE },
};

static const struct td_table_head head = {
	.name = "io",
	.title = "Files | I/O",
	.columns = columns,
	.ncolumns = NCOLUMNS,
	.total = &columns[3],
};

static const struct td_report_column one_column[] = { { "n", "", TD_UNIT_ANY } };
static const struct td_table_head small = { .name = "small", .columns = one_column, .ncolumns = 1 };
static const struct td_table_head unnamed = { .columns = one_column, .ncolumns = 1 };

/* What is written to the writer by fill is checked against want. */
static void check(const char *format, const struct td_writer_options *options,
		  void (*fill)(struct td_writer *w), const char *want)
{
	static const struct td_writer_options plain;
	_cleanup_free_ char *text = NULL;
	size_t len = 0;
	FILE *f = open_memstream(&text, &len);
	struct td_writer *w = NULL;

	TD_CHECK_INT(td_writer_new(td_format_find(format), f, options ? options : &plain, &w), 0);
	fill(w);
	TD_CHECK_INT(td_writer_end(w), 0);
	td_writer_free(w);
	fclose(f);
	TD_CHECK_INT(len, strlen(text));
	TD_CHECK_STR(text, want);
}

static void put_rows(struct td_writer *w, size_t first, size_t n)
{
	TD_CHECK_INT(td_writer_table(w, &head), 0);
	for (size_t i = first; i < first + n; i++)
		TD_CHECK_INT(td_writer_row(w, rows[i]), 0);
	TD_CHECK_INT(td_writer_table_end(w), 0);
}

static void all_rows(struct td_writer *w)
{
	put_rows(w, 0, TD_ARRAY_SIZE(rows));
}

/* Without the row that holds a NUL, which would end the text under comparison. */
static void two_rows(struct td_writer *w)
{
	put_rows(w, 0, 2);
}

static void one_row(struct td_writer *w)
{
	put_rows(w, 0, 1);
}

static void same_rows(struct td_writer *w)
{
	const struct td_cell same[] = { TEXT("a"), INT(7), INT(5), NONE, NONE, INT(12) };
	const struct td_cell other[] = { TEXT("a"), INT(7), INT(6), NONE, NONE, INT(12) };

	TD_CHECK_INT(td_writer_table(w, &head), 0);
	TD_CHECK_INT(td_writer_row(w, same), 0);
	TD_CHECK_INT(td_writer_row(w, other), 0);
	TD_CHECK_INT(td_writer_row(w, same), 0);
	TD_CHECK_INT(td_writer_table_end(w), 0);
}

static void text_rows(struct td_writer *w)
{
	put_rows(w, 3, 2);
}

static void put_one(struct td_writer *w, const struct td_table_head *h, int64_t n)
{
	struct td_cell value = INT(n);

	TD_CHECK_INT(td_writer_table(w, h), 0);
	TD_CHECK_INT(td_writer_row(w, &value), 0);
	TD_CHECK_INT(td_writer_table_end(w), 0);
}

static void two_tables(struct td_writer *w)
{
	struct td_table_head other = small;

	other.name = "other";
	put_one(w, &small, 1);
	put_one(w, &other, 2);
}

static void two_unnamed(struct td_writer *w)
{
	put_one(w, &unnamed, 1);
	put_one(w, &unnamed, 2);
}

static void two_dbs(struct td_writer *w)
{
	TD_CHECK_INT(td_writer_db(w, "a.db"), 0);
	put_one(w, &small, 1);
	TD_CHECK_INT(td_writer_db(w, "b\"*.db"), 0);
	put_one(w, &small, 2);
	TD_CHECK_INT(td_writer_note(w, "first *note*\nsecond\n"), 0);
}

static void two_dbs_two_tables(struct td_writer *w)
{
	TD_CHECK_INT(td_writer_db(w, "a.db"), 0);
	two_tables(w);
	TD_CHECK_INT(td_writer_db(w, "b.db"), 0);
	two_tables(w);
}

static void no_rows(struct td_writer *w)
{
	TD_CHECK_INT(td_writer_table(w, &head), 0);
	TD_CHECK_INT(td_writer_table_end(w), 0);
}

static void missing(struct td_writer *w)
{
	struct td_table_head h = head;

	h.missing = "no calls: trace <something>";
	TD_CHECK_INT(td_writer_table(w, &h), 0);
	TD_CHECK_INT(td_writer_table_end(w), 0);
}

static void record(struct td_writer *w)
{
	struct td_table_head h = head;

	h.record = true;
	TD_CHECK_INT(td_writer_table(w, &h), 0);
	TD_CHECK_INT(td_writer_row(w, rows[0]), 0);
	TD_CHECK_INT(td_writer_row(w, rows[3]), 0);
	TD_CHECK_INT(td_writer_table_end(w), 0);
}

static void page(struct td_writer *w)
{
	struct td_table_head h = small;

	h.page = true;
	TD_CHECK_INT(td_writer_table(w, &h), 0);
	TD_CHECK_INT(td_writer_row(w, &(struct td_cell)INT(1)), 0);
	TD_CHECK_INT(td_writer_row(w, &(struct td_cell)INT(2)), 0);
	TD_CHECK_INT(td_writer_table_end(w), 0);
}

static const struct td_writer_options many_tables = { .many_tables = true, .named = true };
static const struct td_writer_options many_unnamed = { .many_tables = true };
static const struct td_writer_options many_dbs = { .many_dbs = true, .named = true };
static const struct td_writer_options many_both = { .many_dbs = true,
						    .many_tables = true,
						    .named = true };

static void test_csv(void)
{
	TD_CASE("csv");
	check("csv", NULL, two_rows,
	      "file,reads,done_bytes,total_ns,start_ns,share_percent\n"
	      "/data/a.npy,1234,1230000000,12300000,1661663774740000000,45.678\n"
	      "\"a\"\"b,c\nx|e\t\\\",0,,,,0.01\n");
	check("csv", NULL, text_rows,
	      "file,reads,done_bytes,total_ns,start_ns,share_percent\n"
	      "\xe6\xbc\xa2\xe5\xad\x97,-7,0,0,,\n"
	      "\"\",,,,,\n");
	check("csv", NULL, missing, "file,reads,done_bytes,total_ns,start_ns,share_percent\n");
	check("csv", &many_tables, two_tables, "# small\nn\n1\n\n# other\nn\n2\n");
	check("csv", &many_dbs, two_dbs, "# a.db: small\nn\n1\n\n# b\"*.db: small\nn\n2\n");
	TD_CASE("tsv");
	check("tsv", NULL, two_rows,
	      "file\treads\tdone_bytes\ttotal_ns\tstart_ns\tshare_percent\n"
	      "/data/a.npy\t1234\t1230000000\t12300000\t1661663774740000000\t45.678\n"
	      "a\"b,c\\nx|e\\t\\\\\t0\t\t\t\t0.01\n");
}

/* Cells that act: in a spreadsheet, on a terminal, as a link or an image. */
static void acting_rows(struct td_writer *w)
{
	static const struct td_cell cells[] = {
		TEXT("=1+1"),
		INT(-1),
		TEXT("a\033[2J\xc2\x9b\xe2\x80\xae\xff"),
		TEXT("@x"),
		TEXT("[a](http://b.c)![i](www.d.e)<b>&lt;"),
	};

	TD_CHECK_INT(td_writer_table(w, &small), 0);
	for (size_t i = 0; i < TD_ARRAY_SIZE(cells); i++)
		TD_CHECK_INT(td_writer_row(w, &cells[i]), 0);
	TD_CHECK_INT(td_writer_table_end(w), 0);
}

static void test_acting(void)
{
	struct td_writer_options safe = { .safe_csv = true }, terminal = { .terminal = true };

	TD_CASE("acting");
	check("csv", NULL, acting_rows,
	      "n\n=1+1\n-1\na\033[2J\xc2\x9b\xe2\x80\xae\xff\n@x\n"
	      "[a](http://b.c)![i](www.d.e)<b>&lt;\n");
	check("csv", &safe, acting_rows,
	      "n\n'=1+1\n-1\na\033[2J\xc2\x9b\xe2\x80\xae\xff\n'@x\n"
	      "[a](http://b.c)![i](www.d.e)<b>&lt;\n");
	check("csv", &terminal, acting_rows,
	      "n\n=1+1\n-1\na\\x1b[2J\\x9b\xef\xbf\xbd\xef\xbf\xbd\n@x\n"
	      "[a](http://b.c)![i](www.d.e)<b>&lt;\n");
	check("json", NULL, acting_rows,
	      "[\n{\"n\":\"=1+1\"},\n{\"n\":-1},\n"
	      "{\"n\":\"a\\u001b[2J\\u009b\\u202e\xef\xbf\xbd\"},\n{\"n\":\"@x\"},\n"
	      "{\"n\":\"[a](http://b.c)![i](www.d.e)<b>&lt;\"}\n]\n");
	check("md", NULL, acting_rows,
	      "## small\n\n| N |\n| --- |\n| =1+1 |\n| -1 |\n"
	      "| a\\\\x1b\\[2J\\\\x9b\xef\xbf\xbd\xef\xbf\xbd |\n| @x |\n"
	      "| \\[a\\](http\\://b.c)\\!\\[i\\](www\\.d.e)\\<b>\\&lt; |\n");
}

static void test_json(void)
{
	TD_CASE("json");
	check("json", NULL, all_rows,
	      "[\n"
	      "{\"file\":\"/data/a.npy\",\"reads\":1234,\"done_bytes\":1230000000,"
	      "\"total_ns\":12300000,\"start_ns\":1661663774740000000,\"share_percent\":45.678},\n"
	      "{\"file\":\"a\\\"b,c\\nx|e\\t\\\\\",\"reads\":0,\"done_bytes\":null,"
	      "\"total_ns\":null,\"start_ns\":null,\"share_percent\":0.01},\n"
	      "{\"file\":\"x\xef\xbf\xbd\\u0000y\",\"reads\":null,\"done_bytes\":5,"
	      "\"total_ns\":1500.5,\"start_ns\":90,\"share_percent\":100},\n"
	      "{\"file\":\"\xe6\xbc\xa2\xe5\xad\x97\",\"reads\":-7,\"done_bytes\":0,"
	      "\"total_ns\":0,\"start_ns\":null,\"share_percent\":null},\n"
	      "{\"file\":\"\",\"reads\":null,\"done_bytes\":null,"
	      "\"total_ns\":null,\"start_ns\":null,\"share_percent\":null}\n"
	      "]\n");
	check("json", NULL, no_rows, "[]\n");
	check("json", &many_tables, two_tables,
	      "{\n\"small\": [\n{\"n\":1}\n],\n\"other\": [\n{\"n\":2}\n]\n}\n");
	check("json", &many_unnamed, two_unnamed, "[\n[\n{\"n\":1}\n],\n[\n{\"n\":2}\n]\n]\n");
	check("json", &many_dbs, two_dbs,
	      "{\n\"a.db\": [\n{\"n\":1}\n],\n\"b\\\"*.db\": [\n{\"n\":2}\n]\n}\n");
	check("json", &many_both, two_dbs_two_tables,
	      "{\n\"a.db\": {\n\"small\": [\n{\"n\":1}\n],\n\"other\": [\n{\"n\":2}\n]\n},\n"
	      "\"b.db\": {\n\"small\": [\n{\"n\":1}\n],\n\"other\": [\n{\"n\":2}\n]\n}\n}\n");
	TD_CASE("ndjson");
	check("ndjson", NULL, two_tables, "{\"n\":1}\n{\"n\":2}\n");
	check("ndjson", &many_tables, two_tables,
	      "{\"_report\":\"small\",\"n\":1}\n{\"_report\":\"other\",\"n\":2}\n");
	check("ndjson", &many_dbs, two_dbs,
	      "{\"_db\":\"a.db\",\"n\":1}\n{\"_db\":\"b\\\"*.db\",\"n\":2}\n");
	check("ndjson", NULL, no_rows, "");
}

static void bars(struct td_writer *w)
{
	static const struct td_report_column bar_columns[] = {
		{ "low", "", TD_UNIT_TEXT },
		{ "calls", "", TD_UNIT_COUNT },
		{ "high_bytes", "", TD_UNIT_BYTES, .kept = true },
		{ "bar", "", TD_UNIT_TEXT, .kept = true },
	};
	static const struct td_cell bar_rows[][4] = {
		{ TEXT("one"), INT(1000), INT(1),
		  TEXT("########################################") },
		{ TEXT("two"), INT(500), INT(1500), TEXT("####################") },
	};
	static const struct td_table_head bar_head = {
		.name = "bars", .title = "Bars", .columns = bar_columns, .ncolumns = 4
	};

	TD_CHECK_INT(td_writer_table(w, &bar_head), 0);
	for (size_t i = 0; i < TD_ARRAY_SIZE(bar_rows); i++)
		TD_CHECK_INT(td_writer_row(w, bar_rows[i]), 0);
	TD_CHECK_INT(td_writer_table_end(w), 0);
}

static void test_table(void)
{
	struct td_writer_options ms = { .timeunit = TD_TIMEUNIT_MS };
	struct td_writer_options narrow = { .width = 70 };
	struct td_writer_options colour = { .colour = true };
	struct td_writer_options fits = { .width = 40, .fits = true, .max_rows = 5 };
	struct td_writer_options room = { .width = 50, .fits = true, .max_rows = 5 };
	struct td_writer_options few = { .width = 90, .fits = true, .max_rows = 1 };
	struct td_writer_options wide = { .width = 200, .fits = true, .max_rows = 5 };
	struct td_writer_options chosen = { .columns = "total_ns,file,nosuch" };

	/* 12300000 ns is 12.3 ms and 90 ns after the epoch is no date. */
	TD_CASE("table");
	check("table", NULL, all_rows,
	      "Files | I/O (io)\n\n"
	      "File           Reads     Done    Total                     Start   Share\n"
	      "-------------  -----  -------  -------  ------------------------  ------\n"
	      "/data/a.npy    1,234  1.23 GB  12.3 ms  2022-08-28T05:16:14.740Z   45.7%\n"
	      "a\"b,c\\nx|e\\t\\      0        -        -                         -   <0.1%\n"
	      "x\xef\xbf\xbd\\x00y            -      5 B  1.50 us               0:00:00.000  "
	      "100.0%\n"
	      "\xe6\xbc\xa2\xe5\xad\x97              -7      0 B     0 ns                         "
	      "-       -\n"
	      "                   -        -        -                         -       -\n");
	TD_CASE("table, times in ms");
	check("table", &ms, text_rows,
	      "Files | I/O (io)\n\n"
	      "File  Reads  Done  Total (ms)  Start  Share\n"
	      "----  -----  ----  ----------  -----  -----\n"
	      "\xe6\xbc\xa2\xe5\xad\x97     -7   0 B       0.000      -      -\n"
	      "          -     -           -      -      -\n");
	TD_CASE("table, narrow: 5 + 7 + 7 + 24 + 5 and five gaps leave 12 for the names");
	check("table", &narrow, two_rows,
	      "Files | I/O (io)\n\n"
	      "File          Reads     Done    Total                     Start  Share\n"
	      "------------  -----  -------  -------  ------------------------  -----\n"
	      "/data/a.npy   1,234  1.23 GB  12.3 ms  2022-08-28T05:16:14.740Z  45.7%\n"
	      "a\"b,c\xe2\x80\xa6"
	      "x|e\\t\\      0        -        -                         -  <0.1%\n");
	TD_CASE("table, fits: 5 + 5 + 7 + 6 and the gaps leave no room for what is last");
	check("table", &fits, all_rows,
	      "Files | I/O (io)\n\n"
	      "File           Reads     Done    Total\n"
	      "-------------  -----  -------  -------\n"
	      "/data/a.npy    1,234  1.23 GB  12.3 ms\n"
	      "a\"b,c\\nx|e\\t\\      0        -        -\n"
	      "x\xef\xbf\xbd\\x00y            -      5 B  1.50 us\n"
	      "\xe6\xbc\xa2\xe5\xad\x97              -7      0 B     0 ns\n"
	      "                   -        -        -\n"
	      "no room for Start, Share (--wide shows\nthem)\n");
	TD_CASE("table, fits: what is kept stays; a bar of 40 has 36, that of half of it 18");
	check("table", &room, bars,
	      "Bars (bars)\n\n"
	      "Low     High  Bar\n"
	      "---  -------  ------------------------------------\n"
	      "one      1 B  ####################################\n"
	      "two  1.50 kB  ##################\n"
	      "no room for Calls (--wide shows them)\n");
	TD_CASE("table, fits: 12.3 ms of 12.3015005 ms are shown, the rest is 0.0 %");
	check("table", &few, all_rows,
	      "Files | I/O (io)\n\n"
	      "File         Reads     Done    Total                     Start  Share\n"
	      "-----------  -----  -------  -------  ------------------------  -----\n"
	      "/data/a.npy  1,234  1.23 GB  12.3 ms  2022-08-28T05:16:14.740Z  45.7%\n"
	      "... 4 more rows, 0.0% of Total (--all shows them)\n");
	TD_CASE("table, fits: all rows of a page");
	check("table", &few, page, "small\n\nN\n-\n1\n2\n");
	TD_CASE("table, fits: what is the same, what is empty");
	check("table", &wide, same_rows,
	      "Files | I/O (io)\n\n"
	      "Done\n----\n 5 B\n 6 B\n 5 B\n"
	      "the same in all rows: File a, Reads 7, Share 12.0%; empty: Total, Start (--wide "
	      "shows them)\n");
	TD_CASE("table, fits: one row has nothing to be compared with");
	check("table", &wide, one_row,
	      "Files | I/O (io)\n\n"
	      "File         Reads     Done    Total                     Start  Share\n"
	      "-----------  -----  -------  -------  ------------------------  -----\n"
	      "/data/a.npy  1,234  1.23 GB  12.3 ms  2022-08-28T05:16:14.740Z  45.7%\n");
	TD_CASE("columns of one's choice");
	check("csv", &chosen, two_rows,
	      "total_ns,file\n12300000,/data/a.npy\n,\"a\"\"b,c\nx|e\t\\\"\n");
	TD_CASE("table, without rows");
	check("table", NULL, no_rows, "Files | I/O (io)\n\n(no rows)\n");
	check("table", NULL, missing, "Files | I/O (io)\n\n(no calls: trace <something>)\n");
	TD_CASE("table, several");
	check("table", &many_dbs, two_dbs,
	      "== a.db ==\n\nsmall\n\nN\n-\n1\n\n== b\"*.db ==\n\nsmall\n\nN\n-\n2\n"
	      "\nfirst *note*\nsecond\n");
	TD_CASE("table, colour");
	check("table", &colour, two_unnamed, "\033[1mN\033[0m\n-\n1\n\n\033[1mN\033[0m\n-\n2\n");
	TD_CASE("table, records");
	check("table", NULL, record,
	      "Files | I/O (io)\n\n"
	      "File   /data/a.npy\nReads  1,234\nDone   1.23 GB\nTotal  12.3 ms\n"
	      "Start  2022-08-28T05:16:14.740Z\nShare  45.7%\n\n"
	      "File   \xe6\xbc\xa2\xe5\xad\x97\nReads  -7\nDone   0 B\nTotal  0 ns\nStart  "
	      "-\nShare  -\n");
}

static void test_md(void)
{
	TD_CASE("md");
	check("md", NULL, two_rows,
	      "## Files \\| I/O\n\n"
	      "| File | Reads | Done | Total | Start | Share |\n"
	      "| --- | ---: | ---: | ---: | ---: | ---: |\n"
	      "| /data/a.npy | 1,234 | 1.23 GB | 12.3 ms | 2022-08-28T05:16:14.740Z | 45.7% |\n"
	      "| a\"b,c\\\\nx\\|e\\\\t\\\\ | 0 | - | - | - | \\<0.1% |\n");
	check("md", NULL, missing, "## Files \\| I/O\n\n(no calls: trace \\<something>)\n");
	check("md", &many_dbs, two_dbs,
	      "# a.db\n\n## small\n\n| N |\n| ---: |\n| 1 |\n"
	      "\n# b\"\\*.db\n\n## small\n\n| N |\n| ---: |\n| 2 |\n"
	      "\nfirst \\*note\\*  \nsecond\n");
}

/* More rows than are kept to find the widths; the last ones are wider than the column. */
static void many_rows(struct td_writer *w)
{
	struct td_cell value = INT(0);

	TD_CHECK_INT(td_writer_table(w, &unnamed), 0);
	for (value.i = 0; value.i < 10002; value.i++)
		TD_CHECK_INT(td_writer_row(w, &value), 0);
	TD_CHECK_INT(td_writer_table_end(w), 0);
}

static void test_streamed(void)
{
	char *want = malloc(128 * 1024);
	size_t n = 0;

	TD_CASE("table, streamed");
	n = (size_t)snprintf(want, 128 * 1024, "  N\n---\n");
	for (int i = 0; i < 10002; i++)
		n += (size_t)snprintf(want + n, 128 * 1024 - n, "%3d\n", i);
	check("table", NULL, many_rows, want);
	free(want);
}

/* Rows that are so long are not kept until there are many. */
static void test_long_row(void)
{
	static const struct td_writer_options plain;
	_cleanup_free_ char *text = NULL, *out = NULL;
	struct td_cell value = { .type = TD_VALUE_TEXT, .text = { NULL, (size_t)5 << 20 } };
	struct td_writer *w = NULL;
	size_t len = 0;
	FILE *f = open_memstream(&out, &len);

	TD_CASE("table, a long row");
	value.text.p = text = malloc(value.text.len);
	(void)memset(text, 'x', value.text.len);
	TD_CHECK_INT(td_writer_new(td_format_find("table"), f, &plain, &w), 0);
	TD_CHECK_INT(td_writer_table(w, &unnamed), 0);
	TD_CHECK_INT(td_writer_row(w, &value), 0);
	TD_CHECK_INT(fflush(f), 0);
	TD_CHECK(len > value.text.len);
	TD_CHECK_INT(td_writer_table_end(w), 0);
	TD_CHECK_INT(td_writer_end(w), 0);
	td_writer_free(w);
	TD_CHECK_INT(fclose(f), 0);
}

static void test_cells(void)
{
	static const struct {
		struct td_cell value;
		enum td_unit unit;
		enum td_timeunit timeunit;
		const char *want;
	} cases[] = {
		{ NONE, TD_UNIT_BYTES, 0, "-" },
		{ INT(1234567), TD_UNIT_INTEGER, 0, "1234567" },
		{ INT(1234567), TD_UNIT_COUNT, 0, "1,234,567" },
		{ INT(1234567), TD_UNIT_DUR_NS, TD_TIMEUNIT_NS, "1,234,567" },
		{ INT(1234567), TD_UNIT_DUR_NS, TD_TIMEUNIT_US, "1,234.567" },
		{ INT(1234567), TD_UNIT_DUR_NS, TD_TIMEUNIT_S, "0.001" },
		{ INT(-1234567), TD_UNIT_DUR_NS, TD_TIMEUNIT_US, "-1,234.567" },
		{ REAL(2.5), TD_UNIT_DUR_NS, TD_TIMEUNIT_AUTO, "3 ns" },
		{ REAL(1234.56), TD_UNIT_REAL, 0, "1,234.6" },
		{ REAL(-3.14159), TD_UNIT_REAL, 0, "-3.14" },
		{ REAL(0.0123), TD_UNIT_REAL, 0, "0.012" },
		{ REAL(0.0000123), TD_UNIT_REAL, 0, "1.23e-05" },
		{ REAL(0), TD_UNIT_ANY, 0, "0" },
		{ REAL(0.98765), TD_UNIT_RATIO, 0, "0.988" },
		{ REAL(0), TD_UNIT_PERCENT, 0, "0.0%" },
		{ REAL(0.049), TD_UNIT_PERCENT, 0, "<0.1%" },
		{ REAL(99.96), TD_UNIT_PERCENT, 0, "100.0%" },
		{ TEXT("12"), TD_UNIT_BYTES, 0, "12" },
		{ TEXT("a\x1b[31m\xc2\x9b"), TD_UNIT_TEXT, 0, "a\\x1b[31m\\x9b" },
		{ TEXT("\xe2\x80\xaetxt"), TD_UNIT_TEXT, 0, "\xef\xbf\xbdtxt" },
	};

	for (size_t i = 0; i < TD_ARRAY_SIZE(cases); i++) {
		_cleanup_(td_strbuf_done) struct td_strbuf b = TD_STRBUF_INIT;

		TD_CASE(cases[i].want);
		td_cell_value(&b, &cases[i].value, cases[i].unit, cases[i].timeunit);
		TD_CHECK_STR(td_strbuf_str(&b), cases[i].want);
	}
}

static void test_headings(void)
{
	static const struct td_report_column names[] = {
		{ "total_ns", "", TD_UNIT_DUR_NS },
		{ "read", "", TD_UNIT_COUNT },
		{ "read_bytes", "", TD_UNIT_BYTES },
		{ "read_ns", "", TD_UNIT_DUR_NS },
		{ "gpu_busy_pct", "", TD_UNIT_PERCENT },
		{ "bytes", "", TD_UNIT_BYTES },
		{ "io_kind", "", TD_UNIT_TEXT },
		{ "max(dur_ns)", "", TD_UNIT_ANY },
		{ "size_bytes", "", TD_UNIT_INTEGER },
		{ "cuda_calls", "", TD_UNIT_COUNT },
		{ "gpus", "", TD_UNIT_TEXT },
		{ "clock_mean_mhz", "", TD_UNIT_REAL },
	};
	static const char *const want[] = {
		"Total (us)", "Read",       "Read bytes", "Read time (us)",
		"GPU busy",   "Bytes",      "I/O kind",   "max(dur_ns)",
		"Size bytes", "CUDA calls", "GPUs",       "Clock mean MHz",
	};
	struct td_table_head h = { .columns = names, .ncolumns = TD_ARRAY_SIZE(names) };

	for (size_t i = 0; i < TD_ARRAY_SIZE(names); i++) {
		_cleanup_(td_strbuf_done) struct td_strbuf b = TD_STRBUF_INIT;

		TD_CASE(names[i].name);
		td_cell_heading(&b, &h, i, TD_TIMEUNIT_US);
		TD_CHECK_STR(td_strbuf_str(&b), want[i]);
	}
}

/* Widths as wcwidth(3) in a UTF-8 locale gives them. */
static void test_text(void)
{
	static const struct {
		const char *text;
		size_t width;
	} widths[] = {
		{ "", 0 },
		{ "abc", 3 },
		{ "\xc3\xa9", 1 }, /* e with acute accent */
		{ "e\xcc\x81", 1 }, /* the same with a combining accent */
		{ "\xe6\xbc\xa2", 2 }, /* Han */
		{ "\xf0\x9f\x98\x80", 2 }, /* emoji */
		{ "\xef\xbd\xb1", 1 }, /* halfwidth katakana */
	};
	static const struct {
		const char *text;
		size_t width;
		const char *want;
	} cuts[] = {
		{ "abcdef", 6, "abcdef" },
		{ "abcdefgh", 5, "ab\xe2\x80\xa6gh" },
		{ "abcdefgh", 4, "a\xe2\x80\xa6gh" },
		{ "abcdefgh", 1, "\xe2\x80\xa6" },
		{ "abcdefgh", 0, "" },
		/* 2 + 1 + 2 columns of six: half of a character is never shown */
		{ "\xe6\xbc\xa2\xe6\xbc\xa2\xe5\xad\x97\xe5\xad\x97", 6,
		  "\xe6\xbc\xa2\xe2\x80\xa6\xe5\xad\x97" },
	};

	for (size_t i = 0; i < TD_ARRAY_SIZE(widths); i++) {
		TD_CASE(widths[i].text);
		TD_CHECK_INT(td_text_width(widths[i].text, strlen(widths[i].text)),
			     widths[i].width);
	}
	for (size_t i = 0; i < TD_ARRAY_SIZE(cuts); i++) {
		_cleanup_(td_strbuf_done) struct td_strbuf b = TD_STRBUF_INIT;

		TD_CASE(cuts[i].want);
		td_text_cut(&b, cuts[i].text, strlen(cuts[i].text), cuts[i].width);
		TD_CHECK_STR(td_strbuf_str(&b), cuts[i].want);
	}
}

/* Of 20 columns two are ellipses, and each part has six. */
static void test_text_cut_showing(void)
{
	static const struct {
		const char *text;
		size_t width, at;
		const char *want;
	} cuts[] = {
		{ "0123456789abcdefghijklmnopqrstuvwxyz", 20, 18,
		  "012345\xe2\x80\xa6"
		  "fghijk\xe2\x80\xa6uvwxyz" },
		/* the difference is in the end that is shown anyway, or in the begin */
		{ "0123456789abcdefghijklmnopqrstuvwxyz", 20, 34,
		  "012345678\xe2\x80\xa6qrstuvwxyz" },
		{ "0123456789abcdefghijklmnopqrstuvwxyz", 20, 7,
		  "012345678\xe2\x80\xa6qrstuvwxyz" },
		/* up to the end no ellipsis */
		{ "0123456789abcdefghijklmnopqrstuvwxyz", 20, 29, "012345\xe2\x80\xa6qrstuvwxyz" },
		/* no room for three parts */
		{ "0123456789abcdefghijklmnopqrstuvwxyz", 10, 18, "0123\xe2\x80\xa6vwxyz" },
	};

	for (size_t i = 0; i < TD_ARRAY_SIZE(cuts); i++) {
		_cleanup_(td_strbuf_done) struct td_strbuf b = TD_STRBUF_INIT;

		TD_CASE(cuts[i].want);
		td_text_cut_showing(&b, cuts[i].text, strlen(cuts[i].text), cuts[i].width,
				    cuts[i].at);
		TD_CHECK_STR(td_strbuf_str(&b), cuts[i].want);
	}
}

static void infinite(struct td_writer *w)
{
	static const struct td_cell values[] = { REAL(INFINITY), REAL(-INFINITY), REAL(1e20),
						 REAL(1.0 / 3) };

	TD_CHECK_INT(td_writer_table(w, &unnamed), 0);
	for (size_t i = 0; i < TD_ARRAY_SIZE(values); i++)
		TD_CHECK_INT(td_writer_row(w, &values[i]), 0);
	TD_CHECK_INT(td_writer_table_end(w), 0);
}

static void test_numbers(void)
{
	TD_CASE("numbers");
	check("csv", NULL, infinite, "n\nInf\n-Inf\n1.0e+20\n0.333333333333333\n");
	check("json", NULL, infinite,
	      "[\n{\"n\":9e999},\n{\"n\":-9e999},\n{\"n\":1.0e+20},\n{\"n\":0.333333333333333}\n]"
	      "\n");
}

/* A full disk is told at the end. */
static void test_full(void)
{
	static const struct td_writer_options plain;
	_cleanup_fclose_ FILE *f = fopen("/dev/full", "we");
	struct td_writer *w = NULL;

	TD_CASE("full");
	TD_CHECK_INT(td_writer_new(td_format_find("csv"), f, &plain, &w), 0);
	two_rows(w);
	TD_CHECK_INT(td_writer_end(w), -ENOSPC);
	td_writer_free(w);
}

int main(void)
{
	test_csv();
	test_acting();
	test_json();
	test_table();
	test_md();
	test_streamed();
	test_long_row();
	test_cells();
	test_headings();
	test_text();
	test_text_cut_showing();
	test_numbers();
	test_full();
	TD_CASE("find");
	TD_CHECK(!td_format_find("xml"));
	return td_check_result();
}
