/* SPDX-License-Identifier: MIT */
/* Parts of a source that were read by themselves become one; texts in parts: tests/property/speculative.c. */
#include "common/cleanup.h"
#include "store/store_join.h"
#include "store/store.h"
#include "tests/unit/check.h"

/* Two stores, and what joins them. */
struct two {
	struct td_store *whole, *part;
	const struct td_contents *has; /* of whole */
	struct td_id_map map;
};

static void two_done(struct two *t)
{
	td_store_free(t->whole);
	td_store_free(t->part);
	td_id_map_done(&t->map);
}

static struct two new_two(const char *name)
{
	struct two t = { .map = TD_ID_MAP_INIT };

	TD_CASE(name);
	TD_CHECK_INT(td_store_new("/tmp/tracedb-test-join", &t.whole), 0);
	t.has = td_store_contents(t.whole);
	TD_CHECK_INT(td_store_new("/tmp/tracedb-test-join", &t.part), 0);
	TD_CHECK_INT(td_store_source(t.whole, "source"), 1);
	return t;
}

static struct td_str str(const char *text)
{
	return (struct td_str){ text, strlen(text) };
}

static uint32_t process(struct td_store *st, int64_t pid, const char *comm)
{
	return td_store_process(st, pid, comm, strlen(comm));
}

static uint16_t op(struct td_store *st, const char *name)
{
	return td_store_op(st, name, strlen(name), TD_LAYER_VFS);
}

/* What is known keeps its id, what is new gets the next one, in the order of the part. */
static void test_ids(void)
{
	_cleanup_(two_done) struct two t = new_two("ids");
	struct td_call c = TD_CALL_INIT;
	struct td_block b = TD_BLOCK_INIT;

	(void)op(t.whole, "vfs_read");
	(void)process(t.whole, 7, "old");
	(void)td_store_file_name(t.whole, str("f"), false);
	(void)td_store_cstr(t.whole, "flags=1");
	c.op_id = op(t.part, "vfs_write");
	c.process_id = process(t.part, 8, "other");
	c.thread_id = td_store_thread(t.part, 9, c.process_id);
	c.file_id = td_store_file_path(t.part, str("/g"), str(""), false);
	c.args_id = td_store_cstr(t.part, "flags=1");
	b.process_id = process(t.part, 7, "new");
	b.device_id = td_store_device(t.part, TD_DEVICE_DISK, "sda", 3, TD_NULL);
	TD_CHECK_INT(td_store_join(t.whole, t.part, 0, &t.map), 0);
	TD_CHECK(td_id_map_knows(TD_KIND_CALL) && td_id_map_knows(TD_KIND_BLOCK));
	TD_CHECK(!td_id_map_knows(TD_KIND_STACK));
	td_id_map_row(&t.map, TD_KIND_CALL, &c);
	td_id_map_row(&t.map, TD_KIND_BLOCK, &b);
	TD_CHECK_INT(c.op_id, 2);
	TD_CHECK_INT(c.process_id, 2);
	TD_CHECK_INT(c.thread_id, 1);
	TD_CHECK_INT(c.file_id, 2);
	TD_CHECK_STR(td_store_text(t.whole, c.args_id).p, "flags=1");
	TD_CHECK_INT(c.args_id, td_store_cstr(t.whole, "flags=1"));
	TD_CHECK_INT(b.process_id, 1);
	TD_CHECK_INT(b.done_process_id, 0);
	TD_CHECK_INT(b.device_id, 1);
	TD_CHECK_STR(t.has->files[1].path.p, "/g");
	TD_CHECK_INT(td_store_thread_at(t.whole, 1)->process_id, 2);
	/* the name of a process is the last one */
	TD_CHECK_STR(td_store_text(t.whole, td_store_process_at(t.whole, 1)->name_id).p, "new");
	TD_CHECK_STR(t.has->devices[0].name, "sda");
}

/* The ids of strings, devices and tracks in rows of other kinds. */
static void test_other_rows(void)
{
	_cleanup_(two_done) struct two t = new_two("other rows");
	struct td_gpu_op g = TD_GPU_OP_INIT;
	struct td_sample sample = TD_SAMPLE_INIT;
	struct td_span span = TD_SPAN_INIT;
	struct td_mark mark = TD_MARK_INIT;
	uint32_t first;

	(void)td_store_cstr(t.whole, "a");
	(void)process(t.whole, 1, "");
	first = td_store_track(t.whole, 1, "load", "%", 0, 0);
	g.process_id = process(t.part, 7, "");
	g.device_id = td_store_device(t.part, TD_DEVICE_GPU, "GPU 3", 5, 3);
	g.kind_id = td_store_cstr(t.part, "kernel");
	g.name_id = td_store_cstr(t.part, "gemm");
	sample.track_id = td_store_track(t.part, 1, "memory", "bytes", g.device_id, g.process_id);
	TD_CHECK_INT(td_store_track(t.part, 1, "load", "%", 0, 0), 2);
	mark.process_id = span.process_id = g.process_id;
	mark.thread_id = span.thread_id = td_store_thread(t.part, 8, g.process_id);
	mark.name_id = span.name_id = g.name_id;
	span.kind_id = g.kind_id;
	span.state_id = mark.args_id = td_store_cstr(t.part, "a");
	span.args_id = td_store_cstr(t.part, "{}");
	TD_CHECK_INT(td_store_join(t.whole, t.part, 0, &t.map), 0);
	td_id_map_row(&t.map, TD_KIND_GPU_OP, &g);
	td_id_map_row(&t.map, TD_KIND_SAMPLE, &sample);
	td_id_map_row(&t.map, TD_KIND_SPAN, &span);
	td_id_map_row(&t.map, TD_KIND_MARK, &mark);
	TD_CHECK_INT(g.process_id, 2);
	TD_CHECK_INT(g.device_id, 1);
	TD_CHECK_STR(td_store_text(t.whole, g.kind_id).p, "kernel");
	TD_CHECK_STR(td_store_text(t.whole, g.name_id).p, "gemm");
	TD_CHECK_INT(sample.track_id, first + 1);
	TD_CHECK_INT(t.has->ntracks, 2);
	TD_CHECK_STR(t.has->tracks[1].name, "memory");
	TD_CHECK_INT(t.has->tracks[1].process_id, 2);
	TD_CHECK(span.process_id == 2 && span.thread_id == 1 && span.name_id == g.name_id);
	TD_CHECK(span.kind_id == g.kind_id && span.state_id == 1);
	TD_CHECK_STR(td_store_text(t.whole, span.args_id).p, "{}");
	TD_CHECK(mark.process_id == 2 && mark.thread_id == 1 && mark.name_id == g.name_id);
	TD_CHECK_INT(mark.args_id, 1);
}

/* Lines are counted from the beginning of the text, and the first twenty of a kind are kept. */
static void test_issues(void)
{
	_cleanup_(two_done) struct two t = new_two("issues");

	for (int i = 1; i <= TD_ISSUES_KEPT - 1; i++)
		td_store_issue(t.whole, 1, "bad", TD_DROPPED, (uint64_t)i, "x", 1);
	td_store_issue(t.part, 1, "other", TD_REPAIRED, 3, "y", 1);
	td_store_issue(t.part, 1, "bad", TD_DROPPED, 4, "the last one kept", 17);
	td_store_issue(t.part, 1, "bad", TD_DROPPED, 5, "z", 1);
	TD_CHECK_INT(td_store_join(t.whole, t.part, 1000, &t.map), 0);
	TD_CHECK_INT(t.has->nissue_counts, 2);
	TD_CHECK_INT(t.has->issue_counts[0].count, TD_ISSUES_KEPT + 1);
	TD_CHECK_INT(t.has->issue_counts[0].first_line, 1);
	TD_CHECK_INT(t.has->issue_counts[0].kept, TD_ISSUES_KEPT);
	TD_CHECK_INT(t.has->issue_counts[1].count, 1);
	TD_CHECK_INT(t.has->issue_counts[1].first_line, 1003);
	TD_CHECK_INT(t.has->issue_counts[1].effect, TD_REPAIRED);
	TD_CHECK_INT(t.has->nissues, TD_ISSUES_KEPT + 1);
	TD_CHECK_STR(t.has->issues[TD_ISSUES_KEPT - 1].text, "y");
	TD_CHECK_STR(t.has->issues[TD_ISSUES_KEPT].text, "the last one kept");
	TD_CHECK_INT(t.has->issues[TD_ISSUES_KEPT].line, 1004);
}

/* Whether a name of an operation is one too many is for the whole to say. */
static void test_ops_limit(void)
{
	_cleanup_(two_done) struct two t = new_two("limit of operations");
	char name[32];

	for (int i = 0; i < TD_OPS_MAX - 1; i++) {
		(void)snprintf(name, sizeof(name), "op%d", i);
		(void)op(t.whole, name);
	}
	(void)op(t.part, "new");
	TD_CHECK_INT(td_store_join(t.whole, t.part, 0, &t.map), 0);
	TD_CHECK_INT(td_store_join(t.whole, t.part, 0, &t.map), TD_PART_DEPENDS);
	TD_CHECK_INT(t.has->nops, TD_OPS_MAX);
}

/* A path below another root is another file; the root is a string, which has another number in the whole. */
static void test_roots(void)
{
	_cleanup_(two_done) struct two t = new_two("roots");
	uint32_t plain, below, known;

	(void)td_store_cstr(t.whole, "something");
	known = td_store_file_in_root(t.whole, str("/a"), td_store_cstr(t.whole, "/r1"), false);
	plain = td_store_file_path(t.part, str("/a"), str(""), false);
	below = td_store_file_in_root(t.part, str("/a"), td_store_cstr(t.part, "/r2"), false);
	TD_CHECK_INT(td_store_file_in_root(t.part, str("/a"), td_store_cstr(t.part, "/r1"), false),
		     3);
	TD_CHECK_INT(td_store_join(t.whole, t.part, 0, &t.map), 0);
	TD_CHECK_INT(t.has->nfiles, 3);
	TD_CHECK_INT(t.map.to[TD_ID_FILE][3], known);
	TD_CHECK_INT(t.has->files[t.map.to[TD_ID_FILE][plain] - 1].root_id, 0);
	below = t.map.to[TD_ID_FILE][below];
	TD_CHECK_STR(td_store_text(t.whole, t.has->files[below - 1].root_id).p, "/r2");
	TD_CHECK_STR(t.has->files[below - 1].name.p, "a");
}

/* A part that depends on what was before leaves no trace. */
static void test_depends(void)
{
	_cleanup_(two_done) struct two t = new_two("depends");
	struct td_span of_run = TD_SPAN_INIT;
	uint32_t ended;

	/* a file that was seen with another idea of where its path ends */
	(void)td_store_file_path(t.whole, str("/a"), str(""), false);
	(void)td_store_file_path(t.part, str("/a"), str(""), true);
	(void)td_store_cstr(t.part, "new");
	TD_CHECK_INT(td_store_join(t.whole, t.part, 0, &t.map), TD_PART_DEPENDS);
	TD_CHECK_INT(t.has->strings.n, 0);
	td_store_clear(t.part);

	/* the other way around, where the first idea was that of a part */
	(void)td_store_file_path(t.part, str("/b"), str(""), true);
	TD_CHECK_INT(td_store_join(t.whole, t.part, 0, &t.map), 0);
	td_store_clear(t.part);
	(void)td_store_file_path(t.part, str("/b"), str(""), false);
	TD_CHECK_INT(td_store_join(t.whole, t.part, 0, &t.map), TD_PART_DEPENDS);
	td_store_clear(t.part);

	/* what is not known here how to join */
	of_run.run_number = 1;
	td_store_log_run(t.part, &of_run);
	TD_CHECK_INT(td_store_join(t.whole, t.part, 0, &t.map), TD_PART_DEPENDS);
	td_store_clear(t.part);

	/* a thread whose process has ended, or that is seen with one that has; others do not */
	ended = process(t.whole, 1, "a");
	(void)td_store_thread(t.part, 2, process(t.part, 1, "a"));
	TD_CHECK_INT(td_store_join(t.whole, t.part, 0, &t.map), 0);
	td_store_process_end(t.whole, ended);
	TD_CHECK_INT(td_store_join(t.whole, t.part, 0, &t.map), TD_PART_DEPENDS);
	td_store_clear(t.part);
	(void)td_store_thread(t.part, 3, process(t.part, 4, "b"));
	(void)process(t.part, 1, "a");
	TD_CHECK_INT(td_store_join(t.whole, t.part, 0, &t.map), TD_PART_DEPENDS);
	td_store_clear(t.part);
	(void)td_store_thread(t.part, 3, process(t.part, 4, "b"));
	TD_CHECK_INT(td_store_join(t.whole, t.part, 0, &t.map), 0);
}

/* After it a part is as if new. */
static void test_clear(void)
{
	_cleanup_(two_done) struct two t = new_two("clear");

	(void)td_store_thread(t.part, 8, process(t.part, 1, "a"));
	(void)td_store_thread(t.part, 9, process(t.part, 1, "a"));
	(void)op(t.part, "x");
	(void)td_store_file_name(t.part, str("f"), false);
	td_store_issue(t.part, 1, "bad", TD_DROPPED, 1, "x", 1);
	td_store_clear(t.part);
	TD_CHECK_INT(td_store_join(t.whole, t.part, 0, &t.map), 0);
	TD_CHECK_INT(t.has->nprocesses + t.has->nthreads + t.has->nops + t.has->nfiles +
			     t.has->strings.n,
		     0);
	TD_CHECK_INT(t.has->nissue_counts + t.has->nissues, 0);
	TD_CHECK_INT(process(t.part, 2, "b"), 1);
	TD_CHECK_INT(td_store_thread(t.part, 9, 1), 1);
	TD_CHECK_INT(op(t.part, "y"), 1);
	TD_CHECK_INT(td_store_file_name(t.part, str("g"), false), 1);
}

/* A name of the whole and the only path that has it, which the part alone knows, are one file. */
static void test_matched(void)
{
	_cleanup_(two_done) struct two t = new_two("matched");
	uint32_t name = td_store_file_name(t.whole, str("f"), false);
	uint32_t other = td_store_file_name(t.whole, str("g"), false);

	(void)td_store_file_path(t.part, str("/d/f"), (struct td_str){ NULL, 0 }, false);
	TD_CHECK_INT(td_store_join(t.whole, t.part, 0, &t.map), 0);
	td_store_resolve_files(t.whole);
	TD_CHECK_INT(t.has->nfiles, 3);
	TD_CHECK_INT(t.has->files[name - 1].merged_into, 3);
	TD_CHECK(t.has->files[2].path_matched);
	TD_CHECK_INT(t.has->files[other - 1].merged_into, 0);
}

int main(void)
{
	test_matched();
	test_ids();
	test_other_rows();
	test_issues();
	test_ops_limit();
	test_roots();
	test_depends();
	test_clear();
	return td_check_result();
}
