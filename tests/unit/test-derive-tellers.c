/* SPDX-License-Identifier: MIT */
/* source_process and rank_span against plain SQL over the rows that were written beside them. */
#include "tests/unit/derive.h"

static const char same_told[] =
	"SELECT s.source_id, s.process_id, s.rank, s.kind_id, count(*), sum(s.dur_ns) FILTER "
	"(WHERE "
	"k.text = 'phase' AND n.text = 'epoch'), sum(s.dur_ns) FILTER (WHERE k.text IN "
	"('annotation', 'nvtx') AND n.text LIKE 'enumerate(DataLoader)%') FROM span AS s JOIN "
	"string AS k ON k.id = s.kind_id JOIN string AS n ON n.id = s.name_id GROUP BY 1, 2, 3, 4 "
	"UNION ALL SELECT source_id, process_id, NULL, NULL, count(*), NULL, NULL FROM gpu_op "
	"GROUP BY 1, 2";
static const char told[] =
	"SELECT source_id, process_id, rank, kind_id, rows, epoch_ns, data_ns FROM source_process";

static void test_made_up(void)
{
	_cleanup_(td_store_freep) struct td_store *st = td_new_store();
	sqlite3 *db;

	TD_CASE("made up");
	(void)td_make_source(st, "a", 21, 20000, NAN);
	db = td_derived(st);
	td_same_rows(db, told, same_told);
	td_same_rows(db, "SELECT id FROM rank_span",
		     "SELECT id FROM span WHERE kind_id IN (SELECT id FROM string WHERE text = "
		     "'phase')");
	db_close(db);
}

/* Spans of each kind with each name, of processes and ranks in turn. */
static void test_spans(void)
{
	static const char *const kinds[] = { "phase", "annotation", "nvtx", "cpu-op" };
	static const char *const names[] = { "epoch", "ProfilerStep#7", "ProfilerStep#", "forward",
					     "enumerate(DataLoader)#_Iter.__next__" };
	_cleanup_(td_store_freep) struct td_store *st = td_new_store();
	sqlite3 *db;

	TD_CASE("spans");
	td_stage_source(st, true);
	for (int i = 0; i < 240; i++) {
		struct td_span s = TD_SPAN_INIT;

		s.start_ns = i * 100;
		s.dur_ns = i % 7 ? i : TD_NULL;
		s.kind_id = td_store_cstr(st, kinds[i % 4]);
		s.name_id = td_store_cstr(st, names[i % 5]);
		s.state_id = td_store_cstr(st, "complete");
		s.process_id = i % 3 ? td_store_process(st, 100 + i % 3, "a", 1) : 0;
		s.rank = i / 60 ? i / 60 : INT32_MIN;
		s.source_id = 1;
		td_stage_row(st, TD_KIND_SPAN, &s);
	}
	db = td_derived(st);
	td_same_rows(db, told, same_told);
	td_same_rows(db,
		     "SELECT s.id, k.text, n.text FROM rank_span AS r JOIN span AS s ON s.id = "
		     "r.id JOIN "
		     "string AS k ON k.id = s.kind_id JOIN string AS n ON n.id = s.name_id",
		     "SELECT s.id, k.text, n.text FROM span AS s JOIN string AS k ON k.id = "
		     "s.kind_id JOIN string "
		     "AS n ON n.id = s.name_id WHERE k.text = 'phase' OR k.text = 'annotation' AND "
		     "n.text = "
		     "'ProfilerStep#7'");
	db_close(db);
}

int main(void)
{
	if (!td_derive_set_up())
		return 1;
	test_made_up();
	test_spans();
	td_derive_tear_down();
	return td_check_result();
}
