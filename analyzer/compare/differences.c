/* SPDX-License-Identifier: MIT */
#include "analyzer/compare/differences.h"
#include "common/cleanup.h"
#include "schema/db.h"

/* Each statement has one row of one text; NULL: it is not known, and cannot differ. */
static const struct {
	const char *sql;
	const char *what; /* differs */
	const char *so; /* what that means */
} facts[] = {
	{ "SELECT group_concat(layer, ', ') FROM (SELECT DISTINCT layer FROM op WHERE kind = 'io' "
	  "ORDER BY layer)",
	  "the layers that I/O calls were recorded in",
	  "how many calls there are, and of what size, can differ for that alone" },
	{ "SELECT group_concat(importer, ', ') FROM (SELECT DISTINCT importer FROM source WHERE "
	  "importer IS NOT NULL AND rows > 0"
	  " ORDER BY importer)",
	  "what recorded them", "tools cost the program different amounts of time" },
	{ "SELECT group_concat(basis, ', ') FROM (SELECT DISTINCT basis FROM gpu_phase ORDER BY "
	  "basis)",
	  "how the GPUs were observed", "their times cannot be compared" },
	{ "SELECT printf('%d GPU%s', count(DISTINCT device_id), iif(count(DISTINCT device_id) = 1, "
	  "'', 's')) FROM gpu_phase HAVING count(*) > 0",
	  "the GPUs that were looked at", "sums over GPUs are not of the same" },
	{ "SELECT group_concat(host, ', ') FROM (SELECT DISTINCT host FROM source WHERE host IS "
	  "NOT NULL ORDER BY host)",
	  "the machines", "a change can be theirs" },
	{ "SELECT group_concat(name || ' x' || n, ', ') FROM (SELECT name, count(DISTINCT number) "
	  "AS n FROM phases"
	  " WHERE number IS NOT NULL GROUP BY name ORDER BY name)",
	  "the phases",
	  "the length of the run, and what is summed up over it, differ for that alone" },
};

/* The numbered phase by which measures tell rounds apart, as the measures find it, and its rounds. */
#define ROUNDS                                                                                     \
	"unit AS (SELECT name FROM phases WHERE number IS NOT NULL AND dur_ns IS NOT NULL GROUP "  \
	"BY name HAVING count(DISTINCT number) > 1"                                                \
	" ORDER BY name = 'epoch' DESC, sum(dur_ns) DESC, name LIMIT 1),"                          \
	" round AS (SELECT min(start_ns) AS start_ns, max(end_ns) AS end_ns FROM phases"           \
	" WHERE name IN unit AND dur_ns IS NOT NULL GROUP BY number)"
#define LEAST_LOSS_PCT "1"
#define LEAST_COVERED_PCT "95"

/* Each statement has one row of one text, in the words of which a run is not fit to be compared; NULL: it is. */
static const char *const doubts[] = {
	"SELECT group_concat(printf('%.1f %% of the events of %s', pct, path), ', ')"
	" || ' are lost: what is counted is a lower bound'"
	" FROM (SELECT path, 100.0 * lost_events / (lost_events + rows) AS pct FROM source WHERE "
	"lost_events > 0 ORDER BY pct DESC, path)"
	" WHERE pct >= " LEAST_LOSS_PCT,
	"WITH " ROUNDS ", part AS (SELECT r.end_ns - r.start_ns AS ns,"
	" coalesce((SELECT max(min(s.last_ns, r.end_ns) - max(s.first_ns, r.start_ns)) FROM source "
	"AS s JOIN source_loss AS l ON l.source_id = s.id"
	" WHERE l.has_calls), 0) AS seen FROM round AS r)"
	" SELECT CASE WHEN pct < " LEAST_COVERED_PCT
	" THEN printf('calls were recorded for %.0f %% of the time of its rounds: the others are "
	"left out', pct) END"
	" FROM (SELECT 100.0 * sum(max(seen, 0)) / sum(ns) AS pct FROM part WHERE EXISTS (SELECT 1 "
	"FROM call))",
	"WITH " ROUNDS " SELECT CASE WHEN d.error_ns > r.ns"
	" THEN printf('the clocks of its phases and of its ' || d.against || ' may be %.3g s "
	"apart, "
	"longer than a round (%.3g s)"
	": what of them was in a round is not known, and not compared', d.error_ns / 1e9, r.ns / "
	"1e9) END"
	" FROM clock_doubt AS d CROSS JOIN (SELECT min(end_ns - start_ns) AS ns FROM round) AS r"
	" WHERE d.kind = 'phases' AND d.against <> 'phases' ORDER BY d.error_ns DESC LIMIT 1",
};

void td_facts_done(struct td_facts *f)
{
	for (size_t i = 0; i < f->n; i++)
		free(f->items[i]);
	free(f->items);
	td_strbuf_done(&f->doubts);
	*f = (struct td_facts){ 0 };
}

static int ask(sqlite3 *db, const char *sql, char **ret, struct td_err *err)
{
	_cleanup_(sqlite3_finalizep) sqlite3_stmt *stmt = NULL;
	int rc = sqlite3_prepare_v2(db, sql, -1, &stmt, NULL);
	const char *text;

	if (rc == SQLITE_OK)
		rc = sqlite3_step(stmt);
	if (rc != SQLITE_ROW && rc != SQLITE_DONE)
		return td_db_error(db, rc, err, "cannot see how the run was recorded");
	text = rc == SQLITE_ROW ? (const char *)sqlite3_column_text(stmt, 0) : NULL;
	*ret = text ? strdup(text) : NULL;
	return text && !*ret ? -ENOMEM : 0;
}

static int add_doubt(sqlite3 *db, const char *sql, struct td_strbuf *lines, struct td_err *err)
{
	_cleanup_free_ char *text = NULL;
	int r = ask(db, sql, &text, err);

	if (r == 0 && text)
		td_strbuf_addf(lines, "%s\n", text);
	return r < 0 ? r : td_strbuf_error(lines);
}

int td_facts_of(sqlite3 *db, struct td_facts *ret, struct td_err *err)
{
	struct td_facts f = { .items = calloc(TD_ARRAY_SIZE(facts), sizeof(*f.items)),
			      .doubts = TD_STRBUF_INIT };
	int r = f.items ? 0 : -ENOMEM;

	while (r == 0 && f.n < TD_ARRAY_SIZE(facts)) {
		r = ask(db, facts[f.n].sql, &f.items[f.n], err);
		f.n++;
	}
	for (size_t i = 0; i < TD_ARRAY_SIZE(doubts) && r == 0; i++)
		r = add_doubt(db, doubts[i], &f.doubts, err);
	if (r < 0)
		td_facts_done(&f);
	*ret = f;
	return r;
}

void td_facts_differ(const struct td_facts *a, const struct td_facts *b, struct td_strbuf *notes)
{
	for (size_t i = 0; i < TD_ARRAY_SIZE(facts); i++)
		if (a->items[i] && b->items[i] && strcmp(a->items[i], b->items[i]) != 0)
			td_strbuf_addf(notes, "A and B differ in %s (A: %s; B: %s): %s\n",
				       facts[i].what, a->items[i], b->items[i], facts[i].so);
}

void td_facts_doubt(const struct td_facts *f, const char *name, struct td_strbuf *notes)
{
	for (const char *line = td_strbuf_str(&f->doubts), *end; (end = strchr(line, '\n'));
	     line = end + 1)
		td_strbuf_addf(notes, "%s: %.*s\n", name, (int)(end - line), line);
}
