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
	{ "SELECT count(DISTINCT device_id) || ' GPUs' FROM gpu_phase HAVING count(*) > 0",
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

void td_facts_done(struct td_facts *f)
{
	for (size_t i = 0; i < f->n; i++)
		free(f->items[i]);
	free(f->items);
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

int td_facts_of(sqlite3 *db, struct td_facts *ret, struct td_err *err)
{
	struct td_facts f = { .items = calloc(TD_ARRAY_SIZE(facts), sizeof(*f.items)) };
	int r = f.items ? 0 : -ENOMEM;

	while (r == 0 && f.n < TD_ARRAY_SIZE(facts)) {
		r = ask(db, facts[f.n].sql, &f.items[f.n], err);
		f.n++;
	}
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
