/* SPDX-License-Identifier: MIT */
/*
 * An array of JSON read in parts on several threads makes the same database, to the byte, as one
 * read element by element, whatever is damaged in it.
 *
 *     elements SOURCES  texts made here, parts of some events; our own samples
 *     elements corpus   the samples below $TRACEDB_CORPUS
 */
#include "tests/property/in_parts.h"

/* Of an event or none, of some, of more than those from which the state before a part is guessed, of a window. */
static const size_t sizes[] = { 150, 1500, 9000, 100000 };

static struct td_speculation_count total; /* of all texts */
static void check_size(const char *path, size_t part_bytes)
{
	(void)td_parts_check(path, part_bytes, &total);
}

static void check_sizes(const char *path)
{
	td_parts_sizes(path, &td_parts_in_turn, check_size, sizes, TD_ARRAY_SIZE(sizes));
}

/* --- texts --- */

struct text {
	struct td_strbuf buf;
	uint64_t random;
	int64_t ts; /* us */
	unsigned pids; /* processes, of which one has some events in a row */
	unsigned pid;
	unsigned
		anonymous; /* so many events are of no process by themselves: more than a part's begin is guessed from */
	bool spoils; /* an event in twenty */
};

static unsigned pick(struct text *t, unsigned n)
{
	t->random = t->random * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return (unsigned)(t->random >> 33) % n;
}

static void complete(struct text *t)
{
	static const char *const categories[] = { "cpu_op",          "python_function",
						  "cuda_runtime",    "kernel",
						  "user_annotation", "gpu_user_annotation",
						  "gpu_memcpy",      "overhead",
						  "of its own",      "Trace" };
	const char *category = categories[pick(t, TD_ARRAY_SIZE(categories))];
	bool gpu = strncmp(category, "gpu", 3) == 0 || strcmp(category, "kernel") == 0;

	td_strbuf_addf(
		&t->buf,
		"{\"ph\": \"X\", \"cat\": \"%s\", \"name\": \"n%u\", \"pid\": %u, \"tid\": %u, "
		"\"ts\": %" PRId64 ".%03u, \"dur\": %s, \"args\": {\"device\": %u, "
		"\"stream\": 7, \"correlation\": %u, \"bytes\": 512}}",
		category, pick(t, 40), gpu ? pick(t, 3) : 1000 + t->pid,
		gpu ? 7 : 1000 + pick(t, 5), t->ts, pick(t, 1000), pick(t, 50) ? "5.1" : "-1",
		pick(t, 3), pick(t, 1000));
}

/* Of no process by itself: that of the events before. */
static void anonymous(struct text *t)
{
	td_strbuf_addf(
		&t->buf,
		"{\"ph\": \"X\", \"cat\": \"python_function\", \"name\": \"f\\n%u\", \"pid\": 0, "
		"\"tid\": 0, \"ts\": %" PRId64 ", \"dur\": 1}",
		pick(t, 10), t->ts);
}

static void memory(struct text *t)
{
	td_strbuf_addf(
		&t->buf,
		"{\"ph\": \"i\", \"name\": \"[memory]\", \"pid\": %u, \"tid\": 1, \"ts\": %" PRId64
		", \"args\": {\"Bytes\": %u, \"Device Id\": %u, \"Total Allocated\": %u, "
		"\"Total Reserved\": %u}}",
		1000 + t->pid, t->ts, pick(t, 4096), pick(t, 2), pick(t, 1000000),
		pick(t, 1000000));
}

static void counter(struct text *t)
{
	td_strbuf_addf(&t->buf,
		       "{\"ph\": \"C\", \"name\": \"GPU %u\", \"ts\": %" PRId64
		       ", \"args\": {\"busy\": 0.%u}}",
		       pick(t, 3), t->ts, pick(t, 10));
}

static void flow(struct text *t)
{
	td_strbuf_addf(&t->buf,
		       "{\"ph\": \"%c\", \"cat\": \"ac2g\", \"id\": %u, \"ts\": %" PRId64 "}",
		       "stf"[pick(t, 3)], pick(t, 1000), t -> ts);
}

/* What looks like events, in a text and in an array of its own. */
static void tricky(struct text *t)
{
	if (pick(t, 2))
		td_strbuf_addf(&t->buf,
			       "{\"ph\": \"i\", \"name\": \"a},{\\\"ph\\\": 1\", \"ts\": %" PRId64
			       "}",
			       t->ts);
	else
		td_strbuf_addf(&t->buf,
			       "{\"ph\": \"i\", \"name\": \"b\", \"ts\": %" PRId64
			       ", \"args\": {\"list\": [{\"ph\": 1}, {\"ph\": 2}, {\"x\": 3}]}}",
			       t->ts);
}

static void wrong(struct text *t)
{
	static const char *const texts[] = {
		"{\"ph\": \"Z\", \"ts\": 1}",
		"{\"ph\": \"X\", \"cat\": \"cpu_op\", \"name\": \"n\"}",
		"{\"ph\": \"X\", \"cat\": \"kernel\", \"name\": \"n\", \"ts\": 100000001, \"pid\": "
		"\"x\"}",
		"{\"ph\": \"X\", \"name\": \"n\", \"ts\": 1700000000000000, \"dur\": 1}",
		"{\"ph\": \"X\", \"name\": \"n\", \"ts\": 100000002, \"pid\": 99999999999}",
		"{\"ph\": \"C\", \"name\": \"n\", \"ts\": 100000003, \"args\": {}}",
		"{}",
		"7",
		"null",
		"[1, {\"ph\": 2}]",
	};

	td_strbuf_adds(&t->buf, texts[pick(t, TD_ARRAY_SIZE(texts))]);
}

static void metadata(struct text *t)
{
	unsigned n = pick(t, 3);

	switch (pick(t, 3)) {
	case 0:
		td_strbuf_addf(&t->buf,
			       "{\"ph\": \"M\", \"name\": \"process_name\", \"pid\": 1001, "
			       "\"args\": {\"name\": \"p%u\"}}",
			       n);
		break;
	case 1:
		td_strbuf_addf(&t->buf,
			       "{\"name\": \"process_labels\", \"ph\": \"M\", \"pid\": %u, "
			       "\"args\": {\"labels\": \"GPU\"}}",
			       n);
		break;
	default:
		td_strbuf_addf(
			&t->buf,
			"{\"ph\": \"M\", \"name\": \"thread_name\", \"pid\": 1000, \"tid\": 1, "
			"\"args\": {\"name\": \"thread 1001 (t%u)\"}}",
			n);
	}
}

/* A byte more or less, or another one, near the end of what is there. */
static void spoil(struct text *t)
{
	char *p = t->buf.p + t->buf.len - 1 - pick(t, 60);

	switch (pick(t, 3)) {
	case 0:
		*p = "\"{}[],:\\"[pick(t, 8)];
		break;
	case 1:
		t->buf.len -= 1 + pick(t, 40);
		break;
	default:
		td_strbuf_addc(&t->buf, "\"{}[],:\\"[pick(t, 8)]);
	}
}

static void event(struct text *t)
{
	static void (*const rare[])(struct text * t) = { anonymous, memory, counter,
							 flow,      tricky, wrong };

	t->ts += pick(t, 20);
	if (pick(t, 30) == 0)
		t->pid = pick(t, t->pids);
	if (t->anonymous == 0 && pick(t, 200) == 0)
		t->anonymous = 100;
	t->anonymous -= t->anonymous > 0;
	if (t->anonymous)
		anonymous(t);
	else if (pick(t, 3))
		complete(t);
	else
		rare[pick(t, pick(t, 8) ? 4 : TD_ARRAY_SIZE(rare))](t);
	if (t->spoils && pick(t, 20) == 0)
		spoil(t);
}

static void separate(struct text *t)
{
	static const char *const separators[] = { ",", ",\n  ", " ,\n", ", , " };

	td_strbuf_adds(&t->buf, separators[pick(t, TD_ARRAY_SIZE(separators))]);
}

/* Names of processes before the events or behind them, as they come or in their midst. */
static void make(struct text *t, int events, unsigned metadata_in)
{
	td_strbuf_adds(&t->buf, "{\"schemaVersion\": 1, \"distributedInfo\": {\"rank\": 3},\n"
				"\"traceEvents\": [\n");
	for (int i = 0; i < events; i++) {
		if (metadata_in && pick(t, metadata_in) == 0)
			metadata(t);
		else
			event(t);
		separate(t);
	}
	for (int i = 0; i < 20; i++) {
		metadata(t);
		separate(t);
	}
	td_strbuf_adds(&t->buf,
		       "{\"name\": \"the last one\", \"ph\": \"i\", \"ts\": 100000000}\n],\n"
		       "\"other\": [{\"ph\": 1}, {\"ph\": 2}], \"baseTimeNanoseconds\": "
		       "1751410836000000000}\n");
}

/* --- */

static const struct kind {
	const char *name;
	unsigned pids, metadata_in;
	bool spoils, cut;
} kinds[] = {
	{ "plain", 1, 0, false, false },      { "processes", 5, 0, false, false },
	{ "metadata", 2, 100, false, false }, { "cut", 2, 0, false, true },
	{ "spoilt", 2, 300, true, false },    { "spoilt-cut", 1, 0, true, true },
};

static void check_text(const struct kind *k)
{
	for (uint64_t seed = 1; seed <= 2; seed++) {
		struct text t = {
			.random = seed, .ts = 100000000, .pids = k->pids, .spoils = k->spoils
		};
		char path[128];

		TD_CASE(k->name);
		make(&t, 2000, k->metadata_in);
		if (k->cut)
			t.buf.len -= 1 + pick(&t, 3000);
		(void)snprintf(path, sizeof(path), "%s/in", td_both_dir);
		td_parts_write(path, &t.buf);
		check_sizes(path);
		TD_CHECK_INT(unlink(path), 0);
		td_strbuf_done(&t.buf);
	}
}

/* Nothing of a whole text is read twice but its last part, and the names behind the events. */
static void check_whole(void)
{
	struct text t = { .random = 7, .ts = 100000000, .pids = 1 };
	struct td_speculation_count n;
	char path[128];

	TD_CASE("whole");
	td_strbuf_adds(&t.buf, "{\"schemaVersion\": 1, \"traceEvents\": [");
	for (int i = 0; i < 3000; i++) {
		complete(&t);
		separate(&t);
	}
	metadata(&t);
	td_strbuf_adds(&t.buf, "], \"distributedInfo\": {}}");
	(void)snprintf(path, sizeof(path), "%s/in", td_both_dir);
	td_parts_write(path, &t.buf);
	TD_CHECK_INT(td_both_first(path, &td_parts_in_turn), 0);
	n = td_parts_check(path, 3000, &total);
	td_both_forget();
	TD_CHECK(n.again <=
		 14); /* twice as many as there are places for parts: four more than threads */
	TD_CHECK(n.joined + 14 >= t.buf.len / 3000);
	TD_CHECK_INT(unlink(path), 0);
	td_strbuf_done(&t.buf);
}

static void check_texts(void)
{
	check_whole();
	for (size_t i = 0; i < TD_ARRAY_SIZE(kinds); i++)
		check_text(&kinds[i]);
	/* both ways were gone */
	TD_CHECK(total.joined > 1000);
	TD_CHECK(total.again > 100);
}

int main(int argc, char **argv)
{
	return td_parts_main(argc, argv,
			     (struct td_parts_test){ .importer = "kineto",
						     .texts = check_texts,
						     .turn = &td_parts_in_turn,
						     .check = check_size,
						     .sizes = sizes,
						     .nsizes = 2,
						     .corpus_size = 100000 });
}
