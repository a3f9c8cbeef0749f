/* SPDX-License-Identifier: MIT */
#include <time.h>

#include "importers/core/importers.h"
#include "tests/unit/samplers.h"

/* date -u -d "2024-05-01 10:00" +%s */
#define T0 (INT64_C(1714557600) * TD_SEC_NS)

/* An event of the current generation, at 10:00 plus two digits of seconds. */
#define EVENT(sec, type, key, rest)                                                                \
	":::MLLOG {\"namespace\": \"\", \"time_ms\": 17145576" sec "000, \"event_type\": \"" type  \
	"\", \"key\": \"" key "\", " rest "}\n"
#define POINT(sec, key, value)                                                                     \
	EVENT(sec, "POINT_IN_TIME", key, "\"value\": " value ", \"metadata\": {}")
#define START(sec, key, metadata)                                                                  \
	EVENT(sec, "INTERVAL_START", key, "\"value\": null, \"metadata\": {" metadata "}")
#define END(sec, key, metadata)                                                                    \
	EVENT(sec, "INTERVAL_END", key, "\"value\": null, \"metadata\": {" metadata "}")
#define E(n) "\"epoch_num\": " n

static const struct {
	const char *name, *text, *want;
	unsigned rows, skipped, issues;
	const char *kind; /* of issue that is counted once */
} cases[] = {
	{ "a run",
	  "Running\n" START("00", "init_start", "") POINT("01", "seed", "7")
		  END("02", "init_stop", "") START("02", "run_start", "") START("03", "epoch_start",
										E("1"))
			  END("05", "epoch_stop", E("1")) START("05", "eval_start", E("1"))
				  POINT("06", "eval_accuracy", "0.5") END("07", "eval_stop", E("1"))
					  END("07", "run_stop", "\"status\": \"success\"") "done\n",
	  "mark eval_accuracy @6 = 0.5 {\"value\":0.5}\n"
	  "mark seed @1 = 7 {\"value\":7}\n"
	  "phase epoch 1 run 1 @3+2 complete {\"metadata\":{\"epoch_num\":1}}\n"
	  "phase eval 1 run 1 @5+2 complete {\"metadata\":{\"epoch_num\":1}}\n"
	  "phase init - run 1 @0+2 complete\n"
	  "phase run - run 1 @2+5 complete {\"metadata\":{\"status\":\"success\"}}\n",
	  10, 2, 0, NULL },
	{ "what is open at the end, what was never opened",
	  START("00", "run_start", "") START("01", "epoch_start", E("1"))
		  END("02", "eval_stop", E("1")),
	  "phase epoch 1 run 1 @1+- unfinished {\"metadata\":{\"epoch_num\":1}}\n"
	  "phase eval 1 run 1 @2+- no-start {\"metadata\":{\"epoch_num\":1}}\n"
	  "phase run - run 1 @0+- unfinished\n",
	  3, 0, 0, NULL },
	{ "a start by its type, an end by its name: so does the CosmoFlow benchmark end its "
	  "staging",
	  START("00", "staging_start", "") START("07", "staging_stop", ""),
	  "phase staging - run 1 @0+7 complete\n", 2, 0, 0, NULL },
	{ "blocks overlap: paired by number, and blocks have their own",
	  START("00", "block_start", "\"first_epoch_num\": 1, \"epoch_count\": 20")
		  START("10", "block_start", "\"first_epoch_num\": 21, \"epoch_count\": 20")
			  END("11", "block_stop", "\"first_epoch_num\": 1")
				  END("12", "block_stop", "\"first_epoch_num\": 21"),
	  "phase block 1 run 1 @0+11 complete "
	  "{\"metadata\":{\"first_epoch_num\":1,\"epoch_count\":20}}\n"
	  "phase block 21 run 1 @10+2 complete "
	  "{\"metadata\":{\"first_epoch_num\":21,\"epoch_count\":20}}\n",
	  4, 0, 0, NULL },
	{ "two runs; in each of them two ranks begin and one ends",
	  START("00", "init_start", "") START("00", "init_start", "") END("02", "init_stop", "")
		  START("03", "run_start", "") START("10", "init_start", "")
			  START("11", "init_start", "") END("12", "init_stop", "")
				  START("13", "run_start", "") END("20", "run_stop", ""),
	  "phase init - run 1 @0+2 complete\nphase init - run 1 @0+- unfinished\n"
	  "phase run - run 1 @3+- unfinished\n"
	  "phase init - run 2 @10+2 complete\nphase init - run 2 @11+- unfinished\n"
	  "phase run - run 2 @13+7 complete\n",
	  9, 0, 0, NULL },
	{ "a rank that reports late is no new run; ranks pair with themselves",
	  " 0: " START("00", "init_start", "") "[12] " START("01", "init_start", "") " 0: " END(
		  "02", "init_stop",
		  "") " 0: " START("09", "run_start",
				   "") "[1,7]<stdout>:" START("03", "init_start",
							      "") "[12] " END("05", "init_stop",
									      "") " 0: " END("20",
											     "run_"
											     "stop",
											     ""),
	  "phase init - rank 0 run 1 @0+2 complete\nphase init - rank 12 run 1 @1+4 complete\n"
	  "phase init - rank 7 run 1 @3+- unfinished\nphase run - rank 0 run 1 @9+11 complete\n",
	  7, 0, 0, NULL },
	{ "text glued in front of the tag",
	  "0: host:56:5" POINT("01", "a", "1") "[0] ready.[3] " POINT(
		  "02", "b", "2") "x [0] Channe" POINT("03", "c", "3") "\033[O" POINT("04", "d",
										      "4"),
	  "mark a rank 0 @1 = 1 {\"value\":1}\nmark b rank 3 @2 = 2 {\"value\":2}\nmark c @3 = 3 "
	  "{\"value\":3}\n"
	  "mark d @4 = 4 {\"value\":4}\n",
	  4, 0, 0, NULL },
	{ "kinds of values",
	  POINT("01", "a", "\"0.94\"") POINT("02", "b", "true") POINT("03", "c", "[1, 2]")
		  POINT("04", "d", "\"x\"") POINT("05", "e", "null")
			  EVENT("06", "POINT_IN_TIME", "f",
				"\"value\": {\"value\": 3, \"x\": 1}, \"metadata\": \"\""),
	  "mark a @1 = 0.94 {\"value\":\"0.94\"}\nmark b @2 {\"value\":true}\nmark c @3 "
	  "{\"value\":[1,2]}\n"
	  "mark d @4 {\"value\":\"x\"}\nmark e @5\nmark f @6 = 3 "
	  "{\"value\":{\"value\":3,\"x\":1}}\n",
	  6, 0, 0, NULL },
	{ "no event_type; another order; time_s; microseconds of a float",
	  ":::MLLOG {\"key\": \"eval_start\", \"time_ms\": 1714557601000.000123}\n"
	  ":::MLLOG {\"value\": null, \"key\": \"eval_end\", \"time_s\": 1714557602.250, "
	  "\"metadata\": {}}\n"
	  ":::MLLOG {\"key\": \"p\", \"time_ms\": 1714557603000.940674}\n",
	  /* .000123 ms = 123 ns; 602.25 s - 601.000000123 s = 1.249999877 s; .940674 ms = 940674 ns */
	  "phase eval - run 1 @1.000000123+1.249999877 complete\nmark p @3.000940674\n", 3, 0, 0,
	  NULL },
	{ "Python's metadata",
	  ":::MLLOG {\"time_ms\": 1714557601000, \"key\": \"p\", \"value\": \"it's\", "
	  "\"metadata\": "
	  "{'a': None, 'b': True, 'c': 'say \"hi\"', 'd': \"don't\", 'e': 'x\\'y'}}\n",
	  "mark p @1 {\"value\":\"it's\",\"metadata\":{\"a\":null,\"b\":true,\"c\":\"say "
	  "\\\"hi\\\"\",\"d\":\"don't\",\"e\":\"x'y\"}}\n",
	  1, 0, 0, NULL },
	{ "0.6",
	  ":::MLL 1714557601.000 block_start: {\"value\": null, \"metadata\": "
	  "{\"first_epoch_num\": 1}}\n"
	  ":::MLL 1714557602.500 block_stop: {\"value\": null, \"metadata\": {\"first_epoch_num\": "
	  "1}}\n"
	  ":::MLL 0.0 submission_org: {\"value\": \"x\", \"metadata\": {}}\n",
	  "phase block 1 run 1 @1+1.500000000 complete {\"metadata\":{\"first_epoch_num\":1}}\n", 2,
	  0, 1, "no-time" },
	{ "0.5, each event by two loggers",
	  "INFO:x:"
	  ":::MLPv0.5.0 ncf 1714557601.123456789 (a b.py:1) run_start\n"
	  ":::MLPv0.5.0 ncf 1714557601.123456789 (a b.py:1) run_start\n"
	  ":::MLPv0.5.0 ncf 1714557602.500 (<string>:1) eval_start: 3\n"
	  ":::MLPv0.5.0 ncf 1714557603.500 (n.py:1) eval_accuracy: {\"epoch\": 3, \"value\": "
	  "0.25}\n"
	  ":::MLPv0.5.0 ncf 1714557604.500 (n.py:1) eval_stop\n"
	  ":::MLPv0.5.0 ncf 1714557605.500 (n.py:1) order: batch first\n",
	  "phase run - run 1 @1.123456789+- unfinished\n"
	  "phase eval 3 run 1 @2.500000000+2 complete {\"value\":3}\n"
	  "mark eval_accuracy @3.500000000 = 0.25 {\"value\":{\"epoch\":3,\"value\":0.25}}\n"
	  "mark order @5.500000000 {\"value\":\"batch first\"}\n",
	  5, 1, 0, "duplicate" },
	{ "the same event from two ranks without a prefix is two events",
	  POINT("01", "a", "1") POINT("01", "a", "1"),
	  "mark a @1 = 1 {\"value\":1}\nmark a @1 = 1 {\"value\":1}\n", 2, 0, 0, NULL },
	{ "a number that does not match, but there is only this one interval",
	  START("01", "eval_start", E("2")) END("02", "eval_stop", E("1")),
	  "phase eval 2 run 1 @1+1 complete {\"metadata\":{\"epoch_num\":2}}\n", 2, 0, 0,
	  "number-mismatch" },
	{ "an end before its start is not its end",
	  START("05", "eval_start", E("1")) END("04", "eval_stop", E("1")),
	  "phase eval 1 run 1 @5+- unfinished {\"metadata\":{\"epoch_num\":1}}\n"
	  "phase eval 1 run 1 @4+- no-start {\"metadata\":{\"epoch_num\":1}}\n",
	  2, 0, 0, NULL },
	{ "a timed step: nanoseconds before the event",
	  EVENT("09", "INTERVAL_END", "load_batch_mem",
		"\"value\": {\"start\": 5, \"duration\": 1500000000}, \"metadata\": {}"),
	  "annotation load_batch_mem - run 1 @7.500000000+1.500000000 complete "
	  "{\"value\":{\"start\":5,\"duration\":1500000000}}\n",
	  1, 0, 0, NULL },
	{ "spoilt by another writer",
	  ":::MLLOG {\"time_ms\": 1714557601000, \"key\": \"a\", \"value\": "
	  "nullorkspace/x.py\"}}\n",
	  "", 0, 0, 1, "spoilt-line" },
	{ "several events on a line; one that lost its end to another",
	  "0: :::MLLOG {\"time_ms\": 1714557601000, \"key\": \"a\", \"value\": 1}"
	  ":::MLLOG {\"time_ms\": 1714557602000, \"key\": \"b\"}[3] :::MLLOG{\"time_ms\": "
	  "\"1714557603000\", \"key\": \"c\"}\n"
	  ":::MLLOG {\"time_ms\": 17145576:::MLLOG {\"time_ms\": 1714557604000, \"key\": "
	  "\"d\"}\r\n",
	  "mark a rank 0 @1 = 1 {\"value\":1}\nmark b rank 0 @2\nmark c rank 3 @3\nmark d @4\n", 2,
	  0, 0, "spoilt-event" },
	{ "ranks as torchrun and a coloured terminal print them",
	  "[default5]::::MLLOG {\"time_ms\": 1714557601000, \"key\": \"a\"}\n"
	  "[rank12]: :::MLLOG {\"time_ms\": 1714557602000, \"key\": \"b\"}\n"
	  "\033[36m 7: \033[0m:::MLLOG {\"time_ms\": 1714557603000, \"key\": \"c\"}\n",
	  "mark a rank 5 @1\nmark b rank 12 @2\nmark c rank 7 @3\n", 3, 0, 0, NULL },
	{ "carriage returns of a progress bar before and in it",
	  "\r 99% 95.2M/95.8M\r:::MLLOG {\"time_ms\": 1714557601000,\r \"key\": \"a\", \"value\": "
	  "NaN}\r\n",
	  "mark a @1 {\"value\":null}\n", 1, 0, 0, NULL },
	{ "no key", ":::MLLOG {\"time_ms\": 1714557601000}\n", "", 0, 0, 1, "spoilt-line" },
	{ "time 0", ":::MLLOG {\"time_ms\": 0, \"key\": \"a\"}\n", "", 0, 0, 1, "no-time" },
	{ "cut", ":::MLLOG {\"time_ms\": 1714557601000, \"key\": \"a", "", 0, 0, 1, "cut-line" },
	{ "a clock that was set to 1000 s after 1970, and then a time that with what that took off "
	  "is none",
	  ":::MLLOG {\"time_ms\": 1714557601000, \"key\": \"a\"}\n"
	  ":::MLLOG {\"time_ms\": 1000000, \"event_type\": \"INTERVAL_END\", \"key\": "
	  "\"eval_stop\"}\n"
	  ":::MLLOG {\"time_ms\": 9000000000000, \"key\": \"b\"}\n"
	  ":::MLLOG {\"time_ms\": 1003000, \"key\": \"c\"}\n",
	  "phase eval - run 1 @1+- no-start\nmark a @1\nmark c @4\n", 3, 0, 1, "impossible-time" },
	{ "more text behind it", ":::MLLOG {\"time_ms\": 1714557601000, \"key\": \"a\"} bye\n",
	  "mark a @1\n", 1, 0, 0, "trailing-text" },
};

static void add_args(struct td_strbuf *b, const struct td_imported *in, uint32_t args_id)
{
	if (args_id)
		td_strbuf_addf(b, " %s", td_text_of(in, args_id));
	td_strbuf_addc(b, '\n');
}

/* "kind name number [rank n] run n @start+dur state args" */
static void add_span(struct td_strbuf *b, const struct td_imported *in, const struct td_span *s)
{
	td_strbuf_addf(b, "%s %s ", td_text_of(in, s->kind_id), td_text_of(in, s->name_id));
	if (s->number == TD_NULL)
		td_strbuf_adds(b, "-");
	else
		td_strbuf_addf(b, "%lld", (long long)s->number);
	if (s->rank != INT32_MIN)
		td_strbuf_addf(b, " rank %d", s->rank);
	td_strbuf_addf(b, " run %d @", s->run_number);
	td_add_ns(b, s->start_ns - T0);
	td_strbuf_addc(b, '+');
	td_add_ns(b, s->dur_ns);
	td_strbuf_addf(b, " %s", td_text_of(in, s->state_id));
	add_args(b, in, s->args_id);
}

static void add_mark(struct td_strbuf *b, const struct td_imported *in, const struct td_mark *m)
{
	td_strbuf_addf(b, "mark %s", td_text_of(in, m->name_id));
	if (m->rank != INT32_MIN)
		td_strbuf_addf(b, " rank %d", m->rank);
	td_strbuf_adds(b, " @");
	td_add_ns(b, m->ts_ns - T0);
	if (!isnan(m->value))
		td_strbuf_addf(b, " = %g", m->value);
	add_args(b, in, m->args_id);
}

static void test_cases(void)
{
	for (size_t i = 0; i < TD_ARRAY_SIZE(cases); i++) {
		_cleanup_(td_imported_done) struct td_imported in = { 0 };
		_cleanup_(td_strbuf_done) struct td_strbuf got = TD_STRBUF_INIT;

		TD_CASE(cases[i].name);
		td_import_text(&in, &td_importer_mllog, cases[i].text, NULL);
		TD_CHECK_INT(in.source->rows, cases[i].rows);
		TD_CHECK_INT(in.source->skipped, cases[i].skipped);
		TD_CHECK_INT(in.source->issues, cases[i].issues);
		if (cases[i].kind)
			TD_CHECK_INT(td_issues_of(&in, cases[i].kind), 1);
		else
			TD_CHECK_INT(in.has->nissue_counts, 0);
		for (size_t k = 0; k < in.nspans; k++)
			add_span(&got, &in, &in.spans[k]);
		for (size_t k = 0; k < in.nmarks; k++)
			add_mark(&got, &in, &in.marks[k]);
		td_check_lines(&got, cases[i].want);
	}
}

static void test_sniff(void)
{
	static const struct {
		const char *name, *text;
		bool claimed;
	} heads[] = {
		{ "MLLOG", POINT("01", "a", "1"), true },
		{ "MLL behind noise", "hello\n[1,0]<stdout>::::MLL 1714557601.000 a: {}\n", true },
		{ "MLP", ":::MLPv0.5.0 ncf 1714557601.000 (a.py:1) a\n", true },
		{ "in another log's string",
		  "write(1, \":::MLPv0.5.0 ncf 1714557601.000 (a\"..., 99) = 99\n", false },
		{ "in another log's string",
		  "write(1, \":::MLLOG {\\\"namespace\\\": \\\"\\\"\"..., 99) = 99\n", false },
		{ "a command that looks for it", "+ grep ':::MLLOG' log\n", false },
		{ "a document on it", "Lines begin with `:::MLLOG {\"` and hold an event.\n",
		  false },
		{ "empty", "", false },
	};

	for (size_t i = 0; i < TD_ARRAY_SIZE(heads); i++) {
		TD_CASE(heads[i].name);
		TD_CHECK_INT(td_importer_mllog.sniff(heads[i].text, strlen(heads[i].text)) > 0,
			     heads[i].claimed);
	}
}

/* The first event behind a megabyte of what a launcher printed, and a byte order mark before it all. */
static void test_late(void)
{
	_cleanup_(td_imported_done) struct td_imported in = { 0 }, none = { 0 };
	_cleanup_(td_strbuf_done) struct td_strbuf text = TD_STRBUF_INIT;

	TD_CASE("late");
	td_strbuf_adds(&text, "\xef\xbb\xbf");
	while (text.len < (size_t)1024 * 1024)
		td_strbuf_adds(&text, "luna-0042:1:1 [0] NCCL INFO Channel 00 : 0 1 2 3 4 5 6 7\n");
	td_import_text(&none, NULL, td_strbuf_str(&text), NULL);
	TD_CHECK_INT(none.source->state, TD_STATE_UNRECOGNISED);
	td_strbuf_adds(&text,
		       ":::MLLOG {\"namespace\": \"\", \"time_ms\": 1621442028569, \"event_type\": "
		       "\"POINT_IN_TIME\", \"key\": \"seed\", \"value\": 7, \"metadata\": {}}\n");
	td_import_text(&in, NULL, td_strbuf_str(&text), NULL);
	TD_CHECK_STR(in.source->importer ? in.source->importer : "", "mllog");
	TD_CHECK_INT(in.source->rows, 1);
	TD_CHECK_INT(in.source->issues, 0);
}

static void test_colours(void)
{
	_cleanup_(td_imported_done) struct td_imported in = { 0 };

	TD_CASE("colours");
	td_import_text(
		&in, NULL,
		"\033[1;32m:::MLLOG {\"namespace\": \"\", \"time_ms\": 1621442028569, "
		"\"event_type\": "
		"\"POINT_IN_TIME\", \"key\": \"seed\", \"value\": 7, \"metadata\": {}}\033[0m\n"
		":::MLLOG {\"namespace\": \"\", \"time_ms\": 1621442028570, \"event_type\": "
		"\"POINT_IN_TIME\", \"key\": \"seed\", \"value\": 8, \"metadata\": {}}\033[0mand "
		"more\n",
		NULL);
	TD_CHECK_INT(in.source->rows, 2);
	TD_CHECK_INT(td_issues_of(&in, "trailing-text"), 1);
}

/* More starts than are kept open: all of them come out. */
static void test_many_open(void)
{
	_cleanup_(td_imported_done) struct td_imported in = { 0 };
	_cleanup_(td_strbuf_done) struct td_strbuf b = TD_STRBUF_INIT;

	TD_CASE("many open");
	for (int i = 0; i < 5000; i++)
		td_strbuf_adds(&b, START("01", "epoch_start", ""));
	td_import_text(&in, &td_importer_mllog, td_strbuf_str(&b), NULL);
	TD_CHECK_INT(in.nspans, 5000);
}

/* Of all names, if name is NULL. */
static size_t count_spans(const struct td_imported *in, const char *name, const char *state)
{
	size_t n = 0;

	for (size_t i = 0; i < in->nspans; i++)
		n += (!name || strcmp(td_text_of(in, in->spans[i].name_id), name) == 0) &&
		     strcmp(td_text_of(in, in->spans[i].state_id), state) == 0;
	return n;
}

/* Numbers of 19 digits do not fit a double: the text is compared. */
static void check_oracle(const struct td_imported *in, const char *log)
{
	char path[8192];
	size_t len, n = 0;
	_cleanup_free_ char *oracle = NULL;
	const char *p;

	(void)snprintf(path, sizeof(path), "%.*soracle.json",
		       (int)(strlen(log) - strlen("unet3d.log")), log);
	oracle = td_read_whole(path, &len);
	TD_CHECK(oracle != NULL);
	p = oracle ? strstr(oracle, "\"intervals_utc\"") : NULL;
	TD_CHECK(p != NULL);
	for (size_t i = 0; p && i < in->nspans; i++) {
		const struct td_span *s = &in->spans[i];
		const char *name = td_text_of(in, s->name_id);
		struct td_scan at;
		uint64_t start, end;

		if (strcmp(name, "run") == 0) /* not in the oracle */
			continue;
		for (; *p && (*p < '0' || *p > '9'); p++)
			;
		at = td_scan_of(p, strlen(p));
		TD_CHECK(td_scan_u64(&at, &start));
		at.p += strcspn(at.p, "0123456789");
		TD_CHECK(td_scan_u64(&at, &end));
		at.p += strcspn(at.p, "\"") + 1;
		TD_CHECK_INT(s->start_ns, start);
		TD_CHECK_INT(s->start_ns + s->dur_ns, end);
		TD_CHECK(strncasecmp(at.p, name, strlen(name)) == 0);
		p = at.p;
		n++;
	}
	TD_CHECK_INT(n, strstr(log, "4gpu") ? 48 : 45);
	TD_CHECK_INT(count_spans(in, "epoch", "complete"), 40);
}

/* What input-quirks says of the DGX-1 log: a false start, then a run of 3700 epochs. */
static void check_dgx1(const struct td_imported *in)
{
	TD_CHECK_INT(in->source->lines, 15375);
	TD_CHECK_INT(in->source->rows, 15375);
	TD_CHECK_INT(count_spans(in, "epoch", "complete"), 3700);
	TD_CHECK_INT(count_spans(in, "epoch", "unfinished"), 1);
	TD_CHECK_INT(count_spans(in, "block", "complete"), 3700);
	TD_CHECK_INT(count_spans(in, "block", "unfinished"), 1);
	TD_CHECK_INT(count_spans(in, "init", "complete"), 2);
	TD_CHECK_INT(count_spans(in, "init", "unfinished"), 14);
	TD_CHECK_INT(count_spans(in, "eval", "complete"), 136);
	TD_CHECK_INT(count_spans(in, "run", "complete"), 1);
	TD_CHECK_INT(count_spans(in, "run", "unfinished"), 1);
	for (size_t i = 0; i < in->nspans; i++) /* 20:27:45.995 UTC begins the second run */
		TD_CHECK_INT(in->spans[i].run_number,
			     in->spans[i].start_ns < INT64_C(1644092865995000000) ? 1 : 2);
}

static void corpus_file(const char *path, const char *name)
{
	_cleanup_(td_imported_done) struct td_imported in = { 0 };
	struct timespec from, to;
	double ms;
	int32_t runs = 0;

	if (!strstr(name, ".log"))
		return;
	(void)clock_gettime(CLOCK_MONOTONIC, &from);
	TD_CHECK(td_import_path(&in, path, NULL));
	(void)clock_gettime(CLOCK_MONOTONIC, &to);
	ms = (double)(to.tv_sec - from.tv_sec) * 1e3 + (double)(to.tv_nsec - from.tv_nsec) / 1e6;
	for (size_t i = 0; i < in.nspans; i++)
		runs = TD_MAX(runs, in.spans[i].run_number);
	printf("%.0f ms, %d runs, %zu complete, %zu unfinished, %zu without start, ", ms, runs,
	       count_spans(&in, NULL, "complete"), count_spans(&in, NULL, "unfinished"),
	       count_spans(&in, NULL, "no-start"));
	td_print_source(&in, path);
	TD_CHECK_STR(in.source->importer, "mllog");
	TD_CHECK(in.nmarks + in.nspans > 0);
	if (strstr(path, "/runs/"))
		check_oracle(&in, path);
	else if (strstr(path, "mlperf-dgx1"))
		check_dgx1(&in);
}

int main(int argc, char **argv)
{
	static const char *const folders[] = { "mlperf", "mlperf-dgx1", "runs/unet3d_4gpu_split",
					       "runs/unet3d_8gpu_dgx1v2" };

	if (argc > 1)
		return td_run_corpus(folders, TD_ARRAY_SIZE(folders), corpus_file);
	test_cases();
	test_colours();
	test_late();
	test_many_open();
	test_sniff();
	return td_check_result();
}
